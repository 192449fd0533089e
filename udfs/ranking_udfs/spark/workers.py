"""Python code for the executors: load Spark's Arrow batches into DuckDB, and return its rows."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa

from ..partitions import Partitioned, add_table, cursor
from ..quoting import identifier

Batches = Iterable[pa.RecordBatch]
# This column has the bytes of the tables that all partitions share, in one row. A column of arrays would cost
# more than all else: Spark takes 10 microseconds to write an array to Arrow, even a NULL.
PACKED = "shared"


def on_executors(step: str, job: Partitioned) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """Wrap one of the functions below so that Spark can send it to executors."""
    sent = pickle.dumps(job)

    def call(batches: Batches) -> Iterator[pa.RecordBatch]:
        from ranking_udfs.spark import workers

        yield from getattr(workers, step)(pickle.loads(sent), batches)

    return call


def evaluate(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Evaluate a partition: rows of all tables, one of them perhaps with the shared tables."""
    with cursor() as con:
        if load(con, job, batches, "_ranking_rows"):
            for table in job.columns.keys() - {"items"}:
                query = f"SELECT {fields(job, table)} FROM _ranking_rows WHERE {table} IS NOT NULL"
                con.execute(f"CREATE TEMP VIEW {table} AS {query}")
            yield from job.evaluate_part(con)


def pack(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Convert the row of shared tables to Arrow bytes."""
    for batch in (batch for batch in batches if batch.num_rows):
        with pa.ipc.new_stream(sink := pa.BufferOutputStream(), batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.record_batch({PACKED: [sink.getvalue().to_pybytes()]})


def merge(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Merge the rows of all partitions."""
    with cursor() as con:
        load(con, job, batches, "_ranking_parts", job.schemas["part"])
        yield from job.evaluate_merge(con)


def require_users(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Raise ValueError if the counts show that truth has no users; return no rows."""
    for counts in (row for batch in batches for row in batch.to_pylist()):
        job.require_users(counts["truth_rows"], counts["truth_users"])
    yield from ()


def load(con: Any, job: Partitioned, batches: Batches, table: str, schema: pa.Schema | None = None) -> bool:
    """Create a table from the batches, and the shared tables from its rows; return whether there are rows."""
    stream = iter(batches)
    first = next(stream, None)
    schema = schema if first is None else first.schema
    if schema is None:
        return False
    reader = pa.RecordBatchReader.from_batches(schema, chain([first] if first else [], stream))
    add_table(con, table, reader)
    if PACKED in schema.names:
        query = f"SELECT {PACKED} FROM {table} WHERE {PACKED} IS NOT NULL"
        for (packed,) in con.execute(query).fetchall():
            con.register("_ranking_shared", rows := pa.ipc.open_stream(packed).read_all())
            for name in rows.column_names:
                source = f"(SELECT unnest({name}) AS {name} FROM _ranking_shared)"
                con.execute(f"CREATE TEMP TABLE {name} AS SELECT {fields(job, name)} FROM {source}")
    return True


def fields(job: Partitioned, table: str) -> str:
    """Return the fields of the struct of this name as SQL, with the names of the table's columns."""
    columns = job.columns.get(table, {}).items()
    return ", ".join(f"{table}.{role} AS {identifier(name)}" for role, name in columns) or f"{table}.*"

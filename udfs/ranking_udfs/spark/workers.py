"""Python code for the executors: load Spark's Arrow batches into DuckDB, and return its rows."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pyarrow as pa

from ..partitions import Partitioned, add_table, cursor

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
    if (rows := read(batches)) is None:
        return
    with cursor() as con:
        add_table(con, "_ranking_rows", rows)
        for table in rows.schema.names:
            present = f"FROM _ranking_rows WHERE {table} IS NOT NULL"
            if table != PACKED:
                con.execute(f"CREATE TEMP VIEW {table} AS SELECT {table}.* {present}")
                continue
            for (packed,) in con.execute(f"SELECT {table} {present}").fetchall():
                con.register("_ranking_shared", shared := pa.ipc.open_stream(packed).read_all())
                for name in shared.column_names:
                    rows_of = f"SELECT unnest({name}, max_depth := 2) FROM _ranking_shared"
                    con.execute(f"CREATE TEMP TABLE {name} AS {rows_of}")
        yield from job.evaluate_part(con)


def pack(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Convert the row of shared tables to Arrow bytes."""
    for batch in (batch for batch in batches if batch.num_rows):
        with pa.ipc.new_stream(sink := pa.BufferOutputStream(), batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.record_batch({PACKED: [sink.getvalue().to_pybytes()]})


def merge(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Merge the rows of all partitions."""
    rows = read(batches)
    yield from job.merge(job.schemas["part"].empty_table() if rows is None else rows).to_batches()


def require_users(job: Partitioned, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Raise ValueError if truth has no users; return no rows."""
    for batch in batches:
        job.require_users(sum(batch["users"].to_pylist()))
    yield from ()


def read(batches: Batches) -> pa.RecordBatchReader | None:
    """Return a reader of the batches; None if there are none."""
    stream = iter(batches)
    first = next(stream, None)
    return first and pa.RecordBatchReader.from_batches(first.schema, chain([first], stream))

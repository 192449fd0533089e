"""The Python code on the executors: Arrow batches of Spark's to a DuckDB, and its rows back."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from ..partitions import Partitioned

Batches = Iterable[pa.RecordBatch]
MISSING = (
    "ranking_udfs.spark: the Python of the executors must have duckdb, pyarrow, numpy and ranking_udfs "
    "(pip install them there, or send them along: see the README of ranking_udfs.spark), got "
)


def on_executors(step: str, job: "Partitioned") -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """Wrap one of the functions below in a form that Spark sends to executors, whatever is missing there."""
    sent, missing = pickle.dumps(job), MISSING

    def call(batches: Batches) -> Iterator[pa.RecordBatch]:
        try:
            from ranking_udfs.spark import workers
        except ImportError as error:
            raise ImportError(f"{missing}{error}") from None
        yield from getattr(workers, step)(pickle.loads(sent), batches)

    return call


def evaluate(job: "Partitioned", batches: Batches) -> Iterator[pa.RecordBatch]:
    """Evaluate a partition: rows of both tables, of which the first may list the systems."""
    from ..duckdb.statements import identifier
    from ..partitions import cursor

    with cursor() as con:
        if not load(con, batches, "_ranking_rows"):
            return
        for table, columns in job.columns.items():
            names = con.table("_ranking_rows").columns
            selected = ", ".join(
                f"{what if f'{table}_{what}' not in names else f'{table}_{what}'} AS {identifier(name)}"
                for what, name in columns.items()
            )
            con.execute(
                f"CREATE TEMP VIEW {table} AS SELECT {selected} FROM _ranking_rows"
                f" WHERE is_rec = {str(table == 'rec').lower()}"
            )
        job.add_systems(
            con, "SELECT unnest(systems).system AS system FROM _ranking_rows WHERE systems IS NOT NULL"
        )
        yield from job.evaluate(con, job.part_sql, "part")


def merge(job: "Partitioned", batches: Batches) -> Iterator[pa.RecordBatch]:
    """Merge the rows of all partitions."""
    from ..partitions import cursor

    with cursor() as con:
        load(con, batches, "_ranking_parts", job.schemas["part"])
        yield from job.evaluate_merge(con)


def require_users(job: "Partitioned", batches: Batches) -> Iterator[pa.RecordBatch]:
    """Raise the error of a truth without users, of which it gets the counts, and return no row."""
    from ..partitions import cursor

    with cursor() as con:
        for batch in batches:
            for counts in batch.to_pylist():
                job.require_users(con, counts["truth_rows"], counts["truth_users"])
    yield from ()


def load(con: Any, batches: Batches, table: str, schema: pa.Schema | None = None) -> bool:
    """Make a table of the batches; return whether there were any."""
    stream = iter(batches)
    first = next(stream, None)
    if first is None and schema is None:
        return False

    def all_batches() -> Iterator[pa.RecordBatch]:
        if first is not None:
            yield first
            yield from stream

    reader = pa.RecordBatchReader.from_batches(schema if first is None else first.schema, all_batches())
    con.register("_ranking_given", reader)
    con.execute(f"CREATE TEMP TABLE {table} AS FROM _ranking_given")
    return True

"""Run table functions over partitions of users, for engines that pass Arrow: a DuckDB for each, one merge."""

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from .compose.functions import compose_values
from .duckdb.functions import OF_MACROS, add_functions
from .evaluation.errors import error_summary
from .measures.registry import COMPARED_MEASURES
from .options import FUNCTIONS, check_keywords
from .quoting import identifier, literal
from .texts import shorten

# The functions whose rows of partitions are the result; and the others, with the function of a partition.
UNMERGED = ("judged", "by_user", "beyond_accuracy_by_user", "fuse")
MERGED = {"evaluate": "evaluate", "distribution": "by_user", "compare": "by_user", "compare_by_user": ""}
# The columns of each table by role, which is the usual name: `item` is named by the argument item_col.
ROLES = {
    "rec": {"user": "userid", "item": "itemid", "score": "score", "system": "system"},
    "truth": {"user": "userid", "item": "itemid", "grade": "rel"},
    "history": {"user": "userid", "item": "itemid"},
    "items": {"item": "itemid", "category": "category"},
}
UNREAD = ("users", "predicted_truth", "predicted")  # tables that partitions of users do not read


@dataclass(frozen=True)
class Partitioned:
    """A planned call of a table function: its SQL for a partition and for the merge. Workers receive it."""

    function: str
    columns: Mapping[str, Mapping[str, str]]  # by table: names of the columns to read, by role (user, ...)
    schemas: Mapping[str, pa.Schema]  # of the tables, of a partition's rows (`part`) and of the `result`
    part_sql: str | None  # None if there are no partitions
    merge_sql: str | None  # over the table `_ranking_parts`; None if the rows of partitions are the result
    skips_users: bool

    def part(self, rec: Any, truth: Any = None, systems: Any = None, **tables: Any) -> pa.Table:
        """Evaluate a partition. Pass Arrow tables, Arrow readers or other data that DuckDB reads.

        Args:
            rec: all rows of the partition's users.
            truth: all rows of the partition's users; None if the function reads no truth.
            systems: all systems of all partitions, as a list or an Arrow array, if rec has a column of them.
            tables: history: all rows of the partition's users. If `schemas` has them, also the tables that
                all partitions share. items: all items. counts: itemid and n, the number of users in the
                whole history with the item, and a row with NULL for the number of all users
                (GROUP BY ROLLUP (itemid)).

        Returns:
            The rows of the result, or the rows to pass to `merge`.
        """
        given = {"rec": rec, "truth": truth, **tables}
        given = {name: table for name, table in given.items() if table is not None}
        needed = self.schemas.keys() - {"systems", "part", "result"}
        for name in given.keys() - needed:
            raise TypeError(f"{self.function}: no table {name} is read here, got one")
        for name in needed - given.keys():
            raise ValueError(f"{self.function}: {name} must be a table, got none")
        with cursor() as con:
            for name, table in given.items():
                add_table(con, name, table)
            if "systems" in self.schemas:
                self.add_systems(con, systems)
            return self.evaluate_part(con).read_all()

    def add_systems(self, con: duckdb.DuckDBPyConnection, systems: Any) -> None:
        """Create the table of all systems; ValueError if rec has another."""
        rule = f"{self.function}: systems must be all systems of rec"
        if systems is None:
            raise ValueError(f"{rule}, got none")
        listed = systems.to_pylist() if hasattr(systems, "to_pylist") else list(systems)
        column = identifier(self.columns["rec"]["system"])
        for (system,) in con.execute(f"SELECT DISTINCT {column} FROM rec").fetchall():
            if system not in listed:
                raise ValueError(f"{rule}, got {shorten(repr(listed))} without {shorten(repr(system))}")
        add_table(con, "systems", pa.table({"system": listed}, self.schemas["systems"]))

    def evaluate_part(self, con: duckdb.DuckDBPyConnection) -> pa.RecordBatchReader:
        """Evaluate the tables of a partition."""
        return evaluate(con, self.part_sql).cast(self.schemas["part"])

    def merge(self, parts: Any) -> pa.Table:
        """Merge the rows of all partitions. Pass an Arrow table, a reader or other data that DuckDB reads.

        Raises:
            ValueError: truth has no user in any partition, the baseline is not a system, or a similar error.
        """
        with cursor() as con:
            add_table(con, "_ranking_parts", parts)
            if self.part_sql:
                users = "WHERE has_truth" if self.function == "evaluate" else ""
                self.require_users(con.execute(f"FROM _ranking_parts {users} LIMIT 1").fetchall())
            return evaluate(con, self.merge_sql).cast(self.schemas["result"]).read_all()

    def require_users(self, users: object) -> None:
        """Raise ValueError if truth has no users to evaluate in any partition."""
        if not users:
            rule = "a relevant item where users without one are left out" if self.skips_users else "a user"
            raise ValueError(f"{self.function}: truth must have {rule}, got none")


def partition(
    function: str,
    rec: pa.Schema,
    truth: pa.Schema | None = None,
    measures: Any = None,
    *,
    history: pa.Schema | None = None,
    items: pa.Schema | None = None,
    **arguments: Any,
) -> Partitioned:
    """Plan a table function over partitions of users, for engines that distribute Arrow tables.

    All rows of a user must be in one partition. `part` evaluates a partition, and `merge` combines the
    results. You can send the plan to other processes.

        job = ranking_udfs.partition("evaluate", rec.schema, truth.schema, ["ndcg@5,10"])
        parts = [job.part(rec, truth) for rec, truth in partitions]
        means = job.merge(pyarrow.concat_tables(parts))

    Args:
        function: name of a table function. Without a merge: judged, by_user, beyond_accuracy_by_user and
            fuse. With a merge: evaluate, distribution, compare and compare_by_user.
        rec: schema of the recommendations. For compare_by_user: schema of the values by user, which only
            `merge` reads.
        truth: schema of the ground truth, if the function reads one.
        measures: measures such as `ndcg,recall` or `ndcg(gain=linear)@5,10`, or cutoffs such as [5, 10].
        history: its schema, for beyond_accuracy_by_user.
        items: its schema, for beyond_accuracy_by_user.
        arguments: further arguments of the function in SQL: ks, max_k, ties, user_col, weights, ...

    Raises:
        ValueError, TypeError: a column is missing or has an unusable type, or an argument is invalid.
    """
    given = {"truth": truth, "history": history, "items": items, "measures": measures}
    arguments |= {name: value for name, value in given.items() if value is not None}
    check_arguments(function, arguments)
    schemas = {name: arguments.pop(name) for name in ROLES if name in arguments}
    skips_users = arguments.get("without_relevant") == "skip"
    with cursor() as con:
        if "rec" not in FUNCTIONS[function]:
            types = {"_ranking_parts": create(con, "_ranking_parts", rec)}
            sql, result = plan(con, function, function, {"by_user": "_ranking_parts", **arguments}, types)
            return Partitioned(function, {}, {"part": rec, "result": result}, None, sql, skips_users)
        schemas = {"rec": rec, **schemas}
        columns = {table: find_columns(function, table, schemas[table], arguments) for table in schemas}
        arguments |= {name: name for name in schemas}
        # The tables that all partitions share, in addition to items.
        if system := columns["rec"].get("system"):
            schemas["systems"] = pa.schema({"system": rec.field(system).type})
        if item := columns.get("history", {}).get("item"):
            schemas["counts"] = pa.schema({"itemid": schemas["history"].field(item).type, "n": pa.int64()})
        types = {name: create(con, name, schema) for name, schema in schemas.items()}
        called = MERGED.get(function, function)
        values = {name: value for name, value in arguments.items() if name in FUNCTIONS[called]}
        if function == "compare" and not values.get("measures"):
            values["measures"] = COMPARED_MEASURES
        part_sql, schemas["part"] = plan(con, function, called, values, types, is_part=True)
        merge_sql, schemas["result"] = None, schemas["part"]
        if function in MERGED:
            create(con, "_ranking_parts", schemas["part"])
            merge_sql, schemas["result"] = plan(con, function, function, arguments, types, is_merge=True)
    return Partitioned(function, columns, schemas, part_sql, merge_sql, skips_users)


def check_arguments(function: str, arguments: Mapping[str, Any]) -> None:
    """Raise ValueError or TypeError for a function or an argument that partitions of users do not have."""
    if function not in (*UNMERGED, *MERGED):
        names = ", ".join([*UNMERGED, *MERGED])
        raise ValueError(f"partition: function must be one of {names}, got {function!r}")
    options = FUNCTIONS[function]
    if "truth" in options and "truth" not in arguments:
        raise TypeError(f"{function}: truth must be the schema of a table, got None")
    check_keywords(function, arguments, options.keys() - {"rec", "by_user", "users"})
    for name in {"predicted_truth", "predicted"} & arguments.keys():
        rule = f"{name} is not read over partitions of users, got {shorten(repr(arguments[name]))}"
        raise ValueError(f"{function}: {rule}: compare what ranking.by_user gives by both truths in DuckDB")


def create(con: duckdb.DuckDBPyConnection, name: str, schema: pa.Schema) -> dict[str, str]:
    """Create an empty table, and return the types of its columns."""
    add_table(con, name, schema.empty_table())
    table = con.table(name)
    return dict(zip(table.columns, map(str, table.types), strict=True))


def plan(
    con: duckdb.DuckDBPyConnection,
    caller: str,
    function: str,
    arguments: Mapping[str, Any],
    types: Mapping[str, Mapping[str, str]],
    **facts: Any,
) -> tuple[str, pa.Schema]:
    """Return the SQL of a call over tables of the connection, and the schema of its rows."""
    sql = compose_values(function, arguments, types, caller=caller, **facts)
    return sql, evaluate(con, f"FROM (\n{sql}\n) LIMIT 0").schema


def find_columns(
    function: str, table: str, schema: pa.Schema, arguments: Mapping[str, Any]
) -> dict[str, str]:
    """Return the columns of a table by role. Planning reports missing columns."""
    columns = {}
    for role, usual in ROLES[table].items():
        name = str(usual if arguments.get(f"{role}_col") is None else arguments[f"{role}_col"])
        alike = [column for column in schema.names if column.lower() == name.lower()]
        matches = [column for column in alike if column == name] or alike
        if f"{role}_col" in FUNCTIONS[function] and matches:
            if len(matches) > 1:
                raise ValueError(f"{function}: {table} must have one column {name}, got {len(matches)}")
            columns[role] = matches[0]
    return columns


def add_table(con: duckdb.DuckDBPyConnection, name: str, rows: Any) -> None:
    """Copy rows of Arrow, or of other data that DuckDB reads, into a table."""
    con.register("_ranking_given", rows)
    con.execute(f"CREATE TEMP TABLE {name} AS FROM _ranking_given")


def evaluate(con: duckdb.DuckDBPyConnection, sql: str | None) -> pa.RecordBatchReader:
    """Return the rows of a query, of types that Arrow has; its own errors are without DuckDB's words."""
    try:
        con.execute(f"CREATE OR REPLACE TEMP TABLE _ranking_result AS {sql}")
    except duckdb.InvalidInputException as error:
        raise ValueError(error_summary(error)) from None
    return con.table("_ranking_result").to_arrow_reader(65_536)


LOCK = threading.Lock()


def cursor() -> duckdb.DuckDBPyConnection:
    """Open a cursor with tables of its own, and close it at the end of the block."""
    with LOCK:
        return instance().cursor()


@cache
def instance() -> duckdb.DuckDBPyConnection:
    """Return the DuckDB instance of this process. It has one thread, since an engine runs several processes.

    Its memory limit is 60% of Spark's limit for a Python worker (`spark.executor.pyspark.memory`), or the
    process's share of the machine. It spills to the folders that Spark removes, or to a temporary folder that
    is removed at the end. Spark limits the address space of a process, and each thread takes 64 MB of it.
    """
    allowed = int(os.environ.get("PYSPARK_EXECUTOR_MEMORY_MB", "0"))
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0] or None
    try:
        con = duckdb.connect(config={"threads": 1, "async_threads": 0})
    except duckdb.InvalidInputException:  # DuckDB 1.5 has no threads for reading and writing files.
        con = duckdb.connect(config={"threads": 1})
    ((limit,),) = con.execute("SELECT current_setting('memory_limit')").fetchall()
    number, unit = limit.split()
    share = f"{allowed * 0.6}MB" if allowed > 0 else f"{float(number) / (os.cpu_count() or 1)}{unit}"
    con.execute(f"SET memory_limit = {literal(share)}")
    add_functions(con, OF_MACROS)
    spill_folder = tempfile.mkdtemp(prefix="ranking-", dir=folder)
    atexit.register(shutil.rmtree, spill_folder, ignore_errors=True)
    con.execute(f"SET temp_directory = {literal(spill_folder)}")
    return con

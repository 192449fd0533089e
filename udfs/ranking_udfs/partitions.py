"""Run table functions over partitions of users, for engines that pass Arrow: a DuckDB for each, one merge."""

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from .compose.comparison import KEYS
from .compose.functions import compose_values
from .duckdb.functions import OF_MACROS, add_functions
from .evaluation.errors import error_summary
from .evaluation.words import COUNTS
from .measures.registry import COMPARED_MEASURES
from .options import COLUMNS, FUNCTIONS, JUDGING, check, check_keywords
from .quoting import identifier, literal
from .texts import shorten

# The tables of each function. All rows of a user are in one partition. Each partition has all of `items`.
UNMERGED = ("judged", "by_user", "beyond_accuracy_by_user", "fuse")
TABLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("judged", "by_user", "evaluate", "distribution", "compare"), ("rec", "truth")),
    "beyond_accuracy_by_user": ("rec", "history", "items"),
    "fuse": ("rec",),
    "compare_by_user": (),  # Its one table is read by the merge.
}
# The columns of the tables: role (`item` for the argument item_col) and default name.
ROLES = {
    "rec": {"user": "userid", "item": "itemid", "score": "score", "system": "system"},
    "truth": {"user": "userid", "item": "itemid", "grade": "rel"},
    "history": {"user": "userid", "item": "itemid"},
    "items": {"item": "itemid", "category": "category"},
}
IDS = ("user", "item", "system")
# During planning, tables have no rows. This variable turns off the checks that need a named system or two.
IS_PLAN = "SET VARIABLE ranking_is_plan = true"
# ranking.mean in two steps. Its sum of integers is too wide for Arrow, so partitions pass it as VARCHAR.
OF_MEANS = (
    """CREATE MACRO _ranking_mean_part(number) AS {
        'total': sum((CASE WHEN abs(number) < 1048576 THEN number END * 2 ** 80)::HUGEINT)::VARCHAR,
        'large': list(number) FILTER (abs(number) >= 1048576),
        'n': count(number)}""",
    """CREATE MACRO _ranking_mean_of_parts(part) AS (
        coalesce(sum(part.total::HUGEINT) / 2 ** 80, 0)
        + coalesce(list_aggregate(list_sort(flatten(list(part.large)), 'ASC', 'NULLS LAST'), 'fsum'), 0)
    ) / nullif(sum(part.n), 0)""",
)
# The condition, in a lambda, that a column holds a measure.
IS_VALUE = f"lower(c) NOT IN ({', '.join(map(literal, KEYS))})"
# The arguments that determine the values of users.
OF_USERS = f"rec truth measures ks ties {COLUMNS} {JUDGING}".split()
Evaluate = Callable[[duckdb.DuckDBPyConnection], pa.RecordBatchReader]


@dataclass(frozen=True)
class Partitioned:
    """A planned call of a table function: its SQL for a partition and for the merge. Workers receive it."""

    function: str
    # by table: names of the columns to read, by role (user, item, ...)
    columns: Mapping[str, Mapping[str, str]]
    arguments: Mapping[str, Any]  # arguments of the call by name
    schemas: dict[str, pa.Schema]  # of the tables, of a partition's rows (`part`) and of the `result`

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
        all_tables = {"rec": rec, "truth": truth, **tables}
        with cursor() as con:
            self.add_tables(con, all_tables, self.schemas.keys() - {"systems", "part", "result"})
            if "systems" in self.schemas:
                rule = f"{self.function}: systems must be all systems of rec"
                if systems is None:
                    raise ValueError(f"{rule}, got none")
                listed = systems.to_pylist() if hasattr(systems, "to_pylist") else list(systems)
                column = identifier(self.columns["rec"]["system"])
                rows = con.execute(f"SELECT DISTINCT {column} FROM rec").fetchall()
                for system in (system for (system,) in rows if system not in listed):
                    raise ValueError(f"{rule}, got {shorten(repr(listed))} without {shorten(repr(system))}")
                add_table(con, "systems", pa.table({"system": listed or [None]}))
            return self.evaluate_part(con).read_all()

    def merge(self, parts: Any) -> pa.Table:
        """Merge the rows of all partitions. Pass an Arrow table, a reader or other data that DuckDB reads.

        Raises:
            ValueError: truth has no user in any partition, the baseline is not a system, or a similar error.
        """
        with cursor() as con:
            add_table(con, "_ranking_parts", parts)
            return self.evaluate_merge(con).read_all()

    def add_tables(
        self, con: duckdb.DuckDBPyConnection, arguments: Mapping[str, Any], needed: Set[str]
    ) -> None:
        """Register the needed tables on a connection; raise an error if a table is missing or not needed."""
        tables = {name: table for name, table in arguments.items() if table is not None}
        for name in tables.keys() - needed:
            raise TypeError(f"{self.function}: no table {name} is read here, got one")
        for name in needed:
            if name not in tables:
                raise ValueError(f"{self.function}: {name} must be a table, got none")
            add_table(con, name, tables[name])

    def evaluate_part(self, con: duckdb.DuckDBPyConnection) -> pa.RecordBatchReader:
        """Evaluate the tables of a partition."""
        systems = "FROM systems SELECT system, system" if "systems" in self.schemas else "SELECT NULL"
        con.execute(f"CREATE TEMP VIEW _ranking_all_systems AS {systems} AS ranking_system")
        return self.evaluate(con, self.part_sql, "part")

    def evaluate_merge(self, con: duckdb.DuckDBPyConnection) -> pa.RecordBatchReader:
        """Merge the table `_ranking_parts`."""
        sent = self.schemas["part"].names if self.columns else []
        for kind in sent:
            con.execute(f"""CREATE TEMP VIEW _ranking_{kind} AS
                SELECT unnest({kind}) FROM _ranking_parts WHERE {kind} IS NOT NULL""")
        if "users" in sent and "result" in self.schemas:  # while it is planned, there are none
            sql = "SELECT sum(truth_rows), sum(truth_users) FROM _ranking_users"
            self.require_users(*con.execute(sql).fetchall()[0])
            skips = self.arguments.get("without_relevant") == "skip"
            if skips and not con.execute(f"FROM _ranking_{sent[0]} WHERE has_truth LIMIT 1").fetchall():
                rule = "truth must have a relevant item where users without one are left out"
                raise ValueError(f"{self.function}: {rule}, got none")
        return self.evaluate(con, self.merge_sql, "result")

    def require_users(self, rows: int | None, users: int | None) -> None:
        """Raise ValueError if truth has no users."""
        if not users:
            without = f" without {shorten(self.columns['truth']['user'])}" if rows else ""
            got = f"{rows or 0} row{'' if rows == 1 else 's'}{without}"
            raise ValueError(f"{self.function}: truth must have a user, got {got}")

    def evaluate(self, con: duckdb.DuckDBPyConnection, sql: str | None, kind: str) -> pa.RecordBatchReader:
        """Return the rows of a query, cast to the planned types if there are any."""
        with plain_errors():
            con.execute(f"CREATE TEMP TABLE _ranking_result AS {sql}")
        rows = con.table("_ranking_result").to_arrow_reader(65_536)
        return rows.cast(self.schemas[kind]) if kind in self.schemas else rows

    def planned_schema(self, schemas: Mapping[str, pa.Schema], evaluate: Evaluate) -> pa.Schema:
        """Evaluate empty tables, which raises the errors of the call, and return the schema of the rows."""
        with cursor() as con:
            for name, schema in schemas.items():
                con.register(name, schema.empty_table())
            con.execute(IS_PLAN)
            return evaluate(con).schema

    @property
    def call(self) -> str:
        """SQL of the call itself."""
        return self.composed(self.function, self.arguments)

    @property
    def merge_sql(self) -> str | None:
        """SQL over the rows of all partitions; None if these rows are the result."""
        if self.function == "evaluate":
            return self.means_sql
        return None if self.function in UNMERGED else self.call

    @property
    def part_sql(self) -> str | None:
        """SQL over the tables of a partition; None if there are no partitions."""
        if self.function in UNMERGED or not self.columns:
            return self.call if self.columns else None
        user = identifier(self.columns["truth"].get("user", "userid"))
        values = ("values", f"FROM ({self.values_sql}) WHERE has_truth")
        sent = ("sums", self.sums_sql) if self.function == "evaluate" else values
        users = f"SELECT count(*) AS truth_rows, count({user}) AS truth_users FROM truth"
        return send([sent, ("users", users)])

    @property
    def values_sql(self) -> str:
        """SQL of all measures by user and k, including users without truth."""
        arguments = {name: self.arguments[name] for name in OF_USERS if name in self.arguments}
        if self.function == "compare":
            arguments["measures"] = arguments.get("measures") or COMPARED_MEASURES
        return self.composed("_ranking_users", arguments)

    @property
    def sums_sql(self) -> str:
        """SQL of the sums for `means_sql`, including users without truth."""
        system = "ranking_system AS system, " if "system" in self.columns["rec"] else ""
        return f"""
            SELECT {system}has_truth, k, count(*) AS users,
                count(*) FILTER (n_rec = 0) AS users_without_rec, NULL::BIGINT AS users_without_truth,
                count(*) FILTER (n_truth = 0) AS users_without_relevant,
                _ranking_mean_part(COLUMNS(lambda c: {IS_VALUE}))
            FROM ({self.values_sql})
            GROUP BY ALL"""

    @property
    def means_sql(self) -> str:
        """SQL of the means, from the sums of all partitions."""
        key = "system, " if "system" in self.columns["rec"] else ""
        return f"""
            SELECT * EXCLUDE (has_truth) REPLACE (
                coalesce(max(users) FILTER (NOT has_truth) OVER by_k, 0) AS users_without_truth,
                users_without_relevant + coalesce(max(users) FILTER (has_truth IS NULL) OVER by_k, 0)
                    AS users_without_relevant)
            FROM (
                SELECT {key}has_truth, k, sum(COLUMNS('^users'))::BIGINT,
                    _ranking_mean_of_parts(COLUMNS(lambda c: {IS_VALUE}
                        AND lower(c) NOT IN ({", ".join(map(literal, COUNTS))})))
                FROM _ranking_sums
                GROUP BY ALL
            )
            WINDOW by_k AS (PARTITION BY {key}k)
            QUALIFY has_truth
            ORDER BY {key.replace(",", " ASC NULLS LAST,")}k ASC NULLS LAST"""

    def composed(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Compose the SQL of a call over a partition, or over the values from all partitions."""
        return f"FROM (\n{compose_values(name, arguments, caller=self.function, is_part=True)}\n)"


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
        history: schema of the interaction history, for beyond_accuracy_by_user.
        items: schema of the items, for beyond_accuracy_by_user.
        arguments: further arguments of the function in SQL: ks, max_k, ties, user_col, weights, ...

    Raises:
        ValueError, TypeError: a column is missing or has an unusable type, or an argument is invalid.
    """
    if function not in TABLES:
        raise ValueError(f"partition: function must be one of {', '.join(TABLES)}, got {function!r}")
    if "truth" in TABLES[function] and truth is None:
        raise TypeError(f"{function}: truth must be the schema of a table, got None")
    optional = {"truth": truth, "history": history, "items": items, "measures": measures}
    optional |= {"rec": rec if TABLES[function] else None}
    passed = {name: value for name, value in optional.items() if value is not None} | arguments
    schemas = {name: passed.pop(name) for name in TABLES[function] if name in passed}
    options = FUNCTIONS[function]
    check_keywords(function, passed, [name for name in options if name not in (*ROLES, "by_user", "users")])
    for name in {"predicted_truth", "predicted"} & passed.keys():
        rule = f"{name} is not read over partitions of users, got {shorten(repr(passed[name]))}"
        raise ValueError(f"{function}: {rule}: compare what ranking.by_user gives by both truths in DuckDB")
    names = dict.fromkeys({"by_user"} & options.keys(), "_ranking_parts") | {name: name for name in schemas}
    try:
        check({name: option for name, option in options.items() if name in passed}, passed)
    except ValueError as error:
        raise type(error)(f"{function}: {error}") from None
    columns = {table: find_columns(function, table, schemas[table], options, passed) for table in schemas}
    job = Partitioned(function, columns, {**passed, **names}, schemas)
    # The tables that all partitions share, in addition to items.
    named = [(table, role, name) for table, of in columns.items() for role, name in of.items()]
    kinds = {(table, role): schemas[table].field(name).type for table, role, name in named}
    if ("rec", "system") in kinds:
        schemas["systems"] = pa.schema({"system": kinds["rec", "system"]})
    if ("history", "item") in kinds:
        schemas["counts"] = pa.schema({"itemid": kinds["history", "item"], "n": pa.int64()})
    job.schemas["part"] = part = job.planned_schema(job.schemas, job.evaluate_part) if schemas else rec
    if job.merge_sql:
        part = job.planned_schema({"_ranking_parts": part}, job.evaluate_merge)
    job.schemas["result"] = part
    return job


def find_columns(
    function: str, table: str, schema: pa.Schema, parameters: Container[str], arguments: Mapping[str, Any]
) -> dict[str, str]:
    """Return the columns of a table by role. Planning reports missing columns."""
    columns = {}
    for role, usual in ROLES[table].items():
        name = str(usual if arguments.get(f"{role}_col") is None else arguments[f"{role}_col"])
        alike = [column for column in schema.names if column.lower() == name.lower()]
        matches = [column for column in alike if column == name] or alike
        if f"{role}_col" in parameters and matches:
            if len(matches) > 1:
                raise ValueError(f"{function}: {table} must have one column {name}, got {len(matches)}")
            columns[role] = matches[0]
    return columns


def send(queries: Iterable[tuple[str, str]]) -> str:
    """Join the queries into one, with the rows of each query in a column of its name."""
    return " UNION ALL BY NAME ".join(f"SELECT sent AS {kind} FROM ({sql}) AS sent" for kind, sql in queries)


def add_table(con: duckdb.DuckDBPyConnection, name: str, rows: Any) -> None:
    """Copy rows of Arrow, or of other data that DuckDB reads, into a table."""
    con.register("_ranking_given", rows)
    con.execute(f"CREATE TEMP TABLE {name} AS FROM _ranking_given")


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the functions' own errors without the words that DuckDB adds."""
    try:
        yield
    except duckdb.InvalidInputException as error:
        raise ValueError(error_summary(error).removeprefix("Invalid Input Error: ")) from None


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
    for statement in OF_MEANS:
        con.execute(statement)
    spill_folder = tempfile.mkdtemp(prefix="ranking-", dir=folder)
    atexit.register(shutil.rmtree, spill_folder, ignore_errors=True)
    con.execute(f"SET temp_directory = {literal(spill_folder)}")
    return con

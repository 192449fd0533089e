"""Table functions over partitions of users: a DuckDB for each, and one merge of what goes across users.

Spark, Dask, Ray and whatever else hands out Arrow can call it.
"""

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa

from .duckdb.functions import OF_MACROS, add_functions
from .duckdb.statements import identifier, literal, macros, parsed, sql_value
from .evaluation.columns import Columns, columns_of
from .evaluation.defaults import COMPARED_MEASURES
from .evaluation.errors import error_summary
from .evaluation.queries import (
    Request,
    column_lines,
    grade_arguments,
    measure_call,
    measure_column,
    tied_rankings,
)
from .evaluation.words import COUNTS
from .measures.contents import CONTENTS
from .measures.grammar import Choice, merge_choices, parse_measures
from .measures.registry import MEASURES
from .texts import shorten

# A partition knows neither all systems nor whether truth has a user.
OF_A_PARTITION = (
    "CREATE TEMP MACRO _ranking_has_users(truth, names, caller) AS true",
    "CREATE TEMP MACRO _ranking_systems(rec, names) AS TABLE FROM _ranking_all_systems",
)
# Tables without a row have no two systems.
OF_A_PLAN = (
    "CREATE TEMP MACRO _ranking_system_pairs(scores, baseline, caller) AS TABLE"
    " SELECT 1 AS pair, system AS baseline, system FROM query_table(scores) AS scores_of WHERE false"
)
# ranking_mean in two steps; a sum of integers is too wide for Arrow, and so a text.
OF_MEANS = (
    """CREATE TEMP MACRO _ranking_mean_part(number) AS {
        'total': sum((CASE WHEN abs(number) < 1048576 THEN number END * 2 ** 80)::HUGEINT)::VARCHAR,
        'large': list(number) FILTER (abs(number) >= 1048576),
        'n': count(number)}""",
    """CREATE TEMP MACRO _ranking_mean_of_parts(part) AS (
        coalesce(sum(part.total::HUGEINT) / 2 ** 80, 0)
        + coalesce(list_aggregate(list_sort(flatten(list(part.large)), 'ASC', 'NULLS LAST'), 'fsum'), 0)
    ) / nullif(sum(part.n), 0)""",
)
# The merge calls the table function, which finds the rows of all partitions where it would compute them.
OF_VALUES = tuple(
    f"CREATE TEMP MACRO {name}(rec, truth, names, ks, caller, min_grade, unjudged) AS TABLE"
    " FROM _ranking_values"
    for name in ("_ranking_by_user", "_ranking_expected_by_user")
)
OF_PROBLEMS = """CREATE TEMP MACRO _ranking_user_problems(rec, truth, names, ks, max_k, min_grade) AS TABLE
    SELECT place, problem, system, count, example, size FROM _ranking_parts WHERE place IS NOT NULL"""
KEYS = "'system', 'ranking_system', 'has_truth', 'userid', 'k', 'n_rec', 'n_truth'"


@dataclass(frozen=True)
class Partitioned:
    """A call of a table function, planned: its SQL for a partition and for the merge; sent to workers.

    Attributes:
        function: the name of the table function.
        columns: by table, the names of the columns that are read, by what they are: user, item, score, ...
        names: the same as SQL, for the pack's macros.
        part_sql: the SQL over the tables rec and truth of a partition; None if there are no partitions.
        merge_sql: the SQL over the rows of all partitions; None if these are the result.
        schemas: those of the tables, of the rows of a partition (`part`) and of the result (`result`).
        known: the rows of ranking_check where a column is missing, so that nothing else can be checked.
    """

    function: str
    columns: Mapping[str, Mapping[str, str]]
    names: str
    part_sql: str | None
    merge_sql: str | None
    schemas: dict[str, pa.Schema]
    known: Sequence[Mapping[str, Any]] = ()

    def part(self, rec: Any, truth: Any, systems: Any = None) -> pa.Table:
        """Evaluate a partition.

        Args:
            rec: all rows of its users, as an Arrow table or reader, or what else DuckDB reads.
            truth: likewise.
            systems: all systems of all partitions, as a list or an Arrow array, if rec has a column of them.

        Returns:
            The result's rows, or those that `merge` takes.
        """
        with cursor() as con:
            for name, table in (("rec", rec), ("truth", truth)):
                con.register("_ranking_given", table)
                con.execute(f"CREATE TEMP TABLE {name} AS FROM _ranking_given")
            if "system" in self.columns["rec"]:
                con.register("_ranking_listed", pa.table({"system": self.all_systems(con, systems)}))
            self.add_systems(con, "SELECT system FROM _ranking_listed")
            return self.evaluate(con, self.part_sql, "part").read_all()

    def all_systems(self, con: duckdb.DuckDBPyConnection, systems: Any) -> list[Any]:
        """Return the systems as a list; ValueError if one of rec is not among them."""
        rule = f"{self.function}: systems must be all systems of rec"
        if systems is None:
            raise ValueError(f"{rule}, got none")
        listed = systems.to_pylist() if hasattr(systems, "to_pylist") else list(systems)
        column = identifier(self.columns["rec"]["system"])
        for (system,) in con.execute(f"SELECT DISTINCT {column} FROM rec").fetchall():
            if system not in listed:
                raise ValueError(f"{rule}, got {shorten(repr(listed))} without {shorten(repr(system))}")
        return listed

    def merge(self, parts: Any) -> pa.Table:
        """Merge the rows of all partitions: an Arrow table or reader, or what else DuckDB reads.

        Raises:
            ValueError: truth has no user in any partition; a baseline that is no system, and the like.
        """
        with cursor() as con:
            con.register("_ranking_given", parts)
            con.execute("CREATE TEMP TABLE _ranking_parts AS FROM _ranking_given")
            return self.evaluate_merge(con).read_all()

    def add_systems(self, con: duckdb.DuckDBPyConnection, query: str) -> None:
        columns = "NULL AS ranking_system"
        if "system" in self.columns["rec"]:
            columns = f"system, system AS ranking_system FROM ({query})"
        con.execute(f"CREATE TEMP VIEW _ranking_all_systems AS SELECT {columns}")
        for sql in OF_A_PARTITION:
            con.execute(sql)

    def evaluate_merge(self, con: duckdb.DuckDBPyConnection) -> pa.RecordBatchReader:
        """Merge the table `_ranking_parts`."""
        if "truth_users" in self.schemas["part"].names:
            sql = "SELECT sum(truth_rows), sum(truth_users) FROM _ranking_parts"
            self.require_users(con, *con.execute(sql).fetchall()[0])
        if self.function == "ranking_check":
            self.add_tables_of_ids(con)
        self.prepare_merge(con)
        return self.evaluate(con, self.merge_sql, "result")

    def prepare_merge(self, con: duckdb.DuckDBPyConnection) -> None:
        """Let table functions find the rows of all partitions."""
        names = self.schemas["part"].names
        if "truth_users" in names and "userid" in names:
            system = "system, system AS ranking_system" if "system" in names else "NULL AS ranking_system"
            counts = "system, truth_rows, truth_users" if "system" in names else "truth_rows, truth_users"
            con.execute(f"""CREATE TEMP VIEW _ranking_values AS
                SELECT {system}, * EXCLUDE ({counts}) FROM _ranking_parts WHERE has_truth""")
            for sql in OF_VALUES:
                con.execute(sql)
        if self.function == "ranking_check":
            con.execute(OF_PROBLEMS)

    def add_tables_of_ids(self, con: duckdb.DuckDBPyConnection) -> None:
        """Make rec and truth of all users and of all items, and of NULLs."""
        for table in ("rec", "truth"):
            con.register(f"_ranking_no_{table}", self.schemas[table].empty_table())
            ids = ", ".join(
                f"of_{table}.{what} AS {identifier(name)}"
                for what, name in self.columns[table].items()
                if what in IDS
            )
            con.execute(f"""CREATE TEMP VIEW {table} AS
                FROM _ranking_no_{table} UNION ALL BY NAME
                SELECT DISTINCT {ids} FROM _ranking_parts WHERE of_{table} IS NOT NULL""")

    def require_users(self, con: duckdb.DuckDBPyConnection, rows: int, users: int) -> None:
        """Raise the error of a truth without users."""
        if not users:
            user = identifier(self.columns["truth"]["user"])
            con.execute(f"CREATE TEMP VIEW _ranking_nobody AS SELECT NULL AS {user} FROM range({rows or 0})")
            sql = f"SELECT _ranking_has_users('_ranking_nobody', {self.names}, '{self.function}')"
            with plain_errors():
                con.execute(sql).fetchall()

    def evaluate(self, con: duckdb.DuckDBPyConnection, sql: str | None, kind: str) -> pa.RecordBatchReader:
        """Return the rows of a query, of the types that were planned."""
        rows, schema = run(con, sql or "").to_arrow_reader(65_536), self.schemas[kind]
        tables = (pa.Table.from_batches([batch]).cast(schema) for batch in rows)
        return pa.RecordBatchReader.from_batches(
            schema, (one for table in tables for one in table.to_batches())
        )


IDS = ("user", "item", "system")
OPTIONS = ("confidence", "margin", "correction", "test", "permutations", "seed")  # of a comparison
FUNCTIONS = (
    *("ranking_judged", "ranking_by_user", "ranking_summary"),
    *("ranking_distribution", "ranking_compare", "ranking_check", "ranking_fuse"),
)
FUSION = ("method", "weights", "rrf_k", "normalize", "depth", "systems")  # options of ranking_fuse
NEEDED = {"rec": {"user", "item", "score"}, "truth": {"user", "item"}}


def partition(
    function: str,
    rec: pa.Schema,
    truth: pa.Schema,
    ks: Any = None,
    measures: Sequence[str] | str | None = None,
    ties: str = "item",
    *,
    options: Mapping[str, Any] | None = None,
    **columns: Any,
) -> Partitioned:
    """Plan a table function over partitions of users, for engines that hand out Arrow tables.

    No two partitions may have rows of one user. `part` of what it returns evaluates one of them, and `merge`
    what came of all: it may be sent to other processes in between.

        job = ranking_udfs.partition("ranking_summary", rec.schema, truth.schema, [5, 10], ["ndcg"])
        parts = [job.part(rec, truth) for rec, truth in partitions]
        means = job.merge(pyarrow.concat_tables(parts))

    Args:
        function: ranking_judged, ranking_by_user and ranking_fuse, which want no merge; ranking_summary,
            ranking_distribution, ranking_compare, ranking_check.
        rec: the schema of the table.
        truth: likewise; for ranking_fuse that of rec, and no row of it in `part`.
        ks: cut-offs, of ranking_judged one; None for the whole list.
        measures: as `ndcg,recall`, `ndcg(gain=linear)` or `ndcg@5,10`; by default all columns.
        ties: "item" or "expected".
        options: further arguments of ranking_compare or ranking_fuse.
        columns: user_col, item_col, score_col, grade_col, system_col, descending, min_grade, unjudged.

    Raises:
        ValueError, TypeError: a column is missing or does not fit; an argument that is not valid.
    """
    if function not in FUNCTIONS:
        raise ValueError(f"partition: function must be one of {', '.join(FUNCTIONS)}, got {function!r}")
    if function == "ranking_fuse":
        return partition_fuse(rec, options or {}, columns)
    names = columns_of(function, columns)
    found = {
        "rec": find_columns(function, "rec", rec, names),
        "truth": find_columns(function, "truth", truth, names),
    }
    call = Call(function, names, found, ks, ties, options or {})
    if function in ("ranking_by_user", "ranking_summary", "ranking_distribution", "ranking_compare"):
        call.choose(measures)
    return plan(call, {"rec": rec, "truth": truth})


class Call:
    """The arguments of a call as SQL."""

    def __init__(
        self, function: str, names: Columns, columns: Any, ks: Any, ties: Any, options: Mapping[str, Any]
    ) -> None:
        self.value = partial(value_of, function)
        self.function, self.names, self.columns = function, names, columns
        self.ties, self.options = ties, options
        self.given = ks
        self.ks = list(ks) if isinstance(ks, (list, tuple, range)) else [ks]
        self.choices: list[Choice] | None = None
        parts = (names.user_col, names.item_col, names.score_col, names.grade_col, names.system_col)
        self.names_sql = f"_ranking_names({', '.join(map(self.value, (*parts, names.descending)))})"
        self.system = "system, " if "system" in columns["rec"] else ""

    def choose(self, measures: Any) -> None:
        """Parse the measures, and add their cut-offs."""
        if self.ties not in ("item", "expected"):
            raise ValueError(f"{self.function}: ties must be item|expected, got {shorten(repr(self.ties))}")
        if self.function == "ranking_compare":
            self.options = {"measures": measures, **self.options}
            names = {str(one).strip().lower() for one in measures or COMPARED_MEASURES}
            self.choices = [
                Choice(one, {}, {}, tuple(self.ks)) for one in MEASURES.values() if one.name in names
            ]
        elif measures is not None:
            texts = list(measures) if isinstance(measures, (list, tuple)) else [measures]
            if not texts or not all(isinstance(one, str) for one in texts):
                raise TypeError(
                    f"{self.function}: measures must be names of measures, got {shorten(repr(measures))}"
                )
            try:
                choices = [choice for one in texts for choice in parse_measures(one)]
            except ValueError as error:
                raise ValueError(f"{self.function}: {error}") from None
            for choice in choices:
                if choice.measure.name in CONTENTS:
                    raise ValueError(f"{self.function}: {choice.name} is of ranking_beyond_accuracy, in SQL")
                if self.ties == "expected" and not choice.measure.expected:
                    rule = "must be one whose expected value over ties has a closed form"
                    raise ValueError(
                        f"{self.function}: with ties=expected a measure {rule}, got {choice.name}"
                    )
            if not self.ks and not all(choice.cuts for choice in choices):
                raise ValueError(f"{self.function}: ks must be a list of one or more k, got {self.given!r}")
            self.choices = merge_choices(choices, self.ks)
            self.ks = list(dict.fromkeys((*self.ks, *(k for one in self.choices for k in one.cuts))))

    @property
    def columns_sql(self) -> str:
        """The arguments that name columns, behind a comma."""
        default = Columns()
        return "".join(
            f", {name} := {self.value(value)}"
            for name, value in vars(self.names).items()
            if value != getattr(default, name)
        )

    @property
    def ties_sql(self) -> str:
        return "" if self.ties == "item" else f", ties := {self.value(self.ties)}"

    @property
    def values_sql(self) -> str:
        """The SQL of all measures by user and k, of users without truth too."""
        is_tied, ks = self.ties == "expected", self.value(self.ks)
        arguments, caller = f"'rec', 'truth', {self.names_sql}", literal(self.function)
        table = "_ranking_expected_by_user" if is_tied else "_ranking_by_user"
        grades = grade_arguments(self.names)
        source = f"{table}({arguments}, {ks}, {caller}{grades})"
        if self.choices is None:
            return f"FROM {source}"
        request, columns = Request(self.choices, self.ks, self.ties, columns=self.names), []
        is_plain = all(
            (one.measure.expected if is_tied else one.measure.column) and not one.given
            for one in self.choices
        )
        for one in self.choices:
            value = identifier(one.measure.name)
            if not is_plain:
                call = measure_call(request, one).replace("_ranking.main.", "")
                value = f"CASE WHEN has_truth THEN {call} END"
            columns.append(measure_column(request, one, value))
        if not is_plain:
            longest = f"_ranking_longest({ks})"
            cuts = f"CROSS JOIN (SELECT unnest(_ranking_cuts({ks}, {caller})) AS k)"
            source = f"_ranking_judged({arguments}, {longest}, false, {caller}{grades}) {cuts}"
            if is_tied:
                judged = f"_ranking_tied_judged({arguments}, {longest}, {caller}{grades})"
                source = tied_rankings(request, judged, cuts).replace("_ranking.main.", "")
        keys = f"{self.system}ranking_system, has_truth, userid, k, n_rec, n_truth"
        return f"SELECT {keys}{column_lines(columns)} FROM {source}"

    def queries(self) -> tuple[str, str | None]:
        """Return the SQL of a partition and that of the merge."""
        function, user = self.function, identifier(self.columns["truth"].get("user", "userid"))
        options = "".join(f", {name} := {self.value(value)}" for name, value in self.options.items())
        ks = self.value(self.given if function in ("ranking_judged", "ranking_check") else self.ks)
        call = f"FROM {function}('rec', 'truth', {ks}{self.ties_sql}{options}{self.columns_sql})"
        users = f"SELECT count(*) AS truth_rows, count({user}) AS truth_users FROM truth"
        if function == "ranking_judged":
            return call, None
        if function == "ranking_by_user":
            values = f"SELECT * EXCLUDE (ranking_system, has_truth) FROM ({self.values_sql}) WHERE has_truth"
            return values, None
        if function == "ranking_check":
            return self.problems_sql(), call
        if function == "ranking_summary":
            return f"{self.sums_sql} UNION ALL BY NAME {users}", self.means_sql
        values = f"SELECT * EXCLUDE (ranking_system) FROM ({self.values_sql}) WHERE has_truth"
        return f"{values} UNION ALL BY NAME {users}", call

    @property
    def sums_sql(self) -> str:
        system = "ranking_system AS system, " if self.system else ""  # also of users without truth
        return f"""
            SELECT {system}has_truth, k, count(*) AS users,
                count(*) FILTER (n_rec = 0) AS users_without_rec,
                count(*) FILTER (n_truth = 0) AS users_without_relevant,
                _ranking_mean_part(COLUMNS(lambda c: lower(c) NOT IN ({KEYS})))
            FROM ({self.values_sql})
            GROUP BY ALL"""

    @property
    def means_sql(self) -> str:
        counts = "'truth_rows', 'truth_users', " + ", ".join(map(literal, COUNTS))
        key = "system" if self.system else "NULL"
        order = "system ASC NULLS LAST, " if self.system else ""
        return f"""
            SELECT * EXCLUDE (has_truth, strangers) REPLACE (coalesce(strangers, 0) AS users_without_truth)
            FROM (
                SELECT *, max(users) FILTER (NOT has_truth) OVER (PARTITION BY {key}, k) AS strangers
                FROM (
                    SELECT {self.system}has_truth, k,
                        sum(users)::BIGINT AS users, sum(users_without_rec)::BIGINT AS users_without_rec,
                        NULL::BIGINT AS users_without_truth,
                        sum(users_without_relevant)::BIGINT AS users_without_relevant,
                        _ranking_mean_of_parts(COLUMNS(lambda c: lower(c) NOT IN ({KEYS}, {counts})))
                    FROM _ranking_parts WHERE has_truth IS NOT NULL
                    GROUP BY ALL
                )
            )
            WHERE has_truth
            ORDER BY {order}k ASC NULLS LAST"""

    def problems_sql(self) -> str:
        """Return the SQL of the problems by user, summed, and of all ids."""
        ks, min_grade = self.value(self.given), self.value(self.names.min_grade)
        selects = [
            f"""SELECT place, problem, system, sum(count)::BIGINT AS count, min(example) AS example, size
            FROM _ranking_user_problems('rec', 'truth', {self.names_sql},
                _ranking_cuts({ks}, 'ranking_check'), _ranking_longest({ks}), {min_grade})
            GROUP BY ALL"""
        ]
        for table, columns in self.columns.items():
            for what in ("user", "item"):
                fields = ", ".join(
                    f"'{one}': CASE WHEN {str(one in (what, 'system')).lower()} THEN {identifier(name)} END"
                    for one, name in columns.items()
                    if one in IDS
                )
                selects.append(f"SELECT DISTINCT {{{fields}}} AS of_{table} FROM {table}")
        return " UNION ALL BY NAME ".join(selects)


def value_of(function: str, value: object) -> str:
    """Return an argument of this function as SQL."""
    try:
        return sql_value(value)
    except TypeError as error:
        raise TypeError(f"{function}: {error}") from None


def find_columns(function: str, table: str, schema: pa.Schema, names: Columns) -> dict[str, str]:
    """Return the columns of a table by what they are. What is missing, planning says."""
    wanted = {"user": names.user_col, "item": names.item_col}
    if table == "rec":
        wanted |= {
            "score": names.score_col,
            "system": "system" if names.system_col is None else names.system_col,
        }
    else:
        wanted["grade"] = "rel" if names.grade_col is None else names.grade_col
    columns = {}
    for what, name in wanted.items():
        exact = [one for one in schema.names if one == name]
        found = exact or [one for one in schema.names if one.lower() == name.lower()]
        if len(found) > 1:
            raise ValueError(f"{function}: {table} must have one column {name}, got {len(found)}")
        if found:
            columns[what] = found[0]
    return columns


def partition_fuse(rec: pa.Schema, options: Mapping[str, Any], columns: Mapping[str, Any]) -> Partitioned:
    """Plan ranking_fuse over partitions of users: with all systems, each is a result. truth has no row."""
    function = "ranking_fuse"
    for name in options.keys() - set(FUSION):
        raise TypeError(f"{function}: got an unexpected keyword argument {name!r}")
    names = columns_of(function, columns)
    found = find_columns(function, "rec", rec, names)
    of_truth = ("grade_col", "min_grade", "unjudged")
    given = {**options, **{name: value for name, value in vars(names).items() if name not in of_truth}}
    arguments = "".join(f", {name} := {value_of(function, value)}" for name, value in given.items())
    of_both = {"rec": found, "truth": {what: one for what, one in found.items() if what in ("user", "item")}}
    sql = f"FROM {function}('rec'{arguments})"
    job = Partitioned(function, of_both, "", sql, None, {"rec": rec, "truth": rec})
    # There are no rows yet: take the systems that are named for those that there are.
    named = next(
        (
            list(one)
            for one in (options.get("weights"), options.get("systems"))
            if isinstance(one, Collection)
        ),
        [],
    )
    with cursor() as con:
        con.register("rec", rec.empty_table())
        job.add_systems(con, f"SELECT unnest({value_of(function, named)}::VARCHAR[]) AS system")
        job.schemas["part"] = run(con, sql).to_arrow_table().schema
    return with_result(job)


def partition_by_user(by_user: pa.Schema, options: Mapping[str, Any]) -> Partitioned:
    """Plan ranking_compare_by_user over one table, with its further arguments: all of it is for the merge."""
    function = "ranking_compare_by_user"
    for name in options.keys() - {"baseline", "measures", *OPTIONS}:
        raise TypeError(f"{function}: got an unexpected keyword argument {name!r}")
    arguments = "".join(f", {name} := {value_of(function, value)}" for name, value in options.items())
    sql = f"FROM {function}('_ranking_parts'{arguments})"
    return with_result(Partitioned(function, {}, "", None, sql, {"part": by_user}))


def plan(call: Call, schemas: dict[str, pa.Schema]) -> Partitioned:
    """Run the SQL on tables without a row, which finds what is wrong and the types of the rows."""
    part_sql, merge_sql = call.queries()
    job = Partitioned(call.function, call.columns, call.names_sql, part_sql, merge_sql, dict(schemas))
    with cursor() as con:
        for name, schema in schemas.items():
            con.register(name, schema.empty_table())
        system = call.columns["rec"].get("system")
        job.add_systems(con, f"SELECT {identifier(system or '')} AS system FROM rec")
        job.schemas["part"] = run(con, part_sql).to_arrow_table().schema
    return with_result(job)


def with_result(job: Partitioned) -> Partitioned:
    """Add the schema of the result."""
    if job.merge_sql is None:
        job.schemas["result"] = job.schemas["part"]
        return job
    with cursor() as con:
        for name, schema in job.schemas.items():
            con.register({"part": "_ranking_parts"}.get(name, name), schema.empty_table())
        job.prepare_merge(con)
        if job.function.startswith("ranking_compare"):
            con.execute(OF_A_PLAN)
        rows = run(con, job.merge_sql).to_arrow_table()
    job.schemas["result"] = rows.schema
    is_complete = all(NEEDED[table] <= columns.keys() for table, columns in job.columns.items())
    return job if is_complete else replace(job, known=rows.to_pylist())  # only ranking_check goes on


def run(con: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyRelation:
    """Return the rows of a query, once it has run."""
    with plain_errors():
        con.execute(f"CREATE TEMP TABLE _ranking_result AS {sql}")
    return con.table("_ranking_result")


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Raise the pack's errors without DuckDB's words around them."""
    try:
        yield
    except duckdb.InvalidInputException as error:
        raise ValueError(error_summary(error).removeprefix("Invalid Input Error: ")) from None


LOCK = threading.Lock()
INSTANCE: list[duckdb.DuckDBPyConnection] = []


def instance() -> duckdb.DuckDBPyConnection:
    """Return this process's DuckDB with the macros, on one thread, since an engine runs several processes.

    It takes six tenths of what Spark allows a worker's Python (`spark.executor.pyspark.memory`), or its share
    of the machine, and puts what does not fit into the folders that Spark removes, or a temporary one, which
    is removed at the end.
    """
    with LOCK:
        if not INSTANCE:
            allowed = int(os.environ.get("PYSPARK_EXECUTOR_MEMORY_MB", "0"))
            folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0] or None
            con = duckdb.connect(config={"threads": 1})
            ((limit,),) = con.execute("SELECT current_setting('memory_limit')").fetchall()
            number, unit = limit.split()
            share = f"{allowed * 0.6}MB" if allowed > 0 else f"{float(number) / (os.cpu_count() or 1)}{unit}"
            con.execute(f"SET memory_limit = {literal(share)}")
            add_functions(con, OF_MACROS)
            statements = [macro.sql.replace("TEMP MACRO", "MACRO", 1) for macro in macros().values()]
            for statement in parsed(con, (*statements, *(sql.replace("TEMP ", "", 1) for sql in OF_MEANS))):
                con.execute(statement)
            made = tempfile.mkdtemp(prefix="ranking-", dir=folder)
            atexit.register(shutil.rmtree, made, ignore_errors=True)
            con.execute(f"SET temp_directory = {literal(made)}")
            INSTANCE.append(con)
        return INSTANCE[0].cursor()


@contextlib.contextmanager
def cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a cursor, with tables of its own."""
    with contextlib.closing(instance()) as con:
        yield con

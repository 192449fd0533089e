"""Test ranking_udfs.register: what it adds to a connection and a database, in every state."""
# ruff: noqa: E501  (a statement is a line)

import gc
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb import connection
from ranking_udfs.duckdb.macros import Macro, macros
from ranking_udfs.measures.registry import BY_NAME, MEASURES
from tests.conftest import Con, Patch, value

SCRIPT = Path(__file__).resolve().parent.parent / "sql/ranking_udfs.sql"
DUCKDB_2 = int(duckdb.__version__.partition(".")[0]) >= 2

# A call of a function and one of a macro, and what they return.
WORKS = "SELECT recall([1, 3], [1, 2]), {}.main.mae(3, 1)"
RESULT = [(1 / 2, 2)]


def works(con: Con, name: str = "ranking") -> bool:
    return con.execute(WORKS.format(name)).fetchall() == RESULT


OPTIONS: dict[str, dict[str, Any]] = {"PLAIN": {}, "HIVEMALL": {"hivemall": True}, "RK": {"name": "rk"}}
PLAIN, HIVEMALL, RK = OPTIONS
# A state, the steps that lead to it, and the options with which register works then.
STATES = [
    ("registered", "REGISTER", "HIVEMALL RK"),
    ("registered for Hivemall", "REGISTER FOR HIVEMALL", "PLAIN"),
    ("registered on a cursor", "REGISTER ON A CURSOR", "PLAIN"),
    ("a dropped macro, detached", "REGISTER | DROP MACRO ranking.mae | DETACH ranking", "PLAIN"),
    ("ranking is detached", "REGISTER | DETACH ranking", "PLAIN"),
    ("a transaction that read", "BEGIN | SELECT count(*) FROM duckdb_functions()", "PLAIN"),
    ("a transaction that wrote", "BEGIN | CREATE TABLE t AS SELECT 1 AS i", "HIVEMALL"),
    ("committed", "BEGIN | REGISTER | COMMIT", "PLAIN"),
    ("rolled back", "BEGIN | REGISTER | ROLLBACK", "PLAIN"),
    ("Hivemall's, rolled back", "BEGIN | REGISTER FOR HIVEMALL | ROLLBACK", "HIVEMALL"),
    ("written and rolled back", "BEGIN | CREATE TABLE t AS SELECT 1 | REGISTER | ROLLBACK", "PLAIN"),
    ("rows that were not fetched", "SELECT i FROM range(1000000) t(i)", "PLAIN"),
    ("another database in use", "ATTACH ':memory:' AS b | CREATE SCHEMA b.s | USE b.s", "PLAIN"),
    ("a database my_ranking in use", "ATTACH ':memory:' AS my_ranking | USE my_ranking", "PLAIN"),
    ("a search path", "CREATE SCHEMA s | ATTACH ':memory:' AS b | SET search_path = 's,b.main'", "PLAIN"),
    ("a read-only database in use", "ATTACH 'other.db' AS other (READ_ONLY) | USE other", "PLAIN"),
    ("a read-only database", "OPEN read.db", "HIVEMALL"),
    ("a connection to the same file", "OPEN other.db | REGISTER ON ANOTHER", "PLAIN"),
    ("no access, and locked", "SET enable_external_access = false; SET lock_configuration = true", "HIVEMALL"),
    ("a schema of that name", "CREATE SCHEMA ranking", "RK"),
    ("a schema of that name elsewhere", "ATTACH ':memory:' AS b | CREATE SCHEMA b.ranking", "PLAIN"),
    ("the script's macros", "RUN THE SCRIPT", "RK"),
    ("the script's macros elsewhere", "ATTACH ':memory:' AS b | USE b | RUN THE SCRIPT | USE memory", "PLAIN"),
]  # fmt: skip


def after(steps: list[str], others: list[Con]) -> Con:
    """Return a connection after these steps; add other connections that they open to `others`."""
    con = duckdb.connect()
    for step in steps:
        if step.startswith("OPEN"):
            con = duckdb.connect(step[5:], read_only="read" in step)
        elif step.startswith("REGISTER ON"):
            others.append(con.cursor() if step.endswith("CURSOR") else duckdb.connect("other.db"))
            ranking_udfs.register(others[-1])
        elif step.startswith("REGISTER"):
            ranking_udfs.register(con, **OPTIONS[step.partition(" FOR ")[2] or PLAIN])
        else:
            con.execute(SCRIPT.read_text(encoding="utf-8") if step == "RUN THE SCRIPT" else step)
    return con


def served(con: Con, way: str) -> bool:
    """Register, and return whether functions and macros of this version work, an aggregate with OVER too."""
    assert ranking_udfs.register(con, **OPTIONS[way]) is con
    name = OPTIONS[way].get("name", "ranking")
    query = f"SELECT {name}.version(), max(m) FROM (SELECT {name}.main.mae(i, 1) OVER (PARTITION BY i % 2) AS m FROM range(4) t(i))"
    assert con.execute(query).fetchall() == [(f"duckdb-ranking-udfs {ranking_udfs.__version__}", 1)]
    return works(con, name) and (way != HIVEMALL or value(con, "SELECT collect_set(5)") == [5])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "way"),
    [pytest.param(steps, way, id=f"{s}, {way}") for s, steps, ways in STATES for way in ways.split()],
)
def test_register_works_in_every_state_and_twice(
    tmp_path: Path, monkeypatch: Patch, steps: str, way: str
) -> None:
    monkeypatch.chdir(tmp_path)
    others = list[Con]()
    needed = [Path(name) for name in ("other.db", "read.db") if name in steps]
    for path in needed:
        duckdb.connect(path).close()
    before = [path.read_bytes() for path in needed]
    con = after(steps.split(" | "), others)
    assert served(con, way)
    made = "SELECT list(function_oid ORDER BY function_oid) FROM duckdb_functions()"
    functions = value(con, made)
    assert served(con, way)
    assert value(con, made) == functions  # nothing is made again
    if steps.startswith("BEGIN") and not steps.endswith(("COMMIT", "ROLLBACK")):
        con.execute("ROLLBACK")
        assert value(con, "SELECT count(*) FROM duckdb_tables()") == 0
        assert served(con, way)
        con.execute("BEGIN; CREATE TABLE t AS SELECT 1 AS i")
        assert served(con, way)
        con.execute("COMMIT")
        assert value(con, "SELECT i FROM t") == 1
    with con.cursor() as cursor:
        assert value(cursor, "SELECT recall([1], [1])") == 1
        for each in [*others, cursor]:
            assert works(each, OPTIONS[way].get("name", "ranking"))
    for each in (*others, con):
        each.close()
    assert [path.read_bytes() for path in needed] == before


@pytest.mark.slow
def test_threads_may_register_concurrently(tmp_path: Path) -> None:
    """The threads share an instance by cursors, or have their own."""
    with duckdb.connect(tmp_path / "a.db") as con:
        work = [con.cursor(), con.cursor(), duckdb.connect(tmp_path / "a.db"), duckdb.connect()]
        start = threading.Barrier(len(work))

        def register_twice(each: Con) -> bool:
            start.wait()
            return served(each, PLAIN) and served(each, HIVEMALL)

        with ThreadPoolExecutor(len(work)) as pool:
            assert all(pool.map(register_twice, work))
        for each in work:
            each.close()


def test_functions_outlive_the_connection_that_registered_them(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as other:
        with duckdb.connect(tmp_path / "a.db") as con:
            ranking_udfs.register(con)
        gc.collect()
        assert works(other)  # which never registered, as a connection of a pool
        assert works(ranking_udfs.register(other))


def test_an_unfinished_arrow_reader_is_an_error_on_duckdb_2(bare: Con) -> None:
    for _ in range(2):  # before it was registered, and after
        reader = bare.sql("SELECT i FROM range(1000000) t(i)").to_arrow_reader(1_000)
        assert reader.read_next_batch().num_rows == 1_000
        if DUCKDB_2:
            expected = r"^register: con must have no unfinished result, got one: .* pass con\.cursor\(\)"
            with pytest.raises(ValueError, match=expected):
                ranking_udfs.register(bare)
            assert works(ranking_udfs.register(bare.cursor()))
            assert sum(batch.num_rows for batch in reader) == 1_000_000 - 1_000
            reader.close()
        assert works(ranking_udfs.register(bare))


@pytest.fixture(scope="module")
def two_names() -> Iterator[Con]:
    """Return a connection with the functions under two names, and tables that tests only read."""
    with duckdb.connect() as con:
        for name in ("ranking", "rk"):
            ranking_udfs.register(con, name=name)
        yield with_tables(con).execute("""
            CREATE TABLE x AS SELECT i % 3 AS userid, i AS itemid, [0, 4, 5] AS truth FROM range(9) t(i);
            CREATE TABLE lists AS SELECT [1, 2] AS rec, [2] AS truth""")


def with_tables(con: Con, users: int = 1) -> Con:
    """Create rec and truth with this many users in the current schema."""
    con.execute(f"CREATE TABLE rec AS SELECT i AS userid, 1 AS itemid, 1.0 AS score FROM range({users}) t(i)")
    return con.execute(f"CREATE TABLE truth AS SELECT i AS userid, 1 AS itemid FROM range({users}) t(i)")


def users(con: Con, rec: str = "rec", truth: str = "truth", before: str = "") -> Any:
    """Return how many users ranking.judged, which is planned fastest, finds in these tables."""
    return value(con, f"{before} SELECT count(*) FROM ranking.judged('{rec}', '{truth}', 10)")


def test_tables_are_found_as_the_cursor_finds_them(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con:
        ranking_udfs.register(with_tables(con))
        with_tables(con.execute("CREATE SCHEMA s; USE s"), 2)
        with_tables(con.execute("ATTACH ':memory:' AS other; USE other"), 3)
        assert [users(con.cursor().execute(f"USE {used}")) for used in ("a", "a.s", "other")] == [1, 2, 3]
        con.execute("SET search_path = 'a.s,other'")
        assert users(con) == 2
        assert users(con, "other.rec", '"other"."main".truth') == 3
        con.execute("CREATE TEMP TABLE truth AS SELECT 7 AS userid, 1 AS itemid FROM range(3)")
        con.execute("CREATE TEMP VIEW four AS SELECT unnest(range(4)) AS userid, 1 AS itemid, 1.0 AS score")
        assert users(con) == 1
        assert users(con, "four", "four") == 4
        cte = "WITH mine AS (SELECT unnest(range(5)) AS userid, 1 AS itemid, 1.0 AS score)"
        assert users(con, "mine", "mine", cte) == 5
        call = "ranking.judged('mine', truth := 'mine', max_k := $1, user_col := 'userid')"
        assert con.execute(f"{cte} SELECT DISTINCT judged.cutoff FROM {call}", [7]).fetchall() == [(7,)]
        assert value(con, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'ranking'") == 0


def test_a_failed_macro_leaves_no_database_behind(bare: Con, monkeypatch: Patch) -> None:
    """Otherwise the next register would take it for the user's."""
    every = macros() | {
        "broken": Macro("broken", "CREATE MACRO ranking.broken(x) AS no_such_function(1);", "?")
    }
    with monkeypatch.context() as patched:
        patched.setattr(connection, "macros", lambda: every)
        with pytest.raises(duckdb.CatalogException, match="no_such_function"):
            ranking_udfs.register(bare)
    assert served(bare, PLAIN)


# The names of all macros.
NAMES = sorted(name for name, macro in macros().items() if not macro.is_temp)
HELD = """
    SELECT database_name, list(DISTINCT function_name ORDER BY function_name)
    FROM duckdb_functions() WHERE NOT internal GROUP BY ALL ORDER BY ALL"""


def test_register_adds_functions_and_a_database_and_nothing_else(bare: Con) -> None:
    settings = bare.execute("FROM duckdb_settings()").fetchall()
    ranking_udfs.register(bare)
    databases = bare.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal")
    assert sorted(databases.fetchall()) == [("memory",), ("ranking",)]
    assert bare.execute("FROM duckdb_settings()").fetchall() == settings
    assert value(bare, "SELECT path FROM duckdb_databases() WHERE database_name = 'ranking'") is None
    assert [row for row in bare.execute(HELD).fetchall() if row[0] != "system"] == [("ranking", NAMES)]
    assert not [name for name in NAMES if name.startswith("_")]
    ranking_udfs.register(bare, hivemall=True)
    ((_, temporary),) = [row for row in bare.execute(HELD).fetchall() if row[0] == "temp"]
    assert {*temporary} == {"collect_set", "to_ordered_map", "to_ordered_list", "struct", *BY_NAME}
    with bare.cursor() as cursor:
        assert [row for row in cursor.execute(HELD).fetchall() if row[0] == "temp"] == []
    bare.execute("ATTACH ':memory:' AS copied; COPY FROM DATABASE memory TO copied")
    assert value(bare, "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'copied'") == 0


def test_register_works_with_locked_integer_division() -> None:
    """Macros must divide by / whatever the setting says when they are created."""
    config = {"lock_configuration": True, "enable_external_access": False, "integer_division": True}
    with duckdb.connect(config=config) as con:
        assert works(ranking_udfs.register(con))
        sql = "SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'personalization'"
        assert {*re.findall(" //? ", value(con, sql))} == {" / "}


ROWS = "(VALUES ([1], [1]), ([1], [2]), ([1], NULL), (NULL, [1])) t(rec, truth)"


def test_hivemall_makes_every_measure_an_aggregate_in_one_connection(con: Con) -> None:
    with con.cursor() as cursor:
        ranking_udfs.register(cursor, hivemall=True)
        kinds = ("TINYINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "USMALLINT")
        ks = ["", ", NULL", ", 5, 'normalize=min'", *(f", 5::{kind}" for kind in kinds)]
        forms = [f"{form}{k}" for form in ("rec, truth", "judge(rec, truth)") for k in ks]
        calls = [f"{name}({form})" for name in ("recall", "recall_at") for form in forms]
        calls.append("avg(system.main.recall(rec, truth))")
        means = cursor.execute(f"SELECT {', '.join(calls)} FROM {ROWS}").fetchall()
        assert means == [((1 + 0 + 0) / 3,) * len(calls)]
        rows = "(VALUES (['a', 'b'], MAP {'a': 2, 'b': 1}), (['a', 'b'], MAP {'a': 2, 'b': 1})) t(rec, truth)"
        each = [f'"{name}"(rec, truth)' for measure in MEASURES.values() for name in measure.names]
        plain = con.execute(f"SELECT {', '.join(each)} FROM {rows}").fetchall()
        assert cursor.execute(f"SELECT {', '.join(each)} FROM {rows}").fetchall() == plain[:1] == plain[1:]
        values = con.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall()
        assert values == [(1,), (0,), (None,), (0,)]


def left_alone(con: Con, **options: Any) -> str:
    """Register, and return the names that the one warning lists as not replaced."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_udfs.register(con, **options)
    if not caught:
        return ""
    (warning,) = caught
    assert (warning.category, warning.filename) == (UserWarning, __file__)
    message = r"register: (.*) already (?:exists and was|exist and were) not replaced(?:; use (.*))?"
    names, hint = re.fullmatch(message, str(warning.message)).groups()
    return f"{names}; {hint}"


def first(*arguments: Any) -> Any:
    """Return the first of any arguments."""
    return arguments[0]


def test_existing_macros_and_functions_are_never_replaced(bare: Con) -> None:
    bare.execute("""
        CREATE MACRO mae(a, b) AS a + b; CREATE TEMP MACRO struct(a) AS 'struct'; CREATE TEMP MACRO hits(x) AS x + 1;
        CREATE MACRO RECALL(rec, truth, k) AS 'recall'; CREATE MACRO ndcg(a) AS TABLE SELECT 'ndcg';
        CREATE SCHEMA s; CREATE MACRO s.auc(a, b) AS 'auc';
        ATTACH ':memory:' AS other; CREATE MACRO other.main.mrr(a, b) AS 'mrr'""")
    bare.create_function("success", abs, ["BIGINT"], "BIGINT")
    bare.create_function("judge", first, None, "BIGINT", type="arrow", null_handling="special")  # type: ignore[call-overload]
    hers = {
        "USE memory": "mae(1, 2), struct(1), hits(1), recall(1, 2, 3), success(-3), judge(5), (FROM ndcg(1))",
        "USE s": "auc(1, 2)",
        "USE other": "mrr(1, 2)",
    }
    not_replaced = (
        "hits, judge, recall, success; ranking.hits, ranking.judge, ranking.recall, ranking.hit_rate"
    )
    elsewhere = "auc, hits, judge, mrr, recall, struct, success; ranking.auc, ranking.hits, ranking.judge, "
    elsewhere += "ranking.mrr, ranking.recall, ranking.hit_rate"  # TEMP macros would hide them
    again: tuple[dict[str, Any], str] = ({}, "")  # nothing is to be made, so nothing is looked for
    for options, others in (({}, not_replaced), again, ({"hivemall": True}, elsewhere), again):
        assert left_alone(bare, **options) == others
        rows = [bare.execute(f"{use}; SELECT {calls}").fetchone() for use, calls in hers.items()]
        assert rows == [(3, "struct", 2, "recall", 3, 5, "ndcg"), ("auc",), ("mrr",)]
        bare.execute("USE memory")
    sql = "SELECT ndcg([1], [1]), ranking.recall([1, 3], [1, 2]), ranking.judge([1], [1]).ranks, ranking.hit_rate([1], [1])"
    assert bare.execute(sql).fetchall() == [(1, 1 / 2, [1], 1)]
    bare.execute("DROP MACRO recall; DROP MACRO other.main.mrr")
    assert bare.execute("SELECT recall([1, 3], [1, 2]), mrr([1], [1])").fetchall() == [(1 / 2, 1)]


def test_macros_made_after_register_are_never_replaced(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con, con.cursor() as cursor:
        ranking_udfs.register(con, hivemall=True)
        con.execute("CREATE OR REPLACE TEMP MACRO mrr(a, b) AS 'mrr'; CREATE MACRO hits(a, b) AS 'hits'")
        con.execute("COMMENT ON MACRO temp.mrr IS 'hers'")
        assert left_alone(con, hivemall=True) == "hits, mrr; ranking.hits, ranking.mrr"
        assert left_alone(con, name="rk") == "hits, mrr; rk.hits, rk.mrr"
        sql = "SELECT hits([1], [1]), mrr([1], [1])"
        assert con.execute(sql).fetchall() == [(1, "mrr")]  # a TEMP macro hides the user's
        assert left_alone(cursor, name="more") == "hits; more.hits"
        assert cursor.execute(sql).fetchall() == [("hits", 1)]
    with duckdb.connect(tmp_path / "a.db", read_only=True) as con:
        assert left_alone(con) == "hits; ranking.hits"
        assert con.execute(sql).fetchall() == [("hits", 1)]
    with duckdb.connect(tmp_path / "a.db") as con:
        con.execute("DROP MACRO hits")
        assert left_alone(con) == ""
        assert con.execute(sql).fetchall() == [(1, 1)]


@pytest.mark.parametrize("name", ["select", "o'x \"ranking.y"])
def test_the_namespace_may_have_any_name(bare: Con, name: str) -> None:
    ranking_udfs.register(ranking_udfs.register(bare, name=name), name=name)
    quoted = '"' + name.replace('"', '""') + '"'
    query = f"SELECT {quoted}.recall([1, 3], [1, 2]), {quoted}.main.mae(3, 1)"
    assert bare.execute(query).fetchall() == RESULT
    for call, error in {
        f"SELECT {quoted}.recall([1], [1], -1)": "recall: k must be 0 or more, got -1",
        f"SELECT {quoted}.ndcg({quoted}.judge([1], [1]), 2, 3)": "ndcg: takes (judged, k) or (rec, truth, k)",
        f"FROM {quoted}.evaluate('rec', 'truth', [-3])": "evaluate: every k in measures must be 0 or more",
    }.items():
        with pytest.raises(duckdb.Error, match=re.escape(f"{name}.{error}")):
            bare.execute(call)


@pytest.mark.parametrize(("options", "error"), [
    *(({"name": name}, f"name must be none of main, .*, got {name}") for name in ("main", "Temp", "system", "pg_catalog", "information_schema")),
    *(({"name": name}, f"name must be the name of a database, got {name!r}") for name in (7, "", None, 1)),
    ({"hivemall": "rk"}, "hivemall must be True or False, got 'rk'"),
])  # fmt: skip
def test_wrong_arguments_of_register_are_errors(bare: Con, options: dict[str, Any], error: str) -> None:
    with pytest.raises(ValueError, match=f"^register: {error}$"):
        ranking_udfs.register(bare, **options)
    assert value(bare, "SELECT count(*) FROM duckdb_databases() WHERE NOT internal") == 1


@pytest.mark.parametrize(("call", "has_over"), [
    ("mae(1.0, i)", True), ("mse(1.0, i)", True), ("rmse(1.0, i)", DUCKDB_2), ("logloss(0.5, i % 2)", DUCKDB_2),
    ("r2(1.0 * i, i)", False), ("mean(i::DOUBLE)", False), ("catalog_coverage([i], 10)", False),
])  # fmt: skip
def test_aggregates_take_over_where_the_readme_says(two_names: Con, call: str, has_over: bool) -> None:
    """The section Names of sql/README.md describes this."""
    grouped = f"SELECT i % 2 AS half, ranking.main.{call} FROM range(6) t(i) GROUP BY ALL ORDER BY ALL"
    over = f"SELECT DISTINCT i % 2, ranking.main.{call} OVER (PARTITION BY i % 2) FROM range(6) t(i) ORDER BY ALL"
    if has_over:
        assert two_names.execute(over).fetchall() == two_names.execute(grouped).fetchall()
    else:
        with pytest.raises(duckdb.Error, match=r"aggregate function|must be functions"):
            two_names.execute(over)
    with pytest.raises(duckdb.InvalidInputException, match="FILTER"):
        two_names.execute(f"SELECT ranking.main.{call} FILTER (i > 1) FROM range(6) t(i)")


GROUPED = "ranking.judge(list(itemid ORDER BY itemid DESC), any_value(truth))"


@pytest.mark.parametrize(("query", "expected"), [
    (f"SELECT ranking.recall({GROUPED}, 2) FROM x GROUP BY userid ORDER BY userid", [0, 1 / 3, 1 / 3]),
    ("SELECT ranking.recall(list(itemid) OVER (ORDER BY itemid DESC), truth, 6) FROM x LIMIT 1", [0]),
    ("SELECT (SELECT ranking.recall(ranking.judge(lists.rec, lists.truth), k := 2)) FROM lists", [1]),
])  # fmt: skip
def test_measures_take_lists_and_judged_rankings_of_any_expression(
    two_names: Con, query: str, expected: list[float | None]
) -> None:
    assert [measure for (measure,) in two_names.execute(query).fetchall()] == expected


@pytest.mark.parametrize(("there", "error", "then"), [
    ("ATTACH ':memory:' AS Ranking; CREATE MACRO ranking.main.mine() AS 1",
     "database ranking of another origin.*, got one of memory: write name='rk'", "DETACH ranking"),
    ("CREATE SCHEMA Ranking", "schema ranking in the current database, .* ambiguous.*, got "
     "one in memory: write name='rk', or DROP SCHEMA ranking CASCADE", "DROP SCHEMA ranking"),
    ("ATTACH 'ranking.duckdb' AS ranking",
     r"database ranking of another origin.*, got one of .*ranking\.duckdb: write name='rk'", "DETACH ranking"),
])  # fmt: skip
def test_a_refused_register_changes_nothing(
    bare: Con, tmp_path: Path, monkeypatch: Patch, there: str, error: str, then: str
) -> None:
    monkeypatch.chdir(tmp_path)
    bare.execute(there)
    state = "SELECT (SELECT count(*) FROM duckdb_functions()), list(database_name) FROM duckdb_databases()"
    before = bare.execute(state).fetchall()
    with pytest.raises(ValueError, match=f"^register: con must have no {error}$"):
        ranking_udfs.register(bare)
    assert bare.execute(state).fetchall() == before
    assert works(ranking_udfs.register(bare.execute(then)))


def test_register_refuses_aborted_transactions_and_closed_connections(bare: Con) -> None:
    bare.execute("BEGIN")
    ranking_udfs.register(bare).execute("ROLLBACK; BEGIN")
    with pytest.raises(ValueError, match=r"^register: .* end it and register again"):
        ranking_udfs.register(bare)
    with pytest.raises(duckdb.ConversionException):
        bare.execute("ROLLBACK; BEGIN; SELECT 'x'::INTEGER")
    with pytest.raises(duckdb.TransactionException, match="ROLLBACK"):
        ranking_udfs.register(bare)
    assert works(ranking_udfs.register(bare.execute("ROLLBACK")))
    bare.close()
    with pytest.raises(ValueError, match=r"^register: con must be an open connection, got a closed one"):
        ranking_udfs.register(bare)


AT_EXIT = """
import gc, threading
import duckdb, ranking_udfs
con = ranking_udfs.register(duckdb.connect(config={"threads": 8}))
con.execute("SET enable_progress_bar = false")
con.execute("SELECT sum(recall(range(i % 30), [i % 7], 10)) FROM range(30_000) t(i)").fetchall()
ranking_udfs.register(con, hivemall=True)
cursor = con.cursor()
ranking_udfs.register(cursor)
closed = ranking_udfs.register(duckdb.connect())
closed.close()
gone = ranking_udfs.register(duckdb.connect())
del gone
gc.collect()
ranking_udfs.register(duckdb.default_connection())
assert duckdb.sql("SELECT recall([1], [1])").fetchall() == [(1,)]
try:
    con.execute("SELECT recall(['a'], [1])")
except duckdb.InvalidInputException:
    pass
thread = threading.Thread(target=lambda: con.cursor().execute("SELECT recall([1], [1])").fetchall())
thread.start()
thread.join()
"""


@pytest.mark.slow
def test_a_process_exits_silently_with_open_connections() -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", AT_EXIT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

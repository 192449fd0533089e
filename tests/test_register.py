"""ranking_udfs.register: what it leaves in a connection, in a database and in the process, whatever went before."""
# ruff: noqa: E501  (a statement stands on one line)

import gc
import re
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.arrow.types import sql_type
from ranking_udfs.duckdb import connection, portable
from ranking_udfs.duckdb.connection import UDFS, permanent_name
from ranking_udfs.duckdb.functions import OF_LISTS
from ranking_udfs.duckdb.macros import Macro, macros
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, Patch, text_rows, value

DUCKDB_2 = int(duckdb.__version__.partition(".")[0]) >= 2

# A function and a macro, and what they return.
WORKS = "SELECT recall([1, 3], [1, 2]), collect_set(5)"
RESULT = [(1 / 2, [5])]


def works(con: Con) -> bool:
    return con.execute(WORKS).fetchall() == RESULT


OPTIONS: dict[str, dict[str, bool]] = {"TEMP": {}, "HIVEMALL": {"hivemall": True}, "ALL": {"temp": False}}
TEMP, HIVEMALL, ALL = OPTIONS
# What went before, and how it is registered then; of other.db and read.db nothing but that they are there.
STATES = {
    state: (steps.split(" | "), ways.split()) for state, steps, ways in text_rows("states of a connection")
}


def after(steps: list[str], others: list[Con]) -> Con:
    """Return a connection on which these steps were taken; `others` gets the others that are opened."""
    con = duckdb.connect()
    for step in steps:
        if step.startswith("OPEN"):
            con = duckdb.connect(step[5:], read_only="read" in step)
        elif step.startswith("REGISTER ON"):
            others.append(con.cursor() if step.endswith("CURSOR") else duckdb.connect("other.db"))
            ranking_udfs.register(others[-1])
        elif step.startswith("REGISTER"):
            ranking_udfs.register(con, **OPTIONS[step.partition(" FOR ")[2] or TEMP])
        else:
            con.execute(portable.script() if step == "RUN THE SCRIPT" else step)
    return con


def served(con: Con, way: str) -> bool:
    """Register, and say whether functions and macros are there, of this version, an aggregate with OVER too."""
    assert ranking_udfs.register(con, **OPTIONS[way]) is con
    schema, over = ("ranking.", "") if way == ALL else ("", " OVER (PARTITION BY i % 2)")
    query = f"SELECT udf_version(), max(m) FROM (SELECT {schema}mae(i, 1){over} AS m FROM range(4) t(i))"
    assert con.execute(query).fetchall() == [(f"duckdb-ranking-udfs {ranking_udfs.__version__}", 1)]
    return con.execute(WORKS.replace("collect_set", f"{schema}collect_set")).fetchall() == RESULT


@pytest.mark.parametrize(
    ("state", "way"), [(state, way) for state, (_, ways) in STATES.items() for way in ways]
)
def test_register_works_whatever_went_before_and_again(
    tmp_path: Path, monkeypatch: Patch, state: str, way: str
) -> None:
    monkeypatch.chdir(tmp_path)
    steps, others = STATES[state][0], list[Con]()
    needed = [Path(name) for name in ("other.db", "read.db") if name in str(steps)]
    for path in needed:
        duckdb.connect(path).close()
    before = [path.read_bytes() for path in needed]
    con = after(steps, others)
    assert served(con, way)
    made = "SELECT list(function_oid ORDER BY function_oid) FROM duckdb_functions()"
    found = value(con, made)
    assert served(con, way)
    assert value(con, made) == found  # nothing is made anew
    if steps[:1] == ["BEGIN"] and steps[-1] not in ("COMMIT", "ROLLBACK"):
        con.execute("ROLLBACK")
        assert value(con, "SELECT count(*) FROM duckdb_tables()") == 0
        assert served(con, way)
        con.execute("BEGIN; CREATE TABLE t AS SELECT 1 AS i")
        assert served(con, way)
        con.execute("COMMIT")
        assert value(con, "SELECT i FROM t") == 1
    with con.cursor() as cursor:
        assert value(cursor, "SELECT recall([1], [1])") == 1
        for each in [*others, cursor] if way == ALL else others:  # TEMP macros take long
            assert served(each, way)
    for each in (*others, con):
        each.close()
    assert [path.read_bytes() for path in needed] == before


@pytest.mark.slow
def test_threads_may_register_at_once(tmp_path: Path) -> None:
    """On cursors of one instance, and in instances of their own."""
    with duckdb.connect(tmp_path / "a.db") as con:
        work = [con.cursor(), con.cursor(), duckdb.connect(tmp_path / "a.db"), duckdb.connect()]
        start = threading.Barrier(len(work))

        def register_twice(each: Con) -> bool:
            start.wait()
            return served(each, TEMP) and served(each, ALL)

        with ThreadPoolExecutor(len(work)) as pool:
            assert all(pool.map(register_twice, work))
        for each in work:
            each.close()


def test_the_functions_outlive_the_connection_that_registered_them(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as other:
        with duckdb.connect(tmp_path / "a.db") as one:
            ranking_udfs.register(one)
        gc.collect()
        assert value(other, "SELECT recall([1, 3], [1, 2])") == 1 / 2
        assert works(ranking_udfs.register(other))


def test_an_unfinished_arrow_reader_is_an_error_that_says_what_to_do_on_duckdb_2(bare: Con) -> None:
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


def with_tables(con: Con, users: int = 1) -> Con:
    """The connection, with tables of so many users in the schema in use."""
    con.execute(f"CREATE TABLE rec AS SELECT i AS userid, 1 AS itemid, 1.0 AS score FROM range({users}) t(i)")
    return con.execute(f"CREATE TABLE truth AS SELECT i AS userid, 1 AS itemid FROM range({users}) t(i)")


def users(con: Con, rec: str = "rec", truth: str = "truth", before: str = "") -> Any:
    """How many users a table function finds in these tables, the one that is planned the soonest."""
    return value(con, f"{before} SELECT count(*) FROM ranking.ranking_judged('{rec}', '{truth}', 10)")


def test_the_tables_are_those_that_the_cursor_finds(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con:
        ranking_udfs.register(with_tables(con), temp=False)
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
        assert value(con, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'ranking'") == 0


@pytest.mark.parametrize("way", [HIVEMALL, ALL])
def test_where_a_macro_cannot_be_made_none_is_left_behind(bare: Con, monkeypatch: Patch, way: str) -> None:
    """Else those made before it would be taken for someone else's."""
    broken = {
        "broken": Macro("broken", "CREATE OR REPLACE TEMP MACRO broken(x) AS no_such_function(1);", "?")
    }
    made = {HIVEMALL: "aggregates", ALL: "macros"}[way]
    every = getattr(connection, made)() | broken
    with monkeypatch.context() as patched:
        patched.setattr(connection, made, lambda: every)
        with pytest.raises(duckdb.CatalogException, match="no_such_function"):
            ranking_udfs.register(bare, **OPTIONS[way])
    assert value(bare, "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'temp'") == 0
    assert value(bare, "SELECT count(*) FROM duckdb_databases() WHERE database_name = 'ranking'") == 0
    assert served(bare, way)


def test_a_connection_gets_functions_and_public_macros_and_nothing_else(con: Con) -> None:
    assert con.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal").fetchall() == [
        ("memory",)
    ]
    assert value(con, "SELECT current_setting('search_path')") == ""
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'temp' ORDER BY ALL"
    assert [name for (name,) in con.execute(sql).fetchall()] == sorted(macros())
    assert not [name for name in macros() if name.startswith("_")]
    sql = "SELECT DISTINCT database_name FROM duckdb_functions() WHERE function_name LIKE '%ranking%'"
    assert {name for (name,) in con.execute(sql).fetchall()} == {"system", "temp"}
    con.execute("ATTACH ':memory:' AS copied; COPY FROM DATABASE memory TO copied")
    assert value(con, "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'copied'") == 0
    with_tables(con)
    for call in (
        "ranking_judged('nope', 'truth', 1)",
        "ranking_summary('rec')",
        "ranking_gate('rec', nope := 1)",
    ):
        with pytest.raises(duckdb.Error) as raised:
            con.execute(f"FROM {call}")
        assert "_ranking" not in str(raised.value).partition("LINE 1")[0].replace("_ranking_", ""), call


def test_the_functions_over_lists_are_those_of_arrow() -> None:
    found = {name: sql_type(function.returns) for name, function in FUNCTIONS.items()}
    assert {name: udf.returns for name, udf in OF_LISTS.items()} == found


def test_a_table_function_takes_parameters_and_ctes(con: Con) -> None:
    mine = "WITH mine AS (SELECT 1 AS userid, 1 AS itemid, 1.0 AS score)"
    call = "ranking_judged('mine', truth := 'truth', max_k := $1, user_col := 'userid')"
    con.execute("CREATE TEMP TABLE truth AS SELECT 1 AS userid, 1 AS itemid")
    query = f"{mine} SELECT userid, judged.cutoff FROM {call}"
    assert con.execute(query, [7]).fetchall() == [(1, 7)]


def test_a_view_over_functions_and_macros_outlives_the_session(tmp_path: Path) -> None:
    with ranking_udfs.register(duckdb.connect(tmp_path / "a.db")) as con:
        query = "SELECT userid, recall([1, 3], [1, 2]) AS r FROM ranking_judged('rec', 'truth', 10)"
        with_tables(con).execute(f"CREATE VIEW v AS {query}")
    with ranking_udfs.register(duckdb.connect(tmp_path / "a.db", read_only=True)) as con:
        assert con.execute("FROM v").fetchall() == [(0, 1 / 2)]


def test_a_locked_configuration_will_do_that_reads_a_slash_otherwise() -> None:
    """With the setting as it is, see the states."""
    config = {"lock_configuration": True, "enable_external_access": False, "integer_division": True}
    with duckdb.connect(config=config) as con:
        assert works(ranking_udfs.register(con))
        sql = "SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'personalization'"
        assert {*re.findall(" //? ", value(con, sql))} == {" / "}


@pytest.mark.parametrize(
    "before",
    [
        'SET search_path = \'"my-shop".main,"my-shop"."it\'\'s"\'',
        "ATTACH ':memory:' AS my_ranking; USE my_ranking",  # which ends as the name of the macros' does
    ],
)
def test_a_search_path_finds_the_macros_behind_what_is_the_users(tmp_path: Path, before: str) -> None:
    with duckdb.connect(tmp_path / "my-shop.db") as con:
        con.execute(f"CREATE SCHEMA \"it's\"; {before}; CREATE MACRO mse(a, b) AS 'hers'")
        current = "SELECT current_schema(), current_database()"
        schema = con.execute(current).fetchone()
        with_tables(con, 2)
        for _ in range(2):
            connection.put_on_search_path(con)
            assert con.execute(current).fetchone() == schema
        assert works(con)
        sql = "SELECT count(*), mae(1, 3), mse(1, 3) FROM ranking_judged('rec', 'truth', 1)"
        assert con.execute(sql).fetchone() == (2, 2, "hers")
        assert value(con, "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'temp'") == 0
        assert value(con, "SELECT current_setting('search_path')").count(",_ranking.main") == 1


ROWS = "(VALUES ([1], [1]), ([1], [2]), ([1], NULL), (NULL, [1])) t(rec, truth)"
MEAN = [((1 + 0 + 0) / 3,)]


def test_hivemall_makes_every_measure_an_aggregate_in_one_connection_and_false_takes_that_away(
    con: Con,
) -> None:
    with con.cursor() as cursor:
        ranking_udfs.register(cursor, hivemall=True)
        kinds = ("TINYINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "USMALLINT")
        ks = ["", ", NULL", ", 5, 'normalize=min'", *(f", 5::{kind}" for kind in kinds)]
        forms = [f"{form}{k}" for form in ("rec, truth", "judge(rec, truth)") for k in ks]
        calls = [f"{name}({form})" for name in ("recall", "recall_at") for form in forms]
        calls.append("avg(system.main.recall(rec, truth))")
        found = cursor.execute(f"SELECT {', '.join(calls)} FROM {ROWS}").fetchall()
        assert found == [MEAN[0] * len(calls)]
        rows = "(VALUES (['a', 'b'], MAP {'a': 2, 'b': 1}), (['a', 'b'], MAP {'a': 2, 'b': 1})) t(rec, truth)"
        each = [f'"{name}"(rec, truth)' for measure in MEASURES.values() for name in measure.names]
        plain = con.execute(f"SELECT {', '.join(each)} FROM {rows}").fetchall()
        assert cursor.execute(f"SELECT {', '.join(each)} FROM {rows}").fetchall() == plain[:1] == plain[1:]
        assert len(con.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall()) == 4
        ranking_udfs.register(cursor)
        found = cursor.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall()
        assert found == [(1,), (0,), (None,), (0,)]


def left_alone(con: Con, **options: Any) -> str:
    """Register, and return the names that the one warning says are someone else's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_udfs.register(con, **options)
    if not caught:
        return ""
    (warning,) = caught
    assert (warning.category, warning.filename) == (UserWarning, __file__)
    said = r"register: (.*) already (?:exists and was|exist and were) not replaced; use (.*)"
    names, seconds = re.fullmatch(said, str(warning.message)).groups()
    assert seconds.split(", ") == [*map(permanent_name, names.split(", "))]
    return names


def first(*arguments: Any) -> Any:
    """A function of any arguments, as the pack's are."""
    return arguments[0]


def test_what_the_user_has_stays_and_the_pack_is_there_under_second_names(bare: Con) -> None:
    bare.execute("""
        CREATE MACRO mae(a, b) AS a + b; CREATE MACRO R2(actual, predicted) AS 'r2';
        CREATE TEMP MACRO struct(a) AS 'struct'; CREATE TEMP MACRO hits(x) AS x + 1;
        CREATE MACRO recall(rec, truth, k) AS 'recall';
        CREATE MACRO precision_recall_curve(a, b, c) AS TABLE SELECT 'curve';
        CREATE SCHEMA s; CREATE MACRO s.rmse(a, b) AS 'rmse';
        ATTACH ':memory:' AS other; CREATE MACRO other.main.mse(a, b) AS 'mse'""")
    bare.create_function("success", abs, ["BIGINT"], "BIGINT")
    bare.create_function("judge", first, None, "BIGINT", type="arrow", null_handling="special")  # type: ignore[call-overload]
    hers = {
        "USE memory": "mae(1, 2), r2(1, 2), struct(1), hits(1), recall(1, 2, 3), success(-3), judge(5), (FROM precision_recall_curve(1, 2, 3))",
        "USE s": "rmse(1, 2)",
        "USE other": "mse(1, 2)",
    }
    for options in ({}, {}, {"hivemall": True}, {}):
        found = left_alone(bare, **options)
        assert found == "hits, judge, mae, mse, precision_recall_curve, r2, recall, rmse, struct, success"
        rows = [bare.execute(f"{use}; SELECT {calls}").fetchone() for use, calls in hers.items()]
        assert rows == [(3, "r2", "struct", 2, "recall", 3, 5, "curve"), ("rmse",), ("mse",)]
        bare.execute("USE memory")
    sql = "SELECT ndcg([1], [1]), udf_recall([1, 3], [1, 2]), udf_judge([1], [1]).ranks, udf_struct(5)"
    assert bare.execute(sql).fetchall() == [(1, 1 / 2, [1], {"col1": 5})]
    sql = "SELECT udf_mae(p, a), udf_mse(p, a), udf_rmse(p, a), udf_r2(p, a) FROM (VALUES (1, 3), (3, 1)) t(p, a)"
    assert bare.execute(sql).fetchall() == [(2, 4, 2, 1 - 4 / 1)]
    assert left_alone(bare, temp=False) == "hits, judge, recall, success"  # the functions among them
    assert bare.execute("SELECT mae(1, 2), ranking.mae(1, 2)").fetchall() == [(3, 1)]


def test_what_the_user_makes_after_register_stays_and_keeps_no_one_from_registering(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con, con.cursor() as cursor:
        ranking_udfs.register(con, hivemall=True)
        con.execute(
            "CREATE OR REPLACE TEMP MACRO rmse(a, b) AS 'rmse'; CREATE OR REPLACE TEMP MACRO mrr(a, b) AS 'mrr'"
        )
        con.execute("CREATE MACRO hits(a, b) AS 'hits'; CREATE MACRO mae(a, b) AS 'mae'")
        assert left_alone(con, hivemall=True) == "hits, mae, mrr, rmse"
        assert left_alone(con) == "hits, mae, mrr, rmse"
        sql = "SELECT hits(1, 2), mae(1, 2), rmse(1, 2), mrr(1, 2)"
        assert con.execute(sql).fetchall() == [("hits", "mae", "rmse", "mrr")]
        assert left_alone(cursor) == "hits, mae"
        sql = "SELECT hits(1, 2), mae(1, 2), rmse(1, 2), mrr([1], [1])"
        assert cursor.execute(sql).fetchall() == [("hits", "mae", 1, 1)]
    with duckdb.connect(tmp_path / "a.db", read_only=True) as con:
        assert left_alone(con) == "hits, mae"
        assert con.execute(sql).fetchall() == [("hits", "mae", 1, 1)]
    with duckdb.connect(tmp_path / "a.db") as con:
        con.execute("DROP MACRO hits; DROP MACRO mae")
        assert left_alone(con) == ""
        assert con.execute(sql.replace("hits(1, 2)", "hits([1], [1])")).fetchall() == [(1, 1, 1, 1)]


def test_a_table_macro_is_no_function_and_a_function_no_table_macro(bare: Con) -> None:
    bare.execute("CREATE MACRO hits(a) AS TABLE SELECT a; CREATE MACRO ranking_summary(a) AS a")
    assert left_alone(bare) == ""
    sql = "SELECT hits([1], [1]), ranking_summary(2), (FROM hits(3))"
    assert bare.execute(sql).fetchall() == [(1, 2, 3)]


# A database or schema `ranking` is met with temp=False.
REFUSED = text_rows("what register refuses")


def test_register_refuses_and_changes_nothing(bare: Con, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    for there, what, got, then in REFUSED:
        bare.execute(there)
        # But for a name of theirs, the functions of all databases are made before what is refused is met.
        counted = "database_name <> 'system'" if " " in what else "true"
        found = f"SELECT (SELECT count(*) FROM duckdb_functions() WHERE {counted}), list(database_name) FROM duckdb_databases()"
        before = bare.execute(found).fetchall()
        is_for_all = what.endswith(" ranking")
        said = f"{what} of another origin{' with temp=False' * is_for_all}, got {got}"
        with pytest.raises(ValueError, match=f"^register: con must have no {said}"):
            ranking_udfs.register(bare, temp=not is_for_all)
        assert bare.execute(found).fetchall() == before
        bare.execute(then)
    assert works(ranking_udfs.register(bare))


def test_register_says_what_else_it_cannot_do(bare: Con) -> None:
    with pytest.raises(ValueError, match=r"^register: temp must be true with hivemall=True, .*, got False$"):
        ranking_udfs.register(bare, hivemall=True, temp=False)
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


def test_every_short_name_has_a_second_of_the_same_meaning(con: Con) -> None:
    meaning = "parameters, parameter_types, varargs, macro_definition, return_type"
    sql = f"SELECT function_name, list(meaning ORDER BY meaning) FROM (SELECT function_name, ({meaning}) AS meaning FROM duckdb_functions()) GROUP BY function_name"
    found = dict(con.execute(sql).fetchall())
    seconds = {name: permanent_name(name) for name in (*UDFS, *macros()) if name != permanent_name(name)}
    assert seconds.keys() > {*FUNCTIONS, "mae", "struct"}
    for name, second in seconds.items():
        assert second in (f"udf_{name}", f"ranking_{name}")
        assert str(found[name]).replace(f"{name}(", f"{second}(") == str(found[second]) != "None", name


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
def test_nothing_is_said_at_exit_with_a_connection_open_and_after_all_sorts_of_ends() -> None:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", AT_EXIT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

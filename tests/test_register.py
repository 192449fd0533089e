"""udfs.register: what it leaves in a connection, in a database and in the process, whatever went before."""
# ruff: noqa: E501  (a statement stands on one line)

import contextlib
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import udfs
from tests.conftest import value
from udfs.arrow.functions import FUNCTIONS
from udfs.measures.registry import MEASURES

DUCKDB_2 = int(duckdb.__version__.partition(".")[0]) >= 2
ROOT = Path(__file__).resolve().parent.parent

# A function and a macro, and what they return.
WORKS = "SELECT recall([1, 3], [1, 2]), collect_set(5)"
RESULT = [(1 / 2, [5])]


def works(con: duckdb.DuckDBPyConnection) -> bool:
    return con.execute(WORKS).fetchall() == RESULT


@pytest.fixture
def bare() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


# --- Any connection ---


def test_register_returns_the_connection(bare: duckdb.DuckDBPyConnection) -> None:
    assert udfs.register(bare) is bare
    assert udfs.register(con=bare, hivemall=False) is bare


def test_every_function_is_registered_under_every_name(con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT function_name FROM duckdb_functions() WHERE database_name = 'system' AND varargs = 'ANY'"
    names = {name for (name,) in con.execute(sql).fetchall()}
    assert (
        names
        >= set(FUNCTIONS)
        == {"judge", "ranking_values"}
        | {
            name
            for measure in [*MEASURES.values(), *udfs.measures.registry.LIST_MEASURES.values()]
            for name in measure.names
        }
    )


def test_registering_again_changes_nothing(bare: duckdb.DuckDBPyConnection) -> None:
    for _ in range(3):
        udfs.register(bare)
        assert works(bare)


def test_a_cursor_has_the_functions_and_registers_for_the_macros(con: duckdb.DuckDBPyConnection) -> None:
    with con.cursor() as cursor:
        assert value(cursor, "SELECT recall([1], [1])") == 1
        assert works(udfs.register(cursor))
    assert works(con)


def test_registering_on_a_cursor_first_serves_the_connection(bare: duckdb.DuckDBPyConnection) -> None:
    with bare.cursor() as cursor:
        assert works(udfs.register(cursor))
    assert value(bare, "SELECT recall([1], [1])") == 1
    assert works(udfs.register(bare))


def test_a_second_connection_to_the_same_database_registers_too(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as one, duckdb.connect(tmp_path / "a.db") as other:
        assert works(udfs.register(one))
        assert works(udfs.register(other))
        assert works(udfs.register(one))
    with duckdb.connect(":memory:shared") as one, duckdb.connect(":memory:shared") as other:
        assert works(udfs.register(one))
        assert works(udfs.register(other))


def test_another_database_registers_for_itself(con: duckdb.DuckDBPyConnection) -> None:
    with duckdb.connect() as other:
        with pytest.raises(duckdb.CatalogException):
            other.execute("SELECT recall([1], [1])")
        assert works(udfs.register(other))


def test_the_functions_outlive_the_connection_that_registered_them(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as other:
        with duckdb.connect(tmp_path / "a.db") as one:
            udfs.register(one)
        gc.collect()
        assert value(other, "SELECT recall([1, 3], [1, 2])") == 1 / 2
        assert works(udfs.register(other))


def test_a_read_only_file_will_do(tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "a.db").close()
    with duckdb.connect(tmp_path / "a.db", read_only=True) as con:
        assert works(udfs.register(con))
        assert works(udfs.register(con, hivemall=True))


# --- Transactions and results ---

TOUCHES = [
    "SELECT 1",
    "SELECT abs(1)",
    "SELECT count(*) FROM duckdb_functions()",
    "CREATE TABLE t AS SELECT 1 AS i",
]


@pytest.mark.parametrize("before", [[], TOUCHES[:1], TOUCHES], ids=str)
@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_register_works_inside_a_transaction_and_after_it(
    bare: duckdb.DuckDBPyConnection, before: list[str], end: str
) -> None:
    bare.execute("BEGIN")
    for statement in before:
        bare.execute(statement).fetchall()
    assert works(udfs.register(bare))
    bare.execute(end)
    assert works(udfs.register(bare))
    with bare.cursor() as cursor:
        assert works(udfs.register(cursor))


def test_what_was_registered_goes_with_a_rollback_and_comes_back(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("BEGIN")
    assert works(udfs.register(bare))
    bare.execute("ROLLBACK")
    with pytest.raises(duckdb.CatalogException):
        bare.execute("SELECT collect_set(5)")
    assert works(udfs.register(bare))


def test_a_transaction_after_a_rolled_back_registration_is_refused_until_it_ends(
    bare: duckdb.DuckDBPyConnection,
) -> None:
    bare.execute("BEGIN")
    udfs.register(bare)
    bare.execute("ROLLBACK; BEGIN")
    with pytest.raises(ValueError, match="end it and register again"):
        udfs.register(bare)
    bare.execute("ROLLBACK")
    assert works(udfs.register(bare))


def test_a_transaction_is_still_the_callers_after_register(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("BEGIN; CREATE TABLE kept AS SELECT 1 AS i")
    udfs.register(bare)
    bare.execute("ROLLBACK")
    assert value(bare, "SELECT count(*) FROM duckdb_tables()") == 0
    udfs.register(bare)
    bare.execute("BEGIN; CREATE TABLE kept AS SELECT 1 AS i")
    udfs.register(bare)
    bare.execute("COMMIT")
    assert value(bare, "SELECT i FROM kept") == 1


def test_an_aborted_transaction_gives_duckdbs_error_and_works_after_rollback(
    bare: duckdb.DuckDBPyConnection,
) -> None:
    bare.execute("CREATE TABLE t (i INTEGER PRIMARY KEY)")
    bare.execute("BEGIN; INSERT INTO t VALUES (1)")
    with pytest.raises(duckdb.ConstraintException):
        bare.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(duckdb.TransactionException, match="ROLLBACK"):
        udfs.register(bare)
    bare.execute("ROLLBACK")
    assert works(udfs.register(bare))


@pytest.mark.parametrize("again", [False, True])
def test_rows_that_were_not_fetched_are_no_matter(bare: duckdb.DuckDBPyConnection, again: bool) -> None:
    """As for any statement, what was not fetched is then gone."""
    if again:
        udfs.register(bare)
    bare.execute("SELECT i FROM range(1000000) t(i)")
    assert bare.fetchone() == (0,)
    assert works(udfs.register(bare))


@pytest.mark.parametrize("again", [False, True])
def test_an_unfinished_arrow_reader_is_an_error_that_says_what_to_do_on_duckdb_2(
    bare: duckdb.DuckDBPyConnection, again: bool
) -> None:
    if again:
        udfs.register(bare)
    reader = bare.sql("SELECT i FROM range(1000000) t(i)").to_arrow_reader(1_000)
    assert reader.read_next_batch().num_rows == 1_000
    if DUCKDB_2:
        expected = r"^register: con must have no unfinished result, got one: .* pass con\.cursor\(\)"
        with pytest.raises(ValueError, match=expected):
            udfs.register(bare)
        assert works(udfs.register(bare.cursor()))
        assert sum(batch.num_rows for batch in reader) == 1_000_000 - 1_000
        reader.close()
    assert works(udfs.register(bare))


def test_an_unfinished_result_that_is_a_relation_is_no_matter(bare: duckdb.DuckDBPyConnection) -> None:
    relation = bare.sql("SELECT i FROM range(3) t(i)")
    assert works(udfs.register(bare))
    assert relation.fetchall() == [(0,), (1,), (2,)]


def test_a_closed_connection_is_an_error(bare: duckdb.DuckDBPyConnection) -> None:
    udfs.register(bare).close()
    with pytest.raises(ValueError, match=r"^register: con must be an open connection, got a closed one"):
        udfs.register(bare)


# --- USE, search_path, ATTACH ---


def test_register_works_after_use_and_search_path_and_attach(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con:
        con.execute("CREATE SCHEMA s")
        con.execute(f"ATTACH '{tmp_path / 'b.db'}' AS b")
        con.execute("CREATE SCHEMA b.inner_schema")
        for statement in (
            "USE s",
            "USE b",
            "USE b.inner_schema",
            "SET search_path = 'a.s,b.main'",
            "USE a.main",
        ):
            con.execute(statement)
            assert works(udfs.register(con)), statement
        for statement in ("USE s", "USE b.inner_schema", "SET search_path = 'a.s,b.main'"):
            con.execute(statement)
            assert works(con), statement
            assert value(con, "SELECT recall([1, 3], [1, 2])") == 1 / 2


def test_an_attached_read_only_database_in_use_will_do(tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "b.db").close()
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'b.db'}' AS b (READ_ONLY)")
        con.execute("USE b")
        assert works(udfs.register(con, hivemall=True))


# --- What stays where ---


def test_nothing_is_written_into_the_users_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE t AS SELECT [1] AS rec, [1] AS truth")
    before = path.read_bytes()
    with duckdb.connect(path) as con:
        udfs.register(con)
        udfs.register(con, hivemall=True)
        assert value(con, "SELECT recall(rec, truth) FROM t") == 1
        sql = "SELECT count(*) FROM duckdb_functions() WHERE database_name NOT IN ('system', 'temp')"
        assert value(con, sql) == 0
    assert path.read_bytes() == before
    with duckdb.connect(path) as plain:
        names = "list_value(" + ", ".join(f"'{name}'" for name in [*FUNCTIONS, "collect_set"]) + ")"
        sql = f"SELECT count(*) FROM duckdb_functions() WHERE list_contains({names}, function_name)"
        assert value(plain, sql) == 0


def test_a_view_over_the_functions_works_once_registered(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "a.db") as con:
        udfs.register(con).execute("CREATE VIEW v AS SELECT recall([1, 3], [1, 2]) AS r")
    with duckdb.connect(tmp_path / "a.db") as con:
        assert value(udfs.register(con), "SELECT r FROM v") == 1 / 2


# --- hivemall ---

ROWS = "(VALUES ([1], [1]), ([1], [2]), ([1], NULL), (NULL, [1])) t(rec, truth)"
MEAN = [((1 + 0 + 0) / 3,)]


def test_hivemall_makes_every_measure_an_aggregate_and_false_takes_that_away(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert udfs.register(con, hivemall=True) is con
    for name in ("recall", "recall_at", "hitrate"):
        for arguments in (
            "rec, truth",
            "rec, truth, 5",
            "rec, truth, NULL",
            "judge(rec, truth)",
            "judge(rec, truth), 5",
        ):
            assert con.execute(f"SELECT {name}({arguments}) FROM {ROWS}").fetchall() == MEAN, (
                name,
                arguments,
            )
    for arguments in ("rec, truth, 5, 'normalize=min'", "judge(rec, truth), 5, 'normalize=min'"):
        assert con.execute(f"SELECT recall({arguments}) FROM {ROWS}").fetchall() == MEAN, arguments
    udfs.register(con, hivemall=True)
    assert con.execute(f"SELECT avg(system.main.recall(rec, truth)) FROM {ROWS}").fetchall() == MEAN
    udfs.register(con)
    assert con.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall() == [(1,), (0,), (None,), (0,)]


def test_every_name_is_an_aggregate_of_one_row_and_k_an_integer_of_any_type_in_hivemall_mode(
    con: duckdb.DuckDBPyConnection,
) -> None:
    udfs.register(con, hivemall=True)
    rows = "(VALUES (['a', 'b'], MAP {'a': 2, 'b': 1}), (['a', 'b'], MAP {'a': 2, 'b': 1})) t(rec, truth)"
    for name in (name for measure in MEASURES.values() for name in measure.names):
        plain = set(con.execute(f'SELECT system.main."{name}"(rec, truth) FROM {rows}').fetchall())
        assert con.execute(f'SELECT "{name}"(rec, truth) FROM {rows}').fetchall() == list(plain), name
    for kind in ("TINYINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "USMALLINT"):
        for arguments in ("rec, truth", "judge(rec, truth)"):
            assert con.execute(f"SELECT recall({arguments}, 5::{kind}) FROM {ROWS}").fetchall() == MEAN, kind


def test_hivemall_in_one_connection_changes_no_other(con: duckdb.DuckDBPyConnection) -> None:
    with con.cursor() as cursor:
        udfs.register(cursor, hivemall=True)
        assert len(cursor.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall()) == 1
        assert len(con.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall()) == 4


def test_hivemall_works_in_a_transaction_that_is_rolled_back(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("BEGIN")
    udfs.register(bare, hivemall=True)
    bare.execute("ROLLBACK")
    udfs.register(bare, hivemall=True)
    assert bare.execute(f"SELECT recall(rec, truth) FROM {ROWS}").fetchall() == MEAN


# --- Names of others ---


def test_a_function_of_another_origin_is_an_error(bare: duckdb.DuckDBPyConnection) -> None:
    bare.create_function("recall", abs, ["BIGINT"], "BIGINT")
    with pytest.raises(
        ValueError, match=r"^register: con must have no function of another origin named recall, got one$"
    ):
        udfs.register(bare)
    assert value(bare, "SELECT recall(-3)") == 3
    bare.remove_function("recall")
    assert works(udfs.register(bare))


def test_a_macro_of_the_user_in_her_own_schema_stays(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("CREATE MACRO my_measure(x) AS x + 1")
    bare.execute("CREATE TEMP MACRO my_other(x) AS x + 2")
    udfs.register(bare)
    assert bare.execute("SELECT my_measure(1), my_other(1)").fetchall() == [(2, 3)]


def test_a_temp_macro_of_the_user_is_not_dropped_in_silence(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("CREATE TEMP MACRO hits(x) AS x + 1")
    with contextlib.suppress(ValueError):  # to refuse it, as a function of another origin, is as good
        udfs.register(bare)
    assert value(bare, "SELECT temp.main.hits(1)") == 2


def test_a_macro_of_the_user_is_kept_and_the_functions_registered_or_refused_as_of_another_origin(
    bare: duckdb.DuckDBPyConnection,
) -> None:
    bare.execute("CREATE MACRO hits(x) AS x + 1")
    try:
        udfs.register(bare)
    except ValueError as error:
        assert "another origin named hits" in str(error)  # noqa: PT017
    else:
        assert value(bare, "SELECT system.main.hits([1], [1])") == 1
    assert value(bare, "SELECT memory.main.hits(1)") == 2


# --- Threads ---


def in_threads(n: int, work: list[duckdb.DuckDBPyConnection]) -> list[BaseException]:
    """Register and query on each connection, in a thread of its own, all starting at once."""
    start, errors = threading.Barrier(n), []

    def run_one(con: duckdb.DuckDBPyConnection) -> None:
        try:
            start.wait()
            for _ in range(2):
                assert works(udfs.register(con))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run_one, args=(con,)) for con in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.slow
def test_16_threads_may_register_at_once_on_cursors(bare: duckdb.DuckDBPyConnection) -> None:
    assert in_threads(16, [bare.cursor() for _ in range(16)]) == []
    assert works(udfs.register(bare))


@pytest.mark.slow
def test_16_threads_may_register_at_once_on_connections_to_one_file(tmp_path: Path) -> None:
    connections = [duckdb.connect(tmp_path / "a.db") for _ in range(16)]
    try:
        assert in_threads(16, connections) == []
    finally:
        for con in connections:
            con.close()


@pytest.mark.slow
def test_16_threads_may_register_at_once_on_databases_of_their_own() -> None:
    connections = [duckdb.connect() for _ in range(16)]
    try:
        assert in_threads(16, connections) == []
    finally:
        for con in connections:
            con.close()


# --- The process ---


def run(script: str, *flags: str) -> subprocess.CompletedProcess[str]:
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(Path(udfs.__file__).resolve().parent.parent)
    found = subprocess.run(
        [sys.executable, *flags, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert found.returncode == 0, found.stderr
    return found


AFTER_AN_ERROR_AND_FROM_A_THREAD = """
import threading
try:
    con.execute("SELECT recall(['a'], [1])")
except duckdb.InvalidInputException:
    pass
thread = threading.Thread(target=lambda: con.cursor().execute("SELECT recall([1], [1])").fetchall())
thread.start()
thread.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "end",
    [
        "",
        "con.close()",
        "import gc; del con; gc.collect()",
        "cursor = con.cursor(); udfs.register(cursor)",
        "udfs.register(duckdb.default_connection()); assert duckdb.sql('SELECT recall([1], [1])').fetchall() == [(1,)]",
        AFTER_AN_ERROR_AND_FROM_A_THREAD,
    ],
)
def test_nothing_is_said_at_exit(end: str) -> None:
    script = f"""
import duckdb, udfs
con = udfs.register(duckdb.connect())
assert con.execute("{WORKS}").fetchall() == {RESULT}
udfs.register(con, hivemall=True)
{end}
"""
    found = run(script, "-X", "dev", "-W", "error")
    assert (found.stdout, found.stderr) == ("", "")


def test_importing_has_no_side_effects_and_imports_nothing_heavy() -> None:
    script = """
import sys
import duckdb, pyarrow, pyarrow.compute, numpy
import duckdb.func
before, threads = set(sys.modules), __import__("threading").active_count()
import udfs
foreign = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)
print(sorted(foreign - {"duckdb", "_duckdb", "pyarrow", "numpy"}))
print(__import__("threading").active_count() - threads)
print(any(name.partition(".")[0] in ("pandas", "polars", "hypothesis", "pytest") for name in sys.modules))
"""
    assert run(script).stdout == "['udfs']\n0\nFalse\n"


def test_the_package_exports_register_and_its_version() -> None:
    assert set(udfs.__all__) == {"register", "__version__"}
    assert udfs.__version__.count(".") == 2


MEMORY = """
import gc, resource, sys
import duckdb, udfs

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()

def sizes(n):
    found = []
    for _ in range(n):
        with duckdb.connect(config={"threads": 1}) as con:
            con.execute("SET enable_progress_bar = false")  # which a slow machine would print
            udfs.register(con).execute("SELECT recall([1], [1])").fetchall()
        gc.collect()
        found.append(resident())
    return found

sizes(10)
early = max(sizes(10))
sizes(60)
print(min(sizes(10)) / early - 1)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the size of the process is read from /proc"
)
def test_connections_opened_registered_and_closed_take_no_more_memory() -> None:
    """Largest size early on against smallest size later: what comes and goes does not count, a leak does.

    The bound is some 100 KB for each connection in between. `tests.fuzz.stress connections` opens more of them.
    """
    assert float(run(MEMORY).stdout) < 0.03


def test_a_closed_connection_is_let_go(tmp_path: Path) -> None:
    """A file that some connection still holds cannot be opened with other settings."""
    for read_only in (False, True, False):
        with duckdb.connect(tmp_path / "a.db", read_only=read_only) as con:
            assert works(udfs.register(con))

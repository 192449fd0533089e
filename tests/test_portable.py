"""The pack without Python: the script that stays in a database, in DuckDB's shell and on bare connections."""

import csv
import re
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import udfs
from tests.conftest import is_close
from udfs.command.cli import main
from udfs.duckdb.names import UDFS, is_table
from udfs.duckdb.portable import in_file
from udfs.duckdb.statements import folder, macros
from udfs.measures.registry import MEASURES

SCRIPT = Path(str(folder())) / "ranking_udfs.sql"
SHELL = Path(sysconfig.get_path("scripts")) / "duckdb"

TABLES = """
CREATE TABLE rec AS FROM (VALUES
    (7, 'a', 10.0), (7, 'c', 8.0), (7, 'b', 6.0), (7, 'f', 2.0), (9, 'a', 1.0), (9, 'a', 1.0), (10, 'b', 1.0)
) AS t(userid, itemid, score);
CREATE TABLE truth AS FROM (VALUES
    (7, 'a', 3), (7, 'b', 1), (7, 'd', 2), (8, 'e', 1), (9, 'b', 2)
) AS t(userid, itemid, rel);
CREATE TABLE systems AS SELECT *, 'a' AS system FROM rec UNION ALL SELECT *, 'b' FROM rec WHERE itemid <> 'b';
CREATE TABLE by_user AS SELECT *, hash(userid, system) % 97 / 97 AS x FROM range(20) AS users(userid),
    (VALUES ('a'), ('b'), ('c')) AS systems(system);
"""
CHECK = "FROM ranking_check('rec', 'truth', ks := [1, 2])"
SUMMARY = "FROM ranking_summary('rec', 'truth', [2, 4, NULL])"
JUDGED = "FROM ranking_judged('rec', 'truth', 3) ORDER BY userid"
PAIRS = "FROM (VALUES (1, 3), (3, 1), (2, 2)) AS t(p, a)"
QUERIES = {
    "ranking_summary": SUMMARY,
    "ranking_by_user": "FROM ranking_by_user('rec', 'truth', [1, 3], ties := 'expected') ORDER BY userid, k",
    "ranking_distribution": "FROM ranking_distribution('rec', 'truth', [2], ties := 'expected')",
    "ranking_compare": "FROM ranking_compare('systems', 'truth', [2], measures := ['map(normalize=min)'])",
    "ranking_compare_by_user": "FROM ranking_compare_by_user('by_user')",
    "ranking_precision_recall_curve": "FROM ranking_precision_recall_curve('rec', 'truth', 3)",
    "ranking_interpolated_precision_curve": "FROM ranking_interpolated_precision_curve('rec', 'truth')",
    "ranking_judged": JUDGED,
    "ranking_check": CHECK,
    "ranking_functions": "FROM ranking_functions()",
    "ranking_mean": f"SELECT ranking_mean(p / a), ranking_mean(1e9 * p) {PAIRS}",
    "ranking_judge": "SELECT ranking_judge(['a'], ['b', 'a']), ranking_judge([3, 1], [2, 1], [1, 2.5])",
    "udf_mae": f"SELECT udf_mae(p, a) {PAIRS}",
    "udf_mse": f"SELECT udf_mse(p, a) {PAIRS}",
    "udf_rmse": f"SELECT udf_rmse(p, a) {PAIRS}",
    "udf_r2": f"SELECT udf_r2(p, a) {PAIRS}",
    "udf_logloss": f"SELECT udf_logloss(p / 4, a % 2) {PAIRS}",
    "udf_personalization": f"SELECT udf_personalization([p, a]) {PAIRS}",
    "udf_catalog_coverage": f"SELECT udf_catalog_coverage([p, a], 9) {PAIRS}",
    "udf_gini_coverage": f"SELECT udf_gini_coverage([p, a], 9) {PAIRS}",
    **{f"ranking_{name}": f"SELECT ranking_{name}(judged, 3) {JUDGED}" for name in MEASURES},
}

Rows = list[tuple[Any, ...]]
Client = Callable[..., Rows]


def shell(database: Path, *statements: str, options: tuple[str, ...] = (), stdin: Path | None = None) -> Rows:
    """The rows that a session of DuckDB's shell prints, as text."""
    commands = [part for statement in statements for part in ("-c", statement)]
    with open(stdin or "/dev/null", encoding="utf-8") as text:
        found = subprocess.run(
            [SHELL, *options, "-csv", "-noheader", "-nullvalue", "None", database, *commands],
            stdin=text,
            capture_output=True,
            text=True,
            check=False,
        )
    if found.returncode or found.stderr:
        raise duckdb.Error(found.stderr)
    return [tuple(row) for row in csv.reader(found.stdout.splitlines())]


def python(database: Path, *statements: str, stdin: Path | None = None) -> Rows:
    """The rows of a session of Python's that knows nothing of the pack, as text."""
    with duckdb.connect(database) as con:
        for statement in (stdin.read_text(encoding="utf-8"),) if stdin else statements:
            found = con.execute(statement)
        return [tuple(map(str, row)) for row in found.fetchall()]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return tmp_path / "shop.duckdb"


@pytest.fixture
def bare() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield con


def run_script(con: duckdb.DuckDBPyConnection) -> None:
    """Run it as a client does that reads a statement at a time."""
    for statement in con.extract_statements(SCRIPT.read_text(encoding="utf-8")):
        con.execute(con.extract_statements(statement.query)[0])


def assert_same(found: Rows, expected: Rows) -> None:
    """Equal, numbers to 1e-12."""
    assert len(found) == len(expected) > 0
    for row, others in zip(found, expected, strict=True):
        for cell, other in zip(row, others, strict=True):
            if isinstance(other, float):
                assert is_close(float(cell), other, 1e-12), (row, others)
            else:
                assert str(cell) == str(other), (row, others)


# --- The script ---


@pytest.mark.parametrize("client", [shell, python])
def test_the_script_serves_later_sessions_and_views(
    con: duckdb.DuckDBPyConnection, shop: Path, client: Client
) -> None:
    client(shop, TABLES)
    assert client(shop, stdin=SCRIPT) == []
    client(shop, f"CREATE VIEW summary AS {SUMMARY}")
    con.execute(TABLES)
    for query in (SUMMARY, CHECK, QUERIES["ranking_ndcg"]):
        assert_same(client(shop, query), con.execute(query).fetchall())
        assert_same(python(shop, query), con.execute(query).fetchall())  # what one wrote the other reads
    assert client(shop, "FROM summary") == client(shop, SUMMARY)
    assert client(shop, "SELECT ranking_version()") == [(f"duckdb-ranking-udfs {udfs.__version__}",)]
    with duckdb.connect() as elsewhere:
        rows = elsewhere.execute(f"ATTACH '{shop}' AS other (READ_ONLY); FROM other.summary").fetchall()
    assert_same(rows, con.execute(SUMMARY).fetchall())


@pytest.fixture(scope="module")
def twins() -> Iterator[tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection]]:
    """A connection that has the script alone, and one with all that the pack has, over the same tables."""
    with duckdb.connect() as alone, duckdb.connect() as registered:
        run_script(alone)
        udfs.register(registered)
        for con in (alone, registered):
            con.execute(TABLES)
        yield alone, registered


def test_every_macro_that_a_user_may_call_has_a_query_here() -> None:
    assert QUERIES.keys() == {name for name in in_file() if not name.startswith("_")}


@pytest.mark.parametrize("name", QUERIES)
def test_every_macro_returns_without_python_what_it_returns_beside_it(
    twins: tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection], name: str
) -> None:
    """To the bit, which repr shows."""
    found, expected = (con.execute(QUERIES[name]).fetchall() for con in twins)
    assert len(found) > 0
    assert repr(found) == repr(expected)


CALL_OF_PYTHON = re.compile(rf"(?<!\w)({'|'.join(UDFS)})\(")


@pytest.mark.parametrize("name", [name for name in QUERIES if is_table(name)])
def test_no_plan_of_a_table_function_has_a_python_function(
    twins: tuple[duckdb.DuckDBPyConnection, duckdb.DuckDBPyConnection], name: str
) -> None:
    """In the plan as JSON, since EXPLAIN shows the alias of a call in place of the call."""
    _, registered = twins

    def called(query: str) -> set[str]:
        (plan,) = registered.execute(f"SELECT json_serialize_plan($${query}$$, optimize := false)").fetchone()
        found = re.findall(
            r'"path":\["system","main","(\w+)"|"name":"(\w+)","arguments"', plan
        )  # DuckDB 2 | 1
        return {one or other for one, other in found}

    assert called("SELECT ndcg(judged, 2) AS x FROM ranking_judged('rec', 'truth', 2)") & UDFS.keys() == {
        "ndcg"
    }
    functions = called(QUERIES[name])
    assert len(functions) > 0
    # Of a comparison's plan, where the other test is asked for.
    assert functions & UDFS.keys() == ({"_ranking_sign_flips"} if "compare" in name else set())


def test_nothing_in_the_script_calls_a_python_function() -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    assert "system.main" not in script
    assert not CALL_OF_PYTHON.search(re.sub(r"'(?:[^']|'')*'", "''", script))  # what errors say is no call


def test_nothing_in_the_script_has_typed_parameters(bare: duckdb.DuckDBPyConnection) -> None:
    run_script(bare)
    typed = """
        SELECT function_name FROM duckdb_functions()
        WHERE database_name = 'memory' AND list_count(parameter_types) > 0"""
    assert bare.execute(typed).fetchall() == []


def test_the_script_has_every_macro_but_short_names_and_hivemalls_helpers(
    bare: duckdb.DuckDBPyConnection,
) -> None:
    run_script(bare)
    made = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'memory'"
    found = {name for (name,) in bare.execute(made).fetchall()}
    assert found == {*in_file(), "ranking_version", "_ranking_macros"}
    assert found > {"ranking_summary", "_ranking_judged", "ranking_precision_recall_curve", "udf_mae"}
    short = {name for name, macro in macros().items() if name != macro.always}
    left_out = {
        name for name in macros().keys() - found - short if not re.match("_ranking_(order|pairs|first)", name)
    }
    assert left_out == {
        f"udf_{name}" for name in ("collect_set", "struct", "to_ordered_list", "to_ordered_map")
    }


@pytest.mark.parametrize("option", ["-f", ".read"])
def test_the_shell_may_read_the_script_in_other_ways(shop: Path, option: str) -> None:
    if option == "-f":
        shell(shop, options=("-f", str(SCRIPT)))
    else:
        shell(shop, f".read {SCRIPT}")
    assert shell(shop, "SELECT udf_mae(1, 3)") == [("2.0",)]


def test_the_shell_divides_whatever_its_setting(shop: Path) -> None:
    assert shell(shop, options=("-cmd", "SET integer_division = true"), stdin=SCRIPT) == []
    made = "SELECT count(*) FILTER (macro_definition LIKE '%//%'), count(*) > 30 FROM duckdb_functions()"
    assert shell(shop, f"{made} WHERE database_name = 'shop'") == [("0", "true")]


def test_the_script_runs_in_a_schema_of_its_own(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("CREATE SCHEMA s; USE s")
    bare.execute(TABLES)
    run_script(bare)
    assert len(bare.execute(CHECK).fetchall()) > 0
    made = "SELECT DISTINCT schema_name FROM duckdb_functions() WHERE function_name = '_ranking_row'"
    assert bare.execute(made).fetchall() == [("s",)]


@pytest.mark.parametrize("before", ["", "CREATE OR REPLACE MACRO udf_mae(a) AS 'old'"])
def test_a_second_run_is_an_upgrade(bare: duckdb.DuckDBPyConnection, before: str) -> None:
    run_script(bare)
    bare.execute(before)
    run_script(bare)
    assert bare.execute("SELECT udf_mae(1, 3)").fetchall() == [(2,)]


def test_a_script_that_knows_more_macros_is_an_upgrade(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("CREATE MACRO udf_mae(a) AS 'old'")
    bare.execute("CREATE MACRO _ranking_macros() AS 'duckdb-ranking-udfs 0.0.1 udf_mae _ranking_macros'")
    run_script(bare)
    assert bare.execute("SELECT udf_mae(1, 3)").fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("hers", "name"),
    [
        ("CREATE MACRO UDF_MAE(a, b) AS 'hers'", "udf_mae"),
        ("CREATE MACRO ranking_check(a) AS TABLE SELECT 'hers'", "ranking_check"),
        ("CREATE MACRO _ranking_macros() AS 'hers _ranking_macros'", "_ranking_macros"),
    ],
)
def test_a_name_of_another_origin_stops_the_script_before_it_writes(shop: Path, hers: str, name: str) -> None:
    message = rf"ranking_udfs\.sql: there must be no {name} of another origin, got one in shop\.main"
    mine = "SELECT function_name, macro_definition FROM duckdb_functions() WHERE database_name = 'shop'"
    shell(shop, hers)
    before = shell(shop, mine)
    assert len(before) == 1
    with pytest.raises(duckdb.Error, match=message):
        shell(shop, stdin=SCRIPT)
    for options, stdin in ((("-bail",), SCRIPT), (("-f", str(SCRIPT)), None)):
        with pytest.raises(duckdb.Error, match=message) as raised:
            shell(shop, options=options, stdin=stdin)
        assert str(raised.value).count("Error: ") == 1
    assert shell(shop, mine) == before


def test_short_names_are_the_owners(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute("CREATE MACRO mae(a, b) AS 'hers'; CREATE SCHEMA s; CREATE MACRO s.udf_mae(a, b) AS 'hers'")
    run_script(bare)
    assert bare.execute("SELECT mae(1, 3), s.udf_mae(1, 3), udf_mae(1, 3)").fetchall() == [
        ("hers", "hers", 2)
    ]


# --- integer_division ---


@pytest.mark.parametrize("setting", [True, False])
def test_the_script_divides_whatever_the_setting_which_stays(
    bare: duckdb.DuckDBPyConnection, setting: bool
) -> None:
    bare.execute(f"SET integer_division = {setting}")
    run_script(bare)
    told = "SELECT current_setting('integer_division'), getvariable('ranking_integer_division')"
    assert bare.execute(told).fetchall() == [(setting, None)]
    made = "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'memory' AND macro_definition LIKE "
    assert bare.execute(made + "'%//%'").fetchall() == [(0,)]
    assert bare.execute(made + "'% / %'").fetchall() > [(0,)]


def test_a_client_that_parses_all_at_once_is_told(shop: Path) -> None:
    with duckdb.connect(shop, config={"integer_division": True}) as con:
        message = r"ranking_udfs\.sql: integer_division must be false, got true"
        with pytest.raises(duckdb.InvalidInputException, match=message):
            con.execute(SCRIPT.read_text(encoding="utf-8"))
        con.execute("ROLLBACK")
        made = "SELECT count(*) FROM duckdb_functions() WHERE database_name = 'shop'"
        assert con.execute(made).fetchall() == [(0,)]


# --- Attached under another name ---


@pytest.fixture
def other(shop: Path, bare: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A session with tables of its own, and with a database that has the macros attached as `other`."""
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{shop}' AS made (STORAGE_VERSION 'v1.4.0'); USE made")
        con.execute(TABLES)
        run_script(con)
        con.execute(f"CREATE VIEW problems AS {CHECK}")
    bare.execute("CREATE TABLE rec AS SELECT 1 AS userid, 1 AS itemid, 'NaN'::DOUBLE AS score")
    bare.execute("CREATE TABLE truth AS SELECT 1 AS userid, 1 AS itemid")
    return bare.execute(f"ATTACH '{shop}' AS other (READ_ONLY)")


NAN = [("rec: score is NaN", 1, "userid 1, itemid 1")]


def test_a_view_is_read_from_elsewhere_and_finds_its_own_tables(other: duckdb.DuckDBPyConnection) -> None:
    found = other.execute("FROM other.problems").fetchall()
    assert len(found) > 1
    assert found == other.execute(f"USE other; {CHECK}").fetchall() != NAN


def test_the_macros_of_an_attached_database_are_found_on_the_search_path(
    other: duckdb.DuckDBPyConnection,
) -> None:
    other.execute("SET search_path = 'memory,other'")
    assert other.execute(CHECK).fetchall() == NAN
    assert len(other.execute("FROM ranking_check('other.rec', 'other.truth')").fetchall()) > 1


def test_the_name_of_an_attached_database_is_not_enough(other: duckdb.DuckDBPyConnection) -> None:
    """DuckDB looks for the inner macros from where the caller is. The README says so."""
    with pytest.raises(duckdb.CatalogException, match=r"_ranking_\w+ does not exist"):
        other.execute("FROM other.ranking_check('rec', 'truth')")


# --- Beside Python ---


def test_register_takes_the_macros_in_a_file_for_the_packs(bare: duckdb.DuckDBPyConnection) -> None:
    bare.execute(TABLES)
    run_script(bare)
    udfs.register(bare)  # a warning would be an error
    udfs.register(bare, temp=False)
    assert bare.execute("SELECT mae(1, 3), recall([1], [1])").fetchall() == [(2, 1)]
    rows = bare.execute(SUMMARY).fetchall()
    assert len(rows) == 3
    assert bare.execute(SUMMARY.replace("FROM ", "FROM ranking.")).fetchall() == rows


# --- The command ---


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "--pack"]) == 0
    assert capsys.readouterr().out == SCRIPT.read_text(encoding="utf-8")


@pytest.mark.parametrize("times", [1, 2])
def test_install_runs_the_script_in_a_file(
    shop: Path, capsys: pytest.CaptureFixture[str], times: int
) -> None:
    python(shop, TABLES)
    for _ in range(times):
        assert main(["install", str(shop)]) == 0
        said = f"{shop}: installed duckdb-ranking-udfs {udfs.__version__}: "
        assert capsys.readouterr().out == f"{said}FROM ranking_summary('rec', 'truth', [5, 10])\n"
    assert len(python(shop, CHECK)) > 1


def test_install_makes_no_new_file(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (shop, shop.parent, ":memory:"):
        assert main(["install", str(path)]) == 1
        message = f"{path}: no such file: install needs a DuckDB database that is there"
        assert capsys.readouterr().err == f"ranking-udfs: error: {message}\n"
    assert list(shop.parent.iterdir()) == []


@pytest.mark.parametrize("name", ["table.csv", "table.txt", "empty.duckdb"])
def test_install_leaves_a_file_alone_that_is_no_database(
    shop: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = shop.parent / name
    file.write_text("" if name == "empty.duckdb" else "a,b\n1,2\n")
    before = file.read_bytes()
    assert main(["install", str(file)]) == 1
    error = capsys.readouterr().err
    assert re.fullmatch(r"ranking-udfs: error: [^\n]*not a (valid )?DuckDB database[^\n]*\n", error), error
    assert file.read_bytes() == before


def test_install_says_what_stands_in_its_way(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python(shop, "CREATE MACRO ranking_summary(a) AS TABLE SELECT a")
    assert main(["install", str(shop)]) == 1
    error = capsys.readouterr().err
    assert error.endswith("there must be no ranking_summary of another origin, got one in shop.main\n")
    assert error.count("\n") == 1
    assert python(shop, "FROM ranking_summary(5)") == [("5",)]

"""The pack without Python: the script that stays in a database, in DuckDB's shell and on bare connections."""

import csv
import json
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.duckdb.macros import macros
from ranking_udfs.folder import folder
from ranking_udfs.macros.portable import script_macros
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Captured, Con, Patch, is_close, module_connection, refusal, value

SCRIPT = Path(str(folder())) / "ranking_udfs.sql"
SHELL = Path(sysconfig.get_path("scripts")) / "duckdb"

# Ties, a repeated row, and users of each table alone.
TABLES = """
    CREATE TABLE rec AS FROM (VALUES (7, 'a', 10.0), (7, 'c', 8.0), (7, 'b', 6.0), (7, 'f', 2.0),
        (9, 'a', 1.0), (9, 'a', 1.0), (10, 'b', 1.0)) AS t(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES (7, 'a', 3), (7, 'b', 1), (7, 'd', 2), (8, 'e', 1), (9, 'b', 2))
        AS t(userid, itemid, rel)"""
SUMMARY = "FROM ranking.evaluate('rec', 'truth', [2, 4, NULL])"
NDCG = "SELECT ranking.ndcg(judged, 3) FROM ranking.judged('rec', 'truth', 3) ORDER BY userid"
# The users of truth; this is planned faster than other table functions.
USERS = "SELECT list(userid ORDER BY userid) FROM ranking.judged('rec', 'truth', 3)"

Rows = list[tuple[Any, ...]]


script = module_connection(TABLES, is_script=True)


def shell(database: Path, *statements: str, options: tuple[str, ...] = (), stdin: Path | None = None) -> Rows:
    """Return the rows that a session of DuckDB's shell prints, as text, with integer division set."""
    commands = [part for statement in statements for part in ("-c", statement)]
    setting = ["-cmd", "SET integer_division = true"]
    command = [SHELL, *options, *setting, "-csv", "-noheader", "-nullvalue", "None", database, *commands]
    text = stdin.read_text(encoding="utf-8") if stdin else ""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise duckdb.Error(done.stderr)
    return [tuple(row) for row in csv.reader(done.stdout.splitlines())]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return tmp_path / "shop.duckdb"


def run_script(con: Con) -> None:
    """Run it as a client does that reads a statement at a time."""
    for statement in con.extract_statements(SCRIPT.read_text(encoding="utf-8")):
        con.execute(con.extract_statements(statement.query)[0])


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database of the script and TABLES by DuckDB's shell, which tests only read."""
    path = tmp_path_factory.mktemp("script") / "shop.duckdb"
    shell(path, TABLES)
    assert shell(path, stdin=SCRIPT) == []
    shell(path, f"CREATE VIEW summary AS {SUMMARY}")
    return path


def assert_same(found: Rows, expected: Rows) -> None:
    """Assert that rows are equal, numbers to 1e-12."""
    assert len(found) == len(expected) > 0
    for row, others in zip(found, expected, strict=True):
        for cell, other in zip(row, others, strict=True):
            same = (
                is_close(float(cell), other, 1e-12) if isinstance(other, float) else str(cell) == str(other)
            )
            assert same, (row, others)


@pytest.mark.slow
def test_the_script_serves_later_sessions_and_views(con: Con, database: Path) -> None:
    con.execute(TABLES)
    with duckdb.connect(database) as later:  # what one wrote the other reads
        assert_same(later.execute(NDCG).fetchall(), con.execute(NDCG).fetchall())
    version = f"duckdb-ranking-udfs {ranking_udfs.__version__}"
    assert shell(database, "SELECT ranking.version()") == [(version,)]
    expected = con.execute(SUMMARY).fetchall()
    assert_same(shell(database, "FROM summary"), expected)
    with duckdb.connect() as elsewhere:
        rows = elsewhere.execute(f"ATTACH '{database}' AS other (READ_ONLY); FROM other.summary").fetchall()
    assert_same(rows, expected)


# Words before a bracket that call no function, and a table of the same form.
SYNTAX = """and as by case cast coalesce else exists filter from in join lateral materialized not nullif on or
    over row select then try_cast using values when where exclude replace columns distinct union all except
    anti struct map decimal lists _ranking_lists"""


def calls_in(sql: str) -> set[str]:
    """Return the names that a macro calls, in lower case, but for what its texts hold."""
    code = re.sub(r"'(?:[^']|'')*'", "''", sql.partition(" AS")[2])
    return {name.lower() for name in re.findall(r"(?<![\w.\"])([A-Za-z_]\w*)\(", code)}


@pytest.mark.slow
def test_a_macro_of_the_script_keeps_its_rules(bare: Con) -> None:
    """The SQL that a macro makes, in texts, calls none of the others either."""
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE internal"
    known = {name for (name,) in bare.execute(sql).fetchall()} | {*SYNTAX.split()}
    rules: dict[str, Callable[[str], Any]] = {
        "calls no function of Python": lambda sql: re.findall(r"system\.main\.?\w*", sql),
        "calls no macro of the pack": lambda sql: (
            {*re.findall(r"\b_?ranking_\w+(?=\()", sql)} - {"_ranking_lists"}
        ),
        "calls DuckDB's functions alone": lambda sql: calls_in(sql) - known,
    }
    broken = [
        f"{name} {rule}: {found}"
        for name, sql in script_macros().items()
        for rule, find in rules.items()
        if (found := find(sql))
    ]
    # DuckDB 2.0.0 forgets the names where it writes a macro into a file of an older format: write {...}.
    broken += [
        f"{name} passes no arguments by name: {found}"
        for name, macro in macros().items()
        if (found := re.findall(r"\bstruct_(?:update|insert|pack)\(", macro.sql))
    ]
    assert broken == []


def test_a_file_works_under_whatever_name_it_is_attached(con: Con, database: Path) -> None:
    """The tables are those that the session finds."""
    con.execute(TABLES)
    with duckdb.connect() as elsewhere:
        elsewhere.execute(f"ATTACH '{database}' AS market (READ_ONLY)").execute(TABLES)
        for query in (SUMMARY, NDCG, "FROM ranking.check('rec', 'truth', [2])", "SELECT ranking.mae(1, 3)"):
            rows = elsewhere.execute(query.replace("ranking.", "market.ranking.")).fetchall()
            assert_same(rows, con.execute(query).fetchall())


@pytest.mark.slow
def test_the_script_runs_again_beside_names_of_others(bare: Con) -> None:
    """In a schema of its own it makes every macro but Hivemall's helpers; it divides whatever the setting."""
    bare.execute("CREATE MACRO mae(a, b) AS 'hers'; CREATE SCHEMA s; USE s; SET integer_division = true")
    run_script(bare)
    bare.execute("CREATE MACRO ranking.mine() AS 'hers'")
    run_script(bare)
    settings = "SELECT current_setting('integer_division'), getvariable('ranking_integer_division')"
    assert bare.execute(settings).fetchall() == [(True, None)]
    assert bare.execute(TABLES).execute(USERS).fetchall() == [([7, 8, 9],)]
    sql = "SELECT main.mae(1, 3), ranking.mae(1, 3), ranking.mine()"
    assert bare.execute(sql).fetchall() == [("hers", 2, "hers")]
    made = bare.execute("""
        SELECT function_name, list_count(parameter_types), macro_definition FROM duckdb_functions()
        WHERE database_name = 'memory' AND function_name <> 'mine'
            AND NOT (schema_name = 'main' AND function_name = 'mae')
    """).fetchall()
    names, _, texts = zip(*made, strict=True)
    assert {*names} == {*script_macros()} == {one.name for one in macros().values() if not one.is_temp}
    typed = [name for name, n_types, _ in made if n_types]
    assert not typed, "clients would have to keep to the types of these parameters"
    assert not [name for name, _, text in made if "//" in text]
    assert any(" / " in text for text in texts)


OF_0_2 = """
    CREATE MACRO ranking_version() AS 'duckdb-ranking-udfs 0.2.0'; CREATE MACRO _ranking_call(a) AS a;
    CREATE MACRO udf_mae(a, b) AS a;
    COMMENT ON MACRO ranking_version IS 'x'; COMMENT ON MACRO udf_mae IS 'x'"""


@pytest.mark.slow
def test_the_macros_of_version_0_2_are_dropped_from_main_and_no_others(bare: Con) -> None:
    names = "SELECT list(function_name ORDER BY function_name) FROM duckdb_functions() "
    names += "WHERE schema_name = 'main' AND NOT internal"
    bare.execute("CREATE MACRO ranking_summary(a) AS TABLE SELECT 'hers'; CREATE MACRO ranking_mine() AS 1")
    run_script(bare)
    assert value(bare, names) == ["ranking_mine", "ranking_summary"]
    bare.execute("DROP MACRO TABLE ranking_summary").execute(OF_0_2)
    bare.execute("CREATE SCHEMA s; SET search_path = 's,main'")
    run_script(bare)
    assert value(bare, names) == ["ranking_mine"]
    assert value(bare, "SELECT current_setting('search_path')") == "memory.s,memory.main"  # which is the same
    assert value(bare, "SELECT ranking.mae(1, 3)") == 2


@pytest.mark.parametrize("hers", ["CREATE MACRO udf_rmse(a) AS 1", "CREATE TEMP MACRO udf_rmse(a) AS 1"])
def test_a_users_macro_named_as_in_version_0_2_stops_the_script(bare: Con, hers: str) -> None:
    bare.execute(OF_0_2).execute(hers)
    error = "udf_rmse in (memory|temp) has a name of version 0.2, whose macros go, and is not one: rename it"
    with pytest.raises(duckdb.InvalidInputException, match=f"^Invalid Input Error: {SCRIPT.name}: {error}"):
        run_script(bare)
    bare.execute("ROLLBACK")
    assert bare.execute("SELECT udf_rmse(1), udf_mae(1, 2), _ranking_call(3)").fetchall() == [(1, 1, 3)]


@pytest.mark.parametrize(
    ("hers", "options"),
    [
        ("CREATE SCHEMA ranking", ()),
        ("CREATE SCHEMA Ranking; CREATE MACRO ranking.version() AS 'hers'", ("-bail",)),
    ],
)
def test_a_schema_of_another_origin_stops_the_script_before_it_writes(
    shop: Path, hers: str, options: tuple[str, ...]
) -> None:
    mine = "SELECT function_name, macro_definition FROM duckdb_functions() WHERE database_name = 'shop'"
    before = shell(shop, hers, mine)
    message = "the schema ranking must not be of another origin, got one in shop: rename"
    with pytest.raises(duckdb.Error, match=rf"ranking_udfs\.sql: {message}") as raised:
        shell(shop, options=options, stdin=SCRIPT)
    assert not options or str(raised.value).count("Error: ") == 1
    assert shell(shop, mine) == before


def test_a_database_called_ranking_stops_the_script(tmp_path: Path) -> None:
    message = r"no database may be called ranking, got one of .*ranking\.duckdb: attach it under another name"
    with pytest.raises(duckdb.Error, match=message):
        shell(tmp_path / "ranking.duckdb", options=("-bail",), stdin=SCRIPT)


@pytest.mark.parametrize("truth", ["[1, 2]", "MAP {1: 2}", "[{'grade': 1, 'item': 2}]"])
def test_a_measure_of_lists_says_how_to_judge_them(script: Con, truth: str) -> None:
    for name, measure in MEASURES.items():
        k = ", 10" if measure.options else ""  # else DuckDB says how many arguments there may be
        assert refusal(script, f"SELECT ranking.{name}([1, 2], {truth}{k})") == (
            f"ranking.{name}: judged must be a judged ranking, got INTEGER[]: "
            f"write ranking.{name}(ranking.judge(rec, truth), 10)"
        )


def test_the_command_prints_the_script(capsys: Captured) -> None:
    assert main(["sql", "--pack"]) == 0
    assert capsys.readouterr().out == SCRIPT.read_text(encoding="utf-8")


NODE = """
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const con = await (await DuckDBInstance.create(':memory:')).connect();
  for (const statement of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
    var rows = (await con.runAndReadAll(statement)).getRowsJson();
  }
  console.log(JSON.stringify(rows));
})();
"""


def in_node(code: str, statements: list[str]) -> Any:
    """Return what a client prints in Node, which NODE_PATH tells where it is."""
    given = json.dumps(statements)
    found = subprocess.run(["node", "-e", code], input=given, capture_output=True, text=True, check=False)
    if "Cannot find module" in found.stderr:
        pytest.skip("npm install @duckdb/node-api, and set NODE_PATH")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.mark.newest
@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")
def test_node_attaches_a_file_of_the_script(con: Con, database: Path) -> None:
    attached = f"ATTACH '{database}' AS shop (READ_ONLY)"
    query = "SELECT recall, ndcg FROM ranking.evaluate('rec', 'truth', [2, 4], measures := 'recall,ndcg')"
    tables = filter(str.strip, TABLES.split(";"))
    found = in_node(NODE, [attached, *tables, query.replace("ranking.", "shop.ranking.")])
    assert_same(found, con.execute(TABLES).execute(query).fetchall())


COMPARE = "ranking.compare('rec', 'truth', [1]"
IN_PYTHON_ALONE = [
    (f"{COMPARE}, predicted_truth := 'truth')", "predicted_truth must be NULL", "truth"),
    ("ranking.compare_by_user('by_user', predicted := 'by_user')", "predicted must be NULL", "by_user"),
    (f"{COMPARE}, test := 'randomization')", "test must be t", "randomization"),
]


@pytest.mark.parametrize(("call", "rule", "got"), IN_PYTHON_ALONE)
def test_what_only_python_compares_is_refused_while_the_query_is_planned(
    script: Con, call: str, rule: str, got: str
) -> None:
    found = refusal(script, f"EXPLAIN SELECT 1 FROM {call}")
    assert found.startswith(f"{call.partition('(')[0]}: {rule} where the Python package is not, got {got}")
    advice = ": use ranking_udfs.register, or ranking-udfs compare --predicted-truth"
    assert "predicted" not in rule or found.endswith(advice)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["shop.duckdb", "ranking.duckdb"])
def test_the_command_reads_a_database_with_the_script_or_called_ranking(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured, database: Path, file: str
) -> None:
    """Its views keep what they call; `ranking` would mean two things beside a database of the pack's."""
    monkeypatch.chdir(tmp_path)
    if file == database.name:
        shutil.copy(database, file)
    with duckdb.connect(file) as con:
        view = "ranking.judged('rec', 'truth', 3)"
        if file != database.name:
            ranking_udfs.register(con.execute(TABLES), name="rk")
            view = "(SELECT recall([1], [1]))"
        con.execute(f"CREATE VIEW shown AS SELECT * FROM rec WHERE (SELECT count(*) FROM {view}) > 0")
    assert main(["evaluate", "--database", file, "shown", "truth", "-m", "recall", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("k,users")

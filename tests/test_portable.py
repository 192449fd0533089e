"""Without Python: the script and frozen macros in DuckDB's shell, in Node and on bare connections."""

import csv
import json
import random
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.duckdb.macros import macros
from ranking_udfs.folder import folder
from ranking_udfs.kinds import TABLE
from ranking_udfs.macros.frozen import parameters_of
from ranking_udfs.macros.script import FORMS, script_macros
from ranking_udfs.measures.registry import MEASURES
from ranking_udfs.options import FUNCTIONS
from tests.calls import CONSTANT, MAKE, table_functions
from tests.conftest import Captured, Con, Patch, create_users, module_connection, refusal
from tests.definitions import random_rows
from tests.test_signatures import OF_ONE, OTHER
from tests.test_signatures import TABLES as SIGNED

SCRIPT = Path(str(folder())) / "ranking_udfs.sql"
SHELL = Path(sysconfig.get_path("scripts")) / "duckdb"
CLIENTS = ["bare", "shell", pytest.param("node", marks=pytest.mark.newest)]
# Ties, a repeated row, and users of each table alone.
TABLES = """
    CREATE TABLE rec AS FROM (VALUES (7, 'a', 10.0), (7, 'c', 8.0), (7, 'b', 6.0), (7, 'f', 2.0),
        (9, 'a', 1.0), (9, 'a', 1.0), (10, 'b', 1.0)) AS t(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES (7, 'a', 3), (7, 'b', 1), (7, 'd', 2), (8, 'e', 1), (9, 'b', 2))
        AS t(userid, itemid, rel)"""
SUMMARY = "FROM ranking.evaluate('rec', 'truth', [2, 4, NULL])"
# The users of truth; this is planned faster than other table functions.
USERS = "SELECT list(userid ORDER BY userid) FROM ranking.judged('rec', 'truth', 3)"
SOME = "judged, 3, gain := 'linear', discount := 'original', base := 3"
# Queries of the script; Python has a baseline by name.
OF_KS = ("evaluate", "by_user", "distribution")
QUERIES = [
    *(f"FROM ranking.{name}('rec', 'truth', [3, 33, NULL])" for name in OF_KS),
    *(f"FROM ranking.{name}('random_rec', 'random_truth', [0, 2, 5])" for name in ("by_user", "check")),
    *(
        f"FROM ranking.{name}('random_rec', 'random_truth', [2, NULL, 5, 2, NULL])"
        for name in ("evaluate", "by_user", "check")
    ),
    "FROM ranking.compare('random_rec', 'random_truth', [2, 5])",
    *(f"FROM ranking.judged('rec', 'truth', {k})" for k in ("0", "20", "NULL")),
    *(f"FROM ranking.compare('rec', 'truth', {more})" for more in ("[10]", "[3, 5], baseline := 'a'")),
    *(f"FROM ranking.check('messy_rec', 'messy_truth', {ks})" for ks in ("[10]", "[3, 50]", "[NULL]")),
    *(f"FROM ranking.explain('rec', 'truth', 3, {k})" for k in ("4", "1000")),
    "FROM ranking.gate('compared')",
    f"SELECT ranking.ndcg({SOME}), ranking.rbp(judged, 3, gain := 'graded') FROM judged_lists",
    f"SELECT {', '.join(f'ranking.{name}(judged, 2)' for name in MEASURES)} FROM judged_lists",
    """SELECT ranking.gini_coverage(rec), ranking.personalization(rec), ranking.catalog_coverage(rec, 20),
        ranking.mean(p), ranking.geometric_mean(p), ranking.r2(p, u), ranking.logloss(p, u / 50::DOUBLE)
    FROM lists GROUP BY g""",
]

Rows = list[tuple[Any, ...]]
script = module_connection(TABLES, is_script=True)


# --- The clients: each gives the rows of a query as texts ---


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Con]:
    """Make the tables of calls, those with other names of columns, and a world of the fuzzer."""
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute("CREATE SCHEMA signed; USE signed").execute(SIGNED)
        con.execute("CREATE TABLE timed AS SELECT *, i AS t FROM liked; USE memory").execute(MAKE)
        draw = random.Random(80)
        for system in "ab":
            create_users(con, random_rows(draw, 60, 9))
            con.execute(f"CREATE TABLE of_{system} AS SELECT '{system}' AS system, * FROM given")
        con.execute("CREATE TABLE random_rec AS FROM of_a UNION ALL FROM of_b")
        con.execute("CREATE TABLE random_truth AS FROM judged")
        yield con


@pytest.fixture(scope="module")
def database(con: Con, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database of the script and these tables by DuckDB's shell, which tests only read."""
    path = tmp_path_factory.mktemp("script") / "shop.duckdb"
    tables = con.execute("SELECT schema_name, table_name FROM duckdb_tables()").fetchall()
    statements = ["CREATE SCHEMA signed"]
    for schema, table in tables:
        file = path.with_name(f"{schema}.{table}.parquet")
        con.execute(f"COPY {schema}.{table} TO '{file}'")
        statements.append(f"CREATE TABLE {schema}.{table} AS FROM '{file}'")
    assert shell(path, stdin=SCRIPT) == []
    shell(path, *statements, f"CREATE VIEW summary AS {SUMMARY}")
    return path


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


NODE = """
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const [path, ...statements] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  const con = await (await DuckDBInstance.create(path, {access_mode: 'READ_ONLY'})).connect();
  for (const statement of statements) {
    var rows = (await con.runAndReadAll(statement)).getRowsJson();
  }
  console.log(JSON.stringify(rows));
})();
"""


def in_node(database: Path, *statements: str) -> Rows:
    """Return the rows of the last statement in Node, which NODE_PATH tells where it is."""
    given = json.dumps([str(database), *statements])
    done = subprocess.run(["node", "-e", NODE], input=given, capture_output=True, text=True, check=False)
    if "Cannot find module" in done.stderr:
        pytest.skip("npm install @duckdb/node-api, and set NODE_PATH")
    assert done.returncode == 0, done.stderr
    return [tuple(str(cell) for cell in row) for row in json.loads(done.stdout)]


def on_bare_connection(database: Path, *statements: str) -> Rows:
    with duckdb.connect(database, read_only=True) as bare:
        rows = [bare.execute(statement).fetchall() for statement in statements][-1]
    return [tuple(str(cell) for cell in row) for row in rows]


def client(name: str) -> Callable[..., Rows]:
    if name == "node" and shutil.which("node") is None:
        pytest.skip("no Node here")
    return {"bare": on_bare_connection, "shell": shell, "node": in_node}[name]


def as_texts(query: str) -> str:
    return f"SELECT COLUMNS(*)::VARCHAR FROM ({query})"


NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")


def assert_same(found: Rows, expected: Rows, about: str = "") -> None:
    """Assert that rows of texts are equal, fractions in them to 1e-11."""

    def parted(rows: Rows) -> list[tuple[str, list[float]]]:
        lines = ["\t".join("None" if cell is None else str(cell) for cell in row) for row in rows]
        return sorted((NUMBER.sub("#", line), [*map(float, NUMBER.findall(line))]) for line in lines)

    pairs = [*zip(parted(found), parted(expected), strict=True)]
    assert pairs, about
    for (text, numbers), (other, others) in pairs:
        assert text == other, about
        assert numbers == pytest.approx(others, rel=1e-11, abs=1e-11), about


# --- The script ---


def test_the_queries_have_each_function_of_the_script() -> None:
    called = {*re.findall(r"ranking\.(\w+)", " ".join(QUERIES))}
    assert called >= {*FORMS, *MEASURES}


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
def test_the_script_gives_the_numbers_of_python(con: Con, database: Path, name: str) -> None:
    run = client(name)
    for query in QUERIES:
        expected = con.execute(as_texts(query)).fetchall()
        assert_same(run(database, as_texts(query.replace("baseline := ", ""))), expected, query)


@pytest.mark.parametrize("selected", ["*", "count(*)"])
@pytest.mark.parametrize("ks", ["NULL", "[]", "[3, -4]", "[2.5]"])
def test_cutoffs_are_checked_whatever_is_selected(script: Con, selected: str, ks: str) -> None:
    for function in ("evaluate", "by_user", "distribution", "compare", "check"):
        found = refusal(script, f"SELECT {selected} FROM ranking.{function}('rec', 'truth', {ks})")
        rule = "ks must be a list of one or more integers of 0 or more"
        assert found == f"ranking.{function}: {rule}, got {ks}"


def test_a_negative_rank_is_refused(script: Con) -> None:
    for call in ("judged('rec', 'truth', -1)", "explain('rec', 'truth', 7, -1)"):
        found = refusal(script, f"SELECT count(*) FROM ranking.{call}")
        assert found == f"ranking.{call.partition('(')[0]}: max_k must be an integer of 0 or more, got -1"


# Words before a bracket that call no function, and tables of the same form.
SYNTAX = """and as by case cast coalesce else exists filter from in join lateral materialized not nullif on or
    over row select then try_cast using values when where exclude replace columns distinct union all except
    anti struct map decimal lists codes wanted between _ranking_lists"""


def calls_in(sql: str) -> set[str]:
    """Return the names that a macro calls, in lower case, but for what its texts hold."""
    code = re.sub(r"'(?:[^']|'')*'", "''", sql.partition(" AS")[2])
    return {name.lower() for name in re.findall(r"(?<![\w.\"])([A-Za-z_]\w*)\(", code)}


def test_a_macro_of_the_script_calls_no_other_macro_and_no_python(bare: Con) -> None:
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE internal"
    known = {name for (name,) in bare.execute(sql).fetchall()} | {*SYNTAX.split()}
    for name, macro in script_macros().items():
        assert not re.findall(r"system\.main\.?\w*", macro), name
        assert calls_in(macro) - known == set(), name
    # DuckDB 2.0.0 forgets the names where it writes a macro into a file of an older format: write {...}.
    named = {name for name, sql in script_macros().items() if re.search(r"\bstruct_\w+\([^)]*:=", sql)}
    assert named == set()


def test_a_file_works_under_whatever_name_it_is_attached(con: Con, database: Path) -> None:
    """The tables are those that the session finds."""
    with duckdb.connect() as elsewhere:
        elsewhere.execute(f"ATTACH '{database}' AS market (READ_ONLY)").execute(TABLES)
        con.execute("CREATE SCHEMA small; USE small").execute(TABLES)
        for query in (SUMMARY, USERS, "FROM ranking.check('rec', 'truth', [2])", "SELECT ranking.mae(1, 3)"):
            rows = elsewhere.execute(as_texts(query.replace("ranking.", "market.ranking."))).fetchall()
            assert_same(rows, con.execute(as_texts(query)).fetchall())
        con.execute("USE memory")
        found = elsewhere.execute(as_texts("FROM market.summary")).fetchall()  # which has tables of its own
        assert_same(found, con.execute(as_texts(SUMMARY)).fetchall())


def test_the_script_runs_again_beside_names_of_others(bare: Con) -> None:
    """It makes its macros in a schema of its own, with any number of statements at a time."""
    bare.execute("CREATE MACRO mae(a, b) AS 'hers'; CREATE SCHEMA s; USE s; SET integer_division = true")
    text = SCRIPT.read_text(encoding="utf-8")
    for more in ("CREATE MACRO ranking.mine() AS 'hers'", "SELECT 1"):
        for statement in bare.extract_statements(text):
            bare.execute(bare.extract_statements(statement.query)[0])  # the parser reads a setting
        bare.execute(more)
    assert bare.execute(TABLES).execute(USERS).fetchall() == [([7, 8, 9],)]
    sql = "SELECT main.mae(1, 3), ranking.mae(1, 3), ranking.mine(), ranking.version()"
    version = f"duckdb-ranking-udfs {ranking_udfs.__version__}"
    assert bare.execute(sql).fetchall() == [("hers", 2, "hers", version)]
    made = bare.execute("""
        SELECT DISTINCT function_name, list_count(parameter_types) FROM duckdb_functions()
        WHERE schema_name = 'ranking' AND function_name <> 'mine'""").fetchall()
    assert {name for name, _ in made} == {*script_macros()} < {*macros()}
    typed = [name for name, n_types in made if n_types]
    assert not typed, "files in the format of DuckDB 1.5 hold no types of parameters"


@pytest.mark.parametrize(
    ("hers", "options"),
    [
        ("CREATE SCHEMA ranking", ()),
        ("CREATE SCHEMA Ranking; CREATE MACRO ranking.version() AS 'hers'", ("-bail",)),
    ],
)
def test_a_schema_of_another_origin_stops_the_script_before_it_writes(
    tmp_path: Path, hers: str, options: tuple[str, ...]
) -> None:
    shop = tmp_path / "shop.duckdb"
    mine = "SELECT function_name, macro_definition FROM duckdb_functions() WHERE database_name = 'shop'"
    before = shell(shop, hers, mine)
    message = "no other schema or database may be called ranking, got one in shop: rename it"
    with pytest.raises(duckdb.Error, match=rf"ranking_udfs\.sql: {message}") as raised:
        shell(shop, options=options, stdin=SCRIPT)
    assert not options or str(raised.value).count("Error: ") == 1
    assert shell(shop, mine) == before


def test_a_database_called_ranking_stops_the_script(tmp_path: Path) -> None:
    file, mine = tmp_path / "ranking.duckdb", "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal"
    before = shell(file, mine)
    message = "no other schema or database may be called ranking, got one in ranking: rename it, or attach"
    with pytest.raises(duckdb.Error, match=message):
        shell(file, stdin=SCRIPT)
    assert shell(file, mine) == before


def test_the_command_prints_the_script(capsys: Captured) -> None:
    assert main(["sql", "--pack"]) == 0
    assert capsys.readouterr().out == SCRIPT.read_text(encoding="utf-8")


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
    assert "users" in capsys.readouterr().out


# --- Frozen macros ---

# The functions with options of their own that exclude each other.
PREDICTED = {"users": "NULL", "without_relevant": "'zero'", "predicted_truth": "'liked'"}
CASES = {name.removeprefix("ranking."): dict[str, str]() for name in table_functions() - {*CONSTANT}} | {
    "check": {"truth": "'timed'"},
    "check_rows": {"truth": "'timed'"},
    "compare with predicted_truth": PREDICTED,
    "check with predicted_truth": PREDICTED | {"truth": "'timed'"},
    "split by last": {"last": "1", "folds": "1", "test_from": "NULL", "test_size": "NULL", "gap": "NULL"},
}


@cache
def arguments_of(case: str) -> dict[str, str]:
    """Return all arguments of a call as SQL, none with its default if there is another value."""
    function = case.partition(" ")[0]
    values = OTHER | {"test": "'t'"} | OF_ONE.get(function, {}) | CASES[case]
    given = {"by_user": "'by_user'", "comparison": "'compared'", "user": "1"} | values
    return {name: given[name] for name in FUNCTIONS[function] if given[name] != "NULL"}


def flags_of(case: str) -> list[str]:
    """Return the same options for the command."""
    function, flags = case.partition(" ")[0], list[str]()
    for name, value in arguments_of(case).items():
        text = re.sub(r"[\[\]'{} ]|MAP", "", value).replace(":", "=")
        option = f"--{name.removesuffix('_col').replace('_', '-')}"
        taken = FUNCTIONS[function][name]
        if taken.kind is TABLE or name == "user":
            flags += [option] * (taken.default is not ...)
        elif value in ("true", "false"):
            flags += ["--ascending" if name == "descending" else option] * (
                (value == "true") != taken.default
            )
        else:
            flags += ["-k" if name in ("ks", "max_k", "k") else option, text]
    return flags


@pytest.mark.slow
@pytest.mark.parametrize("name", CLIENTS)
def test_a_frozen_macro_with_all_options_gives_the_rows_of_python(
    con: Con, database: Path, capsys: Captured, name: str
) -> None:
    run = client(name)
    for case in CASES:
        function, arguments = case.partition(" ")[0], arguments_of(case)
        assert main(["sql", function, *flags_of(case), "--macro", "temp.main.mine"]) == 0
        made = capsys.readouterr().out.replace("MACRO temp.main.mine", "TEMP MACRO mine")
        given = ", ".join(arguments[table] for table in parameters_of(function, {*arguments}))
        called = ", ".join(f"{argument} := {value}" for argument, value in arguments.items())
        expected = con.execute(f"USE signed; {as_texts(f'FROM ranking.{function}({called})')}").fetchall()
        found = run(database, "USE signed", made, as_texts(f"FROM mine({given})"))
        assert_same(found, expected, f"{case}: {made}")
    con.execute("USE memory")


def test_a_frozen_macro_checks_columns_of_its_own_names(bare: Con, capsys: Captured) -> None:
    flags = ["-k", "2", "--user", "my user", "--grade", "stars", "--macro", "shop.evaluate"]
    assert main(["sql", "evaluate", *flags]) == 0
    bare.execute("CREATE SCHEMA shop").execute(capsys.readouterr().out).execute(TABLES)
    error = "rec must have a column my user, got userid, itemid, score: rename one in a view"
    found = refusal(bare, "SELECT count(*) FROM shop.evaluate('rec', 'truth')")
    assert found == f"shop.evaluate: {error}"
    bare.execute('CREATE VIEW r AS SELECT * RENAME (userid AS "my user") FROM rec')
    bare.execute('CREATE VIEW t AS SELECT * RENAME (userid AS "my user", rel AS stars) FROM truth')
    assert bare.execute("SELECT k, users FROM shop.evaluate('r', 't')").fetchall() == [(2, 3)]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("compare -k 3 --test randomization", "sql: --test must be t in a macro, since randomization"),
        ("compare_by_user", "sql: -m must name the columns to compare in a macro, got none"),
        ("judged -k 1,2", "sql: -k must be one cutoff, got [1, 2]"),
        ("evaluate -k 3 -k 4", "-k must be given once, got it 2 times"),
        ("evaluate -k 3 --macro other", "--macro must be given once, got it 2 times"),
        ("evaluate -k 3 --ties x", "Invalid value for '--ties'"),
        (
            "intents_by_user -k 3 --alpha 2",
            "Invalid value for '--alpha': must be a number from 0 to 1",
        ),
        ("split --test-size x", "sql: Conversion Error: Could not convert string 'x' to INTERVAL"),
        ("split", "sql: test_from, test_size or last must say what the test is"),
        ("recall -k 3", "sql: --macro requires a FUNCTION, one of "),
    ],
)
def test_options_that_a_macro_cannot_have_are_refused(capsys: Captured, call: str, error: str) -> None:
    assert main(["sql", *call.split(), "--macro", "mine"]) == 2
    assert capsys.readouterr().err.startswith(f"ranking-udfs: error: {error}")


def test_an_option_of_0_is_not_its_default(capsys: Captured) -> None:
    assert main(["sql", "compare", "-k", "3", "--margin", "0", "--macro", "mine"]) == 0
    assert "p_same_place" in capsys.readouterr().out


def test_a_macro_has_a_name(capsys: Captured) -> None:
    assert main(["sql", "evaluate", "-k", "3", "--macro", "a b"]) == 2
    assert "the macro must have a name such as evaluate_shop, got a b" in capsys.readouterr().err

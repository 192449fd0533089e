"""A column that looks like systems, runs or grades, and is not named, is an error that says what to write."""

import re
from pathlib import Path

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb.wrappers import LIKE
from tests.command import Fails, Run
from tests.conftest import module_connection, value, with_internals

TABLES = """
    CREATE TABLE rec AS FROM (VALUES (1, 10, 3.0), (1, 20, 2.0), (2, 10, 1.0)) AS t(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES (1, 20), (2, 10)) AS t(userid, itemid);
    CREATE VIEW models AS SELECT *, 'a' AS "Model" FROM rec;
    CREATE VIEW runs AS SELECT *, 7 AS seed FROM rec;
    CREATE VIEW starred AS SELECT *, 5 AS stars FROM truth;
    CREATE VIEW harmless AS
    SELECT *, {'model': 1, 'seed': 2} AS about, 3 AS position, 'x' AS remodel FROM rec;
    CREATE VIEW harmless_truth AS
    SELECT *, 'good' AS stars, [5] AS rating, {'grade': 1} AS about, 0.5 AS score FROM truth;
"""
# What is no error, since the columns are named, are not to be read, or look like something else.
READ = [
    ("models", "truth", "system_col := 'model'"),
    ("models", "truth", "system_col := ''"),
    ("runs", "truth", "system_col := 'Seed'"),
    ("runs", "truth", "system_col := ''"),
    ("rec", "starred", "grade_col := 'Stars'"),
    ("rec", "starred", "grade_col := ''"),
    ("harmless", "harmless_truth", "system_col := NULL"),
    ("models", "starred", "system_col := '', grade_col := ''"),
]
tables = module_connection(TABLES)


@pytest.mark.parametrize(("rec", "truth", "names"), READ)
def test_a_column_that_is_read_or_looks_like_something_else_is_no_error(
    tables: duckdb.DuckDBPyConnection, rec: str, truth: str, names: str
) -> None:
    found = tables.execute(f"FROM ranking_judged('{rec}', '{truth}', 10, {names})").fetchall()
    assert len(found) == 2


def test_three_models_are_no_more_merged_in_silence(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute("CREATE OR REPLACE TEMP VIEW three AS SELECT *, unnest(['a', 'b', 'c']) AS model FROM rec")
    with pytest.raises(duckdb.InvalidInputException, match="system_col := 'model' keeps models apart"):
        tables.execute("FROM ranking_summary('three', 'truth', [1])")
    query = (
        "SELECT system, recall FROM ranking_summary('three', 'truth', [1], system_col := 'model') ORDER BY 1"
    )
    assert tables.execute(query).fetchall() == [("a", 0.5), ("b", 0.5), ("c", 0.5)]


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("grades", ["rating", "user_ratings", "Stars", "grade", "relevance", "label", "score"]),
        ("systems", ["model", "Model_ID", "algo", "variant", "recommender_name"]),
        ("runs", ["run", "RUN_ID", "seed", "random_seed", "trial", "fold", "repeat"]),
    ],
)
def test_names_of_columns_are_known_in_any_case_and_as_a_whole(
    tables: duckdb.DuckDBPyConnection, what: str, names: list[str]
) -> None:
    own = with_internals(tables.cursor())
    others = [f"x{names[0]}", f"{names[0]}x", f"a {names[0]}"]
    columns = ", ".join(f'"{name}" DECIMAL(9,2)' for name in (*others, *names))
    assert value(own, f"SELECT _ranking_like_{what}(_ranking_column_texts('STRUCT({columns})'))") == names
    assert all(re.fullmatch(LIKE[what], name, re.IGNORECASE) for name in names)


def test_the_recipe_for_runs_counts_a_user_once(tables: duckdb.DuckDBPyConnection) -> None:
    """Two runs of each of two equal models: the difference is that of the users' means."""
    tables.execute("""
        CREATE OR REPLACE TEMP TABLE lists AS
        SELECT system || '/' || run AS list, userid, itemid, score * (3 - 2 * run) AS score
        FROM rec, (VALUES ('a'), ('b')) AS systems(system), (VALUES (1), (2)) AS runs(run);
        CREATE OR REPLACE TEMP TABLE by_user AS
        SELECT split_part(system, '/', 1) AS system, userid, k, ranking_mean(mrr) AS mrr
        FROM ranking_by_user('lists', 'truth', [10], system_col := 'list') GROUP BY ALL
    """)
    # User 1 has 20 at rank 2, and in the second run at rank 1.
    found = tables.execute("SELECT system, mrr FROM by_user WHERE userid = 1 ORDER BY ALL").fetchall()
    assert found == [("a", (1 / 2 + 1) / 2), ("b", (1 / 2 + 1) / 2)]
    compared = "FROM ranking_compare_by_user('by_user', baseline := 'a')"
    assert tables.execute(f"SELECT users, difference, ties {compared}").fetchall() == [(2, 0.0, 2)]


# --- Files and Python ---


@pytest.fixture
def files(folder: Path) -> None:
    rows = {"model": "a", "seed": "7"}
    for column, found in rows.items():
        Path(f"{column}.csv").write_text(f"userid,itemid,score,{column}\n1,10,3,{found}\n1,20,2,{found}\n")
    Path("rec.csv").write_text("userid,itemid,score\n1,10,3\n1,20,2\n")
    Path("truth.csv").write_text("userid,itemid\n1,20\n")
    Path("stars.csv").write_text("userid,itemid,stars\n1,20,5\n")


@pytest.mark.usefixtures("files")
def test_the_command_says_which_option_to_write(run: Run, fails: Fails) -> None:
    error = fails(1, "evaluate", "model.csv", "truth.csv")
    assert error == (
        "model.csv: has a column model that is not read: --system model keeps models apart; --system '' if "
        "each user "
        "has one list"
    )
    error = fails(1, "evaluate", "rec.csv", "stars.csv")
    assert error == (
        "stars.csv: has a column stars that is not read: --grade stars takes it as the grade; --grade '' "
        "makes every "
        "row of truth relevant"
    )
    error = fails(1, "compare", "a=seed.csv", "b=rec.csv", "truth.csv")
    assert error == (
        "seed.csv: has a column seed that is not read, and would make one list of several runs: as "
        "--system, name a "
        "column with system/seed (then take the mean of each user's runs); leave it out if each user has "
        "one list"
    )
    for arguments in (
        ("model.csv", "truth.csv", "--system", ""),
        ("seed.csv", "truth.csv", "--system", ""),
        ("rec.csv", "stars.csv", "--grade", ""),
        ("a=model.csv", "b=rec.csv", "truth.csv"),  # whose name is given may have a column with it
    ):
        assert "0.5" in run("evaluate", *arguments, "-m", "mrr", "-k", "2", "--no-check")


@pytest.mark.usefixtures("files")
def test_python_says_which_argument_to_write() -> None:
    rule = "system_col='model' keeps models apart; system_col='' if each user has one list"
    with pytest.raises(
        ValueError, match=re.escape(f"model.csv: has a column model that is not read: {rule}")
    ):
        ranking_udfs.evaluate("model.csv", "truth.csv")
    found = ranking_udfs.evaluate("model.csv", "stars.csv", "mrr", system_col="", grade_col="", check=False)
    assert found.select("mrr").fetchall() == [(0.5,)]


@pytest.mark.usefixtures("folder")
def test_a_score_of_truth_that_varies_is_a_grade_that_is_not_read(fails: Fails, run: Run) -> None:
    """BEIR calls the grade so; where all are 1, nothing is lost."""
    Path("rec.csv").write_text("userid,itemid,score\n1,10,3\n1,20,2\n")
    Path("beir.csv").write_text("userid,itemid,score\n1,10,0\n1,20,2\n")
    Path("ones.csv").write_text("userid,itemid,score\n1,20,1\n1,30,1\n")
    rule = "beir.csv: has a column score that is not read: "
    for command in (("evaluate",), ("check",), ("compare", "b=rec.csv")):
        error = fails(1, command[0], "a=rec.csv", *command[1:], "beir.csv")
        assert error.startswith(f"{rule}--grade score takes it as the grade; --grade '' ")
    for function in (ranking_udfs.evaluate, ranking_udfs.report):
        with pytest.raises(ValueError, match=re.escape(f"{rule}grade_col='score' takes it as the grade")):
            function("rec.csv", "beir.csv")
    assert "0.5" in run("evaluate", "rec.csv", "beir.csv", "--grade", "score", "-m", "mrr", "-k", "2")
    assert "0.5" in run("evaluate", "rec.csv", "ones.csv", "-m", "recall", "-k", "2")

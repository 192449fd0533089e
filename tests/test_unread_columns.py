"""A column that looks like systems, runs or grades, and is not named: see golden/errors.txt too."""

import duckdb
import pytest

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


def test_a_column_that_is_read_or_looks_like_something_else_is_no_error(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    for rec, truth, names in READ:
        found = tables.execute(f"FROM ranking_judged('{rec}', '{truth}', 10, {names})").fetchall()
        assert len(found) == 2, (rec, truth, names)


def test_three_models_are_no_more_merged_in_silence(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute("CREATE OR REPLACE TEMP VIEW three AS SELECT *, unnest(['a', 'b', 'c']) AS model FROM rec")
    with pytest.raises(duckdb.InvalidInputException, match="system_col := 'model' keeps models apart"):
        tables.execute("FROM ranking_summary('three', 'truth', [1])")
    query = (
        "SELECT system, recall FROM ranking_summary('three', 'truth', [1], system_col := 'model') ORDER BY 1"
    )
    assert tables.execute(query).fetchall() == [("a", 0.5), ("b", 0.5), ("c", 0.5)]


def test_names_of_columns_are_known_in_any_case_and_as_a_whole(tables: duckdb.DuckDBPyConnection) -> None:
    own = with_internals(tables.cursor())
    for what, *names in (
        ("grades", "rating", "user_ratings", "Stars", "grade", "relevance", "label", "score"),
        ("systems", "model", "Model_ID", "algo", "variant", "recommender_name"),
        ("runs", "run", "RUN_ID", "seed", "random_seed", "trial", "fold", "repeat"),
    ):
        others = [f"x{names[0]}", f"{names[0]}x", f"a {names[0]}"]
        columns = ", ".join(f'"{name}" DECIMAL(9,2)' for name in (*others, *names))
        assert value(own, f"SELECT _ranking_like_{what}(_ranking_column_texts('STRUCT({columns})'))") == names


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

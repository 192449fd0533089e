"""The table functions: whole tables in one call, against lists built by hand and rankings made in Python."""

import math
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import udfs
from tests.conftest import is_close
from tests.witnesses import WITNESSES
from udfs.arrow import functions
from udfs.measures.registry import MEASURES, Measure

COLUMNS = [measure.name for measure in MEASURES.values() if measure.column]
CLOSE = 1e-12

REC = """
    (1, 10, 9.0), (1, 30, 8.0), (1, 20, 8.0), (1, 60, 2.0),  -- 20 and 30 are tied: 10, 20, 30, 60
    (2, 50, 1.0), (2, 50, 0.5), (2, 40, NULL), (2, 20, 'nan'::DOUBLE), (2, NULL, 3.0),
    (9, 10, 1.0)                                             -- has no truth
"""
TRUTH = "(1, 10), (1, 20), (1, 40), (2, 50), (2, 20), (2, NULL), (3, 10)"
# user: the list that the rules make of REC, and its truth; NULL and NaN scores last, by item
RANKINGS: dict[int, tuple[list[int | None], list[int]]] = {
    1: ([10, 20, 30, 60], [10, 20, 40]),
    2: ([None, 50, 50, 20, 40], [50, 20]),
    3: ([], [10]),
}


@pytest.fixture(scope="module")
def tables() -> Iterator[duckdb.DuckDBPyConnection]:
    """REC and TRUTH as tables, which no test here changes."""
    with udfs.register(duckdb.connect()) as con:
        con.execute(f"CREATE TABLE rec AS FROM (VALUES {REC}) AS t(userid, itemid, score)")
        con.execute(f"CREATE TABLE truth AS FROM (VALUES {TRUTH}) AS t(userid, itemid)")
        yield con


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    result = con.execute(query)
    names = [name for name, *_ in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def message(con: duckdb.DuckDBPyConnection, query: str) -> str:
    with pytest.raises(duckdb.Error) as error:
        con.execute(query).fetchall()
    return str(error.value)


def test_every_column_is_the_measure_of_the_users_ranking(tables: duckdb.DuckDBPyConnection) -> None:
    found = rows(tables, "FROM ranking_by_user('rec', 'truth', [0, 2, NULL, 99])")
    assert len(found) == 12
    for row in found:
        rec, truth = RANKINGS[row["userid"]]
        for name in WITNESSES.keys() & COLUMNS:
            assert is_close(row[name], WITNESSES[name].evaluate(rec, truth, row["k"]), CLOSE), (name, row)


def test_the_columns_are_named_and_ordered(tables: duckdb.DuckDBPyConnection) -> None:
    by_user = tables.execute("FROM ranking_by_user('rec', 'truth', [2])").description
    assert [name for name, *_ in by_user] == ["userid", "k", "n_rec", "n_truth", *COLUMNS]
    summary = tables.execute("FROM ranking_summary('rec', 'truth', [2])").description
    counts = ["k", "users", "users_without_rec", "users_without_truth"]
    assert [name for name, *_ in summary] == [*counts, *COLUMNS]


def test_users_are_those_with_truth_and_all_are_counted(tables: duckdb.DuckDBPyConnection) -> None:
    query = (
        "SELECT k, users, users_without_rec, users_without_truth, hits "
        "FROM ranking_summary('rec', 'truth', [2, 4])"
    )
    assert tables.execute(query).fetchall() == [(2, 3, 1, 1, (2 + 1 + 0) / 3), (4, 3, 1, 1, (2 + 2 + 0) / 3)]
    sizes = tables.execute(
        "SELECT userid, n_rec, n_truth FROM ranking_by_user('rec', 'truth', [2]) ORDER BY ALL"
    )
    assert sizes.fetchall() == [(1, 4, 3), (2, 5, 2), (3, 0, 1)]


@pytest.mark.parametrize(
    "arguments",
    [
        "'rec', 'truth'",
        '\'memory.main.rec\', \'"memory"."main"."truth"\'',
        "'rec_view', 'truth_view'",
        "'rec.parquet', 'truth.csv'",
        "'rec.json', 'truth.parquet'",
        "'arrow_rec', 'arrow_truth'",
        "'cte_rec', 'cte_truth'",
        "'\"odd name; \"', 'truth'",
        "'cte_arrow_rec', 'cte_arrow_truth'",
    ],
)
def test_arguments_are_whatever_query_table_takes(
    tables: duckdb.DuckDBPyConnection, arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("rec", "truth"):
        tables.execute(f"CREATE OR REPLACE VIEW {name}_view AS FROM {name}")
        for kind in ("parquet", "csv", "json"):
            tables.execute(f"COPY {name} TO '{name}.{kind}'")
    tables.execute('CREATE OR REPLACE TABLE "odd name; " AS FROM rec')

    def arrow(table: str, *names: str) -> pa.Table:
        columns = zip(*tables.execute(f"FROM {table}").fetchall(), strict=True)
        return pa.table(dict(zip(names, columns, strict=True)))

    arrow_rec, arrow_truth = arrow("rec", "userid", "itemid", "score"), arrow("truth", "userid", "itemid")
    assert arrow_rec.num_rows == 10
    assert arrow_truth.num_rows == 7
    query = (
        "WITH cte_rec AS (FROM rec), cte_truth AS (FROM truth), "
        "cte_arrow_rec AS (FROM arrow_rec), cte_arrow_truth AS (FROM arrow_truth) "
        f"SELECT k, users, recall, ndcg FROM ranking_summary({arguments}, [2, 4])"
    )
    expected = tables.execute(
        "SELECT k, users, recall, ndcg FROM ranking_summary('rec', 'truth', [2, 4])"
    ).fetchall()
    for row, other in zip(tables.execute(query).fetchall(), expected, strict=True):
        assert row == pytest.approx(other, abs=1e-12)


def test_systems_are_scored_over_the_same_users(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute(
        "CREATE TABLE systems AS SELECT 'a' AS \"system\", * FROM rec "
        "UNION ALL SELECT NULL, * FROM rec WHERE userid = 1 UNION ALL SELECT 'b', 3, 10, 1.0"
    )
    query = (
        'SELECT "system", k, users, users_without_rec, users_without_truth, hits '
        "FROM ranking_summary('systems', 'truth', [4])"
    )
    assert tables.execute(query).fetchall() == [
        ("a", 4, 3, 1, 1, 4 / 3),
        ("b", 4, 3, 2, 0, 1 / 3),
        (None, 4, 3, 2, 0, 2 / 3),
    ]


def test_grades_count_and_the_highest_of_an_items_grades(tables: duckdb.DuckDBPyConnection) -> None:
    tables.execute(
        "CREATE TABLE graded AS FROM "
        "(VALUES (1, 10, 1), (1, 20, 2), (1, 20, 3), (1, 40, 2), (1, 30, 0), (1, 60, -1)) "
        "AS t(userid, itemid, rel)"
    )
    truth = {10: 1, 20: 3, 40: 2, 30: 0, 60: -1}
    (row,) = rows(tables, "FROM ranking_by_user('rec', 'graded', [4])")
    assert row["n_truth"] == 3
    for name in WITNESSES.keys() & COLUMNS:
        assert is_close(row[name], WITNESSES[name].evaluate(RANKINGS[1][0], truth, 4), CLOSE), (name, row)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "DECIMAL(12, 3)", "BIGINT"])
def test_values_are_the_same_on_any_threads_and_in_any_order(
    con: duckdb.DuckDBPyConnection, kind: str
) -> None:
    random.seed(11)
    scores = [random.choice([0, 1, 2, 5, 100]) for _ in range(4_000)]
    con.execute(
        "CREATE TABLE rec AS SELECT i % 37 AS userid, (i * 7919) % 211 AS itemid, "
        f"list_extract(?, i + 1)::{kind} AS score FROM range(4000) AS t(i)",
        [scores],
    )
    con.execute(
        "CREATE TABLE truth AS SELECT i % 40 AS userid, (i * 31) % 211 AS itemid FROM range(600) AS t(i)"
    )
    found = []
    for threads in (1, 2, 4):
        con.execute(f"SET threads = {threads}")
        con.execute(
            f"CREATE OR REPLACE TABLE rec AS FROM rec ORDER BY hash(itemid, userid, score, {threads})"
        )
        con.execute(f"CREATE OR REPLACE TABLE truth AS FROM truth ORDER BY hash(itemid, userid, {threads})")
        queries = [f"FROM ranking_by_user('rec', 'truth', [{k}]) ORDER BY userid" for k in (3, 200)]
        found.append([con.execute(query).fetchall() for query in queries])
    assert len(found[0][0]) == 40
    assert found == [found[0]] * 3


def test_rankings_are_those_of_a_sort_in_python(con: duckdb.DuckDBPyConnection) -> None:
    draw = random.Random(5)
    scores = [None, math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 2.5]
    rec = [(draw.randrange(4), draw.choice([None, *range(90)]), draw.choice(scores)) for _ in range(900)]
    truth = [(draw.randrange(5), draw.randrange(90)) for _ in range(60)]
    for name, rows_, columns in (
        ("rec", rec, ["userid", "itemid", "score"]),
        ("truth", truth, ["userid", "itemid"]),
    ):
        con.register("given", pa.table(dict(zip(columns, zip(*rows_, strict=True), strict=True))))
        con.execute(f"CREATE TABLE {name} AS FROM given")

    def order(row: tuple[int, int | None, float | None]) -> tuple[float, ...]:
        unknown = row[2] is None or math.isnan(row[2])
        return (unknown, 0 if unknown else -row[2], row[1] is None, row[1] or 0)  # type: ignore[operator]

    for k in (1, 5, 128, 129, 400):
        found = con.execute(f"SELECT userid, judged FROM ranking_judged('rec', 'truth', {k})").fetchall()
        assert sorted(user for user, _ in found) == sorted({user for user, _ in truth})
        for user, judged in found:
            listed = [row[1] for row in sorted((row for row in rec if row[0] == user), key=order)][:k]
            relevant = {item for one, item in truth if one == user}
            ranks = [
                i for i, item in enumerate(listed, 1) if item in relevant and item not in listed[: i - 1]
            ]
            grades = [1.0] * len(ranks)
            ideal = [1.0] * len(relevant)
            assert judged == {
                "ranks": ranks,
                "grades": grades,
                "ideal": ideal,
                "size": len(listed),
                "cutoff": None,
            }, (
                k,
                user,
            )


@pytest.mark.parametrize(
    ("ks", "expected"),
    [
        ("[]", "ks must be a list of one or more k, got []"),
        ("NULL", "ks must be a list of one or more k, got NULL"),
        ("[5, -1]", "every k in ks must be 0 or more, got [5, -1]"),
    ],
)
@pytest.mark.parametrize("function", ["ranking_by_user", "ranking_summary"])
def test_cut_offs_that_cannot_be_are_errors(
    tables: duckdb.DuckDBPyConnection, function: str, ks: str, expected: str
) -> None:
    assert expected in message(tables, f"SELECT k, recall FROM {function}('rec', 'truth', {ks})")


@pytest.mark.parametrize(
    ("rec", "truth", "expected"),
    [
        ("SELECT userid, itemid FROM rec", "FROM truth", '"score" not found'),
        ("FROM rec", "SELECT userid FROM truth", '"itemid"'),
        (
            "SELECT * REPLACE (score::VARCHAR AS score) FROM rec",
            "FROM truth",
            "score must be a number, got VARCHAR",
        ),
        (
            "FROM rec",
            "SELECT * REPLACE (itemid::VARCHAR AS itemid) FROM truth",
            "itemid must have the same type in rec and in truth, got INTEGER and VARCHAR",
        ),
        ("FROM rec", "SELECT *, NULL::DOUBLE AS rel FROM truth", "rel must be a finite number, got NULL"),
        ("FROM rec", "SELECT *, 'nan'::DOUBLE AS rel FROM truth", "rel must be a finite number, got nan"),
        ("FROM rec", "SELECT *, 'x' AS rel FROM truth", "rel must be a number, got VARCHAR"),
    ],
)
def test_bad_columns_are_errors_that_name_them(
    tables: duckdb.DuckDBPyConnection, rec: str, truth: str, expected: str
) -> None:
    tables.execute(f"CREATE OR REPLACE VIEW bad_rec AS {rec}; CREATE OR REPLACE VIEW bad_truth AS {truth}")
    assert expected in message(tables, "SELECT recall FROM ranking_by_user('bad_rec', 'bad_truth', [2])")


def test_an_empty_rec_scores_every_user_as_an_empty_list_and_an_empty_truth_has_no_users(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    tables.execute("CREATE TABLE no_rec AS FROM rec LIMIT 0; CREATE TABLE no_truth AS FROM truth LIMIT 0")
    query = "SELECT users, users_without_rec, recall FROM ranking_summary('no_rec', 'truth', [2])"
    assert tables.execute(query).fetchall() == [(3, 3, 0.0)]
    for rec in ("rec", "no_rec"):
        assert (
            tables.execute(f"SELECT recall FROM ranking_by_user('{rec}', 'no_truth', [2])").fetchall() == []
        )


def test_columns_that_are_not_selected_are_not_computed(
    tables: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = []
    evaluated = functions.evaluated

    def record(measure: Measure, *rest: Any) -> Any:
        computed.append(measure.name)
        return evaluated(measure, *rest)

    monkeypatch.setattr(functions, "evaluated", record)
    tables.execute("SELECT k, ndcg FROM ranking_summary('rec', 'truth', [2])").fetchall()
    assert set(computed) == {"ndcg"}


@pytest.mark.slow
def test_a_limit_ends_a_query_of_many_users(con: duckdb.DuckDBPyConnection) -> None:
    """DuckDB 2.0 waits for ever where a CTE of that many rows is read by a LIMIT and by a join below it."""
    con.execute("""
        CREATE TABLE rec AS
        SELECT i // 10 AS userid, i % 5003 AS itemid, hash(i) AS score FROM range(1_000_000) t(i);
        CREATE TABLE systems AS SELECT *, 'a' AS system FROM rec;
        CREATE TABLE truth AS SELECT i // 2 AS userid, i % 5003 AS itemid FROM range(200_000) t(i)
    """)
    timer = threading.Timer(60, con.interrupt)
    timer.start()
    for query in (
        "FROM ranking_judged('rec', 'truth', 10)",
        "SELECT ndcg FROM ranking_by_user('rec', 'truth', [10, 50])",
        "SELECT ndcg FROM ranking_by_user('systems', 'truth', [NULL])",
        "SELECT ndcg FROM ranking_summary('systems', 'truth', [10])",
    ):
        assert len(con.execute(f"{query} LIMIT 1").fetchall()) == 1, query
    timer.cancel()


def test_ranking_check_says_what_is_wrong(tables: duckdb.DuckDBPyConnection) -> None:
    found = tables.execute("SELECT problem, count FROM ranking_check('rec', 'truth', ks := [2])").fetchall()
    assert sorted(found) == [
        ("rec: (userid, itemid) is there more than once", 1),
        ("rec: itemid is NULL", 1),
        ("rec: score is NULL", 1),
        ("rec: score is NaN", 1),
        ("rec: users with tied scores at k = 2", 1),
        ("truth: itemid is NULL", 1),
        ("users in rec that are not in truth", 1),
        ("users in truth that are not in rec", 1),
    ]
    tables.execute("CREATE VIEW text AS SELECT userid::VARCHAR AS userid, itemid, -1 AS rel FROM truth")
    problems = dict(tables.execute("SELECT problem, example FROM ranking_check('rec', 'text')").fetchall())
    assert problems["userid is of different types"] == "INTEGER in rec, VARCHAR in truth"
    assert problems["truth: rel is negative"].endswith("rel -1")


def test_ranking_check_of_clean_tables_is_empty(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE rec AS SELECT 1 AS userid, 2 AS itemid, 0.5 AS score")
    con.execute("CREATE TABLE truth AS SELECT 1 AS userid, 2 AS itemid")
    assert con.execute("FROM ranking_check('rec', 'truth')").fetchall() == []


def test_curves_are_means_over_users(tables: duckdb.DuckDBPyConnection) -> None:
    curve = tables.execute("FROM precision_recall_curve('rec', 'truth', 2)").fetchall()
    # precision of users 1, 2, 3 at rank 1: 1, 0, 0; at rank 2: 1, 1/2, 0; recall: of 3, 2 and 1 items
    assert curve == [
        (1, pytest.approx(1 / 3), pytest.approx((1 / 3) / 3)),
        (2, pytest.approx((1 + 1 / 2) / 3), pytest.approx((2 / 3 + 1 / 2) / 3)),
    ]
    points = dict(tables.execute("FROM interpolated_precision_curve('rec', 'truth')").fetchall())
    assert list(points) == [i / 10 for i in range(11)]
    assert points[0.0] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert points[1.0] == pytest.approx((0 + 2 / 4 + 0) / 3)


def test_names_of_the_users_columns_do_not_clash(con: duckdb.DuckDBPyConnection) -> None:
    extra = (
        "1 AS k, 2 AS rec, 3 AS truth, 4 AS ks, 5 AS max_k, 6 AS judged, 7 AS grade, 8 AS items, 9 AS place, "
        "10 AS n_rec, 11 AS lowest, 12 AS listed, 13 AS system_number, 14 AS recall, 15 AS grades"
    )
    con.execute(f"CREATE TABLE rec AS SELECT 1 AS userid, 2 AS itemid, 0.5 AS score, {extra}")
    con.execute(f"CREATE TABLE truth AS SELECT 1 AS userid, 2 AS itemid, {extra}")
    assert con.execute("SELECT k, recall FROM ranking_summary('rec', 'truth', [3])").fetchall() == [(3, 1.0)]


def test_the_search_path_does_not_matter(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TABLE rec AS FROM (VALUES {REC}) AS t(userid, itemid, score)")
    con.execute(f"CREATE TABLE truth AS FROM (VALUES {TRUTH}) AS t(userid, itemid)")
    con.execute("ATTACH ':memory:' AS other; USE other")
    query = "SELECT k, hits FROM ranking_summary('memory.main.rec', 'memory.main.truth', [4])"
    assert udfs.register(con).execute(query).fetchall() == [(4, 4 / 3)]

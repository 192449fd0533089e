"""What a report shows of the lists and of grades, beside what SQL and a slow definition say."""

from collections import defaultdict
from pathlib import Path

import duckdb
import numpy as np
import pytest

import ranking_udfs
from ranking_udfs.evaluation.conclusion import contents_sentences
from ranking_udfs.evaluation.queries import Request
from ranking_udfs.reporting.findings import categories_query, common_query, two_heaps
from tests.pages import FILES, SYSTEMS, Written, sections, tables_in, text_of
from tests.test_report import is_shown

GIVEN = ["--history", "train.csv", "--items", "items.csv:kind"]
LETTERS = "abcdefghijklmno"


@pytest.fixture
def history(files: None) -> None:
    """Of most users, the items of one list in five; items of two kinds, of one, of none; a row twice."""
    rows = [f"u{u},{(u * i) % 30 + 1000 * (i % 2)}\n" for u in range(100) for i in range(1, 7)]
    Path("train.csv").write_text("userid,itemid\n" + "".join([*rows, rows[0]]))
    kinds = [f"{i},{LETTERS[i % 15]}\n" for i in (*range(25), *range(1000, 1025))]
    Path("items.csv").write_text("itemid,kind\n" + "".join([*kinds, "3,a\n", "3,b\n", "29,\n", "77,z\n"]))


def read(name: str) -> list[list[str]]:
    return [line.split(",") for line in Path(name).read_text().splitlines()[1:]]


def shares(items: list[str], kinds: dict[str, set[str]]) -> dict[str, float]:
    """The share of each kind among items that have one; an item spreads 1 over its kinds."""
    known = [item for item in items if kinds[item]]
    found: dict[str, float] = defaultdict(float)
    for item in known:
        for kind in kinds[item]:
            found[kind] += 1 / len(kinds[item]) / len(known)
    return found


def test_what_is_in_the_lists_is_what_sql_says(
    written: Written, history: None, report_tables: duckdb.DuckDBPyConnection
) -> None:
    con = report_tables
    html = written(*FILES, "-k", "5", "-k", "10", "--measures", "ndcg", "--no-check", *GIVEN)
    found = sections(html)["What is in the lists"]
    con.execute("CREATE TABLE train AS FROM 'train.csv'")
    con.execute("CREATE TABLE items AS SELECT itemid, kind AS category FROM 'items.csv'")
    call = "('rec', [10], history := 'train', items := 'items')"
    wholes = con.execute(f"FROM ranking_beyond_accuracy{call}").df().set_index("system")
    pairs, tails, categories, everything = tables_in(found)

    popularity = {row["System"]: row for row in pairs if row["Measure"] == "popularity"}
    by_user = con.execute(f"FROM ranking_beyond_accuracy_by_user{call}").df().groupby("system")["popularity"]
    for system, values in by_user:
        row = popularity[system]
        assert int(row["Users"]) == len(values) == 119
        assert is_shown(row["Mean"], values.mean())
        half = 1.980272249272974 * values.std() / 119**0.5  # SciPy's t.ppf(0.975, 118)
        assert is_shown(row["Low"], values.mean() - half)
        assert is_shown(row["High"], values.mean() + half)
    assert {row["System"] for row in pairs if row["Measure"] == "NDCG@10"} == {*popularity}
    for row in tails:
        tail = wholes.loc[row["System"], "long_tail"]
        assert is_shown(row["Tail"], tail)
        assert is_shown(row["Head"], 1 - tail)
    for row in everything:
        for system in wholes.index:
            assert row[system] == f"{wholes.loc[system, row['Column']]:.4g}"
    assert [row["Column"] for row in everything] == [*wholes.columns.drop("k")]

    # The slow definition of the shares of categories, of users who have some in the list and in the history.
    kinds: dict[str, set[str]] = defaultdict(set)
    for item, kind in read("items.csv"):
        kinds[item] |= {kind} - {""}
    had: dict[str, list[str]] = defaultdict(list)
    for user, item in {(user, item) for user, item in read("train.csv")}:
        had[user].append(item)
    assert len(categories) == 3 * 12
    assert "(the 12 largest of 15)" in text_of(found)
    for system in wholes.index:
        lists: dict[str, list[str]] = defaultdict(list)
        for user, item, score in read(f"{system}.csv"):
            if float(score) > 21:
                lists[user].append(item)
        users = [one for one in lists if shares(lists[one], kinds) and shares(had[one], kinds)]
        for row in (row for row in categories if row["System"] == system):
            recommended = sum(shares(lists[one], kinds)[row["Category"]] for one in users) / len(users)
            before = sum(shares(had[one], kinds)[row["Category"]] for one in users) / len(users)
            assert int(row["Users"]) == len(users)
            assert is_shown(row["Lists"], recommended)
            assert is_shown(row["Had"], before)

    lift = wholes["popularity_lift"]
    without = "Users without a history left out: 19 of 119 with bert and 19 of 119 with als."
    said = f"bert recommends items {lift['bert'] + 1:.2f} times as popular as what its users had; with als"
    assert f"{said} it is {lift['als'] + 1:.2f}. {without}" in text_of(found)
    assert "Historytrain.csv Itemsitems.csv:kind" in text_of(sections(html)["How it was made"])


def test_shares_of_categories_by_hand(con: duckdb.DuckDBPyConnection) -> None:
    """A list of a (x and y) and b (x), a history of a and c (z); others have no list, or no history."""
    con.execute("""
        CREATE TABLE rec AS FROM (VALUES (1, 'a', 2), (1, 'b', 1), (2, 'b', 1)) AS t(userid, itemid, score);
        CREATE TABLE history AS FROM (VALUES (1, 'a'), (1, 'c'), (1, 'c'), (3, 'b')) AS t(userid, itemid);
        CREATE TABLE items AS
        FROM (VALUES ('a', 'x'), ('a', 'y'), ('b', 'x'), ('c', 'z'), ('d', NULL)) AS t(itemid, category)""")
    request = Request(choices=[], ks=[2], history=True, items=True)
    found = con.execute(f"{categories_query(request, '', 2)} ORDER BY category").fetchall()
    assert found == [("x", 0.75, 0.25, 1), ("y", 0.25, 0.25, 1), ("z", 0, 0.5, 1)]


def test_users_are_in_two_heaps_where_a_third_was_swapped_and_else_in_one(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """For each user, how many of 10 items the lists of a and b have in common."""
    draw, users = np.random.default_rng(1), np.arange(600)
    cases = [
        (np.where(users % 3, 10, draw.binomial(10, 0.4, 600)), 10, "swapped"),
        (np.where(users % 3, draw.binomial(10, 0.6, 600), draw.binomial(10, 0.05, 600)), 10, "swapped"),
        (np.where(users % 3, 10, 4)[:12], 10, "few users"),
        (draw.binomial(10, 0.5, 600), 10, "one heap"),
        (np.minimum(draw.geometric(0.4, 600) - 1, 10), 10, "one heap at 0"),
        (draw.integers(0, 11, 600), 10, "uniform"),
        (np.where(users % 25, 10, 0), 10, "four of a hundred"),
        (np.repeat(range(11), [300] * 4 + [200] * 3 + [300] * 4), 10, "a shallow dip"),
        (users % 2, 1, "lists of one item"),
    ]
    for common, k, name in cases:
        con.execute(
            "CREATE OR REPLACE TABLE rec AS SELECT s AS system, userid, -rank AS score, "
            "CASE WHEN s = 'b' AND rank > common THEN -rank ELSE rank END AS itemid "
            "FROM (SELECT unnest($1) AS common, generate_subscripts($1, 1) AS userid), "
            "range(1, 11) AS ranks(rank), (VALUES ('a'), ('b')) AS systems(s) "
            "UNION ALL SELECT 'a', -1, 1, 1",
            [common.tolist()],
        )
        found = con.execute(common_query(Request(choices=[], ks=[k]), None)).fetchall()
        within = [row[-1] for row in found]
        assert sum(within) == pytest.approx(len(common))
        assert found[0][3:5] == (len(common), pytest.approx(common.mean() / k)), name
        middle, below = two_heaps(within)
        assert (0.25 < below < 0.4 and 0.2 < middle < 0.9) if name == "swapped" else middle is None, name


def test_sentences_by_hand() -> None:
    row = {"popularity_lift": 1.3, "coverage": 0.125, "repeats": 0.0, "users": 9, "users_without_history": 0}
    rows = [{"system": "als", **row}, {"system": "pop", **row, "popularity_lift": 9, "coverage": 0.04}]
    assert contents_sentences(rows, has_items=True) == [
        "als recommends items 2 times as popular as what its users had; with pop it is 10.",
        "als recommends 12 % of the items of the catalogue; with pop it is 4 %.",
    ]
    nobody = {**rows[0], "popularity_lift": None, "repeats": None}
    assert contents_sentences([nobody], has_items=False) == [
        "als recommends 12 % of the items of the history."
    ]
    assert contents_sentences([{**nobody, "repeats": 0.031}], False)[1] == (
        "als recommends what the user already has: 3.1 % of the items."
    )


def test_one_model_without_categories_and_the_days_of_its_truth(history: None) -> None:
    lines = Path("relevant.csv").read_text().splitlines()
    days = ["time", *(f"2026-05-{1 + i % 9:02}" for i in range(len(lines) - 1))]
    Path("dated.csv").write_text("".join(f"{line},{day}\n" for line, day in zip(lines, days, strict=True)))
    page = ranking_udfs.report("als.csv", "dated.csv", "ndcg", history="train.csv", check=False)
    found = sections(page.html)
    assert "The truth is of 2026-05-01 to 2026-05-09." in text_of(found["The data"])
    assert len(tables_in(found["What is in the lists"])) == 3
    assert text_of(found["What is in the lists"]).startswith(
        "What is in the lists The model recommends items"
    )


def test_few_judged_items_are_in_the_answer_and_users_without_relevant_ones_in_the_data(
    written: Written, report_tables: duckdb.DuckDBPyConnection
) -> None:
    """Each user's 12 items have grades 1, 2, 3 in turn; with min_grade 2 those of grade 1 are misses."""
    report_tables.execute("INSERT INTO truth VALUES ('u0x', 1, 1); COPY truth TO 'relevant.csv'")
    found = sections(written(*FILES, "-k", "5", "--measures", "ndcg", "--min-grade", "2"))
    query = "FROM ranking_summary('rec', 'truth', [5], min_grade := 2)"
    judged = dict(report_tables.sql(query).project("system, judged_share").fetchall())
    rows = {row["Table"]: row["None relevant"] for row in tables_in(found["The data"])[0]}
    assert rows == {**dict.fromkeys(SYSTEMS, "1"), "Truth": ""}
    few = ", ".join(f"{name} {share:.0%}" for name, share in judged.items() if share < 0.2)
    said = f"Few items among the first 5 are judged, and the others count as misses: {few}."
    assert said.replace("%", "\xa0%") in "".join(found["The answer"].itertext())

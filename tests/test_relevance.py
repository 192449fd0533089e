"""From which grade on an item is relevant (min_grade), and what nobody has judged (unjudged)."""

import random
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import is_close, literal, rows
from tests.ties import Tied, create_tables, mean, random_cases
from tests.witnesses import WITNESSES, Ranking, judged, random_topics

TOPICS = random_topics(seed=24, n=60, longest=12, items=15, most_judged=8)
BINARY = [name for name, measure in MEASURES.items() if measure.column and "min_grade" in measure.options]
GAINS = [name for name, measure in MEASURES.items() if measure.column and name not in BINARY]
CUTS = (0, 1, 3, 10, None)


def condensed(ranking: Ranking) -> Ranking:
    """The list of the items that truth knows, each once, and their places in it."""
    known = range(1, len(ranking.ranks) + 1)
    return replace(ranking, ranks=list(known), size=len(known))


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        ranking_udfs.register(con)
        create_tables(
            con, [Tied([(item, -rank) for rank, item in enumerate(one.rec)], one.truth) for one in TOPICS]
        )
        con.execute("CREATE TABLE rec AS FROM given; CREATE TABLE truth AS FROM judged")
        create_tables(con, random_cases(random.Random(5), 12, 5))
        yield con


@pytest.mark.parametrize(("min_grade", "unjudged"), [(None, "skip"), (2, "miss"), (2.5, "skip")])
def test_each_user_has_the_values_of_the_slow_definitions(
    con: duckdb.DuckDBPyConnection, min_grade: float | None, unjudged: str
) -> None:
    arguments = f"min_grade := {literal(min_grade)}, unjudged := '{unjudged}'"
    found = rows(con, f"FROM ranking.by_user('rec', 'truth', {literal(list(CUTS))}, {arguments})")
    assert len(found) == len(TOPICS) * len(CUTS)
    for row in found:
        ranking = judged(TOPICS[row["userid"]])
        if unjudged == "skip":
            ranking = condensed(ranking)
        assert row["n_rec"] == len(TOPICS[row["userid"]].rec)
        assert row["n_truth"] == replace(ranking, min_grade=min_grade).relevant
        for name in (*BINARY, *GAINS):
            options = {"min_grade": min_grade} if name in BINARY else {}
            expected = WITNESSES[name].of_table(ranking, row["k"], options)
            assert is_close(row[name], expected, 1e-12), (name, row)


def test_lowered_grades_and_filtered_lists_give_the_same(con: duckdb.DuckDBPyConnection) -> None:
    """What a user would write in SQL without the two arguments."""
    con.execute("""
        CREATE OR REPLACE TEMP VIEW lowered AS SELECT * REPLACE (if(rel >= 2, rel, 0) AS rel) FROM truth;
        CREATE OR REPLACE TEMP VIEW filtered AS
        SELECT userid, itemid, max(score) AS score FROM rec SEMI JOIN truth USING (userid, itemid)
        GROUP BY ALL
    """)
    for call in (
        f"SELECT * FROM ranking.distribution({{}}, [3, NULL]{{}}, measures := {BINARY})",
        "SELECT * FROM ranking.interpolated_precision_curve({}{})",
        "SELECT * FROM ranking.precision_recall_curve({}, 4{})",
        "SELECT userid, n_truth FROM ranking.judged({}, 3{})",
    ):
        given = "'rec', 'truth'", ", min_grade := 2, unjudged := 'skip'"
        one, two = (
            con.execute(f"{call.format(*of)} ORDER BY ALL").fetchall()
            for of in (given, ("'filtered', 'lowered'", ""))
        )
        assert one == two != [], call


@pytest.mark.parametrize(("min_grade", "unjudged"), [(None, "skip"), (1.5, "miss")])
def test_expected_values_over_ties_are_those_of_all_orders(
    con: duckdb.DuckDBPyConnection, min_grade: float | None, unjudged: str
) -> None:
    cases = random_cases(random.Random(5), 12, 5)
    arguments = f"ties := 'expected', min_grade := {literal(min_grade)}, unjudged := '{unjudged}'"
    for row in rows(con, f"FROM ranking.by_user('given', 'judged', [1, 3, NULL], {arguments})"):
        rankings = cases[row["userid"]].rankings()
        if unjudged == "skip":
            rankings = [(condensed(ranking), orders) for ranking, orders in rankings]
        for name in set(row) & {*MEASURES}:
            options = {"min_grade": min_grade} if name in BINARY else {}
            assert row[name] == pytest.approx(mean(name, rankings, row["k"], options), abs=1e-12), (name, row)


def test_condensed_lists_are_those_of_ir_measures(con: duckdb.DuckDBPyConnection) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    items = "SELECT userid::VARCHAR, itemid::VARCHAR, {} FROM {} WHERE itemid IS NOT NULL GROUP BY ALL"
    known = con.execute(items.format("max(greatest(rel, 0))::INTEGER", "truth")).fetchall()
    qrels = [ir_measures.Qrel(*row) for row in known]
    run = [ir_measures.ScoredDoc(*row) for row in con.execute(items.format("max(score)", "rec")).fetchall()]
    names = {
        ir_measures.parse_measure(text): name
        for text, name in (
            ("P(rel=2,judged_only=True)@3", "precision"),
            ("R(rel=2,judged_only=True)@3", "recall"),
            ("nDCG(judged_only=True)@3", "ndcg"),
        )
    }
    sql = """SELECT userid, "precision", recall, ranking.ndcg(judged, 3, gain := 'linear') AS ndcg
        FROM ranking.by_user('rec', 'truth', [3], min_grade := 2, unjudged := 'skip')
        JOIN ranking.judged('rec', 'truth', 3, unjudged := 'skip') USING (userid)"""
    ours = {str(row["userid"]): row for row in rows(con, sql)}
    with_relevant = {user for user, _, grade in known if grade >= 2}
    compared = 0
    for one in ir_measures.iter_calc([*names], qrels, run):
        if one.query_id in with_relevant:
            found = ours[one.query_id][names[one.measure]]
            assert found == pytest.approx(one.value, abs=1e-12), one
            compared += 1
    assert compared > 100

"""Relevance from a grade on (min_grade), and unjudged items; the fuzzer has the slow definitions."""

import pytest

from tests.conftest import Con, create_users, module_connection, rows
from tests.definitions import random_topics

TOPICS = random_topics(seed=24, n=60, longest=12, items=15, most_judged=8)
con = module_connection()


@pytest.fixture(scope="module", autouse=True)
def tables(con: Con) -> None:
    create_users(con, [([(item, -i) for i, item in enumerate(of.rec)], of.truth) for of in TOPICS])
    con.execute("CREATE TABLE rec AS FROM given; CREATE TABLE truth AS FROM judged")


def test_condensed_lists_equal_those_of_ir_measures(con: Con) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    items = "SELECT userid::VARCHAR, itemid::VARCHAR, {} FROM {} WHERE itemid IS NOT NULL GROUP BY ALL"
    known = con.execute(items.format("max(greatest(rel, 0))::INTEGER", "truth")).fetchall()
    qrels = [ir_measures.Qrel(*row) for row in known]
    run = [ir_measures.ScoredDoc(*row) for row in con.execute(items.format("max(score)", "rec")).fetchall()]
    names = {
        ir_measures.parse_measure(f"{text}judged_only=True)@3"): name
        for text, name in (("P(rel=2,", "precision"), ("R(rel=2,", "recall"), ("nDCG(", "ndcg(gain=linear)"))
    }
    arguments = f"measures := {[*names.values()]}, min_grade := 2, unjudged := 'skip'"
    query = f"FROM ranking.by_user('rec', 'truth', ks := [3], {arguments})"
    ours = {str(row["userid"]): row for row in rows(con, query)}
    with_relevant = {user for user, _, grade in known if grade >= 2}
    compared = 0
    for of in ir_measures.iter_calc([*names], qrels, run):
        if of.query_id in with_relevant:
            assert ours[of.query_id][names[of.measure]] == pytest.approx(of.value, abs=1e-12), of
            compared += 1
    assert compared > 100

"""Ties: expected values over all orders of tied items, by other libraries, and the order of trec_eval.

The fuzzer compares expected values with the mean over all permutations; sql/ties.test has values by hand.
"""

import math
import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.conftest import Con, create_users, is_close, literal, module_connection, rows
from tests.definitions import Rows

CLOSE = 1e-12
con = module_connection()


def test_expected_values_equal_default_if_copies_are_the_only_ties(con: Con) -> None:
    draw = random.Random(8)
    cases = []
    for _ in range(60):
        scores = draw.sample(range(50), draw.randint(1, 8))
        rows = [(i, float(score)) for i, score in enumerate(scores) for _ in range(draw.randint(1, 3))]
        cases.append(Rows(draw.sample(rows, len(rows)), dict.fromkeys(draw.sample(range(8), 4), 1)))
    create_users(con, cases)
    measures = "measures := 'recall,precision,average_precision,mrr,ndcg,auc,hit_rate,rbp'"
    columns = "COLUMNS(* EXCLUDE userid)"
    query = f"SELECT {columns} FROM ranking.by_user('given', 'judged', ks := [1, 2, 5, NULL], {measures}"
    item, expected = (
        con.execute(f"{query}, ties := '{word}') ORDER BY userid, k").fetchall()
        for word in ("item", "expected")
    )
    assert len(item) == 60 * 4
    values, wanted = np.array(item, float), np.array(expected, float)
    assert values == pytest.approx(wanted, rel=CLOSE, abs=CLOSE, nan_ok=True)


@pytest.mark.slow
def test_expected_values_equal_those_of_scikit_learn(con: Con) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = random.Random(7)
    drawn = []
    for _ in range(15):
        size = draw.randint(2, 40)
        scores = [draw.randint(1, draw.choice([2, 5, 20])) for _ in range(size)]
        drawn.append((scores, [draw.choice([0, 0, 0, 1, 2, 3]) for _ in range(size)]))
    tied = [Rows(list(enumerate(map(float, scores))), dict(enumerate(grades))) for scores, grades in drawn]
    create_users(con, tied)
    values = con.execute("""
        SELECT userid, k, COLUMNS(['dcg(gain=linear)', 'ndcg(gain=linear)', 'auc'])
        FROM ranking.by_user('given', 'judged', ks := [1, 3, 10, NULL], ties := 'expected',
            measures := 'dcg(gain=linear),ndcg(gain=linear),auc')
    """).fetchall()
    assert len(values) == len(drawn) * 4
    for user, k, dcg, ndcg, auc in values:
        scores, grades = drawn[user]
        assert is_close(dcg, float(metrics.dcg_score([grades], [scores], k=k)), CLOSE)
        assert is_close(ndcg, float(metrics.ndcg_score([grades], [scores], k=k)), CLOSE)
        if k is None and len({grade > 0 for grade in grades}) == 2:
            expected = metrics.roc_auc_score([grade > 0 for grade in grades], scores)
            assert is_close(auc, float(expected), CLOSE)


LARGE = [  # above, before, size, hits, k
    *((0, 0, 100_000, 1_000, 10), (0, 0, 100_000, 1_000, 50_000), (10, 3, 100_000, 1_000, 1_010)),
    *((1_000, 0, 100_000, 1, 1_005), (0, 0, 2_000, 30, 700), (500, 20, 2_000, 1_990, 700)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("above", "before", "size", "hits", "k"), LARGE)
def test_large_ties_keep_nine_digits(con: Con, above: int, before: int, size: int, hits: int, k: int) -> None:
    """Compare with SciPy's hypergeometric distribution. The first `before` items above the tie are hits."""
    hypergeom: Any = stats.hypergeom
    con.execute(f"""
        CREATE OR REPLACE TABLE large AS
        SELECT 1 AS userid, i AS itemid, greatest({above} - i, 0) AS score FROM range({above + size}) t(i);
        CREATE OR REPLACE TABLE liked AS SELECT userid, itemid FROM large
        WHERE itemid < {before} OR itemid BETWEEN {above} AND {above + hits - 1}
    """)
    taken, relevant = k - above, before + hits
    # how many hits of the tie can be in the top k, and with which probability
    some = np.arange(max(0, taken + hits - size), min(hits, taken) + 1)
    share = hypergeom.pmf(some, size, hits, taken)
    # for each rank of the tie: the probability that it is the first hit of the tie
    ranks = np.arange(1, min(taken, 4_000) + 1)
    first = hypergeom.pmf(0, size, hits, ranks - 1) * hits / (size - ranks + 1)
    assert len(ranks) == taken or first[-1] < 1e-18
    wrong = some * (above - before + (taken - some) / 2)
    pairs = (before + some) * (k - before - some)
    want = {
        "hits": before + hits * taken / size,
        "hit_rate": 1.0 if before else 1 - share[0] * (some[0] == 0),
        "recall_all": share[-1] * (some[-1] == hits),
        "mrr": 1.0 if before else math.fsum(first / (above + ranks)),
        "auc": math.fsum(share * np.where(pairs > 0, 1 - wrong / np.maximum(pairs, 1), 0.5)),
        "dcg": math.fsum(1 / math.log2(rank + 1) for rank in range(1, before + 1))
        + hits / size * math.fsum(1 / math.log2(above + rank + 1) for rank in range(1, taken + 1)),
    }
    if taken * hits <= 30_000:
        n = np.arange(1, min(hits, taken) + 1)[:, None]  # the n-th hit of the tie at each of its ranks
        here = hypergeom.pmf(n - 1, size, hits, ranks - 1) * (hits - n + 1) / (size - ranks + 1)
        precisions = before + math.fsum((here * (before + n) / (above + ranks)).ravel())
        want["average_precision"] = precisions / relevant
    chosen = f"measures := {list(want)}, ties := 'expected'"
    (row,) = rows(con, f"FROM ranking.by_user('large', 'liked', ks := [{k}], {chosen})")
    for name in want:
        assert row[name] == pytest.approx(want[name], rel=1e-9, abs=0), name


@pytest.mark.parametrize("descending", [True, False])
def test_trec_order_equals_a_slow_definition(con: Con, descending: bool) -> None:
    """Scores are FLOAT, in which 2^24 and 2^24 + 1 tie. Ties are sorted by item as text, descending."""
    con.execute("""
        CREATE OR REPLACE TABLE tied_rec AS
        SELECT u AS who, (u * 7 + i * 3) % 50 AS what, (u + i) % 3 / 1 AS P
        FROM range(20) a(u), range(12) b(i)
        UNION ALL VALUES (1, 99, 'nan'::DOUBLE), (1, 98, NULL), (1, 9, 16777216), (1, 10, 16777217);
        CREATE OR REPLACE TABLE tied_truth AS
        SELECT u AS who, (u * 7 + i * 6) % 50 AS what, i % 3 AS rel FROM range(20) a(u), range(5) b(i)
        UNION ALL VALUES (1, 9, 2)""")
    columns: dict[str, Any] = {"user_col": "who", "item_col": "what", "score_col": "p"}
    columns["descending"] = descending
    arguments = "".join(f", {name} := {literal(of)}" for name, of in columns.items())
    query = f"""
        SELECT userid, k, mrr, recall FROM ranking.by_user(
            'tied_rec', 'tied_truth', 'mrr,recall', [1, 3, NULL], 'trec'{arguments})"""
    values = con.execute(query).fetchall()
    lists: dict[int, list[tuple[bool, float, str]]] = {}
    for user, item, score in con.sql("FROM tied_rec").fetchall():
        is_last = score is None or math.isnan(score)
        number = 0.0 if is_last else float(np.float32(score)) * (1 if descending else -1)
        lists.setdefault(user, []).append((not is_last, number, str(item)))
    relevant = {(user, str(item)) for user, item, rel in con.sql("FROM tied_truth").fetchall() if rel > 0}
    expected = {}
    for user, listed in lists.items():
        items = [item for *_, item in sorted(listed, reverse=True)]
        expected[user] = next(
            (1 / rank for rank, item in enumerate(items, 1) if (user, item) in relevant), 0.0
        )
    assert {user: mrr for user, k, mrr, _ in values if k is None} == expected
    by_item = con.execute(query.replace("'trec'", "'item'")).fetchall()
    assert len({*values} - {*by_item}) > 10

"""Expected values over all orders of tied items, by other libraries.

The fuzzer compares them with the mean over all permutations; sql/ties.test has values by hand.
"""

import math
import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.conftest import Con, create_users, is_close, module_connection, rows
from tests.definitions import Rows

CLOSE = 1e-12
con = module_connection()


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

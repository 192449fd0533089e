"""ranking.intents_by_user against a slow definition; sql/intents.test has pyndeval and cases by hand."""

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import pytest

from tests.conftest import Con, module_connection

# Lists, and the intents of items, by a formula; lists have unknown items, and repeats.
tables = module_connection("""
    CREATE TABLE rec AS
    SELECT q AS userid, (q * 7 + rank * (q % 4 + 3)) % 11 AS itemid, -rank AS score
    FROM range(30) AS t(q), range(17) AS s(rank) WHERE rank <= q % 9 * 2;
    CREATE TABLE truth AS
    SELECT q AS userid, item AS itemid, i AS intent, ((item * q + i * 3) % 7 < 1 + q % 3)::INT AS rel
    FROM range(30) AS t(q), range(20) AS s(item), range(5) AS u(i)
    WHERE item >= q % 3 AND (item - q % 3) % (q % 2 + 1) = 0""")


def gains(items: Sequence[Sequence[int]], alpha: Fraction) -> list[Fraction]:
    met: list[int] = []
    values = []
    for intents in items:
        values.append(sum(((1 - alpha) ** met.count(i) for i in intents), Fraction()))
        met += intents
    return values


def measures(items: list[int], truth: dict[int, list[int]], k: int | None, alpha: Fraction) -> list[float]:
    """Return the three measures by their definitions, with loops and fractions."""
    k = len(items) if k is None else k
    n_intents = len({i for intents in truth.values() for i in intents})
    if not n_intents or not k:
        return [0.0, 0.0, 0.0]
    left = sorted(item for item in truth if truth[item])
    ideal: list[list[int]] = []
    while left and len(ideal) < k:
        best = max(left, key=lambda item: (gains([*ideal, truth[item]], alpha)[-1], -item))
        left.remove(best)
        ideal.append(truth[best])
    met = [truth.get(item, []) if item not in items[:i] else [] for i, item in enumerate(items[:k])]
    dcg, ideal_dcg = (
        math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains(of, alpha), 1))
        for of in (met, ideal)
    )
    err = sum(gain / rank for rank, gain in enumerate(gains(met, alpha), 1))
    best_err = sum(n_intents * (1 - alpha) ** (rank - 1) / rank for rank in range(1, k + 1))
    return [dcg / ideal_dcg, float(err / best_err), len({i for of in met for i in of}) / n_intents]


@pytest.mark.parametrize("alpha", [0, 0.25, 1])
def test_values_equal_the_definition(tables: Con, alpha: float) -> None:
    truth = defaultdict[int, dict[int, list[int]]](dict)
    query = "SELECT userid, itemid, coalesce(list(intent) FILTER (rel > 0), []) FROM truth GROUP BY ALL"
    for user, item, intents in tables.execute(query).fetchall():
        truth[user][item] = intents
    query = "SELECT userid, list(itemid ORDER BY score DESC) FROM rec GROUP BY userid ORDER BY userid"
    lists = tables.execute(query).fetchall()
    assert len(lists) == 30
    ks = [1, 2, 5, 100, None]
    expected = [measures(items, truth[user], k, Fraction(alpha)) for user, items in lists for k in ks]
    query = f"""
        SELECT alpha_ndcg, err_ia, subtopic_recall
        FROM ranking.intents_by_user('rec', 'truth', $ks, alpha := {alpha}) ORDER BY userid, k NULLS LAST"""
    for row, values in zip(tables.execute(query, {"ks": ks}).fetchall(), expected, strict=True):
        assert row == pytest.approx(tuple(values), abs=1e-12)

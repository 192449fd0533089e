"""ranking.intents_by_user against a slow definition; pyndeval and cases by hand are in right_tables.txt."""

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import pytest

from tests.conftest import Con, file_text, module_connection

tables = module_connection(file_text("tables/intents.sql"))


def gains(items: Sequence[Sequence[int]], alpha: Fraction) -> list[Fraction]:
    met: list[int] = []
    found = []
    for intents in items:
        found.append(sum(((1 - alpha) ** met.count(i) for i in intents), Fraction()))
        met += intents
    return found


def defined(items: list[int], truth: dict[int, list[int]], k: int | None, alpha: Fraction) -> list[float]:
    """The three measures from their definitions, with loops and fractions."""
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
    first = [item if item not in items[:place] else None for place, item in enumerate(items[:k])]
    met = [truth.get(item, []) if item is not None else [] for item in first]
    dcg, ideal_dcg = (
        math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains(one, alpha), 1))
        for one in (met, ideal)
    )
    err = sum(gain / rank for rank, gain in enumerate(gains(met, alpha), 1))
    best_err = sum(n_intents * (1 - alpha) ** (rank - 1) / rank for rank in range(1, k + 1))
    return [dcg / ideal_dcg, float(err / best_err), len({i for one in met for i in one}) / n_intents]


@pytest.mark.parametrize("alpha", [0, 0.25, 1])
def test_the_numbers_are_those_of_the_definition(tables: Con, alpha: float) -> None:
    ks, met = [1, 2, 5, 100, None], defaultdict[int, dict[int, list[int]]](dict)
    query = "SELECT userid, itemid, coalesce(list(intent) FILTER (rel > 0), []) FROM truth GROUP BY ALL"
    for user, item, intents in tables.execute(query).fetchall():
        met[user][item] = intents
    query = "SELECT userid, list(itemid ORDER BY score DESC) FROM rec GROUP BY userid ORDER BY userid"
    lists = tables.execute(query).fetchall()
    expected = [defined(items, met[user], k, Fraction(alpha)) for user, items in lists for k in ks]
    found = tables.execute(
        "SELECT alpha_ndcg, err_ia, subtopic_recall "
        f"FROM ranking.intents_by_user('rec', 'truth', $ks, alpha := {alpha}) ORDER BY userid, k NULLS LAST",
        {"ks": ks},
    ).fetchall()
    assert len(lists) == 30
    for row, values in zip(found, expected, strict=True):
        assert row == pytest.approx(tuple(values), abs=1e-12)

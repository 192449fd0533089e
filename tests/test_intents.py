"""ranking_intents_by_user against a slow definition and pyndeval; cases by hand are in right_tables.txt."""

import math
from collections.abc import Sequence
from fractions import Fraction

import duckdb
import pytest

from tests.conftest import module_connection

FUNCTION = "ranking_intents_by_user"
MEASURES = "alpha_ndcg, err_ia, subtopic_recall"
# The measures at 5 of judged(10) by pyndeval 0.0.8, with alpha 0.5 and with 0.9. Its ties are by document,
# descending: it was given each item as f"d{99 - item}", where it is in a list again as one not in truth.
PYNDEVAL: dict[float, list[tuple[float, float, float]]] = {
    0.5: [
        *((0.6585542672440198, 0.7261724659606658, 1.0), (0.5030832280227584, 0.29046898638426627, 0.6)),
        *((0.7620219572499006, 0.5192133131618759, 1.0), (0.38356636737133565, 0.1210287443267776, 0.4)),
        *((0.7286489417119606, 0.3800302571860817, 1.0), (0.5374008617971123, 0.3993948562783661, 0.6)),
        *((0.639945385422766, 0.22269288956127078, 0.6), (0.9486242914223728, 0.9682299546142209, 1.0)),
        *((0.8185594885905376, 0.5688350983358548, 1.0), (0.0, 0.0, 0.0)),
    ],
    0.9: [
        *((0.9358368390787011, 0.949123800544797, 1.0), (0.5534584038176311, 0.3543395522033909, 0.6)),
        *((0.8462497077798814, 0.6292690797612005, 1.0), (0.38356636737133565, 0.1581873000907995, 0.4)),
        *((0.7965837170852746, 0.46633616066767697, 1.0), (0.5999317572018813, 0.4840531382778465, 0.6)),
        *((0.639945385422766, 0.2910646321670711, 0.6), (0.9995607539003961, 0.999743736573853, 1.0)),
        *((0.8754644460634274, 0.65489542237591, 1.0), (0.0, 0.0, 0.0)),
    ],
}
Judged = dict[int, tuple[list[int], dict[int, list[int]]]]


tables = module_connection()


def judged(queries: int) -> Judged:
    """Lists, and the intents that items meet, by a formula; lists hold unknown items, and some twice."""
    return {
        q: (
            [(q * 7 + rank * (q % 4 + 3)) % 23 for rank in range(q % 9 * 2 + 1)],
            {
                item: [i for i in range(5) if (item * q + i * 3) % 7 < 1 + q % 3]
                for item in range(q % 3, 20, q % 2 + 1)
            },
        )
        for q in range(queries)
    }


def load(con: duckdb.DuckDBPyConnection, queries: Judged) -> None:
    rec = [(q, item, -rank) for q, (items, _) in queries.items() for rank, item in enumerate(items)]
    met = [
        (q, item, i, int(i in intents))
        for q, (_, truth) in queries.items()
        for item, intents in truth.items()
        for i in range(5)
    ]
    for name, columns, rows in (("some_rec", "score", rec), ("some_truth", "intent, rel", met)):
        values = ", ".join(map(str, rows))
        con.execute(
            f"CREATE OR REPLACE TABLE {name} AS FROM (VALUES {values}) AS t(userid, itemid, {columns})"
        )


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
def test_the_numbers_are_those_of_the_definition(tables: duckdb.DuckDBPyConnection, alpha: float) -> None:
    queries = judged(30)
    load(tables, queries)
    ks = [1, 2, 5, 100, None]
    found = tables.execute(
        f"SELECT {MEASURES} FROM {FUNCTION}('some_rec', 'some_truth', $ks, alpha := {alpha}) "
        "ORDER BY userid, k NULLS LAST",
        {"ks": ks},
    ).fetchall()
    expected = [defined(*one, k, Fraction(alpha)) for one in queries.values() for k in ks]
    assert len(found) == len(expected)
    for row, values in zip(found, expected, strict=True):
        assert row == pytest.approx(tuple(values), abs=1e-12)


@pytest.mark.parametrize("alpha", PYNDEVAL)
def test_the_numbers_are_those_of_pyndeval(tables: duckdb.DuckDBPyConnection, alpha: float) -> None:
    load(tables, judged(10))
    found = tables.execute(
        f"SELECT {MEASURES} FROM {FUNCTION}('some_rec', 'some_truth', 5, alpha := {alpha}) ORDER BY userid"
    ).fetchall()
    for row, values in zip(found, PYNDEVAL[alpha], strict=True):
        assert row == pytest.approx(values, abs=1e-12)

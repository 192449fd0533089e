"""Overlap of two lists against a slow definition; sql/overlap.test has equal lists and pairs of systems."""

from typing import Any

import pytest

from tests.conftest import Con, module_connection

# User 4 has no list of b, user 5 none of a, user 6 only NULL, and user 7 the same list of both.
con = module_connection("""
    CREATE TABLE rec AS FROM (VALUES
        ('a', 1, 10, 4.0), ('a', 1, 20, 3.0), ('a', 1, 30, 2.0),
        ('b', 1, 30, 9.0), ('b', 1, 10, 8.0), ('b', 1, 40, 7.0),
        ('a', 2, 10, 4.0), ('a', 2, NULL, 3.0), ('a', 2, 10, 2.0), ('a', 2, 20, 2.0), ('a', 2, 30, NULL),
        ('b', 2, 10, 4.0), ('b', 2, 20, 'nan'::DOUBLE), ('b', 2, 40, NULL),
        ('a', 3, 10, 1.0), ('b', 3, 20, 1.0),
        ('a', 4, 10, 1.0), ('b', 5, 10, 1.0), ('a', 6, NULL, 1.0), ('b', 6, NULL, 1.0),
        ('a', 7, 20, 1.0), ('a', 7, 10, 1.0), ('b', 7, 10, 5.0), ('b', 7, 10, 4.0), ('b', 7, 20, 3.0),
        ('a', NULL, 10, 1.0)
    ) AS t(system, userid, itemid, score)""")
LISTS: dict[int, tuple[list[int | None], list[int | None]]] = {
    1: ([10, 20, 30], [30, 10, 40]),
    2: ([10, None, 10, 20, 30], [10, 20, 40]),
    **{3: ([10], [20]), 4: ([10], []), 5: ([], [10]), 6: ([None], [None]), 7: ([10, 20], [10, 10, 20])},
}


def overlap(lists: tuple[list[Any], list[Any]], k: int | None, persistence: float) -> list[float]:
    """Return overlap, Jaccard index, RBO, same first item and same list; nothing if both lists are empty."""
    a, b = tops = [list(dict.fromkeys(item for item in items[:k] if item is not None)) for items in lists]
    if not (longer := max(map(len, tops))):
        return []
    common = len({*a} & {*b})
    weights = [persistence**depth for depth in range(longer)]
    shares = [len({*a[:depth]} & {*b[:depth]}) / depth for depth in range(1, longer + 1)]
    rbo = sum(weight * share for weight, share in zip(weights, shares, strict=True)) / sum(weights)
    return [common / longer, common / len({*a, *b}), rbo, float(a[:1] == b[:1]), float(a == b)]


@pytest.mark.parametrize("persistence", [0.9, 1, 1e-300])
def test_values_by_user_equal_the_definition(con: Con, persistence: float) -> None:
    arguments = f"'rec', [0, 1, 2, 3, 4, NULL], baseline := 'a', persistence := {persistence}"
    columns = "userid, k, n_rec_baseline, n_rec, overlap, jaccard, rbo, same_first, same_list"
    query = f"SELECT {columns} FROM ranking.overlap_by_user({arguments})"
    expected = {
        (user, k): pytest.approx((*map(len, lists), *values), abs=1e-12)
        for user, lists in LISTS.items()
        for k in (0, 1, 2, 3, 4, None)
        if (values := overlap(lists, k, persistence))
    }
    assert {(user, k): tuple(values) for user, k, *values in con.execute(query).fetchall()} == expected

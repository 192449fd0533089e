"""How much two lists have in common, against a slow definition; by hand in right_tables.txt."""

from typing import Any

import pytest

from tests.conftest import Con, module_connection

# Of user 4, b has nothing; of user 5, a; user 6 has nothing but NULL; user 7 has the same list in both.
REC = """
    ('a', 1, 10, 4.0), ('a', 1, 20, 3.0), ('a', 1, 30, 2.0),
    ('b', 1, 30, 9.0), ('b', 1, 10, 8.0), ('b', 1, 40, 7.0),
    ('a', 2, 10, 4.0), ('a', 2, NULL, 3.0), ('a', 2, 10, 2.0), ('a', 2, 20, 2.0), ('a', 2, 30, NULL),
    ('b', 2, 10, 4.0), ('b', 2, 20, 'nan'::DOUBLE), ('b', 2, 40, NULL),
    ('a', 3, 10, 1.0), ('b', 3, 20, 1.0),
    ('a', 4, 10, 1.0), ('b', 5, 10, 1.0), ('a', 6, NULL, 1.0), ('b', 6, NULL, 1.0),
    ('a', 7, 20, 1.0), ('a', 7, 10, 1.0), ('b', 7, 10, 5.0), ('b', 7, 10, 4.0), ('b', 7, 20, 3.0),
    ('a', NULL, 10, 1.0)
"""
# The lists that the pack's rules make of these.
LISTS: dict[int, tuple[list[int | None], list[int | None]]] = {
    1: ([10, 20, 30], [30, 10, 40]),
    2: ([10, None, 10, 20, 30], [10, 20, 40]),
    3: ([10], [20]),
    4: ([10], []),
    5: ([], [10]),
    6: ([None], [None]),
    7: ([10, 20], [10, 10, 20]),
}
VALUES = ["overlap", "jaccard", "rbo", "same_first", "same_list"]


con = module_connection(f"CREATE TABLE rec AS FROM (VALUES {REC}) AS t(system, userid, itemid, score)")


def slow(one: list[Any], other: list[Any], k: int | None, persistence: float) -> list[float] | None:
    """The definition, depth by depth; None where the top k of both is empty."""
    tops = [list(dict.fromkeys(item for item in items[:k] if item is not None)) for items in (one, other)]
    a, b = tops
    longer = max(map(len, tops))
    if not longer:
        return None
    common = len(set(a) & set(b))
    weights = [persistence ** (depth - 1) for depth in range(1, longer + 1)]
    shares = [len(set(a[:depth]) & set(b[:depth])) / depth for depth in range(1, longer + 1)]
    rbo = sum(weight * share for weight, share in zip(weights, shares, strict=True)) / sum(weights)
    return [common / longer, common / len(set(a) | set(b)), rbo, float(a[:1] == b[:1]), float(a == b)]


@pytest.mark.parametrize("persistence", [0.9, 1, 1e-300])
def test_each_user_has_what_the_definition_says(con: Con, persistence: float) -> None:
    query = f"SELECT userid, k, n_rec_baseline, n_rec, {', '.join(VALUES)} FROM ranking.overlap_by_user("
    query += f"'rec', [0, 1, 2, 3, 4, NULL], baseline := 'a', persistence := {persistence})"
    expected = {
        (user, k): (len(one), len(other), *numbers)
        for user, (one, other) in LISTS.items()
        for k in (0, 1, 2, 3, 4, None)
        if (numbers := slow(one, other, k, persistence))
    }
    found = {(user, k): tuple(values) for user, k, *values in con.execute(query).fetchall()}
    assert found == {key: pytest.approx(values, abs=1e-12) for key, values in expected.items()}


def test_means_are_over_users_with_a_list_of_either(con: Con) -> None:
    found = con.execute("FROM ranking.overlap('rec', [0, 2, NULL], baseline := 'b')").fetchall()
    assert found[0] == ("b", "a", 0, 0, 0, 0, *[None] * 5)
    for row, k in zip(found[1:], (2, None), strict=True):
        numbers = [slow(*lists, k, 0.9) for lists in LISTS.values()]
        means = [sum(column) / 6 for column in zip(*filter(None, numbers), strict=True)]
        assert row[:6] == ("b", "a", k, 6, 1, 1)
        assert row[6:] == pytest.approx(means, abs=1e-12)

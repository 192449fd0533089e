"""ranking.by_item against a slow definition: users who get an item, and users for whom it is relevant."""

import math
from typing import Any

import pytest

from tests.conftest import Con, is_close, module_connection

# User 9 has no truth, user 3 no list; a repeats an item, and has a NULL; `gone` is only in truth.
tables = module_connection("""
    CREATE TABLE rec AS FROM (VALUES
        ('a', 1, 'p', 9.0), ('a', 1, 'q', 8.0), ('a', 1, 'p', 7.0), ('a', 1, 'r', 6.0),
        ('a', 2, NULL, 5.0), ('a', 2, 'q', 4.0), ('a', 9, 'p', 1.0), ('a', 9, 'x', 1.0),
        ('b', 1, 'r', 1.0), ('b', 2, 'r', 2.0), ('b', 2, 'p', 1.0), ('a', NULL, 'p', 1.0), (NULL, 1, 'q', 1.0)
    ) AS t(system, userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES
        (1, 'p', 1), (1, 'p', 3), (1, 'r', 1), (2, 'q', 2), (2, 'r', 0), (3, 'p', 1), (3, 'gone', -1),
        (2, NULL, 1)
    ) AS t(userid, itemid, rel)""")
LISTS: dict[str | None, dict[int, list[str | None]]] = {
    "a": {1: ["p", "q", "p", "r"], 2: [None, "q"], 3: []},
    "b": {1: ["r"], 2: ["r", "p"], 3: []},
    None: {1: ["q"], 2: [], 3: []},
}
GRADES = {1: {"p": 3, "r": 1}, 2: {"q": 2, "r": 0}, 3: {"p": 1, "gone": -1}}


def by_item(lists: dict[int, list[str | None]], k: int | None, least: float) -> dict[str, tuple[Any, ...]]:
    """Return the definition's values, item by item."""
    ranks = {u: {item: items.index(item) + 1 for item in items[:k] if item} for u, items in lists.items()}
    values = {}
    for item in sorted({item for of in (*GRADES.values(), *ranks.values()) for item in of}):
        wanted = {user for user, grades in GRADES.items() if grades.get(item, 0) >= least}
        shown = {user: of_user[item] for user, of_user in ranks.items() if item in of_user}
        hits = [rank for user, rank in shown.items() if user in wanted]
        values[item] = (
            *(len(wanted), len(shown), len(hits)),
            len(hits) / len(wanted) if wanted else None,
            len(hits) / len(shown) if shown else None,
            sum(1 / math.log2(rank + 1) for rank in shown.values()),
            sum(hits) / len(hits) if hits else None,
        )
    return values


@pytest.mark.parametrize(("arguments", "least"), [("", 1e-9), (", min_grade := 2", 2)])
def test_values_by_item_equal_the_definition(tables: Con, arguments: str, least: float) -> None:
    rows = tables.execute(f"FROM ranking.by_item('rec', 'truth', [0, 1, 2, NULL]{arguments})").fetchall()
    keys = [(system, k) for system in LISTS for k in (0, 1, 2, None)]
    expected = [(*key, *of) for key in keys for of in by_item(LISTS[key[0]], key[1], least).items()]
    assert [row[:3] for row in rows] == [row[:3] for row in expected]
    for row, (system, *_, values) in zip(rows, expected, strict=True):
        *found, users_without_truth = row[3:]
        assert users_without_truth == (system == "a")
        assert all(is_close(*pair, 1e-12) for pair in zip(found, values, strict=True)), (row, values)

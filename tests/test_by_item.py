"""The item's side: to whom each is recommended, and who would have wanted it, against a slow definition."""

import math
from typing import Any

import pytest

from tests.conftest import Con, file_text, is_close, module_connection

LISTS: dict[str | None, dict[int, list[str | None]]] = {
    "a": {1: ["p", "q", "p", "r"], 2: [None, "q"], 3: []},
    "b": {1: ["r"], 2: ["r", "p"], 3: []},
    None: {1: ["q"], 2: [], 3: []},
}
GRADES = {1: {"p": 3, "r": 1}, 2: {"q": 2, "r": 0}, 3: {"p": 1, "gone": -1}}


tables = module_connection(file_text("tables/by_item.sql"))


def slow(lists: dict[int, list[str | None]], k: int | None, least: float) -> dict[str, tuple[Any, ...]]:
    """The definition, item by item."""
    ranks = {
        user: {item: items.index(item) + 1 for item in items[:k] if item} for user, items in lists.items()
    }
    found = {}
    for item in {item for one in (*GRADES.values(), *ranks.values()) for item in one}:
        wanted = {user for user, grades in GRADES.items() if grades.get(item, 0) >= least}
        shown = {user: one[item] for user, one in ranks.items() if item in one}
        hits = [rank for user, rank in shown.items() if user in wanted]
        found[item] = (
            *(len(wanted), len(shown), len(hits)),
            len(hits) / len(wanted) if wanted else None,
            len(hits) / len(shown) if shown else None,
            sum(1 / math.log2(rank + 1) for rank in shown.values()),
            sum(hits) / len(hits) if hits else None,
        )
    return found


@pytest.mark.parametrize(("arguments", "least"), [("", 1e-9), (", min_grade := 2", 2)])
def test_each_item_has_what_the_definition_says(tables: Con, arguments: str, least: float) -> None:
    found = tables.execute(f"FROM ranking.by_item('rec', 'truth', [0, 1, 2, NULL]{arguments})").fetchall()
    groups = dict.fromkeys(row[:2] for row in found)
    assert list(groups) == [(system, k) for system in LISTS for k in (0, 1, 2, None)]
    for system, k in groups:
        expected = slow(LISTS[system], k, least)
        rows = {row[2]: row[3:] for row in found if row[:2] == (system, k)}
        assert list(rows) == sorted(expected)
        for item, (*values, strangers) in rows.items():
            assert strangers == (1 if system == "a" else 0)
            for value, number in zip(values, expected[item], strict=True):
                assert is_close(value, number, 1e-12), (system, k, item, values, expected[item])

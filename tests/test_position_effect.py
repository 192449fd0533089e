"""The effect of a rank on clicks, by the query of examples/logs: against a slow definition, and by hand."""

import math
import random
import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from scipy.stats import t as student_t

from tests.conftest import Con, is_close

PAGE = Path(__file__).resolve().parent.parent / "examples" / "logs" / "README.md"
Cell = tuple[int, int, int]  # query, item, rank


def effects(con: Con, log: pa.Table) -> dict[int, list[float | None]]:
    """Return by rank what the query of the page finds in a log: the effect, its lower and its upper end."""
    (query,) = re.findall(r"```sql\nCREATE (TABLE position AS\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    con.register("log", log)
    rows = con.execute(f"CREATE OR REPLACE {query}; SELECT rank, effect, low, high FROM position").fetchall()
    return {rank: values for rank, *values in rows}


def defined(cells: Mapping[Cell, tuple[int, int]], parts: Mapping[int, int]) -> dict[int, list[float | None]]:
    """The effect of each rank with its interval, of how often cells were shown and clicked."""
    pairs: dict[int, list[tuple[int, Fraction, Fraction]]] = {}  # by rank: part, clicks here and at the next
    for (query, item, rank), (shown, clicks) in cells.items():
        next_shown, next_clicks = cells.get((query, item, rank + 1), (0, 0))
        if shown and next_shown:
            both = Fraction(clicks, shown), Fraction(next_clicks, next_shown)
            here, there = (min(shown, next_shown) * rate for rate in both)
            pairs.setdefault(rank, []).append((parts[query], here, there))

    def effect(rank: int, left_out: int | None = None) -> Fraction | None:
        found = Fraction(1)
        for s in range(1, rank):
            counted = [(here, there) for part, here, there in pairs.get(s, []) if part != left_out]
            here = sum((one for one, _ in counted), Fraction())
            there = sum((one for _, one in counted), Fraction())
            if not here or not there:
                return None
            found *= there / here
        return found

    intervals: dict[int, list[float | None]] = {}
    for rank in sorted({rank for *_, rank in cells}):
        whole, others = effect(rank), [effect(rank, part) for part in range(20)]
        if whole is None or any(one is None for one in others):
            intervals[rank] = [None if whole is None else float(whole), None, None]
            continue
        logs = [math.log(one) for one in others if one is not None]
        variance = 19 / 20 * sum((one - sum(logs) / 20) ** 2 for one in logs)
        parted = min((len({part for part, *_ in pairs[s]}) for s in range(1, rank)), default=20)
        half = round(student_t.ppf(0.975, parted - 1), 3) * math.sqrt(variance) if rank > 1 else 0
        intervals[rank] = [float(whole), *(float(whole) * math.exp(sign * half) for sign in (-1, 1))]
    return intervals


@pytest.mark.parametrize("queries", [3, 12, 60])
def test_effects_are_those_of_a_slow_definition(bare: Con, queries: int) -> None:
    draw = random.Random(queries)
    rows = [
        {"query": draw_query, "item": item, "rank": rank, "clicked": draw.random() < 1 / (item % 3 + rank)}
        for draw_query in draw.choices(range(queries), k=queries * 12)
        for rank, item in enumerate(draw.choices(range(7), k=6), 1)
    ]
    shown, clicks = Counter[Cell](), Counter[Cell]()
    for row in rows:
        cell = row["query"], row["item"], row["rank"]
        shown[cell] += 1
        clicks[cell] += row["clicked"]
    found = effects(bare, pa.Table.from_pylist(draw.sample(rows, len(rows))))
    hashed = dict(bare.execute("SELECT DISTINCT query, hash(query) % 20 FROM log").fetchall())
    expected = defined({cell: (shown[cell], clicks[cell]) for cell in shown}, hashed)
    assert found.keys() == expected.keys()
    for rank, values in found.items():
        pairs = zip(values, expected[rank], strict=True)
        assert all(is_close(one, other, 1e-7) for one, other in pairs), (rank, values, expected[rank])
    assert queries < 60 or expected[6][1] is not None


def test_each_pair_weighs_as_at_the_rank_where_it_was_shown_less(bare: Con) -> None:
    """By hand: from rank 1 to 2 item a weighs 10; from 2 to 3 items b and c do 8 and 2; none leads to 5.

    Item a of another query is another item.
    """
    cells = """(1, 'a', 1, 10, 5), (1, 'a', 2, 40, 10), (1, 'b', 2, 8, 3), (1, 'b', 3, 16, 4),
        (1, 'c', 2, 4, 2), (1, 'c', 3, 2, 1), (2, 'a', 3, 20, 20), (2, 'a', 4, 5, 0), (2, 'b', 5, 9, 9)"""
    log = bare.sql(f"""
        SELECT query, item, rank, i < n AS clicked
        FROM (VALUES {cells}) AS t(query, item, rank, shown, n), LATERAL range(shown) AS r(i)""")
    found = {rank: effect for rank, (effect, *_) in effects(bare, log.to_arrow_table()).items()}
    second = (10 * 10 / 40) / (10 * 5 / 10)
    third = second * (8 * 4 / 16 + 2 * 1 / 2) / (8 * 3 / 8 + 2 * 2 / 4)
    assert found == pytest.approx({1: 1, 2: second, 3: third, 4: None, 5: None})
    assert bare.execute("SELECT rank, shown, ctr, pairs FROM position").fetchall() == [
        (1, 10, 5 / 10, None),
        (2, 52, 15 / 52, 1),
        (3, 38, 25 / 38, 2),
        (4, 5, 0, 1),
        (5, 9, 1, None),
    ]

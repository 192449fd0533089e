"""The position bias of clicks, by the query of examples/logs, against a slow definition."""

import math
import random
import re
from collections import Counter, defaultdict
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
    """Return what the query of the page finds in a log, by rank: the effect and its interval."""
    (query,) = re.findall(r"```sql\nCREATE (TABLE position AS\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    con.register("log", log)
    rows = con.execute(f"CREATE OR REPLACE {query}; SELECT rank, effect, low, high FROM position").fetchall()
    return {rank: values for rank, *values in rows}


def defined(cells: Mapping[Cell, tuple[int, int]], parts: Mapping[int, int]) -> dict[int, list[float | None]]:
    """Return the effect of each rank and its interval, from how often cells were shown and clicked."""
    # By rank: part, clicks here, at the next.
    pairs: dict[int, list[tuple[int, Fraction, Fraction]]] = defaultdict(list)
    for (query, item, rank), (shown, clicks) in cells.items():
        next_shown, next_clicks = cells.get((query, item, rank + 1), (0, 0))
        if shown and next_shown:
            least = min(shown, next_shown)
            rates = Fraction(clicks, shown), Fraction(next_clicks, next_shown)
            pairs[rank].append((parts[query], least * rates[0], least * rates[1]))

    def effect(rank: int, left_out: int | None = None) -> float | None:
        product = Fraction(1)
        for s in range(1, rank):
            here = sum(here for part, here, _ in pairs[s] if part != left_out)
            there = sum(there for part, _, there in pairs[s] if part != left_out)
            if not here or not there:
                return None
            product *= Fraction(there) / here
        return float(product)

    intervals: dict[int, list[float | None]] = {}
    for rank in sorted({rank for *_, rank in cells}):
        whole, others = effect(rank), [effect(rank, part) for part in range(20)]
        intervals[rank] = [whole, None, None]
        logs = [math.log(other) for other in others if other is not None]
        if whole is not None and len(logs) == 20:
            error = math.sqrt(19 / 20 * sum((log - sum(logs) / 20) ** 2 for log in logs))
            n_parts = min((len({part for part, *_ in pairs[s]}) for s in range(1, rank)), default=20)
            half = round(student_t.ppf(0.975, n_parts - 1), 3) * error if rank > 1 else 0
            intervals[rank] = [whole, whole * math.exp(-half), whole * math.exp(half)]
    return intervals


@pytest.mark.parametrize("queries", [3, 12, 60])
def test_effects_equal_the_slow_definition(bare: Con, queries: int) -> None:
    draw = random.Random(queries)
    rows = [
        {"query": query, "item": item, "rank": rank, "clicked": draw.random() < 1 / (item % 3 + rank)}
        for query in draw.choices(range(queries), k=queries * 12)
        for rank, item in enumerate(draw.choices(range(7), k=6), 1)
    ]
    shown = Counter[Cell]((row["query"], row["item"], row["rank"]) for row in rows)
    clicks = Counter[Cell]((row["query"], row["item"], row["rank"]) for row in rows if row["clicked"])
    by_rank = effects(bare, pa.Table.from_pylist(draw.sample(rows, len(rows))))
    parts = dict(bare.execute("SELECT DISTINCT query, hash(query) % 20 FROM log").fetchall())
    expected = defined({cell: (shown[cell], clicks[cell]) for cell in shown}, parts)
    assert by_rank.keys() == expected.keys()
    for rank, values in by_rank.items():
        assert all(is_close(*pair, 1e-7) for pair in zip(values, expected[rank], strict=True)), rank
    assert queries < 60 or expected[6][1] is not None

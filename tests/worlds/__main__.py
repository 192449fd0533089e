"""Print what ranking_check sees of the disasters, and what else it takes for one: `python -m tests.worlds`.

With 2,000 draws it takes some ten minutes; the tables are in markdown.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import duckdb

import ranking_udfs
from tests.worlds import generators as g
from tests.worlds import simulate
from tests.worlds.simulate import CLEAN, DISASTERS_OF_GOOD_MODELS, SPOKEN_FOR, UNRELATED, Kind
from tests.worlds.tables import create, found, history_table, rec_table, truth_table

SEVERITIES = ("wrong", "doubtful")
Cells = Sequence[str | float]


def print_table(title: str, heads: Sequence[str], rows: Iterable[Cells]) -> None:
    print(f"\n## {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(
            f"| {' | '.join(cell if isinstance(cell, str) else f'{cell:.4g}' for cell in row)} |", flush=True
        )


def per_1000(kinds: Mapping[str, Kind], draws: int, seed: int) -> Iterator[Cells]:
    for name, kind in kinds.items():
        n = max(draws // 2, 1) if "5,000" in name else draws
        counts = simulate.shares(kind, n, seed)
        yield name, str(n), *(1_000 * counts[severity] / n for severity in SEVERITIES)


def severities(
    con: duckdb.DuckDBPyConnection, names: Sequence[str], draws: int, arguments: str = ""
) -> Iterator[tuple[str, str]]:
    """Of systems called `name, i`: the share of draws by code and severity."""
    counts = Counter(
        (str(row.system).rpartition(", ")[0], f"{row.severity} {row.code}") for row in found(con, arguments)
    )
    for name in names:
        told = {row: n for (one, row), n in counts.items() if one == name}
        yield name, ", ".join(f"{row} {n / draws:.1%}" for row, n in sorted(told.items())) or "no row"


def leaks(con: duckdb.DuckDBPyConnection, draws: int, seed: int) -> Iterator[Cells]:
    systems: list[tuple[str, int, g.Lists]] = []
    worlds: list[g.World] = []
    for i, rng in enumerate(simulate.generators(seed, draws)):
        chunks, graded = g.draw_world(rng, "two chunks", 60), g.draw_world(rng, "three grades", 60)
        of_graded = g.model(rng, graded, 0.7)
        of_chunks = {
            "truth joined into a model": g.with_truth_joined(chunks, g.model(rng, chunks, 0.7)),
            "good model": g.model(rng, chunks, 0.9),
            "rec is truth": g.truth_itself(chunks),
        } | {
            f"honest retriever, both first in {first:.0%}": g.honest_retriever(rng, chunks, first=first)
            for first in (0.8, 0.85, 0.9, 0.95)
        }
        of_grades = {
            "truth of three grades joined, relevant alone": g.with_truth_joined(graded, of_graded),
            "truth of three grades joined, all of it": g.with_truth_joined(
                graded, of_graded, irrelevant=True
            ),
            "good model, three grades": g.model(rng, graded, 0.9),
            "rec is truth, three grades": g.truth_itself(graded),
        }
        systems += [(f"{name}, {i}", 2 * i, lists) for name, lists in of_chunks.items()]
        systems += [(f"{name}, {i}", 2 * i + 1, lists) for name, lists in of_grades.items()]
        worlds += [chunks, graded]
    create(con, rec=rec_table(systems), truth=truth_table(worlds))
    return severities(con, list(dict.fromkeys(name.rpartition(", ")[0] for name, *_ in systems)), draws)


def seen(con: duckdb.DuckDBPyConnection, draws: int, seed: int) -> Iterator[Cells]:
    systems: list[tuple[str, int, g.Lists]] = []
    worlds, histories = [], []
    for i, rng in enumerate(simulate.generators(seed, draws)):
        world = g.draw_world(rng, "three relevant", 300, popularity=0.5)
        had = g.had_before(rng, world, 8)
        good, with_seen = g.model(rng, world, 0.9), g.seen_on_top(rng, world, had, 0.9)
        for name, lists in {
            "good model": good,
            "good model, seen items on top": with_seen,
            "good model turned round": g.Lists(good.items, -good.scores),
            "good model, seen items on top, turned round": g.Lists(with_seen.items, -with_seen.scores),
        }.items():
            systems.append((f"{name}, {i}", i, lists))
        worlds.append(world)
        histories.append(had)
    create(con, rec=rec_table(systems), truth=truth_table(worlds), history=history_table(histories))
    names = list(dict.fromkeys(name.rpartition(", ")[0] for name, *_ in systems))
    with_history = severities(con, names, draws, ", history := 'history', time_col := ''")
    for (name, without), (_, told) in zip(severities(con, names, draws), with_history, strict=True):
        yield name, without, told


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.worlds", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--draws", type=int, default=2_000, help="of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    few = max(given.draws // 10, 1)
    heads = ["kind", "draws", "wrong per 1,000", "doubtful per 1,000"]
    with ranking_udfs.register(duckdb.connect()) as con:
        print_table("Disasters of a good model", heads, per_1000(DISASTERS_OF_GOOD_MODELS, few, given.seed))
        print_table("Nothing is wrong", heads, per_1000(CLEAN, given.draws, given.seed))
        print_table("Nothing is wrong, in ranks", heads, per_1000(SPOKEN_FOR, given.draws, given.seed))
        print_table(
            "One list for all in an unrelated order", heads, per_1000(UNRELATED, given.draws, given.seed)
        )
        n = min(few, 100)
        print_table(
            "What users had before", ["kind", "without history", "with"], seen(con, min(n, 50), given.seed)
        )
        print_table("Truth in a model", ["kind", "rows"], leaks(con, n, given.seed))
        kinds = DISASTERS_OF_GOOD_MODELS | CLEAN | SPOKEN_FOR | UNRELATED
        n_checked = sum(
            not any(simulate.disagreements(con, {name: kind}, 5, given.seed)) for name, kind in kinds.items()
        )
        print(
            f"\nOf {len(kinds)} kinds, ranking_check found the same as these in 5 draws each of {n_checked}."
        )


if __name__ == "__main__":
    main()

"""Which end of scores is up, and truth in a model: ranking_check against a slow definition and on worlds."""

from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tests.conftest import module_connection
from tests.worlds import generators as g
from tests.worlds import simulate, slowly
from tests.worlds.messy import Messy, messy
from tests.worlds.slowly import Found
from tests.worlds.tables import create, found, history_rows, history_table, rec_table, rows, truth_table

HISTORY = ", history := 'history', time_col := ''"


con = module_connection()


# --- The slow definition ---


def both(con: duckdb.DuckDBPyConnection, world: Messy) -> tuple[set[Found], set[Found]]:
    """What ranking_check finds, and the slow definition."""
    ids = {"userid": pa.int64(), "itemid": pa.int64()}
    types = {"system": pa.string(), **ids, "score": pa.float64(), "rank": pa.float64()}
    if not world.has_ranks:
        del types["rank"]
    given: dict[str, Any] = {
        "rec": (types, world.rec),
        "truth": (ids | {"rel": pa.float64()}, world.truth),
        "history": (ids, sorted(world.history or [], key=str)),
    }
    for name, (columns, listed) in given.items():
        dicts = [dict(zip(columns, row, strict=False)) for row in listed]
        create(con, **{name: pa.Table.from_pylist(dicts, pa.schema(columns))})
    arguments = f", descending := {world.descending}, min_grade := {world.min_grade or 'NULL'}"
    rec = world.rec if world.has_ranks else [row._replace(rank=None) for row in world.rec]
    return (
        found(con, arguments + HISTORY * (world.history is not None)),
        slowly.check(rec, world.truth, world.history, world.descending, world.min_grade),
    )


@pytest.mark.slow
def test_the_rows_are_those_of_the_slow_definition(con: duckdb.DuckDBPyConnection) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(16):
        told, expected = both(con, messy(np.random.default_rng(seed)))
        assert told == expected, seed
        seen.update((row.severity, row.code) for row in expected)
    assert set(seen) == {
        ("wrong", "upside_down"),
        ("doubtful", "upside_down"),
        ("wrong", "seen_first"),
        ("info", "unknown_end"),
        ("doubtful", "truth_in_rec"),
        ("wrong", "truth_in_rec"),
    }
    assert min(seen.values()) >= 3, seen


def test_the_area_of_the_slow_definition_is_that_by_hand() -> None:
    assert slowly.auc([3], [1, 2, 4]) == pytest.approx(2 / 3)
    assert slowly.auc([2], [1, 2, 3]) == 1 / 2
    assert slowly.auc([3, 1], [2]) == 1 / 2
    assert slowly.z([-1, -1, 1, -1]) == pytest.approx(-0.5 / (1 / 4**0.5))


# --- The disasters, and what is none ---


def test_what_users_had_before_on_top_is_told_from_scores_upside_down(con: duckdb.DuckDBPyConnection) -> None:
    systems, worlds, histories = [], [], []
    for i, rng in enumerate(simulate.generators(8, 10)):
        world = g.draw_world(rng, "three relevant", 200, popularity=0.5)
        seen = g.had_before(rng, world, 8)
        clean, with_seen = g.model(rng, world, 0.9), g.seen_on_top(rng, world, seen, 0.9)
        systems += [
            (f"clean {i}", i, clean),
            (f"seen {i}", i, with_seen),
            (f"reversed {i}", i, g.Lists(clean.items, -clean.scores)),
        ]
        worlds.append(world)
        histories.append(seen)
    create(con, rec=rec_table(systems), truth=truth_table(worlds), history=history_table(histories))

    def codes(told: set[Found]) -> dict[str | None, str]:
        assert {row.severity for row in told} == {"wrong"}
        return {row.system: row.code for row in told}

    upside_down = {f"{name} {i}": "upside_down" for name in ("seen", "reversed") for i in range(10)}
    assert codes(found(con)) == upside_down
    with_history = found(con, HISTORY)
    assert codes(with_history) == upside_down | {f"seen {i}": "seen_first" for i in range(10)}
    assert with_history == slowly.check(*rows(con), history_rows(con))


# --- Truth in a model ---


def test_truth_in_a_model_is_seen_and_an_honest_one_is_not_taken_for_it(
    con: duckdb.DuckDBPyConnection,
) -> None:
    systems, worlds = [], []
    for i, rng in enumerate(simulate.generators(9, 10)):
        binary, graded = g.draw_world(rng, "two chunks", 60), g.draw_world(rng, "three grades", 60)
        model, of_graded = g.model(rng, binary, 0.7), g.model(rng, graded, 0.7)
        systems += [
            (f"joined {i}", 2 * i, g.with_truth_joined(binary, model)),
            (f"honest {i}", 2 * i, g.honest_retriever(rng, binary)),
            (f"model {i}", 2 * i, model),
            (f"truth {i}", 2 * i, g.truth_itself(binary)),
            (f"relevant joined {i}", 2 * i + 1, g.with_truth_joined(graded, of_graded)),
            (f"all joined {i}", 2 * i + 1, g.with_truth_joined(graded, of_graded, irrelevant=True)),
            (f"graded truth {i}", 2 * i + 1, g.truth_itself(graded)),
        ]
        worlds += [binary, graded]
    create(con, rec=rec_table(systems), truth=truth_table(worlds))
    severities = {"joined": "doubtful", "relevant joined": "doubtful", "all joined": "wrong"}
    told = found(con)
    assert told == {
        Found(severity, f"{name} {i}", "truth_in_rec", 60, 60)
        for name, severity in severities.items()
        for i in range(10)
    }
    assert told == slowly.check(*rows(con))


# --- False alarms ---

QUICK: dict[str, simulate.Kind] = {
    "one list for all": simulate.unrelated_list(400, 20, 0.5),
    "one short list for all": simulate.unrelated_list(100, 10, 0.5),
}
GOOD = ("good model", "good model, points")


def test_false_alarms_are_few(con: duckdb.DuckDBPyConnection) -> None:
    """Over 126 draws, with the seed as it is; `python -m tests.worlds` counts them over many more."""
    draws = dict.fromkeys(simulate.CLEAN, 4) | dict.fromkeys(GOOD, 20) | dict.fromkeys(QUICK, 25)
    told = simulate.severities(con, simulate.CLEAN | QUICK, draws, 10)
    assert sum(one["wrong"] for one in told.values()) == 0, told
    assert not any(told[name] for name in GOOD)  # nor a doubt


def test_the_disasters_of_good_models_are_told(con: duckdb.DuckDBPyConnection) -> None:
    kinds = simulate.DISASTERS_OF_GOOD_MODELS
    told = simulate.severities(con, kinds, dict.fromkeys(kinds, 20), 11)
    assert {name: one["wrong"] for name, one in told.items()} == dict.fromkeys(kinds, 20)

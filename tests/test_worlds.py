"""Which end of scores is up, and truth in a model: ranking_check against a slow definition and on worlds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from tests.worlds import generators as g
from tests.worlds import simulate, slowly
from tests.worlds.messy import Messy, messy
from tests.worlds.slowly import Found, Rec
from tests.worlds.tables import create, found, history_rows, history_table, rec_table, rows, truth_table

HISTORY = ", history := 'history', time_col := ''"


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


def create_rows(
    con: duckdb.DuckDBPyConnection, rec: Sequence[Rec], truth: Sequence[Any], history: Any, has_ranks: bool
) -> None:
    """The tables of these rows; rec without its ranks if it has none."""
    ids = {"userid": pa.int64(), "itemid": pa.int64()}
    types = {"system": pa.string(), **ids, "score": pa.float64(), "rank": pa.float64()}
    names = [name for name in types if has_ranks or name != "rank"]
    given = {
        "rec": ({name: types[name] for name in names}, rec),
        "truth": (ids | {"rel": pa.float64()}, truth),
        "history": (ids, sorted(history or [], key=str)),
    }
    for name, (columns, listed) in given.items():
        dicts = [dict(zip(columns, row, strict=False)) for row in listed]
        create(con, **{name: pa.Table.from_pylist(dicts, pa.schema(columns))})


# --- The slow definition ---


def both(con: duckdb.DuckDBPyConnection, world: Messy) -> tuple[set[Found], set[Found]]:
    """What ranking_check finds, and the slow definition."""
    create_rows(con, world.rec, world.truth, world.history, world.has_ranks)
    arguments = f", descending := {world.descending}, min_grade := {world.min_grade or 'NULL'}"
    rec = world.rec if world.has_ranks else [row._replace(rank=None) for row in world.rec]
    return (
        found(con, arguments + HISTORY * (world.history is not None)),
        slowly.check(rec, world.truth, world.history, world.descending, world.min_grade),
    )


def test_the_rows_are_those_of_the_slow_definition(con: duckdb.DuckDBPyConnection) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(6):
        told, expected = both(con, messy(np.random.default_rng(seed)))
        assert told == expected, seed
        seen.update((row.severity, row.code) for row in expected)
    assert set(seen) == {
        ("wrong", "upside_down"),
        ("doubtful", "upside_down"),
        ("wrong", "seen_first"),
        ("info", "unknown_end"),
        ("doubtful", "truth_in_rec"),
    }
    assert min(seen.values()) >= 3, seen


@pytest.mark.slow
def test_the_rows_of_many_worlds_are_those_of_the_slow_definition(con: duckdb.DuckDBPyConnection) -> None:
    for seed in range(6, 26):
        told, expected = both(con, messy(np.random.default_rng(seed)))
        assert told == expected, seed


def test_a_list_of_nothing_but_one_relevant_item_twice_tells_nothing(con: duckdb.DuckDBPyConnection) -> None:
    create_rows(con, [Rec("a", 1, 1, 2.0), Rec("a", 1, 1, 1.0)], [(1, 1, 1.0)], None, False)
    assert found(con) == set()


def test_rows_without_a_user_are_no_list(con: duckdb.DuckDBPyConnection) -> None:
    ranks = [Rec("a", 1, item, float(item)) for item in (1, 2, 3)]
    nobody = [Rec("a", None, item, score) for item, score in ((1, 1.0), (2, 5.0), (3, 6.0))]
    create_rows(con, ranks + nobody, [(1, 9, 1.0)], None, False)
    assert found(con) == {Found("info", "a", "unknown_end", 1, 1)}


def test_the_area_of_the_slow_definition_is_that_by_hand() -> None:
    assert slowly.auc([3], [1, 2, 4]) == pytest.approx(2 / 3)
    assert slowly.auc([2], [1, 2, 3]) == 1 / 2
    assert slowly.auc([3, 1], [2]) == 1 / 2
    assert slowly.z([-1, -1, 1, -1]) == pytest.approx(-0.5 / (1 / 4**0.5))


# --- The disasters, and what is none ---


def good_models(
    draws: int, users: int = 400, popularity: float = 0.5
) -> list[tuple[g.Rng, g.World, g.Lists]]:
    """Models of which 66 % of the users with a hit, or more, have what is relevant above other items."""
    drawn = []
    for rng in simulate.generators(7, draws):
        world = g.draw_world(rng, "three relevant", users, popularity=popularity)
        drawn.append((rng, world, g.model(rng, world, 0.9)))
    return drawn


def test_every_disaster_is_seen_and_good_scores_and_points_have_no_row(
    con: duckdb.DuckDBPyConnection,
) -> None:
    drawn = good_models(20, users=150)
    given = {"scores": lambda rng, scores: scores, "points": g.points, **g.DISASTERS}
    systems = [
        (f"{name}, {i}", i, g.Lists(lists.items, write(rng, lists.scores)))
        for name, write in given.items()
        for i, (rng, _, lists) in enumerate(drawn)
    ]
    create(con, rec=rec_table(systems), truth=truth_table([world for _, world, _ in drawn]))
    told = found(con)
    assert {(row.severity, row.system, row.code) for row in told} == {
        ("wrong", f"{name}, {i}", "upside_down") for name in g.DISASTERS for i in range(20)
    }
    assert all(row.count >= 0.6 * row.of and row.of >= 120 for row in told)


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


def test_with_too_few_users_ranks_are_doubtful_or_unknown(con: duckdb.DuckDBPyConnection) -> None:
    lists = [Rec("a", user, item, float(item)) for user in range(20) for item in range(1, 6)]
    create_rows(con, lists, [(user, 1, 1.0) for user in range(5)] + [(6, 5, 1.0)], None, False)
    assert found(con) == {Found("doubtful", "a", "upside_down", 5, 6)}
    create_rows(con, lists, [(user, 1 + 4 * (user % 2), 1.0) for user in range(6)], None, False)
    assert found(con) == set()
    create_rows(con, lists, [(user, 9, 1.0) for user in range(5)], None, False)
    assert found(con) == {Found("info", "a", "unknown_end", 20, 20)}


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


def test_false_alarms_are_few(con: duckdb.DuckDBPyConnection) -> None:
    """Over 94 draws, with the seed as it is; `python -m tests.worlds` counts them over many more."""
    draws = dict.fromkeys(simulate.CLEAN, 4) | dict.fromkeys(QUICK, 25)
    told = simulate.severities(con, simulate.CLEAN | QUICK, draws, 10)
    assert sum(one["wrong"] for one in told.values()) == 0, told


def test_the_disasters_of_good_models_are_told(con: duckdb.DuckDBPyConnection) -> None:
    """Also of ones that are less good, with a doubt at least."""
    kinds = simulate.DISASTERS_OF_GOOD_MODELS
    told = simulate.severities(con, kinds, dict.fromkeys(kinds, 2), 11)
    assert {name: one["wrong"] for name, one in told.items()} == dict.fromkeys(kinds, 2)

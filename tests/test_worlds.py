"""Which end of scores is up, and truth in a model: ranking_check against a slow definition and on worlds."""

from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.conftest import module_connection
from tests.worlds import generators as g
from tests.worlds import simulate, slowly
from tests.worlds.messy import messy
from tests.worlds.slowly import Found
from tests.worlds.tables import create, found, history_table, rec_table, truth_table

HISTORY = ", history := 'history', time_col := ''"


con = module_connection()


# --- The slow definition ---


@pytest.mark.slow
def test_the_rows_are_those_of_the_slow_definition(con: duckdb.DuckDBPyConnection) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    ids = {"userid": pa.int64(), "itemid": pa.int64()}
    types = {
        "rec": {"system": pa.string(), **ids, "score": pa.float64(), "rank": pa.float64()},
        "truth": ids | {"rel": pa.float64()},
        "history": ids,
    }
    ways = (
        (True, None, True, True),
        (True, 2, False, False),
        (False, 0.5, True, True),
        (True, None, False, True),
    )
    for seed, (descending, min_grade, has_history, has_ranks) in enumerate(ways, 60):
        rec, truth, history = messy(seed, 4, descending)
        tables: dict[str, Any] = {"rec": rec, "truth": truth, "history": sorted(history, key=str)}
        for name, listed in tables.items():
            dicts = [dict(zip(types[name], row, strict=True)) for row in listed]
            table = pa.Table.from_pylist(dicts, pa.schema(types[name]))
            create(con, **{name: table if has_ranks or name != "rec" else table.drop_columns("rank")})
        arguments = f", descending := {descending}, min_grade := {min_grade or 'NULL'}"
        expected = slowly.check(
            rec if has_ranks else [row._replace(rank=None) for row in rec],
            truth,
            history if has_history else None,
            descending,
            min_grade,
        )
        assert found(con, arguments + HISTORY * has_history) == expected, seed
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
    for i, rng in enumerate(simulate.generators(8, 5)):
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

    upside_down = {f"{name} {i}": "upside_down" for name in ("seen", "reversed") for i in range(5)}
    assert codes(found(con)) == upside_down
    assert codes(found(con, HISTORY)) == upside_down | {f"seen {i}": "seen_first" for i in range(5)}


# --- Truth in a model ---


def test_truth_in_a_model_is_seen_and_an_honest_one_is_not_taken_for_it(
    con: duckdb.DuckDBPyConnection,
) -> None:
    systems, worlds = [], []
    for i, rng in enumerate(simulate.generators(9, 5)):
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
    assert found(con) == {
        Found(severity, f"{name} {i}", "truth_in_rec", 60, 60)
        for name, severity in severities.items()
        for i in range(5)
    }


# --- False alarms ---


@pytest.mark.slow
def test_false_alarms_are_few_and_the_disasters_of_good_models_are_told(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """None in 76 draws, with the seed as it is."""
    disasters, good = (
        dict.fromkeys(simulate.DISASTERS_OF_GOOD_MODELS, 5),
        ("good model", "good model, points"),
    )
    draws = dict.fromkeys(simulate.CLEAN, 2) | dict.fromkeys(good, 9)
    draws |= dict.fromkeys(("one list for all", "one short list for all"), 20)
    told = simulate.severities(con, simulate.CLEAN | simulate.DISASTERS_OF_GOOD_MODELS, draws | disasters, 10)
    assert {name: one["wrong"] for name, one in told.items() if one["wrong"]} == disasters
    assert not any(told[name] for name in good)  # nor a doubt

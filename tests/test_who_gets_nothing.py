"""Nobody gains by giving nothing: without the recommendations of some users no mean is higher."""

from typing import Any

import duckdb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import evaluate, lists, maps, module_connection
from tests.witnesses import WITNESSES, random_topics

# But for those that are not 0 for an empty list: 0.5 is more than a list has whose misses are above its hits,
# and with NULL the mean is that of the users who have a value.
ZERO = [name for name, measure in MEASURES.items() if measure.empty.value == 0]
COLUMNS = [name for name in ZERO if MEASURES[name].column]
EXPECTED = [name for name in COLUMNS if MEASURES[name].expected]
TABLES = """
    CREATE TABLE rec (system VARCHAR, userid INTEGER, itemid INTEGER, score DOUBLE);
    CREATE TABLE truth (userid INTEGER, itemid INTEGER, rel DOUBLE);
"""
ITEMS = st.integers(0, 5)
USER = st.tuples(
    st.dictionaries(ITEMS, st.sampled_from([-1.0, 0.0, 1.0, 3.0]), min_size=1, max_size=4),  # truth
    st.lists(st.tuples(ITEMS, st.sampled_from([0.5, 1.0, 2.0])), max_size=5),  # recommendations
    st.booleans(),  # whether they are taken away
)


tables = module_connection(TABLES)


def query(ties: str, names: list[str]) -> str:
    columns = ", ".join(f'"{name}"' for name in names)
    source = f"ranking_summary('rec', 'truth', [0, 1, 3, 10, NULL], ties := '{ties}')"
    return f"SELECT system, k, {columns} FROM {source}"


@settings(max_examples=5)
@given(st.lists(USER, min_size=1, max_size=12))
@example([({0: 0.0}, [(1, 1.0)], True), ({0: 1.0}, [(0, 1.0)], False)])  # 1 for 0 by taking away, once
@example([({0: 1.0}, [(0, 1.0)], False), ({0: 1.0}, [(1, 1.0)], True)])
def test_taking_recommendations_away_makes_no_mean_of_a_table_higher(
    tables: duckdb.DuckDBPyConnection, users: list[Any]
) -> None:
    kept = [
        (system, user, item, score)
        for user, (_, rec, taken) in enumerate(users)
        for system in ("all", "some")
        if system == "all" or not taken
        for item, score in rec
    ]
    kept += [(system, -1, 0, 1.0) for system in ("all", "some")]  # of a user without truth: both are there
    judged = [
        (user, item, grade) for user, (truth, _, _) in enumerate(users) for item, grade in truth.items()
    ]
    for name, rows in (("rec", kept), ("truth", judged)):
        tables.execute(f"DELETE FROM {name}; INSERT INTO {name} VALUES {', '.join(map(repr, rows))}")
    for ties, names in (("item", COLUMNS), ("expected", EXPECTED)):
        found = {(system, k): row for system, k, *row in tables.execute(query(ties, names)).fetchall()}
        assert len(found) == 10
        for (system, k), row in found.items():
            for name, before, after in zip(names, found["all", k], row, strict=True):
                assert after <= before + 1e-12, (ties, system, name, k)


def test_no_list_has_a_lower_value_than_none_where_truth_has_an_item() -> None:
    topics = [topic for topic in random_topics(seed=11, n=500) if topic.truth]
    recs, truths = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    nothing = lists([[] for _ in topics])
    for name, one in WITNESSES.items():
        if name not in ZERO:
            continue
        for options in one.options:
            for k in (0, 1, 3, 10):
                with_lists = evaluate(name, recs, truths, k, options)
                without = evaluate(name, nothing, truths, k, options)
                for topic, value, least in zip(topics, with_lists, without, strict=True):
                    assert least is not None
                    assert value is not None
                    assert least <= value, (name, options, k, topic)

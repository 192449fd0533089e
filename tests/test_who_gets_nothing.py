"""Nobody gains by giving nothing: without the recommendations of some users no mean is higher."""

import pytest

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, evaluate, file_text, lists, maps, module_connection
from tests.witnesses import WITNESSES, random_topics

# But for those that are not 0 for an empty list: 0.5 is more than a list has whose misses are above its hits,
# and with NULL the mean is that of the users who have a value.
ZERO = [name for name, measure in MEASURES.items() if measure.empty.value == 0]
COLUMNS = [name for name in ZERO if MEASURES[name].column]
EXPECTED = [name for name in COLUMNS if MEASURES[name].expected]

tables = module_connection(file_text("tables/who_gets_nothing.sql"))


@pytest.mark.parametrize(("ties", "names"), [("item", COLUMNS), ("expected", EXPECTED)])
def test_taking_recommendations_away_makes_no_mean_of_a_table_higher(
    tables: Con, ties: str, names: list[str]
) -> None:
    columns = ", ".join(f'"{name}"' for name in names)
    source = f"ranking.evaluate('rec', 'truth', [0, 1, 3, 10, NULL], ties := '{ties}')"
    query = f"SELECT system, k, {columns} FROM {source}"
    found = {(system, k): row for system, k, *row in tables.execute(query).fetchall()}
    assert len(found) == 71 * 5
    for (system, k), row in found.items():
        for name, before, after in zip(names, found[-1, k], row, strict=True):
            assert after <= before + 1e-12, (system, name, k)


def test_no_list_has_a_lower_value_than_none_where_truth_has_an_item() -> None:
    ks = (0, 1, 3, 10)
    topics = [topic for topic in random_topics(seed=11, n=200) if topic.truth] * len(ks)
    recs, truths = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    nothing, cuts = lists([[]] * len(topics)), [k for k in ks for _ in range(len(topics) // len(ks))]
    for name in WITNESSES.keys() & {*ZERO}:
        for options in WITNESSES[name].options:
            with_lists = evaluate(name, recs, truths, cuts, options)
            without = evaluate(name, nothing, truths, cuts, options)
            for topic, k, value, least in zip(topics, cuts, with_lists, without, strict=True):
                assert least is not None
                assert value is not None
                assert least <= value, (name, options, k, topic)

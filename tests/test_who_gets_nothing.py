"""Without the recommendations of some users, no mean is higher."""

import pytest

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, evaluate, lists, maps, module_connection
from tests.definitions import WITNESSES, random_topics

# Except for measures that are not 0 for an empty list: 0.5 is more than a list with its misses first has,
# and with NULL the mean is over users with a value.
ZERO = [name for name, measure in MEASURES.items() if measure.empty.value == 0]

# All users have lists of system -1. For each other system one user has none, or half of them have none.
tables = module_connection("""
    CREATE TABLE truth AS
    SELECT userid, itemid, list_extract([-1, 0, 1, 3], 1 + (hash(userid, itemid) % 4)::INT)::DOUBLE AS rel
    FROM range(60) users(userid), range(6) items(itemid) WHERE hash(itemid, userid, 1) % 2 = 0;
    CREATE TABLE rec AS
    SELECT system, userid, hash(userid, place) % 6 AS itemid, hash(place, userid) % 3 AS score
    FROM range(-1, 70) systems(system), range(60) users(userid), range(5) places(place)
    WHERE hash(userid, place, 1) % 2 = 0 AND system <> userid
        AND (system < 60 OR hash(system, userid) % 2 = 0)""")


@pytest.mark.parametrize("ties", ["item", "expected"])
def test_means_do_not_rise_without_some_lists(tables: Con, ties: str) -> None:
    columns = [name for name in ZERO if MEASURES[name].column and (ties == "item" or MEASURES[name].expected)]
    quoted = ", ".join(f'"{name}"' for name in columns)
    source = f"ranking.evaluate('rec', 'truth', [0, 1, 3, 10, NULL], ties := '{ties}')"
    rows = tables.execute(f"SELECT system, k, {quoted} FROM {source}").fetchall()
    assert len(rows) == 71 * 5
    all_users = {k: means for system, k, *means in rows if system == -1}
    for system, k, *means in rows:
        for name, before, after in zip(columns, all_users[k], means, strict=True):
            assert after <= before + 1e-12, (system, name, k)


def test_any_list_is_worth_at_least_an_empty_one() -> None:
    ks = (0, 1, 3, 10)
    topics = [topic for topic in random_topics(seed=11, n=200) if topic.truth] * len(ks)
    recs, truths = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    nothing, cuts = lists([[]] * len(topics)), [k for k in ks for _ in range(len(topics) // len(ks))]
    for name in WITNESSES.keys() & {*ZERO}:
        for options in WITNESSES[name].options:
            values = evaluate(name, recs, truths, cuts, options)
            without = evaluate(name, nothing, truths, cuts, options)
            for topic, k, value, least in zip(topics, cuts, values, without, strict=True):
                assert least is not None
                assert value is not None
                assert least <= value, (name, options, k, topic)

"""What the signatures of the reference say: parameters by place and by name, with their defaults."""

import duckdb
import pytest

from ranking_udfs.duckdb.statements import macros, texts
from tests.conftest import module_connection
from tests.reference import parameters

PUBLIC = [name for name in texts() if not name.startswith("_")]
# Two forms of the same tables: columns that are called as the defaults say, and otherwise.
TABLES = """
    CREATE TABLE rec AS SELECT i % 3 AS userid, i AS itemid, i % 5 AS score, i % 2 AS system
    FROM range(24) t(i);
    CREATE TABLE truth AS SELECT i % 3 AS userid, i AS itemid, i % 4 AS rel, i % 5 AS intent
    FROM range(0, 25, 2) t(i) UNION ALL SELECT 0, 3, 1, 2;
    CREATE TABLE listed AS SELECT userid AS u, itemid AS i, score AS s, system AS m FROM rec;
    CREATE TABLE liked AS SELECT userid AS u, itemid AS i, rel AS g, intent AS n FROM truth;
    CREATE TABLE by_user AS SELECT i % 9 AS userid, i % 2 AS system, 2 AS k, sin(i) AS ndcg, cos(i) AS mrr
    FROM range(18) t(i);
    CREATE TABLE comparison AS SELECT 'ndcg' AS measure, 30 AS users, 0.1 AS difference,
        0.03 AS standard_error,
        i / 40 AS p, i / 50 AS p_same, 0.5 AS p_adjusted, 0.5 AS p_same_adjusted,
        't, holm of 1' AS method,
        0.1 AS minimum_detectable_effect, 'unclear' AS verdict FROM range(1, 4) t(i);
    CREATE TABLE rows AS SELECT [i, i + 1] AS rec_list, i / 4 AS predicted, i % 2 AS actual,
        i / 4 AS number, 10 - i AS "key", i AS "value" FROM range(4) t(i);
    CREATE TABLE events AS SELECT i % 3 AS userid, i * i % 7 AS itemid, i AS time FROM range(24) t(i);
    CREATE TABLE happened AS SELECT userid AS u, itemid AS i, time AS t FROM events;
    CREATE TABLE everybody AS SELECT i AS userid, i AS u FROM range(5) t(i);
    CREATE TABLE sold AS SELECT itemid AS i, itemid % 2 AS c FROM events;
    CREATE TABLE log AS SELECT i % 3 AS userid, i % 4 AS itemid, 1 + i % 5 AS rank, i % 2 AS clicked
    FROM range(60) t(i);
    CREATE TABLE counts AS SELECT userid AS u, itemid AS i, rank AS r, clicked AS c, 2 AS n FROM log;
"""
# An argument for each parameter without a default.
GIVEN = {
    **{name: f"'{name}'" for name in ("rec", "truth", "by_user", "comparison", "events", "log")},
    **{"ks": "[3, 5]", "max_k": "3"},
    "judged": "ranking_judge([1, 3, 2, 6], [1, 2, 4], [4, 2, 1])",
    **{name: name for name in ("rec_list", "predicted", "actual", "number", "key", "value")},
    **{"n_items": "9", "options": "'-reverse'", "reverse": "true", "k": "2"},
    "user": "1",
}
# One for each parameter with a default that is another than the default.
OTHER = {
    **{"rec": "'listed'", "truth": "'liked'", "ties": "'expected'", "ks": "[2, 4]", "max_k": "4", "k": "2"},
    **{"user_col": "'u'", "item_col": "'i'", "score_col": "'s'", "grade_col": "'g'", "system_col": "'m'"},
    **{"descending": "false", "baseline": "'1'", "measures": "['mrr']", "confidence": "0.8", "margin": "0.1"},
    **{"correction": "'bh'", "test": "'randomization'", "permutations": "500", "seed": "4"},
    **{"normalize": "'min'", "divide": "'list'", "beta": "2", "gain": "'linear'", "discount": "'original'"},
    **{"base": "3", "half_life": "NULL", "max_grade": "5", "persistence": "0.7", "neutral": "1"},
    **{"recall": "0.3", "variant": "'c'", "ideal": "'truth'", "min_grade": "2", "unjudged": "'skip'"},
    **{"without_relevant": "'skip'", "users": "'everybody'"},
    **{"events": "'happened'", "test_from": "12", "test_size": "4", "folds": "2", "gap": "1"},
    **{"time_col": "'t'", "predicted_truth": "'liked'"},
    **{"history": "'happened'", "items": "'sold'", "category_col": "'c'"},
    **{"head": "0.5", "divergence": "'kl'", "alpha": "0.4", "intent_col": "'n'"},
    **{"method": "'combsum'", "weights": "MAP {0: 1, 1: 2}", "rrf_k": "10", "depth": "2", "systems": "[1]"},
    **{"log": "'counts'", "rank_col": "'r'", "click_col": "'c'", "shown_col": "'n'"},
    **{"cold_users": "'drop'", "cold_items": "'drop'", "seen": "'drop'", "lower_is_better": "['mrr']"},
}
# Of arguments that exclude each other: those that are left out, and what stands in a call that must have one.
NO_DEFAULT = ("half_life", "last", "min_grade", "list_col", "predicted_truth", "predicted")
EXCLUDED = tuple(f"{one} := NULL" for one in NO_DEFAULT)
MEASURED = ("ranking_by_user", "ranking_summary", "ranking_distribution", "ranking_compare")
ONE_OF = {"ranking_split": {"test_size": "5"}}
ONE_OF |= {name: {"ks": "[1, 2]", "measures": "['ndcg', 'mrr']"} for name in MEASURED}
# Where a parameter means something else, or goes with another choice.
OF_ONE = {
    "ranking_cumulative_gain": {"gain": "'exp'"},
    **{name: {"predicted_truth": "NULL"} for name in ("ranking_check", "ranking_compare")},
    "ranking_compare_by_user": {"predicted": "NULL"},
    "ranking_fuse": {"normalize": "'sum'"},
    "ranking_position_effect": {"list_col": "NULL"},
    "ranking_rbp": {"gain": "'graded'", "min_grade": "NULL"},
    "ranking_half_life_utility": {"half_life": "3"},
    "ranking_judge": {"rec": "[1, 3, 2, 6]", "truth": "[1, 2, 4]", "grades": "[4, 2, 1]"},
    "ranking_split": {"last": "NULL"},
    "struct": {name: f"'{name}'" for name in "abcdefgh"},
}


pack = module_connection(TABLES)


def default(parameter: str) -> str | None:
    """What a parameter is if it is not given; None for one that has to be."""
    _, has_default, found = parameter.partition(" := ")
    return found if has_default else None


def rows(con: duckdb.DuckDBPyConnection, name: str, *arguments: str) -> list[str]:
    """The rows of a call, as texts, so that NaN is itself."""
    called = f"{name}({', '.join(arguments)})"
    query = f"FROM {called}" if macros()[name].is_table else f"SELECT {called} FROM rows"
    return sorted(map(str, con.execute(query).fetchall()))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_connection_takes_arguments_by_place_and_by_name_as_the_reference_says(
    pack: duckdb.DuckDBPyConnection, name: str
) -> None:
    given = GIVEN | OF_ONE.get(name, {})
    other = GIVEN | OTHER | OF_ONE.get(name, {})
    for form in parameters(name):
        defaults = {parameter.split()[0]: default(parameter) for parameter in form}
        required = [given[one] for one, value in defaults.items() if value is None]
        required += [f"{one} := {value}" for one, value in ONE_OF.get(name, {}).items()]
        defaults |= ONE_OF.get(name, {})
        written_out = [given[one] if value is None else value for one, value in defaults.items()]
        assert rows(pack, macros()[name].always, *written_out) == rows(pack, macros()[name].always, *required)
        by_place = [other[one] for one in defaults]
        by_name = [f"{one} := {other[one]}" for one in reversed(defaults)]
        assert rows(pack, macros()[name].always, *by_place) == rows(pack, macros()[name].always, *by_name)


def test_no_argument_is_left_out_and_each_is_another_than_the_default() -> None:
    for name in PUBLIC:
        for form in parameters(name):
            for parameter in form:
                one = parameter.split()[0]
                if default(parameter) is None:
                    assert one in GIVEN | OF_ONE.get(name, {}), f"{name}: GIVEN must have a value for {one}"
                elif parameter not in EXCLUDED:
                    chosen = OTHER | OF_ONE.get(name, {})
                    assert one in chosen, f"{name}: OTHER must have a value for {one}"
                    assert chosen[one] != default(parameter), (name, parameter)

"""What the signatures of the reference say: parameters by place and by name, with their defaults."""

from collections.abc import Iterator

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb.macros import macros
from ranking_udfs.macros.files import texts
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con
from tests.reference import parameters
from tests.test_entry_points import MAKE

PUBLIC = [name for name in texts() if not name.startswith("_")]
# Beside the tables whose columns are called as the defaults say, those of other names.
TABLES = f"""{MAKE};
    CREATE TABLE listed AS SELECT userid AS u, itemid AS i, score AS s, system AS m FROM rec;
    CREATE TABLE liked AS SELECT userid AS u, itemid AS i, rel AS g, 'pq'[1 + itemid % 2] AS n FROM truth;
    CREATE TABLE happened AS SELECT userid AS u, itemid AS i, time AS t FROM history;
    CREATE TABLE rated AS SELECT u, i, max(g) AS g FROM liked GROUP BY ALL;
    CREATE TABLE everybody AS SELECT i AS u FROM range(27) t(i);
    CREATE TABLE sold AS SELECT itemid AS i, category AS c FROM items;
    CREATE TABLE rows AS SELECT [i, i + 1] AS rec_list, i / 4 AS predicted, i % 2 AS actual,
        i / 4 AS number, 10 - i AS "key", i AS "value" FROM range(4) t(i);
"""
# An argument for each parameter without a default.
GIVEN = {
    **{"by_user": "'by_user'", "comparison": "'compared'", "user": "1"},
    "judged": "ranking.judge([1, 3, 2, 6], [1, 2, 4], [4, 2, 1])",
    **{name: name for name in ("rec_list", "predicted", "actual", "number", "key", "value")},
    **{"n_items": "9", "options": "'-reverse'", "reverse": "true", "k": "2"},
}
# One for each parameter with a default that is another than the default.
OTHER = {
    **{"rec": "'listed'", "truth": "'liked'", "ties": "'expected'", "ks": "[2, 4]", "max_k": "4", "k": "2"},
    **{"user_col": "'u'", "item_col": "'i'", "score_col": "'s'", "grade_col": "'g'", "system_col": "'m'"},
    **{"descending": "false", "baseline": "'b'", "measures": "['mrr']", "confidence": "0.8", "margin": "0.1"},
    **{"correction": "'bh'", "test": "'randomization'", "permutations": "500", "seed": "4"},
    **{"normalize": "'min'", "divide": "'list'", "beta": "2", "gain": "'linear'", "discount": "'original'"},
    **{"base": "3", "half_life": "NULL", "max_grade": "5", "persistence": "0.7", "neutral": "1"},
    **{"recall": "0.3", "variant": "'c'", "ideal": "'truth'", "min_grade": "2", "unjudged": "'skip'"},
    **{"without_relevant": "'skip'", "users": "'everybody'"},
    **{"events": "'happened'", "test_from": "7", "test_size": "3", "folds": "2", "gap": "1"},
    **{"time_col": "'t'", "predicted_truth": "'liked'"},
    **{"history": "'happened'", "items": "'sold'", "category_col": "'c'"},
    **{"head": "0.5", "divergence": "'kl'", "alpha": "0.4", "intent_col": "'n'"},
    **{"method": "'combsum'", "rrf_k": "10", "depth": "2", "systems": "['a', 'b']"},
    "weights": "MAP {'a': 1, 'b': 2, 'c': 3}",
    **{"labels_a": "'rated'", "labels_b": "'rated'"},
    **{"cold_users": "'drop'", "cold_items": "'drop'", "seen": "'drop'", "lower_is_better": "['clicks']"},
}
# Where a parameter means something else, or goes with another choice.
LISTS = {"rec": "[1, 3, 2, 6]", "truth": "MAP {1: 4, 2: 2, 4: 1}"}
OF_ONE = dict.fromkeys(MEASURES, LISTS) | {
    "cumulative_gain": LISTS | {"gain": "'exp'"},
    **{name: {"predicted_truth": "NULL"} for name in ("check", "compare")},
    "compare_by_user": {"predicted": "NULL", "measures": "['clicks']"},
    "fuse": {"normalize": "'sum'"},
    "rbp": LISTS | {"gain": "'graded'", "min_grade": "NULL"},
    "half_life_utility": LISTS | {"half_life": "3"},
    "judge": {"rec": "[1, 3, 2, 6]", "truth": "[1, 2, 4]", "grades": "[4, 2, 1]"},
    "split": {"last": "NULL"},
    "struct": {name: f"'{name}'" for name in "abcdefgh"},
}


@pytest.fixture(scope="module")
def pack() -> Iterator[Con]:
    with duckdb.connect() as con:
        yield ranking_udfs.register(con, hivemall=True).execute(TABLES)


def default(parameter: str) -> str | None:
    """What a parameter is if it is not given; None for one that has to be."""
    _, has_default, found = parameter.partition(" := ")
    return found if has_default else None


def rows(con: Con, name: str, *arguments: str) -> list[str]:
    """The rows of a call, as texts, so that NaN is itself."""
    called = f"{macros()[name].called}({', '.join(arguments)})"
    query = f"FROM {called}" if macros()[name].is_table else f"SELECT {called} FROM rows"
    return sorted(map(str, con.execute(query).fetchall()))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_connection_takes_arguments_by_place_and_by_name_as_the_reference_says(
    pack: Con, name: str
) -> None:
    """All by name in table functions, whose defaults are read from the same text as those of the others."""
    given = GIVEN | OF_ONE.get(name, {})
    other = GIVEN | OTHER | OF_ONE.get(name, {})
    found = pack.execute("SELECT parameters FROM duckdb_functions() WHERE function_name = $1", [name])
    assert {*map(tuple, (names for (names,) in found.fetchall()))} >= {
        tuple(parameter.split()[0] for parameter in form) for form in parameters(name)
    }
    for form in parameters(name):
        defaults = {parameter.split()[0]: default(parameter) for parameter in form}
        by_name = rows(pack, name, *(f"{one} := {other[one]}" for one in reversed(defaults)))
        if macros()[name].is_table:
            continue
        assert by_name == rows(pack, name, *(other[one] for one in defaults))
        required = [given[one] for one, value in defaults.items() if value is None]
        written_out = [given[one] if value is None else value for one, value in defaults.items()]
        assert rows(pack, name, *written_out) == rows(pack, name, *required)

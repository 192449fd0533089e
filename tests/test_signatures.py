"""Macros take the arguments that the reference shows, by place and by name, with its defaults."""

from collections.abc import Iterator

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.duckdb.macros import macros
from ranking_udfs.macros.files import texts
from ranking_udfs.measures.registry import MEASURES
from ranking_udfs.options import OPTIONS
from tests.conftest import Con, literal
from tests.reference import parameters
from tests.test_entry_points import MAKE

PUBLIC = [name for name in texts() if not name.startswith("_")]
# Tables with columns of other names than the defaults.
TABLES = f"""{MAKE};
    CREATE TABLE listed AS SELECT userid AS u, itemid AS i, score AS s, system AS m FROM rec;
    CREATE TABLE liked AS SELECT userid AS u, itemid AS i, rel AS g, 'pq'[1 + itemid % 2] AS n FROM truth;
    CREATE TABLE happened AS SELECT userid AS u, itemid AS i, time AS t FROM history;
    CREATE TABLE everybody AS SELECT i AS u FROM range(27) t(i);
    CREATE TABLE sold AS SELECT itemid AS i, category AS c FROM items;
    CREATE TABLE rows AS SELECT [i, i + 1] AS rec_list, i / 4 AS predicted, i % 2 AS actual,
        i / 4 AS number, 10 - i AS "key", i AS "value" FROM range(4) t(i);
"""
# An argument for each parameter without a default.
GIVEN = {
    **{name: f"'{name}'" for name in ("rec", "truth", "by_user", "intents", "history", "items")},
    **{"comparison": "'compared'", "user": "1", "events": "'history'"},
    **{"ks": "[3]", "max_k": "3"},
    **{"test_size": "3", "grade_col": "'time'", "intent_col": "'time'"},
    "judged": "ranking.judge([1, 3, 2, 6], [1, 2, 4], [4, 2, 1])",
    **{name: name for name in ("rec_list", "predicted", "actual", "number", "key", "value")},
    **{"n_items": "9", "options": "'-reverse'", "reverse": "true", "k": "2"},
}
# For each parameter with a default, an argument that is not the default; of words, another word.
OTHER = {
    name: literal(next(word for word in option.kind.words if word != option.default))
    for name, option in OPTIONS.items()
    if option.kind.words
} | {
    **{"rec": "'listed'", "truth": "'liked'", "ties": "'expected'", "ks": "[2, 4]", "max_k": "4", "k": "2"},
    **{"user_col": "'u'", "item_col": "'i'", "score_col": "'s'", "grade_col": "'g'", "system_col": "'m'"},
    **{"descending": "false", "baseline": "'b'", "measures": "['mrr']", "confidence": "0.8", "margin": "0.1"},
    **{"permutations": "500", "seed": "4"},
    **{"normalize": "'min'", "beta": "2", "gain": "'linear'", "discount": "'original'"},
    **{"base": "3", "half_life": "NULL", "max_grade": "5", "persistence": "0.7", "neutral": "1"},
    **{"recall": "0.3", "variant": "'c'", "ideal": "'truth'", "min_grade": "2", "users": "'everybody'"},
    **{"events": "'happened'", "test_from": "7", "test_size": "3", "folds": "2", "gap": "1"},
    **{"time_col": "'t'", "predicted_truth": "'liked'"},
    **{"history": "'happened'", "items": "'sold'", "category_col": "'c'"},
    **{"head": "0.5", "alpha": "0.4", "intent_col": "'n'"},
    **{"method": "'combsum'", "rrf_k": "10", "depth": "2", "systems": "['a', 'b']"},
    "weights": "MAP {'a': 1, 'b': 2, 'c': 3}",
    "lower_is_better": "['clicks']",
}
# Where a parameter means something else, or goes with another choice.
LISTS = {"rec": "[1, 3, 2, 6]", "truth": "MAP {1: 4, 2: 2, 4: 1}"}
OF_ONE = dict.fromkeys(MEASURES, LISTS) | {
    "cumulative_gain": LISTS | {"gain": "'exp'"},
    "check": {"predicted_truth": "NULL"},
    "compare": {"predicted_truth": "NULL", "baseline": "NULL", "steps": "true"},
    "compare_by_user": {"predicted": "NULL", "measures": "['clicks']", "steps": "false"},
    "fuse": {"normalize": "'sum'"},
    "rbp": LISTS | {"gain": "'graded'", "min_grade": "NULL"},
    "half_life_utility": LISTS | {"half_life": "3"},
    "judge": {"rec": "[1, 3, 2, 6]", "truth": "[1, 2, 4]", "grades": "[4, 2, 1]"},
    "split": {"last": "NULL"},
    "struct": {name: f"'{name}'" for name in "abcdefgh"},
}

# Parameters with a default that a call needs nevertheless.
NEEDED = {name: {"ks"} for name in ("evaluate", "by_user", "distribution", "compare")}
NEEDED |= {"split": {"test_size"}, "intents_by_user": {"intent_col"}}


@pytest.fixture(scope="module")
def pack() -> Iterator[Con]:
    with duckdb.connect() as con:
        yield ranking_udfs.register(con, hivemall=True).execute(TABLES)


def rows(con: Con, name: str, *arguments: str) -> list[str]:
    """Return the rows of a call as texts, so that NaN equals itself."""
    call = f"{macros()[name].called}({', '.join(arguments)})"
    query = f"FROM {call}" if macros()[name].is_table else f"SELECT {call} FROM rows"
    return sorted(map(str, con.execute(query).fetchall()))


@pytest.mark.parametrize("name", PUBLIC)
def test_arguments_work_by_place_and_by_name(pack: Con, name: str) -> None:
    given = GIVEN | OF_ONE.get(name, {})
    other = GIVEN | OTHER | OF_ONE.get(name, {})
    for form in parameters(name):
        defaults = {text.split()[0]: text.partition(" := ")[2] for text in form}
        required = {one for one, default in defaults.items() if not default} | NEEDED.get(name, set())
        by_name = [f"{one} := {other[one]}" for one in reversed(defaults)]
        assert rows(pack, name, *by_name) == rows(pack, name, *(other[one] for one in defaults))
        all_by_place = [given[one] if one in required else default for one, default in defaults.items()]
        needed_by_name = (f"{one} := {given[one]}" for one in required)
        assert rows(pack, name, *all_by_place) == rows(pack, name, *needed_by_name)

"""The table functions with their defaults against other libraries, over all users and no user left out.

What differs is named with its reason, and has to differ: neither a new difference passes, nor a gone one.
ranx and RecTools are not among the tests' requirements: their values are recorded. `python -m
tests.test_other_libraries` computes them where these are installed, and says whether they are still so.
"""

from typing import Any, NamedTuple

import duckdb
import pytest

import ranking_udfs
from tests import coming_from

K = 3
MEASURES = ("recall", "precision", "f_measure", "average_precision", "mrr", "ndcg", "hit_rate")
# user: the list as items with scores, and the grades
USERS: dict[str, tuple[list[tuple[str, float]], dict[str, int]]] = {
    "binary": ([("a", 5), ("x", 4), ("b", 3), ("y", 2), ("c", 1)], {"a": 1, "b": 1, "c": 1}),
    "graded": ([("a", 5), ("x", 4), ("b", 3), ("c", 2)], {"a": 1, "b": 3, "c": 2, "z": 0}),
    "no list": ([], {"a": 1, "b": 1}),
    "no truth": ([("a", 2), ("b", 1)], {}),
    "grades of 0": ([("a", 2), ("b", 1)], {"a": 0, "z": 0}),
    "grades of 0, no list": ([], {"a": 0}),
    "short list": ([("a", 1)], {"a": 1, "b": 1, "c": 1, "d": 1}),
    "few in truth": ([("x", 3), ("a", 2), ("y", 1)], {"a": 1}),
    "tie": ([("a", 2), ("b", 2), ("c", 2), ("d", 2)], {"d": 1}),
    "repeat": ([("x", 4), ("x", 3), ("a", 2), ("b", 1)], {"a": 1, "b": 1}),
}
Values = dict[str, dict[str, float]]  # by user and measure; a user who is left out has none


class Library(NamedTuple):
    """Another library: its calls, by our measures, and why some values are others, by user and measure.

    A measure "users" says why a user is there in one of both alone. `recorded` is in the order of MEASURES.
    """

    module: str
    compute: Any  # of tests/coming_from.py
    calls: dict[str, str]
    differs: dict[tuple[str, str], str]
    recorded: dict[str, tuple[float, ...]] | None = None

    def values(self) -> Values:
        """What it gives where it is installed."""
        found: Values = {}
        rec, truth = ({user: one[i] for user, one in USERS.items()} for i in (0, 1))
        for name, call in self.calls.items():
            for user, value in self.compute(call, rec, truth).items():
                found.setdefault(user, {})[name] = value
        return found


TREC_EVAL = {
    **{"recall": "recall.3", "precision": "P.3", "average_precision": "map_cut.3", "mrr": "recip_rank"},
    **{"ndcg": "ndcg_cut.3", "hit_rate": "success.3"},
}
OF_RANX = ("recall@3", "precision@3", "f1@3", "map@3", "mrr@3", "ndcg@3", "hit_rate@3")
OF_RECTOOLS = ("Recall(3)", "Precision(3)", "F1Beta(3)", "MAP(3)", "MRR(3)", "NDCG(3)", "HitRate(3)")
RANX = {
    "binary": (2 / 3, 2 / 3, 2 / 3, 0.555555556, 1, 0.703918089, 1),
    "few in truth": (1, 1 / 3, 1 / 2, 1 / 2, 1 / 2, 0.630929754, 1),
    "graded": (2 / 3, 2 / 3, 2 / 3, 0.555555556, 1, 0.525004989, 1),
    "grades of 0": (0, 0, 0, 0, 0, 0, 0),
    "grades of 0, no list": (0, 0, 0, 0, 0, 0, 0),
    "no list": (0, 0, 0, 0, 0, 0, 0),
    "repeat": (1, 2 / 3, 0.8, 0.583333333, 0.5, 0.693426404, 1),
    "short list": (1 / 4, 1 / 3, 0.285714286, 1 / 4, 1, 0.469278726, 1),
    "tie": (1, 1 / 3, 1 / 2, 1, 1, 1, 1),
}
RECTOOLS = {
    "binary": (2 / 3, 2 / 3, 2 / 3, 0.555555556, 1, 0.703918089, 1),
    "few in truth": (1, 1 / 3, 1 / 2, 1 / 2, 1 / 2, 0.296081911, 1),
    "graded": (2 / 3, 2 / 3, 2 / 3, 0.555555556, 1, 0.703918089, 1),
    "no list": (0, 0, 0, 0, 0, 0, 0),
    "repeat": (1 / 2, 1 / 3, 0.4, 0.166666667, 1 / 3, 0.234639363, 1),
    "short list": (1 / 4, 1 / 3, 0.285714286, 1 / 4, 1, 0.469278726, 1),
    "tie": (0, 0, 0, 0, 0, 0, 0),
}


def recorded(rows: dict[str, tuple[float, ...]]) -> Values:
    return {user: dict(zip(MEASURES, row, strict=True)) for user, row in rows.items()}


LINEAR = "its gain is the grade, ours 2^grade - 1: ndcg(gain=linear) is the same"
BY_ITEM = "equal scores are in the order of items, descending, ours ascending"
AS_GIVEN = "equal scores are in no order of their own, ours in that of items"
HELD_ONCE = "a run is a dict, which holds an item once; in a table its second row takes up a rank"
LEFT_OUT = "a user without a list is left out, as without trec_eval's -c: who gives nothing would gain"
NO_GRADES = "it knows no grades: a user without a liked item is left out"
FULL = "its best list has k items even where truth has fewer: ndcg(ideal=k) is the same"


def because(user: str, measures: Any, reason: str) -> dict[tuple[str, str], str]:
    return {(user, measure): reason for measure in measures}


LIBRARIES = {
    "pytrec-eval-terrier": Library(
        "pytrec_eval",
        coming_from.trec_eval,
        TREC_EVAL,
        {
            **because("graded", ["ndcg"], LINEAR),
            **because("no list", ["users"], LEFT_OUT),
            **because("grades of 0, no list", ["users"], LEFT_OUT),
            **because("tie", TREC_EVAL, BY_ITEM),
            **because("repeat", TREC_EVAL.keys() - {"hit_rate"}, HELD_ONCE),
        },
    ),
    "ranx 0.3.21": Library(
        "ranx",
        coming_from.ranx,
        dict(zip(MEASURES, OF_RANX, strict=True)),
        {
            **because("graded", ["ndcg"], LINEAR),
            **because("tie", MEASURES, AS_GIVEN),
            **because("repeat", [name for name in MEASURES if name != "hit_rate"], HELD_ONCE),
        },
        RANX,
    ),
    "RecTools 0.19.0": Library(
        "rectools",
        coming_from.rectools,
        dict(zip(MEASURES, OF_RECTOOLS, strict=True)),
        {
            **because("graded", ["ndcg"], NO_GRADES),
            **because("few in truth", ["ndcg"], FULL),
            **because("repeat", ["ndcg"], FULL),
            **because("grades of 0", ["users"], NO_GRADES),
            **because("grades of 0, no list", ["users"], NO_GRADES),
        },
        RECTOOLS,
    ),
}


@pytest.fixture(scope="module")
def ours() -> Values:
    """Every measure of ranking_by_user with its default options, by user."""
    with duckdb.connect() as con:
        ranking_udfs.register(con).execute("""
            CREATE TABLE rec (userid VARCHAR, itemid VARCHAR, score DOUBLE);
            CREATE TABLE truth (userid VARCHAR, itemid VARCHAR, rel INTEGER);
        """)
        for user, (rec, truth) in USERS.items():
            for row in rec:
                con.execute("INSERT INTO rec VALUES (?, ?, ?)", [user, *row])
            for judged in truth.items():
                con.execute("INSERT INTO truth VALUES (?, ?, ?)", [user, *judged])
        names = ", ".join(f'"{name}"' for name in MEASURES)
        found = con.execute(f"SELECT userid, {names} FROM ranking_by_user('rec', 'truth', [{K}])").fetchall()
        return {user: dict(zip(MEASURES, row, strict=True)) for user, *row in found}


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_differs_from_another_library_is_named_with_its_reason(ours: Values, name: str) -> None:
    library = LIBRARIES[name]
    if library.recorded is None:
        pytest.importorskip(library.module)
    theirs = library.values() if library.recorded is None else recorded(library.recorded)
    found = {(user, "users") for user in ours.keys() ^ theirs.keys()}
    for user in ours.keys() & theirs.keys():
        for measure in library.calls:
            if abs(ours[user][measure] - theirs[user][measure]) > 1e-8:
                found.add((user, measure))
    assert found == library.differs.keys()


def test_a_user_without_truth_is_nowhere_and_one_without_a_list_has_0(ours: Values) -> None:
    assert ours.keys() == USERS.keys() - {"no truth"}
    for user in ("no list", "grades of 0", "grades of 0, no list"):
        assert set(ours[user].values()) == {0.0}


if __name__ == "__main__":  # where the libraries are: what they give now, and whether it is what is recorded
    for name, library in LIBRARIES.items():
        if library.recorded is not None:
            values = library.values()
            is_same = values == {user: pytest.approx(row) for user, row in recorded(library.recorded).items()}
            print(name, "as recorded" if is_same else "differs from what is recorded")
            for user, row in values.items():
                print(f'    "{user}": { ({name: round(value, 9) for name, value in row.items()}) },')

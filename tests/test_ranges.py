"""Measures stay in their ranges to the last digit, however sums round.

Hypothesis looks for grades and numbers with sums that round out of the range. The fuzzer (tests/test_fuzz.py)
compares values of random lists with their definitions to 1e-12, which cannot show this.
"""

import math
from collections.abc import Sequence
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import evaluate, lists, maps, option_text, within
from tests.definitions import WITNESSES, Options, Topic

COMBINATIONS = [(name, options) for name, one in WITNESSES.items() for options in one.options]

Values = dict[str, list[float | None]]


def values(
    topics: Sequence[Topic], k: int | None = None, combinations: Sequence[tuple[str, Options]] = COMBINATIONS
) -> Values:
    """Evaluate each measure with its options over the topics."""
    rec, truth = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    return {
        f"{name} {option_text(options)}": evaluate(name, rec, truth, k, options)
        for name, options in combinations
    }


def outside(topics: Sequence[Topic], *others: tuple[str, Options]) -> list[Any]:
    """Return the values outside the ranges of the registry, of all measures or of these."""
    return [
        (key, value)
        for key, row in values(topics, None, others or COMBINATIONS).items()
        for value in row
        if not within(MEASURES[key.partition(" ")[0]], value)
    ]


@settings(max_examples=20)
@given(st.integers(1, 4_000), st.floats(0.01, 0.999), st.floats(0, 10))
@example(3_000, 0.9543974553880714, 4.565428244391049)
@example(49, 0.5, 4.565428244391049)
def test_a_perfect_list_is_within_the_range(n: int, persistence: float, beta: float) -> None:
    topic = Topic(list(range(n)), dict.fromkeys(range(n), 4.0))
    rbp = {"persistence": persistence}
    others = [("rbp", rbp), ("rbp", {**rbp, "gain": "graded"}), ("f_measure", {"beta": beta})]
    assert outside([topic], *COMBINATIONS, *others) == []


NEAR = [1.0, math.nextafter(1, 2), math.nextafter(1, 0), 2.9762677246318887, 2.9762677246318874]


@settings(max_examples=20)
@given(st.lists(st.sampled_from(NEAR), min_size=2, max_size=6))
@example([2.9762677246318887, 2.9762677246318874, 2.9762677246318883, 2.9762677246318883])
@example([2.8580712650358917, 2.85807126503589, 2.8580712650358904, 2.85807126503589, 2.8580712650358904])
def test_lists_of_similar_grades_are_within_the_range(grades: list[float]) -> None:
    assert outside([Topic(list(range(len(grades))), dict(enumerate(grades)))]) == []


def test_f_measure_of_any_beta_is_within_the_range() -> None:
    topics = [Topic([1, 2], {1: 1.0, 3: 1.0}), Topic([2], {1: 1.0}), Topic([1], {1: 1.0}), Topic([], {})]
    for beta in (0.0, 1e-300, 1e160, 1e200, 1.7e308):
        assert outside(topics, ("f_measure", {"beta": beta})) == []
        if beta > 1e100:
            f_measure, recall = values(topics, None, [("f_measure", {"beta": beta}), ("recall", {})]).values()
            assert f_measure == recall


@given(
    st.dictionaries(st.integers(0, 11), st.sampled_from([0.5, 1.0, 2.0, 3.0, 4.0]), min_size=1),
    st.integers(1, 15),
)
def test_the_best_list_has_exactly_the_highest_value(truth: dict[int, float], k: int) -> None:
    topics = [Topic(sorted(truth, key=lambda item: -truth[item]), truth)]
    plain = ["half_life_utility", "precision", "mrr", "hit_rate", "interpolated_precision"]
    at_k: list[tuple[str, Options]] = [
        # With ideal=truth no list of k items is the best one.
        *(("ndcg", options) for options in WITNESSES["ndcg"].options if options.get("ideal", "cut") == "cut"),
        *((name, {"normalize": "min"}) for name in ("recall", "average_precision")),
        *((name, {}) for name in plain),
    ]
    whole = ["recall", "average_precision", "f_measure", "r_precision", "bpref"]
    whole += ["interpolated_average_precision"]
    for of_best in (values(topics, k, at_k), values(topics, None, [(name, {}) for name in whole])):
        assert of_best == {key: [1.0] for key in of_best}

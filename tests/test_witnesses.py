"""The witnesses agree with each other: worked cases, slow definitions and outside implementations."""

import math
import random
from itertools import product
from typing import Any

import pytest

from tests.witnesses import (
    COMPARED,
    LIST_WITNESSES,
    WITNESSES,
    Outside,
    Value,
    Witness,
    judged,
    random_topics,
)

TOPICS = random_topics(seed=7, n=1_000)
ONES = [pytest.param(one, id=name) for name, one in WITNESSES.items()]


def is_close(value: Value, expected: Value) -> bool:
    if value is None or expected is None:
        return value is expected
    return math.isclose(value, expected, rel_tol=1e-15, abs_tol=1e-15)


@pytest.mark.parametrize("one", ONES)
def test_worked_cases_hold_for_the_slow_definition(one: Witness) -> None:
    for case in one.worked:
        found = one.evaluate(case.rec, case.truth, case.k, case.options)
        assert is_close(found, case.expected), case


@pytest.mark.parametrize("one", ONES)
def test_every_measure_has_worked_cases_for_its_edges_and_options(one: Witness) -> None:
    assert len(one.worked) >= 3, "work three cases by hand"
    assert any(case.k == 0 for case in one.worked), "one of them with k = 0"
    assert any(not case.rec and not case.truth for case in one.worked), "one of them without items"
    defaults = one.definition.__kwdefaults__ or {}
    used = {
        option for options in [*one.options, *(case.options for case in one.worked)] for option in options
    }
    assert used == set(defaults)


@pytest.mark.parametrize(
    ("one", "outside"),
    [
        pytest.param(
            one,
            outside,
            id=f"{name}-{outside.name}",
            marks=pytest.mark.slow if outside.module == "sklearn" else [],  # a call per topic
        )
        for name, one in WITNESSES.items()
        for outside in one.outside
    ],
)
def test_the_slow_definition_agrees_with_the_outside_implementation(one: Witness, outside: Outside) -> None:
    if outside.missing():
        pytest.skip(f"{outside.missing()} is not installed")
    for options, k in product(outside.options, outside.cutoffs):
        chosen = outside.comparable(TOPICS, k, options)
        assert len(chosen) == COMPARED, (options, k, "few topics are comparable")
        wanted = [one.definition(judged(topic), k, **options) for topic in chosen]
        assert outside.values(chosen, k, options) == pytest.approx(wanted, rel=0, abs=outside.tolerance)


@pytest.mark.parametrize("half_life", [2, 5, 10])
@pytest.mark.parametrize("k", [3, None])
def test_half_life_utility_is_linear_ndcg_with_half_life_discount(half_life: int, k: int | None) -> None:
    for topic in TOPICS:
        utility = WITNESSES["half_life_utility"].definition(judged(topic), k, half_life=half_life)
        options = {"gain": "linear", "discount": "half_life", "half_life": half_life}
        assert utility == pytest.approx(WITNESSES["ndcg"].definition(judged(topic), k, **options), abs=1e-14)


@pytest.mark.parametrize("name", LIST_WITNESSES)
def test_worked_calls_hold_for_the_slow_definition(name: str) -> None:
    one = LIST_WITNESSES[name]
    for call in one.worked:
        assert is_close(one.definition(*call.args, **call.options), call.expected), call


@pytest.mark.parametrize("distance", ["cosine", "euclidean", "jaccard"])
def test_intra_list_diversity_agrees_with_scipy(distance: str) -> None:
    pytest.importorskip("scipy")
    one, rng = LIST_WITNESSES["intra_list_diversity"], random.Random(7)
    assert one.outside is not None
    for _ in range(100):
        if distance == "jaccard":
            vectors: list[Any] = [
                rng.choices("abcdefgh", k=rng.randint(0, 5)) for _ in range(rng.randint(2, 10))
            ]
        else:
            vectors = [[rng.gauss(0, 1) for _ in range(4)] for _ in range(rng.randint(2, 10))]
        value = one.definition(vectors, distance=distance)
        assert value == pytest.approx(one.outside(vectors, distance=distance), abs=1e-12)

"""Worked cases, slow definitions and other libraries agree with each other."""

import random
from itertools import product
from typing import Any

import pytest

from tests.conftest import is_close
from tests.definitions import COMPARED, LIST_WITNESSES, WITNESSES, Outside, Witness, judged, random_topics

TOPICS = random_topics(seed=7, n=1_000)
ONES = [pytest.param(one, id=name) for name, one in WITNESSES.items()]


@pytest.mark.parametrize("name", [*WITNESSES, *LIST_WITNESSES])
def test_worked_cases_hold_for_the_slow_definition(name: str) -> None:
    one: Any = (WITNESSES | LIST_WITNESSES)[name]
    for case in one.worked:
        value = one.evaluate(*case.args, case.options)
        assert is_close(value, case.expected, 1e-12), f"{case.place}: {value}, not {case.expected}"


@pytest.mark.parametrize("one", ONES)
def test_every_measure_has_worked_cases_for_edges_and_options(one: Witness) -> None:
    file = "tests/calls/measures.txt"
    assert len(one.worked) >= 3, f"{file} must have three cases worked by hand"
    assert any(case.args[2] == 0 for case in one.worked), f"{file} must have a case with k = 0"
    assert any(not any(case.args[:2]) for case in one.worked), f"{file} must have a case without items"
    options = {option for case in one.worked for option in case.options}
    assert options == {*(one.definition.__kwdefaults__ or {})}, f"{file} must have a case with each option"


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
def test_the_slow_definition_agrees_with_another_library(one: Witness, outside: Outside) -> None:
    if outside.missing():
        pytest.skip(f"{outside.missing()} is not installed")
    for options, k in product(outside.options, outside.cutoffs):
        chosen = outside.comparable(TOPICS, k, options)
        assert len(chosen) == COMPARED, (options, k, "few topics are comparable")
        wanted = [one.definition(judged(topic), k, **options) for topic in chosen]
        assert outside.values(chosen, k, options) == pytest.approx(wanted, rel=0, abs=outside.tolerance)


@pytest.mark.parametrize("half_life", [2, 5, 10])
def test_half_life_utility_is_linear_ndcg_with_half_life_discount(half_life: int) -> None:
    options = {"gain": "linear", "discount": "half_life", "half_life": half_life}
    for topic, k in product(TOPICS[:300], (3, None)):
        utility = WITNESSES["half_life_utility"].definition(judged(topic), k, half_life=half_life)
        assert utility == pytest.approx(WITNESSES["ndcg"].definition(judged(topic), k, **options), abs=1e-12)


@pytest.mark.parametrize("distance", ["cosine", "euclidean", "jaccard"])
def test_intra_list_diversity_agrees_with_scipy(distance: str) -> None:
    pytest.importorskip("scipy")
    one, rng = LIST_WITNESSES["intra_list_diversity"], random.Random(7)
    outside: Any = one.outside[0].values
    for _ in range(100):
        lengths = [rng.randint(0, 5) if distance == "jaccard" else 4 for _ in range(rng.randint(2, 10))]
        vectors: list[Any] = [[rng.gauss(0, 1) for _ in range(length)] for length in lengths]
        if distance == "jaccard":
            vectors = [rng.choices("abcdefgh", k=length) for length in lengths]
        value = one.definition(vectors, distance=distance)
        assert value == pytest.approx(outside(vectors, distance=distance), abs=1e-12)

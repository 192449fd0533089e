"""Every measure against its worked cases, in SQL, and its slow definition.

The fuzzer (tests/test_fuzz.py) has random batches of every form. tests/test_witnesses.py compares the
slow definitions with other libraries.
"""

import math
import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

from ranking_udfs.measures.registry import BY_NAME, LIST_MEASURES, MEASURES
from tests.conftest import Con, call, evaluate, is_close, judged_array, lists, literal, maps, option_text
from tests.definitions import LIST_WITNESSES, WITNESSES, Witness, Worked, random_topics

CLOSE = 1e-12
TOPICS = random_topics(seed=7, n=400)
ONES = [pytest.param(one, id=name) for name, one in WITNESSES.items()]


def test_every_measure_has_a_slow_definition() -> None:
    """Fail for a new measure until tests/definitions.py defines it too."""
    assert set(MEASURES) == set(WITNESSES)
    assert set(LIST_MEASURES) == set(LIST_WITNESSES)


@pytest.mark.parametrize("name", [*WITNESSES, *LIST_WITNESSES])
def test_options_have_equal_defaults_and_worked_cases(name: str) -> None:
    measure, one = (MEASURES | LIST_MEASURES)[name], (WITNESSES | LIST_WITNESSES)[name]
    defaults = one.definition.__kwdefaults__ or {}
    assert measure.defaults(of_judged=False) == defaults
    assert measure.defaults(of_judged=True) == {**defaults, **one.of_judged}
    for option, rule in measure.options.items():
        compared = {case.options.get(option, rule.default) for case in one.worked}
        words = set(str(rule).split("|")) if isinstance(rule.default, str) else set()
        assert words <= compared, option
        assert len(compared) > 1, option


def spellings(name: str, case: Worked) -> Iterator[str]:
    """Yield every way to write this call; some options have another default for judged rankings."""
    if name in LIST_MEASURES:
        arguments = ", ".join(map(literal, case.args))
        for rest in [f", {literal(option_text(case.options))}"] + ["", ", NULL", ", ''"] * (not case.options):
            yield f"{name}({arguments}{rest})"
        return
    rec, truth, k = map(literal, case.args)
    one = WITNESSES[BY_NAME[name].name]
    for ranking, options, defaults in (
        (f"{rec}, {truth}", case.options, {}),
        (f"judge({rec}, {truth})", one.judged_options(case.options), one.of_judged),
    ):
        yield f'"{name}"({ranking}, {k}, {literal(option_text(options))})'
        if options == defaults:
            for rest in [f", {k}", f", {k}, ''"] + [""] * (k == "NULL"):
                yield f'"{name}"({ranking}{rest})'


@pytest.mark.parametrize("name", [*WITNESSES, *LIST_WITNESSES])
def test_worked_cases_hold_in_sql_in_every_form(shared: Con, name: str) -> None:
    """Call the first case by the aliases too."""
    worked = (WITNESSES | LIST_WITNESSES)[name].worked
    calls = [(sql, case) for case in worked for sql in spellings(name, case)]
    for alias in MEASURES[name].aliases if name in MEASURES else ():
        calls += [(sql, worked[0]) for sql in spellings(alias, worked[0])]
    (values,) = shared.execute(f"SELECT {', '.join(sql for sql, _ in calls)}").fetchall()
    for value, (sql, case) in zip(values, calls, strict=True):
        assert is_close(value, case.expected, CLOSE), f"{case.place}: {sql} is {value}, not {case.expected}"


@pytest.mark.parametrize("one", ONES)
def test_batches_agree_with_the_slow_definition(one: Witness) -> None:
    """Let some lists and truths be NULL."""
    rng = random.Random(1)
    ks = [rng.choice([None, 0, 1, 2, 3, 5, 10, 40, 2**31 - 1]) for _ in TOPICS]
    recs = [None if rng.random() < 0.02 else topic.rec for topic in TOPICS]
    truths = [None if rng.random() < 0.02 else topic.truth for topic in TOPICS]
    rows = list(zip(recs, truths, ks, strict=True))
    for options in one.options:
        whole = evaluate(one.name, lists(recs), maps(truths), ks, options)
        for row, got in zip(rows, whole, strict=True):
            want = one.evaluate(*row, options)
            assert is_close(got, want, CLOSE), f"{one.name} {dict(options)} of {row} is {got}, not {want}"
        for n in (0, 1):
            found = evaluate(one.name, lists(recs[:n]), maps(truths[:n]), ks[:n], options)
            assert found == whole[:n], (one.name, options, n)


@pytest.mark.parametrize("rank", [2**19 - 1, 2**20 - 1, 2**22 - 1])
def test_the_discount_of_ranks_in_the_millions_is_the_logarithm(rank: int) -> None:
    judged = judged_array([{"ranks": [1, rank], "grades": [1.0, 1.0], "ideal": [1.0, 1.0], "size": rank}])
    (found,) = call("dcg", judged)
    power = (rank + 1).bit_length() - 1
    assert is_close(found, 1 + 1 / power, CLOSE)
    (found,) = call("dcg", judged, pa.nulls(1), pa.array(["discount=original base=4"]))
    assert is_close(found, 1 + math.log(4) / math.log(rank), CLOSE)


def test_diversity_of_a_list_is_bit_identical_in_any_batch() -> None:
    rng = random.Random(3)
    sizes = [(width, rng.randint(2, 9)) for width in range(1, 60)]
    rows = [[[rng.gauss(0, 1) for _ in range(width)] for _ in range(n)] for width, n in sizes]
    vectors = pa.list_(pa.list_(pa.float64()))
    for distance in ("cosine", "euclidean"):
        texts = pa.array([f"distance={distance}"] * len(rows))
        together = call("intra_list_diversity", pa.array(rows, vectors), texts)
        alone = [call("intra_list_diversity", pa.array([row], vectors), texts[:1])[0] for row in rows]
        assert together == alone

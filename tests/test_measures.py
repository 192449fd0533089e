"""Every measure against its witnesses: worked cases in SQL, slow definitions, outside implementations."""

import math
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import udfs
from tests.conftest import (
    call,
    evaluate,
    is_close,
    judged_array,
    lists,
    literal,
    maps,
    option_text,
    pairs,
    value,
)
from tests.witnesses import (
    LIST_WITNESSES,
    WITNESSES,
    Call,
    ListWitness,
    Options,
    Outside,
    Topic,
    Witness,
    Worked,
    random_topics,
)
from udfs.measures.registry import LIST_MEASURES, MEASURES, Measure

EXACT = 1e-15  # of a double near 1 this is a few units in the last place
CLOSE = 1e-12
BATCH = 2_048
TOPICS = random_topics(seed=7, n=2_500)
ONES = [pytest.param(one, id=name) for name, one in WITNESSES.items()]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield udfs.register(connection)


# --- The registry and the witnesses hold the same measures ---


def test_every_measure_has_a_witness_and_every_witness_a_measure() -> None:
    assert set(MEASURES) == set(WITNESSES)


def test_every_list_measure_has_a_witness_and_every_witness_a_list_measure() -> None:
    assert set(LIST_MEASURES) == set(LIST_WITNESSES)


@pytest.mark.parametrize("measure", [*MEASURES.values(), *LIST_MEASURES.values()], ids=lambda one: one.name)
def test_measure_and_witness_have_the_same_options_with_the_same_defaults(measure: Measure) -> None:
    one = WITNESSES.get(measure.name) or LIST_WITNESSES[measure.name]
    defaults = {name: option.default for name, option in measure.options.items()}
    assert defaults == (one.definition.__kwdefaults__ or {})


@pytest.mark.parametrize("measure", [*MEASURES.values(), *LIST_MEASURES.values()], ids=lambda one: one.name)
def test_every_word_of_every_option_is_among_those_compared(measure: Measure) -> None:
    one = WITNESSES.get(measure.name) or LIST_WITNESSES[measure.name]
    for name, option in measure.options.items():
        every = [*one.options, *(case.options for case in one.worked)]
        compared = {options.get(name, option.default) for options in every}
        words = set(str(option).split("|")) if isinstance(option.default, str) else set()
        assert words <= compared
        assert len(compared) > 1


# --- Worked cases, in SQL ---


def one_type(case: Worked) -> tuple[Any, Any]:
    """The lists with items of one type, as SQL has them: a case that mixes types means items that differ."""
    ids = [*(case.rec or []), *(case.truth or [])]
    if len({type(item) for item in ids if item is not None}) < 2 or any(isinstance(i, tuple) for i in ids):
        return case.rec, case.truth
    truth = {repr(item): grade for item, grade in case.truth.items()}
    return [item if item is None else repr(item) for item in case.rec], truth


def spellings(name: str, case: Worked) -> Iterator[str]:
    """Every way to write this call."""
    rec, truth = map(literal, one_type(case))
    k, options = literal(case.k), literal(option_text(case.options))
    trailing = [f", {k}, {options}"]
    if not case.options:
        trailing += [f", {k}", f", {k}, ''"] + [""] * (case.k is None)
    for rest in trailing:
        yield f'SELECT "{name}"({rec}, {truth}{rest})'
        yield f'SELECT "{name}"(judge({rec}, {truth}){rest})'


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=name) for name, one in WITNESSES.items() for case in one.worked],
)
def test_a_worked_case_holds_in_sql_in_every_form(
    con: duckdb.DuckDBPyConnection, name: str, case: Worked
) -> None:
    for sql in spellings(name, case):
        found = value(con, sql)
        assert is_close(found, case.expected, EXACT), f"{sql} is {found}, not {case.expected}"


@pytest.mark.parametrize(
    ("alias", "name"), [(alias, one.name) for one in MEASURES.values() for alias in one.aliases]
)
def test_an_alias_gives_what_the_measure_gives(con: duckdb.DuckDBPyConnection, alias: str, name: str) -> None:
    for case in WITNESSES[name].worked:
        for sql in spellings(alias, case):
            assert is_close(value(con, sql), case.expected, EXACT), sql


# --- Slow definitions ---


def nullable(topics: list[Topic], seed: int) -> tuple[list[Any], list[Any]]:
    """The lists and the truths; some of either are NULL."""
    rng = random.Random(seed)
    recs = [None if rng.random() < 0.02 else topic.rec for topic in topics]
    truths = [None if rng.random() < 0.02 else topic.truth for topic in topics]
    return recs, truths


def assert_agrees(
    one: Witness,
    options: Options,
    form: str,
    recs: list[Any],
    truths: list[Any],
    arrays: tuple[pa.Array, pa.Array],
    ks: list[int | None],
) -> None:
    found = evaluate(one.name, *arrays, ks, options)
    assert len(found) == len(recs)
    for rec, truth, k, got in zip(recs, truths, ks, found, strict=True):
        expected = one.evaluate(rec, truth, k, options, form)
        assert is_close(got, expected, CLOSE), (
            f"{one.name}({rec}, {truth}, {k}, {dict(options)}) is {got}, not {expected}"
        )


@pytest.mark.parametrize("one", ONES)
@pytest.mark.parametrize("n", [0, 1, BATCH, BATCH + 1])
def test_a_batch_of_any_size_agrees_with_the_slow_definition(one: Witness, n: int) -> None:
    recs, truths = nullable(TOPICS[:n], seed=n)
    rng = random.Random(n)
    for options in one.options:
        ks = [rng.choice([None, 0, 1, 2, 3, 5, 10, 40, 2**31 - 1]) for _ in range(n)]
        assert_agrees(one, options, "map", recs, truths, (lists(recs), maps(truths)), ks)


@pytest.mark.parametrize("one", ONES)
@pytest.mark.parametrize("k", [None, 0, 3, 10, 40])
def test_one_k_for_all_rows_agrees_with_the_slow_definition(one: Witness, k: int | None) -> None:
    recs, truths = nullable(TOPICS[:200], seed=1)
    for options in one.options:
        assert_agrees(one, options, "map", recs, truths, (lists(recs), maps(truths)), [k] * 200)


@pytest.mark.parametrize("one", ONES)
def test_the_binary_form_agrees_with_the_slow_definition(one: Witness) -> None:
    topics = TOPICS[:300]
    recs, truths = [topic.rec for topic in topics], [topic.relevant() for topic in topics]
    for options in one.options:
        for k in (None, 5):
            assert_agrees(one, options, "binary", recs, truths, (lists(recs), lists(truths)), [k] * 300)


@pytest.mark.parametrize("one", ONES)
def test_graded_pairs_agree_with_the_slow_definition(one: Witness) -> None:
    topics = TOPICS[:300]
    recs, truths = [topic.pairs() for topic in topics], [list(topic.truth.values()) for topic in topics]
    arrays = pairs(recs), lists(truths, pa.float64())
    for options in one.options:
        for k in (None, 5):
            assert_agrees(one, options, "pairs", recs, truths, arrays, [k] * 300)


@pytest.mark.parametrize("one", ONES)
def test_slices_of_arrays_agree_with_the_slow_definition(one: Witness) -> None:
    recs, truths = nullable(TOPICS[:300], seed=2)
    rec, truth = lists(recs).slice(37, 200), maps(truths).slice(37, 200)
    assert rec.offset == truth.offset == 37
    assert_agrees(one, {}, "map", recs[37:237], truths[37:237], (rec, truth), [7] * 200)
    relevant = [None if truth is None else [i for i, g in truth.items() if g > 0] for truth in truths]
    arrays = rec, lists(relevant).slice(37, 200)
    assert_agrees(one, {}, "binary", recs[37:237], relevant[37:237], arrays, [None] * 200)


@pytest.mark.parametrize("one", ONES)
def test_slices_of_judged_rankings_agree_with_the_slow_definition(one: Witness) -> None:
    recs, truths = nullable(TOPICS[:300], seed=3)
    judged = judged_array(call("judge", lists(recs), maps(truths))).slice(41, 200)
    found = call(one.name, judged, pa.array([5] * 200))
    for rec, truth, got in zip(recs[41:241], truths[41:241], found, strict=True):
        assert is_close(got, one.evaluate(rec, truth, 5, {}, "map"), CLOSE)


@pytest.mark.parametrize("one", ONES)
def test_rows_with_options_of_their_own_agree_with_the_slow_definition(one: Witness) -> None:
    topics = TOPICS[:100]
    chosen = [one.options[i % len(one.options)] for i in range(100)]
    texts = pa.array([option_text(options) for options in chosen], pa.string())
    ks = [(None, 3, 20)[i % 3] for i in range(100)]
    rec, truth = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    found = call(one.name, rec, truth, pa.array(ks, pa.int64()), texts)
    for topic, k, options, got in zip(topics, ks, chosen, found, strict=True):
        assert is_close(got, one.evaluate(topic.rec, topic.truth, k, options, "map"), CLOSE)


@cache
def long_topics() -> list[Topic]:
    """Lists of 10,000 items; one is judged as far as the slow definitions bear it."""
    rng = random.Random(11)
    short = random_topics(seed=12, n=2)
    rec = list(range(10_000))
    rng.shuffle(rec)
    return [
        short[0],
        Topic(rec, {item: rng.choice([-1, 0, 1, 2, 3, 4]) for item in rng.sample(range(12_000), 1_200)}),
        short[1],
        Topic(rec[::-1], {item: float(item % 5) for item in rec[:500]}),
    ]


@pytest.mark.parametrize("one", ONES)
def test_lists_of_10_000_items_agree_with_the_slow_definition(one: Witness) -> None:
    topics = long_topics()
    recs, truths = [topic.rec for topic in topics], [topic.truth for topic in topics]
    for options in one.options:
        for k in (None, 5_000):
            assert_agrees(one, options, "map", recs, truths, (lists(recs), maps(truths)), [k] * len(topics))


@pytest.mark.parametrize("one", ONES)
def test_grades_up_to_30_agree_with_the_slow_definition(one: Witness) -> None:
    topics = random_topics(seed=30, n=300, grades=[*range(31), 0.5, 29.99, 1e-9])
    recs, truths = [topic.rec for topic in topics], [topic.truth for topic in topics]
    for options in one.options:
        is_graded = one.name == "err" or (one.name, options.get("gain")) == ("rbp", "graded")
        whole = {**options, "max_grade": 30} if is_graded else options
        for k in (None, 5):
            assert_agrees(one, whole, "map", recs, truths, (lists(recs), maps(truths)), [k] * 300)


def test_tiny_grades_keep_their_digits() -> None:
    tiny = maps([{1: 1e-17}])
    assert evaluate("dcg", lists([[1]]), tiny) == [pytest.approx(1e-17 * math.log(2), rel=1e-14)]
    expected = 1e-17 * math.log(2) / 2
    assert evaluate("err", lists([[1]]), tiny, None, {"max_grade": 1}) == [pytest.approx(expected, rel=1e-14)]


def test_grades_whose_sum_no_double_holds_are_compared_all_the_same_or_an_error() -> None:
    rec, truth = lists([[2, 1]]), maps([{1: 1.6e308, 2: 0.8e308}])
    for name, options, fall in [
        ("ndcg", {"gain": "linear"}, 1 / math.log2(3)),
        ("ndcg", {"gain": "linear", "discount": "original", "base": 1.5}, math.log(1.5) / math.log(2)),
        ("half_life_utility", {"half_life": 2}, 1 / 2),
    ]:
        expected = (0.8 + 1.6 * fall) / (1.6 + 0.8 * fall)
        assert evaluate(name, rec, truth, None, options) == [pytest.approx(expected, rel=1e-14)], name
    for name in ("dcg", "ideal_dcg", "cumulative_gain"):
        with pytest.raises(
            ValueError,
            match=rf"^{name}: grades must have a sum that a DOUBLE can hold, got one of 1.6e\+308$",
        ):
            evaluate(
                name,
                rec,
                truth,
                None,
                {"gain": "linear", **({"discount": "original", "base": 1e9} if "dcg" in name else {})},
            )


def test_diversity_does_not_depend_on_the_batch_to_the_last_bit() -> None:
    rng = random.Random(3)
    rows = [
        [[rng.gauss(0, 1) for _ in range(width)] for _ in range(rng.randint(2, 9))] for width in range(1, 60)
    ]
    vectors = pa.list_(pa.list_(pa.float64()))
    for distance in ("cosine", "euclidean"):
        texts = pa.array([f"distance={distance}"] * len(rows))
        together = call("intra_list_diversity", pa.array(rows, vectors), texts)
        alone = [call("intra_list_diversity", pa.array([row], vectors), texts[:1])[0] for row in rows]
        assert together == alone


# --- Outside implementations ---


@pytest.mark.parametrize(
    ("name", "outside", "options", "k"),
    [
        pytest.param(name, outside, options, k, id=f"{name}-{outside.name}-{dict(options)}-{k}")
        for name, one in WITNESSES.items()
        for outside, options, k in one.comparisons()
    ],
)
def test_the_measure_agrees_with_the_outside_implementation(
    name: str, outside: Outside, options: Options, k: int | None
) -> None:
    if outside.missing():
        pytest.skip(f"{outside.missing()} is not installed")
    topics = outside.comparable(TOPICS, k, options)
    assert len(topics) == 1_000
    rec, truth = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    found = evaluate(name, rec, truth, k, options)
    for topic, got, expected in zip(topics, found, outside.values(topics, k, options), strict=True):
        assert got is not None
        assert abs(got - expected) <= outside.tolerance, f"{topic} is {got}, there {expected}"


# --- Measures that do not read a judged ranking ---


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=name) for name, one in LIST_WITNESSES.items() for case in one.worked],
)
def test_a_worked_case_of_a_list_measure_holds_in_sql(
    con: duckdb.DuckDBPyConnection, name: str, case: Call
) -> None:
    arguments = ", ".join(map(literal, case.args))
    texts = [f", {literal(option_text(case.options))}"] + ["", ", NULL", ", ''"] * (not case.options)
    for text in texts:
        found = value(con, f"SELECT {name}({arguments}{text})")
        assert is_close(found, case.expected, EXACT), f"{arguments}{text} is {found}, not {case.expected}"


def random_calls(name: str, n: int) -> tuple[list[pa.Array], list[tuple[Any, ...]]]:
    """Arguments of a list measure, as Arrow and as Python."""
    rng = random.Random(n)
    if name == "novelty":
        shares = [{i: rng.uniform(0.001, 1) for i in range(30)} for _ in range(n)]
        recs = [rng.choices([*range(30), None], k=rng.randint(0, 20)) for _ in range(n)]
        recs[::50] = [None] * len(recs[::50])
        shares[7::50] = [None] * len(shares[7::50])  # type: ignore[list-item]
        return [lists(recs), maps(shares)], list(zip(recs, shares, strict=True))
    assert name == "intra_list_diversity"
    rows: list[Any] = []
    for _ in range(n):
        width = rng.randint(1, 6)
        vectors = [[rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for _ in range(width)] for _ in range(8)]
        rows.append([rng.choice([vector] * 9 + [None]) for vector in vectors[: rng.randint(0, 8)]])
    rows[::50] = [None] * len(rows[::50])
    return [pa.array(rows, pa.list_(pa.list_(pa.float64())))], [(row,) for row in rows]


@pytest.mark.parametrize("one", [pytest.param(one, id=name) for name, one in LIST_WITNESSES.items()])
@pytest.mark.parametrize("n", [0, 1, BATCH, BATCH + 1])
def test_a_batch_of_any_size_agrees_with_the_slow_definition_of_a_list_measure(
    one: ListWitness, n: int
) -> None:
    columns, rows = random_calls(one.name, n)
    for options in one.options:
        found = call(one.name, *columns, pa.array([option_text(options)] * n, pa.string()))
        for arguments, got in zip(rows, found, strict=True):
            expected = one.definition(*arguments, **options)
            assert is_close(got, expected, CLOSE), f"{arguments}, {dict(options)} is {got}, not {expected}"
    if n > 100:
        parts = [column.slice(51, 40) for column in columns]
        expected = [one.definition(*arguments) for arguments in rows[51:91]]
        assert all(map(is_close, call(one.name, *parts), expected, [CLOSE] * 40))


@pytest.mark.parametrize("rank", [2**19 - 1, 2**20 - 1, 2**22 - 1])
def test_the_discount_of_ranks_in_the_millions_is_the_logarithm_all_the_same(rank: int) -> None:
    judged = judged_array([{"ranks": [1, rank], "grades": [1.0, 1.0], "ideal": [1.0, 1.0], "size": rank}])
    (found,) = call("dcg", judged)
    power = (rank + 1).bit_length() - 1
    assert is_close(found, 1 + 1 / power, CLOSE)
    (found,) = call("dcg", judged, pa.nulls(1), pa.array(["discount=original base=4"]))
    assert is_close(found, 1 + math.log(4) / math.log(rank), CLOSE)


@pytest.mark.parametrize("distance", ["cosine", "euclidean", "jaccard"])
def test_intra_list_diversity_agrees_with_scipy(distance: str) -> None:
    outside = LIST_WITNESSES["intra_list_diversity"].outside
    assert outside is not None
    rng = random.Random(5)
    words = distance == "jaccard"
    rows: list[Any] = [
        [rng.choices("abcdefgh", k=rng.randint(0, 5)) for _ in range(rng.randint(2, 10))]
        if words
        else [[rng.gauss(0, 1) for _ in range(4)] for _ in range(rng.randint(2, 10))]
        for _ in range(1_000)
    ]
    column = pa.array(rows, pa.list_(pa.list_(pa.string() if words else pa.float64())))
    found = call("intra_list_diversity", column, pa.array([f"distance={distance}"] * 1_000))
    for row, got in zip(rows, found, strict=True):
        assert is_close(got, outside(row, distance=distance), CLOSE)


def test_intra_list_diversity_takes_vectors_of_every_number_type(con: duckdb.DuckDBPyConnection) -> None:
    for kind in ("FLOAT[]", "DOUBLE[]", "FLOAT[2]", "INTEGER[2]", "TINYINT[]", "DECIMAL(5, 1)[]"):
        for outer in ("[]", "[3]"):
            sql = f"SELECT intra_list_diversity([[1, 0], [0, 1], [1, 0]]::{kind}{outer})"
            assert value(con, sql) == pytest.approx((1 + 0 + 1) / 3, abs=CLOSE), sql


def test_novelty_takes_every_number_type_as_a_share(con: duckdb.DuckDBPyConnection) -> None:
    for kind in ("FLOAT", "DOUBLE", "DECIMAL(4, 3)"):
        sql = f"SELECT novelty(['a', 'b'], MAP {{'a': 0.5, 'b': 0.125}}::MAP(VARCHAR, {kind}))"
        assert value(con, sql) == (1 + 3) / 2, sql

"""What holds for every measure, whatever the lists: Hypothesis looks for lists for which it does not.

Each property goes through all measures of the registry and all option sets of their witnesses. Numbers are
compared bit for bit unless a test says otherwise.
"""

import math
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import call, evaluate, judged_array, lists, maps, option_text, pairs
from tests.witnesses import WITNESSES, Options, Topic, random_topics
from udfs.measures.registry import MEASURES, Measure, Number

CLOSE = 1e-12
COMBINATIONS = [(name, options) for name in MEASURES for options in WITNESSES[name].options]
DEFAULTS: list[tuple[str, Options]] = [(name, {}) for name in MEASURES]

# What a property cannot ask of a measure, and why. A measure that is not named here has all properties.
CORRELATIONS = {"spearman", "kendall_tau", "concordant_pairs"}  # read the grades of all judged items
READS_NON_RELEVANT = CORRELATIONS | {"bpref"}  # also items of grade <= 0
GAINS_PAIRS_BY_MISSES = {"auc"}  # a miss at the end is one more item that every hit beats
LOWER_IS_BETTER = {"first_hit_rank"}

ITEMS = st.integers(0, 11)
GRADES = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0, 4.0])
LISTS = st.lists(st.one_of(ITEMS, ITEMS, ITEMS, st.none()), max_size=12)
CUTS = st.one_of(st.none(), st.integers(0, 15))
TOPICS = st.builds(Topic, LISTS, st.dictionaries(ITEMS, GRADES, max_size=8))
BATCHES = st.lists(TOPICS, min_size=1, max_size=6)

Arrays = tuple[pa.Array, pa.Array]
Values = dict[str, list[float | None]]


def arrays(topics: Sequence[Topic]) -> Arrays:
    return lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])


def of(
    name: str, topics: Sequence[Topic], k: Any = None, options: Options | None = None
) -> list[float | None]:
    return evaluate(name, *arrays(topics), k, options)


def values(
    batch: Sequence[Topic] | Arrays, k: Any = None, combinations: Sequence[tuple[str, Options]] = COMBINATIONS
) -> Values:
    """What every measure makes of the batch, by its name and options."""
    columns = batch if isinstance(batch, tuple) else arrays(batch)
    return {
        f"{name} {option_text(options)}": evaluate(name, *columns, k, options)
        for name, options in combinations
    }


def without(names: set[str]) -> list[tuple[str, Options]]:
    return [(name, options) for name, options in COMBINATIONS if name not in names]


def changed(topics: Sequence[Topic], change: Callable[[Topic], Topic]) -> list[Topic]:
    return [change(topic) for topic in topics]


def first_occurrences(rec: Sequence[Any]) -> list[Any]:
    """The list with a NULL in place of every repeat."""
    return [None if item in rec[:i] else item for i, item in enumerate(rec)]


# --- Range ---


def within(measure: Measure, found: float | None) -> bool:
    """Whether the registry's range and its word on NULL allow the value."""
    return measure.empty.value is None if found is None else found in measure.range


def outside(
    topics: Sequence[Topic], k: int | None = None, combinations: Sequence[tuple[str, Options]] = COMBINATIONS
) -> list[Any]:
    """The values that are not in their range."""
    return [
        (key, found)
        for key, row in values(topics, k, combinations).items()
        for found in row
        if not within(MEASURES[key.partition(" ")[0]], found)
    ]


@given(BATCHES, CUTS)
def test_every_value_lies_in_the_range_of_the_registry(topics: list[Topic], k: int | None) -> None:
    assert outside(topics, k) == []


@settings(max_examples=20)
@given(st.integers(1, 4_000), st.floats(0.01, 0.999), st.floats(0, 10))
@example(3_000, 0.9543974553880714, 4.565428244391049)
@example(49, 0.5, 4.565428244391049)
def test_a_perfect_list_is_within_the_range_however_sums_round(
    n: int, persistence: float, beta: float
) -> None:
    topic = Topic(list(range(n)), dict.fromkeys(range(n), 4.0))
    chosen: list[tuple[str, Options]] = [
        ("rbp", {"persistence": persistence}),
        ("rbp", {"persistence": persistence, "gain": "graded"}),
        ("f_measure", {"beta": beta}),
    ]
    assert outside([topic], None, [*COMBINATIONS, *chosen]) == []


NEAR = [1.0, math.nextafter(1, 2), math.nextafter(1, 0), 2.9762677246318887, 2.9762677246318874]


@settings(max_examples=20)
@given(st.lists(st.sampled_from(NEAR), min_size=2, max_size=6))
@example([2.9762677246318887, 2.9762677246318874, 2.9762677246318883, 2.9762677246318883])
@example([2.8580712650358917, 2.85807126503589, 2.8580712650358904, 2.85807126503589, 2.8580712650358904])
def test_grades_that_hardly_differ_are_within_the_range_however_sums_round(grades: list[float]) -> None:
    assert outside([Topic(list(range(len(grades))), dict(enumerate(grades)))]) == []


@given(st.lists(st.floats(-1e6, 4), min_size=1, max_size=8), st.permutations(range(8)))
def test_measures_of_any_grades_are_within_the_range(grades: list[float], order: list[int]) -> None:
    assert outside([Topic(order, dict(enumerate(grades)))], 5) == []


@pytest.mark.parametrize("beta", [0.0, 1e-300, 1e160, 1e200, 1.7e308])
def test_f_measure_of_any_beta_is_within_the_range(beta: float) -> None:
    topics = [Topic([1, 2], {1: 1.0, 3: 1.0}), Topic([2], {1: 1.0}), Topic([1], {1: 1.0}), Topic([], {})]
    assert outside(topics, None, [("f_measure", {"beta": beta})]) == []
    if beta > 1e100:
        assert of("f_measure", topics, None, {"beta": beta}) == of("recall", topics)


# --- k ---


@given(BATCHES, st.integers(0, 15))
def test_the_top_k_of_a_list_is_all_that_counts(topics: list[Topic], k: int) -> None:
    assert values(topics, k) == values(changed(topics, lambda topic: Topic(topic.rec[:k], topic.truth)), k)


@given(BATCHES)
def test_no_k_is_the_length_of_the_list(topics: list[Topic]) -> None:
    assert values(topics) == values(topics, [len(topic.rec) for topic in topics])
    for name in MEASURES:
        assert call(name, *arrays(topics)) == of(name, topics), name


@given(BATCHES, st.sampled_from([21, 100, 2**31 - 1, 2**31, 2**63 - 1]))
def test_k_beyond_both_lists_says_nothing_more_unless_precision_divides_by_it(
    topics: list[Topic], k: int
) -> None:
    combinations = [(name, options) for name, options in COMBINATIONS if options.get("divide") != "k"]
    assert values(topics, 20, combinations) == values(topics, k, combinations)


@given(BATCHES, st.integers(0, 15), st.integers(0, 15))
def test_a_longer_top_never_has_fewer_hits(topics: list[Topic], k: int, further: int) -> None:
    judged = changed(topics, lambda topic: Topic(topic.rec, {**topic.truth, 0: 1.0}))
    for name in ("recall", "hits", "hit_rate", "mrr", "dcg", "cumulative_gain", "err", "rbp"):
        for less, more in zip(of(name, judged, k), of(name, judged, k + further), strict=True):
            assert less is not None
            assert more is not None
            assert less <= more, name


INTEGERS = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("kind", [*INTEGERS, pa.decimal128(38, 0)], ids=str)
@pytest.mark.parametrize("k", [0, 3, 127])
def test_k_in_every_integer_type_cuts_alike(kind: pa.DataType, k: int) -> None:
    columns = arrays([Topic(list(range(12)), dict.fromkeys(range(0, 20, 3), 1.0))] * 2)
    for name in MEASURES:
        expected = call(name, *columns, pa.array([k, 1], pa.int64()))
        assert call(name, *columns, pa.array([k, 1]).cast(kind)) == expected, name
        expected = call(name, *columns, pa.array([None, k], pa.int64()))
        assert call(name, *columns, pa.array([None, k], pa.int64()).cast(kind)) == expected, name


# --- Batches ---


@given(BATCHES, st.lists(CUTS, min_size=6, max_size=6), st.randoms())
def test_a_row_has_its_value_in_whatever_batch_and_order(
    topics: list[Topic], cuts: list[int | None], rng: Any
) -> None:
    ks = cuts[: len(topics)]
    order = list(range(len(topics)))
    rng.shuffle(order)
    whole = values(topics, ks)
    mixed = values([topics[i] for i in order], [ks[i] for i in order])
    assert mixed == {key: [row[i] for i in order] for key, row in whole.items()}
    alone = [values([topic], k) for topic, k in zip(topics, ks, strict=True)]
    assert whole == {key: [row[key][0] for row in alone] for key in whole}


@pytest.mark.parametrize("size", [97, 2_048])
def test_2_049_rows_have_the_values_of_whatever_batches_they_come_in(size: int) -> None:
    topics = random_topics(seed=9, n=2_049)
    whole = values(topics, 9)
    parts = [values(topics[at : at + size], 9) for at in range(0, len(topics), size)]
    assert whole == {key: [found for part in parts for found in part[key]] for key in whole}


@given(st.lists(TOPICS, min_size=2, max_size=5), st.integers(0, 4), st.integers(0, 4))
def test_a_slice_has_the_values_of_its_rows(topics: list[Topic], start: int, length: int) -> None:
    rec, truth = arrays(topics)
    sliced = values((rec.slice(start, length), truth.slice(start, length)), 5)
    assert sliced == {key: row[start : start + length] for key, row in values(topics, 5).items()}


@given(BATCHES, st.integers(0, 5))
def test_a_null_row_is_null_and_changes_no_other(topics: list[Topic], at: int) -> None:
    rec: list[Any] = [topic.rec for topic in topics]
    truth: list[Any] = [topic.truth for topic in topics]
    rec.insert(at, [1, 2])
    truth.insert(at, None)
    found = values((lists(rec), maps(truth)), 5)
    at = truth.index(None)
    assert all(row.pop(at) is None for row in found.values())
    assert found == values(topics, 5)


# --- Forms ---


@given(BATCHES, CUTS)
def test_the_judged_form_gives_what_the_plain_form_gives(topics: list[Topic], k: int | None) -> None:
    judged, ks = judged_array(call("judge", *arrays(topics))), pa.array([k] * len(topics), pa.int64())
    found = {}
    for name, options in COMBINATIONS:
        texts = pa.array([option_text(options)] * len(topics), pa.string())
        found[f"{name} {option_text(options)}"] = call(name, judged, ks, texts)
    assert found == values(topics, k)


@given(BATCHES, CUTS)
def test_relevant_items_are_a_map_of_ones(topics: list[Topic], k: int | None) -> None:
    rec, relevant = lists([topic.rec for topic in topics]), [topic.relevant() for topic in topics]
    ones = maps([dict.fromkeys(items, 1.0) for items in relevant])
    assert values((rec, lists(relevant)), k) == values((rec, ones), k)


@given(BATCHES, CUTS)
def test_graded_pairs_give_what_a_map_gives(topics: list[Topic], k: int | None) -> None:
    grades = lists([list(topic.truth.values()) for topic in topics], pa.float64())
    assert values((pairs([topic.pairs() for topic in topics]), grades), k) == values(topics, k)


@given(BATCHES, CUTS)
def test_options_given_as_their_defaults_change_nothing(topics: list[Topic], k: int | None) -> None:
    ks = pa.array([k] * len(topics), pa.int64())
    for measure in MEASURES.values():
        defaults = {
            name: option.default
            for name, option in measure.options.items()
            if not (isinstance(option, Number) and option.only_with)
        }
        plain = of(measure.name, topics, k)
        assert of(measure.name, topics, k, defaults) == plain, measure.name
        backwards = ",  ".join(f"{name}={choice}" for name, choice in reversed(defaults.items()))
        texts = pa.array([backwards] * len(topics))
        assert call(measure.name, *arrays(topics), ks, texts) == plain, measure.name


# --- Items ---

FLOATS = [math.nan, math.inf, -math.inf, 0.0, 1e-300, 5.0, 6.0, 7.0, 8.0, 9.0, 1e300, -1.0]
RELABELLINGS: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "small integers": (pa.int8(), lambda item: 11 - item),
    "integers far apart": (pa.int64(), lambda item: (item - 6) * (2**63 // 6 - 1)),
    "the largest unsigned integers": (pa.uint64(), lambda item: 2**64 - 1 - item),
    "text": (pa.string(), lambda item: "é" * (item % 3) + f" {item}"),
    "large text": (pa.large_string(), str),
    "bytes": (pa.binary(), lambda item: bytes([0, item, 0])),
    "UUIDs": (pa.binary(16), lambda item: uuid.uuid5(uuid.UUID(int=7), str(item)).bytes),
    "decimals": (pa.decimal128(38, 0), lambda item: (-10) ** (3 * item)),
    "floats": (pa.float64(), FLOATS.__getitem__),
    "dates": (pa.date32(), lambda item: item * 30_000),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), lambda item: f"word {item}"),
    "structs": (pa.struct({"a": pa.int64(), "b": pa.string()}), lambda item: {"a": item % 2, "b": str(item)}),
    "lists": (pa.list_(pa.int64()), lambda item: [0] * item),
}


@pytest.mark.parametrize("label", RELABELLINGS)
@settings(max_examples=10)
@given(topics=BATCHES, k=CUTS)
def test_items_of_any_type_give_the_same_numbers(topics: list[Topic], k: int | None, label: str) -> None:
    kind, relabel = RELABELLINGS[label]
    rec = lists([[item if item is None else relabel(item) for item in topic.rec] for topic in topics], kind)
    relevant = lists([[relabel(item) for item in topic.relevant()] for topic in topics], kind)
    plain = lists([topic.rec for topic in topics]), lists([topic.relevant() for topic in topics])
    assert values((rec, relevant), k, DEFAULTS) == values(plain, k, DEFAULTS)

    keys = pa.array([relabel(item) for topic in topics for item in topic.truth], kind)
    ends = [sum(len(topic.truth) for topic in topics[:i]) for i in range(len(topics) + 1)]
    _, grades = arrays(topics)
    truth = pa.MapArray.from_arrays(pa.array(ends, pa.int32()), keys, grades.items)
    assert values((rec, truth), k, DEFAULTS) == values(topics, k, DEFAULTS)


@given(BATCHES, CUTS)
def test_a_repeat_is_a_miss_that_takes_up_a_rank(topics: list[Topic], k: int | None) -> None:
    blank = changed(topics, lambda topic: Topic(first_occurrences(topic.rec), topic.truth))
    assert values(topics, k) == values(blank, k)


@given(BATCHES, CUTS, st.randoms())
def test_an_item_that_truth_does_not_know_counts_like_a_null(
    topics: list[Topic], k: int | None, rng: Any
) -> None:
    def blank(topic: Topic) -> Topic:
        rec = [item if item in topic.truth else rng.choice([None, 99]) for item in topic.rec]
        return Topic(rec, topic.truth)

    assert values(topics, k) == values(changed(topics, blank), k)


@given(BATCHES, CUTS, st.randoms())
def test_the_order_the_repeats_and_the_nulls_of_truth_do_not_count(
    topics: list[Topic], k: int | None, rng: Any
) -> None:
    rec, relevant = lists([topic.rec for topic in topics]), [topic.relevant() for topic in topics]
    disorderly = [rng.sample([*items, *items, None], 2 * len(items) + 1) for items in relevant]
    assert values((rec, lists(disorderly)), k) == values((rec, lists(relevant)), k)


@given(BATCHES, CUTS)
def test_judged_items_that_are_not_relevant_count_only_where_the_definition_says_so(
    topics: list[Topic], k: int | None
) -> None:
    def positive(topic: Topic) -> Topic:
        return Topic(topic.rec, {item: grade for item, grade in topic.truth.items() if grade > 0})

    combinations = without(READS_NON_RELEVANT)
    assert values(topics, k, combinations) == values(changed(topics, positive), k, combinations)


@given(BATCHES, CUTS)
def test_a_negative_grade_is_no_worse_than_0(topics: list[Topic], k: int | None) -> None:
    def at_least_0(topic: Topic) -> Topic:
        return Topic(topic.rec, {item: max(grade, 0.0) for item, grade in topic.truth.items()})

    combinations = without(CORRELATIONS)
    assert values(topics, k, combinations) == values(changed(topics, at_least_0), k, combinations)


# --- Better and worse lists ---


def assert_no_higher(lower: Values, higher: Values, tolerance: float) -> None:
    for key, row in lower.items():
        for low, high in zip(row, higher[key], strict=True):
            assert (low is None) == (high is None), key
            assert low is None or high is None or low <= high + tolerance, key


@given(BATCHES, st.integers(1, 5), st.integers(1, 20))
def test_appending_misses_never_raises_a_measure(topics: list[Topic], misses: int, k: int) -> None:
    longer = changed(topics, lambda topic: Topic([*topic.rec, *range(100, 100 + misses)], topic.truth))
    combinations = without(GAINS_PAIRS_BY_MISSES)
    assert_no_higher(values(longer, k, combinations), values(topics, k, combinations), 0.0)


@given(BATCHES, st.integers(1, 11))
def test_moving_a_hit_up_past_a_miss_never_lowers_a_measure(topics: list[Topic], at: int) -> None:
    def swap(topic: Topic) -> Topic:
        rec = first_occurrences(topic.rec)
        if at < len(rec) and topic.truth.get(rec[at], 0) > 0 and rec[at - 1] not in topic.truth:
            rec[at - 1], rec[at] = rec[at], rec[at - 1]
        return Topic(rec, topic.truth)

    combinations = without(LOWER_IS_BETTER)
    better = values(changed(topics, swap), None, combinations)
    assert_no_higher(values(topics, None, combinations), better, CLOSE)


@given(st.dictionaries(ITEMS, st.sampled_from([0.5, 1.0, 2.0, 3.0, 4.0]), min_size=1), st.integers(1, 15))
def test_the_ideal_ranking_has_the_highest_value(truth: dict[int, float], k: int) -> None:
    topic = Topic(sorted(truth, key=lambda item: -truth[item]), truth)
    for options in WITNESSES["ndcg"].options:
        assert of("ndcg", [topic], k, options) == [1.0], dict(options)
    assert of("dcg", [topic], k) == of("ideal_dcg", [topic], k)
    for name in ("half_life_utility", "precision", "mrr", "hit_rate", "interpolated_precision"):
        assert of(name, [topic], k) == [1.0], name
    for name in ("recall", "average_precision", "f_measure", "r_precision", "bpref"):
        assert of(name, [topic]) == [1.0], name
    assert of("interpolated_average_precision", [topic]) == [1.0]
    for name in ("recall", "average_precision"):
        assert of(name, [topic], k, {"normalize": "min"}) == [1.0], name


@given(st.lists(ITEMS, unique=True, min_size=2))
def test_correlations_are_1_for_the_order_of_the_grades_and_minus_1_for_its_reverse(rec: list[int]) -> None:
    falling = Topic(rec, {item: float(-rank) for rank, item in enumerate(rec)})
    rising = Topic(rec, {item: float(rank) for rank, item in enumerate(rec)})
    correlations: list[tuple[str, Options]] = [
        ("spearman", {}),
        ("kendall_tau", {"variant": "b"}),
        ("kendall_tau", {"variant": "c"}),
    ]
    for name, options in correlations:
        assert of(name, [falling, rising], None, options) == pytest.approx([1.0, -1.0], abs=CLOSE)
    assert of("concordant_pairs", [falling, rising]) == [1.0, 0.0]


# --- Identities ---


@given(TOPICS, CUTS)
def test_average_precision_is_the_sum_of_precision_times_the_change_in_recall(
    topic: Topic, k: int | None
) -> None:
    topic = Topic(topic.rec, {**topic.truth, 0: 1.0})
    cuts = list(range(len(topic.rec) + 1))[: None if k is None else k + 1]
    precision, recall = (of(name, [topic] * len(cuts), cuts) for name in ("precision", "recall"))
    steps = [precision[r] * (recall[r] - recall[r - 1]) for r in cuts[1:]]  # type: ignore[operator]
    assert of("average_precision", [topic], k) == pytest.approx([math.fsum(steps)], abs=CLOSE)


@given(TOPICS, CUTS)
def test_measures_of_the_same_hits_fit_together(topic: Topic, k: int | None) -> None:
    topic = Topic(topic.rec, {**topic.truth, 0: 1.0})
    relevant, top = len(topic.relevant()), len(topic.rec[:k])
    found: Any = {name: of(name, [topic], k)[0] for name in MEASURES}
    assert found["recall"] * relevant == pytest.approx(found["hits"], abs=CLOSE)
    assert found["precision"] * top == pytest.approx(found["hits"], abs=CLOSE)
    assert found["hit_rate"] == (found["hits"] > 0)
    assert found["mrr"] == (1 / found["first_hit_rank"] if found["hits"] else 0)
    assert found["ndcg"] * found["ideal_dcg"] == pytest.approx(found["dcg"], abs=CLOSE)
    both = found["precision"] + found["recall"]
    assert found["f_measure"] * both == pytest.approx(2 * found["precision"] * found["recall"], abs=CLOSE)
    linear: Options = {"gain": "linear", "discount": "half_life"}
    assert of("ndcg", [topic], k, linear) == pytest.approx([found["half_life_utility"]], abs=CLOSE)


@given(TOPICS)
def test_a_list_cut_off_at_0_is_an_empty_list(topic: Topic) -> None:
    assert values([topic], 0) == values([Topic([], topic.truth)], 0)

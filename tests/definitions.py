"""Reference definitions of every measure: slow, obvious, and independent of the code under test.

Each definition has other libraries' implementations above it, and cases worked by hand in calls/measures.txt.

    WITNESSES["ndcg"].definition(ranking, k, gain="linear")   the slow value, None for SQL NULL
    WITNESSES["ndcg"].evaluate(rec, truth, k, options)        the same from plain lists and dicts
    WITNESSES["ndcg"].worked, .outside, .options              worked cases, other libraries, their options
    LIST_WITNESSES                                            measures that do not read a judged ranking
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import combinations, groupby, islice, permutations, product
from typing import Any, NamedTuple

from tests.read_calls import read

Options = Mapping[str, Any]
Value = float | None
K = int | None
Definition = Callable[..., Value]
COMPARED = 100  # topics with each outside implementation
LINEAR = {"gain": "linear"}


# --- A judged ranking, slowly --------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranking:
    """The result of `judge`: ranks and grades of the items of truth in a list, and the best possible list."""

    ranks: list[int]
    grades: list[float]
    ideal: list[float]
    size: int
    min_grade: float | None = None  # the lowest relevant grade, for measures without gains

    def is_relevant(self, grade: float) -> bool:
        return grade > 0 if self.min_grade is None else grade >= self.min_grade

    @property
    def relevant(self) -> int:
        """|truth|: how many items are relevant."""
        return sum(map(self.is_relevant, self.ideal))

    def limit(self, k: K) -> int:
        if k is not None and k < 0:
            raise ValueError(f"k must be 0 or more, got {k}")
        return self.size if k is None else k

    def top(self, k: K) -> int:
        return min(self.limit(k), self.size)

    def judged(self, k: K) -> list[tuple[int, float]]:
        """Return (rank, grade) of every item of truth in the top, relevant or not."""
        return [(r, g) for r, g in zip(self.ranks, self.grades, strict=True) if r <= self.top(k)]

    def hits(self, k: K) -> list[int]:
        """Return the ranks of the relevant items in the top."""
        return [rank for rank, grade in self.judged(k) if self.is_relevant(grade)]

    def best(self, k: K) -> list[float]:
        """Return the grades of the best possible list, cut at k (not at the length of rec)."""
        return [grade for grade in self.ideal if grade > 0][: self.limit(k)]


def judge_slowly(rec: Sequence[Any] | None, truth: Any, form: str | None = None) -> Ranking | None:
    """Judge a list by the contract. None if truth is None.

    form is "binary" (rec: items, truth: items), "map" (rec: items, truth: dict item -> grade) or "pairs"
    (rec: tuples (grade, item, ...), truth: grades); by default it is taken from the values.
    """
    if truth is None:
        return None
    rec = [] if rec is None else rec
    has_pairs = any(isinstance(item, tuple) for item in rec) and not any(isinstance(g, tuple) for g in truth)
    if form == "map" or (form is None and isinstance(truth, Mapping)):
        known = {item: _checked(grade) for item, grade in truth.items()}
    elif form == "pairs" or (form is None and has_pairs):
        return _judge_pairs(rec, truth)
    else:
        known = {item: 1.0 for item in truth if item is not None}
    ranks, grades, seen = [], [], set()
    for rank, item in enumerate(rec, start=1):
        if item is not None and item in known and item not in seen:
            ranks.append(rank)
            grades.append(known[item])
        seen.add(item)
    return Ranking(ranks, grades, sorted(known.values(), reverse=True), len(rec))


def _judge_pairs(rec: Sequence[Any], truth: Sequence[Any]) -> Ranking:
    """Judge tuples of a grade and the fields of an item; a grade alone is an item of its own.

    `map_keys` keeps one of equal grades, so truth may lack grades of rec: the ideal takes each grade as often
    as the side that has it more often. Against an empty truth nothing is known.
    """
    ranks, grades, seen = [], [], set()
    for rank, pair in enumerate(rec, start=1):
        if pair is None:
            continue
        grade, item = _checked(pair[0]), tuple(pair[1:])
        if not item or item not in seen:
            ranks.append(rank)
            grades.append(grade)
        seen.add(item)
    expected = Counter(map(_checked, truth))
    if not expected:
        return Ranking([], [], [], len(rec))
    union = expected | Counter(grades)
    return Ranking(ranks, grades, sorted(union.elements(), reverse=True), len(rec))


def _checked(grade: float | None) -> float:
    if grade is None or not math.isfinite(grade):
        raise ValueError(f"a grade must be a finite number, got {grade}")
    return float(grade)


# --- Topics ----------------------------------------------------------------------------------------------


class Topic(NamedTuple):
    """One user or query: a ranked list and the grades of the items that are judged."""

    rec: list[Any]
    truth: dict[Any, float]


def random_topics(
    seed: int, n: int, longest: int = 25, items: int = 30, most_judged: int = 20
) -> list[Topic]:
    """Draw topics with ties in grades, unjudged items, NULLs, repeated items and empty lists or truths."""
    rng, topics = random.Random(seed), []
    for _ in range(n):
        judged_items = rng.sample(range(items), rng.randint(0, most_judged))
        truth = {item: rng.choice((-1, 0, 0, 1, 1, 2, 3, 4)) for item in judged_items}
        rec: list[int | None] = []
        for item in rng.sample(range(items), rng.randint(0, min(longest, items))):
            luck = rng.random()
            if luck < 0.05:
                rec.append(None)
            elif luck < 0.1 and rec:
                rec.append(rng.choice(rec))
            else:
                rec.append(item)
        topics.append(Topic(rec, truth))
    return topics


# --- Witnesses -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Worked:
    """A case with a value that was worked by hand, or is in the documents."""

    args: tuple[Any, ...]  # rec, truth and k; those of a list measure
    expected: Value
    options: Options
    place: str  # in calls/measures.txt


def worked_cases() -> dict[str, list[Worked]]:
    """Return the cases of each measure; an identifier with a value is a constant."""
    cases: dict[str, list[Worked]] = {}
    names: dict[str, Any] = {**vars(math), "arguments": lambda *args, **options: (args, options)}
    for case in read("measures"):
        if case.call.isidentifier():
            names[case.call] = eval(case.expected, names)
        else:
            name, _, arguments = case.call.partition("(")
            args, options = eval(f"arguments({arguments}", names)
            worked = Worked(args, eval(case.expected, names), options, case.place)
            cases.setdefault(name, []).append(worked)
    return cases


WORKED = worked_cases()
Condition = Callable[[Ranking, K, Options], bool]


@dataclass(frozen=True)
class Outside:
    """Another library's implementation, and when it means the same as the contract.

    values takes many topics at once, since pytrec_eval is slow to start and fast to run.
    when tells for which rankings the library is comparable; for others it has another convention, or fails.
    """

    name: str
    module: str
    values: Callable[[Sequence[Topic], K, Options], list[float]]
    when: Condition
    options: Sequence[Options] = ({},)
    cutoffs: Sequence[K] = (1, 3, 10, 40, None)
    tolerance: float = 1e-12
    program: str | None = None

    def missing(self) -> str | None:
        """Return the package or program that is not installed, if any."""
        if importlib.util.find_spec(self.module) is None:
            return self.module
        return self.program if self.program and shutil.which(self.program) is None else None

    def comparable(self, topics: Sequence[Topic], k: K, options: Options) -> list[Topic]:
        """Return the first topics for which the library means the same."""

        def is_comparable(topic: Topic) -> bool:
            return self.when(replace(judged(topic), min_grade=options.get("min_grade")), k, options)

        return list(islice(filter(is_comparable, topics), COMPARED))


@dataclass(frozen=True)
class Witness:
    name: str
    definition: Definition
    worked: Sequence[Worked]
    outside: Sequence[Outside]
    of_judged: Options  # other defaults of judged rankings and tables

    @cached_property
    def options(self) -> list[Options]:
        """The defaults, and all options of its cases that go with grades up to 4."""
        options: list[Options] = [{}]
        for case in self.worked:
            with suppress(ValueError):
                self.definition(Ranking([1, 2], [4, 2], [4, 2], 2), None, **case.options)
                options += [case.options] if case.options not in options else []
        return options

    def judged_options(self, options: Options) -> Options:
        """Return the options that mean the same with the defaults of judged rankings."""
        defaults = self.definition.__kwdefaults__ or {}
        return {**{name: defaults[name] for name in self.of_judged}, **options}

    def of_ranking(self, ranking: Ranking, k: K, options: Options | None = None) -> Value:
        """Return the value of a judged ranking."""
        return self.definition(ranking, k, **{**self.of_judged, **(options or {})})

    def of_table(self, ranking: Ranking, k: K, options: Options | None = None) -> Value:
        """Return the value in a table, where an empty truth is one without a relevant item."""
        return self.of_ranking(ranking if ranking.ideal else replace(ranking, ideal=[0.0]), k, options)

    def evaluate(self, rec: Any, truth: Any, k: K, options: Options) -> Value:
        ranking = judge_slowly(rec, truth)
        return None if ranking is None else self.definition(ranking, k, **options)


class ListWitness(Witness):
    """A measure that does not read a judged ranking; other libraries take the same arguments."""

    def evaluate(self, *args: Any) -> Value:
        return self.definition(*args[:-1], **args[-1])


WITNESSES: dict[str, Witness] = {}
LIST_WITNESSES: dict[str, Witness] = {}


def witness(
    *outside: Outside,
    of_judged: Options | None = None,
    like: Definition | None = None,
    kind: type[Witness] = Witness,
) -> Callable[[Definition], Definition]:
    """Register the definition below by its name, with its own options and those of the function `like`.

    It has an option min_grade if a worked case has one.
    """

    def register(plain: Definition) -> Definition:
        name, definition = plain.__name__, plain
        options = {**((like and like.__kwdefaults__) or {}), **(plain.__kwdefaults__ or {})}
        plain.__kwdefaults__ = options
        worked = WORKED.get(name, [])
        if any("min_grade" in case.options for case in worked):

            @wraps(plain)
            def definition(ranking: Ranking, k: K, *, min_grade: Value = None, **rest: Any) -> Value:
                return plain(replace(ranking, min_grade=min_grade), k, **rest)

            definition.__kwdefaults__ = {**options, "min_grade": None}
        witnesses = WITNESSES if kind is Witness else LIST_WITNESSES
        witnesses[name] = kind(name, definition, worked, outside, of_judged or {})
        return plain

    return register


def judged(topic: Topic) -> Ranking:
    ranking = judge_slowly(topic.rec, topic.truth, "map")
    assert ranking is not None
    return ranking


# --- When another library is comparable ------------------------------------------------------------------


def both_sides(ranking: Ranking, k: K, options: Options) -> bool:
    """Something is recommended and something relevant: every library has its own rule for the empty cases."""
    return ranking.top(k) > 0 and ranking.relevant > 0


def some_hit(ranking: Ranking, k: K, options: Options) -> bool:
    return bool(ranking.hits(k))


def hit_and_miss(ranking: Ranking, k: K, options: Options) -> bool:
    return 0 < len(ranking.hits(k)) < ranking.top(k)


def same_recall_cutoffs(ranking: Ranking, k: K, options: Options) -> bool:
    """trec_eval 9 turns a recall into a number of hits by truncating recall * R + 0.9."""
    relevant = ranking.relevant
    points = [options["recall"]] if "recall" in options else [point / 10 for point in range(11)]
    return both_sides(ranking, k, options) and all(
        min(h for h in range(relevant + 1) if h / relevant >= point) == int(point * relevant + 0.9)
        for point in points
    )


# --- Calls of other libraries ----------------------------------------------------------------------------


def _ids(topic: Topic, k: K = None) -> list[str]:
    """Name the items of the top for another library: NULLs and repeats become unjudged items."""
    names: list[str] = []
    for rank, item in enumerate(topic.rec[:k], start=1):
        name = str(item)
        names.append(f"unjudged-{rank}" if item is None or name in names else name)
    return names


def _grades(topic: Topic, k: K, unjudged: float = 0) -> list[float]:
    """Return the grades of the top."""
    known = {str(item): grade for item, grade in topic.truth.items()}
    return [known.get(name, unjudged) for name in _ids(topic, k)]


def _run(topics: Sequence[Topic], k: K) -> dict[str, dict[str, float]]:
    ids = [_ids(topic, k) for topic in topics]
    return {str(n): {name: float(-rank) for rank, name in enumerate(names)} for n, names in enumerate(ids)}


def _qrels(topics: Sequence[Topic], graded: bool) -> dict[str, dict[str, int]]:
    """Whole grades; a negative one is "not judged" in trec_eval and "not relevant" by the contract: 0."""
    return {
        str(n): {str(item): int(max(g, 0)) if graded else int(g > 0) for item, g in topic.truth.items()}
        for n, topic in enumerate(topics)
    }


def trec_eval(
    measure: str | Callable[[Options], str],
    *,
    graded: bool = False,
    value: Callable[[float], float] = float,
    options: Sequence[Options] = ({},),
    **settings: Any,
) -> Outside:
    """Name a measure of trec_eval: cut at `{k}` if that is in the name, else of a run that is cut at k.

    A measure without grades is compared with its first options at relevance levels 2 and 3 too.
    """
    name_of = measure if callable(measure) else lambda _: measure
    has_k = "{k}" in (name := name_of({}))

    def values(topics: Sequence[Topic], k: K, options: Options) -> list[float]:
        import pytrec_eval

        level = math.ceil(options.get("min_grade", 1))
        run, qrels = _run(topics, None if has_k else k), _qrels(topics, graded or level > 1)
        asked = name_of(options).format(k=k)
        found = pytrec_eval.RelevanceEvaluator(qrels, {asked}, relevance_level=level).evaluate(run)
        return [value(next(iter(found[str(n)].values()))) for n in range(len(topics))]

    levels = [] if graded else [{**options[0], "min_grade": level} for level in (2, 2.5)]
    settings = {"when": both_sides, **({"cutoffs": (1, 3, 10, 40)} if has_k else {}), **settings}
    return Outside(f"trec_eval {name}", "pytrec_eval", values, options=[*options, *levels], **settings)


def _gain_of_levels(topics: Sequence[Topic], k: K, options: Options) -> list[float]:
    """Sum hits over levels: a whole grade is the number of levels that it reaches."""
    hits = trec_eval("num_rel_ret", graded=True)
    levels = [hits.values(topics, k, {"min_grade": level}) for level in (1, 2, 3, 4)]
    return [sum(reached) for reached in zip(*levels, strict=True)]


def ir_measures(measure: str, provider: str, *, graded: bool = False, **settings: Any) -> Outside:
    """Name a measure of ir_measures as it is written there."""

    def values(topics: Sequence[Topic], k: K, options: Options) -> list[float]:
        import ir_measures

        parsed = ir_measures.parse_measure(measure) @ (k or 1000)
        found = getattr(ir_measures, provider).iter_calc([parsed], _qrels(topics, graded), _run(topics, None))
        by_topic = {result.query_id: result.value for result in found}
        return [by_topic[str(n)] for n in range(len(topics))]

    if provider == "gdeval":  # gdeval prints five decimals
        settings |= {"tolerance": 0.5001e-5, "program": "perl"}
    settings = {"when": both_sides, "cutoffs": (1, 3, 10, 40), **settings}
    return Outside(f"ir_measures {provider} {measure}", "ir_measures", values, **settings)


def by_topic(
    name: str,
    value: Callable[[Topic, K, Options], float],
    when: Condition = both_sides,
    cutoffs: Sequence[K] = (5, None),
    **settings: Any,
) -> Outside:
    """Call a function for each topic; the first word of the name is the module."""

    def values(topics: Sequence[Topic], k: K, options: Options) -> list[float]:
        return [float(value(topic, k, options)) for topic in topics]

    return Outside(name, name.split()[0], values, when, cutoffs=cutoffs, **settings)


def _cwl_rbp(topic: Topic, k: K, options: Options) -> float:
    import numpy as np

    cwl = importlib.import_module("cwl.ruler.cwl_ruler")
    is_graded, highest = options.get("gain") == "graded", options.get("max_grade", 4)
    gains = [max(g, 0) / highest if is_graded else float(g > 0) for g in _grades(topic, k)]
    metric = cwl.RBPCWLMetric(options.get("persistence", 0.8))
    return float(metric.measure(cwl.Ranking("topic", np.array(gains), np.ones(len(gains)))))


def scipy_correlation(function: str, value: Callable[[float], float] = float, **settings: Any) -> Outside:
    """Correlate minus the rank with the grade by SciPy, over the judged items of the top."""

    def correlation(topic: Topic, k: K, options: Options) -> float:
        import scipy.stats

        top = [(-rank, g) for rank, g in enumerate(_grades(topic, k, math.nan)) if not math.isnan(g)]
        order, grades = zip(*top, strict=True)
        # somersd counts pairs tied in its first argument out, which must then be the grades
        args = (grades, order) if function == "somersd" else (order, grades)
        return value(getattr(scipy.stats, function)(*args, **options).statistic)

    def has_two_grades(ranking: Ranking, k: K, options: Options) -> bool:
        return len({grade for _, grade in ranking.judged(k)}) > 1

    return by_topic(f"scipy {function}", correlation, has_two_grades, (10, None), **settings)


def _sklearn(function: str, *args: Any, **settings: Any) -> float:
    import sklearn.metrics

    with sklearn.config_context(skip_parameter_validation=True):
        return float(getattr(sklearn.metrics, function)(*args, **settings))


def sklearn_dcg(function: str, *, ideal: bool = False) -> Outside:
    """Pass gains in ranked order, padded to k with zeros, then those of the truth that was not retrieved."""

    def value(topic: Topic, k: K, options: Options) -> float:
        limit = len(topic.rec) if k is None else k
        names, grades = _ids(topic), _grades(topic, None)
        grades += [0.0] * max(limit - len(grades), 2)
        grades += [grade for item, grade in topic.truth.items() if str(item) not in names]
        linear = options.get("gain") == "linear"
        gains = [max(grade, 0) if linear else 2 ** max(grade, 0) - 1 for grade in grades]
        scores = gains if ideal else range(len(gains), 0, -1)
        return _sklearn(function, [gains], [list(scores)], k=limit, ignore_ties=True)

    name = f"sklearn {function}{' of the ideal' if ideal else ''}"
    return by_topic(name, value, cutoffs=(5, 40, None), options=[{"gain": "exp"}, LINEAR])


def sklearn_labels(function: str, when: Condition, options: Options) -> Outside:
    """Name a measure of scikit-learn over one list: labels are hit or miss, the score falls with the rank."""

    def value(topic: Topic, k: K, options: Options) -> float:
        labels = [grade > 0 for grade in _grades(topic, k)]
        return _sklearn(function, labels, range(len(labels), 0, -1))

    return by_topic(f"sklearn {function}", value, when, options=[options])


def _scipy_pdist(vectors: Sequence[Sequence[Any]], *, distance: str = "cosine") -> float:
    import numpy as np
    from scipy.spatial.distance import pdist

    if distance == "jaccard":
        categories = sorted({category for vector in vectors for category in vector})
        sets = [[category in vector for category in categories] for vector in vectors]
        return float(pdist(np.array(sets, dtype=bool), "jaccard").mean())
    return float(pdist(np.array(vectors, dtype=float), distance).mean())


# --- Shared arithmetic -----------------------------------------------------------------------------------


def _by_emptiness(ranking: Ranking, k: K) -> float:
    """Return 1 for an empty list if truth has no item at all, else 0: the value without a hit."""
    return 1.0 if ranking.top(k) == 0 and not ranking.ideal else 0.0


def _gain(grade: float, gain: str) -> float:
    assert gain in ("linear", "exp")
    positive = max(grade, 0.0)
    return positive if gain == "linear" else math.expm1(positive * math.log(2))


def _weight(rank: int, discount: str, base: float, half_life: float) -> float:
    return {
        "log2": 1 / math.log2(rank + 1),
        "original": 1 / max(1.0, math.log2(rank) / math.log2(base)),
        "half_life": 2 ** (-(rank - 1) / (half_life - 1)),
    }[discount]


def _discounted(
    ranked: Iterable[tuple[int, float]],
    *,
    gain: str = "exp",
    discount: str = "log2",
    base: float = 2,
    half_life: float = 5,
) -> float:
    """Sum of gain over discount of (rank, grade)."""
    return math.fsum(_gain(grade, gain) * _weight(rank, discount, base, half_life) for rank, grade in ranked)


def _check_grades(ranking: Ranking, max_grade: float) -> None:
    if any(grade > max_grade for grade in ranking.ideal):
        raise ValueError(f"a grade is above max_grade={max_grade}")


def _average_ranks(values: Sequence[float]) -> list[float]:
    """Ascending ranks from 1; equal values share the mean of their ranks."""
    ascending, count = sorted(values), Counter(values)
    first = {value: rank for rank, value in reversed([*enumerate(ascending, start=1)])}
    return [first[value] + (count[value] - 1) / 2 for value in values]


def _pairs(ranking: Ranking, k: K) -> tuple[int, int, int]:
    """Pairs of judged items of the top: in the right order, in the wrong order, of equal grade."""
    counts = Counter((a > b) - (a < b) for a, b in combinations([grade for _, grade in ranking.judged(k)], 2))
    return counts[1], counts[-1], counts[0]


def _cosine_distance(a: Sequence[float], b: Sequence[float]) -> float:
    length_a, length_b = math.hypot(*a), math.hypot(*b)
    if length_a == 0 or length_b == 0:
        return 1.0
    return 1 - math.fsum((x / length_a) * (y / length_b) for x, y in zip(a, b, strict=True))


def _jaccard_distance(a: Sequence[Any], b: Sequence[Any]) -> float:
    either = set(a) | set(b)
    return 1 - len(set(a) & set(b)) / len(either) if either else 0.0


# --- The measures ----------------------------------------------------------------------------------------
#
# Conventions of other libraries are in measures/formulas.py, their calls in tests/coming_from.toml.


@witness(trec_eval("recall.{k}"), trec_eval("set_recall"))
def recall(ranking: Ranking, k: K, *, normalize: str = "truth") -> Value:
    """Share of the relevant items that the top has."""
    if ranking.relevant == 0 or ranking.top(k) == 0:
        return _by_emptiness(ranking, k)
    possible = {"truth": ranking.relevant, "min": min(ranking.relevant, ranking.limit(k))}[normalize]
    return len(ranking.hits(k)) / possible


@witness(
    trec_eval("P.{k}", options=[{"divide": "k"}]),
    trec_eval("set_P", options=[{}, {"divide": "list"}]),
    of_judged={"divide": "k"},
)
def precision(ranking: Ranking, k: K, *, divide: str = "list") -> Value:
    """Share of the top that is relevant."""
    if ranking.relevant == 0 or ranking.top(k) == 0:
        return _by_emptiness(ranking, k)
    return len(ranking.hits(k)) / {"list": ranking.top(k), "k": ranking.limit(k)}[divide]


@witness(
    trec_eval(
        lambda options: f"set_F.{options.get('beta', 1) ** 2}",
        options=[{}, {"beta": 1}, {"beta": 2}, {"beta": 0.5}],
    ),
    of_judged={"divide": "k"},
)
def f_measure(ranking: Ranking, k: K, *, beta: float = 1, divide: str = "list") -> Value:
    """Harmonic mean of precision and recall, recall weighing beta times as much (van Rijsbergen 1979)."""
    p, r = precision(ranking, k, divide=divide) or 0.0, recall(ranking, k) or 0.0
    return 0.0 if p == r == 0 else (1 + beta**2) * p * r / (beta**2 * p + r)


@witness(
    trec_eval("map_cut.{k}"),
    trec_eval("map", options=[{"normalize": "truth"}]),
    sklearn_labels("average_precision_score", some_hit, {"normalize": "hits"}),
)
def average_precision(ranking: Ranking, k: K, *, normalize: str = "truth") -> Value:
    """Mean over the relevant items of the precision at their ranks; an item that is not found adds 0."""
    hits, limit = ranking.hits(k), ranking.limit(k)
    if not hits:
        return _by_emptiness(ranking, k)
    divisors = {"truth": ranking.relevant, "min": min(ranking.relevant, limit), "hits": len(hits), "k": limit}
    return math.fsum(n / rank for n, rank in enumerate(hits, start=1)) / divisors[normalize]


@witness(
    sklearn_labels("roc_auc_score", hit_and_miss, {}),
    ir_measures("Accuracy", "accuracy", when=hit_and_miss, cutoffs=(5, None)),
)
def auc(ranking: Ranking, k: K) -> Value:
    """Share of the pairs of a hit and a miss within the top that have the hit first; 0.5 without a pair.

    scikit-learn raises or warns if one class is missing; ir_measures leaves such topics out, or fails.
    """
    hits = ranking.hits(k)
    misses = sorted(set(range(1, ranking.top(k) + 1)) - set(hits))
    if not hits or not misses:
        return 0.5
    return sum(hit < miss for hit in hits for miss in misses) / (len(hits) * len(misses))


@witness(trec_eval("recip_rank"), ir_measures("RR", "msmarco"))
def mrr(ranking: Ranking, k: K) -> Value:
    """One over the rank of the first relevant item, 0 if there is none."""
    hits = ranking.hits(k)
    return 1 / hits[0] if hits else 0.0


@witness(trec_eval("success.{k}"))
def hit_rate(ranking: Ranking, k: K) -> Value:
    """1 if the top has any relevant item, else 0."""
    return 1.0 if ranking.hits(k) else 0.0


@witness(trec_eval("recall.{k}", value=lambda found: float(found == 1)))
def recall_all(ranking: Ranking, k: K) -> Value:
    """1 if the top has every relevant item, else 0."""
    return 1.0 if len(ranking.hits(k)) == ranking.relevant > 0 else 0.0


@witness(trec_eval("num_rel_ret"))
def hits(ranking: Ranking, k: K) -> Value:
    """Count the relevant items in the top."""
    return float(len(ranking.hits(k)))


@witness(trec_eval("recip_rank", value=lambda found: 1 / found, when=some_hit, cutoffs=(3, 10, None)))
def first_hit_rank(ranking: Ranking, k: K) -> Value:
    """Rank of the first relevant item, NULL if the top has none."""
    hits = ranking.hits(k)
    return float(hits[0]) if hits else None


@witness(sklearn_dcg("dcg_score"), like=_discounted)
def dcg(ranking: Ranking, k: K, **options: Any) -> Value:
    """Sum of gain over discount to rank k (Burges et al. 2005; Jarvelin and Kekalainen 2002)."""
    return _discounted(ranking.judged(k), **options)


@witness(sklearn_dcg("dcg_score", ideal=True), like=_discounted)
def ideal_dcg(ranking: Ranking, k: K, **options: Any) -> Value:
    """DCG of the best possible list of min(k, |truth|) items."""
    return _discounted(enumerate(ranking.best(k), start=1), **options)


@witness(
    trec_eval("ndcg_cut.{k}", graded=True, options=[LINEAR]),
    trec_eval("ndcg", graded=True, options=[{**LINEAR, "ideal": "truth"}]),
    sklearn_dcg("ndcg_score"),
    ir_measures("nDCG(dcg='exp-log2')", "gdeval", graded=True),
    like=_discounted,
)
def ndcg(ranking: Ranking, k: K, *, ideal: str = "cut", **options: Any) -> Value:
    """DCG divided by the ideal DCG; 0 if the ideal is 0."""
    best = ranking.best(len(ranking.ideal) if ideal == "truth" else k)
    if ideal == "k":
        if any(grade > 0 and grade != 1 for grade in ranking.ideal):
            raise ValueError("a grade above 0 is not 1")
        best = [1.0] * ranking.limit(k)
    possible = _discounted(enumerate(best, start=1), **options)
    return _discounted(ranking.judged(k), **options) / possible if possible > 0 else 0.0


@witness(Outside("trec_eval num_rel_ret over levels", "pytrec_eval", _gain_of_levels, both_sides))
def cumulative_gain(ranking: Ranking, k: K, *, gain: str = "linear") -> Value:
    """Sum of the gains of the top (Jarvelin and Kekalainen 2002)."""
    return math.fsum(_gain(grade, gain) for _, grade in ranking.judged(k))


@witness(ir_measures("ERR", "gdeval", graded=True, cutoffs=(1, 3, 10, 40, None)))
def err(ranking: Ranking, k: K, *, max_grade: float = 4) -> Value:
    """Sum of the chance to stop at each rank over the rank; an item stops with (2^g - 1) / 2^max_grade."""
    _check_grades(ranking, max_grade)
    value, reading_on = 0.0, 1.0
    for rank, grade in ranking.judged(k):
        stops = _gain(grade, "exp") / 2**max_grade
        value += reading_on * stops / rank
        reading_on *= 1 - stops
    return value


CWL = [{}, {"gain": "graded"}, {"persistence": 0.5, "gain": "graded", "max_grade": 5}]


@witness(by_topic("cwl RBP", _cwl_rbp, options=CWL))
def rbp(
    ranking: Ranking, k: K, *, persistence: float = 0.8, gain: str = "binary", max_grade: float = 4
) -> Value:
    """Rank-biased precision (Moffat and Zobel 2008); gain=graded divides the grade by max_grade."""
    shares = [(rank, 1.0) for rank in ranking.hits(k)]
    if gain == "graded":
        _check_grades(ranking, max_grade)
        shares = [(rank, max(grade, 0) / max_grade) for rank, grade in ranking.judged(k)]
    return (1 - persistence) * math.fsum(share * persistence ** (rank - 1) for rank, share in shares)


@witness()
def half_life_utility(ranking: Ranking, k: K, *, half_life: float = 5, neutral: float = 0) -> Value:
    """Return the utility if half of the readers stop every half_life ranks, over that of the best list."""

    def utility(ranked: Iterable[tuple[int, float]]) -> float:
        return math.fsum(max(g - neutral, 0) * 2 ** (-(r - 1) / (half_life - 1)) for r, g in ranked if g > 0)

    if neutral < 0:
        raise ValueError(f"neutral must be 0 or more, got {neutral}")
    best = utility(enumerate(ranking.best(k), start=1))
    return utility(ranking.judged(k)) / best if best > 0 else 0.0


@witness(trec_eval("Rprec"))
def r_precision(ranking: Ranking, k: K) -> Value:
    """Hits in the top |truth|, divided by |truth|."""
    relevant = ranking.relevant
    if relevant == 0:
        return _by_emptiness(ranking, k)
    return sum(rank <= relevant for rank in ranking.hits(k)) / relevant


@witness(trec_eval("bpref"))
def bpref(ranking: Ranking, k: K) -> Value:
    """For each relevant item found, the share of judged non-relevant items that it beats (Buckley 2004).

    By the formula of trec_eval since 8.0, an item with none above adds 1, so that N = 0 gives recall.
    """
    relevant = ranking.relevant
    nonrelevant = len(ranking.ideal) - relevant
    value, above = 0.0, 0
    for _, grade in ranking.judged(k):
        if not ranking.is_relevant(grade):
            above += 1
        else:
            value += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1
    return value / relevant if relevant else 0.0


@witness(ir_measures("Judged", "judged", graded=True))
def judged_share(ranking: Ranking, k: K) -> Value:
    """Share of the top that truth has a grade for."""
    return len(ranking.judged(k)) / ranking.top(k) if ranking.top(k) else 0.0


@witness(
    trec_eval(
        lambda options: f"iprec_at_recall.{options.get('recall', 0.0)}",
        when=same_recall_cutoffs,
        options=[{"recall": recall} for recall in (0.0, 0.1, 0.3, 0.7, 1.0)],
    )
)
def interpolated_precision(ranking: Ranking, k: K, *, recall: float = 0.0) -> Value:
    """Return the highest precision at any rank with at least that recall, 0 if it is never reached.

    "At least" is hits / |truth| >= recall, as a quotient of doubles: 3 of 10 reaches 0.3.
    """
    found, relevant = set(ranking.hits(k)), ranking.relevant
    so_far, best = 0, 0.0
    for rank in range(1, ranking.top(k) + 1):
        so_far += rank in found
        if relevant > 0 and so_far / relevant >= recall:
            best = max(best, so_far / rank)
    return best


@witness(trec_eval("11pt_avg", when=same_recall_cutoffs))
def interpolated_average_precision(ranking: Ranking, k: K) -> Value:
    """Mean of the interpolated precision at recall 0.0, 0.1 .. 1.0; the points are n / 10, not n * 0.1."""
    return math.fsum(interpolated_precision(ranking, k, recall=n / 10) or 0.0 for n in range(11)) / 11


@witness(scipy_correlation("spearmanr"))
def spearman(ranking: Ranking, k: K) -> Value:
    """Correlation of the order with the order by grade, over judged items of the top; ties share ranks."""
    judged = ranking.judged(k)
    order = _average_ranks([-float(rank) for rank, _ in judged])
    grades = _average_ranks([grade for _, grade in judged])
    if len(set(grades)) < 2:
        return None
    mean = (len(judged) + 1) / 2
    together = math.fsum((a - mean) * (b - mean) for a, b in zip(order, grades, strict=True))
    spread = math.fsum((a - mean) ** 2 for a in order) * math.fsum((b - mean) ** 2 for b in grades)
    return together / math.sqrt(spread)


@witness(scipy_correlation("kendalltau", options=[{"variant": "b"}, {"variant": "c"}]))
def kendall_tau(ranking: Ranking, k: K, *, variant: str = "b") -> Value:
    """Right minus wrong pairs, over the judged items of the top; the order has no ties, grades may.

    b divides by the geometric mean of the pairs untied on each side (Kendall 1945), c by n^2 (m-1) / 2m with
    m the number of different grades (Stuart 1953).
    """
    right, wrong, tied = _pairs(ranking, k)
    if right + wrong == 0:
        return None
    n, m = len(ranking.judged(k)), len({grade for _, grade in ranking.judged(k)})
    everything = n * (n - 1) / 2
    divisor = {"b": math.sqrt(everything * (everything - tied)), "c": n**2 * (m - 1) / m / 2}[variant]
    return (right - wrong) / divisor


@witness(scipy_correlation("somersd", lambda d: (1 + d) / 2))
def concordant_pairs(ranking: Ranking, k: K) -> Value:
    """Share of the pairs of judged items with different grades that are in the right order."""
    right, wrong, _ = _pairs(ranking, k)
    return right / (right + wrong) if right + wrong else None


# --- Measures that do not read a judged ranking ----------------------------------------------------------


@witness(Outside("scipy pdist", "scipy", _scipy_pdist, both_sides), kind=ListWitness)
def intra_list_diversity(
    vectors: Sequence[Sequence[Any] | None] | None, *, distance: str = "cosine"
) -> Value:
    """Mean distance between two items of a list (Ziegler et al. 2005); NULL without a pair.

    A NULL vector is left out; vectors of different lengths are an error. LensKit's ILS is one minus the
    cosine form, with 1 for a single item and NaN for none; RecTools has Hamming distance and 0 for a single
    item. A zero vector has cosine distance 1 to everything, as in scikit-learn (SciPy: NaN). Two empty sets
    have Jaccard distance 0, as in SciPy.
    """
    items = [vector for vector in vectors or [] if vector is not None]
    if distance != "jaccard" and len({len(vector) for vector in items}) > 1:
        raise ValueError("vectors differ in length")
    apart = {"cosine": _cosine_distance, "euclidean": math.dist, "jaccard": _jaccard_distance}[distance]
    pairs = list(combinations(items, 2))
    return math.fsum(apart(a, b) for a, b in pairs) / len(pairs) if pairs else None


@witness(kind=ListWitness)
def novelty(
    rec: Sequence[Any] | None, popularity: Mapping[Any, float] | None, *, missing: str = "error"
) -> Value:
    """Mean self-information of the items, -log2 of the share of users or events; NULL without an item.

    Zhou (2010), Castells et al. (2011). Libraries differ on an item that popularity lacks: RecTools counts it
    as known to one user and LensKit (popularity rank) as the least popular, so missing=rarest gives it the
    smallest share of the map; Microsoft's recommenders adds 0 for it, as if everybody knew it. The true value
    is infinite, so by default it is an error.
    """
    if popularity is None:
        return None
    if any(share is None or not 0 < share <= 1 for share in popularity.values()):
        raise ValueError("a share must be above 0 and at most 1")
    items = list(dict.fromkeys(item for item in rec or [] if item is not None))
    if missing == "error" and any(item not in popularity for item in items):
        raise ValueError("an item is missing from popularity")
    shares = [popularity.get(item, min(popularity.values())) for item in items]
    return math.fsum(-math.log2(share) for share in shares) / len(shares) if shares else None


# --- Lists of tables ---------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Rows of item and score in rec, and the grades of the judged items, of one user."""

    rows: Sequence[tuple[Any, float | None]]
    truth: dict[Any, float]

    def ranking(self) -> Ranking:
        """Return the judged list of sorted rows: of equal scores the lowest item first; NULL and NaN last."""
        by_item = sorted(self.rows, key=lambda row: (row[0] is None, row[0] or 0))
        return judged(Topic([item for item, _ in sorted(by_item, key=best_first)], self.truth))

    def rankings(self) -> list[tuple[Ranking, int]]:
        """Return the judged lists that ties allow, and how many orders lead to each; copies are last."""
        of_ties = []
        for _, equal in groupby(sorted(self.rows, key=best_first), best_first):
            tie = [item for item, _ in equal]
            items = [item for i, item in enumerate(tie) if item is None or item not in tie[:i]]
            of_ties.append([[*order, *[None] * (len(tie) - len(items))] for order in permutations(items)])
        orders, by_ranks = Counter[tuple[float, ...]](), dict[tuple[float, ...], Ranking]()
        for order in product(*of_ties):
            ranking = judged(Topic([item for tie in order for item in tie], self.truth))
            key = (*ranking.ranks, *ranking.grades)
            by_ranks[key] = ranking
            orders[key] += 1
        return [(by_ranks[key], n) for key, n in orders.items()]


def best_first(row: tuple[Any, float | None]) -> float:
    return math.inf if row[1] is None or math.isnan(row[1]) else -row[1]


def condensed(ranking: Ranking) -> Ranking:
    """Return the list without items that are not in truth."""
    size = len(ranking.ranks)
    return replace(ranking, ranks=[*range(1, size + 1)], size=size)


def mean_of_orders(name: str, rankings: Sequence[tuple[Ranking, int]], k: K, options: Options) -> Value:
    """Return the mean of a measure over these lists; one list may have no value."""
    values = [(WITNESSES[name].of_table(ranking, k, options), orders) for ranking, orders in rankings]
    if len(values) == 1:
        return values[0][0]
    return math.fsum(orders * (value or 0) for value, orders in values) / sum(orders for _, orders in values)


def random_rows(draw: random.Random, n: int, longest: int) -> list[Rows]:
    """Draw from few scores and items: ties, repeated items, NULLs and NaNs; truth with and without grades."""
    cases = []
    items: list[int | None] = [*range(max(8, longest)), None]
    for _ in range(n):
        few: Any = [[1.0], [1.0, 2.0], [None, math.nan, 1.0, 2.0, 2.0, 3.0]]
        scores: Any = draw.choice([*few, [x / 7 for x in range(-500, 500)]])
        rows = [(draw.choice(items), draw.choice(scores)) for _ in range(draw.randint(0, longest))]
        grades = draw.choice([[1], [-1, 0, 1, 1, 2, 3, 0.5]])
        judged = draw.sample(range(8), draw.randint(0, 6))
        cases.append(Rows(rows, {item: draw.choice(grades) for item in judged}))
    return cases

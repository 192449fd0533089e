"""The measures: one pure function each, from a batch of rankings cut at k to one number per ranking.

`Rankings` explains the terms. In every measure k is the cutoff. Without k, or with k NULL or beyond the list,
a measure uses the whole list; with k = 0, an empty one. Only the first occurrence of an item can be a hit; a
repeated item is a miss and keeps its rank, like a NULL. Items of grade 0 or less are judged but not relevant;
with the option min_grade, so are all items below that grade. Truth is empty if it has no item at all. The
result is NULL if truth is NULL. A rec that is NULL counts as an empty list.

Each docstring has the formula, differences from other tools, the source, and an example that the tests run.
The line above has the options, the range and the value of the undefined case. The reference is generated from
both. In the formulas, r runs over the ranks 1..min(k, |rec|). g(r) is the grade of the item at rank r, 0 if
it is not relevant. rel(r) is 1 if that item is relevant, else 0. P(r) is the precision of the first r items.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

from . import ragged
from .arrays import Bools, Floats, Ints, np
from .ragged import ratio
from .rankings import Ranked, Rankings
from .registry import Empty, InputError, Number, OneOf, Option, Range, measure

GRADE = Number(4.0, above=0.0, at_most=1000.0)
DISCOUNTED_GAIN: dict[str, Option] = {
    "gain": OneOf("exp", "linear"),
    "discount": OneOf("log2", "original", "half_life"),
    "base": Number(2.0, above=1.0, only_with=("discount", "original")),
    "half_life": Number(5.0, above=1.0, only_with=("discount", "half_life")),
}
BOTH_EMPTY = Empty(0, both=1)
LONGEST_FULL = 10_000  # ranks of an ideal ranking with ideal=k
DIVIDE: dict[str, Option] = {"divide": OneOf("list", "k", of_judged="k")}
MIN_GRADE: dict[str, Option] = {"min_grade": Number(None, above=0.0)}  # affects relevance, not gains


def unless_empty(rankings: Rankings, values: Floats) -> Floats:
    """Replace the values of rankings with empty truth: by 1 for an empty list and 0 for any other list.

    A truth with items, but without a relevant one, is not empty: an empty list then scores 0.
    """
    return np.where(np.diff(rankings.judged.ideal_offsets) > 0, values, rankings.top == 0)


@measure(
    "recall_at", options={"normalize": OneOf("truth", "min")} | MIN_GRADE, empty=BOTH_EMPTY, expected=True
)
def recall(rankings: Rankings, *, normalize: str) -> Floats:
    """Share of the relevant items that are in the top k.

    hits / |truth|. With normalize=min, hits / min(|truth|, k), so that a list of k items can reach 1.

    Source: Hivemall, "Ranking Problems"; Manning, Raghavan and Schuetze (2008), section 8.3.

    >>> SELECT recall([1, 3, 2, 6], [1, 2, 4], 2)
    0.3333333333333333
    """
    relevant = rankings.n_relevant
    whole = np.minimum(relevant, rankings.k) if normalize == "min" else relevant
    return unless_empty(rankings, ratio(rankings.n_hits, whole))


@measure("precision_at", options=DIVIDE | MIN_GRADE, empty=BOTH_EMPTY, expected=True)
def precision(rankings: Rankings, *, divide: str) -> Floats:
    """Share of the top k that is relevant.

    With divide=k, hits / k, even for a shorter list. With divide=list, hits / min(k, |rec|), which rewards
    short lists. Without k, both divide by |rec|.

    The name is a keyword of DuckDB: write "precision"(...) or `precision_at(...)`.

    Source: Hivemall, "Ranking Problems"; Manning, Raghavan and Schuetze (2008), section 8.3.

    >>> SELECT "precision"([1, 3, 2], [1, 2, 4], 5, 'divide=k')
    0.4
    """
    divisor = rankings.k if divide == "k" else rankings.top
    return unless_empty(rankings, ratio(rankings.n_hits, divisor))


@measure(
    "f1_score",
    "f1",
    "f_score",
    title="F-measure",
    options={"beta": Number(1.0, at_least=0.0)} | DIVIDE | MIN_GRADE,
    empty=BOTH_EMPTY,
    expected=True,
)
def f_measure(rankings: Rankings, *, beta: float, divide: str) -> Floats:
    """Harmonic mean of precision and recall at k, with recall weighted beta times as much.

    (1 + beta^2) P R / (beta^2 P + R), with R = hits / |truth| and the precision P by `divide`; 0 without a
    hit.

    The parameter of trec_eval's set_F is beta^2.

    Source: van Rijsbergen (1979), Information Retrieval, chapter 7.

    >>> SELECT f_measure([1, 3, 2, 6], [1, 2, 4], 4)
    0.5714285714285714
    """
    # With P and R inserted, a common factor cancels: (1 + b^2) hits / (b^2 |truth| + divisor).
    weight = min(beta, 1e100) ** 2  # finite; for a larger beta, this equals recall to the last digit
    divisor = rankings.k if divide == "k" else rankings.top
    score = ratio((1 + weight) * rankings.n_hits, weight * rankings.n_relevant + divisor)
    return unless_empty(rankings, np.minimum(score, 1))  # rounding may take it above


@measure("hitrate", "success", options=MIN_GRADE, range=Range(0, 1, integers=True), expected=True)
def hit_rate(rankings: Rankings) -> Floats:
    """1 if at least one relevant item is in the top k, else 0.

    Source: Hivemall (`hitrate`); trec_eval (success_k); Deshpande and Karypis (2004).

    >>> SELECT hit_rate([3, 1, 2, 6], [1, 2, 4], 1)
    0.0
    """
    return (rankings.n_hits > 0).astype(np.float64)


@measure("all_recall", options=MIN_GRADE, range=Range(0, 1, integers=True), expected=True)
def recall_all(rankings: Rankings) -> Floats:
    """1 if every relevant item is in the top k, else 0.

    Use it if an answer needs several passages. LongMemEval calls hit_rate recall_any, and its recall_all is 1
    without a relevant item.

    Source: Wu et al. (2025), LongMemEval; Gutierrez et al. (2024), HippoRAG (all-recall).

    >>> SELECT recall_all([3, 1, 2, 6], [1, 2], 3)
    1.0
    """
    is_all: Bools = (rankings.n_hits == rankings.n_relevant) & (rankings.n_relevant > 0)
    return is_all.astype(np.float64)


@measure(options=MIN_GRADE, range=Range(0, integers=True), expected=True)
def hits(rankings: Rankings) -> Floats:
    """Number of relevant items in the top k.

    Source: trec_eval (num_rel_ret).

    >>> SELECT hits([1, 3, 2, 6], [1, 2, 4])
    2.0
    """
    return rankings.n_hits.astype(np.float64)


@measure("reciprocal_rank", "recip_rank", "rr", title="MRR", options=MIN_GRADE, expected=True)
def mrr(rankings: Rankings) -> Floats:
    """Reciprocal rank of the first relevant item in the top k; its mean over users is the MRR.

    1 / first_hit_rank; 0 without a hit.

    Source: Hivemall, "Ranking Problems"; Voorhees (1999), the TREC-8 question answering track report.

    >>> SELECT mrr([3, 1, 2, 6], [1, 2, 4])
    0.5
    """
    first = rankings.hits.number == 1
    return rankings.total(first / rankings.hits.rank)


@measure(options=MIN_GRADE, range=Range(1, integers=True), empty=Empty(None, "a hit"), higher_is_better=False)
def first_hit_rank(rankings: Rankings) -> Floats:
    """Rank of the first relevant item in the top k.

    Source: the n_tp of Hivemall, "Ranking Problems", section MRR.

    >>> SELECT first_hit_rank([3, 1, 2, 6], [1, 2, 4])
    2.0
    """
    first = rankings.hits.number == 1
    rank = rankings.total(np.where(first, rankings.hits.rank, 0))
    return np.where(rankings.n_hits > 0, rank, np.nan)


@measure(
    "ap",
    title="MAP",
    options={"normalize": OneOf("truth", "min", "hits", "k")} | MIN_GRADE,
    empty=BOTH_EMPTY,
    expected=True,
)
def average_precision(rankings: Rankings, *, normalize: str) -> Floats:
    """Mean of the precision at each relevant item; its mean over users is the MAP.

    sum over r of P(r) rel(r), divided by |truth|. The divisor is min(|truth|, k) with normalize=min, the hits
    in the top k with normalize=hits, and k with normalize=k.

    LensKit divides by min(|truth|, |rec|), which no option gives for a list shorter than k.

    Source: Hivemall, "Ranking Problems"; Buckley and Voorhees (2000).

    >>> SELECT average_precision([1, 3, 2, 6], [1, 2, 4])
    0.5555555555555555
    """
    hits = rankings.hits
    limit, relevant = rankings.k, rankings.n_relevant
    wholes = {"truth": relevant, "min": np.minimum(relevant, limit), "hits": rankings.n_hits, "k": limit}
    return unless_empty(rankings, ratio(rankings.total(hits.number / hits.rank), wholes[normalize]))


@measure("roc_auc", title="AUC", options=MIN_GRADE, empty=Empty(0.5, "a pair"), expected=True)
def auc(rankings: Rankings) -> Floats:
    """How often, in the top k, a relevant item ranks above a non-relevant one.

    sum over hits of the misses below it, divided by hits * (min(k, |rec|) - hits).

    Items outside the list do not count, so at a cutoff, short lists of few hits score high: ten hits of ten
    score 0.5, one hit above nine misses 1. Use it for whole lists. Over a list of all items, it is the area
    under the ROC curve.

    Source: Hivemall, "Ranking Problems"; Rendle et al. (2009).

    >>> SELECT auc([1, 3, 2, 6], [1, 2, 4])
    0.75
    """
    hits = rankings.hits
    misses = rankings.top - rankings.n_hits
    pairs = rankings.n_hits * misses
    above = hits.rank - hits.number  # the misses above each hit
    return ratio(pairs - rankings.total(above), pairs, otherwise=0.5)


def gains(grades: Floats, gain: str) -> Floats:
    """Return the gain of each grade: 2^grade - 1, or the grade itself."""
    if gain == "linear":
        return grades
    if grades.max(initial=0) > 1000:
        rule = "1000 or less with gain=exp (gain=linear takes any)"
        raise InputError(f"a grade must be {rule}, got {grades.max():g}")
    exp = np.exp2(grades) - 1  # exact for integers
    small = grades < 1  # exp2 - 1 would lose their digits
    if small.any():
        exp[small] = np.expm1(grades[small] * math.log(2))
    return exp


@cache
def logarithm_table(bits: int) -> Floats:
    """Return ln of 0 (as 0), 1, ..., 2^bits - 1."""
    return np.array([0.0, *map(math.log, range(1, 1 << bits))])


def logarithms(ranks: Ints) -> Floats:
    """Return ln of each rank, by the C library: NumPy's last bit varies with version and processor."""
    bits = int(ranks.max(initial=255)).bit_length()
    # For more bits, a table costs more than the last bit is worth.
    found: Floats = np.log(ranks) if bits > 20 else logarithm_table(bits)[ranks]
    return found


def discounted_gains(items: Ranked, *, gain: str, discount: str, base: float, half_life: float) -> Floats:
    """Return the gain of each item, discounted by its rank."""
    rank, value = items.rank, gains(items.grade, gain)
    if discount == "log2":
        return value * math.log(2) / logarithms(rank + 1)  # in Hivemall's order, for the same last digit
    if discount == "original":
        return value * (math.log(base) / np.maximum(logarithms(rank), math.log(base)))
    return value * np.exp2(-(rank - 1) / (half_life - 1))


def finite_total(rankings: Rankings, items: Ranked, values: Floats) -> Floats:
    """Sum a value per item for each ranking; raise InputError if the sum exceeds a DOUBLE."""
    with np.errstate(over="ignore"):
        sums = ragged.total(values, items.row, rankings.n)
    if not np.isfinite(sums).all():
        raise InputError(f"the sum of grades must fit in a DOUBLE, got a grade of {items.grade.max():g}")
    return sums


def share_of_best(rankings: Rankings, best: Ranked, value: Callable[[Ranked], Floats]) -> Floats:
    """Divide the sum of a value per hit by the sum over the ideal ranking; 0 if the latter is 0."""
    hits = rankings.hits
    of_hits, of_best = value(hits), value(best)
    if of_best.max(initial=0) > 1e290:  # a sum might overflow; dividing by a power of 2 loses no digit
        highest = ragged.maximum(of_best, best.row, rankings.n)
        scale = np.ldexp(1.0, -np.frexp(highest)[1])
        of_hits, of_best = of_hits * scale[hits.row], of_best * scale[best.row]
    whole = ragged.total(of_best, best.row, rankings.n)
    return np.minimum(ratio(rankings.total(of_hits), whole), 1)  # rounding may take it above


@measure("discounted_cumulative_gain", title="DCG", options=DISCOUNTED_GAIN, range=Range(0), expected=True)
def dcg(rankings: Rankings, **options: Any) -> Floats:
    """Discounted cumulative gain: the sum of the gains in the top k, discounted by rank.

    sum over r of gain(g(r)) / log2(r + 1), with gain(g) = 2^g - 1. With discount=original, ranks up to base
    have no discount.

    Source: Burges et al. (2005) for gain=exp; Jarvelin and Kekalainen (2002) for gain=linear and
    discount=original; Breese et al. (1998) for discount=half_life.

    >>> SELECT dcg(['a', 'b', 'c', 'd'], MAP {'a': 4, 'b': 3, 'd': 5}, NULL, 'gain=linear discount=original')
    9.5
    """
    return finite_total(rankings, rankings.hits, discounted_gains(rankings.hits, **options))


@measure(
    "idcg", title="Ideal DCG", options=DISCOUNTED_GAIN, range=Range(0), expected=True, higher_is_better=None
)
def ideal_dcg(rankings: Rankings, **options: Any) -> Floats:
    """DCG of the ideal ranking: all items of truth by descending grade.

    As dcg, over the first min(k, |truth|) ranks of the ideal ranking. Without k, k is the length of rec.

    Source: Jarvelin and Kekalainen (2002).

    >>> SELECT ideal_dcg([1, 3], [1, 2, 4], 2)
    1.6309297535714575
    """
    return finite_total(rankings, rankings.best, discounted_gains(rankings.best, **options))


def full_list(rankings: Rankings) -> Ranked:
    """Return k items of grade 1 for each ranking, as the ideal of lists without grades."""
    above = rankings.judged.ideal[rankings.judged.ideal > 0]
    if (above != 1).any():
        raise InputError(f"a grade above 0 must be 1 with ideal=k, got {above[above != 1].max():g}")
    if rankings.k.max(initial=0) > LONGEST_FULL:
        raise InputError(f"k must be {LONGEST_FULL} or less with ideal=k, got {rankings.k.max()}")
    offsets = ragged.offsets_of(rankings.k)
    rank = ragged.positions(offsets) + 1
    return Ranked(ragged.rows_of(offsets), rank, np.ones(len(rank)), offsets)


@measure(title="NDCG", options=DISCOUNTED_GAIN | {"ideal": OneOf("cut", "truth", "k")}, expected=True)
def ndcg(rankings: Rankings, *, ideal: str, **options: Any) -> Floats:
    """Normalized discounted cumulative gain: dcg / ideal_dcg.

    Without k, k is the length of rec, so a list of one hit scores 1. With ideal=k, k is at most 10000, and a
    grade above 0 other than 1 is an error.

    gain=linear is that of trec_eval and scikit-learn, gain=exp that of gdeval and Hivemall.

    Source: Hivemall, "Ranking Problems"; Jarvelin and Kekalainen (2002); Burges et al. (2005).

    >>> SELECT ndcg([1, 3, 2, 6], [1, 2, 4])
    0.7039180890341348
    """
    if ideal == "k":
        best = full_list(rankings)
    else:
        best = rankings.best if ideal == "cut" else rankings.best_to(rankings.n_relevant)
    return share_of_best(rankings, best, partial(discounted_gains, **options))


@measure("cg", options={"gain": OneOf("linear", "exp")}, range=Range(0), expected=True)
def cumulative_gain(rankings: Rankings, *, gain: str) -> Floats:
    """Cumulative gain: the sum of the gains in the top k, without a discount.

    sum over r of g(r). With gain=exp, sum over r of 2^g(r) - 1.

    Source: Jarvelin and Kekalainen (2002).

    >>> SELECT cumulative_gain(['a', 'b', 'x'], MAP {'a': 4, 'b': 3, 'c': 2})
    7.0
    """
    return finite_total(rankings, rankings.hits, gains(rankings.hits.grade, gain))


def check_max_grade(grades: Floats, max_grade: float) -> None:
    """Raise InputError for a grade above max_grade."""
    if grades.max(initial=0) > max_grade:
        raise InputError(f"a grade must be max_grade={max_grade:g} or less, got {grades.max():g}")


@measure(title="ERR", options={"max_grade": GRADE}, column=False)
def err(rankings: Rankings, *, max_grade: float) -> Floats:
    """Expected reciprocal rank: of the rank at which a user who reads from the top is satisfied.

    sum over r of R(r) / r * product over q < r of (1 - R(q)), with R(r) = (2^g(r) - 1) / 2^max_grade.

    Source: Chapelle, Metzler, Zhang and Grinspan (2009).

    >>> SELECT err(['a', 'x'], MAP {'a': 1.0}, NULL, 'max_grade=1')
    0.5
    """
    check_max_grade(rankings.judged.ideal, max_grade)
    hits = rankings.hits
    satisfied = gains(hits.grade, "exp") * np.exp2(-max_grade)
    reached = ragged.product_before(1 - satisfied, hits.offsets)
    return rankings.total(satisfied * reached / hits.rank)


@measure(
    "rank_biased_precision",
    title="RBP",
    options={
        "persistence": Number(0.8, at_least=0.0, below=1.0),
        "gain": OneOf("binary", "graded"),
        "max_grade": replace(GRADE, only_with=("gain", "graded")),
        "min_grade": Number(None, above=0.0, only_with=("gain", "binary")),
    },
    expected=True,
)
def rbp(rankings: Rankings, *, persistence: float, gain: str, max_grade: float) -> Floats:
    """Rank-biased precision: expected gain per item for a user who continues with probability `persistence`.

    (1 - persistence) * sum over r of gain(r) persistence^(r - 1). gain(r) is rel(r), or with gain=graded
    g(r) / max_grade.

    LensKit's default persistence is 0.85.

    Source: Moffat and Zobel (2008).

    >>> SELECT rbp([1, 3], [1, 2, 4], NULL, 'persistence=0.5')
    0.5
    """
    hits = rankings.hits
    weight = persistence ** (hits.rank - 1.0)
    if gain == "graded":
        check_max_grade(rankings.judged.ideal, max_grade)
        weight = weight * hits.grade / max_grade
    return np.minimum((1 - persistence) * rankings.total(weight), 1)  # rounding may take it above


@measure(
    "hlu", options={"half_life": Number(5.0, above=1.0), "neutral": Number(0.0, at_least=0.0)}, expected=True
)
def half_life_utility(rankings: Rankings, *, half_life: float, neutral: float) -> Floats:
    """Utility of the list, relative to the ideal ranking, if half of the users read to rank `half_life`.

    sum over r of max(g(r) - neutral, 0) / 2^((r - 1) / (half_life - 1)), divided by the same sum over the
    first min(k, |truth|) ranks of the ideal ranking.

    The value is 0 if no grade is above neutral. Breese et al. scale by 100 and divide sums over users; here
    each user has a value.

    Source: Breese, Heckerman and Kadie (1998), "R score".

    >>> SELECT half_life_utility([3, 1], [1], NULL, 'half_life=2')
    0.5
    """

    def utility(items: Ranked) -> Floats:
        return np.maximum(items.grade - neutral, 0) * np.exp2(-(items.rank - 1) / (half_life - 1))

    return share_of_best(rankings, rankings.best, utility)


@measure("rprec", title="R-precision", options=MIN_GRADE, empty=BOTH_EMPTY, expected=True)
def r_precision(rankings: Rankings) -> Floats:
    """Precision at the rank that equals the number of relevant items.

    Relevant items in the top min(k, |truth|), divided by |truth|.

    Source: Buckley and Voorhees (2000).

    >>> SELECT r_precision([1, 3, 2, 4], [1, 2, 4])
    0.6666666666666666
    """
    is_high = rankings.hits.rank <= rankings.n_relevant[rankings.hits.row]
    return unless_empty(rankings, ratio(rankings.total(is_high), rankings.n_relevant))


@measure(options=MIN_GRADE)
def bpref(rankings: Rankings) -> Floats:
    """Binary preference: how rarely judged non-relevant items rank above relevant ones.

    1/R * sum over hits of (1 - min(n, R) / min(N, R)). n is the number of judged non-relevant items above the
    hit. R and N are the numbers of relevant and judged non-relevant items in truth. A hit with n = 0 counts
    as 1.

    Unjudged items do not count. Judged non-relevant items are those in truth with a grade of 0 or less: use
    the graded forms.

    Source: Buckley and Voorhees (2004); trec_eval (bpref).

    >>> SELECT bpref(['a', 'x', 'b'], MAP {'a': 1, 'x': 0, 'b': 1, 'y': 0})
    0.75
    """
    judged, seen, relevant = rankings.judged, rankings.seen, rankings.n_relevant
    nonrelevant = np.diff(judged.ideal_offsets) - relevant
    hit = seen.grade > 0
    row = seen.row[hit]
    above = np.minimum(ragged.count_before(~hit, seen.offsets)[hit], relevant[row])
    worth = 1 - ratio(above, np.minimum(nonrelevant, relevant)[row])
    return ratio(ragged.total(worth, row, rankings.n), relevant)


@measure(empty=Empty(0, "an item"), higher_is_better=None)
def judged_share(rankings: Rankings) -> Floats:
    """Share of the top k with a relevance judgment in truth, relevant or not: Judged@k.

    Judged items / min(k, |rec|); 0 for an empty list. If it is low, other measures are less reliable, since
    they count unjudged items as misses.

    A repeated item in rec and a NULL count as unjudged. trec_eval's unj is a share of k: 1 - unj counts the
    missing ranks of a short list as judged.

    Source: ir_measures (Judged); Buckley and Voorhees (2004) on incomplete judgments.

    >>> SELECT judged_share(['a', 'x', 'b', 'y'], MAP {'a': 3, 'b': 0}, 3)
    0.6666666666666666
    """
    return ratio(np.diff(rankings.seen.offsets), rankings.top)


@measure("iprec", options={"recall": Number(0.0, at_least=0.0, at_most=1.0)} | MIN_GRADE)
def interpolated_precision(rankings: Rankings, *, recall: float) -> Floats:
    """Highest precision at any rank of the top k with at least this recall.

    max of P(r) over the ranks r with recall(r) >= recall; 0 if this recall is never reached.

    trec_eval 9 and ranx require int(recall * |truth| + 0.9) hits, which sometimes differs by rounding: see
    `sql/semantics.md`. trec_eval 10 rounds recall * |truth| to the nearest integer: 1 hit of 4 is a recall of
    0.3.

    Source: Manning, Raghavan and Schuetze (2008), section 8.4.

    >>> SELECT interpolated_precision([3, 1, 2], [1, 2], NULL, 'recall=0.5')
    0.6666666666666666
    """
    hits = rankings.hits
    reached = hits.number / rankings.n_relevant[hits.row] >= recall
    return ragged.maximum((hits.number / hits.rank)[reached], hits.row[reached], rankings.n)


@measure("eleven_point_average", options=MIN_GRADE)
def interpolated_average_precision(rankings: Rankings) -> Floats:
    """Mean of the interpolated precision at the eleven recall levels 0, 0.1, ..., 1.

    Source: Manning, Raghavan and Schuetze (2008), section 8.4.

    >>> SELECT interpolated_average_precision([1, 2], [1, 2])
    1.0
    """
    levels = (interpolated_precision(rankings, recall=level / 10) for level in range(11))
    return sum(levels, np.zeros(rankings.n)) / 11


@measure(range=Range(-1, 1), empty=Empty(None, "two different grades"))
def spearman(rankings: Rankings) -> Floats:
    """Spearman's correlation between the order of the judged items in the top k and their grades.

    Pearson's correlation of two rankings of these items: by position in the list, and by descending grade.
    Equal grades have the average of their ranks. The value is 1 if the list is in the order of the grades.

    Unjudged items do not count, so the binary form gives NULL. Equals SciPy's spearmanr of (-rank, grade).
    O(n log n).

    Source: Spearman (1904); Ekstrand, "Rank-Aware Top-N Metrics".

    >>> SELECT spearman(['a', 'b', 'c'], MAP {'a': 3, 'b': 1, 'c': 2})
    0.5
    """
    seen, n = rankings.seen, rankings.n
    size = np.diff(seen.offsets)
    middle = ((size + 1) / 2)[seen.row]
    place = ragged.positions(seen.offsets) + 1 - middle
    grade = ragged.average_ranks(seen.grade, seen.row, n) - middle

    def products(a: Floats, b: Floats) -> Floats:
        return ragged.total(a * b, seen.row, n)

    scale = np.sqrt(products(place, place)) * np.sqrt(products(grade, grade))
    correlation = np.clip(ratio(-products(place, grade), scale), -1, 1)
    return np.where(scale > 0, correlation, np.nan)


@measure(
    "kendall",
    title="Kendall's tau",
    options={"variant": OneOf("b", "c")},
    range=Range(-1, 1),
    empty=Empty(None, "two different grades"),
)
def kendall_tau(rankings: Rankings, *, variant: str) -> Floats:
    """Kendall's tau between the order of the judged items in the top k and their grades.

    Let C and D be the numbers of judged pairs in the right and in the wrong order, for n items with m
    different grades. With variant=b, (C - D) / sqrt((C + D) n(n - 1)/2). With variant=c,
    2 (C - D) / (n^2 (m - 1)/m).

    The binary form gives NULL. Equals SciPy's kendalltau of (-rank, grade). O(n log n).

    Source: Kendall (1945); Stuart (1953).

    >>> SELECT kendall_tau(['a', 'b', 'c'], MAP {'a': 3, 'b': 1, 'c': 2})
    0.3333333333333333
    """
    seen, n = rankings.seen, rankings.n
    right, wrong = ragged.ordered_pairs(seen.grade, seen.offsets)
    size = np.diff(seen.offsets)
    if variant == "b":
        whole = np.sqrt(right + wrong) * np.sqrt(size * (size - 1) / 2)
    else:
        different = ragged.count_distinct(seen.grade, seen.row, n)
        whole = size * size * ratio(different - 1, 2 * different)
    return np.where(right + wrong > 0, np.clip(ratio(right - wrong, whole), -1, 1), np.nan)


@measure("pairwise_accuracy", empty=Empty(None, "a pair"))
def concordant_pairs(rankings: Rankings) -> Floats:
    """Share of pairs of judged items with different grades in the top k that are in the right order.

    C / (C + D), with C and D the numbers of pairs in the right and in the wrong order.

    Equals (1 + D) / 2 for SciPy's somersd of the order given the grades. With grades 0 and 1, it is the AUC
    over the judged items. The binary form gives NULL. O(n log n).

    Source: Ekstrand, "Rank-Aware Top-N Metrics" ("Fraction of Concordant Pairs").

    >>> SELECT concordant_pairs(['a', 'b', 'c'], MAP {'a': 3, 'b': 1, 'c': 2})
    0.6666666666666666
    """
    right, wrong = ragged.ordered_pairs(rankings.seen.grade, rankings.seen.offsets)
    return ratio(right, right + wrong, otherwise=np.nan)

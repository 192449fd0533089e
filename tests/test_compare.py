"""Paired comparison of systems: published examples, other libraries, edges, errors, the same in any order."""

import itertools
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import duckdb
import mpmath
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from statsmodels.stats import multitest, power, weightstats

import ranking_udfs
from ranking_udfs.arrow import randomization
from ranking_udfs.arrow.randomization import flip_signs
from ranking_udfs.command.session import interruptible
from ranking_udfs.duckdb.statements import code, texts
from tests.conftest import is_close, module_connection, rows, value

CLOSE = 1e-12
CODE = "\n".join(code(text) for text, room in texts().values() if room.startswith("comparison"))
# Benjamini and Hochberg (1995): the 15 p-values of their example.
P_VALUES = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip

Row = dict[str, Any]


con = module_connection()


@pytest.fixture
def own() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of its own, for a test that changes settings."""
    with duckdb.connect() as connection:
        yield ranking_udfs.register(connection)


def compare(
    con: duckdb.DuckDBPyConnection, options: str = "", table: str = "by_user", columns: str = "*"
) -> list[Row]:
    """The comparison; of thousands of rows, the columns that are looked at are found far sooner than all."""
    return rows(con, f"SELECT {columns} FROM ranking_compare_by_user('{table}'{options})")


def by_user(con: duckdb.DuckDBPyConnection, **systems: Sequence[float | None]) -> None:
    """A table of the systems' values of the measure x, users numbered."""
    con.execute("CREATE OR REPLACE TABLE by_user (system VARCHAR, userid BIGINT, x DOUBLE)")
    for name, values in systems.items():
        con.execute(
            "INSERT INTO by_user SELECT ?, unnest(range(len($2))), unnest($2::DOUBLE[])", [name, values]
        )


def two(
    con: duckdb.DuckDBPyConnection,
    ours: Sequence[float | None],
    theirs: Sequence[float | None],
    options: str = "",
) -> Row:
    """The comparison of two systems' values."""
    by_user(con, a=ours, b=theirs)
    (row,) = compare(con, ", baseline := 'a'" + options)
    return row


# --- Published ---


def test_benjamini_and_hochbergs_fifteen_p_values(con: duckdb.DuckDBPyConnection) -> None:
    """Two users with differences t + 1 and t - 1 have Cauchy's p of t."""
    ts = [1 / math.tan(math.pi * p / 2) for p in P_VALUES]
    by_user(con, base=[0, 0], **{f"s{i:02}": [t + 1, t - 1] for i, t in enumerate(ts)})
    for correction, rejected in (("holm", 3), ("bh", 4), ("none", 9)):
        rows = compare(con, f", baseline := 'base', correction := '{correction}'")
        for row, p in zip(rows, P_VALUES, strict=True):
            assert is_close(row["p"], p, CLOSE)
        assert sum(row["verdict"] == "better" for row in rows) == rejected, correction


def test_an_effect_of_a_half_is_detectable_with_33_users(con: duckdb.DuckDBPyConnection) -> None:
    """Published: 33.367, by the noncentral t; the sum of two quantiles comes as close as this."""
    exact = power.TTestPower()
    assert round(exact.solve_power(0.5, alpha=0.05, power=0.8), 3) == 33.367
    for n, larger in ((33, True), (34, False)):
        spread = math.sqrt((n - 1) / n) if n % 2 == 0 else 1
        theirs = [spread * (-1) ** i for i in range(n - n % 2)] + [0] * (n % 2)
        row = two(con, [0] * n, theirs)
        assert row["minimum_detectable_effect"] / (row["standard_error"] * math.sqrt(n)) == pytest.approx(
            exact.solve_power(nobs=n, alpha=0.05, power=0.8), rel=2e-3
        )
        assert (row["minimum_detectable_effect"] > 0.5 * row["standard_error"] * math.sqrt(n)) == larger


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "systems", "correction"), [(30, 1, "holm"), (60, 3, "holm"), (60, 3, "bh"), (200, 4, "none")]
)
def test_so_many_users_show_a_difference_in_80_of_100_cases(
    con: duckdb.DuckDBPyConnection, n: int, systems: int, correction: str
) -> None:
    """Of one system, others as good as the baseline: the difference that was seen, or half of it."""
    chance, seen = np.random.default_rng(n), 1.5 / math.sqrt(n)
    found = chance.normal(0, 1, (systems, n))
    found = (found - found.mean(1, keepdims=True)) / found.std(1, ddof=1, keepdims=True)
    found[0] += seen
    by_user(con, base=[0] * n, **{f"s{i}": one.tolist() for i, one in enumerate(found)})
    given = f", baseline := 'base', correction := '{correction}'"
    needed = compare(con, given)[0]["users_needed"]
    alpha = 0.05 / (1 if correction == "none" else systems)
    exact = power.TTestPower().solve_power(seen, alpha=alpha, power=0.8)
    assert needed == pytest.approx(
        exact, rel=0.12 if n == 30 else 0.05
    )  # by as many users as t is wider of n
    for part in (1, 2):
        drawn = chance.normal(0, 1, (400, 1 + systems, needed * part**2))
        drawn[:, 0], drawn[:, 1] = 0, drawn[:, 1] + seen / part
        replicates(con, drawn)
        verdicts = compare(con, given.replace("base'", "0'"), columns="system, verdict")
        shown = [row["verdict"] for row in verdicts if row["system"] == 1].count("better") / 400
        print(f"{n} users, {systems} systems, {correction}: {needed} show 1/{part} of it in {shown:.1%}")
        assert shown == pytest.approx(0.8, abs=3 * math.sqrt(0.8 * 0.2 / 400))


# --- Student's t ---


def exact_t_p(t: float, df: float) -> mpmath.mpf:
    """Two-sided p, as a hypergeometric series in 60 digits."""
    with mpmath.workdps(60):
        half, x = mpmath.mpf(df) / 2, df / (df + mpmath.mpf(t) ** 2)
        beta = mpmath.loggamma(half) + mpmath.loggamma(0.5) - mpmath.loggamma(half + 0.5)
        front = mpmath.exp(half * mpmath.log(x) + mpmath.log1p(-x) / 2 - mpmath.log(half) - beta)
        return front * mpmath.hyp2f1(half + 0.5, 1, half + 1, x)


@pytest.mark.slow
@pytest.mark.parametrize("df", [1, 2, 3, 7, 20, 99, 1_000, 12_345, 10**5, 10**6, 10**7, 10**8])
def test_students_t_to_twelve_digits(con: duckdb.DuckDBPyConnection, df: int) -> None:
    ts = [1e-6, 0.01, 0.5, 1, 1.7, 2, 3, 5, 9, 15, 25, 37, *([1e3, 1e6, 1e12] if df < 50 else [])]
    exact = {t: p for t in ts if (p := exact_t_p(t, df)) >= 1e-300}
    assert len(exact) >= 10
    rows = con.execute(
        "SELECT t, _ranking.main._ranking_t_p(t, $1), _ranking.main._ranking_t_quantile(p, $1) "
        "FROM (SELECT unnest($2::DOUBLE[]) AS t, unnest($3::DOUBLE[]) AS p)",
        [df, list(exact), list(map(float, exact.values()))],
    ).fetchall()
    assert [t for t, *_ in rows] == list(exact)
    for t, found, back in rows:
        assert abs(found / exact[t] - 1) < 1e-12, t
        if exact[t] < 0.999:  # beyond, a DOUBLE of p says little of t
            assert back == pytest.approx(t, rel=1e-12), t


def test_students_t_at_its_ends(con: duckdb.DuckDBPyConnection) -> None:
    p = "_ranking.main._ranking_t_p"
    query = f"SELECT {p}(0, 5), {p}(1e300, 5), {p}(-1, 1), _ranking.main._ranking_t_quantile(1, 5)"
    assert con.execute(query).fetchall() == [(1, 0, pytest.approx(0.5, rel=1e-15), 0)]


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.001])
def test_the_interval_of_a_mean_stays_in_the_range_of_the_measure(
    con: duckdb.DuckDBPyConnection, alpha: float
) -> None:
    """Wilson's of 0 and 1, else Student's t, cut; of values that are all the same, by how many there are."""

    def interval(values: Sequence[float], bottom: float | None, top: float | None) -> Any:
        error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else None
        is_constant, is_binary = min(values) == max(values), set(values) <= {0, 1}
        given = [np.mean(values), error, len(values), is_constant, is_binary, bottom, top, alpha]
        query = f"SELECT _ranking.main._ranking_mean_interval({', '.join('?' * 8)})"
        ((found,),) = con.execute(query, given).fetchall()
        return found if found is None else (found["low"], found["high"])

    for hits, n in [(1, 2), (39, 40), (1, 40), (7, 12), (5_000, 10_000)]:
        wilson = stats.binomtest(hits, n).proportion_ci(1 - alpha, "wilson")
        ends = (wilson.low, wilson.high)
        assert interval([1] * hits + [0] * (n - hits), 0, 1) == pytest.approx(ends, rel=1e-6)
    values, share = [0.5, 0.9, 1.0, 1.0], 1 - alpha ** (1 / 40)
    low, high = stats.t.interval(1 - alpha, 3, np.mean(values), stats.sem(values))
    for given, bottom, top, expected in (
        (values, None, None, (low, high)),
        (values, 0, 1, (max(low, 0), 1)),
        ([-one for one in values], -1, 1, (-1, -low)),
        ([1.0] * 40, 0, 1, (1 - share, 1)),
        ([0.0] * 40, 0, 1, (0, share)),
        ([0.5] * 40, 0, 1, (max(0.5 - share, 0), min(0.5 + share, 1))),
    ):
        assert interval(given, bottom, top) == pytest.approx(expected, rel=1e-12)
    assert interval([0.2, 3.0, 0.4], 0, None)[0] == 0
    assert interval([2.0] * 40, 0, None) is None  # of any size a value may be that is not seen
    assert interval([0.5], 0, 1) is None


# --- Other libraries ---


def draw(n: int, seed: int, effect: float = 0.1) -> tuple[list[float], list[float]]:
    chance = random.Random(seed)
    ours = [chance.betavariate(1, 3) for _ in range(n)]
    return ours, [min(1, max(0, x + chance.gauss(effect * 0.2, 0.2))) for x in ours]


@pytest.mark.parametrize("confidence", [0.95, 0.8, 0.999])
def test_p_and_interval_are_those_of_scipy(con: duckdb.DuckDBPyConnection, confidence: float) -> None:
    """Of 2 to 5,000 users, three draws of each, as the values at so many k."""
    draws = [draw(n, seed) for n in (2, 3, 10, 100, 5_000) for seed in range(3)]
    replicates(con, np.array([[one + [math.nan] * (5_000 - len(one)) for one in both] for both in draws]))
    rows = compare(con, f", confidence := {confidence}", columns="p, low, high")
    for (ours, theirs), row in zip(draws, rows, strict=True):
        expected = stats.ttest_rel(theirs, ours)
        interval = expected.confidence_interval(confidence)
        assert is_close(row["p"], expected.pvalue, 1e-9)
        assert is_close(row["low"], interval.low, 1e-9)
        assert is_close(row["high"], interval.high, 1e-9)


def test_the_same_are_those_of_two_one_sided_tests(con: duckdb.DuckDBPyConnection) -> None:
    seeds = range(20)
    draws = np.array(
        [[np.random.default_rng([seed, one]).normal(0.3, 0.2, 400) for one in (1, 2)] for seed in seeds]
    )
    replicates(con, draws)
    rows = compare(con, ", margin := 0.03", columns="p_same_adjusted, verdict")
    for (ours, theirs), row in zip(draws, rows, strict=True):
        p = weightstats.ttost_paired(theirs, ours, -0.03, 0.03)[0]
        assert is_close(row["p_same_adjusted"], p, 1e-9)
        assert (row["verdict"] == "same") == (p < 0.05)
    assert {row["verdict"] for row in rows} == {"same", "unclear", "worse"}


def test_the_relative_interval_ends_where_the_ratio_is_rejected(con: duckdb.DuckDBPyConnection) -> None:
    """Fieller's interval: the ratios r for which a t-test does not tell system and r * baseline apart."""
    for n in (5, 40, 3_000):
        ours, theirs = map(np.array, draw(n, n))
        row = two(con, ours.tolist(), theirs.tolist())
        assert is_close(row["relative"], theirs.mean() / ours.mean() - 1, CLOSE)
        assert row["relative_low"] < row["relative"] < row["relative_high"]
        for end in (row["relative_low"], row["relative_high"]):
            assert is_close(stats.ttest_rel(theirs, (1 + end) * ours).pvalue, 0.05, 1e-9)


# --- The randomization test ---


def sign_flip_p(differences: np.ndarray, permutations: int, seed: int) -> float | None:
    """In parts as short as they can be, as in one."""
    flips = flip_signs(differences, permutations, seed)
    part = flip_signs(differences, permutations, seed, until=0)
    while part.p is None:
        part = flip_signs(differences, permutations, seed, part, until=0)
    assert part == flips
    return flips.p


@pytest.mark.parametrize("n", [1, 2, 7, 13])
def test_up_to_twenty_differences_take_all_signs_as_in_scipy(n: int) -> None:
    chance = np.random.default_rng(n)
    for differences in (chance.normal(0.3, 1, n), chance.integers(-3, 6, n) / 10):
        known = differences[differences != 0]
        if len(known) < 2:  # SciPy wants two
            assert sign_flip_p(differences, 1, 0) == 1
            continue
        expected = stats.permutation_test(
            (known,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
        )
        assert sign_flip_p(differences, 1, 0) == expected.pvalue


def test_from_twenty_one_differences_on_signs_are_random() -> None:
    assert sign_flip_p(np.ones(20), 9, 0) == 2 / 2**20
    assert sign_flip_p(np.array([0.0, *[1] * 20]), 9, 0) == 2 / 2**20
    assert sign_flip_p(np.ones(21), 9, 0) == 1 / 10


def pcg64(generator: np.random.PCG64) -> Iterator[int]:
    """The raw bits of PCG64 (O'Neill 2014), from the state that the generator has."""
    state, step = (generator.state["state"][name] for name in ("state", "inc"))
    while True:
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + step) % 2**128
        folded, turn = (state >> 64) ^ (state % 2**64), state >> 122
        yield (folded >> turn | folded << (64 - turn)) % 2**64


@pytest.mark.parametrize(("seed", "at_once", "groups"), [(0, 1 << 14, 512), (7, 128, 8)])
def test_more_differences_take_their_signs_from_the_bits_of_pcg64(
    seed: int, at_once: int, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In plain Python: so many choices of signs at once, one after another, of 64 differences at a time."""
    monkeypatch.setattr("ranking_udfs.arrow.randomization.AT_ONCE", at_once)
    monkeypatch.setattr("ranking_udfs.arrow.randomization.GROUPS", groups)
    differences = np.random.default_rng(seed).normal(0.1, 1, 100)
    values, permutations = sorted(differences), 500
    bits = pcg64(np.random.PCG64(seed))
    reached = 0
    for first in range(0, permutations, at_once):
        count = min(at_once, permutations - first)
        signs = [[next(bits) for _ in range(count)] for _ in range(0, len(values), 64)]
        for i in range(count):
            total = math.fsum(-x if signs[n // 64][i] >> n % 64 & 1 else x for n, x in enumerate(values))
            reached += abs(total) >= abs(math.fsum(values)) - 1e-9
    for order in (differences, differences[::-1]):
        assert sign_flip_p(order, permutations, seed) == (reached + 1) / (permutations + 1)


def test_equal_sums_count_whatever_their_rounding() -> None:
    """0.1 and 0.3 nine times each, with no sign or three turned: many sums are as large in the end."""
    tenths = [1, 3] * 9
    for turned, least in ((0, 36), (3, 26)):
        differences = np.array(tenths) / 10 * np.where(np.arange(18) < turned, -1, 1)
        reached = sum(
            abs(sum(sign * x for sign, x in zip(signs, tenths, strict=True))) >= least
            for signs in itertools.product((1, -1), repeat=18)
        )
        assert sign_flip_p(differences, 1, 0) == reached / 2**18


def test_comparisons_of_many_systems_are_tested_in_parts_with_the_same_p(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    con.execute("""
        CREATE OR REPLACE TABLE by_user AS
        SELECT s AS system, userid, k, round(hash(s, userid, k) / 2 ** 64 + s * coalesce(k, 9) / 100, 2) AS x
        FROM range(5) systems(s), range(3_000) users(userid), (SELECT unnest([NULL, 1, 5]) AS k)
        WHERE s < 4 OR userid < 20  -- whose signs are all tried out
    """)
    query = "FROM ranking_compare_by_user('by_user', test := 'randomization', permutations := 20_000)"
    expected = con.execute(query).fetchall()
    calls: list[int] = []

    def counted(*arguments: Any) -> Any:
        calls.append(1)
        return flip_signs(*arguments)

    monkeypatch.setattr(randomization, "SECONDS", -1)
    monkeypatch.setattr(randomization, "flip_signs", counted)
    assert con.execute(query).fetchall() == expected
    assert len(expected) == 30
    assert len(calls) == 4 * 3 + 6 * 3 * 2  # exact, or of 16,384 and 3,616


# --- Edges ---


def test_nothing_is_the_same_without_a_variance_but_by_the_rule_of_three(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """Of n users none of whom differs, up to 1 - alpha^(1/n) of all might, each by 1."""
    for n in (2, 59, 300):
        might = 1 - 0.05 ** (1 / n)
        for difference in (0.0, 0.1):
            for margin, verdict in ((difference + might - 0.001, None), (difference + might + 0.001, "same")):
                by_user(con, a=[0] * n, b=[difference] * n)
                con.execute("ALTER TABLE by_user RENAME x TO recall")
                (row,) = compare(con, f", margin := {margin}", columns="p, verdict")
                expected = verdict or ("unclear" if row["p"] >= 0.05 else "better")
                assert row["verdict"] == expected, (n, difference, margin)


def test_a_difference_within_the_margin_is_the_same_even_if_it_is_sure(
    con: duckdb.DuckDBPyConnection,
) -> None:
    theirs = (0.0146 + np.random.default_rng(1).normal(0, 0.05, 500)).tolist()
    for margin, verdict in (("NULL", "worse"), ("0.2", "same"), ("0.0001", "worse")):
        row = two(con, theirs, [0] * 500, f", margin := {margin}")
        assert (row["verdict"], row["p_same_adjusted"] is None) == (verdict, margin == "NULL")


def test_p_the_same_and_what_is_detectable_are_corrected_as_by_statsmodels(
    con: duckdb.DuckDBPyConnection,
) -> None:
    chance = np.random.default_rng(4)
    systems = {f"s{i:02}": chance.normal(0.02 * i, 0.3, 400).tolist() for i in range(8)}
    by_user(con, **systems)
    alone = compare(con, ", baseline := 's00', margin := 0.1, correction := 'none'")
    assert [row["p_adjusted"] for row in alone] == [row["p"] for row in alone]
    for word, method in (("holm", "holm"), ("bh", "fdr_bh")):
        rows = compare(con, f", baseline := 's00', margin := 0.1, correction := '{word}'")
        adjusted = multitest.multipletests([row["p"] for row in rows], method=method)[1]
        assert [row["p_adjusted"] for row in rows] == pytest.approx(adjusted, rel=CLOSE, abs=CLOSE)
        assert {row["method"] for row in rows} == {f"t, {word} of 7"}
        found = [
            weightstats.ttost_paired(np.array(systems[row["system"]]), np.array(systems["s00"]), -0.1, 0.1)[0]
            for row in rows
        ]
        for row, p in zip(rows, multitest.multipletests(found, method=method)[1], strict=True):
            assert is_close(row["p_same_adjusted"], p, 1e-9)
            assert (row["verdict"] == "same") == (p < 0.05)
            at = stats.t.ppf([1 - 0.05 / 7 / 2, 0.8], 399).sum()
            assert is_close(row["minimum_detectable_effect"], at * row["standard_error"], 1e-9)
            needed = math.ceil(400 * (at * row["standard_error"] / 0.1) ** 2)
            assert row["users_needed"] == (needed if row["verdict"] == "unclear" else None)
            half = stats.t.ppf(0.975, 399) * row["standard_error"]  # each interval alone
            assert is_close(row["high"] - row["difference"], half, 1e-9)


def test_one_baseline_is_compared_with_ten_thousand_systems(own: duckdb.DuckDBPyConnection) -> None:
    """In a megabyte for each thousand; all pairs of them would take 6 GB."""
    own.execute("SET memory_limit = '400MB'")
    own.execute(
        "CREATE TABLE by_user AS SELECT 's' || s AS system, u AS userid, hash(s, u) / 2 ** 64 AS x "
        "FROM range(10_000) a(s), range(3) b(u)"
    )
    query = (
        "SELECT count(*), count(DISTINCT system) FROM ranking_compare_by_user('by_user', baseline := 's7')"
    )
    assert own.execute(query).fetchall() == [(9_999, 9_999)]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9, 1e150])
def test_numbers_of_any_size_keep_their_digits(con: duckdb.DuckDBPyConnection, scale: float) -> None:
    """Beside the same in fractions: differences that are small beside values of the same size."""
    chance = random.Random(2)
    ours = [scale * (1_000 + chance.random()) for _ in range(300)]
    theirs = [x + scale * chance.gauss(0.3, 1) for x in ours]
    row = two(con, ours, theirs)
    found = [Fraction(y - x) for x, y in zip(ours, theirs, strict=True)]
    mean = sum(found) / 300
    variance = sum((x - mean) ** 2 for x in found) / 299
    assert row["difference"] == pytest.approx(float(mean), rel=1e-15)
    assert row["effect_size"] == pytest.approx(
        float(mean) / scale / math.sqrt(variance / Fraction(scale) ** 2), rel=1e-13
    )


# --- Tables ---


def table(con: duckdb.DuckDBPyConnection, systems: str = "'a', 'b', 'c'", users: int = 40) -> None:
    """Values of three measures at two k, in two segments and none."""
    con.execute(f"""
        CREATE OR REPLACE TABLE by_user AS
        SELECT system, userid, k, CASE userid % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'y' END AS segment,
            1 AS n_rec, 'text' AS note, hash(system, userid, k) % 101 / 101 AS ndcg,
            hash(system, userid, k, 1) % 101 / 101 AS "Recall", hash(system, userid) % 9 AS ideal_dcg,
            hash(userid, system, 2) % 7 AS clicks
        FROM (SELECT unnest([{systems}]) AS system), (SELECT unnest([5, 10]) AS k), range({users}) u(userid)
    """)


def keys(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [(row["baseline"], row["system"], row["k"], row["measure"], row["segment"]) for row in rows]


def test_a_row_per_pair_k_measure_and_segment(con: duckdb.DuckDBPyConnection) -> None:
    table(con)
    measures = ["ndcg", "Recall"]  # of the usual six, those that are there
    expected = [
        (*pair, k, measure, segment)
        for pair in (("a", "b"), ("a", "c"), ("b", "c"))
        for k in (5, 10)
        for measure in measures
        for segment in ("x", "y", None)
    ]
    assert keys(compare(con)) == expected
    assert {row["method"] for row in compare(con)} == {"t, holm of 9"}
    rows = compare(con, ", baseline := 'b', measures := [' clicks', 'NDCG', 'Clicks']")
    assert [key for key in keys(rows) if key[4] == "x"] == [
        ("b", system, k, measure, "x")
        for system in ("a", "c")
        for k in (5, 10)
        for measure in ("clicks", "ndcg")
    ]


@pytest.mark.slow
def test_no_name_of_a_users_table_collides_with_one_of_the_macros(con: duckdb.DuckDBPyConnection) -> None:
    table(con)
    query = "SELECT system, k, measure, segment, users, difference, p FROM ranking_compare_by_user('{}')"
    expected = con.execute(query.format("by_user")).fetchall()
    names = sorted(set(re.findall(r"\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\(", CODE)))  # those of CTEs
    assert {"_ranking_pairs", "_ranking_scores"} <= set(names)
    for name in names:
        con.execute(f'CREATE OR REPLACE TEMP TABLE "{name}" AS FROM by_user')
        assert con.execute(query.format(name)).fetchall() == expected, name
    for name in names:
        con.execute(f'DROP TABLE temp.main."{name}"')


# --- Simulated ---


def replicates(con: duckdb.DuckDBPyConnection, values: np.ndarray) -> None:
    """A table of values by replicate (as k), system and user."""
    count, systems, users = values.shape
    con.register("given", pa.table({"x": pa.array(values.ravel(), from_pandas=True)}))
    con.execute(f"""
        CREATE OR REPLACE TABLE by_user AS
        SELECT n // {systems * users} + 1 AS k, n // {users} % {systems} AS system, n % {users} AS userid, x
        FROM (SELECT x, row_number() OVER () - 1 AS n FROM given)
    """)
    assert value(con, "SELECT count(*) FROM by_user") == count * systems * users


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 5, 20, 200])
def test_the_interval_covers_the_true_difference_as_often_as_it_says(
    con: duckdb.DuckDBPyConnection, n: int
) -> None:
    """2,000 draws of normal differences around 0.3: within four standard deviations of 95 %."""
    ours = np.random.default_rng([n, 1]).normal(3, 1, (2_000, 1, n))
    theirs = ours + np.random.default_rng([n, 2]).normal(0.3, 1, ours.shape)
    replicates(con, np.concatenate((ours, theirs), axis=1))
    ends = "low, high, relative_low, relative_high" if n == 200 else "low, high"
    rows = compare(con, columns=ends)
    covered = np.mean([row["low"] <= 0.3 <= row["high"] for row in rows])
    assert len(rows) == 2_000
    assert abs(covered - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 2_000)
    if n == 200:
        relative = np.mean([row["relative_low"] <= 0.1 <= row["relative_high"] for row in rows])
        assert abs(relative - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 2_000)
    print(f"n = {n}: {covered:.1%}")


@pytest.mark.slow
def test_ten_equal_systems_are_told_apart_no_more_often_than_the_confidence_says(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """Of 500 draws 1 in 20 at most has one of nine differences with Holm's p, far more without."""
    ours = np.random.default_rng(1).beta(1, 3, (500, 1, 50))
    replicates(con, ours + np.random.default_rng(2).normal(0, 0.2, (500, 10, 50)))
    share = {}
    for correction in ("holm", "none"):
        rows = compare(con, f", baseline := '0', correction := '{correction}'", columns="k, verdict")
        assert len(rows) == 4_500
        share[correction] = len({row["k"] for row in rows if row["verdict"] != "unclear"}) / 500
    print(f"{share['none']:.1%} without a correction, {share['holm']:.1%} with Holm's")
    assert share["holm"] < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    assert share["none"] > 0.2


def in_sql(con: duckdb.DuckDBPyConnection) -> object:
    query = (
        "SELECT p FROM ranking_compare_by_user('many', test := 'randomization', permutations := 1_200_000)"
    )
    return con.execute(query).fetchall()


def in_python(con: duckdb.DuckDBPyConnection) -> object:
    options: Any = {"test": "randomization", "permutations": 2_400_000, "con": con, "check": False}
    return ranking_udfs.compare("many", "truth", "mrr", 10, **options).fetchall()


def in_the_command(con: duckdb.DuckDBPyConnection) -> object:
    return interruptible(con, lambda: in_sql(con))


@pytest.mark.parametrize("work", [in_sql, in_python, in_the_command])
def test_an_interrupt_ends_the_randomization_test_within_seconds(
    own: duckdb.DuckDBPyConnection,
    work: Callable[[duckdb.DuckDBPyConnection], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One call for all 1,200,000 permutations would be deaf for 10 seconds: DuckDB waits for a function."""
    own.execute("""
        CREATE TABLE many AS
        SELECT system, userid, hash(userid, system) / 2 ** 64 AS x, 1 AS score,
            CASE WHEN system = 'b' THEN userid % 2 ELSE 0 END AS itemid
        FROM (SELECT unnest(['a', 'b']) AS system), range(50_000) users(userid);
        CREATE TABLE truth AS SELECT userid, itemid FROM many WHERE system = 'a'
    """)
    tested, asked = threading.Event(), [0.0]

    def seen(*arguments: Any) -> Any:
        tested.set()
        return flip_signs(*arguments)

    def stop() -> None:
        assert tested.wait(30)
        time.sleep(0.3)
        asked[0] = time.monotonic()
        if work is in_the_command:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            own.interrupt()

    monkeypatch.setattr(randomization, "flip_signs", seen)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which may be ignored where this runs
    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(KeyboardInterrupt if work is in_the_command else duckdb.InterruptException):
        work(own)
    took = time.monotonic() - asked[0]
    thread.join()
    signal.signal(signal.SIGINT, before)
    assert took < 2
    assert own.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.slow
def test_a_million_differences_are_permuted_in_little_memory() -> None:
    code = (
        "import resource, sys, numpy as np; from ranking_udfs.arrow.randomization import flip_signs\n"
        "held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "p = flip_signs(np.random.default_rng(1).normal(0.001, 0.3, 1_000_000), 10_000, 0).p\n"
        "assert 0 < p < 1\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300


def equal_systems(seed: int, replicates: int, n: int, systems: int) -> np.ndarray:
    """Values of equally good systems, 70 % zeros: hit rate, recall of 4 and NDCG in turns, by replicate."""
    chance = np.random.default_rng([seed, n])
    hits = chance.random((replicates, systems, n)) < 0.3
    kinds = np.arange(replicates)[:, None, None] % 3
    recall = chance.integers(1, 5, hits.shape) / 4
    gain = 1 / np.log2(1 + chance.integers(1, 11, hits.shape))
    return hits * np.choose(kinds, (np.ones(hits.shape), recall, gain))


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 5, 10, 30, 300])
def test_equal_systems_are_told_apart_as_rarely_as_the_confidence_says(
    con: duckdb.DuckDBPyConnection, n: int
) -> None:
    """Of 900 draws at most 1 in 20 has any of three differences with Holm's p, and any single one without."""
    replicates(con, equal_systems(1, 900, n, 4))
    rows = compare(con, ", baseline := '0'", columns="k, p, verdict")
    corrected = len({row["k"] for row in rows if row["verdict"] != "unclear"}) / 900
    alone = sum(row["p"] < 0.05 for row in rows if row["p"] is not None) / 2_700
    print(f"n = {n}: {corrected:.1%} of 900 with Holm's p, {alone:.1%} of 2,700 without")
    # A draw's three differences share a baseline: as if there were 900 of them.
    assert max(corrected, alone) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 900)


@pytest.mark.slow
def test_a_gate_over_everything_fails_for_nothing_as_rarely_as_the_confidence_says(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """100 users, equal systems: three others, six measures that go together, two segments, in 300 draws.

    Without the gate's correction, over all of a measure alone, a pipeline would stop far more often.
    """
    draws, systems, users = 300, 4, 100
    chance = np.random.default_rng(5)
    quality = chance.beta(1, 3, (draws, 1, users)) + chance.normal(0, 0.15, (draws, systems, users))
    columns = {f"m{i}": (quality + chance.normal(0, 0.1, quality.shape)).ravel() for i in range(6)}
    con.register("given", pa.table(columns))
    con.execute(f"""
        CREATE OR REPLACE TABLE by_user AS
        SELECT 1 + n // {systems * users} AS k, n // {users} % {systems} AS system, n % {users} AS userid,
            n % 2 AS segment, * EXCLUDE (n)
        FROM (SELECT *, row_number() OVER () - 1 AS n FROM given)
    """)
    con.execute("""
        CREATE OR REPLACE TABLE compared AS
        SELECT * EXCLUDE (low, high, relative_low, relative_high) REPLACE (NULL AS minimum_detectable_effect)
        FROM ranking_compare_by_user('by_user', baseline := '0')
    """)
    assert value(con, "SELECT count(*) FROM compared") == draws * 3 * 6 * 2
    alarms = "SELECT DISTINCT k FROM compared WHERE verdict <> 'unclear'"
    alone = [k for (k,) in con.execute(alarms).fetchall()]
    low = "SELECT k FROM compared GROUP BY k HAVING min(p) < 0.06 / 36"  # a larger p is not below 0.05 then
    gated = 0
    for (k,) in con.execute(low).fetchall():
        query = f"WITH seen AS (FROM compared WHERE k = {k}) SELECT verdict, method FROM ranking_gate('seen')"
        rows = con.execute(query).fetchall()
        assert {method for _, method in rows} == {"t, holm of 36"}
        gated += any(verdict != "unclear" for verdict, _ in rows)
    print(
        f"{gated / draws:.1%} with the gate's correction, {len(alone) / draws:.1%} with that of each measure"
    )
    assert gated / draws < 0.05 + 3 * math.sqrt(0.05 * 0.95 / draws)
    assert len(alone) / draws > 0.1


def test_a_gate_corrects_over_all_of_its_rows(con: duckdb.DuckDBPyConnection) -> None:
    """As statsmodels does; the rest of what depends on it follows."""
    table(con)
    con.execute("UPDATE by_user SET ndcg = ndcg + 0.3 * (system = 'c')::INTEGER")
    con.execute("""
        CREATE OR REPLACE TABLE compared AS
        FROM ranking_compare_by_user('by_user', baseline := 'a', margin := 0.3) WHERE segment IS NOT NULL
    """)
    for word, method in (("holm", "holm"), ("bh", "fdr_bh"), ("none", None)):
        query = f"FROM ranking_gate('compared', confidence := 0.9, correction := '{word}'"
        assert {row["users_needed"] for row in rows(con, f"{query})")} == {
            None
        }  # for which margin, it cannot know
        gated = rows(con, f"{query}, margin := 0.3)")
        assert len(gated) == 2 * 2 * 2 * 2
        for name in ("p", "p_same"):
            found = [row[name] for row in gated]
            expected = found if method is None else multitest.multipletests(found, method=method)[1]
            for row, p in zip(gated, expected, strict=True):
                assert is_close(row[f"{name}_adjusted"], p, CLOSE)
        for row in gated:
            assert row["method"] == ("t, none" if method is None else f"t, {word} of 16")
            alpha = 0.1 / (1 if method is None else 16)
            at = stats.t.ppf([1 - alpha / 2, 0.8], row["users"] - 1).sum()
            assert is_close(row["minimum_detectable_effect"], at * row["standard_error"], 1e-9)
            sure = "better" if row["difference"] > 0 else "worse"
            expected = sure if row["p_adjusted"] < 0.1 else "unclear"
            assert row["verdict"] == ("same" if row["p_same_adjusted"] < 0.1 else expected)
            needed = math.ceil(row["users"] * (at * row["standard_error"] / 0.3) ** 2)
            assert row["users_needed"] == (needed if row["verdict"] == "unclear" else None)
        assert {"better", "same"} <= {row["verdict"] for row in gated}


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 10, 30])
def test_systems_that_differ_by_the_margin_are_rarely_the_same(
    con: duckdb.DuckDBPyConnection, n: int
) -> None:
    """They differ through one user in a hundred, by 1: for n = 2, 10 and 30, 98, 91 and 72 % were the same.

    Of 300 users, 17 % are, since t does not hold where one or two of them differ: a limit of the test itself.
    """
    differs = np.random.default_rng(n).random((1_000, 1, n)) < 0.01
    replicates(con, np.concatenate((np.zeros(differs.shape), differs), axis=1))
    con.execute("ALTER TABLE by_user RENAME x TO recall")
    rows = compare(con, ", margin := 0.01", columns="verdict")
    same = sum(row["verdict"] == "same" for row in rows) / 1_000
    print(f"n = {n}: {same:.1%}")
    assert same < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1_000)

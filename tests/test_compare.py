"""Test the paired comparison of systems: other libraries, definitions, edge cases."""

import itertools
import math
import random
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from unittest.mock import Mock

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
from ranking_udfs.compose.templates import module
from ranking_udfs.measures.contents import CONTENTS
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, Patch, is_close, module_connection, rows, value

CLOSE = 1e-12
ENDS = ("low", "high", "relative_low", "relative_high")
Row = dict[str, Any]


con = module_connection()


def compare(con: Con, options: str = "", table: str = "by_user", columns: str = "*") -> list[Row]:
    """Return the comparison; fewer columns make thousands of rows much faster."""
    return rows(con, f"SELECT {columns} FROM ranking.compare_by_user('{table}'{options})")


def draws(con: Con, *groups: Any, measure: str = "x") -> None:
    """Make a table of values by draw (as k, from 1), system and user (from 0); groups may differ in users."""
    parts, first = list[pa.Table](), 1
    for values in map(np.asarray, groups):
        count, systems, users = values.shape
        n = np.arange(values.size)
        columns = {"k": first + n // (systems * users), "system": n // users % systems, "userid": n % users}
        parts.append(pa.table({**columns, measure: pa.array(values.ravel(), from_pandas=True)}))
        first += count
    con.register("given", pa.concat_tables(parts))
    con.execute("CREATE OR REPLACE TABLE by_user AS FROM given")


def has_power(effect: float, users: float, alpha: float) -> bool:
    """Return whether the t-test of so many users has 80 % power, by statsmodels."""
    return bool(power.TTestPower().power(abs(effect), users, alpha) >= 0.8)


def exact_t_p(t: float, df: float) -> mpmath.mpf:
    """Compute the two-sided p as a hypergeometric series with 60 digits."""
    with mpmath.workdps(60):
        half, x = mpmath.mpf(df) / 2, df / (df + mpmath.mpf(t) ** 2)
        beta = mpmath.loggamma(half) + mpmath.loggamma(0.5) - mpmath.loggamma(half + 0.5)
        front = mpmath.exp(half * mpmath.log(x) + mpmath.log1p(-x) / 2 - mpmath.log(half) - beta)
        return front * mpmath.hyp2f1(half + 0.5, 1, half + 1, x)


@pytest.mark.slow
@pytest.mark.parametrize("df", [1, 2, 3, 7, 20, 99, 1_000, 12_345, 10**5, 10**6, 10**7, 10**8])
def test_students_t_has_twelve_digits(con: Con, df: int) -> None:
    ts = [1e-6, 0.01, 0.5, 1, 1.7, 2, 3, 5, 9, 15, 25, 37, *([1e3, 1e6, 1e12] if df < 50 else [])]
    exact = {t: p for t in ts if (p := exact_t_p(t, df)) >= 1e-300}
    assert len(exact) >= 10
    given = [df, list(exact), list(map(float, exact.values()))]
    student_t = module("tables/internal/student_t.jinja")
    for is_portable in (False, True):
        both = student_t.p(is_portable, "t", "$1"), student_t.quantile(is_portable, "p", "$1")
        query = f"""SELECT t, {", ".join(map(str, both))}
            FROM (SELECT unnest($2::DOUBLE[]) AS t, unnest($3::DOUBLE[]) AS p)"""
        found = con.execute(query, given).fetchall()
        assert [t for t, *_ in found] == list(exact)
        for t, p, quantile in found:
            assert abs(p / exact[t] - 1) < 1e-12, t
            # Beyond 0.999, a DOUBLE of p determines t to fewer digits.
            assert exact[t] >= 0.999 or quantile == pytest.approx(t, rel=1e-12), t


def draw(n: int, seed: int, effect: float = 0.1) -> tuple[list[float], list[float]]:
    chance = random.Random(seed)
    ours = [chance.betavariate(1, 3) for _ in range(n)]
    return ours, [min(1, max(0, x + chance.gauss(effect * 0.2, 0.2))) for x in ours]


@pytest.mark.parametrize("confidence", [0.95, 0.8, 0.999])
def test_p_and_intervals_match_scipy_and_statsmodels(con: Con, confidence: float) -> None:
    """Compare 2 to 5,000 users, and differences that shrink by 0 to 0.06.

    Statsmodels has the two one-sided tests. Fieller's interval of the relative difference ends where a
    t-test rejects the ratio.
    """
    drawn: list[Any] = [[draw(n, seed) for seed in range(3)] for n in (2, 3, 10, 100, 5_000)]
    shrunk = np.random.default_rng(1).normal(0.3, 0.2, (20, 2, 400))
    shrunk[:, 1] -= np.linspace(0, 0.06, 20)[:, None]
    drawn.append(shrunk.tolist())
    draws(con, *drawn)
    columns = "p, low, high, relative, relative_low, relative_high, p_same_adjusted, verdict"
    found = compare(con, f", confidence := {confidence}, margin := 0.03", columns=columns)
    for (ours, theirs), row in zip(itertools.chain(*drawn), found, strict=True):
        expected = stats.ttest_rel(theirs, ours)
        interval = expected.confidence_interval(confidence)
        p_same = weightstats.ttost_paired(np.array(theirs), np.array(ours), -0.03, 0.03)[0]
        least_p = 2.0 ** (1 - len(ours))  # of the signs
        relative = np.mean(theirs) / np.mean(ours) - 1
        for column, exact in {"p": max(expected.pvalue, least_p), "relative": relative,
                              "p_same_adjusted": max(p_same, least_p / 2)}.items():  # fmt: skip
            assert is_close(row[column], exact, 1e-9), column
        if least_p >= 1 - confidence:
            assert {row[name] for name in ENDS} == {None}
            assert row["verdict"] == "unclear"
            continue
        assert (row["low"], row["high"]) == pytest.approx(interval, rel=1e-9)
        assert (row["verdict"] == "same") == (p_same < 1 - confidence)
        ends = row["relative_low"], row["relative_high"]
        if confidence < 0.99:
            assert ends[0] < relative < ends[1]
            ps = [stats.ttest_rel(theirs, (1 + end) * np.array(ours)).pvalue for end in ends]
            assert ps == pytest.approx([1 - confidence] * 2, abs=1e-9)
    assert confidence != 0.95 or {"same", "unclear", "worse"} <= {row["verdict"] for row in found}


def sign_flip_p(differences: np.ndarray, permutations: int, seed: int) -> float | None:
    """Return p, which is the same in the shortest parts as in one."""
    flips = flip_signs(differences, permutations, seed)
    part = flip_signs(differences, permutations, seed, until=0)
    while part.p is None:
        part = flip_signs(differences, permutations, seed, part, until=0)
    assert part == flips
    return flips.p


@pytest.mark.parametrize("n", [1, 2, 7, 13, 14])
def test_randomization_of_few_differences_is_exact_as_in_scipy(n: int) -> None:
    """Sums of tenths are often equal, whatever their rounding."""
    chance, tenths = np.random.default_rng(n), np.array([1, 3] * 7) / 10
    turned = np.where(np.arange(14) < 3, -1, 1)
    drawn = (chance.normal(0.3, 1, n), chance.integers(-3, 6, n) / 10)
    for differences in drawn if n < 14 else (tenths, tenths * turned):
        known = differences[differences != 0]
        if len(known) < 2:  # SciPy wants two
            assert sign_flip_p(differences, 1, 0) == 1
            continue
        expected = stats.permutation_test(
            (known,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
        )
        assert sign_flip_p(differences, 1, 0) == expected.pvalue


def test_randomization_draws_signs_from_21_differences_on() -> None:
    assert sign_flip_p(np.ones(20), 9, 0) == 2 / 2**20
    assert sign_flip_p(np.array([0.0, *[1] * 20]), 9, 0) == 2 / 2**20
    assert sign_flip_p(np.ones(21), 9, 0) == 1 / 10


def pcg64(generator: np.random.PCG64) -> Iterator[int]:
    """Yield the raw bits of PCG64 (O'Neill 2014), from the state of the generator."""
    state, step = (generator.state["state"][name] for name in ("state", "inc"))
    while True:
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + step) % 2**128
        folded, turn = (state >> 64) ^ (state % 2**64), state >> 122
        yield (folded >> turn | folded << (64 - turn)) % 2**64


@pytest.mark.parametrize(("seed", "at_once", "groups"), [(0, 1 << 14, 512), (7, 128, 8)])
def test_drawn_signs_are_the_bits_of_pcg64(seed: int, at_once: int, groups: int, monkeypatch: Patch) -> None:
    """Draw the signs in plain Python, for 64 differences at a time."""
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


def test_randomization_in_parts_gives_same_p(con: Con, monkeypatch: Patch) -> None:
    """Give system 4 only 20 users, so that all their signs are tried."""
    con.execute("""
        CREATE OR REPLACE TABLE by_user AS
        SELECT s AS system, userid, k, round(hash(s, userid, k) / 2 ** 64 + s * coalesce(k, 9) / 100, 2) AS x
        FROM range(5) systems(s), range(300) users(userid), (SELECT unnest([NULL, 1, 5]) AS k)
        WHERE s < 4 OR userid < 20
    """)
    query = "FROM ranking.compare_by_user('by_user', test := 'randomization', permutations := 20_000)"
    expected = con.execute(query).fetchall()
    counted = Mock(side_effect=flip_signs)
    monkeypatch.setattr(randomization, "SECONDS", -1)
    monkeypatch.setattr(randomization, "flip_signs", counted)
    assert con.execute(query).fetchall() == expected
    assert len(expected) == 30
    assert counted.call_count == 4 * 3 + 6 * 3 * 2  # exact, or of 16,384 and 3,616


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_no_p_is_below_that_of_the_signs(con: Con, confidence: float) -> None:
    """Draw differences with a common sign, but for one user, next to the same difference for all users.

    A system that is worse for every user has no milder verdict than one that is better for a user. For too
    few users there is no verdict, no interval and no detectable effect, and a caveat says so.
    """
    chance = np.random.default_rng(3)
    sizes = (2, 3, 4, 5, 6, 7, 9, 12, 20)
    for n in sizes:
        varied = -np.exp(chance.normal(0, chance.choice([1e-6, 0.01, 1], (20, 1)), (20, n)))
        varied[10:, 0] *= chance.choice([1, -1e-3], 10)
        draws(con, np.array([[np.zeros(n), *varied, np.full(n, -1.0)]]) / 10, measure="ndcg")
        for options in ("", ", margin := 5", ", test := 'randomization'"):
            usual = f", baseline := '0', correction := 'none', confidence := {confidence}"
            found = compare(con, f"{usual}{options}")
            *others, constant = found
            least_p = 2.0 ** (1 - n)
            assert constant["p"] == least_p
            assert all(row["p"] >= least_p for row in others)
            assert all(row["p_same"] is None or row["p_same"] >= least_p / 2 for row in found)
            assert constant["verdict"] != "unclear" or {row["verdict"] for row in others} == {"unclear"}
            for row in others:
                ends = [row[name] for name in (*ENDS[:2], "minimum_detectable_effect")]
                is_too_few = least_p >= 1 - confidence
                assert is_too_few == ("too_few_users" in (row["caveats"] or ""))
                assert [end is None for end in ends] == [is_too_few] * 3
                assert not is_too_few or row["relative_low"] is row["relative_high"] is None
                assert not is_too_few or row["verdict"] == "unclear"


def test_users_needed_are_enough_for_a_p_below_alpha(con: Con) -> None:
    """Expect 2^(1 - n) times the family to reach 0.05, however clear the difference is."""
    clear = [1 + i / 1e6 for i in range(3)]
    for correction, family, expected in (("holm", 1, 6), ("holm", 2, 7), ("bh", 4, 8), ("none", 4, 6)):
        draws(con, [[[0] * 3, *[clear, [1] * 3] * family][: family + 1]])
        found = compare(con, f", baseline := '0', correction := '{correction}'", columns="users_needed")
        assert [row["users_needed"] for row in found] == [expected] * family
        assert 2 ** (1 - expected) * (1 if correction == "none" else family) < 0.05
        assert 2 ** (2 - expected) * (1 if correction == "none" else family) >= 0.05


def test_p_of_many_users_is_never_0(con: Con) -> None:
    chance = np.random.default_rng(4)
    for values in (np.ones(5_000), 1 + chance.random(5_000) / 1e3):
        draws(con, [[np.zeros(5_000), values]], measure="recall")
        for options in ("", ", margin := 2"):
            (row,) = compare(con, options)
            assert 0 < row["p"] < 1e-300
            assert row["p_adjusted"] == row["p"]
            assert options == "" or 0 < row["p_same"] < 1e-300


def test_zero_variance_is_same_by_rule_of_three_only(con: Con) -> None:
    """If none of n users differs, up to 1 - alpha^(1/n) of all users might, each by 1."""
    might = {n: 1 - 0.05 ** (1 / n) for n in (6, 59, 300)}
    edges = ([[[0] * n, *([0.9 - share + d] * n for d in (-0.001, 0.001))]] for n, share in might.items())
    draws(con, *edges, measure="recall")
    found = compare(con, ", baseline := '0', margin := 0.9, correction := 'none'", columns="p, verdict")
    for within, beyond in zip(found[:3], found[3:], strict=True):
        assert within["verdict"] == "same"
        assert beyond["verdict"] == ("unclear" if beyond["p"] >= 0.05 else "better")
    draws(con, *([[[0] * n] * 2] for n in might), measure="recall")
    for part, expected in ((-0.001, "unclear"), (0.001, "same")):
        found = compare(con, f", margin := {might[59] + part}", columns="verdict")
        assert [row["verdict"] for row in found] == ["unclear", expected, "same"]


def test_comparison_of_ten_thousand_systems_fits_in_memory() -> None:
    """Need a megabyte per thousand systems; all pairs of them would take 6 GB."""
    with ranking_udfs.register(duckdb.connect(config={"memory_limit": "400MB"})) as con:
        con.execute("""
            CREATE TABLE by_user AS SELECT 's' || s AS system, u AS userid, hash(s, u) / 2 ** 64 AS x
            FROM range(10_000) a(s), range(3) b(u)
        """)
        found = "SELECT count(DISTINCT system) FROM ranking.compare_by_user('by_user', baseline := 's7')"
        assert value(con, found) == 9_999


def test_differences_of_any_scale_keep_their_digits(con: Con) -> None:
    """Compare with fractions: the differences are small relative to their values."""
    chance = np.random.default_rng(2)
    ours = 1_000 + chance.random(300)
    scales = (1e-6, 1.0, 1e9, 1e150)
    drawn = np.outer(scales, [*ours, *(ours + chance.normal(0.3, 1, 300))]).reshape(4, 2, 300)
    draws(con, drawn)
    rows = compare(con, columns="difference, effect_size")
    for scale, both, row in zip(scales, drawn.tolist(), rows, strict=True):
        found = [Fraction(y) - Fraction(x) for x, y in zip(*both, strict=True)]
        mean = sum(found) / 300
        variance = sum((x - mean) ** 2 for x in found) / 299
        assert row["difference"] == pytest.approx(float(mean), rel=1e-15)
        effect = float(mean / Fraction(scale)) / math.sqrt(variance / Fraction(scale) ** 2)
        assert row["effect_size"] == pytest.approx(effect, rel=1e-13)


def table(con: Con, systems: str = "'a', 'b', 'c'", users: int = 40) -> None:
    """Make values of three measures at two k, in two segments and none."""
    con.execute(f"""
        CREATE OR REPLACE TABLE by_user AS
        SELECT system, userid, k, CASE userid % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'y' END AS segment,
            1 AS n_rec, 'text' AS note, hash(system, userid, k) % 101 / 101 AS ndcg,
            hash(system, userid, k, 1) % 101 / 101 AS "Recall", hash(system, userid) % 9 AS ideal_dcg,
            hash(userid, system, 2) % 7 AS clicks
        FROM (SELECT unnest([{systems}]) AS system), (SELECT unnest([5, 10]) AS k), range({users}) u(userid)
    """)


@pytest.mark.slow
def test_randomization_of_many_differences_needs_little_memory() -> None:
    differences = np.random.default_rng(1).normal(0.001, 0.3, 300_000)
    tracemalloc.start()  # NumPy reports its arrays to it
    p = flip_signs(differences, 10_000, 0).p
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert p is not None
    assert 0 < p < 1
    assert differences.nbytes < peak < 200 * 2**20


@pytest.mark.slow
def test_p_equivalence_and_detectable_effect_are_corrected(con: Con) -> None:
    """Expect the corrections of statsmodels over a measure and k; a gate corrects over all of its rows."""
    table(con, systems="'a', 'b', 'c', 'd', 'e'")
    con.execute("UPDATE by_user SET ndcg = ndcg + 0.3 * (system = 'c')::INTEGER")
    call = "FROM ranking.compare_by_user('by_user', baseline := 'a', {})"
    compared = f"{call.format('margin := 0.3')} WHERE segment IS NOT NULL"
    con.execute(f"CREATE OR REPLACE TABLE compared AS {compared}")
    needed = rows(con, "SELECT DISTINCT users_needed FROM ranking.gate('compared')")
    assert needed == [{"users_needed": None}]  # a gate does not know the margin of the comparison
    for word, method in (("holm", "holm"), ("bh", "fdr_bh"), ("none", None)):
        options = f"confidence := 0.9, correction := '{word}', margin := 0.3"
        gated = rows(con, f"FROM ranking.gate('compared', {options})")
        families = {(): gated}
        for row in rows(con, call.format(options)):
            families.setdefault((row["measure"], row["k"]), []).append(row)
            half = stats.t.ppf(0.95, row["users"] - 1) * row["standard_error"]  # each interval alone
            assert is_close(row["high"] - row["difference"], half, 1e-9)
        assert sorted(map(len, families.values())) == [12, 12, 12, 12, 32]
        for family in families.values():
            for name in ("p", "p_same"):
                ps = [row[name] for row in family]
                expected = ps if method is None else multitest.multipletests(ps, method=method)[1]
                adjusted = [row[f"{name}_adjusted"] for row in family]
                assert adjusted == pytest.approx([*expected], rel=CLOSE, abs=CLOSE)
            for row in family:
                assert row["method"] == ("t, none" if method is None else f"t, {word} of {len(family)}")
                alpha = 0.1 / (1 if method is None else len(family))
                quantiles = stats.t.ppf([1 - alpha / 2, 0.8], row["users"] - 1).sum()
                assert is_close(row["minimum_detectable_effect"], quantiles * row["standard_error"], 1e-9)
                sign = "better" if row["difference"] > 0 else "worse"
                verdict = sign if row["p_adjusted"] < 0.1 else "unclear"
                assert row["verdict"] == ("same" if row["p_same_adjusted"] < 0.1 else verdict)
                assert (row["users_needed"] is None) == (row["verdict"] != "unclear")
                if users := row["users_needed"]:
                    effect = 0.3 / row["standard_error"] / math.sqrt(row["users"])
                    assert has_power(effect, users + 1, alpha) > has_power(effect, users - 2, alpha)
        assert {"better", "same", "unclear"} <= {row["verdict"] for row in gated}


def test_names_suggesting_lower_is_better_have_caveat(con: Con) -> None:
    """Expect no caveat for a measure of the registry; lower_is_better removes it."""
    doubtful = "latency_ms p95_latency Cost price_eur avg_rank error_rate errors loss".split()  # noqa: SIM905
    others = "clicks revenue watch_ms price_match corank costumes lossless duration".split()  # noqa: SIM905
    registered = (*MEASURES.values(), *CONTENTS.values())
    known = {choice.name for choice in registered if choice.higher_is_better is not False} - {"n_items"}
    names = [*doubtful, *others, *sorted(known)]
    columns = ", ".join(f'hash(system, userid) % 7 / 7 AS "{name}"' for name in names)
    con.execute(f"""CREATE OR REPLACE TABLE by_user AS SELECT system, userid, {columns}
        FROM range(30) users(userid), (VALUES ('a'), ('b')) systems(system)""")
    call = "FROM ranking.compare_by_user('by_user', measures := $1"
    neutral = {"ideal_dcg", "judged_share"}
    compared = [name for name in names if name not in neutral]
    query = f"SELECT measure {call}) WHERE caveats = 'perhaps_lower_is_better'"
    assert [name for (name,) in con.execute(query, [compared]).fetchall()] == doubtful
    with pytest.raises(duckdb.Error, match="must say which of two systems is better, got judged_share"):
        con.execute(query, [["judged_share"]])
    lower = [*doubtful, "judged_share"]
    query = f"SELECT caveats, higher_is_better {call}, lower_is_better := $1)"
    assert con.execute(query, [lower]).fetchall() == [(None, False)] * len(lower)

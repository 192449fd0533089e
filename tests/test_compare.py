"""Paired comparison of systems: published examples, other libraries, edges, errors, the same in any order."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import multitest, weightstats

import udfs
from tests.conftest import is_close

CLOSE = 1e-12
# Sakai (2014), Statistical Reform in Information Retrieval?, 20 topics: baseline and system.
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)
# Darwin's maize, as in Fisher (1935): crossed less self-fertilised, in eighths of an inch.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
# Benjamini and Hochberg (1995): the 15 p-values of their example.
P_VALUES = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip

Row = dict[str, Any]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield udfs.register(connection)


def compare(con: duckdb.DuckDBPyConnection, options: str = "", table: str = "by_user") -> list[Row]:
    result = con.execute(f"FROM ranking_compare_by_user('{table}'{options})")
    names = [name for name, *_ in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


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


def test_students_sleep_data(con: duckdb.DuckDBPyConnection) -> None:
    """R's `t.test(extra ~ group, data = sleep, paired = TRUE)`, one less the other."""
    row = two(con, SLEEP[1], SLEEP[0])
    assert round(row["difference"] / row["standard_error"], 4) == -4.0621
    assert round(row["p"], 6) == 0.002833
    assert [round(row[name], 7) for name in ("low", "high")] == [-2.4598858, -0.7001142]
    assert (row["wins"], row["ties"], row["losses"]) == (0, 1, 9)
    assert row["verdict"] == "worse"
    assert two(con, SLEEP[1], SLEEP[0], ", test := 'randomization'")["p"] == 4 / 1024


def test_darwins_maize(con: duckdb.DuckDBPyConnection) -> None:
    row = two(con, [0] * 15, MAIZE)
    assert round(row["difference"] / row["standard_error"], 3) == 2.148
    assert round(row["p"], 4) == 0.0497
    assert (row["relative"], row["relative_low"]) == (None, None)  # of a baseline of 0
    assert two(con, [0] * 15, MAIZE, ", test := 'randomization'")["p"] == 1726 / 32768


# --- Other libraries ---


def draw(n: int, seed: int, effect: float = 0.1) -> tuple[list[float], list[float]]:
    chance = random.Random(seed)
    ours = [chance.betavariate(1, 3) for _ in range(n)]
    return ours, [min(1, max(0, x + chance.gauss(effect * 0.2, 0.2))) for x in ours]


@pytest.mark.parametrize("n", [2, 3, 10, 100, 5_000])
def test_p_and_interval_are_those_of_scipy(con: duckdb.DuckDBPyConnection, n: int) -> None:
    for seed in range(3):
        ours, theirs = draw(n, seed)
        for confidence in (0.95, 0.8, 0.999):
            row = two(con, ours, theirs, f", confidence := {confidence}")
            expected = stats.ttest_rel(theirs, ours)
            interval = expected.confidence_interval(confidence)
            assert is_close(row["p"], expected.pvalue, 1e-9)
            assert is_close(row["low"], interval.low, 1e-9)
            assert is_close(row["high"], interval.high, 1e-9)


def test_p_is_adjusted_as_by_statsmodels(con: duckdb.DuckDBPyConnection) -> None:
    chance = random.Random(3)
    systems = {f"s{i:02}": [chance.gauss(i / 40, 1) for _ in range(200)] for i in range(12)}
    by_user(con, **systems)
    for word, method in (("holm", "holm"), ("bh", "fdr_bh")):
        rows = compare(con, f", baseline := 's00', correction := '{word}'")
        expected = multitest.multipletests([row["p"] for row in rows], method=method)[1]
        assert len(rows) == 11
        for row, p in zip(rows, expected, strict=True):
            assert is_close(row["p_adjusted"], p, CLOSE)
            assert row["method"] == f"t, {word} of 11"
    assert all(
        row["p_adjusted"] == row["p"] for row in compare(con, ", baseline := 's00', correction := 'none'")
    )


def test_the_same_are_those_of_two_one_sided_tests(con: duckdb.DuckDBPyConnection) -> None:
    found = set()
    for seed in range(20):
        ours, theirs = (np.random.default_rng([seed, one]).normal(0.3, 0.2, 400) for one in (1, 2))
        p = weightstats.ttost_paired(theirs, ours, -0.03, 0.03)[0]
        row = two(con, ours.tolist(), theirs.tolist(), ", margin := 0.03")
        if row["p"] >= 0.05:
            assert row["verdict"] == ("same" if p < 0.05 else "unclear"), seed
            found.add(row["verdict"])
    assert found == {"same", "unclear"}


# --- Edges ---


def test_one_user_has_a_difference_and_no_more(con: duckdb.DuckDBPyConnection) -> None:
    row = two(con, [0.25], [0.75])
    assert (row["users"], row["difference"], row["wins"], row["verdict"]) == (1, 0.5, 1, "unclear")
    names = ["low", "high", "relative_low", "relative_high", "standard_error", "effect", "p", "p_adjusted"]
    assert [row[name] for name in [*names, "detectable"]] == [None] * 9


def test_all_users_equal(con: duckdb.DuckDBPyConnection) -> None:
    row = two(con, [0.3, 0.5, 1], [0.1 + 0.2, 0.5, 1])
    assert (row["difference"], row["low"], row["high"], row["p"], row["effect"]) == (0, 0, 0, 1, None)
    assert (row["wins"], row["ties"], row["losses"], row["verdict"]) == (0, 3, 0, "unclear")


def test_a_constant_difference(con: duckdb.DuckDBPyConnection) -> None:
    row = two(con, [0.1, 0.2, 0.3], [0.2, 0.3, 0.4])
    assert row["low"] == row["high"] == row["difference"] == pytest.approx(0.1)
    assert (row["p"], row["effect"], row["verdict"]) == (0, None, "better")


def test_a_pair_with_a_null_is_left_out_of_both_means(con: duckdb.DuckDBPyConnection) -> None:
    row = two(con, [0.5, None, 0.1, 0.2, None], [0.7, 0.9, None, 0.3, None])
    assert (row["users"], row["users_undefined"]) == (2, 3)
    assert (row["mean_baseline"], row["mean_system"]) == (0.35, 0.5)


def test_a_user_of_one_system_alone_is_undefined(con: duckdb.DuckDBPyConnection) -> None:
    row = two(con, [0.5, 0.25, 1], [0.75, 0.25])
    assert (row["users"], row["users_undefined"], row["mean_baseline"]) == (2, 1, 0.375)

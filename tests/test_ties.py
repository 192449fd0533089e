"""Expected values over all orders of tied items: by hand, over all permutations, and by outside witnesses."""

import math
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats

import ranking_udfs
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import is_close, literal, with_internals
from tests.ties import (
    Tied,
    create_tables,
    cut_query,
    expected_call,
    mean,
    random_cases,
    tied,
)
from tests.witnesses import WITNESSES, Options

CLOSE = 1e-12
EXPECTED = [name for name, measure in MEASURES.items() if measure.expected]


def at(macro: str, struct: str, k: int | None) -> str:
    """A query of one row, with a column `ranking`."""
    return f"SELECT {macro}(tied, {literal(k)}) AS ranking FROM (SELECT {struct} AS tied FROM range(1))"


def expected(
    con: duckdb.DuckDBPyConnection, case: "Tied | str", k: int | None, calls: Sequence[tuple[str, Options]]
) -> Any:
    """What the macros find."""
    struct = case if isinstance(case, str) else case.struct()
    columns = ", ".join(expected_call(name, options) for name, options in calls)
    return con.execute(f"SELECT {columns} FROM ({at('_ranking_tied_at', struct, k)})").fetchone()


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield with_internals(ranking_udfs.register(connection))


# --- Worked by hand ---

# A miss, and then three tied items of which one is relevant; another relevant item is not listed.
ONE = Tied([("a", 3), ("b", 2), ("c", 2), ("d", 2)], {"b": 1, "e": 1})
# Two of three tied items are relevant. Their orders: hit hit miss, hit miss hit, miss hit hit.
TWO = Tied([("a", 1), ("b", 1), ("c", 1)], {"a": 1, "b": 1})
GRADED = Tied([("a", 1), ("b", 1), ("c", 0)], {"a": 3, "b": 1, "c": 1, "x": 0})
# A hit, and a tie of a relevant and another item: (hit) hit miss, (hit) miss hit
BELOW = Tied([("a", 2), ("b", 1), ("c", 1)], {"a": 1, "b": 1})
LOG3 = 1 / math.log2(3)
WORKED: list[tuple[str, Tied, int | None, Options, float]] = [
    ("recall", ONE, 2, {}, (1 / 3) / 2),
    ("recall", ONE, 1, {"normalize": "min"}, 0),
    ("recall", ONE, None, {}, 1 / 2),
    ("precision", ONE, 3, {}, (2 / 3) / 3),
    ("precision", ONE, 9, {"divide": "k"}, 1 / 9),
    ("f_measure", ONE, 2, {}, 2 * (1 / 3) / (2 + 2)),
    ("hits", TWO, 2, {}, 2 * 2 / 3),
    ("hit_rate", ONE, 2, {}, 1 / 3),
    ("hit_rate", TWO, 1, {}, 2 / 3),
    ("hit_rate", TWO, 2, {}, 1),
    ("mrr", ONE, 3, {}, (1 / 2 + 1 / 3) / 3),
    ("mrr", TWO, None, {}, (1 + 1 + 1 / 2) / 3),
    ("average_precision", ONE, 2, {}, (1 / 2) / 3 / 2),
    ("average_precision", TWO, 2, {}, ((1 + 1) + 1 + 1 / 2) / 3 / 2),
    ("average_precision", TWO, 1, {"normalize": "min"}, 2 / 3),
    ("average_precision", ONE, 3, {"normalize": "k"}, (1 / 2 + 1 / 3) / 3 / 3),
    ("average_precision", TWO, 2, {"normalize": "hits"}, (1 + 1 + 1 / 2) / 3),
    ("average_precision", BELOW, None, {}, ((1 + 1) + (1 + 2 / 3)) / 2 / 2),
    ("auc", ONE, 2, {}, (0 + 0.5 + 0.5) / 3),
    ("auc", ONE, None, {}, (0 + 1 / 2 + 1 / 2) / 3),
    ("auc", TWO, 2, {}, (0.5 + 1 + 0) / 3),
    ("auc", BELOW, 2, {}, (0.5 + 1) / 2),
    ("auc", BELOW, None, {}, (1 + 1 / 2) / 2),
    ("dcg", GRADED, 1, {}, (7 + 1) / 2),
    ("dcg", GRADED, 2, {"gain": "linear"}, (3 + 1) * (1 + LOG3) / 2),
    ("ideal_dcg", GRADED, 2, {}, 7 + LOG3),
    ("ndcg", GRADED, 1, {}, (7 + 1) / 2 / 7),
    ("ndcg", ONE, 2, {}, LOG3 / 3 / (1 + LOG3)),
    ("ndcg", GRADED, 1, {"ideal": "truth"}, (7 + 1) / 2 / (7 + LOG3 + 1 / 2)),
    ("ndcg", ONE, 3, {"ideal": "k"}, (LOG3 + 1 / 2) / 3 / (1 + LOG3 + 1 / 2)),
    ("cumulative_gain", GRADED, 1, {}, (3 + 1) / 2),
    ("cumulative_gain", GRADED, 3, {"gain": "exp"}, 7 + 1 + 1),
    ("rbp", ONE, 3, {}, 0.2 * (0.8 + 0.8**2) / 3),
    ("rbp", GRADED, 2, {"gain": "graded", "persistence": 0.5}, 0.5 * (3 / 4 + 1 / 4) * (1 + 0.5) / 2),
    ("half_life_utility", ONE, 2, {"half_life": 2}, (1 / 2) / 3 / (1 + 1 / 2)),
    ("half_life_utility", GRADED, 2, {"half_life": 2, "neutral": 1}, (2 + 2 / 2) / 2 / 2),
    ("r_precision", TWO, None, {}, (2 + 1 + 1) / 3 / 2),
    ("r_precision", TWO, 1, {}, (1 + 1 + 0) / 3 / 2),
]


def test_a_worked_case_holds(con: duckdb.DuckDBPyConnection) -> None:
    assert {name for name, *_ in WORKED} == set(EXPECTED)
    for name, case, k, options, want in WORKED:
        (found,) = expected(con, case, k, [(name, options)])
        assert is_close(found, want, CLOSE), (name, case, k, options)


def test_nothing_relevant_is_what_the_registry_says(con: duckdb.DuckDBPyConnection) -> None:
    """In tables, truth without an item is as truth without a relevant one, whether or not there is a list."""
    want = [MEASURES[name].empty.value for name in EXPECTED]
    for truth in ({}, {"a": 0}):
        for rows, k in (([("a", 1), ("b", 1)], 1), ([("a", 1)], 0), ([], 3)):
            assert list(expected(con, Tied(rows, truth), k, [(name, {}) for name in EXPECTED])) == want


def test_a_grade_that_a_measure_cannot_take_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    high = Tied([("a", 1), ("b", 1)], {"a": 1001})
    gains = "1000 or less with gain=exp (gain := 'linear' takes any), got 1001"
    for name, options, rule, lower in (
        *((name, {"gain": "exp"}, gains, "linear") for name in ("dcg", "ideal_dcg", "cumulative_gain")),
        ("ndcg", {"ideal": "truth"}, gains, "linear"),
        ("rbp", {"gain": "graded"}, "max_grade=4 or less, got 1001", "binary"),
    ):
        with pytest.raises(duckdb.InvalidInputException, match=re.escape(f"{name}: a grade must be {rule}")):
            expected(con, high, 1, [(name, options)])
        assert expected(con, high, 1, [(name, {"gain": lower})])[0] > 0


# --- All permutations ---


def expected_of_all(
    con: duckdb.DuckDBPyConnection, cases: Sequence[Tied], k: int | None, calls: Sequence[tuple[str, Options]]
) -> list[Any]:
    """What the macros find of each case."""
    rows = " UNION ALL ".join(f"SELECT {i} AS i, {case.struct()} AS tied" for i, case in enumerate(cases))
    con.execute(f"CREATE OR REPLACE TABLE cases AS {rows}")
    columns = ", ".join(expected_call(name, options) for name, options in calls)
    return con.execute(f"SELECT {columns} FROM ({cut_query('cases', k, calls)}) ORDER BY i").fetchall()


def largest_difference(con: duckdb.DuckDBPyConnection, cases: Sequence[Tied]) -> float:
    """The largest of all measures, options and cut-offs, absolute up to 1 and relative above."""
    calls = [(name, options) for name in EXPECTED for options in ({}, *WITNESSES[name].options)]
    rankings = [case.rankings() for case in cases]
    largest = 0.0
    for k in (0, 1, 2, 3, 5, None):
        for orders, found in zip(rankings, expected_of_all(con, cases, k, calls), strict=True):
            for (name, options), one in zip(calls, found, strict=True):
                want = mean(name, orders, k, options)
                largest = max(largest, abs(one - want) / max(1, abs(want)))
    return largest


@pytest.mark.slow
def test_it_is_the_mean_over_all_orders(con: duckdb.DuckDBPyConnection) -> None:
    cases = random_cases(random.Random(7), n=45, longest=5)
    assert any(len(case.ties()) == 1 and len(case.rows) == 5 for case in cases)
    assert any(not case.rows and case.truth for case in cases)
    assert any(len(case.rankings()) > 10 for case in cases)
    assert largest_difference(con, cases) < CLOSE


# --- Tables ---

COLUMNS = [name for name in EXPECTED if MEASURES[name].column]
UUID = "('00000000-0000-0000-0000-00000000000' || itemid)"


# How the tables `given` and `judged` are read, and the arguments that say so.
HUGE = "CASE WHEN NOT isnan(score) THEN score::HUGEINT END AS score"
NAMES = "user_col := 'who', item_col := 'what', score_col := 'p', grade_col := 'stars', system_col := 'model'"
LAYOUTS = {
    "DOUBLE": ("FROM given", "FROM judged", ""),
    "HUGEINT": (f"SELECT * REPLACE ({HUGE}) FROM given", "FROM judged", ""),
    "ranks": ("SELECT * REPLACE (-score AS score) FROM given", "FROM judged", ", descending := false"),
    "UUID and text": (
        f"SELECT * REPLACE ({UUID}::UUID AS itemid) FROM given",
        f"SELECT * REPLACE ({UUID} AS itemid) FROM judged",
        "",
    ),
    "other names": (
        "SELECT userid AS who, itemid AS what, score AS p, 'x' AS model FROM given",
        "SELECT userid AS who, itemid AS what, rel AS stars FROM judged",
        f", {NAMES}",
    ),
}


@pytest.mark.slow
def test_a_users_row_is_the_mean_over_all_orders_and_the_summary_that_of_users(
    con: duckdb.DuckDBPyConnection,
) -> None:
    cases = random_cases(random.Random(8), n=30, longest=5)
    create_tables(con, cases)
    rankings = [case.rankings() for case in cases]
    some_ks: list[list[int | None]] = [[0, 1, 2, 3, None], [1], [2, 3], [3, 40], [2, None]]
    for (rec, truth, names), ks in zip(LAYOUTS.values(), some_ks, strict=True):
        want = {
            k: [[mean(name, orders, k, {}) for name in COLUMNS] for orders in rankings] for k in ks
        }  # by user, then by measure
        con.execute(f"CREATE OR REPLACE VIEW rec AS {rec}; CREATE OR REPLACE VIEW truth AS {truth}")
        arguments = f"('rec', 'truth', {literal(ks)}, ties := 'expected'{names})"
        keys = "system, userid" if "system" in names else "userid"
        query = f"FROM ranking_by_user{arguments} ORDER BY userid"
        found = con.sql(f"SELECT * EXCLUDE ({keys}) {query}")
        assert found.columns == ["k", "n_rec", "n_truth", *COLUMNS]
        users = [user for user in range(len(cases)) for _ in ks]
        for user, (k, n_rec, n_truth, *values) in zip(users, found.fetchall(), strict=True):
            assert (n_rec, n_truth) == (len(cases[user].rows), rankings[user][0][0].relevant)
            assert values == pytest.approx(want[k][user], rel=CLOSE, abs=CLOSE), (cases[user], k, names)
        means = {k: [math.fsum(one) / len(cases) for one in zip(*want[k], strict=True)] for k in ks}
        chosen = ", ".join(f'"{name}"' for name in COLUMNS)
        for k, *values in con.execute(f"SELECT k, {chosen} FROM ranking_summary{arguments}").fetchall():
            assert values == pytest.approx(means[k], rel=CLOSE, abs=CLOSE), k
        spread = con.execute(f"SELECT k, measure, mean FROM ranking_distribution{arguments}").fetchall()
        assert {(k, name) for k, name, _ in spread} == {(k, name) for k in ks for name in COLUMNS}
        for k, name, one in spread:
            assert is_close(one, means[k][COLUMNS.index(name)], CLOSE), (name, k)


# --- Outside witnesses ---


@pytest.mark.slow
def test_it_is_what_scikit_learn_averages_over_ties(con: duckdb.DuckDBPyConnection) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = random.Random(7)
    drawn = []
    for _ in range(15):
        size = draw.randint(2, 40)
        scores = [draw.randint(1, draw.choice([2, 5, 20])) for _ in range(size)]
        drawn.append((scores, [draw.choice([0, 0, 0, 1, 2, 3]) for _ in range(size)]))
    cases = [Tied(list(enumerate(map(float, scores))), dict(enumerate(grades))) for scores, grades in drawn]
    linear = {"gain": "linear"}
    for k in (1, 3, 10, None):
        found = expected_of_all(con, cases, k, [("dcg", linear), ("ndcg", linear), ("auc", {})])
        for (scores, grades), (dcg, ndcg, auc) in zip(drawn, found, strict=True):
            assert is_close(dcg, float(metrics.dcg_score([grades], [scores], k=k)), CLOSE)
            assert is_close(ndcg, float(metrics.ndcg_score([grades], [scores], k=k)), CLOSE)
            if k is None and len({grade > 0 for grade in grades}) == 2:
                want = metrics.roc_auc_score([grade > 0 for grade in grades], scores)
                assert is_close(auc, float(want), CLOSE)


LARGE = [  # above, before, size, hits, k
    *((0, 0, 100_000, 1_000, 10), (0, 0, 100_000, 1_000, 50_000), (10, 3, 100_000, 1_000, 1_010)),
    *((1_000, 0, 100_000, 1, 1_005), (0, 0, 2_000, 30, 700), (500, 20, 2_000, 1_990, 700)),
]


@pytest.mark.parametrize(("above", "before", "size", "hits", "k"), LARGE)
def test_large_ties_keep_nine_digits(
    con: duckdb.DuckDBPyConnection, above: int, before: int, size: int, hits: int, k: int
) -> None:
    """By SciPy's hypergeometric distribution; of the items above the tie, the first `before` are hits."""
    hypergeom: Any = stats.hypergeom
    above_it, one = f"range(1, {before} + 1)", f"list_resize([]::DOUBLE[], {before + hits}, 1)"
    ranks_in_it, lasts = (
        f"{above_it} || list_resize([]::BIGINT[], {hits}, {rank})" for rank in (above + 1, above + size)
    )
    struct = tied(ranks_in_it, lasts, one, one, above + size)
    taken, relevant = k - above, before + hits
    # how many hits of the tie are in the top k, and how often
    some = np.arange(max(0, taken + hits - size), min(hits, taken) + 1)
    share = hypergeom.pmf(some, size, hits, taken)
    # at each rank of the tie: how often nothing above it there is a hit, and then it is one; soon never
    ranks = np.arange(1, min(taken, 4_000) + 1)
    first = hypergeom.pmf(0, size, hits, ranks - 1) * hits / (size - ranks + 1)
    assert len(ranks) == taken or first[-1] < 1e-18
    wrong = some * (above - before + (taken - some) / 2)
    pairs = (before + some) * (k - before - some)
    want = {
        "hits": before + hits * taken / size,
        "hit_rate": 1.0 if before else 1 - share[0] * (some[0] == 0),
        "mrr": 1.0 if before else math.fsum(first / (above + ranks)),
        "auc": math.fsum(share * np.where(pairs > 0, 1 - wrong / np.maximum(pairs, 1), 0.5)),
        "dcg": math.fsum(1 / math.log2(rank + 1) for rank in range(1, before + 1))
        + hits / size * math.fsum(1 / math.log2(above + rank + 1) for rank in range(1, taken + 1)),
    }
    if taken * hits <= 30_000:
        n = np.arange(1, min(hits, taken) + 1)[:, None]  # the n-th hit of the tie at each of its ranks
        here = hypergeom.pmf(n - 1, size, hits, ranks - 1) * (hits - n + 1) / (size - ranks + 1)
        precisions = before + math.fsum((here * (before + n) / (above + ranks)).ravel())
        want["average_precision"] = precisions / relevant
    found = expected(con, struct, k, [(name, {}) for name in want])
    for name, one in zip(want, found, strict=True):
        assert one == pytest.approx(want[name], rel=1e-9, abs=0), name


def test_ties_of_a_long_list_are_those_that_a_search_finds(con: duckdb.DuckDBPyConnection) -> None:
    """From 1,001 items on they are counted off, since a search for each item took a minute for a million."""
    con.execute("""
        CREATE OR REPLACE TEMP TABLE long AS
        SELECT
            u AS userid,
            i AS itemid,
            CASE WHEN i % 50 > u THEN hash(i, u) % (10 ** (u + 1))::INTEGER END AS score
        FROM range(4) q(u), range(1_200) r(i);
        CREATE OR REPLACE TEMP TABLE liked AS
        SELECT u AS userid, i * 3 AS itemid FROM range(5) q(u), range(390) r(i)
    """)
    names = "_ranking.main._ranking_names('userid', 'itemid', 'score', NULL, NULL, true)"
    arguments = f"'long', 'liked', {names}, NULL"
    query = f"""
        SELECT
            tied = _ranking.main._ranking_tied_ranking(judged, scores, list_reverse(scores), NULL),
            len(scores)
        FROM _ranking.main._ranking_tied_judged({arguments}, 'ranking_summary')
        JOIN (SELECT userid, scores FROM _ranking.main._ranking_judged({arguments}, true, 'ranking_summary'))
            USING (userid)
        ORDER BY userid
    """
    assert con.execute(query).fetchall()[:4] == [(True, 1_200)] * 4


def test_options_follow_from_other_grades_and_columns(con: duckdb.DuckDBPyConnection) -> None:
    """Expected values with options, against those with default ones of other grades and columns."""
    cases = [case for case in random_cases(random.Random(5), 60, 7) if case.truth]
    assert any(not case.rows for case in cases)  # who got nothing counts
    create_tables(con, cases)
    grades = "SELECT * REPLACE (log2(1 + greatest(rel, 0)) AS rel) FROM judged"
    con.execute(f"CREATE OR REPLACE TEMP VIEW linear AS {grades}")
    relation = con.sql("""
        SELECT k, ranking_mean(ndcg) AS "ndcg(gain=linear)",
            ranking_mean(coalesce(average_precision * n_truth / nullif(least(n_truth, k), 0), 0))
                AS "average_precision(normalize=min)",
            ranking_mean(average_precision * n_truth / k) AS "average_precision(normalize=k)",
            ranking_mean(coalesce(hits / nullif(least(n_truth, k), 0), 0)) AS "recall(normalize=min)",
            ranking_mean(coalesce(hits / nullif(least(n_rec, k), 0), 0)) AS "precision(divide=list)"
        FROM ranking_by_user('given', 'linear', [2, 3], ties := 'expected')
        GROUP BY k ORDER BY k
    """)
    found = con.sql(f"""
        SELECT COLUMNS(lambda c: c = 'k' OR contains(c, '('))
        FROM ranking_summary(
            'given', 'judged', [2, 3], ties := 'expected', measures := {relation.columns[1:]})
    """)
    assert found.columns == relation.columns
    assert [pytest.approx(row, abs=1e-12) for row in relation.fetchall()] == found.fetchall()

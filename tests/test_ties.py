"""Expected values over all orders of tied items: over all permutations, and by other libraries.

Values by hand stand in right_tables.txt; random options and other k are the fuzzer's (tests/test_fuzz.py).
"""

import math
import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ranking_udfs
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, is_close, literal, module_connection, rows
from tests.ties import Tied, create_tables, mean, random_cases

CLOSE = 1e-12
COLUMNS = [name for name, measure in MEASURES.items() if measure.expected and measure.column]
con = module_connection()

UUID = "('00000000-0000-0000-0000-00000000000' || itemid)"


# How the tables `given` and `judged` are read, and the arguments that say so.
HUGE = "CASE WHEN NOT isnan(score) THEN -score::HUGEINT END"
NAMES = "user_col := 'who', item_col := 'what', score_col := 'p', grade_col := 'stars', system_col := 'model'"
LAYOUTS = {
    "DOUBLE": ("FROM given", "FROM judged", ""),
    "HUGEINT ranks": (
        f"SELECT * REPLACE ({HUGE} AS score) FROM given",
        "FROM judged",
        ", descending := false",
    ),
    "other names, UUID and text": (
        f"SELECT userid AS who, {UUID}::UUID AS what, score AS p, 'x' AS model FROM given",
        f"SELECT userid AS who, {UUID} AS what, rel AS stars FROM judged",
        f", {NAMES}",
    ),
}


@pytest.mark.slow
def test_a_users_row_is_the_mean_over_all_orders_and_the_summary_that_of_users(con: Con) -> None:
    cases = random_cases(random.Random(8), n=30, longest=5)
    create_tables(con, cases)
    rankings = [case.rankings() for case in cases]
    some_ks: list[list[int | None]] = [[0, 1, 2, 3, None], [1], [2, 40, None]]
    for (rec, truth, names), ks in zip(LAYOUTS.values(), some_ks, strict=True):
        want = {
            k: [[mean(name, orders, k, {}) for name in COLUMNS] for orders in rankings] for k in ks
        }  # by user, then by measure
        con.execute(f"CREATE OR REPLACE VIEW rec AS {rec}; CREATE OR REPLACE VIEW truth AS {truth}")
        arguments = f"('rec', 'truth', {literal(ks)}, ties := 'expected'{names})"
        keys = "system, userid" if "system" in names else "userid"
        query = f"FROM ranking.by_user{arguments} ORDER BY userid"
        found = con.sql(f"SELECT * EXCLUDE ({keys}) {query}")
        assert found.columns == ["k", "n_rec", "n_truth", *COLUMNS]
        users = [user for user in range(len(cases)) for _ in ks]
        for user, (k, n_rec, n_truth, *values) in zip(users, found.fetchall(), strict=True):
            assert (n_rec, n_truth) == (len(cases[user].rows), rankings[user][0][0].relevant)
            assert values == pytest.approx(want[k][user], rel=CLOSE, abs=CLOSE), (cases[user], k, names)
        means = {k: [math.fsum(one) / len(cases) for one in zip(*want[k], strict=True)] for k in ks}
        if "system" not in names:  # the means of one layout are enough, whose columns are all named
            continue
        chosen = ", ".join(f'"{name}"' for name in COLUMNS)
        for k, *values in con.execute(f"SELECT k, {chosen} FROM ranking.evaluate{arguments}").fetchall():
            assert values == pytest.approx(means[k], rel=CLOSE, abs=CLOSE), k
        spread = con.execute(f"SELECT k, measure, mean FROM ranking.distribution{arguments}").fetchall()
        assert {(k, name) for k, name, _ in spread} == {(k, name) for k in ks for name in COLUMNS}
        for k, name, one in spread:
            assert is_close(one, means[k][COLUMNS.index(name)], CLOSE), (name, k)


@pytest.mark.slow
def test_it_is_what_scikit_learn_averages_over_ties(con: Con) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = random.Random(7)
    drawn = []
    for _ in range(15):
        size = draw.randint(2, 40)
        scores = [draw.randint(1, draw.choice([2, 5, 20])) for _ in range(size)]
        drawn.append((scores, [draw.choice([0, 0, 0, 1, 2, 3]) for _ in range(size)]))
    cases = [Tied(list(enumerate(map(float, scores))), dict(enumerate(grades))) for scores, grades in drawn]
    create_tables(con, cases)
    found = con.execute("""
        SELECT userid, k, COLUMNS(['dcg(gain=linear)', 'ndcg(gain=linear)', 'auc'])
        FROM ranking.by_user('given', 'judged', [1, 3, 10, NULL], ties := 'expected',
            measures := 'dcg(gain=linear),ndcg(gain=linear),auc')
    """).fetchall()
    assert len(found) == len(cases) * 4
    for user, k, dcg, ndcg, auc in found:
        scores, grades = drawn[user]
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
def test_large_ties_keep_nine_digits(con: Con, above: int, before: int, size: int, hits: int, k: int) -> None:
    """By SciPy's hypergeometric distribution; of the items above the tie, the first `before` are hits."""
    hypergeom: Any = stats.hypergeom
    con.execute(f"""
        CREATE OR REPLACE TABLE large AS
        SELECT 1 AS userid, i AS itemid, greatest({above} - i, 0) AS score FROM range({above + size}) t(i);
        CREATE OR REPLACE TABLE liked AS SELECT userid, itemid FROM large
        WHERE itemid < {before} OR itemid BETWEEN {above} AND {above + hits - 1}
    """)
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
        "recall_all": share[-1] * (some[-1] == hits),
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
    chosen = f"measures := {list(want)}, ties := 'expected'"
    (row,) = rows(con, f"FROM ranking.by_user('large', 'liked', [{k}], {chosen})")
    for name in want:
        assert row[name] == pytest.approx(want[name], rel=1e-9, abs=0), name


@pytest.mark.parametrize("descending", [True, False])
def test_the_order_of_trec_eval_is_that_of_python_and_of_a_slow_definition(
    con: Con, descending: bool
) -> None:
    """Scores are FLOAT, in which 2^24 and 2^24 + 1 tie; equal ones by item as text, the last first."""
    con.execute("""
        CREATE OR REPLACE TABLE tied_rec AS
        SELECT u AS who, (u * 7 + i * 3) % 50 AS what, (u + i) % 3 / 1 AS P
        FROM range(20) a(u), range(12) b(i)
        UNION ALL VALUES (1, 99, 'nan'::DOUBLE), (1, 98, NULL), (1, 9, 16777216), (1, 10, 16777217);
        CREATE OR REPLACE TABLE tied_truth AS
        SELECT u AS who, (u * 7 + i * 6) % 50 AS what, i % 3 AS rel FROM range(20) a(u), range(5) b(i)
        UNION ALL VALUES (1, 9, 2)""")
    columns: dict[str, Any] = {
        "user_col": "who",
        "item_col": "what",
        "score_col": "p",
        "descending": descending,
    }
    named = "".join(f", {name} := {literal(one)}" for name, one in columns.items())
    arguments = f"[1, 3, NULL], ties := 'trec', measures := 'mrr,recall'{named}"
    query = f"FROM ranking.by_user('tied_rec', 'tied_truth', {arguments})"
    found = con.execute(f"SELECT userid, k, mrr, recall {query}").fetchall()
    given = {**columns, "con": con, "ties": "trec", "check": False, "by_user": True}
    python = ranking_udfs.evaluate("tied_rec", "tied_truth", "mrr,recall", [1, 3, None], **given)
    assert {*found} == {*python.select("userid, k, mrr, recall").fetchall()}
    lists: dict[int, list[tuple[bool, float, str]]] = {}
    for user, item, score in con.sql("FROM tied_rec").fetchall():
        is_last = score is None or math.isnan(score)
        number = 0.0 if is_last else float(np.float32(score)) * (1 if descending else -1)
        lists.setdefault(user, []).append((not is_last, number, str(item)))
    relevant = {(user, str(item)) for user, item, rel in con.sql("FROM tied_truth").fetchall() if rel > 0}
    firsts = {}
    for user, rows_of_user in lists.items():
        order = [item for *_, item in sorted(rows_of_user, reverse=True)]
        firsts[user] = next((1 / rank for rank, item in enumerate(order, 1) if (user, item) in relevant), 0.0)
    assert {user: mrr for user, k, mrr, _ in found if k is None} == firsts
    of_items = query.replace("'trec'", "'item'")
    by_item = con.execute(f"SELECT userid, k, mrr, recall {of_items}").fetchall()
    assert len({*found} - {*by_item}) > 10

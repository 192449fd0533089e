"""judge, and the contract on numbers, in SQL: every rule, every form, every item type, every Arrow layout."""
# ruff: noqa: E501  (a case stands on one line, SQL and value)

import datetime
import math
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import call, judged_array, lists, literal, maps, pairs, said, value
from tests.witnesses import JUDGED, judge_slowly, random_topics

VIEWS = ["arrow_output_version = '1.5'", "arrow_output_list_view = true", "produce_arrow_string_view = true"]
LAYOUTS = {
    "default": [],
    "large buffers": ["arrow_large_buffer_size = true"],
    "lossless": ["arrow_lossless_conversion = true"],
    "views": VIEWS,
    "version 1.5": ["arrow_output_version = '1.5'"],
    "views, lossless": [*VIEWS, "arrow_lossless_conversion = true"],
    "large views": [*VIEWS, "arrow_large_buffer_size = true"],
}
RARE = ["large buffers", "views", "version 1.5", "views, lossless", "large views"]  # 3 seconds each


@pytest.fixture
def con(shared: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return shared


@pytest.fixture(
    scope="module",
    params=[pytest.param(one, marks=pytest.mark.slow if one in RARE else []) for one in LAYOUTS],
)
def laid_out(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose settings change the layout of what the functions are given."""
    with duckdb.connect() as con:
        for setting in LAYOUTS[request.param]:
            con.execute(f"SET {setting}")
        yield ranking_udfs.register(con)


def judged(ranks: list[int], grades: list[float], ideal: list[float], size: int) -> dict[str, Any]:
    return {"ranks": ranks, "grades": grades, "ideal": ideal, "size": size, "cutoff": None}


# --- judge ---


def test_judge_gives_what_was_worked_by_hand(laid_out: duckdb.DuckDBPyConnection) -> None:
    columns = {"binary": "INTEGER[]", "map": "VARCHAR[]", "pairs": "STRUCT(grade DOUBLE, item INTEGER)[]"}
    for rec, truth, form, one in JUDGED:
        alone = form == "pairs" and rec and len(rec[0]) == 1
        kind = "STRUCT(grade DOUBLE)[]" if alone else columns[form]
        expected = one and judged(one.ranks, one.grades, one.ideal, one.size)
        assert value(laid_out, f"SELECT judge({literal(rec)}::{kind}, {literal(truth)})") == expected


def test_judge_returns_the_documented_struct(con: duckdb.DuckDBPyConnection) -> None:
    kind = value(con, "SELECT typeof(judge([1], [1]))")
    assert kind == "STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER)"


@pytest.mark.parametrize("n", [0, 1, 2_048, 2_049])
def test_judge_agrees_with_the_slow_definition_in_batches_of_any_size(n: int) -> None:
    topics = random_topics(seed=n, n=n)
    rec, truth = lists([topic.rec for topic in topics]), maps([topic.truth for topic in topics])
    rankings = [judge_slowly(topic.rec, topic.truth, "map") for topic in topics]
    expected = [judged(r.ranks, r.grades, r.ideal, r.size) for r in rankings if r is not None]
    assert call("judge", rec, truth) == expected
    rec, grades = (
        pairs([topic.pairs() for topic in topics]),
        lists([[*t.truth.values()] for t in topics], pa.float64()),
    )
    assert call("judge", rec, grades) == expected
    assert call("judge", rec.slice(n // 3), grades.slice(n // 3)) == expected[n // 3 :]


def test_a_query_over_a_table_of_many_batches_keeps_every_row(con: duckdb.DuckDBPyConnection) -> None:
    t = "(SELECT u, range(u % 7) AS rec, [u % 3, 5] AS truth FROM range(5000) r(u))"
    rows = con.execute(f"SELECT u, judge(rec, truth), hits(rec, truth) FROM {t}").fetchall()
    assert len(rows) == 5_000
    for u, found, hits in rows:
        ranks = [item + 1 for item in range(u % 7) if item in (u % 3, 5)]
        ideal = [1.0] * 2
        assert found == judged(ranks, [1.0] * len(ranks), ideal, u % 7)
        assert hits == len(ranks)


# --- The contract, row by row ---


@pytest.mark.parametrize(
    "form",
    ["[1, 2], NULL", "[1, 2], NULL::INTEGER[]", "NULL, NULL", "NULL::INTEGER[], NULL::INTEGER[]",
     "[1], NULL::MAP(INTEGER, DOUBLE)", "[{'g': 1, 'i': 2}], NULL::DOUBLE[]", "[{'g': 1, 'i': 2}], NULL",
     "[]::INTEGER[], NULL", "[], NULL"],
)  # fmt: skip
def test_truth_null_is_null(con: duckdb.DuckDBPyConnection, form: str) -> None:
    assert value(con, f"SELECT judge({form})") is None
    for measure in MEASURES:
        calls = [f'"{measure}"({form}{rest})' for rest in ("", ", NULL", ", 3", ", 3, NULL")]
        found = con.execute(f'SELECT {", ".join(calls)}, "{measure}"(judge({form}), 2)').fetchall()
        assert found == [(None,) * 5], measure


def test_the_mean_skips_a_row_whose_truth_is_null(con: duckdb.DuckDBPyConnection) -> None:
    rows = "(VALUES ([1], [1]), ([1], NULL), ([1], [2])) t(rec, truth)"
    assert value(con, f"SELECT avg(recall(rec, truth)) FROM {rows}") == (1 + 0) / 2


EMPTY_LISTS = ["NULL", "NULL::INTEGER[]", "[]", "[]::INTEGER[]", "[1, 2][:0]"]


def test_rec_null_is_an_empty_list_and_scores_accordingly(con: duckdb.DuckDBPyConnection) -> None:
    expected = {"recall": 0, '"precision"': 0, "average_precision": 0, "mrr": 0, "ndcg": 0, "auc": 0.5}
    for name, score in {**expected, "hit_rate": 0, "hits": 0, "first_hit_rank": None}.items():
        for rec in EMPTY_LISTS:
            for k in ("", ", NULL", ", 0", ", 3"):
                assert value(con, f"SELECT {name}({rec}, [1]{k})") == score


def test_judge_of_a_null_rec_keeps_the_ideal(con: duckdb.DuckDBPyConnection) -> None:
    for rec in EMPTY_LISTS:
        assert value(con, f"SELECT judge({rec}, [7, 8])") == judged([], [], [1, 1], 0)
    assert value(con, "SELECT judge(NULL::INTEGER[2], [7, 8])") == judged([], [], [1, 1], 0)
    assert value(con, "SELECT judge(NULL, MAP {7: 2, 8: 3})") == judged([], [], [3, 2], 0)


@pytest.mark.parametrize(
    ("truth", "nothing_for_nothing"),
    [
        *((truth, 1) for truth in ("[]", "[]::INTEGER[]", "[NULL]", "[NULL]::INTEGER[]", "MAP {}")),
        ("MAP {1: 0, 2: -1}", 0),
    ],
)
def test_truth_without_an_item_follows_hivemall_and_without_a_relevant_one_is_0(
    con: duckdb.DuckDBPyConnection, truth: str, nothing_for_nothing: int
) -> None:
    for name in ("recall", '"precision"', "average_precision", "f_measure", "r_precision"):
        for rest in ("", ", 3", ", NULL"):
            assert value(con, f"SELECT {name}([], {truth}{rest})") == nothing_for_nothing, name
            assert value(con, f"SELECT {name}([1], {truth}{rest})") == 0, name
        assert value(con, f"SELECT {name}([1], {truth}, 0)") == nothing_for_nothing, name
    for name in ("mrr", "ndcg", "hit_rate", "hits", "dcg", "ideal_dcg", "err", "rbp", "bpref"):
        assert value(con, f"SELECT {name}([], {truth})") == 0, name
        assert value(con, f"SELECT {name}([1], {truth})") == 0, name
    for rec in ("[]", "[1]", "[1, 9]"):
        assert value(con, f"SELECT auc({rec}, {truth})") == 0.5
        assert value(con, f"SELECT first_hit_rank({rec}, {truth})") is None


def test_k_beyond_the_list_divides_precision_by_the_length_of_the_list(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert value(con, 'SELECT "precision"([1, 3, 2, 6], [1, 2, 4], 10)') == 2 / 4
    assert value(con, "SELECT \"precision\"([1, 3, 2, 6], [1, 2, 4], 10, 'divide=k')") == 2 / 10


def test_k_beyond_the_list_lets_the_ideal_run_to_the_smaller_of_k_and_truth(
    con: duckdb.DuckDBPyConnection,
) -> None:
    linear = "SELECT ideal_dcg([1], MAP {1: 4, 2: 3, 3: 2}, {}, 'gain=linear discount=original base=100')"
    for k, expected in ((1, 4), (2, 4 + 3), (3, 4 + 3 + 2), (99, 4 + 3 + 2), ("NULL", 4), (0, 0)):
        assert value(con, linear.replace("{}", str(k))) == expected


def test_k_null_or_omitted_is_the_whole_list_and_0_the_empty_one(con: duckdb.DuckDBPyConnection) -> None:
    for rest in ("", ", NULL", ", 4", ", NULL::INTEGER", ", 2147483647", ", 9223372036854775807"):
        assert value(con, f"SELECT hits([1, 3, 2, 4], [1, 2, 4]{rest})") == 3
    assert value(con, "SELECT hits([1, 3, 2, 4], [1, 2, 4], 0)") == 0
    rows = "(VALUES (1), (NULL), (0), (3), (100)) t(k)"
    found = con.execute(f"SELECT hits([1, 3, 2, 4], [1, 2, 4], k) FROM {rows}").fetchall()
    assert found == [(1,), (3,), (0,), (2,), (3,)]


INTEGERS = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"]  # fmt: skip


def test_k_may_be_of_any_integer_type(laid_out: duckdb.DuckDBPyConnection) -> None:
    for kind in INTEGERS:
        assert value(laid_out, f"SELECT hits([1, 3, 2, 4], [1, 2, 4], 3::{kind})") == 2
        assert value(laid_out, f"SELECT hits([1, 3, 2, 4], [1, 2, 4], NULL::{kind})") == 3
        assert value(laid_out, f"SELECT hits(judge([1, 3, 2, 4], [1, 2, 4]), 3::{kind})") == 2
        found = laid_out.execute(
            f"SELECT hits([1, 2], [1, 2], k::{kind}) FROM (VALUES (1), (NULL), (0)) t(k)"
        )
        assert found.fetchall() == [(1,), (2,), (0,)], kind
        if kind.endswith(("BIGINT", "HUGEINT")):
            assert value(laid_out, f"SELECT hits([1, 3, 2, 4], [1, 2, 4], {2**63 - 1}::{kind})") == 3


def test_k_may_be_a_hugeint_of_0_or_null_beside_others(laid_out: duckdb.DuckDBPyConnection) -> None:
    ks = "(VALUES (0::HUGEINT), (NULL), (2147483647), (1)) t(k)"
    assert value(laid_out, f"SELECT list(recall([9, 1], [1], k)) FROM {ks}") == [0, 1, 1, 0]


def test_an_item_twice_in_rec_counts_at_its_first_rank_and_takes_up_another(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert value(con, "SELECT judge([5, 1, 5, 1, 2], [1, 2])") == judged([2, 5], [1, 1], [1, 1], 5)
    assert value(con, 'SELECT "precision"([1, 1], [1])') == 1 / 2
    assert value(con, "SELECT recall([1, 1], [1])") == 1
    assert value(con, "SELECT judge([1, 2, 1], MAP {1: 3, 2: 0})") == judged([1, 2], [3, 0], [3, 0], 3)
    twice = "[{'g': 3, 'i': 1}, {'g': 3, 'i': 1}, {'g': 2, 'i': 2}]"
    assert value(con, f"SELECT judge({twice}, [3, 2])") == judged([1, 3], [3, 2], [3, 2], 3)


def test_an_item_twice_in_truth_is_counted_once(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT judge([1, 9], [1, 2, 1, 2, 2])") == judged([1], [1], [1, 1], 2)


def test_null_in_rec_takes_up_a_rank_and_is_never_a_hit(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT judge([NULL, 1, NULL, 2], [1, 2, NULL])") == judged([2, 4], [1, 1], [1, 1], 4)
    assert value(con, "SELECT judge([NULL, 'a'], MAP {'a': 2})") == judged([2], [2], [2], 2)
    assert value(con, "SELECT judge([NULL, {'g': 2, 'i': 1}], [2])") == judged([2], [2], [2], 2)
    assert value(con, "SELECT judge([NULL, NULL]::INTEGER[], [1])") == judged([], [], [1], 2)
    assert value(con, "SELECT judge([NULL, NULL], [1])") == judged([], [], [1], 2)
    assert value(con, "SELECT judge([NULL, NULL], ['a'])") == judged([], [], [1], 2)


def test_null_in_truth_is_ignored(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT judge([1, NULL], [NULL, 1, NULL])") == judged([1], [1], [1], 2)
    assert value(con, "SELECT judge([1, NULL], [NULL])") == judged([], [], [], 2)


def test_a_grade_of_0_or_less_is_judged_and_not_relevant(con: duckdb.DuckDBPyConnection) -> None:
    truth = "MAP {'a': 0, 'b': -2, 'c': 3}"
    assert value(con, f"SELECT judge(['a', 'b', 'c'], {truth})") == judged(
        [1, 2, 3], [0, -2, 3], [3, 0, -2], 3
    )
    assert value(con, f"SELECT recall(['c'], {truth})") == 1 / 1
    assert value(con, f"SELECT hits(['a', 'b'], {truth})") == 0
    assert value(con, f"SELECT dcg(['b', 'a'], {truth})") == 0
    assert value(con, f"SELECT mrr(['a', 'b', 'c'], {truth})") == 1 / 3
    grades = "[{'g': 0, 'i': 1}, {'g': -2, 'i': 2}, {'g': 3, 'i': 3}], [0, -2, 3]"
    assert value(con, f"SELECT judge({grades})") == judged([1, 2, 3], [0, -2, 3], [3, 0, -2], 3)


def test_auc_without_a_pair_is_a_half(con: duckdb.DuckDBPyConnection) -> None:
    for arguments in ("[1, 2], [1, 2]", "[8, 9], [1]", "[], [1]", "[1, 9], [1], 1", "[1, 9], [1], 0"):
        assert value(con, f"SELECT auc({arguments})") == 0.5


def test_ndcg_is_0_where_the_ideal_is_0(con: duckdb.DuckDBPyConnection) -> None:
    for arguments in ("[1], []", "[1], MAP {1: 0}", "[1], [1], 0", "[{'g': 0, 'i': 1}], [0]", "[], [1]"):
        assert value(con, f"SELECT ndcg({arguments})") == 0
        assert value(con, f"SELECT half_life_utility({arguments})") == 0


def test_binary_measures_take_a_grade_above_0_as_relevant(con: duckdb.DuckDBPyConnection) -> None:
    assert value(con, "SELECT recall([1, 2], MAP {1: 0.001, 2: 0, 3: 7})") == 1 / 2


DOCUMENTS = {
    "recall": (0.6666666666666666, 0.3333333333333333),
    '"precision"': (0.5, 0.5),
    "average_precision": (0.5555555555555555, 0.3333333333333333),
    "auc": (0.75, 1.0),
    "mrr": (1.0, 1.0),
    "ndcg": (0.7039180890341349, 0.6131471927654585),
}


def test_the_documents_values_come_out(laid_out: duckdb.DuckDBPyConnection) -> None:
    for name, expected in DOCUMENTS.items():
        found = [value(laid_out, f"SELECT {name}([1, 3, 2, 6], [1, 2, 4], {k})") for k in (4, 2)]
        assert found == pytest.approx(expected, abs=1e-15), name
    rec = "[{'rel': 5, 'item': 1}, {'rel': 2, 'item': 3}, {'rel': 4, 'item': 2}, {'rel': 1, 'item': 6}, {'rel': 3, 'item': 4}]"
    truth = "[5, 4, 3, 2, 1]"
    assert value(laid_out, f"SELECT ndcg({rec}, {truth}, 2)") == pytest.approx(0.8128912838590544, abs=1e-15)
    assert value(laid_out, f"SELECT ndcg({rec}, {truth}, 3)") == pytest.approx(0.9187707805346093, abs=1e-15)


# --- Forms ---


def test_fixed_size_arrays_are_lists(laid_out: duckdb.DuckDBPyConnection) -> None:
    arrays = "[4, 1, 3]::INTEGER[3], [1, 2]::INTEGER[2]"
    assert value(laid_out, f"SELECT judge({arrays})") == judged([2], [1], [1, 1], 3)
    assert value(laid_out, "SELECT judge([4, 1], [1, 2]::INTEGER[2])") == judged([2], [1], [1, 1], 2)
    assert value(laid_out, "SELECT judge(['x', 'y']::VARCHAR[2], MAP {'y': 3})") == judged([2], [3], [3], 2)
    assert value(laid_out, "SELECT judge(NULL::INTEGER[2], [1, 2]::INTEGER[2])") == judged([], [], [1, 1], 0)
    assert value(laid_out, "SELECT judge([1, 2]::INTEGER[2], NULL::INTEGER[2])") is None
    assert value(laid_out, "SELECT judge([NULL, 2]::INTEGER[2], [2, NULL]::INTEGER[2])") == judged(
        [2], [1], [1], 2
    )
    rows = "(VALUES ([1, 2]::INTEGER[2], [2]), (NULL, [2]), ([3, 4], [4, 3])) t(rec, truth)"
    found = laid_out.execute(f"SELECT hits(rec, truth) FROM {rows}").fetchall()
    assert found == [(1,), (0,), (2,)]


def test_null_rows_among_others_are_kept_apart(laid_out: duckdb.DuckDBPyConnection) -> None:
    rows = "([1, 2], [2]), (NULL, [2]), ([1], NULL), ([], [1]), ([NULL, 2], [2, NULL]), ([1], [])"
    found = laid_out.execute(f"SELECT judge(rec, truth) FROM (VALUES {rows}) t(rec, truth)").fetchall()
    assert found == [
        (judged([2], [1], [1], 2),),
        (judged([], [], [1], 0),),
        (None,),
        (judged([], [], [1], 0),),
        (judged([2], [1], [1], 2),),
        (judged([], [], [], 1),),
    ]
    maps_ = "([1, 2], MAP {2: 3}), (NULL, MAP {2: 1}), ([1], NULL), ([2], MAP {}), ([4], MAP {4: 1, 5: 2})"
    found = laid_out.execute(f"SELECT judge(rec, truth) FROM (VALUES {maps_}) t(rec, truth)").fetchall()
    assert found == [
        (judged([2], [3], [3], 2),),
        (judged([], [], [1], 0),),
        (None,),
        (judged([], [], [], 1),),
        (judged([1], [1], [2, 1], 1),),
    ]


def test_grades_may_be_of_any_number_type(laid_out: duckdb.DuckDBPyConnection) -> None:
    kinds = ["DOUBLE", "FLOAT", "INTEGER", "TINYINT", "UBIGINT", "HUGEINT", "DECIMAL(5, 2)", "DECIMAL(30, 2)"]
    for kind in arriving(laid_out, kinds):
        truth = f"MAP {{'a': 2, 'b': 3}}::MAP(VARCHAR, {kind})"
        assert value(laid_out, f"SELECT judge(['b', 'x'], {truth})") == judged([1], [3], [3, 2], 2)
        rec = f"[{{'g': 2, 'i': 'a'}}, NULL]::STRUCT(g {kind}, i VARCHAR)[]"
        assert value(laid_out, f"SELECT judge({rec}, [2, 3]::{kind}[])") == judged([1], [2], [3, 2], 2)


def test_a_pair_may_have_an_item_of_several_fields(laid_out: duckdb.DuckDBPyConnection) -> None:
    rec = "[{'g': 2, 'a': 1, 'b': 'x'}, {'g': 2, 'a': 1, 'b': 'x'}, {'g': 2, 'a': 1, 'b': 'y'}]"
    assert value(laid_out, f"SELECT judge({rec}, [2, 2])") == judged([1, 3], [2, 2], [2, 2], 3)


def test_a_pair_may_be_a_grade_alone(laid_out: duckdb.DuckDBPyConnection) -> None:
    assert value(laid_out, "SELECT judge([{'g': 2}, {'g': 2}], [2, 2, 2])") == judged(
        [1, 2], [2, 2], [2, 2, 2], 2
    )


def test_pairs_whose_truth_lost_equal_grades_never_exceed_the_ideal(con: duckdb.DuckDBPyConnection) -> None:
    rec = "[{'g': 2, 'i': 1}, {'g': 2, 'i': 2}]"
    assert value(con, f"SELECT judge({rec}, [2])") == judged([1, 2], [2, 2], [2, 2], 2)
    assert value(con, f"SELECT ndcg({rec}, [2])") == 1


def test_pairs_of_a_user_without_truth_are_unknown_among_users_with_truth(
    laid_out: duckdb.DuckDBPyConnection,
) -> None:
    """As they are in a batch of their own, where no row has a grade that would tell this form by."""
    rows = "([{'g': 1, 'i': 'a'}], [1]), ([{'g': 2, 'i': 'b'}], []), ([{'g': 3, 'i': 'c'}], [3, 4])"
    found = laid_out.execute(f"SELECT judge(rec, truth) FROM (VALUES {rows}) t(rec, truth)").fetchall()
    assert [one for (one,) in found] == [
        judged([1], [1], [1], 1),
        judged([], [], [], 1),
        judged([1], [3], [4, 3], 1),
    ]
    assert value(laid_out, "SELECT judge([{'g': 2, 'i': 'b'}], []::INTEGER[])") == judged([], [], [], 1)


def test_a_null_of_no_type_is_a_judged_ranking_of_null(laid_out: duckdb.DuckDBPyConnection) -> None:
    for rest in ("", ", 5", ", NULL", ", 5, 'normalize=min'", ", NULL, 'normalize=min'"):
        assert value(laid_out, f"SELECT recall(NULL{rest})") is None
    assert call("recall", pa.nulls(2)) == [None, None]
    assert call("recall", pa.nulls(2), pa.array([1, None])) == [None, None]


def test_a_judged_ranking_is_read_by_the_names_of_its_fields(laid_out: duckdb.DuckDBPyConnection) -> None:
    fields = "'size': 4, 'cutoff': NULL, 'ideal': [3, 2], 'grades': [2], 'ranks': [3]"
    assert value(laid_out, f"SELECT mrr({{{fields}}})") == 1 / 3
    assert value(laid_out, f"SELECT recall({{{fields}}}, 2)") == 0
    assert (
        value(
            laid_out,
            "SELECT mrr(NULL::STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER))",
        )
        is None
    )
    rows = "(VALUES (1), (2), (3)) t(i)"
    found = laid_out.execute(
        f"SELECT mrr(CASE WHEN i <> 2 THEN judge([9, 1], [1]) END, i) FROM {rows}"
    ).fetchall()
    assert found == [(0,), (None,), (1 / 2,)]


def test_a_judged_ranking_survives_a_table(laid_out: duckdb.DuckDBPyConnection) -> None:
    laid_out.execute(
        "CREATE TABLE j AS SELECT judge([u, 9, NULL], MAP {9: 2.5, 1: u}) AS judged FROM range(3000) r(u)"
    )
    (found,) = laid_out.execute("SELECT avg(mrr(judged)), sum(hits(judged, 1)), count(*) FROM j").fetchall()
    # Item 9 stands at rank 2 of all rows but that of u = 9; u itself is relevant for u = 1.
    assert found == (pytest.approx((2_998 * (1 / 2) + 2 * 1) / 3_000, abs=1e-15), 2, 3_000)


def test_equal_batches_of_different_rows_are_not_mistaken_for_each_other(
    con: duckdb.DuckDBPyConnection,
) -> None:
    """The plain form remembers the last batch of rec and truth."""
    rows = "(SELECT [1, 2] AS a, ['1', '2'] AS b, MAP {2: 3} AS m, [2] AS x, ['2'] AS y)"
    query = f"SELECT mrr(a, x), hits(b, y), mrr(a, m), mrr(a, a), hits(a, x), dcg(a, m, 2, 'gain=linear'), hits(a, [9]) FROM {rows}"
    for _ in range(3):
        assert con.execute(query).fetchone() == (
            1 / 2,
            1,
            1 / 2,
            1,
            1,
            pytest.approx(3 / 1.584962500721156),
            0,
        )


def test_the_last_batch_is_forgotten_when_judging_fails(con: duckdb.DuckDBPyConnection) -> None:
    for _ in range(2):
        assert said(con, "SELECT recall(['a'], [1])").startswith("TypeError: recall: rec and truth")
    assert value(con, "SELECT recall([1], [1])") == 1


# --- Item types ---

# For each SQL type: two items that differ, and how to write them. {0} and {1} are never equal.
SINGLE = {
    **{kind: (f"7::{kind}", f"100::{kind}") for kind in
       ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")},
    "BIGINT, far apart": ("(-9223372036854775808)::BIGINT", "9223372036854775807::BIGINT"),
    "BIGINT, -1 and the largest": ("(-1)::BIGINT", "9223372036854775807::BIGINT"),
    "UBIGINT above 2^63": ("18446744073709551615::UBIGINT", "9223372036854775808::UBIGINT"),
    "HUGEINT, far apart": ("0::HUGEINT", "170141183460469231731687303715884105727::HUGEINT"),
    "HUGEINT, equal low words": ("18446744073709551616::HUGEINT", "36893488147419103232::HUGEINT"),
    "UHUGEINT below 2^127": ("170141183460469231731687303715884105727::UHUGEINT", "170141183460469231731687303715884105726::UHUGEINT"),
    "DECIMAL": ("1.50::DECIMAL(4, 2)", "1.51::DECIMAL(4, 2)"),
    "DECIMAL of 9 digits": ("1.50::DECIMAL(9, 2)", "-1.50::DECIMAL(9, 2)"),
    "DECIMAL of 18 digits": ("1.50::DECIMAL(18, 2)", "-1.50::DECIMAL(18, 2)"),
    "DECIMAL of 38 digits": ("1.50::DECIMAL(38, 2)", "-1.50::DECIMAL(38, 2)"),
    "DECIMAL without a fraction": ("15::DECIMAL(10, 0)", "16::DECIMAL(10, 0)"),
    "FLOAT": ("1.5::FLOAT", "'nan'::FLOAT"),
    "DOUBLE": ("1.5::DOUBLE", "'-inf'::DOUBLE"),
    "DOUBLE, NaN": ("'nan'::DOUBLE", "0::DOUBLE"),
    "BOOLEAN": ("true", "false"),
    "VARCHAR": ("'a'", "'b'"),
    "VARCHAR, empty": ("''", "' '"),
    "VARCHAR, Unicode": ("'na\u00efve \U0001f986'", "'nai\u0308ve \U0001f986'"),
    "VARCHAR, case": ("'A'", "'a'"),
    "VARCHAR, zero byte": ("'a' || chr(0) || 'b'", "'a' || chr(0) || 'c'"),
    "VARCHAR, 1 MB": ("repeat('x', 1048576)", "repeat('x', 1048575) || 'y'"),
    "VARCHAR, 12 and 13 bytes": ("'twelve bytes'", "'twelve bytes!'"),
    "BLOB": ("'\\x00\\xFF'::BLOB", "'\\x00'::BLOB"),
    "BLOB, long": ("repeat('\\x00', 20)::BLOB", "repeat('\\x00', 21)::BLOB"),
    "BIT": ("'0101'::BIT", "'00101'::BIT"),
    "UUID": ("'00000000-0000-0000-0000-000000000001'::UUID", "'80000000-0000-0000-0000-000000000001'::UUID"),
    "DATE": ("DATE '2020-01-01'", "DATE '1969-12-31'"),
    "DATE, infinite": ("'infinity'::DATE", "'-infinity'::DATE"),
    "TIME": ("TIME '12:00:00'", "TIME '12:00:00.000001'"),
    "TIMESTAMP": ("TIMESTAMP '2020-01-01 00:00:00'", "TIMESTAMP '2020-01-01 00:00:00.000001'"),
    "TIMESTAMP, infinite": ("'infinity'::TIMESTAMP", "'-infinity'::TIMESTAMP"),
    "TIMESTAMP_S": ("'2020-01-01 00:00:00'::TIMESTAMP_S", "'2020-01-01 00:00:01'::TIMESTAMP_S"),
    "TIMESTAMP_MS": ("'2020-01-01 00:00:00'::TIMESTAMP_MS", "'2020-01-01 00:00:00.001'::TIMESTAMP_MS"),
    "TIMESTAMP_NS": ("'2020-01-01 00:00:00.000000001'::TIMESTAMP_NS", "'2020-01-01 00:00:00.000000002'::TIMESTAMP_NS"),
    "TIMESTAMPTZ": ("'2020-01-01 00:00:00+00'::TIMESTAMPTZ", "'2020-01-01 00:00:00+01'::TIMESTAMPTZ"),
    "ENUM": ("'b'::ENUM ('a', 'b', 'c')", "'a'::ENUM ('a', 'b', 'c')"),
}  # fmt: skip


def arriving(con: duckdb.DuckDBPyConnection, kinds: Iterable[str]) -> list[str]:
    """Without the small decimals that some settings make DuckDB hand over, where pyarrow has none."""
    small = value(con, "SELECT current_setting('arrow_output_version')") == "1.5"
    lacking = small and not hasattr(pa, "decimal32")
    return [
        kind
        for kind in kinds
        if not (lacking and "DECIMAL" in kind and "38" not in kind and "30" not in kind)
    ]


def test_items_of_every_type_are_matched(laid_out: duckdb.DuckDBPyConnection) -> None:
    for kind in arriving(laid_out, SINGLE):
        one, other = SINGLE[kind]
        cases = {
            f"judge([{other}, {one}, {other}, {one}], [{one}])": judged([2], [1], [1], 4),
            f"judge([{other}, NULL], [{one}])": judged([], [], [1], 2),
            f"judge([{other}, {one}, NULL, {one}], [{one}, NULL, {one}])": judged([2], [1], [1], 4),
            f"judge([NULL, {one}], [{other}, {one}])": judged([2], [1], [1, 1], 2),
            f"judge([{one}, {other}], MAP {{{other}: 2, {one}: 3}})": judged([1, 2], [3, 2], [3, 2], 2),
        }
        query = f"SELECT {', '.join(cases)}"
        assert laid_out.execute(query).fetchall() == [tuple(cases.values())], query


def test_items_of_every_type_may_meet_an_empty_list(laid_out: duckdb.DuckDBPyConnection) -> None:
    for kind in arriving(laid_out, SINGLE):
        one, other = SINGLE[kind]
        known = [f"recall([{one}, {other}], {truth})" for truth in ("[]", f"[{one}][:0]")]
        known += [f"recall({rec}, [{one}, {other}])" for rec in ("[]", "NULL", f"[{one}][:0]", "[NULL]")]
        query = f"SELECT {', '.join(known)}, recall([{one}], NULL)"
        assert laid_out.execute(query).fetchall() == [(0, 0, 0, 0, 0, 0, None)], query


def test_items_of_every_type_are_items_in_pairs(laid_out: duckdb.DuckDBPyConnection) -> None:
    for kind in arriving(laid_out, SINGLE):
        one, other = SINGLE[kind]
        rec = ", ".join(f"{{'grade': 2, 'item': {item}}}" for item in (one, other, one))
        assert value(laid_out, f"SELECT judge([{rec}, NULL], [2, 2])") == judged([1, 2], [2, 2], [2, 2], 4)


def test_all_fields_of_a_pair_behind_its_grade_are_its_item(laid_out: duckdb.DuckDBPyConnection) -> None:
    items = [("'a'", 1), ("'a'", 2), ("'b'", 1), ("'a'", 2), ("NULL", 1), ("NULL", 1), ("'a'", "NULL")]
    rec = ", ".join(f"{{'grade': {9 - i}, 'name': {a}, 'part': {b}}}" for i, (a, b) in enumerate(items))
    found = value(laid_out, f"SELECT judge([{rec}], [9, 8, 7, 5, 3])")
    assert found == judged([1, 2, 3, 5, 7], [9, 8, 7, 5, 3], [9, 8, 7, 5, 3], 7)


def test_integer_widths_may_differ(laid_out: duckdb.DuckDBPyConnection) -> None:
    for one, other in product(INTEGERS, INTEGERS):
        binary = f"judge([3, 1, NULL, 2]::{one}[], [1, 2, 100, NULL]::{other}[])"
        graded = f"judge([3, 1]::{one}[], MAP {{1: 2, 100: 1}}::MAP({other}, DOUBLE))"
        is_signed = not one.startswith("U") and not other.startswith("U") and "HUGEINT" not in (one, other)
        sign = "-" if is_signed else ""
        query = f"SELECT {binary}, {graded}, hits([{sign}1, {sign}7]::{one}[], [{sign}7]::{other}[])"
        expected = [(judged([2, 4], [1, 1], [1, 1, 1], 4), judged([2], [2], [2, 1], 2), 1)]
        assert laid_out.execute(query).fetchall() == expected, query


def test_equal_bits_of_different_numbers_are_not_a_hit(laid_out: duckdb.DuckDBPyConnection) -> None:
    con = laid_out
    assert value(con, "SELECT hits([18446744073709551615]::UBIGINT[], [-1]::BIGINT[])") == 0
    assert value(con, "SELECT hits([-1]::TINYINT[], [255]::UTINYINT[])") == 0
    assert value(con, "SELECT hits([-1]::BIGINT[], [18446744073709551615]::HUGEINT[])") == 0
    assert value(con, "SELECT hits([0]::BIGINT[], [18446744073709551616]::HUGEINT[])") == 0


@pytest.mark.parametrize("rows", [1, 3_000])
def test_integers_far_apart_are_told_apart(con: duckdb.DuckDBPyConnection, rows: int) -> None:
    """Keys of row and item no longer fit 64 bits there, and differences wrap around."""
    ids = [-(2**63), -(2**63) + 1, -(2**62), -1, 0, 1, 2**62, 2**63 - 2, 2**63 - 1]
    for i, item in enumerate(ids):
        sql = f"SELECT judge({ids}::BIGINT[], [{item}, u]::BIGINT[]) FROM range({rows}) r(u) WHERE u NOT IN (0, 1)"
        sql = sql.replace(" WHERE u NOT IN (0, 1)", "") if rows == 1 else sql
        found = {str(row[0]["ranks"]) for row in con.execute(sql).fetchall()}
        assert found == ({str([i + 1])} if rows > 1 else {str(sorted({i + 1, 5}))})
    assert value(con, f"SELECT hits([{ids[0]}, {ids[-1]}]::BIGINT[], [0]::BIGINT[])") == 0


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
def test_floats_match_as_in_sql(laid_out: duckdb.DuckDBPyConnection, kind: str) -> None:
    assert value(laid_out, f"SELECT [-0.0]::{kind}[] = [0.0]::{kind}[]")
    assert value(laid_out, f"SELECT judge([-0.0, 1, 0.0]::{kind}[], [0.0]::{kind}[])") == judged(
        [1], [1], [1], 3
    )
    assert value(laid_out, f"SELECT judge([0.0]::{kind}[], [-0.0, 0.0]::{kind}[])") == judged(
        [1], [1], [1], 1
    )
    nan = f"'nan'::{kind}, -('nan'::{kind})"
    assert value(laid_out, f"SELECT judge([1, {nan}], [{nan}])") == judged([2], [1], [1], 3)


def test_wide_integers_that_duckdb_hands_over_alike_are_told_apart_or_refused(
    laid_out: duckdb.DuckDBPyConnection,
) -> None:
    largest, minus_one = "[340282366920938463463374607431768211455]::UHUGEINT[]", "[-1]::HUGEINT[]"
    if value(laid_out, "SELECT current_setting('arrow_lossless_conversion')"):
        for one, other, hits in [
            (largest, minus_one, 0),
            (minus_one, largest, 0),
            (largest, largest, 1),
            (minus_one, minus_one, 1),
            (minus_one, "[-1]::BIGINT[]", 1),
            (minus_one, "[18446744073709551615]::UBIGINT[]", 0),
        ]:
            assert value(laid_out, f"SELECT hits({one}, {other})") == hits, (one, other)
        assert (
            value(laid_out, "SELECT recall([1], [1], 340282366920938463463374607431768211455::UHUGEINT)") == 1
        )
        assert (
            value(laid_out, "SELECT hits([1], MAP {1: 340282366920938463463374607431768211455::UHUGEINT})")
            == 1
        )
        assert value(laid_out, "SELECT hits([1], MAP {1: (-1)::HUGEINT})") == 0
        return
    rule = "must be 0 or more as a HUGEINT, below 2^127 as a UHUGEINT, which look alike here"
    for one, other in [(largest, minus_one), (minus_one, "[1]")]:
        expected = f"ValueError: hits: an item {rule}, got -1: cast it to VARCHAR"
        assert said(laid_out, f"SELECT hits({one}, {other})") == expected
    expected = f"ValueError: hits: a grade in truth {rule}, got -1: cast it to DOUBLE"
    assert said(laid_out, "SELECT hits([1], MAP {1: (-1)::HUGEINT})") == expected
    assert said(laid_out, "SELECT recall([1], [1], 340282366920938463463374607431768211455::UHUGEINT)") == (
        "ValueError: recall: k must be 0 or more, got -1"
    )


def test_items_that_mean_the_same_text_match(laid_out: duckdb.DuckDBPyConnection) -> None:
    rec, truth = "['a', 'b']::ENUM ('a', 'b')[]", "['b', 'z']::ENUM ('z', 'b', 'a')[]"
    one = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    uuids, words = f"[uuid(), '{one}']::UUID[]", f"['x', '{one}']"
    for left, right in [
        (rec, truth),
        ("['a', 'b']", truth),
        (rec, "['b', 'z']"),
        (uuids, words),
        (words, uuids),
    ]:
        found = value(laid_out, f"SELECT judge({left}, {right})")
        assert found == judged([2], [1], [1, 1], 2), (left, right)
    enum = f"['x', '{one}']::ENUM ('x', '{one}')[]"
    assert value(laid_out, f"SELECT judge({enum}, {uuids})") == judged([2], [1], [1, 1], 2)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_enums_match_whatever_layout_their_words_have(kind: pa.DataType) -> None:
    """In a list, in a MAP, and beside words in a dictionary of another layout."""
    rec, truth = (
        pa.DictionaryArray.from_arrays(pa.array(places, pa.uint8()), pa.array(words, words_kind))
        for places, words, words_kind in (
            ([1, 0, None], ["x", "a word of more than twelve letters"], kind),
            ([0, 1], ["a word of more than twelve letters", "y"], pa.string()),
        )
    )
    one = pa.array([0, 3], pa.int32())
    recs, ends = pa.ListArray.from_arrays(one, rec), pa.array([0, 2], pa.int32())
    assert call("judge", recs, pa.ListArray.from_arrays(ends, truth)) == [judged([1], [1], [1, 1], 3)]
    grades = pa.MapArray.from_arrays(ends, truth, pa.array([2.0, 3.0]))
    assert call("judge", recs, grades) == [judged([1], [2], [3, 2], 3)]


def test_times_with_a_zone_are_told_apart_where_duckdb_hands_over_the_zone() -> None:
    """Without that setting DuckDB hands TIMETZ over as a TIME, and no function can see the zone."""
    rec, truth = "['12:00:00+01', '12:00:00+00']::TIMETZ[]", "['12:00:00+00']::TIMETZ[]"
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute("SET arrow_lossless_conversion = true")
        assert value(con, f"SELECT judge({rec}, {truth})") == judged([2], [1], [1], 2)


def test_a_bignum_is_matched_or_refused(laid_out: duckdb.DuckDBPyConnection) -> None:
    """In Arrow's views DuckDB hands long ones over as bare pointers: no function can read them."""
    one, other = "'123456789012345678901234567890123456789012345678901'::BIGNUM", "'-1'::BIGNUM"
    sql = f"SELECT judge([{other}, {one}, NULL], [{one}])"
    setting = value(laid_out, "SELECT current_setting('arrow_output_version')")
    if setting == "1.5":
        expected = "TypeError: judge: items must not be of type BIGNUM, cast them to VARCHAR"
        assert said(laid_out, sql) == expected
    else:
        assert value(laid_out, sql) == judged([2], [1], [1], 3)


def test_many_rows_of_text_are_matched_within_their_row(laid_out: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT judge(['x', 'item ' || u, NULL], ['item ' || (u // 2 * 2), 'y']) FROM range(5000) r(u)"
    found = [row[0] for row in laid_out.execute(sql).fetchall()]
    assert found == [
        judged([2] if u % 2 == 0 else [], [1] if u % 2 == 0 else [], [1, 1], 3) for u in range(5_000)
    ]


REFUSED = {
    "INTERVAL": "INTERVAL 1 MONTH",
    "STRUCT(a INTEGER, b VARCHAR)": "{'a': 1, 'b': 'x'}",
    "INTEGER[]": "[1, NULL]",
    "INTEGER[2]": "[1, 2]::INTEGER[2]",
    "MAP(INTEGER, VARCHAR)": "MAP {1: 'x'}",
    "UNION(number INTEGER, word VARCHAR)": "'1'::UNION(number INTEGER, word VARCHAR)",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_an_interval_and_a_nested_item_are_refused_and_told_what_to_do(
    laid_out: duckdb.DuckDBPyConnection, kind: str
) -> None:
    item = REFUSED[kind]
    expected = f"TypeError: recall: items must not be of type {kind}, cast them to VARCHAR"
    rows = [f"[{item}], [{item}]", f"[{item}], MAP {{{item}: 2}}", f"[{{'grade': 1, 'item': {item}}}], [1]"]
    for row in rows:
        for sql in (f"SELECT recall({row})", f"SELECT recall({row}) FROM range(3)"):
            assert said(laid_out, sql) == expected, sql
    for empty in ("[]", "NULL", "[NULL]"):
        if not kind.startswith("STRUCT"):  # one is a pair of a grade and an item
            assert said(laid_out, f"SELECT recall([{item}], {empty}::INTEGER[])") == expected
        assert said(laid_out, f"SELECT recall({empty}, [{item}])") == expected
    assert value(laid_out, f"SELECT hits([({item})::VARCHAR], [({item})::VARCHAR])") == 1


def test_pairs_may_meet_a_truth_without_an_item(laid_out: duckdb.DuckDBPyConnection) -> None:
    for truth in ("[]", "[]::DOUBLE[]", "NULL::DOUBLE[]"):
        found = value(laid_out, f"SELECT judge([{{'grade': 2, 'item': 'a'}}, NULL], {truth})")
        assert found == (None if truth.startswith("NULL") else judged([], [], [], 2)), truth


def test_options_may_differ_by_row_in_every_layout(laid_out: duckdb.DuckDBPyConnection) -> None:
    rows = "([1, 9], [1, 2], 1, 'normalize=min'), ([1], [1, 2], 1, NULL), (NULL, [1], 1, 'normalize=min')"
    sql = f"SELECT recall(r, t, k, o), recall(judge(r, t), k, o) FROM (VALUES {rows}) v(r, t, k, o)"
    assert laid_out.execute(sql).fetchall() == [(1, 1), (1 / 2, 1 / 2), (0, 0)]
    rows = "(['a'], MAP {'a': 3}, 'gain=linear'), (['a'], MAP {'a': 2}, 'gain=exp'), ([NULL], NULL, '')"
    sql = f"SELECT dcg(r, t, NULL, o) FROM (VALUES {rows}) v(r, t, o)"
    assert laid_out.execute(sql).fetchall() == [(3,), (3,), (None,)]


def test_every_measure_reads_a_sliced_judged_array() -> None:
    rows = call("judge", lists([[1, 2], [2, 3, 4], None, [4]]), maps([{1: 1}, {3: 2, 2: 1}, {1: 3}, None]))
    whole = judged_array(rows)
    for name in MEASURES:
        assert call(name, whole.slice(1, 2)) == call(name, whole)[1:3], name
        assert call(name, pa.chunked_array([whole.slice(0, 1), whole.slice(1)])) == call(name, whole), name


# --- Keys of a row and an item ---


def test_keys_of_many_rows_do_not_run_into_each_other() -> None:
    """16 rows of items 2^60 apart would come around to the key of row 0."""
    rows = 20
    found = (
        FUNCTIONS["judge"].call(lists([[2**60 - 1, 0]] * rows), lists([[0, 2**60 - 1]] * rows)).to_pylist()
    )
    assert [one["ranks"] for one in found] == [[1, 2]] * rows
    assert [one["ideal"] for one in found] == [[1.0, 1.0]] * rows


def test_an_item_that_only_seems_to_be_known_is_not_taken_for_one_of_the_row_before() -> None:
    """-c in row 1 has the mark of 0 in row 0, and its distance from 0 would lead to the key of that item."""
    c = 0x9E3779B1
    found = FUNCTIONS["judge"].call(lists([[9], [-c]]), lists([[0, c - 1], [5]])).to_pylist()
    assert [one["ranks"] for one in found] == [[], []]


TEXTS = [
    "",
    "a",
    "an item",
    "an item of more than eight bytes",
    "another of more than eight bytes",
    "b",
    "\N{SNOWMAN}",
]


@pytest.mark.parametrize(
    ("kind", "different"),
    [
        (pa.string(), TEXTS),
        (pa.large_string(), TEXTS),
        (pa.binary(), [text.encode() for text in TEXTS]),
        (pa.int64(), [-5, 0, 3, 2**60, 7, 8, 9]),
        (pa.int8(), [-5, 0, 3, 100, 7, 8, 9]),
        (pa.uint64(), [0, 1, 2**64 - 1, 2**63, 7, 8, 9]),
        (pa.float64(), [-0.5, 0.0, 1e300, math.inf, 7.0, 8.0, 9.0]),
        (pa.float32(), [-0.5, 0.0, 1.5, math.inf, 7.0, 8.0, 9.0]),
        (pa.date32(), [datetime.date(2020, 1, day) for day in range(1, 8)]),
        (pa.timestamp("us"), [datetime.datetime(2020, 1, day) for day in range(1, 8)]),
        (pa.bool_(), [True, False, None, None, None, None, None]),
    ],
)
def test_a_part_of_an_array_is_judged_as_the_rows_that_it_holds(
    kind: pa.DataType, different: list[Any]
) -> None:
    a, b, c, d, e, f, g = different
    rec = [[g, f, e], [a, b, c, d, e, f], [], [d, c, g, f, a], [b, e, f, g]]
    truth = [[a], [d, b], [c], [f, a], [a]]
    whole = FUNCTIONS["judge"].call(lists(rec, kind), lists(truth, kind))
    part = FUNCTIONS["judge"].call(lists(rec, kind).slice(1, 3), lists(truth, kind).slice(1, 3))
    assert part.to_pylist() == whole.to_pylist()[1:4]
    alone = FUNCTIONS["judge"].call(lists(rec[1:4], kind), lists(truth[1:4], kind))
    assert part.to_pylist() == alone.to_pylist()
    if kind != pa.bool_():
        assert part.field("ranks").to_pylist() == [[2, 4], [], [4, 5]]


def test_a_pair_without_an_item_is_an_item_of_its_own(con: duckdb.DuckDBPyConnection) -> None:
    """It brings its grade along; a second one is a duplicate of it."""
    assert value(con, "SELECT judge([(3, 'a'), (2, NULL)], [3, 2])") == judged([1, 2], [3, 2], [3, 2], 2)
    expected = judged([1, 2], [3, 2], [3, 2, 1], 3)
    assert value(con, "SELECT judge([(3, 'a'), (2, NULL), (1, NULL)], [3, 2, 1])") == expected

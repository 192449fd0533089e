"""What a user reads when something is wrong: the exact text, for the name that was called."""

import math

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.measures.registry import MEASURES, Number
from tests.conftest import call, said, value

WITH_OPTIONS = [(name, measure) for measure in MEASURES.values() for name in measure.names if measure.options]


@pytest.fixture
def con(shared: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return shared


def test_k_is_checked_where_arrow_gets_integers_as_they_are(con: duckdb.DuckDBPyConnection) -> None:
    """By default, a HUGEINT is a DOUBLE there; wrong_calls.txt has that."""
    with ranking_udfs.register(duckdb.connect()) as own:
        own.execute("SET arrow_lossless_conversion = true")
        for kind, k in (("TINYINT", -1), ("HUGEINT", -(10**30))):
            expected = f"ValueError: recall: k must be 0 or more, got {k}"
            assert said(own, f"SELECT recall([1], [1], ({k})::{kind})") == expected
    found = said(con, "SELECT recall([1], [1], true)")  # as the releases of DuckDB spell the type
    assert found.lower() == "typeerror: recall: k must be an integer, got boolean true"


def test_an_unknown_option_or_value_is_an_error_that_lists_the_valid_ones(
    con: duckdb.DuckDBPyConnection,
) -> None:
    for name, measure in WITH_OPTIONS:
        valid = ", ".join(f"{option}={rule}" for option, rule in measure.options.items())
        expected = {
            text: f"options must be name=value pairs (valid: {valid}), got '{text}'"
            for text in ("nomralize=min", "what", "=", "GAIN=linear")
        }
        for option, rule in measure.options.items():
            for text in ("foo", "", "TRUTH", *(["nan", "inf", "-1e400"] if isinstance(rule, Number) else [])):
                expected[f"{option}={text}"] = f"option {option} must be {rule}, got '{text}'"
        for i, (text, error) in enumerate(expected.items()):
            form = ("[1], [1]", "judge([1], [1])")[i % 2]
            assert said(con, f"SELECT \"{name}\"({form}, 1, '{text}')") == f"ValueError: {name}: {error}"


def test_min_grade_is_of_graded_truth_and_no_error_at_1(con: duckdb.DuckDBPyConnection) -> None:
    for lists in ("['a'], ['a'], 1, 'min_grade=1'", "['a'], MAP {'a': 3}, 1, 'min_grade=2'"):
        assert con.execute(f"SELECT recall({lists})").fetchall() == [(1,)]
    pairs = "[{'grade': 3, 'item': 'a'}], [3, 1], 1, 'min_grade=2'"
    assert con.execute(f"SELECT recall({pairs}), recall(NULL, NULL, 1, 'min_grade=2')").fetchall() == [
        (1, None)
    ]


def test_options_stand_in_any_order_between_commas_and_spaces_or_are_none(
    con: duckdb.DuckDBPyConnection,
) -> None:
    for text in ("gain=linear discount=original base=4", "base=4,  discount=original , gain=linear,"):
        assert value(con, f"SELECT dcg([7, 8, 9, 1], MAP {{1: 5}}, 4, '{text}')") == 5 / math.log(4, 4)
    for text in ("''", "' '", "','", "NULL", "NULL::VARCHAR"):
        assert value(con, f"SELECT recall([1], [1], 1, {text})") == 1


def test_no_argument_is_refused_by_duckdb_and_by_the_function(con: duckdb.DuckDBPyConnection) -> None:
    for name in FUNCTIONS:
        with pytest.raises(duckdb.BinderException, match="No function matches"):
            con.execute(f'SELECT "{name}"()')
        with pytest.raises(TypeError, match=f"^{name}: takes .*, got 0 arguments$"):
            call(name)


FIELDS = "'ranks': [1, 3], 'grades': [2, 1], 'ideal': [2, 1, 1], 'size': 4"


def test_a_struct_that_judge_cannot_have_made_is_found_among_others(con: duckdb.DuckDBPyConnection) -> None:
    """However few of the rows are wrong, and wherever; a NULL beside it is no matter."""
    good = f"{{{FIELDS}, 'cutoff': NULL}}"
    wrong = good.replace("[1, 3]", "[3, 1]")
    for query in ("recall(judged)", "ap(judged, 3)"):
        error = said(con, f"SELECT {query} FROM (VALUES ({good}), (NULL), ({wrong})) t(judged)")
        rule = "judged is not a valid judged ranking: ranks must be ascending integers from 1 to size, got 1"
        assert error == f"ValueError: {query.partition('(')[0]}: {rule}"
    assert value(con, f"SELECT recall({good})") == 2 / 3


def test_a_k_beyond_the_rank_at_which_a_list_was_cut_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    rows = f"(SELECT {{{FIELDS}, 'cutoff': 10}} AS j, unnest([NULL, 10]) AS k)"
    for query in ("recall(j, 11)", "ndcg(j, k + 1)"):
        error = "k must be at most 10, the rank at which the judged ranking was cut, got 11"
        assert said(con, f"SELECT {query} FROM {rows}") == f"ValueError: {query.partition('(')[0]}: {error}"
    found = con.execute(f"SELECT DISTINCT recall(j), recall(j, 10), recall(nullif(j, j), 11) FROM {rows}")
    assert found.fetchall() == [(2 / 3, 2 / 3, None)]


def test_an_error_in_an_empty_batch_is_not_an_accident() -> None:
    """An engine may hand over no rows; the types alone may then be wrong."""
    empty = pa.array([], pa.list_(pa.int64()))
    for name in MEASURES:
        assert call(name, empty, empty) == []
        assert call(name, empty, empty, pa.array([], pa.int64()), pa.array([], pa.string())) == []
    assert call("judge", empty, empty) == []
    for wrong in (pa.array([], pa.float64()), pa.array([], pa.string())):
        try:
            found = call("recall", empty, empty, wrong)
        except TypeError as error:
            assert str(error).startswith("recall: k must be an integer")  # noqa: PT017
        else:
            assert found == []
    for wrong in (pa.array([], pa.float64()), pa.array([], empty.type)):
        for name, before in [
            ("recall", (empty, empty, pa.array([], pa.int64()))),
            ("novelty", (empty, pa.nulls(0))),
        ]:
            with pytest.raises(
                TypeError, match=f"^{name}: options must be a VARCHAR of name=value pairs, got "
            ):
                call(name, *before, wrong)


def test_no_error_shows_a_long_type_or_value(con: duckdb.DuckDBPyConnection) -> None:
    words = ", ".join(f"'word {i}'" for i in range(5_000))
    fields = ", ".join(f"'field_{i}': {i}" for i in range(500))
    for query in (
        f"recall(['word 1'::ENUM ({words})], [1])",
        f"recall([{{{fields}}}], [{{'a': 1}}])",
        f"recall([1], {{{fields}}})",
        "recall([1], [1], repeat('x', 100000))",
        "recall([1], [1], 1, repeat('x', 100000))",
        "recall([1], [1], 1, 'normalize=' || repeat('x', 100000))",
    ):
        assert len(said(con, f"SELECT {query}")) < 400, query[:40]

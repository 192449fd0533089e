"""What a user reads when something is wrong: the exact text, for the name that was called."""

import math

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES, Number
from tests.conftest import call, said, value

NAMES = [name for measure in MEASURES.values() for name in measure.names]
JUDGED = "STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER)"
WITH_OPTIONS = [(name, measure) for measure in MEASURES.values() for name in measure.names if measure.options]


@pytest.fixture
def con(shared: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return shared


# --- k ---


def test_a_negative_k_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    for name in NAMES:
        for form in ("[1], [1]", "['a'], MAP {'a': 2}", "judge([1], [1])", "NULL, [1]", "[1], NULL"):
            expected = f"ValueError: {name}: k must be 0 or more, got -3"
            assert said(con, f'SELECT "{name}"({form}, -3)') == expected


@pytest.mark.parametrize("lossless", ["true", "false"])
def test_a_negative_k_of_any_type_is_an_error(lossless: str) -> None:
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute(f"SET arrow_lossless_conversion = {lossless}")
        for kind, k in (("TINYINT", -1), ("BIGINT", -(2**63)), ("HUGEINT", -1), ("HUGEINT", -(10**30))):
            expected = f"ValueError: recall: k must be 0 or more, got {k}"
            assert said(con, f"SELECT recall([1], [1], ({k})::{kind})") == expected


def test_a_negative_k_in_any_row_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT recall([1], [1], k) FROM (VALUES (1), (NULL), (-7), (0)) t(k)"
    assert said(con, sql) == "ValueError: recall: k must be 0 or more, got -7"
    sql = "SELECT ndcg([1], [1], CASE WHEN i = 2999 THEN -1 ELSE i END) FROM range(3000) t(i)"
    assert said(con, sql) == "ValueError: ndcg: k must be 0 or more, got -1"


@pytest.mark.parametrize(
    ("k", "got"),
    [
        ("2.5", "DECIMAL(2, 1) 2.5"),
        ("2.0::DOUBLE", "DOUBLE 2.0"),
        ("'10'", "VARCHAR '10'"),
        ("'normalize=min'", "VARCHAR 'normalize=min'"),
        ("[5]", "INTEGER[] [5]"),
        ("DATE '2020-01-31'", "DATE 2020-01-31"),
    ],
)
def test_a_k_that_is_not_an_integer_is_an_error(con: duckdb.DuckDBPyConnection, k: str, got: str) -> None:
    expected = f"k must be an integer, got {got}"
    assert said(con, f"SELECT recall([1], [1], {k})") == f"TypeError: recall: {expected}"
    assert said(con, f"SELECT rr(judge([1], [1]), {k})") == f"TypeError: rr: {expected}"


def test_a_boolean_k_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    found = said(con, "SELECT recall([1], [1], true)")
    assert found.lower() == "typeerror: recall: k must be an integer, got boolean true"


# --- Options ---


def test_an_unknown_option_is_an_error_that_lists_the_valid_ones(con: duckdb.DuckDBPyConnection) -> None:
    for name, measure in WITH_OPTIONS:
        valid = ", ".join(f"{option}={rule}" for option, rule in measure.options.items())
        for text in ("nomralize=min", "what", "=", "GAIN=linear"):
            for form in ("[1], [1], 1", "judge([1], [1]), 1"):
                expected = f"{name}: options must be name=value pairs (valid: {valid}), got '{text}'"
                assert said(con, f"SELECT \"{name}\"({form}, '{text}')") == f"ValueError: {expected}"


def test_a_truth_without_grades_has_none_of_2(con: duckdb.DuckDBPyConnection) -> None:
    rule = "min_grade must be 1 or less where truth is a LIST of items, without grades"
    assert said(con, "SELECT recall(['a'], ['a'], 1, 'min_grade=2')") == (
        f"ValueError: recall: {rule}, got 2: give it as a MAP from item to grade"
    )
    for lists in ("['a'], ['a'], 1, 'min_grade=1'", "['a'], MAP {'a': 3}, 1, 'min_grade=2'"):
        assert con.execute(f"SELECT recall({lists})").fetchall() == [(1,)]
    pairs = "[{'grade': 3, 'item': 'a'}], [3, 1], 1, 'min_grade=2'"
    assert con.execute(f"SELECT recall({pairs}), recall(NULL, NULL, 1, 'min_grade=2')").fetchall() == [
        (1, None)
    ]


def test_the_valid_options_are_spelled_out(con: duckdb.DuckDBPyConnection) -> None:
    assert said(con, "SELECT recall([1], [1], 1, 'divide=k')") == (
        "ValueError: recall: options must be name=value pairs (valid: normalize=truth|min, "
        "min_grade=a number > 0), got 'divide=k'"
    )
    assert said(con, "SELECT half_life_utility([1], [1], 1, 'half_live=5')") == (
        "ValueError: half_life_utility: options must be name=value pairs "
        "(valid: half_life=a number > 1, neutral=a number >= 0), got 'half_live=5'"
    )
    assert said(con, "SELECT spearman([1], [1], 1, 'x=1')") == (
        "ValueError: spearman: options must be name=value pairs (valid: none), got 'x=1'"
    )


def test_an_unknown_value_is_an_error_that_lists_the_valid_ones(con: duckdb.DuckDBPyConnection) -> None:
    for name, measure in WITH_OPTIONS:
        for option, rule in measure.options.items():
            for text in ("foo", "", "TRUTH", *(["nan", "inf", "-1e400"] if isinstance(rule, Number) else [])):
                expected = f"ValueError: {name}: option {option} must be {rule}, got '{text}'"
                assert said(con, f"SELECT \"{name}\"([1], [1], 1, '{option}={text}')") == expected


@pytest.mark.parametrize(
    ("call_", "rule", "got"),
    [
        ("average_precision(%s, 'normalize=rec')", "normalize must be truth|min|hits|k", "rec"),
        ("\"precision\"(%s, 'divide=truth')", "divide must be list|k", "truth"),
        ("ndcg(%s, 'gain=log')", "gain must be exp|linear", "log"),
        ("ndcg(%s, 'gain=linear base=1')", "base must be a number > 1", "1"),
        ("ndcg(%s, 'ideal=list')", "ideal must be cut|truth|k", "list"),
        ("f1(%s, 'beta=-0.5')", "beta must be a number >= 0", "-0.5"),
        ("rbp(%s, 'persistence=1')", "persistence must be a number >= 0 and < 1", "1"),
        ("rbp(%s, 'persistence=-0.1')", "persistence must be a number >= 0 and < 1", "-0.1"),
        ("err(%s, 'max_grade=0')", "max_grade must be a number > 0 and <= 1000", "0"),
        ("iprec(%s, 'recall=1.1')", "recall must be a number >= 0 and <= 1", "1.1"),
        ("hlu(%s, 'half_life=1')", "half_life must be a number > 1", "1"),
    ],
)
def test_a_value_out_of_bounds_is_an_error_that_states_them(
    con: duckdb.DuckDBPyConnection, call_: str, rule: str, got: str
) -> None:
    name = call_.partition("(")[0].strip('"')
    expected = f"ValueError: {name}: option {rule}, got '{got}'"
    assert said(con, "SELECT " + call_ % "[1], [1], 1") == expected


def test_options_that_are_not_text_are_an_error(con: duckdb.DuckDBPyConnection) -> None:
    rule = "options must be a VARCHAR of name=value pairs"
    assert said(con, "SELECT recall([1], [1], 1, 5)") == f"TypeError: recall: {rule}, got INTEGER 5"
    assert said(con, "SELECT f1(judge([1], [1]), 1, [2])") == f"TypeError: f1: {rule}, got INTEGER[] [2]"


def test_a_wrong_option_in_any_row_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT recall([1], [1], 1, o) FROM (VALUES ('normalize=min'), (NULL), ('normalize=max')) t(o)"
    assert said(con, sql) == "ValueError: recall: option normalize must be truth|min, got 'max'"


def test_options_stand_in_any_order_between_commas_and_spaces(con: duckdb.DuckDBPyConnection) -> None:
    for text in ("gain=linear discount=original base=4", "base=4,  discount=original , gain=linear,"):
        assert value(con, f"SELECT dcg([7, 8, 9, 1], MAP {{1: 5}}, 4, '{text}')") == 5 / math.log(4, 4)


def test_options_without_any_pair_are_none(con: duckdb.DuckDBPyConnection) -> None:
    for text in ("''", "' '", "','", "NULL", "NULL::VARCHAR"):
        assert value(con, f"SELECT recall([1], [1], 1, {text})") == 1


# --- How many arguments ---


def test_a_wrong_number_of_arguments_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    whole = "(rec, truth[, k[, options]]) or (judged[, k[, options]])"
    judged, plain = ["judge([1], [1])", "1", "''", "5", "6"], ["[1]", "[1]", "1", "''", "5", "6"]
    for names, form, arguments, counts in (
        (NAMES, whole, plain, (1, 5, 6)),
        (["ndcg"], "(judged[, k[, options]])", judged, (4, 5)),
        (["judge"], "(rec, truth)", plain, (1, 3, 4)),
        *(
            ([one.name], f"({', '.join(one.arguments)}[, options])", ["NULL"] * 9, [len(one.arguments) + 2])
            for one in LIST_MEASURES.values()
        ),
    ):
        for name in names:
            for count in counts:
                got = f"got {count} argument{'s' if count > 1 else ''}"
                expected = f"TypeError: {name}: takes {form}, {got}"
                assert said(con, f'SELECT "{name}"({", ".join(arguments[:count])})') == expected


def test_no_argument_is_refused_by_duckdb_and_by_the_function(con: duckdb.DuckDBPyConnection) -> None:
    for name in FUNCTIONS:
        with pytest.raises(duckdb.BinderException, match="No function matches"):
            con.execute(f'SELECT "{name}"()')
        with pytest.raises(TypeError, match=f"^{name}: takes .*, got 0 arguments$"):
            call(name)


# --- rec and truth ---


@pytest.mark.parametrize(
    ("rec", "got"),
    [
        ("1", "INTEGER"),
        ("'a'", "VARCHAR"),
        ("MAP {1: 2}", "MAP(INTEGER, INTEGER)"),
        ("{'a': 1}", "STRUCT(a INTEGER)"),
        ("1.5", "DECIMAL(2, 1)"),
        ("DATE '2020-01-01'", "DATE"),
        ("'x'::ENUM ('x')", "ENUM"),
        ("1::HUGEINT", "HUGEINT"),
    ],
)
def test_rec_that_is_not_a_list_is_an_error(con: duckdb.DuckDBPyConnection, rec: str, got: str) -> None:
    for name in ("judge", "recall", "f1"):
        expected = f"TypeError: {name}: rec must be a LIST of items, got {got}"
        assert said(con, f"SELECT {name}({rec}, [1])") == expected


@pytest.mark.parametrize(
    ("truth", "got"), [("1", "INTEGER"), ("'a'", "VARCHAR"), ("{'a': [1]}", "STRUCT(a INTEGER[])")]
)
def test_truth_that_is_neither_a_list_nor_a_map_is_an_error(
    con: duckdb.DuckDBPyConnection, truth: str, got: str
) -> None:
    for name in ("judge", "recall", "f1"):
        expected = f"TypeError: {name}: truth must be a LIST or a MAP, got {got}"
        assert said(con, f"SELECT {name}([1], {truth})") == expected


@pytest.mark.parametrize(
    ("rec", "truth", "got"),
    [
        ("[1]", "['1']", "INTEGER in rec and VARCHAR in truth"),
        ("['1']", "[1::BIGINT]", "VARCHAR in rec and BIGINT in truth"),
        ("[1]", "[1.0]", "INTEGER in rec and DECIMAL(2, 1) in truth"),
        ("[1.0::DOUBLE]", "[1.0::FLOAT]", "DOUBLE in rec and FLOAT in truth"),
        ("[1.0::DECIMAL(4, 1)]", "[1.0::DECIMAL(5, 1)]", "DECIMAL(4, 1) in rec and DECIMAL(5, 1) in truth"),
        ("[1::HUGEINT]", "['1']", "HUGEINT in rec and VARCHAR in truth"),
        ("['a']", "['a'::BLOB]", "VARCHAR in rec and BLOB in truth"),
        ("['a'::ENUM ('a')]", "['a'::BLOB]", "ENUM in rec and BLOB in truth"),
        ("[DATE '2020-01-01']", "[TIMESTAMP '2020-01-01']", "DATE in rec and TIMESTAMP in truth"),
        ("[1]", "MAP {'1': 2}", "INTEGER in rec and VARCHAR in truth"),
        ("[true]", "[1]", "BOOLEAN in rec and INTEGER in truth"),
    ],
)
def test_items_of_different_types_are_an_error_that_names_both(
    con: duckdb.DuckDBPyConnection, rec: str, truth: str, got: str
) -> None:
    expected = f"rec and truth must hold items of one type, got {got}"
    for name in ("judge", "recall", "rr"):
        assert said(con, f"SELECT {name}({rec}, {truth})") == f"TypeError: {name}: {expected}"


# --- Grades ---


@pytest.mark.parametrize(
    ("grade", "got"),
    [
        ("NULL::DOUBLE", "NULL"),
        ("NULL", "NULL"),
        ("NULL::INTEGER", "NULL"),
        ("'nan'::DOUBLE", "nan"),
        ("'nan'::FLOAT", "nan"),
        ("'infinity'::DOUBLE", "inf"),
        ("'-infinity'::DOUBLE", "-inf"),
    ],
)
def test_a_grade_that_is_not_a_finite_number_is_an_error(
    con: duckdb.DuckDBPyConnection, grade: str, got: str
) -> None:
    for name in ("judge", "ndcg", "hitrate"):
        expected = f"ValueError: {name}: a grade in truth must be a finite number, got {got}"
        assert said(con, f"SELECT {name}(['a'], MAP {{'a': {grade}}})") == expected
        assert said(con, f"SELECT {name}(['a'], MAP {{'b': {grade}}})") == expected
        assert said(con, f"SELECT {name}([], MAP {{'b': {grade}}})") == expected
        assert said(con, f"SELECT {name}([{{'g': 1, 'i': 1}}], [{grade}])") == expected
        expected = f"ValueError: {name}: a grade in rec must be a finite number, got {got}"
        assert said(con, f"SELECT {name}([{{'g': {grade}, 'i': 1}}], [1])") == expected


@pytest.mark.parametrize(
    ("grade", "got"), [("'5'", "VARCHAR"), ("DATE '2020-01-01'", "DATE"), ("[1]", "INTEGER[]")]
)
def test_a_grade_that_is_not_a_number_is_an_error(
    con: duckdb.DuckDBPyConnection, grade: str, got: str
) -> None:
    expected = f"must be a number, got {got}"
    assert (
        said(con, f"SELECT ndcg(['a'], MAP {{'a': {grade}}})")
        == f"TypeError: ndcg: a grade in truth {expected}"
    )
    pair = f"[{{'g': {grade}, 'i': 1}}]"
    assert said(con, f"SELECT ndcg({pair}, [1])") == f"TypeError: ndcg: a grade in rec {expected}"
    assert (
        said(con, f"SELECT ap([{{'g': 1, 'i': 1}}], [{grade}])")
        == f"TypeError: ap: a grade in truth {expected}"
    )


def test_a_grade_above_max_grade_is_an_error_in_err_and_graded_rbp(con: duckdb.DuckDBPyConnection) -> None:
    for rec in ("['a']", "['b']", "[]"):
        expected = "ValueError: err: a grade must be max_grade=4 or less, got 5"
        assert said(con, f"SELECT err({rec}, MAP {{'a': 5}})") == expected
        assert said(con, f"SELECT err(judge({rec}, MAP {{'a': 5}}), 1)") == expected
    lower = "SELECT err(['a'], MAP {'a': 1.5}, NULL, 'max_grade=1')"
    assert said(con, lower) == "ValueError: err: a grade must be max_grade=1 or less, got 1.5"
    for name in MEASURES["rbp"].names:
        expected = f"ValueError: {name}: a grade must be max_grade=4 or less, got 5"
        assert said(con, f"SELECT {name}(['a'], MAP {{'a': 5}}, NULL, 'gain=graded')") == expected
        assert value(con, f"SELECT {name}(['a'], MAP {{'a': 5}}, NULL, 'persistence=0.5')") == 1 / 2


def test_an_ideal_of_k_hits_takes_no_grades_and_no_endless_list(con: duckdb.DuckDBPyConnection) -> None:
    for grade in (3, 0.5):
        graded = f"SELECT ndcg(['a'], MAP {{'b': {grade}, 'a': 0}}, 2, 'ideal=k')"
        assert said(con, graded) == f"ValueError: ndcg: a grade above 0 must be 1 with ideal=k, got {grade}"
    long = "SELECT ndcg([1], [1], 10001, 'ideal=k')"
    assert said(con, long) == "ValueError: ndcg: k must be 10000 or less with ideal=k, got 10001"


def test_a_grade_whose_gain_no_double_can_hold_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    for one in ("dcg", "ideal_dcg", "ndcg", "cumulative_gain"):
        for name in MEASURES[one].names:
            rule = "1000 or less with gain=exp (gain=linear takes any)"
            expected = f"ValueError: {name}: a grade must be {rule}, got 1001"
            assert said(con, f"SELECT {name}(['a'], MAP {{'a': 1001}}, NULL, 'gain=exp')") == expected


# --- Judged rankings ---


FIELDS = {"ranks": "[1, 3]", "grades": "[2, 1]", "ideal": "[2, 1, 1]", "size": "4", "cutoff": "NULL"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ranks": "[0, 3]"}, "ranks must be ascending integers from 1 to size, got 0"),
        ({"ranks": "[-1, 3]"}, "ranks must be ascending integers from 1 to size, got -1"),
        ({"ranks": "[3, 1]"}, "ranks must be ascending integers from 1 to size, got 1"),
        ({"ranks": "[3, 3]"}, "ranks must be ascending integers from 1 to size, got 3"),
        ({"ranks": "[1, 5]"}, "ranks must be ascending integers from 1 to size, got 5"),
        (
            {"ranks": "[1, 2.5]"},
            "ranks must be ascending integers from 1 to size, got 2.5",
        ),
        ({"ranks": "[1]"}, "ranks and grades must be of one length, got 4"),
        ({"grades": "[2]"}, "ranks and grades must be of one length, got 4"),
        ({"ideal": "[1, 2, 1]"}, "ideal must be descending, got 2"),
        ({"ideal": "[2]"}, "ideal must hold a grade above 0 for each of grades, got 2"),
        (
            {"ideal": "[2, 0]"},
            "ideal must hold a grade above 0 for each of grades, got 2",
        ),
        ({"size": "-1"}, "size must be from 0 to cutoff, got -1"),
        ({"cutoff": "3"}, "size must be from 0 to cutoff, got 4"),
        ({"ranks": "[1, NULL]"}, "ranks must hold finite numbers"),
        ({"grades": "[1, 'nan'::DOUBLE]"}, "grades must hold finite numbers"),
        ({"ranks": "1"}, "ranks must be a LIST of numbers, got INTEGER"),
        ({"ideal": "['x']"}, "ideal must be a LIST of numbers, got VARCHAR[]"),
        ({"size": "'x'"}, "size must be an integer, got VARCHAR"),
        ({"cutoff": "1.5"}, "cutoff must be an integer, got DECIMAL(2, 1)"),
    ],
)
def test_a_struct_that_judge_cannot_have_made_is_an_error(
    con: duckdb.DuckDBPyConnection, changed: dict[str, str], message: str
) -> None:
    """However few of the rows are wrong, and wherever; a NULL beside it is no matter."""
    good, wrong = (
        "{" + ", ".join(f"'{name}': {field}" for name, field in {**FIELDS, **change}.items()) + "}"
        for change in ({}, changed)
    )
    rows = f"(VALUES ({good}), (NULL), ({wrong})) t(judged)"
    if "LIST of numbers" in message or "an integer" in message:  # of another type, so in no one table
        rows = f"(SELECT {wrong} AS judged)"
    for query in ("recall(judged)", "ap(judged, 3)"):
        name = query.partition("(")[0]
        expected = f"{name}: judged is not a valid judged ranking: {message}"
        assert said(con, f"SELECT {query} FROM {rows}").partition(": ")[2] == expected
    assert value(con, f"SELECT recall({good})") == 2 / 3


def test_a_k_beyond_the_rank_at_which_a_list_was_cut_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    fields = ", ".join(f"'{name}': {field}" for name, field in {**FIELDS, "cutoff": "10"}.items())
    for query in ("recall(j, 11)", "ndcg(j, k + 1)"):
        name = query.partition("(")[0]
        assert said(con, f"SELECT {query} FROM (SELECT {{{fields}}} AS j, unnest([NULL, 10]) AS k)") == (
            f"ValueError: {name}: k must be at most 10, the rank at which the judged ranking was cut, got 11"
        )
    values = "[recall(j), recall(j, 10)]"
    assert value(con, f"SELECT {values} FROM (SELECT {{{fields}}} AS j)") == [2 / 3] * 2
    assert value(con, f"SELECT recall(NULL::{JUDGED}, 11)") is None


# --- List measures ---


def test_intra_list_diversity_says_what_is_wrong_with_its_vectors(con: duckdb.DuckDBPyConnection) -> None:
    for vectors, expected in [
        ("5", "TypeError: intra_list_diversity: vectors must be a LIST of vectors, got INTEGER"),
        ("[5]", "TypeError: intra_list_diversity: vectors must be a LIST of LISTs, got INTEGER[]"),
        (
            "[[1, 2], [1]]",
            "ValueError: intra_list_diversity: the vectors of a list must be of one length, got 2 and 1",
        ),
        (
            "[[1, NULL], [1, 2]]",
            "ValueError: intra_list_diversity: a vector must hold finite numbers, got NULL",
        ),
        (
            "[[1, 'nan'::DOUBLE], [1, 2]]",
            "ValueError: intra_list_diversity: a vector must hold finite numbers, got nan",
        ),
        ("[['x'], ['y']]", "TypeError: intra_list_diversity: a vector must hold numbers, got VARCHAR"),
    ]:
        assert said(con, f"SELECT intra_list_diversity({vectors})") == expected


@pytest.mark.parametrize("share", ["0", "-0.5", "1.5", "'nan'::DOUBLE", "NULL::DOUBLE", "'infinity'::DOUBLE"])
def test_novelty_refuses_a_share_outside_0_to_1(con: duckdb.DuckDBPyConnection, share: str) -> None:
    found = said(con, f"SELECT novelty(['a'], MAP {{'a': 0.5, 'b': {share}}})")
    got = share.partition("::")[0].strip("'").replace("infinity", "inf")
    assert found.startswith("ValueError: novelty: a share in popularity must be above 0 and at most 1, got ")
    assert found.partition("got ")[2].removesuffix(".0") == got or got == "NULL"


def test_list_measures_name_the_arguments_that_they_have(con: duckdb.DuckDBPyConnection) -> None:
    for arguments, expected in [
        ("['a'], MAP {'a': 'x'}", "TypeError: novelty: a share in popularity must be a number, got VARCHAR"),
        (
            "['a'], MAP {1: 0.5}",
            "TypeError: novelty: rec and popularity must hold items of one type, got VARCHAR in rec and "
            "INTEGER in popularity",
        ),
    ]:
        assert said(con, f"SELECT novelty({arguments})") == expected


@pytest.mark.parametrize(
    ("popularity", "kind"),
    [("['a']", "VARCHAR[]"), ("0.5::DOUBLE", "DOUBLE"), ("{'a': 0.5::DOUBLE}", "STRUCT(a DOUBLE)")],
)
def test_novelty_refuses_a_popularity_that_is_no_map(
    con: duckdb.DuckDBPyConnection, popularity: str, kind: str
) -> None:
    expected = f"TypeError: novelty: popularity must be a MAP(item -> share), got {kind}"
    assert said(con, f"SELECT novelty(['a'], {popularity})") == expected


def test_novelty_refuses_an_item_that_popularity_lacks(con: duckdb.DuckDBPyConnection) -> None:
    assert said(con, "SELECT novelty(['a', 'z'], MAP {'a': 0.5})").startswith(
        "ValueError: novelty: popularity must hold every item of rec"
    )


# --- Errors and what comes after ---


def test_an_error_leaves_the_connection_and_the_function_usable(con: duckdb.DuckDBPyConnection) -> None:
    for wrong in ("['a'], [1]", "[1], MAP {1: NULL::DOUBLE}", "[1], [1], -1", "[1], [1], 1, 'x'"):
        assert said(con, f"SELECT recall({wrong})")
        assert value(con, "SELECT recall([1], [1])") == 1


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


def test_registering_on_a_closed_connection_is_an_error() -> None:
    con = duckdb.connect()
    con.close()
    with pytest.raises(ValueError, match=r"^register: con must be an open connection, got a closed one"):
        ranking_udfs.register(con)

"""judge and the measures on every item type, in every layout of Arrow, beyond calls/layouts.txt."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pytest

from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, call, judged_array, lists, maps, said, value
from tests.test_calls import LAYOUTS, RARE, connected


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.newest if name in RARE else []) for name in LAYOUTS],
)
def laid_out(request: pytest.FixtureRequest) -> Iterator[Con]:
    with connected(request.param) as con:
        yield con


def judged(ranks: list[int], grades: list[float], ideal: list[float], size: int) -> dict[str, Any]:
    return {"ranks": ranks, "grades": grades, "ideal": ideal, "size": size, "cutoff": None}


def test_grades_may_be_of_any_number_type(laid_out: Con) -> None:
    kinds = ["DOUBLE", "FLOAT", "INTEGER", "TINYINT", "UBIGINT", "HUGEINT", "DECIMAL(5, 2)", "DECIMAL(30, 2)"]
    for kind in arriving(laid_out, kinds):
        truth = f"MAP {{'a': 2, 'b': 3}}::MAP(VARCHAR, {kind})"
        assert value(laid_out, f"SELECT judge(['b', 'x'], {truth})") == judged([1], [3], [3, 2], 2)
        rec = f"[{{'g': 2, 'i': 'a'}}, NULL]::STRUCT(g {kind}, i VARCHAR)[]"
        assert value(laid_out, f"SELECT judge({rec}, [2, 3]::{kind}[])") == judged([1], [2], [3, 2], 2)


def arriving(con: Con, kinds: Iterable[str]) -> list[str]:
    """Leave out the small decimals of layout 1.5 if pyarrow has none."""
    small = value(con, "SELECT current_setting('arrow_output_version')") == "1.5"
    lacking = small and not hasattr(pa, "decimal32")
    return [kind for kind in kinds if not (lacking and re.match(r"DECIMAL\(.,", kind))]


def test_items_of_every_type_are_matched(laid_out: Con) -> None:
    """Two values of each type that DuckDB has: in a list, a MAP and in pairs, and against empty lists."""
    columns = laid_out.execute("SELECT column_name, column_type FROM (DESCRIBE FROM test_all_types())")
    kinds = dict(columns.fetchall())
    arrived = arriving(laid_out, kinds.values())
    apart = ("STRUCT", "MAP", "UNION", "TUPLE", "INTERVAL", "BIGNUM", "HUGEINT", "UHUGEINT", "TIME WITH")
    plain = {name for name, kind in kinds.items() if kind in arrived and not kind.startswith(apart)}
    names = [name for name in plain if not kinds[name].endswith("]")]
    assert len(names) > 25
    for name in names:
        pairs = ", ".join(f"{{'grade': 2, 'item': {item}}}" for item in ("one", "other", "one"))
        cases: dict[str, Any] = {
            "judge([other, one, other, one], [one])": judged([2], [1], [1], 4),
            "judge([other, NULL], [one])": judged([], [], [1], 2),
            "judge([other, one, NULL, one], [one, NULL, one])": judged([2], [1], [1], 4),
            "judge([NULL, one], [other, one])": judged([2], [1], [1, 1], 2),
            "judge([one, other], MAP {other: 2, one: 3})": judged([1, 2], [3, 2], [3, 2], 2),
            f"judge([{pairs}, NULL], [2, 2])": judged([1, 2], [2, 2], [2, 2], 4),
            **{f"recall([one, other], {truth})": 0 for truth in ("[]", "[one][:0]")},
            **{f"recall({rec}, [one, other])": 0 for rec in ("[]", "NULL", "[one][:0]", "[NULL]")},
            "recall([one], NULL)": None,
        }
        both = f'list("{name}")[1] AS one, list("{name}")[2] AS other'
        sql = f"SELECT {', '.join(cases)} FROM (SELECT {both} FROM test_all_types())"
        (values,) = laid_out.execute(sql).fetchall()
        assert dict(zip(cases, values, strict=True)) == cases, name


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_enums_match_in_any_layout_of_their_words(kind: pa.DataType) -> None:
    """Match them in a list, in a MAP, and with words in a dictionary of another layout."""
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


def test_a_bignum_is_matched_or_refused(laid_out: Con) -> None:
    """In Arrow's views, DuckDB passes long BIGNUMs as bare pointers, which no function can read."""
    one, other = "'123456789012345678901234567890123456789012345678901'::BIGNUM", "'-1'::BIGNUM"
    sql = f"SELECT judge([{other}, {one}, NULL], [{one}])"
    setting = value(laid_out, "SELECT current_setting('arrow_output_version')")
    if setting == "1.5":
        error = "TypeError: judge: items must not be of type BIGNUM, cast them to VARCHAR"
        assert said(laid_out, sql) == error
    else:
        assert value(laid_out, sql) == judged([2], [1], [1], 3)


def test_every_measure_reads_a_sliced_judged_array() -> None:
    rows = call("judge", lists([[1, 2], [2, 3, 4], None, [4]]), maps([{1: 1}, {3: 2, 2: 1}, {1: 3}, None]))
    whole = judged_array(rows)
    for name in MEASURES:
        assert call(name, whole.slice(1, 2)) == call(name, whole)[1:3], name
        assert call(name, pa.chunked_array([whole.slice(0, 1), whole.slice(1)])) == call(name, whole), name


def test_keys_of_many_rows_do_not_collide() -> None:
    """16 rows of items 2^60 apart would come around to the key of row 0."""
    rows = 20
    found = call("judge", lists([[2**60 - 1, 0]] * rows), lists([[0, 2**60 - 1]] * rows))
    assert [one["ranks"] for one in found] == [[1, 2]] * rows
    assert [one["ideal"] for one in found] == [[1.0, 1.0]] * rows


def test_an_item_does_not_match_one_of_the_row_before() -> None:
    """-c in row 1 has the mark of 0 in row 0, and its distance from 0 would lead to the key of that item."""
    c = 0x9E3779B1
    found = call("judge", lists([[9], [-c]]), lists([[0, c - 1], [5]]))
    assert [one["ranks"] for one in found] == [[], []]

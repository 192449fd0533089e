"""Texts are the same if their numbers are, but for last digits; failures show the lines that differ."""

import pytest

from tests.by_value import assert_same, differences, is_equal, kept

P = "1.2681848720135151e-05"


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        (f"p = {P}, 't'", "p = 1.268184872013515e-05, 't'"),
        ("[0.1, 1.0]", "[0.1, 0.9999999999999999]"),
        ("-0.0 1e-17 0.25", "0.0 -3e-18 0.25"),
        ("a  0.3333333333333  x\nb  0.5              y", "a  0.33333333333333  x\nb  0.5               y"),
        ("---------------  -\n0.3000000000001  a", "----------------  -\n0.30000000000011  a"),
        ("│ n  │    mean     │\n│ 1  │ 0.123456789 │", "│ n  │     mean     │\n│ 1  │ 0.1234567891 │"),
    ],
)
def test_last_digits_and_the_width_that_they_take_are_no_difference(expected: str, found: str) -> None:
    assert kept(expected, found) == expected
    assert differences(expected, found) == ""


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        *(("0.123456789", "0.123456788"), ("1e-15", "1.1e-15"), ("0.5", "0.50"), ("1", "1.0"), ("5", "6")),
        ("1234567890123456", "1234567890123457"),  # an id
        *(("1.5.4", "1.5.5"), ("a1.5", "a1.5000000000001"), ("+0.5", "0.5"), ("0.5 %", "0.5%")),
        *(("a  b", "a b"), ("0.5  b", "0.5 b"), ("0.1 0.2", "0.2 0.1"), ("a\nb", "a\nb\nc")),
        *(("---", "----"), ("...", "a\nb")),
    ],
)
def test_anything_else_is_a_difference(expected: str, found: str) -> None:
    assert kept(expected, found) == found
    assert differences(expected, found)


def test_a_changed_line_keeps_its_equal_numbers() -> None:
    expected, found = f"a,{P},0.5\nlast", "a,1.268184872013515e-05,new,0.25\nlast"
    assert kept(expected, found) == f"a,{P},new,0.25\nlast"
    with pytest.raises(AssertionError) as raised:
        assert_same(f"first\n{expected}", f"first\n{found}", "read the diff")
    assert str(raised.value) == f"read the diff\n@@ -2 +2 @@\n-a,{P},0.5\n+a,{P},new,0.25"


@pytest.mark.parametrize(
    ("expected", "found", "after"),
    [
        ("one ... three", "one two two three", "one ... three"),
        ("one ... three", "one three", "one three"),
        ("one ... three", "one two four", "one ... four"),
        ("one ... three", "one two threes four", "one ... threes four"),
        ("one ... three ... five", "one two threes four five", "one ... threes ... five"),
        ("one ... three ... five", "one two four five", "one two ... five"),
        ("one ... 0.3333333333333333", "one two 0.333333333333333", "one ... 0.3333333333333333"),
        ("one ...", "two three", "two ..."),
        ("...", "", ""),
        ("one two", "one three", "one three"),
    ],
)
def test_a_gap_stays_as_long_as_it_hides_a_line(expected: str, found: str, after: str) -> None:
    assert kept(*(text.replace(" ", "\n") for text in (expected, found)), gap="...").split() == after.split()


def test_infinities_and_nan_are_equal_to_themselves_only() -> None:
    inf, nan = float("inf"), float("nan")
    pairs = [(a, b) for a in (inf, -inf, nan, 0.0) for b in (inf, -inf, nan, 0.0) if is_equal(a, b)]
    assert [f"{a} {b}" for a, b in pairs] == ["inf inf", "-inf -inf", "nan nan", "0.0 0.0"]

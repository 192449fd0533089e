"""How a text names a measure: `ndcg(gain=linear)@5,10`."""

import re

import pytest

from ranking_udfs.measures.grammar import parse_measure, parse_measures, parse_options
from ranking_udfs.measures.rankings import WHOLE
from ranking_udfs.measures.registry import BY_NAME, MEASURES

pytestmark = pytest.mark.newest

NDCG, MAP = "ndcg(gain=linear,discount=original)", "average_precision"


def refused(text: str) -> str:
    with pytest.raises(ValueError, match=r"^[^\n]{1,400}$") as raised:
        parse_measure(text)
    return str(raised.value)


def test_every_name_alias_and_label_is_found_in_any_case() -> None:
    for measure in MEASURES.values():
        for name in (*measure.names, measure.label):
            for text in (name, name.upper(), name.lower(), f"  {name.title()} "):
                assert parse_measure(text).measure is measure, text
    assert parse_measure("hit-rate").measure is BY_NAME["hit_rate"]
    assert parse_measure("MAP@10").measure is BY_NAME["average_precision"]


def test_options_and_cut_offs_are_read_however_they_are_spaced() -> None:
    for text in (
        "ndcg(gain=linear,discount=original)@5,10,all",
        " nDCG ( gain=linear  discount=original ) @ 5, 10 ,all ",
    ):
        one = parse_measure(text)
        chosen = {"gain": "linear", "discount": "original", "base": 2.0, "half_life": 5.0, "ideal": "cut"}
        assert one.options == chosen
        assert one.cuts == (5, 10, None)
        assert one.name == "ndcg(gain=linear,discount=original)"
        assert one.label == "NDCG (gain=linear,discount=original)"
        assert parse_measure(one.name).given == one.given
    assert parse_measure("ndcg").cuts == ()
    assert parse_measure("ndcg()").name == "ndcg"
    assert parse_measure("ndcg@0").cuts == (0,)
    assert parse_measure(f"ndcg@{'0' * 9_000}7,{'9' * 9_000}").cuts == (7, WHOLE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ndcg,recall", [("ndcg", ()), ("recall", ())]),
        ("ndcg(gain=linear,discount=original)@5,10,recall", [(NDCG, (5, 10)), ("recall", ())]),
        (" ndcg(gain=linear, discount=original) @ 5 , 10 , MAP@all,1 ", [(NDCG, (5, 10)), (MAP, (None, 1))]),
        ("ndcg@5,all,Hit rate,mrr@1", [("ndcg", (5, None)), ("hit_rate", ()), ("mrr", (1,))]),
    ],
)
def test_measures_are_parted_by_commas_that_are_not_their_own(text: str, expected: object) -> None:
    assert [(one.name, one.cuts) for one in parse_measures(text)] == expected


def test_every_pair_of_spellings_is_two_measures() -> None:
    """No name can be taken for a cut-off, in front of it or behind."""
    for measure in MEASURES.values():
        for name in (*measure.names, measure.label):
            found = parse_measures(f"{name}@3,{name}(),{name}@all,7")
            assert [(one.measure, one.cuts) for one in found] == [
                (measure, cuts) for cuts in ((3,), (), (None, 7))
            ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg,", "measure must be the name of a measure, got '' (`ranking-udfs measures` lists them)"),
        ("ndcg,10", "measure must be the name of a measure, got '10' (`ranking-udfs measures` lists them)"),
        ("ndcg@5,,recall", "cut-offs must be integers of 0 or more, or all, got ''"),
        ("ndcg@5,2.5", "cut-offs must be integers of 0 or more, or all, got '2.5'"),
        (
            "recall,ndgc@5",
            "measure must be the name of a measure, got 'ndgc' "
            "(did you mean ndcg? `ranking-udfs measures` lists them)",
        ),
        ("ndcg(gain=linear,recall", "measure must be like 'ndcg(gain=linear)@5,10', got 'ndcg(gain=linear'"),
    ],
)
def test_one_that_is_wrong_among_measures_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_measures(text)


def test_an_unknown_name_suggests_the_nearest() -> None:
    assert (
        refused("ndgc@5") == "measure must be the name of a measure, got 'ndgc' "
        "(did you mean ndcg? `ranking-udfs measures` lists them)"
    )
    assert (
        refused("Recal") == "measure must be the name of a measure, got 'Recal' "
        "(did you mean recall? `ranking-udfs measures` lists them)"
    )
    assert (
        refused("xyzzy")
        == "measure must be the name of a measure, got 'xyzzy' (`ranking-udfs measures` lists them)"
    )
    assert refused("") == "measure must be the name of a measure, got '' (`ranking-udfs measures` lists them)"
    assert len(refused("x" * 1_000_000)) == 200 + len(refused("")) - len("''")


@pytest.mark.parametrize("text", ["ndcg(gain=linear", "ndcg)@5", "ndcg((gain=linear))", "ndcg(gain=linear)5"])
def test_another_form_is_an_error_that_shows_the_form(text: str) -> None:
    assert refused(text) == f"measure must be like 'ndcg(gain=linear)@5,10', got {text!r}"


@pytest.mark.parametrize("k", ["", "-1", "5.0", "1_0", "\u0665", "ten", "5 6", "+5"])
def test_a_cut_off_is_an_integer_of_ascii_digits_or_all(k: str) -> None:
    assert refused(f"ndcg@{k}") == f"cut-offs must be integers of 0 or more, or all, got {k!r}"


def test_an_option_is_given_once() -> None:
    text = "gain=exp,gain=linear"
    assert refused(f"ndcg({text})") == f"ndcg: option gain must be given once, got {text!r}"
    assert refused("ndcg(gain=exp gain=exp)").startswith("ndcg: option gain must be given once")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg(base=7)", "ndcg: option base must go with discount=original, got it with discount=log2"),
        (
            "dcg(half_life=2,discount=original)",
            "dcg: option half_life must go with discount=half_life, got it with discount=original",
        ),
        ("rbp(max_grade=5)", "rbp: option max_grade must go with gain=graded, got it with gain=binary"),
    ],
)
def test_an_option_without_effect_beside_the_others_is_an_error(text: str, message: str) -> None:
    assert refused(text) == message


@pytest.mark.parametrize(
    "number", ["1_0", "\u0665", "0x5", "inf", "nan", "1e", ".", "5.", " 5", "1e999", "-0"]
)
def test_a_number_is_written_as_sql_writes_it(number: str) -> None:
    if number in ("5.", " 5"):
        assert parse_options(BY_NAME["hlu"], "hlu", f"half_life={number.strip()}")["half_life"] == 5
    else:
        with pytest.raises(ValueError, match=r"^hlu: option half_life must be a number > 1, got '"):
            parse_options(BY_NAME["hlu"], "hlu", f"half_life={number}")

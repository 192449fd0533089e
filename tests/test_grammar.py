"""How a text names a measure: `ndcg(gain=linear)@5,10`. calls/names.txt has the errors."""

import pytest

from ranking_udfs.measures.grammar import parse_measure, parse_measures
from ranking_udfs.measures.rankings import WHOLE
from ranking_udfs.measures.registry import BY_NAME, MEASURES

NDCG, MAP = "ndcg(gain=linear,discount=original)", "average_precision"


def test_names_aliases_and_labels_are_read_in_any_case() -> None:
    for measure in MEASURES.values():
        for name in (*measure.names, measure.label):
            for text in (name, name.upper(), name.lower(), f"  {name.title()} "):
                assert parse_measure(text).measure is measure, text
    assert parse_measure("hit-rate").measure is BY_NAME["hit_rate"]
    assert parse_measure("MAP@10").measure is BY_NAME["average_precision"]


def test_options_and_cutoffs_are_read_with_any_spaces() -> None:
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
    assert parse_measure("hlu(half_life=5.)").options["half_life"] == 5
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
def test_commas_separate_measures_but_not_within_one(text: str, expected: object) -> None:
    assert [(one.name, one.cuts) for one in parse_measures(text)] == expected


def test_every_pair_of_spellings_is_two_measures() -> None:
    """No name can be taken for a cutoff, in front of it or behind."""
    for measure in MEASURES.values():
        for name in (*measure.names, measure.label):
            found = parse_measures(f"{name}@3,{name}(),{name}@all,7")
            assert [(one.measure, one.cuts) for one in found] == [
                (measure, cuts) for cuts in ((3,), (), (None, 7))
            ]


def test_an_error_shows_no_long_name() -> None:
    with pytest.raises(ValueError, match=r"^[^\n]{1,400}$"):
        parse_measure("x" * 1_000_000)

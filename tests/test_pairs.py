"""Each pair of models: the best against the second best, and letters."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from ranking_udfs.evaluation.pairs import assign_letters, order_models
from tests.command import Fails, Run
from tests.pages import FILES

pytestmark = pytest.mark.usefixtures("files")
NDCG = ["-m", "ndcg", "--no-check"]


@pytest.mark.parametrize(
    ("apart", "letters"),
    [
        ("", ["a", "a", "a", "a"]),
        ("AB AC AD BC BD CD", ["a", "b", "c", "d"]),
        ("AC AD BD", ["a", "ab", "bc", "c"]),  # neighbours are never apart
        ("AB CD", ["ab", "cd", "ac", "bd"]),  # a ring: four letters for four models
        ("BC", ["ab", "a", "b", "ab"]),
    ],
)
def test_letters_by_hand(apart: str, letters: list[str]) -> None:
    pairs = [(pair[0], pair[1]) for pair in apart.split()]
    assert assign_letters("ABCD", pairs) == dict(zip("ABCD", letters, strict=True))


def test_letters_are_the_largest_groups_without_a_pair_that_is_apart() -> None:
    draw = np.random.default_rng(4)
    for _ in range(150):
        systems = list("abcdefg"[: draw.integers(2, 8)])
        share = draw.random()
        apart = [pair for pair in combinations(systems, 2) if draw.random() < share]
        draw.shuffle(apart)
        found = assign_letters(systems, map(tuple, apart))
        groups = [
            set(group)
            for size in range(1, len(systems) + 1)
            for group in combinations(systems, size)
            if not any({*pair} <= {*group} for pair in apart)
        ]
        largest = [one for one in groups if not any(one < other for other in groups)]
        letters = sorted({letter for text in found.values() for letter in text})
        assert sorted([sorted(one) for one in largest]) == [
            sorted(system for system in systems if letter in found[system]) for letter in letters
        ]  # in the order of the models, too


@pytest.mark.parametrize("baseline", ["als", "bert", "pop"])
def test_the_best_is_compared_with_the_second_best_of_all_pairs(run: Run, baseline: str) -> None:
    explained = ["compare", *FILES, *NDCG, "--explain", "--baseline"]
    last = " ".join(run(*explained, baseline).split()).partition("Best against")[2].partition(" 95 %")[0]
    pairs = json.loads(run("compare", *FILES, *NDCG, "--format", "json"))
    ((alone, p),) = (
        (row["p"], row["p_adjusted"]) for row in pairs if {row["system"], row["baseline"]} == {"als", "bert"}
    )
    assert max(alone, p) < 0.0001
    assert last.endswith(", p < 0.0001 after Holm for 3 pairs of models.")
    # All but p, by its own way; against the baseline, if that is one of the two, as the sentences above.
    basis = baseline if baseline == "bert" else "als"
    against = " ".join(run(*explained, basis).split())
    assert last.partition(", p ")[0].removeprefix(" second best: ") in against


def test_letters_are_of_the_comparison_as_it_is_asked_for(run: Run) -> None:
    """At 99.99999 %, only one of the three is apart; means are those of evaluate."""
    arguments = ("--pairs", "--format", "json", "--confidence", "0.9999999")
    found = json.loads(run("compare", *FILES, *NDCG, *arguments))
    assert [(row["system"], row["letters"]) for row in found] == [("bert", "a"), ("als", "b"), ("pop", "b")]
    expected = json.loads(run("evaluate", *FILES, *NDCG, "--format", "json"))
    assert {row["system"]: row["mean"] for row in found} == {row["system"]: row["ndcg"] for row in expected}


def test_where_there_is_no_order_nothing_is_said(run: Run, fails: Fails) -> None:
    """Of a measure that some users lack each pair is of other users; in the end two share no user."""
    compare = ["compare", *FILES, "-m", "first_hit_rank", "--no-check"]
    assert "Best against" not in run(*compare, "--explain", "--baseline", "als")
    text = run(*compare, "--pairs")
    assert "Not shown: measures of which some users have no value" in " ".join(text.split())
    assert "share a letter" not in text  # of which there is none
    explained = [*NDCG, "--explain", "--baseline", "als"]
    assert "Best against" not in run("compare", *FILES[:2], FILES[-1], *explained)  # said above
    for name, parity in (("bert", "0"), ("pop", "1")):
        head, *lines = Path(f"{name}.csv").read_text().splitlines()
        kept = [line for line in lines if str(int(line[1:].partition(",")[0]) % 2) == parity]
        Path(f"{name}.csv").write_text("\n".join([head, *kept]))
    assert "Best against" not in run("compare", *FILES, *explained)
    assert "got none with recommendations of both" in fails(1, "compare", *FILES, *NDCG, "--pairs")
    many_rows = "".join(f"u{user},{user},1,s{system}\n" for system in range(21) for user in range(2))
    Path("many.csv").write_text("userid,itemid,score,system\n" + many_rows)
    many = ["compare", "many.csv", "relevant.csv", *NDCG, "--baseline", "s0"]
    assert fails(2, *many, "--pairs") == "compare: --pairs takes 20 models or fewer, got 21"
    assert "Best against" not in run(*many, "--explain")


def test_equal_models_stand_in_the_order_of_their_names() -> None:
    row = {"measure": "ndcg", "k": 5, "users": 4, "users_undefined": 0, "verdict": "unclear"}
    row |= {"baseline": "b", "system": "a", "mean_baseline": 0.0, "mean_system": 0.0, "difference": 0.0}
    row |= {"low": None, "high": None, "wins": 0, "losses": 0}
    row |= {"users_without_rec_baseline": 1, "users_without_rec_system": 0}
    found = order_models([row])
    assert found is not None
    assert (found.letters, found.leaders) == ({"a": "a", "b": "a"}, ["a", "b"])
    assert (found.best["system"], found.best["users_without_rec_baseline"]) == ("a", 1)
    assert str(found.best["difference"]) == "0.0"  # not -0
    assert order_models([{**row, "users_undefined": 1}]) is None

"""Pairs of models: letters and order; transcripts/compare.txt has the best model against the second best."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from ranking_udfs.evaluation.pairs import assign_letters, order_models
from tests.command import Fails, Run


@pytest.mark.parametrize(
    ("apart", "letters"),
    [
        ("", "a a a a"),
        ("AB AC AD BC BD CD", "a b c d"),
        ("AC AD BD", "a ab bc c"),  # neighbors never differ
        ("AB CD", "ab cd ac bd"),  # a ring: four letters for four models
        ("BC", "ab a b ab"),
    ],
)
def test_letters_by_hand(apart: str, letters: str) -> None:
    pairs = [(pair[0], pair[1]) for pair in apart.split()]
    assert assign_letters("ABCD", pairs) == dict(zip("ABCD", letters.split(), strict=True))


def test_letters_are_the_largest_groups_without_a_different_pair() -> None:
    draw = np.random.default_rng(4)
    for _ in range(150):
        systems = list("abcdefg"[: draw.integers(2, 8)])
        share = draw.random()
        apart = [pair for pair in combinations(systems, 2) if draw.random() < share]
        draw.shuffle(apart)
        letters_of = assign_letters(systems, map(tuple, apart))
        sizes = range(1, len(systems) + 1)
        groups = [set(group) for size in sizes for group in combinations(systems, size)]
        groups = [group for group in groups if not any({*pair} <= group for pair in apart)]
        largest = [sorted(group) for group in groups if not any(group < other for other in groups)]
        letters = sorted({letter for text in letters_of.values() for letter in text})
        assert sorted(largest) == [
            sorted(system for system in systems if letter in letters_of[system]) for letter in letters
        ]  # in the order of the models, too


def test_more_than_twenty_models_have_no_letters_and_no_best(run: Run, fails: Fails) -> None:
    rows = "".join(f"u{user},{user},1,s{system}\n" for system in range(21) for user in range(2))
    Path("many.csv").write_text("userid,itemid,score,system\n" + rows)
    Path("relevant.csv").write_text("userid,itemid\nu0,0\nu1,1\n")
    many = ["compare", "many.csv", "relevant.csv", "-m", "mrr", "--no-check", "--baseline", "s0"]
    assert fails(2, *many, "--pairs") == "compare: --pairs takes 20 models or fewer, got 21"
    assert "Best against" not in run(*many, "--explain")


def test_equal_models_are_sorted_by_name() -> None:
    row = {"measure": "ndcg", "k": 5, "users": 4, "users_undefined": 0, "verdict": "unclear"}
    row |= {"baseline": "b", "system": "a", "mean_baseline": 0.0, "mean_system": 0.0, "difference": 0.0}
    row |= {"higher_is_better": True, "low": None, "high": None, "wins": 0, "losses": 0}
    row |= {"users_without_rec_baseline": 1, "users_without_rec_system": 0}
    order = order_models([row])
    assert order is not None
    assert (order.letters, order.leaders) == ({"a": "a", "b": "a"}, ["a", "b"])
    assert (order.best["system"], order.best["users_without_rec_baseline"]) == ("a", 1)
    assert str(order.best["difference"]) == "0.0"  # not -0
    assert order_models([{**row, "users_undefined": 1}]) is None


def test_the_lowest_mean_is_the_best_where_lower_is_better() -> None:
    row = {"measure": "first_hit_rank", "k": 5, "users": 9, "users_undefined": 0, "verdict": "worse"}
    row |= {"baseline": "b", "system": "a", "mean_baseline": 2.0, "mean_system": 3.0, "difference": 1.0}
    row |= {"higher_is_better": False, "low": 0.5, "high": 1.5, "relative": 0.5, "wins": 1, "losses": 8}
    row |= {"users_without_rec_baseline": 0, "users_without_rec_system": 0}
    order = order_models([row])
    assert order is not None
    assert (order.means, order.leaders) == ({"b": 2.0, "a": 3.0}, ["b"])
    best = [order.best[name] for name in ("system", "difference", "low", "high", "verdict", "wins")]
    assert best == ["b", -1.0, -1.5, -0.5, "better", 8]
    assert order.best["relative"] == pytest.approx(-1 / 3, rel=1e-9)

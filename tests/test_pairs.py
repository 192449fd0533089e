"""Each pair of models: letters and order; golden/compare.txt has the best against the second best."""

from itertools import combinations
from pathlib import Path

import numpy as np

from ranking_udfs.evaluation.pairs import assign_letters, order_models
from tests.command import Fails, Run


def test_letters_by_hand() -> None:
    for apart, letters in (
        ("", "a a a a"),
        ("AB AC AD BC BD CD", "a b c d"),
        ("AC AD BD", "a ab bc c"),  # neighbours are never apart
        ("AB CD", "ab cd ac bd"),  # a ring: four letters for four models
        ("BC", "ab a b ab"),
    ):
        pairs = [(pair[0], pair[1]) for pair in apart.split()]
        assert assign_letters("ABCD", pairs) == dict(zip("ABCD", letters.split(), strict=True))


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


def test_more_than_twenty_models_have_no_letters_and_none_is_called_the_best(run: Run, fails: Fails) -> None:
    rows = "".join(f"u{user},{user},1,s{system}\n" for system in range(21) for user in range(2))
    Path("many.csv").write_text("userid,itemid,score,system\n" + rows)
    Path("relevant.csv").write_text("userid,itemid\nu0,0\nu1,1\n")
    many = ["compare", "many.csv", "relevant.csv", "-m", "mrr", "--no-check", "--baseline", "s0"]
    assert fails(2, *many, "--pairs") == "compare: --pairs takes 20 models or fewer, got 21"
    assert "Best against" not in run(*many, "--explain")


def test_equal_models_stand_in_the_order_of_their_names() -> None:
    row = {"measure": "ndcg", "k": 5, "users": 4, "users_undefined": 0, "verdict": "unclear"}
    row |= {"higher_is_better": True}
    row |= {"baseline": "b", "system": "a", "mean_baseline": 0.0, "mean_system": 0.0, "difference": 0.0}
    row |= {"low": None, "high": None, "wins": 0, "losses": 0}
    row |= {"users_without_rec_baseline": 1, "users_without_rec_system": 0}
    found = order_models([row])
    assert found is not None
    assert (found.letters, found.leaders) == ({"a": "a", "b": "a"}, ["a", "b"])
    assert (found.best["system"], found.best["users_without_rec_baseline"]) == ("a", 1)
    assert str(found.best["difference"]) == "0.0"  # not -0
    assert order_models([{**row, "users_undefined": 1}]) is None

"""Order of models and letters; transcripts/compare.txt has the best model against the second best."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ranking_udfs.evaluation.conclusion import leading_sentence
from ranking_udfs.evaluation.pairs import assign_letters, order_models
from tests.command import Fails, Run
from tests.conftest import Con, module_connection, rows

con = module_connection()


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
        found = [sorted(name for name in systems if letter in letters_of[name]) for letter in letters]
        assert sorted(largest) == found  # in the order of the models, too


def test_more_than_twenty_models_have_no_letters(run: Run, fails: Fails) -> None:
    """Let s1 alone find what is relevant; with a baseline there is a best model, too."""
    found = {(system, user): user if system == 1 else 9 for system in range(21) for user in range(2)}
    lines = "".join(f"u{user},{item},1,s{system}\n" for (system, user), item in found.items())
    Path("many.csv").write_text("userid,itemid,score,system\n" + lines)
    Path("relevant.csv").write_text("userid,itemid\nu0,0\nu1,1\n")
    many = ["compare", "many.csv", "relevant.csv", "-m", "mrr", "--no-check", "--baseline", "s0"]
    assert fails(2, *many, "--pairs") == "compare: --pairs takes 20 models or fewer, got 21"
    sentence = "s1 has the best MRR@10, but not significantly better than s0, the baseline.\n"
    assert run(*many).startswith(sentence)


def test_equal_models_are_sorted_by_name() -> None:
    row = {"measure": "ndcg", "k": 5, "users": 4, "users_undefined": 0, "verdict": "unclear"}
    row |= {"baseline": "b", "system": "a", "mean_baseline": 0.0, "mean_system": 0.0, "difference": 0.0}
    row |= {"higher_is_better": True, "low": None, "high": None, "wins": 0, "losses": 0}
    row |= {"users_without_rec_baseline": 1, "users_without_rec_system": 0}
    order = order_models([row])
    assert order is not None
    assert (order.letters, [*order.means], order.is_tied) == ({"a": "a", "b": "a"}, ["a", "b"], True)
    assert (order.best["system"], order.best["users_without_rec_baseline"]) == ("a", 1)
    assert str(order.best["difference"]) == "0.0"  # not -0
    assert order_models([{**row, "users_undefined": 1}]) is None


CLAIMS = {  # words of the answer, and the verdict on the best model in the table
    "significantly better than": "better",
    "not significantly better than": "unclear",
    "is equivalent within the margin to": "same",
}


def claims_of(answer: str) -> dict[str, str]:
    """Read the claims of an answer: the verdict on the best model against each model that it names."""
    phrases = re.split(f"({'|'.join(sorted(CLAIMS, key=len, reverse=True))})", answer)[1:]
    claims: dict[str, str] = {}
    for words, names in zip(phrases[::2], phrases[1::2], strict=True):
        claims |= dict.fromkeys(re.findall("als|bert|knn|pop", names), CLAIMS[words])
    return claims


@pytest.mark.slow
def test_answer_claims_what_the_table_says(con: Con) -> None:
    """Draw two to four models, with a baseline and without, by measures of both directions."""
    draw, seen = np.random.default_rng(12), set()
    for _ in range(60):
        names = ["als", "bert", "knn", "pop"][: draw.integers(2, 5)]
        means = draw.choice([0, 0.1, 0.25], len(names)) + draw.normal(0, 1e-3, len(names))
        values = {name: means[i] + draw.normal(0, 0.3, 30) for i, name in enumerate(names)}
        columns = {"system": np.repeat(names, 30), "userid": np.tile(range(30), len(names))}
        con.register("given", pa.table({**columns, "mrr": np.concatenate([*values.values()])}))
        baseline = draw.choice([*names, ""])
        options = f"baseline := nullif('{baseline}', ''), margin := {draw.choice([0.001, 0.2])}"
        options += ", lower_is_better := ['mrr']" * bool(draw.integers(2))
        table = rows(con, f"SELECT *, 10 AS k FROM ranking.compare_by_user('given', {options})")
        order = order_models(table)
        assert order is not None
        sign = -1 if table[0]["higher_is_better"] else 1
        best = min(names, key=lambda name: sign * values[name].mean())
        answer = leading_sentence(order)
        assert answer.startswith(f"{best} has the best MRR@10, ")
        turned = {"better": "worse", "worse": "better"}
        expected = {row["baseline"]: row["verdict"] for row in table if row["system"] == best}
        others = (row for row in table if row["baseline"] == best)
        expected |= {row["system"]: turned.get(row["verdict"], row["verdict"]) for row in others}
        if "others." in answer:
            assert answer.endswith(f"better than each of the {len(names) - 1} others.")
            assert {*expected.values()} == {"better"}
        else:
            assert claims_of(answer) == expected, answer
        # The baseline alone is compared with a better model.
        assert len(expected) == (1 if baseline not in ("", best) else len(names) - 1)
        assert answer.endswith(", the baseline.") == (len(expected) < len(names) - 1)
        assert order.is_significant == ({*expected.values()} == {"better"})
        of_best = [row for row in table if best in (row["system"], row["baseline"])]
        assert order.best["users_needed"] in [row["users_needed"] for row in of_best]
        assert bool(order.letters) == (len(table) == len(names) * (len(names) - 1) / 2)
        seen |= {*expected.values()}
    assert seen == {*CLAIMS.values()}

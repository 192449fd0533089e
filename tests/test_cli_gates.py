"""`--fail-if` as pipelines use it: what stops them, what it says, and what it does not understand."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ranking_udfs.command.cli import main
from ranking_udfs.command.gates import Condition, parse_conditions
from tests.command import Fails, con, fails, folder, registered, run  # noqa: F401

# Of ten users with one relevant item each, at which rank a model has it; nothing for the last two of bert.
RANKS = {"als": [1] * 4 + [2] * 6, "bert": [1] * 8, "pop": [4] * 10}
MODELS = [f"{name}={name}.csv" for name in RANKS]
MEASURES = ["-m", "mrr,recall@2", "-k", "4"]
# The means: mrr 0.7, 0.8, 0.25; recall@2 1, 0.8, 0.


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, ranks in RANKS.items():
        rows = (f"{u},{0 if at == rank else at},{-at}" for u, rank in enumerate(ranks) for at in range(1, 5))
        Path(f"{name}.csv").write_text("\n".join(["userid,itemid,score", *rows]) + "\n")
    Path("relevant.csv").write_text("userid,itemid\n" + "".join(f"{user},0\n" for user in range(10)))
    Path("users.csv").write_text(
        "userid,country\n" + "".join(f"{u},{'SE' if u < 5 else 'NO'}\n" for u in range(10))
    )


Stops = Callable[..., list[str]]


@pytest.fixture
def stops(capsys: pytest.CaptureFixture[str]) -> Stops:
    """Run a command with conditions; return what it says failed, in agreement with its exit code."""

    def run_it(command: str, condition: str, *more: str) -> list[str]:
        code = main([command, *MODELS, "relevant.csv", *MEASURES, "--fail-if", condition, "-q", *more])
        out, err = capsys.readouterr()
        assert out
        lines = err.splitlines()
        assert all(line.startswith("ranking-udfs: failed: ") for line in lines)
        assert code == (3 if lines else 0)
        return [line.removeprefix("ranking-udfs: failed: ") for line in lines]

    return run_it


def check_bounds(stops: Stops, expected: dict[str, str | None], *arguments: str) -> None:
    """Each condition by itself, though all of them are asked for at once: a bound changes no other."""
    found = stops(arguments[0], ",".join(expected), *arguments[1:])
    told = {condition: said for condition, said in expected.items() if said is not None}
    for line, (condition, said) in zip(found, told.items(), strict=True):
        assert line.startswith(f"{condition}: {said}")


def test_bounds_of_an_evaluation(stops: Stops) -> None:
    expected = {
        "mrr < 0.25": None,
        "mrr <= 0.25": "0.25 pop in mrr@4",
        "mrr@4 < 0.75": "0.7 als in mrr@4, and 1 more",
        "MRR < 0.26": "0.25 pop in mrr@4",
        "als:mrr < 0.7": None,
        "als:mrr<0.75": "0.7 als in mrr@4",
        "recall@2 >= 1": "1 als in recall@2",
        "recall > 1e0": None,
        "bert:recall < 9": "0.8 bert in recall@2",
        "users_without_rec > 2": None,
        "users_without_rec > 1": "2 bert at k = 2, and 1 more",
        "users_without_rec > 20%": None,
        "users_without_rec > 19.9%": "2 bert at k = 2, and 1 more",
        "als:users_without_rec > 0": None,
        # What is not there
        "mrr@7 < 0.1": "there is only k = 4",
        "ndcg < 0.1": "there is no measure ndcg, but recall, mrr",
        "recall@4 < 0.1": "there is only k = 2",
        "zip:mrr < 0.1": "there is no model zip, but als, bert, pop",
        "judged < 0.8": "there is no such value",
    }
    check_bounds(stops, expected, "evaluate")
    assert stops("evaluate", "mrr < 0.25") == []
    with pytest.raises(ValueError, match="must be a verdict"):
        parse_conditions("users != 10")


def test_a_bound_holds_for_each_segment(stops: Stops) -> None:
    segment = ["--segment", "users.csv:country"]
    assert stops("evaluate", "bert:mrr < 0.8", *segment) == ["bert:mrr < 0.8: 0.6 bert in mrr@4, segment NO"]
    assert stops("compare", "bert:mrr < 0.8", *segment, "--baseline", "als") == [
        "bert:mrr < 0.8: 0.6 bert in mrr@4, segment NO"
    ]
    assert stops("evaluate", "users_without_rec > 39%", *segment)[0].endswith(
        "2 bert at k = 2, segment NO, and 1 more"
    )


def test_what_is_unknown_is_beyond_every_bound(stops: Stops) -> None:
    Path("relevant.csv").write_text("userid,itemid\n0,77\n")
    found = stops("evaluate", "first_hit_rank > 100", "-m", "first_hit_rank", "--no-check")
    assert found[0].startswith("first_hit_rank > 100: NULL als in first_hit_rank@4")


def test_bounds_of_a_comparison(stops: Stops) -> None:
    expected = {
        "mrr@4 < 0.3": "0.25 pop in mrr@4",
        "als:mrr < 0.75": "0.7 als in mrr@4",  # once, though it is the baseline of two
        "mrr difference < -0.4": "-0.45 pop in mrr@4",
        "difference < -0.9": "-1 pop in recall@2",
        "bert:users_without_rec > 10%": "2 bert in recall@2, and 1 more",
        "users_without_rec_baseline > 0": None,
        "mrr low < -9": None,
        "recall low < -9": "NULL pop in recall@2",  # of differences that are all the same
        "zip < 1": "there is no such value",
    }
    check_bounds(stops, expected, "compare", "--baseline", "als")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("ndcg worse", "there is no measure ndcg, but recall, mrr"),
        ("zip:worse", "there is no model zip, but bert, pop"),
        ("mrr@2 worse", "there is only k = 4"),
        ("pop:mrr@4 worse", "pop in mrr@4 (1 of 1 comparisons)"),
        ("bert:worse", None),
    ],
)
def test_verdicts_of_a_comparison(stops: Stops, condition: str, said: str | None) -> None:
    found = stops("compare", condition, "--baseline", "als")
    assert len(found) == (said is not None)
    assert said is None or found[0].startswith(f"{condition}: {said}")


def test_one_user_is_nothing_to_compare(stops: Stops) -> None:
    Path("relevant.csv").write_text("userid,itemid\n1,0\n")
    found = stops("compare", "worse", "--baseline", "als", "--no-check")
    assert found == ["worse: there is nothing to compare"]


def test_problems_of_the_data_stop_it(stops: Stops) -> None:
    """Not what is only to know, a relevant pair twice; that bert leaves users out is doubtful."""
    with Path("relevant.csv").open("a") as file:
        file.write("0,0\n")
    for command in ("evaluate", "compare"):
        (line,) = stops(command, "problems")
        assert line.startswith("problems: users in truth that are not in rec: 2 of 10 (bert, bert.csv)")
        (line,) = stops(command, "problems(not_in_rec, null_item)")
        assert line.startswith("problems(not_in_rec, null_item): users in truth that are not in rec")
        assert stops(command, "problems(equal_scores)") == []


def test_every_code_of_a_problem_may_be_named(stops: Stops, con: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT code FROM ranking_problem_codes() WHERE can_be_problem AND NOT needs_history"
    codes = {code for (code,) in con.execute(query).fetchall()} - {"not_in_rec", "one_system_only"}
    assert len(codes) > 20
    assert stops("evaluate", f"problems({', '.join(codes)})", "--allow-empty") == []


@pytest.mark.parametrize("words", ["select", "repeated", "not_in_truth", "ties at k"])
def test_what_is_no_code_of_a_problem_is_an_error_with_the_list(words: str, fails: Fails) -> None:
    error = fails(2, "evaluate", "als=als.csv", "relevant.csv", "--fail-if", f"problems(no_rows, {words})")
    assert error.startswith("evaluate: --fail-if problems(CODE) must be of codes of problems")
    assert f", got {words}; there are unfit_column, grade_not_read," in error
    assert "truth_in_history" not in error


def test_several_conditions_each_say_what_failed(stops: Stops) -> None:
    found = stops("compare", "worse,mrr < 0.3,bert:better", "--baseline", "als")
    assert [line.partition(": ")[0] for line in found] == ["worse", "mrr < 0.3"]


def test_p_is_corrected_over_all_that_the_gate_looks_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Systems, segments, measures and k; what it does not look at stays as it was."""
    arguments = ["compare", *MODELS, "relevant.csv", "-m", "mrr,recall", "-k", "2,4", "--baseline", "als"]
    arguments += ["--segment", "users.csv:country", "--format", "json", "-q"]

    def rows(*more: str) -> list[dict[str, float | str | None]]:
        main([*arguments, *more])
        found: list[dict[str, float | str | None]] = json.loads(capsys.readouterr().out)
        return found

    def holm(ps: list[float]) -> list[float]:
        order = sorted(range(len(ps)), key=ps.__getitem__)
        adjusted, most = [0.0] * len(ps), 0.0
        for place, i in enumerate(order):
            most = max(most, min(1, (len(ps) - place) * ps[i]))
            adjusted[i] = most
        return adjusted

    usual = rows()
    assert len(usual) == 2 * 2 * 2 * 3
    for condition, seen in (
        ("worse", lambda row: True),
        ("mrr worse", lambda row: row["measure"] == "mrr"),
        ("pop:mrr@4 worse", lambda row: (row["system"], row["measure"], row["k"]) == ("pop", "mrr", 4)),
        ("mrr@4 worse,recall@2 same", lambda row: (row["measure"], row["k"]) in (("mrr", 4), ("recall", 2))),
        ("mrr < 0.1", lambda row: False),
    ):
        found = rows("--fail-if", condition)
        looked = [row for row in found if seen(row)]
        expected = holm([float(row["p"] or 0) for row in looked])
        for row, p in zip(looked, expected, strict=True):
            assert row["p_adjusted"] == pytest.approx(p, abs=1e-12)
            assert str(row["method"]).endswith(f", holm of {len(looked)}")
        others = [row for row in usual if not seen(row)]
        assert [row for row in found if not seen(row)] == others


def test_the_table_shows_the_p_of_the_gate_and_over_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "compare",
        *MODELS,
        "relevant.csv",
        "-m",
        "mrr,recall",
        "-k",
        "2,4",
        "--baseline",
        "als",
        "-q",
    ]
    assert main([*arguments, "--fail-if", "worse"]) == 3
    text = capsys.readouterr().out.replace("\n  ", " ")
    assert "after Holm, 8 comparisons" in text
    assert "corrected after Holm for all 8 comparisons that --fail-if looks at.\n" in text
    assert main([*arguments, "--fail-if", "mrr worse"]) == 3
    text = capsys.readouterr().out.replace("\n  ", " ").replace("\n", " ")
    assert "for all 4 comparisons that --fail-if looks at; of the others for all comparisons in one" in text


@pytest.mark.parametrize(
    ("command", "condition", "said"),
    [
        ("compare", "wrse", "argument --fail-if: must be a verdict (worse), a bound"),
        ("compare", "ndcg@5,10 worse", "argument --fail-if: must be a verdict (worse), a bound"),
        ("compare", "ndcg@x worse", "argument --fail-if: cut-offs must be integers of 0 or more, or all"),
        ("compare", "ndgc@5 < 0.1", "argument --fail-if: measure must be the name of a measure, got 'ndgc'"),
        ("compare", "ndgc worse", "argument --fail-if: must be a verdict"),
        ("compare", "< 0.1", "argument --fail-if: must be a verdict"),
        ("compare", "ndcg <", "argument --fail-if: must be a verdict"),
        ("compare", "ndcg < five", "argument --fail-if: must be a verdict"),
        ("compare", ":ndcg < 5", "argument --fail-if: must be a verdict"),
        ("compare", "ndcg low high < 5", "argument --fail-if: must be a verdict"),
        ("compare", "ndcg < 5%", "argument --fail-if: % is a share of the users"),
        ("compare", "", "argument --fail-if: must be a verdict"),
        ("evaluate", "worse", "--fail-if worse needs `ranking-udfs compare`, which has verdicts"),
    ],
)  # fmt: skip
def test_what_cannot_be_parsed_is_wrong_usage(fails: Fails, command: str, condition: str, said: str) -> None:
    baseline = ["--baseline", "als"] if command == "compare" else []
    arguments = [command, *MODELS, "relevant.csv", *baseline, "--fail-if", condition]
    assert fails(2, *arguments).startswith(said)


def test_problems_without_a_check_are_wrong_usage(fails: Fails) -> None:
    arguments = ["evaluate", *MODELS, "relevant.csv"]
    said = fails(2, *arguments, "--fail-if", "problems", "--no-check")
    assert said.startswith("--fail-if problems needs the check of the data: leave out --no-check")
    said = fails(2, *arguments, "--fail-if", "problems(seen_items)")
    assert said == "evaluate: --fail-if problems(seen_items) needs --history FILE"


def test_conditions_are_parsed_into_what_they_look_at() -> None:
    found = parse_conditions("als: v2:ndcg(gain=linear)@5 < -.5,users_without_rec>5%, MAP@all worse,worse")
    assert found == [
        Condition(
            "als: v2:ndcg(gain=linear)@5 < -.5", "als: v2", "ndcg(gain=linear)", (5,), None, None, "<", -0.5
        ),
        Condition("users_without_rec>5%", column="users_without_rec", sign=">", bound=5, share=True),
        Condition("MAP@all worse", None, "average_precision", (None,), verdict="worse"),
        Condition("worse", verdict="worse"),
    ]


@pytest.mark.parametrize("condition", ["mrr@0 worse", "worse", "mrr@0 < 0.1", "pop:mrr@0 > 0.1"])
def test_nothing_passes_at_0(stops: Stops, condition: str) -> None:
    (line,) = stops("compare", condition, "--baseline", "als", "-m", "mrr@0")
    assert line == f"{condition}: at k = 0 there is nothing to look at"

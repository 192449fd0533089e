"""`ranking-udfs evaluate` as users run it: the numbers, and how measures are chosen."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import csv
import html
import inspect
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.command.arguments import parsers
from ranking_udfs.command.cli import main
from ranking_udfs.duckdb.statements import description, texts
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES, OneOf
from tests.command import (  # noqa: F401
    DOCUMENTS,
    REC,
    ROOT,
    TRUTH,
    Fails,
    K,
    Run,
    as_shell,
    cells,
    con,
    evaluated,
    fails,
    folder,
    registered,
    run,
    shop,
    slow,
    table,
)

SEEDS = ROOT / "examples/dbt_project/seeds"
MODELS, RATINGS, PEOPLE = (str(SEEDS / f"{name}.csv") for name in ("recommendations", "ratings", "customers"))
IDS = ["--user", "customer_id", "--item", "sku"]
COLUMNS = [*IDS, "--system", "model", "--grade", "stars"]
SEGMENT = ["--segment", f"{PEOPLE}:segment"]
# A call of each command with all that it asks DuckDB for.
CALLS = {
    "check": [MODELS, RATINGS, *COLUMNS, "--history", RATINGS],
    "compare": [MODELS, RATINGS, *COLUMNS, *SEGMENT, "--fail-if", "p < 0"],
    "completion": ["bash"],
    "evaluate": [MODELS, RATINGS, *COLUMNS, *SEGMENT, "--history", RATINGS, "--by-user", "by_user.parquet"],
    "explain": [MODELS, RATINGS, *COLUMNS, "--user-id", "c01"],
    "fuse": [MODELS, *IDS, "--system", "model", "--output", "fused.csv"],
    "functions": [],
    "install": ["shop.duckdb"],
    "measures": [],
    "overlap": [MODELS, *IDS, "--system", "model"],
    "report": [MODELS, RATINGS, *COLUMNS, *SEGMENT, "--history", RATINGS, "--output", "report.html"],
    "split": [RATINGS, *IDS, "--time", "rated_on", "--test-size", "5 days", "--output", "folds"],
    "sql": [MODELS, RATINGS, *COLUMNS],
    "uninstall": ["shop.duckdb"],
}


@pytest.mark.oldest
@pytest.mark.parametrize("command", parsers()[1])
def test_every_command_runs(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert command != "uninstall" or main(["install", *CALLS["install"]]) == 0
    assert main([command, *CALLS[command]]) == 0
    assert "error" not in capsys.readouterr().err


def test_what_else_runs_the_command_is_for_the_newest_duckdb_alone(
    request: pytest.FixtureRequest, run: Run
) -> None:
    assert run("--version")
    assert request.node.get_closest_marker("newest")


# --- The documents' tables ---


def test_readme_command_prints_the_documents_numbers() -> None:
    data = ROOT / "examples" / "data"
    done = as_shell("evaluate", str(data / "dummy_rec.csv"), str(data / "dummy_truth.csv"), *K)
    assert (done.returncode, done.stderr) == (0, "")
    found = cells(done.stdout)
    assert found["Ranking measure"] == ["top-4", "top-2"]
    assert {name: found[name] for name in DOCUMENTS} == DOCUMENTS
    assert list(found)[8:] == ["Hit rate", "F-measure"]


def test_table_ends_with_the_number_of_users(run: Run) -> None:
    assert run("evaluate", "rec.csv", "truth.csv", *K).endswith(
        "\n\n"
        "Users evaluated: 3\n"
        "Users without recommendations (scored as an empty list): 0\n"
        "Users without truth (left out): 0\n"
    )


def test_users_missing_on_either_side_are_counted(run: Run) -> None:
    Path("rec.csv").write_text(REC + "8,1,1.0\n9,1,1.0\n9,2,1.0\n")
    Path("truth.csv").write_text(TRUTH + "7,1\n")
    for more in ([], ["--by-user", "users.csv"]):
        (row,) = evaluated(run, "rec.csv", "truth.csv", "-k", "4", "--no-check", *more)
        assert (row["users"], row["users_without_rec"], row["users_without_truth"]) == (4, 1, 2)
        assert row["recall"] == pytest.approx(3 * (2 / 3) / 4, abs=1e-15)


def test_default_k_is_10(run: Run) -> None:
    assert cells(run("evaluate", "rec.csv", "truth.csv"))["Ranking measure"] == ["top-10"]


def test_k_given_twice_counts_once_and_keeps_its_place(run: Run) -> None:
    found = cells(run("evaluate", "rec.csv", "truth.csv", "-k", "4", "-k", "2", "-k", "4"))
    assert found["Ranking measure"] == ["top-4", "top-2"]


def test_options_may_stand_between_files(run: Run) -> None:
    expected = run("evaluate", "rec.csv", "truth.csv", "-k", "4")
    assert run("evaluate", "rec.csv", "-k", "4", "truth.csv") == expected
    assert run("evaluate", "-k", "4", "rec.csv", "truth.csv") == expected


def test_measures_and_cut_offs_are_parted_by_commas_or_repeated(run: Run) -> None:
    """In any order among the files."""
    expected = run("evaluate", "rec.csv", "truth.csv", "-k", "4", "-k", "2", "-m", "ndcg", "-m", "MAP@2,1")
    assert cells(expected)["Ranking measure"] == ["top-1", "top-2", "top-4"]
    for arguments in (
        ["--measures", "ndcg,MAP@2,1", "-k", "4,2", "rec.csv", "truth.csv"],
        ["rec.csv", "-k4,2", "truth.csv", "-m", "NDCG,ap@2,1"],
        ["-k", "4,2,4", "rec.csv", "--measures=ndcg, map@2 , 1", "truth.csv"],
    ):
        assert run("evaluate", *arguments) == expected


# --- Ranking ---


def test_ties_by_item_ascending_and_null_and_nan_scores_last(run: Run) -> None:
    Path("rec.csv").write_text("userid,itemid,score\n1,9,nan\n1,8,\n1,15,1\n1,4,1\n1,7,-1\n")
    for relevant, rank in ((4, 1), (15, 2), (7, 3)):
        Path("truth.csv").write_text(f"userid,itemid\n1,{relevant}\n")
        (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check", "--measures", "mrr")
        assert row["mrr"] == 1 / rank


def test_ties_as_in_trec_eval(run: Run) -> None:
    Path("rec.csv").write_text(
        "userid,itemid,score\n1,10,1\n1,9,1\n1,a,16777216\n1,b,16777217\n1,c,nan\n1,d,\n"
    )
    for relevant, rank in (("b", 1), ("a", 2), ("9", 3), ("10", 4)):
        Path("truth.csv").write_text(f"userid,itemid\n1,{relevant}\n")
        (row,) = evaluated(run, "rec.csv", "truth.csv", "--ties", "trec", "--no-check", "--measures", "mrr")
        assert row["mrr"] == 1 / rank


def test_ties_expected_are_the_mean_over_all_orders(run: Run) -> None:
    Path("rec.csv").write_text("userid,itemid,score\n1,a,1\n1,b,1\n1,c,1\n2,a,2\n2,b,1\n")
    Path("truth.csv").write_text("userid,itemid,rel\n1,a,3\n1,b,1\n2,b,2\n3,a,1\n")
    Path("users.csv").write_text("userid,country\n1,SE\n2,NO\n3,NO\n")
    plain = [
        "rec.csv",
        "truth.csv",
        "-k",
        "2",
        "--ties",
        "expected",
        "--no-check",
        "--measures",
        "recall,mrr",
    ]
    recall, mrr = [4 / 3 / 2, 1, 0], [(1 + 1 + 1 / 2) / 3, 1 / 2, 0]
    (row,) = evaluated(run, *plain)
    assert (row["recall"], row["mrr"]) == pytest.approx((sum(recall) / 3, sum(mrr) / 3), abs=1e-15)
    options = [
        "-m",
        "ndcg(gain=linear)@1,average_precision(normalize=hits)",
        "--segment",
        "users.csv:country",
    ]
    rows = evaluated(run, *plain, *options, "--by-user", "users.json")
    users = [user for user in json.loads(Path("users.json").read_text()) if user["k"] == 2]
    assert [user["recall"] for user in users] == pytest.approx(recall, abs=1e-15)
    assert [user["average_precision(normalize=hits)"] for user in users] == pytest.approx(mrr, abs=1e-15)
    (sweden,) = (row for row in rows if row["segment"] == "SE" and row["k"] == 1)
    assert sweden["ndcg(gain=linear)"] == pytest.approx((3 + 1) / 3 / 3, abs=1e-15)


@pytest.mark.parametrize("measure", ["bpref", "err(max_grade=5)@3", "Spearman"])
def test_ties_expected_without_a_closed_form_are_an_error(fails: Fails, measure: str) -> None:
    named = measure.partition("@")[0].lower()
    error = fails(
        2, "evaluate", "rec.csv", "truth.csv", "--ties", "expected", "--measures", f"recall,{measure}"
    )
    assert f"--ties expected: {named} has no closed form over all orders of equal scores" in error


def test_grades_are_used_where_truth_has_them(run: Run) -> None:
    rows = ((10, 1, 5), (8, 3, 2), (6, 2, 4), (2, 6, 1), (1, 4, 3))  # the documents' graded example
    Path("rec.csv").write_text("userid,itemid,score\n" + "".join(f"1,{i},{s}\n" for s, i, _ in rows))
    Path("truth.csv").write_text("userid,itemid,rel\n" + "".join(f"1,{i},{g}\n" for _, i, g in rows))
    at_2, at_3 = evaluated(run, "rec.csv", "truth.csv", "-k", "2", "-k", "3", "--measures", "ndcg")
    assert at_2["ndcg"] == pytest.approx(0.8128912838590544, abs=1e-15)
    assert at_3["ndcg"] == pytest.approx(0.9187707805346093, abs=1e-15)


@pytest.mark.slow
def test_threads_do_not_change_the_numbers(run: Run) -> None:
    assert run("evaluate", "rec.csv", "truth.csv", "--threads", "1", "--memory-limit", "200MB") == run(
        "evaluate", "rec.csv", "truth.csv", "--threads", "4"
    )


# --- Measures ---


def test_chosen_measures_with_options(run: Run) -> None:
    chosen = ["ndcg", "recall_at", "ndcg(gain=linear)", "rbp( persistence=0.5, gain=binary )", "ndcg", "err"]
    text = run("evaluate", "rec.csv", "truth.csv", "-k", "4", "--measures", ",".join(chosen))
    assert list(cells(text))[2:] == [
        "NDCG",
        "Recall",
        "NDCG (gain=linear)",
        "RBP (persistence=0.5,gain=binary)",
        "ERR",
    ]
    assert cells(text)["RBP (persistence=0.5,gain=binary)"] == [repr(0.5 + 0.125)]


@pytest.mark.parametrize("names", [[n for n in MEASURES if MEASURES[n].column], [*MEASURES]])
def test_every_measure_can_be_chosen(run: Run, con: duckdb.DuckDBPyConnection, names: list[str]) -> None:
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--measures", ",".join(names))
    for name in names:
        ((value,),) = con.execute(f'SELECT "{name}"(judge([1, 3, 2, 6], [1, 2, 4]), 10)').fetchall()
        assert row[name] == (value if value is None else pytest.approx(value, abs=1e-15)), name


def test_every_option_of_a_measure_can_be_given(run: Run, con: duckdb.DuckDBPyConnection) -> None:
    """To the macros as it is written: words, and numbers in any form."""
    Path("rec.csv").write_text("userid,itemid,score\n" + "".join(f"1,{i},{9 - i}\n" for i in range(5)))
    Path("truth.csv").write_text("userid,itemid,rel\n1,0,2\n1,2,3\n1,3,0\n1,4,0.5\n1,9,1\n")
    graded = "[0, 1, 2, 3, 4], MAP {0: 2, 2: 3, 3: 0, 4: 0.5, 9: 1}"
    options = {}  # of each measure, by what it is called with them
    for name, measure in MEASURES.items():
        for option, rule in measure.options.items():
            beside = "=".join(getattr(rule, "only_with", None) or ())
            for text in str(rule).split("|") if isinstance(rule, OneOf) else (".25", "5.", "+3.5e0", "1E1"):
                if isinstance(rule, OneOf) or rule.parse(text) is not None:
                    given = ",".join(filter(None, [f"{option}={text}", beside]))
                    options[f"{name}({given})"] = name, given
    del options["err(max_grade=.25)"], options["rbp(max_grade=.25,gain=graded)"]  # no grade may be above it
    del options["ndcg(ideal=k)"]  # which takes no grades
    rows = evaluated(run, "rec.csv", "truth.csv", "-k", "3,all", "--measures", ",".join(options))
    for row in rows:
        for called, (name, given) in options.items():
            query = f"""SELECT system.main."{name}"({graded}, {row["k"] or "NULL"}, '{given}')"""
            ((value,),) = con.execute(query).fetchall()
            assert row[called] == (value if value is None else pytest.approx(value, abs=1e-12)), called


def test_names_of_options_that_differ_in_case_alone_are_one_column(run: Run) -> None:
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--measures", "f1(beta=1e3),mrr,f1(beta=1E3)@10")
    assert list(row)[5:] == ["f_measure(beta=1E3)", "mrr"]


def test_a_measure_is_found_under_all_its_names(run: Run) -> None:
    names = ["ndcg", "NDCG", "MAP", "Hit rate", "ap", "Discounted-Cumulative-Gain"]
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--measures", ",".join(names))
    assert list(row)[5:] == ["ndcg", "average_precision", "hit_rate", "dcg"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--measures", "ndcg@4,2"], [["ndcg"], {2: [True], 4: [True]}]),
        (["--measures", "ndcg@4,recall@2"], [["ndcg", "recall"], {2: [False, True], 4: [True, False]}]),
        (["--measures", "ndcg@4", "-m", "mrr"], [["ndcg", "mrr"], {4: [True, False], 10: [False, True]}]),
        (
            ["--measures", "ndcg(gain=linear)@5,mrr", "-k", "2"],
            [["ndcg(gain=linear)", "mrr"], {2: [False, True], 5: [True, False]}],
        ),
        (["--measures", "ndcg@4,ndcg", "-k", "2"], [["ndcg"], {2: [True], 4: [True]}]),
        (["--measures", "ndcg@4", "-k", "2"], [["ndcg"], {2: [False], 4: [True]}]),
        (["--measures", "err@all,mrr@3"], [["err", "mrr"], {3: [False, True], None: [True, False]}]),
    ],
)
def test_a_measure_is_shown_at_its_own_cut_offs_alone(run: Run, arguments: list[str], expected: Any) -> None:
    names, shown = expected
    Path("truth.csv").write_text("userid,itemid\n1,77\n")  # nothing is found: a value is 0
    Path("users.csv").write_text("userid,country\n1,SE\n")
    more = ["rec.csv", "truth.csv", *arguments, "--no-check"]
    values = {k: [0.0 if is_shown else None for is_shown in cells] for k, cells in shown.items()}
    rows = evaluated(run, *more)
    assert {row["k"]: [row[name] for name in names] for row in rows} == values
    assert [row["k"] for row in rows] == list(shown)
    rows = evaluated(run, *more, "--segment", "users.csv:country", "--by-user", "by.json")
    assert {row["k"]: [row[name] for name in names] for row in rows if row["segment"] == "SE"} == values
    rows = json.loads(Path("by.json").read_text())
    assert {row["k"]: [row[name] for name in names] for row in rows} == values
    lines = list(csv.reader(io.StringIO(run("evaluate", *more, "--format", "csv"))))[1:]
    assert [line[5:] for line in lines] == [["0.0" if cell else "" for cell in row] for row in shown.values()]
    table = list(cells(run("evaluate", *more)).values())
    assert table[0] == ["whole list" if k is None else f"top-{k}" for k in shown]
    blank = [[("0.0" if row[i] else "") for row in shown.values()] for i in range(len(names))]
    assert [[*row, *[""] * (len(shown) - len(row))] for row in table[2:]] == blank


def test_a_mean_without_a_value_is_null(run: Run) -> None:
    Path("truth.csv").write_text("userid,itemid\n1,77\n")
    arguments = ["evaluate", "rec.csv", "truth.csv", "--no-check", "--measures", "first_hit_rank"]
    assert cells(run(*arguments))["First hit rank"] == ["NULL"]
    assert run(*arguments, "--format", "csv").splitlines()[1].endswith(",")
    assert json.loads(run(*arguments, "--format", "json"))[0]["first_hit_rank"] is None


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json", "html"])
def test_measures_command_lists_the_registry(run: Run, form: str) -> None:
    text = html.unescape(run("measures", "--format", form))
    if form == "table":
        assert max(map(len, text.splitlines())) <= 100
        text = " ".join(text.split())
    for measure in (*MEASURES.values(), *LIST_MEASURES.values()):
        assert measure.description in text.replace("\\", "")
        assert all(name in text for name in measure.names)
    if form == "json":
        f_measure = next(row for row in json.loads(text) if row["name"] == "f_measure")
        assert f_measure["options"].startswith("beta=1 (a number >= 0)")


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_functions_command_lists_the_functions_of_sql(run: Run, form: str) -> None:
    text = run("functions", "--format", form)
    if form == "table":
        assert max(map(len, text.splitlines())) <= 100
        text = " ".join(text.split())
    public = [name for name in texts() if not name.startswith("_")]
    assert {"ranking_compare", "to_ordered_map", "mae"} < {*public}
    for name in public:
        assert name in text
        assert description(texts()[name][0]) in text


def test_a_function_is_explained_by_the_head_of_its_file(run: Run, fails: Fails) -> None:
    text = run("functions", "RANKING_FUNCTIONS", "r2")
    assert text.startswith("ranking_functions()\n\nThe index of the pack: every measure, ")
    assert "\n\nr2(predicted, actual)\n\nThe coefficient of determination" in text
    rule = "functions: NAME must be the name of a function, got"
    said = f"{rule} 'ranking_compere' (did you mean ranking_compare?)"
    assert fails(2, "functions", "ranking_compere") == said
    assert fails(2, "functions", "zzz") == f"{rule} 'zzz' (`ranking-udfs functions` lists them)"


def test_a_measure_is_explained_under_all_its_names(run: Run, fails: Fails) -> None:
    text = run("measures", "ndcg")
    assert text.startswith("NDCG\n====\n\nCalled: ndcg\nOptions: gain=exp|linear; discount=")
    assert "\n>>> SELECT ndcg([1, 3, 2, 6], [1, 2, 4])\n0.7039180890341348\n" in text
    assert run("measures", "NDCG") == text
    assert run("measures", "map", "novelty") == f"{run('measures', 'ap')}\n{run('measures', 'Novelty')}"
    for measure in (*MEASURES.values(), *LIST_MEASURES.values()):
        words = " ".join(run("measures", measure.label).split())
        assert all(word in words for word in (*str(inspect.getdoc(measure.compute)).split(), *measure.names))
    (row,) = json.loads(run("measures", "ap", "--format", "json"))
    assert row["name"] == "average_precision"
    said = "measures: NAME must be the name of a measure, got 'ndgc' (did you mean ndcg?)"
    assert fails(2, "measures", "ndgc") == said


# --- The process ---


@pytest.mark.parametrize("ties", ["item", "trec", "expected"])
def test_the_lowest_score_may_be_the_best(run: Run, shop: list[str], ties: str) -> None:
    """With the table functions alone, with options, and with every order of ties."""
    for measures in ("mrr,recall", "mrr,ndcg(gain=linear)"):
        arguments = ["-k", "2", "--ties", ties, "--no-check", "--format", "json", "--measures", measures]
        arguments += ["--system", "model", "--grade", ""]
        (row, _) = json.loads(run("evaluate", *shop, "--ascending", *arguments))
        assert row["mrr"] == pytest.approx((1 / 2 + 1 + 0) / 3)
        (row, _) = json.loads(run("evaluate", *shop, *arguments))
        assert row["mrr"] == pytest.approx((1 / 2 + 0 + 1) / 3)

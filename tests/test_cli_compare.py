"""`ranking-udfs compare` as users run it: what it prints in each format, its exit codes, its errors."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import csv
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from scipy import stats

from ranking_udfs.command.cli import main
from tests.command import Fails, Run, as_shell, con, fails, folder, registered, run  # noqa: F401

# Ten users with one relevant item each: at which rank a model has it.
RANKS = {
    "als": [2] * 10,
    "bert": [1] * 8 + [4] * 2,  # mrr against that of als: eight times 0.5, twice -0.25
    "pop": [4] * 10,
    "twin": [2] * 10,
}
FILES = ["als=als.csv", "bert=bert.csv", "pop=pop.csv", "twin=twin.csv", "relevant.csv"]
TWO = ["als=als.csv", "bert=bert.csv", "relevant.csv"]
MRR = ["--baseline", "als", "--measures", "mrr"]

# Of the differences of bert: mean 0.35, standard deviation sqrt((8 * 0.15^2 + 2 * 0.6^2) / 9).
MEAN, DEVIATION = 0.35, 0.1**0.5
ERROR = DEVIATION / 10**0.5
HALF = float(stats.t.ppf(0.975, 9)) * ERROR
P = 2 * float(stats.t.sf(MEAN / ERROR, 9))


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A file for each of the models, the truth, and a segment for each user but the last."""
    for name, ranks in RANKS.items():
        rows = [
            (user, 0 if at == rank else at, -at) for user, rank in enumerate(ranks) for at in (1, 2, 3, 4)
        ]
        Path(f"{name}.csv").write_text(
            "userid,itemid,score\n" + "".join(f"{u},{i},{s}\n" for u, i, s in rows)
        )
    Path("relevant.csv").write_text("userid,itemid\n" + "".join(f"{user},0\n" for user in range(10)))
    segments = (f"{user},{'SE' if user < 5 else 'NO'}\n" for user in range(9))
    Path("users.csv").write_text("userid,country\n" + "".join(segments))


Compared = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def compared(run: Run) -> Compared:
    """The comparison as a list of rows."""

    def run_it(*arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(run("compare", *arguments, "--format", "json"))
        return found

    return run_it


def unwrapped(text: str) -> list[str]:
    """The sentences below the tables, each on a line."""
    return text.replace("\n  ", " ").splitlines()


# For people


def test_the_table_is_for_reading(run: Run) -> None:
    text = run("compare", *FILES, *MRR)
    assert text.split("\n\n")[:2] == [
        "MRR@10 against als",
        "System | Mean | Baseline | Difference  | Relative | W/T/L  | Verdict\n"
        "------ | ---- | -------- | ----------- | -------- | ------ | ---------\n"
        "bert   | 0.85 | 0.5      | 0.35 ± 0.23 | 70 %     | 8/0/2  | + better\n"
        "pop    | 0.25 | 0.5      | -0.25       | -50 %    | 0/0/10 | - worse\n"
        "twin   | 0.5  | 0.5      | 0           | 0 %      | 0/10/0 | ? unclear",
    ]
    assert unwrapped(text.split("\n\n")[2]) == [
        "bert is better than als in MRR@10 by 0.35 (0.1238 to 0.5762; 70 %), p 0.013 after Holm, "
        "3 comparisons.",
        "pop is worse than als in MRR@10 by 0.25 (50 %), p 0.0059 after Holm, 3 comparisons.",
        "It is unclear whether twin or als is better in MRR@10: the same for all 10 users.",
        "W/T/L: with how many users a model wins, ties, loses. 95 % intervals of the mean "
        "difference, each alone; p of the paired t-test, corrected after "
        "Holm for all comparisons in one measure at one k.",
        "Best against second best: bert is better than als in MRR@10 by 0.35 (0.1238 to 0.5762; 70 %), p "
        "0.02 after Holm, 6 comparisons.",
    ]
    assert max(map(len, text.splitlines())) <= 80
    assert [f"{number:.4g}" for number in (MEAN - HALF, MEAN + HALF, HALF)] == ["0.1238", "0.5762", "0.2262"]
    assert f"{2 * P:.2g}" == "0.013"  # Holm: bert is the second of three
    assert f"{3 * P:.2g}" == "0.02"  # of six pairs the fourth, behind those of pop
    assert f"{3 * 2**-9:.2g}" == "0.0059"  # of ten users with the same difference


def test_a_single_comparison_is_not_corrected(run: Run) -> None:
    assert unwrapped(run("compare", *TWO, *MRR).split("\n\n")[2])[0] == (
        "bert is better than als in MRR@10 by 0.35 (0.1238 to 0.5762; 70 %), p 0.0067."
    )
    assert f"{P:.2g}" == "0.0067"


def test_p_may_be_left_uncorrected_or_corrected_after_benjamini_and_hochberg(run: Run) -> None:
    sentences = unwrapped(run("compare", *FILES, *MRR, "--correction", "none").split("\n\n")[2])
    assert sentences[0].endswith(", p 0.0067 uncorrected, 3 comparisons.")
    assert sentences[-2].endswith("t-test, not corrected for the number of comparisons.")
    assert sentences[-1].endswith(", p 0.0067 uncorrected, 6 comparisons.")
    sentences = unwrapped(run("compare", *FILES, *MRR, "--correction", "bh").split("\n\n")[2])
    assert sentences[0].endswith(", p 0.01 after Benjamini and Hochberg, 3 comparisons.")
    assert f"{P * 3 / 2:.2g}" == "0.01"


def test_models_are_the_same_within_the_margin(run: Run) -> None:
    assert 3 * (1 - 0.33) ** 10 > 0.05 > 3 * (1 - 0.34) ** 10  # the rule of three, after Holm
    assert "0/10/0 | ? unclear" in run("compare", *FILES, *MRR, "--margin", "0.33")
    text = run("compare", *FILES, *MRR, "--margin", "0.34")
    assert "twin   | 0.5  | 0.5      | 0           | 0 %      | 0/10/0 | = same" in text
    assert "twin equals als in MRR@10 to within 0.34: the same for all 10 users." in unwrapped(text)


def test_what_is_unclear_says_which_difference_would_have_been_found(run: Run) -> None:
    text = run("compare", *TWO, *MRR, "--confidence", "0.999", "--digits", "2")
    at = float(stats.t.ppf(0.9995, 9))
    low, high = MEAN - at * ERROR, MEAN + at * ERROR
    detectable = (at + float(stats.t.ppf(0.8, 9))) * ERROR
    assert unwrapped(text.split("\n\n")[2]) == [
        "It is unclear whether bert or als is better in MRR@10: they differ by 0.35 "
        f"({low:.2g} to {high:.2g}; 70 %), p 0.0067; {detectable:.2g} would show in 80 of 100 cases.",
        "W/T/L: with how many users a model wins, ties, loses. 99.9 % intervals of the mean "
        "difference, each alone; p of the paired t-test, corrected after "
        "Holm for all comparisons in one measure at one k.",
    ]


def test_markdown_is_one_table_with_p(run: Run) -> None:
    name = "b*t"
    text = run("compare", "als=als.csv", f"{name}=bert.csv", "relevant.csv", *MRR, "--format", "markdown")
    assert text.splitlines()[:5] == [
        "| Measure | System | Mean | Baseline (als) | Difference | Relative | W/T/L | p | Verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        r"| MRR@10 | b\*t | 0.85 | 0.5 | 0.35 ± 0.23 | 70 % | 8/0/2 | 0.0067 | + better |",
        "",
        r"- b\*t is better than als in MRR@10 by 0.35 (0.1238 to 0.5762; 70 %), p 0.0067.",
    ]


def test_latex_is_a_tabular_with_booktabs_in_which_nothing_is_a_command(run: Run) -> None:
    name = r"\b_{t}&$#^~%<>"
    text = run("compare", "als=als.csv", f"{name}=pop.csv", "relevant.csv", *MRR, "--format", "latex")
    escaped = r"\textbackslash{}b\_\{t\}\&\$\#\textasciicircum{}\textasciitilde{}\%\textless{}\textgreater{}"
    tabular, comments = text.split("\n\n")
    assert tabular.splitlines() == [
        r"\begin{tabular}{llrrrrrrl}",
        r"\toprule",
        r"Measure & System & Mean & Baseline (als) & Difference & Relative & W/T/L & p & Verdict \\",
        r"\midrule",
        rf"MRR@10 & {escaped} & 0.25 & 0.5 & $-$0.25 & $-$50 \% & 0/0/10 & 0.002 & - worse \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert all(line.startswith("% ") for line in comments.splitlines())


def test_each_measure_at_each_k_is_a_table_with_a_rule_in_latex(run: Run) -> None:
    more = ["--measures", "ndcg(gain=linear)@1,mrr", "-k", "2", "-k", "all", "--baseline", "als"]
    labels = ["NDCG@1 (gain=linear)", "MRR@2", "MRR@all"]
    parts = run("compare", *FILES, *more).split("\n\n")
    assert parts[:-1:2] == [f"{label} against als" for label in labels]
    blocks = run("compare", *FILES, *more, "--format", "latex").split("\\midrule\n")[1:]
    named = [{line.partition(" & ")[0] for line in block.splitlines() if " & " in line} for block in blocks]
    assert named == [{label} for label in labels]


def test_without_a_baseline_each_is_compared_with_each(run: Run, compared: Compared) -> None:
    rows = compared(*FILES, "--measures", "mrr")
    pairs = [(row["baseline"], row["system"]) for row in rows]
    assert pairs == [(a, b) for i, a in enumerate(RANKS) for b in list(RANKS)[i + 1 :]]
    text = run("compare", *FILES, "--measures", "mrr")
    assert text.startswith("MRR@10\n\nSystem ")
    assert "\npop - bert  | 0.25 | 0.85     | -0.60 ± 0.23 " in text
    assert "\npop is worse than bert in MRR@10 by 0.6 (0.3738 to 0.8262; 70.59 %), p " in text


def test_of_a_rank_less_is_better_and_users_without_one_are_left_out(run: Run, compared: Compared) -> None:
    Path("pop.csv").write_text("userid,itemid,score\n" + "".join(f"{u},{u // 7},1\n" for u in range(10)))
    arguments = ["als=als.csv", "pop=pop.csv", "relevant.csv", "--no-check", "--baseline", "als"]
    arguments += ["--measures", "first_hit_rank"]
    (row,) = compared(*arguments)
    assert (row["users"], row["users_undefined"], row["difference"]) == (7, 3, -1)
    assert (row["wins"], row["losses"], row["verdict"]) == (7, 0, "better")
    assert (
        "pop is better than als in First hit rank@10 by 1 (50 %), p 0.016; "
        "of 7 of 10 users: those with a hit in both." in unwrapped(run("compare", *arguments))
    )


def test_a_model_without_a_value_cannot_be_compared(run: Run) -> None:
    Path("pop.csv").write_text("userid,itemid,score\n" + "".join(f"{u},7,1\n" for u in range(10)))
    arguments = ["als=als.csv", "pop=pop.csv", "relevant.csv", "--no-check", "--measures", "first_hit_rank"]
    text = run("compare", *arguments)
    assert "pop and als cannot be compared in First hit rank@10: no user has a value of both." in unwrapped(
        text
    )
    assert "pop - als |      |          |            |          | 0/0/0 | ? unclear" in text


def test_one_user_has_a_difference_without_an_interval(run: Run) -> None:
    Path("relevant.csv").write_text("userid,itemid\n1,0\n")
    text = run("compare", *TWO, *MRR, "--no-check")
    assert "bert   | 1    | 0.5      | 0.5        | 100 %    | 1/0/0 | ? unclear" in text
    assert "It is unclear whether bert or als is better in MRR@10: they differ by 0.5 (100 %)." in unwrapped(
        text
    )


# For programs


def test_json_and_csv_have_every_number_of_the_table_function(
    run: Run, compared: Compared, con: duckdb.DuckDBPyConnection
) -> None:
    rows = compared(*FILES, "--baseline", "als", "--margin", "0.01", "-k", "3", "-k", "10")
    con.execute("CREATE OR REPLACE TEMP TABLE expected AS FROM ranking_by_user('rec', 'truth', [3, 10])")
    cursor = con.execute("FROM ranking_compare_by_user('expected', baseline := 'als', margin := 0.01)")
    names = [name for name, *_ in cursor.description]
    assert rows == [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    assert len(rows) == 3 * 6 * 2
    text = run(
        "compare", *FILES, "--baseline", "als", "--margin", "0.01", "-k", "3", "-k", "10", "--format", "csv"
    )
    header, *lines = csv.reader(io.StringIO(text))
    assert header == names
    assert lines == [["" if cell is None else str(cell) for cell in row.values()] for row in rows]


def test_numbers_are_those_of_students_t(compared: Compared) -> None:
    (row,) = compared(*TWO, *MRR)
    for name, expected in {
        "difference": MEAN,
        "standard_error": ERROR,
        "effect_size": MEAN / DEVIATION,
        "low": MEAN - HALF,
        "high": MEAN + HALF,
        "p": P,
        "relative": 0.7,
    }.items():
        assert row[name] == pytest.approx(expected, abs=1e-12), name


def test_measures_have_options_and_cut_offs_of_their_own(compared: Compared) -> None:
    rows = compared(
        *TWO, "--baseline", "als", "--measures", "ndcg(gain=linear)@1,mrr", "-k", "2", "-k", "all"
    )
    found = {(row["measure"], row["k"]): (row["mean_baseline"], row["mean_system"]) for row in rows}
    assert found == {
        ("ndcg(gain=linear)", 1): (0, 0.8),
        ("mrr", 2): (0.5, 0.8),
        ("mrr", None): (0.5, pytest.approx(0.85)),
    }


def test_segments_stand_beside_all_users_and_are_a_family_of_their_own(run: Run, compared: Compared) -> None:
    rows = compared(*TWO, *MRR, "--segment", "users.csv:country")
    assert [(row["segment"], row["users"], row["difference"]) for row in rows] == [
        ("(all)", 10, pytest.approx(MEAN)),
        ("(none)", 1, -0.25),
        ("NO", 4, pytest.approx((3 * 0.5 - 0.25) / 4)),
        ("SE", 5, 0.5),
    ]
    assert [row["method"] for row in rows] == [
        "t, holm of 1",
        "t, holm of 2",
        "t, holm of 2",
        "the same difference for all 5 users, holm of 2",
    ]
    text = run("compare", *TWO, *MRR, "--segment", "users.csv:country")
    assert text.split("\n\n")[2:4] == [
        "MRR@10 against als, by country",
        "country | System | Mean   | Baseline | Difference  | W/T/L | Verdict\n"
        "------- | ------ | ------ | -------- | ----------- | ----- | ---------\n"
        "(none)  | bert   | 0.25   | 0.5      | -0.25       | 0/0/1 | ? unclear\n"
        "NO      | bert   | 0.8125 | 0.5      | 0.31 ± 0.60 | 3/0/1 | ? unclear\n"
        "SE      | bert   | 1      | 0.5      | 0.5         | 5/0/0 | ? unclear",
    ]
    half = float(stats.t.ppf(0.975, 3)) * stats.sem([0.5, 0.5, 0.5, -0.25])
    assert f"{half:.2f}" == "0.60"
    *_, footnote, left_out = unwrapped(text)
    assert footnote.endswith("in one measure at one k, all users apart from segments.")
    assert left_out == "Left out to fit 80 columns: Relative; Markdown, CSV and JSON have them."


def test_a_table_leaves_out_what_a_terminal_has_no_room_for(run: Run) -> None:
    """Unless a segment is called so."""
    os.rename("bert.csv", "a long name.csv")
    Path("users.csv").write_text(Path("users.csv").read_text().replace("country", "Relative"))
    arguments = ["als=als.csv", "a long name=a long name.csv", "relevant.csv", *MRR]
    text = run("compare", *arguments, "--segment", "users.csv:Relative", "--digits", "9")
    tables = [part.split(" | ")[:2] for part in text.split("\n\n")]
    assert [cells for cells in tables if len(cells) > 1] == [
        ["System     ", "Mean"],
        ["Relative", "System     "],
    ]
    assert unwrapped(text)[-1] == (
        "Left out to fit 80 columns: Relative, W/T/L; Markdown, CSV and JSON have them."
    )
    assert max(map(len, text.splitlines())) <= 80


def test_the_ending_of_the_output_says_the_format(run: Run) -> None:
    arguments = ["compare", *TWO, *MRR, "-q"]
    beginnings = {"html": "<!doctype html>\n", "tex": "\\begin{tabular}", "sql": "CREATE OR REPLACE TEMP "}
    for ending, text in beginnings.items():
        assert run(*arguments, "--output", f"verdict.{ending}") == ""
        assert Path(f"verdict.{ending}").read_text().startswith(text)
    page = Path("verdict.html").read_text()
    assert "<td>MRR@10</td><td>bert</td><td>0.85</td><td>0.5</td><td>0.35 ± 0.23</td>" in page
    assert "<p>bert is better than als in MRR@10 by 0.35 (0.1238 to 0.5762; 70 %), p 0.0067.</p>" in page


def test_digits_are_those_of_csv_too_where_they_are_said(compared: Compared) -> None:
    (row,) = compared(*TWO, *MRR, "--digits", "2")
    assert (row["mean_system"], row["low"], row["wins"]) == (0.85, 0.12, 8)


def test_a_user_without_recommendations_is_an_empty_list(compared: Compared) -> None:
    header, *lines = Path("bert.csv").read_text().splitlines(keepends=True)
    Path("bert.csv").write_text("".join([header, *(line for line in lines if not line.startswith("0,"))]))
    (row,) = compared(*TWO, *MRR, "--no-check")
    assert (row["users"], row["users_undefined"], row["losses"]) == (10, 0, 3)
    assert row["mean_system"] == pytest.approx((7 + 2 * 0.25) / 10, abs=1e-15)


def test_a_model_that_leaves_more_than_a_tenth_of_the_users_without_a_list_is_named(run: Run) -> None:
    lines = Path("bert.csv").read_text().splitlines(keepends=True)
    for gone, said in ((("0,",), ""), (("0,", "1,"), "; 2 of 10 users got nothing from bert")):
        Path("bert.csv").write_text("".join(line for line in lines if not line.startswith(gone)))
        sentence = unwrapped(run("compare", *TWO, *MRR, "--no-check").split("\n\n")[2])[0]
        assert ("got nothing" in sentence) == bool(said)
        assert said in sentence


def test_the_randomization_test_is_exact_for_few_users(run: Run, compared: Compared) -> None:
    (row,) = compared(*TWO, *MRR, "--test", "randomization")
    # 3.5 or more: all eight right and the two as may be, or seven right and both the other way; so below.
    assert row["p"] == 2 * (4 + 8) / 2**10
    text = run("compare", *TWO, *MRR, "--test", "randomization")
    assert "p of the paired randomization test" in unwrapped(text)[-1]


def test_permutations_and_seed_reach_the_test(compared: Compared) -> None:
    chance = [(user * 7919) % 13 for user in range(40)]
    Path("relevant.csv").write_text("userid,itemid\n" + "".join(f"{user},0\n" for user in range(40)))
    for name, ranks in {"als": [c % 3 + 1 for c in chance], "bert": [c % 4 + 1 for c in chance]}.items():
        lines = (
            f"{u},{0 if at == rank else at},{-at}\n" for u, rank in enumerate(ranks) for at in (1, 2, 3, 4)
        )
        Path(f"{name}.csv").write_text("userid,itemid,score\n" + "".join(lines))
    found = []
    for more in (["--seed", "1"], ["--seed", "1"], ["--seed", "2"], ["--permutations", "99"]):
        (row,) = compared(*TWO, *MRR, "--test", "randomization", *more)
        found.append(row["p"])
    assert found[0] == found[1] != found[2]
    assert found[3] * 100 == pytest.approx(round(found[3] * 100), abs=1e-9)


def test_the_sql_that_is_printed_makes_the_same_rows(
    run: Run, compared: Compared, con: duckdb.DuckDBPyConnection
) -> None:
    arguments = [*FILES, *MRR, "--segment", "users.csv:country", "--margin", "0.01"]
    text = run("compare", *arguments, "--format", "sql")
    found = [con.execute(statement.query).fetchall() for statement in con.extract_statements(text)]
    rows = compared(*arguments)
    assert [list(row) for row in found[-1]] == [
        list(row.values()) for row in rows if row["segment"] != "(all)"
    ]
    assert len(found[-2]) == 3


def test_files_are_read_as_evaluate_reads_them(compared: Compared) -> None:
    rows = "".join(
        f"{name} {line}"
        for name in ("als", "bert")
        for line in Path(f"{name}.csv").read_text().splitlines(keepends=True)[1:]
    )
    Path("run.csv").write_text("system,u,i,s\n" + rows.replace(" ", ","))
    Path("relevant.csv").write_text(Path("relevant.csv").read_text().replace("userid,itemid", "u,i"))
    columns = ["--user", "u", "--item", "i", "--score", "s"]
    (row,) = compared("run.csv", "relevant.csv", *columns, *MRR, "--ties", "trec", "--threads", "2")
    assert row["difference"] == pytest.approx(MEAN)


def test_ties_count_with_their_expected_values(compared: Compared) -> None:
    """All four items tied: the relevant one stands at each rank as often."""
    Path("bert.csv").write_text(re.sub(r"-\d\n", "1\n", Path("bert.csv").read_text()))
    (row,) = compared(*TWO, *MRR, "--ties", "expected", "--no-check")
    assert row["mean_system"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, abs=1e-15)
    assert row["mean_baseline"] == 0.5


def test_problems_of_the_data_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("relevant.csv").write_text(Path("relevant.csv").read_text() + "0,0\n")
    assert main(["compare", *TWO, *MRR]) == 0
    assert capsys.readouterr().err.startswith("ranking-udfs: note: truth: ")
    assert main(["compare", *TWO, *MRR, "--no-check"]) == 0
    assert capsys.readouterr().err == ""


def test_output_goes_to_a_file_and_formulas_into_quotes(run: Run) -> None:
    name = "+bert"
    arguments = ["als=als.csv", f"{name}=bert.csv", "relevant.csv", *MRR, "--format", "csv"]
    assert run("compare", *arguments, "--safe-csv", "--output", "out.csv") == ""
    assert Path("out.csv").read_text().splitlines()[1].startswith("als,'+bert,10,mrr,")


# Exit codes


@pytest.mark.parametrize(
    ("words", "models", "code", "said"),
    [
        (["worse"], ["bert"], 0, []),
        (["worse"], ["pop"], 3, ["worse: pop in mrr@10 (1 of 1 comparisons)"]),
        (["worse"], ["twin"], 0, []),
        (["unclear"], ["twin"], 3, ["unclear: twin in mrr@10 (1 of 1 comparisons)"]),
        (["better,same"], ["bert", "pop"], 3, ["better: bert in mrr@10 (1 of 2 comparisons)"]),
        (["unclear"], ["bert", "pop"], 0, []),
        (
            ["worse,unclear"],
            ["bert", "pop", "twin"],
            3,
            ["worse: pop in mrr@10 (1 of 3 comparisons)", "unclear: twin in mrr@10 (1 of 3 comparisons)"],
        ),
    ],
)
def test_fail_if_a_verdict_is_so_after_printing(
    capsys: pytest.CaptureFixture[str], words: list[str], models: list[str], code: int, said: list[str]
) -> None:
    files = [f"{name}={name}.csv" for name in ("als", *models)]
    assert main(["compare", *files, "relevant.csv", *MRR, "--fail-if", *words]) == code
    out, err = capsys.readouterr()
    assert out.startswith("MRR@10 against als\n")
    assert err == "".join(f"ranking-udfs: failed: {line}\n" for line in said)


def test_fail_if_holds_for_segments_too(capsys: pytest.CaptureFixture[str]) -> None:
    Path("users.csv").write_text("userid,country\n" + "".join(f"{u},{u // 8}\n" for u in range(10)))
    arguments = ["compare", *TWO, *MRR, "--segment", "users.csv:country", "--fail-if", "unclear"]
    assert main(arguments) == 3
    out, err = capsys.readouterr()
    assert "bert is better than als" in out
    assert err == "ranking-udfs: failed: unclear: bert in mrr@10, segment 1 (1 of 3 comparisons)\n"


def test_a_shell_sees_the_exit_code() -> None:
    done = as_shell("compare", "als=als.csv", "pop=pop.csv", "relevant.csv", *MRR, "--fail-if", "worse")
    assert done.returncode == 3
    assert "pop is worse than als in MRR@10 by 0.25" in done.stdout


# Errors


@pytest.mark.parametrize(
    ("code", "arguments", "said"),
    [
        (2, ["--baseline", "x"], "compare: --baseline must be a model (als, bert, pop, twin), got 'x'"),
        (
            2,
            ["--measures", "idcg"],
            "compare: --measures must say which of two models is better, got ideal_dcg",
        ),
        (2, ["--confidence", "1"], "argument --confidence: must be a number above 0 and below 1, got '1'"),
        (2, ["--margin", "-0.5"], "argument --margin: must be a number of 0 or more, got '-0.5'"),
        (
            2,
            ["--permutations", "0"],
            "argument --permutations: must be an integer from 1 to 10000000, got '0'",
        ),
        (2, ["--seed", "-1"], "argument --seed: must be an integer from 0 to 9223372036854775807, got '-1'"),
        (
            2,
            ["--fail-if", "worse"],
            "--fail-if worse needs --baseline, which the others are compared with (see ranking-udfs compare",
        ),
        (
            2,
            ["--baseline", "als", "--fail-if", "worse", "--format", "sql"],
            "--fail-if worse needs results: --format sql",
        ),
        (2, ["--test", "wilcoxon"], "argument --test: invalid choice: 'wilcoxon'"),
        (2, ["--correction", "tukey"], "argument --correction: invalid choice: 'tukey'"),
        (2, ["--margin", "nan"], "argument --margin: must be a number of 0 or more, got 'nan'"),
        (2, ["--confidence", "x"], "argument --confidence: must be a number above 0 and below 1, got 'x'"),
        (2, ["--digits", "18"], "argument --digits: must be an integer from 1 to 17, got '18'"),
        (2, ["--format", "yaml"], "argument --format: invalid choice: 'yaml'"),
        (2, ["--by-user", "x.csv"], "unrecognized arguments: --by-user x.csv"),
    ],
)
def test_an_argument_that_cannot_be_is_one_line(
    fails: Fails, code: int, arguments: list[str], said: str
) -> None:
    assert fails(code, "compare", *FILES, *arguments).startswith(said)


def test_one_model_cannot_be_compared(fails: Fails) -> None:
    said = "compare: there must be two models or more, as in a=a.csv b=b.csv, got one"
    assert fails(2, "compare", "als.csv", "relevant.csv") == said
    assert fails(2, "compare", "als=als.csv", "relevant.csv") == f"{said}, 'als'"


def test_more_than_twenty_models_want_a_baseline(fails: Fails, compared: Compared) -> None:
    for i in range(21):
        Path(f"m{i:02}.csv").write_text(Path("als.csv").read_text())
    files = [*(f"m{i:02}=m{i:02}.csv" for i in range(21)), "relevant.csv", "--measures", "mrr"]
    assert "baseline must be one of the systems where there are more than 20 (m00, m01, " in fails(
        1, "compare", *files
    )
    assert len(compared(*files, "--baseline", "m00")) == 20

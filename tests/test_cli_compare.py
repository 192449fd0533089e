"""`ranking-udfs compare` as users run it: what it prints in each format, its exit codes, its errors."""

# ruff: noqa: F811  (fixtures that are imported, and are arguments)

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from scipy import stats

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


def test_latex_is_a_tabular_with_booktabs_in_which_nothing_is_a_command(run: Run) -> None:
    name = r"\b_{t}&$#^~%<>"
    text = run("compare", "als=als.csv", f"{name}=pop.csv", "relevant.csv", *MRR, "--format", "latex")
    escaped = r"\textbackslash{}b\_\{t\}\&\$\#\^{}\textasciitilde{}\%\ensuremath{<}\ensuremath{>}"
    tabular, comments = text.split("\n\n")
    first, *_, row, _, last = tabular.splitlines()
    assert (first, last) == (r"\begin{tabular}{lllllllll}", r"\end{tabular}")
    assert [cell.strip() for cell in row.split(" & ")][:4] == ["MRR@10", escaped, "0.25", "0.5"]
    assert all(line.startswith("% ") for line in comments.splitlines())


def test_a_model_without_a_value_cannot_be_compared(run: Run) -> None:
    Path("pop.csv").write_text("userid,itemid,score\n" + "".join(f"{u},7,1\n" for u in range(10)))
    arguments = ["als=als.csv", "pop=pop.csv", "relevant.csv", "--no-check", "--measures", "first_hit_rank"]
    text = run("compare", *arguments)
    assert "pop and als cannot be compared in First hit rank@10: no user has a value of both." in unwrapped(
        text
    )
    assert re.search(r"^pop - als +0/0/0 +\? unclear$", text, re.MULTILINE)


def test_one_user_has_a_difference_without_an_interval(run: Run) -> None:
    Path("relevant.csv").write_text("userid,itemid\n1,0\n")
    text = run("compare", *TWO, *MRR, "--no-check")
    assert re.search(r"^bert +1 +0.5 +0.5 +1/0/0 +\? unclear$", text, re.MULTILINE)
    assert "It is unclear whether bert or als is better in MRR@10: they differ by 0.5 (100 %)." in unwrapped(
        text
    )


# For programs


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


def test_the_randomization_test_is_exact_for_few_users(run: Run, compared: Compared) -> None:
    (row,) = compared(*TWO, *MRR, "--test", "randomization")
    # 3.5 or more: all eight right and the two as may be, or seven right and both the other way; so below.
    assert row["p"] == 2 * (4 + 8) / 2**10
    text = run("compare", *TWO, *MRR, "--test", "randomization")
    assert "; paired randomization test" in unwrapped(text)[-1]


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


# Exit codes


def test_a_shell_sees_the_exit_code() -> None:
    done = as_shell("compare", "als=als.csv", "pop=pop.csv", "relevant.csv", *MRR, "--fail-if", "worse")
    assert done.returncode == 3
    assert "pop is worse than als in MRR@10 by 0.25" in done.stdout


# Errors

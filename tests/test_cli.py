"""The command as users run it: files in, a report out, and one clear line where something is wrong."""

import csv
import gzip
import html
import inspect
import io
import json
import os
import random
import re
import runpy
import shlex
import signal
import stat
import subprocess
import sys
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import duckdb
import pytest

import udfs
from udfs.command import cli, session
from udfs.command.arguments import EXAMPLES, parse
from udfs.command.cli import main
from udfs.command.messages import LONGEST, say
from udfs.measures.registry import LIST_MEASURES, MEASURES, OneOf

ROOT = Path(__file__).resolve().parent.parent

# The documents' table of measures, to the last digit.
DOCUMENTS = {
    "Recall": ["0.6666666666666666", "0.3333333333333333"],
    "Precision": ["0.5", "0.5"],
    "MAP": ["0.5555555555555555", "0.3333333333333333"],
    "AUC": ["0.75", "1.0"],
    "MRR": ["1.0", "1.0"],
    "NDCG": ["0.7039180890341349", "0.6131471927654585"],
}
K = ["-k", "4", "-k", "2"]

REC = "userid,itemid,score\n" + "".join(
    f"{user},{item},{score}\n"
    for user in (1, 2, 3)
    for item, score in ((1, 10.0), (3, 8.0), (2, 6.0), (6, 2.0))
)
TRUTH = "userid,itemid\n" + "".join(f"{user},{item}\n" for user in (1, 2, 3) for item in (1, 2, 4))


@pytest.fixture(scope="module")
def con():
    """A connection with the pack in it, which most of what these tests run shares."""
    with session.connected({}) as connection:
        yield connection


@pytest.fixture(autouse=True)
def registered(con, monkeypatch):
    """Register the pack once for all tests; settings and databases need a connection of their own."""

    def connected(settings, database=None, connect=session.connected):
        is_own = any(settings.values()) or database
        return connect(settings, database) if is_own else nullcontext(emptied(con))

    monkeypatch.setattr(cli, "connected", connected)


def emptied(con):
    """The connection without what an evaluation left there."""
    for kind in ("table", "view"):
        query = f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE temporary AND NOT internal"
        for (name,) in con.execute(query).fetchall():
            con.execute(f'DROP {kind} "{name}"')
    return con


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory with the documents' rows as rec.csv and truth.csv."""
    monkeypatch.chdir(tmp_path)
    Path("rec.csv").write_text(REC)
    Path("truth.csv").write_text(TRUTH)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run the command; return what it printed, and fail if it failed or said anything else."""

    def run_it(*arguments):
        code = main(list(arguments))
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out

    return run_it


@pytest.fixture
def fails(capsys):
    """Run the command that fails; return its one line of error."""

    def run_it(code, *arguments):
        assert main(list(arguments)) == code
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("ranking-udfs: error: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err.removeprefix("ranking-udfs: error: ").strip()

    return run_it


def slow(*values):
    """Further values of a parameter, for the whole suite alone."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def cells(text):
    """The rows of the first table of a report, by their first cell."""
    rows = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in text.split("\n\n")[0].splitlines()
    ]
    return {row[0]: row[1:] for row in rows}


def evaluated(run, *arguments):
    """The report as a list of rows."""
    return json.loads(run("evaluate", *arguments, "--format", "json"))


def as_shell(*arguments, **options):
    command = [sys.executable, "-m", "udfs", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, **options)


# The documents' tables


def test_readme_command_prints_the_documents_numbers():
    data = ROOT / "examples" / "data"
    done = as_shell("evaluate", str(data / "dummy_rec.csv"), str(data / "dummy_truth.csv"), *K)
    assert (done.returncode, done.stderr) == (0, "")
    found = cells(done.stdout)
    assert found["Ranking measure"] == ["top-4", "top-2"]
    assert {name: found[name] for name in DOCUMENTS} == DOCUMENTS
    assert list(found)[8:] == ["Hit rate", "F-measure"]


def test_table_ends_with_the_number_of_users(run):
    assert run("evaluate", "rec.csv", "truth.csv", *K).endswith(
        "\n\n"
        "Users evaluated: 3\n"
        "Users without recommendations (scored as an empty list): 0\n"
        "Users without truth (left out): 0\n"
    )


def test_users_missing_on_either_side_are_counted(run):
    Path("rec.csv").write_text(REC + "8,1,1.0\n9,1,1.0\n9,2,1.0\n")
    Path("truth.csv").write_text(TRUTH + "7,1\n")
    for more in ([], ["--by-user", "users.csv"]):
        (row,) = evaluated(run, "rec.csv", "truth.csv", "-k", "4", "--no-check", *more)
        assert (row["users"], row["users_without_rec"], row["users_without_truth"]) == (4, 1, 2)
        assert row["recall"] == pytest.approx(3 * (2 / 3) / 4, abs=1e-15)


def test_default_k_is_10(run):
    assert cells(run("evaluate", "rec.csv", "truth.csv"))["Ranking measure"] == ["top-10"]


def test_k_given_twice_counts_once_and_keeps_its_place(run):
    found = cells(run("evaluate", "rec.csv", "truth.csv", "-k", "4", "-k", "2", "-k", "4"))
    assert found["Ranking measure"] == ["top-4", "top-2"]


def test_options_may_stand_between_files(run):
    expected = run("evaluate", "rec.csv", "truth.csv", "-k", "4")
    assert run("evaluate", "rec.csv", "-k", "4", "truth.csv") == expected
    assert run("evaluate", "-k", "4", "rec.csv", "truth.csv") == expected


def test_measures_and_cut_offs_are_parted_by_commas_or_repeated(run):
    """In any order among the files."""
    expected = run("evaluate", "rec.csv", "truth.csv", "-k", "4", "-k", "2", "-m", "ndcg", "-m", "MAP@2,1")
    assert cells(expected)["Ranking measure"] == ["top-1", "top-2", "top-4"]
    for arguments in (
        ["--measures", "ndcg,MAP@2,1", "-k", "4,2", "rec.csv", "truth.csv"],
        ["rec.csv", "-k4,2", "truth.csv", "-m", "NDCG,ap@2,1"],
        ["-k", "4,2,4", "rec.csv", "--measures=ndcg, map@2 , 1", "truth.csv"],
    ):
        assert run("evaluate", *arguments) == expected


# Ranking


def test_ties_by_item_ascending_and_null_and_nan_scores_last(run):
    Path("rec.csv").write_text("userid,itemid,score\n1,9,nan\n1,8,\n1,15,1\n1,4,1\n1,7,-1\n")
    for relevant, rank in ((4, 1), (15, 2), (7, 3)):
        Path("truth.csv").write_text(f"userid,itemid\n1,{relevant}\n")
        (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check", "--measures", "mrr")
        assert row["mrr"] == 1 / rank


def test_ties_as_in_trec_eval(run):
    Path("rec.csv").write_text(
        "userid,itemid,score\n1,10,1\n1,9,1\n1,a,16777216\n1,b,16777217\n1,c,nan\n1,d,\n"
    )
    for relevant, rank in (("b", 1), ("a", 2), ("9", 3), ("10", 4)):
        Path("truth.csv").write_text(f"userid,itemid\n1,{relevant}\n")
        (row,) = evaluated(run, "rec.csv", "truth.csv", "--ties", "trec", "--no-check", "--measures", "mrr")
        assert row["mrr"] == 1 / rank


def test_ties_expected_are_the_mean_over_all_orders(run):
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
def test_ties_expected_without_a_closed_form_are_an_error(fails, measure):
    named = measure.partition("@")[0].lower()
    error = fails(
        2, "evaluate", "rec.csv", "truth.csv", "--ties", "expected", "--measures", f"recall,{measure}"
    )
    assert f"--ties expected: {named} has no closed form over all orders of equal scores" in error


def test_grades_are_used_where_truth_has_them(run):
    rows = ((10, 1, 5), (8, 3, 2), (6, 2, 4), (2, 6, 1), (1, 4, 3))  # the documents' graded example
    Path("rec.csv").write_text("userid,itemid,score\n" + "".join(f"1,{i},{s}\n" for s, i, _ in rows))
    Path("truth.csv").write_text("userid,itemid,rel\n" + "".join(f"1,{i},{g}\n" for _, i, g in rows))
    at_2, at_3 = evaluated(run, "rec.csv", "truth.csv", "-k", "2", "-k", "3", "--measures", "ndcg")
    assert at_2["ndcg"] == pytest.approx(0.8128912838590544, abs=1e-15)
    assert at_3["ndcg"] == pytest.approx(0.9187707805346093, abs=1e-15)


@pytest.mark.slow
def test_threads_do_not_change_the_numbers(run):
    assert run("evaluate", "rec.csv", "truth.csv", "--threads", "1", "--memory-limit", "200MB") == run(
        "evaluate", "rec.csv", "truth.csv", "--threads", "4"
    )


# Measures


def test_chosen_measures_with_options(run):
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
def test_every_measure_can_be_chosen(run, con, names):
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--measures", ",".join(names))
    for name in names:
        ((value,),) = con.execute(f'SELECT "{name}"([1, 3, 2, 6], [1, 2, 4], 10)').fetchall()
        assert row[name] == (value if value is None else pytest.approx(value, abs=1e-15)), name


def test_every_option_of_a_measure_can_be_given(run, con):
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
    rows = evaluated(run, "rec.csv", "truth.csv", "-k", "3,all", "--measures", ",".join(options))
    for row in rows:
        for called, (name, given) in options.items():
            query = f"""SELECT system.main."{name}"({graded}, {row["k"] or "NULL"}, '{given}')"""
            ((value,),) = con.execute(query).fetchall()
            assert row[called] == (value if value is None else pytest.approx(value, abs=1e-12)), called


def test_names_of_options_that_differ_in_case_alone_are_one_column(run):
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--measures", "f1(beta=1e3),mrr,f1(beta=1E3)@10")
    assert list(row)[4:] == ["f_measure(beta=1E3)", "mrr"]


def test_a_measure_is_found_under_all_its_names(run):
    names = ["ndcg", "NDCG", "MAP", "Hit rate", "ap", "Discounted-Cumulative-Gain"]
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--measures", ",".join(names))
    assert list(row)[4:] == ["ndcg", "average_precision", "hit_rate", "dcg"]


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
def test_a_measure_is_shown_at_its_own_cut_offs_alone(run, arguments, expected):
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
    assert [line[4:] for line in lines] == [["0.0" if cell else "" for cell in row] for row in shown.values()]
    table = list(cells(run("evaluate", *more)).values())
    assert table[0] == ["whole list" if k is None else f"top-{k}" for k in shown]
    blank = [[("0.0" if row[i] else "") for row in shown.values()] for i in range(len(names))]
    assert [[*row, *[""] * (len(shown) - len(row))] for row in table[2:]] == blank


def test_a_mean_without_a_value_is_null(run):
    Path("truth.csv").write_text("userid,itemid\n1,77\n")
    arguments = ["evaluate", "rec.csv", "truth.csv", "--no-check", "--measures", "first_hit_rank"]
    assert cells(run(*arguments))["First hit rank"] == ["NULL"]
    assert run(*arguments, "--format", "csv").splitlines()[1].endswith(",")
    assert json.loads(run(*arguments, "--format", "json"))[0]["first_hit_rank"] is None


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json", "html"])
def test_measures_command_lists_the_registry(run, form):
    text = html.unescape(run("measures", "--format", form))
    if form == "table":
        assert max(map(len, text.splitlines())) <= 100
        text = " ".join(text.split())
    for measure in (*MEASURES.values(), *LIST_MEASURES.values()):
        assert measure.description in text.replace("\\", "")
        assert all(name in text for name in measure.names)
    if form == "json":
        f_measure = next(row for row in json.loads(text) if row["name"] == "f_measure")
        assert f_measure["options"] == "beta=1 (a number >= 0)"


def test_a_measure_is_explained_under_all_its_names(run, fails):
    text = run("measures", "ndcg")
    assert text.startswith("NDCG\n====\n\nCalled: ndcg\nOptions: gain=exp|linear; discount=")
    assert "\n>>> SELECT ndcg([1, 3, 2, 6], [1, 2, 4])\n0.7039180890341348\n" in text
    assert run("measures", "NDCG") == text
    assert run("measures", "map", "novelty") == f"{run('measures', 'ap')}\n{run('measures', 'Novelty')}"
    for measure in (*MEASURES.values(), *LIST_MEASURES.values()):
        words = " ".join(run("measures", measure.label).split())
        assert all(word in words for word in (*inspect.getdoc(measure.compute).split(), *measure.names))
    (row,) = json.loads(run("measures", "ap", "--format", "json"))
    assert row["name"] == "average_precision"
    said = "measures: NAME must be the name of a measure, got 'ndgc' (did you mean ndcg?)"
    assert fails(1, "measures", "ndgc") == said


# Input


def write(con, name, query):
    con.execute(f"COPY ({query}) TO '{name}'")
    return name


@pytest.mark.parametrize(
    "suffix", ["csv", "parquet", "ndjson.gz", *slow("tsv", "csv.gz", "json", "jsonl", "ndjson", "txt", "CSV")]
)
def test_every_format_gives_the_same_table(run, suffix):
    forms = {
        "parquet": "parquet",
        "json": "json, ARRAY",
        "jsonl": "json",
        "ndjson": "json",
        "ndjson.gz": "json",
    }
    form = forms.get(suffix, "csv, DELIMITER '\t'" if suffix == "tsv" else "csv")
    compression = ", COMPRESSION gzip" if suffix.endswith("gz") else ""
    with duckdb.connect() as con:
        for name in ("rec", "truth"):
            con.execute(f"COPY (FROM '{name}.csv') TO 'copy_{name}.{suffix}' (FORMAT {form}{compression})")
    found = cells(run("evaluate", f"copy_rec.{suffix}", f"copy_truth.{suffix}", *K))
    assert {name: found[name] for name in DOCUMENTS} == DOCUMENTS


def test_patterns_read_all_files(run):
    header, *lines = REC.splitlines(keepends=True)
    for part in range(3):
        Path(f"part{part}.csv").write_text(header + "".join(lines[part * 4 : part * 4 + 4]))
    assert run("evaluate", "part*.csv", "truth.csv") == run("evaluate", "rec.csv", "truth.csv")


def test_columns_of_other_names(run):
    Path("r.csv").write_text(REC.replace("userid,itemid,score", "customer,SKU,p"))
    Path("t.csv").write_text(
        "customer,sku,stars\n" + "".join(f"{u},{i},2\n" for u in (1, 2, 3) for i in (1, 2, 4))
    )
    arguments = ["--user", "customer", "--item", "sku", "--score", "p", "--grade", "stars", "--measures"]
    (row,) = evaluated(run, "r.csv", "t.csv", *arguments, "dcg")
    assert row["dcg"] == pytest.approx(3 + 3 / 2, abs=1e-15)  # 2^2 - 1 at ranks 1 and 3


def table(name, header, *rows, fill=0):
    """A CSV or JSON file whose last rows, each cell as it is written there, DuckDB's sample does not see."""
    names = header.split(",")
    rows = [*[("0", "0", "0")[: len(names)]] * fill, *rows]
    if name.endswith("csv"):
        text = "".join(f"{','.join(row)}\n" for row in [names, *rows])
    else:
        objects = (", ".join(f'"{n}": {cell}' for n, cell in zip(names, row, strict=True)) for row in rows)
        text = "".join(f"{{{one}}}\n" for one in objects)
    Path(name).write_text(text)


LATE = 21_000  # rows; DuckDB looks at 20,480
HUGE = (str(2**65), str(2**65 + 1))  # one DOUBLE
SPELLINGS = [
    *(("csv", *texts, 0) for texts in [("1.1", "1.10"), ("1e3", "1000"), ("true", "TRUE"), ("nan", "NaN")]),
    *(("csv", *texts, 0) for texts in [("2024-01-01", "2024-1-1"), ("9:00", "09:00"), ("1.", "1.0")]),
    ("csv", "17446744073709551001", "17446744073709551101", 0),
    *(
        ("csv", *texts, late)
        for late in (0, LATE)
        for texts in [("7", "007"), ("7", "+7"), ("7", " 7"), ("7", "7 "), ("31", "0x1F"), ("0", "-0"), HUGE]
    ),
    ("csv", "1000", "1_000", LATE),
    ("json", *HUGE, 0),
    ("json", *HUGE, LATE),
    *(
        ("json", f'"{a}"', f'"{b}"', 0)
        for a, b in [("7", "007"), ("1.1", "1.10"), ("2024-01-01", "2024-1-1")]
    ),
    ("json", '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', '"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"', 0),
    ("json", "7", '"007"', LATE),
    ("json", "7", '"7.0"', 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "one", "other", "late"), SPELLINGS)
def test_ids_that_are_written_differently_differ(run, form, one, other, late):
    """Were users one, there would be one; were items one, the other would stand at rank 1."""
    rows = [(user, item, score) for user in (one, other) for item, score in ((one, "2"), (other, "1"))]
    table(f"rec.{form}", "userid,itemid,score", *rows, fill=late)
    table(f"truth.{form}", "userid,itemid", (one, other), (other, other))
    (row,) = evaluated(run, f"rec.{form}", f"truth.{form}", "--no-check", "--measures", "mrr")
    assert (row["users"], row["users_without_rec"], row["mrr"]) == (2, 0, 0.5)


@pytest.mark.parametrize("users", [HUGE, ("2024-01-01", "2024-01-02"), ("1.5", "10.5"), ("false", "true")])
def test_ids_that_are_no_plain_integers_are_text(run, con, users):
    table("rec.csv", "userid,itemid,score", *((user, "1", "1") for user in users))
    table("truth.csv", "userid,itemid", *((user, "1") for user in users))
    run("evaluate", "rec.csv", "truth.csv", "--by-user", "users.parquet")
    assert con.execute("SELECT userid FROM 'users.parquet'").fetchall() == [(user,) for user in users]


def test_numbers_in_json_that_duckdb_would_write_anew_are_no_ids(fails):
    for late in (0, LATE):
        table("rec.json", "userid,itemid,score", ("1", "1.10", "1"), ("1", "1.1", "2"), fill=late)
        error = fails(1, "evaluate", "rec.json", "truth.csv")
        assert "rec.json: itemid must be text or an integer, got the number 1.1" in error


@pytest.mark.parametrize("kinds", ["csv csv", "csv json", "json csv"])
def test_an_id_that_is_text_in_one_text_file_is_text_in_all(run, kinds):
    rec, truth = kinds.split()
    table(f"r.{rec}", "userid,itemid,score", ("1", "7", "2"), ("1", "8", "1"))
    text = "007" if truth == "csv" else '"007"'
    table(f"t.{truth}", "userid,itemid", ("1", text), ("1", "8"))
    (row,) = evaluated(run, f"r.{rec}", f"t.{truth}", "--no-check")
    assert (row["mrr"], row["recall"]) == (0.5, 0.5)
    table("users.csv", "userid,country", ("01", "SE"))
    rows = evaluated(run, f"r.{rec}", f"t.{truth}", "--segment", "users.csv:country", "--measures", "mrr")
    assert [row["segment"] for row in rows] == ["(all)", "(none)"]
    table("users.csv", "userid,country", ("1", "SE"), ("01", "DE"))
    rows = evaluated(run, f"r.{rec}", f"t.{truth}", "--segment", "users.csv:country", "--measures", "mrr")
    assert [row["segment"] for row in rows] == ["(all)", "SE"]


@pytest.mark.parametrize(
    ("typed", "text", "got"),
    [
        ("7::SMALLINT", "7", None),
        ("7::INTEGER", "3000000000", 0.0),
        ("18446744073709551615::UBIGINT", "18446744073709551615", None),
        ("7::BIGINT", "007", "BIGINT in rec.parquet, '007' in truth.csv"),
        ("7::BIGINT", "x", "BIGINT in rec.parquet, 'x' in truth.csv"),
        ("'007'", "007", None),
        ("'7'", "007", 0.0),
        ("1.5::DOUBLE", "1.5", None),
        ("1.5::DOUBLE", "1.50", "DOUBLE in rec.parquet, '1.50' in truth.csv"),
        ("1.5::DECIMAL(9, 2)", "1.50", None),
        ("DATE '2024-01-01'", "2024-01-01", None),
        ("DATE '2024-01-01'", "2024-1-1", "DATE in rec.parquet, '2024-1-1' in truth.csv"),
        ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", None),
    ],
)
def test_ids_of_a_text_file_have_the_type_of_the_parquet_file(run, fails, con, typed, text, got):
    write(con, "rec.parquet", f"SELECT 1 AS userid, {typed} AS itemid, 1 AS score")
    table("truth.csv", "userid,itemid", ("1", text))
    arguments = ["rec.parquet", "truth.csv", "--no-check", "--measures", "recall"]
    if isinstance(got, str):
        assert fails(1, "evaluate", *arguments) == f"itemid must be of one type, got {got}"
    else:
        (row,) = evaluated(run, *arguments)
        assert row["recall"] == (1.0 if got is None else got)


def test_models_and_segments_are_called_what_is_written(run):
    rows = [("1", "1", "1", system) for system in ("1.1", "1.10", "2024-1-1")]
    table("rec.csv", "userid,itemid,score,system", *rows)
    table("users.csv", "userid,segment", ("1", "TRUE"), ("1", "true"))
    rows = evaluated(
        run, "rec.csv", "truth.csv", "--segment", "users.csv:segment", "--no-check", "--measures", "mrr"
    )
    assert {row["system"] for row in rows} == {"1.1", "1.10", "2024-1-1"}
    assert {row["segment"] for row in rows} == {"(all)", "(none)", "TRUE", "true"}


def test_folders_are_columns_too(run):
    for form in ("csv", "json"):
        for day in ("2024-01-01", "2024-1-1"):
            Path(f"{form}/userid={day}").mkdir(parents=True)
            table(f"{form}/userid={day}/rec.{form}", "itemid,score", ("1", "1"))
        table("truth.csv", "userid,itemid", ("2024-01-01", "1"), ("2024-1-1", "2"))
        (row,) = evaluated(run, f"{form}/*/rec.{form}", "truth.csv", "--no-check")
        assert (row["users"], row["users_without_rec"], row["recall"]) == (2, 0, 0.5)


def test_folders_are_read_with_all_their_files_and_partitions(run, fails, con):
    """A partition is called what its folder is called: 1.10 is no number."""
    query = (
        "FROM 'rec.csv' SELECT '1.10' AS system, * UNION ALL FROM 'rec.csv' SELECT 'b', * WHERE userid < 3"
    )
    con.execute(f"COPY ({query}) TO 'lists' (FORMAT parquet, PARTITION_BY (system))")
    Path("lists/_SUCCESS").touch()
    rows = evaluated(run, "lists", "truth.csv", "--no-check", "-m", "mrr")
    assert [(row["system"], row["mrr"]) for row in rows] == [("1.10", 1.0), ("b", pytest.approx(2 / 3))]
    assert rows == evaluated(run, "lists/*/*.parquet", "truth.csv", "--no-check", "-m", "mrr")
    Path("te[x]t").mkdir()
    Path("te[x]t/part.csv.gz").write_bytes(gzip.compress(REC.encode()))
    assert run("evaluate", "te[x]t", "truth.csv") == run("evaluate", "rec.csv", "truth.csv")
    Path("te[x]t/rec.csv").write_text(REC)
    said = "te[x]t: files of several formats (.csv, .csv.gz): say which, as in 'te[x]t/**/*.csv'"
    assert fails(1, "evaluate", "te[x]t", "truth.csv") == said
    for hidden in ("_temporary", ".checkpoints"):
        Path(f"{hidden}s/{hidden}").mkdir(parents=True)
        Path(f"{hidden}s/{hidden}/rec.csv").write_text(REC)
        said = f"{hidden}/rec.csv is hidden or not finished: name the files, as in '{hidden}s/*.csv'"
        assert fails(1, "evaluate", f"{hidden}s", "truth.csv") == f"{hidden}s: {said}"
    Path("lists/_delta_log").mkdir()
    Path("lists/_delta_log/0.json").write_text("{}")
    assert fails(1, "evaluate", "lists", "truth.csv").startswith("lists: a Delta table, of which not every")


def stdin(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input_is_a_file(run, fails, monkeypatch, con):
    expected = run("evaluate", "rec.csv", "truth.csv")
    write(con, "rec.parquet", "FROM 'rec.csv'")
    write(con, "rec.json", "FROM 'rec.csv'")
    Path("rec.gz").write_bytes(gzip.compress(REC.encode()))
    for form in ("csv", "gz", "parquet", "json"):
        stdin(monkeypatch, Path(f"rec.{form}").read_bytes())
        assert run("evaluate", "-", "truth.csv") == expected
    stdin(monkeypatch, TRUTH.encode())
    assert run("evaluate", "rec.csv", "-") == expected
    stdin(monkeypatch, REC.encode())
    script = run("sql", "a=-", "truth.csv")
    assert "FROM read_csv('/dev/stdin', " in script
    for content, arguments, said in (
        (b"", ["-", "truth.csv"], "-: no rows"),
        (b"user,score\n1,1\n", ["-", "truth.csv"], "-: no column 'userid' (there are: user, score)"),
        (REC.encode() + b"1,1,much\n", ["-", "truth.csv"], "-: Conversion Error: CSV Error on Line: 14"),
        (b"", ["-", "-"], "-: standard input can be read once, got it twice"),
    ):
        stdin(monkeypatch, content)
        error = fails(1, "evaluate", *arguments)
        assert error.startswith(said)
        assert "/stdin" not in error


# Databases


@pytest.fixture
def database():
    """A database whose views go by names that the command and the pack have, too."""
    with duckdb.connect("shop.duckdb") as con:
        con.execute("""
            CREATE TABLE rec AS FROM 'rec.csv';
            CREATE SCHEMA sales;
            CREATE TABLE sales."what's bought" AS FROM 'truth.csv';
            CREATE VIEW truth AS FROM sales."what's bought";
            CREATE VIEW lists AS FROM rec;
            CREATE VIEW bought AS FROM truth WHERE userid IN (SELECT userid FROM rec);
            CREATE MACRO hits(score) AS -score;
            CREATE VIEW turned AS SELECT userid, itemid, hits(score) AS score FROM rec;
            CREATE TABLE users AS SELECT 1 AS userid, 'SE' AS country;
        """)
    return "shop.duckdb"


def test_tables_of_a_database_stand_for_files(run, database):
    expected = run("evaluate", "rec.csv", "truth.csv", "-m", "mrr")
    before = Path(database).read_bytes()
    quoted = 'sales."what\'s bought"'
    for rec, truth in (
        ("lists", "bought"),
        ("main.REC", quoted),
        ("shop.rec", f"Shop.{quoted}"),
        ("rec.csv", "shop.main.truth"),
    ):
        assert run("evaluate", "--database", database, rec, truth, "-m", "mrr") == expected
    arguments = ["a=rec", "b=turned", "truth", "--segment", "users:country", "-m", "mrr"]
    arguments += ["--database", database]
    rows = evaluated(run, *arguments)
    assert {(row["system"], row["segment"], row["mrr"]) for row in rows} == {
        (system, segment, value)
        for system, value in (("a", 1.0), ("b", 0.5))
        for segment in ("(all)", "(none)", "SE")
    }
    assert "b is worse than a in mrr@10 by 0.5" in run("compare", *arguments, "--baseline", "a")
    Path("lists").mkdir()  # a name that a table has before it
    parts = ["--parts", "lists", "turned", "truth", "--database", database, "-m", "mrr", "--no-check"]
    assert cells(run("evaluate", *parts, "--output", "-"))["MRR"] == ["1.0"]
    assert Path(database).read_bytes() == before


def test_sql_over_a_database_attaches_it(run, con, database):
    script = run("sql", "--database", database, "lists", "bought")
    with duckdb.connect() as bare:
        udfs.register(bare)
        for statement in bare.extract_statements(script):
            found = session.rows(bare, statement.query)
    assert found == evaluated(run, "rec.csv", "truth.csv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bought", "what's bought"], "(did you mean sales.what's bought?)"),
        (["reç", "truth"], "(did you mean rec?)"),
        (["sales.rec", "truth"], "sales.rec: no such table or view, and no such file (did you mean rec?)"),
        (["xyz", "truth"], "(there are: bought, lists, rec, truth, turned, users, sales.what's bought)"),
        (["a.b.c.d", "truth"], "a.b.c.d: no such table or view, and no such file"),
        (["users", "truth"], "users: no column 'itemid' (there are: userid, country)"),
    ],
)
def test_a_table_that_is_not_there_is_named(fails, database, arguments, said):
    assert said in fails(1, "evaluate", "--database", database, *arguments)


def test_a_database_is_no_table_and_a_table_no_database(fails, database):
    said = "shop.duckdb: a database, not a table: name its tables, as in --database shop.duckdb rec truth"
    assert fails(1, "evaluate", "shop.duckdb", "truth.csv") == said
    assert fails(1, "evaluate", "--database", "rec.csv", "rec", "truth") == "rec.csv: not a DuckDB database"
    assert fails(1, "evaluate", "--database", "none.duckdb", "rec", "truth") == "none.duckdb: no such file"
    arguments = ["--database", database, "rec", "truth", "--format", "csv", "--output", database]
    error = fails(1, "evaluate", *arguments)
    assert error == "shop.duckdb: would overwrite shop.duckdb, which is the same file"


@pytest.mark.slow
def test_a_database_with_the_pack_in_it_is_read_too(run, database):
    run("install", database)
    os.rename(database, "temp.duckdb")  # a name that is DuckDB's own
    expected = run("evaluate", "rec.csv", "truth.csv")
    assert run("evaluate", "--database", "temp.duckdb", "rec", "truth") == expected


# Scores and grades


@pytest.mark.parametrize(
    "kind",
    ["UTINYINT", "HUGEINT", "DECIMAL(5, 1)", "FLOAT", "BOOLEAN", "csv", "json"],
)
def test_a_grade_is_a_number_or_true(run, con, kind):
    file = f"truth.{kind}" if kind in ("csv", "json") else "truth.parquet"
    if file == "truth.parquet":
        write(
            con, file, f"SELECT * FROM (VALUES (1, 1, 0::{kind}), (1, 3, 1::{kind})) t(userid, itemid, rel)"
        )
    else:
        table(file, "userid,itemid,rel", ("1", "1", "false"), ("1", "3", "true"))
    (row,) = evaluated(run, "rec.csv", file, "--no-check", "--measures", "mrr,dcg")
    assert (row["mrr"], row["dcg"]) == (0.5, pytest.approx(1 / 1.584962500721156))  # log2(3)


@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_a_score_is_no_boolean(fails, con, form):
    if form == "parquet":
        write(con, "rec.parquet", "SELECT 1 AS userid, 1 AS itemid, true AS score")
    else:
        table(f"rec.{form}", "userid,itemid,score", ("1", "1", "true"))
    error = fails(1, "evaluate", f"rec.{form}", "truth.csv")
    assert ("to 'DOUBLE'" if form == "csv" else "rec.json: 'score' must be a number, got BOOLEAN") in (
        error.replace("parquet", "json")
    )


def test_scores_beyond_every_integer_are_numbers(run):
    table("rec.csv", "userid,itemid,score", ("1", "9", "1"), ("1", "1", str(10**45)))  # sniffed as BIGNUM
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check")
    assert row["mrr"] == pytest.approx(1 / 3)


def test_scores_in_json_are_not_rounded(run):
    """DuckDB alone takes them for integers, as those in its sample are."""
    table("rec.json", "userid,itemid,score", ("1", "1", "1.2"), ("1", "9", "1.4"), fill=LATE)
    table("truth.json", "userid,itemid,rel", ("1", "1", "0.25"), ("1", "8", "0.5"), fill=LATE)
    run(
        "evaluate",
        "rec.json",
        "truth.json",
        "--by-user",
        "by.json",
        "--measures",
        "mrr,ideal_dcg",
        "--no-check",
    )
    found = {row["userid"]: row for row in json.loads(Path("by.json").read_text())}
    assert found[1]["mrr"] == 0.5
    assert found[1]["ideal_dcg"] == pytest.approx(2**0.5 - 1 + (2**0.25 - 1) / 1.584962500721156)


def test_empty_scores_are_numbers_too(run):
    Path("rec.csv").write_text("userid,itemid,score\n1,1,\n1,2,\n")
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check")
    assert row["users_without_rec"] == 2


# Several models


@pytest.fixture
def worse():
    Path("worse.csv").write_text("userid,itemid,score\n1,9,2\n1,1,1\n")
    return "worse.csv"


def test_models_have_columns_of_their_own(run, worse):
    text = run("evaluate", "b=rec.csv", f"a={worse}", "truth.csv", *K, "--no-check")
    found = cells(run("evaluate", "b=rec.csv", f"a={worse}", "truth.csv", *K, "--no-check", "-m", "mrr@4"))
    assert found["Ranking measure"] == ["b top-2", "b top-4", "a top-2", "a top-4"]
    assert found["MRR"] == ["", "1.0", "", repr(0.5 / 3)]
    assert "Users evaluated: 3\n" in text
    assert "Users without recommendations (scored as an empty list): b 0, a 2\n" in text


def test_several_files_without_a_name_are_neither_models_nor_parts(fails, run, worse):
    """A shell makes them of a pattern, and of parts as models no number would be right."""
    rule = "or say --parts if they are parts of one table"
    said = "2 files of recommendations, {} without a name: name each model, as in {}, " + rule
    error = fails(1, "evaluate", "rec.csv", worse, "truth.csv")
    assert error == said.format(2, "rec=rec.csv worse=worse.csv")
    error = fails(1, "compare", "a=rec.csv", worse, "truth.csv")
    assert error == said.format(1, "worse=worse.csv")


@pytest.mark.parametrize("form", ["csv", "parquet", "json", "run"])
def test_parts_are_one_table(run, con, form):
    Path("part").mkdir()
    for user in (1, 2, 3):
        if form == "run":
            lines = [
                f"{user} Q0 {item} 1 {score} mine\n" for item, score in ((1, 10), (3, 8), (2, 6), (6, 2))
            ]
            Path(f"part/{user}.run").write_text("".join(lines))
        else:
            write(con, f"part/{user}.{form}", f"FROM 'rec.csv' WHERE userid = {user}")
    parts = [f"part/{user}.{form}" for user in (1, 2, 3)]
    expected = run("evaluate", "rec.csv", "truth.csv")
    assert run("evaluate", "--parts", *parts, "truth.csv") == expected
    text = run(
        "evaluate", *(f"a={part}" for part in parts), "b=rec.csv", "truth.csv", "--parts", "-m", "ndcg"
    )
    assert cells(text)["NDCG"] == [DOCUMENTS["NDCG"][0]] * 2
    if form == "parquet":
        assert run("evaluate", "part", "truth.csv") == run("evaluate", "part/", "truth.csv") == expected


def test_parts_of_two_formats_are_refused(fails, con):
    write(con, "rec.parquet", "FROM 'rec.csv'")
    error = fails(1, "evaluate", "--parts", "rec.csv", "rec.parquet", "truth.csv")
    assert error == "rec.csv and 1 more: parts must be of one format, got .csv and .parquet"


def test_a_single_model_can_have_a_name(run):
    assert cells(run("evaluate", "mine=rec.csv", "truth.csv"))["Ranking measure"] == ["mine top-10"]


def test_a_column_system_holds_several_models(run):
    lines = REC.splitlines()
    rows = [f"{line},{name}" for name in ("z", "y") for line in lines[1:]]
    Path("both.csv").write_text("\n".join([f"{lines[0]},system", *rows, "1,9,99,x"]) + "\n")
    found = cells(run("evaluate", "both.csv", "truth.csv", "--no-check"))
    assert found["Ranking measure"] == ["x top-10", "y top-10", "z top-10"]
    assert found["MRR"] == ["0.0", "1.0", "1.0"]
    rows = evaluated(run, "both.csv", "rec=rec.csv", "truth.csv", "--no-check", "--measures", "mrr(  )")
    assert [row["system"] for row in rows] == ["x", "y", "z", "rec"]


def test_a_path_with_an_equals_sign_is_a_path(run):
    for name in ("a=b.csv", "k=1/rec.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(REC)
        assert cells(run("evaluate", name, "truth.csv"))["Ranking measure"] == ["top-10"]


def test_models_of_one_name_are_refused(fails, worse):
    assert "worse.csv: rec.csv has a model 'a' too" in fails(
        1, "evaluate", "a=rec.csv", f"a={worse}", "truth.csv"
    )


def test_a_name_for_a_file_that_names_its_models_is_refused(fails):
    Path("both.csv").write_text("userid,itemid,score,system\n1,1,1,x\n")
    assert "leave a= out" in fails(1, "evaluate", "a=both.csv", "truth.csv")


# Output


def test_csv_and_json_have_a_row_per_k(run):
    rows = list(csv.DictReader(io.StringIO(run("evaluate", "rec.csv", "truth.csv", *K, "--format", "csv"))))
    assert [row["k"] for row in rows] == ["4", "2"]
    assert [row["ndcg"] for row in rows] == DOCUMENTS["NDCG"]
    assert list(rows[0])[:6] == [
        "k",
        "users",
        "users_without_rec",
        "users_without_truth",
        "recall",
        "precision",
    ]
    for row, found in zip(rows, evaluated(run, "rec.csv", "truth.csv", *K), strict=True):
        assert {name: str(value) for name, value in found.items()} == row


def test_markdown(run):
    text = run("evaluate", "rec.csv", "truth.csv", "--format", "markdown", "--measures", "auc")
    assert text.startswith("| Ranking measure | top-10 |\n| --- | --- |\n| AUC | 0.75 |\n\n- Users")
    text = run("evaluate", "rec.csv", "truth.csv", "--format", "markdown", "--measures", "ndcg,mrr")
    assert "| NDCG | 0.7039 |\n| MRR | 1 |\n" in text


def test_names_in_markdown_show_as_text(run, worse):
    name = r"a|b\c`d`<e>&amp;*f*_g_[h](i)~j~"
    escaped = r"a\|b\\c\`d\`\<e\>\&amp;\*f\*\_g\_\[h\](i)\~j\~"
    table("users.csv", f"userid,{name}", ("1", name))
    arguments = [f"{name}=rec.csv", f"w={worse}", "truth.csv", "--segment", f"users.csv:{name}", "--no-check"]
    lines = run("evaluate", *arguments, "--format", "markdown", "--measures", "f_measure").splitlines()
    assert lines[0] == f"| Ranking measure | {escaped} top-10 | w top-10 |"
    assert f"- Users without recommendations (scored as an empty list): {escaped} 0, w 2" in lines
    assert f"| {escaped} | System | k | Users | F-measure |" in lines
    assert any(line.startswith(f"| {escaped} | {escaped} | 10 | 1 |") for line in lines)


FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx"]


def test_csv_is_as_it_is_or_safe_for_spreadsheets(run):
    quoted = [f'"{text}"' for text in [*FORMULAS, "a=1"]]
    table("rec.csv", "userid,itemid,score,system", *((text, "1", "1", text) for text in quoted))
    table("truth.csv", "userid,itemid", *((text, "1") for text in quoted))
    table("users.csv", "userid,segment", *((text, text) for text in quoted))
    arguments = ["evaluate", "rec.csv", "truth.csv", "--segment", "users.csv:segment", "--no-check"]
    arguments += ["--measures", "mrr", "--format", "csv", "--by-user"]
    for more, expected in (
        ([], {*FORMULAS, "a=1"}),
        (["--safe-csv"], {*(f"'{text}" for text in FORMULAS), "a=1"}),
    ):
        rows = list(csv.DictReader(io.StringIO(run(*arguments, "by.tsv", *more), newline="")))
        assert {row["system"] for row in rows} == expected
        assert {row["segment"] for row in rows} == expected | {"(all)"}
        with open("by.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        assert {row["system"] for row in rows} == {row["userid"] for row in rows} == expected
    run(*arguments, "by.json", "--safe-csv")
    assert {row["userid"] for row in json.loads(Path("by.json").read_text())} == {*FORMULAS, "a=1"}


def test_safe_csv_leaves_numbers_alone(run):
    table("rec.csv", "userid,itemid,score", ("-1", "1", "1"), ("-1", "2", "2"))
    table("truth.csv", "userid,itemid,rel", ("-1", "1", "2"), ("-1", "2", "1"), ("-1", "3", "3"))
    arguments = ["--safe-csv", "--measures", "kendall_tau", "--no-check", "--by-user", "by.csv"]
    run("evaluate", "rec.csv", "truth.csv", *arguments)
    assert Path("by.csv").read_text() == "userid,k,n_rec,n_truth,kendall_tau\n-1,10,2,3,-1.0\n"


def test_the_ending_of_the_output_says_the_format(run):
    arguments = ["evaluate", "rec.csv", "truth.csv", "-q", "-m", "mrr"]
    beginnings = {
        "txt": "Ranking measure | ",
        "csv": "k,users,",
        "JSON": "[\n  {",
        "md": "| Ranking measure | ",
        "html": "<!doctype html>\n",
    }
    for ending, text in beginnings.items():
        assert run(*arguments, "--output", f"means.{ending}") == ""
        assert Path(f"means.{ending}").read_text().startswith(text)
    run(*arguments, "--output", "means.xlsx", "--format", "csv")
    assert Path("means.xlsx").read_text() == Path("means.csv").read_text()
    assert run(*arguments, "--output", "-") == Path("means.txt").read_text()


def test_html_is_a_file_in_which_nothing_is_markup(run, worse):
    name = "<b>&\"'"
    Path("users.csv").write_text(f"userid,seg\n1,{name[:3]}\n")
    arguments = [f"{name}=rec.csv", f"w={worse}", "truth.csv", "--no-check", "--segment", "users.csv:seg"]
    text = run("evaluate", *arguments, "-m", "mrr", "--format", "html")
    assert text.startswith("<!doctype html>\n")
    assert text.endswith("</html>\n")
    assert name not in text
    assert f"<tr><th>Ranking measure</th><th>{html.escape(name)} top-10</th><th>w top-10</th></tr>" in text
    assert f"<tr><td>MRR</td><td>1</td><td>{0.5 / 3:.4g}</td></tr>" in text
    assert f"<td>{html.escape(name[:3])}</td>" in text


def test_a_terminal_shows_four_digits_and_what_is_asked_for(run, capsys, monkeypatch):
    monkeypatch.setattr(cli, "is_terminal", lambda: True)
    arguments = ["evaluate", "rec.csv", "truth.csv", "-k", "4", "-m", "ndcg,mrr"]
    assert cells(run(*arguments))["NDCG"] == ["0.7039"]
    assert cells(run(*arguments))["MRR"] == ["1"]
    assert cells(run(*arguments, "--digits", "2"))["NDCG"] == ["0.7"]
    assert json.loads(run(*arguments, "--format", "json"))[0]["ndcg"] == float(DOCUMENTS["NDCG"][0])
    assert run(*arguments, "--format", "csv", "--digits", "3").splitlines()[1].endswith(",0.704,1.0")
    run(*arguments, "--output", "means.txt")
    assert cells(Path("means.txt").read_text())["NDCG"] == [DOCUMENTS["NDCG"][0]]
    monkeypatch.setattr(cli, "is_terminal", lambda: False)
    assert cells(run(*arguments))["NDCG"] == [DOCUMENTS["NDCG"][0]]


def test_a_table_that_is_too_wide_has_a_row_per_model_and_k(run, worse, monkeypatch):
    Path("users.csv").write_text("userid,country\n1,SE\n")
    arguments = ["evaluate", "b=rec.csv", f"a={worse}", "truth.csv", "-k", "2,4,all", "--no-check", "-m"]
    arguments += ["ndcg,mrr,recall@1,hit_rate,precision", "--digits", "3", "--segment", "users.csv:country"]
    text = run(*arguments)
    assert max(map(len, text.splitlines())) <= 80
    assert text.split("\n\n")[0].splitlines()[:5] == [
        "System | k   | NDCG   | MRR   | Recall | Hit rate | Precision",
        "------ | --- | ------ | ----- | ------ | -------- | ---------",
        "b      | 1   |        |       | 0.333  |          |",
        "b      | 2   | 0.613  | 1     |        | 1        | 0.5",
        "b      | 4   | 0.704  | 1     |        | 1        | 0.5",
    ]
    assert "(none)  | b      | 2   | 2     | 0.613" in text
    wide = run(*arguments[:-4], "--digits", "12")
    first, second, *_ = wide.split("\n\n")
    assert max(map(len, wide.splitlines())) <= 80
    assert [first.split()[:3], second.split()[:3]] == [["System", "|", "k"]] * 2
    assert len(second.splitlines()) == 2 + 2 * 3  # no row of k = 1, which recall alone has
    monkeypatch.setattr(cli, "is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    assert cells(run(*arguments))["Ranking measure"][:2] == ["b top-1", "b top-2"]


def test_output_goes_to_a_file(run, folder):
    expected = run("evaluate", "rec.csv", "truth.csv")
    Path("report.txt").write_text("what was here before")
    assert run("evaluate", "rec.csv", "truth.csv", "--output", "report.txt") == ""
    assert Path("report.txt").read_text() == expected
    assert {file.name for file in folder.iterdir()} == {"rec.csv", "truth.csv", "report.txt"}


@pytest.mark.parametrize("option", ["--output", "--by-user"])
def test_a_file_is_whole_or_not_there(fails, folder, monkeypatch, option):
    def full_disk(*_):
        raise OSError(28, "No space left on device")

    Path("report.csv").write_text("what was here before")
    monkeypatch.setattr(os, "replace", full_disk)
    assert "No space left" in fails(1, "evaluate", "rec.csv", "truth.csv", option, "report.csv")
    assert Path("report.csv").read_text() == "what was here before"
    assert {file.name for file in folder.iterdir()} == {"rec.csv", "truth.csv", "report.csv"}


@pytest.mark.parametrize("option", ["--output", "--by-user"])
def test_a_replaced_file_keeps_its_mode_and_a_new_one_has_the_usual(run, monkeypatch, option):
    arguments = ["evaluate", "rec.csv", "truth.csv", "--measures", "mrr", option, "out.csv"]
    before = os.umask(0o027)
    try:
        run(*arguments)
        assert stat.S_IMODE(os.stat("out.csv").st_mode) == 0o640
    finally:
        os.umask(before)
    os.symlink("out.csv", "link.csv")
    while_writing = []

    def chmod(path, mode, change=os.chmod):
        while_writing.append(stat.S_IMODE(os.stat(path).st_mode))
        change(path, mode)

    for mode in (0o600, 0o664):
        os.chmod("out.csv", mode)
        with monkeypatch.context() as patch:
            patch.setattr(os, "chmod", chmod)
            run(*arguments[:-1], "link.csv")
        assert stat.S_IMODE(os.stat("out.csv").st_mode) == mode
        assert os.path.islink("link.csv")
    assert while_writing == [0o600, 0o600]


def test_no_file_that_is_read_is_overwritten(fails, folder):
    os.symlink("rec.csv", "symbolic.csv")
    os.link("truth.csv", "hard.csv")
    Path("users.csv").write_text("userid,country\n1,SE\n")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for output, other in (
        ("rec.csv", "rec.csv"),
        (f"../{folder.name}/./rec.csv", "rec.csv"),
        (str(folder / "truth.csv"), "truth.csv"),
        ("symbolic.csv", "rec.csv"),
        ("hard.csv", "truth.csv"),
        ("users.csv", "users.csv"),
    ):
        for option in ("--output", "--by-user"):
            for rec in ("rec.csv", "name=rec.csv", "re[c].csv", "r*c.csv"):
                arguments = [rec, "truth.csv", "--segment", "users.csv:country", option, output]
                error = fails(1, "evaluate", *arguments)
                assert re.fullmatch(rf"{output}: would overwrite (./)?{other}, which is the same file", error)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_the_two_outputs_are_two_files(fails, run, folder):
    os.symlink("new.csv", "link.csv")
    for one, other in (("new.csv", "new.csv"), ("new.csv", "./new.csv"), ("new.csv", "link.csv")):
        error = fails(1, "sql", "rec.csv", "truth.csv", "--output", one, "--by-user", other)
        assert error == f"{other}: would overwrite {one}, which is the same file"
    assert not Path("new.csv").exists()
    run("evaluate", "rec.csv", "truth.csv", "--output", "new.csv", "--by-user", "other.csv")
    assert Path("new.csv").exists()
    assert Path("other.csv").exists()


def test_output_may_be_a_device(run):
    assert run("evaluate", "rec.csv", "truth.csv", "--output", "/dev/null") == ""
    assert not Path("/dev/null").is_file()


def test_output_may_be_a_pipe():
    done = as_shell("evaluate", "rec.csv", "truth.csv", "--no-check", "--output", "/dev/stdout")
    assert done.stdout == as_shell("evaluate", "rec.csv", "truth.csv", "--no-check").stdout
    assert done.stdout.startswith("Ranking measure")


@pytest.mark.parametrize("suffix", ["parquet", "csv", *slow("csv.gz", "tsv", "json", "jsonl", "ndjson")])
def test_values_by_user(run, suffix):
    Path("truth.csv").write_text(TRUTH + "7,1\n")
    run("evaluate", "rec.csv", "truth.csv", *K, "--by-user", f"users.{suffix}", "--no-check")
    with duckdb.connect() as con:
        found = con.sql(f"SELECT userid, k, n_rec, n_truth, recall, ndcg FROM 'users.{suffix}'").fetchall()
    assert [row[:2] for row in found] == [(user, k) for user in (1, 2, 3, 7) for k in (2, 4)]
    assert found[1] == (1, 4, 4, 3, 0.6666666666666666, pytest.approx(0.7039180890341349, abs=1e-15))
    assert found[7] == (7, 4, 0, 1, 0.0, 0.0)


def test_values_by_user_and_model(run, worse):
    arguments = [
        "rec=rec.csv",
        f"worse={worse}",
        "truth.csv",
        "--by-user",
        "users.json",
        "--no-check",
        "--measures",
        "rbp",
    ]
    run("evaluate", *arguments)
    found = json.loads(Path("users.json").read_text())
    assert [(row["system"], row["userid"]) for row in found] == [
        (s, u) for s in ("rec", "worse") for u in (1, 2, 3)
    ]


def test_one_pass_for_all_outputs_gives_the_same_summary(run, worse):
    Path("countries.csv").write_text("userid,country\n1,SE\n")
    arguments = ["evaluate", "rec=rec.csv", f"w={worse}", "truth.csv", *K, "--no-check", "--format", "csv"]
    plain = run(*arguments)
    assert run(*arguments, "--by-user", "users.csv") == plain
    segmented = csv.DictReader(io.StringIO(run(*arguments, "--segment", "countries.csv:country")))
    everybody = [row for row in segmented if row.pop("segment") == "(all)"]
    assert everybody == list(csv.DictReader(io.StringIO(plain)))


# Segments


def test_segments_have_rows_of_their_own(run):
    Path("rec.csv").write_text("userid,itemid,score\n1,1,1\n2,9,1\n3,1,1\n")
    Path("users.csv").write_text("userid,country\n1,SE\n2,SE\n2,SE\n2,DE\n99,FR\n")
    arguments = [
        "rec.csv",
        "truth.csv",
        *K,
        "--segment",
        "users.csv:country",
        "--measures",
        "mrr",
        "--no-check",
    ]
    text = run("evaluate", *arguments)
    table = [[cell.strip() for cell in line.split(" | ")] for line in text.split("\n\n")[2].splitlines()]
    assert table[0] == ["country", "Ranking measure", "top-4", "top-2"]
    assert table[2:] == [
        ["(none)", "Users", "1", "1"],
        ["(none)", "MRR", "1.0", "1.0"],
        ["DE", "Users", "1", "1"],
        ["DE", "MRR", "0.0", "0.0"],
        ["SE", "Users", "2", "2"],
        ["SE", "MRR", "0.5", "0.5"],
    ]
    rows = evaluated(run, *arguments)
    assert [(row["segment"], row["k"]) for row in rows][:4] == [
        ("(all)", 4),
        ("(all)", 2),
        ("(none)", 4),
        ("(none)", 2),
    ]


# TREC files


def trec_files(seed=7):
    """A run with ties and unjudged documents, and qrels; topics are missing on either side."""
    draw = random.Random(seed)
    run, qrels = {}, {}
    for topic in range(60):
        documents = [f"d{draw.choice('abc')}{i}" for i in range(40)]
        if topic % 10 != 3:
            scores = [1.0, 2.0, 2.5, 16777216.0, 16777217.0, -3.25]
            run[f"q{topic}"] = {document: draw.choice(scores) for document in draw.sample(documents, 25)}
        if topic % 10 != 4:
            grades = [0] if topic == 5 else [0, 0, 1, 2, 3]
            qrels[f"q{topic}"] = {document: draw.choice(grades) for document in draw.sample(documents, 18)}
    run_lines = [
        f"{topic} Q0 {document}\t{rank}  {score!r} mine\n"
        for topic, documents in run.items()
        for rank, (document, score) in enumerate(documents.items())
    ]
    Path("mine.run").write_text("".join(run_lines) + "\n")
    Path("qrels").write_text(
        "".join(f"{t} 0 {d} {g}\r\n" for t, grades in qrels.items() for d, g in grades.items())
    )
    return run, qrels


TREC_MEASURES = {
    "recall": "recall_{}",
    "precision(divide=k)": "P_{}",
    "average_precision": "map_cut_{}",
    "ndcg(gain=linear)": "ndcg_cut_{}",
    "hit_rate": "success_{}",
    "mrr": "recip_rank",
    "r_precision": "Rprec",
    "bpref": "bpref",
}


def test_trec_files_give_the_numbers_of_trec_eval(run):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    trec_run, qrels = trec_files()
    expected = pytrec_eval.RelevanceEvaluator(
        qrels, {"recall", "P", "map_cut", "ndcg_cut", "success", "recip_rank", "Rprec", "bpref"}
    ).evaluate(trec_run)
    chosen = ["-k", "5", "-k", "10", "-k", "1000", "--measures", ",".join(TREC_MEASURES)]
    run("evaluate", "mine.run", "qrels", "--ties", "trec", "--no-check", "--by-user", "topics.json", *chosen)
    found = {(row["userid"], row["k"]): row for row in json.loads(Path("topics.json").read_text())}
    assert {topic for topic, _ in found} == set(qrels)
    compared = 0
    for topic, values in expected.items():
        for k in (5, 10, 1000):
            for name, theirs in TREC_MEASURES.items():
                if k == 1000 or "{}" in theirs:
                    if theirs.format(k) not in values:
                        continue  # trec_eval's cut-offs for success are 1, 5 and 10
                    assert found[topic, k][name] == pytest.approx(values[theirs.format(k)], abs=1e-12), (
                        topic,
                        name,
                    )
                    compared += 1
    assert compared > 800
    for topic in set(qrels) - set(trec_run):
        assert found[topic, 5]["n_rec"] == 0


@pytest.mark.slow
def test_trec_files_by_shape_by_option_and_gzip(run):
    trec_files()
    expected = run("evaluate", "mine.run", "qrels", "--no-check", "--threads", "1")
    assert cells(expected)["Ranking measure"] == ["top-10"]
    for name in ("mine.run", "qrels"):
        Path(f"{name}.gz").write_bytes(gzip.compress(Path(name).read_bytes()))
        Path(f"{name}.json").write_bytes(Path(name).read_bytes())
    assert run("evaluate", "mine.run.gz", "qrels.gz", "--no-check", "--threads", "1") == expected
    assert (
        run("evaluate", "mine.run.json", "qrels.json", "--no-check", "--threads", "1", "--format-in", "trec")
        == expected
    )


def test_a_table_of_six_columns_is_not_a_trec_run(run):
    lines = [line.replace(",", "\t") + "\tx\ty\tz\n" for line in REC.splitlines()]
    Path("rec.txt").write_text("".join(lines))
    assert run("evaluate", "rec.txt", "truth.csv") == run("evaluate", "rec.csv", "truth.csv")


def test_trec_runs_are_named_by_their_tag(run, fails):
    trec_files()
    text = Path("mine.run").read_text()
    Path("other.run").write_text(text.replace(" mine\n", " other\n"))
    rows = evaluated(run, "other.run", "mine.run", "qrels", "--no-check", "--measures", "mrr")
    assert [row["system"] for row in rows] == ["other", "mine"]
    rows = evaluated(run, "*.run", "qrels", "--no-check", "--measures", "mrr")
    assert [row["system"] for row in rows] == ["mine", "other"]
    rows = evaluated(run, "a=mine.run", "b=mine.run", "qrels", "--no-check", "--measures", "mrr")
    assert [row["system"] for row in rows] == ["a", "b"]
    Path("copy.run").write_text(text)
    assert "has a model 'mine' too" in fails(1, "evaluate", "mine.run", "copy.run", "qrels")


def test_a_trec_run_may_be_judged_by_a_table(run):
    Path("mine.run").write_text("1 Q0 1 1 9.5 x\n1 Q0 2 2 8.5 x\n")
    (row,) = evaluated(run, "mine.run", "truth.csv", "--no-check", "-k", "2")
    assert row["recall"] == pytest.approx(2 / 3 / 3, abs=1e-15)


def test_a_line_that_is_not_trec_is_named(fails):
    Path("mine.run").write_text("1 Q0 1 1 9.5 x\n" * 20 + "1 Q0 2 2\n")
    Path("qrels").write_text("1 0 1 1\n")
    error = fails(1, "evaluate", "mine.run", "qrels", "--no-check")
    assert "mine.run: a line is not of the shape `topic Q0 doc rank score tag`: 1 Q0 2 2" in error


# The check


def test_problems_of_the_data_are_told_on_stderr(capsys):
    Path("rec.csv").write_text(REC + "1,1,10.0\n")
    assert main(["evaluate", "rec.csv", "truth.csv"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("ranking-udfs: note: ")
    assert main(["evaluate", "rec.csv", "truth.csv", "--no-check"]) == 0
    assert capsys.readouterr() == (out, "")


def test_quiet_says_nothing_but_errors(run, fails):
    Path("rec.csv").write_text(REC + "1,1,10.0\n")
    arguments = ["evaluate", "rec.csv", "truth.csv"]
    assert run(*arguments, "-q") == run(*arguments, "--no-check")
    assert fails(1, "evaluate", "none.csv", "truth.csv", "--quiet") == "none.csv: no such file"


FORGED = "7\x1b[2J\x9b1m\r\nranking-udfs: error: forged\u2028\u202e\u2066\x7f\x00"[:-1]


def test_what_the_data_says_stays_on_its_line(capsys):
    """Notes and errors alike: no line is forged, no terminal obeys, and nothing turns the writing around."""
    item = FORGED + "x" * 10_000
    table("rec.csv", "userid,itemid,score", *[("1", f'"{item}"', "1")] * 2)
    assert main(["evaluate", "rec.csv", "truth.csv"]) == 0
    notes = capsys.readouterr().err
    assert FORGED[0] in notes
    table("truth.csv", "userid,itemid,rel", ("1", f'"{item}"', "nan"))
    for truth in ("truth.csv", f"{FORGED}.csv"):
        assert main(["evaluate", "rec.csv", truth, "--no-check"]) == 1
    assert main(["evaluate", "rec.csv", "truth.csv", "--format", item]) == 2
    errors = capsys.readouterr().err
    assert errors.count("\n") == 3
    for line in (notes + errors).splitlines():
        assert line.startswith(("ranking-udfs: note: ", "ranking-udfs: error: "))
        assert line.isprintable()
        assert len(line) < LONGEST + 100


@pytest.mark.parametrize("form", ["table", "markdown", "json"])
def test_a_report_prints_nothing_that_a_terminal_would_obey(run, con, form):
    name = FORGED.replace(":", ";")  # a colon ends the name of a file with segments
    write(con, "users.parquet", f"""SELECT 1 AS userid, '{name}' AS "{name}" """)
    arguments = [f"{name}=rec.csv", "truth.csv", "--segment", f"users.parquet:{name}", "--format", form]
    text = run("evaluate", *arguments)
    assert all(line.isprintable() for line in text.split("\n"))
    if form == "json":
        assert json.loads(text)[-1] == json.loads(text)[-1] | {"system": name, "segment": name}


@pytest.mark.parametrize("form", ["csv", "run", "parquet", "json"])
def test_an_error_shows_no_value_and_no_type_in_full(fails, con, form):
    long = "much " * 10_000
    table("rec.csv", "userid,itemid,score", ("1", "1", long))
    Path("rec.run").write_text(f"1 Q0 1 1 9.5 x\n1 Q0 2 2 {long}\n")
    fields = ", ".join(f"'field_{i}': 1" for i in range(1_000))
    write(con, "rec.parquet", f"SELECT 1 AS userid, {{{fields}}} AS itemid, 1 AS score")
    Path("rec.json").write_text(
        json.dumps({"userid": 1, "itemid": 1, **{f"column_{i}": 1 for i in range(5_000)}})
    )
    write(con, "truth.parquet", "SELECT 1 AS userid, 1 AS itemid")
    error = fails(1, "evaluate", f"rec.{form}", "truth.parquet", "--no-check")
    assert len(error) < 4 * LONGEST
    assert "much " * 41 not in error
    assert error.count("field_") < 20
    assert error.count("column_") < 20


# The SQL


@pytest.mark.parametrize(
    "arguments",
    [
        ["rec.parquet"],
        ["--measures", "ndcg@3,rbp(persistence=0.5),precision", "rec.csv"],
        ["rec.json", "--segment", "users.csv:country"],
        ["rec.parquet", "--ties", "trec"],
        ["--measures", "ndcg(gain=linear),auc", "--ties", "expected", "rec.parquet"],
        ["a=rec.csv", "b=rec.parquet"],
    ],
)
def test_sql_gives_what_evaluate_gives(run, con, arguments):
    Path("users.csv").write_text("userid,country\n1,SE\n")
    for form in ("parquet", "json"):
        write(con, f"rec.{form}", "FROM 'rec.csv'")
    arguments = [*arguments, "truth.csv", *K, "--by-user", "by user.csv"]
    rows = evaluated(run, *arguments, "--no-check")
    values = Path("by user.csv").read_text()
    Path("by user.csv").unlink()
    expected = [row for row in rows if row.pop("segment", "(all)") == "(all)"]
    script = run("sql", *arguments)
    emptied(con)
    results = [session.rows(con, statement.query) for statement in con.extract_statements(script)]
    assert any(sorted(expected, key=repr) == sorted(found, key=repr) for found in results)
    assert Path("by user.csv").read_text() == values


def test_sql_of_a_plain_evaluation_is_one_call(run, con):
    assert run("sql", "rec.csv", "truth.csv", *K, "--output", "evaluation.sql") == ""
    emptied(con)
    for statement in con.extract_statements(Path("evaluation.sql").read_text()):
        found = session.rows(con, statement.query)
    assert "\nFROM ranking_summary('rec', 'truth', [4, 2])" in statement.query
    expected = evaluated(run, "rec.csv", "truth.csv", *K)
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_sql_needs_no_function_of_python(run):
    Path("users.csv").write_text("userid,country\n1,SE\n")
    arguments = ["rec.csv", "truth.csv", *K, "--measures", "err(max_grade=1),ndcg(gain=linear)@4"]
    more = ["--by-user", "values.csv", "--segment", "users.csv:country"]
    rows = evaluated(run, *arguments, *more)
    values = Path("values.csv").read_text()
    Path("values.csv").unlink()
    with duckdb.connect() as bare:
        bare.execute((ROOT / "sql" / "ranking_udfs.sql").read_text())
        statements = bare.extract_statements(run("sql", *arguments, *more))
        *_, summary, by_segment, _ = [session.rows(bare, statement.query) for statement in statements]
    found = [{"segment": "(all)"} | row for row in summary]
    found += [{"users_without_truth": None} | row for row in by_segment]
    assert rows == sorted(found, key=lambda row: (row["segment"], row["k"]))
    assert Path("values.csv").read_text() == values


# Errors


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, "bad.csv: no such file"),
        ("", "bad.csv: no rows"),
        ("userid,itemid,score\n", "bad.csv: no rows"),
        ("userid,item,score\n1,1,1\n", "bad.csv: no column 'itemid' (there are: userid, item, score)"),
        ("userid,itemid,score\n1,1,1\n1,2,much\n", "bad.csv: Conversion Error: CSV Error on Line: 3"),
    ],
)
def test_bad_recommendations_exit_1(fails, content, error):
    if content is not None:
        Path("bad.csv").write_text(content)
    assert fails(1, "evaluate", "bad.csv", "truth.csv").startswith(error)


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("bad.parquet", b"not a parquet file at all", "bad.parquet: Invalid Input Error: "),
        ("bad.json", b"{nothing", "bad.json: Invalid Input Error: Malformed JSON"),
        ("bad.csv.gz", b"not compressed", "bad.csv.gz: "),
        ("bad.csv", bytes(range(256)) * 9, "bad.csv: "),
    ],
)
def test_a_file_that_cannot_be_read_exits_1(fails, name, content, error):
    Path(name).write_bytes(content)
    assert fails(1, "evaluate", "rec.csv", name).startswith(error)


def test_a_score_that_is_not_a_number_is_named(fails):
    Path("rec.json").write_text('[{"userid": 1, "itemid": 1, "score": "high"}]')
    assert fails(1, "evaluate", "rec.json", "truth.csv") == "rec.json: 'score' must be a number, got VARCHAR"


def test_a_grade_column_that_is_not_there_is_named(fails):
    error = fails(1, "evaluate", "rec.csv", "truth.csv", "--grade", "stars")
    assert error == "truth.csv: no column 'stars' (there are: userid, itemid)"


def test_ids_of_different_types_are_refused(fails, con):
    write(con, "rec.parquet", "SELECT 1 AS userid, 'a' AS itemid, 1 AS score")
    write(con, "truth.parquet", "SELECT '1' AS userid, 'a' AS itemid")
    error = fails(1, "evaluate", "rec.parquet", "truth.parquet")
    assert error == "userid must be of one type, got VARCHAR in truth.parquet and INTEGER in rec.parquet"


def test_no_user_to_evaluate_is_an_error(fails):
    Path("truth.csv").write_text("userid,itemid\n,1\n")
    assert fails(1, "evaluate", "rec.csv", "truth.csv", "--no-check") == "truth.csv: no user to evaluate"


def test_an_error_in_a_measure_is_one_line(fails):
    Path("truth.csv").write_text("userid,itemid,rel\n1,1,7\n")
    error = fails(1, "evaluate", "rec.csv", "truth.csv", "--no-check", "--measures", "err")
    assert error == "Invalid Input Error: ranking_err: a grade must be max_grade=4 or less, got 7"


@pytest.mark.parametrize("option", ["--output", "--by-user"])
def test_a_place_to_write_that_is_not_there_exits_1(fails, folder, option):
    Path("folder.csv").mkdir()
    error = fails(1, "evaluate", "rec.csv", "truth.csv", option, "nowhere/report.csv")
    assert error == "nowhere/report.csv: no such directory: nowhere"
    error = fails(1, "evaluate", "rec.csv", "truth.csv", option, "folder.csv")
    assert error == "folder.csv: a directory, not a file"
    error = fails(1, "evaluate", "folder.csv", "truth.csv")
    assert error.startswith("folder.csv: a directory without files that end in .parquet, ")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["evaluate"], "the following arguments are required: REC, TRUTH"),
        (["evaluate", "rec.csv"], "the following arguments are required: REC and TRUTH"),
        ([], "the following arguments are required: COMMAND"),
        (["rank"], "argument COMMAND: invalid choice: 'rank'"),
        (["evaluate", "rec.csv", "truth.csv", "--unheard-of"], "unrecognized arguments: --unheard-of"),
        (["install", "a.duckdb", "b.duckdb"], "unrecognized arguments: b.duckdb (see ranking-udfs install"),
        (
            ["evaluate", "rec.csv", "truth.csv", "--mesure", "ndcg"],
            "unrecognized arguments: --mesure ndcg (did you mean --measures?)",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--measures", "ndcg", "hit rate@5"],
            "hit rate@5 is no file: several measures are written --measures ndcg,hit rate@5",
        ),
        (
            ["compare", "rec.csv", "truth.csv", "-k", "5", "10"],
            "10 is no file: several cut-offs are written -k 5,10",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "-k", "5,"],
            "argument -k: cut-offs must be integers of 0 or more, or all, got ''",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--output", "means.xlsx"],
            "--output must end in one of .txt, .csv, .json, .md, .markdown, .html, .htm, or --format be "
            "said, got 'means.xlsx'",
        ),
        (
            ["report", "rec.csv", "truth.csv", "--output", "report.csv"],
            "--output must end in .html, which is what a report is, got 'report.csv'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--digits", "0"],
            "argument --digits: must be from 1 to 17, got '0'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "-k", "-3"],
            "argument -k: cut-offs must be integers of 0 or more, or all, got '-3'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--measures", "ndcg@2.5"],
            "argument -m/--measures: cut-offs must be integers of 0 or more, or all, got '2.5'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "-k", "2147483648"],
            "argument -k: k must be 2147483647 or less",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--measures", "mrr@2147483648"],
            "argument -m/--measures: k must be 2147483647 or less, or all, got 2147483648",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--threads", "0"],
            "argument --threads: must be 1 or more, got '0'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--segment", "x"],
            "argument --segment: must be FILE:COLUMN, got 'x'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--by-user", "x.doc"],
            "argument --by-user: must end in one of .parquet",
        ),
        (["evaluate", "rec.csv", "truth.csv", "--format", "x"], "argument --format: invalid choice: 'x'"),
        (
            ["evaluate", "rec.csv", "truth.csv", "--measures", "ndgc"],
            "argument -m/--measures: measure must be the name of a measure, got 'ndgc' (did you mean ndcg?)",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--measures", "ndcg(gain=linear"],
            "argument -m/--measures: measure must be like 'ndcg(gain=linear)@5,10', got 'ndcg(gain=linear'",
        ),
        (
            ["evaluate", "rec.csv", "truth.csv", "--measures", "ndcg(gain='x')"],
            "argument -m/--measures: ndcg: option gain must be exp|linear, got \"'x'\"",
        ),
    ],
)
def test_wrong_usage_exits_2(fails, arguments, error):
    assert fails(2, *arguments).startswith(error)


def test_a_memory_limit_that_is_none_is_an_error(fails):
    assert "Memory" in fails(1, "evaluate", "rec.csv", "truth.csv", "--memory-limit", "much")


def test_a_directory_as_a_pattern_or_an_unreadable_name(fails):
    assert fails(1, "evaluate", "*.none", "truth.csv") == "*.none: no such file"
    assert fails(1, "evaluate", "x\udcff.csv", "truth.csv")


# Names that look like SQL


NAMES = ["it's", "a;b", "two\nlines", 'quo"te', "`tick`", "*", "a[1]", "w?", "-- x", "$1", "{b}"]
NAMES += ["';SELECT 1;--", "".join(["it's", "a;b", "two\nlines", 'quo"te', "*[1]?$1{b}';SELECT 1;--"])]


@pytest.mark.slow
def test_names_are_names(run, con):
    """Of files, columns, models and segments, in what is run and in what is printed."""
    for name in NAMES:
        quoted = '"' + name.replace('"', '""') + '"'
        Path(f"{name}.csv").write_text(REC.replace("score", quoted))
        Path(f"{name}.t.csv").write_text(TRUTH)
        Path("users.csv").write_text(f"userid,{quoted}\n1,x\n")
        files = [f"{name}=./{name}.csv", f"./{name}.t.csv", "--score", name, "--by-user", f"./{name}.json"]
        files += ["--segment", f"users.csv:{name}", "--measures", "ndcg@2"]
        rows = evaluated(run, *files, "--no-check")
        assert [(row["system"], row["segment"]) for row in rows] == [
            (name, segment) for segment in ("(all)", "(none)", "x")
        ]
        assert {repr(row["ndcg"]) for row in rows} == {DOCUMENTS["NDCG"][1]}
        assert json.loads(Path(f"{name}.json").read_text())[0]["userid"] == 1
    script = run("sql", *files)
    for statement in emptied(con).extract_statements(script):
        con.execute(statement).fetchall()


def test_a_path_is_not_a_python_variable(fails):
    assert fails(1, "evaluate", "con", "truth.csv") == "con: no such file"


def test_columns_are_never_sql(fails):
    error = fails(1, "evaluate", "rec.csv", "truth.csv", "--score", "1; DROP TABLE x")
    assert error.startswith("rec.csv: no column '1; DROP TABLE x'")


# The way of a request


def test_a_request_goes_one_way():
    """Each module of the command imports only those before it, and those that make SQL open no file."""
    order = ["messages", "session", "files", "tables", "evaluation", "report", "output"]
    order += ["comparison", "conclusion", "gathering", "listing", "arguments", "cli", "notebook"]
    paths = {path.stem: path for path in Path(cli.__file__).parent.glob("*.py") if path.stem != "__init__"}
    assert set(paths) == set(order)
    for name, path in paths.items():
        imported = set(re.findall(r"^from \.(\w+) import", path.read_text(), re.MULTILINE))
        assert imported <= set(order[: order.index(name)]), name
        if name in ("evaluation", "report"):
            assert not imported & {"files", "tables", "session"}


# The process


def test_version_and_help(run):
    assert run("--version") == f"ranking-udfs {udfs.__version__}\n"
    assert "REC [REC ...] TRUTH" in run("evaluate", "--help")


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_has_examples_that_can_be_read(run, command):
    """As their arguments: the files of most are not there."""
    text = run(*command.split(), "--help")
    _, _, examples = text.partition("\nexamples:\n")
    lines = [line for line in examples.splitlines() if line.startswith("  ")]
    assert lines
    for line in lines:
        assert len(line) <= 80
        _, _, arguments = line.partition("ranking-udfs ")
        words = shlex.split(re.split(r" [|>] ", arguments)[0])
        if words != ["sql", "--pack"]:
            assert parse(words).command == words[0]


@pytest.mark.slow
def test_no_traceback_and_exit_codes_in_a_shell():
    assert as_shell("evaluate", "rec.csv", "truth.csv").returncode == 0
    done = as_shell("evaluate", "none.csv", "truth.csv")
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "ranking-udfs: error: none.csv: no such file\n",
    )
    assert as_shell("evaluate").returncode == 2


@pytest.mark.parametrize(
    "interrupt",
    [
        KeyboardInterrupt(),
        duckdb.InterruptException("INTERRUPT Error: Interrupted!"),
        RuntimeError("Query interrupted"),
        duckdb.InvalidInputException(
            "Python exception occurred while executing the UDF: KeyboardInterrupt: "
        ),
    ],
)
def test_ctrl_c_exits_130(monkeypatch, capsys, interrupt):
    def interrupted(*_):
        raise interrupt

    monkeypatch.setattr(cli, "rows", interrupted)
    assert main(["evaluate", "rec.csv", "truth.csv", "--output", "report.txt"]) == 130
    assert capsys.readouterr() == ("", "")
    assert not Path("report.txt").exists()


def test_ctrl_c_ends_the_query_that_runs_and_leaves_the_connection_usable(monkeypatch):
    """In the main thread, which waits for the one that runs the query."""
    ended = []

    def work():
        try:
            con.execute("SELECT sum(sin(i)) FROM range(1_000_000_000_000) t(i)").fetchall()
        except duckdb.InterruptException as error:
            ended.append(error)

    def pressed(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", pressed)
    with duckdb.connect() as con:
        with pytest.raises(KeyboardInterrupt):
            session.interruptible(con, work)
        assert len(ended) == 1
        assert con.execute("SELECT 1").fetchall() == [(1,)]


def test_python_m_udfs_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["udfs", "measures"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("udfs", run_name="__main__")
    assert left.value.code == 0
    by_module = capsys.readouterr().out
    assert main(["measures"]) == 0
    assert capsys.readouterr().out == by_module


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["measures"], ["--help"]])
def test_a_closed_pipe_is_no_error(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "udfs", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=environment)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        (">/dev/full", 1, "ranking-udfs: error: [Errno 28] No space left on device\n"),
        (">&-", 1, "ranking-udfs: error: standard output is closed\n"),
    ],
)
def test_what_cannot_be_printed_is_an_error(redirection, code, said):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m udfs measures {redirection}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (code, said)


def test_ctrl_c_while_importing_ends_the_process_without_a_traceback():
    code = (
        "import builtins, os, signal, sys\n"
        "def pressed(name, *rest, imported=builtins.__import__):\n"
        "    if name == 'duckdb': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return imported(name, *rest)\n"
        "builtins.__import__ = pressed\n"
        "from udfs.__main__ import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_console_without_utf_8_shows_what_it_can(monkeypatch, worse):
    """In ASCII with escapes, which JSON reads; columns stay in line."""
    arguments = [f"b={worse}", "ü😀=rec.csv", "truth.csv", "-m", "mrr", "-q"]
    printed = {}
    for encoding, form in (("ascii", "table"), ("ascii", "json"), ("cp1252", "table")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["compare", *arguments, "--format", form]) == 0
        printed[encoding, form] = stream.buffer.getvalue().decode(encoding)
    assert json.loads(printed["ascii", "json"])[0]["system"] == "ü😀"
    assert "\n\\u00fc\\ud83d\\ude00 - b | 1    | 0.1667   | 0.8333 +-0.7171 | " in printed["ascii", "table"]
    assert "\nü\\ud83d\\ude00 - b | 1    | 0.1667   | 0.8333 ± 0.7171 | " in printed["cp1252", "table"]


@pytest.mark.slow
def test_bash_completes_commands_options_measures_and_files(run):
    Path("completion.sh").write_text(run("completion", "bash"))
    script = """source completion.sh
      for line in ev "evaluate --meas" "evaluate -m nd" "evaluate re" "measures kend" "compare --ties ex"; do
        COMP_WORDS=(ranking-udfs $line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
        _shtab_ranking_udfs; echo "${COMPREPLY[@]}"
      done"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    found = ["evaluate", "--measures", "ndcg", "rec.csv", "kendall_tau", "expected"]
    assert done.stdout.splitlines() == found
    assert "#compdef ranking-udfs" in run("completion", "zsh")
    assert "complete ranking-udfs" in run("completion", "tcsh")


def test_completion_without_shtab_says_how_to_install_it(fails, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    said = "completion: shtab must be installed: pip install 'duckdb-ranking-udfs[terminal]'"
    assert fails(1, "completion", "bash") == said


def test_a_pipe_that_closes_while_it_is_written_to(monkeypatch, folder):
    class Closed(io.StringIO):
        def write(self, _):
            raise BrokenPipeError

        def fileno(self):
            return file.fileno()

    with open("elsewhere", "w") as file:
        monkeypatch.setattr(sys, "stdout", Closed())
        assert main(["measures"]) == 141


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only_and_goes_forward(monkeypatch):
    class Connection:
        """Of a query that goes forward, of none, and of one that begins anew."""

        def __init__(self):
            self.percents = [-1, 50, -1, 20, 50, *[30] * 1_000]

        def execute(self, _):
            pass

        def query_progress(self):
            return self.percents.pop(0)

    monkeypatch.setattr(session, "PROGRESS_SECONDS", 0.001)
    for stream, quiet in ((Terminal(), False), (Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        con = Connection()
        with session.progress(con, 2, quiet) as step:
            step("reading")
            if stream.isatty() and not quiet:
                while len(con.percents) > 994:
                    pass
            step("measuring")
            say("note", "aside")
        shown = [part for part in stream.getvalue().split("\r") if part.strip()]
        if not stream.isatty() or quiet:
            assert shown == ["ranking-udfs: note: aside\n"]
            continue
        shares = [int(share) for share in re.findall(r"(\d+) %", stream.getvalue())]
        assert shares == sorted(shares)
        assert {25, 50} <= {*shares}
        assert any(part.startswith("reading ") for part in shown)
        assert shown[[part.startswith("ranking-udfs") for part in shown].index(True)].count("\n") == 1
        assert shown[-1].startswith("measuring ")
        assert stream.getvalue().endswith("\r")


def test_without_tqdm_there_is_no_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with session.progress(None, 1) as step:
        step("reading")
        say("note", "aside")
    assert sys.stderr.getvalue() == "ranking-udfs: note: aside\n"


@pytest.fixture
def shop():
    """Files whose columns have names of their own: ranks instead of scores, models, grades."""
    rows = [f"{u},SKU-{i},{i},{model}" for model in "ab" for u in range(3) for i in range(1, 5)]
    Path("lists.csv").write_text("\n".join(["userid,itemid,place,model", *rows]) + "\n")
    Path("bought.csv").write_text("userid,itemid,stars\n0,SKU-2,2\n0,SKU-3,3\n1,SKU-1,5\n2,SKU-4,1\n")
    return ["lists.csv", "bought.csv", "--score", "place"]


def test_columns_that_look_like_grades_and_models_are_named_and_read_when_asked_for(run, capsys, shop):
    assert main(["evaluate", *shop, "-k", "2", "--measures", "mrr"]) == 0
    notes = capsys.readouterr().err.splitlines()
    assert notes[:2] == [
        "ranking-udfs: note: bought.csv: columns that look like grades are not read (--grade): stars",
        "ranking-udfs: note: lists.csv: columns that look like systems are not read (--system): model",
    ]
    text = run(
        "evaluate",
        *shop,
        "--system",
        "model",
        "--grade",
        "stars",
        "--ascending",
        "-k",
        "2",
        "--measures",
        "mrr",
    )
    assert cells(text)["MRR"] == [repr((1 / 2 + 1 + 0) / 3)] * 2
    assert cells(text)["Ranking measure"] == ["a top-2", "b top-2"]


def test_a_system_column_that_is_not_there_is_named(fails, shop):
    error = fails(1, "evaluate", *shop, "--system", "variant")
    assert error == "lists.csv: no column 'variant' (there are: userid, itemid, place, model)"


@pytest.mark.parametrize("ties", ["item", "trec", "expected"])
def test_the_lowest_score_may_be_the_best(run, shop, ties):
    """With the table functions alone, with options, and with every order of ties."""
    for measures in ("mrr,recall", "mrr,ndcg(gain=linear)"):
        arguments = ["-k", "2", "--ties", ties, "--no-check", "--format", "json", "--measures", measures]
        (row, _) = json.loads(run("evaluate", *shop, "--system", "model", "--ascending", *arguments))
        assert row["mrr"] == pytest.approx((1 / 2 + 1 + 0) / 3)
        (row, _) = json.loads(run("evaluate", *shop, "--system", "model", *arguments))
        assert row["mrr"] == pytest.approx((1 / 2 + 0 + 1) / 3)


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_a_long_report_has_a_row_per_measure(run, form):
    arguments = ["rec.csv", "truth.csv", "--long", "-k", "4", "--measures", "recall,mrr@2"]
    found = run("evaluate", *arguments, "--format", form)
    recall = 2 / 3
    assert (
        found
        == {
            "table": "k | measure | value\n- | ------- | ------------------\n"
            f"2 | mrr     | 1.0\n4 | recall  | {recall}\n",
            "csv": f"k,measure,value\n2,mrr,1.0\n4,recall,{recall}\n",
            "json": json.dumps(
                [{"k": 2, "measure": "mrr", "value": 1.0}, {"k": 4, "measure": "recall", "value": recall}],
                indent=2,
            )
            + "\n",
            "markdown": "| k | measure | value |\n| --- | --- | --- |\n"
            "| 2 | mrr | 1 |\n| 4 | recall | 0.6667 |\n",
        }[form]
    )


def test_a_long_report_has_models_and_segments(run, worse):
    Path("users.csv").write_text("userid,country\n1,de\n2,fr\n")
    text = run(
        "evaluate",
        "b=rec.csv",
        f"a={worse}",
        "truth.csv",
        "--long",
        "--format",
        "csv",
        "--segment",
        "users.csv:country",
        "--measures",
        "mrr",
        "-k",
        "2",
        "--no-check",
    )
    header, *body = text.splitlines()
    assert header == "system,segment,k,measure,value"
    assert [line.split(",")[:4] for line in body] == [
        *([system, "(all)", "2", "mrr"] for system in "ba"),
        *([system, segment, "2", "mrr"] for system in "ba" for segment in ("(none)", "de", "fr")),
    ]

"""What is in the lists, in the command and in Python: the numbers of ranking_beyond_accuracy."""

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.command.values import parse_items
from ranking_udfs.measures.contents import BY_USER, CONTENTS
from tests.command import Fails, Run, con, fails, folder, registered, run

__all__ = ["con", "fails", "folder", "registered", "run"]

FILES = {
    "a.csv": "userid,itemid,score\n1,10,3\n1,20,2\n2,10,3\n2,9,2\n4,30,1\n",
    "b.csv": "userid,itemid,score\n1,30,9\n1,30,8\n1,,7\n1,40,6\n2,10,2\n7,10,1\n",
    "test.csv": "userid,itemid\n1,30\n2,9\n4,10\n5,10\n",
    "train.csv": "userid,itemid\n1,10\n1,20\n1,20\n2,10\n3,10\n3,30\n3,40\n",
    "items.csv": "itemid,category,kind\n10,x,1\n20,x,1\n20,y,1\n30,y,1\n40,,1\n10,x,1\n",
    "users.csv": "userid,country\n1,SE\n2,DK\n4,SE\n5,DK\n",
}
MODELS = ["a=a.csv", "b=b.csv", "test.csv", "-q"]
GIVEN = ["--history", "train.csv", "--items", "items.csv"]
# The same tables for SQL, by the names that a query below gives them.
TABLES = """
    WITH rec AS (SELECT 'a' AS system, * FROM 'a.csv' UNION ALL SELECT 'b', * FROM 'b.csv'),
    train AS (FROM 'train.csv'), items AS (FROM 'items.csv') """


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)


def test_the_table_stands_beneath_the_others(run: Run) -> None:
    # Of history 10 has 3 of 3 users, 20 has 1; b's lists are {30}, {10} and {10}: means of 1/3, 1, 1 and of
    # log2 3, 0, 0. User 7 is in neither history nor truth, and counts.
    printed = run(
        "evaluate", *MODELS, *GIVEN, "-k", "2", "-m", "mrr,popularity,novelty,coverage", "--digits", "4"
    )
    assert printed.partition("\n\nWhat")[2] == (
        " is in the lists | a top-2 | b top-2\n"
        "-------------------- | ------- | -------\n"
        "Popularity           | 0.5     | 0.7778\n"
        "Novelty (bits)       | 1.057   | 0.5283\n"
        "Coverage             | 0.75    | 0.5\n"
        "\n"
        "Users with recommendations (with truth or without): 3\n"
        "Of these without a history (left out of what needs their own): 1\n"
    )
    assert printed.startswith("Ranking measure | a top-2 | b top-2\n")
    for form, text in (("markdown", "| Coverage | 0.75 | 0.5 |"), ("html", "<td>Coverage</td><td>0.75</td>")):
        assert text in run("evaluate", *MODELS, *GIVEN, "-k", "2", "-m", "coverage", "--format", form)


def test_all_numbers_are_those_of_sql(run: Run, con: duckdb.DuckDBPyConnection) -> None:
    options = ["-k", "1,2,all", "--head", "0.5", "--divergence", "kl"]
    found = json.loads(run("evaluate", *MODELS, *GIVEN, *options, "--format", "json", "--by-user", "u.json"))
    arguments = "[1, 2, NULL], 'train', 'items', head := 0.5, divergence := 'kl'"
    for rows, function, measures in (
        (found, "ranking_beyond_accuracy", CONTENTS.values()),
        (json.loads(Path("u.json").read_text()), "ranking_beyond_accuracy_by_user", BY_USER),
    ):
        names = [one.name for one in measures]
        keys = ["system", *(["userid"] if measures is BY_USER else []), "k"]
        query = f"{TABLES} SELECT {', '.join([*keys, *names])} FROM {function}('rec', {arguments})"
        expected = {
            tuple(map(str, row[: len(keys)])): row[len(keys) :] for row in con.execute(query).fetchall()
        }
        for row in rows:  # users of truth without a list have no value
            key = tuple(str(row[name]) for name in keys)
            assert tuple(row[name] for name in names) == expected.get(key, (None,) * len(names))
    assert {row["users_with_rec"] for row in found} == {3}


def test_segments_have_the_means_that_users_have(run: Run) -> None:
    arguments = ["-m", "mrr,repeats,coverage", "--segment", "users.csv:country", "--format", "csv"]
    rows = list(csv.DictReader(run("evaluate", *MODELS, *GIVEN, *arguments).splitlines()))
    found = {(row["system"], row["segment"]): (row["repeats"], row["coverage"]) for row in rows}
    assert found["a", "SE"] == ("1.0", "")  # user 1; user 4 has no history
    assert found["a", "DK"] == ("0.5", "")  # user 2
    assert found["a", "(all)"] == ("0.75", "0.75")
    printed = run("evaluate", *MODELS, *GIVEN, *arguments[:-2])
    assert "DK      | Repeats         | 0.5" in printed
    assert printed.count("Coverage") == 1


def test_cut_offs_of_their_own_and_long_rows(run: Run) -> None:
    arguments = ["-m", "mrr@1,repeats@2,n_items", "-k", "all", "--long", "--format", "csv"]
    rows = list(csv.DictReader(run("evaluate", *MODELS, *GIVEN, *arguments).splitlines()))
    assert [(row["k"], row["measure"]) for row in rows[:3]] == [
        ("1", "mrr"),
        ("2", "repeats"),
        ("", "n_items"),
    ]


def test_a_bound_and_what_the_check_finds(capsys: pytest.CaptureFixture[str]) -> None:
    conditions = "novelty@10 < 1, coverage < 0.5, problems(seen_items)"
    assert main(["evaluate", *MODELS, *GIVEN, "-m", "novelty,coverage", "--fail-if", conditions]) == 3
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "ranking-udfs: failed: novelty@10 < 1: 0.5283 b in novelty@10"
    assert "items that the user has in history already" in said[1]
    assert len(said) == 2


def test_models_are_compared(
    run: Run, con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, columns in {
        "a.csv": "i AS userid, i % 7 AS itemid, 1 AS score",
        "b.csv": "i AS userid, i % 7 + 20 AS itemid, 1 AS score",  # nobody has these
        "train.csv": "i AS userid, i % 5 AS itemid",
        "test.csv": "i AS userid, i % 2 * 20 AS itemid",
        "users.csv": "i AS userid, i % 2 AS country",
    }.items():
        con.execute(f"COPY (SELECT {columns} FROM range(40) t(i)) TO '{name}'")
    arguments = [
        "compare",
        *MODELS,
        "--history",
        "train.csv",
        "--baseline",
        "a",
        "-m",
        "long_tail,cold,popularity@1",
    ]
    query = f"""{TABLES},
        by_user AS (FROM ranking_beyond_accuracy_by_user('rec', [10], 'train'))
        SELECT * FROM ranking_compare_by_user('by_user', 'a', ['cold'])"""
    expected = con.sql(query).fetchall()
    found = json.loads(run(*arguments, "--format", "json", "--segment", "users.csv:country"))
    cold = next(row for row in found if row["measure"] == "cold")
    assert [tuple(cold[name] for name in cold if name != "segment")] == expected
    verdicts = [(row["segment"], row["measure"], row["verdict"]) for row in found if row["k"] == 1]
    assert verdicts == [(segment, "popularity", "lower") for segment in ("(all)", "0", "1")]
    printed = run(*arguments)
    assert "b is higher than a in Cold@10 by" in printed
    assert "b is lower than a in Popularity@1 by" in printed
    assert "W/T/L: with how many users a model is higher, the same, lower." in printed
    assert "> higher" in printed

    # p is corrected over what can have the verdict; a bare one looks at no measure of the other kind.
    for condition, said in {
        "popularity lower": "popularity lower: b in popularity@1 (1 of 1 comparisons)",
        "higher": "higher: b in long_tail@10 (2 of 3 comparisons)",
        "worse": "worse: all measures are higher or lower: popularity, long_tail, cold",
        "cold lower": "",
    }.items():
        assert main([*arguments, "--fail-if", condition]) == (3 if said else 0)
        assert capsys.readouterr().err.removeprefix("ranking-udfs: failed: ").strip() == said
    mixed = [*arguments[:-1], "mrr,cold"]
    assert main([*mixed, "--fail-if", "higher"]) == 3
    assert "(of cold: is higher, the same, lower)" in " ".join(capsys.readouterr().out.split())


def test_unclear_does_not_say_better(run: Run) -> None:
    assert "whether b or a is higher in Repeats@10" in run(
        "compare", *MODELS, *GIVEN, "-m", "repeats", "--baseline", "a"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("-m novelty", 2, "evaluate: novelty needs --history FILE"),
        ("-m gini", 2, "evaluate: gini needs --history FILE or --items FILE:COLUMN"),
        ("-m miscalibration --items items.csv", 2, "evaluate: miscalibration needs --history FILE"),
        ("--items items.csv:sort", 1, "items.csv: no column 'sort' (there are: itemid, category, kind)"),
        ("--items items.csv --ties expected", 2, "evaluate: --ties must be item or trec with diversity"),
        ("--history train.csv --head 2", 2, "argument --head: must be a number from 0 to 1, got '2'"),
    ],
)
def test_what_does_not_fit_is_said(fails: Fails, arguments: str, code: int, said: str) -> None:
    assert fails(code, "evaluate", *MODELS, *arguments.split()).startswith(said)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("novelty worse", "of novelty, neither of higher and lower is better: write 'lower' or 'higher'"),
        ("ndcg higher", "ndcg is better or worse: write 'worse' or 'better'"),
    ],
)
def test_a_verdict_that_a_measure_cannot_have_is_an_error(fails: Fails, condition: str, said: str) -> None:
    assert said in fails(2, "compare", *MODELS, *GIVEN, "--baseline", "a", "--fail-if", condition)


def test_a_measure_of_all_lists_together_is_not_compared(fails: Fails) -> None:
    rule = "compare: --measures must be those that each user has a value of"
    assert fails(2, "compare", *MODELS, *GIVEN, "-m", "gini").startswith(rule)
    rule = "report: --measures must be measured by truth, got personalization"
    assert rule in fails(2, "report", *MODELS, "-m", "personalization", "--output", "x.html")


def test_the_column_of_categories_stands_behind_the_file() -> None:
    for text, found in {
        "items.csv:kind": ("items.csv", "kind"),
        "items.csv": ("items.csv", "category"),
        "https://x.org/items.csv": ("https://x.org/items.csv", "category"),
        "s3://x/items.parquet:kind": ("s3://x/items.parquet", "kind"),
    }.items():
        assert parse_items(text) == found


def test_python_has_the_same_numbers(run: Run) -> None:
    with pytest.raises(ValueError, match="compare: novelty needs history="):
        ranking_udfs.compare({"a": "a.csv", "b": "b.csv"}, "test.csv", "novelty")
    tables: dict[str, Any] = {"history": "train.csv", "items": "items.csv", "check": False}
    models = {"a": "a.csv", "b": "b.csv"}
    found = ranking_udfs.evaluate(models, "test.csv", "mrr", [1, None], **tables)
    printed = json.loads(run("evaluate", *MODELS, *GIVEN, "-m", "mrr", "-k", "1,all", "--format", "json"))
    assert [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()] == [
        {name: row[name] for name in found.columns} for row in printed if set(row) == set(found.columns)
    ]

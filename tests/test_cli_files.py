"""What the command reads: every format, spellings of ids, TREC files; golden/files.txt has the rest."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ranking_udfs.command.values import parse_items
from tests.command import HUGE, LATE, NDCG, NDCG_VALUES, Fails, K, Run, evaluated, table

pytestmark = [pytest.mark.usefixtures("registered", "folder")]

# --- Input ---


def test_the_column_of_categories_stands_behind_the_file() -> None:
    assert parse_items("https://x.org/items.csv") == ("https://x.org/items.csv", "")
    assert parse_items("s3://x/items.parquet:kind") == ("s3://x/items.parquet", "kind")


def test_every_format_gives_the_same_table(run: Run) -> None:
    forms = {"parquet": "parquet", "json": "json, ARRAY", "tsv": "csv, DELIMITER '\t'"}
    suffixes = "csv", "parquet", "ndjson.gz", "tsv", "csv.gz", "json", "jsonl", "ndjson", "txt", "CSV"
    with duckdb.connect() as con:
        for suffix in suffixes:
            form = forms.get(suffix, "json" if "json" in suffix else "csv")
            form += ", COMPRESSION gzip" if suffix.endswith("gz") else ""
            for name in ("rec", "truth"):
                con.execute(f"COPY (FROM '{name}.csv') TO 'copy_{name}.{suffix}' (FORMAT {form})")
    for suffix in suffixes[:3]:
        recs = [f"{one}=copy_rec.{one}" for one in suffixes]
        rows = evaluated(run, *recs, f"copy_truth.{suffix}", *K, *NDCG)
        assert [repr(row["ndcg"]) for row in rows] == NDCG_VALUES * len(suffixes)


UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
# Of users, and of items in the same file.
SPELLINGS = [
    *(("csv", ("1.1", "1.10"), ("1e3", "1000"), 0), ("csv", ("true", "TRUE"), ("nan", "NaN"), 0)),
    *(("csv", ("2024-01-01", "2024-1-1"), ("9:00", "09:00"), 0), ("csv", ("0", "-0"), ("1.", "1.0"), 0)),
    ("csv", ("17446744073709551001", "17446744073709551101"), HUGE, 0),
    *(("csv", ("7", "007"), ("7", " 7"), late) for late in (0, LATE)),
    *(("csv", ("7", "+7"), ("7", "7 "), late) for late in (0, LATE)),
    *(("csv", ("31", "0x1F"), HUGE, LATE), ("csv", ("0", "-0"), ("1000", "1_000"), LATE)),
    *(("json", HUGE, ('"7"', '"007"'), 0), ("json", HUGE, ("7", '"007"'), LATE)),
    ("json", ('"1.1"', '"1.10"'), ('"2024-01-01"', '"2024-1-1"'), 0),
    ("json", (f'"{UUID}"', f'"{UUID.upper()}"'), ("7", '"7.0"'), 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "users", "items", "late"), SPELLINGS)
def test_ids_that_are_written_differently_differ(
    run: Run, form: str, users: tuple[str, str], items: tuple[str, str], late: int
) -> None:
    """Were users one, there would be one; were items one, the other would stand at rank 1."""
    rows = [(user, item, score) for user in users for item, score in zip(items, "21", strict=True)]
    table(f"rec.{form}", "userid,itemid,score", *rows, fill=late)
    table(f"truth.{form}", "userid,itemid", *((user, items[1]) for user in users))
    (row,) = evaluated(run, f"rec.{form}", f"truth.{form}", "--no-check", "--measures", "mrr")
    assert (row["users"], row["users_without_rec"], row["mrr"]) == (2, 0, 0.5)


def test_times_with_a_zone_need_no_pytz() -> None:
    """Which DuckDB 1.5 takes to make Python's objects of them, and nothing here installs."""
    for name in ("rec", "truth"):
        text = Path(f"{name}.csv").read_text().replace("\n", ",2026-05-22T10:00:00Z\n")
        Path(f"{name}.csv").write_text(text.replace("2026-05-22T10:00:00Z", "time", 1))
    code = "import sys; sys.modules['pytz'] = None; import ranking_udfs.__main__ as one; sys.exit(one.main())"
    arguments = ["check", "rec.csv", "truth.csv", "--history", "rec.csv", "--time", "time"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "history: events at or after the first of truth" in done.stdout


# --- TREC files ---


def trec_files() -> tuple[dict[str, Any], dict[str, Any]]:
    """A run with ties and unjudged documents, and qrels; topics are missing on either side."""
    draw = random.Random(7)
    run: dict[str, Any] = {}
    qrels: dict[str, Any] = {}
    for topic in range(60):
        documents = [f"d{draw.choice('abc')}{i}" for i in range(40)]
        if topic % 10 != 3:
            scores = [1.0, 2.0, 2.5, 16777216.0, 16777217.0, -3.25]
            run[f"q{topic}"] = {document: draw.choice(scores) for document in draw.sample(documents, 25)}
        if topic % 10 != 4:
            grades = [0] if topic == 5 else [0, 0, 1, 2, 3]
            qrels[f"q{topic}"] = {document: draw.choice(grades) for document in draw.sample(documents, 18)}
    run_lines = (f"{t} Q0 {d}\t0  {score!r} mine\n" for t, found in run.items() for d, score in found.items())
    qrels_lines = (f"{t} 0 {d} {grade}\r\n" for t, found in qrels.items() for d, grade in found.items())
    Path("mine.run").write_text("".join(run_lines) + "\n")
    Path("mine.qrels").write_text("".join(qrels_lines))
    return run, qrels


TREC_MEASURES = {
    **{"recall": "recall_{}", "precision": "P_{}", "average_precision": "map_cut_{}", "bpref": "bpref"},
    **{"ndcg(gain=linear)": "ndcg_cut_{}", "hit_rate": "success_{}", "mrr": "recip_rank"},
    "r_precision": "Rprec",
}


def test_trec_files_give_the_numbers_of_trec_eval(run: Run) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    trec_run, qrels = trec_files()
    theirs = {name.removesuffix("_{}") for name in TREC_MEASURES.values()}
    expected = pytrec_eval.RelevanceEvaluator(qrels, theirs).evaluate(trec_run)
    chosen = ["-k", "5", "-k", "10", "-k", "1000", "--measures", ",".join(TREC_MEASURES)]
    given = ["mine.run", "mine.qrels", "--ties", "trec", "--no-check", "--by-user", "topics.json"]
    run("evaluate", *given, *chosen)
    found = {(row["userid"], row["k"]): row for row in json.loads(Path("topics.json").read_text())}
    assert {topic for topic, _ in found} == set(qrels)
    compared = 0
    for topic, values in expected.items():
        for k in (5, 10, 1000):
            for name, their_name in TREC_MEASURES.items():
                value = values.get(their_name.format(k))  # trec_eval's cut-offs for success are 1, 5 and 10
                if value is not None and (k == 1000 or "{}" in their_name):
                    assert found[topic, k][name] == pytest.approx(value, abs=1e-12), (topic, name)
                    compared += 1
    assert compared > 800
    for topic in set(qrels) - set(trec_run):
        assert found[topic, 5]["n_rec"] == 0


def test_permission_is_tried_before_a_file_is_read(fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("ranking_udfs.inputs.evaluation.load", None)
    monkeypatch.setattr("ranking_udfs.command.commands.load", None)
    for call in ("evaluate --output=out.csv", "report --output=out.html", "report --figures=new/charts"):
        command, output = call.split()
        said = fails(1, command, "als.csv", "relevant.csv", output)
        assert said == f"{os.getcwd()}: no permission to write there"

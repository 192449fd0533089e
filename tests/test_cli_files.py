"""What the command reads: every format, spellings of ids, TREC files; golden/files.txt has the rest."""

import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.command.values import parse_items
from tests.command import (
    HUGE,
    LATE,
    NDCG,
    NDCG_VALUES,
    Fails,
    Run,
    csv,
    emptied,
    evaluated,
    stdin,
    table,
    write,
)
from tests.conftest import Captured, Con, Patch, text_rows

pytestmark = [pytest.mark.usefixtures("registered", "folder")]


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
        rows = evaluated(run, *recs, f"copy_truth.{suffix}", "-k", "4,2", *NDCG)
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


# Of each user the grade of item a, and the scores of a and b: all behind what DuckDB looks at.
SCORED = [
    *(("0.25", "0.3", "0.4"), ("0.75", "-0.25", "-0.5"), ("1", "inf", "1e3"), ("2", "0.1", "0.2")),
    *(("true", "99999999999999999999", "7"), ("FALSE", "1", "2"), ("3", "nan", "3")),
]
NUMBER = "CASE lower({0}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE CAST({0} AS DOUBLE) END AS {0}"


def in_form(name: str, form: str, monkeypatch: Patch) -> str:
    """Write a CSV file in another form, and return what to write for it."""
    text = Path(f"{name}.csv").read_text()
    if form == "-" and name == "rec":
        stdin(monkeypatch, text.encode())
        return "-"
    if form == "parts":
        Path(name).mkdir(exist_ok=True)
        header, *lines = text.splitlines(keepends=True)
        for i, part in enumerate((lines[:0], lines[:1000], lines[1000:-1], lines[-1:])):
            Path(name, f"{i}.csv").write_text("".join([header, *part]))
        return name
    if form in ("tsv", "csv.gz"):
        content = text.replace(",", "\t").encode() if form == "tsv" else gzip.compress(text.encode())
        Path(f"{name}.{form}").write_bytes(content)
    return f"{name}.{form}" if form in ("tsv", "csv.gz", "parquet") else f"{name}.csv"


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz", "-", "parts", "python", "sql"])
def test_a_number_is_one_wherever_it_stands(run: Run, form: str, monkeypatch: Patch, of_command: Con) -> None:
    """Were the first rows to decide, fractions would be integers: all is as of a Parquet file's DOUBLEs."""
    users = [(f"u{u}", *one) for u, one in enumerate(SCORED)]
    scores = [(u, item, score) for u, _, *two in users for item, score in zip("ab", two, strict=True)]
    table("rec.csv", "userid,itemid,score", *scores, fill=LATE)
    table("truth.csv", "userid,itemid,rel", *((u, "a", grade) for u, grade, *_ in users), fill=LATE)
    for name, column in (("rec", "score"), ("truth", "rel")):
        rows = f"read_csv('{name}.csv', all_varchar = true)"
        write(f"{name}.parquet", f"SELECT userid, itemid, {NUMBER.format(column)} FROM {rows}")
    names, made = ["ndcg", "mrr", "average_precision"], []
    options = ["-m", ",".join(names), "-k", "1"]
    for one in ("parquet", form):
        files = [in_form(name, one, monkeypatch) for name in ("rec", "truth")]
        if one == "python":
            made.append(ranking_udfs.evaluate(*files, names, 1, check=False).fetchall())
        elif one == "sql":
            for statement in emptied(of_command).extract_statements(run("sql", *files, *options)):
                of_command.execute(statement)
            made.append(of_command.fetchall())
        else:
            run("evaluate", *files, *options, "--no-check", "--output", "means.csv", "--manifest")
            made.append(duckdb.read_csv("means.csv").fetchall())
            inputs = json.loads(Path("means.manifest.json").read_text())["inputs"]
            made.append([table["fingerprint"] for table in inputs])
    assert made[2:] == (made[:2] if len(made) == 4 else made[:1])
    assert made[0][0][:2] == (1, len(SCORED) + 1)


def test_parts_of_parquet_have_types_that_hold_the_values_of_all(run: Run, fails: Fails) -> None:
    Path("parts").mkdir()
    write("parts/1.parquet", "SELECT 1 AS userid, 1 AS itemid, 2 AS score, 5 AS time")
    rows = "(VALUES ('u', 'a', 0.3::DOUBLE), ('u', 'b', 0.4))"
    write("parts/2.parquet", f"SELECT *, 5.5::DOUBLE AS time FROM {rows} AS t(userid, itemid, score)")
    write("truth.parquet", "SELECT 'u' AS userid, 'b' AS itemid")
    (row,) = evaluated(run, "parts", "truth.parquet", "-k", "1", "--measures", "mrr", "--no-check")
    assert row["mrr"] == 1
    error = fails(1, "split", "parts/*.parquet", "--test-from", "5", "--output", "out")
    assert error.endswith("time must be an integer, a date or a timestamp, got 5.5; write whole numbers")
    write("parts/3.parquet", "SELECT 2 AS userid, 1 AS itemid")
    error = fails(1, "evaluate", "parts", "truth.parquet")
    assert error == "parts/3.parquet: no column 'score', which other parts have"


@pytest.mark.parametrize(("first", "late", "between", "kind"), text_rows("times of a column"))
def test_a_time_is_what_all_of_its_column_are(
    run: Run, fails: Fails, first: str, late: str, between: str, kind: str, monkeypatch: Patch
) -> None:
    """So that no hour is cut off, by which an event were in another part, or a leak no leak."""
    rows = [*[("1", "0", first)] * LATE, ("1", "9", late)]
    table("events.csv", "userid,itemid,time", *rows)
    table("early.csv", "userid,itemid,time", *rows[:-1])
    if kind == "DOUBLE":
        error = fails(1, "split", "events.csv", "--test-from", between, "--output", "out")
        rule = "events.csv: time must be an integer, a date or a timestamp"
        assert error == f"{rule}, got {float(late)}; write whole numbers"
    else:
        run("split", "events.csv", "--test-from", between, "--output", "out")
        train, test = (
            duckdb.read_csv(f"out/{part}.csv", all_varchar=True).fetchall() for part in ("train", "test")
        )
        (typed,) = duckdb.execute(f"SELECT CAST(? AS {kind})::VARCHAR", [late]).fetchall()
        assert (len(train), test) == (LATE, [("1", "9", *typed)])
    table("relevant.csv", "userid,itemid,time", ("1", "1", between), ("1", "2", late))
    for form in ("csv", "csv.gz", "parts"):
        history = in_form("events", form, monkeypatch)
        for file, count in ((history, 1), ("early.csv", 0)):
            found = run("check", "rec.csv", "relevant.csv", "--history", file, "--format", "json")
            late_rows = {row["code"]: row["example"] for row in json.loads(found)}
            if kind == "DOUBLE" and count:
                assert late_rows["unfit_column"].endswith("and DOUBLE")
            else:
                assert ("late_history" in late_rows) == bool(count)


@pytest.mark.parametrize(("column", "value", "name", "header", "row"), text_rows("no number or time"))
def test_what_is_no_number_or_time_is_named_with_its_file_and_column(
    fails: Fails, column: str, value: str, name: str, header: str, row: str, monkeypatch: Patch
) -> None:
    table("history.csv", "userid,itemid,time", ("0", "0", "0"))
    table("truth.csv", "userid,itemid,rel,time", ("1", "1", "1", "1"))
    call = ["check", "rec.csv", "truth.csv", "--history", "history.csv"]
    for form in ("csv", "parts"):
        table(name, header, tuple(row.split(",")), fill=LATE)
        path = in_form(name.removesuffix(".csv"), form, monkeypatch)
        file = "3.csv" if form == "parts" else name
        error = fails(1, *(path if one == name else one for one in call))
        assert re.match(rf"(\w+/)?{file}: {column} must be .*, got '?{re.escape(value)}'?$", error)
    Path("mine.run").write_text("1 Q0 1 1 9.5 x\n1 Q0 2 2 much x\n")
    assert fails(1, "evaluate", "mine.run", "truth.csv") == "mine.run: score must be a number, got much"


def test_an_id_is_text_if_one_of_them_is_wherever_it_stands(run: Run) -> None:
    """An empty part says nothing of it, and quotes are none of an id, if the first has none."""
    for late, first in (("x", "10"), ("10", "9")):  # the first of the tied ones, in the order of its type
        table("parts/1.csv", "userid,itemid,score")
        table("parts/2.csv", "userid,itemid,score", *[("1", "9", "1"), ("1", "10", "1")], fill=LATE)
        table("parts/3.csv", "userid,itemid,score", ("2", f'"{late}"', "1"))
        table("truth.csv", "userid,itemid", ("1", first), ("2", late))
        (row,) = evaluated(run, "parts", "truth.csv", "-k", "1", "--measures", "mrr", "--no-check")
        assert (row["users"], row["mrr"]) == (2, 1.0)


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


HEADER = "userid,itemid,score"


def bytes_of(text: str) -> bytes:
    """The content of a file of cases.txt: with its escapes, and what stands in parentheses many times."""
    lines = re.sub(r"\((.+?)\)", lambda found: found[1] * LATE, text)
    return lines.encode().decode("unicode_escape").encode("latin-1")


@pytest.mark.parametrize(("name", "text"), text_rows("dialects"))
def test_a_table_is_read_whatever_its_dialect(
    run: Run, name: str, text: str, monkeypatch: Patch, of_command: Con
) -> None:
    """By the command, from standard input and in the SQL that it prints: all are at rank 1."""
    Path(name).write_bytes(bytes_of(text))
    Path("relevant.csv").write_text('userid,itemid\n#u1,a\nu2,"b, c"\n')
    Path("relevant.qrels").write_bytes(b"u1 0 a 1\r\nu2 0 b 1\n")
    truth = "relevant.qrels" if name.endswith("run") else "relevant.csv"
    options = ["-k", "1", "-m", "recall,mrr"]
    for statement in emptied(of_command).extract_statements(run("sql", name, truth, *options)):
        of_command.execute(statement)
    assert of_command.fetchall()[0][-2:] == (1.0, 1.0)
    stdin(monkeypatch, bytes_of(text))
    for rec in (name, "-") if name.endswith("csv") else (name,):
        (row,) = evaluated(run, rec, truth, *options, "--no-check")
        assert (row["users"], row["recall"], row["mrr"]) == (2, 1.0, 1.0)


OPTIONS_OF_DUCKDB = "union_by_name|compression|strict_mode|ignore_errors|null_padding|sample_size|auto_detect"


@pytest.mark.parametrize(("name", "text", "expected"), text_rows("broken files"))
def test_the_error_of_a_broken_file_names_no_option_of_duckdb(
    fails: Fails, name: str, text: str, expected: str
) -> None:
    table("parts/1.csv", HEADER, ("u1", "a", "1"))
    Path(name).write_bytes(bytes_of(text))
    error = fails(1, "evaluate", "parts" if name.startswith("parts") else name, "truth.csv")
    assert expected in error
    assert not re.search(f"{OPTIONS_OF_DUCKDB}|files_to_sniff|encoding *=|Possible|Potential", error)


@pytest.mark.parametrize(("log", "query"), text_rows("logs of empty lists"))
def test_a_log_of_empty_lists_finds_nothing(log: str, query: str, capsys: Captured) -> None:
    """Alone, and beside a model that finds something: recall is 0, and the check says why."""
    write(log, f"{query} FROM (VALUES ('q1'), ('q2')) AS t(q)")
    table("truth.csv", "userid,itemid", ("q1", "7"), ("q2", "8"))
    table("rec.csv", "userid,itemid,score", ("q1", "7", "1"), ("q2", "8", "1"))
    for recs, expected in (([log], [0.0]), ([f"a={log}", "b=rec.csv"], [0.0, 1.0])):
        assert main(["evaluate", *recs, "truth.csv", "-k", "1", "-m", "recall", "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert [row["recall"] for row in json.loads(out)] == expected
        assert [row["users_without_rec"] for row in json.loads(out)] == [2, 0][: len(recs)]
        assert err.startswith("ranking-udfs: note: rec: the list of every user is empty: 2 of 2 (")


LISTS = {f"q{u}": [f"0{(u * i) % 17}" for i in range(1, 2 + u)] for u in range(1, 9)}
GRADES = {user: dict.fromkeys(ids[1::2], 1) for user, ids in LISTS.items()}  # none for q0 and q1
NESTED = "SELECT user, list({} ORDER BY score DESC) AS ids{} FROM 'rows.csv' GROUP BY user"
SCORES = ", list(score::DOUBLE ORDER BY score DESC) AS score"
FORMS = {
    "object.json": json.dumps(
        {user: dict(zip(ids, range(99, 0, -1), strict=False)) for user, ids in LISTS.items()}
    ),
    "pretty.json": json.dumps({"q0": [], **LISTS}, indent=1),
    "list.jsonl": "".join(json.dumps({"user": user, "ids": ids}) + "\n" for user, ids in LISTS.items()),
    "blanks.csv": "user,ids\nq0,\n" + "".join(f"{user}, {'  '.join(ids)} \n" for user, ids in LISTS.items()),
    "list.parquet": NESTED.format("itemid", ""),
    "scores.parquet": NESTED.format("itemid", SCORES),
    "scores.json": NESTED.format("itemid", SCORES),
}


@pytest.mark.parametrize("name", FORMS)
def test_lists_give_the_numbers_of_rows(run: Run, name: str) -> None:
    """Whatever end of the scores is the best: the order of a list without scores is its ranking."""
    rows = [(user, one, str(99 - at)) for user, ids in LISTS.items() for at, one in enumerate(ids)]
    table("rows.csv", "user,itemid,score", *rows)
    table("truth.csv", "user,itemid", *((user, one) for user, ids in GRADES.items() for one in ids))
    if "SELECT" in FORMS[name]:
        write(name, FORMS[name].replace("'rows.csv'", "read_csv('rows.csv', all_varchar = true)"))
    else:
        Path(name).write_text(FORMS[name])
    options = ["-m", "ndcg,mrr,recall", "-k", "2,5", "--user", "user", "--no-check"]
    expected = evaluated(run, "rows.csv", "truth.csv", *options)
    own = ["--item", f"{name}:ids"] if "object" not in name and "pretty" not in name else []
    assert evaluated(run, name, "truth.csv", *options, *own) == expected
    if not ("score" in name or "object" in name):
        assert evaluated(run, name, "truth.csv", *options, *own, "--ascending") == expected
    with duckdb.connect() as con:
        *statements, last = con.extract_statements(run("sql", name, "truth.csv", *options, *own))
        for statement in statements:
            con.execute(statement.query)
        assert [row[-3:] for row in con.execute(last.query).fetchall()] == [
            tuple(row.values())[-3:] for row in expected
        ]


TRUTHS: dict[str, Any] = {
    "object.json": {"q1": {"a": 2, "b": 0}, "q2": {"c": True, "a": False}, "q3": {}},
    "list.json": {"q1": ["a"], "q2": ["c"], "q3": []},
    "list.jsonl": [("q1", ["a"], None), ("q2", ["c"], None), ("q3", [], None), ("q3", None, None)],
    "grades.jsonl": [("q1", ["a", "b"], [2, 0]), ("q2", ["c"], [1]), ("q3", [], [])],
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_user_with_nothing_relevant_stays_in_a_truth_of_lists(run: Run, name: str, of_command: Con) -> None:
    """Recall is 1 of q1, (0 of 1) of q2, and 0 of q3, to whom nothing is relevant."""
    table("rec.csv", "query_id,itemid,score", *(("q1", "a", "2"), ("q2", "b", "2"), ("q3", "a", "1")))
    rows = TRUTHS[name]
    names = ["query_id", "itemid", "rel"][: 3 if "grades" in name else 2]
    lines = (
        [json.dumps(dict(zip(names, row, strict=False))) for row in rows]
        if "jsonl" in name
        else [json.dumps(rows)]
    )
    Path(name).write_text("\n".join(lines))
    (row,) = evaluated(run, "rec.csv", name, "-m", "recall", "-k", "1", "--no-check")
    assert (row["users"], row["users_without_relevant"], row["recall"]) == (3, 1, 1 / 3)
    assert "NULL" not in run("check", "rec.csv", name)
    for statement in emptied(of_command).extract_statements(
        run("sql", "rec.csv", name, "-m", "recall", "-k", "1")
    ):
        of_command.execute(statement)
    assert of_command.fetchall() == [tuple(row.values())]


def test_a_list_beside_a_score_is_one_item(run: Run) -> None:
    """As it was before lists of ids: in truth too, where a ranking has such items."""
    write("rec.parquet", "SELECT 1 AS userid, [i, 5] AS itemid, i AS score FROM range(3) t(i)")
    write("truth.parquet", "SELECT 1 AS userid, [1::BIGINT, 5] AS itemid")
    (row,) = evaluated(run, "rec.parquet", "truth.parquet", "-m", "mrr", "--no-check")
    assert row["mrr"] == 0.5


def test_a_user_inside_a_struct_may_have_a_list_without_scores(run: Run) -> None:
    rows = "SELECT {'user': 'u' || i} AS meta, ['d' || i, 'd9'] AS itemid FROM range(3) AS t(i)"
    write("nested.parquet", rows)
    csv("nested.csv", "userid,itemid", "u0,d0", "u1,d9", "u2,d5")
    files = ["nested.parquet", "nested.csv", "--user", "nested.parquet:meta.user"]
    (row,) = evaluated(run, *files, "-m", "mrr", "-k", "2", "--no-check")
    assert row["mrr"] == (1 + 1 / 2 + 0) / 3


def test_an_object_may_be_larger_than_buffers_of_duckdb(run: Run) -> None:
    ids = {f"{'d' * 99}{i}": 200_000 - i for i in range(200_000)}
    Path("large.json").write_text(json.dumps({"q1": ids}))
    Path("qrels.json").write_text(json.dumps({"q1": {[*ids][3]: 1}}))
    (row,) = evaluated(run, "large.json", "qrels.json", "-m", "mrr", "--no-check")
    assert row["mrr"] == 0.25


@pytest.mark.parametrize(("name", "text", "error"), text_rows("lists and objects that are refused"))
def test_what_is_no_list_or_object_is_an_error_that_says_what_to_write(
    fails: Fails, name: str, text: str, error: str
) -> None:
    csv("truth.csv", "query_id,itemid", "q1,a", *["q2,b c"] * (name == "rec.csv"))
    csv("rec.tsv", "query_id\titemid\tscore", "q1\ta\t1")
    Path(name.partition(":")[0]).write_bytes(bytes_of(text))
    files = ["rec.tsv", name] if name.startswith("truth") else [name, "truth.csv"]
    assert fails(1, "evaluate", *files) == error


def test_lists_in_the_wrong_order_are_to_be_reversed(run: Run) -> None:
    lists = {f"u{u}": [f"i{(7 * u + i) % 90}" for i in range(20)] for u in range(90)}
    Path("rec.json").write_text(json.dumps(lists))
    Path("qrels.json").write_text(json.dumps({user: ids[-2:] for user, ids in lists.items()}))
    assert "reverse the lists" in " ".join(run("check", "rec.json", "qrels.json").split())


def test_thresholds_need_scores(fails: Fails) -> None:
    Path("rec.json").write_text('{"1": [1, 2]}')
    error = fails(1, "abstention", "rec.json", "truth.csv")
    assert error == "abstention: rec must have scores, as thresholds are scores, got lists of ids without"


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


@pytest.mark.parametrize("files", [["mine.run", "mine.qrels"], ["run.json", "qrels.json"]])
def test_trec_files_and_objects_give_the_numbers_of_trec_eval(run: Run, files: list[str]) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    trec_run, qrels = trec_files()
    for name, by_topic in (("run", trec_run), ("qrels", qrels)):
        Path(f"{name}.json").write_text(json.dumps(by_topic))
    theirs = {name.removesuffix("_{}") for name in TREC_MEASURES.values()}
    expected = pytrec_eval.RelevanceEvaluator(qrels, theirs).evaluate(trec_run)
    chosen = ["-k", "5", "-k", "10", "-k", "1000", "--measures", ",".join(TREC_MEASURES)]
    given = [*files, "--ties", "trec", "--no-check", "--by-user", "topics.json"]
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


def test_permission_is_tried_before_a_file_is_read(fails: Fails, monkeypatch: Patch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("ranking_udfs.inputs.evaluation.load", None)
    monkeypatch.setattr("ranking_udfs.command.commands.load", None)
    for call in ("evaluate --output=out.csv", "report --output=out.html", "report --figures=new/charts"):
        command, output = call.split()
        said = fails(1, command, "als.csv", "relevant.csv", output)
        assert said == f"{os.getcwd()}: no permission to write there"

"""Test what the command reads: file formats, spellings of ids, times, lists, TREC files."""
# ruff: noqa: E501  (a case is a line)

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
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
from tests.conftest import Captured, Con, Patch

pytestmark = [pytest.mark.usefixtures("registered", "folder")]


def test_every_format_gives_the_same_table(run: Run) -> None:
    forms = {"parquet": "parquet", "json": "json, ARRAY", "tsv": "csv, DELIMITER '\t'"}
    suffixes = "csv", "parquet", "ndjson.gz", "tsv", "csv.gz", "json", "jsonl", "ndjson", "txt", "CSV"
    for suffix in suffixes:
        form = forms.get(suffix, "json" if "json" in suffix else "csv")
        form += ", COMPRESSION gzip" if suffix.endswith("gz") else ""
        for name in ("rec", "truth"):
            duckdb.execute(f"COPY (FROM '{name}.csv') TO 'copy_{name}.{suffix}' (FORMAT {form})")
    for suffix in suffixes[:3]:
        recs = [f"{each}=copy_rec.{each}" for each in suffixes]
        rows = evaluated(run, *recs, f"copy_truth.{suffix}", "-k", "4,2", *NDCG)
        assert [row["ndcg"] for row in rows] == pytest.approx(NDCG_VALUES * len(suffixes), rel=1e-12)


UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
SPELLINGS = [  # the format, two users, two items, and how many rows come first
    ("csv", ("1.1", "1.10"), ("1e3", "1000"), 0), ("csv", ("true", "TRUE"), ("nan", "NaN"), 0),
    ("csv", ("2024-01-01", "2024-1-1"), ("9:00", "09:00"), 0), ("csv", ("0", "-0"), ("1.", "1.0"), 0),
    ("csv", ("17446744073709551001", "17446744073709551101"), HUGE, 0),
    ("csv", ("7", "007"), ("7", " 7"), 0), ("csv", ("7", "007"), ("7", " 7"), LATE),
    ("csv", ("7", "+7"), ("7", "7 "), 0), ("csv", ("7", "+7"), ("7", "7 "), LATE),
    ("csv", ("31", "0x1F"), HUGE, LATE), ("csv", ("0", "-0"), ("1000", "1_000"), LATE),
    ("json", HUGE, ('"7"', '"007"'), 0), ("json", HUGE, ("7", '"007"'), LATE),
    ("json", ('"1.1"', '"1.10"'), ('"2024-01-01"', '"2024-1-1"'), 0),
    ("json", (f'"{UUID}"', f'"{UUID.upper()}"'), ("7", '"7.0"'), 0),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("form", "users", "items", "late"), SPELLINGS)
def test_ids_spelled_differently_are_different_ids(
    run: Run, form: str, users: tuple[str, str], items: tuple[str, str], late: int
) -> None:
    """Equal users would be one user; equal items would put the relevant one at rank 1."""
    rows = [(user, item, score) for user in users for item, score in zip(items, "21", strict=True)]
    table(f"rec.{form}", "userid,itemid,score", *rows, fill=late)
    table(f"truth.{form}", "userid,itemid", *((user, items[1]) for user in users))
    (row,) = evaluated(run, f"rec.{form}", f"truth.{form}", "--no-check", "-m", "mrr")
    assert (row["users"], row["users_without_rec"], row["mrr"]) == (2, 0, 0.5)


# For each user the grade of item a and the scores of a and b, all behind the rows that DuckDB samples.
SCORED = [
    *(("0.25", "0.3", "0.4"), ("0.75", "-0.25", "-0.5"), ("1", "inf", "1e3"), ("2", "0.1", "0.2")),
    *(("true", "99999999999999999999", "7"), ("FALSE", "1", "2"), ("3", "nan", "3")),
]
NUMBER = "CASE lower({0}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE CAST({0} AS DOUBLE) END AS {0}"


def in_form(name: str, form: str, monkeypatch: Patch) -> str:
    """Write a CSV file in another format and return the argument that names it."""
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
def test_late_fractions_are_numbers_in_every_format(
    run: Run, form: str, monkeypatch: Patch, of_command: Con
) -> None:
    """The first rows have integers only; the result must be that of a Parquet file with DOUBLEs."""
    users = [(f"u{u}", *cells) for u, cells in enumerate(SCORED)]
    scores = [(u, item, score) for u, _, *pair in users for item, score in zip("ab", pair, strict=True)]
    table("rec.csv", "userid,itemid,score", *scores, fill=LATE)
    table("truth.csv", "userid,itemid,rel", *((u, "a", grade) for u, grade, *_ in users), fill=LATE)
    for name, column in (("rec", "score"), ("truth", "rel")):
        rows = f"read_csv('{name}.csv', all_varchar = true)"
        write(f"{name}.parquet", f"SELECT userid, itemid, {NUMBER.format(column)} FROM {rows}")
    names, results, fingerprints = ["ndcg", "mrr", "average_precision"], [], []
    options = ["-m", ",".join(names), "-k", "1"]
    for each in ("parquet", form):
        files = [in_form(name, each, monkeypatch) for name in ("rec", "truth")]
        if each == "python":
            results.append(ranking_udfs.evaluate(*files, names, 1, check=False).fetchall())
        elif each == "sql":
            results.append(printed_sql(run, of_command, *files, *options))
        else:
            run("evaluate", *files, *options, "--no-check", "--output", "means.csv", "--manifest")
            results.append(duckdb.read_csv("means.csv").fetchall())
            inputs = json.loads(Path("means.manifest.json").read_text())["inputs"]
            fingerprints.append([table["fingerprint"] for table in inputs])
    assert results[0] == results[1]
    assert results[0][0][:2] == (1, len(SCORED) + 1)
    assert fingerprints[0] == fingerprints[-1]


def printed_sql(run: Run, con: Con, *arguments: str) -> list[Any]:
    """Return the rows of the last statement that `sql` prints."""
    for statement in emptied(con).extract_statements(run("sql", *arguments)):
        con.execute(statement)
    return con.fetchall()


def test_parquet_parts_share_a_type_that_fits_all(run: Run, fails: Fails) -> None:
    Path("parts").mkdir()
    write("parts/1.parquet", "SELECT 1 AS userid, 1 AS itemid, 2 AS score, 5 AS time")
    rows = "(VALUES ('u', 'a', 0.3::DOUBLE), ('u', 'b', 0.4))"
    write("parts/2.parquet", f"SELECT *, 5.5::DOUBLE AS time FROM {rows} AS t(userid, itemid, score)")
    write("truth.parquet", "SELECT 'u' AS userid, 'b' AS itemid")
    (row,) = evaluated(run, "parts", "truth.parquet", "-k", "1", "-m", "mrr", "--no-check")
    assert row["mrr"] == 1
    error = fails(1, "split", "parts/*.parquet", "--test-from", "5", "--output", "out")
    assert error.endswith("time must be an integer, a date or a timestamp, got 5.5; write whole numbers")
    write("parts/3.parquet", "SELECT 2 AS userid, 1 AS itemid")
    error = fails(1, "evaluate", "parts", "truth.parquet")
    assert error == "parts/3.parquet: no column 'score'; other parts have it"


# The first times of a column, a later time, a time between, and the type that fits all.
TIMES = [
    ("5", "7.5", "7", "DOUBLE"),
    ("5", "99999999999999999999", "7", "DOUBLE"),
    ("5", "8", "7", "BIGINT"),
    ("2026-01-01", "2026-02-01 15:00:00", "2026-02-01 12:00:00", "TIMESTAMP"),
    ("2026-01-01", "2026-02-02", "2026-02-01", "DATE"),
    ("2026-01-01 00:00:00", "2026-02-01T11:00:00-03:00", "2026-02-01 12:00:00", "TIMESTAMP WITH TIME ZONE"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("first", "late", "between", "kind"), TIMES)
def test_the_type_of_a_time_column_fits_all_rows(
    run: Run, fails: Fails, first: str, late: str, between: str, kind: str, monkeypatch: Patch
) -> None:
    """A type of the first rows alone would cut hours off, and so hide a leak or move an event."""
    rows = [*[("1", "0", first)] * LATE, ("1", "9", late)]
    table("events.csv", "userid,itemid,time", *rows)
    table("early.csv", "userid,itemid,time", *rows[:-1])
    split = ["split", "events.csv", "--test-from", between, "--output", "out"]
    if kind == "DOUBLE":
        rule = "events.csv: time must be an integer, a date or a timestamp"
        assert fails(1, *split) == f"{rule}, got {float(late)}; write whole numbers"
    else:
        run(*split)
        train, test = (duckdb.read_csv(f"out/{part}.csv", all_varchar=True) for part in ("train", "test"))
        (typed,) = duckdb.execute(f"SELECT CAST(? AS {kind})::VARCHAR", [late]).fetchall()
        assert (len(train), test.fetchall()) == (LATE, [("1", "9", *typed)])
    table("relevant.csv", "userid,itemid,time", ("1", "1", between), ("1", "2", late))
    for form in ("csv", "csv.gz", "parts", "early"):
        history = "early.csv" if form == "early" else in_form("events", form, monkeypatch)
        printed = run("check", "rec.csv", "relevant.csv", "--history", history, "--format", "json")
        examples = {row["code"]: row["example"] for row in json.loads(printed)}
        if kind == "DOUBLE" and form != "early":
            assert examples["unfit_column"].endswith("and DOUBLE")
        else:
            assert ("late_history" in examples) == (form != "early")


@pytest.mark.parametrize(
    ("column", "value", "name", "header"),
    [
        ("score", "much", "rec.csv", "userid,itemid,score"),
        ("score", "true", "rec.csv", "userid,itemid,score"),
        ("rel", "good", "truth.csv", "userid,itemid,rel"),
        ("time", "soon", "history.csv", "userid,itemid,time"),
        ("time", "01.02.2026", "history.csv", "userid,itemid,time"),
    ],
)
def test_a_wrong_number_or_time_is_reported_with_its_column(
    fails: Fails, column: str, value: str, name: str, header: str, monkeypatch: Patch
) -> None:
    table("history.csv", "userid,itemid,time", ("0", "0", "0"))
    table("truth.csv", "userid,itemid,rel,time", ("1", "1", "1", "1"))
    table(name, header, ("1", "1", value), fill=LATE)
    for form, file in (("csv", name), ("parts", "3.csv")):
        path = in_form(name.removesuffix(".csv"), form, monkeypatch)
        call = ["check", "rec.csv", "truth.csv", "--history", "history.csv"]
        error = fails(1, *(path if each == name else each for each in call))
        assert re.match(rf"(\w+/)?{file}: {column} must be .*, got '?{re.escape(value)}'?$", error)


def bytes_of(text: str) -> bytes:
    """Return the bytes of a text in which (...) is repeated 21,000 times."""
    return re.sub(r"\((.+?)\)", lambda part: part[1] * LATE, text, flags=re.DOTALL).encode("latin-1")


# A file and its text, in which #u1 has a, and u2 "b, c" and then z; (...) is repeated 21,000 times.
DIALECTS = [
    ("mixed.csv", 'userid,itemid,score\r\n#u1,a,2\nu2,"b, c",1\r\nu2,z,0.5\n'),
    ("first.csv", 'userid,itemid,score\n#u1,a,2\r\nu2,"b, c",1\r\nu2,z,0.5\r\n'),
    ("mixed.tsv", "userid\titemid\tscore\r\n#u1\ta\t2\nu2\tb, c\t1\r\nu2\tz\t0.5\n"),
    ("pipes.csv", 'userid|itemid|score\r\n#u1|a|2\nu2|"b, c"|1\r\nu2|z|0.5\n'),
    ("comment.csv", '# by x\n# y, z\nuserid,itemid,score\n#u1,a,2\nu2,"b, c",1\nu2,z,0.5\n'),
    ("short.csv", 'userid,itemid,score,note\n#u1,a,2\nu2,"b, c",1,x\nu2,z,0.5\n'),
    ("colons.csv", "userid::itemid::score\n#u1::a::2\nu2::b, c::1\nu2::z::0.5\n"),
    ("late.csv", 'userid,itemid,score\n(0,0,1\n)#u1,a,2\r\nu2,"b, c",1\nu2,z,0.5\n'),
    ("short_late.csv", 'userid,itemid,score,note\n(0,0,1,\n)#u1,a,2\nu2,"b, c",1\nu2,z,0.5\n'),
    ("mixed.run", "u1 Q0 a 1 2 x\r\nu2 Q0 b 1 1 x\nu2 Q0 z 2 0.5 x\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), DIALECTS)
def test_csv_files_of_every_dialect_are_read(
    run: Run, name: str, text: str, monkeypatch: Patch, of_command: Con
) -> None:
    """The command, standard input and the printed SQL find all relevant items at rank 1."""
    Path(name).write_bytes(bytes_of(text))
    Path("relevant.csv").write_text('userid,itemid\n#u1,a\nu2,"b, c"\n')
    Path("relevant.qrels").write_bytes(b"u1 0 a 1\r\nu2 0 b 1\n")
    truth = "relevant.qrels" if name.endswith("run") else "relevant.csv"
    options = ["-k", "1", "-m", "recall,mrr"]
    assert printed_sql(run, of_command, name, truth, *options)[0][-2:] == (1.0, 1.0)
    stdin(monkeypatch, bytes_of(text))
    for rec in (name, "-") if name.endswith("csv") else (name,):
        (row,) = evaluated(run, rec, truth, *options, "--no-check")
        assert (row["users"], row["recall"], row["mrr"]) == (2, 1.0, 1.0)


@pytest.mark.parametrize("name", ["commas.csv", "mixed.csv", "colons.csv"])
def test_an_empty_value_is_no_item(run: Run, name: str) -> None:
    """It takes up the first rank, and matches no other empty value, however the file is read."""
    delimiter = "::" if name == "colons.csv" else ","
    for file, lines in (
        (name, ["userid,itemid,score", "1,,2", "1,a,1"]),
        ("truth.csv", ["userid,itemid", "1,", "1,a"]),
    ):
        ends = ("\r\n" if name == "mixed.csv" and i == 0 else "\n" for i in range(3))
        text = "".join(line + end for line, end in zip(lines, ends, strict=True))
        Path(file).write_bytes(text.replace(",", delimiter).encode())
    (row,) = evaluated(run, name, "truth.csv", "--no-check", "-m", "mrr,recall", "-k", "2")
    assert (row["mrr"], row["recall"]) == (0.5, 1)


OPTIONS_OF_DUCKDB = "union_by_name|compression|strict_mode|ignore_errors|null_padding|sample_size|auto_detect"
BROKEN = [  # a file, its text, and words of the error
    ("long.csv", "userid,itemid,score\nu1,a,2,9\nu2,b,1\n", "a line must be 3 values"),
    ("half_quoted.csv", 'userid,itemid,score\r\nu1,"a"b,2\nu2,b,1\r\n', "or quoted whole, got u1,"),
    ("open.csv", 'userid,itemid,score\r\nu1,"a,2\nu2,b,1\r\n', "or quoted whole, got u1,"),
    ("spaces.csv", "userid itemid score\nu1 a 2\n", "; write one of ','"),
    ("again.csv", "userid,itemid,score\r\nu1,a,2\nuserid,itemid,score\nu2,b,1\n", "score must be a number, got score"),
    ("two.csv", "userid,userid,score\r\nu1,a,2\nu1,b,1\r\n", "must have different names"),
    ("latin.csv", "userid,itemid,score\nu1,caf\xe9,2\n", "utf-8"),
    ("wide.csv", "userid,itemid,score\n(u,a,1\n)u,a,1,2\n", "a line must be 3 values"),
    ("parts/2.csv", "userid,itemid\nu1,a\n", '"score" is missing'),
    ("bad.jsonl", '{"userid": 1, "itemid": 1, "score": 1}\n{"userid": 1, "itemid": 1, "score": "x"}\n', "x"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), BROKEN)
def test_errors_of_broken_files_name_no_duckdb_option(
    fails: Fails, name: str, text: str, expected: str
) -> None:
    table("parts/1.csv", "userid,itemid,score", ("u1", "a", "1"))
    Path(name).write_bytes(bytes_of(text))
    error = fails(1, "evaluate", "parts" if name.startswith("parts") else name, "truth.csv")
    assert expected in error
    assert not re.search(f"{OPTIONS_OF_DUCKDB}|files_to_sniff|encoding *=|Possible|Potential", error)


EMPTY = [  # a file, and its columns for each query q
    ("log.jsonl", "SELECT q AS query_id, [] AS results"),
    ("null.jsonl", "SELECT q AS query_id, NULL AS results"),
    ("two.jsonl", "SELECT q AS query_id, [] AS results, ['a'] AS tags"),
    ("typed.parquet", "SELECT q AS query_id, []::STRUCT(chunk_id VARCHAR, score DOUBLE)[] AS results"),
    ("null.parquet", "SELECT q AS query_id, NULL::INTEGER[] AS results"),
]  # fmt: skip


@pytest.mark.parametrize(("log", "query"), EMPTY)
def test_a_log_of_empty_lists_has_recall_0(log: str, query: str, capsys: Captured) -> None:
    """Recall is 0 for the model alone and next to a better one, and the check reports why."""
    write(log, f"{query} FROM (VALUES ('q1'), ('q2')) AS t(q)")
    csv("truth.csv", "userid,itemid", "q1,7", "q2,8")
    csv("rec.csv", "userid,itemid,score", "q1,7,1", "q2,8,1")
    for recs, expected in (([log], [(0.0, 2)]), ([f"a={log}", "b=rec.csv"], [(0.0, 2), (1.0, 0)])):
        assert main(["evaluate", *recs, "truth.csv", "-k", "1", "-m", "recall", "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert [(row["recall"], row["users_without_rec"]) for row in json.loads(out)] == expected
        assert err.startswith("ranking-udfs: error: rec: the list of every user is empty: 2 of 2 (")


LISTS = {f"q{u}": [f"0{(u * i) % 17}" for i in range(1, 2 + u)] for u in range(1, 9)}
GRADES = {user: dict.fromkeys(ids[1::2], 1) for user, ids in LISTS.items()}  # none for q0 and q1
NESTED = "SELECT user, list({} ORDER BY score DESC) AS ids{} FROM 'rows.csv' GROUP BY user"
SCORES = ", list(score::DOUBLE ORDER BY score DESC) AS score"
FORMS = {
    "object.json": json.dumps({user: dict(zip(ids, range(99, 0, -1), strict=False)) for user, ids in LISTS.items()}),
    "pretty.json": json.dumps({"q0": [], **LISTS}, indent=1),
    "list.jsonl": "\n".join(json.dumps({"user": user, "ids": ids}) for user, ids in LISTS.items()),
    "blanks.csv": "user,ids\nq0,\n" + "".join(f"{user}, {'  '.join(ids)} \n" for user, ids in LISTS.items()),
    "list.parquet": NESTED.format("itemid", ""),
    "scores.parquet": NESTED.format("itemid", SCORES),
    "scores.json": NESTED.format("itemid", SCORES),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_lists_give_the_same_measures_as_rows(run: Run, name: str, of_command: Con) -> None:
    """The order of a list without scores is its ranking, even with --ascending."""
    rows = [(user, item, str(99 - i)) for user, ids in LISTS.items() for i, item in enumerate(ids)]
    table("rows.csv", "user,itemid,score", *rows)
    table("truth.csv", "user,itemid", *((user, item) for user, ids in GRADES.items() for item in ids))
    if "SELECT" in FORMS[name]:
        write(name, FORMS[name].replace("'rows.csv'", "read_csv('rows.csv', all_varchar = true)"))
    else:
        Path(name).write_text(FORMS[name])
    options = ["truth.csv", "-m", "ndcg,mrr,recall", "-k", "2,5", "--user", "user"]
    expected = evaluated(run, "rows.csv", *options, "--no-check")
    own = ["--item", f"{name}:ids"] if "object" not in name and "pretty" not in name else []
    assert evaluated(run, name, *options, *own, "--no-check") == expected
    if not ("score" in name or "object" in name):
        assert evaluated(run, name, *options, *own, "--no-check", "--ascending") == expected
    assert printed_sql(run, of_command, name, *options, *own) == [tuple(row.values()) for row in expected]


TRUTHS: dict[str, Any] = {
    "object.json": {"q1": {"a": 2, "b": 0}, "q2": {"c": True, "a": False}, "q3": {}},
    "list.json": {"q1": ["a"], "q2": ["c"], "q3": []},
    "list.jsonl": [("q1", ["a"], None), ("q2", ["c"], None), ("q3", [], None), ("q3", None, None)],
    "grades.jsonl": [("q1", ["a", "b"], [2, 0]), ("q2", ["c"], [1]), ("q3", [], [])],
    "objects.jsonl": [("q1", [{"itemid": "a"}]), ("q2", [{"itemid": "c"}]), ("q3", []), ("q3", None)],
    "graded_objects.jsonl": [
        *(("q1", [{"itemid": "a", "rel": 2}]), ("q2", [{"itemid": "c", "rel": 1}]), ("q3", [])),
    ],
}


@pytest.mark.parametrize("name", TRUTHS)
def test_users_without_relevant_items_stay_in_truth_lists(run: Run, name: str, of_command: Con) -> None:
    """Recall is 1 for q1, 0 for q2, and 0 for q3, which has no relevant items."""
    csv("rec.csv", "query_id,itemid,score", "q1,a,2", "q2,b,2", "q3,a,1")
    rows = TRUTHS[name]
    names = ["query_id", "items" if "objects" in name else "itemid", "rel"][: 2 + ("grades" in name)]
    objects = [dict(zip(names, row, strict=False)) for row in rows] if "jsonl" in name else [rows]
    Path(name).write_text("\n".join(map(json.dumps, objects)))
    options = ["rec.csv", name, "-m", "recall", "-k", "1"]
    (row,) = evaluated(run, *options, "--no-check")
    assert (row["users"], row["users_without_relevant"], row["recall"]) == (3, 1, 1 / 3)
    assert "NULL" not in run("check", "rec.csv", name)
    assert printed_sql(run, of_command, *options) == [tuple(row.values())]


def test_a_list_with_a_score_is_one_item(run: Run) -> None:
    """The same is true of truth if the ranking has such items."""
    write("rec.parquet", "SELECT 1 AS userid, [i, 5] AS itemid, i AS score FROM range(3) t(i)")
    write("truth.parquet", "SELECT 1 AS userid, [1::BIGINT, 5] AS itemid")
    (row,) = evaluated(run, "rec.parquet", "truth.parquet", "-m", "mrr", "--no-check")
    assert row["mrr"] == 0.5


@pytest.mark.slow
def test_a_json_object_may_exceed_duckdbs_buffer(run: Run) -> None:
    ids = {f"{'d' * 999}{i}": 20_000 - i for i in range(20_000)}
    Path("large.json").write_text(json.dumps({"q1": ids}))
    Path("qrels.json").write_text(json.dumps({"q1": {[*ids][3]: 1}}))
    (row,) = evaluated(run, "large.json", "qrels.json", "-m", "mrr", "--no-check")
    assert row["mrr"] == 0.25


def judgments(query: str, item: str, *grades: object) -> list[dict[str, Any]]:
    ratings = [{"_index": "i", item: name, "rating": grade} for name, grade in zip("ab", grades, strict=True)]
    return [{query: "2026-01-02", "request": {"query": {"x": [1]}}, "ratings": ratings}]


OF_OPENSEARCH = {"name": "n", "judgmentRatings": judgments("query", "docId", "0.000", "1.000")}
EXPORTS = [
    ({"requests": judgments("id", "_id", 0, 1), "metric": {"recall": {"k": 20}}}, "id", "_id"),
    (OF_OPENSEARCH, "query", "docId"),
    (
        {"took": 1, "_shards": {"n": 1}, "hits": {"hits": [{"_id": "x", "_source": OF_OPENSEARCH}]}},
        "query",
        "docId",
    ),
]


@pytest.mark.parametrize(("export", "user", "item"), EXPORTS)
def test_judgments_of_search_engines_are_read(run: Run, export: object, user: str, item: str) -> None:
    csv("rec.csv", "userid,itemid,score", "2026-01-02,a,2", "2026-01-02,b,1", "2026-1-2,b,1")
    Path("truth.json").write_text(json.dumps(export))
    named = f"--user rec.csv:userid,truth.json:{user} --item rec.csv:itemid,truth.json:{item} --grade rating"
    for names in ([], named.split()):
        (row,) = evaluated(run, "rec.csv", "truth.json", "--no-check", "-m", "mrr", *names)
        assert (row["users"], row["mrr"]) == (1, 0.5)


# A file, its text and the error, in which OBJECT means the two forms of objects that are read.
OBJECT = "{user: {item: number}} or {user: [item, ...]}"
REFUSED = [
    ("rec.json", '{"default": {"test": {"q1": {"a": 1}}}, "meta": {"name": "x"}}', "rec.json: must be OBJECT, got an object at 'default': write the object inside to a file of its own"),
    ("rec.json", '{"q1": {"a": "x"}}', "rec.json: score must be a number, got x"),
    ("rec.json", '{"q1": {"a": 1}, "q2": null}', "rec.json: must be OBJECT, got null at 'q2'"),
    ("rec.json", '{"q1": {"a": 1}, "q2": []}', "rec.json: must be OBJECT, got a list at 'q2'"),
    ("rec.json", '{"q1": {"a": true}}', "rec.json: must be OBJECT, got true or false at 'q1'"),
    ("rec.json", '{"q1": [["a", 1]]}', "rec.json: must be OBJECT, got a list at 'q1'"),
    ("rec.json", '{"q1": [1.10]}', "rec.json: must be OBJECT, got a number with a point at 'q1'"),
    ("rec.json", '{"q1": {"a": 1, "a": 2}}', "rec.json: each user, and each item of a user, must be one key of its object, got one twice"),
    ("truth.json", '{"q1": {"a": 1}, "q1": {"b": 1}}', "truth.json: each user, and each item of a user, must be one key of its object, got one twice"),
    ("rec.json", '{"userid": {"0": 1, "1": 1}, "itemid": {"0": 5, "1": 7}}', "rec.json: an object of columns: write rows, as pandas' to_json(orient='records') does"),
    ("truth.json", '{"a": [{"qid": "q1", "b": [{"doc": "a"}]}]}', "truth.json: no column 'userid' and no column 'itemid' (there are: qid, b.doc); write --user truth.json:qid, --item truth.json:doc"),
    ("truth.json", '{"userid": "q1", "items": [{"itemid": "a", "judged": "1"}, {"itemid": "b", "judged": "0"}]}', "truth.json: has a column judged that is not read: --grade judged takes it as the grade; --grade '' makes every row of truth relevant"),
    ("truth.csv", "query_id,itemid,rel\nq1,a,3\nq1,b,\n", "truth: rel is NULL: 1 of 2 (truth.csv), for example query_id q1, itemid b"),
    ("rec.json:ascending", '{"q1": ["a"]}', "rec.json: the order of its ids is their ranking; remove :ascending"),
    ("rec.jsonl", '{"query_id": "q1", "itemid": ["a", "b"], "score": [1]}', "rec.jsonl: itemid and score must be lists of the same length, got 2 and 1"),
    ("rec.jsonl", '{"query_id": "q1", "itemid": [["a", 1], ["b", 2]]}', "rec.jsonl: 'itemid' must be a list of ids, or of objects with an id and a score, got JSON[][]"),
    ("rec.jsonl", '{"query_id": "q1", "itemid": ["a"], "similarity": [1]}', "rec.jsonl: no column 'score' (there are: query_id, itemid, similarity); write --score similarity"),
    ("rec.jsonl", '{"query_id": "q1", "found": ["a"], "k": 1}', "rec.jsonl: no column 'itemid' (there are: query_id, found, k); write --item rec.jsonl:found"),
    ("rec.csv", "query_id,prediction\nq1,a b\n", "rec.csv: no column 'itemid' (there are: query_id, prediction); write --item rec.csv:prediction"),
    ("rec.csv", "query_id,itemid\nq1,a b\n", "truth.csv: must have a row for each id, since rec.csv has blanks between ids, got 'b c'"),
    ("rows.csv", "query_id,itemid\nq1,a b\nq1,c\n", "rows.csv: without scores, each user must have one list of ids, got several of 'q1'"),
    ("rec.jsonl", '{"query_id": "q1", "itemid": ["a"]} {"query_id": "q1", "itemid": ["b"]}', "rec.jsonl: without scores, each user must have one list of ids, got several of 'q1'"),
    ("rec.jsonl", '{"query_id": "q1", "itemid": ["a"], "seed": 1} {"query_id": "q1", "itemid": ["b"], "seed": 2}', "rec.jsonl: has a column seed that is not read, and would make one list of several runs: as --system, name a column with system/seed (then take the mean of each user's runs); --system '' if each user has one list"),
    ("rec.csv", "query_id,itemid\nq1,\"['a', 'b']\"\n", "rec.csv: itemid must be ids with nothing but blanks between them, or a list of JSON or Parquet, got \"['a', 'b']\""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "error"), REFUSED)
def test_wrong_lists_and_objects_are_errors_with_advice(
    fails: Fails, name: str, text: str, error: str
) -> None:
    csv("truth.csv", "query_id,itemid", "q1,a", *["q2,b c"] * (name == "rec.csv"))
    csv("rec.tsv", "query_id\titemid\tscore", "q1\ta\t1")
    Path(name.partition(":")[0]).write_text(text)
    files = ["rec.tsv", name] if name.startswith("truth") else [name, "truth.csv"]
    assert fails(1, "evaluate", *files) == error.replace("OBJECT", OBJECT)


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_a_trec_file_of_another_ending_is_read_after_the_advice(run: Run, fails: Fails, blank: str) -> None:
    Path("run.tsv").write_text("q Q0 a 1 .9 x\nq Q0 b 2 .8 x\n".replace(" ", blank))
    Path("labels.csv").write_text("q 0 b 1\n".replace(" ", blank))
    error = fails(1, "evaluate", "run.tsv", "labels.csv")
    truth, rec = re.findall("write (\\S+:trec) to read it as TREC", error)
    (row,) = evaluated(run, rec, truth, "-m", "mrr")
    assert row["mrr"] == 0.5
    assert "would overwrite labels.csv" in fails(1, "evaluate", rec, truth, "--output", "labels.csv")
    assert ranking_udfs.evaluate(rec, truth, "mrr").fetchall()[0][-1] == 0.5
    assert "trec" not in fails(1, "evaluate", "rec.csv", "truth.csv", "--users", "labels.csv")


def test_write_permission_is_checked_before_reading(fails: Fails, monkeypatch: Patch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr("ranking_udfs.inputs.evaluation.load", None)
    monkeypatch.setattr("ranking_udfs.command.commands.load", None)
    for call in ("evaluate --output=out.csv", "report --output=out.html", "report --figures=new/charts"):
        command, output = call.split()
        error = fails(1, command, "als.csv", "relevant.csv", output)
        assert error == f"{os.getcwd()}: no permission to write there"

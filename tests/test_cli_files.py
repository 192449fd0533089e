"""What the command reads: files in every format, ids as they are written, databases, models, TREC files."""

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.command import (
    DOCUMENTS,
    HUGE,
    LATE,
    NDCG,
    REC,
    TRUTH,
    Fails,
    K,
    Run,
    cells,
    evaluated,
    slow,
    stdin,
    table,
    write,
)

pytestmark = [pytest.mark.oldest, pytest.mark.usefixtures("registered", "folder")]

# --- Input ---


@pytest.mark.parametrize(
    "suffix", ["csv", "parquet", "ndjson.gz", *slow("tsv", "csv.gz", "json", "jsonl", "ndjson", "txt", "CSV")]
)
def test_every_format_gives_the_same_table(run: Run, suffix: str) -> None:
    forms = {"parquet": "parquet", "json": "json, ARRAY", "tsv": "csv, DELIMITER '\t'"}
    form = forms.get(suffix, "json" if "json" in suffix else "csv")
    compression = ", COMPRESSION gzip" if suffix.endswith("gz") else ""
    with duckdb.connect() as con:
        for name in ("rec", "truth"):
            con.execute(f"COPY (FROM '{name}.csv') TO 'copy_{name}.{suffix}' (FORMAT {form}{compression})")
    found = cells(run("evaluate", f"copy_rec.{suffix}", f"copy_truth.{suffix}", *K, *NDCG))
    assert found["NDCG"] == DOCUMENTS["NDCG"]


@pytest.mark.parametrize("name", ["~rec.csv", "~rec.parquet", "~/rec.csv"])
def test_a_name_with_a_tilde_is_a_file_here_if_there_is_one(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with duckdb.connect() as con:
        con.execute("COPY (FROM 'rec.csv') TO './~rec.parquet'")
    Path("~rec.csv").write_text(REC)
    (folder / "home").mkdir()
    (folder / "home/rec.csv").write_text(REC)
    monkeypatch.setenv("HOME", str(folder / "home"))
    assert run("evaluate", name, "truth.csv", *NDCG) == run("evaluate", "rec.csv", "truth.csv", *NDCG)


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
def test_ids_that_are_written_differently_differ(
    run: Run, form: str, one: str, other: str, late: int
) -> None:
    """Were users one, there would be one; were items one, the other would stand at rank 1."""
    rows = [(user, item, score) for user in (one, other) for item, score in ((one, "2"), (other, "1"))]
    table(f"rec.{form}", "userid,itemid,score", *rows, fill=late)
    table(f"truth.{form}", "userid,itemid", (one, other), (other, other))
    (row,) = evaluated(run, f"rec.{form}", f"truth.{form}", "--no-check", "--measures", "mrr")
    assert (row["users"], row["users_without_rec"], row["mrr"]) == (2, 0, 0.5)


@pytest.mark.parametrize("users", [HUGE, ("2024-01-01", "2024-01-02"), ("1.5", "10.5"), ("false", "true")])
def test_ids_that_are_no_plain_integers_are_text(
    run: Run, of_command: duckdb.DuckDBPyConnection, users: tuple[str, ...]
) -> None:
    table("rec.csv", "userid,itemid,score", *((user, "1", "1") for user in users))
    table("truth.csv", "userid,itemid", *((user, "1") for user in users))
    run("evaluate", "rec.csv", "truth.csv", "--by-user", "users.parquet", *NDCG)
    assert of_command.execute("SELECT userid FROM 'users.parquet'").fetchall() == [(user,) for user in users]


def test_numbers_in_json_that_duckdb_would_write_anew_are_no_ids(fails: Fails) -> None:
    for late in (0, LATE):
        table("rec.json", "userid,itemid,score", ("1", "1.10", "1"), ("1", "1.1", "2"), fill=late)
        error = fails(1, "evaluate", "rec.json", "truth.csv")
        assert "rec.json: itemid must be text or an integer, got the number 1.1" in error


@pytest.mark.parametrize("kinds", ["csv csv", "csv json", "json csv"])
def test_an_id_that_is_text_in_one_text_file_is_text_in_all(run: Run, kinds: str) -> None:
    rec, truth = kinds.split()
    table(f"r.{rec}", "userid,itemid,score", ("1", "7", "2"), ("1", "8", "1"))
    text = "007" if truth == "csv" else '"007"'
    table(f"t.{truth}", "userid,itemid", ("1", text), ("1", "8"))
    (row,) = evaluated(run, f"r.{rec}", f"t.{truth}", "--no-check")
    assert (row["mrr"], row["recall"]) == (0.5, 0.5)
    segments = ["--segment", "users.csv:country", "--measures", "mrr", "--no-check"]
    table("users.csv", "userid,country", ("01", "SE"))
    rows = evaluated(run, f"r.{rec}", f"t.{truth}", *segments)
    assert [row["segment"] for row in rows] == ["(all)", "(none)"]
    table("users.csv", "userid,country", ("1", "SE"), ("01", "DE"))
    rows = evaluated(run, f"r.{rec}", f"t.{truth}", *segments)
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
def test_ids_of_a_text_file_have_the_type_of_the_parquet_file(
    run: Run, fails: Fails, typed: str, text: str, got: Any
) -> None:
    write("rec.parquet", f"SELECT 1 AS userid, {typed} AS itemid, 1 AS score")
    table("truth.csv", "userid,itemid", ("1", text))
    arguments = ["rec.parquet", "truth.csv", "--no-check", "--measures", "recall"]
    if isinstance(got, str):
        assert fails(1, "evaluate", *arguments) == f"itemid must be of one type, got {got}"
    else:
        (row,) = evaluated(run, *arguments)
        assert row["recall"] == (1.0 if got is None else got)


def test_models_and_segments_are_called_what_is_written(run: Run) -> None:
    written = [("1", "1", "1", system) for system in ("1.1", "1.10", "2024-1-1")]
    table("rec.csv", "userid,itemid,score,system", *written)
    table("users.csv", "userid,segment", ("1", "TRUE"), ("1", "true"))
    rows = evaluated(
        run, "rec.csv", "truth.csv", "--segment", "users.csv:segment", "--no-check", "--measures", "mrr"
    )
    assert {row["system"] for row in rows} == {"1.1", "1.10", "2024-1-1"}
    assert {row["segment"] for row in rows} == {"(all)", "(none)", "TRUE", "true"}


def test_folders_are_columns_too(run: Run) -> None:
    for form in ("csv", "json"):
        for day in ("2024-01-01", "2024-1-1"):
            Path(f"{form}/userid={day}").mkdir(parents=True)
            table(f"{form}/userid={day}/rec.{form}", "itemid,score", ("1", "1"))
        table("truth.csv", "userid,itemid", ("2024-01-01", "1"), ("2024-1-1", "2"))
        (row,) = evaluated(run, f"{form}/*/rec.{form}", "truth.csv", "--no-check")
        assert (row["users"], row["users_without_rec"], row["recall"]) == (2, 0, 0.5)


def test_folders_are_read_with_all_their_files_and_partitions(
    run: Run, fails: Fails, of_command: duckdb.DuckDBPyConnection
) -> None:
    """A partition is called what its folder is called: 1.10 is no number."""
    query = (
        "FROM 'rec.csv' SELECT '1.10' AS system, * UNION ALL FROM 'rec.csv' SELECT 'b', * WHERE userid < 3"
    )
    of_command.execute(f"COPY ({query}) TO 'lists' (FORMAT parquet, PARTITION_BY (system))")
    Path("lists/_SUCCESS").touch()
    rows = evaluated(run, "lists", "truth.csv", "--no-check", "-m", "mrr")
    assert [(row["system"], row["mrr"]) for row in rows] == [("1.10", 1.0), ("b", pytest.approx(2 / 3))]
    assert rows == evaluated(run, "lists/*/*.parquet", "truth.csv", "--no-check", "-m", "mrr")
    Path("te[x]t").mkdir()
    Path("te[x]t/part.csv.gz").write_bytes(gzip.compress(REC.encode()))
    assert run("evaluate", "te[x]t", "truth.csv", *NDCG) == run("evaluate", "rec.csv", "truth.csv", *NDCG)
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


def test_standard_input_is_a_file(run: Run, fails: Fails, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which the check of the data reads too."""
    expected = run("evaluate", "rec.csv", "truth.csv", "-m", "ndcg")
    write("rec.parquet", "FROM 'rec.csv'")
    write("rec.json", "FROM 'rec.csv'")
    Path("rec.gz").write_bytes(gzip.compress(REC.encode()))
    for form in ("csv", "gz", "parquet", "json"):
        stdin(monkeypatch, Path(f"rec.{form}").read_bytes())
        assert run("evaluate", "-", "truth.csv", "-m", "ndcg") == expected
    stdin(monkeypatch, TRUTH.encode())
    assert run("evaluate", "rec.csv", "-", "-m", "ndcg") == expected
    stdin(monkeypatch, REC.encode())
    script = run("sql", "a=-", "truth.csv")
    assert "FROM read_csv('/dev/stdin', " in script
    for content, arguments, said in (
        (b"", ["-", "truth.csv"], "-: no rows"),
        (
            b"user,score\n1,1\n",
            ["-", "truth.csv"],
            "-: no column 'userid' and no column 'itemid' (there are: user, score)",
        ),
        (REC.encode() + b"1,1,much\n", ["-", "truth.csv"], "-: Conversion Error: CSV Error on Line: 14"),
        (b"", ["-", "-"], "-: standard input can be read once, got it twice"),
    ):
        stdin(monkeypatch, content)
        error = fails(1, "evaluate", *arguments)
        assert error.startswith(said)
        assert "/stdin" not in error


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


# --- Databases ---


@pytest.fixture
def database() -> str:
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


def test_tables_of_a_database_stand_for_files(run: Run, database: str) -> None:
    expected = run("evaluate", "rec.csv", "truth.csv", "-m", "mrr", "--no-check")
    before = Path(database).read_bytes()
    quoted = 'sales."what\'s bought"'
    for rec, truth in (
        ("lists", "bought"),
        ("main.REC", quoted),
        ("shop.rec", f"Shop.{quoted}"),
        ("rec.csv", "shop.main.truth"),
    ):
        assert run("evaluate", "--database", database, rec, truth, "-m", "mrr", "--no-check") == expected
    arguments = ["a=rec", "b=turned", "truth", "--segment", "users:country", "-m", "mrr", "--no-check"]
    arguments += ["--database", database]
    rows = evaluated(run, *arguments)
    assert {(row["system"], row["segment"], row["mrr"]) for row in rows} == {
        (system, segment, value)
        for system, value in (("a", 1.0), ("b", 0.5))
        for segment in ("(all)", "(none)", "SE")
    }
    assert "unclear whether b or a is better in MRR@10: they differ by -0.5 (-50 %)" in run(
        "compare", "--explain", *arguments, "--baseline", "a"
    )
    Path("lists").mkdir()  # a name that a table has before it
    parts = ["--parts", "lists", "turned", "truth", "--database", database, "-m", "mrr", "--no-check"]
    assert cells(run("evaluate", *parts, "--output", "-"))["MRR"] == ["1.0"]
    assert Path(database).read_bytes() == before


@pytest.mark.slow
def test_a_database_with_the_pack_in_it_is_read_too(run: Run, database: str) -> None:
    run("install", database)
    os.rename(database, "temp.duckdb")  # a name that is DuckDB's own
    expected = run("evaluate", "rec.csv", "truth.csv", *NDCG)
    assert run("evaluate", "--database", "temp.duckdb", "rec", "truth", *NDCG) == expected


# --- Scores and grades ---


@pytest.mark.parametrize(
    "kind",
    ["UTINYINT", "HUGEINT", "DECIMAL(5, 1)", "FLOAT", "BOOLEAN", "csv", "json"],
)
def test_a_grade_is_a_number_or_true(run: Run, kind: str) -> None:
    file = f"truth.{kind}" if kind in ("csv", "json") else "truth.parquet"
    if file == "truth.parquet":
        write(file, f"SELECT * FROM (VALUES (1, 1, 0::{kind}), (1, 3, 1::{kind})) t(userid, itemid, rel)")
    else:
        table(file, "userid,itemid,rel", ("1", "1", "false"), ("1", "3", "true"))
    (row,) = evaluated(run, "rec.csv", file, "--no-check", "--measures", "mrr,dcg")
    assert (row["mrr"], row["dcg"]) == (0.5, pytest.approx(1 / 1.584962500721156))  # log2(3)


def test_scores_beyond_every_integer_are_numbers(run: Run) -> None:
    table("rec.csv", "userid,itemid,score", ("1", "9", "1"), ("1", "1", str(10**45)))  # sniffed as BIGNUM
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check")
    assert row["mrr"] == pytest.approx(1 / 3)


def test_scores_in_json_are_not_rounded(run: Run) -> None:
    """DuckDB alone takes them for integers, as those in its sample are."""
    table("rec.json", "userid,itemid,score", ("1", "1", "1.2"), ("1", "9", "1.4"), fill=LATE)
    table("truth.json", "userid,itemid,rel", ("1", "1", "0.25"), ("1", "8", "0.5"), fill=LATE)
    run(
        "evaluate",
        *["rec.json", "truth.json", "--by-user", "by.json", "--measures", "mrr,ideal_dcg", "--no-check"],
    )
    found = {row["userid"]: row for row in json.loads(Path("by.json").read_text())}
    assert found[1]["mrr"] == 0.5
    assert found[1]["ideal_dcg"] == pytest.approx(2**0.5 - 1 + (2**0.25 - 1) / 1.584962500721156)


def test_empty_scores_are_numbers_too(run: Run) -> None:
    Path("rec.csv").write_text("userid,itemid,score\n1,1,\n1,2,\n")
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check")
    assert row["users_without_rec"] == 2


# --- Several models ---


@pytest.mark.parametrize("form", ["csv", "parquet", "json", "run"])
def test_parts_are_one_table(run: Run, form: str) -> None:
    Path("part").mkdir()
    for user in (1, 2, 3):
        if form == "run":
            lines = [
                f"{user} Q0 {item} 1 {score} mine\n" for item, score in ((1, 10), (3, 8), (2, 6), (6, 2))
            ]
            Path(f"part/{user}.run").write_text("".join(lines))
        else:
            write(f"part/{user}.{form}", f"FROM 'rec.csv' WHERE userid = {user}")
    parts = [f"part/{user}.{form}" for user in (1, 2, 3)]
    expected = run("evaluate", "rec.csv", "truth.csv", *NDCG)
    assert run("evaluate", "--parts", *parts, "truth.csv", *NDCG) == expected
    text = run("evaluate", *(f"a={part}" for part in parts), "b=rec.csv", "truth.csv", "--parts", *NDCG)
    assert cells(text)["NDCG"] == [DOCUMENTS["NDCG"][0]] * 2
    if form == "parquet":
        assert (
            run("evaluate", "part", "truth.csv", *NDCG)
            == run("evaluate", "part/", "truth.csv", *NDCG)
            == expected
        )


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_no_name_means_two_models_or_segments(fails: Fails, form: str) -> None:
    rule = "may be called (none){}, as in the results others are, got "
    write(f"named.{form}", "SELECT *, CASE itemid WHEN 1 THEN '(none)' END AS system FROM 'rec.csv'")
    for command in ("evaluate", "compare"):
        error = fails(1, command, f"named.{form}", "truth.csv")
        assert error.endswith(f"named.{form}: no system {rule.format('')}(none)")
    for word in ("(none)", "(all)"):
        write(f"users.{form}", f"SELECT 1 AS userid, '{word}' AS country")
        error = fails(1, "evaluate", "rec.csv", "truth.csv", "--segment", f"users.{form}:country")
        assert error.endswith(f"users.{form}: no segment {rule.format(' or (all)')}{word}")


def test_a_path_with_an_equals_sign_is_a_path(run: Run) -> None:
    for name in ("a=b.csv", "k=1/rec.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(REC)
        assert cells(run("evaluate", name, "truth.csv", *NDCG))["Ranking measure"] == ["top-10"]


# --- TREC files ---


def trec_files(seed: int = 7) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run with ties and unjudged documents, and qrels; topics are missing on either side."""
    draw = random.Random(seed)
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
    run_lines = [
        f"{topic} Q0 {document}\t{rank}  {score!r} mine\n"
        for topic, documents in run.items()
        for rank, (document, score) in enumerate(documents.items())
    ]
    Path("mine.run").write_text("".join(run_lines) + "\n")
    Path("mine.qrels").write_text(
        "".join(f"{t} 0 {d} {g}\r\n" for t, grades in qrels.items() for d, g in grades.items())
    )
    return run, qrels


TREC_MEASURES = {
    "recall": "recall_{}",
    "precision": "P_{}",
    "average_precision": "map_cut_{}",
    "ndcg(gain=linear)": "ndcg_cut_{}",
    "hit_rate": "success_{}",
    "mrr": "recip_rank",
    "r_precision": "Rprec",
    "bpref": "bpref",
}


def test_trec_files_give_the_numbers_of_trec_eval(run: Run) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    trec_run, qrels = trec_files()
    expected = pytrec_eval.RelevanceEvaluator(
        qrels, {"recall", "P", "map_cut", "ndcg_cut", "success", "recip_rank", "Rprec", "bpref"}
    ).evaluate(trec_run)
    chosen = ["-k", "5", "-k", "10", "-k", "1000", "--measures", ",".join(TREC_MEASURES)]
    given = ["mine.run", "mine.qrels", "--ties", "trec", "--no-check", "--by-user", "topics.json"]
    run("evaluate", *given, *chosen)
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
def test_trec_files_by_ending_by_option_and_gzip(run: Run) -> None:
    trec_files()
    more = [*NDCG, "--threads", "1"]
    expected = run("evaluate", "mine.run", "mine.qrels", *more)
    assert cells(expected)["Ranking measure"] == ["top-10"]
    for name in ("mine.run", "mine.qrels"):
        Path(f"{name}.gz").write_bytes(gzip.compress(Path(name).read_bytes()))
        Path(f"{name}.json").write_bytes(Path(name).read_bytes())
    assert run("evaluate", "mine.run.gz", "mine.qrels.gz", *more) == expected
    assert run("evaluate", "mine.run.json", "mine.qrels.json", "--format-in", "trec", *more) == expected


def test_a_table_of_six_columns_is_not_a_trec_run(run: Run) -> None:
    lines = [line.replace(",", "\t") + "\tx\ty\tz\n" for line in REC.splitlines()]
    Path("rec.txt").write_text("".join(lines))
    assert run("evaluate", "rec.txt", "truth.csv", *NDCG) == run("evaluate", "rec.csv", "truth.csv", *NDCG)


# --- The process ---

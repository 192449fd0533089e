"""The advice of each problem code and error, followed: the numbers are right afterwards."""

# ruff: noqa: E501

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from tests import sqllogic
from tests.conftest import Captured, Con, file_text, rows, text_cases, text_rows

SHORT = "FROM good WHERE itemid % 100 = 1"
FIRST_DCG, SECOND_DCG = 1.0, 0.6309297535714575  # 1 / log2(rank + 1)
CASES = text_cases("advice.txt")
TABLES = {"rec", "truth", "history", "items", "predicted_truth"}
# Of measures with options, and of ids: in tests of their own below.
OTHERS = {"shorter_than_truth", "fractional_grade", "user_spelling", "item_spelling"}


@pytest.fixture
def con() -> Con:
    return ranking_udfs.register(duckdb.connect()).execute(file_text("tables/advice.sql"))


def advice(con: Con, code: str) -> dict[str, str]:
    (row,) = rows(con, f"FROM ranking.check_codes() WHERE code = '{code}'")
    return {name: re.sub(r"\s+", " ", row[name]) for name in ("in_sql", "in_command", "in_python")}


def make(con: Con, tables: dict[str, str]) -> None:
    for name, query in tables.items():
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {query}")


def find(con: Con, case: dict[str, str], names: str, options: str, unread: str) -> bool:
    """Say whether the check of rec and truth of these names, and the case's other tables, finds the code."""
    others = {"history", "items", "predicted_truth"} & case.keys() - {unread}
    more = "".join(f", {name} := '{name}'" for name in others) + options
    call = f"ranking.check({names}, ks := [{cut_off(case)[1]}]{more})"
    return (case["code"],) in con.execute(f"SELECT code FROM {call}").fetchall()


def cut_off(case: dict[str, str]) -> list[str]:
    return case.get("measure", "mrr@3").split("@")


def test_every_advice_is_followed(con: Con) -> None:
    advised = con.execute("SELECT code FROM ranking.check_codes() WHERE in_sql IS NOT NULL").fetchall()
    assert {code for (code,) in advised} == {case["code"] for case in CASES} | OTHERS


def test_the_command_gets_no_sql(con: duckdb.DuckDBPyConnection) -> None:
    texts = con.execute(
        "SELECT in_command FROM ranking.check_codes() WHERE in_command IS NOT NULL"
    ).fetchall()
    assert [text for (text,) in texts if re.search(r":=|SELECT|FROM|JOIN|_col\b|lower\(", text)] == []


@pytest.mark.parametrize("case", CASES, ids=[f"{case['code']}, {case['says'][:20]}" for case in CASES])
def test_numbers_are_right_after_an_advice(con: Con, case: dict[str, str]) -> None:
    before, options = (f", {case[name]}" if name in case else "" for name in ("before", "with"))
    plain = {"rec": "SELECT * EXCLUDE (system) FROM good", "truth": "FROM liked"}
    make(con, plain | {name: case[name] for name in TABLES & case.keys()})
    assert find(con, case, "'rec', 'truth'", before, case.get("unread", ""))
    assert case["says"] in advice(con, case["code"])["in_sql"]
    make(con, {"rec_then": "FROM rec", "truth_then": "FROM truth"})
    make(con, {f"{name}_then": case[f"then {name}"] for name in TABLES if f"then {name}" in case})
    if "then history" in case:
        con.execute("CREATE OR REPLACE TABLE history AS FROM history_then")
    names, (measure, k) = "'rec_then', 'truth_then'", cut_off(case)
    if "ties" not in options:  # of which the check knows nothing
        assert not find(con, case, names, options, "")
    right = pytest.approx([float(Fraction(number)) for number in case["right"].split()])
    options = "" if "time_col" in options else options
    query = f"SELECT {measure} FROM ranking.evaluate({names}, [{k}]{options})"
    assert sorted(value for (value,) in con.execute(query).fetchall()) == right
    name, _, text = options.removeprefix(", ").partition(" := ")
    given: Any = {name: json.loads(text.replace("'", '"'))} if name else {}
    found = ranking_udfs.evaluate("rec_then", "truth_then", measure, int(k), con=con, check=False, **given)
    assert sorted(found.project(measure).to_arrow_table()[0].to_pylist()) == right


@pytest.mark.parametrize(
    ("option", "rec", "truth", "dcg"),
    [
        ("ideal=truth", SHORT, "FROM liked", FIRST_DCG / (FIRST_DCG + SECOND_DCG)),
        ("gain=linear", SHORT, "SELECT *, 0.5 AS rel FROM liked WHERE itemid % 100 = 1", FIRST_DCG),
    ],
)
def test_ndcg_is_right_with_the_option_that_the_check_names(
    con: Con, option: str, rec: str, truth: str, dcg: float
) -> None:
    code = "shorter_than_truth" if option == "ideal=truth" else "fractional_grade"
    make(con, {"rec": rec, "truth": truth})
    assert (code,) in con.execute("SELECT code FROM ranking.check('rec', 'truth', ks := [NULL])").fetchall()
    texts = advice(con, code)
    call = texts["in_sql"].removeprefix("write ")
    query = f"SELECT ranking.mean({call}) FROM ranking.judged('rec', 'truth', NULL)"
    assert con.execute(query).fetchall() == [(pytest.approx(dcg),)]
    measure = texts["in_python"].removeprefix("write ")
    assert texts["in_command"] == f"write -m '{measure}'"
    values = ranking_udfs.evaluate("rec", "truth", measure, None, con=con, check=False).fetchall()
    assert values[0][-1] == pytest.approx(dcg)


@pytest.mark.parametrize(("difference", "ours", "theirs"), text_rows("ids spelled alike"))
@pytest.mark.parametrize("name", ["userid", "itemid"])
def test_ids_that_are_spelled_alike_match(
    con: Con, difference: str, ours: str, theirs: str, name: str, tmp_path: Path, capsys: Captured
) -> None:
    """Every other id is alike in both tables, so that the recall of the check's data is 0.5."""
    other = "itemid" if name == "userid" else "userid"
    columns = f"AS {name}, 'x' || u AS {other}"
    con.execute(f"""
        CREATE TABLE rec AS SELECT if(u % 2 = 1, {ours}, {theirs}) {columns}, 0.5 AS score FROM range(10) t(u);
        CREATE TABLE truth AS SELECT {theirs} {columns} FROM range(10) t(u)""")
    files = [f"{tmp_path}/{table}.parquet" for table in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY truth TO '{files[1]}'")
    code = f"{name.removesuffix('id')}_spelling"
    query = f"SELECT count, example FROM ranking.check('rec', 'truth') WHERE code = '{code}'"
    ((count, example),) = con.execute(query).fetchall()
    assert (count, example.rpartition(" ")[2]) == (5, f"({difference})")
    query = "SELECT recall FROM ranking.evaluate('{}', '{}', [10])"
    assert con.execute(query.format("rec", "truth")).fetchall() == [(0.5,)]
    texts = advice(con, code)
    clauses = {
        way: dict(clause.split(": ", 1) for clause in text.split("; ")[1:]) for way, text in texts.items()
    }
    for table in ("rec", "truth"):
        spelled = clauses["in_sql"][difference]
        con.execute(f"CREATE TABLE {table}_alike AS SELECT * REPLACE ({spelled} AS {name}) FROM {table}")
    assert con.execute(query.format("rec_alike", "truth_alike")).fetchall() == [(1,)]
    frames = [con.sql(f"FROM {table}").df() for table in ("rec", "truth")]
    for frame in frames:
        frame[name] = eval(clauses["in_python"][difference], {name: frame[name]})
    assert ranking_udfs.evaluate(*frames, "recall", 10, check=False).fetchall()[0][-1] == 1
    assert main(["check", *files, "--format", "csv"]) == 0
    assert f"write the ids alike in both files; {difference}: " in capsys.readouterr().out


# The advice of errors of table functions: what it is, as text, each of which a test below follows.
KINDS = {
    r"CAST\(\w+ AS \w+\) in both": "test_ids_match_after_the_cast_of_an_error",
    r"SELECT \* RENAME \(.+\)": "test_columns_are_read_as_an_error_says",
    r"SELECT [^*;]+": "test_lists_and_qrels_are_read_as_an_error_says",
    r"unnest\(\w+\) AS \w+ where it is a list": "test_lists_and_qrels_are_read_as_an_error_says",
    r"\w+_col := '.+?'": "test_columns_are_read_as_an_error_says",
    "descending := false": "test_columns_are_read_as_an_error_says",
    r"\(or swap rec and truth: truth has one\)": "test_swapped_tables_are_an_advice_for_a_truth_alone",
}


def test_every_advice_of_an_error_is_followed() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sqllogic.FOLDER.glob("errors*.test")]
    advised = re.findall("; write (.+)", "\n".join(texts))
    lacking = {
        one
        for one in advised
        if re.sub("|".join(KINDS) + r"|; (truth|rec) must have[^;]+; write |[, ]", "", one)
    }
    assert len(advised) > 20
    assert lacking == set()
    assert {*KINDS.values()} <= {*globals()}


@pytest.mark.parametrize(("ours", "theirs"), text_rows("ids of two types"))
def test_ids_match_after_the_cast_of_an_error(con: Con, ours: str, theirs: str) -> None:
    given = {"rec": f"1 AS score, {ours} AS itemid", "truth": f"{theirs} AS itemid"}
    make(con, {name: f"SELECT 1 AS userid, {columns}" for name, columns in given.items()})
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute("FROM ranking.evaluate('rec', 'truth', [1])")
    (cast,) = re.findall(r"; write (CAST\(.+\)) in both$", str(raised.value).split("\n")[0])
    make(con, {f"{name}_cast": f"SELECT * REPLACE ({cast} AS itemid) FROM {name}" for name in given})
    query = "SELECT recall FROM ranking.evaluate('rec_cast', 'truth_cast', [1])"
    assert con.execute(query).fetchall() == [(1,)]


@pytest.mark.parametrize(("rec", "truth"), text_rows("columns to be named"))
def test_columns_are_read_as_an_error_says(con: Con, rec: str, truth: str) -> None:
    make(con, {"rec": rec, "truth": truth})
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute("FROM ranking.evaluate('rec', 'truth', [3])")
    text = str(raised.value).split("\n")[0]
    arguments = dict.fromkeys(re.findall(r"\w+_col := '\w+'|descending := false", text))
    renamed = re.findall(r"SELECT \* RENAME \(.+?\)", text)
    con.execute(f"CREATE TABLE rec_then AS {renamed[0] if renamed else ''} FROM rec")
    call = ", ".join(["'rec_then', 'truth', [3]", *arguments])
    assert con.execute(f"SELECT mrr FROM ranking.evaluate({call})").fetchall() == [(1,)]


LOGS = {  # of rec and truth, in which q1 has b, the relevant item, at rank 2
    "lists of ids": (
        "SELECT 'q1' AS query_id, ['a', 'b'] AS results",
        "SELECT 'q1' AS query_id, ['b'] AS expected",
    ),
    "a list called as items": (
        "SELECT 'q1' AS userid, ['a', 'b'] AS itemid",
        "SELECT 'q1' AS userid, ['b'] AS itemid",
    ),
    "a list in truth": (
        "SELECT 'q1' AS userid, unnest(['a', 'b']) AS itemid, unnest([2, 1]) AS score",
        "SELECT 'q1' AS userid, ['b'] AS itemid",
    ),
    "lists of structs": (
        "SELECT 'q1' AS userid, [{'chunk_id': 'b', 'score': 1}, {'chunk_id': 'a', 'score': 2}] AS results",
        "SELECT 'q1' AS userid, [{'chunk_id': 'b'}] AS relevant",
    ),
    "qrels": (
        "SELECT 'q1' AS \"query-id\", unnest(['a', 'b']) AS \"corpus-id\", unnest([2, 1]) AS score",
        "SELECT 'q1' AS \"query-id\", unnest(['b', 'a']) AS \"corpus-id\", unnest([2, 0]) AS score",
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_lists_and_qrels_are_read_as_an_error_says(con: Con, name: str) -> None:
    """Each error is followed until there is none: a list of structs has columns, which are then to be named."""
    make(con, dict(zip(("rec0", "truth0"), LOGS[name], strict=True)))
    query, arguments = "SELECT mrr FROM ranking.evaluate('rec{0}', 'truth{0}', [3]{1})", ""
    for turn in range(3):
        try:
            con.execute(query.format(turn, arguments))
            break
        except duckdb.InvalidInputException as error:
            text = str(error).split("\n")[0]
        assert "unnest" in text or "query-id" in text or turn
        arguments = "".join(f", {one}" for one in dict.fromkeys(re.findall(r"\w+_col := '\w+'", text)))
        for table in ("rec", "truth"):
            (select, *_) = re.findall(rf"{table} must have [^;]+; write (SELECT [^;]+)", text) or ["FROM"]
            if table == "truth" and "where it is a list" in text:
                select = "SELECT * REPLACE (unnest(itemid) AS itemid)"
            make(con, {f"{table}{turn + 1}": f"{select.removesuffix('FROM')} FROM {table}{turn}"})
    assert con.execute(query.format(turn, arguments)).fetchall() == [(0.5,)]


def test_swapped_tables_are_an_advice_for_a_truth_alone(con: Con) -> None:
    con.execute("""
        CREATE TABLE rec AS SELECT 1 AS userid, 1 AS itemid, 1 AS score;
        CREATE TABLE truth AS SELECT 1 AS userid, 1 AS itemid;
        CREATE TABLE log AS SELECT 1 AS userid, [{'itemid': 1, 'score': 1}] AS items;
        CREATE TABLE flat AS SELECT 1 AS userid, [1] AS itemid""")
    for log, is_truth in (("truth", True), ("log", False), ("flat", False)):
        with pytest.raises(duckdb.InvalidInputException) as raised:
            con.execute(f"FROM ranking.evaluate('{log}', 'rec', [1])")
        assert ("swap rec and truth" in str(raised.value)) == is_truth
    assert con.execute("SELECT recall FROM ranking.evaluate('rec', 'truth', [1])").fetchall() == [(1,)]

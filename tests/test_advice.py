"""Follow the advice of each problem code and error, and test that the values are right afterwards."""
# ruff: noqa: E501  (a case is a line)

import json
import re
import shlex
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.compose.columns import COMMAND, PYTHON, SQL, option
from ranking_udfs.compose.problems import FORMS
from tests.conftest import Captured, Con, module_connection, refusal, rows

TESTS = Path(__file__).parent
SHORT = "FROM good WHERE itemid % 100 = 1"
FIRST_DCG, SECOND_DCG = 1.0, 0.6309297535714575  # 1 / log2(rank + 1)
CASES = tomllib.loads((TESTS / "advice.toml").read_text(encoding="utf-8"))["case"]
TABLES = {"rec", "truth", "history", "items", "predicted_truth"}
# Codes about options of measures and about ids, which have their own tests below.
OTHERS = {"shorter_than_truth", "fractional_grade", "spelling"}
WAYS = {"in_sql": SQL, "in_command": COMMAND, "in_python": PYTHON}
con = module_connection((TESTS / "tables/advice.sql").read_text(encoding="utf-8"))


def advice(con: Con, code: str) -> dict[str, str]:
    (row,) = rows(con, f"FROM ranking.check_codes() WHERE code = '{code}'")
    return {name: re.sub(r"\s+", " ", row[name]) for name in ("in_sql", "in_command", "in_python")}


def make(con: Con, tables: dict[str, str]) -> None:
    for name, query in tables.items():
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {query}")


def problems(con: Con, case: dict[str, Any], tables: str, k: str, options: str, unread: str = "") -> set[str]:
    """Return the codes of the check of two tables, with the other tables of the case."""
    others = {"history", "items", "predicted_truth"} & case.keys() - {unread}
    arguments = "".join(f", {name} := '{name}'" for name in others) + options
    codes = con.execute(f"SELECT code FROM ranking.check({tables}, ks := [{k}]{arguments})").fetchall()
    return {code for (code,) in codes}


def test_every_advice_has_a_case(con: Con) -> None:
    advised = con.execute("SELECT code FROM ranking.check_codes() WHERE in_sql IS NOT NULL").fetchall()
    assert {code for (code,) in advised} == {code for case in CASES for code in case["codes"]} | OTHERS


NOT_PYTHON = r":=|SELECT|FROM|JOIN|CAST|unnest|lower\(|--\w"


def test_advice_for_the_command_and_for_python_has_no_sql(con: Con) -> None:
    for column, other in (("in_command", r":=|SELECT|FROM|JOIN|_col\b|lower\("), ("in_python", NOT_PYTHON)):
        texts = con.execute(f"SELECT {column} FROM ranking.check_codes()").fetchall()
        assert [text for (text,) in texts if re.search(other, text or "")] == []


LISTS = pd.DataFrame({"userid": [1, 2, 3], "itemid": [1, 2, 3], "score": 1.0})
LIKED = LISTS[["userid", "itemid"]]
ZEROS = (
    "itemid: ids that match truth except for their spelling: 3 of 3, for example itemid '1' for '001' (zeros)"
)
ONE_TYPE = "itemid must be of one type, got VARCHAR in truth and"
WRONG: list[tuple[dict[str, Any], str]] = [  # tables and options, and the beginning of the error
    ({"truth": LIKED.astype({"itemid": str})}, f"{ONE_TYPE} BIGINT in rec; write str(itemid) in rec"),
    (
        {"rec": LISTS.astype({"itemid": float}), "truth": LIKED.astype({"itemid": str})},
        f"{ONE_TYPE} DOUBLE in rec; write str(int(itemid)) in rec",
    ),
    ({"rec": LISTS.astype({"itemid": str}), "truth": LIKED.assign(itemid=["001", "002", "003"])}, ZEROS),
    ({"rec": LISTS.set_index("userid")}, "rec: no column 'userid' (there are: itemid, score); write rec.reset_index()"),
    ({"truth": LIKED.set_index("itemid")}, "truth: no column 'itemid' (there are: userid); write truth.reset_index()"),
    ({"truth": LIKED.assign(stars=1)}, "truth: has a column stars that is not read: grade_col='stars' takes it"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "error"), WRONG)
def test_errors_advise_python_in_python(wrong: dict[str, Any], error: str) -> None:
    """Ask for one model; where zeros are lost, for each of two models too."""
    tables = {"rec": LISTS, "truth": LIKED, **wrong}
    models = {"a": tables["rec"], "b": tables["rec"]}
    for rec in (tables["rec"], models) if error == ZEROS else (tables["rec"],):
        with pytest.raises(ValueError, match=re.escape(error.partition(": 3")[0])) as raised:
            ranking_udfs.evaluate(rec, tables["truth"], "mrr")
        assert not re.search(NOT_PYTHON, str(raised.value)), raised.value


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['codes'][0]}, {case['advice'][:20]}")
def test_following_an_advice_gives_the_right_values(
    registered: None, con: Con, case: dict[str, Any], tmp_path: Path, capsys: Captured
) -> None:
    """Follow it in SQL, in Python and in the command."""
    before, options = (f", {case[name]}" if name in case else "" for name in ("options_before", "options"))
    measure, k = case.get("measure", "mrr@3").split("@")
    codes, then = {*case["codes"]}, case.get("then", {})
    plain = {"rec": "SELECT * EXCLUDE (system) FROM good", "truth": "FROM liked"}
    make(con, plain | {name: case[name] for name in TABLES & case.keys()})
    assert codes <= problems(con, case, "'rec', 'truth'", k, before, case.get("unread", ""))
    assert all(case["advice"] in advice(con, code)["in_sql"] for code in codes)
    make(con, {"rec_then": "FROM rec", "truth_then": "FROM truth"})
    make(con, {f"{name}_then": query for name, query in then.items()})
    if "history" in then:
        make(con, {"history": "FROM history_then"})
    tables = "'rec_then', 'truth_then'"
    if "ties" not in options:  # which the check does not read
        assert codes.isdisjoint(problems(con, case, tables, k, options))
    right = pytest.approx([float(Fraction(number)) for number in case["right"]])
    options = "" if "time_col" in options else options
    query = f"SELECT {measure} FROM ranking.evaluate({tables}, ks := [{k}]{options})"
    assert sorted(value for (value,) in con.execute(query).fetchall()) == right
    name, _, text = options.removeprefix(", ").partition(" := ")
    value = json.loads(text.replace("'", '"')) if name else None
    keywords: Any = {name: value} if name else {}
    means = ranking_udfs.evaluate("rec_then", "truth_then", measure, int(k), con=con, check=False, **keywords)
    assert sorted(means.project(measure).to_arrow_table()[0].to_pylist()) == right
    flags = (
        shlex.split(option(name, str(value).lower() if value is False else str(value), COMMAND))
        if name
        else []
    )
    files = [f"{tmp_path}/{table}.parquet" for table in ("rec_then", "truth_then")]
    con.execute(f"COPY rec_then TO '{files[0]}'; COPY truth_then TO '{files[1]}'")
    assert main(["evaluate", *files, "-m", measure, "-k", k, "--no-check", "--format", "json", *flags]) == 0
    assert sorted(row[measure] for row in json.loads(capsys.readouterr().out)) == right
    for code in codes if name in (part for part in re.findall(r"\w+", case["advice"])) else ():
        texts = advice(con, code)
        assert all(
            option(name, "false" if name == "descending" else None, way) in texts[column]
            for column, way in WAYS.items()
        ), code


@pytest.mark.parametrize(
    ("code", "truth", "dcg"),
    [
        ("shorter_than_truth", "FROM liked", FIRST_DCG / (FIRST_DCG + SECOND_DCG)),
        ("fractional_grade", "SELECT *, 0.5 AS rel FROM liked WHERE itemid % 100 = 1", FIRST_DCG),
    ],
)  # fmt: skip
def test_the_option_that_the_check_names_corrects_ndcg(
    registered: None, con: Con, code: str, truth: str, dcg: float, tmp_path: Path, capsys: Captured
) -> None:
    make(con, {"rec": SHORT, "truth": truth})
    assert (code,) in con.execute("SELECT code FROM ranking.check('rec', 'truth', ks := [NULL])").fetchall()
    texts = advice(con, code)
    call, flags, keyword = (texts[way].removeprefix("write ") for way in WAYS)
    query = f"SELECT * EXCLUDE (users) FROM ranking.evaluate('rec', 'truth', ks := [NULL], {call})"
    values = [con.execute(query).fetchall()[0]]
    keywords = {"measures": keyword.removeprefix("measures=").strip("'")}
    values += ranking_udfs.evaluate("rec", "truth", ks=[None], con=con, check=False, **keywords).fetchall()
    files = [f"{tmp_path}/{table}.parquet" for table in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY truth TO '{files[1]}'")
    assert main(["evaluate", *files, "-k", "all", "--no-check", "--format", "json", *shlex.split(flags)]) == 0
    values += [[*row.values()] for row in json.loads(capsys.readouterr().out)]
    assert [value for row in values for value in row[-1:]] == [pytest.approx(dcg)] * 3, values


ALIKE = [  # a difference in spelling, the id in rec, and the id in truth
    ("case", "'A' || u", "'a' || u"),
    ("blanks", "' a' || u || chr(160)", "'a' || u"),
    ("zeros", "'00' || (u + 1)", "(u + 1)::VARCHAR"),
    ("decimals", "(u + 1)::DOUBLE::VARCHAR", "(u + 1)::VARCHAR"),
    ("Unicode", "chr(233) || u", "'e' || chr(769) || u"),
    ("exponents", "(u + 1) || 'e+06'", "(u + 1) || '000000'"),
    ("signs", "(u - 99)::VARCHAR", "(u - 99 + 18446744073709551616::HUGEINT)::VARCHAR"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("difference", "ours", "theirs"), ALIKE)
@pytest.mark.parametrize("name", ["userid", "itemid"])
def test_ids_match_after_the_advice_on_spelling(
    registered: None, con: Con, difference: str, ours: str, theirs: str, name: str, tmp_path: Path, capsys: Captured
) -> None:  # fmt: skip
    """Every other id is equal in both tables, so recall is 0.5 before the advice."""
    columns = f"AS {name}, 'x' || u AS {'itemid' if name == 'userid' else 'userid'}"
    rec = f"SELECT if(u % 2 = 1, {ours}, {theirs}) {columns}, 0.5 AS score FROM range(10) t(u)"
    make(con, {"rec": rec, "truth": f"SELECT {theirs} {columns} FROM range(10) t(u)"})
    files = [f"{tmp_path}/{table}.parquet" for table in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY truth TO '{files[1]}'")
    query = "SELECT count, example FROM ranking.check('rec', 'truth') WHERE code = 'spelling'"
    ((count, example),) = con.execute(query).fetchall()
    assert (count, example.rpartition(" ")[2]) == (5, f"({difference})")
    query = "SELECT recall FROM ranking.evaluate('{}', '{}', [10])"
    assert con.execute(query.format("rec", "truth")).fetchall() == [(0.5,)]
    clauses = dict(clause.split(": ", 1) for clause in advice(con, "spelling")["in_sql"].split("; ")[1:])
    in_sql = re.sub(r"\bid\b", name, clauses[difference])
    make(con, {f"{t}_alike": f"SELECT * REPLACE ({in_sql} AS {name}) FROM {t}" for t in ("rec", "truth")})
    assert con.execute(query.format("rec_alike", "truth_alike")).fetchall() == [(1,)]
    frames = [con.table(f"{table}_alike").df() for table in ("rec", "truth")]
    assert ranking_udfs.evaluate(*frames, "recall", 10, check=False).fetchall()[0][-1] == 1
    assert main(["check", *files, "--format", "csv"]) == 0
    assert (
        f"write the ids the same way in both tables; {difference}: {FORMS[difference][1]}"
        in capsys.readouterr().out
    )


# Patterns of the advice in errors of table functions, and the test that follows each.
KINDS = {
    r"CAST\(\w+ AS \w+\) in both": "test_ids_match_after_the_cast_of_an_error",
    r"SELECT \* RENAME \(.+\)": "test_columns_are_read_after_the_advice_of_an_error",
    r"SELECT [^*;]+": "test_lists_and_qrels_are_read_after_the_advice_of_errors",
    r"unnest\(\w+\) AS \w+ where it is a list": "test_lists_and_qrels_are_read_after_the_advice_of_errors",
    r"\w+_col := '.+?'": "test_columns_are_read_after_the_advice_of_an_error",
    "descending := false": "test_columns_are_read_after_the_advice_of_an_error",
    r"\(or swap rec and truth: truth has one\)": "test_swapping_tables_is_advised_only_for_a_plain_truth",
}


def test_every_advice_of_an_error_has_a_test() -> None:
    texts = "\n".join(file.read_text(encoding="utf-8") for file in TESTS.glob("sql/*.test"))
    advised = re.findall(r"^(?:[^\t\n]*\t)?ranking\.[^\t\n]*?; write (.+)", texts, re.MULTILINE)
    known = "|".join(KINDS) + r"|; (truth|rec) must have[^;]+; write |[, ]"
    assert len(advised) > 20
    assert {text for text in advised if re.sub(known, "", text)} == set()
    assert {*KINDS.values()} <= {*globals()}


TYPES = [  # the same item in rec and in truth
    ("1.0::DOUBLE", "1"), ("'1'", "1.0::DOUBLE"), ("1::FLOAT", "1"), ("0.1::FLOAT", "0.1::DOUBLE"),
    ("1::DECIMAL(4, 1)", "1"), ("1.5::DECIMAL(4, 1)", "1.5::DECIMAL(12, 10)"), ("1::DECIMAL(18, 0)", "'1'"),
    ("1::DECIMAL(9, 2)", "'1'"), ("DATE '2026-01-01'", "TIMESTAMP '2026-01-01'"), ("true", "1"), ("1", "'1'"),
    ("1::UHUGEINT", "1"), ("'a'::BLOB", "'a'"), ("[1]", "[1.0::DOUBLE]"), ("{'a': 1}", "{'a': 1.0::DOUBLE}"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs"), TYPES)
def test_ids_match_after_the_cast_of_an_error(con: Con, ours: str, theirs: str) -> None:
    make(con, {"rec": f"SELECT 1 AS userid, 1 AS score, {ours} AS itemid"})
    make(con, {"truth": f"SELECT 1 AS userid, {theirs} AS itemid"})
    error = refusal(con, "FROM ranking.evaluate('rec', 'truth', [1])")
    ((cast, kind),) = re.findall(r"; write (CAST\(.+\)) (?:in both|where it is (\w+))$", error)
    cast = f"CASE WHEN typeof(itemid) = '{kind}' THEN {cast} ELSE itemid::VARCHAR END" if kind else cast
    make(con, {f"{t}_cast": f"SELECT * REPLACE ({cast} AS itemid) FROM {t}" for t in ("rec", "truth")})
    query = "SELECT recall FROM ranking.evaluate('rec_cast', 'truth_cast', [1])"
    assert con.execute(query).fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("rec", "truth"),
    [
        ("1 AS client_id, i AS sku, i AS prediction", "1 AS client_id, 2 AS sku"),
        ("1 AS userid, i AS itemid, 3 - i AS position", "1 AS userid, 2 AS itemid"),
        ("1 AS customer, i AS itemid, i AS score", "1 AS userid, 2 AS itemid"),
        ("1 AS client_id, i AS sku, i AS score", "1 AS client_id, 2 AS product"),
        # What both tables have comes first.
        ("1 AS userid, 9 - i AS docid, i AS docno, i AS score", "1 AS userid, 2 AS docno"),
        ("1 AS userid, 9 - i AS doc_id, i AS docno, i AS score", "1 AS userid, 2 AS docno"),
        ("1 AS userid, 9 - i AS docid, i AS docno, i AS score", "1 AS userid, 8 AS itemid, 2 AS docno"),
    ],
)
def test_columns_are_read_after_the_advice_of_an_error(
    registered: None, con: Con, rec: str, truth: str, tmp_path: Path, capsys: Captured
) -> None:
    make(con, {"rec": f"SELECT {rec} FROM range(3) t(i)", "truth": f"SELECT {truth}"})
    error = refusal(con, "FROM ranking.evaluate('rec', 'truth', [3])")
    arguments = dict.fromkeys(re.findall(r"\w+_col := '\w+'|descending := false", error))
    for table in ("rec", "truth"):
        renamed = re.findall(rf"{table} must have [^;]+; write (SELECT \* RENAME \(.+?\))", error)
        make(con, {f"{table}_then": f"{renamed[0] if renamed else ''} FROM {table}"})
    call = ", ".join(["'rec_then', 'truth_then', [3]", *arguments])
    assert con.execute(f"SELECT mrr FROM ranking.evaluate({call})").fetchall() == [(1,)]
    with pytest.raises(ValueError, match="; write ") as raised:
        ranking_udfs.evaluate("rec", "truth", "mrr@3", con=con)
    pasted = eval(f"dict({str(raised.value).rpartition('; write ')[2]})")
    means = ranking_udfs.evaluate("rec", "truth", "mrr@3", con=con, check=False, **pasted)
    assert means.project("mrr").fetchall() == [(1,)]
    files = [f"{tmp_path}/{table}.csv" for table in ("rec", "truth")]
    con.execute(f"COPY rec TO '{files[0]}'; COPY truth TO '{files[1]}'")
    assert main(["evaluate", *files, "-m", "mrr@3"]) == 1
    flags = shlex.split(capsys.readouterr().err.rpartition("; write ")[2].replace(", ", " "))
    assert main(["evaluate", *files, "-m", "mrr@3", "--no-check", "--format", "json", *flags]) == 0
    assert json.loads(capsys.readouterr().out)[0]["mrr"] == 1


# The number of errors to follow; rec and truth, in which q1 has the relevant item b at rank 2.
LOGS = {
    "lists of ids": (1, "SELECT 'q1' AS query_id, ['a', 'b'] AS results", "SELECT 'q1' AS query_id, ['b'] AS expected"),
    "a list called as items": (2, "SELECT 'q1' AS userid, ['a', 'b'] AS itemid", "SELECT 'q1' AS userid, ['b'] AS itemid"),
    "a list in truth": (
        1, "SELECT 'q1' AS userid, unnest(['a', 'b']) AS itemid, unnest([2, 1]) AS score", "SELECT 'q1' AS userid, ['b'] AS itemid",
    ),
    "lists of structs, whose columns are then to be named": (
        2, "SELECT 'q1' AS userid, [{'chunk_id': 'b', 'score': 1}, {'chunk_id': 'a', 'score': 2}] AS results",
        "SELECT 'q1' AS userid, [{'chunk_id': 'b'}] AS relevant",
    ),
    "qrels": (
        1, "SELECT 'q1' AS \"query-id\", unnest(['a', 'b']) AS \"corpus-id\", unnest([2, 1]) AS score",
        "SELECT 'q1' AS \"query-id\", unnest(['b', 'a']) AS \"corpus-id\", unnest([2, 0]) AS score",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_lists_and_qrels_are_read_after_the_advice_of_errors(con: Con, name: str) -> None:
    errors, rec, truth = LOGS[name]
    make(con, {"rec0": rec, "truth0": truth})
    query, arguments = "SELECT mrr FROM ranking.evaluate('rec{0}', 'truth{0}', [3]{1})", ""
    for turn in range(errors):
        error = refusal(con, query.format(turn, arguments))
        assert "unnest" in error or "query-id" in error or turn
        arguments = "".join(f", {text}" for text in dict.fromkeys(re.findall(r"\w+_col := '\w+'", error)))
        for table in ("rec", "truth"):
            (select, *_) = re.findall(rf"{table} must have [^;]+; write (SELECT [^;]+)", error) or [""]
            if table == "truth" and "where it is a list" in error:
                select = "SELECT * REPLACE (unnest(itemid) AS itemid)"
            make(con, {f"{table}{turn + 1}": f"{select} FROM {table}{turn}"})
    assert con.execute(query.format(errors, arguments)).fetchall() == [(0.5,)]


@pytest.mark.parametrize(("log", "is_advised"), [("truth", True), ("log", False), ("flat", False)])
def test_swapping_tables_is_advised_only_for_a_plain_truth(con: Con, log: str, is_advised: bool) -> None:
    make(con, {"rec": "SELECT 1 AS userid, 1 AS itemid, 1 AS score"})
    make(con, {"truth": "SELECT 1 AS userid, 1 AS itemid"})
    make(con, {"log": "SELECT 1 AS userid, [{'itemid': 1, 'score': 1}] AS items"})
    make(con, {"flat": "SELECT 1 AS userid, [1] AS itemid"})
    assert ("swap rec and truth" in refusal(con, f"FROM ranking.evaluate('{log}', 'rec', [1])")) == is_advised
    assert con.execute("SELECT recall FROM ranking.evaluate('rec', 'truth', [1])").fetchall() == [(1,)]

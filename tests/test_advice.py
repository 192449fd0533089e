"""The advice of each problem code and error, followed: the numbers are right afterwards."""

# ruff: noqa: E501, RUF012

import re
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from tests.conftest import rows
from tests.test_problems import DISTANCE, GOOD, TRUTH, lists

BEST = "-abs(i - 1.1)"  # a relevant item is first, the other one second
GRADED = f"SELECT *, 1 AS rel FROM ({TRUTH})"
BEFORE = "SELECT u AS userid, 100 * u + i AS itemid, 1 AS time FROM range(40) t(u), range(3) s(i)"
AFTER = "SELECT u AS userid, 100 * u + i AS itemid, 9 AS time FROM range(40) t(u), range(3, 5) s(i)"
RENAMED = "SELECT * RENAME (userid AS itemid, itemid AS userid)"
SHORT = f"SELECT * FROM ({lists(a=GOOD)}) WHERE itemid % 100 = 1"
FIRST_DCG, SECOND_DCG = 1.0, 0.6309297535714575  # 1 / log2(rank + 1)


class Case(NamedTuple):
    """The data that have a problem, what its advice says, that followed, and the right numbers, sorted."""

    code: str
    said: str  # in the advice of SQL
    tables: dict[str, str]  # but for those of GOOD lists and TRUTH
    right: list[float]
    made: dict[str, str] = {}  # tables as the advice makes them
    options: dict[str, Any] = {}  # as the advice adds them, for Python
    before: dict[str, Any] = {}  # options with which the problem is there
    measure: str = "mrr"
    k: int = 3


TIED = {"rec": lists(a="1")}
SEEN = {"rec": "FROM rec ANTI JOIN history USING (userid, itemid)"}
LATE = "FROM history WHERE time < 9"
HUGE = "SELECT 1e18 + 1e6 * u AS userid, {} AS itemid, {} FROM range(40) t(u), range({}) s(i)"
SELF = "SELECT 9000 + u AS userid, 9000 + u + i AS itemid, {} FROM range(40) t(u), range({}, {}) s(i)"
CASES = [
    Case("grade_not_read", "grade_col := 'NAME'",
         {"truth": f"SELECT *, itemid % 100 - 1 AS stars FROM ({TRUTH})"}, [1 / 3], options={"grade_col": "stars"}),
    Case("system_not_read", "system_col := 'NAME'",
         {"rec": f"SELECT * RENAME (system AS model) FROM ({lists(a=GOOD, b=BEST)})"}, [0.5, 1], options={"system_col": "model"}),
    Case("run_not_read", "name a column of system/run as system_col",
         {"rec": f"SELECT * RENAME (system AS seed) FROM ({lists(a=GOOD, b=BEST)})"}, [0.5, 1],
         {"rec": "SELECT * EXCLUDE (seed), 'x/' || seed AS system FROM rec"}),
    Case("no_rows", "look at what makes rec", {"rec": f"FROM ({lists(a=GOOD)}) WHERE false"}, [0.5],
         {"rec": lists(a=GOOD)}),
    Case("no_common_user", "the same ids", {"rec": f"SELECT * REPLACE (userid + 999 AS userid) FROM ({lists(a=GOOD)})"}, [0.5],
         {"rec": "SELECT * REPLACE (userid - 999 AS userid) FROM rec"}),
    Case("no_common_item", "the same ids", {"rec": f"SELECT * REPLACE (itemid + 9999 AS itemid) FROM ({lists(a=GOOD)})"}, [0.5],
         {"rec": "SELECT * REPLACE (itemid - 9999 AS itemid) FROM rec"}),
    Case("nothing_relevant", "a lower min_grade", {"truth": GRADED}, [0.5], options={"min_grade": 1},
         before={"min_grade": 5}),
    Case("swapped", "the columns of one table", {"rec": f"{RENAMED} FROM ({lists(a=GOOD)})"}, [0.5],
         {"rec": f"{RENAMED} FROM rec"}),
    Case("upside_down", "descending := false", {"rec": lists(a=DISTANCE)}, [1], options={"descending": False}),
    Case("upside_down", "SELECT * REPLACE (CASE WHEN system IN ('NAME') THEN -score ELSE score END AS score) FROM rec",
         {"rec": lists(a=DISTANCE, b=BEST)}, [1, 1],
         {"rec": "SELECT * REPLACE (CASE WHEN system IN ('a') THEN -score ELSE score END AS score) FROM rec"}),
    Case("upside_down", SEEN["rec"], {"truth": AFTER, "history": BEFORE}, [1], SEEN, before={"skip": "history"}),
    Case("seen_first", SEEN["rec"], {"truth": AFTER, "history": BEFORE}, [1], SEEN),
    Case("unknown_end", "descending := false",
         {"rec": lists(a="i"), "truth": "SELECT 0 AS userid, i AS itemid, 6 - i AS rel FROM range(6) t(i)"}, [1],
         options={"descending": False}, measure="ndcg"),
    Case("truth_in_rec", "look at what makes rec", {"rec": lists(a="if(i IN (1, 2), 9, 5) - i")}, [0.5],
         {"rec": lists(a=GOOD)}),
    Case("systems_apart", "systems that recommend to the same users",
         {"rec": f"SELECT * FROM ({lists(a=GOOD, b=BEST)}) WHERE (userid < 20) = (system = 'a')"}, [0.5, 1],
         {"rec": lists(a=GOOD, b=BEST)}),
    Case("inexact_user", "integers or texts", {"rec": HUGE.format("i", "-i AS score", 6), "truth": HUGE.format("i", "1 AS n", "1, 2")},
         [0.5], {name: f"SELECT * REPLACE (userid::BIGINT AS userid) FROM {name}" for name in ("rec", "truth")}),
    Case("inexact_item", "integers or texts",
         {"rec": HUGE.format("1e17 + 1000 * i", "-i AS score", 6), "truth": HUGE.format("1e17 + 1000 * i", "1 AS n", "1, 2")},
         [0.5], {name: f"SELECT * REPLACE (itemid::BIGINT AS itemid) FROM {name}" for name in ("rec", "truth")}),
    Case("self_retrieved", "FROM rec WHERE userid IS DISTINCT FROM itemid",
         {"rec": SELF.format("-i AS score", 0, 6), "truth": SELF.format("1 AS n", 1, 2)}, [1],
         {"rec": "FROM rec WHERE userid IS DISTINCT FROM itemid"}),
    # Of 6 items in any order 2 are relevant, and half of the 6 are looked at.
    *(Case(code, "ties := 'expected'", TIED, [0.5], options={"ties": "expected"}, measure="recall")
      for code in ("equal_scores", "ties_in_top_k", "ties_at_k")),
    Case("contradicting_grades", "keep the right one",
         {"truth": f"{GRADED} UNION ALL SELECT *, 0 FROM ({TRUTH}) WHERE itemid % 100 = 1"}, [1 / 3],
         {"truth": "FROM truth WHERE itemid % 100 = 2 OR rel = 0"}),
    Case("nothing_but_hits", "leave unjudged := 'skip' out", {"truth": GRADED}, [0.5], before={"unjudged": "skip"}),
    Case("gone_relevant", "FROM truth SEMI JOIN items USING (itemid)", {"items": f"{TRUTH} WHERE i = 1"}, [1],
         {"truth": "FROM truth SEMI JOIN items USING (itemid)"}, measure="recall", k=2),
    Case("gone_items", "make it of this one", {"items": f"FROM ({lists(a=GOOD)}) WHERE itemid % 100 > 0"}, [1],
         {"rec": "FROM rec SEMI JOIN items USING (itemid)"}),
    Case("truth_in_history", "seen := 'drop'", {"history": BEFORE}, [0.25],
         {"truth": f"FROM ({AFTER}) WHERE itemid % 100 = 3"}, k=4),
    Case("late_history", "end the history before truth begins",
         {"truth": AFTER, "history": f"{BEFORE} UNION ALL SELECT 7, 7, 9"}, [0.25], {"history": LATE}, k=4),
    Case("seen_items", SEEN["rec"], {"truth": AFTER, "history": BEFORE}, [1], SEEN),
    Case("labelled_apart", "label at random",
         {"rec": lists(a=f"if(u < 20, {GOOD}, {BEST})"), "truth": f"FROM ({GRADED}) WHERE userid >= 20", "predicted_truth": GRADED},
         [0.75], {"truth": f"FROM ({GRADED}) WHERE userid % 2 = 0"}),
    Case("labelled_in_part", "unjudged := 'skip'",
         {"truth": f"{GRADED} UNION ALL SELECT u, 100 * u, 0 FROM range(40) t(u)", "predicted_truth": GRADED}, [0.5],
         options={"unjudged": "skip"}, k=6),
    Case("no_time", "time_col := ''", {"history": BEFORE}, [0.5], options={"time_col": ""}),
]  # fmt: skip
# Of measures with options, and of ids: in tests of their own below.
OTHERS = {"shorter_than_truth", "fractional_grade", "user_spelling", "item_spelling"}


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    return ranking_udfs.register(duckdb.connect())


def advice(con: duckdb.DuckDBPyConnection, code: str) -> dict[str, str]:
    (row,) = rows(con, f"FROM ranking_problem_codes() WHERE code = '{code}'")
    return {name: re.sub(r"\s+", " ", row[name]) for name in ("in_sql", "in_command", "in_python")}


def in_sql(options: dict[str, Any]) -> str:
    return "".join(f", {name} := {value!r}".lower() for name, value in options.items())


def make(con: duckdb.DuckDBPyConnection, tables: dict[str, str], suffix: str = "") -> None:
    for name, query in tables.items():
        con.execute(f"CREATE OR REPLACE TABLE {name}{suffix} AS {query}")


def find(con: duckdb.DuckDBPyConnection, case: Case, names: list[str], options: dict[str, Any]) -> set[str]:
    more = {
        name: name
        for name in ("history", "items", "predicted_truth")
        if name in case.tables and options.get("skip") != name
    }
    more |= {name: value for name, value in options.items() if name != "skip"}
    call = f"ranking_check('{names[0]}', '{names[1]}', ks := [{case.k}]{in_sql(more)})"
    return {code for (code,) in con.execute(f"SELECT code FROM {call}").fetchall()}


def test_every_advice_is_followed(con: duckdb.DuckDBPyConnection) -> None:
    advised = con.execute("SELECT code FROM ranking_problem_codes() WHERE in_sql IS NOT NULL").fetchall()
    assert {code for (code,) in advised} == {case.code for case in CASES} | OTHERS


def test_the_command_gets_no_sql(con: duckdb.DuckDBPyConnection) -> None:
    texts = con.execute(
        "SELECT in_command FROM ranking_problem_codes() WHERE in_command IS NOT NULL"
    ).fetchall()
    assert [text for (text,) in texts if re.search(r":=|SELECT|FROM|JOIN|_col\b|lower\(", text)] == []


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}, {case.said[:20]}" for case in CASES])
def test_numbers_are_right_after_an_advice(con: duckdb.DuckDBPyConnection, case: Case) -> None:
    plain = f"SELECT * EXCLUDE (system) FROM ({lists(a=GOOD)})"
    make(con, {"rec": plain, "truth": TRUTH} | case.tables)
    assert case.code in find(con, case, ["rec", "truth"], case.before)
    assert case.said in advice(con, case.code)["in_sql"]
    make(con, {"rec_then": "FROM rec", "truth_then": "FROM truth"})
    make(con, case.made, "_then")
    if "history" in case.made:
        con.execute("CREATE OR REPLACE TABLE history AS FROM history_then")
    names = ["rec_then", "truth_then"]
    if "ties" not in case.options:  # of which the check knows nothing
        assert case.code not in find(con, case, names, case.options)
    options = {name: value for name, value in case.options.items() if name != "time_col"}
    query = (
        f"SELECT {case.measure} FROM ranking_summary('rec_then', 'truth_then', [{case.k}]{in_sql(options)})"
    )
    assert sorted(value for (value,) in con.execute(query).fetchall()) == pytest.approx(case.right)
    values = ranking_udfs.evaluate(*names, case.measure, case.k, con=con, check=False, **options)
    assert sorted(values.project(case.measure).to_arrow_table()[0].to_pylist()) == pytest.approx(case.right)


@pytest.mark.parametrize(
    ("option", "rec", "truth", "dcg"),
    [
        ("ideal=truth", SHORT, TRUTH, FIRST_DCG / (FIRST_DCG + SECOND_DCG)),
        ("gain=linear", SHORT, f"SELECT *, 0.5 AS rel FROM ({TRUTH}) WHERE itemid % 100 = 1", FIRST_DCG),
    ],
)
def test_ndcg_is_right_with_the_option_that_the_check_names(
    con: duckdb.DuckDBPyConnection, option: str, rec: str, truth: str, dcg: float
) -> None:
    code = "shorter_than_truth" if option == "ideal=truth" else "fractional_grade"
    make(con, {"rec": rec, "truth": truth})
    assert (code,) in con.execute("SELECT code FROM ranking_check('rec', 'truth', ks := [NULL])").fetchall()
    texts = advice(con, code)
    call = texts["in_sql"].removeprefix("write ")
    query = f"SELECT ranking_mean({call}) FROM ranking_judged('rec', 'truth', NULL)"
    assert con.execute(query).fetchall() == [(pytest.approx(dcg),)]
    measure = texts["in_python"].removeprefix("write ")
    assert texts["in_command"] == f"write -m '{measure}'"
    values = ranking_udfs.evaluate("rec", "truth", measure, None, con=con, check=False).fetchall()
    assert values[0][-1] == pytest.approx(dcg)


SPELLED = {  # the id in rec and in truth, of which no other one is like it
    "case": ("'A' || u", "'a' || u"), "blanks": ("' a' || u || chr(160)", "'a' || u"),
    "zeros": ("'00' || (u + 1)", "(u + 1)::VARCHAR"), "decimals": ("(u + 1)::DOUBLE::VARCHAR", "(u + 1)::VARCHAR"),
    "Unicode": ("chr(233) || u", "'e' || chr(769) || u"),
}  # fmt: skip


@pytest.mark.parametrize("difference", SPELLED)
@pytest.mark.parametrize("name", ["userid", "itemid"])
def test_ids_that_are_spelled_alike_match(
    con: duckdb.DuckDBPyConnection,
    difference: str,
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every other id is alike in both tables, so that the recall of the check's data is 0.5."""
    ours, theirs = (f"if(u % 2 = 1, {one}, {SPELLED[difference][1]})" for one in SPELLED[difference])
    other = "itemid" if name == "userid" else "userid"
    for table, expression in {"rec": ours, "truth": theirs}.items():
        con.execute(f"""CREATE TABLE {table} AS
            SELECT {expression} AS {name}, 'x' || u AS {other}, 0.5 AS score FROM range(10) t(u)""")
        con.execute(f"ALTER TABLE {table} {'DROP score' if table == 'truth' else 'RENAME score TO score'}")
        con.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
    code = f"{name.removesuffix('id')}_spelling"
    query = f"SELECT count, example FROM ranking_check('rec', 'truth') WHERE code = '{code}'"
    ((count, example),) = con.execute(query).fetchall()
    assert (count, example.rpartition(" ")[2]) == (5, f"({difference})")
    query = "SELECT recall FROM ranking_summary('{}', '{}', [10])"
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
    assert (
        main(["check", *(f"{tmp_path}/{table}.parquet" for table in ("rec", "truth")), "--format", "csv"])
        == 0
    )
    assert f"write the ids alike in both files; {difference}: " in capsys.readouterr().out


# The advice of errors of table functions: what it is, as text, each of which a test below follows.
KINDS = {
    r"CAST\(\w+ AS \w+\) in both": "test_ids_match_after_the_cast_of_an_error",
    r"SELECT \* RENAME \(.+\)": "test_columns_are_read_as_an_error_says",
    r"\w+_col := '.+?'": "test_columns_are_read_as_an_error_says",
    "descending := false": "test_columns_are_read_as_an_error_says",
    r"\(or swap rec and truth: truth has one\)": "test_swapped_tables_are_an_advice_for_a_truth_alone",
    r"SELECT \* REPLACE \(rank \+ 1 AS rank\)": "test_ranks_from_0_are_read_as_an_error_says",
}


def test_every_advice_of_an_error_is_followed() -> None:
    text = Path(__file__).with_name("wrong_calls.txt").read_text(encoding="utf-8")
    advised = re.findall("; write (.+)", text)
    lacking = {
        one
        for one in advised
        if re.sub("|".join(KINDS) + r"|; (truth|rec) must have[^;]+; write |[, ]", "", one)
    }
    assert len(advised) > 20
    assert lacking == set()
    assert {*KINDS.values()} <= {*globals()}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("1.0::DOUBLE", "1"), ("'1'", "1.0::DOUBLE"), ("1::FLOAT", "1"), ("0.1::FLOAT", "0.1::DOUBLE"), ("1::DECIMAL(4, 1)", "1"),
        ("1.5::DECIMAL(4, 1)", "1.5::DECIMAL(12, 10)"), ("1::DECIMAL(18, 0)", "'1'"), ("1::DECIMAL(9, 2)", "'1'"),
        ("DATE '2026-01-01'", "TIMESTAMP '2026-01-01'"), ("true", "1"), ("1", "'1'"), ("1::UHUGEINT", "1"), ("'a'::BLOB", "'a'"),
        ("[1]", "[1.0::DOUBLE]"), ("{'a': 1}", "{'a': 1.0::DOUBLE}"),
    ],
)  # fmt: skip
def test_ids_match_after_the_cast_of_an_error(con: duckdb.DuckDBPyConnection, ours: str, theirs: str) -> None:
    make(
        con,
        {
            "rec": f"SELECT 1 AS userid, {ours} AS itemid, 1 AS score",
            "truth": f"SELECT 1 AS userid, {theirs} AS itemid",
        },
    )
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute("FROM ranking_summary('rec', 'truth', [1])")
    (cast,) = re.findall(r"; write (CAST\(.+\)) in both$", str(raised.value).split("\n")[0])
    make(
        con, {name: f"SELECT * REPLACE ({cast} AS itemid) FROM {name}" for name in ("rec", "truth")}, "_cast"
    )
    query = "SELECT recall FROM ranking_summary('rec_cast', 'truth_cast', [1])"
    assert con.execute(query).fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("rec", "truth"),
    [
        (
            "SELECT 1 AS client_id, i AS sku, i AS prediction FROM range(3) t(i)",
            "SELECT 1 AS client_id, 2 AS sku",
        ),
        (
            "SELECT 1 AS userid, i AS itemid, 3 - i AS position FROM range(3) t(i)",
            "SELECT 1 AS userid, 2 AS itemid",
        ),
        (
            "SELECT 1 AS customer, i AS itemid, i AS score FROM range(3) t(i)",
            "SELECT 1 AS userid, 2 AS itemid",
        ),
    ],
)
def test_columns_are_read_as_an_error_says(con: duckdb.DuckDBPyConnection, rec: str, truth: str) -> None:
    make(con, {"rec": rec, "truth": truth})
    with pytest.raises(duckdb.InvalidInputException) as raised:
        con.execute("FROM ranking_summary('rec', 'truth', [3])")
    text = str(raised.value).split("\n")[0]
    arguments = dict.fromkeys(re.findall(r"\w+_col := '\w+'|descending := false", text))
    renamed = re.findall(r"SELECT \* RENAME \(.+?\)", text)
    con.execute(f"CREATE TABLE rec_then AS {renamed[0] if renamed else ''} FROM rec")
    call = ", ".join(["'rec_then', 'truth', [3]", *arguments])
    assert con.execute(f"SELECT mrr FROM ranking_summary({call})").fetchall() == [(1,)]


def test_swapped_tables_are_an_advice_for_a_truth_alone(con: duckdb.DuckDBPyConnection) -> None:
    make(
        con,
        {"rec": "SELECT 1 AS userid, 1 AS itemid, 1 AS score", "truth": "SELECT 1 AS userid, 1 AS itemid"},
    )
    make(
        con,
        {
            "log": "SELECT 1 AS userid, [{'itemid': 1, 'score': 1}] AS items",
            "flat": "SELECT 1 AS userid, [1] AS itemid",
        },
    )
    for log, is_truth in (("truth", True), ("log", False), ("flat", False)):
        with pytest.raises(duckdb.InvalidInputException) as raised:
            con.execute(f"FROM ranking_summary('{log}', 'rec', [1])")
        assert ("swap rec and truth" in str(raised.value)) == is_truth
    assert con.execute("SELECT recall FROM ranking_summary('rec', 'truth', [1])").fetchall() == [(1,)]


def test_ranks_from_0_are_read_as_an_error_says(con: duckdb.DuckDBPyConnection) -> None:
    shown = "SELECT u AS userid, i AS itemid, i AS rank, (u + i) % 3 = 0 AS clicked FROM range(30) t(u), range(3) s(i)"
    make(con, {"log": shown, "counted": shown.replace("i AS rank", "i + 1 AS rank")})
    with pytest.raises(duckdb.InvalidInputException, match="SELECT \\* REPLACE") as raised:
        con.execute("FROM ranking_position_effect('log')").fetchall()
    written = str(raised.value).split("; write ")[1].split("\n")[0]
    con.execute(f"CREATE TABLE raised AS {written} FROM log")
    values = [
        con.execute(f"FROM ranking_position_effect('{name}')").fetchall() for name in ("raised", "counted")
    ]
    assert values[0] == values[1]
    assert len(values[0]) == 3


def test_explain_suggests_the_nearest_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    users = ["Q001", "Q003", "Q013", "Q033", "Q133"]
    (tmp_path / "rec.csv").write_text("userid,itemid,score\n" + "".join(f"{user},1,1\n" for user in users))
    (tmp_path / "truth.csv").write_text("userid,itemid\nQ033,1\n")
    call = ["explain", str(tmp_path / "rec.csv"), str(tmp_path / "truth.csv"), "--user-id"]
    for given in ("q33", "q033", "Q0033", "Q034"):
        assert main([*call, given]) == 2
        assert "write --user-id Q033" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "advised"), [("1", 'CAST("itemid" AS BIGINT)'), ("1.50", "'1.5' for '1.50'")]
)
def test_a_text_file_beside_numbers_is_told_how_to_write_them(
    con: duckdb.DuckDBPyConnection,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    written: str,
    advised: str,
) -> None:
    rec, truth = tmp_path / "rec.parquet", tmp_path / "truth.csv"
    table = f"SELECT 1 AS userid, {written}::DOUBLE AS itemid, 1 AS score"
    con.execute(f"COPY ({table}) TO '{rec}'")
    truth.write_text(f"userid,itemid\n1,{written}\n")
    call = ["evaluate", str(rec), str(truth), "-m", "recall", "--format", "csv", "--no-check"]
    assert main(call) == 1
    assert advised in capsys.readouterr().err
    if "CAST" in advised:
        con.execute(f"COPY (SELECT * REPLACE ({advised} AS itemid) FROM ({table})) TO '{rec}'")
    else:
        truth.write_text("userid,itemid\n1,1.5\n")
    assert main(call) == 0
    assert capsys.readouterr().out.endswith(",1.0\n")

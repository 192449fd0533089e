"""Test names of columns: one syntax for all options, in the command and in Python."""

import shlex
from typing import Any

import pytest

import ranking_udfs
from ranking_udfs.options import ARGUMENTS
from tests.command import Run, csv

pytestmark = [pytest.mark.usefixtures("registered", "folder")]

TABLES = {
    "rec": ["userid,itemid,score,system", "1,10,3,a", "1,11,2,a", "2,10,1,a", "1,11,5,b", "2,12,4,b"],
    "truth": ["userid,itemid,rel,time", "1,11,2,7", "1,10,0,7", "2,10,1,8"],
    "history": ["userid,itemid,time", "1,12,9", "2,11,3"],
    "items": ["itemid,category,title", "10,x,Ten", "11,x,Eleven", "12,y,Twelve"],
    "users": ["userid,segment,text", "1,new,One", "2,old,Two"],
}
EVALUATE = "evaluate rec.csv truth.csv -k 2 --no-check --format csv --history history.csv"
CHECK = "check rec.csv truth.csv -k 2 --history history.csv"
EXPLAIN = "explain rec.csv truth.csv -k 2 --user-id 1 --items items.csv --segment users.csv:segment"
# A call, and the option for each column of each table.
OPTIONS = [
    *((EVALUATE, table, "userid", "--user") for table in ("rec", "truth", "history")),
    *((EVALUATE, table, "itemid", "--item") for table in ("rec", "truth", "history")),
    (f"{EVALUATE} --segment users.csv:segment", "users", "userid", "--user"),
    (f"{EVALUATE} --items items.csv", "items", "itemid", "--item"),
    (EVALUATE, "rec", "score", "--score"),
    (EVALUATE, "rec", "system", "--system"),
    (EVALUATE, "truth", "rel", "--grade"),
    (EVALUATE, "users", "segment", "--segment"),
    (EVALUATE, "items", "category", "--items"),
    (CHECK, "truth", "time", "--time"),
    (CHECK, "history", "time", "--time"),
    (EXPLAIN, "items", "title", "--title"),
    (EXPLAIN, "users", "text", "--text"),
]


def write(table: str = "", column: str = "") -> dict[str, list[dict[str, Any]]]:
    """Write the tables, one of them with another name of a column; return their rows."""
    rows = {}
    for name, (header, *lines) in TABLES.items():
        names = header.replace(column, "a_name") if name == table else header
        csv(f"{name}.csv", names, *lines)
        cells = [[int(cell) if cell.isdecimal() else cell for cell in line.split(",")] for line in lines]
        rows[name] = [dict(zip(names.split(","), row, strict=True)) for row in cells]
    return rows


@pytest.mark.parametrize(("call", "table", "column", "option"), OPTIONS)
def test_each_option_names_a_column_of_one_table(
    run: Run, call: str, table: str, column: str, option: str
) -> None:
    usual = {"--segment": " --segment users.csv:segment", "--items": " --items items.csv:category"}
    argument = ARGUMENTS.get(column) if call != EXPLAIN and table != "users" else None
    plain, by_name = write(), {argument: {table: "a_name"}} if argument else {}
    function = ranking_udfs.check if call == CHECK else ranking_udfs.evaluate
    quiet: Any = {} if call == CHECK else {"check": False}

    def values(rows: Any, names: Any) -> Any:
        others = {name: rows[name] for name in ("history", "items")}
        return function(rows["rec"], rows["truth"], ks=2, **others, **names, **quiet).fetchall()

    files = {name: f"{name}.csv" for name in TABLES}
    right = run(*shlex.split(f"{call}{usual.get(option, '')}"))
    of_python = [values(rows, {}) for rows in (files, plain) if argument]
    renamed = write(table, column)
    assert run(*shlex.split(call), option, f"{table}.csv:a_name") == right
    assert [values(rows, by_name) for rows in (files, renamed) if argument] == of_python


@pytest.mark.parametrize(
    ("column", "error"),
    [
        ({"truth": "p"}, "score_col must name a column of rec, got 'truth'"),
        ({"recs": "p"}, "score_col must name a column of rec, got 'recs'"),
        ("truth.csv:p", "score_col must name a column of rec.csv, got 'truth.csv'"),
        ({"rec": 1}, "score_col must be the name of a column, got 1"),
    ],
)
def test_a_column_of_another_table_is_an_error(column: Any, error: str) -> None:
    write()
    with pytest.raises(ValueError, match=f"^evaluate: {error}"):
        ranking_udfs.evaluate("rec.csv", "truth.csv", score_col=column)

"""What the command, Python's functions and SQL print, frozen: `tests/golden/` has calls with their output.

A line `$ ranking-udfs ...` is a call, `py> ...` an expression of Python's, which may make files, `$ cat FILE`
shows a file that a call wrote, `# ...` says what the calls below show; stdout follows, lines of stderr behind
`! `, the exit code behind `? ` unless it is 0. With `UPDATE_GOLDEN=1` in the environment, pytest writes the
files anew: read what changed before committing it.
"""

import gzip
import os
import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.macros.portable import script
from tests.command import LATE, csv, stdin, table, write

GOLDEN = Path(__file__).parent / "golden"
CALL = re.compile(r"^(?=\$ |py> |# )", re.MULTILINE)
# What expressions may use: the package's functions, and what makes files.
NAMES = {name: getattr(ranking_udfs, name) for name in ranking_udfs.__all__} | {
    one.__name__: one for one in (csv, duckdb, gzip, Path, script, table, write)
}
NAMES["LATE"] = LATE
NAMES["REC"] = pa.schema({"userid": pa.int64(), "itemid": pa.int64(), "score": pa.float64()})


@pytest.fixture
def files(models: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents' files, three models, graded truth, segments, a history, a catalogue, events, a run."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("HOME", os.path.abspath("home"))
    csv("home/rec.csv", "userid,itemid,score", "1,1,1")
    csv("graded.csv", "userid,itemid,rel", *(f"{u},{i},{(u + i) % 4}" for u in range(10) for i in range(4)))
    csv("everybody.csv", "userid,text", *(f"{u},what" for u in range(14)))
    csv("train.csv", "userid,itemid", *(f"{u},{1 + u % 3}" for u in range(9)))
    csv("items.csv", "itemid,category", *(f"{i},{'ab'[i % 2]}" for i in range(15)))
    csv("events.csv", "userid,itemid,time", *(f"{i % 3},{i % 4},2026-01-{i:02}" for i in range(1, 13)))
    csv("tied.csv", "userid,itemid,score", *(f"{u},{i},{5 - i // 2}" for u in range(10) for i in range(6)))
    csv("other.csv", "customer,sku,rank", "7,a,1", "7,b,2", "8,a,1")
    csv("model.csv", "userid,itemid,score,model", "1,1,3,x", "1,2,2,y", "2,1,3,x", "2,2,1,y")
    csv("empty.csv", "userid,itemid,score")
    csv("ranked.csv", "userid,itemid,score", *(f"{u},{i},{i}" for u in range(10) for i in range(4)))
    csv("badgrade.csv", "userid,itemid,rel", "1,1,7")
    csv("stars.csv", "userid,itemid,stars", "1,1,7")
    csv("apart.csv", "userid,itemid,score", "1,z,1")
    Path("a.run").write_text("".join(f"q{t} Q0 d{d} {d} {9 - d}.5 tag\n" for t in (1, 2) for d in (1, 2, 3)))
    Path("b.qrels").write_text("q1 0 d1 1\nq1 0 d3 2\nq2 0 d2 1\nq2 0 d9 0\n")
    with duckdb.connect("shop.duckdb") as made:
        made.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE VIEW truth AS FROM 'relevant.csv'")
    with duckdb.connect("store.duckdb") as made:  # of names that the command and the pack have, too
        made.execute("""
            CREATE TABLE rec AS FROM 'rec.csv';
            CREATE SCHEMA sales;
            CREATE TABLE sales."what's bought" AS FROM 'truth.csv';
            CREATE VIEW truth AS FROM sales."what's bought";
            CREATE VIEW lists AS FROM rec;
            CREATE VIEW bought AS FROM truth WHERE userid IN (SELECT userid FROM rec);
            CREATE MACRO hits(score) AS -score;
            CREATE VIEW turned AS SELECT userid, itemid, hits(score) AS score FROM rec;
            CREATE TABLE users AS SELECT 1 AS userid, 'SE' AS country;
            CREATE TABLE two AS SELECT 1 AS userid, itemid, system, abs(best - itemid) AS score
            FROM (VALUES (0), (1)) AS items(itemid), (VALUES ('als', 9), ('knn', 0)) AS systems(system, best);
            CREATE TABLE first AS SELECT 1 AS userid, 0 AS itemid;
        """)


def plain(text: str) -> str:
    """The text without what differs between machines, days and versions."""
    text = re.sub(r"\(\d{4}-\d\d-\d\d\)", "(DATE)", text.replace(os.getcwd(), "FOLDER"))
    return re.sub(r"(duckdb-ranking-udfs|DuckDB) \d+\.[\d.]+\w*", r"\1 VERSION", text)


def outcome(call: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What is printed, in the form of the files."""
    code, said = 0, ""
    if call.startswith("# "):
        text = ""
    elif call.startswith("$ cat "):
        text = Path(call.removeprefix("$ cat ")).read_text()
    elif call.startswith("$ "):
        arguments = shlex.split(call)[2:]
        with pytest.MonkeyPatch.context() as patch:
            if "<" in arguments:
                *arguments, _, file = arguments
                stdin(patch, Path(file).read_bytes())
            code = main(arguments)
        text, said = capsys.readouterr()
    else:
        text, said = evaluated(call.removeprefix("py> "))
    out = plain(text)
    lines = [call, *out.splitlines()]
    lines += [f"! {line}" for line in plain(said).splitlines()] + ([f"? {code}"] if code else [])
    return "\n".join(line.rstrip() for line in lines) + "\n"


def evaluated(code: str) -> tuple[str, str]:
    """The rows or text of an expression of Python's, and its warnings or error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found: Any = eval(code, NAMES)
            if isinstance(found, duckdb.DuckDBPyRelation):
                found = "\n".join(map(str, [tuple(found.columns), *found.fetchall()]))
        except Exception as error:
            return "", f"{type(error).__name__}: {error}"
    return found if isinstance(found, str) else "", "".join(f"{one.message}\n" for one in caught)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.txt")))
def test_what_is_printed_is_as_before(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = GOLDEN / f"{name}.txt"
    before = path.read_text()
    head, *parts = CALL.split(before)
    calls = [part.partition("\n")[0] for part in parts]
    found = [outcome(call, capsys) for call in calls]
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(head + "\n".join(found))
        return
    expected = [part.rstrip("\n") + "\n" for part in parts]
    assert [one.rstrip("\n") + "\n" for one in found] == expected

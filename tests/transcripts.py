"""Console transcripts: what the command and Python's functions print, in `tests/transcripts/`.

`$ ranking-udfs ...` is a call, `$ cat FILE` shows a file that a call wrote, and `>>> ...` is an expression of
Python's, which may also make a file. Output follows. A line of stderr has `! ` in front, or `!2 ` if the call
ended with exit code 2. A line `...` stands for any lines, and `# ...` says why the calls below are there.
Output that starts like one of these has a space in front.

The calls of a file run in one folder, in order. `python -m tests.generate NAME` writes what those of NAME.txt
print now. A number that differs in its last digits only (`by_value.py`) and a `...` stay as they are, but for
a `...` without a line to stand for.
"""

import gzip
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.macros.script import script
from tests import by_value
from tests.command import (
    LATE,
    connect_on,
    csv,
    one_connection,
    stdin,
    table,
    write,
    write_documents,
    write_models,
)

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
GAP = "..."
START = re.compile(r"^(?=\$ |>>> |# )", re.MULTILINE)
MARK = re.compile(r"^(?=\$ |>>> |# |!\d* )", re.MULTILINE)
# What expressions may use: the package's functions, and what makes files.
NAMES = {name: getattr(ranking_udfs, name) for name in ranking_udfs.__all__}
NAMES |= {thing.__name__: thing for thing in (csv, duckdb, gzip, Path, script, table, write)}
NAMES |= {"LATE": LATE}
NAMES["REC"] = pa.schema({"userid": pa.int64(), "itemid": pa.int64(), "score": pa.float64()})


def write_files() -> None:
    """Write three models, graded truth, segments, a history, items, events, runs and databases."""
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
    with duckdb.connect("shop.duckdb") as con:
        con.execute("CREATE TABLE rec AS FROM 'als.csv'; CREATE VIEW truth AS FROM 'relevant.csv'")
    with duckdb.connect("store.duckdb") as con:  # with names that the command and the pack also have
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


@contextmanager
def console() -> Iterator[None]:
    """Work in a new folder with the files, on one connection of the command's."""
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        pytest.MonkeyPatch.context() as patch,
        one_connection() as con,
    ):
        connect_on(con, patch)
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        patch.setenv("HOME", os.path.abspath("home"))
        write_documents()
        write_models()
        write_files()
        yield


def rewritten(path: Path) -> str:
    """Return the text of a transcript with what its calls print now."""
    head, *blocks = START.split(path.read_text(encoding="utf-8"))
    with console():
        return head + "".join(map(replayed, blocks))


def replayed(block: str) -> str:
    """Run a call; return it with its output, and with the blank lines behind it."""
    shown = block.rstrip("\n")
    call, _, expected = shown.partition("\n")
    output = "" if call.startswith("# ") else "\n".join(plain(outcome(call)).splitlines())
    output = by_value.kept(expected, output, GAP)
    return call + "\n" * bool(output) + output + block[len(shown) :]


def outcome(call: str) -> str:
    """Run a call; return what it prints, stderr marked with the exit code."""
    if call.startswith("$ cat "):
        return Path(call.removeprefix("$ cat ")).read_text(encoding="utf-8")
    printed, said = io.StringIO(), io.StringIO()
    code = 0
    with redirect_stdout(printed), redirect_stderr(said), pytest.MonkeyPatch.context() as patch:
        if call.startswith("$ ranking-udfs "):
            arguments = shlex.split(call)[2:]
            if "<" in arguments:
                *arguments, _, file = arguments
                stdin(patch, Path(file).read_bytes())
            code = main(arguments)
        else:
            evaluate(call.removeprefix(">>> "))
    errors = said.getvalue().splitlines() or [""] * bool(code)
    return MARK.sub(" ", printed.getvalue()) + "".join(f"!{code or ''} {line}\n" for line in errors)


def evaluate(expression: str) -> None:
    """Print the rows or the text of an expression of Python's, and its warnings or error to stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(expression, NAMES)
            if isinstance(value, duckdb.DuckDBPyRelation):
                print(*map(str, [tuple(value.columns), *value.fetchall()]), sep="\n")
            elif isinstance(value, str):
                print(value)
        except Exception as error:
            caught.clear()
            warnings.warn(f"{type(error).__name__}: {error}", stacklevel=1)
    for warning in caught:
        print(warning.message, file=sys.stderr)


def plain(text: str) -> str:
    """Return the text without what differs between machines, days and versions."""
    text = re.sub(r"\(\d{4}-\d\d-\d\d\)", "(DATE)", text.replace(os.getcwd(), "FOLDER"))
    text = re.sub(r"(duckdb-ranking-udfs|DuckDB) \d+\.[\d.]+\w*", r"\1 VERSION", text)
    return re.sub(r" +$", "", text, flags=re.MULTILINE).rstrip("\n")

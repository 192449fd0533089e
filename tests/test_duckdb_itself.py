"""What of DuckDB the pack relies on and works around: each case of RELIES_ON.md, on this DuckDB."""

import importlib
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pytest

from ranking_udfs.duckdb.macros import macros

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "udfs/ranking_udfs/duckdb/RELIES_ON.md"
# What this release is called on the page; a later one is as 2.0.1 until it is known.
RELEASES = {"2.0", "2.0.0" if duckdb.__version__ == "2.0.0" else "2.0.1"}
if duckdb.__version__.startswith("1.5."):
    RELEASES = {"1.5"}


class Case(NamedTuple):
    title: str
    is_worked_around: bool
    seen_on: list[str]  # releases on which the lines fail, if it is worked around
    code: list[str]
    lines: str


def cases() -> list[Case]:
    found = []
    relied_on, worked_around = PAGE.read_text().split("\n## What we work around\n")
    for is_worked_around, part in ((False, relied_on), (True, worked_around)):
        for section in part.split("\n### ")[1:]:
            title, _, rest = section.partition("\n")
            (lines,) = re.findall(r"```python\n(.*?)```", rest, re.DOTALL)
            (code,) = re.findall(r"^Code: (.*)$", rest, re.MULTILINE)
            seen_on = re.findall(r"^Seen on (.*)\.$", rest, re.MULTILINE)
            assert len(seen_on) == is_worked_around, title
            releases = seen_on[0].split(" and ") if seen_on else []
            found.append(Case(title, is_worked_around, releases, re.findall("`(.*?)`", code), lines))
    return found


CASES = cases()
HELD: list[dict[str, object]] = []  # DuckDB keeps a bare pointer to a function: none may go


def fails(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Return the name of the error that a statement ends with."""
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as error:
        return type(error).__name__
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_duckdb_does_as_the_page_says(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a case may go elsewhere
    error = None
    with duckdb.connect() as con:
        known = {"con": con, "fails": fails, "folder": tmp_path, "os": os, "pa": pa}
        known |= {"Path": Path, "subprocess": subprocess, "sys": sys, "threading": threading, "time": time}
        HELD.append(known)
        try:
            exec(case.lines, known)
        except (AssertionError, duckdb.Error) as found:
            error = found
        del known["con"]  # which would never be closed
    if RELEASES.isdisjoint(case.seen_on):
        assert error is None, f"DuckDB {duckdb.__version__}: {case.title}: {error}; see {PAGE.name}"
    else:
        assert error is not None, (
            f"DuckDB {duckdb.__version__} no longer does this: {case.title}. Say so in {PAGE.name}, and "
            f"delete what works around it where no supported release needs it: {', '.join(case.code)}"
        )


def test_the_code_that_the_page_names_is_there() -> None:
    for case in CASES:
        assert case.code
        for name in case.code:
            if "/" in name:
                assert (ROOT / name).exists(), name
            elif name.startswith("ranking_udfs."):
                module, _, member = name.rpartition(".")
                assert hasattr(importlib.import_module(module), member), name
            else:
                assert name.removeprefix("ranking.") in macros(), name

"""Run each case of RELIES_ON.md, which says what of DuckDB we rely on and work around."""

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
# The names of this release on the page; a later release counts as 2.0.1.
RELEASES = {"2.0", "2.0.0" if duckdb.__version__ == "2.0.0" else "2.0.1"}
if duckdb.__version__.startswith("1.5."):
    RELEASES = {"1.5"}


class Case(NamedTuple):
    title: str
    is_worked_around: bool
    seen_on: list[str]  # releases on which the lines fail, for a workaround
    code: list[str]
    lines: str


def cases() -> list[Case]:
    page_cases = []
    relied_on, worked_around = PAGE.read_text().split("\n## What we work around\n")
    for is_worked_around, part in ((False, relied_on), (True, worked_around)):
        for section in part.split("\n### ")[1:]:
            title, _, rest = section.partition("\n")
            (lines,) = re.findall(r"```python\n(.*?)```", rest, re.DOTALL)
            (code,) = re.findall(r"^Code: (.*)$", rest, re.MULTILINE)
            seen_on = re.findall(r"^Seen on (.*)\.$", rest, re.MULTILINE)
            assert len(seen_on) == is_worked_around, title
            releases = seen_on[0].split(" and ") if seen_on else []
            page_cases.append(Case(title, is_worked_around, releases, re.findall("`(.*?)`", code), lines))
    return page_cases


CASES = cases()
HELD: list[dict[str, object]] = []  # DuckDB keeps a bare pointer to a function, so none may be freed


def fails(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Return the name of the error that a statement raises, if any."""
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as error:
        return type(error).__name__
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_duckdb_behaves_as_the_page_says(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a case may change the directory
    error = None
    with duckdb.connect() as con:
        known = {"con": con, "fails": fails, "folder": tmp_path, "os": os, "pa": pa}
        known |= {"Path": Path, "subprocess": subprocess, "sys": sys, "threading": threading, "time": time}
        HELD.append(known)
        try:
            exec(case.lines, known)
        except (AssertionError, duckdb.Error) as raised:
            error = raised
        del known["con"]  # or it would never be closed
    if RELEASES.isdisjoint(case.seen_on):
        assert error is None, f"DuckDB {duckdb.__version__}: {case.title}: {error}; see {PAGE.name}"
    else:
        assert error is not None, (
            f"DuckDB {duckdb.__version__} no longer does this: {case.title}. Say so in {PAGE.name}, and "
            f"delete what works around it where no supported release needs it: {', '.join(case.code)}"
        )


def test_the_page_names_existing_code() -> None:
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

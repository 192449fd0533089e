"""Read stored runs from a folder as the table by_user; each run is a system."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..evaluation.defaults import K
from ..evaluation.errors import UsageError
from ..evaluation.options import GRADES
from ..evaluation.words import Row, in_unit
from ..measures.grammar import Choice, measure_of
from ..quoting import identifier, literal
from ..texts import shorten
from .evaluation import Evaluation
from .files import column_types, extension
from .manifest import cuts_of, differing_facts, missing_values, read_manifest, refused_run, stem

STORED = (".parquet", ".csv")  # files of evaluate --by-user, with a manifest
UNREAD = (".tsv", ".json", ".jsonl", ".ndjson")  # its other formats, which are not read


def natural_key(name: str) -> list[int | str]:
    """Return a sort key that sorts week2 before week10."""
    return [int(part) if i % 2 else part for i, part in enumerate(re.split("([0-9]+)", name))]


def run_name(path: str) -> str:
    """Return the name of a run: the name of its file without the extension."""
    return os.path.basename(stem(path))


def stored_files(folder: str) -> list[str]:
    """Return the files of runs in a folder, sorted by name."""
    if not os.path.isdir(folder):
        rule = "the one file must be a folder of runs, as evaluate --by-user FILE --manifest writes them"
        raise UsageError(f"track: {rule}, got {folder}; or add TRUTH after the runs")
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    for file in (file for file in files if extension(file) in UNREAD and not file.endswith(".manifest.json")):
        rule = f"runs must be {' or '.join(STORED)}"
        raise UsageError(f"track: {rule}, got {file}: write it again, or remove it")
    paths = [file for file in files if extension(file) in STORED]
    paths.sort(key=lambda path: (natural_key(run_name(path)), path))
    for path, other in pairwise(paths):
        if run_name(path) == run_name(other):
            raise UsageError(f"track: there must be one file of each run, got {path} and {other}")
    return paths


def read_runs(work: Evaluation, paths: Sequence[str]) -> list[str]:
    """Make by_user from runs with the same truth and options; return their names."""
    rule = "must be left out, as runs in a folder have been measured"
    work.refuse_options([*GRADES, "ties", "users"], rule)
    work.check_measures()
    queries: list[str] = []
    first: Row = {}
    for path in paths:
        made, rows = read_manifest(work.con, path)
        first = first or made
        others = {"truth": f"another truth than {paths[0]}", "users": f"other users than {paths[0]}"}
        for rule in differing_facts(made, first, paths[0], others):
            raise refused_run(work, path, rule)
        if not {"userid", "k"} <= {*column_types(work.con, rows)}:
            rule = "it must have userid and k, as evaluate --by-user writes: remove it"
            raise refused_run(work, path, rule)
        if not queries:
            work.request = replace(work.request, choices=stored_choices(work, rows))
        queries.append(stored_query(work, path, rows))
    names = [run_name(path) for path in paths]
    if queries:
        work.con.execute(work.request.make("by_user", "\nUNION ALL ".join(queries)))
        check_users(work, dict(zip(names, paths, strict=True)))
    return names


def stored_choices(work: Evaluation, rows: str) -> list[Choice]:
    """Return the requested measures; by default all measures of a run with a better direction."""
    columns = map(measure_of, column_types(work.con, rows))
    usual = (
        choice
        for choice in columns
        if choice.measure.has_cutoff and choice.measure.higher_is_better is not None
    )
    options = work.options
    return [
        replace(choice, cuts=choice.cuts or tuple(options.ks or cuts_of(work, choice, rows) or [K]))
        for choice in options.measures or usual
    ]


def stored_query(work: Evaluation, path: str, rows: str) -> str:
    """Return the query for the values of a run; raise UsageError for missing values or several models."""
    if "system" in column_types(work.con, rows):
        systems = work.con.execute(f"SELECT DISTINCT system::VARCHAR FROM {rows} ORDER BY ALL").fetchall()
        if len(systems) > 1:
            models = shorten(", ".join(str(name) for (name,) in systems))
            raise refused_run(work, path, f"it must be of one model, got {models}: write a file for each")
    for rule in missing_values(work, rows):
        raise refused_run(work, path, rule)
    values = (identifier(choice.name) for choice in work.request.choices)
    names = [
        "userid::VARCHAR AS userid",
        "k::BIGINT AS k",
        *(f"{value}::DOUBLE AS {value}" for value in values),
    ]
    return f"SELECT {literal(run_name(path))} AS system, {', '.join(names)} FROM {rows}"


def check_users(work: Evaluation, paths: dict[str, str]) -> None:
    """Raise UsageError for a user that some run lacks; the quote of --safe-csv changes an id, for example."""
    query = f"""SELECT userid, list_sort(list(DISTINCT system)) FROM {work.request.table("by_user")}
        GROUP BY userid HAVING count(DISTINCT system) < {len(paths)} ORDER BY userid LIMIT 1"""
    for user, runs in work.con.execute(query).fetchall():
        other = next(path for name, path in paths.items() if name not in runs)
        rule = in_unit("all runs must have the same users")
        raise refused_run(work, paths[runs[0]], f"{rule}, got {shorten(user)}, missing from {other}")

"""The problems of the data of an evaluation, as rows of ranking.check with their files and advice."""

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from ..compose.problems import Problem, problems
from ..evaluation.problems import BY_KIND, CAUSES, COLUMNS, DIRECTION, NOTHING, TIES, fit_advice
from ..evaluation.queries import Request, check_statements, fetch_rows, with_segments
from ..evaluation.words import Row
from ..measures.grammar import Choice
from ..options import ARGUMENTS
from ..quoting import identifier, literal
from ..texts import shorten, units, user_label
from .evaluation import Evaluation
from .tables import file_of

CHECKED = ("userid", "itemid", "score", "rel")  # the columns that problems of the check call by their names
# The part of an advice that says how scores are to be reversed.
DIRECTION_ADVICE = re.compile("write (?:--ascending|descending=False)(?:, or negate[^;]*)?")


def checked_request(of: Evaluation) -> Request:
    """Return the request for the check, which calls columns by their names in the files."""
    named = {ARGUMENTS[role]: column_in_files(of, role, "rec", "truth") for role in CHECKED}
    named = {argument: name for argument, name in named.items() if name}
    return replace(of.request, columns={**of.request.columns, **named})


def column_in_files(of: Evaluation, role: str, *tables: str) -> str:
    """Return a column's name in the files of these tables: `sku/product` if they differ, "" for none."""
    sources = chain(*(of.tables.sources.get(table, ()) for table in tables))
    names = dict.fromkeys(source.names.get(role, role) for source in sources if role in source.columns)
    return "/".join(names)


def find_problems(of: Evaluation) -> list[Row]:
    """Return the problems of the data, each with its `file` and with the advice `write`.

    A problem that the request allows has severity info and no advice. Problems that it settles, or that
    only concern measures which are not requested, are excluded.
    """
    of.step("checking the data")
    request = checked_request(of)
    rows = fetch_rows(of.con, check_statements(request))
    gains = {choice.options.get("gain") for choice in request.choices}
    of_no_use = {  # codes that do not matter for this request
        "shorter_than_truth": not any(map(is_of_cut_ideal, request.choices)),
        "fractional_grade": "exp" not in gains,
        **dict.fromkeys(("not_in_truth", "ties_without_truth"), request.predicted_truth),  # expected
        **dict.fromkeys(TIES, request.ties != "item"),
        "unlisted_items": {*CAUSES} & {row["code"] for row in rows},
    }
    is_filled_up = any(source.is_filled for source in of.tables.sources.get("truth", ()))
    filled_up = ("null_in_truth", request.columns["item_col"]) if is_filled_up else None
    turned = {row["system"] for row in rows if row["code"] == "upside_down"}
    shown: list[Row] = []
    for row in rows:
        is_empty = row["system"] in of.tables.empty
        if of_no_use.get(row["code"]) or (is_empty and row["code"] == "null_in_rec"):
            continue
        if (row["code"], row["column_name"]) == filled_up:
            continue
        if is_empty and row["code"] == NOTHING:
            problem = f"rec: the list of every {units(1)} is empty"
            row = {**row, "code": "no_rows", "problem": problem, "example": None}
        shown.append(with_advice(of, request, row, turned))
    return shown


def is_of_cut_ideal(choice: Choice) -> bool:
    """Return whether this is NDCG of the whole list with an ideal ranking of the same length."""
    return choice.measure.name == "ndcg" and choice.options["ideal"] == "cut" and None in choice.cuts


def with_advice(of: Evaluation, request: Request, row: Row, turned: Collection[str | None]) -> Row:
    """Return a problem with its file and advice; the scores of models in `turned` are reversed."""
    files, name = of.tables.files, row["code"]
    file, kind = files.get(row["system"], files.get(None)), problems()[name]
    row = with_file(of, request, row, kind, file)
    if name in request.allowed:
        return {**row, "severity": "info"}
    given = [table for table in ("history", "items", "predicted_truth") if getattr(request, table)]
    write = kind.advice(of.inputs.way, given)
    if write and name in DIRECTION:
        write = DIRECTION_ADVICE.sub(lambda _: direction_hint(of, row["system"], file, turned), write)
    if write and name in BY_KIND:
        write = fit_advice(write, row["example"])
    return {**row, "write": write}


def with_file(of: Evaluation, request: Request, row: Row, kind: Problem, file: str | None) -> Row:
    """Return a problem with its file and the names of columns there; `file` is that of rec."""
    others = {table: file_of(path) for table, (path, _) in of.inputs.other_tables.items()}
    word = re.match("(rec|truth|history|items)(?::| must)", row["problem"])
    about = word[1] if word else None if row["code"] == "unfit_column" else kind.about
    row = {**row, "file": file if about == "rec" else others.get(str(about)), "write": None}
    if word and word[1] in ("rec", "truth"):
        row = with_names_of(of, request, word[1], row)
    if row["code"] == "several_ids" and row["file"]:
        row = {**row, "example": f"{row['example'].removesuffix('truth')}{literal(row['file'])}"}
    return row


def with_names_of(of: Evaluation, request: Request, table: str, row: Row) -> Row:
    """Return a problem of one table with the names of the columns of its files."""
    changed = dict(row)
    for role in CHECKED:
        of_all, own = request.columns[ARGUMENTS[role]], column_in_files(of, role, table)
        for name in ("problem", "column_name", "example"):
            if row[name] and own not in ("", of_all):
                text = changed[name].replace(identifier(of_all), identifier(own))
                changed[name] = text.replace(of_all, own)
    return changed


def direction_hint(
    of: Evaluation, system: str | None, file: str | None, turned: Collection[str | None]
) -> str:
    """Return the advice that reverses the direction of the scores of a system."""
    systems = of.request.systems
    if system in of.tables.ranked:
        return "reverse the lists"
    are_all = {*systems} <= {*turned} or len(systems) < 2
    descending, negated = of.request.columns["descending"], of.tables.negated
    if of.request.dashes:
        return command_direction_hint(of, system, file, are_all)
    if are_all and not of.inputs.directions:
        return f"write descending={not descending}"
    wrong = {*turned, system}
    lowest = [name for name in systems if (descending == (name in negated)) != (name in wrong)]
    return f"write descending={dict.fromkeys(lowest, False) or True}"


def command_direction_hint(of: Evaluation, system: str | None, file: str | None, are_all: bool) -> str:
    """Return the arguments of the command that reverse the direction of the scores of a system."""
    descending = of.request.columns["descending"]
    if system in of.tables.files and len(of.tables.files) > 1:
        is_best = descending != (system in of.tables.negated)  # whether the highest score is the best
        return f"write {system}={file}:{'ascending' if is_best else 'descending'}"
    if are_all:
        return "write --ascending" if descending else "remove --ascending"
    return f"negate the scores of {shorten(system)}"


def several_segments(of: Evaluation) -> list[Row]:
    """Return a note with the number of evaluated users in several segments, if there are any."""
    users = with_segments(of.request, f"(SELECT DISTINCT userid FROM {of.request.table('by_user')})")
    counts = "SELECT userid, count(*) > 1 AS is_several"
    user = user_label(of.inputs.columns["user_col"])
    query = f"""SELECT count_if(is_several) AS count, count(*) AS of,
            {literal(f"{user} ")} || min(userid) FILTER (is_several) AS example
        FROM ({counts} FROM {users} GROUP BY userid)"""
    (row,) = fetch_rows(of.con, query)
    text = f"{units()} in several segments, counted in each"
    return [note_of(of, "several_segments", text, row, "segments")] if row["count"] else []


def note_of(of: Evaluation, code: str, text: str, counts: Row, table: str) -> Row:
    """Return a row like those of the check, for what concerns this request alone."""
    row: Row = {**dict.fromkeys(COLUMNS), "severity": "info", "code": code, "problem": text}
    return {**row, **counts, "file": file_of(of.inputs.other_tables[table][0])}


def needs_met(request: Request, needed: str | None) -> bool:
    """Return whether the request has the argument that a problem needs."""
    skips = request.columns["unjudged"] == "skip"
    return needed is None or bool(skips if needed == "unjudged" else getattr(request, needed))


def nothing_found(request: Request) -> str:
    """Return a sentence for data without a problem."""
    tests = sum(needs_met(request, kind.needs) for kind in problems().values())
    return f"No problem found by {tests} tests."

"""Requests as the other rooms take them, made of argparse's Namespace, which they do not know."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..evaluation import defaults
from ..evaluation.columns import Columns
from ..evaluation.comparison import OPTIONS, ComparisonOptions
from ..evaluation.queries import Request, resolve_cut_offs
from ..inputs.catalogs import Catalog, Database
from ..inputs.files import extension
from ..inputs.tables import Inputs
from ..measures.grammar import parse_measure
from .gates import Condition


@dataclass(frozen=True)
class Job:
    """A request with the settings and outputs of the command.

    inputs         what to read
    request        what to find out
    options        how to compare
    settings       of DuckDB
    database       the database whose tables may be named
    check          whether to look for problems in the data
    allow_empty    whether a model may have no user or no item in common with truth
    quiet          whether to print nothing but errors
    output         where text goes; None to print it
    format         of that
    digits         significant digits of numbers; None for the format's default
    by_user        where the values of each user go, if anywhere
    is_long        whether to give a row per measure
    is_by_letter   whether to print models with letters in place of differences
    is_safe        whether to make CSV safe for spreadsheets
    fail_if        the conditions that make the command fail
    figures        the folder for charts as files, if any
    figure_format  of those
    user_id        the user whose lists are explained
    persistence    how much less a rank counts than the one above it, where lists are compared
    """

    inputs: Inputs
    request: Request
    options: ComparisonOptions
    settings: Mapping[str, Any]
    database: str | None
    check: bool
    allow_empty: bool
    quiet: bool
    output: str | None
    format: str
    digits: int | None = None
    by_user: str | None = None
    is_long: bool = False
    is_by_letter: bool = False
    is_safe: bool = False
    fail_if: Sequence[Condition] = ()
    figures: str | None = None
    figure_format: str = "svg"
    user_id: str = ""
    persistence: float = defaults.PERSISTENCE


def parse_request(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of the command's function: a job, or a few where no files are read."""
    given = vars(arguments)
    if arguments.command == "split":
        return {"events": arguments.events, "output": arguments.output} | {
            "columns": {name: given[name] for name in ("user", "item", "time")},
            "spans": {name: given[name] for name in ("test_from", "test_size", "gap")},
            "options": {name: given[name] for name in ("folds", "last", "cold_users", "cold_items", "seen")},
        }
    if "files" not in given:
        return {name: value for name, value in given.items() if name != "command"}
    inputs = inputs_of(arguments)
    settings = {"threads": arguments.threads, "memory_limit": arguments.memory_limit}
    if arguments.command == "fuse":
        options = {name: given[name] for name in ("method", "weights", "rrf_k", "normalize", "depth")}
        more = {name: given[name] for name in ("output", "database", "quiet")}
        return {"inputs": inputs, "settings": settings, "options": options, **more}
    optional = {
        "is_long": given.get("long"),
        "is_by_letter": given.get("pairs"),
        "is_safe": given.get("safe_csv"),
        **{name: given.get(name) for name in OPTIONAL},
    }
    job = Job(
        inputs=inputs,
        request=request_of(arguments, inputs),
        options=ComparisonOptions(**{name: given[name] for name in OPTIONS if name in given}),
        settings=settings,
        database=arguments.database,
        check=not arguments.no_check,
        allow_empty=arguments.allow_empty,
        quiet=arguments.quiet,
        output=arguments.output,
        format=given.get("format") or "html",
        **{name: value for name, value in optional.items() if value is not None},
    )
    return {"job": job}


OPTIONAL = ("digits", "by_user", "fail_if", "figures", "figure_format", "user_id", "persistence")


def inputs_of(arguments: argparse.Namespace) -> Inputs:
    names = {f"{name}_col": getattr(arguments, name) for name in ("user", "item", "score", "grade", "system")}
    catalog, prefix = Catalog(), ""
    if arguments.database is not None:
        catalog, prefix = Database(arguments.database), "_ranking_command_"
    return Inputs(
        recs=arguments.files[:-1] if arguments.has_truth else arguments.files,
        truth=arguments.files[-1] if arguments.has_truth else "",
        columns=Columns(
            **{name: value for name, value in names.items() if value is not None},
            descending=not arguments.ascending,
            min_grade=arguments.min_grade,
            unjudged=arguments.unjudged,
        ),
        segment=arguments.segment,
        form=arguments.format_in,
        parts=arguments.parts,
        catalog=catalog,
        prefix=prefix,
        history=getattr(arguments, "history", None),
        items=getattr(arguments, "items", None),
        time=getattr(arguments, "time", None),
        is_command=True,
    )


def request_of(arguments: argparse.Namespace, inputs: Inputs) -> Request:
    usual = [parse_measure(name) for name in arguments.usual]
    chosen, ks = resolve_cut_offs(arguments.measures or usual, arguments.k or [])
    by_user = getattr(arguments, "by_user", None)
    request = Request(
        choices=chosen,
        ks=ks,
        ties=arguments.ties,
        descending=inputs.columns.descending,
        by_segment=inputs.segment is not None,
        by_user=by_user is not None,
        prefix=inputs.prefix,
        columns=inputs.columns,
        history=inputs.history is not None,
        items=inputs.items is not None,
        head=getattr(arguments, "head", defaults.HEAD),
        divergence=getattr(arguments, "divergence", defaults.DIVERGENCE),
        time=inputs.time,
    )
    is_csv = by_user is not None and extension(by_user) in (".csv", ".tsv")
    return replace(request, safe_text=is_csv and arguments.safe_csv)

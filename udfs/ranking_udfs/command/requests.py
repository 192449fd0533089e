"""Requests as the other rooms take them, made of argparse's Namespace, which they do not know."""

import argparse
from dataclasses import dataclass, replace
from typing import Any

from ..evaluation.columns import Columns
from ..evaluation.comparison import OPTIONS, ComparisonOptions
from ..evaluation.queries import Request, resolve_cut_offs
from ..inputs.catalogs import Catalog, Database
from ..inputs.files import extension
from ..inputs.tables import Inputs
from ..measures.grammar import parse_measure
from .options import commands, name_of


@dataclass(frozen=True)
class Job:
    """The inputs, measures and comparison that a command asks for, and its options by their names."""

    inputs: Inputs
    request: Request
    comparison: ComparisonOptions
    options: Any


def parse_request(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of the command's function: a job, or its options where no REC is read."""
    arguments.fail_if = arguments.fail_if or []
    given, command = vars(arguments), commands()[arguments.command]
    if command.operand != "files":
        return {name: given[name] for name in (command.operand, *map(name_of, command.options))}
    inputs = inputs_of(arguments)
    comparison = ComparisonOptions(**{name: given[name] for name in OPTIONS})
    return {"job": Job(inputs, request_of(arguments, inputs), comparison, arguments)}


def inputs_of(arguments: argparse.Namespace) -> Inputs:
    names = {f"{name}_col": getattr(arguments, name) for name in ("user", "item", "score", "grade", "system")}
    catalog, prefix = Catalog(), ""
    if arguments.database is not None:
        catalog, prefix = Database(arguments.database), "_ranking_command_"
    has_truth = commands()[arguments.command].has_truth
    return Inputs(
        recs=arguments.files[:-1] if has_truth else arguments.files,
        truth=arguments.files[-1] if has_truth else "",
        columns=Columns(
            **{name: value for name, value in names.items() if value is not None},
            descending=not arguments.ascending or bool(arguments.ascending_names),
            min_grade=arguments.min_grade,
            unjudged=arguments.unjudged,
        ),
        segment=arguments.segment,
        form=arguments.format_in,
        parts=arguments.parts,
        ascending=arguments.ascending_names,
        catalog=catalog,
        prefix=prefix,
        history=arguments.history,
        items=arguments.items,
        time=arguments.time,
        is_command=True,
    )


def request_of(arguments: argparse.Namespace, inputs: Inputs) -> Request:
    usual = [parse_measure(name) for name in arguments.usual]
    chosen, ks = resolve_cut_offs(arguments.measures or usual, arguments.k or [])
    request = Request(
        choices=chosen,
        ks=ks,
        ties=arguments.ties,
        descending=inputs.columns.descending,
        by_segment=inputs.segment is not None,
        by_user=arguments.by_user is not None,
        prefix=inputs.prefix,
        columns=inputs.columns,
        history=inputs.history is not None,
        items=inputs.items is not None,
        head=arguments.head,
        divergence=arguments.divergence,
        time=inputs.time,
    )
    is_csv = arguments.by_user is not None and extension(arguments.by_user) in (".csv", ".tsv")
    return replace(request, safe_text=is_csv and arguments.safe_csv)

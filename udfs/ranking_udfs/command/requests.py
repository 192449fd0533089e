"""Requests as the other packages take them, made of the command's options by their names."""

from dataclasses import dataclass, replace
from typing import Any

from ..evaluation.columns import Columns
from ..evaluation.comparison import OPTIONS, ComparisonOptions
from ..evaluation.defaults import COMPARED_MEASURES, MEASURES
from ..evaluation.queries import Request, resolve_cut_offs
from ..inputs.catalogs import Catalog, Database
from ..inputs.files import extension
from ..inputs.tables import Inputs
from ..measures.grammar import parse_measure
from .options import COMMANDS


@dataclass(frozen=True)
class Job:
    """The inputs, measures and comparison that a command asks for, and its options by their names."""

    inputs: Inputs
    request: Request
    comparison: ComparisonOptions
    options: Any


def parse_job(given: Any) -> Job:
    """Return the job that a command's options ask for."""
    inputs = inputs_of(given)
    comparison = ComparisonOptions(**{name: getattr(given, name) for name in OPTIONS})
    return Job(inputs, request_of(given, inputs), comparison, given)


def inputs_of(given: Any) -> Inputs:
    names = {f"{name}_col": getattr(given, name) for name in ("user", "item", "score", "grade", "system")}
    catalog, prefix = Catalog(), ""
    if given.database is not None:
        catalog, prefix = Database(given.database), "_ranking_command_"
    has_truth = COMMANDS[given.command].has_truth
    return Inputs(
        recs=given.files[:-1] if has_truth else given.files,
        truth=given.files[-1] if has_truth else "",
        columns=Columns(
            **{name: value for name, value in names.items() if value is not None},
            descending=not given.ascending or bool(given.names_ascending),
            min_grade=given.min_grade,
            unjudged=given.unjudged,
        ),
        segment=given.segment,
        form=given.format_in,
        parts=given.parts,
        ascending=given.names_ascending,
        catalog=catalog,
        prefix=prefix,
        history=given.history,
        items=given.items,
        time=given.time,
        is_command=True,
    )


def request_of(given: Any, inputs: Inputs) -> Request:
    names = COMPARED_MEASURES if given.command in ("compare", "report") else MEASURES
    usual = [parse_measure(name) for name in names]
    chosen, ks = resolve_cut_offs(given.measures or usual, given.ks)
    request = Request(
        choices=chosen,
        ks=ks,
        ties=given.ties,
        descending=inputs.columns.descending,
        by_segment=inputs.segment is not None,
        by_user=given.by_user is not None,
        prefix=inputs.prefix,
        columns=inputs.columns,
        history=inputs.history is not None,
        items=inputs.items is not None,
        head=given.head,
        divergence=given.divergence,
        time=inputs.time,
    )
    is_csv = given.by_user is not None and extension(given.by_user) in (".csv", ".tsv")
    return replace(request, safe_text=is_csv and given.safe_csv)

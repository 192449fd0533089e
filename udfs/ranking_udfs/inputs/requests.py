"""Make the request of an evaluation from its options, and refuse options that cannot be combined."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from ..compose.columns import COMMAND
from ..evaluation.defaults import MEASURES, NO_CLOSED_FORM
from ..evaluation.errors import UsageError
from ..evaluation.queries import Request
from ..evaluation.words import cut_off_key
from ..measures.contents import BY_USER, CONTENTS
from ..measures.grammar import Choice, merge_choices, parse_measure
from ..measures.registry import COMPARED_MEASURES, Measure
from ..options import COMPARISON, OPTIONS
from ..texts import shorten, units
from .tables import Inputs

# The tables for beyond-accuracy measures, and how to pass them to the command and in Python.
BEYOND_ACCURACY_TABLES = {
    "history": ("--history FILE", "history=..."),
    "items": ("--items FILE:COLUMN", "items=..."),
}
# What these options must be, None for left out, with model-generated labels.
WITH_PREDICTED = {"test": "t", "without_relevant": "zero", "users": None, "against": None, "also": None}


def make_request(function: str, inputs: Inputs, given: Mapping[str, Any], **more: Any) -> Request:
    """Return the request of these options; raises UsageError for options that cannot be combined.

    A measure without cutoffs of its own is computed at `ks` (10). If any measure has its own cutoffs, all
    cutoffs are sorted.
    """
    usual = {name: option.default for name, option in OPTIONS.items() if option.default is not ...}
    options = {**usual, **given}
    names = COMPARED_MEASURES if function in ("compare", "report") else MEASURES
    measures = options["measures"] or [parse_measure(name) for name in names]
    named = {*chain.from_iterable(choice.cuts for choice in measures)}
    ks = list(dict.fromkeys(options["ks"]))
    tables = ("history", "items", "users", "predicted_truth")
    more |= {name: getattr(inputs, name) is not None for name in tables}
    request = Request(
        merge_choices(measures, ks),
        sorted({*ks, *named}, key=cut_off_key) if named else ks,
        function=function,
        dashes="--" * (inputs.way == COMMAND),
        is_checked=options["check"],
        allowed=options["allow"] or (),
        by_segment=inputs.segment is not None,
        by_user=function in ("compare", "report") or bool(options.get("by_user")),
        prefix=inputs.prefix,
        columns=inputs.columns,
        confidence=(options["confidence"] or 0) if function == "evaluate" else 0,
        also=options["also"] or (),
        time=inputs.time,
        comparison={name: options[name] for name in COMPARISON.split()},
        **more,
        **{name: options[name] for name in ("ties", "head", "divergence")},
    )
    check_options(request, {**options, "users": inputs.users})
    if function in ("evaluate", "compare"):
        request = separate_beyond_accuracy(request)
    if function == "compare":
        check_measures(request)
    return request


def check_options(request: Request, options: Mapping[str, Any]) -> None:
    """Raise UsageError for options that cannot be combined with ties, other columns or labels by a model."""
    check_ties(request, request.choices)
    also = [column.name.lower() for column in request.also]
    if len({*also}) < len(also):
        raise request.refused("also must name each column once", ", ".join(also))
    given = {**options, "also": ", ".join(also) or None}
    for option, usual in WITH_PREDICTED.items() if request.predicted_truth else ():
        if given.get(option) not in (None, usual):
            rule = f"{option} must be {usual or 'left out'} with {request.dashes}predicted_truth"
            rule = rule.replace("_", "-") if request.dashes else rule
            raise request.refused(rule, shorten(given[option]))


def check_ties(request: Request, choices: Iterable[Choice]) -> None:
    """Raise UsageError for a measure without an expected value over the orders of equal scores."""
    for choice in choices if request.ties == "expected" else ():
        if not choice.measure.expected:
            rule = f"ties must be item or trec with {choice.name}, which {NO_CLOSED_FORM}"
            raise request.refused(rule, "expected")


def separate_beyond_accuracy(request: Request) -> Request:
    """Separate beyond-accuracy measures from ranking measures; raise UsageError for unfit measures.

    `evaluate` adds all available beyond-accuracy measures if none is requested.
    """
    beyond_accuracy = [choice for choice in request.choices if choice.measure.name in CONTENTS]
    for choice in beyond_accuracy:
        check_beyond_accuracy(request, choice)
    if request.function == "evaluate" and (request.history or request.items) and not beyond_accuracy:
        usual = (measure for measure in CONTENTS.values() if not missing_tables(request, measure))
        beyond_accuracy = [Choice(measure, {}, {}, tuple(request.ks)) for measure in usual]
    if beyond_accuracy and request.predicted_truth:
        rule = "measures must be measures of relevance with labels by a model"
        raise request.refused(rule, beyond_accuracy[0].name)
    check_ties(request, beyond_accuracy)
    choices = [choice for choice in request.choices if choice.measure.name not in CONTENTS]
    return replace(request, choices=choices, beyond_accuracy=beyond_accuracy)


def missing_tables(request: Request, measure: Measure) -> list[str]:
    """Return the tables that a beyond-accuracy measure needs and that are not given."""
    given = {name for name in BEYOND_ACCURACY_TABLES if getattr(request, name)}
    return [argument for argument in measure.arguments[1:] if not {*argument.split(" or ")} & given]


def check_beyond_accuracy(request: Request, choice: Choice) -> None:
    """Raise UsageError for a beyond-accuracy measure without its tables, or without values of users."""
    if needed := " and ".join(missing_tables(request, choice.measure)):
        for name, forms in BEYOND_ACCURACY_TABLES.items():
            needed = needed.replace(name, forms[not request.dashes])
        raise UsageError(f"{request.function}: {choice.name} needs {needed}")
    if request.function == "compare" and choice.measure not in BY_USER:
        rule = f"measures must have a value for each {units(1)}"
        raise request.refused(rule, f"{choice.name}, a measure of all lists together")


def check_measures(request: Request) -> None:
    """Raise UsageError for a measure without a better direction, except those beyond accuracy."""
    for choice in request.choices:
        if choice.measure.higher_is_better is None:
            raise request.refused("measures must say which of two models is better", choice.name)


def check_baseline(request: Request) -> None:
    """Raise UsageError if the baseline is unknown."""
    baseline = request.comparison["baseline"]
    if baseline is not None and baseline not in request.systems:
        there = shorten(", ".join(request.systems)) or "there is one, without a name"
        raise request.refused(f"baseline must be a model ({there})", repr(shorten(baseline)))


def check_models(request: Request) -> None:
    """Raise UsageError if there are fewer than two models, or if the baseline is unknown."""
    systems = request.systems
    if len(systems) < 2:
        example = "a=a.csv b=b.csv" if request.dashes else "{'a': rec_a, 'b': rec_b}"
        got = f"one, {shorten(systems[0])!r}" if systems else "one"
        rule = f"there must be two models or more, as in {example}, got {got}"
        raise UsageError(f"{request.function}: {rule}")
    check_baseline(request)

"""An evaluation: it loads, checks, measures and compares; entry points and the report call it and format."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import duckdb

from ..duckdb.statements import identifier, literal
from ..evaluation.comparison import check_measures, check_systems, compare_queries, segment_tables
from ..evaluation.defaults import COMPARED_MEASURES, EVERYBODY, MEASURES
from ..evaluation.errors import DataError
from ..evaluation.options import LISTS, ComparisonOptions, names_of
from ..evaluation.problems import CODES, check_common, with_advice
from ..evaluation.queries import Plan, Request, fetch_rows, plan, resolve_cut_offs, with_contents
from ..evaluation.words import COUNTS, OF_LISTS, Row
from ..measures.grammar import parse_measure
from .tables import Inputs, Tables, load, systems_of


def silent(_: Any) -> None:
    """Say nothing."""


@dataclass
class Evaluation:
    """An evaluation: its connection, what it reads, and what it was asked for.

    `given` has all options of `evaluation/options.py` by their names, and by_user; its measures are parsed.
    """

    con: duckdb.DuckDBPyConnection
    caller: str  # the function or command that errors name
    inputs: Inputs
    given: Any
    notify: Callable[[Row], None] = silent  # is called with each problem that is found
    step: Callable[[str], None] = silent  # is called with the name of each step when it begins

    def __post_init__(self) -> None:
        """Make the request and the options of a comparison of what is given."""
        given, inputs = vars(self.given), self.inputs
        self.options = ComparisonOptions(**{name: given[name] for name in names_of(ComparisonOptions)})
        self.is_checked, self.allow_empty = given["check"], given["allow_empty"]
        usual = COMPARED_MEASURES if self.caller in ("compare", "report") else MEASURES
        measures = given["measures"] or [parse_measure(name) for name in usual]
        choices, ks = resolve_cut_offs(measures, given["ks"])
        self.request = Request(
            choices,
            ks,
            by_segment=inputs.segment is not None,
            by_user=self.caller == "compare" or bool(given["by_user"]),
            prefix=inputs.prefix,
            columns=inputs.columns,
            history=inputs.history is not None,
            items=inputs.items is not None,
            time=inputs.time,
            **{name: given[name] for name in ("ties", *LISTS)},
        )

    @property
    def dashes(self) -> str:
        """Return the hyphens before the name of an option in an error, or nothing."""
        return "--" * self.inputs.is_command

    def prepare(self) -> None:
        """Put apart what is in the lists, and check that the request can be met, before files are read.

        Raises:
            UsageError: it cannot.
        """
        self.request = with_contents(self.request, self.caller, self.inputs.is_command)
        if self.caller == "compare":
            check_measures(self.request, self.caller, self.dashes)

    @cached_property
    def tables(self) -> Tables:
        """The TEMP tables of the files, which are made here."""
        return load(self.con, self.inputs)

    @cached_property
    def systems(self) -> list[str]:
        """The models, in the order of their files; none where no column tells them apart."""
        return systems_of(self.con, self.tables)

    @cached_property
    def plan(self) -> Plan:
        """The statements and queries; tables by segment are for a comparison alone."""
        steps = plan(self.request, self.tables.has_system)
        more = segment_tables(self.request) if self.caller == "compare" else []
        return replace(steps, tables=[*steps.tables, *more])

    @property
    def statements(self) -> list[str]:
        """All statements that make the tables."""
        return [*self.tables.statements, *self.plan.tables]

    def check_users(self) -> None:
        """Raise DataError if the truth has no user."""
        users = f"FROM {self.tables.prefix}truth WHERE userid IS NOT NULL LIMIT 1"
        if not fetch_rows(self.con, f"SELECT 1 {users}"):
            raise DataError(f"{self.inputs.truth}: no user to evaluate")

    def check_models(self) -> None:
        """Raise UsageError where there are not two models, or not that baseline."""
        example = "a=a.csv b=b.csv" if self.inputs.is_command else "{'a': rec_a, 'b': rec_b}"
        check_systems(self.systems, self.options.baseline, self.caller, self.dashes, example)

    def problems(self) -> list[Row]:
        """Return the problems of the data, with their files and what to do."""
        self.step("checking the data")
        return with_advice(
            fetch_rows(self.con, self.plan.check),
            {row["code"]: row for row in fetch_rows(self.con, CODES)},
            self.tables.files,
            self.tables.truth,
            systems=self.systems,
            is_command=self.inputs.is_command,
            request=self.request,
            allow_empty=self.allow_empty,
            history=self.tables.history,
        )

    def make_tables(self) -> list[Row]:
        """Make the tables of the plan; return the problems of the data if they are looked for.

        Raises:
            NothingInCommonError: a model has no user or no item in common with truth.
        """
        self.check_users()
        self.step("ranking")
        for statement in self.plan.tables:
            self.con.execute(statement)
        problems = self.problems() if self.is_checked else []
        for row in problems:
            self.notify(row)
        if not self.allow_empty:
            check_common(problems)
        return problems

    def summary(self) -> str:
        """Return the query for the means of all users and of segments: models, segments and k in order."""
        request, steps, systems = self.request, self.plan, self.systems
        names = ["system"] * bool(systems) + ["segment"] * request.by_segment + ["k::BIGINT AS k", *COUNTS]
        counts = [*OF_LISTS][: 1 + request.history] if request.contents else []
        names += [identifier(choice.name) for choice in request.choices] + counts
        names += [identifier(choice.name) for choice in request.contents]
        source, order = f"({steps.summary})", []
        if steps.by_segment:
            everybody = f"SELECT 0 AS is_segment, {literal(EVERYBODY)} AS segment, * FROM {source}"
            source = f"({everybody}\nUNION ALL BY NAME SELECT 1 AS is_segment, * FROM ({steps.by_segment}))"
            order.append("is_segment")
        if systems:
            order.append(f"list_position([{', '.join(map(literal, systems))}], system)")
        order += ["segment"] * request.by_segment
        cuts = ", ".join("-1" if k is None else str(k) for k in request.ks)
        order.append(f"list_position([{cuts}]::BIGINT[], coalesce(k, -1)::BIGINT)")
        return f"SELECT {', '.join(names)}\nFROM {source}\nORDER BY {', '.join(order)}"

    def comparisons(self) -> list[list[str]]:
        """Return the queries of the comparisons of all users, and if there are segments, of each."""
        return compare_queries(self.request, self.options)

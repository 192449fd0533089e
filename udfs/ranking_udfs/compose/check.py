"""A call of ranking.check or ranking.check_rows: errors in columns become rows of the result."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from ..measures.grammar import parse_measures
from ..options import GRADES
from ..quoting import sql_value
from ..texts import UNIT, filled, units, user_label
from .arguments import check_predicted_users
from .call import Call
from .columns import Names, parse_columns, row_type
from .columns import problems as problems_of_columns
from .problems import FORMS, Entry, Problem, problems
from .templates import environment, literal

# The passes of check.jinja that look at rows, with the user and item of a row. Problems of `cuts` are looked
# for in `user_lists`, which have a row for the whole list and one for each k.
PASSES = {
    "user_lists": ("user", "NULL"),
    "pairs": ("userid", "itemid"),
    "users": ("userid", "NULL"),
    "served": ("userid", "NULL"),
    "matched": ("NULL", "NULL"),
}
NOT_READ = "{}: columns that look like {} are not read"
GUARDS = {"user_lists": "CASE WHEN is_whole THEN {} END", "cuts": "CASE WHEN NOT is_whole THEN {} END"}
USUAL = dict.fromkeys(("k", "column_name", "severity", "example", "problem", "row"), "NULL") | dict.fromkeys(
    ("of", "user", "item", "value"), ""
)


@dataclass(frozen=True, kw_only=True)
class CheckCall(Call):
    """A call of the check. Any column may be missing, or have any type."""

    passes: ClassVar = tuple(PASSES)
    grades_not_read: ClassVar = NOT_READ.format("truth", "grades")
    history: str | None = None
    items: str | None = None
    predicted_truth: str | None = None
    time: str | None = None
    known: Mapping[str, Mapping[str, str]] | None = None  # the columns of the tables, if they are known

    @classmethod
    def read_fields(cls, function: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a call for its arguments."""
        if values.get("predicted_truth") is not None:
            check_predicted_users(values["users"], values["without_relevant"])
        return super().read_fields(function, values)

    def with_types(self, types: Mapping[str, Mapping[str, str]]) -> "CheckCall":
        return replace(self, known=types)

    # --- The tables ---

    @cached_property
    def truths(self) -> str:
        """CTE with the rows of truth."""
        return "truths" if self.users is not None else "_ranking_truth"

    @cached_property
    def rec_names(self) -> list[str]:
        return [self.user, self.item, self.score, self.system or "system", "rank"]

    @cached_property
    def truth_names(self) -> list[str]:
        times = [self.time_name] * (self.history is not None)
        return [self.user, self.item, *filter(None, [self.grade_name]), *times]

    @cached_property
    def grade_name(self) -> str:
        return "rel" if self.grade is None else self.grade

    @cached_property
    def known_truth(self) -> Mapping[str, str] | None:
        return self.known[self.truth] if self.known else None

    @cached_property
    def time_name(self) -> str:
        return "time" if self.time is None else self.time or "ranking_time"

    @cached_property
    def names(self) -> Names:
        return replace(super().names, category="", min_grade=None)

    @cached_property
    def column_findings(self) -> str:
        """SQL of the problems of columns: a LIST of code, column, problem and example."""
        if self.is_portable:
            raised = f"error({literal(f'{self.caller}: ')} || problem)"
            pairs = f"CASE WHEN problem IS NULL THEN []::VARCHAR[][] ELSE {raised} END"
            return f"(SELECT {pairs} FROM (SELECT {self.column_problem} AS problem))"
        if self.known:
            tables = {role: self.known[name] for role, name in self.tables.items()}
            found = findings(self.names, tables)
            rows = (
                f"[{', '.join('NULL' if cell is None else literal(cell) for cell in row)}]" for row in found
            )
            return f"[{', '.join(rows)}]::VARCHAR[][]"
        arguments = [
            literal(json.dumps([asdict(self.names), [*self.tables]])),
            *(row_type(f"query_table({literal(name)})") for name in self.tables.values()),
        ]
        return f"system.main._ranking_column_findings({', '.join(arguments)})"

    # --- The problems ---

    @cached_property
    def is_irrelevant(self) -> str:
        """SQL condition for a non-relevant grade, to be written after the grade."""
        return f"< {self.lowest_grade}" if self.lowest_grade else "<= 0"

    @cached_property
    def kept(self) -> str:
        """MATERIALIZED for check_rows, which reads CTEs twice: for the counts and for the failing rows."""
        return "MATERIALIZED" if self.function == "check_rows" else "NOT MATERIALIZED"

    @cached_property
    def possible(self) -> list[Problem]:
        """Problems whose arguments are there."""
        there = {name for name in ("history", "items", "predicted_truth") if getattr(self, name) is not None}
        there |= {"unjudged"} if self.condensed else set()
        return [problem for problem in problems().values() if problem.needs is None or problem.needs in there]

    @cached_property
    def words(self) -> dict[str, str]:
        """Values of the placeholders in sentences and expressions."""
        words = {
            "user": self.user,
            "user_label": self.user_label,
            "item": self.item,
            "score": self.score,
            "grade": self.grade_name,
        }
        return words | {"least": "above 0" if self.min_grade is None else f"{self.min_grade:g} or above"}

    @cached_property
    def user_label(self) -> str:
        return user_label(self.user)

    @cached_property
    def codes(self) -> list[str]:
        """Possible problems as SQL: place, code, shares and sentence."""
        return [
            f"{problem.place}, '{problem.code}', {', '.join(map(sql_value, problem.shares))}, "
            f"{literal(filled(problem.text, {**UNIT.get(), **self.words}))}"
            for problem in self.possible
        ]

    @cached_property
    def all_parts(self) -> dict[str, list[dict[str, str]]]:
        """The columns that each pass computes for each entry of a problem."""
        parts: dict[str, list[dict[str, str]]] = {}
        words = {name: literal(word) for name, word in self.words.items()}
        words |= {"cutoff": self.cutoff, "skips_users": str(self.without_relevant == "skip").lower()}
        words |= {"units": units()}
        for problem in self.possible:
            numbers = Counter[str]()  # of the entries in a pass
            for entry in problem.entries:
                source = "user_lists" if entry.source == "cuts" else entry.source
                parts.setdefault(source, []).append(part_of(problem, entry, numbers[source], words))
                numbers[source] += 1
        return parts

    def parts(self, source: str) -> list[dict[str, str]]:
        return self.all_parts.get(source, [])

    def row_parts(self, source: str) -> list[dict[str, str]]:
        return [part for part in self.parts(source) if part["count"]]

    def queries(self, is_counted: bool) -> list[tuple[str, str]]:
        """Codes and queries of problems that have their own, which counts or returns rows."""
        own = [one for one in self.possible if one.has_query and (" AS count" in one.body) == is_counted]
        return [(one.code, self.query(one).strip()) for one in own]

    def query(self, of: Problem) -> str:
        is_template = "{{" in of.body
        return environment().get_template(f"checks/{of.code}.sql").render(of=self) if is_template else of.body

    # --- The spelling of ids ---

    def plain(self, text: str) -> str:
        """Return the SQL of an id without the forms in which ids may differ."""
        for form in FORMS:
            text = self.without(form, text)
        return text

    def without(self, form: str, text: str) -> str:
        return re.sub(r"\bid\b", lambda _: text, FORMS[form][0])

    def differences(self, one: str, other: str) -> str:
        """Return the SQL of the forms of which each alone makes two ids different."""
        tests = (
            f"CASE WHEN {self.without(form, one)} = {self.without(form, other)} THEN {literal(form)} END"
            for form in FORMS
        )
        return f"coalesce(nullif(list_distinct([{', '.join(tests)}]), []), ['several forms'])"

    # --- Users with human labels, among users with model-generated grades ---

    @cached_property
    def by_model(self) -> Call:
        return self.measured(
            "ndcg", self.predicted_truth or "", f"{self.caller} with predicted_truth as truth"
        )

    @cached_property
    def by_people(self) -> Call:
        return self.measured("judged_share", self.truth, self.caller)

    def measured(self, measure: str, truth: str, caller: str) -> Call:
        names = ("rec", "user", "item", "score", "grade", "system", "descending", *GRADES.split())
        fields = {name: getattr(self, name) for name in names}
        choices = parse_measures(measure)
        fields["is_portable"] = self.is_portable
        if self.known:
            fields["types"] = {"rec": self.known[self.rec], "truth": self.known[truth]}
        return Call("by_user", truth=truth, ks=self.ks, choices=choices, caller=caller, **fields)


def part_of(problem: Problem, entry: Entry, n: int, words: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of an entry, the n-th of its problem in this pass."""
    columns = {name: filled(sql, words) for name, sql in entry.columns.items()}
    name = f"{problem.code}_{n}" if n else problem.code
    count, total = columns.pop("count", ""), columns.pop("total", f"sum({name})")
    if count and entry.source in GUARDS:
        guard, columns = GUARDS[entry.source], {"k": "k"} | columns
        count = guard.format(count)
        columns |= {"items": guard.format(columns["items"])} if "items" in columns else {}
    if entry.condition:
        total = f"CASE WHEN {filled(entry.condition, words)} THEN {total} END"
    userid, itemid = PASSES.get(entry.source, ("NULL", "NULL"))
    items = columns.pop("items", "")
    listed = f"list_resize([]::VARCHAR[], {name}, {columns.pop('itemid', itemid)}::VARCHAR)"
    more = {"item": f"({items})[1]"} if items else {}
    more |= {"userid": columns.pop("userid", userid), "itemids": items or listed}
    return {
        "is": problem.code, "name": name, "code": f"'{problem.code}'", "counted": problem.counted or "",
        "count": count, "total": f"({total})::BIGINT", **USUAL, **more, **columns,
    }  # fmt: skip


Row = Sequence[str | None]  # code, column, problem, example and what the column looks like


def findings(names: Names, tables: Mapping[str, Mapping[str, str]]) -> list[Row]:
    """Return the problems of columns as rows."""
    rows: list[Row] = []
    for found in problems_of_columns(names, tables):
        if found.code in ("missing", "unfit_column"):
            is_raised = found.table == "users"
            rows.append(["users", None, found.text, None] if is_raised else unfit_row(found.text))
        elif found.code == "column_not_read":
            problem = NOT_READ.format(found.table, found.kind)
            rows.append([found.code, found.column, problem, found.column, found.kind])
        elif found.code == "no_time":
            rows.append([found.code, None, None, found.text or None])
    return rows


def unfit_row(text: str) -> Row:
    """Return the row of an invalid column; its example has the full text if that is cut."""
    problem, _, got = text.partition(", got ")
    problem, example = (problem, got) if len(problem) <= 60 else (f"{problem[:57]}...", text)
    return ["unfit_column", None, problem, example]


def column_findings(facts: str, *rows: str) -> list[Row]:
    """Return the problems of columns, for tables with these row types."""
    names, roles = json.loads(facts)
    return findings(Names(**names), dict(zip(roles, map(parse_columns, rows), strict=True)))


CHECKS = dict.fromkeys(("check", "check_rows"), CheckCall)

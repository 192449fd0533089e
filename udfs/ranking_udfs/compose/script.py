"""Table functions for clients without Python: macros that make the SQL of a call while DuckDB plans it.

They are rendered of the same templates. What a template asks of a call is a Symbol: a field of the struct
that the macro `_ranking_call` makes of the arguments.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..measures.grammar import parse_measure
from ..measures.registry import MEASURES, Range
from ..quoting import literal
from .call import COUNTING, MADE, MADE_OF_TIES, PERHAPS_OF_TIES, PERHAPS_SYSTEMS, Column
from .measures import formula, render_formula
from .symbols import Symbol, SymbolList, text
from .templates import environment

# What templates ask of a call and the arguments alone decide, by the names of those fields.
FIELDS = [
    "rec",
    "truth",
    "users",
    "user",
    "item",
    "score",
    "system_column",
    "grade_name",
    "grade_column",
    "rec_columns",
    "truth_columns",
    "users_columns",
    "system_pattern",
    "absent_pattern",
    "row_grade",
    "hidden_grade",
    "hidden_grade_text",
    "is_relevant",
    "column_problem",
    "caller",
    "reused",
    "has_users",
    "may_have_systems",
    "may_have_grades",
    "may_lack_grades",
    "may_hide_grades",
    "skips_users",
    "expected",
    "trec",
    "condensed",
    "given_order",
    "order",
    "best",
    "at_least",
    "recs",
    "is_short",
    "is_small",
    "depth",
    "heap",
    "down_to_k",
    "down_to_depth",
    "cutoff",
    "unnested_ks",
    "measure_names",
]


def field(name: str) -> Symbol:
    """Return a field of the call, with brackets: DuckDB reads a.b as a text in an argument of query()."""
    return Symbol(f"of['{name}']")


# Of a measure as a column of the answer: what a template asks, as SQL of the struct `one`.
COLUMN = {name: f"one['{name}']" for name in ("name", "formula", "is_share", "place")} | {
    "is_high": "_ranking_is_high(of['caller'], one['name'])",
    "is_probability": "_ranking_is_probability(one['name'])",
    "only_at": "'NULL'",
}


@dataclass(frozen=True)
class ScriptGroup:
    """Measures that take the same grades as relevant; with a lowest grade there are two groups, else one."""

    columns: Any
    source: Any
    suffix: str
    is_last: bool
    is_asked: Any
    has_min_grade: Any
    made = ", ".join(MADE)
    made_of_ties = ", ".join([*MADE_OF_TIES, *PERHAPS_OF_TIES])
    min_grade = field("lowest_grade")

    def reads(self, column: str) -> bool:
        return True


class ScriptCall:
    """A call as a template asks of it, its arguments unknown."""

    fields = FIELDS
    macro = "_ranking_call"  # which checks the arguments and makes the struct of the fields
    types = None
    is_part = has_systems = False
    keys = PERHAPS_SYSTEMS
    system_first = ""

    def __init__(self, function: str) -> None:
        self.function = function
        self.counts_all = function in COUNTING
        self.has_levels = function == "interpolated_precision_curve"
        vars(self).update({name: field(name) for name in self.fields})

    @property
    def columns(self) -> Any:
        share = Range(0, 1)
        if self.has_levels:
            at_recall = render_formula(
                MEASURES["interpolated_precision"], {"recall": "recall"}, expected=False
            )
            return [Column("interpolated", at_recall, share)]
        if self.function == "precision_recall_curve":
            names = ("precision", "precision(divide=list)", "recall")
            of_k, of_list, recall = (formula(parse_measure(name), False) for name in names)
            precision: Any = either(field("divides_by_list"), of_list, of_k)
            return [Column("precision", precision, share), Column("recall", recall, share)]
        return SymbolList("of['columns']", COLUMN)

    @property
    def groups(self) -> list[ScriptGroup]:
        """The measures that take a lowest grade last; all in one group where there is none."""
        lowered = field("has_min_grade")
        if isinstance(self.columns, list):
            return [ScriptGroup(self.columns, "at_k", "", True, True, lowered)]
        gains = SymbolList("of['gains']", COLUMN)
        source = either(lowered, "measured_1", "at_k")
        return [
            ScriptGroup(gains, "at_k", "_1", False, lowered, False),
            ScriptGroup(self.columns, source, "", True, True, lowered),
        ]


def either(condition: Symbol, one: str, other: str) -> Symbol:
    """Return one text where a condition holds, or another."""
    return Symbol(f"CASE WHEN {condition.sql} THEN {text(one)} ELSE {text(other)} END")


def measure_macros() -> dict[str, str]:
    """Return the macros of a measure's name: its formula, and whether it takes a lowest grade."""

    def case(sql: Mapping[str, str]) -> str:
        whens = " ".join(f"WHEN {literal(name)} THEN {then}" for name, then in sql.items())
        return f"CASE name {whens} END"

    formulas = {name: literal(formula(parse_measure(name), False)) for name in MEASURES}
    of_ties = {
        name: literal(formula(parse_measure(name), True)) for name, one in MEASURES.items() if one.expected
    }
    listed = {
        "takes_grade": [name for name, one in MEASURES.items() if "min_grade" in one.options],
        "is_share": [name for name, one in MEASURES.items() if one.range.has_exact_sums],
    }
    bodies = {"formula": case(formulas), "expected_formula": case(of_ties)}
    bodies |= {name: f"name IN ({', '.join(map(literal, names))})" for name, names in listed.items()}
    return {
        f"_ranking_{name}": f"CREATE OR REPLACE TEMP MACRO _ranking_{name}(name) AS\n{sql}"
        for name, sql in bodies.items()
    }


SCRIPT_CALLS: dict[str, type[ScriptCall]] = {}  # by function, of those that are no `ScriptCall` itself


def script_macro(function: str, path: str, head: str, names: Sequence[str]) -> str:
    """Return the table macro that does without Python; `head` is its statement up to AS TABLE."""
    of = SCRIPT_CALLS.get(function, ScriptCall)(function)
    output = environment().get_template(path).render(of=of)
    given = {"caller": f"'{function}'"} | {name: name for name in names}
    call = f"{of.macro}({', '.join(f'{name} := {value}' for name, value in given.items())})"
    composed = text(squeezed(output))
    return f"{head} AS TABLE\nFROM query(list_transform(\n    [{call}],\n    lambda of: {composed})[1])"


def squeezed(output: str) -> str:
    """Return a text without its indents and comments, which a script need not have."""
    lines = (re.sub(r"(^| )-- .*", "", line).strip() for line in output.split("\n"))
    return "\n".join(filter(None, lines))

"""Table functions for clients without Python: macros that compose the SQL of a call while DuckDB plans it.

They are rendered from the same templates. Each value that a template reads of a call is a Symbol: a field of
the struct that the macro `_ranking_call` creates from the arguments.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..compose.arguments import split_arguments
from ..compose.call import COUNTING, MADE, MADE_OF_TIES, PERHAPS_OF_TIES, PERHAPS_SYSTEMS, Column
from ..compose.check import Code, codes, kept
from ..compose.comparison import Gate
from ..compose.explain import MEASURES as EXPLAINED
from ..compose.explain import value_at_rank
from ..compose.fusing import FEW_DIGITS
from ..compose.lists import Content
from ..compose.measures import formula, render_formula
from ..compose.problems import PROBLEMS
from ..compose.symbols import Symbol, SymbolList, text
from ..compose.templates import environment
from ..measures.contents import BY_USER
from ..measures.grammar import parse_measure
from ..measures.registry import MEASURES, Range
from ..quoting import literal
from .files import signature
from .inline import Inliner

# Values that templates read of a call and that depend on the arguments alone, by field name.
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


CHECK_FIELDS = [
    *(
        "caller",
        "rec",
        "truth",
        "users",
        "history",
        "items",
        "has_users",
        "has_history",
        "has_items",
        "truths",
    ),
    *("user_column", "item_column", "score_column", "grade_column", "system_column", "time_column"),
    *("rec_columns", "truth_columns", "users_columns", "history_columns", "items_columns", "column_findings"),
    *("grade_pattern", "item_pattern", "user_text", "item_text", "grade_text", "may_have_systems"),
    *("may_hide_grades", "hidden_grade", "is_relevant", "is_irrelevant", "skips_users", "condensed"),
    *("descending", "direction", "order", "best", "at_least", "recs", "is_short", "has_heap", "heap_size"),
    *("depth", "heap", "best_rows", "down_to_k", "cutoff", "unnested_ks", "reused"),
]


def field(name: str) -> Symbol:
    """Return a field of the call, with brackets: in an argument of query(), DuckDB reads a.b as a string."""
    return Symbol(f"of['{name}']")


# Values that a template reads of a measure's column, as SQL over the struct `one`.
COLUMN = {name: f"one['{name}']" for name in ("name", "formula", "is_share", "place")} | {
    "is_high": "_ranking_is_high(of['caller'], one['name'])",
    "is_probability": "_ranking_is_probability(one['name'])",
    "only_at": "'NULL'",
}


@dataclass(frozen=True)
class ScriptGroup:
    """Measures with the same lowest relevant grade: two groups if there is one, otherwise one group."""

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
    """A call for a template, with unknown arguments."""

    fields: ClassVar[Sequence[str]] = FIELDS
    macro = "_ranking_call"  # checks the arguments and creates the struct of fields
    types = None
    reads_truth = True
    keeps_items = False
    is_part = has_systems = needs_items = shows_scores = has_intents = False
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
        """Groups of measures, those with a lowest grade last; one group if there is no lowest grade."""
        lowered = field("has_min_grade")
        if isinstance(self.columns, list):
            return [ScriptGroup(self.columns, "at_k", "", True, True, lowered)]
        gains = SymbolList("of['gains']", COLUMN)
        source = either(lowered, "measured_1", "at_k")
        return [
            ScriptGroup(gains, "at_k", "_1", False, lowered, False),
            ScriptGroup(self.columns, source, "", True, True, lowered),
        ]


def either(condition: Symbol, then: str, otherwise: str) -> Any:
    """Return SQL for one string if a condition holds, and for another otherwise."""
    return Symbol(f"CASE WHEN {condition.sql} THEN {text(then)} ELSE {text(otherwise)} END")


def measure_macros() -> dict[str, str]:
    """Return the macros by measure name: the formula, and whether the measure takes a lowest grade."""

    def case(sql: Mapping[str, str]) -> str:
        whens = " ".join(f"WHEN {literal(name)} THEN {then}" for name, then in sql.items())
        return f"CASE name {whens} END"

    formulas = {name: literal(formula(parse_measure(name), False)) for name in MEASURES}
    of_ties = {
        name: literal(formula(parse_measure(name), True))
        for name, measure in MEASURES.items()
        if measure.expected
    }
    listed = {
        "takes_grade": [name for name, measure in MEASURES.items() if "min_grade" in measure.options],
        "is_share": [name for name, measure in MEASURES.items() if measure.range.has_exact_sums],
    }
    bodies = {"formula": case(formulas), "expected_formula": case(of_ties)}
    bodies |= {name: f"name IN ({', '.join(map(literal, names))})" for name, names in listed.items()}
    return {
        f"_ranking_{name}": f"CREATE OR REPLACE TEMP MACRO _ranking_{name}(name) AS\n{sql}"
        for name, sql in bodies.items()
    }


class ScriptRecCall(ScriptCall):
    """A call of a function without truth."""

    reads_truth = False

    def __init__(self, function: str) -> None:
        super().__init__(function)
        vars(self).update(column_problem=field("rec_problem"), has_users=False)


class ScriptItemCall(ScriptCall):
    keeps_items = True


class ScriptAbstentionCall(ScriptCall):
    fields = (*FIELDS, "alpha")
    t = "_ranking_t"
    macro = "_ranking_abstention_call"


class ScriptOverlapCall(ScriptRecCall):
    source = "rec"
    steps = False
    fields = (*FIELDS, "baseline", "has_baseline", "baseline_in_errors", "weight")
    macro = "_ranking_overlap_call"


class ScriptFuseCall(ScriptRecCall):
    fields = (
        *("caller", "rec", "user", "item", "score", "system_column", "rec_columns", "system_pattern"),
        *("absent_pattern", "rec_problem", "reused", "order", "down_to_depth", "method", "points"),
        *("adds_scores", "reads_twice", "rrf_k", "chooses", "systems", "weights", "weighed"),
        *("shown_weights", "largest_weight"),
    )
    macro = "_ranking_fuse_call"
    recs = "_ranking_rec"
    may_have_systems = True
    may_hide_grades = is_short = False
    few_digits = FEW_DIGITS


class ScriptContentsCall(ScriptRecCall):
    fields = (
        *FIELDS,
        *("history", "items", "category", "history_columns", "items_columns", "head", "divergence"),
        *("has_history", "has_items", "has_catalog"),
    )
    macro = "_ranking_contents_call"

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.column_problem = field("contents_problem")

    @property
    def of_users(self) -> list[Content]:
        def is_there(tables: Sequence[str]) -> Symbol:
            return Symbol(" AND ".join(f"of['has_{table}']" for table in tables))

        return [Content(measure.name, is_there(measure.arguments[1:])) for measure in BY_USER]


# The same values of a comparison, by field name of its `tests`.
TESTS = ("alpha", "has_margin", "margin", "correction", "has_baseline", "baseline", "baseline_in_errors")


class ScriptTests(ScriptCall):
    """A comparison. Its macro refuses predicted values and the randomization test, which need Python."""

    t = "_ranking_t"
    randomizes = is_predicted = has_own_cuts = are_shares = steps = False
    source = ""

    def __init__(self, function: str) -> None:
        super().__init__(function)
        vars(self).update({name: Symbol(f"of['tests']['{name}']") for name in TESTS})


class ScriptComparison(ScriptTests):
    macro = "_ranking_compare_call"
    source = "rec"
    needs_items = True


class ScriptComparisonByUser(ScriptTests):
    fields = ("caller", "by_user", "is_compared", "chosen")
    macro = "_ranking_compare_by_user_call"
    source = "by_user"


class ScriptGate(ScriptTests):
    fields = ("caller", "comparison")
    macro = "_ranking_gate_call"
    lower_measures, neutral_measures = Gate.lower_measures, Gate.neutral_measures


class ScriptCheckCall(ScriptCall):
    """A call of the check for a template."""

    fields = CHECK_FIELDS
    macro = "_ranking_check_call"
    has_predicted = expected = counts_all = False

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.kept = kept(function)

    @property
    def codes(self) -> list[Code]:
        """Problems of all tables. Problems of omitted tables have no rows."""
        words = {name: "{of['" + name + "']}" for name in ("user", "item", "score", "grade", "least")}
        return codes(
            words, [problem for problem in PROBLEMS if problem.needs != "predicted_truth"], sentence_symbol
        )


def sentence_symbol(sentence: str) -> Symbol:
    """Return a sentence with fields of the call, such as `{of['user']}`, as a SQL string."""
    parts = re.split(r"\{(of\[.*?\])\}", sentence)
    pieces = [part if index % 2 else literal(part) for index, part in enumerate(parts) if part]
    return Symbol(f"_ranking_literal(concat({', '.join(pieces)}))")


class ScriptExplainCall(ScriptCall):
    """A call of ranking.explain."""

    fields: ClassVar = [*FIELDS, "k"]
    macro = "_ranking_explain_call"
    shows_scores = True
    is_small = False

    @property
    def groups(self) -> list[ScriptGroup]:
        """Groups of measures: those of gains, which take no lowest grade, and all measures."""
        columns = []
        for name, choice in EXPLAINED.items():
            by_ties = (value_at_rank(choice, expected) for expected in (True, False))
            columns.append(Column(name, either(field("expected"), *by_ties), Range(0, 1)))
        gains, others = columns[:3], columns[3:]
        named = [replace(column, formula=f"value_{column.name}") for column in gains]
        gains = [replace(column, name=f"value_{column.name}") for column in gains]
        lowered = field("has_min_grade")
        return [
            ScriptGroup(gains, "at_k", "_1", False, True, False),
            ScriptGroup([*named, *others], "measured_1", "", True, True, lowered),
        ]


class ScriptIntentsCall(ScriptCall):
    """A call of ranking.intents_by_user."""

    fields: ClassVar = [*FIELDS, "alpha", "intent"]
    macro = "_ranking_intents_call"
    has_intents = True

    def __init__(self, function: str) -> None:
        super().__init__(function)
        self.truth_columns, self.column_problem = field("columns_of_truth"), field("problem")


class ScriptSplitCall(ScriptCall):
    """A call of ranking.split."""

    fields: ClassVar = [
        *("caller", "events", "user", "item", "time", "event_columns"),
        *("column_problem", "has_problem", "problem"),
        *("reused", "has_last", "has_step", "has_window", "folds", "test_from", "step", "is_step_interval"),
        *("gap", "is_gap_interval", "late", "drops_cold_users", "drops_cold_items", "drops_seen"),
    ]
    macro = "_ranking_split_call"


# By function: the class of its call, if that is not `ScriptCall`.
SCRIPT_CALLS: dict[str, type[ScriptCall]] = {
    "explain": ScriptExplainCall,
    "check": ScriptCheckCall,
    "check_rows": ScriptCheckCall,
    "by_item": ScriptItemCall,
    "abstention": ScriptAbstentionCall,
    "beyond_accuracy": ScriptContentsCall,
    "beyond_accuracy_by_user": ScriptContentsCall,
    "fuse": ScriptFuseCall,
    "overlap": ScriptOverlapCall,
    "overlap_by_user": ScriptOverlapCall,
    "compare": ScriptComparison,
    "compare_by_user": ScriptComparisonByUser,
    "gate": ScriptGate,
    "intents_by_user": ScriptIntentsCall,
    "split": ScriptSplitCall,
}


def script_macro(function: str, path: str, head: str, inliner: Inliner) -> str:
    """Return the table macro for clients without Python; `head` is its statement up to AS TABLE."""
    of = SCRIPT_CALLS.get(function, ScriptCall)(function)
    names, ctes = split_arguments([parameter.split()[0] for parameter in signature(function)])
    output = inliner.fragment(squeezed(environment().get_template(path).render(of=of)))
    arguments = {"caller": f"'ranking.{function}'"} | {name: name for name in names}
    call = f"{of.macro}({', '.join(f'{name} := {value}' for name, value in arguments.items())})"
    composed = f"list_transform(\n    [{call}],\n    lambda of: {text(output)})[1]"
    return f"{head} AS TABLE\n{ctes}FROM query({composed})"


def squeezed(output: str) -> str:
    """Remove indents and comments, which a script does not need."""
    lines = (re.sub(r"(^| )-- .*", "", line).strip() for line in output.split("\n"))
    return "\n".join(filter(None, lines))

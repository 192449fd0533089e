"""A call of a table function of rec and truth: its arguments, and the values that its template reads."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import duckdb

from ..kinds import LARGEST
from ..measures.grammar import Choice, merge_choices, parse_measure
from ..measures.registry import MEASURES, Number, Range
from ..options import FUNCTIONS
from ..quoting import Double, sql_value, unquoted
from . import portable
from .columns import LIKE, TIMES, Names, family, grade_not_read, row_type, type_of
from .measures import formula, render_formula
from .templates import by_bytes, identifier, literal

SHORT = 32  # up to this k, the k-th best score of each user is found before sorting
PERHAPS_SYSTEMS = "COLUMNS(lambda c: c IN ('system', 'ranking_system'))"  # if columns are unknown
SMALL = 50  # up to this list length, truth is matched without hashing


# The columns that `cut` computes if a formula reads them.
MADE = ("n_hits", "hits", "grades", "seen", "log2_ideal")


@dataclass(frozen=True)
class Column:
    """A measure as a column of the result."""

    name: str
    formula: str
    range: Range
    place: int = 0  # position among the measures
    higher_is_better: bool | None = None
    cuts: Sequence[int | None] | None = None  # None for all

    @cached_property
    def is_high(self) -> str:
        """SQL: true if higher values are better, false if lower values are; ValueError if neither is."""
        if self.higher_is_better is None:
            raise ValueError(f"measures must say which of two systems is better, got {self.name}")
        return str(self.higher_is_better).lower()

    @cached_property
    def low(self) -> str:
        """Column of the lower end of its mean's confidence interval."""
        return identifier(f"{self.name}_low")

    @cached_property
    def high(self) -> str:
        return identifier(f"{self.name}_high")

    @cached_property
    def is_share(self) -> bool:
        """True if the mean is exact as a sum of integers alone."""
        return self.range.has_exact_sums


@dataclass(frozen=True)
class Group:
    """Measures with the same lowest relevant grade, and the CTEs that cut rankings for them."""

    min_grade: str  # as SQL; "" for every grade above 0
    columns: Sequence[Column]
    source: str  # the CTE that is cut
    suffix: str  # suffix of the names of the new CTEs
    is_last: bool

    @cached_property
    def result(self) -> str:
        return f"measured{self.suffix}"

    def reads(self, column: str) -> bool:
        """Return true if a formula reads this column of `cut`."""
        return any(re.search(rf"(?<!\.)\b{column}\b", measure.formula) for measure in self.columns)

    def made(self, expected: bool) -> list[str]:
        """Return the columns that `cut` computes for these measures; with ties, `hits` is always one."""
        if expected:
            return ["hits", *filter(self.reads, ("grades", "log2_ideal"))]
        return [*filter(self.reads, MADE)]


@dataclass(frozen=True)
class Call(Names):
    """A call with checked arguments. Names of tables are in the form for `query_table`."""

    longest_unsorted: ClassVar = 200  # of more rows, lists are sorted, or many items are not searched in them
    # SQL over the first rows: whether a tenth repeat a score of their list, or lists are long. If most rows
    # have another user, any equal scores count.
    is_sorted: ClassVar = (
        "CASE WHEN no_order THEN count(DISTINCT score) ELSE count(DISTINCT (userid, ranking_system, score))"
        f" END < 0.9 * count(*) OR {longest_unsorted} * count(DISTINCT (userid, ranking_system)) < count(*)"
    )
    names_of_fields: ClassVar = {"measures": "choices", "max_k": "ks"}  # those that differ from arguments
    reads_truth: ClassVar = True
    needs_items: ClassVar = False  # whether each system must have items of truth in its lists

    function: str
    rec: str = ""
    truth: str = ""
    ks: Sequence[int | None] = (None,)  # of measures without their own; None for the whole list
    choices: Sequence[Choice] | None = None  # None for every column
    ties: str = "item"
    descending: bool = True
    unjudged: str = "miss"
    without_relevant: str = "zero"
    users: str | None = None
    divide: str = "k"  # for precision_recall_curve
    confidence: float | Decimal = 0  # of intervals; 0 for none
    caller: str = ""  # the name of the function in errors
    types: Mapping[str, Mapping[str, str]] | None = None  # columns of the tables by role, if they are known
    is_merge: bool = False  # true over the rows that the partitions sent
    is_portable: bool = False  # true for SQL that runs without the Python package

    @classmethod
    def from_arguments(cls, function: str, values: Mapping[str, Any], **facts: Any) -> "Call":
        """Return the call with these checked arguments; ValueError if they do not fit together."""
        return cls(function, **cls.read_fields(function, values), **facts)

    @classmethod
    def read_fields(cls, function: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a call for its arguments, without NULLs, which are the defaults."""
        for choice in values.get("measures") or () if values.get("ties") == "expected" else ():
            if not choice.measure.expected:
                raise ValueError(
                    "with ties := 'expected' a measure must have an expected value in closed form "
                    f"(FROM ranking.functions() lists measures), got {choice.measure.name}"
                )
        named = {
            cls.names_of_fields.get(name, name.removesuffix("_col")): value
            for name, value in values.items()
            if value is not None
        }
        return named | ({"ks": [values["max_k"]]} if "max_k" in values else {})

    def with_types(self, types: Mapping[str, Mapping[str, str]]) -> "Call":
        """Return the call with the columns of its tables, from `types` by name of the table."""
        return replace(self, types={role: types[name] for role, name in self.tables.items() if name in types})

    @cached_property
    def names(self) -> Names:
        return Names(**{field.name: getattr(self, field.name) for field in fields(Names)})

    # --- Choices from the arguments ---

    @cached_property
    def counts_all(self) -> bool:
        """True if the function counts users without truth."""
        return self.function in COUNTING

    @cached_property
    def alpha(self) -> float:
        return alpha_of(self.confidence)

    @cached_property
    def expected(self) -> bool:
        return self.ties == "expected"

    @cached_property
    def condensed(self) -> bool:
        return self.unjudged == "skip"

    @cached_property
    def lowest_grade(self) -> str:
        """Lowest relevant grade, as SQL; "" if every grade above 0 is relevant."""
        return "" if self.min_grade is None else number(self.min_grade)

    @cached_property
    def is_relevant(self) -> str:
        """SQL condition for a relevant grade, to be written after the grade."""
        return f">= {self.lowest_grade}" if self.lowest_grade else "> 0"

    # --- The tables ---

    @cached_property
    def reused(self) -> str:
        """MATERIALIZED for DuckDB 1.5, which crashes if an inlined CTE reads an Arrow table twice."""
        may_be_1_5 = duckdb.__version__.startswith("1.5") or (self.is_portable and not self.types)
        return "MATERIALIZED" if may_be_1_5 else "NOT MATERIALIZED"

    @cached_property
    def rec_names(self) -> list[str]:
        return [self.user, self.item, self.score, *([self.system or "system"] * self.may_have_systems)]

    @cached_property
    def truth_names(self) -> list[str]:
        grade = self.grade_name if self.may_have_grades else None
        return [self.user, self.item, *filter(None, (grade, self.intent))]

    @cached_property
    def has_systems(self) -> bool:
        """True if rec is known to have a column of systems."""
        return self.types is not None and self.may_have_systems

    @cached_property
    def may_have_systems(self) -> bool:
        return self.system != "" and self.may_have("rec", self.system or "system")

    @cached_property
    def system_column(self) -> str:
        return self.id("rec", self.system or "system") if self.may_have_systems else "NULL"

    def id(self, table: str, name: str) -> str:
        """Return a column of ids of a table, compared by their bytes."""
        return by_bytes(name, self.kind(table, name))

    def kind(self, table: str, name: str) -> str | None:
        """Return the type of a column, if it is known."""
        return type_of(self.types[table], name) if self.types else None

    def may_have(self, table: str, name: str) -> bool:
        """Return true unless a table is known to lack a column."""
        return not self.types or self.kind(table, name) is not None

    @cached_property
    def system_pattern(self) -> str:
        """Pattern of the user's column of systems, which is renamed to `system`, and of our own."""
        return literal(f"(?i)^(?:{escaped(self.system or 'system')})$|^(ranking_)system$")

    @staticmethod
    def pattern(name: str) -> str:
        """Return the pattern of a column and of its substitute if the column is missing."""
        return literal(f"(?i)^(?:{escaped(name)}|ranking_absent)$")

    @cached_property
    def keys(self) -> str:
        """Column of systems in a SELECT, with the user's own column if there may be one."""
        if self.types or self.system == "":
            return "ranking_system"
        return PERHAPS_SYSTEMS

    @cached_property
    def system_first(self) -> str:
        return "ranking_system AS system, " if self.has_systems else ""

    @cached_property
    def may_have_grades(self) -> bool:
        return self.grade != "" and self.may_have("truth", self.grade_name)

    @cached_property
    def may_lack_grades(self) -> bool:
        return not self.may_have_grades if self.types else not self.grade

    @cached_property
    def row_grade(self) -> str:
        """Grade of a row of truth, as SQL: 1 if truth has no grades."""
        if not self.may_have_grades:
            return "1"
        grade = "TRY_CAST(rel AS DOUBLE)"
        return f"CASE WHEN has_grades THEN {grade} ELSE 1 END" if self.may_lack_grades else grade

    @cached_property
    def may_hide_grades(self) -> bool:
        """True if a column of truth that no argument names may hold grades."""
        if self.is_part or self.grade is not None or not self.reads_truth:
            return False
        if (columns := self.known_truth) is None:
            return True
        names = {unquoted(name).lower() for name in columns}
        return self.grade_name not in names and not names <= {*self.read_in_truth}

    @cached_property
    def known_truth(self) -> Mapping[str, str] | None:
        """Columns of truth, if they are known."""
        return self.types["truth"] if self.types else None

    @cached_property
    def read_in_truth(self) -> list[str]:
        """Columns of truth that are read, in lower case."""
        return [name.lower() for name in (*self.truth_names, "rel")]

    @cached_property
    def is_unread(self) -> str:
        """SQL condition for the name of a column of truth that is not read and has no times."""
        read = ", ".join(map(literal, self.read_in_truth))
        return f"lower(c) NOT IN ({read}) AND NOT regexp_full_match(c, {literal(f'(?i){TIMES}')})"

    @cached_property
    def is_like_grades(self) -> str:
        """SQL condition for a name that is typical of grades."""
        return f"regexp_full_match(entry[1], {literal('(?i)' + LIKE['grades'])})"

    @cached_property
    def hidden_grades_text(self) -> str:
        """SQL of the error text for the names of hidden grades."""
        is_score = f"lower(hidden_grades[1]) = {literal(self.score.lower())}"
        order = f"CASE WHEN {is_score} THEN '; rec comes first, then truth' ELSE '' END"
        if self.is_portable:
            rule = "' that is not read: in a view, make it rel, or drop it'"
            return f"concat('truth has a column ', hidden_grades[1], {rule}, {order})"
        one, several = (literal(grade_not_read(names)) for names in (["{1}"], ["{1}", "{2}"]))
        text = f"CASE len(hidden_grades) WHEN 1 THEN {one} ELSE {several} END"
        text = f"replace({text}, '{{1}}', hidden_grades[1])"
        return f"replace({text}, '{{2}}', array_to_string(hidden_grades[2:], ', ')) || {order}"

    def mixed(self, name: str) -> str:
        """Return the common type for comparing ids of this column: texts or integers; "" for no cast.

        Ids of two types that are not both integers are compared as VARCHAR.
        """
        if self.types is None:
            return "perhaps"
        kinds = {self.kind(table, name) for table in self.types.keys() - {"users"}} - {None}
        if len(kinds) == 1:
            return ""
        return "integers" if {family(str(kind)) for kind in kinds} == {"INTEGER"} else "texts"

    @cached_property
    def column_problem(self) -> str:
        """SQL of the error text about columns; "" if they are known and therefore checked."""
        if self.types:
            return ""
        if self.is_portable:
            return portable.column_problem(self.tables, vars(self.names))
        facts = {**vars(self.names), "tables": [*self.tables]}
        rows = (row_type(f"query_table({literal(name)})") for name in self.tables.values())
        return f"system.main._ranking_column_problem({literal(json.dumps(facts))}, {', '.join(rows)})"

    # --- The lists ---

    @cached_property
    def tables(self) -> dict[str, str]:
        """Names of the tables to read, by role."""
        absent = {"rec": "", "truth": "", "users": None, "history": None, "items": None}
        named: dict[str, Any] = {role: getattr(self, role, none) for role, none in absent.items()}
        return {role: name for role, name in named.items() if name != absent[role]}

    @cached_property
    def recs(self) -> str:
        return "ranked" if self.ties == "trec" else "_ranking_rec"

    @cached_property
    def is_best_high(self) -> bool:
        return self.descending or self.ties == "trec"  # With trec, scores are computed from the order.

    @cached_property
    def order(self) -> str:
        return "DESC" if self.is_best_high else "ASC"

    @cached_property
    def best(self) -> str:
        return "max" if self.is_best_high else "min"

    @cached_property
    def depth(self) -> int | None:
        """Largest rank that a measure needs; None for whole lists."""
        ks = self.all_ks
        return None if any(k is None or k > LARGEST for k in ks) else max(k for k in ks if k is not None)

    @cached_property
    def is_short(self) -> bool:
        return not self.condensed and self.depth is not None and self.depth <= SHORT

    @cached_property
    def counts_ranks(self) -> bool:
        """True if only ranks of hits are needed, which can be counted in lists that are not sorted."""
        return not (self.is_short or self.function == "by_item" or self.condensed or self.expected)

    @cached_property
    def is_small(self) -> bool:
        return not self.condensed and not self.expected and self.depth is not None and self.depth <= SMALL

    @cached_property
    def down_to_k(self) -> str:
        """Slice that cuts a sorted list at k; "" for the whole list, or if items below k are needed."""
        return "" if self.depth is None or self.condensed or self.expected else f"[:{self.depth}]"

    @cached_property
    def down_to_depth(self) -> str:
        return "" if self.depth is None else f"[:{self.depth}]"

    @cached_property
    def cutoff(self) -> str:
        return "NULL" if self.depth is None else str(self.depth)

    # --- The measures ---

    @cached_property
    def has_measures(self) -> bool:
        """True for functions with a column per measure; the others have columns of their own."""
        return "measures" in FUNCTIONS[self.function]

    @cached_property
    def asked(self) -> list[Choice]:
        """Measures of the call, each once with all its cutoffs."""
        choices = self.choices
        if choices is None:
            choices = [
                parse_measure(name)
                for name, measure in MEASURES.items()
                if (measure.expected if self.expected else measure.column)
            ]
        return merge_choices(choices, self.ks)

    @cached_property
    def all_ks(self) -> list[int | None]:
        ks = {*self.ks}.union(*(choice.cuts for choice in self.asked)) if self.has_measures else {*self.ks}
        return sorted(ks, key=lambda k: (k is None, k))

    @cached_property
    def unnested_ks(self) -> str:
        """Cutoffs as a LIST."""
        if self.function == "precision_recall_curve":
            return f"range(1, {self.depth} + 1)"
        return f"[{', '.join('NULL' if k is None else str(k) for k in self.all_ks)}]::BIGINT[]"

    @cached_property
    def columns(self) -> list[Column]:
        """Measures as columns of the result."""
        if self.function == "interpolated_precision_curve":
            measure = MEASURES["interpolated_precision"]
            at_recall = render_formula(measure, {"recall": "recall"}, expected=False)
            return [Column("interpolated", at_recall, measure.range)]
        return [
            Column(
                choice.name if self.has_measures else choice.measure.name,
                self.column_formula(choice),
                range_of(choice),
                position,
                choice.measure.higher_is_better,
                self.own_cuts(choice),
            )
            for position, choice in enumerate(self.measures, 1)
        ]

    @cached_property
    def ranges(self) -> str:
        """SQL of the lowest and highest value of each measure."""
        return sql_value({one.name: (one.range.low, one.range.high) for one in self.columns})

    @cached_property
    def measures(self) -> list[Choice]:
        if self.function == "precision_recall_curve":
            return [parse_measure(f"precision(divide={self.divide})"), parse_measure("recall")]
        if self.function == "interpolated_precision_curve":
            return [parse_measure("interpolated_precision")]
        return self.asked

    def column_formula(self, choice: Choice) -> str:
        value = formula(choice, self.expected)
        conditions = ["has_truth"] * bool(choice.given and self.counts_all)
        if (own := self.own_cuts(choice)) is not None:
            cuts = ", ".join(str(k) for k in own if k is not None)
            tests = [f"cutoff IN ({cuts})"] * bool(cuts) + ["cutoff IS NULL"] * (None in own)
            conditions.append(
                " OR ".join(tests) if len(tests) == 1 or not conditions else f"({' OR '.join(tests)})"
            )
        return f"CASE WHEN {' AND '.join(conditions)} THEN {value} END" if conditions else value

    def own_cuts(self, choice: Choice) -> Sequence[int | None] | None:
        """Return the cutoffs of a measure, or None if it has all cutoffs of the call."""
        return choice.cuts if self.has_measures and {*choice.cuts} != {*self.all_ks} else None

    @cached_property
    def groups(self) -> list[Group]:
        """Measures by lowest relevant grade, ascending; the group of all grades above 0 comes first."""
        by_grade: dict[float, list[int]] = {}
        for position, choice in enumerate(self.measures):
            by_grade.setdefault(self.grade_of(choice), []).append(position)
        groups: list[Group] = []
        # Only the last group has names of measures, since `hits` is also a column of rankings.
        columns = [replace(column, name=f"value_{position}") for position, column in enumerate(self.columns)]
        for grade, positions in sorted(by_grade.items()):
            source, number_of = groups[-1].result if groups else "at_k", len(groups) + 1
            own = [columns[position] for position in positions]
            groups.append(Group(number(grade) if grade else "", own, source, f"_{number_of}", False))
        last = by_grade[max(by_grade)]
        every = [
            column if position in last else replace(column, formula=columns[position].name)
            for position, column in enumerate(self.columns)
        ]
        groups[-1] = replace(groups[-1], columns=every, suffix="", is_last=True)
        return groups

    def grade_of(self, choice: Choice) -> float:
        """Return the lowest relevant grade of a measure: its own, the argument's, or 0 (all grades above)."""
        if "min_grade" in choice.given:
            return float(choice.options["min_grade"])
        rule = choice.measure.options.get("min_grade")
        if self.min_grade is None or rule is None:
            return 0
        goes = rule.only_with if isinstance(rule, Number) else None
        return self.min_grade if goes is None or choice.options[goes[0]] == goes[1] else 0


COUNTING = ("evaluate", "by_item")


def alpha_of(confidence: float | Decimal) -> float:
    """Return 1 - confidence as it is written, without rounding errors of a DOUBLE."""
    written = Decimal(repr(confidence)) if isinstance(confidence, float) else confidence
    return Double(1 - round(written, 19))


def number(value: float) -> str:
    """Return a number as an exact DOUBLE or INTEGER in SQL."""
    if float(value).is_integer() and abs(value) < 2**53:  # Before Python 3.12, int has no is_integer.
        return str(int(value))
    return str(Double(value))


def escaped(name: str) -> str:
    """Escape a name for a DuckDB regular expression."""
    return "".join(
        character if character.isalnum() or character == "_" or ord(character) > 127 else f"\\{character}"
        for character in name
    )


def range_of(choice: Choice) -> Range:
    """Return the range of a measure with these options."""
    for text, special in choice.measure.ranges.items():
        option, _, value = text.partition("=")
        if str(choice.options.get(option)) == value:
            return special
    return choice.measure.range

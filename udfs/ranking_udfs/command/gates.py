"""Conditions of `--fail-if`: how they are written, what they look at, and where one holds."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any

from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import UsageError, error_summary
from ..evaluation.problems import is_problem, problem_text
from ..evaluation.words import Row, cut_off_key, format_cut_off, format_number
from ..texts import did_you_mean, shorten

if TYPE_CHECKING:
    import duckdb

WAYS = ("higher", "lower")  # of measures of which neither is better
VERDICTS = ("worse", "unclear", "same", "better", *WAYS)
PROBLEMS = "problems"
SIGNS: dict[str, Callable[[float, float], bool]] = {"<=": le, ">=": ge, "<": lt, ">": gt}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
BOUND = re.compile(rf"(.*?)\s*(<=|>=|<|>)\s*({NUMBER})\s*(%?)", re.IGNORECASE)
VERDICT = re.compile(rf"(?:(.*[\s:])|)({'|'.join(VERDICTS)})")
SQL = "SQL"  # in place of a verdict
IS_SQL = re.compile(r"=|<>|\b(?:and|or|not|between|in|is|like)\b", re.IGNORECASE)
PART = re.compile(r"""(?:\([^()]*\)|'[^']*'|"[^"]*"|[^,])+""")  # of conditions with commas between them
NAME = re.compile(r"""'[^']*'|"([^"]+)"|\b([a-z_]\w*)\b(?!\s*\()""", re.IGNORECASE)
CORRECTED = {"p", "p_adjusted", "p_same", "p_same_adjusted", "verdict", "minimum_detectable_effect"}
RULE = "must be a verdict (worse), a bound (ndcg@10 < 0.3, users_without_rec > 5%) or problems"
NOTHING_AT_0 = "at k = 0 there is nothing to look at"
# The columns of a comparison that conditions of SQL may name, beside those of CORRECTED.
COMPARED = (
    *("users", "users_undefined", "users_without_rec_baseline", "users_without_rec_system", "wins", "ties"),
    *("losses", "mean_baseline", "mean_system", "difference", "low", "high", "relative", "relative_low"),
    *("relative_high", "standard_error", "effect_size", "higher_is_better"),
)
KEYS = ("system", "segment", "k", "measure")


@dataclass(frozen=True)
class Condition:
    """One condition of `--fail-if`: words, or SQL over the rows of the results."""

    text: str  # as it was written
    system: str | None = None  # the model that it looks at; None for each
    measure: str | None = None  # the measure that it looks at, with its options; None for each
    cuts: tuple[int | None, ...] = ()  # the cut-offs that it looks at; () for each
    # the column that has a bound, None for the measure's mean; of problems, the codes of some
    column: str | None = None
    verdict: str | None = None  # the verdict that fails, or "problems" of the data, or SQL; None for a bound
    sign: str = ""  # of the bound
    bound: float = 0.0  # the number to compare with
    share: bool = False  # whether that is a share of the users, in percent

    @property
    def names(self) -> set[str]:
        """The names in a condition of SQL: columns, and SQL's own words."""
        found = NAME.findall(self.text) if self.verdict == SQL else []
        return {quoted or plain.lower() for quoted, plain in found}

    @property
    def reads_p(self) -> bool:
        """Return whether SQL of the condition reads a p or a verdict, which must then be corrected."""
        return bool(self.names & CORRECTED)

    def is_of(self, row: Row) -> bool:
        """Return whether it looks at a row of a comparison, or at a value."""
        return (
            self.system in (None, row["system"])
            and self.measure in (None, row["measure"])
            and (not self.cuts or row["k"] in self.cuts)
            and (self.verdict in (None, SQL) or can_be(str(self.verdict), row["measure"]))
        )


@dataclass(frozen=True)
class Value:
    """A number of the results, with its row; its column is None for the mean of a measure."""

    row: Row
    column: str | None
    number: float | None
    users: int


def parse_conditions(text: str) -> list[Condition]:
    """Parse conditions with commas between them.

    Raises:
        ValueError: the rule that the text breaks
    """
    return [parse_condition(one.strip()) for one in PART.findall(text) or [""]]


def parse_condition(text: str) -> Condition:
    """Parse one condition: of words, else of SQL if it looks like that; errors as in `parse_conditions`."""
    try:
        return parse_words(text)
    except ValueError:
        if IS_SQL.search(text):
            return Condition(text, verdict=SQL)
        raise


def parse_words(text: str) -> Condition:
    """Parse a condition of words; errors as in `parse_conditions`."""
    if text == PROBLEMS or re.fullmatch(rf"{PROBLEMS}\(.+\)", text):
        return Condition(text, column=text[len(PROBLEMS) + 1 : -1] or None, verdict=PROBLEMS)
    if (found := VERDICT.fullmatch(text)) is not None:
        subject, verdict = found.groups()
        system, measure, cuts, column = parse_subject(subject or "", text)
        if measure is not None and not can_be(verdict, measure):
            neither = f"of {measure}, neither of higher and lower is better"
            rule = neither if verdict not in WAYS else f"{measure} is better or worse"
            right = "write 'worse' or 'better'" if verdict in WAYS else "write 'lower' or 'higher'"
            raise ValueError(f"{rule}: {right}, got {shorten(repr(text))}")
        if column is None:
            return Condition(text, system, measure, cuts, verdict=verdict)
    elif (found := BOUND.fullmatch(text)) is not None:
        subject, sign, bound, percent = found.groups()
        system, measure, cuts, column = parse_subject(subject, text)
        if percent and not (column or "").startswith("users_"):
            raise ValueError(f"% is a share of the users, as in users_without_rec > 5%, got {text!r}")
        if measure or column:
            return Condition(
                text, system, measure, cuts, column, None, sign, float(bound), share=bool(percent)
            )
    raise ValueError(f"{RULE}, got {shorten(repr(text))}")


def can_be(verdict: str, measure: str) -> bool:
    """Return whether a measure may have this verdict."""
    from ..measures.contents import CONTENTS

    return verdict in ("unclear", "same") or (verdict in WAYS) == (measure in CONTENTS)


def parse_subject(
    text: str, condition: str
) -> tuple[str | None, str | None, tuple[int | None, ...], str | None]:
    """Parse `[SYSTEM:][MEASURE[@K]] [COLUMN]`."""
    from ..measures import grammar

    system, colon, rest = text.rpartition(":")
    words: list[str | None] = [*rest.split()]
    measure: str | None = None
    cuts: tuple[int | None, ...] = ()
    if words:
        try:
            choice = grammar.parse_measure(words[0] or "")
            measure, cuts = choice.name, choice.cuts
            words = words[1:]
        except ValueError as error:
            if not re.fullmatch(r"\w+", words[0] or ""):
                raise ValueError(f"{error} in {shorten(repr(condition))}") from None
    if len(words) > 1 or (colon and not system):
        raise ValueError(f"{RULE}, got {shorten(repr(condition))}")
    return system if colon else None, measure, cuts, next(iter(words), None)


def values_of_summary(rows: Iterable[Row], cuts: Mapping[str, Sequence[int | None]]) -> Iterator[Value]:
    """Yield the numbers of rows of `ranking_summary`; `cuts` are those of each measure, by its name."""
    for row in rows:
        for name, number in row.items():
            if name not in cuts and name not in KEYS:
                yield Value({**row_keys(row), "measure": None}, name, number, row["users"])
            elif row["k"] in cuts.get(name, ()):
                yield Value({**row_keys(row), "measure": name}, None, number, row["users"])


def values_of_comparison(rows: Iterable[Row]) -> Iterator[Value]:
    """Yield the numbers of rows of `ranking_compare_by_user`: the means of both models, and each column."""
    for row in rows:
        everybody = row["users"] + row["users_undefined"]
        for side in ("system", "baseline"):
            keys = {**row_keys(row), "system": row[side], "measure": row["measure"]}
            yield Value(keys, None, row[f"mean_{side}"], everybody)
            yield Value(keys, "users_without_rec", row[f"users_without_rec_{side}"], everybody)
        for name, number in row.items():
            if not isinstance(number, str) and name not in KEYS:
                yield Value({**row_keys(row), "measure": row["measure"]}, name, number, everybody)


def row_keys(row: Row) -> dict[str, Any]:
    return {name: row.get(name) for name in ("system", "segment", "k")}


def looks_at(conditions: Iterable[Condition], row: Row) -> bool:
    """Return whether a verdict makes a condition fail: p is corrected over all such rows."""
    return any((one.verdict in VERDICTS or one.reads_p) and one.is_of(row) for one in conditions)


def failures(
    con: "duckdb.DuckDBPyConnection",
    conditions: Iterable[Condition],
    rows: Sequence[Row] = (),
    values: Iterable[Value] = (),
    problems: Sequence[Row] = (),
    cuts: Mapping[str, Sequence[int | None]] = {},
) -> list[str]:
    """Return a line for each condition that holds, or that finds nothing to look at.

    `rows` are those of a comparison, or of an evaluation, of whose measures `cuts` are the cut-offs.
    """
    every = list({value_key(one): one for one in values}.values())
    found = [
        (
            one.text,
            sql_failure(con, one, rows, cuts) if one.verdict == SQL else failure(one, rows, every, problems),
        )
        for one in conditions
    ]
    return [f"{text}: {line}" for text, line in found if line is not None]


def sql_failure(
    con: "duckdb.DuckDBPyConnection",
    condition: Condition,
    rows: Sequence[Row],
    cuts: Mapping[str, Sequence[int | None]],
) -> str | None:
    """Say the rows of which a condition of SQL is true or unknown; p is the one that is corrected.

    Where it names measures of an evaluation, it looks at the cut-offs that are theirs.
    """
    own = [cuts[name] for name in condition.names & {*cuts}]
    looked = [row for row in rows if all(row["k"] in ks for ks in own)]
    if not looked:
        return "there is nothing to look at"
    if any(row["k"] == 0 for row in looked):
        return NOTHING_AT_0
    if condition.reads_p and all(row["p"] is None for row in looked):
        return "there is nothing to compare"
    given: Sequence[Row] = looked
    if "p" in looked[0]:
        given = [{**row, "p": row["p_adjusted"], "p_same": row["p_same_adjusted"]} for row in looked]
    found = query_rows(con, condition, dict.fromkeys(name for row in given for name in row), given)
    return line_of([place_of(looked[i]) for i in found])


def query_rows(
    con: "duckdb.DuckDBPyConnection", condition: Condition, names: Iterable[str], rows: Sequence[Row] = ()
) -> list[int]:
    """Return the numbers of the rows, which have columns of these names, of which a condition is not false.

    Raises:
        UsageError: DuckDB does not understand it.
    """
    from duckdb import Error

    from .tables import row_source

    source, given = row_source(names, rows)
    query = f"SELECT _row FROM {source} WHERE (\n{condition.text}\n) IS DISTINCT FROM false ORDER BY _row"
    try:
        return [i for (i,) in con.execute(query, [given]).fetchall()]
    except Error as error:
        raise UsageError(f"--fail-if {condition.text}: {error_summary(error)}") from None


def failure(
    condition: Condition, comparisons: Sequence[Row], values: Sequence[Value], problems: Sequence[Row]
) -> str | None:
    if condition.verdict == PROBLEMS:
        chosen = problem_codes(condition)
        found = [row for row in problems if is_problem(row) and (not chosen or row["code"] in chosen)]
        return line_of([problem_text(row) for row in found])
    if condition.verdict is not None:
        seen = [row for row in comparisons if condition.is_of(row)]
        if not seen:
            return what_is_missing(condition, comparisons)
        if any(row["k"] == 0 for row in seen):
            return NOTHING_AT_0
        if all(row["p"] is None for row in seen):
            return "there is nothing to compare"
        rows = [row for row in seen if row["verdict"] == condition.verdict]
        among = f" ({len(rows)} of {len(seen)} comparisons)"
        return f"{place_of(rows[0])}{among}" if rows else None
    looked = [one for one in values if one.column == condition.column and condition.is_of(one.row)]
    if not looked:
        rows = [one.row for one in values if one.column == condition.column]
        there = dict.fromkeys(one.column or one.row["measure"] for one in values)
        no_value = f"there is no such value, but {shorten(', '.join(there))}"
        return what_is_missing(condition, rows) if rows else no_value
    if condition.measure is not None and any(one.row["k"] == 0 for one in looked):
        return NOTHING_AT_0
    held = [one for one in looked if exceeds(condition, one)]
    held.sort(key=lambda one: (str(one.row["system"]), one.row["segment"] or "", cut_off_key(one.row["k"])))
    numbers = ["NULL" if one.number is None else format_number(one.number) for one in held]
    return line_of([f"{number} {place_of(one.row)}" for number, one in zip(numbers, held, strict=True)])


def what_is_missing(condition: Condition, rows: Sequence[Row]) -> str:
    """Say why a condition looks at none of these rows."""
    if condition.verdict and not any(can_be(condition.verdict, row["measure"]) for row in rows):
        names = ", ".join(dict.fromkeys(row["measure"] for row in rows))
        words = "better or worse" if condition.verdict in WAYS else "higher or lower"
        return f"all measures are {words}: {shorten(names)}"
    wanted_names = (("model", "system", condition.system), ("measure", "measure", condition.measure))
    for what, name, wanted in wanted_names:
        there = dict.fromkeys(str(row[name]) for row in rows)
        if wanted is not None and wanted not in there:
            return f"there is no {what} {shorten(wanted)}, but {shorten(', '.join(there))}"
    cuts = {row["k"] for row in rows if condition.measure in (None, row["measure"])}
    return f"there is only k = {', '.join(map(format_cut_off, sorted(cuts, key=cut_off_key)))}"


def value_key(value: Value) -> tuple[Any, ...]:
    """Return what makes a number another one: how many users have no list is the same for each measure."""
    measure = None if value.column == "users_without_rec" else value.row["measure"]
    return value.column, measure, *(value.row[name] for name in ("system", "segment", "k"))


def exceeds(condition: Condition, value: Value) -> bool:
    """Return whether a value is beyond the bound; what is unknown is."""
    if value.number is None or isnan(value.number):
        return True
    bound = condition.bound * value.users / 100 if condition.share else condition.bound
    return SIGNS[condition.sign](value.number, bound)


def line_of(found: Sequence[str]) -> str | None:
    """Say the first of these, and how many more there are."""
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{found[0]}{more}" if found else None


def place_of(row: Row) -> str:
    """Say which row it is: `als in ndcg@10, segment SE`."""
    place = "" if row.get("system") is None else f"{shorten(row['system'])} "
    place += f"in {row['measure']}@" if row.get("measure") else "at k = "
    place += format_cut_off(row["k"])
    segment = row.get("segment")
    return place if segment in (None, EVERYBODY) else f"{place}, segment {shorten(segment)}"


def problem_codes(condition: Condition) -> list[str]:
    """Return the codes of `problems(code, code)`; none for all."""
    return [one.strip().lower() for one in (condition.column or "").split(",") if one.strip()]


def check_conditions(
    con: "duckdb.DuckDBPyConnection",
    conditions: Iterable[Condition],
    caller: str,
    has_history: bool,
    codes: Iterable[Row],
    columns: Iterable[str],
) -> None:
    """Raise UsageError for SQL that is not understood, or a problem that the check never calls one.

    `codes` are the rows of ranking_problem_codes, `columns` those that SQL may name beside KEYS.
    """
    for one in conditions:
        if one.verdict == SQL:
            query_rows(con, one, (*KEYS, "baseline", "method", *columns))
    grave = {one["code"]: one for one in codes if one["can_be_problem"]}
    for one in conditions:
        for code in problem_codes(one) if one.verdict == PROBLEMS else ():
            if code not in grave:
                there = (name for name, row in grave.items() if has_history or not row["needs_history"])
                hint = did_you_mean(code, grave)
                rule = f"--fail-if problems(CODE) must be of codes of problems{hint}"
                raise UsageError(f"{caller}: {rule}, got {shorten(code)}; there are {', '.join(there)}")
            if grave[code]["needs_history"] and not has_history:
                raise UsageError(f"{caller}: --fail-if {one.text} needs --history FILE")

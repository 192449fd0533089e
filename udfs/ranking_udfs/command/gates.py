"""Conditions of `--fail-if`: how they are written, what they look at, and where one holds."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
PROBLEMS, SQL = "problems", "SQL"  # in place of a verdict
SIGNS = {"<=": le, ">=": ge, "<": lt, ">": gt}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
BOUND = re.compile(rf"(.*?)\s*(<=|>=|<|>)\s*({NUMBER})\s*(%?)", re.IGNORECASE)
VERDICT = re.compile(rf"(?:(.*[\s:])|)({'|'.join(VERDICTS)})")
IS_SQL = re.compile(r"=|<>|\b(?:and|or|not|between|in|is|like)\b", re.IGNORECASE)
PART = re.compile(r"""(?:\([^()]*\)|'[^']*'|"[^"]*"|[^,])+""")  # of conditions with commas between them
NAME = re.compile(r"""'[^']*'|"([^"]+)"|\b([a-z_]\w*)\b(?!\s*\()""", re.IGNORECASE)
CORRECTED = {"p", "p_adjusted", "p_same", "p_same_adjusted", "verdict", "minimum_detectable_effect"}
RULE = "must be a verdict (worse), a bound (ndcg@10 < 0.3, users_without_rec > 5%) or problems"
NOTHING_AT_0 = "at k = 0 there is nothing to look at"
KEYS = ("system", "segment", "k", "measure")


@dataclass(frozen=True)
class Condition:
    """One condition of `--fail-if`: words, or SQL over the rows of the results."""

    text: str  # as it was written
    system: str | None = None  # the model that it looks at; None for each
    measure: str | None = None  # the measure that it looks at, with its options; None for each
    cuts: tuple[int | None, ...] = ()  # the cut-offs that it looks at; () for each
    column: str | None = None  # that it looks at; None for the measure's mean; of problems, the codes of some
    verdict: str | None = None  # the verdict that fails, or PROBLEMS, or SQL; None for a bound
    sign: str = ""  # of the bound
    bound: float = 0.0  # the number to compare with
    share: bool = False  # whether that is a share of the users, in percent

    @property
    def names(self) -> set[str]:
        """The names in a condition of SQL: columns, and SQL's own words."""
        found = NAME.findall(self.text) if self.verdict == SQL else []
        return {quoted or plain.lower() for quoted, plain in found}

    @property
    def is_tested(self) -> bool:
        """Whether it reads a verdict or a p, which are then corrected over all rows that are read so."""
        return self.verdict in VERDICTS or bool(self.names & CORRECTED)

    @property
    def codes(self) -> list[str]:
        """The codes of `problems(code, code)`; none for all."""
        names = (self.column or "").split(",") if self.verdict == PROBLEMS else []
        return [one.strip().lower() for one in names if one.strip()]

    def is_of(self, row: Row) -> bool:
        """Return whether it looks at a row of a comparison, or at a value."""
        return (
            self.system in (None, row["system"])
            and self.measure in (None, row["measure"])
            and (not self.cuts or row["k"] in self.cuts)
            and (self.verdict in (None, SQL) or can_be(str(self.verdict), row["measure"]))
        )

    def fails(self, value: Row) -> bool:
        """Return whether a value has the verdict or is beyond the bound, as what is unknown is."""
        number = value["value"]
        if self.verdict is not None:
            return bool(number == self.verdict)
        bound = self.bound * value["users"] / 100 if self.share else self.bound
        return number is None or isnan(number) or SIGNS[self.sign](number, bound)


def parse_conditions(text: str) -> list[Condition]:
    """Parse conditions with commas between them: of words, else of SQL if they look like that.

    Raises:
        ValueError: the rule that the text breaks
    """
    found = []
    for one in PART.findall(text) or [""]:
        try:
            found.append(parse_words(one.strip()))
        except ValueError:
            if not IS_SQL.search(one):
                raise
            found.append(Condition(one.strip(), verdict=SQL))
    return found


def parse_words(text: str) -> Condition:
    """Parse a condition of words; errors as in `parse_conditions`."""
    if text == PROBLEMS or re.fullmatch(rf"{PROBLEMS}\(.+\)", text):
        return Condition(text, column=text[len(PROBLEMS) + 1 : -1] or None, verdict=PROBLEMS)
    if found := VERDICT.fullmatch(text):
        one, verdict = parse_subject(found[1] or "", text), found[2]
        if one.measure is not None and not can_be(verdict, one.measure):
            neither = f"of {one.measure}, neither of higher and lower is better"
            rule = neither if verdict not in WAYS else f"{one.measure} is better or worse"
            right = "write 'worse' or 'better'" if verdict in WAYS else "write 'lower' or 'higher'"
            raise ValueError(f"{rule}: {right}, got {shorten(repr(text))}")
        if one.column is None:
            return replace(one, column="verdict", verdict=verdict)
    elif found := BOUND.fullmatch(text):
        one = parse_subject(found[1], text)
        if found[4] and not (one.column or "").startswith("users_"):
            raise ValueError(f"% is a share of the users, as in users_without_rec > 5%, got {text!r}")
        if one.measure or one.column:
            return replace(one, sign=found[2], bound=float(found[3]), share=bool(found[4]))
    raise ValueError(f"{RULE}, got {shorten(repr(text))}")


def can_be(verdict: str, measure: str) -> bool:
    """Return whether a measure may have this verdict."""
    from ..measures.contents import CONTENTS

    return verdict in ("unclear", "same") or (verdict in WAYS) == (measure in CONTENTS)


def parse_subject(text: str, condition: str) -> Condition:
    """Parse what a condition looks at, `[SYSTEM:][MEASURE[@K]] [COLUMN]`."""
    from ..measures import grammar

    system, colon, rest = text.rpartition(":")
    words: list[str] = rest.split()
    one = Condition(condition, system if colon else None)
    if words:
        try:
            choice = grammar.parse_measure(words[0])
            one, words = replace(one, measure=choice.name, cuts=choice.cuts), words[1:]
        except ValueError as error:
            if not re.fullmatch(r"\w+", words[0]):
                raise ValueError(f"{error} in {shorten(repr(condition))}") from None
    if len(words) > 1 or (colon and not system):
        raise ValueError(f"{RULE}, got {shorten(repr(condition))}")
    return replace(one, column=next(iter(words), None))


def values_of(rows: Iterable[Row], cuts: Mapping[str, Sequence[int | None]]) -> list[Row]:
    """Return each number of the rows with the keys of its row, its column, and the users that it is of.

    The column is None for the mean of a measure. `rows` are those of ranking_compare_by_user, or of
    ranking_summary, of whose measures `cuts` are the cut-offs.
    """
    found = {}
    for row, measure, system, column, value in each_value(rows, cuts):
        users = row["users"] + row.get("users_undefined", 0)
        keys = {"system": system, "segment": row.get("segment"), "k": row["k"]}
        # How many users have no list is the same for each measure.
        of = None if column == "users_without_rec" else measure
        one = {**keys, "measure": measure, "column": column, "value": value, "users": users}
        found[column, of, *keys.values()] = one
    return list(found.values())


def each_value(
    rows: Iterable[Row], cuts: Mapping[str, Sequence[int | None]]
) -> Iterator[tuple[Row, str | None, str | None, str | None, Any]]:
    """Yield each value of the rows, behind its row, measure, system and column."""
    for row in rows:
        measure, system = row.get("measure"), row.get("system")
        for side in ("system", "baseline") if measure else ():
            yield row, measure, row[side], None, row[f"mean_{side}"]
            yield row, measure, row[side], "users_without_rec", row[f"users_without_rec_{side}"]
        for name, value in row.items():
            if name in cuts:
                if row["k"] in cuts[name]:
                    yield row, name, system, None, value
            elif name not in KEYS and (name == "verdict" or not isinstance(value, str)):
                yield row, measure, system, name, value


def looks_at(conditions: Iterable[Condition], row: Row) -> bool:
    """Return whether a verdict makes a condition fail: p is corrected over all such rows."""
    return any(one.is_tested and one.is_of(row) for one in conditions)


def failures(
    con: "duckdb.DuckDBPyConnection",
    conditions: Sequence[Condition],
    rows: Sequence[Row] = (),
    problems: Sequence[Row] = (),
    cuts: Mapping[str, Sequence[int | None]] = {},
) -> list[str]:
    """Return a line for each condition that holds, or that finds nothing to look at.

    `rows` are those of a comparison, or of an evaluation, of whose measures `cuts` are the cut-offs.
    """
    values, found = values_of(rows, cuts) if conditions else [], []
    for one in conditions:
        if one.verdict == PROBLEMS:
            of = [row for row in problems if is_problem(row) and (not one.codes or row["code"] in one.codes)]
            line = line_of([problem_text(row) for row in of])
        else:
            line = sql_failure(con, one, rows, cuts) if one.verdict == SQL else failure(one, rows, values)
        found += [f"{one.text}: {line}"] if line is not None else []
    return found


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
    if not looked or any(row["k"] == 0 for row in looked):
        return NOTHING_AT_0 if looked else "there is nothing to look at"
    if condition.is_tested and all(row["p"] is None for row in looked):
        return "there is nothing to compare"
    given: Sequence[Row] = looked
    if "p" in looked[0]:
        given = [{**row, "p": row["p_adjusted"], "p_same": row["p_same_adjusted"]} for row in looked]
    return line_of([row_text(looked[i]) for i in held_rows(con, condition, given)])


def check_sql(con: "duckdb.DuckDBPyConnection", conditions: Iterable[Condition], row: Row) -> None:
    """Raise UsageError for a condition of SQL that DuckDB does not understand, of rows such as this one."""
    for condition in conditions:
        if condition.verdict == SQL:
            held_rows(con, condition, [row], is_checked_alone=True)


def held_rows(
    con: "duckdb.DuckDBPyConnection",
    condition: Condition,
    rows: Sequence[Row],
    is_checked_alone: bool = False,
) -> list[int]:
    """Return the numbers of the rows of which a condition of SQL is true or unknown.

    Raises:
        UsageError: DuckDB does not understand it.
    """
    from duckdb import Error

    from .tables import row_source

    source, given = row_source(dict.fromkeys(name for row in rows for name in row), rows)
    query = f"SELECT _row FROM {source} WHERE (\n{condition.text}\n) IS DISTINCT FROM false ORDER BY _row"
    try:
        return [i for (i,) in con.execute(query, [[] if is_checked_alone else given]).fetchall()]
    except Error as error:
        raise UsageError(f"--fail-if {condition.text}: {error_summary(error)}") from None


def failure(condition: Condition, rows: Sequence[Row], values: Sequence[Row]) -> str | None:
    """Say where a verdict or a bound holds, or why it looks at nothing."""
    looked = [one for one in values if one["column"] == condition.column and condition.is_of(one)]
    if not looked:
        return what_is_there(condition, values)
    if (condition.verdict or condition.measure) and any(one["k"] == 0 for one in looked):
        return NOTHING_AT_0
    if condition.verdict and all(row["p"] is None for row in rows if condition.is_of(row)):
        return "there is nothing to compare"
    held = [one for one in looked if condition.fails(one)]
    if condition.verdict:
        return f"{row_text(held[0])} ({len(held)} of {len(looked)} comparisons)" if held else None
    held.sort(key=lambda one: (str(one["system"]), one["segment"] or "", cut_off_key(one["k"])))
    return line_of([f"{format_number(one['value']) or 'NULL'} {row_text(one)}" for one in held])


def what_is_there(condition: Condition, values: Sequence[Row]) -> str:
    """Say which models, measures and, for a bound on one, columns a condition could look at."""
    names = {
        "models": dict.fromkeys(row["system"] for row in values if row["system"] is not None),
        "measures": dict.fromkeys(
            f"{row['measure']}@{format_cut_off(row['k'])}" for row in values if row["measure"]
        ),
        "columns": dict.fromkeys(
            row["column"] for row in values if row["column"] and not (condition.measure or condition.verdict)
        ),
    }
    found = [f"{what} {shorten(', '.join(some))}" for what, some in names.items() if some]
    return f"there is nothing to look at: {'; '.join(found)}"


def line_of(found: Sequence[str]) -> str | None:
    """Say the first of these, and how many more there are."""
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{found[0]}{more}" if found else None


def row_text(row: Row) -> str:
    """Say which row it is: `als in ndcg@10, segment SE`."""
    text = "" if row.get("system") is None else f"{shorten(row['system'])} "
    text += f"in {row['measure']}@" if row.get("measure") else "at k = "
    text += format_cut_off(row["k"])
    segment = row.get("segment")
    return text if segment in (None, EVERYBODY) else f"{text}, segment {shorten(segment)}"


def check_codes(
    conditions: Iterable[Condition], caller: str, has_history: bool, codes: Iterable[Row]
) -> None:
    """Raise UsageError for a problem that the check never finds; `codes` are of ranking_problem_codes."""
    grave = {one["code"]: one for one in codes if one["can_be_problem"]}
    for condition, code in ((one, code) for one in conditions for code in one.codes):
        if code not in grave:
            there = (name for name, row in grave.items() if has_history or not row["needs_history"])
            rule = f"--fail-if problems(CODE) must be of codes of problems{did_you_mean(code, grave)}"
            raise UsageError(f"{caller}: {rule}, got {shorten(code)}; there are {', '.join(there)}")
        if grave[code]["needs_history"] and not has_history:
            raise UsageError(f"{caller}: --fail-if {condition.text} needs --history FILE")

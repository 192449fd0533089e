"""Conditions of `--fail-if`: how they are written, what they look at, and where one holds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import UsageError, error_summary
from ..evaluation.problems import CODES, is_problem, problem_text
from ..evaluation.words import (
    COUNTS,
    OF_LISTS,
    WITHOUT_RELEVANT,
    Row,
    cut_off_key,
    format_cut_off,
    format_number,
)
from ..texts import did_you_mean, shorten

if TYPE_CHECKING:
    import duckdb

    from ..inputs.evaluation import Evaluation

PROBLEMS, VERDICT, BOUND, SQL = "problems", "verdict", "bound", "SQL"  # kinds of conditions
WAYS = ("higher", "lower")  # of measures of which neither is better
VERDICTS = ("worse", "unclear", "same", "better", *WAYS)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
IS_BOUND = re.compile(rf"(.*?)\s*(<=|>=|<|>)\s*({NUMBER})\s*(%?)", re.IGNORECASE)
IS_VERDICT = re.compile(rf"(?:(.*[\s:])|)({'|'.join(VERDICTS)})")
IS_SQL = re.compile(r"=|<>|\b(?:and|or|not|between|in|is|like)\b", re.IGNORECASE)
PART = re.compile(r"""(?:\([^()]*\)|'[^']*'|"[^"]*"|[^,])+""")  # of conditions with commas between them
NAME = re.compile(r"""'[^']*'|"([^"]+)"|\b([a-z_]\w*)\b(?!\s*\()""", re.IGNORECASE)
CORRECTED = {"p", "p_adjusted", "p_same", "p_same_adjusted", "verdict"}  # over all rows of a gate
CORRECTED |= {"minimum_detectable_effect", "users_needed"}
RULE = "must be a verdict (worse), a bound (ndcg@10 < 0.3, users_without_rec > 5%) or problems"
KEYS = ("system", "segment", "k", "measure")
NO_REC = "users_without_rec"
Cuts = Mapping[str, Sequence[int | None]]  # of the measures of an evaluation, by name
AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True)
class Condition:
    """One condition of `--fail-if`: problems of the data, or what must not hold, as SQL.

    A verdict and a condition of SQL are of rows of the results, a bound is of each number in them alone.
    """

    text: str  # as it was written
    kind: str = SQL
    holds: str = ""  # what fails, as SQL
    system: str | None = None  # the model that it looks at; None for each
    measure: str | None = None  # the measure that it looks at, with its options; None for each
    cuts: tuple[int | None, ...] = ()  # the cut-offs that it looks at; () for each
    column: str = ""  # the column that a bound looks at; "" for the measure's mean
    of_contents: bool | None = None  # whether of what is in the lists, where a verdict says it
    codes: tuple[str, ...] = ()  # of `problems(code, code)`; none for all

    @property
    def names(self) -> set[str]:
        """The names in a condition of SQL: columns, and SQL's own words."""
        found = NAME.findall(self.text) if self.kind == SQL else []
        return {quoted or plain.lower() for quoted, plain in found}

    @property
    def is_tested(self) -> bool:
        """Whether it reads a verdict or a p, which are then corrected over all rows that are read so."""
        return self.kind == VERDICT or bool(self.names & CORRECTED)

    @property
    def fails(self) -> str:
        """Return the condition of SQL under which a row fails the gate: it holds, or is unknown."""
        return f"(\n{self.holds}\n) IS DISTINCT FROM false"

    def looks_at(self, row: Row) -> bool:
        """Return whether the condition is about this row of the results, or of a bound about this number."""
        from ..measures.contents import CONTENTS

        return (
            self.system in (None, row.get("system"))
            and self.measure in (None, row.get("measure"))
            and (not self.cuts or row["k"] in self.cuts)
            and (self.kind != BOUND or row["column"] == self.column)
            and self.of_contents in (None, row.get("measure") in CONTENTS)
        )


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
            found.append(Condition(one.strip(), holds=one))
    return found


def parse_words(text: str) -> Condition:
    """Parse a condition of words; errors as in `parse_conditions`."""
    from ..measures.contents import CONTENTS

    if found := re.fullmatch(rf"{PROBLEMS}(?:\((.+)\))?", text):
        codes = (one.strip().lower() for one in (found[1] or "").split(","))
        return Condition(text, PROBLEMS, codes=tuple(filter(None, codes)))
    if found := IS_VERDICT.fullmatch(text):
        one, verdict = parse_subject(found[1] or "", text), found[2]
        of_contents = None if verdict in ("unclear", "same") else verdict in WAYS
        if None not in (one.measure, of_contents) and (one.measure in CONTENTS) is not of_contents:
            right = "worse or better" if of_contents else "lower or higher, of which neither is better"
            raise ValueError(f"the verdict on {one.measure} must be {right}, got {shorten(repr(text))}")
        if not one.column:
            return replace(one, kind=VERDICT, holds=f"verdict = '{verdict}'", of_contents=of_contents)
    elif found := IS_BOUND.fullmatch(text):
        one = parse_subject(found[1], text)
        if found[4] and not one.column.startswith("users_"):
            raise ValueError(f"% is a share of the users, as in users_without_rec > 5%, got {text!r}")
        if one.measure or one.column:
            share = " * users / 100" if found[4] else ""
            holds = f"isnan(value) OR value {found[2]} '{float(found[3])}'::DOUBLE{share}"
            return replace(one, kind=BOUND, holds=holds)
    raise ValueError(f"{RULE}, got {shorten(repr(text))}")


def parse_subject(text: str, condition: str) -> Condition:
    """Parse what a condition looks at, `[SYSTEM:][MEASURE[@K]] [COLUMN]`."""
    from ..measures import grammar

    system, colon, rest = text.rpartition(":")
    words: list[str] = rest.split()
    one = Condition(condition, system=system if colon else None)
    if words:
        try:
            choice = grammar.parse_measure(words[0])
            one, words = replace(one, measure=choice.name, cuts=choice.cuts), words[1:]
        except ValueError as error:
            if not re.fullmatch(r"\w+", words[0]):
                raise ValueError(f"{error} in {shorten(repr(condition))}") from None
    if len(words) > 1 or (colon and not system):
        raise ValueError(f"{RULE}, got {shorten(repr(condition))}")
    return replace(one, column="".join(words))


def values_of(rows: Iterable[Row], cuts: Cuts, skips_users: bool) -> list[Row]:
    """Return each number of the rows with the keys of its row, its column, and the users that it is of.

    The column is "" for the mean of a measure. `rows` are those of ranking_compare_by_user, or of
    ranking_summary, of whose measures `cuts` are the cut-offs. Users without a relevant item who are left
    out, `skips_users`, are not among its users: their number is of both.
    """
    found: dict[tuple[str | int | None, ...], Row] = {}
    for row in rows:
        measure, system, sides = row.get("measure"), row.get("system"), ("system", "baseline")
        columns = {"": "mean", NO_REC: NO_REC} if measure else {}
        numbers = [
            (measure, row[side], column, row[f"{name}_{side}"])
            for side in sides
            for column, name in columns.items()
        ]
        for name, value in row.items():
            if name in cuts:
                numbers += [(name, system, "", value)] if row["k"] in cuts[name] else []
            elif name not in KEYS and not isinstance(value, str):
                numbers.append((measure, system, name, value))
        users = row["users"] + row.get("users_undefined", 0)
        for of, whose, column, value in numbers:
            keys = {"system": whose, "segment": row.get("segment"), "k": row["k"]}
            one = {**keys, "measure": of, "column": column, "users": users, "shown": format_number(value)}
            one["users"] += value if skips_users and column == WITHOUT_RELEVANT else 0
            one["value"] = None if value is None else float(value)
            # How many users have no list is the same for each measure.
            found[column, None if column == NO_REC else of, *keys.values()] = one
    return list(found.values())


def tested_rows(conditions: Iterable[Condition], rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Return the rows whose verdict or p makes a condition fail: p is corrected over all of them."""
    tested = [one for one in conditions if one.is_tested]
    return [row for row in rows if any(one.looks_at(row) for one in tested)]


def failures(work: "Evaluation", problems: Sequence[Row], rows: Sequence[Row] = ()) -> list[str]:
    """Return a line for each condition that holds, or that finds nothing to look at.

    `rows` are those of a comparison or of an evaluation.
    """
    conditions, request, found = work.given.fail_if, work.request, []
    cuts = {one.name: one.cuts for one in (*request.choices, *request.contents)}
    skips_users = request.columns["without_relevant"] == "skip"
    values = values_of(rows, cuts, skips_users) if conditions else []
    for one in conditions:
        if one.kind == PROBLEMS:
            of = [row for row in problems if is_problem(row) and (not one.codes or row["code"] in one.codes)]
            line = line_of([problem_text(row) for row in of])
        else:
            line = failure(work.con, one, rows, values, cuts)
        found += [f"{one.text}: {line}"] if line is not None else []
    return found


def failure(
    con: "duckdb.DuckDBPyConnection", one: Condition, rows: Sequence[Row], values: Sequence[Row], cuts: Cuts
) -> str | None:
    """Say where a condition holds or is unknown, or why it looks at nothing.

    Where one of SQL names measures of an evaluation, it looks at the cut-offs that are theirs.
    """
    own = [cuts[name] for name in one.names & {*cuts}]
    every = values if one.kind == BOUND else rows
    looked = [row for row in every if one.looks_at(row) and all(row["k"] in ks for ks in own)]
    if not looked:
        return what_is_there(one, values)
    if (one.measure or one.kind != BOUND) and any(row["k"] == 0 for row in looked):
        return "at k = 0 there is nothing to look at"
    if one.is_tested and all(row["p"] is None for row in looked):
        return "there is nothing to compare"
    held = failing(con, one, looked)
    if one.kind == VERDICT:
        return f"{row_text(held[0])} ({len(held)} of {len(looked)} comparisons)" if held else None
    if one.kind == SQL:
        return line_of(list(map(row_text, held)))
    held.sort(key=lambda row: (str(row["system"]), row["segment"] or "", cut_off_key(row["k"])))
    return line_of([f"{row['shown'] or 'NULL'} {row_text(row)}" for row in held])


def failing(
    con: "duckdb.DuckDBPyConnection", one: Condition, rows: Sequence[Row], where: str = "true"
) -> list[Row]:
    """Return the rows of a condition of SQL, `where`, that fail the gate; their p is the corrected one.

    Raises:
        UsageError: DuckDB does not understand the condition.
    """
    from duckdb import Error

    from .tables import row_source

    corrected = {"p": "p_adjusted", "p_same": "p_same_adjusted"} if "p" in rows[0] else {}
    given = [{**row, **{name: row[other] for name, other in corrected.items()}} for row in rows]
    source, given = row_source(dict.fromkeys(name for row in rows for name in row), given)
    try:
        query = f"SELECT _row FROM {source} WHERE {where} AND {one.fails} ORDER BY _row"
        return [rows[i] for (i,) in con.execute(query, [given]).fetchall()]
    except Error as error:
        raise UsageError(f"--fail-if {one.text}: {error_summary(error)}") from None


def what_is_there(condition: Condition, values: Sequence[Row]) -> str:
    """Say which models, measures and, for a bound on one, columns a condition could look at."""
    is_of_column = condition.kind == BOUND and condition.measure is None
    names = {
        "models": [row["system"] for row in values if row["system"] is not None],
        "measures": [f"{row['measure']}@{format_cut_off(row['k'])}" for row in values if row["measure"]],
        "columns": [row["column"] for row in values if row["column"] and is_of_column],
    }
    found = [f"{what} {shorten(', '.join(dict.fromkeys(some)))}" for what, some in names.items() if some]
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


def check_conditions(work: "Evaluation") -> None:
    """Raise UsageError for a problem that the check never finds, and for SQL that DuckDB does not read."""
    from ..evaluation.comparison import sample_row
    from ..evaluation.queries import fetch_rows

    con, request, conditions = work.con, work.request, work.given.fail_if
    codes = fetch_rows(con, CODES) if any(one.codes for one in conditions) else []
    grave = {one["code"]: one for one in codes if one["can_be_problem"]}
    for condition, code in ((one, code) for one in conditions for code in one.codes):
        if code not in grave:
            there = (name for name, row in grave.items() if getattr(request, row["needs"] or "ks"))
            rule = f"--fail-if problems(CODE) must be of codes of problems{did_you_mean(code, grave)}"
            raise UsageError(f"{work.caller}: {rule}, got {shorten(code)}; there are {', '.join(there)}")
        if (table := grave[code]["needs"]) and not getattr(request, table):
            raise UsageError(
                f"{work.caller}: --fail-if {condition.text} needs --{table.replace('_', '-')} FILE"
            )
    for condition in (one for one in conditions if one.kind == SQL):
        measures = {one.name: 0.0 for one in (*request.choices, *request.contents)}
        row = {"system": "", "k": 1, **dict.fromkeys((*COUNTS, *OF_LISTS), 1), **measures}
        row = sample_row(con, request.predicted_truth) if work.caller == "compare" else row
        row |= {"segment": ""} if request.by_segment else {}
        failing(con, condition, [row], where="false")

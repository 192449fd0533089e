"""Conditions of `--fail-if`: how they are written, what they look at, and where one holds."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import UsageError, error_summary
from ..evaluation.problems import CODES, is_problem, problem_text
from ..evaluation.words import COUNTS, OF_LISTS, Row, format_cut_off, format_number, in_unit
from ..texts import did_you_mean, shorten
from .messages import PROGRAM

if TYPE_CHECKING:
    import duckdb

    from ..inputs.evaluation import Evaluation

PROBLEMS, VERDICT, BOUND, LOSERS, SQL = "problems", "verdict", "bound", "losers", "SQL"  # kinds
WAYS = ("higher", "lower")  # of measures of which neither is better
VERDICTS = ("worse", "unclear", "same", "better", *WAYS)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
IS_BOUND = re.compile(rf"(\w+\S*?)\s*(<=|>=|<|>)\s*({NUMBER})", re.IGNORECASE)
IS_VERDICT = re.compile(rf"(segments\s+)?(?:(\S+)\s+)?({'|'.join(VERDICTS)})")
IS_SQL = re.compile(r"[=<>]|\b(?:and|or|not|between|in|is|like)\b", re.IGNORECASE)
IS_LOSERS = re.compile(rf"losers\s*\(\s*({NUMBER})\s*\)\s*(>=?)\s*(\d+)")
MOST = 10  # rows of a condition that are named
PART = re.compile(r"""(?:\([^()]*\)|'[^']*'|"[^"]*"|[^,])+""")  # of conditions with commas between them
NAME = re.compile(r"""'[^']*'|"([^"]+)"|\b([a-z_]\w*)\b(?!\s*\()""", re.IGNORECASE)
CORRECTED = {"p", "p_adjusted", "p_same", "p_same_adjusted", "verdict"}  # over all rows of a gate
CORRECTED |= {"minimum_detectable_effect", "users_needed"}
RULE = "must be a verdict (worse), a bound (ndcg@10 < 0.3), problems or a condition of SQL"
Cuts = Mapping[str, Sequence[int | None]]  # of the measures of an evaluation, by name
AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True)
class Condition:
    """One condition of `--fail-if`: problems of the data, or what must not hold, as SQL.

    A verdict and a condition of SQL are of rows of the results, a bound is of each mean in them.
    """

    text: str  # as it was written
    kind: str = SQL
    holds: str = ""  # what fails, as SQL
    measure: str | None = None  # the measure that it looks at, with its options; None for each
    cuts: tuple[int | None, ...] = ()  # the cutoffs that it looks at; () for each
    of_contents: bool | None = None  # whether of what is in the lists, where a verdict says it
    of_segments: bool | None = None  # whether of segments, where a verdict says it, or of all users
    codes: tuple[str, ...] = ()  # of `problems(code, code)`; none for all
    threshold: float = 0  # of losers: how much they lose at least
    least: int = 0  # of losers: how many are too many

    @property
    def names(self) -> set[str]:
        """The names in a condition of SQL: columns, and SQL's own words."""
        found = NAME.findall(self.text) if self.kind == SQL else []
        return {quoted or plain.lower() for quoted, plain in found}

    @property
    def is_tested(self) -> bool:
        """True for a condition on verdicts or p, which are corrected over all rows of such conditions."""
        return self.kind == VERDICT or bool(self.names & CORRECTED)

    @property
    def is_compared(self) -> bool:
        """True for a condition on columns of comparisons alone."""
        return self.is_tested or self.kind == LOSERS

    def looks_at(self, row: Row) -> bool:
        """Return whether the condition is about this row of the results, or of a bound about this mean."""
        from ..measures.contents import CONTENTS

        return (
            self.measure in (None, row.get("measure"))
            and (not self.cuts or row["k"] in self.cuts)
            and self.of_contents in (None, row.get("measure") in CONTENTS)
            and self.of_segments in (None, row.get("segment", EVERYBODY) != EVERYBODY)
        )


# Errors of conditions that do not fit the options of the command, each with its test.
RULES: Mapping[str, Callable[[Condition, Any], Any]] = {
    "of the check must be problems or problems(CODE, ...), got {}": (
        lambda one, of: one.kind != PROBLEMS and of.command == "check"
    ),
    "{} requires the check of the data; remove --no-check": (
        lambda one, of: one.kind == PROBLEMS and of.no_check
    ),
    f"{{}} requires verdicts; use `{PROGRAM} compare`": (
        lambda one, of: one.is_compared and of.command != "compare"
    ),
    "{} requires --baseline NAME": (lambda one, of: one.is_compared and of.baseline is None),
    "{} requires --segment FILE:COLUMN": lambda one, of: one.of_segments and of.segment is None,
    "{} requires results, and --format sql computes none": lambda _, of: of.format == "sql",
}


def parse_conditions(text: str) -> list[Condition]:
    """Parse conditions with commas between them.

    Raises:
        ValueError: the rule that the text breaks
    """
    return [parse_condition(one.strip()) for one in PART.findall(text) or [""]]


def parse_condition(text: str) -> Condition:
    """Parse a condition: of words, else of SQL if it looks like that; errors as in `parse_conditions`."""
    for form, parse in FORMS.items():
        if (found := form.fullmatch(text)) and (one := parse(text, found)):
            return one
    if IS_SQL.search(text):
        return Condition(text, holds=text)
    raise ValueError(f"{RULE}, got {shorten(repr(text))}")


def parse_problems(text: str, found: re.Match[str]) -> Condition:
    codes = (one.strip().lower() for one in (found[1] or "").split(","))
    return Condition(text, PROBLEMS, codes=tuple(filter(None, codes)))


def parse_losers(text: str, _: re.Match[str]) -> Condition:
    lost = IS_LOSERS.fullmatch(text)
    if not lost or not 0 < float(lost[1]) < float("inf") or lost[2] + lost[3] == ">=0":
        rule = "losers(LOSS) > COUNT must have a loss above 0 and a count, as in losers(0.5) > 3"
        raise ValueError(f"{rule}, got {shorten(repr(text))}")
    return Condition(text, LOSERS, threshold=float(lost[1]), least=int(lost[3]) + (lost[2] == ">"))


def parse_verdict(text: str, found: re.Match[str]) -> Condition:
    from ..measures.contents import CONTENTS

    one, verdict = parse_measured(found[2], text), found[3]
    of_contents = None if verdict in ("unclear", "same") else verdict in WAYS
    if None not in (one.measure, of_contents) and (one.measure in CONTENTS) is not of_contents:
        right = "worse or better" if of_contents else "lower or higher, since neither is better"
        raise ValueError(f"the verdict on {one.measure} must be {right}, got {shorten(repr(text))}")
    one = replace(one, of_contents=of_contents, of_segments=bool(found[1]))
    return replace(one, kind=VERDICT, holds=f"verdict = '{verdict}'")


def parse_bound(text: str, found: re.Match[str]) -> Condition | None:
    """Parse a bound of a measure; None for a name that may be a column."""
    try:
        one = parse_measured(found[1], text)
    except ValueError:
        if not re.fullmatch(r"\w+", found[1]):
            raise
        return None
    return replace(one, kind=BOUND, holds=f"isnan(value) OR value {found[2]} '{float(found[3])}'::DOUBLE")


FORMS: Mapping[re.Pattern[str], Callable[[str, re.Match[str]], Condition | None]] = {
    re.compile(rf"{PROBLEMS}(?:\((.+)\))?"): parse_problems,
    re.compile(r"losers\b.*", re.DOTALL): parse_losers,
    IS_VERDICT: parse_verdict,
    IS_BOUND: parse_bound,
}


def parse_measured(text: str | None, condition: str) -> Condition:
    """Parse the measure that a condition looks at, `MEASURE[@K]`, or none."""
    from ..measures import grammar

    try:
        choice = text and grammar.parse_measure(text)
    except ValueError as error:
        raise ValueError(f"{error} in {shorten(repr(condition))}") from None
    return Condition(condition, measure=choice.name, cuts=choice.cuts) if choice else Condition(condition)


def means_of(rows: Iterable[Row], cuts: Cuts) -> list[Row]:
    """Return each mean in rows of a comparison, or of an evaluation with the cutoffs of its measures."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        if "measure" in row:
            means = [(row["measure"], row[side], row[f"mean_{side}"]) for side in ("baseline", "system")]
        else:
            means = [(name, row.get("system"), row[name]) for name in cuts if row["k"] in cuts[name]]
        for measure, system, value in means:
            keys = {"measure": measure, "system": system, "segment": row.get("segment"), "k": row["k"]}
            found[tuple(keys.values())] = {**keys, "value": value}
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
    for one in conditions:
        if one.kind == PROBLEMS:
            of = [row for row in problems if is_problem(row) and (not one.codes or row["code"] in one.codes)]
            line = line_of([problem_text(row) for row in of])
        elif one.kind == LOSERS:
            line = losers_text(work, one)
        else:
            line = failure(work.con, one, rows, cuts)
        found += [f"{one.text}: {line}"] if line is not None else []
    return found


def failure(con: "duckdb.DuckDBPyConnection", one: Condition, rows: Sequence[Row], cuts: Cuts) -> str | None:
    """Say where a condition holds or is unknown, or why it looks at nothing."""
    means = means_of(rows, cuts)
    looked = looked_at(one, means if one.kind == BOUND else rows, cuts)
    if not looked:
        there = dict.fromkeys(map(at_text, means))
        return f"the measure has no results; available measures: {', '.join(there)}"
    if any(row["k"] == 0 for row in looked):
        return "there are no results at k = 0"
    if one.is_tested and all(row["p"] is None for row in looked):
        return "there is nothing to compare"
    held = failing(con, one, looked)
    line = line_of([*map(row_text, held)])
    return f"{line} ({len(held)} of {len(looked)} comparisons)" if line and one.kind == VERDICT else line


def looked_at(one: Condition, rows: Sequence[Row], cuts: Cuts) -> list[Row]:
    """Return the rows of a condition: of SQL that names measures, those at the cutoffs that are theirs."""
    own = [cuts[name] for name in one.names & {*cuts}]
    return [row for row in rows if one.looks_at(row) and all(row["k"] in ks for ks in own)]


def losers_text(work: "Evaluation", one: Condition) -> str | None:
    """Say with which models too many users lose by the first measure at its first cutoff, and who."""
    from ..evaluation.comparison import losers_query
    from ..evaluation.queries import fetch_rows

    if not work.request.choices:
        return "no measure has a better direction"
    choice = work.request.choices[0]
    if choice.cuts[0] == 0:
        return "there are no results at k = 0"
    rows = fetch_rows(work.con, losers_query(work.request, choice, one.threshold))
    texts = []
    for row in (each for each in rows if len(each["losers"]) >= one.least):
        lost = [f"{shorten(user['userid'])} {format_number(user['difference'])}" for user in row["losers"]]
        text = in_unit(f"{len(lost)} of {row['users']} users lose {one.threshold:g} or more by ")
        text += f"{choice.at(choice.cuts[0])} with {shorten(row['system'])}"
        texts.append(f"{text} ({line_of(lost)})")
    return line_of(texts) if rows else "there is nothing to compare"


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
    whole = {"segment": EVERYBODY} if any("segment" in row for row in rows) else {}
    given = [{**whole, **row, **{name: row[other] for name, other in corrected.items()}} for row in rows]
    source, given = row_source(dict.fromkeys(name for row in given for name in row), given)
    try:
        query = f"SELECT _row FROM {source} WHERE {where} AND (\n{one.holds}\n) IS DISTINCT FROM false"
        return [rows[i] for (i,) in con.execute(f"{query} ORDER BY _row", [given]).fetchall()]
    except Error as error:
        raise UsageError(f"--fail-if {one.text}: {error_summary(error)}") from None


def line_of(found: Sequence[str]) -> str | None:
    """Say the first of these, and how many more there are; None for none."""
    more = f", and {len(found) - MOST} more" if len(found) > MOST else ""
    return f"{'; '.join(found[:MOST])}{more}" if found else None


def row_text(row: Row) -> str:
    """Say which row it is, and its mean if that is looked at: `0.3 als in ndcg@10, segment SE`."""
    text = f"{format_number(row['value']) or 'NULL'} " if "value" in row else ""
    text += "" if row.get("system") is None else f"{shorten(row['system'])} "
    text += f"in {at_text(row)}" if row.get("measure") else f"at k = {format_cut_off(row['k'])}"
    segment = row.get("segment")
    return text if segment in (None, EVERYBODY) else f"{text}, segment {shorten(segment)}"


def at_text(row: Row) -> str:
    """Say which measure it is at which cutoff; of a column its name."""
    from ..measures.grammar import measure_of

    has_cutoff = measure_of(row["measure"]).measure.has_cutoff
    return f"{row['measure']}@{format_cut_off(row['k'])}" if has_cutoff else str(row["measure"])


def check_conditions(work: "Evaluation") -> None:
    """Raise UsageError for a problem that the check never finds, and for SQL that DuckDB does not read."""
    conditions = work.given.fail_if
    if any(one.codes for one in conditions):
        check_codes(work, [(one, code) for one in conditions for code in one.codes])
    for one in conditions:
        if one.kind == SQL:
            failing(work.con, one, [sample_result(work)], where="false")


def check_codes(work: "Evaluation", codes: Sequence[tuple[Condition, str]]) -> None:
    grave = {code: one for code, one in CODES.items() if one.can_be_problem}
    for condition, code in codes:
        if code not in grave:
            there = (name for name, row in grave.items() if getattr(work.request, row.needs or "ks"))
            rule = f"--fail-if problems(CODE) must name codes of problems{did_you_mean(code, grave)}"
            raise UsageError(
                f"{work.caller}: {rule}, got {shorten(code)}; available codes: {', '.join(there)}"
            )
        if (table := grave[code].needs) and not getattr(work.request, table):
            needed = f"--{table.replace('_', '-')} FILE"
            raise UsageError(f"{work.caller}: --fail-if {condition.text} requires {needed}")


def sample_result(work: "Evaluation") -> Row:
    """Return a row with the columns of the results."""
    from ..evaluation.comparison import sample_row

    request = work.request
    measures = {one.name: 0.0 for one in (*request.choices, *request.contents)}
    row = {"system": "", "k": 1, **dict.fromkeys((*COUNTS, *OF_LISTS), 1), **measures}
    row = sample_row(work.con, request.predicted_truth) if work.caller == "compare" else row
    return row | ({"segment": ""} if request.by_segment else {})

"""Conditions of `--fail-if`: parse them, select their rows and find the rows that fail."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..compose.columns import COMMAND, option
from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import UsageError, error_summary
from ..evaluation.problems import errors_about, grave, hint_of, is_problem, problem_lines, problem_text
from ..evaluation.words import COUNTS, OF_LISTS, Row, format_cut_off, format_number, in_unit
from ..texts import did_you_mean, shorten
from .messages import PROGRAM

if TYPE_CHECKING:
    import duckdb

    from ..inputs.evaluation import Evaluation
    from ..options import Values

PROBLEMS, VERDICT, BOUND, LOSERS, SQL = "problems", "verdict", "bound", "losers", "SQL"  # kinds
WAYS = ("higher", "lower")  # verdicts on measures without a better direction
VERDICTS = ("worse", "unclear", "same", "better", *WAYS)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
IS_BOUND = re.compile(rf"(\w+\S*?)\s*(<=|>=|<|>)\s*({NUMBER})", re.IGNORECASE)
IS_VERDICT = re.compile(rf"(segments\s+)?(?:(\S+)\s+)?({'|'.join(VERDICTS)})")
IS_SQL = re.compile(r"[=<>]|\b(?:and|or|not|between|in|is|like)\b", re.IGNORECASE)
IS_LOSERS = re.compile(rf"losers\s*\(\s*({NUMBER})\s*\)\s*(>=?)\s*(\d+)")
MOST = 10  # failing rows that a message names
PART = re.compile(r"""(?:\([^()]*\)|'[^']*'|"[^"]*"|[^,])+""")  # one condition of a list with commas
NAME = re.compile(r"""'[^']*'|"([^"]+)"|\b([a-z_]\w*)\b(?!\s*\()""", re.IGNORECASE)
OF_SAME = {"p_same", "p_same_adjusted", "verdict"}
OF_SIGNIFICANCE = {"p", "p_adjusted"} | OF_SAME
CORRECTED = OF_SIGNIFICANCE | {"minimum_detectable_effect", "users_needed"}  # over all rows of a gate
NAMING = ("system", "baseline", "segment", "measure", "k")  # columns whose values an SQL condition may name
NAMED_BY = ("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN")  # in json_serialize_sql
RULE = "must be a verdict (worse), a bound (ndcg@10 < 0.3), problems or a condition of SQL"
Cuts = Mapping[str, Sequence[int | None]]  # the cutoffs of each measure, by name
AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True)
class Condition:
    """One condition of `--fail-if`: on problems of the data, or on results.

    A verdict and an SQL condition are tested on the rows of the results, a bound on each mean in these rows.
    """

    text: str  # as the user wrote it
    kind: str = SQL
    holds: str = ""  # the SQL condition that makes a row fail
    measure: str | None = None  # the measure of its rows, with options; None for all
    cuts: tuple[int | None, ...] = ()  # the cutoffs of its rows; () for all
    is_beyond_accuracy: bool | None = None  # whether a verdict is on beyond-accuracy measures
    is_on_segments: bool | None = None  # whether a verdict is on segments or on all users
    codes: tuple[str, ...] = ()  # the codes of `problems(CODE, ...)`; () for all
    threshold: float = 0  # losers: the smallest loss that counts
    least: int = 0  # losers: the smallest number of users that fails

    @property
    def names(self) -> set[str]:
        """The names in an SQL condition: columns and SQL keywords."""
        matches = NAME.findall(self.text) if self.kind == SQL else []
        return {quoted or plain.lower() for quoted, plain in matches}

    @property
    def is_tested(self) -> bool:
        """True for a condition on verdicts or p. Both are corrected over all rows of such conditions."""
        return self.kind == VERDICT or bool(self.names & CORRECTED)

    @property
    def is_of_significance(self) -> bool:
        return self.kind == VERDICT or bool(self.names & OF_SIGNIFICANCE)

    @property
    def is_compared(self) -> bool:
        """True for a condition on columns that only comparisons have."""
        return self.is_tested or self.kind == LOSERS

    def applies_to(self, row: Row) -> bool:
        """Return whether the condition applies to this row of the results, or to this mean."""
        from ..measures.contents import CONTENTS

        return (
            self.measure in (None, row.get("measure"))
            and (not self.cuts or row["k"] in self.cuts)
            and self.is_beyond_accuracy in (None, row.get("measure") in CONTENTS)
            and self.is_on_segments in (None, row.get("segment", EVERYBODY) != EVERYBODY)
        )


# Errors for conditions that do not fit the options of the command, each with its test.
RULES: Mapping[str, Callable[[Condition, Any], Any]] = {
    "of the check must be problems or problems(CODE, ...), got {}": (
        lambda condition, of: condition.kind != PROBLEMS and of.command == "check"
    ),
    "{} requires the check of the data; remove --no-check": (
        lambda condition, of: condition.kind == PROBLEMS and of.no_check
    ),
    f"{{}} requires verdicts; use `{PROGRAM} compare`": (
        lambda condition, of: condition.is_compared and of.command != "compare"
    ),
    "{} requires --margin NUMBER": (
        lambda condition, of: condition.kind == VERDICT and "same" in condition.holds and of.margin is None
    ),
    "{} requires --baseline NAME or --steps": lambda condition, of: (
        condition.is_compared and of.baseline is None and not of.steps
    ),
    "{} requires --segment FILE:COLUMN": lambda condition, of: (
        condition.is_on_segments and of.segment is None
    ),
    "{} requires results, and --format sql computes none": lambda _, of: of.format == "sql",
}


def parse_conditions(text: str) -> list[Condition]:
    """Parse a list of conditions with commas between them.

    Raises:
        ValueError: A condition breaks a rule; the message states the rule.
    """
    return [parse_condition(part.strip()) for part in PART.findall(text) or [""]]


def parse_condition(text: str) -> Condition:
    """Parse one condition of a known form, or an SQL condition; errors as in `parse_conditions`."""
    for form, parse in FORMS.items():
        if (match := form.fullmatch(text)) and (condition := parse(text, match)):
            return condition
    if IS_SQL.search(text):
        return Condition(text, holds=text)
    raise ValueError(f"{RULE}, got {shorten(repr(text))}")


def parse_problems(text: str, match: re.Match[str]) -> Condition:
    codes = (code.strip().lower() for code in (match[1] or "").split(","))
    return Condition(text, PROBLEMS, codes=tuple(filter(None, codes)))


def parse_losers(text: str, _: re.Match[str]) -> Condition:
    lost = IS_LOSERS.fullmatch(text)
    if not lost or not 0 < float(lost[1]) < float("inf") or lost[2] + lost[3] == ">=0":
        rule = "losers(LOSS) > COUNT must have a loss above 0 and a count, as in losers(0.5) > 3"
        raise ValueError(f"{rule}, got {shorten(repr(text))}")
    return Condition(text, LOSERS, threshold=float(lost[1]), least=int(lost[3]) + (lost[2] == ">"))


def parse_verdict(text: str, match: re.Match[str]) -> Condition:
    from ..measures.contents import CONTENTS

    condition, verdict = parse_measured(match[2], text), match[3]
    is_beyond_accuracy = None if verdict in ("unclear", "same") else verdict in WAYS
    if (
        None not in (condition.measure, is_beyond_accuracy)
        and (condition.measure in CONTENTS) is not is_beyond_accuracy
    ):
        right = "worse or better" if is_beyond_accuracy else "lower or higher, since neither is better"
        raise ValueError(f"the verdict on {condition.measure} must be {right}, got {shorten(repr(text))}")
    condition = replace(condition, is_beyond_accuracy=is_beyond_accuracy, is_on_segments=bool(match[1]))
    return replace(condition, kind=VERDICT, holds=f"verdict = '{verdict}'")


def parse_bound(text: str, match: re.Match[str]) -> Condition | None:
    """Parse a bound on a measure; return None if the name may be a column."""
    try:
        condition = parse_measured(match[1], text)
    except ValueError:
        if not re.fullmatch(r"\w+", match[1]):
            raise
        return None
    return replace(
        condition, kind=BOUND, holds=f"isnan(value) OR value {match[2]} '{float(match[3])}'::DOUBLE"
    )


FORMS: Mapping[re.Pattern[str], Callable[[str, re.Match[str]], Condition | None]] = {
    re.compile(rf"{PROBLEMS}(?:\((.+)\))?"): parse_problems,
    re.compile(r"losers\b.*", re.DOTALL): parse_losers,
    IS_VERDICT: parse_verdict,
    IS_BOUND: parse_bound,
}


def parse_measured(text: str | None, condition: str) -> Condition:
    """Parse the measure of a condition, `MEASURE[@K]`, or the absence of one."""
    from ..measures import grammar

    try:
        choice = text and grammar.parse_measure(text)
    except ValueError as error:
        raise ValueError(f"{error} in {shorten(repr(condition))}") from None
    return Condition(condition, measure=choice.name, cuts=choice.cuts) if choice else Condition(condition)


def means_of(rows: Iterable[Row], cuts: Cuts) -> list[Row]:
    """Return a row for each mean in the rows of a comparison, or of an evaluation at its own cutoffs."""
    results: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        if "measure" in row:
            means = [(row["measure"], row[side], row[f"mean_{side}"]) for side in ("baseline", "system")]
        else:
            means = [(name, row.get("system"), row[name]) for name in cuts if row["k"] in cuts[name]]
        for measure, system, value in means:
            keys = {"measure": measure, "system": system, "segment": row.get("segment"), "k": row["k"]}
            results[tuple(keys.values())] = {**keys, "value": value}
    return list(results.values())


def tested_rows(conditions: Iterable[Condition], rows: Iterable[AnyRow]) -> list[AnyRow]:
    """Return the rows with a verdict or p that some condition reads; p is corrected over all of them."""
    tested = [condition for condition in conditions if condition.is_tested]
    return [row for row in rows if any(condition.applies_to(row) for condition in tested)]


def failures(work: "Evaluation", problems: Sequence[Row], rows: Sequence[Row] = ()) -> list[str]:
    """Return a line for each error in the data of the gate's rows, and for each condition that fails.

    A condition fails if it holds, if it applies to no row, or if it cannot hold. `rows` are the rows of a
    comparison or of an evaluation.
    """
    conditions, request = [*dict.fromkeys(work.options.fail_if)], work.request
    cuts = {choice.name: choice.cuts for choice in (*request.choices, *request.beyond_accuracy)}
    lines = errors_of(conditions, problems, rows, cuts)
    for condition in conditions:
        if condition.kind == PROBLEMS:
            of = [
                row
                for row in problems
                if is_problem(row) and (not condition.codes or row["code"] in condition.codes)
            ]
            line = line_of([text for _, text in problem_lines(of)])
        elif condition.kind == LOSERS:
            line = losers_text(work, condition)
        else:
            line = failure(work, condition, rows, cuts)
        lines += [f"{condition.text}: {line}"] if line is not None else []
    return lines


def errors_of(
    conditions: Sequence[Condition], problems: Sequence[Row], rows: Sequence[Row], cuts: Cuts
) -> list[str]:
    """Return a line for each error about truth or about a system in the rows that conditions read."""
    gated = [condition for condition in conditions if condition.kind != PROBLEMS]
    looked = [row for condition in gated for row in rows_of_condition(condition, rows, cuts)]
    systems = {row.get(side) for row in looked for side in ("baseline", "system")}
    fix = "mend the data, or accept this with --allow"
    errors = errors_about(problems, systems) if looked else []
    return [f"error in the data: {problem_text([row])}; {fix} {row['code']}" for row in errors]


def failure(work: "Evaluation", condition: Condition, rows: Sequence[Row], cuts: Cuts) -> str | None:
    """Describe the rows in which a condition holds or is unknown, or the reason why it cannot hold."""
    looked = rows_of_condition(condition, rows, cuts)
    if not looked:
        there = dict.fromkeys(map(at_text, means_of(rows, cuts)))
        return f"the measure has no results; available measures: {', '.join(there)}"
    if any(row["k"] == 0 for row in looked):
        return "there are no results at k = 0"
    if condition.is_tested and all(row["p"] is None for row in looked):
        return "there is nothing to compare"
    held = failing_rows(work.con, condition, looked)
    if condition.kind == SQL:
        check_values(work.con, condition, with_everybody(rows), NAMING)
    line = line_of([*map(row_text, held)])
    if line is None and condition.is_of_significance:
        return too_few_users(condition, looked, work.request.comparison)
    return (
        f"{line} ({len(held)} of {len(looked)} comparisons)" if line and condition.kind == VERDICT else line
    )


def too_few_users(condition: Condition, rows: Sequence[Row], options: "Values") -> str | None:
    """Say how many users are needed, if no comparison can be significant with its users."""
    from ..evaluation.comparison import users_for_significance

    # A condition that may be on equivalence, whose test is one-sided.
    is_same = options["margin"] is not None and bool(condition.names & OF_SAME or "same" in condition.holds)
    correction, alpha, compared = options["correction"], 1 - options["confidence"], list[tuple[int, int]]()
    for row in (row for row in rows if row["p"] is not None):
        family = int(row["method"].rpartition(" of ")[2]) if correction == "holm" else 1
        needed = users_for_significance(family, alpha)
        if is_same:  # no verdict without an interval, which is not corrected
            needed = max(users_for_significance(family, alpha, 1), users_for_significance(1, alpha))
        compared.append((row["users"], needed))
    if any(users >= needed for users, needed in compared):
        return None
    most, least = (max(users for users, _ in compared), min(needed for _, needed in compared))
    return in_unit(f"no comparison can be significant: {most} users at most, and {least} are needed")


def rows_of_condition(condition: Condition, rows: Sequence[Row], cuts: Cuts) -> list[Row]:
    """Return the rows of a condition, for a bound its means.

    An SQL condition that names measures has rows at their cutoffs only.
    """
    rows = means_of(rows, cuts) if condition.kind == BOUND else rows
    own = [cuts[name] for name in condition.names & {*cuts}]
    return [row for row in rows if condition.applies_to(row) and all(row["k"] in ks for ks in own)]


def losers_text(work: "Evaluation", condition: Condition) -> str | None:
    """Name the models with too many losers by the first measure at its first cutoff, and these users."""
    from ..evaluation.comparison import losers_query
    from ..evaluation.queries import fetch_rows

    if not work.request.choices:
        return "no measure has a better direction"
    choice = work.request.choices[0]
    if choice.cuts[0] == 0:
        return "there are no results at k = 0"
    rows = fetch_rows(work.con, losers_query(work.request, choice, condition.threshold))
    texts = []
    for row in (each for each in rows if len(each["losers"]) >= condition.least):
        lost = [f"{shorten(user['userid'])} {format_number(user['difference'])}" for user in row["losers"]]
        text = in_unit(f"{len(lost)} of {row['users']} users lose {condition.threshold:g} or more by ")
        text += f"{choice.at(choice.cuts[0])} with {shorten(row['system'])}"
        texts.append(f"{text} ({line_of(lost)})")
    return line_of(texts) if rows else "there is nothing to compare"


def failing_rows(
    con: "duckdb.DuckDBPyConnection", condition: Condition, rows: Sequence[Row], where: str = "true"
) -> list[Row]:
    """Return the rows with `where` that fail the gate by an SQL condition; their p is the corrected p.

    Raises:
        UsageError: DuckDB rejects the condition.
    """
    from duckdb import Error

    from .output import row_source

    corrected = {"p": "p_adjusted", "p_same": "p_same_adjusted"} if "p" in rows[0] else {}
    values = [
        {**row, **{name: row[other] for name, other in corrected.items()}} for row in with_everybody(rows)
    ]
    source, values = row_source(dict.fromkeys(name for row in values for name in row), values)
    try:
        query = f"SELECT _row FROM {source} WHERE {where} AND (\n{condition.holds}\n) IS DISTINCT FROM false"
        return [rows[i] for (i,) in con.execute(f"{query} ORDER BY _row", [values]).fetchall()]
    except Error as error:
        raise UsageError(f"--fail-if {condition.text}: {error_summary(error)}") from None


def with_everybody(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, with the segment of all users in rows without one if others have segments."""
    whole = {"segment": EVERYBODY} if any("segment" in row for row in rows) else {}
    return [{**whole, **row} for row in rows]


def check_values(
    con: "duckdb.DuckDBPyConnection", condition: Condition, rows: Sequence[Row], names: Collection[str]
) -> None:
    """Raise UsageError if an SQL condition names a value of these columns that no row has."""
    from .output import row_source

    source, values = row_source(rows[0], rows)
    (serialized,) = con.execute(
        "SELECT json_serialize_sql($1)", [f"SELECT (\n{condition.holds}\n)"]
    ).fetchall()[0]
    tree = json.loads(serialized)
    for column, literal in [*named_values(tree)]:
        name = column["column_names"][-1].lower()
        equal = {"class": "COMPARISON", "type": "COMPARE_EQUAL", "left": column, "right": literal}
        tree["statements"][0]["node"]["select_list"] = [equal, literal]
        if name in names:
            ((query,),) = con.execute("SELECT json_deserialize_sql($1)", [json.dumps(tree)]).fetchall()
            results = con.execute(f"{query} FROM {source}", [values]).fetchall()
            value = results[0][1]
            if value is not None and not any(is_equal for is_equal, _ in results):
                there = [str(each) for each in dict.fromkeys(row[name] for row in rows)]
                got = f"{shorten(value)}{did_you_mean(str(value), there)}"
                rule = f"{name} must be one of {shorten(', '.join(there))}"
                raise UsageError(f"--fail-if {condition.text}: {rule}, got {got}")


def named_values(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each column of a serialized condition, with a literal that =, <> or IN compares it with."""
    if isinstance(tree, dict) and tree.get("type") in NAMED_BY:
        sides = tree.get("children") or [tree["left"], tree["right"]]
        columns = [side for side in sides if side["class"] == "COLUMN_REF"]
        yield from ((columns[0], side) for side in sides if len(columns) == 1 and side["class"] == "CONSTANT")
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from named_values(part)


def line_of(texts: Sequence[str]) -> str | None:
    """Join the first messages and count the others; return None without messages."""
    more = f", and {len(texts) - MOST} more" if len(texts) > MOST else ""
    return f"{'; '.join(texts[:MOST])}{more}" if texts else None


def row_text(row: Row) -> str:
    """Name a row, with its value if it has one: `0.3 als in ndcg@10, segment SE`."""
    text = f"{format_number(row['value']) or 'NULL'} " if "value" in row else ""
    text += "" if row.get("system") is None else f"{shorten(row['system'])} "
    text += f"in {at_text(row)}" if row.get("measure") else f"at k = {format_cut_off(row['k'])}"
    segment = row.get("segment")
    return text if segment in (None, EVERYBODY) else f"{text}, segment {shorten(segment)}"


def at_text(row: Row) -> str:
    """Name a measure at its cutoff, or a column."""
    from ..measures.grammar import measure_of

    has_cutoff = measure_of(row["measure"]).measure.has_cutoff
    return f"{row['measure']}@{format_cut_off(row['k'])}" if has_cutoff else str(row["measure"])


def check_conditions(work: "Evaluation") -> None:
    """Raise UsageError for an unknown code of a problem, and for SQL that DuckDB rejects."""
    conditions = work.options.fail_if
    if any(condition.codes for condition in conditions):
        check_codes(work, [(condition, code) for condition in conditions for code in condition.codes])
    for condition in conditions:
        if condition.kind == SQL:
            failing_rows(work.con, condition, [sample_result(work)], where="false")
            check_values(work.con, condition, [{"verdict": verdict} for verdict in VERDICTS], ["verdict"])


def check_codes(work: "Evaluation", codes: Sequence[tuple[Condition, str]]) -> None:
    for condition, code in codes:
        if code not in grave():
            there = (name for name, row in grave().items() if work.has(row.needs))
            rule = "--fail-if problems(CODE) must name codes of errors or warnings"
            got = f"{shorten(code)}{hint_of(code)}"
            raise UsageError(f"{work.caller}: {rule}, got {got}; available codes: {', '.join(there)}")
        if not work.has(needs := grave()[code].needs):
            needed = option(str(needs), "skip" if needs == "unjudged" else "FILE", COMMAND)
            raise UsageError(f"{work.caller}: --fail-if {condition.text} requires {needed}")


def sample_result(work: "Evaluation") -> Row:
    """Return a row with the columns of the results, for a test of SQL conditions."""
    from ..evaluation.comparison import sample_row

    request = work.request
    measures = {choice.name: 0.0 for choice in (*request.choices, *request.beyond_accuracy)}
    row = {"system": "", "k": 1, **dict.fromkeys((*COUNTS, *OF_LISTS), 1), **measures}
    row = sample_row(work.con, request.predicted_truth) if work.caller == "compare" else row
    return row | ({"segment": ""} if request.by_segment else {})

"""Test the conditions of `--fail-if` on results: select their rows and find the rows that fail."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import duckdb

from ..compose.columns import COMMAND, option
from ..compose.functions import compose_values
from ..evaluation.comparison import losers_query, sample_comparison, users_for_significance
from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import UsageError, error_summary
from ..evaluation.problems import errors_about, grave, hint_of, is_problem, problem_lines, problem_text
from ..evaluation.queries import Request, cut_off_condition, fetch_rows
from ..evaluation.words import COUNTS, OF_LISTS, Row, format_cut_off, format_number
from ..inputs.evaluation import Evaluation
from ..inputs.problems import needs_met
from ..inputs.sources import column_types
from ..measures.contents import CONTENTS
from ..measures.grammar import measure_of
from ..options import Values
from ..quoting import identifier, literal, sql_value
from ..texts import did_you_mean, shorten, units
from .conditions import BOUND, LOSERS, OF_SAME, PROBLEMS, SQL, VERDICT, VERDICTS, Condition
from .output import RESULT

MOST = 10  # failing rows that a message names
NAMING = ("system", "baseline", "segment", "measure", "k")  # columns whose values an SQL condition may name
NAMED_BY = ("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN")  # in json_serialize_sql
SIDES = ("baseline", "system")  # columns that name a model


@dataclass(frozen=True)
class Results:
    """The rows of an evaluation or a comparison, as a table that conditions are tested on; by `_row`."""

    con: duckdb.DuckDBPyConnection
    table: str
    cuts: Mapping[str, Sequence[int | None]]  # the cutoffs of each measure, by name

    @cached_property
    def columns(self) -> list[str]:
        return [*column_types(self.con, self.table)]

    @property
    def rows(self) -> str:
        """The query for the rows; in a comparison, p is the corrected p."""
        p = "SELECT * REPLACE (p_adjusted AS p, p_same_adjusted AS p_same) " * ("p" in self.columns)
        return f"{p}FROM {self.table}"

    @property
    def means(self) -> str:
        """The query for each mean in the rows: of both models, or of measures at their own cutoffs."""
        keys = [name if name in self.columns else f"NULL AS {name}" for name in ("system", "segment")]
        measures = [
            (f"{literal(name)} AS measure", *keys, identifier(name), cut_off_condition(cuts))
            for name, cuts in self.cuts.items()
        ]
        sides = [("measure", f"{side} AS system", keys[1], f"mean_{side}", "true") for side in SIDES]
        parts = sides if "measure" in self.columns else measures
        means = (
            f"SELECT {measure}, {system}, {segment}, k, {value} AS value, _row * {len(parts)} + {i} AS _row\n"
            f"FROM {self.table} WHERE {where}"
            for i, (measure, system, segment, value, where) in enumerate(parts)
        )
        return f"SELECT * REPLACE (min(_row) AS _row) FROM ({' UNION ALL '.join(means)}) GROUP BY ALL"

    def where(self, condition: Condition) -> str:
        """Return the SQL condition for the rows that a condition looks at.

        An SQL condition that names measures has rows at their cutoffs only.
        """
        tests = [f"measure = {literal(condition.measure)}"] if condition.measure is not None else []
        tests += [cut_off_condition(condition.cuts)] if condition.cuts else []
        if condition.is_beyond_accuracy is not None:
            names = ", ".join(map(literal, CONTENTS))
            tests.append(f"(measure IN ({names})) = {sql_value(condition.is_beyond_accuracy)}")
        if condition.is_on_segments is not None and "segment" in self.columns:
            tests.append(f"segment {'<>' if condition.is_on_segments else '='} {literal(EVERYBODY)}")
        tests += [cut_off_condition(self.cuts[name]) for name in self.cuts if name in condition.names]
        return " AND ".join(tests) or "true"

    def of(self, condition: Condition) -> Sequence[Row]:
        """Return the rows that a condition looks at, for a bound the means; `fails` unless it is false.

        Raises:
            UsageError: DuckDB rejects the condition.
        """
        source = self.means if condition.kind == BOUND else self.rows
        try:
            return fetch_rows(
                self.con,
                f"SELECT *, (\n{condition.holds or 'false'}\n) IS DISTINCT FROM false AS fails\n"
                f"FROM ({source})\nWHERE {self.where(condition)}\nORDER BY _row",
            )
        except duckdb.Error as error:
            raise UsageError(f"--fail-if {condition.text}: {error_summary(error)}") from None


def results_of(work: Evaluation) -> Results:
    """Return the rows in RESULT, with the cutoffs of measures."""
    choices = (*work.request.choices, *work.request.beyond_accuracy)
    return Results(work.con, RESULT, {choice.name: choice.cuts for choice in choices})


def correct_together(results: Results, conditions: Sequence[Condition], request: Request) -> tuple[int, int]:
    """Correct p over all rows that conditions on verdicts or p read; return their number, and of segments.

    Segments are corrected apart from all users. A margin is in the unit of measures, so columns have none.
    """
    tests = [results.where(condition) for condition in conditions if condition.is_tested]
    if not tests:
        return 0, 0
    is_of_segment = f"segment <> {literal(EVERYBODY)}" if "segment" in results.columns else "false"
    tested, margin = f"({' OR '.join(tests)})", request.comparison["margin"]
    counts = f"SELECT count(*), count(*) FILTER ({is_of_segment}) FROM {results.table} WHERE {tested}"
    ((every, of_segments),) = results.con.execute(counts).fetchall()
    tested += " AND k IS DISTINCT FROM 0"
    columns = ", ".join(literal(choice.name) for choice in request.also)
    parts = {margin: f"measure NOT IN ({columns})", None: f"measure IN ({columns})"}
    options = {name: request.comparison[name] for name in ("confidence", "correction")}
    corrected = [
        "UNION ALL BY NAME FROM (\n"
        f"{compose_values('gate', {'comparison': 'tested', 'margin': of, **options})}\n) WHERE {where}"
        for of, where in (parts.items() if columns and margin is not None else [(margin, "true")])
    ]
    looked_at = f"FROM {results.table} WHERE {tested}"
    if results.con.execute(f"SELECT 1 {looked_at} LIMIT 1").fetchall():
        others = f"FROM {results.table} WHERE ({tested}) IS NOT TRUE"
        rows = "\n".join([f"WITH tested AS ({looked_at})", others, *corrected])
        results.con.execute(f"CREATE OR REPLACE TEMP TABLE {results.table} AS\n{rows}")
    return every - of_segments, of_segments


def failures(work: Evaluation, problems: Sequence[Row], results: Results | None = None) -> list[str]:
    """Return a line for each error in the data of the gate's rows, and for each condition that fails.

    A condition fails if it holds, if it applies to no row, or if it cannot hold.
    """
    conditions = [*dict.fromkeys(work.options.fail_if)]
    looked = {
        condition: results.of(condition)
        for condition in conditions
        if condition.kind != PROBLEMS and results is not None
    }
    lines = errors_of(problems, [row for rows in looked.values() for row in rows])
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
            assert results is not None
            line = failure(results, condition, looked[condition], work.request.comparison)
        lines += [f"{condition.text}: {line}"] if line is not None else []
    return lines


def errors_of(problems: Sequence[Row], looked: Sequence[Row]) -> list[str]:
    """Return a line for each error about truth or about a system in the rows that conditions look at."""
    systems = {row.get(side) for row in looked for side in SIDES}
    fix = "mend the data, or accept this with --allow"
    errors = errors_about(problems, systems) if looked else []
    return [f"error in the data: {problem_text([row])}; {fix} {row['code']}" for row in errors]


def failure(results: Results, condition: Condition, looked: Sequence[Row], options: Values) -> str | None:
    """Describe the rows in which a condition holds or is unknown, or the reason why it cannot hold."""
    if not looked:
        means = fetch_rows(results.con, f"{results.means} ORDER BY _row")
        there = dict.fromkeys(map(at_text, means))
        return f"the measure has no results; available measures: {', '.join(there)}"
    if any(row["k"] == 0 for row in looked):
        return "there are no results at k = 0"
    if condition.is_tested and all(row["p"] is None for row in looked):
        return "there is nothing to compare"
    held = [row for row in looked if row["fails"]]
    if condition.kind == SQL:
        check_values(results.con, condition, results.rows, NAMING)
    line = line_of([*map(row_text, held)])
    if line is None and condition.is_of_significance:
        return too_few_users(condition, looked, options)
    return (
        f"{line} ({len(held)} of {len(looked)} comparisons)" if line and condition.kind == VERDICT else line
    )


def too_few_users(condition: Condition, rows: Sequence[Row], options: Values) -> str | None:
    """Say how many users are needed, if no comparison can be significant with its users."""
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
    return f"no comparison can be significant: {most} {units()} at most, and {least} are needed"


def losers_text(work: Evaluation, condition: Condition) -> str | None:
    """Name the models with too many losers by the first measure at its first cutoff, and these users."""
    if not work.request.choices:
        return "no measure has a better direction"
    choice = work.request.choices[0]
    if choice.cuts[0] == 0:
        return "there are no results at k = 0"
    rows = fetch_rows(work.con, losers_query(work.request, choice, condition.threshold))
    texts = []
    for row in (each for each in rows if len(each["losers"]) >= condition.least):
        lost = [f"{shorten(user['userid'])} {format_number(user['difference'])}" for user in row["losers"]]
        text = f"{len(lost)} of {row['users']} {units()} lose {condition.threshold:g} or more by "
        text += f"{choice.at(choice.cuts[0])} with {shorten(row['system'])}"
        texts.append(f"{text} ({line_of(lost)})")
    return line_of(texts) if rows else "there is nothing to compare"


def check_values(
    con: duckdb.DuckDBPyConnection, condition: Condition, source: str, names: Collection[str]
) -> None:
    """Raise UsageError if an SQL condition names a value of these columns that no row of a query has."""
    (serialized,) = con.execute(
        "SELECT json_serialize_sql($1)", [f"SELECT (\n{condition.holds}\n)"]
    ).fetchall()[0]
    tree = json.loads(serialized)
    for column, constant in [*named_values(tree)]:
        name = column["column_names"][-1].lower()
        equal = {"class": "COMPARISON", "type": "COMPARE_EQUAL", "left": column, "right": constant}
        tree["statements"][0]["node"]["select_list"] = [equal, constant, column]
        if name in names:
            ((query,),) = con.execute("SELECT json_deserialize_sql($1)", [json.dumps(tree)]).fetchall()
            found = con.execute(f"{query} FROM ({source})").fetchall()
            value = found[0][1]
            if value is not None and not any(is_equal for is_equal, *_ in found):
                there = [str(each) for each in dict.fromkeys(each for *_, each in found)]
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
    has_cutoff = measure_of(row["measure"]).measure.has_cutoff
    return f"{row['measure']}@{format_cut_off(row['k'])}" if has_cutoff else str(row["measure"])


def check_conditions(
    con: duckdb.DuckDBPyConnection, request: Request, conditions: Iterable[Condition]
) -> None:
    """Raise UsageError for an unknown code of a problem, and for SQL that DuckDB rejects."""
    sample = request.table("sample")
    for condition in conditions:
        for code in condition.codes:
            check_code(request, condition, code)
        if condition.kind == SQL:
            con.execute(f"CREATE OR REPLACE TEMP VIEW {sample} AS\n{sample_query(request)}")
            Results(con, sample, {}).of(condition)
            verdicts = f"SELECT unnest({sql_value(VERDICTS)}) AS verdict"
            check_values(con, condition, verdicts, ["verdict"])


def check_code(request: Request, condition: Condition, code: str) -> None:
    if code not in grave():
        there = (name for name, row in grave().items() if needs_met(request, row.needs))
        rule = "--fail-if problems(CODE) must name codes of errors or warnings"
        got = f"{shorten(code)}{hint_of(code)}"
        raise UsageError(f"{request.function}: {rule}, got {got}; available codes: {', '.join(there)}")
    if not needs_met(request, needs := grave()[code].needs):
        needed = option(str(needs), "skip" if needs == "unjudged" else "FILE", COMMAND)
        raise UsageError(f"{request.function}: --fail-if {condition.text} requires {needed}")


def sample_query(request: Request) -> str:
    """Return the query for a row with the columns of the results, for a test of SQL conditions."""
    segment = ", '' AS segment" * request.by_segment
    if request.function == "compare":
        return f"SELECT *, 1 AS _row{segment} FROM ({sample_comparison(request.predicted_truth)})"
    counts = ", ".join(f"1 AS {name}" for name in ("k", *COUNTS, *OF_LISTS))
    measures = map(request.names_of, (*request.choices, *request.beyond_accuracy))
    values = ", ".join(f"0::DOUBLE AS {identifier(name)}" for names in measures for name in names)
    return f"SELECT '' AS system, {counts}, {values}, 1 AS _row{segment}"

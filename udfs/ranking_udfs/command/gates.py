"""Test the conditions of `--fail-if` on results: select their rows and find the rows that fail."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import duckdb

from ..compose.columns import COMMAND, option
from ..evaluation.comparison import losers_query, sample_row, users_for_significance
from ..evaluation.defaults import EVERYBODY
from ..evaluation.errors import UsageError, error_summary
from ..evaluation.problems import errors_about, grave, hint_of, is_problem, problem_lines, problem_text
from ..evaluation.queries import fetch_rows
from ..evaluation.words import COUNTS, OF_LISTS, Row, format_cut_off, format_number, in_unit
from ..inputs.evaluation import Evaluation
from ..measures.grammar import measure_of
from ..options import Values
from ..texts import did_you_mean, shorten
from .conditions import BOUND, LOSERS, OF_SAME, PROBLEMS, SQL, VERDICT, VERDICTS, Condition
from .output import row_source

MOST = 10  # failing rows that a message names
NAMING = ("system", "baseline", "segment", "measure", "k")  # columns whose values an SQL condition may name
NAMED_BY = ("COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN", "COMPARE_NOT_IN")  # in json_serialize_sql
Cuts = Mapping[str, Sequence[int | None]]  # the cutoffs of each measure, by name
AnyRow = TypeVar("AnyRow", bound=Row)


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


def failures(work: Evaluation, problems: Sequence[Row], rows: Sequence[Row] = ()) -> list[str]:
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


def failure(work: Evaluation, condition: Condition, rows: Sequence[Row], cuts: Cuts) -> str | None:
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
    return in_unit(f"no comparison can be significant: {most} users at most, and {least} are needed")


def rows_of_condition(condition: Condition, rows: Sequence[Row], cuts: Cuts) -> list[Row]:
    """Return the rows of a condition, for a bound its means.

    An SQL condition that names measures has rows at their cutoffs only.
    """
    rows = means_of(rows, cuts) if condition.kind == BOUND else rows
    own = [cuts[name] for name in condition.names & {*cuts}]
    return [row for row in rows if condition.applies_to(row) and all(row["k"] in ks for ks in own)]


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
        text = in_unit(f"{len(lost)} of {row['users']} users lose {condition.threshold:g} or more by ")
        text += f"{choice.at(choice.cuts[0])} with {shorten(row['system'])}"
        texts.append(f"{text} ({line_of(lost)})")
    return line_of(texts) if rows else "there is nothing to compare"


def failing_rows(
    con: duckdb.DuckDBPyConnection, condition: Condition, rows: Sequence[Row], where: str = "true"
) -> list[Row]:
    """Return the rows with `where` that fail the gate by an SQL condition; their p is the corrected p.

    Raises:
        UsageError: DuckDB rejects the condition.
    """
    corrected = {"p": "p_adjusted", "p_same": "p_same_adjusted"} if "p" in rows[0] else {}
    values = [
        {**row, **{name: row[other] for name, other in corrected.items()}} for row in with_everybody(rows)
    ]
    source, values = row_source(dict.fromkeys(name for row in values for name in row), values)
    try:
        query = f"SELECT _row FROM {source} WHERE {where} AND (\n{condition.holds}\n) IS DISTINCT FROM false"
        return [rows[i] for (i,) in con.execute(f"{query} ORDER BY _row", [values]).fetchall()]
    except duckdb.Error as error:
        raise UsageError(f"--fail-if {condition.text}: {error_summary(error)}") from None


def with_everybody(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, with the segment of all users in rows without one if others have segments."""
    whole = {"segment": EVERYBODY} if any("segment" in row for row in rows) else {}
    return [{**whole, **row} for row in rows]


def check_values(
    con: duckdb.DuckDBPyConnection, condition: Condition, rows: Sequence[Row], names: Collection[str]
) -> None:
    """Raise UsageError if an SQL condition names a value of these columns that no row has."""
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
    has_cutoff = measure_of(row["measure"]).measure.has_cutoff
    return f"{row['measure']}@{format_cut_off(row['k'])}" if has_cutoff else str(row["measure"])


def check_conditions(work: Evaluation) -> None:
    """Raise UsageError for an unknown code of a problem, and for SQL that DuckDB rejects."""
    conditions = work.options.fail_if
    if any(condition.codes for condition in conditions):
        check_codes(work, [(condition, code) for condition in conditions for code in condition.codes])
    for condition in conditions:
        if condition.kind == SQL:
            failing_rows(work.con, condition, [sample_result(work)], where="false")
            check_values(work.con, condition, [{"verdict": verdict} for verdict in VERDICTS], ["verdict"])


def check_codes(work: Evaluation, codes: Sequence[tuple[Condition, str]]) -> None:
    for condition, code in codes:
        if code not in grave():
            there = (name for name, row in grave().items() if work.has(row.needs))
            rule = "--fail-if problems(CODE) must name codes of errors or warnings"
            got = f"{shorten(code)}{hint_of(code)}"
            raise UsageError(f"{work.caller}: {rule}, got {got}; available codes: {', '.join(there)}")
        if not work.has(needs := grave()[code].needs):
            needed = option(str(needs), "skip" if needs == "unjudged" else "FILE", COMMAND)
            raise UsageError(f"{work.caller}: --fail-if {condition.text} requires {needed}")


def sample_result(work: Evaluation) -> Row:
    """Return a row with the columns of the results, for a test of SQL conditions."""
    request = work.request
    measures = {choice.name: 0.0 for choice in (*request.choices, *request.beyond_accuracy)}
    row = {"system": "", "k": 1, **dict.fromkeys((*COUNTS, *OF_LISTS), 1), **measures}
    row = sample_row(work.con, request.predicted_truth) if work.caller == "compare" else row
    return row | ({"segment": ""} if request.by_segment else {})

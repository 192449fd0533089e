"""The power of a golden set: the smallest detectable difference, and the users needed for a difference."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from math import sqrt
from typing import Any

from ..compose.comparison import alpha_of
from ..evaluation.comparison import UNCOMPUTED, correct_together
from ..evaluation.conclusion import measure_label
from ..evaluation.defaults import DIGITS
from ..evaluation.errors import UsageError
from ..evaluation.power import LOSSES, MOST_USERS, needed_users, smallest_difference
from ..evaluation.queries import cut_off_condition, fetch_rows
from ..evaluation.words import Row, format_number, in_unit
from ..inputs.evaluation import Evaluation
from ..measures.grammar import measure_of
from ..quoting import identifier, literal
from .tables import COPIED, digits_of, document, render, table, with_remarks

NORMAL = 10**8  # number of users; with so many, Student's t equals the normal distribution
CORRELATION = 0.5  # default correlation of the values of a user in two runs
COLUMNS = (
    *("baseline", "system", "measure", "k", "users", "losses", "standard_deviation"),
    *("correlation", "confidence", "minimum_detectable_effect", "difference", "users_needed"),
)
SHOWN = (
    "Smallest difference: detectable with 80% power in one comparison at {}% confidence; several comparisons "
    "with a correction need a larger one."
)
OF_HIT_RATE = (
    "Exact sign test (McNemar), as in compare --test randomization for up to 20 users that differ. Losses: "
    "users with a hit before and none after. Without losses, no smaller difference is detectable. The "
    "t-test, the default of compare, may detect fewer gains, but is not exact here."
)


def power(work: Evaluation) -> str | bytes:
    """Return the smallest difference that the users of truth can detect."""
    options, has_run = work.options, bool(work.inputs.recs)
    if not has_run:
        choices = [choice for choice in work.request.choices if choice.name == "hit_rate"]
        work.request = replace(work.request, choices=choices)
        work.is_checked = False
    work.prepare_values()
    is_pair = len(work.systems) > 1
    if is_pair or work.request.comparison["baseline"] is not None:
        work.check_models()
    if is_pair and options.correlation is not None:
        rule = "--correlation applies to one run, since the differences of several include it"
        raise UsageError(f"power: {rule}; remove it")
    work.make_tables()
    work.step("measuring")
    rows = rows_of_runs(work) if has_run else [*rows_of_hit_rate(work)]
    if options.format in COPIED:
        return render(work.con, options, [name for name in COLUMNS if name in rows[0]], rows)
    return power_text(work, rows)


def rows_of_hit_rate(work: Evaluation) -> Iterator[Row]:
    """Yield a row of the exact sign test for each share of users that lose a hit."""
    difference, options = work.options.difference, work.request.comparison
    alpha = alpha_of(Decimal(repr(options["confidence"])))
    query = f"SELECT count(*) AS users FROM {work.request.table('by_user')}"
    ((users,),) = work.con.execute(query).fetchall()
    if users > MOST_USERS:
        rule = in_unit(f"TRUTH must have {MOST_USERS} users or fewer without REC")
        raise UsageError(f"power: {rule}, got {users}: add a run")
    for losses in LOSSES:
        yield {
            **{"measure": "hit_rate", "users": users, "losses": losses, "difference": difference},
            "confidence": options["confidence"],
            "minimum_detectable_effect": smallest_difference(users, losses, alpha),
            "users_needed": None if difference is None else needed_users(difference, losses, alpha),
        }


def rows_of_runs(work: Evaluation) -> list[dict[str, Any]]:
    """Return a row for each measure and cutoff, from one run or from the differences of several runs."""
    if len(work.systems) > 1:
        rows = [row for query in work.comparisons()[0] for row in fetch_rows(work.con, query)]
    else:
        rows = [row for query in spread_queries(work) for row in fetch_rows(work.con, query)]
    options, difference = work.request.comparison, work.options.difference
    rows = [
        {**row, **UNCOMPUTED, "difference": difference, "confidence": options["confidence"]} for row in rows
    ]
    correct_together(work.con, rows, {**options, "correction": "none"})
    for row in rows:
        row.pop("losses", None)  # a count here; without a run, losses are a share
        row["standard_deviation"] = row["standard_error"] and row["standard_error"] * sqrt(row["users"])
    for row, users in zip(rows, users_needed(work, rows), strict=True):
        row["users_needed"] = users
    return rows


def users_needed(work: Evaluation, rows: Sequence[Row]) -> list[int | None]:
    """Return the number of users needed to detect the difference by the t-test.

    The quantiles of t depend on the number of users. The search starts from the number that the normal
    distribution needs, and adds one user at a time.
    """
    users = [count and max(count, 2) for count in needed_of(work, rows, [NORMAL] * len(rows))]
    while more := [
        i for i, count in enumerate(needed_of(work, rows, users)) if count and count > (users[i] or count)
    ]:
        users = [count and count + (i in more) for i, count in enumerate(users)]
    return users


def needed_of(work: Evaluation, rows: Sequence[Row], users: Sequence[int | None]) -> list[int | None]:
    """Return the number of users needed, by the quantiles of t for `users` users."""
    tried = [
        {**row, "users": count, "standard_error": (row["standard_deviation"] or 0) / sqrt(count or 1)}
        for row, count in zip(rows, users, strict=True)
    ]
    correct_together(work.con, tried, {**work.request.comparison, "correction": "none"})
    return [row["users_needed"] for row in tried]


def spread_queries(work: Evaluation) -> Iterator[str]:
    """Yield the queries for the standard error of a mean difference between two runs like this one."""
    correlation = CORRELATION if work.options.correlation is None else work.options.correlation
    for choice in work.request.choices:
        value, ratio = identifier(choice.name), sqrt(2 * (1 - correlation))
        yield (
            f"SELECT {literal(choice.name)} AS measure, k, count({value}) AS users, "
            f"{correlation!r}::DOUBLE AS correlation, {ratio!r}::DOUBLE "
            f"* stddev_samp({value} ORDER BY userid ASC NULLS LAST) / sqrt(users) AS standard_error "
            f"FROM {work.request.table('by_user')} WHERE {cut_off_condition(choice.cuts)} "
            "GROUP BY k ORDER BY k ASC NULLS LAST"
        )


def power_text(work: Evaluation, rows: Sequence[Row]) -> str:
    """Render the rows for people, with the assumptions of the calculation."""
    options, digits, difference = work.options, digits_of(work.options) or DIGITS, work.options.difference
    is_pair, has_run = "baseline" in rows[0], bool(work.inputs.recs)
    cells = [
        {"Measure": measure_label(row) if has_run else "Hit rate"}
        | ({"Runs": f"{row['system']} - {row['baseline']}"} if is_pair else {})
        | {in_unit("Users"): row["users"]}
        | ({"Spread": row["standard_deviation"]} if has_run else {"Losses": share(row)})
        | {"Smallest difference": row["minimum_detectable_effect"]}
        | ({} if difference is None else {f"{in_unit('Users')} for {difference:g}": row["users_needed"]})
        for row in rows
    ]
    text = table(options.format, [*cells[0]], [[*line.values()] for line in cells], digits)
    confidence = format_number(100 * work.request.comparison["confidence"], 15)
    lines = [SHOWN.format(confidence), spread_text(work, is_pair) if has_run else OF_HIT_RATE]
    lines += limit_lines(rows, has_run, difference)
    return document(options.format, with_remarks(options.format, text, map(in_unit, lines)))


def share(row: Row) -> str:
    return f"{100 * row['losses']:g}%"


def spread_text(work: Evaluation, is_pair: bool) -> str:
    """Describe the source of the spread."""
    spread = "Paired t-test. Spread: standard deviation of the users' differences"
    if is_pair:
        return f"{spread} between the two."
    correlation = CORRELATION if work.options.correlation is None else work.options.correlation
    assumed = f"a correlation of {correlation:g} (assumed; name two runs to measure it)"
    return f"{spread} between two runs with the variance of this one and {assumed}."


def limit_lines(rows: Sequence[Row], has_run: bool, difference: float | None) -> Iterator[str]:
    """Describe missing numbers, and differences that are larger than the range of the measure."""
    label, smallest = measure_label if has_run else share, "minimum_detectable_effect"

    def names(is_so: Callable[[Row], bool]) -> str:
        return ", ".join(dict.fromkeys(label(row) for row in rows if is_so(row)))

    def largest(row: Row) -> float:
        values = measure_of(row["measure"]).measure.range
        return values.high - values.low

    if none := names(lambda row: row[smallest] is None):
        reason = f"No difference is detectable with {rows[0]['users']} users and losses of"
        reason = "All users have equal values, so the difference is unknown:" if has_run else reason
        yield f"{reason} {none}."
    if none := names(lambda row: (row[smallest] or 0) > largest(row)):
        yield f"Larger than the range of the measure, so not shown: {none}."
    if not has_run and difference and (none := names(lambda row: row["users_needed"] is None)):
        yield f"{difference:g} is not detectable with up to {MOST_USERS} users and losses of {none}."

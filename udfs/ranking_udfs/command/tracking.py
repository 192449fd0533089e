"""Track runs over time: means, differences from the previous and the best run, and significant falls."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import comb
from typing import Any

from ..evaluation.comparison import UNCOMPUTED, correct_together
from ..evaluation.conclusion import adjusted_text, measure_label, p_equals, test_text
from ..evaluation.defaults import DIGITS
from ..evaluation.errors import DataError, UsageError
from ..evaluation.queries import fetch_rows, intervals_query, table_call
from ..evaluation.words import MARKS, Row, format_number, format_p, in_unit, mean_text
from ..inputs.evaluation import Evaluation
from ..inputs.files import extension
from ..inputs.runs import STORED, UNREAD, natural_key, read_runs, stored_files
from ..measures.grammar import measure_of
from ..quoting import identifier, literal, sql_value
from ..texts import printable
from .output import check_outputs, is_same
from .tables import COPIED, digits_of, document, fitting_table, render, table, width_of, with_remarks

OTHERS = ("previous", "best")  # the runs that each run is compared with
COMPARED = {"difference": "difference", "low": "low", "high": "high", "p": "p_adjusted", "verdict": "verdict"}
OF_RUN = ("run", "measure", "k", "users", "mean", "low", "high")
Pair = tuple[str, str, str, int | None]  # a run, another run, a measure and a cutoff
# Each pair becomes a segment, and its two runs become two systems.
STEPS = """WITH one_value AS (
    SELECT system, userid, k, unnest([{values}], max_depth := 2)
    FROM {by_user}
)
SELECT sides.side AS system, userid, sides.pair AS segment, value
FROM (VALUES {sides}) AS sides(pair, side, run, measure, k)
JOIN one_value
    ON (system, one_value.measure) = (run, sides.measure) AND one_value.k IS NOT DISTINCT FROM sides.k"""


def track(work: Evaluation) -> str | bytes:
    """Return a row for each measure, cutoff and run."""
    options = work.options
    if len(options.files) > 1:
        runs = measure_runs(work)
    else:
        paths = stored_files(options.files[0])
        check_outputs([options.output] if options.output else [], paths)
        is_inside = options.output and is_same(os.path.dirname(options.output) or ".", options.files[0])
        if is_inside and extension(options.output) in (*STORED, *UNREAD):
            rule = f"--output must be outside of {options.files[0]}, the folder of runs"
            raise UsageError(f"track: {rule}, got {options.output}")
        runs = read_runs(work, paths)
    if len(runs) < 2:
        count = len(runs) or len(options.files) - 1  # a single measured file has no name
        raise UsageError(f"track: requires two or more runs, got {count}")
    work.step("comparing")
    rows = tracked_rows(work, runs)
    if options.format in COPIED:
        return render(work.con, options, [*rows[0]], rows)
    return track_text(work, runs, rows)


def measure_runs(work: Evaluation) -> list[str]:
    """Measure the runs, and return their sorted names."""
    work.prepare_values()
    work.make_tables()
    return sorted(work.systems, key=natural_key)


def tracked_rows(work: Evaluation, runs: Sequence[str]) -> list[dict[str, Any]]:
    """Return the mean of each run and its comparisons, by measure and cutoff."""
    rows = means_of_runs(work, runs)
    pairs = [pair for row in rows for other in OTHERS if (pair := pair_of(row, other))]
    compared = compare_pairs(work, list(dict.fromkeys(pairs)), comb(len(runs), 2) * len(rows) // len(runs))
    for row in rows:
        for other in OTHERS:
            comparison = compared.get(pair_of(row, other), {})
            row |= {f"{other}_{name}": comparison.get(column) for name, column in COMPARED.items()}
    names = (other + name for other in OTHERS for name in ("", *map("_{}".format, COMPARED)))
    columns = [*OF_RUN, *names]
    return [{name: row[name] for name in columns} for row in rows]


def means_of_runs(work: Evaluation, runs: Sequence[str]) -> list[dict[str, Any]]:
    """Return the mean of each run by measure and cutoff, with the previous and the best run."""
    request, by_user, rows = work.request, work.request.table("by_user"), list[dict[str, Any]]()
    query = intervals_query(by_user, "system, k", request.choices, request.comparison["confidence"])
    means = {(row["system"], row["measure"], row["k"]): row for row in fetch_rows(work.con, query)}
    for choice, k in ((measure, k) for measure in request.choices for k in measure.cuts):
        values = {run: means[run, choice.name, k]["mean"] for run in runs}
        ranked = sorted((run for run in runs if values[run] is not None), key=lambda run: values[run])
        best = ranked[-1 if choice.measure.higher_is_better else 0] if ranked else None
        for previous, run in zip([None, *runs], runs, strict=False):
            row = {**means[run, choice.name, k], "run": run, "previous": previous, "best": best}
            rows.append(row)
    return rows


def pair_of(row: Row, other: str) -> Pair | None:
    """Return the pair of a run and its previous or best run; None if that is missing or the run itself."""
    is_pair = row[other] not in (None, row["run"])
    return (row["run"], row[other], row["measure"], row["k"]) if is_pair else None


def compare_pairs(work: Evaluation, pairs: Sequence[Pair], of: int) -> dict[Pair | None, Row]:
    """Compare these pairs of runs; p is corrected over all `of` pairs, since the data selected these."""
    request, steps = work.request, work.request.table("steps")
    values = (
        f"{{measure: {literal(choice.name)}, value: {identifier(choice.name)}}}" for choice in request.choices
    )
    sides = (
        f"({i}, '{side}', {', '.join(map(sql_value, (run, measure, k)))})"
        for i, (first, other, measure, k) in enumerate(pairs)
        for side, run in {"run": first, "other": other}.items()
    )
    by_user = request.table("by_user")
    query = STEPS.format(values=", ".join(values), by_user=by_user, sides=", ".join(sides))
    work.con.execute(request.make("steps", query))
    arguments = {"by_user": steps, **request.comparison, "baseline": "other", "measures": ["value"]}
    types = {steps: {"value": "DOUBLE"}}
    call = table_call(replace(request, types=types), "compare_by_user", arguments, 1)
    rows = {pairs[row.pop("segment")]: row for row in fetch_rows(work.con, f"FROM {call}")}
    for (_, _, measure, k), row in rows.items():
        higher_is_better = measure_of(measure).measure.higher_is_better
        row |= {"measure": measure, "k": k, "higher_is_better": higher_is_better}
    unseen = [{**UNCOMPUTED, "measure": request.choices[0].name} for _ in range(of - len(rows))]
    correct_together(work.con, [*rows.values(), *unseen], request.comparison)
    return {**rows}


def track_text(work: Evaluation, runs: Sequence[str], rows: Sequence[Row]) -> str:
    """Render the runs for people: a table and the significant falls."""
    options, form, digits = work.options, work.options.format, digits_of(work.options) or DIGITS
    cells = [
        {
            "Measure": measure_label(row),
            "Run": row["run"],
            "Mean": mean_text(row["mean"], row["low"], row["high"], digits),
            "vs. previous": change_text(row, "previous", digits),
            "p": format_p(row["previous_p"]),
            "vs. best": change_text(row, "best", digits),
        }
        for row in rows
    ]
    if form == "table":
        text = fitting_table(cells, ("p", "vs. best"), width_of(options.output))
    else:
        text = table(form, [*cells[0]], [[*line.values()] for line in cells])
    comparison = work.request.comparison
    family = adjusted_text(comparison, "all pairs of runs, measures and k, since the data pick the best run")
    paired = f"Paired over users (+ better, - worse, ? unclear). {test_text(comparison)}, {family}."
    picked = "The best run was selected by these means, so its true mean is likely worse."
    text = with_remarks(form, text, [*fall_sentences(runs, rows, digits), in_unit(paired), picked])
    return document(form, charts_html(rows) + text if form == "html" else text)


def change_text(row: Row, other: str, digits: int) -> str:
    """Format the difference from another run with its verdict; empty if there is no difference."""
    names = (f"{other}_{column}" for column in ("difference", "low", "high", "verdict"))
    difference, low, high, verdict = (row[name] for name in names)
    if difference is None:
        return ""
    return f"{'+' * (difference > 0)}{mean_text(difference, low, high, digits)} {MARKS[verdict]}"


def fall_sentences(runs: Sequence[str], rows: Sequence[Row], digits: int) -> Iterator[str]:
    """Name the runs that are worse than the previous run, and compare the last run with the best."""

    def against(row: Row, other: str) -> str:
        size = format_number(abs(row[f"{other}_difference"]), digits)
        return f"{size} than {printable(row[other])} ({p_equals(row[f'{other}_p'])})"

    fell = [row for row in rows if row["previous_verdict"] == "worse"]
    for row in fell:
        name = printable(row["run"])
        yield f"{name} fell: significantly worse in {measure_label(row)} by {against(row, 'previous')}."
    if all(row["previous_p"] is None for row in rows):
        yield in_unit("No comparison is possible: at least two users must have values from both runs.")
    elif not fell:
        yield "No run is significantly worse than the previous one."
    for row in (row for row in rows if row["run"] == runs[-1] and row["best_verdict"] == "worse"):
        last = f"The last run, {printable(row['run'])}, is significantly worse in {measure_label(row)}"
        yield f"{last} by {against(row, 'best')}, the best one."


def charts_html(rows: Sequence[Row]) -> str:
    """Draw the means over time, one chart for each measure and cutoff."""
    from ..reporting.charts import over_runs
    from ..reporting.drawing import svg

    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(measure_label(row), []).append(row)
    try:
        drawn = (svg(over_runs(label, mine)).decode() for label, mine in lines.items())
        return "".join(f"<figure>{chart}</figure>\n" for chart in drawn)
    except ImportError as error:
        raise DataError(f"track: {error}") from None

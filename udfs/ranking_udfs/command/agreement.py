"""Render the agreement of two judges, and the system that each judge favors."""

from collections.abc import Sequence
from decimal import Decimal

import duckdb

from ..compose.comparison import alpha_of
from ..evaluation.conclusion import adjusted_text, measure_label, test_text
from ..evaluation.defaults import DIGITS
from ..evaluation.errors import DataError, error_summary
from ..evaluation.queries import fetch_rows
from ..evaluation.words import MARKS, Row, format_number, format_p, in_unit, mean_text
from ..inputs.evaluation import Evaluation
from ..inputs.judges import judge_queries
from .tables import COPIED, digits_of, document, render, table, with_remarks

STATISTICS = {
    "agreement": "Agreement",
    "kappa": "Cohen's kappa",
    "kappa_linear": "Kappa, linear weights",
    "kappa_quadratic": "Kappa, quadratic weights",
    "krippendorff_alpha": "Krippendorff's alpha (interval)",
    "mean_difference": "Mean grade, A - B",
}
LEGEND = (
    "Agreement: share of pairs with equal grades. Kappa and alpha: 1 is perfect agreement, 0 is agreement by "
    "chance; weights are the differences of grades, or their squares. {}% confidence intervals: jackknife "
    "over users."
)
OF_FAVORS = (
    "A, B: mean difference by the labels of each judge, with its verdict (+ better, - worse, ? unclear), "
    "over users with labels from both. B - A is tested over the same users."
)


def agreement(work: Evaluation) -> str | bytes:
    """Return the statistics of both judges' labels, and with REC the system that each judge favors.

    Formats for programs have one table: with REC the favored systems, else the statistics.
    """
    queries = judge_queries(work)
    work.step("comparing")
    try:
        statistics, *favors = [fetch_rows(work.con, query) for query in queries]
    except duckdb.InvalidInputException as error:  # its message names the tables; users know the files
        text = error_summary(error).removeprefix("Invalid Input Error: ranking.agreement: ")
        text = text.replace("labels_a", work.inputs.truth)
        raise DataError(text.replace("labels_b", str(work.inputs.predicted_truth))) from None
    options = work.options
    if options.format in COPIED:
        rows = favors[0] if favors else statistics
        return render(work.con, options, [*rows[0]], rows)
    texts = [statistics_text(work, statistics), *(favors_text(work, rows) for rows in favors)]
    return document(options.format, "\n".join(texts))


def statistics_text(work: Evaluation, rows: Sequence[Row]) -> str:
    """Render the statistics, the stricter judge and notes on missing values."""
    form, digits, last = work.options.format, digits_of(work.options) or DIGITS, rows[-1]
    cells = [[STATISTICS[row["statistic"]], row["value"], row["low"], row["high"]] for row in rows]
    alone = f"{last['only_a']} only by A, {last['only_b']} only by B"
    pairs, users = (f"{last[name]} {name[:-1]}{'s' * (last[name] != 1)}" for name in ("pairs", "users"))
    of_both = f"{pairs} of a user and an item graded by both, of {users}"
    confidence = work.request.comparison["confidence"]
    if last["low"] is None:  # no interval: all users differ by the same; use p of a comparison
        is_sure = last["value"] != 0 and 2 ** (1 - last["users"]) < alpha_of(Decimal(repr(confidence)))
    else:
        is_sure = last["low"] * last["high"] > 0
    stricter = f"{'B' if last['value'] > 0 else 'A'} is stricter."
    unclear = (
        "Neither is stricter."
        if rows[0]["value"] == 1
        else "The judges do not differ significantly in strictness."
    )
    lines = [
        f"A: {work.inputs.truth}, B: {work.inputs.predicted_truth}.",
        in_unit(f"{of_both}; {alone}."),
        in_unit(LEGEND.format(format_number(100 * confidence, 15))),
        stricter if is_sure else unclear,
    ]
    notes: dict[str, list[str]] = {}
    for row in (row for row in rows if row["note"]):
        notes.setdefault(row["note"], []).append(STATISTICS[row["statistic"]])
    lines += [in_unit(f"{'; '.join(names)}: {note}.") for note, names in notes.items()]
    return with_remarks(form, table(form, ["Statistic", "Value", "Low", "High"], cells, digits), lines)


def favors_text(work: Evaluation, rows: Sequence[Row]) -> str:
    """Render the system that each judge favors."""
    form, digits = work.options.format, digits_of(work.options) or DIGITS
    cells = [
        {
            "Measure": measure_label(row),
            "System": f"{row['system']} - {row['baseline']}",
            in_unit("Users"): row["users"],
            "A": f"{format_number(row['difference_a'], digits)} {MARKS[row['verdict_a']]}",
            "B": f"{format_number(row['difference_b'], digits)} {MARKS[row['verdict_b']]}",
            "B - A": mean_text(row["difference"], row["low"], row["high"], digits),
            "p": format_p(row["p"]),
            "Favored more by": {"a": "A", "b": "B"}.get(row["favored_by"], row["favored_by"]),
        }
        for row in rows
    ]
    text = table(form, [*cells[0]], [[*line.values()] for line in cells])
    options = work.request.comparison
    tested = f"{test_text(options)}, {adjusted_text(options, 'pairs of systems within each measure and k')}."
    return with_remarks(form, text, [in_unit(OF_FAVORS), tested])

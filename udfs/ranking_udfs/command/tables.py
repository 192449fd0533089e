"""Declare what each command shows: sentences and tables, for `output` to render."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any

from ..evaluation.comparison import MOST_CHANGED, changes_query
from ..evaluation.conclusion import (
    best_sentence,
    caveats,
    doubts,
    few_users,
    footnote,
    leading_sentence,
    letters_note,
    measure_label,
    needed_sentence,
    no_verdict_sentence,
    predicted_sentence,
    refused_sentence,
    select_thresholds,
    sentence,
    threshold_sentences,
)
from ..evaluation.defaults import DIGITS, EVERYBODY
from ..evaluation.pairs import Orders, first_order
from ..evaluation.problems import errors_about
from ..evaluation.queries import Request, fetch_rows
from ..evaluation.words import (
    BUT_GAINS,
    COUNTS,
    GONE,
    LEFT_OUT,
    MARKS,
    OF_LISTS,
    WITHOUT_RELEVANT,
    Row,
    format_cut_off,
    format_mean,
    format_number,
    format_p,
    grouped,
)
from ..inputs.evaluation import Evaluation, with_labels
from ..measures.grammar import Choice
from ..texts import printable, shorten, units, with_unit
from .output import Columns, Folded, Part, Table, fitting, pivot

FEW_CHANGED = 5  # users with the largest losses and gains; with --explain MOST_CHANGED
MOST_ROWS = 6  # rows of a comparison in a pull request; the others are folded
DISPENSABLE = ("Relative", "W/T/L", "p", "Baseline", "Mean")
MOST_THRESHOLDS = 100  # of a model, at equal steps, as in ranking.abstention
TITLE = 30  # the most characters of a title
OF_INTERVALS = "{}% confidence intervals of means: ± half the width, or (low to high); compare tests models"
OF_AUC = "AUC: how often a relevant item ranks above a non-relevant one; 0.5 without a pair"
OF_LABELLED = (
    "Mean, baseline and W/T/L: over {units} with human labels. Difference, p and verdict: over all {units}, "
    "by the model-generated grades, corrected by the human labels."
)
ERRORS = (
    "Refused: share of answerable {units} whose best score is worse than the threshold, or without a list. "
    "Answered: share of unanswerable {units} that are not refused. With confidence intervals."
)
OVERLAPS = (
    "Means over the {units} with a list from at least one of the two. Overlap: common items / length of the "
    "longer list; Jaccard: common items / all items; RBO: rank-biased overlap, with the most weight on the "
    "first ranks; 1st: share of {units} with the same first item; All: share of {units} with the same list."
)


def k_text(row: Row) -> str:
    return format_cut_off(row["k"])


def cut_off_heading(k: int | None) -> str:
    return "whole list" if k is None else f"top-{k}"


# --- An evaluation ---


def evaluation_parts(work: Evaluation, rows: Sequence[Row], refused: Sequence[Row]) -> Iterator[Part]:
    """Yield the means of all users, then of segments; `refused` are rows of ranking.abstention."""
    request, is_named, digits = work.request, work.tables.is_named, work.options.digits or DIGITS
    rows = [{**row, **dict(mean_texts(request, row, digits))} for row in rows]
    everybody = [row for row in rows if row.get("segment", EVERYBODY) == EVERYBODY]
    if request.choices:
        yield measures_table("Ranking measure", request.choices, everybody, is_named)
        has_auc = any(choice.measure.name == "auc" for choice in request.choices)
        about = [refused_sentence(refused)] if refused else []
        about += [OF_INTERVALS.format(f"{100 * request.confidence:.15g}")] * bool(request.confidence)
        yield [*count_lines(request, COUNTS, everybody), *about, *[OF_AUC] * has_auc]
    if request.beyond_accuracy:
        yield measures_table("Beyond accuracy", request.beyond_accuracy, everybody, is_named)
        yield [*count_lines(request, OF_LISTS, everybody)]
    if work.inputs.segment is not None:
        others = sorted((row for row in rows if row["segment"] != EVERYBODY), key=itemgetter("segment"))
        choices = [*request.choices, *request.beyond_accuracy_by_user]
        yield measures_table("Ranking measure", choices, others, is_named, work.inputs.segment[1])
        yield few_users(others)


def mean_texts(request: Request, row: Row, digits: int) -> Iterator[tuple[str, str]]:
    """Yield each measure with an interval, with the text of both."""
    for name, *ends in map(request.names_of, (*request.choices, *request.beyond_accuracy)):
        if ends and row[name] is not None:
            low, high = map(row.get, ends)
            yield name, " ".join(format_mean(row[name], low, high, digits=digits)).strip()


def measures_table(
    title: str, choices: Sequence[Choice], rows: Sequence[Row], is_named: bool, segment: str | None = None
) -> Table:
    """Return a row per measure, and a column per model and k; `segment` is the heading of segments.

    If this is too wide, there is a column per measure, else a block per measure.
    """
    users = with_unit("{Units}")
    cells = [
        {**row, "k": format_cut_off(row["k"]), "top": cut_off_heading(row["k"]), "what": what, "value": value}
        for row in rows
        if any(row["k"] in choice.cuts for choice in choices)
        for what, value in [
            *[(users, row["users"])] * (segment is not None),
            *((choice.label, row[choice.name] if row["k"] in choice.cuts else "") for choice in choices),
        ]
    ]
    measured = [cell for cell in cells if cell["what"] != users]
    keys, what = [(segment, "segment")] if segment is not None else [], (title, "what")
    of_model = [*keys, *[("System", "system")] * is_named, *[(users, "users")] * len(keys)]

    def narrower() -> list[Table]:
        return [
            pivot(measured, [*of_model, ("k", "k")], itemgetter("what")),
            pivot(measured, [what, *of_model], itemgetter("top"), block=title),
            pivot(measured, [what, *of_model, ("k", "k")], lambda _: "Value", block=title),
        ]

    heading = "{0[system]} {0[top]}".format if is_named else itemgetter("top")
    return pivot(cells, [*keys, what], heading, otherwise=narrower)


def long_rows(request: Request, rows: Sequence[Row]) -> list[Row]:
    """Return a row for each value of a measure; measures of all lists together have none in segments."""
    of_user = [*request.choices, *request.beyond_accuracy_by_user]
    return [
        {name: row[name] for name in ("system", "segment", "k") if name in row}
        | {"measure": choice.name, "value": row[choice.name]}
        | {end: row.get(f"{choice.name}_{end}") for end in ("low", "high") if request.confidence}
        for row in rows
        for choice in (*request.choices, *request.beyond_accuracy)
        if row["k"] in choice.cuts and (choice in of_user or row.get("segment", EVERYBODY) == EVERYBODY)
    ]


def count_lines(request: Request, labels: Mapping[str, str], rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each count of users; list the models if their counts differ."""
    for name, label in labels.items():
        counts = {row.get("system"): row.get(name) for row in rows}
        if name not in rows[0] or (name == WITHOUT_RELEVANT and not any(counts.values())):
            continue
        is_skipped = request.columns["without_relevant"] == "skip"
        if name == WITHOUT_RELEVANT and (is_skipped or request.lowest_grade is not None):
            label = f"{label.partition('(')[0]}{LEFT_OUT if is_skipped else BUT_GAINS}"
        each = ", ".join(f"{system} {count}" for system, count in counts.items())
        yield f"{with_unit(label)}: {each if len({*counts.values()}) > 1 else rows[0][name]}"


# --- A comparison ---


def comparison_parts(
    work: Evaluation,
    results: Sequence[Sequence[Row]],
    orders: Orders,
    problems: Sequence[Row],
    sentences: Sequence[str],
    gated: tuple[int, int],
) -> Iterator[Part]:
    """Yield the answer, caveats and tables; in Markdown, a summary for a pull request with folded parts.

    `results` has the rows of all users, then the rows of segments if there are any. `gated` counts the rows
    of each with a p corrected over the comparisons that --fail-if reads. `sentences` follow the answer. With
    --explain, each comparison has a sentence; else only comparisons over some of the users.
    """
    options, request, (everybody, *_) = work.options, work.request, results
    form, digits = options.format, options.digits or DIGITS
    of_rows = zip((None, work.inputs.segment), results, strict=False)
    tables = [comparison_table(work, digits, *each) for each in of_rows]
    is_pair, more = len(request.systems) == 2, [*doubts(everybody), *few_users([*chain(*results[1:])])]
    best, against = answer(work, orders, problems, {row["k"] for row in everybody}, more)
    best, changed = [*best, *sentences], [*changed_tables(work, everybody)]
    note = footnote(request.comparison, [*chain(*results)], gated)
    lines = pair_lines(work, everybody)
    if form != "markdown":
        shown = [one for table in tables for one in fitting(form, table, digits)]
        has_wins = any(heading == "W/T/L" for one in shown for heading, _ in one.columns)
        yield best + against
        yield from [*shown, *(changed if is_pair or options.explain else [])]
        yield [*lines, note if has_wins else note.partition(". ")[2]]
        return
    at_first = {(choice.name, choice.cuts[0]) for choice in (*request.choices[:1], *request.also)}
    first = sorted(tables[0].rows, key=lambda row: (row["measure"], row["k"]) not in at_first)
    yield best
    yield replace(tables[0], rows=first[:MOST_ROWS])
    yield against
    yield from folded_parts(changed, is_pair, tables[len(everybody) <= MOST_ROWS :], [*lines, note])


def pair_lines(work: Evaluation, everybody: Sequence[Row]) -> list[str]:
    """Return a sentence for each pair on request, else for those of some users; and those of graded users."""
    options, digits = work.options, work.options.digits or DIGITS
    every = [*grouped(everybody, "measure", "k").values()]
    lines = [with_unit(OF_LABELLED)] * ("users_predicted" in everybody[0])
    lines += [
        sentence(row, work.request.comparison, len(family), digits)
        for family in every
        for row in family
        if options.explain or row["users_undefined"]
    ]
    of_grades = everybody if options.explain else every[0]
    return [*lines, *filter(None, (predicted_sentence(row, digits) for row in of_grades))]


def folded_parts(
    changed: Sequence[Table], is_pair: bool, rest: Sequence[Table], lines: Sequence[str]
) -> Iterator[Part]:
    """Yield the users who lose by the only comparison; fold the other tables, and the lines below them."""
    losers = [table for table in changed[:1] if is_pair and not table.rows[0]["wins"]]
    yield from losers
    yield from (Folded(table.title, [replace(table, title="")]) for table in changed[len(losers) :])
    yield from [Folded("All comparisons", rest)] * bool(rest)
    yield Folded("How to read it", [lines])


def comparison_table(work: Evaluation, digits: int, by: tuple[str, str] | None, rows: Sequence[Row]) -> Table:
    """Return a row for each comparison, by measure and k; `by` has the segments, if there are any."""
    baseline, number = work.request.comparison["baseline"], partial(format_number, digits=digits)
    sides, is_text, users = side_counts(rows), work.options.format == "table", with_unit("{Units}")
    of_labelled, of_all = ("" if is_text or not side else f" ({side})" for side in sides)
    of_baseline = "Baseline" if is_text or baseline is None else f"Baseline ({baseline})"
    columns: Columns = [
        ("System", "{0[system]} - {0[baseline]}".format if baseline is None else "system"),
        (f"Mean{of_labelled}", lambda row: number(row["mean_system"])),
        (f"{of_baseline}{of_labelled}", lambda row: number(row["mean_baseline"])),
        (f"Difference{of_all}", lambda row: difference_text(row, digits)),
        ("Relative", lambda row: "" if row["relative"] is None else f"{number(100 * row['relative'])}%"),
        ("W/T/L", "{0[wins]}/{0[ties]}/{0[losses]}".format),
        ("p", lambda row: format_p(row["p_adjusted"])),
        ("Verdict", lambda row: f"{MARKS[row['verdict']]} {row['verdict']}"),
    ]
    title = [f"Compared with {printable(baseline)}"] * (baseline is not None)
    if by is not None:
        _, segment = by
        title.append(f"by {printable(segment)}")
        is_taken = segment in ("Measure", users, *(heading for heading, _ in columns))
        columns = [(f"Segment {segment}" if is_taken else segment, "segment"), (users, users_text), *columns]
    of = f"means of {sides[0]} {units()}, differences of {sides[1]}" if sides[0] else ""
    heading = "; ".join(filter(None, [", ".join(title), of if title else of.capitalize()])) * is_text
    rows = [*chain(*grouped(rows, "measure", "k").values())]
    return Table(rows, [("Measure", measure_label), *columns], heading, DISPENSABLE, "Measure")


def side_counts(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the number of users of the means and of the differences, if a model has graded some users."""
    if not rows or "users_predicted" not in rows[0]:
        return "", ""
    counts = {(row["users"], row["users"] + (row["users_predicted"] or 0)) for row in rows}
    labelled, everybody = counts.pop() if len(counts) == 1 else ("graded", "all")
    return str(labelled), str(everybody)


def difference_text(row: Row, digits: int) -> str:
    texts = format_mean(row["difference"], row["low"], row["high"], digits=digits)
    return "+" * ((row["difference"] or 0) > 0) + " ".join(filter(None, texts))


def users_text(row: Row) -> str:
    of = f" of {row['users'] + row['users_predicted']}" if row.get("users_predicted") else ""
    return f"{row['users']}{of}"


def changed_tables(work: Evaluation, rows: Sequence[Row]) -> Iterator[Table]:
    """Yield a table of the largest losses and one of the largest gains with each model.

    `rows` are the comparisons of all users.
    """
    options, request = work.options, work.request
    first, *_ = grouped(rows, "measure", "k").values()  # by the first measure at its first cutoff
    are_two = len({row["system"] for row in rows}) == 1
    baseline = first[0]["baseline"] if are_two else request.comparison["baseline"]
    if baseline is None or not request.choices or options.format == "latex":
        return
    choice = request.choices[0]
    users = {row["system"]: row["users"] for row in first}
    query = changes_query(request, baseline, choice, MOST_CHANGED if options.explain else FEW_CHANGED)
    every = with_labels(work, fetch_rows(work.con, query))
    for (system, wins), changed in grouped(every, "system", "wins").items():
        count, verb = changed[0]["changed"], "win" if wins else "lose"
        counted = f"{count} of {users[system]} {units()} {verb}{'s' * (count == 1)}"
        which = f"; the top {len(changed)}" if count > len(changed) else ""
        title = f"{counted} with {printable(system)} by {choice.at(choice.cuts[0])}{which}"
        columns = [(with_unit("{Unit}"), "label"), (baseline, "baseline"), (system, "value")]
        yield Table(changed, [*columns, ("Difference", "difference")], title)


def answer(
    work: Evaluation,
    orders: Orders,
    problems: Sequence[Row],
    ks: Collection[int | None],
    more: Sequence[str] = (),
) -> tuple[list[str], list[str]]:
    """Return the errors in the data with the best model by the first measure, and the caveats with `more`."""
    wrong, others = caveats(problems, ks)
    lines = [f"Error in the data: {text}" for text in wrong]
    if errors := errors_about(problems, work.request.systems):
        lines.append(no_verdict_sentence(errors))
    elif order := first_order(work.request.choices, orders):
        lines.append(leading_sentence(order))
        needed = "" if work.options.explain else needed_sentence(order.best, work.request.comparison)
        lines += [needed] * bool(needed)
    return lines, [f"Caveat: {text}" for text in (*others, *more)]


def letter_rows(orders: Orders) -> list[Row]:
    """Return the means of models, best first, with a compact letter display."""
    return [
        {"measure": measure, "k": k, "system": name, "mean": mean, "letters": order.letters[name]}
        for (measure, k), order in orders.items()
        if order is not None
        for name, mean in order.means.items()
    ]


def letters_parts(
    work: Evaluation, orders: Orders, problems: Sequence[Row], sentences: Sequence[str]
) -> Iterator[Part]:
    """Yield the models of each measure with letters, and the best against the second best."""
    shown, lines = [*filter(None, orders.values())], list[str]()
    best, against = answer(work, orders, problems, [k for (_, k), order in orders.items() if order])
    yield [*best, *sentences, *against]
    if shown:
        users, _ = side_counts([order.best for order in shown])
        mean = f"Mean ({users})" if users else "Mean"
        columns: Columns = [
            ("Measure", measure_label),
            ("System", "system"),
            (mean, "mean"),
            ("Letters", "letters"),
        ]
        yield Table(letter_rows(orders), columns, block="Measure")
        is_known = not errors_about(problems, work.request.systems)
        several = [order for order in shown if is_known and len(order.means) > 2]
        options, digits = work.request.comparison, work.options.digits or DIGITS
        lines = [letters_note(options), *(best_sentence(order, options, digits) for order in several)]
    if len(shown) < len(orders):
        reason = f"measures without a value for some {units()}, since each pair then has other {units()}"
        lines.append(f"Not shown: {reason}.")
    yield lines


# --- The lists of one user, score thresholds, and the overlap of the lists of two models ---


def explanation_parts(
    work: Evaluation, rows: Sequence[Row], has_truth: bool, about: str | None
) -> Iterator[Part]:
    """Yield the list of a user from each model with marked hits, the text `about` the user, and measures."""
    k, user = work.request.ks[0], f"{with_unit('{Unit}')} {printable(work.options.user_id)}"
    for (name,), mine in grouped(rows, "system").items():
        listed = [row for row in mine if row["rank"] is not None]
        of = f", {printable(name)}" if "system" in mine[0] else ""
        yield [f"{user}{of}, {cut_off_heading(k)}", *[about or ""] * bool(about)]
        yield list_table(listed) if listed else ["No list."]
        if has_truth:
            lines = measure_lines(mine, listed, k)
            if (least := work.request.lowest_grade) is not None:
                lines.append(f"A hit has grade {least:g} or more; gains and the ideal DCG use all grades.")
            if work.options.without_relevant == "skip" and not any(row["relevant"] for row in mine):
                excluded = f"this {units(1)} is excluded from means and comparisons"
                lines.append(f"No relevant item: {excluded}.")
            yield lines
    if not rows:
        yield [f"{user}: no list and no relevant item."]


def list_table(listed: Sequence[Row]) -> Table:
    rows = [{name: "" if value is None else value for name, value in row.items()} for row in listed]
    titles: Columns = [("Title", lambda row: shorten(row["title"], TITLE))]
    columns: Columns = [
        ("Hit", lambda row: "*" * row["relevant"]),
        *(("Rank", "rank"), ("Item", "itemid")),
        *(titles if any(row.get("title") for row in listed) else []),
        *(("Score", "score"), ("Grade", "grade"), ("Gain", "gain"), ("Discount", "discount")),
        *(("Disc. gain", "contribution"), ("DCG", "dcg")),
    ]
    return Table(rows, columns, dispensable=("Disc. gain", "Discount", "Gain", "DCG", "Score"))


def measure_lines(mine: Sequence[Row], listed: Sequence[Row], k: int | None) -> list[str]:
    """Return lines with the missed relevant items, and with the measures and their terms."""
    nowhere = {False: "not in the list", True: GONE}
    missed = [
        f"{printable(row['itemid'])}{' ' * bool(row.get('title'))}{shorten(row.get('title') or '', TITLE)} "
        f"(grade {format_number(row['grade'])}, "
        f"{nowhere[row.get('gone', False)] if row['found_at'] is None else 'rank ' + str(row['found_at'])})"
        for row in mine
        if row["rank"] is None
    ]
    lines = ["Missed relevant items: " + ", ".join(missed)] * bool(missed)
    if not listed:
        return [*lines, "Empty list: NDCG, recall and precision are 0."]
    last, at, depth = listed[-1], format_cut_off(k), len(listed) if k is None else max(k, 1)
    hits = last["precision"] * len(listed)
    dcg, ideal, ndcg, recall = (format_number(last[name]) for name in ("dcg", "ideal_dcg", "ndcg", "recall"))
    return [
        *lines,
        f"NDCG@{at} = DCG / ideal DCG = {dcg} / {ideal} = {ndcg}",
        f"Recall@{at} = {recall}",
        f"Precision@{at} = hits / k = {format_number(hits)} / {depth} = {format_number(hits / depth)}",
    ]


def abstention_parts(options: Any, rows: Sequence[Row]) -> Iterator[Part]:
    """Yield some thresholds of each model, and sentences."""
    columns: Columns = [("Threshold", "threshold")]
    for heading, name in (("Refused", "refused"), ("Answered", "answered")):
        columns += [(heading, f"{name}_share"), ("Low", f"{name}_low"), ("High", f"{name}_high")]
    shown, is_named = select_thresholds(rows), "system" in rows[0]
    yield Table(shown, [*[("System", "system")] * is_named, *columns], block="System" * is_named)
    lines = [with_unit(ERRORS), refused_sentence(rows), *threshold_sentences(rows, options.digits or DIGITS)]
    if len(shown) < len(rows):
        is_part = any(len(mine) >= MOST_THRESHOLDS for mine in grouped(rows, "system").values())
        which = f": at most {MOST_THRESHOLDS} per model at equal steps, and the thresholds named above"
        lines.append(f"{len(shown)} of {len(rows)} rows are shown; --format csv has all{which * is_part}.")
    yield lines


def overlap_parts(rows: Sequence[Row]) -> Iterator[Part]:
    """Yield the overlap of lists, and the users without a list."""
    columns: Columns = [("Baseline", "baseline"), ("System", "system"), ("k", k_text)]
    columns += [(with_unit("{Units}"), "users"), ("Overlap", "overlap"), ("Jaccard", "jaccard")]
    columns += [("RBO", "rbo"), ("1st", "same_first"), ("All", "same_list")]
    yield Table(rows, columns, block="Baseline")
    lines = [
        f"No list from {row[side]} (counted as 0), k = {k_text(row)}: {count} of the {units()}"
        for row in rows
        for side in ("baseline", "system")
        if (count := row[f"{side}_users_without_rec"])
    ]
    yield [with_unit(OVERLAPS), *lines]

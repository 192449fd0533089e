"""Render results: text for people by tabulate; CSV, JSON and Parquet for programs by DuckDB's COPY."""

import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from html import escape
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any

import duckdb

from ..evaluation.comparison import MOST_CHANGED, changes_query
from ..evaluation.conclusion import (
    best_sentence,
    by_model,
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
from ..evaluation.defaults import DIGITS, EVERYBODY, FORMULA
from ..evaluation.pairs import ModelOrder, families
from ..evaluation.problems import errors_about
from ..evaluation.queries import fetch_rows
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
    in_unit,
)
from ..inputs.evaluation import Evaluation
from ..measures.grammar import Choice
from ..quoting import identifier
from ..texts import printable, shorten
from .output import copy_statement, is_terminal

WIDTH = 80  # of a terminal
FEW_CHANGED = 5  # users with the largest losses and gains; with --explain MOST_CHANGED
MOST_ROWS = 6  # rows of a comparison in a pull request; the others are folded
DISPENSABLE = ("Relative", "W/T/L", "p", "Baseline", "Mean")  # columns to drop in a narrow terminal, in order
STYLES = {"table": "simple", "markdown": "github", "html": "html", "latex": "latex_booktabs"}  # tabulate's
COPIED = ("csv", "json", "parquet")
DOCUMENT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>ranking-udfs</title>
<style>
body {{ font-family: sans-serif }}
table {{ border-collapse: collapse }}
th, td {{ border-bottom: 1px solid #ccc; padding: 0.2em 0.8em; text-align: left }}
</style>
{}</html>
"""
OF_AUC = "AUC: share of (hit, miss) pairs with the hit ranked higher; 0.5 without a pair"
# Characters with a meaning in Markdown or in its HTML. An underscore within a word has no meaning.
MARKUP = re.compile(r"[\\`*\[\]<>&|~]|(?<!\w)_|_(?!\w)")
NUMBER = re.compile(r"(-?\d+(\.\d*)?(e-?\d+)?)?")  # or an empty string
# VARCHAR columns; if all values are NULL, the values do not show the type.
TEXTS = ("segment", "system", "baseline", "measure", "method", "verdict", "caveats")
Cells = Sequence[Any]
Orders = Sequence[ModelOrder | None]


# --- Any rows; `given` are the options of the command ---


def digits_of(options: Any) -> int | None:
    """Return the number of significant digits to show; None shows all."""
    is_shown = options.format == "table" and options.output is None and is_terminal()
    return (
        DIGITS
        if options.digits is None and (is_shown or options.format in ("markdown", "html"))
        else options.digits
    )


def width_of(output: str | None) -> int:
    """Return the width of the terminal; WIDTH if the output is not a terminal."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if output is None and is_terminal() else WIDTH


def row_source(names: Iterable[str], rows: Sequence[Row]) -> tuple[str, list[dict[str, Any]]]:
    """Return the SQL after FROM that reads rows from a parameter, and the parameter; `_row` numbers them."""
    kinds = {str: "VARCHAR", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
    types = {name: "VARCHAR" if name in TEXTS else "DOUBLE" for name in names}
    for row in rows:
        types |= {name: kinds[type(value)] for name, value in row.items() if value is not None}
    fields = ", ".join(f"{identifier(name)} {kind}" for name, kind in types.items())
    source = f"(SELECT unnest($1::STRUCT({fields}, _row BIGINT)[], max_depth := 2))"
    return source, [{**{name: row.get(name) for name in types}, "_row": i} for i, row in enumerate(rows)]


def render(
    con: duckdb.DuckDBPyConnection, options: Any, names: Sequence[str], rows: Sequence[Row]
) -> str | bytes:
    """Render these columns of the rows in the requested format."""
    form, digits = options.format, digits_of(options)
    if form not in COPIED:
        return document(form, table(form, names, [[row.get(name) for name in names] for row in rows], digits))
    cell_of = partial(copied_cell, digits=digits, is_safe=form == "csv" and options.safe_csv)
    cells = [{cell_of(name): cell_of(row.get(name)) for name in names} for row in rows]
    source, given_rows = row_source(map(cell_of, names), cells)
    con.execute(f"CREATE OR REPLACE TEMP TABLE _ranking_command_rows AS FROM {source}", [given_rows])
    query = "SELECT * EXCLUDE (_row) FROM _ranking_command_rows ORDER BY _row ASC"
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, f"rows.{form}")
        con.execute(copy_statement(query, path, manifest=options.manifest_text))
        content = Path(path).read_bytes()
    if form == "json":  # escape control characters, since a terminal would execute them
        text = content.decode().replace("\n\t", "\n  ") if rows else "[]\n"
        return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)
    return content if form == "parquet" else content.decode()


def copied_cell(cell: Any, digits: int | None, is_safe: bool) -> Any:
    """Return a cell for programs: rounded, and if `is_safe` quoted so that no spreadsheet runs a formula."""
    if isinstance(cell, float) and digits is not None:
        return float(f"{cell:.{digits}g}")
    return f"'{cell}" if is_safe and isinstance(cell, str) and re.match(FORMULA, cell) else cell


def table(form: str, header: Sequence[str], rows: Iterable[Cells], digits: int | None = None) -> str:
    """Render rows for people; text aligns the decimal points. `digits` are significant digits (all)."""
    from tabulate import tabulate  # The import takes 15 ms, and no other form needs it.

    cells = [[cell_text(form, cell, digits) for cell in row] for row in rows]
    names = [cell_text(form, name) for name in header]
    columns = list(zip(*cells, strict=True)) if form == "table" else []
    sides = [
        "decimal" if all(map(NUMBER.fullmatch, column)) and any(column) else "left" for column in columns
    ]
    return str(tabulate(cells, names, STYLES[form], disable_numparse=True, colalign=sides or None)) + "\n"


def fitting_table(
    rows: Sequence[Row], dispensable: Sequence[str], width: int, digits: int | None = None
) -> str:
    """Render rows as text; drop the `dispensable` columns in order until the table fits `width`."""
    for count in range(len(dispensable) + 1):
        names = [name for name in rows[0] if name not in dispensable[:count]]
        text = table("table", names, [[row[name] for name in names] for row in rows], digits)
        if max(map(len, text.splitlines())) <= width:
            break
    return text


def cell_text(form: str, cell: Any, digits: int | None = None) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, float):
        return repr(cell) if digits is None else format_number(cell, digits)
    return MARKUP.sub(r"\\\g<0>", printable(cell)) if form == "markdown" else printable(cell)


def remark(form: str, line: str) -> str:
    """Render a sentence below a table."""
    if form == "latex":
        return f"% {line}\n"
    if form == "markdown":
        return f"- {cell_text(form, line)}\n"
    if form == "html":
        return f"<p>{escape(printable(line))}</p>\n"
    whole = re.sub(r"\bp ([=<]) (?=\d)", "p\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", line)
    lines = fill(whole, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return re.sub("p\N{NO-BREAK SPACE}([=<])\N{NO-BREAK SPACE}", r"p \1 ", lines) + "\n"


def remarks(form: str, lines: Iterable[str]) -> str:
    return "".join(remark(form, line) for line in lines)


def with_remarks(form: str, text: str, lines: Iterable[str]) -> str:
    return f"{text}\n{remarks(form, lines)}"


def document(form: str, text: str) -> str:
    """Complete the text to a file; in HTML, add the head of the document."""
    return DOCUMENT.format(text) if form == "html" else text


def cut_off_heading(k: int | None) -> str:
    return "whole list" if k is None else f"top-{k}"


# --- An evaluation ---


def evaluation_text(work: Evaluation, rows: Sequence[Row]) -> str | bytes:
    """Render the results: for programs a row per model, segment and k; for people measures by k.

    With `--long`, both have a row per model, segment, k and measure.
    """
    options, request, segment = work.options, work.request, work.inputs.segment
    every, of_user = (
        [*request.choices, *request.beyond_accuracy],
        [*request.choices, *request.beyond_accuracy_by_user],
    )
    keys = [name for name in ("system", "segment", "k") if name in rows[0]]
    if options.long:
        body = long_rows([(choice, choice in of_user) for choice in every], rows)
        return render(work.con, options, [*keys, "measure", "value"], body)
    if options.format in COPIED:
        counts = [name for name in (*COUNTS, *OF_LISTS) if name in rows[0]]
        return render(work.con, options, [*keys, *counts, *(choice.name for choice in every)], rows)
    summary = [row for row in rows if row.get("segment", EVERYBODY) == EVERYBODY]
    form, blocks = options.format, []
    if request.choices:
        lines = [*count_lines(work, COUNTS, summary), *refused_lines(work)]
        lines += [OF_AUC] * any(choice.measure.name == "auc" for choice in request.choices)
        ranking = measures_table(work, request.choices, summary, "Ranking measure")
        blocks.append(with_remarks(form, ranking, lines))
    if request.beyond_accuracy:
        beyond_accuracy = measures_table(work, request.beyond_accuracy, summary, "Beyond accuracy")
        blocks.append(with_remarks(form, beyond_accuracy, count_lines(work, OF_LISTS, summary)))
    if segment is not None:
        blocks.append(segments_text(work, of_user, rows, segment[1]))
    return document(form, "\n".join(blocks))


def long_rows(choices: Sequence[tuple[Choice, bool]], rows: Sequence[Row]) -> list[Row]:
    """Return a row for each value of these measures; the flag of a measure is whether users have values."""
    return [
        {**row, "measure": choice.name, "value": row[choice.name]}
        for row in rows
        for choice, is_of_user in choices
        if row["k"] in choice.cuts and (is_of_user or row.get("segment", EVERYBODY) == EVERYBODY)
    ]


def refused_lines(work: Evaluation) -> list[str]:
    rows = fetch_rows(work.con, work.abstention_query()) if work.request.says_refused else []
    return [refused_sentence(rows)] if rows else []


def segments_text(work: Evaluation, choices: Sequence[Choice], rows: Sequence[Row], segment: str) -> str:
    others = sorted((row for row in rows if row["segment"] != EVERYBODY), key=itemgetter("segment"))
    text, few = measures_table(work, choices, others, "Ranking measure", segment), few_users(others)
    return with_remarks(work.options.format, text, few) if few else text


def count_lines(work: Evaluation, labels: dict[str, str], rows: Sequence[Row]) -> Iterable[str]:
    """Yield a line for each count of users; list the models if their counts differ."""
    for name, label in labels.items():
        counts = {row.get("system"): row.get(name) for row in rows}
        if name not in rows[0] or (name == WITHOUT_RELEVANT and not any(counts.values())):
            continue
        is_skipped = work.request.columns["without_relevant"] == "skip"
        if name == WITHOUT_RELEVANT and (is_skipped or work.request.lowest_grade is not None):
            label = f"{label.partition('(')[0]}{LEFT_OUT if is_skipped else BUT_GAINS}"
        each = ", ".join(f"{system} {count}" for system, count in counts.items())
        yield f"{in_unit(label)}: {each if len({*counts.values()}) > 1 else rows[0][name]}"


def measures_table(
    work: Evaluation, choices: Sequence[Choice], results: Sequence[Row], title: str, segment: str = ""
) -> str:
    """Render a row per segment and measure, and a column per model and k.

    A table that is wider than the terminal has a row per segment, model and k instead. `segment` is the
    heading of segments.
    """
    form, digits, is_named = work.options.format, digits_of(work.options), work.tables.is_named
    keys = {"segment": segment} if segment else {}
    at = {(row.get("segment"), row.get("system"), row["k"]): row for row in results}
    columns = list(dict.fromkeys(key[1:] for key in at))
    body: list[Cells] = []
    for value in dict.fromkeys(key[0] for key in at):
        rows, first = [at[value, *column] for column in columns], [value] * len(keys)
        body += [[value, in_unit("Users"), *(row["users"] for row in rows)]] * len(keys)
        body += [[*first, choice.label, *(value_of(choice, row) for row in rows)] for choice in choices]
    heads = [f"{system} " * is_named + cut_off_heading(k) for system, k in columns]
    header = [*keys.values(), title, *heads]
    if max(map(len, table("table", header, body, digits).splitlines())) <= width_of(work.options.output):
        return table(form, header, body, digits)
    return narrow_table(work, choices, results, keys)


def narrow_table(
    work: Evaluation, choices: Sequence[Choice], results: Sequence[Row], keys: dict[str, str]
) -> str:
    """Render a row per segment, model and k, and a column per measure."""
    named = {**keys, **({"system": "System"} if work.tables.is_named else {}), "k": "k"}
    named |= {"users": in_unit("Users")} if keys else {}
    body = [
        [format_cut_off(row[name]) if name == "k" else row[name] for name in named]
        + [value_of(choice, row) for choice in choices]
        for row in results
        if any(row["k"] in choice.cuts for choice in choices)
    ]
    header = [*named.values(), *(choice.label for choice in choices)]
    return table(work.options.format, header, body, digits_of(work.options))


def value_of(choice: Choice, row: Row) -> Any:
    """Return the value of a measure at one of its own cutoffs, else an empty string."""
    return row[choice.name] if row["k"] in choice.cuts else ""


# --- A comparison; `problems` are the problems of the data ---


def comparison_text(
    work: Evaluation,
    results: Sequence[Sequence[Row]],
    orders: Orders,
    problems: Sequence[Row],
    gated: tuple[int, int] = (0, 0),
    sentences: Sequence[str] = (),
) -> str | bytes:
    """Render a comparison: all numbers for programs; the answer, caveats and tables for people.

    `results` has the rows of all users, then the rows of segments if there are any. `gated` counts the rows
    of each with a p corrected over the comparisons that --fail-if reads. `sentences` follow the answer. With
    --explain, each comparison has a sentence; else only comparisons over some of the users.
    """
    options, comparison, form = work.options, work.request.comparison, work.options.format
    digits = digits_of(options) or DIGITS
    everybody, *by_segment = results
    if form in COPIED:
        names = [*results[-1][0]]  # rows of segments have all columns
        return render(
            work.con, options, names, [{"segment": EVERYBODY, **row} for rows in results for row in rows]
        )
    more = [*doubts(everybody), *few_users(list(chain(*by_segment)))]
    answered, against = answer(work, orders, problems, {*map(itemgetter("k"), everybody)}, more)
    answered += remarks(form, sentences)
    segment = work.inputs.segment and work.inputs.segment[1]
    texts = [comparison_table(work, None, everybody)]
    texts += [comparison_table(work, segment, rows) for rows in by_segment]
    lines = comparison_lines(work, everybody, digits)
    note = footnote(comparison, list(chain(*results)), gated)
    lines.append(note if any("W/T/L" in text for text in texts) else note.partition(". ")[2])
    changed = changed_tables(work, families(everybody)[0])
    if form == "markdown":
        return pull_request_text(work, everybody, (answered, against), texts, changed, lines)
    if len(work.systems) == 2 or options.explain:
        texts += [f"{remark(form, f'{title}:')}\n{text}" for _, title, text in changed]
    text = with_remarks(form, "\n".join(texts), lines)
    return document(form, "\n".join(filter(None, [answered + against, text])))


def comparison_lines(work: Evaluation, everybody: Sequence[Row], digits: int) -> list[str]:
    """Write a sentence for each comparison with --explain; else only for comparisons over some users."""
    is_whole, every = work.options.explain, families(everybody)
    lines = [in_unit(OF_LABELLED)] if "users_predicted" in everybody[0] else []
    lines += [
        sentence(row, work.request.comparison, len(rows), digits)
        for rows in every
        for row in rows
        if is_whole or row["users_undefined"]
    ]
    lines += filter(None, (predicted_sentence(row, digits) for row in (everybody if is_whole else every[0])))
    return lines


def pull_request_text(
    work: Evaluation,
    everybody: Sequence[Row],
    answered: tuple[str, str],
    texts: Sequence[str],
    changed: Sequence[tuple[bool, str, str]],
    lines: Iterable[str],
) -> str:
    """Render for a pull request: the answer and the first measure; fold the rest."""
    at_first = {(choice.name, choice.cuts[0]) for choice in (*work.request.choices[:1], *work.request.also)}
    first = sorted(everybody, key=lambda row: (row["measure"], row["k"]) not in at_first)[:MOST_ROWS]
    folded = [(title, text) for _, title, text in changed]
    blocks = [answered[0], comparison_table(work, None, first), answered[1]]
    if len(work.systems) == 2 and changed and not changed[0][0]:  # the users who lose
        title, text = folded.pop(0)
        blocks.append(f"{remark('markdown', f'{title}:')}\n{text}")
    every = texts[len(everybody) <= MOST_ROWS :]
    folded += [("All comparisons", "\n".join(every))] if every else []
    folded.append(("How to read it", remarks("markdown", lines)))
    fold = "<details><summary>{}</summary>\n\n{}\n</details>\n".format
    return "\n".join(filter(None, [*blocks, *(fold(escape(title), text) for title, text in folded)]))


def changed_tables(work: Evaluation, rows: Sequence[Row]) -> list[tuple[bool, str, str]]:
    """Return a table of the largest losses and one of the largest gains with each model.

    Each has a flag for gains and a title. `rows` are comparisons by the first measure at its first cutoff.
    """
    baseline = work.request.comparison["baseline"] if len(work.systems) > 2 else rows[0]["baseline"]
    if baseline is None or not work.request.choices or work.options.format == "latex":
        return []
    choice, tables = work.request.choices[0], list[tuple[bool, str, str]]()
    users = {row["system"]: row["users"] for row in rows}
    most = MOST_CHANGED if work.options.explain else FEW_CHANGED
    changes = work.with_labels(fetch_rows(work.con, changes_query(work.request, baseline, choice, most)))
    for (system, wins), group in groupby(changes, key=lambda row: (row["system"], row["wins"])):
        changed = [*group]
        count, verb = changed[0]["changed"], "win" if wins else "lose"
        counted = in_unit(f"{count} of {users[system]} users {verb}{'s' * (count == 1)}")
        which = f"; the top {len(changed)}" if count > len(changed) else ""
        title = f"{counted} with {printable(system)} by {choice.at(choice.cuts[0])}{which}"
        cells = [[row[name] for name in ("label", "baseline", "value", "difference")] for row in changed]
        header = [in_unit("User"), baseline, system, "Difference"]
        tables.append(
            (wins, title, table(work.options.format, header, cells, digits_of(work.options) or DIGITS))
        )
    return tables


def answer(
    work: Evaluation,
    orders: Orders,
    problems: Sequence[Row],
    ks: Collection[int | None],
    more: Sequence[str] = (),
) -> tuple[str, str]:
    """Return two texts: the errors with the best model by the first measure, and the caveats."""
    first = [(choice.name, choice.cuts[0]) for choice in work.request.choices[:1]]
    wrong, others = caveats(problems, ks)
    lines = [f"Error in the data: {text}" for text in wrong]
    errors = errors_about(problems, work.systems)
    lines += [no_verdict_sentence(errors)] * bool(errors)
    for order in (
        order for order in orders if not errors and order is not None and (order.measure, order.k) in first
    ):
        lines.append(leading_sentence(order))
        if not work.options.explain and (needed := needed_sentence(order.best, work.request.comparison)):
            lines.append(needed)
    against = [f"Caveat: {text}" for text in (*others, *more)]
    return remarks(work.options.format, lines), remarks(work.options.format, against)


def best_lines(work: Evaluation, orders: Orders, digits: int) -> list[str]:
    """Compare the best model with the second best, among three models or more."""
    is_unknown = bool(errors_about(work.found_problems, work.systems))
    several = [order for order in orders if order is not None and len(order.means) > 2 and not is_unknown]
    return [best_sentence(order, work.request.comparison, digits) for order in several]


def comparison_table(work: Evaluation, segment: str | None, rows: Sequence[Row]) -> str:
    """Render a row for each comparison, by measure and k; `segment` is the heading of segments, if any.

    A table that is wider than 80 columns drops the columns DISPENSABLE, in this order.
    """
    form, baseline = work.options.format, work.request.comparison["baseline"]
    sides = side_counts(rows)
    headed = ("", "") if form == "table" else sides
    cells = [row_cells(work, row, segment, headed) for family in families(rows) for row in family]
    if form != "table":
        return table(form, list(cells[0]), [list(line.values()) for line in cells])
    title = [f"Compared with {printable(baseline)}"] * (baseline is not None)
    title += [f"by {printable(segment)}"] * (segment is not None)
    text = fitting_table(cells, DISPENSABLE, WIDTH)
    of = in_unit("means of {} users, differences of {}").format(*sides) if sides[0] else ""
    heading = f"{', '.join(title)}; {of}" if title and of else ", ".join(title) or of.capitalize()
    return f"{heading}\n\n{text}" if heading else text


def row_cells(
    work: Evaluation, row: Row, segment: str | None, sides: tuple[str, str] = ("", "")
) -> dict[str, str]:
    """Format the cells of a row by heading; `sides` name the users of the means and of the difference."""
    relative, baseline = row["relative"], work.request.comparison["baseline"]
    digits = digits_of(work.options) or DIGITS
    difference = format_mean(row["difference"], row["low"], row["high"], digits=digits)
    # The title of a text table has the baseline.
    is_titled = baseline is None or work.options.format == "table"
    of_labelled, of_all = (f" ({side})" if side else "" for side in sides)
    cells = {
        "System": row["system"] if baseline is not None else f"{row['system']} - {row['baseline']}",
        f"Mean{of_labelled}": format_number(row["mean_system"], digits),
        ("Baseline" if is_titled else f"Baseline ({baseline})") + of_labelled: format_number(
            row["mean_baseline"], digits
        ),
        f"Difference{of_all}": "+" * ((row["difference"] or 0) > 0) + " ".join(filter(None, difference)),
        "Relative": "" if relative is None else f"{format_number(100 * relative, digits)}%",
        "W/T/L": f"{row['wins']}/{row['ties']}/{row['losses']}",
        "p": format_p(row["p_adjusted"]),
        "Verdict": f"{MARKS[row['verdict']]} {row['verdict']}",
    }
    users = in_unit("Users")
    heading = f"Segment {segment}" if segment in ("Measure", users, *cells) else segment
    of_segment = {heading: row["segment"]} if heading is not None else {}
    if heading is not None:
        everybody = f" of {row['users'] + row['users_predicted']}" if row.get("users_predicted") else ""
        of_segment[users] = f"{row['users']}{everybody}"
    return {"Measure": measure_label(row), **of_segment, **cells}


def side_counts(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the number of users of the means and of the differences, if a model has graded some users."""
    if not rows or "users_predicted" not in rows[0]:
        return "", ""
    counts = {(row["users"], row["users"] + (row["users_predicted"] or 0)) for row in rows}
    labelled, everybody = counts.pop() if len(counts) == 1 else ("graded", "all")
    return str(labelled), str(everybody)


def letters_text(
    work: Evaluation, orders: Orders, problems: Sequence[Row], sentences: Sequence[str] = ()
) -> str | bytes:
    """Render the means of models, best first, with a compact letter display."""
    form, digits = work.options.format, digits_of(work.options) or DIGITS
    shown = [order for order in orders if order is not None]
    ranked = [(order, name, mean) for order in shown for name, mean in order.means.items()]
    if form in COPIED:
        rows = [
            {
                "measure": order.measure,
                "k": order.k,
                "system": name,
                "mean": mean,
                "letters": order.letters[name],
            }
            for order, name, mean in ranked
        ]
        return render(work.con, work.options, ["measure", "k", "system", "mean", "letters"], rows)
    cells = [
        [measure_label(order.best), name, format_number(mean, digits), order.letters[name]]
        for order, name, mean in ranked
    ]
    sides = side_counts([order.best for order in shown])[0]
    header = ["Measure", "System", f"Mean ({sides})" if sides else "Mean", "Letters"]
    text = table(form, header, cells) if shown else ""
    lines = [*[letters_note(work.request.comparison)] * bool(shown), *best_lines(work, shown, digits)]
    if len(shown) < len(orders):
        reason = "measures without a value for some users, since each pair then has other users"
        lines.append(in_unit(f"Not shown: {reason}."))
    answered, against = answer(work, orders, problems, [order.k for order in shown])
    answered += remarks(form, sentences)
    return document(form, with_remarks(form, "\n".join(filter(None, [answered + against, text])), lines))


OF_LABELLED = (
    "Mean, baseline and W/T/L: over users with human labels. Difference, p and verdict: over all users, by "
    "the model-generated grades, corrected by the human labels."
)

# --- The lists of one user, and the overlap of the lists of two models ---

OF_TRUTH = {"grade": "Grade", "gain": "Gain", "discount": "Discount"}  # columns that may be empty for an item
OF_TRUTH |= {"contribution": "Gain x disc.", "dcg": "DCG"}
TITLE = 30  # the most characters of a title; COLUMNS_YIELDING_TO_TITLES give way to it, in their order
FIXED_COLUMNS_WIDTH = 26  # characters of Hit, Rank, Grade and the blanks between columns
COLUMNS_YIELDING_TO_TITLES = ("Gain x disc.", "Discount", "Gain", "DCG", "Score")
THRESHOLDS = {"system": "System", "threshold": "Threshold", "refused_share": "Refused"}
THRESHOLDS |= {"refused_low": "Low", "refused_high": "High", "answered_share": "Answered"}
THRESHOLDS |= {"answered_low": "Low", "answered_high": "High"}
MOST_THRESHOLDS = 100  # of a model, at equal steps, as in ranking.abstention
ERRORS = (
    "Refused: share of answerable users whose best score is worse than the threshold, or without a list. "
    "Answered: share of unanswerable users who are not refused. With confidence intervals."
)
OVERLAPS = {"baseline": "Baseline", "system": "System", "k": "k", "users": "Users", "overlap": "Overlap"}
OVERLAPS |= {"jaccard": "Jaccard", "rbo": "RBO", "same_first": "1st", "same_list": "All"}
LEGEND = (
    "Means over the users with a list from at least one of the two. Overlap: common items / length of the "
    "longer list; Jaccard: common items / all items; RBO: rank-biased overlap, with the most weight on the "
    "first ranks; 1st: share of users with the same first item; All: share of users with the same list."
)


def explanation_text(work: Evaluation, rows: Sequence[Row], has_truth: bool) -> str | bytes:
    """Render the lists of a user: the rows for programs, or a table for each model with marked hits."""
    options = work.options
    if options.format != "table":
        return render(work.con, options, [*rows[0]] if rows else ["rank", "itemid"], rows)
    about = work.names("texts", [options.user_id]).get(options.user_id)
    by_name = by_model(rows).items()
    texts = [
        user_text(work, name, mine, remark("table", about) if about else "", has_truth)
        for name, mine in by_name
    ]
    return (
        "\n".join(texts) or f"{in_unit('User')} {printable(options.user_id)}: no list and no relevant item.\n"
    )


def user_text(work: Evaluation, system: str | None, mine: Sequence[Row], about: str, has_truth: bool) -> str:
    """Render the list of one model, the text `about` the user, missed items and measures."""
    options, k = work.options, work.request.ks[0]
    listed = [row for row in mine if row["rank"] is not None]
    of = f", {printable(system)}" if "system" in mine[0] else ""
    text = f"{in_unit('User')} {printable(options.user_id)}{of}, {cut_off_heading(k)}\n{about}\n"
    text += list_table(work, listed) if listed else "No list.\n"
    if not has_truth:
        return text
    lines = measure_lines(mine, listed, k)
    if (least := work.request.lowest_grade) is not None:
        lines.append(f"A hit has grade {least:g} or more; gains and the ideal DCG use all grades.")
    if options.without_relevant == "skip" and not any(row["relevant"] for row in mine):
        lines.append(in_unit("No relevant item: this user is excluded from means and comparisons."))
    return with_remarks("table", text, lines)


def list_table(work: Evaluation, listed: Sequence[Row]) -> str:
    """Render a list by rank; if a line is too narrow for titles of items, drop other columns."""
    width, has_titles = width_of(work.options.output), any(row.get("title") for row in listed)
    title_width = width - FIXED_COLUMNS_WIDTH - max(len(printable(row["itemid"])) for row in listed)
    cells = [
        {"Hit": "*" if row["relevant"] else "", "Rank": row["rank"], "Item": row["itemid"]}
        | ({"Title": shorten(row["title"] or "", max(min(title_width, TITLE), 9))} if has_titles else {})
        | {"Score": row["score"]}
        | {heading: "" if row[name] is None else row[name] for name, heading in OF_TRUTH.items()}
        for row in listed
    ]
    digits = digits_of(work.options) or DIGITS
    return fitting_table(cells, COLUMNS_YIELDING_TO_TITLES if has_titles else (), width, digits)


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


def abstention_text(work: Evaluation, rows: Sequence[Row]) -> str | bytes:
    """Render thresholds: all rows for programs; some rows of each model and sentences for people."""
    options, digits = work.options, digits_of(work.options) or DIGITS
    if options.format in COPIED:
        return render(work.con, options, [*rows[0]], rows)
    names = {name: text for name, text in THRESHOLDS.items() if name in rows[0]}
    shown = select_thresholds(rows)
    text = table(options.format, [*names.values()], [[row[name] for name in names] for row in shown], digits)
    lines = [in_unit(ERRORS), refused_sentence(rows), *threshold_sentences(rows, digits)]
    if len(shown) < len(rows):
        is_part = any(len(mine) >= MOST_THRESHOLDS for mine in by_model(rows).values())
        which = f": at most {MOST_THRESHOLDS} per model at equal steps, and the thresholds named above"
        lines.append(f"{len(shown)} of {len(rows)} rows are shown; --format csv has all{which * is_part}.")
    return document(options.format, with_remarks(options.format, text, lines))


def overlap_text(work: Evaluation, rows: Sequence[Row]) -> str | bytes:
    """Render the overlap of lists: all columns for programs, fewer for people."""
    form = work.options.format
    if form in COPIED:
        return render(work.con, work.options, [*rows[0]], rows)
    cells = [[row[name] if name != "k" else format_cut_off(row[name]) for name in OVERLAPS] for row in rows]
    text = table(form, list(map(in_unit, OVERLAPS.values())), cells, digits_of(work.options) or DIGITS)
    lines = [
        f"No list from {row[side]} (counted as 0), k = {format_cut_off(row['k'])}: "
        + in_unit(f"{count} of the users")
        for row in rows
        for side in ("baseline", "system")
        if (count := row[f"{side}_users_without_rec"])
    ]
    return document(form, with_remarks(form, text, [in_unit(LEGEND), *lines]))

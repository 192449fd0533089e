"""A comparison as text: tables and a sentence for each pair for people, every number for programs."""

import re
from collections.abc import Sequence
from typing import Any

from ..evaluation.comparison import ComparisonOptions
from ..evaluation.conclusion import best_sentence, footnote, letters_note, measure_label, sentence
from ..evaluation.defaults import DIGITS, EVERYBODY
from ..evaluation.pairs import Standing, families
from ..evaluation.words import MARKS, Row, format_number, format_p, format_with_half
from ..texts import printable
from .text_tables import WIDTH, Cells, longest_line, render, render_document, render_remark

LEFT_OUT = ((), ("Relative",), ("Relative", "W/T/L"))  # of a table that is too wide for a terminal
LATEX = {
    **{character: f"\\{character}" for character in "{}$&#_%"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$"},
}


def comparison_text(
    given: Any,
    options: ComparisonOptions,
    segment: str | None,
    found: Sequence[Sequence[Row]],
    standings: Sequence[Standing | None],
    gated: int = 0,
) -> str:
    """Render the results in the format of the command's options `given`, in 4 digits where people read them.

    `found` are the rows of all users, and those of segments if there are any, which are called `segment`;
    `gated` of them have a p that is corrected over all that --fail-if looks at.
    """
    form, digits, is_safe = given.format, given.digits, given.safe_csv
    everybody, *by_segment = found
    if form in ("csv", "json"):
        header = list(found[-1][0])  # segments have a column more
        results = [{"segment": EVERYBODY, **row} for rows in found for row in rows]
        return render(form, header, [[row[name] for name in header] for row in results], is_safe, digits)

    digits = DIGITS if digits is None else digits
    for left_out in LEFT_OUT if form == "table" else [()]:
        text = comparison_tables(form, options, None, everybody, digits, left_out)
        for rows in by_segment:
            text += "\n" + comparison_tables(form, options, segment, rows, digits, left_out)
        if longest_line(text) <= WIDTH:
            break
    said = [sentence(row, options, len(family), digits) for family in families(everybody) for row in family]
    measures = dict.fromkeys(row["measure"] for row in everybody)
    note = footnote(options, bool(by_segment), gated, sum(map(len, found)), measures)
    said.append(note.partition(". ")[2] if "W/T/L" in left_out else note)
    if left_out:
        said.append(
            f"Left out to fit {WIDTH} columns: {', '.join(left_out)}; Markdown, CSV and JSON have them."
        )
    return render_document(form, text + "\n" + remarks(form, said + best_lines(standings, options, digits)))


def remarks(form: str, lines: Sequence[str]) -> str:
    """Render sentences beneath tables."""
    return "".join(f"% {line}\n" if form == "latex" else render_remark(form, line) for line in lines)


def best_lines(standings: Sequence[Standing | None], options: ComparisonOptions, digits: int) -> list[str]:
    """Compare the best with the second best; of two models, the sentence above has said it."""
    several = [one for one in standings if one is not None and len(one.means) > 2]
    return [best_sentence(one, options, digits) for one in several]


def letters_text(given: Any, options: ComparisonOptions, standings: Sequence[Standing | None]) -> str:
    """Render the means of models, best first, with letters that those share who are not surely different."""
    form, digits = given.format, given.digits
    shown = [one for one in standings if one is not None]
    if form in ("csv", "json"):
        cells = [
            [one.measure, one.k, name, mean, one.letters[name]]
            for one in shown
            for name, mean in one.means.items()
        ]
        return render(form, ["measure", "k", "system", "mean", "letters"], cells, given.safe_csv, digits)
    digits, header = DIGITS if digits is None else digits, ["Measure", "System", "Mean", "Letters"]
    tables = [
        [
            [measure_label(one.best), name, format_number(mean, digits), one.letters[name]]
            for name, mean in one.means.items()
        ]
        for one in shown
    ]
    if form == "latex":
        text = latex_table(header, tables, "llrl")
    elif form == "table":
        text = "\n".join(
            f"{rows[0][0]}\n\n{render(form, header[1:], [row[1:] for row in rows])}" for rows in tables
        )
    else:
        text = render(form, header, [row for rows in tables for row in rows])
    said = [*[letters_note(options)] * bool(shown), *best_lines(shown, options, digits)]
    if len(shown) < len(standings):
        said.append(
            "Not shown: measures of which some users have no value, so that each pair is of other users."
        )
    return render_document(form, text + "\n" + remarks(form, said))


def comparison_tables(
    form: str,
    options: ComparisonOptions,
    segment: str | None,
    rows: Sequence[Row],
    digits: int,
    left_out: Sequence[str] = (),
) -> str:
    """Render a table for each family on a terminal, without the columns `left_out`; else one for all."""
    tables = [[row_cells(row, options, segment, digits) for row in family] for family in families(rows)]
    header = [name for name, _ in tables[0][0]]
    cells = [[[cell for _, cell in line] for line in family] for family in tables]
    if form in ("latex", "markdown", "html") and options.baseline is not None:
        header[header.index("Baseline")] = f"Baseline ({options.baseline})"
    if form == "latex":
        return latex_table(header, cells, "l" * (len(header) - 7) + "r" * 6 + "l")
    if form in ("markdown", "html"):
        return render(form, header, [line for family in cells for line in family])
    title = f" against {printable(options.baseline)}" if options.baseline is not None else ""
    title += f", by {printable(segment)}" if segment is not None else ""
    kept = [i for i, name in enumerate(header) if i == 1 or name not in ("Measure", "p", *left_out)]
    return "\n".join(
        f"{family[0][0]}{title}\n\n"
        + render(form, [header[i] for i in kept], [[line[i] for i in kept] for line in family])
        for family in cells
    )


def row_cells(
    row: Row, options: ComparisonOptions, segment: str | None, digits: int
) -> list[tuple[str, Any]]:
    """Format the cells of a row, each with its heading; `segment` is that of segments, if there are any."""
    half = None if row["low"] is None else (row["high"] - row["low"]) / 2
    relative = row["relative"]
    return [
        ("Measure", measure_label(row)),
        *([(segment, row["segment"])] if segment is not None else []),
        ("System", row["system"] if options.baseline is not None else f"{row['system']} - {row['baseline']}"),
        ("Mean", format_number(row["mean_system"], digits)),
        ("Baseline", format_number(row["mean_baseline"], digits)),
        ("Difference", format_with_half(row["difference"], half, digits)),
        ("Relative", "" if relative is None else f"{format_number(100 * relative, digits)} %"),
        ("W/T/L", f"{row['wins']}/{row['ties']}/{row['losses']}"),
        ("p", format_p(row["p_adjusted"])),
        ("Verdict", f"{MARKS[row['verdict']]} {row['verdict']}"),
    ]


def latex_table(header: Sequence[str], families: Sequence[Sequence[Cells]], columns: str) -> str:
    """Render a table for LaTeX with the package booktabs, with a rule between families."""
    blocks = [[header], *families]
    body = "\\midrule\n".join("".join(latex_line(line) for line in block) for block in blocks)
    return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def latex_line(line: Cells) -> str:
    texts = ("".join(LATEX.get(character, character) for character in printable(cell)) for cell in line)
    return " & ".join(re.sub(r"^-(?=\d)", "$-$", text) for text in texts) + r" \\" + "\n"

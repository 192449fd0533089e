"""A comparison as text: tables and a sentence for each pair for people, every number for programs."""

import re
from collections.abc import Sequence

from ..evaluation.comparison import ComparisonOptions
from ..evaluation.conclusion import (
    best_sentence,
    footnote,
    letters_note,
    measure_label,
    sentence,
)
from ..evaluation.defaults import DIGITS, EVERYBODY
from ..evaluation.pairs import Standing, families
from ..evaluation.words import DIGITS_OF_P, MARKS, Row, format_number, format_p, format_with_half
from ..texts import printable
from .text_tables import WIDTH, Cells, longest_line, render, render_document, render_remark

HEADER = ("Measure", "System", "Mean", "Baseline", "Difference", "Relative", "W/T/L", "p", "Verdict")
LEFT_OUT = ((), ("Relative",), ("Relative", "W/T/L"))  # of a table that is too wide for a terminal
LATEX = {
    **{character: f"\\{character}" for character in "{}$&#_%"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$"},
}


def comparison_text(
    form: str,
    options: ComparisonOptions,
    segment: str | None,
    found: Sequence[Sequence[Row]],
    standings: Sequence[Standing | None],
    digits: int | None = None,
    is_safe: bool = False,
    gated: int = 0,
) -> str:
    """Render the results in one of FORMATS, by default in 4 digits where people read them.

    `found` are the rows of all users, and those of segments if there are any, which are called `segment`;
    `gated` of them have a p that is corrected over all that --fail-if looks at.
    """
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


def letters_text(
    form: str,
    options: ComparisonOptions,
    standings: Sequence[Standing | None],
    digits: int | None = None,
    is_safe: bool = False,
) -> str:
    """Render the means of models, best first, with letters that those share who are not surely different."""
    shown = [one for one in standings if one is not None]
    header = ["measure", "k", "system", "mean", "letters"]
    if form in ("csv", "json"):
        rows = [
            [one.measure, one.k, name, one.means[name], one.letters[name]]
            for one in shown
            for name in one.means
        ]
        return render(form, header, rows, is_safe, digits)
    digits, tables = DIGITS if digits is None else digits, []
    header = ["Measure", "System", "Mean", "Letters"]
    for one in shown:
        label = measure_label(one.best)
        rows = [
            [label, name, format_number(mean, digits), one.letters[name]] for name, mean in one.means.items()
        ]
        tables.append((label, rows))
    if form == "latex":
        text = latex_table(header, [rows for _, rows in tables], "llrl")
    elif form == "table":
        text = "\n".join(
            f"{label}\n\n{render(form, header[1:], [row[1:] for row in rows])}" for label, rows in tables
        )
    else:
        text = render(form, header, [row for _, rows in tables for row in rows])
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
    header = list(HEADER)
    lines = [[row_cells(row, options, digits) for row in family] for family in families(rows)]
    if segment is not None:
        header.insert(1, segment)
        places = [[row["segment"] for row in family] for family in families(rows)]
        lines = [
            [[line[0], place, *line[1:]] for line, place in zip(family, names, strict=True)]
            for family, names in zip(lines, places, strict=True)
        ]
    if form in ("latex", "markdown", "html") and options.baseline is not None:
        header[header.index("Baseline")] = f"Baseline ({options.baseline})"
    if form == "latex":
        return latex_table(header, lines, "l" * (len(header) - 7) + "r" * 6 + "l")
    if form in ("markdown", "html"):
        return render(form, header, [line for family in lines for line in family])
    title = f" against {printable(options.baseline)}" if options.baseline is not None else ""
    title += f", by {printable(segment)}" if segment is not None else ""
    out = ("Measure", "p", *left_out)
    kept = [i for i, name in enumerate(header) if name not in out or (i == 1 and segment is not None)]
    return "\n".join(
        f"{family[0][0]}{title}\n\n"
        + render(form, [header[i] for i in kept], [[line[i] for i in kept] for line in family])
        for family in lines
    )


def row_cells(row: Row, options: ComparisonOptions, digits: int) -> Cells:
    """Format the cells of a row, in the order of HEADER."""
    half = None if row["low"] is None else (row["high"] - row["low"]) / 2
    relative = row["relative"]
    return [
        measure_label(row),
        row["system"] if options.baseline is not None else f"{row['system']} - {row['baseline']}",
        format_number(row["mean_system"], digits),
        format_number(row["mean_baseline"], digits),
        format_with_half(row["difference"], half, digits),
        "" if relative is None else f"{format_number(100 * relative, digits)} %",
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        format_p(row["p_adjusted"], DIGITS_OF_P),
        f"{MARKS[row['verdict']]} {row['verdict']}",
    ]


def latex_table(header: Sequence[str], families: Sequence[Sequence[Cells]], columns: str) -> str:
    """Render a table for LaTeX with the package booktabs, with a rule between families."""
    blocks = [[header], *families]
    body = "\\midrule\n".join("".join(latex_line(line) for line in block) for block in blocks)
    return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def latex_line(line: Cells) -> str:
    texts = ("".join(LATEX.get(character, character) for character in printable(cell)) for cell in line)
    return " & ".join(re.sub(r"^-(?=\d)", "$-$", text) for text in texts) + r" \\" + "\n"

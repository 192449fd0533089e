"""What a comparison comes to: for people tables and a sentence for each pair, for programs every number."""

import re
from collections.abc import Sequence

from ..page.findings import MARKS, short
from .comparison import Comparison
from .messages import printable
from .report import EVERYBODY, WIDTH, Cells, Row, longest_line, remark, render, whole

FORMATS = ("table", "csv", "json", "markdown", "html", "latex", "sql")
HEADER = ("Measure", "System", "Mean", "Baseline", "Difference", "Relative", "W/T/L", "p", "Verdict")
TESTS = {"t": "the paired t-test", "randomization": "the paired randomization test"}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg"}
LEFT_OUT = ((), ("Relative",), ("Relative", "W/T/L"))  # of a table that is too wide for a terminal
DIGITS, DIGITS_OF_P = 4, 2
LATEX = {
    **{character: f"\\{character}" for character in "{}$&#_%"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$"},
}


def conclusion(
    form: str,
    options: Comparison,
    segment: str | None,
    found: Sequence[Sequence[Row]],
    digits: int | None = None,
    is_safe: bool = False,
) -> str:
    """The results in one of FORMATS, in so many significant digits, by default in 4 where people read them.

    `found` are the rows of all users, and those of segments if there are any, which are called `segment`.
    """
    everybody, *by_segment = found
    if form in ("csv", "json"):
        header = list(found[-1][0])  # segments have a column more
        results = [{"segment": EVERYBODY, **row} for rows in found for row in rows]
        return render(form, header, [[row[name] for name in header] for row in results], is_safe, digits)

    digits = DIGITS if digits is None else digits
    for left_out in LEFT_OUT if form == "table" else [()]:
        text = tables(form, options, None, everybody, digits, left_out)
        for rows in by_segment:
            text += "\n" + tables(form, options, segment, rows, digits, left_out)
        if longest_line(text) <= WIDTH:
            break
    said = [sentence(row, options, len(family), digits) for family in families(everybody) for row in family]
    said.append(footnote(options, bool(by_segment)))
    if left_out:
        said.append(f"Left out to fit a terminal: {', '.join(left_out)}; Markdown, CSV and JSON have them.")
    lines = [f"% {line}\n" if form == "latex" else remark(form, line) for line in said]
    return whole(form, text + "\n" + "".join(lines))


def families(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each measure at each k: those that p is corrected for."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(label(row), []).append(row)
    return list(found.values())


def label(row: Row) -> str:
    """A measure at its cut-off."""
    return f"{row['measure']}@{'all' if row['k'] is None else row['k']}"


def tables(
    form: str,
    options: Comparison,
    segment: str | None,
    rows: Sequence[Row],
    digits: int,
    left_out: Sequence[str] = (),
) -> str:
    """For a terminal a table for each family, without two columns and those `left_out`; else one for all."""
    header = list(HEADER)
    lines = [[cells(row, options, digits) for row in family] for family in families(rows)]
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
        return tabular(header, lines)
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


def cells(row: Row, options: Comparison, digits: int) -> Cells:
    """What HEADER names, as people read it."""
    half = None if row["low"] is None else (row["high"] - row["low"]) / 2
    relative = row["relative"]
    return [
        label(row),
        row["system"] if options.baseline is not None else f"{row['system']} - {row['baseline']}",
        short(row["mean_system"], digits),
        short(row["mean_baseline"], digits),
        short(row["difference"], digits) + ("" if half is None else f" ± {short(half, digits)}"),
        "" if relative is None else f"{short(100 * relative, digits)} %",
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        short(row["p_adjusted"], DIGITS_OF_P),
        f"{MARKS[row['verdict']]} {row['verdict']}",
    ]


def sentence(row: Row, options: Comparison, family: int, digits: int) -> str:
    """What the verdict is, of which difference, and how sure."""
    system, baseline = printable(row["system"]), printable(row["baseline"])
    what, verdict, difference = label(row), row["verdict"], row["difference"]
    if difference is None:
        return f"{system} and {baseline} cannot be compared in {what}: no user has a value of both."
    is_decided = verdict in ("better", "worse")
    sign = -1 if is_decided and difference < 0 else 1  # "worse by 0.01", not by -0.01
    details = []
    if row["low"] is not None:
        ends = sorted(sign * row[end] for end in ("low", "high"))
        details.append(" to ".join(short(end, digits) for end in ends))
    if row["relative"] is not None:
        details.append(f"{short(100 * sign * row['relative'], digits)} %")
    size = short(sign * difference, digits) + (f" ({'; '.join(details)})" if details else "")
    if is_decided:
        text = f"{system} is {verdict} than {baseline} in {what} by {size}"
    elif verdict == "same":
        margin = short(options.margin, digits)
        text = f"{system} equals {baseline} in {what} to within {margin}: they differ by {size}"
    else:
        text = f"It is unclear whether {system} or {baseline} is better in {what}: they differ by {size}"
    if row["p"] is not None:
        text += f", p {short(row['p_adjusted'], DIGITS_OF_P)}"
        if family > 1:
            name = CORRECTIONS.get(options.correction)
            text += f" {f'after {name}' if name else 'uncorrected'}, {family} comparisons"
    if row["users_undefined"]:
        text += f"; {row['users_undefined']} users without a value left out"
    if verdict == "unclear" and row["detectable"]:
        text += f"; {short(row['detectable'], digits)} would show in 80 of 100 cases"
    return text + "."


def footnote(options: Comparison, has_segments: bool) -> str:
    """How the numbers were found, and what was corrected for."""
    share = short(100 * options.confidence, 15)
    text = "W/T/L: with how many users a model wins, ties, loses. "
    text += f"{share} % intervals of the mean difference; p of {TESTS[options.test]}"
    name = CORRECTIONS.get(options.correction)
    if name is None:
        return f"{text}, not corrected for the number of comparisons."
    apart = ", all users apart from segments" if has_segments else ""
    return f"{text}, corrected after {name} for all comparisons in one measure at one k{apart}."


def tabular(header: Sequence[str], families: Sequence[Sequence[Cells]]) -> str:
    """A table for LaTeX with the package booktabs, a rule between families."""
    blocks = [[header], *families]
    body = "\\midrule\n".join("".join(latex_line(line) for line in block) for block in blocks)
    columns = "l" * (len(header) - 7) + "r" * 6 + "l"
    return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def latex_line(line: Cells) -> str:
    texts = ("".join(LATEX.get(character, character) for character in printable(cell)) for cell in line)
    return " & ".join(re.sub(r"^-(?=\d)", "$-$", text) for text in texts) + r" \\" + "\n"

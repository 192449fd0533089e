"""Writes what follows from the registry: `python -m tests.generate`. A test checks that it was run.

- sql/README.md: the reference, from the heads of the SQL files, the docstrings and the registry
- sql/tables/ranking_functions.sql: what there is, as a table
- sql/tables/internal/columns.sql: which names of columns look like users, items, grades, systems and runs
- sql/comparison/internal/comparison.sql: the measures that are compared where none are named
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
"""

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path

from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.duckdb import portable, statements
from ranking_udfs.duckdb.statements import literal
from ranking_udfs.evaluation.defaults import COMPARED_MEASURES
from ranking_udfs.measures.registry import MEASURES, measure_table
from tests import coming_from, reference
from tests.reference import ROOT

REFERENCE = ROOT / "sql" / "README.md"
# Names of columns, as regular expressions, that change every number if they are not read: grades in truth,
# and what makes one list of several in rec.
LIKE = {
    "grades": "(?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|"
    "weight|value",
    "systems": "(?:model|algorithm|algo|variant|recommender|method|experiment|strategy|arm)"
    "(?:_?(?:id|name))?",
    "runs": "(?:run|(?:random_?)?seed|trial|fold|repeat|repetition)s?(?:_?(?:id|name|no|nr|number))?",
}
ID = "(?:_?(?:id|no|nr|number|key|code))?"
# Those to suggest where a column is not there, by the argument that would name them.
NEAR = {
    "user_col": f"[uq]id|(?:user|usr|customer|cust|client|member|visitor|account|person|query|topic){ID}",
    "item_col": f"[ip]id|(?:item|product|prod|article|sku|document|doc|movie|song|track|book|offer){ID}",
    "score_col": "(?:model_?)?(?:scores?|predictions?|predicted|preds?|prob(?:ability)?|p|y_?hat|y_pred|"
    "similarity|sim|logits?|confidence)|(?:predicted_?|est(?:imated)?_?)?ratings?|rank(?:ing)?|position|place",
    "grade_col": f"rel|{LIKE['grades']}",
    "system_col": f"system|{LIKE['systems']}",
    "intent_col": f"(?:intent|sub_?topic|aspect|facet|category|genre|iteration){ID}",
}


def function_rows() -> Iterator[tuple[str | Sequence[str], ...]]:
    """What ranking_functions returns: each measure, then judge and each macro that is no measure."""
    for name, *cells in measure_table():
        yield name, "measure", *cells
    judging = (inspect.getdoc(FUNCTIONS["judge"].call) or "").partition("\n")[0]
    yield "judge", "judging", [], ["rec", "truth"], [], "", "", "", judging
    for title in reference.GROUPS:
        for name in reference.group_names(title):
            if name in statements.macros() and name.removeprefix("ranking_") not in MEASURES:
                yield macro_row(name, statements.macros()[name])


def macro_row(name: str, macro: statements.Macro) -> tuple[str | Sequence[str], ...]:
    room = statements.texts()[name][1]
    kind = "table function" if macro.is_table else {"measures": "judging", "hivemall": "Hivemall"}.get(room)
    given = list(dict.fromkeys(parameter for one in reference.parameters(name) for parameter in one))
    return (
        name,
        kind or "aggregate",
        [macro.always] if macro.always != name else [],
        list(dict.fromkeys(parameter.split()[0] for parameter in given if ":=" not in parameter)),
        [parameter.replace(" := ", "=") for parameter in given if ":=" in parameter],
        *("", "", ""),
        macro.description,
    )


def function_lines() -> Iterator[str]:
    rows = ([cell if isinstance(cell, str) else "; ".join(cell) for cell in row] for row in function_rows())
    yield literal("\n".join(" | ".join(row) for row in rows))


def like_pattern(what: str) -> Iterator[str]:
    """Yield the pattern of such columns in what _ranking_column_texts gives; grades have to be numbers."""
    number = r"(?:U?[A-Z]*INT|INTEGER|DECIMAL|FLOAT|DOUBLE|BOOLEAN),"
    yield "    " + literal(f'(?i), "?({LIKE[what]})"? {number if what == "grades" else ""}')


def near_patterns() -> Iterator[str]:
    """Yield the pattern of columns to suggest for each argument, in what _ranking_column_texts gives."""
    for name, pattern in NEAR.items():
        yield f"        WHEN {literal(name)} THEN " + literal(f'(?i), "?({pattern})"? ')


def between(text: str, begin: str, end: str, lines: Iterator[str]) -> str:
    """The text with these lines between the line with `begin` and the one with `end`."""
    before, begun, rest = text.partition(begin)
    first, newline, rest = rest.partition("\n")
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        raise ValueError(f"no lines {begin!r} and {end!r}")
    indent = before.rpartition("\n")[2]
    return before + begun + first + newline + "\n".join(lines) + "\n" + indent + ended + after


def generated() -> dict[Path, str]:
    """What each file should hold."""
    functions = ROOT / "sql" / "tables" / "ranking_functions.sql"
    files = {
        functions: between(functions.read_text(), "-- rows: generated", "-- end of rows", function_lines()),
        REFERENCE: reference_text(),
    }
    for file, blocks in {
        "tables/internal/columns": {
            "patterns": near_patterns(),
            **{what: like_pattern(what) for what in LIKE},
        },
        "comparison/internal/comparison": {"measures": iter([literal(",".join(COMPARED_MEASURES))])},
    }.items():
        path = ROOT / "sql" / f"{file}.sql"
        files[path] = path.read_text()
        for block, lines in blocks.items():
            files[path] = between(files[path], f"-- {block}: generated", f"-- end of {block}", lines)
    return files


def library_tables() -> Iterator[str]:
    """Yield a table for each other library: a call of theirs, and what gives the same here."""
    for library in coming_from.LIBRARIES:
        note = f" {library.note[0].upper()}{library.note[1:]}." if library.note else ""
        yield f"\n**{library.name}** ({library.version}).{note}\n"
        yield "| theirs | here |\n|---|---|"
        for row in library.rows:
            here = f"`{row.ours}`" if not row.differs else ""
            yield f"| `{row.theirs}` | {'; '.join(filter(None, (here, row.note)))} |"
    yield ""


def reference_text() -> str:
    """The reference: what is written by hand, and between it what is generated."""
    text = between(
        REFERENCE.read_text(), "<!-- contents: generated", "<!-- end of contents", reference.contents()
    )
    text = between(text, "<!-- table: generated", "<!-- end of table", reference.measure_table())
    text = between(text, "<!-- libraries: generated", "<!-- end of libraries", library_tables())
    for title in reference.GROUPS:
        begin, end = f"<!-- {title}: generated", f"<!-- end of {title}"
        text = between(text, begin, end, reference.sections(title))
    return text


def portable_script() -> tuple[Path, str]:
    """The script of the macros as the files have them now, and where it belongs."""
    reference.forget()
    return ROOT / "sql" / portable.SCRIPT, portable.script()


if __name__ == "__main__":
    for _ in range(2):
        stale = {path: text for path, text in generated().items() if path.read_text() != text}
        for path, text in stale.items():
            path.write_text(text)
        path, text = portable_script()
        path.write_text(text)
        if not stale.keys() - {REFERENCE}:  # which shows what the macros return that were there before
            break

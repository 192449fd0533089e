"""Writes what follows from the registry: `python -m tests.generate`. A test checks that it was run.

- sql/README.md: the reference, from the heads of the SQL files, the docstrings and the registry
- sql/tables/ranking_functions.sql: what there is, as a table
- sql/tables/internal: _ranking_by_user.sql, _ranking_ties_by_user.sql: a column per measure;
  _ranking_has_expected.sql: those without an expected value over ties
- sql/comparison/internal: what the comparison knows of measures, their names and options
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
"""

import inspect
from collections.abc import Iterator, Sequence
from math import inf, isfinite
from pathlib import Path

from tests import reference
from tests.reference import ROOT, quoted
from udfs.arrow.functions import FUNCTIONS, measure_table
from udfs.duckdb import portable, statements
from udfs.duckdb.statements import literal
from udfs.measures.grammar import SPELLINGS
from udfs.measures.registry import MEASURES, Number, OneOf, Option

REFERENCE = ROOT / "sql" / "README.md"


def table_measures() -> list[str]:
    """The measures that the table functions have a column for."""
    return [name for name, measure in MEASURES.items() if measure.column]


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


def by_user_columns() -> Iterator[str]:
    for name in table_measures():
        yield f"    _ranking_{name}(ranking) AS {quoted(name)},"


def ties_by_user_columns() -> Iterator[str]:
    for name in table_measures():
        value = f"_ranking_{name}(ranking)"
        if MEASURES[name].expected:
            value = f"CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_{name}(tied) ELSE {value} END"
        yield f"        {value} AS {quoted(name)},"


def without_expected() -> Iterator[str]:
    names = [literal(name) for name in table_measures() if not MEASURES[name].expected]
    yield "    " + ",\n    ".join(names)


def better_cases() -> Iterator[str]:
    for better in sorted({measure.better for measure in MEASURES.values()} - {"more"}, reverse=True):
        names = [name for one in MEASURES.values() if one.better == better for name in one.names]
        yield f"    WHEN measure IN ({', '.join(map(literal, names))}) THEN {literal(better)}"


def spelled_cases() -> Iterator[str]:
    for name, measure in MEASURES.items():
        spellings = [spelling for spelling, one in SPELLINGS.items() if one is measure]
        yield f"    WHEN name IN ({', '.join(map(literal, spellings))}) THEN {literal(name)}"


def option_cases() -> Iterator[str]:
    for name, measure in MEASURES.items():
        if measure.options:
            yield f"    WHEN {literal(name)} THEN ["
            yield ",\n".join(f"        {option_struct(*one)}" for one in measure.options.items())
            yield "    ]"


def option_struct(name: str, option: Option) -> str:
    """What the macros know of an option, as SQL."""
    words = [option.default, *option.others] if isinstance(option, OneOf) else None
    bounds = [-inf, -inf, inf, inf]
    only: tuple[str, str] | tuple[None, None] = None, None
    if isinstance(option, Number):
        bounds = [option.at_least, option.above, option.at_most, option.below]
        only = option.only_with or only
    found = {"name": name, "rule": str(option), "words": words, "bounds": bounds}
    parts = [*found.items(), ("needs", only[0]), ("needed", only[1])]
    return "{" + ", ".join(f"{literal(key)}: {sql_value(value)}" for key, value in parts) + "}"


def sql_value(value: object) -> str:
    """A text, a number, a list of such, or None."""
    if isinstance(value, list):
        return f"[{', '.join(map(sql_value, value))}]"
    if isinstance(value, float):
        return f"{value:g}" if isfinite(value) else f"{literal(f'{value:g}')}::DOUBLE"
    return "NULL" if value is None else literal(str(value))


def plain_values() -> Iterator[str]:
    for name in table_measures():
        yield f"    CASE WHEN list_contains(names, {literal(name)}) THEN _ranking_{name}(ranking) END,"


def evaluated_cases() -> Iterator[str]:
    for name, measure in MEASURES.items():
        options = "".join(
            f", {option} := {option_value(option, one)}" for option, one in measure.options.items()
        )
        # The internal macro takes any grade; where there is an option for the highest, the public one looks.
        called = f"ranking_{name}(judged, k" if "max_grade" in measure.options else f"_ranking_{name}(ranking"
        yield f"    WHEN {literal(name)} THEN {called}{options})"


def option_value(name: str, option: Option) -> str:
    """What was chosen, else the default: NULL for an option that is nothing of its own."""
    given = f"options[{literal(name)}]"
    if isinstance(option, OneOf):
        return f"coalesce({given}, {literal(option.default)})"
    return f"{given}::DOUBLE" if option.only_with else f"coalesce({given}::DOUBLE, {option.default:g})"


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
    macros = ROOT / "sql" / "tables"
    functions = macros / "ranking_functions.sql"
    files = {
        functions: between(functions.read_text(), "-- rows: generated", "-- end of rows", function_lines()),
        REFERENCE: reference_text(),
    }
    for path, columns in (
        (macros / "internal" / "_ranking_by_user.sql", by_user_columns()),
        (macros / "internal" / "_ranking_ties_by_user.sql", ties_by_user_columns()),
        (macros / "internal" / "_ranking_has_expected.sql", without_expected()),
    ):
        files[path] = between(path.read_text(), "-- measures: generated", "-- end of measures", columns)
    for name, cases in (
        ("with_columns", (f"    {literal(name)}," for name in table_measures())),
        ("plain_values", plain_values()),
        ("better", better_cases()),
        ("spelled", spelled_cases()),
        ("valid_options", option_cases()),
        ("evaluated", evaluated_cases()),
    ):
        path = ROOT / "sql" / "comparison" / "internal" / f"_ranking_{name}.sql"
        files[path] = between(path.read_text(), "-- generated", "-- end", cases)
    return files


def reference_text() -> str:
    """The reference: what is written by hand, and between it what is generated."""
    text = between(
        REFERENCE.read_text(), "<!-- contents: generated", "<!-- end of contents", reference.contents()
    )
    text = between(text, "<!-- table: generated", "<!-- end of table", reference.measure_table())
    for title in reference.GROUPS:
        begin, end = f"<!-- {title}: generated", f"<!-- end of {title}"
        text = between(text, begin, end, reference.sections(title))
    return text


def portable_script() -> tuple[Path, str]:
    """The script of the macros as the files have them now, and where it belongs."""
    statements.texts.cache_clear()
    statements.macros.cache_clear()
    return ROOT / "sql" / portable.SCRIPT, portable.script()


if __name__ == "__main__":
    for _ in range(2):  # the reference shows what the macros return that were generated before
        for path, text in generated().items():
            path.write_text(text)
        path, text = portable_script()
        path.write_text(text)
        reference.forget()

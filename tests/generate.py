"""Writes what follows from the registry: `python -m tests.generate`. A test checks that it was run.

- README.md: the table of measures
- sql/tables/ranking_functions.sql: the same table in SQL
- sql/tables/internal: _ranking_by_user.sql, _ranking_ties_by_user.sql: a column per measure;
  _ranking_has_expected.sql: those without an expected value over ties
- sql/comparison/internal: what the comparison knows of measures, their names and options
- sql/ranking_udfs.sql: the macros that stay in a database, from the files of all
"""

from collections.abc import Iterator
from math import inf, isfinite
from pathlib import Path

from tests.witnesses import LIST_WITNESSES, WITNESSES
from udfs.arrow.functions import TABLE_HEADER, measure_table
from udfs.duckdb import portable, statements
from udfs.duckdb.statements import literal
from udfs.measures.grammar import SPELLINGS
from udfs.measures.registry import LIST_MEASURES, MEASURES, Measure, Number, OneOf, Option

ROOT = Path(__file__).resolve().parent.parent
KEYWORDS = {"precision"}  # words that DuckDB's parser takes for something else

LIBRARIES = {
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "scipy": "SciPy",
    "sklearn": "scikit-learn",
    "cwl": "cwl-eval",
}


def table_measures() -> list[str]:
    """The measures that the table functions have a column for."""
    return [name for name, measure in MEASURES.items() if measure.column]


def identifier(name: str) -> str:
    return f'"{name}"' if name in KEYWORDS else name


def checked_against(measure: Measure) -> str:
    """The outside implementations that its tests compare it with; none where there is no witness yet."""
    if measure.name in LIST_WITNESSES:
        return "SciPy" if LIST_WITNESSES[measure.name].outside else ""
    if measure.name not in WITNESSES:
        return ""
    return ", ".join(dict.fromkeys(LIBRARIES[one.module] for one in WITNESSES[measure.name].outside))


def readme_table() -> Iterator[str]:
    headers = ["measure", "options (default first)", "range", "empty or undefined", "expected over ties"]
    headers += ["source", "checked against"]
    yield f"| {' | '.join(headers)} |"
    yield "|---" * len(headers) + "|"
    for measure in (*MEASURES.values(), *LIST_MEASURES.values()):
        names = ", ".join(f"`{identifier(name)}`" for name in measure.names)
        options = "<br>".join(f"`{text}`" for text in measure.option_texts)
        options = options.replace("|", "\\|")
        row = [
            f"{names}: {measure.description}",
            options,
            measure.range_text,
            str(measure.empty),
            "yes" if measure.expected else "",
            measure.source,
            checked_against(measure),
        ]
        yield f"| {' | '.join(row)} |"


def ranking_functions() -> Iterator[str]:
    """The statement that makes the macro ranking_functions."""
    yield "-- The measures of the pack: what `ranking-udfs measures` prints, as a table."
    yield "--"
    yield "-- Returns: name, aliases, arguments (before k and options), options (default first), range, empty"
    yield "--          (the value where truth is empty, or where it is undefined), source, description."
    yield "-- Example: SELECT name, options FROM ranking_functions() WHERE len(options) > 0"
    yield "--"
    yield "-- Generated from the registry by `python -m tests.generate`, do not edit."
    yield "-- A line is a measure and ` | ` stands between its columns, since one text is quick to parse."
    yield "CREATE OR REPLACE TEMP MACRO ranking_functions() AS TABLE"
    table = measure_table()
    yield "SELECT"
    for place, (header, cell) in enumerate(zip(TABLE_HEADER, table[0], strict=True), start=1):
        parts = f"list_filter(string_split(cells[{place}], '; '), lambda part: part <> '')"
        yield f"    {f'cells[{place}]' if isinstance(cell, str) else parts} AS {header},"
    yield "FROM (SELECT string_split(unnest(string_split("
    lines = (" | ".join(cell if isinstance(cell, str) else "; ".join(cell) for cell in row) for row in table)
    yield literal("\n".join(lines))
    yield ", chr(10))), ' | ') AS cells);"


def by_user_columns() -> Iterator[str]:
    for name in table_measures():
        yield f"    _ranking_{name}(ranking) AS {identifier(name)},"


def ties_by_user_columns() -> Iterator[str]:
    for name in table_measures():
        value = f"_ranking_{name}(ranking)"
        if MEASURES[name].expected:
            value = f"CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_{name}(tied) ELSE {value} END"
        yield f"        {value} AS {identifier(name)},"


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
    readme = ROOT / "README.md"
    macros = ROOT / "sql" / "tables"
    files = {
        readme: between(readme.read_text(), "<!-- measures:", "<!-- end of measures", readme_table()),
        macros / "ranking_functions.sql": "\n".join(ranking_functions()) + "\n",
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


def portable_script() -> tuple[Path, str]:
    """The script of the macros as the files have them now, and where it belongs."""
    statements.texts.cache_clear()
    statements.macros.cache_clear()
    return ROOT / "sql" / portable.SCRIPT, portable.script()


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text)
    path, text = portable_script()
    path.write_text(text)

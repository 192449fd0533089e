"""The macros for clients without Python, as a script for a database."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import TopologicalSorter
from operator import attrgetter

from ..compose import judged
from ..compose.arguments import OWN_NAMES
from ..compose.columns import LIKE, NEAR, NUMBER, PLAIN_NUMBER
from ..compose.comparison import KEYS, KNOWN, LOWER
from ..compose.functions import path_of
from ..compose.script import measure_macros, script_macro
from ..folder import folder
from ..measures.registry import COMPARED_MEASURES, MEASURES
from ..quoting import literal, sql_value
from ..version import PACK, version
from .files import code, made, signature, signature_words, split_macros, sure_name, texts, with_words

SCRIPT = "ranking_udfs.sql"  # below sql/
LAST_MACRO = "_ranking_macros"
OLDER = ["udf_version"]  # macros of older scripts, which `register` would take for someone else's
DIVISION = "ranking_integer_division"  # a variable of DuckDB's


def script_macros() -> dict[str, str]:
    """Return the macros that the script makes, by name, with an error in place of what calls Python.

    Short names are left to the owner of the file. Hivemall's helpers are left out, since they have typed
    parameters: a file in the format that DuckDB 1.5 writes by default does not hold such macros.
    """
    of_measures = {f"ranking_{one.name}": code(judged.measure_macro(one)) for one in MEASURES.values()}
    instead = composed_macros() | of_measures
    names = {sure_name(name, room) for name, (_, room) in texts().items() if room != "hivemall"}
    found = {name: instead.get(name, macro.sql) for name, macro in made().items() if name in names}
    found |= instead_of_python()
    return {
        name: found[name].replace("TEMP MACRO", "MACRO", 1).strip().rstrip(";") + ";"
        for name in in_order(found)
    }


def composed_macros() -> dict[str, str]:
    """Return the table functions that are composed, as macros that do without Python."""
    found = {}
    for name, (text, room) in texts().items():
        head, _, body = code(text).partition(" AS TABLE\n")
        if "_ranking_compose(" in body:
            names = [one.split()[0] for one in signature(name)]
            always = sure_name(name, room)
            head = head.strip().replace(f"MACRO {name}", f"MACRO {always}", 1)
            found[always] = script_macro(name, path_of(name), head, names)
    return found


def instead_of_python() -> dict[str, str]:
    """Return the macros that only the composed ones call, and those that stand for functions of Python."""
    found = measure_macros()
    for room in ("tables", "comparison"):
        for file in sorted(folder().joinpath(room, "without_python").iterdir(), key=attrgetter("name")):
            text = with_words(file.read_text(encoding="utf-8"), all_words())
            found |= {name: code(statement) for name, statement in split_macros(text).items()}
    return found


def in_order(statements: Mapping[str, str]) -> list[str]:
    """Return the names of macros, each behind those that it calls."""
    called = {
        name: sorted(set(re.findall(r"\w++(?=\()", sql)) & statements.keys() - {name})
        for name, sql in statements.items()
    }
    return list(TopologicalSorter(called).static_order())


def mark(names: Iterable[str]) -> str:
    """Return what the macro `_ranking_macros` says beside macros of these names, as SQL."""
    return literal(" ".join([version(), *names, LAST_MACRO]))


@cache
def all_words() -> dict[str, str]:
    """Return what the words in capitals stand for in macros of the script alone."""
    words = signature_words()
    columns, judging = words["COLUMN_ARGUMENTS"], words["JUDGING_ARGUMENTS"]
    names = ", ".join(argument_names(columns))

    def as_texts(arguments: str) -> str:
        return ", ', ', ".join(f"_ranking_as_text({name})" for name in argument_names(arguments))

    return (
        registry_words()
        | words
        | {
            "COLUMNS_AS_TEXTS": as_texts(columns),
            "REC_COLUMNS_AS_TEXTS": as_texts(columns).replace("_ranking_as_text(grade_col)", "''''''"),
            "JUDGING_AS_TEXTS": as_texts(judging),
            "COLUMN_NAMES": names,
            "REC_COLUMN_NAMES": names.replace("grade_col", "''"),
            "JUDGING": ", ".join(argument_names(judging)),
        }
    )


def argument_names(arguments: str) -> list[str]:
    """Return the names in a signature such as `k := 10, ties := 'item'`."""
    return re.findall(r"(\w+) :=", arguments)


def registry_words() -> dict[str, str]:
    """Return the text of each word in capitals that the registry knows."""
    return {
        "KNOWN_MEASURES": known_measures(),
        "COMPARED_MEASURES": f"'{','.join(COMPARED_MEASURES)}'",
        "COLUMN_MEASURES": sql_value([name for name, one in MEASURES.items() if one.column]),
        "EXPECTED_MEASURES": sql_value([name for name, one in MEASURES.items() if one.expected]),
        "PLAIN_NUMBER": PLAIN_NUMBER,
        "OWN_NAMES": sql_value(sorted(OWN_NAMES)),
        "KEY_COLUMNS": sql_value(KEYS),
        "LOWER_NAMES": f"'{LOWER}'",
        "NEAR_COLUMNS": "\n".join(f"WHEN '{name}' THEN '{named(one)}'" for name, one in NEAR.items()),
        "LIKE_SYSTEMS": f"'{named(LIKE['systems'])}'",
        "LIKE_RUNS": f"'{named(LIKE['runs'])}'",
        "LIKE_GRADES": f"'{named(LIKE['grades'])}{NUMBER},'",
    }


def named(pattern: str) -> str:
    """Return the pattern of such a name of a column in what _ranking_column_texts gives."""
    return f'(?i), "?({pattern})"? '


def known_measures() -> str:
    """Return what a comparison asks of each measure, by each of its names: a text that becomes a MAP."""
    word = {True: "true", False: "false", None: "NULL"}
    pairs = (
        f"{name}={{measure: {one or 'NULL'}, higher_is_better: {word[is_high]}, is_share: {word[is_share]}}}"
        for name, (one, is_high, is_share) in KNOWN.items()
    )
    return f"'{{{', '.join(pairs)}}}'"


def script() -> str:
    """Return the SQL that puts the pack into the database that a client has open."""
    found = script_macros()
    names = mark([*OLDER, "ranking_version", *found])
    dropped = "\n".join(f"DROP MACRO IF EXISTS {name};" for name in OLDER)
    comments = [made()[name].comment(name) for name in found if name in made()]
    statements = "\n".join([*found.values(), *comments])
    return f"""\
-- {version()} without Python: macros that stay in a database, for every client of DuckDB.
--
--     duckdb shop.duckdb < {SCRIPT}
--     duckdb shop.duckdb -c "FROM ranking_summary('rec', 'truth', [5, 10])"
--
-- All names begin with ranking_, _ranking_ or udf_. Where a macro of another origin has one of them, nothing
-- is written. To upgrade, run a later {SCRIPT}.
-- Generated by `python -m tests.generate`, do not edit. The files beside this one say what each macro does.

-- The parser reads `/` as this setting says. A client that parses all before it runs any must set it itself.
SET VARIABLE {DIVISION} = current_setting('integer_division');
SET integer_division = false;
BEGIN;
SET VARIABLE {DIVISION} = coalesce(
    CASE WHEN 1 / 2 = 0 THEN error('{SCRIPT}: integer_division must be false, got true')::BOOLEAN END,
    (
        SELECT error('{SCRIPT}: there must be no ' || name || ' of another origin, got one in '
            || current_database() || '.' || current_schema())::BOOLEAN
        FROM (
            SELECT unnest(string_split({names}, ' ')) AS name
            INTERSECT
            SELECT lower(function_name)
            FROM duckdb_functions()
            WHERE database_name = current_database() AND schema_name = current_schema()
            EXCEPT
            SELECT unnest(string_split(trim(macro_definition, ''''), ' '))
            FROM duckdb_functions()
            WHERE database_name = current_database() AND schema_name = current_schema()
            AND function_name = '{LAST_MACRO}' AND starts_with(macro_definition, '''{PACK} ')
            ORDER BY name
            LIMIT 1
        )
    ),
    getvariable('{DIVISION}')
);
{dropped}
{statements}
CREATE OR REPLACE MACRO ranking_version() AS {literal(version())};
COMMENT ON MACRO ranking_version IS 'The pack that this script has put here, and its version.';
CREATE OR REPLACE MACRO {LAST_MACRO}() AS {names};
COMMIT;
SET integer_division = getvariable('{DIVISION}');
RESET VARIABLE {DIVISION};
"""

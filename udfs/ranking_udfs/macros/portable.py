"""Build the script for clients without Python, which creates a schema of macros in a database."""

import re
from functools import cache
from importlib.resources import files
from operator import attrgetter

from ..compose.arguments import OWN_NAMES
from ..compose.columns import LIKE, NEAR, NUMBER, PLAIN_NUMBER
from ..compose.comparison import KEYS, KNOWN, LOWER
from ..compose.functions import path_of
from ..duckdb.macros import NAMESPACE
from ..folder import folder
from ..measures.registry import COMPARED_MEASURES, MEASURES
from ..quoting import literal, sql_value
from ..version import PACK, version
from . import judged
from .files import code, made, signature, signature_words, split_macros, texts, with_words
from .inline import Inliner
from .script import measure_macros, script_macro

SCRIPT = "ranking_udfs.sql"  # below sql/
# A line break and the space around it; or a string or quoted name, in which line breaks stay.
SPACE = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|\s*\n\s*""")
DIVISION, PATH = "ranking_integer_division", "ranking_search_path"  # DuckDB variables
OLDER = "names_0_2.txt"  # in the folder of this file
# SQL: the current database if it has macros of version 0.2 in main.
WITH_0_2 = f"""(
        SELECT database_name FROM duckdb_functions()
        WHERE database_name = current_database() AND schema_name = 'main'
            AND function_name = 'ranking_version' AND starts_with(macro_definition, '''{PACK} 0.2'))"""


def script_macros() -> dict[str, str]:
    """Return the macros of the script by name. They call only DuckDB's own functions.

    Hivemall's helpers are excluded because they have typed parameters. Files in the default format of
    DuckDB 1.5 cannot store such macros.
    """
    inliner = Inliner(instead_of_python())
    macros = {name: macro.sql for name, macro in made().items() if not macro.is_temp}
    macros |= {measure.name: code(judged.measure_macro(measure)) for measure in MEASURES.values()}
    macros |= {
        name: script_macro(name, path_of(name), text.partition(" AS TABLE\n")[0], inliner)
        for name, text in ((name, code(text)) for name, (text, _) in texts().items())
        if "_ranking_compose(" in text
    }
    inlined = ((name, inliner.inline(sql)) for name, sql in macros.items())
    return {
        name: f"{SPACE.sub(lambda match: match[1] or chr(10), sql).strip().rstrip(';')};"
        for name, sql in inlined
    }


def instead_of_python() -> dict[str, str]:
    """Return the macros that only the script's macros call, and those that replace Python functions."""
    macros = measure_macros()
    for folder_name in ("tables", "comparison"):
        path = folder().joinpath(folder_name, "without_python")
        for file in sorted(path.iterdir(), key=attrgetter("name")):
            text = with_words(file.read_text(encoding="utf-8"), all_words())
            macros |= {name: code(statement) for name, statement in split_macros(text).items()}
    return {name: sql[sql.index("CREATE ") :] for name, sql in macros.items()}


@cache
def all_words() -> dict[str, str]:
    """Return the values of the words in capitals that only the script's macros have."""
    words = signature_words()
    columns, judging = words["COLUMN_ARGUMENTS"], words["JUDGING_ARGUMENTS"]
    names = ", ".join(argument_names(columns))

    def as_texts(arguments: str) -> str:
        return ", ".join(f"{{{name}}}" for name in argument_names(arguments))

    return (
        registry_words()
        | words
        | {
            "COLUMNS_AS_TEXTS": as_texts(columns),
            "REC_COLUMNS_AS_TEXTS": as_texts(columns).replace("{grade_col}", "''''"),
            "JUDGING_AS_TEXTS": as_texts(judging),
            "COLUMN_NAMES": names,
            "REC_COLUMN_NAMES": names.replace("grade_col", "''"),
            "JUDGING": ", ".join(argument_names(judging)),
            "WITHOUT_KS": ", ".join(literal(f"{NAMESPACE}.{name}") for name in without_ks()),
        }
    )


def without_ks() -> list[str]:
    """Return the table functions of rec and truth that take no list of cutoffs, but `max_k` or none."""
    composed = [name for name, (text, _) in texts().items() if "_ranking_compose(" in text]
    names = {name: {part.split()[0] for part in signature(name)} for name in composed}
    return [
        name
        for name, arguments in names.items()
        if {"rec", "truth"} <= arguments and not {"ks", "k"} & arguments
    ]


def argument_names(arguments: str) -> list[str]:
    """Return the names in a signature such as `k := 10, ties := 'item'`."""
    return re.findall(r"(\w+) :=", arguments)


def registry_words() -> dict[str, str]:
    """Return the value of each word in capitals that comes from the registry."""
    return {
        "KNOWN_MEASURES": known_measures(),
        "COMPARED_MEASURES": f"'{','.join(COMPARED_MEASURES)}'",
        "COLUMN_MEASURES": sql_value([name for name, measure in MEASURES.items() if measure.column]),
        "EXPECTED_MEASURES": sql_value([name for name, measure in MEASURES.items() if measure.expected]),
        "PLAIN_NUMBER": PLAIN_NUMBER,
        "OWN_NAMES": sql_value(sorted(OWN_NAMES)),
        "KEY_COLUMNS": sql_value(KEYS),
        "LOWER_NAMES": f"'{LOWER}'",
        "NEAR_COLUMNS": "\n".join(f"WHEN '{name}' THEN '{named(names)}'" for name, names in NEAR.items()),
        "LIKE_SYSTEMS": f"'{named(LIKE['systems'])}'",
        "LIKE_RUNS": f"'{named(LIKE['runs'])}'",
        "LIKE_GRADES": f"'{named(LIKE['grades'])}{NUMBER},'",
    }


def named(pattern: str) -> str:
    """Return the pattern of such a column name in the result of _ranking_column_texts."""
    return f'(?i), "?({pattern})"? '


def known_measures() -> str:
    """Return the facts that a comparison needs about each measure, by each of its names, as text of a MAP."""
    word = {True: "true", False: "false", None: "NULL"}
    pairs = (
        f"{name}={{measure: {measure or 'NULL'}, higher_is_better: {word[is_high]}, "
        f"is_share: {word[is_share]}}}"
        for name, (measure, is_high, is_share) in KNOWN.items()
    )
    return f"'{{{', '.join(pairs)}}}'"


def older() -> list[tuple[str, str]]:
    """Return the kind (for DROP MACRO) and the name of each macro of version 0.2."""
    text = (files(__package__) / OLDER).read_text(encoding="utf-8")
    _, *kinds = (part.split() for part in text.split("\n\n"))
    return [(kind, name) for kind, names in zip(("TABLE ", ""), kinds, strict=True) for name in names]


def script() -> str:
    """Return the SQL script that installs the macros in the client's current database."""
    macros = script_macros()
    comments = [made()[name].comment(NAMESPACE) for name in macros]
    dropped = "\n".join(f"DROP MACRO {kind}IF EXISTS {name};" for kind, name in older())
    public = sql_value([name for _, name in older() if name[0] != "_"])
    return f"""\
-- {version()} without Python: persistent macros in a database, for every DuckDB client.
--
--     duckdb shop.duckdb < {SCRIPT}
--     duckdb shop.duckdb -c "FROM {NAMESPACE}.evaluate('rec', 'truth', [5, 10])"
--
-- The macros are in the schema {NAMESPACE}, and call only DuckDB's own functions. If the file is attached as
-- shop, write shop.{NAMESPACE}.evaluate. To upgrade, run a later {SCRIPT}.
-- Generated by `python -m tests.generate`, do not edit. The other files in this folder describe the macros.

-- The parser applies this setting to `/`. If a client parses all statements before it runs the first, set it
-- in the client.
SET VARIABLE {DIVISION} = current_setting('integer_division');
SET integer_division = false;
BEGIN;
SET VARIABLE {DIVISION} = coalesce(
    CASE WHEN 1 / 2 = 0 THEN error('{SCRIPT}: integer_division must be false, got true')::BOOLEAN END,
    (
        SELECT error('{SCRIPT}: no database may be called {NAMESPACE}, got one of '
            || coalesce(path, 'memory') || ': attach it under another name (ATTACH ... AS rk)')::BOOLEAN
        FROM duckdb_databases()
        WHERE database_name ILIKE '{NAMESPACE}'
    ),
    (
        SELECT error('{SCRIPT}: the schema {NAMESPACE} must not be of another origin, got one in '
            || database_name || ': rename or drop it')::BOOLEAN
        FROM duckdb_schemas()
        WHERE database_name = current_database() AND schema_name ILIKE '{NAMESPACE}' AND NOT EXISTS (
            FROM duckdb_functions() AS macros
            WHERE macros.database_name = current_database() AND macros.schema_name ILIKE '{NAMESPACE}'
                AND function_name = 'version' AND starts_with(macro_definition, '''{PACK} '))
    ),
    (
        -- Macros of version 0.2 are dropped below. Public ones have comments. DROP finds TEMP macros first.
        SELECT error('{SCRIPT}: ' || function_name || ' in ' || database_name || ' has a name of version 0.2,'
            || ' whose macros go, and is not one: rename it')::BOOLEAN
        FROM duckdb_functions()
        WHERE list_contains({public}, function_name)
            AND (database_name = 'temp'
                OR comment IS NULL AND schema_name = 'main' AND database_name = {WITH_0_2})
        LIMIT 1
    ),
    getvariable('{DIVISION}')
);
SET VARIABLE {PATH} = [
    current_setting('search_path'),
    CASE WHEN {WITH_0_2} IS NULL THEN 'temp.main' ELSE 'main' END,
    concat('"', replace(current_database(), '"', '""'), '".main')];  -- the schema with the first of them
SET search_path = getvariable('{PATH}')[2];
{dropped}
SET search_path = getvariable('{PATH}')[3];
SET search_path = getvariable('{PATH}')[1];
RESET VARIABLE {PATH};
CREATE SCHEMA IF NOT EXISTS {NAMESPACE};
{chr(10).join([*macros.values(), *comments])}
COMMIT;
SET integer_division = getvariable('{DIVISION}');
RESET VARIABLE {DIVISION};
"""

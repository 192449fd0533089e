"""The macros for where TEMP ones do not reach: as a script for a file, and in a database beside the user's."""

import re
from functools import cache

from .names import LAST_MACRO, PACK, version
from .statements import literal, macros, texts

SCRIPT = "ranking_udfs.sql"  # below sql/
DATABASE = "ranking"
DIVISION = "ranking_integer_division"


def in_file() -> dict[str, str]:
    """The macros that the script makes, by name.

    Short names are left to the owner of the file. So are Hivemall's helpers, which have typed parameters: a file in
    the format of DuckDB 1.3 and earlier, as 1.5 still writes it by default, does not hold such macros.
    """
    helpers = {name for name, (_, room) in texts().items() if room.startswith("hivemall")}
    return {
        name: macro.sql.replace("TEMP MACRO", "MACRO", 1).strip()
        for name, macro in macros().items()
        if name == macro.always and name.removeprefix("udf_") not in helpers
    }


def script() -> str:
    """The SQL that puts the pack into the database that a client has open."""
    made = in_file()
    names = literal(" ".join([version(), "udf_version", *made, LAST_MACRO]))
    return f"""\
-- {version()} without Python: its table functions, measures and aggregates as macros that stay in a database.
--
--     duckdb shop.duckdb < {SCRIPT}
--     duckdb shop.duckdb -c "FROM ranking_summary('rec', 'truth', [5, 10])"
--
-- Run a later {SCRIPT} over it to upgrade. Nothing is written if the database has a macro of yours under one of
-- these names, all of which begin with ranking_, _ranking_ or udf_.
-- Generated from the files beside it by `python -m tests.generate`, do not edit. What each macro takes and returns
-- is said there.

-- The parser reads `/` as this setting says. A client that parses the whole script first has to set it before.
SET VARIABLE {DIVISION} = current_setting('integer_division');
SET integer_division = false;
BEGIN;
SET VARIABLE {DIVISION} = coalesce(
    CASE
        WHEN 1 / 2 = 0
        THEN error('{SCRIPT}: integer_division must be false, got true: SET integer_division = false first')::BOOLEAN
    END,
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
{chr(10).join(made.values())}
CREATE OR REPLACE MACRO udf_version() AS {literal(version())};
CREATE OR REPLACE MACRO {LAST_MACRO}() AS {names};
COMMIT;
SET integer_division = getvariable('{DIVISION}');
RESET VARIABLE {DIVISION};
"""


@cache
def in_database() -> dict[str, str]:
    """The statements that make all macros in the database `ranking`, by name, the mark last.

    A macro finds its tables, and the macros that it calls, from where the caller is: those are called by their
    whole names.
    """
    names = "|".join(macros())
    call = re.compile(rf"""('(?:[^']|'')*')|(?<![\w."])({names})(?=\()""")

    def whole_name(found: re.Match[str]) -> str:
        return found[1] or f"{DATABASE}.main.{found[2]}"

    made = {
        name: call.sub(whole_name, macro.sql.replace("TEMP MACRO ", f"MACRO {DATABASE}.main.", 1))
        for name, macro in macros().items()
    }
    mark = literal(" ".join([PACK, *made, LAST_MACRO]))
    return made | {LAST_MACRO: f"CREATE MACRO {DATABASE}.main.{LAST_MACRO}() AS {mark}"}

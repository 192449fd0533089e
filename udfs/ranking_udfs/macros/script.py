"""Build the script for clients without Python: macros of the same functions, with default options."""

import re
from typing import Any

from ..compose.call import SHORT, Call
from ..compose.check import CheckCall
from ..compose.comparison import Comparison, Gate
from ..compose.explain import ExplainCall
from ..compose.templates import Sql
from ..duckdb.macros import NAMESPACE
from ..kinds import LARGEST, K
from ..measures.registry import MEASURES
from ..version import PACK, version
from . import judged
from .files import code, made, texts
from .frozen import freeze, parse_frozen

SCRIPT = "ranking_udfs.sql"  # below sql/
DIVISION = "ranking_integer_division"  # a variable of DuckDB
# The macros that are as for `register`, next to those in the folders of aggregates.
OTHERS = ("version", "mean", "geometric_mean", "judge")
# A string or quoted name; or a line break and the space around it, or a comment.
SPACE = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|\s*(?:--[^\n]*)?\n\s*""")


class Cutoffs(Call):
    """A call whose cutoffs are a parameter of its macro."""

    parameter, rule = "ks", "a list of one or more integers of 0 or more"
    given, cast = "ks", "ks::BIGINT[]"
    # Each cutoff once; list_distinct drops NULL.
    unnested_ks = (
        "list_transform(list_distinct(list_transform(ks::BIGINT[], lambda k: coalesce(k, -1))), "
        "lambda k: nullif(k, -1))"
    )
    is_short, is_small = True, False

    @property
    def cutoff(self) -> str:
        """SQL of the largest cutoff; NULL for the whole list."""
        ks = self.cast
        return (
            f"CASE WHEN list_count({ks}) = len({ks}) AND list_max({ks}) <= {LARGEST} THEN list_max({ks}) END"
        )

    @property
    def depth(self) -> Any:
        return f"CASE WHEN {self.cutoff} <= {SHORT} THEN {self.cutoff} END"

    @property
    def down_to_k(self) -> str:
        return f"[:coalesce({self.cutoff}, {LARGEST})]"

    down_to_depth = down_to_k

    @property
    def column_problem(self) -> str:
        name, ks = self.parameter.split()[0], self.cast
        is_wrong = (
            f"coalesce(len({ks}), 0) = 0 OR list_min({ks}) < 0 OR {self.given}::DOUBLE[] <> {ks}::DOUBLE[]"
        )
        problem = f"concat('{name} must be {self.rule}, got ', coalesce({name}::VARCHAR, 'NULL'))"
        return f"coalesce(CASE WHEN {is_wrong} THEN {problem} END, {super().column_problem})"


class ComparisonAtCutoffs(Cutoffs, Comparison):
    """A comparison whose cutoffs are a parameter, and the baseline, if there is one."""

    baseline_in_errors = Sql("coalesce(baseline::VARCHAR, 'NULL')")


class CheckAtCutoffs(Cutoffs, CheckCall):
    """A check whose cutoffs are a parameter."""

    parameter = "ks := [10]"


class Judged(Cutoffs):
    """A call of ranking.judged: its largest rank is a parameter."""

    parameter, rule = "max_k", "an integer of 0 or more"
    given, cast = "[max_k]", "[max_k::BIGINT]"
    unnested_ks = cast


class Explain(Judged, ExplainCall):
    """A call of ranking.explain: the number of ranks is a parameter."""

    parameter, k = f"max_k := {K}", f"coalesce(max_k, {K})::BIGINT"


KS, BASELINE = {"ks": [None]}, {"baseline": Sql("baseline::VARCHAR")}
# The forms of each table function: the class of its call, and values that its parameters replace.
FORMS: dict[str, list[tuple[type[Any], dict[str, Any]]]] = {
    **{function: [(Cutoffs, KS)] for function in ("evaluate", "by_user", "distribution")},
    "judged": [(Judged, {"max_k": None})],
    "explain": [(Explain, {"k": [None]})],
    "check": [(CheckAtCutoffs, KS)],
    "compare": [(ComparisonAtCutoffs, KS), (ComparisonAtCutoffs, KS | BASELINE)],
    "gate": [(Gate, {})],
}


def script_macros() -> dict[str, str]:
    """Return the statements of the script's macros, by name. None of them calls another."""
    names = [name for name, (_, folder) in texts().items() if folder in ("lists", "predictions")]
    statements = {name: table_macro(name) for name in FORMS}
    statements |= {name: code(judged.measure_macro(measure)) for name, measure in MEASURES.items()}
    statements |= {name: made()[name].sql for name in (*OTHERS, *names)}
    return {
        name: f"{SPACE.sub(lambda match: match[1] or chr(10), sql).strip().rstrip(';')};"
        for name, sql in statements.items()
    }


def table_macro(function: str) -> str:
    """Return the statement of a table function, with a form for each number of arguments."""
    name, forms = f"{NAMESPACE}.{function}", []
    for kind, values in FORMS[function]:
        call, parameters = parse_frozen(function, values, (), name, kind)
        more = [getattr(kind, "parameter", ""), "baseline" * ("baseline" in values)]
        forms.append(freeze(call, [*parameters, *filter(None, more)]))
    return f"CREATE OR REPLACE MACRO {name}{', '.join(forms)}"


def script() -> str:
    """Return the SQL script that installs the macros in the client's current database."""
    macros = script_macros()
    comments = [made()[name].comment(NAMESPACE) for name in macros]
    return f"""\
-- {version()} without Python: macros in a database, for every DuckDB client.
--
--     duckdb shop.duckdb < {SCRIPT}
--     duckdb shop.duckdb -c "FROM {NAMESPACE}.evaluate('rec', 'truth', [5, 10])"
--
-- The macros are in the schema {NAMESPACE}, and call only DuckDB's own functions. Options are the defaults.
-- For others, print a macro: ranking-udfs sql evaluate -k 10 --ties expected --macro evaluate_shop.
-- Generated by `python -m tests.generate`, do not edit.

-- The parser applies this setting to `/`. If a client parses all statements before it runs the first, set it
-- in the client.
SET VARIABLE {DIVISION} = current_setting('integer_division');
SET integer_division = false;
BEGIN;
SET VARIABLE {DIVISION} = coalesce(
    CASE WHEN 1 / 2 = 0 THEN error('{SCRIPT}: integer_division must be false, got true')::BOOLEAN END,
    (
        SELECT error('{SCRIPT}: no other schema or database may be called {NAMESPACE}, got one in '
            || database_name || ': rename it, or attach it under another name')::BOOLEAN
        FROM duckdb_schemas()
        WHERE database_name ILIKE '{NAMESPACE}'
            OR database_name = current_database() AND schema_name ILIKE '{NAMESPACE}' AND NOT EXISTS (
            FROM duckdb_functions() AS macros
            WHERE macros.database_name = current_database() AND macros.schema_name ILIKE '{NAMESPACE}'
                AND function_name = 'version' AND starts_with(macro_definition, '''{PACK} '))
    ),
    getvariable('{DIVISION}')
);
CREATE SCHEMA IF NOT EXISTS {NAMESPACE};
{chr(10).join([*macros.values(), *comments])}
COMMIT;
SET integer_division = getvariable('{DIVISION}');
RESET VARIABLE {DIVISION};
"""

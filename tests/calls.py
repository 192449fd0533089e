"""A call of each public macro that reads no table, and tables with rows of all kinds; see entries.py, too."""

import ast
import re
from pathlib import Path
from typing import Any

from ranking_udfs.duckdb.macros import macros
from ranking_udfs.measures.registry import MEASURES
from tests.reference import parameters

MAKE = Path(__file__).with_name("tables").joinpath("calls.sql").read_text(encoding="utf-8")
TABLES = "rec truth history items intents messy_rec messy_truth by_user lists".split()  # noqa: SIM905
CONSTANT = ("ranking.functions", "ranking.check_codes")
PAIRS = "FROM (VALUES (1, 3), (3, 1), (2, 2)) AS t(p, a)"
# Arguments, and the rows that they are of.
_VALUES = {
    "ranking.geometric_mean": ("p * 0.3 + a", PAIRS),
    "ranking.mean": ("1000000000.1 * p * a", PAIRS),
    "ranking.judge": ("['c', 'a'], ['b', 'a'], [1, 2.5]", ""),
    **{f"ranking.{name}": ("p, a", PAIRS) for name in ("mae", "mse", "rmse", "r2")},
    "ranking.logloss": ("p * 0.25, a % 2", PAIRS),
    "ranking.personalization": ("[p, a]", PAIRS),
    **{f"ranking.{name}_coverage": ("[p, a], 9", PAIRS) for name in ("catalog", "gini")},
    **{f"ranking.{name}": ("judged, 3", "FROM judged_lists") for name in MEASURES},
}
QUERIES = {name: f"FROM {name}()" for name in CONSTANT}
QUERIES |= {name: f"SELECT {name}({arguments}) {rows}" for name, (arguments, rows) in _VALUES.items()}
PREDICTED = """
    WITH few AS (FROM truth WHERE userid < 20)
    FROM ranking.compare('rec', 'few', ks := [10], measures := ['ndcg', 'auc'], predicted_truth := 'truth')"""
# Hivemall's, which the script does not have.
HELPERS = """
    SELECT collect_set(p), struct(1, 2), to_ordered_map(p, a, 2), to_ordered_list(p, a),
        to_ordered_list(p, a, '-k 2 -kv')
    FROM (VALUES (1, 3), (3, 1), (2, 2)) AS t(p, a)
"""


def table_functions() -> set[str]:
    """Return the table functions, as a query calls them."""
    return {macro.called for macro in macros().values() if macro.is_table}


def in_python(call: str) -> tuple[str, dict[str, Any]]:
    """Return the function of a call of SQL, and its arguments by their names, as values of Python."""
    words = {":=": "=", "MAP ": "", r"\bNULL\b": "None", r"\bfalse\b": "False", r"\btrue\b": "True"}
    for pattern, text in words.items():
        call = re.sub(pattern, text, call)
    parsed = ast.parse(call, mode="eval").body
    assert isinstance(parsed, ast.Call)
    assert isinstance(parsed.func, ast.Attribute)
    names = [parameter.split()[0] for parameter in parameters(parsed.func.attr)[0]]
    given = dict(zip(names, parsed.args, strict=False)) | {str(one.arg): one.value for one in parsed.keywords}
    return parsed.func.attr, {name: ast.literal_eval(value) for name, value in given.items()}

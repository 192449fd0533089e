"""A call of each public macro, over tables with ties, NULLs, NaN, repeats and users of one table alone."""

import ast
import re
from typing import Any

from ranking_udfs.duckdb.macros import macros
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import file_text, text_rows
from tests.reference import parameters

MAKE = file_text("tables/calls.sql")
TABLES = "rec truth history items intents messy_rec messy_truth by_user lists".split()  # noqa: SIM905
CALLS = {name: f"FROM {name}({given})" for name, given in text_rows("calls of table functions")}
# Table functions that read no table.
CONSTANT = ("ranking_functions", "ranking_problem_codes")


PAIRS = "FROM (VALUES (1, 3), (3, 1), (2, 2)) AS t(p, a)"
# Of what is no table function: arguments, and the rows that they are of.
_VALUES = {
    "ranking_geometric_mean": ("p * 0.3 + a", PAIRS),
    "ranking_mean": ("1000000000.1 * p * a", PAIRS),
    "ranking_judge": ("['c', 'a'], ['b', 'a'], [1, 2.5]", ""),
    **{f"udf_{name}": ("p, a", PAIRS) for name in ("mae", "mse", "rmse", "r2")},
    "udf_logloss": ("p * 0.25, a % 2", PAIRS),
    "udf_personalization": ("[p, a]", PAIRS),
    **{f"udf_{name}_coverage": ("[p, a], 9", PAIRS) for name in ("catalog", "gini")},
    **{f"ranking_{name}": ("judged, 3", "FROM judged_lists") for name in MEASURES},
}
QUERIES = CALLS | {name: f"FROM {name}()" for name in CONSTANT}
QUERIES |= {name: f"SELECT {name}({arguments}) {rows}" for name, (arguments, rows) in _VALUES.items()}
PREDICTED = """
    WITH few AS (FROM truth WHERE userid < 20)
    FROM ranking_compare('rec', 'few', [10], measures := ['ndcg', 'auc'], predicted_truth := 'truth')"""
# Hivemall's, which the script does not have.
HELPERS = """
    SELECT udf_collect_set(p), udf_struct(1, 2), udf_to_ordered_map(p, a, 2), udf_to_ordered_list(p, a),
        udf_to_ordered_list(p, a, '-k 2 -kv')
    FROM (VALUES (1, 3), (3, 1), (2, 2)) AS t(p, a)
"""


def table_functions() -> set[str]:
    """The public table functions, each by the name that it has in all editions."""
    named = {name for name, macro in macros().items() if macro.is_table and name == macro.always}
    return {name for name in named if not name.startswith("_")}


def always(query: str) -> str:
    """The query by the names that are the pack's in all editions."""
    return re.sub(r"(?<!_)\b(?=(precision_recall|interpolated_precision)_curve)", "ranking_", query)


def in_python(call: str) -> tuple[str, dict[str, Any]]:
    """A call of SQL as the name of the function, and its arguments by their names, as values of Python's."""
    for pattern, text in ((":=", "="), ("MAP ", ""), (r"\bNULL\b", "None"), (r"\bfalse\b", "False")):
        call = re.sub(pattern, text, call)
    parsed = ast.parse(call, mode="eval").body
    assert isinstance(parsed, ast.Call)
    assert isinstance(parsed.func, ast.Name)
    names = [parameter.split()[0] for parameter in parameters(parsed.func.id)[0]]
    given = dict(zip(names, parsed.args, strict=False)) | {str(one.arg): one.value for one in parsed.keywords}
    return parsed.func.id, {name: ast.literal_eval(value) for name, value in given.items()}

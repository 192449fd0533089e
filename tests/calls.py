"""A call of each public macro, over tables with ties, NULLs, NaN, repeats and users of one table alone."""

import ast
import re
from pathlib import Path
from typing import Any

from ranking_udfs.duckdb.macros import macros
from ranking_udfs.measures.registry import MEASURES
from tests.reference import parameters

MAKE = Path(__file__).with_name("tables").joinpath("calls.sql").read_text(encoding="utf-8")
TABLES = "rec truth history items intents messy_rec messy_truth by_user lists".split()  # noqa: SIM905
# The arguments of a call of each table function that reads a table, and the functions that read none.
ARGUMENTS = {
    "judged": "'rec', 'truth', 20",
    "by_user": "'rec', 'truth', [3, 200]",
    "evaluate": "'rec', 'truth', ks := [3, 33, NULL], measures := 'ndcg,auc,spearman,first_hit_rank'",
    "distribution": "'rec', 'truth', ks := [5], measures := 'ndcg(gain=linear)@2,mrr,recall(min_grade=2)'",
    "compare": "'rec', 'truth', ks := [10], margin := 0.1, measures := ['ndcg', 'auc']",
    "compare_by_user": "'by_user'",
    "gate": "'compared'",
    "check": "'messy_rec', 'messy_truth', ks := [3, 50]",
    "check_rows": "'messy_rec', 'messy_truth', ks := [3, 50]",
    "by_item": "'rec', 'truth', [10]",
    "abstention": "'rec', 'truth', 'history', min_grade := 2",
    "explain": "'rec', 'truth', 3, ties := 'expected'",
    "overlap": "'rec', [10]",
    "overlap_by_user": "'rec', [10]",
    "beyond_accuracy": "'rec', [10], history := 'history', items := 'items'",
    "beyond_accuracy_by_user": "'rec', [10], history := 'history', items := 'items'",
    "fuse": "'rec', method := 'combsum', normalize := 'none'",
    "intents_by_user": "'rec', 'intents', [10]",
    "split": "'history', test_size := 4, folds := 2, seen := 'drop', cold_users := 'drop'",
    "precision_recall_curve": "'rec', 'truth', 5",
    "interpolated_precision_curve": "'rec', 'truth'",
}
CALLS = {f"ranking.{name}": f"FROM ranking.{name}({arguments})" for name, arguments in ARGUMENTS.items()}
CONSTANT = ("ranking.functions", "ranking.check_codes")
PAIRS = "FROM (VALUES (1, 3), (3, 1), (2, 2)) AS t(p, a)"
# Of what is no table function: arguments, and the rows that they are of.
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
QUERIES = CALLS | {name: f"FROM {name}()" for name in CONSTANT}
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

"""The measures as macros over judged rankings in the script, on a connection without a function of Python's.

That they agree with the functions over any judged rankings and options is the fuzzer's (tests/fuzz).
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from ranking_udfs.macros import portable
from ranking_udfs.macros.portable import script_macros
from ranking_udfs.measures.registry import MEASURES, Measure, Number
from tests.conftest import Con, is_close, literal, refusal, value
from tests.witnesses import WITNESSES, Witness, judge_slowly

CLOSE = 1e-12
ONES = [pytest.param(one, id=name) for name, one in WITNESSES.items()]
# Columns of a table of one row.
ROW = {
    "plain": "ranking.judge([1, 3, 2, 6], [1, 2, 4])",
    "graded": "ranking.judge(['a', 'b', 'x', 'c', 'd'], ['a', 'b', 'c', 'd', 'e'], [1, 3, 0, 2, 3])",
    "cut": "struct_update(ranking.judge([1, 3, 2, 6], [1, 2, 4]), cutoff := 4)",
    "no_truth": "ranking.judge([1], NULL)",
    "empty_truth": "ranking.judge([1], [])",
    "both_empty": "ranking.judge([], [])",
    "both_empty_too": "ranking.judge(NULL, [])",
}


def judged(ranks: Any, grades: Any, ideal: Any, size: Any, _: Any) -> str:
    """A judged ranking, written out."""
    lists = f"ranks: {ranks}::INTEGER[], grades: {grades}::DOUBLE[], ideal: {ideal}::DOUBLE[]"
    return f"{{{lists}, size: {size}::INTEGER, cutoff: NULL::INTEGER}}"


@pytest.fixture(scope="module")
def con() -> Iterator[Con]:
    with duckdb.connect() as connection:
        connection.execute(portable.script())
        columns = ", ".join(f"{sql} AS {name}" for name, sql in ROW.items())
        connection.execute(f"CREATE TABLE t AS SELECT {columns}, 2 AS k FROM range(1)")
        yield connection


@pytest.mark.parametrize("one", ONES)
def test_a_worked_case_holds(con: Con, one: Witness) -> None:
    calls = []
    for case in one.worked:
        rec, truth, k = case.args
        struct = judged(*judge_slowly(rec, truth).__dict__.values())
        chosen = one.judged_options(case.options).items()
        options = "".join(f", {name} := {literal(choice)}" for name, choice in chosen)
        calls.append(f"ranking.{one.name}({struct}, {literal(k)}{options})")
    (found,) = con.execute(f"SELECT {', '.join(calls)}").fetchall()
    both = MEASURES[one.name].empty.both  # which is Hivemall's, of lists
    for got, call, case in zip(found, calls, one.worked, strict=True):
        is_hivemalls = both is not None and not case.args[1] and case.args[1] is not None
        assert is_close(got, 0 if is_hivemalls else case.expected, CLOSE), call


@pytest.mark.parametrize("measure", MEASURES.values(), ids=[*MEASURES])
def test_null_is_null_and_nothing_judged_is_what_the_registry_says(con: Con, measure: Measure) -> None:
    name, empty = f"ranking.{measure.name}", measure.empty
    expected = {"NULL": None, "no_truth, 3": None}
    rows = ("empty_truth, 3", "empty_truth, 0", "both_empty", "both_empty_too, 3")
    expected |= dict.fromkeys(rows, empty.value)
    calls = ", ".join(f"{name}({arguments})" for arguments in [*expected, "cut, 4", "plain, 4"])
    ((*found, cut, whole, kind),) = con.execute(f"SELECT {calls}, typeof({name}(plain)) FROM t").fetchall()
    assert dict(zip(expected, found, strict=True)) == expected
    assert (cut, kind) == (whole, "DOUBLE")


def test_columns_may_have_the_names_of_parameters_and_of_lambda_variables(con: Con) -> None:
    made = script_macros()
    bodies = "\n".join(made[name] for name in MEASURES)
    variables = {one for names in re.findall(r"lambda ([\w, ]+):", bodies) for one in names.split(", ")}
    assert {"rank", "grade"} <= variables
    names = [f'"{name}"' for name in sorted(variables | {"judged", "k", "gain", "found", "problem"})]
    for calls, kind in (
        ("ranking.kendall_tau({0}, 3), ranking.dcg({0}, 2)", "graded"),
        ("ranking.rbp(graded, {0}, gain := 'graded', max_grade := {0})", "3"),
        ("ranking.interpolated_precision(graded, {0}, recall := {0} / 9)", "3"),
        ("ranking.ndcg(graded, {0}, discount := 'original', base := {0})", "3"),
        ("ranking.half_life_utility(graded, {0}, half_life := {0}, neutral := {0} - 2)", "3"),
    ):
        columns = ", ".join(f"{kind} AS {name}" for name in names)
        # Of an argument over all columns, each must be the one from outside.
        of_all = f"if({' AND '.join(f'{name} = {kind}' for name in names)}, {kind}, NULL)"
        found = con.execute(f"SELECT {calls.format(of_all)} FROM (SELECT graded, {columns} FROM t)")
        assert found.fetchall() == con.execute(f"SELECT {calls.format(kind)} FROM t").fetchall()


# The other kinds of k, and grades: wrong_calls.txt.
OTHERS = {"discount": ("log2", "half_life"), "gain": ("binary", "graded")}
# One measure for each rule, since the macros around the formulas are made of one template.
OPTIONS = {
    f"{option} {rule}": (measure, option)
    for measure in MEASURES.values()
    for option, rule in measure.options.items()
}


@pytest.mark.parametrize(("measure", "option"), OPTIONS.values(), ids=[*OPTIONS])
def test_a_wrong_option_is_an_error_that_says_the_rule(con: Con, measure: Measure, option: str) -> None:
    name, rule = f"ranking.{measure.name}", measure.options[option]
    wrongs = {"'x'": "'x'"}
    if isinstance(rule, Number):
        wrongs |= {"-1": "-1", "'nan'::DOUBLE": "nan", "'inf'::DOUBLE": "inf", "[1]": "[1]"}
        edge = rule.above if rule.above > float("-inf") else rule.below
        wrongs |= {f"{edge}::DOUBLE": str(edge)} if abs(edge) < float("inf") else {}
        other, needed = rule.only_with or ("", "")
        if other:
            word = next(one for one in OTHERS[other] if one != needed)
            sql = f"{name}(plain, {other} := '{word}', {option} := {rule.default or 1})"
            said = f"{name}: {option} must go with {other}={needed}, got it with {other}={word}"
            assert refusal(con, f"SELECT {sql} FROM t") == said
    else:
        wrongs |= {"3": "3", "NULL": "NULL"}
    for wrong, shown in wrongs.items():
        said = refusal(con, f"SELECT {name}(plain, {option} := {wrong}) FROM t")
        assert said == f"{name}: {option} must be {rule}, got {shown}"


def test_the_gain_of_a_small_grade_keeps_its_digits(con: Con) -> None:
    for grade in (1e-300, 1e-9, 1e-3, 0.5, 0.999):
        gain = value(con, f"SELECT ranking.dcg(ranking.judge([1], [1], [{grade!r}::DOUBLE]))")
        assert gain == pytest.approx(math.expm1(grade * math.log(2)), rel=4e-16, abs=0)


def test_measures_of_one_query_look_for_the_hits_once(con: Con) -> None:
    calls = [f"ranking.{name}(graded, k)" for name in ("recall", "precision", "hits", "mrr", "ndcg")]
    plans = []
    for columns in (calls[0], ", ".join(calls)):
        ((_, plan),) = con.execute(f"EXPLAIN (FORMAT json) SELECT {columns} FROM t").fetchall()
        plans.append(plan)
    for part in ("list_reduce(", "struct_pack("):
        assert plans[1].count(part) == plans[0].count(part) <= 5  # DuckDB 1.5 does not show those in lambdas
    assert plans[0].count("struct_pack(") > 0


def test_a_measure_plans_the_judging_of_lists_that_it_is_given_once(con: Con) -> None:
    con.execute("CREATE OR REPLACE TEMP MACRO same(judged) AS if(random() < 2, judged, NULL)")
    for name in MEASURES:
        call = f"ranking.{name}(same(graded), 1)"
        ((_, plan),) = con.execute(f"EXPLAIN (FORMAT json) SELECT {call} FROM t").fetchall()
        assert plan.count("random()") == 1, name


@pytest.mark.parametrize(
    "fields",
    [
        ([1], [1.0], [1.0], 4, 3),
        ([], [], [], -1, "NULL"),
        ([0], [1.0], [1.0], 4, "NULL"),
        ([1, 5], [1.0, 1.0], [1.0, 1.0], 4, "NULL"),
        ([3, 1], [1.0, 1.0], [1.0, 1.0], 4, "NULL"),
        ([2, 2], [1.0, 1.0], [1.0, 1.0], 4, "NULL"),
        ([1, 2], [1.0], [1.0, 1.0], 4, "NULL"),
        ([1, 2], [1.0, 1.0], [1.0], 4, "NULL"),
        ([1, 2], [1.0, 2.0], [1.0, 2.0], 4, "NULL"),
    ],
)
def test_a_judged_ranking_that_is_none_is_an_error(con: Con, fields: tuple[Any, ...]) -> None:
    """The function of Python says which rule it breaks: wrong_calls.txt."""
    shown = dict(zip(("ranks", "grades", "ideal", "size", "cutoff"), fields, strict=True))
    text = f"{{{', '.join(f'{name!r}: {one}' for name, one in shown.items())}}}"
    kind = "STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER)"
    rule = "sizes, lengths and ranks must be as ranking.judge makes them"
    said = refusal(con, f"SELECT ranking.recall({text}::{kind}, 2)")
    assert said == f"ranking.recall: judged is not a valid judged ranking: {rule}, got {text}"

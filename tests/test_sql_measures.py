"""Measures as macros over judged rankings, in the script without Python functions.

The fuzzer compares them with the functions over random judged rankings and options.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from ranking_udfs.macros.script import script, script_macros
from ranking_udfs.measures.registry import MEASURES, Measure, Number
from tests.conftest import Con, is_close, literal, refusal, value
from tests.definitions import WITNESSES, Witness, judge_slowly

CLOSE = 1e-12
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
    """Write out a judged ranking."""
    lists = f"ranks: {ranks}::INTEGER[], grades: {grades}::DOUBLE[], ideal: {ideal}::DOUBLE[]"
    return f"{{{lists}, size: {size}::INTEGER, cutoff: NULL::INTEGER}}"


@pytest.fixture(scope="module")
def con() -> Iterator[Con]:
    with duckdb.connect() as connection:
        connection.execute(script())
        columns = ", ".join(f"{sql} AS {name}" for name, sql in ROW.items())
        connection.execute(f"CREATE TABLE t AS SELECT {columns}, 2 AS k FROM range(1)")
        yield connection


@pytest.mark.parametrize("witness", WITNESSES.values(), ids=[*WITNESSES])
def test_a_worked_case_holds(con: Con, witness: Witness) -> None:
    calls = []
    for case in witness.worked:
        rec, truth, k = case.args
        ranking = judged(*judge_slowly(rec, truth).__dict__.values())
        options = witness.judged_options(case.options).items()
        arguments = "".join(f", {name} := {literal(choice)}" for name, choice in options)
        calls.append(f"ranking.{witness.name}({ranking}, {literal(k)}{arguments})")
    (values,) = con.execute(f"SELECT {', '.join(calls)}").fetchall()
    both = MEASURES[witness.name].empty.both  # Hivemall's rule for lists
    for value_of_call, call, case in zip(values, calls, witness.worked, strict=True):
        is_hivemalls = both is not None and not case.args[1] and case.args[1] is not None
        assert is_close(value_of_call, 0 if is_hivemalls else case.expected, CLOSE), call


@pytest.mark.parametrize("measure", MEASURES.values(), ids=[*MEASURES])
def test_empty_cases_have_the_values_of_the_registry(con: Con, measure: Measure) -> None:
    name, empty = f"ranking.{measure.name}", measure.empty
    expected = {"NULL": None, "no_truth, 3": None}
    rows = ("empty_truth, 3", "empty_truth, 0", "both_empty", "both_empty_too, 3")
    expected |= dict.fromkeys(rows, empty.value)
    calls = ", ".join(f"{name}({arguments})" for arguments in [*expected, "cut, 4", "plain, 4"])
    ((*values, cut, whole, kind),) = con.execute(f"SELECT {calls}, typeof({name}(plain)) FROM t").fetchall()
    assert dict(zip(expected, values, strict=True)) == expected
    assert (cut, kind) == (whole, "DOUBLE")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("calls", "argument"),
    [
        ("ranking.kendall_tau({0}, 3), ranking.dcg({0}, 2)", "graded"),
        ("ranking.rbp(graded, {0}, gain := 'graded', max_grade := {0})", "3"),
        ("ranking.interpolated_precision(graded, {0}, recall := {0} / 9)", "3"),
        ("ranking.ndcg(graded, {0}, discount := 'original', base := {0})", "3"),
        ("ranking.half_life_utility(graded, {0}, half_life := {0}, neutral := {0} - 2)", "3"),
    ],
)
def test_columns_may_be_called_like_parameters_and_lambda_variables(
    con: Con, calls: str, argument: str
) -> None:
    macros = script_macros()
    lambdas = re.findall(r"lambda ([\w, ]+):", "\n".join(macros[name] for name in MEASURES))
    variables = {name for names in lambdas for name in names.split(", ")}
    assert {"rank", "grade"} <= variables
    names = [f'"{name}"' for name in sorted(variables | {"judged", "k", "gain", "found", "problem"})]
    columns = ", ".join(f"{argument} AS {name}" for name in names)
    # An argument that reads all columns: each must be the one from outside.
    of_all = f"if({' AND '.join(f'{name} = {argument}' for name in names)}, {argument}, NULL)"
    values = con.execute(f"SELECT {calls.format(of_all)} FROM (SELECT graded, {columns} FROM t)").fetchall()
    assert values == con.execute(f"SELECT {calls.format(argument)} FROM t").fetchall()


# tests/calls has the other kinds of k, and grades.
OTHERS = {"discount": ("log2", "half_life"), "gain": ("binary", "graded")}
# One measure for each rule, since the macros around the formulas are made of one template.
OPTIONS = {
    f"{option} {rule}": (measure, option)
    for measure in MEASURES.values()
    for option, rule in measure.options.items()
}


@pytest.mark.parametrize(("measure", "option"), OPTIONS.values(), ids=[*OPTIONS])
def test_errors_of_wrong_options_state_the_rule(con: Con, measure: Measure, option: str) -> None:
    name, rule = f"ranking.{measure.name}", measure.options[option]
    wrongs = {"'x'": "'x'"}
    if isinstance(rule, Number):
        wrongs |= {"-1": "-1", "'nan'::DOUBLE": "nan", "'inf'::DOUBLE": "inf", "[1]": "[1]"}
        edge = rule.above if rule.above > float("-inf") else rule.below
        wrongs |= {f"{edge}::DOUBLE": str(edge)} if abs(edge) < float("inf") else {}
        if rule.only_with:
            other, needed = rule.only_with
            word = next(choice for choice in OTHERS[other] if choice != needed)
            call = f"{name}(plain, {other} := '{word}', {option} := {rule.default or 1})"
            error = f"{name}: {option} must go with {other}={needed}, got it with {other}={word}"
            assert refusal(con, f"SELECT {call} FROM t") == error
    else:
        wrongs |= {"3": "3", "NULL": "NULL"}
    for wrong, shown in wrongs.items():
        error = refusal(con, f"SELECT {name}(plain, {option} := {wrong}) FROM t")
        assert error == f"{name}: {option} must be {rule}, got {shown}"


def test_gains_of_small_grades_keep_their_digits(con: Con) -> None:
    for grade in (1e-300, 1e-9, 1e-3, 0.5, 0.999):
        gain = value(con, f"SELECT ranking.dcg(ranking.judge([1], [1], [{grade!r}::DOUBLE]))")
        assert gain == pytest.approx(math.expm1(grade * math.log(2)), rel=CLOSE, abs=0)


def test_measures_of_one_query_find_the_hits_once(con: Con) -> None:
    calls = [f"ranking.{name}(graded, k)" for name in ("recall", "precision", "hits", "mrr", "ndcg")]
    first, every = (
        con.execute(f"EXPLAIN (FORMAT json) SELECT {', '.join(of)} FROM t").fetchall()[0][1]
        for of in (calls[:1], calls)
    )
    for part in ("list_reduce(", "struct_pack("):
        assert every.count(part) == first.count(part) <= 5  # DuckDB 1.5 does not show those in lambdas
    assert first.count("struct_pack(") > 0


def test_each_measure_judges_its_lists_once(con: Con) -> None:
    con.execute("CREATE OR REPLACE TEMP MACRO same(judged) AS if(random() < 2, judged, NULL)")
    for name in MEASURES:
        call = f"ranking.{name}(same(graded), 1)"
        ((_, plan),) = con.execute(f"EXPLAIN (FORMAT json) SELECT {call} FROM t").fetchall()
        assert plan.count("random()") == 1, name


@pytest.mark.parametrize(
    "fields",
    [
        *(([1], [1.0], [1.0], 4, 3), ([], [], [], -1, "NULL"), ([0], [1.0], [1.0], 4, "NULL")),
        *((ranks, [1.0, 1.0], [1.0, 1.0], 4, "NULL") for ranks in ([1, 5], [3, 1], [2, 2])),
        *(([1, 2], [1.0], [1.0, 1.0], 4, "NULL"), ([1, 2], [1.0, 1.0], [1.0], 4, "NULL")),
        ([1, 2], [1.0, 2.0], [1.0, 2.0], 4, "NULL"),
    ],
)
def test_invalid_judged_rankings_are_an_error(con: Con, fields: tuple[Any, ...]) -> None:
    """The Python function reports the rule: tests/calls."""
    names = ("ranks", "grades", "ideal", "size", "cutoff")
    text = f"{{{', '.join(f'{name!r}: {of}' for name, of in zip(names, fields, strict=True))}}}"
    kind = "STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER)"
    rule = "sizes, lengths and ranks must be as ranking.judge makes them"
    error = refusal(con, f"SELECT ranking.recall({text}::{kind}, 2)")
    assert error == f"ranking.recall: judged is not a valid judged ranking: {rule}, got {text}"

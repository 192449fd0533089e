"""What is declared once, such as the rule of an option, is what every part of the package goes by."""

import ast
import math
from contextlib import suppress
from pathlib import Path

import pytest

import ranking_udfs
from ranking_udfs.evaluation.conclusion import users_texts
from ranking_udfs.kinds import OptionError, integer, number
from ranking_udfs.measures.registry import MEASURES, Measure
from ranking_udfs.options import Option, check
from ranking_udfs.partitions import MERGED, UNMERGED
from ranking_udfs.texts import shorten
from tests.calls import table_functions

# Table functions that do not run over partitions of users, and why.
NOT_PARTITIONED = {
    **dict.fromkeys(("functions", "check_codes"), "reads no table"),
    **dict.fromkeys(("explain", "check_rows"), "shows rows of a few users: select them before"),
    **dict.fromkeys(("gate", "abstention"), "reads tables of labels or results, which are small"),
    **dict.fromkeys(("overlap", "overlap_by_user", "intents_by_user", "by_item"), "nobody has asked for it"),
    **dict.fromkeys(
        ("precision_recall_curve", "interpolated_precision_curve"), "distribution and by_user have the values"
    ),
    "split": "Spark's window functions split: see spark/README.md",
    "check": "one executor would get all ids: spark/README.md checks a sample of users",
    "beyond_accuracy": "one executor would get all lists: beyond_accuracy_by_user has the values of users",
}
SPARK = Path(str(ranking_udfs.__file__)).parent / "spark" / "__init__.py"


@pytest.mark.parametrize("value", [3, 9, -math.inf, math.nan, 10**400, True, "12", [12]])
def test_a_number_is_read_by_the_rule_of_its_option(value: object) -> None:
    options = {"least": Option(number("a number above 9", lambda given: given > 9), "least", None)}
    for accepted in (None, 9.5, 10**20 + 1):
        assert check(options, {"least": accepted})["least"] == (accepted and float(accepted))
    with pytest.raises(ValueError, match=r"^least must be a number above 9, got ") as raised:
        check(options, {"least": value})
    assert str(raised.value).endswith(f"got {shorten(repr(value))}")


def test_an_integer_of_python_is_not_rounded() -> None:
    kind, found = integer(1, 3), list[int]()
    for value in (0, 1, 2.0, 2.5, 3, 4):
        with suppress(OptionError):
            found.append(kind.check(value))
    assert found == [1, 2, 3]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=[*MEASURES])
def test_a_conclusion_takes_what_a_user_lacks_from_the_registry(measure: Measure) -> None:
    row = {"measure": measure.name, "users": 3, "users_undefined": 2}
    row |= {"users_without_rec_baseline": 0, "users_without_rec_system": 0}
    both = f"{measure.empty.lacking} in both" if measure.empty.lacking else "a value from both"
    assert [*users_texts(row)] == [f"; based on the 3 of 5 users with {both}"]


def test_a_table_function_runs_over_partitions_or_is_named_here() -> None:
    """A new one goes into partitions.py and spark/__init__.py, or above with a reason."""
    names = sorted(name.removeprefix("ranking.") for name in table_functions())
    assert sorted([*UNMERGED, *MERGED, *NOT_PARTITIONED]) == names


def test_spark_has_each_table_function_over_partitions() -> None:
    """Its module is read, not imported, and so needs neither Spark nor Java."""
    made = {
        ast.unparse(statement.targets[0]): ast.literal_eval(statement.value.args[0])  # type: ignore[attr-defined]
        for statement in ast.parse(SPARK.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.value).startswith("table_function(")
    }
    assert {*made} == {*made.values()} == {*UNMERGED, *MERGED}

"""The rule of each option, in all functions of SQL and Python and all commands: wrong values, and limits.

tests/sql and tests/transcripts have the rules of rows, of columns and of several options together.
"""

import math
from collections.abc import Iterator
from typing import Any

import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.command.options import SHORT, names_of
from ranking_udfs.kinds import TABLE
from ranking_udfs.options import FLAGS, FUNCTIONS, VERBS, Option, check
from tests.conftest import Captured, Con, literal, refusal

Wrong = list[tuple[Any, str]]  # values, and what the error says of each
NAN = math.nan
FROM_1 = "must be an integer of 1 or more"
AT_LEAST_0 = "must be a number of 0 or more"
SHARE = "must be a number from 0 to 1"
# The rule of an option that takes a number, values that break it, and values at its limits.
NUMBERS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "confidence": ("must be a number above 0 and below 1", [0, 1, NAN, "0.9", True], [1e-9, 1 - 1e-9]),
    "margin": (AT_LEAST_0, [-0.1, NAN, math.inf, "x", True], [0, 1e300]),
    "rrf_k": (AT_LEAST_0, [-1, NAN, "60"], [0]),
    "min_grade": ("must be a number > 0", [0, -1, NAN, math.inf, "x", [2]], [5e-324]),
    "head": (SHARE, [-0.1, 2, NAN, "x"], [0, 1]),
    "alpha": (SHARE, [-0.1, 1.5, NAN, "much"], [0, 1]),
    "persistence": ("must be a number above 0 and up to 1", [0, 1.5, NAN, "x"], [1e-9, 1]),
    **{name: (FROM_1, [0, 1.5, NAN, "x"], [1, 2.0]) for name in ("depth", "folds", "last")},
    "permutations": ("must be an integer from 1 to 10000000", [0, 1.5, 10**7 + 1, "x"], [1, 10**7]),
    "seed": ("must be an integer from 0 to 9223372036854775807", [-1, 1.5, 2**63, "x"], [0, 2**63 - 1]),
}
LAST_RANK = ("must be an integer from 0 to 2147483647", [-1, 1.5, 2**31], [0, 2**31 - 1])
CUTOFF: Wrong = [
    *((-1, "must be 0 or more"), (2.5, "must be an integer"), (NAN, "must be an integer")),
    *((-(2**64), "must be 0 or more"), (2**63, "must be an integer below 2^63")),
]
# Values and errors of options that are no numbers and no words.
OTHERS: dict[str, Wrong] = {
    "max_k": CUTOFF,
    "k": [*CUTOFF, ([1, 2], "must be one cutoff")],
    "ks": [
        (-1, "must be 0 or more"),
        *((value, "must be a list of integers") for value in ("2", True)),
        ([], "must be a non-empty list of cutoffs"),
    ],
    "baseline": [(3, "must be a string")],
    "steps": [(1, "must be true or false"), ("yes", "must be true or false")],
    "descending": [(1, "must be true or false")],
    "weights": [
        (2, rule := "must be numbers of 0 or more by system, such as {'bm25': 1} (in SQL, MAP {'bm25': 1})"),
        ([1, 2], rule),
    ],
    "systems": [(value, "must be a list of names, as in ['a', 'b']") for value in (3, "a", list[str]())],
    # Of Python alone.
    "by_user": [(1, "must be true or false")],
    "check": [(1, "must be true or false")],
    "unit": [(value, "must be a word such as query") for value in (3, "")],
    "also": [(3, "must be strings such as 'latency_ms' or 'tokens:lower'")],
    "allow": [(3, "must be strings such as 'no_common_id'")],
}
DIRECTIONS = "must be True or False, or a dict of these by the names of models"
# Options whose values tests/sql, tests/test_measures_argument.py and tests/test_objects.py have.
UNLIMITED = {"measures", "user", "test_from", "test_size", "gap", "lower_is_better", "con"}


def wrong_values(function: str, name: str, option: Option) -> Wrong:
    """Return wrong values of an option and their errors; NULL is one where it is not the default."""
    wrong: Wrong
    if option.kind.words:
        wrong = [(value, f"must be {'|'.join(option.kind.words)}") for value in ("x", 5)]
    elif name.endswith("_col"):
        wrong = [(5, "must be the name of a column")]
        wrong += [("", "must be the name of a column")] * (option.default is not None and function == "split")
        wrong += [("Ranking_System", "must be a column of another name (the SQL has one of this name)")]
    elif name in NUMBERS or (function, name) == ("precision_recall_curve", "max_k"):
        rule, values, _ = NUMBERS.get(name, LAST_RANK)
        wrong = [(value, rule) for value in values]
    else:
        return OTHERS[name]
    has_null = option.default is None or option.kind.has_null or name.endswith("_col")
    return wrong if has_null else [*wrong, (None, wrong[0][1])]


def options_of(function: str, options: Any) -> Iterator[tuple[str, Wrong]]:
    """Yield the options of a function that have a rule, with their wrong values."""
    for name, option in options.items():
        if name not in UNLIMITED and option.kind is not TABLE:
            yield name, wrong_values(function, name, option)


def in_sql(value: Any) -> tuple[str, str]:
    """Return a value as SQL writes it, and as an error shows it."""
    if isinstance(value, bool):
        return str(value).lower(), str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return f"'{value}'::DOUBLE", str(value)
    return literal(value), literal(value)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sql_refuses_values_that_break_a_rule(shared: Con, function: str) -> None:
    """The tables are not looked for before."""
    for name, wrong in options_of(function, FUNCTIONS[function]):
        for value, rule in wrong:
            written, shown = in_sql(value)
            error = f"ranking.{function}: {name} {rule}, got {shown}"
            assert refusal(shared, call(function, name, written)) == error


# What is no name of a table, and the error.
NO_TABLES = {
    **dict.fromkeys(
        ("(FROM rec)", "WITH x AS (FROM rec) FROM x", " select*FROM rec", "SELECT 1"),
        "the name of a table, view, CTE or file, got {}: "
        "write WITH mine AS (...) before the query, and 'mine' here",
    ),
    "_ranking_rec": "a table of another name, got {}: the SQL of this function has a CTE of that name",
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sql_refuses_queries_and_its_own_names_as_tables(shared: Con, function: str) -> None:
    for name in (name for name, option in FUNCTIONS[function].items() if option.kind is TABLE):
        for text, rule in NO_TABLES.items():
            error = f"ranking.{function}: {name} must be {rule.format(text)}"
            assert refusal(shared, call(function, name, literal(text))) == error
        assert refusal(shared, call(function, name, "1")).startswith(
            f"ranking.{function}: {name} must be the name of a table"
        )


def call(function: str, name: str, value: str) -> str:
    """Return a call of a table function with this argument, and others that it needs."""
    options = FUNCTIONS[function].items()
    given = {other: "'t'" if of.kind is TABLE else "1" for other, of in options if of.default is ...}
    arguments = ", ".join(f"{other} := {written}" for other, written in (given | {name: value}).items())
    return f"FROM ranking.{function}({arguments})"


@pytest.mark.parametrize("function", [name for name in VERBS if name != "sql"])
def test_python_refuses_values_that_break_a_rule(function: str) -> None:
    options = VERBS[function]
    needed = {name: "none.csv" for name, option in options.items() if option.default is ...}
    needed |= {"history": "none.csv"} if "history" in options else {}  # which time_col is of
    for name, wrong in options_of(function, options):
        for value, rule in wrong:
            rule = DIRECTIONS if name == "descending" else rule
            with pytest.raises(ValueError, match=r".") as raised:
                getattr(ranking_udfs, function)(**needed | {name: value})
            assert str(raised.value) == f"{function}: {name} {rule}, got {value!r}"


@pytest.mark.parametrize("command", VERBS)
def test_the_command_refuses_values_that_break_a_rule(command: str, capsys: Captured) -> None:
    """Files are not looked for before."""
    for name, option in VERBS[command].items():
        flag = FLAGS[name]
        if not (option.kind.words or name in NUMBERS) or flag not in names_of(command):
            continue
        flag = SHORT.get(flag, f"--{flag.replace('_', '-')}")
        rule, values, _ = NUMBERS.get(name, ("", [], []))
        numbers = [str(value) for value in values if isinstance(value, float) or type(value) is int]
        for text in (*numbers, "x"):
            assert main([command, "none.csv", "none.csv", flag, text]) == 2
            said = f"{rule}, got {text!r}"
            if option.kind.words:
                said = f"{text!r} is not one of {', '.join(map(repr, option.kind.words))}"
            error = f"ranking-udfs: error: Invalid value for '{flag}': {said}"
            assert capsys.readouterr().err.startswith(error)


def test_values_at_the_limits_are_taken() -> None:
    for options in (*FUNCTIONS.values(), *VERBS.values()):
        for name in options.keys() & NUMBERS.keys():
            for value in NUMBERS[name][2]:
                assert check({name: options[name]}, {name: value}) == {name: value}

"""The fuzzer: a short run of it, that it finds what is wrong, and the extreme sizes at a small scale."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import udfs
from tests.fuzz import check, mutants, sizes
from tests.fuzz.__main__ import fuzz, main
from udfs.arrow.functions import FUNCTIONS
from udfs.measures import formulas as measures
from udfs.measures.registry import MEASURES


def run(checks: list[str], cases: int, seed: int) -> int:
    return fuzz(cases, seed, only=checks)


@pytest.mark.parametrize("what", check.CHECKS)
def test_a_short_run_finds_no_difference(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    cases = {"lists": 3_000, "sql": 200, "tables": 150}.get(what, 100)
    code = run([what], cases, seed=7)
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert "no difference above 1e-12" in printed
    assert int(printed.split()[2].replace(",", "")) >= cases


def test_the_same_seed_gives_the_same_cases() -> None:
    first, again = (check.run(3, ["lists"], 5) for _ in range(2))
    assert first == again
    assert first.cases > 0
    assert check.run(4, ["lists"], 5) != first


def planted(monkeypatch: pytest.MonkeyPatch, name: str, defect: Callable[[pa.Array], pa.Array]) -> None:
    """The measure with a defect in what it returns, under its name and its aliases."""
    for alias, function in list(FUNCTIONS.items()):
        if alias in MEASURES[name].names:
            monkeypatch.setitem(FUNCTIONS, alias, replace(function, call=broken(function.call, defect)))


def broken(call: Callable[..., pa.Array], defect: Callable[[pa.Array], pa.Array]) -> Callable[..., pa.Array]:
    return lambda *arguments: defect(call(*arguments))


@pytest.mark.parametrize(
    ("name", "defect"),
    [
        ("mrr", lambda values: pc.multiply(values, 1 + 1e-11)),
        ("mrr", lambda values: values.fill_null(0.0)),
        ("spearman", lambda values: values.fill_null(0.0)),
        ("auc", lambda values: pc.if_else(pc.equal(values, 0.5), 0.0, values)),
    ],
)
def test_a_planted_defect_is_found_and_told_as_sql(
    name: str, defect: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(monkeypatch, name, defect)
    assert main(["--cases", "100000", "--seed", "1", "--only", "lists", "--processes", "1"]) == 1
    first, sql, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("python -m tests.fuzz --seed 1 --only 'lists' --batch ")
    assert sql.startswith(f'SELECT "{name}"(')
    batch = first.partition("--batch ")[2].partition(",")[0]
    assert main(["--seed", "1", "--only", "lists", "--batch", batch]) == 1
    assert sql in capsys.readouterr().out
    monkeypatch.undo()
    statement, _, comment = sql.partition(";  -- is ")
    with duckdb.connect() as con:
        ((value,),) = udfs.register(con).execute(statement).fetchall()
    assert str(value) == comment.partition(", not ")[2].partition(" ")[0]


def test_a_defect_in_a_formula_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the code itself: the ideal is as long as the list."""
    original = measures.discounted

    def cut(items: Any, *rest: Any) -> Any:
        return original(items.where(items.rank < 7), *rest)

    monkeypatch.setattr(measures, "discounted", cut)
    assert run(["lists"], 100_000, seed=2) == 1
    assert run(["sql"], 100_000, seed=2) == 1


def test_a_defect_of_the_table_functions_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original = check.by_user

    def later(*arguments: Any) -> Any:
        return {
            key: (n_rec, n_truth, replace(one, ranks=[rank + 1 for rank in one.ranks]))
            for key, (n_rec, n_truth, one) in original(*arguments).items()
        }

    monkeypatch.setattr(check, "by_user", later)
    assert run(["tables"], 100_000, seed=2) == 1
    assert "FROM ranking_by_user('rec', 'truth', [" in capsys.readouterr().out


def test_a_crash_is_a_difference(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def crash(values: pa.Array) -> pa.Array:
        raise ZeroDivisionError

    planted(monkeypatch, "ndcg", crash)
    assert run(["lists"], 100_000, seed=1) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=str)
def test_what_a_mutant_breaks_is_still_in_the_code(mutant: mutants.Mutant) -> None:
    text = (mutants.ROOT / "udfs" / f"{mutant.module}.py").read_text()
    first, last = mutants.span(text, mutant.function)
    assert mutant.old in "".join(text.splitlines(keepends=True)[first:last])


@pytest.mark.parametrize("what", sizes.SIZES)
def test_extreme_sizes_give_the_right_numbers(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sizes.main(["--scale", "50000", "--only", what]) == 0
    assert capsys.readouterr().out.startswith(f"{what}, 50,000: ")

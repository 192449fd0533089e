"""Breaks the formulas, one at a time, in a scratch copy, and runs the tests: `python -m tests.fuzz.mutants`.

Each mutant is one textual change in one function: a rank that is off by one, a wrong denominator, a cut-off
that is missing. A mutant survives if the tests that are named for it still pass. Exit code 1 if any does.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local

ROOT = Path(__file__).resolve().parent.parent.parent
MEASURE_TESTS = ("tests/test_measures.py",)
JUDGE_TESTS = ("tests/test_judge.py", "tests/test_measures.py")
OTHER_TESTS = ("tests/test_errors.py", "tests/test_properties.py")
SECONDS = 300


@dataclass(frozen=True)
class Mutant:
    """In the function of this module, `old` (its first occurrence) becomes `new`."""

    module: str
    function: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}.{self.function}: {self.old!r} -> {self.new!r}"

    def apply(self, folder: Path) -> None:
        path = folder / "udfs" / f"{self.module}.py"
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        first, last = span(text, self.function)
        body = "".join(lines[first:last])
        if self.old not in body:
            raise ValueError(f"not there: {self}")
        path.write_text("".join(lines[:first]) + body.replace(self.old, self.new, 1) + "".join(lines[last:]))

    def tests(self) -> list[list[str]]:
        """Arguments to pytest, the likeliest first: the next ones are tried if those pass."""
        if self.module not in ("measures", "lists"):
            return [list(JUDGE_TESTS), list(OTHER_TESTS)]
        name = OWNERS.get(self.function, self.function)
        return [[*MEASURE_TESTS, *(["-k", name] if name else [])], list(OTHER_TESTS)]


def span(text: str, function: str) -> tuple[int, int]:
    """The lines of a function after its docstring; `Class.method` for one in a class."""
    scope: ast.AST = ast.parse(text)
    for name in function.split("."):
        (scope,) = [one for one in ast.iter_child_nodes(scope) if getattr(one, "name", None) == name]
    assert isinstance(scope, ast.FunctionDef)
    body = [
        one for one in scope.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]
    return body[0].lineno - 1, scope.end_lineno or 0


# Whose tests are run for a function that is not a measure; "" for all.
OWNERS = {
    "ratio": "",
    "unless_empty": "",
    "gains": "dcg",
    "discounted": "dcg",
    "precision_from": "interpolated",
    "within": "",
    "mean": "novelty or intra_list",
    "cosine": "intra_list_diversity",
    "euclidean": "intra_list_diversity",
    "jaccard": "intra_list_diversity",
    "components": "intra_list_diversity",
}


def of(module: str, function: str, *changes: tuple[str, str]) -> Iterator[Mutant]:
    for old, new in changes:
        yield Mutant(module, function, old, new)


MUTANTS: list[Mutant] = [
    # --- each measure in three ways ---
    *of(
        "measures",
        "recall",
        ("rankings.k)", "rankings.top)"),
        ("np.minimum(relevant, rankings.k)", "rankings.k"),
        ("else relevant", "else rankings.top"),
        ("rankings.hits", "np.diff(rankings.judged.offsets)"),
        ("unless_empty(rankings, ratio(rankings.hits, whole))", "ratio(rankings.hits, whole)"),
    ),
    *of(
        "measures",
        "precision",
        ("rankings.top))", "rankings.k))"),
        ('rankings.k if divide == "k"', 'rankings.top if divide == "k"'),
        ("rankings.hits", "rankings.relevant"),
    ),
    *of(
        "measures",
        "f_measure",
        ("rankings.top", "rankings.k"),
        ("** 2", "** 1"),
        ("(1 + weight) * rankings.hits", "2 * rankings.hits"),
        ("weight * rankings.relevant", "rankings.relevant"),
        ("unless_empty(rankings, np.minimum(score, 1))", "np.minimum(score, 1)"),
    ),
    *of(
        "measures",
        "hit_rate",
        ("> 0", "> 1"),
        ("rankings.hits > 0", "rankings.relevant > 0"),
        ("rankings.hits", "np.diff(rankings.judged.offsets)"),
    ),
    *of(
        "measures",
        "hits",
        ("rankings.hits", "(rankings.hits - 1)"),
        ("rankings.hits", "np.diff(rankings.judged.offsets)"),
        ("rankings.hits", "rankings.relevant"),
    ),
    *of(
        "measures",
        "mrr",
        ("rankings.found.rank)", "(rankings.found.rank + 1))"),
        ("number == 1", "number == 2"),
        ("first / rankings", "1 / rankings"),
        ("rankings.found.number == 1", "rankings.seen.number[rankings.seen.grade > 0] == 1"),
    ),
    *of(
        "measures",
        "first_hit_rank",
        ("rankings.found.rank, 0)", "rankings.found.rank - 1, 0)"),
        ("number == 1", "number == 2"),
        ("np.nan", "0.0"),
        ("rankings.found.rank, 0)", "rankings.found.number, 0)"),
    ),
    *of(
        "measures",
        "average_precision",
        ("found.number / found.rank", "found.number / (found.rank + 1)"),
        ("found.number / found.rank", "1 / found.rank"),
        ('rankings.relevant if normalize == "truth" else rankings.hits', "rankings.relevant"),
        ('rankings.relevant if normalize == "truth" else rankings.hits', "rankings.hits"),
        ("np.minimum(rankings.relevant, rankings.k)", "np.minimum(rankings.relevant, rankings.top)"),
        ("rankings.k)", "rankings.k + 1)"),
    ),
    *of(
        "measures",
        "auc",
        ("found.rank - found.number", "found.rank - found.number + 1"),
        ("rankings.top - rankings.hits", "rankings.k - rankings.hits"),
        ("0.5", "0.0"),
        ("ratio(ordered, pairs)", "ratio(ordered, rankings.hits)"),
    ),
    *of(
        "measures",
        "gains",
        ("np.exp2(grades) - 1", "np.exp2(grades)"),
        ("np.exp2(grades) - 1", "grades"),
        ('gain == "linear"', "False"),
        ("> 1000", "> 10"),
    ),
    *of(
        "measures",
        "discounted",
        ("logarithms(rank + 1)", "logarithms(rank + 2)"),
        ("math.log(2)", "1"),
        ("np.maximum(logarithms(rank),", "np.maximum(logarithms(rank + 1),"),
        ("logarithms(rank), math.log(base)", "logarithms(rank), math.log(2)"),
        ("value * math.log(base)", "value * math.log(2)"),
        ("-(rank - 1)", "-rank"),
        ("(half_life - 1)", "half_life"),
    ),
    *of(
        "measures",
        "dcg",
        ("rankings.found", "rankings.best"),
        ("rankings.found", "rankings.cut(rankings.k - 1).found"),
        ("half_life)", "half_life + 1)"),
    ),
    *of(
        "measures",
        "ideal_dcg",
        ("rankings.best", "rankings.found"),
        ("rankings.best", "rankings.cut(rankings.top).best"),
        ("rankings.best", "Rankings(rankings.judged, rankings.k + 1).best"),
    ),
    *of(
        "measures",
        "ndcg",
        ("rankings.best", "rankings.cut(rankings.top).best"),
        ("rankings.best", "Rankings(rankings.judged, rankings.k + 1).best"),
        ("rankings.found", "rankings.cut(rankings.k - 1).found"),
    ),
    *of(
        "measures",
        "cumulative_gain",
        ("rankings.found.grade", "rankings.found.grade / 2"),
        ("gain))", '"linear"))'),
        ("rankings.found.grade", "np.minimum(rankings.found.grade, 1)"),
    ),
    *of(
        "measures",
        "err",
        ("/ found.rank", "/ (found.rank + 1)"),
        ("1 - satisfied", "satisfied"),
        ("- np.exp2(-max_grade)", ""),
        ("satisfied * reached", "satisfied"),
        ("within(rankings.judged.ideal, max_grade)", "pass"),
    ),
    *of(
        "measures",
        "within",
        ("> max_grade", ">= max_grade"),
    ),
    *of(
        "measures",
        "rbp",
        ("found.rank - 1.0", "found.rank - 0.0"),
        ("(1 - persistence)", "1"),
        ("/ max_grade", "/ 4"),
        ("within(rankings.judged.ideal, max_grade)", "pass"),
    ),
    *of(
        "measures",
        "half_life_utility",
        ("items.rank - 1", "items.rank // 2"),
        ("half_life - 1", "half_life"),
        ("items.grade - neutral", "items.grade"),
        ("utility(rankings.best)", "utility(rankings.cut(rankings.top).best)"),
    ),
    *of(
        "measures",
        "r_precision",
        ("rankings.cut(rankings.relevant)", "rankings"),
        ("rankings.cut(rankings.relevant)", "rankings.cut(rankings.relevant + 1)"),
        (", rankings.relevant))", ", rankings.top))"),
    ),
    *of(
        "measures",
        "bpref",
        ("np.minimum(nonrelevant, relevant)", "nonrelevant"),
        ("np.minimum(ragged", "np.maximum(ragged"),
        ("- relevant\n", "\n"),
        ("row, rankings.n), relevant)", "row, rankings.n), rankings.hits)"),
        ("relevant[row])", "relevant[row] + 1)"),
    ),
    *of(
        "measures",
        "precision_from",
        (">= level", "> level"),
        ("rankings.relevant[found.row] >=", "rankings.hits[found.row] >="),
        ("(found.number / found.rank)", "(found.number / (found.rank + 1))"),
    ),
    *of(
        "measures",
        "interpolated_precision",
        ("recall)", "0.0)"),
        ("recall)", "1 - recall)"),
        ("precision_from(rankings, recall)", "precision_from(rankings.cut(rankings.k - 1), recall)"),
    ),
    *of(
        "measures",
        "interpolated_average_precision",
        ("/ 11", "/ 10"),
        ("level / 10", "level / 11"),
        ("range(11)", "range(1, 11)"),
    ),
    *of(
        "measures",
        "spearman",
        ("np.sqrt(products(place, place)) * np.sqrt(products(grade, grade))", "products(place, place)"),
        ("-products(place, grade)", "products(place, grade)"),
        ("np.nan", "0.0"),
        ("(size + 1) / 2", "size / 2"),
    ),
    *of(
        "measures",
        "kendall_tau",
        ("size * (size - 1) / 2", "size * size / 2"),
        ("different - 1, 2 * different", "different, 2 * different"),
        ("right - wrong", "right"),
        ("np.sqrt(right + wrong)", "np.sqrt(size * (size - 1) / 2)"),
        ("np.nan", "0.0"),
    ),
    *of(
        "measures",
        "concordant_pairs",
        ("ratio(right, right + wrong)", "ratio(right - wrong, right + wrong)"),
        ("ratio(right, right + wrong)", "ratio(wrong, right + wrong)"),
        ("np.nan", "0.5"),
    ),
    # --- what they share ---
    *of("measures", "ratio", ("np.zeros(len(part))", "np.ones(len(part))"), ("whole > 0", "whole > 1")),
    *of(
        "measures",
        "unless_empty",
        ("rankings.top == 0", "rankings.top > 0"),
        ("rankings.top == 0", "1.0"),
        ("rankings.relevant > 0", "rankings.hits >= 0"),
    ),
    *of(
        "rankings",
        "Rankings.__init__",
        ("np.minimum(self.k, judged.size)", "self.k"),
        ("np.minimum(self.k, judged.size)", "judged.size"),
    ),
    *of(
        "rankings",
        "Rankings.seen",
        ("<= self.k", "< self.k"),
        ("hits.where(hits.rank <= self.k[hits.row])", "hits"),
    ),
    *of("rankings", "Rankings.found", ("> 0", ">= 0"), ("> 0", "> 1")),
    *of(
        "rankings",
        "Rankings.best",
        ("place + 1", "place"),
        ("np.minimum(self.relevant, self.k)", "np.minimum(self.relevant, self.top)"),
        ("np.minimum(self.relevant, self.k)", "self.relevant"),
    ),
    *of(
        "rankings",
        "Rankings.relevant",
        ("judged.ideal.min(initial=1.0) > 0", "True"),
        ("ideal.min(initial=1.0) > 0", "ideal.min(initial=1.0) >= 0"),
        ("judged.ideal > 0]", "judged.ideal >= 0]"),
    ),
    *of("rankings", "Hits.number", ("+ 1", "+ 0")),
    *of("ragged", "positions", ("offsets[:-1]", "offsets[1:] * 0")),
    *of("ragged", "total", ("weights=values", "weights=None")),
    *of("ragged", "maximum", ("np.maximum.at", "np.add.at")),
    *of("ragged", "count_before", ("running[:-1]", "running[1:]")),
    *of(
        "ragged",
        "product_before",
        ("position[1:] > 0", "position[1:] >= 0"),
        ("step <= longest", "step <= longest // 2"),
        ("position >= step", "position > step + 1"),
    ),
    *of("ragged", "average_ranks", ("+ 1) / 2", "+ 1)"), ("first +", "first - 0.5 +")),
    *of("ragged", "distinct", ("| (rows[1:] != rows[:-1])", "")),
    *of(
        "ragged",
        "ordered_pairs",
        ("reversed(range(", "(range("),
        ("np.where(ones, zeros_before, 0)", "zeros_before"),
    ),
    *of(
        "judge",
        "judged",
        ("- rec_offsets[hit_rows] + 1", "- rec_offsets[hit_rows]"),
        ("-grades", "grades"),
        ("if len(first) < len(places):", "if False:"),
        ("first.sort()", "pass"),
        ("rec_codes == UNKNOWN", "False"),
        ("truth.null_count", "False"),
        ("if not (truth_keys[1:] > truth_keys[:-1]).all():", "if False:"),
        ("> truth_keys[:-1]", ">= truth_keys[:-1]"),
        ("rec.null_count == len(rec) or", ""),
        ("or not len(truth)", ""),
    ),
    *of(
        "judge",
        "judged_pairs",
        ("- rec_offsets[hit_rows] + 1", "- rec_offsets[hit_rows]"),
        ("-values", "values"),
        ("keep &= first", "pass"),
        ("np.maximum(in_truth, np.bincount(group) - in_truth)", "in_truth"),
        ("np.maximum(in_truth, np.bincount(group) - in_truth)", "np.bincount(group)"),
        ("> 0  # without truth", ">= 0  # without truth"),
    ),
    # The rest of `candidates` and `slots` changes no result: a candidate too many is searched in vain.
    *of("judge", "candidates", ("table[marked] = True", "pass")),
    *of("judge", "grade_values", ("~np.isfinite(grades)", "np.isinf(grades)")),
    *of("judge", "judge_lists", ("is_graded = len(truth_items) and", "is_graded =")),
    *of(
        "matching",
        "comparable",
        ("kinds[0] != kinds[1]", "False"),
        ("pa.uint64() not in (rec.type, truth.type)", "True"),
    ),
    *of(
        "matching",
        "distances",
        ("high - low + 1", "high - low"),
        ("bound * rows >= 1 << 62", "bound >= 1 << 62"),
        ("(rec_values >= low) &", ""),
        ("& (rec_values <= high)", ""),
        ("known &= rec.is_valid().to_numpy(zero_copy_only=False)", "pass"),
    ),
    *of("matching", "fingerprints", ("array.offset : array.offset + len(array)", "0 : len(array)")),
    *of(
        "matching",
        "last_bytes",
        ("array.offset : array.offset + len(array) + 1", "0 : len(array) + 1"),
        ("words[ends[1:] - start]", "words[ends[1:]]"),
        ("np.maximum(8 - np.diff(ends), 0)", "np.zeros(len(ends) - 1, np.int64)"),
        ("8 * missing[short]", "7 * missing[short]"),
    ),
    *of("matching", "item_codes", ("fill_null(UNKNOWN)", "fill_null(0)")),
    *of("matching", "dictionary_codes", ("fill_null(UNKNOWN)", "fill_null(0)")),
    *of(
        "matching",
        "plain",
        ("+ 0.0", ""),
        ("values[np.isnan(values)] = np.nan", "pass"),
        ("return array.dictionary_decode()", "return array"),
    ),
    *of(
        "matching",
        "wide_integers",
        ("values.astype(np.int64) >> 63", "0"),
        ("0 if kind == pa.uint64() else", ""),
        ("2 * array.offset :", ":"),
    ),
    *of("matching", "texts", ('"NULL" for text', "text for text"), ("repr(value)", "str(value)")),
    *of(
        "arrays",
        "items",
        ("lengths.fill_null(0)", "lengths.fill_null(1)"),
        ("np.diff(array.offsets.to_numpy())), 0)", "np.diff(array.offsets.to_numpy())), 1)"),
        ("(array.offset + np.arange(len(array)))", "np.arange(len(array))"),
        ("np.array_equal(held - held[:1], offsets[:-1][sizes > 0])", "True"),
        ("held[0] if len(held) else 0", "0"),
        ("np.repeat(starts - offsets[:-1], sizes)", "0"),
    ),
    *of("arrays", "floats", ("value and float", "float")),
    *of("arrays", "wide_integer", ("signed=True", "signed=False")),
    *of("arrays", "struct_of", ("np.logical_and", "np.logical_or")),
    *of(
        "arguments",
        "cut_offs",
        ("np.where(k < 0, size, k) if array.null_count else k", "k"),
        ("lowest < 0", "lowest < -1"),
        ("max(min(value, longest), -1)", "min(value, longest)"),
        ("min(value, longest)", "value"),
        ("pc.min_element_wise(array.cast(wide), pa.scalar(longest, wide), skip_nulls=False)", "array"),
    ),
    *of("arguments", "options", ('replace(",", " ")', 'replace(",", "")'), ("or not equals", "")),
    *of("registry", "Number.parse", ("and math.isfinite(value)", ""), ("< self.below", "<= self.below")),
    *of("registry", "Number.parse", ("self.above <", "self.above <="), ("<= self.at_most", "< self.at_most")),
    *of("registry", "Number.parse", ("self.at_least <=", "self.at_least <")),
    *of(
        "functions",
        "by_options",
        (".fill_null(False)", ".fill_null(True)"),
        ("chosen.is_null() if text is None else", ""),
        ("mask=np.isnan(values)", "mask=None"),
    ),
    *of("functions", "Batch.holds", ("len(arguments) == len(self.arguments) and", "")),
    *of("functions", "Batch.holds", ("all(map(pa.Array.equals, self.arguments, arguments))", "True")),
    *of("functions", "Batch.rankings", ("cut.min() == cut.max()", "True"), ("int(cut[0])", "0")),
    *of("functions", "evaluated", ("np.where(valid, values, np.nan)", "values")),
    *of(
        "functions",
        "ranking_values",
        ("judged.filter(pa.array(rows)) if len(texts) > 1 else judged", "judged"),
        ("np.arange(values.shape[1]) < count[:, None]", "np.isfinite(values)"),
        ("count[rows] = len(cuts)", "count[:] = len(cuts)"),
        ("pa.array(flat, mask=np.isnan(flat))", "pa.array(flat)"),
    ),
    *of(
        "functions",
        "request",
        ('else ["all"]', 'else ["0"]'),
        ('None if k == "all" else', '0 if k == "all" else'),
    ),
    *of(
        "rankings",
        "Judged.from_arrow",
        ("not np.array_equal(offsets, grade_offsets)", "False"),
        (".fill_null(0)", ".fill_null(1)"),
        ("valid=array.is_valid()", "valid=array.field(0).is_valid()"),
    ),
    *of("rankings", "Judged.to_arrow", ("mask=pa.array(~self.valid)", "mask=None")),
    *of("rankings", "Rankings.cut", ("np.minimum(self.k, k)", "k")),
    *of("judge", "first_of_equals", ("np.ones", "np.zeros")),
    *of("lists", "mean", ("np.nan", "0.0"), ("counts > 0", "counts > 1")),
    *of("lists", "cosine", ("- itself", ""), ("size * (size - 1) / 2 - alike", "size - alike")),
    *of("lists", "euclidean", ("np.sqrt", ""), ("int(np.diff", "-1 + int(np.diff")),
    *of("lists", "jaccard", ("- empty * (empty - 1) / 2", ""), ("+ sizes[other] - both", "+ sizes[other]")),
    *of(
        "lists",
        "novelty",
        ("np.log2(judged.grades)", "np.log(judged.grades)"),
        ("information += lacking", "information -= lacking"),
    ),
]


class Copies(local):
    """A scratch copy of the project for each thread."""

    folder: Path | None = None


COPIES, NUMBER = Copies(), count()


def survives(mutant: Mutant, scratch: Path) -> bool:
    """Whether its tests pass all the same."""
    if COPIES.folder is None:
        COPIES.folder = scratch / str(next(NUMBER))
        for name in ("udfs", "sql", "tests"):
            shutil.copytree(ROOT / name, COPIES.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", COPIES.folder)
    path = COPIES.folder / "udfs" / f"{mutant.module}.py"
    original = path.read_text()
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    environment = {**os.environ, "PYTHONPATH": str(COPIES.folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        mutant.apply(COPIES.folder)
        for tests in mutant.tests():
            done = subprocess.run(
                [*command, *tests],
                cwd=COPIES.folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            if done.returncode not in (0, 1):
                raise RuntimeError(f"{mutant}: {done.stdout}{done.stderr}")
            if done.returncode:
                return False
    except subprocess.TimeoutExpired:
        return False
    finally:
        path.write_text(original)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mutants")
    parser.add_argument("--only", default="", help="mutants with this text in them")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args(arguments)
    mutants = [mutant for mutant in MUTANTS if chosen.only in str(mutant)]
    survivors = 0
    with TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.processes) as pool:
        for mutant, alive in zip(
            mutants, pool.map(lambda one: survives(one, Path(folder)), mutants), strict=True
        ):
            survivors += alive
            print(f"{'SURVIVED' if alive else 'caught  '} {mutant}", flush=True)
    print(f"{len(mutants)} mutants, {survivors} survived")
    return bool(survivors)


if __name__ == "__main__":
    sys.exit(main())

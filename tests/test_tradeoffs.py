"""Test the comparison of columns such as latency, and dominated models."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.evaluation.tradeoffs import dominated_sentences, find_dominated
from tests.command import Fails, Run, csv
from tests.conftest import Captured
from tests.pages import sections, tables_in, text_of

USERS = 30
MODELS = ("bm25", "vector", "hybrid")
CALL = [*(f"{name}={name}.jsonl" for name in MODELS), "truth.csv", "-k", "2", "--no-check"]
COMPARED = ["compare", *CALL, "--baseline", "bm25", "-m", "ndcg"]


def latencies(name: str) -> np.ndarray:
    """Draw the latency of each query; hybrid is the slowest, and vector as slow as bm25."""
    draw = np.random.default_rng(len(name))
    return np.round(draw.gamma(9, {"bm25": 2, "vector": 2, "hybrid": 9}[name], USERS), 3)


@pytest.fixture
def logs(folder: Path) -> None:
    """Write logs with a list for each query.

    Only hybrid finds what is relevant; all use as many tokens; the last query of vector has no latency.
    """
    for name in MODELS:
        ids = ["good", "bad"] if name == "hybrid" else ["bad", "other"]
        shared = {"results": [{"doc_id": item, "score": 9 - i} for i, item in enumerate(ids)]}
        values = [*latencies(name)[:-1], None if name == "vector" else latencies(name)[-1]]
        rows = (
            {"query_id": f"q{i}", "latency_ms": latency, "trace": {"tokens": 7 + i % 3}, **shared}
            for i, latency in enumerate(values)
        )
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    csv("truth.csv", "query_id,doc_id", *(f"q{i},{'good' if i % 5 else 'none'}" for i in range(USERS)))


def compared(run: Run, *more: str) -> dict[tuple[str, str], dict[str, Any]]:
    rows = json.loads(run(*COMPARED, *more, "--format", "json"))
    return {(row["measure"], row["system"]): row for row in rows}


@pytest.mark.usefixtures("logs")
def test_extra_column_is_compared_without_the_margin(run: Run) -> None:
    """The margin is that of the measures. test_options.py has the values of a column."""
    found = compared(run, "--also", "latency_ms,trace.tokens:higher", "--margin", "5")
    assert {name for name, _ in found} == {"ndcg", "latency_ms", "trace.tokens"}
    slower = [found["latency_ms", name] for name in MODELS[1:]]
    for row, users in zip(slower, (USERS - 1, USERS), strict=True):
        own, base = latencies(row["system"])[:users], latencies("bm25")[:users]
        assert (row["k"], row["users"], row["users_undefined"]) == (None, users, USERS - users)
        assert (row["wins"], row["losses"]) == (sum(own < base), sum(own > base))
        assert (row["low"], row["high"]) == pytest.approx(stats.ttest_rel(own, base).confidence_interval())
        caveats = "users_undefined" if users < USERS else None
        assert (row["higher_is_better"], row["caveats"], row["p_same"]) == (False, caveats, None)
    assert [row["verdict"] for row in slower] == ["unclear", "worse"]
    assert found["ndcg", "vector"]["p_same"] == 2.0**-USERS  # 0 of all, but for the bound of the signs
    turned = compared(run, "--also", "latency_ms:higher")["latency_ms", "hybrid"]
    assert (turned["verdict"], turned["higher_is_better"], turned["caveats"]) == ("better", True, None)


@pytest.mark.parametrize("form", ["jsonl", "parquet", "database", "rows", "pandas"])
def test_empty_list_keeps_its_values(folder: Path, form: str) -> None:
    """Compare logs whose timeouts have an empty list; the log of `a` has a row per item."""
    rec: dict[str, Any] = {"a": [{"q": i, "itemid": 1, "score": 1.0, "latency_ms": 30} for i in range(1, 5)]}
    name, one = ("itemid", [1]) if form in ("rows", "parquet") else ("results", [{"itemid": 1, "score": 2.0}])
    rows = [{"q": i, name: one if i < 4 else [], "latency_ms": 20 if i < 4 else 5000} for i in range(1, 5)]
    logged = pd.DataFrame(rows)
    options: Any = {"user_col": "q", "also": "latency_ms", "check": False}
    if form == "database":
        options |= {"con": duckdb.connect()}
        options["con"].execute("CREATE TABLE b AS FROM logged")
    rec["b"] = {"rows": rows, "pandas": logged, "database": "b"}.get(form, f"b.{form}")
    if form == "jsonl":
        logged.to_json("b.jsonl", orient="records", lines=True)
    elif form == "parquet":
        logged.to_parquet("b.parquet")
    found = ranking_udfs.compare(rec, {i: {1} for i in range(1, 5)}, "mrr@1", **options)
    columns = "users, users_undefined, mean_system, users_without_rec_system"
    shown = {row[0]: row[1:] for row in found.select(f"measure, {columns}").fetchall()}
    assert shown == {"mrr": (4, 0, 0.75, 1), "latency_ms": (4, 0, 1265.0, 1)}


@pytest.mark.usefixtures("logs")
def test_gate_fails_for_column_in_one_family(run: Run, capsys: Captured) -> None:
    """Expect the same p, verdict and users_needed of a column with a margin and without."""
    shown, slow = [], "measure = 'latency_ms' AND mean_system > 60"
    for margin in (["--margin", "0.5"], []):
        call = [*COMPARED, "--also", "latency_ms", "--fail-if", f"worse, {slow}", "--format", "json", *margin]
        assert main(call) == 3
        out, err = capsys.readouterr()
        assert "failed: worse: hybrid in latency_ms (1 of 4 comparisons)" in err
        assert f"failed: {slow}: hybrid in latency_ms\n" in err
        rows = [row for row in json.loads(out) if row["measure"] == "latency_ms"]
        assert {row["method"] for row in rows} == {"t, holm of 4"}
        shown.append([(row["p_adjusted"], row["verdict"], row["users_needed"]) for row in rows])
    assert shown[0] == shown[1]


@pytest.mark.slow
@pytest.mark.usefixtures("logs")
def test_command_and_report_name_dominated_models(run: Run) -> None:
    """Let hybrid dominate bm25 and vector, which are equal, unless latency counts."""
    both = "bm25 is dominated by hybrid. vector is dominated by hybrid."
    neither = "No model is dominated by another."
    of_baseline = "No model dominates bm25 or is dominated by it."
    one = "bm25 is dominated by hybrid."  # vector is not compared with hybrid if bm25 is the baseline
    expected = {"latency_ms": (neither, of_baseline), "trace.tokens:lower": (both, one)}
    for also, (of_pairs, with_baseline) in expected.items():
        run("report", *CALL, "-m", "ndcg,recall", "--also", also, "--output", "page.html", "--quiet")
        found = sections(Path("page.html").read_text())
        shown = {text_of(found["The answer"]): of_pairs}
        shown[run(*COMPARED, "--also", also, "--pairs")] = of_pairs
        for form in ([], ["--format", "markdown"]):
            shown[run(*COMPARED, "--also", also, *form)] = with_baseline
        for text, answer in shown.items():
            sentences = re.findall(r"[\w ]+? (?:is|are) dominated by \w+\.", text)
            assert " ".join(sentence.strip() for sentence in sentences) == answer
            assert "A model dominates another if it is significantly better in at least" in text
    means, *_ = tables_in(found["Means"])
    assert [row["Measure"] for row in means] == ["NDCG@2", "Recall@2", "trace.tokens"]
    assert means[-1]["bm25"] == "8.00 ± 0.31 a"
    verdicts = tables_in(found["The answer"])[0]
    assert [row["trace.tokens"] for row in verdicts] == ["? unclear", "? unclear"]
    assert "trace.tokens (lower is better)" in text_of(found["Method and provenance"])
    assert "k" not in tables_in(found["Differences from bm25"])[-1][0]


def test_dominated_models_match_definition() -> None:
    draw, sizes = np.random.default_rng(5), set()
    kinds, turned = ["better", "worse", "same", "unclear", "equal"], {"better": "worse", "worse": "better"}
    for _ in range(300):
        rows, verdicts = [], defaultdict(list)  # of each model against each other, over the measures
        for system, baseline in [("b", "a"), ("c", "a"), ("c", "b")] * draw.integers(1, 4):
            verdict = str(draw.choice(kinds, p=[0.4, *[0.15] * 4]))
            verdicts[system, baseline].append(verdict)
            verdicts[baseline, system].append(turned.get(verdict, verdict))
            is_equal = verdict == "equal"
            rows.append({"system": system, "baseline": baseline, "users": 4, "ties": 4 * is_equal})
            rows[-1]["verdict"] = "unclear" if is_equal else verdict
        expected: dict[str, set[str]] = defaultdict(set)
        for (better, other), against in verdicts.items():
            if "better" in against and {*against} <= {"better", "same", "equal"}:
                expected[other].add(better)
        assert {name: {*others} for name, others in find_dominated(rows).items()} == expected
        sizes.add(len(expected))
    assert sizes == {0, 1, 2, 3}
    nobody: dict[str, Any] = {"system": "b", "baseline": "a", "users": 0, "ties": 0, "verdict": "unclear"}
    nobody |= {"higher_is_better": True}
    assert find_dominated([{**nobody, "verdict": "better"}, nobody]) == {}
    assert dominated_sentences([nobody])[0] == "No model is dominated by another."
    lower = {**nobody, "verdict": "lower", "higher_is_better": None}
    with_baseline = [nobody, {**nobody, "system": "c"}, lower]
    assert dominated_sentences(with_baseline)[0] == "No model dominates a or is dominated by it."


# fmt: off
WRONG_FILES = [
    ("1,1,2,2\n1,2,1,2.5\n",
     "also: cost must have one value for each user and model, got 2.0 and 2.5 for user 1 of b"),
    ("1,1,2,nan\n", "every value of a measure must be a finite number, got NaN or infinity"),
    ("1,1,2,fast\n", "b.csv: cost must be a number, got fast"),
    ("", "b.csv: no column 'cost' (there are: userid, itemid, score)"),
]
# fmt: on


def test_column_has_one_finite_number_per_query(run: Run, fails: Fails) -> None:
    header = "userid,itemid,score,cost"
    csv("truth.csv", "userid,itemid", "1,1", "2,2", "3,3", "4,4")
    csv("a.csv", header, "1,1,2,1.5", "1,2,1,", "2,2,1,3", "3,1,1,")
    csv("b.csv", header, "1,1,2,2", "1,2,1,2", "2,2,1,4", "3,3,1,9", "4,4,1,9")
    call = ["compare", "a=a.csv", "b=b.csv", "truth.csv", "-m", "mrr", "--no-check", "--also"]
    row = json.loads(run(*call, "cost", "--format", "json"))[1]
    assert (row["users"], row["users_undefined"], row["users_without_rec_baseline"]) == (2, 2, 1)
    assert (row["mean_baseline"], row["mean_system"], row["difference"]) == (2.25, 3, 0.75)
    for content, rule in WRONG_FILES:
        Path("b.csv").write_text(f"{header}\n{content}" if content else "userid,itemid,score\n1,1,2\n")
        assert fails(1, *call, "cost").endswith(rule)
    keyed = fails(1, *call, "itemid:lower")
    assert keyed == "a.csv: --also must be columns of numbers other than the keys, got itemid"
    Path("b.run").write_text("1 Q0 1 1 2 tag\n")
    rule = "a TREC run has none: write a file with them, as in FILE:cost, got cost"
    assert (
        fails(1, call[0], call[1], "b=b.run", *call[3:], "cost") == f"b.run: --also needs columns, and {rule}"
    )


def test_columns_of_a_file_are_those_of_a_log(run: Run, folder: Path) -> None:
    """Compare runs of TREC by a file of values, and logs by the values in them."""
    csv("truth.qrels", "1 0 1 1", "2 0 1 1", "3 0 3 1")
    values = [("a", 1, 2), ("a", 2, 3), ("a", 3, 5.5), ("b", 1, 4), ("b", 2, 4), ("b", 3, 4)]
    csv("cost.csv", "system,userid,cost,n", *(f"{name},{user},{cost},{user}" for name, user, cost in values))
    for name in "ab":
        csv(f"{name}.run", *(f"{user} Q0 1 1 2 {name}" for user in (1, 2, 3)))
        of = [f"{user},1,2,{cost},{user}" for system, user, cost in values if system == name]
        csv(f"{name}.csv", "userid,itemid,score,cost,n", *of)
    more = ["truth.qrels", "-m", "mrr", "--no-check", "--format", "json", "--also"]
    of_file = run("compare", "a=a.run", "b=b.run", *more, "cost.csv:cost,cost.csv:n:higher")
    assert of_file == run("compare", "a=a.csv", "b=b.csv", *more, "cost,n:higher")
    assert [row["mean_baseline"] for row in json.loads(of_file)[1:]] == [3.5, 2]
    recs = {name: f"{name}.csv" for name in "ab"}
    found = ranking_udfs.compare(recs, "truth.qrels", "mrr", also="cost.csv:cost", check=False)
    assert found.project("mean_baseline").fetchall()[1:] == [(3.5,)]


@pytest.mark.parametrize(
    ("also", "rule"),
    [
        ("tokens", "say whether lower or higher is better, as in tokens:lower, got 'tokens'"),
        ("cost,", "be the names of columns, got ''"),
        ("recall:lower", "be columns that no measure or key is called, got 'recall'"),
        ("k:lower", "be columns that no measure or key is called, got 'k'"),
        ("cost,COST:higher", "name each column once, got cost, cost"),
        (3, "be strings such as 'latency_ms' or 'tokens:lower', got 3"),
    ],
)
def test_wrong_also_is_an_error(fails: Fails, also: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=f"^compare: also must {re.escape(rule)}$"):
        ranking_udfs.compare({"a": "rec.csv", "b": "rec.csv"}, "truth.csv", also=also)
    if isinstance(also, str):
        error = fails(2, "compare", "a=rec.csv", "b=rec.csv", "truth.csv", "--also", also)
        assert f"must {rule}" in error
    with pytest.raises(TypeError, match="unexpected keyword argument 'also'"):
        ranking_udfs.evaluate("rec.csv", "truth.csv", also=also)  # type: ignore[call-arg]


def test_also_is_refused_with_predictions(fails: Fails) -> None:
    rule = "compare: --also must be left out with --predicted-truth, got cost"
    more = ["truth.csv", "--also", "cost", "--predicted-truth", "truth.csv"]
    assert fails(2, "compare", "a=rec.csv", "b=rec.csv", *more) == rule

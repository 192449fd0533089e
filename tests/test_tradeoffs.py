"""Columns such as latency beside the measures, and which models are dominated."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from scipy import stats
from statsmodels.stats import multitest

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
    """The latency of each query: hybrid is the slowest; vector, as slow as bm25, has none of the last."""
    draw = np.random.default_rng(len(name))
    return np.round(draw.gamma(9, {"bm25": 2, "vector": 2, "hybrid": 9}[name], USERS), 3)


@pytest.fixture
def logs(folder: Path) -> None:
    """A log with a list for each query: only hybrid finds what is relevant; all use as many tokens."""
    for name in MODELS:
        ids = ["good", "bad"] if name == "hybrid" else ["bad", "other"]
        results = [{"doc_id": one, "score": 9 - i} for i, one in enumerate(ids)]
        rows = [
            {"query_id": f"q{i}", "latency_ms": None if (name, i) == ("vector", USERS - 1) else latency}
            | {"trace": {"tokens": 7 + i % 3}, "results": results}
            for i, latency in enumerate(latencies(name))
        ]
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    truth = (f"q{i},{'good' if i % 5 else 'none'}\n" for i in range(USERS))
    Path("truth.csv").write_text("query_id,doc_id\n" + "".join(truth))


def compared(run: Run, *more: str) -> dict[tuple[str, str], dict[str, Any]]:
    rows = json.loads(run(*COMPARED, *more, "--format", "json"))
    return {(row["measure"], row["system"]): row for row in rows}


@pytest.mark.usefixtures("logs")
def test_a_column_is_compared_as_scipy_does_with_the_direction_that_its_name_or_the_user_says(
    run: Run,
) -> None:
    found = compared(run, "--also", "latency_ms,trace.tokens:higher", "--margin", "5")
    assert {name for name, _ in found} == {"ndcg", "latency_ms", "trace.tokens"}
    base = latencies("bm25")
    ps = []
    for name, users in (("vector", USERS - 1), ("hybrid", USERS)):
        row, own = found["latency_ms", name], latencies(name)[:users]
        assert (row["k"], row["users"], row["users_undefined"]) == (None, users, USERS - users)
        assert (row["wins"], row["losses"]) == (sum(own < base[:users]), sum(own > base[:users]))
        test = stats.ttest_rel(own, base[:users])
        ends = test.confidence_interval()
        assert [row[one] for one in ("mean_system", "mean_baseline", "difference", "low", "high", "p")] == (
            pytest.approx([*map(np.mean, (own, base[:users], own - base[:users])), *ends, test.pvalue])
        )
        ps.append(test.pvalue)
        assert (row["higher_is_better"], row["caveats"]) == (False, None)
        assert row["p_same"] is None  # the margin is that of the measures
    holm = multitest.multipletests(ps, method="holm")[1]
    assert [found["latency_ms", name]["p_adjusted"] for name in MODELS[1:]] == pytest.approx([*holm])
    assert found["ndcg", "vector"]["p_same"] == 0  # 0 of all
    verdicts = {name: found["latency_ms", name]["verdict"] for name in MODELS[1:]}
    assert verdicts == {"vector": "unclear", "hybrid": "worse"}
    tokens = found["trace.tokens", "hybrid"]
    assert (tokens["higher_is_better"], tokens["ties"], tokens["mean_system"]) == (True, USERS, 8)

    turned = compared(run, "--also", "latency_ms:higher")["latency_ms", "hybrid"]
    assert (turned["verdict"], turned["higher_is_better"], turned["caveats"]) == ("better", True, None)


@pytest.mark.usefixtures("logs")
def test_files_frames_tables_and_printed_sql_have_the_same_numbers(run: Run) -> None:
    expected = compared(run, "--also", "latency_ms")
    frames = {name: pd.read_json(f"{name}.jsonl", lines=True) for name in MODELS}
    given: Any = {"baseline": "bm25", "also": ["latency_ms"], "check": False}
    of_frames = ranking_udfs.compare(frames, "truth.csv", "ndcg", 2, **given).df()
    with duckdb.connect() as con:
        union = " UNION ALL ".join(f"SELECT *, '{name}' AS system FROM '{name}.jsonl'" for name in MODELS)
        con.execute(f"CREATE TABLE log AS {union}")
        of_table = ranking_udfs.compare("log", "truth.csv", "ndcg", 2, con=con, **given).df()
    run(*COMPARED, "--also", "latency_ms", "--format", "sql", "--output", "printed.sql")
    printed = []
    with duckdb.connect() as con:  # without the pack
        for statement in con.extract_statements(Path("printed.sql").read_text()):
            con.execute(statement)
            if [name for name, *_ in con.description or ()][-1:] == ["verdict"]:
                printed.append(con.execute(statement).df())
    for rows in (of_frames, of_table, pd.concat(printed)):
        assert len(rows) == len(expected)
        for row in rows.to_dict("records"):
            before = expected[row["measure"], row["system"]]
            for one in ("users", "difference", "p_adjusted"):
                assert row[one] == pytest.approx(before[one], rel=1e-12)
            assert row["verdict"] == before["verdict"]


@pytest.mark.usefixtures("logs")
def test_segments_and_the_values_of_users_have_the_column(run: Run) -> None:
    csv("kinds.csv", "userid,kind", *(f"q{i},{'ab'[i % 2]}" for i in range(USERS)))
    call = [*COMPARED, "--also", "latency_ms", "--segment", "kinds.csv:kind", "--quiet"]
    rows = json.loads(run(*call, "--by-user", "users.csv", "--format", "json"))
    rows = [row for row in rows if row["measure"] == "latency_ms"]
    own, base = latencies("hybrid"), latencies("bm25")
    for start, segment in enumerate("ab"):
        test = stats.ttest_rel(own[start::2], base[start::2])
        (row,) = (one for one in rows if (one["segment"], one["system"]) == (segment, "hybrid"))
        assert [row["users"], row["p"]] == pytest.approx([USERS / 2, test.pvalue])
    found = pd.read_csv("users.csv").query("measure == 'latency_ms' and system == 'hybrid'")
    found = found.set_index("userid").loc[[f"q{i}" for i in range(USERS)]]
    assert found["k"].isna().all()
    assert [*found["difference"]] == pytest.approx([*(own - base)])
    everybody = ["--users", "all.csv", "--without-relevant", "zero"]
    Path("truth.csv").write_text("query_id,doc_id\nq1,good\n")
    csv("all.csv", "query_id", *(f"q{i}" for i in range(USERS)))
    assert compared(run, "--also", "latency_ms")["latency_ms", "hybrid"]["users"] == 1
    assert compared(run, "--also", "latency_ms", *everybody)["latency_ms", "hybrid"]["users"] == USERS


@pytest.mark.usefixtures("logs")
def test_a_gate_stops_at_a_column_and_its_p_is_of_one_family(run: Run, capsys: Captured) -> None:
    """The margin changes nothing of a column: p, verdict and users_needed are those without it."""
    shown: list[list[Any]] = []
    slow = "measure = 'latency_ms' AND mean_system > 60"
    for margin in (["--margin", "0.5"], []):
        call = [*COMPARED, "--also", "latency_ms", "--fail-if", f"worse, {slow}", "--format", "json", *margin]
        assert main(call) == 3
        out, err = capsys.readouterr()
        assert "failed: worse: hybrid in latency_ms (1 of 4 comparisons)" in err
        assert f"failed: {slow}: hybrid in latency_ms\n" in err
        rows = [row for row in json.loads(out) if row["measure"] == "latency_ms"]
        shown.append([[row[one] for one in ("p_adjusted", "verdict", "users_needed")] for row in rows])
        assert {row["method"] for row in rows} == {"t, holm of 4"}
    assert shown[0] == shown[1]


@pytest.mark.usefixtures("logs")
def test_the_command_and_the_report_say_which_models_are_dominated(run: Run) -> None:
    """Without latency bm25 and vector, equal in all, lose against hybrid; with it they do not."""
    both = ["bm25 is dominated by hybrid.", "vector is dominated by hybrid."]
    neither = ["No model is dominated by another."]
    for also, said in (("latency_ms", neither), ("trace.tokens:lower", both)):
        run("report", *CALL, "-m", "ndcg,recall", "--also", also, "--output", "page.html", "--quiet")
        found = sections(Path("page.html").read_text())
        texts = [
            run(*COMPARED, "--also", also, *form) for form in ([], ["--pairs"], ["--format", "markdown"])
        ]
        for text in (*texts, text_of(found["The answer"])):
            assert [one for one in (*both, *neither) if one in text] == said
            assert "A model dominates another if it is significantly better in at least" in text
    means, *_ = tables_in(found["Means"])
    assert [row["Measure"] for row in means] == ["NDCG@2", "Recall@2", "trace.tokens"]
    assert means[-1]["bm25"] == "8.00 ± 0.31 a"
    verdicts = tables_in(found["The answer"])[0]
    assert [row["trace.tokens"] for row in verdicts] == ["? unclear", "? unclear"]
    assert "trace.tokens (lower is better)" in text_of(found["How it was made"])
    assert "k" not in tables_in(found["Differences to bm25"])[-1][0]

    run("report", CALL[0], *CALL[3:], "-m", "ndcg", "--also", "latency_ms", "--output", "one.html", "--quiet")
    (rows, *_) = tables_in(sections(Path("one.html").read_text())["Means"])
    mean, half = latencies("bm25").mean(), stats.sem(latencies("bm25")) * stats.t.ppf(0.975, USERS - 1)
    assert rows[-1] == {"Measure": "latency_ms", "bm25": f"{mean:.1f} ± {half:.1f}"}


def test_a_model_is_dominated_by_the_definition() -> None:
    draw, names = np.random.default_rng(5), "abc"
    seen = set()
    for _ in range(300):
        rows, stands = [], {}  # how one stands against another in each measure
        for measure in range(draw.integers(1, 4)):
            for one, other in (("b", "a"), ("c", "a"), ("c", "b")):
                verdict = str(
                    draw.choice(["better", "worse", "same", "unclear", "equal"], p=[0.4, *[0.15] * 4])
                )
                stands[one, other, measure] = verdict
                stands[other, one, measure] = {"better": "worse", "worse": "better"}.get(verdict, verdict)
                is_equal = verdict == "equal"
                rows.append({"system": one, "baseline": other, "users": 4, "ties": 4 * is_equal})
                rows[-1]["verdict"] = "unclear" if is_equal else verdict
        expected: dict[str, set[str]] = {}
        for one, other in permutations(names, 2):
            verdicts = [said for (*pair, _), said in stands.items() if pair == [one, other]]
            if all(said in ("better", "same", "equal") for said in verdicts) and "better" in verdicts:
                expected[other] = expected.get(other, set()) | {one}
        assert {name: {*others} for name, others in find_dominated(rows).items()} == expected
        seen.add(len(expected))
    assert seen == {0, 1, 2, 3}
    nobody = {"system": "b", "baseline": "a", "users": 0, "ties": 0, "verdict": "unclear"}
    assert find_dominated([{**nobody, "verdict": "better"}, nobody]) == {}
    assert "is not known: that needs 20 models or fewer" in dominated_sentences([], 20)[0]


def test_rows_of_a_query_agree_or_have_no_value(run: Run, fails: Fails) -> None:
    Path("truth.csv").write_text("userid,itemid\n1,1\n2,2\n3,3\n4,4\n")
    header = "userid,itemid,score,cost\n"
    Path("a.csv").write_text(f"{header}1,1,2,1.5\n1,2,1,\n2,2,1,3\n3,1,1,\n")
    Path("b.csv").write_text(f"{header}1,1,2,2\n1,2,1,2\n2,2,1,4\n3,3,1,9\n4,4,1,9\n")
    call = ["compare", "a=a.csv", "b=b.csv", "truth.csv", "-m", "mrr", "--no-check", "--also"]
    row = json.loads(run(*call, "cost", "--format", "json"))[1]
    assert (row["users"], row["users_undefined"], row["users_without_rec_baseline"]) == (2, 2, 1)
    assert (row["mean_baseline"], row["mean_system"], row["difference"]) == (2.25, 3, 0.75)
    one_value = "also: cost must have one value for each user and model, got 2.0 and 2.5 for user 1 of b"
    for content, rule in (
        (f"{header}1,1,2,2\n1,2,1,2.5\n", one_value),
        (f"{header}1,1,2,nan\n", "every value of a measure must be a finite number, got NaN or infinity"),
        (f"{header}1,1,2,fast\n", "b.csv: cost must be a number, got fast"),
        ("userid,itemid,score\n1,1,2\n", "b.csv: no column 'cost' (there are: userid, itemid, score)"),
    ):
        Path("b.csv").write_text(content)
        assert fails(1, *call, "cost").endswith(rule)
    keyed = fails(1, *call, "itemid:lower")
    assert keyed == "a.csv: --also must be columns of numbers beside the keys, got itemid"
    Path("b.run").write_text("1 Q0 1 1 2 tag\n")
    rule = "b.run: --also needs columns, which a TREC run does not have, got cost"
    assert fails(1, *[one.replace("b.csv", "b.run") for one in call], "cost") == rule


@pytest.mark.parametrize(
    ("also", "rule"),
    [
        ("tokens", "say whether lower or higher is better, as in tokens:lower, got 'tokens'"),
        ("cost,", "be the names of columns, got ''"),
        ("recall:lower", "be columns that no measure or key is called, got 'recall'"),
        ("k:lower", "be columns that no measure or key is called, got 'k'"),
        ("cost,COST:higher", "name each column once, got cost, cost"),
        (3, "be texts such as 'latency_ms' or 'tokens:lower', got 3"),
    ],
)
def test_errors_name_the_rule_and_the_value(fails: Fails, also: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=r"compare: also must ") as caught:
        ranking_udfs.compare({"a": "rec.csv", "b": "rec.csv"}, "truth.csv", also=also)
    assert str(caught.value) == f"compare: also must {rule}"
    if isinstance(also, str):
        said = fails(2, "compare", "a=rec.csv", "b=rec.csv", "truth.csv", "--also", also)
        assert f"must {rule}" in said
    with pytest.raises(TypeError, match="unexpected keyword argument 'also'"):
        ranking_udfs.evaluate("rec.csv", "truth.csv", also=also)  # type: ignore[call-arg]


def test_it_is_refused_with_what_has_no_columns(fails: Fails, run: Run) -> None:
    given = ["compare", "a=rec.csv", "b=rec.csv", "truth.csv", "--also", "cost", "--no-check"]
    rule = "compare: --also must be left out with --predicted-truth, got cost"
    assert fails(2, *given, "--predicted-truth", "truth.csv") == rule
    run("evaluate", "rec.csv", "truth.csv", "--by-user", "old.parquet", "--manifest", "-m", "ndcg")
    Path("rec.csv").write_text("userid,itemid,score,cost\n1,1,1,1\n")
    stored = ["compare", "new=rec.csv", *given[3:], "-m", "ndcg", "--against", "old.parquet"]
    rule = "compare: --against old.parquet: it has values by truth alone: leave cost out"
    assert fails(2, *stored) == rule

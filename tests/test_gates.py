"""Test gates: errors in the data, and conditions that cannot hold."""

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.command.conditions import parse_condition
from ranking_udfs.command.gates import Results
from ranking_udfs.evaluation.comparison import users_for_significance
from ranking_udfs.evaluation.problems import errors_about
from tests.command import csv
from tests.conftest import Captured, Con, Patch, module_connection

con = module_connection()


def test_each_condition_is_tested_and_fails_for_nan(con: Con, folder: Path, capsys: Captured) -> None:
    call = ["evaluate", "rec.csv", "truth.csv", "-m", "mrr", "--no-check"]
    assert main([*call, "--fail-if", "mrr < 2", "--fail-if", "mrr < 0"]) == 3
    assert capsys.readouterr().err.splitlines()[1:] == ["ranking-udfs: failed: mrr < 2: 1 in mrr@10"]
    numbers = "(VALUES ('NaN'::DOUBLE, 1), (NULL, 2), (0.2, 3), (0.3, 4)) t(mrr, _row)"
    con.execute(f"CREATE OR REPLACE TEMP TABLE bounds AS SELECT *, 5 AS k FROM {numbers}")
    results = Results(con, "bounds", {"mrr": [5]})
    for bound, failed in (("<", 3), ("<=", 4), (">", 2), (">=", 3)):
        found = results.of(parse_condition(f"mrr@5 {bound} 0.3"))
        assert sum(row["fails"] for row in found) == failed


def test_p_of_a_condition_is_corrected_over_all_rows(folder: Path, capsys: Captured) -> None:
    """Let each of three models lose 5 of 40 users: p is 0.0234, and Holm's 0.0701.

    t is 0.125 / sqrt((5 - 5**2 / 40) / 39 / 40) = 2.360, with 39 degrees of freedom.
    """
    csv("truth.csv", "userid,itemid", *(f"{u},0" for u in range(40)))
    for lost, name in enumerate(("old", "new0", "new1", "new2"), -1):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{int(u % 8 == lost)},1" for u in range(40)))
    models = [f"{name}={name}.csv" for name in ("old", "new0", "new1", "new2")]
    call = ["compare", *models, "truth.csv", "--baseline", "old", "--no-check", "-m", "mrr@1"]
    codes = [main([*call, "--fail-if", f"p < {p} AND difference < 0"]) for p in ("0.05", "0.071", "0.069")]
    assert (codes, capsys.readouterr().err.count("failed:")) == ([0, 3, 0], 1)


@pytest.mark.slow
def test_worse_segment_is_named_in_each_format(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    """Let twenty users of one segment lose all, and those of the other win as much."""
    monkeypatch.chdir(tmp_path)
    csv("truth.csv", "userid,itemid", *(f"{u},1" for u in range(40)))
    csv("kinds.csv", "userid,kind", *(f"{u},{'ab'[u % 2]}" for u in range(40)))
    for wrong, name in enumerate(("old", "new")):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{1 + (u + wrong) % 2},1" for u in range(40)))
    call = ["old=old.csv", "new=new.csv", "truth.csv", "--baseline", "old", "--no-check", "-m", "mrr@1"]
    call += ["--segment", "kinds.csv:kind"]
    sentence = "Segment a: new is significantly worse than old in MRR@1 by 1 (p < 0.0001)."
    for form in ("table", "markdown", "csv"):
        assert main(["compare", *call, "--format", form, "--fail-if", "worse"]) == 0
        out, err = capsys.readouterr()
        text = err if form == "csv" else out.partition("<details>")[0]
        assert sentence in text.replace("\\<", "<"), form
    assert main(["compare", *call, "-m", "precision@1"]) == 0
    assert capsys.readouterr().out.count("is significantly worse than") == 1  # by the first measure alone
    assert main(["compare", *call, "--fail-if", "segments worse"]) == 3
    assert "failed: segments worse: new in mrr@1, segment a (1 of 2 comparisons)" in capsys.readouterr().err
    assert main(["report", *call, "--output", "page.html"]) == 0
    assert "Segment a: new is significantly worse than old in MRR@1 by 1" in Path("page.html").read_text()


GRADES = [3, 2, 0, -1]  # of four items; the other eight of a list have none
LEAK = ["base=base.csv", "leak=leak.csv", "graded.csv", "-m", "ndcg@10", "-q"]


@pytest.fixture
def leak(registered: None, tmp_path: Path, monkeypatch: Patch) -> None:
    """Write lists in random order, and lists that begin with the whole truth by its grades."""
    chance = random.Random(2)
    monkeypatch.chdir(tmp_path)
    graded = (f"{u},{20 * u + i},{GRADES[i]}" for u in range(40) for i in range(4))
    csv("graded.csv", "userid,itemid,rel", *graded)
    for name, best in (("base", 0), ("leak", 4)):
        scores = [(u, i, 9 - i if i < best else chance.random()) for u in range(40) for i in range(12)]
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{20 * u + i},{score}" for u, i, score in scores))


CONDITIONS = ["worse", "ndcg@10 < 0.1", "losers(0.9) > 40", "difference < -0.9"]


@pytest.mark.usefixtures("leak")
@pytest.mark.parametrize("condition", CONDITIONS)
def test_error_in_the_data_fails_each_kind_of_gate(condition: str, capsys: Captured) -> None:
    """The leak has the best results, so none of these conditions holds."""
    call = ["compare", *LEAK, "--baseline", "base", "--fail-if", condition]
    assert main(call) == 3
    out, err = capsys.readouterr()
    failed = "ranking-udfs: failed: error in the data: rec: users whose relevant items are all at the top: "
    assert (err.startswith(failed), err.count("\n")) == (True, 1)
    assert err.endswith("or accept this with --allow truth_in_rec\n")
    assert "There is no verdict on leak until the data is mended." in out
    assert re.findall(r"significantly|[+] better", out) == []
    for passing in (["--allow", "spelling, TRUTH_IN_REC"], ["--no-check"]):
        assert main([*call, *passing]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        assert all(words in out for words in ("leak has the best NDCG@10, significantly better", "+ better"))
    assert main([*call, "--allow", "spelling"]) == 3
    assert main([*(each for each in call if each != "-q"), "--no-check"]) == 0
    assert "note: --no-check: errors in the data do not fail --fail-if\n" in capsys.readouterr().err


@pytest.mark.usefixtures("leak")
def test_error_fails_a_gate_on_means_and_no_gate_on_other_codes(capsys: Captured) -> None:
    csv("worse.csv", "userid,itemid,score", *(f"{u},{20 * u + i},{i}" for u in range(40) for i in range(12)))
    assert main(["evaluate", *LEAK, "--fail-if", "ndcg < 0.1"]) == 3
    assert main(["evaluate", "leak.csv", *LEAK[2:], "--fail-if", "users_without_rec > 5"]) == 3
    assert main(["evaluate", "base.csv", *LEAK[2:], "--fail-if", "ndcg < 0.1"]) == 0
    assert main(["evaluate", *LEAK, "--fail-if", "problems(no_rows)"]) == 0
    capsys.readouterr()
    # A system that is worse fails a gate by both, and its verdict is unknown; programs still read it.
    call = ["compare", "base=base.csv", "bad=worse.csv", *LEAK[2:], "--baseline", "base"]
    call += ["--fail-if", "worse"]
    assert main([*call, "--format", "csv"]) == 3
    out, err = capsys.readouterr()
    assert ("upside_down" in out, out.rstrip().endswith(",worse"), err.count("failed: ")) == (True, True, 2)
    assert main(["check", "worse.csv", "graded.csv", "--fail-if", "problems"]) == 3
    assert main(["check", "worse.csv", "graded.csv", "--fail-if", "problems", "--allow", "upside_down"]) == 0


@pytest.mark.usefixtures("leak")
def test_check_reports_the_errors_that_an_evaluation_refuses(capsys: Captured) -> None:
    csv("other.csv", "userid,itemid", *(f"{u},z" for u in range(40)))
    assert main(["check", "base.csv", "other.csv", "--fail-if", "problems"]) == 3
    capsys.readouterr()
    assert main(["evaluate", "base.csv", "other.csv"]) == 2
    advice, err = "write --allow no_common_id if that is right\n", capsys.readouterr().err
    assert err.endswith(advice)
    assert err.count("no id of truth") == 1
    accepted = ["-q", "--fail-if", "mrr < 0", *advice.split()[1:3]]
    assert main(["evaluate", "base.csv", "other.csv", *accepted]) == 0
    with pytest.raises(ValueError, match="write allow='no_common_id' if that is right"):
        ranking_udfs.evaluate("base.csv", "other.csv", allow="spelling")
    for allow in ("no_common_id", ["no_common_id"]):
        with pytest.warns(UserWarning, match="itemid: no id of truth is in rec"):
            ranking_udfs.evaluate("base.csv", "other.csv", allow=allow)


def test_errors_about_truth_concern_every_system_and_others_their_own() -> None:
    found = [("of_truth", None, "error"), *((f"of_{name}", name, "error") for name in "ab")]
    found.append(("of_c", "c", "warning"))
    problems = [dict(zip(("code", "system", "severity"), row, strict=True)) for row in found]
    assert [row["code"] for row in errors_about(problems, {"a", "c"})] == ["of_truth", "of_a"]
    assert [row["code"] for row in errors_about(problems[1:], {"c", None})] == []


@pytest.mark.parametrize(
    ("share", "severity"), [(1, "warning"), (4, "warning"), (5, "error"), (100, "error")]
)
@pytest.mark.parametrize("kind", ["user", "item"])
def test_spelling_is_an_error_from_five_percent_on(con: Con, kind: str, share: int, severity: str) -> None:
    con.execute(f"""
        CREATE OR REPLACE TABLE wanted AS SELECT 'u' || i AS userid, 'd' || i AS itemid FROM range(100) t(i);
        CREATE OR REPLACE TABLE spelled AS SELECT * REPLACE (CASE WHEN {kind}id[2:]::INTEGER < {share}
            THEN upper({kind}id) ELSE {kind}id END AS {kind}id), 1 AS score FROM wanted;
    """)
    found = "SELECT column_name, severity FROM ranking.check('spelled', 'wanted') WHERE code = 'spelling'"
    assert (f"{kind}id", severity) in con.execute(found).fetchall()


@pytest.mark.parametrize("sides", [1, 2])
def test_needed_users_are_the_fewest_whose_smallest_p_is_significant(sides: int) -> None:
    for family in (1, 2, 3, 4, 8, 100, 10_000):
        for alpha in (0.5, 1 / 16, 0.05, 1 - 0.95, 0.01, 1e-6):
            smallest = next(n for n in range(1, 99) if sides * family * Fraction(1, 2**n) < Fraction(alpha))
            assert users_for_significance(family, alpha, sides) == smallest, (family, alpha)


FEW = [  # users, conditions, further options, and the users that are needed; None if the gate passes
    (5, "worse", "", 6),
    (6, "worse", "", None),
    (6, "ndcg@3 worse", "--confidence 0.99", 8),
    (6, "worse", "-m ndcg@3,mrr@3", 7),
    (7, "worse", "-m ndcg@3,mrr@3", None),
    (6, "worse", "-m ndcg@3,mrr@3 --correction bh", None),
    (5, "difference < -0.01 AND p < 0.05", "", 6),
    (6, "difference < -0.01 AND p < 0.05", "", None),
    (5, "same", "--margin 0.01", 6),
    (6, "same", "--margin 0.01", None),
    (6, "same", "--margin 0.01 -m ndcg@3,mrr@3", None),
    (5, "verdict IN ('worse', 'same')", "--margin 0.01", 6),
    (6, "verdict IN ('worse', 'same')", "--margin 0.01", None),
    (5, "worse", "--margin 0.01", 6),
    (11, "segments worse", "--segment kinds.csv:kind", 7),  # two segments, of 6 and 5 users
    (13, "segments worse", "--segment kinds.csv:kind", None),
    (5, "ndcg@3 < 0.1", "", None),  # a bound is no test
    (5, "difference < -0.9", "", None),
]


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(("users", "condition", "options", "needed"), FEW)
def test_gate_that_cannot_fail_does_not_pass(
    folder: Path, capsys: Captured, users: int, condition: str, options: str, needed: int | None
) -> None:
    """Let the candidate be better for every user, so that no condition holds."""
    csv("truth.csv", "userid,itemid", *(f"{u},1" for u in range(users)))
    csv("kinds.csv", "userid,kind", *(f"{u},{'ab'[u % 2]}" for u in range(users)))
    for name in ("old", "new"):
        ranks = [1 if name == "new" else 2 + u % 2 for u in range(users)]
        places = [(u, at, at == rank) for u, rank in enumerate(ranks) for at in (1, 2, 3)]
        lists = [f"{u},{1 if is_it else 9 + at},{-at}" for u, at, is_it in places]
        csv(f"{name}.csv", "userid,itemid,score", *lists)
    call = ["compare", "old=old.csv", "new=new.csv", "truth.csv", "--baseline", "old", "--no-check", "-q"]
    call += [*options.split(), *["-m", "ndcg@3"] * ("-m " not in options), "--fail-if", condition]
    assert main(call) == (0 if needed is None else 3)
    most = 6 if options.startswith("--segment") else users
    line = f"{condition}: no comparison can be significant: {most} users at most, and {needed} are needed"
    assert capsys.readouterr().err == ("" if needed is None else f"ranking-udfs: failed: {line}\n")


NAMES = {"system": "new", "baseline": "old", "segment": "a", "measure": "mrr", "k": "3", "verdict": "better"}
FORMS = ["{} = '{}'", "'{1}' = {0}", "{} <> '{}'", "NOT ({} IN ('{}'))"]
FORMS += ["upper('x') = 'Y' OR \"{}\" NOT IN ('{}', NULL)"]


@pytest.mark.slow
@pytest.mark.usefixtures("registered")
def test_condition_names_only_what_is_there(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    """Try each column in each form, with a value of the rows and with another one."""
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u},{name == 'new'},1" for u in range(9)))
    csv("truth.csv", "userid,itemid", *(f"{u},True" for u in range(9)))
    csv("kinds.csv", "userid,kind", *(f"{u},a" for u in range(9)))
    call = ["compare", "old=old.csv", "new=new.csv", "truth.csv", "--baseline", "old", "--no-check", "-q"]
    call += ["-m", "mrr@3", "--segment", "kinds.csv:kind", "--format", "csv", "--fail-if"]
    right = [f"({form.format(name, value)}) AND p > 2" for name, value in NAMES.items() for form in FORMS]
    assert main([*call, ",".join([*right, "k = 3 AND p > 2", "segment = '(all)' AND p > 2"])]) == 0
    assert (capsys.readouterr().err, len(right)) == ("", 30)
    for name, value in NAMES.items():
        for form in FORMS[(name != "system") * 2 :: 2]:
            wrong = "77" if name == "k" else f"{value}@5"
            assert main([*call, f"p > 2 AND {form.format(name, wrong)}"]) == 2
            out, err = capsys.readouterr()
            said = out, f": {name} must be one of " in err, f", got {wrong}" in err
            assert said == ("", True, True), form
    # Nothing else is examined.
    others = "system LIKE 'x%'; lower(system) = 'x'; p_adjusted = 7; 'x' IN (system, baseline); k < 77"
    assert main([*call, ",".join(f"p > 2 AND {other}" for other in others.split("; "))]) == 0
    assert main([*call, "k = 'x' AND p > 2"]) == 2
    assert "--fail-if k = 'x' AND p > 2: Conversion Error: " in capsys.readouterr().err


def test_gate_reads_a_stored_comparison(con: Con, tmp_path: Path) -> None:
    """In CSV, a column without a value is text, such as p_same without a margin."""
    con.execute("""CREATE OR REPLACE TABLE by_user AS
        SELECT s AS system, u AS userid, hash(s, u) % 9 / 9 AS ndcg FROM range(2) a(s), range(20) b(u);
        CREATE OR REPLACE TABLE compared AS FROM ranking.compare_by_user('by_user', baseline := '0')""")
    columns = "measure, p, p_adjusted, p_same, method, minimum_detectable_effect, users_needed, verdict"
    expected = con.sql(f"SELECT {columns} FROM ranking.gate('compared')")
    for form in ("csv", "json", "parquet"):
        path = tmp_path / f"compared.{form}"
        con.execute(f"COPY compared TO '{path}'")
        stored = con.sql(f"SELECT {columns} FROM ranking.gate('{path}')")
        assert (stored.types, stored.fetchall()) == (expected.types, expected.fetchall()), form


@pytest.mark.parametrize("code", ["gone_labels", "negative_grade"])
def test_code_that_is_always_info_is_told_as_one(registered: None, code: str, capsys: Captured) -> None:
    for option in (["--fail-if", f"problems({code})"], ["--allow", code]):
        assert main(["check", "rec.csv", "truth.csv", *option]) == 2
        assert f"got {code}, which is always info" in capsys.readouterr().err.replace("'", "")

"""Test comparisons with few human labels and many of a model (PPI++)."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy import stats

from ranking_udfs.evaluation.conclusion import predicted_sentence
from tests.command import Run, csv
from tests.conftest import Con, module_connection, rows
from tests.pages import page_of, sections, tables_in, text_of

CLOSE = 1e-12
Floats = NDArray[np.float64]
Row = dict[str, Any]
NEW = [
    "users_predicted", "predicted_weight", "predicted_difference", "predicted_bias", "predicted_bias_low",
    "predicted_bias_high", "labelled_standard_error", "correlation",
]  # fmt: skip

con = module_connection()


# Differences of the labelled users, what the model says of them, and of the others.
Case = tuple[Any, Any, Any]


def tables(con: Con, cases: Sequence[Case]) -> None:
    """Register the values of x of a system b beside a, whose values are 0, by people and by the model.

    Each case is a segment, and its n-th user is n above the segment times 10,000.
    """
    for name, of in (("people", slice(0, 1)), ("model", slice(1, 3))):
        values = [np.concatenate([np.asarray(part, float) for part in case[of]]) for case in cases]
        segments = np.repeat(np.arange(len(cases)), list(map(len, values)))
        users = np.concatenate([10_000 * i + np.arange(len(of_case)) for i, of_case in enumerate(values)])
        x = np.concatenate(values)
        columns = {"segment": np.tile(segments, 2), "userid": np.tile(users, 2), "x": np.append(0 * x, x)}
        con.register(name, pa.table({"system": np.repeat(["a", "b"], len(x)), **columns}))


def compare(con: Con, cases: Sequence[Case], options: str = "") -> list[Row]:
    """Return the comparison of each case."""
    tables(con, cases)
    query = f"FROM ranking.compare_by_user('people', baseline := 'a', predicted := 'model'{options})"
    found = rows(con, query)
    assert [row["segment"] for row in found] == [*range(len(cases))]
    return found


def plainly(d: Floats, f: Floats, others: Floats, ddof: int = 1, left: int = 3) -> dict[str, float]:
    """Compute the estimate by its definition; with ddof = left = 0, as ppi-python has it."""
    n, m, everybody = len(d), len(others), np.concatenate([f, others])
    weight = np.cov(d, f, ddof=0)[0, 1] / ((1 + n / m) * everybody.var(ddof=1))
    weight = min(max(weight, 0), 1)
    rest = d - weight * f
    squares = ((rest - rest.mean()) ** 2).sum() / (n - (left if weight > 0 else ddof))
    bias = stats.ttest_1samp(f - d, 0).confidence_interval()
    return {
        "predicted_weight": weight,
        "difference": weight * others.mean() + rest.mean(),
        "standard_error": math.sqrt(weight**2 * others.var(ddof=ddof) / m + squares / n),
        "predicted_difference": everybody.mean(),
        "predicted_bias": (f - d).mean(),
        "predicted_bias_low": bias.low,
        "predicted_bias_high": bias.high,
        "labelled_standard_error": d.std(ddof=1) / math.sqrt(n),
        "correlation": np.corrcoef(d, f)[0, 1],
    }


def draw(seed: int, n: int, m: int, rho: float = 0.7) -> tuple[Floats, Floats, Floats]:
    random = np.random.default_rng(seed)
    d = random.normal(0.05, 1, n + m)
    f = 0.03 + rho * d + math.sqrt(1 - rho**2) * random.normal(0, 1, n + m)
    return d[:n], f[:n], f[n:]


def test_estimate_matches_its_definition(con: Con) -> None:
    """Expect a weight for each segment, and one family of all."""
    sizes = (7, 3, 0.7), (40, 1000, 0.9), (200, 50, -0.5), (30, 400, 0.999)
    cases = [draw(n, n, m, rho) for n, m, rho in sizes]
    for (n, m, _), case, row in zip(sizes, cases, compare(con, cases), strict=True):
        wanted = plainly(*case)
        assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=CLOSE, abs=CLOSE)
        t, difference, error = stats.t(n - 1), wanted["difference"], wanted["standard_error"]
        ends = difference - t.ppf(0.975) * error, difference + t.ppf(0.975) * error
        assert (row["low"], row["high"]) == pytest.approx(ends, rel=1e-10)
        assert row["p"] == pytest.approx(2 * t.sf(abs(difference / error)), rel=1e-9)
        assert (row["users"], row["users_predicted"], row["effect_size"]) == (n, m, None)
        assert row["method"] == "t, holm of 4"


def test_estimate_matches_ppi_python_except_variances_and_t(con: Con) -> None:
    ppi = pytest.importorskip("ppi_py")
    cases = [draw(seed, 40, 300) for seed in range(3)]
    for case, row in zip(cases, compare(con, cases), strict=True):
        theirs = plainly(*case, ddof=0, left=0)
        low, high = (float(end[0]) for end in ppi.ppi_mean_ci(*case, alpha=0.05))
        assert (low + high) / 2 == pytest.approx(row["difference"], rel=CLOSE)
        assert (high - low) / 2 == pytest.approx(stats.norm.ppf(0.975) * theirs["standard_error"], rel=1e-11)
        assert row["standard_error"] > theirs["standard_error"]


def test_useless_predicted_grades_give_t_test_of_statsmodels(con: Con) -> None:
    """Predict grades that do not vary, or that go the other way."""
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    d, f, others = draw(1, 25, 60)
    wanted = weightstats.DescrStatsW(d)
    for row in compare(con, [(d, f * 0 + 0.1, others * 0 + 0.1), (d, -2 * d + 0.01 * f, others + 0.1)]):
        assert row["predicted_weight"] == 0
        assert (row["low"], row["high"]) == pytest.approx(wanted.tconfint_mean(), rel=1e-10)
        assert row["p"] == pytest.approx(wanted.ttest_mean()[1], rel=1e-9)
        assert row["standard_error"] == pytest.approx(row["labelled_standard_error"], rel=CLOSE)


def test_all_users_labelled_gives_comparison_without_predicted_grades(con: Con) -> None:
    found = compare(con, [(d, d, []) for d in (draw(2, 12, 2)[0], np.full(6, 0.5), np.zeros(9))])
    plain = rows(con, "FROM ranking.compare_by_user('people', baseline := 'a')")
    assert [{name: row[name] for name in plain[0]} for row in found] == plain
    place = [*plain[0]].index("higher_is_better")
    assert [*found[0]] == [*[*plain[0]][:place], *NEW, *[*plain[0]][place:]]


def test_missing_value_leaves_comparison_to_labelled_users(con: Con) -> None:
    """Remove a value by people from the first case, and one by the model from the second."""
    d, f, others = draw(3, 20, 50)
    tables(con, [(d, f, others)] * 2)
    for name, user in (("people", 4), ("model", 10_004)):
        lacking = f"SELECT * REPLACE (if(userid = {user}, NULL, x) AS x) FROM {name}"
        con.execute(f"CREATE OR REPLACE TABLE {name}_lacking AS {lacking}")
    found = rows(con, "FROM ranking.compare_by_user('people_lacking', predicted := 'model_lacking')")
    for row, known in zip(found, (np.delete(d, 4), d), strict=True):
        assert (row["predicted_weight"], row["correlation"], row["users"]) == (0, None, len(known))
        assert row["p"] == pytest.approx(stats.ttest_1samp(known, 0).pvalue, rel=1e-9)


def test_relative_interval_is_fiellers(con: Con) -> None:
    """Expect ends r with difference - r * baseline at t standard errors from 0."""
    d, f, others = draw(5, 30, 90)
    base = np.random.default_rng(6).normal(3, 0.5, 30)
    tables(con, [(d, f, others)])
    based = "SELECT * REPLACE (x + $1[userid + 1] AS x) FROM people"
    con.execute(f"CREATE TABLE based AS {based}", [base.tolist()])
    (row,) = rows(con, "FROM ranking.compare_by_user('based', baseline := 'a', predicted := 'model')")
    weight = plainly(d, f, others)["predicted_weight"]
    assert row["relative"] == pytest.approx(row["difference"] / base.mean(), rel=CLOSE)
    square = row["standard_error"] ** 2
    for ratio in (row["relative_low"], row["relative_high"]):
        # Of d - weight * f alone the sum of squares is divided by n - 3.
        joint = np.cov(d - weight * f, base, ddof=1)[0, 1]
        error = math.sqrt(square - 2 * ratio * joint / 30 + ratio**2 * base.var(ddof=1) / 30)
        distance = row["difference"] - ratio * base.mean()
        assert abs(distance) / error == pytest.approx(stats.t(29).ppf(0.975), rel=1e-9)


def test_predicted_grades_alone_take_bias_for_difference(con: Con) -> None:
    """Let the model favor b by 0.03; people's grades correct it."""
    random = np.random.default_rng(12)
    d = random.normal(0, 0.3, 5000)
    f = 0.03 + 0.8 * d + 0.6 * random.normal(0, 0.3, 5000)
    (row,) = compare(con, [(d[:200], f[:200], f[200:])])
    (alone,) = rows(con, "FROM ranking.compare_by_user('model', baseline := 'a')")
    assert (alone["verdict"], row["verdict"]) == ("better", "unclear")
    assert alone["difference"] == pytest.approx(row["predicted_difference"], rel=CLOSE)
    assert row["low"] < 0 < row["high"]
    ratio = row["labelled_standard_error"] / row["standard_error"]
    sentence = predicted_sentence(row | {"measure": "ndcg", "k": 5}, 4)
    assert re.search(r"b would be better than a by 0.03\d* in NDCG@5; .*\): unclear\.", sentence)
    assert sentence.endswith(f"the interval would be {ratio:.2g} times as wide.")
    row |= {"labelled_standard_error": row["standard_error"]}
    alike = predicted_sentence(row | {"measure": "ndcg", "k": 5}, 4)
    assert alike.endswith("The predicted grades do not make the interval narrower.")
    assert row["predicted_bias_low"] < 0.03 < row["predicted_bias_high"]
    # More labelled users alone would not do, so nobody says how many: nor do the gates.
    compared = "FROM ranking.compare_by_user('people', baseline := 'a', predicted := 'model')"
    both = f"{compared} UNION ALL BY NAME FROM ranking.compare_by_user('people', baseline := 'a')"
    gated = rows(con, f"WITH compared AS ({both}) FROM ranking.gate('compared')")
    assert {*NEW} <= {*gated[0]}
    needed = {(each["predicted_difference"] is None, each["users_needed"] is None) for each in (row, *gated)}
    assert needed == {(False, True), (True, False)}


@pytest.fixture(scope="module")
def lists(con: Con) -> Con:
    """Make lists of 300 users by two systems; people grade 40 of the users, the model all, with mistakes."""
    con.execute("""
        CREATE TABLE pairs AS
        SELECT u AS userid, i AS itemid, hash(concat_ws(' ', 'good', u, i)) % 4 = 0 AS is_good,
            hash(concat_ws(' ', 'odd', u, i)) % 10 = 0 AS is_odd
        FROM range(300) users(u), range(20) items(i);
        CREATE TABLE rec AS
        SELECT s AS system, userid, itemid,
            (hash(concat_ws(' ', s, userid, itemid)) % 1000 / 1000 + if(is_good, w, 0))::DOUBLE AS score
        FROM pairs, (VALUES ('a', 0.3), ('b', 0.5)) systems(s, w)
        QUALIFY row_number() OVER (PARTITION BY s, userid ORDER BY score DESC, itemid) <= 10;
        CREATE TABLE graded AS SELECT userid, itemid, is_good::INTEGER AS rel FROM pairs WHERE userid < 40;
        CREATE TABLE llm AS SELECT userid, itemid, (is_good <> is_odd)::INTEGER AS rel FROM pairs;
    """)
    return con


def test_check_compares_labelled_users_with_others(lists: Con) -> None:
    """Label the users with the highest predicted values; `shallow` has 15 of 20 items of each."""
    lists.execute("""
        CREATE TABLE modelled AS
        SELECT userid, ndcg FROM ranking.by_user('rec', 'llm', [5]) WHERE system = 'a';
        CREATE TABLE easy AS FROM modelled ORDER BY ndcg DESC, userid LIMIT 40;
        CREATE VIEW shallow AS SELECT userid, itemid, is_good::INTEGER AS rel
        FROM pairs SEMI JOIN easy USING (userid) WHERE itemid < 15;
        CREATE VIEW relevant AS FROM shallow WHERE rel > 0;
    """)

    def check(people: str) -> dict[tuple[str, str], Row]:
        query = f"FROM ranking.check('rec', '{people}', ks := [5], predicted_truth := 'llm')"
        found = rows(lists, f"{query} WHERE code LIKE 'labelled%'")
        return {(row["code"], row["system"]): row for row in found}

    found = check("shallow")
    apart, in_part = found["labelled_apart", "a"], found["labelled_in_part", "a"]
    assert (apart["severity"], apart["count"], apart["of"], apart["k"]) == ("warning", 40, 300, 5)
    others, labelled = lists.execute("""
        SELECT avg(ndcg) FROM modelled GROUP BY userid IN (SELECT userid FROM easy) ORDER BY 1""").fetchall()
    assert apart["example"] == f"ndcg {labelled[0]:.3g} of them, {others[0]:.3g} of the others"
    # judged_share by its own definition: of the first 5, those that people have a grade of.
    ((share, few),) = lists.execute("""SELECT avg(share), count(*) FILTER (share < 1) FROM (
        SELECT userid, avg((itemid < 15)::INTEGER) AS share FROM (
            SELECT *, row_number() OVER (PARTITION BY userid ORDER BY score DESC, itemid) AS rank
            FROM rec SEMI JOIN easy USING (userid) WHERE system = 'a') WHERE rank <= 5 GROUP BY userid)
    """).fetchall()
    assert (in_part["count"], in_part["of"], in_part["example"]) == (few, 40, f"judged_share {share:.3g}")
    assert not any(code == "labelled_in_part" for code, _ in check("relevant"))
    lists.begin()
    lists.execute("DELETE FROM rec WHERE system = 'a' AND userid < 2")  # who then have nothing to be judged
    assert check("graded") == {}
    lists.rollback()


@pytest.mark.slow
def test_randomly_labelled_users_rarely_get_a_warning(lists: Con) -> None:
    """Compare 24 systems, each in an order of its own."""
    lists.execute("""
        CREATE TABLE many AS
        SELECT s AS system, userid, itemid, hash(concat_ws(' ', s, userid, itemid)) % 1000 / 1000 AS score
        FROM pairs, range(24) systems(s);
        CREATE VIEW drawn AS
        SELECT userid, itemid, 1 AS rel FROM pairs WHERE is_good AND hash(userid, 1) % 8 = 0
    """)
    query = "FROM ranking.check('many', 'drawn', ks := [5], predicted_truth := 'llm')"
    assert len(rows(lists, f"{query} WHERE code = 'labelled_apart'")) <= 2  # of 24 at 1 % each


@pytest.mark.slow
@pytest.mark.usefixtures("registered", "folder")
def test_tables_name_users_of_means_and_differences(run: Run) -> None:
    """Let new win with 12 of 20 users graded by people, and old with 150 of 200 graded by a model."""
    users = [(f"u{u}", "on"[u % 20 < 12 if u < 20 else u % 4 == 0]) for u in range(220)]
    for name in ("old", "new"):
        csv(f"{name}.csv", "userid,itemid,score", *(f"{user},{name[0]},1" for user, _ in users))
    wrong = (0, 1, 2, 13, 14, 15)
    guessed = [(user, "on"[item == "o"] if u in wrong else item) for u, (user, item) in enumerate(users)]
    for name, judged in (("people", users[:20]), ("model", guessed)):
        csv(f"{name}.csv", "userid,itemid,rel", *(f"{user},{likes},1" for user, likes in judged))
    csv("users.csv", "userid,half", *(f"{user},{'ab'[i % 2]}" for i, (user, _) in enumerate(users)))
    call = ["old=old.csv", "new=new.csv", "people.csv", "-m", "hit_rate", "-k", "1", "--no-check"]
    call += ["--predicted-truth", "model.csv", "--baseline", "old"]
    text = run("compare", *call, "--unit", "case", "--segment", "users.csv:half")
    assert text.startswith("old has the best Hit rate@1 over all 220 cases, but not significantly better")
    assert "Caveat: Segments with" in text
    assert "Compared with old, by half; means of 10 cases, differences of 110\n" in text
    assert re.search(r"^Hit rate@1 +new +0.6 +0.4 +-0\.\d+", text, re.MULTILINE)
    assert re.search(r"^Hit rate@1 +a +10 of 110 +new ", text, re.MULTILINE)
    assert "12 of 20 cases win with new" in text
    for form in ("markdown", "html"):
        shown = run("compare", *call, "--format", form)
        names = ("Mean (20)", "Baseline (old) (20)", "Difference (220)")
        assert all(name in shown for name in names), form
    assert re.search(r"Mean \(20\) +Letters", run("compare", *call[:-2], "--pairs"))
    html = page_of(*call)
    found = sections(html)
    assert "<h1>new compared with old</h1>" in html  # a mean and a percentage are of different users
    answer = text_of(found["The answer"])
    assert "old has the best Hit rate@1 over all 220 users, but not significantly better than new." in answer
    assert "For the users with human labels: with old, 40% (8 of 20; " in answer
    (row,) = tables_in(found["Differences from old"])[0]
    assert (row["Mean (graded)"], row["Baseline (graded)"]) == ("0.600", "0.400")
    assert float(row["Difference (all)"]) < 0

"""Few labels by people, many by a model: PPI++, its edges, simulations, and each entry point."""

import math
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy import stats

import ranking_udfs
from ranking_udfs.evaluation.comparison import PREDICTED, correct_together
from ranking_udfs.evaluation.conclusion import predicted_sentence
from tests.conftest import module_connection, rows

CLOSE = 1e-12
Floats = NDArray[np.float64]
Row = dict[str, Any]
NEW = [
    "users_predicted", "predicted_weight", "predicted_difference", "predicted_bias", "predicted_bias_low",
    "predicted_bias_high", "labelled_standard_error", "correlation",
]  # fmt: skip

con = module_connection()


def by_user(values: Floats, users: Floats, segments: Floats | None = None) -> pa.Table:
    """A table of the values of x of a system b beside a, whose values are 0."""
    columns = {"userid": users} | ({} if segments is None else {"segment": segments})
    tables = [
        pa.table({"system": [name] * len(users), **columns, "x": x})
        for name, x in (("a", np.zeros(len(users))), ("b", values))
    ]
    return pa.concat_tables(tables)


def compare(con: duckdb.DuckDBPyConnection, d: Any, f: Any, others: Any, options: str = "") -> Row:
    """The comparison of labelled users' differences d and f and of the others' f."""
    d, f = np.asarray(d, float), np.concatenate([np.asarray(f, float), np.asarray(others, float)])
    con.register("people", by_user(d, np.arange(len(d))))
    con.register("model", by_user(f, np.arange(len(f))))
    query = f"FROM ranking_compare_by_user('people', baseline := 'a', predicted := 'model'{options})"
    (row,) = rows(con, query)
    return row


def plainly(d: Floats, f: Floats, others: Floats, ddof: int = 1, left: int = 3) -> dict[str, float]:
    """The estimate by its definition; with ddof = left = 0, as ppi-python has it."""
    n, m, everybody = len(d), len(others), np.concatenate([f, others])
    weight = np.cov(d, f, ddof=0)[0, 1] / ((1 + n / m) * everybody.var(ddof=1))
    weight = min(max(weight, 0), 1)
    left = left if weight > 0 else ddof
    rest = d - weight * f
    square = weight**2 * others.var(ddof=ddof) / m + ((rest - rest.mean()) ** 2).sum() / (n - left) / n
    bias = stats.ttest_1samp(f - d, 0).confidence_interval()
    return {
        "predicted_weight": weight,
        "difference": weight * others.mean() + rest.mean(),
        "standard_error": math.sqrt(square),
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


@pytest.mark.parametrize(("n", "m", "rho"), [(7, 3, 0.7), (40, 1000, 0.9), (200, 50, -0.5), (30, 400, 0.999)])
def test_the_estimate_is_that_of_its_definition(
    con: duckdb.DuckDBPyConnection, n: int, m: int, rho: float
) -> None:
    given = draw(n, n, m, rho)
    row, wanted = compare(con, *given), plainly(*given)
    for name, value in wanted.items():
        assert row[name] == pytest.approx(value, rel=CLOSE, abs=CLOSE), name
    t = stats.t(n - 1)
    half = t.ppf(0.975) * wanted["standard_error"]
    assert row["low"] == pytest.approx(wanted["difference"] - half, rel=1e-10)
    assert row["high"] == pytest.approx(wanted["difference"] + half, rel=1e-10)
    assert row["p"] == pytest.approx(2 * t.sf(abs(wanted["difference"] / wanted["standard_error"])), rel=1e-9)
    assert (row["users"], row["users_predicted"], row["effect_size"]) == (n, m, None)


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_is_ppi_pythons_but_for_the_variances_and_t(
    con: duckdb.DuckDBPyConnection, seed: int
) -> None:
    ppi = pytest.importorskip("ppi_py")
    d, f, others = draw(seed, 40, 300)
    row, theirs = compare(con, d, f, others), plainly(d, f, others, ddof=0, left=0)
    low, high = (float(end[0]) for end in ppi.ppi_mean_ci(d, f, others, alpha=0.05))
    assert (low + high) / 2 == pytest.approx(row["difference"], rel=CLOSE)
    assert (high - low) / 2 == pytest.approx(stats.norm.ppf(0.975) * theirs["standard_error"], rel=1e-11)
    assert row["standard_error"] > theirs["standard_error"]


def test_without_a_use_of_the_predicted_grades_the_test_is_that_of_statsmodels(
    con: duckdb.DuckDBPyConnection,
) -> None:
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    d, f, others = draw(1, 25, 60)
    for useless in (f * 0 + 0.1, -2 * d + 0.01 * f):  # they do not vary, or the other way
        row, wanted = compare(con, d, useless, others * (useless[0] != 0.1) + 0.1), weightstats.DescrStatsW(d)
        assert row["predicted_weight"] == 0
        assert (row["low"], row["high"]) == pytest.approx(wanted.tconfint_mean(), rel=1e-10)
        assert row["p"] == pytest.approx(wanted.ttest_mean()[1], rel=1e-9)
        assert row["standard_error"] == pytest.approx(row["labelled_standard_error"], rel=CLOSE)


def test_without_others_the_comparison_is_as_without_predicted_grades(con: duckdb.DuckDBPyConnection) -> None:
    for d in (draw(2, 12, 2)[0], np.full(6, 0.5), np.zeros(9)):
        row = compare(con, d, d, [])
        (plain,) = rows(con, "FROM ranking_compare_by_user('people', baseline := 'a')")
        assert {name: row[name] for name in plain} == plain
        assert [*row] == [name for one in plain for name in (*NEW * (one == "higher_is_better"), one)]


@pytest.mark.parametrize(
    ("d", "f", "others", "weight", "difference"),
    [
        ([0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1], None, None),  # 4 differ
        ([0.5] * 8, [0.5] * 8, [0.5] * 4, 0, 0.5),  # nothing varies
        ([0.5] * 8, [0.1, 0.2] * 4, [0.1, 0.2], 0, 0.5),  # d does not
        ([0.0] * 8, [0.1, 0.2] * 4, [0.1, 0.2], 0, 0),  # nobody differs
        # d - f is 0.5, and f varies more among the labelled users
        ([1.5, -0.5] * 4, [1.0, -1.0] * 4, [0.0, 0.1] * 8, 1, 0.55),
        ([0.3], [0.2], [0.1, 0.2], 0, 0.3),
    ],
)
def test_too_little_is_unclear_and_no_margin_makes_it_the_same(
    con: duckdb.DuckDBPyConnection,
    d: Any,
    f: Any,
    others: Any,
    weight: float | None,
    difference: float | None,
) -> None:
    row = compare(con, d, f, others, ", margin := 10")
    assert row["verdict"] == "unclear"
    missing = ("p", "p_adjusted", "p_same", "low", "high", "standard_error", "minimum_detectable_effect")
    assert [row[name] for name in (*missing, "relative_low")] == [None] * 8
    if weight is not None and difference is not None:
        assert row["predicted_weight"] == weight
        assert row["difference"] == pytest.approx(difference, abs=CLOSE)
    assert ("few_differ" in (row["caveats"] or "")) == (len(d) > 1 and np.count_nonzero(d) < 5)
    compared = "FROM ranking_compare_by_user('people', predicted := 'model')"
    (gated,) = rows(con, f"WITH compared AS ({compared}) FROM ranking_gate('compared')")
    assert (gated["verdict"], gated["p_adjusted"]) == ("unclear", None)


@pytest.mark.parametrize("of", ["people", "model"])
def test_where_a_user_has_no_value_people_alone_count(con: duckdb.DuckDBPyConnection, of: str) -> None:
    d, f, others = draw(3, 20, 50)
    compare(con, d, f, others)
    con.execute(
        f"CREATE OR REPLACE VIEW lacking AS SELECT * REPLACE (if(userid = 4, NULL, x) AS x) FROM {of}"
    )
    tables = {"people": "people", "model": "model"} | {of: "lacking"}
    (row,) = rows(
        con, f"FROM ranking_compare_by_user('{tables['people']}', predicted := '{tables['model']}')"
    )
    known = np.delete(d, 4) if of == "people" else d
    assert (row["predicted_weight"], row["correlation"], row["users"]) == (0, None, len(known))
    assert row["p"] == pytest.approx(stats.ttest_1samp(known, 0).pvalue, rel=1e-9)


def test_the_ratio_has_the_interval_of_fieller(con: duckdb.DuckDBPyConnection) -> None:
    """The ends r are those at which difference - r * baseline is t standard errors from 0."""
    d, f, others = draw(5, 30, 90)
    base = np.random.default_rng(6).normal(3, 0.5, 30)
    compare(con, d, f, others)
    con.execute(
        "CREATE OR REPLACE TABLE base AS SELECT unnest(range(30)) AS userid, unnest($1) AS base",
        [base.tolist()],
    )
    con.execute("""CREATE OR REPLACE VIEW based AS
        SELECT people.* REPLACE (x + base AS x) FROM people JOIN base USING (userid)""")
    (row,) = rows(con, "FROM ranking_compare_by_user('based', baseline := 'a', predicted := 'model')")
    weight = plainly(d, f, others)["predicted_weight"]
    assert row["relative"] == pytest.approx(row["difference"] / base.mean(), rel=CLOSE)
    square = row["standard_error"] ** 2
    for ratio in (row["relative_low"], row["relative_high"]):
        # Of d - weight * f alone the sum of squares is divided by n - 3.
        joint = np.cov(d - weight * f, base, ddof=1)[0, 1]
        error = math.sqrt(square - 2 * ratio * joint / 30 + ratio**2 * base.var(ddof=1) / 30)
        distance = row["difference"] - ratio * base.mean()
        assert abs(distance) / error == pytest.approx(stats.t(29).ppf(0.975), rel=1e-9)


def test_each_segment_and_measure_has_its_own_weight_and_all_are_one_family(
    con: duckdb.DuckDBPyConnection,
) -> None:
    parts = [draw(7, 20, 80, 0.9), draw(8, 30, 40, 0.2)]
    d, f = (
        np.concatenate([np.concatenate(one) for one in ends])
        for ends in zip(*(((d, np.full(len(o), np.nan)), (f, o)) for d, f, o in parts), strict=True)
    )
    segments = np.repeat(["one", "two"], [100, 70])
    users, is_labelled = np.arange(170), ~np.isnan(d)
    con.register("people", by_user(d[is_labelled], users[is_labelled], segments[is_labelled]))
    con.register("model", by_user(f, users, segments))
    found = rows(con, "FROM ranking_compare_by_user('people', baseline := 'a', predicted := 'model')")
    assert [row["segment"] for row in found] == ["one", "two"]
    for row, part in zip(found, parts, strict=True):
        assert row["standard_error"] == pytest.approx(plainly(*part)["standard_error"], rel=CLOSE)
        assert row["method"] == "t, holm of 2"


def test_the_same_numbers_in_any_order_and_on_any_threads(con: duckdb.DuckDBPyConnection) -> None:
    with duckdb.connect() as own:
        ranking_udfs.register(own)
        expected = compare(own, *draw(9, 3000, 9000))
        own.execute("CREATE TABLE p AS FROM people ORDER BY hash(userid)")
        own.execute("CREATE TABLE m AS FROM model ORDER BY hash(-userid)")
        for setting in (
            "threads = 1",
            "threads = 4",
            "default_order = 'DESC'",
            "default_null_order = 'NULLS FIRST'",
        ):
            own.execute(f"SET {setting}")
            (row,) = rows(own, "FROM ranking_compare_by_user('p', baseline := 'a', predicted := 'm')")
            assert row == expected


def simulate(
    con: duckdb.DuckDBPyConnection, n: int, rho: float, share: float, draws: int, seed: int
) -> tuple[list[Row], float]:
    """Comparisons without a difference, of which `share` of the users differ; grades favour b by 0.03."""
    random, others = np.random.default_rng(seed), 400
    shape = (draws, n + others)
    spread = math.sqrt(share * (0.25**2 + 0.5**2) / 2)
    d = random.choice([-0.5, -0.25, 0.25, 0.5], shape) * (random.random(shape) < share)
    f = 0.03 + rho * d + math.sqrt(1 - rho**2) * spread * random.normal(0, 1, shape)
    segments, users = np.repeat(np.arange(draws), n + others), np.tile(np.arange(n + others), draws)
    is_labelled = users < n
    con.register("people", by_user(d.ravel()[is_labelled], users[is_labelled], segments[is_labelled]))
    con.register("model", by_user(f.ravel(), users, segments))
    query = "SELECT difference, standard_error, verdict, caveats FROM ranking_compare_by_user('people'"
    return rows(
        con, f"{query}, baseline := 'a', predicted := 'model', correction := 'none')"
    ), spread / math.sqrt(n)


DRAWS = 250


@pytest.mark.slow
@pytest.mark.parametrize("n", [15, 30, 100])
def test_a_difference_is_found_where_there_is_none_as_often_as_said(
    con: duckdb.DuckDBPyConnection, n: int
) -> None:
    """At most at the nominal rate, within 3.3 standard errors of each simulation, and 2.6 of all."""
    false, apart, count = 0, 0, 0
    for rho in (0.0, 0.45, 0.8):
        for share in (0.1, 0.3, 0.6):
            found, alone = simulate(con, n, rho, share, DRAWS, seed=n)
            wrong = sum(row["verdict"] != "unclear" for row in found)
            assert wrong <= DRAWS * 0.05 + 3.3 * math.sqrt(DRAWS * 0.05 * 0.95), (rho, share)
            false, count = false + wrong, count + DRAWS
            apart += sum("labelled_apart" in (row["caveats"] or "") for row in found)
            # How far estimates are from 0, beside those of people alone: what theory says, but for a small n.
            ratio = math.sqrt(np.mean([row["difference"] ** 2 for row in found])) / alone
            theory = math.sqrt(1 - rho**2 / (1 + n / 400))
            assert 0.85 < ratio / theory < (1.15 if n > 15 or rho < 0.8 else 1.25), (rho, share)
            if n == 100:  # and as far as their standard errors say
                known = [row for row in found if row["standard_error"] is not None]
                said = math.sqrt(np.mean([row["standard_error"] ** 2 for row in known]))
                assert said / alone == pytest.approx(ratio, rel=0.15), (rho, share)
    assert false <= count * 0.05 + 2.6 * math.sqrt(count * 0.05 * 0.95)
    assert apart <= count * 0.01 + 3.3 * math.sqrt(count * 0.01)


def test_grades_of_a_model_alone_are_sure_of_their_bias(con: duckdb.DuckDBPyConnection) -> None:
    """Where the model favours b by 0.03 it says so, and people's grades take it back."""
    random = np.random.default_rng(12)
    d = random.normal(0, 0.3, 5000)
    f = 0.03 + 0.8 * d + 0.6 * random.normal(0, 0.3, 5000)
    row = compare(con, d[:200], f[:200], f[200:])
    (alone,) = rows(con, "FROM ranking_compare_by_user('model', baseline := 'a')")
    assert (alone["verdict"], row["verdict"]) == ("better", "unclear")
    assert alone["difference"] == pytest.approx(row["predicted_difference"], rel=CLOSE)
    assert row["low"] < 0 < row["high"]
    assert row["predicted_bias_low"] < 0.03 < row["predicted_bias_high"]
    # More labelled users alone would not do, so nobody says how many: nor do the gates.
    (people,) = rows(con, "FROM ranking_compare_by_user('people', baseline := 'a')")
    compared = "FROM ranking_compare_by_user('people', baseline := 'a', predicted := 'model')"
    (gated,) = rows(con, f"WITH compared AS ({compared}) FROM ranking_gate('compared')")
    both = [{**row}, people]
    correct_together(con, both, {"confidence": 0.95, "correction": "holm", "margin": None})  # type: ignore[typeddict-item]
    assert [one["users_needed"] is None for one in (row, gated, *both)] == [True, True, True, False]


# --- From lists: rec, few labels by people, many by a model ---


@pytest.fixture(scope="module")
def lists(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Lists of 300 users by two systems; people grade the first 40 users, the model all, with mistakes."""
    con.execute("""
        CREATE TABLE pairs AS
        SELECT u AS userid, i AS itemid,
            hash(concat_ws(' ', 'good', u, i)) % 4 = 0 AS is_good,
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


def test_ranking_compare_is_ranking_compare_by_user_by_both(lists: duckdb.DuckDBPyConnection) -> None:
    found = rows(
        lists, "FROM ranking_compare('rec', 'graded', [3, 5], baseline := 'a', predicted_truth := 'llm')"
    )
    others = rows(
        lists,
        """WITH p AS (FROM ranking_by_user('rec', 'graded', [3, 5])),
        m AS (FROM ranking_by_user('rec', 'llm', [5, 3, 7]))
        FROM ranking_compare_by_user('p', 'a', NULL, 0.95, NULL, 'holm', 't', 10000, 0, NULL, 'm')""",
    )
    assert found == others
    assert {(row["users"], row["users_predicted"]) for row in found} == {(40, 260)}
    of_model = rows(lists, "FROM ranking_compare('rec', 'llm', [3, 5], baseline := 'a')")
    for row, alone in zip(found, of_model, strict=True):
        assert row["predicted_difference"] == pytest.approx(alone["difference"], rel=CLOSE)
    # Options reach both truths, and the gate reads its rows.
    options = "min_grade := 1, ties := 'expected', measures := ['ndcg@4', 'recall'], predicted_truth := 'llm'"
    found = rows(
        lists,
        f"""WITH compared AS (FROM ranking_compare('rec', 'graded', [5], {options}))
        FROM ranking_gate('compared')""",
    )
    assert [(row["measure"], row["k"]) for row in found] == [("recall", 5), ("ndcg", 4)] or len(found) == 2
    assert all(name in found[0] for name in NEW)


def test_the_check_compares_labelled_users_with_the_others(lists: duckdb.DuckDBPyConnection) -> None:
    def check(people: str) -> dict[tuple[str, str], Row]:
        query = f"FROM ranking_check('rec', '{people}', ks := [5], predicted_truth := 'llm')"
        return {
            (row["code"], row["system"]): row
            for row in rows(lists, query)
            if row["code"].startswith("labelled")
        }

    assert check("graded") == {}
    lists.execute("""
        CREATE OR REPLACE TABLE easy AS SELECT userid, itemid, is_good::INTEGER AS rel FROM pairs
        WHERE userid IN (
            SELECT userid FROM ranking_by_user('rec', 'llm', [5]) WHERE system = 'a'
            ORDER BY ndcg DESC, userid LIMIT 40);
        CREATE OR REPLACE VIEW shallow AS FROM graded WHERE itemid < 15;
        CREATE OR REPLACE VIEW relevant AS FROM shallow WHERE rel > 0;
    """)
    found = check("easy")["labelled_apart", "a"]
    assert (found["severity"], found["count"], found["of"], found["k"]) == ("doubtful", 40, 300, 5)
    mean = "avg(ndcg) FROM ranking_by_user('rec', 'llm', [5]) WHERE system = 'a' AND userid"
    ((labelled, others),) = lists.execute(f"""SELECT (SELECT {mean} IN (SELECT userid FROM easy)),
        (SELECT {mean} NOT IN (SELECT userid FROM easy))""").fetchall()
    assert found["example"] == f"ndcg {labelled:.3g} of them, {others:.3g} of the others"
    # judged_share by its own definition: of the first 5, those that people have a grade of.
    found = check("shallow")["labelled_in_part", "a"]
    ((share, few),) = lists.execute("""SELECT avg(share), count(*) FILTER (share < 1) FROM (
        SELECT userid, avg((itemid < 15)::INTEGER) AS share FROM (
            SELECT *, row_number() OVER (PARTITION BY userid ORDER BY score DESC, itemid) AS rank
            FROM rec WHERE system = 'a' AND userid < 40) WHERE rank <= 5 GROUP BY userid)""").fetchall()
    assert (found["count"], found["of"], found["example"]) == (few, 40, f"judged_share {share:.3g}")
    assert not any(code == "labelled_in_part" for code, _ in check("relevant"))
    lists.begin()
    lists.execute("DELETE FROM rec WHERE system = 'a' AND userid < 2")  # who then have nothing to be judged
    assert not any(code == "labelled_in_part" for code, _ in check("graded"))
    assert check("shallow")["labelled_in_part", "a"]["count"] < few
    lists.rollback()


@pytest.mark.slow
def test_labelled_users_drawn_at_random_are_rarely_told_to_differ(lists: duckdb.DuckDBPyConnection) -> None:
    found = 0
    for seed in range(12):
        lists.execute(f"""CREATE OR REPLACE VIEW drawn AS SELECT userid, itemid, 1 AS rel FROM pairs
            WHERE is_good AND hash(userid, {seed}) % 8 = 0""")
        query = "SELECT code FROM ranking_check('rec', 'drawn', ks := [5], predicted_truth := 'llm')"
        found += sum(row["code"] == "labelled_apart" for row in rows(lists, query))
    assert found <= 2  # of 24 at 1 % each


def test_python_and_the_report_say_what_the_table_function_does(lists: duckdb.DuckDBPyConnection) -> None:
    given = {"con": lists, "baseline": "a", "predicted_truth": "llm"}
    found = ranking_udfs.compare("rec", "graded", ["ndcg"], 5, **given)  # type: ignore[arg-type]
    (expected,) = rows(
        lists,
        """FROM ranking_compare(
        'rec', 'graded', [5], baseline := 'a', measures := ['ndcg'], predicted_truth := 'llm')""",
    )
    assert dict(zip(found.columns, found.fetchall()[0], strict=True)) == expected
    page = ranking_udfs.report("rec", "graded", ["ndcg"], 5, **given)  # type: ignore[arg-type]
    said = predicted_sentence(expected, 4)
    assert said in page.findings.verdicts[0][1]
    assert said.startswith("Of 300 users 40 were graded by people")
    assert page.findings.facts["Predicted truth"] == "llm"
    assert (
        lists.execute(f"SELECT count(*) FROM duckdb_tables() WHERE table_name = '{PREDICTED[0]}'").fetchall()[
            0
        ][0]
        <= 1
    )


def test_the_sentence_says_both_verdicts_and_how_much_is_won() -> None:
    row: Row = {
        "baseline": "A", "system": "B", "measure": "ndcg", "k": 10, "users": 200, "users_predicted": 4800,
        "predicted_difference": 0.031, "difference": 0.004, "low": -0.011, "high": 0.019,
        "verdict": "unclear", "standard_error": 0.01, "labelled_standard_error": 0.018,
        "higher_is_better": True,
    }  # fmt: skip
    alone = "Of 5000 users 200 were graded by people (means are theirs). "
    alone += "By the predicted grades alone B would be "
    said = (
        "better than A by 0.031 in NDCG@10; people's grades correct this to 0.004 (-0.011 to 0.019): unclear."
    )
    wider = " Without the predicted grades the interval would be 1.8 times as wide."
    assert predicted_sentence(row, 4) == alone + said + wider
    turned = {**row, "predicted_difference": -0.031, "labelled_standard_error": 0.01}
    said = (
        "worse than A by 0.031 in NDCG@10; people's grades correct this to -0.004 (-0.019 to 0.011): unclear."
    )
    assert (
        predicted_sentence(turned, 4)
        == alone + said + " The predicted grades do not make the interval narrower."
    )
    unsure = {**row, "standard_error": None, "low": None, "high": None}
    assert predicted_sentence(unsure, 4).endswith(
        ": unclear. Of those graded by people, fewer than 5 differ, or none does from another."
    )
    assert predicted_sentence({**row, "users_predicted": 0}, 4) == predicted_sentence({"k": 1}, 4) == ""


def test_models_are_in_the_order_of_their_corrected_differences(con: duckdb.DuckDBPyConnection) -> None:
    """Means are of the labelled users; the difference of all may have the other sign."""
    from ranking_udfs.evaluation.pairs import order_models

    row = compare(
        con, [0.1, 0.2, 0.3, 0.4, -0.3, 0.25], [0.1, 0.2, 0.3, 0.4, -0.3, 0.25], [-0.9, -0.8, -0.7] * 30
    )
    assert row["mean_system"] > row["mean_baseline"]
    assert row["difference"] < 0
    order = order_models([{**row, "measure": "ndcg"}])
    assert order and [*order.means] == ["a", "b"]  # noqa: PT018


@pytest.mark.parametrize("function", ["ranking_compare", "ranking_check", "ranking_compare_by_user"])
def test_partitions_refuse_predicted_grades(function: str) -> None:
    schema = pa.schema(
        {"userid": pa.int64(), "itemid": pa.int64(), "score": pa.float64(), "system": pa.string()}
    )
    name = "predicted" if function.endswith("user") else "predicted_truth"
    truth = {} if function.endswith("user") else {"truth": schema, "ks": [5]}
    with pytest.raises(
        ValueError, match=f"^{function}: {name} is not read over partitions of users, got 'llm': "
    ):
        ranking_udfs.partition(function, schema, **truth, **{name: "llm"})  # type: ignore[arg-type]

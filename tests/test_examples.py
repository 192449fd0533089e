"""The examples run as their README says, and what they print is so."""

import re
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import udfs

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
Run = Callable[[duckdb.DuckDBPyConnection, str], None]


@pytest.fixture(scope="module")
def run() -> Run:
    runner: Run = runpy.run_path(str(EXAMPLES / "run_sql.py"))["run"]
    return runner


def read(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def test_the_quickstart_prints_the_report_of_its_tables(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "quickstart.py"), run_name="__main__")
    cells = [re.findall(r"[\d.]+", line) for line in capsys.readouterr().out.splitlines() if "│" in line]
    numbers = [list(map(float, row)) for row in cells if row and "64" not in row]
    assert numbers[0] == [pytest.approx(1 / 3)]
    # User 7 has recall 1/3 and 2/3 and the first hit at rank 1; user 8 was recommended nothing.
    assert sorted(numbers[1:]) == [
        [2, 2, 1, pytest.approx((1 / 3 + 0) / 2), (1 + 0) / 2],
        [4, 2, 1, pytest.approx((2 / 3 + 0) / 2), (1 + 0) / 2],
    ]


def printed_on_any_threads(
    run: Run, con: duckdb.DuckDBPyConnection, example: str, capsys: pytest.CaptureFixture[str]
) -> str:
    """What the example prints on four threads, which is what it prints on one."""
    printed = []
    with udfs.register(duckdb.connect()) as other:
        for connection, threads in ((other, 1), (con, 4)):
            connection.execute(f"SET threads = {threads}")
            run(connection, read(example))
            printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    return printed[0]


@pytest.mark.slow
def test_co_occurrence_beats_popularity_and_every_number_agrees_with_its_table(
    run: Run, con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = printed_on_any_threads(run, con, "recommender.sql", capsys)
    for title in ("The shop", "Mean over users", "Who is served well?", "Beyond accuracy"):
        assert title in printed

    (events, users) = con.sql(
        "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM users)"
    ).fetchall()[0]
    assert events > 200_000
    assert users == 4_000
    measures = ("recall", "precision", "hit_rate", "average_precision", "mrr", "ndcg")
    for measure in measures:
        better = con.sql(
            f'SELECT a.k, a."{measure}" > 1.5 * b."{measure}" FROM summary AS a JOIN summary AS b USING (k) '
            "WHERE a.system = 'co-occurrence' AND b.system = 'popularity' ORDER BY ALL"
        ).fetchall()
        assert better == [(5, True), (10, True), (20, True)], measure

    # Those who came too late have no neighbours, and are counted all the same.
    late = "SELECT count(DISTINCT userid) FROM truth ANTI JOIN seen USING (userid)"
    assert con.sql(
        f"SELECT users_without_rec = ({late}), users_without_rec > 100 FROM summary "
        "WHERE system = 'co-occurrence'"
    ).fetchall() == 3 * [(True, True)]

    # The plain functions on lists say the same as the table function on tables.
    ((difference,),) = con.sql("""
        WITH recs AS (
            SELECT userid, list(itemid ORDER BY score DESC, itemid) AS items
            FROM rec WHERE system = 'co-occurrence' GROUP BY userid
        ), truths AS (
            SELECT userid, list(itemid) AS items FROM truth GROUP BY userid
        )
        SELECT abs(avg(ndcg(recs.items, truths.items, 10))
                   - (SELECT ndcg FROM summary WHERE system = 'co-occurrence' AND k = 10))
        FROM truths LEFT JOIN recs USING (userid)
    """).fetchall()
    assert difference < 1e-12


@pytest.mark.slow
def test_a_model_that_knows_the_users_mind_orders_the_rated_items_best_and_a_coin_by_chance(
    run: Run, con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Mean over users" in printed_on_any_threads(run, con, "rank_effectiveness.sql", capsys)
    measures = ("spearman", "kendall_tau", "concordant_pairs", "ndcg", "ndcg_at_5")
    for measure in measures:
        order = con.sql(f"SELECT system FROM effectiveness ORDER BY {measure} DESC").fetchall()
        assert order == [("own mind",), ("item quality",), ("coin",)], measure
    coin = con.sql(
        "SELECT spearman, kendall_tau, concordant_pairs FROM effectiveness WHERE system = 'coin'"
    ).fetchall()
    assert coin == [(pytest.approx(0, abs=0.02), pytest.approx(0, abs=0.02), pytest.approx(0.5, abs=0.01))]


def test_the_seeds_of_the_dbt_project_are_what_their_sql_makes(
    run: Run, con: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(EXAMPLES / "dbt_project" / "make_seeds.sql", tmp_path)
    (tmp_path / "seeds").mkdir()
    monkeypatch.chdir(tmp_path)
    run(con, read("dbt_project/make_seeds.sql"))
    for file in (EXAMPLES / "dbt_project" / "seeds").glob("*.csv"):
        assert (tmp_path / "seeds" / file.name).read_text() == file.read_text()


def test_the_readme_has_a_line_for_every_example() -> None:
    names = {file.name for file in EXAMPLES.iterdir() if not file.name.startswith((".", "__"))}
    assert names - {"README.md"} == set(re.findall(r"\]\(([\w.]+)\)", read("README.md")))

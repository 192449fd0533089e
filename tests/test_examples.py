"""The examples run as their README says, and what they print is so.

`python -m tests.test_examples` runs the notebook and stores what its cells print.
"""

import contextlib
import re
import runpy
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from ranking_udfs.command.cli import main
from tests.conftest import Captured, Con, Patch

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NOTEBOOK = "tables_to_report.ipynb"
run_sql = runpy.run_path(str(EXAMPLES / "run_sql.py"))["run"]


def read(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


@pytest.mark.usefixtures("registered")
def test_the_folds_are_evaluated_each_by_its_own_truth(con: Con, capsys: Captured, tmp_path: Path) -> None:
    run_sql(con.execute("SET threads = 4"), example := read("folds.sql"))
    printed = capsys.readouterr().out
    # The models are the same on any threads.
    models = example[example.index("CREATE TEMP TABLE train") : example.index("-- What is wrong")]
    content = "SELECT count(*), sum(hash(rec)) FROM rec"
    before = con.execute(content).fetchall()
    con.execute("SET threads = 1").execute(models.replace("CREATE TEMP", "CREATE OR REPLACE TEMP"))
    assert con.execute(content).fetchall() == before
    assert re.search(r"similar +│ +30 │ .* │ better", printed)
    ratings = "FROM 'examples/dbt_project/seeds/ratings.csv'"
    for fold in (1, 4):
        # A fold by hand: five days, the last of them that many folds before the last day of May.
        test_from = f"DATE '2026-06-01' - {5 * fold}"
        days = f"rated_on >= {test_from} AND rated_on < {test_from} + 5"
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE fold_truth AS
            SELECT customer_id AS userid, sku AS itemid, [0, 0, 1, 2, 3][stars] AS rel {ratings} WHERE {days};
            CREATE OR REPLACE TEMP TABLE fold_train AS
            SELECT customer_id AS userid, sku AS itemid {ratings} WHERE rated_on < {test_from};
            CREATE OR REPLACE TEMP TABLE fold_rec AS
            SELECT 'popularity' AS system, userid, itemid, n_users::DOUBLE AS score
            FROM (SELECT DISTINCT userid FROM fold_train)
            CROSS JOIN (SELECT itemid, count(*) AS n_users FROM fold_train GROUP BY itemid)
            ANTI JOIN fold_train USING (userid, itemid);
            INSERT INTO fold_rec SELECT system, userid.customer, itemid, score
            FROM rec WHERE userid.fold = {fold} AND system = 'similar';
        """)
        expected = con.execute(
            "SELECT system, users, round(ndcg, 4), round(recall, 4) "
            "FROM ranking.evaluate('fold_rec', 'fold_truth', [10]) ORDER BY ALL"
        ).fetchall()
        found = con.execute(f"""
            SELECT system, count(*), round(ranking.mean(ndcg), 4), round(ranking.mean(recall), 4)
            FROM by_user WHERE fold = {fold} GROUP BY ALL ORDER BY ALL
        """).fetchall()
        assert found == expected
        known = "SELECT count(*) FROM fold_rec SEMI JOIN fold_train USING (userid, itemid)"
        assert con.execute(known).fetchall() == [(0,)]
    assert con.execute("SELECT count(*) FROM by_user").fetchall() == [(2 * (29 + 26 + 26 + 29),)]
    # The page, as the comment at the end says.
    *copies, command = read("folds.sql").partition("-- A page ")[2].replace("--   ", "").splitlines()[1:]
    with contextlib.chdir(tmp_path):
        con.execute("\n".join(copies))
        assert main(shlex.split(command)[1:]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    means = "SELECT ranking.mean(ndcg) FROM by_user WHERE fold = 1 GROUP BY system ORDER BY system DESC"
    (similar,), (popularity,) = con.execute(means).fetchall()
    assert f"similar is better than popularity in NDCG@10 by {similar - popularity:.4f} (" in page


def test_the_fusion_that_is_found_is_compared_on_other_users(con: Con, capsys: Captured) -> None:
    run_sql(con, read("tune_fusion.sql"))
    found = re.search(
        r"│ +10 │ \{popularity=1, similar=9\} │ similar │ +([\d.]+) │ +([\d.]+) │.*unclear",
        capsys.readouterr().out,
    )
    assert found is not None
    fused = "FROM ranking.fuse('rec', rrf_k := 10, weights := MAP {'popularity': 1, 'similar': 9})"
    means = con.execute(f"""
        WITH fused AS ({fused})
        SELECT round(ranking.mean(ndcg), 4) FROM ranking.by_user('fused', 'truth', [10])
        GROUP BY md5(userid::VARCHAR) < '8' ORDER BY md5(userid::VARCHAR) < '8' DESC
    """).fetchall()
    assert [str(mean) for (mean,) in means] == list(found.groups())


def test_the_quickstart_prints_the_report_of_its_tables(capsys: Captured) -> None:
    runpy.run_path(str(EXAMPLES / "quickstart.py"), run_name="__main__")
    cells = [re.findall(r"[\d.]+", line) for line in capsys.readouterr().out.splitlines() if "│" in line]
    numbers = [list(map(float, row)) for row in cells if row and "64" not in row]
    assert numbers[0] == [pytest.approx(1 / 3)]
    # User 7 has recall 1/3 and 2/3 and the first hit at rank 1; user 8 was recommended nothing.
    assert sorted(numbers[1:]) == [
        [2, 2, 1, pytest.approx((1 / 3 + 0) / 2), (1 + 0) / 2],
        [4, 2, 1, pytest.approx((2 / 3 + 0) / 2), (1 + 0) / 2],
    ]


@pytest.mark.slow
def test_the_comparison_of_models_finds_what_was_put_into_them(capsys: Captured) -> None:
    with duckdb.connect() as con:
        duckdb.set_default_connection(con)
        found = runpy.run_path(str(EXAMPLES / "compare_models.py"), run_name="__main__")
    duckdb.set_default_connection(duckdb.connect())
    printed = capsys.readouterr().out
    assert "What is wrong with the tables: []" in printed
    rows = [line.strip("│").replace(" ", "").split("│") for line in printed.splitlines() if "│" in line]
    by_first = {tuple(row[:2]): row for row in rows}

    # The same numbers, from the arrays.
    users, relevant = found["USERS"], found["best"](found["liking"], 5)["itemid"].reshape(-1, 5)
    for system, scores in found["models"].items():
        listed = np.argsort(-np.where(found["seen"], -np.inf, scores), axis=1)[:, :10]
        recall = (listed[:, :, None] == relevant[:, None, :]).sum() / 5 / users
        (row,) = (row for row in rows if row[:3] == [system.replace(" ", ""), "10", str(users)])
        assert float(row[3]) == pytest.approx(recall, abs=5e-5)

    # A model trained again is no better, and one that is better for most is not so for all.
    verdicts = {row[0]: row[-1] for row in rows if len(row) == 8}
    assert verdicts == {"system": "verdict", "varchar": "varchar", "alsagain": "unclear", "tuned": "better"}
    assert by_first["known", "tuned"][-1] == "better"
    assert float(by_first["new", "tuned"][3]) < 0


def run_notebook(folder: Path) -> Any:
    """The notebook as it is after a run in a folder of its own."""
    import nbformat
    from nbclient import NotebookClient

    shutil.copytree(EXAMPLES / "dbt_project" / "seeds", folder / "dbt_project" / "seeds")
    notebook = nbformat.read(EXAMPLES / NOTEBOOK, as_version=4)
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=place).execute()
    return notebook


def streams(notebook: Any) -> list[str]:
    """What each cell has printed."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(part.get("text", "") for part in cell.outputs) for cell in cells]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")  # of Jupyter's
def test_the_notebook_shows_what_its_cells_print_and_ends_in_the_report(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    stored = nbformat.read(EXAMPLES / NOTEBOOK, as_version=4)
    notebook = run_notebook(tmp_path)
    assert streams(stored) == streams(notebook)
    assert sum(map(bool, streams(stored))) == 5
    shown = notebook.cells[-1].outputs[0].data["text/html"]
    assert "similar" in shown
    assert "<svg" in (tmp_path / "my_report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_co_occurrence_beats_popularity_and_the_late_count(con: Con, capsys: Captured) -> None:
    run_sql(con, read("recommender.sql"))
    printed = capsys.readouterr().out
    titles = ("The shop", "Mean over users", "Who is served well?", "Beyond accuracy")
    assert all(title in printed for title in titles)
    assert con.sql("SELECT count(*) > 200_000 FROM events").fetchall() == [(True,)]
    columns = "COLUMNS('^(recall|precision|hit_rate|average_precision|mrr|ndcg)$')"
    values = f"SELECT {columns} FROM summary WHERE system = '{{}}' ORDER BY k"
    better, worse = (con.sql(values.format(name)).fetchnumpy() for name in ("co-occurrence", "popularity"))
    assert len(better) == 6
    for measure, of_ks in better.items():
        assert len(of_ks) == 3
        assert all(of_ks > 1.5 * worse[measure]), measure
    # Those who came too late have no neighbours, and are counted all the same.
    late = "SELECT count(DISTINCT userid) FROM truth ANTI JOIN seen USING (userid)"
    query = f"SELECT users_without_rec = ({late}), users_without_rec > 100 FROM summary"
    assert con.sql(f"{query} WHERE system = 'co-occurrence'").fetchall() == 3 * [(True, True)]


@pytest.mark.slow
def test_a_model_that_knows_the_users_mind_is_best_and_a_coin_is_chance(con: Con, capsys: Captured) -> None:
    run_sql(con, read("rank_effectiveness.sql"))
    assert "Mean over users" in capsys.readouterr().out
    for measure in ("spearman", "kendall_tau", "concordant_pairs", "ndcg", "ndcg_at_5"):
        order = con.sql(f"SELECT system FROM effectiveness ORDER BY {measure} DESC").fetchall()
        assert order == [("own mind",), ("item quality",), ("coin",)], measure
    values = "SELECT spearman, kendall_tau, 2 * concordant_pairs - 1 FROM effectiveness WHERE system = 'coin'"
    assert con.sql(values).fetchall() == [pytest.approx((0, 0, 0), abs=0.02)]


def test_the_data_of_an_example_are_what_their_sql_makes(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    for script, made, count in (
        ("dbt_project/make_seeds.sql", "seeds", 3),
        ("retrieval/make_data.sql", ".", 3),
        ("retrieval/make_golden.sql", "golden", 8),
    ):
        Path(made).mkdir(exist_ok=True)
        run_sql(duckdb.connect(), read(script))
        stored = (EXAMPLES / script).parent.glob(f"{made}/*.*")
        files = [file for file in stored if file.suffix in (".csv", ".tsv", ".jsonl", ".trec")]
        assert len(files) == count
        for file in files:
            assert Path(made, file.name).read_text() == file.read_text()


@pytest.mark.slow
def test_what_the_page_of_logs_says_of_its_world_is_so(bare: Con) -> None:
    """Its kappa is scikit-learn's, its rankers are equally good, and it is the same on any threads."""
    page, tables, kept = read("logs/README.md"), read("logs/make_data.sql"), []
    (kappa,) = re.findall(r"```sql\n(SELECT count\(\*\) AS items.*?)```", page, re.DOTALL)
    for threads in (1, 4):
        bare.execute(f"SET threads = {threads}")
        run_sql(bare, tables)
        kept.append(bare.execute("SELECT bit_xor(hash(log)) FROM log").fetchall())
    assert kept[0] == kept[1]
    graded = bare.execute("SELECT person, model FROM judged").fetchnumpy()
    expected = cohen_kappa_score(graded["person"], graded["model"], weights="quadratic")
    assert bare.sql(kappa).fetchall()[0][2] == round(expected, 3)
    errors = bare.sql("""
        SELECT system, abs(avg(score - relevance)) < 0.01, round(stddev(score - relevance), 2)
        FROM ranked JOIN relevant USING (query, item) GROUP BY ALL""").fetchall()
    assert {tuple(row[1:]) for row in errors} == {(True, 0.2)}


def test_the_readme_has_a_line_for_every_example() -> None:
    names = {file.name for file in EXAMPLES.iterdir() if not file.name.startswith((".", "__"))}
    assert names - {"README.md"} == set(re.findall(r"\]\(([\w.]+)\)", read("README.md")))


def store() -> None:
    """Store what the notebook's cells print. The page at its end is too long to be stored."""
    import nbformat

    with tempfile.TemporaryDirectory() as folder:
        notebook = run_notebook(Path(folder))
    notebook.cells[-1].outputs = []
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.execution_count = None
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    nbformat.write(notebook, EXAMPLES / NOTEBOOK)


if __name__ == "__main__":
    store()

"""The examples run as their README says, and print true numbers.

`python -m tests.test_examples` runs the notebook and stores what its cells print.
"""

import contextlib
import json
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

from ranking_udfs.command.cli import main
from tests.by_value import assert_same
from tests.conftest import Captured, Con, Patch, value

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
NOTEBOOK = "tables_to_report.ipynb"
run_sql = runpy.run_path(str(EXAMPLES / "run_sql.py"))["run"]


def read(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


# A fold from the files alone: its five test days begin that many times five days before June.
FOLD = """
    CREATE OR REPLACE TEMP TABLE fold_events AS
    SELECT customer_id AS userid, sku AS itemid, [0, 0, 1, 2, 3][stars] AS rel,
        rated_on - (DATE '2026-06-01' - 5 * {fold}) AS day
    FROM 'examples/dbt_project/seeds/ratings.csv';
    CREATE OR REPLACE TEMP TABLE fold_truth AS FROM fold_events WHERE day BETWEEN 0 AND 4;
    CREATE OR REPLACE TEMP TABLE fold_train AS FROM fold_events WHERE day < 0;
    CREATE OR REPLACE TEMP TABLE fold_rec AS
    SELECT system, userid.customer AS userid, itemid, score
    FROM rec WHERE userid.fold = {fold} AND system = 'similar'
    UNION ALL SELECT 'popularity', userid, itemid, n_users
    FROM (SELECT DISTINCT userid FROM fold_train)
    CROSS JOIN (SELECT itemid, count(*) AS n_users FROM fold_train GROUP BY itemid)
    ANTI JOIN fold_train USING (userid, itemid);
"""
MEANS = "round({mean}(ndcg), 4), round({mean}(recall), 4)"


@pytest.mark.slow
@pytest.mark.usefixtures("registered")
def test_folds_are_evaluated_with_their_own_truth(con: Con, capsys: Captured, tmp_path: Path) -> None:
    run_sql(con.execute("SET threads = 4"), example := read("folds.sql"))
    assert re.search(r"similar +│ +30 │ .* │ better", capsys.readouterr().out)
    # The models are the same on any number of threads.
    models = example[example.index("CREATE TEMP TABLE train") : example.index("-- Problems")]
    content = "SELECT count(*), sum(hash(rec)) FROM rec"
    on_four_threads = con.execute(content).fetchall()
    con.execute("SET threads = 1").execute(models.replace("CREATE TEMP", "CREATE OR REPLACE TEMP"))
    assert con.execute(content).fetchall() == on_four_threads
    for fold in (1, 4):
        con.execute(FOLD.format(fold=fold))
        expected = con.sql(f"""
            SELECT system, users, {MEANS.format(mean="")}
            FROM ranking.evaluate('fold_rec', 'fold_truth', [10]) ORDER BY ALL""")
        means = con.sql(f"""
            SELECT system, count(*), {MEANS.format(mean="ranking.mean")}
            FROM by_user WHERE fold = {fold} GROUP BY ALL ORDER BY ALL""")
        assert means.fetchall() == expected.fetchall()
        assert value(con, "SELECT count(*) FROM fold_rec SEMI JOIN fold_train USING (userid, itemid)") == 0
    assert value(con, "SELECT count(*) FROM by_user") == 2 * (29 + 26 + 26 + 29)
    # The page, as the comment at the end of the file says.
    *copies, command = example.partition("-- A report ")[2].replace("--   ", "").splitlines()[1:]
    with contextlib.chdir(tmp_path):
        con.execute("\n".join(copies))
        assert main(shlex.split(command)[1:]) == 0
    ndcg = "SELECT ranking.mean(ndcg) FROM by_user WHERE fold = 1 AND system = '{}'"
    difference = value(con, ndcg.format("similar")) - value(con, ndcg.format("popularity"))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"similar is significantly better than popularity in NDCG@10 by {difference:.4f} (" in page


def test_tuned_fusion_is_compared_on_the_other_users(con: Con, capsys: Captured) -> None:
    run_sql(con, read("tune_fusion.sql"))
    row = r"│ +10 │ \{popularity=1, similar=9\} │ similar │ +([\d.]+) │ +([\d.]+) │.*unclear"
    (printed,) = re.findall(row, capsys.readouterr().out)
    means = con.execute("""
        WITH fused AS (FROM ranking.fuse('rec', rrf_k := 10, weights := MAP {'popularity': 1, 'similar': 9}))
        SELECT round(ranking.mean(ndcg), 4) FROM ranking.by_user('fused', 'truth', [10])
        GROUP BY md5(userid::VARCHAR) < '8' ORDER BY md5(userid::VARCHAR) < '8' DESC
    """).fetchall()
    assert tuple(str(mean) for (mean,) in means) == printed


def test_quickstart_prints_its_report(capsys: Captured) -> None:
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
def test_compared_models_differ_as_they_were_made(capsys: Captured) -> None:
    with duckdb.connect() as con:
        duckdb.set_default_connection(con)
        names = runpy.run_path(str(EXAMPLES / "compare_models.py"), run_name="__main__")
    duckdb.set_default_connection(duckdb.connect())
    printed = capsys.readouterr().out
    assert "Problems in the tables: []" in printed
    rows = [line.strip("│").replace(" ", "").split("│") for line in printed.splitlines() if "│" in line]
    # The same recall, from the arrays.
    users, relevant = names["USERS"], names["best"](names["liking"], 5)["itemid"].reshape(-1, 5)
    for system, scores in names["models"].items():
        top = np.argsort(-np.where(names["seen"], -np.inf, scores), axis=1)[:, :10]
        recall = (top[:, :, None] == relevant[:, None, :]).sum() / 5 / users
        (row,) = (row for row in rows if row[:3] == [system.replace(" ", ""), "10", str(users)])
        assert float(row[3]) == pytest.approx(recall, abs=5e-5)
    # A retrained model is no better. The tuned one is better for known users, and worse for new ones.
    verdicts = {row[0]: row[-1] for row in rows if len(row) == 8}
    assert verdicts == {"system": "verdict", "varchar": "varchar", "alsagain": "unclear", "tuned": "better"}
    of_segment = {tuple(row[:2]): row for row in rows}
    assert of_segment["known", "tuned"][-1] == "better"
    assert float(of_segment["new", "tuned"][3]) < 0


def run_notebook(folder: Path) -> Any:
    """Run the notebook in a folder of its own, and return it with its outputs."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    shutil.copytree(EXAMPLES / "dbt_project" / "seeds", folder / "dbt_project" / "seeds")
    notebook = nbformat.read(EXAMPLES / NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return notebook


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")  # of Jupyter's
def test_notebook_prints_what_is_stored_in_it(tmp_path: Path) -> None:
    notebook = run_notebook(tmp_path)
    stored = json.loads(read(NOTEBOOK))
    printed, expected = (
        ["".join("".join(part.get("text", "")) for part in cell.get("outputs", ())) for cell in cells]
        for cells in (notebook.cells, stored["cells"])
    )
    for now, before in zip(printed, expected, strict=True):
        assert_same(before, now, f"{NOTEBOOK}: run `python -m tests.test_examples`")
    assert sum(map(bool, expected)) == 5
    assert "similar" in notebook.cells[-1].outputs[0].data["text/html"]
    assert "<svg" in (tmp_path / "my_report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_co_occurrence_beats_popularity_and_late_users_count(con: Con, capsys: Captured) -> None:
    run_sql(con, read("recommender.sql"))
    printed = capsys.readouterr().out
    for title in ("The shop", "Mean over users", "NDCG by the length", "Beyond accuracy"):
        assert title in printed
    assert value(con, "SELECT count(*) FROM events") > 200_000
    columns = "COLUMNS('^(recall|precision|hit_rate|average_precision|mrr|ndcg)$')"
    means = f"SELECT {columns} FROM summary WHERE system = '{{}}' ORDER BY k"
    better, worse = (con.sql(means.format(name)).fetchnumpy() for name in ("co-occurrence", "popularity"))
    assert [len(of_ks) for of_ks in better.values()] == 6 * [3]
    assert all((of_ks > 1.5 * worse[measure]).all() for measure, of_ks in better.items())
    # Users without a history have no recommendations, and are counted all the same.
    late = "SELECT count(DISTINCT userid) FROM truth ANTI JOIN seen USING (userid)"
    query = f"SELECT users_without_rec = ({late}), users_without_rec > 100 FROM summary"
    assert con.sql(f"{query} WHERE system = 'co-occurrence'").fetchall() == 3 * [(True, True)]


@pytest.mark.slow
def test_correlation_is_best_for_own_order_and_0_for_coin(con: Con, capsys: Captured) -> None:
    run_sql(con, read("rank_effectiveness.sql"))
    assert "Mean over users" in capsys.readouterr().out
    for measure in ("spearman", "kendall_tau", "concordant_pairs", "ndcg", "ndcg_at_5"):
        order = con.sql(f"SELECT system FROM effectiveness ORDER BY {measure} DESC").fetchall()
        assert order == [("own mind",), ("item quality",), ("coin",)], measure
    coin = "SELECT spearman, kendall_tau, 2 * concordant_pairs - 1 FROM effectiveness WHERE system = 'coin'"
    assert con.sql(coin).fetchall() == [pytest.approx((0, 0, 0), abs=0.02)]


def test_stored_data_are_those_of_their_sql(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    for script, folder, count in (
        ("dbt_project/make_seeds.sql", "seeds", 3),
        ("retrieval/make_data.sql", ".", 3),
        ("retrieval/make_golden.sql", "golden", 8),
    ):
        Path(folder).mkdir(exist_ok=True)
        run_sql(duckdb.connect(), read(script))
        stored = (EXAMPLES / script).parent.glob(f"{folder}/*.*")
        files = [file for file in stored if file.suffix in (".csv", ".tsv", ".jsonl", ".trec")]
        assert len(files) == count
        for file in files:
            assert_same(file.read_text(), Path(folder, file.name).read_text(), file.name)


@pytest.mark.slow
def test_page_of_logs_describes_its_data_truly(bare: Con) -> None:
    """Its rankers are equally good, and threads change nothing."""
    hashes = set()
    for threads in (1, 4):
        run_sql(bare.execute(f"SET threads = {threads}"), read("logs/make_data.sql"))
        hashes.add(value(bare, "SELECT bit_xor(hash(log)) FROM log"))
    assert len(hashes) == 1
    errors = bare.sql("""
        SELECT DISTINCT abs(avg(score - relevance)) < 0.01, round(stddev(score - relevance), 2)
        FROM ranked JOIN relevant USING (query, item) GROUP BY system""")
    assert errors.fetchall() == [(True, 0.2)]


def test_readme_lists_every_example() -> None:
    names = {file.name for file in EXAMPLES.iterdir() if not file.name.startswith((".", "__"))}
    assert names - {"README.md"} == set(re.findall(r"\]\(([\w.]+)\)", read("README.md")))


def store() -> None:
    """Store what the notebook's cells print, without the page at its end."""
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

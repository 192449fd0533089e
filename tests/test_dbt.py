"""The real dbt builds the example and small projects, on four threads, in memory, and with the script."""

import contextlib
import multiprocessing
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs

plugins = pytest.importorskip("dbt.adapters.duckdb.plugins", reason="needs the extra `dbt`")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "dbt_project"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
VIEWS = (EXAMPLE.parents[1] / "udfs/ranking_udfs/duckdb/README.md").read_text(encoding="utf-8")
IN_FILE = "evaluation.duckdb"
# The profile of a user's own project, for another database.
(PROFILE,) = re.findall(r"<!-- profile -->\n```yaml\n(.*?)```", README, re.DOTALL)
PROFILE = PROFILE.replace("warehouse.duckdb", IN_FILE)

# dbt takes longer to import than to build, so a server that has imported it forks for each run.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["dbt.adapters.duckdb", "dbt.cli.main"])


def run_dbt(folder: Path, command: str, output: str) -> None:
    """Run dbt in this process, which ends with dbt's exit code."""
    from dbt.cli.main import cli

    os.chdir(folder)
    os.environ["DBT_USE_COLORS"] = "false"
    file = os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    cli(shlex.split(command))


@dataclass
class Project:
    """A dbt project, and the database file that it builds."""

    folder: Path

    def dbt(self, command: str, exit_code: int = 0) -> str:
        """Run dbt as a user does, and return what it prints."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
            process = FORKS.Process(target=run_dbt, args=(self.folder, command, output.name))
            process.start()
            process.join()
            text = output.read()
        assert process.exitcode == exit_code, text
        return text

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows without the last digits of means, which depend on the order of the rows."""
        with duckdb.connect(self.folder / IN_FILE, read_only=True) as con:
            return rounded(con.execute(query).fetchall())


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(round(cell, 12) if isinstance(cell, float) else cell for cell in row) for row in rows]


def small_project(folder: Path, files: dict[str, str]) -> Project:
    """Write a project of these files, called shop, with the plugin unless it has a profile of its own."""
    flags = "flags: {send_anonymous_usage_stats: false}"
    settings = f"name: shop\nprofile: shop\n{files.pop('dbt_project.yml', '')}\n{flags}"
    for name, text in {"profiles.yml": PROFILE, "dbt_project.yml": settings, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Project(folder)


def copy_of_example(folder: Path) -> Project:
    """Copy the example, with the package as in the README for a user's own project."""
    unwanted = shutil.ignore_patterns("target", "logs", "*.duckdb*", ".user.yml", "dbt_packages")
    project = Project(shutil.copytree(EXAMPLE, folder, ignore=unwanted))
    (packages,) = re.findall(r"<!-- packages -->\n```yaml\n(.*?)```", README, re.DOTALL)
    (folder / "packages.yml").write_text(packages.replace("../duckdb-ranking-udfs", str(ROOT)))
    assert "Installed from" in project.dbt("deps")
    return project


@pytest.fixture(scope="module")
def first_day(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Build the example on four threads, with a view that calls the pack."""
    example = copy_of_example(tmp_path_factory.mktemp("first_day") / "project")
    view = example.folder / "models" / "quality_view.sql"
    view.write_text("{{ config(materialized='view') }} select ndcg([1, 2], [2], 2) as ndcg")
    printed = example.dbt("build --vars '{run_date: 2026-06-01}' --threads 4")
    for line in (
        "Concurrency: 4 threads",
        "PASS ranking_by_user::a_user_without_recommendations_scores_0_and_grades_count",
        "PASS list_quality::a_list_that_finds_half_of_the_items_has_half_the_capped_recall",
        "PASS ndcg_is_not_worse_than_in_the_run_before",
        "WARN=0 ERROR=0 SKIP=0",
    ):
        assert line in printed
    return example


@pytest.fixture
def built(first_day: Project, tmp_path: Path) -> Project:
    """Copy the example as it is after its first build."""
    return Project(shutil.copytree(first_day.folder, tmp_path / "built"))


def test_folds_are_those_of_the_sql_example(first_day: Project) -> None:
    run = runpy.run_path(str(ROOT / "examples" / "run_sql.py"))["run"]
    query = "SELECT system, fold, userid, ndcg FROM {} ORDER BY ALL"
    verdict = "SELECT system, users, difference, verdict FROM {} ORDER BY ALL"
    compared = "ranking.compare_by_user('by_customer', baseline := 'popularity', margin := 0.01)"
    with ranking_udfs.register(duckdb.connect()) as con, contextlib.chdir(ROOT):
        run(con, Path("examples/folds.sql").read_text(encoding="utf-8"))
        by_user = rounded(con.execute(query.format("by_user")).fetchall())
        verdicts = rounded(con.execute(verdict.format(compared)).fetchall())
    assert len(by_user) == 220
    assert by_user == first_day.rows(query.format("fold_by_user"))
    assert verdicts == first_day.rows(verdict.format("fold_comparison"))


def test_readme_writes_a_report_of_the_latest_fold(built: Project) -> None:
    (command,) = re.findall(r"<!-- command: report -->\n```sh\n(.*?)```", README, re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", command], cwd=built.folder, env=os.environ | {"PATH": path}, check=True)
    page = (built.folder / "report.html").read_text(encoding="utf-8")
    assert "similar is significantly better than popularity" in page


def test_gate_fails_where_the_readme_says(tmp_path: Path) -> None:
    """Run the README's commands in order: the first build is of today, the others of earlier days."""
    blocks = re.findall(r"(?<!-->\n)```sh\n(.*?)```", README, re.DOTALL)  # other tests run marked blocks
    install, build, *commands = [line for block in blocks for line in block.splitlines()]
    assert install.startswith("pip install")
    assert build == "cd examples/dbt_project && dbt deps && dbt build"
    assert [command[:9] for command in commands[1::2]] == ["sed -i.ba", "dbt show ", "dbt build"]
    project, printed = copy_of_example(tmp_path / "project"), ""
    # Other tests build and test the rest.
    tests = ("not_null", "accepted_values", "one_row_per", "between_0_and_1")
    unwanted = " ".join(["test_type:unit", *(f"test_name:{name}" for name in tests)])
    only_gate = f"--select +ranking_comparison --exclude {unwanted} --indirect-selection cautious"
    for command, exit_code in zip(["dbt build", *commands], (0, 0, 0, 1, 0, 0, 0), strict=True):
        if command.startswith("dbt build"):
            printed += project.dbt(f"{command.removeprefix('dbt ')} {only_gate}", exit_code)
        elif command.startswith("dbt "):
            assert re.search(
                r"\| similar +\| +-0\.\d+\S* \| worse ", project.dbt(command.removeprefix("dbt "))
            )
        else:
            subprocess.run(["bash", "-c", command], cwd=project.folder, check=True)
    assert set(re.findall("Failure in test ([a-z_]+)", printed)) == {
        "ndcg_is_not_worse_than_in_the_run_before",
        "ndcg_is_not_worse_than_that_of_the_baseline",
    }
    days = project.rows("SELECT DISTINCT run_date::VARCHAR FROM ranking_by_user_history ORDER BY ALL")
    assert days[:2] == [("2026-06-01",), ("2026-06-02",)]
    assert len(days) == 3


P_OF_ONE = "CASE WHEN measure = 'ndcg' AND k = 10 AND segment = 'similar' THEN 0.02 ELSE 0.5 END"
GATES = {  # name: p, p_same and users of two comparisons, the arguments of the gate, whether it fails
    "beyond_the_margin": ("0.01", "1", 30, "measure: ndcg, k: 10", True),
    "within_the_margin": ("0.01", "0.001", 30, "measure: ndcg, k: 10", False),
    "nothing_at_7": ("0.01", "0.001", 30, "measure: ndcg, k: [10, 7]", True),
    "one_of_one": (P_OF_ONE, "NULL", 30, "measure: ndcg, k: 10, confidence: 0.9", True),
    "one_of_four": (P_OF_ONE, "NULL", 30, "measure: [ndcg, recall], k: [5, 10], confidence: 0.9", False),
    "few_users": ("0.9", "NULL", 6, "measure: ndcg, k: 10", True),
    "enough_users": ("0.9", "NULL", 7, "measure: ndcg, k: 10", False),
    "few_users_of_four": ("0.9", "NULL", 8, "measure: [ndcg, recall], k: [5, 10]", True),
}


def test_gate_has_a_margin_adjusts_p_and_wants_rows(built: Project) -> None:
    """P is adjusted over measures, k and systems. One call of dbt runs all gates."""
    with_margin = "SELECT count(p_same_adjusted) > 0 FROM ranking_comparison WHERE standard_error > 0"
    assert built.rows(with_margin) == [(True,)]
    title, gates = "      # The quality gate.\n", ""
    with duckdb.connect(built.folder / IN_FILE) as con:
        for name, (p, p_same, users, arguments, _) in GATES.items():
            con.execute(f"""
                INSERT INTO ranking_comparison SELECT * REPLACE (
                    '{name}' AS baseline, -0.1 AS difference, {p} AS p, {p_same} AS p_same,
                    {users} AS users)
                FROM ranking_comparison WHERE baseline = 'run before'""")
            gates += f"      - ranking_udfs.ranking_not_worse:\n          name: {name}\n"
            gates += f"          arguments: {{baseline: {name}, {arguments}}}\n"
    models = built.folder / "models" / "evaluation" / "evaluation.yml"
    text = models.read_text(encoding="utf-8")
    assert title in text
    models.write_text(text.replace(title, title + gates), encoding="utf-8")
    printed = built.dbt(f"test --select {' '.join(GATES)}", exit_code=1)
    failing = {name for name, (*_, fails) in GATES.items() if fails}
    assert set(re.findall("Failure in test ([a-z0-9_]+)", printed)) == failing
    assert f"PASS={len(GATES) - len(failing)} " in printed


def model(query: str, **config: str) -> str:
    settings = "".join(f', {name}="{setting}"' for name, setting in config.items())
    return f"{{{{ config(materialized='table'{settings}) }}}} {query}"


def test_option_hivemall_makes_measures_aggregates(tmp_path: Path) -> None:
    options = "          config: {hivemall: true}\n      settings: {memory_limit: 1GB}\n"
    query = "select ndcg([1, 2], [1], 5) as ndcg, recall([1], [1, 2]) as recall from range(3)"
    project = small_project(tmp_path, {"profiles.yml": PROFILE + options, "models/means.sql": model(query)})
    project.dbt("run --threads 4")
    assert project.rows("FROM means") == [(1.0, 0.5)]


def test_invalid_options_are_errors() -> None:
    for config, error in (
        ({"hivemal": True}, "the options are hivemall and name, got 'hivemal'"),
        ({"hivemall": "perhaps"}, "option hivemall must be true or false, got 'perhaps'"),
    ):
        with pytest.raises(Exception, match=rf"ranking_udfs\.dbt: {error}"):
            plugins.BasePlugin.create("ranking_udfs.dbt", config=config)


@pytest.mark.parametrize("setup", ["plugin", "plugin in memory", "script"])
def test_small_project_has_the_macros_with_plugin_or_script(tmp_path: Path, setup: str) -> None:
    """A profile sets up the plugin. The command and setting of the example's README set up the script."""
    (quality,) = re.findall(r"```jinja\n(.*?)```", README, re.DOTALL)
    (command,) = re.findall(r"<!-- command: dbt -->\n```sh\n(.*?)```", README, re.DOTALL)
    (setting,) = re.findall(r"`(on-run-start: .*?)` in `dbt_project.yml`", README)
    rec = "select 1 as userid, unnest([5, 6]) as itemid, unnest(['0.5', 'NaN']::double[]) as score"
    test = "select 1 where (select list({0} order by {0}) from {{{{ ref('{1}') }}}}) is distinct from {2}"
    files = {
        "models/rec.sql": model(rec),
        "models/truth.sql": "select 1 as userid, unnest([6, 7]) as itemid",
        "models/problems.sql": "from ranking.check('{{ ref(\"rec\") }}', '{{ ref(\"truth\") }}') "
        "where severity <> 'info'",
        "models/quality.sql": quality,
        "tests/one_problem.sql": test.format("problem", "problems", "['rec: score is NULL or NaN']"),
        "tests/half_is_found.sql": test.format(
            "(k, recall, mrr)", "quality", "[(5, 0.5, 0.5), (10, 0.5, 0.5)]"
        ),
    }
    if setup == "plugin in memory":
        files["profiles.yml"] = PROFILE.replace(IN_FILE, "':memory:'")
    if setup == "script":
        profile = f"shop: {{target: dev, outputs: {{dev: {{type: duckdb, path: {IN_FILE}}}}}}}"
        files |= {"profiles.yml": profile, "dbt_project.yml": setting}
        (tmp_path / "macros").mkdir()
        command = command.replace("ranking-udfs", f"{sys.executable} -m ranking_udfs")
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tmp_path, check=True)
    project = small_project(tmp_path, files)
    for _ in range(2 if setup == "script" else 1):
        printed = project.dbt("build --threads 4")
        assert {*re.findall(r"PASS (\w+)", printed)} >= {"one_problem", "half_is_found"}
        assert "WARN=0 ERROR=0 SKIP=0" in printed
    assert (tmp_path / IN_FILE).exists() == (setup != "plugin in memory")
    if setup == "plugin":  # a client without the pack reads the tables
        assert project.rows("SELECT k, mrr FROM quality ORDER BY k") == [(5, 0.5), (10, 0.5)]


def test_view_with_the_packs_functions_needs_the_pack(first_day: Project) -> None:
    error = "Catalog Error: Scalar Function with name ndcg does not exist!"
    with pytest.raises(duckdb.CatalogException, match=error):
        first_day.rows("FROM quality_view")
    assert error.replace("ndcg", "recall") in VIEWS
    with ranking_udfs.register(duckdb.connect(first_day.folder / IN_FILE, read_only=True)) as con:
        assert con.execute("SELECT ndcg > 0.6 FROM quality_view").fetchone() == (True,)

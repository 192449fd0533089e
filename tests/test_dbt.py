"""The dbt example and small projects by the real dbt: on any number of threads, in memory, and again."""

import contextlib
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs

plugins = pytest.importorskip("dbt.adapters.duckdb.plugins", reason="needs the extra `dbt`")
yaml = pytest.importorskip("yaml", reason="comes with dbt")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "dbt_project"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
IN_FILE = "evaluation.duckdb"
# The profile of a user's own project, for another database.
(PROFILE,) = re.findall(r"<!-- profile -->\n```yaml\n(.*?)```", README, re.DOTALL)
PROFILE = PROFILE.replace("warehouse.duckdb", IN_FILE)

# dbt takes longer to import than to build: a process that has it is forked for each run.
SERVE = """
import json, os, sys
import dbt.adapters.duckdb, dbt.cli.main  # the plugin is for dbt to import
for line in sys.stdin:
    folder, printed, arguments = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        os.environ.update(DBT_USE_COLORS="false")
        for stream in (1, 2):
            os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
        sys.argv = ["dbt", *arguments]
        dbt.cli.main.cli()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    """A process that runs dbt for Project.dbt."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as Project.server:
        yield


class Project:
    """A dbt project, and the database file that it builds."""

    server: subprocess.Popen[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def dbt(self, *arguments: str, exit_code: int = 0) -> str:
        """Run dbt as a user does, and return what it prints."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as printed:
            self.server.stdin.write(json.dumps([str(self.folder), printed.name, arguments]) + "\n")
            self.server.stdin.flush()
            code, text = self.server.stdout.readline().strip(), printed.read()
        assert code == str(exit_code), text
        return text

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(self.folder / IN_FILE, read_only=True) as con:
            found = con.execute(query).fetchall()
        # The last digits of a mean depend on the order in which the rows come.
        return [tuple(round(cell, 12) if isinstance(cell, float) else cell for cell in row) for row in found]


def small_project(folder: Path, files: dict[str, str]) -> Project:
    """A project of these files, called shop, with the plugin unless it has a profile of its own."""
    flags = "flags: {send_anonymous_usage_stats: false}"
    settings = f"name: shop\nprofile: shop\n{files.pop('dbt_project.yml', '')}\n{flags}"
    for name, text in {"profiles.yml": PROFILE, "dbt_project.yml": settings, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Project(folder)


def copy_of_example(folder: Path) -> Project:
    unwanted = shutil.ignore_patterns("target", "logs", "*.duckdb*", ".user.yml")
    return Project(shutil.copytree(EXAMPLE, folder / "project", ignore=unwanted))


@pytest.fixture(scope="module")
def first_day(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The example after its first build, on four threads, with a view that calls the pack."""
    example = copy_of_example(tmp_path_factory.mktemp("first_day"))
    view = example.folder / "models" / "quality_view.sql"
    view.write_text("{{ config(materialized='view') }} select ndcg([1, 2], [2], 2) as ndcg")
    printed = example.dbt("build", "--vars", "{run_date: 2026-06-01}", "--threads", "4")
    assert "Concurrency: 4 threads" in printed
    assert "PASS ranking_by_user::a_user_without_recommendations_scores_0_and_grades_count" in printed
    assert "PASS list_quality::a_list_that_finds_half_of_the_items_has_half_the_capped_recall" in printed
    assert "PASS ndcg_is_not_worse_than_in_the_run_before" in printed
    assert "WARN=0 ERROR=0 SKIP=0" in printed
    return example


@pytest.fixture
def built(first_day: Project, tmp_path: Path) -> Project:
    """A copy of the example as it is after its first build."""
    return Project(shutil.copytree(first_day.folder, tmp_path / "built"))


def test_the_folds_are_those_of_the_example_in_sql(first_day: Project) -> None:
    run = runpy.run_path(str(ROOT / "examples" / "run_sql.py"))["run"]
    query = "SELECT system, fold, userid, ndcg FROM {} ORDER BY ALL"
    verdict = "SELECT system, users, difference, verdict FROM {} ORDER BY ALL"
    compared = "ranking.compare_by_user('by_customer', baseline := 'popularity', margin := 0.01)"
    with ranking_udfs.register(duckdb.connect()) as con, contextlib.chdir(ROOT):
        run(con, Path("examples/folds.sql").read_text(encoding="utf-8"))
        by_user = con.execute(query.format("by_user")).fetchall()
        found = con.execute(verdict.format(compared)).fetchall()
    assert len(by_user) == 220
    assert [(*row[:3], round(row[3], 12)) for row in by_user] == first_day.rows(query.format("fold_by_user"))
    assert [(*row[:2], round(row[2], 12), row[3]) for row in found] == first_day.rows(
        verdict.format("fold_comparison")
    )


def test_a_page_of_the_latest_fold_is_written_as_the_readme_says(built: Project) -> None:
    (command,) = re.findall(r"<!-- command: report -->\n```sh\n(.*?)```", README, re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", command], cwd=built.folder, env=os.environ | {"PATH": path}, check=True)
    assert "similar is better than popularity" in (built.folder / "report.html").read_text(encoding="utf-8")


def test_building_again_on_the_same_day_on_one_thread_changes_nothing(built: Project) -> None:
    tables = ("ranking_by_user", "ranking_history", "ranking_by_segment", "list_quality")
    before = [built.rows(f"FROM {table} ORDER BY ALL") for table in tables]
    printed = built.dbt("run", "--vars", "{run_date: 2026-06-01}", "--threads", "1")
    assert "WARN=0 ERROR=0 SKIP=0" in printed
    assert [built.rows(f"FROM {table} ORDER BY ALL") for table in tables] == before
    assert all(before)


def test_the_gate_closes_where_the_readme_says_so(tmp_path: Path) -> None:
    """Its commands, from top to bottom: the first build is of today, those after it are of days before."""
    blocks = re.findall(r"(?<!-->\n)```sh\n(.*?)```", README, re.DOTALL)  # what is marked runs elsewhere
    commands = [line for block in blocks for line in block.splitlines()]
    assert commands.pop(0).startswith("pip install")
    (tmp_path / "examples").mkdir()
    folder = copy_of_example(tmp_path / "examples").folder.rename(tmp_path / "examples" / "dbt_project")
    shutil.rmtree(folder / "models" / "folds")  # the gate alone: the others run elsewhere in this file
    for name in ("list_quality", "ranking_by_segment", "ranking_history", "ranking_summary"):
        (folder / "models" / "evaluation" / f"{name}.sql").unlink()
    for path in folder.glob("models/**/*.yml"):
        text = yaml.safe_load(path.read_text(encoding="utf-8"))
        text.pop("unit_tests", None)
        for model in (one for one in text["models"] if one["name"] != "ranking_comparison"):
            model.pop("data_tests", None)
            model["columns"] = []
        path.write_text(yaml.safe_dump(text), encoding="utf-8")
    assert commands[0].startswith("cd examples/dbt_project && ")
    commands[0] = commands[0].removeprefix("cd examples/dbt_project && ")
    assert [command.partition(" ")[0] for command in commands] == ["dbt", "dbt", "sed", "dbt", "mv", "dbt"]
    project, printed = Project(folder), ""
    for command, exit_code in zip(commands, (0, 0, 0, 1, 0, 0), strict=True):
        if command.startswith("dbt "):
            printed += project.dbt(*shlex.split(command)[1:], exit_code=exit_code)
        else:
            subprocess.run(["bash", "-c", command], cwd=folder, check=True)
    assert set(re.findall("Failure in test ([a-z_]+)", printed)) == {
        "ndcg_is_not_worse_than_in_the_run_before",
        "ndcg_is_not_worse_than_that_of_the_baseline",
    }
    history = project.rows("SELECT DISTINCT run_date FROM ranking_by_user_history ORDER BY ALL")
    assert [str(day) for (day,) in history][:2] == ["2026-06-01", "2026-06-02"]
    assert len(history) == 3


OF_ONE = "CASE WHEN measure = 'ndcg' AND k = 10 AND segment = 'similar' THEN 0.02 ELSE 0.5 END"
GATES = {  # over comparisons with another p and p_same: what it looks at, and whether it fails
    "beyond_the_margin": ("0.01", "1", "measure: ndcg, k: 10", True),
    "within_the_margin": ("0.01", "0.001", "measure: ndcg, k: 10", False),
    "nothing_at_7": ("0.01", "0.001", "measure: ndcg, k: [10, 7]", True),
    "one_of_one": (OF_ONE, "NULL", "measure: ndcg, k: 10, confidence: 0.9", True),
    "one_of_four": (OF_ONE, "NULL", "measure: [ndcg, recall], k: [5, 10], confidence: 0.9", False),
}


def test_the_gate_has_a_margin_corrects_p_and_fails_where_nothing_is_compared(built: Project) -> None:
    """P is corrected over measures, k and systems; all gates are tests of one call of dbt."""
    with_margin = "SELECT count(p_same_adjusted) > 0 FROM ranking_comparison WHERE standard_error > 0"
    assert built.rows(with_margin) == [(True,)]
    title = "      # The quality gate.\n"
    models = built.folder / "models" / "evaluation" / "evaluation.yml"
    before, found, after = models.read_text(encoding="utf-8").partition(title)
    with duckdb.connect(built.folder / IN_FILE) as con:
        for name, (p, p_same, looked_at, _) in GATES.items():
            con.execute(f"""
                INSERT INTO ranking_comparison SELECT * REPLACE (
                    '{name}' AS baseline, -0.1 AS difference, {p} AS p, {p_same} AS p_same)
                FROM ranking_comparison WHERE baseline = 'run before'""")
            found += f"      - ranking_not_worse:\n          name: {name}\n"
            found += f"          arguments: {{baseline: {name}, {looked_at}}}\n"
    models.write_text(before + found + after, encoding="utf-8")
    printed = built.dbt("test", "--select", *GATES, exit_code=1)
    failed = {name for name, (*_, fails) in GATES.items() if fails}
    assert set(re.findall("Failure in test ([a-z0-9_]+)", printed)) == failed
    assert f"PASS={len(GATES) - len(failed)} " in printed


def model(query: str, **config: str) -> str:
    settings = "".join(f', {name}="{setting}"' for name, setting in config.items())
    return f"{{{{ config(materialized='table'{settings}) }}}} {query}"


def test_with_the_option_hivemall_the_measures_are_aggregates(tmp_path: Path) -> None:
    options = "          config: {hivemall: true}\n      settings: {memory_limit: 1GB}\n"
    query = "select ndcg([1, 2], [1], 5) as ndcg, recall([1], [1, 2]) as recall from range(3)"
    project = small_project(tmp_path, {"profiles.yml": PROFILE + options, "models/one.sql": model(query)})
    project.dbt("run", "--threads", "4")
    assert project.rows("FROM one") == [(1.0, 0.5)]


def test_the_macros_are_found_whatever_the_search_path_and_by_another_name(tmp_path: Path) -> None:
    """A warehouse with a schema called ranking is told to take one; a hook may say USE."""
    functions = "(select count(*) > 30 from rk.functions()) as found"
    models = {
        "hers": model(f"select mae(1, 3) as mae, i, {functions} from t"),
        "used": model(f"select i, {functions} from t", pre_hook="use evaluation.other"),
    }
    files = {f"models/{name}.sql": text for name, text in models.items()}
    settings = "      settings: {search_path: 'evaluation.main,evaluation.other'}\n"
    project = small_project(tmp_path, {**files, "profiles.yml": PROFILE + settings})
    with duckdb.connect(tmp_path / IN_FILE) as con:
        con.execute("CREATE MACRO mae(a, b) AS 'hers'; CREATE SCHEMA ranking; CREATE SCHEMA other")
        con.execute("CREATE TABLE other.t AS SELECT 7 AS i")
    printed = project.dbt("run", "--threads", "1", exit_code=2)
    assert "no schema ranking in the current database" in printed
    assert "write name: rk below config" in " ".join(printed.split())
    (tmp_path / "profiles.yml").write_text(PROFILE + "          config: {name: rk}\n" + settings)
    assert "PASS=2 WARN=0 ERROR=0" in project.dbt("run", "--threads", "1")
    assert project.rows("FROM hers") == [("hers", 7, True)]
    assert project.rows("FROM used") == [(7, True)]


def test_an_option_that_is_not_valid_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    profile = PROFILE + "          config: {hivemal: true}\n"
    project = small_project(tmp_path, {"profiles.yml": profile, "models/one.sql": "select 1 as one"})
    printed = project.dbt("run", exit_code=2)
    assert "ranking_udfs.dbt: the options are hivemall and name, got 'hivemal'" in printed
    assert "Traceback" not in printed
    with pytest.raises(
        Exception, match=r"ranking_udfs\.dbt: option hivemall must be true or false, got 'perhaps'"
    ):
        plugins.BasePlugin.create("ranking_udfs.dbt", config={"hivemall": "perhaps"})


@pytest.mark.parametrize("way", ["plugin", "plugin in memory", "script"])
def test_a_small_project_has_the_macros_with_and_without_the_plugin(tmp_path: Path, way: str) -> None:
    """The plugin is set up in a profile, the script by the command and setting of the example's README."""
    (quality,) = re.findall(r"```jinja\n(.*?)```", README, re.DOTALL)
    (command,) = re.findall(r"<!-- command: dbt -->\n```sh\n(.*?)```", README, re.DOTALL)
    (setting,) = re.findall(r"`(on-run-start: .*?)` in `dbt_project.yml`", README)
    rec = "select 1 as userid, unnest([5, 6]) as itemid, unnest(['0.5', 'NaN']::double[]) as score"
    files = {
        "models/rec.sql": model(rec),
        "models/truth.sql": "select 1 as userid, unnest([6, 7]) as itemid",
        "models/problems.sql": "from ranking.check('{{ ref(\"rec\") }}', '{{ ref(\"truth\") }}')",
        "models/quality.sql": quality,
        "tests/one_problem.sql": (
            "select 1 where (select list(problem) from {{ ref('problems') }} where severity <> 'info') "
            "is distinct from ['rec: score is NaN']"
        ),
        "tests/half_is_found.sql": (
            "select 1 where (select list((k, recall, mrr) order by k) from {{ ref('quality') }}) "
            "is distinct from [(5, 0.5, 0.5), (10, 0.5, 0.5)]"
        ),
    }
    if way == "plugin in memory":
        files["profiles.yml"] = PROFILE.replace(IN_FILE, "':memory:'")
    if way == "script":
        profile = f"shop: {{target: dev, outputs: {{dev: {{type: duckdb, path: {IN_FILE}}}}}}}"
        files |= {"profiles.yml": profile, "dbt_project.yml": setting}
        (tmp_path / "macros").mkdir()
        command = command.replace("ranking-udfs", f"{sys.executable} -m ranking_udfs")
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=tmp_path, check=True)
    project = small_project(tmp_path, files)
    for _ in range(2 if way == "script" else 1):
        printed = project.dbt("build", "--threads", "4")
        assert {*re.findall(r"PASS (\w+)", printed)} >= {"one_problem", "half_is_found"}
        assert "WARN=0 ERROR=0 SKIP=0" in printed
    assert (tmp_path / IN_FILE).exists() == (way != "plugin in memory")
    if way == "plugin":  # what a client without the pack reads
        assert project.rows("SELECT k, mrr FROM quality ORDER BY k") == [(5, 0.5), (10, 0.5)]


def test_a_view_that_calls_the_pack_needs_the_pack(first_day: Project) -> None:
    error = "Catalog Error: Scalar Function with name ndcg does not exist!"
    with pytest.raises(duckdb.CatalogException, match=error):
        first_day.rows("FROM quality_view")
    assert error in README
    with ranking_udfs.register(duckdb.connect(first_day.folder / IN_FILE, read_only=True)) as con:
        assert con.execute("SELECT ndcg > 0.6 FROM quality_view").fetchone() == (True,)

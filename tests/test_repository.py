"""Workflows, forms and the action for GitHub follow its rules, and do what their pages say."""

import json
import os
import re
import shlex
import subprocess
import sys
from math import log2
from pathlib import Path
from typing import Any

import check_jsonschema  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

import ranking_udfs
from ranking_udfs.command.cli import main
from tests.command import csv

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"
ACTION = GITHUB / "actions/gate/action.yml"
PAGE = ROOT / "examples/ci.md"


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("github-workflows", "workflows/*.yml"),
        ("github-actions", "actions/*/action.yml"),
        ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml"),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml"),
    ],
)
def test_workflows_and_forms_follow_the_schemas_of_github(schema: str, pattern: str) -> None:
    files = sorted(map(str, GITHUB.glob(pattern)))
    assert files
    done = CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", f"vendor.{schema}", *files])
    assert done.exit_code == 0, done.output


def test_no_workflow_has_a_known_weakness() -> None:
    """Look for permissions that it does not need, actions that are not pinned, and so on."""
    command = [Path(sys.executable).with_name("zizmor"), "--offline", "--persona", "auditor", GITHUB]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_names_tests_that_exist() -> None:
    names = re.findall(r"tests/\w+\.py", (GITHUB / "workflows/checks.yml").read_text(encoding="utf-8"))
    assert names
    assert all((ROOT / name).is_file() for name in names)


def read_yaml(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def gate(step: int = -1, **given: str) -> tuple[int, str, str]:
    """Run a step of the action without a network; return exit code, summary and output."""
    action, folder = read_yaml(ACTION.read_text(encoding="utf-8")), os.getcwd()
    inputs = {"python": sys.executable, "candidate": "good.csv", "baseline": "good.csv", "truth": "truth.csv"}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    declared = action["inputs"].items()
    values = {f"inputs.{name}": inputs.get(name, one.get("default")) for name, one in declared}
    values["steps.setup.outputs.python-path"] = sys.executable
    run = action["runs"]["steps"][step]
    env = {name: values[text.strip("${} ")] for name, text in run["env"].items()}
    env |= {"RUNNER_TEMP": folder, "GITHUB_STEP_SUMMARY": "summary.md", "PATH": os.environ["PATH"]}
    env |= {"GITHUB_ACTION_PATH": str(ACTION.parent), "PYTHONPATH": os.pathsep.join(sys.path)}
    env |= {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}  # here is hatchling
    env["http_proxy"] = "http://127.0.0.1:9"
    Path("summary.md").write_text("")
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run["run"]]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.returncode, Path("summary.md").read_text(), done.stdout + done.stderr


@pytest.fixture
def golden_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write 20 queries with one document each: at rank 1 of `good.csv`, at rank 2 or 3 of `worse.csv`."""
    monkeypatch.chdir(tmp_path)
    csv("truth.csv", "userid,itemid", *(f"q{u},d" for u in range(20)))
    csv("kinds.csv", "userid,kind", *(f"q{u},{'ab'[u % 2]}" for u in range(20)))
    for name, ranks in {"good": [1] * 20, "worse": [2, 3] * 10}.items():
        places = [(u, at, at == rank) for u, rank in enumerate(ranks) for at in (1, 2, 3)]
        lists = (f"q{u},{'d' if is_it else f'x{u % 3}{at}'},{-at}" for u, at, is_it in places)
        csv(f"{name}.csv", "userid,itemid,score", *lists)


@pytest.mark.slow
@pytest.mark.usefixtures("golden_set")
def test_the_gate_fails_if_the_candidate_is_worse() -> None:
    code, summary, said = gate(candidate="worse.csv", segment="kinds.csv:kind")
    assert code == 3
    head = summary.partition("<details>")[0]
    failure = "- Failed: worse: candidate in ndcg@10 (1 of 1 comparisons)\n"
    assert f"## Ranking gate: failed\n\n\n{failure}" in head
    assert "\n- Segment a: candidate is significantly worse than baseline in NDCG@10 by 0.3691 " in head
    mean = (1 / log2(3) + 1 / log2(4)) / 2
    assert re.search(rf"\n\| NDCG@10 +\| candidate +\| {mean:.4f} +\| 1 ", summary)
    assert re.search(r"\n\| NDCG@10 +\| b +\| 10 +\| candidate +\| 0.5 +\| 1 ", summary)  # 1 / log2(4)
    manifest = json.loads(re.findall(r"```json\n(.*?)```", summary, re.DOTALL)[0])
    assert [one["file"] for one in manifest["inputs"]] == ["good.csv", "worse.csv", "truth.csv", "kinds.csv"]
    assert "ranking-udfs: failed: worse" in said
    main(["evaluate", "good.csv", "truth.csv", "--by-user", "good.parquet", "--manifest", "--no-check"])
    stored = {"baseline": "", "against": "good.parquet", "options": "--ties\n item"}
    code, summary, _ = gate(candidate="worse.csv", **stored)
    assert (code, f" {mean:.4f} " in summary) == (3, True)
    code, summary, said = gate(candidate="worse.csv", measures="mrr@3", comparison_options="--margin 0.7")
    assert (code, said, summary[:24]) == (0, "", "## Ranking gate: passed\n")
    assert "| = same " in summary
    code, summary, _ = gate(candidate="gone.csv")
    assert (code, summary) == (1, "## Ranking gate: could not compare\n\n- gone.csv: no such file\n")
    assert gate(baseline="")[0] == 2
    # Over all queries the candidate is as good as the baseline: queries of kind a lose, those of b win.
    for name, first in (("old", 0), ("new", 1)):
        places = [(u, at, at == 1 + (u + first) % 2) for u in range(20) for at in (1, 2)]
        lists = (f"q{u},{'d' if is_it else 'x'},{-at}" for u, at, is_it in places)
        csv(f"{name}.csv", "userid,itemid,score", *lists)
    models = {"candidate": "new.csv", "baseline": "old.csv", "options": "--allow seen_first"}
    assert gate(**models)[0] == 0
    code, summary, _ = gate(**models, segment="kinds.csv:kind", fail_if="worse,segments worse")
    assert (code, summary.count("- Failed: ")) == (3, 1)
    assert "- Failed: segments worse: candidate in ndcg@10, segment a (1 of 2 comparisons)\n" in summary
    assert gate(**models, segment="kinds.csv:kind")[0] == 3


@pytest.mark.slow
@pytest.mark.usefixtures("golden_set")
def test_only_a_first_run_passes_without_a_baseline() -> None:
    """Refuse a missing file in other runs, since a wrong path would always pass."""
    for before in ({"baseline": "none.csv"}, {"baseline": "", "against": "none.csv"}):
        code, summary, said = gate(candidate="worse.csv", **before)
        assert code == 1
        rule = "The file `none.csv` does not exist. Write `first-run: true` if there is no baseline yet."
        assert summary.startswith(f"## Ranking gate: could not compare\n\n{rule}\n\n- none.csv: no ")
        assert "the baseline: write first-run: true if there is none yet\n" in said
    assert gate(first_run="true", candidate="worse.csv")[0] == 3
    code, summary, said = gate(first_run="yes")
    assert (code, said) == (2, "::error title=Ranking gate::first-run must be true or false\n")
    given = {"baseline": "none.csv", "first_run": "true"}
    code, summary, said = gate(candidate="worse.csv", comparison_options="--margin 0.1", **given)
    assert code == 0
    nothing = "**Nothing was compared**: there is no file `none.csv`"
    assert f"## Ranking gate: no baseline yet\n\n{nothing}" in summary
    assert re.search(r"\| NDCG +\| 0.5655 ", summary)
    assert said.startswith("::warning title=Ranking gate::Nothing was compared")
    assert gate(candidate="gone.csv", **given)[0] == 1
    assert gate(baseline="https://127.0.0.1:9/a.csv")[0] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("golden_set")
def test_the_gate_executes_no_input() -> None:
    text = "$(touch stolen)`touch stolen`'; touch stolen; '\n::set-output name=a::b"
    names = ["candidate", "truth", "measures", "fail_if", "segment", "options", "comparison_options"]
    given = dict.fromkeys(names, text)
    first = {"baseline": text, "first_run": "true"}
    for before in (first, {"baseline": text}, {}, {"against": text}, {"first_run": text}):  # all ways
        _, _, said = gate(**given, **before)
        assert not Path("stolen").exists()
        assert not re.search(r"^::(?!(warning|error) title)", said, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.usefixtures("golden_set")
def test_the_gate_installs_its_own_version() -> None:
    code, _, said = gate(1)
    assert code == 0, said
    installed = f"lib/*/site-packages/duckdb_ranking_udfs-{ranking_udfs.__version__}*"
    assert [*Path("ranking-udfs").glob(installed)]
    assert gate(python="")[0] == 0


@pytest.mark.usefixtures("golden_set")
def test_the_documented_pipelines_of_github_and_gitlab_work() -> None:
    page = PAGE.read_text(encoding="utf-8")
    github, gitlab = map(read_yaml, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    inputs = read_yaml(ACTION.read_text(encoding="utf-8"))["inputs"]
    given = github["jobs"]["ranking"]["steps"][-1]["with"]
    assert {name for name, one in inputs.items() if one.get("required")} <= {*given} <= {*inputs}
    Path("eval").mkdir()
    for name, file in (("baseline", "good"), ("candidate", "worse"), ("truth", "truth")):
        Path(f"{file}.csv").rename(f"eval/{name}.csv")
    assert main(shlex.split(gitlab["ranking"]["script"][-1])[1:]) == 3
    assert all(Path(path).exists() for path in gitlab["ranking"]["artifacts"]["paths"])

"""What a public repository runs and asks for: workflows and forms, by the tools that know their rules."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").iterdir())


@pytest.mark.parametrize(
    ("schema", "pattern", "count"),
    [
        ("github-workflows", "workflows/*.yml", 3),
        ("github-issue-forms", "ISSUE_TEMPLATE/[!c]*.yml", 2),
        ("github-issue-config", "ISSUE_TEMPLATE/config.yml", 1),
    ],
)
def test_workflows_and_forms_are_as_github_reads_them(schema: str, pattern: str, count: int) -> None:
    files = sorted(map(str, GITHUB.glob(pattern)))
    assert len(files) == count
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_workflow_has_a_weakness_that_is_known() -> None:
    command = [Path(sys.executable).with_name("zizmor"), "--offline", "--persona", "auditor", GITHUB]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_nothing_by_default_and_its_actions_are_pinned(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert "\npermissions: {}\n" in text
    used = re.findall(r"uses: (.*)", text)
    assert used
    for one in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", one)


def test_the_tests_that_the_workflow_names_are_there() -> None:
    named = re.findall(r"tests/\w+\.py", (GITHUB / "workflows/checks.yml").read_text(encoding="utf-8"))
    assert len(named) > 5
    assert all((ROOT / name).is_file() for name in named)


def test_the_page_is_published_with_all_that_it_reads(tmp_path: Path) -> None:
    workflow = (GITHUB / "workflows/pages.yml").read_text(encoding="utf-8")
    (steps,) = re.findall(r"run: \|\n((?: {10}.*\n)+)", workflow)
    folders = {"RUNNER_TEMP": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run(["bash", "-euo", "pipefail", "-c", steps], cwd=ROOT, env=folders, check=True)
    site = tmp_path / "site"
    page = site / "examples/browser"
    read = re.findall(r'(?:href|src)="([\w./]+)"', (page / "index.html").read_text(encoding="utf-8"))
    read += re.findall(r'"(\.\./[\w./]+)"', (page / "page.js").read_text(encoding="utf-8"))
    assert len(read) == 5
    assert all((page / path).exists() for path in read)
    assert {path.name for path in (page / "../dbt_project/seeds").iterdir()} >= {"ratings.csv"}
    assert (site / "examples/report.html").is_file()

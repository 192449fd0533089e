"""Mistakes that the tests must find: `python -m tests.mutants [PATTERN] [--quick]`.

Makes one mistake of mutants.toml at a time in a copy, if its file or effect contains the pattern. Runs the
tests that it names, or with --quick those of `-m quick`, and prints the first test that fails. Exits with 1
if the tests miss a mistake, or if its text is no longer in its file.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MUTANTS: dict[str, dict[str, tuple[str, str, str]]] = tomllib.loads(
    (ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8")
)
QUICK = ["-n", "auto", "-m", "quick", "--deselect", "tests/test_generated.py"]


def copy_of_files(folder: Path) -> None:
    """Copy the files that git lists, as they are in the work tree."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def run(folder: Path, *module: str) -> "subprocess.CompletedProcess[str]":
    """Run a module with the package of the copy, not another one that is installed."""
    environment = os.environ | {"PYTHONPATH": str(folder / "udfs")}
    command = [sys.executable, "-m", *module]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def outcome(folder: Path, file: str, before: str, after: str, tests: list[str]) -> str:
    """Make a mistake in the copy, run the tests, and undo it."""
    text = (folder / file).read_text(encoding="utf-8") if (folder / file).exists() else ""
    if text.count(before) != 1:
        return f"moved: {file} has the text {text.count(before)} times; write where it is now"
    (folder / file).write_text(text.replace(before, after), encoding="utf-8")
    run(folder, "tests.generate", "--keep-outputs")
    done = run(folder, "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", *tests)
    copy_of_files(folder)
    failed = re.search(r"^(?:FAILED|ERROR) tests/([^\n]*?)(?: - |$)", done.stdout, re.MULTILINE)
    if re.search(r"^\d+ skipped in", done.stdout, re.MULTILINE):
        return "not run: its tests are skipped here, as without an extra"
    if done.returncode > 2 or (done.returncode and not failed):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return f"caught by {failed[1]}" if failed and done.returncode else "SURVIVED"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="part of a file's name or of an effect")
    parser.add_argument("--quick", action="store_true", help="run the quick tests instead of those named")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        copy_of_files(Path(folder))
        for file, mutants in MUTANTS.items():
            for effect, (before, after, named) in mutants.items():
                if arguments.pattern in file or arguments.pattern in effect:
                    name, *options = named.split()
                    tests = QUICK if arguments.quick else [f"tests/{name}.py", *options]
                    result = outcome(Path(folder), file, before, after, tests)
                    results.append(result)
                    print(f"{file}: {effect}: {result}", flush=True)
    n_caught, n_not_run = (sum(one.startswith(word) for one in results) for word in ("caught", "not run"))
    n_missed = len(results) - n_caught - n_not_run
    print(f"{n_caught} caught, {n_missed} not, {n_not_run} not run")
    return int(n_missed > 0)


if __name__ == "__main__":
    sys.exit(main())

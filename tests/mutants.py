"""Mistakes that the tests must find: `python -m tests.mutants [PATTERN] [--quick]`.

Makes those of mutants.toml whose file or effect holds the pattern one at a time, in a copy, and runs the
tests named there, or with --quick those of `-m quick`. Prints the first test that fails. Ends with 1 if a
mistake was not found, or if its text is no longer in its file.
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
QUICK = ("-m", "quick", "--deselect", "tests/test_generated.py")


def moved(file: str, before: str) -> str | None:
    """Return what is wrong with a mutant's text, or None."""
    found = (ROOT / file).read_text(encoding="utf-8").count(before) if (ROOT / file).exists() else 0
    return None if found == 1 else f"moved: the text stands {found} times in {file}, say where it is now"


def copy_of_files(folder: Path) -> None:
    """Copy what git knows of, as it is in the work tree."""
    known = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(known, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\0"
    ):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def run(folder: Path, *module: str) -> "subprocess.CompletedProcess[str]":
    """Run a module with the package of the copy, whichever is installed."""
    environment = os.environ | {"PYTHONPATH": str(folder / "udfs")}
    command = [sys.executable, "-m", *module]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def first_failure(folder: Path, options: list[str]) -> str | None:
    """Return the first test that fails in the copy, or None."""
    done = run(folder, "pytest", "-x", "-q", "-rfE", "-p", "no:cacheprovider", *options)
    if done.returncode == 0:
        return None
    named = re.search(r"^(?:FAILED|ERROR) tests/([^\n]*?)(?: - |$)", done.stdout, re.MULTILINE)
    if done.returncode > 2 or not named:  # pytest itself went wrong, or found no test, as without an extra
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return named[1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="part of a file's name or of an effect")
    parser.add_argument("--quick", action="store_true", help="run the quick tests in place of those named")
    arguments = parser.parse_args()
    caught, missed = 0, 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        copy_of_files(folder)
        for file, mutants in MUTANTS.items():
            for effect, (before, after, tests) in mutants.items():
                name, *options = tests.split()
                if arguments.pattern not in file and arguments.pattern not in effect:
                    continue
                found = moved(file, before)
                if found is None:
                    text = (folder / file).read_text(encoding="utf-8")
                    (folder / file).write_text(text.replace(before, after), encoding="utf-8")
                    run(folder, "tests.generate", "--keep-outputs")
                    named = ["-n", "auto", *QUICK] if arguments.quick else [f"tests/{name}.py", *options]
                    test = first_failure(folder, named)
                    found = f"caught by {test}" if test else "SURVIVED"
                    copy_of_files(folder)
                caught += found.startswith("caught")
                missed += not found.startswith("caught")
                print(f"{file}: {effect}: {found}", flush=True)
    print(f"{caught} caught, {missed} not")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())

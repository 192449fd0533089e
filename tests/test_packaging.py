"""The package as others get it: the wheel, its types, and the versions it runs on."""

import os
import re
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path

import pytest

import ranking_udfs
import ranking_udfs.arrow
import ranking_udfs.duckdb

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: object, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=os.environ | environment, check=False
    )


# --- The wheel ---


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = run("-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    assert built.returncode == 0, built.stderr
    (file,) = folder.glob("*.whl")
    return file


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(archive.read(name).decode())


def test_the_wheel_has_the_package_its_types_and_its_sql_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "ranking_udfs/py.typed" in names
    for folder, inside in (
        (ROOT / "udfs" / "ranking_udfs", "ranking_udfs"),
        (ROOT / "sql", "ranking_udfs/sql"),
    ):
        files = [file.relative_to(folder) for end in ("*.py", "*.sql") for file in folder.rglob(end)]
        assert len(files) > 30
        assert {f"{inside}/{file.as_posix()}" for file in files} <= names
    assert {name.partition("/")[0] for name in names} == {
        "ranking_udfs",
        f"duckdb_ranking_udfs-{ranking_udfs.__version__}.dist-info",
    }
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_metadata_say_what_it_runs_on(wheel: Path) -> None:
    found = metadata(wheel)
    assert found["Version"] == ranking_udfs.__version__
    required = found.get_all("Requires-Dist") or []
    assert f"duckdb>={ranking_udfs.duckdb.OLDEST}" in required
    assert f"pyarrow>={ranking_udfs.arrow.OLDEST}" in required
    assert found["Requires-Python"] == ">=3.11"
    classifiers = found.get_all("Classifier") or []
    minors = [int(text) for text in re.findall(r"Python :: 3\.(\d+)", "\n".join(classifiers))]
    assert minors == [11, 12, 13, 14]
    assert sys.version_info.minor in minors
    assert "Typing :: Typed" in classifiers


# --- Too old ---


@pytest.mark.parametrize(
    ("library", "refused", "taken"),
    [
        ("duckdb", ["0.10.3", "1.3.2", "1.5.3"], ["1.5.4", "1.10.0", "2.0.0", "2.1.0.dev12"]),
        ("pyarrow", ["9.0.0", "18.1.0"], ["19.0.0", "100.0.0"]),
    ],
)
def test_a_library_that_is_too_old_is_named_with_what_to_do(
    library: str, refused: list[str], taken: list[str], tmp_path: Path
) -> None:
    """The package that needs it is imported with a stand-in that has nothing but a version."""
    oldest = {"duckdb": ranking_udfs.duckdb.OLDEST, "pyarrow": str(ranking_udfs.arrow.OLDEST)}[library]
    (tmp_path / f"{library}.py").write_text("")
    code = f"""
import sys
import {library} as library
for library.__version__ in {refused + taken}:
    try:
        import ranking_udfs.{"arrow" if library == "pyarrow" else library}
        print("taken")
    except ImportError as error:
        print(error)
    for name in [name for name in sys.modules if name.startswith("ranking_udfs")]:
        del sys.modules[name]
"""
    found = run("-c", code, cwd=tmp_path)
    printed = found.stdout.splitlines()
    assert printed[len(refused) :] == ["taken"] * len(taken), found.stderr
    for line, version in zip(printed, refused, strict=False):
        assert line.startswith(f"ranking_udfs: {library} must be {oldest} or later, got {version}")
        assert line.endswith(f": pip install --upgrade {library}")

"""Test the wheel: its files, its compiled templates and the versions that it supports."""

import importlib
import os
import re
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

import duckdb
import pyarrow
import pytest
from jinja2 import ModuleLoader

import ranking_udfs
import ranking_udfs.arrow
import ranking_udfs.duckdb
from ranking_udfs.compose.call import Call
from ranking_udfs.compose.compiled import FOLDER
from ranking_udfs.compose.templates import environment, render, source

ROOT = Path(__file__).resolve().parent.parent
SQL = ROOT / "sql"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file)


def test_the_wheel_has_exactly_the_package_types_and_sql(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    assert "ranking_udfs/py.typed" in names
    for folder, inside in ((ROOT / "udfs/ranking_udfs", "ranking_udfs"), (SQL, "ranking_udfs/sql")):
        files = [file for end in ("*.py", "*.sql", "*.jinja") for file in folder.rglob(end)]
        assert len(files) > 30
        assert {f"{inside}/{file.relative_to(folder).as_posix()}" for file in files} <= names
    about = f"duckdb_ranking_udfs-{ranking_udfs.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"ranking_udfs", about}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_has_each_template_compiled(wheel: zipfile.ZipFile) -> None:
    files = [file.relative_to(SQL).as_posix() for end in ("sql", "jinja") for file in SQL.rglob(f"*.{end}")]
    templates = {path: text for path in files if "{%" in (text := source(path))}
    assert len(templates) > 30
    expected = {
        ModuleLoader.get_module_filename(path): environment().compile(text, path, raw=True, defer_init=True)
        for path, text in templates.items()
    }
    folder = f"ranking_udfs/sql/{FOLDER}/"
    compiled = {name.removeprefix(folder) for name in wheel.namelist() if name.startswith(folder)}
    assert {name: wheel.read(folder + name).decode() for name in compiled} == expected


def test_the_wheel_composes_without_parsing_a_template(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    call = Call("evaluate", "rec", "truth", [10])
    code = (
        "import jinja2; jinja2.Environment._parse = None\n"
        "from ranking_udfs.compose.templates import render, __file__\n"
        "from ranking_udfs.compose.call import Call\n"
        f"print(__file__, render('tables/evaluate.sql', {call}), sep='\\n')"
    )
    wheel.extractall(tmp_path)
    for file in tmp_path.glob("ranking_udfs/sql/**/*.jinja"):
        file.unlink()
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    module, text = done.stdout.split("\n", 1)
    assert Path(module).is_relative_to(tmp_path)
    assert text == render("tables/evaluate.sql", call) + "\n"


def test_the_metadata_name_the_supported_versions(wheel: zipfile.ZipFile) -> None:
    (file,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = HeaderParser().parsestr(wheel.read(file).decode())
    assert (metadata["Version"], metadata["Requires-Python"]) == (ranking_udfs.__version__, ">=3.11")
    oldest = {f"duckdb>={ranking_udfs.duckdb.OLDEST}", f"pyarrow>={ranking_udfs.arrow.OLDEST}", "jinja2>=3.1"}
    assert oldest <= {*metadata.get_all("Requires-Dist")}
    classifiers = metadata.get_all("Classifier")
    minors = [int(text) for text in re.findall(r"Python :: 3\.(\d+)", "\n".join(classifiers))]
    assert minors == [11, 12, 13, 14]
    assert sys.version_info.minor in minors
    assert "Typing :: Typed" in classifiers


@pytest.mark.parametrize(
    ("library", "package", "refused", "taken"),
    [
        (duckdb, ranking_udfs.duckdb, "0.10.3 1.3.2 1.5.3", "1.5.4 1.10.0 2.0.0 2.1.0.dev12"),
        (pyarrow, ranking_udfs.arrow, "9.0.0 18.1.0", "19.0.0 100.0.0"),
    ],
)
def test_an_outdated_library_is_an_error_with_advice(
    library: Any, package: Any, refused: str, taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in refused.split():
        monkeypatch.setattr(library, "__version__", version)
        required = f"ranking_udfs: {library.__name__} must be {package.OLDEST} or later, got {version}"
        with pytest.raises(ImportError, match=f"^{required}.*: pip install --upgrade {library.__name__}$"):
            importlib.reload(package)
    for version in taken.split():
        monkeypatch.setattr(library, "__version__", version)
        importlib.reload(package)

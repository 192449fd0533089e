"""Compile the templates of `sql/` into a wheel. A checkout and an editable install have no compiled ones."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from jinja2 import DictLoader


class CompiledTemplates(BuildHookInterface):
    """Hook that hatchling calls before and after it writes a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the templates into a temporary folder, and add that folder to the wheel."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "udfs")))
        from ranking_udfs.compose.compiled import FOLDER
        from ranking_udfs.compose.templates import environment, source

        sql, self.folder = Path(self.root, "sql"), TemporaryDirectory()
        files = [file for pattern in ("*.sql", "*.jinja") for file in sql.rglob(pattern)]
        texts = {path: source(path) for path in (file.relative_to(sql).as_posix() for file in files)}
        templates = DictLoader({path: text for path, text in texts.items() if "{%" in text})
        compiler = environment().overlay(loader=templates)
        compiler.compile_templates(self.folder.name, zip=None, ignore_errors=False)
        build_data["force_include"][self.folder.name] = f"ranking_udfs/sql/{FOLDER}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if version != "editable":
            self.folder.cleanup()

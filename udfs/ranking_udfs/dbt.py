"""The dbt-duckdb plugin: every function and macro of the pack in every model of a dbt project.

This is all that a profile needs:

    dev:
      type: duckdb
      path: warehouse.duckdb
      plugins:
        - module: ranking_udfs.dbt

Models call `ranking.evaluate(...)`. `config` below `module` takes the options of `ranking_udfs.register`:
`name: rk`, where the warehouse has a schema or a database called ranking, and `hivemall: true`.
"""

from typing import Any

import duckdb

# The types are ignored for a check of this package where dbt is not installed.
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtConfigError  # type: ignore[import-not-found, unused-ignore]

from .duckdb.connection import register
from .duckdb.macros import NAMESPACE

OPTIONS = {"hivemall": False, "name": NAMESPACE}  # of register, by default
RULES = {"hivemall": "true or false", "name": "a text"}


class Plugin(BasePlugin):  # type: ignore[misc, unused-ignore]
    """The plugin, which registers the pack where dbt-duckdb lets one do so."""

    options: dict[str, Any]

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Read the options, among which dbt passes the profile's `settings`, which are DuckDB's.

        Raises:
            DbtConfigError: an option is unknown, or its value is not valid. (dbt prints errors of its own
                kind as a message, all others as a traceback.)
        """
        settings = (self.creds and self.creds.settings) or {}
        for option in plugin_config:
            if option not in OPTIONS and option not in settings:
                raise DbtConfigError(f"ranking_udfs.dbt: the options are hivemall and name, got {option!r}")
        self.options = {option: plugin_config.get(option, usual) for option, usual in OPTIONS.items()}
        for option, value in self.options.items():
            if (not value and value is not False) or type(value) is not type(OPTIONS[option]):
                raise DbtConfigError(
                    f"ranking_udfs.dbt: option {option} must be {RULES[option]}, got {value!r}"
                )

    def configure_cursor(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let the cursor of a model find the macros. dbt makes one per model: those of Hivemall are its own.

        Raises:
            DbtConfigError: the warehouse has a schema or a database of the name.
        """
        try:
            register(cursor, **self.options)
        except ValueError as error:
            raise DbtConfigError(str(error).replace("name='rk'", "name: rk below config")) from None

"""The dbt-duckdb plugin: makes every function and macro available in every model of a dbt project.

Add this to the profile:

    dev:
      type: duckdb
      path: warehouse.duckdb
      plugins:
        - module: ranking_udfs.dbt

Models call `ranking.evaluate(...)`. `config` below `module` takes the options of `ranking_udfs.register`.
Use `name: rk` if the warehouse has a schema or a database called ranking. Use `hivemall: true` to add
Hivemall's functions.
"""

from typing import Any

import duckdb

# The types are ignored so that this package can be checked if dbt is not installed.
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtConfigError  # type: ignore[import-not-found, unused-ignore]

from .duckdb.connection import register
from .duckdb.macros import NAMESPACE

OPTIONS = {"hivemall": False, "name": NAMESPACE}  # the options of register with their defaults
RULES = {"hivemall": "true or false", "name": "a string"}


class Plugin(BasePlugin):  # type: ignore[misc, unused-ignore]
    """Plugin that registers the functions in dbt-duckdb's connections."""

    options: dict[str, Any]

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Read the options. dbt adds the profile's `settings` to them, which are DuckDB's and are ignored.

        Raises:
            DbtConfigError: an option is unknown, or its value is not valid. (dbt prints its own errors as a
                message and all others as a traceback.)
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
        """Register the functions for the cursor of a model. Hivemall's macros are TEMP macros of one cursor.

        Raises:
            DbtConfigError: the warehouse has a schema or a database of this name.
        """
        try:
            register(cursor, **self.options)
        except ValueError as error:
            raise DbtConfigError(str(error).replace("name='rk'", "name: rk below config")) from None

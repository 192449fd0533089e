"""The dbt-duckdb plugin: every function and macro of the pack in every model of a dbt project.

This is all that a profile needs:

    dev:
      type: duckdb
      path: warehouse.duckdb
      plugins:
        - module: ranking_udfs.dbt

With `config: {hivemall: true}` below `module`, the measures are aggregates, as in Hivemall.
"""

from typing import Any

import duckdb

# The types are ignored for a check of this package where dbt is not installed.
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtConfigError  # type: ignore[import-not-found, unused-ignore]

from .duckdb.connection import put_on_search_path, register


class Plugin(BasePlugin):  # type: ignore[misc, unused-ignore]
    """The plugin, which registers the pack where dbt-duckdb lets one do so."""

    hivemall: bool

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Read the options, among which dbt passes the profile's `settings`, which are DuckDB's.

        Raises:
            DbtConfigError: an option is unknown, or its value is not valid. (dbt prints errors of its own
                kind as a message, all others as a traceback.)
        """
        settings = (self.creds and self.creds.settings) or {}
        for option in plugin_config:
            if option != "hivemall" and option not in settings:
                raise DbtConfigError(f"ranking_udfs.dbt: the only option is hivemall, got {option!r}")
        self.hivemall = plugin_config.get("hivemall", False)
        if not isinstance(self.hivemall, bool):
            raise DbtConfigError(
                f"ranking_udfs.dbt: option hivemall must be true or false, got {self.hivemall!r}"
            )

    def configure_cursor(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let the cursor of a model find the macros.

        On its search path, since dbt makes a cursor per model, and making TEMP macros takes longer than many
        models. The aggregates of Hivemall must be TEMP macros, or DuckDB would find the functions first.
        """
        if self.hivemall:
            register(cursor, hivemall=True)
        else:
            put_on_search_path(cursor)

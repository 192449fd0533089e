"""Ranking measures for DuckDB: recall, precision, average precision, AUC, MRR, NDCG and more, in SQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .command.notebook import report
    from .duckdb.connection import register

__all__ = ["__version__", "register", "report"]
__version__ = "0.1.0"

if not TYPE_CHECKING:  # a type checker would take any name for one of the package's

    def __getattr__(name: str) -> Any:
        """Import what is asked for: `import udfs.measures` needs no DuckDB."""
        if name == "register":
            from .duckdb.connection import register

            return register
        if name == "report":
            from .command.notebook import report

            return report
        if name == "spark":
            return import_module(".spark", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

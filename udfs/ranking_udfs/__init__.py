"""Ranking measures for DuckDB: recall, precision, average precision, AUC, MRR, NDCG and more, in SQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .duckdb.connection import register
    from .partitions import partition
    from .python import compare, evaluate, report

__all__ = ["__version__", "compare", "evaluate", "partition", "register", "report"]

if not TYPE_CHECKING:  # a type checker would take any name for one of the package's

    def __getattr__(name: str) -> Any:
        """Import what is asked for: `import ranking_udfs.measures` needs no DuckDB."""
        if name == "register":
            from .duckdb.connection import register

            return register
        if name in ("compare", "evaluate", "report"):
            return getattr(import_module(".python", __name__), name)
        if name == "partition":
            from .partitions import partition

            return partition
        if name == "spark":
            return import_module(".spark", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Name what `dir`, TAB and `help` show: what is imported when asked for, and no helpers of this file."""
    return __all__

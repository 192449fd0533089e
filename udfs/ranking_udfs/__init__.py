"""Ranking measures for DuckDB: recall, precision, average precision, AUC, MRR, NDCG and more, in SQL."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .duckdb.connection import register
    from .partitions import partition
    from .python import (
        abstention,
        check,
        compare,
        evaluate,
        explain,
        fuse,
        overlap,
        report,
        split,
    )

__all__ = [
    "__version__",
    "abstention",
    "check",
    "compare",
    "evaluate",
    "explain",
    "fuse",
    "overlap",
    "partition",
    "register",
    "report",
    "split",
]
MODULES = {"register": ".duckdb.connection", "partition": ".partitions", "spark": ".spark"}

if not TYPE_CHECKING:  # With `__getattr__`, a type checker would accept any name.

    def __getattr__(name: str) -> Any:
        """Import a name on first use, so that `import ranking_udfs.measures` needs no DuckDB."""
        if name not in (*__all__, "spark"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(MODULES.get(name, ".python"), __name__)
        return module if name == "spark" else getattr(module, name)


def __dir__() -> list[str]:
    """List the names for `dir`, TAB and `help`: those imported on first use, without this file's helpers."""
    return __all__

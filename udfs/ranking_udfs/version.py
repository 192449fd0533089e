"""The version of ranking-udfs, for the package, its metadata and the database objects it creates."""

__version__ = "0.3.0"
PACK = "duckdb-ranking-udfs"


def versions() -> str:
    """Return the versions that help to find the cause of an error, without importing these libraries."""
    import platform
    from importlib.metadata import version

    others = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "pyarrow", "numpy"))
    return f"{__version__} (Python {platform.python_version()}, {others}, {platform.platform()})"


def version() -> str:
    """Return the name and the version of ranking-udfs."""
    return f"{PACK} {__version__}"

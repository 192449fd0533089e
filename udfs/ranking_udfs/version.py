"""The version of the pack, for the package, its metadata and what it leaves in a database."""

__version__ = "0.3.0"
PACK = "duckdb-ranking-udfs"


def versions() -> str:
    """Return the versions that somebody needs who looks for the cause of an error; imports none of these."""
    import platform
    from importlib.metadata import version

    others = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "pyarrow", "numpy"))
    return f"{__version__} (Python {platform.python_version()}, {others}, {platform.platform()})"


def version() -> str:
    """Return the name and the version of the pack."""
    return f"{PACK} {__version__}"

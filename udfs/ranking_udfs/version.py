"""The version of the pack, for the package, its metadata and what it leaves in a database."""

__version__ = "0.2.0"
PACK = "duckdb-ranking-udfs"


def version() -> str:
    """Return the name and the version of the pack."""
    return f"{PACK} {__version__}"

"""A manifest, which says what results were made of."""

import json
import shlex
from collections.abc import Iterable, Sequence

import duckdb

from ..duckdb.statements import identifier
from ..evaluation.options import GRADES
from ..evaluation.queries import Request, fetch_rows
from ..evaluation.words import Row
from ..version import version
from .evaluation import Evaluation
from .files import extension
from .tables import Tables, file_of

METADATA = "ranking_udfs"  # the key of the manifest in a Parquet file
UNMEASURED = ("system", "rank", "time")  # columns that no value of a measure hangs on


def fingerprint(columns: Iterable[str]) -> str:
    """Return the SQL of the fingerprint of rows in any order: the sum of hashes of the columns' text."""
    texts = (f"{identifier(one)}::VARCHAR" for one in columns if one not in UNMEASURED)
    return f"sum(hash({', '.join(texts)})::HUGEINT)::VARCHAR AS fingerprint"


def counts(con: duckdb.DuckDBPyConnection, table: str) -> Sequence[Row]:
    """Return the rows, users, items and fingerprint of a table, of `rec` with several models of each."""
    names = [name for name, *_ in con.execute(f"DESCRIBE {identifier(table)}").fetchall()]
    columns = ["system"] * ("system" in names) + ["count(*) AS rows"]
    columns += [f"count(DISTINCT {one}id) AS {one}s" for one in ("user", "item") if f"{one}id" in names]
    query = f"SELECT {', '.join(columns)}, {fingerprint(names)} FROM {identifier(table)} GROUP BY ALL"
    return fetch_rows(con, f"{query} ORDER BY ALL ASC NULLS LAST")


def value_options(request: Request) -> Row:
    """Return the options that values of measures hang on, beside those in the names of the measures."""
    return {"ties": request.ties, **{name: vars(request)["columns"][name] for name in GRADES}}


def manifest(work: Evaluation, tables: Tables, call: Sequence[str]) -> str:
    """Return the manifest as JSON: versions, the call as it was written, options, and the inputs."""
    paths = {name: file_of(path) for name, (path, _) in work.inputs.other_tables.items()}
    inputs = [
        {"table": name, "file": paths.get(name, tables.files.get(row.get("system"), tables.files.get(None)))}
        | {**row}
        for name in ("rec", *paths)
        for row in counts(work.con, tables.prefix + name)
    ]
    made = {"version": f"{version()}, DuckDB {duckdb.__version__}", "call": shlex.join(call)}
    return json.dumps({**made, "options": value_options(work.request), "inputs": inputs}, indent=2) + "\n"


def manifest_path(path: str) -> str:
    """Return where the manifest of a file stands: of `means.csv.gz`, in `means.manifest.json`."""
    return f"{path[: path.lower().rindex(extension(path))] if extension(path) else path}.manifest.json"

"""A manifest, which says what results were made of, and a stored run that it tells of."""

import json
import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import duckdb

from ..evaluation.errors import DataError, UsageError
from ..evaluation.options import GRADES
from ..evaluation.queries import Request, cut_off_condition, fetch_rows
from ..evaluation.words import Row, join_names
from ..quoting import identifier, literal
from ..texts import shorten
from ..version import PACK, version
from .evaluation import Evaluation
from .files import QUOTED, column_types, extension, pattern
from .tables import Tables, file_of

METADATA = "ranking_udfs"  # the key of the manifest in a Parquet file
UNMEASURED = ("system", "rank", "time")  # columns that no value of a measure hangs on


def fingerprint(columns: Iterable[str]) -> str:
    """Return the SQL of the fingerprint of rows in any order: the sum of hashes of the columns' text."""
    texts = (f"{identifier(one)}::VARCHAR" for one in columns if one not in UNMEASURED)
    return f"sum(hash({', '.join(texts)})::HUGEINT)::VARCHAR AS fingerprint"


def counts(con: duckdb.DuckDBPyConnection, table: str) -> Sequence[Row]:
    """Return the rows, users, items and fingerprint of a table, of `rec` with several models of each."""
    names = column_types(con, identifier(table))
    columns = ["system"] * ("system" in names) + ["count(*) AS rows"]
    columns += [f"count(DISTINCT {one}id) AS {one}s" for one in ("user", "item") if f"{one}id" in names]
    query = f"SELECT {', '.join(columns)}, {fingerprint(names)} FROM {identifier(table)} GROUP BY ALL"
    return fetch_rows(con, f"{query} ORDER BY ALL ASC NULLS LAST")


def value_options(request: Request) -> Row:
    """Return the options that values of measures hang on, beside those in the names of the measures."""
    return {"ties": request.ties, **{name: vars(request)["columns"][name] for name in GRADES}}


def manifest(work: Evaluation, tables: Tables, call: Sequence[str]) -> str:
    """Return the manifest as JSON: versions, the call as it was written, options, and the inputs."""
    others = work.inputs.other_tables.items()
    paths = {name: file_of(path) for name, (path, _) in others if name in tables.names}
    inputs = [
        {"table": name, "file": paths.get(name, tables.files.get(row.get("system"), tables.files.get(None)))}
        | {**row}
        for name in (*["rec"] * bool(work.inputs.recs), *paths)
        for row in counts(work.con, tables.prefix + name)
    ]
    made = {"version": f"{version()}, DuckDB {duckdb.__version__}", "call": shlex.join(call)}
    return json.dumps({**made, "options": value_options(work.request), "inputs": inputs}, indent=2) + "\n"


def manifest_path(path: str) -> str:
    """Return where the manifest of a file stands: of `means.csv.gz`, in `means.manifest.json`."""
    return f"{path[: path.lower().rindex(extension(path))] if extension(path) else path}.manifest.json"


def add_stored_run(work: Evaluation, path: str, name: str) -> None:
    """Add the users' values in a file to those that are measured, as those of a model of this name.

    UsageError if they are of another truth, were measured otherwise, or lack what is compared.
    """
    con, request, models = work.con, work.request, work.tables.models
    made, rows = read_manifest(con, path)
    refused = partial(refused_run, path)
    for one in (*request.contents, *request.also):
        raise refused(f"it has values by truth alone: leave {one.name} out")
    if not models or name in models:
        raise refused(f"it is called {name}, so REC must have another name, as in new=rec.csv")
    measured = [one for one in ("truth", "users") if one in work.tables.names]
    for rule in differing(work, made, measured):
        raise refused(rule)
    columns, rows = column_types(con, rows), f"FROM {rows}"
    if "system" in columns:
        query = f"SELECT DISTINCT system::VARCHAR {rows} WHERE system IS NOT NULL ORDER BY ALL"
        stored = [one for (one,) in con.execute(query).fetchall()]
        if stored and name not in stored:
            first = shlex.quote(shorten(stored[0]))
            raise refused(f"its models are {shorten(join_names(stored))}: write --baseline {first}")
        rows += f" WHERE system = {literal(name)}"
    for rule in lacking(work, name, columns, rows, measured):
        raise refused(rule)
    names = ", ".join(["userid", "k", "n_rec", "n_truth", *(identifier(one.name) for one in request.choices)])
    query = f"SELECT {literal(name)} AS system, {names}\nFROM ({rows})\nWHERE {cut_off_condition(request.ks)}"
    work.request, work.tables = replace(request, stored=query), replace(work.tables, models=[*models, name])


def refused_run(path: str, rule: str) -> UsageError:
    return UsageError(f"compare: --against {path}: {rule}")


def read_manifest(con: duckdb.DuckDBPyConnection, path: str) -> tuple[Row, str]:
    """Return the manifest of a file of users' values, and the SQL of its rows; DataError if it has none."""
    location, beside = literal(pattern(path)), manifest_path(path)
    rows = f"read_csv({location}, all_varchar = true{QUOTED})"
    content = f"content FROM read_text({literal(pattern(beside))})"
    if extension(path) == ".parquet":
        rows, beside = f"read_parquet({location})", path
        content = f"decode(value) AS content FROM parquet_kv_metadata({location})"
    query = f"SELECT {content} WHERE contains(content, '{PACK}')"
    is_there = os.path.isfile(path) and os.path.isfile(beside)
    if not (is_there and (found := con.execute(query).fetchall())):
        raise DataError(f"{path}: no file with a manifest, as evaluate --by-user FILE --manifest writes it")
    return json.loads(found[0][0]), rows


def differing(work: Evaluation, made: Row, measured: Sequence[str]) -> Iterator[str]:
    """Yield where a run was measured by another truth, or otherwise."""
    for table in ("truth", "users"):
        before = [one["fingerprint"] for one in made["inputs"] if one["table"] == table]
        present = counts(work.con, work.request.table(table)) if table in measured else []
        if before != [one["fingerprint"] for one in present]:
            other = f"another truth than {work.inputs.truth}" if table == "truth" else "other --users"
            yield f"it was measured by {other}: measure it again"
    for option, value in value_options(work.request).items():
        if (was := str(made["options"].get(option)).lower()) != (now := str(value).lower()):
            yield f"it was measured with {option} = {was} and this with {now}: measure both alike"


def lacking(
    work: Evaluation, name: str, columns: Collection[str], rows: str, measured: Sequence[str]
) -> Iterator[str]:
    """Yield what a run has no values of, and a user that no table of these has."""
    for choice, k in ((one, k) for one in work.request.choices for k in one.cuts):
        is_value = f"{cut_off_condition([k])} AND {identifier(choice.name)} IS NOT NULL"
        query = f"SELECT 1 FROM ({rows}) WHERE {is_value} LIMIT 1"
        if choice.name not in columns or not fetch_rows(work.con, query):
            yield f"it has no {choice.at(k)} of {name}: choose other ones, or measure it again"
    ids = (f"SELECT userid::VARCHAR FROM {work.request.table(one)}" for one in measured)
    query = f"SELECT userid::VARCHAR AS userid FROM ({rows}) EXCEPT ({' UNION ALL '.join(ids)})"
    for (user,) in work.con.execute(f"{query} ORDER BY userid ASC NULLS LAST LIMIT 1").fetchall():
        yield f"its user {shorten(user)!r} is not one of the truth: write it without --safe-csv"

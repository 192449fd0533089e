"""Write and read manifests, which record the inputs and options of results; add a stored run."""

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ..evaluation.errors import DataError, UsageError
from ..evaluation.queries import Request, cut_off_condition, fetch_rows
from ..evaluation.words import Row, join_names
from ..options import GRADES
from ..quoting import identifier, literal
from ..texts import shorten, units
from ..version import PACK, version
from .evaluation import Evaluation
from .paths import extension, pattern
from .sources import QUOTED, column_types
from .tables import file_of

METADATA = "ranking_udfs"  # the key of the manifest in a Parquet file
SHARED = ("truth", "users")  # tables that must be the same for runs to be comparable
UNMEASURED = ("system", "rank", "time")  # columns that do not affect any measure


def fingerprint(columns: Iterable[str]) -> str:
    """Return the SQL of a fingerprint of rows in any order: the sum of the hashes of their text."""
    texts = (f"{identifier(column)}::VARCHAR" for column in columns if column not in UNMEASURED)
    return f"sum(hash({', '.join(texts)})::HUGEINT)::VARCHAR AS fingerprint"


def counts(con: duckdb.DuckDBPyConnection, table: str) -> Sequence[Row]:
    """Return the numbers of rows, users and items, and the fingerprint of a table, for each model."""
    names = column_types(con, identifier(table))
    columns = ["system"] * ("system" in names) + ["count(*) AS rows"]
    columns += [f"count(DISTINCT {key}id) AS {key}s" for key in ("user", "item") if f"{key}id" in names]
    query = f"SELECT {', '.join(columns)}, {fingerprint(names)} FROM {identifier(table)} GROUP BY ALL"
    return fetch_rows(con, f"{query} ORDER BY ALL ASC NULLS LAST")


def value_options(request: Request) -> Row:
    """Return the options that affect values of measures and are not in the names of the measures."""
    return {"ties": request.ties, **{name: vars(request)["columns"][name] for name in GRADES.split()}}


def manifest(of: Evaluation, call: Sequence[str]) -> str:
    """Return the manifest as JSON: versions, the call, options and inputs."""
    con, request, tables, inputs = of.con, of.request, of.tables, of.inputs
    paths = {name: file_of(path) for name, (path, _) in inputs.other_tables.items() if name in tables.names}
    read = [
        {"table": name, "file": paths.get(name, tables.files.get(row.get("system"), tables.files.get(None)))}
        | {**row}
        for name in (*["rec"] * bool(inputs.recs), *paths)
        for row in counts(con, request.table(name))
    ]
    made = {"version": f"{version()}, DuckDB {duckdb.__version__}", "call": shlex.join(call)}
    return json.dumps({**made, "options": value_options(request), "inputs": read}, indent=2) + "\n"


def manifest_path(path: str) -> str:
    """Return the path of the manifest of a file: `means.manifest.json` for `means.csv.gz`."""
    return f"{stem(path)}.manifest.json"


def stem(path: str) -> str:
    """Return a path without its extension."""
    return path[: path.lower().rindex(extension(path))] if extension(path) else path


def with_stored_run(work: Evaluation, path: str, name: str) -> Request:
    """Return the request with the values of users in a file, as a model with this name.

    Raises UsageError if the values are by another truth, have other options, or lack a measure.
    """
    con, request, models = work.con, work.request, work.request.systems
    made, rows = read_manifest(con, path)

    def refused(rule: str) -> UsageError:
        return UsageError(f"{request.function}: --against {path}: {rule}")

    for choice in (*request.beyond_accuracy, *request.also):
        raise refused(f"it has values by truth only; remove {choice.name}")
    if not models or name in models:
        raise refused(f"it is called {name}, so REC must have another name, as in new=rec.csv")
    measured = [table for table in SHARED if table in work.tables.names]
    inputs = [{"table": table, **row} for table in measured for row in counts(con, request.table(table))]
    present = {"version": duckdb.__version__, "options": value_options(request), "inputs": inputs}
    others = {"truth": f"another truth than {work.inputs.truth}", "users": "other --users"}
    for rule in differing_facts(made, present, others):
        raise refused(rule)
    columns, rows = column_types(con, rows), f"FROM {rows}"
    if "system" in columns:
        query = f"SELECT DISTINCT system::VARCHAR {rows} WHERE system IS NOT NULL ORDER BY ALL"
        stored = [model for (model,) in con.execute(query).fetchall()]
        if stored and name not in stored:
            first = shlex.quote(shorten(stored[0]))
            raise refused(f"its models are {shorten(join_names(stored))}: write --baseline {first}")
        rows += f" WHERE system = {literal(name)}"
    for rule in (*missing_values(work, f"({rows})"), *unknown_users(work, rows, measured)):
        raise refused(rule)
    names = ", ".join(
        ["userid", "k", "n_rec", "n_truth", *(identifier(choice.name) for choice in request.choices)]
    )
    query = f"SELECT {literal(name)} AS system, {names}\nFROM ({rows})\nWHERE {cut_off_condition(request.ks)}"
    return replace(request, stored=query, systems=[*models, name])


def read_manifest(con: duckdb.DuckDBPyConnection, path: str) -> tuple[Row, str]:
    """Return the manifest of a file of users' values, and the SQL of its rows; DataError without one."""
    location, manifest_file = literal(pattern(path)), manifest_path(path)
    rows = f"read_csv({location}, all_varchar = true{QUOTED})"
    content = f"content FROM read_text({literal(pattern(manifest_file))})"
    if extension(path) == ".parquet":
        rows, manifest_file = f"read_parquet({location})", path
        content = f"decode(value) AS content FROM parquet_kv_metadata({location})"
    query = f"SELECT {content} WHERE contains(content, '{PACK}')"
    is_there = os.path.isfile(path) and os.path.isfile(manifest_file)
    if not (is_there and (matches := con.execute(query).fetchall())):
        raise DataError(f"{path}: no file with a manifest, as evaluate --by-user FILE --manifest writes it")
    return json.loads(matches[0][0]), rows


def facts(made: Row) -> dict[str, Any]:
    """Return the facts of a manifest that must be equal for two runs to be comparable."""
    tables = {name: [row["fingerprint"] for row in made["inputs"] if row["table"] == name] for name in SHARED}
    options = {name: str(value).lower() for name, value in made["options"].items()}
    return {"DuckDB": made["version"].rpartition(" ")[2], **tables, **options}


def differing_facts(made: Row, other: Row, others: Mapping[str, str]) -> Iterator[str]:
    """Yield a rule for each fact in which a run differs from the other one; `others` phrases tables."""
    was, now = facts(made), facts(other)
    for fact in (fact for fact in {**was, **now} if fact != "DuckDB" and was.get(fact) != now.get(fact)):
        if fact in others and was["DuckDB"] == now["DuckDB"]:
            yield f"it was measured by {others[fact]}: measure it again"
        else:
            fact = "DuckDB" if fact in others else fact  # hashes may differ between versions
            both = f"with {fact} = {was.get(fact)} and this with {now.get(fact)}"
            yield f"it was measured {both}: measure both alike"


def missing_values(work: Evaluation, rows: str) -> Iterator[str]:
    """Yield a rule for each requested measure and cutoff without values in a run."""
    measured = column_types(work.con, rows)
    for choice in work.request.choices:
        cuts = f"SELECT DISTINCT k::BIGINT FROM {rows} WHERE {identifier(choice.name)} IS NOT NULL"
        there = work.con.execute(cuts).fetchall() if choice.name in measured else []
        for k in (k for k in choice.cuts if (k,) not in there):
            yield f"it has no {choice.at(k)}: choose other measures, or measure it again"


def unknown_users(work: Evaluation, rows: str, measured: Sequence[str]) -> Iterator[str]:
    """Yield a rule for the first user of a run without a row in these tables."""
    ids = (f"SELECT userid::VARCHAR FROM {work.request.table(table)}" for table in measured)
    query = f"SELECT userid::VARCHAR AS userid {rows} EXCEPT ({' UNION ALL '.join(ids)})"
    for (user,) in work.con.execute(f"{query} ORDER BY userid ASC NULLS LAST LIMIT 1").fetchall():
        yield f"its {units(1)} {shorten(user)!r} is not one of the truth: write it without --safe-csv"

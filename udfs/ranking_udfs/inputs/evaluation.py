"""A request with its tables, which entry points load, check, measure and compare."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from ..evaluation.errors import DataError
from ..evaluation.queries import Request, fetch_rows, row_columns
from ..evaluation.words import Row, with_text
from ..texts import shorten, units
from .tables import Inputs, Tables, load_tables

# Tables whose columns shape the SQL.
TYPED = ("rec", "truth", "users", "predicted_truth", "history", "items")


@dataclass(frozen=True)
class Evaluation:
    """A request with the tables that it is about."""

    con: duckdb.DuckDBPyConnection
    request: Request
    inputs: Inputs
    tables: Tables
    options: Any  # those of the entry point
    notify: Callable[[Sequence[Row]], None]  # called with the problems of the data
    step: Callable[[str], None]  # called with the name of each step at its beginning


def load(con: duckdb.DuckDBPyConnection, request: Request, inputs: Inputs) -> tuple[Request, Tables]:
    """Make the TEMP tables of the inputs; return them, and the request with their models and columns."""
    tables = load_tables(con, inputs)
    types = {name: row_columns(con, request.table(name)) for name in TYPED if name in tables.names}
    types["ranked"] = types["rec"] | {"score": "BIGINT"}
    known = {request.table(name): row for name, row in types.items()}
    also_table = "values" if "values" in tables.names else "rec"
    return replace(request, systems=tables.models, types=known, also_table=also_table), tables


def check_users(of: Evaluation) -> None:
    """Raise DataError if truth has no user, or if a user of truth has no model-generated labels."""
    truth, inputs = of.request.table("truth"), of.inputs
    if not fetch_rows(of.con, f"SELECT 1 FROM {truth} WHERE userid IS NOT NULL LIMIT 1"):
        raise DataError(f"{inputs.truth}: no {units(1)} to evaluate")
    if of.request.predicted_truth:
        predicted = f"SELECT userid FROM {of.request.table('predicted_truth')}"
        users = f"count(DISTINCT userid) AS n, min(userid)::VARCHAR AS one FROM {truth}"
        (row,) = fetch_rows(of.con, f"SELECT {users} WHERE userid NOT IN ({predicted})")
        if row["n"]:
            rule = f"every {units(1)} of {inputs.truth} must be in it"
            got = f"{row['n']} without, for example {shorten(row['one'])}: let the model grade them too"
            raise DataError(f"{inputs.predicted_truth}: {rule}, got {got}")


def names_of_ids(of: Evaluation, table: str, ids: Iterable[object]) -> dict[str, str | None]:
    """Return the titles or texts of these ids; ids that `table` lacks have no entry."""
    if table not in of.tables.names:
        return {}
    id_column, column = {"titles": ("itemid", "title"), "texts": ("userid", "text")}[table]
    query = (
        f"SELECT {id_column}::VARCHAR AS id, min({column}) FROM {of.request.table(table)} "
        "WHERE id IN (SELECT unnest($1::VARCHAR[])) GROUP BY ALL"
    )
    return dict(of.con.execute(query, [[str(value) for value in ids]]).fetchall())


def with_titles(of: Evaluation, rows: Sequence[Row]) -> Sequence[Row]:
    """Add after each item its title, and `gone`: whether the catalog lacks it; nothing without titles."""
    if of.inputs.titles is None:
        return rows
    titles = names_of_ids(of, "titles", (row["itemid"] for row in rows))
    return [
        {name: row[name] for name in ("system", "rank", "itemid") if name in row}
        | {"title": titles.get(str(row["itemid"])), "gone": str(row["itemid"]) not in titles}
        | {**row}
        for row in rows
    ]


def with_labels(of: Evaluation, rows: Sequence[Row]) -> list[Row]:
    """Add a column `label` to rows of users: the id with its text."""
    texts = names_of_ids(of, "texts", (row["userid"] for row in rows))
    return [{**row, "label": with_text(row["userid"], texts.get(row["userid"]))} for row in rows]

"""Split a file of events into files of train and test."""

import os
from typing import Any

import duckdb

from ..evaluation.queries import fetch_rows
from ..inputs.events import read_events, split_query
from ..inputs.paths import extension
from ..quoting import identifier, literal
from .output import check_folder, check_outputs, write_rows

SUMMARY = """
    SELECT fold, part, dropped,
        count(*) AS events, count(DISTINCT {user}) AS users, count(DISTINCT {item}) AS items
    FROM ranking_command_split GROUP BY ALL
    ORDER BY fold ASC NULLS LAST, part DESC NULLS LAST, dropped ASC NULLS LAST
"""


def split_events(con: duckdb.DuckDBPyConnection, options: Any) -> list[dict[str, Any]]:
    """Write train and test of each fold to a folder; return rows of counts.

    `given` has the options of the command. In a CSV file, all values except the time are copied unchanged.
    """
    path, kind = options.events, extension(options.events)
    columns = {"userid": options.user_col, "itemid": options.item_col, "time": options.time}
    check_folder(options.output)
    rows, names, time = read_events(con, path, columns)
    if time == "TIMESTAMP WITH TIME ZONE":
        con.execute("SET TimeZone = 'UTC'")
    query = split_query(con, "ranking_command_events", rows, names, time, vars(options))
    con.execute(f"CREATE TEMP TABLE ranking_command_split AS\n{query}")
    write_parts(con, path, options.output, path[path.lower().rindex(kind) :])
    return fetch_rows(con, SUMMARY.format(user=identifier(names["userid"]), item=identifier(names["itemid"])))


def write_parts(con: duckdb.DuckDBPyConnection, path: str, output: str, ending: str) -> None:
    """Write a file for train and a file for test, for several folds in one folder each."""
    query = "SELECT DISTINCT fold FROM ranking_command_split ORDER BY fold ASC NULLS LAST"
    folds = [fold for (fold,) in con.execute(query).fetchall()]
    paths: dict[tuple[int, str], str] = {}
    for fold in folds:
        folder = os.path.join(output, f"fold_{fold}") if len(folds) > 1 else output
        os.makedirs(folder, exist_ok=True)
        paths |= {(fold, part): os.path.join(folder, f"{part}{ending}") for part in ("train", "test")}
    check_outputs(list(paths.values()), [path])
    for (fold, part), file in paths.items():
        rows = f"FROM ranking_command_split WHERE fold = {fold} AND part = {literal(part)}"
        write_rows(con, f"SELECT * EXCLUDE (fold, part, dropped) {rows}", file)

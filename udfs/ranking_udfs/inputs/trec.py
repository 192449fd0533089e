"""TREC runs and qrels."""

import os
import re

import duckdb

from ..quoting import literal
from .paths import STDIN, pattern
from .sources import LINES, RUN, Source, Wanted, number

AS_TREC = ":trec"  # after the path of a TREC file with another ending


def plain_path(path: str) -> str:
    """Return a path without the suffix for a TREC file."""
    return path if os.path.exists(path) else path.removesuffix(AS_TREC)


def trec_advice(con: duckdb.DuckDBPyConnection, path: str, file: str, wanted: Wanted) -> str:
    """Return how to read a file whose first line has the form of TREC; "" for any other file."""
    line = f"SELECT line FROM read_csv({literal(pattern(file))}, {LINES}) WHERE trim(line) <> '' LIMIT 1"
    form = literal(rf"\S+\s+Q?0(\s+\S+){{{wanted.trec_fields - 2}}}\s*")
    query = f"SELECT 1 FROM ({line}) WHERE regexp_full_match(ltrim(line), {form})"
    if not wanted.trec_fields or not con.execute(query).fetchall():
        return ""
    form = "--format-in trec" if path == STDIN else re.sub(r"( and \d+ more)?$", AS_TREC, path, count=1)
    return f"write {form} to read it as TREC"


def trec_source(path: str, location: str, fields: int) -> Source:
    """Open a TREC run (system, topic, document, score) or qrels (topic, document, grade) as a table."""
    shape = "topic Q0 doc rank score tag" if fields == RUN else "topic 0 doc grade"
    message = literal(f"{path}: a line must have the form `{shape}`: ")
    read_lines = f"read_csv({location}, {LINES})"
    rows = (
        f"(SELECT CASE WHEN len(words) = {fields} THEN words ELSE error({message} || line) END AS words\n"
        "FROM (SELECT line, regexp_split_to_array(trim(line, e' \\t\\r'), '\\s+') AS words\n"
        f"FROM {read_lines} WHERE trim(line, e' \\t\\r') <> ''))"
    )
    columns = {"userid": "words[1]", "itemid": "words[3]"}
    if fields == RUN:
        score = number(literal(path), "score", "words[5]", is_grade=False)
        columns |= {"system": "words[6]", "score": score, "rank": "words[4]"}
    else:
        columns["rel"] = number(literal(path), "grade", "words[4]", is_grade=True)
    return Source(path, rows, columns, {"userid": "VARCHAR", "itemid": "VARCHAR"}, is_trec=True)

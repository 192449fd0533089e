"""The files of a path, a pattern or a folder."""

import os
import re

import duckdb

from ..evaluation.errors import DataError

READERS = {
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
TREC = (".run", ".qrels", ".trec")
COMPRESSIONS = (".gz", ".zst")
IN_FOLDERS = (*READERS, ".csv", ".tsv", ".txt")  # extensions of data files in a folder
STDIN = "-"


def list_files(con: duckdb.DuckDBPyConnection, path: str) -> list[str]:
    """List the files of a path, a folder or a pattern; return a URL unchanged."""
    if "://" in path or os.path.isfile(path) or (os.path.exists(path) and not os.path.isdir(path)):
        return [path]
    return [file for (file,) in con.execute("FROM glob(?)", [pattern(path)]).fetchall()]


def pattern(path: str) -> str:
    """Return the path for DuckDB's readers; escape wildcards in the path of an existing file."""
    if not os.path.exists(path):
        return path
    ending = f"/**/*{folder_ending(path)}" if os.path.isdir(path) else ""
    name = path.rstrip("/") if ending else path
    name = f"./{name}" if name.startswith("~") else name  # DuckDB would expand ~ to the home directory
    return re.sub(r"[*?[]", r"[\g<0>]", name) + ending


def folder_ending(path: str) -> str:
    """Return the extension of all data files of a folder; raise DataError for several extensions."""
    all_endings = set()
    inside = f"{path.rstrip('/')}/"
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            file = os.path.relpath(os.path.join(folder, name), path)
            if "_delta_log" in file.split(os.sep):
                rule = "so some of its files may be obsolete; read it with DuckDB's delta_scan"
                raise DataError(f"{path}: a Delta table, {rule}")
            if extension(name) in IN_FOLDERS:
                stem, ending = os.path.splitext(name)
                ending = os.path.splitext(stem)[1] + ending if ending.lower() in COMPRESSIONS else ending
                if any(part.startswith(("_", ".")) for part in file.split(os.sep)):
                    rule = f"is hidden or not finished: name the files, as in '{inside}*{ending}'"
                    raise DataError(f"{path}: {file} {rule}")
                all_endings.add(ending)
    if not all_endings:
        raise DataError(f"{path}: a directory without files that end in {', '.join(IN_FOLDERS)}")
    if len(all_endings) > 1:
        endings = sorted(all_endings)
        rule = f"choose one, as in '{inside}**/*{endings[0]}'"
        raise DataError(f"{path}: files of several formats ({', '.join(endings)}): {rule}")
    return all_endings.pop()


def extension(path: str) -> str:
    """Return the extension in lower case, without a compression suffix or the query of a URL."""
    path = path.partition("?")[0] if "://" in path else path
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix

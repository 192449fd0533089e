"""Parse values of options; a ValueError states the rule that a value breaks."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..texts import shorten

if TYPE_CHECKING:
    from ..measures.grammar import Choice

# The options of DuckDB's COPY, by the extension of the file.
COPY_OPTIONS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".json": "FORMAT json, ARRAY",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
}
TREC = ".run"
LONGEST_RANGE = 1_000  # cutoffs; each is a row of results for each model


def parse_measures(text: str) -> list["Choice"]:
    """Parse `ndcg@5,10,recall`."""
    from ..measures import grammar

    return grammar.parse_measures(text)


def parse_cut_offs(text: str) -> list[int | None]:
    """Parse `5,10,all`; ranges such as `1-50` are allowed."""
    from ..measures import grammar

    return grammar.parse_cut_offs(re.sub(r"\b([0-9]+)-([0-9]+)\b", expand_range, text))


def expand_range(match: re.Match[str]) -> str:
    """Expand a range to its integers, with commas between them."""
    low, high = int(match[1]), int(match[2])
    if not low <= high < low + LONGEST_RANGE:
        rule = f"a range must ascend and have at most {LONGEST_RANGE} cutoffs, as in 1-50"
        raise ValueError(f"{rule}, got {shorten(repr(match[0]))}")
    return ",".join(map(str, range(low, high + 1)))


def parse_memory(text: str) -> str:
    """Check a size as DuckDB reads it: `4GB`, `500 MiB` or `80%`."""
    if not re.fullmatch(r"\d+(\.\d+)? ?([KMGT]i?B|B|%)", text, re.IGNORECASE):
        raise ValueError(f"must be a size such as 4GB, got {text!r}")
    return text


def parse_segment(text: str) -> tuple[str, str]:
    """Parse `users.csv:country`."""
    path, column = split_column(text)
    if not (path and column) or column.startswith("//"):
        raise ValueError(f"must be FILE:COLUMN, got {text!r}")
    return path, column


def parse_items(text: str) -> tuple[str, str]:
    """Parse `items.csv` or `items.csv:kind`; without a column, it is an empty string."""
    path, column = split_column(text)
    is_path = not column or "/" in column or "\\" in column  # as after https:
    return (text, "") if is_path or not path else (path, column)


def split_column(text: str) -> tuple[str, str]:
    """Split a path from the column after its last colon; a missing part is an empty string."""
    drive, rest = os.path.splitdrive(text)  # the colon of a Windows drive is no separator
    path, _, column = rest.rpartition(":")
    return path and drive + path, column


def file_in(*endings: str) -> Callable[[str], str]:
    """Return a parser for the path of a file with one of these extensions."""

    def parse(path: str) -> str:
        from ..inputs.paths import extension

        ending = TREC if path.lower().endswith(TREC) else extension(path)
        if ending not in endings:
            raise ValueError(f"must end in one of {', '.join(endings)}, got {path!r}")
        return path

    return parse

"""Call the same function by SQL, by Python and by the command, over tables that differ by one change.

A variant is a schema, and a folder with the same tables as Parquet files.
"""

import csv
import inspect
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from ranking_udfs.command.options import names_of
from ranking_udfs.compose.arguments import OWN_NAMES
from ranking_udfs.compose.functions import compose_values
from ranking_udfs.duckdb.functions import OF_LISTS
from ranking_udfs.duckdb.macros import macros
from tests.command import connect_on
from tests.conftest import Con, literal
from tests.reference import parameters
from tests.worlds import draw_world

# The tables of a variant by name, each over the tables that a test draws or changes.
DRAWN = ("rec", "truth", "history", "items", "users")
DERIVED = {
    "intents": "SELECT *, chr(112 + (hash(itemid) % 3)::INT) AS intent FROM {}truth WHERE itemid IS NOT NULL",
    "events": """
        FROM {}history UNION ALL SELECT * REPLACE (time + 5 AS time) FROM {}history WHERE itemid % 3 = 0
        UNION ALL SELECT 88, 5001, 19""",
    "segments": "SELECT DISTINCT userid, chr(112 + (hash(userid) % 2)::INTEGER) AS segment FROM {}users",
    "by_user": "FROM ranking.by_user('{}rec', '{}truth', ks := [3, NULL], measures := 'ndcg,hit_rate')",
    "compared": "FROM ranking.compare_by_user('{}by_user', correction := 'none')",
}
Rows = list[dict[str, Any]]


def draw(seed: int) -> dict[str, pa.Table]:
    """Draw tables with NULLs, NaN, ties, repeats, grades and times, and users of one table alone."""
    rng = np.random.default_rng(seed)
    rec, truth, pairs = draw_world(rng, 0, descending=True, systems=3)
    times = iter(rng.integers(0, 20, len(pairs) + len(truth)).tolist())

    def ids(user: int | None, item: int | None) -> tuple[int | None, int | None]:
        return user, None if item is None else 5_000 + item  # items are in one order as numbers and as texts

    graded = [(*ids(u, i), grade - 2 * (u in range(0, 90, 3)), next(times) + 4) for u, i, grade in truth]
    kept = [(5_000 + i, "xyz"[c]) for i in range(60) if i % 9 for c in {i % 3, i * i % 3}]
    listed = [(row.system, *ids(row.user, row.item), row.score) for row in rec]
    columns: dict[str, tuple[str, Sequence[Sequence[Any]]]] = {
        "rec": ("system userid itemid score", listed),
        "truth": ("userid itemid rel time", graded),
        "history": ("userid itemid time", [(*ids(*of), next(times)) for of in sorted(pairs, key=str)]),
        "items": ("itemid category", kept),
        "users": ("userid", [(user,) for user in (*range(0, 90, 2), None)]),
    }
    kinds = {"system": pa.string(), "category": pa.string(), "score": pa.float64(), "rel": pa.float64()}
    return {
        name: pa.table(
            {
                column: pa.array(values, kinds.get(column, pa.int64()))
                for column, values in zip(names.split(), zip(*rows, strict=True), strict=True)
            }
        )
        for name, (names, rows) in columns.items()
    }


def take_all_short_names(con: Con) -> None:
    """Make macros of others by all names that the pack could depend on."""
    for name in {*OF_LISTS, *macros()} - {one.name for one in macros().values() if one.is_temp}:
        kind = "TABLE SELECT" if name in macros() and macros()[name].is_table else ""
        con.execute(f"CREATE MACRO \"{name}\"() AS {kind} error('hers')")
    with pytest.warns(UserWarning, match="recall"):
        ranking_udfs.register(con, hivemall=True)


class World(NamedTuple):
    """A connection with variants of tables, a folder with the same, and the answers over the first."""

    con: Con
    folder: Path
    answers: dict[tuple[str, str], Rows]

    @classmethod
    @contextmanager
    def opened(cls, seed: int, folder: Path) -> Iterator["World"]:
        """Open a connection with the variant `base`, on which the command runs too."""
        with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
            take_all_short_names(con)
            connect_on(con, patch)
            for name, table in draw(seed).items():
                con.register(f"drawn_{name}", table)
            world = cls(con, folder, {})
            world.add("base", {name: f"FROM drawn_{name}" for name in DRAWN})
            yield world

    def add(self, variant: str, changes: Mapping[str, str]) -> str:
        """Add a variant of the tables, with queries over those of `base` for those that differ."""
        (self.folder / variant).mkdir(exist_ok=True)
        self.con.execute(f"CREATE SCHEMA IF NOT EXISTS {variant}")
        for name in DRAWN:
            self.create(variant, name, changes.get(name, f"FROM base.{name}"))
        for name, query in DERIVED.items():
            self.create(variant, name, changes.get(name, query.replace("{}", f"{variant}.")))
        for name in (name for name in changes if name not in (*DRAWN, *DERIVED)):
            self.create(variant, name, changes[name])
        return variant

    def create(self, variant: str, name: str, query: str) -> None:
        path = literal(str(self.folder / variant / f"{name}.parquet"))
        table = f"{variant}.{name}"
        self.con.execute(f"CREATE OR REPLACE TABLE {table} AS {query}; COPY {table} TO {path}")


RT = {"rec": "rec", "truth": "truth"}
KS: dict[str, Any] = {"ks": [3, None]}
MEASURED = RT | KS | {"users": "users", "measures": ["ndcg", "auc", "average_precision"]}
CONTENTS = KS | {"rec": "rec", "history": "history", "items": "items"}
TESTED = {"margin": 0.05, "correction": "none"}  # a correction is of all rows together
DROP = {"cold_users": "drop", "cold_items": "drop", "seen": "drop"}
# The arguments of a call of each table function that reads tables.
CALLS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("evaluate", "by_user", "distribution"), MEASURED),
    "compare": MEASURED | TESTED,
    "compare_by_user": {"by_user": "by_user"} | TESTED,
    "gate": {"comparison": "compared", "correction": "none"},
    "judged": RT | {"max_k": 3, "users": "users"},
    **dict.fromkeys(("check", "check_rows"), RT | CONTENTS | {"users": "users"}),
    "by_item": RT | KS,
    "explain": RT | {"user": 3, "k": 5},
    **dict.fromkeys(("overlap", "overlap_by_user"), {"rec": "rec"} | KS),
    **dict.fromkeys(("beyond_accuracy", "beyond_accuracy_by_user"), CONTENTS),
    "fuse": {"rec": "rec"},
    "intents_by_user": {"rec": "rec", "truth": "intents"} | KS,
    "split": {"events": "events", "test_size": 4, "folds": 2, "gap": 1} | DROP,
    "precision_recall_curve": RT | {"max_k": 3, "users": "users"},
    "interpolated_precision_curve": RT | {"users": "users"},
    "abstention": RT | {"users": "users"},
}
# Calls of other kinds, by the name of the function and a word.
CALLS |= {
    "evaluate trec": MEASURED | {"ties": "trec"},
    "evaluate expected": MEASURED | {"ties": "expected", "unjudged": "skip"},
    "compare randomly": CALLS["compare"] | {"test": "randomization", "permutations": 200},
    "fuse points": {"rec": "rec", "method": "combmnz", "normalize": "z_score"},
    "fuse shares": {"rec": "rec", "method": "combsum", "normalize": "sum"},
    "split last": {"events": "events", "last": 2, "folds": 2} | DROP,
}
VERBS = ("evaluate", "compare", "check", "explain", "overlap", "abstention", "fuse", "split")
CHECKED = ("evaluate", "compare")  # and what the check says is an entry of its own
CONTENTS_TOO = MEASURED | CONTENTS | {"segments": "segments"}
ENTRIES = [("SQL", name) for name in CALLS] + [
    (way, name) for way in ("Python", "command") for name in (*VERBS, "evaluate contents")
]
CALLS["evaluate contents"] = CONTENTS_TOO
TABLES = {"rec", "truth", "history", "items", "users", "segments", "predicted_truth", "by_user", "predicted"}
TABLES |= {"events", "comparison"}
# The names of an argument of SQL in Python and in the command, where they differ.
OPERANDS = ("rec", "truth", "events")
IN_COMMAND = {"user": "user_id", "k": "ks", "segments": "segment"}
# Columns that tell the rows of an answer apart.
KEYS = (
    *("severity", "code", "fold", "part", "system", "baseline", "segment"),
    *("userid", "itemid", "k", "measure", "rank", "threshold"),
)

OF_FILES = {"item": "category", "segment": "segment"}  # columns that a file's name is followed by
COLUMN_OPTIONS = ("user", "item", "score", "grade", "system", "time")  # of the command; elsewhere `user_col`


def call(function: str, given: Mapping[str, Any]) -> str:
    """Return a call of a table function; a word behind the function is no part of it."""
    arguments = ", ".join(f"{name} := {literal(value)}" for name, value in given.items())
    return f"FROM ranking.{function.partition(' ')[0]}({arguments})"


def names_in(function: str, pattern: str = r"\b(\w+) AS (?:(?:NOT )?MATERIALIZED )?\(") -> set[str]:
    """Return the names in the SQL of a call of CALLS that the user's tables may have, by default of CTEs."""
    given = {name: value for name, value in CALLS[function].items() if name != "user"}
    text = re.sub(r"--.*|'[^']*'", "", str(compose_values(function.partition(" ")[0], given)))
    return {name.lower() for name in re.findall(pattern, text)} - OWN_NAMES


def options_of(way: str, function: str) -> list[str]:
    """Return the names of all that an entry point takes, as SQL has them."""
    function = function.partition(" ")[0]
    if way == "SQL":
        return [parameter.split()[0] for parameter in parameters(function)[0]]
    if way == "Python":
        return [*inspect.signature(getattr(ranking_udfs, function)).parameters]
    back = {name: of_sql for of_sql, name in IN_COMMAND.items()} | {"ascending": "descending", "ks": "ks"}
    back |= {"ks": "k", "user_id": "user"} if function == "explain" else {}
    back |= {name: f"{name}_col" for name in COLUMN_OPTIONS}
    return [back.get(name, name) for name in names_of(function)]


def ask(world: World, way: str, function: str, given: Mapping[str, Any], variant: str) -> Rows:
    """Return the rows of a call over a variant; a word behind the function is no part of it."""
    function = function.partition(" ")[0]
    if way == "command":
        return ask_command(world, function, given, world.folder / variant)
    values = {
        name: f"{variant}.{value}" if name in TABLES and isinstance(value, str) else value
        for name, value in given.items()
    }
    if way == "SQL":
        result: Any = world.con.execute(call(function, values))
        names = [name for name, *_ in result.description]
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the check says, which is another entry
            unchecked = {"check": False} if function in CHECKED else {}
            result = getattr(ranking_udfs, function)(**values, **unchecked, con=world.con)
        names = result.columns
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def ask_command(world: World, function: str, given: Mapping[str, Any], folder: Path) -> Rows:
    """Return the rows that a command writes: CSV, or the files of fuse and split."""
    output = folder / ("split" if function == "split" else f"{function}.csv")
    columns = {f"{of}s": given.get(f"{name}_col", name) for of, name in OF_FILES.items()}
    arguments = [f"{folder / given[name]}.parquet" for name in OPERANDS if name in given]
    for name, value in given.items():
        option = f"--{IN_COMMAND.get(name, name).removesuffix('_col').replace('_', '-')}"
        if name == "descending":
            arguments += [] if value else ["--ascending"]
        elif value is True:
            arguments.append(option)
        elif name not in (*OPERANDS, "category_col", "segment_col") and value is not None:
            of_file = f":{columns[name]}" if name in columns and function != "check" else ""
            text = f"{folder / value}.parquet{of_file}" if name in TABLES else text_of(value)
            arguments += [option.replace("--ks", "-k"), text]
    arguments += ["--no-check"] * (function in CHECKED) + ["--quiet"] * (function != "split")
    shutil.rmtree(output, ignore_errors=True)
    assert main([function, *arguments, "--output", str(output)]) == 0
    if function != "split":
        with output.open(encoding="utf-8", newline="") as file:
            return [*csv.DictReader(file)]
    return [
        row | {"fold": int(path.parent.name.removeprefix("fold_").replace("split", "1")), "part": path.stem}
        for path in sorted(output.rglob("*.parquet"))
        for row in world.con.sql(f"FROM '{path}'").to_arrow_table().to_pylist()
    ]


def text_of(value: Any) -> str:
    """Return a value as an option of the command."""
    if isinstance(value, Mapping):
        return ",".join(f"{key}={part}" for key, part in value.items())
    parts = value if isinstance(value, list) else [value]
    return ",".join("all" if part is None else str(part) for part in parts)


def canonical(rows: Rows, *others: str) -> Rows:
    """Return the rows without other columns and in one order, with numbers where CSV has texts."""
    flat = [{name: plain(cell) for name, cell in row.items() if name not in others} for row in rows]

    def order(row: Mapping[str, Any]) -> list[tuple[bool, str, str]]:
        return sorted((name not in KEYS, name, digits(cell)) for name, cell in row.items())

    return sorted(flat, key=order)


def plain(cell: Any) -> Any:
    """Return a cell as the same value from SQL and from a text of CSV."""
    if isinstance(cell, dict):
        return {name: plain(part) for name, part in cell.items()}
    if isinstance(cell, list):
        return cell
    if isinstance(cell, bool) or cell is None:
        return {True: "true", False: "false", None: ""}[cell]
    try:
        return float(cell)
    except ValueError:
        return cell


def digits(cell: Any) -> str:
    """Return a key of order that the last digits of a number do not change; texts come first."""
    return f"~{cell:.6g}" if isinstance(cell, float) else str(cell)


def assert_equal(rows: Rows, expected: Rows, *others: str) -> None:
    """Compare the rows except other columns, to a relative 1e-9; nothing is equal to no row."""
    found, wanted = canonical(rows, *others), canonical(expected, *others)
    assert wanted
    assert len(found) == len(wanted)
    for row, wanted_row in zip(found, wanted, strict=True):
        assert {*row} == {*wanted_row}
        for name, cell in wanted_row.items():
            is_number = isinstance(cell, float)
            assert row[name] == (pytest.approx(cell, rel=1e-9, abs=1e-14) if is_number else cell), (name, row)

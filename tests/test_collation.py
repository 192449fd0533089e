"""A collation of any column of any table changes nothing: ids are compared by their bytes."""

import random
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import duckdb
import pytest

import ranking_udfs
from tests.conftest import Con

IDS = ["a", "A", "b", "B", "ä", "Ä", "c", "C"]  # equal in pairs by NOCASE, in fours by NOACCENT.NOCASE
COLLATIONS = {"": "", "_nocase": "COLLATE NOCASE", "_noaccent": "COLLATE NOACCENT.NOCASE"}
COLUMNS = {
    "rec": "system T, userid T, itemid T, score DOUBLE",
    "truth": "userid T, itemid T, rel INTEGER",
    "users": "userid T",
    "history": "userid T, itemid T, time INTEGER",
    "items": "itemid T, category T",
    "intents": "userid T, itemid T, intent T",
    "segments": "userid T, segment T",
    "by_user": "system T, userid T, segment T, x DOUBLE",
}
SQL = [
    "evaluate('rec', 'truth', [2, 5])",
    "evaluate('rec', 'truth', [2], users := 'users', unjudged := 'skip', ties := 'trec')",
    "by_user('rec', 'truth', [2, 5], ties := 'expected')",
    "judged('rec', 'truth', 3)",
    "distribution('rec', 'truth', [2])",
    "by_item('rec', 'truth', [2])",
    "compare('rec', 'truth', [2], baseline := 'm')",
    "compare_by_user('by_user')",
    "explain('rec', 'truth', 'a', 3)",
    "check('rec', 'truth', [3], history := 'history', items := 'items', users := 'users')",
    "check_rows('rec', 'truth', [3])",
    "abstention('rec', 'truth', 'users')",
    "overlap_by_user('rec', [3])",
    "beyond_accuracy_by_user('rec', [3], history := 'history', items := 'items')",
    "fuse('rec')",
    "intents_by_user('rec', 'intents', [3])",
    "split('history', last := 1, cold_users := 'drop', cold_items := 'drop', seen := 'drop')",
]
Call = Callable[[Con, str], duckdb.DuckDBPyRelation]
PYTHON: dict[str, Call] = {
    "evaluate": lambda con, end: ranking_udfs.evaluate(
        f"rec{end}", f"truth{end}", con=con, segments=f"segments{end}", items=f"items{end}"
    ),
    "compare": lambda con, end: ranking_udfs.compare(
        f"rec{end}", f"truth{end}", "ndcg@3", con=con, segments=f"segments{end}", baseline="m"
    ),
    "check": lambda con, end: ranking_udfs.check(f"rec{end}", f"truth{end}", con=con),
}


@pytest.fixture(scope="module")
def con() -> Iterator[Con]:
    draw = random.Random(1)
    systems = ("m", "M", "n")
    given: dict[str, list[tuple[Any, ...]]] = {
        "rec": [(s, u, i, draw.random()) for s in systems for u in IDS for i in draw.sample(IDS, 5)],
        "truth": [(u, i, draw.randint(0, 3)) for u in IDS[2:] for i in draw.sample(IDS, 4)],
        "users": [(user,) for user in IDS],
        "history": [(*pair, n) for n, pair in enumerate(draw.sample([*product(IDS, IDS)], 30))],
        "items": [(item, draw.choice("xXyY")) for item in IDS],
        "intents": [(u, i, draw.choice("zZ")) for u in IDS for i in draw.sample(IDS, 4)],
        "segments": [(user, draw.choice("sS")) for user in IDS],
        "by_user": [(s, u, "sS"[n % 2], draw.random()) for s in systems for n, u in enumerate(IDS)],
    }
    with ranking_udfs.register(duckdb.connect()) as con:
        for (table, rows), (end, collation) in product(given.items(), COLLATIONS.items()):
            columns = re.sub(r"\bT\b", f"VARCHAR {collation}", COLUMNS[table])
            con.execute(f"CREATE TABLE {table}{end} ({columns})")
            con.executemany(f"INSERT INTO {table}{end} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        yield con


def rows_of(relation: duckdb.DuckDBPyRelation, end: str = "") -> list[str]:
    """Return the rows as texts, without the end of the names of tables."""
    return sorted(repr(row).replace(end, "") if end else repr(row) for row in relation.fetchall())


@pytest.mark.parametrize("call", SQL)
def test_collation_changes_no_row_in_sql(con: Con, call: str) -> None:
    expected = rows_of(con.sql(f"FROM ranking.{call}"))
    assert expected
    for end in [*COLLATIONS][1:]:
        collated = re.sub(rf"'({'|'.join(COLUMNS)})'", rf"'\1{end}'", call)
        assert rows_of(con.sql(f"FROM ranking.{collated}")) == expected


@pytest.mark.parametrize("name", PYTHON)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_collation_changes_no_row_in_python(con: Con, name: str) -> None:
    expected = rows_of(PYTHON[name](con, ""))
    assert expected
    for end in [*COLLATIONS][1:]:
        assert rows_of(PYTHON[name](con, end), end) == expected

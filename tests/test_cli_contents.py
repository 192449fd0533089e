"""What is in the lists, in the command and in Python: the numbers of ranking_beyond_accuracy."""

import json
from pathlib import Path

import duckdb
import pytest

from ranking_udfs.command.values import parse_items
from ranking_udfs.measures.contents import BY_USER, CONTENTS
from tests.command import Run

FILES = {
    "a.csv": "userid,itemid,score\n1,10,3\n1,20,2\n2,10,3\n2,9,2\n4,30,1\n",
    "b.csv": "userid,itemid,score\n1,30,9\n1,30,8\n1,,7\n1,40,6\n2,10,2\n7,10,1\n",
    "test.csv": "userid,itemid\n1,30\n2,9\n4,10\n5,10\n",
    "train.csv": "userid,itemid\n1,10\n1,20\n1,20\n2,10\n3,10\n3,30\n3,40\n",
    "items.csv": "itemid,category,kind\n10,x,1\n20,x,1\n20,y,1\n30,y,1\n40,,1\n10,x,1\n",
    "users.csv": "userid,country\n1,SE\n2,DK\n4,SE\n5,DK\n",
}
MODELS = ["a=a.csv", "b=b.csv", "test.csv", "-q"]
GIVEN = ["--history", "train.csv", "--items", "items.csv"]
# The same tables for SQL, by the names that a query below gives them.
TABLES = """
    WITH rec AS (SELECT 'a' AS system, * FROM 'a.csv' UNION ALL SELECT 'b', * FROM 'b.csv'),
    train AS (FROM 'train.csv'), items AS (FROM 'items.csv') """


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)


def test_all_numbers_are_those_of_sql(run: Run, of_command: duckdb.DuckDBPyConnection) -> None:
    options = ["-k", "1,2,all", "--head", "0.5", "--divergence", "kl"]
    found = json.loads(run("evaluate", *MODELS, *GIVEN, *options, "--format", "json", "--by-user", "u.json"))
    arguments = "[1, 2, NULL], 'train', 'items', head := 0.5, divergence := 'kl'"
    for rows, function, measures in (
        (found, "ranking_beyond_accuracy", CONTENTS.values()),
        (json.loads(Path("u.json").read_text()), "ranking_beyond_accuracy_by_user", BY_USER),
    ):
        names = [one.name for one in measures]
        keys = ["system", *(["userid"] if measures is BY_USER else []), "k"]
        query = f"{TABLES} SELECT {', '.join([*keys, *names])} FROM {function}('rec', {arguments})"
        expected = {
            tuple(map(str, row[: len(keys)])): row[len(keys) :]
            for row in of_command.execute(query).fetchall()
        }
        for row in rows:  # users of truth without a list have no value
            key = tuple(str(row[name]) for name in keys)
            assert tuple(row[name] for name in names) == expected.get(key, (None,) * len(names))
    assert {row["users_with_rec"] for row in found} == {3}


def test_the_column_of_categories_stands_behind_the_file() -> None:
    for text, found in {
        "items.csv:kind": ("items.csv", "kind"),
        "items.csv": ("items.csv", "category"),
        "https://x.org/items.csv": ("https://x.org/items.csv", "category"),
        "s3://x/items.parquet:kind": ("s3://x/items.parquet", "kind"),
    }.items():
        assert parse_items(text) == found

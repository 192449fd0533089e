"""Test manifests: fingerprints of tables, and comparisons with a stored run."""

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.command import REC, Fails, Run, csv, write

USERS = 40
MEASURES = ["-m", "ndcg(gain=linear)@3,all,recall@2,mrr", "-k", "2,5"]


def inputs(run: Run, rec: str, *options: str) -> list[dict[str, Any]]:
    run("evaluate", rec, "truth.csv", "-m", "mrr", "--no-check", "--output", "m.csv", "--manifest", *options)
    tables: list[dict[str, Any]] = json.loads(Path("m.manifest.json").read_text())["inputs"]
    return tables


def test_a_fingerprint_is_the_sum_of_row_hashes(run: Run) -> None:
    header, *rows = REC.splitlines()
    csv("shuffled.csv", header, *random.Random(1).sample(rows, len(rows)))
    csv("ranked.csv", f"{header},rank", *(f"{row},1" for row in rows))
    write("typed.parquet", "SELECT userid::BIGINT AS userid, itemid, score FROM 'rec.csv' ORDER BY score ASC")
    csv("other.csv", header, *rows[1:], "1,1,9.0")
    csv("swapped.csv", header, *rows[1:], "1,10,1")
    csv("twice.csv", header, *rows, rows[0], rows[0])
    hashes = [duckdb.execute("SELECT hash(?, ?, ?)", row.split(",")).fetchall()[0][0] for row in rows]
    expected = {"rows": 12, "users": 3, "items": 4, "fingerprint": str(sum(hashes))}
    (rec, truth) = inputs(run, "rec.csv")
    assert rec == {"table": "rec", "file": "rec.csv", **expected}
    assert rec["fingerprint"] == "81748245057193855481"  # the same for every release of DuckDB
    for name in ("shuffled.csv", "ranked.csv", "typed.parquet"):
        assert inputs(run, name) == [{"table": "rec", "file": name, **expected}, truth]
    of_others = {inputs(run, name)[0]["fingerprint"] for name in ("other.csv", "swapped.csv", "twice.csv")}
    assert len(of_others - {rec["fingerprint"]}) == 3


@pytest.mark.parametrize(
    ("ending", "given"),
    [
        ("parquet", ["--ties", "expected", "--unjudged", "skip", "--pairs"]),
        ("csv", ["--min-grade", "2", "--segment", "users.csv:kind"]),
    ],
)
def test_a_stored_run_compares_like_its_recommendations(run: Run, ending: str, given: list[str]) -> None:
    """Two systems have random lists, some users have none; of the first system only the values are kept."""
    draw = random.Random(3)
    for name, users in (("old", USERS - 3), ("new", USERS - 1)):
        lists = [(u, item) for u in range(users) for item in draw.sample(range(9), 6)]
        csv(f"{name}.csv", "userid,itemid,score", *(f"{u:03},{i},{draw.randrange(6)}" for u, i in lists))
    graded = (f"{u:03},{i},{(u + i) % 3}" for u in range(USERS) for i in range(4))
    csv("golden.csv", "userid,itemid,rel", *graded)
    csv("users.csv", "userid,kind", *(f"{u:03},{u % 2}" for u in range(USERS)))
    measured = [option for option in given if option != "--pairs"]
    options = ["golden.csv", "--no-check", "--format", "json", *MEASURES]
    expected = run("compare", "old=old.csv", "new=new.csv", *options, "--baseline", "old", *given)
    run("evaluate", "old.csv", *options, *measured, "--by-user", f"run.{ending}", "--manifest")
    Path("old.csv").unlink()
    stored = ["--against", f"run.{ending}", "--baseline", "old"]
    assert json.loads(run("compare", "new=new.csv", *options, *stored, *given)) == json.loads(expected)
    assert len(json.loads(expected)) >= 4


def test_a_stored_run_of_other_users_is_refused(run: Run, fails: Fails) -> None:
    csv("users.csv", "userid", *"12345")
    csv("more.csv", "userid", *"123456")
    call = ["truth.csv", "--no-check", *MEASURES, "--users"]
    run("evaluate", "rec.csv", *call, "users.csv", "--by-user", "run.parquet", "--manifest")
    stored = ["compare", "new=rec.csv", "--against", "run.parquet", *call]
    run(*stored, "users.csv")
    error = "compare: --against run.parquet: it was measured by other --users: measure it again"
    assert fails(2, *stored, "more.csv") == error

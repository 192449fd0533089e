"""Manifests: fingerprints; golden/manifest.txt has files and errors."""

import json
import random
from pathlib import Path
from typing import Any

import duckdb

from tests.command import REC, Run, csv, write


def inputs(run: Run, rec: str, *given: str) -> list[dict[str, Any]]:
    run("evaluate", rec, "truth.csv", "-m", "mrr", "--no-check", "--output", "m.csv", "--manifest", *given)
    found: list[dict[str, Any]] = json.loads(Path("m.manifest.json").read_text())["inputs"]
    return found


def test_a_fingerprint_is_the_sum_of_the_hashes_of_the_rows_in_any_order(run: Run) -> None:
    header, *rows = REC.splitlines()
    typed = "SELECT userid::BIGINT AS userid, itemid, score FROM 'rec.csv' ORDER BY score ASC"
    csv("shuffled.csv", header, *random.Random(1).sample(rows, len(rows)))
    csv("ranked.csv", f"{header},rank", *(f"{row},1" for row in rows))
    write("typed.parquet", typed)
    csv("other.csv", header, *rows[1:], "1,1,9.0")
    csv("swapped.csv", header, *rows[1:], "1,10,1")
    csv("twice.csv", header, *rows, rows[0], rows[0])
    hashes = [duckdb.execute("SELECT hash(?, ?, ?)", row.split(",")).fetchall()[0][0] for row in rows]
    expected = {"rows": 12, "users": 3, "items": 4, "fingerprint": str(sum(hashes))}
    (rec, truth) = inputs(run, "rec.csv")
    assert rec == {"table": "rec", "file": "rec.csv", **expected}
    assert rec["fingerprint"] == "81748245057193855481"  # on each release of DuckDB
    for name in ("shuffled.csv", "ranked.csv", "typed.parquet"):
        assert inputs(run, name) == [{"table": "rec", "file": name, **expected}, truth]
    of_others = {inputs(run, name)[0]["fingerprint"] for name in ("other.csv", "swapped.csv", "twice.csv")}
    assert len(of_others - {rec["fingerprint"]}) == 3

"""ranking_check and `ranking-udfs check` with the history that recommendations were made of."""

import json
import random
from pathlib import Path

import duckdb
import pytest

from tests.command import Run
from tests.conftest import module_connection

IN_TRUTH = "truth: items that the user has in history already"
LATE = "history: events at or after the first of truth"
IN_REC = "rec: items that the user has in history already"
USERS = "users in truth that are not in history"
ITEMS = "items in truth that are not in history"
ONE_SIDED = "truth or history without times: late events unseen"
FOUR = "SELECT problem, system, count, example FROM"


pack = module_connection()


# --- The numbers ---


@pytest.mark.parametrize("seed", range(4))
def test_the_problems_of_a_history_are_those_of_the_definition(
    pack: duckdb.DuckDBPyConnection, seed: int
) -> None:
    draw = random.Random(seed)

    def drawn(n: int) -> list[tuple[int | None, int | None, int | None, str]]:
        ids = [*range(12), None]
        return [
            (draw.choice(ids), draw.choice(ids), draw.choice([*range(40), None]), draw.choice("ab"))
            for _ in range(n)
        ]

    tables = {"history_of": drawn(60), "truth_of": drawn(30), "rec_of": drawn(60)}
    tables["truth_of"] = [(u, i, t if t is None else t + 30, s) for u, i, t, s in tables["truth_of"]]
    for name, rows in tables.items():
        pack.execute(f"CREATE OR REPLACE TABLE {name} (userid INT, itemid INT, time INT, system VARCHAR)")
        pack.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
    pack.execute("ALTER TABLE rec_of RENAME time TO score; ALTER TABLE truth_of DROP system")
    history, truth, rec = tables.values()
    known = {(u, i) for u, i, _, _ in history if None not in (u, i)}
    first = min(t for _, _, t, _ in truth if t is not None)
    expected = {
        (IN_TRUTH, None): len({(u, i) for u, i, _, _ in truth} & known),
        (LATE, None): sum(t is not None and t >= first for _, _, t, _ in history),
        (IN_REC, "a"): sum((u, i) in known and s == "a" for u, i, _, s in rec),
        (IN_REC, "b"): sum((u, i) in known and s == "b" for u, i, _, s in rec),
        (USERS, None): len({u for u, *_ in truth} - {u for u, *_ in history} - {None}),
        (ITEMS, None): len({i for _, i, _, _ in truth} - {i for _, i, _, _ in history} - {None}),
    }
    found = pack.execute(f"{FOUR} ranking_check('rec_of', 'truth_of', history := 'history_of')").fetchall()
    counts = {(problem, system): count for problem, system, count, _ in found if "history" in problem}
    assert counts == {key: count for key, count in expected.items() if count}


# --- The command ---

FILES = {
    "train.csv": "customer,sku,rated_on\n1,a,2026-01-01\n1,b,2026-01-02\n2,a,2026-01-06\n",
    "test.csv": "customer,sku,rated_on\n1,b,2026-01-05\n2,c,2026-01-07\n9,a,2026-01-07\n",
    "made.csv": "customer,sku,score\n1,a,3\n1,c,2\n2,c,1\n9,a,2\n",
}
CHECK = ("check", "made.csv", "test.csv", "--user", "customer", "--item", "sku", "-k", "1")


@pytest.fixture
def files(folder: Path) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)


def test_the_check_says_in_which_file_and_what_to_write(run: Run, files: None) -> None:
    found = json.loads(run(*CHECK, "--history", "train.csv", "--time", "rated_on", "--format", "json"))
    assert [(row["problem"], row["count"], row["example"], row["file"]) for row in found] == [
        (IN_TRUTH, 1, "customer 1, sku b", "test.csv"),
        (LATE, 1, "2026-01-06, and truth from 2026-01-05", "train.csv"),
        (IN_REC, 1, "customer 1, sku a", "made.csv"),
        (USERS, 1, "customer 9", "train.csv"),
        (ITEMS, 1, "sku c", "train.csv"),
    ]
    assert [row["write"] for row in found] == [
        "write ranking-udfs split --seen drop",
        "end the history before truth begins",
        "ANTI JOIN rec with the history",
        None,
        None,
    ]
    assert LATE not in run(*CHECK, "--history", "train.csv")


def test_qrels_have_no_times_and_ids_are_compared_as_they_are_written(run: Run) -> None:
    Path("test.qrels").write_text("t1 0 01 1\nt2 0 2 1\n")
    Path("system.run").write_text("t1 Q0 1 1 2.5 tag\nt2 Q0 2 2 2.0 tag\n")
    Path("past.csv").write_text("userid,itemid,time\nt1,1,3\nt2,2,4\n")
    arguments = ("check", "system.run", "test.qrels", "-k", "1", "--format", "json", "--history", "past.csv")
    found = {row["problem"]: row for row in json.loads(run(*arguments))}
    assert [found[IN_TRUTH]["example"], found[IN_REC]["count"]] == ["userid t2, itemid 2", 2]
    assert found[ITEMS]["example"] == "itemid 01"
    assert found[ONE_SIDED]["example"] == "one in history"
    assert ONE_SIDED not in run(*arguments, "--time", "")
    (named, *_) = json.loads(run(*arguments, "--time", "time"))
    assert (named["problem"], named["file"]) == ("truth must have a column time (time_col)", "test.qrels")


@pytest.mark.usefixtures("files")
def test_times_that_cannot_be_looked_for_stop_no_gate(run: Run) -> None:
    """The history has a time, and truth has none: it is only to know, with what to write."""
    Path("past.csv").write_text("customer,sku,time\n1,c,3\n2,b,3\n2,a,3\n9,d,3\n9,b,3\n")
    Path("made.csv").write_text("customer,sku,score\n1,b,1\n2,c,2\n9,a,2\n")
    arguments = (*CHECK, "--history", "past.csv", "--fail-if", "problems", "--format", "json")
    (found,) = json.loads(run(*arguments))
    assert (found["severity"], found["problem"]) == ("info", ONE_SIDED)
    assert found["write"] == "write --time '' if there are none"

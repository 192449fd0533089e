"""What a user waits for on small tables: registering, planning and the command, in CPU seconds.

`python -m tests.benchmark.startup` prints the least of five processes. To compare two checkouts, run it with
the PYTHONPATH of each in turns.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# This runs in a fresh interpreter, and prints the least CPU seconds of five by name.
LINES = """
import json, time
import duckdb, numpy, pyarrow, pyarrow.compute
import ranking_udfs

least = {}

def measure(name, call, times=5):
    for _ in range(times):
        started = time.process_time()
        call()
        least[name] = min(least.get(name, 99), time.process_time() - started)

con = duckdb.connect()
con.execute("SELECT 1").fetchall()
measure("register, first in a process", lambda: ranking_udfs.register(con), times=1)
measure("register, another cursor", lambda: ranking_udfs.register(con.cursor()))
measure("register, again", lambda: ranking_udfs.register(con))
con.execute('''
    CREATE TABLE rec AS SELECT model AS system, customer_id AS userid, sku AS itemid, score
    FROM 'examples/dbt_project/seeds/recommendations.csv';
    CREATE TABLE truth AS SELECT customer_id AS userid, sku AS itemid, stars AS rel
    FROM 'examples/dbt_project/seeds/ratings.csv';
''')
judged = "ranking.judged('rec', 'truth', 10)"
for query in (
    "SELECT recall FROM ranking.evaluate('rec', 'truth', [10])",
    f"FROM {judged}",
    "SELECT recall FROM ranking.by_user('rec', 'truth', [10])",
    "FROM ranking.compare('rec', 'truth', ks := [10], measures := ['ndcg', 'recall'])",
    f"SELECT avg(ranking.ndcg(judged, 10)) FROM {judged}",
    f"SELECT ranking.mean(ranking.ndcg(judged, 10)) FROM {judged}",
):
    measure(f"EXPLAIN {query}", lambda: con.execute(f"EXPLAIN {query}").fetchall())
print(json.dumps(least))
"""
EVALUATE = "-m ranking_udfs evaluate examples/data/dummy_rec.csv examples/data/dummy_truth.csv -k 4 -k 2"


def process(*arguments: str) -> tuple[str, float]:
    """Run Python, and return what it prints and its CPU seconds."""
    before = os.times()
    command = [sys.executable, *arguments]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    after = os.times()
    return printed, sum(after[2:4]) - sum(before[2:4])


if __name__ == "__main__":
    runs = [
        json.loads(process("-c", LINES)[0])
        | {"ranking-udfs evaluate, whole process": process(*EVALUATE.split())[1]}
        for _ in range(5)
    ]
    print("| CPU seconds, least of 5 | seconds |\n|---|--:|")
    for name in runs[0]:
        print(f"| {name} | {min(run[name] for run in runs):.3f} |")

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
# Runs in a fresh interpreter, and prints CPU seconds by name, the least of five where a line repeats.
LINES = """
import json, time
import duckdb, numpy, pyarrow, pyarrow.compute
import ranking_udfs

found = {}

def seconds(name, call, times=5):
    for _ in range(times):
        started = time.process_time()
        call()
        spent = time.process_time() - started
        found[name] = min(found.get(name, spent), spent)

con = duckdb.connect()
con.execute("SELECT 1").fetchall()
seconds("register, first in a process", lambda: ranking_udfs.register(con), times=1)
seconds("register, another cursor", lambda: ranking_udfs.register(con.cursor()))
seconds("register, again", lambda: ranking_udfs.register(con))
ranking_udfs.register(con)
seconds("register, again with temp=False", lambda: ranking_udfs.register(con.cursor()))
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
    "FROM ranking.compare('rec', 'truth', [10], measures := ['ndcg', 'recall'])",
    f"SELECT avg(ranking.ndcg(judged, 10)) FROM {judged}",
    f"SELECT ranking.mean(ranking.ndcg(judged, 10)) FROM {judged}",
):
    seconds(f"EXPLAIN {query}", lambda: con.execute(f"EXPLAIN {query}").fetchall())
print(json.dumps(found))
"""
EVALUATE = "-m ranking_udfs evaluate examples/data/dummy_rec.csv examples/data/dummy_truth.csv -k 4 -k 2"


def process(*arguments: str) -> tuple[str, float]:
    """What a process of Python prints, and its CPU seconds."""
    before = os.times()
    command = [sys.executable, *arguments]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    after = os.times()
    return printed, sum(after[2:4]) - sum(before[2:4])


if __name__ == "__main__":
    least: dict[str, float] = {}
    for _ in range(5):
        found = json.loads(process("-c", LINES)[0])
        found["ranking-udfs evaluate, whole process"] = process(*EVALUATE.split())[1]
        least = {name: min(value, least.get(name, value)) for name, value in found.items()}
    print("| CPU seconds, least of 5 | seconds |\n|---|--:|")
    for name, value in least.items():
        print(f"| {name} | {value:.3f} |")

"""What it costs to compare two systems by six measures at k = 10, next to measuring them and to ranx."""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import duckdb

import ranking_udfs

from .compare import cache_folder, number, parser
from .data import Data, Files, make
from .report import heading, median, say, spread, table

SIX = 'ndcg, recall, average_precision, mrr, hit_rate, "precision"'
# The second system ranks each user's items by scores of its own.
TABLES = """
    CREATE TABLE rec AS
    SELECT 'a' AS system, * FROM stored.rec
    UNION ALL SELECT 'b', * REPLACE (score + hash(userid, itemid) % 100 / 200 AS score) FROM stored.rec;
    CREATE TABLE truth AS FROM stored.truth
"""
BY_USER = "ranking_by_user, to a table"
QUERIES = {
    BY_USER: f"""
        CREATE OR REPLACE TEMP TABLE by_user AS
        SELECT system, userid, k, {SIX} FROM ranking_by_user('rec', 'truth', [10])""",
    "ranking_compare": "FROM ranking_compare('rec', 'truth', [10])",
    "ranking_compare_by_user, six measures": "FROM ranking_compare_by_user('by_user')",
    "the same, one measure": "FROM ranking_compare_by_user('by_user', measures := ['ndcg'])",
    "the same, one measure, 10,000 permutations": (
        "FROM ranking_compare_by_user('by_user', measures := ['ndcg'], test := 'randomization')"
    ),
}


def with_ranx(con: duckdb.DuckDBPyConnection, threads: int) -> Callable[[], object] | None:
    """Its paired t-test over its own tables, which are made beforehand; None if it is not there."""
    try:
        import ranx
    except ImportError:
        return None

    def frame(rest: str) -> Any:
        texts = con.sql(f"SELECT userid::VARCHAR AS q_id, itemid::VARCHAR AS doc_id, {rest}").df()
        return texts.astype({"q_id": object, "doc_id": object})

    runs = [
        ranx.Run.from_df(
            frame(f"score::DOUBLE AS score FROM rec WHERE system = '{one}'"), name=one, score_col="score"
        )
        for one in "ab"
    ]
    qrels = ranx.Qrels.from_df(frame("1::BIGINT AS relevance FROM truth"), score_col="relevance")
    metrics = [f"{name}@10" for name in ("ndcg", "recall", "map", "mrr", "hit_rate", "precision")]
    return lambda: ranx.compare(
        qrels, runs, metrics, stat_test="student", n_permutations=1, threads=threads, make_comparable=True
    )


def times(files: Files, threads: int, repeat: int, ranx: bool) -> dict[str, list[tuple[float, float]]]:
    """Seconds and CPU seconds of each; in turns, so that whatever else the machine does falls on all."""
    con = ranking_udfs.register(duckdb.connect())
    con.execute(f"SET threads = {threads}; ATTACH '{files.database}' AS stored (READ_ONLY); {TABLES}")
    tasks: dict[str, Callable[[], object]] = {
        name: lambda query=query: con.execute(query).fetchall() for name, query in QUERIES.items()
    }
    if ranx and (task := with_ranx(con, threads)):
        tasks["ranx's compare, its tables made"] = task
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
    for turn in range(repeat + 1):
        for name, task in tasks.items():
            started, worked = time.perf_counter(), time.process_time()
            task()
            if turn:  # the first is to warm up
                found[name].append((time.perf_counter() - started, time.process_time() - worked))
        say(f"{turn}/{repeat}")
    con.close()
    return found


def main(arguments: Sequence[str]) -> int:
    options = parser(__doc__)
    options.add_argument("--users", type=number, default=100_000)
    options.add_argument("--per-user", type=int, default=20, help="recommendations per user and system")
    options.add_argument(
        "--no-ranx", action="store_true", help="leave out the contender, which takes minutes"
    )
    given = options.parse_args(arguments)
    data = Data(users=given.users, recs=given.per_user, truth=5, seed=given.seed)
    folder, temporary = cache_folder(given.cache)
    say(f"making {data}")
    found = times(make(data, folder), given.threads, given.repeat, not given.no_ranx)
    if temporary:
        temporary.cleanup()
    against = median([one for one, _ in found[BY_USER]])
    rows = [
        [
            name,
            *spread([one for one, _ in done]),
            *spread([cpu for _, cpu in done]),
            f"{median([one for one, _ in done]) / against:.2f}",
        ]
        for name, done in found.items()
    ]
    print(heading("tests.benchmark.comparison", arguments, ("duckdb", "pyarrow", "numpy", "ranx")))
    print(f"Two systems of {data}; {given.threads} threads.\n")
    columns = ("what", "seconds", "min", "max", "CPU seconds", "min", "max", "to ranking_by_user")
    print(table(columns, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

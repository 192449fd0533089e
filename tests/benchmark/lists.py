"""What measures cost in a query over lists, next to the same query without them.

lists            six measures at two cut-offs over a table of lists, next to len(rec) and to building them
to_ordered_list  the documents' query, which builds its lists, next to the same query without the measures
to_ordered_map   the same with map_values(to_ordered_map(score, itemid, true)), as written there

Each in two forms: recall(rec, truth, k), and judged: recall(judge(rec, truth), k).
"""

import argparse
import sys
import time
from collections.abc import Sequence

import duckdb

import ranking_udfs

from .compare import cache_folder, parser
from .data import IDS, Data, Files, make
from .report import heading, median, say, seconds, spread, table

MEASURES = ("recall", '"precision"', "average_precision", "auc", "mrr", "ndcg")
ORDERED = {
    "to_ordered_list": "to_ordered_list(itemid, score, '-reverse')",
    "to_ordered_map": "map_values(to_ordered_map(score, itemid, true))",
}
BUILD = """
    SELECT userid, items, relevant
    FROM (SELECT userid, {ordered} AS items FROM rec GROUP BY userid)
    JOIN (SELECT userid, collect_set(itemid) AS relevant FROM truth GROUP BY userid) USING (userid)
"""


PLAIN, JUDGED = "items, relevant", "judge(items, relevant)"


def measured(ks: Sequence[int], relation: str, arguments: str) -> str:
    calls = ", ".join(f"avg({measure}({arguments}, {k}))" for k in ks for measure in MEASURES)
    return f"SELECT {calls} FROM {relation}"


def lengths(relation: str) -> str:
    return f"SELECT avg(len(items)), avg(len(relevant)) FROM {relation}"


def queries(ks: Sequence[int]) -> dict[str, str]:
    """The queries by name: those with measures, and those that they are held against."""
    found = {
        "lists": measured(ks, "lists", PLAIN),
        "lists, judged": measured(ks, "lists", JUDGED),
        "len": lengths("lists"),
        "build": "CREATE OR REPLACE TEMP TABLE built AS " + BUILD.format(ordered=ORDERED["to_ordered_list"]),
    }
    for name, ordered in ORDERED.items():
        built = f"({BUILD.format(ordered=ordered)})"
        found[name] = measured(ks, built, PLAIN)
        found[f"{name}, judged"] = measured(ks, built, JUDGED)
        found[f"{name} without"] = lengths(built)
    return found


def times(files: Files, given: argparse.Namespace) -> dict[str, list[float]]:
    """Seconds of each query; in turns, so that whatever else the machine does falls on all of them."""
    con = ranking_udfs.register(duckdb.connect())
    con.execute(f"SET threads = {given.threads}")
    con.execute(f"ATTACH '{files.database}' AS stored (READ_ONLY)")
    for name in ("rec", "truth"):
        con.execute(f"CREATE TABLE {name} AS FROM stored.{name}")
    con.execute("CREATE TABLE lists AS " + BUILD.format(ordered=ORDERED["to_ordered_list"]))
    asked = queries(given.k)
    found: dict[str, list[float]] = {name: [] for name in asked}
    for turn in range(given.repeat + 1):
        for name, query in asked.items():
            started = time.perf_counter()
            con.execute(query).fetchall()
            if turn:  # the first is to warm up
                found[name].append(time.perf_counter() - started)
    con.close()
    return found


def main(arguments: Sequence[str]) -> int:
    options = parser(__doc__)
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument("--k", type=lambda text: [int(k) for k in text.split(",")], default=[10, 100])
    options.add_argument("--ids", type=lambda text: text.split(","), default=list(IDS))
    given = options.parse_args(arguments)
    folder, temporary = cache_folder(given.cache)
    rows = []
    for ids in given.ids:
        data = Data(users=given.recs // 100, ids=ids, seed=given.seed)
        say(f"making {data}")
        found = times(make(data, folder), given)
        middle = {name: median(values) for name, values in found.items()}
        pairs = [("lists", "len"), ("lists, judged", "len"), ("lists, judged", "build")]
        pairs += [(f"{name}{form}", f"{name} without") for name in ORDERED for form in ("", ", judged")]
        for what, against in pairs:
            ratio = f"{middle[what] / middle[against]:.2f}"
            rows.append([f"{what} / {against}", ids, *spread(found[what]), seconds(middle[against]), ratio])
    if temporary:
        temporary.cleanup()
    print(heading("tests.benchmark.lists", arguments, ("duckdb", "pyarrow", "numpy")))
    print(f"Six measures at k = {given.k}; {data}; {given.threads} threads.\n")
    print(table(("query / against", "ids", "seconds", "min", "max", "against", "ratio"), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

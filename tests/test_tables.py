"""The table functions: rules that single calls in text files and the fuzzer cannot hold."""

import math
import random
import threading
from collections import Counter
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.compose.call import Call
from ranking_udfs.compose.templates import environment
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, Patch, module_connection, refusal, rows

# Ties, NULLs, NaN, a repeated item, and a user of each table alone.
tables = module_connection("""
    CREATE TABLE rec AS FROM (VALUES
        (1, 10, 9.0), (1, 30, 8.0), (1, 20, 8.0), (1, 60, 2.0),
        (2, 50, 1.0), (2, 50, 0.5), (2, 40, NULL), (2, 20, 'nan'::DOUBLE), (2, NULL, 3.0), (9, 10, 1.0)
    ) AS t(userid, itemid, score);
    CREATE TABLE truth AS
    FROM (VALUES (1, 10), (1, 20), (1, 40), (2, 50), (2, 20), (2, NULL), (3, 10)) AS t(userid, itemid)""")


def test_tables_can_be_whatever_query_table_reads(tables: Con, tmp_path: Path, monkeypatch: Patch) -> None:
    """Pass a source that can be read only once, such as an Arrow reader, through a materialized CTE."""
    monkeypatch.chdir(tmp_path)
    for name, kind in product(("rec", "truth"), ("parquet", "csv", "json")):
        tables.execute(f"COPY {name} TO '{name}.{kind}'")
    tables.execute("CREATE OR REPLACE VIEW truth_view AS FROM truth")
    tables.execute('CREATE OR REPLACE TABLE "odd name; " AS FROM rec')
    arrow_rec, arrow_truth = (tables.sql(f"FROM {name}").to_arrow_table() for name in ("rec", "truth"))
    frame = tables.sql("FROM truth WHERE itemid IS NOT NULL").df()
    assert (arrow_rec.num_rows, arrow_truth.num_rows, len(frame)) == (10, 7, 6)
    reader = pa.RecordBatchReader.from_batches(arrow_rec.schema, arrow_rec.to_batches())
    assert reader.schema == arrow_rec.schema
    query = """
        WITH cte_truth AS (FROM truth), cte_arrow_rec AS (FROM arrow_rec), once AS MATERIALIZED (FROM {})
        FROM ranking.evaluate({}, ks := [2, 4], measures := 'recall,ndcg')"""
    expected = tables.execute(query.format("rec", "'rec', 'truth'")).fetchall()
    for once, arguments in (
        ("rec", '\'memory.main.rec\', \'"memory"."main"."truth"\''),
        ("rec", "'rec.parquet', 'truth.csv'"),
        ("rec", "'rec.json', 'arrow_truth'"),
        ("rec", "'cte_arrow_rec', 'truth_view'"),
        ("rec", "'\"odd name; \"', 'cte_truth'"),
        ("reader", "'once', 'frame'"),
    ):
        assert tables.execute(query.format(once, arguments)).fetchall() == expected, arguments


def test_different_id_types_are_an_error_before_a_cast() -> None:
    """The cast of a text that is no date, or of a date, came first in one of six calls, or in each."""
    with ranking_udfs.register(duckdb.connect(config={"threads": 4})) as con:
        for users in (("u", "u || 'x'"), ("DATE '2020-01-01' + u::INTEGER", "u")):
            for name, user in zip(("recs", "truths"), users, strict=True):
                rows_of = f"SELECT {user} AS userid, u AS itemid, 1 AS score FROM range(3000) AS t(u)"
                con.execute(f"CREATE OR REPLACE TABLE {name} AS {rows_of}")
            for _ in range(9):
                query = (
                    "FROM ranking.evaluate('recs', 'truths', ks := [10], measures := 'mrr', grade_col := '')"
                )
                assert "userid must have the same type" in refusal(con, query)


def test_shuffled_rows_make_the_same_lists_as_grouped_rows(con: Con) -> None:
    """Include systems, ties, repeated items, and NULL among users, items and scores."""
    con.execute("""
        CREATE TABLE rec_u AS
        SELECT if(u > 0, {'id': u}, NULL) AS userid, if(i % 4 > 0, hash(u, i) % 8, NULL) AS itemid,
            CASE hash(i, u) % 9 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE ELSE hash(i, u) % 9 END AS score,
            if(s > 0, s, NULL) AS system
        FROM range(9000) AS users(u), range(2) AS systems(s), range(5) AS items(i)
        ORDER BY u;
        CREATE TABLE truth AS SELECT {'id': u} AS userid, hash(u, i, 1) % 8 AS itemid, i AS rel
        FROM range(9100) AS users(u), range(4) AS items(i);
        CREATE TABLE rec AS FROM rec_u ORDER BY hash(rec_u);
    """)
    by_user = "FROM ranking.by_user('{}', 'truth', ks := [5, 33], measures := 'ndcg', "
    for query in (
        "FROM ranking.judged('{}', 'truth', NULL)",
        f"{by_user}unjudged := 'skip')",
        f"{by_user}ties := 'expected')",
        "FROM ranking.fuse('{}', systems := [1])",
    ):
        digest = f"SELECT count(*), bit_xor(hash(rows)), sum(hash(rows)) FROM ({query}) AS rows"
        grouped, shuffled = (con.execute(digest.format(rec)).fetchall() for rec in ("rec_u", "rec"))
        assert shuffled == grouped
        assert grouped[0][0] > 9_000


@pytest.mark.slow
def test_limit_ends_a_query_over_many_users(con: Con) -> None:
    """DuckDB 2.0 waits forever if a LIMIT and a join below it read a CTE with this many rows."""
    con.execute("""
        CREATE TABLE rec AS
        SELECT i // 10 AS userid, i % 5003 AS itemid, hash(i) AS score FROM range(1_000_010) t(i);
        CREATE TABLE systems AS SELECT *, 'a' AS system FROM rec;
        CREATE TABLE truth AS SELECT i // 2 AS userid, i % 5003 AS itemid FROM range(200_000) t(i);
        CREATE VIEW by_user AS SELECT DISTINCT i % 2 AS system, i // 2 AS userid, hash(i) / 2 ** 64 AS x
        FROM range(2_000_000) t(i)
    """)
    timer = threading.Timer(160, con.interrupt)  # for all queries; one takes seconds, or forever
    timer.start()
    for query in (
        "FROM ranking.judged('rec', 'truth', 10)",
        "SELECT ndcg FROM ranking.by_user('rec', 'truth', [10, 50])",
        "FROM ranking.check('systems', 'truth', ks := [3, 50])",
        "WITH cte AS (FROM by_user) SELECT users FROM ranking.compare_by_user('cte')",
    ):
        assert len(con.execute(f"{query} LIMIT 1").fetchall()) == 1, query
    timer.cancel()


def test_check_counts_ties_like_a_sort_in_python(con: Con) -> None:
    draw = random.Random(7)
    scores = [None, math.nan, math.inf, -math.inf, 0.0, -0.0, *range(1, 30)]
    users, drawn = zip(*((draw.randrange(12), draw.choice(scores)) for _ in range(700)), strict=True)
    con.register("drawn", pa.table({"userid": users, "score": pa.array(drawn, pa.float64())}))
    con.execute("""
        CREATE TABLE one AS SELECT userid, row_number() OVER () AS itemid, score FROM drawn;
        CREATE TABLE two AS SELECT *, unnest(['a', NULL]) AS system FROM one
    """)
    ks = [1, 2, 5, 20, 31, 32, 33, 40, 70]
    expected: dict[int, int] = Counter()
    for user, k in product(range(12), ks):
        of_user = [s for u, s in zip(users, drawn, strict=True) if u == user and s is not None and s == s]
        ranked = sorted(of_user, reverse=True)
        expected[k] += len(ranked) > k and ranked[k - 1] == ranked[k]
    assert sum(map(bool, expected.values())) > 4
    for table, systems, some in (("one", 1, [*ks[:5], 0]), ("two", 2, [*ks, 2**63 - 1])):
        query = f"FROM ranking.check('{table}', '{table}', {some}) WHERE code = 'ties_at_k' GROUP BY k"
        counts = dict(con.execute(f"SELECT k, sum(count) {query}").fetchall())
        assert counts == {k: n * systems for k, n in expected.items() if k in some and n}, (table, some)


def test_check_needs_no_more_memory_for_a_larger_k(con: Con) -> None:
    con.execute("""
        SET memory_limit = '200MB';
        CREATE TABLE rec AS SELECT i % 3000 AS userid, i AS itemid, i AS score FROM range(60_000) t(i);
        CREATE VIEW truth AS SELECT userid, itemid FROM rec""")
    assert con.execute("FROM ranking.check('rec', 'truth', ks := [20_000])").fetchall() == []


NAMED = ("first_hit_rank", "ndcg", "recall", "spearman")


@pytest.mark.parametrize(
    ("ties", "names"), [("item", NAMED), ("trec", NAMED), ("expected", ("hits", "map", "ndcg", "recall"))]
)
def test_distribution_equals_numpy_over_values_by_user(tables: Con, ties: str, names: list[str]) -> None:
    """The mean is bit-identical to ranking.evaluate's."""
    tables.execute("""
        CREATE OR REPLACE TABLE some_rec AS
        SELECT
            'ab'[1 + i % 2] AS "system",
            hash(i) % 53 AS userid, hash(i + 1) % 40 AS itemid, hash(i + 2) % 9 AS score
        FROM range(2000) AS t(i);
        CREATE OR REPLACE TABLE some_truth AS
        SELECT hash(i + 3) % 60 AS userid, hash(i + 4) % 40 AS itemid, hash(i + 5) % 3 AS rel
        FROM range(300) AS t(i)
    """)
    measures = ",".join(names)
    call = f"('some_rec', 'some_truth', ks := [2, NULL], measures := '{measures}', ties := '{ties}')"
    by_user = rows(tables, f"FROM ranking.by_user{call}")
    means = {(row["system"], row["k"]): row for row in rows(tables, f"FROM ranking.evaluate{call}")}
    distribution = rows(tables, f"FROM ranking.distribution{call}")
    columns = sorted(by_user[0].keys() & MEASURES.keys())
    assert [(row["system"], row["k"], row["measure"]) for row in distribution] == [
        (*key, name) for key in product("ab", (2, None)) for name in columns
    ]
    shares = {"percentile_5": 5, "quartile_1": 25, "median": 50, "quartile_3": 75, "percentile_95": 95}
    for row in distribution:
        key, name = (row["system"], row["k"]), row["measure"]
        values = [of[name] for of in by_user if (of["system"], of["k"]) == key]
        defined = np.array([value for value in values if value is not None])
        assert (row["users"], row["users_undefined"]) == (len(defined), len(values) - len(defined))
        assert row["mean"] == means[key][name]
        if len(defined) < 2:
            assert name == "spearman"
            continue
        deviation = float(np.std(defined, ddof=1))
        expected = {"standard_deviation": deviation, "standard_error": deviation / math.sqrt(len(defined))}
        expected |= {"minimum": defined.min(), "maximum": defined.max(), "zeros": np.mean(defined == 0)}
        expected |= {column: np.percentile(defined, share) for column, share in shares.items()}
        assert {column: row[column] for column in expected} == pytest.approx(expected, rel=1e-12, abs=1e-15)
    undefined = {row["measure"] for row in distribution if row["users_undefined"]}
    assert undefined == {"spearman", "first_hit_rank"} & {*names}


def test_errors_are_short_and_without_internal_names(tables: Con) -> None:
    words = ", ".join(f"'word number {i}'" for i in range(3_000))
    tables.execute(f"""
        CREATE OR REPLACE VIEW wordy AS SELECT *, NULL::ENUM ({words}) AS rel FROM truth;
        CREATE OR REPLACE VIEW wordy_items AS SELECT * REPLACE (rel AS itemid) FROM wordy""")
    for query in (
        "ranking.evaluate('rec', 'wordy', [2])",
        "ranking.interpolated_precision_curve('rec', 'wordy_items')",
        f"ranking.by_user('rec', 'truth', []::STRUCT({'long' * 20} INTEGER)[])",
        "ranking.judged('rec', 'truth', (repeat('9', 36) || '.5')::DECIMAL(38, 1))",
    ):
        error = refusal(tables, f"FROM {query}")
        assert error.startswith(query.partition("(")[0])
        assert len(error) <= 200
        assert "_ranking" not in error
    query = "SELECT example FROM ranking.check('rec', 'wordy_items') WHERE problem LIKE 'itemid must%'"
    ((example,),) = tables.execute(query).fetchall()
    assert len(example) <= 200


# --- Rows of one user are gathered before lists are made of them ---

gathered = module_connection()


def listed_users(con: Con, rec: str) -> Any:
    """Return the users of rec in the order in which lists of them are made."""
    template: Any = environment().get_template("tables/internal/lists.jinja").module
    recs = template.gathered(SimpleNamespace(recs=rec))
    con.execute("SET threads = 1")
    return con.execute(f"SELECT coalesce(list(userid), []) FROM {recs}").fetchall()[0][0]


# The first 8,192 rows decide: how many users do they have?
MANY: list[list[int | None]] = [[*range(8192)], [*range(4097)] * 2, [*range(5000)] + [0] * 50_000]
FEW: list[list[int | None]] = [[*range(4096)] * 2, [i // 2 for i in range(9000)], [None] * 9000, []]
FEW.append([0] * 5000 + [*range(50_000)])


@pytest.mark.parametrize("users", [*MANY, *FEW])
def test_rows_are_gathered_if_the_first_have_many_users(gathered: Con, users: list[int | None]) -> None:
    gathered.register("rows", pa.table({"userid": pa.array(users, pa.int64())}))
    gathered.execute("CREATE OR REPLACE TABLE rec AS SELECT userid, 1 AS itemid, 2 AS score FROM rows")
    listed = listed_users(gathered, "rec")
    assert (listed != users) is (users in MANY)
    if users in MANY:
        assert Counter(listed) == Counter(users)
        positions = [i for i, user in enumerate(listed) if user == users[-1]]
        assert positions[-1] - positions[0] < len(positions) + 50  # 4,096 buckets: few users in between


@pytest.mark.parametrize(
    ("userid", "score", "is_sorted"),
    [
        ("i // 100", "i % 100", False),  # a score per rank
        ("i // 100", "i % 20", True),
        ("i", "i % 100", True),  # Each row has another user, so any equal scores may be ties.
        ("i", "i", False),
        ("i // 100", "NULL", True),
        ("i // 200", "i % 200", False),
        ("i // 300", "i % 300", True),  # long lists
    ],
)
def test_lists_are_sorted_if_the_first_scores_tie_or_lists_are_long(
    gathered: Con, userid: str, score: str, is_sorted: bool
) -> None:
    columns = f"{userid} AS userid, i AS itemid, {score} AS score, 'a' AS ranking_system"
    gathered.execute(f"CREATE OR REPLACE TABLE rec AS SELECT {columns} FROM range(9000) AS t(i)")
    template: Any = environment().get_template("tables/internal/lists.jinja").module
    recs = template.gathered(SimpleNamespace(recs="rec", is_sorted=Call.is_sorted), True)
    assert gathered.execute(f"SELECT DISTINCT is_sorted FROM {recs}").fetchall() == [(is_sorted,)]


def test_rows_that_differ_between_reads_are_listed_once(gathered: Con) -> None:
    """The first rows of a sample differ from read to read, as can those that several threads read."""
    gathered.execute("""
        CREATE VIEW others AS
        SELECT CASE WHEN (SELECT random()) < 0.5 THEN i ELSE 0 END AS userid, 1 AS itemid, 2 AS score
        FROM range(10_000) AS t(i)""")
    assert {len(listed_users(gathered, "others")) for _ in range(40)} == {10_000}

"""The table functions: what right_tables.txt and the fuzzer cannot say of them."""

import math
import random
import re
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
from ranking_udfs.compose.columns import LIKE
from ranking_udfs.compose.templates import environment
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, Patch, file_text, module_connection, refusal, rows
from tests.sql_names import NAMES, composed_ctes

tables = module_connection(file_text("tables/tables.sql"))


def test_arguments_are_whatever_query_table_takes(tables: Con, tmp_path: Path, monkeypatch: Patch) -> None:
    """What can be read once alone, such as a reader of Arrow's, goes through a CTE."""
    monkeypatch.chdir(tmp_path)
    for name in ("rec", "truth"):
        tables.execute(f"CREATE OR REPLACE VIEW {name}_view AS FROM {name}")
        for kind in ("parquet", "csv", "json"):
            tables.execute(f"COPY {name} TO '{name}.{kind}'")
    tables.execute('CREATE OR REPLACE TABLE "odd name; " AS FROM rec')
    arrow_rec, arrow_truth = (tables.sql(f"FROM {name}").to_arrow_table() for name in ("rec", "truth"))
    assert (arrow_rec.num_rows, arrow_truth.num_rows) == (10, 7)
    reader = pa.RecordBatchReader.from_batches(arrow_rec.schema, arrow_rec.to_batches())
    assert reader.schema == arrow_rec.schema
    ctes = ", ".join(f"cte_{name} AS (FROM {name})" for name in ("rec", "truth", "arrow_rec", "arrow_truth"))
    query = f"WITH {ctes}, once AS MATERIALIZED (FROM {{}})"
    query += " FROM ranking.evaluate({}, [2, 4], measures := 'recall,ndcg')"
    expected = tables.execute(query.format("rec", "'rec', 'truth'")).fetchall()
    for once, arguments in (
        ("rec", '\'memory.main.rec\', \'"memory"."main"."truth"\''),
        ("rec", "'rec.parquet', 'truth.csv'"),
        ("rec", "'rec.json', 'arrow_truth'"),
        ("rec", "'cte_arrow_rec', 'truth_view'"),
        ("rec", "'\"odd name; \"', 'cte_truth'"),
        ("reader", "'once', 'truth'"),
    ):
        assert tables.execute(query.format(once, arguments)).fetchall() == expected, arguments


@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(38, 2)"])
def test_ascending_scores_rank_as_their_opposites(tables: Con, kind: str) -> None:
    """With a heap and without one, of scores that a DOUBLE holds and of others."""
    tables.execute(f"""
        CREATE OR REPLACE TABLE many AS
        SELECT i % 7 AS userid, i AS itemid, (CASE WHEN i % 11 > 0 THEN hash(i) % 20 END)::{kind} AS score
        FROM range(700) AS t(i);
        CREATE OR REPLACE TABLE opposite AS SELECT * REPLACE (-score AS score) FROM many;
        CREATE OR REPLACE TABLE liked AS SELECT userid, itemid FROM many WHERE hash(itemid + 1) % 3 = 0
    """)
    query = "FROM ranking.by_user('{}', 'liked', [{}], measures := 'ndcg,auc' {}) ORDER BY ALL"
    for k in ("5", "NULL"):
        expected = tables.execute(query.format("opposite", k, "")).fetchall()
        assert len(expected) == 7
        assert tables.execute(query.format("many", k, ", descending := false")).fetchall() == expected


def test_types_that_differ_are_an_error_before_an_id_is_cast() -> None:
    """A text that is no date, a date that is no text: the cast came first in one of six calls, or in each."""
    with ranking_udfs.register(duckdb.connect(config={"threads": 4})) as con:
        for rec, truth in (("u", "u || 'x'"), ("DATE '2020-01-01' + u::INTEGER", "u")):
            for name, user in (("recs", rec), ("truths", truth)):
                made = f"SELECT {user} AS userid, u AS itemid, 1 AS score FROM range(3000) AS t(u)"
                con.execute(f"CREATE OR REPLACE TABLE {name} AS {made}")
            for _ in range(9):
                query = "FROM ranking.evaluate('recs', 'truths', [10], measures := 'mrr', grade_col := '')"
                assert "userid must have the same type" in refusal(con, query)


def test_lists_of_rows_in_no_order_are_those_of_rows_user_by_user(con: Con) -> None:
    """Systems, ties, repeated items, and users, items and scores that are NULL."""
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
    by_user = "FROM ranking.by_user('{}', 'truth', [5, 33], measures := 'ndcg', "
    for query in (
        "FROM ranking.judged('{}', 'truth', NULL)",
        f"{by_user}unjudged := 'skip')",
        f"{by_user}ties := 'expected')",
        "FROM ranking.fuse('{}', systems := [1])",
    ):
        one, other = (query.format(rec) for rec in ("rec_u", "rec"))
        counted = "SELECT count(*), bit_xor(hash(one)), sum(hash(one)) FROM ({}) AS one"
        found, expected = (con.execute(counted.format(query)).fetchall() for query in (other, one))
        assert found == expected
        assert found[0][0] > 9_000


@pytest.mark.slow
def test_a_limit_ends_a_query_of_many_users(con: Con) -> None:
    """DuckDB 2.0 waits for ever where a CTE of that many rows is read by a LIMIT and by a join below it."""
    con.execute("""
        CREATE TABLE rec AS
        SELECT i // 10 AS userid, i % 5003 AS itemid, hash(i) AS score FROM range(1_000_010) t(i);
        CREATE TABLE systems AS SELECT *, 'a' AS system FROM rec;
        CREATE TABLE truth AS SELECT i // 2 AS userid, i % 5003 AS itemid FROM range(200_000) t(i);
        CREATE VIEW by_user AS SELECT DISTINCT i % 2 AS system, i // 2 AS userid, hash(i) / 2 ** 64 AS x
        FROM range(2_000_000) t(i)
    """)
    timer = threading.Timer(160, con.interrupt)  # in all; one query takes seconds, or for ever
    timer.start()
    for query in (
        "FROM ranking.judged('rec', 'truth', 10)",
        "SELECT ndcg FROM ranking.by_user('rec', 'truth', [10, 50])",
        "FROM ranking.check('systems', 'truth', ks := [3, 50])",
        "WITH cte AS (FROM by_user) SELECT users FROM ranking.compare_by_user('cte')",
    ):
        assert len(con.execute(f"{query} LIMIT 1").fetchall()) == 1, query
    timer.cancel()


def test_ranking_check_finds_the_ties_of_a_sort_in_python(con: Con) -> None:
    draw = random.Random(7)
    scores = [None, math.nan, math.inf, -math.inf, 0.0, -0.0, *range(1, 30)]
    rec = [(draw.randrange(12), draw.choice(scores)) for _ in range(700)]
    scores_column = pa.array([score for _, score in rec], pa.float64())
    con.register("given", pa.table({"userid": [user for user, _ in rec], "score": scores_column}))
    con.execute("""
        CREATE TABLE one AS SELECT userid, row_number() OVER () AS itemid, score FROM given;
        CREATE TABLE two AS SELECT *, unnest(['a', NULL]) AS system FROM one
    """)
    ks = [1, 2, 5, 20, 31, 32, 33, 40, 70]
    expected: dict[int, int] = Counter()
    for user, k in product(range(12), ks):
        ranked = sorted((s for u, s in rec if u == user and s is not None and s == s), reverse=True)
        expected[k] += len(ranked) > k and ranked[k - 1] == ranked[k]
    assert sum(map(bool, expected.values())) > 4
    for table, systems, some in (("one", 1, [*ks[:5], 0]), ("two", 2, [*ks, 2**63 - 1])):
        query = f"FROM ranking.check('{table}', '{table}', {some}) WHERE code = 'ties_at_k' GROUP BY k"
        found = dict(con.execute(f"SELECT k, sum(count) {query}").fetchall())
        assert found == {k: n * systems for k, n in expected.items() if k in some and n}, (table, some)


def test_ranking_check_needs_no_more_memory_for_a_larger_k(con: Con) -> None:
    con.execute("SET memory_limit = '200MB'")
    con.execute(
        "CREATE TABLE rec AS SELECT i % 3000 AS userid, i AS itemid, i AS score FROM range(60_000) t(i)"
    )
    con.execute("CREATE VIEW truth AS SELECT userid, itemid FROM rec")
    assert con.execute("FROM ranking.check('rec', 'truth', ks := [20_000])").fetchall() == []


def test_a_distribution_is_that_of_the_users_values(tables: Con) -> None:
    """Against NumPy, over what ranking.by_user gives; the mean is ranking.evaluate's to the bit."""
    con = tables
    con.execute("""
        CREATE OR REPLACE TABLE some_rec AS
        SELECT
            'ab'[1 + i % 2] AS "system",
            hash(i) % 53 AS userid, hash(i + 1) % 40 AS itemid, hash(i + 2) % 9 AS score
        FROM range(2000) AS t(i);
        CREATE OR REPLACE TABLE some_truth AS
        SELECT hash(i + 3) % 60 AS userid, hash(i + 4) % 40 AS itemid, hash(i + 5) % 3 AS rel
        FROM range(300) AS t(i)
    """)
    call = "('some_rec', 'some_truth', [2, NULL], measures := 'recall,ndcg,spearman,first_hit_rank')"
    by_user = rows(con, f"FROM ranking.by_user{call}")
    means = {(row["system"], row["k"]): row for row in rows(con, f"FROM ranking.evaluate{call}")}
    found = rows(con, f"FROM ranking.distribution{call}")
    assert [(one["system"], one["k"], one["measure"]) for one in found] == [
        (*key, name)
        for key in product("ab", (2, None))
        for name in ("first_hit_rank", "ndcg", "recall", "spearman")
    ]
    shares = {"percentile_5": 5, "quartile_1": 25, "median": 50, "quartile_3": 75, "percentile_95": 95}
    for one in found:
        key, name = (one["system"], one["k"]), one["measure"]
        values = [row[name] for row in by_user if (row["system"], row["k"]) == key]
        defined = np.array([value for value in values if value is not None])
        assert (one["users"], one["users_undefined"]) == (len(defined), len(values) - len(defined))
        assert one["mean"] == means[key][name]
        if len(defined) < 2:
            assert name == "spearman"
            continue
        error = float(np.std(defined, ddof=1))
        expected = {"standard_deviation": error, "standard_error": error / math.sqrt(len(defined))}
        expected |= {"minimum": defined.min(), "maximum": defined.max(), "zeros": np.mean(defined == 0)}
        expected |= {column: np.percentile(defined, share) for column, share in shares.items()}
        assert {column: one[column] for column in expected} == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert {one["measure"] for one in found if one["users_undefined"]} == {"spearman", "first_hit_rank"}


SUMMARY = "FROM ranking.evaluate('{}', '{}', [2, 40], measures := 'hits,mrr', users := '{}')"
CHECK = "FROM ranking.check('{}', '{}')"


def everything(con: Con, tables: list[str], cte: str = "") -> list[Any]:
    """What the table functions make of the tables."""
    return [con.execute(f"{cte} {query.format(*tables)}").fetchall() for query in (SUMMARY, CHECK)]


def test_names_of_the_users_columns_do_not_clash(tables: Con) -> None:
    known = {"userid", "itemid", "score", "rel", "system"}
    unread = re.compile("|".join(LIKE.values()))  # names that are refused if they are not read
    names = [
        name for name in (*NAMES, *MEASURES, "rec", "ks") if name not in known and not unread.fullmatch(name)
    ]
    extra = ", ".join(f'{i} AS "{name}"' for i, name in enumerate(names))
    tables.execute(f"CREATE VIEW wide_rec AS SELECT *, 'x' AS rel, {extra} FROM rec")
    tables.execute(f"CREATE VIEW wide_truth AS SELECT *, 'x' AS score, 'x' AS \"system\", {extra} FROM truth")
    wide = ["wide_rec", "wide_truth", "wide_truth"]
    assert everything(tables, wide) == everything(tables, ["rec", "truth", "truth"])


@pytest.mark.slow
def test_names_of_the_users_tables_and_ctes_do_not_clash(tables: Con) -> None:
    """Every name of the SQL as one of hers, and that of each CTE as a table or CTE that she gives."""
    assert {"truths", "counts", "found", "judged", "lists", "_ranking_systems"} <= set(NAMES)
    of_summary, of_check = composed_ctes()
    assert {"lists", "condensed", "ranked", "counted", "cut", "measured"} <= of_summary
    assert {"list_facts", "evidence", "found", "systems", "rows"} <= of_check
    hers = ["rec", "truth", "truth"]
    expected = everything(tables, hers)
    tables.execute("ATTACH ':memory:' AS hers; USE hers; CREATE TABLE rec AS FROM memory.rec")
    tables.execute("CREATE TABLE truth AS FROM memory.truth")
    another = "SELECT 7 AS userid, 7 AS itemid, 7 AS score, 7 AS rel"
    for name in NAMES:
        tables.execute(f'CREATE TABLE "{name}" AS {another}')
    assert everything(tables, hers) == expected
    cte = ", ".join(f'"{name}" AS ({another})' for name in NAMES)
    assert everything(tables, hers, f"WITH {cte}") == expected
    for query, ctes, found in ((SUMMARY, of_summary, expected[0]), (CHECK, of_check, expected[1])):
        names = sorted(ctes)
        n = query.count("{}")
        for i in range(0, len(names), n):  # of each n, the first is a CTE where i is even, else a table
            given = [*names[i : i + n], *hers[len(names) - i :]][:n]
            ctes_of_hers = []
            for place, (name, of) in enumerate(zip(given, hers, strict=False)):
                if name != of and (place + i // n) % 2:
                    tables.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM memory.{of}')
                elif name != of:
                    ctes_of_hers.append(f'"{name}" AS (FROM memory.{of})')
            quoted = [f'"{name}"' for name in given]
            call = f"WITH {', '.join(ctes_of_hers) or '_ AS (SELECT 1)'} {query.format(*quoted)}"
            assert tables.execute(call).fetchall() == found, call
    tables.execute("USE memory; DETACH hers")


def test_no_error_is_long_or_has_an_internal_name(tables: Con) -> None:
    words = ", ".join(f"'word number {i}'" for i in range(3_000))
    tables.execute(f"CREATE OR REPLACE VIEW wordy AS SELECT *, NULL::ENUM ({words}) AS rel FROM truth")
    tables.execute("CREATE OR REPLACE VIEW wordy_items AS SELECT * REPLACE (rel AS itemid) FROM wordy")
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
    ((example,),) = tables.execute(
        "SELECT example FROM ranking.check('rec', 'wordy_items') WHERE problem LIKE 'itemid must%'"
    ).fetchall()
    assert len(example) <= 200


def listed_users(con: Con, rec: str, gather: bool = True) -> Any:
    """The users of rec as they come where lists of them are made."""
    lists: Any = environment().get_template("tables/internal/lists.jinja").module
    recs = lists.gathered(SimpleNamespace(is_short=not gather, recs=rec))
    con.execute("SET threads = 1")
    return con.execute(f"SELECT coalesce(list(userid), []) FROM {recs}").fetchall()[0][0]


gathered = module_connection()

# Users of rows that are gathered, and of such that are not: of the first 8,192 rows how many are different.
MANY: list[list[int | None]] = [[*range(8192)], [*range(4097)] * 2, [*range(5000)] + [0] * 50_000]
FEW: list[list[int | None]] = [[*range(4096)] * 2, [i // 2 for i in range(9000)], [None] * 9000, []]
FEW.append([0] * 5000 + [*range(50_000)])


@pytest.mark.parametrize("users", [*MANY, *FEW])
def test_rows_are_gathered_where_the_first_are_of_many_users(gathered: Con, users: list[int | None]) -> None:
    gathered.register("given", pa.table({"userid": pa.array(users, pa.int64())}))
    gathered.execute("CREATE OR REPLACE TABLE rec AS SELECT userid, 1 AS itemid, 2 AS score FROM given")
    assert listed_users(gathered, "rec", gather=False) == users
    found = listed_users(gathered, "rec")
    assert (found != users) is (users in MANY)
    if users in MANY:
        assert Counter(found) == Counter(users)
        places = [place for place, user in enumerate(found) if user == users[-1]]
        assert places[-1] - places[0] < len(places) + 50  # 4,096 buckets: few other users in between


def test_rows_that_are_others_at_each_look_are_there_once(gathered: Con) -> None:
    """The first rows of a sample differ from look to look, and so may those that several threads read."""
    gathered.execute("""
        CREATE VIEW others AS
        SELECT CASE WHEN (SELECT random()) < 0.5 THEN i ELSE 0 END AS userid, 1 AS itemid, 2 AS score
        FROM range(10_000) AS t(i);
    """)
    assert {len(listed_users(gathered, "others")) for _ in range(40)} == {10_000}

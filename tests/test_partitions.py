"""Table functions over partitions of users, without an engine. (tests/test_friends.py has Dask.)."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs

REC = pa.table(
    {
        "system": ["A", "B", "A", "B"] * 30,
        "userid": [row // 4 for row in range(120)],
        "itemid": [row * 7 % 11 for row in range(120)],
        "score": [float(row % 5) for row in range(120)],
    }
)
TRUTH = pa.table({"userid": [row // 3 for row in range(99)], "itemid": [row % 11 for row in range(99)]})


def by_duckdb(call: str, rec: pa.Table = REC) -> list[dict[str, object]]:
    with duckdb.connect() as con:
        ranking_udfs.register(con)
        con.register("rec", rec)
        con.register("truth", TRUTH)
        found: list[dict[str, object]] = con.sql(f"FROM {call}").to_arrow_table().to_pylist()
    return found


@pytest.mark.parametrize("partitions", [1, 10])
def test_a_system_that_a_partition_lacks_is_scored_there_too(partitions: int) -> None:
    """Users 0 to 14 are of A alone, and so is the first of ten partitions."""
    job = ranking_udfs.partition("ranking_compare", REC.schema, TRUTH.schema, 3, options={"baseline": "A"})
    rec = REC.slice(0, 60).filter(pa.array(["A" in row for row in REC["system"].to_pylist()[:60]]))
    rec = pa.concat_tables([rec, REC.slice(60)])
    parts = []
    for place in range(partitions):
        users = [range(100 * place // partitions, 100 * (place + 1) // partitions)] * 2
        one_rec, one_truth = (
            table.filter(pa.array([user in some for user in table["userid"].to_pylist()]))
            for table, some in zip((rec, TRUTH), users, strict=True)
        )
        parts.append(job.part(one_rec, one_truth, pa.array(["A", "B"])))
    found = job.merge(pa.concat_tables(parts)).to_pylist()
    assert repr(found) == repr(by_duckdb("ranking_compare('rec', 'truth', 3, baseline := 'A')", rec))
    assert found[0]["users"] == 33


def test_a_truth_without_a_user_anywhere_is_an_error_of_the_merge() -> None:
    job = ranking_udfs.partition("ranking_summary", REC.schema, TRUTH.schema, 1)
    parts = [job.part(REC, TRUTH.slice(0, 0), ["A", "B"]) for _ in range(2)]
    with pytest.raises(ValueError, match=r"^ranking_summary: truth must have a user, got 0 rows$"):
        job.merge(pa.concat_tables(parts))


def test_what_is_no_table_function_or_lacks_a_system_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"^partition: function must be one of ranking_.*, got 'ranking_recall'$"
    ):
        ranking_udfs.partition("ranking_recall", REC.schema, TRUTH.schema, 1)
    job = ranking_udfs.partition("ranking_summary", REC.schema, TRUTH.schema, 1)
    rule = r"^ranking_summary: systems must be all systems of rec, got "
    with pytest.raises(ValueError, match=rf"{rule}none$"):
        job.part(REC, TRUTH)
    with pytest.raises(ValueError, match=rf"{rule}\['A'\] without 'B'$"):
        job.part(REC, TRUTH, iter(["A"]))


@pytest.mark.parametrize("variable", ["TMPDIR", "SPARK_LOCAL_DIRS"])
def test_a_worker_keeps_to_the_memory_of_spark_and_removes_its_folder(tmp_path: Path, variable: str) -> None:
    code = """if True:
        import os
        from ranking_udfs.partitions import cursor
        with cursor() as con:
            settings = "SELECT current_setting('memory_limit'), current_setting('temp_directory')"
            limit, folder = con.execute(settings).fetchone()
            con.execute("SET memory_limit = '30MB'")
            con.execute("CREATE TEMP TABLE large AS SELECT hash(i) FROM range(6000000) t(i)")
            print(limit, os.path.dirname(folder), len(os.listdir(folder)) > 0, sep=";")
    """
    (tmp_path / "first").mkdir()
    folders = (
        f"{tmp_path / 'first'},{tmp_path / 'second'}" if variable != "TMPDIR" else f"{tmp_path / 'first'}"
    )
    given = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_DIRS"}
    given |= {"PYSPARK_EXECUTOR_MEMORY_MB": "1000", variable: folders}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    six_tenths = f"{600e6 / 2**20:.1f} MiB"
    assert done.stdout.strip().split(";") == [six_tenths, str(tmp_path / "first"), "True"]
    assert list((tmp_path / "first").iterdir()) == []

"""The pack in other tools: the default connection, data frames, SQLAlchemy, JupySQL, Ibis and Dask.

test_portable.py has the shell, and clients that read a database with the script in it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import ranking_udfs

DUCKDB_2 = int(duckdb.__version__.partition(".")[0]) >= 2

# User u has a hit at rank 2, user v at rank 1.
REC = {"userid": ["u", "u", "v"], "itemid": ["a", "b", "a"], "score": [9.0, 8.0, 3.0]}
TRUTH = {"userid": ["u", "v"], "itemid": ["b", "a"]}
TABLES = """
    CREATE TABLE rec AS FROM (VALUES ('u', 'a', 9.0), ('u', 'b', 8.0), ('v', 'a', 3.0))
    AS rows(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES ('u', 'b'), ('v', 'a')) AS rows(userid, itemid)"""
RECALL = [(1, 2, 0.5), (2, 2, 1.0)]
SUMMARY = "SELECT k, users, recall FROM ranking.evaluate('rec', 'truth', [1, 2])"
Con = duckdb.DuckDBPyConnection


@pytest.fixture
def default() -> Iterator[Con]:
    """Set a default connection for one test."""
    with duckdb.connect() as con:
        duckdb.set_default_connection(con)
        yield con
    duckdb.set_default_connection(duckdb.connect())


def test_register_takes_the_module_as_its_default_connection(default: Con) -> None:
    for _ in range(2):
        assert ranking_udfs.register(duckdb) is duckdb.default_connection()
        assert default.execute("SELECT ranking.mae(1, 2)").fetchall() == [(1,)]
    duckdb.execute(TABLES)
    assert duckdb.sql(SUMMARY).fetchall() == RECALL
    assert duckdb.sql("SELECT recall(['a', 'b'], ['b'], 1)").fetchall() == [(0,)]
    default.close()  # so DuckDB opens another
    assert ranking_udfs.register(duckdb).sql("SELECT recall([1], [1])").fetchall() == [(1,)]


def frames() -> Iterator[tuple[str, Any, Any]]:
    """Yield each kind of table; those of Polars are the last, since it may be missing."""
    pd = pytest.importorskip("pandas")
    rec, truth = pd.DataFrame(REC), pd.DataFrame(TRUTH)
    yield "object, with an index", rec.astype(object).sample(frac=1), truth.set_index(np.array([5, 5]))
    categories = pd.CategoricalDtype(["none", "b", "a", "c"], ordered=True)
    yield "other categories", rec.astype({"itemid": "category"}), truth.astype({"itemid": categories})
    ids = {"userid": np.array([1, 1, 2]), "itemid": np.array([1, 2, 1])}
    truth = {"userid": np.array([1, 2]), "itemid": np.array([2, 1])}
    yield "dict of NumPy's arrays", ids | {"score": np.array([9, 8, 3], np.float32)}, truth
    encoded = {name: pa.array(REC[name]).dictionary_encode() for name in ("userid", "itemid")}
    yield "dictionary", pa.table(REC | encoded), pa.table(TRUTH)
    pl = pytest.importorskip("polars")
    rec, truth = pl.DataFrame(REC), pl.DataFrame(TRUTH)
    enum = pl.col("itemid").cast(pl.Enum(["b", "a"]))
    yield (
        "LazyFrame, Categorical, Enum",
        rec.lazy().with_columns(pl.col("userid").cast(pl.Categorical), enum),
        truth,
    )


def test_data_frames_are_tables(shared: Con) -> None:
    for kind, rec, truth in frames():
        assert rec is not None, truth is not None  # DuckDB finds both by their names
        assert shared.execute(SUMMARY).fetchall() == RECALL, kind


@pytest.mark.parametrize("pool", ["QueuePool", "NullPool", "SingletonThreadPool"])
def test_each_connection_of_sqlalchemys_pools_has_the_pack(pool: str, tmp_path: Path) -> None:
    pytest.importorskip("duckdb_engine")
    sqlalchemy = pytest.importorskip("sqlalchemy")
    file = ":memory:shop" if pool == "SingletonThreadPool" else tmp_path / "shop.duckdb"
    engine = sqlalchemy.create_engine(f"duckdb:///{file}", poolclass=getattr(sqlalchemy.pool, pool))

    @sqlalchemy.event.listens_for(engine, "connect")
    def add_the_pack(connection: Any, record: Any) -> None:
        ranking_udfs.register(connection.duplicate())

    with engine.begin() as con:
        con.execute(sqlalchemy.text(TABLES))

    def query(_: int) -> tuple[Any, Any]:
        ties = sqlalchemy.text(SUMMARY.replace("])", "], ties := :ties)"))  # `:=` is no parameter
        recall = sqlalchemy.text("SELECT recall(['a', 'b'], ['b'], :k)")
        with engine.connect() as con:
            rows = [tuple(row) for row in con.execute(ties, {"ties": "item"})]
            return rows, con.execute(recall, {"k": 2}).scalar()

    with ThreadPoolExecutor(2) as threads:
        assert [*threads.map(query, range(2))] == [(RECALL, 1)] * 2
    if pool == "QueuePool":
        with engine.connect() as first, engine.connect() as second:  # at once, from one thread
            error = sqlalchemy.text("SELECT ranking.mae(1, 3)")
            assert first.execute(error).scalar() == second.execute(error).scalar() == 2
        pd = pytest.importorskip("pandas")
        assert list(pd.read_sql(sqlalchemy.text(SUMMARY), engine)["recall"]) == [0.5, 1.0]
    engine.dispose()


def test_sqlalchemys_wrappers_are_errors_with_advice() -> None:
    pytest.importorskip("duckdb_engine")
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine("duckdb:///:memory:")
    connection = engine.raw_connection()
    for wrapper, kind in ((engine, "Engine"), (connection, "_ConnectionFairy")):
        with pytest.raises(TypeError, match=rf"got {kind} \(.*engine\.raw_connection\(\)\.duplicate\(\)"):
            ranking_udfs.register(wrapper)
    assert ranking_udfs.register(connection.duplicate())
    connection.close()
    engine.dispose()


JUPYSQL = f"""
import duckdb
import ranking_udfs
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "sql")
shell.user_ns["con"] = ranking_udfs.register(duckdb.connect())
shell.run_line_magic("sql", "con")
shell.run_cell_magic("sql", "", '''{TABLES}''')
rows = shell.run_cell_magic("sql", "", "{SUMMARY.replace("])", "], ties := 'item')")}")
print([tuple(row) for row in rows])
"""


@pytest.mark.slow
def test_jupysql_has_the_pack(tmp_path: Path) -> None:
    pytest.importorskip("sql.magic", reason="no JupySQL")
    environment = os.environ | {"PLOOMBER_STATS_ENABLED": "false", "HOME": str(tmp_path)}
    command = [sys.executable, "-c", JUPYSQL]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert str(RECALL) in done.stdout.splitlines()


@pytest.mark.xfail(
    DUCKDB_2, raises=(AttributeError, duckdb.Error), strict=False, reason="Ibis 12 is not for DuckDB 2"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_ibis_has_the_pack() -> None:
    ibis = pytest.importorskip("ibis")
    con = ibis.duckdb.connect()
    ranking_udfs.register(con.con)
    con.raw_sql(TABLES)
    summary = con.sql("SELECT * FROM ranking.evaluate('rec', 'truth', [1, 2])")
    assert summary.select("k", "recall").to_pyarrow().to_pydict() == {"k": [1, 2], "recall": [0.5, 1.0]}

    @ibis.udf.scalar.builtin
    def recall(rec: list[str], truth: list[str], k: int) -> float: ...

    rec, truth = con.table("rec"), con.table("truth")
    lists = rec.group_by("userid").agg(rec=rec.itemid.collect(order_by=rec.score.desc()))
    right = truth.group_by("userid").agg(truth=truth.itemid.collect())
    both = lists.join(right, "userid")
    values = both.select(recall=recall(both.rec, both.truth, 1))
    assert values.recall.mean().to_pyarrow().as_py() == 0.5
    con.disconnect()


def test_dask_evaluates_partitions_as_its_page_shows(shared: Con) -> None:
    frames = pytest.importorskip("dask.dataframe", reason="needs the extra `friends`")
    tables = {
        "rec": pa.table({"userid": [n // 4 for n in range(99)], "itemid": [n % 11 for n in range(99)],
                         "score": [float(n % 5) for n in range(99)]}),
        "truth": pa.table({"userid": [n // 3 for n in range(99)], "itemid": [n % 7 for n in range(99)]}),
    }  # fmt: skip
    page = Path(str(ranking_udfs.__file__)).parent / "spark" / "README.md"
    (code,) = re.findall(r"<!-- dask -->\n```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    named = {name: frames.from_pandas(table.to_pandas(), npartitions=3) for name, table in tables.items()}
    exec(code, named)
    for name, table in tables.items():
        shared.register(name, table)
    expected = shared.sql("FROM ranking.evaluate('rec', 'truth', ['recall@5,10', 'ndcg@5,10'])")
    assert repr(named["means"].to_pylist()) == repr(expected.to_arrow_table().to_pylist())
    for name in tables:
        shared.unregister(name)

"""`ranking_udfs.evaluate` and `compare`: the command's numbers of any tables, and nothing left behind."""

import doctest
import gc
import inspect
import json
import os
import re
import subprocess
import sys
import warnings
import weakref
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest

import ranking_udfs
import ranking_udfs.python
from ranking_udfs.command.cli import main

SEEDS = Path(__file__).resolve().parent.parent / "examples" / "dbt_project" / "seeds"
REC, TRUTH, USERS = (str(SEEDS / f"{name}.csv") for name in ("recommendations", "ratings", "customers"))
COLUMNS: Any = {"user_col": "customer_id", "item_col": "sku", "system_col": "model", "grade_col": "stars"}
OPTIONS = ["--user", "customer_id", "--item", "sku", "--system", "model", "--grade", "stars", "--no-check"]
MEASURES = ["ndcg(gain=linear)@5,10", "recall", "mrr@3"]

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """A user's connection, with tables; evaluations leave it as it is."""
    with duckdb.connect() as connection:
        ranking_udfs.register(connection)
        connection.execute(f"""
            CREATE TABLE rec AS FROM '{REC}';
            CREATE SCHEMA sales;
            CREATE TABLE sales."what's bought" AS FROM '{TRUTH}';
            CREATE TEMP VIEW truth AS FROM sales."what's bought";
            CREATE TABLE people AS FROM '{USERS}';
        """)
        yield connection


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return {"rec": pd.read_csv(REC), "truth": pd.read_csv(TRUTH), "people": pd.read_csv(USERS)}


def rows(relation: duckdb.DuckDBPyRelation) -> Rows:
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Rows:
    """What the command prints as JSON."""
    assert main([*arguments, "--format", "json"]) == 0
    found: Rows = json.loads(capsys.readouterr().out)
    return found


# --- Numbers ---


@pytest.mark.parametrize("ties", ["item", pytest.param("expected", marks=pytest.mark.slow)])
def test_the_means_are_those_of_the_command_and_of_ranking_summary_to_the_bit(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str], frames: dict[str, Any], ties: str
) -> None:
    measures = ["recall", "precision", "average_precision", "auc", "mrr", "ndcg", "hit_rate", "f_measure"]
    found = ranking_udfs.evaluate(
        frames["rec"], frames["truth"], None, [5, 10, None], ties=ties, check=False, **COLUMNS
    )
    command = printed(capsys, "evaluate", REC, TRUTH, *OPTIONS, "-k", "5,10,all", "--ties", ties)
    assert rows(found) == command
    sql = con.sql(f"""
        SELECT system, k, users, users_without_rec, users_without_truth, users_without_relevant,
            {", ".join(measures)}
        FROM ranking_summary(
            'rec', 'truth', [5, 10, NULL], ties := '{ties}',
            user_col := 'customer_id', item_col := 'sku', system_col := 'model', grade_col := 'stars')
        ORDER BY system, k NULLS LAST""")
    assert (found.columns, found.fetchall()) == (sql.columns, sql.fetchall())


def test_options_segments_and_cut_offs_of_their_own_are_those_of_the_command(
    con: duckdb.DuckDBPyConnection, capsys: pytest.CaptureFixture[str]
) -> None:
    measures = ["ndcg(gain=linear)@10,5", "average_precision(normalize=min)@5", "mrr"]
    found = ranking_udfs.evaluate(
        "rec", "truth", measures, 3, con=con, segments="people", segment_col="segment", check=False, **COLUMNS
    )
    more = ["-m", ",".join(measures), "-k", "3", "--segment", f"{USERS}:segment"]
    command = printed(capsys, "evaluate", REC, TRUTH, *OPTIONS, *more)
    assert [{"users_without_truth": None} | row for row in command] == rows(found)
    assert len({row["segment"] for row in command}) > 3


def test_values_of_each_user_are_those_of_the_command(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ranking_udfs.evaluate(
        "rec", "truth", "ndcg@5,recall", 7, con=con, by_user=True, ties="trec", check=False, **COLUMNS
    )
    more = ["-m", "ndcg@5,recall", "-k", "7", "--ties", "trec", "--by-user", str(tmp_path / "by.json")]
    printed(capsys, "evaluate", REC, TRUTH, *OPTIONS, *more)
    assert rows(found) == json.loads((tmp_path / "by.json").read_text())


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_comparisons_are_those_of_the_command(
    frames: dict[str, Any], capsys: pytest.CaptureFixture[str], test: str
) -> None:
    options: Any = {
        "margin": 0.01,
        "confidence": np.float64(0.9),
        "correction": "bh",
        "seed": 3,
        "permutations": 500,
    }
    found = ranking_udfs.compare(
        frames["rec"],
        frames["truth"],
        ["ndcg", "mrr@3"],
        [5, 10],
        baseline="popularity",
        test=test,
        segments=frames["people"],
        check=False,
        **options,
        **COLUMNS,
    )
    given = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    more = ["-m", "ndcg,mrr@3", "-k", "5,10", "--baseline", "popularity", "--test", test, *given]
    command = printed(capsys, "compare", REC, TRUTH, *OPTIONS, *more, "--segment", f"{USERS}:segment")
    assert rows(found) == [{name: row[name] for name in found.columns} for row in command]
    assert found.columns[0] == "segment"
    assert len(command) == 3 * (1 + len({row["segment"] for row in command} - {"(all)"}))


# --- Forms of a table ---


def forms(con: duckdb.DuckDBPyConnection, name: str, file: str, frame: pd.DataFrame) -> dict[str, Any]:
    table = con.table(name).to_arrow_table()
    found = {
        "pandas": frame,
        "Arrow": table,
        "a stream of Arrow": table.to_reader(),
        "a relation": con.sql(f"FROM {name}"),
        "a relation of another connection": duckdb.connect().from_arrow(table),
        "a file": file,
        "a path": Path(file),
        "a table": name,
    }
    if find_spec("polars"):
        import polars

        polar: Any = polars.from_arrow(table)
        found |= {"Polars": polar, "lazy Polars": polar.lazy()}
    return found


def test_every_form_of_rec_and_truth_gives_the_same(
    con: duckdb.DuckDBPyConnection, frames: dict[str, Any]
) -> None:
    expected = ranking_udfs.evaluate("rec", "truth", "ndcg", con=con, check=False, **COLUMNS).fetchall()
    recs, truths = (forms(con, name, file, frames[name]) for name, file in (("rec", REC), ("truth", TRUTH)))
    for (form, rec), truth in zip(recs.items(), reversed(truths.values()), strict=True):
        found = ranking_udfs.evaluate(rec, truth, "ndcg", con=con, check=False, **COLUMNS)
        assert found.fetchall() == expected, form
    for form, rec in forms(con, "rec", REC, frames["rec"]).items():
        if form != "a table":
            found = ranking_udfs.evaluate(rec, TRUTH, "ndcg", check=False, **COLUMNS)
            assert found.fetchall() == expected, form


def test_a_dict_has_several_models_by_their_names(
    con: duckdb.DuckDBPyConnection, frames: dict[str, Any]
) -> None:
    names = {name: value for name, value in COLUMNS.items() if name != "system_col"}
    rec = frames["rec"]
    models = {
        "similar": rec[rec["model"] == "similar"].drop(columns="model"),
        "popularity": con.sql("SELECT * EXCLUDE (model) FROM rec WHERE model = 'popularity'"),
    }
    found = ranking_udfs.evaluate(models, "truth", MEASURES, con=con, check=False, **names)
    expected = ranking_udfs.evaluate("rec", "truth", MEASURES, con=con, check=False, **COLUMNS)
    assert [row[0] for row in found.fetchall()[:2]] == ["similar"] * 2  # in the order of the dict
    assert sorted(found.fetchall(), key=repr) == sorted(expected.fetchall(), key=repr)
    nasty = 'it\'s "x" = a/b'
    found = ranking_udfs.evaluate({nasty: models["similar"]}, "truth", con=con, check=False, **names)
    assert [row[0] for row in found.fetchall()] == [nasty]


def test_columns_and_ranks_are_named(con: duckdb.DuckDBPyConnection) -> None:
    lists = con.sql("SELECT 1 AS who, unnest([7, 8, 9]) AS what, unnest([1, 2, 3]) AS place")
    right = {"who": np.array([1]), "what": np.array([9])}  # a dict of arrays is a table to DuckDB
    names: Any = {"user_col": "WHO", "item_col": "what", "score_col": "place"}
    for descending, mrr in ((True, 1.0), (False, 1 / 3)):
        found = ranking_udfs.evaluate(
            lists, right, "mrr", con=con, check=False, descending=descending, **names
        )
        assert found.project("mrr").fetchall() == [(mrr,)]


# --- What comes back, and what stays ---


KINDS = ["HUGEINT", "UBIGINT", "UUID", "DATE", "DECIMAL(9,2)", "ENUM('b', 'a')", "BLOB", "BIT", "VARCHAR"]
TEXTS = {"UUID": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "DATE": "2024-02-29", "ENUM('b', 'a')": "a"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_users", [True, False])
def test_users_keep_their_type(kind: str, is_users: bool) -> None:
    text = TEXTS.get(kind, "101")
    with duckdb.connect() as shop:
        shop.execute(f"CREATE TABLE rec AS SELECT '{text}'::{kind} AS userid, 1 AS itemid, 1 AS score")
        rec = shop.table("rec")
        place: Any = {"con": shop} if is_users else {}
        found = ranking_udfs.evaluate(rec, rec, "mrr", by_user=True, check=False, **place)
        assert str(found.types[0]) == kind
        assert found.project("userid").fetchall() == shop.execute("SELECT userid FROM rec").fetchall()


def state(con: duckdb.DuckDBPyConnection) -> list[Any]:
    """Everything that a user may see: tables, views, settings, macros."""
    return [
        con.execute(query).fetchall()
        for query in (
            "SELECT database_name, schema_name, table_name, estimated_size FROM duckdb_tables() ORDER BY ALL",
            "SELECT database_name, schema_name, view_name, sql FROM duckdb_views() ORDER BY ALL",
            "SELECT name, value FROM duckdb_settings() WHERE name <> 'memory_limit' ORDER BY ALL",
            "SELECT database_name, schema_name, function_name FROM duckdb_functions() ORDER BY ALL",
        )
    ]


def test_nothing_is_left_on_the_users_connection_and_nothing_replaced(frames: dict[str, Any]) -> None:
    with duckdb.connect() as con:
        ranking_udfs.register(con)
        con.execute(f"""
            CREATE TABLE _ranking_evaluate_rec AS SELECT 1 AS mine;
            CREATE TEMP TABLE _ranking_compare_by_user AS SELECT 2 AS mine;
            CREATE TABLE result AS SELECT 3 AS mine;
            CREATE TABLE rec AS FROM '{REC}'; CREATE TEMP TABLE truth AS FROM '{TRUTH}'
        """)
        before = state(con)
        kept = []
        for rec in ("rec", frames["rec"]):
            kept.append(ranking_udfs.evaluate(rec, "truth", con=con, segments=USERS, check=False, **COLUMNS))
            given: Any = {"con": con, "ties": "trec", "check": False, **COLUMNS}
            kept.append(ranking_udfs.compare(rec, "truth", "ndcg", **given))
        with pytest.raises(ValueError, match="must say which of two models"):
            ranking_udfs.compare("rec", "truth", "ideal_dcg", con=con, **COLUMNS)
        with pytest.raises(ValueError, match="no column 'nope'"):
            ranking_udfs.evaluate(frames["rec"], "truth", con=con, **{**COLUMNS, "grade_col": "nope"})
        assert state(con) == before
        assert all(one.fetchall() for one in kept)
        con.begin()
        con.execute("CREATE TABLE mine AS FROM rec LIMIT 5")  # which no other connection sees
        assert ranking_udfs.evaluate("mine", "truth", con=con, check=False, **COLUMNS).fetchall()
        con.rollback()
        assert state(con) == before
        assert con.execute("FROM _ranking_evaluate_rec, result").fetchall() == [(1, 3)]


def test_the_aggregates_of_hivemall_stay_and_so_do_filters_of_warnings() -> None:
    with duckdb.connect() as con:
        ranking_udfs.register(con, hivemall=True)
        filters = list(warnings.filters)
        ranking_udfs.evaluate(REC, TRUTH, con=con, check=False, **COLUMNS)
        query = "SELECT recall(rec, truth, 2) FROM (VALUES ([1], [1]), ([2], [1])) AS t(rec, truth)"
        assert con.execute(query).fetchall() == [(0.5,)]
        assert list(warnings.filters) == filters
    with pytest.raises(ValueError, match=r"^evaluate: con must be an open connection, got a closed one"):
        ranking_udfs.evaluate(REC, TRUTH, con=con, **COLUMNS)


def test_an_error_of_the_data_names_the_function_that_was_called() -> None:
    rec, truth = (
        duckdb.sql("SELECT 1 AS userid, 2 AS itemid, 3.0 AS score"),
        "SELECT 1 AS userid, 2 AS itemid",
    )
    wrong = duckdb.sql(f"{truth}, NULL::DOUBLE AS rel")
    with pytest.raises(ValueError, match=r"^evaluate: rel must be a finite number, got NULL$"):
        ranking_udfs.evaluate(rec, wrong, grade_col="rel", check=False)


def test_a_relation_outlives_all_that_it_was_made_of() -> None:
    """Derived ones too; and nothing else holds a connection or a data frame for ever."""
    rec, truth = (
        pd.DataFrame({"userid": [1], "itemid": [2], "score": [1.0]}),
        pd.DataFrame({"userid": [1], "itemid": [2]}),
    )
    frames = [weakref.ref(rec), weakref.ref(truth)]
    found = ranking_udfs.evaluate(rec, truth, "mrr")
    del rec, truth
    gc.collect()
    assert [one() for one in frames] == [None, None]
    derived = found.filter("k = 10").project("mrr + 1 AS more")
    del found
    gc.collect()
    assert derived.fetchall() == [(2.0,)]
    assert derived.df()["more"].tolist() == [2.0]


def test_many_relations_share_one_pool_of_threads() -> None:
    code = """if True:
        import duckdb, os, ranking_udfs
        rec = duckdb.sql("SELECT 1 AS userid, 2 AS itemid, 1.5 AS score")
        kept, threads = [], []
        for _ in range(24):
            kept.append(ranking_udfs.evaluate(rec, rec, "mrr", check=False))
            threads.append(len(os.listdir("/proc/self/task")))
        # other pools (pyarrow's, NumPy's) start their threads when they are first used, a few in all;
        # a pool for each relation would be one thread more, at least, with every relation
        assert threads[-1] - threads[3] < 20, threads
        assert [one.fetchall() for one in kept] == [[(10, 1, 0, 0, 0, 1.0)]] * 24
    """
    # pools of one thread, whatever the machine, so that what grows is DuckDB's
    pools = {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=os.environ | pools)


def test_a_process_ends_without_a_word() -> None:
    code = """if True:
        import duckdb, ranking_udfs
        rec = {"a": duckdb.sql("SELECT 1 AS userid, 2 AS itemid, 1.5 AS score"),
               "b": duckdb.sql("SELECT 1 AS userid, 3 AS itemid, 1.5 AS score")}
        truth = duckdb.sql("SELECT 1 AS userid, 2 AS itemid")
        tests = ("t", "randomization")
        kept = [ranking_udfs.compare(rec, truth, "mrr", test=test, check=False) for test in tests]
        kept.append(ranking_udfs.evaluate(rec, truth, "mrr", con=duckdb.connect(), check=False))
        print([len(one.fetchall()) for one in kept])
    """
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1, 1, 2]\n", "")


# --- Problems and errors ---


def test_problems_of_the_data_are_warnings_at_the_callers_line() -> None:
    rec = pd.DataFrame({"userid": [1, 1], "itemid": [2, 3], "score": [1.0, 1.0]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_udfs.evaluate(rec, rec[["userid", "itemid"]], "mrr", 1)
    (one,) = caught
    assert str(one.message).split("\n  ") == [
        "evaluate: 2 notes on the data:",
        "rec: users whose scores are all equal: 1 of 1, for example userid 1; write ties='expected'",
        "rec: users with tied scores at k = 1: 1 of 1, for example userid 1; write ties='expected'",
    ]
    assert {one.filename for one in caught} == {__file__}


def test_nobody_is_told_to_write_what_is_written() -> None:
    rec = pd.DataFrame({"userid": [1, 1], "itemid": [2, 3], "score": [1.0, 1.0]})
    truth = pd.DataFrame({"userid": [7], "itemid": [2]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_udfs.evaluate(rec, truth, "mrr", 1, ties="expected", allow_empty=True)
    said = str(caught[0].message).splitlines()
    assert any("no user of truth is in rec" in line for line in said)
    assert any("users without truth with equal scores: 1 of 1" in line for line in said)
    assert not any("write" in line for line in said)


def test_problems_have_the_names_of_the_users_columns() -> None:
    rec = pd.DataFrame({"customer": [1, 1, 1], "sku": [2, 3, 3], "rank": [1, 2, 2]})
    names: dict[str, Any] = {
        "user_col": "customer",
        "item_col": "sku",
        "score_col": "rank",
        "descending": False,
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_udfs.evaluate(rec, rec[["customer", "sku"]][:2], "mrr", 2, **names)
    assert [str(one.message) for one in caught] == [
        "evaluate: rec: users with tied scores at k = 2: 1 of 1, for example customer 1; "
        "write ties='expected'"
    ]


@pytest.mark.parametrize("function", ["evaluate", "compare", "report"])
def test_models_without_anything_in_common_with_truth_are_an_error(function: str) -> None:
    if function == "report":
        pytest.importorskip("vl_convert")
    truth = pd.DataFrame({"userid": [1], "itemid": ["a"]})
    rec = {name: truth.assign(itemid=name, score=1.0) for name in "ab"}
    do = getattr(ranking_udfs, function)
    message = (
        f"{function}: no item of truth is in rec: 1 of 1 (b), for example itemid a in truth, b in rec; "
        "write allow_empty=True if that is right"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        do(rec, truth, "mrr", 1)
    do(rec, truth, "mrr", 1, allow_empty=True, check=False)
    do(rec, truth, "mrr", 1, check=False)


OF_K = "every k in ks must be an integer from 0 to 2147483647, or None"
OF_REC = (
    "must be a data frame (pandas, Polars, Arrow), a relation, the name of a file or, with con, of a table"
)


@pytest.mark.parametrize("function", ["evaluate", "compare"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"rec": [1, 2]}, f"rec {OF_REC}, got list"),
        ({"truth": None}, f"truth {OF_REC}, got NoneType"),
        ({"rec": {"a": 5}}, f"rec['a'] {OF_REC}, got int"),
        ({"rec": {}}, f"rec {OF_REC}, or a dict of these by the names of models, got {{}}"),
        ({"rec": {7: "rec"}}, "or a dict of these by the names of models, got {7: 'rec'}"),
        (
            {"rec": "(FROM rec)"},
            "(FROM rec): no such table, view or file; of a query, give the relation con.sql",
        ),
        ({"rec": "nope"}, "nope: no such table or view, and no such file"),
        ({"truth": "nope", "rec": REC, "con": None}, "nope: no such file"),
        ({"truth": "rec"}, "rec: no column 'stars' (there are: "),
        ({"score_col": "nope"}, "rec: no column 'nope' (there are: "),
        ({"user_col": "custmer_id"}, "; write user_col='customer_id'"),
        (
            {"measures": ["ndgc"]},
            "measure must be the name of a measure, got 'ndgc' "
            "(did you mean ndcg? `ranking-udfs measures` lists them)",
        ),
        ({"measures": [3]}, "measures must be texts such as 'ndcg@5,10', got [3]"),
        ({"measures": 5}, "measures must be texts such as 'ndcg@5,10', got 5"),
        ({"measures": []}, "measures must be texts such as 'ndcg@5,10', got []"),
        ({"measures": "ndcg@9999999999"}, f"{OF_K}, got 9999999999"),
        ({"ks": -1}, f"{OF_K}, got -1"),
        ({"ks": [2.5]}, f"{OF_K}, got 2.5"),
        ({"ks": True}, f"{OF_K}, got True"),
        ({"ks": []}, "ks must be a list of one or more k, got []"),
        ({"ties": "no"}, "ties must be one of item, trec, expected, got 'no'"),
        (
            {"measures": "bpref", "ties": "expected"},
            "bpref has no closed form over all orders of equal scores",
        ),
        ({"segments": "people", "segment_col": "x"}, "people: no column 'x' (there are: "),
        ({"segments": "people", "segment_col": 3}, "segment_col must be the name of a column, got 3"),
    ],
)
def test_what_is_not_valid_is_one_line(
    con: duckdb.DuckDBPyConnection, function: str, arguments: Mapping[str, Any], said: str
) -> None:
    given = {"rec": "rec", "truth": "truth", "con": con, "check": False, **COLUMNS, **arguments}
    with pytest.raises(ValueError, match=f"^{function}: .*{re.escape(said)}") as error:
        getattr(ranking_udfs, function)(**given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"k": 5}, "got an unexpected keyword argument 'k' (did you mean ks?)"),
        ({"usr_col": "x"}, "got an unexpected keyword argument 'usr_col' (did you mean user_col?)"),
        ({"user_col": 3}, "user_col must be the name of a column, got 3"),
        ({"descending": 1}, "descending must be True or False, got 1"),
        ({"con": "shop.duckdb"}, "con must be a connection of DuckDB, got str"),
    ],
)
def test_what_is_of_the_wrong_type_is_a_type_error(arguments: Mapping[str, Any], said: str) -> None:
    for function in (ranking_udfs.evaluate, ranking_udfs.compare, ranking_udfs.report):
        given: Any = arguments
        with pytest.raises(TypeError, match=f"^{function.__name__}: {re.escape(said)}$"):
            function("rec", "truth", **given)


def test_what_cannot_be_compared_or_combined_is_said(con: duckdb.DuckDBPyConnection) -> None:
    for arguments, said in (
        ({"measures": "ideal_dcg"}, "measures must say which of two models is better, got ideal_dcg"),
        ({"baseline": "x"}, "baseline must be a model (popularity, similar), got 'x'"),
        ({"confidence": 2}, "confidence must be a number above 0 and below 1, got 2"),
        ({"test": "z"}, "test must be t|randomization, got z"),
    ):
        given: Any = {"con": con, "check": False, **COLUMNS, **arguments}
        with pytest.raises(ValueError, match=f"^compare: {re.escape(said)}"):
            ranking_udfs.compare("rec", "truth", **given)
    said = "there must be two models or more, as in {'a': rec_a, 'b': rec_b}, got one"
    with pytest.raises(ValueError, match=f"^compare: {re.escape(said)}"):
        ranking_udfs.compare("rec", "truth", con=con, check=False, **{**COLUMNS, "system_col": ""})
    with pytest.raises(ValueError, match=r"^evaluate: by_user must be False with segments"):
        ranking_udfs.evaluate("rec", "truth", con=con, by_user=True, segments="people", **COLUMNS)
    grades = con.sql("SELECT 'c01' AS customer_id, 'x' AS sku, 9 AS stars")
    said = "ranking_err: a grade must be max_grade=4 or less, got 9"
    with pytest.raises(ValueError, match=f"^evaluate: {said}$"):
        ranking_udfs.evaluate("rec", grades, "err", con=con, check=False, **COLUMNS)


def test_cut_offs_that_no_measure_uses_make_no_rows(con: duckdb.DuckDBPyConnection) -> None:
    given: Any
    for given in (10, [], None):
        found = ranking_udfs.evaluate("rec", "truth", "ndcg@3", given, con=con, check=False, **COLUMNS)
        assert {row["k"] for row in rows(found)} == {3}
    given = np.array([4, 2])
    found = ranking_udfs.evaluate("rec", "truth", "ndcg", given, con=con, check=False, **COLUMNS)
    assert [row["k"] for row in rows(found)] == [4, 2, 4, 2]


# --- Docstrings ---


def test_every_argument_is_described() -> None:
    for function in (ranking_udfs.evaluate, ranking_udfs.compare, ranking_udfs.report):
        described = re.findall(r"^    (\w+): ", inspect.getdoc(function) or "", re.MULTILINE)
        assert set(described) >= set(inspect.signature(function).parameters), function.__name__


# --- Examples ---


def test_the_examples_of_the_docstrings() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    for function in (ranking_udfs.evaluate, ranking_udfs.compare, ranking_udfs.report):
        (test,) = finder.find(function, globs={"ranking_udfs": ranking_udfs})
        assert test.examples
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the check finds in such small data
            assert doctest.DocTestRunner().run(test).failed == 0

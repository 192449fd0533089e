"""Numbers of other libraries: those of "Coming from another library", and all differences from trec_eval."""

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import ranking_udfs
from tests.coming_from import LIBRARIES, REC, TRUTH, Library, installed
from tests.command import Run


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Make the tables, two of them as the reference says."""
    reference = (Path(__file__).parents[1] / "sql" / "migrating.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(CREATE TEMP VIEW liked AS.*?)```", reference, re.DOTALL)
    with duckdb.connect() as connection:
        ranking_udfs.register(connection)
        for tables, column in ((REC, "score"), (TRUTH, "rel")):
            for name in tables.keys() - {"liked", "every_item"}:
                connection.execute(f"CREATE TABLE {name} (userid VARCHAR, itemid VARCHAR, {column} DOUBLE)")
                rows = [(user, *row) for user, items in tables[name].items() for row in items.items()]
                connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
        yield connection.execute(block)


@pytest.fixture(scope="module")
def ours(con: duckdb.DuckDBPyConnection) -> dict[tuple[tuple[str, str], str], float]:
    """Return the pack's value for each pair of tables and measure or query."""
    asked = {(library.tables_of(row), row.ours) for library in LIBRARIES for row in library.rows}
    queries = {key for key in asked if key[1].startswith(("SELECT", "WITH"))}
    values = {key: con.execute(key[1]).fetchall()[0][0] for key in queries}
    for tables in {tables for tables, _ in asked - queries}:
        measures = sorted(text for of, text in asked - queries if of == tables)
        relation = ranking_udfs.evaluate(*tables, measures, con=con, check=False)
        by_k = {row[0]: dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()}
        for text in measures:
            name, _, k = text.partition("@")
            values[tables, text] = by_k[None if k == "all" else int(k)][name]
    return values


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_ours_gives_the_number_of_theirs(
    ours: dict[tuple[tuple[str, str], str], float], library: Library
) -> None:
    for row in library.rows:
        value = ours[library.tables_of(row), row.ours]
        assert (abs(value - row.value) < 1e-5) is not row.differs, (row, value)


@pytest.mark.parametrize("library", [*filter(installed, LIBRARIES)], ids=lambda library: library.name)
def test_the_recorded_number_is_theirs(library: Library) -> None:
    for row in library.rows:
        if not row.theirs.startswith("ERR"):  # which runs a program in Perl
            assert library.mean(row) == pytest.approx(row.value, abs=1e-9), row


Values = Mapping[str, float]  # by user
LEVELS = [f"{level / 10:.2f}" for level in range(11)]


class Trec:
    """Queries that trec_eval and the pack evaluate."""

    def __init__(self, rec: dict[str, dict[str, float]], truth: dict[str, dict[str, int]]) -> None:
        self.rec, self.truth = rec, truth
        self.con = ranking_udfs.register(duckdb.connect())
        for name, objects in (("rec", rec), ("truth", truth)):
            triples = [(user, *pair) for user, pairs in objects.items() for pair in pairs.items()]
            rows = [dict(zip(("userid", "itemid", name), triple, strict=True)) for triple in triples]
            self.con.register("rows", pa.Table.from_pylist(rows))
            column = "score" if name == "rec" else "rel"
            self.con.execute(f"CREATE TABLE {name} AS SELECT * RENAME ({name} AS {column}) FROM rows")
        self.con.execute("CREATE TABLE positive AS FROM truth WHERE rel >= 0")

    def ours(self, measure: str, truth: str = "truth", **options: Any) -> Values:
        options = {"ties": "trec", "con": self.con, "check": False, **options}
        found = ranking_udfs.evaluate("rec", truth, measure, by_user=True, **options)
        return {row[0]: row[-1] for row in found.fetchall()}

    def theirs(self, measure: str) -> Values:
        pytrec_eval = pytest.importorskip("pytrec_eval")
        found = pytrec_eval.RelevanceEvaluator(self.truth, {measure}).evaluate(self.rec)
        return {user: values[measure.replace(".", "_", 1)] for user, values in found.items()}


def differing(ours: Values, theirs: Values) -> set[str]:
    assert ours.keys() == theirs.keys()
    return {user for user, value in ours.items() if abs(value - theirs[user]) > 1e-9}


def draw(users: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Draw rec and truth: ties, scores of one FLOAT, short lists, negative grades, and nothing relevant."""
    chance = random.Random(4)

    def sample(*sizes: int) -> list[str]:
        return [f"d{i}" for i in chance.sample(range(60), chance.choice(sizes))]

    names, grades, scores = (
        [f"q{u}" for u in range(users)],
        [-1, 0, 0, 1, 1, 2, 3],
        [0.5, 2.0**24, 2.0**24 + 1],
    )
    truth = {u: {i: chance.choice(grades) for i in sample(1, 3, 5, 10, 40)} for u in names}
    rec = {u: {i: chance.choice([chance.random(), *scores]) for i in sample(1, 3, 8, 30)} for u in names}
    return rec, truth


@pytest.mark.parametrize("form", ["mine.run mine.qrels", "run.json qrels.json", "Python"])
def test_trec_files_and_objects_have_the_values_of_tables(run: Run, form: str) -> None:
    """A tenth of the users have no list."""
    rec, truth = draw(60)
    rec = {user: scores for user, scores in rec.items() if int(user[1:]) % 10}
    lines = (f"{u} Q0 {item}\t0  {score!r} mine\n" for u, of in rec.items() for item, score in of.items())
    Path("mine.run").write_text("".join(lines) + "\n")
    lines = (f"{u} 0 {item} {grade}\r\n" for u, of in truth.items() for item, grade in of.items())
    Path("mine.qrels").write_text("".join(lines))
    Path("run.json").write_text(json.dumps(rec))
    Path("qrels.json").write_text(json.dumps(truth))
    if form == "Python":
        options: Any = {"ties": "trec", "by_user": True, "check": False}
        rows = ranking_udfs.evaluate(rec, truth, "ndcg@5", **options).fetchall()
    else:
        call = ["-m", "ndcg@5", "--ties", "trec", "--no-check", "--by-user", "values.csv", "-q"]
        run("evaluate", *form.split(), *call)
        rows = duckdb.sql("SELECT userid, ndcg FROM 'values.csv'").fetchall()
    assert {row[0]: row[-1] for row in rows} == pytest.approx(Trec(rec, truth).ours("ndcg@5"), rel=1e-12)


def test_measures_differ_from_trec_eval_only_as_semantics_says() -> None:
    rec, truth = draw(400)
    trec = Trec(rec, truth)
    (library,) = (library for library in LIBRARIES if library.name == "trec_eval")
    measures = {row.theirs[3:]: row.ours for row in library.rows if "@" in row.ours and not row.differs}
    differ = {name: differing(trec.ours(ours), trec.theirs(name)) for name, ours in measures.items()}
    assert len(measures) == 17
    assert {name for name, these in differ.items() if these} == {"bpref", "11pt_avg"}
    has_negative = {user for user, grades in truth.items() if -1 in grades.values()}
    assert differ["bpref"] <= has_negative
    assert not differing(trec.ours("bpref@all", "positive", users="truth"), trec.theirs("bpref"))
    few = {u for u, grades in truth.items() if sum(grade > 0 for grade in grades.values()) in (3, 23, 33)}
    assert differ["11pt_avg"] <= few
    # Each default differs.
    for name, ours in {"ndcg": "ndcg(ideal=truth)@all", "ndcg_cut.3": "ndcg@3"}.items():
        assert differing(trec.ours(ours), trec.theirs(name))
    assert differing(trec.ours("ndcg(gain=linear)@all"), trec.theirs("ndcg"))
    assert differing(trec.ours("mrr@all", ties="item"), trec.theirs("recip_rank"))


def test_interpolated_precision_differs_from_trec_eval_only_as_semantics_says() -> None:
    """Compare users with 1 to 56 relevant items, whose hits and misses alternate."""
    numbers = {f"q{n}": n for n in range(1, 57)}
    truth = {user: {f"d{i}": 1 for i in range(n)} for user, n in numbers.items()}
    rec = {
        user: {f"{kind}{i}": -2.0 * i - (kind == "x") for i in range(n) for kind in "dx"}
        for user, n in numbers.items()
    }
    trec = Trec(rec, truth)
    advised = {"q3": 0.66, "q23": 0.66, "q33": 0.69, "q43": 0.69, "q53": 0.69}
    for level in LEVELS:
        theirs, at = trec.theirs(f"iprec_at_recall.{level}"), "interpolated_precision(recall={})@all"
        ours = trec.ours(at.format(level))
        assert differing(ours, theirs) == ({*advised} if level == "0.70" else set()), level
        if level == "0.70":
            instead = {recall: trec.ours(at.format(recall)) for recall in advised.values()}
            as_advised = {user: instead[recall][user] for user, recall in advised.items()}
            assert not differing({**ours, **as_advised}, theirs)
            change = {user: as_advised.get(user, value) - value for user, value in ours.items()}
    eleven, theirs = trec.ours("interpolated_average_precision@all"), trec.theirs("11pt_avg")
    assert differing(eleven, theirs) == {*advised}
    assert not differing({u: value + change[u] / 11 for u, value in eleven.items()}, theirs)

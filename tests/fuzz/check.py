"""One numbered batch of random cases, through the pack and through the slow definitions."""

import csv
import math
import random
import re
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.command import session
from ranking_udfs.duckdb.statements import macros
from ranking_udfs.inputs.tables import Inputs, load
from ranking_udfs.measures.registry import BY_NAME, MEASURES
from tests.conftest import call, is_close, judged_array, literal, maps, option_text, within
from tests.conftest import lists as list_array
from tests.fuzz import cases
from tests.fuzz.cases import Batch, Row
from tests.sql_names import NAMES as SQL_NAMES
from tests.ties import create_tables, cut_query, expected_call, random_cases
from tests.ties import mean as mean_over_orders
from tests.witnesses import LIST_WITNESSES, WITNESSES, Options, Ranking, judge_slowly

CLOSE = 1e-12
SETTINGS = [
    [],
    ["arrow_large_buffer_size = true"],
    ["arrow_lossless_conversion = true"],
    ["arrow_output_version = '1.5'", "arrow_output_list_view = true", "produce_arrow_string_view = true"],
    ["threads = 1"],
]


@dataclass
class Found:
    """What a batch came to: how many cases, how many values were compared, and what differs."""

    cases: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    difference: str | None = None


class DifferenceError(Exception):
    pass


def run(seed: int, only: Sequence[str], number: int) -> Found:
    """Run batch `number`; the same seed, checks and number give the same cases."""
    rng = random.Random(f"{seed}/{number}")
    checks = [CHECKS[name] for name in only or CHECKS]
    (check,) = rng.choices([check for check, _ in checks], [weight for _, weight in checks])
    found = Found()
    try:
        check(rng, found)
    except DifferenceError as difference:
        found.difference = str(difference)
    except Exception:
        found.difference = traceback.format_exc()
    return found


def connection(rng: random.Random) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(config={"threads": 2})
    for setting in rng.choice(SETTINGS):
        con.execute(f"SET {setting}")
    return ranking_udfs.register(con)


# --- Lists ---


def as_judged(batch: Batch) -> list[Any]:
    return [
        one
        and {
            "ranks": one.ranks,
            "grades": one.grades,
            "ideal": one.ideal,
            "size": one.size,
            "cutoff": None,
        }
        for one in batch.rankings
    ]


def outcome(work: Callable[[], Any]) -> Any:
    """What comes out, or the kind of error; a crash of another kind is passed on."""
    try:
        return work()
    except (ValueError, TypeError) as error:
        return type(error).__name__


def is_same(got: Any, want: Any) -> bool:
    return bool(got == want) or (
        not isinstance(got, dict) and not isinstance(want, dict) and is_close(got, want, CLOSE)
    )


def compare(batch: Batch, name: str, options: Options, got: Any, want: Any, judged: bool = False) -> None:
    """One value per row, or the kind of error; of the rows that differ, the shortest is told."""
    measure = BY_NAME.get(name)
    rows = range(len(batch.rows))
    if isinstance(got, str) or isinstance(want, str):
        wrong = [i for i in rows if got != want]
        got, want = [got] * len(rows), [want] * len(rows)
    else:
        wrong = [i for i, one, other in zip(rows, got, want, strict=True) if not is_same(one, other)]
        if measure is not None:
            wrong += [i for i in rows if want[i] is not None and not within(measure, got[i])]
    if wrong:
        texts = {i: batch.sql(name, batch.rows[i], options, judged) for i in wrong}
        shown = min(wrong, key=lambda i: len(texts[i]))
        rec, truth = batch.arrays()
        kinds = f"items {batch.items.kind}, rec {rec.type}, truth {truth.type}, k {batch.layout.k}"
        raise DifferenceError(
            f"{texts[shown]};  -- is {got[shown]}, not {want[shown]} "
            f"(and {len(texts) - 1} more of {len(rows)} rows; {kinds})"
        )


def check_lists(rng: random.Random, found: Found) -> None:
    """All measures, plain and of a judged ranking, and judge itself, through Arrow."""
    batch = cases.draw(rng)
    rec, truth = batch.arrays()
    ks, size = batch.k_array(), len(batch.rows)
    found.cases += size
    judged = FUNCTIONS["judge"].call(rec, truth)
    compare(batch, "judge", {}, judged.to_pylist(), as_judged(batch))
    found.compared[batch.form] += size
    largest = cases.largest_grade(batch)
    for measure in (MEASURES[name] for name in WITNESSES):
        options = cases.options(rng, measure.name, largest, batch.form)
        name, text = rng.choice(measure.names), option_text(options)
        rest = [ks] if text is None else [ks, batch.text_array([text] * size)]
        for columns in ((rec, truth), (judged,)):
            expected = outcome(lambda: batch.expected(measure.name, options, len(columns) == 1))  # noqa: B023
            got = outcome(lambda: call(name, *columns, *rest))  # noqa: B023
            compare(batch, name, options, got, expected, judged=len(columns) == 1)
            found.compared[batch.form if len(columns) == 2 else "judged"] += size
        if rng.random() < 0.05:
            check_own_options(rng, found, batch, measure.name)


def check_own_options(rng: random.Random, found: Found, batch: Batch, name: str) -> None:
    """Options that differ from row to row."""
    rec, truth = batch.arrays()
    largest = cases.largest_grade(batch)
    chosen = [cases.options(rng, name, largest, batch.form) for _ in range(3)]
    for one in chosen:
        one.update({"max_grade": 1000.0} if "max_grade" in one else {})
    which = [rng.randrange(3) for _ in batch.rows]
    texts = batch.text_array([option_text(chosen[i]) for i in which])
    columns = [batch.expected(name, options) for options in chosen]
    expected = [columns[which[i]][i] for i in range(len(which))]
    got = call(name, rec, truth, batch.k_array(), texts)
    for n, options in enumerate(chosen):
        places = [i for i, one in enumerate(which) if one == n]
        part = replace(batch, rows=[batch.rows[i] for i in places])
        compare(part, name, options, [got[i] for i in places], [expected[i] for i in places])
    found.compared["options by row"] += len(got)


def check_sql(rng: random.Random, found: Found) -> None:
    """All measures through DuckDB, over a table."""
    # DuckDB 1.5's own scan of Arrow loses values of views, or crashes on those of pyarrow 19, before any
    # function sees them. What DuckDB hands to the functions are views all the same, by its settings.
    while True:
        batch = cases.draw(rng)
        lists = batch.layout.lists if batch.layout.lists in (cases.large, cases.fixed) else cases.plain
        batch = replace(batch, layout=replace(batch.layout, lists=lists, beneath=False))
        rec, truth = batch.arrays()
        if "view" not in f"{rec.type} {truth.type}":
            break
    largest = cases.largest_grade(batch)
    chosen = {name: cases.options(rng, name, largest, batch.form) for name in WITNESSES}
    for options in chosen.values():
        options.update({"max_grade": 1000.0} if "max_grade" in options else {})
    table = pa.table({"i": range(len(rec)), "rec": rec, "truth": truth, "k": batch.k_array()})
    columns = []
    for name, options in chosen.items():
        text = literal(option_text(options))
        columns += [f'"{name}"(rec, truth, k, {text})', f'"{name}"(judge(rec, truth), k, {text})']
    with connection(rng) as con:
        con.register("given", table)
        try:
            con.execute("CREATE TABLE t AS FROM given")
        except duckdb.Error:
            if batch.items.kind == "ENUM":  # some dictionaries DuckDB's own scan of Arrow refuses
                return
            raise
        rows = con.execute(f"SELECT {', '.join(columns)} FROM t ORDER BY i").fetchall()
        found.cases += len(rows)
        for n, (name, options) in enumerate(chosen.items()):
            for judged in (False, True):
                expected = batch.expected(name, options, judged)
                compare(batch, name, options, [row[2 * n + judged] for row in rows], expected, judged)
        found.compared["SQL over a table"] += len(rows) * len(columns)
        name, row = rng.choice(list(chosen)), rng.choice(batch.rows)  # and one row written out
        judged, alone = rng.random() < 0.5, replace(batch, rows=[row])
        got = con.execute(batch.sql(name, row, chosen[name], judged)).fetchall()
        compare(alone, name, chosen[name], got[0], alone.expected(name, chosen[name], judged), judged)
        found.compared["SQL written out"] += 1


# --- What must be refused ---


def check_refusals(rng: random.Random, found: Found) -> None:
    """One thing wrong in a batch: an error of the right kind that names the function, and nothing else."""
    batch = cases.draw(rng)
    found.cases += 1
    rec, truth = batch.arrays()
    measure = rng.choice(list(MEASURES.values()))
    name, at = rng.choice(measure.names), rng.randrange(len(batch.rows))
    ks: list[Any] = [row.k for row in batch.rows]
    text, kind = None, "ValueError"
    what = rng.choice(["k", "kind of k", "option", "value", "grade", "type", "count"])
    if what == "k":
        ks[at] = rng.choice([-1, -2, -(2**31), -(2**63)])
    elif what == "kind of k":
        ks, kind = [rng.choice(["1", 1.5, True])] * len(ks), "TypeError"
    elif what == "option":
        text = rng.choice(
            ["x", "x=1", "=", "gain", "k=3", "';--", "gain==exp", "\n;", "beta=1=2", "GAIN=exp", "%s=1"]
        )
        if text.partition("=")[0] in measure.options and text.count("=") == 1:
            text = "x=1"
    elif what == "value" and measure.options:
        option = rng.choice(list(measure.options))
        text = f"{option}={rng.choice(['', 'nan', 'inf', '-inf', '-1', 'exp;', '1e400', 'x', '0x1'])}"
    elif what == "grade":
        bad = rng.choice([math.nan, math.inf, -math.inf, None])
        batch = replace(batch, form="map", layout=replace(batch.layout, grade=pa.float64()))
        rows = [Row([], {}, row.k) for row in batch.rows]
        rows[at] = Row([], {batch.items.in_truth[0]: bad} if batch.items.in_truth else None, None)
        rec, truth = replace(batch, rows=rows).arrays()
        if not batch.items.in_truth:
            return
    elif what == "type":
        kind, size = "TypeError", len(batch.rows)
        rec, truth = rng.choice(
            [
                (list_array([[1]] * size), list_array([["a"]] * size, pa.string())),
                (list_array([[1]] * size), list_array([[1.0]] * size, pa.float64())),
                (list_array([["1"]] * size, pa.string()), maps([{1: 1.0}] * size)),
                (pa.array([1] * size), list_array([[1]] * size)),
                (list_array([[1]] * size), pa.array(["x"] * size)),
                (list_array([[b"a"]] * size, pa.binary()), list_array([["a"]] * size, pa.string())),
            ]
        )
    else:
        kind = "TypeError"
    columns = [rec, truth, pa.array(ks), pa.array([text] * len(ks), pa.string())]
    if kind == "TypeError" and what in ("count", "value"):
        columns = columns[:1] if rng.random() < 0.5 else [*columns, columns[-1]]
    try:
        got: Any = FUNCTIONS[name].call(*columns)
    except (ValueError, TypeError) as error:
        got = error
    found.compared["refusals"] += 1
    if type(got).__name__ != kind or not str(got).startswith(f"{name}: "):
        raise DifferenceError(f"{name}, {what}, {text!r}: {kind} expected, got {got!r}")


# --- Measures that do not read a judged ranking ---


LISTS = [pa.list_, pa.list_, pa.large_list, pa.list_view, pa.large_list_view]


def check_list_measures(rng: random.Random, found: Found) -> None:
    """Over rows of which the first are sliced away."""
    rows: list[tuple[Any, ...]] = []
    size = rng.choice([*range(40), *range(40), 2_048, 2_049])
    distance = rng.choice([None, "cosine", "euclidean", "jaccard"])
    diversity: Options = {} if distance is None else {"distance": distance}
    for _ in range(size):
        width = rng.randint(0, 5)
        vectors: list[Any] = []
        for _ in range(rng.randint(0, 8)):
            if distance == "jaccard":
                vectors.append([rng.choice([None, 1, 2, 3, 4]) for _ in range(rng.randint(0, 5))])
            else:
                vectors.append([rng.choice([0.0, 1.0, -1.0, rng.gauss(0, 1)]) for _ in range(width)])
            vectors[-1] = None if rng.random() < 0.05 else vectors[-1]
        rows.append((None if rng.random() < 0.05 else vectors,))
    inner, outer = rng.choice(LISTS), rng.choice(LISTS)
    kind = outer(inner(pa.int64() if distance == "jaccard" else pa.float64()))
    column = pa.array([row[0] for row in rows], kind)
    compare_list_measure("intra_list_diversity", diversity, [column], rows, found)

    rarest: Options = rng.choice([{}, {"missing": "rarest"}])
    pool = range(rng.randint(1, 20))
    item_kind = rng.choice([pa.int64(), pa.string(), pa.string_view(), pa.binary_view()])
    rows = []

    def named(item: int) -> Any:
        text = str(item) * (item % 9 + 1)  # some beyond the 12 letters that a view holds in itself
        return item if item_kind == pa.int64() else text.encode() if item_kind == pa.binary_view() else text

    for _ in range(size):
        held = pool if not rarest else rng.sample(pool, rng.randint(1, len(pool)))
        shares = {item: rng.choice([1.0, 0.5, rng.uniform(1e-9, 1)]) for item in held}
        rec = rng.choices([*pool, None], k=rng.randint(0, 12))
        rec = [item if item is None else named(item) for item in rec]
        shares = {named(item): share for item, share in shares.items()}
        rows.append((None if rng.random() < 0.05 else rec, None if rng.random() < 0.05 else shares))
    recs = pa.array([row[0] for row in rows], rng.choice(LISTS)(item_kind))
    entries = [None if row[1] is None else list(row[1].items()) for row in rows]
    popularity = pa.array(entries, pa.map_(item_kind, pa.float64()))
    compare_list_measure("novelty", rarest, [recs, popularity], rows, found)
    found.cases += size


def compare_list_measure(
    name: str, options: Options, columns: Sequence[pa.Array], rows: Sequence[tuple[Any, ...]], found: Found
) -> None:
    start = len(rows) % 4
    texts = pa.array([option_text(options)] * len(rows), pa.string())
    got = call(name, *(column.slice(start) for column in (*columns, texts)))
    for one, arguments in zip(got, rows[start:], strict=True):
        expected = LIST_WITNESSES[name].definition(*arguments, **options)
        if not is_close(one, expected, CLOSE):
            sql = f"SELECT {name}({', '.join(map(literal, arguments))}, {literal(option_text(options))})"
            raise DifferenceError(f"{sql};  -- is {one}, not {expected}")
    found.compared["list measures"] += len(got)


# --- Tables ---


SCORES: list[tuple[str, list[Any]]] = [
    ("DOUBLE", [1.0]),
    ("DOUBLE", [1.0, 2.0, 3.0, None, math.nan, -math.nan]),
    ("DOUBLE", [math.inf, -math.inf, 0.0, -0.0, 1e300, -1e300, None, math.nan, 5e-324]),
    ("DOUBLE", [1.0, math.nextafter(1, 2), math.nextafter(1, 0), None]),
    ("DOUBLE", [x / 7 for x in range(-500, 500)]),
    ("FLOAT", [x / 8 for x in range(40)]),
    ("INTEGER", [-(2**31), -1, 0, 1, 2, 2**31 - 1, None]),
    ("BIGINT", [2**53, 2**53 + 1, 2**53 + 2, -(2**63), 2**63 - 1]),
    ("BIGINT", [None]),
]
GRADES: list[list[float] | None] = [None, None, [1.0], [-1.0, 0.0, 1.0, 2.0, 4.0], [0.0], [0.5, 3.0, -1e300]]
NAMES: list[list[Any]] = [
    list(range(20)),
    [f"item {i}" for i in range(20)],
    [i * 10**17 for i in range(-10, 10)],
    ["", "a", "A", "b", "é", "\U0001f642", "'", "a'b"],
    [7],
    list(range(400)),
]


INTEGERS = ["INTEGER", "INTEGER", "SMALLINT", "BIGINT", "UBIGINT", "HUGEINT"]


def item_types(names: Sequence[Any]) -> list[str]:
    """The types that these items may have in a table, all of one family."""
    if isinstance(names[0], int):
        return ["BIGINT", "BIGINT", "HUGEINT"]
    return ["VARCHAR", f"ENUM ({', '.join(map(literal, sorted(names)))})"]


def check_tables(rng: random.Random, found: Found) -> None:
    """ranking_by_user and ranking_summary over random tables."""
    users, many = rng.choice([(1, 1), (1, 300), (2, 140), (5, 12), (30, 12), (30, 3), (5, 0)])
    names, (kind, scores), grades = rng.choice(NAMES), rng.choice(SCORES), rng.choice(GRADES)
    systems = rng.choice([None, None, ["a"], ["a", "b", None]])
    unclean = rng.choice([0, 0, 0.05, 0.5])
    rec: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []
    for user in range(users + 1):
        for system in systems or [None]:
            for item in rng.choices(names, k=rng.randint(0, many)):
                row = {"userid": user, "itemid": item, "score": rng.choice(scores)}
                rec.append(row if systems is None else {"system": system, **row})
        for item in rng.choices(names, k=rng.randint(0, 6)):
            row = {"userid": user, "itemid": item}
            truth.append(row if grades is None else {**row, "rel": rng.choice(grades)})
    for row in (*rec, *truth):
        if rng.random() < unclean:
            row[rng.choice(["itemid", "itemid", "userid"])] = None
    rng.shuffle(rec)
    rng.shuffle(truth)
    ks = rng.choices([0, 1, 2, 3, 5, 10, 32, 33, 100, 128, 129, 200, 2**31 - 1, None], k=rng.randint(1, 5))
    expected = by_user(rec, truth, ks, systems is not None)
    found.cases += len(expected)
    columns = [name for name in WITNESSES if MEASURES[name].column]
    ids = [{"userid": rng.choice(INTEGERS), "itemid": rng.choice(item_types(names))} for _ in range(2)]
    of_rec, of_truth = rng.sample(SQL_NAMES, 2)  # a table of hers may be called what the SQL calls its own
    tables = create(of_rec, rec, {**({"system": "VARCHAR"} if systems else {}), **ids[0], "score": kind})
    tables += create(of_truth, truth, ids[1] if grades is None else {**ids[1], "rel": "DOUBLE"})
    with connection(rng) as con:
        con.execute(tables)
        keys = "system, userid, k" if systems is not None else "NULL, userid, k"
        chosen = ", ".join(f'"{name}"' for name in columns)
        query = f"FROM ranking_by_user('\"{of_rec}\"', '\"{of_truth}\"', {literal(ks)})"
        got = con.execute(f"SELECT {keys}, n_rec, n_truth, {chosen} {query}").fetchall()
        where = tables + query
        rows = {row[:3]: row[3:] for row in got}
        if len(rows) != len(got) or rows.keys() != expected.keys():
            extra = sorted(map(str, rows.keys() ^ expected.keys()))
            raise DifferenceError(f"{where};  -- {len(got)} rows; only here or only expected: {extra}")
        for key, (n_rec, n_truth, ranking) in expected.items():
            line = rows[key]
            if line[:2] != (n_rec, n_truth):
                counts = f"n_rec, n_truth are {line[:2]}, not {(n_rec, n_truth)}"
                raise DifferenceError(f"{where};  -- {key}: {counts}")
            for name, value in zip(columns, line[2:], strict=True):
                want = WITNESSES[name].of_table(ranking, key[2])
                if not is_close(value, want, CLOSE):
                    raise DifferenceError(f"{where};  -- {key}: {name} is {value}, not {want}")
            found.compared["ranking_by_user"] += len(columns)
        compare_summary(con, where, query, expected, columns, systems is not None, found)


Expected = dict[tuple[Any, ...], tuple[int, int, Any]]


def by_user(
    rec: Sequence[Any], truth: Sequence[Any], ks: Sequence[int | None], has_systems: bool
) -> Expected:
    """The judged ranking of each system, user and k: by score, NULL and NaN last, then by item, NULL last."""

    def place(row: Any) -> tuple[Any, ...]:
        score = row["score"]
        last = score is None or math.isnan(score)
        item = row["itemid"]
        return (last, 0 if last else -score, item is None, 0 if item is None else item)

    found: Expected = {}
    systems = {row["system"] for row in rec} if has_systems else {None}
    for user in {row["userid"] for row in truth} - {None}:
        known: dict[Any, float] = {}
        for row in truth:
            if row["userid"] == user and row["itemid"] is not None:
                known[row["itemid"]] = max(row.get("rel", 1.0), known.get(row["itemid"], -math.inf))
        for system in systems:
            ranked = sorted(
                (row for row in rec if row["userid"] == user and row.get("system") == system), key=place
            )
            ranking = judge_slowly([row["itemid"] for row in ranked], known, "map")
            for k in ks:
                relevant = sum(grade > 0 for grade in known.values())
                found[system, user, k] = len(ranked), relevant, ranking
    return found


def compare_summary(
    con: duckdb.DuckDBPyConnection,
    where: str,
    query: str,
    expected: Expected,
    columns: Sequence[str],
    has_systems: bool,
    found: Found,
) -> None:
    """The means over users, which skip NULL."""
    chosen = ", ".join(f'"{name}"' for name in columns)
    keys = "system, k" if has_systems else "NULL, k"
    query = query.replace("ranking_by_user", "ranking_summary", 1)
    got = con.execute(f"SELECT {keys}, users, users_without_rec, {chosen} {query}").fetchall()
    rows = {row[:2]: row[2:] for row in got}
    for system, k in {(key[0], key[2]) for key in expected}:
        group = [one for key, one in expected.items() if (key[0], key[2]) == (system, k)]
        row = rows.get((system, k))
        counts = len(group), sum(n_rec == 0 for n_rec, _, _ in group)
        if row is None or row[:2] != counts:
            raise DifferenceError(f"{where};  -- summary of {(system, k)}: {row and row[:2]}, not {counts}")
        for name, value in zip(columns, row[2:], strict=True):
            every = [WITNESSES[name].of_table(ranking, k) for _, _, ranking in group]
            some = [one for one in every if one is not None]
            want = math.fsum(some) / len(some) if some else None
            if not is_close(value, want, CLOSE):
                raise DifferenceError(f"{where};  -- summary of {(system, k)}: {name} is {value}, not {want}")
        found.compared["ranking_summary"] += len(columns)


def create(name: str, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """The statements that make the table."""
    text = f'CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns.items())});\n'
    values = ", ".join("(" + ", ".join(map(sql, row.values())) + ")" for row in rows)
    return text + (f'INSERT INTO "{name}" VALUES {values};\n' if rows else "")


def sql(value: Any) -> str:
    return f"'{value}'::DOUBLE" if isinstance(value, float) else literal(value)


# --- Judged rankings of unknown origin ---


def check_judged(rng: random.Random, found: Found) -> None:
    """Structs that no judge has made: the value of the definition where the rules hold, else an error."""
    size = rng.randint(1, 30)
    structs = [judged_struct(rng) for _ in range(size)]
    is_wrong = [rng.random() < 0.3 and spoil(rng, one) for one in structs]
    ks = [rng.choice([None, 0, 1, 3, 10]) for _ in structs]
    found.cases += size
    for i, (one, k) in enumerate(zip(structs, ks, strict=True)):
        is_cut = k is not None and one["cutoff"] is not None and k > one["cutoff"]
        ranking = Ranking(one["ranks"], one["grades"], one["ideal"], one["size"])
        for name, measure in MEASURES.items():
            largest = max(ranking.ideal, default=0.0)
            options = cases.options(rng, name, largest)
            columns = (
                judged_array([one]),
                pa.array([k], pa.int64()),
                pa.array([option_text(options)], pa.string()),
            )
            got = outcome(lambda: call(name, *columns)[0])  # noqa: B023
            if is_wrong[i] or is_cut:
                want: Any = "ValueError"
            else:
                want = outcome(lambda: WITNESSES[name].of_ranking(ranking, k, options))  # noqa: B023
            is_error = isinstance(got, str) or isinstance(want, str)
            if not (got == want if is_error else is_close(got, want, CLOSE) and within(measure, got)):
                raise DifferenceError(f"{name}({one}, {k}, {option_text(options)!r}) is {got}, not {want}")
            found.compared["judged structs"] += 1


def judged_struct(
    rng: random.Random, pool: Sequence[float] = (-1, 0, 1, 1, 2, 3), longest: int = 12
) -> dict[str, Any]:
    """What `judge` could have made."""
    size = rng.randint(0, longest)
    cutoff = rng.choice([None, None, size, size + rng.randint(0, 3)])
    ranks = sorted(rng.sample(range(1, size + 1), rng.randint(0, size)))
    grades = [float(rng.choice(pool)) for _ in ranks]
    more = [float(rng.choice(pool)) for _ in range(rng.randint(0, 4))]
    ideal = sorted(grades + more, reverse=True)
    return {"ranks": ranks, "grades": grades, "ideal": ideal, "size": size, "cutoff": cutoff}


def spoil(rng: random.Random, one: dict[str, Any]) -> bool:
    """Break one rule of the struct, if it has what that rule is about."""
    n_hits = sum(grade > 0 for grade in one["grades"])
    broken: dict[str, Any] = rng.choice(
        [
            {"size": -1 - one["size"]},
            {"cutoff": one["size"] - 1},
            {"ranks": [0, *one["ranks"]], "grades": [1.0, *one["grades"]], "ideal": [9.0, *one["ideal"]]},
            {"ranks": [*one["ranks"], one["size"] + 1], "grades": [*one["grades"], 0.0]},
            {"grades": [*one["grades"], 1.0]},
            {"ideal": [*one["ideal"], 9.0]} if one["ideal"] else {},
            {"ideal": [3.0] * (n_hits - 1)} if n_hits else {},
            {"ranks": one["ranks"][::-1]} if len(one["ranks"]) > 1 else {},
            {"ranks": one["ranks"][:1] * 2 + one["ranks"][2:]} if len(one["ranks"]) > 1 else {},
        ]
    )
    one.update(broken)
    return bool(broken)


# --- The measures in SQL ---


def check_macros(rng: random.Random, found: Found) -> None:
    """Each measure's macro against its function, over the same judged rankings, and ranking_judge."""
    size = rng.choice([1, 40, 300, 2_050])
    pool = rng.choice(
        [*cases.GRADES, [rng.uniform(-1, 4) for _ in range(30)], [1e-9, 1e-5], [1e308, 1.0, 5e307]]
    )
    longest = rng.choice([3, 12, 12, 40, 150])
    structs = [None if rng.random() < 0.05 else judged_struct(rng, pool, longest) for _ in range(size)]
    if rng.random() < 0.1 and structs[-1] is not None:
        spoil(rng, structs[-1])
    ends = [one["cutoff"] if one and one["cutoff"] is not None else 2**31 for one in structs]
    ks = [rng.choice([None, 0, 1, 2, 3, 5, 10, 129, end, 2**63 - 1]) for end in ends]
    if rng.random() < 0.9:
        ks = [None if k is None else min(k, end) for k, end in zip(ks, ends, strict=True)]
    kind = rng.choice(["BIGINT", "HUGEINT"])
    found.cases += size
    largest = max((max(one["ideal"], default=0.0) for one in structs if one), default=0.0)
    arrays = judged_array(structs), pa.array(ks, pa.int64())
    with macro_connection(rng) as con:
        con.register("given", pa.table({"i": range(size), "judged": arrays[0], "k": arrays[1]}))
        con.execute(f"CREATE TABLE t AS SELECT i, judged, k::{kind} AS k FROM given")
        for name in MEASURES:
            options = cases.options(rng, name, largest)
            given_options = "".join(f", {option} := {literal(choice)}" for option, choice in options.items())
            macro = f"ranking_{name}(judged, k{given_options})"
            texts = pa.array([option_text(options)] * size, pa.string())
            got = macro_outcome(con, f"SELECT {macro} FROM t ORDER BY i")
            want = outcome(lambda: call(name, *arrays, texts))  # noqa: B023
            if isinstance(got, str) or isinstance(want, str):
                if not (isinstance(got, str) and want == "ValueError" and f"ranking_{name}: " in got):
                    raise DifferenceError(f"{macro} over {structs[:3]}, {ks[:3]} ... is {got}, not {want}")
                continue
            for one, k, value, expected in zip(structs, ks, got, want, strict=True):
                if not (is_close(value, expected, CLOSE) and (one is None or within(MEASURES[name], value))):
                    raise DifferenceError(f"{macro} of {one}, {k} is {value}, not {expected}")
            found.compared["macros"] += size
        check_ranking_judge(rng, con, found)


def check_ranking_judge(rng: random.Random, con: duckdb.DuckDBPyConnection, found: Found) -> None:
    """Compare ranking_judge with judge over lists that DuckDB itself can scan.

    No views (see check_sql), no dictionaries, no HUGEINT, which comes as a DECIMAL.
    """
    batch = cases.draw(rng)
    batch = replace(batch, layout=replace(batch.layout, lists=cases.plain, beneath=False))
    rec, truth = batch.arrays()
    if batch.form == "pairs" or re.search("view|dictionary|decimal", f"{rec.type} {truth.type}"):
        return
    con.register("listed", pa.table({"i": range(len(rec)), "rec": rec, "truth": truth}))
    con.execute("CREATE TABLE lists AS FROM listed")
    truths = "truth" if batch.form == "binary" else "map_keys(truth), map_values(truth)"
    rows = con.execute(f"SELECT ranking_judge(rec, {truths}) FROM lists ORDER BY i").fetchall()
    got = [row[0] for row in rows]
    compare(batch, "judge", {}, got, as_judged(batch))
    found.compared["ranking_judge"] += len(got)


def macro_connection(rng: random.Random) -> duckdb.DuckDBPyConnection:
    """One that has the macros and no function of Python's."""
    con = duckdb.connect(config={"threads": rng.choice([1, 2])})
    for macro in macros().values():
        con.execute(macro.sql)
    return con


def macro_outcome(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The values, or the error that the macro raises."""
    try:
        return [row[0] for row in con.execute(sql).fetchall()]
    except duckdb.InvalidInputException as error:
        return str(error)


# --- Ties ---


def check_ties(rng: random.Random, found: Found) -> None:
    """Expected values over all orders of tied items, with options, against the mean over those orders."""
    users = random_cases(rng, n=12, longest=5)
    k = rng.choice([0, 1, 2, 3, 4, 5, 33, None])
    names = [name for name, measure in MEASURES.items() if measure.expected]
    calls = [(name, cases.options(rng, name, 3)) for name in names]
    found.cases += len(users)
    with macro_connection(rng) as con:
        create_tables(con, users)
        columns = "_ranking_names('userid', 'itemid', 'score', NULL, NULL, true)"
        judged = f"_ranking_tied_judged('given', 'judged', {columns}, {literal(k)}, 'fuzz')"
        columns = ", ".join(expected_call(*one) for one in calls)
        rows = con.execute(f"SELECT userid, {columns} FROM ({cut_query(judged, k, calls)})").fetchall()
    if sorted(user for user, *_ in rows) != list(range(len(users))):
        raise DifferenceError(f"{users}: users are {sorted(rows)}")
    for user, *values in rows:
        orders = users[user].rankings()
        for (name, options), value in zip(calls, values, strict=True):
            want = mean_over_orders(name, orders, k, options)
            if not is_close(value, want, CLOSE):
                raise DifferenceError(f"{users[user]}: {name}, {options} at {k} is {value}, not {want}")
        found.compared["expected over ties"] += len(calls)


# --- Ids in text files ---

WRITTEN = [
    *("0", "7", "12", "-5", "1000", "9223372036854775807"),
    *("-0", "+7", "007", " 7", "7 ", "1_000", "1e3", "1000.0", "0x1F", "1.1", "1.10", "1.2", "1.20"),
    *("9223372036854775808", "18446744073709551615", "18446744073709551616", "17446744073709551000"),
    *("true", "TRUE", "2020-01-01", "2020-1-1", "nan", "NaN", "inf", "NULL", "a", "A", "a,b", "é", "e\u0301"),
]


def check_csv_ids(rng: random.Random, found: Found) -> None:
    """Ids of CSV files match where they are written alike, whatever DuckDB would take them for."""
    few = WRITTEN[:6] if rng.random() < 0.3 else WRITTEN
    users, items = (rng.sample(few, rng.randint(1, 5)) for _ in range(2))
    rec = [(user, item, rng.random()) for user in users for item in items if rng.random() < 0.6]
    truth = [(user, item) for user in users for item in items if rng.random() < 0.6]
    if not rec or not truth:
        return
    with TemporaryDirectory() as folder, session.connect({}, functions="all") as con:
        rows = {"rec": [("userid", "itemid", "score"), *rec], "truth": [("userid", "itemid"), *truth]}
        for name, lines in rows.items():
            with open(f"{folder}/{name}.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(lines)
        load(con, Inputs([f"{folder}/rec.csv"], f"{folder}/truth.csv"))
        query = "SELECT userid::VARCHAR, n_rec, hits FROM ranking_by_user('rec', 'truth', [NULL])"
        got = {user: counts for user, *counts in con.execute(query).fetchall()}
    listed = {user: {item for one, item, _ in rec if one == user} for user, _ in truth}
    known = {user: {item for one, item in truth if one == user} for user in listed}
    want = {user: [len(listed[user]), len(listed[user] & known[user])] for user in listed}
    found.cases += len(want)
    found.compared["csv ids"] += 2 * len(want)
    if got != want:
        raise DifferenceError(f"rec {rec}, truth {truth}: userid: [n_rec, hits] is {got}, not {want}")


CHECKS: dict[str, tuple[Callable[[random.Random, Found], None], int]] = {
    "lists": (check_lists, 140),
    "sql": (check_sql, 4),
    "tables": (check_tables, 8),
    "list measures": (check_list_measures, 10),
    "refusals": (check_refusals, 25),
    "judged structs": (check_judged, 10),
    "macros": (check_macros, 10),
    "csv ids": (check_csv_ids, 4),
    "ties": (check_ties, 4),
}

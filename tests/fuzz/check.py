"""One numbered batch of random cases, through the pack and through the slow definitions."""

import math
import random
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple
from unittest.mock import patch

import duckdb
import pyarrow as pa

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.compose.call import Call
from ranking_udfs.measures.registry import MEASURES, Measure
from tests.conftest import Con, call, is_close, judged_array, literal, option_text, within
from tests.entries import names_in
from tests.fuzz import cases
from tests.fuzz.cases import PARTS
from tests.ties import LAYOUTS, condensed, create_tables, random_cases
from tests.ties import mean as mean_over_orders
from tests.witnesses import LIST_WITNESSES, WITNESSES, Options, Ranking, judge_slowly

CLOSE = 1e-12
SETTINGS = (
    "threads = 2",
    "threads = 1",
    "arrow_large_buffer_size = true",
    "arrow_lossless_conversion = true",
    "arrow_output_version = '1.5'; SET arrow_output_list_view = true; SET produce_arrow_string_view = true",
)


def run(seed: int, only: Sequence[str], number: int) -> tuple[int, str | None]:
    """Run batch `number` and return its number of cases and the difference, if any.

    The same seed, checks and number give the same cases.
    """
    rng = random.Random(f"{seed}/{number}")
    checks = [CHECKS[name] for name in only or CHECKS]
    (check,) = rng.choices([check for check, _ in checks], [weight for _, weight in checks])
    try:
        return check(rng), None
    except AssertionError as difference:
        return 0, str(difference)
    except Exception:
        return 0, traceback.format_exc()


@cache
def connection(settings: str) -> Con:
    """Open one connection for all batches: registering takes longer than most of them."""
    return ranking_udfs.register(duckdb.connect(config={"threads": 2}).execute(f"SET {settings}"))


def outcome(work: Callable[[], Any]) -> Any:
    """Return the result or the kind of error. Errors of other kinds are passed on."""
    try:
        return work()
    except (ValueError, TypeError) as error:
        return type(error).__name__


def agree(what: str, rows: Sequence[Any], got: Any, want: Any, measure: Measure | None = None) -> None:
    """Compare a value per row, or the kind of error of all rows. Values must be in the measure's range.

    Raises:
        AssertionError: some rows differ; with the shortest of these.
    """
    got, want = ([side] * len(rows) if isinstance(side, str) else side for side in (got, want))
    wrong = []
    for row, value, expected in zip(rows, got, want, strict=True):
        are_numbers = isinstance(value, float | int) and isinstance(expected, float | int)
        is_same = is_close(value, expected, CLOSE) if are_numbers else value == expected
        is_out = measure and not isinstance(expected, str | None) and not within(measure, value)
        wrong += [] if is_same and not is_out else [f"{row} is {value}, not {expected}"]
    assert not wrong, f"{what}: {min(wrong, key=len)} (and {len(wrong) - 1} more of {len(rows)} rows)"


def check_lists(rng: random.Random) -> int:
    """Call all measures, of lists and of a judged ranking, and judge itself, through Arrow."""
    batch = cases.draw(rng)
    rec, truth = batch.arrays()
    size = len(batch.rows)
    judged = FUNCTIONS["judge"].call(rec, truth)
    agree(batch.call("judge"), batch.plain, judged.to_pylist(), batch.judged)
    for measure in MEASURES.values():
        name, chosen = rng.choice(measure.names), [cases.options(rng, measure.name, batch)]
        if rng.random() < 0.05:  # options that differ from row to row
            chosen = [cases.accepted(rng, measure.name, batch) for _ in range(3)]
        options = rng.choices(chosen, k=size)
        texts = [*map(option_text, options)]
        rest = [batch.k_array(), pa.array(texts, batch.layout.text)][: 1 + any(texts)]
        rows = [*zip(batch.plain, (row.k for row in batch.rows), texts, strict=True)]
        for is_judged, columns in ((False, (rec, truth)), (True, (judged,))):
            want = outcome(lambda: batch.expected(measure.name, options, is_judged))  # noqa: B023
            got = outcome(lambda: call(name, *columns, *rest))  # noqa: B023
            agree(batch.call(name, is_judged), rows, got, want, measure)
    return size


def check_sql(rng: random.Random) -> int:
    """Call all measures and ranking.judge through DuckDB, over a table."""
    batch = cases.draw_for_duckdb(rng)
    rec, truth = batch.arrays()
    size = len(rec)
    table = pa.table({"i": range(size), "rec": rec, "truth": truth, "k": batch.k_array()})
    chosen = {name: cases.accepted(rng, name, batch) for name in MEASURES}
    calls = [(name, options, is_judged) for name, options in chosen.items() for is_judged in (False, True)]
    lists = ("rec, truth", "judge(rec, truth)")
    columns = [f'"{name}"({lists[j]}, k, {literal(option_text(options))})' for name, options, j in calls]
    expected = [batch.expected(name, [options] * size, is_judged) for name, options, is_judged in calls]
    if batch.form != "pairs" and not re.search("fixed|dictionary|decimal", f"{rec.type} {truth.type}"):
        columns.append(f"ranking.judge(rec, {TRUTHS[batch.form]})")
        expected.append(batch.judged)
    settings = rng.choice(SETTINGS)
    con = connection(settings).register("scanned", table)
    try:
        con.execute("CREATE OR REPLACE TABLE t AS FROM scanned")
    except duckdb.Error:
        if batch.items.kind == "ENUM":  # DuckDB's own scan of Arrow refuses some dictionaries
            return 0
        raise
    got = zip(*con.execute(f"SELECT {', '.join(columns)} FROM t ORDER BY i").fetchall(), strict=True)
    measures = [*(MEASURES[name] for name, *_ in calls), None]
    rows = [*zip(batch.plain, (row.k for row in batch.rows), strict=True)]
    for column, values, want, measure in zip(columns, got, expected, measures, strict=False):
        agree(f"{settings}: {batch.call(column)}", rows, values, want, measure)
    return size


TRUTHS = {"binary": "truth", "map": "map_keys(truth), map_values(truth)"}  # as ranking.judge takes them


LISTS = [pa.list_, pa.list_, pa.large_list, pa.list_view, pa.large_list_view]


def check_list_measures(rng: random.Random) -> int:
    """Call measures of lists over arrays whose first rows are sliced away."""
    size: int = rng.choice([*range(40), *range(40), 2_048, 2_049])
    distance = rng.choice(["cosine", "euclidean", "jaccard"])

    def vector(width: int) -> Any:
        if distance == "jaccard":
            return rng.choices([None, 1, 2, 3, 4], k=rng.randint(0, 5))
        return [rng.choice([0.0, 1.0, -1.0, rng.gauss(0, 1)]) for _ in range(width)]

    def vectors() -> Any:
        width = rng.randint(0, 5)
        return [None if rng.random() < 0.05 else vector(width) for _ in range(rng.randint(0, 8))]

    inner = rng.choice(LISTS)(pa.int64() if distance == "jaccard" else pa.float64())
    diversity = {"distance": distance} if distance != "cosine" or rng.random() < 0.5 else {}
    compare_list_measure(rng, "intra_list_diversity", diversity, size, {rng.choice(LISTS)(inner): vectors})

    pool, is_rarest = range(rng.randint(1, 20)), rng.random() < 0.5
    kind = rng.choice([pa.int64(), pa.string(), pa.string_view(), pa.binary_view()])

    def named(item: int | None) -> Any:
        text = str(item) * ((item or 0) % 9 + 1)  # some have more than the 12 letters that a view can hold
        if item is None or kind == pa.int64():
            return item
        return text.encode() if kind == pa.binary_view() else text

    def rec() -> Any:
        return [named(item) for item in rng.choices([*pool, None], k=rng.randint(0, 12))]

    def popularity() -> Any:
        known = rng.sample(pool, rng.randint(1, len(pool))) if is_rarest else pool
        return {named(item): rng.choice([1.0, 0.5, rng.uniform(1e-9, 1)]) for item in known}

    columns = {rng.choice(LISTS)(kind): rec, pa.map_(kind, pa.float64()): popularity}
    compare_list_measure(rng, "novelty", {"missing": "rarest"} if is_rarest else {}, size, columns)
    return size


def compare_list_measure(
    rng: random.Random, name: str, options: Options, size: int, columns: Mapping[Any, Callable[[], Any]]
) -> None:
    """Compare rows that are drawn for each column, some of them NULL."""
    drawn = [[None if rng.random() < 0.05 else draw() for _ in range(size)] for draw in columns.values()]
    start, rows = size % 4, [*zip(*drawn, strict=True)]
    entries = [[[*x.items()] if isinstance(x, dict) else x for x in column] for column in drawn]
    arrays = [pa.array(column, kind) for column, kind in zip(entries, columns, strict=True)]
    texts = pa.array([option_text(options)] * size, pa.string())
    got = call(name, *(array.slice(start) for array in (*arrays, texts)))
    want = [LIST_WITNESSES[name].definition(*row, **options) for row in rows[start:]]
    agree(f"{name} {options}", rows[start:], got, want)


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
    *([*range(20)], [f"item {i}" for i in range(20)], [i * 10**17 for i in range(-10, 10)]),
    *(["", "a", "A", "b", "é", "\U0001f642", "'", "a'b"], [7], [*range(400)]),
]
TABLE_NAMES = sorted(names_in("by_user") | names_in("evaluate expected"))  # which the SQL uses too
INTEGERS = ["INTEGER", "INTEGER", "SMALLINT", "BIGINT", "UBIGINT", "HUGEINT"]


def item_types(names: Sequence[Any]) -> list[str]:
    """Return the types that these items may have in a table, all of one family."""
    if isinstance(names[0], int):
        return ["BIGINT", "BIGINT", "HUGEINT"]
    return ["VARCHAR", f"ENUM ({', '.join(map(literal, sorted(names)))})"]


class World(NamedTuple):
    """The statements that create the two tables of a call, their rows, and cutoffs."""

    sql: str
    tables: Sequence[str]
    rec: Sequence[dict[str, Any]]
    truth: Sequence[dict[str, Any]]
    ks: Sequence[int | None]
    has_systems: bool
    has_grades: bool


def draw_world(rng: random.Random) -> World | None:
    """Draw random tables; None if no row of truth has a user, which is an error: tests/sql."""
    users, many = rng.choice([(1, 1), (1, 300), (2, 140), (5, 12), (30, 12), (30, 3), (5, 0)])
    names, (kind, scores), grades = rng.choice(NAMES), rng.choice(SCORES), rng.choice(GRADES)
    systems = rng.choice([None, None, ["a"], ["a", "b", None]])
    unclean, most = rng.choice([0, 0, 0.05, 0.5]), rng.choice([6, 6, 6, 150])
    rec: list[dict[str, Any]] = []
    truth: list[dict[str, Any]] = []
    for user in range(users + 1):
        for system in systems or [None]:
            for item in rng.choices(names, k=rng.randint(0, many)):
                row = {"userid": user, "itemid": item, "score": rng.choice(scores)}
                rec.append(row if systems is None else {"system": system, **row})
        for item in rng.choices(names, k=rng.randint(0, most)):
            row = {"userid": user, "itemid": item}
            truth.append(row if grades is None else {**row, "rel": rng.choice(grades)})
    for row in (*rec, *truth):
        if rng.random() < unclean:
            row[rng.choice(["itemid", "itemid", "userid"])] = None
    if all(row["userid"] is None for row in truth):
        return None
    rng.shuffle(rec)
    rng.shuffle(truth)
    ks = rng.choices([0, 1, 2, 3, 5, 10, 32, 33, 100, 128, 129, 200, 2**31 - 1, None], k=rng.randint(1, 5))
    ids = [{"userid": rng.choice(INTEGERS), "itemid": rng.choice(item_types(names))} for _ in range(2)]
    of_rec, of_truth = rng.sample(TABLE_NAMES, 2)
    tables = create(of_rec, rec, {**({"system": "VARCHAR"} if systems else {}), **ids[0], "score": kind})
    tables += create(of_truth, truth, ids[1] if grades is None else {**ids[1], "rel": "DOUBLE"})
    return World(tables, (of_rec, of_truth), rec, truth, ks, systems is not None, grades is not None)


# Sorted are the best rows if k is small, all rows, or only lists in which ranks cannot be counted.
WAYS: Sequence[dict[str, Any]] = (
    {"is_sorted": "true"},
    {"is_short": False, "is_sorted": "true"},
    {"is_short": False, "is_sorted": "false"},
    {"is_short": False, "is_sorted": "false", "longest_unsorted": 1},
)


def check_ways(rng: random.Random) -> int:
    """Compare the judged rankings of ranking.judged, bit by bit, by each way to find ranks."""
    world = draw_world(rng)
    if world is None:
        return 0
    of_rec, of_truth = world.tables
    con = connection(rng.choice(SETTINGS)).execute(world.sql)
    judging = rng.choice(["", ", descending := false", ", min_grade := 0.5"])
    query = f"FROM ranking.judged('\"{of_rec}\"', '\"{of_truth}\"', {literal(rng.choice(world.ks))}{judging})"
    answers = []
    for way in WAYS:
        with patch.multiple(Call, **way):
            answers.append(sorted(map(repr, con.execute(query).fetchall())))
    con.execute(f'DROP TABLE "{of_rec}"; DROP TABLE "{of_truth}"')
    for way, answer in zip(WAYS[1:], answers[1:], strict=True):
        agree(f"{world.sql}{query}; -- {way}", ["rows"], [answer], [answers[0]])
    return len(answers[0])


def check_tables(rng: random.Random) -> int:
    """Call ranking.by_user and ranking.evaluate over random tables."""
    world = draw_world(rng)
    if world is None:
        return 0
    tables, (of_rec, of_truth), rec, truth, ks, has_systems, has_grades = world
    system = "system" if has_systems else "NULL"
    columns = [name for name, measure in MEASURES.items() if measure.column]
    measured = rng.choice([columns, rng.sample(columns, 2)])  # two may need only the top of a list
    chosen = ", ".join(f'"{name}"' for name in measured)
    con = connection(rng.choice(SETTINGS)).execute(tables)
    least, judging = draw_judging(rng, has_grades)
    judging += rng.choice(["", ", descending := false"]) + f", measures := {measured}"
    expected = by_user(rec, truth, ks, measured, least, judging)
    call = f"('\"{of_rec}\"', '\"{of_truth}\"', ks := {literal(ks)}{judging})"
    query = f"FROM ranking.by_user{call}"
    got = con.execute(f"SELECT {system}, userid, k, n_rec, n_truth, {chosen} {query}").fetchall()
    rows = {row[:3]: row[3:] for row in got}
    what = f"{tables}{query};  --"
    agree(what, ["keys", "rows"], [rows.keys(), len(got)], [expected.keys(), len(rows)])
    for key, want in expected.items():
        agree(f"{what} {key}", ["n_rec", "n_truth", *measured], rows[key], want)
    query = f"FROM ranking.evaluate{call}"
    got = con.execute(f"SELECT {system}, k, users, users_without_rec, {chosen} {query}").fetchall()
    con.execute(f'DROP TABLE "{of_rec}"; DROP TABLE "{of_truth}"')
    means = {row[:2]: row[2:] for row in got}
    for group in {(system, k) for system, _, k in expected}:
        n_rec, _, *values = zip(*(of for key, of in expected.items() if key[::2] == group), strict=True)
        want = [len(n_rec), n_rec.count(0), *map(mean_of_defined, values)]
        agree(f"{what} {query} of {group}", ["users", "without", *measured], means.get(group, ()), want)
    return len(expected)


def draw_judging(rng: random.Random, has_grades: bool = True) -> tuple[float | None, str]:
    """Draw min_grade and unjudged; return the former, and both as arguments of SQL."""
    least = rng.choice([None, None, 0.5, 1, *[2, 2.5] * has_grades])
    unjudged = rng.choice(["miss", "miss", "skip"])
    return least, f", min_grade := {literal(least)}, unjudged := '{unjudged}'"


def by_user(
    rec: Sequence[Any],
    truth: Sequence[Any],
    ks: Sequence[int | None],
    measured: Sequence[str],
    least: float | None,
    judging: str,
) -> dict[tuple[Any, ...], list[float | None]]:
    """Return list length, relevant items and measures of each system, user and k.

    Lists are sorted by score, NULL and NaN last, then by item, NULL last. Without rows, the system is NULL.
    """
    sign = 1 if "descending := false" in judging else -1

    def sort_key(row: Any) -> tuple[Any, ...]:
        score, item = row["score"], row["itemid"]
        is_last = score is None or math.isnan(score)
        return (is_last, 0 if is_last else sign * score, item is None, 0 if item is None else item)

    values: dict[tuple[Any, ...], list[float | None]] = {}
    for user in {row["userid"] for row in truth} - {None}:
        known: dict[Any, float] = {}
        for row in truth:
            if row["userid"] == user and row["itemid"] is not None:
                known[row["itemid"]] = max(row.get("rel", 1.0), known.get(row["itemid"], -math.inf))
        for system in {row.get("system") for row in rec} or {None}:
            rows = [row for row in rec if row["userid"] == user and row.get("system") == system]
            ranking = judge_slowly([row["itemid"] for row in sorted(rows, key=sort_key)], known, "map")
            assert ranking is not None
            ranking = condensed(ranking) if "skip" in judging else ranking
            relevant = replace(ranking, min_grade=least).relevant
            for k in ks:
                of_k = [WITNESSES[name].of_table(ranking, k, with_least(name, least)) for name in measured]
                values[system, user, k] = [len(rows), relevant, *of_k]
    return values


def with_least(name: str, least: float | None, options: Options | None = None) -> Options:
    """Add the argument min_grade to a measure's options, which precede it."""
    options = {**(options or {})}
    takes = "min_grade" in MEASURES[name].options and options.get("gain") != "graded"
    return {"min_grade": least, **options} if takes and least is not None else options


def mean_of_defined(values: Sequence[float | None]) -> float | None:
    some = [value for value in values if value is not None]
    return math.fsum(some) / len(some) if some else None


def create(name: str, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """Return the statements that create the table."""

    def sql(value: Any) -> str:
        return f"'{value}'::DOUBLE" if isinstance(value, float) else literal(value)

    kinds = ", ".join(f"{column} {kind}" for column, kind in columns.items())
    values = ", ".join(f"({', '.join(map(sql, row.values()))})" for row in rows)
    text = f'CREATE OR REPLACE TABLE "{name}" ({kinds});\n'
    return text + (f'INSERT INTO "{name}" VALUES {values};\n' if rows else "")


def check_structs(rng: random.Random) -> int:
    """Compare functions and macros over structs that no judge has made, valid and invalid ones.

    Invalid structs must be an error in both. Macros take longer: they get a batch and a single struct.
    """
    con, seen = connection(rng.choice(SETTINGS)), 0
    for number, size in enumerate([rng.choice([40, 300, 2_050]), *[1] * 14]):
        drawn = [rng.uniform(-1, 4) for _ in range(30)]
        pool = rng.choice([*cases.GRADES, drawn, [1e-9, 1e-5], [1e308, 1.0, 5e307]])
        longest = rng.choice([3, 12, 12, 40, 150] if size > 1 else [12])
        structs = [judged_struct(rng, pool, longest) for _ in range(size)]
        structs = [None if size > 1 and rng.random() < 0.05 else struct for struct in structs]
        is_wrong = rng.random() < (0.1 if size > 1 else 0.3) and spoil(rng, structs[-1])
        ends = [of["cutoff"] if of and of["cutoff"] is not None else 2**63 for of in structs]
        ks = [rng.choice([None, 0, 1, 2, 3, 5, 10, 129, end, end + 1, 2**63 - 1]) for end in ends]
        if rng.random() < (0.9 if size > 1 else 0.6):
            ks = [None if k is None else min(k, end) for k, end in zip(ks, ends, strict=True)]
        ks = [None if k is None else min(k, 2**63 - 1) for k in ks]
        is_wrong |= any(k is not None and k > end for k, end in zip(ks, ends, strict=True))
        seen += size
        # The slow definitions cannot handle sums beyond a DOUBLE, and are slow for long lists.
        is_slow = size * longest <= 5_000 and max(pool) < 1e300
        rankings = [struct and Ranking(*(struct[part] for part in PARTS)) for struct in structs]
        largest = max((grade for struct in structs if struct for grade in struct["ideal"]), default=0.0)
        arrays = judged_array(structs), pa.array(ks, pa.int64())
        rows = [*zip(structs, ks, strict=True)]
        answers: dict[str, tuple[Options, Any]] = {}
        for name, measure in MEASURES.items():
            options = cases.options(rng, name, largest=largest)
            texts = pa.array([option_text(options)] * size, pa.string())
            want = got = outcome(lambda: call(name, *arrays, texts))  # noqa: B023
            if is_slow and not is_wrong:
                want = outcome(lambda: slowly(name, rankings, ks, options))  # noqa: B023
            agree(f"{name} {options}", rows, got, "ValueError" if is_wrong else want, measure)
            answers[name] = options, got
        if number < 2:
            con.register("scanned", pa.table({"i": range(size), "judged": arrays[0], "k": arrays[1]}))
            kind = rng.choice(["BIGINT", "HUGEINT"])
            con.execute(f"CREATE OR REPLACE TABLE t AS SELECT i, judged, k::{kind} AS k FROM scanned")
            compare_macros(con, answers, rows)
    return seen


def slowly(name: str, rankings: Sequence[Any], ks: Sequence[Any], options: Options) -> list[Any]:
    witness = WITNESSES[name]
    return [of and witness.of_ranking(of, k, options) for of, k in zip(rankings, ks, strict=True)]


def compare_macros(con: Con, answers: Mapping[str, tuple[Options, Any]], rows: Sequence[Any]) -> None:
    """Compare macros over the table t: those with values in one query, those with an error alone."""
    wrong = [[name] for name, (_, answer) in answers.items() if isinstance(answer, str)]
    for names in filter(None, ([name for name in answers if [name] not in wrong], *wrong)):
        calls = []
        for name in names:
            chosen = (f", {option} := {literal(choice)}" for option, choice in answers[name][0].items())
            calls.append(f"ranking.{name}(judged, k{''.join(chosen)})")
        try:
            values = con.execute(f"SELECT i, {', '.join(calls)} FROM t ORDER BY i").fetchall()
            columns: Sequence[Any] = [*zip(*values, strict=True)][1:]
        except duckdb.InvalidInputException as error:
            columns = ["ValueError" if f"ranking.{name}: " in str(error) else str(error) for name in names]
        for name, macro, column in zip(names, calls, columns, strict=True):
            measure, want = MEASURES[name], answers[name][1]
            if measure.empty.both is not None and not isinstance(want, str):
                # Of lists without items, Hivemall's functions may answer 1, ranking.* answers 0.
                is_empty = [struct is not None and not struct["ideal"] for struct, _ in rows]
                want = [0.0 if no_truth else value for no_truth, value in zip(is_empty, want, strict=True)]
            agree(macro, rows, column, want, measure)


def judged_struct(rng: random.Random, pool: Sequence[float], longest: int) -> dict[str, Any] | None:
    """Draw a struct that `judge` could have made."""
    size = rng.randint(0, longest)
    cutoff = rng.choice([None, None, size, size + rng.randint(0, 3)])
    ranks = sorted(rng.sample(range(1, size + 1), rng.randint(0, size)))
    grades = [float(rng.choice(pool)) for _ in ranks]
    more = [float(rng.choice(pool)) for _ in range(rng.randint(0, 4))]
    ideal = sorted(grades + more, reverse=True)
    return {"ranks": ranks, "grades": grades, "ideal": ideal, "size": size, "cutoff": cutoff}


def spoil(rng: random.Random, struct: dict[str, Any] | None) -> bool:
    """Break one rule of the struct, if it has a part to which the rule applies."""
    if struct is None:
        return False
    ranks, grades, ideal, size, _ = struct.values()
    n_hits = sum(grade > 0 for grade in grades)
    broken: dict[str, Any] = rng.choice(
        [
            {"size": -1 - size},
            {"cutoff": size - 1},
            {"ranks": [0, *ranks], "grades": [1.0, *grades], "ideal": [9.0, *ideal]},
            {"ranks": [*ranks, size + 1], "grades": [*grades, 0.0]},
            {"grades": [*grades, 1.0]},
            {"ideal": [*ideal, 9.0]} if ideal and ideal[-1] < 9 else {},
            {"ideal": [3.0] * (n_hits - 1)} if n_hits else {},
            {"ranks": ranks[::-1]} if len(ranks) > 1 else {},
            {"ranks": ranks[:1] * 2 + ranks[2:]} if len(ranks) > 1 else {},
        ]
    )
    struct.update(broken)
    return bool(broken)


def check_ties(rng: random.Random) -> int:
    """Compare expected values over tied items, with options, with the mean over all orders."""
    users = random_cases(rng, n=40, longest=5)
    orders = [case.rankings() for case in users]
    ks = rng.sample([0, 1, 2, 3, 4, 5, 33, None], 2)
    names = [name for name, measure in MEASURES.items() if measure.expected]
    calls = [(name, cases.options(rng, name, largest=3)) for name in names]
    measures = [f"{name}({(option_text(options) or '').replace(' ', ',')})" for name, options in calls]
    con = connection(rng.choice(SETTINGS))
    create_tables(con, users)
    (rec, truth, columns), (least, judging) = rng.choice(LAYOUTS), draw_judging(rng)
    con.execute(f"CREATE OR REPLACE VIEW rec AS {rec}; CREATE OR REPLACE VIEW truth AS {truth}")
    if "skip" in judging:
        orders = [[(condensed(ranking), n) for ranking, n in of_user] for of_user in orders]
    arguments = f"ks := {literal(ks)}, measures := {measures}, ties := 'expected'{judging}{columns}"
    query = f"SELECT COLUMNS(lambda c: c <> 'system') FROM ranking.by_user('rec', 'truth', {arguments})"
    rows = con.execute(query).fetchall()
    calls = [(name, with_least(name, least, options)) for name, options in calls]
    for user, k, *got in rows:
        want = [mean_over_orders(name, orders[user], k, options) for name, options in calls]
        want[:0] = [len(users[user].rows), replace(orders[user][0][0], min_grade=least).relevant]
        agree(f"{users[user]} at {k} by {query}", ["n_rec", "n_truth", *measures], got, want)
    agree(query, ["rows"], [len(rows)], [len(users) * len(ks)])
    return len(users)


CHECKS: dict[str, tuple[Callable[[random.Random], int], int]] = {
    "lists": (check_lists, 140),
    "sql": (check_sql, 4),
    "tables": (check_tables, 8),
    "ways": (check_ways, 8),
    "list measures": (check_list_measures, 10),
    "judged structs": (check_structs, 15),
    "ties": (check_ties, 4),
}

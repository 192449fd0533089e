"""One numbered batch of random cases, through the pack and through the slow definitions."""

import csv
import math
import random
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.command import session
from ranking_udfs.inputs.tables import Inputs, load
from ranking_udfs.measures.registry import BY_NAME, MEASURES, Measure
from tests.conftest import Con, call, is_close, judged_array, literal, option_text, within
from tests.fuzz import cases
from tests.fuzz.cases import Row
from tests.sql_names import TABLE_NAMES
from tests.ties import create_tables, random_cases
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
    """Run batch `number`: how many cases it has, and what differs.

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
    """One for all batches, since to register takes longer than most of them."""
    return ranking_udfs.register(duckdb.connect(config={"threads": 2}).execute(f"SET {settings}"))


def outcome(work: Callable[[], Any]) -> Any:
    """What comes out, or the kind of error; a crash of another kind is passed on."""
    try:
        return work()
    except (ValueError, TypeError) as error:
        return type(error).__name__


def is_same(got: Any, want: Any) -> bool:
    are_numbers = isinstance(got, float | int) and isinstance(want, float | int)
    return is_close(got, want, CLOSE) if are_numbers else bool(got == want)


def agree(what: str, rows: Sequence[Any], got: Any, want: Any, measure: Measure | None = None) -> None:
    """Compare a value per row, or the kind of error of all rows; values must be in the range of the measure.

    Raises:
        AssertionError: of the rows that differ, with the shortest one.
    """
    got, want = ([one] * len(rows) if isinstance(one, str) else one for one in (got, want))
    wrong = []
    for row, one, other in zip(rows, got, want, strict=True):
        is_out = measure and not isinstance(other, str | None) and not within(measure, one)
        wrong += [f"{row} is {one}, not {other}"] if is_out or not is_same(one, other) else []
    assert not wrong, f"{what}: {min(wrong, key=len)} (and {len(wrong) - 1} more of {len(rows)} rows)"


def check_lists(rng: random.Random) -> int:
    """All measures, plain and of a judged ranking, and judge itself, through Arrow."""
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
    """All measures and ranking.judge through DuckDB, over a table."""
    batch = cases.draw_for_duckdb(rng)
    rec, truth = batch.arrays()
    table = pa.table({"i": range(len(rec)), "rec": rec, "truth": truth, "k": batch.k_array()})
    chosen = {name: cases.accepted(rng, name, batch) for name in MEASURES}
    calls = [(name, options, is_judged) for name, options in chosen.items() for is_judged in (False, True)]
    lists = ("rec, truth", "judge(rec, truth)")
    columns = [f'"{name}"({lists[j]}, k, {literal(option_text(options))})' for name, options, j in calls]
    if batch.form != "pairs" and not re.search("fixed|dictionary|decimal", f"{rec.type} {truth.type}"):
        truths = "truth" if batch.form == "binary" else "map_keys(truth), map_values(truth)"
        columns.append(f"ranking.judge(rec, {truths})")
    settings = rng.choice(SETTINGS)
    con = connection(settings).register("scanned", table)
    try:
        con.execute("CREATE OR REPLACE TABLE t AS FROM scanned")
    except duckdb.Error:
        if batch.items.kind == "ENUM":  # some dictionaries DuckDB's own scan of Arrow refuses
            return 0
        raise
    rows = con.execute(f"SELECT {', '.join(columns)} FROM t ORDER BY i").fetchall()
    for column, values, one in zip(columns, zip(*rows, strict=True), [*calls, None], strict=False):
        if one is None:
            agree(batch.call(column), batch.plain, values, batch.judged)
            continue
        name, options, is_judged = one
        want = batch.expected(name, [options] * len(batch.rows), is_judged)
        given = [*zip(batch.plain, (row.k for row in batch.rows), strict=True)]
        agree(f"{settings}: {batch.call(column)}", given, values, want, MEASURES[name])
    return len(batch.rows)


def check_refusals(rng: random.Random) -> int:
    """One row of a batch is wrong: an error that names the function, and nothing else.

    Wrong types, options and numbers of arguments are in tests/wrong_calls.txt.
    """
    batch = cases.draw(rng)
    name, at = rng.choice([*BY_NAME]), rng.randrange(len(batch.rows))
    ks: list[Any] = [row.k for row in batch.rows]
    wrong: Any = rng.choice([-1, -2, -(2**31), -(2**63)])
    if batch.items.in_truth and rng.random() < 0.5:
        wrong = {batch.items.in_truth[0]: rng.choice([math.nan, math.inf, -math.inf, None])}
        rows = [Row([], wrong if i == at else {}, row.k) for i, row in enumerate(batch.rows)]
        batch = replace(batch, form="map", layout=replace(batch.layout, grade=pa.float64()), rows=rows)
    else:
        ks[at] = wrong
    try:
        got: Any = call(name, *batch.arrays(), pa.array(ks))
    except ValueError as error:
        got = str(error).partition(" ")[0]
    agree(batch.call(name), [wrong], [got], [f"{name}:"])
    return 1


LISTS = [pa.list_, pa.list_, pa.large_list, pa.list_view, pa.large_list_view]


def check_list_measures(rng: random.Random) -> int:
    """Over rows of which the first are sliced away."""
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
        text = str(item) * ((item or 0) % 9 + 1)  # some beyond the 12 letters that a view holds in itself
        if item is None or kind == pa.int64():
            return item
        return text.encode() if kind == pa.binary_view() else text

    def rec() -> Any:
        return [named(item) for item in rng.choices([*pool, None], k=rng.randint(0, 12))]

    def popularity() -> Any:
        held = rng.sample(pool, rng.randint(1, len(pool))) if is_rarest else pool
        return {named(item): rng.choice([1.0, 0.5, rng.uniform(1e-9, 1)]) for item in held}

    columns = {rng.choice(LISTS)(kind): rec, pa.map_(kind, pa.float64()): popularity}
    compare_list_measure(rng, "novelty", {"missing": "rarest"} if is_rarest else {}, size, columns)
    return size


def compare_list_measure(
    rng: random.Random, name: str, options: Options, size: int, columns: Mapping[Any, Callable[[], Any]]
) -> None:
    """Of rows that are drawn for each column, some NULL."""
    drawn = [[None if rng.random() < 0.05 else one() for _ in range(size)] for one in columns.values()]
    start, rows = size % 4, [*zip(*drawn, strict=True)]
    arrays = [
        pa.array([one and [*one.items()] if isinstance(one, dict) else one for one in column], kind)
        for column, kind in zip(drawn, columns, strict=True)
    ]
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


def check_tables(rng: random.Random) -> int:
    """ranking.by_user and ranking.evaluate over random tables."""
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
    measured = [name for name, measure in MEASURES.items() if measure.column]
    expected = by_user(rec, truth, ks, systems is not None, measured)
    ids = [{"userid": rng.choice(INTEGERS), "itemid": rng.choice(item_types(names))} for _ in range(2)]
    of_rec, of_truth = rng.sample(TABLE_NAMES, 2)  # a table of hers may be called what the SQL calls its own
    tables = create(of_rec, rec, {**({"system": "VARCHAR"} if systems else {}), **ids[0], "score": kind})
    tables += create(of_truth, truth, ids[1] if grades is None else {**ids[1], "rel": "DOUBLE"})
    system = "NULL" if systems is None else "system"
    chosen = ", ".join(f'"{name}"' for name in measured)
    con = connection(rng.choice(SETTINGS)).execute(tables)
    query = f"FROM ranking.by_user('\"{of_rec}\"', '\"{of_truth}\"', {literal(ks)})"
    got = con.execute(f"SELECT {system}, userid, k, n_rec, n_truth, {chosen} {query}").fetchall()
    rows = {row[:3]: row[3:] for row in got}
    what = f"{tables}{query};  --"
    agree(what, ["keys", "rows"], [rows.keys(), len(got)], [expected.keys(), len(rows)])
    for key, want in expected.items():
        agree(f"{what} {key}", ["n_rec", "n_truth", *measured], rows[key], want)
    query = query.replace("ranking.by_user", "ranking.evaluate", 1)
    got = con.execute(f"SELECT {system}, k, users, users_without_rec, {chosen} {query}").fetchall()
    con.execute(f'DROP TABLE "{of_rec}"; DROP TABLE "{of_truth}"')
    means = {row[:2]: row[2:] for row in got}
    for group in {(system, k) for system, _, k in expected}:
        n_rec, _, *values = zip(*(one for key, one in expected.items() if key[::2] == group), strict=True)
        want = [len(n_rec), n_rec.count(0), *map(mean_of_defined, values)]
        found = means.get(group, ())
        agree(f"{what} summary of {group}", ["users", "users_without_rec", *measured], found, want)
    return len(expected)


def by_user(
    rec: Sequence[Any],
    truth: Sequence[Any],
    ks: Sequence[int | None],
    has_systems: bool,
    measured: Sequence[str],
) -> dict[tuple[Any, ...], list[float | None]]:
    """The length of the list, the relevant items and the measures, of each system, user and k.

    Lists are by score, NULL and NaN last, then by item, NULL last.
    """

    def place(row: Any) -> tuple[Any, ...]:
        score = row["score"]
        last = score is None or math.isnan(score)
        item = row["itemid"]
        return (last, 0 if last else -score, item is None, 0 if item is None else item)

    found: dict[tuple[Any, ...], list[float | None]] = {}
    systems = {row["system"] for row in rec} if has_systems else {None}
    for user in {row["userid"] for row in truth} - {None}:
        known: dict[Any, float] = {}
        for row in truth:
            if row["userid"] == user and row["itemid"] is not None:
                known[row["itemid"]] = max(row.get("rel", 1.0), known.get(row["itemid"], -math.inf))
        relevant = sum(grade > 0 for grade in known.values())
        for system in systems:
            ranked = sorted(
                (row for row in rec if row["userid"] == user and row.get("system") == system), key=place
            )
            ranking = judge_slowly([row["itemid"] for row in ranked], known, "map")
            assert ranking is not None
            for k in ks:
                values = [WITNESSES[name].of_table(ranking, k) for name in measured]
                found[system, user, k] = [len(ranked), relevant, *values]
    return found


def mean_of_defined(values: Sequence[float | None]) -> float | None:
    some = [one for one in values if one is not None]
    return math.fsum(some) / len(some) if some else None


def create(name: str, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """The statements that make the table."""
    kinds = ", ".join(f"{column} {kind}" for column, kind in columns.items())
    text = f'CREATE OR REPLACE TABLE "{name}" ({kinds});\n'
    values = ", ".join("(" + ", ".join(map(sql, row.values())) + ")" for row in rows)
    return text + (f'INSERT INTO "{name}" VALUES {values};\n' if rows else "")


def sql(value: Any) -> str:
    return f"'{value}'::DOUBLE" if isinstance(value, float) else literal(value)


def check_structs(rng: random.Random) -> int:
    """Structs that no judge has made: where the rules hold, function and macro have the definition's value.

    Else both are errors, and nothing else. Macros, which take longer, see a batch and a single struct.
    """
    con, seen = connection(rng.choice(SETTINGS)), 0
    for number, size in enumerate([rng.choice([40, 300, 2_050]), *[1] * 14]):
        drawn = [rng.uniform(-1, 4) for _ in range(30)]
        pool = rng.choice([*cases.GRADES, drawn, [1e-9, 1e-5], [1e308, 1.0, 5e307]])
        longest = rng.choice([3, 12, 12, 40, 150] if size > 1 else [12])
        structs = [judged_struct(rng, pool, longest) for _ in range(size)]
        structs = [None if size > 1 and rng.random() < 0.05 else one for one in structs]
        is_wrong = rng.random() < (0.1 if size > 1 else 0.3) and spoil(rng, structs[-1])
        ends = [one["cutoff"] if one and one["cutoff"] is not None else 2**63 for one in structs]
        ks = [rng.choice([None, 0, 1, 2, 3, 5, 10, 129, end, end + 1, 2**63 - 1]) for end in ends]
        if rng.random() < (0.9 if size > 1 else 0.6):
            ks = [None if k is None else min(k, end) for k, end in zip(ks, ends, strict=True)]
        ks = [None if k is None else min(k, 2**63 - 1) for k in ks]
        is_wrong |= any(k is not None and k > end for k, end in zip(ks, ends, strict=True))
        seen += size
        # Of sums that no double holds the slow definitions know nothing, and of long lists they are slow.
        is_slow = size * longest <= 5_000 and max(pool) < 1e300
        rankings = [one and Ranking(*(one[part] for part in PARTS)) for one in structs]
        largest = max((grade for one in structs if one for grade in one["ideal"]), default=0.0)
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


PARTS = ("ranks", "grades", "ideal", "size")


def slowly(name: str, rankings: Sequence[Any], ks: Sequence[Any], options: Options) -> list[Any]:
    one = WITNESSES[name]
    return [ranking and one.of_ranking(ranking, k, options) for ranking, k in zip(rankings, ks, strict=True)]


def compare_macros(con: Con, answers: Mapping[str, tuple[Options, Any]], given: Sequence[Any]) -> None:
    """Over the table t: those with values in one query; those that must raise and say their names, alone."""
    wrong = [[name] for name, (_, answer) in answers.items() if isinstance(answer, str)]
    for names in filter(None, ([name for name in answers if [name] not in wrong], *wrong)):
        calls = []
        for name in names:
            chosen = (f", {one} := {literal(choice)}" for one, choice in answers[name][0].items())
            calls.append(f"ranking.{name}(judged, k{''.join(chosen)})")
        try:
            rows = con.execute(f"SELECT i, {', '.join(calls)} FROM t ORDER BY i").fetchall()
            columns: Sequence[Any] = [*zip(*rows, strict=True)][1:]
        except duckdb.InvalidInputException as error:
            columns = ["ValueError" if f"ranking.{name}: " in str(error) else str(error) for name in names]
        for name, macro, column in zip(names, calls, columns, strict=True):
            agree(macro, given, column, of_namespace(MEASURES[name], given, answers[name][1]), MEASURES[name])


def of_namespace(measure: Measure, given: Sequence[Any], answer: Any) -> Any:
    """What ranking.* answers: where truth is empty 0, which of lists without items may be 1 in Hivemall."""
    if measure.empty.both is None or isinstance(answer, str):
        return answer
    is_empty = (judged is not None and not judged["ideal"] for judged, *_ in given)
    return [0.0 if no_truth else one for no_truth, one in zip(is_empty, answer, strict=True)]


def judged_struct(rng: random.Random, pool: Sequence[float], longest: int) -> dict[str, Any] | None:
    """What `judge` could have made."""
    size = rng.randint(0, longest)
    cutoff = rng.choice([None, None, size, size + rng.randint(0, 3)])
    ranks = sorted(rng.sample(range(1, size + 1), rng.randint(0, size)))
    grades = [float(rng.choice(pool)) for _ in ranks]
    more = [float(rng.choice(pool)) for _ in range(rng.randint(0, 4))]
    ideal = sorted(grades + more, reverse=True)
    return {"ranks": ranks, "grades": grades, "ideal": ideal, "size": size, "cutoff": cutoff}


def spoil(rng: random.Random, one: dict[str, Any] | None) -> bool:
    """Break one rule of the struct, if it has what that rule is about."""
    if one is None:
        return False
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


def check_ties(rng: random.Random) -> int:
    """Expected values over all orders of tied items, with options, against the mean over those orders."""
    users = random_cases(rng, n=40, longest=5)
    orders = [case.rankings() for case in users]
    ks = rng.sample([0, 1, 2, 3, 4, 5, 33, None], 2)
    names = [name for name, measure in MEASURES.items() if measure.expected]
    calls = [(name, cases.options(rng, name, largest=3)) for name in names]
    measures = [f"{name}({(option_text(options) or '').replace(' ', ',')})" for name, options in calls]
    con = connection(rng.choice(SETTINGS))
    create_tables(con, users)
    by_user = f"ranking.by_user('given', 'judged', {literal(ks)}, measures := {measures}, ties := 'expected')"
    rows = con.execute(f"FROM {by_user}").fetchall()
    for user, k, _, _, *got in rows:
        want = [mean_over_orders(name, orders[user], k, options) for name, options in calls]
        agree(f"{users[user]} at {k}", measures, got, want)
    agree(by_user, ["rows"], [len(rows)], [len(users) * len(ks)])
    return len(users)


WRITTEN = [
    *("0", "7", "12", "-5", "1000", "9223372036854775807"),
    *("-0", "+7", "007", " 7", "7 ", "1_000", "1e3", "1000.0", "0x1F", "1.1", "1.10", "1.2", "1.20"),
    *("9223372036854775808", "18446744073709551615", "18446744073709551616", "17446744073709551000"),
    *("true", "TRUE", "2020-01-01", "2020-1-1", "nan", "NaN", "inf", "NULL", "a", "A", "a,b", "é", "e\u0301"),
]


def check_csv_ids(rng: random.Random) -> int:
    """Ids of CSV files match where they are written alike, whatever DuckDB would take them for."""
    few = WRITTEN[:6] if rng.random() < 0.3 else WRITTEN
    users, items = (rng.sample(few, rng.randint(1, 5)) for _ in range(2))
    pairs = [*product(users, items)]
    written = {name: sorted(rng.sample(pairs, rng.randint(1, len(pairs)))) for name in ("rec", "truth")}
    with TemporaryDirectory() as folder, session.connect({}) as con:
        for name, rows in written.items():
            with open(f"{folder}/{name}.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([("userid", "itemid", "score"), *((*row, 1) for row in rows)])
        load(con, Inputs([f"{folder}/rec.csv"], f"{folder}/truth.csv"))
        columns = "typeof(userid), typeof(itemid), userid::VARCHAR, itemid::VARCHAR"
        found = [con.execute(f"SELECT {columns} FROM {name}").fetchall() for name in written]
        texts = [sorted(row[2:] for row in rows) for rows in found]
        agree("texts", [*written.values()], texts, [*written.values()])
        types = {row[:2] for rows in found for row in rows}
        agree(f"types of {written}", ["rec and truth"], [len(types)], [1])
    return len(users)


CHECKS: dict[str, tuple[Callable[[random.Random], int], int]] = {
    "lists": (check_lists, 140),
    "sql": (check_sql, 4),
    "tables": (check_tables, 8),
    "list measures": (check_list_measures, 10),
    "refusals": (check_refusals, 25),
    "judged structs": (check_structs, 15),
    "csv ids": (check_csv_ids, 4),
    "ties": (check_ties, 4),
}

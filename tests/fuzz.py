"""Random cases against the slow definitions: `python -m tests.fuzz --cases 1000000 --seed 1`.

A case is one user: two lists, or their rows in two tables, and a k. Each measure gets it with options of its
own. Exit code 1 on the first difference, which the same seed and batch show again: `--seed 1 --batch 17`.
"""

import argparse
import math
import random
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.compose.call import Call
from ranking_udfs.measures.registry import MEASURES, Measure, Number
from tests.conftest import Con, call, create_users, is_close, lists, literal, maps, option_text, pairs, within
from tests.definitions import (
    LIST_WITNESSES,
    WITNESSES,
    Options,
    condensed,
    judge_slowly,
    mean_of_orders,
    random_rows,
    random_topics,
)

CLOSE = 1e-12
SETTINGS = (
    "threads = 2",
    "integer_division = true",
    "arrow_large_buffer_size = true",
    "arrow_lossless_conversion = true",
)
SIZES = [(40, 3), (300, 8), (300, 8), (100, 25), (3, 250), (1, 4_000), (2_049, 4), (20, 0)]  # rows, longest
GRADES: list[Any] = [
    *([-1, 0, 0, 1, 1, 2, 3, 4], [1], [0, -2], [x / 4 for x in range(-4, 17)], [-1e300, -0.0, 0.0, 2.0, 3.0]),
    *([1.0, math.nextafter(1, 2), math.nextafter(1, 0), 0.5], [0, 1, 30, 100.5, 999, 1000]),
]
# A type of items, and the item of a number: equal in low bits, and longer than a view has room for.
ITEMS: list[tuple[pa.DataType, Callable[[int], Any]]] = [
    *((pa.int64(), int), (pa.int64(), lambda i: (i - 9) << 40), (pa.string(), str)),
    (pa.string_view(), lambda i: f"an item of many letters {i}" if i % 2 else str(i)),
]


def outcome(work: Callable[[], Any]) -> Any:
    """Return the result, or the kind of error."""
    try:
        return work()
    except (ValueError, TypeError) as error:
        return type(error).__name__


def agree(what: str, rows: Sequence[Any], got: Any, want: Any, measure: Measure | None = None) -> None:
    """Compare a value per row, or the kind of error of all rows. Values must be in the measure's range."""
    got, want = ([side] * len(rows) if isinstance(side, str) else side for side in (got, want))
    wrong = []
    for row, value, expected in zip(rows, got, want, strict=True):
        are_numbers = isinstance(value, float | int) and isinstance(expected, float | int)
        is_same = is_close(value, expected, CLOSE) if are_numbers else value == expected
        is_out = measure and not isinstance(expected, str | None) and not within(measure, value)
        wrong += [] if is_same and not is_out else [f"{row} is {value}, not {expected}"]
    assert not wrong, f"{what}: {min(wrong, key=len)} (and {len(wrong) - 1} more of {len(rows)} rows)"


def draw_options(rng: random.Random, name: str, largest: float, least: float = math.inf) -> dict[str, Any]:
    """Draw any words of a measure's options, and numbers within their bounds; no min_grade above `least`."""
    rules, chosen = MEASURES[name].options, dict[str, Any]()
    for option, rule in sorted(rules.items(), key=lambda pair: isinstance(pair[1], Number)):
        if not isinstance(rule, Number):
            words = [word for word in str(rule).split("|") if (option, word) != ("ideal", "k")]
            chosen |= {option: rng.choice(words)} if rng.random() < 0.75 else {}
            continue
        other, needed = rule.only_with or ("", None)
        if other and chosen.get(other, rules[other].default) != needed:
            continue
        if option == "max_grade":
            chosen |= {} if largest <= 4 else {option: rng.choice([largest, 1000.0])}
        elif rng.random() < 0.5:
            low = max(rule.at_least, rule.above)
            high = min(rule.at_most, rule.below, low + 20, least)
            drawn = rng.choice([rng.uniform(low, high), rng.randint(0, 10) / 10, low + 1])
            if rule.at_least <= drawn <= min(rule.at_most, least) and rule.above + 0.01 < drawn < rule.below:
                chosen[option] = drawn
    return chosen


def draw_lists(rng: random.Random) -> tuple[str, list[tuple[Any, Any]], pa.Array, pa.Array]:
    """Draw a form, its rows, and the same as slices of arrays."""
    form, (n, longest), grades = rng.choice(["binary", "map", "pairs"]), rng.choice(SIZES), rng.choice(GRADES)
    kind, item = rng.choice(ITEMS)
    rows: list[tuple[Any, Any]] = [(None, None)] * 2
    for topic in random_topics(rng.getrandbits(32), n, longest, max(6, 2 * longest), min(longest, 100) + 2):
        rec = [None if number is None else item(number) for number in topic.rec]
        truth: Any = {item(number): rng.choice(grades) for number in topic.truth}
        if form == "binary":
            truth = [*truth, *rng.choices([None, *truth], k=2)]
        elif form == "pairs":
            rec = [one if one is None else (rng.choice(grades), one) for one in rec]
            truth = [one[0] for one in rec if one and rng.random() < 0.8] + rng.choices(grades, k=2)
        rows.append(tuple(None if rng.random() < 0.03 else side for side in (rec, truth)))  # type: ignore[arg-type]
    recs, truths = zip(*rows, strict=True)
    arrays = (
        (pairs if form == "pairs" else lists)(recs, kind),
        {
            "binary": lambda: lists(truths, kind),
            "map": lambda: maps(truths, kind),
            "pairs": lambda: lists(truths, pa.float64()),
        }[form](),
    )
    return form, rows[2:], *(array.slice(2) for array in arrays)


def check_lists(rng: random.Random) -> int:
    """Call all measures, of lists, of a judged ranking and as macros, and judge itself."""
    form, rows, rec, truth = draw_lists(rng)
    size, judged = len(rows), FUNCTIONS["judge"].call(rec, truth)
    rankings = [judge_slowly(*row, form) for row in rows]
    parts = [
        ranking
        and {
            **{part: getattr(ranking, part) for part in ("ranks", "grades", "ideal", "size")},
            "cutoff": None,
        }
        for ranking in rankings
    ]
    agree("judge", rows, judged.to_pylist(), parts)
    ks = rng.choices([0, 1, 2, 3, 10, 100, 2**31, 2**63 - 1, None], k=size)
    ks = ks if rng.random() < 0.5 else ks[:1] * size
    largest = max((grade for one in rankings if one for grade in one.ideal), default=0.0)
    answers: dict[str, tuple[Options, Any]] = {}
    for name, measure in MEASURES.items():
        options = draw_options(rng, name, largest, 1.0 if form == "binary" else math.inf)
        several = [options, {}] if largest <= 4 and rng.random() < 0.1 else [options]
        of_rows = rng.choices(several, k=size)
        texts = pa.array([*map(option_text, of_rows)], pa.string())
        for columns, defaults in (((rec, truth), {}), ((judged,), WITNESSES[name].of_judged)):
            want = outcome(
                lambda: [
                    one and WITNESSES[name].definition(one, k, **{**defaults, **of_row})  # noqa: B023
                    for one, k, of_row in zip(rankings, ks, of_rows, strict=True)  # noqa: B023
                ]
            )
            got = outcome(lambda: call(name, *columns, pa.array(ks, pa.int64()), texts))  # noqa: B023
            agree(
                f"{name} of {form}, {len(columns)}",
                [*zip(rows, ks, of_rows, strict=True)],
                got,
                want,
                measure,
            )
        answers[name] = (options, want) if len(several) == 1 else answers.get(name, ({}, None))
    if size <= 300:
        con = connection(rng.choice(SETTINGS))
        con.register("scanned", pa.table({"i": range(size), "judged": judged, "k": pa.array(ks, pa.int64())}))
        con.execute("CREATE OR REPLACE TABLE t AS FROM scanned")
        compare_macros(
            con,
            {name: of for name, of in answers.items() if of[1] is not None},
            [*zip(parts, ks, strict=True)],
        )
    return size


@cache
def connection(settings: str) -> Con:
    """Open one connection for all batches: registering takes longer than most of them."""
    return ranking_udfs.register(duckdb.connect(config={"threads": 2}).execute(f"SET {settings}"))


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
            want = answers[name][1]
            if MEASURES[name].empty.both is not None and not isinstance(want, str):
                # Of lists without items, Hivemall's functions may answer 1, ranking.* answers 0.
                is_empty = [of is not None and not of["ideal"] for of, _ in rows]
                want = [0.0 if no_truth else value for no_truth, value in zip(is_empty, want, strict=True)]
            agree(macro, rows, column, want, MEASURES[name])


def check_list_measures(rng: random.Random) -> int:
    """Call measures of lists over slices of arrays, some of whose rows are NULL."""
    size, distance = rng.choice([0, 1, 40, 2_049]), rng.choice(["cosine", "euclidean", "jaccard"])
    is_rarest = rng.random() < 0.5

    def vectors() -> Any:
        width = rng.randint(0, 5)
        if distance == "jaccard":
            return [rng.choices([None, 1, 2, 3], k=rng.randint(0, 5)) for _ in range(rng.randint(0, 8))]
        return [
            [rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for _ in range(width)] for _ in range(rng.randint(0, 8))
        ]

    def rec() -> Any:
        return rng.choices([*range(12), None], k=rng.randint(0, 12))

    def popularity() -> Any:
        known = rng.sample(range(12), rng.randint(1, 12)) if is_rarest else range(12)
        return {item: rng.choice([1.0, 0.5, rng.uniform(1e-9, 1)]) for item in known}

    number = pa.int64() if distance == "jaccard" else pa.float64()
    for name, options, draws in (
        ("intra_list_diversity", {"distance": distance}, [vectors]),
        ("novelty", {"missing": "rarest"} if is_rarest else {}, [rec, popularity]),
    ):
        drawn = [[None if rng.random() < 0.05 else draw() for _ in range(size + 3)] for draw in draws]
        arrays = (
            [lists(drawn[0]), maps(drawn[1])] if name == "novelty" else [lists(drawn[0], pa.list_(number))]
        )
        texts, rows = (
            pa.array([option_text(options)] * (size + 3), pa.string()),
            [*zip(*drawn, strict=True)][3:],
        )
        got = call(name, *(array.slice(3) for array in (*arrays, texts)))
        want = [LIST_WITNESSES[name].definition(*row, **options) for row in rows]
        agree(f"{name} {options}", rows, got, want)
    return size


def check_tables(rng: random.Random) -> int:
    """Call ranking.by_user with options and any ties, and take the means of ranking.evaluate."""
    ties, con = rng.choice(["item", "expected"]), connection(rng.choice(SETTINGS))
    users = random_rows(rng, rng.choice([1, 5, 40]), 5 if ties == "expected" else rng.choice([3, 12, 140]))
    create_users(con, users)
    orders = [user.rankings() if ties == "expected" else [(user.ranking(), 1)] for user in users]
    ks: Any = rng.sample([0, 1, 2, 3, 4, 5, 33, 128, None], 2)
    least, unjudged = rng.choice([None, None, 0.5, 2]), rng.choice(["miss", "miss", "skip"])
    if unjudged == "skip":
        orders = [[(condensed(ranking), n) for ranking, n in of_user] for of_user in orders]
    calls, measures = [], []
    for name, measure in MEASURES.items():
        if measure.column and (ties == "item" or measure.expected):
            options = draw_options(rng, name, largest=3)
            measures.append(f"{name}({(option_text(options) or '').replace(' ', ',')})")
            takes = "min_grade" in measure.options and options.get("gain") != "graded" and least is not None
            calls.append((name, ({"min_grade": least} if takes else {}) | options))
    arguments = f"'given', 'judged', ks := {literal(ks)}, measures := {measures}, ties := '{ties}'"
    arguments += f", min_grade := {literal(least)}, unjudged := '{unjudged}'"
    query = f"FROM ranking.by_user({arguments})"
    rows = con.execute(f"SELECT COLUMNS(lambda c: c <> 'system') {query}").fetchall()
    agree(query, ["rows"], [len(rows)], [len(users) * len(ks)])
    for user, k, *got in rows:
        want: list[Any] = [
            len(users[user].rows),
            sum(g >= (least or 5e-324) for g in users[user].truth.values()),
        ]
        want += [mean_of_orders(name, orders[user], k, options) for name, options in calls]
        agree(f"{users[user]} at {k} by {query}", ["n_rec", "n_truth", *measures], got, want)
    means = con.execute(query.replace("by_user", "evaluate")).fetchall()
    for k, *values in means:
        columns = [*zip(*(row[4:] for row in rows if row[1] == k), strict=True)]
        defined = [[value for value in column if value is not None] for column in columns]
        want = [math.fsum(some) / len(some) if some else None for some in defined]
        agree(f"{query} of {k}", measures, values[-len(measures) :], want)
    return len(users)


# Sorted are the best rows if k is small, all rows, or only lists in which ranks cannot be counted.
WAYS: Sequence[dict[str, Any]] = (
    {"is_sorted": "true"},
    {"is_short": False, "is_sorted": "true"},
    {"is_short": False, "is_sorted": "false"},
    {"is_short": False, "is_sorted": "false", "longest_unsorted": 1},
)


def check_ways(rng: random.Random) -> int:
    """Compare the judged rankings of ranking.judged, bit by bit, by each way to find ranks."""
    con = connection(rng.choice(SETTINGS))
    create_users(con, random_rows(rng, *rng.choice([(1, 300), (5, 12), (30, 12), (30, 40)])))
    judging = rng.choice(["", ", descending := false", ", min_grade := 0.5"])
    query = f"FROM ranking.judged('given', 'judged', {rng.choice(['0', '2', '5', '33', 'NULL'])}{judging})"
    answers = []
    for way in WAYS:
        with patch.multiple(Call, **way):
            answers.append(sorted(map(repr, con.execute(query).fetchall())))
    for way, answer in zip(WAYS[1:], answers[1:], strict=True):
        agree(f"{query}; -- {way}", ["rows"], [answer], [answers[0]])
    return len(answers[0])


CHECKS: dict[str, tuple[Callable[[random.Random], int], int]] = {  # and how often
    "lists": (check_lists, 12),
    "tables": (check_tables, 2),
    "ways": (check_ways, 1),
    "list measures": (check_list_measures, 1),
}


def run(seed: int, only: Sequence[str], number: int) -> tuple[int, str | None]:
    """Run batch `number` and return its number of cases and the difference, if any."""
    rng = random.Random(f"{seed}/{number}")
    checks = [CHECKS[name] for name in only or CHECKS]
    (check,) = rng.choices([check for check, _ in checks], [weight for _, weight in checks])
    try:
        return check(rng), None
    except AssertionError as difference:
        return 0, str(difference)
    except Exception:
        return 0, traceback.format_exc()


def fuzz(cases: int, seed: int, only: Sequence[str] = (), batch: int | None = None) -> int:
    """Run at least so many cases, print the result and return the exit code."""
    done = 0
    for number in count() if batch is None else [batch]:
        n, difference = run(seed, only, number)
        if difference is not None:
            which = f" --only {' '.join(map(repr, only))}" if only else ""
            print(f"python -m tests.fuzz --seed {seed}{which} --batch {number}:\n{difference}")
            return 1
        done += n
        if done >= cases:
            break
    print(f"seed {seed}: {done:,} cases in {number + 1:,} batches, no difference above {CLOSE}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=(), help="only these checks")
    parser.add_argument("--batch", type=int, help="run only this batch")
    chosen = parser.parse_args()
    sys.exit(fuzz(chosen.cases, chosen.seed, chosen.only, chosen.batch))

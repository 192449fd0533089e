"""Test the confidence intervals of means: SciPy's, in SQL and Python."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy import stats

import ranking_udfs
from ranking_udfs.compose.functions import compose_values
from ranking_udfs.evaluation.queries import intervals_query
from ranking_udfs.measures.contents import CONTENTS
from ranking_udfs.measures.grammar import parse_measures
from tests.conftest import Con, literal, module_connection, rows

MEASURES = "ndcg@1,20, hit_rate@20, precision@0, dcg@20, first_hit_rank@3"  # precision at 0 is always 0
con = module_connection("""
    CREATE TABLE rec AS
    SELECT 'ab'[1 + s] AS system, u AS userid, (u * (7 + s) + i * i) % 41 AS itemid, (50 - i) / 3 AS score
    FROM range(2) a(s), range(60) b(u), range(20) c(i);
    CREATE TABLE truth AS SELECT u AS userid, (u * 5 + i * 3) % 41 AS itemid, 1 + i % 3 AS rel
    FROM range(60) a(u), range(3) b(i);
    CREATE TABLE segments AS SELECT u AS userid, if(u < 1, 'one', if(u < 20, 'some', 'many')) AS segment
    FROM range(60) a(u);
""")
Ends = tuple[float | None, float | None]
Expected = Mapping[tuple[Any, ...], Ends]  # by system, segment, k and measure


def expected_ends(values: Sequence[float | None], bottom: float, top: float, confidence: float) -> Ends:
    """Return SciPy's interval within the range; equal values have that of Hanley and Lippman-Hand."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None, None
    mean = np.mean(known)
    if len({*known}) == 1:
        half = (1 - (1 - confidence) ** (1 / len(known))) * (top - bottom)
        return (None, None) if math.isinf(half) else (max(bottom, mean - half), min(top, mean + half))
    if {*known} == {0, 1}:
        wilson = stats.binomtest(int(sum(known)), len(known)).proportion_ci(confidence, "wilson")
        return wilson.low, wilson.high
    low, high = stats.t.interval(confidence, len(known) - 1, mean, stats.sem(known))
    return max(bottom, low), min(top, high)


def are_close(found: Ends, expected: Ends) -> bool:
    return found == (expected if None in expected else pytest.approx(expected, rel=1e-9))


def expected_of(con: Con, by_user: str, segment: str, confidence: float) -> Expected:
    """Return the interval of each measure from the values of users."""
    found: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows(con, f"SELECT *, {segment} AS segment FROM {by_user} JOIN segments USING (userid)"):
        for name in row.keys() - {
            "system",
            "userid",
            "k",
            "segment",
            "n_rec",
            "n_truth",
            "n_items",
            "has_history",
        }:
            found.setdefault((row["system"], row["segment"], row["k"], name), []).append(row[name])
    ranges = {name: CONTENTS[name].range for *_, name in found if name in CONTENTS}
    ranges |= {choice.name: choice.measure.range for choice in parse_measures(MEASURES)}
    return {
        key: expected_ends(values, ranges[key[3]].low, ranges[key[3]].high, confidence)
        for key, values in found.items()
    }


def check_ends(found: Sequence[dict[str, Any]], expected: Expected) -> None:
    """Expect a low and a high after each mean."""
    assert {(row["system"], row.get("segment", "(all)"), row["k"]) for row in found} == {
        key[:3] for key in expected
    }
    for (system, segment, k, name), ends in expected.items():
        (row,) = (
            row
            for row in found
            if (row["system"], row.get("segment", "(all)"), row["k"]) == (system, segment, k)
        )
        if row.get(name) is not None or name not in CONTENTS:  # a measure of lists at the cutoffs of others
            assert [*row][[*row].index(name) :][:3] == [name, f"{name}_low", f"{name}_high"]
            assert are_close((row[f"{name}_low"], row[f"{name}_high"]), ends), (name, row)


@pytest.mark.parametrize("confidence", [0.95, 0.5, 0.999])
def test_intervals_in_sql_are_scipys(con: Con, confidence: float) -> None:
    """Expect the same in the table of distributions, in a report, and without the Python package."""
    by_user = f"ranking.by_user('rec', 'truth', '{MEASURES}')"
    expected = expected_of(con, by_user, "'(all)'", confidence)
    assert {None, 0.0} <= {end for ends in expected.values() for end in ends}
    given = {"rec": "rec", "truth": "truth", "measures": MEASURES, "confidence": confidence}
    arguments = ", ".join(f"{name} := {literal(value)}" for name, value in given.items())
    check_ends(rows(con, f"FROM ranking.evaluate({arguments})"), expected)
    of_report = intervals_query(by_user, "system, k", parse_measures(MEASURES), confidence)
    for long in (f"FROM ranking.distribution({arguments})", of_report):
        found = {(row["system"], "(all)", row["k"], row["measure"]): row for row in rows(con, long)}
        assert found.keys() == expected.keys()
        for key, ends in expected.items():
            assert are_close((found[key]["low"], found[key]["high"]), ends), key
    with duckdb.connect() as bare:
        for name in ("rec", "truth"):
            bare.register(name, con.table(name).to_arrow_table())
        check_ends(rows(bare, compose_values("evaluate", given, is_portable=True)), expected)


def test_python_has_intervals_of_segments_and_of_lists(con: Con) -> None:
    """The one user of a segment has no interval; novelty has no highest value."""
    of_lists = "ranking.beyond_accuracy_by_user('rec', [20], history := 'truth')"
    expected: dict[tuple[Any, ...], Ends] = {}
    for by_user in (f"ranking.by_user('rec', 'truth', '{MEASURES}')", of_lists):
        for segment in ("'(all)'", "segment"):
            expected |= expected_of(con, by_user, segment, 0.9)
    assert {ends for key, ends in expected.items() if key[1] == "one"} == {(None, None)}
    names = {f"{name}@20" for *_, name in expected if name in CONTENTS}
    tables = {name: con.table(name).to_arrow_table() for name in ("rec", "truth", "segments")}
    result = ranking_udfs.evaluate(
        tables["rec"],
        tables["truth"],
        ", ".join([MEASURES, *names, "gini@20"]),
        segments=tables["segments"],
        history=tables["truth"],
        confidence=0.9,
        check=False,
    )
    found = [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]
    check_ends(found, expected)
    assert "gini_low" not in found[0]

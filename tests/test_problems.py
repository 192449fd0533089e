"""Test ranking.check: its rows, and problems that depend on many spellings and scores."""
# ruff: noqa: E501  (a statement is a line)

import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from tests import calls
from tests.conftest import Captured, Con, module_connection, rows

# Each of 40 users has six items that no other user has; two of them are relevant.
OWN = "SELECT '{}' AS system, u AS userid, 100 * u + i AS itemid, {} AS score FROM range(40) t(u), range(6) s(i)"
TRUTH = "SELECT u AS userid, 100 * u + i AS itemid FROM range(40) t(u), (VALUES (1), (2)) s(i)"
GOOD = "10 - i + u / 100.0"
FRACTIONS = f"SELECT *, CASE itemid % 100 WHEN 1 THEN 2 ELSE 0.4 * (userid % 4) END AS rel FROM ({TRUTH})"
# Codes that concern no rows, or all of them.
WITHOUT_ROWS = {
    *("unfit_column", "column_not_read", "number_not_read", "no_rows", "no_time", "swapped", "no_common_id"),
    *("nothing_relevant", "nothing_but_hits", "systems_apart", "labelled_apart", "labelled_in_part"),
    *("placeholder", "several_ids", "unlisted_items"),
}
pack = module_connection()


def lists(**scores: str) -> str:
    """Return SQL for the list of each user, by the scores of each system."""
    return " UNION ALL ".join(OWN.format(name, score) for name, score in scores.items())


def test_fractional_grades_are_a_problem_only_for_exponential_gains(pack: Con) -> None:
    tables = pack.sql(lists(a=GOOD)), pack.sql(FRACTIONS)
    with pytest.warns(UserWarning, match=r"rel is not an integer.*; write measures='ndcg\(gain=linear\)'"):
        ranking_udfs.evaluate(*tables, ["mrr", "ndcg"], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking_udfs.evaluate(*tables, ["mrr", "ndcg(gain=linear)"], 3)


@pytest.mark.usefixtures("registered")
def test_failing_rows_are_those_of_shown_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """With predicted grades, users without human labels are expected, and so no problem."""
    monkeypatch.chdir(tmp_path)
    Path("rec.csv").write_text("userid,itemid,score\n1,1,1\n3,1,1\n")
    Path("truth.csv").write_text("userid,itemid,rel\n1,1,1\n2,1,1\n")
    Path("labels.csv").write_text("userid,itemid,rel\n1,1,1\n2,1,1\n3,1,1\n")
    for more, expected in (
        ([], {"not_in_rec", "not_in_truth"}),
        (["--predicted-truth", "labels.csv"], {"not_in_rec"}),
    ):
        files = ["rec.csv", "truth.csv", *more, "--rows", "rows.json"]
        assert main(["check", *files, "-k", "1", "--format", "json"]) == 0
        shown = {row["code"] for row in json.loads(capsys.readouterr().out)}
        assert {row["code"] for row in json.loads(Path("rows.json").read_text())} == expected <= shown


MESSY = calls.MAKE + "INSERT INTO history VALUES (NULL, 1, 3), (1, NULL, 3)"
MESSY_ROWS = {  # a code, and an independent query for its rows
    "null_in_rec": "SELECT userid, itemid FROM messy_rec, (VALUES ('userid'), ('itemid'), ('score')) t(name) WHERE CASE name WHEN 'userid' THEN userid IS NULL WHEN 'itemid' THEN itemid IS NULL ELSE score IS NULL OR isnan(score) END",
    "negative_grade": "SELECT userid, itemid FROM messy_truth WHERE rel < 0",
    "repeated_truth": "SELECT userid, unnest([itemid for i in range(1, n)]) FROM (SELECT userid, itemid, count(*) AS n FROM messy_truth WHERE userid + itemid >= 0 GROUP BY ALL)",
    "not_in_rec": "SELECT DISTINCT userid, NULL FROM messy_truth WHERE userid >= 97",
    "ties_at_k": "SELECT userid, NULL FROM (SELECT userid, max(score, 4) AS best FROM messy_rec WHERE score < 99 GROUP BY ALL) WHERE best[3] = best[4] AND userid IN (SELECT userid FROM messy_truth WHERE userid >= 0)",
    "not_in_history": "SELECT DISTINCT NULL, itemid FROM messy_truth WHERE itemid NOT IN (SELECT itemid FROM history WHERE itemid IS NOT NULL) UNION ALL SELECT DISTINCT userid, NULL FROM messy_truth WHERE userid NOT IN (SELECT userid FROM history WHERE userid IS NOT NULL)",
    "truth_in_history": "SELECT DISTINCT userid, itemid FROM messy_truth SEMI JOIN history USING (userid, itemid)",
    "seen_items": "SELECT r.userid, r.itemid FROM messy_rec r SEMI JOIN history USING (userid, itemid)",
}


def made(rec: str, truth: str, history: str) -> str:
    return f"CREATE TABLE rec AS {rec}; CREATE TABLE truth AS {truth}; CREATE TABLE history AS {history};"


LATER = "SELECT u AS userid, 100 * u + i AS itemid FROM range(40) t(u), range({}, {}) s(i)"
ASKED = "'rec', 'truth', ks := [0, 3, NULL], history := 'history'"
WORLDS = {  # SQL that makes the tables, and the arguments of the check
    MESSY: "'messy_rec', 'messy_truth', ks := [3, NULL], history := 'history'",
    (Path(__file__).parent / "tables/entry_points.sql").read_text(): "'rec', 'truth', ks := [3, 5, 9], history := 'history'",
    # Items that users have seen rank first.
    made(f"{lists(a=GOOD)} UNION ALL SELECT 'b', 0, 1, 1", LATER.format(3, 5), LATER.format(0, 3)): ASKED,
    # Ids of rec and truth differ in case.
    made(
        lists(a=GOOD).replace("u AS", "'U' || u AS").replace("100 *", "'a' || 100 *"),
        TRUTH.replace("u AS", "'u' || u AS").replace("100 *", "'A' || 100 *"), TRUTH,
    ): ASKED,
    # Relevant items are at the top of half of the lists.
    made(lists(a="if(u < 20 AND i IN (1, 2), 9 - i, if(i = 2, 0.5, 5 - i))"), TRUTH, TRUTH): ASKED,
    # Scores of many kinds, and the same list of unjudged items for all users.
    made(
        lists(ranks="i", joined="if(i IN (1, 2), 9, 5) - i", equal="if(u < 30, 1, 10 - i)")
        + f" UNION ALL {lists(same='i + 1').replace('100 * u', '9000')}", FRACTIONS, TRUTH,
    ) + "CREATE TABLE items AS SELECT itemid FROM rec WHERE itemid % 7 > 0": f"{ASKED}, items := 'items'",
    # Queries that are items too, and ids as large as hashes.
    made(
        "SELECT 1e18 + 1e6 * u AS userid, 1e18 + 1e6 * (u + i) AS itemid, -i AS score FROM range(40) t(u), range(6) s(i)",
        "SELECT 1e18 + 1e6 * u AS userid, 1e18 + 1e6 * (u + 1) AS itemid FROM range(40) t(u)", TRUTH,
    ): ASKED,
    # Lists with a masked item, and two items at each rank.
    made(f"SELECT *, itemid % 3 AS rank FROM ({lists(a='if(i = 5, 1e999, 9 - i)')})", TRUTH, TRUTH): ASKED,
}  # fmt: skip


@pytest.mark.slow
def test_each_problem_has_as_many_rows_as_its_count() -> None:
    """The rows of the messy tables are also those that an independent query finds."""
    codes_with_rows = set()
    with ranking_udfs.register(duckdb.connect()) as con:
        codes = {row["code"] for row in rows(con, "FROM ranking.check_codes()")}
        for make, arguments in WORLDS.items():
            con.begin()
            query = f"SELECT system, k, column_name, code, count FROM ranking.check({arguments})"
            counts = {(*key, code): n for *key, code, n in con.execute(make).execute(query).fetchall()}
            con.execute(f"CREATE TABLE listed AS FROM ranking.check_rows({arguments})")
            listed = Counter(con.execute("SELECT system, k, column_name, code FROM listed").fetchall())
            for code, query in MESSY_ROWS.items() if make == MESSY else ():
                ids = f"SELECT userid::INT, itemid::INT FROM listed WHERE code = '{code}'"
                assert Counter(con.execute(ids).fetchall()) == Counter(con.execute(query).fetchall()), code
            con.rollback()
            assert listed == {key: n for key, n in counts.items() if key[-1] not in WITHOUT_ROWS}
            codes_with_rows |= {code for *_, code in listed}
    assert codes_with_rows == codes - WITHOUT_ROWS


def found(con: Con, code: str, rec: str, truth: str = TRUTH) -> list[tuple[Any, ...]]:
    """Return the system, count and example of a problem for tables with these rows."""
    con.execute(f"CREATE OR REPLACE TABLE rec AS {rec}; CREATE OR REPLACE TABLE truth AS {truth}")
    query = "SELECT system, count, example FROM ranking.check('rec', 'truth', ks := [3])"
    return con.execute(f"{query} WHERE code = '{code}'").fetchall()


@pytest.mark.slow
def test_placeholders_of_missing_ids_are_found_in_both_tables(pack: Con) -> None:
    texts = ["nan", "NaN", "None", "NULL", "null", "<NA>", "NaT", r"\N", "undefined", ""]
    for text in [*texts, "nonesuch", "NA", "0"]:
        item = f"if(itemid % 100 = 1, '{text}', itemid::VARCHAR) AS itemid"
        pair = [f"SELECT * REPLACE ({item}) FROM ({table})" for table in (lists(a=GOOD), TRUTH)]
        expected = [(system, 40, f"itemid '{text}'") for system in ("a", None)]
        assert found(pack, "placeholder", *pair) == (expected if text in texts else [])
    for kind, negative, text in (
        *(("BIGINT", "-1", "-1"), ("DOUBLE", "-1", "-1.0"), ("VARCHAR", "-1", "-1")),
        *(("BIGINT", "-2", ""), ("BIGINT", "-1 - itemid % 200", "")),
    ):
        item = f"if(itemid % 100 = 5, {negative}, itemid)::{kind} AS itemid"
        rec = f"SELECT * REPLACE ({item}) FROM ({lists(a=GOOD)})"
        assert found(pack, "placeholder", rec) == [("a", 40, f"itemid '{text}'")] * bool(text)
        assert found(pack, "placeholder", rec, f"{TRUTH} UNION ALL SELECT 0, -7") == []


def test_scores_that_mask_items_are_found(pack: Con) -> None:
    masks = ["1e999", "'-inf'::FLOAT", "3.4028235e38", "-3.4028234663852886e38", "2147483647", "-2147483648"]
    for score in [*masks, "2147483646", "-1e9", "1e38", "1e300", "NULL"]:
        rec = lists(a=f"if(i = 5 AND u < 9, {score}, {GOOD})")
        assert found(pack, "masked_score", rec) == [("a", 9, "userid 0")] * (score in masks), score


def test_lists_that_were_merged_have_several_items_at_one_rank(pack: Con) -> None:
    """Ranks that tied items share with a gap, as 1, 1, 3, are no problem, nor is one rank for all."""
    shared = "[1, 1, 3, 4, 4, 6][i + 1]"
    for rank, n in {"i % 3": 40, "if(u < 9, i // 2, i)": 9, "i": 0, shared: 0, "0": 0}.items():
        ranked = lists(a=GOOD).replace("AS score", f"AS score, {rank} AS rank")
        assert found(pack, "merged_lists", ranked) == [("a", n, "userid 0")] * (n > 0)
    assert (
        found(pack, "merged_lists", lists(a="9 - i // 2").replace("AS score", "AS score, i // 2 AS rank"))
        == []
    )


@pytest.mark.parametrize("separator", [" ", "|", ",", "; ", "  ", "\t"])
def test_several_ids_in_a_string_have_a_select_that_splits_them(pack: Con, separator: str) -> None:
    joined = f"SELECT userid, string_agg(itemid, '{separator}') AS itemid FROM ({TRUTH}) GROUP BY userid"
    ((_, n, example),) = found(pack, "several_ids", lists(a=GOOD), joined)
    assert n == 40
    split = f"SELECT userid, itemid::BIGINT AS itemid FROM ({example.partition(': ')[2]})"
    assert sorted(pack.execute(split).fetchall()) == sorted(pack.execute(TRUTH).fetchall())
    assert found(pack, "several_ids", lists(a=GOOD), TRUTH.replace("100 * u + i", "concat(u, ' x')")) == []
    assert found(pack, "several_ids", lists(a=GOOD), TRUTH.replace("100 * u + i", "concat(u, ' ')")) == []


def test_ids_of_64_bits_match_those_without_a_sign(pack: Con) -> None:
    rec = OWN.replace("100 * u + i AS", "(-1 - 100 * u - i)::BIGINT AS").format("a", GOOD)
    truth = TRUTH.replace(
        "100 * u + i AS", "(18446744073709551615 - 100 * u::UBIGINT - i::UBIGINT)::UBIGINT AS"
    )
    for tables in ((rec, truth), (truth.replace("AS itemid", "AS itemid, 1 AS score"), rec)):
        ((_, n, example),) = found(pack, "spelling", *tables)
        assert (n >= 80, "signs" in example) == (True, True)


def test_items_that_no_list_has_are_told_with_the_most_similar_id(pack: Con) -> None:
    """As long as half of the items are in a list, or none is, there is no such row."""
    example = "itemid 1001x in truth, 1001 in rec"
    for n, expected in {0: [], 19: [], 20: [(None, 40, example)], 40: []}.items():
        item = f"if(u < {n}, 100 * u + i || 'x', (100 * u + i)::VARCHAR) AS itemid"
        truth = TRUTH.replace("100 * u + i AS itemid", item)
        assert found(pack, "unlisted_items", lists(a=GOOD), truth) == expected


@pytest.mark.parametrize(("unit", "example"), [("user", "userid q1"), ("query", "query q1")])
def test_an_example_names_a_user_by_the_unit(unit: str, example: str) -> None:
    rec = {"q1": {"a": 0.9, "b": 0.9}, "q2": {"a": 0.7}}
    result = ranking_udfs.check(rec, {"q1": {"b"}, "q2": {"a"}}, 1, unit=unit)
    assert result.filter("code = 'ties_at_k'").select("example").fetchall() == [(example,)]

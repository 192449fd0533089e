"""The problems of ranking_check through every entry point, its rows, and a slow definition of a history's."""

import json
import random
import warnings
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.command.cli import main
from tests import calls, test_entry_points
from tests.conftest import module_connection, rows
from tests.test_partitions import by_parts


class Case(NamedTuple):
    """The rows of rec and truth as SQL, and the rows of the check: severity, system, code, k, count, of."""

    rec: str
    truth: str
    expected: list[tuple[str, str | None, str, int | None, int, int | None]]
    arguments: str = ""  # of SQL
    options: tuple[str, ...] = ()  # of the command
    given: dict[str, Any] = {}  # noqa: RUF012  (of Python)


# Of 40 users each has items 0 to 5 of her own; two of them are relevant.
OWN = """SELECT '{system}' AS system, u AS userid, 100 * u + i AS itemid, {score} AS score
    FROM range({users}) t(u), range(6) s(i)"""
RELEVANT = "SELECT u AS userid, 100 * u + i AS itemid FROM range({users}) t(u), (VALUES (1), (2)) s(i)"
TRUTH = RELEVANT.format(users=40)
GOOD = "10 - i + u / 100.0"
DISTANCE = "abs(i - 0.9) + u / 100.0"
JOINED = "if(i IN (1, 2), 9, 5) - i"


def lists(users: int = 40, **scores: str) -> str:
    """SQL: the list of each user, by the scores of each system."""
    return " UNION ALL ".join(
        OWN.format(system=name, users=users, score=score) for name, score in scores.items()
    )


CASES = {
    "scores of many kinds": Case(
        lists(
            good=GOOD,
            ranks="i",
            far=DISTANCE,
            joined=JOINED,
            equal="if(u < 30, 1, 10 - i)",
            tied="if(u = 7 AND i = 1, 10, 10 - i)",
        ),
        TRUTH,
        [
            ("wrong", "far", "upside_down", None, 40, 40),
            ("wrong", "ranks", "upside_down", None, 40, 40),
            ("doubtful", "joined", "truth_in_rec", None, 40, 40),
            ("wrong", "equal", "equal_scores", None, 30, 40),
            ("doubtful", "equal", "ties_in_top_k", 3, 30, 40),
            ("info", "tied", "ties_in_top_k", 3, 1, 40),
            ("doubtful", "equal", "ties_at_k", 3, 30, 40),
        ],
    ),
    "of few users": Case(
        lists(19, ranks="i", joined=JOINED),
        RELEVANT.format(users=19),
        [("doubtful", "ranks", "upside_down", None, 19, 19)],
    ),
    "the lowest is the best": Case(
        lists(far=DISTANCE, turned=GOOD),
        TRUTH,
        [("wrong", "turned", "upside_down", None, 40, 40)],
        "descending := false",
        ("--ascending",),
        {"descending": False},
    ),
    "nothing is relevant": Case(
        lists(a=GOOD),
        "SELECT u AS userid, 100 * u + 1 AS itemid, 0 AS rel FROM range(40) t(u)",
        [("wrong", None, "nothing_relevant", None, 40, 40)],
    ),
    "truth with its grades": Case(
        lists(a="CASE i WHEN 1 THEN 2 WHEN 2 THEN 1 WHEN 5 THEN 0.5 ELSE -i END"),
        """SELECT u AS userid, 100 * u + i AS itemid, CASE i WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE -i END AS rel
        FROM range(40) t(u), range(5) s(i)""",
        [("wrong", "a", "truth_in_rec", None, 40, 40), ("info", None, "negative_grade", None, 80, 200)],
    ),
    "grades that are no integers": Case(
        lists(a=GOOD),
        f"SELECT *, CASE itemid % 100 WHEN 1 THEN 1 ELSE 0.4 * (userid % 4) END AS rel FROM ({TRUTH})",
        [("doubtful", None, "fractional_grade", None, 30, 80)],
    ),
    "lists of whom truth knows few": Case(
        lists(a="1"),
        RELEVANT.format(users=2),
        [
            ("wrong", "a", "equal_scores", None, 2, 2),
            ("doubtful", "a", "ties_in_top_k", 3, 2, 2),
            ("doubtful", "a", "ties_at_k", 3, 2, 2),
            ("info", "a", "ties_without_truth", None, 38, 38),
            ("info", "a", "not_in_truth", None, 38, 40),
        ],
    ),
    "users who got nothing": Case(
        lists(30, a=GOOD),
        f"FROM ({TRUTH}) WHERE userid > 4",
        [("doubtful", "a", "not_in_rec", None, 10, 35), ("info", "a", "not_in_truth", None, 5, 30)],
    ),
    "skip without a judged miss": Case(
        lists(a=GOOD),
        TRUTH,
        [("doubtful", None, "nothing_but_hits", None, 40, 40)],
        "unjudged := 'skip'",
        ("--unjudged", "skip"),
        {"unjudged": "skip"},
    ),
    "users and items swapped": Case(
        f"SELECT * RENAME (userid AS itemid, itemid AS userid) FROM ({lists(a=GOOD)})",
        TRUTH,  # its users are 120 ids the other way round; 0 to 5 and 1, 2 match as they are
        [
            ("wrong", None, "swapped", None, 120, 128),
            ("doubtful", "a", "not_in_rec", None, 34, 40),
            ("info", "a", "not_in_truth", None, 234, 240),
        ],
    ),
    "one list for all": Case(
        f"SELECT * REPLACE (itemid % 100 AS itemid) FROM ({lists(a='9.5 - i * i / 10')})",
        "SELECT u AS userid, u % 3 AS itemid FROM range(40) t(u)",
        [("info", "a", "one_list_for_all", None, 40, 40)],
    ),
}
COLUMNS = "severity, system, code, k, count, of"
# Codes that are of no users, rows or ids, or of all.
WITHOUT_ROWS = {
    *("unfit_column", "grade_not_read", "system_not_read", "run_not_read", "no_rows", "no_time", "swapped"),
    *("no_common_user", "no_common_item", "nothing_relevant", "nothing_but_hits", "systems_apart"),
    *("labelled_apart", "labelled_in_part"),
}


pack = module_connection()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(("name", "partitions"), [*zip(CASES, cycle([1, 2, 3]), strict=False)])
def test_what_one_entry_point_says_all_say(
    pack: duckdb.DuckDBPyConnection,
    name: str,
    partitions: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    case, con = CASES[name], pack
    made = f"CREATE OR REPLACE TABLE rec AS {case.rec}; CREATE OR REPLACE TABLE truth AS {case.truth}"
    call = f"ranking_check('rec', 'truth', ks := [3]{', ' * bool(case.arguments)}{case.arguments})"
    told = con.execute(made).execute(f"SELECT {COLUMNS}, problem FROM {call}").fetchall()
    assert [row[:-1] for row in told] == case.expected
    problems = [row[-1] for row in told]
    assert all(len(problem) <= 60 for problem in problems)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranking_udfs.evaluate("rec", "truth", "ndcg", 3, con=con, allow_empty=True, **case.given)
    lines = [line for one in caught for line in str(one.message).removeprefix("evaluate: ").split("\n  ")]
    texts = lines[len(lines) > 1 :]
    for text, problem, (*_, count, of) in zip(texts, problems, case.expected, strict=True):
        assert text.startswith(f"{problem}: {count} of {of} ")
    tables = {table: con.sql(f"FROM {table}").to_arrow_table() for table in ("rec", "truth")}
    systems = sorted(set(tables["rec"]["system"].to_pylist()))
    parts = by_parts("ranking_check", tables, partitions, systems, ks=[3], **case.given)
    assert [tuple(row[column] for column in COLUMNS.split(", ")) for row in parts] == case.expected
    files = [str(tmp_path / f"{table}.parquet") for table in tables]
    for table, file in zip(tables, files, strict=True):
        con.execute(f"COPY {table} TO '{file}'")
    command = ["check", *files, "-k", "3", "--format", "json"]
    is_problem = any(severity != "info" for severity, *_ in case.expected)
    assert main([*command, *case.options, "--fail-if", "problems"]) == 3 * is_problem
    printed = json.loads(capsys.readouterr().out)
    assert [tuple(row[column] for column in COLUMNS.split(", ")) for row in printed] == case.expected


def test_fractions_are_a_problem_of_exponential_gains_alone(pack: duckdb.DuckDBPyConnection) -> None:
    rec, truth, _ = CASES["grades that are no integers"][:3]
    tables = pack.sql(rec), pack.sql(truth)
    with pytest.warns(UserWarning, match=r"rel is no integer.*; write ndcg\(gain=linear\)"):
        ranking_udfs.evaluate(*tables, ["mrr", "ndcg"], 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking_udfs.evaluate(*tables, ["mrr", "ndcg(gain=linear)"], 3)


def test_advice_that_is_followed_makes_a_right_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two models the one with distances is turned, as is said for each, and the other is not."""
    monkeypatch.chdir(tmp_path)
    with ranking_udfs.register(duckdb.connect("shop.duckdb")) as con:
        con.execute(f"CREATE TABLE rec AS {lists(a=GOOD, far=DISTANCE)}; CREATE TABLE truth AS {TRUTH}")
        found = con.execute(f"SELECT {COLUMNS} FROM ranking_check('rec', 'truth', ks := [3])").fetchall()
        assert found == [("wrong", "far", "upside_down", None, 40, 40)]
        (advice,) = con.execute(
            "SELECT in_sql FROM ranking_problem_codes() WHERE code = 'upside_down'"
        ).fetchall()[0]
        turned = advice[advice.index("SELECT * REPLACE") : advice.index(" FROM rec;")].replace("NAME", "far")
        con.execute(f"CREATE VIEW turned AS {turned} FROM rec")
        assert con.execute("FROM ranking_check('turned', 'truth', ks := [3])").fetchall() == []
        means = "SELECT system, mrr FROM ranking_summary('{}', 'truth', [3]) ORDER BY system"
        assert con.execute(means.format("rec")).fetchall() == [("a", 0.5), ("far", 0.0)]
        assert con.execute(means.format("turned")).fetchall() == [("a", 0.5), ("far", 1.0)]
        with pytest.warns(UserWarning, match="negate the scores of far; if lists hold"):
            ranking_udfs.evaluate("rec", "truth", "mrr", 3, con=con)
        con.execute("COPY rec TO 'rec.csv'; COPY truth TO 'truth.csv'")
    said = json.loads(run_check("rec.csv"))
    assert "write --ascending=far; " in said[0]["write"]
    assert run_check("rec.csv", "--ascending=far") == "[]\n"


def run_check(*arguments: str) -> str:
    """What `ranking-udfs check` writes."""
    assert (
        main(["check", *arguments, "truth.csv", "-k", "3", "--format", "json", "--output", "out.json"]) == 0
    )
    return Path("out.json").read_text()


LATER = "SELECT u AS userid, 100 * u + i AS itemid FROM range({}) t(u), range({}, {}) s(i)"
ITEMS = "CREATE TABLE items AS SELECT itemid FROM rec WHERE itemid % 7 > 0"
WORLDS = {  # what makes the tables, and the arguments of the check
    calls.MAKE: "'messy_rec', 'messy_truth', ks := [3, NULL], history := 'history'",
    test_entry_points.MAKE: "'rec', 'truth', ks := [3, 5, 9], history := 'history'",
    **{
        f"CREATE TABLE rec AS {rec}; CREATE TABLE truth AS {truth}; CREATE TABLE history AS {history}": (
            "'rec', 'truth', ks := [3, NULL], history := 'history'"
        )
        for rec, truth, history in (
            (
                f"{lists(a=GOOD)} UNION ALL SELECT 'b', 0, 1, 1",
                LATER.format(40, 3, 5),
                LATER.format(40, 0, 3),  # seen first
            ),
            (lists(a="i + 1"), LATER.format(5, 90, 92), TRUTH),
            (
                lists(a=GOOD).replace("u AS", "'U' || u AS").replace("100 *", "'a' || 100 *"),
                TRUTH.replace("u AS", "'u' || u AS").replace("100 *", "'A' || 100 *"),
                TRUTH,
            ),
            (CASES["scores of many kinds"].rec, TRUTH, TRUTH),
            (CASES["one list for all"].rec, CASES["one list for all"].truth, TRUTH),
            (lists(a=GOOD), CASES["grades that are no integers"].truth, TRUTH),
        )
    },
    f"CREATE TABLE rec AS {lists(a=GOOD, b='i')}; CREATE TABLE truth AS {TRUTH}; {ITEMS}": (
        "'rec', 'truth', ks := [0, 2, NULL], items := 'items'"
    ),
}


def test_each_problem_has_as_many_rows_as_it_counts() -> None:
    found = set()
    with ranking_udfs.register(duckdb.connect()) as con:
        codes = {row["code"] for row in rows(con, "FROM ranking_problem_codes()")}
        for make, arguments in WORLDS.items():
            con.begin()
            query = f"SELECT system, k, code, count FROM ranking_check({arguments})"
            told = {(*key, code): n for *key, code, n in con.execute(make).execute(query).fetchall()}
            query = f"SELECT system, k, code FROM ranking_check_rows({arguments})"
            listed = Counter(con.execute(query).fetchall())
            con.rollback()
            assert listed == {key: n for key, n in told.items() if key[-1] not in WITHOUT_ROWS}
            found |= {code for *_, code in listed}
    assert found == codes - WITHOUT_ROWS


DEFINITIONS = {
    "null_user": "SELECT userid, itemid FROM messy_rec WHERE userid IS NULL",
    "nan_score": "SELECT userid, itemid FROM messy_rec WHERE isnan(score)",
    "negative_grade": "SELECT userid, itemid FROM messy_truth WHERE rel < 0",
    "repeated_truth": """SELECT userid, unnest([itemid for i in range(1, n)]) FROM (
        SELECT userid, itemid, count(*) AS n FROM messy_truth WHERE userid + itemid >= 0 GROUP BY ALL)""",
    "not_in_rec": "SELECT DISTINCT userid, NULL FROM messy_truth WHERE userid >= 97",
    "ties_at_k": """SELECT userid, NULL
        FROM (SELECT userid, max(score, 4) AS best FROM messy_rec WHERE score < 99 GROUP BY ALL)
        WHERE best[3] = best[4] AND userid IN (SELECT userid FROM messy_truth WHERE userid >= 0)""",
    "new_items": """SELECT DISTINCT NULL, itemid FROM messy_truth
        WHERE itemid NOT IN (SELECT itemid FROM history)""",
    "seen_items": "SELECT r.userid, r.itemid FROM messy_rec r SEMI JOIN history USING (userid, itemid)",
}


def test_the_rows_are_those_of_the_definition() -> None:
    with ranking_udfs.register(duckdb.connect()) as con:
        con.execute(calls.MAKE).execute(
            f"CREATE TABLE listed AS FROM ranking_check_rows({WORLDS[calls.MAKE]})"
        )
        for code, query in DEFINITIONS.items():
            found = con.execute(
                "SELECT userid::INT, itemid::INT FROM listed WHERE code = $1", [code]
            ).fetchall()
            assert Counter(found) == Counter(con.execute(query).fetchall()), code


def test_each_code_has_a_rule_a_sentence_and_an_order(pack: duckdb.DuckDBPyConnection) -> None:
    codes = rows(pack, "FROM ranking_problem_codes()")
    assert [row["place"] for row in codes] == [*range(1, len(codes) + 1)]
    assert len({row["code"] for row in codes}) == len(codes) > 40
    for row in codes:
        assert row["about"] in ("rec", "truth", "history"), row
        assert len(row["problem"]) <= 60, row
        bounds = [one for one in (row["doubtful_from"], row["wrong_from"]) if one is not None]
        assert sorted(bounds) == bounds, row
        assert all(0 <= one <= 1 for one in bounds), row
        assert (row["in_command"] is None) == (row["in_python"] is None) == (row["in_sql"] is None), row


@pytest.mark.parametrize("seed", range(4))
def test_the_problems_of_a_history_are_those_of_the_definition(
    pack: duckdb.DuckDBPyConnection, seed: int
) -> None:
    draw = random.Random(seed)

    def drawn(n: int) -> list[tuple[int | None, int | None, int | None, str]]:
        ids = [*range(12), None]
        return [
            (draw.choice(ids), draw.choice(ids), draw.choice([*range(40), None]), draw.choice("ab"))
            for _ in range(n)
        ]

    tables = {"history_of": drawn(60), "truth_of": drawn(30), "rec_of": drawn(60)}
    tables["truth_of"] = [(u, i, t if t is None else t + 30, s) for u, i, t, s in tables["truth_of"]]
    for name, given in tables.items():
        pack.execute(f"CREATE OR REPLACE TABLE {name} (userid INT, itemid INT, time INT, system VARCHAR)")
        pack.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", given)
    pack.execute("ALTER TABLE rec_of RENAME time TO score; ALTER TABLE truth_of DROP system")
    history, truth, rec = tables.values()
    known = {(u, i) for u, i, _, _ in history if None not in (u, i)}
    first = min(t for _, _, t, _ in truth if t is not None)
    expected = {
        ("truth_in_history", None): len({(u, i) for u, i, _, _ in truth} & known),
        ("late_history", None): sum(t is not None and t >= first for _, _, t, _ in history),
        ("seen_items", "a"): sum((u, i) in known and s == "a" for u, i, _, s in rec),
        ("seen_items", "b"): sum((u, i) in known and s == "b" for u, i, _, s in rec),
        ("new_users", None): len({u for u, *_ in truth} - {u for u, *_ in history} - {None}),
        ("new_items", None): len({i for _, i, _, _ in truth} - {i for _, i, _, _ in history} - {None}),
    }
    query = "SELECT code, system, count FROM ranking_check('rec_of', 'truth_of', history := 'history_of')"
    found = pack.execute(f"{query} WHERE problem LIKE '%history%'").fetchall()
    assert {(code, system): count for code, system, count in found} == {
        key: count for key, count in expected.items() if count
    }


def slow_recall(rec: list[Any], truth: list[Any], k: int | None, min_grade: int, skips: bool) -> float:
    """The mean recall of one system, whose list is by score, then by item, those without a score last.

    Users without a relevant item are 0, or left out.
    """
    recalls = []
    for user in {u for u, *_ in truth if u is not None}:
        listed = sorted((s is None, -(s or 0), i is None, i or 0) for u, i, s in rec if u == user)
        top = {None if is_null else i for *_, is_null, i in listed[:k]}
        relevant = {i for u, i, grade in truth if u == user and i is not None and grade >= min_grade}
        if relevant or not skips:
            recalls.append(len(relevant & top) / max(len(relevant), 1))
    return sum(recalls) / len(recalls)


@pytest.mark.parametrize("users_without", ["zero", "skip"])
@pytest.mark.parametrize("seed", range(4))
def test_recall_without_gone_labels_is_the_recall_over_a_truth_without_them(
    pack: duckdb.DuckDBPyConnection, seed: int, users_without: str
) -> None:
    """By a slow definition, and by ranking_summary over such a truth; some users have no list."""
    draw, ids, grade = random.Random(seed), [*range(9), None], 1 + seed % 2
    rows_of = {
        "listed": [(draw.choice(ids), draw.choice(ids), draw.choice([*range(5), None])) for _ in range(90)],
        "liked": [
            (draw.choice([*ids, *range(9, 14)]), draw.choice(ids), draw.randrange(4)) for _ in range(50)
        ],
    }
    known = {i for i in range(9) if draw.random() < 0.6} | {99}
    for name, column in {"listed": "score", "liked": "rel"}.items():
        pack.execute(f"CREATE OR REPLACE TABLE {name} (userid INT, itemid INT, {column} INT)")
        pack.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows_of[name])
    pack.execute(f"CREATE OR REPLACE TABLE chunks AS SELECT unnest({[*known] * 2}) AS itemid")
    pack.execute(
        "CREATE OR REPLACE TABLE left_over AS FROM liked WHERE itemid IS NULL OR itemid IN (FROM chunks)"
    )
    left_over = [row for row in rows_of["liked"] if row[1] is None or row[1] in known]
    expected, judging = {}, f"min_grade := {grade}, without_relevant := '{users_without}'"
    for k in (0, 1, 3, None):
        call = f"[{'NULL' if k is None else k}], measures := 'recall', {judging}"
        query = f"SELECT recall FROM ranking_summary('listed', '{{}}', {call})"
        means = []
        for name, truth in (("liked", rows_of["liked"]), ("left_over", left_over)):
            ((mean,),) = pack.execute(query.format(name)).fetchall()
            slow = slow_recall(rows_of["listed"], truth, k, grade, users_without == "skip")
            assert mean == pytest.approx(slow, abs=1e-12)
            means.append(mean)
        before, after = means
        if before != after:
            way = "lower" if after < before else "higher"
            expected[k] = f"{before:.4g}, without them {after:.4g}: {abs(after - before):.3g} {way}"
    given = f"ks := [0, 1, 3, NULL], items := 'chunks', {judging}"
    query = f"SELECT k, example FROM ranking_check('listed', 'liked', {given}) WHERE code LIKE 'recall%'"
    found = {k: example.partition("the mean is ")[2] for k, example in pack.execute(query).fetchall()}
    assert found == expected
    assert expected

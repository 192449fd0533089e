"""The guides of udfs/GUIDES.md, followed in a copy: a measure, a table function, a problem and an option."""

import re
import shutil
from pathlib import Path

import pytest

from tests.mutants import ROOT, copy_of_files, run

PACKAGE = "udfs/ranking_udfs"
PARTITIONS = f"{PACKAGE}/partitions.py"
CALLS = "tests/entries.py"

# --- A measure ---

FORMULA = '''

@measure(options=MIN_GRADE, range=Range(1, integers=True), empty=Empty(None, "a hit"), higher_is_better=False)
def zz_last_rank(rankings: Rankings) -> Floats:
    """Rank of the last relevant item in the top k.

    Source: this test.

    >>> SELECT zz_last_rank([3, 1, 2, 6], [1, 2, 4])
    3.0
    """
    is_last = rankings.hits.number == rankings.n_hits[rankings.hits.row]
    rank = rankings.total(np.where(is_last, rankings.hits.rank, 0))
    return np.where(rankings.n_hits > 0, rank, np.nan)
'''
TEMPLATE = """\
-- Example:   SELECT ranking.zz_last_rank(ranking.judge([3, 1, 2, 6], [1, 2, 4]));  -- 3.0
{% macro value() %}
hits[-1]
{%- endmacro %}
"""
WORKED = """
zz_last_rank(*):
REC, TRUTH, 4 = 3.0
*LEVELS, 4, min_grade=5.5 = None
[], [], None = None
[1], [1], 0 = None
"""
DEFINITION = '''

@witness()
def zz_last_rank(ranking: Ranking, k: int | None) -> Value:
    """Rank of the last relevant item, NULL if the top has none."""
    hits = ranking.hits(k)
    return float(hits[-1]) if hits else None
'''

# --- A table function ---

TABLE_FUNCTION = """\
-- How many of a user's items count: those of the list, and those of truth.
--
-- Returns:    [system,] userid, n_rec (rows in rec), n_truth (relevant items), n_counted (items of the list)
-- Errors:     as for ranking.judged
-- Example:    SELECT system, userid, n_counted FROM ranking.zz_lengths('rec', 'truth')
--             ORDER BY n_counted DESC, userid, system LIMIT 3;
CREATE OR REPLACE MACRO ranking.zz_lengths(ARGUMENTS) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
WITH {{ judging.judged(of) }}
SELECT
    {{ of.system_first }}* EXCLUDE (ranking_system, has_truth, ranks, judged_grades, ideal, size),
    size AS n_counted
FROM _ranking_judged
WHERE has_truth
"""
TABLE_FUNCTION_TEST = '''\
"""ranking.zz_lengths: how many items count."""

from tests.conftest import Con, module_connection

TABLES = """
    CREATE TABLE rec AS FROM (VALUES (1, 1, 9), (1, 2, 8), (1, 3, 7), (2, 1, 1)) AS t(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES (1, 2), (1, 3), (3, 1)) AS t(userid, itemid)
"""
con = module_connection(TABLES)


def test_zz_lengths_of_users_with_truth(con: Con) -> None:
    query = "FROM ranking.zz_lengths('rec', 'truth', unjudged := '{}') ORDER BY userid"
    assert con.execute(query.format("miss")).fetchall() == [(1, 3, 2, 3), (3, 0, 1, 0)]
    assert con.execute(query.format("skip")).fetchall() == [(1, 3, 2, 2), (3, 0, 1, 0)]
'''
ON_SPARK = """
zz_lengths = table_function("zz_lengths")
"""

# --- A problem of the check ---

PROBLEM = """\
-- truth: users with a single relevant item
-- Their values depend on one rank.
-- Place: 345; Severity: warning from 0.5; Of: users of truth
SELECT n_relevant = 1 AS count FROM users
"""
PROBLEM_TEST = """\
# Of two users, one has a single relevant item.
query TTIIT
WITH truth AS (FROM (VALUES (1, 1), (1, 2), (2, 1)) AS t(userid, itemid)),
rec AS (SELECT *, 1 / itemid AS score FROM truth)
SELECT severity, problem, count, "of", example FROM ranking.check('rec', 'truth') WHERE code = 'zz_single'
----
warning\ttruth: users with a single relevant item\t1\t2\tuserid 2

"""

# --- What the guides say to write: a file, where in it, and the text ---

# Where: "" is the end of the file, or a pattern, in front of which the text goes.
Step = tuple[str, str, str]
JUDGING, OPTIONS = "sql/tables/internal/judging.jinja", f"{PACKAGE}/options.py"
DOUBLED = "{% if of.zz_doubled == 'yes' %}list_transform(truth_lists.grades, lambda g: 2 * g){% else %}"
GUIDES: dict[str, list[Step]] = {
    "To add a measure": [
        (f"{PACKAGE}/measures/formulas.py", "", FORMULA),
        ("tests/definitions.py", "", DEFINITION),
        ("tests/calls/measures.txt", "", WORKED),
        ("sql/measures/zz_last_rank.sql", "", TEMPLATE),
    ],
    "To add a table function": [
        ("sql/tables/zz_lengths.sql", "", TABLE_FUNCTION),
        (OPTIONS, '"judged": f"rec', '"zz_lengths": f"rec truth {COLUMNS} {JUDGING}",'),
        ("tests/test_zz_lengths.py", "", TABLE_FUNCTION_TEST),
        (CALLS, r"\*\*dict.fromkeys\(\(.evaluate.,", '"zz_lengths": RT,'),
        (
            "tests/test_partitions.py",
            '"ranking.judged',
            "\"ranking.zz_lengths('rec', 'truth', zz_doubled := 'yes')\",",
        ),
        (PARTITIONS, '"judged", "by_user", ', '"zz_lengths", '),
        (f"{PACKAGE}/spark/__init__.py", "", ON_SPARK),
    ],
    "To add a problem of the check": [
        ("sql/checks/zz_single.sql", "", PROBLEM),
        ("tests/sql/zz_single.test", "", PROBLEM_TEST),
    ],
    "To add an option to all functions of measures": [
        (
            OPTIONS,
            '"unjudged": Option',
            '"zz_doubled": Option(word("no", "yes"), "count each grade twice", "no"),',
        ),
        (OPTIONS, "min_grade unjudged without_relevant", "zz_doubled "),
        (f"{PACKAGE}/compose/call.py", 'divide: str = "k"', 'zz_doubled: str = "no"\n    '),
        (JUDGING, r"(?<=truth_lists\.grades)", "{% endif %}"),
        (JUDGING, r"truth_lists\.grades", DOUBLED),
    ],
}
# The tests that the guides name, of the files that have one of the new things.
NEW = "zz_last_rank or zz_lengths or zz_single or declarations or left_out"
FILES = ("declarations", "entry_points", "partitions", "settings", "signatures", "sql_measures", "witnesses")
TESTS = [f"tests/test_{name}.py" for name in (*FILES, "sql", "zz_lengths")]


def follow(folder: Path) -> None:
    """Take the steps of all guides; if one has no place any more, an AssertionError names it."""
    for guide, steps in GUIDES.items():
        for path, where, text in steps:
            file = folder / path
            before = file.read_text(encoding="utf-8") if file.exists() else ""
            after = re.sub(where, lambda found: text + found[0], before) if where else before + text  # noqa: B023
            assert after != before, f"{guide}: {path} has no {where} any more; what does the guide say now?"
            file.write_text(after, encoding="utf-8")


def outcomes(folder: Path, *arguments: str) -> tuple[set[str], str]:
    """Return the tests that fail in the copy, and all that pytest prints."""
    printed = run(folder, "pytest", "-q", "-rf", "--tb=short", "-p", "no:cacheprovider", *arguments).stdout
    assert " passed" in printed or " failed" in printed, printed
    failed = [line for line in printed.split("\n") if line.startswith("FAILED ")]
    return {line.split(" - ")[0].removeprefix("FAILED ") for line in failed}, printed


@pytest.mark.slow
def test_a_measure_a_table_function_and_an_option_by_the_guides(tmp_path: Path) -> None:
    copy_of_files(tmp_path)
    follow(tmp_path)
    assert run(tmp_path, "tests.generate", "--keep-outputs").stderr == ""
    assert "`zz_last_rank`" in (tmp_path / "sql/measures/README.md").read_text(encoding="utf-8")
    assert "`zz_single`" in (tmp_path / "sql/checks.md").read_text(encoding="utf-8")
    failed, printed = outcomes(tmp_path, "-k", NEW, *TESTS)
    assert not failed, printed
    # A wrong formula, and a table function that is left out of calls and partitions.
    (tmp_path / "sql/measures/zz_last_rank.sql").write_text(TEMPLATE.replace("hits[-1]", "hits[1]"))
    for path in (CALLS, PARTITIONS):
        shutil.copy(ROOT / path, tmp_path / path)
    missed = "zz_last_rank or declarations or left_out"
    files = {f"tests/test_{name}.py" for name in ("declarations", "settings", "sql_measures")}
    failed, printed = outcomes(tmp_path, "-k", missed, *files)
    assert {test.partition("::")[0] for test in failed} == files, printed

"""The guides of udfs/README.md, followed in a copy of the tree: a measure, a table function and an option."""

from pathlib import Path

import pytest

from tests.mutants import copy_of_files, run

PACKAGE = "udfs/ranking_udfs"
# The files of the guides that hold cases.
MEASURE_CASES = "tests/calls/measures.txt"
WRONG_CALLS = "tests/sql/errors.test"
CALLS = "tests/calls.py"
PARTITION_CALLS = "tests/test_partitions.py"

# --- To add a measure ---

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

# --- To add a table function ---

TABLE_FUNCTION = """\
-- How many of a user's items count: those of the list, and those of truth.
--
-- rec, truth, user_col, ..., descending, JUDGING: as for ranking.judged
-- Returns:    [system,] userid, n_rec (rows in rec), n_truth (relevant items), n_counted (items of the list)
-- Errors:     as for ranking.judged
-- Example:    SELECT system, userid, n_counted FROM ranking.zz_lengths('rec', 'truth')
--             ORDER BY n_counted DESC, userid, system LIMIT 3;
CREATE OR REPLACE MACRO ranking.zz_lengths(rec, truth, COLUMN_ARGUMENTS, JUDGING_ARGUMENTS) AS TABLE
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
WRONG_CALL = """
query TT
FROM errors_of($$FROM ranking.zz_lengths('rec', 'truth', {})$$)
----
zz_doubled := 'x'\tranking.zz_lengths: zz_doubled must be no|yes, got 'x'
"""
# A line of a file that names another function, and what it becomes for the new one.
LINES_LIKE = {
    CALLS: ("\"by_user\": \"'rec', 'truth', [3, 200]\"", "\"zz_lengths\": \"'rec', 'truth'\""),
    PARTITION_CALLS: (
        "ranking.by_user('rec', 'truth', [2, NULL], ties := 'expected')",
        "ranking.zz_lengths('rec', 'truth', zz_doubled := 'yes')",
    ),
    f"{PACKAGE}/spark/tables.py": (
        'by_user = table_function("by_user", MEASURED)',
        'zz_lengths = table_function("zz_lengths", lambda rec, truth, **more: ...)',
    ),
}

# --- To add an option ---

EDITS = {
    f"{PACKAGE}/partitions.py": [
        ('dict.fromkeys(("judged", *MEASURED)', 'dict.fromkeys(("judged", "zz_lengths", *MEASURED)'),
        ('UNMERGED = ("judged", ', 'UNMERGED = ("judged", "zz_lengths", '),
    ],
    f"{PACKAGE}/spark/tables.py": [('    "judged",\n]', '    "judged",\n    "zz_lengths",\n]')],
    "sql/tables/judged.sql": [
        ("without_relevant := 'zero', users", "without_relevant := 'zero', zz_doubled := 'no', users"),
        ("-- users:  ", "-- zz_doubled:  whether each grade counts twice: 'no' or 'yes'\n-- users:  "),
    ],
    f"{PACKAGE}/compose/arguments.py": [
        ('"zero", "skip")),\n}', '"zero", "skip")),\n    "zz_doubled": ("zz_doubled", word("no", "yes")),\n}')
    ],
    f"{PACKAGE}/compose/call.py": [
        ("    users: str | None = None\n", '    zz_doubled: str = "no"\n    users: str | None = None\n'),
        (
            "    @property\n    def has_users(",
            "    @property\n    def doubles_grades(self) -> bool:\n"
            '        return self.zz_doubled == "yes"\n\n    @property\n    def has_users(',
        ),
    ],
    "sql/tables/internal/judging.jinja": [
        ("{{ truth() | indent(8) }}", "{{ truth(of) | indent(8) }}"),
        ("{% macro truth() %}", "{% macro truth(of) %}"),
        (
            "ELSE truth_lists.grades END",
            "ELSE {% if of.doubles_grades %}list_transform(truth_lists.grades, lambda grade: 2 * grade)"
            "{% else %}truth_lists.grades{% endif %} END",
        ),
    ],
    "sql/tables/explain.sql": [("{{ judging.truth() |", "{{ judging.truth(of) |")],
    f"{PACKAGE}/evaluation/options.py": [
        ('"unjudged", "without_relevant")', '"unjudged", "without_relevant", "zz_doubled")'),
        (
            "    without_relevant: str\n\n\nclass ColumnNames",
            "    without_relevant: str\n    zz_doubled: str\n\n\nclass ColumnNames",
        ),
        (
            '    "users": Option(\n',
            '    "zz_doubled": Option("whether each grade counts twice", "no", ("no", "yes")),\n'
            '    "users": Option(\n',
        ),
    ],
    "tests/test_signatures.py": [
        ('"unjudged": "\'skip\'"}', '"unjudged": "\'skip\'", "zz_doubled": "\'yes\'"}')
    ],
}
# The tests that the guides name, of the files that have one of the new things.
NEW = "zz_last_rank or zz_lengths or declarations or left_out or each_table_function"
FILES = ("declarations", "entry_points", "partitions", "settings", "signatures", "sql_measures", "witnesses")
TESTS = [f"tests/test_{name}.py" for name in (*FILES, "sql", "zz_lengths")]


def edit(path: Path, before: str, after: str) -> None:
    """Replace a text that is once in a file."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{path}: {text.count(before)} times: {before}"
    path.write_text(text.replace(before, after), encoding="utf-8")


def follow(folder: Path) -> None:
    """Take the steps of the three guides."""
    for path, text in (
        (f"{PACKAGE}/measures/formulas.py", FORMULA),
        ("tests/witnesses.py", DEFINITION),
        (MEASURE_CASES, WORKED),
        ("sql/measures/zz_last_rank.sql", TEMPLATE),
        ("sql/tables/zz_lengths.sql", TABLE_FUNCTION),
        ("tests/test_zz_lengths.py", TABLE_FUNCTION_TEST),
        (WRONG_CALLS, WRONG_CALL),
    ):
        with (folder / path).open("a", encoding="utf-8") as file:
            file.write(text)
    for path, (model, new) in LINES_LIKE.items():
        text = (folder / path).read_text(encoding="utf-8")
        (line,) = [line for line in text.split("\n") if model in line]
        edit(folder / path, f"{line}\n", f"{line}\n{line.replace(model, new)}\n")
    for path, edits in EDITS.items():
        for before, after in edits:
            edit(folder / path, before, after)


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
    assert "`zz_last_rank`" in (tmp_path / "sql/README.md").read_text(encoding="utf-8")
    failed, printed = outcomes(tmp_path, "-k", NEW, *TESTS)
    assert not failed, printed
    # A wrong formula, and a table function that is left out of calls, wrong calls and partitions.
    edit(tmp_path / "sql/measures/zz_last_rank.sql", "hits[-1]", "hits[1]")
    edit(tmp_path / CALLS, LINES_LIKE[CALLS][1], LINES_LIKE[CALLS][0])
    edit(tmp_path / WRONG_CALLS, WRONG_CALL, "")
    edit(tmp_path / f"{PACKAGE}/partitions.py", '"zz_lengths", *MEASURED', "*MEASURED")
    missed = "zz_last_rank or declarations or left_out or each_table_function"
    files = {f"tests/test_{name}.py" for name in ("declarations", "settings", "sql_measures", "sql")}
    failed, printed = outcomes(tmp_path, "-k", missed, *files)
    assert {test.partition("::")[0] for test in failed} == files, printed

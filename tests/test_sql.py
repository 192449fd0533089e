"""The statements and queries of `tests/sql/*.test`."""

from pathlib import Path

import pytest

from tests import sqllogic

FILES = sorted(sqllogic.FOLDER.glob("*.test"))


@pytest.fixture(scope="module")
def runner() -> sqllogic.Runner:
    return sqllogic.Runner()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_gives_its_rows_and_messages(runner: sqllogic.Runner, path: Path) -> None:
    failures = [*runner.failures(path)]
    assert not failures, "\n\n".join(failures)


WRONG = """
query I
SELECT 1
----
2

query R
SELECT 1
----
1

query R
SELECT 1 / 3
----
0.33333333

query I
SELECT 1, 2
----
1

query I
SELECT 1
----
1
1

query T
SELECT 'a'
----

statement ok
SELECT x

statement error
SELECT 1
----
a message

statement error
SELECT error('a message')
----
a

query TT
FROM errors_of($$SELECT {}$$)
----
error('a')	a
1	b
""".lstrip()


def test_record_that_gives_something_else_fails(runner: sqllogic.Runner, tmp_path: Path) -> None:
    path = tmp_path / "mine.test"
    path.write_text(WRONG)
    lines = [
        number for number, line in enumerate(WRONG.split("\n"), 1) if line.startswith(("query", "statement"))
    ]
    places = [failure.partition("\n")[0] for failure in runner.failures(path)]
    assert places == [f"tests/sql/mine.test:{line}" for line in lines]


@pytest.mark.parametrize(
    "lines",
    [
        "statement ok\nSELECT 1\n----\n1",
        "query I\nSELECT 1",
        "foreach x 1 2\nstatement ok\nSELECT ${x}",
        "require python",
        "SELECT 1",
    ],
)
def test_incomplete_record_is_named_with_its_line(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "mine.test"
    path.write_text(f"# A comment.\n{lines}\n")
    with pytest.raises(ValueError, match=r"tests/sql/mine\.test:2: "):
        [*sqllogic.read(path)]

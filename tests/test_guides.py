"""The guide "To add a measure" of udfs/README.md, followed in a copy of the tree."""

from pathlib import Path

import pytest

from tests.mutants import copy_of_files, run

FORMULA = """

@measure(options=MIN_GRADE, range=Range(1, integers=True), empty=Empty(None, "a hit"))
def last_hit_rank(rankings: Rankings) -> Floats:
    \"\"\"Rank of the last relevant item in the top k.

    Source: this test.

    >>> SELECT last_hit_rank([3, 1, 2, 6], [1, 2, 4])
    3.0
    \"\"\"
    is_last = rankings.hits.number == rankings.n_hits[rankings.hits.row]
    rank = rankings.total(np.where(is_last, rankings.hits.rank, 0))
    return np.where(rankings.n_hits > 0, rank, np.nan)
"""
WORKED = """
last_hit_rank(*):
REC, TRUTH, 4 = 3.0
*LEVELS, 4, min_grade=5.5 = None
[], [], None = None
[1], [1], 0 = None
"""
WITNESS = """

@witness()
def last_hit_rank(ranking: Ranking, k: int | None) -> Value:
    \"\"\"Rank of the last relevant item, NULL if the top has none.\"\"\"
    hits = ranking.hits(k)
    return float(hits[-1]) if hits else None
"""


@pytest.mark.slow
def test_a_measure_is_four_files_and_a_command(tmp_path: Path) -> None:
    copy_of_files(tmp_path)
    formulas, witnesses = tmp_path / "udfs/ranking_udfs/measures/formulas.py", tmp_path / "tests/witnesses.py"
    formulas.write_text(formulas.read_text() + FORMULA)
    witnesses.write_text(witnesses.read_text() + WITNESS)
    worked = tmp_path / "tests/calls/measures.txt"
    worked.write_text(worked.read_text() + WORKED)
    macro = (tmp_path / "sql/measures/first_hit_rank.sql").read_text()
    macro = macro.replace("first_hit_rank", "last_hit_rank").replace("-- 2.0", "-- 3.0")
    (tmp_path / "sql/measures/last_hit_rank.sql").write_text(macro)
    pytest_run = ("pytest", "-q", "-p", "no:cacheprovider", "-k", "last_hit_rank or generated")
    said = run(tmp_path, *pytest_run, "tests/test_sql_measures.py").stdout
    assert "1 failed" in said, said  # by the macro, which is still that of the first hit
    assert "test_a_worked_case_holds[last_hit_rank]" in said
    right = macro.replace("hits[1]", "hits[-1]")
    (tmp_path / "sql/measures/last_hit_rank.sql").write_text(right)
    assert run(tmp_path, "tests.generate").stderr == ""
    tests = [f"tests/test_{name}.py" for name in ("generated", "witnesses", "sql_measures")]
    fresh = "tests/test_generated.py::test_generated_text_is_fresh"  # which would generate it once more
    assert " passed" in (said := run(tmp_path, *pytest_run, *tests, "--deselect", fresh).stdout)
    assert "failed" not in said, said
    assert "`last_hit_rank`" in (tmp_path / "sql/README.md").read_text()

"""The guide "To add a measure" of udfs/README.md, followed in a copy of the tree."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
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
last_hit_rank
REC, TRUTH, 4 = 3.0
*LEVELS, 4, min_grade=5.5 = None
edges(nothing=None, both=None)
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
    for name in ("udfs", "sql", "tests", "examples", "README.md", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)

    def run(*command: str) -> str:
        path = os.pathsep.join((str(tmp_path / "udfs"), str(tmp_path)))
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    formulas, witnesses = tmp_path / "udfs/ranking_udfs/measures/formulas.py", tmp_path / "tests/witnesses.py"
    formulas.write_text(formulas.read_text() + FORMULA)
    witnesses.write_text(witnesses.read_text() + WITNESS)
    worked = tmp_path / "tests/worked_cases.txt"
    worked.write_text(worked.read_text() + WORKED)
    assert "ranking_last_hit_rank.sql: sql/ must have it" in run("tests.generate")
    macro = (tmp_path / "sql/measures/ranking_first_hit_rank.sql").read_text()
    macro = macro.replace("first_hit_rank", "last_hit_rank").replace("-- 2.0", "-- 3.0")
    (tmp_path / "sql/measures/ranking_last_hit_rank.sql").write_text(macro)
    pytest_run = ("pytest", "-q", "-p", "no:cacheprovider", "-k", "last_hit_rank or generated")
    said = run(*pytest_run, "tests/test_sql_measures.py")
    assert "1 failed" in said, said  # by the macro, which is still that of the first hit
    assert "test_a_worked_case_holds[last_hit_rank]" in said
    right = macro.replace("ranking.hits[1]", "ranking.hits[-1]")
    (tmp_path / "sql/measures/ranking_last_hit_rank.sql").write_text(right)
    assert run("tests.generate") == ""
    tests = [f"tests/test_{name}.py" for name in ("generated", "witnesses", "sql_measures")]
    fresh = "tests/test_generated.py::test_generated_text_is_fresh"  # which would generate it once more
    assert " passed" in (said := run(*pytest_run, *tests, "--deselect", fresh))
    assert "failed" not in said, said
    assert "`last_hit_rank`" in (tmp_path / "sql/README.md").read_text()

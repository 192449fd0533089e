"""The command as users run it: which measures and options can be chosen."""

from pathlib import Path

import duckdb
import pytest

from ranking_udfs.command.values import parse_items
from ranking_udfs.measures.registry import MEASURES, OneOf
from tests.command import Run, evaluated


def test_every_measure_can_be_chosen(run: Run, of_command: duckdb.DuckDBPyConnection) -> None:
    (row,) = evaluated(run, "rec.csv", "truth.csv", "--no-check", "--measures", ",".join(MEASURES))
    for name in MEASURES:
        ((value,),) = of_command.execute(f'SELECT "{name}"(judge([1, 3, 2, 6], [1, 2, 4]), 10)').fetchall()
        assert row[name] == (value if value is None else pytest.approx(value, abs=1e-15)), name


def test_every_option_of_a_measure_can_be_given(run: Run, of_command: duckdb.DuckDBPyConnection) -> None:
    """To the macros as it is written: words, and numbers in any form."""
    Path("rec.csv").write_text("userid,itemid,score\n" + "".join(f"1,{i},{9 - i}\n" for i in range(5)))
    Path("truth.csv").write_text("userid,itemid,rel\n1,0,2\n1,2,3\n1,3,0\n1,4,0.5\n1,9,1\n")
    graded = "[0, 1, 2, 3, 4], MAP {0: 2, 2: 3, 3: 0, 4: 0.5, 9: 1}"
    options = {}  # of each measure, by what it is called with them
    for name, measure in MEASURES.items():
        for option, rule in measure.options.items():
            beside = "=".join(getattr(rule, "only_with", None) or ())
            for text in str(rule).split("|") if isinstance(rule, OneOf) else (".25", "5.", "+3.5e0", "1E1"):
                if isinstance(rule, OneOf) or rule.parse(text) is not None:
                    given = ",".join(filter(None, [f"{option}={text}", beside]))
                    options[f"{name}({given})"] = name, given
    del options["err(max_grade=.25)"], options["rbp(max_grade=.25,gain=graded)"]  # no grade may be above it
    del options["ndcg(ideal=k)"]  # which takes no grades
    rows = evaluated(
        run, "rec.csv", "truth.csv", "--no-check", "-k", "3,all", "--measures", ",".join(options)
    )
    for row in rows:
        for called, (name, given) in options.items():
            query = f"""SELECT system.main."{name}"({graded}, {row["k"] or "NULL"}, '{given}')"""
            ((value,),) = of_command.execute(query).fetchall()
            assert row[called] == (value if value is None else pytest.approx(value, abs=1e-12)), called


def test_the_column_of_categories_stands_behind_the_file() -> None:
    assert parse_items("https://x.org/items.csv") == ("https://x.org/items.csv", "")
    assert parse_items("s3://x/items.parquet:kind") == ("s3://x/items.parquet", "kind")

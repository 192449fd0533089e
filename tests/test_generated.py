"""What is generated from the registry is up to date."""

import inspect
import json
import re

import duckdb
import pytest

import ranking_udfs
from ranking_udfs.compose.means import mean_interval
from ranking_udfs.duckdb.macros import macros
from ranking_udfs.macros.files import function_rows, texts
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES
from tests import reference
from tests.conftest import Con, is_close
from tests.generate import RULES, generated
from tests.reference import GROUPS, ROOT, group_names, head, public_names


def test_generated_text_is_fresh() -> None:
    for path, text in generated():
        assert path.read_text() == text, f"{path.relative_to(ROOT)}: run `python -m tests.generate`"


def test_the_page_calls_no_internal_macro_and_has_the_interval_of_a_report(con: Con) -> None:
    assert "_ranking_" not in RULES.with_name("page.js").read_text()
    given = """FROM (VALUES (0.5, 0.1, 12, false, false), (0.25, 0.2, 8, false, true), (1, 0, 40, true, true),
        (0.9, 0.3, 2, false, false), (0.5, NULL, 1, true, false)
        ) AS t(mean, error, n, is_constant, is_binary),
        (VALUES (0), (NULL)) AS b(bottom)"""
    call = "_mean_interval(mean, error, n, is_constant, is_binary, bottom, bottom + 1, 0.05)"
    with duckdb.connect() as plain:
        for statement in json.loads(RULES.read_text())["interval"]:
            plain.execute(statement)
        found = plain.execute(f"SELECT ranking{call} {given} ORDER BY ALL").fetchall()
    names = call.partition("(")[2].removesuffix(")").split(", ")
    parts = dict(zip([*inspect.signature(mean_interval).parameters][:-1], names, strict=True))
    expected = con.execute(f"SELECT {mean_interval(**parts)} {given} ORDER BY ALL").fetchall()
    for (one,), (other,) in zip(found, expected, strict=True):
        assert (one is None) is (other is None)
        assert one is None or one == pytest.approx(other, rel=1e-12)


def test_ranking_functions_has_every_measure_table_function_and_aggregate(shared: Con) -> None:
    rows = shared.execute("FROM ranking.functions()").fetchall()
    assert rows == [
        tuple((cell or None) if isinstance(cell, str) else list(cell) for cell in row)
        for row in function_rows(texts())
    ]
    assert all(one.source for one in (*MEASURES.values(), *LIST_MEASURES.values()))
    kinds = {row[0]: row[1] for row in rows}
    assert [name for name, kind in kinds.items() if kind == "measure"] == [*MEASURES, *LIST_MEASURES]
    assert {name for name, kind in kinds.items() if kind != "measure"} == macros().keys() - MEASURES.keys()


def test_the_reference_has_every_public_name_and_a_section_for_nothing_else() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "sql").glob("**/README.md"))
    named = set(re.findall(r"(?<![\w.])(?:ranking\.)?\w+(?=[`(])", text))
    assert public_names() - named == set()
    sections = [name for title in GROUPS for name in group_names(title)]
    assert len(sections) == len(set(sections))
    assert set(sections) <= public_names()


def test_a_head_says_what_each_parameter_is() -> None:
    for name, (_, folder) in texts().items():
        if name.startswith("_") or folder.endswith("internal"):
            continue
        said = head(name)
        known = {one for names in said.arguments for one in names.split(", ")}
        of_all = {"rec", "truth", "judged", "k", *reference.MEANINGS}  # of all measures
        known |= of_all if folder == "measures" else set()
        for parameter in {part.split()[0] for one in reference.parameters(name) for part in one}:
            assert parameter in known or known & {"...", "others"}, (name, parameter)
        assert said.description.endswith("."), name
        assert said.query.startswith(("SELECT", "FROM", "WITH")), name


def test_the_example_in_a_head_gives_the_result_beside_it(shared: Con) -> None:
    """Where a result stands beside it: the others are tables, which `python -m tests.generate` makes."""
    shown = [name for name in texts() if not name.startswith("_") and head(name).result]
    assert {"mae", "to_ordered_map", "judge", "ndcg"} <= {*shown}
    con = ranking_udfs.register(shared.cursor(), hivemall=True)
    for name in shown:
        ((found,),) = con.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({head(name).query})").fetchall()
        expected = head(name).result
        assert found == expected or is_close(float(found), float(expected), 1e-12), name


def test_duckdb_functions_says_what_each_public_macro_does(shared: Con) -> None:
    found = shared.execute(
        "SELECT DISTINCT function_name, comment FROM duckdb_functions() WHERE database_name = 'ranking'"
    ).fetchall()
    comments = dict(found)
    assert comments == {name: macro.description for name, macro in macros().items() if not macro.is_temp}
    assert comments["evaluate"].startswith("The mean of every measure over the users")

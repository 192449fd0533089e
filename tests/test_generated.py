"""What is generated is fresh, and what it is generated from is complete."""

import re

import pytest

import ranking_udfs
from ranking_udfs.compose.comparison import KNOWN
from ranking_udfs.macros.files import texts
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES
from tests import reference
from tests.by_value import assert_same
from tests.conftest import Con, is_close
from tests.generate import ADVICE, generated, refreshed
from tests.reference import ROOT, group_names, head, public_names

DOCUMENTED = [
    name for name, (_, folder) in texts().items() if name[0] != "_" and not folder.endswith("internal")
]
SHOWN = [name for name in texts() if name[0] != "_" and head(name).result]


def test_generated_text_is_fresh() -> None:
    for path, text in generated():
        about, written = f"{path.relative_to(ROOT)}: {ADVICE}", path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            assert_same(written, text, about)
        assert written == refreshed(path, text), about


def test_ranking_functions_describes_every_public_function(shared: Con) -> None:
    query = "SELECT name, aliases, kind, source, description FROM ranking.functions()"
    names: set[str] = set()
    for name, aliases, kind, source, description in shared.execute(query).fetchall():
        names |= {name, *aliases}
        assert description.endswith("."), name
        assert source or kind != "measure", name
    assert names == {name.removeprefix("ranking.") for name in public_names()}


def test_duckdb_describes_every_macro_of_the_schema(shared: Con) -> None:
    rows = shared.execute("SELECT comment FROM duckdb_functions() WHERE database_name = 'ranking'").fetchall()
    assert rows
    assert all(comment for (comment,) in rows)


def test_the_reference_has_every_public_name() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "sql").glob("**/*.md")}
    text = "".join(texts[ROOT / "sql" / page] for page in reference.PAGES.values())
    assert public_names() <= {*re.findall(r"(?<![\w.])(?:ranking\.)?\w+(?=[`(])", text)}
    others = {name for title in reference.GROUPS if title != "Measures" for name in group_names(title)}
    assert others <= {*re.findall(r"\[`([\w.]+)`\]", texts[ROOT / "sql/README.md"])}, "the index lacks names"


LOWER_IS_BETTER = {name for name, (_, is_high, _) in KNOWN.items() if is_high is False}
# Lists of names in prose: the page, the text around the list, and the names in the code.
LISTED = [
    ("statistics.md", r"Higher is better, except for (.*?)\.", LOWER_IS_BETTER),
    ("comparison/compare_by_user.sql", r"Always lower: (.*?)\.", LOWER_IS_BETTER),
    (
        "semantics.md",
        r"the list functions (.*?) \(",
        {name for name, measure in MEASURES.items() if measure.empty.both},
    ),
    (
        "semantics.md",
        r"AUC 0\.5; (\w+) NULL",
        {name for name, measure in MEASURES.items() if measure.empty.lacking == "a hit"},
    ),
    (
        "semantics.md",
        r"a column for each .*?, except (.*?),",
        {name for name, measure in MEASURES.items() if not measure.column},
    ),
]


@pytest.mark.parametrize(("page", "pattern", "names"), LISTED)
def test_prose_lists_the_names_of_the_code(page: str, pattern: str, names: set[str]) -> None:
    (listed,) = re.findall(f"(?s){pattern}", (ROOT / "sql" / page).read_text(encoding="utf-8"))
    assert {*re.findall("[a-z]\\w+", listed)} - {"and"} == names


def test_the_readme_counts_the_measures() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ((named, others),) = re.findall(r"Compute (.*) and (\d+) other\s", text)
    assert len(named.split(", ")) + int(others) == len(MEASURES) + len(LIST_MEASURES)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_head_explains_each_parameter(name: str) -> None:
    explained = {one for names in head(name).arguments for one in names.split(", ")}
    if texts()[name][1] == "measures":
        explained |= {"rec", "truth", "judged", "k", *reference.MEANINGS}  # explained once, for all measures
    parameters = {text.split()[0] for form in reference.parameters(name) for text in form}
    assert parameters <= explained or explained & {"...", "others"}
    assert head(name).query.startswith(("SELECT", "FROM", "WITH"))


@pytest.fixture(scope="module")
def pack(shared: Con) -> Con:
    return ranking_udfs.register(shared.cursor(), hivemall=True)


@pytest.mark.parametrize("name", SHOWN)
def test_the_example_in_a_head_gives_its_result(pack: Con, name: str) -> None:
    ((value,),) = pack.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({head(name).query})").fetchall()
    assert value == head(name).result or is_close(float(value), float(head(name).result), 1e-12)

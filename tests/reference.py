"""The reference, from the heads of the SQL files, the docstrings and the registry: index and pages.

What a head says is told apart by its form: what it does, details, then `name: text` for each argument, for
what it Returns, its Errors, its Source and an Example, and notes behind them.
"""

import contextlib
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.duckdb.functions import OF_LISTS
from ranking_udfs.macros import files as statements
from ranking_udfs.macros.files import FIRST, description, made, texts
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES, Measure, Number, OneOf, Option
from tests.witnesses import LIST_WITNESSES, WITNESSES

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = {
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "scipy": "SciPy",
    "sklearn": "scikit-learn",
    "cwl": "cwl-eval",
}
# The groups of the reference, in folders of `sql/` of these names.
GROUPS = ("Tables", "Comparison", "Measures", "Lists", "Predictions", "Hivemall")
# Of options that mean the same in each measure.
MEANINGS = {"min_grade": "the lowest grade that is relevant, a number > 0; NULL: every grade above 0 is"}
# The tables of the examples, as the documents make them.
TABLES = """
    CREATE TABLE rec AS SELECT model AS system, customer_id AS userid, sku AS itemid, score
    FROM 'examples/dbt_project/seeds/recommendations.csv';
    CREATE TABLE truth AS SELECT customer_id AS userid, sku AS itemid, greatest(stars - 2, 0) AS rel
    FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on >= '2026-05-22';
"""


@dataclass
class Head:
    """What the head of a SQL file says."""

    description: str
    details: list[str]
    fields: dict[str, str]  # arguments, Returns, Errors and Source
    query: str
    result: str  # "" where it is a table
    notes: list[str]

    @property
    def arguments(self) -> dict[str, str]:
        return {name: text for name, text in self.fields.items() if not name[0].isupper()}


@cache
def head(name: str) -> Head:
    """The head of a macro's file.

    Raises:
        ValueError: there is no such file, or no paragraph of its head has an Example and what it Returns.
    """
    name = name.removeprefix("ranking.")
    if name not in texts():
        raise ValueError(f"{name}.sql: sql/ must have it, since the registry or the reference names {name}")
    comment = re.match(r"(?:--.*\n)*", texts()[name][0])
    paragraphs = re.sub(r"^-- ?", "", comment[0] if comment else "", flags=re.MULTILINE).split("\n\n")
    places = [i for i, part in enumerate(paragraphs) if re.search(r"^Example:", part, re.MULTILINE)]
    place = places[0] if places else -1
    fields = dict(re.findall(r"^(\S.*?): +((?:.*\n?)(?: .*\n?)*)", paragraphs[place], re.MULTILINE))
    if len(places) != 1 or "Returns" not in fields:
        raise ValueError(f"{name}.sql: the head must have `Returns:` and `Example:`, in one paragraph")
    example = re.sub(r"\n +", "\n", fields.pop("Example").strip())
    query, _, result = example.partition(";")
    return Head(
        description(texts()[name][0]),
        [joined(part) for part in paragraphs[1:place]],
        {field: joined(text) for field, text in fields.items()},
        query,
        joined(re.sub(r"(^|\n)\s*-- ?", " ", result)).strip(),
        [joined(part) for part in paragraphs[place + 1 :] if not part.startswith("Generated")],
    )


def joined(text: str) -> str:
    return " ".join(text.split())


def parameters(name: str) -> list[list[str]]:
    """A macro's parameters, for each number of them that it takes. Those that are errors are left out."""
    found = statements.parameters(texts()[name.removeprefix("ranking.")][0])
    return [[re.sub(r" STRUCT\(.*", "", one) for one in each] for each in found]


def signatures(name: str) -> list[str]:
    """How a macro is called: one line, or one for each number of arguments."""
    lists = parameters(name)
    if len(lists) == 2 and len(lists[1]) == len(lists[0]) + 1 and {*lists[0]} < {*lists[1]}:
        ((place, extra),) = [(i, one) for i, one in enumerate(lists[1]) if one not in lists[0]]
        lists = [[*lists[0][: place - 1], f"{lists[0][place - 1]}[, {extra}]", *lists[0][place:]]]
    found = [", ".join(one) for one in lists]
    if len(found) > 4:
        found = [found[0], "...", found[-1]]
    calls = (one if one == "..." else f"{name}({one})".replace(" := ", "\0") for one in found)
    filled = (textwrap.fill(one, 78, subsequent_indent="    ", break_on_hyphens=False) for one in calls)
    return [one.replace("\0", " := ") for one in filled]  # with no parameter apart from its default


@cache
def folders() -> dict[str, str]:
    """The folder with the page of each name that has a section."""
    return {name: title.lower() for title in GROUPS for name in group_names(title)}


def link(name: str, page: str) -> str:
    """A link from a page, the folder of which is named, or from the index, "", to the section of a name."""
    folder = folders()[name]
    path = "" if folder == page else f"{'../' * bool(page)}{folder}/README.md"
    return f"{path}#{name.replace('.', '')}"


def markdown(text: str, inside: str) -> str:
    """Prose of a comment or a docstring as Markdown, with links to the sections but the one it is in."""

    def linked(found: re.Match[str]) -> str:
        name = found[0]
        is_elsewhere = name in folders() and name != inside and ("." in name or "_" in name)
        return f"[{name}]({link(name, folders()[inside])})" if is_elsewhere else name

    parts = text.split("`")
    for place in range(0, len(parts), 2):
        escaped = re.sub(r"(?<! )\*|\*(?! )|<(?=[A-Za-z/!])", r"\\\g<0>", parts[place])
        parts[place] = re.sub(r"(?<![\w.])(?:ranking\.)?[a-z]+(?:_[a-z]+)*(?!\w)", linked, escaped)
    return "`".join(parts)


def cell(text: str, inside: str) -> str:
    return markdown(text, inside).replace("|", "\\|")


def names_of(name: str) -> str:
    """The other names of what is called so."""
    known = MEASURES.get(name) or LIST_MEASURES.get(name)
    return ", ".join(f"`{one}`" for one in (known.aliases if known else ()))


def checked_against(measure: Measure) -> str:
    """The outside implementations that its tests compare it with; none where there is no witness yet."""
    one = (WITNESSES | LIST_WITNESSES).get(measure.name)
    return ", ".join(dict.fromkeys(LIBRARIES[peer.module] for peer in one.outside)) if one else ""


def group_names(title: str) -> list[str]:
    """What has a section of its own in this group."""
    if title == "Measures":
        return ["judge", "ranking.judge", *MEASURES]
    public = [made()[name].called for name, (_, folder) in texts().items() if folder == title.lower()]
    first = [f"ranking.{name}" for name in FIRST if f"ranking.{name}" in public]
    return [*dict.fromkeys([*first, *public]), *(LIST_MEASURES if title == "Lists" else ())]


def contents() -> Iterator[str]:
    for title in GROUPS:
        yield f"\n## {title}\n\nIn full on [their page]({title.lower()}/README.md).\n"
        for name in group_names(title):
            yield f"- [`{name}`]({link(name, '')}): {description_of(name)}"
    yield ""


def description_of(name: str) -> str:
    """What the thing of this name is or does, in a line of plain text."""
    if name == "judge":
        return docstring(FUNCTIONS["judge"].call.__doc__ or "")[0][0].partition(". ")[0].rstrip(".") + "."
    known = MEASURES.get(name) or LIST_MEASURES.get(name)
    return (known or head(name)).description


def measure_table() -> Iterator[str]:
    headers = ["measure", "options (default first)", "expected over ties", "checked against"]
    yield f"| {' | '.join(headers)} |"
    yield "|---" * len(headers) + "|"
    for measure in (*MEASURES.values(), *LIST_MEASURES.values()):
        options = "<br>".join(f"`{text}`" for text in measure.option_texts).replace("|", "\\|")
        says = f"[`{measure.name}`]({link(measure.name, 'measures')}): {measure.description}"
        row = [says, options, "yes" if measure.expected else "", checked_against(measure)]
        yield f"| {' | '.join(row)} |"


def sections(title: str) -> Iterator[str]:
    for name in group_names(title):
        yield from ("", f"## `{name}`", "")
        if name == "judge":
            yield from judge_section()
        else:
            known = MEASURES.get(name) or LIST_MEASURES.get(name)
            yield from measure_section(known) if known else macro_section(name)


def section(
    name: str, parts: list[str], calls: Iterable[str], rows: Iterable[str], **facts: str
) -> Iterator[str]:
    """What it does, how it is called, its arguments or options, and facts."""
    for part in parts:
        yield from (filled(markdown(part, name)), "")
    yield from ("```sql", *calls, "```", "", *rows)
    for what, fact in {"also_called": names_of(name), **facts}.items():
        if fact:
            yield filled(f"- **{what.replace('_', ' ').capitalize()}**: {markdown(fact, name)}", "  ")


def filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 118, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def macro_section(name: str) -> Iterator[str]:
    said = head(name)
    facts = {fact.lower(): said.fields.get(fact, "") for fact in ("Returns", "Errors", "Source")}
    parts = [said.description, *said.details]
    yield from section(name, parts, signatures(name), argument_rows(name, said.arguments), **facts)
    yield from ("", "```sql", said.query + ";", "```", "")
    yield from ("```text", said.result, "```") if said.result else table_of(said.query)
    for note in said.notes:
        yield from ("", filled(markdown(note, name)))


def argument_rows(name: str, arguments: dict[str, str]) -> Iterator[str]:
    if arguments:
        yield from ("| argument | meaning |", "|---|---|")
        for argument, text in arguments.items():
            names = ", ".join(one if one == "..." else f"`{one}`" for one in argument.split(", "))
            yield f"| {names} | {cell(text, name)} |"
        yield ""


def one_liners(*shown: tuple[str, str]) -> Iterator[str]:
    """Queries of one line, each with its result."""
    for query, result in shown:
        yield filled(f"- **Example**: `{' '.join(query.split())}` is `{result}`", "  ")


@cache
def examples() -> duckdb.DuckDBPyConnection:
    con = ranking_udfs.register(duckdb.connect())
    with contextlib.chdir(ROOT):
        con.execute(TABLES)
    return con


def table_of(query: str) -> Iterator[str]:
    """What the query returns, to four digits."""
    found = examples().execute(query)
    yield f"| {' | '.join(column[0] for column in found.description)} |"
    yield "|---" * len(found.description) + "|"
    for row in found.fetchall():
        cells = [
            ("< 0.0001" if name[:1] == "p" and name[1:2] in ("", "_") and 0 <= one < 1e-4 else f"{one:.4g}")
            if isinstance(one, float)
            else str(one)
            for (name, *_), one in zip(found.description, row, strict=True)
        ]
        cells = ["NULL" if one == "None" else one.replace("|", "\\|") for one in cells]
        yield f"| {' | '.join(cells)} |"


def docstring(text: str) -> tuple[list[str], str, list[tuple[str, str]]]:
    """The paragraphs of a function's docstring, its source and its examples."""
    text = textwrap.dedent("    " + text)
    shown = re.findall(r">>> (SELECT .*)\n\s*(.*)", text)
    parts = [part for part in text.partition(">>>")[0].strip().split("\n\n") if part.strip()]
    source = [joined(part).removeprefix("Source: ").rstrip(".") for part in parts if "Source: " in part]
    return [joined(part) for part in parts if "Source: " not in part], "".join(source), shown


def choices(option: Option) -> str:
    if isinstance(option, Number):
        return str(option)
    *others, last = option.default, *option.others
    return f"{', '.join(others)} or {last}"


def option_errors(measure: Measure) -> str:
    rules = [f"`{name}` that is not {choices(one)}" for name, one in measure.options.items()]
    if "max_grade" in measure.options:
        rules.append("a grade above max_grade")
    if isinstance(gain := measure.options.get("gain"), OneOf) and "exp" in str(gain):
        rules.append("a grade above 1000 with gain=exp")
    return "; ".join(rules)


def option_rows(measure: Measure, meanings: dict[str, str]) -> Iterator[str]:
    if measure.options:
        yield from ("| option | default | meaning |", "|---|---|---|")
        for name, one in measure.options.items():
            default = "none" if one.default is None else f"`{one.default}`"
            if isinstance(one, Number) and one.default is not None:
                default = f"{one.default:g}"
            default += f", of judged rankings `{one.of_judged}`" * (one.of_judged != one.default)
            meaning = meanings.get(name) or MEANINGS.get(name) or choices(one)
            meaning = re.sub(r"; NULL for [\d.]+", "", meaning)
            yield f"| `{name}` | {default} | {cell(meaning, measure.name)} |"
        yield ""


def measure_section(measure: Measure) -> Iterator[str]:
    parts, source, shown = docstring(measure.compute.__doc__ or "")
    meanings: dict[str, str] = {}
    if measure.name in LIST_MEASURES:
        calls = [f"{measure.name}({', '.join(measure.arguments)}[, options])"]
        facts = {"returns": f"DOUBLE, {measure.range_text}; {measure.empty}"}
    else:
        said = head(measure.name)
        for names, text in said.arguments.items():
            same = re.fullmatch(r"as for (ranking\.[a-z]+)", text)
            for name in names.split(", "):
                meanings[name] = head(same[1]).arguments[name] if same else text
        # A word that DuckDB's parser takes for something else
        name = '"precision"' if measure.name == "precision" else measure.name
        ((_, *given),) = ([one for one in each if "truth" not in one] for each in parameters(measure.name))
        forms = ("rec, truth", "judged")
        calls = [f"ranking.{measure.name}({', '.join([form, *given])})" for form in forms]
        calls += [f"{name}({of}[, k[, options]])  -- as in Hivemall" for of in ("rec, truth", "judged")]
        facts = {"returns": said.fields["Returns"]}
        shown.append((said.query, said.result))
    facts["errors"] = option_errors(measure)
    if measure.name in MEASURES:
        facts["expected_value_over_ties"] = "yes" if measure.expected else "no"
    facts |= {"source": source, "checked_against": checked_against(measure)}
    yield from section(measure.name, parts, calls, option_rows(measure, meanings), **facts)
    yield from one_liners(*shown)


def judge_section() -> Iterator[str]:
    parts, _, shown = docstring(FUNCTIONS["judge"].call.__doc__ or "")
    errors = (
        "items of different types in rec and truth; a grade that is NULL, NaN or infinite; no two arguments"
    )
    yield from section("judge", parts, ["judge(rec, truth)"], (), errors=errors)
    yield from one_liners(*((query, result.replace("None", "NULL")) for query, result in shown))


def public_names() -> set[str]:
    """Everything that a user may call."""
    return {*OF_LISTS, *(macro.called for macro in made().values())}

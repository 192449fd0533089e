"""Write the reference from the heads of the SQL files, the docstrings and the registry: index and pages.

A head has a description, details, then one paragraph with `name: text` for each argument and with Returns,
Errors, Source and Example, then notes.
"""

import contextlib
import re
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

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
# Options that mean the same in each measure.
MEANINGS = {"min_grade": "the lowest grade that is relevant, a number > 0; NULL: every grade above 0 is"}
BAR = "\\|"  # which ends no cell
# The tables of the examples, as the documents make them.
TABLES = """
    CREATE TABLE rec AS SELECT model AS system, customer_id AS userid, sku AS itemid, score
    FROM 'examples/dbt_project/seeds/recommendations.csv';
    CREATE TABLE truth AS SELECT customer_id AS userid, sku AS itemid, greatest(stars - 2, 0) AS rel
    FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on >= '2026-05-22';
"""


class Head(NamedTuple):
    """The parts of the head of a SQL file."""

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
    """Return the head of a macro's file.

    Raises:
        ValueError: there is no such file, or no paragraph of its head has an Example and what it Returns.
    """
    name = name.removeprefix("ranking.")
    if name not in texts():
        raise ValueError(f"{name}.sql: sql/ must have it, since the registry or the reference names {name}")
    comment = re.findall(r"\A(?:--.*\n)*", texts()[name][0])[0]
    paragraphs = re.sub(r"(?m)^-- ?", "", comment).split("\n\n")
    places = [i for i, part in enumerate(paragraphs) if re.search(r"(?m)^Example:", part)]
    place = places[0] if places else -1
    fields = dict(re.findall(r"^(\S.*?): +((?:.*\n?)(?: .*\n?)*)", paragraphs[place], re.MULTILINE))
    if len(places) != 1 or "Returns" not in fields:
        raise ValueError(f"{name}.sql: the head must have `Returns:` and `Example:`, in one paragraph")
    query, _, result = re.sub(r"\n +", "\n", fields.pop("Example").strip()).partition(";")
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
    """Return the parameters of a macro, a list for each number of them that it takes."""
    forms = statements.parameters(texts()[name.removeprefix("ranking.")][0])
    return [[re.sub(r" STRUCT\(.*", "", parameter) for parameter in form] for form in forms]


def signatures(name: str) -> list[str]:
    """Return how a macro is called: one call, or one for each number of arguments."""
    forms = parameters(name)
    if len(forms) == 2 and len(forms[1]) == len(forms[0]) + 1 and {*forms[0]} < {*forms[1]}:
        ((place, extra),) = [(i, one) for i, one in enumerate(forms[1]) if one not in forms[0]]
        forms = [[*forms[0][: place - 1], f"{forms[0][place - 1]}[, {extra}]", *forms[0][place:]]]
    calls = [f"{name}({', '.join(form)})".replace(" := ", "\0") for form in forms]
    if len(calls) > 4:
        calls = [calls[0], "...", calls[-1]]
    lines = (textwrap.fill(one, 78, subsequent_indent="    ", break_on_hyphens=False) for one in calls)
    return [line.replace("\0", " := ") for line in lines]  # no line ends between a parameter and its default


@cache
def folders() -> dict[str, str]:
    """Return the folder with the page of each name that has a section."""
    return {name: title.lower() for title in GROUPS for name in group_names(title)}


def link(name: str, page: str) -> str:
    """Return a link to the section of a name, from a page, given by its folder, or from the index, ""."""
    folder = folders()[name]
    path = "" if folder == page else f"{'../' * bool(page)}{folder}/README.md"
    return f"{path}#{name.replace('.', '')}"


def markdown(text: str, inside: str) -> str:
    """Return prose as Markdown, with links to all sections but the one that it is in."""

    def linked(match: re.Match[str]) -> str:
        name = match[0]
        is_elsewhere = name in folders() and name != inside and ("." in name or "_" in name)
        return f"[{name}]({link(name, folders()[inside])})" if is_elsewhere else name

    parts = text.split("`")
    for place in range(0, len(parts), 2):
        escaped = re.sub(r"(?<! )\*|\*(?! )|<(?=[A-Za-z/!])", r"\\\g<0>", parts[place])
        parts[place] = re.sub(r"(?<![\w.])(?:ranking\.)?[a-z]+(?:_[a-z]+)*(?!\w)", linked, escaped)
    return "`".join(parts)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table of Markdown."""
    header = [*header]
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', BAR) for cell in row)} |"


def measure_called(name: str) -> Measure | None:
    return MEASURES.get(name) or LIST_MEASURES.get(name)


def checked_against(measure: Measure) -> str:
    """Return the libraries with which the tests compare a measure."""
    witness = (WITNESSES | LIST_WITNESSES).get(measure.name)
    return ", ".join(dict.fromkeys(LIBRARIES[peer.module] for peer in witness.outside)) if witness else ""


def group_names(title: str) -> list[str]:
    """Return the names that have a section in this group."""
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
    """Return what a function does, in a line of plain text."""
    if name == "judge":
        return docstring(FUNCTIONS["judge"].call.__doc__ or "")[0][0].partition(". ")[0].rstrip(".") + "."
    return (measure_called(name) or head(name)).description


def measure_table() -> Iterator[str]:
    rows = []
    for one in (*MEASURES.values(), *LIST_MEASURES.values()):
        text = f"[`{one.name}`]({link(one.name, 'measures')}): {one.description}"
        options = "<br>".join(f"`{text}`" for text in one.option_texts)
        rows.append([text, options, "yes" if one.expected else "", checked_against(one)])
    return table(["measure", "options (default first)", "expected over ties", "checked against"], rows)


def sections(title: str) -> Iterator[str]:
    for name in group_names(title):
        measure = measure_called(name)
        lines = measure_section(measure) if measure else macro_section(name)
        yield from ("", f"## `{name}`", "", *(judge_section() if name == "judge" else lines))


def section(
    name: str, parts: list[str], calls: Iterable[str], rows: Iterable[str], **facts: str
) -> Iterator[str]:
    """Yield what a function does, how it is called, its arguments or options, and facts."""
    measure = measure_called(name)
    aliases = ", ".join(f"`{alias}`" for alias in (measure.aliases if measure else ()))
    for part in parts:
        yield from (filled(markdown(part, name)), "")
    yield from ("```sql", *calls, "```", "", *rows)
    for what, fact in {"also_called": aliases, **facts}.items():
        if fact:
            yield filled(f"- **{what.replace('_', ' ').capitalize()}**: {markdown(fact, name)}", "  ")


def filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 118, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)


def macro_section(name: str) -> Iterator[str]:
    part = head(name)
    facts = {fact.lower(): part.fields.get(fact, "") for fact in ("Returns", "Errors", "Source")}
    described = [part.description, *part.details]
    yield from section(name, described, signatures(name), argument_rows(name, part.arguments), **facts)
    yield from ("", "```sql", part.query + ";", "```", "")
    yield from ("```text", part.result, "```") if part.result else table_of(part.query)
    for note in part.notes:
        yield from ("", filled(markdown(note, name)))


def argument_rows(name: str, arguments: dict[str, str]) -> Iterator[str]:
    names = (re.sub(r"[^, .]+", r"`\g<0>`", argument) for argument in arguments)
    texts = (markdown(text, name) for text in arguments.values())
    if arguments:
        yield from (*table(["argument", "meaning"], zip(names, texts, strict=True)), "")


def one_liners(*shown: tuple[str, str]) -> Iterator[str]:
    """Yield queries of one line, each with its result."""
    for query, result in shown:
        yield filled(f"- **Example**: `{' '.join(query.split())}` is `{result}`", "  ")


@cache
def examples() -> duckdb.DuckDBPyConnection:
    con = ranking_udfs.register(duckdb.connect())
    with contextlib.chdir(ROOT):
        con.execute(TABLES)
    return con


def table_of(query: str) -> Iterator[str]:
    """Yield what the query returns as a table, to four digits."""
    result = examples().execute(query)
    names = [column[0] for column in result.description]
    return table(names, ([*map(shown, names, row)] for row in result.fetchall()))


def shown(column: str, value: object) -> str:
    if isinstance(value, float):
        is_tiny = re.match("p(_|$)", column) and 0 <= value < 1e-4
        return "< 0.0001" if is_tiny else f"{value:.4g}"
    return "NULL" if value is None else str(value)


def docstring(text: str) -> tuple[list[str], str, list[tuple[str, str]]]:
    """Return the paragraphs of a function's docstring, its source and its examples."""
    text = textwrap.dedent("    " + text)
    lines = re.findall(r">>> (SELECT .*)\n\s*(.*)", text)
    parts = [part for part in text.partition(">>>")[0].strip().split("\n\n") if part.strip()]
    source = [joined(part).removeprefix("Source: ").rstrip(".") for part in parts if "Source: " in part]
    return [joined(part) for part in parts if "Source: " not in part], "".join(source), lines


def choices(option: Option) -> str:
    if isinstance(option, Number):
        return str(option)
    *others, last = option.default, *option.others
    return f"{', '.join(others)} or {last}"


def option_errors(measure: Measure) -> str:
    rules = [f"`{name}` that is not {choices(one)}" for name, one in measure.options.items()]
    rules += ["a grade above max_grade"] * ("max_grade" in measure.options)
    gain = measure.options.get("gain")
    rules += ["a grade above 1000 with gain=exp"] * (isinstance(gain, OneOf) and "exp" in str(gain))
    return "; ".join(rules)


def option_rows(measure: Measure, meanings: dict[str, str]) -> Iterator[str]:
    rows = []
    for name, option in measure.options.items():
        default = "none" if option.default is None else f"`{option.default}`"
        if isinstance(option, Number) and option.default is not None:
            default = f"{option.default:g}"
        default += f", of judged rankings `{option.of_judged}`" * (option.of_judged != option.default)
        meaning = meanings.get(name) or MEANINGS.get(name) or choices(option)
        rows.append([f"`{name}`", default, markdown(re.sub(r"; NULL for [\d.]+", "", meaning), measure.name)])
    if rows:
        yield from (*table(["option", "default", "meaning"], rows), "")


def measure_section(measure: Measure) -> Iterator[str]:
    name = measure.name
    parts, source, lines = docstring(measure.compute.__doc__ or "")
    meanings: dict[str, str] = {}
    if name in LIST_MEASURES:
        calls = [f"{name}({', '.join(measure.arguments)}[, options])"]
        facts = {"returns": f"DOUBLE, {measure.range_text}; {measure.empty}"}
    else:
        for names, text in head(name).arguments.items():
            same = re.fullmatch(r"as for (ranking\.[a-z]+)", text)
            for argument in names.split(", "):
                meanings[argument] = head(same[1]).arguments[argument] if same else text
        quoted = f'"{name}"' if name == "precision" else name  # a word of DuckDB's parser
        ((_, *given),) = ([one for one in form if "truth" not in one] for form in parameters(name))
        forms = ("rec, truth", "judged")
        calls = [f"ranking.{name}({', '.join([form, *given])})" for form in forms]
        calls += [f"{quoted}({form}[, k[, options]])  -- as in Hivemall" for form in forms]
        facts = {"returns": head(name).fields["Returns"]}
        lines.append((head(name).query, head(name).result))
    facts["errors"] = option_errors(measure)
    if name in MEASURES:
        facts["expected_value_over_ties"] = "yes" if measure.expected else "no"
    facts |= {"source": source, "checked_against": checked_against(measure)}
    yield from section(name, parts, calls, option_rows(measure, meanings), **facts)
    yield from one_liners(*lines)


def judge_section() -> Iterator[str]:
    parts, _, lines = docstring(FUNCTIONS["judge"].call.__doc__ or "")
    errors = (
        "items of different types in rec and truth; a grade that is NULL, NaN or infinite; no two arguments"
    )
    yield from section("judge", parts, ["judge(rec, truth)"], (), errors=errors)
    yield from one_liners(*((query, result.replace("None", "NULL")) for query, result in lines))


def public_names() -> set[str]:
    """Return all names that a user may call."""
    return {*OF_LISTS, *(macro.called for macro in made().values())}

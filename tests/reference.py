"""Write the reference from the heads of the SQL files, the docstrings and the registry.

A head has a description, details, then one paragraph with `name: text` for each argument and with Returns,
Errors, Source and Example, then notes.
"""

import contextlib
import inspect
import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click
import duckdb

import ranking_udfs
from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.command import options
from ranking_udfs.compose.columns import COMMAND, PYTHON, SQL
from ranking_udfs.compose.problems import Problem, problems
from ranking_udfs.duckdb.functions import OF_LISTS
from ranking_udfs.macros import files as statements
from ranking_udfs.macros.files import FIRST, description, made, texts
from ranking_udfs.measures.registry import LIST_MEASURES, MEASURES, Measure, Number, Option
from ranking_udfs.options import COLUMNS, JUDGING, OPTIONS, TESTS, VERBS, sentences
from ranking_udfs.options import FUNCTIONS as TABLE_FUNCTIONS
from tests.definitions import LIST_WITNESSES, WITNESSES

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
PAGES = {title.lower(): f"{title.lower()}/README.md" for title in GROUPS[:3]}
PAGES |= dict.fromkeys(("lists", "predictions", "hivemall"), "aggregates.md")
# Options that mean the same in each measure; the page explains them once.
MEANINGS = {"min_grade"}
USUAL = "; 0 if truth is empty"
BOTH = " ({}(rec, truth): 1 if rec is empty too)"  # as semantics.md says
BAR = "\\|"  # which ends no cell
FACTS = ("Returns", "Caveats", "With predicted_truth", "Errors", "Source")
# The tables of the examples, as the documents make them.
TABLES = """\
con.execute("CREATE TABLE rec AS FROM 'examples/data/shop_rec.csv'")
con.execute("CREATE TABLE truth AS FROM 'examples/data/shop_truth.csv'")
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
    calls = [f"{name}({', '.join(form)})" for form in parameters(name)]
    if len(calls) > 4:
        calls = [calls[0], "...", calls[-1]]
    return [line for call in calls for line in wrapped(call)]


def wrapped(call: str) -> list[str]:
    """Return the lines of a call; none ends between a parameter and its default."""
    text = textwrap.fill(call.replace(" := ", "\0"), 78, subsequent_indent="    ", break_on_hyphens=False)
    return text.replace("\0", " := ").split("\n")


@cache
def folders() -> dict[str, str]:
    """Return the folder with the page of each name that has a section."""
    return {name: title.lower() for title in GROUPS for name in group_names(title)}


def link(name: str, page: str) -> str:
    """Return a link to the section of a name, from a page, given by its folder, or from the index, ""."""
    return f"{way(folders()[name], page)}#{name.replace('.', '')}"


def way(folder: str, page: str) -> str:
    """Return the path to the page of a folder from that of another, or from the index, ""."""
    to, start = PAGES[folder], PAGES.get(page, "README.md")
    return "" if to == start else os.path.relpath(to, Path(start).parent)


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


def explained(meanings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a list of names in Markdown and what they mean."""
    return (filled(f"- {name}: {meaning.removesuffix('.')}.", "  ") for name, meaning in meanings)


def measure_called(name: str) -> Measure | None:
    return MEASURES.get(name) or LIST_MEASURES.get(name)


def checked_against(measure: Measure) -> list[str]:
    """Return the libraries with which the tests compare a measure."""
    witness = (WITNESSES | LIST_WITNESSES).get(measure.name)
    return [*dict.fromkeys(LIBRARIES[peer.module] for peer in witness.outside)] if witness else []


def group_names(title: str) -> list[str]:
    """Return the names that have a section in this group."""
    if title == "Measures":
        return ["judge", "ranking.judge", *MEASURES]
    public = [made()[name].called for name, (_, folder) in texts().items() if folder == title.lower()]
    first = [f"ranking.{name}" for name in FIRST if f"ranking.{name}" in public]
    return [*dict.fromkeys([*first, *public]), *(LIST_MEASURES if title == "Lists" else ())]


def measure_table() -> Iterator[str]:
    """Yield the measures by the libraries that tests compare them with, and those without expected ties."""
    peers: dict[str, list[str]] = {}
    for one in (*MEASURES.values(), *LIST_MEASURES.values()):
        called = f"[`{one.name}`]({link(one.name, 'measures')})"
        for peer in checked_against(one) or ["a definition in the tests"]:
            peers.setdefault(peer, []).append(called)
    yield from table(["checked against", "measures"], ((peer, ", ".join(of)) for peer, of in peers.items()))
    *without, last = [f"`{one.name}`" for one in MEASURES.values() if not one.expected]
    yield ""
    text = "All measures have an expected value over tied scores (`ties := 'expected'`), except"
    yield filled(f"{text} {', '.join(without)} and {last}.")


def sections(title: str) -> Iterator[str]:
    if title == "Tables":
        names = [name for name in OPTIONS if name in shared_by_functions()]
        shared = ((f"`{name}`", shared_by_functions()[name]) for name in names)
        yield from ("", "## Shared arguments", "", *explained(shared))
    for name in group_names(title):
        measure = measure_called(name)
        lines = measure_section(measure) if measure else macro_section(name)
        every = ["", f"## `{name}`", "", *(judge_section() if name == "judge" else lines)]
        yield ""
        yield from (line for before, line in pairwise(every) if before or line)


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
    yield from section(name, [part.description, *part.details], abbreviated(name), argument_rows(name))
    for what in FACTS:
        yield from fact_rows(name, what, part.fields.get(what, ""))
    yield from ("", "```sql", part.query + ";", "```", "")
    yield from ("```text", part.result, "```") if part.result else table_of(part.query)
    for note in part.notes:
        yield from ("", filled(markdown(note, name)))


def fact_rows(name: str, what: str, text: str) -> Iterator[str]:
    """Yield a fact, with a table of its columns if it describes three or more."""
    first, *columns = re.split(r"(?:^|(?<=[.:]) )(?=`\w+`(?:, `\w+`)*: )", text)
    is_table = len(columns) > 2
    if text:
        yield filled(f"- **{what}**: {markdown(first if is_table else text, name)}", "  ")
    if is_table:
        pairs = [column.split(": ", 1) for column in columns]
        rows = [(one, markdown(meaning.strip().removesuffix("."), name)) for one, meaning in pairs]
        yield from ("", *table(["column", "meaning"], rows), "")


# Arguments of many functions, which no call on a page shows.
HIDDEN = {*f"{COLUMNS} {JUDGING} {TESTS}".split()}


@cache
def shared_by_functions() -> dict[str, str]:
    """Return the sentence of each argument that several table functions have."""
    counts = Counter(pair for taken in TABLE_FUNCTIONS.values() for pair in sentences(taken).items())
    pairs = sorted(((count, pair) for pair, count in counts.items() if count > 1), key=lambda one: one[0])
    return dict(pair for _, pair in pairs)


def shared_in(name: str) -> dict[str, str]:
    """Return the shared arguments of a function and their sentences."""
    texts = sentences(TABLE_FUNCTIONS.get(name.removeprefix("ranking."), {}))
    return {one: f"{text}." for one, text in texts.items() if shared_by_functions().get(one) == text}


def abbreviated(name: str) -> list[str]:
    """Return how a macro is called, with three dots for arguments that many functions have."""
    ((*form,), *_) = parameters(name)
    shown = [one for one in form if one.split()[0] not in HIDDEN & shared_in(name).keys()]
    return signatures(name) if shown == form else wrapped(f"{name}({', '.join([*shown, '...'])})")


def argument_rows(name: str) -> Iterator[str]:
    """Yield what a function says about its arguments, and the names of those that it shares.

    Defaults are in the signature.
    """
    shared, arguments = shared_in(name), head(name).arguments
    texts = {one: text.removeprefix(shared.get(one, "")).strip() for one, text in arguments.items()}
    texts = {one: re.sub(r"; by default ('[^']*'|[\d.]*\d)\.", ".", text) for one, text in texts.items()}
    yield from explained(
        (re.sub(r"[^, .]+", r"`\g<0>`", one), markdown(text, name)) for one, text in texts.items() if text
    )
    if hidden := [f"`{one}`" for one in shared if one in HIDDEN]:
        target = f"{way('tables', folders()[name])}#shared-arguments"
        yield from ("", filled(f"[Shared arguments]({target}): {', '.join(hidden)}."), "")


def one_liners(*shown: tuple[str, str]) -> Iterator[str]:
    """Yield queries of one line, each with its result."""
    for query, result in shown:
        yield filled(f"- **Example**: `{' '.join(query.split())}` is `{result}`", "  ")


@cache
def examples() -> duckdb.DuckDBPyConnection:
    con = ranking_udfs.register(duckdb.connect())
    with contextlib.chdir(ROOT):
        for query in re.findall(r"\"(.*)\"", TABLES):
            con.execute(query)
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


def option_rows(measure: Measure, meanings: dict[str, str]) -> Iterator[str]:
    rows = []
    for name, option in measure.options.items():
        is_number = isinstance(option, Number) and option.default is not None
        default = f"{option.default:g}" if is_number else repr(option.default)
        default += f", of judged rankings {option.of_judged!r}" * (option.of_judged != option.default)
        meaning = re.sub(r"; NULL for \d+(?:\.\d+)?", "", meanings.get(name) or choices(option))
        if name not in MEANINGS and not meaning.startswith("as for "):
            meaning = meaning if "(default)" in meaning else f"{meaning.rstrip('.')}; by default {default}"
            rows.append([f"`{name}`", markdown(meaning, measure.name)])
    others = [name for name, text in meanings.items() if text.startswith("as for ")]
    if others:
        same = meanings[others[0]].removeprefix("as for ranking.")
        rows.insert(0, [", ".join(f"`{name}`" for name in others), f"as for [{same}](#{same})"])
    if rows:
        yield from (*table(OPTION_COLUMNS, rows), "")


def measure_section(measure: Measure) -> Iterator[str]:
    name = measure.name
    parts, source, lines = docstring(measure.compute.__doc__ or "")
    meanings: dict[str, str] = {}
    if name in LIST_MEASURES:
        calls = [f"{name}({', '.join(measure.arguments)}[, options])"]
        facts = {"returns": f"DOUBLE, {measure.range_text}; {measure.empty}"}
    else:
        for names, text in head(name).arguments.items():
            meanings |= dict.fromkeys(names.split(", "), text)
        ((_, *given),) = ([one for one in form if one.split()[0] != "truth"] for form in parameters(name))
        calls = wrapped(f"ranking.{name}({', '.join(['rec, truth', *given])})")
        returns = head(name).fields["Returns"].removesuffix("; NULL for NULL").removesuffix(BOTH.format(name))
        returns = returns.removesuffix(USUAL)
        facts = {"returns": returns.removeprefix("DOUBLE, ") if returns != "DOUBLE, [0, 1]" else ""}
        lines += [(head(name).query, head(name).result)] * (head(name).result != lines[-1][1])
    yield from section(name, parts, calls, option_rows(measure, meanings), **facts, source=source)
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


# --- Codes of the check, options of the command, functions of Python ---

TABLES_OF_CODES = {"rec": "Recommendations", "truth": "Ground truth", "history": "Interaction history"}
NAMES = {
    "user": "userid",
    "item": "itemid",
    "column": "itemid",
    "score": "score",
    "grade": "rel",
    "k": "10",
    "n": "5",
}
WAYS = {"SQL:": SQL, "Command:": COMMAND, "Python:": PYTHON}
IN_SQL = {"report": "compare"}
OPTION_COLUMNS = ("option", "meaning")


def check_codes() -> Iterator[str]:
    """Yield a section for each code of the check: message, meaning, severity and advice."""
    for place, title in TABLES_OF_CODES.items():
        yield f"\n## {title}"
        for problem in (one for one in problems().values() if one.about == place):
            message = problem.sentence.format(**NAMES, least="above 0")
            needs = f"; with `{problem.needs}`" if problem.needs else ""
            yield f"\n### `{problem.code}`\n"
            yield filled(f"`{message}`: {severity(problem)}{needs}.")
            parts = re.split(r" (?=\([a-z]\) |Warning: )", problem.meaning)
            yield "\n" + "\n\n".join(map(filled, parts))
            texts = [problem.advice(way) or "" for way in WAYS.values()]
            ways = dict(zip(WAYS, texts, strict=True))
            if texts[2] == texts[0].replace(" := ", "="):  # the page says so once
                del ways["Python:"]
            lines = [f"{where:<9}{text}" for where, text in ways.items()]
            lines = [textwrap.fill(line, 106, subsequent_indent=" " * 9) for line in lines]
            if len({*texts}) == 1 and texts[0]:
                yield f"\n{filled(f'**Fix**: {texts[0]}.')}"
            elif any(texts):
                yield "\n**Fix**:\n\n```text\n" + "\n".join(lines) + "\n```"
    yield ""


def severity(problem: Problem) -> str:
    """Return the rule for the severity of a code."""
    bounds = [*zip(("error", "warning"), problem.shares, strict=True)]
    of = f" of {problem.counted}"
    found = [f"{name} from {share:.0%}{of}" if share else name for name, share in bounds if share is not None]
    found += ["otherwise info" if found else "info"] * all(share != 0 for _, share in bounds)
    return "decided by a statistical test" if problem.severity == "tested" else ", ".join(found)


@cache
def option_record(command: str, name: str) -> tuple[str, str]:
    """Return an option of a command as it is written, and its meaning with its default."""
    one = options.option(command, name)
    called, text = one.get_help_record(click.Context(click.Command(command))) or ("", "")
    default = f"; by default `{one.default}`" if one.show_default else " (required)" * one.required
    return f"`{called}`", re.sub(r"\s*\[(default: .*|required)\]$", "", text) + default


@cache
def shared_options() -> dict[str, tuple[str, str]]:
    """Return the options that several commands have with one meaning, by name."""
    every = [
        (name, option_record(command, name))
        for command in options.COMMANDS
        for name in options.names_of(command)
    ]
    counts = Counter(every)
    most = sorted((pair for pair in counts if counts[pair] > 1), key=lambda pair: counts[pair])
    return dict(dict.fromkeys(name for name, _ in every if name in dict(most)) | dict(most))  # type: ignore[arg-type]


def option_tables() -> Iterator[str]:
    yield from ("", *table(OPTION_COLUMNS, shared_options().values()), "")


def command_options(command: str) -> Iterator[str]:
    """Yield the usage of a command, the names of its shared options, and a table of its own."""
    spec = options.COMMANDS[command]
    operands = {"events": "EVENTS", "names": "[NAME]..."}.get(spec.operand, spec.files)
    yield f"\n```text\nranking-udfs {command} [OPTIONS] {operands}\n```\n"
    records = {name: option_record(command, name) for name in options.names_of(command)}
    shared = [name for name, record in records.items() if shared_options().get(name) == record]
    if shared:
        words = ", ".join(f"`{re.split('[ ,`]', records[name][0])[1]}`" for name in shared)
        yield filled(f"[Shared options](#shared-options): {words}.") + "\n"
    if own := [record for name, record in records.items() if name not in shared]:
        yield from (*table(OPTION_COLUMNS, own), "")


def entries(text: str) -> dict[str, str]:
    """Return the texts of a part of a docstring by their names."""
    found = re.findall(r"(?m)^(\S[^:]*): (.*(?:\n .*)*)", textwrap.dedent(text))
    return {f"`{name}`": joined(meaning) for name, meaning in found}


def of_python(name: str) -> dict[str, str]:
    """Return the arguments of a function that SQL's does not have with the same meaning."""
    of_sql = sentences(TABLE_FUNCTIONS.get(IN_SQL.get(name, name), {}))
    own = sentences(VERBS.get(name, {})).items()
    return {f"`{one}`": f"{text}." for one, text in own if of_sql.get(one) != text}


def shared_arguments() -> dict[str, str]:
    """Return the meanings of arguments that several functions have, without those of SQL."""
    every = [pair for name in VERBS if name != "sql" for pair in of_python(name).items()]
    return {name: text for name, text in dict(every).items() if every.count((name, text)) > 1}


def python_functions() -> Iterator[str]:
    """Yield a section for each public function of the package."""
    for name in dict.fromkeys(
        ("register", *(name for name in VERBS if name != "sql"), *ranking_udfs.__all__[1:])
    ):
        function = getattr(ranking_udfs, name)
        parts = re.split(r"(?m)^(Args|Returns|Raises|Example):\n", inspect.getdoc(function) or "")
        text = dict(zip(("", *parts[1::2]), parts[::2], strict=True))
        arguments, in_sql = entries(text["Args"]), f"ranking.{IN_SQL.get(name, name)}"
        new = of_python(name)
        shared = [one for one, meaning in shared_arguments().items() if new.get(one) == meaning]
        of_sql = [] if name not in VERBS else [one for one in arguments if one not in new]
        signature = inspect.signature(function)
        named = (one.replace(annotation=one.empty) for one in signature.parameters.values())
        hidden = {*shared, *of_sql}
        own = [one for one in named if one.kind is not one.KEYWORD_ONLY or f"`{one.name}`" not in hidden]
        call = f"{name}{signature.replace(parameters=own, return_annotation=signature.empty)}"
        call = textwrap.fill(call[:-1] + ", ..." * bool(hidden) + ")", 100, subsequent_indent="    ")
        yield f"\n## `{name}`\n\n{text[''].strip()}\n\n```text\n{call}\n```\n"
        meanings = [one for one in arguments.items() if one[0] not in hidden]
        yield from explained(meanings)
        if hidden:
            parts = [f"[shared](#shared-arguments): {', '.join(shared)}"] * bool(shared)
            parts += [f"those of [{in_sql}](../../sql/{link(in_sql, '')})"] * bool(of_sql)
            yield "\n" * bool(meanings) + filled(f"Arguments: {'; '.join(parts)}.") + "\n"
        facts = {"Returns": text.get("Returns", "")}
        facts |= {f"Raises {error}": why for error, why in entries(text["Raises"]).items()}
        told = {
            title: fact
            for title, fact in facts.items()
            if fact.rstrip(".") not in ("", "as for `evaluate`") and f"the columns of `{in_sql}`" not in fact
        }
        yield from (filled(f"- **{title}**: {joined(fact)}", "  ") for title, fact in told.items())
        if "Example" in text:
            yield f"\n```pycon\n{textwrap.dedent(text['Example']).strip()}\n```"
    yield ""

"""The text of `ranking-udfs measures` and `functions`: all on a few lines each, or some in full."""

from collections.abc import Iterable, Mapping
from functools import cache
from inspect import getdoc
from itertools import takewhile
from textwrap import fill

from tabulate import tabulate

from ..duckdb.statements import description, macros, texts
from ..evaluation.errors import UsageError
from ..measures.grammar import SPELLINGS, normalize_name
from ..measures.registry import LIST_MEASURES, MEASURES, Measure
from ..texts import did_you_mean, shorten

MEASURES_BY_SPELLING = SPELLINGS | {
    normalize_name(name): one for one in LIST_MEASURES.values() for name in (*one.names, one.label)
}


def find_measure(name: str) -> Measure:
    """Find the measure of this name, alias or label."""
    found = MEASURES_BY_SPELLING.get(normalize_name(name))
    if found is None:
        raise unknown_name_error("measure", name, normalize_name(name), MEASURES_BY_SPELLING)
    return found


def find_function(name: str) -> str:
    """Find the function of SQL of this name, in whatever case."""
    if name.lower() not in public_functions():
        raise unknown_name_error("function", name, name.lower(), public_functions())
    return name.lower()


def unknown_name_error(what: str, name: str, key: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not known, with the one that was perhaps meant."""
    hint = did_you_mean(key, known) or f" (`ranking-udfs {what}s` lists them)"
    return UsageError(f"{what}s: NAME must be the name of a {what}, got {shorten(repr(name))}{hint}")


@cache
def public_functions() -> dict[str, str]:
    """Return the file of each function of SQL that is for users, by its name."""
    return {name: text for name, (text, _) in sorted(texts().items()) if not name.startswith("_")}


def calls(name: str) -> list[str]:
    """Return how a function may be called."""
    return [f"{name}({', '.join(given)})" for given in macros()[name].signatures()]


def list_measures(width: int) -> str:
    """List all measures, each with its description, its other names and its options."""
    texts = {}
    for one in (*MEASURES.values(), *LIST_MEASURES.values()):
        texts[one.name] = one.description + f" Also {', '.join(one.aliases)}." * bool(one.aliases)
        texts[one.name] += f" Options: {'; '.join(one.option_texts)}." * bool(one.option_texts)
    return f"{list_names(texts, width)}\n\n`ranking-udfs measures NAME` explains one.\n"


def list_functions(width: int) -> str:
    """List all functions of SQL, each with what it does."""
    texts = {name: description(text) for name, text in public_functions().items()}
    return f"{list_names(texts, width)}\n\n`ranking-udfs functions NAME` explains one.\n"


def list_names(texts: Mapping[str, str], width: int) -> str:
    """List names, each with its text."""
    wide = width - max(map(len, texts)) - 2
    return str(tabulate(texts.items(), tablefmt="plain", maxcolwidths=[None, wide], disable_numparse=True))


def explain_function(name: str, width: int) -> str:
    """Say how a function is called, and show the head of its file."""
    head = "\n".join(
        line.removeprefix("-- ").removeprefix("--")
        for line in takewhile(lambda line: line.startswith("--"), public_functions()[name].splitlines())
    )
    called = "\n".join(fill(call, width, subsequent_indent="    ") for call in calls(name))
    return f"{called}\n\n{head}\n"


def explain_measure(one: Measure, width: int) -> str:
    """Show the facts of a measure, and its docstring."""
    facts = {
        "Called": ", ".join(one.names),
        "Options": "; ".join(one.option_texts) or "none",
        "Range": one.range_text,
        "Empty or undefined": str(one.empty),
    }
    lines = (fill(f"{what}: {fact}", width, subsequent_indent="  ") for what, fact in facts.items())
    paragraphs = (render_paragraph(text, width) for text in (getdoc(one.compute) or "").split("\n\n"))
    return "\n\n".join([f"{one.label}\n{'=' * len(one.label)}", "\n".join(lines), *paragraphs]) + "\n"


def render_paragraph(text: str, width: int) -> str:
    """Fill lines of this width, but keep those of an example."""
    is_own = any(line.startswith((" ", ">>>")) for line in text.splitlines())
    return text if is_own else fill(text, width, break_long_words=False, break_on_hyphens=False)

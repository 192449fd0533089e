"""The text of `ranking-udfs measures` and `functions`: all on a few lines each, or some in full."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from textwrap import fill, wrap

from ..duckdb.statements import description, macros, texts
from ..evaluation.errors import UsageError
from ..measures.grammar import SPELLINGS, normalize_name
from ..measures.registry import LIST_MEASURES, MEASURES, Measure
from ..texts import did_you_mean, shorten

NAMES = (*MEASURES, *LIST_MEASURES)
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
    if name.lower() not in functions():
        raise unknown_name_error("function", name, name.lower(), functions())
    return name.lower()


def unknown_name_error(what: str, name: str, key: str, known: Iterable[str]) -> UsageError:
    """Return the error for a name that is not known, with the one that was perhaps meant."""
    hint = did_you_mean(key, known) or f" (`ranking-udfs {what}s` lists them)"
    return UsageError(f"{what}s: NAME must be the name of a {what}, got {shorten(repr(name))}{hint}")


@cache
def functions() -> dict[str, str]:
    """Return the file of each function of SQL that is for users, by its name."""
    return {name: text for name, (text, _) in sorted(texts().items()) if not name.startswith("_")}


def function_table(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the name, the arguments and the description of functions, for programs."""
    return [(name, "; ".join(calls(name)), description(functions()[name])) for name in names]


def calls(name: str) -> list[str]:
    """Return how a function may be called."""
    return [f"{name}({', '.join(given)})" for given in macros()[name].signatures()]


def render_list(width: int) -> str:
    """Render all measures, each with its description, its other names and its options."""
    told = {}
    for one in (*MEASURES.values(), *LIST_MEASURES.values()):
        told[one.name] = [one.description]
        told[one.name] += [f"Also {', '.join(one.aliases)}."] if one.aliases else []
        told[one.name] += [f"Options: {'; '.join(one.option_texts)}."] if one.option_texts else []
    return f"{render_names(told, width)}\n\n`ranking-udfs measures NAME` explains one.\n"


def render_function_list(width: int) -> str:
    """Render all functions of SQL, each with what it does."""
    told = {name: [description(text)] for name, text in functions().items()}
    return f"{render_names(told, width)}\n\n`ranking-udfs functions NAME` explains one.\n"


def render_names(told: Mapping[str, Sequence[str]], width: int) -> str:
    """Render names, each with what is told of it beside it."""
    narrow = max(map(len, told))
    lines = []
    for name, parts in told.items():
        texts = [line for part in parts for line in wrap(part, width - narrow - 2, subsequent_indent="  ")]
        lines += [
            f"{left:<{narrow}}  {text}" for left, text in zip([name, *[""] * len(texts)], texts, strict=False)
        ]
    return "\n".join(lines)


def render_functions(names: Sequence[str], width: int) -> str:
    """Render functions of SQL, each in full."""
    return "\n".join(render_function(name, width) for name in names)


def render_function(name: str, width: int) -> str:
    """Render how a function is called, and the head of its file."""
    head = "\n".join(
        line.removeprefix("-- ").removeprefix("--")
        for line in takewhile(lambda line: line.startswith("--"), functions()[name].splitlines())
    )
    told = "\n".join(fill(call, width, subsequent_indent="    ") for call in calls(name))
    return f"{told}\n\n{head}\n"


def render_explanations(measures: Sequence[Measure], width: int) -> str:
    """Render the facts of measures, and their docstrings."""
    return "\n\n".join(render_explanation(one, width) for one in measures) + "\n"


def render_explanation(one: Measure, width: int) -> str:
    """Render the facts of a measure, and its docstring."""
    facts = {
        "Called": ", ".join(one.names),
        "Options": "; ".join(one.option_texts) or "none",
        "Range": one.range_text,
        "Empty or undefined": str(one.empty),
    }
    head = [f"{one.label}\n{'=' * len(one.label)}"]
    head += [
        "\n".join(fill(f"{what}: {fact}", width, subsequent_indent="  ") for what, fact in facts.items())
    ]
    paragraphs = inspect.getdoc(one.compute) or ""
    return "\n\n".join([*head, *(render_paragraph(text, width) for text in paragraphs.split("\n\n"))])


def render_paragraph(text: str, width: int) -> str:
    """Fill lines of this width, but keep those of an example."""
    is_own = any(line.startswith((" ", ">>>")) for line in text.splitlines())
    return text if is_own else fill(text, width, break_long_words=False, break_on_hyphens=False)

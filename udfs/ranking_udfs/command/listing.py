"""The text of `ranking-udfs measures`: all measures on a few lines each, or some of them in full."""

import inspect
from collections.abc import Sequence
from difflib import get_close_matches
from textwrap import fill, wrap

from ..evaluation.errors import DataError
from ..measures.grammar import SPELLINGS, normalize_name
from ..measures.registry import LIST_MEASURES, MEASURES, Measure
from ..texts import shorten

WIDEST = 100
NAMES = (*MEASURES, *LIST_MEASURES)
MEASURES_BY_SPELLING = SPELLINGS | {
    normalize_name(name): one for one in LIST_MEASURES.values() for name in (*one.names, one.label)
}


def find_measure(name: str) -> Measure:
    """Find the measure of this name, alias or label."""
    found = MEASURES_BY_SPELLING.get(normalize_name(name))
    if found is None:
        near = get_close_matches(normalize_name(name), MEASURES_BY_SPELLING, 1)
        hint = f" (did you mean {near[0]}?)" if near else " (`ranking-udfs measures` lists them)"
        raise DataError(f"measures: NAME must be the name of a measure, got {shorten(repr(name))}{hint}")
    return found


def render_list(width: int | None) -> str:
    """Render all measures, each with its description, its other names and its options."""
    wide, narrow = min(width or WIDEST, WIDEST), max(map(len, NAMES))
    lines = []
    for one in (*MEASURES.values(), *LIST_MEASURES.values()):
        told = [one.description]
        told += [f"Also {', '.join(one.aliases)}."] if one.aliases else []
        told += [f"Options: {'; '.join(one.option_texts)}."] if one.option_texts else []
        texts = [line for text in told for line in wrap(text, wide - narrow - 2, subsequent_indent="  ")]
        lines += [
            f"{name:<{narrow}}  {text}"
            for name, text in zip([one.name, *[""] * len(texts)], texts, strict=False)
        ]
    return "\n".join(lines) + "\n\n`ranking-udfs measures NAME` explains one.\n"


def render_explanations(measures: Sequence[Measure], width: int | None) -> str:
    wide = min(width or WIDEST, WIDEST)
    return "\n\n".join(render_explanation(one, wide) for one in measures) + "\n"


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

"""What `ranking-udfs measures` prints: every measure on a few lines, or all that there is to say of one."""

import inspect
from collections.abc import Sequence
from difflib import get_close_matches
from textwrap import fill, wrap

from ..measures.grammar import SPELLINGS, plain
from ..measures.registry import LIST_MEASURES, MEASURES, Measure
from .messages import DataError, shortened

WIDEST = 100
NAMES = (*MEASURES, *LIST_MEASURES)
CALLED = SPELLINGS | {plain(name): one for one in LIST_MEASURES.values() for name in (*one.names, one.label)}


def measure_called(name: str) -> Measure:
    """The measure of this name, alias or label."""
    found = CALLED.get(plain(name))
    if found is None:
        near = get_close_matches(plain(name), CALLED, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise DataError(f"measures: NAME must be the name of a measure, got {shortened(repr(name))}{hint}")
    return found


def listed(width: int | None) -> str:
    """All measures, each with what it is, its other names and its options."""
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


def explained(measures: Sequence[Measure], width: int | None) -> str:
    """All that there is to say of these measures."""
    wide = min(width or WIDEST, WIDEST)
    return "\n\n".join(explanation(one, wide) for one in measures) + "\n"


def explanation(one: Measure, width: int) -> str:
    """The head of a measure, and its docstring."""
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
    return "\n\n".join([*head, *(paragraph(text, width) for text in paragraphs.split("\n\n"))])


def paragraph(text: str, width: int) -> str:
    """The paragraph in lines of this width, unless its lines are its own, as those of an example are."""
    is_own = any(line.startswith((" ", ">>>")) for line in text.splitlines())
    return text if is_own else fill(text, width, break_long_words=False, break_on_hyphens=False)

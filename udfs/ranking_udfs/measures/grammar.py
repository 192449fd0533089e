"""The grammar of a measure with its options and cutoffs as a string: `ndcg(gain=linear)@5,10`.

    measures = measure { "," measure }
    measure  = name [ "(" options ")" ] [ "@" cutoffs ]
    name     = a measure's name, one of its aliases, or what a report calls it; in any case
    options  = pairs name=value, with commas or blanks between them
    cutoffs = integers of 0 or more, or `all` for the whole list, with commas between them

A comma within parentheses separates options. Any other comma starts a new measure if a name follows. Names
start with a letter. After an `@`, other values and `all` are further cutoffs. `ndcg(gain=linear)@5,10,recall`
has two measures, the first of them at 5 and 10.

The argument `options` of the functions holds the options alone.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..texts import nearest, shorten
from .contents import CONTENTS, own_column
from .rankings import WHOLE
from .registry import BY_NAME, LIST_MEASURES, MEASURES, Measure, Number, Option


def normalize_name(name: str) -> str:
    """Normalize a name: `Hit rate` and `hit-rate` are hit_rate."""
    return re.sub(r"\W+", "_", name.strip().lower())


SPELLINGS = BY_NAME | {normalize_name(measure.label): measure for measure in MEASURES.values()}
READABLE = SPELLINGS | CONTENTS  # the names that a request can use
LISTED = "`ranking-udfs measures` lists them"


@dataclass(frozen=True)
class Choice:
    """A measure with its options and its cutoffs."""

    measure: Measure
    given: Mapping[str, str]  # the options of the request, as written
    options: Mapping[str, Any]  # all options, as the measure's function takes them
    cuts: tuple[int | None, ...] = ()  # None for the whole list; () if none are named

    @property
    def options_text(self) -> str:
        """Options as written, for the functions' argument `options`: `gain=linear`."""
        return ",".join(f"{option}={value}" for option, value in self.given.items())

    @property
    def name(self) -> str:
        """Measure with its options: `ndcg(gain=linear)`."""
        return f"{self.measure.name}({self.options_text})" if self.given else self.measure.name

    @property
    def text(self) -> str:
        """Measure with its options and cutoffs: `ndcg(gain=linear)@5,10`."""
        cuts = ",".join("all" if k is None else str(k) for k in self.cuts)
        return f"{self.name}@{cuts}" if cuts else self.name

    @property
    def label(self) -> str:
        """Measure and its options in reports: `NDCG (gain=linear)`."""
        return f"{self.measure.label} ({self.options_text})" if self.given else self.measure.label

    def at(self, k: int | None) -> str:
        """Return the label at a cutoff: `NDCG@10 (gain=linear)`; for a column, its name."""
        if not self.measure.has_cutoff:
            return self.label
        at = f"{self.measure.label}@{'all' if k is None else k}"
        return f"{at} ({self.options_text})" if self.given else at


def parse_measures(text: str, known: Mapping[str, Measure] = READABLE, listed: str = LISTED) -> list[Choice]:
    """Parse measures separated by commas.

    Args:
        text: a string such as `ndcg(gain=linear)@5,10,recall`.
        known: valid names in normalized form, with their measures.
        listed: advice for errors: the place with a list of these names.

    Raises:
        ValueError: the broken rule and the invalid part of the text
    """
    parts: list[str] = []
    for part in re.split(r",(?![^()]*\))", text):  # commas outside of parentheses
        has_cuts = bool(parts) and "@" in parts[-1]
        if has_cuts and (part.strip() == "all" or not re.match(r"\s*[^\W\d_]", part)):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return [parse_measure(part, known, listed) for part in parts]


def parse_measure(text: str, known: Mapping[str, Measure] = READABLE, listed: str = LISTED) -> Choice:
    """Parse one measure, with the arguments and errors of `parse_measures`."""
    parts = re.fullmatch(r"([^()@]*)(?:\(([^()]*)\)\s*)?(?:@(.*))?", text.strip(), re.DOTALL)
    if parts is None:
        raise ValueError(f"measure must be like 'ndcg(gain=linear)@5,10', got {shorten(repr(text))}")
    called, options, cuts = parts.groups()
    if (measure := known.get(name := normalize_name(called))) is None:
        hint = listed
        if name in LIST_MEASURES and known is READABLE:
            hint = f"a function of SQL alone; {listed}"
        elif near := nearest(name, known):
            hint = f"did you mean {near}? {listed}"
        got = shorten(repr(called.strip()))
        raise ValueError(f"measure must be the name of a measure, got {got} ({hint})")
    written, chosen = parse_options(measure, measure.name, options, of_judged=True)
    ks = () if cuts is None else tuple(parse_cut_offs(cuts))
    return Choice(measure, written, chosen, ks)


def measure_of(name: str) -> Choice:
    """Return the measure of this name in a row of results, or else the user's own column."""
    if re.split("[(@]", name)[0].lower() in READABLE:
        return parse_measure(name)
    return Choice(own_column(name), {}, {}, (None,))


def merge_choices(choices: Iterable[Choice], default: Iterable[int | None]) -> list[Choice]:
    """Merge choices of the same name and their cutoffs; a choice without cutoffs has those `default`."""
    merged: dict[str, Choice] = {}
    for choice in choices:
        name = choice.name.lower()  # names of columns, in which 1e3 and 1E3 are the same
        before = merged[name].cuts if name in merged else ()
        cuts = dict.fromkeys((*before, *(choice.cuts or default)))
        merged[name] = replace(choice, cuts=tuple(cuts))
    return list(merged.values())


def parse_cut_offs(text: str) -> list[int | None]:
    """Parse cutoffs separated by commas; `all` becomes None, the whole list."""
    cuts: list[int | None] = []
    for k in map(str.strip, text.split(",")):
        if k != "all" and not re.fullmatch("[0-9]+", k):
            raise ValueError(f"cutoffs must be integers of 0 or more, or all, got {shorten(repr(k))}")
        cuts.append(None if k == "all" else min(int(k.lstrip("0")[:20] or "0"), WHOLE))
    return cuts


def parse_options(
    measure: Measure, name: str, text: str | None, of_judged: bool
) -> tuple[dict[str, str], dict[str, Any]]:
    """Parse `name=value` pairs: return them as written, and all options for the measure's function.

    Raises:
        ValueError: the measure has no such option, or the value is not valid
    """
    written: dict[str, str] = {}
    for pair in (text or "").replace(",", " ").split():
        option, equals, value = pair.partition("=")
        if option not in measure.options or not equals:
            valid = ", ".join(f"{option}={rule}" for option, rule in measure.options.items()) or "none"
            pairs = f"name=value pairs (valid: {valid})"
            raise ValueError(f"{name}: options must be {pairs}, got {shorten(repr(pair))}")
        if option in written:
            raise ValueError(f"{name}: option {option} must be given once, got {shorten(repr(text or ''))}")
        written[option] = value
    chosen = measure.defaults(of_judged)
    for option, value in written.items():
        rule = measure.options[option]
        if (parsed := rule.parse(value)) is None:
            raise ValueError(f"{name}: option {option} must be {rule}, got {shorten(repr(value))}")
        chosen[option] = parsed
    for option in written:
        check_companion(f"{name}: option {option}", measure.options[option], chosen)
    return written, chosen


def check_companion(what: str, rule: Option, chosen: Mapping[str, Any]) -> None:
    """Raise ValueError for an option that needs a certain value of another option, if that value differs.

    `what` is the option, with the function before it.
    """
    if isinstance(rule, Number) and rule.only_with and chosen[rule.only_with[0]] != rule.only_with[1]:
        other, needed = rule.only_with
        got = f"{other}={chosen[other]}"
        raise ValueError(f"{what} must go with {other}={needed}, got it with {got}")

"""The grammar of a measure, its options and its cutoffs as a text: `ndcg(gain=linear)@5,10`.

    measures = measure { "," measure }
    measure  = name [ "(" options ")" ] [ "@" cutoffs ]
    name     = a measure's name, one of its aliases, or what a report calls it; in any case
    options  = pairs name=value, with commas or blanks between them
    cutoffs = integers of 0 or more, or `all` for the whole list, with commas between them

A comma within parentheses stands between options. Any other begins a measure if a name follows, and every
name begins with a letter; behind an `@`, what is no name is one more cutoff, and so is `all`. In
`ndcg(gain=linear)@5,10,recall` there are two measures, the first of them at 5 and 10.

The options alone are what the functions' argument `options` holds.
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
READABLE = SPELLINGS | CONTENTS  # what a request may name
LISTED = "`ranking-udfs measures` lists them"


@dataclass(frozen=True)
class Choice:
    """A measure, the options to compute it with, and the cutoffs to compute it at."""

    measure: Measure
    given: Mapping[str, str]  # the options that were given, as they were written
    options: Mapping[str, Any]  # all options, as the measure's function takes them
    cuts: tuple[int | None, ...] = ()  # None among them for the whole list; () where none were named

    @property
    def options_text(self) -> str:
        """The given options as the functions' argument `options`: `gain=linear`."""
        return ",".join(f"{option}={value}" for option, value in self.given.items())

    @property
    def name(self) -> str:
        """The measure with its options: `ndcg(gain=linear)`."""
        return f"{self.measure.name}({self.options_text})" if self.given else self.measure.name

    @property
    def text(self) -> str:
        """The measure with its options and its cutoffs: `ndcg(gain=linear)@5,10`."""
        cuts = ",".join("all" if k is None else str(k) for k in self.cuts)
        return f"{self.name}@{cuts}" if cuts else self.name

    @property
    def label(self) -> str:
        """The measure and its options in reports: `NDCG (gain=linear)`."""
        return f"{self.measure.label} ({self.options_text})" if self.given else self.measure.label

    def at(self, k: int | None) -> str:
        """Return the label at a cutoff: `NDCG@10 (gain=linear)`; of a column the name alone."""
        if not self.measure.has_cutoff:
            return self.label
        at = f"{self.measure.label}@{'all' if k is None else k}"
        return f"{at} ({self.options_text})" if self.given else at


def parse_measures(text: str, known: Mapping[str, Measure] = READABLE, listed: str = LISTED) -> list[Choice]:
    """Parse measures with commas between them.

    Args:
        text: as `ndcg(gain=linear)@5,10,recall`.
        known: what may be named, by normalized names.
        listed: where to look for these, for errors.

    Raises:
        ValueError: the rule that the text breaks, and what stands there
    """
    found: list[str] = []
    for part in re.split(r",(?![^()]*\))", text):  # not within parentheses
        has_cuts = bool(found) and "@" in found[-1]
        if has_cuts and (part.strip() == "all" or not re.match(r"\s*[^\W\d_]", part)):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return [parse_measure(one, known, listed) for one in found]


def parse_measure(text: str, known: Mapping[str, Measure] = READABLE, listed: str = LISTED) -> Choice:
    """Parse one measure; arguments and errors as in `parse_measures`."""
    parts = re.fullmatch(r"([^()@]*)(?:\(([^()]*)\)\s*)?(?:@(.*))?", text.strip(), re.DOTALL)
    if parts is None:
        raise ValueError(f"measure must be like 'ndcg(gain=linear)@5,10', got {shorten(repr(text))}")
    called, options, cuts = parts.groups()
    if (measure := known.get(name := normalize_name(called))) is None:
        hint = listed
        if name in LIST_MEASURES and listed == LISTED:
            hint = f"a function of SQL alone: `ranking-udfs measures {name}`"
        elif near := nearest(name, known):
            hint = f"did you mean {near}? {listed}"
        got = shorten(repr(called.strip()))
        raise ValueError(f"measure must be the name of a measure, got {got} ({hint})")
    given, chosen = parse_options(measure, measure.name, options, of_judged=True)
    ks = () if cuts is None else tuple(parse_cut_offs(cuts))
    return Choice(measure, given, chosen, ks)


def measure_of(name: str) -> Choice:
    """Return what a row of results calls so: a measure, or else a column of the user's."""
    if re.split("[(@]", name)[0].lower() in READABLE:
        return parse_measure(name)
    return Choice(own_column(name), {}, {}, (None,))


def merge_choices(choices: Iterable[Choice], given: Iterable[int | None]) -> list[Choice]:
    """Merge choices of the same name and their cutoffs; one that names none has those `given`."""
    merged: dict[str, Choice] = {}
    for choice in choices:
        name = choice.name.lower()  # that of a column, to which 1e3 and 1E3 are the same
        before = merged[name].cuts if name in merged else ()
        cuts = dict.fromkeys((*before, *(choice.cuts or given)))
        merged[name] = replace(choice, cuts=tuple(cuts))
    return list(merged.values())


def parse_cut_offs(text: str) -> list[int | None]:
    """Parse cutoffs with commas between them; `all` is None, the whole list."""
    cuts: list[int | None] = []
    for k in map(str.strip, text.split(",")):
        if k != "all" and not re.fullmatch("[0-9]+", k):
            raise ValueError(f"cutoffs must be integers of 0 or more, or all, got {shorten(repr(k))}")
        cuts.append(None if k == "all" else min(int(k.lstrip("0")[:20] or "0"), WHOLE))
    return cuts


def parse_options(
    measure: Measure, name: str, text: str | None, of_judged: bool
) -> tuple[dict[str, str], dict[str, Any]]:
    """Parse `name=value` pairs: return them as written, and all options as the measure's function takes them.

    Raises:
        ValueError: an option or a value that the measure, called by this name, does not have
    """
    given: dict[str, str] = {}
    for pair in (text or "").replace(",", " ").split():
        option, equals, value = pair.partition("=")
        if option not in measure.options or not equals:
            valid = ", ".join(f"{one}={rule}" for one, rule in measure.options.items()) or "none"
            pairs = f"name=value pairs (valid: {valid})"
            raise ValueError(f"{name}: options must be {pairs}, got {shorten(repr(pair))}")
        if option in given:
            raise ValueError(f"{name}: option {option} must be given once, got {shorten(repr(text or ''))}")
        given[option] = value
    chosen = measure.defaults(of_judged)
    for option, value in given.items():
        rule = measure.options[option]
        if (found := rule.parse(value)) is None:
            raise ValueError(f"{name}: option {option} must be {rule}, got {shorten(repr(value))}")
        chosen[option] = found
    for option in given:
        check_companion(f"{name}: option {option}", measure.options[option], chosen)
    return given, chosen


def check_companion(what: str, rule: Option, chosen: Mapping[str, Any]) -> None:
    """Raise ValueError for an option that goes with one value of another alone, which has a different one.

    `what` is the option, with the function before it.
    """
    if isinstance(rule, Number) and rule.only_with and chosen[rule.only_with[0]] != rule.only_with[1]:
        other, needed = rule.only_with
        got = f"{other}={chosen[other]}"
        raise ValueError(f"{what} must go with {other}={needed}, got it with {got}")

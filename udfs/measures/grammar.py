"""How a text names a measure, its options and its cut-offs: `ndcg(gain=linear)@5,10`.

    measures = measure { "," measure }
    measure  = name [ "(" options ")" ] [ "@" cut-offs ]
    name     = a measure's name, one of its aliases, or what a report calls it; in any case
    options  = pairs name=value, with commas or blanks between them
    cut-offs = integers of 0 or more, or `all` for the whole list, with commas between them

A comma within parentheses stands between options. Any other begins a measure if a name follows, and every
name begins with a letter; behind an `@`, what is no name is one more cut-off, and so is `all`. In
`ndcg(gain=linear)@5,10,recall` there are two measures, the first of them at 5 and 10.

The options alone are what the functions' argument `options` holds.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from .registry import BY_NAME, MEASURES, Measure, Number

LONGEST = 2**63 - 1  # a k beyond it says no more


def plain(name: str) -> str:
    """The name without what people write differently: `Hit rate` and `hit-rate` are hit_rate."""
    return re.sub(r"\W+", "_", name.strip().lower())


SPELLINGS = BY_NAME | {plain(measure.label): measure for measure in MEASURES.values()}


@dataclass(frozen=True)
class Choice:
    """A measure, the options to compute it with, and the cut-offs to compute it at.

    given    the options that were given, as they were written
    options  all options, as the measure's function takes them
    cuts     the cut-offs, None among them for the whole list; () where none were named
    """

    measure: Measure
    given: Mapping[str, str]
    options: Mapping[str, Any]
    cuts: tuple[int | None, ...] = ()

    @property
    def options_text(self) -> str:
        """The given options, as the functions' argument `options` takes them."""
        return ",".join(f"{option}={value}" for option, value in self.given.items())

    @property
    def arguments_text(self) -> str:
        """The given options, as a macro takes them behind its other arguments: `, gain := 'linear'`."""
        is_number = {name: isinstance(option, Number) for name, option in self.measure.options.items()}
        return "".join(
            f", {name} := {value}"
            if is_number[name]
            else f", {name} := '{value}'"  # a word of the registry's
            for name, value in self.given.items()
        )

    @property
    def name(self) -> str:
        """The measure with its options: `ndcg(gain=linear)`."""
        return f"{self.measure.name}({self.options_text})" if self.given else self.measure.name

    @property
    def text(self) -> str:
        """The measure with its options and its cut-offs: `ndcg(gain=linear)@5,10`."""
        cuts = ",".join("all" if k is None else str(k) for k in self.cuts)
        return f"{self.name}@{cuts}" if cuts else self.name

    @property
    def label(self) -> str:
        """The same as a report calls it: `NDCG (gain=linear)`."""
        return f"{self.measure.label} ({self.options_text})" if self.given else self.measure.label


def parse_measures(text: str) -> list[Choice]:
    """The measures that a text names, with commas between them."""
    found: list[str] = []
    for part in re.split(r",(?![^()]*\))", text):  # not within parentheses
        has_cuts = bool(found) and "@" in found[-1]
        if has_cuts and (part.strip() == "all" or not re.match(r"\s*[^\W\d_]", part)):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return [parse_measure(one) for one in found]


def parse_measure(text: str) -> Choice:
    """The measure that a text names."""
    parts = re.fullmatch(r"([^()@]*)(?:\(([^()]*)\)\s*)?(?:@(.*))?", text.strip(), re.DOTALL)
    if parts is None:
        raise ValueError(f"measure must be like 'ndcg(gain=linear)@5,10', got {shortened(text)}")
    called, options, cuts = parts.groups()
    measure = SPELLINGS.get(plain(called))
    if measure is None:
        near = get_close_matches(plain(called), SPELLINGS, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        got = shortened(called.strip())
        raise ValueError(f"measure must be the name of a measure, got {got}{hint}")
    given = pairs(measure, measure.name, options)
    chosen = parsed(measure, measure.name, given)
    ks = () if cuts is None else tuple(cut_offs(cuts))
    return Choice(measure, given, chosen, ks)


def each_once(choices: Iterable[Choice], given: Iterable[int | None]) -> list[Choice]:
    """The choices, each once and with all of its cut-offs; one that names none has those `given`."""
    merged: dict[str, Choice] = {}
    for choice in choices:
        name = choice.name.lower()  # that of a column, to which 1e3 and 1E3 are the same
        before = merged[name].cuts if name in merged else ()
        cuts = dict.fromkeys((*before, *(choice.cuts or given)))
        merged[name] = replace(choice, cuts=tuple(cuts))
    return list(merged.values())


def cut_offs(text: str) -> list[int | None]:
    """The cut-offs that a text says, with commas between them."""
    return [cut_off(k) for k in text.split(",")]


def cut_off(text: str) -> int | None:
    """The cut-off that a text says, None for the whole list."""
    text = text.strip()
    if text == "all":
        return None
    if not re.fullmatch("[0-9]+", text):
        raise ValueError(f"cut-offs must be integers of 0 or more, or all, got {shortened(text)}")
    return min(int(text.lstrip("0")[:20] or "0"), LONGEST)


def parse_options(measure: Measure, name: str, text: str | None) -> dict[str, Any]:
    """The options as the measure's function takes them: its defaults, and what the text says."""
    return parsed(measure, name, pairs(measure, name, text))


def pairs(measure: Measure, name: str, text: str | None) -> dict[str, str]:
    """The options that a text gives, as they are written."""
    given: dict[str, str] = {}
    for pair in (text or "").replace(",", " ").split():
        option, equals, value = pair.partition("=")
        if option not in measure.options or not equals:
            valid = ", ".join(f"{one}={rule}" for one, rule in measure.options.items()) or "none"
            rule = f"name=value pairs (valid: {valid})"
            raise ValueError(f"{name}: options must be {rule}, got {shortened(pair)}")
        if option in given:
            raise ValueError(f"{name}: option {option} must be given once, got {shortened(text or '')}")
        given[option] = value
    return given


def parsed(measure: Measure, name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The options as the measure's function takes them."""
    chosen = measure.defaults
    for option, value in given.items():
        rule = measure.options[option]
        if (found := rule.parse(value)) is None:
            raise ValueError(f"{name}: option {option} must be {rule}, got {shortened(value)}")
        chosen[option] = found
    for option in given:
        rule = measure.options[option]
        if isinstance(rule, Number) and rule.only_with and chosen[rule.only_with[0]] != rule.only_with[1]:
            other, needed = rule.only_with
            got = f"{other}={chosen[other]}"
            raise ValueError(f"{name}: option {option} must go with {other}={needed}, got it with {got}")
    return chosen


def shortened(text: str) -> str:
    """The text in quotes, for an error."""
    return repr(text if len(text) <= 100 else f"{text[:100]}...")

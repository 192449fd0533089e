"""Conditions of `--fail-if`: their forms, and rules between them and other options; without DuckDB."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..texts import shorten
from .messages import PROGRAM

PROBLEMS, VERDICT, BOUND, LOSERS, SQL = "problems", "verdict", "bound", "losers", "SQL"  # kinds
WAYS = ("higher", "lower")  # verdicts on measures without a better direction
VERDICTS = ("worse", "unclear", "same", "better", *WAYS)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
IS_BOUND = re.compile(rf"(\w+\S*?)\s*(<=|>=|<|>)\s*({NUMBER})", re.IGNORECASE)
IS_VERDICT = re.compile(rf"(segments\s+)?(?:(\S+)\s+)?({'|'.join(VERDICTS)})")
IS_SQL = re.compile(r"[=<>]|\b(?:and|or|not|between|in|is|like)\b", re.IGNORECASE)
IS_LOSERS = re.compile(rf"losers\s*\(\s*({NUMBER})\s*\)\s*(>=?)\s*(\d+)")
PART = re.compile(r"""(?:\([^()]*\)|'[^']*'|"[^"]*"|[^,])+""")  # one condition of a list with commas
NAME = re.compile(r"""'[^']*'|"([^"]+)"|\b([a-z_]\w*)\b(?!\s*\()""", re.IGNORECASE)
OF_SAME = {"p_same", "p_same_adjusted", "verdict"}
OF_SIGNIFICANCE = {"p", "p_adjusted"} | OF_SAME
CORRECTED = OF_SIGNIFICANCE | {"minimum_detectable_effect", "users_needed"}  # over all rows of a gate
RULE = "must be a verdict (worse), a bound (ndcg@10 < 0.3), problems or a condition of SQL"


@dataclass(frozen=True)
class Condition:
    """One condition of `--fail-if`: on problems of the data, or on results.

    A verdict and an SQL condition are tested on the rows of the results, a bound on each mean in these rows.
    """

    text: str  # as the user wrote it
    kind: str = SQL
    holds: str = ""  # the SQL condition that makes a row fail
    measure: str | None = None  # the measure of its rows, with options; None for all
    cuts: tuple[int | None, ...] = ()  # the cutoffs of its rows; () for all
    is_beyond_accuracy: bool | None = None  # whether a verdict is on beyond-accuracy measures
    is_on_segments: bool | None = None  # whether a verdict is on segments or on all users
    codes: tuple[str, ...] = ()  # the codes of `problems(CODE, ...)`; () for all
    threshold: float = 0  # losers: the smallest loss that counts
    least: int = 0  # losers: the smallest number of users that fails

    @property
    def names(self) -> set[str]:
        """The names in an SQL condition: columns and SQL keywords."""
        matches = NAME.findall(self.text) if self.kind == SQL else []
        return {quoted or plain.lower() for quoted, plain in matches}

    @property
    def is_tested(self) -> bool:
        """True for a condition on verdicts or p. Both are corrected over all rows of such conditions."""
        return self.kind == VERDICT or bool(self.names & CORRECTED)

    @property
    def is_of_significance(self) -> bool:
        return self.kind == VERDICT or bool(self.names & OF_SIGNIFICANCE)

    @property
    def is_compared(self) -> bool:
        """True for a condition on columns that only comparisons have."""
        return self.is_tested or self.kind == LOSERS


# Errors for conditions that do not fit the options of the command, each with its test.
RULES: Mapping[str, Callable[[Condition, Any], Any]] = {
    "of the check must be problems or problems(CODE, ...), got {}": (
        lambda condition, of: condition.kind != PROBLEMS and of.command == "check"
    ),
    "{} requires the check of the data; remove --no-check": (
        lambda condition, of: condition.kind == PROBLEMS and of.no_check
    ),
    f"{{}} requires verdicts; use `{PROGRAM} compare`": (
        lambda condition, of: condition.is_compared and of.command != "compare"
    ),
    "{} requires --margin NUMBER": (
        lambda condition, of: condition.kind == VERDICT and "same" in condition.holds and of.margin is None
    ),
    "{} requires --baseline NAME or --steps": lambda condition, of: (
        condition.is_compared and of.baseline is None and not of.steps
    ),
    "{} requires --segment FILE:COLUMN": lambda condition, of: (
        condition.is_on_segments and of.segment is None
    ),
    "{} requires results, and --format sql computes none": lambda _, of: of.format == "sql",
}


def parse_conditions(text: str) -> list[Condition]:
    """Parse a list of conditions with commas between them.

    Raises:
        ValueError: A condition breaks a rule; the message states the rule.
    """
    return [parse_condition(part.strip()) for part in PART.findall(text) or [""]]


def parse_condition(text: str) -> Condition:
    """Parse one condition of a known form, or an SQL condition; errors as in `parse_conditions`."""
    for form, parse in FORMS.items():
        if (match := form.fullmatch(text)) and (condition := parse(text, match)):
            return condition
    if IS_SQL.search(text):
        return Condition(text, holds=text)
    raise ValueError(f"{RULE}, got {shorten(repr(text))}")


def parse_problems(text: str, match: re.Match[str]) -> Condition:
    codes = (code.strip().lower() for code in (match[1] or "").split(","))
    return Condition(text, PROBLEMS, codes=tuple(filter(None, codes)))


def parse_losers(text: str, _: re.Match[str]) -> Condition:
    lost = IS_LOSERS.fullmatch(text)
    if not lost or not 0 < float(lost[1]) < float("inf") or lost[2] + lost[3] == ">=0":
        rule = "losers(LOSS) > COUNT must have a loss above 0 and a count, as in losers(0.5) > 3"
        raise ValueError(f"{rule}, got {shorten(repr(text))}")
    return Condition(text, LOSERS, threshold=float(lost[1]), least=int(lost[3]) + (lost[2] == ">"))


def parse_verdict(text: str, match: re.Match[str]) -> Condition:
    from ..measures.contents import CONTENTS

    condition, verdict = parse_measured(match[2], text), match[3]
    is_beyond_accuracy = None if verdict in ("unclear", "same") else verdict in WAYS
    if (
        None not in (condition.measure, is_beyond_accuracy)
        and (condition.measure in CONTENTS) is not is_beyond_accuracy
    ):
        right = "worse or better" if is_beyond_accuracy else "lower or higher, since neither is better"
        raise ValueError(f"the verdict on {condition.measure} must be {right}, got {shorten(repr(text))}")
    condition = replace(condition, is_beyond_accuracy=is_beyond_accuracy, is_on_segments=bool(match[1]))
    return replace(condition, kind=VERDICT, holds=f"verdict = '{verdict}'")


def parse_bound(text: str, match: re.Match[str]) -> Condition | None:
    """Parse a bound on a measure; return None if the name may be a column."""
    try:
        condition = parse_measured(match[1], text)
    except ValueError:
        if not re.fullmatch(r"\w+", match[1]):
            raise
        return None
    return replace(
        condition, kind=BOUND, holds=f"isnan(value) OR value {match[2]} '{float(match[3])}'::DOUBLE"
    )


FORMS: Mapping[re.Pattern[str], Callable[[str, re.Match[str]], Condition | None]] = {
    re.compile(rf"{PROBLEMS}(?:\((.+)\))?"): parse_problems,
    re.compile(r"losers\b.*", re.DOTALL): parse_losers,
    IS_VERDICT: parse_verdict,
    IS_BOUND: parse_bound,
}


def parse_measured(text: str | None, condition: str) -> Condition:
    """Parse the measure of a condition, `MEASURE[@K]`, or the absence of one."""
    from ..measures import grammar

    try:
        choice = text and grammar.parse_measure(text)
    except ValueError as error:
        raise ValueError(f"{error} in {shorten(repr(condition))}") from None
    return Condition(condition, measure=choice.name, cuts=choice.cuts) if choice else Condition(condition)

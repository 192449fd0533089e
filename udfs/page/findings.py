"""What a report shows, as plain data: aggregates alone, so that no report grows with the number of users."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]

UNNAMED = "recommendations"  # what one model without a name is called


@dataclass(frozen=True)
class Measured:
    """A measure, and the cut-offs at which it was taken; a chart of one cut-off shows the first.

    name     the column: `ndcg(gain=linear)`
    label    what people call it: `NDCG`
    options  those that it was computed with: `gain=linear`
    cuts     None among them for the whole list
    better   "more" or "less"; "" if that says nothing of a system
    """

    name: str
    label: str
    options: str
    cuts: Sequence[int | None]
    better: str

    @property
    def title(self) -> str:
        """The measure with its options, as people call it."""
        return f"{self.label} ({self.options})" if self.options else self.label

    def at(self, k: int | None) -> str:
        """The measure at this cut-off, as people call it."""
        return f"{self.label}@{cut_text(k)}" + (f" ({self.options})" if self.options else "")


@dataclass(frozen=True)
class Histogram:
    """How many users have which value of one measure at one cut-off.

    edges  between the bins, one more than bins
    bins   for each system, how many users are in each; a value at an edge is in the bin above it
    apart  those who are in no bin, for each system, by what they have: "exactly 0" where that can be, and
           "no value" where some users have none
    """

    edges: Sequence[float]
    bins: Mapping[str, Sequence[int]]
    apart: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Findings:
    """What was found out.

    systems       the names of the models, the baseline first; one if nothing is compared
    measures      in the order in which they were asked for; the first is what verdicts are of
    confidence    of all intervals
    margin        up to which two models are the same, if any
    verdicts      a sentence for each model that is compared
    problems      rows of ranking_check; None if it was not asked
    notes         what else is to be said about the data
    counts        of each system: users, users_without_rec, users_without_truth
    means         system, k, place (of the measure), users (with a value), mean, low, high
    comparisons   rows of ranking_compare_by_user, for all users
    segment       what segments are called; None if there are none
    segments      of the first measure: segment, system, users, low, high, and `value`: the difference to the
                  baseline, or with one system the mean; the largest segments first
    more_segments how many smaller segments there are beside those
    curve         system, recall, precision
    histogram     of the first measure
    losers        for each system that is compared, the users whose first measure becomes worse by the most:
                  userid, baseline, system, difference
    facts         how the report was made: what, and its value
    sql           the statements that made it
    """

    systems: Sequence[str]
    measures: Sequence[Measured]
    confidence: float
    margin: float | None
    verdicts: Sequence[str]
    problems: Sequence[Row] | None
    notes: Sequence[str]
    counts: Mapping[str, Row]
    means: Sequence[Row]
    comparisons: Sequence[Row]
    segment: str | None
    segments: Sequence[Row]
    more_segments: int
    curve: Sequence[Row]
    histogram: Histogram
    losers: Mapping[str, Sequence[Row]]
    facts: Sequence[tuple[str, str]]
    sql: str

    @property
    def baseline(self) -> str | None:
        """The model that the others are compared with."""
        return self.systems[0] if len(self.systems) > 1 else None

    @property
    def first(self) -> Measured:
        """The measure that verdicts are of."""
        return self.measures[0]


def cut_text(k: int | None) -> str:
    """A cut-off as people read it."""
    return "all" if k is None else str(k)


def cut_order(k: int | None) -> tuple[bool, int]:
    """By which cut-offs are sorted, the whole list last."""
    return k is None, k or 0


MARKS = {"better": "+", "worse": "-", "same": "=", "unclear": "?"}
DIGITS = 4  # significant ones, where people read them


def short(number: float | None, digits: int = DIGITS) -> str:
    """A number as people read it: 0.012, 2e-9; integers whole."""
    if number is None or isinstance(number, int):
        return "" if number is None else str(number)
    return re.sub(r"e([+-])0*", r"e\1", f"{number:.{digits}g}").replace("e+", "e")

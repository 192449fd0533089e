"""The contents of a report as plain data: aggregates alone, so that it does not grow with the users."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..evaluation.comparison import ComparisonOptions
from ..evaluation.pairs import ModelOrder
from ..evaluation.words import Row
from ..measures.grammar import Choice

UNNAMED = "recommendations"  # the label of one model without a name


@dataclass(frozen=True)
class Histogram:
    """A histogram of the users' values of one measure at one cut-off."""

    edges: Sequence[float]  # between the bins, one more than bins
    # for each system, how many users are in each; a value at an edge is in the bin above it
    bins: Mapping[str, Sequence[int]]
    # those who are in no bin, for each system, by what they have: "exactly 0" where that can be, and "no
    # value" where some users have none
    apart: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Example:
    """The lists of one user of two models."""

    user: str  # the userid
    # of each of the models: by rank, the item and whether it is relevant
    lists: Mapping[str, Sequence[tuple[str, bool]]]
    missed: Mapping[str, Sequence[str]]  # of each of the models, the relevant items that are not in its list


@dataclass(frozen=True)
class Contents:
    """The contents of the lists, down to one cut-off."""

    k: int | None  # that cut-off, the largest of the first measure
    sentences: Sequence[str]  # the most important of it, in words
    wholes: Sequence[Row]  # rows of ranking_beyond_accuracy
    popularity: Sequence[Row]  # of each system: users (with a list), mean, low, high
    # of each system and the largest categories: users, recommended and history, the shares of it in the lists
    # and in what their users had; () without items
    categories: Sequence[Row]
    more_categories: int  # how many smaller categories there are beside those
    head: float  # the share of the history that the head has at least


@dataclass(frozen=True)
class Findings:
    """The results that a report shows."""

    systems: Sequence[str]  # the names of the models, the baseline first; one if nothing is compared
    measures: Sequence[Choice]  # in the order in which they were asked for; the first is what verdicts are of
    options: ComparisonOptions  # of all comparisons, the baseline among them
    # which model is the best, and whether surely; None if there is one model, or no order
    leading: str | None
    # what the best model achieves, in words, and beside it the baseline, a sentence per measure
    headlines: Sequence[str]
    verdicts: Sequence[str]  # a sentence for each model that is compared
    best: str | None  # the best against the second best, if there are three models or more
    caveats: Sequence[str]  # what in the data stands against the verdict; () if it was not checked
    # the models in order, by the name of the measure and k, where there is an order
    orders: Mapping[tuple[str, int | None], ModelOrder]
    problems: Sequence[str] | None  # a line for each row of ranking_check; None if it was not asked
    # of each system: users, users_without_rec, users_without_truth, users_without_relevant, and judged_share
    # of the first cut-off
    counts: Mapping[str, Row]
    # what was read: system or is_truth, name, modified (a date, if it is a file), and how many lines, users
    # and items it has; of truth with times the earliest and latest date
    tables: Sequence[Row]
    # system, k, measure (its name), users (with a value), mean, low, high; zeros, least, most: how many
    # values are 0, the smallest and the largest
    means: Sequence[Row]
    comparisons: Sequence[Row]  # rows of ranking_compare_by_user, for all users
    segment: str | None  # what segments are called; None if there are none
    # of the first measure: segment, system, users, low, high, and the difference to the baseline, or with one
    # system the mean; the largest segments first
    segments: Sequence[Row]
    more_segments: int  # how many smaller segments there are beside those
    curve: Sequence[Row]  # system, recall, precision
    histogram: Histogram  # of the first measure
    # for each system that is compared, the users whose first measure becomes worse by the most: userid,
    # baseline, value, difference; and losers, how many users lose, and sharing, how many lose as much
    losers: Mapping[str, Sequence[Row]]
    overlaps: Sequence[Row]  # rows of ranking_overlap with the baseline, at the first cut-off
    example: Example | None  # the lists of a user who loses most, at the first cut-off; None if nobody loses
    contents: Contents | None  # what is in the lists; None without a history
    facts: Sequence[tuple[str, str]]  # how the report was made: what, and its value
    sql: str  # the statements that made it

    @property
    def baseline(self) -> str | None:
        """The model that the others are compared with."""
        return self.systems[0] if len(self.systems) > 1 else None

    @property
    def first(self) -> Choice:
        """The measure that verdicts are of."""
        return self.measures[0]

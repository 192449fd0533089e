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
    """A histogram of the users' values of one measure at one cut-off.

    edges  between the bins, one more than bins
    bins   for each system, how many users are in each; a value at an edge is in the bin above it
    apart  those who are in no bin, for each system, by what they have: "exactly 0" where that can be, and
           "no value" where some users have none
    """

    edges: Sequence[float]
    bins: Mapping[str, Sequence[int]]
    apart: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Example:
    """The lists of one user of two models.

    user    the userid
    lists   of each of the models: by rank, the item and whether it is relevant
    missed  of each of the models, the relevant items that are not in its list
    """

    user: str
    lists: Mapping[str, Sequence[tuple[str, bool]]]
    missed: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Contents:
    """The contents of the lists, down to one cut-off.

    k           that cut-off, the largest of the first measure
    sentences   the most important of it, in words
    wholes      rows of ranking_beyond_accuracy
    popularity  of each system: users (with a list), mean, low, high
    categories  of each system and the largest categories: users, recommended and history, the shares of it in
                the lists and in what their users had; () without items
    more_categories  how many smaller categories there are beside those
    head        the share of the history that the head has at least
    """

    k: int | None
    sentences: Sequence[str]
    wholes: Sequence[Row]
    popularity: Sequence[Row]
    categories: Sequence[Row]
    more_categories: int
    head: float


@dataclass(frozen=True)
class Findings:
    """The results that a report shows.

    systems       the names of the models, the baseline first; one if nothing is compared
    measures      in the order in which they were asked for; the first is what verdicts are of
    options       of all comparisons, the baseline among them
    leading       which model is the best, and whether surely; None if there is one model, or no order
    headlines     what the best model achieves, in words, and beside it the baseline, a sentence per measure
    verdicts      a sentence for each model that is compared
    best          the best against the second best, if there are three models or more
    caveats       what in the data stands against the verdict; () if it was not checked
    orders     the models in order, by the name of the measure and k, where there is an order
    problems      a line for each row of ranking_check; None if it was not asked
    counts        of each system: users, users_without_rec, users_without_truth, users_without_relevant, and
                  judged_share of the first cut-off
    tables        what was read: system or is_truth, name, modified (a date, if it is a file), and how many
                  lines, users and items it has; of truth with times the earliest and latest date
    means         system, k, measure (its name), users (with a value), mean, low, high; zeros, least, most:
                  how many values are 0, the smallest and the largest
    comparisons   rows of ranking_compare_by_user, for all users
    segment       what segments are called; None if there are none
    segments      of the first measure: segment, system, users, low, high, and the difference to the baseline,
                  or with one system the mean; the largest segments first
    more_segments how many smaller segments there are beside those
    curve         system, recall, precision
    histogram     of the first measure
    losers        for each system that is compared, the users whose first measure becomes worse by the most:
                  userid, baseline, value, difference; and losers, how many users lose, and sharing, how many
                  lose as much
    overlaps      rows of ranking_overlap with the baseline, at the first cut-off
    example       the lists of a user who loses most, at the first cut-off; None if nobody loses
    contents      what is in the lists; None without a history
    facts         how the report was made: what, and its value
    sql           the statements that made it
    """

    systems: Sequence[str]
    measures: Sequence[Choice]
    options: ComparisonOptions
    leading: str | None
    headlines: Sequence[str]
    verdicts: Sequence[str]
    best: str | None
    caveats: Sequence[str]
    orders: Mapping[tuple[str, int | None], ModelOrder]
    problems: Sequence[str] | None
    counts: Mapping[str, Row]
    tables: Sequence[Row]
    means: Sequence[Row]
    comparisons: Sequence[Row]
    segment: str | None
    segments: Sequence[Row]
    more_segments: int
    curve: Sequence[Row]
    histogram: Histogram
    losers: Mapping[str, Sequence[Row]]
    overlaps: Sequence[Row]
    example: Example | None
    contents: Contents | None
    facts: Sequence[tuple[str, str]]
    sql: str

    @property
    def baseline(self) -> str | None:
        """The model that the others are compared with."""
        return self.systems[0] if len(self.systems) > 1 else None

    @property
    def first(self) -> Choice:
        """The measure that verdicts are of."""
        return self.measures[0]

"""Find the smallest cutoff with nearly the value of the largest one, by paired differences of users."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, sqrt

from ..compose.call import range_of
from ..compose.means import mean
from ..measures.grammar import Choice
from ..quoting import identifier
from ..texts import printable
from .queries import Request, cut_off_condition
from .words import Row, cut_off_key, format_number, join_names

FEW_DIFFERING = 10  # users: with fewer, the distribution of the differences is not known
SHARE = 0.01  # of the range of a measure: the margin if none is given


def shortfalls_query(request: Request, choice: Choice, system: str, confidence: float) -> str:
    """Return the query for the loss of each cutoff: the mean difference from the largest cutoff.

    Losses are positive, for measures with lower values as better too. `system` is `system, ` if there are
    several models.
    """
    *others, largest = sorted(choice.cuts, key=cut_off_key)
    value, by_user = identifier(choice.name), request.table("by_user")
    sides = ("last", "one") if choice.measure.higher_is_better else ("one", "last")
    two_sided = min(round(2 * (1 - confidence), 15), 1.0)  # one side of it is 1 - confidence
    return f"""SELECT {system}k, count(difference) AS users,
    count(*) FILTER (abs(difference) > 1e-12) AS differing,
    {mean("difference", False)} AS mean,
    CASE WHEN max(difference) - min(difference) > 1e-12 THEN stddev_samp(difference) ELSE 0 END AS deviation,
    skewness(difference) AS skewness,
    system.main._ranking_arrow_t_quantile({two_sided}, nullif(count(difference) - 1, 0)) AS t
FROM (
    SELECT {"one.system, " * bool(system)}one.k, {sides[0]}.{value} - {sides[1]}.{value} AS difference
    FROM {by_user} AS one
    JOIN (FROM {by_user} WHERE {cut_off_condition([largest])}) AS last USING ({system}userid)
    WHERE one.k IN ({", ".join(map(str, others))})
)
WHERE difference IS NOT NULL
GROUP BY ALL"""


def upper_bound(row: Row, width: float, confidence: float) -> float:
    """Return the one-sided upper confidence bound of a mean difference, infinite if the data have none.

    Most users lose nothing by a shorter list, and few lose much. Such differences are skewed, and the bound
    of a t-test is too low too often: hence Johnson's correction for skewness. If fewer than FEW_DIFFERING
    users differ, the bound is the upper end of Wilson's interval for their share, times the width of the
    measure's range. If all users differ by the same amount, the rule of three takes its place.

    Source: Johnson (1978), Modified t tests and confidence intervals for asymmetrical populations
    """
    users, differing, t = row["users"], row["differing"], row["t"]
    if t is None:
        return inf
    rule_of_three = (1 - (1 - confidence) ** (1 / users)) * width
    if not row["deviation"]:
        return float(row["mean"] + rule_of_three)
    if differing < FEW_DIFFERING:
        half = t * sqrt(differing * (users - differing) / users + t * t / 4)
        return float(max((differing + t * t / 2 + half) / (users + t * t) * width, rule_of_three))
    skewed = max(row["skewness"], 0) * (1 + 2 * t * t) / (6 * sqrt(users))
    return float(row["mean"] + row["deviation"] / sqrt(users) * (t + skewed))


def margin_of(choice: Choice, margin: float | None) -> float | None:
    """Return the margin if there is one, else a share of the measure's range; None if that is infinite."""
    width = width_of(choice)
    return SHARE * width if margin is None and isfinite(width) else margin


def width_of(choice: Choice) -> float:
    return range_of(choice).high - range_of(choice).low


def smallest_near(rows: Sequence[Row], margin: float, width: float, confidence: float) -> int | None:
    """Return the smallest cutoff for which its bound and all bounds of larger cutoffs are below the margin.

    Returns None if there is none. `rows` are the rows of one model. The tests go from the largest cutoff down
    to the first that fails. In such a fixed sequence, their number needs no correction.
    """
    near = None
    for row in sorted(rows, key=lambda row: cut_off_key(row["k"]), reverse=True):
        if upper_bound(row, width, confidence) >= margin:
            break
        near = row["k"]
    return near


def depth_sentence(
    cutoffs: Mapping[str, int | None], choice: Choice, margin: float, confidence: float
) -> str:
    """Name the smallest cutoff of each model whose value is near the one at the largest cutoff."""
    models: dict[int | None, list[str]] = {}
    for system, k in cutoffs.items():
        models.setdefault(k, []).append(printable(system))
    largest = max(choice.cuts, key=cut_off_key)
    end = "for the whole list" if largest is None else f"at k = {largest}"
    way = "below" if choice.measure.higher_is_better else "above"
    texts = [
        f"{'for no smaller k' if k is None else f'from k = {k} on'} with {join_names(names)}"
        for k, names in models.items()
    ]
    near = f"{choice.label} is less than {format_number(margin)} {way} its value {end}: {'; '.join(texts)}"
    return f"{near} ({format_number(100 * confidence, 15)}% confidence, one-sided)."

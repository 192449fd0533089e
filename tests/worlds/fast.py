"""The rule of upside_down over whole arrays, for many draws: of full lists without equal scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.worlds.generators import Ints


class Evidence(NamedTuple):
    """What lists say of which end of their scores is up."""

    n: int
    below: int
    above: int
    z_users: float
    items: int
    z_items: float

    def severity(self, in_steps: bool = False, looks_ranked: bool = False) -> str | None:
        """The severity of the row that ranking_check has; None for no row."""
        bound = -1.65 if in_steps or looks_ranked else -3.3
        if self.n >= 30 and self.items >= 10 and self.z_users < bound and self.z_items < -3.3:
            return "wrong"
        if looks_ranked and self.below > self.above:
            return "doubtful"
        return "info" if looks_ranked and not self.n else None


def evidence(items: Ints, hits: NDArray[np.bool_], reverse: bool = False) -> Evidence:
    """The evidence of lists by their items, best first, and by which of these are relevant."""
    length = hits.shape[1]
    n_hits = hits.sum(1)
    telling = (n_hits > 0) & (n_hits < length)
    items, hits, n_hits = items[telling], hits[telling], n_hits[telling]
    users, places = np.nonzero(hits)
    of_others = np.cumsum(~hits, axis=1)[users, places]  # those above a hit
    others = (length - n_hits)[users]
    # An integer is exact: twice the share of others below, less 1, times the number of others.
    twice = (others - 2 * of_others) * (-1 if reverse else 1)
    by_user = np.bincount(users, twice, len(hits))
    deviations = twice / others / 2
    listed = items[users, places]
    counts = np.bincount(listed)
    totals, counts = np.bincount(listed, deviations)[counts > 0], counts[counts > 0]
    return Evidence(
        len(hits),
        int((by_user < 0).sum()),
        int((by_user > 0).sum()),
        z(np.bincount(users, deviations, len(hits)) / n_hits),
        len(counts),
        z_of_items(totals, counts),
    )


def z_of_items(totals: NDArray[np.float64], counts: Ints) -> float:
    """How many standard errors the mean over items is from 0, each weighed by the root of its users."""
    weights = np.sqrt(counts)
    if len(counts) < 2 or weights.sum() ** 2 < 6 * counts.sum():
        return 0.0
    mean = (totals / weights).sum() / weights.sum()
    squares = (counts * (totals / counts - mean) ** 2).sum() * len(counts) / (len(counts) - 1)
    if squares < 1e-12:
        return float(np.sign(mean) * np.inf) if abs(mean) > 1e-12 else 0.0
    return float((totals / weights).sum() / np.sqrt(squares))


def z(values: NDArray[np.float64]) -> float:
    """How many standard errors the mean is from 0."""
    if len(values) < 2:
        return 0.0
    mean, deviation = values.mean(), values.std(ddof=1)
    if deviation < 1e-12:
        return float(np.sign(mean) * np.inf) if abs(mean) > 1e-12 else 0.0
    return float(mean / deviation * np.sqrt(len(values)))

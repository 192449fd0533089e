"""The power of the exact sign test (McNemar) of two runs by hit rate; it needs no run.

The power depends on the number of users, and on the shares of users that gain and that lose a hit.

Source: McNemar (1947); Duffy (1984) for the exact unconditional power
"""

from bisect import bisect_left
from functools import lru_cache

from ..measures.arrays import Floats, Ints, np

POWER = 0.8
LOSSES = (0.0, 0.05, 0.1, 0.2)  # assumed shares of users that lose a hit
MOST_USERS = 100_000  # upper limit of the search for a number of users
STEPS = 2**50  # resolution of the search for a difference


@lru_cache(maxsize=4)
def critical_gains(users: int, alpha: float) -> Ints:
    """Return the smallest number of gains with p < alpha, for 0 to `users` users that gain or lose.

    p is twice `tail`, the probability of at least `critical` heads. It is updated toss by toss; `at` is the
    probability of `critical` - 1 heads. Both are exact up to 53 tosses.
    """
    counts, critical, tail, at = [1], 1, 0.0, 1.0
    for tosses in range(1, users + 1):
        tail += at / 2
        at = at * tosses / (tosses - critical + 1) / 2
        if 2 * tail >= alpha:
            at = at * (tosses - critical + 1) / critical
            tail -= at
            critical += 1
        counts.append(critical)
    return np.array(counts)


@lru_cache(maxsize=4)
def log_factorials(users: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, users + 1)))])


def power_of(users: int, gains: float, losses: float, alpha: float) -> float:
    """Return the power: the probability that the test detects the difference, in its direction."""
    logs, tosses, critical = log_factorials(users), np.arange(users + 1), critical_gains(users, alpha)

    def chances(of: Ints, count: Ints, share: float) -> Floats:
        """Return binomial probabilities; 0 for an impossible count."""
        inside = np.clip(count, 0, of)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(inside > 0, inside * np.log(share), 0)
            ends += np.where(of > inside, (of - inside) * np.log1p(-share), 0)
        probabilities: Floats = np.exp(logs[of] - logs[inside] - logs[of - inside] + ends) * (inside == count)
        return probabilities

    share = gains / (gains + losses)
    rises = np.diff(critical) > 0
    steps = share * chances(tosses[:-1], critical[:-1] - 1, share)
    steps -= rises * chances(tosses[1:], critical[:-1], share)
    shown = np.concatenate([[0.0], np.cumsum(steps)])  # P(significant), by the users that differ
    return float(chances(np.full(users + 1, users), tosses, min(gains + losses, 1)) @ shown)


def smallest_difference(users: int, losses: float, alpha: float) -> float | None:
    """Return the smallest difference in hit rate that these users can detect; None if there is none."""
    largest = 1 - 2 * losses

    def is_shown(step: int) -> bool:
        return power_of(users, losses + largest * step / STEPS, losses, alpha) >= POWER

    first = bisect_left(range(1, STEPS + 1), True, key=is_shown) + 1
    return largest * first / STEPS if first <= STEPS else None


def needed_users(difference: float, losses: float, alpha: float) -> int | None:
    """Return the number of users needed to detect a difference in hit rate; None above MOST_USERS."""
    if difference > 1 - 2 * losses:
        return None

    def is_shown(users: int) -> bool:
        return power_of(users, losses + difference, losses, alpha) >= POWER

    high = 1
    while not is_shown(high) and high <= MOST_USERS:
        high *= 2
    smallest = high // 2 + bisect_left(range(high // 2, high), True, key=is_shown)
    return smallest if smallest <= MOST_USERS else None

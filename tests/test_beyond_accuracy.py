"""ranking.beyond_accuracy against slow definitions and other libraries."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from typing import Any

import pyarrow as pa
import pytest

from ranking_udfs.measures import contents
from tests.conftest import Con, module_connection, rows

BY_USER = [measure.name for measure in contents.BY_USER]
con = module_connection()


def js(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Return the Jensen-Shannon divergence in bits."""
    return sum(
        share / 2 * math.log2(2 * share / (share + other.get(category, 0)))
        for of, other in ((p, q), (q, p))
        for category, share in of.items()
    )


def kl(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Return Steck's divergence of q, smoothed, from p, in bits."""
    return sum(share * math.log2(share / (0.99 * q.get(c, 0) + 0.01 * share)) for c, share in p.items())


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the defined values."""
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


class Slow:
    """The definitions, written as plainly as possible."""

    def __init__(
        self, history: Sequence[tuple[Any, Any]], items: Sequence[tuple[Any, Any]], head: float
    ) -> None:
        pairs = {(user, item) for user, item in history if user is not None and item is not None}
        self.profiles: dict[Any, set[Any]] = defaultdict(set)
        for user, item in pairs:
            self.profiles[user].add(item)
        self.counts = Counter(item for _, item in pairs)
        ranked = sorted(self.counts, key=lambda item: (-self.counts[item], item))
        reached = [0, *accumulate(self.counts[item] for item in ranked)]
        before = zip(ranked, reached, strict=False)
        self.head = {item for item, share in before if share < head * len(pairs)}
        self.categories: dict[Any, set[Any]] = defaultdict(set)
        for item, category in items:
            if item is not None and category is not None:
                self.categories[item].add(category)
        self.catalog = {item for item, _ in items if item is not None} or set(self.counts)

    def popularity(self, items: set[Any]) -> float | None:
        return mean(self.counts[item] / len(self.profiles) for item in items)

    def shares(self, items: set[Any]) -> dict[Any, float]:
        known = [self.categories[item] for item in items if self.categories.get(item)]
        shares: dict[Any, float] = defaultdict(float)
        for categories in known:
            for category in categories:
                shares[category] += 1 / len(categories) / len(known)
        return shares

    def of_user(self, user: Any, top: Sequence[Any], divergence: str = "js") -> dict[str, float | None]:
        """Return the columns of one user, for a list that is cut at k."""
        items = {item for item in top if item is not None}
        if not items:
            return dict.fromkeys(BY_USER)
        n, users, profile = len(items), len(self.profiles), self.profiles.get(user, set())
        all_categories = set().union(*self.categories.values())
        known = [self.categories[item] for item in items if self.categories.get(item)]
        p, q = self.shares(profile), self.shares(items)
        return {
            "popularity": self.popularity(items),
            "profile_popularity": self.popularity(profile),
            "novelty": mean(-math.log2(max(self.counts[item], 1) / users) for item in items),
            "long_tail": len(items - self.head) / n,
            "repeats": len(items & profile) / n if profile else None,
            "cold": sum(item not in self.counts for item in items) / n,
            "diversity": mean(1 - len(a & b) / len(a | b) for a, b in combinations(known, 2)),
            "categories": len(set().union(*known)) / len(all_categories) if known else 0.0,
            "miscalibration": {"js": js, "kl": kl}[divergence](p, q) if p and q else None,
        }

    def of_all(self, tops: Mapping[Any, Sequence[Any]]) -> dict[str, float | None]:
        """Return the columns of all lists together, by user."""
        lists = {user: {item for item in top if item is not None} for user, top in tops.items()}
        counts = Counter(item for items in lists.values() for item in items)
        inside = sorted(counts[item] for item in self.catalog)
        n, total = len(inside), sum(inside)
        pairs = combinations(filter(None, lists.values()), 2)
        alike = mean(len(a & b) / math.sqrt(len(a) * len(b)) for a, b in pairs)
        both = [
            (self.popularity(items), self.popularity(self.profiles[user]))
            for user, items in lists.items()
            if items and user in self.profiles
        ]
        lift = sum(a for a, _ in both if a) / sum(b for _, b in both if b) - 1 if both else None
        ranked = sum((2 * i - n - 1) * count for i, count in enumerate(inside, 1))
        return {
            "n_items": len(counts),
            "coverage": sum(count > 0 for count in inside) / n,
            "items_outside_catalog": len(set(counts) - self.catalog),
            "gini": ranked / (max(n - 1, 1) * total) if total else None,
            "entropy": -sum(c / total * math.log2(c / total) for c in inside if c) if total else None,
            "personalization": None if alike is None else 1 - alike,
            "popularity_lift": lift,
        }


def random_tables(seed: int, categories: int, longest: int) -> tuple[list[tuple[Any, ...]], Any, Any]:
    draw = random.Random(seed)
    rec = [
        (system, user, draw.choice([None, *range(max(40, 2 * longest))]), draw.random())
        for system in "ab"
        for user in range(12 if longest < 100 else 5)
        for _ in range(draw.randrange(1, longest + 1))
    ]
    history = [(draw.randrange(3, 15), int(30 * draw.random() ** 2)) for _ in range(90)]
    known = max(36, 2 * longest - 4)
    items = [(item, draw.randrange(categories)) for item in range(known) for _ in range(draw.randrange(4))]
    return rec, history, [*items, (known + 1, None)]


# Seed, categories, longest list, divergence; up to 63 categories are the bits of a number.
DRAWN = [(2, 4, 15, "kl"), (5, 63, 290, "js"), (6, 64, 290, "js")]


@pytest.mark.parametrize(("seed", "categories", "longest", "divergence"), DRAWN)
def test_every_column_equals_its_slow_definition(
    con: Con, seed: int, categories: int, longest: int, divergence: str
) -> None:
    rec, history, items = random_tables(seed, categories, longest)
    assert longest < 100 or len({category for _, category in items} - {None}) == categories
    for name, columns, table in (
        ("some_rec", "system VARCHAR, userid INT, itemid INT, score DOUBLE", rec),
        ("some_history", "userid BIGINT, itemid BIGINT", history),
        ("some_items", "itemid SMALLINT, category INT", items),
    ):
        names = [column.split()[0] for column in columns.split(", ")]
        con.register("drawn", pa.table([pa.array(of) for of in zip(*table, strict=True)], names))
        con.execute(f"CREATE OR REPLACE TABLE {name} ({columns}); INSERT INTO {name} FROM drawn")
    arguments = "'some_rec', [3, 10, NULL], 'some_history', 'some_items', head := 0.6"
    arguments += f", divergence := '{divergence}'"
    slow = Slow(history, items, 0.6)
    lists: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for system, user, item, _ in sorted(rec, key=lambda row: -row[3]):
        lists[system, user].append(item)
    users = rows(con, f"FROM ranking.beyond_accuracy_by_user({arguments})")
    assert len(users) == 3 * len(lists)
    assert {*users[0]} == {"system", "userid", "k", "n_rec", "n_items", *BY_USER}
    for row in users:
        top = lists[row["system"], row["userid"]][: row["k"]]
        expected = slow.of_user(row["userid"], top, divergence)
        assert {name: row[name] for name in BY_USER} == pytest.approx(expected, abs=1e-12), row
        assert row["n_items"] == len(set(top) - {None})
    means = rows(con, f"FROM ranking.beyond_accuracy({arguments})")
    assert [(row["system"], row["k"]) for row in means] == [(s, k) for s in "ab" for k in (3, 10, None)]
    for row in means:
        tops = {user: items[: row["k"]] for (system, user), items in lists.items() if system == row["system"]}
        by_user = [slow.of_user(user, top, divergence) for user, top in tops.items()]
        expected = slow.of_all(tops) | {name: mean(of[name] for of in by_user) for name in BY_USER}
        assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-12), row
        without_history = sum(user not in slow.profiles for user in tops)
        assert (row["users"], row["users_without_history"]) == (len(tops), without_history)


# At k = 3 and 8, of the lists below. RecTools 0.19.0: AvgRecPopularity(k) / users, MeanInvUserFreq(k),
# CatalogCoverage(k, normalize=True) of items 1 to 30, half of IntraListDiversity(k) by Hamming distance of
# indicators of the category. recommenders 1.2.1: distributional_coverage(a train of other users, the top k).
# LensKit 2025.8.1: ListGini(n=k, items=30), which divides by 30 where ours does by 29. RePlay 0.22.0: 1 less
# Novelty([3, 8]), which leaves out users without a history too; CategoricalDiversity([3, 8]) * k / 6: it
# divides by k. Its Surprisal times log2 of the users is MeanInvUserFreq to the bit.
RECORDED = {
    "popularity": (0.19537037037037036, 0.21770833333333334),
    "novelty": (2.711983815566264, 2.6437812829547385),
    "coverage": (0.9666666666666667, 1.0),
    "diversity": (0.85, 0.8553571428571429),
    "entropy": (4.671241170818225, 4.834459017492138),
    "gini": (0.3022222222222222 * 30 / 29, 0.17583333333333334 * 30 / 29),
    "repeats": (1 - 0.7962962962962963, 1 - 0.7777777777777778),
    "categories": (0.85 * 3 / 6, 0.5875 * 8 / 6),
}


def test_means_equal_those_of_other_libraries(con: Con) -> None:
    """Rank items, leave two users out of the history, and give each item one category."""
    random.seed(25)
    history = sorted({(random.randrange(1, 19), int(25 * random.random() ** 2) + 1) for _ in range(150)})
    ranks = [(user, *ranked) for user in range(1, 21) for ranked in enumerate(random.sample(range(1, 31), 8))]
    kinds = [(item, random.randrange(6)) for item in range(1, 31)]
    for name, values in (
        ("seen(userid, score, itemid)", ranks),
        ("past_of_them(userid, itemid)", history),
        ("kinds(itemid, category)", kinds),
    ):
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM (VALUES {str(values)[1:-1]})")
    query = "FROM ranking.beyond_accuracy('seen', [3, 8], 'past_of_them', 'kinds', descending := false)"
    for row, of in zip(rows(con, query), zip(*RECORDED.values(), strict=True), strict=True):
        assert [row[name] for name in RECORDED] == pytest.approx(of, abs=1e-12)

"""ranking_beyond_accuracy: what is in the lists, against cases worked by hand and slow definitions."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import duckdb
import pytest

import ranking_udfs

# als is a; bert is b. Users 1, 2 and 3 have a history; user 4 has none. Item 9 is nobody's.
MAKE = """
    CREATE TABLE rec AS FROM (VALUES
        ('a', 1, 10, 3), ('a', 1, 20, 2), ('a', 2, 10, 3), ('a', 2, 9, 2), ('a', 4, 30, 1),
        ('b', 1, 30, 9), ('b', 1, 30, 8), ('b', 1, NULL, 7), ('b', 1, 40, 6)
    ) AS t(system, userid, itemid, score);
    CREATE TABLE history AS FROM (VALUES
        (1, 10), (1, 20), (1, 20), (2, 10), (3, 10), (3, 30), (3, 40), (NULL, 10), (3, NULL)
    ) AS t(userid, itemid);
    CREATE TABLE items AS FROM (VALUES
        (10, 'x'), (20, 'x'), (20, 'y'), (30, 'y'), (40, NULL), (10, 'x')
    ) AS t(itemid, category);
"""
OF_HISTORY = ("popularity", "profile_popularity", "novelty", "long_tail", "repeats", "cold")
OF_ITEMS = ("diversity", "categories")
BY_USER = (*OF_HISTORY, *OF_ITEMS, "miscalibration")
OF_ALL = (
    "n_items",
    "coverage",
    "items_outside_catalogue",
    "gini",
    "entropy",
    "personalization",
    "popularity_lift",
)
Row = Mapping[str, Any]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield ranking_udfs.register(con).execute(MAKE)


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    found = con.execute(query)
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


# --- Slow definitions ---


def js(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Jensen-Shannon divergence in bits."""
    total = 0.0
    for one, other in ((p, q), (q, p)):
        for category, share in one.items():
            total += share / 2 * math.log2(share / ((share + other.get(category, 0)) / 2))
    return total


def kl(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Steck's divergence of q, smoothed, from p, in bits."""
    return sum(
        share * math.log2(share / (0.99 * q.get(category, 0) + 0.01 * share)) for category, share in p.items()
    )


class Contents:
    """What is in lists, by the plainest way from the definitions."""

    def __init__(
        self, history: Sequence[tuple[Any, Any]], items: Sequence[tuple[Any, Any]], head: float = 0.8
    ) -> None:
        self.pairs = {(u, i) for u, i in history if u is not None and i is not None}
        self.profiles: dict[Any, set[Any]] = defaultdict(set)
        for user, item in self.pairs:
            self.profiles[user].add(item)
        self.having = Counter(item for _, item in self.pairs)
        self.head, reached = set(), 0
        for item in sorted(self.having, key=lambda one: (-self.having[one], one)):
            if reached >= head * len(self.pairs):
                break
            self.head.add(item)
            reached += self.having[item]
        self.categories: dict[Any, set[Any]] = defaultdict(set)
        for item, category in items:
            if item is not None and category is not None:
                self.categories[item].add(category)
        self.catalogue = {item for item, _ in items if item is not None} or set(self.having)

    def shares(self, items: set[Any]) -> dict[Any, float]:
        known = [item for item in items if self.categories.get(item)]
        found: dict[Any, float] = defaultdict(float)
        for item in known:
            for category in self.categories[item]:
                found[category] += 1 / len(self.categories[item]) / len(known)
        return found

    def of_user(self, user: Any, top: Sequence[Any], divergence: str = "js") -> dict[str, float | None]:
        """The columns of one user; top is the list, cut at k."""
        items = {item for item in top if item is not None}
        if not items:
            return dict.fromkeys(BY_USER)
        n, users = len(items), len(self.profiles)
        profile = self.profiles.get(user, set())
        all_categories = set().union(*self.categories.values())
        known = [self.categories[item] for item in items if self.categories.get(item)]
        distances = [1 - len(a & b) / len(a | b) for a, b in combinations(known, 2)]
        p, q = self.shares(profile), self.shares(items)
        return {
            "popularity": sum(self.having[item] / users for item in items) / n,
            "profile_popularity": sum(self.having[item] / users for item in profile) / len(profile)
            if profile
            else None,
            "novelty": sum(-math.log2(max(self.having[item], 1) / users) for item in items) / n,
            "long_tail": len(items - self.head) / n,
            "repeats": len(items & profile) / n if profile else None,
            "cold": sum(item not in self.having for item in items) / n,
            "diversity": sum(distances) / len(distances) if distances else None,
            "categories": len(set().union(*known)) / len(all_categories) if known else 0.0,
            "miscalibration": {"js": js, "kl": kl}[divergence](p, q) if p and q else None,
        }

    def of_all(self, tops: Mapping[Any, Sequence[Any]]) -> dict[str, float | None]:
        """The columns of all lists together, by user."""
        lists = {user: {item for item in top if item is not None} for user, top in tops.items()}
        counts = Counter(item for items in lists.values() for item in items)
        inside = sorted(counts[item] for item in self.catalogue)
        n, total = len(inside), sum(inside)
        found = [items for items in lists.values() if items]
        alike = [len(a & b) / math.sqrt(len(a) * len(b)) for a, b in combinations(found, 2)]
        both = [
            (of["popularity"], of["profile_popularity"])
            for of in (self.of_user(user, top) for user, top in tops.items())
            if of["popularity"] is not None and of["profile_popularity"] is not None
        ]
        return {
            "n_items": len(counts),
            "coverage": sum(count > 0 for count in inside) / n,
            "items_outside_catalogue": len(set(counts) - self.catalogue),
            "gini": sum((2 * i - n - 1) * c for i, c in enumerate(inside, 1)) / (max(n - 1, 1) * total)
            if total
            else None,
            "entropy": -sum(c / total * math.log2(c / total) for c in inside if c) if total else None,
            "personalization": 1 - sum(alike) / len(alike) if alike else None,
            "popularity_lift": sum(a for a, _ in both) / sum(b for _, b in both) - 1 if both else None,
        }


def random_tables(seed: int, categories: int) -> tuple[list[tuple[Any, ...]], Any, Any]:
    random.seed(seed)
    rec = [
        (system, user, random.choice([None, *range(40)]), random.random())
        for system in "ab"
        for user in range(12)
        for _ in range(random.randrange(1, 16))
    ]
    history = [(random.randrange(3, 15), int(30 * random.random() ** 2)) for _ in range(90)]
    items = [(item, random.randrange(categories)) for item in range(36) for _ in range(random.randrange(4))]
    return rec, history, [*items, (37, None)]


@pytest.mark.parametrize(("seed", "categories", "divergence"), [(1, 4, "js"), (2, 4, "kl"), (3, 90, "js")])
def test_every_column_is_what_its_slow_definition_says(
    con: duckdb.DuckDBPyConnection, seed: int, categories: int, divergence: str
) -> None:
    rec, history, items = random_tables(seed, categories)
    con.execute("CREATE OR REPLACE TABLE some_rec (system VARCHAR, userid INT, itemid INT, score DOUBLE)")
    con.execute("CREATE OR REPLACE TABLE some_history (userid BIGINT, itemid BIGINT)")
    con.execute("CREATE OR REPLACE TABLE some_items (itemid SMALLINT, category INT)")
    con.executemany("INSERT INTO some_rec VALUES (?, ?, ?, ?)", rec)
    con.executemany("INSERT INTO some_history VALUES (?, ?)", history)
    con.executemany("INSERT INTO some_items VALUES (?, ?)", items)
    arguments = (
        f"'some_rec', [3, 10, NULL], 'some_history', 'some_items', head := 0.6, divergence := '{divergence}'"
    )
    slow = Contents(history, items, 0.6)
    lists: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for system, user, item, _ in sorted(rec, key=lambda row: -row[3]):
        lists[system, user].append(item)
    users = rows(con, f"FROM ranking_beyond_accuracy_by_user({arguments})")
    assert len(users) == 3 * len(lists)
    for row in users:
        top = lists[row["system"], row["userid"]][: row["k"]]
        expected = slow.of_user(row["userid"], top, divergence)
        assert {name: row[name] for name in BY_USER} == pytest.approx(expected, abs=1e-12), row
        assert row["n_items"] == len(set(top) - {None})
    means = rows(con, f"FROM ranking_beyond_accuracy({arguments})")
    assert [(row["system"], row["k"]) for row in means] == [(s, k) for s in "ab" for k in (3, 10, None)]
    for row in means:
        tops = {user: items[: row["k"]] for (system, user), items in lists.items() if system == row["system"]}
        expected = slow.of_all(tops)
        of = [slow.of_user(user, top, divergence) for user, top in tops.items()]
        for name in BY_USER:
            values = [one[name] for one in of if one[name] is not None]
            expected[name] = math.fsum(values) / len(values)
        assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-12), row
        assert (row["users"], row["users_without_history"]) == (
            len(tops),
            sum(user not in slow.profiles for user in tops),
        )

"""ranking.beyond_accuracy: what is in the lists, against slow definitions and other libraries."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest

from ranking_udfs.measures.contents import BY_USER as MEASURES
from tests.conftest import Con, module_connection, rows

BY_USER = [one.name for one in MEASURES]


con = module_connection()


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


def random_tables(seed: int, categories: int, longest: int) -> tuple[list[tuple[Any, ...]], Any, Any]:
    random.seed(seed)
    rec = [
        (system, user, random.choice([None, *range(max(40, 2 * longest))]), random.random())
        for system in "ab"
        for user in range(12 if longest < 100 else 5)
        for _ in range(random.randrange(1, longest + 1))
    ]
    history = [(random.randrange(3, 15), int(30 * random.random() ** 2)) for _ in range(90)]
    known = max(36, 2 * longest - 4)
    items = [
        (item, random.randrange(categories)) for item in range(known) for _ in range(random.randrange(4))
    ]
    return rec, history, [*items, (known + 1, None)]


# Seed, categories, longest list, divergence; up to 63 categories are the bits of a number.
DRAWN = [(2, 4, 15, "kl"), (5, 63, 290, "js"), (6, 64, 290, "js")]


@pytest.mark.parametrize(("seed", "categories", "longest", "divergence"), DRAWN)
def test_every_column_is_what_its_slow_definition_says(
    con: Con, seed: int, categories: int, longest: int, divergence: str
) -> None:
    rec, history, items = random_tables(seed, categories, longest)
    assert longest < 100 or len({category for _, category in items} - {None}) == categories
    for name, columns, table in (
        ("some_rec", "system VARCHAR, userid INT, itemid INT, score DOUBLE", rec),
        ("some_history", "userid BIGINT, itemid BIGINT", history),
        ("some_items", "itemid SMALLINT, category INT", items),
    ):
        con.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
        con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(table[0]))})", table)
    arguments = "'some_rec', [3, 10, NULL], 'some_history', 'some_items', head := 0.6"
    arguments += f", divergence := '{divergence}'"
    slow = Contents(history, items, 0.6)
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


def test_the_aggregates_over_lists_give_the_same_numbers(con: Con) -> None:
    """Of 2, 2 and 86 lists, cut or whole, some with an item twice or NULL; of items of any type."""
    con.execute("""
        CREATE OR REPLACE TABLE many AS
        SELECT
            least(i % 90 // 2, 2) AS system, i % 90 AS userid, nullif(hash(i) % 61, 7) AS itemid, i AS score
        FROM range(900) t(i);
        CREATE OR REPLACE TABLE labels AS
        SELECT i AS itemid, 'c' || hash(i * 7 + j) % 5 AS category FROM range(70) t(i), range(3) s(j)""")
    query = """
        WITH lists AS (
            SELECT system, k, list(itemid ORDER BY score DESC)[:coalesce(k, 99)] AS items
            FROM many, (VALUES (1), (7), (NULL)) ks(k) GROUP BY system, userid, k)
        SELECT system, k, ranking.catalog_coverage(items, 70), ranking.gini_coverage(items, 70),
            ranking.personalization(items)
        FROM {} GROUP BY system, k ORDER BY ALL"""
    by_tables = "FROM ranking.beyond_accuracy('many', [1, 7, NULL], items := 'labels')"
    of_tables = f"SELECT system, k, coverage, gini, personalization {by_tables} ORDER BY ALL"
    expected = con.execute(of_tables).fetchall()
    for item in ("i", "i::VARCHAR", "if(i IS NULL, NULL, {'a': i})"):
        lists = f"(SELECT * REPLACE (list_transform(items, lambda i: {item}) AS items) FROM lists)"
        assert con.execute(query.format(lists)).fetchall() == expected, item
    query = """
        WITH every AS (SELECT itemid, list(category) AS categories FROM labels GROUP BY itemid)
        SELECT userid, intra_list_diversity(list(categories), 'distance=jaccard')
        FROM (SELECT DISTINCT userid, itemid FROM many) JOIN every USING (itemid) GROUP BY userid"""
    by_tables = "FROM ranking.beyond_accuracy_by_user('many', [NULL], items := 'labels')"
    found = dict(con.execute(f"SELECT userid, diversity {by_tables}").fetchall())
    assert found == pytest.approx(dict(con.execute(query).fetchall()), abs=1e-15)


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


def test_the_means_are_those_of_other_libraries(con: Con) -> None:
    """Of ranked items, a history without two of the users, and items of one category each."""
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
        assert [row[name] for name in RECORDED] == pytest.approx(of, abs=1e-14)

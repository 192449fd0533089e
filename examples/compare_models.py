"""Test if a new model is better: from arrays of scores to differences with confidence intervals.

python examples/compare_models.py
"""

from typing import Any

import duckdb
import numpy as np

import ranking_udfs

Array = np.ndarray[Any, np.dtype[Any]]

# Models return a score for each user and item. Here the scores are a hidden taste plus the errors of a model.
# `tuned` has smaller errors for known users, and larger errors for new ones.
USERS, ITEMS, K = 1_500, 300, 10
rng = np.random.default_rng(7)
taste = rng.normal(size=(USERS, 8)) @ rng.normal(size=(8, ITEMS))
segment = np.where(np.arange(USERS) % 5 == 0, "new", "known").astype(object)


def learned(noise: float, noise_of_new: float) -> Array:
    errors = rng.normal(size=taste.shape)
    return taste + errors * np.where(segment == "new", noise_of_new, noise)[:, None]


models = {"als": learned(2.0, 2.0), "als again": learned(2.0, 2.0), "tuned": learned(1.6, 2.4)}

# Items that users bought before (seen), and their liking with much noise, for later purchases.
seen = rng.random(taste.shape) < 0.05
liking = taste - 2 * np.log(-np.log(rng.random(taste.shape)))


def best(scores: Array, k: int) -> dict[str, Array]:
    """Return the k best items of each user that the user has not seen, as columns of a table."""
    open_scores = np.where(seen, -np.inf, scores)
    items = np.argpartition(-open_scores, k, axis=1)[:, :k]  # unsorted: the score sets the order
    return {
        "userid": np.repeat(np.arange(len(scores)), k),
        "itemid": items.ravel(),
        "score": np.take_along_axis(open_scores, items, axis=1).ravel(),
    }


# Pass a dict of arrays by the name of its variable, like a data frame.
lists = [best(scores, K) for scores in models.values()]
rec = {column: np.concatenate([found[column] for found in lists]) for column in lists[0]}
rec["system"] = np.repeat(np.array([*models], dtype=object), USERS * K)
bought = best(liking, 5)
truth = {"userid": bought["userid"], "itemid": bought["itemid"]}
users = {"userid": np.arange(USERS), "segment": segment}

ranking_udfs.register(duckdb)

print("Problems in the tables:", duckdb.sql("FROM ranking.check('rec', 'truth')").fetchall())

print("\nMeans over all users, including users without a hit:")
duckdb.sql("""
    SELECT system, k, users, round(recall, 4) AS recall, round(mrr, 4) AS mrr, round(ndcg, 4) AS ndcg
    FROM ranking.evaluate('rec', 'truth', [5, 10])
    ORDER BY k, system
""").show(max_width=100)

print("Compared with als, paired by user: 95% confidence intervals, p Holm-adjusted for two comparisons:")
duckdb.sql("""
    SELECT system, round(difference, 4) AS difference, round(low, 4) AS low, round(high, 4) AS high,
        wins, losses, round(p_adjusted, 4) AS p, verdict
    FROM ranking.compare('rec', 'truth', 'ndcg@10', 'als')
    ORDER BY system
""").show(max_width=100)

print("By segment of users:")
duckdb.execute("""
    CREATE TEMP TABLE by_user AS
    SELECT system, k, segment, userid, ndcg
    FROM ranking.by_user('rec', 'truth', 10) JOIN users USING (userid)
""")
duckdb.sql("""
    SELECT segment, system, users,
        round(difference, 4) AS difference, round(low, 4) AS low, round(high, 4) AS high, verdict
    FROM ranking.compare_by_user('by_user', baseline := 'als')
    ORDER BY segment, system
""").show(max_width=100)

# Return to NumPy for further steps.
ndcg = duckdb.sql("SELECT ndcg FROM by_user WHERE system = 'tuned' ORDER BY userid").fetchnumpy()["ndcg"]
print(f"Users without a hit in the list of tuned: {np.mean(ndcg == 0):.1%}")

"""Evaluate recommendations against ground truth, from lists and from tables.

python examples/quickstart.py
"""

import duckdb

import ranking_udfs

con = ranking_udfs.register(duckdb.connect())
con.execute("""
    CREATE TABLE rec AS FROM (VALUES
        (7, 'a', 10.0), (7, 'c', 8.0), (7, 'b', 6.0), (7, 'f', 2.0)) AS t(userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES (7, 'a'), (7, 'b'), (7, 'd'), (8, 'e')) AS t(userid, itemid);
""")

# From lists: one value.
print(con.sql("SELECT recall(['a', 'c', 'b', 'f'], ['a', 'b', 'd'], 2) AS recall"))

# From tables: means at each cutoff. User 8 has no recommendations, and scores 0.
print(
    con.sql("SELECT k, users, users_without_rec, recall, mrr FROM ranking.evaluate('rec', 'truth', [2, 4])")
)

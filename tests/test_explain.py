"""One user's lists rank by rank, by hand and against ranking_by_user to the bit; more in right_tables.txt."""

import math
from typing import Any

import duckdb
import pytest

from tests.conftest import is_close, module_connection, rows

# The first three scores of b tie, and so do two of a; user 2 is in rec alone, user 3 in truth alone,
# and all grades of user 5 are 3, whose gain is no power of 2.
TABLES = """
    CREATE TABLE rec AS FROM (VALUES
        ('a', 1, 'p', 9.0), ('a', 1, 'q', 8.0), ('a', 1, 'r', 7.0), ('a', 1, 'q', 6.0), ('a', 1, NULL, 5.0),
        ('a', 1, 's', 4.0), ('a', 1, 'z', 4.0), ('a', 1, 't', 'nan'::DOUBLE),
        ('b', 1, 'p', 3.0), ('b', 1, 's', 3.0), ('b', 1, 'q', 3.0), ('b', 1, 'x', 2.0),
        ('a', 2, 'p', 2.0), ('a', 2, 'q', 1.0), ('b', 4, 'p', 1.0), ('b', 4, 'x', 1.0), ('b', NULL, 'p', 1.0),
        ('a', 5, 'x', 9.0), ('a', 5, 'p', 8.0), ('a', 5, 'y', 7.0), ('a', 5, 'q', 6.0), ('a', 5, 'r', 5.0)
    ) AS t(system, userid, itemid, score);
    CREATE TABLE truth AS FROM (VALUES
        (1, 'q', 1), (1, 'q', 2), (1, 's', 3), (1, 't', 1), (1, 'u', 3), (1, 'p', 0), (1, 'z', -1),
        (1, NULL, 2),
        (3, 'p', 2), (3, 'q', 0), (4, 'p', 1), (4, 'q', 2), (5, 'p', 3), (5, 'q', 3), (5, 'r', 3), (5, 's', 3)
    ) AS t(userid, itemid, rel)
"""
MEASURES = 'dcg, ideal_dcg, ndcg, "precision", recall'


con = module_connection(TABLES)


def explained(con: duckdb.DuckDBPyConnection, arguments: str) -> list[dict[str, Any]]:
    return rows(con, f"FROM ranking_explain('rec', 'truth', {arguments})")


def test_a_list_by_hand(con: duckdb.DuckDBPyConnection) -> None:
    """Grades q 2, s 3, t 1, u 3: gains 3, 7, 1, 7, and the best list is 7, 7, 3, 1."""
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 7)]
    best = [7, 7, 3, 1, 0, 0]
    gains = [0, 3, 0, 0, 0, 7]  # p is judged, r is not, q comes again, and there is a NULL
    columns = "rank, itemid, score, grade, relevant, gain, discount, contribution, dcg, ideal_dcg"
    columns += ', "precision", recall, found_at'
    query = f"SELECT {columns} FROM ranking_explain('rec', 'truth', 1, 6) WHERE system = 'a'"
    *listed, unlisted, missed = con.execute(query).fetchall()
    rows = [("p", 9.0, 0), ("q", 8.0, 2), ("r", 7.0, None), ("q", 6.0, None), (None, 5.0, None)]
    for i, row in enumerate([*rows, ("s", 4.0, 3)]):
        first = slice(i + 1)
        sums = [sum(map(math.prod, zip(one[first], discounts[first], strict=True))) for one in (gains, best)]
        hits = sum(map(bool, gains[: i + 1]))
        numbers = [gains[i], discounts[i], gains[i] * discounts[i], *sums, hits / (i + 1), hits / 4]
        assert listed[i][:5] == (i + 1, *row, gains[i] > 0)
        assert listed[i][5:] == (*(pytest.approx(number, abs=1e-12) for number in numbers), None)
    assert unlisted == (None, "u", None, 3, True, *[None] * 8)
    assert str(missed) == str((None, "t", math.nan, 1.0, True, *[None] * 7, 8))


@pytest.mark.parametrize("ties", ["item", "expected"])
def test_each_rank_has_what_ranking_by_user_says_to_the_bit(
    con: duckdb.DuckDBPyConnection, ties: str
) -> None:
    by_user = con.execute(
        f"SELECT system, userid, k, n_rec, {MEASURES} "
        f"FROM ranking_by_user('rec', 'truth', [1, 2, 3, 4, 5, 6, 7, 8, 20, NULL], ties := '{ties}')"
    ).fetchall()
    said = {row[:3]: row[3:] for row in by_user}
    for user, k in ((1, 20), (1, 2), (4, None), (5, 20)):
        found = explained(con, f"{user}, {'NULL' if k is None else k}, ties := '{ties}'")
        total = dict.fromkeys("ab", 0.0)
        for row in found:
            if (rank := row["rank"]) is None:
                continue
            system = row["system"]
            last = rank == min(k or 99, said[system, user, 1][0])
            _, *numbers = said[system, user, k if last else rank]
            *exact, precision, recall = (row[name.strip('"')] for name in MEASURES.split(", "))
            assert [*exact, recall] == [*numbers[:3], numbers[4]], row
            assert last or precision == numbers[3]
            assert is_close(row["dcg"] / (row["ideal_dcg"] or 1), row["ndcg"], 1e-15)
            total[system] += row["contribution"]
            assert is_close(total[system], row["dcg"], 1e-12)

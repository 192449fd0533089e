"""The query for the shares of categories in the lists."""

from ..duckdb.internal import EXACT_SUM, LISTS, NAMES
from ..evaluation.defaults import DIVERGENCE, HEAD
from ..evaluation.queries import Request, cut_off_list, ranked_table


def categories_query(request: Request, system: str, k: int | None) -> str:
    """Return the share of each category in the lists and in the history, means over users who have both.

    These are the shares that miscalibration compares: an item spreads 1 over its categories.
    """
    names = f"{NAMES}('userid', 'itemid', 'score', '', NULL, {request.descending})"
    lists = (
        f"{LISTS}(\n        '{ranked_table(request)}', NULL, NULL, {names},\n"
        f"        {cut_off_list([k])}, {HEAD}, '{DIVERGENCE}', NULL, 'report'\n    )"
    )
    by_user = f"share / sum(share) OVER (PARTITION BY {system}userid)"
    counted = f"(SELECT {system}count(DISTINCT userid) AS users FROM shares GROUP BY ALL)"
    mean = EXACT_SUM + "({0}, 53) / any_value(users) AS {0}"
    columns = f"{mean.format('recommended')}, {mean.format('history')}, any_value(users) AS users"
    return f"""WITH labels AS (
    SELECT itemid, category, (2 ** 52 / count(*) OVER (PARTITION BY itemid))::BIGINT AS share
    FROM (SELECT DISTINCT itemid, category::VARCHAR AS category FROM {request.table("items")})
    WHERE category IS NOT NULL
), listed AS MATERIALIZED (
    SELECT {system}userid, category, sum(share) AS share
    FROM (SELECT {system}userid, unnest(recommended) AS itemid FROM {lists})
    JOIN labels USING (itemid)
    GROUP BY ALL
), had AS MATERIALIZED (
    SELECT userid, category, sum(share) AS share
    FROM (SELECT DISTINCT userid, itemid FROM {request.table("history")})
    JOIN labels USING (itemid)
    GROUP BY ALL
), shares AS MATERIALIZED (
    SELECT {system}userid, category, {by_user} AS recommended, 0 AS history
    FROM listed
    WHERE userid IN (SELECT userid FROM had)
    UNION ALL
    SELECT {system}userid, category, 0 AS recommended, {by_user} AS history
    FROM (SELECT DISTINCT {system}userid FROM listed)
    JOIN had USING (userid)
)
SELECT {system}category, {columns}
FROM shares
{f"JOIN {counted} USING (system)" if system else f"CROSS JOIN {counted}"}
GROUP BY {system}category"""

"""Queries for the contents of the lists: popularity, coverage, shares of categories."""

from ..duckdb.statements import sql_value
from ..evaluation.defaults import DIVERGENCE, HEAD
from ..evaluation.queries import Request, cut_off_list, descending_argument, ranked_table


def contents_arguments(request: Request, k: int | None) -> str:
    """Return the arguments of a table function that looks into the lists down to k."""
    items = f", items := '{request.table('items')}'" if request.items else ""
    given = f", history := '{request.table('history')}'{items}"
    for name, default in (("head", HEAD), ("divergence", DIVERGENCE)):
        value = getattr(request, name)
        given += f", {name} := {sql_value(value)}" if value != default else ""
    return f"'{ranked_table(request)}', {cut_off_list([k])}{given}{descending_argument(request)}"


def contents_statement(request: Request, system: str, k: int | None) -> str:
    """Return the statement of the table contents, with the popularity of each user's list."""
    by_user = f"ranking_beyond_accuracy_by_user({contents_arguments(request, k)})"
    query = f"SELECT {system}k, popularity\nFROM {by_user}"
    return f"CREATE OR REPLACE TEMP TABLE {request.table('contents')} AS\n{query}"


def contents_query(request: Request, k: int | None) -> str:
    """Return the means of what is in the lists, and what all lists together hold."""
    return f"FROM ranking_beyond_accuracy({contents_arguments(request, k)})"


def categories_query(request: Request, system: str, k: int | None) -> str:
    """Return the share of each category in the lists and in the history, means over users who have both.

    These are the shares that miscalibration compares: an item spreads 1 over its categories.
    """
    names = f"_ranking.main._ranking_names('userid', 'itemid', 'score', '', NULL, {request.descending})"
    lists = (
        f"_ranking.main._ranking_contents_lists(\n        '{ranked_table(request)}', NULL, NULL, {names},\n"
        f"        {cut_off_list([k])}, {HEAD}, '{DIVERGENCE}', NULL, 'report'\n    )"
    )
    by_user = f"share / sum(share) OVER (PARTITION BY {system}userid)"
    counted = f"(SELECT {system}count(DISTINCT userid) AS users FROM shares GROUP BY ALL)"
    mean = "_ranking.main._ranking_exact_sum({0}, 53) / any_value(users) AS {0}"
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

-- One sort of the whole table is cheaper than a window or a list that sorts by user. It leans on what DuckDB
-- does (it numbers the rows of a subquery in the order of that subquery), which SQL does not promise.
lengths AS (
    SELECT userid, (sum(count(*)) OVER (ORDER BY userid) - count(*))::BIGINT AS start
    FROM rec GROUP BY userid
),
top AS (
    SELECT userid, itemid, number - start AS rank
    FROM (
        SELECT userid, itemid, row_number() OVER () AS number
        FROM (SELECT userid, itemid FROM rec ORDER BY userid, score DESC, itemid)
    ) JOIN lengths USING (userid)
    WHERE number - start <= {largest}
)

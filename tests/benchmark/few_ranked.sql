cuts AS (SELECT userid, max(score, {largest}) AS scores FROM rec GROUP BY userid),
top AS (
    SELECT userid, itemid,
        row_number() OVER (PARTITION BY userid ORDER BY score DESC, itemid) AS rank
    FROM rec JOIN cuts USING (userid)
    WHERE score >= scores[-1]
    QUALIFY rank <= {largest}
)

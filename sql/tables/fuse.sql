-- Fuses the rankings of several systems into one ranking per user, for hybrid search or an ensemble of models.
--
-- method: The score of an item is a sum over the systems that have it. 'rrf': weight / (rrf_k + rank), with ranks
--             from 1. 'borda': weight * greatest(N - rank + 1, 0) / N, for N different items of the user in all lists.
--             'combsum': weight * normalized score. 'combmnz': that sum, times the number of systems with a score for the
--             item.
-- weights: MAP from each system to its weight.
-- rrf_k: Higher values reduce the advantage of the first ranks.
-- normalize: Of the scores x of a list, for 'combsum' and 'combmnz'. 'min_max': (x - min) / (max - min), or 1 if all are
--             equal. 'z_score': (x - mean) / standard deviation of the population, or 0. 'sum': (x - min) / sum of (x -
--             min), or 1 / their number. 'none': x.
-- Returns:    One row per user and item: userid, itemid, score (a DOUBLE; higher is better), n_systems (number of systems
--             with the item).
-- Errors:     A rec without systems. Weights or systems that rec does not have. A system without a weight. An infinite
--             score that is to be added.
-- Source:     Cormack, Clarke and Buettcher (2009) for rrf; Aslam and Montague (2001) for borda; Fox and Shaw (1993) for
--             combsum and combmnz; Montague and Aslam (2001) for the normalizations
-- Example:    WITH every AS (SELECT 'fused' AS system, * FROM ranking.fuse('rec') UNION ALL BY NAME FROM rec)
--             SELECT system, ndcg, recall FROM ranking.evaluate('every', 'truth', [10]) ORDER BY system;
--
-- A row with a NULL or NaN score has a rank but no score to add; if no system has a score for an item, the result is
-- NULL. Lists are sorted as in ranking.judged. A repeated item counts at its first rank. Repetitions and rows without an
-- item take up ranks. Weights below 1e-30 times the largest count as 0.
--
-- Fusion does not always help: `examples/tune_fusion.sql` tunes weights and rrf_k on half of the users, and tests on the
-- others.
--
-- If rec has other column names or ranks, append the result under those names: `SELECT -score AS rank, userid AS
-- customer, itemid AS sku FROM ranking.fuse(...)`.
CREATE OR REPLACE MACRO ranking.fuse(ARGUMENTS) AS TABLE
{% import "tables/internal/reading.jinja" as reading %}
{% import "tables/internal/fusing.jinja" as fusing %}
WITH {{ reading.tables(of) }}, {{ fusing.lists_to_fuse(of) }}
SELECT userid, itemid, {{ fusing.score(of) }} AS score, n_systems
FROM (
    SELECT
        userid, itemid,
        -- Points are whole numbers of 1 / scale, so that the order of the rows does not change a sum.
        sum(round(points)::HUGEINT) AS whole,
        {% if of.points == "none" %}
        -- Raw scores may differ in size by more than a HUGEINT holds.
        sum(((points - round(points)) * 2 ** 100)::HUGEINT) AS rest,
        {% endif %}
        {% if of.method == "combmnz" %}
        count(points) AS n_scores,
        {% endif %}
        count(*) AS n_systems
    FROM (
        SELECT userid, entry.itemid, weight * {{ fusing.points(of) | indent(8) }} * {{ fusing.scale(of) }} AS points
        FROM (
            -- Next to unnest, the other columns would be computed for each item.
            SELECT * EXCLUDE (entries{% if of.adds_scores %}, numbers{% endif %}), unnest(entries) AS entry
            FROM {{ fusing.described(of) | indent(12) }})
        {% if of.points == "none" %}
        CROSS JOIN scales
        {% endif %}
    )
    GROUP BY userid, itemid)
{% if of.points == "none" %}
CROSS JOIN scales
{% endif %}

-- One ranking for each user out of the rankings of several systems: full text and vectors, or an ensemble of models.
--
-- rec:       a table with system, userid, itemid and score, as for ranking.judged
-- method:    'rrf', reciprocal rank fusion: the sum of weight / (rrf_k + rank), ranks from 1; 'borda': of
--            weight * greatest(N - rank + 1, 0) / N, where N is the number of different items of the user in all lists;
--            'combsum': of weight * normalized score; 'combmnz': that, times the number of systems with a score of the item
-- weights:   MAP from each system to a number >= 0; 0: as if rec did not have the system; NULL: 1 for all
-- rrf_k:     for 'rrf': how little the first ranks differ from those after them
-- normalize: for 'combsum' and 'combmnz', what becomes of the scores of each list: 'min_max': (x - min) / (max - min);
--            'z_score': (x - mean) / (standard deviation, the population's); 'sum': (x - min) / sum of (x - min);
--            'none': x. Where all scores are the same, each is 1, 0 and 1 / (number of them)
-- depth:     how many rows of each list count; NULL: all
-- systems:   LIST of the systems to fuse; NULL: all
-- user_col, ..., descending: as for ranking.judged
-- Returns:   userid, itemid, score DOUBLE (more is better, whatever came in), n_systems (whose lists have the item)
-- Errors:    as for ranking.judged, of rec alone; rec without a column of systems; an argument with a value that is not
--            allowed; weights or systems that rec does not have; a system without a weight; an infinite score that is to be
--            added
-- Source:    Cormack, Clarke and Buettcher (2009) for rrf; Aslam and Montague (2001) for borda; Fox and Shaw (1993) for
--            combsum and combmnz; Montague and Aslam (2001) for the normalizations
-- Example:   WITH every AS (SELECT 'fused' AS system, * FROM ranking.fuse('rec') UNION ALL BY NAME FROM rec)
--            SELECT system, ndcg, recall FROM ranking.evaluate('every', 'truth', [10]) ORDER BY system;
--
-- An item that a system does not have gets nothing from it, never a rank; a user whom only one system has is there. Lists are
-- ordered as by ranking.judged; NULL and NaN scores have a rank, but no score to normalize or to add: where no system has a
-- score of an item, its score is NULL. An item that a list repeats counts where it stands first; later ones, and rows without
-- an item, take up ranks. With normalize 'none', scores below 1e-61 times the largest count as 0, and so do, with whatever
-- method, those of a weight below 1e-30 times the largest.
--
-- Fusing does not always help: `examples/tune_fusion.sql` tries a grid of weights and k on half of the users, and compares
-- with the best single system on the others, since what is measured where it was tuned looks better than it is.
--
-- To join the result with a rec of other names, or of ranks, give it the same columns first:
-- `SELECT 'fused' AS model, userid AS customer, itemid AS sku, -score AS rank FROM ranking.fuse('rec', user_col :=
-- 'customer', item_col := 'sku', score_col := 'rank', system_col := 'model', descending := false) UNION ALL BY NAME FROM
-- rec`.
--
-- Other tools: Qdrant counts ranks from 0 and has k = 2, which is rrf_k := 1 here, and its weights are others; the
-- extension flock gives an item that a list does not have more than its first one. ranx refuses queries that only one run
-- has; its min-max and sum of a constant list are 0 (here, and in OpenSearch, the only item that a system finds has 1), and
-- its bordafuse counts points, N times those here, and gives a system's left points to items that it does not have.
CREATE OR REPLACE MACRO ranking.fuse(
    rec, method := 'rrf', weights := NULL, rrf_k := 60, normalize := 'min_max', depth := NULL, systems := NULL,
    user_col := 'userid', item_col := 'itemid', score_col := 'score', system_col := 'system', descending := true
) AS TABLE
{% import "tables/internal/reading.jinja" as reading %}
{% import "tables/internal/fusing.jinja" as fusing %}
WITH {{ reading.tables(of) }}, {{ fusing.lists_to_fuse(of) }}
SELECT userid, itemid, {{ fusing.score(of) }} AS score, n_systems
FROM (
    SELECT
        userid, itemid,
        -- Points are whole numbers of 1 / scale, so that no order of the rows changes a sum.
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
            -- Beside unnest, the others would be computed for each item.
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

-- Builds a judged ranking for every user with truth, as the input of ranking.ndcg and the other measures.
--
-- Returns:    One row per system and user with truth: [system,] userid, n_rec (number of rows in rec), n_truth (number of
--             relevant items) and `judged`, a STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER,
--             cutoff INTEGER) that is cut at max_k. A measure with a larger k is an error.
-- Errors:     A query instead of a name. A table called `_ranking_rec`, or like another CTE of this SQL. A column that is
--             missing or of an unsuitable type, or looks like systems, runs or grades and is not named. Ids whose types
--             cannot match. A grade that is NULL, NaN or infinite. A truth without users, or with 'skip' without a
--             relevant item. A min_grade above 1 if truth has no grades.
-- Source:     Sakai (2007), "Alternatives to Bpref", for condensed lists
-- Example:    SELECT ranking.mean(ranking.ndcg(judged, 10, gain := 'linear')) AS ndcg FROM ranking.judged('rec', 'truth', 10);
--
-- Rankings are sorted by score, descending, then by itemid, ascending; NULL and NaN scores come last. Rows without a
-- userid and users without truth are excluded. min_grade only affects n_truth: pass it to the measures of `judged` too.
--
-- If lower scores are better for one system only, negate its scores: `SELECT * REPLACE (CASE WHEN system = 'bert' THEN
-- -score ELSE score END AS score) FROM rec`.
CREATE OR REPLACE MACRO ranking.judged(ARGUMENTS) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
WITH {{ judging.judged(of) }}
SELECT
    {{ of.system_first }}* EXCLUDE (ranking_system, has_truth, ranks, judged_grades, ideal, size),
    {'ranks': ranks, 'grades': judged_grades, 'ideal': ideal, 'size': size, 'cutoff': {{ of.cutoff }}::INTEGER} AS judged
FROM _ranking_judged
WHERE has_truth

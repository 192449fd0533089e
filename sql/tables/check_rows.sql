-- Lists the users, items and rows behind the counts of ranking.check.
--
-- history: userid, itemid [, time]
-- Returns:    As many rows per code as ranking.check counts: code, system, k, userid, itemid. Ids are strings. userid is NULL
--             if the problem concerns an item, itemid if it concerns a user.
-- Errors:     As for ranking.check.
-- Example:    FROM ranking.check_rows('rec', 'truth') WHERE code = 'no_relevant_item';
--
-- A repeated item has a row for each occurrence except one.
--
-- unjudged and without_relevant change no row: they add nothing_but_hits, which has no rows, and change a severity.
--
-- Codes about a column, a whole table or all ids have no rows. These are unfit_column, grade_not_read, number_not_read,
-- system_not_read, run_not_read, no_rows, no_time, no_common_user, no_common_item, nothing_relevant, nothing_but_hits, swapped,
-- systems_apart, labelled_apart and labelled_in_part.
CREATE OR REPLACE MACRO ranking.check_rows(ARGUMENTS) AS TABLE
{% import "tables/internal/check.jinja" as check %}
WITH {{ check.problems(of) }}, rows AS NOT MATERIALIZED (
    SELECT code, system, k, size, user AS userid, NULL::VARCHAR AS itemid FROM list_problems WHERE item IS NULL
    UNION ALL BY NAME
    SELECT
        'repeated_item' AS code, system, {{ of.cutoff }}::BIGINT AS k, user AS userid,
        unnest({{ check.repetitions("items") | indent(8) }}::VARCHAR[]) AS itemid
    FROM list_facts
    WHERE userid IS NOT NULL AND len(items) > list_unique(items)
    UNION ALL BY NAME
    SELECT
        ranking_system::VARCHAR AS system, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid,
        unnest(list_filter([
            CASE WHEN userid IS NULL THEN 'null_user' END,
            CASE WHEN itemid IS NULL THEN 'null_item' END,
            CASE WHEN given IS NULL THEN 'null_score' WHEN score IS NULL THEN 'nan_score' END
        ], lambda one: one IS NOT NULL)) AS code
    FROM _ranking_rec
    UNION ALL BY NAME
    SELECT
        system, userid::VARCHAR AS userid,
        unnest(list_filter([
            CASE WHEN deviation < 0 THEN 'upside_down' END, CASE WHEN deviation < 0 THEN 'seen_first' END,
            CASE WHEN userid IS NOT NULL THEN 'unknown_end' END, CASE WHEN is_first THEN 'truth_in_rec' END,
            CASE WHEN is_top THEN 'partial_leak' END, CASE WHEN own_rank > 0 THEN 'self_retrieved' END,
            CASE WHEN n_relevant IS NOT NULL THEN 'one_list_for_all' END], lambda one: one IS NOT NULL)) AS code
    FROM list_evidence
    WHERE is_whole
    UNION ALL BY NAME
    SELECT
        userid::VARCHAR AS userid, itemid::VARCHAR AS itemid,
        unnest(list_filter([
            CASE WHEN userid IS NULL THEN 'null_truth_user' END,
            {% if of.has_users %}
            -- For a user in `users`, it means that there is no answer.
            CASE WHEN itemid IS NULL AND count(itemid) OVER (PARTITION BY userid) > 0 THEN 'null_truth_item' END,
            CASE WHEN itemid IS NOT NULL AND has_grade AND rel IS NULL THEN 'null_grade' END,
            {% else %}
            CASE WHEN itemid IS NULL THEN 'null_truth_item' END,
            CASE WHEN has_grade AND rel IS NULL THEN 'null_grade' END,
            {% endif %}
            CASE WHEN NOT isfinite(grade) THEN 'infinite_grade' WHEN grade < 0 THEN 'negative_grade'
                WHEN grade <> floor(grade) THEN 'fractional_grade' END,
            CASE WHEN userid IS NOT NULL AND itemid IS NOT NULL AND row_number() OVER pair > 1
                THEN 'repeated_truth' END,
            CASE WHEN userid IS NOT NULL AND itemid IS NOT NULL AND has_grade AND row_number() OVER pair = 1
                    AND min(grade) OVER pair < max(grade) OVER pair
                THEN 'contradicting_grades' END
        ], lambda one: one IS NOT NULL)) AS code
    FROM {{ of.truths }}
    WINDOW pair AS (PARTITION BY userid, itemid)
    UNION ALL BY NAME
    SELECT 'no_relevant_item' AS code, userid::VARCHAR AS userid FROM truth_users WHERE n_relevant = 0
    UNION ALL BY NAME
    SELECT code, system, user AS userid FROM user_problems
    UNION ALL BY NAME
    SELECT 'user_spelling' AS code, system, listed::VARCHAR AS userid FROM matched_users WHERE alike IS NOT NULL
    UNION ALL BY NAME
    SELECT 'item_spelling' AS code, system, listed::VARCHAR AS itemid FROM matched_items WHERE alike IS NOT NULL
    UNION ALL BY NAME
    SELECT code, CASE code WHEN 'inexact_user' THEN id END AS userid, CASE code WHEN 'inexact_item' THEN id END AS itemid
    FROM inexact_ids
    {% if of.has_history %}
    UNION ALL BY NAME
    SELECT 'truth_in_history' AS code, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid FROM known_pairs WHERE is_known
    UNION ALL BY NAME
    SELECT 'late_history' AS code, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid FROM timed_events WHERE is_late
    UNION ALL BY NAME
    SELECT 'seen_items' AS code, system, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid FROM seen_rows
    UNION ALL BY NAME
    SELECT 'new_users' AS code, id::VARCHAR AS userid FROM new_users
    UNION ALL BY NAME
    SELECT 'new_items' AS code, id::VARCHAR AS itemid FROM new_items
    {% endif %}
    {% if of.has_items %}
    UNION ALL BY NAME
    SELECT code, system, k, userid, itemid FROM rows_of_items
    {% endif %}
)
SELECT problems.code, problems.system, problems.k, userid, itemid
FROM problems
JOIN rows
    ON problems.code = rows.code
    AND problems.system IS NOT DISTINCT FROM rows.system
    AND problems.k IS NOT DISTINCT FROM rows.k
-- Short lists, the shortest first, as many as ranking.check counts. If every list is short, the longest ones do not count.
QUALIFY problems.code <> 'short_lists'
    OR row_number() OVER (PARTITION BY problems.system, problems.k, problems.code ORDER BY size ASC NULLS LAST) <= count
ORDER BY
    problems.code ASC NULLS LAST, problems.k ASC NULLS LAST, problems.system ASC NULLS FIRST, userid ASC NULLS LAST,
    itemid ASC NULLS LAST

-- One user's lists, rank by rank, and the relevant items that are not in them: why a measure is what it is.
--
-- rec, truth, user_col, ..., descending, min_grade: as for ranking_judged; gains do not know min_grade
-- user:       a userid, as it is or as text
-- k:          how far to look, an integer; NULL for the whole list
-- ties:       'item': in the order of their itemids; 'expected': gain and all that follows from it are means over the orders
--             of the items that tie, grade and relevant are the item's own
-- Returns:    for each system a row per rank, then one per relevant item that is not in the top k, of the highest grade
--             first: [system,] rank, itemid (a UUID as text), score, grade (NULL where truth has none), relevant, gain
--             (2^grade - 1, 0 for a miss), discount (1 / log2(rank + 1)), contribution (to DCG, gain * discount), dcg, ideal_dcg,
--             ndcg, "precision" and recall, all of the list down to this rank; found_at, the rank beyond k at which a missed
--             item stands, NULL for nowhere
-- Errors:     as for ranking_judged; a k that is no integer or below 0; a user whom neither rec nor truth has
-- Example:    SELECT rank, itemid, grade, gain, round(discount, 4) AS discount, round(dcg, 4) AS dcg,
--                 round(ideal_dcg, 4) AS ideal_dcg, round(ndcg, 4) AS ndcg, found_at
--             FROM ranking_explain('rec', 'truth', 'c02', 5) WHERE system = 'similar';
--
-- dcg, ideal_dcg, ndcg and recall of row k are those of ranking_by_user to the last bit, and so is precision, unless the
-- list is shorter than k. Then the last row has ideal_dcg and ndcg down to k, and precision still divides by the rank.
-- dcg / ideal_dcg is ndcg, but for the last bit where all grades of truth are equal and their gain is no power of 2: there
-- NDCG leaves the gain out. An item that a list repeats is a miss the second time, without a grade. Measures, relevant and
-- gain of a user who is in rec alone are NULL. Of rows whose rank is NULL, ANTI JOIN items USING (itemid) leaves those whose
-- item is gone from a catalogue. To find the users who lost most, see sql/tables/README.md.
CREATE OR REPLACE TEMP MACRO ranking_explain(
    rec, truth, user, k := 10, ties := 'item', COLUMN_ARGUMENTS, min_grade := NULL) AS TABLE
WITH _ranking_user_lists AS NOT MATERIALIZED (
    -- Kept within this CTE: beside it, columns that no one selects would be computed.
    WITH _ranking_user_rec AS MATERIALIZED (
        SELECT * EXCLUDE (ranking_absent)
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('rec', rec)) AS recs)
        WHERE _ranking_is_user(least(*COLUMNS(_ranking_column(user_col, 'userid'))), user)
    ), _ranking_user_truth AS MATERIALIZED (
        SELECT * EXCLUDE (ranking_absent)
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('truth', truth)) AS truths)
        WHERE _ranking_is_user(least(*COLUMNS(_ranking_column(user_col, 'userid'))), user)
    )
    SELECT
        systems.*,
        truths.userid IS NOT NULL AS has_truth,
        coalesce(lists.items, []) AS rec_items,
        lists.scores, nans.score AS nan, nans.items AS nan_items, truths.items AS truth_items, truths.grades
    FROM _ranking_systems(rec, COLUMN_NAMES) AS systems
    LEFT JOIN _ranking_truth_lists('_ranking_user_truth', COLUMN_NAMES, 'ranking_explain') AS truths ON true
    -- With rec as truth, the list of a user without truth is whole.
    LEFT JOIN _ranking_rec_lists('_ranking_user_rec', '_ranking_user_rec', COLUMN_NAMES, NULL, true) AS lists
        ON lists.system IS NOT DISTINCT FROM systems.ranking_system
    LEFT JOIN (
        SELECT system, any_value(score) AS score, list(itemid) AS items
        FROM _ranking_recs('_ranking_user_rec', COLUMN_NAMES)
        WHERE isnan(TRY_CAST(score AS DOUBLE))
        GROUP BY system
    ) AS nans ON nans.system IS NOT DISTINCT FROM systems.ranking_system
    WHERE _ranking_valid_truth(truth, COLUMN_NAMES, 'ranking_explain') AND (
        SELECT _ranking_valid(rec, truth, COLUMN_NAMES, 'ranking_explain')
        AND _ranking_valid_grades(NOT _ranking_has(truth, grade_col, 'rel'), 'ranking_explain', min_grade)
        AND _ranking_no_problem('ranking_explain', coalesce(
            _ranking_k_problem(k),
            CASE
                WHEN user IS NULL THEN 'user must be a userid, got NULL'
                WHEN _ranking_has(rec, user_col, 'userid') AND _ranking_has(truth, user_col, 'userid')
                    AND NOT EXISTS (FROM _ranking_user_rec) AND NOT EXISTS (FROM _ranking_user_truth)
                    THEN concat('user must be in rec or in truth, got ', _ranking_cut(user::VARCHAR))
            END)))
), _ranking_user_rows AS NOT MATERIALIZED (
    SELECT
        -- Only rows that are shown have measures; a user may have thousands that are not.
        * EXCLUDE (entry) REPLACE (CASE WHEN entry.rank IS NOT NULL THEN tied END AS tied),
        entry.rank, entry.place, entry.found_at,
        CASE
            WHEN entry.rank IS NULL THEN coalesce(grades[entry.place], 1)::DOUBLE
            ELSE judged.grades[list_position(judged.ranks, entry.rank)]
        END AS grade
    FROM (
        SELECT
            *,
            unnest(
                list_transform(
                    range(1, shown + 1), lambda rank: {'rank': rank, 'place': NULL::BIGINT, 'found_at': NULL::BIGINT}
                )
                || list_filter(
                    list_transform(
                        range(1, coalesce(len(truth_items), 0) + 1),
                        lambda place: {
                            'rank': NULL::BIGINT,
                            'place': place,
                            'found_at': judged.ranks[list_position(places, place)]::BIGINT}),
                    lambda missed: coalesce(missed.found_at > shown, true))) AS entry
        FROM (
            SELECT
                *,
                _ranking_ties_choice(
                    ties,
                    {
                        'ranks': judged.ranks, 'lasts': judged.ranks, 'grades': judged.grades, 'ideal': judged.ideal,
                        'size': judged.size},
                    NULL,
                    _ranking_tied_ranking(judged, scores, reversed, NULL),
                    'ranking_explain') AS tied
            FROM (
                SELECT
                    *,
                    list_reverse(scores) AS reversed,
                    list_transform(found, lambda one: one[2]) AS places,
                    least(_ranking_cut_off(k, len(rec_items)), len(rec_items)) AS shown,
                    _ranking_judgement(
                        found, len(rec_items), len(truth_items),
                        CASE WHEN len(truth_items) = 0 THEN [0::DOUBLE] ELSE grades END, NULL) AS judged
                FROM _ranking_found_truth('_ranking_user_lists', rec, truth, COLUMN_NAMES))))
)
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'rank')),
    CASE WHEN rank IS NULL
        THEN _ranking_id_as_column(missed, listed)
        ELSE _ranking_id_as_column(listed, missed)
    END AS itemid,
    coalesce(
        scores[coalesce(rank, found_at)],
        CASE WHEN list_contains(nan_items, rec_items[coalesce(rank, found_at)]) THEN nan END) AS score,
    grade,
    CASE WHEN has_truth THEN is_relevant END AS relevant,
    gain, discount, gain * discount AS contribution,
    -- As _ranking_expected_dcg, _ranking_ideal_dcg and _ranking_expected_ndcg, with what they share planned once.
    CASE WHEN counts THEN _ranking_total('ranking_dcg', ranking, list_max(ranking.grades), gained) END AS dcg,
    CASE WHEN counts THEN _ranking_total('ranking_ideal_dcg', ranking, ranking.ideal[1], best) END AS ideal_dcg,
    CASE WHEN counts THEN least(gained / greatest(best, 2 ** -1074), 1) END AS ndcg,
    CASE WHEN counts THEN _ranking_precision(relevant_ranking) END AS "precision",
    CASE WHEN counts THEN _ranking_recall(relevant_ranking) END AS recall,
    found_at
FROM (
    SELECT
        *,
        _ranking_discounted_gain(
            ranking, ranking.grades,
            _ranking_expected_weights(ranking, lambda _ranking_rank: _ranking_discount(_ranking_rank))) AS gained,
        _ranking_ideal(ranking) AS best
    FROM (
        SELECT
            *, truth_items[place] AS missed, rec_items[rank] AS listed,
            coalesce(grade >= _ranking_lowest_grade(min_grade), false) AS is_relevant,
            has_truth AND rank IS NOT NULL AS counts,
            CASE WHEN rank IS NOT NULL THEN _ranking_discount(rank) END AS discount,
            -- The mean over the tie, in which an item that ties with none is alone.
            CASE WHEN counts
                THEN coalesce(list_sum(list_transform(
                    list_filter(
                        list_zip(tied.ranks, tied.lasts, tied.grades),
                        lambda one: one[3] > 0 AND rank BETWEEN one[1] AND one[2]),
                    lambda one: _ranking_gain(one[3]) / (one[2] - one[1] + 1)
                )), 0)
            END AS gain,
            _ranking_tied_prefix(tied, ranking_at) AS ranking,
            _ranking_tied_prefix(tied_relevant, relevant_at) AS relevant_ranking
        FROM (
            SELECT
                *,
                _ranking_prefix(
                    tied, cut, n_seen, tied.ideal[-1] > 0, _ranking_log2_ideal(cut, n_relevant)) AS ranking_at,
                _ranking_prefix(tied_relevant, rank, n_above, tied_relevant.ideal[-1] > 0, NULL) AS relevant_at
            FROM (
                SELECT
                    *,
                    _ranking_n_seen(tied.ranks, cut) AS n_seen,
                    _ranking_n_seen(tied.ranks, rank) AS n_above,
                    _ranking_n_relevant(tied) AS n_relevant
                FROM (
                    SELECT
                        *,
                        _ranking_tied_from_grade(tied, _ranking_lowest_grade(min_grade)) AS tied_relevant,
                        CASE WHEN rank = shown THEN greatest(rank, _ranking_cut_off(k, rank)) ELSE rank END AS cut
                    FROM _ranking_user_rows)))))
WHERE rank IS NOT NULL OR is_relevant
ORDER BY ranking_system ASC NULLS LAST, rank ASC NULLS LAST, grade DESC NULLS LAST, itemid ASC NULLS LAST;

-- Say whether a userid is the one that was asked for, which may be given as text or by another type of number.
CREATE OR REPLACE TEMP MACRO _ranking_is_user(userid, user) AS
CASE
    WHEN regexp_matches(typeof(userid), '^(DOUBLE|FLOAT|DECIMAL)')
        THEN TRY_CAST(userid AS DOUBLE) = TRY_CAST(user::VARCHAR AS DOUBLE)
    WHEN regexp_matches(typeof(userid), '^(DATE|TIMESTAMP)')
        THEN TRY_CAST(userid AS TIMESTAMP_NS) = TRY_CAST(user::VARCHAR AS TIMESTAMP_NS)
    ELSE userid::VARCHAR = user::VARCHAR
END;

-- Say whether a DOUBLE can tell all numbers of this type apart.
CREATE OR REPLACE TEMP MACRO _ranking_few_digits(type) AS
regexp_full_match(type, 'DOUBLE|FLOAT|U?(TINYINT|SMALLINT|INTEGER)|DECIMAL\(([1-9]|1[0-5]),\d+\)');

-- The grade of a row of truth as a number, or an error for one that is not finite, unless the row has no item.
CREATE OR REPLACE TEMP MACRO _ranking_finite_grade(itemid, rel, grade_col, caller) AS
CASE
    WHEN itemid IS NULL OR isfinite(TRY_CAST(rel AS DOUBLE)) THEN TRY_CAST(rel AS DOUBLE)
    WHEN rel IS NULL OR TRY_CAST(rel AS DOUBLE) IS NOT NULL
        THEN error(concat(
            caller, ': ', _ranking_cut(coalesce(grade_col::VARCHAR, 'rel')), ' must be a finite number, got ',
            coalesce(rel::VARCHAR, 'NULL')))
END;

-- Return true, or an error if a system has no item of truth: there is nothing to compare.
CREATE OR REPLACE TEMP MACRO _ranking_has_items(rec, truth, COLUMN_NAMES, caller) AS
(
    SELECT CASE WHEN count(*) = 0 THEN true
        ELSE error(concat(caller, ': no item of truth is in rec', ' (of ' || _ranking_cut(min(system)) || ')'))::BOOLEAN END
    FROM (
        SELECT DISTINCT system::VARCHAR AS system
        FROM _ranking_recs(rec, COLUMN_NAMES)
        -- Of a column that is not there _ranking_valid speaks, at the same time.
        WHERE '"NULL"' NOT IN (typeof(itemid), typeof((SELECT id FROM _ranking_truth_ids(truth, COLUMN_NAMES, 'item') WHERE false)))
        EXCEPT
        SELECT recs.system::VARCHAR
        FROM _ranking_recs(rec, COLUMN_NAMES) AS recs
        SEMI JOIN _ranking_truth_ids(truth, COLUMN_NAMES, 'item') AS truths ON _ranking_same_id(recs.itemid, truths.id))
);

-- Recommendations under the names that the pack gives their columns; one that is not there is NULL. What reads a table first
-- asks _ranking_table for its name.
CREATE OR REPLACE TEMP MACRO _ranking_recs(rec, COLUMN_NAMES) AS TABLE
-- least and coalesce alike leave the NULL out; DuckDB 1.5 has no coalesce for an ARRAY, which a user or system may be.
SELECT
    least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
    coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
    coalesce(*COLUMNS(_ranking_column(score_col, 'score'))) AS score,
    least(*COLUMNS(_ranking_column(system_col, 'system'))) AS system
FROM (SELECT NULL AS ranking_absent, * FROM query_table(rec) AS recs);

-- The different users or items of truth.
CREATE OR REPLACE TEMP MACRO _ranking_truth_ids(truth, COLUMN_NAMES, kind) AS TABLE
SELECT DISTINCT id
FROM (SELECT COLUMNS(concat('^', kind, 'id$')) AS id FROM _ranking_truths(truth, COLUMN_NAMES))
WHERE id IS NOT NULL;

-- The rows of truth under such names.
CREATE OR REPLACE TEMP MACRO _ranking_truths(truth, COLUMN_NAMES) AS TABLE
SELECT
    least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
    coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
    coalesce(*COLUMNS(_ranking_column(grade_col, 'rel'))) AS rel
FROM (SELECT NULL AS ranking_absent, * FROM query_table(truth) AS truths);

-- Say whether two users or items are the same, as the condition of a join: one key, the ids as they are or as texts.
CREATE OR REPLACE TEMP MACRO _ranking_same_id(one, other) AS
_ranking_id_as(one, _ranking_compare_as_texts([one], [other]))
IS NOT DISTINCT FROM _ranking_id_as(other, _ranking_compare_as_texts([one], [other]));

-- An id as it is, or as text; which of the two is known when the query is planned. One of a column that is not there is
-- text, since nothing can be cast to "NULL".
CREATE OR REPLACE TEMP MACRO _ranking_id_as(id, as_text) AS
cast_to_type(
    id, struct_extract({'text': '', 'same': id}, CASE WHEN as_text OR typeof([id]) = '"NULL"[]' THEN 'text' ELSE 'same' END));

-- Say whether ids are compared as texts: where the types differ, but for two integers. A cast that DuckDB would make by
-- itself, of a text to a UUID or a number, could fail before _ranking_valid says what is wrong.
CREATE OR REPLACE TEMP MACRO _ranking_compare_as_texts(one, other) AS
typeof(one) <> typeof(other)
AND NOT _ranking_is_integer(left(typeof(one), -2) || left(typeof(other), -2));

-- Return true, or an error if truth has no user, or a column that is called as the scores of rec and has several numbers:
-- grades that are not read, as of BEIR.
CREATE OR REPLACE TEMP MACRO _ranking_valid_truth(truth, COLUMN_NAMES, caller) AS
(
    SELECT CASE
        WHEN min(unread) < max(unread) THEN error(concat(
            caller, ': ', _ranking_grade_not_read(coalesce(score_col::VARCHAR, 'score')),
            '; rec comes first, then truth'))::BOOLEAN
        WHEN count(userid) > 0 OR NOT _ranking_has(truth, user_col, 'userid') THEN true
        ELSE error(concat(
            caller, ': truth must have a user, got ', count(*), CASE count(*) WHEN 1 THEN ' row' ELSE ' rows' END,
            CASE WHEN count(*) > 0 THEN ' without ' || _ranking_cut(coalesce(user_col::VARCHAR, 'userid')) END))::BOOLEAN
    END
    FROM _ranking_unread_scores(truth, COLUMN_NAMES)
);

-- The users of truth, and its numbers that are called as the scores of rec, where they are not read and look like grades.
CREATE OR REPLACE TEMP MACRO _ranking_unread_scores(truth, COLUMN_NAMES) AS TABLE
SELECT
    userid,
    CASE
        WHEN typeof([rel]) = '"NULL"[]' AND len(_ranking_like_grades(concat(
            ', ', coalesce(score_col::VARCHAR, 'score'), ' ', regexp_extract(typeof([score]), '\w+'), ','))) > 0
            THEN score
    END AS unread
FROM (
    SELECT
        least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
        coalesce(*COLUMNS(_ranking_column('rel', ''))) AS rel,
        coalesce(*COLUMNS(_ranking_column(CASE WHEN grade_col IS NULL THEN score_col ELSE 'rel' END, 'score'))) AS score
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(truth) AS truths));

-- Return true, or an error if nothing in truth is relevant to anybody, so that no user is left.
CREATE OR REPLACE TEMP MACRO _ranking_has_relevant(truth, COLUMN_NAMES, min_grade, caller) AS
(
    SELECT CASE WHEN max(n_relevant) > 0 THEN true
        ELSE error(caller || ': truth must have a relevant item where users without one are left out, got none')::BOOLEAN
    END
    FROM _ranking_truth_users(truth, COLUMN_NAMES, min_grade)
);

-- The users of a table of users whom truth does not have, or an error if their column does not fit.
CREATE OR REPLACE TEMP MACRO _ranking_users_beyond_truth(truth, users, COLUMN_NAMES, caller) AS TABLE
SELECT DISTINCT userid
FROM _ranking_truths(_ranking_table('users', coalesce(users, truth)), COLUMN_NAMES) AS named
ANTI JOIN _ranking_truths(truth, COLUMN_NAMES) AS truths ON _ranking_same_id(named.userid, truths.userid)
WHERE CASE
    WHEN _ranking_no_problem(caller, _ranking_ids_problem('users', coalesce(users, truth), truth, user_col, 'user'))
        THEN userid IS NOT NULL
END;

-- The rows of truth, and one for each other user of a table of users.
CREATE OR REPLACE TEMP MACRO _ranking_truth_rows(truth, users, COLUMN_NAMES, caller) AS TABLE
FROM query_table(_ranking_table('truth', truth)) AS rows
-- Said here, before DuckDB 1.5 fails to cast the ids of truth to the type of the others.
WHERE _ranking_no_problem(
    caller, _ranking_ids_problem('users', _ranking_table('users', coalesce(users, truth)), truth, user_col, 'user'))
UNION ALL BY NAME
SELECT DISTINCT COLUMNS(lambda c: c = 'ranking_user' OR lower(c) = lower(coalesce(user_col::VARCHAR, 'userid')))
FROM (
    SELECT *, least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS ranking_user
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(coalesce(users, truth)))) AS named
SEMI JOIN _ranking_users_beyond_truth(truth, users, COLUMN_NAMES, caller) AS others ON ranking_user = others.userid;

-- The users, items and times of a table of events or of truth, under such names.
CREATE OR REPLACE TEMP MACRO _ranking_history(events, COLUMN_NAMES, time_col) AS TABLE
SELECT
    least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS userid,
    coalesce(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS itemid,
    least(*COLUMNS(_ranking_column(time_col, 'time'))) AS time
FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('history', events)) AS rows);

-- An id for a column that has ids of two tables: as text where it is a UUID, or of another type than the other, since
-- DuckDB makes no column of both.
CREATE OR REPLACE TEMP MACRO _ranking_id_as_column(id, other) AS
-- In LISTs, since DuckDB does not look for the type "NULL" itself before it runs.
_ranking_id_as(id, typeof([id]) = 'UUID[]' OR _ranking_compare_as_texts([id], [other]));

-- A time as a number that orders it: an integer as it is, else microseconds since 1970, in UTC; NULL if it is not finite.
CREATE OR REPLACE TEMP MACRO _ranking_moment(moment) AS
CASE
    WHEN _ranking_is_integer(typeof(moment)) THEN TRY_CAST(moment AS BIGINT)
    WHEN typeof(moment) = 'TIMESTAMP WITH TIME ZONE' THEN epoch_us(TRY_CAST(moment AS TIMESTAMPTZ))
    -- DuckDB 2 rounds a TIMESTAMP_NS, and 1.5 cuts it.
    WHEN typeof(moment) = 'TIMESTAMP_NS' THEN divide(epoch_ns(TRY_CAST(moment AS TIMESTAMP_NS)), 1000)
    ELSE epoch_us(TRY_CAST(moment AS TIMESTAMP))
END;

-- The items that a list holds more than once, each as often as it is repeated, the lowest first.
CREATE OR REPLACE TEMP MACRO _ranking_repetitions(items) AS
list_transform([list_sort(items, 'ASC')], lambda ordered: list_filter(ordered, lambda item, i: item = ordered[i - 1]))[1];

-- The score to rank by: as it is, but NULL for NaN, which would rank first.
CREATE OR REPLACE TEMP MACRO _ranking_score(score) AS
CASE WHEN typeof(score) IN ('DOUBLE', 'FLOAT') AND isnan(TRY_CAST(score AS DOUBLE)) THEN NULL ELSE score END;

-- The systems (models) in a table of recommendations.
CREATE OR REPLACE TEMP MACRO _ranking_systems(rec, COLUMN_NAMES) AS TABLE
SELECT DISTINCT
    -- The user's column, if there is one, as `system`; beside it the other one.
    COLUMNS(concat(
        '(?i)^(?:', regexp_escape(coalesce(system_col::VARCHAR, 'system')), ')$|^(ranking_)system$')) AS '\1system'
FROM (
    SELECT least(*COLUMNS(_ranking_column(system_col, 'system'))) AS ranking_system, *
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('rec', rec)) AS recs))
WHERE _ranking_has(rec, system_col, 'system')
UNION ALL BY NAME
SELECT NULL AS ranking_system
WHERE NOT _ranking_has(rec, system_col, 'system')
    OR NOT EXISTS (FROM query_table(rec));

-- The kind of a type of time, in words: times of one kind may be compared.
CREATE OR REPLACE TEMP MACRO _ranking_time_kind(type) AS
CASE
    WHEN _ranking_is_integer(type) THEN 'an integer'
    WHEN type = 'TIMESTAMP WITH TIME ZONE' THEN 'a TIMESTAMPTZ'
    WHEN regexp_full_match(type, 'DATE|TIMESTAMP(_S|_MS|_NS)?') THEN 'a DATE or TIMESTAMP'
END;

-- The users of truth, with how many different items are relevant to each.
CREATE OR REPLACE TEMP MACRO _ranking_truth_users(truth, COLUMN_NAMES, min_grade) AS TABLE
SELECT userid, count_if(itemid IS NOT NULL AND grade >= _ranking_lowest_grade(min_grade))::BIGINT AS n_relevant
FROM _ranking_truth_pairs(truth, COLUMN_NAMES)
GROUP BY userid;

-- The pairs of user and item in truth, with the highest grade of each.
CREATE OR REPLACE TEMP MACRO _ranking_truth_pairs(truth, COLUMN_NAMES) AS TABLE
SELECT
    userid, itemid,
    CASE WHEN _ranking_has(truth, grade_col, 'rel') THEN max(TRY_CAST(rel AS DOUBLE)) ELSE 1 END AS grade
FROM _ranking_truths(truth, COLUMN_NAMES)
WHERE userid IS NOT NULL
GROUP BY userid, itemid;

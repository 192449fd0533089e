-- Splits events into train and test, for one or more folds, with a reason for each row that is in neither.
--
-- test_from: It has the type of time.
-- test_size: An INTERVAL, or an integer if time is one. It counts back from the last event, or forward from test_from.
-- folds: Each trains on all events before its test period.
-- gap: Like test_size.
-- last: It replaces test_from and test_size. Fold 2 takes the N events before them, and so on.
-- Returns:    One row per event and fold: the columns of events, and three more.
--             `fold`: 1 is the latest.
--             `part`: 'train', 'test', or NULL for a row in neither.
--             `dropped`: the reason for NULL: 'gap', 'after test', 'cold user', 'cold item', 'seen', 'no user', 'no item'
--             or 'no time' (NULL or infinite).
-- Errors:     A column that split makes (fold, ranking_user, ...). Times as integers in two units. None of test_from,
--             test_size and last. A fold whose train or test has no event.
-- Example:    SELECT fold, part, dropped, count(*) AS events, min(rated_on) AS first, max(rated_on) AS last
--             FROM ranking.split('examples/dbt_project/seeds/ratings.csv', test_size := INTERVAL 5 DAY, gap := INTERVAL 1 DAY,
--                 user_col := 'customer_id', item_col := 'sku', time_col := 'rated_on')
--             GROUP BY ALL ORDER BY ALL;
--
-- A test period includes its start and excludes its end. The last one ends one unit after the last event: 1 for integers,
-- a day for DATE, a microsecond for TIMESTAMP. TIMESTAMPTZ is read in UTC. `last` orders events by time, then by itemid,
-- and counts repeated events once. Prefer a split by time: with `last`, the train holds events of other users after a
-- user's test.
--
-- To remove already-seen items, use `FROM rec ANTI JOIN train USING (userid, itemid)`. To evaluate all folds in one
-- query, make the fold a part of the userid, `{'fold': fold, 'userid': userid}`, and group ranking.by_user by
-- userid.fold.
CREATE OR REPLACE MACRO ranking.split(ARGUMENTS) AS TABLE
{% import "tables/internal/reading.jinja" as reading %}
{% import "tables/internal/times.jinja" as times %}
{# The events, with their columns by role and the times by which they are split. #}
{% macro timed(of) %}
SELECT
    *,
    CASE WHEN ranking_user IS NOT NULL AND ranking_item IS NOT NULL
        THEN {{ times.moment("ranking_time") | indent(8) }} END AS ranking_moment
FROM (
    SELECT
        *, {{ of.user | by_bytes }} AS ranking_user, {{ of.item | by_bytes }} AS ranking_item,
        {{ of.time | identifier }} AS ranking_time
    FROM (
        FROM query_table({{ of.events | literal }})
        UNION ALL BY NAME SELECT {{ [of.user, of.item, of.time] | nulls }} WHERE false))
{%- endmacro %}

{# The time that is a number of spans before another. #}
{% macro before(moment, times, span) %}
{% if "::INTERVAL" in span %}
epoch_us(make_timestamp({{ moment }}) - {{ times }} * {{ span }})
{%- else %}
{{ moment }} - {{ times }} * {{ span }}
{%- endif %}
{% endmacro %}

{# The first time of each user, each item or each pair of both. #}
{% macro first_moments(ids) %}
(SELECT {{ ids }}, min(ranking_moment) AS ranking_first FROM _ranking_moments GROUP BY {{ ids }})
{%- endmacro %}

WITH _ranking_checked AS MATERIALIZED (
    SELECT CASE
        WHEN column_problem IS NOT NULL THEN error({{ of.caller | literal }} || ': ' || column_problem)
        WHEN {{ reading.is_wrong_collation() }} THEN {{ reading.collation_error(of) | indent(8) }}
        ELSE 'right'
    END AS problem
    FROM (SELECT {{ of.column_problem }} AS column_problem)
),
{% if of.last is not none %}
_ranking_events AS MATERIALIZED (
    SELECT * REPLACE (CASE WHEN ranking_moment IS NOT NULL THEN -dense_rank() OVER (
        PARTITION BY ranking_user ORDER BY ranking_moment DESC NULLS LAST, ranking_item DESC NULLS LAST
    ) END AS ranking_moment)
    FROM ({{ timed(of) | indent }})
), _ranking_moments AS NOT MATERIALIZED (
    SELECT
        ranking_user, ranking_item, ranking_moment, false AS is_date,
        {{ times.moment("ranking_time") | indent(8) }} AS ranking_at, contains(typeof(ranking_time), 'INT') AS is_number
    FROM _ranking_events
),
{% else %}
-- MATERIALIZED would lose the order of the events.
_ranking_events AS NOT MATERIALIZED (
    {{ timed(of) | indent }}
), _ranking_moments AS {{ of.reused }} (
    SELECT ranking_user, ranking_item, ranking_moment, typeof(ranking_time) = 'DATE' AS is_date, ranking_moment AS ranking_at,
        contains(typeof(ranking_time), 'INT') AS is_number
    FROM ({{ timed(of) | indent }})
),
{% endif %}
windows AS NOT MATERIALIZED (
    -- The events of each fold, or an error for a fold without train, or a first one without test.
    SELECT
        ranking_fold, ranking_test_from, ranking_test_until,
        CASE
            WHEN highest >= 100 * lowest::DOUBLE THEN error(concat(
                {{ (of.caller ~ ": " ~ of.time) | literal }}, ' must be in one unit, got ', lowest, ' and ', highest,
                ': write all in seconds, or all in milliseconds'))
            {% if of.last is none %}
            WHEN ranking_test_from > latest THEN error({{ of.caller | literal }} || ': ' || {{ of.late | literal }})
            {% endif %}
            WHEN ranking_train_until <= earliest
                THEN error({{ of.caller | literal }} || ': a fold must have events before its test
                {%- if of.last is not none %}
, got none for fold ' || ranking_fold || ': take fewer folds or a smaller last')
                {% else %}
 and gap, got none for fold ' || ranking_fold
                    || ': take fewer folds, a shorter test_size or gap, or a later test_from')
                {% endif %}
            ELSE ranking_train_until
        END AS ranking_train_until
    FROM (
        SELECT *, {{ before("ranking_test_from", "1", of.gap_span) }} AS ranking_train_until
        FROM (
            SELECT
                ranking_fold, earliest, latest, lowest, highest,
                {% if of.last is not none or of.test_size %}
                {{ before("until", "ranking_fold", of.step) }} AS ranking_test_from,
                {{ before("until", "(ranking_fold - 1)", of.step) }} AS ranking_test_until
                {% else %}
                {{ times.moment(of.first) | indent(16) }} AS ranking_test_from,
                until AS ranking_test_until
                {% endif %}
            FROM (
                SELECT
                    unnest(range(1, {{ of.folds }} + 1)) AS ranking_fold, earliest, latest, lowest, highest,
                    {% if of.test_from and of.test_size %}
                    {{ before(times.moment(of.first), "-1", of.step) | indent(20) }} AS until
                    {% else %}
                    until
                    {% endif %}
                FROM (
                    SELECT
                        min(ranking_moment) AS earliest, max(ranking_moment) AS latest,
                        -- Integers from 1e8 on are taken for seconds since 1970, or for parts of a second.
                        min(ranking_at) FILTER (is_number AND ranking_at >= 100_000_000) AS lowest, max(ranking_at) AS highest,
                        max(ranking_moment + CASE WHEN is_date THEN 86_400_000_000 ELSE 1 END) AS until
                    FROM _ranking_moments)
                WHERE {{ reading.is_right() }})))
)
SELECT
    * EXCLUDE (ranking_fold, ranking_dropped, ranking_is_train),
    ranking_fold AS fold,
    CASE WHEN ranking_dropped IS NOT NULL THEN NULL WHEN ranking_is_train THEN 'train' ELSE 'test' END AS part,
    ranking_dropped AS dropped
FROM (
    SELECT
        rows.* EXCLUDE (ranking_user, ranking_item, ranking_time, ranking_moment),
        windows.ranking_fold,
        rows.ranking_moment < windows.ranking_train_until AS ranking_is_train,
        CASE
            WHEN rows.ranking_moment < windows.ranking_train_until THEN NULL
            WHEN rows.ranking_user IS NULL THEN 'no user'
            WHEN rows.ranking_item IS NULL THEN 'no item'
            WHEN rows.ranking_moment IS NULL THEN 'no time'
            WHEN rows.ranking_moment >= windows.ranking_test_until THEN 'after test'
            WHEN rows.ranking_moment < windows.ranking_test_from THEN 'gap'
            {% if of.cold_users == "drop" %}
            WHEN users.ranking_first >= windows.ranking_train_until THEN 'cold user'
            {% endif %}
            {% if of.cold_items == "drop" %}
            WHEN items.ranking_first >= windows.ranking_train_until THEN 'cold item'
            {% endif %}
            {% if of.seen == "drop" %}
            WHEN pairs.ranking_first < windows.ranking_train_until THEN 'seen'
            {% endif %}
        END AS ranking_dropped
    FROM _ranking_events AS rows
    CROSS JOIN windows
    -- Joins, since windows would lose the order of the events.
    {% if of.cold_users == "drop" %}
    LEFT JOIN {{ first_moments("ranking_user") }} AS users USING (ranking_user)
    {% endif %}
    {% if of.cold_items == "drop" %}
    LEFT JOIN {{ first_moments("ranking_item") }} AS items USING (ranking_item)
    {% endif %}
    {% if of.seen == "drop" %}
    LEFT JOIN {{ first_moments("ranking_user, ranking_item") }} AS pairs USING (ranking_user, ranking_item)
    {% endif %}
)

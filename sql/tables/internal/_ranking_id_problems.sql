-- Internal: the items of truth that none of a system's matches, and the ids of a kind that match but for case and the like. It
-- needs whole tables. That no user matches follows from what each user lacks: see _ranking_problem_rows.
--
-- read:    name of a table with what _ranking_ids gives
-- name:    of the column
-- kind:    'user' or 'item'; a constant
-- Returns: what _ranking_user_problems does
-- Example: FROM _ranking_id_problems('read', 'itemid', 'item');
CREATE OR REPLACE TEMP MACRO _ranking_id_problems(read, name, kind) AS TABLE
SELECT one.code, system, NULL::BIGINT AS k, one.count, NULL AS of_row, one.example, NULL::BIGINT AS size, one.of, NULL AS severity
FROM (
    SELECT
        system,
        unnest([
            {
                'code': 'no_common_item',
                'count': n_truth * (kind = 'item' AND n_common = 0)::BIGINT,
                'example': concat(name, ' ', of_truth::VARCHAR, ' in truth, ', of_rec::VARCHAR, ' in rec'),
                'of': n_truth
            },
            {'code': kind || '_spelling', 'count': n_alike, 'example': concat(name, ' ', alike), 'of': n_listed}
        ]) AS one
    FROM (
        SELECT
            listed.system,
            count(*) AS n_listed,
            count(known.id) AS n_common,
            min(listed.id) AS of_rec,
            count(alike.id) AS n_alike,
            min(CASE WHEN alike.id IS NOT NULL THEN format('''{}'' for ''{}''', listed.id, alike.id) END) AS alike,
            any_value(of_all.n) AS n_truth,
            any_value(of_all.id) AS of_truth
        FROM (SELECT system, COLUMNS('^listed_' || kind) AS id FROM query_table(read)) AS listed
        CROSS JOIN (
            SELECT count(id) AS n, min(id) AS id FROM (SELECT COLUMNS('^known_' || kind) AS id FROM query_table(read))
        ) AS of_all
        LEFT JOIN (SELECT COLUMNS('^known_' || kind) AS id FROM query_table(read)) AS known
            ON _ranking_same_id(listed.id, known.id)
        LEFT JOIN (
            SELECT _ranking_plain_id(id::VARCHAR) AS plain, min(id::VARCHAR) AS id
            FROM (SELECT COLUMNS('^known_' || kind) AS id FROM query_table(read))
            WHERE _ranking_family(typeof(id)) = 'VARCHAR'
            GROUP BY plain
        ) AS alike
            ON _ranking_plain_id(CASE WHEN known.id IS NULL THEN listed.id::VARCHAR END) = alike.plain
        WHERE listed.id IS NOT NULL AND (kind = 'item' OR _ranking_family(typeof(listed.id)) = 'VARCHAR')
        GROUP BY listed.system
    )
)
WHERE one.count > 0;

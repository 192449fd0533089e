-- Internal: the users or items that match truth but for case and the like; for items also that none matches. It needs
-- whole tables. That no user matches follows from what each user lacks: see _ranking_problem_rows.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- kind:       'user' or 'item'; a constant
-- place:      of the problem that they match but for case
-- Returns:    place (among all problems), problem, system, count, example, size
-- Example:    FROM _ranking_id_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'item', 9);
CREATE OR REPLACE TEMP MACRO _ranking_id_problems(rec, truth, names, kind, place) AS TABLE
SELECT unnest(
    _ranking_problems([
        _ranking_problem(
            5, 'no item of truth is in rec', system, CASE WHEN kind = 'item' AND n_common = 0 THEN n_truth END,
            concat(names[kind], ' ', of_truth::VARCHAR, ' in truth, ', of_rec::VARCHAR, ' in rec')),
        _ranking_problem(
            place, concat(kind, 's that match truth but for case, blanks or zeros'), system, n_alike,
            concat(names[kind], ' ', alike))
    ]),
    recursive := true)
FROM (
    SELECT
        listed.system::VARCHAR AS system,
        count(known.id) AS n_common,
        min(listed.id) AS of_rec,
        count(alike.id) AS n_alike,
        min(CASE WHEN alike.id IS NOT NULL THEN format('''{}'' for ''{}''', listed.id, alike.id) END) AS alike,
        any_value(of_all.n) AS n_truth,
        any_value(of_all.id) AS of_truth
    FROM (
        SELECT DISTINCT system, id
        FROM (SELECT system, COLUMNS(concat('^', kind, 'id$')) AS id FROM _ranking_recs(rec, names))
        WHERE id IS NOT NULL AND (kind = 'item' OR _ranking_family(typeof(id)) = 'VARCHAR')
    ) AS listed
    CROSS JOIN (SELECT count(*) AS n, min(id) AS id FROM _ranking_truth_ids(truth, names, kind)) AS of_all
    LEFT JOIN _ranking_truth_ids(truth, names, kind) AS known
        ON _ranking_same_id(listed.id, known.id)
    LEFT JOIN (
        SELECT _ranking_plain_id(id::VARCHAR) AS plain, min(id::VARCHAR) AS id
        FROM _ranking_truth_ids(truth, names, kind)
        WHERE _ranking_family(typeof(id)) = 'VARCHAR'
        GROUP BY plain
    ) AS alike
        ON _ranking_plain_id(CASE WHEN known.id IS NULL THEN listed.id::VARCHAR END) = alike.plain
    GROUP BY listed.system
);

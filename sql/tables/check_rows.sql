-- Lists the users, items and rows behind the counts of ranking.check.
--
-- Returns:    As many rows per code as ranking.check counts: code, column_name, system, k, userid (NULL for an item's
--             problem), itemid (NULL for a user's). Ids are strings.
-- Example:    FROM ranking.check_rows('rec', 'truth') WHERE code = 'no_relevant_item';
--
-- A repeated item has a row for each occurrence except one. unjudged and without_relevant change no row.
--
-- Codes about a column, a whole table or all ids have no rows: unfit_column, column_not_read, number_not_read, no_rows,
-- no_time, no_common_id, placeholder, several_ids, unlisted_items, nothing_relevant, nothing_but_hits, swapped, systems_apart,
-- labelled_apart and labelled_in_part.
CREATE OR REPLACE MACRO ranking.check_rows(ARGUMENTS) AS TABLE
{% import "tables/internal/check.jinja" as check %}
WITH {{ check.problems(of) }}, listed_rows AS NOT MATERIALIZED (
    SELECT code, system, k, column_name, userid, itemid FROM queried_rows
    {% for source in of.passes %}
    UNION ALL BY NAME
    SELECT * EXCLUDE (itemids), unnest(itemids) AS itemid
    FROM (
        SELECT
            {{ "NULL" if source in ["pairs", "users"] else "system" }} AS system,
            {{ check.several(of.row_parts(source), "code") }},
            {{ check.several(of.row_parts(source), "k") }},
            {{ check.several(of.row_parts(source), "column_name") }},
            {{ of.row_parts(source)[0].userid }}::VARCHAR AS userid,
            {{ check.several(of.row_parts(source), "itemids") }}
        FROM {{ source }}_found)
    {% endfor %}
    UNION ALL BY NAME
    SELECT
        system, userid::VARCHAR AS userid,
        unnest(list_filter([
            {%- for part in of.parts("evidence") %}
            CASE WHEN {{ part.row }} THEN {{ part.code }} END{{ ", " if not loop.last }}{% endfor -%}
        ], lambda one: one IS NOT NULL)) AS code
    FROM list_evidence
)
SELECT code, problems.column_name, problems.system, problems.k, userid, itemid
FROM problems
JOIN listed_rows AS listed USING (code)
WHERE problems.system IS NOT DISTINCT FROM listed.system
    AND problems.k IS NOT DISTINCT FROM listed.k
    AND problems.column_name IS NOT DISTINCT FROM listed.column_name
ORDER BY
    code ASC NULLS LAST, problems.k ASC NULLS LAST, problems.system ASC NULLS FIRST, problems.column_name ASC NULLS LAST,
    userid ASC NULLS LAST, itemid ASC NULLS LAST

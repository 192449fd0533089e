-- Computes the agreement of two judges, human or model: kappa, alpha and the difference in strictness, with confidence
-- intervals.
--
-- labels_a:   table with the grades of one judge: userid, itemid, rel. Rows with a NULL do not count.
-- labels_b:   table with the grades of the other judge, in the same form
-- confidence: confidence level of the intervals (default 0.95)
-- user_col, item_col, grade_col: names of the columns, by default userid, itemid and rel
-- Returns:    One row per statistic: statistic, value, low, high, standard_error, users, pairs, only_a, only_b, note.
--             `pairs`: pairs of user and item that both judges graded. `users`: their users.
--             `only_a`, `only_b`: pairs that only one judge graded. They do not affect the statistics.
--             `note`: the reason why a value or an interval is NULL.
--             The statistics are these. `agreement`: share of pairs with equal grades.
--             `kappa`, `kappa_linear`, `kappa_quadratic`: Cohen's kappa, unweighted or weighted by the difference of the grades
--             or its square.
--             `krippendorff_alpha`: Krippendorff's alpha for interval data.
--             `mean_difference`: mean grade by a minus mean grade by b. If it is above 0, b is stricter.
-- Errors:     A missing column. Ids of different types. Grades that are not numbers, are NaN or infinite. An item with two
--             different grades by one judge for one user. No pair that both judges graded. More than 101 different grades.
-- Source:     Cohen (1960), (1968). Krippendorff (1970). Efron and Stein (1981) for the jackknife.
-- Example:    WITH people(userid, itemid, rel) AS (VALUES ('q1', 'a', 2), ('q1', 'b', 0), ('q2', 'a', 1), ('q3', 'c', 0)),
--                 model AS (SELECT * REPLACE (CASE rel WHEN 1 THEN 2 ELSE rel END AS rel) FROM people)
--             SELECT statistic, round(value, 4) AS value, pairs FROM ranking.agreement('people', 'model');
--
-- The intervals come from a jackknife over users, since labels of one user or query are not independent. `sql/statistics.md`
-- reports their coverage.
CREATE OR REPLACE MACRO ranking.agreement(
    labels_a, labels_b, confidence := 0.95, user_col := 'userid', item_col := 'itemid', grade_col := 'rel') AS TABLE
{% import "comparison/internal/student_t.jinja" as student_t %}
{% import "measures/internal/rules.jinja" as rules %}
{% import "tables/internal/reading.jinja" as reading %}
{# The labels of a judge. A missing column is NULL, of the type "NULL". #}
{% macro labels(of, table) %}
SELECT {{ of.user | identifier }} AS userid, {{ of.item | identifier }} AS itemid, {{ of.grade | identifier }} AS rel
FROM (SELECT {{ of.label_columns }} WHERE false UNION ALL BY NAME FROM query_table({{ table | literal }}))
{%- endmacro %}

{# The error text for the labels of a judge; NULL if there is none. #}
{% macro problem(of, argument) %}
SELECT *, CASE
    {% for type, name in [("user", of.user), ("item", of.item), ("grade", of.grade)] %}
    WHEN {{ type }}_type = '"NULL"[]'
        THEN concat('must have a column ', {{ name | cut | literal }}, ' ({{ type }}_col), got none')
    {% endfor %}
    WHEN NOT regexp_full_match(grade_type, '(U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)|DOUBLE|FLOAT|BOOLEAN|DECIMAL\(.*\))\[\]')
        THEN concat(
            'must have numbers as grades, got ', {{ of.grade | cut | literal }}, ' of type ', {{ rules.cut("grade_type[:-3]") }})
    WHEN no_number IS NOT NULL THEN concat('must have finite grades, got ', no_number)
    WHEN twice IS NOT NULL
        THEN concat('must have one grade for each user and item, got several of ', {{ rules.cut("twice") }})
END AS problem
FROM (
    SELECT
        typeof([any_value(userid)]) AS user_type, typeof([any_value(itemid)]) AS item_type,
        typeof([any_value(rel)]) AS grade_type,
        any_value(rel::VARCHAR) FILTER (NOT isfinite(TRY_CAST(rel::VARCHAR AS DOUBLE))) AS no_number
    FROM _ranking_{{ argument }})
CROSS JOIN (
    SELECT min(concat(userid, ', ', itemid)) AS twice
    FROM (
        SELECT userid, itemid
        FROM _ranking_{{ argument }}
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY userid, itemid
        HAVING min(rel) < max(rel)))
{%- endmacro %}

{# The error text for ids of different types: a cast could merge two ids, or fail. #}
{% macro types_differ(type, name) %}
WHEN a.{{ type }}_type <> b.{{ type }}_type
    AND NOT regexp_full_match(a.{{ type }}_type || b.{{ type }}_type, '(U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)\[\]){2}')
    THEN concat(
        'labels_a and labels_b must have one type of ', {{ name | cut | literal }}, ', got ',
        {{ rules.cut("a." ~ type ~ "_type[:-3]") }}, ' and ', {{ rules.cut("b." ~ type ~ "_type[:-3]") }})
{%- endmacro %}

{# A sum in fixed point, in units of 2^-70: exact on any number of threads. #}
{% macro fixed(number) %}
sum((({{ number }}) * 2 ** 70)::HUGEINT)
{%- endmacro %}

{# A grade as a number. A FLOAT is read as it is written, so that 0.1 equals a DOUBLE 0.1. A BOOLEAN becomes 0 or 1. #}
{% set grade = "coalesce(TRY_CAST(rel::VARCHAR AS DOUBLE), TRY_CAST(rel AS DOUBLE))" %}

{# Sums over all users, or over all but one user. #}
{% macro totals(of_one) %}
{% for name in ["n", "equal", "apart", "square", "difference"] %}
sum({{ name }}){{ " OVER () - " ~ name if of_one }} AS {{ name }}{{ ", " if not loop.last }}
{%- endfor %}
{% endmacro %}
WITH _ranking_labels_a AS MATERIALIZED (
    {{ labels(of, of.labels_a) | indent }}
), _ranking_labels_b AS MATERIALIZED (
    {{ labels(of, of.labels_b) | indent }}
), _ranking_checked AS MATERIALIZED (
    SELECT CASE
        WHEN {{ reading.is_wrong_collation() }} THEN {{ reading.collation_error(of) | indent(8) }}
        WHEN problem IS NOT NULL THEN error({{ of.caller | literal }} || ': ' || problem)
        ELSE 'right'
    END AS problem
    FROM (
        SELECT CASE
            WHEN a.problem IS NOT NULL THEN 'labels_a ' || a.problem
            WHEN b.problem IS NOT NULL THEN 'labels_b ' || b.problem
            {{ types_differ("user", of.user) | indent(12) }}
            {{ types_differ("item", of.item) | indent(12) }}
        END AS problem
        FROM (
            {{ problem(of, "labels_a") | indent(12) }}) AS a
        CROSS JOIN (
            {{ problem(of, "labels_b") | indent(12) }}) AS b)
), graded AS MATERIALIZED (
    SELECT userid, itemid, max(a) AS a, max(b) AS b
    FROM (
        SELECT userid::VARCHAR AS userid, itemid::VARCHAR AS itemid, {{ grade }} AS a, NULL::DOUBLE AS b
        FROM _ranking_labels_a
        UNION ALL
        SELECT userid::VARCHAR, itemid::VARCHAR, NULL, {{ grade }}
        FROM _ranking_labels_b)
    WHERE userid IS NOT NULL AND itemid IS NOT NULL AND {{ reading.is_right() }}
    GROUP BY userid, itemid
), counts AS MATERIALIZED (
    SELECT
        count(*) FILTER (a IS NOT NULL AND b IS NOT NULL) AS pairs,
        count(*) FILTER (b IS NULL AND a IS NOT NULL) AS only_a,
        count(*) FILTER (a IS NULL AND b IS NOT NULL) AS only_b,
        min(least(a, b)) FILTER (a IS NOT NULL AND b IS NOT NULL) AS lowest,
        max(greatest(a, b)) FILTER (a IS NOT NULL AND b IS NOT NULL) - lowest AS range
    FROM graded
    HAVING CASE
        WHEN pairs = 0
            THEN error({{ of.caller | literal }} || ': there must be a user and item that both have graded, got none')::BOOLEAN
        ELSE true
    END
), pairs AS MATERIALIZED (
    -- Rescale grades to 0 to 1, so that their sums fit into fixed point.
    SELECT userid, (a - lowest) / coalesce(nullif(range, 0), 1) AS a, (b - lowest) / coalesce(nullif(range, 0), 1) AS b
    FROM graded
    CROSS JOIN counts
    WHERE a IS NOT NULL AND b IS NOT NULL
), by_user AS MATERIALIZED (
    SELECT
        userid, count(*)::DOUBLE AS n, count(*) FILTER (a = b)::DOUBLE AS equal,
        {{ fixed("abs(a - b)") }} AS apart,
        {{ fixed("(a - b) ** 2") }} AS square,
        {{ fixed("a - b") }} AS difference
    FROM pairs
    GROUP BY userid
), grades AS MATERIALIZED (
    SELECT userid, grade, count(*) FILTER (is_a) AS n_a, count(*) FILTER (NOT is_a) AS n_b
    FROM (SELECT userid, a AS grade, true AS is_a FROM pairs UNION ALL SELECT userid, b, false FROM pairs)
    GROUP BY userid, grade
), every_grade AS MATERIALIZED (
    SELECT grade, sum(n_a) AS n_a, sum(n_b) AS n_b
    FROM grades
    WHERE CASE
        WHEN (SELECT count(DISTINCT grade) FROM grades) > 101 THEN error(concat(
            {{ of.caller | literal }}, ': there must be 101 grades or fewer, got ',
            (SELECT count(DISTINCT grade) FROM grades), ': round them'))::BOOLEAN
        ELSE true
    END
    GROUP BY grade
), without AS MATERIALIZED (
    -- Labels of all users, and of all but one user.
    SELECT NULL AS userid, {{ totals(false) | indent(8) }} FROM by_user
    UNION ALL
    SELECT userid, {{ totals(true) | indent(8) }} FROM by_user QUALIFY count(*) OVER () > 1
), grades_without AS MATERIALIZED (
    SELECT
        without.userid, every_grade.grade,
        every_grade.n_a - coalesce(grades.n_a, 0) AS n_a,
        every_grade.n_b - coalesce(grades.n_b, 0) AS n_b
    FROM without
    CROSS JOIN every_grade
    LEFT JOIN grades ON grades.userid = without.userid AND grades.grade = every_grade.grade
), by_chance AS NOT MATERIALIZED (
    -- Pairs of a grade by a and one by b; for alpha, pairs of any two grades.
    SELECT
        one.userid,
        sum(one.n_a * other.n_b * (one.grade <> other.grade)::INTEGER) AS unequal_by_chance,
        {{ fixed("one.n_a * other.n_b * abs(one.grade - other.grade)") }} AS apart_by_chance,
        {{ fixed("one.n_a * other.n_b * (one.grade - other.grade) ** 2") }} AS square_by_chance,
        {{ fixed("(one.n_a + one.n_b) * (other.n_a + other.n_b) * (one.grade - other.grade) ** 2") }} AS pooled
    FROM grades_without AS one
    JOIN grades_without AS other ON one.userid IS NOT DISTINCT FROM other.userid
    GROUP BY one.userid
), statistics AS MATERIALIZED (
    SELECT without.userid, unnest([
        {'place': 1, 'statistic': 'agreement', 'value': equal / n},
        {'place': 2, 'statistic': 'kappa', 'value': 1 - (n - equal) * n / nullif(unequal_by_chance, 0)},
        {'place': 3, 'statistic': 'kappa_linear', 'value': 1 - apart::DOUBLE * n / nullif(apart_by_chance, 0)},
        {'place': 4, 'statistic': 'kappa_quadratic', 'value': 1 - square::DOUBLE * n / nullif(square_by_chance, 0)},
        {'place': 5, 'statistic': 'krippendorff_alpha', 'value': 1 - 2 * (2 * n - 1) * square::DOUBLE / nullif(pooled, 0)},
        {'place': 6, 'statistic': 'mean_difference', 'value': difference / 2 ** 70 * range / n}], max_depth := 2)
    FROM without
    JOIN by_chance ON without.userid IS NOT DISTINCT FROM by_chance.userid
    CROSS JOIN counts
), jackknife AS NOT MATERIALIZED (
    SELECT
        place, statistic,
        any_value(value) FILTER (userid IS NULL) AS value,
        count(*) FILTER (userid IS NOT NULL) AS n,
        list(value ORDER BY userid ASC NULLS LAST) FILTER (userid IS NOT NULL AND value IS NOT NULL) AS others,
        CASE WHEN len(others) = n AND n > 1 THEN sqrt((n - 1) * list_var_pop(others)) END AS error
    FROM statistics
    GROUP BY place, statistic
)
SELECT
    statistic, value,
    CASE WHEN statistic = 'agreement' AND value < half THEN 0 ELSE value - half END AS low,
    CASE WHEN statistic <> 'mean_difference' AND value + half > 1 THEN 1 ELSE value + half END AS high,
    nullif(standard_error, 0) AS standard_error,
    (SELECT count(*) FROM by_user) AS users, pairs, only_a, only_b,
    CASE
        WHEN value IS NULL THEN 'only one grade occurs: ' || lowest
        WHEN n = 0 THEN 'no interval: all labels are of one user'
        WHEN standard_error IS NULL THEN 'no interval: without one user, only one grade occurs'
        WHEN standard_error = 0 THEN 'no interval: it is the same whichever user is left out'
    END AS note
FROM (
    SELECT
        *,
        -- A smaller error comes from rounding.
        CASE WHEN error > 1e-12 * CASE statistic WHEN 'mean_difference' THEN range ELSE 1 END THEN error ELSE error * 0 END
            AS standard_error,
        nullif(standard_error, 0) * {{ student_t.quantile(of.is_portable, of.alpha, "CASE WHEN n > 1 THEN n - 1 END") }} AS half
    FROM jackknife
    CROSS JOIN counts)
ORDER BY place ASC NULLS LAST

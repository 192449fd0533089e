{% import "measures/internal/cut.jinja" as cut %}
{% from "measures/internal/rules.jinja" import judged_problem, k_problem, shown %}
{% set lowest = 'min_grade' if 'min_grade' in options else 'NULL' %}
{% macro relevant(grades) %}
CASE WHEN {{ lowest }} IS NULL THEN {{ grades }} ELSE {{ cut.grades_from(grades, "TRY_CAST(" ~ lowest ~ " AS DOUBLE)") }} END
{%- endmacro %}
{# All but the outermost lambda is the same for each measure, so that DuckDB computes it once for several of them. #}
CREATE OR REPLACE TEMP MACRO ranking_{{ measure }}(judged, k := NULL{% for name, value in options.items() %}, {{ name }} := {{ value }}{% endfor %}) AS
list_transform(
    list_transform(
        list_transform(
            -- A macro's argument is planned wherever its body names it, and ranking_judge(...) is long: it is named once.
            [{'judged': judged, 'k': CASE WHEN k IS NOT NULL THEN coalesce(TRY_CAST(k AS BIGINT), 9223372036854775807) END}],
            lambda _ranking_given: {
                'is_there': _ranking_given.judged IS NOT NULL,
                'ranks': _ranking_given.judged.ranks,
                'judged_grades': {{ relevant("_ranking_given.judged.grades") | indent(16) }},
                'ideal': {{ relevant("_ranking_given.judged.ideal") | indent(16) }},
                'size': _ranking_given.judged.size,
                'k': coalesce(_ranking_given.k, _ranking_given.judged.size),
                'n_seen': {{ n_seen | indent(16) }},
                'problem': coalesce(
                    {{ k_problem() | indent(20) }},
                    {{ judged_problem() | indent(20) }})}),
        lambda _ranking_cut: {
            {% for name, sql in columns.items() %}
            '{{ name }}': {{ sql | indent(12) }},
            {% endfor %}
            'problem': _ranking_cut.problem,
            'is_sound': _ranking_cut.is_there AND _ranking_cut.problem IS NULL}),
    lambda _ranking_of: CASE
        {% for name, rule, holds in rules %}
        WHEN ({{ holds }}) IS NOT TRUE THEN error(concat(
            'ranking_{{ measure }}: {{ name }} must be {{ rule }}, got ', {{ shown(name) }}))::DOUBLE
        {% endfor %}
        {% for name, other, value in pairs %}
        WHEN {{ name }} IS NOT NULL AND {{ other }}::VARCHAR <> '{{ value }}' THEN error(concat(
            'ranking_{{ measure }}: {{ name }} must go with {{ other }}={{ value }}, got it with {{ other }}=', {{ other }}::VARCHAR))::DOUBLE
        {% endfor %}
        WHEN _ranking_of.is_sound THEN {{ formula | indent(8) }}
        ELSE error('ranking_{{ measure }}: ' || _ranking_of.problem)::DOUBLE
    END)[1];

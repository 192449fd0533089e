-- The measures that systems are compared by, in one row: compared_measures, a LIST of STRUCT: measure, the name of its column;
-- value_place, which of a user's numbers is its value; higher_is_better; is_share, whether it lies in 0 to 1; only_at, its
-- cut-offs, NULL for every one.
CREATE OR REPLACE TEMP MACRO _ranking_compared(ks, measures, usual, caller) AS TABLE
SELECT [
    NULL
    {%- for one in of.columns %}
,
    {
        'measure': {{ one.name | literal }}, 'value_place': {{ one.place }}, 'higher_is_better': {{ one.is_high }},
        'is_share': {{ one.is_probability }}, 'only_at': {{ one.only_at }}::BIGINT[]}
    {%- endfor %}
][2:] AS compared_measures

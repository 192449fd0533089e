-- The measures of each user at each k, users without truth included; `usual` are the default measures.
CREATE OR REPLACE TEMP MACRO _ranking_users(rec, truth, COLUMN_NAMES, ks, measures, usual, ties, JUDGING, caller) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/cutting.jinja" as cutting %}
WITH {{ judging.judged(of) }}, {{ cutting.measured(of) }}
FROM measured

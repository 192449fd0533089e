-- Each measure of each user at each k, of users without truth too; `usual` are the measures where none are named.
CREATE OR REPLACE TEMP MACRO _ranking_users(rec, truth, COLUMN_NAMES, ks, measures, usual, ties, JUDGING, caller) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/cutting.jinja" as cutting %}
WITH {{ judging.judged(of) }}, {{ cutting.measured(of) }}
FROM measured

{% import "tables/internal/reading.jinja" as reading %}
-- Say whether a userid is the one that was asked for, as ranking_explain does.
CREATE OR REPLACE TEMP MACRO _ranking_is_user(userid, user) AS
{{ reading.is_user("userid", "user") }};

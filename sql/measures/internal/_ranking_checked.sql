-- Internal: what a measure found; NULL where the judged ranking is NULL; an error where k, an option, or what cannot be
-- a judged ranking has a problem.
--
-- error() makes DuckDB compute anew whatever it stands in, so it stands in nothing but a factor: all measures of a
-- query share the rest. That the ideal descends is seen at its ends alone.
--
-- caller:  the function that an error names
-- judged:  a judged ranking
-- k:       an integer of any type; NULL means the whole list
-- problem: what is wrong with an option; NULL for nothing
-- found:   a number
-- Returns: DOUBLE
-- Example: SELECT _ranking_checked('ranking_hits', ranking_judge([1], [1]), 5, NULL, 1);  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_checked(caller, judged, k, problem, found) AS
coalesce(
    error(caller || ': ' || coalesce(
        problem,
        CASE
            WHEN typeof(k) <> '"NULL"' AND NOT _ranking_is_integer(typeof(k))
                THEN concat('k must be an integer, got ', typeof(k), ' ', k::VARCHAR)
            WHEN TRY_CAST(k AS DOUBLE) < 0 THEN concat('k must be 0 or more, got ', k::VARCHAR)
            WHEN TRY_CAST(k AS DOUBLE) > judged.cutoff
                THEN concat(
                    'k must be at most ',
                    judged.cutoff,
                    ', the rank at which the judged ranking was cut, got ',
                    k::VARCHAR)
            WHEN judged.size > judged.cutoff
                OR len(judged.ranks) <> len(judged.grades)
                OR len(judged.grades) > len(judged.ideal)
                OR list_reduce(
                    judged.ranks, lambda above, rank: CASE WHEN rank > above THEN rank ELSE 2147483647 END, 0)
                    > judged.size
                OR judged.ideal[1] < judged.ideal[-1]
                THEN concat('judged must be what a judge can have made of a list, got ', left(judged::VARCHAR, 200))
        END)),
    CASE WHEN judged IS NOT NULL THEN 1 END) * (found)::DOUBLE;

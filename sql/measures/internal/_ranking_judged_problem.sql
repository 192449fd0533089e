-- Internal: the error text of an invalid judged ranking, or of a k beyond its cutoff; NULL for none. That the ideal
-- descends is seen at its ends alone.
--
-- judged:  a judged ranking; a column, or the parameter of a lambda
-- k:       BIGINT; NULL for the whole list
-- written: the same as it was given, a VARCHAR
-- Returns: VARCHAR
-- Example: SELECT _ranking_judged_problem(judged, 5, '5') FROM (SELECT ranking_judge([1], [1]) AS judged);
CREATE OR REPLACE TEMP MACRO _ranking_judged_problem(judged, k, written) AS
CASE
    WHEN k > judged.cutoff
        THEN concat(
            'k must be at most ', judged.cutoff, ', the rank at which the judged ranking was cut, got ', written)
    WHEN judged.size > judged.cutoff
        OR len(judged.ranks) <> len(judged.grades)
        OR len(judged.grades) > len(judged.ideal)
        OR list_reduce(judged.ranks, lambda above, rank: CASE WHEN rank > above THEN rank ELSE 2147483647 END, 0)
            > judged.size
        OR judged.ideal[1] < judged.ideal[-1]
        THEN concat(
            'judged is not a valid judged ranking: sizes, lengths and ranks must be as ranking_judge makes them, got ',
            left(judged::VARCHAR, 200))
END;

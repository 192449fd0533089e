-- The error text of a bad option; NULL for none. A rule that is NULL does not hold.
CREATE OR REPLACE TEMP MACRO _ranking_option(option, given, rule, holds) AS
CASE
    WHEN holds THEN NULL
    ELSE concat(
        option, ' must be ', rule, ', got ',
        CASE WHEN typeof(given) = 'VARCHAR' THEN '''' || given::VARCHAR || '''' ELSE coalesce(given::VARCHAR, 'NULL') END)
END;

-- The error text of an invalid judged ranking (its ideal is looked at by its ends), or of a k beyond its cutoff.
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

-- The error text of a bad cut-off; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_k_problem(k) AS
CASE
    WHEN typeof(k) <> '"NULL"' AND NOT _ranking_is_integer(typeof(k))
        THEN concat('k must be an integer, got ', typeof(k), ' ', k::VARCHAR)
    WHEN TRY_CAST(k AS DOUBLE) < 0 THEN concat('k must be 0 or more, got ', k::VARCHAR)
END;

-- The error text of a bad min_grade; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_min_grade_problem(min_grade) AS
CASE
    WHEN min_grade IS NOT NULL
        THEN _ranking_option(
            'min_grade', min_grade, 'a number > 0',
            coalesce(TRY_CAST(min_grade AS DOUBLE) > 0 AND TRY_CAST(min_grade AS DOUBLE) < 'inf'::DOUBLE, false))
END;

-- The error text of a bad gain or discount option; NULL for none. (The bounds of base and half_life are the
-- DOUBLEs next to 1 and to infinity.)
CREATE OR REPLACE TEMP MACRO _ranking_gain_problem(gain, discount, base, half_life) AS
CASE
    WHEN gain::VARCHAR IN ('exp', 'linear') IS NOT TRUE THEN _ranking_option('gain', gain, 'exp|linear', false)
    WHEN discount::VARCHAR IN ('log2', 'original', 'half_life') IS NOT TRUE
        THEN _ranking_option('discount', discount, 'log2|original|half_life', false)
    WHEN base IS NOT NULL
        AND TRY_CAST(base AS DOUBLE) BETWEEN 1.0000000000000002 AND 1.7976931348623157e308 IS NOT TRUE
        THEN _ranking_option('base', base, 'a number > 1', false)
    WHEN half_life IS NOT NULL
        AND TRY_CAST(half_life AS DOUBLE) BETWEEN 1.0000000000000002 AND 1.7976931348623157e308 IS NOT TRUE
        THEN _ranking_option('half_life', half_life, 'a number > 1', false)
    WHEN base IS NOT NULL AND discount::VARCHAR <> 'original'
        THEN 'base must go with discount=original, got it with discount=' || discount::VARCHAR
    WHEN half_life IS NOT NULL AND discount::VARCHAR <> 'half_life'
        THEN 'half_life must go with discount=half_life, got it with discount=' || discount::VARCHAR
END;

-- The error text of a bad option; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_option(option, given, rule, holds) AS
CASE
    WHEN holds THEN NULL
    ELSE concat(
        option,
        ' must be ',
        rule,
        ', got ',
        CASE
            WHEN typeof(given) = 'VARCHAR' THEN '''' || given::VARCHAR || ''''
            ELSE coalesce(given::VARCHAR, 'NULL')
        END)
END;

-- The error text of a grade above max_grade; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_grade_problem(max_grade, highest) AS
CASE
    WHEN highest > coalesce(TRY_CAST(max_grade AS DOUBLE), 4)
        THEN format(
            'a grade must be max_grade={:g} or less, got {:g}', coalesce(TRY_CAST(max_grade AS DOUBLE), 4), highest::DOUBLE)
END;

-- The error text where ideal=k cannot be computed: of grades other than 0 and 1, or a long list; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_ideal_problem(ranking, ideal) AS
CASE
    WHEN ideal::VARCHAR <> 'k' THEN NULL
    WHEN len(list_filter(ranking.ideal, lambda grade: grade > 0 AND grade <> 1)) > 0
        THEN format(
            'a grade above 0 must be 1 with ideal=k, got {:g}',
            list_filter(ranking.ideal, lambda grade: grade > 0 AND grade <> 1)[1])
    WHEN ranking.k > 10000 THEN concat('k must be 10000 or less with ideal=k, got ', ranking.k)
END;

-- The error text of an invalid judged ranking, or of a k beyond its cutoff; NULL for none. That the ideal
-- descends is seen at its ends alone.
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
            'min_grade',
            min_grade,
            'a number > 0',
            coalesce(TRY_CAST(min_grade AS DOUBLE) > 0 AND TRY_CAST(min_grade AS DOUBLE) < 'inf'::DOUBLE, false))
END;

CREATE OR REPLACE TEMP MACRO _ranking_checked(caller, judged, k, problem, found) AS
coalesce(
    error(caller || ': ' || coalesce(
        problem,
        CASE
            WHEN NOT regexp_full_match(typeof(k), '"NULL"|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?')
                THEN concat('k must be an integer, got ', typeof(k), ' ', k)
            WHEN TRY_CAST(k AS DOUBLE) < 0 THEN concat('k must be 0 or more, got ', k)
            WHEN TRY_CAST(k AS DOUBLE) > judged.cutoff
                THEN concat('k must be at most ', judged.cutoff, ', the rank at which the judged ranking was cut, got ', k)
            WHEN judged.size > judged.cutoff
                OR len(judged.ranks) <> len(judged.grades)
                OR len(judged.grades) > len(judged.ideal)
                OR list_reduce(
                    judged.ranks, lambda above, rank: CASE WHEN rank > above THEN rank ELSE 2147483647 END, 0) > judged.size
                OR judged.ideal[1] < judged.ideal[-1]
                THEN concat('judged must be a ranking that a judge can have made, got ', judged)
        END)),
    CASE WHEN judged IS NOT NULL THEN 1 END)::DOUBLE * (found);

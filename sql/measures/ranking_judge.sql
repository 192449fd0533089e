-- ranking_judge(rec, truth [, grades]): a judged ranking, of lists of items.
CREATE OR REPLACE TEMP MACRO ranking_judge
    (rec, truth) AS
        CASE
            WHEN NOT _ranking_same_type(typeof(coalesce(rec, [])[1]), typeof(coalesce(truth, [])[1]))
                THEN error(concat(
                    'ranking_judge: rec and truth must hold items of the same type, got ',
                    _ranking_cut(typeof(rec[1])), ' and ', _ranking_cut(typeof(truth[1]))))
            WHEN truth IS NOT NULL
                THEN _ranking_judgement(
                    _ranking_comparable(coalesce(rec, []), coalesce(truth, [])),
                    _ranking_comparable(coalesce(truth, []), coalesce(rec, [])),
                    NULL,
                    NULL)
        END,

    (rec, truth, grades) AS
        CASE
            WHEN NOT _ranking_same_type(typeof(coalesce(rec, [])[1]), typeof(coalesce(truth, [])[1]))
                THEN error(concat(
                    'ranking_judge: rec and truth must hold items of the same type, got ',
                    _ranking_cut(typeof(rec[1])), ' and ', _ranking_cut(typeof(truth[1]))))
            WHEN len(truth) <> coalesce(len(grades), 0)
                THEN error(concat(
                    'ranking_judge: grades must be as many as the items of truth, got ', coalesce(len(grades), 0),
                    ' for ', len(truth)))
            WHEN truth IS NOT NULL
                THEN _ranking_judgement(
                    _ranking_comparable(coalesce(rec, []), coalesce(truth, [])),
                    _ranking_comparable(coalesce(truth, []), coalesce(rec, [])),
                    list_transform(list_zip(grades, coalesce(truth, [])), lambda one: CASE
                        WHEN one[2] IS NULL OR isfinite(CAST(one[1] AS DOUBLE)) THEN CAST(one[1] AS DOUBLE)
                        ELSE error('ranking_judge: a grade must be a finite number, got ' || coalesce(one[1]::VARCHAR, 'NULL'))
                    END),
                    NULL)
        END;

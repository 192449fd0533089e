-- Internal: how probable it is that Student's t lies as far from 0 as this, or further: p of the two-sided test. To
-- 1e-12 and better, p down to 1e-300.
--
-- t:       a DOUBLE; beyond 1e150 it counts as that
-- df:      degrees of freedom, 1 or more
-- Returns: DOUBLE from 0 to 1
-- Example: SELECT _ranking_t_p(1, 1);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_t_p(t, df) AS
least(
    list_transform(
        [least(abs(t), 1e150)],
        lambda _ranking_t: exp(-df / 2 * _ranking_log1p(_ranking_t ** 2 / df))
            * (_ranking_t_tail(_ranking_t / sqrt(df + _ranking_t ** 2), df) / _ranking_t_tail(0, df)))[1],
    1
);

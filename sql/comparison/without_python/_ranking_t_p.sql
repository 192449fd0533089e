-- The p-value of a two-sided t-test: the probability that Student's t lies as far from 0 as this, or further. To
-- 1e-12 and better, p down to 1e-300.
CREATE OR REPLACE TEMP MACRO _ranking_t_p(t, df) AS
least(
    list_transform(
        [least(abs(t), 1e150)],
        lambda _ranking_t: exp(-df / 2 * _ranking_log1p(_ranking_t ** 2 / df))
            * (_ranking_t_tail(_ranking_t / sqrt(df + _ranking_t ** 2), df) / _ranking_t_tail(0, df)))[1],
    1);

-- The logarithm ln(1 + x), with all digits for a small x. DuckDB has no function for it.
--
-- Rounding turns 1 + x into 1 + y. The relative errors of ln(1 + y) and y cancel.
--
-- Source: Kahan, in Goldberg (1991), theorem 4
CREATE OR REPLACE TEMP MACRO _ranking_log1p(x) AS
list_transform(
    [(x)::DOUBLE],
    -- Choose by position in a list, since DuckDB takes longer to plan a CASE.
    lambda _ranking_x: [
        ln(1 + _ranking_x) * (_ranking_x / (1 + _ranking_x - 1)), _ranking_x][1 + (1 + _ranking_x = 1)::INTEGER])[1];

-- The integral in the tail of Student's t.
--
-- With t = sqrt(df) sinh(u), the density of t becomes cosh(u)^-df over the integral of it, and the tail from u on is
-- cosh(u)^-df times
--
--     integral over w from 0 of (cosh(w) + tanh(u) sinh(w))^-df dw
--
-- in which no digits cancel for any u and df. It is summed at w = exp(x - exp(-x)) / (tanh(u) df + sqrt(df)), x in
-- steps of 1/8 (Takahasi and Mori 1974). The error is below 1e-15 for df from 1 to 1e8.
CREATE OR REPLACE TEMP MACRO _ranking_t_tail(slope, df) AS
list_sum(list_transform(
    range(-32, 38),
    lambda _ranking_step: list_transform(
        [exp(_ranking_step / 8 - exp(-_ranking_step / 8)) / (slope * df + sqrt(df))],
        lambda _ranking_w: _ranking_w * (1 + exp(-_ranking_step / 8)) / 8
            * exp(-df * _ranking_log1p(2 * sinh(_ranking_w / 2) ** 2 + slope * sinh(_ranking_w))))[1]));

-- The value whose distance from 0 Student's t reaches with this probability: 1.96 for 0.05 and many degrees of
-- freedom.
--
-- Newton's method finds the u (see _ranking_t_tail) with this ln p. Since ln p is concave, it converges from 0. Nine
-- steps reach 1e-16.
CREATE OR REPLACE TEMP MACRO _ranking_t_quantile(p, df) AS
sqrt(df) * sinh(list_transform(
    [_ranking_t_tail(0, df)],
    lambda _ranking_whole: list_reduce(
        range(0, 10),
        lambda _ranking_u, _ranking_step: list_transform(
            [_ranking_t_tail(tanh(_ranking_u), df)],
            lambda _ranking_tail: _ranking_u + _ranking_tail * (
                ln(_ranking_tail / _ranking_whole) - df / 2 * _ranking_log1p(sinh(_ranking_u) ** 2) - ln(p)
            ))[1],
        0::DOUBLE)
)[1]);

-- The p-value of a two-sided t-test: the probability that Student's t is at least this far from 0. The error is at
-- most 1e-12, for p down to 1e-300.
CREATE OR REPLACE TEMP MACRO _ranking_t_p(t, df) AS
least(
    list_transform(
        [least(abs(t), 1e150)],
        lambda _ranking_t: exp(-df / 2 * _ranking_log1p(_ranking_t ** 2 / df))
            * (_ranking_t_tail(_ranking_t / sqrt(df + _ranking_t ** 2), df) / _ranking_t_tail(0, df)))[1],
    1);

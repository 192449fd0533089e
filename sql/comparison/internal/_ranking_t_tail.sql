-- Internal: the integral that Student's t is made of.
--
-- With t = sqrt(df) sinh(u), the density of t becomes cosh(u)^-df over the integral of it, and the tail from u on is
-- cosh(u)^-df times
--
--     integral over w from 0 of (cosh(w) + tanh(u) sinh(w))^-df dw
--
-- in which nothing cancels, whatever u and df. It is summed at w = exp(x - exp(-x)) / (tanh(u) df + sqrt(df)), x in
-- steps of 1/8 (Takahasi and Mori 1974): to 1e-15 for df from 1 to 1e8.
--
-- slope:   tanh(u), from 0 to 1
-- df:      degrees of freedom, 1 or more
-- Returns: DOUBLE
-- Example: SELECT _ranking_t_tail(0, 1);  -- 1.5707963267948966, half of pi
CREATE OR REPLACE TEMP MACRO _ranking_t_tail(slope, df) AS
list_sum(list_transform(
    range(-32, 38),
    lambda _ranking_step: list_transform(
        [exp(_ranking_step / 8 - exp(-_ranking_step / 8)) / (slope * df + sqrt(df))],
        lambda _ranking_w: _ranking_w * (1 + exp(-_ranking_step / 8)) / 8
            * exp(-df * _ranking_log1p(2 * sinh(_ranking_w / 2) ** 2 + slope * sinh(_ranking_w)))
    )[1]
));

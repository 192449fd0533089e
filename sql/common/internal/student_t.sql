-- The logarithm ln(1 + x), to all its digits where x is small; DuckDB has no function for that.
--
-- Rounding makes of 1 + x a y + 1 with another y; ln is as wrong for the one as for the other.
--
-- Source: Kahan, in Goldberg (1991), theorem 4
CREATE OR REPLACE TEMP MACRO _ranking_log1p(x) AS
list_transform(
    [(x)::DOUBLE],
    -- One of two by its place in a list, since DuckDB takes longer to plan a CASE.
    lambda _ranking_x: [
        ln(1 + _ranking_x) * (_ranking_x / (1 + _ranking_x - 1)), _ranking_x][1 + (1 + _ranking_x = 1)::INTEGER])[1];

-- The integral that Student's t is made of.
--
-- With t = sqrt(df) sinh(u), the density of t becomes cosh(u)^-df over the integral of it, and the tail from u on is
-- cosh(u)^-df times
--
--     integral over w from 0 of (cosh(w) + tanh(u) sinh(w))^-df dw
--
-- in which nothing cancels, whatever u and df. It is summed at w = exp(x - exp(-x)) / (tanh(u) df + sqrt(df)), x in
-- steps of 1/8 (Takahasi and Mori 1974): to 1e-15 for df from 1 to 1e8.
CREATE OR REPLACE TEMP MACRO _ranking_t_tail(slope, df) AS
list_sum(list_transform(
    range(-32, 38),
    lambda _ranking_step: list_transform(
        [exp(_ranking_step / 8 - exp(-_ranking_step / 8)) / (slope * df + sqrt(df))],
        lambda _ranking_w: _ranking_w * (1 + exp(-_ranking_step / 8)) / 8
            * exp(-df * _ranking_log1p(2 * sinh(_ranking_w / 2) ** 2 + slope * sinh(_ranking_w))))[1]));

-- The value from which Student's t lies as far away from 0, or further, with this probability: 1.96 for 0.05
-- and many degrees of freedom.
--
-- Newton's way to the u (see _ranking_t_tail) at which ln p is that of this probability: since ln p is concave, from 0
-- it comes from above and cannot miss. Nine steps are enough to 1e-16.
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

-- The confidence interval of a mean of several values, which never leaves their range, from `bottom` to `top` (NULL where
-- it has no end): a struct of low and high, NULL where nothing says it.
--
-- Wilson's where all values are 0 or 1, else Student's t, cut at the ends of the range. Where no value varies neither
-- knows anything: so many users without an exception leave a share of 1 - alpha^(1 / users) who may differ, each by the
-- whole range.
--
-- Source: Wilson (1927); Hanley and Lippman-Hand (1983)
CREATE OR REPLACE TEMP MACRO _ranking_mean_interval(
    mean, standard_error, users, is_constant, is_binary, bottom, top, alpha) AS
list_transform(
    list_transform(
        [_ranking_t_quantile(alpha, CASE WHEN users > 1 THEN CASE WHEN is_binary THEN 1e8 ELSE users - 1 END END)],
        lambda _ranking_quantile: CASE
            WHEN is_constant THEN {'middle': mean, 'half': (1 - alpha ** (1 / users)) * (top - bottom)}
            WHEN is_binary THEN _ranking_wilson(mean, users, _ranking_quantile)
            ELSE {'middle': mean, 'half': _ranking_quantile * standard_error}
        END),
    lambda _ranking_interval: CASE WHEN users > 1 AND isfinite(_ranking_interval['half']) THEN {
        'low': greatest(bottom, _ranking_interval['middle'] - _ranking_interval['half']),
        'high': least(top, _ranking_interval['middle'] + _ranking_interval['half'])} END)[1];

-- The middle of Wilson's interval of a share of so many users, and half of its width.
CREATE OR REPLACE TEMP MACRO _ranking_wilson(share, users, quantile) AS
{
    'middle': (share + quantile ** 2 / users / 2) / (1 + quantile ** 2 / users),
    'half': quantile / (1 + quantile ** 2 / users) * sqrt(share * (1 - share) / users + (quantile / users / 2) ** 2)};

-- Internal: the value from which Student's t lies as far away from 0, or further, with this probability: 1.96 for 0.05
-- and many degrees of freedom.
--
-- Newton's way to the u (see _ranking_t_tail) at which ln p is that of this probability: since ln p is concave, from 0
-- it comes from above and cannot miss. Nine steps are enough to 1e-16.
--
-- p:       a DOUBLE above 0 and at most 1
-- df:      degrees of freedom, 1 or more
-- Returns: DOUBLE of 0 or more
-- Example: SELECT _ranking_t_quantile(0.5, 1);  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_t_quantile(p, df) AS
sqrt(df) * sinh(list_transform(
    [_ranking_t_tail(0, df)],
    lambda _ranking_whole: list_reduce(
        range(0, 10),
        lambda _ranking_u, _ranking_step: list_transform(
            [_ranking_t_tail(tanh(_ranking_u), df)],
            lambda _ranking_tail: _ranking_u + _ranking_tail * (
                ln(_ranking_tail / _ranking_whole) - df / 2 * _ranking_log1p(sinh(_ranking_u) ** 2) - ln(p)
            )
        )[1],
        0::DOUBLE
    )
)[1]);

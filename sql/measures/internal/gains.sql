{% import 'measures/internal/gains.jinja' as gains %}
-- The ideal DCG where all grades are 1: the sum of ln(2) / ln(rank + 1) over the ranks of the best list.
CREATE OR REPLACE TEMP MACRO _ranking_log2_ideal(k, n) AS
-- A table of constants, outside of any lambda: DuckDB computes it once, when it plans.
list_transform(
    range(1, 129), lambda n: list_sum(list_transform(range(1, n + 1), lambda rank: ln(2) / ln(rank + 1)))
)[least(k, n)];

-- Pieces of NDCG, of gains 2^grade - 1 and discounts log2, for ranking_explain, which shows each.
CREATE OR REPLACE TEMP MACRO _ranking_gain(grade, gain) AS
{{ gains.gain('grade', 'exp') }};

CREATE OR REPLACE TEMP MACRO _ranking_discount(rank, discount, base, half_life) AS
{{ gains.discount('rank', 'log2', none, none) }};

CREATE OR REPLACE TEMP MACRO _ranking_expected_weights(tied, weight) AS
{{ gains.tied_weights('tied.ties', 'weight') }};

CREATE OR REPLACE TEMP MACRO _ranking_discounted_gain(ranking, grades, discounts, gain) AS
_ranking_discounted_gain_of(ranking.ideal, grades, discounts);

CREATE OR REPLACE TEMP MACRO _ranking_discounted_gain_of(ideal, grades, discounts) AS
{{ gains.discounted_gain('grades[_ranking_place]', 'discounts', 'exp') }};

CREATE OR REPLACE TEMP MACRO _ranking_ideal(ranking, grades, gain, discount, base, half_life) AS
_ranking_ideal_of(ranking.k, ranking.n_relevant, ranking.ideal, ranking.log2_ideal);

CREATE OR REPLACE TEMP MACRO _ranking_ideal_of(k, n_relevant, ideal, log2_ideal) AS
{{ gains.ideal_gain('ideal[_ranking_place]', 'exp', 'log2', none, none) }};

CREATE OR REPLACE TEMP MACRO _ranking_total(caller, ranking, gain, highest, counted) AS
_ranking_total_of(caller, ranking.ideal, highest, counted);

CREATE OR REPLACE TEMP MACRO _ranking_total_of(caller, ideal, highest, counted) AS
{{ gains.total('caller', 'exp', 'highest', 'counted') }};

{% import 'measures/internal/gains.jinja' as gains %}
-- The ideal DCG where all grades are 1.
CREATE OR REPLACE TEMP MACRO _ranking_log2_ideal(k, n_relevant) AS
{{ gains.log2_ideal('n_relevant') }};

-- Pieces of NDCG, of gains 2^grade - 1 and discounts log2, for ranking_explain, which shows each.
CREATE OR REPLACE TEMP MACRO _ranking_gain(grade) AS
{{ gains.gain('grade', 'exp') }};

CREATE OR REPLACE TEMP MACRO _ranking_discount(rank) AS
{{ gains.discount('rank', 'log2', none, none) }};

CREATE OR REPLACE TEMP MACRO _ranking_expected_weights(tied, weight) AS
{{ gains.tied_weights('tied.ties', 'weight') }};

CREATE OR REPLACE TEMP MACRO _ranking_discounted_gain(ranking, grades, discounts) AS
_ranking_discounted_gain_of(ranking.ideal, grades, discounts);

CREATE OR REPLACE TEMP MACRO _ranking_discounted_gain_of(ideal, grades, discounts) AS
{{ gains.discounted_gain('grades[_ranking_place]', 'discounts', 'exp') }};

CREATE OR REPLACE TEMP MACRO _ranking_ideal(ranking) AS
_ranking_ideal_of(ranking.k, ranking.n_relevant, ranking.ideal, ranking.log2_ideal);

CREATE OR REPLACE TEMP MACRO _ranking_ideal_of(k, n_relevant, ideal, log2_ideal) AS
{{ gains.ideal_gain('ideal[_ranking_place]', 'exp', 'log2', none, none) }};

CREATE OR REPLACE TEMP MACRO _ranking_total(caller, ranking, highest, counted) AS
_ranking_total_of(caller, ranking.ideal, highest, counted);

CREATE OR REPLACE TEMP MACRO _ranking_total_of(caller, ideal, highest, counted) AS
{{ gains.total('caller', 'exp', 'highest', 'counted') }};

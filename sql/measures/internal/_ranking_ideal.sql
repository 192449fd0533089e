CREATE OR REPLACE TEMP MACRO _ranking_ideal(judged, k, grades, gain, discount, base, half_life) AS
coalesce(
    CASE
        WHEN judged.ideal[1] = judged.ideal[-1] AND discount::VARCHAR = 'log2'
            THEN list_transform(
                range(1, 129),
                lambda n: list_sum(list_transform(range(1, n + 1), lambda rank: 1 / log2(rank + 1)))
            )[least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged))]
    END,
    _ranking_discounted(
        judged, grades, _ranking_discounts(range(1, least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged)) + 1), discount, base, half_life), gain));

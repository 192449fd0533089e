-- The overlap of the lists of two systems, for each user who has a list of either.
CREATE OR REPLACE TEMP MACRO _ranking_overlaps(rec, COLUMN_NAMES, ks, compared_with, persistence, caller) AS TABLE
WITH _ranking_paired_systems AS NOT MATERIALIZED (
    SELECT ranking_system AS system, NULL AS compared_measures FROM _ranking_systems(rec, COLUMN_NAMES)
)
SELECT
    pair, baseline, system, userid, k, n_rec_baseline, n_rec, top_baseline, top_system,
    len(depths) / nullif(longer, 0) AS overlap,
    len(depths) / nullif(top_baseline + top_system - len(depths), 0) AS jaccard,
    -- At each depth the weight, and how many items both prefixes hold.
    list_sum(list_transform(
        flatten(
            [list_resize([]::BIGINT[], coalesce(depths[1], longer + 1) - 1, 0)]
            || list_transform(
                depths,
                lambda depth, n: list_resize([]::BIGINT[], coalesce(depths[n + 1], longer + 1) - depth, n))),
        lambda common, depth: TRY_CAST(persistence AS DOUBLE) ** (depth - 1) * (common / depth)
    )) / list_sum(list_transform(range(longer), lambda above: TRY_CAST(persistence AS DOUBLE) ** above)) AS rbo,
    CASE WHEN longer > 0 THEN coalesce(common[1] = (1, 1), false)::INTEGER::DOUBLE END AS same_first,
    CASE WHEN longer > 0
        THEN (
            len(depths) = longer AND top_baseline = top_system
            AND len(list_filter(common, lambda places: places[1] <> places[2])) = 0
        )::INTEGER::DOUBLE
    END AS same_list
FROM (
    SELECT
        *,
        greatest(top_baseline, top_system) AS longer,
        list_sort(list_transform(common, lambda places: greatest(places[1], places[2])), 'ASC') AS depths
    FROM (
        SELECT
            *,
            list_filter(found, lambda places: places[1] <= top_baseline AND places[2] <= top_system) AS common
        FROM (
            SELECT
                *,
                coalesce(_ranking_n_seen(of_baseline.places, k), 0) AS top_baseline,
                coalesce(_ranking_n_seen(of_system.places, k), 0) AS top_system
            FROM (
                SELECT
                    *,
                    coalesce(of_baseline.n_rec, 0) AS n_rec_baseline,
                    coalesce(of_system.n_rec, 0) AS n_rec,
                    coalesce(_ranking_found_items(baseline_items, system_items), []) AS found
                FROM (
                    SELECT *, of_baseline.items AS baseline_items, of_system.items AS system_items
                    FROM (
                        SELECT
                            pairs.*,
                            userid,
                            list_filter(lists, lambda one: one.system IS NOT DISTINCT FROM baseline)[1] AS of_baseline,
                            list_filter(lists, lambda one: one.system IS NOT DISTINCT FROM pairs.system)[1] AS of_system
                        FROM (
                            SELECT
                                userid,
                                list({
                                    'system': system, 'n_rec': n_rec, 'places': places, 'items': list_select(items, places)
                                }) AS lists
                            FROM (
                                SELECT *, _ranking_first_places(items) AS places
                                FROM _ranking_rec_lists(rec, rec, COLUMN_NAMES, _ranking_longest(ks), false))
                            GROUP BY userid)
                        CROSS JOIN _ranking_system_pairs('_ranking_paired_systems', compared_with, caller) AS pairs)
                    WHERE of_baseline IS NOT NULL OR of_system IS NOT NULL))
            CROSS JOIN (SELECT unnest(_ranking_cuts(ks, caller)) AS k))))
WHERE (
    SELECT _ranking_no_problem(caller, coalesce(
        _ranking_rec_misfit(rec, COLUMN_NAMES),
        _ranking_option(
            'persistence', persistence, 'a number > 0 and <= 1',
            TRY_CAST(persistence AS DOUBLE) > 0 AND TRY_CAST(persistence AS DOUBLE) <= 1))));

-- Internal: the list of each system and user that takes part in a fusion, with the rank and the score of each item.
--
-- rec:                     name of a table, as query_table takes it
-- names:                   what _ranking_names gives
-- weights, depth, systems: as for ranking_fuse
-- Returns:                 userid, system, weight, entries: LIST of STRUCT(itemid, rank, score, of which more is better): each
--                          item once, none NULL; numbers: the scores that are not NULL
-- Example:                 FROM _ranking_fuse_lists(
--     'rec', _ranking_names('userid', 'itemid', 'score', '', 'system', true), NULL, 100, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_fuse_lists(rec, names, weights, depth, systems) AS TABLE
SELECT
    *,
    list_filter(list_transform(entries, lambda entry: entry.score), lambda score: score IS NOT NULL) AS numbers
FROM (
    SELECT
        userid,
        system,
        weight,
        CASE
            WHEN list_count(items) = len(listed) AND NOT _ranking_has_repeats(items)
                THEN list_transform(listed, lambda pair, place: {'itemid': pair[2], 'rank': place, 'score': -pair[1]})
            -- An item twice, or NULL.
            ELSE list_transform(
                [list_sort(
                    list_transform(listed, lambda pair, place: {'itemid': pair[2], 'rank': place, 'score': -pair[1]}),
                    'ASC',
                    'NULLS LAST')],
                lambda ordered: list_filter(
                    ordered,
                    lambda entry, place:
                        entry.itemid IS NOT NULL AND entry.itemid IS DISTINCT FROM ordered[place - 1].itemid)
            )[1]
        END AS entries
    FROM (
        SELECT *, list_transform(listed, lambda pair: pair[2]) AS items
        FROM (
            SELECT
                userid,
                system,
                _ranking_fuse_weight(system, weights, systems) AS weight,
                -- As in _ranking_rec_lists.
                CASE
                    WHEN _ranking_few_digits(typeof(any_value(score)))
                        THEN list_sort(list((opposite, itemid)), 'ASC', 'NULLS LAST')
                    WHEN names['descending']
                        THEN list((opposite, itemid) ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST)
                    ELSE list((opposite, itemid) ORDER BY score ASC NULLS LAST, itemid ASC NULLS LAST)
                END[:least(coalesce(TRY_CAST(depth AS HUGEINT), 2147483647), 2147483647)] AS listed
            FROM (
                SELECT *, TRY_CAST(score AS DOUBLE) * CASE WHEN names['descending'] THEN -1 ELSE 1 END AS opposite
                FROM (SELECT * REPLACE (_ranking_score(score) AS score) FROM _ranking_gathered_recs(rec, names, true))
            )
            WHERE userid IS NOT NULL
            GROUP BY userid, system
        )
    )
    WHERE weight > 0
);

-- Internal: a judged ranking with the ties that its scores make, as _ranking_tied_at reads it. Of two rows of an item
-- in a tie one is the item, the other a miss.
--
-- judged:   a judged ranking
-- scores:   LIST of the scores of the list, as it is ordered, NULLs last; a lambda looks at it for every item: a column
-- reversed: the same from its end, likewise
-- starts:   LIST of the ranks at which a tie begins, for a long list, in which a search for each item takes too long; else
--           NULL; likewise
-- Returns:  STRUCT: ranks and lasts INTEGER[], the first and the last rank of the tie of each item; grades, ideal and size
-- Example:  SELECT _ranking_tied_ranking(ranking_judge([1, 2], [2]), [0.5, 0.5], [0.5, 0.5], NULL);
CREATE OR REPLACE TEMP MACRO _ranking_tied_ranking(judged, scores, reversed, starts) AS
{
    'ranks': CASE
        WHEN starts IS NULL THEN list_transform(judged.ranks, lambda rank: list_position(scores, scores[rank]))
        ELSE list_select(
            flatten(list_transform(
                starts,
                lambda start, i: list_resize(
                    [start]::INTEGER[], coalesce(starts[i + 1], len(scores) + 1) - start, start::INTEGER
                )
            )),
            judged.ranks
        )
    END,
    'lasts': CASE
        WHEN starts IS NULL
            THEN list_transform(judged.ranks, lambda rank: len(scores) + 1 - list_position(reversed, scores[rank]))
        ELSE list_select(
            flatten(list_transform(
                starts,
                lambda start, i: list_resize(
                    [coalesce(starts[i + 1], len(scores) + 1) - 1],
                    coalesce(starts[i + 1], len(scores) + 1) - start,
                    coalesce(starts[i + 1], len(scores) + 1) - 1
                )
            )),
            judged.ranks
        )
    END,
    'grades': judged.grades,
    'ideal': judged.ideal,
    'size': judged.size
};

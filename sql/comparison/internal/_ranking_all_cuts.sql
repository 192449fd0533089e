-- Internal: all cut-offs at which something is compared, whether or not they are well written. Known when the query is
-- planned.
--
-- measures: LIST of texts such as 'ndcg(gain=linear)@5,10'
-- ks:       the cut-offs of those that name none
-- Returns:  HUGEINT[]
-- Example:  SELECT _ranking_all_cuts(['ndcg@5', 'recall'], [10]);  -- [5, 10]
CREATE OR REPLACE TEMP MACRO _ranking_all_cuts(measures, ks) AS
flatten(list_transform(
    coalesce(nullif(TRY_CAST(measures AS VARCHAR[]), []), ['']),
    lambda text: list_transform(
        CASE
            WHEN contains(text, '@') THEN string_split(regexp_extract(text, '(?s)@(.*)', 1), ',') ELSE _ranking_numbers(ks)
        END,
        lambda cut: TRY_CAST(trim(cut) AS HUGEINT)
    )
));

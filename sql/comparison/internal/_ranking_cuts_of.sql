-- Internal: the cut-offs that a text says.
--
-- text:    VARCHAR, such as '5,10'
-- caller:  the function that an error names
-- Returns: BIGINT[], NULL in it for the whole list; NULL for NULL
-- Example: SELECT _ranking_cuts_of('5,10', 'ranking_compare');  -- [5, 10]
CREATE OR REPLACE TEMP MACRO _ranking_cuts_of(text, caller) AS
list_transform(
    string_split(text, ','),
    lambda cut: CASE
        WHEN trim(cut) = 'all' THEN NULL
        WHEN regexp_full_match(trim(cut), '[0-9]+') THEN coalesce(TRY_CAST(trim(cut) AS BIGINT), 9223372036854775807)
        ELSE error(concat(
            caller, ': cut-offs must be integers of 0 or more, or all, got ', _ranking_quoted(trim(cut))
        ))
    END
);

-- Internal: the error text of a collation, by which ids that differ would be one; NULL if there is none.
--
-- Returns: VARCHAR
-- Example: SELECT _ranking_collation_problem();
CREATE OR REPLACE TEMP MACRO _ranking_collation_problem() AS
CASE WHEN NOT regexp_full_match(current_setting('default_collation'), '(?i)|binary|c|posix')
    THEN 'default_collation must be binary (SET default_collation = ''binary''), got '
        || _ranking_cut(current_setting('default_collation'))
END;

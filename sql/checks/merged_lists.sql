-- rec: {units} with several items at one rank
-- Two lists of a user are merged, such as those of a query that was logged twice. Items with equal scores may share a rank.
-- Place: 167; Severity: warning; Of: users of rec
-- Write: if they are of two lists: keep one list of each {unit}
SELECT merged AS total, lists AS of, merged_user AS user, is_merged AS row FROM evidence

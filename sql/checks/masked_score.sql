-- rec: {units} with a score that masks an item
-- An infinite score, or the largest FLOAT or INT32 of either sign, marks an item that was filtered out, or fills up a list.
-- Place: 165; Severity: warning; Of: users of rec
-- Write: remove the rows with these scores from rec
SELECT masked AS total, lists AS of, masked_user AS user, is_masked AS row FROM evidence

-- {column}: no id of truth is in rec
-- Every user in truth scores as an empty list, or no recommendation can be a hit. The example shows an id of each table.
-- Place: 50; Severity: error; Of: ids of truth
-- Write: give rec and truth the same ids; write {allow=no_common_id} if that is right
SELECT
    count(*) AS total,
    {user} AS column_name,
    concat(
        {user_label}, ' ', min(userid), ' in truth, ',
        coalesce({user_label} || ' ' || any_value(first_user), 'none'), ' in rec') AS example
FROM served
HAVING count_if(is_served) = 0
UNION ALL
SELECT
    any_value(n_truth) AS total,
    any_value(n_truth) AS of,
    {item} AS column_name,
    concat({item}, ' ', (SELECT min(itemid)::VARCHAR FROM pairs), ' in truth, ', min(listed), ' in rec') AS example
FROM matched
HAVING name = {item} AND count_if(is_known) = 0

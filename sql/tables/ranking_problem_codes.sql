-- The problems that ranking_check finds, in the order of its rows: how grave each is, and what to write against it.
--
-- Returns: place (1, 2, ...), code, about (rec, truth or history), needs (history, items, predicted_truth or NULL),
--          counted (what of counts), wrong_from and doubtful_from (the share, count / of, from which on a row is 'wrong' or
--          'doubtful', and else 'info'; NULL: never; 0: however few; of upside_down, truth_in_rec and partial_leak a test
--          decides), can_be_problem (not 'info' always), problem (the sentence; {user} and the like are names of columns),
--          in_sql, in_command, in_python (what to do against it)
-- Example: SELECT code, doubtful_from, in_sql FROM ranking_problem_codes() WHERE code LIKE 'ties%';

-- A row ends in `/` and `|` stands between its columns, since one text is quick to parse. What the command and Python do not
-- say is as in SQL, for Python with its sign for arguments.
CREATE OR REPLACE TEMP MACRO ranking_problem_codes() AS TABLE
SELECT
    place,
    cells[1] AS code,
    split_part(cells[2], ' ', 1) AS about,
    nullif(split_part(cells[2], ' with ', 2), '') AS needs,
    nullif(cells[3], '') AS counted,
    nullif(cells[4], '')::DOUBLE AS wrong_from,
    nullif(cells[5], '')::DOUBLE AS doubtful_from,
    wrong_from IS NOT NULL OR doubtful_from IS NOT NULL
        OR code IN ('upside_down', 'truth_in_rec', 'partial_leak') AS can_be_problem,
    cells[6] AS problem,
    cells[7] AS in_sql,
    coalesce(cells[8], cells[7]) AS in_command,
    coalesce(cells[9], replace(cells[7], ' := ', '=')) AS in_python
FROM (
    SELECT unnest(range(1, len(rows) + 1)) AS place, regexp_split_to_array(trim(unnest(rows)), ' ?\| ?') AS cells
    FROM (SELECT string_split(regexp_replace('
unfit_column | rec | | 0 | | a column or argument does not fit /
grade_not_read | truth | | 0 | | truth: columns that look like grades are not read |
    write grade_col := ''NAME'', or grade_col := '''' if every row is relevant | write --grade NAME, or --grade '''' if
    every row is relevant /
system_not_read | rec | | 0 | | rec: columns that look like systems are not read |
    write system_col := ''NAME'', or system_col := '''' if each user has one list | write --system NAME, or --system '''' if
    each user has one list /
run_not_read | rec | | 0 | | rec: columns that look like runs are not read |
    name a column of system/run as system_col, then take the mean of each user''s runs | name a column of system/run as --system,
    then take the mean of each user''s runs /
no_rows | rec | | 0 | | rec: no rows |
    look at what makes rec /
no_common_user | rec | users of truth | 0 | | no user of truth is in rec |
    give rec and truth the same ids | write --allow-empty if that is right | write allow_empty=True if that is right /
no_common_item | rec | items of truth | 0 | | no item of truth is in rec |
    give rec and truth the same ids | write --allow-empty if that is right | write allow_empty=True if that is right /
nothing_relevant | truth | rows of truth | 0 | | truth: no {grade} is {least}, so nothing is relevant |
    write a lower min_grade | write a lower --min-grade /
swapped | rec | ids that match | 0 | | are users and items swapped? |
    swap user_col and item_col, or the columns of one table | swap --user and --item, or the columns of one file /
upside_down | rec | users who can tell | | | rec: users whose relevant items stand below others |
    if the lowest score is the best (ranks, distances): write descending := false, or where only some systems are so, SELECT
    * REPLACE (CASE WHEN system IN (''NAME'') THEN -score ELSE score END AS score) FROM rec; if lists hold what users had in
    training: FROM rec ANTI JOIN history USING (userid, itemid), or pass it as history to know which | if the lowest score is the
    best (ranks, distances): {ascending}; if lists hold what users had in training: leave it out, or write --history FILE to
    know which |
    if the lowest score is the best (ranks, distances): {ascending}; if lists hold what users had in training: leave it out,
    or write history=... to know which /
seen_first | rec with history | users who can tell | 0 | | rec: users whose relevant items stand below seen ones |
    leave out what the user has: FROM rec ANTI JOIN history USING (userid, itemid) | leave the rows of HISTORY out of REC | leave
    the rows of history out of rec /
unknown_end | rec | lists | | | rec: scores look like ranks; truth is too small to tell |
    if 1 is the best: write descending := false | if 1 is the best: {ascending} | if 1 is the best: {ascending} /
truth_in_rec | rec | users with 2 relevant items | | | rec: users whose relevant items all stand first |
    was truth joined into it? look at what makes rec /
partial_leak | rec | users with 2 relevant items | | | rec: users with all relevant items first, as in a leak |
    was truth joined into some lists? look at what makes rec /
user_spelling | rec | users of rec | 0 | | users that match truth but for their spelling |
    write the ids alike in both tables, by how they differ; case: lower(userid); blanks: regexp_extract(userid,
    ''^[\s\pZ\pC]*(.*?)[\s\pZ\pC]*$'', 1); zeros: ltrim(userid, ''0''); decimals: regexp_replace(userid,
    ''^(-?\d+)\.0+$'', ''\1''); Unicode: nfc_normalize(userid) | write the ids alike in both files; case: in lower case;
    blanks: without those around them; zeros: without those in front; decimals: without .0 at the end; Unicode: in NFC | write the ids alike in both tables; case:
    userid.str.lower(); blanks: userid.str.strip(); zeros: userid.str.lstrip(''0''); decimals: userid.str.removesuffix(''.0'');
    Unicode: userid.str.normalize(''NFC'') /
item_spelling | rec | items of rec | 0 | | items that match truth but for their spelling |
    write the ids alike in both tables, by how they differ; case: lower(itemid); blanks: regexp_extract(itemid,
    ''^[\s\pZ\pC]*(.*?)[\s\pZ\pC]*$'', 1); zeros: ltrim(itemid, ''0''); decimals: regexp_replace(itemid,
    ''^(-?\d+)\.0+$'', ''\1''); Unicode: nfc_normalize(itemid) | write the ids alike in both files; case: in lower case;
    blanks: without those around them; zeros: without those in front; decimals: without .0 at the end; Unicode: in NFC | write the ids alike in both tables; case:
    itemid.str.lower(); blanks: itemid.str.strip(); zeros: itemid.str.lstrip(''0''); decimals: itemid.str.removesuffix(''.0'');
    Unicode: itemid.str.normalize(''NFC'') /
inexact_user | rec | | | 0 | {user} is a DOUBLE or FLOAT too large to be exact |
    take integers or texts from where rec and truth come from; here, digits are lost /
inexact_item | rec | | | 0 | {item} is a DOUBLE or FLOAT too large to be exact |
    take integers or texts from where rec and truth come from; here, digits are lost /
systems_apart | rec | other systems | 0 | | rec: systems without users in common |
    compare systems that recommend to the same users /
null_user | rec | rows of rec | | 0 | rec: {user} is NULL /
null_item | rec | rows of rec | | 0 | rec: {item} is NULL /
null_score | rec | rows of rec | | 0 | rec: {score} is NULL /
nan_score | rec | rows of rec | | 0 | rec: {score} is NaN /
repeated_item | rec | rows of rec | | 0 | rec: ({user}, {item}) repeated in the top k = {k} /
equal_scores | rec | users of truth | 0.5 | 0.05 | rec: users whose scores are all equal |
    write ties := ''expected'' | write --ties expected /
ties_in_top_k | rec | users of truth | | 0.05 | rec: users with tied scores in the top k = {k} |
    write ties := ''expected'' | write --ties expected /
ties_at_k | rec | users of truth | | 0.05 | rec: users with tied scores at k = {k} |
    write ties := ''expected'' | write --ties expected /
short_lists | rec | users of truth | | 0.05 | rec: users with fewer than k = {k} items /
shorter_than_truth | rec | users of truth | | 0.05 | rec: users whose list is shorter than truth |
    write ranking_ndcg(judged, ideal := ''truth'') | write -m ''ndcg(ideal=truth)'' | write ndcg(ideal=truth) /
ties_without_truth | rec | users of rec not in truth | | | rec: users without truth with equal scores /
one_list_for_all | rec | users of truth | | | rec: users with one and the same list /
self_retrieved | rec | users of truth | | | rec: users that are an item of their own list |
    if that is no answer: FROM rec WHERE userid IS DISTINCT FROM itemid | if that is no answer: leave these rows out of REC |
    if that is no answer: leave these rows out of rec /
null_truth_user | truth | rows of truth | | 0 | truth: {user} is NULL /
null_truth_item | truth | rows of truth | | 0 | truth: {item} is NULL /
null_grade | truth | rows of truth | 0 | | truth: {grade} is NULL /
infinite_grade | truth | rows of truth | 0 | | truth: {grade} is NaN or infinite /
negative_grade | truth | rows of truth | | | truth: {grade} is negative /
fractional_grade | truth | rows of truth | | 0 | truth: {grade} is no integer, and NDCG gains 2^{grade} - 1 |
    write ranking_ndcg(judged, gain := ''linear'') | write -m ''ndcg(gain=linear)'' | write ndcg(gain=linear) /
repeated_truth | truth | rows of truth | | | truth: ({user}, {item}) repeated /
contradicting_grades | truth | | | 0 | truth: ({user}, {item}) with different grades |
    keep the right one: the highest counts /
nothing_but_hits | truth | users of truth | | 0 | truth: no judged miss, so skip leaves hits alone |
    leave unjudged := ''skip'' out | leave --unjudged skip out /
no_relevant_item | truth | users of truth | | 0.05 | truth: users without a relevant item /
not_in_rec | rec | users of truth | | 0.05 | users in truth that are not in rec /
not_in_truth | rec | users of rec | | | users in rec that are not in truth /
one_system_only | rec | users of truth | | 0.05 | users with recommendations of one system only /
gone_labels | truth with items | pairs of truth | | | truth: labels gone from the corpus (users: {n}) /
gone_relevant | truth with items | relevant pairs of truth | 0.5 | 0.05 | truth: relevant labels gone from the corpus |
    if ids are alike in both: label anew, or take FROM truth SEMI JOIN items USING (itemid) | if ids are alike in both: label
    anew, or leave these rows out of TRUTH | if ids are alike in both: label anew, or leave these rows out of truth /
recall_without_gone | rec with items | users of truth | | | rec: users with other recall at k = {k} without gone labels /
gone_items | rec with items | rows of rec | | 0.05 | rec: items that are not in the corpus |
    was rec made of another corpus? make it of this one /
labelled_apart | truth with predicted_truth | users of predicted_truth | | 0 |
    truth: its users are no random draw by the model''s grades | draw the users whom people label at random /
labelled_in_part | truth with predicted_truth | users of truth | | 0 |
    truth: users whose top k = {k} is not all judged by people |
    label the whole top k of these users, or write unjudged := ''skip'' | label the whole top k of these users, or write
    --unjudged skip /
truth_in_history | truth with history | pairs of truth | 0.5 | 0.05 | truth: items that the user has in history already |
    write ranking_split(..., seen := ''drop'') | write ranking-udfs split --seen drop | write ranking_split(..., seen :=
    ''drop'') /
late_history | history with history | events of history | | 0 | history: events at or after the first of truth |
    end the history before truth begins /
seen_items | rec with history | rows of rec | | 0.05 | rec: items that the user has in history already |
    leave out what the user has: FROM rec ANTI JOIN history USING (userid, itemid) | leave the rows of HISTORY out of REC | leave
    the rows of history out of rec /
new_users | history with history | users of truth | | | users in truth that are not in history /
new_items | history with history | items of truth | | | items in truth that are not in history /
no_time | history with history | | | | truth or history without times: late events unseen |
    write time_col := '''' if there are none | write --time '''' if there are none /
', '\s+', ' ', 'g'), ' /') AS rows)
)
WHERE cells[1] <> '';

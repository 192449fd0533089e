"""List the problems that ranking.check finds, in the order of its rows, with severity and advice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A kind of problem.

    `counted` names the unit of the column `of`. A row has severity 'error' if the share count / of is at
    least `error_from`, 'warning' if it is at least `warning_from`, otherwise 'info'. None means never, 0
    always.
    """

    code: str
    about: str  # rec, truth or history
    sentence: str  # with {user}, {item} etc. for column names, {k}, and {n} for a number
    needs: str | None = None  # the argument that this check requires
    counted: str | None = None
    error_from: float | None = None
    warning_from: float | None = None
    in_sql: str | None = None  # advice in SQL
    in_command: str | None = None  # advice in the command, if it differs
    in_python: str | None = None  # advice in Python, if it differs by more than := for =

    @property
    def can_be_problem(self) -> bool:
        return (self.error_from, self.warning_from) != (None, None) or self.code in TESTED

    def advice(self, is_command: bool) -> str | None:
        """Return the advice in the command or in Python."""
        if is_command:
            return self.in_command or self.in_sql
        return self.in_python or (self.in_sql and self.in_sql.replace(" := ", "="))

    @property
    def line(self) -> str:
        """Row of ranking.check_codes as a string."""
        shares = (f"{cell:g}" if cell is not None else None for cell in (self.error_from, self.warning_from))
        advice = (self.in_sql, self.advice(True), self.advice(False))
        cells = (self.code, self.about, self.needs, self.counted, *shares, self.sentence, *advice)
        return " | ".join(cell or "" for cell in cells)


# Problems with a severity from a statistical test.
TESTED = ("upside_down", "truth_in_rec", "partial_leak")
PROBLEMS = (
    Problem("unfit_column", "rec", "a column or argument is not valid", error_from=0),
    Problem(
        "grade_not_read",
        "truth",
        "truth: columns that look like grades are not read",
        error_from=0,
        in_sql="write grade_col := 'NAME', or grade_col := '' if every row is relevant",
        in_command="write --grade NAME, or --grade '' if every row is relevant",
    ),
    Problem("number_not_read", "truth", "truth: columns of numbers are not read"),
    Problem(
        "system_not_read",
        "rec",
        "rec: columns that look like systems are not read",
        error_from=0,
        in_sql="write system_col := 'NAME', or system_col := '' if each user has one list",
        in_command="write --system NAME, or --system '' if each user has one list",
    ),
    Problem(
        "run_not_read",
        "rec",
        "rec: columns that look like runs are not read",
        error_from=0,
        in_sql="write system_col := 'NAME' for a column that joins model and run, such as "
        "concat_ws('/', model, seed), then average the runs of each user",
        in_command="write --system NAME for a column that joins model and run, "
        "then average the runs of each user",
        in_python="write system_col='NAME' for a column that joins model and run, "
        "then average the runs of each user",
    ),
    Problem("no_rows", "rec", "rec: no rows", error_from=0, in_sql="check the query that builds rec"),
    Problem(
        "no_common_user",
        "rec",
        "no user of truth is in rec",
        counted="users of truth",
        error_from=0,
        in_sql="give rec and truth the same ids",
        in_command="write --allow no_common_user,no_common_item if that is right",
        in_python="write allow='no_common_user,no_common_item' if that is right",
    ),
    Problem(
        "no_common_item",
        "rec",
        "no item of truth is in rec",
        counted="items of truth",
        error_from=0,
        in_sql="give rec and truth the same ids",
        in_command="write --allow no_common_user,no_common_item if that is right",
        in_python="write allow='no_common_user,no_common_item' if that is right",
    ),
    Problem(
        "nothing_relevant",
        "truth",
        "truth: no {grade} is {least}, so nothing is relevant",
        counted="rows of truth",
        error_from=0,
        in_sql="write a lower min_grade",
        in_command="write a lower --min-grade",
    ),
    Problem(
        "swapped",
        "rec",
        "are users and items swapped?",
        counted="ids that match",
        error_from=0,
        in_sql="swap user_col and item_col, or the columns of one table",
        in_command="swap --user and --item, or the columns of one file",
    ),
    Problem(
        "upside_down",
        "rec",
        "rec: users whose relevant items rank below other items",
        counted="users with both kinds of items",
        in_sql="if lower scores are better (ranks, distances): write descending := false, or "
        "for some systems only, SELECT * REPLACE (CASE WHEN system IN ('NAME') THEN "
        "-score ELSE score END AS score) FROM rec; if lists contain already-seen items: FROM rec "
        "ANTI JOIN history USING (userid, itemid), or pass history := ... to find out",
        in_command="if lower scores are better (ranks, distances): {ascending}; if lists contain "
        "already-seen items: remove them, or write --history FILE to find out",
        in_python="if lower scores are better (ranks, distances): {ascending}; if lists contain already-seen "
        "items: remove them, or write history=... to find out",
    ),
    Problem(
        "seen_first",
        "rec",
        "rec: users whose relevant items rank below seen items",
        needs="history",
        counted="users with both kinds of items",
        error_from=0,
        in_sql="remove already-seen items: FROM rec ANTI JOIN history USING (userid, itemid)",
        in_command="remove the rows of HISTORY from REC",
        in_python="remove the rows of history from rec",
    ),
    Problem(
        "unknown_end",
        "rec",
        "rec: scores look like ranks; truth is too small to decide",
        counted="lists",
        in_sql="if rank 1 is the best: write descending := false",
        in_command="if rank 1 is the best: {ascending}",
        in_python="if rank 1 is the best: {ascending}",
    ),
    Problem(
        "truth_in_rec",
        "rec",
        "rec: users whose relevant items are all at the top",
        counted="users with 2 relevant items",
        in_sql="check the query that builds rec: truth may have been joined into it",
    ),
    Problem(
        "partial_leak",
        "rec",
        "rec: users with all relevant items at the top, as in a leak",
        counted="users with 2 relevant items",
        in_sql="check the query that builds rec: truth may have been joined into some lists",
    ),
    Problem(
        "user_spelling",
        "rec",
        "users that match truth except for their spelling",
        counted="users of rec",
        error_from=0.05,
        warning_from=0,
        in_sql="write the ids the same way in both tables, by their difference; case: lower(userid); blanks: "
        "regexp_extract(userid, '^[\\s\\pZ\\pC]*(.*?)[\\s\\pZ\\pC]*$', 1); zeros: ltrim(userid, "
        "'0'); decimals: regexp_replace(userid, '^(-?\\d+)\\.0+$', '\\1'); Unicode: "
        "nfc_normalize(userid)",
        in_command="write the ids the same way in both files; case: use lower case; blanks: trim them; "
        "zeros: remove leading zeros; decimals: remove .0 at the end; Unicode: use NFC",
        in_python="write the ids the same way in both tables; case: userid.str.lower(); blanks: "
        "userid.str.strip(); zeros: userid.str.lstrip('0'); decimals: "
        "userid.str.removesuffix('.0'); Unicode: userid.str.normalize('NFC')",
    ),
    Problem(
        "item_spelling",
        "rec",
        "items that match truth except for their spelling",
        counted="items of rec",
        error_from=0.05,
        warning_from=0,
        in_sql="write the ids the same way in both tables, by their difference; case: lower(itemid); blanks: "
        "regexp_extract(itemid, '^[\\s\\pZ\\pC]*(.*?)[\\s\\pZ\\pC]*$', 1); zeros: ltrim(itemid, "
        "'0'); decimals: regexp_replace(itemid, '^(-?\\d+)\\.0+$', '\\1'); Unicode: "
        "nfc_normalize(itemid)",
        in_command="write the ids the same way in both files; case: use lower case; blanks: trim them; "
        "zeros: remove leading zeros; decimals: remove .0 at the end; Unicode: use NFC",
        in_python="write the ids the same way in both tables; case: itemid.str.lower(); blanks: "
        "itemid.str.strip(); zeros: itemid.str.lstrip('0'); decimals: "
        "itemid.str.removesuffix('.0'); Unicode: itemid.str.normalize('NFC')",
    ),
    Problem(
        "inexact_user",
        "rec",
        "{user} is a DOUBLE or FLOAT too large to be exact",
        warning_from=0,
        in_sql="read integers or strings from the source of rec and truth; here, digits are lost",
    ),
    Problem(
        "inexact_item",
        "rec",
        "{item} is a DOUBLE or FLOAT too large to be exact",
        warning_from=0,
        in_sql="read integers or strings from the source of rec and truth; here, digits are lost",
    ),
    Problem(
        "systems_apart",
        "rec",
        "rec: systems without common users",
        counted="other systems",
        error_from=0,
        in_sql="compare systems with recommendations for the same users",
    ),
    Problem("null_user", "rec", "rec: {user} is NULL", counted="rows of rec", warning_from=0),
    Problem("null_item", "rec", "rec: {item} is NULL", counted="rows of rec", warning_from=0),
    Problem("null_score", "rec", "rec: {score} is NULL", counted="rows of rec", warning_from=0),
    Problem("nan_score", "rec", "rec: {score} is NaN", counted="rows of rec", warning_from=0),
    Problem(
        "repeated_item",
        "rec",
        "rec: ({user}, {item}) repeated in the top k = {k}",
        counted="rows of rec",
        warning_from=0,
    ),
    Problem(
        "equal_scores",
        "rec",
        "rec: users whose scores are all equal",
        counted="users of truth",
        error_from=0.5,
        warning_from=0.05,
        in_sql="write ties := 'expected'",
        in_command="write --ties expected",
    ),
    Problem(
        "ties_in_top_k",
        "rec",
        "rec: users with tied scores in the top k = {k}",
        counted="users of truth",
        warning_from=0.05,
        in_sql="write ties := 'expected'",
        in_command="write --ties expected",
    ),
    Problem(
        "ties_at_k",
        "rec",
        "rec: users with tied scores at k = {k}",
        counted="users of truth",
        warning_from=0.05,
        in_sql="write ties := 'expected'",
        in_command="write --ties expected",
    ),
    Problem(
        "short_lists",
        "rec",
        "rec: users with fewer than k = {k} items",
        counted="users of truth",
        warning_from=0.05,
    ),
    Problem(
        "shorter_than_truth",
        "rec",
        "rec: users whose list is shorter than truth",
        counted="users of truth",
        warning_from=0.05,
        in_sql="write ranking.ndcg(judged, ideal := 'truth')",
        in_command="write -m 'ndcg(ideal=truth)'",
        in_python="write ndcg(ideal=truth)",
    ),
    Problem(
        "ties_without_truth",
        "rec",
        "rec: users without truth whose scores are tied",
        counted="users of rec not in truth",
    ),
    Problem("one_list_for_all", "rec", "rec: users with the same list", counted="users of truth"),
    Problem(
        "self_retrieved",
        "rec",
        "rec: users that are an item in their own list",
        counted="users of truth",
        in_sql="if that is not an answer: FROM rec WHERE userid IS DISTINCT FROM itemid",
        in_command="if that is not an answer: remove these rows from REC",
        in_python="if that is not an answer: remove these rows from rec",
    ),
    Problem("null_truth_user", "truth", "truth: {user} is NULL", counted="rows of truth", warning_from=0),
    Problem("null_truth_item", "truth", "truth: {item} is NULL", counted="rows of truth", warning_from=0),
    Problem("null_grade", "truth", "truth: {grade} is NULL", counted="rows of truth", error_from=0),
    Problem(
        "infinite_grade", "truth", "truth: {grade} is NaN or infinite", counted="rows of truth", error_from=0
    ),
    Problem("negative_grade", "truth", "truth: {grade} is negative", counted="rows of truth"),
    Problem(
        "fractional_grade",
        "truth",
        "truth: {grade} is not an integer; NDCG gains 2^{grade} - 1",
        counted="rows of truth",
        warning_from=0,
        in_sql="write ranking.ndcg(judged, gain := 'linear')",
        in_command="write -m 'ndcg(gain=linear)'",
        in_python="write ndcg(gain=linear)",
    ),
    Problem("repeated_truth", "truth", "truth: ({user}, {item}) repeated", counted="rows of truth"),
    Problem(
        "contradicting_grades",
        "truth",
        "truth: ({user}, {item}) with different grades",
        warning_from=0,
        in_sql="keep the right one; the highest is used",
    ),
    Problem(
        "nothing_but_hits",
        "truth",
        "truth: no judged non-relevant items; skip leaves hits only",
        counted="users of truth",
        warning_from=0,
        in_sql="remove unjudged := 'skip'",
        in_command="remove --unjudged skip",
    ),
    Problem(
        "no_relevant_item",
        "truth",
        "truth: users without a relevant item",
        counted="users of truth",
        warning_from=0.05,
    ),
    Problem(
        "not_in_rec",
        "rec",
        "users in truth that are not in rec",
        counted="users of truth",
        warning_from=0.05,
    ),
    Problem("not_in_truth", "rec", "users in rec that are not in truth", counted="users of rec"),
    Problem(
        "one_system_only",
        "rec",
        "users with recommendations from one system only",
        counted="users of truth",
        warning_from=0.05,
    ),
    Problem(
        "gone_labels",
        "truth",
        "truth: labels for items not in the catalog (users: {n})",
        needs="items",
        counted="pairs of truth",
    ),
    Problem(
        "gone_relevant",
        "truth",
        "truth: relevant labels for items not in the catalog",
        needs="items",
        counted="relevant pairs of truth",
        error_from=0.5,
        warning_from=0.05,
        in_sql="if the ids match in both: label again, or use FROM truth SEMI JOIN items USING (itemid)",
        in_command="if the ids match in both: label again, or remove these rows from TRUTH",
        in_python="if the ids match in both: label again, or remove these rows from truth",
    ),
    Problem(
        "recall_without_gone",
        "rec",
        "rec: users whose recall at k = {k} depends on missing items",
        needs="items",
        counted="users of truth",
    ),
    Problem(
        "gone_items",
        "rec",
        "rec: items that are not in the catalog",
        needs="items",
        counted="rows of rec",
        warning_from=0.05,
        in_sql="build rec from this catalog",
    ),
    Problem(
        "labelled_apart",
        "truth",
        "truth: by model grades, its users are not a random sample",
        needs="predicted_truth",
        counted="users of predicted_truth",
        warning_from=0,
        in_sql="sample the users for human labels at random",
    ),
    Problem(
        "labelled_in_part",
        "truth",
        "truth: users whose top k = {k} lacks human labels",
        needs="predicted_truth",
        counted="users of truth",
        warning_from=0,
        in_sql="label the whole top k of these users, or write unjudged := 'skip'",
        in_command="label the whole top k of these users, or write --unjudged skip",
    ),
    Problem(
        "truth_in_history",
        "truth",
        "truth: items already in the user's history",
        needs="history",
        counted="pairs of truth",
        error_from=0.5,
        warning_from=0.05,
        in_sql="write ranking.split(..., seen := 'drop')",
        in_command="write ranking-udfs split --seen drop",
        in_python="write ranking_udfs.split(..., seen='drop')",
    ),
    Problem(
        "late_history",
        "history",
        "history: events at or after the first of truth",
        needs="history",
        counted="events of history",
        warning_from=0,
        in_sql="end the history before the first event of truth",
    ),
    Problem(
        "seen_items",
        "rec",
        "rec: items already in the user's history",
        needs="history",
        counted="rows of rec",
        warning_from=0.05,
        in_sql="remove already-seen items: FROM rec ANTI JOIN history USING (userid, itemid)",
        in_command="remove the rows of HISTORY from REC",
        in_python="remove the rows of history from rec",
    ),
    Problem(
        "new_users",
        "history",
        "users in truth that are not in history",
        needs="history",
        counted="users of truth",
    ),
    Problem(
        "new_items",
        "history",
        "items in truth that are not in history",
        needs="history",
        counted="items of truth",
    ),
    Problem(
        "no_time",
        "history",
        "no times in truth or history, so late events are not checked",
        needs="history",
        in_sql="write time_col := '' if there are none",
        in_command="write --time '' if there are none",
    ),
)

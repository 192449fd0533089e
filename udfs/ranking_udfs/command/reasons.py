"""The text of `explain` and `overlap`: one user's lists, and the items that two models' lists share."""

from collections.abc import Sequence

from ..evaluation.words import Row, format_cut_off, format_number
from ..texts import printable
from .requests import Job
from .text_tables import cut_off_heading, render, render_document, render_remark

ITEM_WIDTH = 20  # of an item in a table for people, which has 80 columns
LISTED = {"rank": "Rank", "itemid": "Item", "score": "Score", "grade": "Grade", "gain": "Gain"}
LISTED |= {"discount": "Discount", "contribution": "Gain x disc.", "dcg": "DCG"}
OVERLAPS = {"baseline": "Baseline", "system": "System", "k": "k", "users": "Users", "overlap": "Overlap"}
OVERLAPS |= {"jaccard": "Jaccard", "rbo": "RBO", "same_first": "1st", "same_list": "All"}
LEGEND = (
    "Shares of what two lists have in common, means over the users with a list of either. Overlap: common "
    "items of the longer list; Jaccard: of the items of both; RBO: rank-biased overlap, which weighs the "
    "first ranks most; 1st, All: users whose first item, whose whole list is the same."
)


def explanation_text(job: Job, rows: Sequence[Row], has_truth: bool, digits: int | None) -> str:
    """Render a user's lists: for programs the rows, for people a table for each model, hits marked."""
    form, user = job.options.format, printable(job.options.user_id)
    if form != "table":
        return render_document(form, rows_text(form, rows, job, digits))
    systems = list(dict.fromkeys(row.get("system") for row in rows))
    k = job.request.ks[0]
    texts = []
    for system in systems:
        mine = [row for row in rows if row.get("system") == system]
        listed = [row for row in mine if row["rank"] is not None]
        of = "" if "system" not in rows[0] else f", {printable(system)}"
        text = f"User {user}{of}, {cut_off_heading(k)}\n\n"
        text += list_table(listed, digits or 4) if listed else "No list.\n"
        if has_truth:
            text += "\n" + "".join(render_remark("table", line) for line in measured(mine, listed, k))
        texts.append(text)
    return "\n".join(texts) or f"User {user}: no list and no relevant item.\n"


def list_table(listed: Sequence[Row], digits: int) -> str:
    """Render the ranks of a list, with a star at each hit."""

    def cell(name: str, value: object) -> object:
        if value is None:
            return "NULL" if name in ("itemid", "score") else ""
        text = printable(value)
        is_long = name == "itemid" and len(text) > ITEM_WIDTH
        return f"{text[: ITEM_WIDTH - 3]}..." if is_long else value

    cells = [["*" if row["relevant"] else "", *(cell(name, row[name]) for name in LISTED)] for row in listed]
    return render("table", ["Hit", *LISTED.values()], cells, digits=digits)


def measured(mine: Sequence[Row], listed: Sequence[Row], k: int | None) -> list[str]:
    """Say what is missed, and the measures with what they are made of."""
    missed = [row for row in mine if row["rank"] is None]
    lines = [
        "Relevant and not there: "
        + ", ".join(
            f"{printable(row['itemid'])} (grade {format_number(row['grade'])}, "
            f"{'nowhere' if row['found_at'] is None else 'rank ' + str(row['found_at'])})"
            for row in missed
        )
    ] * bool(missed)
    if not listed:
        return [*lines, "An empty list: NDCG, recall and precision are 0."]
    last = listed[-1]
    depth = len(listed) if k is None else max(k, 1)
    hits = last["precision"] * len(listed)
    at = format_cut_off(k)
    dcg, ideal, ndcg = (format_number(last[name]) for name in ("dcg", "ideal_dcg", "ndcg"))
    lines.append(f"NDCG@{at} = DCG / ideal DCG = {dcg} / {ideal} = {ndcg}")
    lines.append(f"Recall@{at} = {format_number(last['recall'])}")
    lines.append(
        f"Precision@{at} = hits / k = {format_number(hits)} / {depth} = {format_number(hits / depth)}"
    )
    return lines


def rows_text(form: str, rows: Sequence[Row], job: Job, digits: int | None) -> str:
    """Render all columns of rows."""
    header = list(rows[0]) if rows else ["rank", "itemid"]
    return render(form, header, [list(row.values()) for row in rows], job.options.safe_csv, digits)


def overlap_text(job: Job, rows: Sequence[Row], digits: int | None) -> str:
    """Render what lists have in common: for programs all columns, for people those that fit a line."""
    form = job.options.format
    if form in ("csv", "json"):
        return rows_text(form, rows, job, digits)
    cells = [[row[name] if name != "k" else format_cut_off(row[name]) for name in OVERLAPS] for row in rows]
    text = render(form, list(OVERLAPS.values()), cells, digits=digits or 4)
    text += "" if form == "html" else "\n"
    remarks = [LEGEND]
    for row in rows:
        for side in ("baseline", "system"):
            if count := row[f"{side}_users_without_rec"]:
                at = format_cut_off(row["k"])
                remarks.append(
                    f"Without a list of {row[side]} (counted as 0), k = {at}: {count} of the users"
                )
    return render_document(form, text + "".join(render_remark(form, line) for line in remarks))

"""Write problems of the data as text: rows of ranking.check, with the columns `file` and `write`."""

from collections.abc import Sequence

from ..compose.problems import PROBLEMS as KINDS
from ..texts import shorten
from .errors import UsageError
from .words import Row

CODES = {problem.code: problem for problem in KINDS}
NOTHING = ("no_common_user", "no_common_item")
SPELLINGS = ("user_spelling", "item_spelling")
TIES = ("equal_scores", "ties_in_top_k", "ties_at_k")
DIRECTION = ("upside_down", "unknown_end")  # problems that descending or ascending scores may solve
COLUMNS = {  # columns of a problem with its advice, and their types
    **dict.fromkeys(("severity", "system", "problem", "code"), "VARCHAR"),
    **{"k": "BIGINT", "example": "VARCHAR", "count": "BIGINT", "of": "BIGINT"},
    **{"file": "VARCHAR", "write": "VARCHAR"},
}
SEVERITIES = ("error", "warning", "info")
PROBLEMS = SEVERITIES[:2]  # severities that make --fail-if problems fail


def is_problem(row: Row) -> bool:
    """Return whether a row is an error or a warning."""
    return row["severity"] in PROBLEMS


def problem_text(row: Row) -> str:
    """Write a problem on one line, with its count, an example, its file and its advice."""
    of = ", ".join(shorten(row[name]) for name in ("system", "file") if row.get(name) is not None)
    share = "" if row["of"] is None else f" of {row['of']}"
    text = f"{row['problem']}: {row['count']}{share}{f' ({of})' if of else ''}"
    if row["example"] is not None:
        text += f", for example {shorten(row['example'])}"
    return f"{text}; {row['write']}" if row.get("write") else text


def fit_advice(advice: str, example: str) -> str:
    """Keep the clauses of the advice for the differences of ids that the example names in brackets."""
    head, *clauses = advice.split("; ")
    named = example.rpartition(" (")[2].rstrip(")").split(", ")
    fit = [clause for clause in clauses if clause.partition(": ")[0] in named]
    return "; ".join([head, *(fit or clauses)])


def check_common(rows: Sequence[Row]) -> None:
    """Raise UsageError if recommendations and truth share no user or no item."""
    for row in rows:
        if row["code"] in NOTHING:
            raise UsageError(problem_text(row))

"""Write problems of the data as text: rows of ranking.check, with the columns `file` and `write`."""

from collections.abc import Collection, Sequence

from ..compose.problems import Problem, problems
from ..texts import did_you_mean, shorten
from .errors import UsageError
from .words import Row

NOTHING = "no_common_id"
TIES = ("equal_scores", "ties_in_top_k", "ties_at_k")
BY_KIND = ("column_not_read", "spelling")  # the example names in brackets which clauses of the advice fit
DIRECTION = ("upside_down", "unknown_end")  # problems that descending or ascending scores may solve
COLUMNS = {  # columns of a problem with its advice, and their types
    **dict.fromkeys(("severity", "system", "problem", "code", "column_name"), "VARCHAR"),
    **{"k": "BIGINT", "example": "VARCHAR", "count": "BIGINT", "of": "BIGINT"},
    **{"file": "VARCHAR", "write": "VARCHAR"},
}
SEVERITIES = ("error", "warning", "info")
PROBLEMS = SEVERITIES[:2]  # severities that make --fail-if problems fail


def grave() -> dict[str, Problem]:
    """Return the problems that can be errors or warnings, by code."""
    return {code: problem for code, problem in problems().items() if problem.can_be_problem}


def is_problem(row: Row) -> bool:
    """Return whether a row is an error or a warning."""
    return row["severity"] in PROBLEMS


def errors_about(problems: Sequence[Row], systems: Collection[str | None]) -> list[Row]:
    """Return the errors about truth or about one of these systems: they leave these without a verdict."""
    errors = [row for row in problems if row["severity"] == "error"]
    return [row for row in errors if row["system"] is None or row["system"] in systems]


def without_verdicts(rows: Sequence[Row], problems: Sequence[Row]) -> list[Row]:
    """Return the rows of a comparison, with the verdict 'error' where an error concerns one of the two."""
    none = {"verdict": "error", "users_needed": None}
    return [
        {**row, **none} if errors_about(problems, (row["baseline"], row["system"])) else row for row in rows
    ]


def hint_of(code: str) -> str:
    """Return why a code is not one of an error or a warning, for an error message."""
    return ", which is always info" if code in problems() else did_you_mean(code, grave())


def parse_codes(text: str) -> list[str]:
    """Parse codes of errors or warnings with commas between them; the ValueError names a wrong one."""
    codes = [code.strip().lower() for code in text.split(",")]
    for code in codes:
        if code not in grave():
            raise ValueError(f"must be codes of errors or warnings of the check, got {code!r}{hint_of(code)}")
    return codes


def problem_text(row: Row) -> str:
    """Write a problem on one line, with its count, an example, its file and its advice."""
    of = ", ".join(shorten(row[name]) for name in ("system", "file") if row.get(name) is not None)
    share = "" if row["of"] is None else f" of {row['of']}"
    text = f"{row['problem']}: {row['count']}{share}{f' ({of})' if of else ''}"
    if row["example"] is not None:
        text += f", for example {shorten(row['example'])}"
    return f"{text}; {row['write']}" if row.get("write") else text


def fit_advice(advice: str, example: str) -> str:
    """Keep the clauses of the advice for the kinds that the example names in brackets."""
    head, *clauses = advice.split("; ")
    named = example.rpartition(" (")[2].rstrip(")").split(", ")
    fit = [clause for clause in clauses if clause.partition(": ")[0] in named]
    return "; ".join([head, *(fit or clauses)])


def check_common(rows: Sequence[Row]) -> None:
    """Raise UsageError if recommendations and truth share no user or no item, unless that is allowed."""
    for row in rows:
        if row["code"] == NOTHING and is_problem(row):
            raise UsageError(problem_text(row))

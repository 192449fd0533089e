"""Write problems of the data as text: rows of ranking.check, with the columns `file` and `write`."""

from collections.abc import Collection, Sequence

from ..compose.problems import Problem, problems
from ..texts import did_you_mean, shorten
from .errors import DataError, UsageError
from .words import Row, grouped

NOTHING = "no_common_id"
UNREADABLE = ("null_grade", "infinite_grade")  # an evaluation is an error
TIES = ("equal_scores", "ties_in_top_k", "ties_at_k")
BY_KIND = ("column_not_read", "spelling")  # the example names in brackets which clauses of the advice fit
DIRECTION = ("upside_down", "unknown_end")  # problems that descending or ascending scores may solve
COLUMNS = {  # columns of a problem with its advice, and their types
    **dict.fromkeys(("severity", "system", "problem", "code", "column_name"), "VARCHAR"),
    **{"k": "BIGINT", "example": "VARCHAR", "count": "BIGINT", "of": "BIGINT"},
    **{"file": "VARCHAR", "write": "VARCHAR"},
}
WORDS = {"error": "error", "warning": "warning", "info": "note"}  # each severity as it is shown
SEVERITIES = (*WORDS,)
CAUSES = ("swapped", "several_ids", "spelling")  # codes of why ids do not match
SHOWN = 6  # systems and cutoffs on the line of a code
PROBLEMS = SEVERITIES[:2]  # severities that make --fail-if problems fail


def grave() -> dict[str, Problem]:
    """Return the problems that can be errors or warnings, by code."""
    return {code: problem for code, problem in problems().items() if problem.severity != "info"}


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


def parse_code(text: str) -> str:
    """Return the code of an error or a warning; ValueError if it is none."""
    if (code := text.lower()) not in grave():
        raise ValueError(f"must be codes of errors or warnings of the check, got {code!r}{hint_of(code)}")
    return code


def problem_lines(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Return a severity and a string for each problem with all its systems and cutoffs, errors first."""
    ordered = sorted(rows, key=lambda row: SEVERITIES.index(row["severity"]))
    groups = grouped(({**row, "text": without_k(row)} for row in ordered), "code", "text").values()
    return [(WORDS[of[0]["severity"]], problem_text(of)) for of in groups]


def without_k(row: Row) -> str:
    """Return the message without the cutoff, so that those of all cutoffs are equal."""
    return str(row["problem"]).replace(f"k = {row['k']}", "k").replace("any k", "k")


def problem_text(rows: Sequence[Row]) -> str:
    """Write a problem on one line, with its counts, systems, cutoffs, files, an example and its advice."""
    ks, counts = {row["k"] for row in rows}, []
    for row in rows[:SHOWN]:
        of = [shorten(row[name]) for name in ("system", "file") if row.get(name) is not None]
        of += [f"k = {row['k']}" if row["k"] else "any k"] * (len(ks) > 1)
        share = "" if row["of"] is None else f" of {row['of']}"
        counts.append(f"{row['count']}{share}" + (f" ({', '.join(of)})" if of else ""))
    counts += [f"{len(rows) - SHOWN} more"] * (len(rows) > SHOWN)
    text = f"{without_k(rows[0]) if len(ks) > 1 else rows[0]['problem']}: {', '.join(counts)}"
    if rows[0]["example"] is not None:
        text += f", for example {shorten(rows[0]['example'])}"
    clauses = dict.fromkeys(clause for row in rows for clause in (row.get("write") or "").split("; "))
    return "; ".join([text, *filter(None, clauses)])


def fit_advice(advice: str, example: str) -> str:
    """Keep the clauses of the advice for the kinds that the example names in brackets."""
    head, *clauses = advice.split("; ")
    named = example.rpartition(" (")[2].rstrip(")").split(", ")
    fit = [clause for clause in clauses if clause.partition(": ")[0] in named]
    return "; ".join([head, *(fit or clauses)])


def raise_problems(rows: Sequence[Row]) -> None:
    """Raise DataError for an unreadable grade, and UsageError if rec and truth share no user or no item.

    Where they share none, the error is that of the cause, if it is known, for all systems.
    """
    for row in (row for row in rows if is_problem(row)):
        if row["code"] in UNREADABLE:
            raise DataError(problem_text([row]))
        if row["code"] == NOTHING:
            about = [other for other in rows if other["column_name"] in (None, row["column_name"])]
            causes = [[other for other in about if other["code"] == code] for code in CAUSES]
            raise UsageError(problem_text(next(filter(None, causes), [row])))

"""The rules about columns as SQL, for macros whose tables are parameters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .columns import LIKE, PLAIN_NUMBER, Names, quoted
from .templates import module

KINDS = {  # the kinds of columns that tables must have
    "rec": ("user", "item", "score", "system"),
    "truth": ("user", "item", "grade", "intent"),
    "users": ("user",),
    "history": ("user", "item"),
    "items": ("item", "category"),
}


class Table(NamedTuple):
    """A table: its role, its name, and its required columns, each with its form in SQL."""

    role: str
    name: str
    columns: Sequence[tuple[str, str]]

    @property
    def code(self) -> str:
        """Code of a finding about the table: one about `users` is an error in the check, too."""
        return "users" if self.role == "users" else "unfit_column"


def with_columns(role: str, name: str, columns: Iterable[str | None]) -> Table:
    """Return a table with required columns; a column without a name is not required."""
    return Table(role, name, [(column, quoted(column)) for column in columns if column])


def ranking_findings(
    names: Names,
    tables: Mapping[str, str],
    min_grade: float | None = None,
    time: str | None = None,
    has_categories: bool = True,
) -> str:
    """Return the SQL of a LIST of findings about rec, truth and other tables.

    Args:
        names: the names of columns.
        tables: the names of tables, by role.
        min_grade: the lowest relevant grade, if truth must have grades for it.
        time: the name of times in truth and history; None is `time`, if both have it.
        has_categories: whether the table of items has categories.
    """
    columns = vars(names) | ({} if has_categories else {"category": None})
    required = [
        with_columns(role, name, (columns[kind] for kind in KINDS[role])) for role, name in tables.items()
    ]
    macros = module("tables/internal/columns.jinja")
    like = {**LIKE, "number": PLAIN_NUMBER}
    rules = macros.of_rankings(required, names, like, min_grade)
    if "history" in tables and "truth" in tables and time != "":
        rules += macros.of_times(time or "time", time is not None)
    return str(macros.findings(required, rules)).strip()


def event_findings(name: str, columns: Sequence[str], demands: Mapping[str, Sequence[str]]) -> str:
    """Return the SQL of a LIST of findings about events; `demands` are the kinds of time by argument."""
    macros = module("tables/internal/columns.jinja")
    rules = macros.of_events(columns[-1], demands.items())
    return str(macros.findings([with_columns("events", name, columns)], rules)).strip()


def grade_not_read(names: str) -> str:
    """Return the SQL of the sentence about columns of grades, from the SQL of a LIST of their names."""
    return str(module("tables/internal/columns.jinja").grade_not_read(names)).strip()


def first_sentence(findings: str) -> str:
    """Return the SQL of the first sentence of findings; NULL if there are none."""
    return f"({findings})[1][2]"

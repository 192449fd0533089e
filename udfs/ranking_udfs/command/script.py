"""Write the statements of an evaluation as an SQL script, with a comment for each statement."""

import re
from collections.abc import Iterable, Sequence

from ..texts import units, with_unit
from ..version import version

TABLES = {  # the comment for a table, by its name without the prefix
    "rec": "The recommendations.",
    "truth": "The ground truth.",
    "predicted_truth": "The truth with labels by a model.",
    "segments": "The segments of {units}.",
    "users": "All {units}.",
    "history": "The interaction history of the {units}.",
    "items": "The catalog.",
    "ranked": "The recommendations in the order of trec_eval, without ties.",
    "by_user": "The measures of each {unit} at each k.",
    "by_predicted": "The same by the truth with labels by a model.",
    "contents": "The beyond-accuracy measures of each {unit} at each k.",
    "counts": "The number of {units} of each model, and of {units} without recommendations or truth.",
    "by_segment": "The measures of each {unit}, with a row for each segment of the {unit}.",
    "by_predicted_segment": "The same by the truth with labels by a model.",
    "contents_by_segment": "The beyond-accuracy measures of each {unit}, with a row for each segment.",
}
# A string or quoted name, in which nothing is called; or a call of one of our functions.
NEEDED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|(system\.main\._ranking_\w+)(?=\()""")
MADE = re.compile(r"(?:CREATE OR REPLACE TEMP (?:TABLE|VIEW)|(INSERT) INTO) (\w+)")


def script_text(statements: Sequence[str], queries: Iterable[tuple[str, str]], prefix: str) -> str:
    """Return a script of the statements that make tables, and of titled queries.

    `prefix` is the prefix of all names of tables.
    """
    titled = [(statement_comment(statement, prefix), statement) for statement in statements] + [*queries]
    where = "any DuckDB"
    if any(needed_functions(text) for _, text in titled):
        where = "a DuckDB connection after ranking_udfs.register(con), required by some statements"
    lines = [f"-- Written by {version()} for {where}."]
    for title, text in titled:
        needed = needed_functions(text)
        rule = f"-- Requires ranking_udfs.register(con), for {' and '.join(needed)}.\n" * bool(needed)
        lines.append(f"-- {title}\n{rule}{text};")
    return "\n\n".join(lines) + "\n"


def needed_functions(sql: str) -> list[str]:
    """Return the Python functions that a statement calls, each once."""
    return [*dict.fromkeys(match[1] for match in NEEDED.finditer(sql) if match[1])]


def statement_comment(statement: str, prefix: str) -> str:
    """Return a comment for the table or rows that a statement makes."""
    made = MADE.match(statement)
    if made is None:
        return "The database of the tables."
    if made[1]:
        return f"The values of each {units(1)} in the stored run."
    return with_unit(TABLES.get(made[2].removeprefix(prefix), f"The table {made[2]}."))

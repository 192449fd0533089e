"""The problems that ranking.check finds: a file for each in `sql/checks/`, read once.

The head of a file has the message, the meaning and these fields. `Place` is that in the order of rows.
`Severity` has the lowest shares count / of, as in "error from 0.5, warning", or is `tested`. `Of` is the unit
of the column `of`. `Needs` is the argument without which there is no check. `Write` is the advice. Below is a
SELECT of expressions over a pass of the check, or a query.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from ..folder import folder
from ..texts import with_unit
from .columns import COMMAND, PYTHON, SQL, written

# The sources of a SELECT, and its columns; sql/tables/internal/check.jinja explains both.
PASSES = ("columns", "user_lists", "cuts", "pairs", "users", "served", "matched", "evidence")
COLUMNS = "count|total|of|severity|k|column_name|user|item|items|userid|itemid|value|example|problem|row"
SELECT = re.compile(rf"SELECT\s(.*)\sFROM ({'|'.join(PASSES)})(?:\s+HAVING (.*))?", re.DOTALL)
FIELD = re.compile(r"[; ]*\b(Place|Severity|Of|Needs|Write): ")
# The forms in which ids may differ, in the order in which they are removed: SQL that writes an `id` without
# it, and advice in words.
FORMS = {
    "Unicode": ("nfc_normalize(id)", "use NFC"),
    "blanks": (r"regexp_extract(id, '^[\s\pZ\pC]*(.*?)[\s\pZ\pC]*$', 1)", "trim them"),
    "exponents": (
        r"coalesce(format('{:.0f}', TRY_CAST(regexp_extract(id, '^\d[\d.]*[eE]\+?\d\d?$') AS DOUBLE)), id)",
        "write all digits",
    ),
    "decimals": (r"regexp_replace(id, '^(-?\d+)\.0+$', '\1')", "remove .0 at the end"),
    "signs": (
        r"coalesce((TRY_CAST(regexp_extract(id, '^-\d+$') AS HUGEINT) + 18446744073709551616)::VARCHAR, id)",
        "read 64 bits without a sign",
    ),
    "lengths": ("left(id, cut)", "do not cut them"),  # `cut` is the length of all ids of one table
    "zeros": ("ltrim(id, '0')", "remove leading zeros"),
    "case": ("lower(id)", "use lower case"),
}


class Entry(NamedTuple):
    """A SELECT of a problem: the pass, the expressions by name, and the condition of the whole."""

    source: str
    columns: Mapping[str, str]
    condition: str


@dataclass(frozen=True)
class Problem:
    """A kind of problem."""

    code: str
    text: str  # with {user}, {item} etc. for names of columns, {column} for the row's, {k}, and {units}
    meaning: str
    place: int
    severity: str
    counted: str | None
    needs: str | None
    write: str | None
    body: str

    @property
    def sentence(self) -> str:
        """The text with the word for users."""
        return with_unit(self.text)

    @property
    def about(self) -> str:
        """The table: rec, truth or history."""
        about = self.text.partition(":")[0]
        return about if about in ("truth", "history") else "rec"

    @cached_property
    def shares(self) -> list[float | None]:
        """The lowest shares of an error and of a warning: 0 is always, and None never."""
        patterns = (rf"{severity}(?: from (\S+?))?(?:,|$)" for severity in ("error", "warning"))
        found = [re.search(pattern, self.severity) for pattern in patterns]
        return [float(match[1] or 0) if match else None for match in found]

    @cached_property
    def has_query(self) -> bool:
        """True for a problem with a query of its own."""
        return not self.entries and "FROM columns" not in self.body

    @cached_property
    def entries(self) -> Sequence[Entry]:
        """The SELECTs of expressions; none for a query of its own."""
        entries = []
        for text in self.body.split("\nUNION ALL\n"):
            if not (select := SELECT.fullmatch(text.strip())) or select[2] == "columns":
                return ()
            texts = re.split(rf"\sAS ({COLUMNS})(?:,\s*|\Z)", select[1].strip())
            columns = {name: sql.strip() for sql, name in zip(texts[::2], texts[1::2], strict=False)}
            entries.append(Entry(select[2], columns, select[3] or ""))
        return entries

    def advice(self, way: str, given: Sequence[str] = ()) -> str | None:
        """Return the advice in SQL, the command or Python, without clauses on options that are given."""
        forms = "; ".join(f"{name}: {form[way != SQL]}" for name, form in FORMS.items())
        return written(with_unit(self.write or "").replace("FORMS", forms), way, given) or None

    @property
    def line(self) -> str:
        """Row of ranking.check_codes as a string."""
        shares = (None if share is None else f"{share:g}" for share in self.shares)
        advice = map(self.advice, (SQL, COMMAND, PYTHON))
        tested = "tested" if self.severity == "tested" else ""
        cells = (self.code, self.about, self.needs, self.counted, *shares, tested, self.sentence, *advice)
        return " | ".join(cell or "" for cell in cells)


def read_problem(code: str, text: str) -> Problem:
    """Parse the file of a problem."""
    head, body = re.fullmatch(r"((?:--[^\n]*\n)+)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    sentence, *lines = [line.removeprefix("--").strip() for line in head.splitlines()]
    meaning, *names = FIELD.split(" ".join(lines))
    fields = {name: value.strip() for name, value in zip(names[::2], names[1::2], strict=True)}
    counted, needs, write = map(fields.get, ("Of", "Needs", "Write"))
    place, severity = int(fields["Place"]), fields["Severity"]
    return Problem(code, sentence, meaning, place, severity, counted, needs, write, body)


@cache
def problems() -> dict[str, Problem]:
    """Return all problems by code, in the order of the rows of ranking.check."""
    files = [file for file in folder().joinpath("checks").iterdir() if file.name.endswith(".sql")]
    found = [read_problem(file.name[:-4], file.read_text(encoding="utf-8")) for file in files]
    return {problem.code: problem for problem in sorted(found, key=lambda problem: problem.place)}

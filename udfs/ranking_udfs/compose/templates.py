"""The SQL templates in the folder `sql/`, and the environment that loads them."""

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from ..folder import read
from ..quoting import Double, sql_value
from ..quoting import identifier as quoted_name
from ..quoting import literal as quoted_text
from ..texts import with_unit
from .columns import cut

if TYPE_CHECKING:
    from jinja2 import Environment


NEWLINE = "\ue010"  # replaces line breaks in quoted names and values during indentation


class Sql(str):
    """SQL in place of a string: the filter `literal` leaves it as it is, such as a parameter of a macro."""

    __slots__ = ()


def identifier(name: str) -> str:
    return quoted_name(name).replace("\n", NEWLINE)


def literal(text: str) -> str:
    return text if isinstance(text, Sql) else quoted_text(text).replace("\n", NEWLINE)


def by_bytes(name: str, kind: str | None = None) -> str:
    """Return a column whose strings are compared by their bytes, whatever its collation.

    In SQL, its type is unknown: None. The inner CASE saves DuckDB 1.5 a cast of all other ids.
    """
    column = identifier(name)
    if kind is not None:
        return f"{column} COLLATE C" if kind == "VARCHAR" else column
    is_text = f"typeof([{column}]) = 'VARCHAR[]'"
    both = f"{{'text': CASE WHEN {is_text} THEN {column}::VARCHAR END COLLATE C, 'same': {column}}}"
    return f"struct_extract({both}, CASE WHEN {is_text} THEN 'text' ELSE 'same' END)"


@cache
def environment() -> "Environment":
    """Return the environment that loads templates by path below `sql/`. The first call imports Jinja2."""
    from jinja2 import Environment, StrictUndefined

    from .compiled import bytecode_cache, loader

    loaded = Environment(
        loader=loader(source),
        bytecode_cache=bytecode_cache(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    loaded.filters |= {
        "by_bytes": by_bytes,
        "choose": choose,
        "coalesce": coalesce,
        "cut": cut,
        "identifier": identifier,
        "indent": indented,
        "literal": literal,
        "normal": normal,
        "nulls": nulls,
        "value": sql_value,
    }
    loaded.globals["with_unit"] = with_unit
    return loaded


def choose(option: str, **choices: str) -> str:
    """Return the SQL for an option's value; for the SQL of an option, a CASE of all its values."""
    if isinstance(option, Sql):
        whens = (f"WHEN {quoted_text(value)} THEN {sql or 'NULL'}" for value, sql in choices.items())
        return f"CASE {option} {' '.join(whens)} END"
    return choices[option]


def coalesce(value: float | str | None, default: float) -> float | str:
    """Return a number, or the default for None; for the SQL of a number, SQL that does the same."""
    if isinstance(value, str):
        return f"coalesce({value}, {Double(default)})"
    return Double(default if value is None else value)


def nulls(names: Iterable[str]) -> str:
    """Return columns of NULL with these names, each once."""
    once = {name.lower(): name for name in names}
    return ", ".join(f"NULL AS {identifier(name)}" for name in once.values())


def normal(p: float) -> float:
    """Return the value that a normal variable exceeds in size with this probability: 1.96 for 0.05."""
    from statistics import NormalDist

    return Double(-NormalDist().inv_cdf(p / 2))


def module(path: str) -> Any:
    """Return the macros of a file."""
    return environment().get_template(path).module


def indented(text: str, width: int = 4) -> str:
    """Indent all lines except the first. Jinja2's own filter would split lines at other characters, too."""
    return text.replace("\n", "\n" + " " * width)


def source(path: str) -> str:
    """Return the template in a file: without the signature of a table function, or the head of a problem."""
    text = read(path).rpartition(" AS TABLE\n")[2]
    return re.sub(r"\A(--.*\n)+", "", text) if path.startswith("checks/") else text


def render(path: str, of: Any) -> str:
    """Render the template of a table function for a call, without empty lines."""
    text = environment().get_template(path).render(of=of)
    return re.sub(r"\s*\n(\s*\n)*", "\n", text).strip("\n").replace(NEWLINE, "\n")

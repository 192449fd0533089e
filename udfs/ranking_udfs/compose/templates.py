"""The SQL templates in the folder `sql/`, and the environment that loads them."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from ..folder import read
from ..quoting import identifier as quoted_name
from ..quoting import literal as quoted_text
from .columns import cut

if TYPE_CHECKING:
    from jinja2 import Environment


NEWLINE = "\ue010"  # replaces line breaks in quoted names and values during indentation


def identifier(name: str) -> str:
    return quoted_name(name).replace("\n", NEWLINE)


def literal(text: str) -> str:
    return quoted_text(text).replace("\n", NEWLINE)


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
    from jinja2 import StrictUndefined

    from .compiled import bytecode_cache, loader
    from .symbols import SymbolEnvironment

    loaded = SymbolEnvironment(
        loader=loader(source),
        bytecode_cache=bytecode_cache(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    loaded.filters |= {
        "indent": unless_symbol(indented),
        "identifier": by_symbol(identifier, "_ranking_identifier"),
        "by_bytes": by_bytes,
        "literal": by_symbol(literal, "_ranking_literal"),
        "cut": by_symbol(cut, "_ranking_cut"),
    }
    return loaded


def module(path: str) -> Any:
    """Return the macros of a file."""
    return environment().get_template(path).module


def by_symbol(written: Callable[[str], str], macro: str) -> Callable[[Any], Any]:
    """Return a filter that applies `written` to a string, and the equivalent macro to a Symbol."""
    from .symbols import Symbol

    return lambda value: Symbol(f"{macro}({value.sql})") if isinstance(value, Symbol) else written(value)


def indented(text: str, width: int = 4) -> str:
    """Indent all lines except the first. Jinja2's own filter would split lines at other characters, too."""
    return text.replace("\n", "\n" + " " * width)


def unless_symbol(written: Callable[..., str]) -> Callable[..., Any]:
    from .symbols import Symbol

    return lambda value, *arguments: value if isinstance(value, Symbol) else written(value, *arguments)


def source(path: str) -> str:
    """Return the template in a file; for a table function, the part after its signature."""
    return read(path).rpartition(" AS TABLE\n")[2]


def render(path: str, of: Any) -> str:
    """Render the template of a table function for a call, without empty lines."""
    text = environment().get_template(path).render(of=of)
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip()).replace(NEWLINE, "\n")

"""The templates of SQL, in the folder `sql/`, and the one environment that loads them."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from ..folder import read
from ..quoting import identifier as quoted_name
from ..quoting import literal as quoted_text
from .columns import cut

if TYPE_CHECKING:
    from jinja2 import Environment


NEWLINE = "\ue010"  # in quoted names and values, while the lines around them are indented


def identifier(name: str) -> str:
    return quoted_name(name).replace("\n", NEWLINE)


def literal(text: str) -> str:
    return quoted_text(text).replace("\n", NEWLINE)


@cache
def environment() -> "Environment":
    """Return what loads templates by their paths below `sql/`. Jinja2 is imported here, on the first call."""
    from jinja2 import StrictUndefined

    from .compiled import Kept, loader
    from .symbols import SymbolEnvironment

    made = SymbolEnvironment(
        loader=loader(source),
        bytecode_cache=Kept(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.filters |= {
        "indent": unless_symbol(indented),
        "identifier": by_symbol(identifier, "_ranking_identifier"),
        "literal": by_symbol(literal, "_ranking_literal"),
        "cut": by_symbol(cut, "_ranking_cut"),
    }
    return made


def module(path: str) -> Any:
    """Return the macros of a file."""
    return environment().get_template(path).module


def by_symbol(written: Callable[[str], str], macro: str) -> Callable[[Any], Any]:
    """Return what writes a text, and what is a Symbol by the macro that does the same."""
    from .symbols import Symbol

    return lambda value: Symbol(f"{macro}({value.sql})") if isinstance(value, Symbol) else written(value)


def indented(text: str, width: int = 4) -> str:
    """Indent all lines but the first. The filter of Jinja2 would also split lines at other characters."""
    return text.replace("\n", "\n" + " " * width)


def unless_symbol(written: Callable[..., str]) -> Callable[..., Any]:
    from .symbols import Symbol

    return lambda value, *arguments: value if isinstance(value, Symbol) else written(value, *arguments)


def source(path: str) -> str:
    """Return the template of a file: of a table function, what stands behind its signature."""
    return read(path).rpartition(" AS TABLE\n")[2]


def render(path: str, of: Any) -> str:
    """Return the text that the template of a table function makes of a call, without empty lines."""
    text = environment().get_template(path).render(of=of)
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip()).replace(NEWLINE, "\n")

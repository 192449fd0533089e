"""Render the formula of a measure as SQL, from its template in `sql/measures/` and its options.

The formula is an expression over the columns of the CTE `cut`, which has judged rankings cut at rank k. The
columns are `CUT`, or `TIED` for expected values over all orders of tied items.
"""

from collections.abc import Mapping
from typing import Any

from ..measures.grammar import Choice
from ..measures.registry import Measure
from ..quoting import Double
from .templates import environment

CUT = ("k", "top", "n_relevant", "n_hits", "hits", "grades", "seen", "ideal", "log2_ideal")
TIED = ("k", "top", "n_relevant", "n_hits", "grades", "ideal", "log2_ideal", "ties")


def formula(choice: Choice, expected: bool) -> str:
    """Return the formula of a measure with its options: a DOUBLE, or an error if grades are not valid."""
    return render_formula(choice.measure, choice.options, expected)


def render_formula(measure: Measure, options: Mapping[str, Any], expected: bool) -> str:
    """Render the formula with values of the options, or with Symbols for them.

    The template's macro `value` is the formula. For the expected value over ties, the macro `expected` is
    used if there is one, otherwise `value`, with `tied` true if it has this argument. The macro `problem` is
    an error text.
    """
    if expected and not measure.expected:
        raise ValueError(f"ties: {measure.name} has no expected value over ties in closed form")
    macros = macros_of(measure)
    value = getattr(macros, "expected", macros.value) if expected else macros.value
    # The columns already depend on min_grade.
    options = {
        name: Double(option) if isinstance(option, float) else option
        for name, option in options.items()
        if name != "min_grade"
    }
    sql = f"({value(**options, **({'tied': expected} if 'tied' in value.arguments else {}))})::DOUBLE"
    problem = macros.problem(**options) if hasattr(macros, "problem") else ""
    return f"coalesce(error('ranking.{measure.name}: ' || {problem})::INTEGER, 1) * {sql}" if problem else sql


def macros_of(measure: Measure) -> Any:
    return environment().get_template(f"measures/{measure.name}.sql").module

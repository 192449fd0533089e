"""The formula of a measure as SQL, of its template in `sql/measures/` and its options.

It is an expression over the columns of the CTE `cut`, of judged rankings that are cut at rank k: those of
`CUT`, or of `TIED`, from which expected values over all orders of tied items follow.
"""

from collections.abc import Mapping
from typing import Any

from ..measures.grammar import Choice
from ..measures.registry import Measure
from .templates import environment

CUT = ("k", "top", "n_relevant", "n_hits", "hits", "grades", "seen", "ideal", "log2_ideal")
TIED = ("k", "top", "n_relevant", "n_hits", "grades", "ideal", "log2_ideal", "ties")


def formula(choice: Choice, expected: bool) -> str:
    """Return the formula of a measure with its options: a DOUBLE, or an error where grades do not fit."""
    return render_formula(choice.measure, choice.options, expected)


def render_formula(measure: Measure, options: Mapping[str, Any], expected: bool) -> str:
    """Render the formula with values of the options, or with Symbols in their place.

    The macro `value` of the template has it; that of the expected value over ties too, with `tied` true where
    it takes that, unless the template has the macro `expected`. Its macro `problem` is an error text.
    """
    if expected and not measure.expected:
        raise ValueError(f"ties: {measure.name} has no expected value over ties in closed form")
    macros = macros_of(measure)
    value = getattr(macros, "expected", macros.value) if expected else macros.value
    options = {name: given for name, given in options.items() if name != "min_grade"}  # in the columns
    sql = f"({value(**options, **({'tied': expected} if 'tied' in value.arguments else {}))})::DOUBLE"
    problem = macros.problem(**options) if hasattr(macros, "problem") else ""
    return f"coalesce(error('ranking.{measure.name}: ' || {problem})::INTEGER, 1) * {sql}" if problem else sql


def macros_of(measure: Measure) -> Any:
    return environment().get_template(f"measures/{measure.name}.sql").module

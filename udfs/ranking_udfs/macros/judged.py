"""Build the macros of measures over judged rankings for clients without Python, with formulas in SQL."""

import re
from collections.abc import Mapping
from math import isfinite

from ..compose.measures import CUT, render_formula
from ..compose.templates import Sql, environment, module
from ..duckdb.functions import JUDGED
from ..measures.registry import Measure, Number, Option

# The fields from which the columns of `cut` are computed, in addition to k and n_seen.
LIST = ("ranks", "judged_grades", "ideal", "size")


def measure_macro(measure: Measure) -> str:
    """Return the statement that creates the macro of a measure."""
    options = {name: option for name, option in measure.options.items() if name != "min_grade"}
    numbers = {name: option for name, option in options.items() if isinstance(option, Number)}
    of_options = {
        name: Sql(f"TRY_CAST(option_{name} AS DOUBLE)" if name in numbers else f"option_{name}::VARCHAR")
        for name in options
    }
    formula = render_formula(measure, of_options, expected=False)
    formula = over(formula, {name: f"_ranking_of.{name}" for name in CUT})
    n_seen = module("measures/internal/cut.jinja").n_seen("_ranking_given.judged.ranks")
    facts = {
        "measure": measure.name,
        "judged_type": JUDGED,
        "options": {name: default(option) for name, option in measure.options.items()},
        "rules": [(name, option, holds(name, option)) for name, option in measure.options.items()],
        "pairs": [(name, *option.only_with) for name, option in numbers.items() if option.only_with],
        "columns": {name: column(name) for name in CUT},
        "n_seen": over(n_seen, {"k": "_ranking_given.k"}),
        # An option can have the name of a column.
        "formula": over(formula, {f"option_{name}": name for name in options}),
    }
    return environment().get_template("measures/internal/measure.jinja").render(facts)


def column(name: str) -> str:
    """Return the SQL of a column of `cut`, over the fields of `_ranking_cut`."""
    if name == "log2_ideal":
        return "NULL::DOUBLE"  # For one list, a table of constants is not faster.
    computed = getattr(module("measures/internal/cut.jinja"), name, lambda: name)()
    return over(computed, {field: f"_ranking_cut.{field}" for field in (*LIST, "k", "n_seen")})


def over(sql: str, names: Mapping[str, str]) -> str:
    """Replace names in SQL by other SQL, except in quotes and as fields."""
    pattern = rf"'(?:[^']|'')*'|(?<![\w.])({'|'.join(names) or '(?!)'})\b"
    return re.sub(pattern, lambda match: names[match[1]] if match[1] else match[0], sql)


def default(option: Option) -> str:
    """Return the default over judged rankings as SQL: NULL if it depends on another option."""
    if isinstance(option, Number):
        return "NULL" if option.default is None or option.only_with else f"{option.default:g}"
    return f"'{option.of_judged}'"


def holds(name: str, option: Option) -> str:
    """Return the SQL condition for valid values of an option."""
    if not isinstance(option, Number):
        return f"{name}::VARCHAR IN ({', '.join(map(repr, str(option).split('|')))})"
    number = f"TRY_CAST({name} AS DOUBLE)"
    bounds = [(">=", option.at_least), (">", option.above), ("<=", option.at_most), ("<", option.below)]
    rules = [f"{number} {sign} {bound:g}" for sign, bound in bounds if isfinite(bound)]
    rules += [f"{number} < 'inf'"] * (option.at_most == option.below)
    return f"{name} IS NULL OR " * (default(option) == "NULL") + " AND ".join(rules)

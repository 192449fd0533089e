"""Parts of macros that no file holds, made when the files are read.

These are the public macro of a measure around its formula, by what the registry knows of its options; and, in
place of words in capitals, what many table functions have in common, and what SQL knows of the measures.
"""

import re
from collections.abc import Container, Iterator, Mapping
from math import isfinite

from ..compose.arguments import OWN_NAMES
from ..compose.columns import LIKE, NEAR, NUMBER, PLAIN_NUMBER
from ..compose.measures import CUT, render_formula
from ..folder import folder, read
from ..measures.contents import BY_USER, CONTENTS
from ..measures.grammar import SPELLINGS
from ..measures.registry import COMPARED_MEASURES, MEASURES, Measure, Number, Option
from ..quoting import sql_value

# Of ranking_overlap_by_user: of these, as of what is in the lists, neither side is better.
OVERLAPS = ("overlap", "jaccard", "rbo", "same_first", "same_list")
# The aggregates over predictions of which lower is better.
ERRORS = ("mae", "mse", "rmse", "logloss")


def formula_macros() -> dict[str, str]:
    """Return the macros of the formulas: over columns, and over the same as the fields of a struct."""
    found: dict[str, str] = {}
    for measure in MEASURES.values():
        if folder().joinpath(f"measures/ranking_{measure.name}.sql").is_file():  # the generator says so
            found |= formulas_of(measure)
    return found


def formulas_of(measure: Measure) -> dict[str, str]:
    """Return those macros of one measure."""
    from ..compose.symbols import Symbol, expression

    options = {name: one for name, one in measure.options.items() if name != "min_grade"}
    symbols = {
        name: Symbol(
            f"TRY_CAST(option_{name} AS DOUBLE)" if isinstance(one, Number) else f"option_{name}::VARCHAR"
        )
        for name, one in options.items()
    }
    sql = expression(render_formula(measure, symbols, expected=False))
    columns = [name for name in CUT if re.search(rf"(?<!\.)\b{name}\b", sql)]
    name = f"_ranking_{measure.name}"
    parameters = ", ".join([*columns, *(f"option_{one}" for one in options)])
    of_struct = ", ".join(["ranking", *(f"{one} := {default(rule)}" for one, rule in options.items())])
    passed = ", ".join([*(f"ranking.{column}" for column in columns), *options])
    return {
        f"{name}_of": f"CREATE OR REPLACE TEMP MACRO {name}_of({parameters}) AS\n{sql};\n",
        name: f"CREATE OR REPLACE TEMP MACRO {name}({of_struct}) AS\n{name}_of({passed});\n",
    }


def around_formulas(found: Container[str], template: str) -> dict[str, str]:
    """Return the public macro of each measure whose formula was found."""
    return {
        f"ranking_{name}": head(measure) + around_formula(measure, template)
        for name, measure in MEASURES.items()
        if f"_ranking_{name}" in found
    }


def head(measure: Measure) -> str:
    """Return the comment above a formula with what the registry says: what the measure does and returns."""
    comment = "".join(re.findall(r"\A(?:--.*\n)*", read(f"measures/ranking_{measure.name}.sql")))
    where = "" if measure.empty.lacking else "where truth is empty, "
    returns = f"DOUBLE, {measure.range_text}; {where}{measure.empty}; NULL for NULL"
    return f"-- {measure.description}\n--\n" + re.sub(
        "-- Example:( +)", rf"-- Returns:\1{returns}\n\g<0>", comment
    )


def around_formula(measure: Measure, template: str) -> str:
    options = [name for name in measure.options if name != "min_grade"]
    arguments = "".join(f", {name}" for name in options)
    problems = [option_problem(name, measure.options[name]) for name in options]
    problems += [text for name, one in measure.options.items() for text in pairing_problem(name, one)]
    sql = {
        ", PARAMETERS": "".join(f", {name} := {default(one)}" for name, one in measure.options.items()),
        ", MIN_GRADE": ", min_grade" if "min_grade" in measure.options else "",
        "PROBLEM": f"coalesce({', '.join(problems)})" if len(problems) > 1 else "".join(problems) or "NULL",
        ", OPTIONS": arguments,
        "MEASURE": measure.name,
    }
    return re.sub("|".join(sql), lambda placeholder: sql[placeholder[0]], template)


def default(option: Option) -> str:
    """Return the default over judged rankings as SQL: NULL where another option decides."""
    if isinstance(option, Number):
        return "NULL" if option.default is None or option.only_with else f"{option.default:g}"
    return f"'{option.of_judged}'"


def option_problem(name: str, option: Option) -> str:
    """Return the SQL of the error text of a wrong value; it is NULL for a right one."""
    if isinstance(option, Number):
        number = f"TRY_CAST({name} AS DOUBLE)"
        bounds = [(">=", option.at_least), (">", option.above), ("<=", option.at_most), ("<", option.below)]
        rules = [f"{number} {sign} {bound:g}" for sign, bound in bounds if isfinite(bound)]
        rules += [f"{number} < 'inf'"] * (option.at_most == option.below)
        holds = f"{name} IS NULL OR " * (default(option) == "NULL") + " AND ".join(rules)
    else:
        holds = f"{name}::VARCHAR IN ({', '.join(map(repr, str(option).split('|')))})"
    return f"_ranking_option('{name}', {name}, '{option}', {holds})"


def pairing_problem(name: str, option: Option) -> Iterator[str]:
    """Yield the SQL of the error text of an option without the other one that it needs."""
    if isinstance(option, Number) and option.only_with:
        other, value = option.only_with
        is_wrong = f"{name} IS NOT NULL AND {other}::VARCHAR <> '{value}'"
        said = f"'{name} must go with {other}={value}, got it with {other}=' || {other}::VARCHAR"
        yield f"CASE WHEN {is_wrong} THEN {said} END"


def shared_words(judged: str) -> dict[str, str]:
    """Return the text of each word in capitals, whose origin is the macro ranking_judged.

    So an argument that all of them take is written in its signature, and reaches every place that names it.
    """
    signature = " ".join(judged[judged.index("MACRO ranking_judged") : judged.index(" AS TABLE")].split())
    columns, judging = re.findall(r"(user_col := .*?), (min_grade := .*)\)$", signature)[0]
    names = ", ".join(argument_names(columns))

    def as_texts(arguments: str) -> str:
        return ", ', ', ".join(f"_ranking_as_text({name})" for name in argument_names(arguments))

    return {
        "COLUMNS_AS_TEXTS": as_texts(columns),
        "JUDGING_AS_TEXTS": as_texts(judging),
        "COLUMN_ARGUMENTS": columns,
        "REC_COLUMN_ARGUMENTS": columns.replace("grade_col := NULL, ", ""),
        "COLUMN_NAMES": names,
        "REC_COLUMN_NAMES": names.replace("grade_col", "''"),
        "JUDGING_ARGUMENTS": judging,
        "JUDGING": ", ".join(argument_names(judging)),
    }


def argument_names(arguments: str) -> list[str]:
    """Return the names in a signature such as `k := 10, ties := 'item'`."""
    return re.findall(r"(\w+) :=", arguments)


def with_words(text: str, words: Mapping[str, str]) -> str:
    """Replace the words in capitals by their texts."""
    return re.sub(rf"\b(?:{'|'.join(words)})\b", lambda word: words[word[0]], text)


def registry_words() -> dict[str, str]:
    """Return the text of each word in capitals that the registry knows."""
    return {
        "KNOWN_MEASURES": known_measures(),
        "COMPARED_MEASURES": f"'{','.join(COMPARED_MEASURES)}'",
        "COLUMN_MEASURES": sql_value([name for name, one in MEASURES.items() if one.column]),
        "EXPECTED_MEASURES": sql_value([name for name, one in MEASURES.items() if one.expected]),
        "PLAIN_NUMBER": PLAIN_NUMBER,
        "OWN_NAMES": sql_value(sorted(OWN_NAMES)),
        "CONTENTS_COLUMNS": contents_columns(),
        "NEAR_COLUMNS": "\n".join(f"WHEN '{name}' THEN '{named(one)}'" for name, one in NEAR.items()),
        "LIKE_SYSTEMS": f"'{named(LIKE['systems'])}'",
        "LIKE_RUNS": f"'{named(LIKE['runs'])}'",
        "LIKE_GRADES": f"'{named(LIKE['grades'])}{NUMBER},'",
    }


def named(pattern: str) -> str:
    """Return the pattern of such a name of a column in what _ranking_column_texts gives."""
    return f'(?i), "?({pattern})"? '


def known_measures() -> str:
    """Return what a comparison asks of each measure, by each of its names: a text that becomes a MAP."""
    rows = [(name, one.name, one.higher_is_better, one.range.is_share) for name, one in SPELLINGS.items()]
    rows += [(one.name, "NULL", None, one.range.high == 1) for one in BY_USER]
    rows += [(name, "NULL", None, True) for name in OVERLAPS]
    rows += [(name, "NULL", False, False) for name in ERRORS]
    words = {True: "true", False: "false", None: "NULL"}
    pairs = (
        f"{name}={{measure: {known_as}, higher_is_better: {words[higher]}, is_share: {words[share]}}}"
        for name, known_as, higher, share in rows
    )
    return f"'{{{', '.join(pairs)}}}'"


def contents_columns() -> str:
    """Return which columns of ranking_beyond_accuracy are there, by the tables they need: WHENs of a CASE."""
    by_tables: dict[tuple[str, ...], list[str]] = {}
    for one in CONTENTS.values():
        by_tables.setdefault(one.arguments[1:], []).append(f"'{one.name}'")
    return " ".join(
        f"WHEN name IN ({', '.join(names)}) THEN "
        + " AND ".join(f"({' IS NOT NULL OR '.join(table.split(' or '))} IS NOT NULL)" for table in tables)
        for tables, names in by_tables.items()
        if tables
    )

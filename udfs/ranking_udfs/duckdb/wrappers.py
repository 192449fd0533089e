"""Parts of macros that no file holds, made when the files are read.

These are the public macro of a measure around its formula, by what the registry knows of its options; and, in
place of words in capitals, what many table functions have in common, and what SQL knows of the measures.
"""

import re
from collections.abc import Container, Iterator, Mapping
from math import isfinite

from ..measures.contents import BY_USER, CONTENTS
from ..measures.grammar import SPELLINGS
from ..measures.registry import COMPARED_MEASURES, MEASURES, Measure, Number, Option

# Of ranking_overlap_by_user: of these, as of what is in the lists, neither side is better.
OVERLAPS = ("overlap", "jaccard", "rbo", "same_first", "same_list")
# The aggregates over predictions of which lower is better.
ERRORS = ("mae", "mse", "rmse", "logloss")

# Names of columns, as regular expressions, that change every number if they are not read: grades in truth,
# and what makes one list of several in rec.
LIKE = {
    "grades": "(?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|"
    "weight|value",
    "systems": "(?:model|algorithm|algo|variant|recommender|method|experiment|strategy|arm)"
    "(?:_?(?:id|name))?",
    "runs": "(?:run|(?:random_?)?seed|trial|fold|repeat|repetition)s?(?:_?(?:id|name|no|nr|number))?",
}
NUMBER = "(?:U?[A-Z]*INT|INTEGER|DECIMAL|FLOAT|DOUBLE|BOOLEAN)"  # as grades have to be
ID = "(?:[-_]?(?:id|no|nr|number|key|code))?"
# Those to suggest where a column is not there, by the argument that would name them.
NEAR = {
    "user_col": f"[uq]id|(?:user|usr|customer|cust|client|member|visitor|account|person|query|topic){ID}",
    "item_col": "[ip]id|(?:item|product|prod|article|sku|document|doc|corpus|chunk|passage|movie|song|track|"
    f"book|offer){ID}",
    "score_col": "(?:model_?)?(?:scores?|predictions?|predicted|preds?|prob(?:ability)?|p|y_?hat|y_pred|"
    "similarity|sim|logits?|confidence)|(?:predicted_?|est(?:imated)?_?)?ratings?|rank(?:ing)?|position|place",
    "grade_col": f"rel|{LIKE['grades']}",
    "system_col": f"system|{LIKE['systems']}",
    "intent_col": f"(?:intent|sub_?topic|aspect|facet|category|genre|iteration){ID}",
}


def around_formulas(found: Mapping[str, tuple[str, str]], template: str) -> dict[str, str]:
    """Return the public macro of each measure whose formula was found.

    What only a ranking can tell of a wrong call, `_ranking_NAME_problem` says, where a file has that.
    """
    return {
        f"ranking_{name}": head(measure, found[f"_ranking_{name}"][0].partition("CREATE")[0])
        + around_formula(measure, f"_ranking_{name}_problem" in found, template)
        for name, measure in MEASURES.items()
        if f"_ranking_{name}" in found
    }


def around_weights(found: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the formula of the expected value of each measure that weighs hits by their ranks alone.

    It says what is wrong with grades itself, as the public macro around a formula does.
    """
    expected = {}
    for name in MEASURES:
        text, room = found.get(f"_ranking_{name}", ("", ""))
        if "_ranking_weights(" in text:
            signature, formula = text[text.index("CREATE") :].rstrip(";\n").split(" AS\n", 1)
            if f"_ranking_{name}_problem" in found:
                problem = f"_ranking_{name}_problem({', '.join(['ranking', *argument_names(signature)])})"
                formula = f"coalesce(error('ranking_{name}: ' || {problem})::INTEGER, 1) * {formula}"
            signature = signature.replace("MACRO _ranking_", "MACRO _ranking_expected_")
            formula = formula.replace("_ranking_weights(", "_ranking_expected_weights(")
            expected[f"_ranking_expected_{name}"] = (f"{signature} AS\n{formula};\n", room)
    return expected


def head(measure: Measure, comment: str) -> str:
    """Return the comment above a formula with what the registry says: what the measure does and returns."""
    where = "" if measure.empty.lacking else "where truth is empty, "
    returns = f"DOUBLE, {measure.range_text}; {where}{measure.empty}; NULL for NULL"
    return f"-- {measure.description}\n--\n" + re.sub(
        "-- Example:( +)", rf"-- Returns:\1{returns}\n\g<0>", comment
    )


def around_formula(measure: Measure, has_problem: bool, template: str) -> str:
    options = [name for name in measure.options if name != "min_grade"]
    arguments = "".join(f", {name}" for name in options)
    problems = [option_problem(name, measure.options[name]) for name in options]
    problems += [text for name, one in measure.options.items() for text in pairing_problem(name, one)]
    problems += [f"_ranking_{measure.name}_problem(_ranking_view.ranking{arguments})"] * has_problem
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


def registry_words(found: Container[str]) -> dict[str, str]:
    """Return the text of each word in capitals that the registry knows; `found` are the names of macros."""
    return {
        "MEASURE_OPTIONS": measure_options(found),
        "KNOWN_MEASURES": known_measures(),
        "COMPARED_MEASURES": f"'{','.join(COMPARED_MEASURES)}'",
        "CONTENTS_COLUMNS": contents_columns(),
        "NEAR_COLUMNS": "\n".join(f"WHEN '{name}' THEN '{named(one)}'" for name, one in NEAR.items()),
        "LIKE_SYSTEMS": f"'{named(LIKE['systems'])}'",
        "LIKE_RUNS": f"'{named(LIKE['runs'])}'",
        "LIKE_GRADES": f"'{named(LIKE['grades'])}{NUMBER},'",
    }


def named(pattern: str) -> str:
    """Return the pattern of such a name of a column in what _ranking_column_texts gives."""
    return f'(?i), "?({pattern})"? '


def measure_options(found: Container[str]) -> str:
    """Return the options of each measure and the macro of its expected value, a text that becomes a MAP."""
    lines = []
    for name, measure in MEASURES.items():
        if f"_ranking_{name}" not in found:  # the generator says so
            continue
        # A measure that reads no more of the hits than their number needs no formula of its own for it.
        own = f"_ranking_expected_{name}"
        expected = own if own in found else f"_ranking_{name}"
        rules = ", ".join(f'{option}="{rule_text(rule)}"' for option, rule in measure.options.items())
        lines.append(
            f"{name}={{expected: {expected if measure.expected else 'NULL'}, "
            f"is_column: {str(measure.column).lower()}, options: {{{rules}}}}}"
        )
    return f"'{{{', '.join(lines)}}}'"


def rule_text(rule: Option) -> str:
    """Return the rule of an option, its default first: `truth|min`, `a number > 1, with gain=graded`."""
    only_with = rule.only_with if isinstance(rule, Number) else None
    return str(rule) + (f", with {'='.join(only_with)}" if only_with else "")


def known_measures() -> str:
    """Return what a comparison asks of each measure, by each of its names: a text that becomes a MAP."""
    rows = [
        (name, one.name, one.higher_is_better, one.range.low >= 0 and one.range.high <= 1)
        for name, one in SPELLINGS.items()
    ]
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

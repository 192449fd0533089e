"""Parts of macros that no file holds, made when the files are read.

These are the public macro of a measure around its formula, by what the registry knows of its options; and, in
place of words in capitals, what many table functions have in common, and what SQL knows of the measures.
"""

import re
from collections.abc import Mapping

from ..compose.arguments import OWN_NAMES
from ..compose.columns import LIKE, NEAR, NUMBER, PLAIN_NUMBER
from ..compose.comparison import KEYS, KNOWN, LOWER
from ..compose.judged import measure_macro
from ..compose.problems import PROBLEMS
from ..folder import folder, read
from ..measures.registry import COMPARED_MEASURES, MEASURES, Measure
from ..quoting import literal, sql_value


def measure_macros() -> dict[str, str]:
    """Return the public macro of each measure that has a template (before one has, the generator says so)."""
    there = (one for one in MEASURES.values() if (folder() / f"measures/ranking_{one.name}.sql").is_file())
    return {f"ranking_{one.name}": head(one) + measure_macro(one) for one in there}


def head(measure: Measure) -> str:
    """Return the comment above a formula with what the registry says: what the measure does and returns."""
    comment = "".join(re.findall(r"\A(?:--.*\n)*", read(f"measures/ranking_{measure.name}.sql")))
    where = "" if measure.empty.lacking else "where truth is empty, "
    returns = f"DOUBLE, {measure.range_text}; {where}{measure.empty}; NULL for NULL"
    return f"-- {measure.description}\n--\n" + re.sub(
        "-- Example:( +)", rf"-- Returns:\1{returns}\n\g<0>", comment
    )


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
        "REC_COLUMNS_AS_TEXTS": as_texts(columns).replace("_ranking_as_text(grade_col)", "''''''"),
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
        "PROBLEM_LINES": literal("\n".join(one.line for one in PROBLEMS)),
        "OWN_NAMES": sql_value(sorted(OWN_NAMES)),
        "KEY_COLUMNS": sql_value(KEYS),
        "LOWER_NAMES": f"'{LOWER}'",
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
    word = {True: "true", False: "false", None: "NULL"}
    pairs = (
        f"{name}={{measure: {one or 'NULL'}, higher_is_better: {word[is_high]}, is_share: {word[is_share]}}}"
        for name, (one, is_high, is_share) in KNOWN.items()
    )
    return f"'{{{', '.join(pairs)}}}'"

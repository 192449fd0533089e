"""The one table of options: the kind, default and sentence of each, and the options of each function.

From it follow the signatures of SQL's macros and their reference, the checks, docstrings and keywords of
Python's functions, the options of the command, and the functions for Spark. Every package may import it.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

from .quoting import plain, sql_value
from .texts import did_you_mean, shorten

K = 10  # the cutoff where none is named
LARGEST = 2**31 - 1  # largest INTEGER; a larger k means the whole list
LONGEST = 10_000  # limit of the characters in measures


# --- Values and their errors ---


class Typed(NamedTuple):
    """A value of SQL whose type Python lacks, such as an INTERVAL: its type and its text."""

    kind: str
    text: str


class OptionError(ValueError):
    """A value breaks the rule of its option; `rule` follows its name, as in `must be 0 or more`."""

    def __init__(self, rule: str, value: Any, subject: str = "") -> None:
        super().__init__(f"{subject}{rule}, got {shown(value)}")
        self.rule, self.value, self.subject = rule, value, subject


def shown(value: Any) -> str:
    """Return a value as Python writes it, for an error."""
    return shorten(str(value) if isinstance(value, Decimal) else repr(value))


def shown_in_sql(value: Any) -> str:
    """Return a value as SQL writes it, for an error."""
    if isinstance(value, Typed):
        return shorten(value.text)
    if isinstance(value, (list, tuple)):
        return shorten(f"[{', '.join(map(shown_in_sql, value))}]")
    if isinstance(value, Mapping):
        return shorten(f"{{{', '.join(f'{name}={shown_in_sql(item)}' for name, item in value.items())}}}")
    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    return shorten(str(value) if is_number else sql_value(value))


# --- Kinds of values ---


@dataclass(frozen=True)
class Kind:
    """A kind of values: its type in Python, and a function that checks a value and returns it converted."""

    type: str
    check: Callable[[Any], Any] = lambda value: value
    read: Callable[[str], Any] = str  # the value of a text of the command
    words: tuple[str, ...] = ()  # all values, if these are words

    def parse(self, text: str) -> Any:
        """Return the value of a text of the command; the ValueError states the broken rule."""
        try:
            return self.check(self.read(text))
        except OptionError as error:
            raise ValueError(f"{error.subject}{error.rule}, got {text!r}".strip()) from None


def word(*words: str) -> Kind:
    """Return the kind of these words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise OptionError(f"must be {'|'.join(words)}", value)
        return value

    return Kind("str", check, words=words)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number; True and False are no numbers."""
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool) and math.isfinite(value)


def number(rule: str, holds: Callable[[Any], bool], convert: Callable[[Any], Any] = float) -> Kind:
    """Return the kind of finite numbers that obey a rule, in the form in which calls read them."""

    def check(value: Any) -> Any:
        try:
            if is_number(value) and holds(value):
                return convert(value)
        except OverflowError:
            pass
        raise OptionError(f"must be {rule}", value)

    def read(text: str) -> Any:
        try:
            return int(text) if re.fullmatch(r"\s*[+-]?\d+\s*", text) else float(text)
        except ValueError:
            return text

    return Kind("int" if convert is int else "float", check, read)


def integer(low: int, high: int | None = None) -> Kind:
    """Return the kind of integers from low to high."""
    rule = f"an integer of {low} or more" if high is None else f"an integer from {low} to {high}"
    return number(
        rule, lambda value: value == int(value) and low <= value and (high is None or value <= high), int
    )


def check_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError("must be true or false", value)
    return value


def check_column(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise OptionError("must be the name of a column", value)
    if value is not None and value.lower() in ("ranking_system", "ranking_absent"):
        raise OptionError("must be a column of another name (the SQL has one of this name)", value)
    return value


def check_named(value: Any) -> str | None:
    """Check the name of a column that a table must have."""
    if value == "":
        raise OptionError("must be the name of a column", value)
    return check_column(value)


def is_list(value: Any) -> bool:
    is_sequence = isinstance(value, (list, tuple, range, set)) and not isinstance(value, Typed)
    return is_sequence or getattr(value, "shape", ()) != ()


def check_cutoff(k: Any, subject: str = "") -> int | None:
    """Check a cutoff; None is the whole list."""
    k = plain(k)
    if k is None:
        return None
    if not is_number(k) or k != int(k):
        raise OptionError("must be an integer", k, subject)
    if k < 0:
        raise OptionError("must be 0 or more", k, subject)
    if k >= 2**63:
        raise OptionError("must be an integer below 2^63", k, subject)
    return int(k)


def check_cutoffs(value: Any) -> list[int | None]:
    """Check one cutoff or several."""
    if not is_list(value) and not is_number(plain(value)) and value is not None:
        raise OptionError("must be a list of integers", value)
    if value is None or (is_list(value) and len(value) == 0):
        raise OptionError("must be a non-empty list of cutoffs", value)
    return [check_cutoff(k, "every k in ") for k in value] if is_list(value) else [check_cutoff(value)]


def check_one_cutoff(value: Any) -> int | None:
    if is_list(value) and len(value) != 1:
        raise OptionError("must be one cutoff", value)
    return check_cutoff(value[0] if is_list(value) else value)


def read_cutoffs(text: str) -> list[int | None]:
    from .measures.grammar import parse_cut_offs

    return parse_cut_offs(text)


def measures(known: str, advice: str) -> Kind:
    """Return the kind of measures: texts with names among `known` of the grammar, or cutoffs."""

    def check(value: Any) -> Any:
        from .measures import grammar

        items = [*value] if is_list(value) else [value]
        if items and all(isinstance(item, grammar.Choice) for item in items):
            return items
        if items and all(item is None or is_number(plain(item)) for item in items):
            return check_cutoffs(items)
        texts = [item for item in items if isinstance(item, str)]
        if texts and len(texts) < len(items):
            raise OptionError("must be either cutoffs or measures", value)
        if not texts or "" in texts:
            raise OptionError("must be names of measures, as in ['ndcg', 'recall@5'], or cutoffs", value)
        text = ",".join(texts)
        if re.fullmatch(r"[\s,]*\d[\s\d,]*", text):
            raise OptionError(f"must be names of measures; write [{text}] for cutoffs", value)
        if len(text) > LONGEST:
            raise OptionError(f"must be a string of at most {LONGEST} characters", len(text))
        return grammar.parse_measures(text, getattr(grammar, known), advice)

    return Kind("Measures", check)


def check_names(value: Any) -> list[str | None]:
    """Check a list of names, such as columns or systems."""
    if not is_list(value) or len(value) == 0 or not all(isinstance(item, str | None) for item in value):
        raise OptionError("must be a list of names, as in ['a', 'b']", value)
    return [*value]


def check_weights(value: Any) -> dict[str, float]:
    """Check a weight of each system."""
    weights = {name: plain(weight) for name, weight in value.items()} if isinstance(value, Mapping) else {}
    if not weights or not all(is_number(weight) and weight >= 0 for weight in weights.values()):
        raise OptionError(
            "must be numbers of 0 or more by system, such as {'bm25': 1} (in SQL, MAP {'bm25': 1})", value
        )
    return {str(name): float(weight) for name, weight in weights.items()}


def read_weights(text: str) -> dict[str, Any]:
    """Read `bm25=1,vector=0.5`."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(name for name, _, _ in pairs) or len({name for name, _, _ in pairs}) < len(pairs):
        raise OptionError("must be NAME=WEIGHT,NAME=WEIGHT, each name once", text)
    weights = {name: AT_LEAST_0.parse(weight) for name, _, weight in pairs}
    if not any(weights.values()):
        raise OptionError("must not all be 0", text)
    return weights


def check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError("must be a text", value)
    return value


def check_also(value: Any) -> Any:
    from .evaluation.tradeoffs import parse_also

    return [
        column for text in texts_of(value, "'latency_ms' or 'tokens:lower'") for column in parse_also(text)
    ]


def check_codes(value: Any) -> Any:
    from .evaluation.problems import parse_codes

    return [code for text in texts_of(value, "'no_common_user'") for code in parse_codes(text)]


def texts_of(value: Any, example: str) -> list[str]:
    texts = [value] if isinstance(value, str) else [*value] if isinstance(value, Iterable) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise OptionError(f"must be strings such as {example}", value)
    return texts


def check_directions(value: Any) -> Any:
    """Check whether higher scores are better: for all models, or for each by its name."""
    directions = value.values() if isinstance(value, Mapping) else [value]
    if not directions or not all(isinstance(direction, bool) for direction in directions):
        raise OptionError("must be True or False, or a dict of these by the names of models", value)
    return value


def check_unit(value: Any) -> str:
    from .evaluation.words import parse_unit

    return parse_unit(value)


AT_LEAST_0 = number("a number of 0 or more", lambda value: value >= 0)
ABOVE_0 = number("a number > 0", lambda value: value > 0)
SHARE = number("a number from 0 to 1", lambda value: 0 <= value <= 1)
SHARE_ABOVE_0 = number("a number above 0 and up to 1", lambda value: 0 < value <= 1)
LEVEL = number("a number above 0 and below 1", lambda value: 0 < value < 1, lambda value: value)
BOOLEAN, TEXT, CUTOFFS = (
    Kind("bool", check_boolean),
    Kind("str", check_text),
    Kind("Cutoffs", check_cutoffs, read_cutoffs),
)
CUTOFF = Kind("Cutoffs", check_one_cutoff, read_cutoffs)
COLUMN, OPTIONAL_COLUMN = Kind("str", check_named), Kind("str", check_column)
NAMES, TABLE, ANY = Kind("Sequence[str]", check_names), Kind("Table"), Kind("Any")
KEEP = word("keep", "drop")


# --- The options ---


@dataclass(frozen=True)
class Option:
    """An option: its kind, its sentence, its default, and the placeholder of its value in the command.

    An option whose default is `...` must be given.
    """

    kind: Kind
    text: str
    default: Any = ...
    value: str = ""
    is_list: bool = False  # whether the command takes it several times


TABLES = {
    "rec": Option(TABLE, "recommendations: userid, itemid, score and, for several models, system"),
    "truth": Option(TABLE, "ground truth: userid, itemid and rel, if there are grades"),
    "by_user": Option(TABLE, "a value for each user: the rows of ranking.by_user, or columns of your own"),
    "comparison": Option(TABLE, "rows of ranking.compare or ranking.compare_by_user"),
    "events": Option(TABLE, "events: userid, itemid, time"),
}  # fmt: skip
MEASURES = {
    "measures": Option(measures("SPELLINGS", "FROM ranking.functions() lists them"),
        "measures, as in 'ndcg(gain=linear)@5,10, recall', or cutoffs of the default measures, as in [5, 10]",
        None, "LIST", is_list=True),
    "ks": Option(CUTOFFS, "cutoffs: an integer or several; NULL (in Python None) in a list is the whole list", value="LIST",
        is_list=True),
    "k": Option(CUTOFF, "one cutoff; [NULL] (in Python [None]) is the whole list", K, "K"),
    "max_k": Option(CUTOFF, "depth of the ranking; NULL is the whole list"),
    "ties": Option(word("item", "trec", "expected"),
        "order of equal scores: by item, as trec_eval orders them, or averaged over all orders", "item"),
    "min_grade": Option(ABOVE_0, "lowest relevant grade; by default every grade above 0", None, "GRADE"),
    "unjudged": Option(word("miss", "skip"), "items in rec without a row in truth: count as misses, or skip",
        "miss"),
    "without_relevant": Option(word("zero", "skip"), "users without a relevant item: score 0, or skip",
        "zero"),
    "users": Option(TABLE, "all users to evaluate; users without a row in truth have no relevant item", None,
        "FILE"),
    "user": Option(ANY, "userid, of its own type or as a text", value="USER"),
    "segments": Option(TABLE, "segment of each user: adds results for each segment", None),
    "segment_col": Option(COLUMN, "column of segments with the segment", "segment"),
    "predicted_truth": Option(TABLE,
        "model-generated grades for the users in truth and more; the human grades in truth correct them",
        None, "FILE"),
    "divide": Option(word("list", "k"), "divisor of precision if the list is shorter than k", "k"),
    "alpha": Option(SHARE, "weight of novelty, from 0 to 1", 0.5),
}  # fmt: skip
COMPARISON = {
    "baseline": Option(TEXT, "model to compare all others with; by default all pairs", None, "NAME"),
    "steps": Option(BOOLEAN, "compare each model with the one before it by name (week2 before week10)",
        False),
    "margin": Option(AT_LEAST_0, "equivalence margin: smaller differences do not matter", None, "NUMBER"),
    "test": Option(word("t", "randomization"), "paired test of a difference", "t"),
    "permutations": Option(integer(1, 10 ** 7), "number of permutations of the randomization test", 10_000,
        "N"),
    "seed": Option(integer(0, 2 ** 63 - 1), "random seed of the permutations", 0, "N"),
    "confidence": Option(LEVEL, "confidence level of intervals and verdicts", 0.95, "LEVEL"),
    "correction": Option(word("holm", "bh", "none"),
        "adjustment of p for multiple comparisons: Holm, Benjamini-Hochberg or none", "holm"),
    "predicted": Option(TABLE, "the values of by_user by model-generated grades", None),
    "lower_is_better": Option(ANY, "list of columns of by_user for which lower values are better", None),
    "persistence": Option(SHARE_ABOVE_0,
        "weight of each rank relative to the rank above, in rank-biased overlap", 0.9, "P"),
    "also": Option(Kind("Sequence[str] | str", check_also),
        "numeric columns of the recommendations to compare too, with one value per user and model: "
        "latency_ms, cost:higher", None, "COLUMN[:lower|higher]", is_list=True),
}  # fmt: skip
FUSION = {
    "method": Option(word("rrf", "combsum", "combmnz", "borda"), "fusion method", "rrf"),
    "weights": Option(Kind("Mapping[str, float]", check_weights, read_weights),
        "weight of each model (1); 0 excludes it", None, "NAME=WEIGHT,..."),
    "rrf_k": Option(AT_LEAST_0,
        "constant k of reciprocal rank fusion", 60, "K"),
    "normalize": Option(word("min_max", "z_score", "sum", "none"), "normalization of scores", "min_max"),
    "depth": Option(integer(1), "number of rows of each list to use; by default all", None, "N"),
    "systems": Option(NAMES, "models to fuse; by default all", None),
}  # fmt: skip
SPLIT = {
    "test_from": Option(ANY, "start of the test period", None, "TIME"),
    "test_size": Option(ANY, "length of the test period, as in '7 days', up to the last event", None, "SPAN"),
    "folds": Option(integer(1), "number of consecutive test periods", 1, "N"),
    "gap": Option(ANY, "time between train and test", None, "SPAN"),
    "last": Option(integer(1), "leave-last-N-out: each user's last N events are the test", None, "N"),
    "cold_users": Option(KEEP, "cold users: in test, not in its train", "keep"),
    "cold_items": Option(KEEP, "cold items: in test, not in its train", "keep"),
    "seen": Option(KEEP, "items that are in the user's train too", "keep"),
}  # fmt: skip
HISTORY_AND_CATALOG = {
    "history": Option(TABLE, "interaction history: adds popularity and novelty, and checks for leaks", None,
        "FILE"),
    "items": Option(TABLE, "catalog: adds diversity and coverage, and checks for missing items", None,
        "FILE[:COLUMN]"),
    "head": Option(SHARE,
        "share of the history that the most popular items (the head) make up", 0.8, "SHARE"),
    "divergence": Option(word("js", "kl"),
        "divergence for miscalibration: Jensen-Shannon or Kullback-Leibler", "js"),
}  # fmt: skip
CHECK = {
    "check": Option(BOOLEAN, "whether to check the data; problems are warnings", True),
    "allow": Option(Kind("Sequence[str] | str", check_codes),
        "errors or warnings of the check to accept, by their codes, as in no_common_user,no_common_item",
        None, "CODE", is_list=True),
}  # fmt: skip
OUTPUT = {
    "unit": Option(Kind("str", check_unit), "word for a user in messages, as in query", "user", "WORD"),
    "con": Option(ANY, "connection whose tables you can name; the functions are registered on it", None),
}  # fmt: skip
COLUMN_NAMES = {
    "user_col": Option(COLUMN, "column of users", "userid", "COLUMN"),
    "item_col": Option(COLUMN, "column of items", "itemid", "COLUMN"),
    "score_col": Option(COLUMN, "column of scores in rec", "score", "COLUMN"),
    "grade_col": Option(OPTIONAL_COLUMN,
        "column of grades in truth; '' for none, by default rel if there is one", None, "COLUMN"),
    "system_col": Option(OPTIONAL_COLUMN,
        "column of models in rec; '' for none, by default system if there is one", None, "COLUMN"),
    "time_col": Option(OPTIONAL_COLUMN, "column of times in truth and history; '' for none, by default time",
        None, "COLUMN"),
    "intent_col": Option(COLUMN, "column of intents in truth", "intent"),
    "category_col": Option(COLUMN, "column of items with the category, by default category", None),
    "title_col": Option(OPTIONAL_COLUMN,
        "column of items to show next to ids; by default title or text, if there is one", None, "COLUMN"),
    "text_col": Option(OPTIONAL_COLUMN,
        "column of segments to show next to users; by default text, if there is one", None, "COLUMN"),
    "descending": Option(BOOLEAN, "whether the highest score is the best; false for ranks and distances",
        True),
}  # fmt: skip
GROUPS: Mapping[str, Mapping[str, Option]] = {
    "tables": TABLES,
    "measures": MEASURES,
    "comparison": COMPARISON,
    "fusion": FUSION,
    "split": SPLIT,
    "history and catalog": HISTORY_AND_CATALOG,
    "files": COLUMN_NAMES,
    "check": CHECK,
    "output": OUTPUT,
}
OPTIONS = {name: option for group in GROUPS.values() for name, option in group.items()}


# --- The options of each function ---

Options = Mapping[str, Option]
Values = Mapping[str, Any]  # values of options, by name
COLUMNS = "user_col item_col score_col grade_col system_col descending"
REC_COLUMNS = "user_col item_col score_col system_col descending"
GRADES = "min_grade unjudged without_relevant"  # how grades become relevance
JUDGING = f"{GRADES} users"
TESTS = "confidence margin correction test permutations seed"
COMPARED = f"baseline {TESTS} steps"
ARGUMENTS = {  # the argument that names a column, by the name of the column in our tables
    **{"userid": "user_col", "itemid": "item_col", "score": "score_col", "rel": "grade_col"},
    **{"system": "system_col", "time": "time_col", "title": "title_col", "text": "text_col"},
}


def takes(*groups: str | Options, **defaults: Any) -> Options:
    """Return the options of a function, by name and in order; `defaults` are its own, or whole options."""
    every: dict[str, Option] = {}
    for group in groups:
        every |= {name: OPTIONS[name] for name in group.split()} if isinstance(group, str) else group
    for name, default in defaults.items():
        every[name] = default if isinstance(default, Option) else replace(every[name], default=default)
    return every


MEASURED = takes("rec truth measures ks ties", COLUMNS, JUDGING, ks=None)
CHECKED = takes("rec truth ks", COLUMNS, "history time_col", JUDGING, "items", ks=[K])
CONTENTS = takes("rec ks history items head divergence", REC_COLUMNS, "category_col")
OVERLAP = takes("rec ks baseline persistence", REC_COLUMNS)
# The table functions of SQL, each with its arguments in order. `_ranking_users` evaluates a partition.
FUNCTIONS: Mapping[str, Options] = {
    **dict.fromkeys(("evaluate", "by_user", "distribution", "_ranking_users"), MEASURED),
    "judged": takes("rec truth max_k", COLUMNS, JUDGING),
    "check": takes(CHECKED, "predicted_truth"),
    "check_rows": CHECKED,
    "by_item": takes("rec truth ks", COLUMNS, "min_grade without_relevant"),
    "explain": takes(
        "rec truth user k ties",
        COLUMNS,
        "min_grade",
        ties=replace(OPTIONS["ties"], kind=word("item", "expected")),
    ),
    "precision_recall_curve": takes("rec truth max_k", COLUMNS, "divide", JUDGING),
    "interpolated_precision_curve": takes("rec truth max_k", COLUMNS, JUDGING, max_k=None),
    "beyond_accuracy": CONTENTS,
    "beyond_accuracy_by_user": CONTENTS,
    "intents_by_user": takes("rec truth ks alpha intent_col", COLUMNS),
    "fuse": takes(
        "rec method weights rrf_k normalize depth systems",
        REC_COLUMNS,
        system_col=replace(OPTIONS["system_col"], kind=COLUMN, default="system"),
    ),
    "split": takes(
        "events test_from test_size folds gap last cold_users cold_items seen user_col item_col time_col",
        time_col=replace(OPTIONS["time_col"], kind=COLUMN, default="time"),
    ),
    "compare": takes(
        "rec truth measures baseline ks", TESTS, COLUMNS, JUDGING, "ties predicted_truth steps", ks=None
    ),
    "compare_by_user": takes(
        "by_user baseline measures",
        TESTS,
        "lower_is_better predicted steps",
        measures=Option(
            NAMES,
            "columns of by_user to compare; by default the usual measures, or all columns of numbers",
            None,
        ),
    ),
    "gate": takes("comparison confidence correction margin"),
    "overlap": OVERLAP,
    "overlap_by_user": OVERLAP,
    "abstention": takes("rec truth users", COLUMNS, "min_grade confidence"),
}
# The functions of Python, which are commands too.
MORE = "segments segment_col history items category_col head divergence unit check allow con"
SHOWN = "unit con"
PYTHON: dict[str, Any] = {
    "measures": replace(OPTIONS["measures"], kind=measures("READABLE", "`ranking-udfs measures` lists them")),
    "descending": replace(OPTIONS["descending"], kind=Kind("bool | Mapping[str, bool]", check_directions)),
    "category_col": replace(OPTIONS["category_col"], kind=OPTIONAL_COLUMN, default="category"),
}


def verb(*groups: str | Options, **defaults: Any) -> Options:
    """Return the options of a function of Python."""
    options = takes(*groups)
    return takes(options, **{name: option for name, option in PYTHON.items() if name in options} | defaults)


BY_USER = Option(BOOLEAN, "whether to return the values of each user instead of means", False)
VERBS: Mapping[str, Options] = {
    "evaluate": verb(MEASURED, MORE, by_user=BY_USER),
    "compare": verb(FUNCTIONS["compare"], "also", MORE),
    "report": verb(
        "rec truth measures ks baseline ties",
        TESTS,
        COLUMNS,
        JUDGING,
        "predicted_truth also",
        MORE,
        "title_col text_col",
        ks=None,
    ),
    "check": verb(FUNCTIONS["check"], SHOWN),
    "explain": verb(FUNCTIONS["explain"], SHOWN),
    "overlap": verb(OVERLAP, SHOWN, ks=K),
    "abstention": verb(FUNCTIONS["abstention"], SHOWN),
    "fuse": verb("rec method weights rrf_k normalize depth", REC_COLUMNS, "con"),
    "split": verb(FUNCTIONS["split"], "con"),
    "sql": verb(MEASURED, MORE.replace(" unit", "")),  # of the command alone
}


# --- Checks ---


def check(options: Options, given: Mapping[str, Any], show: Callable[[Any], str] = shown) -> dict[str, Any]:
    """Return a value for each option, checked and converted; tables as they are.

    Raises:
        OptionError: a value breaks the rule of its option
    """
    values = {}
    for name, option in options.items():
        value = plain(given.get(name, option.default))
        if value is None and option.default is not ... and option.kind in (CUTOFFS, CUTOFF, COLUMN):
            value = option.default
        if value is not None or option.default is not None:
            try:
                value = option.kind.check(value)
            except OptionError as error:
                raise ValueError(f"{error.subject}{name} {error.rule}, got {show(error.value)}") from None
            except ValueError as error:
                raise ValueError(
                    f"{name} {error}" if str(error).startswith("must ") else str(error)
                ) from None
        values[name] = value
    return settle_cutoffs(values) if {"measures", "ks"} <= values.keys() else values


def settle_cutoffs(values: dict[str, Any]) -> dict[str, Any]:
    """Move cutoffs among the measures to `ks`; without any, measures without their own have k = 10."""
    measures, ks = values["measures"], values["ks"]
    if measures and not hasattr(measures[0], "cuts"):
        if ks is not None:
            raise ValueError("ks must be left out where measures are cutoffs, got both")
        measures, ks = None, measures
    needs_ks = not measures or any(not choice.cuts for choice in measures)
    return {**values, "measures": measures, "ks": ks or ([K] if needs_ks else [])}


def check_keywords(caller: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError for an unknown name of an argument, with a suggestion."""
    for name in names:
        if name not in known:
            hint = " (did you mean ks?)" if name in ("k", "max_k") else did_you_mean(name, known)
            raise TypeError(f"{caller}: got an unexpected keyword argument {name!r}{hint}")


def sentences(options: Options) -> dict[str, str]:
    """Return what to write about each option: its sentence, its words and its default."""
    texts = {}
    for name, option in options.items():
        words = f": {', '.join(map(repr, option.kind.words))}" if option.kind.words else ""
        is_shown = option.default not in (None, ...) and not isinstance(option.default, bool)
        default = f"; by default {option.default!r}" if is_shown else ""
        texts[name] = f"{option.text}{words}{default}"
    return texts


def described_options(options: Options) -> str:
    """Return a line for each option, by group, for the Args section of a docstring."""
    texts, lines = sentences(options), []
    for members in GROUPS.values():
        names = [name for name in options if name in members]
        lines += [f"        {name}: {texts[name]}." for name in names]
    lines += [f"        {name}: {text}." for name, text in texts.items() if name not in OPTIONS]
    return "\n".join(lines)


def signature(function: str) -> list[str]:
    """Return the parameters of a table function of SQL, with their defaults."""
    return [
        name if option.default is ... else f"{name} := {sql_value(option.default)}"
        for name, option in FUNCTIONS[function].items()
    ]


def defaults(names: str = f"{COLUMNS} {GRADES}") -> dict[str, Any]:
    """Return the defaults of options; by default those of columns and grades."""
    return {name: OPTIONS[name].default for name in names.split()}


def named_columns(values: Values, roles: str) -> dict[str, str]:
    """Return the columns of the user's table by our names, without those that are not named."""
    return {role: values[ARGUMENTS[role]] for role in roles.split() if values[ARGUMENTS[role]]}


def rec_columns(values: Values) -> dict[str, str]:
    return named_columns(values, "userid itemid score system")


def truth_columns(values: Values) -> dict[str, str]:
    return named_columns(values, "userid itemid rel")

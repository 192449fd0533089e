"""The one table of options: the kind, default and sentence of each, and the options of each function.

From it follow the signatures of SQL's macros and their reference, the checks, docstrings and keywords of
Python's functions, the options of the command, and the functions for Spark. `kinds` has the rules of values.
Every package may import both.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import kinds
from .kinds import K, Kind, OptionError, shown, word
from .quoting import plain, sql_value
from .texts import did_you_mean


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


Options = Mapping[str, Option]
Values = Mapping[str, Any]  # values of options, by name

MEASURES_AND_CUTOFFS = Option(kinds.MEASURES,
    "measures as a string or a list, such as 'ndcg(gain=linear)@5,10, recall'; or cutoffs of the "
    "default measures, such as [5, 10]", None, "LIST", is_list=True)  # fmt: skip
CUTOFFS_OF_CHECK = Option(kinds.CUTOFFS, "cutoffs at which to look for ties and short lists", [K])
# The options by group, each group a section of the command's help. An option before whose name stands a
# function, or `python`, is what that function takes under the name, or all functions of Python.
GROUPS: Mapping[str, Options] = {
    "tables": {
        "rec": Option(kinds.TABLE, "recommendations: userid, itemid, score; for several models, system too"),
        "truth": Option(kinds.TABLE, "ground truth: userid, itemid and rel, if there are grades"),
        "python.rec": Option(kinds.TABLE,
            "recommendations: a data frame (pandas, Polars, Arrow), a relation, a file name, with con the "
            "name of a table, a dict by user of {id: score}, of pairs (id, score) or of ids in order, or a "
            "list of dicts; for several models, a dict of these, or a column system"),
        "python.truth": Option(kinds.TABLE,
            "ground truth in the same forms, with grades if there are any; the ids of a user can be a set"),
        "by_user": Option(kinds.TABLE, "values of users, as the rows of ranking.by_user"),
        "comparison": Option(kinds.TABLE, "rows of ranking.compare or ranking.compare_by_user"),
        "events": Option(kinds.TABLE, "events: userid, itemid, time"),
    },
    "measures": {
        "measures": MEASURES_AND_CUTOFFS,
        "python.measures": replace(MEASURES_AND_CUTOFFS, kind=kinds.MEASURES_OF_PYTHON),
        "compare_by_user.measures": Option(kinds.NAMES,
            "columns of by_user to compare; by default the usual measures, or all columns of numbers", None),
        "ks": Option(kinds.CUTOFFS, "cutoffs of measures without their own: an integer or several, 10 if "
            "there are none; NULL (in Python None) in a list is the whole list", is_list=True),
        "check.ks": CUTOFFS_OF_CHECK,
        "check_rows.ks": CUTOFFS_OF_CHECK,
        "k": Option(kinds.CUTOFF, "one cutoff; [NULL] (in Python [None]) is the whole list", K, "K"),
        "max_k": Option(kinds.CUTOFF, "depth of the ranking; NULL is the whole list"),
        "precision_recall_curve.max_k": Option(kinds.integer(0, kinds.LARGEST), "last rank"),
        "ties": Option(word("item", "trec", "expected"),
            "order of equal scores: by item, as trec_eval orders them, or averaged over all orders", "item"),
        "explain.ties": Option(word("item", "expected"), "order of equal scores: by item, or averaged over "
            "all orders", "item"),
        "min_grade": Option(kinds.ABOVE_0, "lowest relevant grade; by default every grade above 0; gains, as "
            "in NDCG, count all grades", None, "GRADE"),
        "unjudged": Option(word("miss", "skip"),
            "items in rec without a row in truth: count as misses, or skip", "miss"),
        "without_relevant": Option(word("zero", "skip"),
            "users without a relevant item: score 0, or skip", "zero"),
        "users": Option(kinds.TABLE,
            "all users to evaluate; users without a row in truth have no relevant item", None, "FILE"),
        "evaluate.by_user": Option(kinds.BOOLEAN,
            "whether to return the values of each user instead of means", False),
        "user": Option(kinds.ANY, "userid, of its own type or as a string", value="USER"),
        "segments": Option(kinds.TABLE, "segment of each user: adds results for each segment", None),
        "segment_col": Option(kinds.OPTIONAL_COLUMN, "column of segments with the segment", "segment"),
        "predicted_truth": Option(kinds.TABLE, "model-generated grades for the users in truth and more; the "
            "human grades in truth correct them", None, "FILE"),
        "divide": Option(word("list", "k"), "divisor of precision if the list is shorter than k", "k"),
        "alpha": Option(kinds.SHARE, "probability that an item satisfies an intent that it meets", 0.5),
    },
    "comparison": {
        "baseline": Option(kinds.TEXT, "model to compare others with; by default all pairs", None, "NAME"),
        "steps": Option(kinds.BOOLEAN,
            "compare each model with the one before it by name (week2 before week10)", False),
        "margin": Option(kinds.AT_LEAST_0,
            "equivalence margin: smaller differences do not matter", None, "NUMBER"),
        "test": Option(word("t", "randomization"), "paired test of a difference", "t"),
        "permutations": Option(kinds.integer(1, 10_000_000),
            "number of permutations of the randomization test", 10_000, "N"),
        "seed": Option(kinds.integer(0, 2**63 - 1), "random seed of the permutations", 0, "N"),
        "confidence": Option(kinds.LEVEL, "confidence level of intervals and verdicts", 0.95, "LEVEL"),
        "correction": Option(word("holm", "bh", "none"),
            "adjustment of p for multiple comparisons: Holm, Benjamini-Hochberg or none", "holm"),
        "predicted": Option(kinds.TABLE, "the values of by_user by model-generated grades", None),
        "lower_is_better": Option(kinds.COLUMNS_OF_TABLE,
            "columns of by_user of which lower values are better", None),
        "persistence": Option(kinds.SHARE_ABOVE_0,
            "weight of each rank relative to the rank above, in rank-biased overlap", 0.9, "P"),
        "also": Option(kinds.ALSO, "numeric columns to compare too, of the recommendations or of a file with "
            "a row for each user and model: latency_ms, cost:higher, cost.csv:usd", None,
            "[FILE:]COLUMN[:lower|higher]", is_list=True),
    },
    "fusion": {
        "method": Option(word("rrf", "combsum", "combmnz", "borda"), "fusion method", "rrf"),
        "weights": Option(kinds.WEIGHTS, "weight of each model (1); 0 excludes it", None, "NAME=WEIGHT,..."),
        "rrf_k": Option(kinds.AT_LEAST_0, "constant k of reciprocal rank fusion", 60, "K"),
        "normalize": Option(word("min_max", "z_score", "sum", "none"), "normalization of scores", "min_max"),
        "depth": Option(kinds.integer(1), "number of rows of each list to use; by default all", None, "N"),
        "systems": Option(kinds.NAMES, "models to fuse; by default all", None),
    },
    "split": {
        "test_from": Option(kinds.ANY, "start of the test period", None, "TIME"),
        "test_size": Option(kinds.ANY,
            "length of the test period, as in '7 days', up to the last event", None, "SPAN"),
        "folds": Option(kinds.integer(1), "number of consecutive test periods", 1, "N"),
        "gap": Option(kinds.ANY, "time between train and test", None, "SPAN"),
        "last": Option(kinds.integer(1),
            "leave-last-N-out: the last N events of a user are the test", None, "N"),
        "cold_users": Option(word("keep", "drop"), "cold users: in test, not in its train", "keep"),
        "cold_items": Option(word("keep", "drop"), "cold items: in test, not in its train", "keep"),
        "seen": Option(word("keep", "drop"), "items that are in the user's train too", "keep"),
    },
    "history and catalog": {
        "history": Option(kinds.TABLE,
            "interaction history: adds popularity and novelty, and checks for leaks", None, "FILE"),
        "items": Option(kinds.TABLE,
            "catalog: adds diversity and coverage, and checks for missing items", None, "FILE[:COLUMN]"),
        "head": Option(kinds.SHARE,
            "share of the history that the most popular items (the head) make up", 0.8, "SHARE"),
        "divergence": Option(word("js", "kl"),
            "divergence for miscalibration: Jensen-Shannon or Kullback-Leibler", "js"),
    },
    "files": {
        "user_col": Option(kinds.COLUMN, "column of users", "userid", "COLUMN"),
        "item_col": Option(kinds.COLUMN, "column of items", "itemid", "COLUMN"),
        "score_col": Option(kinds.COLUMN, "column of scores in rec", "score", "COLUMN"),
        "grade_col": Option(kinds.OPTIONAL_COLUMN,
            "column of grades in truth; '' for none, by default rel if there is one", None, "COLUMN"),
        "system_col": Option(kinds.OPTIONAL_COLUMN,
            "column of models in rec; '' for none, by default system if there is one", None, "COLUMN"),
        "ranking.fuse.system_col": Option(kinds.COLUMN, "column of models in rec", "system"),
        "time_col": Option(kinds.OPTIONAL_COLUMN,
            "column of times in truth and history; '' for none, by default time", None, "COLUMN"),
        "split.time_col": Option(kinds.COLUMN, "column of times", "time"),
        "intent_col": Option(kinds.COLUMN, "column of intents in truth", "intent"),
        "category_col": Option(kinds.COLUMN, "column of items with the category, by default category", None),
        "python.category_col": Option(kinds.OPTIONAL_COLUMN, "column of items with the category", "category"),
        "title_col": Option(kinds.OPTIONAL_COLUMN,
            "column of items to show next to ids; by default title or text, if there is one", None, "COLUMN"),
        "text_col": Option(kinds.OPTIONAL_COLUMN,
            "column of segments to show next to users; by default text, if there is one", None, "COLUMN"),
        "descending": Option(kinds.BOOLEAN,
            "whether the highest score is the best; false for ranks and distances", True),
        "python.descending": Option(kinds.DIRECTIONS, "whether the highest score is the best; False for "
            "ranks and distances, {'b': False} for model b", True),
    },
    "check": {
        "check": Option(kinds.BOOLEAN, "whether to check the data; problems are warnings", True),
        "allow": Option(kinds.CODES, "errors or warnings of the check to accept, by their codes, as in "
            "no_common_id", None, "CODE", is_list=True),
    },
    "output": {
        "unit": Option(kinds.UNIT, "word for a user in messages, as in query", "user", "WORD"),
        "con": Option(kinds.ANY,
            "connection whose tables you can name; the functions are registered on it", None),
    },
}  # fmt: skip
OPTIONS = {name: option for group in GROUPS.values() for name, option in group.items()}
# The argument that names a column, by the name of the column in our tables.
ARGUMENTS = {"userid": "user_col", "itemid": "item_col", "rel": "grade_col"} | {
    name: f"{name}_col" for name in ("score", "system", "time", "title", "text")
}
# In Python, each may be named by table.
OPTIONS |= {
    f"python.{name}": replace(OPTIONS[name], kind=kinds.by_table(OPTIONS[name].kind))
    for name in ARGUMENTS.values()
}

# The names of options in the command; those without one are parts of others, as in FILE:COLUMN.
FLAGS = {name: name.removesuffix("_col") for name in OPTIONS if "." not in name} | {
    **{"descending": "ascending", "check": "no_check", "segments": "segment", "user": "user_id", "k": "ks"},
    **dict.fromkeys((*GROUPS["tables"], "con", "segment_col", "category_col"), ""),
}

# --- The options of each function, in order; `?` marks those of a function that may be left out ---

COLUMNS = "user_col item_col score_col grade_col system_col descending"
REC_COLUMNS = COLUMNS.replace("grade_col ", "")
GRADES = "min_grade unjudged without_relevant"  # how grades become relevance
JUDGING = f"{GRADES} users"
TESTS = "confidence margin correction test permutations seed"
COMPARISON = f"baseline {TESTS} steps"
MEASURED = f"rec truth measures ks? ties {COLUMNS} {JUDGING}"
COMPARED = f"rec truth measures baseline ks? {TESTS} {COLUMNS} {JUDGING} ties predicted_truth"
CHECKED = f"rec truth ks {COLUMNS} history time_col {JUDGING} items"
CONTENTS = f"rec ks history items head divergence {REC_COLUMNS} category_col"
MORE = "segments segment_col history items category_col head divergence unit check allow con"  # of Python


def takes(names: str, *prefixes: str) -> Options:
    """Return options by name, each as it is declared after one of the prefixes, or for all functions."""
    options = {}
    for name in names.split():
        written = name.rstrip("?")
        keys = [f"{prefix}.{written}" for prefix in prefixes]
        option = OPTIONS[next((key for key in keys if key in OPTIONS), written)]
        options[written] = replace(option, default=None) if name.endswith("?") else option
    return options


# The table functions of SQL.
FUNCTIONS: Mapping[str, Options] = {
    function: takes(names, f"ranking.{function}", function)
    for function, names in {
        "evaluate": f"{MEASURED} confidence?",
        "by_user": MEASURED,
        "distribution": f"{MEASURED} confidence",
        "judged": f"rec truth max_k {COLUMNS} {JUDGING}",
        "check": f"{CHECKED} predicted_truth",
        "check_rows": CHECKED,
        "by_item": f"rec truth ks {COLUMNS} min_grade without_relevant",
        "explain": f"rec truth user k ties {COLUMNS} min_grade",
        "precision_recall_curve": f"rec truth max_k {COLUMNS} divide {JUDGING}",
        "interpolated_precision_curve": f"rec truth max_k? {COLUMNS} {JUDGING}",
        **dict.fromkeys(("beyond_accuracy", "beyond_accuracy_by_user"), CONTENTS),
        "intents_by_user": f"rec truth ks alpha intent_col {COLUMNS}",
        "fuse": f"rec method weights rrf_k normalize depth systems {REC_COLUMNS}",
        "split": "events test_from test_size folds gap last cold_users cold_items seen "
        "user_col item_col time_col",
        "compare": f"{COMPARED} steps",
        "compare_by_user": f"by_user baseline measures {TESTS} lower_is_better predicted steps",
        "gate": "comparison confidence correction margin",
        **dict.fromkeys(("overlap", "overlap_by_user"), f"rec ks baseline persistence {REC_COLUMNS}"),
        "abstention": f"rec truth users {COLUMNS} min_grade confidence",
    }.items()
}
# The functions of Python, which are commands too; and the command `sql`.
VERBS: Mapping[str, Options] = {
    function: takes(names, function, "python")
    for function, names in {
        "evaluate": f"{MEASURED} confidence? by_user {MORE}",
        "compare": f"{COMPARED} steps also {MORE}",
        "report": f"{COMPARED} also {MORE} title_col text_col",
        "check": f"{CHECKED} predicted_truth unit con",
        "explain": f"rec truth user k ties {COLUMNS} min_grade unit con",
        "overlap": f"rec ks? baseline persistence {REC_COLUMNS} unit con",
        "abstention": f"rec truth users {COLUMNS} min_grade confidence unit con",
        "fuse": f"rec method weights rrf_k normalize depth {REC_COLUMNS} con",
        "split": " ".join(FUNCTIONS["split"]) + " con",
        "sql": f"{MEASURED} confidence? {MORE.replace(' unit', '')}",
    }.items()
}


# --- Checks ---


def check(options: Options, given: Values, show: Callable[[Any], str] = shown) -> dict[str, Any]:
    """Return a value for each option, checked and converted; tables as they are.

    Raises:
        ValueError: a value breaks the rule of its option
    """
    values = {}
    for name, option in options.items():
        value, kind = plain(given.get(name, option.default)), option.kind
        if value is None and option.default is not ... and kind.has_null:
            value = option.default
        if value is not None or option.default is not None:
            try:
                value = kind.check(value)
            except OptionError as error:
                raise ValueError(f"{error.subject}{name} {error.rule}, got {show(error.value)}") from None
            except ValueError as error:
                named = f"{name} " if str(error).startswith("must ") else ""
                raise ValueError(f"{named}{error}") from None
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


def defaults(names: str = f"{COLUMNS} {GRADES}") -> dict[str, Any]:
    """Return the defaults of options; by default those of columns and grades."""
    return {name: OPTIONS[name].default for name in names.split()}


# --- Texts ---


def signature(function: str) -> list[str]:
    """Return the parameters of a table function of SQL, with their defaults."""
    return [
        name if option.default is ... else f"{name} := {sql_value(option.default)}"
        for name, option in FUNCTIONS[function].items()
    ]


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
    places = {name.rpartition(".")[2]: place for place, group in enumerate(GROUPS.values()) for name in group}
    texts = sorted(sentences(options).items(), key=lambda pair: places[pair[0]])
    return "\n".join(f"        {name}: {text}." for name, text in texts)


# --- Columns ---


def columns_by_table(value: Any) -> dict[str, str]:
    """Return the columns of single tables in {'rec': 'a', 'truth': 'b'} or `rec.csv:a,truth.csv:b`."""
    if isinstance(value, Mapping):
        return dict(value)
    pairs = (part.rpartition(":") for part in str(value).split(","))
    return {table: column for table, _, column in pairs if table and column}


def column_of(value: Any, table: str, usual: str) -> str:
    """Return the name of a column of one table; `usual` is its name if only other tables have one."""
    own = columns_by_table(value)
    return own.get(table) or own.get(table.partition("[")[0]) or (usual if own or value is None else value)


def named_columns(values: Values, roles: str) -> dict[str, str]:
    """Return the columns of the user's table by our names, without those that are not named."""
    return {role: values[ARGUMENTS[role]] for role in roles.split() if values[ARGUMENTS[role]]}


def rec_columns(values: Values) -> dict[str, str]:
    return named_columns(values, "userid itemid score system")


def truth_columns(values: Values) -> dict[str, str]:
    return named_columns(values, "userid itemid rel")

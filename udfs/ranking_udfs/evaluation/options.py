"""Define each option of an evaluation, a comparison or a report once: help, default and values.

These definitions supply the options of the command, the keywords and tables of arguments of the Python
functions, and the arguments of table functions in queries.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from ..texts import did_you_mean
from . import defaults
from .problems import parse_codes
from .words import parse_unit

if TYPE_CHECKING:
    import duckdb

Parse = Callable[[str], Any]


class number:  # noqa: N801  (a declaration calls it, like a function)
    """A parser of finite numbers: the command parses strings, and Python functions check values."""

    def __init__(
        self, rule: str, holds: Callable[[float], bool] = math.isfinite, kind: type[float] | type[int] = float
    ) -> None:
        self.rule, self.holds, self.kind = rule, holds, kind

    def __call__(self, text: str) -> float:
        """Parse a string; the ValueError states the rule that the string breaks."""
        try:
            value = self.kind(text)
            if math.isfinite(value) and self.holds(value):
                return value
        except (ValueError, OverflowError):
            pass
        raise ValueError(f"must be {self.rule}, got {text!r}")

    def accepts(self, value: Any) -> bool:
        """Return whether a Python value is a number that obeys the rule; True and False are no numbers."""
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        try:
            of_kind: Any = self.kind(cast(Any, value))
            return self(repr(of_kind)) == of_kind and (self.kind is float or of_kind == value)
        except (ValueError, OverflowError):
            return False


def integer(low: int, high: int | None = None) -> number:
    """Return the parser of an integer from low to high."""
    rule = f"an integer of {low} or more" if high is None else f"an integer from {low} to {high}"
    return number(rule, lambda value: low <= value and (high is None or value <= high), int)


AT_LEAST_0 = number("a number of 0 or more", lambda value: value >= 0)
ABOVE_0 = number("a number > 0", lambda value: value > 0)
SHARE = number("a number from 0 to 1", lambda share: 0 <= share <= 1)
SHARE_ABOVE_0 = number("a number above 0 and up to 1", lambda share: 0 < share <= 1)
LEVEL = number("a number above 0 and below 1", lambda share: 0 < share < 1)


def parse_weights(text: str) -> dict[str, float]:
    """Parse `bm25=1,vector=0.5`."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, equals, weight = part.rpartition("=")
        if not (name and equals) or name in weights:
            raise ValueError(f"must be NAME=WEIGHT,NAME=WEIGHT, each name once, got {text!r}")
        weights[name] = AT_LEAST_0(weight)
    if not any(weights.values()):
        raise ValueError(f"must not all be 0, got {text!r}")
    return weights


KEEP = ("keep", "drop")


class Option(NamedTuple):
    """An option: its help, its default, and its choices or the parser of its values.

    value is the placeholder of a value in the help; is_list allows the option several times.
    """

    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    parse: Parse | None = None
    value: str = ""
    is_list: bool = False


OPTIONS = {
    # measures
    "measures": Option(
        "measures, as in ndcg@5,10,recall; the command `measures` lists them", value="LIST", is_list=True
    ),
    "ks": Option("cutoffs of measures without an @; None is the whole list", defaults.K),
    "min_grade": Option(
        "lowest relevant grade; by default every grade above 0 is relevant", parse=ABOVE_0, value="GRADE"
    ),
    "unjudged": Option(
        "items in rec without a row in truth: count as misses, or skip", "miss", ("miss", "skip")
    ),
    "without_relevant": Option("users without a relevant item: score 0, or skip", "zero", ("zero", "skip")),
    "users": Option(
        "all users to evaluate; users without a row in truth have no relevant item", value="FILE"
    ),
    "ties": Option(
        "order of equal scores: by item, as trec_eval orders them, or averaged over all orders",
        "item",
        tuple(defaults.TIES),
    ),
    # comparison
    "baseline": Option("model to compare all others with; without one, all pairs are compared", value="NAME"),
    "steps": Option("compare each model with the one before it by name (week2 before week10)", False),
    "margin": Option(
        "equivalence margin: smaller differences do not matter", parse=AT_LEAST_0, value="NUMBER"
    ),
    "test": Option("paired test of a difference", "t", tuple(defaults.TESTS)),
    "permutations": Option(
        "number of permutations of the randomization test",
        defaults.PERMUTATIONS,
        parse=integer(1, 10**7),
        value="N",
    ),
    "seed": Option("random seed of the permutations", defaults.SEED, parse=integer(0, 2**63 - 1), value="N"),
    "confidence": Option(
        "confidence level of intervals and verdicts", defaults.CONFIDENCE, parse=LEVEL, value="LEVEL"
    ),
    "correction": Option(
        "adjustment of p for multiple comparisons: Holm, Benjamini-Hochberg or none",
        "holm",
        tuple(defaults.CORRECTIONS),
    ),
    "predicted_truth": Option(
        "model-generated grades for the users in truth and more; the human grades in truth correct them",
        value="FILE",
    ),
    "persistence": Option(
        "weight of each rank relative to the rank above, in rank-biased overlap",
        defaults.PERSISTENCE,
        parse=SHARE_ABOVE_0,
        value="P",
    ),
    "also": Option(
        "numeric columns of the recommendations to compare too, with one value per user and model: "
        "latency_ms, cost:higher",
        value="COLUMN[:lower|higher]",
        is_list=True,
    ),
    # fusion
    "method": Option("fusion method", "rrf", ("rrf", "combsum", "combmnz", "borda")),
    "weights": Option(
        "weight of each model (1); 0 excludes it", parse=parse_weights, value="NAME=WEIGHT,..."
    ),
    "rrf_k": Option("constant k of reciprocal rank fusion", 60, parse=AT_LEAST_0, value="K"),
    "normalize": Option("normalization of scores", "min_max", ("min_max", "z_score", "sum", "none")),
    "depth": Option("number of rows of each list to use (all)", parse=integer(1), value="N"),
    # train and test
    "test_size": Option("length of the test period, as in '7 days', up to the last event", value="SPAN"),
    "test_from": Option("start of the test period", value="TIME"),
    "last": Option("leave-last-N-out: each user's last N events are the test", parse=integer(1), value="N"),
    "folds": Option("number of consecutive test periods", 1, parse=integer(1), value="N"),
    "gap": Option("time between train and test", value="SPAN"),
    "cold_users": Option("cold users: in test, not in its train", "keep", KEEP),
    "cold_items": Option("cold items: in test, not in its train", "keep", KEEP),
    "seen": Option("items that are in the user's train too", "keep", KEEP),
    # beyond-accuracy measures
    "history": Option("interaction history: adds popularity and novelty, and checks for leaks", value="FILE"),
    "items": Option(
        "catalog: adds diversity and coverage, and checks for missing items", value="FILE[:COLUMN]"
    ),
    "head": Option(
        "share of the history that the most popular items (the head) make up",
        defaults.HEAD,
        parse=SHARE,
        value="SHARE",
    ),
    "divergence": Option(
        "divergence for miscalibration: Jensen-Shannon or Kullback-Leibler", defaults.DIVERGENCE, ("js", "kl")
    ),
    "unit": Option("word for a user in messages, as in query", "user", parse=parse_unit, value="WORD"),
    # Python only
    "con": Option("connection whose tables you can name; the functions are registered on it"),
    "segments": Option("segment of each user: adds results for each segment"),
    "segment_col": Option("column of segments with the segment", "segment"),
    "category_col": Option("column of items with the category", "category"),
    "title_col": Option("column of items to show next to ids; by default title or text, if there is one"),
    "text_col": Option("column of segments to show next to users; by default text, if there is one"),
    "check": Option("whether to check the data; problems are warnings", True),
    "allow": Option(
        "errors or warnings of the check to accept, by their codes, as in no_common_id",
        parse=parse_codes,
        value="CODE",
        is_list=True,
    ),
    "user_col": Option("column of users; 'truth:qid' applies to one table or file, here and below", "userid"),
    "item_col": Option("column of items", "itemid"),
    "score_col": Option("column of scores in rec", "score"),
    "grade_col": Option("column of grades in truth; '' for none, by default rel if there is one"),
    "system_col": Option("column of models in rec; '' for none, by default system if there is one"),
    "descending": Option(
        "whether the highest score is the best; False for ranks and distances, {'b': False} for model b",
        True,
    ),
}
GRADES = ("min_grade", "unjudged", "without_relevant")  # arguments that control how grades are read
LISTS = ("head", "divergence")  # arguments of ranking.beyond_accuracy
ARGUMENTS = {  # the argument that names a column, by the name of the column in our tables
    "userid": "user_col",
    "itemid": "item_col",
    "score": "score_col",
    "rel": "grade_col",
    "system": "system_col",
    "time": "time_col",
    "title": "title_col",
    "text": "text_col",
}


class RecColumns(TypedDict, total=False):
    """The names of the columns of rec, in any case."""

    user_col: str
    item_col: str
    score_col: str
    system_col: str | None


class NamedColumns(RecColumns, total=False):
    """The names of all columns, and the options for grades."""

    grade_col: str | None
    min_grade: float | None
    unjudged: str
    without_relevant: str


class ColumnNames(NamedColumns, total=False):
    """The names of all columns, and the options for grades and scores."""

    descending: bool


class TestOptions(TypedDict, total=False):
    """The options of the tests of a comparison."""

    baseline: str | None
    confidence: float
    margin: float | None
    correction: str
    test: str
    permutations: int
    seed: int


class ComparisonOptions(TestOptions, total=False):
    """The options of a comparison, by their names in `ranking.compare_by_user`."""

    steps: bool


class Evaluating(NamedColumns, total=False):
    """The keywords of an evaluation; all have a default."""

    descending: bool | Mapping[str, bool]
    con: "duckdb.DuckDBPyConnection | None"
    segments: Any
    segment_col: str
    users: Any
    history: Any
    items: Any
    category_col: str
    head: float
    divergence: str
    ties: str
    unit: str
    check: bool
    allow: Sequence[str] | str | None


class Testing(Evaluating, TestOptions, total=False):
    """The keywords of an evaluation with tests."""

    predicted_truth: Any
    also: Sequence[str] | str | None


class Comparing(Testing, total=False):
    """The keywords of a comparison."""

    steps: bool


class Reading(RecColumns, total=False):
    """The keywords for the columns, scores and connection of rec."""

    descending: bool | Mapping[str, bool]
    con: "duckdb.DuckDBPyConnection | None"


class Checking(Reading, NamedColumns, total=False):
    """The keywords of the check."""

    history: Any
    users: Any
    items: Any
    predicted_truth: Any
    unit: str


class Explaining(Reading, total=False):
    """The keywords of an explanation."""

    grade_col: str | None
    min_grade: float | None
    ties: str
    unit: str


class Overlapping(Reading, total=False):
    """The keywords of an overlap."""

    baseline: str | None
    persistence: float
    unit: str


class Abstaining(Reading, total=False):
    """The keywords of an abstention."""

    grade_col: str | None
    min_grade: float | None
    users: Any
    confidence: float
    unit: str


class Fusing(Reading, total=False):
    """The keywords of a fusion."""

    method: str
    weights: Mapping[str, float] | None
    rrf_k: float
    normalize: str
    depth: int | None


class Splitting(TypedDict, total=False):
    """The keywords of a split."""

    test_size: str | int | None
    test_from: Any
    last: int | None
    folds: int
    gap: str | int | None
    cold_users: str
    cold_items: str
    seen: str
    user_col: str
    item_col: str
    con: "duckdb.DuckDBPyConnection | None"


class Reporting(Testing, total=False):
    """The keywords of a report."""

    title_col: str | None
    text_col: str | None


def names_of(of: type) -> list[str]:
    """Return the names of the options in a class of keywords, in the order of OPTIONS."""
    return [name for name in OPTIONS if name in of.__annotations__]


def options_of(values: Mapping[str, Any]) -> ComparisonOptions:
    """Return the options of a comparison."""
    return cast(ComparisonOptions, {name: values[name] for name in ComparisonOptions.__annotations__})


COMPARISON = options_of({name: option.default for name, option in OPTIONS.items()})
COLUMNS = cast(ColumnNames, {name: OPTIONS[name].default for name in ColumnNames.__annotations__})


def rec_columns(columns: ColumnNames) -> dict[str, str]:
    """Return the columns of rec in the user's table by our names; system only if the user names it."""
    names = {"userid": columns["user_col"], "itemid": columns["item_col"], "score": columns["score_col"]}
    return {**names, "system": columns["system_col"]} if columns["system_col"] else names


def truth_columns(columns: ColumnNames) -> dict[str, str]:
    """Return the columns of truth in the user's table by our names; rel only if the user names it."""
    names = {"userid": columns["user_col"], "itemid": columns["item_col"]}
    return {**names, "rel": columns["grade_col"]} if columns["grade_col"] else names


def check_keywords(caller: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError for an unknown name of an argument, with a suggestion."""
    for name in names:
        if name not in known:
            hint = " (did you mean ks?)" if name in ("k", "max_k") else did_you_mean(name, known)
            raise TypeError(f"{caller}: got an unexpected keyword argument {name!r}{hint}")


def columns_of(caller: str, arguments: Mapping[str, Any]) -> ColumnNames:
    """Return the arguments for columns; raise TypeError or ValueError for an invalid one."""
    columns = {name: arguments.get(name, default) for name, default in COLUMNS.items()}
    for name in (name for name in columns if name.endswith("_col")):
        kinds = (str, type(OPTIONS[name].default))  # None is allowed if it is the default
        if not isinstance(columns[name], kinds):
            raise TypeError(f"{caller}: {name} must be the name of a column, got {columns[name]!r}")
    if not isinstance(columns["descending"], bool):
        raise TypeError(f"{caller}: descending must be True or False, got {columns['descending']!r}")
    for name, value in columns.items():
        choices, parse = OPTIONS[name].choices, OPTIONS[name].parse
        is_left_out = value is None and OPTIONS[name].default is None
        if isinstance(parse, number) and not is_left_out and not parse.accepts(value):
            raise ValueError(f"{caller}: {name} must be {parse.rule}, got {value!r}")
        if choices and value not in choices:
            raise ValueError(f"{caller}: {name} must be {'|'.join(choices)}, got {value!r}")
    return cast(ColumnNames, columns)


def describe(names: Iterable[str]) -> str:
    """Return a line for each option, for the Args section of a docstring."""
    texts = []
    for name in names:
        option = OPTIONS[name]
        values = f": {', '.join(map(repr, option.choices))}" if option.choices else ""
        default = "" if option.default is None else f"; by default {option.default!r}"
        texts.append(f"        {name}: {option.help}{values}{default}.")
    return "\n".join(texts)

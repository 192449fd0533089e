"""Every option of an evaluation, a comparison or a report, once: its default, its values, one sentence.

The command makes its options of these, Python's functions their keywords and their tables of arguments.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import defaults

Parse = Callable[[str], Any]


def number(
    rule: str, holds: Callable[[float], bool] = math.isfinite, kind: type[float] | type[int] = float
) -> Parse:
    """Return the reader of a finite number; its ValueError says the rule that a text breaks."""

    def parse(text: str) -> float:
        try:
            found = kind(text)
            if math.isfinite(found) and holds(found):
                return found
        except (ValueError, OverflowError):
            pass
        raise ValueError(f"must be {rule}, got {text!r}")

    return parse


def integer(low: int, high: int | None = None) -> Parse:
    """Return the reader of an integer from low to high."""
    rule = f"an integer of {low} or more" if high is None else f"an integer from {low} to {high}"
    return number(rule, lambda found: low <= found and (high is None or found <= high), int)


AT_LEAST_0 = number("a number of 0 or more", lambda one: one >= 0)


class Option(NamedTuple):
    """An option: one sentence, its default, and its values: choices, or what reads a text.

    value is what stands for a value in help; is_list whether it may be given several times.
    """

    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    parse: Parse | None = None
    value: str = ""
    is_list: bool = False


OPTIONS = {
    # measures
    "measures": Option("such as ndcg@5,10,recall; `measures` lists them", value="LIST", is_list=True),
    "ks": Option("cut-offs of the other measures; None is the whole list", defaults.K),
    "min_grade": Option(
        "lowest relevant grade; by default every grade above 0 is relevant",
        parse=number("a number > 0", lambda grade: grade > 0),
        value="GRADE",
    ),
    "unjudged": Option("items that truth has no row for: misses, or left out", "miss", ("miss", "skip")),
    "ties": Option(
        "order of equal scores: by item, as trec_eval, or expected values over all orders",
        "item",
        tuple(defaults.TIES),
    ),
    # comparison
    "baseline": Option(
        "model to compare the others with; without one, each is compared with each", value="NAME"
    ),
    "margin": Option("treat smaller differences as equal", parse=AT_LEAST_0, value="NUMBER"),
    "test": Option("paired test of a difference", "t", tuple(defaults.TESTS)),
    "permutations": Option(
        "number of permutations of the randomization test",
        defaults.PERMUTATIONS,
        parse=integer(1, 10**7),
        value="N",
    ),
    "seed": Option("random seed of the permutations", defaults.SEED, parse=integer(0, 2**63 - 1), value="N"),
    "confidence": Option(
        "confidence level of intervals and verdicts",
        defaults.CONFIDENCE,
        parse=number("a number above 0 and below 1", lambda share: 0 < share < 1),
        value="LEVEL",
    ),
    "correction": Option(
        "of p for multiple comparisons: Holm, Benjamini and Hochberg, or none",
        "holm",
        tuple(defaults.CORRECTIONS),
    ),
    "persistence": Option(
        "of rank-biased overlap: how much each rank counts of what the one above does",
        defaults.PERSISTENCE,
        parse=number("a number above 0 and up to 1", lambda share: 0 < share <= 1),
        value="P",
    ),
    # what is in the lists
    "history": Option("what users had before: popularity, novelty, and a search for leaks", value="FILE"),
    "items": Option("the catalogue with its categories: diversity and coverage", value="FILE[:COLUMN]"),
    "head": Option(
        "share of the history that is popular",
        defaults.HEAD,
        parse=number("a number from 0 to 1", lambda share: 0 <= share <= 1),
        value="SHARE",
    ),
    "divergence": Option(
        "of miscalibration: Jensen-Shannon or Kullback-Leibler", defaults.DIVERGENCE, ("js", "kl")
    ),
    # of Python alone
    "con": Option(
        "connection whose tables may be named; the pack is registered on it, nothing of yours is replaced"
    ),
    "segments": Option("users and what they belong to: results for each segment, too"),
    "segment_col": Option("column of segments that names the segment", "segment"),
    "category_col": Option("column of items that names the category", "category"),
    "check": Option("whether to look for problems in the data; what is found is a warning", True),
    "allow_empty": Option("whether a model may have no user or no item in common with truth", False),
    "user_col": Option("column of users", "userid"),
    "item_col": Option("column of items", "itemid"),
    "score_col": Option("column of scores in rec", "score"),
    "grade_col": Option("column of grades in truth; '' for none, by default rel if there is one"),
    "system_col": Option("column of models in rec; '' for none, by default system if there is one"),
    "descending": Option("whether the highest score is the best; False for ranks and distances", True),
}
PYTHON = (
    *("con", "segments", "segment_col", "history", "items", "category_col", "head", "divergence", "ties"),
    *("check", "allow_empty", "user_col", "item_col", "score_col", "grade_col", "system_col"),
    *("descending", "min_grade", "unjudged"),
)
COMPARED = ("baseline", "confidence", "margin", "correction", "test", "permutations", "seed")


def describe(names: Iterable[str]) -> str:
    """Return a line for each option, as docstrings have arguments."""
    texts = []
    for name in names:
        one = OPTIONS[name]
        values = f": {', '.join(map(repr, one.choices))}" if one.choices else ""
        default = "" if one.default is None else f"; by default {one.default!r}"
        texts.append(f"        {name}: {one.help}{values}{default}.")
    return "\n".join(texts)

"""Defaults shared by the command, Python and Spark, and the values that options may have."""

MEASURES = ("recall", "precision", "average_precision", "mrr", "ndcg", "hit_rate", "f_measure")
K = 10
LARGEST_K = 2**31 - 1  # of a cut-off; no list in DuckDB or Spark is longer
DIGITS = 4  # significant ones, where people read numbers

TIES = {  # how equal scores are ordered, and how a report says it
    "item": "ordered by item, ascending",
    "trec": "ordered as trec_eval does",
    "expected": "expected values over all orders (the curve: ordered by item)",
}
NO_CLOSED_FORM = "has no closed form over all orders of equal scores"  # as ties "expected" needs
TESTS = {"t": "the paired t-test", "randomization": "the paired randomization test"}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg", "none": None}  # of p: option and author
CONFIDENCE, PERMUTATIONS, SEED = 0.95, 10_000, 0
HEAD, DIVERGENCE = 0.8, "js"  # of what is in the lists
PERSISTENCE = 0.9  # of rank-biased overlap

NONE = "(none)"  # a model without a name, the segment of a user without one
EVERYBODY = "(all)"  # the segment of all users
FORMULA = r"^[-=+@\t\r]"  # matches text that a spreadsheet computes, in Python and in DuckDB

"""Defaults shared by the command, Python and Spark, and the values that options may have."""

MEASURES = ("recall", "precision", "average_precision", "mrr", "ndcg", "hit_rate", "f_measure")
DIGITS = 4  # significant digits in tables and sentences

TIES = {  # order of equal scores: option and description in the report
    "item": "ordered by item, ascending",
    "trec": "ordered as trec_eval does",
    "expected": "averaged over all orders (curve: ordered by item)",
}
NO_CLOSED_FORM = "has no closed form over all orders of equal scores"  # required by ties "expected"
TESTS = {"t": "paired t-test", "randomization": "paired randomization test"}
OTHER_TESTS = {  # the beginning of the column `method`, where it is not that of the requested test
    "the same difference": "sign test, since all {units} differ by the same",
    "identical": "none, since the values of all {units} are equal",
    "exact": "exact randomization test",
}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": None}  # adjustment of p: option and name

NONE = "(none)"  # the name of a model without a name, and the segment of a user without a segment
EVERYBODY = "(all)"  # the segment of all users
FORMULA = r"^[-=+@\t\r]"  # matches text that a spreadsheet computes, in Python and in DuckDB

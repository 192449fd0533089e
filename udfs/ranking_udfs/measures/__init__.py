"""The measures: what each is, on NumPy alone (no pyarrow and no duckdb may be imported here).

`formulas` and `beyond_accuracy` have a pure function for each, from a batch of `rankings` or of lists to one
number per row; `ragged` is the arithmetic that they share; the `registry` knows what they are called, which
options they take and what they do at the edges, `contents` what SQL alone computes, of tables, and the
`grammar` how a text such as `ndcg(gain=linear)@5,10` names one.
"""

from . import beyond_accuracy as beyond_accuracy  # both fill the registry
from . import formulas as formulas

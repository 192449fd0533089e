"""The measures, computed with NumPy alone (no pyarrow and no duckdb may be imported here).

`formulas` and `beyond_accuracy` have a pure function for each measure, from a batch of `rankings` or of lists
to one number per row. `ragged` has the arithmetic that they share. The `registry` has the names, options and
edge cases. `contents` has the measures of tables that only SQL computes. The `grammar` parses strings such as
`ndcg(gain=linear)@5,10`.
"""

from . import beyond_accuracy as beyond_accuracy  # Both modules fill the registry.
from . import formulas as formulas

"""The functions for any engine: Arrow arrays in, one Arrow array out (duckdb may not be imported here).

`layouts` converts the arrays of an engine. `items` and `judge` turn rec and truth into judged rankings.
`functions` computes their measures, and keeps the last batch in `batches`.
"""

import pyarrow as pa

OLDEST = 19  # as in pyproject.toml

if int(pa.__version__.partition(".")[0]) < OLDEST:
    raise ImportError(
        f"ranking_udfs: pyarrow must be {OLDEST} or later, got {pa.__version__}: "
        "pip install --upgrade pyarrow",
        name="pyarrow",
    )

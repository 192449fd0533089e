"""The functions as any engine calls them: Arrow arrays in, one Arrow array out (no duckdb here).

A batch of rows passes through `layouts` (what an engine hands over), `items` and `judge` (rec and truth to a
judged ranking), and `functions` (the measures of it), which keeps the last batch in `batches`.
"""

import pyarrow as pa

OLDEST = 19  # as in pyproject.toml

if int(pa.__version__.partition(".")[0]) < OLDEST:
    raise ImportError(
        f"ranking_udfs: pyarrow must be {OLDEST} or later, got {pa.__version__}: "
        "pip install --upgrade pyarrow",
        name="pyarrow",
    )

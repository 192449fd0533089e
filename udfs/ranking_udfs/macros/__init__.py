"""The macros of SQL, as the files in `sql/` have them, before they are written down (no table is read here).

`files` makes those of `register`, and says what they take; `portable` makes the script for clients without
Python: `script` renders the templates of table functions with arguments that only DuckDB will know, `judged`
the formulas of measures, and `inline` puts all that these call into them. `standalone` makes printed SQL run
without the pack.
"""

"""Build the SQL macros from the files in `sql/` (no table is read here).

`files` builds the macros for `register` and lists their parameters. `portable` builds the script for clients
without Python. For the script, `script` renders the templates of table functions with arguments unknown until
DuckDB plans the query, `judged` renders the formulas of measures, and `inline` replaces the calls in both.
`standalone` adds macros to printed SQL, so that it runs without ranking-udfs.
"""

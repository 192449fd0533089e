"""Build the SQL macros from the files in `sql/` (no table is read here).

`files` builds the macros for `register` and lists their parameters. `script` builds the script for clients
without Python, with default options, and `judged` the measures in it. `frozen` makes a macro of one call with
any options.
"""

"""The command `ranking-udfs`: from arguments to text and files. No other package may import this one.

`options` defines the commands and their options; click builds parsers and help from them. `values` parses
the values of options. `cli` is the process: it checks the rules between options and calls `commands`.
`session` opens DuckDB, handles Ctrl-C and shows progress; `standard_input` reads a pipe. `tables` renders
results as text, or as files by DuckDB's COPY; `output` writes files. `messages` prints to stderr, and
`listing` explains measures and functions.
"""

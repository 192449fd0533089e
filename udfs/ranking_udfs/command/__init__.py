"""The command `ranking-udfs`: from arguments to text and files (no other room may import this one).

`cli` is the process; `help.txt` says which command has which options, `options` and `values` how they are
read, `arguments` makes argparse's parsers of both, and `requests` a `Job`, all that `commands` knows.
`session` is DuckDB, Ctrl-C and progress, `standard_input` what comes by a pipe; `text_tables` and
`comparison_tables` show results as text, which `output` writes; `messages` goes to stderr, and `listing`
explains measures.
"""

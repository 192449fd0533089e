"""The command `ranking-udfs`: from arguments to text and files (no other room may import this one).

`cli` is the process, `arguments` reads its arguments with argparse, and `requests` makes of them a `Job`,
which is all that `commands` knows. `session` is DuckDB, Ctrl-C and progress, `standard_input` what comes by a
pipe; `text_tables` and `comparison_tables` show results as text, which `output` writes; `messages` goes to
stderr, and `listing` explains measures.
"""

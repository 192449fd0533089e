"""Evaluation: what to measure and compare, its SQL, conclusions in words (no argparse, no files, no doors).

`queries` has what is asked for, a `Request`, and plans the statements that answer it over the tables rec,
truth and segments. `comparison` adds the statements that compare models, and `conclusion` says in words what
those found. `defaults`, `columns`, `errors` and `words` hold what all doors of the package share.
"""

"""Evaluation: what to measure and compare, its SQL, conclusions in words (no files, no entry point).

`queries` has what is asked for, a `Request`, and plans the statements that answer it over the tables rec,
truth and segments. `comparison` adds the statements that compare models, and `conclusion` says in words what
those found. `options` has each option once; `defaults`, `errors` and `words` are what all entry points share.
"""

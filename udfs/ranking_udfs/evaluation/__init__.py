"""Evaluation: options, queries and conclusions. It reads no files and imports no entry point.

`queries` defines a `Request`, and plans the statements that answer it from the tables rec, truth and
segments. `comparison` adds the statements that compare models, and `conclusion` writes their results as
sentences. `options` defines each option once. All entry points share `defaults`, `errors` and `words`.
"""

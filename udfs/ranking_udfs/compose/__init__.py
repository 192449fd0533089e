"""Compose the SQL of each call: a query of a few CTEs (uses Jinja2, the measures and DuckDB's version).

`arguments` parses the arguments of a call, `columns` checks the user's tables, and `call` has the values that
templates read. `measures` renders formulas, `templates` and `compiled` load the files of `sql/`, and
`functions` composes. Functions with arguments of their own have calls in `comparison`, `check` (its codes are
in `problems`), `lists`, `explain`, `intents`, `fusing` and `split`. `portable` has the rules about columns
as SQL, for macros without Python. Jinja2 is imported on the first call.
"""

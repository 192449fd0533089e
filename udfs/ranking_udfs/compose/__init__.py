"""SQL composed per call: a text of a few CTEs (with Jinja2, the measures, and of DuckDB its version alone).

`arguments` parses a call from SQL, `columns` checks the user's tables, `call` answers what a template asks,
`measures` renders formulas, `templates` and `compiled` load what `sql/` holds, and `functions` composes.
Functions with arguments of their own have calls in `comparison`, `check` (its codes in `problems`), `lists`,
`explain`, `intents`, `fusing` and `split`. `symbols` renders the same templates with arguments that only
DuckDB will know, for the package `macros`. Jinja2 is imported when the first text is composed.
"""

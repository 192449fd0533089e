"""Files, tables and data frames as the tables rec, truth and segments (may import no entry point).

`files` finds out how DuckDB reads a file and which of its columns are what, `catalogs` which names mean a
table instead, and `tables` makes the TEMP tables of an evaluation of both. `evaluation` is the work itself:
an `Evaluation` loads, checks, measures and compares.
"""

"""The command `ranking-udfs`: from arguments to text and files (no other package may import this one).

`options` has the commands and their options, of which click makes parsers and help; `values` says how they
are read, and `cli` is the process and has the rules between options, whose values `commands` gets.
`session` is DuckDB, Ctrl-C and progress, `standard_input` what comes by a pipe; `tables` shows results as
text or writes them as DuckDB does, to where `output` says; `messages` goes to stderr, and `listing` explains
measures.
"""

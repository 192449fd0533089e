"""The command `ranking-udfs`: from files to a report (no other room may import this one).

A request goes one way: `arguments` reads what is asked for, and `cli` has it done: `files` finds out what
the files or the tables of a database hold, `tables` makes tables of that, `evaluation` makes the SQL over
those, `report` shows what came out, and `output` writes it. A comparison of models adds to that way
`comparison`, which makes its SQL, and `conclusion`, its report; a page adds `gathering`, which finds out
what it shows, and `notebook`, which does so for tables of a connection. Beside that way stand `session`
(DuckDB, Ctrl-C, progress), `messages` (what is said on stderr) and `listing` (what is said of the
measures).
"""

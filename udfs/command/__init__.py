"""The command `ranking-udfs`: from files to a report (no other room may import this one).

A request goes one way: `cli` reads the arguments, `files` finds out what the files hold and makes tables of
them, `evaluation` makes the SQL over those tables, `report` shows what came out, and `output` writes it. A
comparison of models adds to that way `comparison`, which makes its SQL, and `conclusion`, its report; a page
adds `gathering`, which finds out what it shows, and `notebook`, which does so for tables of a connection.
Beside that way stand `session` (DuckDB, Ctrl-C, progress) and `messages` (what is said on stderr).
"""

"""The command `ranking-udfs`: from files to a report (no other room may import this one).

`cli` reads the arguments, `files` finds out what the files hold, `evaluation` makes the SQL of it, and
`report` shows what came out.
"""

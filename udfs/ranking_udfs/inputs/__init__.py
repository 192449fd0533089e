"""Read files, tables and data frames as the tables rec, truth and segments. It imports no entry point.

`files` chooses the reader of a file and the role of each column. `catalogs` resolves names of tables, and
`tables` makes the TEMP tables of an evaluation. `requests` makes a request from options, `evaluation` loads
it, `problems` checks its data, and `measuring` measures it.
"""

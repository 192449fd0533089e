"""Run a file of SQL with the pack on an in-memory database, and print what each SELECT returns.

python examples/run_sql.py examples/recommender.sql
"""

import sys
from pathlib import Path

import duckdb

import ranking_udfs


def run(con: duckdb.DuckDBPyConnection, text: str) -> None:
    """Run the statements, each with its semicolon at the end of a line.

    What a SELECT returns is printed below the comment that stands above it.
    """
    for part in text.split(";\n"):
        for statement in con.extract_statements(part):
            if statement.type == duckdb.StatementType.SELECT:
                print(*(line[3:] for line in part.splitlines() if line.startswith("--")), sep="\n")
                con.sql(part).show(max_width=200)
            else:
                con.execute(statement)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE.sql")
    run(ranking_udfs.register(duckdb.connect()), Path(sys.argv[1]).read_text(encoding="utf-8"))

"""Run a SQL file with ranking-udfs on an in-memory database, and print the result of each SELECT.

python examples/run_sql.py examples/recommender.sql
"""

import sys
from pathlib import Path

import duckdb

import ranking_udfs


def run(con: duckdb.DuckDBPyConnection, text: str) -> None:
    """Run the statements, each with its semicolon at the end of a line.

    The result of a SELECT is printed below its comment.
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

"""The pack inside DuckDB: its functions and its SQL, put into a connection (the command stays outside)."""

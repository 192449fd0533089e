"""The functions as any engine calls them: Arrow arrays in, one Arrow array out (no duckdb in this room).

A batch of rows passes through `layouts` (what an engine hands over), `items` and `judge` (rec and truth to a
judged ranking), and `functions` (the measures of it), which keeps the last batch in `batches`.
"""

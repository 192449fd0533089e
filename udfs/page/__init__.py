"""A report as one page of HTML (may import vl_convert, to draw with, but no DuckDB and no other room).

`findings` is what there is to show, as plain data. `charts` says what each chart looks like, as a
specification for Vega-Lite, `drawing` makes SVG and PNG of it, and `page` puts everything onto a page, in the
style of `page.css`.
"""

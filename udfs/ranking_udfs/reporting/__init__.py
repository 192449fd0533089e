"""Write a report as one HTML page. It may import vl_convert and jinja2, but no entry point.

`findings` computes the results by SQL and keeps them as plain data. `charts` makes a Vega-Lite
specification of each chart, `drawing` renders it as SVG or PNG, and `page` fills the template
`page.html.jinja` with the style `page.css`.
"""

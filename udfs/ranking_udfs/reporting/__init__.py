"""A report as one page of HTML (may import vl_convert and jinja2, but no entry point).

`findings` finds out by SQL what there is to show, and holds it as plain data. `charts` says what each
chart looks like, as a specification for Vega-Lite, `drawing` makes SVG and PNG of it, and `page` puts
everything onto a page: `page.html.jinja`, in the style of `page.css`.
"""

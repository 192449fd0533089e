"""Render Vega-Lite specifications as SVG and PNG."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

Specification = Mapping[str, Any]

INK, GRID, BAND = "#1a1a1a", "#d9d9d9", "#767676"
LOSS = "#e69f00"  # lighter than a win and darker than a tie, for color-blind readers
# The palette of Okabe and Ito. Some colors are darker, for a contrast of 3:1 on white (WCAG 2.2, 1.4.11). The
# first color is for the baseline.
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#b57d00", "#b9598d", "#2f8fcb", "#8f8600")
VARIABLES = {
    INK: "currentColor",
    GRID: "var(--grid)",
    BAND: "var(--band)",
    LOSS: "var(--loss)",
    **{colour: f"var(--c{i})" for i, colour in enumerate(COLOURS, start=1)},
}
# Attributes of Vega that have no effect in a picture with its own label, or that the style of the page sets.
SUPERFLUOUS = re.compile(r"aria-.*|role|class|pointer-events|font-family|xmlns.*|version|stroke-miterlimit")
DEFAULTS = {"opacity": "1", "stroke-width": "1", "font-weight": "normal", "transform": "translate(0,0)"}


def library() -> Any:
    """Import vl_convert, of the extra `report`; the ImportError tells how to install it."""
    try:
        return import_module("vl_convert")
    except ImportError:
        raise ImportError("needs vl-convert-python: pip install vl-convert-python") from None


def image(specification: Specification, form: str) -> bytes:
    """Render the chart on white as a file: svg, or png with two pixels per point."""
    white = {**specification, "background": "white"}
    if form == "png":
        return bytes(library().vegalite_to_png(white, scale=2))
    return str(library().vegalite_to_svg(white)).encode()


def inline_svg(specification: Specification, name: str, text: str) -> str:
    """Render the chart as a part of a page, in the colors and font of the page.

    `name` is the prefix of the ids of this chart, to keep them unique; `text` describes it to screen readers.
    """
    root = ElementTree.fromstring(library().vegalite_to_svg(specification))
    simplify(root, name)
    root.attrib = {"role": "img", "aria-label": text, **root.attrib}
    return ElementTree.tostring(root, encoding="unicode")


def simplify(element: ElementTree.Element, name: str) -> None:
    """Remove elements that draw nothing, and set the colors of the page in the others."""
    element.tag = element.tag.rpartition("}")[2]
    element.attrib = {
        key: attribute(key, value, name)
        for key, value in element.attrib.items()
        if not SUPERFLUOUS.fullmatch(key) and DEFAULTS.get(key) != value
    }
    children = []
    for child in element:
        is_frame = child.get("class") in ("background", "foreground")
        simplify(child, name)
        if child.tag == "g" and not child.attrib:
            children += list(child)
        elif not is_frame:
            children.append(child)
    element[:] = [child for child in children if child.tag != "g" or len(child)]


def attribute(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key in ("fill", "stroke"):
        return VARIABLES.get(value, value)
    if key in ("transform", "d"):
        return re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.1f}".removesuffix(".0"), value)
    return value.replace("url(#", f"url(#{name}-")

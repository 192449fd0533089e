"""The charts of a report: for each a Vega-Lite specification, a title with its message, and its numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10
from typing import Any

from ..evaluation.words import MARKS, Row, cut_off_key, format_cut_off, format_number, join_names
from .drawing import BAND, COLOURS, GRID, INK, LOSS
from .findings import Contents, Findings, ReportMeasure

MOST_SYSTEMS = len(COLOURS)
MOST_SEGMENTS = 15  # in a chart
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
)
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"  # whose widths are the same everywhere
WIDTH, HEIGHT = 400, 170  # the width with all axes and names, the height without
LABELS = 130  # pixels of a name beside an axis
CONFIG = {
    "aria": False,
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": GRID,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelLimit": LABELS,
    },
    "legend": {
        "labelColor": INK,
        "orient": "bottom",
        "columns": 3,
        "labelFontSize": 12,
        "labelLimit": LABELS,
    },
    "header": {"labelColor": INK, "labelFontSize": 12, "labelLimit": 200, "title": None},
}


@dataclass(frozen=True)
class Chart:
    """A chart and its table.

    name    for a file, and for ids on a page
    title   the message of the chart
    header  of the table
    rows    the cells of the table, numbers as they are
    """

    name: str
    title: str
    specification: dict[str, Any]
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]


def charts(findings: Findings) -> dict[str, list[Chart]]:
    """Make all charts, by the section that they stand in."""
    several = [(i, one) for i, one in enumerate(findings.measures) if len(one.cuts) > 1]
    single = [(i, one) for i, one in enumerate(findings.measures) if len(one.cuts) == 1]
    return {
        "means": [means(findings, i, one) for i, one in single],
        "by k": [by_k(findings, i, one) for i, one in several],
        "differences": [
            chart(findings, i, one)
            for chart in (differences, wins)
            for i, one in enumerate(findings.measures)
            if findings.baseline is not None
        ],
        "contents": [] if findings.contents is None else contents(findings, findings.contents),
        "curve": [curve(findings)] if findings.curve else [],
        "users": [histogram(findings)],
        "segments": [segments(findings)] if findings.segments else [],
    }


def specification(data: Sequence[Any], **rest: Any) -> dict[str, Any]:
    """Make a complete specification of these rows; a single view is as wide as its column on the page."""
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    fit = {"autosize": {"type": "fit-x", "contains": "padding"}} if "width" in rest else {}
    return {"$schema": schema, "config": CONFIG, **fit, "data": {"values": list(data)}, **rest}


def chart_systems(findings: Findings) -> list[str]:
    """Return the systems that charts show, as many as can be told apart."""
    return list(findings.systems[:MOST_SYSTEMS])


def system_encoding(findings: Findings, legend: bool) -> dict[str, Any]:
    """Encode systems by colour and shape, in one legend or in none."""
    systems = chart_systems(findings)
    columns = 3 if max(map(len, systems)) <= 12 else 2
    shown = {"legend": {"columns": columns, "symbolOpacity": 1} if legend and len(systems) > 1 else None}
    field = {"field": "system", "type": "nominal", "title": None, **shown}
    return {
        "color": {**field, "scale": {"domain": systems, "range": COLOURS[: len(systems)]}},
        "shape": {**field, "scale": {"domain": systems, "range": SHAPES[: len(systems)]}},
    }


def number_axis(field: str, title: str, zero: bool = False, **rest: Any) -> dict[str, Any]:
    """Make an axis of numbers."""
    return {"field": field, "type": "quantitative", "title": title, "scale": {"zero": zero, **rest}}


def ticks_with_zero(values: Sequence[float]) -> dict[str, Any]:
    """Make an axis whose ticks are some five multiples of 1, 2 or 5 times a power of ten, 0 among them."""
    low, high = min([0.0, *values]), max([0.0, *values])
    if not 0 < high - low < inf:
        return {"tickCount": 5}
    power = 10.0 ** floor(log10((high - low) / 5))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= (high - low) / 5)
    places = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    decimals = max(-floor(log10(step) + 1e-9), 0)
    return {"values": [round(place * step, decimals + 2) for place in places], "format": f".{decimals}f"}


def name_axis(field: str, names: Sequence[str], title: str | None) -> dict[str, Any]:
    """Make an axis of names in this order, a line for each."""
    return {"field": field, "type": "nominal", "sort": names, "title": title}


def point_mark(**rest: Any) -> dict[str, Any]:
    return {"type": "point", "filled": True, "size": 60, "opacity": 1, **rest}


def chart_rows(findings: Findings, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows of the systems that charts show."""
    systems = set(chart_systems(findings))
    return [dict(row) for row in rows if row["system"] in systems]


# --- Means ---


def measure_rows(findings: Findings, place: int) -> list[Row]:
    return [row for row in findings.means if row["place"] == place]


def best_systems(measure: ReportMeasure, rows: Sequence[Row]) -> list[str]:
    """Return the systems with the best mean; none where the means are of different users."""
    if measure.higher_is_better is None or len({row["users"] for row in rows}) != 1 or not rows[0]["users"]:
        return []
    at = (max if measure.higher_is_better else min)(row["mean"] for row in rows)
    return [row["system"] for row in rows if row["mean"] == at]


def leader_text(findings: Findings, measure: ReportMeasure, rows: Sequence[Row]) -> str:
    """Say which systems are best at which k; of one system, its values."""
    if not any(row["users"] for row in rows):
        return ": no user has a value"
    if len(findings.systems) == 1:
        is_single = len(measure.cuts) == 1  # and so in the title already
        texts = [
            format_number(row["mean"]) + ("" if is_single else f" at {format_cut_off(row['k'])}")
            for row in rows
            if row["users"]
        ]
        return f": {', '.join(texts)}"
    places: dict[str, list[str]] = {}
    for k in measure.cuts:
        names = best_systems(measure, [row for row in rows if row["k"] == k])
        if names:
            is_all = len(names) == len(findings.systems)
            word = "highest for" if measure.higher_is_better else "lowest for"
            text = "the same for all" if is_all else f"{word} {join_names(names)}"
            places.setdefault(text, []).append(format_cut_off(k))
    if len(measure.cuts) == 1:
        texts = list(places)
    elif [len(ks) for ks in places.values()] == [len(measure.cuts)]:
        texts = [f"{text} at every k" for text in places]
    else:
        texts = [f"{text} at k = {', '.join(ks)}" for text, ks in places.items()]
    return f": {'; '.join(texts)}" if texts else ""


def slug(kind: str, place: int, measure: ReportMeasure) -> str:
    return f"{kind}-{place + 1}-{measure.name.partition('(')[0]}"


def means(findings: Findings, place: int, measure: ReportMeasure) -> Chart:
    """Draw the means at one cut-off, with intervals."""
    rows = measure_rows(findings, place)
    y = name_axis("system", chart_systems(findings), None)
    few = {"axis": {"tickCount": 5}}
    interval = {"x": {**number_axis("low", measure.title), **few}, "x2": {"field": "high"}}
    look = system_encoding(findings, legend=False)
    spec = specification(
        chart_rows(findings, rows),
        width=WIDTH,
        height={"step": 26},
        encoding={"y": y, "color": look["color"]},
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": interval},
            {"mark": point_mark(), "encoding": {"x": {**number_axis("mean", measure.title), **few}, **look}},
        ],
    )
    title = measure.at(measure.cuts[0]) + leader_text(findings, measure, rows)
    return Chart(slug("means", place, measure), title, spec, *means_table(rows))


def means_table(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    header = ["System", "k", "Users", "Mean", "Low", "High"]
    return header, [
        [row["system"], format_cut_off(row["k"]), row["users"], row["mean"], row["low"], row["high"]]
        for row in rows
    ]


def by_k(findings: Findings, place: int, measure: ReportMeasure) -> Chart:
    """Draw the means by cut-off, a line with a band for each system."""
    rows = measure_rows(findings, place)
    data = [{**row, "k": format_cut_off(row["k"])} for row in chart_rows(findings, rows)]
    ks = [format_cut_off(k) for k in sorted(measure.cuts, key=cut_off_key)]
    look = system_encoding(findings, legend=True)
    x = {"field": "k", "type": "ordinal", "sort": ks, "title": "cut-off k", "axis": {"labelAngle": 0}}
    band = {"y": number_axis("low", measure.title), "y2": {"field": "high"}, "color": look["color"]}
    spec = specification(
        data,
        width=WIDTH,
        height=HEIGHT,
        encoding={"x": x},
        layer=[
            {"mark": {"type": "area", "opacity": 0.15}, "encoding": band},
            {"mark": "line", "encoding": {"y": number_axis("mean", measure.title), "color": look["color"]}},
            {"mark": point_mark(), "encoding": {"y": number_axis("mean", measure.title), **look}},
        ],
    )
    title = f"{measure.title} by cut-off{leader_text(findings, measure, rows)}"
    return Chart(slug("by-k", place, measure), title, spec, *means_table(rows))


# --- Differences ---


def comparison_rows(findings: Findings, measure: ReportMeasure) -> list[Row]:
    return [row for row in findings.comparisons if row["measure"] == measure.name]


def difference_layers(
    findings: Findings, rows: Sequence[Row], y: dict[str, Any], title: str
) -> list[dict[str, Any]]:
    """Make the layers of an interval plot: the zero line, the margin, the intervals."""
    margins = [] if findings.margin is None else [-findings.margin, findings.margin]
    shown = [row[name] for row in rows for name in ("low", "high", "value") if row[name] is not None]
    axis = ticks_with_zero([*shown, *margins])

    def x(field: str) -> dict[str, Any]:
        return {**number_axis(field, title, padding=8), "axis": axis}

    layers: list[dict[str, Any]] = []
    if findings.margin is not None:
        layers.append(
            {
                "data": {"values": [{"from": -findings.margin, "to": findings.margin}]},
                "mark": {"type": "rect", "color": BAND, "opacity": 0.25},
                "encoding": {"x": x("from"), "x2": {"field": "to"}},
            }
        )
    layers.append(
        {
            "data": {"values": [{"zero": 0}]},
            "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
            "encoding": {"x": x("zero")},
        }
    )
    look = system_encoding(findings, legend=False)
    data = {"values": list(rows)}
    interval = {"x": x("low"), "x2": {"field": "high"}, "y": y, "color": look["color"]}
    layers.append({"data": data, "mark": {"type": "rule", "strokeWidth": 2}, "encoding": interval})
    layers.append({"data": data, "mark": point_mark(), "encoding": {"x": x("value"), "y": y, **look}})
    return layers


def verdict_text(rows: Sequence[Row]) -> str:
    """List the systems that are better, worse, the same or unclear."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["verdict"], []).append(row["system"])
    return "; ".join(f"{join_names(found[verdict])} {verdict}" for verdict in MARKS if verdict in found)


def differences(findings: Findings, place: int, measure: ReportMeasure) -> Chart:
    """Draw the differences to the baseline at the first cut-off, with intervals."""
    every = comparison_rows(findings, measure)
    rows = [row for row in every if row["k"] == measure.cuts[0]]
    data = [
        {name: row[name] for name in ("system", "low", "high")} | {"value": row["difference"]}
        for row in chart_rows(findings, rows)
    ]
    y = name_axis("system", chart_systems(findings), None)
    spec = specification(
        [],
        width=WIDTH,
        height={"step": 26},
        layer=difference_layers(findings, data, y, f"difference to {findings.baseline}"),
    )
    header = ["System", "k", "Mean", "Baseline", "Difference", "Low", "High", "p", "Verdict"]
    cells = [
        [
            row["system"],
            format_cut_off(row["k"]),
            row["mean_system"],
            row["mean_baseline"],
            row["difference"],
            row["low"],
            row["high"],
            row["p_adjusted"],
            row["verdict"],
        ]
        for row in every
    ]
    title = f"{measure.at(measure.cuts[0])} against {findings.baseline}: {verdict_text(rows)}"
    return Chart(slug("differences", place, measure), title, spec, header, cells)


OUTCOMES = ("wins", "ties", "losses")


def wins(findings: Findings, place: int, measure: ReportMeasure) -> Chart:
    """Draw the shares of users with whom each system wins, ties and loses."""
    every = comparison_rows(findings, measure)
    rows = [row for row in every if row["k"] == measure.cuts[0]]
    data = [
        {
            "system": row["system"],
            "outcome": outcome,
            "order": i,
            "share": row[outcome] / row["users"] if row["users"] else 0,
        }
        for row in chart_rows(findings, rows)
        for i, outcome in enumerate(OUTCOMES)
    ]
    colour = {"domain": OUTCOMES, "range": [COLOURS[1], GRID, LOSS]}
    spec = specification(
        data,
        width=WIDTH,
        height={"step": 26},
        mark={"type": "bar", "stroke": INK, "strokeWidth": 0.5},
        encoding={
            "y": name_axis("system", chart_systems(findings), None),
            "x": {
                **number_axis("share", "share of users", domain=[0, 1]),
                "axis": {"format": "%", "tickCount": 5},
            },
            "order": {"field": "order", "type": "quantitative"},
            "color": {
                "field": "outcome",
                "type": "nominal",
                "title": None,
                "sort": OUTCOMES,
                "scale": colour,
            },
        },
    )
    header = ["System", "k", "Users", "Wins", "Ties", "Losses"]
    cells = [
        [row["system"], format_cut_off(row["k"]), row["users"], row["wins"], row["ties"], row["losses"]]
        for row in every
    ]
    texts = [
        f"{row['system']} wins with {row['wins'] / row['users']:.0%} of users, loses with "
        f"{row['losses'] / row['users']:.0%}"
        for row in rows[:2]
        if row["users"]
    ]
    more = f"; and {len(rows) - 2} more" if len(rows) > 2 else ""
    title = f"{measure.at(measure.cuts[0])}: {'; '.join(texts) or 'no user has values of both'}{more}"
    return Chart(slug("wins", place, measure), title, spec, header, cells)


# --- What is in the lists ---


def contents(findings: Findings, found: Contents) -> list[Chart]:
    """Draw what is in the lists."""
    drawn = [accuracy_and_popularity(findings, found), head_and_tail(findings, found)]
    return drawn + ([categories(findings, found)] if found.categories else [])


def accuracy_and_popularity(findings: Findings, found: Contents) -> Chart:
    """Draw the first measure against popularity, a point with two intervals for each system."""
    measure = findings.first
    at, what = measure.at(found.k), "popularity: share of users who have an item"
    means = {row["system"]: row for row in measure_rows(findings, 0) if row["k"] == found.k}
    pairs = [(means[row["system"]], row) for row in found.popularity]
    data = [
        {"system": row["system"]}
        | {
            f"{name} {side}": of[side]
            for name, of in (("y", mean), ("x", row))
            for side in ("mean", "low", "high")
        }
        for mean, row in pairs
        if mean["mean"] is not None and row["mean"] is not None
    ]

    def x(side: str) -> dict[str, Any]:
        return {**number_axis(f"x {side}", what, padding=8), "axis": {"tickCount": 5}}

    def y(side: str) -> dict[str, Any]:
        return {**number_axis(f"y {side}", at, padding=8), "axis": {"tickCount": 5}}

    look = system_encoding(findings, legend=True)
    rule = {"type": "rule", "strokeWidth": 1.5}
    spec = specification(
        chart_rows(findings, data),
        width=WIDTH,
        height=HEIGHT,
        encoding={"color": look["color"]},
        layer=[
            {"mark": rule, "encoding": {"x": x("mean"), "y": y("low"), "y2": {"field": "y high"}}},
            {"mark": rule, "encoding": {"x": x("low"), "x2": {"field": "x high"}, "y": y("mean")}},
            {"mark": point_mark(), "encoding": {"x": x("mean"), "y": y("mean"), **look}},
        ],
    )
    cells = [
        [row["system"], name, row["users"], row["mean"], row["low"], row["high"]]
        for pair in pairs
        for name, row in zip((at, "popularity"), pair, strict=True)
    ]
    better = {True: ": the higher, the better", False: ": the lower, the better", None: ""}
    title = f"{at}{better[measure.higher_is_better]}; and to the right, what more users have"
    header = ["System", "Measure", "Users", "Mean", "Low", "High"]
    return Chart("popularity", title, spec, header, cells)


PARTS = ("head", "tail")


def head_and_tail(findings: Findings, found: Contents) -> Chart:
    """Draw the shares of head and tail in the lists of each system."""
    shares = [(row["system"], row["users"], row["long_tail"]) for row in found.wholes]
    data = [
        {"system": system, "part": part, "order": i, "share": (1 - tail, tail)[i]}
        for system, _, tail in shares
        if tail is not None
        for i, part in enumerate(PARTS)
    ]
    spec = specification(
        chart_rows(findings, data),
        width=WIDTH,
        height={"step": 26},
        mark={"type": "bar", "stroke": INK, "strokeWidth": 0.5},
        encoding={
            "y": name_axis("system", chart_systems(findings), None),
            "x": {
                **number_axis("share", "share of the recommended items", domain=[0, 1]),
                "axis": {"format": "%", "tickCount": 5},
            },
            "order": {"field": "order", "type": "quantitative"},
            "color": {
                "field": "part",
                "type": "nominal",
                "title": None,
                "sort": PARTS,
                "scale": {"domain": PARTS, "range": [GRID, COLOURS[1]]},
            },
        },
    )
    told = [f"{tail:.0%} with {system}" for system, _, tail in shares if tail is not None]
    title = f"Items from the tail: {join_names(told)}" if told else "No list has an item"
    cells = [[system, users, None if tail is None else 1 - tail, tail] for system, users, tail in shares]
    return Chart("head-and-tail", title, spec, ["System", "Users", "Head", "Tail"], cells)


def categories(findings: Findings, found: Contents) -> Chart:
    """Draw the share of each category in the lists, and a line where it is in what users had."""
    rows = chart_rows(findings, found.categories)
    y = name_axis("category", list(dict.fromkeys(row["category"] for row in rows)), None)

    def x(field: str) -> dict[str, Any]:
        axis = {"format": "%", "tickCount": 5}
        return {**number_axis(field, "share (a line: of what users had)", zero=True), "axis": axis}

    spec = specification(
        rows,
        width=WIDTH,
        height={"step": 26},
        encoding={"y": y},
        layer=[
            {
                "mark": {"type": "tick", "color": INK, "thickness": 2, "size": 18},
                "encoding": {"x": x("history")},
            },
            {
                "mark": point_mark(),
                "encoding": {"x": x("recommended"), **system_encoding(findings, legend=True)},
            },
        ],
    )
    cells = [
        [row["category"], row["system"], row["users"], row["recommended"], row["history"]]
        for row in found.categories
    ]
    count = len({row["category"] for row in found.categories})
    largest = f" (the {count} largest of {count + found.more_categories})" if found.more_categories else ""
    title = f"Share of each category in the lists, beside that of what users had{largest}"
    return Chart("categories", title, spec, ["Category", "System", "Users", "Lists", "Had"], cells)


# --- The curve, the users and the segments ---


def curve(findings: Findings) -> Chart:
    """Draw interpolated precision at eleven levels of recall."""
    look = system_encoding(findings, legend=True)
    x = {**number_axis("recall", "recall", domain=[0, 1]), "axis": {"tickCount": 5}}
    y = number_axis("precision", "precision", zero=True)
    spec = specification(
        chart_rows(findings, findings.curve),
        width=WIDTH,
        height=HEIGHT,
        encoding={"x": x, "y": y},
        layer=[
            {"mark": "line", "encoding": {"color": look["color"]}},
            {"mark": point_mark(size=35), "encoding": look},
        ],
    )
    levels = sorted({row["recall"] for row in findings.curve})
    values = {(row["system"], row["recall"]): row["precision"] for row in findings.curve}
    cells = [[f"{level:g}", *(values.get((name, level)) for name in findings.systems)] for level in levels]
    title = "Precision at each level of recall: the higher and the further to the right, the better"
    return Chart("curve", title, spec, ["Recall", *findings.systems], cells)


def histogram(findings: Findings) -> Chart:
    """Draw the distribution of the users' values, a small chart for each system."""
    found, measure = findings.histogram, findings.first
    edges, kinds = found.edges, [*found.apart, "other values" if found.apart else "values"]
    width = edges[1] - edges[0]
    totals = {
        name: sum(found.bins[name]) + sum(one[name] for one in found.apart.values())
        for name in findings.systems
    }
    bars: list[tuple[str, float, Mapping[str, int]]] = []  # kind, left edge, users by system
    for i, (kind, counts) in enumerate(reversed(list(found.apart.items()))):
        bars.append((kind, edges[0] - (1.5 * i + 2) * width, counts))
    for i, edge in enumerate(edges[:-1]):
        bars.append((kinds[-1], edge, {name: found.bins[name][i] for name in findings.systems}))
    data = [
        {
            "system": name,
            "kind": kind,
            "from": edge,
            "to": edge + width,
            "share": counts[name] / (totals[name] or 1),
        }
        for name in chart_systems(findings)
        for kind, edge, counts in bars
    ]
    domain = [min(edge for _, edge, _ in bars) - width / 2, edges[-1]]
    at = measure.at(measure.cuts[0])
    spec = specification(
        data,
        facet={"row": {**name_axis("system", chart_systems(findings), None), **HEAD}},
        spacing=12,
        spec={
            "width": WIDTH - 90,
            "height": 60,
            "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.5},
            "encoding": {
                "x": {
                    **number_axis("from", at, domain=domain, nice=False),
                    "axis": {"tickCount": 6, "grid": False},
                },
                "x2": {"field": "to"},
                "y": {**number_axis("share", "users", zero=True), "axis": {"format": "%", "tickCount": 3}},
                "y2": {"datum": 0},
                "color": {
                    "field": "kind",
                    "type": "nominal",
                    "title": None,
                    "scale": {
                        "domain": kinds,
                        "range": [*(COLOURS[2], LOSS)[: len(found.apart)], COLOURS[1]],
                    },
                },
            },
        },
    )
    texts = []
    for kind, counts in found.apart.items():
        shares = [f"{counts[name] / (totals[name] or 1):.0%} for {name}" for name in findings.systems]
        texts.append(f"{kind}: {join_names(shares)}")
    title = f"{at} of each user" + (f"; {'; '.join(texts)}" if texts else "")
    counted = [(kind, [counts[name] for name in findings.systems]) for kind, counts in found.apart.items()]
    for i, edge in enumerate(edges[:-1]):
        counted.append((f"from {edge:.4g}", [found.bins[name][i] for name in findings.systems]))
    cells = [[kind, *counts] for kind, counts in counted]
    return Chart("users", title, spec, [at, *findings.systems], cells)


HEAD = {"header": {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "start", "labelOrient": "top"}}


def segments(findings: Findings) -> Chart:
    """Draw the largest segments: differences to the baseline, or the means of the one system."""
    measure, baseline = findings.first, findings.baseline
    names = list(dict.fromkeys(row["segment"] for row in findings.segments))[:MOST_SEGMENTS]
    shown = set(names)
    rows = [
        {name: row[name] for name in ("system", "segment", "low", "high", "value")}
        for row in chart_rows(findings, findings.segments)
        if row["segment"] in shown
    ]
    at = measure.at(measure.cuts[0])
    y = name_axis("segment", names, findings.segment)
    if baseline is None:
        interval = {"x": number_axis("low", at), "x2": {"field": "high"}, "y": y}
        layers = [
            {"mark": {"type": "rule", "strokeWidth": 2, "color": COLOURS[1]}, "encoding": interval},
            {"mark": point_mark(color=COLOURS[1]), "encoding": {"x": number_axis("value", at), "y": y}},
        ]
        spec = specification(rows, width=WIDTH, height={"step": 22}, layer=layers)
        header = ["Segment", "Users", "Mean", "Low", "High"]
    else:
        spec = specification(
            [],
            vconcat=[
                segment_panel(findings, one, rows, names, baseline) for one in chart_systems(findings)[1:]
            ],
            resolve={"scale": {"x": "shared"}},
        )
        header = ["Segment", "System", "Users", "Difference", "Low", "High", "p", "Verdict"]
    cells = [
        [row["segment"], row["users"], row["value"], row["low"], row["high"]]
        if baseline is None
        else [
            row["segment"],
            row["system"],
            row["users"],
            row["value"],
            row["low"],
            row["high"],
            row["p_adjusted"],
            row["verdict"],
        ]
        for row in findings.segments
    ]
    what = "the mean" if baseline is None else f"the difference to {baseline}"
    title = f"{at} by {findings.segment}: {what}, the segments with the most users first"
    return Chart("segments", title, spec, header, cells)


def segment_panel(
    findings: Findings, system: str, rows: Sequence[Row], names: Sequence[str], baseline: str
) -> dict[str, Any]:
    """Draw the segments of one system."""
    y = name_axis("segment", names, findings.segment)
    of_system = [row for row in rows if row["system"] == system]
    return {
        "title": {"text": system, "anchor": "start", "color": INK, "fontSize": 11, "limit": WIDTH - 160},
        "width": WIDTH - 160,
        "height": {"step": 22},
        "layer": difference_layers(findings, of_system, y, f"difference to {baseline}"),
    }

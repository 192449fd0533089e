"""The charts of a report: for each a Vega-Lite specification, a title with its message, and its numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10
from typing import Any

from ..evaluation.words import MARKS, Row, cut_off_key, format_cut_off, format_number, join_names
from ..measures.grammar import Choice
from .drawing import BAND, COLOURS, GRID, INK, LOSS
from .findings import Findings

MOST_SYSTEMS = len(COLOURS)
MOST_SEGMENTS = 15  # in a chart
SHAPES = (
    *("circle", "square", "triangle-up", "diamond"),
    *("cross", "triangle-down", "triangle-right", "triangle-left"),
)
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"  # whose widths are the same everywhere
WIDTH, HEIGHT = 400, 170  # the width with all axes and names, the height without
LABELS = 130  # pixels of a name beside an axis
TEXT = {"labelColor": INK, "labelFontSize": 12, "labelLimit": LABELS}
LINES = {"domainColor": INK, "tickColor": INK, "gridColor": GRID}
CONFIG = {
    "aria": False,
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {**TEXT, **LINES, "titleColor": INK, "titleFontWeight": "normal", "titleFontSize": 12},
    "legend": {**TEXT, "orient": "bottom", "columns": 3},
    "header": {**TEXT, "labelLimit": 200, "title": None},
}
FEW_TICKS, SHARES = {"tickCount": 5}, {"format": "%", "tickCount": 5}
RULE = {"type": "rule", "strokeWidth": 2}
BAR = {"type": "bar", "stroke": INK, "strokeWidth": 0.5}
ENDS = {"Low": "low", "High": "high"}
OF_SYSTEM = {"System": "system", "k": "k"}
OF_MEAN = {"Users": "users", "Mean": "mean", **ENDS}
OF_TEST = {"p": "p_adjusted", "Verdict": "verdict"}
Encoding = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A chart and its table."""

    name: str  # for a file, and for ids on a page
    title: str  # the message of the chart
    specification: dict[str, Any]
    header: Sequence[str]  # of the table
    rows: Sequence[Sequence[Any]]  # the cells of the table, numbers as they are


def chart(
    name: str, title: str, specification: dict[str, Any], rows: Iterable[Row], columns: Mapping[str, str]
) -> Chart:
    """Make a chart, and its table of these columns by their headings."""
    cells = [
        [format_cut_off(row[one]) if one == "k" else row[one] for one in columns.values()] for row in rows
    ]
    return Chart(name, title, specification, list(columns), cells)


def charts(findings: Findings) -> dict[str, list[Chart]]:
    """Make all charts, by the section that they stand in."""
    measures = findings.measures
    of_pairs = (differences, wins) if findings.baseline is not None else ()
    return {
        "means": [means(findings, one) for one in measures if len(one.cuts) == 1],
        "by k": [by_k(findings, one) for one in measures if len(one.cuts) > 1],
        "differences": [draw(findings, one) for draw in of_pairs for one in measures],
        "contents": contents(findings) if findings.wholes else [],
        "curve": [curve(findings)] if findings.curve else [],
        "users": [histogram(findings)],
        "segments": segments(findings) if findings.segments else [],
    }


def specification(data: Sequence[Any], **rest: Any) -> dict[str, Any]:
    """Make a complete specification of these rows; a single view is as wide as its column on the page."""
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    if "facet" not in rest:
        rest = {"autosize": {"type": "fit-x", "contains": "padding"}, "width": WIDTH, **rest}
    return {"$schema": schema, "config": CONFIG, "data": {"values": list(data)}, **rest}


def chart_systems(findings: Findings) -> list[str]:
    """Return the systems that charts show, as many as can be told apart."""
    return list(findings.systems[:MOST_SYSTEMS])


def chart_rows(findings: Findings, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows of the systems that charts show."""
    systems = set(chart_systems(findings))
    return [dict(row) for row in rows if row["system"] in systems]


def system_encoding(findings: Findings, legend: bool = False) -> Encoding:
    """Encode systems by colour and shape, in one legend or in none."""
    systems = chart_systems(findings)
    columns = 3 if max(map(len, systems)) <= 12 else 2
    shown = {"legend": {"columns": columns, "symbolOpacity": 1} if legend and len(systems) > 1 else None}
    field = {"field": "system", "type": "nominal", "title": None, **shown}
    return {
        "color": {**field, "scale": {"domain": systems, "range": COLOURS[: len(systems)]}},
        "shape": {**field, "scale": {"domain": systems, "range": SHAPES[: len(systems)]}},
    }


def kind_encoding(field: str, colours: Mapping[str, str]) -> Encoding:
    """Encode kinds by these colours, in this order."""
    scale = {"domain": list(colours), "range": list(colours.values())}
    return {"field": field, "type": "nominal", "title": None, "sort": list(colours), "scale": scale}


def number_axis(field: str, title: str, axis: Mapping[str, Any] = FEW_TICKS, **scale: Any) -> Encoding:
    """Make an axis of numbers."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "axis": axis,
        "scale": {"zero": False, **scale},
    }


def ticks_with_zero(values: Sequence[float]) -> dict[str, Any]:
    """Make an axis whose ticks are some five multiples of 1, 2 or 5 times a power of ten, 0 among them."""
    low, high = min([0.0, *values]), max([0.0, *values])
    if not 0 < high - low < inf:
        return FEW_TICKS
    power = 10.0 ** floor(log10((high - low) / 5))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= (high - low) / 5)
    places = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    decimals = max(-floor(log10(step) + 1e-9), 0)
    return {"values": [round(place * step, decimals + 2) for place in places], "format": f".{decimals}f"}


def name_axis(field: str, names: Sequence[str], title: str | None = None) -> Encoding:
    """Make an axis of names in this order, a line for each."""
    return {"field": field, "type": "nominal", "sort": names, "title": title}


def layer(mark: Any, **encoding: Any) -> dict[str, Any]:
    return {"mark": mark, "encoding": encoding}


def points(size: int = 60, **encoding: Any) -> dict[str, Any]:
    return layer({"type": "point", "filled": True, "size": size, "opacity": 1}, **encoding)


def intervals(x: Callable[[str], Encoding], value: str, y: Encoding, look: Encoding) -> list[dict[str, Any]]:
    """Draw a line from low to high and a point for each row; x makes the axis of a field."""
    line = layer(RULE, x=x("low"), x2={"field": "high"}, y=y, color=look["color"])
    return [line, points(x=x(value), y=y, **look)]


# --- Means ---


def measure_rows(rows: Iterable[Row], measure: Choice) -> list[Row]:
    return [row for row in rows if row["measure"] == measure.name]


def best_systems(measure: Choice, rows: Sequence[Row]) -> list[str]:
    """Return the systems with the best mean; none where the means are of different users."""
    is_higher = measure.measure.higher_is_better
    if is_higher is None or len({row["users"] for row in rows}) != 1 or not rows[0]["users"]:
        return []
    at = (max if is_higher else min)(row["mean"] for row in rows)
    return [row["system"] for row in rows if row["mean"] == at]


def leader_text(findings: Findings, measure: Choice, rows: Sequence[Row]) -> str:
    """Say which systems are best at which k; of one system, its values."""
    if not any(row["users"] for row in rows):
        return ": no user has a value"
    is_single = len(measure.cuts) == 1  # and so in the title already
    if len(findings.systems) == 1:
        ends = ["" if is_single else f" at {format_cut_off(row['k'])}" for row in rows]
        means = [
            format_number(row["mean"]) + end for row, end in zip(rows, ends, strict=True) if row["users"]
        ]
        return f": {', '.join(means)}"
    places: dict[str, list[str]] = {}
    for k in measure.cuts:
        if names := best_systems(measure, [row for row in rows if row["k"] == k]):
            is_all = len(names) == len(findings.systems)
            word = "highest for" if measure.measure.higher_is_better else "lowest for"
            text = "the same for all" if is_all else f"{word} {join_names(names)}"
            places.setdefault(text, []).append(format_cut_off(k))
    texts = []
    for text, ks in places.items():
        where = "at every k" if len(ks) == len(measure.cuts) else f"at k = {', '.join(ks)}"
        texts.append(text if is_single else f"{text} {where}")
    return f": {'; '.join(texts)}" if texts else ""


def slug(findings: Findings, kind: str, measure: Choice) -> str:
    return f"{kind}-{findings.measures.index(measure) + 1}-{measure.measure.name}"


def means(findings: Findings, measure: Choice) -> Chart:
    """Draw the means at one cut-off, with intervals."""
    rows = measure_rows(findings.means, measure)
    y, look = name_axis("system", chart_systems(findings)), system_encoding(findings)
    layers = intervals(lambda field: number_axis(field, measure.label), "mean", y, look)
    spec = specification(chart_rows(findings, rows), height={"step": 26}, layer=layers)
    title = measure.at(measure.cuts[0]) + leader_text(findings, measure, rows)
    return chart(slug(findings, "means", measure), title, spec, rows, OF_SYSTEM | OF_MEAN)


def by_k(findings: Findings, measure: Choice) -> Chart:
    """Draw the means by cut-off, a line with a band for each system."""
    rows = measure_rows(findings.means, measure)
    data = [{**row, "k": format_cut_off(row["k"])} for row in chart_rows(findings, rows)]
    ks = [format_cut_off(k) for k in sorted(measure.cuts, key=cut_off_key)]
    look = system_encoding(findings, legend=True)
    low, mean = number_axis("low", measure.label), number_axis("mean", measure.label)
    x = {"field": "k", "type": "ordinal", "sort": ks, "title": "cut-off k", "axis": {"labelAngle": 0}}
    layers = [
        layer({"type": "area", "opacity": 0.15}, y=low, y2={"field": "high"}, color=look["color"]),
        layer("line", y=mean, color=look["color"]),
        points(y=mean, **look),
    ]
    spec = specification(data, height=HEIGHT, encoding={"x": x}, layer=layers)
    title = f"{measure.label} by cut-off{leader_text(findings, measure, rows)}"
    return chart(slug(findings, "by-k", measure), title, spec, rows, OF_SYSTEM | OF_MEAN)


# --- Differences ---


def difference_chart(
    findings: Findings, rows: Sequence[Row], y: Encoding, step: int, together: Sequence[Row] = ()
) -> dict[str, Any]:
    """Draw differences to the baseline, the zero line and the margin; on one scale with those `together`."""
    margin = findings.options.margin
    ends = [0.0] if margin is None else [-margin, 0.0, margin]
    sides, of = ("low", "high", "difference"), together or rows
    ends += [row[side] for row in of for side in sides if row[side] is not None]
    axis, scale = ticks_with_zero(ends), {"domain": [min(ends), max(ends)]} if together else {}

    def x(field: str) -> Encoding:
        return number_axis(field, f"difference to {findings.baseline}", axis, padding=8, **scale)

    layers = []
    if margin is not None:
        band = layer({"type": "rect", "color": BAND, "opacity": 0.25}, x=x("from"), x2={"field": "to"})
        layers.append({"data": {"values": [{"from": -margin, "to": margin}]}, **band})
    zero = layer({"type": "rule", "color": INK, "strokeDash": [4, 3]}, x=x("zero"))
    layers.append({"data": {"values": [{"zero": 0}]}, **zero})
    layers += intervals(x, "difference", y, system_encoding(findings))
    names = ("system", y["field"], "low", "high", "difference")
    data = [{name: row[name] for name in names} for row in rows]
    return specification(data, height={"step": step}, layer=layers)


def verdict_text(rows: Sequence[Row]) -> str:
    """List the systems that are better, worse, the same or unclear."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["verdict"], []).append(row["system"])
    return "; ".join(f"{join_names(found[verdict])} {verdict}" for verdict in MARKS if verdict in found)


def differences(findings: Findings, measure: Choice) -> Chart:
    """Draw the differences to the baseline at the first cut-off, with intervals."""
    every = measure_rows(findings.comparisons, measure)
    rows = [row for row in every if row["k"] == measure.cuts[0]]
    y = name_axis("system", chart_systems(findings))
    spec = difference_chart(findings, chart_rows(findings, rows), y, 26)
    columns = {"Mean": "mean_system", "Baseline": "mean_baseline", "Difference": "difference"}
    title = f"{measure.at(measure.cuts[0])} against {findings.baseline}: {verdict_text(rows)}"
    name = slug(findings, "differences", measure)
    return chart(name, title, spec, every, OF_SYSTEM | columns | ENDS | OF_TEST)


def share_bars(
    findings: Findings, shares: Mapping[str, Sequence[float]], colours: Mapping[str, str], title: str
) -> dict[str, Any]:
    """Draw a bar for each system, whose parts are in the order of their colours."""
    data = [
        {"system": system, "part": part, "order": i, "share": parts[i]}
        for system, parts in shares.items()
        for i, part in enumerate(colours)
    ]
    encoding = {
        "y": name_axis("system", chart_systems(findings)),
        "x": number_axis("share", title, SHARES, domain=[0, 1]),
        "order": {"field": "order", "type": "quantitative"},
        "color": kind_encoding("part", colours),
    }
    return specification(chart_rows(findings, data), height={"step": 26}, mark=BAR, encoding=encoding)


def wins(findings: Findings, measure: Choice) -> Chart:
    """Draw the shares of users with whom each system wins, ties and loses."""
    every = measure_rows(findings.comparisons, measure)
    rows = [row for row in every if row["k"] == measure.cuts[0]]
    colours = {"wins": COLOURS[1], "ties": GRID, "losses": LOSS}
    shares = {row["system"]: [row[one] / (row["users"] or 1) for one in colours] for row in rows}
    texts = [
        f"{row['system']} wins with {row['wins'] / row['users']:.0%} of users, loses with "
        f"{row['losses'] / row['users']:.0%}"
        for row in rows[:2]
        if row["users"]
    ]
    more = f"; and {len(rows) - 2} more" if len(rows) > 2 else ""
    title = f"{measure.at(measure.cuts[0])}: {'; '.join(texts) or 'no user has values of both'}{more}"
    columns = OF_SYSTEM | {"Users": "users", "Wins": "wins", "Ties": "ties", "Losses": "losses"}
    spec = share_bars(findings, shares, colours, "share of users")
    return chart(slug(findings, "wins", measure), title, spec, every, columns)


# --- What is in the lists ---


def contents(findings: Findings) -> list[Chart]:
    """Draw what is in the lists."""
    drawn = [accuracy_and_popularity(findings), head_and_tail(findings)]
    return drawn + ([categories(findings)] if findings.categories else [])


def accuracy_and_popularity(findings: Findings) -> Chart:
    """Draw the first measure against popularity, a point with two intervals for each system."""
    measure = findings.first
    k, sides = findings.largest_k, ("mean", "low", "high")
    at, rows = measure.at(k), measure_rows(findings.means, measure)
    means = {row["system"]: row for row in rows if row["k"] == k}
    pairs = [({**means[row["system"]], "of": at}, {**row, "of": "popularity"}) for row in findings.popularity]
    data = [
        {"system": row["system"]}
        | {f"{axis} {side}": of[side] for axis, of in (("y", mean), ("x", row)) for side in sides}
        for mean, row in pairs
        if None not in (mean["mean"], row["mean"])
    ]
    titles = {"x": "popularity: share of users who have an item", "y": at}
    x, y = ({side: number_axis(f"{one} {side}", titles[one], padding=8) for side in sides} for one in titles)
    look, rule = system_encoding(findings, legend=True), {"type": "rule", "strokeWidth": 1.5}
    layers = [
        layer(rule, x=x["mean"], y=y["low"], y2={"field": "y high"}, color=look["color"]),
        layer(rule, x=x["low"], x2={"field": "x high"}, y=y["mean"], color=look["color"]),
        points(x=x["mean"], y=y["mean"], **look),
    ]
    spec = specification(chart_rows(findings, data), height=HEIGHT, layer=layers)
    better = {True: ": the higher, the better", False: ": the lower, the better", None: ""}
    title = f"{at}{better[measure.measure.higher_is_better]}; and to the right, what more users have"
    rows = [row for pair in pairs for row in pair]
    return chart("popularity", title, spec, rows, {"System": "system", "Measure": "of"} | OF_MEAN)


def head_and_tail(findings: Findings) -> Chart:
    """Draw the shares of head and tail in the lists of each system."""
    tails = {row["system"]: row["long_tail"] for row in findings.wholes}
    shares = {system: (1 - tail, tail) for system, tail in tails.items() if tail is not None}
    colours = {"head": GRID, "tail": COLOURS[1]}
    spec = share_bars(findings, shares, colours, "share of the recommended items")
    texts = [f"{tail:.0%} with {system}" for system, (_, tail) in shares.items()]
    title = f"Items from the tail: {join_names(texts)}" if texts else "No list has an item"
    rows = [{**row, "head": shares.get(row["system"], [None])[0]} for row in findings.wholes]
    columns = {"System": "system", "Users": "users", "Head": "head", "Tail": "long_tail"}
    return chart("head-and-tail", title, spec, rows, columns)


def categories(findings: Findings) -> Chart:
    """Draw the share of each category in the lists, and a line where it is in what users had."""
    names = list(dict.fromkeys(row["category"] for row in findings.categories))
    lists, had = (
        number_axis(field, "share (a line: of what users had)", SHARES, zero=True)
        for field in ("recommended", "history")
    )
    layers = [
        layer({"type": "tick", "color": INK, "thickness": 2, "size": 18}, x=had),
        points(x=lists, **system_encoding(findings, legend=True)),
    ]
    y, rows = name_axis("category", names), chart_rows(findings, findings.categories)
    spec = specification(rows, height={"step": 26}, encoding={"y": y}, layer=layers)
    largest = f" (the {len(names)} largest of {len(names) + findings.more_categories})"
    title = "Share of each category in the lists, beside that of what users had"
    columns = {"Category": "category", "System": "system", "Users": "users"}
    columns |= {"Lists": "recommended", "Had": "history"}
    title += largest if findings.more_categories else ""
    return chart("categories", title, spec, findings.categories, columns)


# --- The curve, the users and the segments ---


def curve(findings: Findings) -> Chart:
    """Draw interpolated precision at eleven levels of recall."""
    look = system_encoding(findings, legend=True)
    x = number_axis("recall", "recall", domain=[0, 1])
    y = number_axis("precision", "precision", zero=True)
    layers = [layer("line", color=look["color"]), points(size=35, **look)]
    rows = chart_rows(findings, findings.curve)
    spec = specification(rows, height=HEIGHT, encoding={"x": x, "y": y}, layer=layers)
    levels: dict[float, dict[str, Any]] = {}
    for row in sorted(findings.curve, key=lambda row: row["recall"]):
        level = levels.setdefault(row["recall"], {"Recall": f"{row['recall']:g}"})
        level[row["system"]] = row["precision"]
    title = "Precision at each level of recall: the higher and the further to the right, the better"
    header = ["Recall", *findings.systems]
    cells = [[level.get(name) for name in header] for level in levels.values()]
    return Chart("curve", title, spec, header, cells)


def histogram(findings: Findings) -> Chart:
    """Draw the distribution of the users' values, a small chart for each system."""
    systems, edges = findings.systems, findings.edges
    rest = "other values" if findings.apart else "values"
    width = edges[1] - edges[0]
    apart = [(kind, [counts[name] for name in systems]) for kind, counts in findings.apart.items()]
    bins = [(edge, [findings.bins[name][i] for name in systems]) for i, edge in enumerate(edges[:-1])]
    totals = [sum(counts) or 1 for counts in zip(*(counts for _, counts in (*apart, *bins)), strict=True)]
    bars = [(kind, edges[0] - (1.5 * i + 2) * width, counts) for i, (kind, counts) in enumerate(apart[::-1])]
    bars += [(rest, edge, counts) for edge, counts in bins]
    data = [
        {"system": name, "kind": kind, "from": edge, "to": edge + width, "share": counts[i] / totals[i]}
        for i, name in enumerate(chart_systems(findings))
        for kind, edge, counts in bars
    ]
    domain = [min(edge for _, edge, _ in bars) - width / 2, edges[-1]]
    axis = {"tickCount": 6, "grid": False}
    colours = dict(zip(findings.apart, (COLOURS[2], LOSS), strict=False)) | {rest: COLOURS[1]}
    encoding = {
        "x": number_axis("from", findings.at, axis, domain=domain, nice=False),
        "x2": {"field": "to"},
        "y": number_axis("share", "users", {"format": "%", "tickCount": 3}, zero=True),
        "y2": {"datum": 0},
        "color": kind_encoding("kind", colours),
    }
    header = {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "start", "labelOrient": "top"}
    spec = specification(
        data,
        facet={"row": {**name_axis("system", chart_systems(findings)), "header": header}},
        spacing=12,
        spec={"width": WIDTH - 90, "height": 60, "mark": BAR, "encoding": encoding},
    )
    texts = []
    for kind, counts in apart:
        shares = zip(counts, totals, systems, strict=True)
        texts.append(
            f"; {kind}: {join_names([f'{one / all_:.0%} for {name}' for one, all_, name in shares])}"
        )
    cells = [[kind, *counts] for kind, counts in apart]
    cells += [[f"from {edge:.4g}", *counts] for edge, counts in bins]
    title = f"{findings.at} of each user{''.join(texts)}"
    return Chart("users", title, spec, [findings.at, *systems], cells)


def segments(findings: Findings) -> list[Chart]:
    """Draw the largest segments: the means of the one system, or a chart of differences for each.

    Each has the table of all.
    """
    measure, systems = findings.first, chart_systems(findings)[1:]
    names = list(dict.fromkeys(row["segment"] for row in findings.segments))[:MOST_SEGMENTS]
    y = name_axis("segment", names, findings.segment)
    rows = [row for row in chart_rows(findings, findings.segments) if row["segment"] in names]
    title = f"{measure.at(measure.cuts[0])} by {findings.segment}"
    columns = {"Segment": "segment"}
    if findings.baseline is None:
        look = {"color": {"value": COLOURS[1]}}
        layers = intervals(lambda field: number_axis(field, measure.at(measure.cuts[0])), "mean", y, look)
        spec = specification(rows, height={"step": 22}, layer=layers)
        return [chart("segments", title, spec, findings.segments, columns | OF_MEAN)]
    columns |= {"System": "system", "Users": "users", "Difference": "difference"} | ENDS | OF_TEST
    drawn = []
    for number, system in enumerate(systems, start=1):
        spec = difference_chart(findings, [row for row in rows if row["system"] == system], y, 22, rows)
        titled = f"{title}, {system} against {findings.baseline}"
        drawn.append(chart(f"segments-{number}", titled, spec, findings.segments, columns))
    return drawn

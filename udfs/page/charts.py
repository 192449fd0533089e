"""What each chart shows: a specification for Vega-Lite, a title that says what to see, and the numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .drawing import BAND, COLOURS, GRID, INK, LOSS
from .findings import MARKS, Findings, Measured, Row, cut_order, cut_text, short

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
WIDTH, HEIGHT = 250, 160
LABELS = 130  # how long a name beside an axis may be
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
        "labelFontSize": 11,
        "titleFontSize": 11,
        "labelLimit": LABELS,
    },
    "legend": {
        "labelColor": INK,
        "orient": "bottom",
        "columns": 3,
        "labelFontSize": 11,
        "labelLimit": LABELS,
    },
    "header": {"labelColor": INK, "labelFontSize": 11, "labelLimit": 200, "title": None},
}


@dataclass(frozen=True)
class Chart:
    """A chart, and its table.

    name    for a file, and for what is to be told apart on a page
    title   what to see
    header  of the table
    rows    the cells of the table, numbers as they are
    """

    name: str
    title: str
    specification: dict[str, Any]
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]


def charts(findings: Findings) -> dict[str, list[Chart]]:
    """All charts, by the section that they stand in."""
    several = [(i, one) for i, one in enumerate(findings.measures) if len(one.cuts) > 1]
    single = [(i, one) for i, one in enumerate(findings.measures) if len(one.cuts) == 1]
    return {
        "means": [means(findings, i, one) for i, one in single],
        "by k": [by_k(findings, i, one) for i, one in several],
        "differences": [
            chart(findings, i, one)
            for i, one in enumerate(findings.measures)
            for chart in (differences, wins)
            if findings.baseline is not None
        ],
        "curve": [curve(findings)] if findings.curve else [],
        "users": [histogram(findings)],
        "segments": [segments(findings)] if findings.segments else [],
    }


def specification(data: Sequence[Any], **rest: Any) -> dict[str, Any]:
    """A whole specification of these rows."""
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    return {"$schema": schema, "config": CONFIG, "data": {"values": list(data)}, **rest}


def drawn(findings: Findings) -> list[str]:
    """The systems that charts show: as many as can be told apart."""
    return list(findings.systems[:MOST_SYSTEMS])


def told_apart(findings: Findings, legend: bool) -> dict[str, Any]:
    """Colour and shape by system, in one legend or in none."""
    systems = drawn(findings)
    columns = 3 if max(map(len, systems)) <= 12 else 2
    shown = {"legend": {"columns": columns, "symbolOpacity": 1} if legend and len(systems) > 1 else None}
    field = {"field": "system", "type": "nominal", "title": None, **shown}
    return {
        "color": {**field, "scale": {"domain": systems, "range": COLOURS[: len(systems)]}},
        "shape": {**field, "scale": {"domain": systems, "range": SHAPES[: len(systems)]}},
    }


def number(field: str, title: str, zero: bool = False, **rest: Any) -> dict[str, Any]:
    """An axis of numbers."""
    return {"field": field, "type": "quantitative", "title": title, "scale": {"zero": zero, **rest}}


def lines(field: str, names: Sequence[str], title: str | None) -> dict[str, Any]:
    """An axis of names, a line for each, in this order."""
    return {"field": field, "type": "nominal", "sort": names, "title": title}


def point(**rest: Any) -> dict[str, Any]:
    return {"type": "point", "filled": True, "size": 60, "opacity": 1, **rest}


def of_drawn(findings: Findings, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The rows of systems that charts show, numbers that there are."""
    systems = set(drawn(findings))
    return [dict(row) for row in rows if row["system"] in systems]


# --- Means ---


def of_measure(findings: Findings, place: int) -> list[Row]:
    return [row for row in findings.means if row["place"] == place]


def best(measure: Measured, rows: Sequence[Row]) -> list[str]:
    """The systems with the best mean; none where the means are of different users."""
    if not measure.better or len({row["users"] for row in rows}) != 1 or not rows[0]["users"]:
        return []
    at = (min if measure.better == "less" else max)(row["mean"] for row in rows)
    return [row["system"] for row in rows if row["mean"] == at]


def enumerated(names: Sequence[str], most: int = 3) -> str:
    """The names as a sentence has them: a, b, c and 2 more."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def leaders(findings: Findings, measure: Measured, rows: Sequence[Row]) -> str:
    """Who is best, and where; with one system, what it has."""
    if not any(row["users"] for row in rows):
        return ": no user has a value"
    if len(findings.systems) == 1:
        texts = [f"{short(row['mean'])} at {cut_text(row['k'])}" for row in rows if row["users"]]
        return f": {', '.join(texts)}"
    places: dict[str, list[str]] = {}
    for k in measure.cuts:
        names = best(measure, [row for row in rows if row["k"] == k])
        if names:
            is_all = len(names) == len(findings.systems)
            word = "lowest for" if measure.better == "less" else "highest for"
            text = "the same for all" if is_all else f"{word} {enumerated(names)}"
            places.setdefault(text, []).append(cut_text(k))
    if len(measure.cuts) == 1:
        texts = list(places)
    elif [len(ks) for ks in places.values()] == [len(measure.cuts)]:
        texts = [f"{text} at every k" for text in places]
    else:
        texts = [f"{text} at k = {', '.join(ks)}" for text, ks in places.items()]
    return f": {'; '.join(texts)}" if texts else ""


def slug(kind: str, place: int, measure: Measured) -> str:
    return f"{kind}-{place + 1}-{measure.name.partition('(')[0]}"


def means(findings: Findings, place: int, measure: Measured) -> Chart:
    """The means at one cut-off, with intervals."""
    rows = of_measure(findings, place)
    y = lines("system", drawn(findings), "model")
    interval = {"x": number("low", measure.title), "x2": {"field": "high"}}
    spec = specification(
        of_drawn(findings, rows),
        width=WIDTH,
        height={"step": 26},
        encoding={"y": y, **told_apart(findings, legend=False)},
        layer=[
            {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": interval},
            {"mark": point(), "encoding": {"x": number("mean", measure.title)}},
        ],
    )
    at = measure.at(measure.cuts[0])
    return Chart(
        slug("means", place, measure), at + leaders(findings, measure, rows), spec, *means_table(rows)
    )


def means_table(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    header = ["System", "k", "Users", "Mean", "Low", "High"]
    return header, [
        [row["system"], cut_text(row["k"]), row["users"], row["mean"], row["low"], row["high"]]
        for row in rows
    ]


def by_k(findings: Findings, place: int, measure: Measured) -> Chart:
    """A line for each system, with a band."""
    rows = of_measure(findings, place)
    data = [{**row, "k": cut_text(row["k"])} for row in of_drawn(findings, rows)]
    ks = [cut_text(k) for k in sorted(measure.cuts, key=cut_order)]
    look = told_apart(findings, legend=True)
    x = {"field": "k", "type": "ordinal", "sort": ks, "title": "cut-off k", "axis": {"labelAngle": 0}}
    band = {"y": number("low", measure.title), "y2": {"field": "high"}, "color": look["color"]}
    spec = specification(
        data,
        width=WIDTH,
        height=HEIGHT,
        encoding={"x": x},
        layer=[
            {"mark": {"type": "area", "opacity": 0.15}, "encoding": band},
            {"mark": "line", "encoding": {"y": number("mean", measure.title), "color": look["color"]}},
            {"mark": point(), "encoding": {"y": number("mean", measure.title), **look}},
        ],
    )
    title = f"{measure.title} by cut-off{leaders(findings, measure, rows)}"
    return Chart(slug("by-k", place, measure), title, spec, *means_table(rows))


# --- Differences ---


def compared(findings: Findings, measure: Measured) -> list[Row]:
    return [row for row in findings.comparisons if row["measure"] == measure.name]


def against_zero(
    findings: Findings, rows: Sequence[Row], y: dict[str, Any], title: str
) -> list[dict[str, Any]]:
    """Layers of an interval plot: the zero line, the margin, the intervals. Zero has no axis of its own."""

    def x(field: str) -> dict[str, Any]:
        return {**number(field, title, padding=8), "axis": {"tickCount": 5}}

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
    look = told_apart(findings, legend=False)
    data = {"values": list(rows)}
    interval = {"x": x("low"), "x2": {"field": "high"}, "y": y, "color": look["color"]}
    layers.append({"data": data, "mark": {"type": "rule", "strokeWidth": 2}, "encoding": interval})
    layers.append({"data": data, "mark": point(), "encoding": {"x": x("value"), "y": y, **look}})
    return layers


def verdicts(rows: Sequence[Row]) -> str:
    """Which systems are better, worse, the same or unclear, in a few words."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["verdict"], []).append(row["system"])
    return "; ".join(f"{enumerated(found[verdict])} {verdict}" for verdict in MARKS if verdict in found)


def differences(findings: Findings, place: int, measure: Measured) -> Chart:
    """Differences to the baseline at the first cut-off, with intervals."""
    every = compared(findings, measure)
    rows = [row for row in every if row["k"] == measure.cuts[0]]
    data = [
        {name: row[name] for name in ("system", "low", "high")} | {"value": row["difference"]}
        for row in of_drawn(findings, rows)
    ]
    y = lines("system", drawn(findings), "model")
    spec = specification(
        [],
        width=WIDTH,
        height={"step": 26},
        layer=against_zero(findings, data, y, f"difference to {findings.baseline}"),
    )
    header = ["System", "k", "Mean", "Baseline", "Difference", "Low", "High", "p", "Verdict"]
    cells = [
        [
            row["system"],
            cut_text(row["k"]),
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
    title = f"{measure.at(measure.cuts[0])} against {findings.baseline}: {verdicts(rows)}"
    return Chart(slug("differences", place, measure), title, spec, header, cells)


OUTCOMES = ("wins", "ties", "losses")


def wins(findings: Findings, place: int, measure: Measured) -> Chart:
    """With how many users each system wins, ties and loses."""
    every = compared(findings, measure)
    rows = [row for row in every if row["k"] == measure.cuts[0]]
    data = [
        {
            "system": row["system"],
            "outcome": outcome,
            "order": i,
            "share": row[outcome] / row["users"] if row["users"] else 0,
        }
        for row in of_drawn(findings, rows)
        for i, outcome in enumerate(OUTCOMES)
    ]
    colour = {"domain": OUTCOMES, "range": [COLOURS[1], GRID, LOSS]}
    spec = specification(
        data,
        width=WIDTH,
        height={"step": 26},
        mark={"type": "bar", "stroke": INK, "strokeWidth": 0.5},
        encoding={
            "y": lines("system", drawn(findings), "model"),
            "x": {
                **number("share", "share of users", domain=[0, 1]),
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
        [row["system"], cut_text(row["k"]), row["users"], row["wins"], row["ties"], row["losses"]]
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


# --- The curve, the users and the segments ---


def curve(findings: Findings) -> Chart:
    """Interpolated precision at eleven levels of recall."""
    look = told_apart(findings, legend=True)
    x = {**number("recall", "recall", domain=[0, 1]), "axis": {"tickCount": 5}}
    y = number("precision", "precision", zero=True)
    spec = specification(
        of_drawn(findings, findings.curve),
        width=WIDTH,
        height=HEIGHT,
        encoding={"x": x, "y": y},
        layer=[
            {"mark": "line", "encoding": {"color": look["color"]}},
            {"mark": point(size=35), "encoding": look},
        ],
    )
    levels = sorted({row["recall"] for row in findings.curve})
    values = {(row["system"], row["recall"]): row["precision"] for row in findings.curve}
    cells = [[name, *(values.get((name, level)) for level in levels)] for name in findings.systems]
    title = "Precision at each level of recall: the higher and the further to the right, the better"
    return Chart("curve", title, spec, ["System", *(f"at {level:g}" for level in levels)], cells)


def histogram(findings: Findings) -> Chart:
    """How the users fare, in one small chart for each system."""
    found, measure = findings.histogram, findings.first
    edges, kinds = found.edges, [*found.apart, "other values" if found.apart else "values"]
    width = edges[1] - edges[0]
    totals = {
        name: sum(found.bins[name]) + sum(one[name] for one in found.apart.values())
        for name in findings.systems
    }
    bars: list[
        tuple[str, float, Mapping[str, int]]
    ] = []  # what it is of, where, how many users of each system
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
        for name in drawn(findings)
        for kind, edge, counts in bars
    ]
    domain = [min(edge for _, edge, _ in bars) - width / 2, edges[-1]]
    at = measure.at(measure.cuts[0])
    spec = specification(
        data,
        facet={"row": {"field": "system", "type": "nominal", "sort": drawn(findings), "title": None, **HEAD}},
        spacing=12,
        spec={
            "width": WIDTH + 60,
            "height": 60,
            "mark": {"type": "bar", "stroke": INK, "strokeWidth": 0.5},
            "encoding": {
                "x": {
                    **number("from", at, domain=domain, nice=False),
                    "axis": {"tickCount": 6, "grid": False},
                },
                "x2": {"field": "to"},
                "y": {**number("share", "users", zero=True), "axis": {"format": "%", "tickCount": 3}},
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
        texts.append(f"{kind}: {enumerated(shares)}")
    title = f"{at} of each user" + (f"; {'; '.join(texts)}" if texts else "")
    header = ["System", *found.apart, *(f"from {edge:.4g}" for edge in edges[:-1])]
    cells = [
        [name, *(counts[name] for counts in found.apart.values()), *found.bins[name]]
        for name in findings.systems
    ]
    return Chart("users", title, spec, header, cells)


HEAD = {"header": {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "start", "labelOrient": "top"}}


def segments(findings: Findings) -> Chart:
    """The largest segments: differences to the baseline, or the means of the one system."""
    measure, baseline = findings.first, findings.baseline
    names = list(dict.fromkeys(row["segment"] for row in findings.segments))[:MOST_SEGMENTS]
    shown = set(names)
    rows = [
        {name: row[name] for name in ("system", "segment", "low", "high", "value")}
        for row in of_drawn(findings, findings.segments)
        if row["segment"] in shown
    ]
    at = measure.at(measure.cuts[0])
    y = lines("segment", names, findings.segment)
    if baseline is None:
        interval = {"x": number("low", at), "x2": {"field": "high"}, "y": y}
        layers = [
            {"mark": {"type": "rule", "strokeWidth": 2, "color": COLOURS[1]}, "encoding": interval},
            {"mark": point(color=COLOURS[1]), "encoding": {"x": number("value", at), "y": y}},
        ]
        spec = specification(rows, width=WIDTH, height={"step": 22}, layer=layers)
        header = ["Segment", "Users", "Mean", "Low", "High"]
    else:
        spec = specification(
            [],
            vconcat=[small(findings, name, rows, names, baseline) for name in drawn(findings)[1:]],
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


def small(
    findings: Findings, system: str, rows: Sequence[Row], names: Sequence[str], baseline: str
) -> dict[str, Any]:
    """The segments of one system."""
    y = lines("segment", names, findings.segment)
    of_system = [row for row in rows if row["system"] == system]
    return {
        "title": {"text": system, "anchor": "start", "color": INK, "fontSize": 11, "limit": WIDTH},
        "width": WIDTH,
        "height": {"step": 22},
        "layer": against_zero(findings, of_system, y, f"difference to {baseline}"),
    }

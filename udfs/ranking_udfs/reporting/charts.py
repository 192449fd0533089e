"""Make the charts of a report: a Vega-Lite specification, a title with the message, and a table for each."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..evaluation.conclusion import select_thresholds
from ..evaluation.words import MARKS, Row, cut_off_key, format_cut_off, format_number
from ..measures.grammar import Choice
from ..texts import shorten, units, with_unit
from .drawing import BAND, COLOURS, GRID, INK, LOSS, image
from .findings import Findings, Histogram

MOST_SYSTEMS = len(COLOURS)
MOST_SEGMENTS = 15  # segments of a chart
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross"]
SHAPES += [f"triangle-{way}" for way in ("down", "right", "left")]
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"  # fonts with the same widths on all systems
WIDTH, HEIGHT = 400, 170  # width with axes and names, height without them
LABELS = 130  # the most pixels of a name at an axis
LONGEST_NAME = 16  # the most characters of a name in a title
TEXT = {"labelColor": INK, "labelFontSize": 12, "labelLimit": LABELS}
LINES = {"domainColor": INK, "tickColor": INK, "gridColor": GRID}
APART = {"labelFlush": False, "labelOverlap": True, "labelSeparation": 8}
CONFIG = {
    "aria": False,
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "title": {"anchor": "start", "color": INK, "fontSize": 14, "limit": WIDTH, "offset": 8},
    "axis": {**TEXT, **LINES, **APART, "titleColor": INK, "titleFontWeight": "normal", "titleFontSize": 12},
    "legend": {**TEXT, "orient": "bottom", "columns": 3},
    "header": {**TEXT, "labelLimit": 200, "labelPadding": -8, "title": None},
}
FEW_TICKS, SHARES = {"tickCount": 5}, {"format": "%", "tickCount": 5}
BAR = {"type": "bar", "stroke": INK, "strokeWidth": 0.5}
ENDS = {"Low": "low", "High": "high"}
OF_SYSTEM = {"System": "system", "k": "k"}
OF_MEAN = {"{Units}": "users", "Mean": "mean", **ENDS}
OF_VERDICT, OF_TEST = {"Verdict": "verdict"}, {"p": "p_adjusted"}
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
Encoding = dict[str, Any]
Table = tuple[Sequence[str], Sequence[Sequence[Any]]]  # header and cells; numbers are not formatted


@dataclass(frozen=True)
class Chart:
    """A chart with its numbers. A notebook displays it with its title."""

    name: str  # for a file name, and for ids on a page
    title: str  # the message of the chart
    specification: dict[str, Any] = field(repr=False)
    header: Sequence[str] = field(repr=False)  # of the table
    rows: Sequence[Sequence[Any]] = field(repr=False)  # the cells of the table; numbers are not formatted

    def image(self, form: str = "svg") -> bytes:
        """Return the chart with its title as a file: svg or png."""
        return image({**self.specification, "title": self.title}, form)

    def _repr_svg_(self) -> str:
        return self.image().decode()


def keys_of(measure: Choice) -> Mapping[str, str]:
    """Return the key columns for the table of a measure; a column has no cutoff, and so no k."""
    return {name: column for name, column in OF_SYSTEM.items() if column != "k" or measure.measure.has_cutoff}


def table_of(rows: Iterable[Row], columns: Mapping[str, str]) -> Table:
    """Return the table of rows with these columns; `columns` has them by heading."""
    return list(map(with_unit, columns)), [
        [format_cut_off(row[column]) if column == "k" else row.get(column) for column in columns.values()]
        for row in rows
    ]


def kind_encoding(field: str, colours: Mapping[str, str]) -> Encoding:
    """Encode kinds by these colors, in this order."""
    scale = {"domain": list(colours), "range": list(colours.values())}
    return {"field": field, "type": "nominal", "title": None, "sort": list(colours), "scale": scale}


def number_axis(field: str, title: str, axis: Mapping[str, Any] = FEW_TICKS, **scale: Any) -> Encoding:
    scale = {"zero": False, **scale}
    return {"field": field, "type": "quantitative", "title": title, "axis": axis, "scale": scale}


def name_axis(field: str, names: Sequence[str]) -> Encoding:
    """Make an axis of names in this order, one line each."""
    return {"field": field, "type": "nominal", "sort": names, "title": None}


def layer(mark: Any, **encoding: Any) -> dict[str, Any]:
    return {"mark": mark, "encoding": encoding}


def points(size: int = 60, **encoding: Any) -> dict[str, Any]:
    return layer({"type": "point", "filled": True, "size": size, "opacity": 1}, **encoding)


def rule(width: float = 2, **encoding: Any) -> dict[str, Any]:
    return layer({"type": "rule", "strokeWidth": width}, **encoding)


def intervals(x: Callable[[str], Encoding], value: str, y: Encoding, look: Encoding) -> list[dict[str, Any]]:
    """Draw a line from low to high and a point for each row; `x` makes the axis of a field."""
    line = rule(x=x("low"), x2={"field": "high"}, y=y, color=look["color"])
    return [line, points(x=x(value), y=y, **look)]


# --- Titles: one line each ---


short = partial(shorten, longest=LONGEST_NAME)


def leader_text(findings: Findings, measure: Choice, rows: Sequence[Row]) -> str:
    """Write the significantly best system, or the values of a single system, for a title."""
    if not any(row["users"] for row in rows):
        return f": no {units(1)} has a value"
    if len(findings.systems) == 1:
        values = {row["k"]: format_number(row["mean"]) for row in rows if row["users"]}
        ends = dict.fromkeys(k for k in (measure.cuts[0], measure.cuts[-1]) if k in values)
        at = [f" at {format_cut_off(k)}" if len(measure.cuts) > 1 else "" for k in ends]
        return f": {', '.join(values[k] + text for k, text in zip(ends, at, strict=True))}"
    orders = {k: order for (name, k), order in findings.orders.items() if name == measure.name}
    leads = {k: order.best["system"] for k, order in orders.items() if order.is_significant}
    if not leads:
        return ": no significant lead" if orders else ""
    name, *_ = leads.values()
    ks = [format_cut_off(k) for k, other in leads.items() if other == name]
    where = f" at k = {', '.join(ks)}" if len(ks) < len(measure.cuts) else " at every k" if ks[1:] else ""
    return f": {short(name)} leads{where}"


def verdict_text(rows: Sequence[Row]) -> str:
    """Write the verdict on one system, or the number of systems with each verdict."""
    if len(rows) == 1:
        return f"{short(rows[0]['system'])} {rows[0]['verdict']}"
    counts = Counter(row["verdict"] for row in rows)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in MARKS if verdict in counts)


def outcome_text(row: Row) -> str:
    """Write the shares of users for whom a system wins and loses."""
    if not row["users"]:
        return f"no {units(1)} has values from both"
    wins, losses = (row[name] / row["users"] for name in ("wins", "losses"))
    return f"{short(row['system'])} wins {wins:.0%}, loses {losses:.0%}"


# --- Charts ---


def charts(findings: Findings) -> dict[str, list[Chart]]:
    """Make all charts, by section of the page."""
    made, measures = Charts(findings), findings.measures
    of_pairs = (made.differences, made.wins) if findings.baseline is not None else ()
    of_lists = (made.popularity, made.head_and_tail) if findings.list_rows else ()
    return {
        "means": [made.means(measure) for measure in measures if len(measure.cuts) == 1],
        "by k": [made.means(measure) for measure in measures if len(measure.cuts) > 1],
        "differences": [draw(measure) for draw in of_pairs for measure in measures],
        "beyond accuracy": [draw() for draw in of_lists],
        "curve": [made.curve()] if findings.curve else [],
        "users": [made.histogram()],
        "abstention": [made.abstention()] if findings.abstention else [],
        "segments": made.segments() if findings.segments else [],
    }


def charted(findings: Findings) -> list[str]:
    """Return the systems of the charts: the baseline and the best ones."""
    chosen = [*dict.fromkeys([findings.systems[0], *findings.best_first])][:MOST_SYSTEMS]
    return [name for name in findings.systems if name in chosen]


def bars_of(histogram: Histogram, rest: str) -> list[tuple[str, str, float, Mapping[str, int]]]:
    """Return heading, kind, edge and counts of each bar, lowest first; bins have the kind `rest`."""
    width = histogram.edges[1] - histogram.edges[0]
    special_bins = [
        (kind, kind, histogram.edges[0] - (1.5 * i + 2) * width, counts)
        for i, (kind, counts) in enumerate([*histogram.special_bins.items()][::-1])
    ]
    return special_bins + [
        (f"from {edge:.4g}", rest, edge, {name: counts[i] for name, counts in histogram.bins.items()})
        for i, edge in enumerate(histogram.edges[:-1])
    ]


class Charts:
    """The charts of these findings, of as many systems as there are distinct colors."""

    def __init__(self, findings: Findings) -> None:
        self.findings, self.systems, self.best = findings, charted(findings), findings.best_first[0]
        self.names, self.y = set[str](), name_axis("system", self.systems)
        columns = 3 if max(map(len, self.systems)) <= 12 else 2
        legend = {"columns": columns, "symbolOpacity": 1} if len(self.systems) > 1 else None
        self.look, self.look_with_legend = self.system_encoding(None), self.system_encoding(legend)

    def system_encoding(self, legend: Mapping[str, Any] | None) -> Encoding:
        field = {"field": "system", "type": "nominal", "title": None, "legend": legend}
        ranges = {"color": COLOURS, "shape": SHAPES}
        count = len(self.systems)
        return {
            name: {**field, "scale": {"domain": self.systems, "range": values[:count]}}
            for name, values in ranges.items()
        }

    def draw(self, name: str, title: str, table: Table, data: Iterable[Row], **view: Any) -> Chart:
        """Make a chart of the rows of shown systems; a chart without facets has the width of its column."""
        while name in self.names:  # a column may be called like another chart
            name += "-2"
        self.names.add(name)
        values = [dict(row) for row in data if row.get("system") in (None, *self.systems)]
        if "facet" not in view:
            view = {"autosize": {"type": "fit-x", "contains": "padding"}, "width": WIDTH, **view}
        specification = {"$schema": SCHEMA, "config": CONFIG, "data": {"values": values}, **view}
        return Chart(name, title, specification, *table)

    def of_measure(self, measure: Choice, rows: Iterable[Row]) -> tuple[str, list[Row], list[Row]]:
        """Return the name of a measure in a file name, its rows, and its rows at the first cutoff."""
        every = [row for row in rows if row["measure"] == measure.name]
        name = re.sub(r"\W+", "-", measure.name).strip("-")  # the name of a column may have any characters
        return name, every, [row for row in every if row["k"] == measure.cuts[0]]

    def means(self, measure: Choice) -> Chart:
        """Draw the means with intervals; at several cutoffs a line with a band for each system."""
        name, rows, _ = self.of_measure(measure, self.findings.means)
        table = table_of(rows, {**keys_of(measure), **OF_MEAN})
        leader = leader_text(self.findings, measure, rows)
        if len(measure.cuts) == 1:
            layers = intervals(lambda field: number_axis(field, measure.label), "mean", self.y, self.look)
            title = measure.at(measure.cuts[0]) + leader
            return self.draw(name, title, table, rows, height={"step": 26}, layer=layers)
        ks, look = [format_cut_off(k) for k in sorted(measure.cuts, key=cut_off_key)], self.look_with_legend
        low, mean = number_axis("low", measure.label), number_axis("mean", measure.label)
        x = {"field": "k", "type": "ordinal", "sort": ks, "title": "cutoff k", "axis": {"labelAngle": 0}}
        layers = [
            layer({"type": "area", "opacity": 0.15}, y=low, y2={"field": "high"}, color=look["color"]),
            layer("line", y=mean, color=look["color"]),
            points(y=mean, **look),
        ]
        title, data = measure.label + leader, [{**row, "k": format_cut_off(row["k"])} for row in rows]
        return self.draw(name, title, table, data, height=HEIGHT, encoding={"x": x}, layer=layers)

    def difference_layers(
        self, y: Encoding, rows: Sequence[Row] = (), has_margin: bool = True
    ) -> list[dict[str, Any]]:
        """Draw differences from the baseline, the zero line and the margin; the scale fits all `rows`."""
        margin = self.findings.comparison["margin"] if has_margin else None
        sides = ("low", "high", "difference")
        ends = [0.0] if margin is None else [-margin, 0.0, margin]
        ends += [row[side] for row in rows for side in sides if row[side] is not None]
        scale: Encoding = {"domain": [min(ends), max(ends)]} if rows else {}

        def x(field: str) -> Encoding:
            return number_axis(field, f"difference from {self.findings.baseline}", padding=8, **scale)

        layers = []
        if margin is not None:
            band = layer({"type": "rect", "color": BAND, "opacity": 0.25}, x=x("from"), x2={"field": "to"})
            layers.append({"data": {"values": [{"from": -margin, "to": margin}]}, **band})
        zero = layer({"type": "rule", "color": INK, "strokeDash": [4, 3]}, x=x("zero"))
        layers.append({"data": {"values": [{"zero": 0}]}, **zero})
        return layers + intervals(x, "difference", y, self.look)

    def differences(self, measure: Choice) -> Chart:
        """Draw the differences from the baseline at the first cutoff, with intervals."""
        name, every, rows = self.of_measure(measure, self.findings.comparisons)
        shown = [row for row in rows if row["system"] in self.systems]
        layers = self.difference_layers(self.y, has_margin=measure.measure.has_cutoff)
        of, all_users = (" (graded)", " (all)") if self.findings.request.predicted_truth else ("", "")
        columns = {f"Mean{of}": "mean_system", f"Baseline{of}": "mean_baseline"}
        columns[f"Difference{all_users}"] = "difference"
        title = f"{measure.at(measure.cuts[0])}: {verdict_text(rows)}"
        table = table_of(every, {**keys_of(measure), **OF_VERDICT, **columns, **ENDS, **OF_TEST})
        return self.draw(f"{name}-differences", title, table, shown, height={"step": 26}, layer=layers)

    def share_bars(
        self, shares: Mapping[str, Sequence[float]], colours: Mapping[str, str], title: str
    ) -> dict[str, Any]:
        """Draw a bar for each system; its parts are in the order of `colours`."""
        data = [
            {"system": system, "part": part, "order": i, "share": parts[i]}
            for system, parts in shares.items()
            for i, part in enumerate(colours)
        ]
        encoding = {
            "y": self.y,
            "x": number_axis("share", title, SHARES, domain=[0, 1]),
            "order": {"field": "order", "type": "quantitative"},
            "color": kind_encoding("part", colours),
        }
        return {"data": data, "height": {"step": 26}, "mark": BAR, "encoding": encoding}

    def wins(self, measure: Choice) -> Chart:
        """Draw the shares of users for whom each system wins, ties and loses."""
        name, every, rows = self.of_measure(measure, self.findings.comparisons)
        colours = {"wins": COLOURS[1], "ties": GRID, "losses": LOSS}
        shares = {row["system"]: [row[part] / (row["users"] or 1) for part in colours] for row in rows}
        best = next(row for name in self.findings.best_first for row in rows if row["system"] == name)
        title = f"{measure.at(measure.cuts[0])}: {outcome_text(best)}"
        columns = {**keys_of(measure), "{Units}": "users", "Wins": "wins", "Ties": "ties", "Losses": "losses"}
        bars = self.share_bars(shares, colours, f"share of {units()}")
        return self.draw(f"{name}-wins", title, table_of(every, columns), **bars)

    def popularity(self) -> Chart:
        """Draw the first measure against popularity: a point with two intervals for each system."""
        measure, k, sides = self.findings.first, self.findings.largest_k, ("mean", "low", "high")
        at, (_, rows, _) = measure.at(k), self.of_measure(measure, self.findings.means)
        means = {row["system"]: row for row in rows if row["k"] == k}
        popularity = self.findings.popularity
        pairs = [({**means[row["system"]], "of": at}, {**row, "of": "popularity"}) for row in popularity]
        data = [
            mean | {f"x {side}": row[side] for side in sides}
            for mean, row in pairs
            if None not in (mean["mean"], row["mean"])
        ]
        what = f"popularity: share of {units()} with an item in their history"
        x = {side: number_axis(f"x {side}", what, padding=8) for side in sides}
        y = {side: number_axis(side, at, padding=8) for side in sides}
        look = self.look_with_legend
        layers = [
            rule(1.5, x=x["mean"], y=y["low"], y2={"field": "high"}, color=look["color"]),
            rule(1.5, x=x["low"], x2={"field": "x high"}, y=y["mean"], color=look["color"]),
            points(x=x["mean"], y=y["mean"], **look),
        ]
        title = f"{at} and popularity of the items"
        table = table_of(
            (row for pair in pairs for row in pair), {"System": "system", "Measure": "of"} | OF_MEAN
        )
        return self.draw("popularity", title, table, data, height=HEIGHT, layer=layers)

    def head_and_tail(self) -> Chart:
        """Draw the shares of head and long tail in the lists of each system."""
        list_rows = self.findings.list_rows
        tails = {row["system"]: row["long_tail"] for row in list_rows}
        shares = {system: (1 - tail, tail) for system, tail in tails.items() if tail is not None}
        best = next((name for name in self.findings.best_first if name in shares), None)
        title = f"Tail items: {shares[best][1]:.0%} with {short(best)}" if best else "All lists are empty"
        rows = [{**row, "head": shares.get(row["system"], [None])[0]} for row in list_rows]
        table = table_of(rows, {"System": "system", "{Units}": "users", "Head": "head", "Tail": "long_tail"})
        colours = {"head": GRID, "tail": COLOURS[1]}
        bars = self.share_bars(shares, colours, "share of the recommended items")
        return self.draw("head-and-tail", title, table, **bars)

    def curve(self) -> Chart:
        """Draw the interpolated precision at eleven levels of recall."""
        rows, look = self.findings.curve, self.look_with_legend
        x = number_axis("recall", "recall", domain=[0, 1])
        y = number_axis("precision", "precision", zero=True)
        layers = [layer("line", color=look["color"]), points(size=35, **look)]
        at = {(row["recall"], row["system"]): row["precision"] for row in rows}
        levels = sorted({row["recall"] for row in rows})
        cells = [
            [f"{level:g}", *(at.get((level, name)) for name in self.findings.systems)] for level in levels
        ]
        title = "Precision by recall (upper right is better)"
        table = ["Recall", *self.findings.systems], cells
        encoding = {"x": x, "y": y}
        return self.draw("curve", title, table, rows, height=HEIGHT, encoding=encoding, layer=layers)

    def abstention(self) -> Chart:
        """Draw the two errors of each threshold: a line for each system, from lowest to highest threshold."""
        rows, look = self.findings.abstention, self.look_with_legend
        refused = f"share of answerable {units()} that are refused"
        answered = f"share of unanswerable {units()} that are answered"
        x = number_axis("refused_share", refused, SHARES, domain=[0, 1])
        y = number_axis("answered_share", answered, SHARES, domain=[0, 1])
        order = {"field": "threshold", "type": "quantitative"}
        layers = [layer("line", color=look["color"], order=order), points(size=35, **look)]
        columns = {"System": "system", "Threshold": "threshold", "Refused": "wrongly_refused"}
        columns |= {"Share": "refused_share", "Answered": "wrongly_answered", "Its share": "answered_share"}
        title = "Errors by threshold (lower left is better)"
        table, encoding = table_of(select_thresholds(rows), columns), {"x": x, "y": y}
        return self.draw("abstention", title, table, rows, height=HEIGHT, encoding=encoding, layer=layers)

    def histogram(self) -> Chart:
        """Draw the distribution of the values of users: a small chart for each system."""
        findings, at, systems = self.findings, self.findings.at, self.findings.systems
        edges, _, special_bins = findings.histogram
        rest, width = "other values" if special_bins else "values", edges[1] - edges[0]
        bars = bars_of(findings.histogram, rest)
        totals = {name: sum(counts[name] for *_, counts in bars) or 1 for name in systems}
        data = [
            {"system": name, "kind": kind, "from": edge, "to": edge + width}
            | {"share": counts[name] / totals[name]}
            for name in self.systems
            for _, kind, edge, counts in bars
        ]
        domain = [min(edge for _, _, edge, _ in bars) - width / 2, edges[-1]]
        colours = dict(zip(special_bins, (COLOURS[2], LOSS), strict=False)) | {rest: COLOURS[1]}
        encoding = {
            "x": number_axis("from", at, {"tickCount": 6, "grid": False}, domain=domain, nice=False),
            "x2": {"field": "to"},
            "y": number_axis("share", units(), {"format": "%", "tickCount": 3}, zero=True),
            "y2": {"datum": 0},
            "color": kind_encoding("kind", colours),
        }
        header = {"labelAngle": 0, "labelAlign": "left", "labelAnchor": "start", "labelOrient": "top"}
        title = f"{at} per {units(1)}"
        for kind, counts in [*special_bins.items()][:1]:
            title += f": {counts[self.best] / totals[self.best]:.0%} {kind} with {short(self.best)}"
        shown = [*bars[: len(special_bins)][::-1], *bars[len(special_bins) :]]
        cells = [[heading, *(counts[name] for name in systems)] for heading, *_, counts in shown]
        return self.draw(
            "users",
            title,
            ([at, *systems], cells),
            data,
            facet={"row": {**self.y, "header": header}},
            spacing=12,
            spec={"width": WIDTH - 90, "height": 60, "mark": BAR, "encoding": encoding},
        )

    def segments(self) -> list[Chart]:
        """Draw the largest segments: the means of a single system, or a chart of differences for each system.

        Each chart has the table of all systems.
        """
        findings, at, every = self.findings, self.findings.at, self.findings.segments
        names = list(dict.fromkeys(row["segment"] for row in every))[:MOST_SEGMENTS]
        y = name_axis("segment", names)
        rows = [row for row in every if row["segment"] in names and row["system"] in self.systems]
        title = f"{at} by {findings.segment}"
        if findings.baseline is None:
            look = {"color": {"value": COLOURS[1]}}
            layers = intervals(lambda field: number_axis(field, at), "mean", y, look)
            table = table_of(every, {"Segment": "segment"} | OF_MEAN)
            return [self.draw("segments", title, table, rows, height={"step": 22}, layer=layers)]
        columns = {"Segment": "segment", "System": "system", **OF_VERDICT, "{Units}": "users"}
        columns |= {"Difference": "difference"}
        table = table_of(every, columns | ENDS | OF_TEST)
        view = {"height": {"step": 22}, "layer": self.difference_layers(y, rows)}
        drawn = []
        for number, name in enumerate(self.systems[1:], start=1):
            own = [row for row in rows if row["system"] == name]
            drawn.append(self.draw(f"segments-{number}", f"{title}: {short(name)}", table, own, **view))
        return drawn

"""The queries of a report: aggregates of the values of each user, and comparisons of them."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

import duckdb

from ..duckdb.internal import T_QUANTILE
from ..duckdb.statements import identifier, literal
from ..evaluation import conclusion
from ..evaluation.columns import COLUMNS
from ..evaluation.comparison import (
    ComparisonOptions,
    check_baseline,
    check_measures,
    compare_queries,
    segment_tables,
)
from ..evaluation.defaults import DIGITS, TIES
from ..evaluation.errors import DataError, UsageError
from ..evaluation.pairs import ModelOrder, find_orders
from ..evaluation.problems import check_common, problem_text
from ..evaluation.queries import (
    Request,
    contents_call,
    curve_query,
    explain_query,
    fetch_rows,
    overlap_query,
    plan,
)
from ..evaluation.words import Row, cut_off_key, format_cut_off
from ..inputs.evaluation import Evaluation
from ..measures.contents import CONTENTS
from ..measures.grammar import Choice
from ..measures.registry import MEASURES, Range
from ..texts import printable, shorten
from ..version import version
from .contents import categories_query
from .findings import UNNAMED, Contents, Example, Findings, Histogram

MOST_SYSTEMS = 50
MOST_SEGMENTS = 100
BINS = 20
LOSERS = 20
MOST_CATEGORIES = 12
JUDGED = "judged_share"
MOST_IN_WORDS = 2  # measures, beside the first


class ReportQueries:
    """The work from tables to findings; it keeps its queries for the page to show.

    Models are compared with the first where the options name no baseline.

    first, k  the measure and the cut-off that verdicts are of
    largest_k  the largest cut-off of that measure
    system    the column that tells models apart, with a comma; "" if there is none
    keys      that column and k
    labels    the label of each model on the page by its name in the data, "" for one without a name
    order     the place of each model on the page, the baseline's first
    """

    def __init__(self, work: Evaluation) -> None:
        self.work, self.con, self.inputs, self.read = work, work.con, work.inputs, work.tables
        work.request = self.request = replace(work.request, by_user=True)
        systems, options = work.systems, work.options
        self.check_request(systems, options)
        self.has_system = bool(systems)
        self.baseline = next(iter(systems), "") if options.baseline is None else options.baseline
        self.systems = [self.baseline, *(name for name in systems if name != self.baseline)]
        self.options = replace(options, baseline=self.baseline)
        self.first, self.k = self.request.choices[0], self.request.choices[0].cuts[0]
        self.at_k = f"k IS NOT DISTINCT FROM {'NULL' if self.k is None else self.k}"
        self.labels = unique_labels(self.systems) if self.has_system else {"": UNNAMED}
        self.names = {label: name for name, label in self.labels.items()}
        self.order = {name: i for i, name in enumerate(self.labels.values())}
        self.queries: list[str] = []
        self.keys = ["system", "k"] if self.has_system else ["k"]
        self.system = "system, " if self.has_system else ""
        self.largest_k = max(self.first.cuts, key=cut_off_key)

    def check_request(self, systems: Sequence[str], options: ComparisonOptions) -> None:
        """Raise UsageError for what the report cannot compare, and DataError for a truth without users."""
        dashes = self.work.dashes
        if len(systems) > MOST_SYSTEMS:
            raise UsageError(f"report: there must be {MOST_SYSTEMS} models or fewer, got {len(systems)}")
        check_baseline(systems, options.baseline, "report", dashes)
        for choice in self.request.choices:
            if choice.measure.name in CONTENTS:
                rule = f"{dashes}measures must be measured by truth"
                raise UsageError(f"report: {rule}, got {choice.name}: evaluate and compare have it")
        if len(systems) > 1:
            check_measures(self.request, "report", dashes)
        self.work.check_users()

    def fetch(self, query: str) -> list[Row]:
        """Return the rows of a query, with the labels of models."""
        self.queries.append(query)
        found: list[Row] = []
        for row in fetch_rows(self.con, query):
            models = [name for name in ("system", "baseline") if row.get(name) in self.labels]
            labels = {name: self.labels[row[name]] for name in models}
            found.append({"system": self.labels[self.baseline], **row, **labels})
        return found

    def findings(self) -> Findings:
        """Make everything that the page shows, and the tables by_user and by_segment."""
        step = self.work.step
        step("measuring")
        steps = plan(self.with_judged(), self.has_system)
        made = [*steps.tables, *segment_tables(self.request)]
        if self.request.history:
            lists = contents_call(self.request, [self.largest_k], by_user=True)
            query = f"SELECT {self.system}k, popularity\nFROM {lists}"
            made.append(f"CREATE OR REPLACE TEMP TABLE {self.request.table('contents')} AS\n{query}")
        for statement in made:
            self.con.execute(statement)
        counts = {row["system"]: row for row in self.fetch(steps.summary) if row["k"] == self.k}
        means = self.means()
        step("comparing")
        comparisons, by_segment = self.comparisons()
        family = list(filter(self.is_first, comparisons))
        segments, more_segments = self.segments(by_segment)
        step("looking at users")
        problems = None
        if self.work.is_checked:
            self.queries.append(steps.check)
            problems = self.work.problems()
            if not self.work.allow_empty:
                check_common(problems)
        ordered = find_orders(
            self.con, self.request, self.options, len(self.systems), comparisons, fetch=self.fetch
        )
        orders = {(one.measure, one.k): one for one in ordered if one is not None}
        leader = orders.get((self.first.name, self.k))
        users = max(row["users"] for row in counts.values())
        shared, tables = self.shared(counts, users), self.tables()
        losers = self.losers()
        segment = self.inputs.segment and shorten(self.inputs.segment[1])
        made = [*self.read.statements, *made]
        return Findings(
            systems=list(self.order),
            measures=self.request.choices,
            options=self.options,
            leading=conclusion.leading_sentence(leader, shared) if leader else None,
            headlines=self.headlines(means, leader),
            verdicts=[conclusion.sentence(row, self.options, len(family), DIGITS) for row in family],
            best=conclusion.best_sentence(leader, self.options, DIGITS)
            if leader and len(leader.means) > 2
            else None,
            caveats=[] if problems is None else self.caveats(problems, shared, counts, tables),
            orders=orders,
            problems=None if problems is None else list(map(problem_text, problems)),
            counts=counts,
            tables=tables,
            means=means,
            comparisons=comparisons,
            segment=segment,
            segments=segments,
            more_segments=more_segments,
            curve=self.fetch(curve_query(self.request)),
            histogram=self.histogram(list(filter(self.is_first, means)), counts),
            losers=losers,
            overlaps=self.overlaps(),
            example=self.example(leader, losers),
            contents=self.contents(leader) if self.request.history else None,
            facts=self.facts(),
            sql=sql_listing([*made, *self.queries]),
        )

    def headlines(self, means: Sequence[Row], leader: ModelOrder | None) -> list[str]:
        """Say what the best model and the baseline achieve: the first measure, and those with words."""
        names, choices = self.mentioned(leader), self.request.choices
        plain = {one.measure.name: one for one in choices if not one.given}
        in_words = [plain[name] for name in conclusion.HEADLINES if name in plain][:MOST_IN_WORDS]
        texts = []
        for choice in [*in_words, *([] if self.first in in_words else [self.first])]:
            at = choice.name, choice.cuts[0]
            values = {row["system"]: row for row in means if (row["measure"], row["k"]) == at}
            if all(values[name]["users"] for name in names):
                rows = [values[name] for name in names]
                texts.append(conclusion.headline_sentence(rows, choice, choice.cuts[0]))
        return texts

    def mentioned(self, leader: ModelOrder | None) -> list[str]:
        """Return the best model and the baseline, or the second best: those that sentences tell of."""
        baseline = self.labels[self.baseline]
        names = list(leader.means)[:2] if leader else list(self.order)[:2]
        return names if baseline in names[:1] else [*names[:1], baseline]

    def caveats(
        self,
        problems: Sequence[Row],
        shared: Sequence[Row],
        counts: Mapping[str, Row],
        tables: Sequence[Row],
    ) -> list[str]:
        """Say what stands against the verdict: problems of the data, missing lists, few judged items.

        A truth of relevant items alone has judged nothing else, for no model.
        """
        found = conclusion.caveats(problems, self.k)
        found += [conclusion.shared_sentence(shared, self.first.at(self.k))] if shared else []
        shares = {name: counts[name].get(JUDGED) for name in self.order}
        is_judged = any(row.get("has_misses") for row in tables)
        return found + (conclusion.judged_caveat(shares, self.k) if is_judged else [])

    def with_judged(self) -> Request:
        """Return the request with one more column of the values of each user: the share that is judged."""
        names = [one.measure.name for one in self.request.choices]
        if JUDGED in names or self.request.ties == "expected":
            return self.request
        judged = Choice(MEASURES[JUDGED], {}, {}, (self.k,))
        return replace(self.request, choices=[*self.request.choices, judged])

    def shared(self, counts: Mapping[str, Row], users: int) -> Sequence[Row]:
        """Return the means of users with recommendations of every model, if many users have not."""
        without = max(row["users_without_rec"] for row in counts.values())
        if len(self.systems) == 1 or without < conclusion.TOUCHED * users:
            return []
        found = self.fetch(shared_query(self.request, self.first, self.at_k, len(self.systems)))
        return found if all(row["users"] for row in found) else []

    def tables(self) -> list[Row]:
        """Count what was read, of each model and of the truth."""
        found: list[Row] = []
        files, truth = self.read.files, self.request.table("truth")
        rows = self.fetch(tables_query(self.request.table("rec"), self.system))
        for row in sorted(rows, key=self.by_order):
            file = files.get(self.names[row["system"]], files.get(None))
            found.append({**row, **dated(file), "is_truth": False})
        types = {row["column_name"]: row["column_type"] for row in fetch_rows(self.con, f"DESCRIBE {truth}")}
        least = self.request.columns.min_grade
        is_miss = "rel::DOUBLE <= 0" if least is None else f"rel::DOUBLE < {least!r}"
        more = f", coalesce(bool_or({is_miss}), false) AS has_misses" if "rel" in types else ""
        if types.get("time", "").startswith(("DATE", "TIMESTAMP")):
            more += ", left(min(time)::VARCHAR, 10) AS earliest, left(max(time)::VARCHAR, 10) AS latest"
        (row,) = self.fetch(tables_query(truth, "", more))
        return [*found, {**row, **dated(self.read.truth), "is_truth": True}]

    def by_order(self, row: Row) -> int:
        """Return the place of the model of a row."""
        return self.order[row["system"]]

    def by_measure(self, row: Row) -> tuple[int, tuple[bool, int], int]:
        """Return the place of a measure's row: of the measure, of k, and of the model."""
        names = [one.name for one in self.request.choices]
        return names.index(row["measure"]), cut_off_key(row["k"]), self.by_order(row)

    def is_first(self, row: Row) -> bool:
        """Return whether verdicts are of this measure and k."""
        return bool(row["measure"] == self.first.name and row["k"] == self.k)

    def means(self) -> list[Row]:
        """Return the means of all measures at their cut-offs, in order."""
        choices, source = self.request.choices, self.request.table("by_user")
        names = [one.name for one in choices]
        found = [
            {**row, "measure": names[row["place"]]}
            for row in self.fetch(means_query(source, self.keys, names, self.options.confidence))
            if row["k"] in choices[row["place"]].cuts
        ]
        return sorted(found, key=self.by_measure)

    def comparisons(self) -> tuple[list[Row], list[Row]]:
        """Compare all users, in order, and those of segments."""
        if len(self.systems) == 1:
            return [], []
        found = [
            [row for query in queries for row in self.fetch(query)]
            for queries in compare_queries(self.request, self.options)
        ]
        return sorted(found[0], key=self.by_measure), found[1] if len(found) > 1 else []

    def segments(self, compared: Sequence[Row]) -> tuple[list[Row], int]:
        """Return the first measure of the largest segments, and the number of the others."""
        if self.inputs.segment is None:
            return [], 0
        found = list(filter(self.is_first, compared))
        if len(self.systems) == 1:
            at_first = f"(FROM {self.request.table('by_segment')} WHERE {self.at_k})"
            query = means_query(at_first, ["segment"], [self.first.name], self.options.confidence)
            found = self.fetch(query)
        return self.largest("segment", found, [row["users"] for row in found], MOST_SEGMENTS)

    def largest(
        self, by: str, rows: Sequence[Row], sizes: Sequence[float], most: int
    ) -> tuple[list[Row], int]:
        """Return the rows of the largest groups, under unique labels, and the number of the others.

        `by` is their column, `sizes` are those of the rows; that of a group is its largest one.
        """
        of_groups: dict[str, float] = {}
        for row, size in zip(rows, sizes, strict=True):
            of_groups[row[by]] = max(of_groups.get(row[by], 0), size)
        names = sorted(of_groups, key=lambda name: (-of_groups[name], name))[:most]
        shown, places = unique_labels(names), {name: i for i, name in enumerate(names)}
        kept = [row for row in rows if row[by] in places]
        kept.sort(key=lambda row: (places[row[by]], self.by_order(row)))
        return [{**row, by: shown[row[by]]} for row in kept], len(of_groups) - len(names)

    def histogram(self, means: Sequence[Row], counts: Mapping[str, Row]) -> Histogram:
        """Count users by their value of the first measure at the first cut-off."""
        values = self.first.measure.range
        low, high = histogram_ends(values, means)
        bins = {name: [0] * BINS for name in self.order}
        for row in self.fetch(histogram_query(self.request, self.has_system, self.at_k, low, high)):
            bins[row["system"]][row["bin"]] = row["users"]
        zeros = {row["system"]: row["zeros"] for row in means}
        absent = {row["system"]: counts[row["system"]]["users"] - row["users"] for row in means}
        apart = {"exactly 0": zeros} if 0 in values else {}
        apart |= {"no value": absent} if any(absent.values()) else {}
        return Histogram([low + (high - low) * i / BINS for i in range(BINS + 1)], bins, apart)

    def losers(self) -> dict[str, list[Row]]:
        """Return the users whose first measure becomes worse by the most, of each model that is compared."""
        found: dict[str, list[Row]] = {self.labels[name]: [] for name in self.systems[1:]}
        for row in self.fetch(losers_query(self.request, self.at_k, self.baseline)) if found else ():
            found[row["system"]].append(row)
        return found

    def overlaps(self) -> list[Row]:
        """Return what the lists of each model have in common with the baseline's."""
        if len(self.systems) == 1:
            return []
        query = overlap_query(replace(self.request, ks=[self.k]), self.baseline)
        return sorted(self.fetch(query), key=self.by_order)

    def example(self, leader: ModelOrder | None, losers: Mapping[str, Sequence[Row]]) -> Example | None:
        """Return the lists of the user who loses most with the best model, or with the first who has one."""
        order = [name for name in (*(leader.means if leader else ()), *losers) if losers.get(name)]
        if not order:
            return None
        names, user = [self.labels[self.baseline], order[0]], losers[order[0]][0]["userid"]
        lists: dict[str, list[tuple[str, bool]]] = {name: [] for name in names}
        missed: dict[str, list[str]] = {name: [] for name in names}
        columns = replace(self.request.columns, unjudged=COLUMNS.unjudged)
        for row in self.fetch(explain_query(replace(self.request, ks=[self.k], columns=columns), user)):
            item = shorten(str(row["itemid"]))
            if row["system"] in names and row["rank"] is None:
                missed[row["system"]].append(item)
            elif row["system"] in names:
                lists[row["system"]].append((item, bool(row["relevant"])))
        return Example(shorten(user), lists, missed)

    def contents(self, leader: ModelOrder | None) -> Contents:
        """Return what is in the lists down to the largest cut-off."""
        request, k = self.request, self.largest_k
        source = request.table("contents")
        wholes = sorted(self.fetch(f"FROM {contents_call(request, [k])}"), key=self.by_order)
        popularity = self.fetch(means_query(source, self.keys, ["popularity"], self.options.confidence))
        found = self.fetch(categories_query(request, self.system, k)) if request.items else []
        sizes = [max(row["recommended"], row["history"]) for row in found]
        categories, more = self.largest("category", found, sizes, MOST_CATEGORIES)
        of = {row["system"]: row for row in wholes}
        rows = [
            of[name] if self.has_system else {**of[name], "system": "The model"}
            for name in self.mentioned(leader)
        ]
        return Contents(
            k=k,
            sentences=conclusion.contents_sentences(rows, request.items),
            wholes=wholes,
            popularity=sorted(popularity, key=self.by_order),
            categories=categories,
            more_categories=more,
            head=request.head,
        )

    def facts(self) -> list[tuple[str, str]]:
        """List the facts with which people can make the report again."""
        inputs, request, options = self.inputs, self.request, self.options
        least, columns = request.columns.min_grade, request.columns
        is_compared = len(self.systems) > 1
        margin = is_compared and options.margin is not None
        note = conclusion.footnote(options, inputs.segment is not None).partition(". ")[2]
        of_rule = f"a grade of {least or 0:g} or more; gains, as of NDCG, are those of all grades"
        left_out = "items that the truth has no row for are left out, and the ranks closed up"
        sources = {
            "Recommendations": ", ".join(one if isinstance(one, str) else one[1] for one in inputs.recs),
            "Truth": inputs.truth,
            "Segments": ":".join(inputs.segment or ()),
            "History": inputs.history or "",
            "Items": ":".join(inputs.items or ()),
        }
        found = {name: shorten(value) for name, value in sources.items()} | {
            "Measures": "; ".join(map(text_with_options, request.choices)),
            "Cut-offs": ", ".join(map(format_cut_off, request.ks)),
            "Equal scores": TIES[request.ties],
            "Best score": "the highest" if request.descending else "the lowest",
            "Relevant": None if least is None else of_rule,
            "Not judged": None if columns.unjudged == COLUMNS.unjudged else left_out,
            "Means": f"with {100 * options.confidence:.15g} % intervals by Student's t",
            "Baseline": self.labels[self.baseline] if is_compared else None,
            "Comparisons": note if is_compared else None,
            "The same": f"what differs by less than {options.margin:g}, by two one-sided tests"
            if margin
            else None,
            "Permutations": f"{options.permutations}, seed {options.seed}"
            if is_compared and options.test == "randomization"
            else None,
            "Made": report_time(),
            "Versions": f"{version()}, DuckDB {duckdb.__version__}",
        }
        return [(name, value) for name, value in found.items() if value]


def text_with_options(choice: Choice) -> str:
    """Return a measure with its cut-offs and all options that have a value."""
    given = {name: value for name, value in choice.options.items() if value is not None}
    texts = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in given.items()
    ]
    return f"{choice.text} ({', '.join(texts)})" if texts else choice.text


def unique_labels(systems: Sequence[str]) -> dict[str, str]:
    """Shorten names to one line and make them unique."""
    shown: dict[str, str] = {}
    for name in systems:
        one = line = shorten(name).strip() or "(no name)"
        number = 1
        while one in shown.values():
            number += 1
            one = f"{line} ({number})"
        shown[name] = one
    return shown


def histogram_ends(values: Range, means: Sequence[Row]) -> tuple[float, float]:
    """Return the ends of a histogram: those of the measure's range, else of the users' values."""
    found = [row for row in means if row["least"] is not None]
    low = values.low if isfinite(values.low) else min((row["least"] for row in found), default=0.0)
    high = values.high if isfinite(values.high) else max((row["most"] for row in found), default=1.0)
    return (low, high) if low < high else (low, low + 1)


def sql_listing(statements: Sequence[str]) -> str:
    """Join the statements as people read them, line by line."""
    return "\n".join(map(printable, "\n\n".join(f"{one};" for one in statements).split("\n")))


def means_query(source: str, keys: Sequence[str], measures: Sequence[str], confidence: float) -> str:
    """Return means of measures with their intervals and numbers of users, by `keys`.

    `source` is a table, or a query in brackets. The squares are of differences to the means, which are found
    beforehand: so they cannot be lost to large means.
    """
    names = list(map(identifier, measures))
    by = ", ".join(keys)
    of_means = ", ".join(f"means.{key}" for key in keys)
    same = " AND ".join(f"one_user.{key} IS NOT DISTINCT FROM means.{key}" for key in keys)
    sums = ",\n        ".join(
        f"{{users: count({name}), mean: ranking_mean({name}), zeros: count(*) FILTER ({name} = 0), "
        f"least: min({name})::DOUBLE, most: max({name})::DOUBLE}}"
        for name in names
    )
    squares = ",\n        ".join(
        f"ranking_mean(({name} - found[{i}].mean) ** 2)" for i, name in enumerate(names, start=1)
    )
    return f"""WITH means AS MATERIALIZED (
    SELECT {by}, [
        {sums}
    ] AS found
    FROM {source}
    GROUP BY ALL
), squares AS (
    SELECT {of_means}, found, [
        {squares}
    ] AS squares
    FROM {source} AS one_user
    JOIN means
        ON {same}
    GROUP BY ALL
)
SELECT {by}, place, users, zeros, least, most, mean,
    CASE WHEN isfinite(half) THEN mean - half END AS low,
    CASE WHEN isfinite(half) THEN mean + half END AS high
FROM (
    SELECT {by}, place, one.*,
        CASE WHEN one.users > 1 THEN
            {T_QUANTILE}({1 - confidence!r}, one.users - 1)
                * sqrt(square / (one.users - 1))
        END AS half
    FROM (
        SELECT {by}, unnest(range(len(found))) AS place, unnest(found) AS one, unnest(squares) AS square
        FROM squares
    )
)"""


def histogram_query(request: Request, has_system: bool, at_k: str, low: float, high: float) -> str:
    """Return the query that counts users in each bin, those with 0 left out."""
    value, system = identifier(request.choices[0].name), "system, " if has_system else ""
    bin_of = f"floor(({value} - {low!r}) / {high - low!r} * {BINS})"
    return f"""SELECT {system}least(greatest({bin_of}, 0), {BINS - 1})::INTEGER AS bin, count(*) AS users
FROM {request.table("by_user")}
WHERE {at_k} AND {value} <> 0
GROUP BY ALL"""


def losers_query(request: Request, at_k: str, baseline: str) -> str:
    """Return the users whose values of the first measure become worse by the most, of each other model.

    Beside them stand how many users lose, and how many lose as much as this one.
    """
    by_user, choice = request.table("by_user"), request.choices[0]
    value, is_worse = identifier(choice.name), ">" if choice.measure.higher_is_better is False else "<"
    return f"""SELECT *,
    count(*) OVER (PARTITION BY system) AS losers,
    count(*) OVER (PARTITION BY system, round(difference, 12)) AS sharing
FROM (
    SELECT other.system, CAST(userid AS VARCHAR) AS userid, one.{value} AS baseline, other.{value} AS value,
        other.{value} - one.{value} AS difference
    FROM (FROM {by_user} WHERE system = {literal(baseline)} AND {at_k}) AS one
    JOIN (FROM {by_user} WHERE system <> {literal(baseline)} AND {at_k}) AS other USING (userid)
    WHERE other.{value} {is_worse} one.{value}
)
QUALIFY row_number() OVER (PARTITION BY system ORDER BY abs(difference) DESC, userid) <= {LOSERS}
ORDER BY system, abs(difference) DESC, userid"""


def shared_query(request: Request, choice: Choice, at_k: str, systems: int) -> str:
    """Return the means of the users who have recommendations of every model, the best first."""
    by_user, value = request.table("by_user"), identifier(choice.name)
    best = "ASC" if choice.measure.higher_is_better is False else "DESC"
    return f"""SELECT system, count({value}) AS users, ranking_mean({value}) AS mean
FROM {by_user}
WHERE {at_k} AND userid IN (
    SELECT userid FROM {by_user} WHERE {at_k} AND n_rec > 0 GROUP BY userid HAVING count(*) = {systems}
)
GROUP BY system
ORDER BY mean {best}, system"""


def tables_query(table: str, system: str, more: str = "") -> str:
    """Return how many rows, users and items a table has, and more aggregates."""
    counts = "count(*) AS lines, count(DISTINCT userid) AS users, count(DISTINCT itemid) AS items"
    return f"SELECT {system}{counts}{more}\nFROM {table}\nGROUP BY ALL"


def dated(path: str | None) -> dict[str, str | None]:
    """Return the name of a table, and if it is a file, the date on which that was modified."""
    is_file = path is not None and os.path.isfile(path)
    modified = time.strftime("%Y-%m-%d", time.gmtime(os.path.getmtime(path))) if path and is_file else None
    return {"name": path and shorten(path), "modified": modified}


def report_time() -> str:
    """Return the time, or that of SOURCE_DATE_EPOCH (https://reproducible-builds.org); DataError if none."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        made = time.gmtime(int(given) if given else time.time())
    except (ValueError, OverflowError, OSError):
        rule = "SOURCE_DATE_EPOCH must be seconds since 1970"
        raise DataError(f"report: {rule}, got {shorten(repr(given))}") from None
    return f"{time.strftime('%Y-%m-%d %H:%M', made)} UTC"

"""The queries of a report: aggregates of the values of each user, and comparisons of them."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import duckdb

from ..duckdb.statements import identifier, literal
from ..evaluation.columns import COLUMNS
from ..evaluation.comparison import (
    ComparisonOptions,
    can_be_paired,
    check_baseline,
    check_measures,
    compare_queries,
    pairs_query,
    segment_tables,
)
from ..evaluation.conclusion import (
    HEADLINES,
    TOUCHED,
    best_sentence,
    caveats,
    contents_sentences,
    families,
    footnote,
    headline_sentence,
    judged_caveat,
    leading_sentence,
    sentence,
    shared_sentence,
)
from ..evaluation.defaults import DIGITS, TIES
from ..evaluation.errors import DataError
from ..evaluation.pairs import MOST_SYSTEMS as MOST_PAIRED
from ..evaluation.pairs import Standing, standing
from ..evaluation.problems import check_common, problem_text, with_advice
from ..evaluation.queries import (
    Request,
    cut_off_list,
    descending_argument,
    fetch_rows,
    grade_arguments,
    plan,
    ranked_table,
)
from ..evaluation.words import Row, cut_off_key, format_cut_off, format_measure
from ..inputs.tables import Inputs, Tables
from ..measures.contents import CONTENTS
from ..measures.grammar import Choice
from ..measures.registry import MEASURES, Range
from ..texts import printable, shorten
from ..version import version
from .contents import categories_query, contents_query, contents_statement
from .findings import UNNAMED, Contents, Example, Findings, Histogram, ReportMeasure

MOST_SYSTEMS = 50
MOST_SEGMENTS = 100
BINS = 20
LOSERS = 20
MOST_CATEGORIES = 12
JUDGED = "judged_share"
MOST_IN_WORDS = 2  # measures, beside the first


@dataclass(frozen=True)
class Study:
    """The subject of a report.

    request   what was measured; the tables rec, truth and perhaps segments are there
    options   how models are compared; with no baseline, with the first
    systems   the models in order, all of them; none where rec has no column `system`
    segment   the column of segments, if there are any
    sources   kinds and names of what was read
    check     whether to look for problems in the data
    allow_empty  whether a model may have no user or no item in common with truth
    is_command   whether to say what to write as options of the command, in place of Python's arguments
    files, truth_file, history_file  what problems may be of, as of Tables
    statements  the SQL that made the tables
    """

    request: Request
    options: ComparisonOptions
    systems: Sequence[str]
    segment: str | None
    sources: Sequence[tuple[str, str]]
    check: bool
    allow_empty: bool
    is_command: bool
    files: Mapping[str | None, str]
    truth_file: str | None
    history_file: str | None
    statements: Sequence[str]

    @classmethod
    def of(
        cls,
        request: Request,
        options: ComparisonOptions,
        inputs: Inputs,
        tables: Tables,
        systems: Sequence[str],
        check: bool,
        allow_empty: bool,
        is_command: bool = False,
    ) -> "Study":
        paths = [rec if isinstance(rec, str) else rec[1] for rec in inputs.recs]
        sources = [("Recommendations", ", ".join(paths)), ("Truth", inputs.truth)]
        sources += [("Segments", ":".join(inputs.segment))] if inputs.segment else []
        sources += [("History", inputs.history)] if inputs.history else []
        sources += [("Items", ":".join(inputs.items))] if inputs.items else []
        return cls(
            request=request,
            options=options,
            systems=systems,
            segment=inputs.segment and inputs.segment[1],
            sources=sources,
            check=check,
            allow_empty=allow_empty,
            is_command=is_command,
            files=tables.files,
            truth_file=tables.truth,
            history_file=tables.history,
            statements=tables.statements,
        )


def check_report(
    request: Request, options: ComparisonOptions, systems: Sequence[str], dashes: str = ""
) -> None:
    """Raise DataError if there are too many models for a page, or they cannot be compared so.

    `dashes` stand in front of the options of what the user calls.
    """
    if len(systems) > MOST_SYSTEMS:
        raise DataError(f"report: there must be {MOST_SYSTEMS} models or fewer, got {len(systems)}")
    check_baseline(systems, options.baseline, "report", dashes)
    for choice in request.choices:
        if choice.measure.name in CONTENTS:
            rule = f"{dashes}measures must be measured by truth"
            raise DataError(f"report: {rule}, got {choice.name}: evaluate and compare have it")
    if len(systems) > 1:
        check_measures(request, "report", dashes)


def gather(
    con: duckdb.DuckDBPyConnection, study: Study, step: Callable[[str], None] = lambda _: None
) -> Findings:
    """Make the tables by_user and by_segment, and find what the page shows, telling each `step`."""
    return Gathering(con, study).findings(step)


class Gathering:
    """The work from a study to findings; it keeps its queries for the page to show.

    first, k  the measure and the cut-off that verdicts are of
    largest_k  the largest cut-off of that measure
    system    the column that tells models apart, with a comma; "" if there is none
    keys      that column and k
    labels    the label of each model on the page by its name in the data, "" for one without a name
    order     the place of each model on the page, the baseline's first
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, study: Study) -> None:
        self.con, self.study = con, study
        self.request = replace(study.request, by_user=True)
        self.has_system = bool(study.systems)
        given = study.options.baseline  # "" is a name, too
        self.baseline = next(iter(study.systems), "") if given is None else given
        self.systems = [self.baseline, *(name for name in study.systems if name != self.baseline)]
        self.options = replace(study.options, baseline=self.baseline)
        self.first, self.k = self.request.choices[0], self.request.choices[0].cuts[0]
        self.at_k = f"k IS NOT DISTINCT FROM {'NULL' if self.k is None else self.k}"
        self.labels = unique_labels(self.systems) if self.has_system else {"": UNNAMED}
        self.names = {label: name for name, label in self.labels.items()}
        self.order = {name: i for i, name in enumerate(self.labels.values())}
        self.queries: list[str] = []
        self.keys = ["system", "k"] if self.has_system else ["k"]
        self.system = "system, " if self.has_system else ""
        self.largest_k = max(self.first.cuts, key=cut_off_key)

    def fetch(self, query: str) -> list[Row]:
        """Return the rows of a query, with the labels of models."""
        self.queries.append(query)
        found: list[Row] = []
        for row in fetch_rows(self.con, query):
            models = [name for name in ("system", "baseline") if row.get(name) in self.labels]
            labels = {name: self.labels[row[name]] for name in models}
            found.append({"system": self.labels[self.baseline], **row, **labels})
        return found

    def findings(self, step: Callable[[str], None]) -> Findings:
        """Make everything that the page shows."""
        step("measuring")
        steps = plan(self.with_judged(), self.has_system)
        made = [*steps.tables, *segment_tables(self.request)]
        if self.request.history:
            made.append(contents_statement(self.request, self.system, self.largest_k))
        for statement in made:
            self.con.execute(statement)
        counts = {row["system"]: row for row in self.fetch(steps.summary) if row["k"] == self.k}
        means = self.means()
        at_first = [row for row in means if row["place"] == 0 and row["k"] == self.k]
        step("comparing")
        comparisons, by_segment = self.comparisons()
        family = [row for row in comparisons if self.is_first(row)]
        segments, more_segments = self.segments(by_segment)
        step("looking at users")
        problems = self.problems(steps.check) if self.study.check else None
        standings = self.standings(comparisons)
        leader = standings.get((0, self.k))
        users = max(row["users"] for row in counts.values())
        shared, tables = self.shared(counts, users), self.tables()
        return Findings(
            systems=list(self.order),
            measures=[
                ReportMeasure(
                    one.name, one.measure.label, one.options_text, one.cuts, one.measure.higher_is_better
                )
                for one in self.request.choices
            ],
            confidence=self.options.confidence,
            margin=self.options.margin,
            leading=leading_sentence(leader, shared) if leader else None,
            headlines=self.headlines(means, leader),
            verdicts=[sentence(row, self.options, len(family), DIGITS) for row in family],
            best=best_sentence(leader, self.options, DIGITS) if leader and len(leader.means) > 2 else None,
            caveats=[]
            if problems is None
            else self.caveats(problems, shared, users) + self.few_judged(counts, tables),
            standings=standings,
            problems=None if problems is None else list(map(problem_text, problems)),
            counts=counts,
            tables=tables,
            means=means,
            comparisons=comparisons,
            segment=None if self.study.segment is None else shorten(self.study.segment),
            segments=segments,
            more_segments=more_segments,
            curve=self.fetch(curve_query(self.request)),
            histogram=self.histogram(at_first, counts),
            losers={self.labels[name]: self.losers(name) for name in self.systems[1:]},
            losses={self.labels[name]: self.losses(name) for name in self.systems[1:]},
            overlaps=self.overlaps(),
            example=self.example(leader),
            contents=self.contents(leader) if self.request.history else None,
            facts=facts(self.study, self.options if self.systems[1:] else None, self.labels[self.baseline]),
            sql=sql_listing([*self.study.statements, *made, *self.queries]),
        )

    def standings(self, compared: Sequence[Row]) -> dict[tuple[int, int | None], Standing]:
        """Put the models in order, by the place of the measure and k, where they can be compared."""
        count, pairs = len(self.systems), list(compared)
        if count > 2:
            is_possible = count <= MOST_PAIRED and can_be_paired(self.con, self.request, count)
            queries = pairs_query(self.request, self.options) if is_possible else []
            pairs = [row for query in queries for row in self.fetch(query)]
        places = {one.name: i for i, one in enumerate(self.request.choices)}
        found = {(places[rows[0]["measure"]], rows[0]["k"]): standing(rows) for rows in families(pairs)}
        return {at: one for at, one in found.items() if one is not None}

    def headlines(self, means: Sequence[Row], leader: Standing | None) -> list[str]:
        """Say what the best model and the baseline achieve: the first measure, and those with words."""
        names = self.told(leader)
        choices = self.request.choices
        places = {one.measure.name: i for i, one in enumerate(choices) if not one.given}
        in_words = [places[name] for name in HEADLINES if name in places][:MOST_IN_WORDS]
        texts = []
        for place in dict.fromkeys([*in_words, 0]):
            choice = choices[place]
            k = choice.cuts[0]
            values = {row["system"]: row for row in means if (row["place"], row["k"]) == (place, k)}
            if all(values[name]["users"] for name in names):
                texts.append(headline_sentence([values[name] for name in names], choice, k))
        return texts

    def told(self, leader: Standing | None) -> list[str]:
        """Return the best model and the baseline, or the second best: those that sentences tell of."""
        baseline = self.labels[self.baseline]
        names = list(leader.means)[:2] if leader else list(self.order)[:2]
        return names if baseline in names[:1] else [*names[:1], baseline]

    def caveats(self, problems: Sequence[Row], shared: Sequence[Row], users: int) -> list[str]:
        """Say what stands against the verdict, and where lists are missing, what users with lists say."""
        label = format_measure(self.first.measure.label, self.first.options_text, self.k)
        return caveats(problems, users, self.k) + ([shared_sentence(shared, label)] if shared else [])

    def with_judged(self) -> Request:
        """Return the request with one more column of the values of each user: the share that is judged."""
        measure, names = MEASURES[JUDGED], [one.measure.name for one in self.request.choices]
        if JUDGED in names or self.request.ties == "expected":
            return self.request
        return replace(self.request, choices=[*self.request.choices, Choice(measure, {}, {}, (self.k,))])

    def few_judged(self, counts: Mapping[str, Row], tables: Sequence[Row]) -> list[str]:
        """Say where few items are judged, if the truth has judgments of items that are not relevant.

        A truth of relevant items alone has judged nothing else, for no model.
        """
        shares = {name: counts[name].get(JUDGED) for name in self.order}
        return judged_caveat(shares, self.k) if any(row["has_misses"] for row in tables) else []

    def misses(self) -> str:
        """Return the aggregate that says whether the truth has an item that is not relevant."""
        columns = [
            row["column_name"] for row in fetch_rows(self.con, f"DESCRIBE {self.request.table('truth')}")
        ]
        least = self.request.columns.min_grade
        is_miss = "rel::DOUBLE <= 0" if least is None else f"rel::DOUBLE < {least!r}"
        return f"coalesce(bool_or({is_miss}), false)" if "rel" in columns else "false"

    def shared(self, counts: Mapping[str, Row], users: int) -> Sequence[Row]:
        """Return the means of users with recommendations of every model, if many users have not."""
        without = max(row["users_without_rec"] for row in counts.values())
        if len(self.systems) == 1 or without < TOUCHED * users:
            return []
        found = self.fetch(shared_query(self.request, self.first, self.at_k, len(self.systems)))
        return found if all(row["users"] for row in found) else []

    def tables(self) -> list[Row]:
        """Count what was read, of each model and of the truth."""
        found: list[Row] = []
        files = self.study.files
        for table, system, misses in (("rec", self.system, "false"), ("truth", "", self.misses())):
            rows = self.fetch(tables_query(self.request.table(table), system, misses))
            for row in sorted(rows, key=lambda row: self.order[row["system"]]):
                of_system = files.get(self.names[row["system"]], files.get(None))
                name = self.study.truth_file if table == "truth" else of_system
                known = {"name": name and shorten(name), "modified": file_date(name)}
                found.append({**row, **known, "is_truth": table == "truth"})
        return found

    def problems(self, query: str) -> Sequence[Row]:
        """Return the problems of the data; NothingInCommonError if that is one and must not be."""
        self.queries.append(query)
        study = self.study
        found = with_advice(
            fetch_rows(self.con, query),
            study.files,
            study.truth_file,
            is_command=study.is_command,
            request=study.request,
            allow_empty=study.allow_empty,
            history=study.history_file,
        )
        if not study.allow_empty:
            check_common(found)
        return found

    def is_first(self, row: Row) -> bool:
        """Return whether verdicts are of this comparison."""
        return bool(row["measure"] == self.first.name and row["k"] == self.k)

    def means(self) -> list[Row]:
        """Return the means of all measures at their cut-offs, in order."""
        choices = self.request.choices
        source, names = self.request.table("by_user"), [one.name for one in choices]
        found = self.fetch(means_query(source, self.keys, names, self.options.confidence))
        found = [row for row in found if row["k"] in choices[row["place"]].cuts]
        return sorted(found, key=lambda row: (row["place"], cut_off_key(row["k"]), self.order[row["system"]]))

    def comparisons(self) -> tuple[list[Row], list[Row]]:
        """Compare all users, in order, and those of segments."""
        if len(self.systems) == 1:
            return [], []
        (query,), *others = compare_queries(self.request, self.options)
        everybody = self.fetch(query)
        places = {one.name: i for i, one in enumerate(self.request.choices)}
        everybody.sort(
            key=lambda row: (places[row["measure"]], cut_off_key(row["k"]), self.order[row["system"]])
        )
        return everybody, [row for queries in others for query in queries for row in self.fetch(query)]

    def segments(self, compared: Sequence[Row]) -> tuple[list[Row], int]:
        """Return the first measure of the largest segments, and the number of the others."""
        if self.study.segment is None:
            return [], 0
        if len(self.systems) > 1:
            found = [{**row, "value": row["difference"]} for row in compared if self.is_first(row)]
        else:
            at_first = f"(FROM {self.request.table('by_segment')} WHERE {self.at_k})"
            query = means_query(at_first, ["segment"], [self.first.name], self.options.confidence)
            found = [{**row, "value": row["mean"]} for row in self.fetch(query)]
        users: dict[str, int] = {}
        for row in found:
            users[row["segment"]] = max(users.get(row["segment"], 0), row["users"])
        names = sorted(users, key=lambda name: (-users[name], name))[:MOST_SEGMENTS]
        shown, places = unique_labels(names), {name: i for i, name in enumerate(names)}
        found = [row for row in found if row["segment"] in places]
        found.sort(key=lambda row: (places[row["segment"]], self.order[row["system"]]))
        return [{**row, "segment": shown[row["segment"]]} for row in found], len(users) - len(names)

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

    def losers(self, system: str) -> list[Row]:
        """Return the users whose first measure becomes worse by the most with this model."""
        found = self.fetch(losers_query(self.request, self.at_k, system, self.baseline))
        return [{**row, "userid": shorten(row["userid"])} for row in found]

    def overlaps(self) -> list[Row]:
        """Return what the lists of each model have in common with the baseline's."""
        if len(self.systems) == 1:
            return []
        given = f"{cut_off_list([self.k])}, baseline := {literal(self.baseline)}"
        tables = f"'{ranked_table(self.request)}', {given}{descending_argument(self.request)}"
        return sorted(
            self.fetch(f"FROM ranking_overlap({tables})"), key=lambda row: self.order[row["system"]]
        )

    def example(self, leader: Standing | None) -> Example | None:
        """Return the lists of the user who loses most with the best model, or with the first who has one."""
        names = [self.names[name] for name in leader.means] if leader else []
        for system in dict.fromkeys([*names, *self.systems]):
            if system == self.baseline:
                continue
            query = losers_query(self.request, self.at_k, system, self.baseline)
            found = fetch_rows(self.con, query)
            if found:
                return self.lists_of(found[0]["userid"], system)
        return None

    def lists_of(self, user: str, system: str) -> Example:
        """Return the lists that the baseline and a model have for this user."""
        ties = ", ties := 'expected'" if self.request.ties == "expected" else ""
        given = f"{literal(user)}, {'NULL' if self.k is None else self.k}{ties}"
        tables = f"'{ranked_table(self.request)}', '{self.request.table('truth')}'"
        names = [self.labels[self.baseline], self.labels[system]]
        lists: dict[str, list[tuple[str, bool]]] = {name: [] for name in names}
        missed: dict[str, list[str]] = {name: [] for name in names}
        given += descending_argument(self.request)
        given += grade_arguments(replace(self.request.columns, unjudged=COLUMNS.unjudged))
        for row in self.fetch(f"FROM ranking_explain({tables}, {given})"):
            if row["system"] not in names:
                continue
            item = shorten(str(row["itemid"]))
            if row["rank"] is None:
                missed[row["system"]].append(item)
            else:
                lists[row["system"]].append((item, bool(row["relevant"])))
        return Example(shorten(user), lists, missed)

    def contents(self, leader: Standing | None) -> Contents:
        """Return what is in the lists down to the largest cut-off."""
        request, k = self.request, self.largest_k
        source = request.table("contents")
        wholes = self.fetch(contents_query(request, k))
        popularity = self.fetch(means_query(source, self.keys, ["popularity"], self.options.confidence))
        found = self.fetch(categories_query(request, self.system, k)) if request.items else []
        categories, more = self.categories(found)
        of = {row["system"]: row for row in wholes}
        told = [
            of[name] if self.has_system else {**of[name], "system": "The model"} for name in self.told(leader)
        ]
        return Contents(
            k=k,
            sentences=contents_sentences(told, request.items),
            wholes=sorted(wholes, key=lambda row: self.order[row["system"]]),
            popularity=sorted(popularity, key=lambda row: self.order[row["system"]]),
            categories=categories,
            more_categories=more,
            head=request.head,
        )

    def categories(self, found: Sequence[Row]) -> tuple[list[Row], int]:
        """Return the rows of the largest categories, and the number of the others."""
        sizes: dict[str, float] = {}
        for row in found:
            sizes[row["category"]] = max(sizes.get(row["category"], 0), row["recommended"], row["history"])
        names = sorted(sizes, key=lambda name: (-sizes[name], name))[:MOST_CATEGORIES]
        shown, places = unique_labels(names), {name: i for i, name in enumerate(names)}
        kept = [row for row in found if row["category"] in places]
        kept.sort(key=lambda row: (places[row["category"]], self.order[row["system"]]))
        return [{**row, "category": shown[row["category"]]} for row in kept], len(sizes) - len(names)

    def losses(self, system: str) -> Row:
        """Count the users whose first measure becomes worse with this model, and those who lose the most."""
        (found,) = self.fetch(losses_query(self.request, self.at_k, system, self.baseline))
        return found


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
            _ranking.main._ranking_t_quantile({1 - confidence!r}, one.users - 1)
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


def worse_users(request: Request, at_k: str, system: str, baseline: str) -> tuple[str, str]:
    """Return a query for the users whose first measure becomes worse, and which order has the worst first."""
    choice, by_user = request.choices[0], request.table("by_user")
    value = identifier(choice.name)
    worst = "DESC" if choice.measure.higher_is_better is False else "ASC"
    is_worse = f"system_of.{value} {'>' if worst == 'DESC' else '<'} baseline_of.{value}"
    query = f"""SELECT
    CAST(userid AS VARCHAR) AS userid,
    baseline_of.{value} AS baseline,
    system_of.{value} AS system,
    system_of.{value} - baseline_of.{value} AS difference
FROM (FROM {by_user} WHERE system = {literal(baseline)} AND {at_k}) AS baseline_of
JOIN (FROM {by_user} WHERE system = {literal(system)} AND {at_k}) AS system_of USING (userid)
WHERE {is_worse}"""
    return query, worst


def losers_query(request: Request, at_k: str, system: str, baseline: str) -> str:
    """Return the users whose values of the first measure become worse by the most."""
    query, worst = worse_users(request, at_k, system, baseline)
    return f"{query}\nORDER BY difference {worst}, userid\nLIMIT {LOSERS}"


def losses_query(request: Request, at_k: str, system: str, baseline: str) -> str:
    """Return how many users lose, the worst difference, and how many have it."""
    query, worst = worse_users(request, at_k, system, baseline)
    return f"""SELECT
    coalesce(sum(users), 0)::BIGINT AS users,
    first(difference ORDER BY difference {worst}) AS worst,
    first(users ORDER BY difference {worst}) AS shared
FROM (
    SELECT round(difference, 12) AS difference, count(*) AS users
    FROM ({query})
    GROUP BY ALL
)"""


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


def tables_query(table: str, system: str, misses: str) -> str:
    """Return how many rows, users and items a table has, and an aggregate of its grades."""
    counts = "count(*) AS lines, count(DISTINCT userid) AS users, count(DISTINCT itemid) AS items"
    return f"SELECT {system}{counts}, {misses} AS has_misses\nFROM {table}\nGROUP BY ALL"


def file_date(path: str | None) -> str | None:
    """Return the date on which a file was modified; None if it is no file."""
    if path is None or not os.path.isfile(path):
        return None
    return time.strftime("%Y-%m-%d", time.gmtime(os.path.getmtime(path)))


def curve_query(request: Request) -> str:
    """Return precision at each level of recall."""
    tables = f"'{ranked_table(request)}', '{request.table('truth')}'"
    options = f"{descending_argument(request)}{grade_arguments(request.columns)}"
    return f"FROM ranking_interpolated_precision_curve({tables}{options})"


def facts(study: Study, options: ComparisonOptions | None, baseline: str) -> list[tuple[str, str]]:
    """List the facts with which people can make the report again."""
    request = study.request
    found = [(name, shorten(value)) for name, value in study.sources]
    options_of = [
        (
            one.text,
            ", ".join(
                f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in one.options.items()
            ),
        )
        for one in request.choices
    ]
    found.append(
        ("Measures", "; ".join(f"{text}{f' ({options})' if options else ''}" for text, options in options_of))
    )
    found.append(("Cut-offs", ", ".join(map(format_cut_off, request.ks))))
    found.append(("Equal scores", TIES[request.ties]))
    found.append(("Best score", "the highest" if request.descending else "the lowest"))
    if request.columns.min_grade is not None:
        rule = f"a grade of {request.columns.min_grade:g} or more; gains, as of NDCG, are those of all grades"
        found.append(("Relevant", rule))
    if request.columns.unjudged != COLUMNS.unjudged:
        found.append(
            ("Not judged", "items that the truth has no row for are left out, and the ranks closed up")
        )
    share = f"{100 * study.options.confidence:.15g}"
    found.append(("Means", f"with {share} % intervals by Student's t"))
    if options is not None:
        found.append(("Baseline", baseline))
        found.append(("Comparisons", footnote(options, study.segment is not None).partition(". ")[2]))
        if options.margin is not None:
            found.append(
                ("The same", f"what differs by less than {options.margin:g}, by two one-sided tests")
            )
        if options.test == "randomization":
            found.append(("Permutations", f"{options.permutations}, seed {options.seed}"))
    found.append(("Made", report_time()))
    found.append(("Versions", f"{version()}, DuckDB {duckdb.__version__}"))
    return found


def report_time() -> str:
    """Return the time, or that of SOURCE_DATE_EPOCH (https://reproducible-builds.org); DataError if none."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        made = time.gmtime(int(given) if given else time.time())
    except (ValueError, OverflowError, OSError):
        rule = "SOURCE_DATE_EPOCH must be seconds since 1970"
        raise DataError(f"report: {rule}, got {shorten(repr(given))}") from None
    return f"{time.strftime('%Y-%m-%d %H:%M', made)} UTC"

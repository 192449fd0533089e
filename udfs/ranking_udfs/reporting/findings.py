"""The findings of a report: what its page and its charts show, by queries that the page shows too."""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from ..duckdb.internal import MEAN_INTERVAL
from ..evaluation import conclusion
from ..evaluation.comparison import changes_query, compare_queries
from ..evaluation.defaults import DIGITS
from ..evaluation.errors import DataError, UsageError
from ..evaluation.options import ComparisonOptions
from ..evaluation.pairs import find_orders, turn
from ..evaluation.problems import check_common
from ..evaluation.queries import Request, contents_call, curve_query, explain_query, fetch_rows, overlap_query
from ..evaluation.words import (
    GONE,
    WITHOUT_RELEVANT,
    Row,
    cut_off_key,
    format_cut_off,
    format_mean,
    format_number,
    in_unit,
    with_text,
)
from ..inputs.evaluation import Evaluation
from ..inputs.manifest import counts, fingerprint
from ..inputs.tables import file_of
from ..measures.contents import CONTENTS
from ..measures.grammar import Choice
from ..measures.registry import MEASURES
from ..quoting import identifier, literal, sql_value
from ..texts import printable, shorten

UNNAMED = "recommendations"  # the label of one model without a name
MOST_SYSTEMS = 50
MOST_SEGMENTS = 100
BINS = 20
JUDGED = "judged_share"
FEW = 5  # users without a relevant item: with fewer, nothing is surely said of them
SIDES = ("system", "baseline")  # columns that name a model
MOST_IN_WORDS = 2  # measures, beside the first


class Findings:
    """The results that a report shows: aggregates alone, so that it does not grow with the users.

    Once made it is plain data. Models are compared with the first where no baseline is named; rows have their
    labels as `system`, in the order of `systems`.

    systems     labels of the models on the page, the baseline's first; one if nothing is compared
    baseline    the first of them, or None if nothing is compared
    measures    as they were asked for; verdicts are of the `first`, at its first cut-off `k` (`at`: NDCG@10)
    counts      of each system: the columns of ranking_summary, and judged_share, at the first cut-off
    means       system, k, measure (its name), users (with a value), mean, low, high; zeros, least, most: how
                many values are 0, the smallest and the largest
    comparisons rows of ranking_compare_by_user, for all users
    segments    of the first measure: segment (what `segment` calls them), and as comparisons, or with one
                system as means; the largest segments first, more_segments are left out
    problems    rows of ranking_check, with what to do; None if it was not asked
    orders      the models in order, by the name of the measure and k, where there is an order
    tables      what was read: label (a system, or Truth), name, modified (a date, if it is a file), how many
                lines, users and items it has, and counts; of truth with times the earliest and latest date
    losers, winners     of each system that is compared, the users whose first measure becomes worse, and
                better, by the most: userid, label (with a text, if there is one), baseline, value,
                difference, has_relevant (whether the user has a relevant item), changed (how many lose,
                win), sharing (how many as much)
    verdicts    the verdict and a sentence for each model that is compared
    title, leading, headlines, best     sentences, None or none where there is nothing to say
    wrong, caveats      sentences on what can make the answer wrong, and on what else stands against it
    curve, overlaps     rows of the table functions, of overlaps with the baseline
    edges, bins, apart  a histogram of the users' values: for each system how many are in each bin (a value
                at an edge is in the bin above it), and in no bin, by what they have
    example     a user who loses most, of those with a relevant item if there are any; None if nobody loses
    lists, missed   of two models: by rank, the item and what it is ("relevant", or a grade with a gain);
                the relevant ones that are not there
    wholes, popularity, contents_sentences  with a history, what is in the lists down to the largest cut-off
                of the first measure: rows of ranking_beyond_accuracy; as means
    abstention, refused     with five users without a relevant item, or where the user speaks of them: rows of
                ranking_abstention, and sentences
    facts       what the report was made of, in words; `made`, when; `sql`, by which statements
    """

    def __init__(self, work: Evaluation) -> None:
        """Query everything. Raises UsageError for what the report cannot compare, DataError for the data."""
        self.work = work
        check_request(work)
        self.request = request = replace(work.request, by_user=True)
        self.read, self.queries = work.tables, list[str]()
        names, given = work.systems, work.options["baseline"]
        baseline = next(iter(names), "") if given is None else given
        self.options: ComparisonOptions = {**work.options, "baseline": baseline}
        ordered = [baseline, *(name for name in names if name != baseline)]
        self.labels = unique_labels(ordered) if names else {"": UNNAMED}  # by the names in the data
        self.systems = list(self.labels.values())
        self.baseline = self.systems[0] if len(self.systems) > 1 else None
        self.measures, self.first = request.choices, request.choices[0]
        self.k, self.largest_k = self.first.cuts[0], max(self.first.cuts, key=cut_off_key)
        self.at = self.first.at(self.k)
        self.at_k = f"k IS NOT DISTINCT FROM {'NULL' if self.k is None else self.k}"
        self.system, self.keys = ("system, ", "system, k") if names else ("", "k")
        self.by_user = request.table("by_user")

        work.step("measuring")
        work.request = self.with_judged()
        steps, more = work.plan, []
        if request.history:
            lists = contents_call(request, [self.largest_k], by_user=True)
            query = f"SELECT {self.system}k, popularity\nFROM {lists}"
            more.append(f"CREATE OR REPLACE TEMP TABLE {request.table('contents')} AS\n{query}")
        for statement in [*work.steps.tables, *more]:
            work.con.execute(statement)
        means = self.fetch(steps.summary, work.steps.summary)
        self.counts = {row["system"]: row for row in means if row["k"] == self.k}
        self.users = max(row["users"] for row in self.counts.values())
        self.means = [
            row
            for row in self.fetch(self.means_query(self.by_user, self.keys, self.measures))
            if any(one.name == row["measure"] and row["k"] in one.cuts for one in self.measures)
        ]
        self.means.sort(key=self.by_measure)
        work.step("comparing")
        queries = compare_queries(request, self.options) if self.baseline else []
        compared = [[row for query in each for row in self.fetch(query)] for each in queries]
        self.comparisons = sorted(compared[0], key=self.by_measure) if compared else []
        family = self.of_first(self.comparisons)
        self.segment, self.segments, self.more_segments = None, list[Row](), 0
        if work.inputs.segment is not None:
            self.segment = shorten(work.inputs.segment[1])
            at_first = f"(FROM {request.table('by_segment')} WHERE {self.at_k})"
            one_system = () if compared else self.fetch(self.means_query(at_first, "segment", [self.first]))
            found = self.of_first(compared[1]) if compared else one_system
            self.segments, self.more_segments = self.largest_segments(found)
        work.step("looking at users")
        self.problems, problems = None, list[Row]()
        if work.is_checked:
            self.queries.append(steps.check)
            problems = work.problems()
            if not work.allow_empty:
                check_common(problems)
            self.problems = problems
        found = self.comparisons
        orders = find_orders(work.con, request, self.options, len(self.systems), found, fetch=self.fetch)
        self.orders = {(one.measure, one.k): one for one in orders if one is not None}
        self.leader = leader = self.orders.get((self.first.name, self.k))
        shared = self.shared()
        self.tables = self.find_tables()
        query = changes_query(request, baseline, self.first)
        changes = work.labelled(self.fetch(query)) if self.baseline is not None else []
        self.losers, self.winners = ({name: list[Row]() for name in self.systems[1:]} for _ in range(2))
        for row in changes:
            (self.winners if row["wins"] else self.losers)[row["system"]].append(row)
        self.leading = conclusion.leading_sentence(leader, shared) if leader else None
        self.title, self.headlines = self.find_title(), self.find_headlines()
        self.headlines += conclusion.worse_segments(row for each in compared for row in each)
        said = [conclusion.sentence(row, self.options, len(family), DIGITS) for row in family]
        more = [conclusion.predicted_sentence(row, DIGITS) for row in family]
        said = [" ".join(filter(None, both)) for both in zip(said, more, strict=True)]
        self.verdicts = [(row["verdict"], text) for row, text in zip(family, said, strict=True)]
        self.best = None
        if leader and len(leader.means) > 2:
            self.best = conclusion.best_sentence(leader, self.options, DIGITS, self.baseline)
        self.wrong, others = conclusion.caveats(problems, [self.k])
        self.caveats = [*others, *(self.find_caveats(shared) if work.is_checked else [])]
        self.caveats += [*conclusion.few_differ(family), *conclusion.few_users(self.segments)]
        self.curve = self.fetch(curve_query(request), curve_query(work.composed))
        self.edges, self.bins, self.apart = self.histogram()
        query = overlap_query(replace(request, ks=[self.k]), baseline)
        self.overlaps = sorted(self.fetch(query), key=self.by_system) if self.baseline else []
        self.example, self.lists, self.missed = self.find_example()
        self.find_contents()
        self.abstention, self.refused = list[Row](), list[str]()
        if request.says_refused or max(row[WITHOUT_RELEVANT] for row in self.counts.values()) >= FEW:
            rows = self.fetch(work.abstention_query(self.options["confidence"]))
            self.abstention = sorted(rows, key=self.by_system)
        if rows := self.abstention:
            self.refused = [conclusion.refused_sentence(rows), *conclusion.threshold_sentences(rows)]
        self.facts, self.made = self.find_facts(), report_time()
        sql = "\n\n".join(f"{one};" for one in [*self.read.statements, *steps.tables, *more, *self.queries])
        self.sql = "\n".join(map(printable, sql.split("\n")))
        del self.work, self.read  # which hold the connection

    def fetch(self, query: str, composed: str = "") -> list[Row]:
        """Return the rows of a query, with the labels of models; `composed` is the same to be run."""
        self.queries.append(query)
        return [
            {"system": self.systems[0]}
            | {name: self.labels.get(one, one) if name in SIDES else one for name, one in row.items()}
            for row in fetch_rows(self.work.con, composed or query)
        ]

    def by_system(self, row: Row) -> int:
        return self.systems.index(row["system"])

    def by_measure(self, row: Row) -> tuple[int, tuple[bool, int], int]:
        """Return the position of a measure's row: of the measure, of k, and of the model."""
        names = [one.name for one in self.measures]
        return names.index(row["measure"]), cut_off_key(row["k"]), self.by_system(row)

    def of_first(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows of the measure and k that verdicts are of."""
        return [row for row in rows if (row["measure"], row["k"]) == (self.first.name, self.k)]

    def mentioned(self) -> list[str]:
        """Return the best model and the baseline, or the second best: those that sentences tell of."""
        names = list(self.leader.means if self.leader else self.systems)[:2]
        return names if self.systems[0] in names[:1] else [names[0], self.systems[0]]

    def with_judged(self) -> Request:
        """Return the request with one more column of the values of each user: the share that is judged."""
        if JUDGED in [one.measure.name for one in self.measures] or self.request.ties == "expected":
            return self.request
        judged = Choice(MEASURES[JUDGED], {}, {}, (self.k,))
        return replace(self.request, choices=[*self.measures, judged])

    def means_query(self, source: str, keys: str, measures: Sequence[Choice]) -> str:
        """Return the query for means of measures with their intervals and numbers of users, by keys.

        `source` is a table, or a query in brackets. The squares are of differences to the means, which are
        found beforehand: so they cannot be lost to large means.
        """
        values = ", ".join(
            f"{{measure: {literal(one.name)}, value: {identifier(one.name)}::DOUBLE, "
            f"bottom: {sql_value(one.measure.range.low)}, top: {sql_value(one.measure.range.high)}}}"
            for one in measures
        )
        same = " AND ".join(f"one.{key} IS NOT DISTINCT FROM means.{key}" for key in keys.split(", "))
        return f"""WITH one_user AS (
    SELECT {keys}, unnest([{values}], max_depth := 2)
    FROM {source}
), means AS MATERIALIZED (
    SELECT {keys}, measure, bottom, top, count(value) AS users, count(*) FILTER (value = 0) AS zeros,
        min(value) AS least, max(value) AS most, ranking_mean(value) AS mean
    FROM one_user
    GROUP BY ALL
)
SELECT means.* EXCLUDE (bottom, top), ends.low, ends.high
FROM (
    SELECT means, {MEAN_INTERVAL}(
        means.mean, sqrt(square / nullif(means.users - 1, 0)), means.users, means.least = means.most,
        is_binary, means.bottom, means.top, {1 - self.options["confidence"]!r}) AS ends
    FROM (
        SELECT means, ranking_mean((value - mean) ** 2) AS square, bool_and(value IN (0, 1)) AS is_binary
        FROM one_user AS one
        JOIN means ON {same} AND one.measure = means.measure
        GROUP BY ALL
    )
)"""

    def find_title(self) -> str | None:
        """Say the best mean, and how far it is above the second, in percent of that or of the baseline."""
        best = self.leader and self.leader.best
        if not best or not best["difference"] or best.get("users_predicted"):
            return None  # or means are of other users than differences
        (row,) = (one for one in self.of_first(self.means) if one["system"] == best["system"])
        text = f"{self.at} {format_mean(row['mean'], row['low'], row['high'])[0]} with {best['system']}"
        is_turned = best["system"] == self.baseline
        share = turn(best)["relative"] if is_turned else best["relative"]
        if share is None:
            return text
        percent = f"{100 * abs(share):.0f}" if abs(share) > 0.1 else format_number(100 * abs(share), 2)
        by = f"{percent} % {'above' if share > 0 else 'below'}"
        return f"{text}, {best['baseline']} {by}" if is_turned else f"{text}, {by} {best['baseline']}"

    def find_headlines(self) -> list[str]:
        """Say what the best model and the baseline achieve: the first measure, and those with words."""
        plain = {one.measure.name: one for one in self.measures if not one.given}
        in_words = [plain[name] for name in conclusion.HEADLINES if name in plain][:MOST_IN_WORDS]
        texts = []
        for choice in [*in_words, *([] if self.first in in_words else [self.first])]:
            at = choice.name, choice.cuts[0]
            values = {row["system"]: row for row in self.means if (row["measure"], row["k"]) == at}
            rows = [values[name] for name in self.mentioned()]
            if all(row["users"] for row in rows):
                text = conclusion.headline_sentence(rows, choice, choice.cuts[0])
                people = in_unit("Of the users graded by people alone: w")
                texts.append(f"{people}{text[1:]}" if self.request.predicted_truth else text)
        return texts

    def find_caveats(self, shared: Sequence[Row]) -> list[str]:
        """Say what else stands against the verdict: missing lists, few judged items.

        A truth of relevant items alone has judged nothing else, for no model.
        """
        found = [conclusion.shared_sentence(shared, self.at)] if shared else []
        shares = {name: self.counts[name].get(JUDGED) for name in self.systems}
        is_judged = any(row.get("has_misses") for row in self.tables)
        return found + (conclusion.judged_caveat(shares, self.k) if is_judged else [])

    def shared(self) -> Sequence[Row]:
        """Return the means of users with recommendations of every model, best first, if many have not."""
        without = max(row["users_without_rec"] for row in self.counts.values())
        if self.baseline is None or without < conclusion.TOUCHED * self.users:
            return []
        value = identifier(self.first.name)
        best = "ASC" if self.first.measure.higher_is_better is False else "DESC"
        found = self.fetch(f"""SELECT system, count({value}) AS users, ranking_mean({value}) AS mean
FROM {self.by_user}
WHERE {self.at_k} AND userid IN (
    SELECT userid FROM {self.by_user} WHERE {self.at_k} AND n_rec > 0
    GROUP BY userid HAVING count(*) = {len(self.systems)}
)
GROUP BY system
ORDER BY mean {best}, system""")
        return found if all(row["users"] for row in found) else []

    def find_tables(self) -> list[Row]:
        """Count what was read, of each model and of the truth."""
        truth, least = self.request.table("truth"), self.request.columns["min_grade"]
        query = "SELECT {}count(*) AS lines, count(DISTINCT userid) AS users, count(DISTINCT itemid) AS items"
        query += ", {}\nFROM {}\nGROUP BY ALL"
        summed = fingerprint(["userid", "itemid", "score"])
        rows = self.fetch(query.format(self.system, summed, self.request.table("rec")))
        found, of = {row["system"]: row for row in rows}, self.read.files
        tables = [
            {**self.counts[label], **found[label], **dated(of.get(name, of.get(None))), "label": label}
            for name, label in self.labels.items()
            if label in found
        ]
        types = {name: kind for name, kind, *_ in self.work.con.execute(f"DESCRIBE {truth}").fetchall()}
        is_miss = "rel::DOUBLE <= 0" if least is None else f"rel::DOUBLE < {least!r}"
        more = f", coalesce(bool_or({is_miss}), false) AS has_misses" if "rel" in types else ""
        if types.get("time", "").startswith(("DATE", "TIMESTAMP")):
            more += ", left(min(time)::VARCHAR, 10) AS earliest, left(max(time)::VARCHAR, 10) AS latest"
        (row,) = self.fetch(query.format("", fingerprint(types) + more, truth))
        return [*tables, {**row, **dated(file_of(self.work.inputs.truth)), "label": "Truth"}]

    def largest_segments(self, rows: Sequence[Row]) -> tuple[list[Row], int]:
        """Return the rows of the largest segments, under unique labels, and the number of the others."""
        sizes: dict[str, int] = {}
        for row in rows:
            sizes[row["segment"]] = max(sizes.get(row["segment"], 0), row["users"])
        names = sorted(sizes, key=lambda name: (-sizes[name], name))[:MOST_SEGMENTS]
        shown = unique_labels(names)
        found = [row for row in rows if row["segment"] in shown]
        found.sort(key=lambda row: (names.index(row["segment"]), self.by_system(row)))
        return [{**row, "segment": shown[row["segment"]]} for row in found], len(sizes) - len(names)

    def histogram(self) -> tuple[list[float], dict[str, list[int]], dict[str, dict[str, int]]]:
        """Count users by their value of the first measure, between the ends of its range or of the values."""
        means, values, name = self.of_first(self.means), self.first.measure.range, identifier(self.first.name)
        found = [row for row in means if row["least"] is not None]
        low = values.low if isfinite(values.low) else min((row["least"] for row in found), default=0.0)
        high = values.high if isfinite(values.high) else max((row["most"] for row in found), default=1.0)
        high = high if low < high else low + 1
        bins = {system: [0] * BINS for system in self.systems}
        bin_of = f"floor(({name} - {low!r}) / {high - low!r} * {BINS})"
        for row in self.fetch(
            f"SELECT {self.system}least(greatest({bin_of}, 0), {BINS - 1})::INTEGER AS bin, "
            f"count(*) AS users\nFROM {self.by_user}\nWHERE {self.at_k} AND {name} <> 0\nGROUP BY ALL"
        ):
            bins[row["system"]][row["bin"]] = row["users"]
        absent = {row["system"]: self.counts[row["system"]]["users"] - row["users"] for row in means}
        apart = {"exactly 0": {row["system"]: row["zeros"] for row in means}} if 0 in values else {}
        apart |= {"no value": absent} if any(absent.values()) else {}
        return [low + (high - low) * i / BINS for i in range(BINS + 1)], bins, apart

    def find_example(self) -> tuple[str | None, dict[str, list[tuple[str, str]]], dict[str, list[str]]]:
        """Return a user who loses most with the best model, or with the first that has one, and the lists."""
        order = [*(self.leader.means if self.leader else ()), *self.losers]
        rows = [row for name in order for row in self.losers.get(name, ())]
        loser = next((row for row in rows if row["has_relevant"]), next(iter(rows), None))
        if loser is None:
            return None, {}, {}
        user, model = loser["userid"], loser["system"]
        lists: dict[str, list[tuple[str, str]]] = {name: [] for name in (self.systems[0], model)}
        missed: dict[str, list[str]] = {name: [] for name in lists}
        query = explain_query(replace(self.request, ks=[self.k]), user)
        rows = [row for row in self.fetch(query) if row["system"] in lists]
        titles = self.work.names("titles", (row["itemid"] for row in rows))
        has_titles = self.work.inputs.titles is not None
        for row in rows:
            is_gone = has_titles and row["rank"] is None and str(row["itemid"]) not in titles
            item = with_text(row["itemid"], GONE if is_gone else titles.get(str(row["itemid"])))
            if row["rank"] is None:
                missed[row["system"]].append(item)
            else:
                has_gain = row["gain"] and row["grade"] is not None  # a tie may give an item another's gain
                grade = f"grade {row['grade']:g}" if has_gain else ""
                lists[row["system"]].append((item, "relevant" if row["relevant"] else grade))
        return loser["label"], lists, missed

    def find_contents(self) -> None:
        """Look at what is in the lists, if there is a history."""
        request, k = self.request, self.largest_k
        self.contents_sentences, self.wholes, self.popularity = list[str](), list[Row](), list[Row]()
        if not request.history:
            return
        self.wholes = sorted(self.fetch(f"FROM {contents_call(request, [k])}"), key=self.by_system)
        popularity = Choice(CONTENTS["popularity"], {}, {}, ())
        query = self.means_query(request.table("contents"), self.keys, [popularity])
        self.popularity = sorted(self.fetch(query), key=self.by_system)
        of = {row["system"]: row for row in self.wholes}
        renamed = {} if self.system else {"system": "The model"}
        rows = [{**of[name], **renamed} for name in self.mentioned()]
        self.contents_sentences = conclusion.contents_sentences(rows, request.items)

    def find_facts(self) -> dict[str, str]:
        """List what was asked for, as it was written."""
        inputs = self.work.inputs
        recs = ", ".join(one if isinstance(one, str) else one[1] for one in inputs.recs)
        read = [f"{row['label']} {row['fingerprint']}" for row in self.tables]
        for name in [name for name in self.read.names if name not in ("rec", "truth")]:
            (row,) = counts(self.work.con, self.request.table(name))
            sizes = ", ".join(f"{value} {of}" for of, value in row.items() if of != "fingerprint")
            read.append(f"{name} {row['fingerprint']} ({sizes})")
        return {
            "Recommendations": shorten(recs),
            "Truth": shorten(inputs.truth),
            "Predicted truth": shorten(inputs.predicted_truth or ""),
            "Segments": shorten(":".join(inputs.segment or (inputs.texts or ())[:1])),
            "History": shorten(inputs.history or ""),
            "Items": shorten(":".join(filter(None, inputs.items or ()))),
            "Measures": "; ".join(map(text_with_options, self.measures)),
            "Cut-offs": ", ".join(map(format_cut_off, self.request.ks)),
            "Fingerprints": ", ".join(read),
        }


def check_request(work: Evaluation) -> None:
    """Raise UsageError for what the report cannot compare, and DataError for a truth without users."""
    if len(work.systems) > MOST_SYSTEMS:
        raise UsageError(f"report: there must be {MOST_SYSTEMS} models or fewer, got {len(work.systems)}")
    work.check_baseline()
    for choice in work.request.choices:
        if choice.measure.name in CONTENTS:
            rule = f"{work.dashes}measures must be measured by truth"
            raise UsageError(f"report: {rule}, got {choice.name}: evaluate and compare have it")
    if len(work.systems) > 1:
        work.check_measures()
    work.check_users()


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

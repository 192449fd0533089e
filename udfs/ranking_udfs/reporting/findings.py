"""Compute the results that the page and the charts of a report show; the page also shows the queries."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from math import isfinite
from typing import NamedTuple

import duckdb

from ..evaluation import conclusion
from ..evaluation.comparison import (
    can_be_paired,
    changes_query,
    compare_queries,
    comparison_plan,
    pairs_query,
)
from ..evaluation.defaults import DIGITS
from ..evaluation.errors import DataError, UsageError
from ..evaluation.pairs import MOST_SYSTEMS as MOST_PAIRED
from ..evaluation.pairs import ModelOrder, find_orders, first_order, swap_sides
from ..evaluation.problems import errors_about, without_verdicts
from ..evaluation.queries import (
    Request,
    abstention_query,
    beyond_accuracy_call,
    check_statements,
    explain_query,
    fetch_rows,
    intervals_query,
    judged_call,
)
from ..evaluation.tradeoffs import dominated_sentences
from ..evaluation.words import (
    GONE,
    Row,
    cut_off_key,
    format_cut_off,
    format_mean,
    format_number,
    grouped,
    with_text,
)
from ..inputs.evaluation import Evaluation, with_labels, with_titles
from ..inputs.manifest import counts
from ..inputs.measuring import measure
from ..inputs.problems import nothing_found
from ..inputs.requests import check_baseline, check_measures
from ..inputs.tables import file_of
from ..measures.contents import CONTENTS
from ..measures.grammar import Choice
from ..measures.registry import MEASURES, Range
from ..options import Values
from ..quoting import identifier, unquoted
from ..texts import printable, shorten, units

UNNAMED = "recommendations"  # the label of one model without a name
MOST_SYSTEMS = 50
MOST_SEGMENTS = 100
BINS = 20
JUDGED = "judged_share"
SIDES = ("system", "baseline")  # columns that name a model
MOST_IN_WORDS = 2  # measures with a sentence, in addition to the first measure
Queries = Callable[[Request], str | Sequence[str]]  # makes queries to print, or composed ones to run
Fetch = Callable[[str | Queries], list[Row]]  # Reader.fetch


class Reader:
    """Fetch rows with the labels of models, and keep the queries for the page."""

    def __init__(self, con: duckdb.DuckDBPyConnection, of: "Findings") -> None:
        self.con, self.of, self.queries = con, of, list[str]()

    def fetch(self, source: str | Queries) -> list[Row]:
        """Return the rows of a query, or of the queries that a function makes from the request."""
        of = self.of
        made = [source] * 2 if isinstance(source, str) else [source(of.request), source(of.composed)]
        printed, run = ([each] if isinstance(each, str) else each for each in made)
        self.queries += printed
        return [
            {"system": of.systems[0]}
            | {name: of.labels.get(value, value) if name in SIDES else value for name, value in row.items()}
            for query in run
            for row in fetch_rows(self.con, query)
        ]


class Histogram(NamedTuple):
    edges: Sequence[float]  # a value at an edge belongs to the bin above it
    bins: Mapping[str, Sequence[int]]  # the number of users in each bin, by system
    special_bins: Mapping[str, Mapping[str, int]]  # the number of users in no bin, by reason and system


class Findings:
    """The results that a report shows: aggregates only, so that its size does not depend on the users.

    After construction it is plain data: a function for each section returns the rows of the section. Without
    a baseline, models are compared with the first model. The column `system` of rows has labels, in the order
    of `systems`.

    request     the request, with values of users
    labels      the label of each model by its name in the data, baseline first
    systems     the labels; one label if nothing is compared
    baseline    the first label, or None if nothing is compared
    measures    the requested measures; verdicts are on `first`, at its first cutoff `k` (`at`: NDCG@10)
    counts      for each system: the columns of ranking.evaluate, and judged_share, at the first cutoff
    comparisons rows of ranking.compare_by_user, for all users
    problems    rows of ranking.check with advice; None without the check
    orders      the ranking of the models by measure and k, if there is one, by these comparisons
    best_first  the systems by the first measure at its first cutoff
    letters     letters of the models by measure and k, if all pairs are compared
    verdicts    the verdict and a sentence for each compared model
    title, leading, headlines, refused  sentences; None or empty if they do not apply
    dominated   sentences on dominated models, if columns are compared too
    wrong, caveats      sentences on errors in the data, and on other caveats
    curve, abstention   rows of the table functions
    example     a user with the largest loss, preferably one with a relevant item; None if nobody loses
    lists, missed   for two models: the items by rank with a mark ("relevant", or a grade with a gain);
                the missed relevant items
    list_rows, popularity, list_sentences   rows of ranking.beyond_accuracy, and means with intervals, at the
                largest cutoff of the first measure; empty without a history
    segments    comparisons, or means of one system, by the first measure; largest segment first
    more_segments   the number of segments that are not shown
    facts       inputs and options of the report; `made` is its time, and `sql` has its statements
    """

    def __init__(self, work: Evaluation) -> None:
        """Run all queries. Raises UsageError for a request that a report cannot answer, and DataError."""
        check_request(work.request)
        names, named = work.request.systems, work.request.comparison["baseline"]
        baseline = next(iter(names), "") if named is None else named
        ordered = [baseline, *(name for name in names if name != baseline)]
        self.comparison: Values = {**work.request.comparison, "baseline": baseline}
        self.composed = replace(work.request, comparison=self.comparison)
        self.request = replace(self.composed, types={})  # its queries are printed
        self.labels = unique_labels(ordered) if names else {"": UNNAMED}
        self.systems = list(self.labels.values())
        self.baseline = self.systems[0] if len(self.systems) > 1 else None
        self.measures, self.first = [*work.request.choices, *work.request.also], work.request.choices[0]
        self.k, self.largest_k = self.first.cuts[0], max(self.first.cuts, key=cut_off_key)
        self.at = self.first.at(self.k)
        self.at_k = f"k IS NOT DISTINCT FROM {'NULL' if self.k is None else self.k}"
        self.keys = f"{self.request.system}k"
        self.by_user = self.request.table("by_user")
        reader = Reader(work.con, self)
        fetch = reader.fetch
        request = with_judged(self)
        work = replace(work, request=request)
        steps, printed = comparison_plan(request), comparison_plan(replace(request, types={}))
        problems = measure(work, steps)
        self.problems = problems if request.is_checked else None
        self.nothing_found = nothing_found(request)
        errors = [
            {**row, "system": self.labels.get(row["system"])}
            for row in errors_about(problems, request.systems)
        ]
        work.step("comparing")
        summary = fetch(lambda of: (steps if of.types else printed).summary)
        self.counts = {row["system"]: row for row in summary if row["k"] == self.k}
        self.users = int(max(row["users"] for row in self.counts.values()))
        self.means = find_means(self, fetch)
        rows = fetch(lambda of: list(chain(*compare_queries(of)))) if self.baseline is not None else []
        compared = without_verdicts(rows, errors)
        self.comparisons = sorted((row for row in compared if "segment" not in row), key=self.by_measure)
        of_segments = self.of_first(row for row in compared if "segment" in row)
        self.segment = work.inputs.segment and shorten(work.inputs.segment[1])
        self.segments, self.more_segments = find_segments(self, fetch, of_segments)
        self.orders = {at: order for at, order in find_orders(self.comparisons).items() if order}
        order = first_order(request.choices, self.orders)
        means = self.sort(self.of_first(self.means))
        self.best_first = [*order.means] if order else [row["system"] for row in means]
        has_pairs = named is None and 2 < len(names) <= MOST_PAIRED
        has_pairs = has_pairs and can_be_paired(work.con, request, len(names))
        paired = fetch(pairs_query) if has_pairs else self.comparisons
        letters = {at: order.letters for at, order in find_orders(paired).items() if order}
        self.letters = {} if errors else letters
        is_compared = bool(self.request.also and self.baseline)
        self.dominated = dominated_sentences(without_verdicts(paired, errors)) if is_compared else []
        leader = None if errors else order
        shared = find_shared(self, fetch)
        self.tables = find_tables(self, fetch, work)
        self.losers, self.winners = find_changes(self, fetch, work)
        self.leading = leader and conclusion.leading_sentence(leader, shared)
        if errors:
            self.leading = conclusion.no_verdict_sentence(errors)
        self.title = title_of(self, self.means, leader)
        self.headlines = headlines_of(self, self.means, leader)
        self.headlines += conclusion.worse_segments(of_segments, leader, self.baseline)
        family = self.of_first(self.comparisons)
        self.verdicts = [verdict_of(self, row, len(family)) for row in family]
        self.wrong, self.caveats = conclusion.caveats(problems, self.request.ks)
        if request.is_checked:
            self.caveats += caveats_of(self, shared)
        also = {choice.name for choice in self.request.also}
        family += [row for row in self.comparisons if row["measure"] in also]
        self.caveats += [*conclusion.doubts(family), *conclusion.few_users(self.segments)]
        self.curve = fetch(lambda of: f"FROM {judged_call(of, 'interpolated_precision_curve', {})}")
        self.histogram = find_histogram(self, fetch)
        self.example, self.lists, self.missed = find_example(self, fetch, work, leader)
        found = find_beyond_accuracy(self, fetch, leader)
        self.list_rows, self.popularity, self.list_sentences = found
        confidence, negated = self.comparison["confidence"], work.tables.negated
        of_scores = partial(abstention_query, negated=negated, confidence=confidence)
        self.abstention = sorted(fetch(of_scores), key=self.by_system) if request.says_refused else []
        self.refused = conclusion.threshold_sentences(self.abstention)
        if self.abstention:
            self.refused.insert(0, conclusion.refused_sentence(self.abstention))
        self.facts, self.made = find_facts(self, work), report_time()
        checked = [check_statements(replace(request, types={}))] * request.is_checked
        statements = [*work.tables.statements, *printed.tables, *checked, *reader.queries]
        self.sql = "\n".join(map(printable, "\n\n".join(map("{};".format, statements)).split("\n")))

    def by_system(self, row: Row) -> int:
        return self.systems.index(row["system"])

    def by_measure(self, row: Row) -> tuple[int, tuple[bool, int], int]:
        """Return the sort key of a row: the positions of its measure, of k, and of the model."""
        names = [measure.name for measure in self.measures]
        return names.index(row["measure"]), cut_off_key(row["k"]), self.by_system(row)

    def of_first(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of the first measure at its first cutoff."""
        return [row for row in rows if (row["measure"], row["k"]) == (self.first.name, self.k)]

    def sort(self, means: Iterable[Row]) -> list[Row]:
        """Sort means of the first measure, best first."""
        sign = 1 if self.first.measure.higher_is_better is False else -1
        return sorted(means, key=lambda row: (row["mean"] is None, sign * (row["mean"] or 0), row["system"]))

    def models_in_sentences(self, leader: ModelOrder | None) -> list[str]:
        """Return the two models of sentences: the best model, and the baseline or the second best."""
        names = list(leader.means if leader else self.systems)[:2]
        return names if self.systems[0] in names[:1] else [names[0], self.systems[0]]

    def means_query(self, source: str, keys: str, measures: Sequence[Choice]) -> str:
        """Return the query for means of measures with their intervals and numbers of users, by keys."""
        return intervals_query(source, keys, measures, self.comparison["confidence"])


def with_judged(of: Findings) -> Request:
    """Add judged_share to the measures of the request."""
    if JUDGED in [choice.measure.name for choice in of.measures] or of.request.ties == "expected":
        return of.composed
    judged = Choice(MEASURES[JUDGED], {}, {}, (of.k,))
    return replace(of.composed, choices=[*of.request.choices, judged])


# --- Sections: one function each ---


def find_means(of: Findings, fetch: Fetch) -> list[Row]:
    """Return the means: system, k, measure (name), users (with a value), mean, low, high, zeros, least, most.

    zeros is the number of values that are 0; least and most are the smallest and the largest value.
    """
    cuts = {choice.name: choice.cuts for choice in of.measures}
    rows = fetch(of.means_query(of.by_user, of.keys, of.request.choices))
    if of.request.also:
        rows += fetch(of.means_query(of.request.table("also"), of.keys, of.request.also))
    return sorted((row for row in rows if row["k"] in cuts[row["measure"]]), key=of.by_measure)


def find_segments(of: Findings, fetch: Fetch, rows: list[Row]) -> tuple[list[Row], int]:
    """Return the rows of the largest segments, with unique labels; `rows` compare the segments."""
    if of.request.by_segment and of.baseline is None:
        source = f"(FROM {of.request.table('by_segment')} WHERE {of.at_k})"
        rows = fetch(of.means_query(source, "segment", [of.first]))
    sizes = conclusion.segment_sizes(rows)
    names = sorted(sizes, key=lambda name: (-sizes[name], name))[:MOST_SEGMENTS]
    shown = unique_labels(names)
    largest = [row for row in rows if row["segment"] in shown]
    largest.sort(key=lambda row: (names.index(row["segment"]), of.by_system(row)))
    labelled: list[Row] = [{**row, "segment": shown[row["segment"]]} for row in largest]
    return labelled, len(sizes) - len(names)


def find_shared(of: Findings, fetch: Fetch) -> list[Row]:
    """Return the means over users with lists from every model, best first, if many users lack a list."""
    without = max(row["users_without_rec"] for row in of.counts.values())
    if of.baseline is None or without < conclusion.MIN_MISSING_LIST_SHARE * of.users:
        return []
    users = f"FROM {of.by_user} WHERE {of.at_k}"
    with_all = f"SELECT userid {users} AND n_rec > 0 GROUP BY userid HAVING count(*) = {len(of.systems)}"
    means = fetch(of.means_query(f"({users} AND userid IN ({with_all}))", "system", [of.first]))
    return of.sort(means) if all(row["users"] for row in means) else []


def find_tables(of: Findings, fetch: Fetch, work: Evaluation) -> list[Row]:
    """Return a row of counts for each model and for truth.

    Rows have label (a system, or Truth), file (with the date of its last change), the numbers of rows, users
    and items, and the counts of a model. If truth has times, its row has the earliest and the latest date.
    """
    truth, least, files = of.request.table("truth"), of.request.lowest_grade, work.tables.files
    sizes = {row.get("system", ""): row for row in counts(work.con, of.request.table("rec"))}
    tables = [
        {**of.counts[label], **sizes[name], "label": label}
        | {"file": file_date(files.get(name, files.get(None)))}
        for name, label in of.labels.items()
        if name in sizes
    ]
    types = {unquoted(name): kind for name, kind in of.composed.types[truth].items()}
    (row,) = counts(work.con, truth)
    is_miss = "rel::DOUBLE <= 0" if least is None else f"rel::DOUBLE < {least!r}"
    columns = f"coalesce(bool_or({is_miss if 'rel' in types else 'false'}), false) AS has_misses"
    if types.get("time", "").startswith(("DATE", "TIMESTAMP")):
        columns += ", left(min(time)::VARCHAR, 10) AS earliest, left(max(time)::VARCHAR, 10) AS latest"
    (facts,) = fetch(f"SELECT {columns}\nFROM {truth}")
    return [*tables, {**row, **facts, "file": file_date(file_of(work.inputs.truth)), "label": "Truth"}]


def find_changes(of: Findings, fetch: Fetch, work: Evaluation) -> tuple[dict[str, list[Row]], ...]:
    """Return the users with the largest losses, and with the largest gains, for each compared system.

    Rows have userid, label (the id with its text), baseline, value, difference, has_relevant (the user
    has a relevant item), changed (users who lose or win) and sharing (users with the same difference).
    """
    query = changes_query(of.request, str(of.comparison["baseline"]), of.first)
    changed = with_labels(work, fetch(query)) if of.baseline is not None else []
    by_way = grouped(changed, "wins", "system")
    return tuple({name: by_way.get((wins, name), []) for name in of.systems[1:]} for wins in (False, True))


def caveats_of(of: Findings, shared: Sequence[Row]) -> list[str]:
    """Return caveats on missing lists and few judged items.

    If truth has relevant items only, the share of judged items is meaningless, so that caveat is excluded.
    """
    sentences = [conclusion.shared_sentence(shared, of.at)] if shared else []
    shares = {name: of.counts[name].get(JUDGED) for name in of.systems}
    is_judged = any(row.get("has_misses") for row in of.tables)
    return sentences + (conclusion.judged_caveat(shares, of.k) if is_judged else [])


def verdict_of(of: Findings, row: Row, family: int) -> tuple[str, str]:
    sentence = conclusion.sentence(row, of.comparison, family, DIGITS)
    return row["verdict"], " ".join(filter(None, (sentence, conclusion.predicted_sentence(row, DIGITS))))


def title_of(of: Findings, means: Sequence[Row], leader: ModelOrder | None) -> str | None:
    """Write the best mean, and its significant relative difference from the baseline or the second best."""
    best = leader and leader.is_significant and leader.best
    if not best or best.get("users_predicted"):
        return None  # with predicted grades, means and differences are over different users
    (row,) = (row for row in of.of_first(means) if row["system"] == best["system"])
    text = f"{of.at} {format_mean(row['mean'], row['low'], row['high'])[0]} with {best['system']}"
    is_turned = best["system"] == of.baseline
    share = swap_sides(best)["relative"] if is_turned else best["relative"]
    if share is None:
        return text
    percent = f"{100 * abs(share):.0f}" if abs(share) > 0.1 else format_number(100 * abs(share), 2)
    by = f"{percent}% {'above' if share > 0 else 'below'}"
    return f"{text}, {best['baseline']} {by}" if is_turned else f"{text}, {by} {best['baseline']}"


def headlines_of(of: Findings, means: Sequence[Row], leader: ModelOrder | None) -> list[str]:
    """Write sentences on the best model and the baseline: the first measure, and measures of HEADLINES."""
    plain = {choice.measure.name: choice for choice in of.measures if not choice.given}
    in_words = [plain[name] for name in conclusion.HEADLINES if name in plain][:MOST_IN_WORDS]
    texts = []
    for choice in [*in_words, *([] if of.first in in_words else [of.first])]:
        at = choice.name, choice.cuts[0]
        values = {row["system"]: row for row in means if (row["measure"], row["k"]) == at}
        rows = [values[name] for name in of.models_in_sentences(leader)]
        if all(row["users"] for row in rows):
            text = conclusion.headline_sentence(rows, choice, choice.cuts[0])
            people = f"For the {units()} with human labels: w"
            texts.append(f"{people}{text[1:]}" if of.request.predicted_truth else text)
    return texts


def find_histogram(of: Findings, fetch: Fetch) -> Histogram:
    """Count users by their value of the first measure, in bins over its range or over the values."""
    means, values, name = of.of_first(of.means), of.first.measure.range, identifier(of.first.name)
    low, high = ends_of(values, means)
    bins = {system: [0] * BINS for system in of.systems}
    bin_of = f"floor(({name} - {low!r}) / {high - low!r} * {BINS})"
    for row in fetch(
        f"SELECT {of.request.system}least(greatest({bin_of}, 0), {BINS - 1})::INTEGER AS bin, "
        f"count(*) AS users\nFROM {of.by_user}\nWHERE {of.at_k} AND {name} <> 0\nGROUP BY ALL"
    ):
        bins[row["system"]][row["bin"]] = row["users"]
    edges = [low + (high - low) * i / BINS for i in range(BINS + 1)]
    zeros = {"exactly 0": {row["system"]: row["zeros"] for row in means}} if 0 in values else {}
    absent = {row["system"]: of.counts[row["system"]]["users"] - row["users"] for row in means}
    return Histogram(edges, bins, zeros | ({"no value": absent} if any(absent.values()) else {}))


def ends_of(values: Range, means: Sequence[Row]) -> tuple[float, float]:
    """Return the ends of the range of a measure; if they are infinite, the ends of the values."""
    known = [row for row in means if row["least"] is not None]
    low = values.low if isfinite(values.low) else min((row["least"] for row in known), default=0.0)
    high = values.high if isfinite(values.high) else max((row["most"] for row in known), default=1.0)
    return low, high if low < high else low + 1


def find_example(
    of: Findings, fetch: Fetch, work: Evaluation, leader: ModelOrder | None
) -> tuple[str | None, dict[str, list[tuple[str, str]]], dict[str, list[str]]]:
    """Return a user with the largest loss, and the lists of two models.

    The loss is with the best model, or with the first model that has losers.
    """
    order = [*(leader.means if leader else ()), *of.losers]
    lost = [row for name in order for row in of.losers.get(name, ())]
    if not lost:
        return None, {}, {}
    loser = next((row for row in lost if row["has_relevant"]), lost[0])
    lists: dict[str, list[tuple[str, str]]] = {name: [] for name in (of.systems[0], loser["system"])}
    missed: dict[str, list[str]] = {name: [] for name in lists}
    rows = fetch(lambda request: explain_query(replace(request, ks=[of.k]), loser["userid"]))
    rows = [row for row in rows if row["system"] in lists]
    for row in with_titles(work, rows):
        if row["rank"] is not None:
            lists[row["system"]].append((with_text(row["itemid"], row.get("title")), mark_of(row)))
        else:
            title = GONE if row.get("gone") else row.get("title")
            missed[row["system"]].append(with_text(row["itemid"], title))
    return loser["label"], lists, missed


def mark_of(row: Row) -> str:
    """Return the mark of an item in a list: "relevant", a grade with a gain, or ""."""
    if row["relevant"]:
        return "relevant"
    has_gain = row["gain"] and row["grade"] is not None  # a tie may give an item another's gain
    return f"grade {row['grade']:g}" if has_gain else ""


def find_beyond_accuracy(
    of: Findings, fetch: Fetch, leader: ModelOrder | None
) -> tuple[list[Row], list[Row], list[str]]:
    """Return the beyond-accuracy results, if there is a history."""
    if not of.request.history:
        return [], [], []
    rows = fetch(lambda request: f"FROM {beyond_accuracy_call(request, [of.largest_k])}")
    list_rows = sorted(rows, key=of.by_system)
    popularity = Choice(CONTENTS["popularity"], {}, {}, ())
    lists = partial(beyond_accuracy_call, ks=[of.largest_k], by_user=True)
    query = fetch(lambda request: of.means_query(f"(FROM {lists(request)})", of.keys, [popularity]))
    means = sorted(query, key=of.by_system)
    by_system = {row["system"]: row for row in list_rows}
    renamed = {} if of.request.system else {"system": "The model"}
    rows = [{**by_system[name], **renamed} for name in of.models_in_sentences(leader)]
    return list_rows, means, conclusion.beyond_accuracy_sentences(rows, of.request.items)


def find_facts(of: Findings, work: Evaluation) -> dict[str, str]:
    """List the inputs and options, as the user wrote them."""
    inputs = work.inputs
    recs = ", ".join(rec if isinstance(rec, str) else rec[1] for rec in inputs.recs)
    read = [f"{row['label']} {row['fingerprint']}" for row in of.tables]
    counted = {"rows": "rows", "users": units(), "items": "items"}
    for name in [name for name in work.tables.names if name not in ("rec", "truth", "values")]:
        for row in counts(work.con, of.request.table(name)):
            sizes = [f"{row[column]:,} {what}" for column, what in counted.items() if column in row]
            about = filter(None, [name, row.get("system"), row["fingerprint"]])
            read.append(f"{' '.join(about)} ({', '.join(sizes)})")
    return {
        "Recommendations": shorten(recs),
        "Truth": shorten(inputs.truth),
        "Predicted truth": shorten(inputs.predicted_truth or ""),
        "Segments": shorten(":".join(inputs.segment or (inputs.texts or ())[:1])),
        "History": shorten(inputs.history or ""),
        "Items": shorten(":".join(filter(None, inputs.items or ()))),
        "Measures": "; ".join(map(text_with_options, of.request.choices)),
        "Columns compared": "; ".join(map(text_with_direction, of.request.also)),
        "Cutoffs": ", ".join(map(format_cut_off, of.request.ks)),
        "Fingerprints": ", ".join(read),
    }


def check_request(request: Request) -> None:
    """Raise UsageError for a request that a report cannot answer."""
    if len(request.systems) > MOST_SYSTEMS:
        raise UsageError(f"report: takes at most {MOST_SYSTEMS} models, got {len(request.systems)}")
    check_baseline(request)
    for choice in request.choices:
        if choice.measure.name in CONTENTS:
            rule = "measures must be measures of relevance"
            raise request.refused(rule, f"{choice.name}; use evaluate or compare")
    if len(request.systems) > 1:
        check_measures(request)


def text_with_options(choice: Choice) -> str:
    """Return a measure with its cutoffs and the values of its options."""
    texts = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in choice.options.items()
        if value is not None
    ]
    return f"{choice.text} ({', '.join(texts)})" if texts else choice.text


def text_with_direction(choice: Choice) -> str:
    return f"{choice.name} ({'higher' if choice.measure.higher_is_better else 'lower'} is better)"


def unique_labels(systems: Sequence[str]) -> dict[str, str]:
    """Shorten names to one line and make them unique."""
    shown: dict[str, str] = {}
    for name in systems:
        label = shorten(name).strip() or "(no name)"
        labels = chain([label], (f"{label} ({number})" for number in count(2)))
        shown[name] = next(label for label in labels if label not in shown.values())
    return shown


def file_date(path: str | None) -> str:
    """Return the name of a file with the date of its last change; "" for a table."""
    if path is None or not os.path.isfile(path):
        return ""
    return f"{shorten(path)} ({time.strftime('%Y-%m-%d', time.gmtime(os.path.getmtime(path)))})"


def report_time() -> str:
    """Return the current time, or SOURCE_DATE_EPOCH (https://reproducible-builds.org) if it is set.

    Raises DataError if SOURCE_DATE_EPOCH is invalid.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        made = time.gmtime(int(epoch) if epoch else time.time())
    except (ValueError, OverflowError, OSError):
        rule = "SOURCE_DATE_EPOCH must be seconds since 1970"
        raise DataError(f"report: {rule}, got {shorten(repr(epoch))}") from None
    return f"{time.strftime('%Y-%m-%d %H:%M', made)} UTC"

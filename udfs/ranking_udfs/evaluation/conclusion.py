"""Write conclusions as sentences: one for each pair of models, caveats, and footnotes on the method."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..measures.contents import CONTENTS
from ..measures.grammar import Choice, measure_of
from ..measures.registry import Measure
from ..options import Values
from ..texts import printable, units, with_unit
from .defaults import CORRECTIONS, DIGITS, OTHER_TESTS, TESTS
from .pairs import ModelOrder, swap_sides
from .problems import is_problem
from .words import (
    Row,
    column_decimals,
    format_fixed,
    format_mean,
    format_number,
    format_p,
    grouped,
    half_of,
    join_names,
)

HEADLINES = {  # the mean of a measure as a sentence
    "hit_rate": " of {units} have a relevant item PLACE",
    "recall_all": " of {units} have all relevant items PLACE",
    "recall": " of {a_unit}'s relevant items are PLACE",
    "precision": " of the recommendations PLACE are relevant",
}
OUTCOMES = {  # the verdict on the best model in words
    "better": "significantly better than",
    "same": "is equivalent within the margin to",
    "unclear": "not significantly better than",
    "worse": "significantly worse than",  # by predicted grades, the order of models is not that of each pair
}
DOUBTS = {  # caveats of a row of a comparison as sentences
    "users_undefined": "{Units} without a value from both models are excluded",
    "too_few_users": "No difference of so few {units} can be significant",
    "few_differ": "Fewer than 5 {units} differ",
    "auc_at_cutoff": "AUC at a cutoff rewards short lists of few hits",
}
MIN_MISSING_LIST_SHARE = 0.05  # minimum share of users without a list that is reported next to the verdict
MIN_CAVEAT_SHARE = 0.01  # below this share, problems share one line, unless they are errors
MOST = 10  # segments that are named, and thresholds of a model
FEW_USERS = 20  # a segment with fewer users is a caveat
FEW_JUDGED = 0.2  # share of the top k; below it, most misses are unjudged items


def measure_label(row: Row) -> str:
    """Name a measure at its cutoff: `NDCG@10`."""
    return measure_of(row["measure"]).at(row["k"])


def sentence(row: Row, options: Values, family: int, digits: int, compared: str = "comparisons") -> str:
    """Write the verdict, the difference and its uncertainty as a sentence.

    The comparison is one of `family` comparisons; `compared` is the noun for them.
    """
    system, baseline = printable(row["system"]), printable(row["baseline"])
    what, verdict, difference = measure_label(row), row["verdict"], row["difference"]
    if difference is None:
        why = with_unit("no {unit} has a value from both")
        return f"{system} and {baseline} cannot be compared in {what}: {why}."
    is_decided = verdict in ("better", "worse", "higher", "lower")
    sign = -1 if is_decided and difference < 0 else 1  # "worse by 0.01", not "worse by -0.01"
    size = size_text(row, digits, sign)
    is_identical = row["ties"] == row["users"] > 1
    differ = f"equal for all {row['users']:,} {units()}" if is_identical else f"difference {size}"
    if is_decided:
        text = f"{system} is significantly {verdict} than {baseline} in {what} by {size}"
    elif verdict == "error":
        text = f"{system} and {baseline} have no verdict in {what}, since the data has an error: {differ}"
    elif verdict == "same":
        margin = format_number(options["margin"], digits)
        text = f"{system} and {baseline} are equivalent in {what} within the margin {margin}: {differ}"
    else:
        text = f"{system} and {baseline} do not differ significantly in {what}: {differ}"
    if row["p"] is not None and not is_identical:
        text += p_text(row, CORRECTIONS[options["correction"]], family, compared)
    needed = needed_sentence(row, options)
    text += "".join(users_texts(row))
    effect, values = row["minimum_detectable_effect"], measure_of(row["measure"]).measure.range
    if verdict == "unclear" and not needed and effect and effect <= values.high - values.low:
        text += f"; with 80% power, {format_number(effect, digits)} would be detected"
    return f"{text}. {needed}" if needed else f"{text}."


def size_text(row: Row, digits: int, sign: int) -> str:
    """Write the difference with its interval and the relative one, all times the sign."""
    details = [ends] if (ends := ends_text(row, digits, sign)) else []
    if row["relative"] is not None:
        details.append(f"{format_number(100 * sign * row['relative'], digits)}%")
    return format_number(sign * row["difference"], digits) + (f" ({'; '.join(details)})" if details else "")


def ends_text(row: Row, digits: int, sign: int) -> str:
    """Write the interval times the sign; "" without one."""
    ends = sorted(sign * row[end] for end in ("low", "high")) if row["low"] is not None else []
    return " to ".join(format_number(end, digits) for end in ends)


def p_text(row: Row, correction: str | None, family: int, compared: str) -> str:
    """Write p, unadjusted and adjusted for the number of comparisons."""
    # A gate adjusts over more comparisons than the family has; `method` contains their number.
    count = int(row["method"].rpartition(" of ")[2]) if correction else family
    unadjusted, p = p_equals(row["p"]), p_equals(row["p_adjusted"])
    if count == 1:
        return f", {p}"
    if not correction:
        return f", {p} (unadjusted, {count} {compared})"
    before = f"unadjusted {unadjusted}, " if unadjusted != p else ""
    return f", {before}{p} ({correction}-adjusted, {count} {compared})"


def p_equals(p: float) -> str:
    """Write p as a relation: `p = 0.012`, `p < 0.0001`."""
    text = format_p(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def users_texts(row: Row) -> Iterator[str]:
    """Yield how many users are not compared, and how many have no list from a model if these are many."""
    everybody = row["users"] + row["users_undefined"]
    if row["users_undefined"]:
        measure = measure_of(row["measure"]).measure
        lacking = measure.empty.lacking if "truth" in measure.arguments else ""
        of_both = f"{lacking} in both" if lacking else "a value from both"
        yield f"; based on the {row['users']:,} of {everybody:,} {units()} with {of_both}"
    without = {name: row[f"users_without_rec_{name}"] or 0 for name in ("baseline", "system")}
    for name, left_out in without.items():
        if left_out > everybody / 10:
            which = f"{left_out:,} of {everybody:,} {units()}"
            yield f"; {which} have no recommendations from {printable(row[name])}"
    if all(without.values()) and sum(without.values()) > everybody / 2:
        yield f"; the test is paired, and few {units()} have lists from both"


def needed_sentence(row: Row, options: Values) -> str:
    """Write the number of users needed to detect the observed difference, or the margin; "" if unknown."""
    needed, users = row["users_needed"], row["users"]
    is_measure = measure_of(row["measure"]).measure.has_cutoff  # a margin is in the unit of measures
    margin = options["margin"] if is_measure else None
    if needed is None:
        return ""
    size = format_number(margin or abs(row["difference"]), 2)
    which = f"equals the margin, {size}" if margin else f"is the observed {size}"
    if needed <= users:
        return f"If the true difference {which}, {users:,} {units()} are enough to detect it with 80% power."
    about, more = (int(float(f"{count:.2g}")) for count in (needed, 4 * needed))
    text = f"Inconclusive with {users:,} {units()}. If the true difference {which}, about {about:,} {units()}"
    return f"{text} are needed in all to detect it with 80% power; if it is half of that, {more:,}."


def predicted_sentence(row: Row, digits: int) -> str:
    """Compare the result of the predicted grades alone with the corrected one; "" without such grades."""
    if not row.get("users_predicted") or row["predicted_difference"] is None or row["difference"] is None:
        return ""
    alone, everybody = row["predicted_difference"], row["users"] + row["users_predicted"]
    sign = -1 if alone < 0 else 1
    way = "better" if (alone > 0) == (row["higher_is_better"] is not False) else "worse"
    system, baseline = printable(row["system"]), printable(row["baseline"])
    by = (
        f"{way} than {baseline} by {format_number(sign * alone, digits)}" if alone else f"equal to {baseline}"
    )
    interval = f" ({ends})" if (ends := ends_text(row, digits, sign)) else ""
    text = f"{row['users']:,} of {everybody:,} {units()} have human labels, and the means are of these. "
    text += f"By the predicted grades alone, {system} would be {by} in {measure_label(row)}; "
    text += "the human labels correct this to "
    text += f"{format_number(sign * row['difference'], digits)}{interval}: {row['verdict']}."
    if row["standard_error"] is None:
        return text + f" Fewer than 5 {units()} with human labels differ, or all differ by the same."
    wider = row["labelled_standard_error"] / row["standard_error"]
    if wider < 1.05:
        return f"{text} The predicted grades do not make the interval narrower."
    return f"{text} Without the predicted grades, the interval would be {wider:.2g} times as wide."


def worse_text(row: Row) -> str:
    """Write that a model is worse, by how much and with which p, without a full stop."""
    by = f"by {format_number(abs(row['difference']), DIGITS)} ({p_equals(row['p_adjusted'])})"
    than = f"{printable(row['system'])} is significantly worse than {printable(row['baseline'])}"
    return f"{than} in {measure_label(row)} {by}"


def fall_sentences(rows: Sequence[Row]) -> list[str]:
    """Name each model that is worse than the one before it; `rows` are of all users."""
    if all(row["p"] is None for row in rows):
        return [f"No comparison is possible: at least two {units()} must have values from both models."]
    texts = [f"{worse_text(row)}." for row in rows if row["verdict"] == "worse"]
    if texts or any(row["verdict"] == "error" for row in rows):
        return texts
    return ["No model is significantly worse than the one before it."]


def worse_segments(rows: Iterable[Row], order: ModelOrder | None, baseline: str | None) -> list[str]:
    """Name each segment in which a model is significantly worse; the losses of the best model come first.

    `rows` compare segments, and `order` all users, by the first measure at its first cutoff. With a baseline,
    its losses count only if it is the best model.
    """
    best = next(iter(order.means)) if order else None
    both_lose = [row for row in rows if baseline is None or row["baseline"] == best]
    lost = [row for row in rows if row["verdict"] == "worse"]
    lost += [swap_sides(row) for row in both_lose if row["verdict"] == "better"]
    lost.sort(key=lambda row: row["system"] != best)
    texts = [
        f"Segment {printable(name)}: {join_names([*map(worse_text, each)])}."
        for (name,), each in grouped(lost, "segment").items()
    ]
    more = [f"{len(texts) - MOST} more segments are significantly worse."]
    return texts[:MOST] + more * (len(texts) > MOST)


def best_sentence(order: ModelOrder, options: Values, digits: int) -> str:
    """Compare the best model with the second best; p is corrected over all pairs."""
    pairs = len(order.means) * (len(order.means) - 1) // 2
    return f"Best vs. second best: {sentence(order.best, options, pairs, digits, 'pairs of models')}"


def no_verdict_sentence(errors: Sequence[Row]) -> str:
    """Say which models have no verdict; `errors` are problems about truth or about some of the models."""
    names = dict.fromkeys("" if row["system"] is None else printable(row["system"]) for row in errors)
    on = "" if "" in names else f" on {join_names([*names])}"
    return f"There is no verdict{on} until the data is mended."


def leading_sentence(order: ModelOrder, shared: Sequence[Row] = ()) -> str:
    """Name the best model, and by its own comparisons which models it is significantly better than.

    `shared` has the means over users with recommendations from every model, as in shared_sentence.
    """
    first, second, *_ = map(printable, order.means)
    label = measure_label(order.best)
    if order.best.get("users_predicted"):  # differences are over all users, means are not
        users = order.best["users"] + order.best["users_predicted"]
        label += f" over all {users:,} {units()}"
    if order.is_tied:
        text = f"There is no best model by {label}: {first} and {second} have the same mean."
    else:
        text = f"{first} has the best {label}, {outcome_text(order.rows, len(order.means) - 1)}."
    if shared and shared[0]["system"] != next(iter(order.means)):
        where = f"for the {shared[0]['users']:,} {units()} with recommendations from every model"
        text += f" However, {where}, {printable(shared[0]['system'])} has the best mean."
    return text


def outcome_text(rows: Sequence[Row], others: int) -> str:
    """Name the models with which the best model is compared, by verdict; there are so many `others`."""
    texts = []
    for verdict, words in OUTCOMES.items():
        names = [printable(row["baseline"]) for row in rows if row["verdict"] == verdict]
        shown = join_names(names, "or" if verdict == "unclear" else "and")
        if verdict == "better" and len(names) == others > 1:
            shown = f"each of the {others} others"
        texts.append(f"{words} {shown}" if names else "")
    better, *rest = texts
    but = " and ".join(filter(None, rest))
    baseline = ", the baseline" if len(rows) < others else ""
    return ", ".join(filter(None, [better, f"but {but}" if but else ""])) + baseline


def headline_sentence(rows: Sequence[Row], choice: Choice, k: int | None) -> str:
    """Write the means of models as a sentence.

    `rows` have system, users, mean, low and high. If a mean has no interval, as for one user, the sentence
    has the number only.
    """
    is_sure = not choice.given and all(row["low"] is not None for row in rows)
    words = HEADLINES.get(choice.measure.name, "") if is_sure else ""
    before, scale = ("", 100) if words else (f"{choice.at(k)} is ", 1)
    position = "in the list" if k is None else "in first place" if k == 1 else f"among the first {k}"
    halves = [scale * (half_of(row["low"], row["high"]) or 0) for row in rows]
    decimals = max(column_decimals([scale * row["mean"] for row in rows], halves) - (scale > 1), 0)
    in_words = choice.measure if words else None
    texts = [(printable(row["system"]), mean_text(row, decimals, in_words)) for row in rows]
    (system, first), *others = texts
    text = f"With {system}, {before}{first}{with_unit(words).replace('PLACE', position)}"
    return text + "".join(f"; with {other} it is {its}" for other, its in others) + "."


def mean_text(row: Row, decimals: int, in_words: Measure | None) -> str:
    """Write a mean with its interval; for a measure of HEADLINES as a percentage, with the users."""
    scale, unit = (100, "%") if in_words else (1, "")
    numbers = (row[name] for name in ("mean", "low", "high") if row[name] is not None)
    mean, *shown = format_fixed([scale * number for number in numbers], decimals)
    details = [f"{' to '.join(shown)}{unit}"] if shown else []
    if in_words and in_words.range.is_yes_or_no:
        details.insert(0, f"{round(row['mean'] * row['users']):,} of {row['users']:,}")
    elif in_words:
        details.append(f"{row['users']:,} {units()}")
    return f"{mean}{unit} ({'; '.join(details)})" if details else f"{mean}{unit}"


def beyond_accuracy_sentences(rows: Sequence[Row], has_items: bool) -> list[str]:
    """Write the popularity lift, coverage and repeats of each model as sentences.

    `rows` are of ranking.beyond_accuracy, with a history.
    """
    source = "catalog" if has_items else "history"
    facts = [
        ("popularity_lift", 1, 1, "", "items {} times as popular as those in its {units}' history"),
        ("coverage", 0, 100, "%", f"{{}} of the items in the {source}"),
        ("repeats", 0, 100, "%", "items already in the {unit}'s history: {} of the items"),
    ]
    texts = []
    for name, more, scale, unit, words in facts:
        known = [row for row in rows if row[name] is not None]
        numbers = [scale * (row[name] + more) for row in known]
        if not known or (name == "repeats" and not any(numbers)):
            continue
        names = [printable(row["system"]) for row in known]
        shown = [text + unit for text in format_fixed(numbers, column_decimals(numbers, digits=2))]
        text = f"{names[0]} recommends {with_unit(words).format(shown[0])}"
        others = zip(names[1:], shown[1:], strict=True)
        text += "".join(f"; with {other} it is {its}" for other, its in others)
        texts.append(f"{text}{excluded_text(known) if name == 'popularity_lift' else ''}.")
    return texts


def excluded_text(rows: Sequence[Row]) -> str:
    without = [
        f"{row['users_without_history']:,} of {row['users']:,} with {printable(row['system'])}"
        for row in rows
        if row["users_without_history"]
    ]
    return with_unit(". {Units} without a history are excluded: ") + join_names(without) if without else ""


def refused_sentence(rows: Sequence[Row]) -> str:
    """Count the unanswerable users that are answered and refused; `rows` are of ranking.abstention."""
    count, texts = rows[0]["users_without_relevant"], []
    for (name,), (row, *_) in grouped(rows, "system").items():
        answered = row["wrongly_answered"]  # from the lowest threshold on
        of = "" if name is None else f"{printable(name)} "
        texts.append(f"{of}{answered:,} answered, {count - answered:,} refused")
    return f"{count:,} unanswerable {units(count)}: {'; '.join(texts)}."


def threshold_sentences(rows: Sequence[Row], digits: int = DIGITS) -> list[str]:
    """Write how well the best scores separate answerable users, and two thresholds, for each model."""
    texts = []
    for (name,), mine in grouped(rows, "system").items():
        row = fewest = min(mine, key=errors_of)
        if row["auc"] is None or row["threshold"] is None:
            continue
        auc = " ".join(filter(None, format_mean(row["auc"], row["auc_low"], row["auc_high"], digits=digits)))
        of = "" if name is None else f"{printable(name)}: "
        smallest = min(mine, key=lambda candidate: candidate["refused_share"] + candidate["answered_share"])
        errors, refused = errors_of(fewest), fewest["users_with_relevant"]
        few = f"Fewest errors ({errors:,}{f'; {refused:,} if all are refused' if refused < errors else ''})"
        sides = {few: fewest, "Smallest sum of the two shares": smallest}
        if fewest == smallest:
            sides = {f"{few} and smallest sum of the two shares": fewest}
        errors_by_side = [
            f"{what}, with threshold {format_number(row['threshold'], digits)}: "
            f"{row['wrongly_refused']:,} of {row['users_with_relevant']:,} answerable refused, "
            f"{row['wrongly_answered']:,} of {row['users_without_relevant']:,} unanswerable answered."
            for what, row in sides.items()
        ]
        texts.append(" ".join([f"{of}AUC {auc}.", *errors_by_side]))
    explained = (
        "AUC: share of pairs of an answerable and an unanswerable {unit} in which the answerable {unit} has "
        "the better best score. A threshold chosen on these {units} makes more errors on other {units}."
    )
    return [*texts, with_unit(explained)] if texts else []


def errors_of(row: Row) -> int:
    """Return the number of users that a threshold of ranking.abstention refuses or answers wrongly."""
    return int(row["wrongly_refused"] + row["wrongly_answered"])


def select_thresholds(rows: Sequence[Row]) -> list[Row]:
    """Return up to MOST rows of ranking.abstention for each model, at equal steps."""
    shown = []
    for mine in grouped(rows, "system").values():
        shown += [mine[i] for i in sorted({step * (len(mine) - 1) // (MOST - 1) for step in range(MOST)})]
    return shown


def shared_sentence(rows: Sequence[Row], label: str) -> str:
    """Write the means of the users with recommendations from every model, the best first."""
    numbers = [row["mean"] for row in rows]
    shown = zip(format_fixed(numbers, column_decimals(numbers)), rows, strict=True)
    means = [f"{mean} with {printable(row['system'])}" for mean, row in shown]
    where = f"For the {rows[0]['users']:,} {units()} with recommendations from every model"
    return f"{where}, {label} is {', '.join(means)}."


def caveats(problems: Sequence[Row], ks: Collection[int | None]) -> tuple[list[str], list[str]]:
    """Return the errors in the data, and the other caveats of a verdict at these cutoffs.

    Each sentence describes one problem for all systems, the largest share first. Warnings with a share below
    MIN_CAVEAT_SHARE are joined to one sentence. `problems` are rows of ranking.check with their advice.
    """
    of_ks = (row for row in problems if is_problem(row) and row["k"] in (None, *ks))
    wrong, others, small = list[str](), list[str](), list[str]()
    weighed = [(max(map(share_of, rows)), rows) for rows in grouped(of_ks, "code", "k").values()]
    for share, rows in sorted(weighed, key=lambda pair: pair[0], reverse=True):
        is_wrong = any(row["severity"] == "error" for row in rows)
        (wrong if is_wrong else small if share < MIN_CAVEAT_SHARE else others).append(caveat(rows))
    return wrong, [*others, *(["Below 1%: " + " ".join(small)] if small else [])]


def doubts(rows: Sequence[Row]) -> list[str]:
    """Write the caveats of comparisons that need no other table, with the comparisons that they are about."""
    texts = []
    for code, words in DOUBTS.items():
        found = [row for row in rows if code in (row["caveats"] or "").split(",")]
        names = [
            f"{printable(row['baseline'])} and {printable(row['system'])} in {measure_label(row)}"
            for row in found
        ]
        texts += [f"{with_unit(words)} ({', '.join(names)})."] if names else []
    return texts


def segment_sizes(rows: Sequence[Row]) -> dict[str, int]:
    """Return the number of users of each segment, the most in its rows."""
    segments = grouped(rows, "segment").items()
    return {name: max(row["users"] for row in of) for (name,), of in segments}


def few_users(rows: Sequence[Row]) -> list[str]:
    """Name the segments with fewer than FEW_USERS users; `rows` have segment and users."""
    users = segment_sizes(rows).items()
    names = [f"{printable(name)} ({count})" for name, count in users if count < FEW_USERS]
    return [f"Segments with fewer than {FEW_USERS} {units()}: {join_names(names)}."] if names else []


def share_of(row: Row) -> float:
    """Return the share that has a problem; 1 without a denominator."""
    return float(row["count"] / row["of"]) if row["of"] else 1.0


def caveat(rows: Sequence[Row]) -> str:
    """Write one problem with its counts in each system and its advice."""
    counts = []
    for row in rows:
        name = "" if row["system"] is None else f"{printable(row['system'])} "
        percent = f"{100 * share_of(row):.0f}" if share_of(row) >= MIN_CAVEAT_SHARE else "< 1"
        counts.append(f"{name}{row['count']:,}" + (f" of {row['of']:,} ({percent}%)" if row["of"] else ""))
    advice = dict.fromkeys(row["write"] for row in rows if row["write"])
    return f"{rows[0]['problem']}: {', '.join(counts)}{''.join(f'; {text}' for text in advice)}."


def judged_caveat(shares: Mapping[str, float | None], k: int | None) -> list[str]:
    """Name the models with few judged items; `shares` are the means of judged_share at this cutoff."""
    few = {name: share for name, share in shares.items() if share is not None and share < FEW_JUDGED}
    if not few:
        return []
    names = ", ".join(f"{printable(name)} {100 * share:.0f}%" for name, share in few.items())
    position = "in the list" if k is None else f"among the first {k}"
    return [f"Few items {position} are judged; unjudged items count as misses: {names}."]


def letters_note(options: Values) -> str:
    """Describe the meaning of the letters."""
    name = CORRECTIONS[options["correction"]]
    adjusted = f"{name}-adjusted across all pairs within each measure and k" if name else "not adjusted"
    share, test = format_number(100 * options["confidence"], 15), TESTS[options["test"]]
    return (
        f"Models that share a letter do not differ significantly ({share}% confidence, {test}, {adjusted})."
    )


def other_tests(rows: Iterable[Row]) -> str:
    """Name the test of each comparison in which it is not the requested one; "" if there is none."""
    names: dict[str, list[str]] = {}
    for row in rows:
        tests = [test for method, test in OTHER_TESTS.items() if row["method"].startswith(method)]
        for test in tests if row["p"] is not None else ["none, for lack of {units}"]:
            where = f", {printable(row['segment'])}" if "segment" in row else ""
            models = f"{printable(row['system'])} against {printable(row['baseline'])}"
            names.setdefault(test, []).append(f"{models} in {measure_label(row)}{where}")
    texts = (f"{with_unit(test)} ({join_names(of)})" for test, of in names.items())
    return f" Other tests: {'; '.join(texts)}." if names else ""


def won_text(rows: Sequence[Row]) -> str:
    """Describe wins, ties and losses, by whether the measures have a better direction."""
    measures = dict.fromkeys(row["measure"] for row in rows)
    won, higher = "wins, ties, loses", "is higher, the same, lower"
    if not (neutral := [name for name in measures if name in CONTENTS]):
        return won
    return higher if len(neutral) == len(measures) else f"{won} (of {', '.join(neutral)}: {higher})"


def footnote(options: Values, rows: Sequence[Row], gated: tuple[int, int] = (0, 0)) -> str:
    """Describe the intervals, the tests and the correction of the comparisons in these rows.

    `gated` comparisons of all users, and of segments, are adjusted together.
    """
    has_segments, others = any("segment" in row for row in rows), other_tests(rows)
    text = f"W/T/L: for how many {units()} a model {won_text(rows)}. "
    apart = f", all {units()} separately from segments" if has_segments else ""
    share, test = format_number(100 * options["confidence"], 15), TESTS[options["test"]]
    text += f"{share}% confidence interval of each comparison; {test}"
    what = "steps" if options["steps"] else "systems"
    name, each = CORRECTIONS[options["correction"]], f"{what} within each measure and k{apart}"
    each = f"{name}-adjusted across {each}" if name else "not adjusted for the number of comparisons"
    if name is None or not any(gated):
        return f"{text}, {each}.{others}"
    seen = [
        f"{number} comparison{'s' * (number > 1)}{whom if has_segments else ''}"
        for number, whom in zip(gated, (f" of all {units()}", " of segments"), strict=True)
        if number
    ]
    text += f", {name}-adjusted across the {' and, separately, the '.join(seen)} that --fail-if reads"
    if all(gated):
        text += f"; the error rate of a gate on both is up to {200 * (1 - options['confidence']):.3g}%"
    return (f"{text}." if sum(gated) == len(rows) else f"{text}; the others are {each}.") + others

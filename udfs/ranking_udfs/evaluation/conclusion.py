"""Conclusions in words: a sentence for each pair of models, and a footnote on the method."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..measures.contents import CONTENTS
from ..measures.grammar import Choice, measure_of
from ..measures.registry import Measure
from ..texts import printable
from .comparison import margin_for
from .defaults import CORRECTIONS, DIGITS, TESTS
from .options import ComparisonOptions
from .pairs import ModelOrder, turn
from .problems import is_problem
from .words import (
    Row,
    column_decimals,
    format_fixed,
    format_mean,
    format_number,
    format_p,
    half_of,
    in_unit,
    join_names,
)

HEADLINES = {  # what a mean says, in words
    "hit_rate": " of users find something relevant PLACE",
    "recall_all": " of users find everything relevant PLACE",
    "recall": " of what is relevant to a user is PLACE",
    "precision": " of the recommendations PLACE are relevant",
}
TOUCHED = 0.05  # of the users: from this share on, those without a list stand beside the verdict
SMALL = 0.01  # below this share, problems are one line, unless they are wrong
FEW_USERS = 20  # of a segment: below it, its numbers say little
FEW_JUDGED = 0.2  # of the first k: below it, most of what counts as a miss is unknown


def measure_label(row: Row) -> str:
    """Name a measure at its cut-off: `NDCG@10`."""
    return measure_of(row["measure"]).at(row["k"])


def sentence(
    row: Row, options: ComparisonOptions, family: int, digits: int, compared: str = "comparisons"
) -> str:
    """Write the verdict, the difference and its uncertainty as a sentence; it is one of `family`.

    `compared` is what the family is made of.
    """
    system, baseline = printable(row["system"]), printable(row["baseline"])
    what, verdict, difference = measure_label(row), row["verdict"], row["difference"]
    if difference is None:
        why = in_unit("no user has a value of both")
        return f"{system} and {baseline} cannot be compared in {what}: {why}."
    is_decided = verdict in ("better", "worse", "higher", "lower")
    size = size_text(row, digits, -1 if is_decided and difference < 0 else 1)  # "worse by 0.01", not by -0.01
    is_identical = row["ties"] == row["users"] > 1
    differ = in_unit(f"the same for all {row['users']} users") if is_identical else f"they differ by {size}"
    if is_decided:
        text = f"{system} is {verdict} than {baseline} in {what} by {size}"
    elif verdict == "same":
        margin = format_number(options["margin"], digits)
        text = f"{system} equals {baseline} in {what} to within {margin}: {differ}"
    else:
        way = "higher" if row["measure"] in CONTENTS else "better"
        text = f"It is unclear whether {system} or {baseline} is {way} in {what}: {differ}"
    if row["p"] is not None and not is_identical:
        text += p_text(row, CORRECTIONS[options["correction"]], family, compared)
    needed = needed_sentence(row, options)
    text += "".join(users_texts(row))
    effect, values = row["minimum_detectable_effect"], measure_of(row["measure"]).measure.range
    if verdict == "unclear" and not needed and effect and effect <= values.high - values.low:
        text += f"; {format_number(effect, digits)} would show in 80 of 100 cases"
    return f"{text}. {needed}" if needed else f"{text}."


def size_text(row: Row, digits: int, sign: int) -> str:
    """Write the difference with its interval and the relative one, all times the sign."""
    details = []
    if row["low"] is not None:
        ends = sorted(sign * row[end] for end in ("low", "high"))
        details.append(" to ".join(format_number(end, digits) for end in ends))
    if row["relative"] is not None:
        details.append(f"{format_number(100 * sign * row['relative'], digits)} %")
    return format_number(sign * row["difference"], digits) + (f" ({'; '.join(details)})" if details else "")


def p_text(row: Row, correction: str | None, family: int, compared: str) -> str:
    """Write p, alone and corrected for so many comparisons."""
    # A gate corrects over more comparisons than the family, and says so in `method`.
    count = int(row["method"].rpartition(" of ")[2]) if correction else family
    alone, p = format_p(row["p"]), format_p(row["p_adjusted"])
    text = f", p {alone} alone, {p}" if alone != p else f", p {p}"
    if count == 1:
        return text
    return f"{text} {f'after {correction} for' if correction else 'uncorrected, of'} {count} {compared}"


def users_texts(row: Row) -> Iterator[str]:
    """Say which users are not compared, and with how many a model has no list, where these are many."""
    everybody = row["users"] + row["users_undefined"]
    if row["users_undefined"]:
        measure = measure_of(row["measure"]).measure
        lacking = measure.empty.lacking if "truth" in measure.arguments else ""
        of_both = f"{lacking} in both" if lacking else "a value of both"
        yield in_unit(f"; of {row['users']} of {everybody} users: those with {of_both}")
    without = {name: row[f"users_without_rec_{name}"] or 0 for name in ("baseline", "system")}
    for name, left_out in without.items():
        if left_out > everybody / 10:
            yield in_unit(f"; {left_out} of {everybody} users got nothing from ") + printable(row[name])
    if all(without.values()) and sum(without.values()) > everybody / 2:
        yield in_unit("; the test is of the same users, and few have lists of both")


def needed_sentence(row: Row, options: ComparisonOptions) -> str:
    """Say how many users would show the difference that was seen, or the margin; "" where nothing says it."""
    needed, users = row["users_needed"], row["users"]
    margin = margin_for(row, options)
    if needed is None:
        return ""
    seen, cases = format_number(margin or abs(row["difference"]), 2), "would show it in 80 of 100 cases"
    which = f"as large as the margin, {seen}" if margin else f"the {seen} seen"
    if needed <= users:
        return in_unit(f"If the true difference were {which}, {users} users {cases}.")
    about, more = (int(float(f"{count:.2g}")) for count in (needed, 4 * needed))
    text = f"Unclear with {users} users: if the true difference is {which}, about {about} {cases}"
    return in_unit(f"{text}; if it is half of that, {more}.")


def predicted_sentence(row: Row, digits: int) -> str:
    """Say what predicted grades alone would say, and what people's make of it; "" where there are none."""
    if not row.get("users_predicted") or row["predicted_difference"] is None or row["difference"] is None:
        return ""
    alone, everybody = row["predicted_difference"], row["users"] + row["users_predicted"]
    sign = -1 if alone < 0 else 1
    way = "better" if (alone > 0) == (row["higher_is_better"] is not False) else "worse"
    system, baseline = printable(row["system"]), printable(row["baseline"])
    by = f"{way} than {baseline} by {format_number(sign * alone, digits)}" if alone else f"as {baseline} is"
    ends = sorted(sign * row[end] for end in ("low", "high")) if row["low"] is not None else []
    interval = f" ({' to '.join(format_number(end, digits) for end in ends)})" if ends else ""
    text = in_unit(f"Of {everybody} users {row['users']} were graded by people (means are theirs). ")
    text += f"By the predicted grades alone {system} would be {by} in {measure_label(row)}; "
    text += "people's grades correct this to "
    text += f"{format_number(sign * row['difference'], digits)}{interval}: {row['verdict']}."
    if row["standard_error"] is None:
        return f"{text} Of those graded by people, fewer than 5 differ, or none does from another."
    wider = row["labelled_standard_error"] / row["standard_error"]
    if wider < 1.05:
        return f"{text} The predicted grades do not make the interval narrower."
    return f"{text} Without the predicted grades the interval would be {wider:.2g} times as wide."


def worse_segments(rows: Iterable[Row], most: int = 10) -> list[str]:
    """Name each segment of the rows in which a model is worse, with the measures by which it is."""
    found: dict[str, list[str]] = {}
    for row in (one for one in rows if "segment" in one and one["verdict"] == "worse"):
        by = f"by {format_number(abs(row['difference']), DIGITS)} (p {format_p(row['p_adjusted'])})"
        than = f"{printable(row['system'])} is worse than {printable(row['baseline'])}"
        found.setdefault(row["segment"], []).append(f"{than} in {measure_label(row)} {by}")
    texts = [f"Segment {printable(name)}: {join_names(each)}." for name, each in found.items()]
    return texts[:most] + [f"{len(texts) - most} more segments are worse."] * (len(texts) > most)


def best_sentence(found: ModelOrder, options: ComparisonOptions, digits: int, baseline: str | None) -> str:
    """Compare the best model with the second best; p is of all pairs, since these two were picked of them.

    Where one of them is the baseline of the other comparisons, it is that here too: one difference has one
    percentage.
    """
    pairs = len(found.means) * (len(found.means) - 1) // 2
    row = turn(found.best) if found.best["system"] == baseline else found.best
    return f"Best against second best: {sentence(row, options, pairs, digits, 'pairs of models')}"


def leading_sentence(found: ModelOrder, shared: Sequence[Row] = ()) -> str:
    """Say which model is the best, and whether surely so; `shared` as for shared_sentence."""
    first, second, *others = map(printable, found.means)
    label, tied = measure_label(found.best), list(map(printable, found.leaders[1:]))
    if found.best.get("users_predicted"):  # whose means are of the labelled users alone
        users = found.best["users"] + found.best["users_predicted"]
        label += in_unit(f" over all {users} users")
    if not found.best["difference"]:
        text = f"There is no best model by {label}: {first} and {second} have the same mean."
    elif tied:
        text = f"{first} has the best {label}, but is not surely better than {join_names(tied, 'or')}."
    else:
        rest = f"each of the {1 + len(others)} others" if others else second
        text = f"{first} is the best by {label}, and surely better than {rest}."
    if shared and shared[0]["system"] != next(iter(found.means)):
        where = in_unit(f"of the {shared[0]['users']} users with recommendations of every model")
        text += f" But {where}, {printable(shared[0]['system'])} has the best mean."
    return text


def headline_sentence(rows: Sequence[Row], choice: Choice, k: int | None) -> str:
    """Say what the mean of a model is, in words if the measure has some, and beside it that of another.

    `rows` have system, users, mean, low and high. Without an interval, as of one user, there are no words.
    """
    is_sure = not choice.given and all(row["low"] is not None for row in rows)
    words = HEADLINES.get(choice.measure.name, "") if is_sure else ""
    before, scale = ("", 100) if words else (f"{choice.at(k)} is ", 1)
    place = "in the list" if k is None else "in first place" if k == 1 else f"among the first {k}"
    halves = [scale * (half_of(row["low"], row["high"]) or 0) for row in rows]
    decimals = max(column_decimals([scale * row["mean"] for row in rows], halves) - (scale > 1), 0)
    in_words = choice.measure if words else None
    texts = [(printable(row["system"]), mean_text(row, decimals, in_words)) for row in rows]
    (system, first), *others = texts
    text = f"With {system}, {before}{first}{in_unit(words).replace('PLACE', place)}"
    return text + "".join(f"; with {other} it is {its}" for other, its in others) + "."


def mean_text(row: Row, decimals: int, in_words: Measure | None) -> str:
    """Write a mean with its interval; for a measure with words of its own, in percent and with the users."""
    scale, unit = (100, "%") if in_words else (1, "")
    numbers = (row[name] for name in ("mean", "low", "high") if row[name] is not None)
    mean, *shown = format_fixed([scale * number for number in numbers], decimals)
    details = [f"{' to '.join(shown)}{unit}"] if shown else []
    if in_words and in_words.range.is_yes_or_no:
        details.insert(0, f"{round(row['mean'] * row['users'])} of {row['users']}")
    elif in_words:
        details.append(in_unit(f"{row['users']} users"))
    return f"{mean}{unit} ({'; '.join(details)})" if details else f"{mean}{unit}"


def contents_sentences(rows: Sequence[Row], has_items: bool) -> list[str]:
    """Say how popular the recommended items are, how many of all they are, and how many the user has already.

    `rows` are of ranking.beyond_accuracy, with a history.
    """
    catalogue = "catalogue" if has_items else "history"
    facts = [
        ("popularity_lift", 1, 1, "", "{} recommends items {} times as popular as what its users had"),
        ("coverage", 0, 100, " %", f"{{}} recommends {{}} of the items of the {catalogue}"),
        ("repeats", 0, 100, " %", "{} recommends what the user already has: {} of the items"),
    ]
    texts = []
    for name, more, scale, unit, words in facts:
        known = [row for row in rows if row[name] is not None]
        numbers = [scale * (row[name] + more) for row in known]
        if not known or (name == "repeats" and not any(numbers)):
            continue
        names = [printable(row["system"]) for row in known]
        shown = [text + unit for text in format_fixed(numbers, column_decimals(numbers, digits=2))]
        text = in_unit(words).format(names[0], shown[0])
        text += "".join(f"; with {one} it is {its}" for one, its in zip(names[1:], shown[1:], strict=True))
        texts.append(f"{text}{left_out_text(known) if name == 'popularity_lift' else ''}.")
    return texts


def left_out_text(rows: Sequence[Row]) -> str:
    without = [
        f"{row['users_without_history']} of {row['users']} with {printable(row['system'])}"
        for row in rows
        if row["users_without_history"]
    ]
    return in_unit(". Users without a history left out: ") + join_names(without) if without else ""


def refused_sentence(rows: Sequence[Row]) -> str:
    """Say how many users without an answer got one, and how many none; `rows` are of ranking.abstention."""
    count, texts = rows[0]["users_without_relevant"], []
    for name, (row, *_) in by_model(rows).items():
        answered = row["wrongly_answered"]  # from the lowest threshold on
        of = "" if name is None else f"{printable(name)} "
        texts.append(f"{of}{answered} answered, {count - answered} refused")
    return in_unit(f"{count} user{'s' * (count != 1)} without an answer: ") + f"{'; '.join(texts)}."


def threshold_sentences(rows: Sequence[Row], digits: int = DIGITS) -> list[str]:
    """Say how well the best scores of each model tell users without an answer apart; name two thresholds."""
    texts = []
    for name, mine in by_model(rows).items():
        row = fewest = min(mine, key=errors_of)
        if row["auc"] is None or row["threshold"] is None:
            continue
        auc = " ".join(filter(None, format_mean(row["auc"], row["auc_low"], row["auc_high"], digits=digits)))
        of = "" if name is None else f"{printable(name)}: "
        smallest = min(mine, key=lambda one: one["refused_share"] + one["answered_share"])
        errors, refused = errors_of(fewest), fewest["users_with_relevant"]
        few = f"Fewest errors ({errors}{f'; {refused} if all are refused' if refused < errors else ''})"
        sides = {few: fewest, "Smallest sum of the two shares": smallest}
        if fewest == smallest:
            sides = {f"{few} and smallest sum of the two shares": fewest}
        found = [
            f"{what}, with threshold {format_number(row['threshold'], digits)}: "
            f"{row['wrongly_refused']} of {row['users_with_relevant']} with an answer refused, "
            f"{row['wrongly_answered']} of {row['users_without_relevant']} without one answered."
            for what, row in sides.items()
        ]
        texts.append(" ".join([f"{of}AUC {auc}.", *found]))
    explained = (
        "AUC: of the pairs of a user with an answer and a user without one, the share in which the first has "
        "the better best score. A threshold that was chosen by these users errs more often on others."
    )
    return [*texts, in_unit(explained)] if texts else []


def errors_of(row: Row) -> int:
    """Return how many users a threshold of ranking.abstention treats wrongly."""
    return int(row["wrongly_refused"] + row["wrongly_answered"])


def by_model(rows: Sequence[Row]) -> dict[str | None, list[Row]]:
    """Return the rows of each model by its name, None for one without; in the order of their first rows."""
    found: dict[str | None, list[Row]] = {}
    for row in rows:
        found.setdefault(row.get("system"), []).append(row)
    return found


def some_thresholds(rows: Sequence[Row], most: int = 10) -> list[Row]:
    """Return rows of ranking.abstention at equal steps, so many of each model."""
    found = []
    for mine in by_model(rows).values():
        found += [mine[i] for i in sorted({step * (len(mine) - 1) // (most - 1) for step in range(most)})]
    return found


def shared_sentence(rows: Sequence[Row], label: str) -> str:
    """Say the means of the users who have recommendations of every model, the best first."""
    numbers = [row["mean"] for row in rows]
    shown = zip(format_fixed(numbers, column_decimals(numbers)), rows, strict=True)
    means = [f"{mean} with {printable(row['system'])}" for mean, row in shown]
    where = in_unit(f"Of the {rows[0]['users']} users with recommendations of every model")
    return f"{where}, {label} is {', '.join(means)}."


def caveats(problems: Sequence[Row], ks: Collection[int | None]) -> tuple[list[str], list[str]]:
    """Say what is wrong in the data, and what else stands against a verdict at these k.

    Each is a sentence for a problem of all systems, that of the largest share first; what is not wrong and of
    less than SMALL is one sentence. `problems` are rows of ranking.check with what to do.
    """
    found: dict[tuple[str, int | None], list[Row]] = {}
    for row in filter(is_problem, problems):
        if row["k"] is None or row["k"] in ks:
            found.setdefault((row["code"], row["k"]), []).append(row)
    wrong, others, small = list[str](), list[str](), list[str]()
    weighed = [(max(map(share_of, rows)), rows) for rows in found.values()]
    for share, rows in sorted(weighed, key=lambda one: one[0], reverse=True):
        is_wrong = any(row["severity"] == "error" for row in rows)
        (wrong if is_wrong else small if share < SMALL else others).append(caveat(rows))
    return wrong, [*others, *(["Of less than 1 %: " + " ".join(small)] if small else [])]


def few_differ(rows: Sequence[Row]) -> list[str]:
    """Say of which comparisons too few users differ for a verdict."""
    found = [row for row in rows if "few_differ" in (row["caveats"] or "")]
    names = [
        f"{printable(row['baseline'])} and {printable(row['system'])} in {measure_label(row)}"
        for row in found
    ]
    return [in_unit("Fewer than 5 users differ, of ") + f"{', '.join(names)}."] if names else []


def few_users(rows: Sequence[Row]) -> list[str]:
    """Say which segments have fewer than FEW_USERS users; `rows` have segment and users."""
    users: dict[str, int] = {}
    for row in rows:
        users[row["segment"]] = max(users.get(row["segment"], 0), row["users"])
    names = [f"{printable(name)} ({count})" for name, count in users.items() if count < FEW_USERS]
    return [in_unit(f"Segments of fewer than {FEW_USERS} users: ") + f"{join_names(names)}."] if names else []


def share_of(row: Row) -> float:
    """Return the share that has a problem; 1 where it has no denominator."""
    return float(row["count"] / row["of"]) if row["of"] else 1.0


def caveat(rows: Sequence[Row]) -> str:
    """Say one problem, with its counts in each system and what to do."""
    counts = []
    for row in rows:
        name = "" if row["system"] is None else f"{printable(row['system'])} "
        percent = f"{100 * share_of(row):.0f}" if share_of(row) >= SMALL else "< 1"
        counts.append(f"{name}{row['count']}" + (f" of {row['of']} ({percent} %)" if row["of"] else ""))
    problem = rows[0]["problem"].removeprefix("rec: ").removeprefix("truth: ")
    advice = dict.fromkeys(row["write"] for row in rows if row["write"])
    return f"{problem[:1].upper()}{problem[1:]}: {', '.join(counts)}{''.join(f'; {one}' for one in advice)}."


def judged_caveat(shares: Mapping[str, float | None], k: int | None) -> list[str]:
    """Say of which models few items are judged; `shares` are their means of judged_share at this k."""
    few = {name: share for name, share in shares.items() if share is not None and share < FEW_JUDGED}
    if not few:
        return []
    names = ", ".join(f"{printable(name)} {100 * share:.0f} %" for name, share in few.items())
    place = "in the list" if k is None else f"among the first {k}"
    return [f"Few items {place} are judged, and the others count as misses: {names}."]


def letters_note(options: ComparisonOptions) -> str:
    """Describe what letters say."""
    name = CORRECTIONS[options["correction"]]
    corrected = f"corrected after {name} for all pairs in one measure at one k" if name else "not corrected"
    share = format_number(100 * options["confidence"], 15)
    what = "Models that share a letter are not surely different"
    return f"{what} ({share} % confidence, {TESTS[options['test']]}, {corrected})."


def test_text(options: ComparisonOptions) -> str:
    """Describe the intervals and the test."""
    share, test = format_number(100 * options["confidence"], 15), TESTS[options["test"]]
    return f"{share} % confidence interval of each comparison; {test.removeprefix('the ')}"


def adjusted_text(options: ComparisonOptions, across: str) -> str:
    """Say that p is adjusted across these, or not."""
    name = CORRECTIONS[options["correction"]]
    return f"{name}-adjusted across {across}" if name else "not corrected for the number of comparisons"


def footnote(
    options: ComparisonOptions,
    has_segments: bool,
    gated: tuple[int, int] = (0, 0),
    count: int = 0,
    measures: Collection[str] = (),
) -> str:
    """Describe the intervals, the test and the correction.

    `gated` comparisons of all users, and of segments, are corrected together, of `count` in all. `measures`
    are those that are compared.
    """
    won = "wins, ties, loses"
    if neutral := [name for name in measures if name in CONTENTS]:
        higher = "is higher, the same, lower"
        won = higher if len(neutral) == len(measures) else f"{won} (of {', '.join(neutral)}: {higher})"
    text = in_unit(f"W/T/L: with how many users a model {won}. ")
    apart = in_unit(", all users apart from segments") if has_segments else ""
    text += test_text(options)
    name, each = CORRECTIONS[options["correction"]], f"systems within each measure and k{apart}"
    each = adjusted_text(options, each)
    if name is None or not any(gated):
        return f"{text}, {each}."
    seen = [
        f"{one} comparison{'s' * (one > 1)}{in_unit(whom) if has_segments else ''}"
        for one, whom in zip(gated, (" of all users", " of segments"), strict=True)
        if one
    ]
    text += f", corrected after {name} for the {' and, apart, the '.join(seen)} that --fail-if looks at"
    if all(gated):
        text += f"; a gate on both errs in up to {200 * (1 - options['confidence']):.3g} % of cases"
    return f"{text}." if sum(gated) == count else f"{text}; of the others {each}."

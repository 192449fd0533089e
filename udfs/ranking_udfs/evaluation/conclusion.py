"""Conclusions in words: a sentence for each pair of models, and a footnote on the method."""

import re
from collections.abc import Collection, Sequence

from ..measures.contents import CONTENTS
from ..texts import printable
from .comparison import ComparisonOptions
from .defaults import CORRECTIONS, TESTS
from .words import DIGITS_OF_P, Row, format_cut_off, format_number, format_p


def measure_label(row: Row) -> str:
    """Name a measure at its cut-off: `ndcg@10`."""
    return f"{row['measure']}@{format_cut_off(row['k'])}"


def families(rows: Sequence[Row]) -> list[list[Row]]:
    """Group the rows by measure and k: p is corrected within each group."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(measure_label(row), []).append(row)
    return list(found.values())


def sentence(row: Row, options: ComparisonOptions, family: int, digits: int) -> str:
    """Write the verdict, the difference and its uncertainty as a sentence; it is one of `family`."""
    system, baseline = printable(row["system"]), printable(row["baseline"])
    what, verdict, difference = measure_label(row), row["verdict"], row["difference"]
    if difference is None:
        return f"{system} and {baseline} cannot be compared in {what}: no user has a value of both."
    is_decided = verdict in ("better", "worse", "higher", "lower")
    sign = -1 if is_decided and difference < 0 else 1  # "worse by 0.01", not by -0.01
    details = []
    if row["low"] is not None:
        ends = sorted(sign * row[end] for end in ("low", "high"))
        details.append(" to ".join(format_number(end, digits) for end in ends))
    if row["relative"] is not None:
        details.append(f"{format_number(100 * sign * row['relative'], digits)} %")
    size = format_number(sign * difference, digits) + (f" ({'; '.join(details)})" if details else "")
    is_identical = row["ties"] == row["users"] > 1
    differ = f"the same for all {row['users']} users" if is_identical else f"they differ by {size}"
    if is_decided:
        text = f"{system} is {verdict} than {baseline} in {what} by {size}"
    elif verdict == "same":
        margin = format_number(options.margin, digits)
        text = f"{system} equals {baseline} in {what} to within {margin}: {differ}"
    else:
        way = "higher" if row["measure"] in CONTENTS else "better"
        text = f"It is unclear whether {system} or {baseline} is {way} in {what}: {differ}"
    if row["p"] is not None and not is_identical:
        text += f", p {format_p(row['p_adjusted'], DIGITS_OF_P)}"
        corrected = re.search(r", \w+ of (\d+)$", row["method"])
        count, name = int(corrected[1]) if corrected else family, CORRECTIONS[options.correction]
        if count > 1:
            text += f" {f'after {name}' if name else 'uncorrected'}, {count} comparisons"
    everybody = row["users"] + row["users_undefined"]
    if row["users_undefined"]:
        of_both = "a hit in both" if row["measure"] == "first_hit_rank" else "a value of both"
        text += f"; of {row['users']} of {everybody} users: those with {of_both}"
    for name in ("baseline", "system"):
        left_out = row[f"users_without_rec_{name}"]
        if left_out is not None and left_out > everybody / 10:
            text += f"; {left_out} of {everybody} users got nothing from {printable(row[name])}"
    without = [row[f"users_without_rec_{name}"] or 0 for name in ("baseline", "system")]
    if all(without) and sum(without) > everybody / 2:
        text += "; the test is of the same users, and few have lists of both"
    if verdict == "unclear" and row["minimum_detectable_effect"]:
        text += f"; {format_number(row['minimum_detectable_effect'], digits)} would show in 80 of 100 cases"
    return text + "."


def footnote(
    options: ComparisonOptions,
    has_segments: bool,
    gated: int = 0,
    count: int = 0,
    measures: Collection[str] = (),
) -> str:
    """Describe the intervals, the test and the correction; `gated` of all are corrected together.

    `measures` are those that are compared.
    """
    share = format_number(100 * options.confidence, 15)
    won = "wins, ties, loses"
    if neutral := [name for name in measures if name in CONTENTS]:
        higher = "is higher, the same, lower"
        won = higher if len(neutral) == len(measures) else f"{won} (of {', '.join(neutral)}: {higher})"
    text = f"W/T/L: with how many users a model {won}. "
    text += f"{share} % intervals of the mean difference, each alone; p of {TESTS[options.test]}"
    name = CORRECTIONS[options.correction]
    if name is None:
        return f"{text}, not corrected for the number of comparisons."
    apart = ", all users apart from segments" if has_segments else ""
    each = f"for all comparisons in one measure at one k{apart}"
    if not gated:
        return f"{text}, corrected after {name} {each}."
    seen = f"corrected after {name} for all {gated} comparison{'s' * (gated > 1)} that --fail-if looks at"
    return f"{text}, {seen}." if gated == count else f"{text}, {seen}; of the others {each}."

"""Compare texts: numbers by their value, everything else by character.

Last digits of exp, log, pow and sums differ between processors and libraries. So numbers are equal if they
differ by less than 1e-9 of the larger one, or if both are below 1e-15. The same value in another spelling,
such as 0.5 and 0.50, is another text. Where equal numbers differ in length, so do the runs of blanks and of
dashes of tables, which are then compared as one each.

`python -m tests.by_value EXPECTED FOUND` prints the lines of two files that differ, and ends with 1 if
there are any.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from heapq import heappop, heappush
from math import isclose
from pathlib import Path

RELATIVE, TINY = 1e-9, 1e-15
NUMBER = re.compile(r"((?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w|\.\w))")
FRACTION = re.compile(r"[.e]")
Pair = tuple[str | None, str | None]


def is_equal(expected: float, found: float) -> bool:
    """Compare numbers as the head of this module says; infinities and NaN are equal to themselves."""
    are_tiny = abs(expected) < TINY and abs(found) < TINY
    are_nan = expected != expected and found != found
    return are_tiny or are_nan or isclose(expected, found, rel_tol=RELATIVE)


def is_same(expected: str, found: str) -> bool:
    """Compare two texts without numbers, or two numbers: whole ones by character, as they may be ids."""
    if expected == found or not (NUMBER.fullmatch(expected) and NUMBER.fullmatch(found)):
        return expected == found
    values = float(expected), float(found)
    has_fraction = FRACTION.search(expected + found) is not None
    return has_fraction and is_equal(*values) and (values[0] != values[1] or not any(values))


def is_alike(expected: str, found: str) -> bool:
    """Compare lines, with any number of blanks or dashes where there are some."""
    if expected == found:
        return True
    ours, theirs = (NUMBER.split(narrow(line)) for line in (expected, found))
    return len(ours) == len(theirs) and all(map(is_same, ours, theirs))


def narrow(line: str) -> str:
    return re.sub(r" +", " ", re.sub(r"([-─])\1+", r"\1\1", line)).strip()


def distance(expected: str, found: str) -> float:
    return 0.1 + 2 * (1 - SequenceMatcher(None, expected, found).quick_ratio())


def aligned(
    expected: Sequence[str], found: Sequence[str], alike: Callable[[str, str], bool], gap: str | None = None
) -> Iterator[Pair]:
    """Yield pairs in order, None for a partner that is lacking, with as few changes as possible.

    An expected gap is alone in its pair, and hides one or more of those found, which are in no pair.
    """
    heap, previous = [(0.0, 0, 0, 0, 0, 0)], dict[tuple[int, int], tuple[int, int]]()
    end = len(expected), len(found)
    while end not in previous:
        cost, _, i, j, *before = heappop(heap)
        if (i, j) in previous:
            continue
        previous[i, j] = (before[0], before[1])
        steps = []
        if i < end[0] and expected[i] == gap:
            steps = [(0.5 * (after == j), i + 1, after) for after in range(j, end[1] + 1)]
        else:
            if i < end[0] and j < end[1]:
                is_found = alike(expected[i], found[j])
                steps += [(0 if is_found else distance(expected[i], found[j]), i + 1, j + 1)]
            steps += [(3, i + 1, j)] * (i < end[0]) + [(1, i, j + 1)] * (j < end[1])
        for more, *after in steps:
            heappush(heap, (cost + more, -sum(after), *after, i, j))
    path = [end]
    while path[-1] != (0, 0):
        path.append(previous[path[-1]])
    for (i, j), (i_after, j_after) in zip(path[::-1], path[-2::-1], strict=False):
        if i < i_after and expected[i] == gap:
            if j < j_after:
                yield gap, None
        else:
            yield (expected[i] if i < i_after else None, found[j] if j < j_after else None)


def kept(expected: str, found: str, gap: str | None = None) -> str:
    """Return the text that was found, but with the numbers of the expected one that are equal, and its gaps.

    So texts are equal if this returns the expected one. A line that is a gap stands for one line or more.
    """
    if expected == found:
        return found
    both = (text.split("\n") if text else [] for text in (expected, found))
    lines = [*aligned(*both, alike=is_alike, gap=gap)]
    pairs = [(ours, theirs) for ours, theirs in lines if ours is not None and theirs is not None]
    has_room = any(is_alike(*pair) and is_longer(*pair) for pair in pairs)
    texts = []
    for ours, theirs in lines:
        if ours is None or theirs is None:
            texts += [theirs if ours is None or ours != gap else ours]
        else:
            texts += [ours if has_room and is_alike(ours, theirs) else with_numbers(ours, theirs)]
    return "\n".join(text for text in texts if text is not None)


def is_longer(expected: str, found: str) -> bool:
    """Tell whether a number of a line differs in length from the one that is equal to it."""
    return any(len(a) != len(b) for a, b in zip(*map(NUMBER.findall, (expected, found)), strict=True))


def with_numbers(expected: str, found: str) -> str:
    """Return the line that was found, with the expected spelling of equal numbers."""
    pairs = aligned(NUMBER.split(expected), NUMBER.split(found), is_same)
    return "".join(
        ours if ours is not None and theirs is not None and is_same(ours, theirs) else theirs or ""
        for ours, theirs in pairs
    )


def differences(expected: str, found: str) -> str:
    """Return the lines that differ, with their numbers: `-` what is expected, `+` what is found."""
    texts = (text.split("\n") for text in (expected, kept(expected, found)))
    return "\n".join([*unified_diff(*texts, n=0, lineterm="")][2:])


def assert_same(expected: str, found: str, about: str = "") -> None:
    """Raise an AssertionError that shows the lines that differ."""
    __tracebackhide__ = True
    changes = differences(expected, found)
    if changes:
        raise AssertionError(f"{about}\n{changes}")


if __name__ == "__main__":
    changed = differences(*(Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]))
    sys.exit(changed or None)

"""Read tests/calls/*.txt: calls with what comes out of them, a call to a line.

    # halves are rounded up               the rule that the calls hold; a blank line ends it
    for TYPE in FLOAT | DOUBLE            TYPE below stands for each of these values in turn
    round(*):                             lines below replace the asterisk, in each of several such calls
    1.5::TYPE = 2  # why                  a call with its value
    'x'::DATE ! TypeError: x must be ...  a call with its error, without the name of the function

MEASURE without a `for` is every name of every measure. Calls and values are SQL, but Python in measures.txt,
where a name with a value is a constant. In names.txt a call is a text that names measures.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("calls")
Loops = Mapping[str, Sequence[str]]


class Case(NamedTuple):
    """A call with `=` and its value, or `!` and its error."""

    file: str
    line: int
    rule: str
    call: str
    sign: str
    expected: str

    @property
    def place(self) -> str:
        return f"tests/calls/{self.file}.txt:{self.line}"


def read(file: str, every_name: Sequence[str] = ()) -> list[Case]:
    """Return the cases of a file, one for each value of its loops."""
    cases: list[Case] = []
    text = "\n" + (FOLDER / f"{file}.txt").read_text(encoding="utf-8")
    unused = set[str]()
    for number, line in enumerate(text.split("\n")):
        if not line:
            assert not unused, f"tests/calls/{file}.txt:{number}: no line uses {unused}"
            rule, frames, loops, has_cases = "", ["*"], {"MEASURE": every_name}, True
        elif line.startswith("# "):
            rule = rule or line[2:]
        elif loop := re.fullmatch(r"for (\w+) in (.*)", line):
            loops.pop(loop[1], None)  # values of a loop may hold names of those above
            loops[loop[1]] = re.split(r"(?:^| )\|(?: |$)", loop[2])
            unused.add(loop[1])
        elif line.endswith(":"):
            frames = [line[:-1]] if has_cases else [*frames, line[:-1]]
            rule, has_cases = rule or line[:-1], False
            unused.add(line[:-1])
        else:
            has_cases = True
            call, sign, expected = parts(line)
            assert expected, f"tests/calls/{file}.txt:{number}: must be CALL = VALUE or CALL ! ERROR"
            for frame in frames:
                for texts, used in combinations((frame.replace("*", call), expected), loops):
                    unused -= {*used, frame}
                    cases.append(Case(file, number, rule, texts[0], sign, texts[1]))
    return cases


def parts(line: str) -> tuple[str, str, str]:
    """Split a line into a call, a sign, and a value or an error."""
    if " ! " in line:
        call, _, expected = line.partition(" ! ")
    else:
        call, _, expected = line.partition("  # ")[0].rpartition(" = ")
    return call, "!" if " ! " in line else "=", expected


def combinations(texts: Sequence[str], loops: Loops) -> Iterator[tuple[Sequence[str], dict[str, str]]]:
    """Yield the texts with each combination of values for the names in them, and those values."""
    if not loops:
        yield texts, {}
        return
    *others, name = loops
    pattern, rest = re.compile(rf"\b{name}\b"), {other: loops[other] for other in others}
    if not any(map(pattern.search, texts)):
        yield from combinations(texts, rest)
        return
    for value in loops[name]:
        replaced = [pattern.sub(lambda _, value=value: value, text) for text in texts]
        for found, used in combinations(replaced, rest):
            yield found, {name: value, **used}

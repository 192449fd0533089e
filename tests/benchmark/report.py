"""What the commands print: Markdown, with the command line and the versions, ready to be pasted."""

import os
import platform
import statistics
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version


def heading(module: str, arguments: Sequence[str], packages: Iterable[str]) -> str:
    """The command line, and what it ran with."""
    found = []
    for package in dict.fromkeys(packages):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    command = " ".join(("python -m", module, *arguments))
    system = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs"
    return f"`{command}`\n\n{system}; {', '.join(found)}.\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, the first column to the left and the others to the right."""
    lines = [columns, ["---", *["--:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def seconds(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def spread(values: Sequence[float]) -> list[str]:
    """Median, minimum and maximum."""
    return [seconds(median(values)), seconds(min(values)), seconds(max(values))]


def say(text: str) -> None:
    """A line for who waits; the report itself goes to standard output."""
    print(text, file=sys.stderr, flush=True)

"""The screens of `--help`, of 80 columns and at most 40 lines each."""

from collections.abc import Iterable, Mapping
from textwrap import fill

from .messages import PROGRAM
from .options import BEGINNINGS, COMMANDS, FILES, FIRST, OPERANDS, TOGETHER, TOPICS, Option

WIDTH, LINES = 80, 40
INDENT, OPERAND_INDENT = 26, 9  # of what stands beside options, and beside operands


def screen(usage: str, when: str, blocks: Mapping[str, Iterable[str]], examples: Iterable[str]) -> str:
    """Return a screen, with blank lines between its blocks where there is room."""
    shown = {**blocks, "examples": [f"  {PROGRAM} {one}" for one in examples]}
    parts = [
        "\n".join([f"{title}:" if title else "", *rows]).lstrip("\n") for title, rows in shown.items() if rows
    ]
    head = f"usage: {usage}\n\n{fill(when, WIDTH)}\n\n"
    text = "\n\n".join(parts)
    return head + (text if f"{head}{text}".count("\n") < LINES else "\n".join(parts)) + "\n"


def row(left: str, text: str, indent: int = INDENT) -> str:
    """Return a line with its text from the same column on as others, if there is room."""
    return fill(text, WIDTH, initial_indent=f"  {left:<{indent - 4}}  ", subsequent_indent=" " * indent)


def option_row(names: str, options: Mapping[str, Option]) -> str:
    """Return the row of an option, or of several with `+` between them."""
    chosen = {name: options[name] for name in names.split("+")}
    first = next(iter(chosen.values()))
    values = [f"{{{','.join(one.choices)}}}" if one.choices else one.metavar or "" for one in chosen.values()]
    shown = [value if value != after else "" for value, after in zip(values, [*values[1:], ""], strict=True)]
    left = ", ".join(f"{name} {value}".strip() for name, value in zip(chosen, shown, strict=True))
    usual = ", ".join(
        str(one.default) for one in chosen.values() if one.default is not None and not one.action
    )
    text = f"{TOGETHER.get(names, first.help)}{f' (default: {usual})' * bool(usual)}".strip()
    return row(f"{first.short}, {left}" if first.short else left, text)


def command_help(name: str) -> str:
    """Return the help of a command."""
    one = COMMANDS[name]
    options, operand = one.options, OPERANDS[one.operand]
    truth = " TRUTH" * one.has_truth
    usage = f"REC [REC ...]{truth}" if one.operand == "files" else str(operand.metavar)
    files = [
        row(left, text, OPERAND_INDENT) for left, text in FILES.items() if one.has_truth or left != "TRUTH"
    ]
    blocks = {"": files if one.operand == "files" else [row(usage, operand.help)]}
    blocks |= {title: [option_row(names, options) for names in rows] for title, rows in one.rows.items()}
    usage = f"{PROGRAM} {name} {'[options] ' * bool(options)}{usage}"
    return screen(usage, one.about, blocks, [f"{name} {example}" for example in one.examples])


def top_help() -> str:
    """Return the help of all commands."""
    blocks = {
        title: [row(name, COMMANDS[name].about.partition(":")[0]) for name in names.split()]
        for title, names in TOPICS.items()
    }
    blocks["options"] = [
        row("COMMAND --help", "what a command does, with its options"),
        row("--version", "versions of what it runs on"),
    ]
    return screen(f"{PROGRAM} COMMAND ...", BEGINNINGS, blocks, FIRST)

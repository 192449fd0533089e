"""The commands and their options: which a command has is read of its help, in `help.txt`."""

import re
from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from ..evaluation import defaults
from ..evaluation.columns import is_min_grade
from .gates import parse_conditions
from .values import (
    AT_LEAST_0,
    COPY_OPTIONS,
    TREC,
    file_in,
    integer,
    number,
    parse_cut_offs,
    parse_items,
    parse_measures,
    parse_memory,
    parse_output,
    parse_segment,
    parse_weights,
)

FILE = {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"}  # shtab.FILE, which may not be there
MEASURE = {"bash": "_ranking_udfs_measures", "zsh": "_ranking_udfs_measures"}  # which `completion` prints
SHARE = number("a number from 0 to 1", lambda share: 0 <= share <= 1)
PERSISTENCE = number("a number above 0 and up to 1", lambda share: 0 < share <= 1)
CONFIDENCE = number("a number above 0 and below 1", lambda share: 0 < share < 1)
FLAGS = [
    "--pairs",
    "--long",
    "--safe-csv",
    "--ascending",
    "--parts",
    "--quiet",
    "--no-check",
    "--allow-empty",
]
# The arguments of argparse for each option, beside the name, the values and the text in `help.txt`.
OPTIONS: dict[str, dict[str, Any]] = {
    **{flag: {"default": False, "action": "store_true"} for flag in FLAGS},
    **{name: {"complete": FILE} for name in ("--history", "--database", "--figures")},
    **{name: {"default": "keep"} for name in ("--cold-users", "--cold-items", "--seen")},
    "--measures": {"type": parse_measures, "action": "extend", "complete": MEASURE},
    "-k": {"type": parse_cut_offs, "action": "extend"},
    "--min-grade": {"type": number("a number > 0", is_min_grade)},
    "--unjudged": {"default": "miss"},
    "--ties": {"default": "item"},
    "--segment": {"type": parse_segment, "complete": FILE},
    "--items": {"type": parse_items, "complete": FILE},
    "--head": {"type": SHARE, "default": defaults.HEAD},
    "--divergence": {"default": defaults.DIVERGENCE},
    "--user-id": {"required": True},
    "--margin": {"type": AT_LEAST_0},
    "--confidence": {"type": CONFIDENCE, "default": defaults.CONFIDENCE},
    "--correction": {"default": "holm"},
    "--test": {"default": "t"},
    "--permutations": {"type": integer(1, 10**7), "default": defaults.PERMUTATIONS},
    "--seed": {"type": integer(0, 2**63 - 1), "default": defaults.SEED},
    "--persistence": {"type": PERSISTENCE, "default": defaults.PERSISTENCE},
    "--output": {"type": parse_output, "complete": FILE},
    "--by-user": {"type": file_in(*COPY_OPTIONS), "complete": FILE},
    "--digits": {"type": integer(1, 17)},
    "--fail-if": {"type": parse_conditions, "action": "extend"},
    "--figure-format": {"default": "svg"},
    "--pack": {"action": "print", "nargs": 0},
    "--version": {"action": "print", "nargs": 0},
    "--format-in": {"default": "auto"},
    "--threads": {"type": integer(1)},
    "--memory-limit": {"type": parse_memory},
    "--method": {"default": "rrf"},
    "--weights": {"type": parse_weights},
    "--rrf-k": {"type": AT_LEAST_0, "default": 60},
    "--normalize": {"default": "min_max"},
    "--depth": {"type": integer(1)},
    "--last": {"type": integer(1)},
    "--folds": {"type": integer(1), "default": 1},
}
OPERANDS: dict[str, dict[str, Any]] = {  # what stands without an option
    "files": {"nargs": "+", "complete": FILE},
    "events": {"metavar": "EVENTS", "complete": FILE},
    "database": {"metavar": "FILE", "complete": FILE},
    "names": {"metavar": "NAME", "nargs": "*", "complete": MEASURE},
    "shell": {"choices": ("bash", "zsh", "tcsh")},
}
OPERAND_OF = {"split": "events", "install": "database", "uninstall": "database"}
OPERAND_OF |= {"measures": "names", "functions": "names", "completion": "shell"}  # of the others, files

CHANGES: dict[str, dict[str, dict[str, Any]]] = {  # of options in a command
    "split": {
        "--output": {"type": str, "required": True},
        **{f"--{name[:4]}": {"default": name} for name in ("userid", "itemid", "time")},
    },
    "fuse": {"--output": {"type": file_in(*COPY_OPTIONS, TREC), "required": True}},
    **{name: {"--format": {"default": "table"}} for name in ("measures", "functions", "sql")},
}
SETTINGS: dict[str, dict[str, Any]] = {  # values of what a command has no option for
    **{name: {"usual": defaults.MEASURES, "allow_empty": True} for name in ("check", "explain", "overlap")},
    **{name: {"usual": defaults.MEASURES} for name in ("evaluate", "sql")},
    **{name: {"usual": defaults.COMPARED_MEASURES} for name in ("compare", "report")},
    "fuse": {"usual": defaults.MEASURES, "grade": ""},
}


ROW = re.compile(r"(?:(-\w), )?(--?[a-z][a-z-]*)(?:\[\S+\])?(?: ([A-Z]\S*?|\{.*?\}))?(?=, -|$)")


class Command(NamedTuple):
    """A command: its line in the list of all, its help, and what argparse takes for each of its options."""

    line: str
    help: str
    options: Mapping[str, dict[str, Any]]
    operand: str
    settings: Mapping[str, Any]
    has_truth: bool


@cache
def screens() -> dict[str, str]:
    """Return the helps of help.txt by command, that of all by an empty name."""
    text = (get_data(__package__, "help.txt") or b"").decode()
    _, *parts = re.split(r"^\[(.*)\]\n", text, flags=re.MULTILINE)
    found = {name: f"{part.rstrip()}\n" for name, part in zip(parts[::2], parts[1::2], strict=True)}
    for name in [name for name in found if name.startswith("@")]:
        rows = found.pop(name)
        found = {other: part.replace(f"{name}\n", rows) for other, part in found.items()}
    return found


@cache
def commands() -> dict[str, Command]:
    """Return the commands by their names."""
    lines = dict(re.findall(r"^  (\w+)  +(.*)", screens()[""], re.MULTILINE))
    return {
        name: Command(
            lines[name],
            screen,
            options_of(screen, CHANGES.get(name, {})),
            OPERAND_OF.get(name, "files"),
            SETTINGS.get(name, {}),
            "TRUTH\n" in screen,
        )
        for name, screen in screens().items()
        if name
    }


def options_of(screen: str, changes: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what argparse takes for each option of a screen, by rows as `-s, --name VALUE  what it does`."""
    found = {}
    for row, text in re.findall(r"^  (-\S+(?: \S+)*)(?:  +(.*))?$", screen, re.MULTILINE):
        named, value = ROW.findall(row), ""
        texts = [text] if len(named) == 1 else text.split("; ")  # what a part says, if each option has one
        texts = texts if len(texts) == len(named) else [""] * len(named)
        for (short, name, given), text in reversed([*zip(named, texts, strict=True)]):
            known = OPTIONS.get(name, {}) | changes.get(name, {})
            value = given or value
            if "action" not in known or known["action"] == "extend":
                known |= {"choices": value[1:-1].split(",")} if value.startswith("{") else {"metavar": value}
            found[name] = known | {"help": text, "short": short}
    return found


def name_of(option: str) -> str:
    """Return what a Namespace has the option by."""
    return option.lstrip("-").replace("-", "_")

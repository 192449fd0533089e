"""The commands and their options as tables, of which `arguments` makes parsers and `help` screens.

A help fits a screen: what is longer stands in the README.md beside this file, which names every option.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..evaluation import defaults
from ..evaluation.columns import UNJUDGED, is_min_grade
from .gates import parse_conditions
from .values import (
    COPY_OPTIONS,
    TREC,
    file_in,
    integer,
    number,
    parse_cut_offs,
    parse_items,
    parse_measures,
    parse_output,
    parse_segment,
    parse_weights,
)

FORMATS = ("table", "csv", "json", "markdown", "html")
FILE = {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"}  # shtab.FILE, which may not be there
MEASURE = {"bash": "_ranking_udfs_measures", "zsh": "_ranking_udfs_measures"}  # which `completion` prints
KEPT = ("keep", "drop")
FOLDER = {"metavar": "FOLDER", "required": True}
FUSED = f"where to: {', '.join((*COPY_OPTIONS, TREC))}"


class Option(NamedTuple):
    """An argument as argparse takes it, with an option's short name and what a shell completes."""

    help: str
    metavar: str | None = None
    type: Callable[[str], Any] | None = None
    default: Any = None
    choices: Sequence[str] | None = None
    action: str | None = None
    nargs: str | int | None = None
    required: bool | None = None
    short: str | None = None
    complete: Mapping[str, str] | None = None


def file(text: str, metavar: str = "FILE", kind: Callable[[str], Any] | None = None, **more: Any) -> Option:
    """Return an argument that is a file."""
    return Option(text, metavar, kind, complete=FILE, **more)


def several(text: str, kind: Callable[[str], Any], short: str | None = None, complete: Any = None) -> Option:
    """Return an option with a list, which may be repeated."""
    return Option(text, "LIST", kind, action="extend", short=short, complete=complete)


def flag(text: str, short: str | None = None) -> Option:
    """Return an option without a value."""
    return Option(text, default=False, action="store_true", short=short)


def choice(text: str, default: str | None, choices: Sequence[str]) -> Option:
    """Return an option with one of a few values."""
    return Option(text, default=default, choices=choices)


def column(text: str) -> Option:
    """Return an option that names a column."""
    return Option(f"column of {text}", "COLUMN")


SHARE = number("a number from 0 to 1", lambda share: 0 <= share <= 1)
AT_LEAST_0 = number("a number of 0 or more", lambda one: one >= 0)
GRADE = number("a number > 0", is_min_grade)
PERSISTENCE = number("a number above 0 and up to 1", lambda share: 0 < share <= 1)
CONFIDENCE = number("a number above 0 and below 1", lambda share: 0 < share < 1)
OPERANDS = {
    "files": file("", "REC, TRUTH", nargs="+"),
    "events": file("userid, itemid, time and any other columns; CSV or Parquet", "EVENTS"),
    "database": file("a DuckDB database, or the name of a new one"),
    "names": Option("measures to explain, such as ndcg MAP", "[NAME ...]", nargs="*", complete=MEASURE),
    "shell": Option("bash, zsh or tcsh", "SHELL", choices=("bash", "zsh", "tcsh")),
}
OPTIONS = {
    "--measures": several("such as ndcg@5,10,recall (all: see `measures`)", parse_measures, "-m", MEASURE),
    "-k": several(f"cut-offs, such as 5,10,all (default: {defaults.K})", parse_cut_offs),
    "--min-grade": Option("lowest relevant grade (default: any above 0)", "GRADE", GRADE),
    "--unjudged": choice("items without a row in TRUTH", "miss", UNJUDGED),
    "--ties": choice("order of equal scores", "item", [*defaults.TIES]),
    "--segment": file("results for each segment of users, too", "FILE:COLUMN", parse_segment),
    "--history": file("what users had before: popularity, novelty, leaks"),
    "--items": file("the catalogue: diversity, categories, coverage", "FILE[:COLUMN]", parse_items),
    "--head": Option("share of the history that is popular", "SHARE", SHARE, defaults.HEAD),
    "--divergence": choice("in miscalibration", defaults.DIVERGENCE, defaults.DIVERGENCES),
    "--time": Option("in TRUTH and history (default: time; '' for none)", "COLUMN"),
    "--user-id": Option("the user, as written in the files", "USER", required=True),
    "--baseline": Option("model to compare with (default: each with each)", "NAME"),
    "--margin": Option("a smaller difference is none", "NUMBER", AT_LEAST_0),
    "--confidence": Option("of intervals and verdicts", "LEVEL", CONFIDENCE, defaults.CONFIDENCE),
    "--correction": choice("of p, for many comparisons", "holm", [*defaults.CORRECTIONS]),
    "--test": choice("of a difference, paired", "t", [*defaults.TESTS]),
    "--permutations": Option("of the randomization test", "N", integer(1, 10**7), defaults.PERMUTATIONS),
    "--seed": Option("of the permutations", "N", integer(0, 2**63 - 1), defaults.SEED),
    "--pairs": flag("instead: letters, shared by models not surely apart"),
    "--persistence": Option("of RBO, above 0 to 1", "P", PERSISTENCE, defaults.PERSISTENCE),
    "--output": file("write here, such as .csv, .json, .md, .html, .txt", kind=parse_output),
    "--format": choice("default: as --output ends", None, FORMATS),
    "--by-user": file("each user's values: .csv, .parquet or .json", kind=file_in(*COPY_OPTIONS)),
    "--long": flag("a row per measure"),
    "--digits": Option("significant digits", "N", integer(1, 17)),
    "--safe-csv": flag("no formulas in CSV"),
    "--fail-if": several("exit with 3 if so", parse_conditions)._replace(metavar="CONDITION"),
    "--figures": file("write each chart as a file, for slides", "FOLDER"),
    "--figure-format": choice("of these files", "svg", ("svg", "png")),
    "--pack": Option("instead: the script for clients without Python", action="print", nargs=0),
    "--user": column("users"),
    "--item": column("items"),
    "--score": column("scores"),
    "--grade": column("grades"),
    "--system": column("names of models"),
    "--ascending": flag("the lowest score is best (of one: A=FILE:ascending)"),
    "--database": file("of DuckDB: files may be its tables and views"),
    "--parts": flag("several REC without a name are parts of one table"),
    "--format-in": choice("of the files", "auto", ("auto", "table", "trec")),
    "--quiet": flag("print nothing but errors", "-q"),
    "--no-check": flag("do not look for problems"),
    "--allow-empty": flag("a model may have nothing in common with TRUTH"),
    "--threads": Option("threads of DuckDB", "N", integer(1)),
    "--memory-limit": Option("of DuckDB, such as 4GB", "SIZE"),
    "--method": choice("how to join", "rrf", ("rrf", "combsum", "combmnz", "borda")),
    "--weights": Option("of each model; 0 leaves it out (default: 1)", "NAME=WEIGHT,...", parse_weights),
    "--rrf-k": Option("the k of rrf", "K", AT_LEAST_0, 60),
    "--normalize": choice("scores", "min_max", ("min_max", "z_score", "sum", "none")),
    "--depth": Option("rows of each list that count (default: all)", "N", integer(1)),
    "--test-from": Option("when the test begins", "TIME"),
    "--test-size": Option("how long it is, such as '7 days', to the last event", "SPAN"),
    "--last": Option("instead: each user's last N events are the test", "N", integer(1)),
    "--folds": Option("number of tests, one before the other", "N", integer(1), 1),
    "--gap": Option("time between train and test", "SPAN"),
    "--cold-users": choice("users in a test, not in its train", "keep", KEPT),
    "--cold-items": choice("items in a test, not in its train", "keep", KEPT),
    "--seen": choice("items that the user has in train, too", "keep", KEPT),
}
TOGETHER = {  # what options do that share a row
    "--user+--item+--score+--grade+--system": "if called otherwise",
    "--user+--item+--score+--system": "if called otherwise",
    "--user+--item+--time": "if called otherwise",
    "--confidence+--correction": "",
    "--permutations+--seed": "of the randomization test",
    "--head+--divergence": "as in SQL",
    "--digits+--safe-csv": "significant digits; no formulas in CSV",
    "--long+--digits+--safe-csv": "a row per measure; digits; no formulas",
    "--parts+--format-in": "several REC as one",
    "--no-check+--allow-empty": "no search for problems; no error if nothing matches",
    "--threads+--memory-limit": "of DuckDB, such as 4GB",
}
FILES = {  # what is read, in the help of commands that read REC
    "REC": "userid, itemid, score; models as a=a.csv b=b.csv, or a column system",
    "TRUTH": "userid, itemid, and rel if there are grades",
    "Files": "CSV, Parquet, JSON, TREC; a folder, 'rec/*.csv', a URL, or - for stdin",
}


class Command(NamedTuple):
    """A command.

    about      what it does, to a colon; when to use it, and which other one is meant instead
    groups     its own options by headings: a row each, with `+` those that share one
    examples   what one may write
    changes    what of its options is other than in OPTIONS
    settings   values of what it has no option for
    operand    what stands there without an option, by its name in OPERANDS
    has_truth  whether the last of its files is the truth
    """

    about: str
    groups: Mapping[str, str]
    examples: Sequence[str]
    changes: Mapping[str, Mapping[str, Any]] = {}
    settings: Mapping[str, Any] = {}
    operand: str = "files"
    has_truth: bool = True

    @property
    def rows(self) -> dict[str, list[str]]:
        """Return its options by headings, with those of all commands that read REC."""
        groups = dict(self.groups)
        if self.operand == "files":
            read = READ if self.has_truth else READ.replace("+--grade", "")
            is_measured = any("--measures" in rows for rows in groups.values())
            groups["files"] = read if is_measured else read.replace(" --no-check+--allow-empty", "")
        return {title: rows.split() for title, rows in groups.items()}

    @property
    def options(self) -> dict[str, Option]:
        """Return its options by their names."""
        names = [name for rows in self.rows.values() for row in rows for name in row.split("+")]
        return {name: OPTIONS[name]._replace(**self.changes.get(name, {})) for name in names}


MEASURED = "--measures -k --segment --min-grade --unjudged --ties"
TESTED = "--margin --test --permutations+--seed --confidence+--correction"
LISTS = {"what is in the lists": "--history --items --head --divergence"}
COMPARED_LISTS = {"what is in the lists": "--history --items --head+--divergence"}
READ = (
    "--user+--item+--score+--grade+--system --ascending --database --parts+--format-in "
    "--quiet --no-check+--allow-empty --threads+--memory-limit"
)
SHOWN = "--output --format --digits+--safe-csv"
NOT_MEASURED = {"usual": defaults.MEASURES, "allow_empty": True}
COMMANDS = {
    "check": Command(
        "Look for problems in recommendations and truth: ids that do not match, ties, short lists, leaks, "
        "with what to write. evaluate, compare and report say the same in notes; to see it alone, use check.",
        {"check": "-k --min-grade --history --time", "output": "--output --format --fail-if"},
        ["rec.csv truth.csv -k 10,50", "rec.csv test.csv --history train.csv --fail-if problems"],
        {
            "--history": {"help": "what users had before: look for leaks, too"},
            "--fail-if": {"help": "exit with 3 if so: problems, 'problems(repeated)'"},
        },
        NOT_MEASURED,
    ),
    "evaluate": Command(
        "Measure recommendations by the truth: means of recall, NDCG and so on. For which model is better, "
        "use compare; for a page to show, report; for the reasons of one user's numbers, explain.",
        {
            "measures": MEASURED,
            **LISTS,
            "output": "--output --format --by-user --fail-if --long+--digits+--safe-csv",
        },
        [
            "rec.csv truth.csv -k 5,10 --by-user users.csv",
            "a=a.csv b=b.csv truth.csv -m 'ndcg(gain=linear)@5,MAP'",
        ],
        {"--fail-if": {"help": "exit with 3 if so: 'ndcg@10 < 0.3', problems"}},
        {"usual": defaults.MEASURES},
    ),
    "compare": Command(
        "Find out which model is better, and how surely: differences and verdicts. For means, use "
        "evaluate; for a page to show, report; without a truth, overlap.",
        {
            "comparison": f"--baseline {MEASURED} {TESTED}",
            **COMPARED_LISTS,
            "output": "--output --format --pairs --fail-if --digits+--safe-csv",
        },
        ["a=a.csv b=b.csv truth.csv --baseline a --fail-if worse"],
        {
            "--format": {"choices": (*FORMATS, "latex", "sql")},
            "--fail-if": {"help": "exit with 3 if so: worse, 'ndcg@10 < 0.3', problems"},
        },
        {"usual": defaults.COMPARED_MEASURES},
    ),
    "report": Command(
        "Write a page for those who decide: the answer first, then data, means, differences, users and "
        "segments as charts. For a terminal or a pipeline, use compare.",
        {
            "page": "--output --figures --figure-format",
            "comparison": f"--baseline {MEASURED} {TESTED}",
            **COMPARED_LISTS,
        },
        ["als=als.csv bert=bert.csv truth.csv --output report.html"],
        {
            "--baseline": {"help": "model to compare with (default: the first)"},
            "--output": {"help": "the page, a file of HTML"},
        },
        {"usual": defaults.COMPARED_MEASURES, "format": "html"},
    ),
    "explain": Command(
        "Show one user's lists: rank by rank, with what is missed, and what NDCG, recall and precision are "
        "made of. For means over users, use evaluate, whose --by-user writes each user's.",
        {"user": "--user-id -k --min-grade --ties", "output": SHOWN},
        [
            "rec.csv truth.csv --user-id c02 -k 10",
            "als=als.csv bert=bert.csv truth.csv --user-id 7 -k 5",
        ],
        {
            "-k": {"help": f"one cut-off, or all (default: {defaults.K})", "metavar": "K"},
            "--ties": {"choices": ("item", "expected")},
        },
        NOT_MEASURED,
    ),
    "overlap": Command(
        "Find out what models' lists have in common: how much would change for users, before any truth is "
        "known. For which is better, with a truth, use compare.",
        {"overlap": "-k --baseline --persistence", "output": SHOWN},
        ["als=als.csv bert=bert.csv --baseline als -k 5,10", "all.parquet --system model --format json"],
        settings=NOT_MEASURED,
        has_truth=False,
    ),
    "split": Command(
        "Make train and test of a file of events: into a folder, of several folds into one for each, with "
        "the reason of each event in neither. To measure what a model of train recommends, use evaluate.",
        {
            "split": "--test-size --test-from --last --folds --gap --cold-users --cold-items --seen",
            "files": "--output --user+--item+--time",
        },
        ["events.csv --test-size '7 days' --folds 4 --output folds/", "ratings.csv --last 1 --output out/"],
        {"--output": {"help": "for train and test, as the events are", "type": None, **FOLDER}},
        {"user": "userid", "item": "itemid", "time": "time"},
        "events",
    ),
    "fuse": Command(
        "Join the rankings of several models into one: for hybrid search, or an ensemble. To see "
        "whether that helped, use compare, with the file that is written as one more model.",
        {"fusion": "--output --method --weights --rrf-k --normalize --depth"},
        [
            "bm25=bm25.csv vector=vector.csv --output fused.csv",
            "a.run b.run --weights a=1,b=0.5 --output fused.run",
        ],
        {"--output": {"help": FUSED, "type": file_in(*COPY_OPTIONS, TREC), "required": True}},
        {**NOT_MEASURED, "grade": ""},
        has_truth=False,
    ),
    "sql": Command(
        "Print the SQL of an evaluation: to run or change in DuckDB after ranking_udfs.register(con). For "
        "its numbers, use evaluate; for the SQL of a comparison, compare --format sql.",
        {"measures": MEASURED, **LISTS, "output": "--output --by-user --safe-csv --pack"},
        ["rec.parquet truth.parquet -k 10", "--pack | duckdb shop.duckdb"],
        settings={"usual": defaults.MEASURES},
    ),
    "install": Command(
        "Put the functions into a DuckDB file, for any client: as macros that stay, without Python. Where "
        "there is no such file, write one that other sessions attach: ATTACH 'FILE' AS ranking (READ_ONLY); "
        "FROM ranking.ranking_summary(...). To upgrade, install again. In Python, write "
        "ranking_udfs.register(con); to undo, use uninstall.",
        {},
        ["shop.duckdb"],
        operand="database",
    ),
    "uninstall": Command(
        "Take the functions out of a DuckDB file: what install, or the script of sql --pack, put there.",
        {},
        ["shop.duckdb"],
        operand="database",
    ),
    "measures": Command(
        "List the measures, or explain some: their options and other names, as -m takes them. "
        "For the functions of SQL, write FROM ranking_functions() in DuckDB.",
        {"output": "--format"},
        ["", "ndcg MAP"],
        {"--format": {"default": "table"}},
        operand="names",
    ),
    "completion": Command(
        "Print what makes a shell complete the command: bash, zsh or tcsh. Needs shtab, which "
        "pip install '.[terminal]' installs.",
        {},
        ["bash > ~/.ranking-udfs.bash  # source it in ~/.bashrc", "zsh > ~/.zfunc/_ranking-udfs"],
        operand="shell",
    ),
}
TOPICS = {  # the commands by what they are for
    "which model to ship": "evaluate compare report check",
    "a closer look": "explain overlap",
    "files": "split fuse",
    "SQL": "sql install uninstall",
    "about": "measures completion",
}
BEGINNINGS = (
    "Measure rankings: REC, what was recommended, by TRUTH, what turned out right. Begin with evaluate, "
    "which also says what is wrong with the files; with two models go on to compare, then to report."
)
FIRST = (
    "evaluate rec.csv truth.csv -k 5,10",
    "compare als=als.csv bert=bert.csv truth.csv --baseline als",
    "report als=als.csv bert=bert.csv truth.csv --output report.html",
)

"""The commands, their options in groups, and their help; click objects are built from one table."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from ..kinds import BOOLEAN, Kind, integer, word
from ..options import COLUMNS, FLAGS, GROUPS, OPTIONS, VERBS, Option
from .conditions import parse_conditions
from .values import (
    COPY_OPTIONS,
    TREC,
    file_in,
    parse_cut_offs,
    parse_items,
    parse_measures,
    parse_memory,
    parse_segment,
)

WIDTH = 80
COMPLETE = "_RANKING_UDFS_COMPLETE"  # environment variable by which a shell requests completions
FORMATS = ("table", "csv", "json", "parquet", "markdown", "html")
ENDINGS = {  # format of --output FILE without --format
    **{"": "table", ".txt": "table", ".csv": "csv", ".json": "json", ".parquet": "parquet"},
    **{".md": "markdown", ".markdown": "markdown"},
    **{".html": "html", ".htm": "html", ".tex": "latex", ".sql": "sql"},
}
SHORT = {"ks": "-k", "measures": "-m", "quiet": "-q"}


def own(text: str, value: str, parse: Callable[[str], Any] = str, is_list: bool = False) -> Option:
    """Return an option that only the command has; `parse` reads its text."""
    return Option(Kind("str", read=parse), text, None, value, is_list)


SWITCHES = {
    "pairs": "rank the models instead; models that share a letter do not differ significantly",
    "explain": "add a sentence for each comparison",
    "long": "one row per measure",
    "safe_csv": "quote text in CSV that a spreadsheet would read as a formula",
    "ascending": "lower scores are better, as for distances (for one model: A=FILE:ascending)",
    "parts": "treat several REC files without a name as parts of one table",
    "manifest": "write inputs and options next to each output file, as in means.manifest.json",
    "quiet": "print results and errors only: no progress bar and no problems in the data",
    "no_check": "skip the check of the data",
}
COLUMNS_BY_FILE = ("user_col", "item_col", "score_col", "grade_col", "system_col", "time_col")
# Options that only the command has, and options that it parses in its own way: a file and a column, a list.
OWN = {
    **{name: Option(BOOLEAN, text, False) for name, text in SWITCHES.items()},
    "measures": own("measures, as in ndcg@5,10,recall; the command `measures` lists them", "LIST",
        parse_measures, True),
    "ks": own("cutoffs, as in 5,10,all or 1-50 (10)", "LIST", parse_cut_offs, True),
    "segment": own("add results for each segment of users", "FILE:COLUMN", parse_segment),
    "items": own(OPTIONS["items"].text, OPTIONS["items"].value, parse_items),
    "against": own("stored run as the baseline: a file of evaluate --by-user FILE --manifest, "
        ".parquet or .csv", "FILE", file_in(".parquet", ".csv")),
    "output": own("output file; its ending sets the format: .csv, .json, .parquet, .md, .html, .txt", "FILE"),
    "format": Option(word(*FORMATS), "output format, overriding the ending of --output", None),
    "by_user": own("write the values of each user: .csv, .parquet or .json", "FILE", file_in(*COPY_OPTIONS)),
    "rows": own("write the failing records of each problem: .csv, .parquet or .json", "FILE",
        file_in(*COPY_OPTIONS)),
    "fail_if": own(
        "exit with 3 if a condition holds: worse, 'segments worse', 'ndcg@10 < 0.3', 'losers(0.5) > 3', "
        "problems, or SQL over the rows, as in 'difference < -0.01 AND p < 0.05'",
        "CONDITION", parse_conditions, True),
    "digits": own("significant digits (4 in text, all in CSV, JSON and Parquet)", "N", integer(1, 17).parse),
    "figures": own("write each chart as a file", "FOLDER"),
    "figure_format": Option(word("svg", "png"), "format of these files", "svg"),
    "pack": Option(BOOLEAN, "print the script for clients without Python instead", False),
    "macro": own("print FUNCTION with its options as this macro for any client; its tables are parameters",
        "NAME"),
    **{FLAGS[name]: replace(option, text=f"{option.text}; FILE:COLUMN applies to one file", is_list=True)
       for name, option in OPTIONS.items() if name in COLUMNS_BY_FILE},
    "database": own("DuckDB database; REC and TRUTH may name its tables and views", "FILE"),
    "format_in": Option(word("auto", "table", "trec"),
        "format of files with an ambiguous ending (for one file: FILE:trec)", "auto"),
    "threads": own("threads for DuckDB", "N", integer(1).parse),
    "memory_limit": own("memory limit for DuckDB, as in 4GB", "SIZE", parse_memory),
}  # fmt: skip
EVERY = {FLAGS[name]: option for name, option in OPTIONS.items() if FLAGS.get(name)} | OWN
USUAL: dict[str, Any] = {  # the value of each option that is not written
    name: [] if option.is_list and name != "time" else None if option.default is ... else option.default
    for name, option in EVERY.items()
}
WRITTEN = "output format manifest"
OF_FILES = "database parts format_in quiet threads memory_limit"
READ = {"files": OF_FILES}
SHOWN = {"output": f"{WRITTEN} digits safe_csv"}


@cache
def groups_of(command: str) -> dict[str, list[str]]:
    """Return the options of a command by group: those of Python's function, and its own."""
    groups: dict[str, list[str]] = {}
    for group, members in GROUPS.items():
        names = [FLAGS[name] for name in VERBS.get(command, ()) if name in members and FLAGS[name]]
        groups |= {group: names} if names else {}
    for group, own in COMMANDS[command].groups.items():
        groups[group] = [*dict.fromkeys([*groups.get(group, []), *own.split()])]
    return groups


def names_of(command: str) -> list[str]:
    return [name for names in groups_of(command).values() for name in names]


GIVEN = """REC are recommendations (userid, itemid, score), several models as a=a.csv b=b.csv or in a column
system{}. Files are CSV, Parquet, JSON, TREC; a folder, 'rec/*.csv', a URL, or - for stdin."""
GIVEN_TOO = {
    "TRUTH": "; TRUTH is the ground truth (userid, itemid and, for grades, rel)",
}


# Rules between options: the message of each, and a test that returns whether the rule is broken, or by what.
Rules = Mapping[str, Callable[[Any], Any]]


def misplaced_value(of: Any) -> str | None:
    """Return the first operand that is no file and looks like a value of -k or -m."""
    for text in of.files if of.database is None else []:
        is_value = (of.ks and text.isdecimal()) or (of.measures and is_measures(text))
        if is_value and not os.path.exists(text):
            return str(text)
    return None


def is_measures(text: str) -> bool:
    try:
        return bool(parse_measures(text))
    except ValueError:
        return False


def is_not_html(of: Any) -> bool:
    """Return whether the output has an ending that is not .html or .htm."""
    ending = os.path.splitext(of.output or "")[1].lower()
    return bool(ending) and ENDINGS.get(ending) != "html"


INPUT_RULES: Rules = {  # for all commands that read REC; checked before the rules of a command
    "Missing argument {!r}": lambda of: COMMANDS[of.command].missing(of.files),
    "{} is not a file; write several values of an option as in -k 5,10 -m ndcg,recall": misplaced_value,
}
TEXT_RULES: Rules = {
    "--title {title} requires --items FILE with that column": (
        lambda of: of.title is not None and of.items is None
    ),
    "--text {text} requires --segment FILE with that column": (
        lambda of: of.text is not None and of.segment is None
    ),
}
OUTPUT_RULES: Rules = {  # for all commands that read REC; checked after the rules of a command
    "--manifest requires an output file; add --output FILE": (
        lambda of: of.manifest and not (of.output or of.by_user or of.rows)
    ),
    "--format parquet requires --output FILE": lambda of: of.format == "parquet" and of.output is None,
}


class Spec(NamedTuple):
    """A command: its description, its own options by group, examples, and rules between its options."""

    text: str
    groups: Mapping[str, str]
    examples: Sequence[str]
    operand: str = "files"
    files: str = "REC [REC]... TRUTH"
    rules: Rules = MappingProxyType({})

    @property
    def has_truth(self) -> bool:
        return not self.files.endswith("[REC]...")

    def missing(self, files: Sequence[str]) -> str | None:
        """Return the last operand if there are fewer files than required operands."""
        needed = [operand for operand in self.files.split() if not operand.startswith("[")]
        return needed[-1] if len(files) < len(needed) else None


COMMANDS: Mapping[str, Spec] = {
    "evaluate": Spec(
        "Evaluate recommendations against ground truth: mean recall, NDCG and other measures. See also: "
        "compare (which model is better), report (HTML page), explain (results of one user).",
        {"output": f"{WRITTEN} by_user fail_if long digits safe_csv", **READ},
        [
            "evaluate rec.csv truth.csv -k 5,10 --by-user users.csv",
            "evaluate rec.csv truth.csv -m ndcg --confidence 0.95",
            "evaluate a=a.csv b=b.csv truth.csv -m 'ndcg(gain=linear)@5,MAP'",
        ],
    ),
    "compare": Spec(
        "Compare models: differences with confidence intervals, significance tests and verdicts. See also: "
        "evaluate (means), report (HTML page), overlap (without ground truth).",
        {
            "comparison": "against",
            "output": f"{WRITTEN} by_user explain pairs fail_if digits safe_csv text",
            **READ,
        },
        ["compare a=a.csv b=b.csv truth.csv --baseline a --fail-if worse"],
        rules={
            "--pairs ranks over all users; remove --segment": (
                lambda of: of.pairs and of.segment is not None
            ),
            "--steps compares each model with the one before it; remove --{}": lambda of: (
                of.steps and next((name for name in ("against", "baseline", "pairs") if vars(of)[name]), None)
            ),
            **TEXT_RULES,
        },
    ),
    "report": Spec(
        "Write an HTML report for decision makers: the answer first, then data, means, differences, users "
        "and segments as charts. See also: compare (for a terminal or a pipeline).",
        {"output": "output figures figure_format", **READ},
        ["report als=als.csv bert=bert.csv truth.csv --output report.html"],
        rules={
            **TEXT_RULES,
            "--output must be a file that ends in .html, got '-'": (
                lambda of: of.output is None and of.figures is None
            ),
            "--output must end in .html, got {output!r}": is_not_html,
            "--items FILE:COLUMN requires --history FILE, to compare their categories": lambda of: (
                of.items and of.items[1] and not of.history
            ),
        },
    ),
    "check": Spec(
        "Check the data for problems: ids that do not match, ties, short lists, leaks. Each problem comes "
        "with a fix. evaluate, compare and report run the same check.",
        {"check": "allow", "output": f"{WRITTEN} rows fail_if", **READ},
        [
            "check rec.csv truth.csv -k 10,50 --rows rows.csv",
            "check rec.csv test.csv --history train.csv --fail-if problems",
            "check bm25.run qrels.tsv --items corpus.jsonl",
        ],
        rules={
            "--time {time} requires --history FILE with that column": lambda of: of.time and not of.history,
        },
    ),
    "explain": Spec(
        "Explain the results of one user: the lists rank by rank, the relevant items that were missed, and "
        "how NDCG, recall and precision add up. See also: evaluate --by-user (values of all users).",
        {
            "measures": "without_relevant",
            "names": "items title segment text",
            **SHOWN,
            **READ,
        },
        [
            "explain rec.csv truth.csv --user-id c02 -k 10",
            "explain bm25.run qrels.tsv --user-id q7 --items corpus.jsonl",
        ],
        rules={
            "-k must be one cutoff, got {}": lambda of: len({*of.ks}) > 1 and ",".join(map(str, of.ks)),
            **TEXT_RULES,
        },
    ),
    "abstention": Spec(
        "Choose a score threshold below which a system should not answer: for each threshold, how many "
        "answerable users are refused and how many unanswerable users are answered. With --users, users "
        "without a row in TRUTH are unanswerable.",
        {**SHOWN, **READ},
        ["abstention bm25.run qrels.tsv --users queries.jsonl"],
    ),
    "overlap": Spec(
        "Measure the overlap of the lists of models: how much would change for users, before ground truth is "
        "known. See also: compare (with ground truth).",
        {**SHOWN, **READ},
        [
            "overlap als=als.csv bert=bert.csv --baseline als -k 5,10",
            "overlap all.parquet --system model --format json",
        ],
        files="REC [REC]...",
    ),
    "split": Spec(
        "Split a file of events into train and test: into a folder, or one folder per fold, with the reason "
        "for each event in neither. See also: evaluate (recommendations of a model trained on train).",
        {"output": "output"},
        [
            "split events.csv --test-size '7 days' --folds 4 --output folds/",
            "split ratings.csv --last 1 --output out/",
        ],
        "events",
        rules={
            "split: --test-size, --test-from or --last is required": (
                lambda of: of.last is of.test_from is of.test_size is None
            ),
            "split: --last takes neither --test-size nor --test-from": (
                lambda of: of.last is not None and not (of.test_from is of.test_size is None)
            ),
        },
    ),
    "fuse": Spec(
        "Fuse the rankings of several models into one, for hybrid search or an ensemble. See also: compare "
        "(the fused file is one more model).",
        {"output": "output", **READ},
        [
            "fuse bm25=bm25.csv vector=vector.csv --output fused.csv",
            "fuse a.run b.run --weights a=1,b=0.5 --output fused.run",
        ],
        files="REC [REC]...",
    ),
    "sql": Spec(
        "Print the SQL of an evaluation, to run or change in any DuckDB. See also: compare --format sql "
        "(the SQL of a comparison).",
        {"output": "output by_user safe_csv pack macro", **READ},
        [
            "sql rec.parquet truth.parquet -k 10",
            "sql --pack | duckdb shop.duckdb",
            "sql evaluate -k 10 --macro evaluate_shop | duckdb shop.duckdb",
        ],
    ),
    "measures": Spec(
        "List the measures, or explain some: their options and other names, for -m. See also: functions (in "
        "SQL).",
        {"output": "format"},
        ["measures", "measures ndcg MAP"],
        "names",
    ),
    "functions": Spec(
        "List the SQL functions, or explain some: arguments, results and errors. See also: measures "
        "(options of measures).",
        {"output": "format"},
        ["functions", "functions ranking.compare ranking.check"],
        "names",
    ),
}
COLUMN = "name of this column"
OF_MEANS = {"confidence": {"text": "add the interval of each mean at this level, as 0.95", "default": None}}
MAY_HAVE_COLUMN = {"kind": Kind("str", read=parse_items), "value": "FILE[:COLUMN]"}
CHANGES: dict[str, dict[str, Mapping[str, Any]]] = {  # changes of options for one command
    "evaluate": {
        **OF_MEANS,
        "fail_if": {
            "text": "exit with 3 if a condition holds: 'ndcg@10 < 0.3', problems, or SQL over the rows, as "
            "in 'users_without_rec > 0.05 * users'"
        },
    },
    "compare": {"format": {"kind": word(*FORMATS, "latex", "sql")}, "segment": MAY_HAVE_COLUMN},
    "report": {
        "output": {"text": "HTML file to write; by default report.html, unless --figures is given"},
        "segment": MAY_HAVE_COLUMN,
    },
    "check": {
        "fail_if": {"text": "exit with 3 if a condition holds: problems, 'problems(no_rows)'"},
        "items": {"text": "catalog or corpus: checks for missing items", "value": "FILE"},
    },
    "explain": {
        "ks": {"text": "one cutoff, or all (10)"},
        "ties": {"kind": word("item", "expected")},
        "items": {"text": "catalog or corpus: adds titles, and shows missing items", "value": "FILE"},
        "segment": {
            "text": "file of users with text to show",
            "kind": Kind("str", read=parse_items),
            "value": "FILE",
        },
    },
    "split": {
        "output": {"text": "folder for train and test, in the format of the events", "value": "FOLDER"},
        **{
            name[:4]: {"default": name, "text": COLUMN, "is_list": False}
            for name in ("userid", "itemid", "time")
        },
    },
    "fuse": {
        "output": {
            "text": "output file; .run for TREC",
            "kind": Kind("str", read=file_in(*COPY_OPTIONS, TREC)),
        }
    },
    "sql": {**OF_MEANS, "output": {"text": "write the SQL here"}},
    **{
        name: {"format": {"default": "table", "text": "format of the list"}}
        for name in ("measures", "functions")
    },
}
REQUIRED = {("explain", "user_id"), ("split", "output"), ("fuse", "output")}
OPERANDS: dict[str, dict[str, Any]] = {  # positional arguments
    "files": {"nargs": -1},
    "events": {"metavar": "EVENTS"},
    "names": {"metavar": "[NAME]...", "nargs": -1, "required": False},
}
FILES = (
    "files events database history items users segment predicted_truth against output by_user rows figures"
)


class Value(click.ParamType):  # type: ignore[type-arg]  # older releases cannot be subscripted
    """The type of an option: a function parses the value, and its ValueError states the rule."""

    def __init__(self, name: str, parse: Callable[[str], Any] | None = None) -> None:
        self.name, self.parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.parse(value) if self.parse is not None and isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        if self.name in ("measures", "names"):
            from ..measures.registry import LIST_MEASURES, MEASURES

            before, comma, last = incomplete.rpartition(",")
            names = [name for name in (*MEASURES, *LIST_MEASURES) if name.startswith(last)]
            return [CompletionItem(f"{before}{comma}{name}") for name in names]
        return [CompletionItem(incomplete, type="file")] if self.name in FILES.split() else []


Callback = Callable[[str, dict[str, Any]], Any]
PrintMacro = Callable[[click.Context, list[str]], None]


class Once(click.Command):
    """A command with single options, each given at most once."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raise UsageError for a repeated single option."""
        order = [] if ctx.resilient_parsing else self.make_parser(ctx).parse_args(args=[*args])[2]
        for parameter in order:
            is_single = isinstance(parameter, click.Option) and not (parameter.multiple or parameter.is_flag)
            if is_single and order.count(parameter) > 1:
                raise click.UsageError(
                    f"{parameter.opts[-1]} must be given once, got it {order.count(parameter)} times", ctx
                )
        return super().parse_args(ctx, args)


class Command(Once):
    """A command with options in groups and examples in its help."""

    def __init__(self, name: str, callback: Callback, print_macro: PrintMacro) -> None:
        spec, self.print_macro = COMMANDS[name], print_macro
        settings: dict[str, Any] = {"type": Value(spec.operand), "required": True} | OPERANDS[spec.operand]
        if spec.operand == "files":
            settings["metavar"] = spec.files
        others = [text for name, text in GIVEN_TOO.items() if name in spec.files]
        texts = [spec.text, GIVEN.format("".join(others))][: 1 + (spec.operand == "files")]
        super().__init__(
            name,
            params=[
                click.Argument([spec.operand], **settings),
                *[option(name, option_name) for option_name in names_of(name)],
            ],
            callback=lambda **all_: callback(name, all_),
            short_help=re.split(r"[:.] ", spec.text)[0],
            help="\n\n".join(texts),
            epilog="\b\nexamples:\n" + "\n".join(f"  ranking-udfs {line}" for line in spec.examples),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; with --macro, print a macro, which has options of its own."""
        if self.name == "sql" and any(argument.partition("=")[0] == "--macro" for argument in args):
            self.print_macro(ctx, args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the options, by group."""
        records = (parameter.get_help_record(ctx) for parameter in self.params[1:])
        help_records = dict(zip(names_of(str(self.name)), records, strict=True))
        for group, names in groups_of(str(self.name)).items():
            with formatter.section(group):
                formatter.write_dl([record for name in names if (record := help_records[name])])


def value_type(name: str, option: Option) -> click.ParamType:  # type: ignore[type-arg]
    """Return the type of the values of an option: words, or a string that its kind parses."""
    return click.Choice(option.kind.words) if option.kind.words else Value(name, option.kind.parse)


def definition_of(command: str, name: str) -> Option:
    """Return an option of a command, with its changes for this command."""
    return replace(EVERY[name], **CHANGES.get(command, {}).get(name, {}))


def option(command: str, name: str) -> click.Option:
    """Make the click option for an option of a command."""
    definition = definition_of(command, name)
    settings: dict[str, Any] = {"help": definition.text, "required": (command, name) in REQUIRED}
    if definition.default is False:
        settings["is_flag"] = True
    else:
        settings |= {"multiple": definition.is_list, "metavar": definition.value or None}
        settings["type"] = value_type(name, definition)
        if definition.default not in (None, ...) and not definition.is_list:
            settings |= {"default": definition.default, "show_default": True}
    if name == "pack":
        settings |= {"is_eager": True, "expose_value": False, "callback": print_pack}
    names = [SHORT.get(name), None if name == "ks" else f"--{name.replace('_', '-')}"]
    called = f"{name}_col" if f"{name}_col" in COLUMNS.split() else name  # as in Python
    return click.Option([*filter(None, names), called], **settings)


class Commands(click.Group):
    """All commands, in the order of COMMANDS; each is made when it is asked for."""

    def __init__(self, callback: Callback, print_macro: PrintMacro, **settings: Any) -> None:
        super().__init__(**settings)
        self.parts = callback, print_macro

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, name: str) -> Command | None:
        return Command(name, *self.parts) if name in COMMANDS else None


def print_version(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given:
        from ..version import versions

        click.echo(f"ranking-udfs {versions()}")
        ctx.exit()


def print_pack(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given:
        from ..folder import read
        from ..macros.script import SCRIPT

        click.echo(read(SCRIPT), nl=False)
        ctx.exit()


def group(callback: Callback, print_macro: PrintMacro) -> Commands:
    """Make the click group; it calls `callback` with the name of a command and its arguments."""
    flag: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
    flag |= {"callback": print_version, "help": "Show the versions and exit."}
    return Commands(
        callback,
        print_macro,
        name="ranking-udfs",
        params=[click.Option(["--version"], **flag)],
        help="Evaluate recommendations and search results, compare models, check the data.",
        context_settings={"max_content_width": WIDTH, "terminal_width": WIDTH},
        no_args_is_help=False,
    )

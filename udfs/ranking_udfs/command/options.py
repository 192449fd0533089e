"""The commands, their options in groups, and their help: click's, made of one table of options."""

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from ..evaluation import defaults
from ..evaluation.options import ABOVE_0, GRADES, OPTIONS, ColumnNames, Option, integer, number
from .gates import parse_conditions
from .values import (
    COPY_OPTIONS,
    TREC,
    file_in,
    parse_also,
    parse_cut_offs,
    parse_items,
    parse_measures,
    parse_memory,
    parse_segment,
)

WIDTH = 80
COMPLETE = "_RANKING_UDFS_COMPLETE"  # the variable by which a shell asks for completions
FORMATS = ("table", "csv", "json", "parquet", "markdown", "html")
ENDINGS = {  # what --output FILE is where --format is not said, of the formats that a command has
    **{"": "table", ".txt": "table", ".csv": "csv", ".json": "json", ".parquet": "parquet"},
    **{".md": "markdown", ".markdown": "markdown"},
    **{".html": "html", ".htm": "html", ".tex": "latex", ".sql": "sql"},
}
SHORT = {"ks": "-k", "measures": "-m", "quiet": "-q"}
FLAGS = {
    "pairs": "instead: models in order, with letters that those share who are not surely apart",
    "explain": "also a sentence for each comparison",
    "long": "a row per measure",
    "safe_csv": "a quote before text in CSV that a spreadsheet would take for a formula",
    "ascending": "the lowest score is best, as of distances (of one model: A=FILE:ascending)",
    "parts": "several REC without a name are parts of one table",
    "manifest": "beside each file that is written, what it was made of: means.manifest.json",
    "quiet": "print nothing but errors",
    "no_check": "do not look for problems of the data",
    "allow_empty": "no error if a model has no user or no item in common with TRUTH",
}
# The options of the command alone, and what it reads otherwise than Python: a file and a column in one text.
OWN = {
    **{name: Option(help, False) for name, help in FLAGS.items()},
    "measures": OPTIONS["measures"]._replace(parse=parse_measures),
    "also": OPTIONS["also"]._replace(parse=parse_also),
    "ks": Option("cut-offs, such as 5,10,all or 1-50 (10 if none)",
                 parse=parse_cut_offs, value="LIST", is_list=True),
    "segment": Option("results for each segment of users, too", parse=parse_segment, value="FILE:COLUMN"),
    "items": OPTIONS["items"]._replace(parse=parse_items),
    "title": Option("column of items to show beside ids (title or text, if there is one)", value="COLUMN"),
    "text": Option("column of the segments' file to show beside users (text if there)", value="COLUMN"),
    "against": Option("a run measured before, as the baseline: what evaluate --by-user FILE --manifest "
                      "wrote, .parquet or .csv", parse=file_in(".parquet", ".csv"), value="FILE"),
    "user_id": Option("the user, as written in the files", value="USER"),
    "output": Option("write here, by its ending .csv, .json, .parquet, .md, .html or .txt", value="FILE"),
    "format": Option("instead of what the ending of --output says", choices=FORMATS),
    "by_user": Option(
        "each user's values: .csv, .parquet or .json", parse=file_in(*COPY_OPTIONS), value="FILE"),
    "rows": Option(
        "users or rows of each problem: .csv, .parquet or .json", parse=file_in(*COPY_OPTIONS), value="FILE"),
    "fail_if": Option(
        "exit with 3 if so: worse, 'segments worse', 'ndcg@10 < 0.3', 'losers(0.5) > 3', problems, or a "
        "condition of SQL over the rows, as in 'difference < -0.01 AND p < 0.05'",
        parse=parse_conditions, value="CONDITION", is_list=True),
    "digits": Option("significant digits (all, or 4 where people read)", parse=integer(1, 17), value="N"),
    "figures": Option("write each chart as a file, for slides", value="FOLDER"),
    "figure_format": Option("of these files", "svg", ("svg", "png")),
    "pack": Option("instead: the script for clients without Python", False),
    **{name: Option("name of this column, if called otherwise; FILE:COLUMN is of one file",
                    value="COLUMN", is_list=True)
       for name in ("user", "item", "score", "grade", "system")},
    "time": Option("column of times in TRUTH and history ('' for none)", value="COLUMN"),
    "database": Option("of DuckDB: files may be its tables and views", value="FILE"),
    "format_in": Option("of files without an ending that says it", "auto", ("auto", "table", "trec")),
    "threads": Option("of DuckDB", parse=integer(1), value="N"),
    "memory_limit": Option("of DuckDB, such as 4GB", parse=parse_memory, value="SIZE"),
    "difference": Option("how many users show this difference, too", parse=ABOVE_0, value="NUMBER"),
    "correlation": Option(
        "correlation of a user's values by two runs, where REC is one (0.5)",
        parse=number("a number of 0 or more and below 1", lambda one: 0 <= one < 1), value="R"),
}  # fmt: skip
EVERY = OPTIONS | OWN
OF_GRADES = " ".join(GRADES)
MEASURED = {
    "measures": f"measures ks segment {OF_GRADES} users ties",
    "what is in the lists": "history items head divergence",
}
TESTED = {"comparison": "baseline margin test permutations seed confidence correction predicted_truth also"}
WRITTEN = "output format manifest"
OF_FILES = "user item score grade system ascending database parts format_in quiet threads memory_limit"
READ = {"files": f"{OF_FILES} no_check allow_empty"}
READ_UNCHECKED = {"files": OF_FILES}
SHOWN = {"output": f"{WRITTEN} digits safe_csv unit"}
READ_REC = {"files": OF_FILES.replace("grade ", "")}
GIVEN = """REC are recommendations (userid, itemid, score), several models as a=a.csv b=b.csv or in a column
system{}. Files are CSV, Parquet, JSON, TREC; a folder, 'rec/*.csv', a URL, or - for stdin."""
GIVEN_TOO = {
    "TRUTH": "; TRUTH is what turned out right (userid, itemid, and rel if there are grades)",
    "FOLDER": "; FOLDER has runs that evaluate --by-user FILE --manifest has written",
    "LABELS": "; LABELS are the grades of a judge (userid, itemid, rel)",
}


# Rules between options: what is said of one that is broken, and whether it is, or by what.
Rules = Mapping[str, Callable[[Any], Any]]


def no_file(of: Any) -> str | None:
    """Return the first text in place of a file that is rather a value of an option, and no file."""
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


def of_a_run(of: Any) -> str | None:
    """Return the first option of power that needs a run."""
    needed = [f"-m {one.text}" for one in of.measures if one.text != "hit_rate"] + ["-k"] * bool(of.ks)
    needed += [f"--{name}" for name in ("correlation", "baseline") if getattr(of, name) is not None]
    return next(iter(needed), None)


def is_no_page(of: Any) -> bool:
    """Return whether the ending of the output is not one of HTML."""
    ending = os.path.splitext(of.output or "")[1].lower()
    return bool(ending) and ENDINGS.get(ending) != "html"


def without_closed_form(of: Any) -> str | None:
    """Return the first measure that has no expected value over the orders of ties, if that is wanted."""
    names = (one.name for one in of.measures if not one.measure.expected)
    return next(names, None) if of.ties == "expected" else None


INPUT_RULES: Rules = {  # of all commands that read REC, before those of a command
    "Missing argument {!r}": lambda of: COMMANDS[of.command].missing(of.files),
    "{} is no file: several values of an option are written -k 5,10 -m ndcg,recall": no_file,
    f"--ties expected: {{}} {defaults.NO_CLOSED_FORM}": without_closed_form,
}
TEXT_RULES: Rules = {
    "--title {title} needs --items FILE, which has that column": (
        lambda of: of.title is not None and of.items is None
    ),
    "--text {text} needs --segment FILE, which has that column": (
        lambda of: of.text is not None and of.segment is None
    ),
}
OUTPUT_RULES: Rules = {  # of all commands that read REC, behind those of a command
    "--manifest is written beside a file: name one, as by --output FILE": (
        lambda of: of.manifest and not (of.output or of.by_user or of.rows)
    ),
    "--format parquet needs --output FILE": lambda of: of.format == "parquet" and of.output is None,
}


class Spec(NamedTuple):
    """A command: what it does and when to use it, its options by group, examples, and rules of its own."""

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
        """Return the last operand if there are fewer files than operands that must be there."""
        needed = [one for one in self.files.split() if not one.startswith("[")]
        return needed[-1] if len(files) < len(needed) else None

    @property
    def names(self) -> list[str]:
        return " ".join(self.groups.values()).split()


COMMANDS: Mapping[str, Spec] = {
    "evaluate": Spec(
        "Measure recommendations by the truth: means of recall, NDCG and so on. For which model is better, "
        "use compare; for a page to show, report; for the reasons of one user's numbers, explain.",
        {**MEASURED, "output": f"{WRITTEN} by_user fail_if long digits safe_csv unit", **READ},
        [
            "evaluate rec.csv truth.csv -k 5,10 --by-user users.csv",
            "evaluate a=a.csv b=b.csv truth.csv -m 'ndcg(gain=linear)@5,MAP'",
        ],
    ),
    "compare": Spec(
        "Find out which model is better, and how surely: differences and verdicts. For means, use evaluate; "
        "for a page to show, report; without a truth, overlap.",
        {
            "comparison": f"against {TESTED['comparison']}",
            **MEASURED,
            "output": f"{WRITTEN} by_user explain pairs fail_if digits safe_csv unit text",
            **READ,
        },
        ["compare a=a.csv b=b.csv truth.csv --baseline a --fail-if worse"],
        rules={
            "--pairs is of all users, without their segments: leave out --segment": (
                lambda of: of.pairs and of.segment is not None
            ),
            **TEXT_RULES,
        },
    ),
    "report": Spec(
        "Write a page for those who decide: the answer first, then data, means, differences, users and "
        "segments as charts. For a terminal or a pipeline, use compare.",
        {"page": "output figures figure_format title text unit", **TESTED, **MEASURED, **READ},
        ["report als=als.csv bert=bert.csv truth.csv --output report.html"],
        rules={
            **TEXT_RULES,
            "--output must be a file that ends in .html, got '-'": (
                lambda of: of.output is None and of.figures is None
            ),
            "--output must end in .html, which is what a report is, got {output!r}": is_no_page,
            "--items FILE:COLUMN needs --history FILE, with whose categories those of the lists are "
            "compared": lambda of: of.items and of.items[1] and not of.history,
        },
    ),
    "check": Spec(
        "Look for problems in the data: ids that do not match, ties, short lists, leaks, with what to write. "
        "evaluate, compare and report say the same in notes; to see it alone, use check.",
        {
            "check": f"ks {OF_GRADES} users history time items predicted_truth",
            "output": f"{WRITTEN} rows fail_if unit",
            **READ_UNCHECKED,
        },
        [
            "check rec.csv truth.csv -k 10,50 --rows rows.csv",
            "check rec.csv test.csv --history train.csv --fail-if problems",
            "check bm25.run qrels.tsv --items corpus.jsonl",
        ],
        rules={
            "--time {time} needs --history FILE, which has that column too": lambda of: (
                of.time and not of.history
            ),
        },
    ),
    "explain": Spec(
        "Show one user's lists: rank by rank, with what is missed, and what NDCG, recall and precision are "
        "made of. For means over users, use evaluate, whose --by-user writes each user's.",
        {
            "user": "user_id ks min_grade without_relevant ties",
            "names": "items title segment text",
            **SHOWN,
            **READ_UNCHECKED,
        },
        [
            "explain rec.csv truth.csv --user-id c02 -k 10",
            "explain bm25.run qrels.tsv --user-id q7 --items corpus.jsonl",
        ],
        rules={
            "-k must be one cut-off, got {}": lambda of: len({*of.ks}) > 1 and ",".join(map(str, of.ks)),
            **TEXT_RULES,
        },
    ),
    "abstention": Spec(
        "Find the best score from which to answer: how many users with an answer each threshold refuses, and "
        "how many without one it answers. With --users, who truth does not have is without an answer.",
        {"abstention": "users min_grade confidence", **SHOWN, **READ_UNCHECKED},
        ["abstention bm25.run qrels.tsv --users queries.jsonl"],
    ),
    "agreement": Spec(
        "Find out how far two judges agree, people or models: kappa and alpha of their labels, who is "
        "stricter, and with REC which system each favors. For grades by a model beside people's, use compare "
        "--predicted-truth.",
        {
            "agreement": "confidence baseline correction",
            "measures": "measures ks min_grade unjudged ties",
            **SHOWN,
            **READ,
        },
        [
            "agreement people.csv model.csv",
            "agreement a=a.run b=b.run people.tsv model.tsv -m ndcg -k 10",
        ],
        files="[REC]... LABELS_A LABELS_B",
    ),
    "track": Spec(
        "Follow runs over time, such as one a week: the mean of each, its difference to the run before and "
        "to the best one, and which fell. The order is that of their names. To compare models, use compare.",
        {
            "track": "confidence correction",
            "measures": f"measures ks {OF_GRADES} users ties",
            "output": "output format digits safe_csv unit",
            **READ,
        },
        ["track runs/ -m ndcg -k 10 --output track.md", "track week*.jsonl truth.csv --output track.html"],
        files="[REC]... FOLDER|TRUTH",
    ),
    "power": Spec(
        "Find the smallest difference that a golden set shows with 80 % power: in hit rate by TRUTH alone, "
        "in other measures with the spread of a run, or of the differences of several. For a difference that "
        "was measured, use compare.",
        {
            "power": "difference correlation baseline confidence",
            "measures": f"measures ks {OF_GRADES} users ties",
            **SHOWN,
            **READ,
        },
        ["power qrels.tsv --difference 0.05", "power bm25.run qrels.tsv -m ndcg,recall --difference 0.02"],
        files="[REC]... TRUTH",
        rules={
            "power: --difference must be 1 or less without REC, as of hit_rate, got {difference:g}": (
                lambda of: len(of.files) == 1 and (of.difference or 0) > 1
            ),
            "power: without REC, hit_rate alone has a power, at any cut-off: add a run, or leave out {}": (
                lambda of: len(of.files) == 1 and of_a_run(of)
            ),
        },
    ),
    "overlap": Spec(
        "Find out what models' lists have in common: how much would change for users, before any truth is "
        "known. For which is better, with a truth, use compare.",
        {"overlap": "ks baseline persistence", **SHOWN, **READ_REC},
        [
            "overlap als=als.csv bert=bert.csv --baseline als -k 5,10",
            "overlap all.parquet --system model --format json",
        ],
        files="REC [REC]...",
    ),
    "split": Spec(
        "Make train and test of a file of events: into a folder, of several folds into one for each, with "
        "the reason of each event in neither. To measure what a model of train recommends, use evaluate.",
        {
            "split": "test_size test_from last folds gap cold_users cold_items seen",
            "files": "output user item time",
        },
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
        "Join the rankings of several models into one: for hybrid search, or an ensemble. To see whether "
        "that helped, use compare, with the file that is written as one more model.",
        {"fusion": "output method weights rrf_k normalize depth", **READ_REC},
        [
            "fuse bm25=bm25.csv vector=vector.csv --output fused.csv",
            "fuse a.run b.run --weights a=1,b=0.5 --output fused.run",
        ],
        files="REC [REC]...",
    ),
    "sql": Spec(
        "Print the SQL of an evaluation: to run or change in any DuckDB. A statement that needs the pack "
        "says so. For its numbers, use evaluate; for the SQL of a comparison, compare --format sql.",
        {**MEASURED, "output": "output by_user safe_csv pack", **READ},
        ["sql rec.parquet truth.parquet -k 10", "sql --pack | duckdb shop.duckdb"],
    ),
    "measures": Spec(
        "List the measures, or explain some: their options and other names, as -m takes them. For the "
        "functions of SQL, use functions.",
        {"output": "format"},
        ["measures", "measures ndcg MAP"],
        "names",
    ),
    "functions": Spec(
        "List the functions of SQL, or explain some: how they are called, what they return, their errors. "
        "For measures and their options, use measures.",
        {"output": "format"},
        ["functions", "functions ranking.compare ranking.check"],
        "names",
    ),
}
COLUMN = "name of this column"
MAY_HAVE_COLUMN = {"parse": parse_items, "value": "FILE[:COLUMN]"}
CHANGES: dict[str, dict[str, Mapping[str, Any]]] = {  # of options in a command
    "compare": {"format": {"choices": (*FORMATS, "latex", "sql")}, "segment": MAY_HAVE_COLUMN},
    "report": {
        "output": {"help": "the page, a file of HTML; by default report.html, without --figures"},
        "segment": MAY_HAVE_COLUMN,
    },
    "check": {
        "fail_if": {"help": "exit with 3 if so: problems, 'problems(no_rows)'"},
        "items": {"help": "the catalogue or corpus: what is gone from it", "value": "FILE"},
    },
    "explain": {
        "ks": {"help": "one cut-off, or all (10 if none)"},
        "ties": {"choices": ("item", "expected")},
        "items": {"help": "the catalogue or corpus: titles, and which items are gone", "value": "FILE"},
        "segment": {"help": "the users' file, for their texts", "parse": parse_items, "value": "FILE"},
    },
    "split": {
        "output": {"help": "for train and test, as the events are", "value": "FOLDER"},
        **{
            name[:4]: {"default": name, "help": COLUMN, "is_list": False}
            for name in ("userid", "itemid", "time")
        },
    },
    "fuse": {"output": {"help": "where to, .run for TREC", "parse": file_in(*COPY_OPTIONS, TREC)}},
    **{one: {"baseline": {"help": "model to compare the others with"}} for one in ("power", "agreement")},
    "sql": {"output": {"help": "write the SQL here"}},
    **{name: {"format": {"default": "table", "help": "of the list"}} for name in ("measures", "functions")},
}
REQUIRED = {("explain", "user_id"), ("split", "output"), ("fuse", "output")}
OPERANDS: dict[str, dict[str, Any]] = {  # what stands without an option
    "files": {"nargs": -1},
    "events": {"metavar": "EVENTS"},
    "names": {"metavar": "[NAME]...", "nargs": -1, "required": False},
}
FILES = (
    "files events database history items users segment predicted_truth against output by_user rows figures"
)


class Value(click.ParamType):  # type: ignore[type-arg]  # which older releases do not subscript
    """A type of option: a function reads its value, and its ValueError is the rule; a shell completes it."""

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


class Command(click.Command):
    """A command whose help has its options in groups, then examples."""

    def __init__(self, name: str, spec: Spec, callback: Callback) -> None:
        self.spec = spec
        given: dict[str, Any] = {"type": Value(spec.operand), "required": True} | OPERANDS[spec.operand]
        if spec.operand == "files":
            given["metavar"] = spec.files
        others = [text for name, text in GIVEN_TOO.items() if name in spec.files]
        texts = [spec.text, GIVEN.format("".join(others))][: 1 + (spec.operand == "files")]
        super().__init__(
            name,
            params=[click.Argument([spec.operand], **given), *(option(name, one) for one in spec.names)],
            callback=lambda **all_: callback(name, all_),
            short_help=spec.text.partition(":")[0],
            help="\n\n".join(texts),
            epilog="\b\nexamples:\n" + "\n".join(f"  ranking-udfs {line}" for line in spec.examples),
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a UsageError for an option that would silently replace the one before it."""
        order = [] if ctx.resilient_parsing else self.make_parser(ctx).parse_args(args=[*args])[2]
        for one in order:
            is_single = isinstance(one, click.Option) and not (one.multiple or one.is_flag)
            if is_single and order.count(one) > 1:
                raise click.UsageError(
                    f"{one.opts[-1]} must be given once, got it {order.count(one)} times", ctx
                )
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group."""
        records = (one.get_help_record(ctx) for one in self.params[1:])
        found = dict(zip(self.spec.names, records, strict=True))
        for group, names in self.spec.groups.items():
            with formatter.section(group):
                formatter.write_dl([record for one in names.split() if (record := found[one])])


def option(command: str, name: str) -> click.Option:
    """Make click's option of that of a command."""
    one = EVERY[name]._replace(**CHANGES.get(command, {}).get(name, {}))
    given: dict[str, Any] = {"help": one.help, "required": (command, name) in REQUIRED}
    if one.default is False:
        given["is_flag"] = True
    else:
        given |= {"multiple": one.is_list, "metavar": one.value or None}
        given["type"] = click.Choice(one.choices) if one.choices else Value(name, one.parse)
        given |= {"default": one.default, "show_default": True} if one.default is not None else {}
    if name == "pack":
        given |= {"is_eager": True, "expose_value": False, "callback": print_pack}
    names = [SHORT.get(name), None if name == "ks" else f"--{name.replace('_', '-')}"]
    called = f"{name}_col" if f"{name}_col" in ColumnNames.__annotations__ else name  # as in Python
    return click.Option([*filter(None, names), called], **given)


class Commands(click.Group):
    """All commands, in the order of their table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]


def print_version(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        from ..version import versions

        click.echo(f"ranking-udfs {versions()}")
        ctx.exit()


def print_pack(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        from ..folder import read
        from ..macros.portable import SCRIPT

        click.echo(read(SCRIPT), nl=False)
        ctx.exit()


def group(callback: Callback) -> Commands:
    """Make the whole command; the callback gets the name of a command and its arguments."""
    flag: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
    flag |= {"callback": print_version, "help": "Versions of what it runs on."}
    return Commands(
        "ranking-udfs",
        commands={name: Command(name, spec, callback) for name, spec in COMMANDS.items()},
        params=[click.Option(["--version"], **flag)],
        help="Measure recommendations and search results, compare models, look for problems in the data.",
        context_settings={"max_content_width": WIDTH, "terminal_width": WIDTH},
        no_args_is_help=False,
    )

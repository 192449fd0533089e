"""Evaluate: load, check, measure and compare. Entry points and the report call this and format results."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import duckdb

from ..compose.columns import COMMAND, PYTHON
from ..compose.functions import compose_values
from ..compose.problems import Problem, problems
from ..evaluation.comparison import compare_queries, segment_tables, with_caveats
from ..evaluation.defaults import EVERYBODY, MEASURES, NO_CLOSED_FORM
from ..evaluation.errors import DataError, UsageError
from ..evaluation.problems import (
    BY_KIND,
    CAUSES,
    COLUMNS,
    DIRECTION,
    NOTHING,
    TIES,
    fit_advice,
    raise_problems,
)
from ..evaluation.queries import (
    Plan,
    Request,
    abstention_query,
    check_statements,
    fetch_rows,
    plan,
    row_columns,
    with_segments,
)
from ..evaluation.words import COUNTS, OF_LISTS, Row, cut_off_key, in_unit, with_text
from ..measures.contents import BY_USER, CONTENTS
from ..measures.grammar import Choice, merge_choices, parse_measure
from ..measures.registry import COMPARED_MEASURES, Measure
from ..options import ARGUMENTS, COMPARISON, GROUPS, OPTIONS, VERBS
from ..quoting import identifier, literal
from ..texts import shorten
from .catalogs import Frame
from .sources import Source
from .tables import Inputs, Tables, file_of, load, with_own_columns

# The tables for beyond-accuracy measures, and how to pass them to the command and in Python.
BEYOND_ACCURACY_TABLES = {
    "history": ("--history FILE", "history=..."),
    "items": ("--items FILE:COLUMN", "items=..."),
}


CHECKED = ("userid", "itemid", "score", "rel")  # the columns that problems of the check call by their names
ONE_TABLE = ("not_in_rec", "not_in_truth")  # problems of users that only one table has
# The part of an advice that says how scores are to be reversed.
DIRECTION_ADVICE = re.compile("write (?:--ascending|descending=False)(?:, or negate[^;]*)?")


def is_filled(source: Source) -> bool:
    """Return whether an empty list of truth became a row without an item."""
    return source.is_filled or (isinstance(source.path, Frame) and source.path.is_filled)


def is_of_cut_ideal(choice: Choice) -> bool:
    """Return whether this is NDCG of the whole list with an ideal ranking of the same length."""
    return choice.measure.name == "ndcg" and choice.options["ideal"] == "cut" and None in choice.cuts


def make_request(caller: str, inputs: Inputs, options: Mapping[str, Any]) -> Request:
    """Return the request of these options.

    A measure without cutoffs of its own is computed at `ks` (10). If any measure has its own cutoffs, all
    cutoffs are sorted.
    """
    usual = COMPARED_MEASURES if caller in ("compare", "report") else MEASURES
    measures = options["measures"] or [parse_measure(name) for name in usual]
    named = {*chain.from_iterable(choice.cuts for choice in measures)}
    ks = list(dict.fromkeys(options["ks"]))
    tables = ("history", "items", "users", "predicted_truth")
    more: dict[str, Any] = {name: getattr(inputs, name) is not None for name in tables}
    return Request(
        merge_choices(measures, ks),
        sorted({*ks, *named}, key=cut_off_key) if named else ks,
        by_segment=inputs.segment is not None,
        by_user=caller == "compare" or bool(options.get("by_user")),
        prefix=inputs.prefix,
        columns=inputs.columns,
        confidence=(options["confidence"] or 0) if caller == "evaluate" else 0,
        also=options["also"] or (),
        time=inputs.time,
        comparison={name: options[name] for name in COMPARISON.split()},
        **more,
        **{name: options[name] for name in ("ties", "head", "divergence")},
    )


@dataclass
class Evaluation:
    """An evaluation: its connection, its inputs and its options.

    `options` has the options of `options.py` by name, checked, and the command's own.
    """

    con: duckdb.DuckDBPyConnection
    caller: str  # the function or command that errors name
    inputs: Inputs
    options: Any
    notify: Callable[[Sequence[Row]], None] = lambda _: None  # called with the problems of the data
    step: Callable[[str], None] = lambda _: None  # called with the name of each step at its beginning

    def __post_init__(self) -> None:
        """Make the request from the options; raise UsageError for options that cannot be combined."""
        self.inputs = inputs = with_own_columns(self.con, self.inputs)
        usual = {name: option.default for name, option in OPTIONS.items() if option.default is not ...}
        options = usual | vars(self.options)
        self.is_checked, self.allowed = options["check"], options["allow"] or ()
        self.dashes = "--" * inputs.is_command  # before the name of an option in an error
        self.request = make_request(self.caller, inputs, options)
        for choice in self.request.choices if self.request.ties == "expected" else ():
            if not choice.measure.expected:
                raise UsageError(f"{self.caller}: {choice.name} {NO_CLOSED_FORM}")
        also = [column.name.lower() for column in self.request.also]
        if len({*also}) < len(also):
            raise self.refused(f"{self.dashes}also must name each column once", ", ".join(also))
        if self.request.predicted_truth:
            self.check_predicted({**options, "users": inputs.users, "also": ", ".join(also) or None})
        if self.caller in ("evaluate", "compare"):
            self.separate_beyond_accuracy()
        if self.caller == "compare":
            self.check_measures()

    def refused(self, rule: str, got: str) -> UsageError:
        """Return the error for an option that breaks a rule."""
        return UsageError(f"{self.caller}: {rule}, got {got}")

    def check_predicted(self, options: Mapping[str, Any]) -> None:
        """Raise UsageError for options that cannot be combined with model-generated labels."""
        allowed = {"test": "t", "without_relevant": "zero", "users": None, "against": None, "also": None}
        for option, usual in allowed.items():
            if options.get(option) not in (None, usual):
                rule = f"{option} must be {usual}" if usual else f"{option} must be left out"
                rule = f"{self.dashes}{rule} with {self.dashes}predicted_truth"
                rule = rule.replace("_", "-") if self.dashes else rule
                raise self.refused(rule, shorten(options[option]))

    def separate_beyond_accuracy(self) -> None:
        """Separate beyond-accuracy measures from ranking measures; raise UsageError for unfit measures.

        `evaluate` adds all available beyond-accuracy measures if none is requested.
        """
        request = self.request
        beyond_accuracy = [choice for choice in request.choices if choice.measure.name in CONTENTS]
        for choice in beyond_accuracy:
            self.check_beyond_accuracy(choice)
        if self.caller == "evaluate" and self.beyond_accuracy_tables and not beyond_accuracy:
            usual = (measure for measure in CONTENTS.values() if not self.missing_tables(measure))
            beyond_accuracy = [Choice(measure, {}, {}, tuple(request.ks)) for measure in usual]
        if beyond_accuracy and request.predicted_truth:
            rule = f"{self.dashes}measures must be measures of relevance with labels by a model"
            raise self.refused(rule, beyond_accuracy[0].name)
        if beyond_accuracy and request.ties == "expected":
            name = beyond_accuracy[0].name
            rule = f"{self.dashes}ties must be item or trec with {name}, which {NO_CLOSED_FORM}"
            raise self.refused(rule, "expected")
        choices = [choice for choice in request.choices if choice.measure.name not in CONTENTS]
        self.request = replace(request, choices=choices, beyond_accuracy=beyond_accuracy)

    @property
    def beyond_accuracy_tables(self) -> set[str]:
        return {name for name in BEYOND_ACCURACY_TABLES if getattr(self.request, name)}

    def missing_tables(self, measure: Measure) -> list[str]:
        """Return the tables that a beyond-accuracy measure needs and that are not given."""
        tables = self.beyond_accuracy_tables
        return [argument for argument in measure.arguments[1:] if not {*argument.split(" or ")} & tables]

    def check_beyond_accuracy(self, choice: Choice) -> None:
        """Raise UsageError for a beyond-accuracy measure without its tables, or without values of users."""
        if needed := " and ".join(self.missing_tables(choice.measure)):
            for name, forms in BEYOND_ACCURACY_TABLES.items():
                needed = needed.replace(name, forms[not self.inputs.is_command])
            raise UsageError(f"{self.caller}: {choice.name} needs {needed}")
        if self.caller == "compare" and choice.measure not in BY_USER:
            rule = self.dashes + in_unit("measures must have a value for each user")
            raise self.refused(rule, f"{choice.name}, a measure of all lists together")

    def check_measures(self) -> None:
        """Raise UsageError for a measure without a better direction."""
        for choice in self.request.choices:  # beyond-accuracy measures have other verdicts
            if choice.measure.higher_is_better is None:
                rule = f"{self.dashes}measures must say which of two models is better"
                raise self.refused(rule, choice.name)

    def check_models(self) -> None:
        """Raise UsageError if there are fewer than two models, or if the baseline is unknown."""
        systems, example = self.systems, "{'a': rec_a, 'b': rec_b}"
        if len(systems) < 2:
            example = "a=a.csv b=b.csv" if self.inputs.is_command else example
            got = f"one, {shorten(systems[0])!r}" if systems else "one"
            raise self.refused(f"there must be two models or more, as in {example}", got)
        self.check_baseline()

    def check_baseline(self) -> None:
        """Raise UsageError if the baseline is unknown."""
        systems, baseline = self.systems, self.request.comparison["baseline"]
        if baseline is not None and baseline not in systems:
            there = shorten(", ".join(systems)) or "there is one, without a name"
            raise self.refused(f"{self.dashes}baseline must be a model ({there})", repr(shorten(baseline)))

    @cached_property
    def tables(self) -> Tables:
        """The TEMP tables of the inputs; made on first use."""
        return load(self.con, self.inputs)

    @property
    def systems(self) -> Sequence[str]:
        """The models, in the order of their files; none without a column `system`."""
        return self.tables.models

    @cached_property
    def types(self) -> dict[str, dict[str, str]]:
        """The columns and types of each table, by its name."""
        tables = "rec", "truth", "users", "predicted_truth", "history", "items"
        names = [name for name in tables if name in self.tables.names]
        types = {name: row_columns(self.con, self.request.table(name)) for name in names}
        types["ranked"] = types["rec"] | {"score": "BIGINT"}
        return {self.request.table(name): row for name, row in types.items()}

    @property
    def composed(self) -> Request:
        """The request with the columns of its tables, so that its queries are composed SQL."""
        return replace(self.request, types=self.types)

    def column(self, role: str, *tables: str) -> str:
        """Return a column's name in the files of these tables: `sku/product` if they differ, "" for none."""
        sources = chain(*(self.tables.sources.get(table, ()) for table in tables))
        names = dict.fromkeys(source.names.get(role, role) for source in sources if role in source.columns)
        return "/".join(names)

    @cached_property
    def checked(self) -> Request:
        """The request for the check, which calls columns by their names in the files."""
        names = {ARGUMENTS[role]: self.column(role, "rec", "truth") for role in CHECKED}
        named = {argument: name for argument, name in names.items() if name}
        return replace(self.composed, columns={**self.request.columns, **named})

    @cached_property
    def steps(self) -> Plan:
        """The statements and queries to run."""
        return self.plan_of(self.composed)

    def plan_of(self, request: Request) -> Plan:
        also_table = "values" if "values" in self.tables.names else "rec"
        steps = plan(replace(request, also_table=also_table), bool(self.systems))
        more = segment_tables(request) if self.caller in ("compare", "report") else []
        return replace(steps, tables=[*steps.tables, *more])

    @property
    def statements(self) -> list[str]:
        """All statements that make tables, to print."""
        return [*self.tables.printed(self.con), *self.steps.tables]

    def check_users(self) -> None:
        """Raise DataError if truth has no user, or if a user of truth has no model-generated labels."""
        users = f"FROM {self.tables.prefix}truth WHERE userid IS NOT NULL LIMIT 1"
        if not fetch_rows(self.con, f"SELECT 1 {users}"):
            raise DataError(f"{self.inputs.truth}: {in_unit('no user to evaluate')}")
        if self.request.predicted_truth:
            predicted = f"FROM {self.tables.prefix}predicted_truth"
            users = f"count(DISTINCT userid) AS n, min(userid)::VARCHAR AS one FROM {self.tables.prefix}truth"
            (row,) = fetch_rows(self.con, f"SELECT {users} WHERE userid NOT IN (SELECT userid {predicted})")
            if row["n"]:
                rule = f"{in_unit('every user of')} {self.inputs.truth} must be in it"
                got = f"{row['n']} without, for example {shorten(row['one'])}: let the model grade them too"
                raise DataError(f"{self.inputs.predicted_truth}: {rule}, got {got}")

    def problems(self) -> list[Row]:
        """Return the problems of the data, each with its `file` and with the advice `write`.

        A problem that the request allows has severity info and no advice. Problems that it settles, or that
        only concern measures which are not requested, are excluded.
        """
        self.step("checking the data")
        rows, request = fetch_rows(self.con, check_statements(self.checked)), self.request
        gains = {choice.options.get("gain") for choice in request.choices}
        of_no_use = {  # codes that do not matter for this request
            "shorter_than_truth": not any(map(is_of_cut_ideal, request.choices)),
            "fractional_grade": "exp" not in gains,
            **dict.fromkeys(("not_in_truth", "ties_without_truth"), request.predicted_truth),  # expected
            **dict.fromkeys(TIES, request.ties != "item"),
            "unlisted_items": {*CAUSES} & {row["code"] for row in rows},
        }
        is_filled_up = any(map(is_filled, self.tables.sources.get("truth", ())))
        filled_up = ("null_in_truth", self.checked.columns["item_col"]) if is_filled_up else None
        turned = {row["system"] for row in rows if row["code"] == "upside_down"}
        shown: list[Row] = []
        for row in rows:
            is_empty = row["system"] in self.tables.empty
            if of_no_use.get(row["code"]) or (is_empty and row["code"] == "null_in_rec"):
                continue
            if (row["code"], row["column_name"]) == filled_up:
                continue
            if is_empty and row["code"] == NOTHING:
                problem = in_unit("rec: the list of every user is empty")
                row = {**row, "code": "no_rows", "problem": problem, "example": None}
            shown.append(self.with_advice(row, problems()[row["code"]], turned))
        return shown

    def with_advice(self, row: Row, kind: Problem, turned: Collection[str | None]) -> Row:
        """Return a problem with its file and advice; the scores of models in `turned` are reversed."""
        files, name = self.tables.files, row["code"]
        file = files.get(row["system"], files.get(None))
        row = self.with_file(row, kind, file)
        if name in self.allowed:
            return {**row, "severity": "info"}
        given = [table for table in ("history", "items", "predicted_truth") if getattr(self.request, table)]
        write = kind.advice(COMMAND if self.inputs.is_command else PYTHON, given)
        if write and name in DIRECTION:
            write = DIRECTION_ADVICE.sub(lambda _: self.direction_hint(row["system"], file, turned), write)
        if write and name in BY_KIND:
            write = fit_advice(write, row["example"])
        return {**row, "write": write and in_unit(write)}

    def with_file(self, row: Row, kind: Problem, file: str | None) -> Row:
        """Return a problem with its file and the names of columns there; `file` is that of rec."""
        others = {table: file_of(path) for table, (path, _) in self.inputs.other_tables.items()}
        word = re.match("(rec|truth|history|items)(?::| must)", row["problem"])
        about = word[1] if word else None if row["code"] == "unfit_column" else kind.about
        if not re.search(r"\{(user|column)\}", kind.sentence):  # else it has the name of a column
            row = {**row, "problem": in_unit(row["problem"])}
        row = {**row, "file": file if about == "rec" else others.get(str(about)), "write": None}
        if word and word[1] in ("rec", "truth"):
            row = self.with_names_of(word[1], row)
        if row["code"] == "several_ids" and row["file"]:
            row = {**row, "example": f"{row['example'].removesuffix('truth')}{literal(row['file'])}"}
        return row

    def with_names_of(self, table: str, row: Row) -> Row:
        """Return a problem of one table with the names of the columns of its files."""
        changed = dict(row)
        for role in CHECKED:
            of_all, own = self.checked.columns[ARGUMENTS[role]], self.column(role, table)
            for name in ("problem", "column_name", "example"):
                if row[name] and own not in ("", of_all):
                    text = changed[name].replace(identifier(of_all), identifier(own))
                    changed[name] = text.replace(of_all, own)
        return changed

    def has(self, needed: str | None) -> bool:
        """Return whether the request has the argument that a problem needs."""
        return needed is None or bool(
            self.request.columns["unjudged"] == "skip"
            if needed == "unjudged"
            else getattr(self.request, needed)
        )

    @property
    def nothing_found(self) -> str:
        """A sentence for data without a problem."""
        return f"No problem found by {sum(self.has(kind.needs) for kind in problems().values())} tests."

    def direction_hint(self, system: str | None, file: str | None, turned: Collection[str | None]) -> str:
        """Return the advice that reverses the direction of the scores of a system."""
        paths = dict(rec if isinstance(rec, tuple) else (None, rec) for rec in self.inputs.recs)
        path = paths.get(system)
        if system in self.tables.ranked or (isinstance(path, Frame) and path.is_ordered):
            return "reverse the lists"
        are_all = {*self.systems} <= {*turned} or len(self.systems) < 2
        if self.inputs.is_command:
            return self.command_direction_hint(system, file, are_all)
        descending, negated = self.request.columns["descending"], self.tables.negated
        if are_all and not self.inputs.directions:
            return f"write descending={not descending}"
        wrong = {*turned, system}
        lowest = [name for name in self.systems if (descending == (name in negated)) != (name in wrong)]
        return f"write descending={dict.fromkeys(lowest, False) or True}"

    def command_direction_hint(self, system: str | None, file: str | None, are_all: bool) -> str:
        """Return the arguments of the command that reverse the direction of the scores of a system."""
        descending = self.request.columns["descending"]
        if system in self.tables.files and len(self.tables.files) > 1:
            is_best = descending != (system in self.tables.negated)  # whether the highest score is the best
            return f"write {system}={file}:{'ascending' if is_best else 'descending'}"
        if are_all:
            return "write --ascending" if descending else "remove --ascending"
        return f"negate the scores of {shorten(system)}"

    def names(self, table: str, ids: Iterable[object]) -> dict[str, str | None]:
        """Return the titles or texts of these ids; ids that `table` lacks have no entry."""
        if table not in self.tables.names:
            return {}
        id_column, column = {"titles": ("itemid", "title"), "texts": ("userid", "text")}[table]
        query = (
            f"SELECT {id_column}::VARCHAR AS id, min({column}) FROM {self.tables.prefix}{table} "
            "WHERE id IN (SELECT unnest($1::VARCHAR[])) GROUP BY ALL"
        )
        return dict(self.con.execute(query, [[str(value) for value in ids]]).fetchall())

    def with_labels(self, rows: Sequence[Row]) -> list[Row]:
        """Add a column `label` to rows of users: the id with its text."""
        texts = self.names("texts", (row["userid"] for row in rows))
        return [{**row, "label": with_text(row["userid"], texts.get(row["userid"]))} for row in rows]

    def make_tables(self) -> list[Row]:
        """Make the tables of the plan, and return the problems of the data if the check is on.

        Raises UsageError if a model has no user or no item in common with truth.
        """
        self.check_users()
        self.step("ranking")
        for statement in self.steps.tables:
            self.con.execute(statement)
        return self.find_problems()

    def find_problems(self) -> list[Row]:
        """Return the problems of the data if the check is on; raises UsageError like make_tables."""
        problems = self.problems() if self.is_checked else []
        problems += self.several_segments() if self.is_checked and self.request.by_segment else []
        raise_problems(problems)
        self.notify(problems)
        return problems

    def several_segments(self) -> list[Row]:
        """Return a note with the number of evaluated users in several segments, if there are any."""
        users = with_segments(self.request, f"(SELECT DISTINCT userid FROM {self.request.table('by_user')})")
        counts = "SELECT userid, count(*) > 1 AS is_several"
        user = self.inputs.columns["user_col"]
        query = f"""SELECT count_if(is_several) AS count, count(*) AS of,
                {literal(f"{user} ")} || min(userid) FILTER (is_several) AS example
            FROM ({counts} FROM {users} GROUP BY userid)"""
        (row,) = fetch_rows(self.con, query)
        note = self.note("several_segments", "users in several segments, counted in each", row, "segments")
        return [note] if row["count"] else []

    def note(self, code: str, text: str, counts: Row, table: str, write: str | None = None) -> Row:
        """Return a row like those of the check, for what concerns this request alone."""
        row: Row = {**dict.fromkeys(COLUMNS), "severity": "info", "code": code, "problem": in_unit(text)}
        return {**row, **counts, "file": file_of(self.inputs.other_tables[table][0]), "write": write}

    def summary(self) -> str:
        """Return the query for the means of all users and of segments, ordered by model, segment and k."""
        request, steps, systems = self.request, self.steps, self.systems
        names = ["system"] * bool(systems) + ["segment"] * request.by_segment + ["k::BIGINT AS k", *COUNTS]
        counts = [*OF_LISTS][: 1 + request.history] if request.beyond_accuracy else []
        names += map(identifier, chain(*map(request.names_of, request.choices)))
        names += [*counts, *map(identifier, chain(*map(request.names_of, request.beyond_accuracy)))]
        source, order = f"({steps.summary})", []
        if steps.by_segment:
            everybody = f"SELECT 0 AS is_segment, {literal(EVERYBODY)} AS segment, * FROM {source}"
            source = f"({everybody}\nUNION ALL BY NAME SELECT 1 AS is_segment, * FROM ({steps.by_segment}))"
            order.append("is_segment")
        if systems:
            order.append(f"list_position([{', '.join(map(literal, systems))}], system)")
        order += ["segment"] * request.by_segment
        cuts = ", ".join("-1" if k is None else str(k) for k in request.ks)
        order.append(f"list_position([{cuts}]::BIGINT[], coalesce(k, -1)::BIGINT)")
        return f"SELECT {', '.join(names)}\nFROM {source}\nORDER BY {', '.join(order)}"

    def abstention_query(self, confidence: float = 0.95, request: Request | None = None) -> str:
        """Return the query of ranking.abstention, with thresholds in terms of the original scores.

        `request` is by default the request with composed SQL.
        """
        return abstention_query(request or self.composed, self.tables.negated, confidence)

    def prepare_abstention(self) -> list[Row]:
        """Return the problems, and notify about doubtful directions; DataError without scores or users."""
        self.check_users()
        paths = (rec[1] if isinstance(rec, tuple) else rec for rec in self.inputs.recs)
        if self.tables.ranked or any(isinstance(path, Frame) and path.is_ordered for path in paths):
            rule = "rec must have scores, as thresholds are scores"
            raise DataError(f"{self.caller}: {rule}, got lists of ids without")
        # The second advice is a history, which abstention does not read.
        problems = self.problems()
        rows = [row for row in problems if row["code"] in DIRECTION]
        self.notify([{**row, "write": row["write"].partition(";")[0]} for row in rows])
        return problems

    def conclude_abstention(self, rows: Sequence[object], problems: Sequence[Row]) -> None:
        """Notify about users that are not counted; raise DataError if every user has a relevant item."""
        write = f"write {'--users FILE' if self.inputs.is_command else 'users=...'}, with all users"
        if not rows:
            rule = f"there must be users without a relevant item, got none; {write}"
            raise DataError(f"{self.caller}: {in_unit(rule)}")
        if self.inputs.users is None:
            none = self.note("not_in_truth", "users in rec that are not in truth", {"count": 0}, "truth")
            found = {code: [row for row in problems if row["code"] == code] for code in ONE_TABLE}
            more = {"write": in_unit(f"these, and users in neither table, are not counted; {write}")}
            left_out = found["not_in_truth"] or [{**none, "file": None}]
            self.notify([*found["not_in_rec"], *({**row, **more} for row in left_out)])

    def fusion_query(self) -> str:
        """Return the query that fuses the models; raise UsageError if the models have no names."""
        inputs, options = self.inputs, vars(self.options)
        if not self.tables.models:
            how = "name their files, as in bm25=a.csv vector=b.csv"
            how = how if inputs.is_command else "give a dict of them, as in {'bm25': a, 'vector': b}"
            raise UsageError(f"{self.caller}: the models have no names; {how}")
        weights = options["weights"]
        if weights is not None and not isinstance(weights, Mapping):
            raise self.refused(
                "weights must be a dict, as in {'bm25': 1, 'vector': 2}", shorten(repr(weights))
            )
        if weights is not None and {*weights} != {*self.tables.models}:
            rule, got = f"one of each model ({', '.join(self.tables.models)})", ",".join(map(str, weights))
            raise self.refused(f"{self.dashes}weights must have {shorten(rule)}", repr(shorten(got)))
        arguments = {name: options[name] for name in GROUPS["fusion"] if name in VERBS["fuse"]}
        arguments |= {"rec": f"{inputs.prefix}rec", "descending": inputs.columns["descending"]}
        return compose_values("fuse", arguments, self.types)

    def comparisons(self, problems: Sequence[Row]) -> list[str]:
        """Return the queries that compare over all users, and with segments also over each segment.

        Their caveats name the problems of the data.
        """
        everybody, *segments = compare_queries(self.composed)
        if segments:
            everyone = f"SELECT {literal(EVERYBODY)} AS segment, *"
            everybody = [f"{everyone} FROM ({query})" for query in everybody]
        return [with_caveats(query, problems) for query in chain(everybody, *segments)]

"""Make the TEMP tables rec, truth, segments, history and items from files or from tables of a database.

Text files have no types. Their ids are integers if all text files write all ids of that name as DuckDB
writes integers; else they are strings. An id of a Parquet file or of a database keeps its type, and text
files must write such an id as DuckDB would. So two different strings never become one id.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import duckdb

from ..compose.call import Call
from ..compose.columns import (
    FLOATS,
    PYTHON,
    Names,
    cast_id,
    common_type,
    family,
    grade_not_read,
    unread,
)
from ..compose.templates import module
from ..evaluation.defaults import EVERYBODY, NONE
from ..evaluation.errors import DataError
from ..options import ARGUMENTS, OPTIONS, Values, columns_by_table, defaults, rec_columns, truth_columns
from ..quoting import identifier, literal
from ..texts import LONGEST, shorten, units
from .catalogs import Catalog, Frame, attach_statement
from .files import OF_CSV, open_source
from .lists import BLANKS
from .paths import STDIN, list_files
from .rows import OF_ITEMS
from .sources import (
    ALSO,
    IDS,
    QRELS,
    RUN,
    MissingColumnsError,
    Source,
    Wanted,
    is_also,
    missing_text,
    option_text,
)
from .trec import plain_path

COLUMN_ORDER = ("system", "userid", "itemid", "score", "rank", "rel", "segment", "time", "category")
SHOWN = ("title", "text")  # columns to show next to ids
FILES = Catalog()
ORDER = "recommendations come first, then truth"
IN_PYTHON = {"VARCHAR": "str", "BIGINT": "int", "DOUBLE": "float", "FLOAT": "float", "BLOB": "bytes"}
DIRECTIONS = {"ascending": False, "descending": True}  # suffixes of a path


@dataclass(frozen=True)
class Inputs:
    """The inputs of an evaluation, under the user's names."""

    # Each is `path`, `name=path`, or a pair of name and path. The suffix `:ascending` or `:descending` of a
    # path sets the direction of the scores of one model. Empty if only truth is read.
    recs: Sequence[str | tuple[str, str]]
    truth: str  # a path; "" if only recommendations are read
    columns: Values = field(default_factory=defaults)  # the names of columns in the files
    segment: tuple[str, str] | None = None  # a path, and its column with the segment of a user
    form: str = "auto"  # the format of recs and truth: "auto", "table" or "trec"
    parts: bool = False  # whether recs with equal names, or without a name, are parts of one table
    catalog: Catalog = FILES  # the tables that a path may name; any other path is a file
    stdin: str = STDIN  # the file with the content of standard input, for the path `-`
    prefix: str = ""  # the prefix of all TEMP tables, so that no view of the user refers to them
    history: str | None = None  # a path: the interaction history
    items: tuple[str, str] | None = None  # a path of the catalog, and its column of categories or ""
    users: str | None = None  # a path: all users
    # paths of items and users with text to show, and the column of the text; None is `title` or `text`
    titles: tuple[str, str | None] | None = None
    texts: tuple[str, str | None] | None = None
    predicted_truth: str | None = None  # a path: model-generated labels
    # columns to compare, of a file or "" for recs, renamed to also_1, also_2
    also: Sequence[tuple[str, str]] = ()
    time: str | None = None  # column of times in history and truth; None is `time`, "" is none
    way: str = PYTHON  # see Wanted.way
    # names of columns that apply to one path, by path and role
    own_columns: Mapping[tuple[str, str], str] = field(default_factory=dict)
    by_lines: bool = False  # see Wanted.by_lines
    # whether the highest score is the best, for models that differ from `columns`
    directions: Mapping[str, bool] = field(default_factory=dict)

    def table(
        self, path: str, required: Mapping[str, str], optional: Mapping[str, str], **more: Any
    ) -> tuple[str, Wanted]:
        """Return a path and the columns to read, under their names in this file."""
        own = {role: name for (of, role), name in self.own_columns.items() if of == path}
        own = {role: name for role, name in own.items() if role in (*required, *optional)}
        more |= {"way": self.way, "by_lines": self.by_lines}
        return path, Wanted({**required, **own}, optional, **more)

    def names(self, source: Source) -> Names:
        """Return the names of the columns of a source; a column of systems that is read counts as named."""
        user, item, score = (self.columns[name] for name in ("user_col", "item_col", "score_col"))
        system = self.columns["system_col"]
        if system is None and "system" in source.columns:
            system = source.names.get("system", "system")
        return Names(user=user, item=item, score=score, system=system)

    @property
    def turned(self) -> list[str]:
        """The models of `directions` whose direction differs from the other models."""
        return [name for name, best in self.directions.items() if best != self.columns["descending"]]

    @property
    def other_tables(self) -> dict[str, tuple[str, Wanted]]:
        """The path and the columns of each table except rec, by name, in the order of their creation."""
        user, item = {"userid": self.columns["user_col"]}, {"itemid": self.columns["item_col"]}
        times = {"time": self.time or "time"} if self.history and self.time != "" else {}
        required, optional = (times, {}) if self.time else ({}, times)
        tables = {}
        if self.truth:
            columns = truth_columns(self.columns) | required
            grade = {} if self.columns["grade_col"] == "" else {"rel": "rel"}
            form: dict[str, Any] = {"form": self.form, "trec_fields": QRELS}
            tables["truth"] = self.table(self.truth, columns, grade | optional, **form)
            if self.predicted_truth is not None:
                columns = truth_columns(self.columns)
                tables["predicted_truth"] = self.table(self.predicted_truth, columns, grade, **form)
        if self.segment is not None:
            path, column = self.segment
            tables["segments"] = self.table(path, {**user, "segment": column}, {}, row_id="userid")
        if self.users is not None:
            tables["users"] = self.table(self.users, user, {}, row_id="userid")
        if self.history is not None:
            tables["history"] = self.table(self.history, {**user, **item, **required}, optional)
        if self.items is not None:
            path, column = self.items
            category = {"category": column} if column else {}
            tables["items"] = self.table(path, item | category, {}, row_id="itemid")
        system = {"system": self.columns["system_col"] or "system"}
        for i, (path, column) in enumerate(self.also, 1):
            if path:
                tables[f"{ALSO}{i}"] = self.table(path, {**user, **system, f"{ALSO}{i}": column}, {})
        for name, of in {"titles": item, "texts": user}.items():
            if shown := getattr(self, name):
                usual = ["title", "text"] if name == "titles" else ["text"]
                named = {} if shown[1] is None else {usual[0]: shown[1]}
                more = {column: column for column in usual}
                tables[name] = self.table(shown[0], of | named, more, row_id=next(iter(of)))
        return tables


@dataclass(frozen=True)
class Tables:
    """The TEMP tables of the inputs, with their models and files."""

    prefix: str  # the prefix of their names
    names: Collection[str]  # their names without the prefix
    statements: Sequence[str]  # the statements that made them
    # the models in the order of their files; none if rec has no column `system`
    models: Sequence[str]
    is_named: bool  # whether results name the models; a column with one model does not count
    files: Mapping[str | None, str]  # the file of each model by its name; None has the file of all models
    # the models whose scores have been negated; None is a model without a name
    negated: Collection[str | None]
    empty: Collection[str | None]  # the models whose lists are all empty
    ranked: Collection[str | None]  # the models without scores, whose lists are in order
    sources: Mapping[str, Sequence[Source]]  # the sources of each table, by its name without the prefix
    stdin: str  # the file with the content of standard input

    def printed(self, con: duckdb.DuckDBPyConnection) -> list[str]:
        """Return the statements to print; readers of CSV files name the types of their columns.

        Such a reader is used only if it returns the same rows as the reader that has made the table.
        """
        first = len(self.statements) - len(self.sources)
        made = [*self.statements[:first]]
        for statement, (name, sources) in zip(self.statements[first:], self.sources.items(), strict=True):
            made.append(statement)
            if all(source.csv for source in sources):
                with suppress(duckdb.Error):
                    made[-1] = named_statement(con, f"{self.prefix}{name}", sources)
        return [with_stdin(statement, self.stdin) for statement in made]


def with_own_columns(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> Inputs:
    """Read `FILE:COLUMN,...` and {table: column}, which name columns of single tables.

    Raises DataError for a table that is not there or has no such column. Other strings name a column.
    """
    shown = {"title_col": inputs.titles, "text_col": inputs.texts}
    columns = {**inputs.columns, "time_col": inputs.time}
    columns |= {argument: text[1] for argument, text in shown.items() if text}
    named = {
        role: argument for role, argument in ARGUMENTS.items() if columns_by_table(columns.get(argument))
    }
    if not named:
        return inputs
    tables = named_tables(con, inputs)
    own = dict[tuple[str, str], str]()
    for role, argument in named.items():
        mine, others = own_columns(columns[argument], role, tables, inputs.way)
        own |= mine
        columns[argument] = ",".join(others) or OPTIONS[argument].default
    titles, texts = ((text[0], columns[name]) if text else None for name, text in shown.items())
    more: dict[str, Any] = {"time": columns.pop("time_col"), "titles": titles, "texts": texts}
    return replace(inputs, columns=columns, own_columns={**own, **inputs.own_columns}, **more)


def named_tables(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[tuple[str, str, Collection[str]]]:
    """Return the path of each table, its name as an argument, and the roles of its columns."""
    labels = {"titles": "items", "texts": "segments"}  # tables that may be read for their text only
    tables = [
        (path, labels.get(name, name), [*wanted.columns])
        for name, (path, wanted) in inputs.other_tables.items()
    ]
    recs = [path for _, several, _ in model_paths(con, inputs) for path in several]
    return [*tables, *((path, "rec", ["userid", "itemid", "score", "system"]) for path in recs)]


def own_columns(
    value: str | Mapping[str, str],
    role: str,
    tables: Sequence[tuple[str, str, Collection[str]]],
    way: str,
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return the columns of single tables in an option, by path and role, and the other names in it."""
    own, others, is_by_name = dict[tuple[str, str], str](), list[str](), isinstance(value, Mapping)
    parts = (
        value.items()
        if isinstance(value, Mapping)
        else (text.rpartition(":")[::2] for text in value.split(","))
    )
    for table, column in parts:
        roles = {path: of for path, name, of in tables if table in (path, name)}
        if (is_by_name or (roles and column)) and not any(role in of for of in roles.values()):
            there = (name if is_by_name else path for path, name, of in tables if role in of)
            rule = f"{option_text(role, None, way)} must name a column of"
            raise DataError(f"{rule} {' or '.join(dict.fromkeys(there))}, got {shorten(repr(table))}")
        own |= {(path, role): column for path in roles if column}
        others += [] if roles and column else [f"{table}:{column}" if table else column]
    return own, others


def load_tables(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> Tables:
    """Make the tables; raise DataError for invalid files.

    Ids are integers if all ids of DuckDB's sample are. If a later id is no integer, making the tables fails,
    and they are made again with ids as strings. So files of integers need no extra pass.
    """
    opened, named = open_sources(con, inputs)
    check_names(named)
    truths = [opened[name] for name in ("truth", "predicted_truth") if name in opened]
    check_unread(con, inputs, truths, named)
    sources = [*opened.values(), *(rec for _, rec in named)]
    if has_lists := bool(inputs.also) and any(rec.by_list for _, rec in named):
        sources += [rows_by_list(rec) for _, rec in named]
    while True:
        sources = with_equal_ids(con, sources)
        recs = sources[len(opened) :][: len(named)]
        of_tables = {"rec": recs} if recs else {}
        of_tables |= {name: [source] for name, source in zip(opened, sources, strict=False)}
        of_tables |= {"values": sources[-len(named) :]} if has_lists else {}
        statements = [table_statement(inputs.prefix + name, of) for name, of in of_tables.items()]
        try:
            for statement in statements:
                con.execute(statement)
            break
        except duckdb.Error as error:
            if OF_CSV.search(str(error)) and not inputs.by_lines:  # after DuckDB's sample
                return load_tables(con, replace(inputs, by_lines=True))
            sources = with_ids_as_text(con, sources, error)
    if not recs:
        rows = f"SELECT userid, itemid, NULL::DOUBLE AS score FROM {inputs.prefix}truth LIMIT 0"
        con.execute(f"CREATE OR REPLACE TEMP TABLE {inputs.prefix}rec AS {rows}")
    database = inputs.catalog.path
    made = [*([attach_statement(database)] if database is not None else []), *statements]
    named = [(name, rec) for (name, _), rec in zip(named, recs, strict=True)]
    models = find_models(con, inputs, named)
    for name in inputs.directions:
        if name not in models:
            there = shorten(", ".join(filter(None, models))) or "there is one, without a name"
            raise DataError(f"descending must name models ({there}), got {shorten(repr(name))}")
    are_named = all(name for name, _ in named)
    files = {name or None: file_of(rec.path) for name, rec in named} if are_named or len(named) == 1 else {}
    return Tables(
        inputs.prefix,
        [*{"rec": recs, **of_tables}],
        [with_stdin(statement, inputs.stdin) for statement in made],
        [*models] if recs and "system" in recs[0].columns else [],
        is_named=len(models) > 1 or are_named,
        files={name: file for name, file in files.items() if file is not None},
        negated={
            name or None
            for name, rec in models.items()
            if rec.is_negated or (name in inputs.turned and name not in dict(named))
        },
        empty={name or None for name, rec in models.items() if rec.is_empty},
        ranked={name or None for name, rec in models.items() if rec.order},
        sources=of_tables,
        stdin=inputs.stdin,
    )


def with_stdin(statement: str, file: str) -> str:
    """Return a statement that reads standard input instead of the file with its content."""
    return statement if file == STDIN else statement.replace(literal(file), "'/dev/stdin'")


def find_models(
    con: duckdb.DuckDBPyConnection, inputs: Inputs, named: Sequence[tuple[str, Source]]
) -> dict[str, Source]:
    """Return the source of each model by its name, "" without a name; models of a column are sorted.

    Raises DataError if two files have the same model.
    """
    models: dict[str, Source] = {}
    for own_name, rec in named:
        names = [own_name]
        if not own_name and "system" in rec.columns:
            rows = f"({rec.select(['system'])})" if len(named) > 1 else f"{inputs.prefix}rec"
            distinct = con.execute(f"SELECT DISTINCT system FROM {rows} ORDER BY system").fetchall()
            names = [name for (name,) in distinct]
        for name in names:
            if name in models:
                rule = f"name them, as in NAME={rec.path}, or add --parts if they are parts of one table"
                there = f"{models[name].path} has a model {shorten(name)!r} too"
                raise DataError(f"{rec.path}: {there}: {rule}")
            models[name] = rec
    return models


def file_of(path: str | None) -> str | None:
    """Return the file or table of a path; None for a data frame or without a path."""
    return None if isinstance(path, Frame) else path or None


def open_sources(
    con: duckdb.DuckDBPyConnection, inputs: Inputs
) -> tuple[dict[str, Source], list[tuple[str, Source]]]:
    """Return the sources of the other tables and of the models, by name."""
    opened, named, errors = dict[str, Source](), list[tuple[str, Source]](), list[MissingColumnsError]()
    for name, (path, wanted) in inputs.other_tables.items():
        try:
            opened[name] = open_source(con, [path], wanted, inputs.catalog, inputs.stdin)
        except MissingColumnsError as error:
            errors.append(error)  # to report the missing columns of all tables together
    for model in model_paths(con, inputs):
        try:
            named.append(named_source(con, *model, inputs))
        except MissingColumnsError as error:
            errors.append(error)
    if errors:
        raise DataError(missing_text(errors, [*opened.values(), *(rec for _, rec in named)]))
    truths = [name for name in ("truth", "predicted_truth") if name in opened]
    others = [*truths, *({"history"} & {*opened})]
    items = [rec.types.get(rec.names.get("itemid", ""), "") for _, rec in named]
    for name in others if any(kind.endswith("]") for kind in items) else ():  # lists in truth too
        path, wanted = inputs.other_tables[name]
        wanted = replace(wanted, items_are_lists=True)
        opened[name] = open_source(con, [path], wanted, inputs.catalog, inputs.stdin)
    check_blanks(con, [opened[name] for name in truths], named)
    if segments := opened.get("segments"):
        text = named_text(segments, "segment", [NONE, EVERYBODY])
        opened["segments"] = replace(segments, columns={**segments.columns, "segment": text})
    for name, column in {"titles": "title", "texts": "text"}.items():
        source = opened.pop(name, None)
        if source and (shown := shown_source(source, column)):
            opened[name] = shown
    return opened, named


def check_blanks(
    con: duckdb.DuckDBPyConnection, truths: Sequence[Source], named: Sequence[tuple[str, Source]]
) -> None:
    """Raise DataError for an id with blanks in truth, if a ranking has blanks between ids."""
    rankings = [rec.path for _, rec in named if rec.order == "blanks"]
    for truth in truths if rankings else ():
        item = f"CAST({truth.columns['itemid']} AS VARCHAR)"
        query = f"SELECT {item} FROM {truth.rows} WHERE regexp_matches({item}, {literal(BLANKS)}) LIMIT 1"
        for (got,) in con.execute(query).fetchall():
            rule = f"must have a row for each id, since {rankings[0]} has blanks between ids"
            raise DataError(f"{truth.path}: {rule}, got {shorten(repr(got))}")


def shown_source(source: Source, column: str) -> Source | None:
    """Return the source of ids with their text to show; None if there is nothing to show."""
    shown = [source.columns[role] for role in SHOWN if role in source.columns]
    if not shown and column != "title":  # ids alone are useful for items: they show missing ones
        return None
    # Show the text of a passage without a title.
    first = ", ".join(f"nullif(trim(CAST({sql} AS VARCHAR)), '')" for sql in shown)
    text = f"left(coalesce({first}), {LONGEST})" if shown else "CAST(NULL AS VARCHAR)"
    ids = {role: sql for role, sql in source.columns.items() if role in IDS}
    return replace(source, columns={**ids, column: text})


def check_unread(
    con: duckdb.DuckDBPyConnection,
    inputs: Inputs,
    truths: Sequence[Source],
    named: Sequence[tuple[str, Source]],
) -> None:
    """Raise DataError for an unread column that would change all values, as the table functions do."""
    for truth in truths:
        check_grades(con, inputs, truth)
        check_order(con, inputs, truth, named)
    for _, rec in named:
        for found in unread(inputs.names(rec), {"rec": rec.types}, inputs.way):
            raise DataError(f"{rec.path}: {found.text.removeprefix('rec ')}")
        check_lists(con, rec)


def check_lists(con: duckdb.DuckDBPyConnection, rec: Source) -> None:
    """Raise DataError if a user has several lists without scores, since their ranks cannot be combined."""
    if not rec.order:
        return
    user, *systems = [rec.columns[role] for role in ("userid", "system") if role in (*rec.names, "userid")]
    query = f"SELECT CAST({user} AS VARCHAR) FROM {rec.rows} WHERE abs({rec.columns['score']}) = 1"
    query += f" GROUP BY {', '.join([user, *systems])} HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
    for (got,) in con.execute(query).fetchall():
        rule = f"without scores, each {units(1)} must have one list of ids"
        raise DataError(f"{rec.path}: {rule}, got several of {shorten(repr(got))}")


def grade_of(inputs: Inputs, truth: Source) -> str | None:
    """Return the column that is read as the grade, or "" for none; None if the user has named it."""
    is_named = inputs.columns["grade_col"] is not None or (truth.path, "rel") in inputs.own_columns
    grade = truth.columns.get("rel", "").strip('"').lower()
    return None if is_named or grade not in ("", "score") else grade


def check_grades(con: duckdb.DuckDBPyConnection, inputs: Inputs, truth: Source) -> None:
    """Raise DataError for unread columns of truth that look like grades by their names or values."""
    if (grade := grade_of(inputs, truth)) is None:
        return
    found = unread(inputs.names(truth), {"truth": truth.types}, inputs.way)
    names = [one.column for one in found if one.column.lower() != grade]
    names = [*dict.fromkeys([*names, *([] if grade else hidden_grades(con, inputs, truth))])]
    if names:
        text = grade_not_read(names, inputs.way).removeprefix("truth ")
        order = f"; {ORDER}" * (names[0].lower() == inputs.columns["score_col"].lower())
        raise DataError(f"{truth.path}: {text}{order}")


def hidden_grades(con: duckdb.DuckDBPyConnection, inputs: Inputs, truth: Source) -> list[str]:
    """Return the unread columns of truth that look like grades by their values, by the rule of SQL."""
    read = {part for name in truth.names.values() for part in (name, name.rpartition(".")[2])}
    if not truth.file_rows or {*truth.types} <= read:
        return []
    call = Call("evaluate", score=inputs.columns["score_col"])
    columns = f"COLUMNS(lambda c: c NOT IN ({', '.join(map(literal, read))}))"
    rows = f"(SELECT {columns} FROM (SELECT NULL AS ranking_absent, * FROM {truth.file_rows}))"
    query = module("tables/internal/reading.jinja").unread(call, rows)
    ((names,),) = con.execute(f"SELECT hidden_grades FROM ({query})").fetchall()
    return [*names]


def check_order(
    con: duckdb.DuckDBPyConnection, inputs: Inputs, truth: Source, named: Sequence[tuple[str, Source]]
) -> None:
    """Raise DataError if qrels and a run are swapped; they may have the same columns."""
    if not grade_of(inputs, truth):
        return
    count, is_whole = numbers_in(con, truth, "score")
    like_qrels = (rec for _, rec in named if rec.columns["userid"].lower() == '"query-id"')
    scores = {rec.path: numbers_in(con, rec, "score") for rec in like_qrels}
    fewer = [path for path, (values, are_whole) in scores.items() if are_whole and values < count]
    if fewer or not is_whole:
        numbers = f"more values than the scores of {fewer[0]}" if is_whole else "fractions"
        rule = f"{ORDER}; {option_text('rel', 'score', inputs.way)} if these are grades"
        raise DataError(f"{truth.path}: score, the grade in BEIR's qrels, has {numbers}: {rule}")


def numbers_in(con: duckdb.DuckDBPyConnection, source: Source, name: str) -> tuple[int, bool]:
    """Return the number of distinct numbers in a column, and whether all are integers.

    JSON files are read with wanted columns only; for any other column, assume several fractions.
    """
    value = f"TRY_CAST({identifier(name)} AS DOUBLE)"
    query = f"SELECT count(DISTINCT {value}), coalesce(bool_and({value} = trunc({value})), true)"
    with suppress(duckdb.BinderException):
        ((count, is_whole),) = con.execute(f"{query} FROM {source.rows}").fetchall()
        return count, is_whole
    return 2, False


def table_statement(name: str, sources: Sequence[Source]) -> str:
    """Return the statement that makes a table: a copy of CSV or JSON files, else a view."""
    kind = "TABLE" if any(source.is_text for source in sources) else "VIEW"
    every = dict.fromkeys(role for source in sources for role in source.columns)
    lacking = {role: "NULL" for role in every if role == "rank" or is_also(role)}
    sources = [replace(source, columns={**lacking, **source.columns}) for source in sources]
    order = (*COLUMN_ORDER, *SHOWN, *filter(is_also, every))
    names = [column for column in order if column in sources[0].columns]
    query = "\nUNION ALL\n".join(source.select(names) for source in sources)
    return f"CREATE OR REPLACE TEMP {kind} {name} AS\n{query}"


def named_statement(con: duckdb.DuckDBPyConnection, name: str, sources: Sequence[Source]) -> str:
    """Return the statement that makes a table by readers that name the types of its columns.

    Raises:
        duckdb.Error: The readers fail, or return other rows than the table has.
    """
    described = con.execute(f"DESCRIBE {name}").fetchall()
    kinds = {column: kind for column, kind, *_ in described}
    statement = table_statement(name, [source.with_named_types(con, kinds) for source in sources])
    query = statement.partition(" AS\n")[2]
    rows = "SELECT typeof(any_value(one)), count(*), sum(hash(one)) FROM {} AS one"
    if con.execute(rows.format(f"({query})")).fetchall() != con.execute(rows.format(name)).fetchall():
        raise duckdb.InvalidInputException(f"{name}: other rows")
    return statement


def with_equal_ids(con: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> list[Source]:
    """Give text files the types of ids of the other sources; raise DataError if these types differ."""
    for name in IDS:
        having = [source for source in sources if name in source.ids]
        typed = {source.ids[name]: source.path for source in having if not source.is_text}
        kinds = set(typed) or {source.ids[name] for source in having}
        families = {*map(family, kinds)}
        if families == {"INTEGER"}:
            kind = "UBIGINT" if "UBIGINT" in kinds else "BIGINT"
        elif len(families) > 1 and typed:
            got = " and ".join(f"{shorten(kind)} in {path}" for kind, path in list(typed.items())[:2])
            kind = reduce(common_type, typed)
            raise types_error(name, got, having, kind)
        else:
            kind = kinds.pop() if len(kinds) == 1 else "VARCHAR"
        sources = [
            source.with_type(name, kind) if source.is_text and name in source.ids else source
            for source in sources
        ]
    return list(sources)


def types_error(name: str, got: str, sources: Iterable[Source], kind: str) -> DataError:
    """Return the error for ids of several types, with casts to a common type."""
    others = [source for source in sources if not source.is_text and source.ids[name] != kind]

    def cast(source: Source) -> str:
        if not isinstance(source.path, Frame):
            return cast_id(source.columns[name], source.ids[name], kind)
        own = source.names.get(name, name)
        own = f"int({own})" if kind == "VARCHAR" and source.ids[name] in FLOATS else own
        return f"{IN_PYTHON.get(kind, kind)}({own})"

    casts = " and ".join(f"{cast(source)} in {source.path}" for source in others)
    own = others[0].names.get(name, name)
    return DataError(f"{own} must be of one type, got {got}; write {shorten(casts)}")


def with_ids_as_text(
    con: duckdb.DuckDBPyConnection, sources: Sequence[Source], error: duckdb.Error
) -> list[Source]:
    """Change the ids that caused the error to strings; raise any other error."""
    for name in IDS:
        for source in (candidate for candidate in sources if name in candidate.ids):
            _, is_found, value = str(error).partition(source.id_error(name))
            if not is_found:
                continue
            having = [candidate for candidate in sources if name in candidate.ids]
            for other in (candidate for candidate in having if not candidate.is_text):
                got = f"{shorten(other.ids[name])} in {other.path}, {shorten(value)!r} in {source.path}"
                query = f"SELECT TRY_CAST(TRY_CAST($1 AS {other.ids[name]}) AS VARCHAR)"
                ((as_typed,),) = con.execute(query, [value]).fetchall()
                is_whole = bool(re.match("FLOAT|DOUBLE|DECIMAL", other.ids[name])) and value.isdecimal()
                if is_whole:
                    column = other.columns[name]
                    query = f"SELECT 1 FROM {other.rows} WHERE {column} <> trunc({column}) LIMIT 1"
                    is_whole = not con.execute(query).fetchall()
                if as_typed is not None and not is_whole:
                    rule = f"write ids in {source.path} as {shorten(other.ids[name])}, {as_typed!r} for"
                    raise DataError(
                        f"{name} must be of one type, got {got}; {rule} {shorten(value)!r}"
                    ) from None
                raise types_error(name, got, having, "BIGINT" if is_whole else "VARCHAR") from None
            return [
                candidate.with_type(name, "VARCHAR") if candidate is source else candidate
                for candidate in sources
            ]
    raise error


def model_paths(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[tuple[str, list[str], bool]]:
    """Return the name of each model, or "", its paths, and whether its highest score is the best.

    A model has one path, or the paths of all parts with its name.
    """
    named = [name_and_path(con, rec, inputs.catalog) for rec in inputs.recs]
    models: dict[tuple[str, int], tuple[list[str], set[bool]]] = {}
    for i, (name, path, descending) in enumerate(named):
        paths, directions = models.setdefault((name, 0 if inputs.parts else i), ([], set()))
        paths.append(path)
        usual = inputs.directions.get(name, inputs.columns["descending"])
        directions.add(usual if descending is None else descending)
        if len(directions) > 1:
            raise DataError(f"{path}: all parts of a model must be :ascending, or none")
    return [(name, paths, True in directions) for (name, _), (paths, directions) in models.items()]


def named_source(
    con: duckdb.DuckDBPyConnection, name: str, paths: Sequence[str], descending: bool, inputs: Inputs
) -> tuple[str, Source]:
    """Return the name of a model and its source; the source has a column `system` if models have names.

    Scores with another direction than the other models are negated.
    """
    optional = {} if inputs.columns["system_col"] == "" else {"system": "system"}
    columns = rec_columns(inputs.columns)
    columns |= {f"{ALSO}{i}": column for i, (path, column) in enumerate(inputs.also, 1) if not path}
    _, wanted = inputs.table(paths[0], columns, optional, form=inputs.form, trec_fields=RUN)
    if "rank" not in map(str.lower, wanted.required.values()):
        wanted = replace(wanted, optional={**optional, "rank": "rank"})
    source = open_source(con, paths, wanted, inputs.catalog, inputs.stdin)
    check_also(source, inputs)
    source = with_direction(source, name, descending, inputs)
    if name and "system" in source.columns and not source.is_trec:
        raise DataError(f"{source.path}: has a column 'system', with its models; remove {name}=")
    if not name and "system" in source.columns:
        system = f"coalesce({named_text(source, 'system', [NONE])}, {literal(NONE)})"
    elif name:
        system = literal(name)
    else:
        return "", source
    return name, replace(source, columns={**source.columns, "system": system})


def rows_by_list(rec: Source) -> Source:
    """Return the source of the columns of option also and their keys; its rows have empty lists too."""
    columns = {role: sql for role, sql in rec.columns.items() if role not in OF_ITEMS}
    return replace(rec, rows=rec.by_list or rec.rows, columns=columns, csv="")


def check_also(source: Source, inputs: Inputs) -> None:
    """Raise DataError for a column to compare that a TREC run cannot have, or that is a key."""
    called = option_text("also_1", None, inputs.way)
    own = [column for path, column in inputs.also if not path]
    if own and source.is_trec:
        rule = f"{called} needs columns, and a TREC run has none: write a file with them, as in FILE:{own[0]}"
        raise DataError(f"{source.path}: {rule}, got {', '.join(map(shorten, own))}")
    keys = {source.names.get(role, "") for role in (*IDS, "system")}
    for column in (column for role, column in source.names.items() if is_also(role) and column in keys):
        raise DataError(
            f"{source.path}: {called} must be columns of numbers other than the keys, got {shorten(column)}"
        )


def with_direction(source: Source, name: str, descending: bool, inputs: Inputs) -> Source:
    """Return a source with the direction of the other models; DataError for the order of a list of ids."""
    is_other_end = descending != inputs.columns["descending"]
    if source.order and name in inputs.directions:  # the order of ids is their ranking in any case
        descending, is_other_end = inputs.columns["descending"], False
    if source.order and is_other_end:
        direction = "descending" if descending else "ascending"
        raise DataError(f"{source.path}: the order of its ids is their ranking; remove :{direction}")
    is_turned = is_other_end or (bool(source.order) and not descending)
    has_turned = not name and "system" in source.columns and inputs.turned
    if not is_turned and not has_turned:
        return source
    score = source.columns["score"]
    opposite = f"0::HUGEINT - {score}"  # it cannot overflow, unlike -score
    if not is_turned:
        models = ", ".join(map(literal, inputs.turned))
        is_one = f"CAST({source.columns['system']} AS VARCHAR) IN ({models})"
        opposite = f"CASE WHEN {is_one} THEN {opposite} ELSE {score} END"
    return replace(source, columns={**source.columns, "score": opposite}, is_negated=is_other_end)


def check_names(recs: Sequence[tuple[str, Source]]) -> None:
    """Raise DataError if there are several files and one of them names no model.

    A shell expands `rec/*.parquet` to several files, which may be models or parts of one model.
    """
    unnamed = [source.path for _, source in recs if "system" not in source.columns]
    if unnamed and len(recs) > 1:
        names = " ".join(f"{os.path.basename(path).partition('.')[0]}={path}" for path in unnamed[:2])
        rule = f"name each model, as in {shorten(names)}, or add --parts if they are parts of one table"
        raise DataError(f"{len(recs)} files of recommendations, {len(unnamed)} without a name: {rule}")


def name_and_path(
    con: duckdb.DuckDBPyConnection, rec: str | tuple[str, str], catalog: Catalog
) -> tuple[str, str, bool | None]:
    """Return the name of a model, or "", its path, and whether its highest score is the best.

    The direction is None if the path has no such suffix.
    """

    def is_there(text: str) -> bool:  # only a server knows whether a URL exists
        return bool(catalog.find(con, text) or ("://" not in text and list_files(con, text)))

    name, text = rec if isinstance(rec, tuple) else ("", rec)
    if isinstance(text, Frame) or is_there(text):
        return name, text, None
    if not isinstance(rec, tuple):
        before, equals, behind = text.partition("=")
        name, text = (before, behind) if equals and os.path.basename(before) == before else (name, text)
    path, _, direction = text.rpartition(":")
    is_direction = direction in DIRECTIONS and not is_there(text)
    return (name, path, DIRECTIONS[direction]) if is_direction else (name, text, None)


def named_text(source: Source, role: str, taken: Sequence[str]) -> str:
    """Return the SQL of a column of names; it raises an error for names with a meaning in results."""
    text = f"CAST({source.columns[role]} AS VARCHAR)"
    rule = f"{source.path}: {role} must not be {' or '.join(taken)}, a reserved name in results, got "
    names = ", ".join(map(literal, taken))
    return f"CASE WHEN {text} IN ({names}) THEN error({literal(rule)} || {text}) ELSE {text} END"


def input_files(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[str]:
    """Return all input files."""
    paths = [name_and_path(con, rec, inputs.catalog)[1] for rec in inputs.recs]
    paths += [path for path, _ in inputs.other_tables.values()]
    paths = [plain_path(path) for path in paths if not inputs.catalog.find(con, path)]
    return [file for path in paths for file in list_files(con, path)] + [*filter(None, [inputs.catalog.path])]

"""The TEMP tables rec, truth, segments, history and items, made of files or of tables of a database.

A text file has no types, so that an id is what is written there: an integer if all ids of that name, in all
text files, are written as DuckDB writes integers, and else text. An id of a Parquet file or of a database has
the type that it has there, and the text files beside it must write it as DuckDB would. So no two texts become
one id.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import duckdb

from ..duckdb.internal import COLUMN_TEXTS, LIKE
from ..duckdb.statements import identifier, literal
from ..evaluation.defaults import EVERYBODY, NONE
from ..evaluation.errors import DataError, UsageError
from ..evaluation.options import COLUMNS, Columns
from ..texts import shorten
from .catalogs import Catalog, Frame
from .files import (
    IDS,
    QRELS,
    RUN,
    STDIN,
    MissingColumnsError,
    Source,
    Wanted,
    list_files,
    open_source,
    option,
    type_family,
    written,
)

COLUMN_ORDER = ("system", "userid", "itemid", "score", "rank", "rel", "segment", "time", "category")
Result = TypeVar("Result")
FILES = Catalog()
DIRECTIONS = {"ascending": False, "descending": True}  # of the best score, as written behind a path


@dataclass(frozen=True)
class Inputs:
    """The inputs of an evaluation, as the user names them."""

    # each `path`, `name=path`, or a name and a path; behind a path may stand `:ascending` or `:descending`,
    # where the best score of that model is not the best of the others
    recs: Sequence[str | tuple[str, str]]
    truth: str  # a path; "" for none, where recommendations alone are looked at
    columns: Columns = COLUMNS  # what the files call their columns
    segment: tuple[str, str] | None = None  # a path, and its column that says which segment a user belongs to
    form: str = "auto"  # "auto", "table" or "trec": what kind of files recs and truth are
    parts: bool = False  # whether recs of one name, or without a name, are parts of one table
    # the models of a column `system` whose lowest score is the best, unlike that of the others
    ascending: Sequence[str] = ()
    catalog: Catalog = FILES  # the tables that a path may name; if it names none, it is a file
    stdin: str = STDIN  # the file with the content of standard input, which a path `-` means
    prefix: str = ""  # the beginning of the names of the TEMP tables, so that no view means one of them
    history: str | None = None  # a path: the events that the recommendations were made of
    items: tuple[str, str] | None = None  # a path: the catalogue, and its column of categories
    time: str | None = None  # their and truth's column of times; None for `time`, "" for none
    # whether errors name the options of the command, and not the arguments of Python
    is_command: bool = False

    @property
    def other_tables(self) -> dict[str, tuple[str, Wanted]]:
        """The path and the columns of each table but rec by its name, in the order in which they are made."""
        user, item = {"userid": self.columns.user_col}, {"itemid": self.columns.item_col}
        times = {"time": self.time or "time"} if self.history and self.time != "" else {}
        required, optional = (times, {}) if self.time else ({}, times)
        found = {}
        if self.truth:
            columns = self.columns.of_truth | required
            grade = {} if self.columns.grade_col == "" else {"rel": "rel"}
            found["truth"] = self.truth, Wanted(columns, grade | optional, self.form, QRELS)
        if self.segment is not None:
            found["segments"] = self.segment[0], Wanted({**user, "segment": self.segment[1]})
        if self.history is not None:
            found["history"] = self.history, Wanted({**user, **item, **required}, optional)
        if self.items is not None:
            found["items"] = self.items[0], Wanted({**item, "category": self.items[1]})
        return found


@dataclass(frozen=True)
class Tables:
    """The TEMP tables rec, truth and, if there is a file of segments, segments."""

    prefix: str  # the beginning of their names
    statements: Sequence[str]  # the SQL that made them
    has_system: bool  # whether rec has a column `system`, which tells models apart
    systems: Sequence[str]  # the models to name, in the order of their files
    files: Mapping[str | None, str]  # the file of each model by its name, or under None that of all
    # the models, with their sources, whose scores all have the opposite sign of those given
    negated: Sequence[tuple[str, Source]]
    truth: str | None  # the file of truth, if it is one
    history: str | None = None  # that of the history


def load(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> Tables:
    """Make the tables; raise DataError if the files cannot be what they should be.

    Ids are integers if they are in the sample that DuckDB looks at. Where a later one is not, making the
    tables fails, and they are made again with text, so that files of integers need no pass of their own.
    """
    opened, named = open_sources(con, inputs)
    truth = opened.get("truth")
    check_names(named)
    check_unread(con, inputs, truth, named)
    sources = [*opened.values(), *(rec for _, rec in named)]
    systems = system_names(con, named)
    while True:
        sources = with_equal_ids(con, sources)
        recs, others = sources[-len(named) :], sources[: -len(named)]
        statements = [table_statement(inputs.prefix + "rec", recs)]
        statements += [
            table_statement(inputs.prefix + name, [one]) for name, one in zip(opened, others, strict=True)
        ]
        try:
            for statement in statements:
                con.execute(statement)
        except duckdb.Error as error:
            sources = with_ids_as_text(sources, error)
        else:
            made = [*inputs.catalog.statements(), *statements]
            if inputs.stdin != STDIN:
                made = [one.replace(literal(inputs.stdin), "'/dev/stdin'") for one in made]
            has_system = "system" in recs[0].columns
            files, of_truth = files_of(named), file_of(truth) if truth else None
            history = None if isinstance(inputs.history, Frame) else inputs.history
            negated = [(name, rec) for name, rec in named if rec.is_negated]
            tables = Tables(inputs.prefix, made, has_system, systems, files, negated, of_truth, history)
            check_ascending(con, inputs, tables)
            return tables


def open_sources(
    con: duckdb.DuckDBPyConnection, inputs: Inputs
) -> tuple[dict[str, Source], list[tuple[str, Source]]]:
    """Return the sources of the other tables by their names, and the models with theirs.

    Raises:
        DataError: columns are missing; a file cannot be what it should be.
    """
    others = inputs.other_tables
    first = [name for name in others if name == "truth"]  # which errors name first
    try:
        found = {name: other_source(con, name, *others.pop(name), inputs) for name in first}
        named = [named_source(con, *model, inputs) for model in model_paths(con, inputs)]
        found |= {name: other_source(con, name, *of, inputs) for name, of in others.items()}
    except MissingColumnsError as error:
        raise error.with_advice(inputs.is_command) from None
    return found, named


def files_of(named: Sequence[tuple[str, Source]]) -> dict[str | None, str]:
    """Return the file of each model by its name, or under None that of all."""
    if len(named) > 1 and not all(name for name, _ in named):
        return {}
    files = {name or None: file_of(source) for name, source in named}
    return {name: file for name, file in files.items() if file is not None}


def file_of(source: Source) -> str | None:
    """Return the file or table of a source; None for a data frame."""
    return None if isinstance(source.path, Frame) else source.path


def check_unread(
    con: duckdb.DuckDBPyConnection, inputs: Inputs, truth: Source | None, named: Sequence[tuple[str, Source]]
) -> None:
    """Raise DataError for a column that is not read and would change every number, as table functions do.

    A file that was given the name of a model may have a column with it.
    """
    columns = inputs.columns

    def say(role: str, column: str) -> str:
        return written(role, column, inputs.is_command)

    def unread(what: str, source: Source, read: str | None = None) -> Iterator[str]:
        found = con.execute(f"SELECT {LIKE}{what}({COLUMN_TEXTS}(?))", [source.type]).fetchall()
        return (name for name in found[0][0] if name.lower() != (read or "").lower())

    if truth and columns.grade_col is None and "rel" not in truth.columns:
        for name in unread("grades", truth):
            if name.lower() == columns.score_col.lower() and not differs(con, truth, name):
                continue  # as of BEIR's qrels, all of which are relevant
            rule = f"{say('rel', name)} takes it as the grade; {say('rel', '')} makes every row of truth"
            raise DataError(f"{truth.path}: has a column {name} that is not read: {rule} relevant")
    for _, rec in named:
        one_list = f"{say('system', '')} if each user has one list"
        if columns.system_col is None and "system" not in rec.columns:
            for name in unread("systems", rec):
                rule = f"{say('system', name)} keeps models apart; {one_list}"
                raise DataError(f"{rec.path}: has a column {name} that is not read: {rule}")
        elif columns.system_col != "":
            one_list = "leave it out if each user has one list"
        for name in unread("runs", rec, columns.system_col) if columns.system_col != "" else ():
            system = option("system", inputs.is_command)
            rule = f"as {system}, name a column with system/{name} (then take the mean of each user's runs)"
            problem = f"has a column {name} that is not read, and would make one list of several runs"
            raise DataError(f"{rec.path}: {problem}: {rule}; {one_list}")


def differs(con: duckdb.DuckDBPyConnection, source: Source, name: str) -> bool:
    """Return whether a column has more than one value; NULL does not count as one."""
    column = identifier(name)
    statement = f"SELECT min({column}) IS DISTINCT FROM max({column}) FROM {source.rows}"
    return (True,) in con.execute(statement).fetchall()


def table_statement(name: str, sources: Sequence[Source]) -> str:
    """Return the statement that makes a table: a copy of what is costly to read again, else a view."""
    kind = "TABLE" if any(source.is_text for source in sources) else "VIEW"
    if any("rank" in source.columns for source in sources):  # which only the check reads
        sources = [replace(one, columns={"rank": "NULL", **one.columns}) for one in sources]
    names = [column for column in COLUMN_ORDER if column in sources[0].columns]
    query = "\nUNION ALL\n".join(source.select(names) for source in sources)
    return f"CREATE OR REPLACE TEMP {kind} {name} AS\n{query}"


def with_equal_ids(con: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> list[Source]:
    """Give text files the type of id that the other sources have; DataError if those differ."""
    for name in IDS:
        having = [source for source in sources if name in source.ids]
        typed = {source.ids[name]: source.path for source in having if not source.is_text}
        kinds = set(typed) or {source.ids[name] for source in having}
        families = {type_family(con, kind) for kind in kinds}
        if families == {"INTEGER"}:
            kind = "UBIGINT" if "UBIGINT" in kinds else "BIGINT"
        elif len(families) > 1 and typed:
            got = " and ".join(f"{shorten(kind)} in {path}" for kind, path in list(typed.items())[:2])
            raise DataError(f"{name} must be of one type, got {got}")
        else:
            kind = kinds.pop() if len(kinds) == 1 else "VARCHAR"
        sources = [one.with_type(name, kind) if one.is_text and name in one.ids else one for one in sources]
    return list(sources)


def with_ids_as_text(sources: Sequence[Source], error: duckdb.Error) -> list[Source]:
    """Make those ids text that the error complains of; any other error is raised."""
    for name in IDS:
        for source in (one for one in sources if name in one.ids):
            _, is_found, value = str(error).partition(source.id_error(name))
            if not is_found:
                continue
            for other in sources:
                if name in other.ids and not other.is_text:
                    got = f"{shorten(other.ids[name])} in {other.path}, {shorten(value)!r} in {source.path}"
                    raise DataError(f"{name} must be of one type, got {got}") from None
            return [one.with_type(name, "VARCHAR") if one is source else one for one in sources]
    raise error


def model_paths(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[tuple[str, list[str], bool]]:
    """Return the name of each model, or "", its paths, and whether its highest score is the best.

    There is one path, or all parts of that name.
    """
    found = [name_and_path(con, rec, inputs.catalog) for rec in inputs.recs]
    models: dict[tuple[str, int], tuple[list[str], set[bool]]] = {}
    for i, (name, path, descending) in enumerate(found):
        paths, directions = models.setdefault((name, 0 if inputs.parts else i), ([], set()))
        paths.append(path)
        directions.add(inputs.columns.descending if descending is None else descending)
        if len(directions) > 1:
            raise DataError(f"{path}: all parts of a model must be :ascending, or none")
    return [(name, paths, True in directions) for (name, _), (paths, directions) in models.items()]


def named_source(
    con: duckdb.DuckDBPyConnection, name: str, paths: Sequence[str], descending: bool, inputs: Inputs
) -> tuple[str, Source]:
    """Return the name of a model and its source, with a column `system` if it has one, or a name.

    Where its best score is not the best of the others, the scores are taken with the opposite sign, and so
    are those of models in the file that `ascending` names.
    """
    optional = {} if inputs.columns.system_col == "" else {"system": "system"}
    if "rank" not in (name.lower() for name in inputs.columns.of_rec.values()):
        optional["rank"] = "rank"
    wanted = Wanted(inputs.columns.of_rec, optional, inputs.form, RUN)
    source = open_source(con, paths, wanted, inputs.catalog, inputs.stdin)
    score = source.columns["score"]
    opposite = f"0::HUGEINT - {score}"  # no type overflows so, as an unsigned one does in -score
    if descending != inputs.columns.descending:
        source = replace(source, columns={**source.columns, "score": opposite}, is_negated=True)
    if name and "system" in source.columns and not source.is_trec:
        raise DataError(f"{source.path}: has a column 'system', which names its models: leave {name}= out")
    if not name and "system" in source.columns:
        system = f"coalesce({named_text(source, 'system', [NONE])}, {literal(NONE)})"
    elif name:
        system = literal(name)
    else:
        return "", source
    source = replace(source, columns={**source.columns, "system": system})
    if inputs.ascending and not source.is_negated:
        names = ", ".join(map(literal, inputs.ascending))
        one_of = f"CASE WHEN {system} IN ({names}) THEN {opposite} ELSE {score} END"
        source = replace(source, columns={**source.columns, "score": one_of})
    return name, source


def check_ascending(con: duckdb.DuckDBPyConnection, inputs: Inputs, tables: Tables) -> None:
    """Raise UsageError if `ascending` names what is no model."""
    systems = systems_of(con, tables) if inputs.ascending else []
    for name in inputs.ascending:
        if name not in systems:
            rule = "be without a name where no column tells models apart"
            rule = f"name a model ({shorten(', '.join(systems))})" if systems else rule
            raise UsageError(f"--ascending must {rule}, got {shorten(repr(name))}")


def negated_systems(con: duckdb.DuckDBPyConnection, inputs: Inputs, tables: Tables) -> set[str | None]:
    """Return the models whose scores have the opposite sign of those given, None where all are of one."""
    return {*inputs.ascending} | {name or None for one in tables.negated for name in names_in(con, *one)}


def check_names(recs: Sequence[tuple[str, Source]]) -> None:
    """Raise DataError if there are several files, and one that does not say which model it is of.

    A shell makes several files of `rec/*.parquet`: whether those are models or parts of one, no one can see.
    """
    unnamed = [source.path for _, source in recs if "system" not in source.columns]
    if unnamed and len(recs) > 1:
        names = " ".join(f"{os.path.basename(path).partition('.')[0]}={path}" for path in unnamed[:2])
        rule = f"name each model, as in {shorten(names)}, or say --parts if they are parts of one table"
        raise DataError(f"{len(recs)} files of recommendations, {len(unnamed)} without a name: {rule}")


def name_and_path(
    con: duckdb.DuckDBPyConnection, rec: str | tuple[str, str], catalog: Catalog
) -> tuple[str, str, bool | None]:
    """Return the name that a model is given, or "", its path, and whether its highest score is the best.

    The last is None where it is not said.
    """
    name, text = rec if isinstance(rec, tuple) else ("", rec)
    if isinstance(text, Frame) or catalog.find(con, text) or list_files(con, text):
        return name, text, None
    if not isinstance(rec, tuple):
        before, equals, behind = text.partition("=")
        name, text = (before, behind) if equals and os.path.basename(before) == before else (name, text)
    path, _, direction = text.rpartition(":")
    is_direction = direction in DIRECTIONS and not catalog.find(con, text) and not list_files(con, text)
    return (name, path, DIRECTIONS[direction]) if is_direction else (name, text, None)


def other_source(
    con: duckdb.DuckDBPyConnection, name: str, path: str, wanted: Wanted, inputs: Inputs
) -> Source:
    """Return the source of a table other than rec."""
    source = open_source(con, [path], wanted, inputs.catalog, inputs.stdin)
    if name != "segments":
        return source
    text = named_text(source, "segment", [NONE, EVERYBODY])
    return replace(source, columns={**source.columns, "segment": text})


def named_text(source: Source, role: str, taken: Sequence[str]) -> str:
    """Return the SQL of a column of names, an error for those that mean something else in results."""
    text = f"CAST({source.columns[role]} AS VARCHAR)"
    rule = f"{source.path}: no {role} may be called {' or '.join(taken)}, as in the results others are, got "
    names = ", ".join(map(literal, taken))
    return f"CASE WHEN {text} IN ({names}) THEN error({literal(rule)} || {text}) ELSE {text} END"


def system_names(con: duckdb.DuckDBPyConnection, recs: Sequence[tuple[str, Source]]) -> list[str]:
    """Return the models, in the order of their files; DataError if two files share one."""
    if len(recs) == 1:  # if it was given no name, its models are known when it is read
        return [name for name, _ in recs if name]
    paths: dict[str, str] = {}
    for given, rec in recs:
        for name in names_in(con, given, rec):
            if name in paths:
                there = f"{paths[name]} has a model {shorten(name)!r} too"
                rule = f"name them, as in NAME={rec.path}, or say --parts if they are parts of one table"
                raise DataError(f"{rec.path}: {there}: {rule}")
            paths[name] = rec.path
    return list(paths)


def names_in(con: duckdb.DuckDBPyConnection, given: str, rec: Source) -> list[str]:
    """Return the model of a source, or the models of its column `system`."""
    if given or "system" not in rec.columns:
        return [given]
    query = f"SELECT DISTINCT system FROM ({rec.select(['system'])}) ORDER BY system"
    return [name for (name,) in con.execute(query).fetchall()]


def input_files(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[str]:
    """Return all files that are read."""
    paths = [name_and_path(con, rec, inputs.catalog)[1] for rec in inputs.recs]
    paths += [path for path, _ in inputs.other_tables.values()]
    paths = [path for path in paths if not inputs.catalog.find(con, path)]
    return [file for path in paths for file in list_files(con, path)] + inputs.catalog.files()


def systems_of(con: duckdb.DuckDBPyConnection, tables: Tables) -> list[str]:
    """Return the models, in the order of their files; none where no column of rec tells them apart."""
    systems = list(tables.systems)
    if tables.has_system and not systems:
        query = f"SELECT DISTINCT system FROM {tables.prefix}rec ORDER BY 1"
        systems = [name for (name,) in con.execute(query).fetchall()]
    return systems

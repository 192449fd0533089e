"""The TEMP tables of an evaluation, rec, truth and segments, made of files or of tables of a database.

A text file has no types, so that an id is what is written there: an integer if all ids of that name, in all
text files, are written as DuckDB writes integers, and else text. An id of a Parquet file or of a database has
the type that it has there, and the text files beside it must write it as DuckDB would. So no two texts become
one id.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory

import duckdb

from ..duckdb.statements import literal
from .files import (
    IDS,
    QRELS,
    RUN,
    STDIN,
    Source,
    family,
    files_of,
    open_source,
    relation,
)
from .messages import DataError, one_line, shortened
from .session import attach_statement, database_name

COLUMNS = ("system", "userid", "itemid", "score", "rel", "segment")
NONE = "(none)"  # the name of a model without one


@dataclass(frozen=True)
class Inputs:
    """The files of an evaluation, as the user names them.

    recs     each `path` or `name=path`
    truth    a path
    columns  our column names: what the files call them; without `rel` and `system` where that is not said
    segment  a path, and its column that says which segment a user belongs to
    form     "auto", "table" or "trec": what kind of files recs and truth are
    parts    whether recs of one name, or without a name, are parts of one table
    database the path of a database, whose tables and views may be named in place of files
    stdin    the file that holds what standard input, a path `-`, held
    """

    recs: Sequence[str]
    truth: str
    columns: Mapping[str, str]
    segment: tuple[str, str] | None = None
    form: str = "auto"
    parts: bool = False
    database: str | None = None
    stdin: str = STDIN

    @property
    def prefix(self) -> str:
        """What the names of the TEMP tables begin with, so that no view of a database means one of them."""
        return "_ranking_command_" if self.database else ""


@dataclass(frozen=True)
class Tables:
    """The TEMP tables rec, truth and, if there is a file of segments, segments.

    prefix      what their names begin with
    statements  what made them
    has_system  whether rec has a column `system`, which tells models apart
    systems     the models to name, in the order of their files
    unread      what is to be said of columns that look like grades or systems
    """

    prefix: str
    statements: Sequence[str]
    has_system: bool
    systems: Sequence[str]
    unread: Sequence[str]


def load(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> Tables:
    """Make the tables; DataError if the files cannot be what they should be.

    That text is an integer is taken on trust from the sample that DuckDB looks at, and seen while the tables
    are made: where it is not so, they are made again, which costs files of integers no pass of their own.
    """
    database = inputs.database and database_name(inputs.database)
    of_truth = {ours: name for ours, name in inputs.columns.items() if ours not in ("score", "system")}
    where = database, inputs.stdin
    truth = open_source(con, [inputs.truth], inputs.form, QRELS, of_truth, {"rel": "rel"}, *where)
    models = models_of(con, inputs, database)
    named = [named_source(con, *model, inputs, database) for model in models]
    check_names(named)
    sources = [truth, *segment_sources(con, inputs, database), *(rec for _, rec in named)]
    systems = system_names(con, named)
    while True:
        sources = with_equal_ids(con, sources)
        recs, others = sources[-len(named) :], sources[: -len(named)]
        statements = [table(inputs.prefix + "rec", recs)]
        statements += [
            table(inputs.prefix + name, [one])
            for name, one in zip(("truth", "segments"), others, strict=False)
        ]
        try:
            for statement in statements:
                con.execute(statement)
        except duckdb.Error as error:
            sources = with_ids_as_text(sources, error)
        else:
            made = [*([attach_statement(inputs.database)] if inputs.database else []), *statements]
            if inputs.stdin != STDIN:
                made = [one.replace(literal(inputs.stdin), "'/dev/stdin'") for one in made]
            return Tables(inputs.prefix, made, "system" in recs[0].columns, systems, unread(con, truth, recs))


def unread(con: duckdb.DuckDBPyConnection, truth: Source, recs: Sequence[Source]) -> list[str]:
    """A note for each file with a column that looks like grades or systems, of which there are none."""
    looked_at = [
        ("rel", "grades", truth, "--grade"),
        *(("system", "systems", rec, "--system") for rec in recs),
    ]
    notes, told = [], set()
    for ours, what, source, option in looked_at:
        if ours not in source.columns and source.type and (what, source.type) not in told:
            told.add((what, source.type))  # of models whose files are alike, one is enough
            ((found,),) = con.execute(f"SELECT _ranking_like_{what}(?)", [source.type]).fetchall()
            named = f"columns that look like {what} are not read ({option})"
            notes += [f"{source.path}: {named}: {shortened(', '.join(found))}"] * bool(found)
    return notes


def table(name: str, sources: Sequence[Source]) -> str:
    """The statement that makes this table: a copy of what is costly to read again, and else a view."""
    kind = "TABLE" if any(source.is_text for source in sources) else "VIEW"
    names = [column for column in COLUMNS if column in sources[0].columns]
    query = "\nUNION ALL\n".join(source.select(names) for source in sources)
    return f"CREATE OR REPLACE TEMP {kind} {name} AS\n{query}"


def with_equal_ids(con: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> list[Source]:
    """The sources with ids of one type, in text files that of the others; DataError if those differ."""
    for name in IDS:
        having = [source for source in sources if name in source.ids]
        typed = {source.ids[name]: source.path for source in having if not source.is_text}
        kinds = set(typed) or {source.ids[name] for source in having}
        families = {family(con, kind) for kind in kinds}
        if families == {"INTEGER"}:
            kind = "UBIGINT" if "UBIGINT" in kinds else "BIGINT"
        elif len(families) > 1 and typed:
            got = " and ".join(f"{shortened(kind)} in {path}" for kind, path in list(typed.items())[:2])
            raise DataError(f"{name} must be of one type, got {got}")
        else:
            kind = kinds.pop() if len(kinds) == 1 else "VARCHAR"
        sources = [one.with_id(name, kind) if one.is_text and name in one.ids else one for one in sources]
    return list(sources)


def with_ids_as_text(sources: Sequence[Source], error: duckdb.Error) -> list[Source]:
    """The sources with those ids as text that the error complains of; any other error is raised."""
    for name in IDS:
        for source in (one for one in sources if name in one.ids):
            _, is_found, value = str(error).partition(source.complaint(name))
            if not is_found:
                continue
            for other in sources:
                if name in other.ids and not other.is_text:
                    got = (
                        f"{shortened(other.ids[name])} in {other.path}, {shortened(value)!r} in {source.path}"
                    )
                    raise DataError(f"{name} must be of one type, got {got}") from None
            return [one.with_id(name, "VARCHAR") if one is source else one for one in sources]
    raise error


def models_of(
    con: duckdb.DuckDBPyConnection, inputs: Inputs, database: str | None
) -> list[tuple[str, list[str]]]:
    """The name of each model, or "", and its paths: one, or all parts of that name."""
    found = [name_and_path(con, rec, database) for rec in inputs.recs]
    if not inputs.parts:
        return [(name, [path]) for name, path in found]
    parts: dict[str, list[str]] = {}
    for name, path in found:
        parts.setdefault(name, []).append(path)
    return list(parts.items())


def named_source(
    con: duckdb.DuckDBPyConnection, name: str, paths: Sequence[str], inputs: Inputs, database: str | None
) -> tuple[str, Source]:
    """The name of a model and its source, with a column `system` if it has a name, or names its models."""
    required = {ours: column for ours, column in inputs.columns.items() if ours != "rel"}
    where = database, inputs.stdin
    source = open_source(con, paths, inputs.form, RUN, required, {"system": "system"}, *where)
    if name and "system" in source.columns and not source.is_trec:
        raise DataError(f"{source.path}: has a column 'system', which names its models: leave {name}= out")
    if not name and "system" in source.columns:
        system = f"coalesce(CAST({source.columns['system']} AS VARCHAR), {literal(NONE)})"
    elif name:
        system = literal(name)
    else:
        return "", source
    return name, replace(source, columns={**source.columns, "system": system})


def check_names(recs: Sequence[tuple[str, Source]]) -> None:
    """DataError if there are several files, and one that does not say which model it is of.

    A shell makes several files of `rec/*.parquet`: whether those are models or parts of one, no one can see.
    """
    unnamed = [source.path for _, source in recs if "system" not in source.columns]
    if unnamed and len(recs) > 1:
        names = " ".join(f"{os.path.basename(path).partition('.')[0]}={path}" for path in unnamed[:2])
        rule = f"name each model, as in {shortened(names)}, or say --parts if they are parts of one table"
        raise DataError(f"{len(recs)} files of recommendations, {len(unnamed)} without a name: {rule}")


def name_and_path(con: duckdb.DuckDBPyConnection, rec: str, database: str | None) -> tuple[str, str]:
    """The name that a model is given, or "", and its path."""
    name, equals, path = rec.partition("=")
    is_name = equals and os.sep not in name
    if is_name and not (database and relation(con, database, rec)) and not files_of(con, rec):
        return name, path
    return "", rec


def segment_sources(con: duckdb.DuckDBPyConnection, inputs: Inputs, database: str | None) -> list[Source]:
    """The file that says which segment a user belongs to, if any."""
    if inputs.segment is None:
        return []
    path, column = inputs.segment
    required = {"userid": inputs.columns["userid"], "segment": column}
    source = open_source(con, [path], "table", 0, required, {}, database, inputs.stdin)
    text = f"CAST({source.columns['segment']} AS VARCHAR)"
    return [replace(source, columns={**source.columns, "segment": text})]


def system_names(con: duckdb.DuckDBPyConnection, recs: Sequence[tuple[str, Source]]) -> list[str]:
    """The models, in the order of their files; DataError if two files share one."""
    if len(recs) == 1:  # if it was given no name, its models are known when it is read
        return [name for name, _ in recs if name]
    paths: dict[str, str] = {}
    for given, rec in recs:
        query = f"SELECT DISTINCT system FROM ({rec.select(['system'])}) ORDER BY system"
        for name in [given] if given else [name for (name,) in con.execute(query).fetchall()]:
            if name in paths:
                there = f"{paths[name]} has a model {shortened(name)!r} too"
                rule = f"name them, as in NAME={rec.path}, or say --parts if they are parts of one table"
                raise DataError(f"{rec.path}: {there}: {rule}")
            paths[name] = rec.path
    return list(paths)


def input_files(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[str]:
    """All files that are read."""
    database = inputs.database and database_name(inputs.database)
    paths = [name_and_path(con, rec, database)[1] for rec in inputs.recs] + [inputs.truth]
    paths += [inputs.segment[0]] if inputs.segment else []
    paths = [path for path in paths if not (database and relation(con, database, path))]
    paths += [inputs.database] if inputs.database else []
    return [file for path in paths for file in files_of(con, path)]


@contextmanager
def with_stdin(inputs: Inputs) -> Iterator[Inputs]:
    """The inputs, with what standard input holds in a file, since it is read more than once."""
    paths = [rec.rpartition("=")[2] for rec in inputs.recs] + [inputs.truth]
    paths += [inputs.segment[0]] if inputs.segment else []
    if STDIN not in paths:
        yield inputs
        return
    if paths.count(STDIN) > 1:
        raise DataError("-: standard input can be read once, got it twice")
    if sys.stdin is None:
        raise DataError("-: standard input is closed")
    with TemporaryDirectory() as folder:
        head = sys.stdin.buffer.read(64)
        path = os.path.join(folder, f"stdin{format_of(head)}")
        with open(path, "wb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            yield replace(inputs, stdin=path)
        except duckdb.Error as error:
            if path not in str(error):
                raise
            raise DataError(one_line(error).replace(path, STDIN)) from None


def format_of(head: bytes) -> str:
    """The extension of a file that begins so."""
    for magic, ending in ((b"PAR1", ".parquet"), (b"\x1f\x8b", ".csv.gz"), (b"(\xb5/\xfd", ".csv.zst")):
        if head.startswith(magic):
            return ending
    return ".json" if head.lstrip()[:1] in (b"{", b"[") else ".csv"

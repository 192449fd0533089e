"""The TEMP tables of an evaluation, rec, truth and segments, made of files.

A text file has no types, so that an id is what is written there: an integer if all ids of that name, in all
text files, are written as DuckDB writes integers, and else text. An id of a Parquet file has the type that
the file says, and the text files beside it must write it as DuckDB would. So no two texts become one id.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from ..duckdb.statements import literal
from .files import IDS, QRELS, RUN, Source, family, files_of, open_source
from .messages import DataError, shortened

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
    """

    recs: Sequence[str]
    truth: str
    columns: Mapping[str, str]
    segment: tuple[str, str] | None = None
    form: str = "auto"


@dataclass(frozen=True)
class Tables:
    """The TEMP tables rec, truth and, if there is a file of segments, segments.

    statements  what made them
    has_system  whether rec has a column `system`, which tells models apart
    systems     the models to name, in the order of their files
    unread      what is to be said of columns that look like grades or systems
    """

    statements: Sequence[str]
    has_system: bool
    systems: Sequence[str]
    unread: Sequence[str]


def load(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> Tables:
    """Make the tables; DataError if the files cannot be what they should be.

    That text is an integer is taken on trust from the sample that DuckDB looks at, and seen while the tables
    are made: where it is not so, they are made again, which costs files of integers no pass of their own.
    """
    of_truth = {ours: name for ours, name in inputs.columns.items() if ours not in ("score", "system")}
    truth = open_source(con, inputs.truth, inputs.form, QRELS, of_truth, {"rel": "rel"})
    named = [named_source(con, rec, inputs) for rec in inputs.recs]
    sources = [truth, *segment_sources(con, inputs), *(rec for _, rec in named)]
    systems = system_names(con, named)
    while True:
        sources = with_equal_ids(con, sources)
        recs, others = sources[-len(named) :], sources[: -len(named)]
        statements = [table("rec", recs)]
        statements += [table(name, [one]) for name, one in zip(("truth", "segments"), others, strict=False)]
        try:
            for statement in statements:
                con.execute(statement)
        except duckdb.Error as error:
            sources = with_ids_as_text(sources, error)
        else:
            return Tables(statements, "system" in recs[0].columns, systems, unread(con, truth, recs))


def unread(con: duckdb.DuckDBPyConnection, truth: Source, recs: Sequence[Source]) -> list[str]:
    """A note for each file with a column that looks like grades or systems, of which there are none."""
    looked_at = [
        ("rel", "grades", truth, "--grade"),
        *(("system", "systems", rec, "--system") for rec in recs),
    ]
    notes = []
    for ours, what, source, option in looked_at:
        if ours not in source.columns and source.type:
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


def named_source(con: duckdb.DuckDBPyConnection, rec: str, inputs: Inputs) -> tuple[str, Source]:
    """The name of a model and its file; no name where there is but one, or where the file has them."""
    name, path = name_and_path(con, rec)
    required = {ours: column for ours, column in inputs.columns.items() if ours != "rel"}
    source = open_source(con, path, inputs.form, RUN, required, {"system": "system"})
    if name and "system" in source.columns and not source.is_trec:
        raise DataError(f"{path}: has a column 'system', which names its models: leave {name}= out")
    if not name and "system" in source.columns:
        system = f"coalesce(CAST({source.columns['system']} AS VARCHAR), {literal(NONE)})"
    elif name or len(inputs.recs) > 1:
        name = name or os.path.basename(path).partition(".")[0]
        system = literal(name)
    else:
        return "", source
    return name, replace(source, columns={**source.columns, "system": system})


def name_and_path(con: duckdb.DuckDBPyConnection, rec: str) -> tuple[str, str]:
    """The name that a model is given, or "", and its path."""
    name, equals, path = rec.partition("=")
    return (name, path) if equals and os.sep not in name and not files_of(con, rec) else ("", rec)


def segment_sources(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[Source]:
    """The file that says which segment a user belongs to, if any."""
    if inputs.segment is None:
        return []
    path, column = inputs.segment
    required = {"userid": inputs.columns["userid"], "segment": column}
    source = open_source(con, path, "table", 0, required, {})
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
                raise DataError(f"{rec.path}: {there}: name them, as in NAME={rec.path}")
            paths[name] = rec.path
    return list(paths)


def input_files(con: duckdb.DuckDBPyConnection, inputs: Inputs) -> list[str]:
    """All files that are read."""
    paths = [name_and_path(con, rec)[1] for rec in inputs.recs] + [inputs.truth]
    paths += [inputs.segment[0]] if inputs.segment else []
    return [file for path in paths for file in files_of(con, path)]

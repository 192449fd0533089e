"""An evaluation as SQL: queries over rec, truth and segments, by the table functions of `sql/tables/`."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb

from ..compose.arguments import Given, as_rows
from ..compose.call import range_of
from ..compose.check import CheckCall
from ..compose.columns import parse_columns, row_type
from ..compose.functions import compose, compose_given, compose_values
from ..compose.means import mean, mean_interval
from ..macros.files import signature
from ..measures.contents import BY_USER
from ..measures.grammar import Choice
from ..quoting import identifier, literal, sql_value, unquoted
from .defaults import CONFIDENCE, DIVERGENCE, FORMULA, HEAD, NONE, PERSISTENCE
from .options import (
    ARGUMENTS,
    COLUMNS,
    COMPARISON,
    GRADES,
    LISTS,
    OPTIONS,
    ColumnNames,
    ComparisonOptions,
    rec_columns,
    truth_columns,
)
from .words import COUNTS, in_unit

# The fields of a call for the columns that the pack reads.
FIELDS = {"userid": "user", "itemid": "item", "score": "score", "rel": "grade", "system": "system"}
LONGEST, JOINED = 200, ",\n    "  # of the arguments of a call on one line; else they stand below each other
NO_MEASURE = "hits"  # computed, and left out, where only what is in the lists is requested


@dataclass(frozen=True)
class Request:
    """A request: the measures and how to compute them."""

    choices: Sequence[Choice]  # measures, each computed at its own cutoffs alone
    ks: Sequence[int | None]  # all cutoffs; None stands for the whole list
    ties: str = "item"  # "item" or "trec": how equal scores are ordered; "expected": the mean over all orders
    by_segment: bool = False  # whether to give the means of segments too
    by_user: bool = False  # whether to give the values of each user too
    safe_text: bool = False  # whether to quote text there that a spreadsheet would take for a formula
    prefix: str = ""  # the beginning of the names of all tables: `rec`, `truth`, and those that are made
    columns: ColumnNames = field(default_factory=COLUMNS.copy)  # the user's, and how rows are read
    history: bool = False  # whether there is a table `history`, at which the check looks too
    items: bool = False  # whether there is a table `items`
    users: bool = False  # whether there is a table `users`, of all of them
    predicted_truth: bool = False  # whether there is such a table, of labels by a model
    contents: Sequence[Choice] = ()  # measures of what is in the lists, apart from `choices`, at own cutoffs
    head: float = HEAD  # as of ranking.beyond_accuracy
    divergence: str = DIVERGENCE  # likewise
    also: Sequence[Choice] = ()  # columns of rec to compare beside the measures, there called also_1, also_2
    stored: str = ""  # the query for values of each user that were measured before, beside those by rec
    time: str | None = None  # the user's column of times there and in truth; None for `time`, "" for none
    comparison: ComparisonOptions = field(default_factory=COMPARISON.copy)
    # The columns of the tables, by their names, where queries are composed: to be run, or to be printed for a
    # DuckDB without the pack. Else they call its table functions.
    types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def says_refused(self) -> bool:
        """True where users without an answer are asked about: all users are named, or these left out."""
        return self.users or self.columns["without_relevant"] == "skip"

    def table(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def make(self, name: str, query: str) -> str:
        """Return the statement that makes a table of a query."""
        return f"CREATE OR REPLACE TEMP TABLE {self.table(name)} AS\n{query}"

    @property
    def contents_by_user(self) -> list[Choice]:
        """The contents that each user has a value of."""
        return [one for one in self.contents if one.measure in BY_USER]


@dataclass(frozen=True)
class Plan:
    """The statements that make tables, and the queries; None for what was not requested."""

    tables: Sequence[str]
    summary: str
    by_segment: str | None
    by_user: str | None


def plan(request: Request, has_system: bool) -> Plan:
    """Plan the evaluation's statements; `has_system` if rec holds several models."""
    system, tables = "system, " if has_system else "", []
    means = measured_query(request, "evaluate")
    if request.ties == "trec":
        tables.append(request.make("ranked", ranked_query(request, system)))
    if request.by_user or request.by_segment:
        if request.contents_by_user:
            tables.append(request.make("contents", contents_query(request, system, by_user=True)))
        tables.append(request.make("by_user", measured_query(request, "by_user")))
        tables += [f"INSERT INTO {request.table('by_user')} BY NAME\n{request.stored}"] * bool(request.stored)
        tables += [request.make("also", also_query(request, system))] * bool(request.also)
        tables.append(request.make("counts", counts_query(request, system)))
        if request.predicted_truth:
            predicted = measured_query(request, "by_user", "predicted_truth")
            tables.append(request.make("by_predicted", predicted))
        means = means_query(request, system)
    return Plan(
        tables,
        beside_contents(request, system, means),
        by_segment_query(request, system) if request.by_segment else None,
        by_user_query(request, system) if request.by_user else None,
    )


def also_query(request: Request, system: str) -> str:
    """Return the values of the columns that are compared beside the measures, of the users of by_user.

    The rows of a user and model must agree; those without a value do not count.
    """
    keys, columns = f"{system}userid", []
    for i, one in enumerate(request.also, 1):
        rule = literal(f"also: {one.name} " + in_unit("must have one value for each user and model, got "))
        where = f"{literal(in_unit(' for user '))}, userid" + ", ' of ', system" * bool(system)
        columns.append(
            f"CASE WHEN min(also_{i}) < max(also_{i})\n"
            f"        THEN error(concat({rule}, min(also_{i}), ' and ', max(also_{i}), {where}))\n"
            f"        ELSE min(also_{i}) END::DOUBLE AS {identifier(one.name)}"
        )
    return (
        f"SELECT *, NULL::BIGINT AS k\n"
        f"FROM (SELECT {keys}, max(n_rec) AS n_rec FROM {request.table('by_user')} GROUP BY ALL)\n"
        f"LEFT JOIN (\n    SELECT {keys}, {JOINED.join(columns)}\n"
        f"    FROM {request.table('rec')}\n    GROUP BY {keys}\n) USING ({keys})"
    )


def contents_query(request: Request, system: str, by_user: bool = False) -> str:
    """Return what is in the lists, by k: the means, or the values of each user."""
    columns = ["users AS users_with_rec"] + ["users_without_history"] * request.history
    columns = ["userid", "n_rec"] if by_user else columns
    chosen = request.contents_by_user if by_user else request.contents
    for one in chosen:
        name, own = identifier(one.name), own_cuts(request, one)
        columns.append(f"CASE WHEN {cut_off_condition(own)} THEN {name} END AS {name}" if own else name)
    cuts = [k for k in request.ks if any(k in one.cuts for one in chosen)]
    return f"SELECT {system}k, {', '.join(columns)}\nFROM {contents_call(request, cuts, by_user)}"


def contents_call(request: Request, ks: Sequence[int | None], by_user: bool = False) -> str:
    """Return the call of the table function that looks into the lists down to each k."""
    tables = {name: request.table(name) for name in ("history", "items") if getattr(request, name)}
    given = {"rec": ranked_table(request), "ks": ks, **tables, **changed(vars(request), *LISTS)}
    function = "beyond_accuracy_by_user" if by_user else "beyond_accuracy"
    return table_call(request, function, given | changed(request.columns, "descending"), 2)


def beside_contents(request: Request, system: str, query: str, contents: str = "", key: str = "") -> str:
    """Return a query's rows with those of the contents, by default of their means; `key` is one more."""
    if not request.contents:
        return query
    keys = [name for name in (system.removesuffix(", "), "k", key) if name]
    same = " AND ".join(f"evaluated.{name} IS NOT DISTINCT FROM contents.{name}" for name in keys)
    return (
        f"SELECT evaluated.*, contents.* EXCLUDE ({', '.join(keys)})\nFROM (\n{query}\n) AS evaluated\n"
        f"LEFT JOIN (\n{contents or contents_query(request, system)}\n) AS contents\n    ON {same}"
    )


@dataclass(frozen=True)
class CheckTables:
    """The tables of the check, under the user's names of columns where these can be."""

    tables: Mapping[str, str]  # by argument
    roles: Mapping[str, Sequence[str]]  # the columns that are read, by argument
    own: Mapping[str, str]  # the user's names of columns, where they are others
    views: Sequence[str]  # the statements that make the tables


def check_tables(request: Request) -> CheckTables:
    time = {"time": request.time} if request.history and request.time else {}
    named = {"rec": rec_columns(request.columns), "truth": truth_columns(request.columns) | time}
    if request.history:
        named["history"] = {role: named["rec"][role] for role in ("userid", "itemid")} | time
    if request.users:
        named["users"] = {"userid": named["rec"]["userid"]}
    if request.items:
        named["items"] = {"itemid": named["rec"]["itemid"]}
    if request.predicted_truth:
        named["predicted_truth"] = truth_columns(request.columns)
    own = {role: name for of in named.values() for role, name in of.items() if role != name}
    taken = {name.lower() for name in own.values()} & {*ARGUMENTS}
    if taken or any(len({*of.values()}) < len(of) for of in named.values()):
        own = {}
    views, tables = [], {table: request.table(table) for table in named}
    for table, of in named.items():
        if renamed := ", ".join(f"{role} AS {identifier(own[role])}" for role in of if role in own):
            query = f"SELECT * RENAME ({renamed}) FROM {tables[table]}"
            tables[table] = request.table(f"checked_{table}")
            views.append(f"CREATE OR REPLACE TEMP VIEW {tables[table]} AS\n{query};\n")
    return CheckTables(tables, {table: [*of] for table, of in named.items()}, own, views)


def check_statements(request: Request) -> str:
    """Return the views that the check reads, and its query."""
    of = check_tables(request)
    return f"{''.join(of.views)}{check_query(request, 'check', of, of.tables)}"


def check_rows_query(request: Request) -> str:
    """Return the query of the rows behind the check's problems, whose views are there."""
    of = check_tables(request)
    tables = {name: one for name, one in of.tables.items() if name != "predicted_truth"}
    return check_query(request, "check_rows", of, tables)


def check_query(request: Request, function: str, of: CheckTables, tables: Mapping[str, str]) -> str:
    """Return a call of the check, or of the function of its rows, over these tables."""
    time = of.own.get("time")
    if request.history and request.time is not None and time is None:
        time = "time" if request.time else ""
    if request.types:
        return f"FROM (\n{composed_check(request, function, of, tables, time)}\n)"
    given: dict[str, Any] = {name: tables[name] for name in ("rec", "truth")}
    given |= {"ks": request.ks, **rows_arguments(replace(request, users=False))}
    given |= {ARGUMENTS[role]: name for role, name in of.own.items()}
    if time is not None and "time" not in of.own:
        given["time_col"] = time
    given |= {name: table for name, table in tables.items() if name not in given}
    return f"FROM {table_call(request, function, given, 2)}"


def composed_check(
    request: Request, function: str, of: CheckTables, tables: Mapping[str, str], time: str | None
) -> str:
    """Compose the SQL of the check, of tables whose columns are known."""
    known = {}
    for name, table in tables.items():
        renamed = {role: of.own[role] for role in of.roles[name] if role in of.own}
        types = {unquoted(column): kind for column, kind in request.types[request.table(name)].items()}
        known[table] = {written(renamed.get(column, column)): kind for column, kind in types.items()}
    columns = request.columns
    fields: dict[str, Any] = {FIELDS[role]: name for role, name in of.own.items() if role in FIELDS}
    call = CheckCall(
        function,
        ks=request.ks,
        known=known,
        time=time,
        descending=columns["descending"],
        **{name: vars(request)["columns"][name] for name in GRADES},
        **fields | dict(tables),
    )
    return compose(call)


def written(name: str) -> str:
    """Return the name of a column as DuckDB writes it in a type."""
    return name if re.fullmatch("[a-z_][a-z0-9_]*", name) else identifier(name)


def ranked_table(request: Request) -> str:
    """The table of recommendations whose scores say how to rank them."""
    return request.table("ranked" if request.ties == "trec" else "rec")


def ranked_query(request: Request, system: str) -> str:
    """Return the recommendations with trec_eval's order as their score, in which nothing is tied."""
    score = "CAST(score AS FLOAT)"
    best, sign = ("DESC", "-") if request.columns["descending"] else ("ASC", "")
    order = f"score IS NULL OR isnan({score}), {score} {best}, CAST(itemid AS VARCHAR) DESC"
    rank = f"row_number() OVER (PARTITION BY {system}userid ORDER BY {order})"
    return f"SELECT {system}userid, itemid, {sign}{rank} AS score\nFROM {request.table('rec')}"


def changed(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the arguments of these names that are not what they are by default."""
    return {name: given[name] for name in names if given[name] != OPTIONS[name].default}


def rows_arguments(request: Request) -> dict[str, Any]:
    """Return the arguments of a table function of rec and truth that say how their rows are read."""
    users = {"users": request.table("users")} if request.users else {}
    return changed(request.columns, "descending", *GRADES) | users


def table_call(request: Request, function: str, given: Mapping[str, Any], places: int) -> str:
    """Return a table function for FROM: its composed SQL where columns of tables are known, or else its call.

    The first arguments go by place.
    """
    if request.types:
        every = {**defaults(function), **given}
        return f"(\n{compose_values(function, every, request.types)}\n)"
    called = f"ranking.{function}"
    texts = [
        sql_value(value) if i < places else f"{name} := {sql_value(value)}"
        for i, (name, value) in enumerate(given.items())
    ]
    line = ", ".join(texts)
    return f"{called}({line})" if len(line) <= LONGEST else f"{called}(\n    {JOINED.join(texts)}\n)"


def composed_call(
    con: duckdb.DuckDBPyConnection,
    function: str,
    given: Mapping[str, str],
    types: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Compose the SQL of a table function whose arguments are SQL; `types` are the columns of its tables."""
    return compose_given(function, given_in_sql(con, given), types)


def given_in_sql(con: duckdb.DuckDBPyConnection, given: Mapping[str, str]) -> dict[str, Given]:
    """Return arguments that are written in SQL as a call takes them."""
    ((rows,),) = con.execute(f"SELECT [{as_rows(given)}]").fetchall()
    return {name: Given(kind, text) for name, kind, text in rows}


def defaults(function: str) -> dict[str, Any]:
    """Return the defaults of a table function's arguments, by their names."""
    texts = (one.split(" := ") for one in signature(function) if " := " in one)
    return {name: json.loads(text.replace("'", '"').replace("NULL", "null")) for name, text in texts}


def judged_call(
    request: Request, function: str, given: Mapping[str, Any], places: int = 2, truth: str = "truth"
) -> str:
    """Return a table function of rec and truth, with these arguments and those of the request."""
    tables = {"rec": ranked_table(request), "truth": request.table(truth)}
    return table_call(request, function, {**tables, **given, **rows_arguments(request)}, places)


def ties_argument(request: Request) -> dict[str, str]:
    return {"ties": "expected"} if request.ties == "expected" else {}


def measured_query(request: Request, function: str, truth: str = "truth") -> str:
    """Return the query of ranking.evaluate or ranking.by_user, by the truth of this table."""
    choices = [replace(one, cuts=own_cuts(request, one)) for one in request.choices]
    columns = "" if request.choices else f"SELECT * EXCLUDE ({NO_MEASURE})\n"
    at_own_ks = choices and all(one.cuts for one in choices)
    ks = [] if at_own_ks else request.ks
    measures = [one.text for one in choices] or [NO_MEASURE]
    given = ({"ks": ks} if ks else {}) | ties_argument(request) | {"measures": measures}
    return f"{columns}FROM {judged_call(request, function, given, 2 + bool(ks), truth)}"


def own_cuts(request: Request, choice: Choice) -> tuple[int | None, ...]:
    """Return the cutoffs of a measure if they are not all that are requested."""
    return () if set(choice.cuts) == set(request.ks) else choice.cuts


def curve_query(request: Request) -> str:
    """Return precision at each level of recall."""
    return f"FROM {judged_call(request, 'interpolated_precision_curve', {})}"


def explain_query(request: Request, user_id: str, negated: Collection[str | None] = ()) -> str:
    """Return a user's lists down to the first k, and what is not in them; `negated` as abstention_query."""
    given = {"user": user_id, "k": request.ks[0], **ties_argument(request)}
    call = judged_call(replace(all_shown(request), users=False), "explain", given, 4)
    return f"SELECT {as_given('score', negated)}\nFROM {call}"


def abstention_query(request: Request, negated: Collection[str | None], confidence: float) -> str:
    """Return how well the best scores tell users without a relevant item from the others, if there are any.

    `negated` are the models whose scores have the opposite sign of those given, None the one without a name.
    """
    given = {"confidence": confidence} if confidence != CONFIDENCE else {}
    scored = replace(all_shown(request), ties="item")  # the scores as they are, whatever breaks their ties
    call = judged_call(scored, "abstention", given)
    return f"SELECT {as_given('threshold', negated)}\nFROM {call}\nWHERE users_without_relevant > 0"


def as_given(column: str, negated: Collection[str | None]) -> str:
    """Return all columns, one of scores with the sign that it had, which that of these models has not."""
    if not negated:
        return "*"
    names = ", ".join(literal(name) for name in negated if name is not None)
    turned = (
        f"CASE WHEN system IN ({names}) THEN 0 - {column} ELSE {column} END" if names else f"0 - {column}"
    )
    return f"* REPLACE ({turned} AS {column})"


def all_shown(request: Request) -> Request:
    """Return the request with the options by which no item and no user is left out."""
    return replace(request, columns={**request.columns, "unjudged": "miss", "without_relevant": "zero"})


def overlap_query(
    request: Request,
    baseline: str | None,
    persistence: float = PERSISTENCE,
    function: str = "overlap",
) -> str:
    """Return what the lists of models have in common."""
    given = {"rec": ranked_table(request), "ks": request.ks, "baseline": baseline, "persistence": persistence}
    return f"FROM {table_call(request, function, given | changed(request.columns, 'descending'), 2)}"


def means_query(request: Request, system: str) -> str:
    """Return the same as ranking.evaluate from by_user and counts."""
    counts = request.table("counts")
    columns = f"{', '.join(COUNTS)}{mean_columns(request, request.choices)}"
    return (
        f"SELECT {system}k, {columns}\nFROM {request.table('by_user')}\n"
        f"{f'JOIN {counts} USING (system)' if system else f'CROSS JOIN {counts}'}\nGROUP BY ALL"
    )


def intervals_query(source: str, keys: str, measures: Iterable[Choice], confidence: float) -> str:
    """Return the query for means of measures with their intervals and numbers of users, by keys.

    `source` is a table, or a query in brackets. The squares are of differences to the means, which are found
    beforehand: so they cannot be lost to large means.
    """
    values = ", ".join(
        f"{{measure: {literal(one.name)}, value: {identifier(one.name)}::DOUBLE, "
        f"bottom: {sql_value(one.measure.range.low)}, top: {sql_value(one.measure.range.high)}}}"
        for one in measures
    )
    interval = mean_interval(
        mean="means.mean",
        standard_error="sqrt(variance / nullif(means.users - 1, 0))",
        users="means.users",
        is_constant="means.least = means.most",
        is_binary="is_binary",
        bottom="means.bottom",
        top="means.top",
        alpha=repr(1 - confidence),
    )
    same = " AND ".join(f"one.{key} IS NOT DISTINCT FROM means.{key}" for key in keys.split(", "))
    return f"""WITH one_user AS (
    SELECT {keys}, unnest([{values}], max_depth := 2)
    FROM {source}
), means AS MATERIALIZED (
    SELECT {keys}, measure, bottom, top, count(value) AS users, count(*) FILTER (value = 0) AS zeros,
        min(value) AS least, max(value) AS most,
        {mean("value", False)} AS mean
    FROM one_user
    GROUP BY ALL
)
SELECT means.* EXCLUDE (bottom, top), ends.low, ends.high
FROM (
    SELECT means, {interval} AS ends
    FROM (
        SELECT means, {mean("square", False)} AS variance, bool_and(is_binary) AS is_binary
        FROM (
            SELECT means, (value - mean) ** 2 AS square, value IN (0, 1) AS is_binary
            FROM one_user AS one
            JOIN means ON {same} AND one.measure = means.measure
        )
        GROUP BY ALL
    )
)"""


def counts_query(request: Request, system: str) -> str:
    """Return the users of each model, and how many lack what; no k changes that, and it is of k = 0."""
    summary = judged_call(request, "evaluate", {"ks": [0], "measures": [NO_MEASURE]}, 3)
    return f"SELECT {system}{', '.join(COUNTS)}\nFROM {summary}"


def by_segment_query(request: Request, system: str) -> str:
    """Return the means by segment and k; a user in two segments counts in both."""
    users = (
        "count(*) AS users, count(*) FILTER (WHERE n_rec = 0) AS users_without_rec, "
        "count(*) FILTER (WHERE n_truth = 0) AS users_without_relevant"
    )
    keys = f"SELECT {system}coalesce(segment, {literal(NONE)}) AS segment, k"
    source = with_segments(request, request.table("by_user"))
    query = f"{keys}, {users}{mean_columns(request, request.choices)}\nFROM {source}\nGROUP BY ALL"
    if request.columns["without_relevant"] == "skip":
        query = with_left_out(request, query)
    if not request.contents_by_user:
        return query
    source = with_segments(request, request.table("contents"))
    means = f"{keys}{mean_columns(request, request.contents_by_user)}\nFROM {source}\nGROUP BY ALL"
    return beside_contents(request, system, query, means, "segment")


def with_left_out(request: Request, query: str) -> str:
    """Return means by segment with the number of users without a relevant item, who are not in by_user."""
    shown = all_shown(request)
    judged = judged_call(shown, "judged", {"max_k": 0}, 3)
    counts = (
        f"SELECT coalesce(segment, {literal(NONE)}) AS segment, count(DISTINCT userid) AS left_out\n"
        f"FROM {with_segments(request, judged)}\nWHERE n_truth = 0\nGROUP BY ALL"
    )
    columns_of = "* EXCLUDE (left_out) REPLACE (coalesce(left_out, 0) AS users_without_relevant)"
    return f"SELECT {columns_of}\nFROM (\n{query}\n)\nLEFT JOIN (\n{counts}\n) USING (segment)"


def with_segments(request: Request, source: str) -> str:
    """Return a table of users with a row for each segment of a user."""
    segments = f"(SELECT DISTINCT userid, segment FROM {request.table('segments')})"
    return f"{source} LEFT JOIN {segments} USING (userid)"


def by_user_query(request: Request, system: str) -> str:
    """Return the values by user and k, in order."""
    names = ["system", "userid"] if system else ["userid"]
    replace = replaced_text(request, names)
    source = by_user = request.table("by_user")
    if request.contents_by_user:
        contents = f"SELECT * EXCLUDE (n_rec) FROM {request.table('contents')}"
        source = f"({beside_contents(request, system, f'FROM {by_user}', contents, 'userid')}) AS {by_user}"
    order = ", ".join(f"{by_user}.{name}" for name in (*names, "k"))
    return f"SELECT *{replace}\nFROM {source}\nORDER BY {order}"


def replaced_text(request: Request, names: Iterable[str]) -> str:
    """Return the REPLACE that quotes what a spreadsheet would take for a formula, if that is asked for."""
    quoted = (
        f"CASE WHEN typeof({name}) = 'VARCHAR' "
        f"AND regexp_matches(CAST({name} AS VARCHAR), {literal(FORMULA)}) "
        f"THEN concat('''', {name}) ELSE CAST({name} AS VARCHAR) END AS {name}"
        for name in names
    )
    return f" REPLACE ({', '.join(quoted)})" if request.safe_text else ""


def mean_columns(request: Request, choices: Iterable[Choice]) -> str:
    """Return the mean of each measure, behind a comma: as SQL where queries are composed."""
    means = []
    for one in choices:
        name = identifier(one.name)
        value = mean(name, range_of(one).has_exact_sums) if request.types else f"ranking.mean({name})"
        means.append(f",\n    {value} AS {name}")
    return "".join(means)


def cut_off_condition(cuts: Sequence[int | None]) -> str:
    """Return the condition that k is one of these."""
    ks = ", ".join(str(k) for k in cuts if k is not None)
    tests = [f"k IN ({ks})"] * bool(ks) + ["k IS NULL"] * (None in cuts)
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def row_columns(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """Return the types of a table's columns, by their names."""
    ((row,),) = con.execute(f"SELECT {row_type(table)}").fetchall()
    return parse_columns(row)


def fetch_rows(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a query, each by column name."""
    cursor = con.execute(query, parameters)
    names = [name for name, *_ in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

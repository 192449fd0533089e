"""SQL for an evaluation: queries over rec, truth and segments, by the table functions of `sql/tables/`."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import duckdb

from ..compose.call import Column, range_of
from ..compose.columns import parse_columns, row_type
from ..compose.functions import compose_values
from ..compose.means import interval, interval_ends, interval_values, mean, with_intervals
from ..measures.contents import BY_USER
from ..measures.grammar import Choice
from ..options import (
    ARGUMENTS,
    COMPARISON,
    FUNCTIONS,
    GRADES,
    GROUPS,
    OPTIONS,
    VERBS,
    Values,
    defaults,
    rec_columns,
    truth_columns,
)
from ..quoting import identifier, literal, sql_value, unquoted
from ..texts import shorten, units
from .defaults import EVERYBODY, FORMULA, NONE
from .errors import UsageError
from .words import COUNTS, OF_LISTS

LONGEST, JOINED = 200, ",\n    "  # longer arguments of a call are on a line each
NO_MEASURE = "hits"  # computed and excluded, if only beyond-accuracy measures are requested


@dataclass(frozen=True)
class Request:
    """A request: the measures and how to compute them."""

    choices: Sequence[Choice]  # the measures, each computed only at its own cutoffs
    ks: Sequence[int | None]  # all cutoffs; None is the whole list
    function: str = "evaluate"  # the function or command that errors name
    dashes: str = ""  # before the name of an option in an error: "--" for the command
    is_checked: bool = True  # whether to check the data
    allowed: Collection[str] = ()  # codes of problems that are no error
    ties: str = "item"  # "item" or "trec" order equal scores; "expected" averages over all orders
    by_segment: bool = False  # whether to compute means of segments
    by_user: bool = False  # whether to return the values of each user
    safe_text: bool = False  # whether to quote ids that a spreadsheet would run as a formula
    prefix: str = ""  # the prefix of the names of all tables
    columns: Values = field(default_factory=defaults)  # of the user's tables
    history: bool = False  # whether there is a table `history`
    items: bool = False  # whether there is a table `items`
    users: bool = False  # whether there is a table `users` with all users
    confidence: float = 0  # of the intervals of means; 0 for none
    predicted_truth: bool = False  # whether there is a table of model-generated labels
    beyond_accuracy: Sequence[Choice] = ()  # beyond-accuracy measures, which are not in `choices`
    head: float = OPTIONS["head"].default  # argument of ranking.beyond_accuracy
    divergence: str = OPTIONS["divergence"].default  # argument of ranking.beyond_accuracy
    also: Sequence[Choice] = ()  # columns to compare too; their names in tables are also_1, also_2
    also_table: str = "rec"  # the table with these columns: "values", with a row per list, if rec has lists
    stored: str = ""  # the query for the values of each user in a stored run
    time: str | None = None  # column of times in history and truth; None is `time`, "" is none
    comparison: Values = field(default_factory=lambda: defaults(COMPARISON))
    systems: Sequence[str] = ()  # the models, in the order of their files; none without a column `system`
    # The columns of each table by name. With them, queries are composed SQL, to be run or printed for any
    # DuckDB. Without them, queries call our table functions.
    types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    is_portable: bool = False  # whether composed SQL is printed, to run without the Python package

    @property
    def says_refused(self) -> bool:
        """True if the request concerns unanswerable users: it names all users, or skips these."""
        return self.users or self.columns["without_relevant"] == "skip"

    @property
    def lowest_grade(self) -> float | None:
        """Lowest relevant grade; None for every grade above 0."""
        grade: float | None = self.columns["min_grade"]
        return grade

    @property
    def system(self) -> str:
        """The column of models before others in a list of columns; "" without one."""
        return "system, " if self.systems else ""

    def refused(self, rule: str, got: str) -> UsageError:
        """Return the error for an option that breaks a rule; the rule begins with the option's name."""
        return UsageError(f"{self.function}: {self.dashes}{rule}, got {got}")

    def table(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def make(self, name: str, query: str) -> str:
        """Return the statement that makes a table from a query."""
        return f"CREATE OR REPLACE TEMP TABLE {self.table(name)} AS\n{query}"

    @property
    def beyond_accuracy_by_user(self) -> list[Choice]:
        """The beyond-accuracy measures with a value for each user."""
        return [choice for choice in self.beyond_accuracy if choice.measure in BY_USER]

    def names_of(self, choice: Choice) -> list[str]:
        """Return the columns of a measure: its mean and, on request, the ends of its interval."""
        has_interval = self.confidence and choice in (*self.choices, *self.beyond_accuracy_by_user)
        return [choice.name, *(f"{choice.name}_{end}" for end in ("low", "high") if has_interval)]


@dataclass(frozen=True)
class Plan:
    """The statements that make tables, and the queries; None for results that are not requested."""

    tables: Sequence[str]
    summary: str
    by_segment: str | None
    by_user: str | None


def plan(request: Request) -> Plan:
    """Plan the statements of an evaluation."""
    tables = []
    means = measured_query(request, "evaluate")
    if request.ties == "trec":
        tables.append(request.make("ranked", ranked_query(request)))
    if request.by_user or request.by_segment or request.confidence:
        if request.beyond_accuracy_by_user:
            tables.append(request.make("contents", beyond_accuracy_query(request, by_user=True)))
        tables.append(request.make("by_user", measured_query(request, "by_user")))
        tables += [f"INSERT INTO {request.table('by_user')} BY NAME\n{request.stored}"] * bool(request.stored)
        tables += [request.make("also", also_query(request))] * bool(request.also)
        summary = judged_call(request, "evaluate", {"measures": [f"{NO_MEASURE}@0"]})  # counts have no k
        tables.append(request.make("counts", f"SELECT {request.system}{', '.join(COUNTS)}\nFROM {summary}"))
        if request.predicted_truth:
            predicted = measured_query(request, "by_user", "predicted_truth")
            tables.append(request.make("by_predicted", predicted))
        means = means_query(request)
    means = join_beyond_accuracy(request, means)
    if request.confidence and request.beyond_accuracy_by_user:
        names = ", ".join(identifier(choice.name) for choice in request.beyond_accuracy_by_user)
        ends = grouped_means(
            request, f"{request.system}k", request.table("contents"), request.beyond_accuracy_by_user
        )
        ends = f"SELECT * EXCLUDE ({names})\nFROM (\n{ends}\n)"
        means = join_beyond_accuracy(request, means, ends)
    return Plan(
        tables,
        means,
        by_segment_query(request) if request.by_segment else None,
        by_user_query(request) if request.by_user else None,
    )


def also_query(request: Request) -> str:
    """Return the query for the values of the columns to compare, for the users of by_user.

    All rows of a user and model must have the same value or NULL.
    """
    keys, columns = f"{request.system}userid", dict[str, list[str]]()
    for i, column in enumerate(request.also, 1):
        rule = literal(f"also: {column.name} must have one value for each {units(1)} and model, got ")
        where = f"{literal(f' for {units(1)} ')}, userid" + ", ' of ', system" * bool(request.systems)
        table = request.table(f"also_{i}" if column.options["file"] else request.also_table)
        columns.setdefault(table, []).append(
            f"CASE WHEN min(also_{i}) < max(also_{i})\n"
            f"        THEN error(concat({rule}, min(also_{i}), ' and ', max(also_{i}), {where}))\n"
            f"        ELSE min(also_{i}) END::DOUBLE AS {identifier(column.name)}"
        )
    return (
        f"SELECT *, NULL::BIGINT AS k\n"
        f"FROM (SELECT {keys}, max(n_rec) AS n_rec FROM {request.table('by_user')} GROUP BY ALL)\n"
    ) + "\n".join(
        f"LEFT JOIN (\n    SELECT {keys}, {JOINED.join(of)}\n"
        f"    FROM {table}\n    GROUP BY {keys}\n) USING ({keys})"
        for table, of in columns.items()
    )


def beyond_accuracy_query(request: Request, by_user: bool = False) -> str:
    """Return the query for beyond-accuracy measures by k: the means, or the values of each user."""
    columns = ["users AS users_with_rec"] + ["users_without_history"] * request.history
    columns = ["userid", "n_rec"] if by_user else columns
    chosen = request.beyond_accuracy_by_user if by_user else request.beyond_accuracy
    for choice in chosen:
        name, own = identifier(choice.name), own_cuts(request, choice)
        columns.append(f"CASE WHEN {cut_off_condition(own)} THEN {name} END AS {name}" if own else name)
    cuts = [k for k in request.ks if any(k in choice.cuts for choice in chosen)]
    return (
        f"SELECT {request.system}k, {', '.join(columns)}\nFROM {beyond_accuracy_call(request, cuts, by_user)}"
    )


def beyond_accuracy_call(request: Request, ks: Sequence[int | None], by_user: bool = False) -> str:
    """Return the call of the table function of beyond-accuracy measures."""
    tables = {name: request.table(name) for name in ("history", "items") if getattr(request, name)}
    arguments = {
        "rec": ranked_table(request),
        "ks": ks,
        **tables,
        **non_defaults(vars(request), "head", "divergence"),
    }
    function = "beyond_accuracy_by_user" if by_user else "beyond_accuracy"
    return table_call(request, function, arguments | non_defaults(request.columns, "descending"), 2)


def join_beyond_accuracy(request: Request, query: str, values: str = "", key: str = "") -> str:
    """Join the rows of a query with beyond-accuracy measures (their means); `key` is an extra key."""
    if not request.beyond_accuracy:
        return query
    keys = [name for name in (request.system.removesuffix(", "), "k", key) if name]
    same = " AND ".join(f"evaluated.{name} IS NOT DISTINCT FROM contents.{name}" for name in keys)
    return (
        f"SELECT evaluated.*, contents.* EXCLUDE ({', '.join(keys)})\nFROM (\n{query}\n) AS evaluated\n"
        f"LEFT JOIN (\n{values or beyond_accuracy_query(request)}\n) AS contents\n    ON {same}"
    )


@dataclass(frozen=True)
class CheckTables:
    """The tables of the check, with the user's names of columns if these are usable."""

    tables: Mapping[str, str]  # by argument
    types: Mapping[str, Mapping[str, str]]  # the columns of each table, if they are known
    own: Mapping[str, str]  # the user's names of columns, if they differ from ours
    views: Sequence[str]  # the statements that make views with the user's names


def checked_columns(request: Request) -> dict[str, dict[str, str]]:
    """Return the columns that the check reads, by table: the user's names by ours."""
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
    return named


def check_tables(request: Request) -> CheckTables:
    named = checked_columns(request)
    own = {role: name for of in named.values() for role, name in of.items() if role != name}
    taken = {name.lower() for name in own.values()} & {*ARGUMENTS}
    if taken or any(len({*of.values()}) < len(of) for of in named.values()):
        own = {}
    views, tables = [], {table: request.table(table) for table in named}
    types = {table: dict(request.types.get(name, {})) for table, name in tables.items()}
    for table, of in named.items():
        if renamed := {role: own[role] for role in of if role in own}:
            columns = ", ".join(f"{role} AS {identifier(name)}" for role, name in renamed.items())
            query = f"SELECT * RENAME ({columns}) FROM {tables[table]}"
            tables[table] = request.table(f"checked_{table}")
            views.append(f"CREATE OR REPLACE TEMP VIEW {tables[table]} AS\n{query};\n")
            known = {unquoted(column): kind for column, kind in types[table].items()}
            types[table] = {column_text(renamed.get(name, name)): kind for name, kind in known.items()}
    known_types = {tables[table]: columns for table, columns in types.items()} if request.types else {}
    return CheckTables(tables, known_types, own, views)


def check_statements(request: Request) -> str:
    """Return the statements that make the views of the check, and its query."""
    return "".join(check_tables(request).views) + check_query(request, "check")


def check_query(request: Request, function: str) -> str:
    """Return the query of the check, or of its failing records (check_rows); its views must exist."""
    of = check_tables(request)
    tables = {name: table for name, table in of.tables.items() if name in FUNCTIONS[function]}
    time = of.own.get("time")
    if request.history and request.time is not None and time is None:
        time = "time" if request.time else ""
    arguments: dict[str, Any] = {name: tables[name] for name in ("rec", "truth")}
    arguments |= {"ks": request.ks, **rows_arguments(replace(request, users=False))}
    arguments |= {ARGUMENTS[role]: name for role, name in of.own.items()}
    if time is not None and "time" not in of.own:
        arguments["time_col"] = time
    arguments |= {name: table for name, table in tables.items() if name not in arguments}
    asked = replace(request, types=of.types, is_portable=False)
    return f"FROM {table_call(asked, function, arguments, 2)}"


def column_text(name: str) -> str:
    """Return the name of a column as DuckDB writes it in a type."""
    return name if re.fullmatch("[a-z_][a-z0-9_]*", name) else identifier(name)


def ranked_table(request: Request) -> str:
    """Return the table of recommendations with the scores that rank them."""
    return request.table("ranked" if request.ties == "trec" else "rec")


def ranked_query(request: Request) -> str:
    """Return the query for recommendations with their rank in trec_eval's order as score, without ties."""
    score = "CAST(score AS FLOAT)"
    best, sign = ("DESC", "-") if request.columns["descending"] else ("ASC", "")
    order = f"score IS NULL OR isnan({score}), {score} {best}, CAST(itemid AS VARCHAR) DESC"
    rank = f"row_number() OVER (PARTITION BY {request.system}userid ORDER BY {order})"
    return f"SELECT {request.system}userid, itemid, {sign}{rank} AS score\nFROM {request.table('rec')}"


def non_defaults(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the arguments with these names that differ from their defaults."""
    return {name: values[name] for name in names if values[name] != OPTIONS[name].default}


def rows_arguments(request: Request) -> dict[str, Any]:
    """Return the arguments of a table function that control how rows of rec and truth are read."""
    users = {"users": request.table("users")} if request.users else {}
    return non_defaults(request.columns, "descending", *GRADES.split()) | users


def table_call(request: Request, function: str, arguments: Mapping[str, Any], positional: int) -> str:
    """Return a table function for FROM: composed SQL if the columns of tables are known, else a call.

    The first arguments, so many as `positional` says, have no name.
    """
    if request.types:
        text = compose_values(function, arguments, request.types, is_portable=request.is_portable)
        return f"(\n{text}\n)"
    called = f"ranking.{function}"
    texts = [
        sql_value(value) if i < positional else f"{name} := {sql_value(value)}"
        for i, (name, value) in enumerate(arguments.items())
    ]
    line = ", ".join(texts)
    return f"{called}({line})" if len(line) <= LONGEST else f"{called}(\n    {JOINED.join(texts)}\n)"


def judged_call(
    request: Request, function: str, arguments: Mapping[str, Any], positional: int = 2, truth: str = "truth"
) -> str:
    """Return a table function of rec and truth, with these arguments and the arguments of the request."""
    tables = {"rec": ranked_table(request), "truth": request.table(truth)}
    rows = {name: value for name, value in rows_arguments(request).items() if name in FUNCTIONS[function]}
    return table_call(request, function, {**tables, **arguments, **rows}, positional)


def ties_argument(request: Request) -> dict[str, str]:
    return {"ties": "expected"} if request.ties == "expected" else {}


def measured_query(request: Request, function: str, truth: str = "truth") -> str:
    """Return the query of ranking.evaluate or ranking.by_user with this table of truth."""
    choices = [replace(choice, cuts=own_cuts(request, choice)) for choice in request.choices]
    columns = "" if request.choices else f"SELECT * EXCLUDE ({NO_MEASURE})\n"
    at_own_ks = choices and all(choice.cuts for choice in choices)
    ks = [] if at_own_ks else request.ks
    measures = [choice.text for choice in choices] or [NO_MEASURE]
    arguments = ({"ks": ks} if ks else {}) | ties_argument(request) | {"measures": measures}
    return f"{columns}FROM {judged_call(request, function, arguments, 2, truth)}"


def own_cuts(request: Request, choice: Choice) -> tuple[int | None, ...]:
    """Return the cutoffs of a measure, or () if it has all requested cutoffs."""
    return () if set(choice.cuts) == set(request.ks) else choice.cuts


def explain_query(request: Request, user_id: str, negated: Collection[str | None] = ()) -> str:
    """Return the query for the lists of a user down to the first k, and for missed items.

    `negated` is the same as in abstention_query.
    """
    arguments = {"user": user_id, "k": request.ks[0], **ties_argument(request)}
    call = judged_call(request, "explain", arguments, 4)
    return f"SELECT {as_given('score', negated)}\nFROM {call}"


def abstention_query(
    request: Request, negated: Collection[str | None], confidence: float = OPTIONS["confidence"].default
) -> str:
    """Return the query for the errors of score thresholds, if some users have no relevant item.

    `negated` are the models whose scores have been negated; None is the model without a name.
    """
    arguments = non_defaults({"confidence": confidence}, "confidence")
    scored = replace(request, ties="item")  # "trec" would replace scores by ranks
    call = judged_call(scored, "abstention", arguments)
    return f"SELECT {as_given('threshold', negated)}\nFROM {call}\nWHERE users_without_relevant > 0"


def as_given(column: str, negated: Collection[str | None]) -> str:
    """Return the select list of all columns; restore the sign of scores for the `negated` models."""
    if not negated:
        return "*"
    names = ", ".join(literal(name) for name in negated if name is not None)
    turned = (
        f"CASE WHEN system IN ({names}) THEN 0 - {column} ELSE {column} END" if names else f"0 - {column}"
    )
    return f"* REPLACE ({turned} AS {column})"


def overlap_query(request: Request, persistence: float) -> str:
    """Return the query for the overlap of the lists of models."""
    arguments = {"rec": ranked_table(request), "ks": request.ks, "persistence": persistence}
    arguments |= {"baseline": request.comparison["baseline"], **non_defaults(request.columns, "descending")}
    return f"FROM {table_call(request, 'overlap', arguments, 2)}"


def fusion_query(request: Request, options: Values) -> str:
    """Return the query that fuses the models; raise UsageError if the models have no names."""
    systems, weights = request.systems, options["weights"]
    if not systems:
        how = "name their files, as in bm25=a.csv vector=b.csv"
        how = how if request.dashes else "give a dict of them, as in {'bm25': a, 'vector': b}"
        raise UsageError(f"fuse: the models have no names; {how}")
    if weights is not None and not isinstance(weights, Mapping):
        raise request.refused(
            "weights must be a dict, as in {'bm25': 1, 'vector': 2}", shorten(repr(weights))
        )
    if weights is not None and {*weights} != {*systems}:
        rule, got = f"one of each model ({', '.join(systems)})", ",".join(map(str, weights))
        raise request.refused(f"weights must have {shorten(rule)}", repr(shorten(got)))
    arguments = {name: options[name] for name in GROUPS["fusion"] if name in VERBS["fuse"]}
    arguments |= {"rec": request.table("rec"), "descending": request.columns["descending"]}
    return compose_values("fuse", arguments, request.types)


def means_query(request: Request) -> str:
    """Return the query for the rows of ranking.evaluate, from the tables by_user and counts."""
    counts = request.table("counts")
    join = f"JOIN {counts} USING (system)" if request.systems else f"CROSS JOIN {counts}"
    columns = f"{request.system}k, {', '.join(COUNTS)}"
    return grouped_means(request, columns, f"{request.table('by_user')}\n{join}", request.choices)


def intervals_query(source: str, keys: str, measures: Iterable[Choice], confidence: float) -> str:
    """Return the query for means of measures with their intervals and numbers of users, by keys.

    `source` is a table, or a query in parentheses.
    """
    values = ", ".join(
        f"{{measure: {literal(choice.name)}, value: {identifier(choice.name)}::DOUBLE, "
        f"bottom: {sql_value(range_of(choice).low)}, top: {sql_value(range_of(choice).high)}}}"
        for choice in measures
    )
    return f"""SELECT {keys}, measure, zeros, mean,
    len(sorted) AS users, sorted[1] AS least, sorted[-1] AS most,
    {interval_ends("ends", "bottom", "top")}
FROM (
    SELECT *, {interval("mean", "sorted", "bottom", "top", confidence)} AS ends
    FROM (
        SELECT {keys}, measure, bottom, top, count(*) FILTER (value = 0) AS zeros,
            list_sort(coalesce(list(value) FILTER (value IS NOT NULL), []), 'ASC') AS sorted,
            {mean("value", False)} AS mean
        FROM (SELECT {keys}, unnest([{values}], max_depth := 2) FROM {source})
        GROUP BY ALL
    )
)"""


def by_segment_query(request: Request) -> str:
    """Return the query for the means by segment and k; a user in two segments counts in both."""
    users = (
        "count(*) AS users, count(*) FILTER (WHERE n_rec = 0) AS users_without_rec, "
        "count(*) FILTER (WHERE n_truth = 0) AS users_without_relevant"
    )
    keys = f"{request.system}coalesce(segment, {literal(NONE)}) AS segment, k"
    source = with_segments(request, request.table("by_user"))
    query = grouped_means(request, f"{keys}, {users}", source, request.choices)
    if request.columns["without_relevant"] == "skip":
        query = add_excluded_counts(request, query)
    if not request.beyond_accuracy_by_user:
        return query
    source = with_segments(request, request.table("contents"))
    means = grouped_means(request, keys, source, request.beyond_accuracy_by_user)
    return join_beyond_accuracy(request, query, means, "segment")


def add_excluded_counts(request: Request, query: str) -> str:
    """Add the number of users without a relevant item to means by segment; by_user does not have them."""
    keeping = {**request.columns, **defaults(GRADES), "min_grade": request.lowest_grade}
    judged = judged_call(replace(request, columns=keeping), "judged", {"max_k": 0}, 3)
    counts = (
        f"SELECT coalesce(segment, {literal(NONE)}) AS segment, count(DISTINCT userid) AS left_out\n"
        f"FROM {with_segments(request, judged)}\nWHERE n_truth = 0\nGROUP BY ALL"
    )
    columns_of = "* EXCLUDE (left_out) REPLACE (coalesce(left_out, 0) AS users_without_relevant)"
    return f"SELECT {columns_of}\nFROM (\n{query}\n)\nLEFT JOIN (\n{counts}\n) USING (segment)"


def with_segments(request: Request, source: str) -> str:
    """Join a table of users with their segments: a row for each segment of a user."""
    segments = f"(SELECT DISTINCT userid, segment FROM {request.table('segments')})"
    return f"{source} LEFT JOIN {segments} USING (userid)"


def summary_query(request: Request, steps: Plan) -> str:
    """Return the query for the means of all users and of segments, ordered by model, segment and k."""
    names = ["system"] * bool(request.systems) + ["segment"] * request.by_segment
    names += ["k::BIGINT AS k", *COUNTS, *map(identifier, chain(*map(request.names_of, request.choices)))]
    names += [*OF_LISTS][: 1 + request.history] if request.beyond_accuracy else []
    names += map(identifier, chain(*map(request.names_of, request.beyond_accuracy)))
    source, order = f"({steps.summary})", []
    if steps.by_segment:
        everybody = f"SELECT 0 AS is_segment, {literal(EVERYBODY)} AS segment, * FROM {source}"
        source = f"({everybody}\nUNION ALL BY NAME SELECT 1 AS is_segment, * FROM ({steps.by_segment}))"
        order.append("is_segment")
    if request.systems:
        order.append(f"list_position([{', '.join(map(literal, request.systems))}], system)")
    order += ["segment"] * request.by_segment
    cuts = ", ".join("-1" if k is None else str(k) for k in request.ks)
    order.append(f"list_position([{cuts}]::BIGINT[], coalesce(k, -1)::BIGINT)")
    return f"SELECT {', '.join(names)}\nFROM {source}\nORDER BY {', '.join(order)}"


def by_user_query(request: Request) -> str:
    """Return the query for the values by user and k, in order."""
    names = ["system", "userid"] if request.systems else ["userid"]
    replace = replaced_text(request, names)
    source = by_user = request.table("by_user")
    if request.beyond_accuracy_by_user:
        values = f"SELECT * EXCLUDE (n_rec) FROM {request.table('contents')}"
        source = f"({join_beyond_accuracy(request, f'FROM {by_user}', values, 'userid')}) AS {by_user}"
    order = ", ".join(f"{by_user}.{name}" for name in (*names, "k"))
    return f"SELECT *{replace}\nFROM {source}\nORDER BY {order}"


def replaced_text(request: Request, names: Iterable[str]) -> str:
    """Return a REPLACE clause that quotes text which a spreadsheet would run as a formula, if requested."""
    quoted = (
        f"CASE WHEN typeof({name}) = 'VARCHAR' "
        f"AND regexp_matches(CAST({name} AS VARCHAR), {literal(FORMULA)}) "
        f"THEN concat('''', {name}) ELSE CAST({name} AS VARCHAR) END AS {name}"
        for name in names
    )
    return f" REPLACE ({', '.join(quoted)})" if request.safe_text else ""


def grouped_means(request: Request, keys: str, source: str, choices: Iterable[Choice]) -> str:
    """Return the query for the mean of each measure, with its interval on request, by these first columns."""
    columns, texts = [Column(choice.name, "", range_of(choice)) for choice in choices], [keys]
    for column in columns:
        name = identifier(column.name)
        value = mean(name, column.is_share) if request.types else f"ranking.mean({name})"
        texts.append(f"{value} AS {name}")
        if request.confidence:
            texts.append(interval_values(column, value))
    query = f"SELECT {JOINED.join(texts)}\nFROM {source}\nGROUP BY ALL"
    if not (request.confidence and columns):
        return query
    return f"FROM {with_intervals(f'({query})', columns, request.confidence, request.is_portable)}"


def cut_off_condition(cuts: Sequence[int | None]) -> str:
    """Return the condition that k is one of these cutoffs."""
    ks = ", ".join(str(k) for k in cuts if k is not None)
    tests = [f"k IN ({ks})"] * bool(ks) + ["k IS NULL"] * (None in cuts)
    return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"


def row_columns(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """Return the types of the columns of a table, by name."""
    ((row,),) = con.execute(f"SELECT {row_type(table)}").fetchall()
    return parse_columns(row)


def fetch_rows(con: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """Return the rows of a query as dicts."""
    cursor = con.execute(query)
    names = [name for name, *_ in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

"""Check the columns of the user's tables: parse the types that DuckDB prints, and write the error texts."""

import re
import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from ..options import FLAGS
from ..quoting import unquoted
from ..texts import units

SQL, COMMAND, PYTHON = "SQL", "the command", "Python"  # the forms in which advice names options
NOT_IN_SQL = ("allow",)
# Names of columns, as regular expressions, that change all results if they are not read: grades in truth, and
# columns in rec that separate several lists of a user.
LIKE = {
    "grades": "(?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|"
    "weight|value",
    "systems": "(?:model|algorithm|algo|variant|recommender|method|experiment|strategy|arm)"
    "(?:_?(?:id|name))?",
    "runs": "(?:run|(?:random_?)?seed|trial|fold|repeat|repetition)s?(?:_?(?:id|name|no|nr|number))?",
}
TIMES = "(?:.*_)?(?:time|timestamp|ts|date|datetime|day|week|month|year|at)"  # names of columns of times
NUMBER = "(?:U?[A-Z]*INT|INTEGER|DECIMAL|FLOAT|DOUBLE|BOOLEAN)"  # types of grades
PLAIN_NUMBER = rf"{NUMBER}(?:\(.*\))?"
ID = "(?:[-_]?(?:id|no|nr|number|key|code))?"
# Names to suggest if a column is missing, by argument.
NEAR = {
    "user_col": f"[uq]id|(?:user|usr|customer|cust|client|member|visitor|account|person|query|topic){ID}",
    "item_col": "[ip]id|(?:item|product|prod|article|sku|document|doc|corpus|chunk|passage|movie|song|track|"
    f"book|offer){ID}",
    "score_col": "(?:model_?)?(?:scores?|predictions?|predicted|preds?|prob(?:ability)?|p|y_?hat|y_pred|"
    "similarity|sim|logits?|confidence)|(?:predicted_?|est(?:imated)?_?)?ratings?|rank(?:ing)?|position|place",
    "grade_col": f"rel|{LIKE['grades']}",
    "system_col": f"system|{LIKE['systems']}",
    "time_col": TIMES,
    "intent_col": f"(?:intent|sub_?topic|aspect|facet|category|genre|iteration){ID}",
}

# The columns that tables must have, each with its rule.
READ = {
    "rec": {"user": "id", "item": "id", "score": "number", "system": ""},
    "truth": {"user": "id", "item": "id", "grade": "number", "intent": "", "time": ""},
    "users": {"user": "id"},
    "history": {"user": "id", "item": "id", "time": ""},
    "items": {"item": "id", "category": ""},
    "events": {"user": "", "item": "", "time": ""},
}
ROW_IDS = ["_id", "id"]  # of a table with a row for each user or item
BEIR = {"query-id", "corpus-id", "score"}  # the columns of qrels in BEIR
QUERY = re.compile(r"\s*(\(\s*)?(select|from|with|values)\b\W", re.IGNORECASE)  # a query, not a table
FLOATS = {"FLOAT", "DOUBLE"}
UNKNOWN = '"NULL"'  # the type of NULL, which fits every type
INTEGER = r"U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)"
# A token of a type. `split_type` counts the brackets.
TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[(),]|[^'"(),]+""")


@dataclass(frozen=True, kw_only=True)
class Names:
    """Column names of a call: None for an optional column, "" for a column that is not read."""

    user: str = "userid"
    item: str = "itemid"
    score: str = "score"
    grade: str | None = None
    system: str | None = None
    is_part: bool = False  # true for a partition, which has only some rows of truth
    category: str = "category"  # in items; "" for none
    intent: str | None = None  # in truth
    time: str | None = ""  # in truth and history; None for `time` if both have it
    min_grade: float | None = None  # lowest relevant grade, which a truth without grades limits

    @property
    def grade_name(self) -> str:
        return self.grade or "rel"


class Finding(NamedTuple):
    """Something wrong with a column of a table."""

    code: str  # of the problem of ranking.check, or "missing"
    table: str  # rec, truth, users, history or items
    column: str
    text: str  # as a call raises it
    kind: str = ""  # what an unread column looks like: grades, systems or runs


def row_type(source: str) -> str:
    """Return SQL for the type of a table's row, which `parse_columns` parses."""
    return f"typeof((SELECT struct_pack(*COLUMNS(*)) FROM {source} WHERE false))"


def parse_columns(row: str) -> dict[str, str]:
    """Parse the type of a row, STRUCT(userid INTEGER, "My item" VARCHAR), to types by name as written."""
    columns = {}
    for text in split_type(row[row.index("(") + 1 : -1]):
        name, kind = re.fullmatch(r'\s*("(?:[^"]|"")*"|\S+) (.*)', text, re.DOTALL).groups()  # type: ignore[union-attr]
        columns[name] = kind
    return columns


def split_type(text: str) -> Iterator[str]:
    """Split the inside of a type at commas outside of brackets, names and values of an ENUM."""
    depth, part = 0, ""
    for token in TOKEN.findall(text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "," and not depth:
            yield part
            part = ""
        else:
            part += token
    yield part


def type_of(columns: Mapping[str, str], name: str) -> str | None:
    """Return the type of a column, ignoring case in its name; None if there is no such column."""
    if name in columns:
        return columns[name]
    return next((kind for column, kind in columns.items() if unquoted(column).lower() == name.lower()), None)


def cut(text: str) -> str:
    """Shorten a type or a value for an error on one line."""
    return f"{text[:42]}..." if len(text) >= 46 else text


def first_problem(names: Names, tables: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return the first problem of columns, as a call raises it; missing columns of rec and truth are one."""
    found = list(problems(names, tables))
    missing = [one.text for one in found if one.code == "missing" and one.table in ("rec", "truth")]
    return "; ".join(missing) or next((one.text for one in found), None)


def problems(names: Names, tables: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    """Yield what is wrong with the columns of tables, by role: they are missing, unfit or not read.

    An id must have one family of types in all tables: implicit casts could make different ids equal, or all
    ids different.
    """
    rec, truth = tables["rec"], tables.get("truth", tables["rec"])
    for table, columns, others in (("rec", rec, truth), ("truth", truth, rec)):
        if table in tables and (text := missing_columns(table, names, columns, others)):
            yield Finding("missing", table, "", text)
    yield from type_problems(names, rec, truth)
    yield from unread(names, tables)
    yield from other_problems(names, tables)
    for more in (min_grade_problem(names, truth), intent_problem(names, truth)):
        yield from [Finding("unfit_column", "truth", names.grade_name, more)] if more else []


def other_problems(names: Names, tables: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    """Yield the problem of each invalid column of users, history and items."""
    first = "truth" if "truth" in tables else "rec"
    for table in (table for table in ("users", "history", "items") if table in tables):
        for argument, name in needed(table, names).items():
            kind = type_of(tables[table], name)
            if kind is None:
                in_both = {argument} - {"category_col"}
                text = missing_text(table, tables[table], {argument: name}, in_both)
                yield Finding("missing", table, name, text)
            elif argument != "category_col":
                of_first = type_of(tables[first], name) or UNKNOWN
                if problem := id_problem(name, f"{first} and in {table}", of_first, kind):
                    yield Finding("unfit_column", table, name, problem)
    if "history" in tables and names.time != "":
        yield from time_problems(names.time, tables["truth"], tables["history"])


def time_problems(
    time: str | None, truth: Mapping[str, str], history: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield the problems of times, which must be in truth and history only if they are named."""
    name = "time" if time is None else time
    kinds = {"truth": type_of(truth, name), "history": type_of(history, name)}
    lacking = [table for table, kind in kinds.items() if kind is None]
    if lacking and time is None:
        there = [*kinds.keys() - {*lacking}]
        yield Finding("no_time", "history", name, f"one in {there[0]}" if there else "")
    elif lacking:
        columns = history if "history" in lacking else truth
        yield Finding("missing", lacking[-1], name, no_column(lacking[-1], name, "time_col", columns))
    elif not all(map(time_kind, kinds.values())) or len({*map(time_kind, kinds.values())}) > 1:
        rule = "must be integers, DATEs or TIMESTAMPs, of one kind in truth and in history"
        got = " and ".join(cut(str(kind)) for kind in kinds.values())
        yield Finding("unfit_column", "history", name, f"{cut(name)} {rule}, got {got}")


def no_column(table: str, name: str, argument: str, columns: Mapping[str, str]) -> str:
    return f"{table} must have a column {cut(name)} ({argument}), got {listed(columns)}"


def time_kind(kind: str | None) -> str | None:
    """Return the kind of a time type, as text. Times of one kind can be compared."""
    if re.fullmatch(INTEGER, str(kind)):
        return "an integer"
    if re.fullmatch("DATE|TIMESTAMP(_S|_MS|_NS)?", str(kind)):
        return "a DATE or TIMESTAMP"
    return "a TIMESTAMPTZ" if kind == "TIMESTAMP WITH TIME ZONE" else None


def intent_problem(names: Names, truth: Mapping[str, str]) -> str | None:
    """Return the error text of a missing column of intents, or of a LIST of intents."""
    if (name := names.intent) is None:
        return None
    if (kind := type_of(truth, name)) is None:
        near = nearest_column("intent_col", truth) or "..."
        return f"{no_column('truth', name, 'intent_col', truth)}; write intent_col := '{near}'"
    if not kind.endswith("]"):
        return None
    return (
        "an item of several intents wants a row for each "
        f"(SELECT * REPLACE (unnest({name}) AS {name})), got {cut(kind)}"
    )


def min_grade_problem(names: Names, truth: Mapping[str, str]) -> str | None:
    """Return the error text of a lowest grade above 1 if truth has no grades."""
    has_grades = names.grade != "" and type_of(truth, names.grade or "rel") is not None
    if has_grades or names.min_grade is None or names.min_grade <= 1:
        return None
    rule = "min_grade must be 1 or less where truth has no grades (grade_col names their column)"
    return f"{rule}, got {names.min_grade:g}"


def needed(source: str, names: Names) -> dict[str, str]:
    """Return the required columns of a table, by the arguments for their names; not intents and times."""
    kinds = READ[source].keys() - {"intent", "time"}
    return {f"{kind}_col": name for kind in READ[source] if kind in kinds and (name := getattr(names, kind))}


def missing_columns(
    source: str, names: Names, columns: Mapping[str, str], others: Mapping[str, str]
) -> str | None:
    """Return the error text of all missing columns of a table, with advice."""
    wanted = needed(source, names)
    missing = {argument: name for argument, name in wanted.items() if type_of(columns, name) is None}
    if not missing:
        return None
    elsewhere = {
        argument for argument, name in missing.items() if type_of(others, name) not in (None, UNKNOWN)
    }
    is_truth = [*missing] == ["score_col"] == [*elsewhere]
    swap = " (or swap rec and truth: truth has one)"
    swap *= is_truth and not any("]" in kind for kind in columns.values())  # A log of lists is not a truth.
    select = select_advice(source, names, columns, missing)
    return missing_text(source, columns, missing, elsewhere & {"user_col", "item_col"}, select, others) + swap


def select_advice(source: str, names: Names, columns: Mapping[str, str], missing: Mapping[str, str]) -> str:
    """Return a SELECT that reads BEIR's columns, or a list of items by user; "" for other tables."""
    if [*missing] == ["user_col", "item_col"] and {unquoted(name).lower() for name in columns} >= BEIR:
        return beir_select(source, names)
    return list_select(source, names, columns, missing)


def beir_select(source: str, names: Names) -> str:
    """Return a SELECT that reads BEIR's columns."""
    grade = "score AS rel" if names.grade in (None, "rel") else quoted(str(names.grade))
    numbers = quoted(names.score) if source == "rec" else grade
    select = f'SELECT "query-id" AS {quoted(names.user)}, "corpus-id" AS {quoted(names.item)}'
    return select + f", {numbers}" * bool(numbers)


def list_select(source: str, names: Names, columns: Mapping[str, str], missing: Mapping[str, str]) -> str:
    """Return a SELECT that reads a list of items by user; "" unless there is exactly one list."""
    of_user = nearest_column("user_col", columns) if "user_col" in missing else names.user
    of_item = nearest_column("item_col", columns) if "item_col" in missing else names.item
    lists = {unquoted(name): name for name, kind in columns.items() if kind.endswith("[]")}
    column = lists.get(of_item, "") if of_item or len(lists) != 1 else next(iter(lists.values()))
    wanted = "score_col" if source == "rec" else "item_col"
    if not (wanted in missing and of_user and column and {*missing} <= {"user_col", "item_col", "score_col"}):
        return ""
    if source == "rec" and nearest_column("score_col", {*columns} - {column}):
        return ""  # The advice names this column as the score.
    select = f"SELECT {quoted(of_user)}" + f" AS {quoted(names.user)}" * ("user_col" in missing)
    if columns[column].startswith("STRUCT"):
        return f"{select}, unnest({column}, max_depth := 2)"
    ranks = f", -generate_subscripts({column}, 1) AS {quoted(names.score)}" * (source == "rec")
    return f"{select}, unnest({column}) AS {quoted(names.item)}{ranks}"


def missing_text(
    source: str,
    columns: Mapping[str, str],
    missing: Mapping[str, str],
    in_both: Container[str],
    select: str = "",
    others: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the error text of missing columns. Columns `in_both` tables must have the same name in both.

    `select` is the advice if naming columns does not help; `others` are the columns of the other table.
    """
    renamed, arguments = [], []
    for argument, name in missing.items():
        near = nearest_column(argument, columns, others) or row_id(source, columns)
        is_id = source == "truth" and argument in ("user_col", "item_col")
        of_rec = nearest_column(argument, others, columns) if is_id else ""
        if type_of(others, near) is None and (argument in in_both or (near and of_rec)):
            renamed.append(f"{quoted(near) or '...'} AS {quoted(name if argument in in_both else of_rec)}")
        else:
            as_rank = ", descending := false" * bool(re.match("rank|pos|place", near, re.I))
            arguments.append(f"{argument} := '{near or '...'}'{as_rank}")
    wanted = " and ".join(f"a column {cut(name)} ({argument})" for argument, name in missing.items())
    write = [f"SELECT * RENAME ({', '.join(renamed)})"] * bool(renamed) + arguments
    write = [select] if select else write
    return f"{source} must have {wanted}, got {listed(columns)}; write {', '.join(write)}"


def row_id(source: str, columns: Iterable[str]) -> str:
    """Return the key of a table with a row for each user or item, as in BEIR; "" of other tables."""
    names = map(unquoted, columns) if source in ("users", "items") else ()
    return next((name for name in names if name.lower() in ROW_IDS), "")


def nearest_columns(argument: str, columns: Iterable[str]) -> list[str]:
    """Return the columns with a likely name for an argument whose column is missing."""
    pattern = NEAR.get(argument, "(?!)")
    return [name for name in map(unquoted, columns) if re.fullmatch(pattern, name, re.I)]


def nearest_column(argument: str, columns: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return the first of the likely columns, of those that `others` have too if there are any, or ""."""
    shared = {unquoted(name).lower() for name in others}
    return max(nearest_columns(argument, columns), key=lambda name: name.lower() in shared, default="")


def quoted(name: str) -> str:
    """Quote a name in advice if SQL requires quotes."""
    return f'"{name}"' if re.search(r"\W", name) else name


def listed(columns: Mapping[str, str]) -> str:
    """List the names of a table's columns, shortened for an error on one line."""
    return cut(", ".join(columns))


def type_problems(names: Names, rec: Mapping[str, str], truth: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the problem of each column with an invalid type; a missing one has any type."""
    for name in (names.user, names.item):
        kinds = type_of(rec, name) or UNKNOWN, type_of(truth, name) or UNKNOWN
        text = id_problem(name, "rec and in truth", *kinds)
        if not text and name == names.item and cannot_match(",".join(kinds)):
            rule = "must not be or hold an ARRAY or INTERVAL (cast it to a LIST or VARCHAR)"
            text = f"{cut(name)} {rule}, got {cut(kinds[0])}"
        if text:
            yield Finding("unfit_column", "rec", name, text)
    if names.grade is None and type_of(truth, "rel") == UNKNOWN:
        yield Finding("null_grade", "truth", "rel", "rel must be a finite number, got NULL")
    numbers = {"rec": (names.score, type_of(rec, names.score))}
    if names.grade != "":
        numbers["truth"] = (names.grade_name, type_of(truth, names.grade_name))
    for table, (name, kind) in numbers.items():
        others = ("VARCHAR", "BOOLEAN") if table == "truth" else ("VARCHAR",)
        if kind is not None and not is_number(kind) and kind not in others:
            hint = " (cast it to DOUBLE)" * (kind == "BIGNUM")
            yield Finding("unfit_column", table, name, f"{cut(name)} must be a number{hint}, got {cut(kind)}")


def id_problem(name: str, tables: str, first: str, second: str) -> str | None:
    """Return the error text of ids with types in two tables that cannot be compared."""
    if UNKNOWN in (first, second) or family(first) == family(second):
        return None
    common = common_type(first, second)
    write = f"write CAST({cut(name)} AS {cut(common)}) in both"
    if "VARCHAR" in (family(first), family(second)):
        for kind in {first, second} & FLOATS:
            write = f"write {cast_id(cut(name), kind, common)} where it is {kind}"
    if first.endswith("[]") != second.endswith("[]"):
        write = f"write unnest({cut(name)}) AS {cut(name)} where it is a list"
    return f"{cut(name)} must have the same type in {tables}, got {cut(first)} and {cut(second)}; {write}"


def cast_id(column: str, kind: str, common: str) -> str:
    """Return the cast of ids to a common type; as a string, a DOUBLE is written without a point."""
    column = f"CAST({column} AS BIGINT)" if common == "VARCHAR" and kind in FLOATS else column
    return f"CAST({column} AS {common})"


def is_integer(kind: str) -> bool:
    return bool(re.fullmatch(INTEGER, kind))


def is_number(kind: str) -> bool:
    """Return true for numeric types and the type of NULL; users must cast BIGNUM to DOUBLE."""
    return is_integer(kind) or bool(re.fullmatch(r'FLOAT|DOUBLE|"NULL"|DECIMAL\(.*', kind))


def family(kind: str) -> str:
    """Return the family of a type: ids of one family can be compared.

    Integers of all widths are one family, except UHUGEINT: DuckDB compares it with signed integers as DOUBLE.
    Strings are one family: VARCHAR, ENUM and UUID compare by their text.
    """
    if re.fullmatch(r"U?(TINY|SMALL|BIG)INT|UINTEGER|HUGEINT", kind):
        return "INTEGER"
    return "VARCHAR" if re.fullmatch(r"UUID|ENUM\(.*\)", kind, re.DOTALL) else kind


def cannot_match(kinds: str) -> bool:
    """Return true for types that cannot be matched: ARRAY, INTERVAL and types that contain them.

    DuckDB 2.0.0 confuses lists of ARRAYs in a LEFT JOIN, or uses all memory. Thirty days equal a month.
    """
    return bool(re.search(r"\[\d+\]|\bINTERVAL\b", re.sub(r"'[^']*'|\"[^\"]*\"", "", kinds)))


def common_type(first: str, second: str) -> str:
    """Return the type for casting ids of two types.

    For two numeric types it is the less exact type, so that equal ids stay equal. A VARCHAR would end in .0.
    """
    both = first + second
    if re.search("UUID|DATE|TIME|BLOB|BIT", both) and re.search("FLOAT|DOUBLE|DECIMAL", both):
        return "VARCHAR"
    if "VARCHAR" in (first, second) and {first, second} & FLOATS:
        return "VARCHAR"
    for number in ("FLOAT", "DOUBLE"):
        for kind in (first, second):
            if number in kind:
                return kind
    decimals = [re.search(r", ?(\d+)\)$", kind) for kind in (first, second)]
    if re.search(r"^DECIMAL|DECIMAL.*\)$", both) and not re.search(r", ?0\)VAR|VAR.*, ?0\)$", both):
        return f"DECIMAL(38, {max(int(scale[1]) for scale in decimals if scale)})"
    if re.fullmatch(r"((DATE|TIMESTAMP)(_[NMS]+| WITH TIME ZONE)?)+", both):
        return "TIMESTAMP"
    if "BOOLEAN" in both and re.fullmatch(f"({INTEGER})+", both.replace("BOOLEAN", "")):
        return "BIGINT"
    return "BLOB" if "BLOB" in (first, second) else "VARCHAR"


def unread(names: Names, tables: Mapping[str, Mapping[str, str]], way: str = SQL) -> Iterator[Finding]:
    """Yield the unread columns of rec and truth that would change all results if they were read."""
    rec, truth = tables.get("rec", {}), tables.get("truth", {})
    may_be_one = names.system is None and type_of(rec, "system") is None
    no_system = option("system_col", "", way)
    for column in alike("systems", rec) if may_be_one else ():
        apart = f"{option('system_col', column, way)} keeps models apart"
        text = f"that is not read: {apart}; {no_system} if each {units(1)} has one list"
        yield Finding("column_not_read", "rec", column, f"rec has a column {column} {text}", "systems")
    for column in alike("runs", rec) if names.system != "" else ():
        if column.lower() == (names.system or "system").lower():
            continue
        one_list = no_system if may_be_one else f"remove it{' (SELECT * EXCLUDE)' * (way == SQL)}"
        joined = f"system || '/' || {column}" if way == SQL else f"system/{column}"
        text = (
            f"rec has a column {column} that is not read, and would make one list of several runs: as "
            f"{option('system_col', None, way)}, name a column with {joined} "
            f"(then take the mean of each {units(1)}'s runs); {one_list} if each {units(1)} has one list"
        )
        yield Finding("column_not_read", "rec", column, text, "runs")
    for column in alike("grades", truth) if names.grade is None and type_of(truth, "rel") is None else ():
        # If it has the name of the scores, only the rows show whether it holds grades.
        if names.is_part or column.lower() != names.score.lower():
            yield Finding("column_not_read", "truth", column, grade_not_read([column], way), "grades")


def grade_not_read(names: Sequence[str], way: str = SQL) -> str:
    """Return the error text of unread columns of grades."""
    several, one = f"columns {', '.join(names)} that are", f"a column {names[0]} that is"
    return (
        f"truth has {several if names[1:] else one} not read: {option('grade_col', names[0], way)} takes "
        f"{names[0] if names[1:] else 'it'} as the grade; {option('grade_col', '', way)} makes every row of "
        "truth relevant"
    )


def alike(kind: str, columns: Mapping[str, str]) -> list[str]:
    """Return the columns with typical names of systems, runs or grades; grades must be numbers."""
    names = [unquoted(column) for column in columns if re.fullmatch(LIKE[kind], unquoted(column), re.I)]
    return [column for column in names if kind != "grades" or is_plain_number(str(type_of(columns, column)))]


def is_plain_number(kind: str) -> bool:
    """Return true for the types of grades: numbers and BOOLEAN."""
    return bool(re.fullmatch(PLAIN_NUMBER, kind))


def option(name: str, value: str | None, way: str) -> str:
    """Write an option: grade_col := 'stars', --grade stars or grade_col='stars'; a name without a value."""
    if way == COMMAND:
        flag = f"--{FLAGS[name].replace('_', '-')}"
        if name == "descending" and value is not None:
            return "--ascending" if value == "false" else "without --ascending"
        return flag if value is None else f"{flag} {shlex.quote(value)}"
    if value is None:
        return name
    word = value.capitalize() if way == PYTHON else value
    text = word if value in ("false", "true") else repr(value)
    return f"{name}{' := ' if way == SQL else '='}{text}"


def written(text: str, way: str, given: Sequence[str] = ()) -> str:
    """Write the options in a string, {grade_col=NAME} or {history}, without clauses on given ones."""
    left_out = (*given, *(NOT_IN_SQL if way == SQL else ()))
    clauses = [
        one for one in text.split("; ") if not any(re.search(rf"\{{{name}\b", one) for name in left_out)
    ]
    return re.sub(
        r"\{(\w+)(?:=([^}]*))?\}", lambda match: option(match[1], match[2], way), "; ".join(clauses)
    )

"""Hivemall's to_ordered_map and to_ordered_list, whose result is of whatever type the arguments are.

No user-defined function of Spark's can be so: its type is declared once. These are put where Spark's own
functions are, each a rule that says which of Spark's functions a call stands for, and so nothing of them runs
in Python. That place is internal to Spark and not to be reached over Spark Connect.
"""

import re
from collections.abc import Callable
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from .columns import LONGEST


class Rule:
    """What Spark asks for the meaning of a call: Scala's Function1, from arguments to an expression."""

    class Java:
        implements = ("scala.Function1",)

    def __init__(self, spark: SparkSession, meaning: Callable[..., Column]) -> None:
        self.spark, self.meaning = spark, meaning

    def apply(self, arguments: Any) -> Any:
        classic = self.spark._jvm.org.apache.spark.sql.classic  # type: ignore[union-attr]
        utils = getattr(getattr(classic, "ExpressionUtils$"), "MODULE$")
        given = [arguments.apply(place) for place in range(arguments.size())]
        found = self.meaning(*(Argument(Column(utils.column(one)), one) for one in given))
        return self.spark._jsparkSession.expression(found._jc)

    def toString(self) -> str:  # noqa: N802  (Java's)
        return self.meaning.__name__


class Argument:
    """An argument of a call: a column, and what is known of it before the query runs."""

    def __init__(self, column: Column, expression: Any) -> None:
        self.column = column
        self.kind: str = expression.dataType().typeName()
        self.is_constant: bool = expression.foldable()
        value = expression.eval(None) if self.is_constant else None
        self.constant: Any = str(value) if self.kind == "string" and value is not None else value


def helpers_of(spark: SparkSession) -> Callable[[str], None]:
    """What puts one of them into the session; an error if that is not to be reached."""
    try:
        from pyspark.java_gateway import ensure_callback_server_started  # which a mere client has not

        ensure_callback_server_started(spark.sparkContext._gateway)  # type: ignore[no-untyped-call, unused-ignore]
        registry = spark._jsparkSession.sessionState().functionRegistry()
    except Exception as error:
        rule = "register: hivemall=True must be given a session of Spark 4 itself, not of Spark Connect"
        raise RuntimeError(f"{rule}, got {type(spark).__module__} ({type(error).__name__})") from error

    def register(name: str) -> None:
        registry.createOrReplaceTempFunction(name, Rule(spark, HELPERS[name]), "scala_udf")

    return register


def to_ordered_map(*arguments: Argument) -> Column:
    """A MAP of the pairs of a group, ordered by key, of (key, value [, reverse | k]).

    As in `sql/hivemall`: descending if reverse is true; for k the k largest keys, descending, or if it is
    negative the |k| smallest, ascending; both constants. NULL keys are skipped; of the values of one key the
    smallest stays.
    """
    if len(arguments) not in (2, 3):
        return refused("to_ordered_map", "takes (key, value[, reverse | k])", f"{len(arguments)} arguments")
    descending, most = False, None
    if len(arguments) == 3:
        third = arguments[2]
        if third.kind not in ("boolean", "byte", "short", "integer", "long") or not third.constant:
            if third.kind != "boolean" or third.constant is None:
                rule = "the third argument must be a constant BOOLEAN (reverse) or integer other than 0 (k)"
                got = "NULL" if third.constant is None else str(third.constant)
                return refused("to_ordered_map", rule, got if third.is_constant else third.kind)
        elif third.kind == "boolean":
            descending = True
        else:
            descending, most = third.constant > 0, min(abs(third.constant), LONGEST)
    key, value = arguments[0].column, arguments[1].column
    pair = F.struct(key.alias("key"), value.isNull().alias("absent"), value.alias("value"))
    pairs = once(F.sort_array(F.collect_list(F.when(key.isNotNull(), pair))), first_of_each("key"))
    return as_map(cut(F.reverse(pairs) if descending else pairs, most), "key", "value")


def to_ordered_list(*arguments: Argument) -> Column:
    """An ARRAY of the values of a group, ordered by key or by themselves, of (value [, key] [, options]).

    As in `sql/hivemall`: options is a constant of `-k N`, `-reverse`, `-dedup`, `-kv_map` and `-vk_map`; as
    in Hivemall, a constant text in second place is options, and a column of text is the key. NULL keys and
    values are skipped.
    """
    *others, last = arguments or (None,)
    has_options = last is not None and bool(others) and last.kind in ("string", "void") and last.is_constant
    columns = [one.column for one in (others if has_options else arguments)]
    if len(columns) not in (1, 2):
        return refused("to_ordered_list", "takes (value[, key][, options])", f"{len(arguments)} arguments")
    options = parsed(given_options(last) if has_options and last is not None else "", len(columns) == 2)
    if options is None:
        maps = ", and -kv_map or -vk_map" if len(columns) == 2 else ""
        rule = f"options must be made of -k N (N not 0), -reverse, -dedup{maps}"
        given = last.constant if last is not None else None
        return refused("to_ordered_list", rule, "NULL" if given is None else repr(given))
    descending, most, dedup, returns = options
    value, key = columns[0], columns[-1]
    pair = F.struct(key.alias("key"), value.alias("value"))
    pairs = F.sort_array(F.collect_list(F.when(key.isNotNull() & value.isNotNull(), pair)))
    if dedup:
        pairs = F.array_distinct(pairs)
    if descending:  # by key; equal keys still by value, ascending
        pairs = F.array_sort(pairs, descending_keys)
    if returns == "list":
        return F.transform(cut(pairs, most), lambda one: one["value"])
    names = ("key", "value") if returns == "kv_map" else ("value", "key")
    return as_map(first_pairs(cut(pairs, most), names[0]), *names)


def given_options(argument: Argument) -> str:
    return "NULL" if argument.constant is None else str(argument.constant)


def parsed(text: str, has_key: bool) -> tuple[bool, int | None, bool, str] | None:
    """Whether keys descend, the most pairs, whether each once, and what is returned; None if malformed."""
    names = {"-reverse_order": "-reverse", "-kv": "-kv_map", "-vk": "-vk_map"}
    words = [names.get(word, word) for word in text.split()]
    most = None
    if "-k" in words:
        place = words.index("-k")
        number = "".join(words[place + 1 : place + 2])
        if not re.fullmatch(r"[+-]?0*[1-9]\d{0,8}", number, re.ASCII):
            return None
        most = int(number)
        del words[place : place + 2]
    maps = {"-kv_map", "-vk_map"} & set(words) if has_key else set()
    if len(maps) > 1 or set(words) - {"-reverse", "-dedup"} - maps:
        return None
    descending = (most is not None and most > 0) != ("-reverse" in words)
    returns = maps.pop().removeprefix("-") if maps else "list"
    return descending, None if most is None else abs(most), "-dedup" in words, returns


def descending_keys(one: Column, other: Column) -> Column:
    """The order of two pairs: -1, 0 or 1."""
    before = (one["key"] > other["key"]) | ((one["key"] == other["key"]) & (one["value"] < other["value"]))
    return (
        F.when(before, -1)
        .when((one["key"] == other["key"]) & (one["value"] == other["value"]), 0)
        .otherwise(1)
    )


def once(array: Column, use: Callable[[Column], Column]) -> Column:
    """What `use` makes of an array, which is computed once however often it is named there."""
    return F.transform(F.array(array), use)[0]


def first_of_each(name: str) -> Callable[[Column], Column]:
    """Of neighbours with the same key or value, the first."""
    return lambda pairs: F.filter(pairs, lambda one, i: (i == 0) | (one[name] != F.get(pairs, i - 1)[name]))


def first_pairs(pairs: Column, name: str) -> Column:
    """The first pair with each key or value, wherever the others are."""
    return once(
        F.transform(pairs, lambda one: one[name]),
        lambda names: F.filter(pairs, lambda one, i: F.array_position(names, one[name]) == i + 1),
    )


def cut(pairs: Column, most: int | None) -> Column:
    return pairs if most is None else F.slice(pairs, 1, most)


def as_map(pairs: Column, key: str, value: str) -> Column:
    return F.map_from_entries(F.transform(pairs, lambda one: F.struct(one[key], one[value])))


def refused(name: str, rule: str, got: str) -> Column:
    return F.raise_error(F.lit(f"{name}: {rule}, got {got}"))


HELPERS = {meaning.__name__: meaning for meaning in (to_ordered_map, to_ordered_list)}

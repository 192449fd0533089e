"""The columns of a call: found by name, checked, and renamed to the pack's names, all without a job."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  (as all of Spark's users call it)
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    CalendarIntervalType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    VariantType,
)

from ..evaluation.columns import Columns
from ..evaluation.defaults import LARGEST_K
from ..measures.rankings import WHOLE
from ..texts import shorten

INTEGERS = (ByteType, ShortType, IntegerType, LongType)
FLOATS = (FloatType, DoubleType)
NUMBERS = (*INTEGERS, *FLOATS, DecimalType, NullType)


@dataclass(frozen=True)
class Tables:
    """Both tables under the pack's names.

    recs     [system,] userid, itemid, score; a system is a STRUCT of it, so that NULL is one as any other
    truths   userid, itemid [, grade]
    """

    caller: str
    names: Columns
    recs: DataFrame
    truths: DataFrame

    @property
    def has_system(self) -> bool:
        return "system" in self.recs.columns

    @property
    def has_grade(self) -> bool:
        return "grade" in self.truths.columns

    @property
    def is_nan(self) -> str:
        """The SQL condition that a score is NaN."""
        return "isnan(score)" if isinstance(self.recs.schema["score"].dataType, FLOATS) else "false"

    @property
    def keys(self) -> list[str]:
        """The columns that tell rankings apart."""
        return ["system", "userid"] if self.has_system else ["userid"]


class UserFrame:
    """A DataFrame of the user's, whose columns are found by name in any case, as DuckDB finds them."""

    def __init__(self, caller: str, table: str, frame: Any) -> None:
        if not isinstance(frame, DataFrame):
            raise TypeError(f"{caller}: {table} must be a DataFrame of Spark, got {type(frame).__name__}")
        self.caller, self.table = caller, table
        self.names = list(frame.columns)
        self.types = [field.dataType for field in frame.schema.fields]
        # Renamed by place, since a name may hold dots, or occur twice where nobody asks for it.
        self.frame = frame.toDF(*(f"column_{place}" for place in range(len(self.names))))

    def place(self, name: str) -> int | None:
        """Return the place of the column; None if there is none."""
        exact = [place for place, one in enumerate(self.names) if one == name]
        found = exact or [place for place, one in enumerate(self.names) if one.lower() == name.lower()]
        if len(found) > 1:
            raise ValueError(f"{self.caller}: {self.table} must have one column {name}, got {len(found)}")
        return found[0] if found else None

    def needed(self, name: str, argument: str, more: str = "") -> int:
        place = self.place(name)
        if place is None:
            got = shorten(", ".join(self.names))
            rule = f"{self.table} must have a column {shorten(name)} ({argument})"
            raise ValueError(f"{self.caller}: {rule}, got {got}{more}")
        return place

    def optional(self, name: str | None, otherwise: str, argument: str) -> int | None:
        return self.place(otherwise) if name is None else self.needed(name, argument)

    def column(self, place: int, otherwise: DataType | None = None) -> Column:
        """Return the column there, cast to the other type if it holds nothing but NULL."""
        column = F.col(f"column_{place}")
        if otherwise is None or not isinstance(self.types[place], NullType):
            return column
        return column.cast("string" if isinstance(otherwise, NullType) else otherwise)


def parse_tables(caller: str, rec: Any, truth: Any, names: Columns) -> Tables:
    """Return both tables under the pack's names, or raise an error for what does not fit."""
    recs, truths = UserFrame(caller, "rec", rec), UserFrame(caller, "truth", truth)
    users = [table.needed(names.user_col, "user_col") for table in (recs, truths)]
    items = [table.needed(names.item_col, "item_col") for table in (recs, truths)]
    other = "; truth has one" if truths.place(names.score_col) is not None else ""
    score = recs.needed(names.score_col, "score_col", other)
    grade = truths.optional(names.grade_col, "rel", "grade_col")
    system = recs.optional(names.system_col, "system", "system_col")

    for name, places in ((names.user_col, users), (names.item_col, items)):
        one, two = recs.types[places[0]], truths.types[places[1]]
        if not is_comparable(one, two):
            got = f"{shorten(one.simpleString())} and {shorten(two.simpleString())}"
            raise TypeError(
                f"{caller}: {shorten(name)} must have the same type in rec and in truth, got {got}"
            )
        check_order(caller, name, one)
        check_order(caller, name, two)
    if system is not None:
        check_order(caller, names.system_col or "system", recs.types[system])
    check_number(caller, names.score_col, recs.types[score], NUMBERS)
    if grade is not None:
        check_number(caller, names.grade_col or "rel", truths.types[grade], (*NUMBERS, BooleanType))

    rec_columns = [
        recs.column(users[0], truths.types[users[1]]).alias("userid"),
        recs.column(items[0], truths.types[items[1]]).alias("itemid"),
        recs.column(score, DoubleType()).alias("score"),
    ]
    if system is not None:
        rec_columns.insert(0, F.struct(recs.column(system).alias("system")).alias("system"))
    truth_columns = [
        truths.column(users[1], recs.types[users[0]]).alias("userid"),
        truths.column(items[1], recs.types[items[0]]).alias("itemid"),
    ]
    if grade is not None:
        truth_columns.append(truths.column(grade, DoubleType()).alias("grade"))
    return Tables(caller, names, recs.frame.select(rec_columns), truths.frame.select(truth_columns))


def is_infinite(number: str) -> str:
    """Return the SQL condition that a DOUBLE is NaN or infinite; NULL for NULL."""
    return f"(isnan({number}) OR abs({number}) = double('inf'))"


def check_order(caller: str, name: str, kind: DataType) -> None:
    if not has_order(kind):
        rule = "must not be or hold a MAP, VARIANT or INTERVAL (cast it to STRING)"
        raise TypeError(f"{caller}: {shorten(name)} {rule}, got {shorten(kind.simpleString())}")


def check_number(caller: str, name: str, kind: DataType, valid: tuple[type[DataType], ...]) -> None:
    if not isinstance(kind, valid):
        got = shorten(kind.simpleString())
        raise TypeError(f"{caller}: {shorten(name)} must be a number, got {got}")


def is_comparable(one: DataType, two: DataType) -> bool:
    """Return whether ids of these types may be compared: integers, texts, or one type."""
    return family(one) == family(two) or NullType() in (one, two)


def family(kind: DataType) -> object:
    if isinstance(kind, INTEGERS) or kind == DecimalType(38, 0):  # which the functions too take for one
        return "integers"
    if isinstance(kind, StringType):
        return getattr(kind, "collation", "text")
    return kind.simpleString()


def has_order(kind: DataType) -> bool:
    """Return whether Spark can order, group and join by this type."""
    if isinstance(kind, StructType):
        return all(has_order(field.dataType) for field in kind.fields)
    if isinstance(kind, ArrayType):
        return has_order(kind.elementType)
    return not isinstance(kind, (MapType, VariantType, CalendarIntervalType))


def cut_offs(caller: str, ks: Any, needed: bool = True) -> list[int | None]:
    """Return the cut-offs of `ks`, ascending; None, for the whole list or more, comes last."""
    given = list(ks) if isinstance(ks, (list, tuple, range)) else [ks]
    for k in given:
        check_cut_off(caller, "every k in ks", k)
    found = {None if k is None or k > WHOLE else int(k) for k in given}
    if needed and not found:
        raise ValueError(f"{caller}: ks must be a list of one or more k, got {ks!r}")
    return [*sorted(k for k in found if k is not None), *([None] if None in found else [])]


def check_cut_off(caller: str, what: str, k: Any) -> None:
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, Integral):
        raise TypeError(f"{caller}: {what} must be an integer, got {shorten(repr(k))}")
    if k < 0:
        raise ValueError(f"{caller}: {what} must be 0 or more, got {k}")


def deepest_rank(ks: Sequence[int | None]) -> int | None:
    """Return the largest cut-off; None for the whole ranking."""
    most = max(LARGEST_K + 1 if k is None else k for k in ks)
    return None if most > LARGEST_K else int(most)

"""The call of ranking.agreement, with the values that its template reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .arguments import Given, parse_column, parse_fields, parse_table
from .call import nulls
from .comparison import OPTIONS, Tests


@dataclass(frozen=True)
class AgreementCall(Tests):
    """A call of ranking.agreement. Its SQL finds the types of the columns."""

    folder: ClassVar = "comparison"
    parsers: ClassVar = {
        "labels_a": ("labels_a", parse_table),
        "labels_b": ("labels_b", parse_table),
        "confidence": OPTIONS["confidence"],
        "user_col": ("user", parse_column),
        "item_col": ("item", parse_column),
        "grade_col": ("grade", parse_column),
    }
    types: ClassVar = None

    labels_a: str = ""
    labels_b: str = ""
    user: str = "userid"
    item: str = "itemid"
    grade: str = "rel"

    @classmethod
    def parse(cls, function: str, arguments: Mapping[str, Given]) -> "AgreementCall":
        """Parse the arguments of a SQL call."""
        fields = parse_fields(cls.parsers, arguments)
        if not fields.get("grade", "rel"):
            raise ValueError("grade_col must be the name of a column, got ''")
        return cls(function, **fields)

    def with_types(self, types: Mapping[str, Any]) -> "AgreementCall":
        return self

    @property
    def label_columns(self) -> str:
        return nulls([self.user, self.item, self.grade])

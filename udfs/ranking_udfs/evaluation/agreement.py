"""SQL for the agreement of two judges: A's labels are `truth`, B's labels are `predicted_truth`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..quoting import identifier, literal
from .comparison import at_own_cuts
from .queries import Request, table_call

JUDGES = {"a": ("by_user", "by_predicted"), "b": ("by_predicted", "by_user")}  # own values, the other judge's
BOTH = " difference"  # suffix of a measure: by how much a judge prefers a system to the baseline
FAVORS = """SELECT
    a.baseline, a.system, a.measure, a.k, a.users,
    a.difference AS difference_a, a.p_adjusted AS p_a, a.verdict AS verdict_a,
    b.difference AS difference_b, b.p_adjusted AS p_b, b.verdict AS verdict_b,
    gap.difference, gap.low, gap.high, gap.p_adjusted AS p,
    CASE
        WHEN gap.verdict = 'unclear' THEN gap.verdict
        WHEN (gap.difference > 0) = a.higher_is_better THEN 'b'
        ELSE 'a'
    END AS favored_by
FROM {a} AS a
JOIN {b} AS b
    ON (a.baseline, a.system, a.measure) = (b.baseline, b.system, b.measure) AND a.k IS NOT DISTINCT FROM b.k
JOIN {gap} AS gap
    ON (a.baseline, a.system) = (gap.segment.baseline, gap.segment.system)
    AND gap.measure = a.measure || {suffix} AND a.k IS NOT DISTINCT FROM gap.k"""


def agreement_query(request: Request) -> str:
    """Return the query for the statistics of the pairs that both judges have labeled."""
    tables = {"labels_a": request.table("truth"), "labels_b": request.table("predicted_truth")}
    arguments = {**tables, "confidence": request.comparison["confidence"]}
    return f"FROM {table_call(request, 'agreement', arguments, 2)}"


def favoring_statements(request: Request) -> Iterator[str]:
    """Yield statements that make a table of values by each judge, and a table of gains over the baseline.

    All tables have only the users with labels from both judges.
    """
    values = {choice.name: identifier(choice.name) for choice in request.choices}
    for judge, (own, other) in JUDGES.items():
        columns = ", ".join(["system", "userid", "k", "n_rec", *values.values()])
        users = f"WHERE userid IN (SELECT userid FROM {request.table(other)})"
        yield request.make(f"by_{judge}", f"SELECT {columns} FROM {request.table(own)} {users}")
    judged = (f"SELECT '{judge}' AS judge, * FROM {request.table(f'by_{judge}')}" for judge in JUDGES)
    gains = (f"other.{value} - one.{value} AS {identifier(name + BOTH)}" for name, value in values.items())
    baseline = request.comparison["baseline"]
    first = "one.system < other.system" if baseline is None else f"one.system = {literal(baseline)}"
    yield request.make(
        "gap",
        f"WITH judged AS ({' UNION ALL '.join(judged)})\n"
        "SELECT judge AS system, userid, one.k, {baseline: one.system, system: other.system} AS segment, "
        f"{', '.join(gains)}\nFROM judged AS one JOIN judged AS other USING (judge, userid)\n"
        f"WHERE {first} AND one.system <> other.system AND one.k IS NOT DISTINCT FROM other.k",
    )


def favoring_query(request: Request) -> str:
    """Return the query for the system that each judge favors, by pair of systems, measure and cutoff."""
    names = [choice.name for choice in request.choices]

    def compared(table: str, measures: Sequence[str], **options: Any) -> str:
        types = {request.table(table): dict.fromkeys(map(identifier, measures), "DOUBLE")}
        arguments = {"by_user": request.table(table), "measures": measures, **request.comparison, **options}
        return table_call(replace(request, types=types), "compare_by_user", arguments, 1)

    tables = {judge: compared(f"by_{judge}", names) for judge in JUDGES}
    tables["gap"] = compared("gap", [name + BOTH for name in names], baseline="a")
    query = FAVORS.format(**tables, suffix=literal(BOTH))
    position = f"list_position([{', '.join(map(literal, names))}], measure)"
    order = ", ".join(f"{key} ASC NULLS LAST" for key in ("baseline", "system", "k", position))
    return f"FROM ({query}){at_own_cuts(request, request.choices)}\nORDER BY {order}"

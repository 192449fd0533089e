"""Read the labels of two judges for their agreement, and compute values by each with recommendations."""

from dataclasses import replace

from ..evaluation.agreement import agreement_query, favoring_query, favoring_statements
from ..evaluation.errors import DataError
from ..evaluation.options import GRADES
from ..evaluation.words import in_unit
from .evaluation import Evaluation
from .files import option


def judge_queries(work: Evaluation) -> list[str]:
    """Make the tables; return the query of the statistics, and with REC that of the favored systems.

    Raises UsageError or DataError if there is nothing to compare.
    """
    if not work.inputs.recs:
        of_runs = ["measures", "ks", *GRADES, "ties", "baseline", "correction"]
        work.refuse_options(of_runs, f"must be left out without {'REC' if work.inputs.is_command else 'rec'}")
    work.prepare_values()
    request = work.composed
    for table, path in (("truth", work.inputs.truth), ("predicted_truth", work.inputs.predicted_truth)):
        if "rel" not in request.types[request.table(table)]:
            grade = option("rel", work.inputs.is_command)
            raise DataError(f"{path}: must have a column of grades, such as rel: name it by {grade}")
    if not work.inputs.recs:
        return [agreement_query(request)]
    work.check_models()
    work.step("ranking")
    for statement in [*work.steps.tables, *favoring_statements(request)]:
        work.con.execute(statement)
    work.request = replace(work.request, predicted_truth=False)  # the check then reads one truth
    work.find_problems()
    users = f"SELECT 1 FROM {request.table('by_a')} LIMIT 1"
    if not work.con.execute(users).fetchall():
        raise DataError(f"{work.caller}: {in_unit('no user has labels by both judges')}")
    return [agreement_query(request), favoring_query(request)]

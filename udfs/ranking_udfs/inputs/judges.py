"""The labels of two judges, and with recommendations the values by each, read for their agreement."""

from dataclasses import replace

from ..evaluation.agreement import agreement_query, favoring_query, favoring_statements
from ..evaluation.errors import DataError
from ..evaluation.options import GRADES
from ..evaluation.words import in_unit
from .evaluation import Evaluation
from .files import option


def judge_queries(work: Evaluation) -> list[str]:
    """Make the tables; return the query of the statistics, and with recommendations of who favors what.

    UsageError or DataError if there is nothing to compare.
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
    work.request = replace(work.request, predicted_truth=False)  # no labels of a model beside people's
    work.find_problems()
    users = f"SELECT 1 FROM {request.table('by_a')} LIMIT 1"
    if not work.con.execute(users).fetchall():
        raise DataError(f"{work.caller}: {in_unit('no user has labels by both judges')}")
    return [agreement_query(request), favoring_query(request)]

"""Fuse files with the rankings of several models into one file."""

import os

from ..evaluation.queries import fusion_query
from ..inputs.evaluation import Evaluation
from ..quoting import literal
from .output import write_rows
from .values import TREC

NOT_TREC = "an id in a TREC run must have no blank, and each row a score (write .csv), got "
COUNTS = "SELECT count(*), count(DISTINCT userid), max(n_systems) FROM {fused}"


def fuse_files(work: Evaluation) -> str:
    """Write the fused rankings, and return a sentence."""
    con, options = work.con, work.options
    output = str(options.output)
    work.step("fusing")
    fused, query = work.request.table("fused"), fusion_query(work.request, vars(options))
    con.execute(f"CREATE OR REPLACE TEMP TABLE {fused} AS\n{query}")
    order = "userid ASC NULLS LAST, score DESC NULLS LAST, itemid ASC NULLS LAST"
    is_trec = output.lower().endswith(TREC)
    query = trec_query(fused, order, output) if is_trec else f"FROM {fused} ORDER BY {order}"
    write_rows(con, query, output)
    ((rows, users, most),) = con.execute(COUNTS.format(fused=fused)).fetchall()
    return f"{output}: {rows} rows of {users} users, of up to {most or 0} models each"


def trec_query(fused: str, order: str, output: str) -> str:
    """Return the query for the lines of a TREC run; the tag is the name of the file."""
    tag = "_".join(os.path.splitext(os.path.basename(output))[0].split())
    return f"""
        SELECT CASE
            WHEN score IS NOT NULL AND NOT regexp_matches(concat(userid, itemid), '\\s')
                THEN concat_ws(' ', userid, 'Q0', itemid, rank, score, {literal(tag)})
            ELSE error(concat(
                {literal(NOT_TREC)}, userid, ', ', itemid, ', ', coalesce(score::VARCHAR, 'NULL')))
        END
        FROM (SELECT *, row_number() OVER (PARTITION BY userid ORDER BY {order}) AS rank FROM {fused})
        ORDER BY {order}"""

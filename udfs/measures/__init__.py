"""The measures: what each is, on NumPy alone (no pyarrow and no duckdb may be imported in this room).

`formulas` has a pure function for each, from a batch of `rankings` to one number per ranking; `ragged` is the
arithmetic that they share; the `registry` knows what they are called, which options they take and what they
do at the edges, and the `grammar` how a text such as `ndcg(gain=linear)@5,10` names one.
"""

from . import formulas as formulas  # fills the registry
from .registry import BY_NAME as BY_NAME
from .registry import LIST_MEASURES as LIST_MEASURES
from .registry import MEASURES as MEASURES

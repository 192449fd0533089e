"""What a user reads when something is wrong, beyond wrong_calls.txt and tests/golden/sql/arguments.txt."""

import duckdb
import pyarrow as pa
import pytest

from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.measures.registry import MEASURES, Number
from tests.conftest import Con, call, said


@pytest.fixture
def con(shared: Con) -> Con:
    return shared


def test_k_may_not_be_true_or_false(con: Con) -> None:
    found = said(con, "SELECT recall([1], [1], true)")  # as the releases of DuckDB spell the type
    assert found.lower() == "typeerror: recall: k must be an integer, got boolean true"


def test_an_unknown_option_or_value_is_an_error_that_lists_the_valid_ones(con: Con) -> None:
    for name, measure in MEASURES.items():
        if not measure.options:
            continue
        valid = ", ".join(f"{option}={rule}" for option, rule in measure.options.items())
        expected = {
            text: f"options must be name=value pairs (valid: {valid}), got '{text}'"
            for text in ("nomralize=min", "what", "=")
        }
        for option, rule in measure.options.items():
            for text in ("", "TRUTH", *(["nan", "-1e400"] if isinstance(rule, Number) else [])):
                expected[f"{option}={text}"] = f"option {option} must be {rule}, got '{text}'"
        for i, (text, error) in enumerate(expected.items()):
            form = ("[1], [1]", "judge([1], [1])")[i % 2]
            assert said(con, f"SELECT \"{name}\"({form}, 1, '{text}')") == f"ValueError: {name}: {error}"


def test_no_argument_is_refused_by_duckdb_and_by_the_function(con: Con) -> None:
    for name in FUNCTIONS:
        with pytest.raises(duckdb.BinderException, match="No function matches"):
            con.execute(f'SELECT "{name}"()')
        with pytest.raises(TypeError, match=f"^{name}: takes .*, got 0 arguments$"):
            call(name)


def test_an_error_in_an_empty_batch_is_not_an_accident() -> None:
    """An engine may hand over no rows; the types alone may then be wrong."""
    empty = pa.array([], pa.list_(pa.int64()))
    for name in MEASURES:
        assert call(name, empty, empty) == []
        assert call(name, empty, empty, pa.array([], pa.int64()), pa.array([], pa.string())) == []
    assert call("judge", empty, empty) == []
    for wrong in (pa.array([], pa.float64()), pa.array([], pa.string())):
        try:
            found = call("recall", empty, empty, wrong)
        except TypeError as error:
            assert str(error).startswith("recall: k must be an integer")  # noqa: PT017
        else:
            assert found == []
    for wrong in (pa.array([], pa.float64()), pa.array([], empty.type)):
        for name, before in [
            ("recall", (empty, empty, pa.array([], pa.int64()))),
            ("novelty", (empty, pa.nulls(0))),
        ]:
            with pytest.raises(
                TypeError, match=f"^{name}: options must be a VARCHAR of name=value pairs, got "
            ):
                call(name, *before, wrong)


def test_no_error_shows_a_long_type_or_value(con: Con) -> None:
    words = ", ".join(f"'word {i}'" for i in range(5_000))
    fields = ", ".join(f"'field_{i}': {i}" for i in range(500))
    for query in (
        f"recall(['word 1'::ENUM ({words})], [1])",
        f"recall([{{{fields}}}], [{{'a': 1}}])",
        f"recall([1], {{{fields}}})",
        "recall([1], [1], repeat('x', 100000))",
        "recall([1], [1], 1, repeat('x', 100000))",
        "recall([1], [1], 1, 'normalize=' || repeat('x', 100000))",
    ):
        assert len(said(con, f"SELECT {query}")) < 400, query[:40]

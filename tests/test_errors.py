"""Errors of the functions over lists, beyond calls/errors.txt."""

import duckdb
import pyarrow as pa
import pytest

from ranking_udfs.arrow.functions import FUNCTIONS
from ranking_udfs.measures.registry import MEASURES, Number
from tests.conftest import Con, call, said


def test_k_may_not_be_true_or_false(shared: Con) -> None:
    error = said(shared, "SELECT recall([1], [1], true)")  # releases of DuckDB spell the type differently
    assert error.lower() == "typeerror: recall: k must be an integer, got boolean true"


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if measure.options])
def test_error_of_an_option_lists_what_is_valid(shared: Con, name: str) -> None:
    options = MEASURES[name].options
    valid = ", ".join(f"{option}={rule}" for option, rule in options.items())
    expected = {
        text: f"options must be name=value pairs (valid: {valid}), got '{text}'"
        for text in ("nomralize=min", "what", "=")
    }
    for option, rule in options.items():
        for text in ("", "TRUTH", *(["nan", "-1e400"] if isinstance(rule, Number) else [])):
            expected[f"{option}={text}"] = f"option {option} must be {rule}, got '{text}'"
    for i, (text, error) in enumerate(expected.items()):
        form = ("[1], [1]", "judge([1], [1])")[i % 2]
        assert said(shared, f"SELECT \"{name}\"({form}, 1, '{text}')") == f"ValueError: {name}: {error}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_needs_an_argument(shared: Con, name: str) -> None:
    with pytest.raises(duckdb.BinderException, match="No function matches"):
        shared.execute(f'SELECT "{name}"()')
    with pytest.raises(TypeError, match=f"^{name}: takes .*, got 0 arguments$"):
        call(name)


def test_an_empty_batch_has_no_value_but_its_options_are_checked() -> None:
    """Call the functions as an engine does that passes no rows; the types alone may then be wrong."""
    empty, ks = pa.array([], pa.list_(pa.int64())), pa.array([], pa.int64())
    assert call("judge", empty, empty) == []
    for name in MEASURES:
        assert call(name, empty, empty) == call(name, empty, empty, ks, pa.array([], pa.string())) == []
    for wrong in (pa.array([], pa.float64()), pa.array([], pa.string())):
        assert call("recall", empty, empty, wrong) == []
    for wrong in (pa.array([], pa.float64()), empty):
        for name, *before in (("recall", empty, empty, ks), ("novelty", empty, pa.nulls(0))):
            rule = f"^{name}: options must be a VARCHAR of name=value pairs, got "
            with pytest.raises(TypeError, match=rule):
                call(name, *before, wrong)


def test_no_error_shows_a_long_type_or_value(shared: Con) -> None:
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
        assert len(said(shared, f"SELECT {query}")) < 400, query[:40]

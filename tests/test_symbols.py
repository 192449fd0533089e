"""Templates whose arguments only DuckDB knows give the SQL that the same templates give for known values."""

import re
from itertools import product
from typing import Any

import pytest

from ranking_udfs.compose.measures import CUT, TIED, formula, render_formula
from ranking_udfs.compose.symbols import Symbol, SymbolEnvironment, SymbolError, SymbolList, expression, text
from ranking_udfs.measures.grammar import parse_measure
from ranking_udfs.measures.registry import MEASURES
from tests.conftest import Con, value

ENVIRONMENT = SymbolEnvironment(trim_blocks=True, lstrip_blocks=True)
NUMBERS = {"two": 2.0, "tenth": 0.1, "tiny": 1e-300, "known": 3}
# Templates that are an expression over a = 'x', 'y', 'it''s' or NULL, and b = 0.5 or NULL.
EXPRESSIONS = {
    "one test": "{% if a == 'x' %}1{% else %}2{% endif %}",
    "several tests": "{% if a == 'x' %}1{% elif a == 'y' %}2{% elif a == 'it\\'s' %}3{% else %}4{% endif %}",
    "inside each other": "{% if a == 'x' %}{% if b is none %}1{% else %}{{ b }} + 1{% endif %}"
    "{% else %}{% if b is none %}3{% else %}4{% endif %}{% endif %}",
    "inside an expression": "10 * {% if a != 'x' %}1{% else %}2{% endif %} + {{ b|coalesce(7.5) }}",
    "in a macro": "{% macro m(c) %}{% if c == 'y' %}{{ b|coalesce(0.1) }}{% else %}0{% endif %}{% endmacro %}"
    "least({{ m(a) }}, {{ m('y') }})",
    "of a known test": "{% if known > 2 %}{% if a == 'x' %}1{% else %}0{% endif %}{% else %}9{% endif %}",
    "of a loop": "{% for i in range(known) %}{% if a == 'x' %}{{ i }}{% else %}9{% endif %} + {% endfor %}0",
    "of NULL": "{% if a != 'x' %}1{% else %}0{% endif %}",
    "known and unknown": "{% if known == 3 and a == 'x' %}1{% else %}0{% endif %}",
    "a set name": "{% set c %}{% if a == 'x' %}1{% else %}0{% endif %}{% endset %}{{ c }} + {{ c }}",
    "numbers": "{% if b == 0.5 %}{{ tenth }}{% else %}{{ tiny }} * {{ two }}{% endif %}",
}
# Templates that are any text, with quotes of all kinds, and names to be printed as they are.
TEXTS = {
    "no symbol": "SELECT 'it''s' AS \"a b\"",
    "a branch without another": "SELECT 1{% if a == 'x' %}, 'x'{% endif %} AS y",
    "nested": "{% if a == 'x' %}'a'{% if b == 0.5 %} ''{% endif %}{% else %}\n-- {{ two }}{% endif %}",
    "of a loop": "{% for i in range(3) %}{{ i }}{% if a == 'y' %}, \"{% else %};{% endif %}{% endfor %}",
    "nothing": "",
}
VALUES = list(product(["x", "y", "it's", None], [0.5, None]))
A, B = Symbol("a"), Symbol("b")


def render(template: str, **arguments: Any) -> str:
    return ENVIRONMENT.from_string(template).render(NUMBERS | arguments)


@pytest.mark.parametrize("template", EXPRESSIONS.values(), ids=[*EXPRESSIONS])
def test_an_expression_has_the_value_for_known_arguments(bare: Con, template: str) -> None:
    sql = expression(render(template, a=A, b=B))
    bare.execute(f"CREATE MACRO f(a, b) AS {sql}")
    for a, b in VALUES:
        known = bare.execute(f"SELECT {render(template, a=a, b=b)}").fetchall()
        assert bare.execute("SELECT f($1, $2)", [a, b]).fetchall() == known, (a, b, sql)


@pytest.mark.parametrize("template", TEXTS.values(), ids=[*TEXTS])
def test_a_text_is_that_for_known_arguments(bare: Con, template: str) -> None:
    sql = text(render(template, a=A, b=B))
    bare.execute(f"CREATE MACRO f(a, b) AS {sql}")
    for a, b in VALUES:
        made = bare.execute("SELECT f($1, $2)", [a, b]).fetchall()
        assert made == [(render(template, a=a, b=b),)], (a, b, sql)


def test_a_text_prints_the_value_of_a_symbol_as_a_table_name(bare: Con) -> None:
    template = "SELECT x FROM {{ a }}{% if b == 'big' %} WHERE x > '{{ known }}'{% endif %}"
    sql = text(render(template, a=A, b=B))
    assert sql == "concat('SELECT x FROM ', a, CASE WHEN b = 'big' THEN ' WHERE x > ''3''' ELSE '' END)"
    bare.execute("CREATE TABLE t AS SELECT unnest([2, 9]) AS x")
    bare.execute(f"CREATE MACRO f(a, b) AS TABLE FROM query({sql})")
    assert bare.execute("FROM f('t', 'big')").fetchall() == [(9,)]
    assert bare.execute("FROM f('t', 'all')").fetchall() == [(2,), (9,)]


SEVERAL = "{% if a == 1 %}x\n{% elif a == 2 %}y\n{% else %}\nz{% endif %}"
CASES = {
    SEVERAL: "CASE WHEN a = 1 THEN x WHEN a = 2 THEN y ELSE z END",
    "{% if a is none %}x{% endif %}": "CASE WHEN a IS NULL THEN x END",
    "{% if not a %}x{% endif %}": "CASE WHEN NOT a THEN x END",
}


def test_a_test_of_several_branches_is_one_case() -> None:
    assert {template: expression(render(template, a=A)) for template in CASES} == CASES


def test_a_loop_over_an_unknown_list_runs_over_duckdbs_list(bare: Con) -> None:
    template = "SELECT 1{% for one in listed %}, {{ one.x }}{% if one.y %} + 1{% endif %}{% endfor %}"
    known = [{"x": "2", "y": True}, {"x": "3", "y": False}]
    sql = "[{'x': '2', 'y': true}, {'x': '3', 'y': false}]"
    for listed, values in ((known, sql), ([], "[]")):
        typed = f"{values}::STRUCT(x VARCHAR, y BOOLEAN)[]"
        unknown = SymbolList(typed, {"x": "one['x']", "y": "one['y']"})
        made = value(bare, f"SELECT {text(render(template, listed=unknown))}")
        assert made == render(template, listed=listed)


WITHOUT_SQL = [
    *("{% if a == 'x' or known %}1{% endif %}", "{% if a == 'x' and b == 1 %}1{% endif %}"),
    *("{% if a in ['x', 'y'] %}1{% endif %}", "{% if a > 1 %}1{% endif %}", "{{ 1 if a == 'x' else 2 }}"),
    *("{{ 'x' ~ a }}", "{{ a|upper }}", "{{ a|int }}", "{{ a + 1 }}", "{% for one in a %}1{% endfor %}"),
    "{% if a == 'x' %}{% set c = 1 %}{% endif %}",
    "{% if a == 'x' %}{% if known %}{% set c = 1 %}{% endif %}{% endif %}",
]


@pytest.mark.parametrize("template", WITHOUT_SQL)
def test_a_template_without_a_form_in_sql_is_refused(template: str) -> None:
    with pytest.raises(SymbolError, match="a template"):
        render(template, a=A, b=B)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=[*MEASURES])
def test_no_lambda_of_a_formula_takes_the_name_of_a_column(measure: Any) -> None:
    """Else it would hide the column, or an argument of a macro would hide it."""
    choice = parse_measure(measure.name)
    symbols = {name: Symbol(f"option_{name}") for name in measure.options}
    for expected in (False, True)[: 1 + measure.expected]:
        for sql in (formula(choice, expected), expression(render_formula(measure, symbols, expected))):
            named = {name for names in re.findall(r"lambda ([\w, ]+):", sql) for name in names.split(", ")}
            assert named & {*CUT, *TIED} == set()
            assert "\n\n" not in sql


@pytest.mark.parametrize("number", ["0.1", "0.30000000000000004", "1e-300", "12345678.9"])
def test_numbers_of_a_formula_are_the_same_doubles(bare: Con, number: str) -> None:
    sql = render("{{ x }}", x=float(number))
    assert bare.execute(f"SELECT {sql}, typeof({sql})").fetchall() == [(float(number), "DOUBLE")]
    assert f"{float(number)!r}" in formula(parse_measure(f"f_measure(beta={number})"), False)


def test_an_expected_value_without_a_closed_form_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^ties: err has no expected value over ties in closed form$"):
        formula(parse_measure("err"), True)

"""Each option of each function changes its answer as another call over changed tables, or a definition, says.

Functions and options come from the code's own signatures, so that a new option without a case fails.
Columns are in test_properties.py; options of measures are in definitions.py.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from ranking_udfs.measures.registry import MEASURES
from tests.calls import table_functions
from tests.entries import (
    CALLS,
    CONTENTS,
    DROP,
    MEASURED,
    RT,
    VERBS,
    Rows,
    World,
    ask,
    assert_equal,
    canonical,
    options_of,
)
from tests.test_compare import sign_flip_p

Given = Mapping[str, Any]
NOTHING: Given = MappingProxyType({})
# Functions without a table of rec or truth, and one whose options statsmodels and scikit-learn hold.
WITHOUT_CASES = {"functions", "check_codes"}
SEED = 15
OPERANDS = {"rec", "truth", "by_user", "comparison", "events", "user"}  # which no call can leave out


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Yield a world with tables that are changed as an option would."""
    with World.opened(SEED, tmp_path_factory.mktemp("options")) as world:
        for name, tables in CHANGED.items():
            world.add(name, tables)
        yield world


# An order of rec in which no two rows of a list tie: by score, NULL and NaN last, then by item.
FIRST = "isnan(score) IS DISTINCT FROM false, score DESC, itemid NULLS LAST"
PLACED = """SELECT *, row_number() OVER (PARTITION BY system, userid ORDER BY {}) AS place FROM base.rec"""
JUDGED = "(SELECT userid FROM base.truth UNION FROM base.users)"
LIKED = "SELECT userid FROM base.truth WHERE itemid IS NOT NULL AND rel > 0"
RANKED = f"({PLACED.format(FIRST)})"
ONCE = f"SELECT *, row_number() OVER (PARTITION BY system, userid, itemid ORDER BY place) AS n FROM {RANKED}"
PAIRED = f"SELECT system, userid, itemid, {{}} AS score FROM ({PLACED.format(FIRST)})"
TREC = "isnan(score::FLOAT) IS DISTINCT FROM false, score::FLOAT DESC, itemid::VARCHAR DESC NULLS LAST"
# Tables by the name of a variant, as another table than that of an option.
CHANGED: dict[str, dict[str, str]] = {
    "graded": {"truth": "SELECT * REPLACE (CASE WHEN rel = 1 THEN 0 ELSE rel END AS rel) FROM base.truth"},
    "negated": {"rec": "SELECT * REPLACE (-score AS score) FROM base.rec"},
    "condensed": {
        "rec": f"""SELECT * EXCLUDE (place, n) FROM ({ONCE}) AS rec
            WHERE n = 1 AND itemid IS NOT NULL
            AND (userid NOT IN (SELECT userid FROM {JUDGED} WHERE userid IS NOT NULL)
                OR (userid, itemid) IN (SELECT (userid, itemid) FROM base.truth WHERE itemid IS NOT NULL))"""
    },
    "answerable": {"truth": f"FROM base.truth WHERE userid IN ({LIKED})"},
    "everybody": {"truth": "FROM base.truth UNION ALL BY NAME SELECT userid, 1 AS rel FROM base.users"},
    "cut": {"rec": f"SELECT * EXCLUDE (place) FROM ({PLACED.format(FIRST)}) WHERE place <= 2"},
    "trec": {"rec": f"SELECT * EXCLUDE (place) REPLACE (-place AS score) FROM ({PLACED.format(TREC)})"},
    # One tie in each list, in both of its orders and as a tie.
    **{
        name: {"rec": PAIRED.format(f"-(CASE place WHEN 2 THEN {second} WHEN 3 THEN {third} ELSE place END)")}
        for name, second, third in (("tied", 2, 2), ("up", 2, 3), ("down", 3, 2))
    },
    "first": {
        name: f"SELECT * REPLACE (if(system = '2 of 0', '.2 of 0', system) AS system) FROM base.{name}"
        for name in ("rec", "by_user")
    },
    "relevant": {"truth": "FROM base.truth WHERE rel > 0"},
    "two": {"rec": "FROM base.rec WHERE system <> '1 of 0'"},
    "labelled": {
        "truth": "FROM base.truth WHERE userid % 3 = 0",
        "predicted_truth": """SELECT * REPLACE (if(hash(userid, itemid) % 4 > 0, rel, 0) AS rel)
            FROM base.truth""",
        "predicted": """FROM ranking.by_user(
            'base.rec', 'labelled.predicted_truth', ks := [3, NULL], measures := 'ndcg,hit_rate')""",
    },
    "segment": {
        name: f"FROM base.{name} SEMI JOIN (FROM base.segments WHERE segment = 'p') USING (userid)"
        for name in ("truth", "users")
    },
    "costly": {"rec": "SELECT *, hash(system, userid) % 97 / 4 AS latency FROM base.rec"},
    "latencies": {
        "by_user": f"""SELECT DISTINCT system, userid, latency FROM costly.rec
            WHERE userid IN (SELECT userid FROM {JUDGED})"""
    },
    "contents": {},  # a test adds the values of lists as by_user
    "costs": {"by_user": "SELECT * EXCLUDE (ndcg, hit_rate), ndcg AS x FROM base.by_user"},
    "gains": {"by_user": "SELECT * EXCLUDE (ndcg, hit_rate), -ndcg AS x FROM base.by_user"},
    "gated": {"by_user": "SELECT * EXCLUDE (hit_rate) FROM base.by_user WHERE k = 3"},
    "margined": {
        "by_user": "SELECT * EXCLUDE (hit_rate) FROM base.by_user WHERE k = 3",
        "compared": "FROM ranking.compare_by_user('margined.by_user', correction := 'none', margin := 0.05)",
    },
}


class Case(NamedTuple):
    """An option with another value than its default, and the rows that it leads to.

    expected returns these, by a definition or by a call over changed tables, with the columns to compare.
    """

    value: Any
    expected: Callable[["Asked"], Rows]
    given: Given = NOTHING  # other arguments
    variant: str = "base"
    where: Callable[[dict[str, Any]], bool] = lambda row: True  # the rows to compare


class Asked(NamedTuple):
    """A call with an option and what it returned, for the expectation of it."""

    world: World
    function: str
    given: Given  # without the option
    option: str
    value: Any
    variant: str
    rows: Rows

    def over(self, variant: str, **instead: Any) -> Rows:
        """Return the rows of the call without the option."""
        return ask(self.world, "SQL", self.function, {**self.given, **instead}, variant)

    def get(self, option: str, default: Any = None) -> Any:
        return ({**self.given, self.option: self.value}).get(option, default)

    def sql(self, query: str) -> Rows:
        rows: Rows = self.world.con.sql(query).to_arrow_table().to_pylist()
        return rows


def without(rows: Rows, *columns: str) -> Rows:
    return [{name: cell for name, cell in row.items() if name not in columns} for row in rows]


def only(rows: Rows, *columns: str) -> Rows:
    return [{name: row[name] for name in columns} for row in rows]


def over(variant: str, *columns: str, **instead: Any) -> Callable[[Asked], Rows]:
    """Expect the rows of the call without the option over other tables, except columns."""
    return lambda asked: without(asked.over(variant, **instead), *columns)


def of_cut(asked: Asked) -> Rows:
    """Expect the rows over lists that were cut beforehand; n_rec is of whole lists."""
    return without(asked.over("cut", **{asked.option: asked.value}), "n_rec", "n_rec_baseline")


def of_measures(asked: Asked) -> Rows:
    """Expect the rows or columns of the chosen measures, as they are among all others."""
    whole = asked.over("base")
    if "measure" in whole[0]:
        return [row for row in whole if row["measure"] in asked.value]
    return only(whole, *asked.rows[0])


def of_baseline(asked: Asked) -> Rows:
    """Expect the rows over systems of which the baseline comes first."""
    rows = [row for row in asked.over("first") if row["baseline"] == ".2 of 0"]
    return [row | {"baseline": "2 of 0"} for row in rows]


def of_steps(asked: Asked) -> Rows:
    """Expect the pairs of each system and the one before it, which are not corrected."""
    steps = [("0 of 0", "1 of 0"), ("1 of 0", "2 of 0")]
    return [row for row in asked.over("base") if (row["baseline"], row["system"]) in steps]


def averaged(asked: Asked) -> Rows:
    """Expect the mean over both orders of the one tie in each list."""
    every = ("baseline", "system", "userid", "k", "measure", "rank")
    keys = [name for name in every if name in asked.rows[0]]
    means = "ndcg auc average_precision mean mean_baseline mean_system gain dcg recall".split()  # noqa: SIM905
    means = [name for name in means if name in asked.rows[0]]
    orders = (
        canonical(only([row for row in asked.over(name) if row.get("rank", 1)], *keys, *means))
        for name in ("up", "down")
    )
    return [
        {name: (row[name] + other[name]) / 2 if name in means else row[name] for name in row}
        for row, other in zip(*orders, strict=True)
    ]


def of_values(asked: Asked) -> Rows:
    """Expect the comparison of the values of each user, with the same options."""
    options = {**asked.given, "by_user": "by_user", asked.option: asked.value}
    if "predicted_truth" in options:
        options["predicted"] = "predicted"
    known = options_of("SQL", "compare_by_user")
    given = {name: value for name, value in options.items() if name in known and name != "measures"}
    rows = ask(asked.world, "SQL", "compare_by_user", given, asked.variant)
    of_gate = {"low", "high", "relative_low", "relative_high", "p_same", "method"}
    own = asked.rows[0].keys() - (of_gate if asked.function == "gate" else set())
    return [only([row], *row.keys() & own)[0] for row in rows]


def randomized(asked: Asked) -> Rows:
    """Expect p by the definition, over the differences of users in their order."""
    rows = only(asked.rows, "baseline", "system", "k", "measure", "p")
    for row in rows:
        values = asked.sql(
            f"SELECT system, userid, {row['measure']} AS value FROM base.by_user"
            f" WHERE k IS NOT DISTINCT FROM {row['k'] or 'NULL'} ORDER BY userid"
        )
        of_system, of_baseline = (
            np.array([each["value"] for each in values if each["system"] == row[name]])
            for name in ("system", "baseline")
        )
        permutations, seed = asked.get("permutations", 10_000), asked.get("seed", 0)
        row["p"] = sign_flip_p(of_system - of_baseline, permutations, seed)
    return rows


def averaged_over_users(asked: Asked) -> Rows:
    """Expect the means of the values of each user, where the function has columns of these."""
    given = {**asked.given, asked.option: asked.value}
    by_user = ask(asked.world, "SQL", f"{asked.function}_by_user", given, "base")
    keys = [name for name in ("baseline", "system", "k") if name in asked.rows[0]]
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in by_user:
        groups.setdefault(tuple(row[name] for name in keys), []).append(row)
    return [
        dict(zip(keys, group, strict=True))
        | {"users": len(rows)}
        | {
            name: fmean(values) if (values := [row[name] for row in rows if row[name] is not None]) else None
            for name in asked.rows[0].keys() & rows[0].keys() - {*keys, "n_items"}
        }
        for group, rows in groups.items()
    ]


def of_precision(asked: Asked) -> Rows:
    """Expect precision and recall of ranking.evaluate."""
    precision = f"precision(divide={asked.get('divide', 'k')})"
    given: dict[str, Any] = {name: asked.given[name] for name in ("rec", "truth", "users")} | {
        "measures": [precision, "recall"]
    }
    ks = [*range(1, asked.get("max_k", 3) + 1)]
    rows = ask(asked.world, "SQL", "evaluate", given | {"ks": ks}, "base")
    return [{"precision": row.pop(precision), **only([row], "system", "k", "recall")[0]} for row in rows]


MEASURING = ("evaluate", "by_user", "distribution", "compare")
CURVES = ("precision_recall_curve", "interpolated_precision_curve")
ON_GRADES = (*MEASURING, "judged", *CURVES)
CHECK, GONE_LABELS = ("check",), "gone_labels"
BINARY = {"measures": [name for name, one in MEASURES.items() if one.column and "min_grade" in one.options]}
VALUES = {"measures": ["ndcg", "hit_rate"], "users": None}
# Counts of the rows that a changed table has not.
LISTS = ("n_rec", "users_without_rec", "users_without_rec_baseline", "users_without_rec_system", "caveats")
USERS = ("users_without_relevant", "users_without_truth", "users_without_rec", "caveats")
Cases = dict[tuple[str, str], list[Case]]


def each(functions: tuple[str, ...], option: str, value: Any, *rest: Any, **more: Any) -> Cases:
    return {(function, option): [Case(value, *rest, **more)] for function in functions}


def measured(option: str, value: Any, expected: Callable[[Asked], Rows], given: Given = NOTHING) -> Cases:
    """Return a case of each function of ON_GRADES, with measures where it has some."""
    cases = each(ON_GRADES, option, value, expected)
    return {
        key: [case._replace(given=given) if key[0] in MEASURING else case for case in of_key]
        for key, of_key in cases.items()
    }


GAINS = ("grade", "gain", "contribution", "dcg", "ideal_dcg", "ndcg")
NOBODY = {"users": None}
DIRECTED = (
    *(*ON_GRADES, "by_item", "explain", "overlap", "overlap_by_user", "intents_by_user", "abstention"),
    *("beyond_accuracy", "beyond_accuracy_by_user"),
)
TESTS = {"confidence": 0.6, "margin": 0.05, "correction": "holm"}
DRAWN_SIGNS = (
    ("test", "randomization", {"permutations": 300}),
    ("permutations", 300, {"test": "randomization"}),
    ("seed", 5, {"test": "randomization", "permutations": 300}),
)
SIGNED = """higher_is_better mean_baseline mean_system difference low high relative relative_low relative_high
    effect_size""".split()  # noqa: SIM905
CONTENT = {"history": "history", "items": "items", "head": 0.5, "divergence": "kl"}
CHECKED = {"min_grade": 2, "users": "users", "ks": [2], "history": "history", "items": "items"}
CHECKED |= {"descending": False}
# Problems whose counts are of rows of truth.
OF_TRUTH = ("negative_grade", "null_in_truth", "repeated_truth")
JUDGED_USERS = f"SELECT count(userid) AS count FROM {JUDGED.replace('base', 'relevant')}"
TIED = f"""SELECT system, count(*) AS count FROM (
    SELECT system, userid, max(score) FILTER (place = 2) AS one, max(score) FILTER (place = 3) AS other
    FROM {RANKED} GROUP BY ALL) SEMI JOIN {JUDGED} USING (userid) WHERE one = other GROUP BY system"""
SHORT = f"""SELECT system, count(*) AS count
    FROM (SELECT system, userid FROM base.rec GROUP BY ALL HAVING count(*) < 2)
    SEMI JOIN {JUDGED} USING (userid) GROUP BY system"""
SEEN = """SELECT system, count(*) AS count
    FROM base.rec SEMI JOIN base.history USING (userid, itemid) GROUP BY system"""
GONE = """SELECT system, count(*) AS count FROM base.rec ANTI JOIN base.items USING (itemid)
    WHERE itemid IS NOT NULL GROUP BY system"""
BY_USER = ("overlap_by_user", "beyond_accuracy_by_user", "intents_by_user")
BOTH = ("compare", "compare_by_user")
RANDOM = {"test": "randomization", "permutations": 300}


def as_info(asked: Asked) -> Rows:
    """Expect users without a relevant item as no warning."""
    return [
        row | ({"severity": "info"} if row["code"] == "no_relevant_item" else {})
        for row in asked.over("base")
    ]


def problem(code: str, query: str, value: Any, **more: Any) -> Case:
    """Return a case that expects the counts of a problem by a query."""

    def counted(asked: Asked) -> Rows:
        return [row | {"code": code} for row in asked.sql(query)]

    return Case(value, counted, where=lambda row: row["code"] == code, **more)


def of_check(asked: Asked) -> Rows:
    """Expect as many rows of each problem as the check counts."""
    rows = ask(asked.world, "SQL", "check", {**asked.given, asked.option: asked.value}, asked.variant)
    return only(rows, "code", "column_name", "system", "k", "count")


CASES: Cases = {
    # How grades become relevance.
    **measured("min_grade", 2, over("graded", "judged"), {"measures": "recall,average_precision,auc"}),
    **each(("distribution",), "min_grade", 2, over("graded"), BINARY),
    **each(("by_item", "abstention"), "min_grade", 2, over("graded")),
    **each(("explain",), "min_grade", 2, over("graded", *GAINS)),
    **each(CHECK, "min_grade", 2, over("graded"), where=lambda row: row["code"] != "contradicting_grades"),
    **each(CHECK, "users", "users", over("everybody"), NOBODY, where=lambda row: row["code"] not in OF_TRUTH),
    **each(CHECK, "without_relevant", "skip", as_info, where=lambda row: row["code"] != GONE_LABELS),
    ("check", "unjudged"): [problem("nothing_but_hits", JUDGED_USERS, "skip", variant="relevant")],
    ("check", "ks"): [problem("ties_at_k", TIED, [2]), problem("short_lists", SHORT, [2])],
    ("check", "history"): [problem("seen_items", SEEN, "history")],
    ("check", "items"): [problem("gone_items", GONE, "items")],
    **{("check_rows", name): [Case(value, of_check)] for name, value in CHECKED.items()},
    **measured("unjudged", "skip", over("condensed", *LISTS)),
    **each(("distribution",), "unjudged", "skip", over("condensed"), BINARY),
    **measured("without_relevant", "skip", over("answerable", *USERS, users=None)),
    **each(("by_item",), "without_relevant", "skip", over("answerable", *USERS)),
    **measured("users", "users", over("everybody", *USERS), NOBODY),
    **each(("abstention",), "users", "users", over("everybody")),
    # The order of lists, and where they are cut.
    **each(DIRECTED, "descending", False, over("negated", "score", "threshold")),
    **each(("fuse",), "descending", False, over("negated")),
    **each(CHECK, "descending", False, over("negated")),
    **each(MEASURING, "ties", "trec", over("trec")),
    **each(("explain",), "ties", "expected", averaged, variant="tied", where=lambda row: row.get("rank", 1)),
    **each((*MEASURING, *BY_USER, "by_item", "overlap", "beyond_accuracy"), "ks", [2], of_cut),
    **each(("judged", "interpolated_precision_curve"), "max_k", 2, of_cut),
    **each(("explain",), "k", 2, over("base", k=5), where=lambda row: (row["rank"] or 9) <= 2),
    # What is measured, and what compared.
    **each(MEASURING, "measures", ["average_precision"], of_measures),
    **each(("compare_by_user",), "measures", ["hit_rate"], of_measures),
    **each((*BOTH, "overlap", "overlap_by_user"), "baseline", "2 of 0", of_baseline),
    **each(BOTH, "steps", True, of_steps, {"correction": "none"}),
    **{("compare", name): [Case(value, of_values, VALUES)] for name, value in TESTS.items()},
    **{("gate", name): [Case(value, of_values, variant="gated")] for name, value in TESTS.items()},
    ("gate", "margin"): [Case(0.05, of_values, variant="margined")],
    **{("compare_by_user", name): [Case(value, randomized, given)] for name, value, given in DRAWN_SIGNS},
    **{("compare", name): [Case(value, of_values, VALUES | given)] for name, value, given in DRAWN_SIGNS},
    ("compare", "predicted_truth"): [Case("predicted_truth", of_values, VALUES, variant="labelled")],
    ("compare_by_user", "lower_is_better"): [Case(["x"], over("gains", *SIGNED), variant="costs")],
    ("precision_recall_curve", "divide"): [Case("list", of_precision)],
    ("precision_recall_curve", "max_k"): [Case(2, of_precision)],
    # What a mean over the values of users leaves to their definition.
    ("overlap", "persistence"): [Case(0.5, averaged_over_users)],
    **{("beyond_accuracy", name): [Case(value, averaged_over_users)] for name, value in CONTENT.items()},
}
# Options that change no row, which the reference says.
WITHOUT_EFFECT = {("check_rows", "unjudged"), ("check_rows", "without_relevant")}
# Options that another test compares with a slow definition, by the name of the test.
DEFINED = {
    "compare_by_user confidence margin": "compare.test_p_and_intervals_match_scipy_and_statsmodels",
    "compare_by_user correction": "compare.test_p_equivalence_and_detectable_effect_are_corrected",
    "compare_by_user predicted": "predicted.test_estimate_matches_its_definition",
    "check predicted_truth": "predicted.test_check_compares_labelled_users_with_others",
    "fuse method weights rrf_k normalize depth systems": "fuse.test_fused_scores_equal_the_slow_definition",
    "split test_from test_size folds gap last cold_users cold_items seen":
        "split.test_folds_equal_the_slow_definition",
    "evaluate confidence": "intervals.test_intervals_in_sql_are_scipys",
    "distribution confidence": "intervals.test_intervals_in_sql_are_scipys",
    "abstention confidence": "abstention.test_abstention_matches_definition_scikit_learn_and_statsmodels",
    "overlap_by_user persistence": "overlap.test_values_by_user_equal_the_definition",
    "intents_by_user alpha": "intents.test_values_equal_the_definition",
    "beyond_accuracy_by_user history items head divergence":
        "beyond_accuracy.test_every_column_equals_its_slow_definition",
}  # fmt: skip


@pytest.mark.parametrize(("function", "option"), CASES, ids=[" ".join(key) for key in CASES])
def test_an_option_changes_the_answer_as_its_case_says(world: World, function: str, option: str) -> None:
    for case in CASES[function, option]:
        given = {**CALLS[function], **case.given}
        rows = ask(world, "SQL", function, {**given, option: case.value}, case.variant)
        if function == "check_rows":
            counts = Counter((row["code"], row["column_name"], row["system"], row["k"]) for row in rows)
            names = ("code", "column_name", "system", "k", "count")
            rows = [dict(zip(names, (*key, n), strict=True)) for key, n in counts.items()]
        usual = {name: value for name, value in given.items() if name != option}
        expected = case.expected(Asked(world, function, usual, option, case.value, case.variant, rows))
        compared, wanted = ([*filter(case.where, each)] for each in (rows, expected))
        assert wanted
        assert_equal([only([row], *wanted[0])[0] for row in compared], wanted)
        if function == "check_rows":  # whose rows are counted above
            continue
        other = given if given.get(option, case.value) != case.value else usual
        assert canonical(rows) != canonical(ask(world, "SQL", function, other, case.variant))


def test_every_option_of_a_table_function_has_a_case() -> None:
    functions = {name.removeprefix("ranking.") for name in table_functions()} - WITHOUT_CASES
    assert functions <= CALLS.keys()
    options = {
        (function, option)
        for function in functions
        for option in options_of("SQL", function)
        if not option.endswith("_col") and option not in OPERANDS
    }
    defined = {(name, option) for name, *others in map(str.split, DEFINED) for option in others}
    assert options == CASES.keys() | defined | WITHOUT_EFFECT


@pytest.mark.parametrize("key", DEFINED)
def test_an_option_is_in_the_test_that_defines_it(key: str) -> None:
    module, name = DEFINED[key].split(".")
    text = Path(__file__).with_name(f"test_{module}.py").read_text("utf-8")
    assert all(part in text for part in (f"def {name}(", *key.split()[1:]))


# Options that a call of Python and of the command hands on, each with an effect beside the others.
GRADED = {"min_grade": 2, "unjudged": "skip", "without_relevant": "skip"}
LISTED: dict[str, Any] = {"ks": [2], "descending": False}
WEIGHTS = {"0 of 0": 3, "1 of 0": 1, "2 of 0": 0}
HANDED: dict[str, Given] = {
    "evaluate": GRADED
    | LISTED
    | {"measures": ["mrr", "auc"], "users": "users", "ties": "trec", "confidence": 0.6},
    "compare": GRADED
    | LISTED
    | {"measures": ["mrr", "auc"], "users": None, "ties": "trec"}
    | {"baseline": "2 of 0", "confidence": 0.6, "margin": 0.2, "correction": "bh"},
    "compare users": {"users": "users"},
    "compare steps": {"steps": True},
    "compare randomly": RANDOM | {"seed": 5},
    "compare predicted": {"predicted_truth": "predicted_truth", "users": None},
    "check": {**CHECKED, "without_relevant": "skip"},
    "check condensed": {"unjudged": "skip", "users": None},
    "check predicted": {"predicted_truth": "predicted_truth", "users": None},
    "explain": {"k": 2, "min_grade": 2, "ties": "expected", "descending": False},
    "overlap": LISTED | {"baseline": "2 of 0", "persistence": 0.5},
    "abstention": {"min_grade": 3, "users": "users", "confidence": 0.6, "descending": False},
    "fuse": {"method": "combsum", "normalize": "sum", "depth": 2, "descending": False, "weights": WEIGHTS},
    "fuse by rank": {"rrf_k": 1},
    "split": {"test_from": 10, "test_size": 3, "folds": 2, "gap": 2, **DROP},
    "split last": {"last": 3},
}
VARIANTS = {"compare predicted": "labelled", "check predicted": "labelled", "check condensed": "relevant"}
# Options of Python and the command alone. Those that no number depends on, and those with a test below.
NO_NUMBER = """unit con check allow rec truth events user output format manifest fail_if long digits safe_csv
    parts format_in database threads memory_limit quiet no_check against explain pairs text title rows items
    segment""".split()  # noqa: SIM905
OWN = {"history", "items", "head", "divergence", "segments", "by_user", "also"}


@pytest.mark.parametrize("name", HANDED)
def test_python_and_the_command_hand_on_every_option(world: World, name: str) -> None:
    """Each changes the answer of SQL beside the others, so that none can be left out."""
    usual = CALLS.get(name, CALLS[name.partition(" ")[0]])
    given, variant = {**usual, **HANDED[name]}, VARIANTS.get(name, "base")
    expected = ask(world, "SQL", name, given, variant)
    for option in HANDED[name]:
        fewer = {key: value for key, value in given.items() if key != option}
        fewer |= {option: usual[option]} if usual.get(option, given[option]) != given[option] else {}
        if given[option] is not None and option not in ("test_size", "test_from"):
            assert canonical(ask(world, "SQL", name, fewer, variant)) != canonical(expected), option
    if name == "check predicted":  # whose users without human labels are expected, and not reported
        expected = [row for row in expected if row["code"] not in ("not_in_truth", "ties_without_truth")]
    rows = ask(world, "Python", name, given, variant)
    assert_equal(rows, expected, "file", "write")
    if name.startswith("split"):
        expected = [row for row in expected if row["part"]]
    assert_equal(ask(world, "command", name, given, variant), expected, "file", "write", "dropped")


@pytest.mark.parametrize("way", ["Python", "command"])
def test_every_option_of_python_and_the_command_is_handed_on(way: str) -> None:
    for function in VERBS:
        handed = {option for name in HANDED if name.partition(" ")[0] == function for option in HANDED[name]}
        options = {option for option in options_of(way, function) if not option.endswith("_col")}
        text = {"without_relevant"} if (way, function) == ("command", "explain") else set()  # a sentence
        assert options - {*NO_NUMBER} - OWN - text <= handed, function


@pytest.mark.parametrize("way", ["Python", "command"])
def test_python_and_the_command_add_beyond_accuracy_measures(world: World, way: str) -> None:
    contents = CONTENTS | {"head": 0.5, "divergence": "kl"}
    rows = ask(world, way, "evaluate", contents | RT, "base")
    expected = without(ask(world, "SQL", "beyond_accuracy", contents, "base"), "users")
    assert_equal(only(rows, *expected[0]), expected)
    world.create(
        "contents",
        "by_user",
        "FROM ranking.beyond_accuracy_by_user('base.rec', [3, NULL], history :="
        " 'base.history', items := 'base.items', head := 0.5, divergence := 'kl')",
    )
    given = RT | contents | {"measures": ["long_tail", "miscalibration"], "correction": "none"}
    rows = ask(world, way, "compare", given, "base")
    of_values = {"by_user": "by_user", "measures": given["measures"], "correction": "none"}
    assert_equal(rows, ask(world, "SQL", "compare_by_user", of_values, "contents"))


@pytest.mark.parametrize("way", ["Python", "command"])
@pytest.mark.parametrize("function", ["evaluate", "compare"])
def test_a_segment_has_the_rows_of_its_users_alone(world: World, way: str, function: str) -> None:
    rows = ask(world, way, function, CALLS[function] | {"segments": "segments"}, "base")
    expected = ask(world, "SQL", function, CALLS[function], "segment")
    of_segment = without([row for row in rows if row["segment"] == "p"], "segment", "users_without_truth")
    assert_equal(of_segment, without(expected, "users_without_truth"))


@pytest.mark.parametrize("way", ["Python", "command"])
def test_a_column_of_rec_is_compared_as_a_value_of_each_user(world: World, way: str) -> None:
    given = RT | {"measures": ["mrr"], "ks": [3], "users": "users", "correction": "none"}
    given |= {"also": ["latency:higher"]}
    rows = [row for row in ask(world, way, "compare", given, "costly") if row["measure"] == "latency"]
    expected = ask(world, "SQL", "compare_by_user", {"by_user": "by_user", "correction": "none"}, "latencies")
    columns = ("baseline", "system", "users", "difference", "low", "high", "p", "verdict")
    assert_equal(only(rows, *columns), only(expected, *columns))


def test_python_and_sql_return_the_same_values_of_users(world: World) -> None:
    rows = ask(world, "Python", "evaluate", MEASURED | {"by_user": True}, "base")
    assert_equal(rows, ask(world, "SQL", "by_user", MEASURED, "base"))

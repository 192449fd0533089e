"""The page of examples/browser in Chromium: the answer is the report's, errors are words, and nothing leaves.

What the page takes from a CDN comes from npm packages of the same versions, where NODE_PATH says.
"""

import base64
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route

from ranking_udfs.compose.columns import NEAR, alike
from ranking_udfs.evaluation import words
from ranking_udfs.evaluation.options import ARGUMENTS
from tests.command import Run
from tests.pages import FEW, HTML, sections, tables_in, text_of
from tests.test_portable import SHELL

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "examples/dbt_project/seeds"
PAGE = (ROOT / "examples/browser/page.js").read_text(encoding="utf-8")
CDN = "https://cdn.jsdelivr.net/npm/"
LIBRARIES = re.findall(r'\["((@?[^"@]+)@([\d.]+)/[^"]+)", "sha384-([^"]+)"\]', PAGE)
MODULES = Path(os.environ.get("NODE_PATH", "node_modules"))
MISSING = sorted({name for _, name, _, _ in LIBRARIES if not (MODULES / name).is_dir()})

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"no {', '.join(MISSING)}: npm install, and set NODE_PATH"),
]

CORS = {"Access-Control-Allow-Origin": "*"}
Files = Mapping[str, str | bytes]


class Server(SimpleHTTPRequestHandler):
    """The clone, and under /npm/ the packages."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".cjs": "application/node",  # as the CDN has it
        ".wasm": "application/wasm",
    }

    def translate_path(self, path: str) -> str:
        return str(MODULES / path[5:]) if path.startswith("/npm/") else super().translate_path(path)

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


class Session:
    """The page as a user has it before them, and what it has asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[Request] = []
        self.violations: list[str] = []
        self.sample: dict[str, Any] = {}  # the answer to the sample
        page.on("request", lambda asked: self.requests.append(asked))  # Playwright cannot mark a built-in
        page.on("pageerror", lambda error: self.violations.append(str(error)))
        page.on("console", self.listen)

    def listen(self, said: ConsoleMessage) -> None:
        if "Content Security" in said.text:
            self.violations.append(said.text)

    def give(self, side: str, files: Files) -> None:
        raw = {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()}
        given: list[Any] = [
            {"name": name, "mimeType": "text/plain", "buffer": text} for name, text in raw.items()
        ]
        self.page.set_input_files(f"#{side} input[type=file]", given)
        self.wait()

    def wait(self) -> None:
        self.page.wait_for_selector("main:not([aria-busy])", timeout=90_000)

    def evaluate(self, rec: Files, truth: Files, **options: str) -> dict[str, Any]:
        """Load these files, and return the texts of the page by section."""
        self.give("rec", rec)
        self.give("truth", truth)
        return self.ask(**options)

    def ask(self, **options: str) -> dict[str, Any]:
        fields = {"ks": "5, 10", "min_grade": ""} | options
        for name, text in fields.items():
            field = self.page.locator(f"[name='{name}']")
            if field.evaluate("one => one.tagName") == "SELECT":
                field.select_option(text)
            else:
                field.fill(text)
        self.page.click("[type=submit]")
        self.wait()
        return self.shown()

    def shown(self) -> dict[str, Any]:
        return sections(f"<!DOCTYPE html><title>x</title><body>{self.page.inner_html('#answer')}")

    def errors(self) -> list[str]:
        return [text for text in self.page.locator(".error").all_inner_texts() if text]


@pytest.fixture(scope="module")
def session(browser: Browser) -> Iterator[Session]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=str(ROOT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}/"

    def answer(route: Route) -> None:
        path = re.sub(r"@\d[^/]*", "", route.request.url.removeprefix(CDN))
        route.fulfill(status=307, headers={"Location": f"{site}npm/{path}", **CORS})

    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(60_000)
    context.route(f"{CDN}**", answer)
    context.route("https://extensions.duckdb.org/**", lambda route: route.abort())
    found = Session(context.new_page())
    found.page.goto(f"{site}examples/browser/")
    found.page.click("#sample")
    found.wait()
    found.sample = found.shown()
    yield found
    server.shutdown()
    server.server_close()


PROBLEM = re.compile(r"(.*?)(?: = (\w+))?: (\d+(?: of \d+)?)(?: \((\+?\w+)\))?")


def problems_of(section: Any) -> list[tuple[str, ...]]:
    """The problems of a report or of the page: problem, k, how many and the system."""
    found = [PROBLEM.match(text_of(one)).groups(default="") for one in section.iter(f"{HTML}li")]
    for row in (row for table in tables_in(section)[1:] for row in table if "Problem" in row):
        names = row.keys() - {"Problem", "k", "For example", "To do"}
        where = row["Problem"], row.get("k", "")
        found += [(*where, row[name], name.replace("Count", "")) for name in names if row[name]]
    return sorted(found)


def assert_as_reported(shown: Mapping[str, Any], report: str) -> None:
    """The page says what the report says of the same files, number by number."""
    reported = sections(report)
    assert list(shown)[:2] == ["The answer", "The data"]
    for read, name in (lis, "verdicts"), (classed, "lead"):
        said = [[plain(one) for one in read(each["The answer"], name)] for each in (shown, reported)]
        assert said[0] == said[1] != []
    judged = [text for text in map(text_of, shown["The answer"].iter(f"{HTML}p")) if "are judged" in text]
    reasons = [text_of(one) for one in reported["The answer"].iter(f"{HTML}li")]
    assert judged == [text.replace("\xa0", " ") for text in reasons if "are judged" in text]
    assert problems_of(shown["The data"]) == problems_of(reported["The data"])
    means, expected = tables_in(shown["Means"])[0], tables_in(reported["Means"])[0]
    assert [list(row.values()) for row in means] == [
        [name, *(re.sub(r" [a-z]+$", "", cell) for cell in cells)]
        for name, *cells in (row.values() for row in expected)
    ]
    (title,) = (name for name in reported if name.startswith("Differences to"))
    assert tables_in(shown[title]) == tables_in(reported[title])[:2]


def plain(element: Any) -> str:
    return text_of(element).replace("\xa0", " ")


def lis(section: Any, name: str) -> list[Any]:
    return [one for parent in classed(section, name) for one in parent]


def classed(section: Any, name: str) -> list[Any]:
    return [one for one in section.iter() if one.get("class") == name]


def test_the_libraries_are_what_the_page_says(session: Session) -> None:
    assert len(LIBRARIES) == 7
    for path, name, version, digest in LIBRARIES:
        assert json.loads((MODULES / name / "package.json").read_text(encoding="utf-8"))["version"] == version
        file = MODULES / re.sub(r"(?<=.)@[\d.]+", "", path, count=1)
        assert base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode() == digest, path


def test_numbers_are_rounded_as_in_a_report(session: Session) -> None:
    draw = np.random.default_rng(1)
    found = [draw.normal(size=300), draw.normal(size=200) * 10.0 ** draw.integers(-8, 8, 200)]
    numbers = [*map(float, np.concatenate(found)), 0.125, 2.5, 0.375, -0.0625, 9999.5, 1e-5, 0.0]
    halves = [abs(one) / 7 for one in numbers]
    script = """([numbers, halves]) => import('./page.js').then((page) => numbers.map((one, i) => [
        page.formatNumber(one), page.formatP(Math.abs(one)),
        page.columnDecimals([one, 2 * one], [halves[i]]),
        ...[[1, 1], [1, 2], [null, null]].map(([below, above]) => page.formatMean(
            {mean: one, low: below && one - halves[i], high: above && one + above * halves[i]}, 3))]))"""
    shown = session.page.evaluate(script, [numbers, halves])
    for one, half, texts in zip(numbers, halves, shown, strict=True):
        assert texts == [
            words.format_number(one),
            words.format_p(abs(one)),
            words.column_decimals([one, 2 * one], [half]),
            *(
                " ".join(filter(None, words.format_mean(one, *ends, decimals=3)))
                for ends in [(one - half, one + half), (one - half, one + 2 * half), (None, None)]
            ),
        ], one


def test_columns_are_recognised_as_by_the_package(session: Session) -> None:
    """The first column of each role, an exact name before a usual one, in any case; and all of runs."""
    sides = [
        ["ts", "uid", "Customer-ID", "sku", "p", "stars", "Model_id"],
        ["ITEMID", "doc", "user", "userid", "ranking", "Seed", "run_nr", "system", "algo"],
        ["a", "seedy", "users", "score2", "ratings_", "\u017fcore", "item id", 'pro"d', "user\n"],
        ["predicted_rating", "product_id", "account", "REL", "label", "folds"],
    ]
    found = session.page.evaluate(
        "(sides) => import('./page.js').then((page) => sides.map((names) => "
        "page.recognise(Object.fromEntries(names.map((name) => [name, 'VARCHAR'])))))",
        sides,
    )
    roles = ("userid", "itemid", "score", "rel", "system")
    for names, shown in zip(sides, found, strict=True):
        likely = {
            role: next(
                (name for name in names if name.lower() == role),
                next((name for name in names if re.fullmatch(NEAR[ARGUMENTS[role]], name, re.I)), ""),
            )
            for role in roles
        }
        assert shown == {"likely": likely, "runs": alike("runs", dict.fromkeys(names, "VARCHAR"))}


def test_the_sample_is_answered_as_by_the_report(session: Session, run: Run, folder: Path) -> None:
    shutil.copy(SEEDS / "recommendations.csv", ".")
    rated = f"FROM '{SEEDS}/ratings.csv' WHERE rated_on >= DATE '2026-05-22'"
    duckdb.execute(f"COPY ({rated}) TO 'ratings.csv'")
    shown = session.sample
    columns = "--user customer_id --item sku --system model --grade stars --min-grade 3"
    given = ["recommendations.csv", "ratings.csv", *columns.split(), "-k", "5", "-k", "10", *FEW]
    run("report", *given, "--output", "report.html")
    assert_as_reported(shown, Path("report.html").read_text(encoding="utf-8"))
    assert sum(one.tag.endswith("}svg") for one in shown["Means"].iter()) == 2
    (lead,) = classed(shown["The answer"], "lead")
    assert text_of(lead) == "similar is the best by NDCG@5, and surely better than popularity."
    tied, _ = map(text_of, lis(shown["The answer"], "caveats"))
    assert tied.endswith("tied scores at k = 5: popularity 24 of 30 (80 %), similar 13 of 30 (43 %)")


HEAD = "userid,itemid,score\n"
TRUTH = "userid,itemid,rel\n" + "".join(f"{u},{i},{1 + i % 2}\n" for u in range(1, 41) for i in range(1, 9))


def lists(share: float, users: range, items: int = 15) -> str:
    """Recommendations of which about this share is right, with ties, of items that integers name."""
    draw = np.random.default_rng(len(users))
    rows = (
        f"{u},{i if draw.random() < share else 100 + i},{(items - i) // 2}\n"
        for u in users
        for i in range(1, items)
    )
    return HEAD + "".join(rows)


THREE = {
    "+bert.csv": lists(0.6, range(1, 35)),
    "als.csv": lists(0.3, range(1, 41)),
    "pop.csv": lists(0.25, range(1, 40)),
}
HISTORY = "userid,itemid\n" + "".join(f"{u},{i}\n" for u in range(1, 31) for i in range(1, 1 + u % 4))


@pytest.fixture(scope="module")
def of_models(session: Session) -> dict[str, Any]:
    """The answer to three models: one without lists for six users; ids are integers, which decide ties."""
    session.give("history", {"history.csv": HISTORY})
    shown = session.evaluate(THREE, {"truth.csv": TRUTH}, ks="10, 3", first="ndcg")
    assert session.errors() == []
    return shown


@pytest.fixture
def model_files(folder: Path) -> list[str]:
    for name, text in {**THREE, "truth.csv": TRUTH, "history.csv": HISTORY}.items():
        Path(name).write_text(text, encoding="utf-8")
    return [*(f"{name.partition('.')[0]}={name}" for name in THREE), "truth.csv", "--history", "history.csv"]


def test_files_of_models_are_answered_as_by_the_report(
    of_models: dict[str, Any], run: Run, model_files: list[str]
) -> None:
    shown = of_models
    run("report", *model_files, "-k", "10", "-k", "3", *FEW, "--output", "report.html")
    report = Path("report.html").read_text(encoding="utf-8")
    assert_as_reported(shown, report)
    rows = tables_in(shown["Users who got nothing"])[0]
    assert [(row["System"], row["Got nothing"], row["Of them"]) for row in rows] == [
        ("+bert", "6", "35, 36, 37, 38, 39, 40"),
        ("als", "0", ""),
        ("pop", "1", "40"),
    ]
    (*_, means) = shown["Users who got nothing"].iter(f"{HTML}p")
    assert text_of(means).startswith("Of the 34 users with recommendations of every model, NDCG@10 is ")
    assert text_of(means) in plain(sections(report)["The answer"])
    against = " ".join(map(text_of, lis(shown["The answer"], "caveats")))
    assert "in history already: " in against
    contents = tables_in(shown["What is in the lists"])[0]
    assert len(contents) > 5
    assert all(row in contents for row in tables_in(sections(report)["What is in the lists"])[-1])


def test_the_sql_runs_in_the_shell_and_in_python_and_tables_are_files(
    session: Session, of_models: dict[str, Any], model_files: list[str]
) -> None:
    with session.page.expect_download() as downloading:
        session.page.click("text=means as CSV")
    expected = Path(downloading.value.path()).read_text(encoding="utf-8")
    session.wait()
    section = session.page.locator("section", has=session.page.locator("#how-it-was-made"))
    section.locator("button").click()
    script = session.page.evaluate("navigator.clipboard.readText()")
    section.locator("select").select_option("Python")
    python = section.locator("pre").inner_text()
    shutil.copy(ROOT / "sql/ranking_udfs.sql", ".")
    shell = [SHELL, "shell.duckdb", "-c", "COPY means TO 'shell.csv'"]
    done = subprocess.run([SHELL, "shell.duckdb"], input=script, text=True, check=False, capture_output=True)
    assert done.stderr == ""
    subprocess.run(shell, check=True)
    python += "con.execute(\"COPY means TO 'python.csv'\")\n"
    subprocess.run([sys.executable, "-c", python], check=True, capture_output=True)
    rounded = ", ".join(f"round({name}, 12) AS {name}" for name in ("mean", "low", "high"))
    read = f"SELECT * REPLACE ({rounded}) FROM '{{}}'"
    assert "\n'+bert," in expected  # which a spreadsheet does not compute
    Path("page.csv").write_text(expected.replace("'+bert", "+bert"), encoding="utf-8")
    tables = [duckdb.sql(read.format(name)).fetchall() for name in ("page.csv", "shell.csv", "python.csv")]
    assert tables[0] == tables[1] == tables[2] != []


def test_an_option_that_is_wrong_is_an_error_and_others_are_answered(
    session: Session, of_models: dict[str, Any]
) -> None:
    ks, grade = "k must be whole numbers or all, as in 5, 10", "Relevant from grade must be a number above 0"
    for options, said in (
        ({"ks": "5, ten"}, f'{ks}: got "ten".'),
        ({"ks": ""}, f'{ks}: got "".'),
        ({"min_grade": "3,5"}, f'{grade}, as in 3 or 0.5: got "3,5".'),
    ):
        session.ask(**options)
        assert session.errors() == [said]
    session.page.click("#forget")
    session.wait()
    shown = session.ask(ks="10", baseline="pop")
    assert "Differences to pop" in shown
    assert "What is in the lists" not in shown


ONE = {"rec.csv": lists(0.3, range(1, 11))}


def test_a_trec_run_of_which_the_lowest_score_is_the_best_is_found_out_and_said(session: Session) -> None:
    run = "".join(f"{u} Q0 d{i} {11 - i} {i} bm25\n" for u in range(10) for i in range(1, 11))
    qrels = "".join(f"{u} 0 d2 1\n{u} 0 d4 1\n" if u % 2 else f"{u} 0 d1 2\n{u} 0 d3 0\n" for u in range(10))
    shown = session.evaluate({"bm25.run": run}, {"qrels.txt": qrels}, ks="2")
    assert session.errors() == []
    below = "rec: users whose relevant items stand below others: 10 of 10"
    assert below in text_of(shown["The data"])
    assert "if the lowest score is the best, say so under “Best score”" in text_of(shown["The data"])
    # No value varies: 1 - 0.05^(1 / 10) of the range is 0.26.
    assert text_of(classed(shown["In short"], "lead")[0]) == "NDCG@2 is 0.00 (0.00 to 0.26)."
    shown = session.ask(ks="2", best="low")
    assert below not in text_of(shown["The data"])
    # Five of 1 / log2(3) of 1 + 1 / log2(3), which is 0.387, and five of 1; Student's t is 2.262, the
    # standard deviation 0.323: 0.693 ± 0.231.
    assert text_of(classed(shown["In short"], "lead")[0]) == "NDCG@2 is 0.69 ± 0.23."
    session.page.select_option("[name=best]", "high")


def test_what_files_say_is_text_and_never_markup(session: Session) -> None:
    nasty = "<img src=x onerror=alert(1)>"
    head, rows = f"userid,itemid,score,model,seed,{nasty}\n", []
    for name in (nasty, "</pre><script>alert(2)</script>"):
        rows += [
            f"{nasty}{u},{nasty}{i},{9 - i},{name},7,1\n" for u in range(9) for i in range(len(name) // 9)
        ]
    truth = f"userid,itemid,{nasty}\n" + "".join(f"{nasty}{u},{nasty}1,1\n" for u in range(12))
    shown = session.evaluate({f"{nasty}.csv": head + "".join(rows)}, {f"{nasty}2.csv": truth}, ks="5")
    assert session.errors() == []
    assert nasty in text_of(shown["The answer"])
    assert "rec: a column seed is not read" in text_of(shown["The data"])
    assert f"{nasty}11" in text_of(shown["Users who got nothing"])
    assert session.page.locator("img, main script").count() == 0
    assert session.violations == []


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
T = {"t.csv": TRUTH}
A = {"a.csv": f"{HEAD}1,1,2\n"}
COMMAS = "userid;itemid;score\n1;1;0,5\n1;2;0,25\n"
ERRORS: list[tuple[Files, Files, str]] = [
    ({"rec.csv": ""}, {}, "rec.csv is empty."),
    ({"rec.csv": PNG}, {}, "rec.csv cannot be read as CSV: no columns are found in it."),
    ({"rec.csv": "a,b,c\n1,2,3\n"}, T, "Say which column is user: none of them looks like one."),
    (ONE, {"t.csv": "userid,itemid\nx,y\n"}, "no user of truth is in rec: 1 of 1, for example userid x"),
    ({"r.csv": COMMAS}, T, "r.csv: 0,5 has a decimal comma. Write numbers with a point, as in 0.5."),
    ({"r.csv": f"{HEAD}1,1,2\n1,2,high\n"}, T, 'r.csv: line 3 has "high" where a number should be.'),
    (
        A | {"b.csv": "userid,item,score\n1,1,2\n"},
        T,
        "b.csv has no column itemid. It has userid, item, score.",
    ),
    (A | {"a.tsv": A["a.csv"]}, T, "Two files are of a model a: rename one, or choose the column of models."),
    (A | {"b.csv": f"{HEAD}2,1,2\n"}, T, "The models cannot be compared: "),
    ({"r.parquet": b"PAR1"}, {}, "r.parquet is Parquet, for which DuckDB loads an extension from"),
]


@pytest.mark.parametrize(("rec", "truth", "said"), ERRORS, ids=[said for *_, said in ERRORS])
def test_an_error_stands_beside_its_cause(session: Session, rec: Files, truth: Files, said: str) -> None:
    session.give("rec", rec)
    if truth:
        session.give("truth", truth)
        if not session.errors():
            session.ask()
    assert [text for text in session.errors() if text.startswith(said)], session.errors()


def test_files_that_are_swapped_can_be_swapped_back(session: Session) -> None:
    session.give("rec", {"truth.csv": TRUTH})
    session.give("truth", ONE)
    assert session.errors()[0].startswith("The truth has a column score and the recommendations have none")
    session.ask()
    assert [text for text in session.errors() if "are the two swapped?" in text]  # until it is answered
    session.page.click("text=Swap them")
    session.wait()
    assert session.errors() == []
    shown = [session.page.inner_text(f"#{side} .files") for side in ("rec", "truth")]
    assert shown == ["rec.csv (2 kB)", "truth.csv (3 kB)"]
    assert session.page.input_value("[name='rec.score']") == "score"


def test_cancel_ends_the_query_and_the_page_lives(session: Session, folder: Path) -> None:
    """Of 25,000 rows, answered afterwards from the keyboard. Scores are fractions after the 20,480th."""
    score = "(100 - i) || CASE WHEN u < 450 THEN '' ELSE '.5' END AS score"
    rows = f"SELECT u AS userid, i AS itemid, {score} FROM range(500) AS a(u), range(1, 51) AS b(i)"
    duckdb.execute(f"COPY ({rows}) TO 'large.csv'")
    session.page.set_input_files("#rec input[type=file]", "large.csv")
    session.give("truth", {"t.csv": TRUTH})
    session.page.click("[type=submit]")
    session.page.wait_for_selector("#status:text-is('Checking the data')")
    session.page.click("#cancel")
    session.wait()
    assert session.page.inner_text("#status") == "Cancelled."
    session.page.fill("[name=ks]", "5")
    session.page.focus("[name=ks]")
    session.page.keyboard.press("Enter")
    session.wait()
    assert tables_in(session.shown()["The data"])[0][0]["Rows"] == "25000"
    assert session.page.inner_text("#status").startswith("Answered in ")


def test_a_library_that_is_another_one_is_not_run(session: Session) -> None:
    page = session.page.context.new_page()
    page.route(f"{CDN}apache-arrow*/**", lambda route: route.fulfill(body="alert(1)", headers=CORS))
    page.goto(session.page.url)
    page.wait_for_selector("#error:not(:empty)")
    assert page.inner_text("#error").startswith(f"{CDN}apache-arrow@17.0.0/Arrow.es2015.min.js could not be")
    page.close()


def test_all_controls_have_names_and_nothing_is_wider_than_a_phone(session: Session) -> None:
    page = session.page
    controls = re.findall(r"- (?:button|combobox|textbox|checkbox)(.*)", page.locator("main").aria_snapshot())
    assert len(controls) > 30
    assert all(re.match(r' ".+"', one) for one in controls)
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
    page.set_viewport_size({"width": 1280, "height": 720})


def test_nothing_leaves_the_page(session: Session) -> None:
    """All that was asked for in all of these tests: the page's own files and the CDN's, nothing in it."""
    page, site = session.page, session.page.url.removesuffix("examples/browser/")
    refused = "fetch('https://example.com/', {method: 'POST', body: 'x'}).then(() => 'sent', () => 'refused')"
    assert page.evaluate(refused) == "refused"
    asked = [request.url for request in session.requests if not request.url.startswith("blob:")]
    own = [url.removeprefix(site) for url in asked if url.startswith(site)]
    assert {url for url in own if not url.startswith("npm/")} == {
        "examples/browser/",
        *(f"examples/browser/page.{kind}" for kind in ("js", "css")),
        "examples/browser/rules.json",
        "udfs/ranking_udfs/reporting/page.css",
        "sql/ranking_udfs.sql",
        *(f"examples/dbt_project/seeds/{name}.csv" for name in ("recommendations", "ratings")),
    }
    others = [url for url in asked if not url.startswith((site, "https://example.com/"))]
    libraries = {f"{CDN}{path}" for path, *_ in LIBRARIES}
    assert set(others[: len(libraries)]) == libraries
    assert all(url.startswith("https://extensions.duckdb.org/") for url in others[len(libraries) :])
    assert all(request.method == "GET" and not request.post_data for request in session.requests[:-1])
    assert all("?" not in url for url in asked)
    assert session.violations
    assert all("example.com" in text for text in session.violations)

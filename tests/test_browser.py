"""Test the page of examples/browser in Chromium: answers match the report, and nothing leaves the page.

Its libraries come from npm packages of the same versions, in the folder NODE_PATH.
"""

import functools
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
from tests.command import Run, write
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
    """Serve the clone, and the packages under /npm/."""

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
    """Hold the page as a user has it open, and what it has asked the network for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[Request] = []
        self.violations: list[str] = []
        self.sample: dict[str, Any] = {}  # the answer to the sample
        page.on("request", lambda asked: self.requests.append(asked))  # Playwright cannot mark a built-in
        page.on("pageerror", lambda error: self.violations.append(str(error)))
        page.on("console", self.listen)

    def listen(self, message: ConsoleMessage) -> None:
        if "Content Security" in message.text:
            self.violations.append(message.text)

    def give(self, side: str, files: Files) -> None:
        given: list[Any] = [
            {
                "name": name,
                "mimeType": "text/plain",
                "buffer": text if isinstance(text, bytes) else text.encode(),
            }
            for name, text in files.items()
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
        for name, text in ({"ks": "5, 10", "min_grade": ""} | options).items():
            field = self.page.locator(f"[name='{name}']")
            is_choice = field.evaluate("field => field.tagName") == "SELECT"
            field.select_option(text) if is_choice else field.fill(text)
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
    opened = Session(context.new_page())
    opened.page.goto(f"{site}examples/browser/")
    opened.page.click("#sample")
    opened.wait()
    opened.sample = opened.shown()
    yield opened
    server.shutdown()
    server.server_close()


PROBLEM = re.compile(r"(.*?)(?: = (\w+))?: (\d+(?: of \d+)?)(?: \((\+?\w+)\))?")


def problems_of(section: Any) -> list[tuple[str, ...]]:
    """Return the problems of a report or of the page: problem, k, how many and the system."""
    problems = [PROBLEM.match(text_of(item)).groups(default="") for item in section.iter(f"{HTML}li")]
    for row in (row for table in tables_in(section)[1:] for row in table if "Problem" in row):
        counts = [name for name in row if name not in ("Problem", "k", "Example", "Advice") and row[name]]
        problems += [
            (row["Problem"], row.get("k", ""), row[name], name.replace("Count", "")) for name in counts
        ]
    return sorted(problems)


def assert_as_reported(shown: Mapping[str, Any], report: str) -> None:
    """Compare the page with the report of the same files, number by number."""
    reported = sections(report)
    assert list(shown)[:2] == ["The answer", "The data"]
    for read, name in (items, "verdicts"), (classed, "lead"):
        texts, expected = ([*map(plain, read(each["The answer"], name))] for each in (shown, reported))
        assert texts == expected != []
    judged, reasons = (
        [text for text in map(plain, each["The answer"].iter(f"{HTML}{tag}")) if "are judged" in text]
        for each, tag in ((shown, "p"), (reported, "li"))
    )
    assert judged == reasons
    assert problems_of(shown["The data"]) == problems_of(reported["The data"])
    means, without_letters = (
        [[re.sub(r" [a-z]+$", "", cell) for cell in row.values()] for row in tables_in(each["Means"])[0]]
        for each in (shown, reported)
    )
    assert means == without_letters
    (title,) = (name for name in reported if name.startswith("Differences from "))
    assert tables_in(shown[title]) == tables_in(reported[title])[:2]


def plain(element: Any) -> str:
    return text_of(element).replace("\xa0", " ")


def items(section: Any, name: str) -> list[Any]:
    return [item for parent in classed(section, name) for item in parent]


def classed(section: Any, name: str) -> list[Any]:
    return [element for element in section.iter() if element.get("class") == name]


def test_numbers_are_rounded_as_in_a_report(session: Session) -> None:
    draw = np.random.default_rng(1)
    drawn = [*draw.normal(size=300), *draw.normal(size=200) * 10.0 ** draw.integers(-8, 8, 200)]
    numbers = [*map(float, drawn), 0.125, 2.5, 0.375, -0.0625, 9999.5, 1e-5, 0.0]
    script = """(numbers) => import('./page.js').then((page) => numbers.map(([n, half]) => [
        page.formatNumber(n), page.formatP(Math.abs(n)), page.columnDecimals([n, 2 * n], [half]),
        ...[[n - half, n + half], [n - half, n + 2 * half], [null, null]].map(
            ([low, high]) => page.formatMean({mean: n, low, high}, 3))]))"""
    shown = session.page.evaluate(script, [[n, abs(n) / 7] for n in numbers])
    for n, texts in zip(numbers, shown, strict=True):
        half = abs(n) / 7
        ends = [(n - half, n + half), (n - half, n + 2 * half), (None, None)]
        means = [" ".join(filter(None, words.format_mean(n, *pair, decimals=3))) for pair in ends]
        decimals = words.column_decimals([n, 2 * n], [half])
        assert texts == [words.format_number(n), words.format_p(abs(n)), decimals, *means], n


@pytest.mark.parametrize(
    "names",
    [
        ["ts", "uid", "Customer-ID", "sku", "p", "stars", "Model_id"],
        ["ITEMID", "doc", "user", "userid", "ranking", "Seed", "run_nr", "system", "algo"],
        ["a", "seedy", "users", "score2", "ratings_", "\u017fcore", "item id", 'pro"d', "user\n"],
        ["predicted_rating", "product_id", "account", "REL", "label", "folds"],
    ],
)
def test_columns_are_recognized_as_by_package(session: Session, names: list[str]) -> None:
    """Expect the first column of each role, exact names before usual ones; and all columns of runs."""
    columns = dict.fromkeys(names, "VARCHAR")
    shown = session.page.evaluate(
        "(columns) => import('./page.js').then((page) => page.recognise(columns))", columns
    )
    likely = {}
    for role in ("userid", "itemid", "score", "rel", "system"):
        exact = [name for name in names if name.lower() == role]
        usual = [name for name in names if re.fullmatch(NEAR[ARGUMENTS[role]], name, re.I)]
        likely[role] = [*exact, *usual, ""][0]
    assert shown == {"likely": likely, "runs": alike("runs", columns)}


def test_answer_to_sample_matches_report(session: Session, run: Run, folder: Path) -> None:
    shutil.copy(SEEDS / "recommendations.csv", ".")
    write("ratings.csv", f"FROM '{SEEDS}/ratings.csv' WHERE rated_on >= DATE '2026-05-22'")
    columns = "--user customer_id --item sku --system model --grade stars --min-grade 3"
    given = ["recommendations.csv", "ratings.csv", *columns.split(), "-k", "5", "-k", "10", *FEW]
    run("report", *given, "--output", "report.html")
    shown = session.sample
    assert_as_reported(shown, Path("report.html").read_text(encoding="utf-8"))
    assert sum(element.tag.endswith("}svg") for element in shown["Means"].iter()) == 2
    (lead,) = classed(shown["The answer"], "lead")
    assert text_of(lead) == "similar has the best NDCG@5, significantly better than popularity."
    tied, _ = map(text_of, items(shown["The answer"], "caveats"))
    assert tied.endswith("tied scores at k = 5: popularity 24 of 30 (80%), similar 13 of 30 (43%)")


HEAD = "userid,itemid,score\n"
TRUTH = "userid,itemid,rel\n" + "".join(f"{u},{i},{1 + i % 2}\n" for u in range(1, 41) for i in range(1, 9))


def lists(share: float, users: range) -> str:
    """Return recommendations of which about this share is right, with ties, of items that integers name."""
    draw = np.random.default_rng(len(users))
    found = ((u, i, i if draw.random() < share else 100 + i) for u in users for i in range(1, 15))
    return HEAD + "".join(f"{u},{item},{(15 - i) // 2}\n" for u, i, item in found)


THREE = {
    "+bert.csv": lists(0.6, range(1, 35)),
    "als.csv": lists(0.3, range(1, 41)),
    "pop.csv": lists(0.25, range(1, 40)),
}
HISTORY = "userid,itemid\n" + "".join(f"{u},{i}\n" for u in range(1, 31) for i in range(1, 1 + u % 4))


@pytest.fixture(scope="module")
def of_models(session: Session) -> dict[str, Any]:
    """Return the answer to three models, one without lists for six users; the ids are integers."""
    session.give("history", {"history.csv": HISTORY})
    shown = session.evaluate(THREE, {"truth.csv": TRUTH}, ks="10, 3", first="ndcg")
    assert session.errors() == []
    return shown


@pytest.fixture
def model_files(folder: Path) -> list[str]:
    for name, text in {**THREE, "truth.csv": TRUTH, "history.csv": HISTORY}.items():
        Path(name).write_text(text, encoding="utf-8")
    return [*(f"{name.partition('.')[0]}={name}" for name in THREE), "truth.csv", "--history", "history.csv"]


def test_answer_to_model_files_matches_report(
    of_models: dict[str, Any], run: Run, model_files: list[str]
) -> None:
    shown = of_models
    run("report", *model_files, "-k", "10", "-k", "3", *FEW, "--output", "report.html")
    report = Path("report.html").read_text(encoding="utf-8")
    assert_as_reported(shown, report)
    nothing = tables_in(shown["Users without recommendations"])[0]
    assert [(row["System"], row["No recommendations"], row["Example users"]) for row in nothing] == [
        ("+bert", "6", "35, 36, 37, 38, 39, 40"),
        ("als", "0", ""),
        ("pop", "1", "40"),
    ]
    (*_, means) = shown["Users without recommendations"].iter(f"{HTML}p")
    assert text_of(means).startswith("For the 34 users with recommendations from every model, NDCG@10 is ")
    assert text_of(means) in plain(sections(report)["The answer"])
    caveats = " ".join(map(text_of, items(shown["The answer"], "caveats")))
    assert "tems already in the user's history: " in caveats
    contents = tables_in(shown["Beyond accuracy"])[0]
    assert len(contents) > 5
    assert all(row in contents for row in tables_in(sections(report)["Beyond accuracy"])[-1])


def test_sql_of_page_runs_in_shell_and_python(
    session: Session, of_models: dict[str, Any], model_files: list[str]
) -> None:
    with session.page.expect_download() as downloading:
        session.page.click("text=means as CSV")
    expected = Path(downloading.value.path()).read_text(encoding="utf-8")
    session.wait()
    section = session.page.locator("section", has=session.page.locator("#method-and-provenance"))
    section.locator("button").click()
    script = session.page.evaluate("navigator.clipboard.readText()")
    section.locator("select").select_option("Python")
    python = section.locator("pre").inner_text() + "con.execute(\"COPY means TO 'python.csv'\")\n"
    shutil.copy(ROOT / "sql/ranking_udfs.sql", ".")
    script += "\n;COPY means TO 'shell.csv';"
    done = subprocess.run([SHELL, "shell.duckdb"], input=script, text=True, check=True, capture_output=True)
    assert done.stderr == ""
    subprocess.run([sys.executable, "-c", python], check=True, capture_output=True)
    assert "\n'+bert," in expected  # which a spreadsheet does not compute
    Path("page.csv").write_text(expected.replace("'+bert", "+bert"), encoding="utf-8")
    rounded = ", ".join(f"round({name}, 12) AS {name}" for name in ("mean", "low", "high"))
    page, shell, of_python = (
        duckdb.sql(f"SELECT * REPLACE ({rounded}) FROM '{name}.csv'").fetchall()
        for name in ("page", "shell", "python")
    )
    assert page == shell == of_python != []


def test_wrong_option_is_an_error(session: Session, of_models: dict[str, Any]) -> None:
    ks = "k must be whole numbers or all, as in 5, 10: got"
    grade = "Relevant from grade must be a number above 0, as in 3 or 0.5: got"
    for name, text, rule in (("ks", "5, ten", ks), ("ks", "", ks), ("min_grade", "3,5", grade)):
        session.ask(**{name: text})
        assert session.errors() == [f'{rule} "{text.removeprefix("5, ")}".']
    session.page.click("#forget")
    session.wait()
    shown = session.ask(ks="10", baseline="pop")
    assert "Differences from pop" in shown
    assert "Beyond accuracy" not in shown


ONE = {"rec.csv": lists(0.3, range(1, 11))}


def test_reversed_trec_run_is_detected(session: Session) -> None:
    run = "".join(f"{u} Q0 d{i} {11 - i} {i} bm25\n" for u in range(10) for i in range(1, 11))
    qrels = "".join(f"{u} 0 d2 1\n{u} 0 d4 1\n" if u % 2 else f"{u} 0 d1 2\n{u} 0 d3 0\n" for u in range(10))
    below = "rec: users whose relevant items rank below other items: 10 of 10"
    # With the highest score as the best no value varies: 1 - 0.05^(1 / 10) of the range is 0.26. With the
    # lowest, five values are 1 / log2(3) of 1 + 1 / log2(3), or 0.387, and five are 1; Student's t is 2.262,
    # the standard deviation 0.323: 0.693 ± 0.231.
    session.give("rec", {"bm25.run": run})
    session.give("truth", {"qrels.txt": qrels})
    for best, value, is_below in (("high", "0.00 (0.00 to 0.26)", True), ("low", "0.69 ± 0.23", False)):
        shown = session.ask(ks="2", best=best)
        assert session.errors() == []
        data = text_of(shown["The data"])
        assert (
            (below in data)
            == ("if lower scores are better, select that under “Best score”" in data)
            == is_below
        )
        assert text_of(classed(shown["Summary"], "lead")[0]) == f"NDCG@2 is {value}."
    session.page.select_option("[name=best]", "high")


def test_contents_of_files_are_never_markup(session: Session) -> None:
    nasty, script = "<img src=x onerror=alert(1)>", "</pre><script>alert(2)</script>"
    rows = [
        f"{nasty}{u},{nasty}{i},{9 - i},{name},7,1\n"
        for name in (nasty, script) for u in range(9) for i in range(len(name) // 9)
    ]  # fmt: skip
    truth = f"userid,itemid,{nasty}\n" + "".join(f"{nasty}{u},{nasty}1,1\n" for u in range(12))
    rec = f"userid,itemid,score,model,seed,{nasty}\n" + "".join(rows)
    shown = session.evaluate({f"{nasty}.csv": rec}, {f"{nasty}2.csv": truth}, ks="5")
    assert session.errors() == []
    assert nasty in text_of(shown["The answer"])
    assert "rec: the column seed is not read, so all runs of a model form one list; keep one run" in text_of(
        shown["The data"]
    )
    assert f"{nasty}11" in text_of(shown["Users without recommendations"])
    assert session.page.locator("img, main script").count() == 0
    assert session.violations == []


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
T = {"t.csv": TRUTH}
A = {"a.csv": f"{HEAD}1,1,2\n"}
COMMAS = "userid;itemid;score\n1;1;0,5\n1;2;0,25\n"


# fmt: off
ERRORS: list[tuple[Files, Files, str]] = [
    ({"rec.csv": ""}, {}, "rec.csv is empty."),
    ({"rec.csv": PNG}, {}, "rec.csv cannot be read as CSV: no columns are found in it."),
    ({"rec.csv": "a,b,c\n1,2,3\n"}, T, "Choose the column for user: no column has a known name."),
    (ONE, {"t.csv": "userid,itemid\nx,y\n"}, "no user of truth is in rec: 1 of 1, for example userid x"),
    ({"r.csv": COMMAS}, T, "r.csv: 0,5 has a decimal comma. Write numbers with a point, as in 0.5."),
    ({"r.csv": f"{HEAD}1,1,2\n1,2,high\n"}, T, 'r.csv: line 3 has "high" instead of a number.'),
    (A | {"b.csv": "userid,item,score\n1,1,2\n"}, T,
     "b.csv has no column itemid. It has userid, item, score."),
    (A | {"a.tsv": A["a.csv"]}, T, "Two files have the model a: rename one, or choose the column of models."),
    (A | {"b.csv": f"{HEAD}2,1,2\n"}, T, "The models cannot be compared: "),
    ({"r.parquet": b"PAR1"}, {}, "r.parquet is Parquet, for which DuckDB loads an extension from"),
]
# fmt: on


@pytest.mark.parametrize(("rec", "truth", "error"), ERRORS, ids=[error for *_, error in ERRORS])
def test_errors_name_their_cause(session: Session, rec: Files, truth: Files, error: str) -> None:
    session.give("rec", rec)
    if truth:
        session.give("truth", truth)
        if not session.errors():
            session.ask()
    assert [text for text in session.errors() if text.startswith(error)], session.errors()


def test_swapped_files_can_be_swapped_back(session: Session) -> None:
    session.give("rec", {"truth.csv": TRUTH})
    session.give("truth", ONE)
    assert session.errors()[0].startswith(
        "The truth has a column score and the recommendations do not: are the files swapped?"
    )
    session.ask()
    assert [text for text in session.errors() if "are the files swapped?" in text]  # until it is answered
    session.page.click("text=Swap them")
    session.wait()
    assert session.errors() == []
    shown = [session.page.inner_text(f"#{side} .files") for side in ("rec", "truth")]
    assert shown == ["rec.csv (2 kB)", "truth.csv (3 kB)"]
    assert session.page.input_value("[name='rec.score']") == "score"


def test_cancel_ends_query_and_page_stays_usable(session: Session, folder: Path) -> None:
    """Cancel 25,000 rows, and answer from the keyboard. Scores are fractions after row 20,480."""
    score = "(100 - i) || CASE WHEN u < 450 THEN '' ELSE '.5' END AS score"
    users = "range(500) AS a(u), range(1, 51) AS b(i)"
    write("large.csv", f"SELECT u AS userid, i AS itemid, {score} FROM {users}")
    session.page.set_input_files("#rec input[type=file]", "large.csv")
    session.give("truth", {"t.csv": TRUTH})
    session.page.click("[type=submit]")
    session.page.wait_for_selector("#status:text-is('Checking the data')")
    session.page.click("#cancel")
    session.wait()
    assert session.page.inner_text("#status") == "Cancelled."
    session.page.fill("[name=ks]", "5")
    session.page.press("[name=ks]", "Enter")
    session.wait()
    assert tables_in(session.shown()["The data"])[0][0]["Rows"] == "25000"
    assert session.page.inner_text("#status").startswith("Answered in ")


def test_altered_library_is_not_run(session: Session) -> None:
    page = session.page.context.new_page()
    page.route(f"{CDN}apache-arrow*/**", lambda route: route.fulfill(body="alert(1)", headers=CORS))
    page.goto(session.page.url)
    page.wait_for_selector("#error:not(:empty)")
    assert page.inner_text("#error").startswith(f"{CDN}apache-arrow@17.0.0/Arrow.es2015.min.js could not be")
    page.close()


def test_controls_have_names_and_page_fits_phone(session: Session) -> None:
    page = session.page
    controls = re.findall(r"- (?:button|combobox|textbox|checkbox)(.*)", page.locator("main").aria_snapshot())
    assert len(controls) > 30
    assert all(re.match(r' ".+"', control) for control in controls)
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
    page.set_viewport_size({"width": 1280, "height": 720})


def test_nothing_leaves_page(session: Session) -> None:
    """Check all requests of these tests: the page's own files and the CDN's, without data."""
    page, site = session.page, session.page.url.removesuffix("examples/browser/")
    refused = "fetch('https://example.com/', {method: 'POST', body: 'x'}).then(() => 'sent', () => 'refused')"
    assert page.evaluate(refused) == "refused"
    urls = [request.url for request in session.requests if not request.url.startswith("blob:")]
    own = {url.removeprefix(site) for url in urls if url.startswith(site)}
    assert {url for url in own if not url.startswith("npm/")} == {
        *(f"examples/browser/{name}" for name in ("", "page.js", "page.css", "rules.json")),
        *(f"examples/dbt_project/seeds/{name}.csv" for name in ("recommendations", "ratings")),
        "udfs/ranking_udfs/reporting/page.css",
        "sql/ranking_udfs.sql",
    }
    others = [url for url in urls if not url.startswith((site, "https://example.com/"))]
    libraries = {f"{CDN}{path}" for path, *_ in LIBRARIES}
    assert {*others[: len(libraries)]} == libraries
    assert all(url.startswith("https://extensions.duckdb.org/") for url in others[len(libraries) :])
    assert all(request.method == "GET" and not request.post_data for request in session.requests[:-1])
    assert all("?" not in url for url in urls)
    assert session.violations
    assert all("example.com" in text for text in session.violations)

"""A real browser on a real daemon, over a store made from the demo."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from engramma import Memory
from engramma.apps.cli.demo import fill_demo
from engramma.apps.daemon import control
from engramma.apps.dashboard.browser_login import one_time_link

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "No browser: `apt-get install chromium`, or set ENGRAMMA_CHROMIUM to one; and `pip install playwright`."
REQUIRED = "ENGRAMMA_BROWSER"  # set to "required", as .ci/run does, a missing browser is a failure
# Pages are put together without a graphics card; only the graph (WebGL) has one made of software. A new page shares the
# process of one that is open.
ARGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--process-per-site"]
SIZE = {"width": 1280, "height": 860}
REST = "live"  # the view that a page shows between two tests


def found_browser() -> str | None:
    named = os.environ.get("ENGRAMMA_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def missing(why: str):
    """No browser here: a reason to skip, and where browsers are required, to fail."""
    if os.environ.get(REQUIRED) == "required":
        pytest.fail(why)
    pytest.skip(why)


def install() -> None:
    """Debian's package, where this may be done; its list of packages is renewed if the first try finds none."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return
    wanted = ["apt-get", "install", "-y", "-qq", "-o", "DPkg::Lock::Timeout=300", "chromium"]
    for command in (wanted, ["apt-get", "update", "-qq"], wanted):
        done = subprocess.run(command, capture_output=True, timeout=900)
        if command is wanted and done.returncode == 0:
            return


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is; Debian's package is installed if it is missing and this may be done."""
    if (path := found_browser()) is None:
        install()
        path = found_browser()
    if path is None:
        missing(HOW)
    return path


def alone(path: Path) -> None:
    """A store in which the daemon's steward does nothing by itself: it would be faster than who reviews."""
    path.mkdir()
    (path / "config.toml").write_text("[daemon]\nsteward_hours = 0\n", encoding="utf-8")


@contextmanager
def served(path: Path, fill: Callable[[Memory], object]) -> Iterator[Path]:
    """A store with the demo's talk and what `fill` adds, and a daemon that serves it."""
    alone(path)
    with Memory.open(path) as memory:
        fill_demo(memory)
        fill(memory)
    control.start_daemon(path, ["--port", "0"])
    yield path
    control.stop_daemon(path)


def with_notes(memory: Memory) -> None:
    memory.remember("The boiler was repaired in March.", tags=["home", "boiler"])
    memory.remember("Mira is allergic to walnuts.", tags=["health"])
    memory.remember("Jonas prefers trains over planes.", tags=["travel"])


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """A store with the demo's talk and some notes, and a daemon that serves it."""
    with served(tmp_path_factory.mktemp("dashboard") / "memory", with_notes) as path:
        yield path


@pytest.fixture(scope="package")
def browser(chromium):
    """One browser for these tests: while it is open, this thread has an event loop that others would stumble over."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing(HOW)
    with sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=chromium, args=ARGS)
        yield opened
        opened.close()


def said_by(reply) -> str:
    """What the daemon said when it refused; the browser's own line has only the number."""
    try:
        return f"{reply.request.method} {reply.url}: {reply.text()}"
    except Exception as error:  # the page has gone on, and the browser has let the body go
        return f"{reply.request.method} {reply.url}: {error}"


class Visit:
    """A page of a browser that came in by a one-time link, and everything it asked for and complained of."""

    def __init__(self, context, store: Path) -> None:
        self.context = context
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.refused = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("response", lambda reply: self.refused.append(reply) if reply.status >= 400 else None)
        self.base = control.ask_daemon_status(store)["url"]

    def see(self, address: str, text: str | None = None):
        """Go to a view; with a text, wait until it is there."""
        self.page.goto(f"{self.base}/#/{address}")
        self.page.wait_for_selector(f"nav a[href='#/{address.partition('?')[0]}'][aria-current]", state="attached")
        self.page.wait_for_selector("main h1")
        if text is not None:
            self.page.get_by_text(text).first.wait_for()
        return self.page

    def until(self, condition: str) -> None:
        """Wait for something that is true in the page; Playwright's own way of it needs what the page forbids."""
        deadline = time.monotonic() + 20
        while not self.page.evaluate(condition):
            assert time.monotonic() < deadline, condition
            self.page.wait_for_timeout(50)

    def rest(self) -> None:
        """Leave the page to the next test as it was, but for what it has loaded."""
        self.page.set_viewport_size(SIZE)
        self.page.emulate_media(color_scheme="null")
        self.see(REST)
        self.judge()
        self.asked.clear()
        self.refused.clear()

    def close(self) -> None:
        told = [said_by(reply) for reply in self.refused] if self.complaints else []
        self.page.close()
        self.judge(told)

    def judge(self, told: Sequence[str] = ()) -> None:
        """Nothing was asked elsewhere, nothing was complained of."""
        complaints, self.complaints = self.complaints, []
        elsewhere = {url for url in self.asked if urlsplit(url).scheme not in ("blob", "data")}
        assert {url for url in elsewhere if not url.startswith(f"{self.base}/")} == set()
        assert complaints == [], told or [said_by(reply) for reply in self.refused]


def log_in(context, store: Path) -> None:
    """Come in by a one-time link. The login page has a heading too: what counts is the dashboard's."""
    page = context.new_page()
    page.goto(one_time_link(store))
    page.wait_for_selector("body:not(.login) main h1", timeout=60_000)
    page.close()


@pytest.fixture(scope="module")
def came_in(browser, store):
    """A context that came in."""
    context = browser.new_context(viewport=SIZE)
    log_in(context, store)
    yield context
    context.close()


@pytest.fixture(scope="module")
def looker(came_in, store):
    """The one page of a file that says `ONE_PAGE = True`, since its tests hardly do more than look."""
    visit = Visit(came_in, store)
    yield visit
    visit.close()


@pytest.fixture
def newcomer(came_in, store):
    """Someone who comes to the dashboard. At the end: nothing was asked elsewhere, nothing was complained of."""
    visit = Visit(came_in, store)
    yield visit
    visit.close()


@pytest.fixture
def visit(request):
    """The same, or in a file of one page, someone who goes on looking."""
    if not getattr(request.module, "ONE_PAGE", False):
        yield request.getfixturevalue("newcomer")
        return
    visit = request.getfixturevalue("looker")
    yield visit
    visit.rest()


@pytest.fixture
def memory(store):
    """The same store, as another process sees it."""
    with Memory.open(store) as opened:
        yield opened

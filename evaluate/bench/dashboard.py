"""The dashboard on a large store against a small one: first paint, every view's data calls, and frames of the graph.

    python evaluate/bench/dashboard.py --stores DIR [--sizes 1000 100000] [--json OUT] [--markdown OUT]

Each size is a store in DIR (made by dashboard_store.py where it is missing) with a daemon of its own. Chromium walks
through the views; what they ask for is noted and asked again, both stores in turn, by one kept connection. Times are
medians of warm calls; read the ratios, not the milliseconds: Chromium draws in software here.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from dashboard_store import fill
from playwright.sync_api import Page, Request, sync_playwright
from run import commit

from engramma import Memory, __version__
from engramma.apps.daemon import control
from engramma.apps.daemon.folder import place_in, token_of
from engramma.apps.dashboard.browser_login import one_time_link

REPEATED, PAINTED, WARM = 15, 5, 3
QUESTION = "Who works at Alancorp 7?"
ARGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
PICTURES = (1_000, 10_000)  # nodes of the graph whose frames are counted
PAN_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Call:
    """What a view asks its daemon for."""

    method: str
    path: str
    body: str | None


@dataclass(frozen=True, slots=True)
class Side:
    """A store, its daemon and a browser's page on it."""

    size: int
    store: Path
    base: str
    token: str
    page: Page


def views(store: Path) -> dict[str, tuple[str, str]]:
    """The views by name: the entry of the menu and the address; a session and a person that this store has."""
    with Memory.open(store, create=False) as memory:
        row = memory.browse.session_page(limit=1)[0][0]
        person = memory._core.store.all("tallies_of", kind="speaker", limit=1)[0]["name"]
    read = f"conversation={quote(row.conversation)}&session={quote(row.session)}"
    return {
        "overview": ("overview", "overview"),
        "recall": ("recall", f"recall?q={quote(QUESTION)}"),
        "conversations": ("conversations", "conversations"),
        "conversations of a person": ("conversations", f"conversations?person={quote(person)}"),
        "a session": ("conversations", f"conversations?{read}"),
        "graph": ("graph", "graph"),
        "graph of a person": ("graph", f"graph?person={quote(person)}"),
        "notes": ("notes", "notes"),
        "people": ("people", "people"),
        "a person": ("people", f"people?name={quote(person)}"),
        "entities": ("notes", "notes?tab=entities"),
        "review": ("review", "review"),
        "forget & export": ("forget", "forget"),
        "live": ("live", "live"),
    }


def walk(side: Side, address: str) -> tuple[list[Call], float, float]:
    """Go to a view from nowhere: what it asks for, its first paint, and when the last data was there (ms)."""
    page, asked, open_calls = side.page, list[Call](), set[str]()

    def begun(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.path.startswith("/api/"):
            call = Call(request.method, f"{parts.path}?{parts.query}" if parts.query else parts.path, request.post_data)
            asked.append(call)
            if parts.path != "/api/events":
                open_calls.add(request.url)

    def ended(request: Request) -> None:
        open_calls.discard(request.url)

    page.goto("about:blank")
    page.on("request", begun)
    page.on("requestfinished", ended)
    page.on("requestfailed", ended)
    page.goto(f"{side.base}/#/{address}")
    page.wait_for_selector("main h1")
    quiet = time.monotonic()
    while open_calls or time.monotonic() - quiet < 0.5:
        if open_calls:
            quiet = time.monotonic()
        page.wait_for_timeout(50)
    for name, heard in (("request", begun), ("requestfinished", ended), ("requestfailed", ended)):
        page.remove_listener(name, heard)
    paint, data = page.evaluate(TIMES)
    return asked, paint, data


TIMES = """() => {
  const data = (one) => one.name.includes('/api/') && !one.name.includes('/api/events');
  const ends = performance.getEntriesByType('resource').filter(data).map((one) => one.responseEnd);
  return [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, Math.max(0, ...ends)];
}"""
COUNTING = """() => {
  window.drawn = [];
  const next = (at) => { window.drawn.push(at); requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""


def answered(connection: http.client.HTTPConnection, side: Side, call: Call) -> float:
    """Milliseconds until a call is answered; of a stream, until it begins."""
    headers = {"Authorization": f"Bearer {side.token}", "Content-Type": "application/json"}
    began = time.perf_counter()
    connection.request(call.method, call.path, call.body, headers)
    reply = connection.getresponse()
    if reply.status != 200:
        raise SystemExit(f"{call} was answered {reply.status}: {reply.read(500)!r}")
    if call.path.startswith("/api/events"):
        took = time.perf_counter() - began
        connection.close()  # the stream goes on; the next request opens another connection
        return took * 1000
    reply.read()
    return (time.perf_counter() - began) * 1000


def measure(sides: list[Side]) -> list[dict[str, Any]]:
    """Each view of each store, the stores in turn. A view that the page does not have is left out."""
    addresses = [views(side.store) for side in sides]
    connections = [http.client.HTTPConnection(urlsplit(side.base).netloc) for side in sides]
    rows = []
    for view, (entry, _) in addresses[0].items():
        seen: list[list[tuple[list[Call], float, float]]] = [[] for _ in sides]
        for _ in range(PAINTED):
            for n, side in enumerate(sides):
                seen[n].append(walk(side, addresses[n][view][1]))
        if sides[0].page.locator(f'.side nav a[aria-current][href="#/{entry}"]').count() != 1:
            continue
        calls = [[call for call in dict.fromkeys(runs[-1][0]) if is_data(call)] for runs in seen]
        row = {
            "view": view,
            "first_paint_ms": [median([run[1] for run in runs]) for runs in seen],
            "data_there_ms": [median([run[2] for run in runs]) for runs in seen],
            "calls": [
                {"call": f"{pair[0].method} {urlsplit(pair[0].path).path}", "ms": timed(sides, connections, pair)}
                for pair in zip(*calls, strict=True)
            ],
        }
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def is_data(call: Call) -> bool:
    """What every view asks alike is no call of its own."""
    return urlsplit(call.path).path not in ("/api/dashboard/session", "/api/namespaces")


def timed(sides: list[Side], connections: list[http.client.HTTPConnection], pair: tuple[Call, ...]) -> list[float]:
    took: list[list[float]] = [[] for _ in sides]
    for number in range(WARM + REPEATED):
        for n, (side, connection, call) in enumerate(zip(sides, connections, pair, strict=True)):
            found = answered(connection, side, call)
            if number >= WARM:
                took[n].append(found)
    return [median(one) for one in took]


def median(values: list[float]) -> float:
    return round(statistics.median(values), 2)


def frames(side: Side) -> list[dict[str, Any]]:
    """Frames a second while a picture of so many nodes is dragged about, and how long the server needed for it."""
    page, rows = side.page, []
    for most in PICTURES:
        page.goto("about:blank")
        with page.expect_response(lambda reply: reply.url.partition("?")[0].endswith("/api/dashboard/graph")) as got:
            page.goto(f"{side.base}/#/graph?most={most}&hops=4")
        told = got.value.json()
        page.wait_for_selector(".canvas canvas")
        page.wait_for_timeout(1500)
        box = page.locator(".canvas").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.evaluate(COUNTING)
        began, step = time.monotonic(), 0
        while time.monotonic() - began < PAN_SECONDS:
            step += 1
            page.mouse.move(x + 120 * ((step % 40) / 20 - 1), y + 80 * ((step % 30) / 15 - 1))
        page.mouse.up()
        drawn = page.evaluate("window.drawn")
        gaps = sorted(b - a for a, b in pairwise(drawn))
        rows.append(
            {
                "nodes": len(told["nodes"]),
                "edges": len(told["edges"]),
                "server_ms": round(got.value.request.timing["responseStart"]),
                "frames_per_s": round(1000 * len(gaps) / max(1.0, sum(gaps)), 1),
                "slowest_frame_ms": round(gaps[-1] if gaps else 0.0),
            }
        )
        print(json.dumps(rows[-1]), flush=True)
    return rows


@contextmanager
def opened(stores: Path, sizes: list[int]) -> Iterator[list[Side]]:
    """A daemon and a page for each store."""
    chromium = os.environ.get("ENGRAMMA_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("No browser: `apt-get install chromium`, or set ENGRAMMA_CHROMIUM to one.")
    places = [stores / f"s{size}" for size in sizes]
    for size, store in zip(sizes, places, strict=True):
        if not (store / "memory.db").exists():
            fill(store, size)
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium, args=ARGS)
        sides = []
        try:
            for size, store in zip(sizes, places, strict=True):
                control.start_daemon(store, ["--port", "0"])
                page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
                page.set_default_timeout(120_000)
                page.goto(one_time_link(store))
                page.wait_for_selector("main h1")
                sides.append(
                    Side(size, store, str(control.ask_daemon_status(store)["url"]), token_of(place_in(store)), page)
                )
            yield sides
        finally:
            browser.close()
            for store in places:
                control.stop_daemon(store)


def as_markdown(figures: dict[str, Any]) -> str:
    """The table for the docs."""
    small, large = (f"{size:,}" for size in figures["segments"])
    lines = [f"| view | call | {small} segments | {large} segments | ratio |", "|---|---|---|---|---|"]
    for row in figures["views"]:
        times = [("first paint", row["first_paint_ms"]), ("all data there", row["data_there_ms"])]
        times += [(f"`{call['call']}`", call["ms"]) for call in row["calls"]]
        for n, (name, (one, other)) in enumerate(times):
            view = row["view"] if n == 0 else ""
            lines.append(f"| {view} | {name} | {one:.1f} ms | {other:.1f} ms | {other / max(one, 0.01):.2f} |")
    lines += [
        "",
        "| nodes | edges | server | frames per second while dragging | slowest frame |",
        "|---|---|---|---|---|",
    ]
    for row in figures["graph"]:
        told = (f"{row['nodes']:,}", f"{row['edges']:,}", f"{row['server_ms']:,} ms", f"{row['frames_per_s']}")
        lines.append(f"| {' | '.join(told)} | {row['slowest_frame_ms']} ms |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs=2, default=[1_000, 100_000])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    with opened(options.stores, options.sizes) as sides:
        figures = {
            "engramma": __version__,
            "commit": commit(),
            "command": "python evaluate/bench/dashboard.py",
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, no GPU",
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "segments": [side.size for side in sides],
            "edges": [edges(side.store) for side in sides],
            "views": measure(sides),
            "graph": frames(sides[-1]),
        }
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    if options.markdown:
        options.markdown.write_text(as_markdown(figures), "utf-8")
    print(as_markdown(figures))


def edges(store: Path) -> int:
    with Memory.open(store, create=False) as memory:
        return sum(row["count"] for row in memory._core.store.all("tallies_of", kind="edges", limit=-1))


if __name__ == "__main__":
    main()

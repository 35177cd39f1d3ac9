"""Every view of the dashboard over one large store: time to the first paint and to the data, calls, nodes, height.

    python evaluate/bench/dashboard_store.py DIR --segments 60000 --conversations 10000
    python evaluate/bench/dashboard_pages.py DIR [--json OUT]

A real daemon and Chromium. A view is visited three times, and once more on a phone's width; times are medians, in
milliseconds. `daemon` is the CPU time that the daemon needs for a visit, all calls of the page together: unlike the
others it is the same on a busy machine. `slowest call` is the slowest request of the page; `nodes` and `height` are of
the page once its data is there, with the height of the phone's page beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dashboard import ARGS, PAINTED, Side, median, views, walk
from playwright.sync_api import Page, sync_playwright
from run import commit

from engramma import Memory, __version__
from engramma.apps.daemon import control
from engramma.apps.daemon.folder import place_in, token_of
from engramma.apps.dashboard.browser_login import one_time_link

VISITS = min(3, PAINTED)
TIMES_SHOWN = ("daemon_cpu", "first_daemon_cpu", "first_paint", "data_there")
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}
SHAPE = "() => [document.querySelectorAll('*').length, document.documentElement.scrollHeight]"
CALLS = """() => performance.getEntriesByType('resource').filter((one) => one.name.includes('/api/') &&
  !one.name.includes('/api/events')).map((one) => [new URL(one.name).pathname, one.responseEnd - one.requestStart])"""


def addresses(store: Path) -> dict[str, str]:
    """The views by name; people, sessions and words that this store has much of."""
    found = {name: address for name, (_, address) in views(store).items()}
    with Memory.open(store, create=False) as memory:
        named = [row["name"] for row in memory._core.store.all("tallies_of", kind="speaker", limit=50)]
    found |= {f"the page of {name}": f"people?name={quote(name)}" for name in ("user", "assistant") if name in named}
    found |= {
        "conversations with a word": "conversations?q=chess",
        "conversations, last page": "conversations?offset=9990",
        "surroundings of a person": f"graph?person={quote(named[0])}",
        "notes, by tag": "notes?tag=chess",
        "people by name": "people?q=an",
        "recall of a common word": "recall?q=chess",
    }
    return found


def cpu_ms(pid: int) -> float:
    """CPU time of a process so far, its children not counted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def surveyed(side: Side, phone: Page, address: str, pid: int) -> dict[str, Any]:
    """A view, visited a few times."""
    runs, spent = list[Any](), list[float]()
    for _ in range(VISITS):
        before = cpu_ms(pid)
        runs.append(walk(side, address))
        spent.append(cpu_ms(pid) - before)
    calls: dict[str, float] = dict(side.page.evaluate(CALLS))
    nodes, height = side.page.evaluate(SHAPE)
    slowest = max(calls, key=lambda path: calls[path], default="")
    walk(Side(side.size, side.store, side.base, side.token, phone), address)
    return {
        "daemon_cpu_ms": median(spent),
        "first_daemon_cpu_ms": round(spent[0]),
        "first_paint_ms": median([run[1] for run in runs]),
        "data_there_ms": median([run[2] for run in runs]),
        "worst_data_there_ms": round(max(run[2] for run in runs), 1),
        "slowest_call": slowest,
        "slowest_call_ms": round(calls.get(slowest, 0.0), 1),
        "nodes": nodes,
        "height": height,
        "height_on_a_phone": phone.evaluate(SHAPE)[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--only", help="Views with these letters in their name.", default="")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    chosen = {name: one for name, one in addresses(options.store).items() if options.only in name}
    with Memory.open(options.store, create=False) as memory:
        stats = {key: memory.stats()[key] for key in ("conversations", "sessions", "turns", "segments")}
    rows: dict[str, Any] = {}
    control.start_daemon(options.store, ["--port", "0"])
    try:
        with sync_playwright() as tool:
            browser = tool.chromium.launch(executable_path=os.environ.get("ENGRAMMA_CHROMIUM", CHROMIUM), args=ARGS)
            pages = []
            for width, height in SIZES.values():
                page = browser.new_context(viewport={"width": width, "height": height}).new_page()
                page.set_default_timeout(120_000)
                page.goto(one_time_link(options.store))
                page.wait_for_selector("main h1")
                pages.append(page)
            told = control.ask_daemon_status(options.store)
            base, token, pid = str(told["url"]), token_of(place_in(options.store)), int(told["pid"])
            side = Side(stats["segments"], options.store, base, token, pages[0])
            for name, address in chosen.items():
                rows[name] = surveyed(side, pages[1], address, pid)
                print(name, json.dumps(rows[name]), flush=True)
            browser.close()
    finally:
        control.stop_daemon(options.store)
    figures = {
        "engramma": __version__,
        "commit": commit(),
        "command": "python evaluate/bench/dashboard_pages.py",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, no GPU",
        "load": round(os.getloadavg()[1], 1),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "store": stats,
        "views": rows,
    }
    slow = statistics.median(row["data_there_ms"] for row in rows.values())
    print(f"median of all views: {slow:.0f} ms")
    print(as_markdown(rows))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


CHROMIUM = "/usr/bin/chromium"


def as_markdown(rows: dict[str, dict[str, Any]]) -> str:
    """The table for the docs."""
    head = [
        "view",
        "daemon, CPU",
        "first visit",
        "first paint",
        "all data there",
        "slowest call",
        "nodes",
        "height",
        "on a phone",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, row in rows.items():
        path = row["slowest_call"].removeprefix("/api/")
        call = f"{path} {row['slowest_call_ms']:.0f} ms" if path else ""
        times = [f"{row[f'{one}_ms']:.0f} ms" for one in TIMES_SHOWN]
        sizes = [f"{row['nodes']:,}", f"{row['height']:,} px", f"{row['height_on_a_phone']:,} px"]
        lines.append(f"| {' | '.join((name, *times, call, *sizes))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

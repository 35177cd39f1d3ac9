"""The pictures of the dashboard for the documentation: every view, light and dark, on a desktop and on a phone.

    python evaluate/pictures.py docs/dashboard [VIEW ...]

Made from the demo and the talk of the browser tests, in a store that is gone afterwards. Needs playwright and Chromium.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from engramma import Memory
from engramma.apps.cli.demo import fill_demo
from engramma.apps.daemon import control
from engramma.apps.dashboard.browser_login import one_time_link

sys.path.insert(0, str(Path(__file__).parents[1]))
tell = importlib.import_module("tests.browser.people_talk").tell

ARGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}

RACE = "When did Jonas run the race?"
CAKE = "Can everyone eat the birthday cake Mira is planning?"
# Name -> where it is, and a text or a selector that shows that it is there.
VIEWS = {
    "overview": ("overview", "text=Who speaks most"),
    "recall": (f"recall?q={quote(RACE)}", ".hit"),
    "conversations": ("conversations", "a.item"),
    "reader": ("conversations?conversation=mira-and-jonas&session=talk-4&turn=talk-4.02", ".turn"),
    "graph": (f"graph?q={quote(CAKE)}", ".lane-picture svg"),
    "surroundings": ("graph?person=Jonas", ".canvas canvas"),
    "people": ("people", "a.item"),
    "person": ("people?name=Nora", "text=Timeline"),
    "notes": ("notes", "text=The boiler"),
    "note": ("notes?id={note}", "text=Link it to"),
    "entities": ("notes?tab=entities", "tbody tr"),
    "review": ("review", ".review-card"),
    "forget": ("forget?query=race", "text=Preview"),
    "backup": ("forget", "text=Back up now"),
    "live": ("live", "text=listening"),
}


def filled(path: Path) -> str:
    """A store worth looking at; returns the note whose links are shown."""
    path.mkdir()
    (path / "config.toml").write_text("[daemon]\nsteward_hours = 0\n", encoding="utf-8")
    with Memory.open(path) as memory:
        fill_demo(memory)
        tell(memory)
        repaired = memory.remember("The boiler was repaired in March.", tags=["home", "boiler"]).note.id
        memory.remember("Mira is allergic to walnuts.", tags=["health"])
        memory.remember("Jonas prefers trains over planes.", tags=["travel"])
        comes = memory.remember("The plumber comes back in September to check the pressure.", tags=["home"]).note.id
        memory.links.add(comes, "caused_by", repaired, weight=0.8)
        memory.claims.extract()
        memory.people.reconcile()
        memory.topics.find()
        return comes


def look(page: Page, base: str, name: str, note: str) -> None:
    """Bring a view before the camera."""
    place, sign = VIEWS[name]
    page.goto(f"{base}/#/{place.format(note=note)}")
    page.wait_for_selector("main h1")
    page.locator(sign).first.wait_for()
    if name == "recall":
        page.get_by_label("Verdict").wait_for()
    if name == "forget":
        page.get_by_role("button", name="Preview").click()
    if name == "backup":
        page.get_by_role("heading", name="Backup and restore").scroll_into_view_if_needed()
        if not page.get_by_text("engramma-2").count():
            page.get_by_role("button", name="Back up now").click()
            page.get_by_text("engramma-2").first.wait_for()
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(2_000 if name in ("graph", "surroundings") else 700)


def main() -> None:
    out, wanted = Path(sys.argv[1]), sys.argv[2:] or [*VIEWS, "login"]
    browser_path = next(path for name in BROWSERS if (path := shutil.which(name)))
    with tempfile.TemporaryDirectory() as made, sync_playwright() as tool:
        store = Path(made) / "memory"
        note = filled(store)
        control.start_daemon(store, ["--port", "0"])
        browser = tool.chromium.launch(executable_path=browser_path, args=ARGS)
        try:
            base = control.ask_daemon_status(store)["url"]
            for device, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    context = browser.new_context(
                        viewport={"width": width, "height": height},
                        color_scheme=scheme,
                    )
                    page = context.new_page()
                    page.set_default_timeout(60_000)
                    if "login" in wanted:
                        page.goto(base)
                        page.wait_for_timeout(500)
                        page.screenshot(path=out / f"login-{scheme}-{device}.png")
                    page.goto(one_time_link(store))
                    page.wait_for_selector("main h1")
                    for name in wanted:
                        if name != "login":
                            look(page, base, name, note)
                            page.screenshot(path=out / f"{name}-{scheme}-{device}.png")
                    context.close()
        finally:
            browser.close()
            control.stop_daemon(store)


if __name__ == "__main__":
    main()

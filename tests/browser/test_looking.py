"""Every view shows what the store holds, and its links lead where they say."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engramma import Turn
from engramma.apps.dashboard.browser_login import one_time_link
from engramma.language.text import NOTES

from .conftest import Visit, log_in

ONE_PAGE = True  # see conftest.py
DETAILS = re.compile("Details|Show all")

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
READER = "conversations?conversation=mira-and-jonas&session=talk-4&turn=talk-4.02"
VIEWS = {
    "overview": "Who speaks most",
    "recall?q=Who%20ran%20the%20charity%20race%3F": "What an assistant receives",
    "conversations": "Mira and Jonas",
    READER: "The legs have resigned",
    "graph": "Moments in the picture",
    "graph?q=Who%20ran%20the%20charity%20race%3F": "What lit up",
    "graph?person=Jonas": "Dots in the picture",
    "people": "is named",
    "notes": "The boiler was repaired",
    "forget": "Markdown vault",
    "live": "As it happens",
}


def test_the_overview_has_the_figures_of_the_store(visit, memory):
    page = visit.see("overview", "Who speaks most")
    shown = page.locator(".figures").inner_text().replace("\n", " ")
    counts = memory._core.store.one("counts")
    assert f"Sessions {counts['sessions']}" in shown and f"Turns and notes {counts['turns']}" in shown
    page.wait_for_selector(".chart canvas")
    page.get_by_role("link", name="Jonas", exact=True).click()
    page.get_by_text("Jonas with his assistant").first.wait_for()
    assert "Mira with her assistant" not in page.locator(".list").inner_text()


def test_recall_shows_the_very_text_with_its_tokens_and_how_each_was_found(visit, memory):
    page = visit.see("recall")
    page.get_by_label("Your question").fill("Who ran the charity race?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    found = memory.recall("Who ran the charity race?", 10, "best")
    handed = page.locator("details", has=page.locator(".handed"))
    assert f"{found.tokens} tokens" in handed.locator("summary").inner_text()
    handed.locator("summary").click()
    assert page.locator(".handed").inner_text().strip() == found.context.strip()
    first = page.locator(".hit").first.inner_text()
    assert "found by the question" in first and "Jonas" in first and "Apr 13, 2026" in first
    page.get_by_role("button", name=re.compile("Show . more")).click()
    page.get_by_text("What surrounds them").click()
    assert page.locator(".hit").count() == len(found.candidates)
    assert "said next to it" in page.locator(".hit .tag").all_inner_texts()
    around = page.locator(".around .hit").first
    around.get_by_role("button", name=DETAILS).click()
    around.get_by_text("Why it was found").click()
    assert around.locator(".way").count() >= 1
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Budget").select_option("200")
    page.get_by_text("did not fit the budget").wait_for()
    page.get_by_label("Compare with").select_option("vector")
    page.get_by_text("with vector").wait_for()
    assert page.locator(".handed").count() == 2


def test_a_citation_leads_to_its_turn_with_the_claims_beside_it(visit, memory):
    memory.claims.extract()
    page = visit.see("recall?q=Who%20ran%20the%20charity%20race%3F")
    page.get_by_role("link", name="Read in place").first.click()
    page.wait_for_selector(".turn[data-lit]")
    lit = page.locator(".turn[data-lit]")
    assert "The legs have resigned" in lit.inner_text() and lit.is_visible()
    assert lit.evaluate("e => e.getBoundingClientRect().top < innerHeight")
    page.wait_for_selector(".turn .claim")
    assert page.locator(".turn").count() == len(memory.turns("mira-and-jonas", "talk-4"))


def test_conversations_are_found_by_person_time_and_name(visit, memory):
    talks = [row for row in memory.sessions() if row.conversation != NOTES]
    seen = [row for row in talks if memory.turns(row.conversation, row.id)]  # not what was forgotten
    page = visit.see("conversations", f"{len(seen)} sessions")
    page.get_by_label("Person").select_option("Jonas")
    page.get_by_text("Mira with her assistant").first.wait_for(state="detached")
    page.get_by_label("From").fill("2026-05-01")
    page.get_by_label("From").press("Enter")
    page.get_by_text("2 sessions").wait_for()
    assert page.locator(".item").count() == 2
    visit.see("conversations?q=with%20her%20assistant", "Mira with her assistant")
    assert "Mira and Jonas" not in page.locator(".list").inner_text()


def test_the_graph_grows_by_a_click_and_is_saved_as_pictures(visit, memory):
    page = visit.see("graph?id=seg_mira-and-jonas/talk-4_1&hops=1")
    page.wait_for_selector(".canvas canvas")
    page.wait_for_selector(".nodes button")
    before = page.locator(".nodes button").count()
    near = memory.links.neighbors("seg_mira-and-jonas/talk-4_1", 1)
    assert before == len(near) + 1
    page.locator(".nodes button").last.click()
    page.get_by_role("button", name="Expand").click()
    page.get_by_text("added.").wait_for()
    assert page.locator(".nodes button").count() > before
    page.get_by_label("next in the conversation").uncheck()
    page.get_by_label("Only said by").select_option("Mira")
    assert all("Mira" in text for text in page.locator(".nodes button").all_inner_texts())
    with page.expect_download() as got:
        page.get_by_role("button", name="Save SVG").click()
    assert "<circle" in Path(got.value.path()).read_text(encoding="utf-8")
    with page.expect_download() as got:
        page.get_by_role("button", name="Save PNG").click()
    png = Path(got.value.path()).read_bytes()
    assert png.startswith(b"\x89PNG") and len(png) > 3_000


def test_the_graph_of_a_person(visit):
    page = visit.see("graph?person=Jonas&most=30")
    page.wait_for_selector(".nodes button")
    assert 5 < page.locator(".nodes button").count() <= 30
    assert sum("Jonas" in text for text in page.locator(".nodes button").all_inner_texts()) >= 5


@pytest.mark.parametrize(
    ("zone", "language", "day", "minute"),
    [
        ("Europe/London", "en-GB", "27 Sept 2026", "27 Sept 2026, 00:31"),
        ("Europe/Berlin", "de-DE", "27. Sept. 2026", "27. Sept. 2026, 01:31"),
        ("America/New_York", "en-US", "Sep 26, 2026", "Sep 26, 2026, 19:31"),
    ],
)
def test_days_and_times_are_of_one_clock_in_the_browsers_language(browser, store, memory, zone, language, day, minute):
    said = [Turn("Ilse", "The bowling alley is sold.", datetime(2026, 9, 26, 23, 31, tzinfo=UTC), "m1")]
    memory.remember_session("midnight", "m", said)
    context = browser.new_context(timezone_id=zone, locale=language)
    log_in(context, store)
    visit = Visit(context, store)
    page = visit.see("conversations?conversation=midnight&session=m", "The bowling alley is sold.")
    assert {day, minute} <= set(page.locator("main time").all_inner_texts())
    assert page.locator(".turn time").inner_text() == minute
    visit.close()
    context.close()


def test_a_link_used_twice_says_what_to_do(browser, store):
    link = one_time_link(store)
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.wait_for_selector("main h1")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(re.compile(r"/login(\?ended)?$"))  # "?ended" where the page was just asking for something
    page.goto(link.partition("login")[0])
    assert page.url == link.partition("#")[0]
    page.goto(link)
    page.get_by_text("This link was already used").wait_for()
    assert page.url == link.partition("#")[0]
    context.close()


def test_a_view_asked_for_before_logging_in_is_shown_after_it(browser, store):
    link = one_time_link(store)
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{link.partition('login')[0]}#/notes")
    page.get_by_text("This memory is private.").wait_for()
    page.wait_for_timeout(300)
    assert page.locator("#said").inner_text() == ""
    page.get_by_label("Or paste the link").fill(link)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="New note").wait_for()
    context.close()


def test_the_colours_can_be_switched_and_stay(newcomer):
    page = newcomer.see("overview", "Who speaks most")
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 22, 27)"
    page.reload()
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(247, 246, 242)"
    page.evaluate("localStorage.clear()")


def test_colours_and_size_may_change_before_the_chart_can_be_drawn(newcomer):
    held = []
    newcomer.page.route("**/uPlot.iife.min.js", lambda route: held.append(route))  # playwright wants a function
    page = newcomer.see("overview", "Who speaks most")
    for event in ("resize", "themechange"):
        page.evaluate(f"dispatchEvent(new Event('{event}'))")
    for _ in range(1_000):  # the page asks for the script when it comes to it
        if held:
            break
        page.wait_for_timeout(20)
    held[0].continue_()
    page.locator(".chart canvas").wait_for()
    page.unroute("**/uPlot.iife.min.js")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility_and_no_sideways_scrolling_on_a_phone(visit, scheme):
    page = visit.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    for address, text in VIEWS.items():
        visit.see(address)
        page.get_by_label(text).or_(page.get_by_text(text)).first.wait_for()
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        bad = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        told = json.dumps([[one["id"], [node["html"][:200] for node in one["nodes"][:3]]] for one in bad], indent=1)
        assert not bad, f"{address}: {told}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


def test_every_view_can_be_reached_by_keyboard(visit):
    page = visit.see("overview", "Who speaks most")
    # Where the first Tab starts from differs between browsers; that the link comes first does not.
    page.evaluate("document.querySelector('a[href], button, input').focus()")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    names = []
    for _ in range(9):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert names == [re.sub(r"\s+", " ", name) for name in names] and names[-1] == "Live"
    page.keyboard.press("Enter")
    visit.until("document.activeElement.textContent === 'Live' && document.activeElement.tagName === 'H1'")

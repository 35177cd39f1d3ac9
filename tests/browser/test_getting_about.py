"""Going to and fro, by mouse and keyboard, also where there is nothing yet and where the daemon is gone."""

from __future__ import annotations

import pytest

from engramma import Memory, Turn
from engramma.apps.daemon import control
from engramma.apps.dashboard.browser_login import one_time_link
from tests.conftest import START

from .conftest import Visit, alone, log_in


def test_back_leads_to_the_same_row_of_a_list(visit):
    page = visit.see("conversations", "Mira and Jonas")
    page.set_viewport_size({"width": 900, "height": 400})
    page.evaluate("scrollTo(0, 500)")
    visit.until("scrollY === 500")
    page.locator("a.item").nth(5).evaluate("row => row.click()")
    page.wait_for_selector(".turn")
    visit.until("scrollY === 0 && document.activeElement.tagName === 'H1'")
    heading = page.locator("h1").inner_text()
    assert page.title() == f"{heading} · Engramma"
    page.go_back()
    page.wait_for_selector("a.item")
    visit.until("scrollY === 500")
    assert page.title() == "Conversations · Engramma"


@pytest.mark.parametrize("view", ["conversations", "people"])
def test_a_page_past_the_end_leads_back_to_the_last_one(visit, view):
    page = visit.see(f"{view}?offset=5000", "past the end of")
    assert page.get_by_role("button", name="After →").is_disabled()
    page.get_by_role("button", name="← Before").click()
    page.wait_for_selector(".item")
    assert "offset=5000" not in page.url


def test_a_filter_leaves_the_page_where_it_is(visit):
    page = visit.see("conversations", "Mira and Jonas")
    page.set_viewport_size({"width": 900, "height": 400})
    page.get_by_label("Person").focus()
    page.evaluate("scrollTo(0, 120)")
    visit.until("scrollY === 120")
    page.get_by_label("Person").select_option("Jonas")
    page.get_by_text("Mira with her assistant").first.wait_for(state="detached")
    assert page.evaluate("scrollY") == 120 and page.evaluate("document.activeElement.tagName") == "SELECT"


@pytest.mark.parametrize("way", ["Escape", "Cancel"])
def test_a_dialog_gives_the_focus_back(visit, way):
    page = visit.see("notes", "The boiler was repaired")
    page.get_by_role("button", name="New note").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    if way == "Escape":
        page.keyboard.press(way)
    else:
        page.get_by_role("button", name=way).click()
    page.get_by_role("dialog").wait_for(state="detached")
    visit.until("document.activeElement.textContent.includes('New')")


def test_the_lanes_begin_at_the_latest_session_with_their_names_in_sight(visit, memory):
    said = [Turn("Zita", f"Step {n} of the long way.", START, f"z{n}") for n in range(90)]
    memory.remember_session("A long way", "s", said)
    page = visit.see("graph", "next in the conversation")
    page.wait_for_selector(".lane-picture [data-id]")
    seen = """(() => {
        const frame = document.querySelector('.lane-picture').getBoundingClientRect();
        const place = (shape) => shape.getBoundingClientRect();
        const inside = (shape) => place(shape).left >= frame.left && place(shape).right <= frame.right;
        return [[...document.querySelectorAll('.lane-picture [data-id]')].filter(inside).length,
            [...document.querySelectorAll('.band-name')].every(inside)];
    })()"""
    visit.until(f"{seen}[0] > 5 && {seen}[1]")


def test_an_empty_memory_says_how_to_begin(browser, tmp_path):
    alone(tmp_path / "memory")
    Memory.open(tmp_path / "memory").close()
    control.start_daemon(tmp_path / "memory", ["--port", "0"])
    context = browser.new_context()
    log_in(context, tmp_path / "memory")
    visit = Visit(context, tmp_path / "memory")
    page = visit.see("overview", "Nothing is remembered yet")
    page.get_by_text("Latest acts").wait_for()
    assert page.get_by_text("Who speaks most").count() == page.get_by_text("Activity").count() == 0
    visit.see("conversations", "Nothing was said yet.")
    visit.see("notes", "There are no notes yet.")
    visit.see("graph", "There is nothing to draw here yet.")
    visit.close()
    context.close()
    control.stop_daemon(tmp_path / "memory")


def test_a_daemon_that_is_gone_is_told_and_the_way_leads_back(browser, tmp_path):
    store = tmp_path / "memory"
    alone(store)
    with Memory.open(store) as memory:
        memory.remember("The key is under the pot.", tags=["home"])
    control.start_daemon(store, ["--port", "0"])
    context = browser.new_context()
    log_in(context, store)
    visit = Visit(context, store)
    page = visit.see("notes?tag=home", "The key is under the pot.")
    control.stop_daemon(store)
    page.evaluate("location.hash = '#/recall?q=key'")
    page.get_by_text("The daemon does not answer").wait_for()
    assert page.get_by_role("alert").count() == 1
    control.start_daemon(store, ["--port", visit.base.rpartition(":")[2]])
    page.evaluate("location.hash = '#/notes?tag=home'")
    page.get_by_text("The session has ended").wait_for()
    page.get_by_label("Or paste the link").fill(one_time_link(store))
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("The key is under the pot.").wait_for()
    context.close()
    control.stop_daemon(store)

"""The graph on the page: people and things with facts, filters by kind, time and person, and growth by a click."""

from __future__ import annotations

import re
from pathlib import Path

ONE_PAGE = True  # see conftest.py

KINDS = ("person", "thing", "place", "pet", "organisation", "project", "tool", "event")


def hubs(page) -> list[str]:
    return [text for text in page.locator(".nodes button").all_inner_texts() if text.startswith(KINDS)]


def test_the_page_shows_a_person_with_facts_and_filters_by_kind_time_and_person(visit):
    page = visit.see("graph?name=Mira&most=60")
    page.wait_for_selector(".nodes button")
    assert any("Mira" in text for text in hubs(page))
    before = page.locator(".nodes button").count()
    page.get_by_label("Only said by").select_option("Jonas")
    visit.until(f"document.querySelectorAll('.nodes button').length < {before}")
    said = [text for text in page.locator(".nodes button").all_inner_texts() if text not in hubs(page)]
    assert said and all("Jonas" in text for text in said)
    page.get_by_label("Only said by").select_option("")
    page.get_by_label("Before").fill("2026-04-01")
    visit.until(f"document.querySelectorAll('.nodes button').length < {before}")
    page.get_by_label("Before").fill("")
    lines = {}
    for kind in ("people and facts", None):
        if kind:
            page.get_by_label(kind).uncheck()
        with page.expect_download() as got:
            page.get_by_role("button", name="Save SVG").click()
        lines[kind] = len(re.findall("<line", Path(got.value.path()).read_text(encoding="utf-8")))
        if kind:
            page.get_by_label(kind).check()
    assert lines["people and facts"] < lines[None]


def test_a_click_on_a_dot_makes_the_picture_grow_and_leaves_it_where_it_was(visit):
    page = visit.see("graph?name=Jonas&most=12&hops=1")
    page.wait_for_selector(".canvas canvas")
    page.wait_for_selector(".nodes button")
    before = page.locator(".nodes button").count()
    page.locator(".nodes button", has_text="Jonas").first.click()
    page.get_by_role("button", name="Expand").click()
    page.get_by_text(re.compile("added|are already shown")).wait_for()
    assert page.locator(".nodes button").count() >= before
    page.get_by_label("Or around a name").fill("nobody at all")
    page.get_by_label("Or around a name").press("Enter")
    page.get_by_text("Nobody and nothing of this name").wait_for()
    visit.complaints.clear()  # the browser tells of the refusal itself

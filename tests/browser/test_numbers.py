"""Every view counts the same things, says what it counts, and writes numbers and days as its reader does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Turn
from tests.conftest import START

from .conftest import Visit, log_in, served

ONE_PAGE = True  # see conftest.py

DIARY = "# Harbour\n\nThe slipway was built in 1931.\n\n## Ships\n\nThe Meridian came twice.\n"


def fill(memory):
    """Talk in many conversations, a note by somebody who never talks here, and a document, in months of their own."""
    for n in range(24):
        at = START + timedelta(days=n)
        said = [Turn("Ottilie", f"Crate {n} is on the quay.", at, f"q{n}"), Turn("Ivo", "Good.", at, f"i{n}")]
        memory.remember_session(f"quay {n % 12}", f"s{n}", said)
    memory.remember("The crane is checked every spring.", at=datetime(2026, 8, 3, 12, tzinfo=UTC))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    document = tmp_path_factory.mktemp("harbour") / "2026-09-14.md"
    document.write_text(DIARY, encoding="utf-8")

    def with_document(memory):
        fill(memory)
        memory.documents.ingest(document)

    with served(tmp_path_factory.mktemp("numbers") / "memory", with_document) as path:
        yield path


def figure(page, name: str) -> str:
    return page.locator(".figures > div", has=page.get_by_text(name, exact=True)).locator("dd").inner_text()


def test_overview_conversations_and_graph_count_the_same(visit):
    page = visit.see("overview", "Who speaks most")
    talks, sessions = figure(page, "Conversations"), figure(page, "Sessions")
    assert (figure(page, "Notes"), figure(page, "Documents")) == ("1", "1") and talks < sessions
    visit.see("conversations", f"{sessions} sessions, 1 document")
    visit.see("graph", f"{talks} conversations, notes and documents")


def test_a_document_has_sections_and_a_month_of_notes_has_notes(visit):
    page = visit.see("overview", "Who speaks most")
    assert "1 note" in page.locator(".month", has_text="August 2026").inner_text()
    assert "2 sections" in page.locator(".month", has_text="September 2026").inner_text()
    page.get_by_role("link", name="1 document").click()
    page.locator(".item", has_text="2 sections").click()
    page.get_by_role("link", name="Forget this document").wait_for()
    page.locator("main header", has_text="2 sections").wait_for()


def test_options_say_what_they_count(visit):
    page = visit.see("conversations", "sessions")
    for option in ("Ottilie (24 turns)", "demo (3 conversations)", "documents (1)"):
        page.locator("option", has_text=option).wait_for(state="attached")


def test_who_only_writes_notes_is_shown_where_notes_are(visit):
    page = visit.see("conversations?person=user", "Nothing matches these filters.")
    page.get_by_role("link", name="a page of their own").click()
    page.get_by_text("The crane is checked").wait_for()


def told_in(browser, store, languages: list[str]) -> tuple[str, str]:
    """A day of the overview and the strength of a note in a browser whose menus are English."""
    context = browser.new_context(locale="en-US", timezone_id="Europe/Berlin")
    wanted = f"Object.defineProperty(Navigator.prototype, 'languages', {{get: () => {languages}}})"
    context.add_init_script(wanted)
    log_in(context, store)
    visit = Visit(context, store)
    day = visit.see("overview", "Who speaks most").locator("main header").inner_text()
    strength = visit.see("notes", "The crane is checked").locator("td.num").first.inner_text()
    visit.close()
    context.close()
    return day, strength


@pytest.mark.parametrize(
    ("languages", "day", "strength"),
    [
        (["de-DE", "en"], "14. Sept. 2026", "0,50"),
        (["en-GB", "en-US"], "14 Sept 2026", "0.50"),
        (["C", "not a language"], "Sep 14, 2026", "0.50"),
    ],
)
def test_the_language_in_which_pages_are_asked_for_counts(browser, store, languages, day, strength):
    told = told_in(browser, store, languages)
    assert day in told[0] and told[1] == strength

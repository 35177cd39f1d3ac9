"""The views on a store built from a file as LoCoMo's; from its own, where it is at hand:

ENGRAMMA_LOCOMO=path/to/locomo.json pytest tests/browser/test_locomo.py
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest

from engramma import Memory, Turn
from engramma.apps.daemon import control
from engramma.language.text import NOTES
from engramma.recall.browse import list_speakers
from engramma.transfer.imports import import_file
from tests.browser.conftest import alone
from tests.browser.locomo_talk import write
from tests.conftest import START

ONE_PAGE = True  # see conftest.py


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with all of LoCoMo's talk, claims extracted and topics found, and a daemon that serves it."""
    path = tmp_path_factory.mktemp("locomo") / "memory"
    alone(path)
    with Memory.open(path) as memory:
        named = os.environ.get("ENGRAMMA_LOCOMO")
        report = import_file(memory._core, Path(named) if named else write(path.with_name("locomo.json")))
        assert report.turns > 50 and not report.problems
        memory.claims.extract()
        memory.people.reconcile()
        memory.topics.find()
    control.start_daemon(path, ["--port", "0"])
    yield path
    control.stop_daemon(path)


@pytest.fixture
def session(memory):
    """The latest session of a talk, as the list shows it first."""
    return max((row for row in memory.sessions() if row.conversation != NOTES), key=lambda row: row.last_at)


def test_overview(visit, memory):
    page = visit.see("overview", "Who speaks most")
    shown = page.locator(".figures").inner_text().replace("\n", " ")
    assert f"Turns and notes {sum(one.turns for one in list_speakers(memory._core)):,}" in shown
    assert f"People {memory.profiles.page(None, 1)[1]}" in shown
    top = list_speakers(memory._core)[0]
    assert f"{top.turns:,} turns" in page.locator(".pairs", has_text=top.name).inner_text()


def test_recall(visit, memory, session):
    question = memory.turns(session.conversation, session.id)[0].text[:150]
    found = memory.recall(question, 10, "best")
    page = visit.see(f"recall?q={quote(question)}")
    page.wait_for_selector(".hit")
    assert page.locator(".handed").text_content().strip() == found.context.strip()
    entries = [one for one in found.candidates if one.role == "entry"]
    assert page.locator(".found > .hits > .hit").count() == min(5, len(entries))


def test_conversations_and_a_session(visit, memory, session):
    page = visit.see("conversations", f"{len(memory.sessions())} sessions")
    page.locator("a.item").first.click()
    page.wait_for_selector(".turn")
    said = memory.turns(session.conversation, session.id)
    assert page.locator(".turn").count() == min(100, len(said))
    assert said[0].text.strip() in page.locator(".turn .said").first.inner_text()
    person = list_speakers(memory._core)[-1]
    visit.see(f"conversations?person={quote(person.name)}")
    rows = memory._core.store.all("browse_talks_of", speaker=f'["{person.name}"]')
    page.wait_for_selector("a.item")
    assert all(person.name in text for text in page.locator("a.item").all_inner_texts()) and rows


def test_graph_of_a_person_and_of_a_topic(visit, memory):
    person = list_speakers(memory._core)[0].name
    page = visit.see(f"graph?person={quote(person)}&most=60")
    page.wait_for_selector(".nodes button")
    texts = page.locator(".nodes button").all_inner_texts()
    assert sum(person in text for text in texts) >= 5
    assert any(text.startswith("person") for text in texts)  # the hub, and people that facts lead to
    topic = memory.topics.all(0)[0]
    visit.see(f"graph?topic={topic.id}&hops=1&most=250")
    page.get_by_text("colours are topics").wait_for()
    assert page.locator(".nodes button").count() >= min(topic.size, 250)


def test_people_and_a_person(visit, memory):
    page = visit.see("people", "claims")
    named = page.locator("a.item .who").first.inner_text().split("\n")[-1]
    assert named in {one.name for one in memory.entities.all("person", limit=10_000)}
    page.locator("a.item").first.click()
    visit.until(f"document.querySelector('main h1').textContent.includes({named!r})")
    page.get_by_role("link", name="Show in graph").wait_for()


def test_entities(visit, memory):
    page = visit.see("notes?tab=entities")
    page.wait_for_selector("tbody tr")
    rows, total = memory.entities.page(limit=50)
    assert page.locator("tbody tr").count() == len(rows) and f"{total:,}" in page.locator("thead").inner_text()


def test_review(visit, memory):
    page = visit.see("review", "waiting")
    queue = memory.review.all()
    page.get_by_text(f"{queue.total:,} waiting").wait_for()
    before = len(memory.acts.all(1_000))
    page.keyboard.press("r")
    page.get_by_text("Rejected").wait_for()
    assert len(memory.acts.all(1_000)) == before + 1 and memory.review.all().total == queue.total - 1
    page.keyboard.press("u")
    page.get_by_text("Undone: it waits again.").wait_for()
    assert memory.review.all().total == queue.total


def test_notes(visit, memory):
    page = visit.see("notes")
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Text", exact=True).fill("The spare key hangs behind the door.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The spare key hangs behind the door.").wait_for()
    assert [note.text for note in memory.notes.all()] == ["The spare key hangs behind the door."]


def test_forget_and_undo(visit, memory, session):
    place = f"conversation={quote(session.conversation)}&session={quote(session.id)}"
    page = visit.see(f"forget?{place}")
    before = len(memory.turns(session.conversation, session.id))
    page.get_by_role("button", name="Preview").click()
    page.get_by_text(f"{before} turns").first.wait_for()
    page.get_by_role("button", name="Forget (can be undone)").click()
    page.get_by_text(f"{before} turns forgotten.").wait_for()
    assert memory.turns(session.conversation, session.id) == []
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone: it is back.").wait_for()
    assert len(memory.turns(session.conversation, session.id)) == before


def test_live(visit, memory):
    page = visit.see("live", "listening")
    memory.remember_session("radio", "s1", [Turn("Otto", "The tide turns at seven.", START, "r1")])
    page.get_by_text("The tide turns at seven.").wait_for()

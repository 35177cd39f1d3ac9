"""“This is me”: the nameless user of the chats becomes one person with a name, after a question, and can be undone."""

from __future__ import annotations

import json

import pytest

from engramma import Memory, Turn
from tests.browser.conftest import served
from tests.browser.test_entities import faults, undo
from tests.conftest import START

CHAT = "a chat with an assistant"


def known(memory: Memory) -> dict[str, int]:
    return {one.name: one.claims for one in memory.people.all()}


def with_a_chat(memory: Memory) -> None:
    turns = [Turn("user", "I work at Volvo.", START, "m1"), Turn("assistant", "Good to know.", START, "m2")]
    memory.remember_session(CHAT, "s1", turns)
    memory.remember_session("ferry", "s1", [Turn("Signe Lindqvist", "I moved to Lyon.", START, "m3")])
    memory.claims.extract()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of its own: in the others' store somebody else may be "user", too."""
    with served(tmp_path_factory.mktemp("me") / "memory", with_a_chat) as path:
        yield path


def test_a_persons_page_asks_before_it_joins_names_and_says_afterwards_who_you_are(visit, memory):
    page = visit.see("people?name=Signe Lindqvist", "Timeline")
    button = page.get_by_role("button", name="This is me")
    button.click()
    asked = page.get_by_role("dialog", name="Is this you?")
    assert "Signe Lindqvist and “user” will be one person." in asked.inner_text()
    assert faults(page) == ""
    asked.get_by_role("button", name="Cancel").click()
    asked.wait_for(state="detached")
    assert memory.people.me() is None and "user" in known(memory)  # nothing was done

    button.click()
    page.get_by_role("button", name="Yes, this is me").click()
    page.get_by_text("You are Signe Lindqvist.").wait_for()
    page.get_by_role("button", name="This is not me").wait_for()
    assert button.count() == 0
    assert known(memory)["Signe Lindqvist"] == 2 and "user" not in known(memory)
    assert memory.people.me().name == "Signe Lindqvist" and memory.people.me().said
    undo(page)
    button.wait_for()
    assert memory.people.me() is None and known(memory)["user"] == 1 and known(memory)["Signe Lindqvist"] == 1


def test_you_can_say_that_it_is_not_you_after_all(visit, memory):
    made = memory.people.me("Signe Lindqvist")
    page = visit.see("people?q=signe", "also")
    assert "you" in page.locator(".item").filter(has_text="Signe Lindqvist").locator(".tag").all_inner_texts()
    page.locator(".item").filter(has_text="Signe Lindqvist").click()
    page.get_by_role("button", name="This is not me").click()
    page.get_by_text("nobody is you here now").wait_for()
    page.get_by_role("button", name="This is me").wait_for()
    assert made.said and memory.people.me() is None and known(memory)["user"] == 1


def test_the_list_of_people_asks_who_the_nameless_user_is_and_takes_a_chosen_one(visit, memory):
    page = visit.see("people", "Who is “user”?")
    page.get_by_role("button", name="This is me…").click()
    page.get_by_label("Your name").fill("  Signe Lindqvist ")
    page.get_by_role("button", name="Yes, this is me").click()
    page.get_by_text("You are Signe Lindqvist.").wait_for()
    page.get_by_text("Who is “user”?").wait_for(state="detached")
    assert memory.people.me().name == "Signe Lindqvist"
    undo(page)
    page.get_by_text("Who is “user”?").wait_for()
    page.get_by_label("Choose Signe Lindqvist").check()
    page.get_by_role("button", name="This is me", exact=True).click()
    page.get_by_role("button", name="Yes, this is me").click()
    page.get_by_text("You are Signe Lindqvist.").wait_for()
    assert memory.people.me().name == "Signe Lindqvist"
    undo(page)
    assert memory.people.me() is None


def test_a_session_of_a_nameless_user_offers_it_and_what_another_said_meanwhile_is_told(visit, memory):
    page = visit.see(f"conversations?conversation={CHAT}&session=s1", "Who is “user”?")
    page.get_by_role("button", name="This is me…").click()
    page.get_by_label("Your name").fill("Greta Holm")
    other = memory.people.me("Signe Lindqvist")
    page.get_by_role("button", name="Yes, this is me").click()
    page.get_by_text("You are Signe Lindqvist here.").wait_for()
    assert ["400" in one for one in visit.complaints] == [True]  # the browser's own line about the refusal
    visit.complaints.clear()
    memory.undo(other.act)
    page.get_by_role("button", name="Yes, this is me").click()
    page.get_by_text("You are Greta Holm.").wait_for()
    assert known(memory)["Greta Holm"] == 1 and "user" not in known(memory)
    page.get_by_text("Who is “user”?").wait_for(state="detached")
    undo(page)
    page.get_by_text("Who is “user”?").wait_for()


def test_once_it_is_said_the_user_is_shown_and_filtered_by_name(visit, memory):
    made = memory.people.me("Signe Lindqvist")
    page = visit.see("conversations?person=Signe Lindqvist", "I work at Volvo.")
    items = page.locator(".item").all_inner_texts()
    assert len(items) == 2 and not any("user" in one for one in items)
    people = page.get_by_label("Person").locator("option").all_inner_texts()
    assert any(one.startswith("Signe Lindqvist") and "2" in one for one in people)
    assert not any(one.startswith("user") for one in people)
    page = visit.see(f"conversations?conversation={CHAT}&session=s1", "I work at Volvo.")
    assert page.locator(".who").all_inner_texts()[0].split()[-2:] == ["Signe", "Lindqvist"]
    memory.undo(made.act)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_question_has_no_serious_fault_and_fits(visit, scheme, width):
    page = visit.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    for address in ("people", "people?name=user", f"conversations?conversation={CHAT}&session=s1"):
        visit.see(address)
        page.get_by_role("button", name="This is me…").click()
        page.get_by_role("dialog", name="Who are you?").wait_for()
        assert faults(page) == "", address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), json.dumps(address)
        page.keyboard.press("Escape")

"""Entities, notes and links changed on the page are changed in the store, and each can be taken back."""

from __future__ import annotations

import json

import pytest

from engramma import Turn
from tests.browser.test_looking import AXE
from tests.conftest import START

HOSTILE = '<img src=x onerror="window.hacked=1">'


def row(page, name):
    return page.locator("tbody tr").filter(has=page.get_by_label(f"Choose {name}", exact=True))


def undo(page):
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").wait_for()


def faults(page):
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    bad = [one for one in found if one["impact"] in ("serious", "critical")]
    return json.dumps([[one["id"], [node["html"][:200] for node in one["nodes"][:3]]] for one in bad]) if bad else ""


@pytest.fixture(scope="module")
def named(store):
    """People and things to change, with names that would like to be more than text."""
    from engramma import Memory

    with Memory.open(store) as memory:
        turns = [Turn("Quentin", "I work at Hooli.", START, "e1"), Turn("Petra", "I work at Initech.", START, "e2")]
        memory.remember_session("office", "s1", turns)
        memory.remember_session("office", "s2", [Turn("Quent", "I live in Porto.", START, "e3")])
        memory.remember_session("office", "s3", [Turn(HOSTILE, "I live in Bergen.", START, "e4")])


def test_an_entity_is_renamed_for_good_and_back(visit, memory, named):
    page = visit.see("notes?tab=entities&q=hooli")
    page.get_by_role("button", name="Change Hooli").click()
    page.get_by_label("Name", exact=True).fill("Hooli Limited")
    page.get_by_role("dialog").get_by_role("combobox", name="Type").select_option("project")
    page.get_by_label("More names").fill("HLtd")
    assert faults(page) == ""
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Your change stays").wait_for()
    row(page, "Hooli Limited").wait_for()
    memory.remember_session("office", "s4", [Turn("Rita", "I work at Hooli.", START, "e5")])
    found = memory.claims.entity("HLtd").entity
    assert (found.name, found.type, found.mentions) == ("Hooli Limited", "project", 2)
    undo(page)
    row(page, "Hooli").wait_for()
    found = memory.claims.entity("Hooli").entity
    assert (found.name, found.type) == ("Hooli", "organisation") and memory.claims.entity("HLtd") is None


def test_entities_are_merged_and_told_apart_again(visit, memory, named):
    page = visit.see("notes?tab=entities&q=quent")
    page.get_by_label("Choose Quentin", exact=True).check()
    page.get_by_label("Choose Quent", exact=True).check()
    page.get_by_role("button", name="Merge").click()
    page.get_by_role("dialog").get_by_label("Quentin").check()
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    page.get_by_text("2 people merged.").wait_for()
    row(page, "Quent").wait_for(state="detached")
    assert {fact.value for fact in memory.claims.entity("Quent").facts} >= {"Hooli", "Porto"}
    assert memory.claims.entity("Quent").entity.name == "Quentin"
    undo(page)
    row(page, "Quent").wait_for()
    assert memory.claims.entity("Quent").entity.name == "Quent"
    assert "Porto" not in {fact.value for fact in memory.claims.entity("Quentin").facts}


def test_an_entity_is_deleted_and_brought_back(visit, memory, named):
    page = visit.see("notes?tab=entities&q=petra")
    page.get_by_label("Choose Petra", exact=True).check()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("No such entity.").wait_for()
    assert memory.claims.entity("Petra") is None and "Petra" not in {one.name for one in memory.people.all()}
    assert [turn.id for turn in memory.turns("office", "s1")] == ["e1", "e2"]
    undo(page)
    row(page, "Petra").wait_for()
    assert memory.claims.entity("Petra") is not None


def test_entities_are_found_sorted_and_paged_by_the_server(visit, memory, named):
    turns = [Turn(f"Guest{n:03}", "Hello there.", START, f"g{n}") for n in range(120)]
    memory.remember_session("party", "s1", turns)
    page = visit.see("notes?tab=entities&q=guest", "120 named")
    page.get_by_label("Order").select_option("name")
    page.get_by_text("Guest000").wait_for()
    page.get_by_role("button", name="After").click()
    page.get_by_text("51–100 of 120").wait_for()
    page.get_by_text("Guest050").wait_for()
    page.get_by_label("Choose Guest050").check()
    page.get_by_role("button", name="After").click()
    page.get_by_label("Choose Guest119").check()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("118 named").wait_for()
    assert (
        memory.claims.entity("Guest050") is None
        and memory.claims.entity("Guest119") is None
        and memory.claims.entity("Guest051")
    )
    undo(page)
    page.get_by_text("120 named").wait_for()
    page.get_by_role("combobox", name="Type").select_option("person")
    visit.until("location.hash.includes('type=person')")
    memory.forget(conversation="party")


def test_hostile_names_are_text_and_nothing_is_inaccessible(visit, memory, named):
    page = visit.page
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        visit.see("notes?tab=entities&q=onerror", "onerror")
        page.get_by_label(f"Choose {HOSTILE}", exact=True).check()
        assert faults(page) == ""
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("window.hacked") is None and page.locator("main img").count() == 0


def test_many_notes_are_tagged_merged_and_forgotten_at_once(visit, memory):
    for n in range(60):
        memory.remember(f"Sheep number {n * 7919} sleeps in meadow {n * 104729}.", tags=["sheep"])
    assert len(memory.notes.all("sheep")) == 60
    page = visit.see("notes?tag=sheep&sort=text", "60 notes")
    page.get_by_label("Select all on this page").check()
    page.get_by_text("50 selected").wait_for()
    page.get_by_role("button", name="Select all 60").click()
    page.get_by_text("60 selected").wait_for()
    page.get_by_label("Tags, separated by commas").fill("flock")
    page.get_by_role("button", name="Add tags").click()
    page.get_by_text("60 notes retagged.").wait_for()
    assert len(memory.notes.all("flock")) == 60
    undo(page)
    assert memory.notes.all("flock") == []

    first, second = (page.locator("tbody input").nth(n) for n in (0, 1))
    first.check()
    second.check()
    page.get_by_role("button", name="Merge").click()
    page.get_by_role("dialog").get_by_role("radio").nth(1).check()
    page.get_by_role("dialog").get_by_role("button", name="Merge").click()
    page.get_by_text("1 note merged.").wait_for()
    page.get_by_text("59 notes", exact=True).wait_for()
    assert len(memory.notes.all("sheep")) == 59
    undo(page)
    page.get_by_text("60 notes", exact=True).wait_for()
    assert len(memory.notes.all("sheep")) == 60

    page.get_by_label("Select all on this page").check()
    page.get_by_role("button", name="Select all 60").click()
    page.get_by_text("60 selected").wait_for()
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_text("60 notes forgotten.").wait_for()
    assert memory.notes.all("sheep") == []
    undo(page)
    assert len(memory.notes.all("sheep")) == 60
    memory.forget([note.id for note in memory.notes.all("sheep")])


def test_links_are_made_changed_and_removed_by_hand(visit, memory):
    source = memory.remember("The green kettle whistles at six.").note.id
    target = memory.remember("Breakfast is ready when it whistles loudly.").note.id
    for link in memory.links.all(source):
        memory.links.remove(link.source, link.kind, link.target)
    page = visit.see(f"notes?id={source}", "There are no links yet")
    page.get_by_label("Link it to").fill(target)
    page.get_by_role("combobox", name="Kind", exact=True).select_option("caused_by")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name="Link to").click()
    page.get_by_text("Linked.").wait_for()
    (link,) = memory.links.all(source)
    assert (link.source, link.kind, link.target, link.weight) == (source, "caused_by", target, 1.0)
    page.get_by_label("Weight of the link").fill("0.4")
    page.get_by_label("Weight of the link").press("Tab")
    page.get_by_text("Weight changed.").wait_for()
    assert memory.links.all(source)[0].weight == 0.4
    page.get_by_label("Kind of the link").select_option("supports")
    page.get_by_text("Kind changed.").wait_for()
    assert [(one.kind, one.weight) for one in memory.links.all(source)] == [("supports", 0.4)]
    undo(page)
    assert [(one.kind, one.weight) for one in memory.links.all(source)] == [("caused_by", 0.4)]
    assert faults(page) == ""
    page.get_by_role("button", name="Remove the link").click()
    page.get_by_text("Link removed.").wait_for()
    assert memory.links.all(source) == []
    undo(page)
    assert [one.kind for one in memory.links.all(source)] == ["caused_by"]


def test_links_are_edited_beside_the_graph(visit, memory):
    source = memory.remember("The blue ladder leans on the shed.").note.id
    target = memory.remember("Paint for the shed is in the garage.").note.id
    page = visit.see(f"graph?id={source}")
    page.get_by_label("Link it to").fill(target)
    page.get_by_role("button", name="Find").click()
    page.get_by_role("button", name="Link to").click()
    page.get_by_text("Linked.").wait_for()
    assert target in {one.target for one in memory.links.all(source, "related_to")}
    undo(page)
    assert "user" not in {one.author for one in memory.links.all(source) if one.target == target}

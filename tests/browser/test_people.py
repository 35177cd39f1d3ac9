"""People: what the page shows is what the store knows, and what is decided there is decided in the store."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engramma import Memory, Turn
from tests.browser.conftest import Visit, log_in
from tests.browser.people_talk import HOSTILE, tell, tell_hostile
from tests.conftest import START

ONE_PAGE = True  # see conftest.py

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
TOWNS = """
    Aachen Bergen Cardiff Dublin Essen Florence Geneva Hanover Innsbruck Jena Krakow Leipzig Madrid Naples Oslo Porto
    Quebec Rotterdam Salzburg Turin Uppsala Vienna Warsaw Xanten York Zurich Athens Basel Cologne Zagreb
""".split()  # noqa: SIM905
LATER = ("Likes and dislikes", "Happened or planned")
NORA = "people?name=Nora"


@pytest.fixture(scope="module", autouse=True)
def told(store):
    with Memory.open(store) as memory:
        tell(memory)
        memory.claims.extract()
        memory.people.reconcile()


def test_people_are_found_by_name_a_page_at_a_time(visit, memory):
    page = visit.see("people", "Nora")
    known = {one.name for one in memory.people.all()}
    shown = page.locator(".item .who").all_inner_texts()
    assert known <= {re.sub(r"^.\n", "", name) for name in shown}
    assert "1 contradiction" in page.locator(".item").filter(has_text="Nora").inner_text()
    page.get_by_label("Name").fill("johan")
    page.keyboard.press("Enter")
    page.locator(".item").nth(2).wait_for(state="detached")  # "22 people" holds "2 people"
    page.get_by_text("2 people").wait_for()
    assert page.locator(".item").count() == 2
    asked = f"{visit.base}/api/dashboard/people?limit=2&offset="
    first, second = (page.request.get(f"{asked}{offset}").json() for offset in (0, 2))
    assert len(first["items"]) == len(second["items"]) == 2 and first["total"] == second["total"] >= len(known)
    assert not {one["name"] for one in first["items"]} & {one["name"] for one in second["items"]}


def test_the_timeline_shows_what_held_when_and_a_citation_leads_to_its_turn(visit, memory):
    nora = memory.people.get("Nora")
    page = visit.see(NORA, "Timeline")
    page.wait_for_selector(".period")
    held = sorted(period.value for periods in nora.timelines.values() for period in periods)
    assert sorted(page.locator(".period bdi").all_inner_texts()) == held
    assert page.locator(".lane-name").all_inner_texts() == list(nora.timelines)
    (home,) = [period for period in nora.timelines["home"] if period.value == "Seattle"]
    bar = page.get_by_role("button", name=f"home: Seattle, from Mar 2, 2024 to {home.until.strftime('%b')}")
    bar.focus()
    page.keyboard.press("Enter")
    assert "I live in Seattle" in page.locator(".chosen").inner_text()
    left = [
        page.get_by_role("button", name=name).evaluate("e => e.getBoundingClientRect().left")
        for name in ("home: Seattle", "home: Boston", "home: Chicago")
    ]
    assert left == sorted(left) and left[0] < left[2]
    page.locator(".chosen").get_by_role("link", name="Read in place").first.click()
    page.wait_for_selector(".turn[data-lit]")
    assert "I live in Seattle" in page.locator(".turn[data-lit]").inner_text()


def test_contradictions_are_told_from_changes_with_both_quotes(visit, memory):
    nora = memory.people.get("Nora")
    page = visit.see(NORA, "Contradictions")
    against = page.locator("section").filter(has=page.get_by_role("heading", name="Contradictions"))
    changes = page.locator("section").filter(has=page.get_by_role("heading", name="Changes"))
    assert against.locator(".meeting").count() == len(nora.contradictions) == 1
    assert changes.locator(".meeting").count() == len(nora.conflicts) - 1 > 0
    assert "I live in Boston" in against.inner_text() and "I live in Chicago" in against.inner_text()
    assert "Chicago" not in changes.inner_text() and "I just moved to Boston" in changes.inner_text()
    assert page.locator(".lane-marks .met.contradiction").count() == 1
    claims = page.locator("section").filter(has=page.get_by_role("heading", name="Claims"))
    claims.get_by_label("Relation").select_option("has_pet")
    claims.get_by_text("has a dog").wait_for()
    expect(claims.locator(".meeting")).to_have_count(len(memory.claims.all("Nora", "has_pet")))
    talks = page.locator("section").filter(has=page.get_by_role("heading", name="Conversations"))
    assert talks.locator(".item .title").all_inner_texts() == ["Nora and Kai", "Nora and Vera", "Nora and Tim"]


def test_the_page_leads_with_what_is_known_without_small_talk(visit):
    page = visit.see(NORA, "Known")
    known = page.locator("section").filter(has=page.get_by_role("heading", name="Known", exact=False)).first
    headings = known.get_by_role("heading", level=3).all_inner_texts()
    assert headings[0] == "Who they are" and set(headings) <= {"Who they are", *LATER}
    who = known.locator("div", has=page.get_by_role("heading", name="Who they are"))
    assert "has a dog" in who.first.inner_text() and "Boston" in who.first.inner_text()


def test_the_page_of_somebody_who_moved_often_stays_short(visit, memory):
    for number, town in enumerate(TOWNS):
        turn = Turn("Odile", f"I live in {town} now.", START + timedelta(days=20 * number), f"o{number}")
        memory.remember_session(f"letters {number}", "s", [turn])
    memory.claims.extract()
    memory.people.reconcile()
    page = visit.see("people?name=Odile", "Timeline")
    page.wait_for_selector(".period")
    assert page.locator(".period").count() == 12
    assert "Zagreb" in page.locator(".lane-bars").inner_text()
    page.get_by_role("button", name="Show 18 earlier").click()
    expect(page.locator(".period")).to_have_count(30)
    page.get_by_role("button", name="Only the latest").click()
    expect(page.locator(".period")).to_have_count(12)
    met = page.locator("section").filter(has=page.get_by_role("heading", name="Changes"))
    if not met.locator(".meeting").count():
        met = page.locator("section").filter(has=page.get_by_role("heading", name="Contradictions"))
    assert met.locator(".meeting").count() == 5 and "Zagreb" in met.locator(".meeting").first.inner_text()
    met.get_by_role("button", name="After").click()
    met.get_by_text("6–10 of").wait_for()
    assert page.evaluate("document.documentElement.scrollHeight") < 9_000
    memory.forget(speaker="Odile")


def by_user(memory: Memory) -> list[tuple[str, str, str]]:
    return [(one.entity, one.verdict, one.reason) for one in memory.people.decisions("Nora") if one.by == "user"]


def test_decisions_are_accepted_overruled_and_undone_in_the_store(visit, memory):
    decided = [one for one in memory.people.decisions("Nora") if one.entity == "home"]
    assert [one.verdict for one in decided] == ["MERGE"] and by_user(memory) == []
    page = visit.see(NORA, "Decisions")
    home = page.locator(".meeting").filter(has_text=decided[0].reason)
    assert f"{decided[0].confidence:.2f}, by policy" in home.inner_text()
    home.get_by_text("turns as evidence").click()
    assert home.locator(".source").count() >= 2
    home.get_by_role("button", name="Accept").click()
    page.get_by_text("Accepted: it stands").wait_for()
    assert by_user(memory) == [("home", "MERGE", "accepted")]
    page.get_by_text("by user").wait_for()
    page.locator(".meeting").filter(has_text="by user").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").wait_for()
    assert by_user(memory) == []

    home.get_by_role("button", name="Overrule: they are different").click()
    page.get_by_label("Reason (optional)").fill("She has <b>two</b> homes.")
    page.get_by_role("button", name="Overrule", exact=True).click()
    page.get_by_text("Overruled: it stands").wait_for()
    assert by_user(memory) == [("home", "SEPARATE", "She has <b>two</b> homes.")]
    page.get_by_text("She has <b>two</b> homes.").wait_for()
    assert page.locator(".meeting .tag.bad").filter(has_text="overruled").count() == 1
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").wait_for()
    assert by_user(memory) == []
    assert [one.overruled for one in memory.people.decisions("Nora") if one.entity == "home"] == [False]


def test_hostile_people_are_shown_as_text(visit, memory):
    tell_hostile(memory)
    memory.claims.extract()
    memory.people.reconcile()
    named = next(one.name for one in memory.people.all() if "Zed" in one.name)
    assert named == HOSTILE
    page = visit.see("people?q=Zed", "onerror")
    page.locator(".item").click()
    page.wait_for_selector(".period")
    assert HOSTILE in page.locator("h1").inner_text()
    visit.see("review?kind=conflict", "Zed")
    page.locator(".nodes button").filter(has_text="Zed").first.click()
    page.wait_for_selector(".side-card")
    assert page.evaluate("window.hacked") is None
    for tag in ("main script", "main img", "main b", "main i", "main u"):
        assert page.locator(tag).count() == 0, tag


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_people_and_review_have_no_serious_fault_on_a_phone(visit, scheme):
    page = visit.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    for address, text in {"people": "is named", NORA: "Decisions", "review": "waiting"}.items():
        visit.see(address, text)
        page.wait_for_selector({"people": ".item", NORA: ".meeting .row button", "review": ".side-card"}[address])
        if address == NORA:
            page.locator(".period").first.click()
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        bad = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        told = json.dumps([[one["id"], [node["html"][:200] for node in one["nodes"][:3]]] for one in bad], indent=1)
        assert not bad, f"{address}: {told}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


def test_no_name_in_a_timeline_is_cut_off_on_a_phone(browser, store):
    context = browser.new_context(viewport={"width": 390, "height": 800})
    log_in(context, store)
    visit = Visit(context, store)
    page = visit.see(NORA, "roles and states")
    page.wait_for_selector(".period")
    right = page.locator(".timeline-scroll").bounding_box()
    for one in page.locator(".period").all():
        box = one.bounding_box()
        assert box["x"] + box["width"] <= right["x"] + right["width"], one.inner_text()
    visit.close()
    context.close()

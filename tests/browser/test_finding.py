"""Finding things: the best first and folded, filters while typing, lanes that light up, a timeline after an import."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest

from engramma import Turn
from tests.conftest import START

ONE_PAGE = True  # see conftest.py

LONG = "\n\n".join(f"{n}. **Step {n}:** knead the dough again and let it rest for a while." for n in range(1, 60))
CAKE = "Can everyone eat the birthday cake Mira is planning?"


@pytest.fixture
def bakery(memory):
    for n in range(4):
        asked = f"How often should I fold sourdough number {n}? My oven is a blue Falcon."
        turns = [Turn("Otto", asked, START, f"k{n}a"), Turn("assistant", LONG, START, f"k{n}b", role="assistant")]
        memory.remember_session(f"bakery-{n}", "s", turns, title=f"Sourdough, part {n}")


def test_recall_leads_with_the_best_passages_folded_and_the_rest_comes_on_demand(visit, memory, bakery):
    question = "Which oven does Otto bake sourdough in?"
    found = memory.recall(question, 10, "best")
    page = visit.see(f"recall?q={quote(question)}")
    page.wait_for_selector(".hit")
    entries = [one for one in found.candidates if one.role == "entry"]
    first = page.locator(".hits > .hit").first
    assert page.locator(".found > .hits > .hit").count() == min(5, len(entries))
    assert (entries[0].title or entries[0].conversation_id) in first.inner_text()
    assert "oven" in [text.lower() for text in first.locator("mark").all_inner_texts()]
    assert "Step 40" not in first.inner_text() and not page.locator(".handed").is_visible()
    assert page.evaluate("document.documentElement.scrollHeight") < 3_500  # four answers of 4,000 characters are in it
    first.get_by_role("button", name=re.compile("Details|Show all")).click()
    assert "Step 40" in first.inner_text() and first.locator("strong").count() > 30
    first.get_by_text("Why it was found").click()
    told = first.locator(".why").inner_text()
    assert "by meaning" in told and "similar in meaning to the question" in told
    first.get_by_role("button", name="Fold").click()
    assert "Step 40" not in first.inner_text()
    page.get_by_text("What an assistant receives").click()
    assert page.locator(".handed").inner_text().strip() == found.context.strip()


def test_conversations_are_found_by_what_was_said_while_one_types(visit, bakery):
    page = visit.see("conversations")
    page.wait_for_selector("a.item")
    page.get_by_label("Said or titled").press_sequentially("blue falc", delay=20)
    page.get_by_text("4 sessions").wait_for()
    assert all("oven is a blue Falcon" in text for text in page.locator(".opening").all_inner_texts())
    assert {text.lower() for text in page.locator("mark").all_inner_texts()} == {"blue"}  # the other is unfinished
    assert page.evaluate("document.activeElement.type") == "search"  # and the cursor stays
    page.get_by_label("Said or titled").fill("Sourdough, part 2")
    page.get_by_text("1 session", exact=True).wait_for()
    page.get_by_label("Said or titled").fill("nobody said quagga")
    page.get_by_text("Nothing matches these filters.").wait_for()


def test_people_and_entities_are_filtered_while_one_types(visit, memory):
    memory.claims.extract()
    page = visit.see("people")
    page.wait_for_selector("a.item")
    page.get_by_label("Name", exact=True).press_sequentially("jon", delay=20)
    visit.until("document.querySelectorAll('a.item').length === 1")
    assert "Jonas" in page.locator("a.item").inner_text()
    page = visit.see("notes?tab=entities")
    page.wait_for_selector("tbody tr")
    page.get_by_label("Name contains").press_sequentially("jona", delay=20)
    visit.until("location.hash.includes('q=jona')")
    rows = "[...document.querySelectorAll('tbody tr')]"
    visit.until(f"{rows}.length > 0 && {rows}.every((row) => /jona/i.test(row.textContent))")


def test_a_late_frame_does_not_take_the_cursor_from_who_types(visit):
    page = visit.see("people")
    page.wait_for_selector("a.item")
    page.evaluate("() => { window.requestAnimationFrame = (act) => setTimeout(act, 600); }")
    page = visit.see("notes?tab=entities")
    page.wait_for_selector("tbody tr")
    page.get_by_label("Name contains").press_sequentially("jonas", delay=250)
    assert page.get_by_label("Name contains").input_value() == "jonas"
    assert page.evaluate("document.activeElement.type") == "search"


def test_numbers_of_people_agree(visit, memory):
    memory.claims.extract()
    page = visit.see("people")
    page.wait_for_selector("a.item")
    told = page.locator(".head .quiet").inner_text()
    total = memory.profiles.page(None, 1)[1]
    assert told == f"{total} people"
    visit.see("overview", "Who speaks most")
    assert f"People\n{total}" in page.locator(".figures").inner_text()


def test_two_names_become_one_person_where_people_are_listed(visit, memory):
    turns = [Turn("Wilhelmina", "I moved to Bath.", START, "w1"), Turn("Minnie", "I work at the mill.", START, "w2")]
    memory.remember_session("names", "s", turns)
    memory.claims.extract()
    page = visit.see("people")
    page.get_by_label("Choose Wilhelmina").check()
    page.get_by_label("Choose Minnie").check()
    page.get_by_role("button", name="They are one person").click()
    page.get_by_role("dialog").get_by_label("Wilhelmina").check()
    page.get_by_role("button", name="Merge").click()
    page.get_by_text("2 people merged.").wait_for()
    assert memory.entities.all(search="Minnie")[0].name == "Wilhelmina"
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").wait_for()
    assert "Minnie" in {one.name for one in memory.entities.all("person", "Minnie")}


def test_a_question_lights_up_its_moments_in_the_lanes(visit, memory):
    page = visit.see("graph")
    page.wait_for_selector(".lane-picture svg [data-id]")
    plain = page.locator(".lane-picture svg").inner_html()
    page.get_by_label("A question").fill(CAKE)
    page.keyboard.press("Enter")
    page.get_by_text(re.compile("moments lit up")).wait_for()
    found = {one.segment_id for one in memory.recall(CAKE, 8).candidates}
    assert page.locator(".nodes button").count() == len(found)
    visit.until("document.querySelectorAll('.lane-picture .chosen').length === 1")
    big = "all => all.map((one) => [one.dataset.id, Number(one.querySelector('circle').getAttribute('r'))])"
    sizes = dict(page.locator(".lane-picture [data-id]").evaluate_all(big))
    assert {id for id, size in sizes.items() if size == max(sizes.values())} == found
    assert page.locator(".lane-picture svg").inner_html() != plain
    page.wait_for_timeout(100)  # a frame, for the scrolling
    found_at, box = (page.locator(one).bounding_box() for one in (".lane-picture .chosen", ".lane-picture"))
    middle = found_at["x"] + found_at["width"] / 2, found_at["y"] + found_at["height"] / 2
    assert box["x"] < middle[0] < box["x"] + box["width"] and box["y"] < middle[1] < box["y"] + box["height"]
    page.locator(".nodes button").nth(1).click()
    second = page.locator(".nodes button[aria-pressed=true]")
    visit.until("document.querySelector('.moment .said') !== null")
    assert second.inner_text().rstrip("…")[-12:].split()[0] in page.locator(".moment").inner_text()
    page.get_by_role("link", name="What is around it").click()
    page.wait_for_selector(".canvas")
    assert page.get_by_role("link", name="Surroundings").get_attribute("aria-current") == "page"


def test_lanes_are_walked_through_time_and_narrowed(visit, memory):
    page = visit.see("graph?most=150&until=2026-05-01&by=Jonas")
    page.wait_for_selector(".nodes button")
    assert all("Jonas" in text for text in page.locator(".nodes button").all_inner_texts())
    said = memory.browse.segments(speaker="Jonas", limit=1_000)
    early = [one for one in said if one.said_at.isoformat() < "2026-05-01"]
    assert page.locator(".nodes button").count() == len(early)


def test_after_an_import_a_timeline_greets(visit, memory, tmp_path):
    path = tmp_path / "messages.json"
    said = [{"role": "user", "content": "I adopted a parrot called Pico."}, {"role": "assistant", "content": "Lovely!"}]
    path.write_text(json.dumps({"messages": said}), encoding="utf-8")
    page = visit.see("overview", "Who speaks most")
    page.get_by_role("button", name="Import…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("A chat export").set_input_files(path)
    dialog.get_by_label("Date for turns without one").fill("2026-02-03")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("1 conversation with 2 turns added.").wait_for()
    months = page.get_by_label("Timeline").locator(".month")
    months.first.wait_for()
    names = page.locator(".month h3").all_inner_texts()
    assert names == sorted(names, key=lambda name: name.split()[1], reverse=True) and "April 2026" in names
    turns = re.findall(r"([\d,]+) turns?", page.locator(".month", has_text="April 2026").inner_text())
    april = [one for row in memory.sessions() for one in memory.turns(row.conversation, row.id)]
    assert int(turns[0]) == sum(one.said_at.strftime("%Y-%m") == "2026-04" for one in april)
    page.locator(".month .talks a").first.click()
    page.wait_for_selector(".turn")

"""The review queue: each key does in the store what it says, refused ones stay away, and undo takes everything back."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.core.names import segment_key
from tests.browser.people_talk import PORT, tell
from tests.steward.helpers import store_notes


@pytest.fixture(scope="module", autouse=True)
def told(store):
    with Memory.open(store) as memory:
        tell(memory)
        memory.claims.extract()
        memory.people.reconcile()


def waiting(memory: Memory, kind: str) -> list[str]:
    return [one.id for one in memory.review.all(kind, limit=200).items]


def proposal(memory: Memory, kind: str, words: str):
    """The proposal of a kind that says some words."""
    for one in memory.review.all(kind, limit=200).items:
        if words in " ".join([one.reason, *(f"{side.text} {side.label}" for side in one.sides)]):
            return one
    raise AssertionError(f"No {kind} says {words!r}.")


def chosen(visit, kind: str, words: str, asked: str | None = None):
    """The view with a proposal of a kind in front."""
    page = visit.see(f"review?kind={kind}", "waiting")
    page.locator(".nodes button").filter(has_text=words).first.click()
    page.locator(".review-card").filter(has_text=asked or words).wait_for()
    return page


def settled(visit) -> None:
    """Until the page has what the last word changed."""
    visit.until("[...document.querySelectorAll('.review-card .acts button')].every((one) => !one.disabled)")


def test_one_key_merges_near_duplicates_and_one_takes_it_back(visit, memory):
    one = proposal(memory, "merge", "spare key")
    goes = one.sides[1].segment
    page = chosen(visit, "merge", "spare key")
    shown = page.locator(".side-card").all_inner_texts()
    assert shown[0].startswith("stays") and shown[1].startswith("goes")
    page.keyboard.press("a")
    page.get_by_text("Accepted.").wait_for()
    assert memory.notes.get(goes).state == "retired"
    visit.until("!document.querySelector('main').textContent.includes('spare key')")
    page.keyboard.press("u")
    page.get_by_text("Undone: it waits again.").wait_for()
    assert memory.notes.get(goes).state == "live" and one.id in waiting(memory, "merge")
    page.locator(".review-card").filter(has_text="spare key").wait_for()
    settled(visit)
    page.keyboard.press("r")
    page.get_by_text("Rejected: it does not come back.").wait_for()
    assert memory.notes.get(goes).state == "live" and one.id not in waiting(memory, "merge")
    assert goes not in [id for act in memory.steward.run().acts for id in act.ids]
    page.reload()
    page.get_by_text("waiting").wait_for()
    page.wait_for_timeout(300)
    assert page.get_by_text("spare key").count() == 0
    memory.undo(memory.acts.all(1)[0].id)
    visit.see("overview", "Who speaks most")
    chosen(visit, "merge", "spare key")


def test_a_contradiction_becomes_a_link_and_the_link_goes_again(visit, memory):
    one = proposal(memory, "conflict", "lives in Chicago")
    page = chosen(visit, "conflict", "Nora: home", "lives in Chicago")
    assert "lives in Boston" in page.locator(".review-card").inner_text()
    before = len(memory.links.all(kind="contradicts"))
    page.get_by_role("button", name="They do", exact=False).first.click()
    page.get_by_text("Accepted.").wait_for()
    (link,) = [link for link in memory.links.all(kind="contradicts") if link.label == "home" and link.author == "user"]
    assert "Nora and Vera/three" in link.source and "Nora and Vera/two" in link.target
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone: it waits again.").wait_for()
    assert len(memory.links.all(kind="contradicts")) == before and one.id in waiting(memory, "conflict")


def test_of_notes_that_differ_the_newer_stands(visit, memory):
    one = proposal(memory, "differ", "port 8080")
    page = chosen(visit, "differ", "port")
    page.keyboard.press("a")
    page.get_by_text("Accepted.").wait_for()
    assert memory.notes.get(one.sides[1].segment).state == "retired" and one.sides[1].text == PORT.format(8080)
    settled_or_empty(page)
    page.keyboard.press("u")
    page.get_by_text("Undone: it waits again.").wait_for()
    assert memory.notes.get(one.sides[1].segment).state == "live"


def test_what_scores_low_is_laid_aside_or_kept(visit, memory):
    key = segment_key(memory._core, proposal(memory, "merge", "spare key").sides[0].segment)
    with memory._core.store.transaction():
        memory._core.store.run("use_add", key=key, hits=50, at=0)
    (umbrella,) = store_notes(memory, ["An umbrella stands behind the piano."])
    assert "score" in proposal(memory, "prune", "umbrella").reason
    page = chosen(visit, "prune", "umbrella")
    page.keyboard.press("a")
    page.get_by_text("Accepted.").wait_for()
    assert memory.notes.get(umbrella).state == "retired"
    settled_or_empty(page)
    page.keyboard.press("u")
    page.get_by_text("Undone: it waits again.").wait_for()
    assert memory.notes.get(umbrella).state == "live"
    page.locator(".review-card").filter(has_text="umbrella").wait_for()
    settled(visit)
    page.keyboard.press("r")
    page.get_by_text("Rejected: it does not come back.").wait_for()
    assert memory.notes.get(umbrella).state == "live"
    assert umbrella not in [id for act in memory.steward.run().acts for id in act.ids]
    with memory._core.store.transaction():
        memory._core.store.run("use_add", key=key, hits=-50, at=0)
        memory._core.store.run("uses_none", key=key)


def settled_or_empty(page) -> None:
    page.get_by_role("button", name="Undo the last").and_(page.locator(":enabled")).wait_for()


def test_a_decision_is_turned_round_and_names_are_joined(visit, memory):
    page = visit.see("review?kind=decision", "waiting")
    card = page.locator(".review-card")
    page.locator(".nodes button").filter(has_text="Nora: home").first.click()
    card.filter(has_text="Nora’s home: are both conversations about the same one?").wait_for()
    page.keyboard.press("r")
    page.get_by_text("Rejected: it does not come back.").wait_for()
    told = [one for one in memory.people.decisions("Nora") if one.by == "user"]
    assert [(one.entity, one.verdict) for one in told] == [("home", "SEPARATE")]
    settled_or_empty(page)
    page.keyboard.press("u")
    page.get_by_text("Undone: it waits again.").wait_for()
    assert not [one for one in memory.people.decisions("Nora") if one.by == "user"]

    page = chosen(visit, "entity", "Johanna Berg")
    apart = {memory.claims.entity("Johanna").entity.key, memory.claims.entity("Johanna Berg").entity.key}
    assert len(apart) == 2
    page.keyboard.press("a")
    page.get_by_text("Accepted.").wait_for()
    assert memory.claims.entity("Johanna").entity.key == memory.claims.entity("Johanna Berg").entity.key
    settled_or_empty(page)
    page.keyboard.press("u")
    page.get_by_text("Undone: it waits again.").wait_for()
    assert memory.claims.entity("Johanna").entity.key != memory.claims.entity("Johanna Berg").entity.key


def test_skipping_changes_nothing_and_the_queue_comes_in_pages(visit, memory):
    before = memory.review.all(limit=200)
    page = visit.see("review", f"{before.total} waiting")
    page.wait_for_selector(".review-card")
    pressed = "[...document.querySelectorAll('.nodes button')].findIndex((one) => one.ariaPressed === 'true')"
    assert page.evaluate(pressed) == 0
    page.keyboard.press("s")
    visit.until(f"{pressed} === 1")
    page.locator("main select").focus()
    page.keyboard.press("a")  # typed into a field, it is a letter
    page.wait_for_timeout(200)
    assert memory.review.all(limit=200).items == before.items
    ids = []
    for offset in range(0, before.total, 3):
        part = page.request.get(f"{visit.base}/api/dashboard/review?limit=3&offset={offset}").json()
        ids += [one["id"] for one in part["items"]]
    assert ids == [one.id for one in before.items]
    refused = page.request.post(f"{visit.base}/api/dashboard/review", data={"id": ids[0], "word": "accept"})
    assert refused.status in (401, 403) and memory.review.all(limit=200).items == before.items

"""What is done on the page is done in the store; and what was said is never more than text."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

from engramma import Turn
from engramma.links.learn import faded, gained
from tests.conftest import START

HOSTILE = [
    "<script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 2">',
    "</bdi></div><svg onload=window.hacked=3>",
    "javascript:window.hacked=4 [x](javascript:window.hacked=5)",
    "\u202eright to left\u202c \u200f\u2066 marks",
    "emoji 👩‍👩‍👧‍👦 🏳️‍🌈 é \U0001f9ff",
    "{{constructor.constructor('window.hacked=6')()}} ${window.hacked=7}",
]


def test_a_note_is_kept_changed_tagged_forgotten_and_brought_back(visit, memory):
    page = visit.see("notes", "The boiler was repaired")
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Text", exact=True).fill("The ladder is in the cellar.")
    page.get_by_label("Tags, separated by commas").fill("home, tools")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The ladder is in the cellar.").wait_for()
    (note,) = memory.notes.all("tools")
    assert (note.text, note.tags) == ("The ladder is in the cellar.", ("home", "tools"))

    page.get_by_role("button", name="Change The ladder").click()
    page.get_by_label("Text", exact=True).fill("The ladder is in the attic.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The ladder is in the attic.").wait_for()
    (note,) = memory.notes.all("tools")
    assert note.text == "The ladder is in the attic."

    page.get_by_label("Contains").fill("ladder")
    page.keyboard.press("Enter")
    page.get_by_text("1 note", exact=True).wait_for()
    page.get_by_label("Choose The ladder").check()
    page.get_by_label("Tags, separated by commas").fill("found")
    page.get_by_role("button", name="Add tags").click()
    page.get_by_text("retagged").wait_for()
    assert [one.tags for one in memory.notes.all("found")] == [("home", "tools", "found")]

    page.get_by_label("Choose The ladder").check()
    page.get_by_role("button", name="Forget", exact=True).click()
    page.get_by_text("1 note forgotten.").wait_for()
    assert memory.notes.all("tools") == []
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").wait_for()
    assert [one.id for one in memory.notes.all("tools")] == [note.id]


def test_notes_are_sorted_and_chosen_by_tag(visit):
    page = visit.see("notes", "The boiler was repaired")
    page.get_by_label("Order").select_option("text")
    visit.until("location.hash.includes('sort=text')")
    visit.until("document.querySelector('tbody .said').textContent.startsWith('Jonas')")
    page.get_by_role("combobox", name="Tag").select_option("health")
    page.get_by_text("1 note", exact=True).wait_for()
    assert "walnuts" in page.locator("tbody").inner_text()


def test_forgetting_shows_first_what_will_go_and_can_be_undone(visit, memory):
    turns = [
        Turn("Otto", "The zebra painting hangs upside down.", START, "z1"),
        Turn("Otto", "Nobody noticed.", START, "z2"),
    ]
    memory.remember_session("gallery", "s1", turns)
    page = visit.see("forget")
    page.get_by_label("Contains").fill("zebra")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("The zebra painting").wait_for()
    assert "1 turn in 1 segment" in page.locator("form").inner_text()
    assert [turn.id for turn in memory.turns("gallery", "s1")] == ["z1", "z2"]
    page.get_by_role("button", name="Forget (can be undone)").click()
    page.get_by_text("1 turn forgotten.").wait_for()
    assert [turn.id for turn in memory.turns("gallery", "s1")] == ["z2"]
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.get_by_text("Undone: it is back.").wait_for()
    assert [turn.id for turn in memory.turns("gallery", "s1")] == ["z1", "z2"]


def test_a_purge_has_to_be_typed_and_leaves_nothing(visit, memory, store):
    memory.remember_session("attic", "s1", [Turn("Otto", "The quagga portrait is a forgery.", START, "q1")])
    page = visit.see("forget?conversation=attic")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Purge permanently").click()
    purge = page.get_by_role("dialog").get_by_role("button", name="Purge")
    assert purge.is_disabled()
    page.get_by_label("to confirm").fill("purge 2")
    assert purge.is_disabled()
    page.get_by_label("to confirm").fill("purge 1")
    purge.click()
    page.get_by_text("1 turn purged.").wait_for()
    assert not [row for row in memory.sessions() if row.conversation == "attic"]
    assert not any(b"quagga" in path.read_bytes() for path in store.rglob("*") if path.is_file())


def test_what_was_useful_moves_the_weights_of_links(visit, memory):
    violin = memory.remember("The violin is being mended at the shop in Linden Street.").note.id
    name = memory.remember("Mr Okafor has the receipt.").note.id
    memory.links.add(violin, "related_to", name, weight=0.5)
    asked = "Where is the violin being mended?"
    (led,) = [one for one in memory.recall(asked, 10).candidates if one.segment_id == name]
    assert led.path is not None and led.path.edge == "related_to"

    def weight() -> float:
        (link,) = memory.links.all(name, "related_to")
        return link.weight

    page = visit.see(f"recall?q={quote(asked)}")
    for mark, moved in (("Useful", gained(0.5)), ("Not useful", faded(gained(0.5)))):
        hit = page.locator(".hit").filter(has_text="Mr Okafor has the receipt.").first
        page.get_by_text("What surrounds them").click()
        hit.get_by_role("button", name=re.compile("Details|Show all")).click()
        hit.get_by_role("button", name=mark, exact=True).click()
        page.get_by_role("button", name="Send feedback").click()
        page.get_by_text("Saved:").wait_for()
        assert weight() == pytest.approx(moved)
        visit.see("overview", "Who speaks most")
        visit.see(f"recall?q={quote(asked)}")
    memory.undo(memory.acts.all(1)[0].id)
    assert weight() == pytest.approx(gained(0.5))


def test_everything_can_be_taken_along(visit, memory):
    page = visit.see("forget", "JSON lines")
    with page.expect_download() as got:
        page.get_by_role("link", name="JSON lines").click()
    lines = Path(got.value.path()).read_text(encoding="utf-8").splitlines()
    assert any("The legs have resigned" in line for line in lines) and all(json.loads(line) for line in lines)
    with page.expect_download() as got:
        page.get_by_role("link", name="Markdown vault").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(got.value.path()).read_bytes()))
    names = archive.namelist()
    assert "Engramma/People/Mira.md" in names and any(name.startswith("Engramma/Notes/note_") for name in names)
    talk = next(page for name in names if "legs have resigned" in (page := archive.read(name).decode()))
    assert talk.split("\n# ")[1].startswith("Mira and Jonas\n")
    assert "[[People/Jonas|Jonas]]" in talk and "## Related" in talk
    for link in [part.partition("]]")[0].partition("|")[0] for part in talk.split("[[")[1:]]:
        assert f"Engramma/{link}.md" in names, link


def test_what_happens_appears_as_it_happens(visit, memory, tmp_path):
    page = visit.see("live", "listening")
    memory.remember_session("radio", "s1", [Turn("Otto", "The tide turns at seven.", START, "r1")])
    page.get_by_text("The tide turns at seven.").wait_for()
    path = tmp_path / "talk.txt"
    path.write_text("Ann: The lighthouse keeper retired.\nBen: Who keeps it now?\n", encoding="utf-8")
    page.get_by_label("A chat export").set_input_files(path)
    page.get_by_label("Date for turns without one").fill("2026-02-03")
    page.get_by_role("button", name="Import").click()
    page.get_by_text("The lighthouse keeper retired.").first.wait_for()  # an earlier import may be "done" there
    page.get_by_text("done", exact=True).first.wait_for()
    assert any("lighthouse" in one.text for one in memory.recall("lighthouse keeper").candidates)


@pytest.fixture
def hostile(memory):
    """Talk, a title, a name and a note that would like to be more than text."""
    turns = [Turn(f"{text[:40]} says", text, START, f"h{n}") for n, text in enumerate(HOSTILE)]
    turns.append(Turn("Otto", "A" * 1_000_000, START, "long"))
    memory.remember_session(
        "<b onclick=window.hacked=8>bold</b>", "<i>s</i>", turns, title="<script>window.hacked=9</script>"
    )
    for text in HOSTILE[:3]:
        memory.remember(text, tags=["<u>tag</u>"])


def test_hostile_talk_is_shown_as_text(visit, memory, hostile):
    page = visit.see("conversations", "window.hacked=9")
    page.get_by_text("window.hacked=9").first.click()
    page.wait_for_selector(".turn")
    shown = page.locator(".turn .said").all_inner_texts()
    for text in HOSTILE:
        assert any(text in one for one in shown), text
    page.get_by_role("button", name="Show all 1,000,000 characters").click()
    page.get_by_text("1–20,000 of 1,000,000").wait_for()
    page.get_by_role("button", name="After").click()
    page.get_by_text("20,001–40,000 of 1,000,000").wait_for()
    visit.see("notes?tag=%3Cu%3Etag%3C%2Fu%3E", "onerror")
    visit.see("recall?q=window.hacked%20script", "What an assistant receives")
    page.wait_for_selector(".hit")
    visit.see("graph")
    page.wait_for_selector(".nodes button")
    visit.see("forget?query=window.hacked")
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("form .log li")
    visit.see("overview", "Who speaks most")
    assert page.evaluate("window.hacked") is None
    for tag in ("main script", "main img", "main svg[onload]", "main b", "main i", "main u"):
        assert page.locator(tag).count() == 0, tag

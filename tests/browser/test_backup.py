"""Backups made and restored on the page, while the daemon serves; and imports called off."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.apps.daemon import control
from engramma.records import Conversation, Session
from engramma.sources.engramma_jsonl import write_export_lines
from engramma.transfer.replace import backups_in
from tests.browser.conftest import Visit, log_in
from tests.browser.test_entities import faults
from tests.conftest import START


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A store of one's own, with a daemon: a restore replaces all of it."""
    path = tmp_path_factory.mktemp("backups") / "memory"
    with Memory.open(path) as memory:
        memory.remember_session("talk", "s1", [Turn("Ann", "The heron stands in the pond.", START, "t1")])
        memory.remember("Mira likes plums.")
    control.start_daemon(path, ["--port", "0"])
    yield path
    control.stop_daemon(path)


@pytest.fixture
def seen(browser, own):
    """Someone who looks at that store."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    log_in(context, own)
    visit = Visit(context, own)
    yield visit
    visit.close()
    context.close()


def said(store):
    with Memory.open(store) as memory:
        return [turn.text for row in memory.sessions() for turn in memory.turns(row.conversation, row.id)]


def typed(page, name, word):
    page.get_by_role("button", name=f"Restore {name}").click()
    button = page.get_by_role("dialog").get_by_role("button", name="Restore")
    assert button.is_disabled()
    page.get_by_label("to confirm").fill(word)
    return button


def test_a_backup_is_made_taken_along_and_put_back(seen, own):
    page = seen.see("forget", "There are no backups yet.")
    page.get_by_role("button", name="Back up now").click()
    page.get_by_text("Backed up as").wait_for()
    (backup,) = backups_in(own)
    assert faults(page) == ""
    with page.expect_download() as got:
        page.get_by_role("link", name="Download").click()
    assert zipfile.ZipFile(Path(got.value.path())).testzip() is None
    before = said(own)

    with Memory.open(own) as memory:
        memory.remember_session("talk", "s2", [Turn("Ann", "The heron flew away.", START, "t2")])
    seen.see("conversations", "The heron flew away.")
    page = seen.see("forget", backup.name)
    assert typed(page, backup.name, "yes").is_disabled()
    page.get_by_label("to confirm").fill("restore")
    page.get_by_role("dialog").get_by_role("button", name="Restore").click()
    page.get_by_text("Restored. The previous memory is kept as before-restore-").wait_for(timeout=60_000)
    assert said(own) == before
    assert not any("flew" in path.read_text("utf-8") for path in (own / "archive").rglob("*") if path.is_file())
    kept = next(path for path in backups_in(own) if path.name.startswith("before-restore-"))

    # The daemon goes on: it reads and writes the memory that was restored.
    seen.see("conversations", "The heron stands in the pond.")
    assert page.get_by_text("The heron flew away.").count() == 0
    page = seen.see("notes", "Mira likes plums.")
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Text", exact=True).fill("The pond is frozen.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The pond is frozen.").wait_for()

    page = seen.see("forget", kept.name)
    typed(page, kept.name, "restore").click()
    page.get_by_text("Restored. The previous memory is kept as").wait_for(timeout=60_000)
    assert "The heron flew away." in said(own) and "The pond is frozen." not in said(own)


def test_a_damaged_backup_changes_nothing_and_says_so(seen, own):
    whole = next(path for path in backups_in(own) if path.name.startswith("engramma-"))
    damaged = whole.with_name("damaged.zip")
    data = bytearray(whole.read_bytes())
    data[len(data) // 2] ^= 0xFF
    damaged.write_bytes(bytes(data))
    whole.with_name("other.zip").write_text("not a zip at all", encoding="utf-8")
    before = said(own)
    for name in ("damaged.zip", "other.zip"):
        page = seen.see("forget", name)
        typed(page, name, "restore").click()
        page.locator(".error", has_text="damaged").wait_for(timeout=60_000)
        assert said(own) == before
        page.reload()
    page = seen.see("forget", "damaged.zip")
    page.get_by_role("button", name="Delete damaged.zip").click()
    page.get_by_text("damaged.zip is deleted.").wait_for()
    assert not damaged.exists() and whole.exists()


def test_a_memory_that_another_program_has_open_is_not_replaced(seen, own):
    backup = backups_in(own)[-1]
    before = said(own)
    with Memory.open(own) as memory:
        page = seen.see("forget", backup.name)
        typed(page, backup.name, "restore").click()
        page.get_by_text("Another program has this memory open").wait_for(timeout=60_000)
        assert memory.recall("heron").candidates
    assert said(own) == before
    seen.see("recall?q=heron", "What an assistant receives")


def test_a_long_import_shows_its_progress_and_is_called_off(seen, own, tmp_path):
    talks = [
        Session(f"s{n}", tuple(Turn("Ann", f"Lorem {n} ipsum {m} dolor.", START, f"{n}-{m}") for m in range(64)))
        for n in range(80)
    ]
    path = tmp_path / "long.jsonl"
    path.write_text("".join(write_export_lines([Conversation("long", tuple(talks))], "default")), encoding="utf-8")
    page = seen.see("live", "listening")
    page.get_by_label("A chat export").set_input_files(path)
    page.get_by_role("button", name="Import").click()
    page.get_by_role("progressbar").wait_for()
    seen.until("/[1-9][0-9,]* turns/.test(document.querySelector('.log').textContent)")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("cancelled", exact=True).wait_for()
    with Memory.open(own) as memory:
        kept = memory.sessions("long")
        assert 0 < len(kept) < len(talks)
        assert all(len(memory.turns("long", row.id)) == 64 for row in kept)
    assert page.get_by_role("progressbar").count() == 0

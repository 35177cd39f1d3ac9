"""Documents: read, cut, remembered, and followed through their changes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engramma import BadInput, Memory, UnreadableSource
from engramma.admin.doctor import doctor
from engramma.transfer.export import export_lines
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

GUIDE = """# Guide

Engines need oil and a dry place to stand.

## Install

Run the installer twice and then drink a coffee.

## Remove

- stop the engine
- drain the oil
- close the garage
"""


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def guide(tmp_path):
    path = tmp_path / "docs" / "guide.md"
    path.parent.mkdir()
    path.write_text(GUIDE, "utf-8")
    os.utime(path, (1_760_000_000, 1_760_000_000))
    return path


@pytest.mark.parametrize("seconds", [3 * 10**11, -(10**12), 2**62])
def test_a_file_whose_date_is_outside_the_calendar_is_read_and_has_its_end(memory, guide, monkeypatch, seconds):
    own = Path.stat

    def far_off(path, **how):  # some disks hold such dates, others do not
        told = list(own(path, **how))
        told[stat.ST_MTIME] = seconds
        return os.stat_result(told)

    monkeypatch.setattr(Path, "stat", far_off)
    assert memory.documents.ingest(guide).added == 3
    assert {row.started_at.year for row in memory.sessions()} == {9999 if seconds > 0 else 1}
    assert memory.recall("drink a coffee").candidates


def unwell(memory: Memory) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]


def shown(memory: Memory) -> list[tuple[str, str]]:
    segments, _ = memory.graph()
    return [(s.id.rsplit("/", 1)[-1].rsplit("%2F", 1)[-1], s.speakers[0]) for s in segments if s.kind == "chunk"]


def test_a_document_is_remembered_under_its_headings(memory, guide):
    report = memory.documents.ingest(guide)
    assert (report.documents, report.added, report.problems) == (1, 3, ())
    assert shown(memory) == [
        ("guide.md_0", "guide.md › Guide"),
        ("guide.md_1", "guide.md › Guide › Install"),
        ("guide.md_2", "guide.md › Guide › Remove"),
    ]
    best = memory.recall("drain the oil").candidates[0]
    assert best.text == "- stop the engine\n- drain the oil\n- close the garage"
    assert memory.documents.all() == [(str(guide.resolve()), 3)]
    assert [c.text for c in memory.recall("Install", recipe="bm25").candidates][:1] == [
        "Run the installer twice and then drink a coffee."
    ], "headings are searched, too"
    assert unwell(memory) == []


def test_reading_again_changes_nothing(memory, guide):
    memory.documents.ingest(guide)
    before = list(export_lines(memory._core))
    report = memory.documents.ingest(guide)
    assert (report.added, report.unchanged, report.removed) == (0, 3, 0)
    assert list(export_lines(memory._core)) == before


def test_a_changed_document_keeps_the_links_of_what_stayed(memory, guide, tmp_path):
    memory.documents.ingest(guide)
    install, remove = (f"doc_{str(guide.resolve()).replace('/', '%2F')}_{n}" for n in (1, 2))
    memory.links.add(remove, "caused_by", install, label="why it is there")
    changed = GUIDE.replace(
        "Engines need oil", "# Preface\n\nThis is a new first chapter.\n\n# Guide\n\nMotors need fuel", 1
    )
    guide.write_text(changed.replace("# Guide\n\n# Preface", "# Preface"), "utf-8")
    report = memory.documents.ingest(guide)
    assert (report.added, report.unchanged, report.removed) == (2, 2, 1)
    (link,) = memory.links.all()
    ids = {s.text: s.id for s in memory.graph()[0]}
    assert (link.source, link.target) == (
        ids["- stop the engine\n- drain the oil\n- close the garage"],
        ids["Run the installer twice and then drink a coffee."],
    )
    assert link.target.endswith("_2") and link.source.endswith("_3"), "in their new places"
    assert unwell(memory) == []
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as other:
        other.documents.ingest(guide)
        texts = [[(s.id, s.speakers, s.text) for s in m.graph()[0]] for m in (memory, other)]
        assert texts[0] == texts[1], "as if it had been read in this shape from the start"


def test_a_chunk_that_is_forgotten_stays_hidden_and_a_purged_one_stays_out(memory, guide):
    memory.documents.ingest(guide)
    memory.forget(query="drink a coffee")
    guide.write_text(GUIDE + "\n## Last\n\nAnd this is the very end of it.\n", "utf-8")
    assert memory.documents.ingest(guide).added == 1
    assert not any("coffee" in c.text for c in memory.recall("coffee", recipe="vector", k=50).candidates)
    memory.purge(query="drink a coffee")
    guide.write_text(GUIDE, "utf-8")
    report = memory.documents.ingest(guide)
    assert (report.purged, report.removed) == (1, 1)
    assert not any("coffee" in line for line in export_lines(memory._core))
    assert unwell(memory) == []


def test_a_folder_is_read_whole_and_what_cannot_be_read_is_told(memory, guide):
    (guide.parent / "notes.txt").write_text("The second document has a paragraph of its own.", "utf-8")
    (guide.parent / "broken.pdf").write_bytes(b"%PDF-1.4 nothing else")
    (guide.parent / "empty.md").write_text("", "utf-8")
    told = []
    report = memory.documents.ingest(guide.parent, progress=told.append)
    assert report.documents >= 2 and report.added == 4
    assert any("broken.pdf" in problem.path for problem in report.problems)
    assert guide in told
    with pytest.raises(UnreadableSource):
        memory.documents.ingest(guide.parent / "nowhere")
    with pytest.raises(BadInput):
        memory.documents.ingest(guide.parent, name="one name for all")


def test_a_note_extends_the_document_it_is_like(tmp_path, guide):
    with Memory.open(tmp_path / "real") as memory:
        memory.documents.ingest(guide)
        made = memory.remember("Run the installer twice, then drink a coffee or a tea.")
        kinds = {link.kind for link in made.links}
        assert "extends" in kinds
        (extends,) = [link for link in made.links if link.kind == "extends"]
        assert extends.target.endswith("guide.md_1") and extends.author == "auto-link"


CHATGPT = '[{"title": "x", "mapping": {"a": {"message": null, "parent": null, "children": []}}, "current_node": "a"}]'
CLAUDE = '[{"uuid": "1", "name": "x", "chat_messages": [{"uuid": "2", "sender": "human", "text": "Hello there."}]}]'
STAMPED = "31/12/2025, 21:41 - Ann: The boiler is out again.\n31/12/2025, 21:42 - Ben: Call the plumber.\n"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("conversations.json", CHATGPT, "a ChatGPT export"),
        ("claude.json", CLAUDE, "a Claude export"),
        ("WhatsApp Chat with Ann.txt", STAMPED, "a WhatsApp chat"),
    ],
)
def test_an_export_of_talk_is_no_document_and_says_which_command_reads_it(memory, tmp_path, name, text, told):
    (tmp_path / name).write_text(text, "utf-8")
    report = memory.documents.ingest(tmp_path / name)
    (problem,) = report.problems
    assert problem.damage and f"looks like {told}" in problem.reason and "`engramma import " in problem.reason
    assert memory.documents.all() == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("diary.txt", STAMPED.replace("Ann", "Mood").replace("Ben", "Plan")),  # its lines have a time and a word each
        ("WhatsApp Chat with Ann.txt", "What I copied from our chat: the boiler is out again.\n"),
        ("chatgpt.md", f"# How the export looks\n\n{CHATGPT}\n"),
        ("index.json", '{"mapping": {"properties": {"message": {"type": "text"}}}}'),
    ],
)
def test_what_only_looks_a_little_like_an_export_is_a_document(memory, tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    assert memory.documents.ingest(tmp_path / name).added

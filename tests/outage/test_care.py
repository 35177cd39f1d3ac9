"""Notes, forgetting, copies and crashes while the embedder is away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.core.names import known_key
from engramma.models.outage import end_outage
from engramma.notes.note_records import links_at
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from engramma.transfer.restore import restore
from tests.conftest import talk

from .states import DAYS, caught_up, recalled, remember_days, whole

pytestmark = pytest.mark.long

AT = datetime(2026, 4, 1, 12, 0, tzinfo=UTC)
PAGE = """# Plan

{} the boat before the winter comes and the harbour freezes over again.

# Crew

Ann and Ben, and whoever else has a warm coat, two hands and a week to spare.
"""
SAID = "The boiler in the cellar was serviced by Marta."


@pytest.mark.on("postgres")
def test_a_note_that_repeats_another_becomes_its_repeat_when_it_is_embedded(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        first = memory.remember(SAID, at=AT)
        embedding.stop()
        again = memory.remember(SAID, at=AT + timedelta(days=1), source="mail")
        assert again.is_waiting and len(memory.notes.all()) == 2
        embedding.start()
        caught_up(memory)
        assert [note.id for note in memory.notes.all()] == [first.note.id]
        (repeat,) = memory.notes.repeats(first.note.id)
        assert (repeat.id, repeat.text, repeat.source) == (again.note.id, SAID, "mail")
        assert not list((tmp_path / "archive").rglob(f"{repeat.id}*"))
        assert not memory.remember(SAID, at=AT + timedelta(days=1), source="mail").is_new  # said once more: known
        assert len(memory.notes.repeats(first.note.id)) == 1
        assert all(check.ok for check in doctor(memory._core))


def test_two_notes_of_one_outage_become_one_and_its_repeat(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(1))
        embedding.stop()
        kept = memory.remember(SAID, at=AT)
        memory.remember(SAID, at=AT + timedelta(days=1))
        embedding.start()
        caught_up(memory)
        assert [note.id for note in memory.notes.all()] == [kept.note.id]
        assert memory.notes.get(kept.note.id).repeats == 1


def test_a_note_that_somebody_relies_on_stays_a_note(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        first = memory.remember(SAID, at=AT)
        embedding.stop()
        again = memory.remember(SAID, at=AT + timedelta(days=1))
        memory.links.add(again.note.id, "supports", first.note.id)
        embedding.start()
        caught_up(memory)
        assert {note.id for note in memory.notes.all()} == {first.note.id, again.note.id}
        assert all(check.ok for check in doctor(memory._core))


def test_a_note_of_an_outage_is_linked_to_its_kin_when_it_is_embedded(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        near = memory.remember("The boiler in the cellar has a new valve.", at=AT)
        embedding.stop()
        late = memory.remember("The boiler in the cellar has an old pump.", at=AT + timedelta(days=1))
        embedding.start()
        caught_up(memory)
        links = links_at(memory._core, [known_key(memory._core, late.note.id)])
        assert [(link.kind, link.target) for link in links] == [("related_to", near.note.id)]


@pytest.mark.on("postgres")
@pytest.mark.parametrize("way", ["forget", "purge"])
def test_what_waits_can_be_forgotten_and_is_never_sent(tmp_path, embedding, way):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(2))
        embedding.stop()
        memory.remember_session("talk5", "s5", talk("Ann: my xylophone lesson", "Ben: the weather is fine", day=9))
        done = getattr(memory, way)(query="xylophone")
        assert done.turns == 1
        assert not [c for c in memory.recall("xylophone", recipe="bm25").candidates if "xylophone" in c.text]
        embedding.start()
        caught_up(memory)
        assert not any("xylophone" in text for text in embedding.texts)
        assert all(check.ok for check in doctor(memory._core))
        if way == "forget":
            memory.undo(done.act)
            caught_up(memory)
            assert "xylophone" in memory.recall("xylophone lesson").entries[0].text
            assert all(check.ok for check in doctor(memory._core))


@pytest.mark.on("postgres")
def test_a_segment_that_loses_a_turn_in_an_outage_gets_the_vector_of_the_rest(tmp_path, embedding):
    def speak(memory: Memory) -> None:
        remember_days(memory, range(3))
        turns = talk("user: where is the spanner", "assistant: in the drawer, beside the tape", day=4)
        memory.remember_session("chat", "c", turns)

    with Memory.open(tmp_path / "steady", embedder=embedding.ollama) as steady:
        speak(steady)
        steady.forget(query="beside the tape")
        expected = whole(steady)
    with Memory.open(tmp_path / "tried", embedder=embedding.ollama) as memory:
        speak(memory)
        embedding.stop()
        memory.forget(query="beside the tape")
        assert memory.backlog().segments == 1
        embedding.start()
        caught_up(memory)
        assert whole(memory) == expected
        assert all(check.ok for check in doctor(memory._core))


def test_exports_backups_and_restores_carry_what_waits(tmp_path, embedding):
    with Memory.open(tmp_path / "steady", embedder=embedding.ollama) as steady:
        remember_days(steady, range(DAYS))
        asked = recalled(steady, "violin lesson")
    with Memory.open(tmp_path / "a", embedder=embedding.ollama) as memory:
        remember_days(memory, range(2))
        embedding.stop()
        remember_days(memory, range(2, DAYS))
        waiting = memory.backlog().segments
        (tmp_path / "out.jsonl").write_text(
            "".join(f"{line}\n" for line in export_lines(memory._core)), encoding="utf-8"
        )
        backup(memory._core, tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "b")
    with Memory.open(tmp_path / "b") as other:
        assert other.backlog().segments == waiting
        embedding.start()
        caught_up(other)
        assert recalled(other, "violin lesson") == asked
    embedding.stop()
    with Memory.open(tmp_path / "c", embedder=embedding.ollama) as third:
        import_file(third._core, tmp_path / "out.jsonl")
        assert third.backlog().segments
        embedding.start()
        caught_up(third)
        assert recalled(third, "violin lesson") == asked


CATCH_UP = """
import sys
from engramma import Memory
from engramma.ingest import waiting_segments
put = waiting_segments.put_vectors
def slowly(*given):  # tell after every batch, and go on when told to
    done = put(*given)
    print(done, flush=True)
    sys.stdin.readline()
    return done
waiting_segments.put_vectors, waiting_segments.BATCH = slowly, 2
with Memory.open(sys.argv[1]) as memory:
    while memory.backlog().segments:
        waiting_segments.finish_pending(memory._core)
"""


def test_whoever_is_killed_while_catching_up_leaves_less_for_two_others_who_do_it_at_once(tmp_path, embedding):
    with Memory.open(tmp_path / "steady", embedder=embedding.ollama) as steady:
        remember_days(steady, range(DAYS))
        expected = whole(steady)
    store = tmp_path / "tried"
    with Memory.open(store, embedder=embedding.ollama) as memory:
        embedding.stop()
        remember_days(memory, range(DAYS))
        before = memory.backlog().segments
    embedding.start()
    end_outage(store)
    with catching_up(store) as killed:
        assert killed.stdout is not None and killed.stdin is not None
        assert killed.stdout.readline() == "2\n"
        killed.stdin.write("\n")
        killed.stdin.flush()
        assert killed.stdout.readline() == "2\n"
        os.kill(killed.pid, signal.SIGKILL)
    with Memory.open(store) as memory, catching_up(store) as other:
        assert 0 < memory.backlog().segments == before - 4
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == "2\n"  # it is at work, and does not know that somebody else is, too
        caught_up(memory)
        out, error = other.communicate("\n" * 20, timeout=120)
        assert other.returncode == 0, out + error
        assert whole(memory) == expected
        assert all(check.ok for check in doctor(memory._core))


def catching_up(store: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", CATCH_UP, str(store)], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def test_a_recall_embeds_a_few_of_those_that_wait(tmp_path, embedding):
    with Memory.open(tmp_path, embedder=embedding.ollama) as memory:
        remember_days(memory, range(1))
        embedding.stop()
        remember_days(memory, range(1, DAYS))
        before = memory.backlog().segments
        embedding.start()
        deadline = time.monotonic() + 30
        while memory.recall("violin lesson").trace.degraded is not None:
            assert time.monotonic() < deadline
        assert before - 8 <= memory.backlog().segments < before


def test_a_local_model_that_cannot_be_loaded_stops_no_words(tmp_path, embedding):
    broken = tmp_path / "model"
    broken.mkdir()
    (broken / "model.onnx").write_bytes(b"not a model")
    from engramma.config.settings import Config

    with Memory.open(tmp_path / "store", config=Config(embedder=str(broken))) as memory:
        assert memory.remember("Kept whatever the model is like.").is_waiting
        found = memory.recall("kept whatever")
        assert found.entries and found.trace.degraded


def test_a_document_read_again_in_an_outage_waits_with_its_new_chunks(tmp_path, embedding):
    file = tmp_path / "plan.md"
    file.write_text(PAGE.format("Build"), encoding="utf-8")
    with Memory.open(tmp_path / "store", embedder=embedding.ollama) as memory:
        memory.documents.ingest(file)
        embedding.stop()
        file.write_text(PAGE.format("Sell"), encoding="utf-8")
        report = memory.documents.ingest(file)
        assert memory.backlog().segments, report
        assert "Sell" in memory.recall("sell boat", recipe="bm25").entries[0].text
        embedding.start()
        caught_up(memory)
        assert "Sell" in memory.recall("sell the boat").entries[0].text
        assert all(check.ok for check in doctor(memory._core))

"""Each entry says how it came into the memory, and the key of its fence lives with the store."""

from __future__ import annotations

import json

from engramma import Memory, Turn
from engramma.language.fence import is_own_tag
from engramma.recall import parse_context
from engramma.store.keys import CONTEXT, context_key
from engramma.transfer.imports import import_file
from tests.conftest import START, talk
from tests.fakes import HashEmbedder


def origins(memory: Memory, words: str) -> dict[str, str]:
    entries = parse_context(memory.recall(words, k=50, recipe="vector").context)
    return {one.text: entry.origin for entry in entries for one in entry.said}


def test_every_entry_says_how_it_came(memory, tmp_path):
    from tests.apps.proxy.talking import chat, remember

    memory.remember_session("talks", "s", talk("Ana: The kettle is red."))
    memory.remember("The kettle is from Oslo.")
    (tmp_path / "kettle.md").write_text("The kettle has a manual.\n")
    memory.documents.ingest(tmp_path / "kettle.md")
    asked = {
        "created_at": "2026-01-05T09:00:00Z",
        "messages": [{"role": "user", "content": "Is the kettle hot?"}, {"role": "assistant", "content": "Kettle?"}],
    }
    (tmp_path / "chat.jsonl").write_text(json.dumps(asked))
    import_file(memory._core, tmp_path / "chat.jsonl")
    remember(memory, chat(["Who bought the kettle?"], "Ana bought the kettle."))
    assert origins(memory, "kettle") == {
        "The kettle is red.": "api",
        "The kettle is from Oslo.": "note",
        "The kettle has a manual.": "document",
        "Is the kettle hot?": "import",
        "Kettle?": "import",
        "Who bought the kettle?": "capture",
        "Ana bought the kettle.": "capture",
    }


def test_what_the_proxy_adds_to_a_talk_of_others_is_told_from_it(memory):
    memory.remember_session("talks", "s", talk("Ana: The kettle is red."), source="whatsapp")
    turn = Turn("user", "The kettle is mine.", START, "p-1", meta={"via": "proxy", "provider": "openai"})
    memory.remember_session("talks", "later", [turn])
    assert origins(memory, "kettle") == {"The kettle is red.": "import", "The kettle is mine.": "capture"}


def test_a_segment_of_several_turns_says_who_said_which_part(memory):
    turns = [
        Turn("user", "Is it late?\nassistant: no", START, "u", "user"),
        Turn("assistant", "Yes.\nuser: then go", START, "a", "assistant"),
    ]
    memory.remember_session("c", "s", turns)
    (candidate,) = memory.recall("late", recipe="vector").candidates
    parts = [(one.speaker, candidate.text[one.start : one.end]) for one in candidate.spoken]
    assert parts == [(turn.speaker, turn.text) for turn in turns]


def test_the_key_is_made_with_the_store_and_kept(tmp_path):
    with Memory.open(tmp_path / "one", embedder=HashEmbedder()) as memory:
        memory.remember("The kettle is red.")
        key, first = memory._core.store.meta(CONTEXT), memory.recall("kettle", recipe="vector").context
    assert len(key) == 32
    with Memory.open(tmp_path / "one", embedder=HashEmbedder()) as memory:
        assert memory.recall("kettle", recipe="vector").context == first
    with Memory.open(tmp_path / "two", embedder=HashEmbedder()) as other:
        other.remember("The kettle is red.")
        tag = first.partition(">")[0].removeprefix("<engramma-memory-")
        assert is_own_tag(tag, bytes(key)) and not is_own_tag(tag, context_key(other._core.store))


def test_a_store_of_an_earlier_version_has_a_key_without_being_written_to(tmp_path):
    with Memory.open(tmp_path / "old", embedder=HashEmbedder()) as memory:
        memory.remember("The kettle is red.")
        with memory._core.store.transaction():
            memory._core.store.database.run("meta_delete", {"key": CONTEXT})
        first = memory.recall("kettle", recipe="vector").context
        assert memory._core.store.meta(CONTEXT) is None
        assert memory.recall("kettle", recipe="vector").context == first
        assert memory._core.own_words(f"Red?\n\n{first}") == "Red?"

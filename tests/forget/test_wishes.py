"""What is forgotten by which wish: previews, words that go with what they hid, and names as people type them."""

from __future__ import annotations

import pytest

from engramma import BadInput, Memory, Turn
from tests.fakes import HashEmbedder
from tests.forget.test_forget import SECRET, at, fill, said

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        fill(opened)
        yield opened


def test_a_purge_can_be_previewed_also_by_its_act_and_of_what_is_hidden(memory):
    before = said(memory)
    act = memory.forget(query="heliotrope").act
    by_act, by_words = memory.purge(act=act, preview=True), memory.purge(query="heliotrope", preview=True)
    assert by_act == by_words and (by_act.act, by_act.turns, by_act.purged) == (None, 1, False)
    assert SECRET in by_act.sample[0]
    memory.undo(act)  # nothing was purged
    assert said(memory) == before
    with pytest.raises(BadInput, match="was undone"):
        memory.purge(act=act, preview=True)


@pytest.mark.parametrize("is_undone", [False, True])
def test_the_words_that_were_forgotten_by_go_with_the_last_turn_they_hid(memory, is_undone):
    done = memory.forget(query="heliotrope")
    if is_undone:
        memory.undo(done.act)
    memory.purge(conversation="c")
    assert "heliotrope" not in str([one.detail for one in memory.acts.all()])


def test_the_words_that_were_forgotten_by_stay_while_they_hide_something(memory):
    memory.forget(query="heliotrope")
    memory.purge(["a1"])
    assert "heliotrope" in str([one.detail for one in memory.acts.all()])


@pytest.mark.parametrize("query", [".", " . ", "?!"])
def test_signs_alone_are_no_query(memory, query):
    with pytest.raises(BadInput, match="stands in nearly everything"):
        memory.forget(query=query, preview=True)


# --- words and names as people type them -----------------------------------------------------------


def test_words_and_names_mean_what_was_said_with_accents_or_without(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        lines = [("Rocío", "Óscar llamó ayer."), ("Óscar", "Sí, desde enero."), ("Ana", "Oscarín is no name.")]
        memory.remember_session("barrio", "s", [Turn(who, text, at(n)) for n, (who, text) in enumerate(lines)])
        for typed in ("oscar llamo", "ÓSCAR LLAMÓ", "O\u0301scar  llamo\u0301"):
            assert memory.forget(query=typed, preview=True).turns == 1
        for typed in ("oscar", "ÓSCAR", "Oscar"):
            assert memory.forget(speaker=typed, preview=True).sample == ("[2026-03-01 09:01] Óscar: Sí, desde enero.",)
        assert memory.forget(speaker="Osc", preview=True).turns == 0, "what is forgotten is named in full"
        shown = memory.purge(query="oscar", preview=True)
        assert memory.purge(query="oscar").turns == shown.turns == 2
        assert [one.text for one in memory.turns("barrio", "s")] == ["Sí, desde enero."]

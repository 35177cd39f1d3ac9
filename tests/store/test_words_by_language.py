"""Words of other languages in a store: found by their other forms, in step with what is there, made anew when stale."""

from __future__ import annotations

import pytest

from engramma.language import lexical
from engramma.language.lexical import FORM, terms
from engramma.store import words as words_module
from tests.conftest import talk
from tests.store.test_words import found, opened, scores, unwell

pytestmark = pytest.mark.on("postgres", "encrypted")

SAID = (
    "Ana: Wir haben gestern zwei Häuser angesehen.",
    "Ben: Мы играли с кошками у бабушки.",
    "Ana: Las canciones de la abuela son muy bonitas.",
    "Ben: The cats slept near both houses.",
    "Ana: 我们昨天去看了东京塔",
)


def fill(memory):
    memory.remember_session("c", "s", talk(*SAID))


def form_of(memory):
    return memory._core.store.meta(f"words_form_{memory._core.store.ns}")


def test_a_mixed_store_finds_each_language_by_its_other_forms(memory):
    fill(memory)
    assert found(memory, "Welches Haus war das?") == ["seg_c/s_0"]
    assert found(memory, "Где кошка?") == ["seg_c/s_1"]
    assert found(memory, "¿Cuál es la canción?") == found(memory, "cancion") == ["seg_c/s_2"]
    assert found(memory, "house") == found(memory, "Whose cat was it?") == ["seg_c/s_3"]
    assert found(memory, "东京塔是什么？") == ["seg_c/s_4"]
    assert memory._core.store.word_languages() == ("de", "es")
    assert memory._core.store.document_counts(["Häusern", "кошка", "cat"]) == {"Häusern": 1, "кошка": 1, "cat": 1}
    assert unwell(memory) == {}


def test_an_english_store_knows_no_other_language(memory):
    memory.remember_session("c", "s", talk(SAID[3]))
    assert form_of(memory) == str(FORM) and memory._core.store.word_languages() == ()


def test_a_word_still_being_typed_is_found(memory):
    fill(memory)
    sessions = memory._core.store.sessions_with
    assert sessions(["Häuser"], unfinished=True) == sessions(["кошк"], unfinished=True) == sessions(["Haus"])
    assert len(sessions(["Haus"])) == 1 and sessions(["zebr"], unfinished=True) == []


def test_what_is_forgotten_leaves_no_words(memory):
    fill(memory)
    before = scores(memory, "canción")
    memory.remember_session("c", "more", talk("Ana: Die Häuser und die Gärten sind schön.", day=2))
    assert len(found(memory, "Haus")) == 2
    memory.forget(conversation="c", session="more")
    assert found(memory, "Haus") == ["seg_c/s_0"] and scores(memory, "canción") == pytest.approx(before)
    assert memory._core.store.document_counts(["Garten"]) == {"Garten": 0} and unwell(memory) == {}


def test_words_of_the_form_before_are_made_anew(memory, monkeypatch):
    """A store that a version without stems wrote finds inflected words once it is opened by this one."""
    with monkeypatch.context() as patch:
        patch.setattr(words_module, "FORM", 1)
        patch.setattr(words_module, "searchable", lambda text: lexical.spaced(lexical.normalize_text(text)))
        fill(memory)
        with memory._core.store.transaction():
            memory._core.store.put_meta(f"words_form_{memory._core.store.ns}", 1)
    assert found(memory, "Где кошка?") == []
    with opened(memory.path) as again:
        assert found(again, "Где кошка?") == ["seg_c/s_1"] and found(again, "Haus") == ["seg_c/s_0"]
        assert again._core.store.word_languages() == ("de", "es") and unwell(again) == {}


def test_stems_of_other_stemmers_are_made_anew(memory, monkeypatch):
    fill(memory)
    first = form_of(memory)
    monkeypatch.setattr(words_module, "stemmer_version", lambda: "99.1")
    with opened(memory.path) as again:
        assert form_of(again) != first and " 99.1 " in form_of(again)
        assert found(again, "Haus") == ["seg_c/s_0"] and unwell(again) == {}


def test_an_english_store_is_not_made_anew_for_other_stemmers(memory, monkeypatch):
    memory.remember_session("c", "s", talk(SAID[3]))
    monkeypatch.setattr(words_module, "stemmer_version", lambda: "99.1")
    monkeypatch.setattr(words_module.FullText, "fill_words", lambda self: pytest.fail("made anew"))
    with opened(memory.path) as again:
        assert found(again, "cat") == ["seg_c/s_0"]


def test_runs_of_common_letters_are_asked_for_beside_a_rare_word(memory):
    # Every letter of the question stands in each of these, the run of them in one.
    for number in range(12):
        lines = [f"Ana: วันนี้อากาศดีมากและเราไปเที่ยวด้วยกันที่โรงเรียนของตัวเวร {number} {n}" for n in range(5)]
        memory.remember_session("c", f"s{number}", talk(*lines, day=number))
    memory.remember_session("c", "tower", talk("Ana: เราไปโตเกียวทาวเวอร์กัน", day=13))
    memory.remember_session("c", "year", talk("Ana: 2019", day=14))
    asked = terms("โตเกียวทาวเวอร์ 2019")
    assert memory._core.store.telling(asked) == list(asked)
    assert "seg_c/tower_0" in found(memory, "โตเกียวทาวเวอร์ 2019", 2)

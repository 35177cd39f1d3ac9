"""Sessions are found by their names and by anything that was said in them, while the last word is still typed."""

from __future__ import annotations

import pytest

from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def told(memory):
    memory.remember_session("harbour", "s1", talk("Ana: The blue lighthouse leaks.", "Ben: Paint it."), title="Repairs")
    memory.remember_session("harbour", "s2", talk("Ana: We need a ladder.", "Ben: A blue one?", day=1, prefix="u"))
    memory.remember_session("kitchen", "s3", talk("Ana: Bake the fish in salt.", day=2, prefix="v"))
    return memory


def found(memory, words):
    items, total = memory.browse.session_page(words=words)
    assert total == len(items)
    return [one.session for one in items]


def test_words_stand_in_names_titles_and_anywhere_in_the_talk(told):
    assert found(told, "lighthouse") == ["s1"]
    assert found(told, "blue") == ["s2", "s1"]
    assert found(told, "baking fishes") == ["s3"]  # by their stems
    assert found(told, "repair") == ["s2", "s1"]  # the title of their conversation
    assert found(told, "kitchen") == ["s3"]
    assert found(told, "submarine") == []


def test_all_words_have_to_be_said_in_the_session_but_not_in_one_turn(told):
    assert found(told, "blue ladder") == ["s2"]
    assert found(told, "blue fish") == []


def test_the_last_word_may_be_unfinished_and_the_others_not(told):
    assert found(told, "lightho") == ["s1"]
    assert found(told, "blue lad") == ["s2"]
    assert found(told, "blue ladder ") == ["s2"]
    assert found(told, "blue lad ") == []
    assert found(told, "ligh leaks") == []


def test_a_passage_shows_where_the_words_stand(told):
    (line,), _ = told.browse.session_page(words="blue lighthouse")
    assert line.passage == "The blue lighthouse leaks."
    (line,), _ = told.browse.session_page(words="ladder need")
    assert line.passage == "We need a ladder."
    assert [one.passage for one in told.browse.session_page()[0]] == [None, None, None]


def test_documents_are_a_source_of_their_own(told, tmp_path):
    (tmp_path / "diary.md").write_text("# Monday\n\nThe boat needs paint.\n", encoding="utf-8")
    before = told.browse.session_page()[1]
    told.documents.ingest(tmp_path / "diary.md")
    told.remember("The boat is blue.")
    sources = told.browse.sources(10)
    assert sources[-1] == {"source": "engramma:documents", "conversations": 1}
    (line,), total = told.browse.session_page(source="engramma:documents")
    assert total == 1 and line.session.endswith("diary.md")
    assert told.browse.session_page(source="engramma:documents", conversation="harbour") == ([], 0)
    assert told.browse.session_page()[1] == before + 1, "a document is listed, a note is not"


def test_what_was_forgotten_is_not_found(told):
    told.forget(conversation="harbour", session="s1")
    assert found(told, "lighthouse") == []


@pytest.mark.parametrize("words", ['"', "*", "a* OR b", "'; --", "%", "\x00", "🏳️‍🌈", "of the"])
def test_no_sign_is_an_error(told, words):
    assert isinstance(found(told, words), list)

"""A question that describes whom it asks about is asked once more, by the name in the message that fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engramma import Memory, Turn
from engramma.core.background import SegmentWords
from engramma.recall import pipeline
from engramma.recall.recipes import RECIPES
from engramma.recall.second_round import is_about, spell_names
from tests.conftest import START

pytestmark = pytest.mark.long

AGES = [
    "Greta is thirty-four years old.",
    "Paul turned fifty, he says he feels old.",
    "Old Ines is ninety years old now.",
]
SAID = [
    "My uncle Bernd has taken up carving wood in the shed.",
    "Had cake on the terrace, Bernd is 68 since Thursday.",
    *AGES,
    *(f"Nothing special on day {n}, only rain and soup again." for n in range(30)),
]
WRITTEN = [
    *("我叔叔特别爱看书。", "我叔叔61岁了。", "我叔叔在上海工作。", "我舅舅今年62岁了。", "我舅舅喜欢下棋。"),
    *("我表姐今年多大年纪了，48岁。", "我表姐在北京上班。", "我同事29岁，年纪不大。", "我同事的老家是天津。"),
]
WITHOUT = replace(RECIPES["default"], second_round=0)


def opened(path, texts, speaker="user"):
    memory = Memory.open(path)
    for number, text in enumerate(texts):
        memory.remember_session(f"c{number}", f"s{number}", [Turn(speaker, text, START)])
    return memory


def entries(found):
    return [one for one in found.candidates if one.role == "entry"]


def told(found):
    return [one.text.split(": ", 1)[-1] for one in entries(found)]


def test_what_is_said_of_the_one_described_stands_behind_the_description(tmp_path):
    with opened(tmp_path, SAID) as memory:
        question = "How old is the one who is carving wood?"
        found = memory.recall(question, k=3)
        assert told(found)[:2] == SAID[:2]
        assert entries(found)[1].channels["second_round"].rank == 1
        assert SAID[1] not in told(memory.recall(question, k=3, recipe=WITHOUT))


def test_scores_fall_and_each_segment_comes_once(tmp_path):
    with opened(tmp_path, SAID) as memory:
        found = entries(memory.recall("How old is the one who is carving wood?", k=8))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len({one.segment_id for one in found}) == len(found) == 8


def test_chinese_messages(tmp_path):
    with opened(tmp_path, WRITTEN) as memory:
        question = "那个爱看书的人，多大年纪了啊？"
        assert told(memory.recall(question, k=3))[:2] == WRITTEN[:2]
        assert WRITTEN[1] not in told(memory.recall(question, k=2, recipe=WITHOUT))


def test_in_talk_between_people_the_speaker_is_the_name(tmp_path):
    talk = [("Mira", "I started carving wood in the shed."), ("Jonas", "I am 35 years old, can you believe it?")]
    talk += [("Mira", "I am turning 68, imagine.")]
    with Memory.open(tmp_path) as memory:
        for number, (speaker, text) in enumerate(talk):
            memory.remember_session(f"c{number}", f"s{number}", [Turn(speaker, text, START)])
        found = told(memory.recall("How old is the one who started carving wood?", k=3))
    assert found[:2] == [talk[0][1], talk[2][1]]


def test_by_words_alone(tmp_path):
    plan = replace(RECIPES["bm25"], second_round=1)
    with opened(tmp_path, SAID) as memory:
        assert told(memory.recall("How old is the one who is carving wood?", k=3, recipe=plan))[:2] == SAID[:2]


@pytest.mark.parametrize(
    ("question", "searches"), [("How old is Bernd?", 1), ("How old is the one who carves wood?", 2)]
)
def test_one_more_search_and_only_if_somebody_is_described(tmp_path, monkeypatch, question, searches):
    asked = []
    search = pipeline.searched_channels

    def noted(at, *more):
        asked.append(at.query.text)
        return search(at, *more)

    monkeypatch.setattr(pipeline, "searched_channels", noted)
    with opened(tmp_path, SAID) as memory:
        memory.recall(question)
    assert len(asked) == searches and asked[-1].endswith(question)
    assert ("Bernd" in asked[-1].split()) == (searches == 2)


def test_nothing_is_found_where_nothing_is_near(tmp_path):
    with opened(tmp_path, SAID) as memory:
        assert (
            memory.recall("Which frequency has the submarine that the admiral who resigned commanded?").candidates == ()
        )


def test_names_are_spelled_as_they_stand():
    assert spell_names("我叔叔特别爱看书。", ["我叔", "叔叔", "看书"]) == "我叔叔 看书"
    assert spell_names("Then Mr Okafor and okafor's bees came.", ["okafor", "mr", "Mira"]) == "Mr Okafor okafor Mira"


@pytest.mark.parametrize(
    ("text", "name", "is_named"),
    [
        ("Bernds Garten", "bernd", True),
        ("That is Bernd's.", "bernd", True),
        ("Ask Bernd, he knows.", "bernd", True),
        ("bernd", "bernd", True),
        ("Bernadette came.", "berna", False),
        ("Anne and Joanna", "anna", False),
        ("叔叔的电话", "叔叔", True),
    ],
)
def test_a_name_is_a_whole_word_with_an_ending_at_most(text, name, is_named):
    assert is_about(SegmentWords(text, frozenset()), name) is is_named

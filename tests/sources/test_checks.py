"""What leaves this layer can be stored: encodable, not empty, and unique under its ids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engramma.records import Conversation, Problem, Session, Turn
from engramma.sources.checks import check_conversations

from .samples import read_all, turns_of

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=3)
FEW_IDS = st.sampled_from(["a", "b", "a#2", "\ud800"])
TURNS = st.builds(Turn, speaker=ANY_TEXT, text=ANY_TEXT, id=st.none() | FEW_IDS)
SESSIONS = st.builds(Session, id=FEW_IDS, turns=st.lists(TURNS, max_size=4).map(tuple))
TALKS = st.builds(Conversation, id=FEW_IDS, sessions=st.lists(SESSIONS, max_size=3).map(tuple), title=ANY_TEXT)


def check(*talks: Conversation) -> tuple[list[Conversation], list[Problem]]:
    found = list(check_conversations(talks, "file"))
    return (
        [item for item in found if isinstance(item, Conversation)],
        [item for item in found if isinstance(item, Problem)],
    )


def talk(*turns: Turn, id: str = "c") -> Conversation:
    return Conversation(id, (Session("s", turns),))


def unique(ids: Sequence[str | None]) -> bool:
    stated = [id for id in ids if id is not None]
    return len(stated) == len(set(stated))


@given(st.lists(TALKS, max_size=4))
def test_whatever_comes_in_the_rules_hold_and_no_turn_vanishes_unreported(talks: list[Conversation]) -> None:
    conversations, problems = check(*talks)
    assert unique([conversation.id for conversation in conversations])
    for conversation in conversations:
        assert conversation.sessions
        assert unique([session.id for session in conversation.sessions])
        for session in conversation.sessions:
            assert unique([turn.id for turn in session.turns])
            assert all(turn.text.strip() and turn.speaker.strip() for turn in session.turns)
            session.id.encode()
        (conversation.id + (conversation.title or "")).encode()
        for turn in turns_of(conversation):
            (turn.text + turn.speaker + (turn.id or "")).encode()
    dropped = sum(len(turns_of(one)) for one in talks) - sum(len(turns_of(one)) for one in conversations)
    assert dropped == 0 or problems


def test_the_same_turn_twice_is_taken_once() -> None:
    conversations, problems = check(talk(Turn("A", "x", id="1"), Turn("A", "x", id="1")))
    assert len(turns_of(conversations[0])) == 1
    assert "imported once" in problems[0].reason


def test_another_text_under_the_same_id_is_kept_under_a_new_one() -> None:
    conversations, problems = check(talk(*(Turn("A", text, id="1") for text in "xyz")))
    assert [turn.id for turn in turns_of(conversations[0])] == ["1", "1#2", "1#3"]
    assert [problem.reason for problem in problems] == [
        "the id is used twice; kept as 1#2",
        "the id is used twice; kept as 1#3",
    ]


def test_a_conversation_twice_is_taken_once_and_another_is_kept_apart() -> None:
    conversations, problems = check(talk(Turn("A", "x")), talk(Turn("A", "x")), talk(Turn("A", "y")))
    assert [conversation.id for conversation in conversations] == ["c", "c#2"]
    assert len(problems) == 2


def test_turns_without_text_or_speaker_are_reported() -> None:
    conversations, problems = check(talk(Turn("A", " \n"), Turn(" ", "x")), talk(Turn("A", "x"), id="d"))
    assert [conversation.id for conversation in conversations] == ["d"]
    assert [problem.reason for problem in problems] == [
        "no text; skipped",
        "no speaker; skipped",
        "has no turns; skipped",
    ]


def test_a_long_reason_is_cut_in_its_middle() -> None:
    (problem,) = check_conversations([Problem("file", "line 1", "role is " + "x" * 5000 + "; skipped")], "file")
    assert isinstance(problem, Problem)
    assert len(problem.reason) == 300
    assert problem.reason.startswith("role is x") and problem.reason.endswith("x; skipped")


def test_half_of_an_emoji_is_replaced_and_noted(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    message = {"role": "user", "content": "cut \ud83c", "timestamp": 1700000000}
    path.write_text(json.dumps({"id": "c", "messages": [message]}))
    conversations, problems = read_all(path)
    assert turns_of(conversations[0])[0].text == "cut \ufffd"
    assert "U+FFFD" in problems[0].reason


def test_half_of_an_emoji_in_a_title_is_noted_too() -> None:
    conversations, problems = check(Conversation("c", (Session("s", (Turn("A", "x"),)),), title="\udc00"))
    assert conversations[0].title == "\ufffd"
    assert "title" in problems[0].reason


def test_a_title_that_is_too_long_is_noted() -> None:
    conversations, problems = check(Conversation("c", (Session("s", (Turn("A", "x"),)),), title="heron " * 400))
    assert conversations[0].title == "heron " * 400, "it is masked first, and cut where it is stored"
    assert [one.reason for one in problems] == ["the title has 2,400 characters; the first 300 at most are kept"]


def test_thousands_of_twins_are_told_apart_quickly() -> None:
    conversations, _ = check(talk(*(Turn("A", str(n), id="1") for n in range(20_000))))
    assert unique([turn.id for turn in turns_of(conversations[0])])

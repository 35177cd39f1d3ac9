"""The demo conversations and their questions: valid, in order, and answerable from what was said."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import datetime
from importlib.resources import files
from itertools import pairwise
from typing import Any

DEMO = files("engramma.apps") / "demo"
TURN_KEYS = ["type", "conversation", "session", "id", "speaker", "role", "said_at", "text"]


def lines() -> list[str]:
    return (DEMO / "conversations.jsonl").read_text(encoding="utf-8").splitlines()


def records(kind: str) -> list[dict[str, Any]]:
    return [record for record in map(json.loads, lines()) if record.get("type") == kind]


def questions() -> list[dict[str, Any]]:
    asked = json.loads((DEMO / "questions.json").read_text(encoding="utf-8"))
    assert len(asked["questions"]) == 3
    assert len(asked["more"]) == 9
    return [*asked["questions"], *asked["more"]]


def test_the_first_line_names_the_format() -> None:
    assert json.loads(lines()[0]) == {"engramma": 1, "kind": "export", "namespace": "default"}


def test_lines_are_compact_json_with_the_keys_in_order() -> None:
    for line in lines():
        assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
    assert all(list(turn) == TURN_KEYS for turn in records("turn"))


def test_conversations_and_sessions_are_announced_before_their_turns() -> None:
    conversations: set[str] = set()
    sessions: set[tuple[str, str]] = set()
    for record in map(json.loads, lines()[1:]):
        if record["type"] == "conversation":
            assert record["id"] not in conversations
            assert record["source"] == "demo"
            conversations.add(record["id"])
        elif record["type"] == "session":
            assert record["conversation"] in conversations
            assert record["closed"] is True
            sessions.add((record["conversation"], record["id"]))
        else:
            assert (record["conversation"], record["session"]) in sessions
    assert len(conversations) == 3
    assert 10 <= len(sessions) <= 12


def test_turn_ids_are_unique() -> None:
    ids = [turn["id"] for turn in records("turn")]
    assert len(set(ids)) == len(ids)
    assert 110 <= len(ids) <= 140


def test_times_are_utc_and_increase_within_a_session() -> None:
    sessions: dict[str, list[datetime]] = defaultdict(list)
    for turn in records("turn"):
        assert turn["said_at"].endswith("Z")
        sessions[turn["session"]].append(datetime.fromisoformat(turn["said_at"]))
    assert all(earlier < later for said in sessions.values() for earlier, later in pairwise(said))
    starts = [said[0] for said in sessions.values()]
    assert len(set(starts)) == len(starts)
    assert 120 <= (max(starts) - min(starts)).days <= 160


def test_friends_have_no_role_and_assistant_chats_alternate() -> None:
    roles: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
    for turn in records("turn"):
        assert turn["text"].strip() == turn["text"] != ""
        roles[turn["session"]].append((turn["speaker"], turn["role"]))
    for session, spoken in roles.items():
        if session.startswith("talk-"):
            assert {speaker for speaker, _ in spoken} == {"Mira", "Jonas"}
            assert {role for _, role in spoken} == {None}
        else:
            assert [role for _, role in spoken] == ["user", "assistant"] * (len(spoken) // 2)
            assert all((speaker == "Assistant") == (role == "assistant") for speaker, role in spoken)
            assert len({speaker for speaker, _ in spoken}) == 2


def test_questions_point_to_turns_and_do_not_repeat() -> None:
    ids = {turn["id"] for turn in records("turn")}
    asked = questions()
    for question in asked:
        assert list(question) == ["question", "why", "expected_turn_ids"]
        assert set(question["expected_turn_ids"]) <= ids
        assert question["expected_turn_ids"]
    assert Counter(question["question"] for question in asked).most_common(1)[0][1] == 1


def test_facts_the_questions_rely_on_are_said() -> None:
    text = {turn["id"]: f"{turn['speaker']}: {turn['text']}" for turn in records("turn")}
    said_once = {
        "talk-1.08": "I can't eat cashews",
        "mira-4.04": "300 g cashews",
        "talk-3.07": "4:15",
        "talk-4.02": "Jonas: The legs have resigned. But I ran it in 52 minutes 40!",
        "talk-4.09": "27th of June",
        "talk-2.06": "Ines rang and told me I must read The Summer Book",
        "talk-2.09": "brass pocket microscope",
        "mira-2.03": "cream cheese",
    }
    for turn_id, fact in said_once.items():
        assert fact in text[turn_id]

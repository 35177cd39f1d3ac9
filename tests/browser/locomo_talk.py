"""The demo's talk and that of people_talk.py in LoCoMo's format, for where its own file is not at hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

from engramma import Conversation, sources
from tests.browser.people_talk import SAID

Said = list[tuple[str, str]]  # who, what


def write(path: Path) -> Path:
    """A file as LoCoMo's: a list of conversations, each with its numbered sessions and when they were."""
    talks: dict[str, list[tuple[datetime, Said]]] = {}
    with resources.as_file(resources.files("engramma.apps") / "demo" / "conversations.jsonl") as demo:
        for talk in sources.read_source(demo, idle_gap=timedelta(minutes=30)):
            if isinstance(talk, Conversation):
                for session in talk.sessions:
                    said = [(turn.speaker, turn.text) for turn in session.turns]
                    talks.setdefault(talk.id, []).append((session.turns[0].said_at, said))
    for talk_id, _, day, speaker, text in SAID:
        at = datetime.fromisoformat(day).replace(tzinfo=UTC)
        sessions = talks.setdefault(talk_id, [])
        if not sessions or sessions[-1][0] != at:
            sessions.append((at, []))
        sessions[-1][1].append((speaker, text))
    path.write_text(json.dumps([sample(*one) for one in talks.items()]), "utf-8")
    return path


def sample(name: str, sessions: list[tuple[datetime, Said]]) -> dict[str, Any]:
    speakers = list(dict.fromkeys(speaker for _, said in sessions for speaker, _ in said))
    talk: dict[str, Any] = {"speaker_a": speakers[0], "speaker_b": speakers[-1]}
    for number, (at, said) in enumerate(sessions, 1):
        talk[f"session_{number}_date_time"] = f"{at:%I:%M %p} on {at.day} {at:%B}, {at.year}".lstrip("0").lower()
        talk[f"session_{number}"] = [
            {"speaker": speaker, "dia_id": f"D{number}:{place}", "text": text}
            for place, (speaker, text) in enumerate(said, 1)
        ]
    return {"sample_id": name, "conversation": talk, "qa": []}

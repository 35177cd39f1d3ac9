"""Small files in every format, and a way to read them that keeps conversations and problems apart."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from engramma import sources
from engramma.records import Conversation, Problem, Session, Turn

from .export_samples import CHATGPT, CLAUDE, as_json

GAP = timedelta(minutes=30)

LOCOMO: list[dict[str, Any]] = [
    {
        "qa": [{"question": "Where does Ada keep bees?", "answer": "on the roof", "evidence": ["D1:1"]}],
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_2_date_time": "9:05 am on 3 June, 2023",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "How are the bees?"}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": " I keep bees on the roof. "},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "Show me!",
                    "img_url": ["https://example.org/hive.jpg"],
                    "blip_caption": "a photo of a wooden hive",
                    "query": "hive",
                },
            ],
            "session_3_date_time": "9:05 am on 4 June, 2023",
        },
        "sample_id": "bees",
    }
]

MESSAGES: list[dict[str, Any]] = [
    {
        "id": "soup",
        "title": "Soup",
        "messages": [
            {"role": "system", "content": "Be brief.", "timestamp": "2024-03-01T10:00:00Z"},
            {"role": "user", "content": "What goes into borscht?", "timestamp": 1709287205},
            {"role": "assistant", "content": "Beetroot.", "timestamp": 1709287210000},
        ],
    },
    {"id": "kites", "messages": [{"role": "user", "name": "Ida", "content": "I fly kites."}]},
]

SINGLES: list[dict[str, Any]] = [
    {"role": "user", "content": "one", "timestamp": "2024-03-01T10:00:00Z", "conversation_id": "a"},
    {"role": "user", "content": "uno", "timestamp": "2024-03-01T10:00:00Z", "conversation_id": "b"},
    {"role": "assistant", "content": "two", "timestamp": "2024-03-01T10:00:09Z", "conversation_id": "a"},
]

TRANSCRIPT = """\
# By the lake

--- 2023-05-08 13:56 ---
Ann: Have you seen the heron?
[2023-05-08 13:57] Ben: Not yet.
It hides.

See https://example.org/heron: a map.
Note: bring boots.

## 2023-06-01
Ann: It is back.
"""

CONVERSATIONS = (
    Conversation(
        "trip",
        (
            Session(
                "trip-1",
                (
                    Turn("Ann", "We sail\nat dawn.", datetime(2023, 5, 8, 4, tzinfo=UTC), "t1", "user"),
                    Turn("Bot", "Fair \u2028 winds \u0001!", datetime(2023, 5, 8, 5, tzinfo=UTC), "t2"),
                ),
            ),
            Session("trip-2", (Turn("Ann", "Äpfel 🍎", None, "t3", "user"),), closed=False),
        ),
        title="Sailing",
        source="messages",
    ),
    Conversation("short", (Session("short-1", (Turn("Ben", "Hello.", id="t1"),)),)),
)


def json_lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def valid_files() -> dict[str, bytes]:
    """A valid file of every shape, by a name whose part before the dash is the format's."""
    return {
        "chatgpt": as_json(CHATGPT),
        "claude": as_json(CLAUDE, indent=1),
        "locomo": json.dumps(LOCOMO, indent=1).encode(),
        "messages-lines": json_lines(MESSAGES).encode(),
        "messages-singles": json_lines(SINGLES).encode(),
        "messages-document": json.dumps(MESSAGES[0], indent=2).encode(),
        "messages-array": json.dumps(SINGLES).encode(),
        "transcript": TRANSCRIPT.encode(),
        "engramma": "".join(sources.engramma_jsonl.write_export_lines(CONVERSATIONS, "default")).encode(),
    }


def read_all(path: Path, **options: Any) -> tuple[list[Conversation], list[Problem]]:
    found = list(sources.read_source(path, **{"idle_gap": GAP, **options}))
    return (
        [item for item in found if isinstance(item, Conversation)],
        [item for item in found if isinstance(item, Problem)],
    )


def turns_of(conversation: Conversation) -> list[Turn]:
    return [turn for session in conversation.sessions for turn in session.turns]

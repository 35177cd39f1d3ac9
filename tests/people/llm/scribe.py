"""A model that knows one sentence: "I live in X." Behind a real server, it replies as the protocol has it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

from tests.models.chat_server import said
from tests.models.servers import Asked, Reply

TURN = re.compile(r"^\[(\d+)\] (\w+): (.*)$", re.MULTILINE)
HOME = re.compile(r"I live in (\w+)")


def claims_of(prompt: str) -> list[dict[str, Any]]:
    """The claims of the numbered turns in a prompt."""
    return [
        {
            "turns": [int(number)],
            "speaker": speaker,
            "quote": home[0],
            "subject": speaker,
            "relation": "lives_in",
            "value": home[1],
            "time": "",
            "negated": False,
            "modality": "fact",
            "questions": [f"Where does {speaker} live?"],
        }
        for number, speaker, text in TURN.findall(prompt)
        for home in HOME.finditer(text)
    ]


def scribe(seconds: float = 0.0) -> Callable[[Asked], Reply]:
    def answer(asked: Asked) -> Reply:
        if seconds:
            time.sleep(seconds)
        prompt = asked.body["messages"][1]["content"]
        return said(json.dumps({"entities": [], "claims": claims_of(prompt)}), tokens=(50, 10))

    return answer

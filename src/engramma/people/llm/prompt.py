"""What a model is asked about a piece of talk: one prompt, one JSON schema, and how its reply is read as JSON.

The instructions come first and never change, so a server that keeps the beginning of a prompt reads them once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...files import foreign_json
from ...language.quoting import speaker_line
from ...language.times import readable
from ..claims.relations import RELATIONS
from .pieces import TalkPiece

PROMPT_VERSION = "2"  # another prompt is another reading: raise it, and `--again` asks anew
CONTEXT_CHARACTERS = 200  # of each turn before the piece that is shown for its pronouns
TYPES = ("person", "pet", "place", "organisation", "project", "tool", "event", "work", "condition", "thing")
MODALITIES = ("fact", "plan", "wish", "hypothetical", "question")


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_TEXT = {"type": "string"}
# The order matters: a model that has quoted the words first says of them what they say.
SCHEMA: Mapping[str, Any] = _object(
    {
        "claims": {
            "type": "array",
            "maxItems": 24,
            "items": _object(
                {
                    "turns": {"type": "array", "items": {"type": "integer"}},
                    "speaker": _TEXT,
                    "quote": _TEXT,
                    "subject": _TEXT,
                    "relation": {"type": "string", "pattern": "^[a-z][a-z_]{1,40}$"},
                    "value": _TEXT,
                    "time": _TEXT,
                    "negated": {"type": "boolean"},
                    "modality": {"type": "string", "enum": list(MODALITIES)},
                    "questions": {"type": "array", "items": _TEXT},
                }
            ),
        },
        "entities": {
            "type": "array",
            "maxItems": 12,
            "items": _object(
                {
                    "name": _TEXT,
                    "type": {"type": "string", "enum": list(TYPES)},
                    "aliases": {"type": "array", "items": _TEXT},
                }
            ),
        },
    }
)

SYSTEM = f"""You take notes of who said what. You get numbered turns of a talk and reply with JSON only.
claims: what a turn says of somebody or something.
- turns: the number of the turn that says it, then of others needed to understand it
- speaker: who says that turn
- quote: words copied exactly from that turn
- subject: whom it is about. "I" is the speaker, "you" is the one spoken to; write the name
- relation: one of {", ".join(RELATIONS)}; if none of them says it, a verb of your own in the same form (mentors, \
sponsors)
- value: a few words copied from the quote
- time: the words that tell when, copied as they are ("yesterday"), or ""
- negated: true for what is not so
- modality: fact, plan, wish, hypothetical or question
- questions: a question that the claim answers
entities: named people, places, organisations, pets, projects, tools, events and works in the turns, with aliases.
Greetings and thanks are no claims. Claim nothing that is not said.
Example turn: [4] Ana: I moved to Lyon last week with my dog Rex.
Example reply: {{"claims":[{{"turns":[4],"speaker":"Ana","quote":"I moved to Lyon last week",\
"subject":"Ana","relation":"moved_to","value":"Lyon","time":"last week","negated":false,"modality":"fact",\
"questions":["Where did Ana move to?"]}},{{"turns":[4],"speaker":"Ana","quote":"my dog Rex","subject":"Ana",\
"relation":"has_pet","value":"Rex","time":"","negated":false,"modality":"fact",\
"questions":["What is the name of Ana's dog?"]}}],"entities":[{{"name":"Lyon","type":"place","aliases":[]}},\
{{"name":"Rex","type":"pet","aliases":[]}}]}}"""


def messages(piece: TalkPiece) -> list[dict[str, str]]:
    """The question about a piece of talk."""
    lines = []
    if piece.before:
        lines.append("Said before, only to understand the rest:")
        lines += [f"{speaker_line(turn.speaker)}: {_flat(turn.text)[-CONTEXT_CHARACTERS:]}" for turn in piece.before]
        lines.append("")
    said_at = next((part.turn.said_at for part in piece.parts if part.turn.said_at is not None), None)
    lines.append(f"Turns{_dated(said_at)}:")
    lines += [
        f"[{number}] {speaker_line(part.turn.speaker)}: {_flat(part.text)}"
        for number, part in enumerate(piece.parts, 1)
    ]
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "\n".join(lines)}]


def reminder(asked: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The same question again, after a reply that was no JSON."""
    again = "That was no valid JSON. Reply again, with one short JSON object and nothing else."
    return [*(dict(one) for one in asked), {"role": "user", "content": again}]


def _dated(said_at: datetime | None) -> str:
    return "" if said_at is None else f" of {readable(said_at)}"


def _flat(text: str) -> str:
    return " ".join(text.split())


# --- replies -------------------------------------------------------------------------------------


def reply_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a reply: alone, in a fence, after a preface, or the part of it that was not cut off."""
    at = text.find("{")
    while at >= 0:
        try:
            found, _ = foreign_json.raw_decode(text, at)
        except ValueError:
            found = _mended(text[at:])
        if isinstance(found, dict) and ("claims" in found or "entities" in found):
            return found
        at = text.find("{", at + 1) if found is None and at < 200 else -1
    return None


def _mended(text: str) -> dict[str, Any] | None:
    """What was whole of an object that breaks off: cut after its last whole element, and its brackets closed."""
    open_brackets: list[str] = []
    ends: list[tuple[int, str]] = []  # after an element that was whole: where, and what was open there
    inside = escaped = False
    for at, char in enumerate(text):
        if inside:
            inside, escaped = (char != '"' or escaped), (char == "\\" and not escaped)
        elif char == '"':
            inside = True
        elif char in "{[":
            open_brackets.append("}" if char == "{" else "]")
        elif char in "}]":
            if not open_brackets or open_brackets.pop() != char:
                break
            if char == "}" or len(open_brackets) <= 1:  # a claim, or a whole list: not a list within a claim
                ends.append((at + 1, "".join(reversed(open_brackets))))
    for at, closing in reversed(ends[-3:]):
        try:
            found = foreign_json.loads(text[:at] + closing)
        except ValueError:
            continue
        return found if isinstance(found, dict) else None
    return None

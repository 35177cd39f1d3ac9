"""What a hook adds to an assistant's context: memories that fit a prompt, or where a project was left off.

Hooks are small processes that cannot render anything themselves: they ask here and print what comes.
"""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from ...errors import BadInput
from ...language.fence import fenced
from ...language.quoting import name_line
from ...language.text import PROXY, estimate_tokens, origin_of
from ...memory import Memory
from ...recall.assemble import FRAME_TOKENS, assemble_body
from ...recall.context import CUT, Utterance, cut_said, label, quotes
from ...records import Candidate
from .request import Asked
from .request_models import Name, RequestModel, Text
from .response_models import HookContext, JsonAnswer

paths = APIRouter(tags=["recall"])

K = 8
MOST_TOKENS = 1_700  # at most 6,800 characters; Claude Code takes 10,000
MOST_OF_ONE = 1_200  # characters of one memory
SESSIONS = 2  # of the project, the latest
TURNS = 4  # of each, the last


class HookIn(RequestModel):
    """What an assistant's program knows when it calls a hook."""

    event: Literal["prompt", "start"] = Field(description="A prompt was written, or a session starts.")
    query: Text = Field("", max_length=4_000, description="The prompt, or the name of the project.")
    conversation: Text = Field(
        "", max_length=1_000, description="The current conversation, which the assistant already sees."
    )
    earlier: list[Name] = Field([], max_length=10, description="The project's latest conversations, oldest first.")


@paths.post("/hook", response_model=HookContext, summary="What a hook adds to an assistant's context")
def hook_context(where: Asked, call: HookIn) -> JsonAnswer:
    """A fenced block for the assistant's context; empty if nothing in memory matches."""
    memory = where.memory
    parts = [ending(memory, one) for one in call.earlier[-SESSIONS:]] if call.event == "start" else []
    parts = [part for part in parts if part]
    room = MOST_TOKENS - FRAME_TOKENS - sum(estimate_tokens(part) + 1 for part in parts)
    found = memory.recall(call.query, K).candidates if call.query.strip() else ()
    if call.event == "start":
        name = call.query.casefold()
        fitting = [one for one in found if name in one.text.casefold()]
    else:
        fitting = [one for one in found if one.conversation_id != call.conversation]
    if kept := _within(fitting, room):
        parts.append(assemble_body(kept, None, most=MOST_OF_ONE)[0])
    return JsonAnswer(HookContext(fenced("\n\n".join(parts), memory.fence_key) if parts else ""))


def _within(found: list[Candidate], room: int) -> list[Candidate]:
    """The best that fit into so many tokens, each cut to its most."""
    kept = list[Candidate]()
    for one in found:
        used = estimate_tokens(assemble_body([one], None, most=MOST_OF_ONE)[0]) + 1
        if used <= room:
            kept.append(one)
            room -= used
    return kept


def ending(memory: Memory, conversation: str) -> str:
    """The last turns of a conversation as an entry; empty if it is not known."""
    try:
        sessions = memory.sessions(conversation)
        turns = memory.turns(conversation, str(sessions[-1]["id"]))[-TURNS:] if sessions else []
    except BadInput:
        return ""
    said = [Utterance(one.speaker, one.said_at, one.text) for one in turns if one.said_at is not None]
    thread = memory.browse.thread(conversation)
    captured = any(one.meta.get("via") == PROXY for one in turns)
    origin = origin_of(conversation, None if thread is None else thread.source, captured)
    room = MOST_TOKENS // (SESSIONS + 1)
    while said:
        began = said[0].said_at
        words = "\n".join(
            quotes(cut_said([one], MOST_OF_ONE), began)
            + (f"\n{CUT.format(what='cut to fit')}" if len(one.text) > MOST_OF_ONE else "")
            for one in said
        )
        place = name_line(str(sessions[-1]["id"])), name_line(conversation)
        text = f"{label(began, origin, *place, 'the end of it')}\n{words}"
        if estimate_tokens(text) <= room:
            return text
        said = said[1:]
    return ""

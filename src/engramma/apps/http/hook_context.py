"""What a hook adds to an assistant's context: memories that fit a prompt, or where a project was left off.

Hooks are small processes that cannot render anything themselves: they ask here and print what comes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from ...errors import BadInput
from ...language.fence import fenced
from ...language.go_ahead import only_urges
from ...language.text import PROXY, estimate_tokens, fold_text, origin_of
from ...memory import Memory
from ...recall.assemble import FRAME_TOKENS, entries_within, joined_entries
from ...recall.context import Utterance, called, label, quotes
from ...recall.passages import passage_within
from ...records import Candidate
from .request import Asked
from .request_models import Name, RequestModel, Text
from .response_models import HookContext, JsonAnswer

paths = APIRouter(tags=["recall"])

K = 8
OWN_PROJECT = 5.0  # what talk of another project must be likelier by to come before that of the project at hand
INNERMOST = 3  # folders of a path that may be a project's: above are "home" and "work"
MOST_TOKENS = 1_700  # at most 6,800 characters; Claude Code takes 10,000
LEAST_TOKENS = 60  # of room that is worth a memory
MOST_OF_ONE = 1_200  # characters of one turn of an earlier session
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
    folder: Text = Field(
        "", max_length=4_000, description="The folder at work: of what fits as well, talk of its project comes first."
    )


@paths.post("/hook", response_model=HookContext, summary="What a hook adds to an assistant's context")
def hook_context(where: Asked, call: HookIn) -> JsonAnswer:
    """A fenced block for the assistant's context; empty if nothing in memory matches."""
    memory = where.memory
    parts = [ending(memory, one) for one in call.earlier[-SESSIONS:]] if call.event == "start" else []
    parts = [part for part in parts if part]
    room = MOST_TOKENS - FRAME_TOKENS - sum(estimate_tokens(part) + 1 for part in parts)
    asks = call.query.strip() and not (call.event == "prompt" and only_urges(call.query))
    found = memory.recall(call.query, 2 * K if call.folder else K).candidates if asks else ()
    found = of_project_first(found, call.folder) if call.folder else found
    if call.event == "start":
        name = fold_text(call.query)
        fitting = [one for one in found if name in fold_text(one.text)]
    else:
        fitting = [one for one in found if one.conversation_id != call.conversation]
    if fitting and room > LEAST_TOKENS:
        parts.append(joined_entries(entries_within(fitting, room)[0]))
    return JsonAnswer(HookContext(fenced("\n\n".join(parts), memory.fence_key) if parts else ""))


def of_project_first(found: Sequence[Candidate], folder: str) -> tuple[Candidate, ...]:
    """The best entries, with their neighbours: of several that fit as well, those of the folder's project first."""
    names = {fold_text(name) for name in re.split(r"[/\\]", folder.rstrip("/\\"))[-INNERMOST:]} - {""}

    def worth(one: Candidate) -> float:
        is_own = fold_text(one.title or "").partition(": ")[0] in names
        return one.score * (OWN_PROJECT if is_own and one.evidence else 1)  # without evidence, scores are no shares

    first = sorted((one for one in found if one.role == "entry"), key=worth, reverse=True)[:K]
    shown = {one.segment_id for one in first}
    return (*first, *(one for one in found if one.path is not None and one.path.from_segment in shown))


def ending(memory: Memory, conversation: str) -> str:
    """The last turns of a conversation as an entry; empty if it is not known."""
    try:
        sessions = memory.sessions(conversation)
        turns = memory.turns(conversation, sessions[-1].id)[-TURNS:] if sessions else []
    except BadInput:
        return ""
    said = [Utterance(one.speaker, one.said_at, one.text) for one in turns if one.said_at is not None]
    thread = memory.browse.thread(conversation)
    captured = any(one.meta.get("via") == PROXY for one in turns)
    origin = origin_of(conversation, None if thread is None else thread.source, captured)
    room, where = MOST_TOKENS // (SESSIONS + 1), called(conversation, "", None if thread is None else thread.title)
    while said:
        began = said[0].said_at
        text = f"{label(began, origin, *where, 'the end of it')}\n{quotes([_beginning(one) for one in said], began)}"
        if estimate_tokens(text) <= room:
            return text
        said = said[1:]
    return ""


def _beginning(one: Utterance) -> Utterance:
    """The first sentences of what was said, as many as one turn may take."""
    start, end = passage_within(one.text, (0, 0), MOST_OF_ONE)
    return Utterance(one.speaker, one.said_at, one.text[start:end], cut_after=bool(one.text[end:].strip()))

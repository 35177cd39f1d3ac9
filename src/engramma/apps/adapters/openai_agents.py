"""A session of the OpenAI Agents SDK over a memory: `pip install 'engramma[openai-agents]'`.

An item is a turn of one conversation: what was said in it are the turn's words, and the item itself stands beside
them as JSON and comes back as it was. A silence of the memory's idle gap begins a new sitting, as in any other talk.
"""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ...memory import Memory
from ...records import Role, Turn
from . import packing

try:
    from agents.memory import SessionSettings
except ImportError as error:
    raise ImportError("This needs the Agents SDK. Install it with: pip install 'engramma[openai-agents]'") from error

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

CONVERSATION = "openai-agents"
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class EngrammaSession:
    """The history of one `session_id`, kept in a memory: what was said in it is found by recall from then on.

    What is popped or cleared is forgotten: it is not handed out any more, and `Memory.undo` brings it back.
    """

    def __init__(self, session_id: str, memory: Memory, *, session_settings: SessionSettings | None = None) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self.memory = memory
        self.conversation = f"{CONVERSATION}/{session_id}"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items, oldest first; with a limit, the latest so many of them."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return await asyncio.to_thread(self._items, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Remember items at the end of the history: all of them or none."""
        await asyncio.to_thread(self._add, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item out of the history and return it."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Take everything out of the history."""
        await asyncio.to_thread(self.memory.forget, conversation=self.conversation)

    # --- steps ---------------------------------------------------------------------------------

    def _items(self, limit: int | None) -> list[TResponseInputItem]:
        turns = [turn for _, turn in self.memory.turns_under(self.conversation)]
        shown = turns if limit is None else turns[len(turns) - min(max(limit, 0), len(turns)) :]
        return [_item_of(turn) for turn in shown]

    def _add(self, items: list[Any]) -> None:
        if not items:
            return
        now, most = datetime.now(UTC), self.memory.config.max_turn_bytes
        turns = []
        for item in items:
            speaker, role, text = _said_in(item, self.memory)
            meta = packing.pack_value(item, self.memory.redactor.mask, most)
            turns.append(Turn(speaker, text, now, uuid.uuid4().hex[:16], role, meta))
        self.memory.remember_session(self.conversation, self._sitting(now), turns, close=False)

    def _pop(self) -> TResponseInputItem | None:
        while found := self.memory.turns_under(self.conversation):
            session, turn = found[-1]
            assert turn.id is not None
            if self.memory.forget([turn.id], conversation=self.conversation, session=session).turns:
                return _item_of(turn)  # else somebody else has popped it just now
        return None

    def _sitting(self, now: datetime) -> str:
        """The session that goes on, or a new one after a silence; the one before is closed then."""
        known = self.memory.sessions(self.conversation)
        if known:
            last = known[-1]
            if now - last.last_at <= timedelta(minutes=self.memory.config.idle_minutes):
                return last.id
            if not last.closed:
                self.memory.close_session(self.conversation, last.id)
        return now.strftime("%Y%m%dT%H%M%S.%fZ")


def _item_of(turn: Turn) -> TResponseInputItem:
    """The item that was added; a plain message, where a later scan for secrets has broken its JSON."""
    item: Any = {"role": turn.role if turn.role in ROLES else "user", "content": turn.text}
    with suppress(ValueError):
        item = packing.unpack_value(turn.meta)
    return item


def _said_in(item: Any, memory: Memory) -> tuple[str, Role | None, str]:
    """Who speaks in an item and what is said, or done, in words of their own."""
    if not isinstance(item, dict):
        raise BadInput(f"An item of a session is a dictionary, not a {type(item).__name__}.")
    kind = str(item.get("type") or "message")
    role = ROLES.get(str(item.get("role")))
    if "role" in item:
        speaker, text = str(role or item["role"]), texts_in(item.get("content"))
    elif kind.endswith("_output"):
        speaker, role, text = "tool", "tool", texts_in(item.get("output"))
    elif kind == "reasoning":
        speaker, role, text = "assistant", "assistant", texts_in(item.get("summary"))
    elif "name" in item:
        speaker, role = "assistant", "assistant"
        text = f"[call {item['name']}({texts_in(item.get('arguments', item.get('input')))})]"
    else:
        speaker, role, text = "assistant", "assistant", ""
    words = packing.make_storable(memory.redactor.own_words(text))
    return speaker.strip() or "user", role, words if words.strip() else f"({kind})"


def texts_in(content: Any) -> str:
    """The texts of a message's parts; what is no text is named."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := texts_in(part)))
    if isinstance(content, dict):
        for name in ("text", "refusal", "transcript"):
            if isinstance(content.get(name), str):
                return str(content[name])
        return f"[{content.get('type', 'data')}]"
    return "" if content is None else str(content)

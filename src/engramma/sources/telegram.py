"""Telegram Desktop's result.json: one chat, or an account's export with "chats" and "left_chats".

A chat is a conversation. Kept: the name and id of the sender, times, replies, forwards, edits, and a
placeholder for what is not text ("[photo]", "[voice message, 5 s]"). Service messages are counted.
A message's id is Telegram's; after an edit it has the time of the edit behind it, because what was
said before stays as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Role, Turn
from ..times import parse_time
from .chats import sessions_by_start, skipped
from .files import HEAD_BYTES, document, seen
from .ids import talk_id, with_content_ids
from .json_files import parse_json
from .reader import Options
from .sessions import fill_times, no_times
from .telegram_rescue import rescued
from .telegram_text import placeholder, plain

NAME = "telegram"
DESCRIPTION = "Telegram Desktop export (result.json), one chat or all"

_TYPES = (
    r"personal_chat|bot_chat|saved_messages|replies|verify_codes|"
    r"private_(?:group|supergroup|channel)|public_(?:group|supergroup|channel)"
)
_CHAT = re.compile(rf'(?<!\\)"type"\s*:\s*"(?:{_TYPES})"')
# Telegram spells control characters as C does: \x0B is no JSON.
_C_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\x([0-9A-Fa-f]{2})")
_PEOPLE = ("personal_chat", "bot_chat", "saved_messages", "replies", "verify_codes")
_TITLES = {"saved_messages": "Saved Messages", "replies": "Replies"}


def looks_like(head: str, path: Path) -> bool:
    start = head.lstrip()
    if not start.startswith("{"):
        return False
    # A whole account begins with what the person has on it: contacts can fill the head alone.
    account = '"personal_information"' in start and '"about"' in start and "Telegram" in start
    return account or (bool(_CHAT.search(start)) and '"messages"' in start)


def takes(names: Sequence[str]) -> list[str]:
    """The file of an export's folder that holds the chats; the others are what was attached to them."""
    return [name for name in names if PurePosixPath(name).name == "result.json"]


def read(path: Path, options: Options) -> Iterator[Conversation | Problem]:
    value, damage = _value(path)
    chats = list(_chats(value))
    if damage:
        yield Problem(str(path), "file", f"{damage}; the messages that are whole are taken, the rest is skipped")
    if not chats:
        raise UnreadableSource(f'{path} holds no Telegram chat: no object has a list of "messages"')
    reading = _Reading(str(path), path.stem, options)
    for where, chat in chats:
        messages = chat.get("messages") if isinstance(chat, dict) else None
        if not isinstance(chat, dict) or not isinstance(messages, list):
            yield Problem(str(path), where, "not a chat with messages; skipped")
            continue
        yield from reading.chat(chat, messages, where)
    yield from skipped(str(path), "service messages", reading.service)
    if reading.timeless:
        yield no_times(str(path), reading.timeless, options.fallback_time)


def _value(path: Path) -> tuple[object, str | None]:
    """The export, and what is wrong with it where only a part of it could be read."""
    text = document(path)
    damage = ""
    for form in (text, _C_ESCAPE.sub(r"\1\\u00\2", text)):
        # The second only where it differs: a large file is not read twice to fail the same way.
        if not damage or form != text:
            try:
                return parse_json(form), None
            except ValueError as error:
                text, damage = form, str(error)
    chats = rescued(text)
    if not any(chat["messages"] for chat in chats):
        raise UnreadableSource(f"{path} is {damage}. Seen: {seen(path, text[:HEAD_BYTES])}.")
    return {"chats": {"list": chats}}, damage


def _chats(value: object) -> Iterator[tuple[str, object]]:
    """The chats of an export with their places: the one that it is, or those of its lists."""
    if not isinstance(value, dict):
        return
    if "messages" in value:
        yield "the chat", value
    for key in ("chats", "left_chats"):
        part = value.get(key)
        listed = part.get("list") if isinstance(part, dict) else None
        for number, chat in enumerate(listed if isinstance(listed, list) else [], start=1):
            yield f"{key} {number}", chat


@dataclass(slots=True)
class _Reading:
    """One pass over an export, counting service messages and chats that state no time."""

    path: str
    stem: str
    options: Options
    service: Counter[str] = field(default_factory=Counter)
    timeless: int = 0

    def chat(self, chat: dict[str, object], messages: list[object], where: str) -> Iterator[Conversation | Problem]:
        turns: list[Turn] = []
        for number, message in enumerate(messages, start=1):
            place = f"{where}, message {number}"
            if not isinstance(message, dict):
                yield Problem(self.path, place, "not a JSON object; skipped")
                continue
            kind = message.get("type")
            if kind != "message":
                action = message.get("action")
                self.service[str(action if isinstance(action, str) else kind)] += 1
                continue
            text = "\n".join(part for part in (placeholder(message), plain(message.get("text"))) if part)
            if not text.strip():
                yield Problem(self.path, place, "no text and no attachment; skipped")
                continue
            said_at = self.time(message)
            if isinstance(said_at, str):
                yield Problem(self.path, place, f"kept, with its time taken as missing: {said_at}")
                said_at = None
            name = _number(message.get("id"))
            edited = _number(message.get("edited_unixtime")) or _filled(message.get("edited"))
            turns.append(
                Turn(
                    _speaker(message, chat),
                    text,
                    said_at,
                    f"{name}-{edited}" if name and edited else name,
                    _role(message, chat),
                    _meta(message),
                )
            )
        if not turns:
            # Many chats of an account hold nothing but "joined Telegram".
            self.service["chats without a message"] += 1
            return
        stated = [turn.said_at for turn in turns]
        self.timeless += not any(stated)
        times = fill_times(stated, start=self.options.fallback_time)
        timed = [replace(turn, said_at=time) for turn, time in zip(turns, times, strict=True)]
        title = _filled(chat.get("name")) or _TITLES.get(str(chat.get("type")))
        number_of_chat = _number(chat.get("id"))
        conversation = (
            f"telegram-{_kind(chat)}{number_of_chat}"
            if number_of_chat
            else talk_id(f"telegram-{title or self.stem}", turns[0].speaker, turns[0].text)
        )
        sessions = sessions_by_start(conversation, with_content_ids(timed), self.options.idle_gap)
        yield Conversation(conversation, sessions, title=title, source=NAME)

    def time(self, message: dict[str, object]) -> datetime | str | None:
        """The moment, which needs no zone, else the local time as it is written; or why there is none."""
        wrong = None
        for key in ("date_unixtime", "date"):
            if message.get(key) is not None:
                try:
                    return parse_time(message[key], self.options.zone)
                except ValueError as error:
                    wrong = str(error)
        return wrong


def _kind(chat: dict[str, object]) -> str:
    """What the id of a chat is an id of, as in "user123": people, groups and channels are numbered apart."""
    kind = str(chat.get("type"))
    if kind in _PEOPLE:
        return "user"
    return "chat" if kind.endswith("_group") else "channel"


def _speaker(message: dict[str, object], chat: dict[str, object]) -> str:
    # A deleted account has no name left, only its id; a post in a channel may be by the channel.
    for value in (message.get("from"), message.get("from_id"), message.get("author"), chat.get("name")):
        if name := _filled(value) or _number(value):
            return name
    return "unknown"


def _role(message: dict[str, object], chat: dict[str, object]) -> Role | None:
    """In a chat with a bot, the bot is the assistant; between people nobody has a role."""
    if chat.get("type") != "bot_chat":
        return None
    return "assistant" if message.get("from_id") == f"user{_number(chat.get('id'))}" else "user"


def _meta(message: dict[str, object]) -> dict[str, str]:
    stated = {
        "sender": message.get("from_id"),
        "reply_to": message.get("reply_to_message_id"),
        "forwarded_from": message.get("forwarded_from"),
        "saved_from": message.get("saved_from"),
        "via_bot": message.get("via_bot"),
        "edited": message.get("edited"),
    }
    found = {key: _filled(value) or _number(value) for key, value in stated.items()}
    # The name of a deleted account that was forwarded from is null, but the key is there.
    if "forwarded_from" in message and not found["forwarded_from"]:
        found["forwarded_from"] = "unknown"
    return {key: value for key, value in found.items() if value}


def _filled(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _number(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**30 else None
    return value if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,30}", value) else None

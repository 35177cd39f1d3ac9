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
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Role, Turn
from .chats import sessions_by_start, skipped
from .clock import written_time
from .containers import open_source
from .files import describe_file, read_text_head
from .ids import content_ids, name_file, talk_id
from .json_text import JsonText
from .reader import ReaderOptions
from .sessions import cut_conversation, no_times, timed
from .streaming import StreamedItem
from .telegram_chats import Export, Fields, TelegramDamage
from .telegram_text import placeholder, read_telegram_text

NAME = "telegram"
DESCRIPTION = "Telegram Desktop export (result.json), one chat or all"

_TYPES = (
    r"personal_chat|bot_chat|saved_messages|replies|verify_codes|"
    r"private_(?:group|supergroup|channel)|public_(?:group|supergroup|channel)"
)
_CHAT = re.compile(rf'(?<!\\)"type"\s*:\s*"(?:{_TYPES})"')
# A byte order mark, and blank space.
_MARK = re.compile(r"\ufeff?\s*")
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


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), name_file(path), options)
    with open_source(path) as file:
        export = Export(JsonText(file, c_escapes=True))
        export.text.peek(_MARK)
        met = 0
        for chat in export.chats():
            if isinstance(chat, TelegramDamage):
                yield Problem(str(path), "file", chat.reason, damage=True)
            elif chat.messages is None:
                met += 1
                yield Problem(str(path), chat.where, "not a chat with messages; skipped")
            else:
                met += 1
                yield from reading.chat(chat.fields, chat.messages, chat.where)
    if export.damage and not export.met:
        raise UnreadableSource(f"{path} is {export.damage}. Seen: {describe_file(path, read_text_head(path))}.")
    if not met:
        reason = f'no object has a list of "messages". Seen: {describe_file(path, read_text_head(path))}.'
        raise UnreadableSource(f"{path} holds no Telegram chat: {reason}")
    yield from skipped(str(path), "service messages", reading.service)
    if reading.timeless:
        yield no_times(str(path), reading.timeless, options.fallback_time)


@dataclass(slots=True)
class _Reading:
    """One pass over an export, counting service messages and chats that state no time."""

    path: str
    stem: str
    options: ReaderOptions
    service: Counter[str] = field(default_factory=Counter)
    timeless: int = 0
    problems: list[Problem] = field(default_factory=list)

    def chat(
        self, chat: Fields, messages: Iterator[StreamedItem | TelegramDamage], where: str
    ) -> Iterator[Conversation | Problem]:
        """A chat, in pieces where it is long."""
        turns = self.turns(chat, messages, where)
        first = next(turns, None)
        if first is None:
            # Many chats of an account hold nothing but "joined Telegram".
            self.service["chats without a message"] += 1
            yield from self.noted()
            return
        title = _filled(chat.get("name")) or _TITLES.get(str(chat.get("type")))
        number = _number(chat.get("id"))
        name = (
            f"telegram-{_kind(chat)}{number}"
            if number
            else talk_id(f"telegram-{title or self.stem}", first.speaker, first.text)
        )
        told = timed(chain([first], turns), self.options.fallback_time)
        sessions = sessions_by_start(name, content_ids(told), self.options.idle_gap)
        for piece in cut_conversation(Conversation(name, (), title=title, source=NAME), sessions):
            yield from self.noted()
            yield piece
        yield from self.noted()

    def turns(self, chat: Fields, messages: Iterator[StreamedItem | TelegramDamage], where: str) -> Iterator[Turn]:
        is_timeless = True
        has_turns = False
        for item in messages:
            if isinstance(item, TelegramDamage):
                self.problems.append(Problem(self.path, where, item.reason, damage=True))
                continue
            place = f"{where}, message {item.number}"
            if item.note:
                self.note(place, item.note)
            turn = self.turn(chat, item.value, place)
            if turn is not None:
                has_turns = True
                is_timeless = is_timeless and turn.said_at is None
                yield turn
        self.timeless += has_turns and is_timeless

    def turn(self, chat: Fields, message: object, place: str) -> Turn | None:
        """A message as a turn, None for what nobody said."""
        if not isinstance(message, dict):
            self.note(place, "not a JSON object; skipped")
            return None
        kind = message.get("type")
        if kind != "message":
            action = message.get("action")
            self.service[str(action if isinstance(action, str) else kind)] += 1
            return None
        text = "\n".join(part for part in (placeholder(message), read_telegram_text(message.get("text"))) if part)
        if not text.strip():
            self.note(place, "no text and no attachment; skipped")
            return None
        said_at = self.time(message)
        if isinstance(said_at, str):
            self.note(place, f"kept without its time: {said_at}")
            said_at = None
        name = _number(message.get("id"))
        edited = _number(message.get("edited_unixtime")) or _filled(message.get("edited"))
        turn_id = f"{name}-{edited}" if name and edited else name
        return Turn(_speaker(message, chat), text, said_at, turn_id, _role(message, chat), _meta(message))

    def note(self, where: str, reason: str) -> None:
        self.problems.append(Problem(self.path, where, reason))

    def noted(self) -> Iterator[Problem]:
        yield from self.problems
        self.problems.clear()

    def time(self, message: Fields) -> datetime | str | None:
        """The moment, which needs no zone, else the local time as it is written; or why there is none."""
        wrong = None
        for key in ("date_unixtime", "date"):
            if message.get(key) is not None:
                try:
                    return written_time(message[key])
                except ValueError as error:
                    wrong = str(error)
        return wrong


def _kind(chat: Fields) -> str:
    """What the id of a chat is an id of, as in "user123": people, groups and channels are numbered apart."""
    kind = str(chat.get("type"))
    if kind in _PEOPLE:
        return "user"
    return "chat" if kind.endswith("_group") else "channel"


def _speaker(message: Fields, chat: Fields) -> str:
    # A deleted account has no name left, only its id; a post in a channel may be by the channel.
    for value in (message.get("from"), message.get("from_id"), message.get("author"), chat.get("name")):
        if name := _filled(value) or _number(value):
            return name
    return "unknown"


def _role(message: Fields, chat: Fields) -> Role | None:
    """In a chat with a bot, the bot is the assistant; between people nobody has a role."""
    if chat.get("type") != "bot_chat":
        return None
    return "assistant" if message.get("from_id") == f"user{_number(chat.get('id'))}" else "user"


def _meta(message: Fields) -> dict[str, str]:
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

"""The chats of a result.json of any length, message by message.

A message that is damaged is given up, and reading goes on with the next one. Where the file is
damaged between messages, it goes on at the next list of them: a chat's own fields stand right before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..files import foreign_json
from .json_text import MAX_EFFORT, Broken, JsonText
from .streaming import StreamedItem

_MESSAGES = re.compile(r'"messages"\s*:\s*(?=\[)')
_FIELD = re.compile(r'"(name|type|id)"\s*:\s*("(?:[^"\\]|\\.){0,300}"|-?[0-9]{1,20}|null)')
_NEXT = re.compile(r'\}\s*,\s*(?P<message>\{\s*"id"\s*:)|"messages"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_BEFORE = 2000
# Chats that have no name.
_NAMELESS = ("saved_messages", "replies", "verify_codes")

Fields = dict[str, object]


@dataclass(frozen=True, slots=True)
class TelegramDamage:
    """A place that could not be read, and what became of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat's place, its fields, and its messages, to be read before the next chat; None where it has no list."""

    where: str
    fields: Fields
    messages: Iterator[StreamedItem | TelegramDamage] | None


@dataclass(slots=True)
class Export:
    """One pass over a file. `damage` is the first that was met, with what stands around it."""

    text: JsonText
    damage: str | None = None
    met: int = 0  # messages
    effort: int = 0
    ended: int = 0  # the byte behind the last list of messages
    broken: Broken | None = None  # what ended the list that was read last

    def chats(self) -> Iterator[Chat | TelegramDamage]:
        try:
            if self.text.peek() == "{":
                yield from self._object("the chat", is_root=True)
            if self.damage is None and self.met and self.text.peek():
                raise Broken(f"not JSON: more text after its end, at byte {self.text.at}", 1)
        except Broken as broken:
            yield self._damaged(broken)
            yield from self._rescued()
        if self.text.failure:
            yield TelegramDamage(
                f"{self.text.failure}; everything complete before it was imported, the rest is skipped"
            )

    def _object(self, where: str, is_root: bool = False) -> Iterator[Chat]:
        """The chat that an object is, and in the object of an account those that it holds."""
        fields: Fields = {}
        held: list[StreamedItem | TelegramDamage] | None = None
        is_given = False
        try:
            for key in self._keys():
                if key == "messages" and self.text.peek() == "[":
                    messages = self._messages()
                    if _is_known(fields):
                        is_given = True
                        yield Chat(where, fields, messages)
                    else:
                        held = list(messages)  # its fields stand behind them: another program wrote this
                    self._pass(messages)
                elif is_root and key in ("chats", "left_chats") and self.text.peek() == "{":
                    yield from self._listed(key)
                else:
                    fields[key] = self.text.value()
        except Broken:
            if held:
                yield Chat(where, fields, iter(held))
            raise
        if held is not None:
            yield Chat(where, fields, iter(held))
        elif not is_given and (not is_root or "messages" in fields):
            yield Chat(where, fields, None)

    def _listed(self, key: str) -> Iterator[Chat]:
        for inner in self._keys():
            if inner != "list" or self.text.peek() != "[":
                self.text.value()
                continue
            number = 0
            self.text.expect("[")
            while self.text.peek(_BETWEEN) not in ("]", ""):
                number += 1
                if self.text.peek() == "{":
                    yield from self._object(f"{key} {number}")
                else:
                    self.text.value()
                    yield Chat(f"{key} {number}", {}, None)
            self.text.expect("]")

    def _keys(self) -> Iterator[str]:
        """The keys of the object that begins here; whoever takes one reads its value before the next."""
        self.text.expect("{")
        if self.text.peek() == "}":
            self.text.expect("}")
            return
        while True:
            self.text.peek()
            key, end = self.text.decoded()
            # A key over several lines has lost its end; what it swallowed is not passed over.
            if not isinstance(key, str) or "\n" in key:
                raise Broken(f"not JSON: a key expected at byte {self.text.at}", 1)
            self.text.skip(end - self.text.pos)
            self.text.expect(":")
            yield key
            if self.text.expect(",}") == "}":
                return

    def _messages(self) -> Iterator[StreamedItem | TelegramDamage]:
        """The items of the list that begins here; it ends, too, where no whole one follows a damaged one."""
        self.text.expect("[")
        number = 0
        while True:
            char = self.text.peek(_BETWEEN)
            if char == "]":
                self.text.skip(1)
                self.ended = self.text.at
                return
            number, at = number + 1, self.text.at
            try:
                value, end = self.text.decoded()
            except Broken as broken:
                self.effort += broken.scanned
                found = None if self.effort > MAX_EFFORT else self.text.seek(_NEXT)
                if found is None or not found["message"]:
                    self.broken, self.ended = broken, at
                    return
                self.text.skip(found.start("message") - found.start())
                self.damage = self.damage or str(broken)
                yield TelegramDamage(
                    f"message {number} is {broken}; skipped to the next complete one at byte {self.text.at}"
                )
                continue
            note, mended = self.text.taken(end)
            self.met += 1
            yield StreamedItem(number, at, value if mended is None else mended, note)

    def _pass(self, messages: Iterator[StreamedItem | TelegramDamage]) -> None:
        """Read what is left of a list, and raise what ended it, if anything did."""
        for _ in messages:
            pass
        broken, self.broken = self.broken, None
        if broken is not None:
            raise broken

    def _damaged(self, broken: Broken) -> TelegramDamage:
        self.damage = self.damage or str(broken)
        cut = "; the file ends too early" if broken.is_cut else ""
        return TelegramDamage(f"{broken}{cut}; complete messages are imported, the rest is skipped")

    def _rescued(self) -> Iterator[Chat | TelegramDamage]:
        """The chats behind a damaged place."""
        while self.effort <= MAX_EFFORT and (found := self.text.seek(_MESSAGES)):
            window = min(_BEFORE, self.text.at - self.ended, self.text.pos)
            fields = _FIELD.findall(self.text.text[self.text.pos - window : self.text.pos])
            self.text.skip(len(found[0]))
            messages = self._messages()
            where = f"chat at byte {self.text.at}"
            try:
                yield Chat(where, {key: _value(written) for key, written in fields}, messages)
                self._pass(messages)
            except Broken as broken:
                if str(broken) != self.damage:
                    yield self._damaged(broken)


def _is_known(fields: Fields) -> bool:
    """Whether all was read that a chat says about itself; Telegram writes it before the messages."""
    return {"type", "id"} <= fields.keys() and ("name" in fields or fields["type"] in _NAMELESS)


def _value(written: str) -> object:
    try:
        value: object = foreign_json.loads(written)
    except ValueError:
        return None
    return value

"""A Slack export, folder or zip: users.json, lists of channels, and a folder a channel with a file a day.

A channel, a group or a direct message is a conversation. People are named as the workspace shows
them, mentions and links are written out. Replies in threads stand where they were said, with the
thread in their meta. Joins, topics and the like are counted. A message's id is its ts, which is
also its time; after an edit the edit's ts follows, because what was said before stays as it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..language.times import from_micros
from ..records import Conversation, Problem, Turn
from .chats import sessions_by_start, skipped
from .ids import with_content_ids
from .json_files import document_value
from .reader import ReaderOptions
from .sessions import fill_times, no_times
from .slack_text import SlackNames, body, people_of

NAME = "slack"
DESCRIPTION = "Slack export, folder or zip: users.json, channels.json, <channel>/YYYY-MM-DD.json"

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\.json")
_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")
_TS = re.compile(r"(?P<seconds>[0-9]{9,11})(?:\.(?P<rest>[0-9]{1,9}))?")
_MARK = re.compile(r'(?<!\\)"ts"\s*:\s*"[0-9]{9,11}\.[0-9]{4,9}"')
_KIND = re.compile(r'(?<!\\)"type"\s*:\s*"message"')
# What the workspace says about itself, in the names that Slack gives it.
_SERVICE = re.compile(
    r"(?:channel|group)_(?:join|leave|topic|purpose|name|archive|unarchive|convert_to_private|posting_permissions)|"
    r"bot_(?:add|remove|enable|disable)|(?:un)?pinned_item|reminder_add|tombstone|joiner_notification\w*|"
    r"message_(?:deleted|replied)|huddle_thread|sh_room_\w+|app_conversation_\w+|(?:channel|tabbed)_canvas_updated|"
    r"ekm_access_denied|group_purpose"
)


def looks_like(head: str, path: Path) -> bool:
    return head.lstrip().startswith("[") and bool(_MARK.search(head)) and bool(_KIND.search(head))


def takes(names: Sequence[str]) -> list[str]:
    """The files of days, each in the folder of its channel, and the lists of people and channels beside them."""
    paths = [PurePosixPath(name) for name in names]
    days = [path for path in paths if _DAY.fullmatch(path.name) and path.parent.name]
    roots = {path.parent.parent for path in days}
    lists = [path for path in paths if path.name in ("users.json", *_LISTS) and path.parent in roots]
    return [str(path) for path in (*days, *lists)]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    """One file of a day, in the export that it lies in, if it does."""
    return _read(path, path.parent.parent, {path.parent.name: [path]}, options)


def read_members(path: Path, names: list[str], options: ReaderOptions) -> Iterator[Conversation | Problem]:
    """All channels of an export; it may lie in a folder of the zip."""
    days: dict[PurePosixPath, dict[str, list[Path]]] = {}
    for name in sorted(names):
        folder = PurePosixPath(name).parent
        if not _DAY.fullmatch(PurePosixPath(name).name):
            continue
        days.setdefault(folder.parent, {}).setdefault(folder.name, []).append(path / name)
    refused: list[UnreadableSource] = []
    for root, channels in days.items():
        try:
            yield from _read(path, path / root, channels, options)
        except UnreadableSource as error:
            refused.append(error)
    if len(refused) == len(days):
        raise refused[0]
    yield from (Problem(str(path), "folder", f"{error}; skipped", damage=True) for error in refused)


def _read(
    source: Path, root: Path, folders: dict[str, list[Path]], options: ReaderOptions
) -> Iterator[Conversation | Problem]:
    problems: list[Problem] = []
    people = people_of(_listed(root / "users.json", problems))
    channels = _channels(root, people, problems)
    reading = _Reading(options, replace(people, channels={one.id: one.title for one in channels.values()}))
    yield from problems
    taken = False
    refused: list[str] = []
    for folder, files in folders.items():
        for item in reading.channel(channels.get(folder) or _Channel(folder, f"#{folder}"), files):
            taken = taken or isinstance(item, Conversation)
            if isinstance(item, Problem):
                refused = refused or [f"{item.where}: {item.reason}"]
            yield item
    yield from skipped(str(root), "notices from Slack", reading.service)
    if not taken and not reading.service:
        raise UnreadableSource("; ".join([f"{source} contains no message of a Slack channel", *refused]))
    if reading.timeless:
        yield no_times(str(root), reading.timeless, options.fallback_time)


@dataclass(frozen=True, slots=True)
class _Channel:
    """A channel of whatever kind: its id, and what it is called."""

    id: str
    title: str


def _listed(path: Path, problems: list[Problem]) -> list[dict[str, object]]:
    """The objects of one of the lists; one that is missing says nothing, one that is damaged says why."""
    try:
        value = document_value(path)
    except UnreadableSource as error:
        if "cannot be opened" not in str(error):
            problems.append(Problem(str(path), "file", f"{error}; names are kept as ids", damage=True))
        return []
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _channels(root: Path, people: SlackNames, problems: list[Problem]) -> dict[str, _Channel]:
    """The channels by the name of their folder: their own name, or for a direct message its id."""
    found: dict[str, _Channel] = {}
    for file in _LISTS:
        for item in _listed(root / file, problems):
            id, name, members = item.get("id"), item.get("name"), item.get("members")
            if not isinstance(id, str) or not id:
                continue
            spoken = [people.name(one) for one in members if isinstance(one, str)] if isinstance(members, list) else []
            is_talk = file in ("dms.json", "mpims.json")
            called = name if isinstance(name, str) and name else id
            found[id if file == "dms.json" else called] = _Channel(
                id, ", ".join(spoken) if is_talk and spoken else f"#{called}"
            )
    return found


@dataclass(slots=True)
class _Reading:
    """One pass over an export, counting what nobody said."""

    options: ReaderOptions
    people: SlackNames
    service: Counter[str] = field(default_factory=Counter)
    timeless: int = 0

    def channel(self, channel: _Channel, files: list[Path]) -> Iterator[Conversation | Problem]:
        turns: list[tuple[str, Turn]] = []
        for file in files:
            try:
                value = document_value(file)
            except UnreadableSource as error:
                yield Problem(str(file), "file", f"{error}; skipped", damage=True)
                continue
            if not isinstance(value, list):
                yield Problem(str(file), "file", "not a list of messages; skipped")
                continue
            for number, message in enumerate(value, start=1):
                try:
                    turn = self.turn(message)
                except ValueError as error:
                    yield Problem(str(file), f"message {number}", f"{error}; skipped")
                    continue
                if turn:
                    turns.append((str(turn.meta.get("ts", "")), turn))
        if not turns:
            return
        # A thread is exported under the day of its first message by some programs: time decides.
        in_order = [turn for _, turn in sorted(turns, key=lambda one: _order(one[0]))]
        stated = [turn.said_at for turn in in_order]
        self.timeless += not any(stated)
        times = fill_times(stated, start=self.options.fallback_time)
        timed = [replace(turn, said_at=time) for turn, time in zip(in_order, times, strict=True)]
        conversation = f"slack-{channel.id}"
        sessions = tuple(sessions_by_start(conversation, with_content_ids(timed), self.options.idle_gap))
        yield Conversation(conversation, sessions, title=channel.title, source=NAME)

    def turn(self, message: object) -> Turn | None:
        """A message as a turn, None for what nobody said."""
        if not isinstance(message, dict):
            raise ValueError("not a JSON object")
        subtype = message.get("subtype")
        if isinstance(subtype, str) and _SERVICE.fullmatch(subtype):
            self.service[subtype] += 1
            return None
        if message.get("type", "message") != "message":
            raise ValueError("not a message")
        text = body(message, self.people)
        if not text.strip():
            raise ValueError("no text and no attachment")
        ts, edited = message.get("ts"), message.get("edited")
        found = _TS.fullmatch(ts) if isinstance(ts, str) else None
        micros = int(found["seconds"]) * 1_000_000 + int((found["rest"] or "0")[:6].ljust(6, "0")) if found else None
        changed = edited.get("ts") if isinstance(edited, dict) else None
        name = f"{ts}-{changed}" if isinstance(changed, str) and changed else ts
        thread = message.get("thread_ts")
        stated = {
            "ts": ts if found else None,
            "user": message.get("user") or message.get("bot_id"),
            "thread": thread if thread != ts else None,
            "edited": changed,
            "kind": subtype,
        }
        return Turn(
            self.people.speaker(message),
            text,
            None if micros is None else from_micros(micros),
            name if found and isinstance(name, str) else None,
            meta={key: value for key, value in stated.items() if isinstance(value, str) and value},
        )


def _order(ts: str) -> tuple[int, str]:
    """A key by which messages sort in time; those without one keep their place at the end."""
    found = _TS.fullmatch(ts)
    return (int(found["seconds"]), found["rest"] or "") if found else (10**12, "")

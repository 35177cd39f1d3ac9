"""Gemini's chats out of Google Takeout: My Activity, "Gemini Apps", as MyActivity.json or MyActivity.html.

    [{"header":"Gemini Apps","title":"Prompted Why is the sky blue?","time":"2026-07-26T06:07:57.773Z",
      "titleUrl":"https://gemini.google.com/app/…","safeHtmlItem":[{"html":"<p>…</p>"}]}]

An entry is a prompt and its answer, the newest first. Chats are known by the address of the entry,
where it has one; all others are a conversation a day, because nothing says which belong together.
Other activities (canvases, feedback, other products in the same file) are counted and left out. Words
before the prompt are translated with the account's language, so a title without a known one is taken
as it is, if there is an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from ..errors import UnreadableSource
from ..language.times import format_time
from ..records import Conversation, Problem, Turn
from .agent_turns import stated_time, word
from .chats import sessions_by_start, skipped
from .clock import WALL
from .files import document
from .gemini_takeout_html import Activity, activities, as_text
from .ids import content_id
from .json_files import document_value
from .reader import ReaderOptions

NAME = "gemini-takeout"
DESCRIPTION = "Gemini Apps activity of Google Takeout (MyActivity.json or .html)"

_FILE = re.compile(r"my ?activity", re.IGNORECASE)
_PRODUCT = re.compile(r"\b(?:gemini|bard)\b", re.IGNORECASE)
_HEADER = re.compile(r'"(?:header|products)"\s*:\s*(?:\[\s*)?"[^"]{0,40}(?:Gemini|Bard)')
_PAGE = re.compile(r'<p class="mdl-typography--title">[^<]{0,40}(?:Gemini|Bard)')
_PROMPT = re.compile(r"(?:Prompted with:|Asked (?:Gemini|Bard):|Prompted|Asked|Said|Branched|Answered)\s+")
_OTHER = re.compile(
    r"(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|"
    r"Updated)\b"
)
_ATTACHED = re.compile(r"\s*\bAttached ([0-9]{1,2}) files?\.?\s*$")
_CHAT = re.compile(r"https://gemini\.google\.com/(?:u/[0-9]+/)?(?:app|gem/[\w-]+)/([0-9a-f]{8,40})")


def looks_like(head: str, path: Path) -> bool:
    start = head.lstrip()
    if start.startswith("["):
        return bool(_HEADER.search(start)) and '"title"' in start
    return start.startswith("<") and "outer-cell" in start and bool(_PAGE.search(start))


def takes(names: Sequence[str]) -> list[str]:
    """My Activity by its name, or whatever it is called in another language in the folder of Gemini Apps."""
    paths = [PurePosixPath(name) for name in names if PurePosixPath(name).suffix.lower() in (".json", ".html")]
    own = [path for path in paths if _FILE.fullmatch(path.stem) or _PRODUCT.search(path.parent.name)]
    # Where both forms are there, the one whose dates are in figures.
    return [path.as_posix() for path in own if path.suffix == ".json" or path.with_suffix(".json") not in own]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    try:
        entries = list(_entries(document_value(path)))
    except UnreadableSource:
        page = document(path)
        if "outer-cell" not in page:
            raise
        entries = list(activities(page, WALL))
    if not any(_is_gemini(entry) for _, entry in entries):
        raise UnreadableSource(f"{path} holds no activity of Gemini Apps")
    reading = _Reading(str(path), options)
    for where, entry in entries:
        reading.take(entry, where)
    yield from reading.conversations()


def _entries(value: object) -> Iterator[tuple[str, Activity]]:
    """The records of MyActivity.json; a record that is none has no title."""
    for number, record in enumerate(value if isinstance(value, list) else [], start=1):
        fields = record if isinstance(record, dict) else {}
        products = fields.get("products")
        labels = [fields.get("header"), *(products if isinstance(products, list) else [])]
        items = fields.get("safeHtmlItem")
        answers = [html for item in (items if isinstance(items, list) else [items]) if (html := word(item, "html"))]
        urls = [fields.get("titleUrl"), *(word(one, "url") for one in _list(fields, "subtitles"))]
        details = [word(one, "name") for one in _list(fields, "details")]
        yield (
            f"item {number}",
            Activity(
                header=" ".join(label for label in labels if isinstance(label, str)),
                title=word(fields, "title") or "",
                time=fields.get("time"),
                answer="\n\n".join(filter(None, map(as_text, answers))),
                links=" ".join(link for link in [*urls, *details] if isinstance(link, str)),
            ),
        )


@dataclass(slots=True)
class _Reading:
    """One pass over the activities."""

    path: str
    options: ReaderOptions
    said: list[tuple[datetime, str, list[Turn]]] = field(default_factory=list)  # when, in which chat, what
    others: Counter[str] = field(default_factory=Counter)
    undated: int = 0
    problems: list[Problem] = field(default_factory=list)

    def take(self, entry: Activity, where: str) -> None:
        if not _is_gemini(entry):
            self.others["of other products"] += 1
            return
        if not entry.title.strip():
            self.problems.append(Problem(self.path, where, "an activity without a title; skipped"))
            return
        prompt = _prompt(entry)
        if not prompt:
            self.others[entry.title.split()[0]] += 1
            return
        time = stated_time(entry.time, where, self.path, self.options, [])
        if time is None:
            self.undated += 1
            return
        chat = _CHAT.search(entry.links)
        name = chat[1] if chat else f"gemini-{time.astimezone(UTC):%Y-%m-%d}"
        turns = [_turn("user", prompt, time)]
        if entry.answer.strip():
            turns.append(_turn("assistant", entry.answer, time))
        self.said.append((time, name, turns))

    def conversations(self) -> Iterator[Conversation | Problem]:
        yield from self.problems
        yield from skipped(self.path, "activities", self.others)
        if self.undated:
            reason = f"prompts whose date cannot be read: {self.undated}; skipped. MyActivity.json has numeric dates"
            yield Problem(self.path, "dates", reason)
        threads: dict[str, dict[str | None, Turn]] = {}
        for _, name, turns in sorted(self.said, key=lambda one: one[0]):
            thread = threads.setdefault(name, {})
            for turn in turns:
                thread.setdefault(turn.id, turn)
        for name, thread in threads.items():
            sessions = tuple(sessions_by_start(name, thread.values(), self.options.idle_gap))
            yield Conversation(name, sessions, source=NAME)


def _turn(role: Literal["user", "assistant"], text: str, time: datetime) -> Turn:
    return Turn(role, text, time, content_id(role, format_time(time), text), role)


def _is_gemini(entry: Activity) -> bool:
    return bool(_PRODUCT.search(entry.header))


def _prompt(entry: Activity) -> str:
    """What the person asked; empty for what is no prompt."""
    title = entry.title.strip()
    if _OTHER.match(title) and not _PROMPT.match(title):
        return ""
    verb = _PROMPT.match(title)
    if not verb and not entry.answer.strip():
        return ""
    text = title[verb.end() :] if verb else title
    if attached := _ATTACHED.search(text, max(0, len(text) - 40)):
        text = "\n".join([text[: attached.start()], *["[file]"] * int(attached[1])])
    return text.strip()


def _list(fields: dict[str, object], key: str) -> list[object]:
    found = fields.get(key)
    return found if isinstance(found, list) else []

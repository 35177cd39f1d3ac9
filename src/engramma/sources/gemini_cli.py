"""Gemini CLI: ~/.gemini/tmp/<project>/chats/session-*.jsonl, and the forms it had before.

    session-*.jsonl     {"sessionId":"…","projectHash":"…"}, then a message a line; {"$set":{…}} changes the first
    session-*.json      one object: {"sessionId":"…","messages":[{"id","timestamp","type":"user"|"gemini","content"}]}
    checkpoint-*.json   {"history":[{"role":"user"|"model","parts":[{"text":"…"}]}]}, or that list alone: no times
    logs.json           [{"sessionId","messageId","type":"user","message","timestamp"}]: the person's words only

Kept: what the person typed and what the model answered; everything that was said, also what was
rewound later. A message is written again whenever its tools or tokens change: its first words count.
Left out: thoughts, tools, the program's own notes (info, warning, error), subagents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ..errors import UnreadableSource
from ..records import Conversation, Problem, Role, Turn
from .agent_turns import IMAGE, Telling, collect_stated_facts, first_rows, live_rows, stated_time, talk, word
from .files import read_text_head
from .ids import name_file, talk_id, with_id
from .json_files import Located, document_value
from .reader import ReaderOptions
from .sessions import PIECE_TURNS, no_times

NAME = "gemini-cli"
DESCRIPTION = "Gemini CLI session (~/.gemini/tmp/*/chats/session-*), checkpoint or logs.json"

_ROLES: dict[str | None, Role] = {"user": "user", "gemini": "assistant", "model": "assistant"}
_FILE = re.compile(r"session-.*\.jsonl?")
_OLD_FILE = re.compile(r"logs\.json|checkpoint.*\.json")
_LOG = re.compile(r'\[\s*\{(?=[^{}]*"sessionId"\s*:)(?=[^{}]*"messageId"\s*:)')
_HISTORY = re.compile(r'(?:\{\s*"history"\s*:\s*)?\[\s*\{\s*(?="(?:role|parts)"\s*:)')
_PARTS = re.compile(r'"parts"\s*:\s*\[')
# The program opens a chat with these, and puts a summary in the place of what it no longer remembers.
_UNSAID = ("This is the Gemini CLI.", "<session_context>", "<state_snapshot>", "<hook_context>")
_ANSWERS = ("Got it. Thanks for the context!", "Got it. Thanks for the additional context!")
_COMMAND = re.compile(r"\s*[/?][a-z]{0,20}(?:\s|$)")


def looks_like(head: str, path: Path) -> bool:
    start = head.lstrip()
    if start.startswith("{") and any(map(_is_session, first_rows(start))):
        return True
    if _is_old_session(start) or _LOG.match(start):
        return True
    return bool(_HISTORY.match(start) and _PARTS.search(start))


def takes(names: Sequence[str]) -> list[str]:
    """The sessions, in their newer form where there are both; the other files only where there is none."""
    sessions = [name for name in names if _FILE.fullmatch(PurePosixPath(name).name)]
    if sessions:
        return [name for name in sessions if name.endswith("l") or f"{name}l" not in sessions]
    return [name for name in names if _OLD_FILE.fullmatch(PurePosixPath(name).name)]


def read(path: Path, options: ReaderOptions) -> Iterator[Conversation | Problem]:
    reading = _Reading(str(path), path, options)
    start = read_text_head(path).lstrip()
    if _LOG.match(start) or _HISTORY.match(start) or _is_old_session(start):
        yield from reading.document(document_value(path))
    else:
        yield from reading.lines(live_rows(path))


@dataclass(slots=True)
class _Reading:
    """One pass over a file."""

    path: str
    file: Path
    options: ReaderOptions
    problems: list[Problem] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)  # hashes of the ids of messages that said something
    repeats: Counter[str] = field(default_factory=Counter)
    telling: Telling | None = None

    def lines(self, rows: Iterator[Located | Problem]) -> Iterator[Conversation | Problem]:
        """A session as it is written today."""
        about: dict[str, object] = {}
        for located in rows:
            if isinstance(located, Problem):
                yield located
                continue
            where, row = located
            changed = row.get("$set") if isinstance(row, dict) else None
            if not isinstance(row, dict):
                yield Problem(self.path, where, "not a row of a Gemini CLI session; skipped")
            elif isinstance(changed, dict) or _is_session(row):
                # Histories in a change repeat what the rows said, shortened.
                changes = changed if isinstance(changed, dict) else row
                about |= {key: value for key, value in changes.items() if key != "messages"}
            elif word(row, "id") and word(row, "type"):
                self.take(row, where)
                yield from self.early(about)
        if word(about, "sessionId") is None:
            raise UnreadableSource(f"{self.path} holds no Gemini CLI session: no row has a sessionId and a projectHash")
        yield from self.end(about)

    def document(self, value: object) -> Iterator[Conversation | Problem]:
        """A file that is one JSON value."""
        if isinstance(value, dict) and isinstance(value.get("messages"), list):
            yield from self.session(value, _placed("message", value["messages"]))
            return
        history = value.get("history") if isinstance(value, dict) else value
        if not isinstance(history, list):
            raise UnreadableSource(f"{self.path} holds no Gemini CLI session")
        if any(isinstance(item, dict) and "messageId" in item for item in history):
            yield from self.log(history)
        else:
            yield from self.checkpoint(history)

    def session(self, about: dict[str, object], messages: Iterable[Located]) -> Iterator[Conversation | Problem]:
        for where, message in messages:
            if isinstance(message, dict):
                self.take(message, where)
            else:
                self.problems.append(Problem(self.path, where, "not a message; skipped"))
        yield from self.end(about)

    def take(self, message: dict[str, object], where: str) -> None:
        """Keep a message where it says something for the first time."""
        key = hash(word(message, "id") or f"{where}, no id")
        turn = self.turn(message, where)
        if turn and key not in self.seen:
            self.seen.add(key)
            self.turns.append(with_id(turn, self.repeats))

    def early(self, about: dict[str, object]) -> Iterator[Conversation | Problem]:
        """What is over of a long session."""
        name = word(about, "sessionId")
        if name is None or about.get("kind") == "subagent":
            return
        if len(self.turns) > (self.telling.limit if self.telling else PIECE_TURNS):
            self.telling = self.telling or Telling(name, self.options, NAME)
            piece, count = self.telling.early(_with_facts(self.turns, about), word(about, "summary"))
            if piece is not None:
                del self.turns[:count]
                yield from self.noted()
                yield piece

    def end(self, about: dict[str, object]) -> Iterator[Conversation | Problem]:
        if about.get("kind") == "subagent" and not self.telling:
            yield Problem(self.path, "session", "the work of a subagent; skipped")
            return
        yield from self.noted()
        name = word(about, "sessionId") or name_file(self.file)
        began = stated_time(about.get("startTime"), "session", self.path, self.options, self.problems)
        yield from self.noted()
        if not self.turns:
            yield Problem(self.path, f"session {name}", "no message yet; skipped")
            return
        telling = self.telling or Telling(name, self.options, NAME)
        yield from telling.end(_with_facts(self.turns, about), word(about, "summary"), began)
        if not began and not self.telling and not any(turn.said_at for turn in self.turns):
            yield no_times(self.path, 1, self.options.fallback_time)

    def turn(self, message: dict[str, object], where: str) -> Turn | None:
        role = _ROLES.get(word(message, "type"))
        if role is None:
            return None
        # What a person typed, without the files that were read in.
        text = _text(message.get("displayContent")) or _text(message.get("content"))
        if not _is_said(role, text):
            return None
        time = stated_time(message.get("timestamp"), where, self.path, self.options, self.problems)
        model = collect_stated_facts(model=word(message, "model"))
        return Turn(role, text, time, word(message, "id"), role, model)

    def log(self, entries: list[object]) -> Iterator[Conversation | Problem]:
        """The prompts of old sessions; those with a file of their own are whole there."""
        threads: dict[str, list[Turn]] = {}
        kept_whole: set[str] = set()
        for where, entry in _placed("entry", entries):
            session, text = word(entry, "sessionId"), word(entry, "message")
            if not isinstance(entry, dict) or session is None or text is None or entry.get("type") != "user":
                yield Problem(self.path, where, "not a prompt with its session; skipped")
                continue
            if session not in threads and session not in kept_whole and self.has_file(session):
                kept_whole.add(session)
            if session in kept_whole or _COMMAND.match(text):
                continue
            time = stated_time(entry.get("timestamp"), where, self.path, self.options, self.problems)
            threads.setdefault(session, []).append(Turn("user", text, time, f"log-{entry.get('messageId')}", "user"))
        yield from self.noted()
        for session, turns in threads.items():
            yield from talk(session, turns, self.options, source=NAME)
        if kept_whole:
            count = len(kept_whole)
            yield Problem(self.path, "logs", f"sessions with their own file in chats/: {count}; skipped")

    def has_file(self, session: str) -> bool:
        short = re.sub(r"[^\w-]", "", session)[:8]
        return bool(short) and any(self.file.parent.glob(f"chats/session-*{short}.json*"))

    def checkpoint(self, history: list[object]) -> Iterator[Conversation | Problem]:
        turns: list[Turn] = []
        for where, content in _placed("content", history):
            role = _ROLES.get(word(content, "role"))
            if role is None or not isinstance(content, dict):
                yield Problem(self.path, where, "not a content with a role and parts; skipped")
                continue
            text = _text(content.get("parts"))
            if _is_said(role, text):
                turns.append(Turn(role, text, role=role))
        if not turns:
            raise UnreadableSource(
                f"{self.path} contains no conversation with Gemini: no content has a role and a text"
            )
        name = talk_id(name_file(self.file), *(turn.text for turn in turns[:2]))
        yield from talk(name, turns, self.options, source=NAME)
        yield no_times(self.path, 1, self.options.fallback_time)

    def noted(self) -> Iterator[Problem]:
        yield from self.problems
        self.problems.clear()


def _with_facts(turns: list[Turn], about: dict[str, object]) -> list[Turn]:
    folders = about.get("directories")
    cwd = next((one for one in folders if isinstance(one, str)), None) if isinstance(folders, list) else None
    facts = collect_stated_facts(cwd=cwd, project=word(about, "projectHash"))
    return [replace(turn, meta={**turn.meta, **facts}) for turn in turns]


def _is_session(row: object) -> bool:
    return isinstance(row, dict) and word(row, "sessionId") is not None and word(row, "projectHash") is not None


def _is_old_session(start: str) -> bool:
    """One object over several lines, or on one with its messages in it."""
    first = start.partition("\n")[0]
    keys = '"sessionId"' in start and '"projectHash"' in start
    return start.startswith("{") and keys and (first.strip() == "{" or '"messages"' in first)


def _placed(what: str, items: list[object]) -> Iterator[Located]:
    return ((f"{what} {n}", item) for n, item in enumerate(items, start=1))


def _is_said(role: Role, text: str) -> bool:
    start = text.strip()
    return bool(start) and not start.startswith(_UNSAID) and not (role == "assistant" and start in _ANSWERS)


def _text(content: object) -> str:
    """The words of a list of parts; thoughts, calls and results of tools have none."""
    texts = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("thought") is not True:
            mime = word(part, "inlineData", "mimeType") or word(part, "fileData", "mimeType")
            if isinstance(text := part.get("text"), str):
                texts.append(text)
            elif mime:
                texts.append(IMAGE if mime.startswith("image/") else "[file]")
    return "\n".join(text for text in texts if text)

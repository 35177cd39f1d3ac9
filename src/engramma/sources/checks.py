"""What holds for the conversations of every format before they leave this layer.

No turn is empty, every string can be encoded, and ids are unique: turns in a session, sessions in
a conversation, conversations in a file. What had to be dropped or changed is yielded as a Problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ..language.text import MAX_TITLE
from ..records import Conversation, Extra, Problem, Session, Turn
from ..redaction import redact
from .ids import content_id

# A reason may quote the file; a bad value of megabytes must not fill the report.
MAX_REASON = 300

UNFIT = "a NUL character or a lone UTF-16 surrogate cannot be stored; replaced with U+FFFD"
_UNFIT = re.compile("[\0\ud800-\udfff]")


def check_conversations(
    found: Iterable[Conversation | Problem | Extra], path: str
) -> Iterator[Conversation | Problem | Extra]:
    """The stream with every conversation made to hold the rules above."""
    known: dict[str, list[str]] = {}  # by id, a hash of each piece
    repeats: Counter[str] = Counter()
    told = _Told()
    for item in found:
        if isinstance(item, Problem):
            reason = redact(_mended(item.reason)).text  # a message may quote what it is about
            yield replace(item, where=_mended(item.where), reason=_cut(reason))
            continue
        if isinstance(item, Extra):
            yield item
            continue
        if not item.continues:
            told = _Told()
        notes: list[Problem] = []
        conversation = _checked_conversation(item, path, notes, told)
        yield from notes
        where = f"conversation {conversation.id}"
        if not conversation.sessions:
            if not item.continues:
                yield Problem(path, where, "has no turns; skipped")
            continue
        content = _content(conversation)
        if told.id is None and conversation.id in known:
            told.twin = list(known[conversation.id])
            told.id = conversation.id
            if told.twin[0] == content:
                yield Problem(path, where, "is in the file twice; imported once")
        if told.twin and told.twin.pop(0) == content:
            continue
        if told.twin is not None:
            told.id, told.twin, told.pieces = _free_id(conversation.id, known, repeats), None, 0
            yield Problem(path, where, f"another conversation in the file has this id; kept as {told.id}")
        told.id = told.id or conversation.id
        known.setdefault(told.id, []).append(content)
        yield replace(conversation, id=told.id, continues=told.pieces > 0)
        told.pieces += 1


@dataclass(slots=True)
class _Told:
    """What came of a conversation so far: its pieces, and the names of its sessions.

    `twin` is what is left of one that stood in the file before under the same id, while they are the same.
    """

    id: str | None = None
    pieces: int = 0
    twin: list[str] | None = None
    sessions: set[str] = field(default_factory=set)
    repeats: Counter[str] = field(default_factory=Counter)


def _checked_conversation(conversation: Conversation, path: str, notes: list[Problem], told: _Told) -> Conversation:
    where = f"conversation {_mended(conversation.id)}"
    sessions: list[Session] = []
    for session in conversation.sessions:
        name = _mended(session.id)
        turns = _checked_turns(session.turns, path, f"{where}, session {name}", notes)
        if name in told.sessions and turns:
            free = _free_id(name, told.sessions, told.repeats)
            notes.append(Problem(path, where, f"the session id {name} is used twice; kept as {free}"))
            name = free
        if turns:
            told.sessions.add(name)
            sessions.append(replace(session, id=name, turns=turns))
    names = [conversation.id, conversation.title, conversation.source, *(one.id for one in conversation.sessions)]
    if any(name is not None and _mended(name) != name for name in names):
        notes.append(Problem(path, where, f"in an id or the title, {UNFIT}"))
    if conversation.title is not None and len(conversation.title) > MAX_TITLE:
        reason = f"the title has {len(conversation.title):,} characters; the first {MAX_TITLE} at most are kept"
        notes.append(Problem(path, where, reason))
    return Conversation(
        _mended(conversation.id),
        tuple(sessions),
        title=None if conversation.title is None else _mended(conversation.title),
        source=None if conversation.source is None else _mended(conversation.source),
    )


def _checked_turns(turns: Iterable[Turn], path: str, where: str, notes: list[Problem]) -> tuple[Turn, ...]:
    kept: list[Turn] = []
    by_id: dict[str, Turn] = {}
    repeats: Counter[str] = Counter()
    for number, turn in enumerate(turns, start=1):
        place = f"{where}, turn {turn.id or number}"
        if not turn.text.strip() or not turn.speaker.strip():
            missing = "text" if turn.speaker.strip() else "speaker"
            notes.append(Problem(path, _mended(place), f"no {missing}; skipped"))
            continue
        whole = _mended_turn(turn)
        if whole is not turn:
            notes.append(Problem(path, _mended(place), UNFIT))
        if whole.id is not None and (twin := by_id.get(whole.id)):
            if (twin.speaker, twin.text) == (whole.speaker, whole.text):
                notes.append(Problem(path, _mended(place), "the same turn again; imported once"))
                continue
            whole = replace(whole, id=_free_id(whole.id, by_id, repeats))
            notes.append(Problem(path, _mended(place), f"the id is used twice; kept as {whole.id}"))
        if whole.id is not None:
            by_id[whole.id] = whole
        kept.append(whole)
    return tuple(kept)


def _mended_turn(turn: Turn) -> Turn:
    speaker, text = _mended(turn.speaker), _mended(turn.text)
    name = None if turn.id is None else _mended(turn.id)
    meta = {_mended(key): _mended(value) for key, value in turn.meta.items()}
    if (speaker, text, name, meta) == (turn.speaker, turn.text, turn.id, turn.meta):
        return turn
    return replace(turn, speaker=speaker, text=text, id=name, meta=meta)


def _mended(text: str) -> str:
    """The text without what JSON can spell and no text file or database holds: NUL and lone surrogates."""
    return _UNFIT.sub("\ufffd", text)


def _cut(reason: str) -> str:
    """The reason without its middle where it is too long: its end says whether the record was taken."""
    return reason if len(reason) <= MAX_REASON else f"{reason[: MAX_REASON - 51]}…{reason[-50:]}"


def _free_id(name: str, taken: Container[str], repeats: Counter[str]) -> str:
    """The id with "#2" behind it, or the next number that is free."""
    while True:
        repeats[name] += 1
        free = f"{name}#{repeats[name] + 1}"
        if free not in taken:
            return free


def _content(conversation: Conversation) -> str:
    turns = [turn for session in conversation.sessions for turn in session.turns]
    return content_id(*(part for turn in turns for part in (turn.speaker, turn.text)))

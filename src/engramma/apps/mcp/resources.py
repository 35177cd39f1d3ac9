"""Resources: what was said last, one session, one person or topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity

from ...errors import EngrammaError
from ...language.fence import fenced
from ...language.quoting import name_line
from ...language.text import estimate_tokens
from ...language.times import readable
from ...recall.context import CUT, Utterance, cut_said, label, quotes
from ...records import Segment
from ..person_page import missing_person
from .facts import person_lines
from .token_budget import DEFAULT_TOKENS, MOST_TOKENS, fit_hits
from .tool_context import ToolContext

if TYPE_CHECKING:
    from ...memory import Memory

RECENT = 20
LATEST = 15  # segments of an entity
MOST_TALKS = 20
ANY = ResourceSecurity(exempt_params={"id"})  # ids are looked up in a database, never opened as paths


def register(server: MCPServer, desk: ToolContext) -> None:
    def safely(read: Callable[[], str]) -> str:
        try:
            return read()
        except EngrammaError as error:
            raise ResourceError(str(error)) from None

    @server.resource("memory://recent", name="recent", title="What was said last", mime_type="text/plain")
    def recent() -> str:
        """The latest turns, notes and parts of documents, newest first."""
        return safely(lambda: recent_text(desk.memory()))

    @server.resource("memory://session/{id}", name="session", title="One session", mime_type="text/plain", security=ANY)
    def session(id: str) -> str:
        """A session, verbatim: its id, or conversation%2Fsession where several have that id."""
        return safely(lambda: session_text(desk.memory(), unquote(id)))

    @server.resource(
        "memory://entity/{id}", name="entity", title="A person or a topic", mime_type="text/plain", security=ANY
    )
    def entity(id: str) -> str:
        """What is known of a person (a name) or a topic (topic:<number>): talks, claims with sources, latest words."""
        return safely(lambda: entity_text(desk.memory(), unquote(id)))


def recent_text(memory: Memory) -> str:
    found = memory.browse.segments(newest_first=True, limit=RECENT)
    return _shown("What was said last, newest first:", found, memory) if found else "Nothing is remembered here yet."


def session_text(memory: Memory, id: str) -> str:
    """The turns of a session, cut visibly where they would be too many tokens."""
    named = memory.browse.sittings_named(id)
    if not named:
        raise ResourceNotFoundError(f"There is no session {id!r:.200} here. memory_list with kind sessions lists them.")
    if len(named) > 1:
        raise ResourceError(f"{len(named)} sessions are called {id!r:.200}. Ask for conversation%2Fsession.")
    (one,) = named
    began = one.started_at
    head = f"Session {name_line(one.id)} of {name_line(one.conversation)}, {readable(began)} UTC"
    said = memory.browse.turns_of(one)
    turns = [Utterance(turn.speaker, turn.said_at, turn.text) for turn in said if turn.said_at is not None]
    lines, left = [label(began, "session")], MOST_TOKENS - 200
    for number, turn in enumerate(turns):
        words = quotes([turn], began)
        used = estimate_tokens(words) + 1
        if used > left:
            told = f"cut here: turn {number + 1} of {len(turns)}; memory_timeline pages through all"
            lines += [quotes(cut_said([turn], max(1, left) * 2), began), CUT.format(what=told)]
            break
        lines.append(words)
        left -= used
    return f"{head}\n" + fenced("\n".join(lines), memory.fence_key)


def entity_text(memory: Memory, id: str) -> str:
    """A person by name, or a topic by its number or name."""
    kind, _, name = id.partition(":")
    if kind == "topic" and name.isdecimal() and len(name) < 18:
        return topic_text(memory, int(name))
    wanted = name if kind == "person" and name else id
    is_name = bool(memory.browse.spellings(wanted)) or memory.people.key_of(wanted) is not None
    if is_name and (text := person_text(memory, wanted)):
        return text
    for topic in memory.topics.all(strongest=0):
        if topic.name.casefold() == wanted.casefold():
            return topic_text(memory, topic.id)
    meant = memory.people.names_meant(wanted)
    if len(meant) == 1 and (text := person_text(memory, meant[0])):
        return text
    listing = "There is no topic of that name either. memory_list with kind people or topics lists them."
    raise ResourceNotFoundError(missing_person(memory, wanted, listing))


def person_text(memory: Memory, name: str) -> str | None:
    from ..render import plural

    names = set(memory.browse.spellings(name))
    found = [person for person in memory.browse.people() if person.name in names]
    known = person_lines(memory, name, DEFAULT_TOKENS)
    said = fenced("\n".join(known), memory.fence_key) if known else ""
    if not found:
        return f"What was said about {name_line(name)}, who did not speak here:\n{said}" if said else None
    turns = sum(person.turns for person in found)
    first, last = min(p.first_said_at for p in found), max(p.last_said_at for p in found)
    talks = memory.browse.talks_of(name)
    lines = [f"{name_line(found[0].name)} said {plural(turns, 'turn')}, {readable(first)} to {readable(last)} UTC."]
    lines += [
        f"- {name_line(talk.title or talk.conversation)}: {plural(talk.turns, 'turn')}, "
        f"last {readable(talk.last_said_at)}"
        for talk in talks[:MOST_TALKS]
    ]
    lines += [f"- and {len(talks) - MOST_TALKS} more conversations"] if len(talks) > MOST_TALKS else []
    latest = memory.browse.segments(speaker=name, newest_first=True, limit=LATEST)
    return _shown("\n".join([*lines, *([said] if said else []), "Latest words, newest first:"]), latest, memory)


def topic_text(memory: Memory, id: int) -> str:
    from ..render import plural

    found = memory.topics.get(id)
    if found is None:
        raise ResourceNotFoundError(f"There is no topic {id} here. memory_list with kind topics lists them.")
    topic, segments = found
    who = ", ".join(map(name_line, list(dict.fromkeys(name for segment in segments for name in segment.speakers))[:10]))
    span = f"{readable(topic.first_said_at)} to {readable(topic.last_said_at)} UTC"
    size = plural(topic.size, "segment")
    head = f"Topic {topic.id}: {name_line(topic.name)}. {size}, {span}. Mentioned by {who}."
    latest = sorted(segments, key=lambda s: s.said_at, reverse=True)[:LATEST]
    return _shown(f"{head}\nLatest, newest first:", latest, memory)


def _shown(head: str, segments: Sequence[Segment], memory: Memory) -> str:
    key = memory.fence_key
    threads = {name: memory.browse.thread(name) for name in {one.conversation_id for one in segments}}
    titles = {name: None if thread is None else thread.title for name, thread in threads.items()}
    _, blocks = fit_hits(segments, DEFAULT_TOKENS, key, titles)
    rest = (
        f"\n{len(segments) - len(blocks)} more did not fit; memory_timeline has them."
        if segments[len(blocks) :]
        else ""
    )
    return f"{head}\n" + fenced("\n\n".join(blocks), key) + rest

"""Exports a memory as a Markdown folder for Obsidian: one page per session, person, note and topic, linked by name."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator

from ...language.graphemes import first_characters
from ...language.text import NOTES
from ...language.times import readable
from ...memory import Memory

LINKED = 5  # related sessions named at the end of each
KEPT = re.compile(r"[^\w \-.,()+=@]", re.UNICODE)


class Pipe(io.RawIOBase):
    """What a zip file is written into: handed on piece by piece, never held as a whole."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.waiting += data
        return len(data)

    def taken(self) -> bytes:
        data, self.waiting = bytes(self.waiting), bytearray()
        return data


def vault(memory: Memory) -> Iterator[bytes]:
    """The zip, in pieces."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _pages(memory):
            archive.writestr(f"Engramma/{name}.md", text)
            yield pipe.taken()
    yield pipe.taken()


def _pages(memory: Memory) -> Iterator[tuple[str, str]]:
    """Every page's name and text."""
    names = PageNames()
    seen: dict[str, list[str]] = defaultdict(list)  # who spoke in which sessions
    for row in memory.sessions():
        turns = memory.turns(row.conversation, row.id)
        if not turns or row.conversation == NOTES:
            continue
        page = names.of("session", f"{row.conversation}/{row.id}", f"{row.conversation} {row.id}")
        people = dict.fromkeys(turn.speaker for turn in turns)
        for speaker in people:
            seen[speaker].append(page)
        lines = [*_head(conversation=row.conversation, session=row.id, people=list(people)), f"# {page}", ""]
        for turn in turns:
            who = names.of("person", turn.speaker, turn.speaker)
            said = readable(turn.said_at) if turn.said_at else ""
            lines += [f"**[[People/{who}|{_shown(who)}]]** · {said}", "", *_quoted(turn.text), ""]
        lines += _related(memory, row.conversation, row.id, names)
        yield f"Conversations/{page}", "\n".join(lines)
    for speaker, talks in seen.items():
        page = names.of("person", speaker, speaker)
        listed = [f"- [[Conversations/{talk}]]" for talk in dict.fromkeys(talks)]
        yield f"People/{page}", "\n".join([*_head(name=speaker), f"# {_shown(page)}", "", *listed, ""])
    for note in memory.notes.all(all_states=True):
        tags = [re.sub(r"[^\w/-]", "-", tag) for tag in note.tags]
        top = _head(id=note.id, created=readable(note.created), by=note.speaker, tags=tags, state=note.state)
        links = [
            f"- {link.kind} [[Notes/{link.target if link.source == note.id else link.source}]]"
            for link in memory.links.all(note.id)
            if link.source.startswith("note_") and link.target.startswith("note_")
        ]
        yield f"Notes/{note.id}", "\n".join([*top, *_quoted(note.text), "", *links, ""])
    for topic in memory.topics.all(10):
        page = names.of("topic", str(topic.id), topic.name or f"Topic {topic.id}")
        lines = [*_head(size=topic.size), f"# {_shown(page)}", ""]
        for id in topic.strongest:
            if (found := memory.segment(id)) is not None:
                place = f"{found[0].conversation_id}/{found[0].session_id}"
                where = (
                    f"Notes/{id}" if id.startswith("note_") else f"Conversations/{names.of('session', place, place)}"
                )
                lines += [f"- [[{where}]]: {' '.join(_shown(first_characters(found[0].text, 200)).split())}"]
        yield f"Topics/{page}", "\n".join([*lines, ""])


def _related(memory: Memory, conversation: str, session: str, names: PageNames) -> list[str]:
    """The sessions whose segments have the strongest edges with this one's."""
    best: dict[str, float] = {}
    own = f"{conversation}/{session}"
    for talk, other, weight in memory.surroundings.sessions(conversation, session):
        place = f"{talk}/{other}"
        if place != own and talk != NOTES:
            best[place] = max(best.get(place, 0.0), weight)
    strongest = sorted(best, key=lambda place: (-best[place], place))[:LINKED]
    listed = [f"- [[Conversations/{names.of('session', place, place.replace('/', ' '))}]]" for place in strongest]
    return ["## Related", "", *listed, ""] if listed else []


class PageNames:
    """Names of pages: safe as file names, and no two alike, in whichever case they are written."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def of(self, kind: str, id: str, wanted: str) -> str:
        if (kind, id) not in self._known:
            base = first_characters(" ".join(KEPT.sub(" ", wanted).split()).strip(". "), 80) or kind
            name, number = base, 2
            while f"{kind}/{name.casefold()}" in self._taken:
                name, number = f"{base} ({number})", number + 1
            self._taken.add(f"{kind}/{name.casefold()}")
            self._known[kind, id] = name
        return self._known[kind, id]


def _head(**fields: object) -> list[str]:
    """The properties of a page, as Obsidian reads them."""
    lines = ["---"]
    for name, value in fields.items():
        if isinstance(value, list):
            lines += [f"{name}:", *(f"  - {as_json_text(one)}" for one in value)]
        else:
            lines.append(f"{name}: {as_json_text(value)}")
    return [*lines, "---", ""]


def as_json_text(value: object) -> str:
    """JSON is YAML, too, and quotes what YAML would take for something else."""
    return json.dumps(value, ensure_ascii=False)


def _quoted(text: str) -> list[str]:
    """What was said, as a quotation: no line of it can end it or become a heading or a link of the page."""
    return [f"> {_shown(line)}" for line in text.splitlines() or [""]]


def _shown(text: str) -> str:
    """A text whose marks of Markdown, HTML and Obsidian are letters only."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~^%$])", r"\\\1", text)

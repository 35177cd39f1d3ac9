"""Exports a memory as a Markdown folder for Obsidian: a page per session, document, person, note and topic, linked."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...documents.documents import HEADING
from ...language.graphemes import first_characters
from ...language.text import DOCUMENTS, NOTES, file_title
from ...language.times import local_day, local_minute
from ...memory import Memory
from ...records import SessionInfo, Turn

LINKED = 5  # related sessions named at the end of each
TITLED = 66  # characters of a title in the name of a page, which has a day, too
KEPT = re.compile(r"[^\w \-.,()+=@&'’!]", re.UNICODE)
# What people and assistants wrote as Markdown that cannot reach beyond its line: a heading, an item, **bold**, *so*.
_OPENING = re.compile(r"\s{0,3}(?:#{1,6} |\s*[*] )")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1(?![\w*])")
# What would be a link, HTML, code, a tag, a formula or a comment; "_" in a word or "#" before a blank is not.
_MARKS = re.compile(r"[\\`*\[<^$]|(?<!\w)_|_(?!\w)|#(?!\s|$)|!(?=\[)|%(?=%)|(?<=%)%|~(?=~)|(?<=~)~")

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # what speaks to a terminal that shows a page
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)  # no names of files to Windows


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
            archive.writestr(f"Engramma/{name}.md", _CONTROLS.sub("", text))
            yield pipe.taken()
    yield pipe.taken()


def _pages(memory: Memory) -> Iterator[tuple[str, str]]:
    """Every page's name and text."""
    names = PageNames()
    called = _Speakers(memory)
    rows = [row for row in memory.sessions() if row.turns and row.conversation != NOTES]
    pages = _page_names(rows, names)
    seen: dict[str, list[str]] = defaultdict(list)  # who spoke on which pages
    for row in rows:
        turns = memory.turns(row.conversation, row.id)
        page = pages[row.conversation, row.id]
        if not turns:
            continue
        related = _related(memory, row, pages)
        if row.conversation == DOCUMENTS:
            yield page, "\n".join([*_document_lines(row.id, turns), *related])
            continue
        people = dict.fromkeys(called.name(turn.speaker) for turn in turns)
        for name in people:
            seen[name].append(page)
        title = " ".join((row.title or "").split())
        top = {"conversation": row.conversation, "session": row.id, **({"title": title} if title else {})}
        lines = [*_head(**top, people=list(people)), f"# {_shown(title or page.partition('/')[2])}", ""]
        for turn in turns:
            name = called.name(turn.speaker)
            who = names.of("person", name, name)
            said = local_minute(turn.said_at) if turn.said_at else ""
            lines += [f"**[[People/{who}|{_shown(name)}]]** · {said}", "", *_quoted(turn.text), ""]
        yield page, "\n".join([*lines, *related])
    for name, talks in seen.items():
        listed = [f"- [[{talk}]]" for talk in dict.fromkeys(talks)]
        others = called.aliases(name)
        about: dict[str, object] = {"name": name, **({"aliases": others} if others else {})}
        yield (
            f"People/{names.of('person', name, name)}",
            "\n".join([*_head(**about), f"# {_shown(name)}", "", *listed, ""]),
        )
    yield from _note_pages(memory, called)
    for topic in memory.topics.all(10):
        page = names.of("topic", str(topic.id), topic.name or f"Topic {topic.id}")
        lines = [*_head(size=topic.size), f"# {_shown(page)}", ""]
        for id in topic.strongest:
            if (found := memory.segment(id)) is not None:
                place = (found[0].conversation_id, found[0].session_id)
                where = f"Notes/{id}" if id.startswith("note_") else pages.get(place)
                told = " ".join(_shown(first_characters(found[0].text, 200)).split())
                lines += [f"- [[{where}]]: {told}" if where else f"- {told}"]
        yield f"Topics/{page}", "\n".join([*lines, ""])


def _note_pages(memory: Memory, called: _Speakers) -> Iterator[tuple[str, str]]:
    for note in memory.notes.all(all_states=True):
        tags = [re.sub(r"[^\w/-]", "-", tag) for tag in note.tags]
        by = called.name(note.speaker)
        top = _head(id=note.id, created=local_minute(note.created), by=by, tags=tags, state=note.state)
        links = [
            f"- {link.kind} [[Notes/{link.target if link.source == note.id else link.source}]]"
            for link in memory.links.all(note.id)
            if link.source.startswith("note_") and link.target.startswith("note_")
        ]
        yield f"Notes/{note.id}", "\n".join([*top, *_quoted(note.text), "", *links, ""])


def _page_names(rows: Sequence[SessionInfo], names: PageNames) -> dict[tuple[str, str], str]:
    """The page of each session: by its conversation's title, and its day where the conversation has several; a document
    by its file's name."""
    sittings = Counter(row.conversation for row in rows)
    found = {}
    for row in rows:
        title, place = first_characters(" ".join((row.title or "").split()), TITLED), f"{row.conversation}/{row.id}"
        if row.conversation == DOCUMENTS:
            wanted = file_title(row.id).removesuffix(".md")
            found[row.conversation, row.id] = f"Documents/{names.of('document', place, wanted)}"
            continue
        wanted = f"{title} {local_day(row.started_at)}" if sittings[row.conversation] > 1 else title
        wanted = wanted if title else f"{row.conversation} {row.id}"
        found[row.conversation, row.id] = f"Conversations/{names.of('session', place, wanted)}"
    return found


def _document_lines(name: str, turns: Sequence[Turn]) -> list[str]:
    """A document as it was cut: each part under the headings above it, with the day that it is dated by."""
    title = file_title(name)
    lines, above = [*_head(document=name), f"# {_shown(title)}", ""], ""
    for turn in turns:
        headings = turn.speaker.partition(HEADING)[2]
        if headings and headings != above:
            lines += [f"## {_shown(headings)}", ""]
        above = headings
        lines += [*([local_day(turn.said_at), ""] if turn.said_at else []), *_quoted(turn.text), ""]
    return lines


def _related(memory: Memory, row: SessionInfo, pages: Mapping[tuple[str, str], str]) -> list[str]:
    """The sessions whose segments have the strongest edges with this one's."""
    best: dict[tuple[str, str], float] = {}
    for talk, other, weight in memory.surroundings.sessions(row.conversation, row.id):
        place = (talk, other)
        if place in pages and place != (row.conversation, row.id):
            best[place] = max(best.get(place, 0.0), weight)
    strongest = sorted(best, key=lambda place: (-best[place], place))[:LINKED]
    listed = [f"- [[{pages[place]}]]" for place in strongest]
    return ["## Related", "", *listed, ""] if listed else []


class _Speakers:
    """What those who speak are called: one name each, however many they speak by, as `me` and merges said."""

    def __init__(self, memory: Memory) -> None:
        self._people = memory.people
        self._known: dict[str, str] = {}

    def name(self, speaker: str) -> str:
        if speaker not in self._known:
            is_known = bool(speaker.strip()) and self._people.key_of(speaker) is not None
            self._known[speaker] = self._people.names_meant(speaker)[0] if is_known else speaker
        return self._known[speaker]

    def aliases(self, name: str) -> list[str]:
        return [speaker for speaker, called in self._known.items() if called == name != speaker]


class PageNames:
    """Names of pages: safe as file names, and no two alike, in whichever case they are written."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def of(self, kind: str, id: str, wanted: str) -> str:
        if (kind, id) not in self._known:
            base = first_characters(" ".join(KEPT.sub(" ", wanted).split()).strip(". "), 80) or kind
            base = f"{base}_" if _DEVICES.match(base) else base
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
    """What was said, as a quotation: no line of it can end it or become a link, a tag or code of the page."""
    return [f"> {_written(line)}" for line in text.splitlines() or [""]]


def _written(line: str) -> str:
    """A line as somebody wrote it in Markdown, with all that would act beyond it or run as letters only."""
    opening = found[0] if (found := _OPENING.match(line)) else ""
    parts, at = [opening], len(opening)
    for bold in _EMPHASIS.finditer(line, at):
        parts += [_harmless(line[at : bold.start()]), bold[1], _harmless(bold[2]), bold[1]]
        at = bold.end()
    return "".join([*parts, _harmless(line[at:])])


def _harmless(text: str) -> str:
    return _MARKS.sub(r"\\\g<0>", text)


def _shown(text: str) -> str:
    """A text whose marks of Markdown, HTML and Obsidian are letters only."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~^%$])", r"\\\1", text)

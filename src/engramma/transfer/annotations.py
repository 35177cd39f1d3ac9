"""What an export contains besides conversations: notes and their metadata, repeats, typed links, users' decisions,
who the user is, and what users said of entities."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.core import Core
from ..core.names import known_key, segment_key
from ..errors import BadInput
from ..ingest.note_repeats import note_id, put_link
from ..ingest.validate import check_name, checked_name
from ..language.times import format_time, parse_time, to_micros
from ..links.links import Links
from ..notes.notes import Notes
from ..notes.write import checked_tags
from ..people import (
    GROUPS,
    LONGEST_REASON,
    USER,
    People,
    find_me,
    keys_named,
    mark_undecided,
    portable_words,
    put_decision,
    read_decisions,
    take_portable_words,
)
from ..records import Extra, Link, Note, Problem, Repeat
from ..records.people import Decision
from ..store.masks import masked_name
from ..store.store import ARCHIVED, LIVE, RETIRED, Store, encode_keys

STATES = {"archived": ARCHIVED, "retired": RETIRED}


def extras(core: Core) -> Iterator[Extra]:
    """Everything beside the talk, in an order that does not depend on when it came."""
    for note in sorted(Notes(core).all(all_states=True), key=lambda note: note.id):
        yield Extra("note", _note_fields(note), note.id)
        for repeat in Notes(core).repeats(note.id):
            yield Extra("repeat", repeat_fields(repeat), repeat.id)
    for link in sorted(Links(core).all(), key=lambda link: (link.source, link.kind, link.target)):
        yield Extra("link", link_fields(link), link.source)
    for fields in user_decisions(core.store):
        yield Extra("decision", fields, fields["person"])
    deleted, words = portable_words(core)
    for fields in deleted:  # before the user takes such a name
        yield Extra("entity", fields, "entity")
    if (me := find_me(core.store)) is not None and me.said:
        yield Extra("me", {"name": me.name}, me.name)
    for fields in words:
        yield Extra("entity", fields, "entity")


def _note_fields(note: Note) -> dict[str, Any]:
    return {
        "id": note.id,
        "source": note.source,
        "session": note.session,
        "tags": list(note.tags),
        "strength": note.strength,
        "expires_at": None if note.expires_at is None else format_time(note.expires_at),
        "recalls": note.recalls,
        "last_recalled": None if note.last_recalled is None else format_time(note.last_recalled),
        "state": note.state,
    }


def repeat_fields(repeat: Repeat) -> dict[str, Any]:
    return {
        "note": repeat.note,
        "id": repeat.id,
        "speaker": repeat.speaker,
        "said_at": format_time(repeat.said_at),
        "text": repeat.text,
        "source": repeat.source,
        "session": repeat.session,
        "similarity": repeat.similarity,
    }


def link_fields(link: Link) -> dict[str, Any]:
    return {
        "source": link.source,
        "kind": link.kind,
        "target": link.target,
        "weight": link.weight,
        "first_weight": link.first_weight,
        "label": link.label,
        "author": link.author,
        "provenance": link.provenance,
        "made_at": format_time(link.made_at),
    }


def user_decisions(store: Store) -> list[dict[str, Any]]:
    """What users decided and stands, with the turns that it rests on, as an export tells it; the oldest first."""
    found = sorted(
        (one for one in read_decisions(store) if one.by == USER and not one.overruled), key=lambda one: one.id
    )
    return [
        {
            "verdict": one.verdict,
            "person": one.person,
            "entity": one.entity,
            "conversations": list(one.conversations),
            "reason": one.reason,
            "evidence": list(one.evidence),
            "turns": [list(row) for row in store.all("places_of_decision", key=one.id)],
        }
        for one in found
    ]


# --- and back ------------------------------------------------------------------------------------


def last_note(core: Core) -> int:
    """The key of the newest note: those of an import that begins now are greater."""
    row = core.store.one("note_last")
    return 0 if row is None else int(row["key"])


def take_extras(core: Core, found: Sequence[Extra], path: str, before: int = 0) -> list[Problem]:
    """Store what stands beside the talk, in one transaction; what cannot be taken is told, and the rest goes on.

    Notes up to the key `before` stood here already: no file hides them, lets them expire or changes their tags.
    """
    problems = list[Problem]()
    for extra in found:
        make_key(core, extra.fields)
    with core.store.transaction():
        for extra in found:
            if extra.kind not in READING and not (extra.kind == "note" and _is_settled(core, extra.fields, before)):
                problems += _taken(core, extra, path)
    for extra in found:
        if extra.kind in READING:
            problems += _taken(core, extra, path)
    return problems


def _taken(core: Core, extra: Extra, path: str) -> list[Problem]:
    """Store one of them; returns why it could not be, if so."""
    try:
        TAKERS[extra.kind](core, extra.fields)
    except (BadInput, KeyError, TypeError, ValueError) as error:
        reason = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)
        return [Problem(path, extra.where, f"this {extra.kind} was not imported: {reason}")]
    return []


def make_key(core: Core, value: object) -> None:
    """Let the store have its key for fingerprints before the transaction, if a secret is met in here."""
    if isinstance(value, str):
        core.mask(value)
    elif isinstance(value, Mapping):
        for part in value.values():
            make_key(core, part)
    elif isinstance(value, list):
        for part in value:
            make_key(core, part)


def _is_settled(core: Core, fields: Mapping[str, Any], before: int) -> bool:
    """Whether a note stood here before; one of an import that was interrupted is not linked yet."""
    key = segment_key(core, fields.get("id", ""))
    row = None if key is None or key > before else core.store.one("notes_by_keys", keys=encode_keys([key]))
    return row is not None and bool(row["linked"])


def take_note(core: Core, fields: Mapping[str, Any]) -> None:
    key = known_key(core, fields["id"])
    row = core.store.one("notes_by_keys", keys=encode_keys([key]))
    if row is None:
        raise ValueError("it is no note")
    strength = float(fields["strength"])
    if not 0 <= strength <= 1:
        raise ValueError(f"strength {strength} is not between 0 and 1")
    core.store.run(
        "note_known",
        key=key,
        source=name_or_none(core, fields, "source"),
        session=name_or_none(core, fields, "session"),
        tags=json.dumps(checked_tags(fields["tags"], core.look), ensure_ascii=False),
        strength=strength,
        expires_at=_moment(fields, "expires_at"),
    )
    if (recalls := int(fields.get("recalls", 0))) > 0 and core.store.one("use_get", key=key) is None:
        core.store.run("use_add", key=key, hits=recalls, at=_moment(fields, "last_recalled") or 0)
    if (state := STATES.get(fields.get("state", ""))) is not None and row["state"] == LIVE:
        core.store.set_states({key: state})


def take_repeat(core: Core, fields: Mapping[str, Any]) -> None:
    if not isinstance(fields["text"], str) or len(fields["text"].encode()) > core.config.max_turn_bytes:
        raise ValueError("its text is not a string, or too long")
    check_name(fields["id"], "id")
    check_name(fields["speaker"], "speaker")
    text, speaker = core.look(fields["text"]).text, masked_name(fields["speaker"], core.look)
    source, session = name_or_none(core, fields, "source"), name_or_none(core, fields, "session")
    said_at = format_time(parse_time(fields["said_at"]))
    given = (fields["speaker"], said_at, fields["text"], fields.get("source"), fields.get("session"))
    id = masked_name(fields["id"], core.look)
    if fields["id"] == note_id(*given):
        id = note_id(speaker, said_at, text, source, session)  # no hash of a secret
    core.store.run(
        "repeat_put",
        key=known_key(core, fields["note"]),
        id=id,
        speaker=speaker,
        said_at=_moment(fields, "said_at"),
        text=text,
        source=source,
        session=session,
        similarity=float(fields["similarity"]),
    )


def take_link(core: Core, fields: Mapping[str, Any]) -> None:
    src, dst = known_key(core, fields["source"]), known_key(core, fields["target"])
    kind, author = (checked_name(fields[name], name, core.look) for name in ("kind", "author"))
    if kind in ("chain", "semantic"):
        raise ValueError(f"a {kind} edge cannot be added by hand")
    weights = [float(fields[name]) for name in ("first_weight", "weight")]
    if not all(0 < weight <= 1 for weight in weights) or src == dst:
        raise ValueError("its weight is not between 0 and 1, or it has no target")
    if core.store.one("link_get", src=src, kind=kind, dst=dst) is not None:
        return
    provenance, label = (text_or_none(core, fields, name) for name in ("provenance", "label"))
    made_at = _moment(fields, "made_at") or 0
    put_link(core.store, src, kind, dst, weights[0], author, provenance, made_at, label)
    core.store.run("edge_put", src=src, kind=kind, dst=dst, weight=weights[1])


def take_decision(core: Core, fields: Mapping[str, Any]) -> None:
    """What a user decided about whose things are the same; what stands already is not decided again."""
    verdict = fields["verdict"]
    if verdict not in ("MERGE", "SEPARATE"):
        raise ValueError(f"a verdict is MERGE or SEPARATE, not {verdict!r:.40}")
    person, entity = (checked_name(fields[name], name, core.look) for name in ("person", "entity"))
    if entity.split(" ")[0] not in GROUPS:
        raise ValueError(f"nothing is known of the kind {entity!r:.40}")
    talks, evidence = (tuple(checked_name(one, name, core.look) for one in fields[name]) for name in LISTS)
    rows = [
        core.store.one("turn_key_at", conversation=talk, session=session, id=id)
        for talk, session, id in ([checked_name(part, "turn", core.look) for part in one] for one in fields["turns"])
    ]
    if not rows or None in rows:
        raise ValueError("a turn it is based on is missing")
    reason = core.look(str(fields["reason"])[:LONGEST_REASON]).text
    made = Decision(0, verdict, person, entity, talks, reason, evidence, 1.0, USER)
    put_decision(core.store, made, [row["key"] for row in rows if row is not None])
    for key in keys_named(core.store, person, ("person",))[:1]:
        mark_undecided(core.store, key, entity)


def take_me(core: Core, fields: Mapping[str, Any]) -> None:
    """Who the user is, unless that is known here already."""
    name = checked_name(fields["name"], "name", core.look)
    known = find_me(core.store)
    if known is None or not known.said or known.name != name:
        People(core).me(name)


LISTS = ("conversations", "evidence")  # of a decision's line: names
TAKERS: dict[str, Callable[[Core, Mapping[str, Any]], None]] = {
    "note": take_note,
    "repeat": take_repeat,
    "link": take_link,
    "decision": take_decision,
    "me": take_me,
    "entity": take_portable_words,
}
READING = ("me", "entity")  # what was said is read for names first, which takes transactions of its own


def name_or_none(core: Core, fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return None if value is None else checked_name(value, name, core.look)


def text_or_none(core: Core, fields: Mapping[str, Any], name: str) -> str | None:
    if (value := fields.get(name)) is None:
        return None
    check_name(value, name)
    return core.look(value).text


def _moment(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    return None if value is None else to_micros(parse_time(value))


def notes_and_links(items: Iterable[Extra]) -> list[Extra]:
    """Notes before what hangs on them, and what was said of people in the order in which it is written."""
    order = {"note": 0, "repeat": 1, "link": 2, "decision": 3, "me": 4, "entity": 4}
    return sorted(items, key=lambda extra: order[extra.kind])

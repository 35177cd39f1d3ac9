"""Claims in the store: extracted from turns that came or changed since, and written with what they name.

Claims are a function of what is visible in a session, so catching up means to extract again what changed. A session is
taken in blocks of 200 turns, each with a few turns before it as context: a talk of thousands of turns that goes on
costs one block. Triggers in the database mark what changed, so no writer of turns waits for this or knows of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...language.text import DOCUMENTS
from ...language.times import to_micros
from ...records.people import UNKNOWN, Claim
from ...store.sqlite.database import Row
from ...store.store import SessionRow, Store, encode_keys, session_row, turn_of
from ..entities.entities import POSSESSED, Mention, Resolver, called_anew, relist_entities, tidy, tidy_loose
from ..entities.name_forms import fold_name, form_hash, is_proper
from ..entities.named_places import named_places
from ..entities.numbered import numbered_things
from .extract import extract
from .value_pieces import is_piece_of_sentence

RULES = 16  # raise it whenever the rules give other claims: everything is then extracted anew, block by block
BLOCK = 200  # turns; migration 006 counts with it, too
CONTEXT = 12  # turns before a block that are read with it: who "you" and "she" are
NEAR_SESSIONS = 4  # whose speakers are known by name: this one and those right before it
PAGE = 64  # waiting blocks looked up together
MOST_WORDS = 5  # of a value that names an entity: longer ones are told, not named
NO_ENTITY = frozenset({"text", "", "time", "date"})  # types of values that name nothing
VAGUE_WORDS = """
it that this them those these something anything nothing everything someone anyone everyone him her you me us
one some lot lots stuff things thing bit way time
"""
VAGUE = frozenset(VAGUE_WORDS.split())  # values that name nothing by themselves


def claims_up_to_date(store: Store, limit: int | None = None) -> int:
    """Extract what came or changed since, a small transaction a block; returns how many blocks were done.

    Any number of processes may do so at once, killed at any point: a block counts as done with its claims only. When
    nothing is new, this is two lookups. With a limit, what was said last comes first: what claims tell meanwhile is the
    latest that was said, or nothing.
    """
    tidy_loose(store)
    done = 0
    waiting_rows = "extraction_waiting" if limit is None else "extraction_waiting_newest"
    while limit is None or done < limit:
        page = PAGE if limit is None else min(PAGE, limit - done)
        rows = store.all(waiting_rows, version=RULES, limit=page)
        for row in rows:
            extract_block(store, row["session"], row["block"])
        done += len(rows)
        if len(rows) < page:
            break
    return done


def waiting(store: Store) -> int:
    """How many blocks wait to be extracted."""
    row = store.one("extraction_count", version=RULES)
    return 0 if row is None else int(row[0])


def extract_block(store: Store, session: int, block: int) -> None:
    """Extract one block and write its claims, unless others did or something was said meanwhile."""
    with store.snapshot():
        mark = store.one("extraction_changes", session=session, block=block, version=RULES)
        found = store.one("session_by_key", key=session)
        if mark is None:
            return
        first = max(0, block * BLOCK - CONTEXT)
        rows = store.all("extraction_turns", session=session, first=first, beyond=(block + 1) * BLOCK)
        people = [r["speaker"] for r in store.all("extraction_people", session=session, **AROUND)]
    shown = [row for row in rows if not row["hidden"]]
    own = [row for row in shown if row["position"] >= block * BLOCK]
    claims = claims_in(session_row(found), shown, own, people) if found is not None and own else []
    with store.transaction():
        now = store.one("extraction_changes", session=session, block=block, version=RULES)
        if now is None or now["changes"] != mark["changes"]:
            return  # it is done, or waits for the next look
        write_block(store, session, block, own, claims, is_talk=found is None or found["conversation"] != DOCUMENTS)
        if any(row["position"] >= block * BLOCK for row in rows):
            store.run("extraction_done", session=session, block=block, version=RULES)
        else:
            store.run("extraction_drop", session=session, block=block)


AROUND: Mapping[str, int] = {"sessions": NEAR_SESSIONS, "turns": BLOCK}


def claims_in(session: SessionRow, shown: Sequence[Row], own: Sequence[Row], people: Sequence[str]) -> list[Claim]:
    """The claims that a block's own turns make, read with the context before them."""
    turns, ids = [turn_of(row) for row in shown], {row["id"] for row in own}
    is_document = session.conversation == DOCUMENTS
    found = extract(turns, session.conversation, session.id, () if is_document else people, is_document=is_document)
    kept = [claim for claim in found if claim.turn_ids[0] in ids]
    # The "speaker" of a chunk is its document with the headings above it: nobody who could say "I".
    return [claim for claim in kept if claim.subject != claim.speaker] if is_document else kept


# --- writing, inside the caller's transaction ----------------------------------------------------


def write_block(
    store: Store, session: int, block: int, own: Sequence[Row], claims: Sequence[Claim], is_talk: bool
) -> None:
    """Replace what the rules said of a block."""
    place = {"session": session, "block": block}
    before = {Mention(r["entity"], r["turn"], r["name"]) for r in store.all("mentions_of_block", made_by=0, **place)}
    store.run("claims_drop_block", rules=1, **place)
    store.run("mentions_drop_block", made_by=0, **place)
    resolver, mentions = Resolver(store, session), set[Mention]()
    if is_talk:
        for row in reversed(own):
            if row["role"] in (None, "user", "assistant") and row["speaker"].strip():
                mentions.add(Mention(resolver.person(row["speaker"]), row["key"], row["speaker"]))
        mentions = first_of_each(mentions, own)
    mentions |= {
        Mention(resolver.find(name, "thing"), row["key"], said)
        for row in own
        for name, said in numbered_things(row["text"])
    }
    mentions |= {
        Mention(resolver.find(name, "place"), row["key"], name)
        for row in own
        if row["role"] in (None, "user")  # a guide that an assistant writes names places nobody went to
        for name in named_places(row["text"])
    }
    mentions |= put_claims(store, session, block, own, claims, resolver, made_by=0, mentions=mentions)
    gone = {(m.entity, m.name) for m in before} - {(m.entity, m.name) for m in mentions}
    tidy(store, {entity for entity, _ in gone})


def put_claims(
    store: Store,
    session: int,
    block: int,
    turns: Sequence[Row],
    claims: Sequence[Claim],
    resolver: Resolver,
    made_by: int,
    mentions: Iterable[Mention] = (),
) -> set[Mention]:
    """Write claims and what they name; returns all mentions that were written."""
    at, named, rows = {row["id"]: row for row in turns}, set(mentions), []
    near = {key for speaker in sorted({row["speaker"] for row in turns}) if (key := resolver.known(speaker))}
    next_row = store.one("claim_next")
    assert next_row is not None
    for key, claim in enumerate((c for c in claims if is_quoted(c, at)), int(next_row[0])):
        turn = at[claim.turn_ids[0]]
        about = subject_of(resolver, claim, near)
        named |= {Mention(entity, turn["key"], name) for entity, name in about.items()}
        subject = next(iter(about), 0)
        value = object_of(resolver, claim, subject)
        if value:
            named.add(Mention(value, turn["key"], unquoted_name(claim.value)))
        others = [at[id]["key"] for id in claim.turn_ids[1:] if id in at]
        place = {"key": key, "session": session, "block": block, "turn": turn["key"], "subject": subject}
        rows.append({**place, "object": value, "others": json.dumps(others) if others else None, **columns(claim)})
        rows[-1]["fact"] = fact_of(claim, subject, value, turn["key"])
    store.many("claim_add", rows)
    named |= named_elsewhere(named, turns)
    put_mentions(store, session, block, named, made_by)
    return named


def put_mentions(store: Store, session: int, block: int, named: Iterable[Mention], made_by: int) -> None:
    """Write where entities are named; one that gets another name than it has is named anew by its most used."""
    listed = sorted(named, key=lambda m: (m.entity, m.turn, m.name))
    place = {"session": session, "block": block, "made_by": made_by}
    store.many("mention_add", ({"entity": m.entity, "turn": m.turn, "name": m.name, **place} for m in listed))
    known = {row["key"]: row for row in store.all("entities_get", keys=encode_keys({m.entity for m in listed}))}
    for entity, name in sorted({(m.entity, m.name) for m in listed if known[m.entity]["name"] != m.name}):
        called_anew(store, entity, name)
    relist_entities(store, known)


def subject_of(resolver: Resolver, claim: Claim, near: Iterable[int]) -> dict[int, str]:
    """Whom or what a claim is about, by which name; after it whose it is, if the name says so ("Ana's sister").

    A thing or pet of which nobody says whose it is, is the speaker's, or of somebody in the talk.
    """
    name = claim.subject.strip()
    if not name or name == UNKNOWN:
        return {}
    if possessed := POSSESSED.fullmatch(name):
        owner = resolver.person(possessed[1])
        return {resolver.find(possessed[2], claim.subject_type, owner): possessed[2], owner: possessed[1]}
    if claim.subject_type == "person" and is_proper(name):
        return {resolver.person(name): name}
    own = resolver.known(claim.speaker) if claim.subject_type == "pet" or not is_proper(name) else 0
    return {resolver.find(name, claim.subject_type, own, [*near, 0] if own else ()): name}


def object_of(resolver: Resolver, claim: Claim, subject: int) -> int:
    """The entity that a value names; 0 if it names none: a text, a question, or a thing that is not there."""
    name = unquoted_name(claim.value)
    if claim.value_type in NO_ENTITY or not 0 < len(name.split()) <= MOST_WORDS or name.casefold() in VAGUE:
        return 0
    if is_piece_of_sentence(name, claim.value_type):
        return 0
    if claim.modality in ("question", "hypothetical") or (claim.negated and not is_proper(name)):
        return 0
    if claim.value_type == "person" and is_proper(name):
        return resolver.person(name)
    owner = resolver.owner_of(name, claim.value_type, claim.relation, subject)
    return resolver.find(name, claim.value_type, owner)


def unquoted_name(value: str) -> str:
    """What a value calls its thing: without marks of quotation and emphasis around it."""
    return value.strip('"“”„«»*_` ') or value


def is_quoted(claim: Claim, at: Mapping[str, Row]) -> bool:
    """Whether the words of a claim stand where it says: nothing else is kept."""
    turn = at.get(claim.turn_ids[0]) if claim.turn_ids else None
    return turn is not None and turn["text"][claim.start : claim.start + len(claim.quote)] == claim.quote


def fact_of(claim: Claim, subject: int, value: int, turn: int) -> int:
    """The same number for everybody who says the same of the same; of nobody's, every claim is a fact of its own."""
    return fact_number(
        subject, value, turn, claim.relation, claim.value, claim.value_type, claim.negated, claim.modality
    )


def fact_number(
    subject: int, value: int, turn: int, relation: str, words: str, type: str, negated: bool, modality: str
) -> int:
    said = str(value) if value else f"={fold_name(words, type)}"
    return form_hash("\x1f".join(map(str, (subject or f"turn {turn}", relation, said, negated, modality))))


def columns(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "start": claim.start,
        "length": len(claim.quote),
        "relation": claim.relation,
        "value": claim.value,
        "said_at": to_micros(claim.said_at),
        "valid_from": None if claim.valid_from is None else to_micros(claim.valid_from),
        "valid_to": None if claim.valid_to is None else to_micros(claim.valid_to),
        "negated": int(claim.negated),
        "modality": claim.modality,
        "confidence": claim.confidence,
        "method": claim.method,
        "questions": json.dumps(claim.questions, ensure_ascii=False) if claim.questions else None,
    }


def first_of_each(mentions: Iterable[Mention], turns: Sequence[Row]) -> set[Mention]:
    """Of each entity's mentions the first in a block: who speaks is named by it once, not with every turn."""
    order = {row["key"]: n for n, row in enumerate(turns)}
    first: dict[tuple[int, str], Mention] = {}
    for mention in sorted(mentions, key=lambda m: order[m.turn]):
        first.setdefault((mention.entity, mention.name), mention)
    return set(first.values())


def named_elsewhere(named: Iterable[Mention], turns: Sequence[Row]) -> set[Mention]:
    """Where else in these turns the proper names stand that claims of them name."""
    entities: dict[str, int] = {}
    for mention in sorted(named, key=lambda m: (m.name, m.entity)):
        if len(mention.name) > 2 and is_proper(mention.name):
            entities.setdefault(mention.name, mention.entity)
    if not entities:
        return set()
    either = "|".join(re.escape(name) for name in sorted(entities, key=lambda name: (-len(name), name)))
    pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)")
    return {Mention(entities[name], row["key"], name) for row in turns for name in pattern.findall(row["text"])}

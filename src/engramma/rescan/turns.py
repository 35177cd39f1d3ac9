"""Masks secrets in turns that were stored before redaction, or under fewer rules.

This is the one place where what was said is rewritten. Segments keep their keys, their states and their typed
links; words, vectors and the semantic graph become those of the masked text. An id that is a hash of the text
becomes the hash of the masked one, which is what importing the same source again would give.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..ingest.hide import Touched, Vectors, by_key, note_change, relink, replace_vector
from ..ingest.link import Linker, unlink
from ..ingest.masked_notes import NoteNames, masked_turn, note_names
from ..ingest.note_rows import content_quality
from ..ingest.pipeline import Fresh, check_embedder
from ..ingest.strip_lists import strip_lists
from ..ingest.validate import Mask, chunk_hash, turn_hash
from ..language.text import DOCUMENTS, NOTES, labelled
from ..models.embed import Embedder
from ..models.segments import embed_or_wait
from ..records import Turn
from ..redaction import Redaction
from ..store.store import LIVE, SessionRow, Store, encode_keys, session_row, turn_of
from ..store.tombstones import bury_ids
from .names import Place, masked_place, put_names, rename

PAGE = 2_000  # turns looked at together


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn in which something must be masked."""

    key: int
    session: int
    redactions: tuple[Redaction, ...]


@dataclass(frozen=True, slots=True)
class Reworded:
    """A turn as it is stored and as it will be."""

    key: int
    before: Turn
    after: Turn

    @property
    def is_heard(self) -> bool:
        """Whether what is embedded and indexed changes; what stands beside the words is not."""
        return (self.before.text, self.before.speaker) != (self.after.text, self.after.speaker)


@dataclass(frozen=True, slots=True)
class Rewording:
    """The planned changes to a session, seen from one state of the store."""

    session: SessionRow
    seen: tuple[tuple[int, Turn, bool], ...]  # all its turns: key, turn, hidden
    place: Place  # where it is to be: its names are masked, too
    note: NoteNames | None  # of a session that is a note
    turns: tuple[Reworded, ...]
    touched: tuple[Touched, ...]
    texts: tuple[tuple[str, ...], ...]  # what to embed for each of these


def find_turns(store: Store, mask: Mask) -> Iterator[FoundTurn]:
    """Every turn of the namespace that holds something to mask, hidden ones too."""
    after = -1
    while rows := store.all("turns_scanned", after=after, limit=PAGE):
        for row in rows:
            beside = (text for pair in json.loads(row["meta"]).items() for text in pair) if row["meta"] else ()
            texts = (row["text"], row["speaker"], row["id"], *beside)
            finds = tuple(one for text in texts for one in mask(text).redactions)
            if finds:
                yield FoundTurn(row["key"], row["session"], finds)
        after = rows[-1]["key"]


def _plan(store: Store, key: int, mask: Mask) -> Rewording | None:
    """What masking would change in a session; None if nothing. Writes nothing."""
    if (state := _look(store, key)) is None:
        return None
    session, seen = state
    masked = [(key, turn, masked_turn(turn, mask, session.conversation == DOCUMENTS)) for key, turn, _ in seen]
    turns = with_new_ids(session, [turn for _, turn, _ in seen], [Reworded(*m) for m in masked if m[1] != m[2]])
    note = note_names(store, session, mask)
    place = masked_place(store, session, mask, note, masked[0][1:] if masked else None)
    if place != (session.conversation, session.id):
        turns = renamed_note(session, place, seen, turns)
        touched, texts = segments_with(store, turns, tuple(key for key, _, _ in seen))
    else:
        touched, texts = segments_with(store, turns)
    if not turns and place == (session.conversation, session.id) and (note is None or note.before == note.after):
        return None
    return Rewording(session, seen, place, note, turns, touched, texts)


def reword(
    store: Store, embedder: Embedder, fresh: Fresh, linker: Linker, key: int, mask: Mask, also: Callable[[], None]
) -> Rewording | None:
    """Mask a session's turns in one transaction; `also` is called before it ends. Returns what was done."""
    while (planned := _plan(store, key, mask)) is not None:
        made = embed_or_wait(embedder, planned.texts)
        vectors = by_key([t.key for t in planned.touched], made)
        fresh()
        try:
            with store.transaction():
                if _look(store, key) != (planned.session, planned.seen) or _plan(store, key, mask) != planned:
                    continue  # another process wrote to this session since the plan was made
                if made is not None and len(made):
                    check_embedder(store, embedder.sha256)
                _write(store, fresh, linker, planned, vectors, mask)
                also()
        except BaseException:
            linker.reach.forget()  # it may have learnt from what was rolled back
            raise
        return planned
    return None


# --- steps ---------------------------------------------------------------------------------------


def _look(store: Store, key: int) -> tuple[SessionRow, tuple[tuple[int, Turn, bool], ...]] | None:
    """A session and all its turns as they are now; None if it is gone."""
    row, rows = store.one("session_by_key", key=key), store.all("turns_of_session", session=key)
    if row is None:
        return None
    return session_row(row), tuple((r["key"], turn_of(r), bool(r["hidden"])) for r in rows)


def with_new_ids(session: SessionRow, every: Sequence[Turn], turns: Sequence[Reworded]) -> tuple[Reworded, ...]:
    """The ids that the masked turns would get: of the masked text where it was a hash of the old one."""
    taken, found = {turn.id for turn in every}, []
    for one in turns:
        old, new = (text_hash(session, turn) for turn in (one.before, one.after))
        if old == new or not re.fullmatch(rf"{old}(-\d+)?", one.before.id or ""):
            new = one.after.id or ""
        if new != one.before.id:
            id, count = new, 1
            while id in taken:
                count += 1
                id = f"{new}-{count}"
            taken.add(id)
            one = replace(one, after=replace(one.after, id=id))
        found.append(one)
    return tuple(found)


def renamed_note(
    session: SessionRow, place: Place, seen: Sequence[tuple[int, Turn, bool]], turns: Sequence[Reworded]
) -> tuple[Reworded, ...]:
    """A note's turn has the id of its session; where that changes, so does the turn's."""
    if session.conversation != NOTES or seen[0][1].id != session.id:
        return tuple(turns)
    key, before, _ = seen[0]
    after = next((one.after for one in turns), before)
    return (Reworded(key, before, replace(after, id=place[1])),)


def text_hash(session: SessionRow, turn: Turn) -> str:
    """The id that a turn gets from what it says. A note's is its session's, too: see `rename_note`."""
    assert turn.said_at is not None
    if session.conversation == DOCUMENTS:
        return chunk_hash(turn.speaker, turn.text)
    return turn_hash(turn.speaker, turn.said_at, turn.text)


def segments_with(
    store: Store, turns: Sequence[Reworded], also: Sequence[int] = ()
) -> tuple[tuple[Touched, ...], tuple[tuple[str, ...], ...]]:
    """The segments of turns whose words change, and of some others, and what is to be embedded for each."""
    now, rows = {one.key: one.after for one in turns if one.is_heard}, defaultdict(list)
    for row in store.all("segments_of_turns", keys=encode_keys(sorted({*now, *also}))):
        turn = now.get(row["turn"])
        said = (row["speaker"], row["text"]) if turn is None else (turn.speaker, turn.text)
        rows[row["key"]].append((row, labelled([said])))
    touched, texts = [], []
    for key, own in rows.items():
        shown = tuple(text for row, text in own if not row["hidden"])
        touched.append(Touched(key, own[0][0]["session"], own[0][0]["state"], len(own) == 1, shown))
        texts.append(shown or tuple(text for _, text in own))
    return tuple(touched), tuple(texts)


def _write(store: Store, fresh: Fresh, linker: Linker, planned: Rewording, vectors: Vectors, mask: Mask) -> None:
    """Put the masked turns in place of the old ones, inside the caller's transaction."""
    index, seq = fresh()
    session = planned.session
    unlink(store, linker, index, sorted(t.key for t in planned.touched if t.state == LIVE))
    strip_lists(store, linker, {t.key for t in planned.touched if t.state != LIVE})
    for t in planned.touched:
        store.remove_words(t.key)
    for one in planned.turns:
        put_turn(store, one)
    renamed = [one.before for one in planned.turns if one.before.id != one.after.id]
    bury_ids(store, session.conversation, session.id, renamed)
    if planned.note is not None:
        text = next((one.after.text for one in planned.turns), planned.seen[0][1].text)
        put_names(store, planned.note, content_quality(text))
    if planned.place != (session.conversation, session.id):
        bury_ids(store, session.conversation, session.id, [turn for _, turn, _ in planned.seen])
        rename(store, session, planned.place, mask)
    for t in planned.touched:
        replace_vector(store, t.session, t.key, vectors[t.key])
        store.run("reindexed_delete", key=t.key)
        store.add_words([t.key], t.state)
        note_change(store, t, waits=vectors[t.key] is None)
    relink(store, linker, index, seq, planned.touched, vectors)
    store.run("session_unarchived", key=session.key)


def put_turn(store: Store, one: Reworded) -> None:
    turn = one.after
    meta = json.dumps(dict(turn.meta), ensure_ascii=False, sort_keys=True) if turn.meta else None
    store.run("turn_reword", key=one.key, id=turn.id, speaker=turn.speaker, text=turn.text, meta=meta)
    for found in turn.redactions:
        place = {"start": found.start, "length": found.length}
        store.run("redaction_more", turn=one.key, rule=found.rule, fingerprint=found.fingerprint, **place)

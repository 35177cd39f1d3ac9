"""What was found, as the caller gets it: entries best first, then their neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..language.whose_words import asks_for_own_words
from ..records import Candidate, Path, Segment
from .expand import Reached
from .fuse import Ranked
from .passages import PartPassage, Sought, best_of_parts, in_order_of_worth
from .typed_links import Mark, path_of

OWN_ANSWER = 0.5  # of what a question of oneself tells, which an answer must add to its message to be named


def to_candidates(
    segments: Mapping[int, Segment],
    titles: Mapping[str, str | None],
    question: str,
    weights: Mapping[str, float],
    entries: Sequence[Ranked],
    reached: Sequence[Reached],
    marks: Mapping[int, Sequence[Mark]],
) -> tuple[Candidate, ...]:
    """Entries best first, then the neighbours, best first; a segment deleted meanwhile is left out.

    Each has what its conversation is called, where that is known, the passages that fit the question's words, and the
    turns that these are in.
    """
    sought = Sought(weights)
    least = OWN_ANSWER * sum(weights.values()) if asks_for_own_words(question) else 0.0

    def candidate(ranked: Ranked, path: Path | None = None, links: tuple[Path, ...] = ()) -> Candidate:
        segment = segments[ranked.key]
        parts = best_of_parts(segment, sought)
        return Candidate(
            segment_id=segment.id,
            session_id=segment.session_id,
            conversation_id=segment.conversation_id,
            turn_ids=fitting_turns(segment, parts, weights, least),
            speakers=segment.speakers,
            said_at=segment.said_at,
            text=segment.text,
            score=ranked.score,
            role="entry" if path is None else "expanded",
            path=path,
            channels=ranked.standings,
            evidence=ranked.evidence,
            links=links,
            spoken=segment.spoken,
            origin=segment.origin,
            title=titles.get(segment.conversation_id),
            matched=in_order_of_worth(parts),
        )

    found = [
        candidate(entry, links=_marked(segments, marks.get(entry.key, ())))
        for entry in entries
        if entry.key in segments
    ]
    neighbours = [
        candidate(Ranked(r.key, r.score), Path(r.kind, r.edge, segments[r.origin].id, r.weight, r.steps, r.outward))
        for r in reached
        if r.key in segments and r.origin in segments
    ]
    neighbours.sort(key=lambda c: (-c.score, c.said_at, c.segment_id))
    return (*found, *neighbours)


def fitting_turns(
    segment: Segment, parts: Sequence[PartPassage], weights: Mapping[str, float], least: float
) -> tuple[str, ...]:
    """The turns of a segment that a question is after: of an exchange the message, and an answer whose best passage
    has so much of the question that the message does not have. All of them, where that is nothing, or where the message
    has no word of the question."""
    if least == 0.0 or len(segment.turn_ids) == 1 or not any(one.told for one in parts):
        return segment.turn_ids
    began = segment.spoken[0].speaker
    asked = frozenset[str]().union(
        *(one.told for one, said in zip(parts, segment.spoken, strict=True) if said.speaker == began)
    )
    if not asked:
        return segment.turn_ids
    return tuple(
        turn
        for turn, one, said in zip(segment.turn_ids, parts, segment.spoken, strict=True)
        if said.speaker == began or sum(weights[stem] for stem in one.told - asked) >= least
    )


def _marked(segments: Mapping[int, Segment], marks: Sequence[Mark]) -> tuple[Path, ...]:
    """What links say of an entry, with the ids of their other ends."""
    return tuple(path_of(mark, segments[mark.end.other].id) for mark in marks if mark.end.other in segments)

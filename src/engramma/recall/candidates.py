"""What was found, as the caller gets it: entries best first, then their neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..records import Candidate, Path, Segment
from .expand import Reached
from .fuse import Ranked
from .passages import matched_passages
from .typed_links import Mark, path_of


def to_candidates(
    segments: Mapping[int, Segment],
    titles: Mapping[str, str | None],
    weights: Mapping[str, float],
    entries: Sequence[Ranked],
    reached: Sequence[Reached],
    marks: Mapping[int, Sequence[Mark]],
) -> tuple[Candidate, ...]:
    """Entries best first, then the neighbours, best first; a segment deleted meanwhile is left out.

    Each has what its conversation is called, where that is known, and the passages that fit the question's words.
    """

    def candidate(ranked: Ranked, path: Path | None = None, links: tuple[Path, ...] = ()) -> Candidate:
        segment = segments[ranked.key]
        return Candidate(
            segment_id=segment.id,
            session_id=segment.session_id,
            conversation_id=segment.conversation_id,
            turn_ids=segment.turn_ids,
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
            matched=matched_passages(segment, weights),
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


def _marked(segments: Mapping[int, Segment], marks: Sequence[Mark]) -> tuple[Path, ...]:
    """What links say of an entry, with the ids of their other ends."""
    return tuple(path_of(mark, segments[mark.end.other].id) for mark in marks if mark.end.other in segments)

"""One memory by its id: whole or from an offset on, with what stands around it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp.server.mcpserver.exceptions import ToolError

from ...language.quoting import ID_CHARACTERS, name_in, name_line, quoted
from ...language.text import estimate_tokens, segment_id
from ...records import Note, Segment
from .models import LinkInfo, Shown
from .token_budget import FRAME, block_text, cut_source, fit_one

if TYPE_CHECKING:
    from ...memory import Memory

META_CHARACTERS = 300  # of a note's metadata value that are shown


def get_result(memory: Memory, id: str, around: int, offset: int, max_tokens: int) -> tuple[Shown, str]:
    """One segment with what belongs to it: its own text first, and of the rest what fits."""
    found = memory.segment(id) or memory.segment(name_in(id))  # as it is, or as it was shown
    if found is None:
        raise ToolError(
            f"There is no memory {id!r:.200} here, or it was forgotten. Ids come from memory_search, memory_context, "
            "memory_timeline and memory_list; copy it completely."
        )
    segment, _ = found
    if offset and offset >= len(segment.text):
        raise ToolError(f"offset {offset} is past the end of the text, which has {len(segment.text):,} characters.")
    key = memory.fence_key
    thread = memory.browse.thread(segment.conversation_id)
    titles = {segment.conversation_id: None if thread is None else thread.title}
    note = memory.notes.get(segment.id) if segment.kind == "note" else None
    beside = shown_meta(note, max_tokens // 4) if note else {}
    told = quoted("\n".join(f"{name}: {value}" for name, value in beside.items()))
    room = max_tokens - FRAME - (estimate_tokens(told) + 10 if beside else 0)
    own, text = cut_source(segment, room // (2 if around else 1), key, offset, titles)
    links = [
        LinkInfo(source=k.source, kind=k.kind, target=k.target, weight=round(k.weight, 3), label=k.label)
        for k in memory.links.all(segment.id)[:10]
    ]
    end = next_offset(own.text, own.cut)
    model = Shown(
        hit=own,
        offset=offset,
        total_characters=len(segment.text),
        next_offset=end,
        links=links,
        state=note.state if note else "live",
        tags=list(note.tags) if note else [],
        meta=beside,
        repeats=note.repeats if note else 0,
    )
    blocks, places = {segment.id: f"{text}\nmetadata:\n{told}" if beside else text}, dict[str, int]()
    before, after = neighbours(memory, segment, around) if around else ([], [])
    for thing, side in nearest_first(before, after):
        left = (
            max_tokens
            - FRAME
            - max(estimate_tokens(model.model_dump_json()), sum(map(estimate_tokens, blocks.values())))
        )
        made, block = fit_one(thing, max(left, 1), key, titles)
        if left < 60 or (made.cut and left < 150):
            break
        places[made.id] = thing.index
        (model.before if side == "before" else model.after).append(made)
        blocks[thing.id] = block
    model.before.sort(key=lambda one: places[one.id])
    model.after.sort(key=lambda one: places[one.id])
    lines = [block_text((blocks[s.id] for s in (*before, segment, *after) if s.id in blocks), key)]
    lines += [f"link: {id_line(link.source)} {link.kind} {id_line(link.target)}" for link in links]
    lines += [f"state: {model.state}; tags: {', '.join(map(name_line, model.tags)) or 'none'}"] if note else []
    return model, "\n".join(lines)


def shown_meta(note: Note, most: int) -> dict[str, str]:
    """A note's metadata, each a line of bounded length, as many as fit into some tokens."""
    found: dict[str, str] = {}
    for name, value in note.meta.items():
        found[name_line(name)] = name_line(value, META_CHARACTERS)
        if estimate_tokens(json.dumps(found)) > most:
            found.popitem()
            break
    return found


def id_line(id: str) -> str:
    return name_line(id, ID_CHARACTERS)


def next_offset(shown: str, cut: bool) -> int | None:
    """Where the rest of a cut text begins; the cut itself says it."""
    if not cut:
        return None
    return int(shown.rpartition("memory_get with offset ")[2].partition(" ")[0])


def neighbours(memory: Memory, segment: Segment, around: int) -> tuple[list[Segment], list[Segment]]:
    """What stands before and after a segment in its session."""
    place = segment.conversation_id, segment.session_id
    if segment.kind == "note":
        return [], []
    at = segment.index
    wanted = (*range(max(0, at - around), at), *range(at + 1, at + around + 1))
    found = [memory.segment(segment_id(*place, index)) for index in wanted]
    there = [one[0] for one in found if one is not None]
    return [s for s in there if s.index < segment.index], [s for s in there if s.index > segment.index]


def nearest_first(before: list[Segment], after: list[Segment]) -> list[tuple[Segment, str]]:
    """Both sides in turn, the nearest first."""
    sides = [(s, "before", n) for n, s in enumerate(reversed(before))] + [(s, "after", n) for n, s in enumerate(after)]
    return [(s, side) for s, side, _ in sorted(sides, key=lambda one: one[2])]

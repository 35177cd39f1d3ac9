"""Previews an import: reads the source and compares it with the store, without storing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..core.core import Core
from ..core.names import conversation_name
from ..ingest.pipeline import draft
from ..ingest.remember import masked_request
from ..records import Conversation, Extra, Problem
from ..sources import sniff
from .imports import Reading, identify_turn, read_wanted, to_requests


@dataclass(frozen=True, slots=True)
class Preview:
    """What is in a source, how much of it would be new to a core, and what would be masked, by rule."""

    conversations: int = 0
    new_conversations: int = 0
    turns: int = 0
    new_turns: int = 0
    known_turns: int = 0
    purged_turns: int = 0
    redactions: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def preview_file(
    core: Core,
    path: Path,
    reading: Reading | None = None,
    seen: set[int] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Preview:
    """Look at one source. `seen` remembers over several what an earlier one would add.

    `progress` is called with (turns, problems) of each conversation.
    """
    mask = core.look  # makes no key for fingerprints: nothing is written, not even that
    counts: Counter[str] = Counter()
    rules_met: Counter[str] = Counter()
    problems: list[Problem] = []
    planned = set() if seen is None else seen
    how = reading or Reading()
    how = replace(how, format=how.format or sniff(path))
    for item in read_wanted(core, path, how):
        if isinstance(item, Extra):
            continue
        if isinstance(item, Problem):
            problems.append(item)
            continue
        requests, refused = to_requests(item, path, how, core.config.max_turn_bytes, mask)
        problems += refused
        drafts = [draft(core.store, masked_request(core, request, mask)) for request in requests]
        problems += [problem for one in drafts for problem in one.problems]
        new = [turn for one in drafts for turn in one.new_turns]
        fresh = [turn for turn in new if hash((item.id, identify_turn(turn))) not in planned]
        planned.update(hash((item.id, identify_turn(turn))) for turn in fresh)
        rules_met.update(found.rule for turn in fresh for found in turn.redactions)
        counts += Counter(
            conversations=int(not item.continues),
            new_conversations=int(bool(fresh) and not item.continues and is_new(core, item)),
            turns=sum(len(session.turns) for session in item.sessions),
            new_turns=len(fresh),
            known_turns=sum(one.repeated for one in drafts) + len(new) - len(fresh),
            purged_turns=sum(one.purged for one in drafts),
        )
        if progress is not None:
            progress(sum(len(session.turns) for session in item.sessions), len(refused))
    return Preview(**counts, redactions=dict(sorted(rules_met.items())), problems=core.mask_problems(problems))


def is_new(core: Core, conversation: Conversation) -> bool:
    return core.store.one("conversation_get", id=conversation_name(core, conversation.id)) is None


def add_previews(a: Preview, b: Preview) -> Preview:
    return Preview(
        a.conversations + b.conversations,
        a.new_conversations + b.new_conversations,
        a.turns + b.turns,
        a.new_turns + b.new_turns,
        a.known_turns + b.known_turns,
        a.purged_turns + b.purged_turns,
        dict(sorted((Counter(a.redactions) + Counter(b.redactions)).items())),
        a.problems + b.problems,
    )


def count_turns(core: Core, path: Path, reading: Reading, progress: Callable[[int, int], None]) -> None:
    """Read a source for its size alone; `progress` is called with (conversations, turns) since the last call."""
    for item in read_wanted(core, path, reading):
        if isinstance(item, Conversation):
            progress(int(not item.continues), sum(len(session.turns) for session in item.sessions))

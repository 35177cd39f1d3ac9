"""What memory knows beside the turns themselves: an answer, facts of the graph, a person's timeline and claims."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...language.fence import marked
from ...language.quoting import name_line, speaker_line
from ...language.text import estimate_tokens, infer_role, shorten
from ...language.times import format_time, local_day
from ...recall.context import Utterance, called, label, quotes
from ..fact_lines import mood_beside
from .models import Answered

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Recall
    from ...records.people import Claim

MOST_FACTS = 8
LONGEST_ANSWER = 600  # characters
LEAST_CONFIDENCE = 0.9  # of an answer that is shown above the hits: it has to be right nine times in ten
ROOM_FOR_HITS = 180  # tokens that what was said itself always has
QUESTION_MARKS = ("?", "？", "؟")


def room_beside(max_tokens: int, frame: int) -> int:
    """Tokens that an answer and facts may take of a result: a third, and none where it is small."""
    return max(0, min((max_tokens - frame) // 3, max_tokens - frame - ROOM_FOR_HITS))


def answer_to(memory: Memory, query: str, conversation: str | None, room: int) -> tuple[Answered, str] | None:
    """A sentence that answers a question almost certainly, as data and as a block of text; else None.

    It is the sentence that `ask` quotes, word for word: what was worked out is not shown as something that was said.
    """
    if not query.rstrip().endswith(QUESTION_MARKS) or room <= 0:
        return None
    found = memory.ask(query, conversation, llm=False)  # whoever reads it is a model
    if found.abstained or found.confidence < LEAST_CONFIDENCE or not found.evidence:
        return None
    told = found.evidence[0]
    if not found.quote or len(found.quote) > LONGEST_ANSWER or infer_role(told.speaker, None) is not None:
        return None  # in chats with an assistant not even the surest are right nine times in ten
    said = quotes([Utterance(told.speaker, told.said_at, found.quote)], told.said_at)
    made = Answered(
        text=marked(said, memory.fence_key),
        speaker=told.speaker,
        said_at=format_time(told.said_at),
        confidence=round(found.confidence, 2),
    )
    thread = memory.browse.thread(told.conversation)
    where = called(told.conversation, told.conversation, None if thread is None else thread.title)
    return (made, f"{label(told.said_at, 'answer', *where)}\n{said}") if cost(made) <= room else None


def facts_to(memory: Memory, recalled: Recall, conversation: str | None, room: int) -> list[str]:
    """What the graph says to a question that it understands, as many facts as fit; none that the hits show anyway."""
    from ...people import ParsedQuestion, fact_block

    if room <= 0 or ParsedQuestion(recalled.query).pattern is None:
        return []
    shown = {(one.conversation_id, turn) for one in recalled.candidates for turn in one.turn_ids}
    facts = [
        fact
        for fact in memory.claims.graph_query(recalled.query).facts
        if (conversation is None or all(claim.conversation == conversation for claim in fact.claims))
        and (fact.claims[-1].conversation, fact.claims[-1].turn_ids[0]) not in shown
    ]
    return _fitting(map(fact_block, facts[:MOST_FACTS]), room)


def person_lines(memory: Memory, name: str, room: int) -> list[str]:
    """What held of somebody when, then what else is known, each with its source, as many as fit."""
    from ...people import facts_by_side, order, predicate_words

    found = memory.people.get(name)
    if found is None:
        return []
    periods = sorted((one for held in found.timelines.values() for one in held), key=lambda one: one.since)
    lines = [
        f"> {one.since_day} to {one.until_day or 'now'}: "
        f"{predicate_words(one.relation, name_line(one.value))} [{source(one.claims[-1])}]"
        for one in periods
    ]
    timeline = _fitting(lines, room // 2)
    if timeline:
        timeline = ["Timeline:", *timeline]
    sides = facts_by_side(found.facts)
    told = [claim for side in ("who", "tastes", "happened") for fact in sides[side] for claim in fact.claims]
    talk = [claim for fact in sides["talk"] for claim in fact.claims]
    claims = [*sorted(told, key=order, reverse=True), *sorted(talk, key=order, reverse=True)]  # small talk last
    said = _fitting((_claim_line(claim) for claim in claims), room - _tokens_of(timeline))
    return [*timeline, *(["Claims, the latest first, small talk last:", *said] if said else [])]


def _claim_line(claim: Claim) -> str:
    from ...people import predicate_words

    told = predicate_words(claim.relation, name_line(claim.value), claim.negated)
    mood = f" ({mood})" if (mood := mood_beside(claim.relation, claim.modality)) else ""
    return (
        f"> {name_line(claim.subject)} {told}{mood} "
        f"[{source(claim)}, {speaker_line(claim.speaker)}: “{name_line(shorten(claim.quote, 120), 240)}”]"
    )


def source(claim: Claim) -> str:
    return f"{name_line(claim.conversation)}/{name_line(claim.turn_ids[0])}, {local_day(claim.said_at)}"


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """The first lines that fit into so many tokens."""
    found = list[str]()
    for line in lines:
        room -= _tokens_of([line])
        if room < 0:
            break
        found.append(line)
    return found


def _tokens_of(lines: Iterable[str]) -> int:
    return sum(estimate_tokens(line) + 2 for line in lines)


def cost(answer: Answered) -> int:
    return estimate_tokens(answer.model_dump_json()) + 4

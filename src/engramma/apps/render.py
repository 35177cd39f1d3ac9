"""Renders records for every interface: as JSON values, and as text for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..language.quoting import ID_CHARACTERS, escaped, name_line, quoted, speaker_line
from ..language.text import labelled, speaker_name
from ..language.text import plural as plural
from ..language.times import format_time, local_minute, zoned_minute
from ..recall.recipes import RECIPES, Plan
from ..recall.typed_links import describe_link
from ..records import Spoken

if TYPE_CHECKING:
    from ..records import Candidate, Note, Path, Problem, Recall, RememberReport, Repeat, Segment
    from ..records.people import Answer, AnswerSentence, Evidence

GUESS = 0.75  # confidence below which an answer is told with "Perhaps": two in five of those are wrong


def as_value(thing: Any) -> Any:
    """A record as plain JSON values, its fields in the order of their definition."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return {f.name: as_value(getattr(thing, f.name)) for f in fields(thing)}
    if isinstance(thing, datetime):
        return format_time(thing)
    if isinstance(thing, Mapping):
        return {str(key): as_value(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple | set | frozenset):
        return [as_value(value) for value in thing]
    return thing


def as_json(thing: Any) -> str:
    return json.dumps(as_value(thing), ensure_ascii=False, indent=2)


_FIGURES = re.compile(r" \(nearest [^()]*\)$")


def recall_notes(found: Recall, with_figures: bool = True, of_context: bool = True) -> list[str]:
    """What a person at a command line should know about how this recall came about."""
    lines = [note.replace("recipe vector", "`--recipe vector`") for note in found.trace.notes]
    if not with_figures:
        lines = [_FIGURES.sub("", line) for line in lines]
    if of_context and (left := found.trace.counts.get("left_out_of_context")):
        lines.append(f"{plural(left, 'candidate')} did not fit into the context budget")
    return lines


EXPLAINED = (
    "How to read this: the score of an entry is its share of all that was weighed, so that the scores add up to 1.",
    "An entry was found by the question itself; an expanded one stands beside an entry or is linked to it.",
    "#1 is a channel's first hit: semantic by meaning (cosine, at most 1), lexical by words (BM25), graph by links.",
    "Evidence above 0 speaks for a segment, below 0 against it; the larger the sum, the higher it stands.",
)
IN_WORDS = {
    "meaning": "how near its meaning is to the question, with the turns around it, against what is usual here",
    "meaning_rank": "further down among the nearest by meaning",
    "meaning_stands_out": "its own meaning is nearer to the question than others'",
    "words_rank": "further down among those that share words with the question",
    "session_meaning": "others of its session are near to the question, too",
    "session_words": "its session has the words of the question",
    "other_speaker": "somebody else than the person in the question says it",
    "absent": "the person in the question neither speaks nor is spoken of there",
    "latest": "the message goes on, and this was said lately in its conversation",
    "sessions_since": "the message goes on, and later sessions of this conversation follow",
    "its_conversation": "the message goes on, and most of what fits it is in this conversation",
    "conversation": "most of the first hits are in this conversation",
    "question": "it is a question itself",
    "answers": "it answers a question like this one",
    "length": "it is longer (or shorter) than usual",
    "tells_time": "it names a day or a time",
    "stands_out": "it has more of the question's words together than others",
    "quoted": "nearly all of the question's words stand together in it",
    "standing": "an assistant was told to do this always, and nothing else of that kind fits better",
    "tells_when": "the question asks when, and it names a time",
    "in_time": "it was said at the time that the question names",
    "importance": "its strength, or a tag such as important",
}


def explain_lines(found: Recall) -> list[str]:
    """For each candidate a block: its place and score, its conversation's title, what found it, what spoke for it."""
    lines: list[str] = []
    for rank, c in enumerate(found.candidates, 1):
        lines += ["", f"{rank}. {name_line(c.segment_id, ID_CHARACTERS)}  {c.score:.4f}  {c.role}"]
        if c.title:
            lines.append(f'   {"in":<11}"{name_line(c.title)}"')
        lines.append(f"   {'found by' if c.path is None else 'reached by':<11}{way(c)}")
        lines += [f"   {'' if n else 'links':<11}{_linked(link)}" for n, link in enumerate(c.links)]
        if c.evidence:
            width = max(map(len, c.evidence))
            by_size = sorted(c.evidence.items(), key=lambda item: (-item[1], item[0]))
            parts = [f"{name:<{width}}  {value:+8.4f}  {IN_WORDS.get(name, '')}".rstrip() for name, value in by_size]
            parts.append(f"{'sum':<{width}}  {sum(c.evidence.values()):+8.4f}")
            lines += [f"   {'' if n else 'evidence':<11}{part}" for n, part in enumerate(parts)]
    return [*lines[1:], "", *EXPLAINED] if lines else []


def way(c: Candidate) -> str:
    """What brought a candidate: the channels that found it, or the edge that led to it."""
    if c.path is not None:
        steps = f", {plural(c.path.steps, 'step')}" if c.path.steps > 1 else ""
        if c.path.kind == "link":
            return f"link, {_linked(c.path)}{steps}"
        return f"{c.path.kind}, {c.path.edge} edge {c.path.weight:.2f}{steps} from {c.path.from_segment}"
    digits = {"lexical": 2}  # BM25 has no upper end, a cosine ends at 1
    stood = (f"{name} #{at.rank} {at.score:.{digits.get(name, 3)}f}" for name, at in c.channels.items())
    return ", ".join(stood) or "no channel: it is next to what they found"


def _linked(path: Path) -> str:
    """A typed link as one of its ends sees it: what it is to the other, how strong, what it added to the score."""
    gain = f", {path.gain:+.4f}" if path.gain else ""
    return f"{describe_link(path)} {path.from_segment}, weight {path.weight:.2f}{gain}"


def answer_lines(answer: Answer, explain: bool = False, me: str = "") -> list[str]:
    """An answer with its sources, what was found that may not be one, or why there is none; `me` is the user's name."""
    from ..people import where_told

    numbers: dict[Evidence, int] = {}
    lines = [sentence_line(one, numbers) for one in answer.sentences]
    lines += [] if lines and not answer.abstained else [first_answer_line(answer)]
    for one in numbers or answer.evidence:
        number = f"[{numbers[one]}] " if numbers else ""
        who = speaker_line(speaker_name(one.speaker, me))
        lines.append(f"  {number}[{local_minute(one.said_at)}] {where_told(one)}, {who}:")
        lines += [f"  {line}" for line in quoted(one.text).split("\n")]
    if explain:
        from .answer_measures import measure_lines

        whom = speaker_name(answer.person or "nobody in particular", me)
        lines += ["", f"asked about  {whom}, {answer.scope}; kind of question: {answer.kind}"]
        lines += measure_lines(answer)
        lines += [f"written by   {answer.trace['written']}"] if "written" in answer.trace else []
        for left_out in answer.trace.get("unsupported", ()):
            lines.append(f"left out     {escaped(left_out['text'])} ({left_out['reason']})")
    return lines


def sentence_line(sentence: AnswerSentence, numbers: dict[Evidence, int]) -> str:
    """A model's sentence with the numbers of its sources; a source that is new gets the next number."""
    marks = "".join(f"[{numbers.setdefault(one, len(numbers) + 1)}]" for one in sentence.evidence)
    return f"{escaped(' '.join(sentence.text.split()))} {marks}"


def first_answer_line(answer: Answer) -> str:
    """The first line of an answer: its words, a guess as a guess, or why there are none; in the question's language."""
    from ..people import answer_language, worded

    language = answer_language(answer.question, answer.trace.get("language", ""))
    if answer.verdict == "unsure":
        is_found = answer.quote and not answer.sentences
        quote = escaped(" ".join(answer.quote.split()))
        shown = worded(language, "found", quote=quote) if is_found else ""
        return worded(language, "not_sure", reason=answer.reason) + shown
    if answer.abstained:
        return worded(language, "no_answer", reason=answer.reason)
    text = escaped(" ".join(answer.text.split()))
    return text if answer.confidence >= GUESS else worded(language, "perhaps", text=text)


def plan_lines(plan: Plan) -> list[str]:
    """A recipe's steps with every number; what the store's config.toml changed is marked."""
    built_in = RECIPES[plan.name]

    def line(label: str, text: str, *names: str) -> str:
        changed = any(getattr(plan, name) != getattr(built_in, name) for name in names)
        return f"  {label:<12}{text}{'  (config.toml)' if changed else ''}"

    fused = {
        "none": "none: as the channel ranks them",
        "rrf": f"reciprocal ranks, 1 / ({plan.rrf_k} + rank)",
        "evidence": "weighted evidence, each normalised to 1",
    }[plan.fusion]
    lines = [
        f"{plan.name}: {plan.purpose}",
        line("channels", ", ".join(plan.channels), "channels"),
        line("fusion", fused, "fusion", *(["rrf_k"] if plan.fusion == "rrf" else [])),
        *(
            line("weights" if n == 0 else "", f"{name:<16}{value:+7.2f}")
            + ("  (config.toml)" if value != built_in.weights.get(name) else "")
            for n, (name, value) in enumerate(sorted(plan.weights.items(), key=lambda item: (-item[1], item[0])))
        ),
    ]
    if plan.fusion == "evidence":
        lines.append(line("pool", f"the first {plan.pool} of each channel, and the turns next to them", "pool"))
    elif plan.fusion == "rrf":
        lines.append(line("pool", f"the first {2 * plan.pool} of each channel", "pool"))
    again = f"the first {plan.rerank} once more, read beside the question" if plan.rerank else "none"
    lines.append(line("rerank", again, "rerank"))
    second = f"{plural(plan.second_round, 'place')} for whom a question describes" if plan.second_round else "none"
    lines.append(line("again", second, "second_round"))
    mmr = "none" if plan.mmr is None else f"MMR: {plan.mmr:g} relevance, {1 - plan.mmr:.2g} novelty"
    lines.append(line("diversity", mmr, "mmr"))
    if plan.per_topic is not None or built_in.per_topic is not None:
        most = "any number of one topic" if plan.per_topic is None else f"at most {plan.per_topic} of one topic first"
        lines.append(line("topics", most, "per_topic"))
    fade = "does not count" if plan.half_life_days is None else f"a score halves every {plan.half_life_days:g} days"
    lines.append(line("age", fade, "half_life_days"))
    lines.append(line("thresholds", shown_thresholds(plan), "thresholds", "floor", "edge", "dedup"))
    entries = "k" if plan.entries is None else f"k, at most {plan.entries}"
    lines.append(line("entries", entries, "entries"))
    hops = f", {plural(plan.hops, 'hop')}" if plan.lateral else ""
    lateral = f"{plural(plan.lateral, 'semantic neighbour')} of each entry{hops}" if plan.lateral else "none"
    lines.append(line("lateral", lateral, "lateral", *(["hops"] if plan.lateral else [])))
    if "graph" in plan.channels:
        lines.append(line("graph", f"{plural(plan.hops, 'hop')}, at most {plan.cap} segments", "hops", "cap"))
    vertical = f"{plural(plan.vertical, 'chain step')} before and after each entry" if plan.vertical else "none"
    lines.append(line("vertical", vertical, "vertical"))
    typed = f"at most {plural(plan.typed, 'segment')} of each entry by typed links" if plan.typed else "none"
    lines.append(line("links", typed, "typed"))
    facts = f"at most {plural(plan.facts, 'fact')} of the knowledge graph" if plan.facts else "none"
    lines.append(line("facts", facts, "facts"))
    budget = "no limit" if plan.budget_tokens is None else f"{plan.budget_tokens:,} tokens of context"
    lines.append(line("budget", budget, "budget_tokens"))
    return lines


def shown_thresholds(plan: Plan) -> str:
    if plan.thresholds == "none":
        return "none"
    if plan.thresholds == "fixed":
        floor = f"floor {plan.floor:.2f}" if plan.floor > -1 else "no floor"
        dedup = f"dedup {plan.dedup:.2f}" if plan.dedup <= 1 else "no dedup"
        return f"fixed: {floor}, edge {plan.edge:.2f}, {dedup}"
    small = f"edge {plan.edge:.2f} and dedup {plan.dedup:.2f} in a small one"
    return f"auto: found from what the memory holds (`engramma stats` shows them); {small}"


def report_line(report: RememberReport) -> str:
    """What a write added, in one line."""
    parts = [
        plural(report.conversations, "conversation"),
        plural(report.sessions, "session"),
        plural(report.turns, "turn"),
        plural(report.segments, "segment"),
        plural(report.edges, "edge"),
    ]
    line = "added " + ", ".join(parts)
    if report.known_turns:
        line += f"; {plural(report.known_turns, 'turn')} already known"
    if report.purged_turns:
        line += f"; {plural(report.purged_turns, 'turn')} purged before and not added again"
    return line


def problem_lines(problems: Iterable[Problem], limit: int = 20) -> list[str]:
    found = list(problems)
    lines = [f"{p.path}: {p.where}: {p.reason}".replace(": the whole file: ", ": ", 1) for p in found[:limit]]
    if len(found) > limit:
        lines.append(f"… and {len(found) - limit} more (use --json to see them all)")
    return lines


def size(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def segment_text(segment: Segment, me: str = "") -> str:
    """Who said what in a segment, word for word; `me` is the user's name."""
    parts = segment.spoken or (Spoken(segment.speakers[0], segment.said_at, 0, len(segment.text)),)
    return labelled([(speaker_name(one.speaker, me), segment.text[one.start : one.end]) for one in parts])


def note_lines(note: Note, me: str = "") -> list[str]:
    """A note for people: its words under a line that says what is known of it; `me` is the user's name."""
    from ..records.notes import MAX_META_SIZE  # whoever shows a note has its module loaded

    parts = [note.id, zoned_minute(note.created), name_line(speaker_name(note.speaker, me))]
    parts += [f"#{name_line(tag)}" for tag in note.tags]
    parts += [f"recalled {note.recalls}x"] if note.recalls else []
    parts += [f"said again {note.repeats}x"] if note.repeats else []
    parts += [f"until {local_minute(note.expires_at)}"] if note.expires_at else []
    parts += [note.state] if note.state != "live" else []
    beside = [f"  {name_line(name)}={name_line(value, MAX_META_SIZE)}" for name, value in note.meta.items()]
    return ["  ".join(parts), f"  {note.text}", *beside]


def repeat_line(repeat: Repeat, me: str = "") -> str:
    where = f", {repeat.source}" if repeat.source else ""
    who = speaker_name(repeat.speaker, me)
    return f"again {zoned_minute(repeat.said_at)}, {who}{where} ({repeat.similarity:.2f}): {repeat.text}"

"""Answers on a benchmark: said, quoted, wrong or refused beside two baselines, and for LoCoMo its F1 by category,
abstention as a pair with its curve, and whose words they rest on.

One store holds all conversations. For the task `qa` every question is asked within its own, where it has one; for
`people` those that name somebody with several conversations are asked of the whole store, so that the way to the right
one is part of it.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..memory import Memory
from ..models.embed import Embedder
from ..models.llm import LLM
from ..models.load import load
from ..records import Turn
from ..records.people import Answer
from .answers import rounded
from .cache import CachedEmbedder
from .f1 import REFUSAL, scored
from .metrics import summarize_values
from .quote_scores import (
    BEST_TURN,
    BM25_QUOTE,
    ENGRAMMA,
    SYSTEMS,
    QuoteOutcome,
    answer_outcome,
    best_turn_outcome,
    bm25_outcome,
    bm25_quoters,
    quote_figures,
)
from .roc import AIMED_AT, ALLOWED, auroc, by_conversation, compute_roc_curve, cross_validated, pair, refused_at
from .runner import SHARED, bar
from .stores import build_stores, open_workplace
from .task import BenchmarkQuestion, Task
from .tasks.locomo import NAME as LOCOMO

if TYPE_CHECKING:
    from rich.progress import Progress

MEASURES = ("about", "near", "missing")  # what an answer's trace says the confidence is made of
SEVERAL_SESSIONS = "several sessions"
QA, PEOPLE = "qa", "people"


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, its answer, how that scores, and how the best turn's text would."""

    question: BenchmarkQuestion
    answer: Answer
    f1: float  # NaN where the data has no categories of LoCoMo's
    best_turn_f1: float
    ms: float
    speakers: frozenset[str]  # of the gold turns
    outcomes: Mapping[str, QuoteOutcome]  # by system

    @property
    def answerable(self) -> bool:
        return self.question.is_answerable


def run_qa(
    task: Task,
    kind: str,
    cache: Path | None = None,
    model: str | None = None,
    progress: Progress | None = None,
    llm: LLM | None = None,
) -> dict[str, Any]:
    """All figures of the answers to a task's questions: what `qa_report` shows and draws. `llm` words the answers."""
    embedder: Embedder = load(model)
    with open_workplace(cache) as place:
        cached = CachedEmbedder(embedder, place / "vectors")
        built = build_stores(task, SHARED, (task.shared,), cached, place, bar(progress, "remember", task.shared.turns))
        with Memory.open(built.folder, task.shared.name, embedder=cached) as memory:
            asked = asked_all(memory, task, kind, bar(progress, "ask", len(task.questions)), llm)
    record: dict[str, Any] = {
        "task": f"{task.name}-{kind}",
        "title": f"{task.title}, {'answers' if kind == QA else 'people with several conversations'}",
        "dataset": {"file": task.file, "sha256": task.sha256, "limit": task.limit},
        "embedder": {"name": embedder.name, "sha256": embedder.sha256},
        "questions": len(asked),
        "ask_ms": rounded(summarize_values([one.ms for one in asked])),
    }
    if llm is not None:
        written = Counter(str(one.answer.trace.get("written", "not asked")) for one in asked)
        record["llm"] = {"model": llm.model, "written": dict(written.most_common())}
    return {**record, **(_figures(task, asked) if kind == QA else people_figures(task, asked))}


def asked_all(memory: Memory, task: Task, kind: str, told: Any, llm: LLM | None = None) -> list[AnsweredQuestion]:
    """Every question asked, and answered by the best turn's text as well."""
    texts = {str(t.id): t for talk in task.shared.conversations for s in talk.sessions for t in s.turns}
    talks, quoters = _talks_of(task), bm25_quoters(task.shared)
    memory.ask("What was said?", llm=False)  # warm
    found = []
    for question in task.questions:
        told(1)
        if kind == PEOPLE and not is_about_several(question, talks):
            continue
        within = question.store if kind == QA and question.store in quoters else None
        start = time.perf_counter()
        answer = memory.ask(question.text, within, llm or False)
        ms = (time.perf_counter() - start) * 1000
        best = next(iter(memory.recall(question.text, k=1, conversation=within).entries), None)
        outcomes = {
            ENGRAMMA: answer_outcome(question, answer),
            BM25_QUOTE: bm25_outcome(question, quoters[within]),
            BEST_TURN: best_turn_outcome(question, best),
        }
        found.append(one_asked(question, answer, best.text if best else "", ms, texts, outcomes))
    return found


def one_asked(
    question: BenchmarkQuestion,
    answer: Answer,
    best_turn: str,
    ms: float,
    texts: Mapping[str, Turn],
    outcomes: Mapping[str, QuoteOutcome],
) -> AnsweredQuestion:
    category = question.category.split()[0]
    said = REFUSAL if answer.abstained else answer.text
    speakers = frozenset(texts[turn].speaker for turn in question.gold.turns)
    ours = best = float("nan")
    if category.isdecimal():
        ours, best = (scored(int(category), text, question.answer) for text in (said, best_turn))
    return AnsweredQuestion(question, answer, ours, best, ms, speakers, outcomes)


def _talks_of(task: Task) -> dict[str, set[str]]:
    """Each speaker's conversations."""
    found: dict[str, set[str]] = defaultdict(set)
    for talk in task.shared.conversations:
        for session in talk.sessions:
            for turn in session.turns:
                found[turn.speaker].add(talk.id)
    return dict(found)


def is_about_several(question: BenchmarkQuestion, talks: Mapping[str, set[str]]) -> bool:
    """Whether a question names somebody who took part in its conversation and in others."""
    words = question.text.replace("'", " ").replace("’", " ").split()
    return any(
        len(own) > 1 and question.store in own and name in (word.strip("?,.!") for word in words)
        for name, own in talks.items()
    )


# --- figures -----------------------------------------------------------------------------------


def _figures(task: Task, asked: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """What was said, quoted and refused; of LoCoMo also F1 by group, abstention and attribution."""
    outcomes = {system: [one.outcomes[system] for one in asked] for system in SYSTEMS}
    quotes = {"quotes": quote_figures(outcomes, task.groups)}
    if task.name != LOCOMO:
        return quotes
    groups = {group: [one for one in asked if group in one.question.groups] for group in task.groups}
    groups[SEVERAL_SESSIONS] = [one for one in asked if one.answerable and len(one.question.gold.sessions) > 1]
    return {
        **quotes,
        "f1": {group: scores(own) for group, own in groups.items() if own},
        "abstention": abstention(asked),
        "attribution": attribution(asked),
    }


def scores(asked: Sequence[AnsweredQuestion]) -> dict[str, float]:
    """The mean F1 of the answers and of the best turns' texts, and how many were refused."""
    ours, best = (float(np.mean([getattr(one, name) for one in asked])) for name in ("f1", "best_turn_f1"))
    if_answered = [one.f1 for one in asked if not one.answer.abstained]
    return {
        "n": len(asked),
        "f1": round(ours, 4),
        "best_turn_f1": round(best, 4),
        "times": round(ours / best, 2) if best else float("nan"),
        "refused": round(float(np.mean([one.answer.abstained for one in asked])), 4),
        "f1_if_answered": round(float(np.mean(if_answered)), 4) if if_answered else float("nan"),
        "evidence_found": evidence_found(asked),
    }


def evidence_found(asked: Sequence[AnsweredQuestion]) -> float:
    """The share of a question's gold turns among the evidence of its answer, where it was answered."""
    shares = [
        len(one.question.gold.turns & {e.turn_id for e in one.answer.evidence}) / len(one.question.gold.turns)
        for one in asked
        if one.question.gold.turns and not one.answer.abstained
    ]
    return round(float(np.mean(shares)), 4) if shares else float("nan")


def abstention(asked: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """The pair at the package's threshold, the curve, and what weights fitted on other conversations would do."""
    confidence = np.array([one.answer.confidence for one in asked])
    refused = np.array([one.answer.abstained for one in asked])
    answerable = np.array([one.answerable for one in asked])
    talks = np.array([one.question.store for one in asked])
    found: dict[str, Any] = {
        "threshold": asked[0].answer.trace["threshold"],
        "auroc": round(auroc(confidence, answerable), 4),
        **pair(refused, answerable),
        f"adversarial_refused_at_{ALLOWED:.0%}": round(refused_at(confidence, answerable, ALLOWED), 4),
        "by_conversation": by_conversation(confidence, refused, answerable, talks),
        "curve": compute_roc_curve(confidence, answerable),
    }
    if len(set(talks.tolist())) > 1 and answerable.any() and not answerable.all():
        measured = np.array([[one.answer.trace[name] for name in MEASURES] for one in asked])
        found["cross_validated"] = {"aimed_at": AIMED_AT, **cross_validated(measured, answerable, talks)}
    return found


def attribution(asked: Sequence[AnsweredQuestion]) -> dict[str, float]:
    """Whether the first piece of evidence is by somebody who said a gold turn; refusals that name the right one."""
    answered = [one for one in asked if one.answerable and not one.answer.abstained and one.speakers]
    refused = [one for one in asked if not one.answerable and one.answer.abstained and one.answer.evidence]
    named = [one for one in refused if one.speakers]
    return {
        "answered": len(answered),
        "speaker_right": _mean(one.answer.evidence[0].speaker in one.speakers for one in answered),
        "turn_right": _mean(one.answer.evidence[0].turn_id in one.question.gold.turns for one in answered),
        "refusals_with_evidence": len(named),
        "refusal_names_the_speaker": _mean(one.answer.evidence[0].speaker in one.speakers for one in named),
        "refusal_names_the_turn": _mean(one.answer.evidence[0].turn_id in one.question.gold.turns for one in named),
    }


def _mean(flags: Any) -> float:
    values = list(flags)
    return round(sum(values) / len(values), 4) if values else float("nan")


def people_figures(task: Task, asked: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """For everybody with several conversations: routing, attribution and answers, in all and a conversation each."""
    found = {}
    for name, talks in sorted(_talks_of(task).items()):
        own = [one for one in asked if len(talks) > 1 and one.question.store in talks and one.answer.person == name]
        if own:
            found[name] = {
                "all": person_scores(own, talks),
                "conversations": {
                    talk: person_scores([one for one in own if one.question.store == talk], talks)
                    for talk in sorted(talks)
                    if any(one.question.store == talk for one in own)
                },
            }
    return {"people": found}


def person_scores(asked: Sequence[AnsweredQuestion], talks: set[str]) -> dict[str, Any]:
    """`routed`: nothing but this person's conversations was looked at. `conversation_right`: the first evidence's."""
    answered = [one for one in asked if one.answerable and not one.answer.abstained]
    flags = {True: [], False: []}  # type: dict[bool, list[bool]]
    for one in asked:
        flags[one.answerable].append(one.answer.abstained)
    return {
        "n": len(asked),
        "routed": _mean(one.answer.scope == "global" or one.answer.scope in talks for one in asked),
        "conversation_right": _mean(one.answer.evidence[0].conversation == one.question.store for one in answered),
        "speaker_right": _mean(one.answer.evidence[0].speaker in one.speakers for one in answered if one.speakers),
        "f1": _mean(one.f1 for one in asked if one.answerable),
        "best_turn_f1": _mean(one.best_turn_f1 for one in asked if one.answerable),
        "adversarial_refused": _mean(flags[False]),
        "answerable_refused": _mean(flags[True]),
    }

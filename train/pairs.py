"""Question-turn pairs by kind, made without a language model. LoCoMo is never read here."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from . import clauses, questions
from .longmemeval import Question, Session
from .paraphrase import paraphrased
from .wordnet import WordNet

_PREFACE = re.compile(
    r"^.*?(?:can you remind me|could you remind me|remind me|i was wondering if you could remind me|i was wondering)"
    r"\s*(?:of\s+)?,?\s*",
    re.I | re.DOTALL,
)
SHORT_SHARE = 0.4  # of statements stand alone, as short as talk between people is


@dataclass(slots=True)
class Utterance:
    """A turn of the corpus. Parts of one turn share its `origin`."""

    text: str
    role: str
    session: int
    origin: int
    before: str = ""
    whole: int = -1  # the turn that a window was cut from


@dataclass(frozen=True, slots=True)
class Pair:
    """A question in the first person and the utterance that answers it."""

    question: str
    utterance: int
    kind: str
    group: int  # pairs of one question share it


@dataclass(slots=True)
class Book:
    """What has been collected."""

    utterances: list[Utterance] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    groups: int = 0

    def add(
        self, text: str, role: str, session: int, before: str = "", origin: int | None = None, whole: int = -1
    ) -> int:
        number = len(self.utterances)
        self.utterances.append(Utterance(text, role, session, number if origin is None else origin, before, whole))
        return number

    def group(self) -> int:
        """A number for the pairs of one question."""
        self.groups += 1
        return self.groups - 1

    def ask(self, question: str, utterance: int, kind: str, group: int | None = None) -> None:
        self.pairs.append(Pair(question, utterance, kind, self.group() if group is None else group))


def from_longmemeval(
    book: Book, asked: Iterable[Question], sessions: Iterable[Session], wordnet: WordNet, rng: random.Random, most: int
) -> None:
    """Evidence, exchanges and question forms out of whole sessions."""
    answering: dict[int, list[int]] = {}
    for session in sessions:
        before = ""
        for turn in session.turns:
            number = book.add(turn.text, turn.role, session.number, before)
            if turn.answers:
                answering.setdefault(session.number, []).append(number)
            if turn.role == "assistant" and (spoken := last_question(before)):
                book.ask(spoken, number, "exchange")
            if turn.role == "user":
                _from_statements(book, number, wordnet, rng, most)
            before = turn.text
    for question in asked:
        group = book.group()
        for number in (number for session in question.answering for number in answering.get(session, ())):
            for text in worded(question.text):
                book.ask(text, number, "evidence", group)
                if other := paraphrased(text, wordnet, rng):
                    book.ask(other, number, "paraphrase", group)


def from_snippets(
    book: Book, lines: dict[str, list[str]], start: int, wordnet: WordNet, rng: random.Random, most: int
) -> None:
    """Question forms out of sessions of which only the user's first lines are there."""
    for session, (name, texts) in enumerate(lines.items(), start):
        if name.startswith(("sharegpt", "ultrachat")):  # tasks, not memories: for distillation only
            continue
        for text in texts:
            _from_statements(book, book.add(text, "user", session), wordnet, rng, most)


def from_glosses(book: Book, wordnet: WordNet, rng: random.Random, session: int, count: int) -> None:
    """A definition asks for its word in use."""
    with_examples = [
        (word, gloss, examples) for word, gloss, examples in wordnet.glosses() if examples and len(gloss) > 15
    ]
    for word, gloss, examples in rng.sample(with_examples, min(count, len(with_examples))):
        if word.lower() in examples[0].lower():
            book.ask(gloss, book.add(examples[0], "gloss", session), "gloss")


def worded(question: str) -> Iterator[str]:
    """The question as it is and, where it starts with small talk to an assistant, its core alone."""
    yield question
    bare = _PREFACE.sub("", question)
    if bare != question and len(bare.split()) > 4:
        yield bare[0].upper() + bare[1:]


def last_question(text: str) -> str | None:
    """What a message asks last, if it is more than a few words."""
    found = [sentence for sentence in clauses.sentences(text) if sentence.endswith("?")]
    return found[-1] if found and len(found[-1].split()) > 4 else None


def _from_statements(book: Book, number: int, wordnet: WordNet, rng: random.Random, most: int) -> None:
    """Forms questions about what a turn states; a part of them to the statement alone."""
    whole = book.utterances[number]
    found: list[tuple[str, str, int]] = []
    spoken = clauses.sentences(whole.text)
    for place, sentence in enumerate(spoken):
        made = questions.statement_of(sentence)
        for clause in clauses.clauses(sentence, wordnet):
            made += questions.asked(clause, wordnet, rng)
        found += [(kind, text, place) for kind, text in made]
    rng.shuffle(found)
    parts: dict[int, int] = {}
    for kind, text, place in _varied(found, most):
        target = number
        if len(spoken) > 1 and rng.random() < SHORT_SHARE:
            if place not in parts:
                part = " ".join(spoken[place : place + 1 + rng.randrange(2)])
                parts[place] = book.add(part, whole.role, whole.session, "", number)
            target = parts[place]
        book.ask(text, target, kind)
        if rng.random() < 0.5 and (other := paraphrased(text, wordnet, rng)):
            book.ask(other, target, "paraphrase")


def _varied(found: list[tuple[str, str, int]], most: int) -> list[tuple[str, str, int]]:
    """At most so many, no first word (when, what, ...) twice before the others have had their turn."""
    seen: dict[tuple[str, str], int] = {}
    ranked = []
    for row in found:
        key = (row[0], row[1].split()[0])
        seen[key] = seen.get(key, 0) + 1
        ranked.append((seen[key], row))
    ranked.sort(key=lambda item: item[0])
    return [row for _, row in ranked[:most]]

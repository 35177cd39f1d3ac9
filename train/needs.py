"""Requests that imply a need: what is said later in a conversation, or about a plan, needs what was said before."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from . import clauses, verbs
from .longmemeval import Question
from .pairs import Book
from .passages import COMMON, WORDS
from .wordlists import word_set
from .wordnet import WordNet

LEAST_SHARED = 2  # telling words that a request shares with what it needs
EARLIER = 2  # turns or windows that a request is paired with
LONGEST = 400  # characters of a request
PLANS = 2  # requests about plans, a session
OWN = word_set("planning learning preparing writing building studying organizing designing")
NEXT = (
    "What's the next step for {}?", "Let's continue with {}.", "Where did we leave off with {}?",
    "Any more ideas for {}?", "Can you help me go on with {}?", "What should I do next about {}?",
    "I have an hour for {} today, what should I do?", "Can you adjust my plan for {}?", "How am I doing with {}?",
    "I'm back to {}.", "Time to get on with {}, what is left?", "Does this fit with {}?",
)  # fmt: skip

_VAGUE = re.compile(r" (?:a lot|my|the|a|it)\b(?:$| lately)| a (?:lot|bit|few|while|ton)\b")


def telling(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    return {word.lower().rstrip("s") for word in WORDS.findall(text) if len(word) > 3} - COMMON


def rarity(texts: Iterable[str]) -> dict[str, float]:
    """How much a shared word says."""
    listed = [telling(text) for text in texts]
    seen = Counter(word for words in listed for word in words)
    return {word: math.log(1 + len(listed) / count) for word, count in seen.items()}


def earlier(request: str, said: Sequence[tuple[int, str]], weights: dict[str, float]) -> list[int]:
    """Which of the things said before share most with the request; none where little is shared."""
    wanted = telling(request)
    scored = []
    for number, text in said:
        words = telling(text)
        if len(wanted & words) >= LEAST_SHARED:
            scored.append((sum(weights.get(w, 0.0) for w in wanted & words) / math.sqrt(1 + len(words)), number))
    return [number for _, number in sorted(scored, reverse=True)[:EARLIER]]


def from_sessions(book: Book, wordnet: WordNet, rng: random.Random) -> None:
    """Requests of every conversation, paired with its earlier turns and windows."""
    by_session: dict[int, list[int]] = {}
    for number, spoken in enumerate(book.utterances):
        if spoken.role in ("user", "assistant", "passage") and (spoken.origin == number or spoken.whole >= 0):
            by_session.setdefault(spoken.session, []).append(number)
    weights = rarity(book.utterances[n].text for numbers in by_session.values() for n in numbers)
    for numbers in by_session.values():
        order = {n: book.utterances[n].whole if book.utterances[n].whole >= 0 else n for n in numbers}
        users = [n for n in numbers if book.utterances[n].role == "user"]
        for later in users[1:]:
            request = book.utterances[later].text
            if len(request) > LONGEST:
                continue
            # An answer that was cut into windows is there by these.
            cut = {order[n] for n in numbers if order[n] != n}
            before = [(n, book.utterances[n].text) for n in numbers if order[n] < later and n not in cut]
            group = book.group()
            for number in earlier(request, before, weights):
                book.ask(request, number, "need", group)
        _plans(book, users, wordnet, rng)


def _plans(book: Book, users: Sequence[int], wordnet: WordNet, rng: random.Random) -> None:
    """Requests made of what somebody says to be doing ("planning a trip to Oslo")."""
    found: list[tuple[str, int]] = []
    for number in users:
        for sentence in clauses.sentences(book.utterances[number].text):
            for clause in clauses.clauses(sentence, wordnet):
                doing = " ".join([verbs.gerund(clause.verb), *(chunk.text for chunk in clause.chunks[:2])])
                is_doing = clause.tense in ("progressive", "perfect progressive")
                if is_doing and 3 <= len(doing.split()) <= 12 and not _VAGUE.search(doing):
                    found.append((doing.rstrip(" ,"), number))
    for doing, number in rng.sample(found, min(PLANS, len(found))):
        mine = doing.replace(" a ", " my ", 1) if rng.random() < 0.5 else doing
        verb, _, rest = mine.partition(" ")
        is_thing = verb in OWN and rest.split(" ")[0] in ("my", "a", "an", "the")
        topic = rest.replace("a ", "my ", 1) if is_thing and rng.random() < 0.6 else mine
        book.ask(rng.choice(NEXT).format(topic), number, "need")


def updates(book: Book, asked: Iterable[Question]) -> None:
    """Statements in several sessions that one question needs: the newer finds the older, and so on back."""
    of_question: dict[str, list[int]] = {}
    for pair in book.pairs:
        if pair.kind == "evidence" and book.utterances[pair.utterance].role == "user":
            listed = of_question.setdefault(pair.question, [])
            if pair.utterance not in listed:
                listed.append(pair.utterance)
    for question in asked:
        numbers = of_question.get(question.text, [])
        group = book.group()
        for later in numbers:
            for number in numbers:
                if book.utterances[number].session != book.utterances[later].session:
                    book.ask(book.utterances[later].text[:LONGEST], number, "update", group)

"""Passages of assistants' long answers, and questions that only one passage of an answer is right for."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from engramma.models.reader import split_windows

from .longmemeval import Question, Session
from .pairs import Book, worded
from .wordlists import word_set

LONG = 600  # characters: shorter answers are one piece
SHORTEST, LONGEST = 400, 600  # of a window, drawn for every answer
MOST_WINDOWS = 12  # of one answer
SPECIFIC = 2  # questions a window, at most
OPENING = 2  # windows that the user's own message asks for
ROLE = "passage"  # its text bears its label already
WORDS = re.compile(r"[A-Za-z][A-Za-z'’-]+")
_MARKS = re.compile(r"[*#`_>|]+")
_TITLE = re.compile(r"(?:\*\*|#{1,4} +)([A-Z][^*#\n:]{3,60}?):?(?:\*\*|\n|$)")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
COMMON = word_set(
    "about above after again also although always another around because been before being best better between both "
    "could does doing done each else even every following from give good great have having help here include includes "
    "including into just keep know like look made make making many might more most much need only other over really "
    "same should some such sure take than that their them then there these they thing things this those through time "
    "under using very want well were what when where which while will with within without would your yours you're"
)
ABOUT = (
    "the part about {}", "What did you say about {}?", "What was your advice on {}?",
    "Remind me what you told me about {}.",
    "What was that again about {}?", "{}", "You mentioned {}.", "Can you repeat what you said on {}?",
    "What was said about {}?", "In your answer there was something on {}.",
)  # fmt: skip
ENTITLED = (*ABOUT, "What did the section on {} say?", "Tell me more about {}.", "What was the tip on {}?")


def add(book: Book, turn: int, rng: random.Random) -> list[int]:
    """The windows of one long answer, each an utterance, with questions about each."""
    whole = book.utterances[turn]
    if len(whole.text) <= LONG:
        return []
    places = split_windows(whole.text, rng.randint(SHORTEST, LONGEST))[:MOST_WINDOWS]
    said = [whole.text[start:end].strip() for start, end in places]
    made = [book.add(f"{whole.role}: {text}", ROLE, whole.session, whole=turn) for text in said]
    for text, number in zip(said, made, strict=True):
        for question in specific(text, rng):
            group = book.group()
            book.ask(question, number, "passage", group)
            book.ask(question, turn, "also", group)  # the whole answer holds it too
    return made


def specific(window: str, rng: random.Random) -> list[str]:
    """Questions by the window's headings, and by words of one of its sentences."""
    found: list[str] = []
    titles = [match[1].strip() for match in _TITLE.finditer(window)]
    if titles:
        title = rng.choice(titles)
        found.append(rng.choice(ENTITLED).format(title.lower() if rng.random() < 0.7 else title))
    sentences = [_MARKS.sub(" ", part).strip(" -") for part in _SENTENCE.split(window)]
    sentences = [part for part in sentences if 6 <= len(part.split()) <= 40]
    rng.shuffle(sentences)
    topics = [words_of(sentence, rng) for sentence in sentences[: SPECIFIC - len(found)]]
    return found + [rng.choice(ABOUT).format(topic) for topic in topics if topic]


def words_of(sentence: str, rng: random.Random) -> str:
    """Some of its telling words, mostly in their order."""
    words = [word for word in WORDS.findall(sentence) if len(word) > 3 and word.lower() not in COMMON]
    if len(words) < 2:
        return ""
    count = rng.randint(2, min(8, len(words)))
    if rng.random() < 0.5:
        start = rng.randrange(len(words) - count + 1)
        return " ".join(words[start : start + count])
    chosen = sorted(rng.sample(range(len(words)), count))
    return " ".join(words[place] for place in chosen)


def answering(windows: Sequence[str], answer: str) -> list[int]:
    """Which windows hold the answer: those with it word for word, else the one with most of its words."""
    short = answer.strip(" .").lower()
    exact = [place for place, window in enumerate(windows) if 1 < len(short) <= 80 and short in window.lower()]
    if exact:
        return exact
    wanted = {word.lower() for word in WORDS.findall(answer)} - COMMON
    shared = [len(wanted & {word.lower() for word in WORDS.findall(window)}) for window in windows]
    return [shared.index(max(shared))] if shared and max(shared) > 1 else []


def from_longmemeval(
    book: Book, asked: Iterable[Question], sessions: Iterable[Session], rng: random.Random
) -> dict[int, list[int]]:
    """Windows of every long answer of the sessions, by turn, and the questions known already that they answer.

    Call it after pairs.from_longmemeval, which adds the turns.
    """
    allowed = {session.number for session in sessions}
    turns = [n for n, spoken in enumerate(book.utterances) if spoken.session in allowed and spoken.origin == n]
    cut = {turn: add(book, turn, rng) for turn in turns if book.utterances[turn].role == "assistant"}
    answers = {text: question.answer for question in asked for text in worded(question.text)}
    for pair in list(book.pairs):
        if pair.kind not in ("evidence", "exchange"):
            continue
        said = [book.utterances[number].text for number in cut.get(pair.utterance, ())]
        right, kind = list(range(OPENING)), "passage"  # of an exchange, which opens with the answer
        if pair.kind == "evidence":
            right, kind = answering(said, answers.get(pair.question, "")), "evidence"
        for place, number in enumerate(cut.get(pair.utterance, ())):
            book.ask(pair.question, number, kind if place in right else "also", pair.group)
    return cut

"""Examples for the reader out of read data: FriendsQA, Molweni, SGD's slots, and LongMemEval's trainable questions.

An example is a question and passages; each passage says whether it answers (label 1 or 0) and where (a span, none, or
"anywhere" where the data does not say). None of the sets that validate is read here.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engramma.models.reader import split_windows

from . import longmemeval, names, reader_changes
from .person import to_third

ANYWHERE = (-1, -1)  # the passage answers, but no words of it are marked
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Read:
    """One passage of an example."""

    text: str
    speaker: str
    before: str = ""
    day: str = ""
    label: int = 0
    span: Span | None = None


@dataclass(slots=True)
class Example:
    """A question with what answers it (the first passages) and what does not."""

    question: str
    kind: str
    passages: list[Read]
    pool: str = ""  # passages of the same pool may be mined as further negatives
    weight: float = 1.0
    speakers: tuple[str, str] = ("user", "assistant")
    source: str = ""  # the id of LongMemEval's question, where it is one


def load(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def tail(speaker: str, text: str, most: int = 160) -> str:
    """The last words of the turn before, under its speaker."""
    text = " ".join(text.split())
    return f"{speaker}: {text if len(text) <= most else text[text.find(' ', len(text) - most) + 1 :]}"


def friends(path: Path, rng: random.Random) -> Iterator[Example]:
    """FriendsQA: answers are spans of utterances; the scene's other utterances do not answer."""
    for scene in load(path)["data"]:
        for paragraph in scene["paragraphs"]:
            said = [(first_name(u["speakers"]), *joined(u["utterance"].split())) for u in paragraph["utterances:"]]
            for qa in paragraph["qas"]:
                gold: dict[int, Span | None] = {}
                for answer in qa["answers"]:
                    places = said[answer["utterance_id"]][2] if answer["utterance_id"] < len(said) else []
                    first, last = answer["inner_start"], answer["inner_end"]
                    inside = not answer["is_speaker"] and 0 <= first <= last < len(places)
                    gold[answer["utterance_id"]] = (places[first][0], places[last][1]) if inside else ANYWHERE
                question = joined(qa["question"].split())[0]
                passages = _turns([(speaker, text) for speaker, text, _ in said], gold, rng, 9)
                if passages:
                    yield Example(question, "friends", passages)


def molweni(path: Path, rng: random.Random) -> Iterator[Example]:
    """Molweni: many people help each other with Ubuntu; some questions cannot be answered."""
    for talk in load(path)["data"]["dialogues"]:
        said = [(edu["speaker"], edu["text"]) for edu in talk["edus"]]
        starts, at = [], 0
        for speaker, text in said:
            starts.append(at + len(speaker) + 2)
            at += len(speaker) + 2 + len(text) + 1
        for qa in talk["qas"]:
            gold: dict[int, Span | None] = {}
            for answer in qa["answers"]:
                for number, start in enumerate(starts):
                    begin = answer["answer_start"] - start
                    if 0 <= begin <= len(said[number][1]) - len(answer["text"]):
                        end = begin + len(answer["text"])
                        if said[number][1][begin:end].lower() == answer["text"].lower():
                            gold[number] = (begin, end)
            if bool(gold) == qa["is_impossible"]:
                continue
            kind = "molweni" if gold else "molweni none"
            if passages := _turns(said, gold, rng, 7):
                yield Example(joined(qa["question"].split())[0], kind, passages, weight=0.5)


def _turns(said: Sequence[tuple[str, str]], gold: dict[int, Span | None], rng: random.Random, most: int) -> list[Read]:
    """The turns that answer, then some that do not, the nearest to the gold ones first among equals."""
    made = [
        Read(text, speaker, tail(*said[n - 1]) if n else "", "", int(n in gold), gold.get(n))
        for n, (speaker, text) in enumerate(said)
        if text.strip()
    ]
    right = [passage for passage in made if passage.label]
    wrong = [passage for passage in made if not passage.label and len(passage.text) > 10]
    rng.shuffle(wrong)
    return right[:2] + wrong[:most]


SLOT_WORDS = {
    "where_to": "destination",
    "directed_by": "director",
    "address_of_location": "address",
    "available_start_time": "start time",
    "from_location": "starting place",
    "to_location": "destination",
    "recipient_account_name": "recipient",
}
SERVICES = {
    "Restaurants": "restaurant",
    "Hotels": "hotel",
    "Flights": "flight",
    "Events": "event",
    "Movies": "movie",
    "Music": "music",
    "RentalCars": "rental car",
    "Buses": "bus",
    "Homes": "apartment",
    "Services": "appointment",
    "Travel": "trip",
    "Weather": "weather",
    "RideSharing": "ride",
    "Banks": "transfer",
    "Calendar": "calendar",
    "Media": "movie",
    "Trains": "train",
}
WANTED = ("What {} did I want?", "Which {} did I ask for?", "What {} did I mention?", "What was the {} I chose?")
OFFERED = (
    "What {} did you suggest?",
    "Which {} did you tell me?",
    "What was the {}?",
    "What {} did the assistant give?",
)
NAMED = ("What {slot} did {name} want for the {thing}?", "Which {slot} did {name} choose?", "What was {name}'s {slot}?")


def slots(path: Path, rng: random.Random, share: float) -> Iterator[Example]:
    """SGD: a slot of a turn is what is asked for; turns without that slot do not answer, nor does another slot's."""
    everyone = (*names.FEMALE, *names.MALE)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            talk = json.loads(line)
            if rng.random() > share:
                continue
            name = rng.choice(everyone)
            person = rng.random() < 0.4
            who = {"USER": name if person else "user", "SYSTEM": "assistant"}
            turns = [(who[role], text) for role, text, _ in talk["turns"]]
            thing = SERVICES.get(talk["services"][0].split("_")[0], "booking")
            told = {slot for _, _, marked in talk["turns"] for slot, _, _ in marked}
            chosen = rng.sample(range(len(turns)), min(4, len(turns)))
            for number in chosen:
                marked = talk["turns"][number][2]
                if not marked:
                    continue
                slot, start, end = rng.choice(marked)
                gold: dict[int, Span | None] = {number: (start, end)}
                wrong = {n for n, turn in enumerate(talk["turns"]) if all(s != slot for s, _, _ in turn[2])}
                kept = [n for n in range(len(turns)) if n == number or n in wrong]
                passages = _chosen(turns, gold, kept, rng, 6)
                wording = SLOT_WORDS.get(slot, slot.replace("_", " "))
                question = _slot_question(wording, thing, talk["turns"][number][0], name if person else "", rng)
                yield Example(question, "slots", passages, weight=0.4)
                absent = [
                    s for s in SLOT_WORDS.keys() | {"price", "phone number", "date", "time", "artist"} if s not in told
                ]
                other = rng.choice(sorted(absent))
                none = _slot_question(SLOT_WORDS.get(other, other), thing, "USER", name if person else "", rng)
                yield Example(none, "slots none", _chosen(turns, {}, [number, *kept[:3]], rng, 4), weight=0.3)


def _slot_question(slot: str, thing: str, role: str, name: str, rng: random.Random) -> str:
    if name and role == "USER":
        return rng.choice(NAMED).format(slot=slot, thing=thing, name=name)
    return rng.choice(WANTED if role == "USER" else OFFERED).format(
        slot if rng.random() < 0.6 else f"{slot} of the {thing}"
    )


def _chosen(
    turns: Sequence[tuple[str, str]], gold: dict[int, Span | None], kept: Sequence[int], rng: random.Random, most: int
) -> list[Read]:
    made = [
        Read(turns[n][1], turns[n][0], tail(*turns[n - 1]) if n else "", "", int(n in gold), gold.get(n)) for n in kept
    ]
    wrong = [passage for passage in made if not passage.label]
    rng.shuffle(wrong)
    return [passage for passage in made if passage.label] + wrong[:most]


def evidence(path: Path, rng: random.Random, changes: reader_changes.Changes, copies: int) -> Iterator[Example]:
    """LongMemEval: answering turns of the trainable questions, in windows; as `user` and under a name."""
    data = longmemeval.read(path)
    asked, sessions = longmemeval.trainable(data)
    answers = {row["question_id"]: str(row["answer"]) for row in load(path)}
    allowed = {session.number: session for session in sessions}
    for question in asked:
        if question.key.endswith("_abs"):
            continue  # kept for measuring refusal
        right: list[Read] = []
        wrong: list[Read] = []
        for number in question.sessions:
            session = allowed.get(number)
            before = ("", "")
            for turn in session.turns if session else ():
                passages = _windowed(turn, before, answers[question.key] if number in question.answering else "")
                right += [passage for passage in passages if passage.label]
                if not (turn.answers and len(passages) == 1):
                    wrong += [passage for passage in passages if not passage.label]
                before = (turn.role, turn.text)
        if not right:
            continue
        for _ in range(copies):
            pair, gender, name = _people(rng)
            right_now = rng.sample(right, min(2, len(right)))
            chosen = right_now + rng.sample(wrong, min(8, len(wrong)))
            text = rng.choice(list(_wordings(question.text)))
            passages, asked_as = chosen, text
            if rng.random() < 0.5:
                passages = [_renamed(passage, pair) for passage in chosen]
                asked_as = to_third(text, name, pair[1], gender)
            speakers = pair if asked_as != text else ("user", "assistant")
            yield Example(asked_as, "evidence", passages, "longmemeval", speakers=speakers, source=question.key)
            if other := changes.changed(text, " ".join(passage.text for passage in right), rng):
                if asked_as != text:
                    other = to_third(other, name, pair[1], gender)
                bare = [_wrong(passage) for passage in passages]
                yield Example(other, "evidence changed", bare, weight=0.7, speakers=speakers, source=question.key)


def _wordings(question: str) -> Iterator[str]:
    from .pairs import worded

    return worded(question)


def _wrong(passage: Read) -> Read:
    return Read(passage.text, passage.speaker, passage.before, passage.day)


def _renamed(passage: Read, pair: tuple[str, str]) -> Read:
    who = {"user": pair[0], "assistant": pair[1]}
    before = re.sub(r"^(user|assistant):", lambda m: who[m[1]] + ":", passage.before)
    return Read(passage.text, who[passage.speaker], before, passage.day, passage.label, passage.span)


def _people(rng: random.Random) -> tuple[tuple[str, str], Any, str]:
    gender = rng.choice("fm")
    name = rng.choice(names.FEMALE if gender == "f" else names.MALE)
    other = rng.choice([person for person in (*names.FEMALE, *names.MALE) if person != name])
    return (name, other), gender, name


def _windowed(turn: longmemeval.Turn, before: tuple[str, str], answer: str) -> list[Read]:
    """A turn in windows; of an answering one the windows that hold the answer, else the one with most of its words."""
    places = split_windows(turn.text)
    context = tail(*before) if before[1] else ""
    found = find_answer(turn.text, answer) if turn.answers else None
    best = -1
    if turn.answers and found is None:
        wanted = set(re.findall(r"\w+", answer.lower()))
        shared = [len(wanted & set(re.findall(r"\w+", turn.text[a:b].lower()))) for a, b in places]
        best = shared.index(max(shared)) if shared else -1
    made = []
    for number, (start, end) in enumerate(places[:10]):
        span: Span | None = None
        if found and start <= found[0] and found[1] <= end:
            span = (found[0] - start, found[1] - start)
        elif number == best:
            span = ANYWHERE
        made.append(
            Read(turn.text[start:end], turn.role, context if number == 0 else "", "", int(span is not None), span)
        )
    return made


def find_answer(text: str, answer: str) -> Span | None:
    """Where the text says the answer, word for word."""
    short = answer.strip(" .").lower()
    if not 1 < len(short) <= 80:
        return None
    for wanted in (short, re.sub(r"^(?:the|a|an|my|your|i)\s+", "", short), short.split(" (")[0]):
        match = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text.lower()) if len(wanted) > 1 else None
        if match:
            return match.span()
    return None


def first_name(speakers: Sequence[str]) -> str:
    """Who speaks, by first names."""
    return " and ".join(speaker.split()[0] for speaker in speakers) if speakers else ""


def joined(words: Sequence[str]) -> tuple[str, list[Span]]:
    """Words as text, with the blanks that a tokenizer put before marks left out, and where each word stands."""
    text, places = "", list[Span]()
    for place, word in enumerate(words):
        tight = re.fullmatch(r"[.,!?;:)\]]+|'\w{1,2}|n't|na|ta", word) is not None
        if word in ("na", "ta") and (place == 0 or words[place - 1] not in ("gon", "wan", "got")):
            tight = False
        text += "" if tight or not text else " "
        places.append((len(text), len(text) + len(word)))
        text += word
    return text, places

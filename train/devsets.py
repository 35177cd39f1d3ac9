"""The development sets as one pack of token ids and numbers: built once, carried to where the GPU is.

Every set is read by the evaluation's own tool. The data's ids become numbers in an order that tells nothing: some of
them say what is gold. None of it is trained on; of LongMemEval only the questions kept apart are asked.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engramma.models.reader import split_windows

from . import tokens, typos
from .longmemeval import is_kept_apart

LONG, WINDOW = 600, 500  # characters: longer turns are cut into windows of so many, at sentences' ends
WORDS_OF_LONG = 150  # an assistant's answer of more words than this is long
QUESTIONS_OF_LONG = 60  # a conversation
MAX_TOKENS = 256
Said = tuple[str, str]


@dataclass(slots=True)
class Asked:
    """One question to a store."""

    text: int
    typed: int
    set: str
    kind: str
    until: int  # only turns before this one have been said
    gold: list[int]  # turns or sessions


@dataclass(slots=True)
class Store:
    """Turns in one memory; numbers of texts are rows of the pack."""

    name: str
    by_session: bool = False
    pieces: list[int] = field(default_factory=list)
    turn_of: list[int] = field(default_factory=list)  # the turn of each piece
    whole: list[int] = field(default_factory=list)  # a turn
    session: list[int] = field(default_factory=list)  # of a turn
    asked: list[Asked] = field(default_factory=list)


@dataclass(slots=True)
class Pack:
    """All stores, and the texts that their numbers mean."""

    stores: list[Store] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)
    rng: random.Random = field(default_factory=lambda: random.Random(20260511))

    def add(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def tell(self, store: Store, session: int, speaker: str, text: str) -> int:
        """A turn, whole and in windows; its number."""
        turn = len(store.whole)
        for piece in windows(text):
            store.pieces.append(self.add(f"{speaker}: {piece}"))
            store.turn_of.append(turn)
        store.whole.append(self.add(f"{speaker}: {text}"))
        store.session.append(session)
        return turn

    def ask(self, store: Store, name: str, question: str, kind: object, gold: Sequence[int]) -> None:
        slipped = self.add(typos.typed(question, self.rng))
        asked = Asked(self.add(question), slipped, name, str(kind), len(store.whole), sorted(set(gold)))
        store.asked.append(asked)


def windows(text: str) -> list[str]:
    """A long text in pieces at sentences' ends; a short one as it is."""
    if len(text) <= LONG:
        return [text]
    return [text[start:end].strip() for start, end in split_windows(text, WINDOW)] or [text]


def talks(pack: Pack, quality: Any, name: str, told: Iterator[Any], are_ids_plain: bool) -> None:
    """Questions with the turns that answer them."""
    for number, (_, sessions, asked) in enumerate(told):
        store, places = Store(f"{name}{number}"), dict[str, int]()
        long: list[tuple[int, str]] = []
        for session, (_, _, turns) in enumerate(sessions):
            for key, speaker, text in turns:
                if text.strip():
                    places[key] = pack.tell(store, session, speaker, text)
                    if speaker == "assistant" and len(text.split()) > WORDS_OF_LONG:
                        long.append((places[key], text))
        for question, kind, evidence in asked:
            gold = [e for e in evidence if e in places] if are_ids_plain else quality.ids_in(evidence, places)
            if gold:
                pack.ask(store, name, question, kind, [places[e] for e in gold])
        for turn, question in long_questions(long, pack.rng):
            pack.ask(store, "long", question, "", [turn])
        pack.stores.append(store)


def long_questions(long: Sequence[tuple[int, str]], rng: random.Random) -> Iterator[tuple[int, str]]:
    """Words out of the second half of a long answer, as quality.py asks for them."""
    for turn, text in rng.sample(list(long), min(QUESTIONS_OF_LONG, len(long))):
        plain = re.sub(r"[*#`_>|-]+", " ", text[len(text) // 2 :])
        said = [part.strip() for part in re.split(r"(?<=[.!?])\s+", plain)]
        said = [part for part in said if 8 <= len(part.split()) <= 30]
        if said:
            words = [word for word in re.findall(r"[A-Za-z][A-Za-z'-]+", rng.choice(said)) if len(word) > 3]
            yield turn, "What was said about " + " ".join(words[:8]) + "?"


def pooled(pack: Pack, name: str, rows: list[dict[str, Any]], told: Any) -> None:
    """All sessions in one store, in the order of their hashes; the questions kept apart that have an answer."""
    sessions: dict[str, list[Said]] = {}
    for row in rows:
        for key, said in told(row):
            sessions.setdefault(key, said)
    store, numbers = Store(name, by_session=True), dict[str, int]()
    for key in sorted(sessions, key=lambda one: hashlib.sha256(one.encode()).hexdigest()):
        numbers[key] = len(numbers)
        for speaker, text in sessions[key]:
            if text.strip():
                pack.tell(store, numbers[key], speaker, text)
    for row in rows:
        if is_kept_apart(row["question_id"]) and not row["question_id"].endswith("_abs"):
            gold = [numbers[key] for key in row["answer_session_ids"] if key in numbers]
            if gold:
                pack.ask(store, name, row["question"], row["question_type"], gold)
    pack.stores.append(store)


def realmem(pack: Pack, quality: Any) -> None:
    """At each request only the sessions before it are known; a needed one that is not is never found."""
    for number, path in enumerate(sorted((quality.HERE / "realmem").glob("*.gz"))):
        read = quality.load(path)
        store = Store(f"realmem{number}", by_session=True)
        numbers = {session["id"]: place for place, session in enumerate(read["sessions"])}
        for session in read["sessions"]:
            for asked in read["queries"]:
                if asked["session"] == session["id"] and store.whole:
                    pack.ask(store, "realmem", asked["text"], "", [numbers[key] for key in asked["gold_sessions"]])
            for turn in session["turns"]:
                if turn["text"].strip():
                    pack.tell(store, numbers[session["id"]], turn["speaker"].lower(), turn["text"])
        pack.stores.append(store)


def build(quality: Any) -> Pack:
    """Every set."""
    pack = Pack()
    talks(pack, quality, "locomo", quality.locomo(quality.load(*quality.LOCOMO)), False)
    talks(pack, quality, "realtalk", quality.realtalk(), False)
    talks(pack, quality, "beam", quality.beam(), True)
    realmem(pack, quality)
    pooled(
        pack,
        "longmemeval",
        quality.load(*quality.LME),
        lambda row: [
            (key, [(turn["role"], turn["content"]) for turn in turns])
            for key, turns in zip(row["haystack_session_ids"], row["haystack_sessions"], strict=True)
        ],
    )
    pooled(
        pack,
        "snippet",
        quality.load(*quality.SNIPPET),
        lambda row: [(one["session_id"], [("user", one["user_text_500"])]) for one in row["sessions"]],
    )
    return pack


def save(pack: Pack, tokenizer: Path, out: Path) -> None:
    """Numbers in devsets.json, token ids in devsets.npz."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "devsets.json").write_text(json.dumps([asdict(store) for store in pack.stores]), "utf-8")
    tokens.tokenize(tokens.open_tokenizer(tokenizer, MAX_TOKENS), list(pack.texts)).save(out / "devsets.npz")


def load(folder: Path) -> list[Store]:
    """The stores that `save` wrote."""
    read = json.loads((folder / "devsets.json").read_text("utf-8"))
    return [Store(**{**row, "asked": [Asked(**asked) for asked in row["asked"]]}) for row in read]


def main() -> None:
    from .reader_candidates import load_tools

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, required=True, help="quality.py, which reads the sets")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    pack = build(load_tools(options.tools))
    save(pack, options.tokenizer, options.out)
    for store in pack.stores:
        print(f"{store.name}: {len(store.whole)} turns, {len(store.pieces)} pieces, {len(store.asked)} questions")


if __name__ == "__main__":
    main()

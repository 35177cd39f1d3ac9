"""Builds the corpus: texts to distil on, question-turn pairs, and the validation sets, all as token ids."""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import (
    clauses,
    leakage,
    longmemeval,
    names,
    needs,
    pairs,
    passages,
    people,
    scenes,
    settings,
    tokens,
    typos,
    validation,
    wordnet,
)
from .person import OTHER, SELF, to_third

GREETINGS = ("Hey {}! ", "Hi {}, ", "Thanks, {}! ", "{}, ", "Wow, {}! ", "Yeah {}, ", "Oh {}! ")
CONTEXT = 220  # characters of the turn before that a window shows
GLOSS_PAIRS = 4000
AS_THEY_ARE = ("gloss", passages.ROLE, people.ROLE)  # texts that bear their label already
UNNAMED = ("gloss", "passage", "need", "update", "people", "also")  # questions never rewritten to a drawn name


@dataclass(slots=True)
class Pool:
    """Texts, each once."""

    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where the sources lie."""

    longmemeval: Path
    snippets: Path | None
    locomo: Path
    tokenizer: Path
    friends: tuple[Path, ...] = ()


def build(inputs: Inputs, words: wordnet.WordNet, config: settings.Config, out: Path) -> dict[str, object]:
    """Writes the corpus into a folder and returns what to report about it."""
    rng = random.Random(config.general.seed)
    out.mkdir(parents=True, exist_ok=True)
    data = longmemeval.read(inputs.longmemeval)
    asked, sessions = longmemeval.trainable(data)
    snippets = longmemeval.read_snippets(inputs.snippets, data.names) if inputs.snippets else {}
    book, most = pairs.Book(), config.corpus.turn_pairs
    pairs.from_longmemeval(book, asked, sessions, words, rng, most)
    pairs.from_snippets(book, snippets, len(data.sessions), words, rng, most)
    _add_later_kinds(book, asked, sessions, words, config)
    scenes.fill(book, rng, session=len(data.sessions) + len(snippets))
    told = 2 * 10**6
    for path in inputs.friends:
        told = people.friends(book, path, told)
    pairs.from_glosses(book, words, rng, session=10**6, count=min(GLOSS_PAIRS, config.corpus.distil_texts))
    pool = Pool()
    _write_pairs(book, pool, rng, out)
    distilled = _distil_texts(book, snippets, words, pool, rng, config.corpus.distil_texts)
    np.save(out / "distil.npy", distilled)
    texts = list(pool.numbers)
    tokenizer = tokens.open_tokenizer(inputs.tokenizer, config.corpus.max_tokens)
    tokens.tokenize(tokenizer, texts).save(out / "texts.npz")
    with gzip.GzipFile(out / "texts.jsonl.gz", "wb", mtime=0) as file:  # the same texts are the same bytes
        file.writelines((json.dumps(text) + "\n").encode() for text in texts)
    _write_validation(inputs, data, tokenizer, out)
    report = _report(book, texts, distilled, tokenizer, inputs.locomo)
    (out / "corpus.json").write_text(json.dumps(report, indent=1), "utf-8")
    return report


def _add_later_kinds(
    book: pairs.Book,
    asked: list[longmemeval.Question],
    sessions: list[longmemeval.Session],
    words: wordnet.WordNet,
    config: settings.Config,
) -> None:
    """What the second encoder learns; with a chance of its own, so that the first one's corpus stays as it was."""
    rng = random.Random(config.general.seed + 1)
    if "passage" in config.corpus.kinds:
        passages.from_longmemeval(book, asked, sessions, rng)
    if "need" in config.corpus.kinds:
        needs.from_sessions(book, words, rng)
    if "update" in config.corpus.kinds:
        needs.updates(book, asked)


def _write_pairs(book: pairs.Book, pool: Pool, rng: random.Random, out: Path) -> None:
    forms = np.array([[pool.add(text) for text in _forms(spoken, rng)] for spoken in book.utterances], np.int32)
    np.savez_compressed(
        out / "turns.npz",
        forms=forms,
        session=np.array([spoken.session for spoken in book.utterances], np.int32),
        origin=np.array([spoken.origin for spoken in book.utterances], np.int32),
        whole=np.array([spoken.whole for spoken in book.utterances], np.int32),
    )
    kinds = sorted({pair.kind for pair in book.pairs})
    queries = [_queries(pair) for pair in book.pairs]
    slips = random.Random(len(queries))
    np.savez_compressed(
        out / "pairs.npz",
        query=np.array([[pool.add(text) for text in row] for row in queries], np.int32),
        noisy=np.array([[pool.add(typos.typed(text, slips)) for text in row] for row in queries], np.int32),
        unnamed=np.array([pair.kind in UNNAMED for pair in book.pairs]),
        turn=np.array([pair.utterance for pair in book.pairs], np.int32),
        kind=np.array([kinds.index(pair.kind) for pair in book.pairs], np.uint8),
        group=np.array([pair.group for pair in book.pairs], np.int32),
        kinds=np.array(kinds),
    )


def _forms(spoken: pairs.Utterance, rng: random.Random) -> tuple[str, str, str, str]:
    """A turn as `user` says it, as a named person does, after the turn before it, and with a greeting."""
    if spoken.role in AS_THEY_ARE:
        return (spoken.text,) * 4
    me, you = (SELF, OTHER) if spoken.role != "assistant" else (OTHER, SELF)
    named = f"{me}: {spoken.text}"
    before = (clauses.sentences(spoken.before) or [""])[-1][-CONTEXT:]
    window = f"{you}: {before}\n{named}" if before else named
    greeted = f"{me}: {rng.choice(GREETINGS).format(you)}{spoken.text}"
    return f"{spoken.role}: {spoken.text}", named, window, greeted


def _queries(pair: pairs.Pair) -> tuple[str, str, str]:
    """The question in the first person, about a woman and about a man."""
    if pair.kind in UNNAMED:
        return (pair.question,) * 3
    return pair.question, to_third(pair.question, gender="f"), to_third(pair.question, gender="m")


def _distil_texts(
    book: pairs.Book, snippets: dict[str, list[str]], words: wordnet.WordNet, pool: Pool, rng: random.Random, most: int
) -> np.ndarray:
    """Turns, sentences, named sentences, questions, glosses and examples; no two alike, with real names."""
    people = (*names.FEMALE, *names.MALE)
    plain = [spoken.text for spoken in book.utterances] + [line for lines in snippets.values() for line in lines]
    spoken = [sentence for text in plain for sentence in clauses.sentences(text)]
    named = [f"{rng.choice(people)}: {text}" for text in rng.sample(spoken, len(spoken) // 3)]
    asked = [_with_names(text, rng) for pair in book.pairs for text in _queries(pair)[rng.randrange(2) : 3 : 2]]
    defined = [text for _, gloss, examples in words.glosses() for text in (gloss, *examples)]
    chat = list(dict.fromkeys([*plain, *spoken, *named, *asked]))
    rng.shuffle(defined)
    rng.shuffle(chat)
    chosen = chat[:most] + defined[: max(0, most - len(chat))]
    return np.unique(np.array([pool.add(text) for text in chosen], np.int32))


def _with_names(text: str, rng: random.Random) -> str:
    people = (*names.FEMALE, *names.MALE)
    return text.replace(SELF, rng.choice(people)).replace(OTHER, rng.choice(people))


def _write_validation(inputs: Inputs, data: longmemeval.LongMemEval, tokenizer: Any, out: Path) -> None:
    measured = validation.Validation(
        validation.locomo(inputs.locomo), validation.longmemeval(data), validation.everyday()
    )
    measured.save(out / "validation.json")
    tokens.tokenize(tokenizer, list(validation_order(measured))).save(out / "validation.npz")


def validation_order(measured: validation.Validation) -> list[str]:
    """The texts in the order in which validation.npz holds them."""
    texts: list[str] = []
    for store in (*measured.locomo, *([measured.longmemeval] if measured.longmemeval else [])):
        texts += [*store.texts, *store.questions]
    return texts + [text for first, second, _ in measured.everyday for text in (first, second)]


def _report(
    book: pairs.Book, texts: list[str], distilled: np.ndarray, tokenizer: Any, locomo: Path
) -> dict[str, object]:
    shared, known, some = leakage.overlap(texts, leakage.validation_texts(locomo))
    return {
        "texts": len(texts),
        "utterances": len(book.utterances),
        "pairs": dict(Counter(pair.kind for pair in book.pairs)),
        "distil": len(distilled),
        "leakage": {"run": leakage.RUN, "shared": shared, "known": known, "some": some},
        "female": [tokenizer.encode(name).ids[1] for name in names.FEMALE],
        "male": [tokenizer.encode(name).ids[1] for name in names.MALE],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longmemeval", type=Path, required=True, help="oracle_dev.json.gz")
    parser.add_argument("--snippets", type=Path, help="questions_dev.jsonl.gz: more user text of the same data")
    parser.add_argument("--locomo", type=Path, required=True, help="locomo_dev.json, for validation only")
    parser.add_argument("--friends", type=Path, nargs="*", default=[], help="FriendsQA's files")
    parser.add_argument("--tokenizer", type=Path, help="tokenizer.json; by default that of the tier minilm")
    parser.add_argument("--renew", action="store_true", help="with the kinds of pairs of train.renew")
    parser.add_argument("--tiny", action="store_true", help="little of everything, to try things out")
    parser.add_argument("--cache", type=Path, required=True, help="where archives of sources are kept")
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    tokenizer = options.tokenizer or _official_tokenizer()
    inputs = Inputs(options.longmemeval, options.snippets, options.locomo, tokenizer, tuple(options.friends))
    config = settings.load(options.config, tiny=options.tiny, renew=options.renew)
    report = build(inputs, wordnet.load(options.cache), config, options.out)
    print(json.dumps({key: value for key, value in report.items() if key not in ("female", "male")}, indent=1))


def _official_tokenizer() -> Path:
    from engramma.models.fetch import fetch
    from engramma.models.tiers import TIERS

    return fetch(TIERS["minilm"]) / "tokenizer.json"


if __name__ == "__main__":
    main()

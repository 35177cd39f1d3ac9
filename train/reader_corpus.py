"""Builds what the reader is trained on: examples from all sources, mined negatives, and token ids."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from . import longmemeval, reader_changes, reader_data, reader_forms, wordnet
from .reader_data import ANYWHERE, Example, Read

IGNORED = -100  # a span that the data does not mark
MINED = 3  # further negatives a question
DEPTH = 40  # how far down they are looked for
CEILING = 0.93  # of the right passage's cosine: what comes nearer may answer too
PASSAGES = 9  # a question


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the data lies."""

    data: Path  # the folder of reader/, longmemeval/, longmemeval_s_snippet/
    cache: Path
    tokenizer: Path
    sessions: int  # of the snippets' sessions, how many are used
    seed: int = 7


def sample(sources: Sources, shard: int, shards: int) -> list[Example]:
    """One shard's examples."""
    rng = random.Random(sources.seed * 1000 + shard)
    words = wordnet.load(sources.cache)
    changes = reader_changes.load(words)
    made: list[Example] = []
    turns = sessions(sources)[shard::shards]
    for name, said in turns:
        made += reader_forms.statements(name, said, words, changes, rng, 5)
    made += reader_forms.scenes(changes, rng, max(1, 24 // shards))
    folder = sources.data / "reader"
    real: list[Example] = []
    if shard == 0:
        real += reader_data.friends(folder / "friendsqa_dev.json.gz", rng)
        real += reader_data.friends(folder / "friendsqa_tst.json.gz", rng)
    if shard == 1 % shards:
        real += reader_data.molweni(folder / "molweni_mrc_test.json.gz", rng)
    if shard == 2 % shards:
        real += reader_data.slots(folder / "sgd_spans.jsonl.gz", rng, 1.0)
    if shard == 3 % shards:
        oracle = sources.data / "longmemeval" / "oracle_dev.json.gz"
        real += reader_data.evidence(oracle, rng, changes, 8)
    return made + real


def sessions(sources: Sources) -> list[tuple[str, list[str]]]:
    """What users said: LongMemEval's trainable sessions, and the snippets less those that answer."""
    data = longmemeval.read(sources.data / "longmemeval" / "oracle_dev.json.gz")
    _, trainable = longmemeval.trainable(data)
    found = [(f"s{s.number}", [turn.text for turn in s.turns if turn.role == "user"]) for s in trainable]
    snippets = longmemeval.read_snippets(sources.data / "longmemeval_s_snippet" / "questions_dev.jsonl.gz", data.names)
    kept = [(name, lines) for name, lines in snippets.items() if not name.startswith(("sharegpt", "ultrachat"))]
    return found + kept[: sources.sessions]


def build(sources: Sources, workers: int) -> list[Example]:
    """All examples, by several processes."""
    if workers == 1:
        return sample(sources, 0, 1)
    with ProcessPoolExecutor(workers) as pool:
        parts = pool.map(sample, [sources] * workers, range(workers), [workers] * workers)
        return [example for part in parts for example in part]


Embed = Callable[[Sequence[str]], np.ndarray]


def mine(examples: list[Example], embed: Embed, rng: random.Random, nearest: Any) -> None:
    """Adds passages of other sessions that the encoder takes for answers, below a ceiling, to formed questions."""
    chosen = [e for e in examples if e.pool and e.passages[0].label]
    texts = list(dict.fromkeys(e.passages[0].text for e in chosen))
    place = {text: number for number, text in enumerate(texts)}
    home = {e.passages[0].text: e.pool for e in chosen}
    passages = embed([f"user: {text}" for text in texts])
    asked = embed([e.question for e in chosen])
    for e, vector, rows, cosines in zip(chosen, asked, *nearest(asked, passages, DEPTH), strict=True):
        top = float(vector @ passages[place[e.passages[0].text]]) * CEILING
        far = [r for r, c in zip(rows, cosines, strict=True) if c < top and home[texts[r]] != e.pool]
        for row in rng.sample(far[:16], min(MINED, len(far[:16]))):
            speaker = e.speakers[0] if rng.random() < 0.6 or e.speakers[0] == "user" else e.speakers[1]
            e.passages.append(Read(texts[row], speaker, "", e.passages[0].day))


@dataclass(frozen=True, slots=True)
class Rows:
    """Token ids of all passages with their questions, and what each should say."""

    ids: np.ndarray  # uint16, flat
    offsets: np.ndarray
    label: np.ndarray
    start: np.ndarray  # of the span; 0 (the mark at the beginning) for none, IGNORED where unknown
    end: np.ndarray
    first: np.ndarray  # first token of the passage's own words
    groups: np.ndarray  # offsets: passages of example i are groups[i]:groups[i+1]
    weight: np.ndarray


def tokenize(examples: Sequence[Example], tokenizer: Path, workers: int) -> Rows:
    """The examples as arrays."""
    size = -(-len(examples) // max(1, workers * 4))
    parts = [examples[start : start + size] for start in range(0, len(examples), size)]
    if workers == 1:
        made = [_tokenized(part, tokenizer) for part in parts]
    else:
        with ProcessPoolExecutor(workers) as pool:
            made = list(pool.map(_tokenized, parts, [tokenizer] * len(parts)))
    rows = [row for part in made for group in part for row in group]
    lengths = [len(row[0]) for row in rows]
    label, start, end, first = (np.array([row[n] for row in rows], np.int32) for n in (1, 2, 3, 4))
    return Rows(
        np.concatenate([np.array(row[0], np.uint16) for row in rows]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        label,
        start,
        end,
        first,
        np.concatenate([[0], np.cumsum([len(g) for part in made for g in part])]).astype(np.int64),
        np.array([e.weight for e in examples], np.float32),
    )


def _tokenized(examples: Sequence[Example], path: Path) -> list[list[tuple[list[int], int, int, int, int]]]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [[row(tokenizer, e.question, passage) for passage in e.passages[:PASSAGES]] for e in examples]


def row(tokenizer: Any, question: str, passage: Read) -> tuple[list[int], int, int, int, int]:
    """Token ids, label, first and last token of the answer, and where the passage's own words begin."""
    from engramma.models.reader import Passage, lay_out

    said_at = datetime.strptime(passage.day, "%d %B %Y") if passage.day else None
    made = lay_out(tokenizer, question, Passage(passage.text, passage.speaker, passage.before, said_at))
    start = end = 0
    if passage.span == ANYWHERE:
        start = end = IGNORED
    elif passage.span is not None:
        begin, stop = passage.span
        inside = [n for n, (a, b) in enumerate(made.offsets) if a < stop and b > begin]
        start, end = (made.first + inside[0], made.first + inside[-1]) if inside else (IGNORED, IGNORED)
    return made.ids, passage.label, start, end, made.first


def without(examples: Sequence[Example], left_out: Sequence[str]) -> list[Example]:
    """Less every kind that begins with one of these: what an ablation trains on."""
    return [e for e in examples if not any(e.kind.startswith(name) or e.kind.endswith(name) for name in left_out)]


def report(examples: Sequence[Example]) -> dict[str, Any]:
    marked = sum(1 for e in examples for p in e.passages if p.span not in (None, ANYWHERE))
    return {
        "examples": len(examples),
        "passages": sum(len(e.passages) for e in examples),
        "spans": marked,
        "kinds": dict(Counter(e.kind for e in examples)),
    }

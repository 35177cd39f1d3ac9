"""Builds what the reader is trained on: examples from all sources, mined negatives, and token ids."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from . import longmemeval, reader_changes, reader_data, reader_forms, reader_talks, wordnet
from .longmemeval import fold_of
from .reader_data import ANYWHERE, Example, Read
from .talks import all_talks

IGNORED = -100  # a span that the data does not mark
MINED = 3  # further negatives a question
DEPTH = 40  # how far down they are looked for
CEILING = 0.93  # of the right passage's cosine: what comes nearer may answer too
PASSAGES = 9  # a question
UNLABELLED = "unlabelled"  # the kind of an example that only a teacher knows about


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
    if shard == 4 % shards:
        real += reader_talks.examples(list(all_talks()), rng)
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
    weight: np.ndarray  # of each example; 0 where nothing is known but what a teacher says
    soft_weight: np.ndarray
    folds: np.ndarray  # bit f: the passage is left out where LongMemEval's third f is
    group_folds: np.ndarray  # the same for the example
    kinds: np.ndarray

    def save(self, path: Path) -> None:
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})


def load_rows(path: Path) -> Rows:
    with np.load(path) as read:
        return Rows(**{name: read[name] for name in read.files})


def tokenize(examples: Sequence[Example], tokenizer: Path, workers: int, told: Sequence[set[str]] = ()) -> Rows:
    """The examples as arrays; `told` holds the texts of each third of LongMemEval."""
    size = -(-len(examples) // max(1, workers * 4))
    parts = [examples[start : start + size] for start in range(0, len(examples), size)]
    if workers == 1:
        made = [_tokenized(part, tokenizer, told) for part in parts]
    else:
        with ProcessPoolExecutor(workers) as pool:
            made = list(pool.map(_tokenized, parts, [tokenizer] * len(parts), [told] * len(parts)))
    ids, lengths, numbers, counts = (np.concatenate([part[n] for part in made]) for n in range(4))
    label, start, end, first, folds = numbers.T
    groups = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    asked = [sum(1 << f for f in range(len(told)) if e.source and fold_of(e.source) == f) for e in examples]
    return Rows(
        ids,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        label,
        start,
        end,
        first,
        groups,
        np.array([0.0 if e.kind == UNLABELLED else e.weight for e in examples], np.float32),
        np.array([e.weight for e in examples], np.float32),
        folds.astype(np.uint8),
        np.array(asked, np.uint8) | folds[groups[:-1]].astype(np.uint8),
        np.array([e.kind for e in examples]),
    )


def _tokenized(
    examples: Sequence[Example], path: Path, told: Sequence[set[str]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    ids: list[np.ndarray] = []
    numbers: list[tuple[int, ...]] = []
    counts: list[int] = []
    for e in examples:
        is_chosen = e.kind == UNLABELLED or e.kind in reader_talks.KINDS.values()
        kept = e.passages if is_chosen else e.passages[:PASSAGES]
        for passage in kept:
            found, *rest = row(tokenizer, e.question, passage)
            ids.append(np.array(found, np.uint16))
            numbers.append((*rest, sum(1 << f for f, texts in enumerate(told) if passage.text in texts)))
        counts.append(len(kept))
    return np.concatenate(ids), np.array([len(i) for i in ids]), np.array(numbers, np.int32), np.array(counts)


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

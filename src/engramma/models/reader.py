"""The reader: a small cross-encoder that reads a question beside a passage of talk.

It says how well the passage answers the question, which of its words do, and how likely it is that none do. Its
layers are its own; the table of word vectors, half of an encoder's size, is the encoder's.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..language.graphemes import cut_place
from ..language.question_language import question_language
from ..language.sentences import DENSE_END, PLAIN_END
from ..patterns import late
from .emoji import blank_emoji
from .local_embedder import cores, error_line
from .native import LONGEST, NativeNetwork, layout_name, open_word_table, runs_networks
from .onnx import WEIGHTS, graph_name, open_session
from .onnx_weights import read_weights
from .packaged import MINI_WEIGHTS, MULTI_WEIGHTS, mini_vocabulary, multi_tokenizer
from .route import Once
from .wordpiece import WordPieces

READER = "reader.int8.onnx"
CLS, SEP = 101, 102
QUESTION, CONTEXT, TEXT = 48, 40, 136  # tokens of each part; what is longer is cut
LONGEST_QUESTION_READ = 64 * QUESTION  # characters that may have a question's tokens: a pasted page has many more
WINDOW = 400  # characters of a passage, about 96 tokens
_DENSE = late("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff]")
LONGEST_SPAN = 24  # tokens of an answer


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that one person said, who said it and when, and what was said just before."""

    text: str
    speaker: str = ""
    before: str = ""  # "Emma: the last words of the turn before"
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PassageReading:
    """What the reader found in one passage: logits, higher is more; the span in characters of the text."""

    relevance: float  # the passage answers the question
    null: float  # no words of the passage are the answer: the null's score less the best span's
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Input:
    """Token ids of a question and a passage; `first` is where the passage's own words begin."""

    ids: list[int]
    first: int
    offsets: list[tuple[int, int]]  # of the passage's tokens, in characters of its text


def split_windows(text: str, size: int = WINDOW) -> list[tuple[int, int]]:
    """The text in pieces of whole sentences, as places; a sentence that is too long is cut between words.

    A character of Chinese, Japanese or Korean is a token of its own: of such a text a quarter as many make a piece.
    """
    stops = PLAIN_END
    if not text.isascii() and 2 * len(_DENSE.findall(text)) > len(text):
        size, stops = size // 4, DENSE_END
    ends = [match.start() for match in stops.finditer(text)] + [len(text)]
    found: list[tuple[int, int]] = []
    start = last = 0
    for end in ends:
        if end - start > size and last > start:
            found.append((start, last))
            start = last
        while end - start > size:
            cut = text.rfind(" ", start + size // 2, start + size)
            cut = cut if cut > 0 else max(cut_place(text, start + size), start + 1)
            found.append((start, cut))
            start = cut
        last = end
    if text[start:].strip():
        found.append((start, len(text)))
    stripped = [(begin + _blanks(text[begin:end]), end) for begin, end in found]
    return [(begin, end) for begin, end in stripped if begin < end]


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def lay_out(tokenizer: Any, question: str, passage: Passage) -> Input:
    """[CLS] question [SEP] day, turn before [SEP] speaker: text [SEP]."""
    asked = tokenizer.encode(blank_emoji(question[:LONGEST_QUESTION_READ]), add_special_tokens=False).ids[:QUESTION]
    day = f"{passage.said_at.day} {passage.said_at:%B %Y}" if passage.said_at else ""
    context = tokenizer.encode(blank_emoji(f"{day} {passage.before[-240:]}"), add_special_tokens=False).ids
    context = context if len(context) <= CONTEXT else context[:4] + context[4 - CONTEXT :]
    label = tokenizer.encode(f"{passage.speaker}:", add_special_tokens=False).ids if passage.speaker else []
    label = label[: TEXT // 2]
    said = tokenizer.encode(blank_emoji(passage.text), add_special_tokens=False)
    room = TEXT - len(label)
    ids = [CLS, *asked, SEP, *context, SEP, *label, *said.ids[:room], SEP]
    first = 3 + len(asked) + len(context) + len(label)
    return Input(ids, first, said.offsets[:room])


def read_output(made: Input, relevance: float, start: NDArray[np.float32], end: NDArray[np.float32]) -> PassageReading:
    """The best span, and what the null at [CLS] scores above it."""
    null = float(start[0] + end[0])
    count = len(made.offsets)
    if count == 0:
        return PassageReading(round(relevance, 4), 20.0, 0, 0)
    begins, ends = start[made.first : made.first + count], end[made.first : made.first + count]
    sums = begins[:, None] + ends[None, :]
    steps = np.arange(count)[None, :] - np.arange(count)[:, None]
    sums = np.where((steps >= 0) & (steps < LONGEST_SPAN), sums, -np.inf)
    first, last = divmod(int(sums.argmax()), count)
    best = float(sums[first, last])
    return PassageReading(round(relevance, 4), round(null - best, 4), made.offsets[first][0], made.offsets[last][1])


class PassageReader:
    """A reader in a folder. Safe to share between threads; the same passage gives the same bits always.

    Its layers learned English, by the small encoder's word vectors. The large encoder's are in the same space, so by
    these it reads other languages, too, and a question in one beside a passage in another (docs/log/reader.md).
    """

    def __init__(self, folder: Path) -> None:
        path = folder / READER
        if not path.is_file():
            raise ModelError(f"{path} is missing; train.reader_export writes it")
        self._english = NetworkOfWords(WordPieces(mini_vocabulary(), LONGEST), open_outputs(path, MINI_WEIGHTS))
        self._other = Once(lambda: NetworkOfWords(multi_tokenizer(), open_outputs(path, MULTI_WEIGHTS)))

    def read(self, question: str, passages: Sequence[Passage]) -> list[PassageReading]:
        """One reading a passage, in their order."""
        if len(passages) < 2:
            return [self._read(question, passage) for passage in passages]
        with ThreadPoolExecutor(cores(), thread_name_prefix="engramma-read") as pool:
            return list(pool.map(lambda passage: self._read(question, passage), passages))

    def _read(self, question: str, passage: Passage) -> PassageReading:
        is_foreign = any(question_language(text) for text in (question[:LONGEST_QUESTION_READ], passage.text))
        by = self._other() if is_foreign else self._english
        made = lay_out(by.tokenizer, question, passage)
        relevance, spans = by.outputs.of_tokens(made.ids)
        return read_output(made, relevance, spans[:, 0], spans[:, 1])


class Outputs(Protocol):
    """What the network says of the tokens of a question and a passage: how relevant, and each one's two logits."""

    def of_tokens(self, tokens: Sequence[int]) -> tuple[float, NDArray[np.float32]]: ...


@dataclass(frozen=True, slots=True)
class NetworkOfWords:
    """What cuts texts into pieces, and the network that knows their vectors."""

    tokenizer: WordPieces
    outputs: Outputs


def open_outputs(path: Path, words: str) -> Outputs:
    """The reader's network with the word vectors of one of the encoders."""
    layout = path.parent / layout_name(READER)  # of the packaged one; a reader in training has none
    return NativeOutputs(path, layout, words) if layout.is_file() and runs_networks() else OnnxOutputs(path, words)


class NativeOutputs:
    """The network by our library, which takes the words out of an encoder's file."""

    def __init__(self, path: Path, layout: Path, encoder: str) -> None:
        words = open_word_table(WEIGHTS / encoder, WEIGHTS / layout_name(encoder))
        self._network = NativeNetwork(path, layout, words)
        self._heads = self._network.heads
        self._spans = self._heads["spans.weight"].reshape(-1, 2)

    def of_tokens(self, tokens: Sequence[int]) -> tuple[float, NDArray[np.float32]]:
        rows = self._network.rows(tokens)
        relevance = np.einsum("i,i", rows[0], self._heads["relevance.weight"]) + self._heads["relevance.bias"][0]
        return float(relevance), np.einsum("ti,io->to", rows, self._spans) + self._heads["spans.bias"]


class OnnxOutputs:
    """The network by its graph, which is told the words' vectors."""

    def __init__(self, path: Path, encoder: str) -> None:
        light = path.with_name(graph_name(path.name))
        self._session = open_session(light if light.is_file() else path, READER)
        self._inputs = [declared.name for declared in self._session.get_inputs()]
        self._steps, self._words = word_table(WEIGHTS / encoder)

    def of_tokens(self, tokens: Sequence[int]) -> tuple[float, NDArray[np.float32]]:
        ids = np.array(tokens, np.int64)
        embedded = (self._words[ids].astype(np.float32) * self._steps[ids])[None]
        feeds = {"embedded": embedded, "attention_mask": np.ones((1, len(ids)), np.int64)}
        try:
            relevance, spans = self._session.run(["relevance", "spans"], {name: feeds[name] for name in self._inputs})
        except Exception as error:  # onnxruntime's classes have no base of their own
            raise ModelError(f"the reader failed on {ids.size} tokens: {error_line(error)}") from error
        return float(relevance[0, 0]), spans[0]


def word_table(path: Path) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """The encoder's word vectors: a step a row, and the rows in int8."""
    weights = [array for array in read_weights(path).values() if array.ndim == 2]
    rows = max(weights, key=len)
    steps = next(array for array in weights if array.shape == (len(rows), 1))
    return steps.astype(np.float32), rows.astype(np.int8, copy=False)


@cache
def load_reader(folder: Path = WEIGHTS) -> PassageReader:
    """The packaged reader, or the one of a folder, opened once, when first asked for."""
    return PassageReader(folder)

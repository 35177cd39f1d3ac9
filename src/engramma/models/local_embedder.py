"""Encoders that run in this process: a network, a tokenizer, and numpy.

One text is one run, unpadded, on a pool of single-threaded runs. A quantised graph may scale its activations
over the whole input, so in a padded batch a text's vector would depend on its neighbours (cosines down to .98
between batches of 1 and of 32), and float sums depend on the padding in their last bits. One run a text gives
the same bits always, and was no slower than batches of 32 on any model measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from heapq import heapreplace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .embed import Kind, Progress
from .emoji import blank_emoji
from .extra import import_of_extra
from .settings import EncoderSettings, prefix_text

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# Ordinary text has 4 to 5 characters a token, so this much fills the window, and a text of 5 MB costs
# milliseconds in the tokenizer instead of 17 s. Only long runs of spaces or an endless word feel it.
CHARACTERS_A_TOKEN = 16
WINDOW = 4096  # texts submitted at a time, which bounds the memory of a long import
PILE = 32  # texts that one core embeds at once,
OF_ITS_OWN = 20  # characters that as much time goes into as into a text's beginning and end
PILE_CHARACTERS = 8000  # and how long they are together: progress is shown when a pile is done

TOKEN = 4  # characters of ordinary English text a token


class TextNetwork(Protocol):
    """What makes a vector of a text's tokens: an ONNX graph, or our own library."""

    @property
    def dimension(self) -> int: ...

    def vectors(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]: ...


class LocalEmbedder:
    """A network with its tokenizer. Safe to share between threads."""

    def __init__(self, network: TextNetwork, tokenizer: Any, settings: EncoderSettings, sha256: str) -> None:
        """`tokenizer` is its file, or one that `open_tokenizer` opened."""
        self._network, self._settings, self._sha256 = network, settings, sha256
        is_file = isinstance(tokenizer, Path)
        self.tokenizer = open_tokenizer(tokenizer, settings.max_tokens) if is_file else tokenizer

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def sha256(self) -> str:
        return self._sha256

    @property
    def dimension(self) -> int:
        return self._network.dimension

    @property
    def edge_floor(self) -> float:
        return self._settings.edge_floor

    @property
    def window(self) -> int:
        """How many characters of ordinary text it reads; what follows is cut off."""
        return self._settings.max_tokens * TOKEN - TOKEN

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """One unit row a text, in the order given."""
        return embed_with(self.vectors_of, self.dimension, self._settings, texts, kind, progress)

    def vectors_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The unit vectors of some texts, which are prepared already."""
        return self.vectors_of_ids([self.tokenizer.encode(text).ids for text in texts])

    def vectors_of_ids(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The unit vectors of some texts, given as their tokens' ids."""
        # Some tokenizers add no marks of their own, and then nothing is left of an empty text.
        return self._network.vectors([tokens or [0] for tokens in texts])


def embed_with(
    vectors_of: Callable[[Sequence[str]], NDArray[np.float32]],
    dimension: int,
    settings: EncoderSettings,
    texts: Sequence[str],
    kind: Kind,
    progress: Progress | None,
) -> NDArray[np.float32]:
    """One row a text, in the order given; a text that is repeated is embedded once."""
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(prepare_text(text, kind, settings), []).append(place)
    rows = np.empty((len(texts), dimension), np.float32)
    for pile, vectors in _each_pile(vectors_of, list(places)):
        for text, vector in zip(pile, vectors, strict=True):
            rows[places[text]] = vector
        if progress is not None:
            progress(sum(len(places[text]) for text in pile))
    return rows


def prepare_text(text: str, kind: Kind, settings: EncoderSettings) -> str:
    """A text as an encoder gets it: prefixed, and cut to what it may read."""
    prefix = settings.query_prefix if kind == "query" else settings.document_prefix
    prepared = prefix_text(text, prefix, settings.max_tokens * CHARACTERS_A_TOKEN)
    return prepared if settings.reads_emoji else blank_emoji(prepared)


def _each_pile(
    vectors_of: Callable[[Sequence[str]], NDArray[np.float32]], texts: list[str]
) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Some texts with their vectors at a time, by all cores."""
    if len(texts) < 2:
        yield from (([text], vectors_of([text])) for text in texts)
        return
    from concurrent.futures import as_completed  # a question, which is one text, needs no other thread

    rest = iter(texts)
    while window := list(islice(rest, WINDOW)):
        waiting, left = _handed_out(vectors_of, deal_piles(window, cores()))
        try:
            yield from ((pile, vectors_of(pile)) for pile in left)
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        finally:
            for one in waiting:
                one.cancel()  # after an error or an interruption


def _handed_out(
    vectors_of: Callable[[Sequence[str]], NDArray[np.float32]], piles: list[list[str]]
) -> tuple[dict[Future[NDArray[np.float32]], list[str]], list[list[str]]]:
    """What the threads were given, and the piles that are left to this thread: none, unless a thread cannot be started,
    since the process has as many as it may, or ends while one of its threads still embeds."""
    waiting: dict[Future[NDArray[np.float32]], list[str]] = {}
    for place, pile in enumerate(piles):
        try:
            waiting[_pool().submit(vectors_of, pile)] = pile
        except RuntimeError:
            return waiting, piles[place:]
    return waiting, []


def deal_piles(texts: Sequence[str], workers: int) -> list[list[str]]:
    """Texts in piles that take about as long as each other, as many for each worker."""
    length = sum(map(len, texts))
    rounds = max(-(-len(texts) // (PILE * workers)), -(-length // (PILE_CHARACTERS * workers)))
    piles = [(0, number, list[str]()) for number in range(min(len(texts), rounds * workers))]
    for text in sorted(texts, key=len, reverse=True):  # the long ones first, each to the pile that is the shortest
        total, number, pile = piles[0]
        pile.append(text)
        heapreplace(piles, (total + len(text) + OF_ITS_OWN, number, pile))
    return [pile for _, _, pile in sorted(piles, reverse=True)]


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(cores(), "engramma-embed")


if hasattr(os, "register_at_fork"):
    # A forked child has no such threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def open_tokenizer(path: Path, max_tokens: int) -> Any:
    """A tokenizer that cuts texts after `max_tokens` and fills none up."""
    library = import_of_extra("tokenizers")
    try:
        tokenizer = library.Tokenizer.from_file(str(path))
        tokenizer.enable_truncation(max_tokens)
        tokenizer.no_padding()
    except Exception as error:  # tokenizers raises a bare Exception
        raise ModelError(f"{path} is not a usable tokenizer ({error_line(error)}); get it again") from error
    return tokenizer


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def error_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]

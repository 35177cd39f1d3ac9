"""Encoders that run in this process: a network, a tokenizer, and numpy.

One text is one run, unpadded, on a pool of single-threaded runs. A quantised graph may scale its activations
over the whole input, so in a padded batch a text's vector would depend on its neighbours (cosines down to .98
between batches of 1 and of 32), and float sums depend on the padding in their last bits. One run a text gives
the same bits always, and was no slower than batches of 32 on any model measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .embed import Kind, Progress
from .emoji import blank_emoji
from .extra import import_of_extra
from .settings import EncoderSettings, prefix_text

# Ordinary text has 4 to 5 characters a token, so this much fills the window, and a text of 5 MB costs
# milliseconds in the tokenizer instead of 17 s. Only long runs of spaces or an endless word feel it.
CHARACTERS_A_TOKEN = 16
WINDOW = 4096  # texts submitted at a time, which bounds the memory of a long import

TOKEN = 4  # characters of ordinary English text a token


class TextNetwork(Protocol):
    """What makes a vector of a text's tokens: an ONNX graph, or our own library."""

    @property
    def dimension(self) -> int: ...

    def vector(self, tokens: Sequence[int]) -> NDArray[np.float32]: ...


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
        return embed_with(self.vector_of, self.dimension, self._settings, texts, kind, progress)

    def vector_of(self, text: str) -> NDArray[np.float32]:
        """The unit vector of one text, which is prepared already."""
        return self.vector_of_ids(self.tokenizer.encode(text).ids)

    def vector_of_ids(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """The unit vector of one text, given as its tokens' ids."""
        # Some tokenizers add no marks of their own, and then nothing is left of an empty text.
        return self._network.vector(tokens or [0])


def embed_with(
    vector_of: Callable[[str], NDArray[np.float32]],
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
    for text, vector in _each_vector(vector_of, list(places)):
        rows[places[text]] = vector
        if progress is not None:
            progress(len(places[text]))
    return rows


def prepare_text(text: str, kind: Kind, settings: EncoderSettings) -> str:
    """A text as an encoder gets it: prefixed, and cut to what it may read."""
    prefix = settings.query_prefix if kind == "query" else settings.document_prefix
    prepared = prefix_text(text, prefix, settings.max_tokens * CHARACTERS_A_TOKEN)
    return prepared if settings.reads_emoji else blank_emoji(prepared)


def _each_vector(
    vector_of: Callable[[str], NDArray[np.float32]], texts: list[str]
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    if len(texts) < 2:
        yield from ((text, vector_of(text)) for text in texts)
        return
    rest = iter(texts)
    with ThreadPoolExecutor(cores(), thread_name_prefix="engramma-embed") as pool:
        while window := list(islice(rest, WINDOW)):
            window.sort(key=len, reverse=True)  # the long ones first, so that the workers end together
            yield from zip(window, pool.map(vector_of, window), strict=True)


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

"""Runs the packaged networks by a library of our own, where it was built for this machine (native/).

It does the arithmetic of the networks' ONNX graphs, three times as fast on a processor that multiplies bytes, and
gives the same bits on every processor. Without it, ONNX Runtime runs the graphs.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..files.foreign_json import loads
from .extra import INSTALL_MODELS

LIBRARY = Path(__file__).parent / "libnetwork.so"  # hatch_build.py compiles it
VERSION = 1  # of the library's calls
LONGEST = 512  # tokens of a text
HEAD = 32  # numbers of an attention head
WIDEST = 64  # columns that a kernel takes at once
EACH_LAYER = 22  # arrays
SLOW = "plain"  # the library without the instructions that make it fast; ONNX Runtime is faster then
WRONG = {1: "there is not enough memory", 2: "a text is empty, too long, or has unknown tokens"}

_POINTER = ctypes.c_void_p


def layout_name(weights: str) -> str:
    """The file beside a packaged network's weights that tells where in them its arrays stand (train/)."""
    return weights.replace(".int8.onnx", ".layout.json")


class WordTable:
    """Word vectors in int8, a row and a step a word, as they stand in a mapped file."""

    def __init__(self, data: mmap.mmap, place: dict[str, int], width: int) -> None:
        self.data, self.count = data, place["count"]
        self.rows, self.steps = (_address(data) + place[name] for name in ("rows", "steps"))
        self.width = width


def open_word_table(weights: Path, layout: Path) -> WordTable:
    """The word vectors of another network's file."""
    data, said = _read(weights, layout)
    return WordTable(data, said["words"], said["shape"][1])


class NativeNetwork:
    """A network's weights, arranged for this processor. Safe to share between threads."""

    def __init__(self, weights: Path, layout: Path, words: WordTable | None = None, kernel: str | None = None) -> None:
        """`words`: the table of another network, for one that has none. `kernel`: another one than the best."""
        library = _library()
        if library is None:
            raise ModelError(f"{LIBRARY} is missing or of another version; reinstall engramma")
        self._library = library
        data, said = _read(weights, layout)
        layers, self.dimension, heads, wide = said["shape"]
        self.words = words or WordTable(data, said["words"], self.dimension)
        if self.words.width != self.dimension:
            raise ModelError(f"{weights} needs word vectors of {self.dimension} numbers, not {self.words.width}")
        start = _address(data)
        arrays = (_POINTER * len(said["arrays"]))(*(start + place for place in said["arrays"]))
        shape = (ctypes.c_int32 * 5)(layers, self.dimension, heads, wide, self.words.count)
        name = kernel.encode() if kernel else None
        self._network = library.engramma_open(name, shape, self.words.rows, self.words.steps, arrays)
        if not self._network:
            why = WRONG[1] if kernel in (None, *known_kernels()) else f"there is no kernel {kernel}"
            raise ModelError(f"{weights.name} cannot be opened: {why}")
        with suppress(OSError, AttributeError):  # the matrices were copied; rows of words are read again when they come
            data.madvise(mmap.MADV_DONTNEED)
        self.heads = {
            name: np.frombuffer(data, "<f4", self._head_size(name), place).copy()
            for name, place in said["heads"].items()
        }

    def _head_size(self, name: str) -> int:
        outputs = 2 if name.startswith("spans") else 1
        return outputs * (self.dimension if name.endswith(".weight") else 1)

    def __del__(self) -> None:
        if getattr(self, "_network", None):
            self._library.engramma_close(self._network)

    def vector(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """The unit vector of one text, given as its tokens' ids."""
        vector = np.empty(self.dimension, np.float32)
        self._run(np.array(tokens, np.int32), None, vector)
        if not np.isfinite(vector[0]):
            raise ModelError("the encoder gave a zero vector; reinstall engramma")
        return vector

    def rows(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """What the last layer has for each token."""
        rows = np.empty((len(tokens), self.dimension), np.float32)
        self._run(np.array(tokens, np.int32), rows, None)
        return rows

    def _run(
        self, ids: NDArray[np.int32], rows: NDArray[np.float32] | None, vector: NDArray[np.float32] | None
    ) -> None:
        length = ctypes.c_int32(ids.size)
        wrong = self._library.engramma_encode(
            self._network, ids.ctypes.data, ctypes.byref(length), 1, _data(rows), _data(vector)
        )
        if wrong:
            raise ModelError(f"the network cannot read {ids.size} tokens: {WRONG[wrong]}")


def known_kernels() -> list[str]:
    """What this processor can run of the library, the best first; nothing where there is no library."""
    library = _library()
    found = list[str]()
    while library is not None and (name := library.engramma_kernel(len(found))):
        found.append(name.decode())
    return found


def is_faster() -> bool:
    """Whether the library is there, and this processor has instructions that make it worth using."""
    return known_kernels()[:1] not in ([], [SLOW])


def runs_networks() -> bool:
    """Whether the library runs the packaged networks: where it is faster than ONNX Runtime, or that is missing."""
    return is_faster() or (bool(known_kernels()) and find_spec("onnxruntime") is None)


def what_runs() -> str:
    """What runs the packaged networks on this machine, for people."""
    if is_faster():
        return f"our library ({known_kernels()[0]})"
    if runs_networks():
        return f"our library, slowly, since it has no fast kernel for this processor; faster: {INSTALL_MODELS}"
    why = (
        "our library has no fast kernel for this processor"
        if known_kernels()
        else "our library is not built for this machine"
    )
    return f"ONNX Runtime, since {why}"


@cache
def _library() -> Any:
    """The library, or None where it was not built, is another machine's, or is of another version."""
    try:
        library = ctypes.CDLL(str(LIBRARY))
        version = library.engramma_version()
    except (OSError, AttributeError):
        return None
    if version != VERSION:
        return None
    library.engramma_open.restype = _POINTER
    library.engramma_open.argtypes = [ctypes.c_char_p, _POINTER, _POINTER, _POINTER, _POINTER]
    library.engramma_close.argtypes = [_POINTER]
    library.engramma_close.restype = None
    library.engramma_kernel.restype = ctypes.c_char_p
    library.engramma_encode.argtypes = [_POINTER, _POINTER, _POINTER, ctypes.c_int32, _POINTER, _POINTER]
    return library


def _read(weights: Path, layout: Path) -> tuple[mmap.mmap, dict[str, Any]]:
    """A network's file, mapped, and what its layout says, which must be that of this very file."""
    try:
        with weights.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        said: dict[str, Any] = loads(layout.read_text("utf-8"))
        fits = said["bytes"] == len(data) and len(said["arrays"]) == 3 + EACH_LAYER * said["shape"][0]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{weights} or {layout.name} cannot be read ({error}); reinstall engramma") from error
    if not fits:
        raise ModelError(f"{layout} is not the layout of {weights.name}; reinstall engramma")
    return data, said


def _address(data: mmap.mmap) -> int:
    """Where a mapped file begins in memory; it stays there while it is mapped."""
    return np.frombuffer(data, np.uint8).ctypes.data


def _data(array: NDArray[np.float32] | None) -> int | None:
    return None if array is None else array.ctypes.data

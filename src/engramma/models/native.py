"""Runs the packaged networks by a library of our own, where it was built for this machine (native/).

It does the arithmetic of the networks' ONNX graphs, three times as fast on a processor that multiplies bytes, and
gives the same bits on every processor. Without it, ONNX Runtime runs the graphs.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import chain
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
TOKENS_AT_ONCE = 320  # of several texts: each reads all matrices, and what is worked on has to fit beside them
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
            name: np.frombuffer(data, "<f4", head_size(name, self.dimension), place).copy()
            for name, place in said["heads"].items()
        }

    def __del__(self) -> None:
        if getattr(self, "_network", None):
            self._library.engramma_close(self._network)

    def vectors(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The unit vectors of some texts, given as their tokens' ids."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for first, last in _together(texts):
            self._run(texts[first:last], None, vectors[first:last])
        if not np.isfinite(vectors[:, 0]).all():
            raise ModelError("the encoder gave a zero vector; reinstall engramma")
        return vectors

    def rows(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """What the last layer has for each token of one text."""
        rows = np.empty((len(tokens), self.dimension), np.float32)
        self._run([tokens], rows, None)
        return rows

    def _run(
        self, texts: Sequence[Sequence[int]], rows: NDArray[np.float32] | None, vectors: NDArray[np.float32] | None
    ) -> None:
        lengths = np.array([len(tokens) for tokens in texts], np.int32)
        ids = np.fromiter(chain.from_iterable(texts), np.int32, int(lengths.sum()))
        wrong = self._library.engramma_encode(
            self._network, ids.ctypes.data, lengths.ctypes.data, len(texts), _data(rows), _data(vectors)
        )
        if wrong:
            raise ModelError(f"the network cannot read {lengths.tolist()} tokens: {WRONG[wrong]}")


def _together(texts: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """From where to where texts are run at once."""
    first = tokens = 0
    for place, text in enumerate(texts):
        if place > first and tokens + len(text) > TOKENS_AT_ONCE:
            yield first, place
            first, tokens = place, 0
        tokens += len(text)
    if texts:
        yield first, len(texts)


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
        if not _is_whole(LIBRARY):
            return None
        library = ctypes.CDLL(str(LIBRARY))
        if library.engramma_version() != VERSION:
            return None
        library.engramma_open.restype = _POINTER
        library.engramma_open.argtypes = [ctypes.c_char_p, _POINTER, _POINTER, _POINTER, _POINTER]
        library.engramma_close.argtypes = [_POINTER]
        library.engramma_close.restype = None
        library.engramma_kernel.restype = ctypes.c_char_p
        library.engramma_encode.argtypes = [_POINTER, _POINTER, _POINTER, ctypes.c_int32, _POINTER, _POINTER]
    except (OSError, AttributeError):
        return None
    return library


def _is_whole(path: Path) -> bool:
    """Whether a library's file has all that is loaded of it. The system maps what a disk that was full or a copy that
    was cut short has left, and ends the process (SIGBUS) when what is missing is touched."""
    if not path.is_file():  # to open a pipe would wait for ever
        return False
    with path.open("rb") as file:
        begun = file.read(64)
        if begun[:4] != b"\x7fELF":
            return True  # of another system, whose loader looks for itself
        if len(begun) < 64 or begun[4:6] != b"\x02\x01":  # 64 bits, the lowest byte first, as what we compile for
            return False
        (table,), (each, count) = struct.unpack_from("<Q", begun, 32), struct.unpack_from("<2H", begun, 54)
        file.seek(table)
        parts = file.read(each * count)
    size = path.stat().st_size
    if len(parts) < each * count or each < 40:
        return False
    return all(sum(struct.unpack_from("<Q16xQ", parts, at + 8)) <= size for at in range(0, len(parts), each))


def _read(weights: Path, layout: Path) -> tuple[mmap.mmap, dict[str, Any]]:
    """A network's file, mapped, and what its layout says, which must be that of this very file."""
    try:
        with weights.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        said: dict[str, Any] = loads(layout.read_text("utf-8"))
        fits = said["bytes"] == len(data) and len(said["arrays"]) == 3 + EACH_LAYER * said["shape"][0]
        fits = fits and all(0 <= place <= len(data) - size for place, size in _extents(said))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{weights} or {layout.name} cannot be read ({error}); reinstall engramma") from error
    if not fits:
        raise ModelError(f"{layout} is not the layout of {weights.name}; reinstall engramma")
    return data, said


def _extents(said: dict[str, Any]) -> Iterator[tuple[int, int]]:
    """Where a layout's arrays begin, and how many bytes are read of each: all must lie inside the file."""
    layers, hidden, _, wide = said["shape"]
    if min(layers, hidden, wide) < 1:
        raise ValueError(f"a network of shape {said['shape']}")
    square, across, row, broad = hidden * hidden, hidden * wide, 4 * hidden, 4 * wide
    layer = 4 * [square, row, row] + [row, row, across, broad, broad, across, row, row, row, row]
    yield from zip(said["arrays"], [LONGEST * row, row, row, *layers * layer], strict=True)
    for name, place in said["heads"].items():
        yield place, 4 * head_size(name, hidden)
    if words := said.get("words"):
        yield words["rows"], words["count"] * hidden
        yield words["steps"], words["count"] * 4


def head_size(name: str, hidden: int) -> int:
    """How many numbers a head's array has."""
    outputs = 2 if name.startswith("spans") else 1
    return outputs * (hidden if name.endswith(".weight") else 1)


def _address(data: mmap.mmap) -> int:
    """Where a mapped file begins in memory; it stays there while it is mapped."""
    return np.frombuffer(data, np.uint8).ctypes.data


def _data(array: NDArray[np.float32] | None) -> int | None:
    return None if array is None else array.ctypes.data

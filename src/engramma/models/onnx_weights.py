"""Weights out of an ONNX file, without the package `onnx`, which is an extra: only its arrays are read, by their place.

An ONNX file is a protobuf message: a row of fields, each with its number, its kind and, where it has no fixed size, its
length. A model's field 7 is its graph, a graph's field 5 is a tensor, and a tensor has its sizes, the kind of its
numbers, its name and its numbers as bytes.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

GRAPH, TENSORS = 7, 5
SIZES, KIND, NAME, BYTES = 1, 2, 8, 9
VARINT, LONG, DELIMITED, SHORT = 0, 1, 2, 5  # kinds of a field
DTYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}

Array = NDArray[np.generic]


def read_weights(path: Path) -> dict[str, Array]:
    """Name -> array of the graph's constants. The arrays are views of the file, which stays mapped while they are."""
    try:
        with path.open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        found = [_tensor(tensor) for graph in _messages(data, GRAPH) for tensor in _messages(graph, TENSORS)]
    except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
        raise ModelError(f"{path} is not a usable ONNX model ({error}); get it again") from error
    return dict(found)


def _messages(message: memoryview, number: int) -> Iterator[memoryview]:
    return (value for found, value in _fields(message) if found == number and isinstance(value, memoryview))


def _tensor(message: memoryview) -> tuple[str, Array]:
    sizes, kind, name, raw = list[int](), 0, "", memoryview(b"")
    for number, value in _fields(message):
        if number == SIZES:
            sizes += [value] if isinstance(value, int) else _varints(value)
        elif number == KIND and isinstance(value, int):
            kind = value
        elif number == NAME and isinstance(value, memoryview):
            name = str(value, "utf-8")
        elif number == BYTES and isinstance(value, memoryview):
            raw = value
    return name, np.frombuffer(raw, DTYPES[kind]).reshape(sizes)


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """The fields of a message: their numbers, and a whole number or the bytes that each has."""
    at = 0
    while at < len(message):
        head, at = _varint(message, at)
        number, kind = head >> 3, head & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        if kind == DELIMITED:
            size, at = _varint(message, at)
        else:
            size = {LONG: 8, SHORT: 4}[kind]
        if at + size > len(message):
            raise ValueError("it ends too early")
        yield number, message[at : at + size]
        at += size


def _varints(packed: memoryview) -> list[int]:
    found, at = list[int](), 0
    while at < len(packed):
        value, at = _varint(packed, at)
        found.append(value)
    return found


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A whole number, seven bits a byte, the lowest first; and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("a number in it has no end")

"""A file that holds a large index, so that a process starts without reading a million rows of SQL.

The database stays the truth: the `stamp` saved with the rows says up to which change they follow it, and
a file that is missing, torn, of another version or of another shape is simply not used. Keys and codes
are read and checked whole (88 MB for a million rows); vectors are mapped, and come from the disk as
searches need them. Removed rows are not in the file: save again after forgetting, or delete it.

    magic, version, length of the header, its crc32 | header as JSON | arrays

The arrays are those of ARRAYS, little-endian, and begin at multiples of PAGE. With a key, all of that is sealed as
encryption/files.py describes; such a file cannot be mapped, so it is read into memory whole.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..encryption import SealedWriter, is_sealed, unseal
from ..errors import StoreCorrupt
from .codes import long_code, long_width, short_code, short_width
from .rows import IndexRows, restored
from .scan import EXACT_LIMIT, FaissIndex

Stamp = dict[str, int | str]

MAGIC = b"ENGRAMIX"
VERSION = 1
PREFIX = struct.Struct("<8sIII")
PAGE = 4_096
ARRAYS = ("keys", "shorts", "longs", "vectors")
LITTLE = {"keys": "<i8", "shorts": "u1", "longs": "u1", "vectors": "<f2"}

# Loading does not read all vectors: so many of them, the first and the last among them, must have the
# codes that stand beside them. `thorough` checks every byte.
SAMPLE = 256

# Rows written at once.
CHUNK = 8_192


def save(index: FaissIndex, path: Path, *, stamp: Mapping[str, int | str], key: bytes | None = None) -> None:
    """Write the rows as they stand to a temporary file beside `path`, then put it in its place."""
    rows = index.rows
    checks = {name: _check(_parts(rows, name)) for name in ARRAYS}
    encoded = _encoded({"dimension": rows.dimension, "count": rows.count, "crc32": checks, "stamp": dict(stamp)})
    starts, _ = _layout(len(encoded), rows.count, rows.dimension)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".new", delete=False) as file:
        try:
            with nullcontext(file) if key is None else SealedWriter(file.file, key) as target:
                target.write(PREFIX.pack(MAGIC, VERSION, len(encoded), zlib.crc32(encoded)) + encoded)
                written = PREFIX.size + len(encoded)
                for name, start in starts.items():
                    target.write(bytes(start - written))
                    written = start
                    for part in _parts(rows, name):
                        written += len(flat := _flat(part))
                        target.write(flat)
            file.flush()
            os.fsync(file.fileno())
            file.close()  # before it is renamed, which Windows asks for
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def load_index(
    path: Path, dimension: int, *, exact_limit: int = EXACT_LIMIT, thorough: bool = False, key: bytes | None = None
) -> tuple[FaissIndex, Stamp] | None:
    """The index and the stamp it was saved with, or None where the file cannot be trusted."""
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if is_sealed(mapped[:64]) != (key is not None):
            return None
        found = _read(mapped if key is None else unseal(memoryview(mapped), key), dimension, thorough)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, struct.error, StoreCorrupt):
        return None
    if found is None:
        return None
    if key is None and hasattr(mmap, "MADV_WILLNEED"):
        mapped.madvise(mmap.MADV_WILLNEED)  # the first search would wait for 2,000 reads from the disk
    rows, stamp = found
    return FaissIndex.of(rows, exact_limit=exact_limit), stamp


def _read(mapped: mmap.mmap | bytearray, dimension: int, thorough: bool) -> tuple[IndexRows, Stamp] | None:
    magic, version, length, check = PREFIX.unpack_from(mapped)
    encoded = bytes(mapped[PREFIX.size : PREFIX.size + length])
    if (magic, version, check) != (MAGIC, VERSION, zlib.crc32(encoded)):
        return None
    header = json.loads(encoded)
    count, checks, stamp = header["count"], header["crc32"], header["stamp"]
    starts, size = _layout(length, count, dimension)
    if header["dimension"] != dimension or size != len(mapped):
        return None
    arrays: dict[str, NDArray[Any]] = {
        name: np.ndarray((count, *_shape(name, dimension)), LITTLE[name], mapped, starts[name]) for name in ARRAYS
    }
    for name in ARRAYS if thorough else ARRAYS[:-1]:
        if f"{zlib.crc32(_flat(arrays[name])):08x}" != checks[name]:
            return None
    sample = np.linspace(0, max(count - 1, 0), min(SAMPLE, count)).astype(np.int64)
    vectors = arrays["vectors"][sample]
    if not (
        np.array_equal(short_code(vectors), arrays["shorts"][sample])
        and np.array_equal(long_code(vectors), arrays["longs"][sample])
    ):
        return None
    keys = arrays["keys"].astype(np.int64)
    return restored(keys, arrays["shorts"].copy(), arrays["longs"].copy(), arrays["vectors"]), stamp


def _shape(name: str, dimension: int) -> tuple[int, ...]:
    """The shape of one row of an array."""
    widths = {"shorts": short_width(dimension), "longs": long_width(dimension), "vectors": dimension}
    return (widths[name],) if name in widths else ()


def _layout(header: int, count: int, dimension: int) -> tuple[dict[str, int], int]:
    """Where each array begins, and how long the whole file is."""
    starts, end = {}, PREFIX.size + header
    for name in ARRAYS:
        starts[name] = -(-end // PAGE) * PAGE
        end = starts[name] + count * math.prod(_shape(name, dimension)) * np.dtype(LITTLE[name]).itemsize
    return starts, end


def _parts(rows: IndexRows, name: str) -> Iterator[NDArray[Any]]:
    """The rows of one array in the file's byte order, a chunk at a time."""
    for start in range(0, rows.count, CHUNK):
        part = slice(start, start + CHUNK)
        array = rows.vectors(part) if name == "vectors" else getattr(rows, name)[part]
        yield array.astype(LITTLE[name], copy=False)


def _check(parts: Iterator[NDArray[Any]]) -> str:
    """The crc32 of arrays that stand behind one another, in eight digits."""
    check = 0
    for part in parts:
        check = zlib.crc32(_flat(part), check)
    return f"{check:08x}"


def _flat(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _encoded(header: Mapping[str, object]) -> bytes:
    return json.dumps(header, sort_keys=True).encode()

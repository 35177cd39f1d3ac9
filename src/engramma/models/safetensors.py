"""Reads the safetensors format: eight bytes of header length, a JSON header, raw little-endian buffers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..files import foreign_json

MAX_HEADER = 100_000_000  # the format's own bound; a larger number means that this is another kind of file
DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "F64": np.dtype("<f8"),
}
INDEX = "model.safetensors.index.json"  # of weights in several files


@dataclass(frozen=True, slots=True)
class Tensors:
    """The tensors of one file, read from disk only when asked for."""

    path: Path
    header: Mapping[str, Any]
    start: int

    def __contains__(self, name: str) -> bool:
        return name in self.header

    def get(self, name: str) -> NDArray[np.float32]:
        """A tensor as float32."""
        if name not in self.header:
            raise ModelError(f"{self.path} has no tensor {name!r}; use the config.json of these weights")
        entry = self.header[name]
        dtype = DTYPES.get(entry["dtype"])
        if dtype is None:
            raise ModelError(f"{self.path}: {name} is {entry['dtype']}; save it as {', '.join(DTYPES)}")
        first, last = entry["data_offsets"]
        shape = tuple(entry["shape"])
        if last == first or last - first != math.prod(shape) * dtype.itemsize:
            raise ModelError(f"{self.path} is damaged at {name!r}; fetch it again")
        raw = np.memmap(self.path, dtype=dtype, mode="r", offset=self.start + first, shape=shape)
        if entry["dtype"] == "BF16":  # the upper half of a float32
            return np.asarray((raw.astype(np.uint32) << 16).view(np.float32))
        return np.asarray(raw, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Shards:
    """The tensors of several files, by the index that lies beside them."""

    path: Path
    parts: Mapping[str, Tensors]

    def __contains__(self, name: str) -> bool:
        return name in self.parts

    def get(self, name: str) -> NDArray[np.float32]:
        """A tensor as float32."""
        if name not in self.parts:
            raise ModelError(f"{self.path} has no tensor {name!r}; use the config.json of these weights")
        return self.parts[name].get(name)


def shard_files(index: Path) -> dict[str, Path]:
    """The file of every tensor that an index names, in the index's own folder."""
    try:
        listed = foreign_json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        files = {str(name): index.with_name(file) for name, file in listed.items()}
        if any(path.name != listed[name] for name, path in files.items()):
            raise ValueError("a file elsewhere")
    except OSError as error:
        raise ModelError(f"cannot read {index}: {error.strerror}; check its permissions") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{index} does not say which file has which tensor; fetch it again") from error
    missing = sorted({path.name for path in files.values() if not path.is_file()})
    if missing or not files:
        raise ModelError(f"{index} names files that are not there ({', '.join(missing[:5])}); fetch them too")
    return files


def open_tensors(path: Path) -> Tensors | Shards:
    """Reads the headers and checks that the files hold all that they promise. `path` may be an index of several."""
    if path.name != INDEX:
        return open_file(path)
    files = shard_files(path)
    opened = {file: open_file(file) for file in set(files.values())}
    return Shards(path, {name: opened[file] for name, file in files.items()})


def open_file(path: Path) -> Tensors:
    """Reads the header and checks that the file holds all it promises."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > MAX_HEADER or length + 8 > size:
                raise ModelError(f"{path} is not a safetensors file, or is cut short; fetch it again")
            header = foreign_json.loads(file.read(length))
        header.pop("__metadata__", None)
        end = max((_end(entry) for entry in header.values()), default=0)
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}; check its permissions") from error
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} has a damaged header; fetch it again") from error
    if size < 8 + length + end:
        raise ModelError(f"{path} is cut short ({size} of {8 + length + end} bytes); fetch it again")
    return Tensors(path, header, 8 + length)


def _end(entry: Any) -> int:
    """Where a tensor ends; ValueError where the header does not say so in whole numbers."""
    first, last = entry["data_offsets"]
    numbers = [first, last - first, *entry["shape"]]
    if not isinstance(entry["dtype"], str) or not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("no tensor")
    return int(last)

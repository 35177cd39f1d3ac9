"""Files of weights: safetensors, and npz archives in half precision or in int8 rows for carrying."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engramma.models.safetensors import open_tensors

STEPS = ".steps"  # ends the name of the step sizes of a tensor in int8
BLOCK = 32  # values that share a step: a step a row cost the teacher a point of recall


def read(path: Path) -> dict[str, np.ndarray]:
    """The weights of a safetensors or npz file, in float32."""
    if path.suffix == ".safetensors":
        tensors = open_tensors(path)
        kept = (name for name, entry in tensors.header.items() if entry["dtype"] in ("F32", "F16", "BF16"))
        return {name: tensors.get(name) for name in kept}
    with np.load(path) as archive:
        found = {name: archive[name] for name in archive.files}
    return {name: _whole(found, name) for name in found if not name.endswith(STEPS)}


def write_safetensors(path: Path, weights: Mapping[str, np.ndarray]) -> None:
    """A safetensors file in float32."""
    header: dict[str, object] = {}
    place = 0
    for name, value in weights.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [place, place + value.size * 4]}
        place += value.size * 4
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for value in weights.values():
            file.write(np.ascontiguousarray(value, "<f4").tobytes())


def write_half(path: Path, weights: Mapping[str, np.ndarray]) -> None:
    """An npz archive in half precision."""
    np.savez(path, **{name: value.astype(np.float16) for name, value in weights.items()})


def write_rows(path: Path, weights: Mapping[str, np.ndarray]) -> None:
    """An npz archive in int8 with a step for every 32 values: half of half precision, for a teacher to carry."""
    stored: dict[str, np.ndarray] = {}
    for name, value in weights.items():
        if value.ndim != 2:
            stored[name] = value.astype(np.float32)
            continue
        blocks = _blocks(value)
        steps = np.maximum(np.abs(blocks).max(axis=2, keepdims=True) / 127, 1e-6).astype(np.float16)
        whole = np.rint(blocks / steps.astype(np.float32)).clip(-127, 127)
        stored[name], stored[name + STEPS] = whole.astype(np.int8).reshape(value.shape), steps
    np.savez_compressed(path, **stored)


def _blocks(value: np.ndarray) -> np.ndarray:
    """The rows of a matrix cut into runs of 32, or whole where that does not fit."""
    rows, columns = value.shape
    return value.reshape(rows, -1, BLOCK if columns % BLOCK == 0 else columns)


def _whole(found: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    value = found[name].astype(np.float32)
    if name + STEPS not in found:
        return value
    return (_blocks(value) * found[name + STEPS].astype(np.float32)).reshape(value.shape)

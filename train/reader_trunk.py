"""The packaged encoder's weights, read back from its int8 graph: where the reader starts from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .model import MINILM, Shape

PARTS = ("query", "key", "value", "out", "inner", "outer")


def read(path: Path, shape: Shape = MINILM) -> dict[str, np.ndarray]:
    """State of `train.model.Encoder`, by its names."""
    constants, nodes = _graph(path)
    words = max((c for c in constants.values() if c.ndim == 2), key=len)
    steps = next(c for c in constants.values() if c.shape == (len(words), 1))
    table = np.asarray(words.astype(np.float32) * steps, np.float32)
    return {"words.weight": table} | _layers(constants, nodes, shape)


def read_reader(path: Path, shape: Shape = MINILM) -> dict[str, np.ndarray]:
    """State of `train.reader_model.ReaderNet` out of an exported reader, less the words, which are the encoder's."""
    constants, nodes = _graph(path)
    heads = {
        f"{head}.{part}": np.asarray(constants[f"{head}.{part}"].T, np.float32)
        for head in ("relevance", "spans")
        for part in ("weight", "bias")
    }
    return heads | {f"encoder.{name}": value for name, value in _layers(constants, nodes, shape).items()}


def _graph(path: Path) -> tuple[dict[str, np.ndarray], list[Any]]:
    """A graph's constants by name, and its nodes."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    return {c.name: numpy_helper.to_array(c) for c in graph.initializer}, list(graph.node)


def _layers(constants: Mapping[str, np.ndarray], nodes: Sequence[Any], shape: Shape) -> dict[str, np.ndarray]:
    """Positions, norms and matrices."""
    users: dict[str, list[Any]] = {}
    for node in nodes:
        for name in node.input:
            users.setdefault(name, []).append(node)
    state = {"positions.weight": next(c for c in constants.values() if c.shape == (shape.positions, shape.hidden))}
    norms = [node for node in nodes if node.op_type == "LayerNormalization"]
    places = ["norm"] + [f"layers.{n}.{part}" for n in range(shape.layers) for part in ("first_norm", "second_norm")]
    for place, node in zip(places, norms, strict=True):
        state[f"{place}.weight"], state[f"{place}.bias"] = constants[node.input[1]], constants[node.input[2]]
    products = [node for node in nodes if node.op_type == "MatMulInteger"]
    places = [f"layers.{n}.{part}" for n in range(shape.layers) for part in PARTS]
    for place, node in zip(places, products, strict=True):
        columns = users[users[node.output[0]][0].output[0]][0]  # Cast, then Mul by the columns' steps
        scaled = users[columns.output[0]][0]
        bias = constants[users[scaled.output[0]][0].input[1]]
        weight = (constants[node.input[1]].astype(np.float32) * constants[columns.input[1]]).T
        scale = math.sqrt(shape.hidden // shape.heads) if place.endswith("query") else 1.0
        state[f"{place}.weight"], state[f"{place}.bias"] = weight * scale, bias * scale
    return {name: np.asarray(value, np.float32) for name, value in state.items()}

"""The packaged encoder's weights, read back from its int8 graph: where the reader starts from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from .model import MINILM, Shape

PARTS = ("query", "key", "value", "out", "inner", "outer")


def read(path: Path, shape: Shape = MINILM) -> dict[str, np.ndarray]:
    """State of `train.model.Encoder`, by its names."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    constants = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    users: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    words = max((c for c in constants.values() if c.ndim == 2), key=len)
    steps = next(c for c in constants.values() if c.shape == (len(words), 1))
    state = {"words.weight": words.astype(np.float32) * steps}
    state["positions.weight"] = next(c for c in constants.values() if c.shape == (shape.positions, shape.hidden))
    norms = [node for node in graph.node if node.op_type == "LayerNormalization"]
    places = ["norm"] + [f"layers.{n}.{part}" for n in range(shape.layers) for part in ("first_norm", "second_norm")]
    for place, node in zip(places, norms, strict=True):
        state[f"{place}.weight"], state[f"{place}.bias"] = constants[node.input[1]], constants[node.input[2]]
    products = [node for node in graph.node if node.op_type == "MatMulInteger"]
    places = [f"layers.{n}.{part}" for n in range(shape.layers) for part in PARTS]
    for place, node in zip(places, products, strict=True):
        columns = users[users[node.output[0]][0].output[0]][0]  # Cast, then Mul by the columns' steps
        scaled = users[columns.output[0]][0]
        bias = constants[users[scaled.output[0]][0].input[1]]
        weight = (constants[node.input[1]].astype(np.float32) * constants[columns.input[1]]).T
        scale = math.sqrt(shape.hidden // shape.heads) if place.endswith("query") else 1.0
        state[f"{place}.weight"], state[f"{place}.bias"] = weight * scale, bias * scale
    return {name: np.asarray(value, np.float32) for name, value in state.items()}

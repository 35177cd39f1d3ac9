"""Takes the weights of the packaged int8 encoder back to float32: a start that skips the distillation."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

from . import weights

OUTER = {
    "word_embeddings": "embeddings.word_embeddings.weight",
    "position_embeddings": "embeddings.position_embeddings.weight",
}
TYPES = "embeddings.token_type_embeddings.weight"
KINDS = {"w": "weight", "b": "bias", "ww": "weight", "bb": "bias", "W": "weight", "wt": "weight"}


def dequantised(path: Path) -> dict[str, np.ndarray]:
    """Weights under their official names, from a graph that onnxruntime's dynamic quantisation made."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(path))
    constants = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    found: dict[str, np.ndarray] = {}
    for name, value in constants.items():
        if name.endswith("_quantized"):
            found[name.removesuffix("_quantized")] = _real(value, constants, name.removesuffix("_quantized"))
        elif value.dtype == np.float32 and not name.endswith(("_scale", "_zero_point")):
            found[name] = value
    return _named(found)


def _real(value: np.ndarray, constants: dict[str, np.ndarray], name: str) -> np.ndarray:
    scale, zero = constants[f"{name}_scale"], constants[f"{name}_zero_point"].astype(np.float32)
    if scale.size > 1:  # one a channel: along the last axis for a matrix product
        shape = [1] * value.ndim
        shape[-1 if value.shape[-1] == scale.size else 0] = scale.size
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return ((value.astype(np.float32) - zero) * scale).astype(np.float32)


def _named(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The official names for the graph's short ones; matrices of products are stored transposed."""
    named: dict[str, np.ndarray] = {}
    for name, value in found.items():
        if name in OUTER:
            named[OUTER[name]] = value
        elif "LayerNorm" in name:
            named[re.sub(r"\.([wb])$", lambda end: f".{KINDS[end[1]]}", name)] = value
        elif name.startswith("encoder."):
            stem, _, kind = name.rpartition(".")
            named[f"{stem}.{KINDS[kind]}"] = value.T if value.ndim == 2 else value
    named[TYPES] = np.stack([found["tt0"], found["tt0"]])
    return named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="model.int8.onnx")
    parser.add_argument("out", type=Path, help="a .safetensors file")
    options = parser.parse_args()
    weights.write_safetensors(options.out, dequantised(options.model))


if __name__ == "__main__":
    main()

"""Parts that the graphs of all architectures share: weights, linear layers, norms, the padding mask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .safetensors import Shards, Tensors
from .settings import Precision

MASKED = np.float32(-1e9)  # added before the softmax: far below any score, far above float32's overflow
TINY = np.array([1e-12], np.float32)  # keeps an all-zero row or channel from being divided by zero
FLOAT, UINT8 = 1, 2  # ONNX's numbers for its tensor types
LARGEST = 2**31 - 2**24  # bytes of weights in a graph: protobuf ends at 2 GiB, and the nodes need some room


def onnx_library() -> Any:
    """The library that writes graphs; it comes with an extra."""
    try:
        import onnx
        from onnx import helper, numpy_helper  # noqa: F401, which makes them parts of onnx
    except ImportError as error:
        raise ModelError(
            "weights as safetensors are made into a graph by an extra that is not installed: "
            "pip install 'engramma[safetensors]', or use an ONNX export of the model"
        ) from error
    return onnx


@dataclass(slots=True)
class GraphDraft:
    """A graph in the making: nodes and constants, in order."""

    tensors: Tensors | Shards
    root: str
    precision: Precision
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    held: int = 0  # bytes of constants

    def has(self, name: str) -> bool:
        return self.root + name in self.tensors

    def weight(self, name: str, *shape: int | None) -> NDArray[np.float32]:
        """A tensor of this shape, where None stands for any size."""
        found = self.tensors.get(self.root + name)
        if len(found.shape) != len(shape) or any(
            want is not None and want != have for want, have in zip(shape, found.shape, strict=True)
        ):
            said = ", ".join("any" if size is None else str(size) for size in shape)
            raise ModelError(
                f"{self.tensors.path}: {self.root + name} has the shape {list(found.shape)}, but config.json asks for "
                f"[{said}]; use the config.json of these weights"
            )
        return found

    def constant(self, value: NDArray[Any]) -> str:
        numpy_helper = onnx_library().numpy_helper

        self.held += value.nbytes
        if self.held > LARGEST:
            raise ModelError(
                f"{self.tensors.path} is too large for a graph of {self.precision} numbers, which may have 2 GB; "
                + ('set "precision": "int8" in engramma.json, or ' if self.precision == "fp32" else "")
                + "use an ONNX export of the model"
            )
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        helper = onnx_library().helper

        name = f"n{len(self.nodes)}"
        names = [name] + [f"{name}_{more}" for more in range(1, outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return name


def number_in(config: Mapping[str, Any], key: str, default: float | None = None) -> float:
    """A positive number of config.json."""
    value = config.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ModelError(f"config.json lacks a usable {key!r} (it has {str(value)[:40]}); copy the weights' own")
    return value


def whole_in(config: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A positive whole number of config.json."""
    value = number_in(config, key, default)
    if value != int(value):
        raise ModelError(f"config.json: {key} must be a whole number, not {value}; copy the weights' own")
    return int(value)


def head_width(heads: int, hidden: int) -> int:
    if hidden % heads:
        raise ModelError(f"config.json: {heads} heads do not divide hidden_size {hidden}")
    return hidden // heads


def add_norm(draft: GraphDraft, value: str, name: str, size: int, epsilon: float, *, bias: bool = True) -> str:
    parts = [draft.constant(draft.weight(f"{name}.weight", size))]
    if bias:
        parts.append(draft.constant(draft.weight(f"{name}.bias", size)))
    return draft.op("LayerNormalization", value, *parts, axis=-1, epsilon=epsilon)


def add_linear(draft: GraphDraft, value: str, matrix: NDArray[np.float32], bias: NDArray[np.float32] | None) -> str:
    """The value times a matrix of (inputs, outputs), plus the bias."""
    if draft.precision == "fp32":
        product = draft.op("MatMul", value, draft.constant(matrix))
    else:
        product = _add_int8(draft, value, matrix)
    return product if bias is None else draft.op("Add", product, draft.constant(bias))


def _add_int8(draft: GraphDraft, value: str, matrix: NDArray[np.float32]) -> str:
    # Every token gets its own activation scale: one scale for the whole tensor lets one outlier token
    # coarsen all others (on all-mpnet-base-v2 the cosine to the exact vector falls from .996 to .92) and ties
    # a text to what it is batched with.
    steps, whole = quantized(matrix, axis=0)
    peak = draft.op("ReduceMax", draft.op("Abs", value), draft.constant(np.array([-1], np.int64)), keepdims=1)
    step = draft.op("Div", peak, draft.constant(np.array([127], np.float32)))
    step = draft.op("Max", step, draft.constant(TINY))
    signed = draft.op("Round", draft.op("Div", value, step))
    # Unsigned, with both zero points given: the form that the runtime can keep from overflow on x86 without
    # VNNI, by making the weights unsigned too (see session.x64quantprecision in onnx.py).
    shifted = draft.op("Add", signed, draft.constant(np.array([128], np.float32)))
    small = draft.op("Cast", shifted, to=UINT8)
    zeros = draft.constant(np.array(128, np.uint8)), draft.constant(np.array(0, np.int8))
    product = draft.op("MatMulInteger", small, draft.constant(whole), *zeros)
    # Two multiplications, in this order: the runtime fuses Mul(product, Mul(step, steps)) into an operator
    # that takes one activation scale for the whole tensor.
    columns = draft.op("Mul", draft.op("Cast", product, to=FLOAT), draft.constant(steps[0]))
    return draft.op("Mul", columns, step)


def add_lookup(draft: GraphDraft, table: NDArray[np.float32]) -> str:
    """The table's row of every token."""
    if draft.precision == "fp32":
        return draft.op("Gather", draft.constant(table), "input_ids")
    steps, whole = quantized(table, axis=1)
    rows = draft.op("Cast", draft.op("Gather", draft.constant(whole), "input_ids"), to=FLOAT)
    return draft.op("Mul", rows, draft.op("Gather", draft.constant(steps), "input_ids"))


def add_padding_mask(draft: GraphDraft) -> str:
    """What is added to every score, (batch, 1, 1, tokens): nothing for a token, very little for padding."""
    mask = draft.op("Cast", "attention_mask", to=FLOAT)
    mask = draft.op("Unsqueeze", mask, draft.constant(np.array([1, 2], np.int64)))
    one, low = draft.constant(np.array([1], np.float32)), draft.constant(np.array([MASKED]))
    return draft.op("Mul", draft.op("Sub", one, mask), low)


def add_positions(draft: GraphDraft) -> str:
    """The numbers of the tokens, from 0."""
    first = draft.constant(np.array(0, np.int64))
    tokens = draft.op("Squeeze", draft.op("Shape", "input_ids", start=1, end=2))
    return draft.op("Range", first, tokens, draft.constant(np.array(1, np.int64)))


def add_distances(draft: GraphDraft, positions: str) -> str:
    """How far every token, across, stands from every token, down: (tokens, tokens)."""
    keys = draft.op("Unsqueeze", positions, draft.constant(np.array([0], np.int64)))
    queries = draft.op("Unsqueeze", positions, draft.constant(np.array([1], np.int64)))
    return draft.op("Sub", keys, queries)


def add_attention(draft: GraphDraft, query: str, key: str, value: str, bias: str, hidden: int) -> str:
    """Mixes the values, all by head; `query` is scaled and `key` transposed already."""
    scores = draft.op("Add", draft.op("MatMul", query, key), bias)
    mixed = draft.op("MatMul", draft.op("Softmax", scores, axis=-1), value)
    flat = draft.constant(np.array([0, 0, hidden], np.int64))
    return draft.op("Reshape", draft.op("Transpose", mixed, perm=[0, 2, 1, 3]), flat)


def quantized(values: NDArray[np.float32], axis: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Symmetric int8 with one step size per channel; `axis` is the one that a channel runs along."""
    peaks = np.abs(values).max(axis=axis, keepdims=True)
    steps = np.maximum(peaks / np.float32(127), TINY)
    return steps.astype(np.float32), np.rint(values / steps).astype(np.int8)

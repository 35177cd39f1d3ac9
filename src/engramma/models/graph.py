"""Builds the ONNX graph of a BERT or MPNet encoder from its safetensors weights, so that no torch is needed.

The graph takes `input_ids` and `attention_mask`, both (batch, tokens), and gives `last_hidden_state`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .safetensors import Tensors, open_tensors

Precision = Literal["fp32", "int8"]

INPUTS = ("input_ids", "attention_mask")
GRAPH_VERSION = 1  # part of the cached file's name; raise it when the same weights would give another graph
OPSET = 20  # the first with Gelu
IR_VERSION = 9  # the oldest that carries this opset, so that older runtimes load it
MASKED = np.float32(-1e9)  # added before the softmax: far below any score, far above float32's overflow
TINY = np.array([1e-12], np.float32)  # keeps an all-zero row or channel from being divided by zero
FLOAT, UINT8 = 1, 2  # ONNX's numbers for its tensor types
MPNET_MAX_DISTANCE = 128  # MPNet's farthest bucket; fixed in the architecture, not in config.json
MPNET_FIRST_POSITION = 2  # rows 0 and 1 of its position table stand for padding


@dataclass(frozen=True, slots=True)
class _Names:
    """Where an architecture keeps a layer's parts, below `encoder.layer.N.`."""

    query: str
    key: str
    value: str
    out: str
    norm: str


NAMES = {
    "bert": _Names(
        query="attention.self.query",
        key="attention.self.key",
        value="attention.self.value",
        out="attention.output.dense",
        norm="attention.output.LayerNorm",
    ),
    "mpnet": _Names(
        query="attention.attn.q",
        key="attention.attn.k",
        value="attention.attn.v",
        out="attention.attn.o",
        norm="attention.LayerNorm",
    ),
}


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """What config.json says about an encoder, as far as the graph needs it."""

    model_type: str
    layers: int
    heads: int
    hidden: int
    positions: int
    epsilon: float
    buckets: int


@dataclass(slots=True)
class _Draft:
    """A graph in the making: nodes and constants, in order."""

    tensors: Tensors
    root: str
    precision: Precision
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def weight(self, name: str) -> NDArray[np.float32]:
        return self.tensors.get(self.root + name)

    def constant(self, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def build_onnx_graph(weights: Path, config: Mapping[str, Any], precision: Precision = "fp32") -> bytes:
    """The serialised graph of the weights, with the weights inside."""
    from onnx import TensorProto, helper

    shape = read_shape(config)
    tensors = open_tensors(weights)
    root = "" if "embeddings.word_embeddings.weight" in tensors else f"{shape.model_type}."
    draft = _Draft(tensors, root, precision)
    int64, float32 = TensorProto.INT64, TensorProto.FLOAT
    hidden = _embeddings(draft, shape)
    bias = _attention_bias(draft, shape)
    for layer in range(shape.layers):
        hidden = _layer(draft, shape, layer, hidden, bias)
    draft.nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
    graph = helper.make_graph(
        draft.nodes,
        "encoder",
        [helper.make_tensor_value_info(name, int64, ["batch", "tokens"]) for name in INPUTS],
        [helper.make_tensor_value_info("last_hidden_state", float32, ["batch", "tokens", shape.hidden])],
        draft.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    return bytes(model.SerializeToString())


def read_shape(config: Mapping[str, Any]) -> EncoderShape:
    """Checks that config.json describes an encoder that this module can build."""
    kind = config.get("model_type")
    if kind not in NAMES:
        raise ModelError(
            f"cannot build a graph from safetensors for the architecture {kind!r}, only for "
            f"{' and '.join(NAMES)}; export the model to ONNX and put model.onnx into the folder"
        )
    for key, only in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
        if config.get(key, only) != only:
            raise ModelError(f"{key} {config[key]!r} is not supported, only {only!r}; export it to ONNX instead")
    try:
        shape = EncoderShape(
            model_type=kind,
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            hidden=int(config["hidden_size"]),
            positions=int(config["max_position_embeddings"]),
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
            buckets=int(config.get("relative_attention_num_buckets", 32)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"config.json lacks a usable {error}; copy the weights' own") from error
    if shape.heads < 1 or shape.hidden % shape.heads:
        raise ModelError(f"config.json: {shape.heads} heads do not divide hidden_size {shape.hidden}")
    return shape


def _embeddings(draft: _Draft, shape: EncoderShape) -> str:
    positions = draft.weight("embeddings.position_embeddings.weight")
    if shape.model_type == "bert":  # every token of a lone text is of the first token type
        positions = positions + draft.weight("embeddings.token_type_embeddings.weight")[0]
    else:
        positions = positions[MPNET_FIRST_POSITION:]
    words = _lookup(draft, draft.weight("embeddings.word_embeddings.weight"))
    tokens = draft.op("Shape", "input_ids", start=1, end=2)
    zero = draft.constant(np.array([0], np.int64))
    here = draft.op("Slice", draft.constant(positions), zero, tokens, zero)
    return _norm(draft, shape, draft.op("Add", words, here), "embeddings.LayerNorm")


def _attention_bias(draft: _Draft, shape: EncoderShape) -> str:
    """What is added to every layer's scores: the padding mask and, for MPNet, the relative positions."""
    mask = draft.op("Cast", "attention_mask", to=FLOAT)
    mask = draft.op("Unsqueeze", mask, draft.constant(np.array([1, 2], np.int64)))
    one, low = draft.constant(np.array([1], np.float32)), draft.constant(np.array([MASKED]))
    padding = draft.op("Mul", draft.op("Sub", one, mask), low)
    if shape.model_type == "bert":
        return padding
    reach = shape.positions
    table = draft.weight("encoder.relative_attention_bias.weight")
    by_distance = table[relative_buckets(np.arange(-reach, reach + 1), shape.buckets)]
    axis = draft.constant(np.array(0, np.int64))
    tokens = draft.op("Squeeze", draft.op("Shape", "input_ids", start=1, end=2))
    steps = draft.op("Range", axis, tokens, draft.constant(np.array(1, np.int64)))
    keys = draft.op("Unsqueeze", steps, draft.constant(np.array([0], np.int64)))
    queries = draft.op("Unsqueeze", steps, draft.constant(np.array([1], np.int64)))
    distance = draft.op("Add", draft.op("Sub", keys, queries), draft.constant(np.array(reach, np.int64)))
    bias = draft.op("Gather", draft.constant(by_distance), distance, axis=0)
    by_head = draft.op("Transpose", bias, perm=[2, 0, 1])  # broadcast over the batch when the mask is added
    return draft.op("Add", by_head, padding)


def relative_buckets(distance: NDArray[np.int64], buckets: int) -> NDArray[np.int64]:
    """MPNet's bucket of a distance (key minus query): near ones exactly, far ones logarithmically."""
    half = buckets // 2
    exact = half // 2
    size = np.abs(distance)
    # float32, as the models were trained: in float64 a distance on a boundary could fall into the next bucket
    ratio = np.log(np.maximum(size, 1).astype(np.float32) / np.float32(exact))
    share = ratio / np.float32(math.log(MPNET_MAX_DISTANCE / exact))
    far = exact + (share * np.float32(half - exact)).astype(np.int64)
    bucket = np.where(size < exact, size, np.minimum(far, half - 1))
    return bucket + np.where(distance > 0, half, 0)


def _layer(draft: _Draft, shape: EncoderShape, layer: int, hidden: str, bias: str) -> str:
    names, below = NAMES[shape.model_type], f"encoder.layer.{layer}."
    width = shape.hidden // shape.heads
    split = draft.constant(np.array([0, 0, shape.heads, width], np.int64))

    def part(name: str, perm: list[int], scale: float = 1.0) -> str:
        projected = _linear(draft, hidden, below + name, scale)
        return draft.op("Transpose", draft.op("Reshape", projected, split), perm=perm)

    query = part(names.query, [0, 2, 1, 3], scale=1 / math.sqrt(width))  # scaled once, in the weights
    key = part(names.key, [0, 2, 3, 1])
    value = part(names.value, [0, 2, 1, 3])
    scores = draft.op("Add", draft.op("MatMul", query, key), bias)
    mixed = draft.op("MatMul", draft.op("Softmax", scores, axis=-1), value)
    flat = draft.constant(np.array([0, 0, shape.hidden], np.int64))
    mixed = draft.op("Reshape", draft.op("Transpose", mixed, perm=[0, 2, 1, 3]), flat)
    attended = draft.op("Add", _linear(draft, mixed, below + names.out), hidden)
    attended = _norm(draft, shape, attended, below + names.norm)
    inner = draft.op("Gelu", _linear(draft, attended, below + "intermediate.dense"))
    outer = _linear(draft, inner, below + "output.dense")
    return _norm(draft, shape, draft.op("Add", outer, attended), below + "output.LayerNorm")


def _norm(draft: _Draft, shape: EncoderShape, value: str, name: str) -> str:
    scale, bias = draft.constant(draft.weight(f"{name}.weight")), draft.constant(draft.weight(f"{name}.bias"))
    return draft.op("LayerNormalization", value, scale, bias, axis=-1, epsilon=shape.epsilon)


def _linear(draft: _Draft, value: str, name: str, scale: float = 1.0) -> str:
    matrix = draft.weight(f"{name}.weight").T * np.float32(scale)
    bias = draft.constant(draft.weight(f"{name}.bias") * np.float32(scale))
    if draft.precision == "fp32":
        return draft.op("Add", draft.op("MatMul", value, draft.constant(matrix)), bias)
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
    return draft.op("Add", draft.op("Mul", columns, step), bias)


def _lookup(draft: _Draft, table: NDArray[np.float32]) -> str:
    if draft.precision == "fp32":
        return draft.op("Gather", draft.constant(table), "input_ids")
    steps, whole = quantized(table, axis=1)
    rows = draft.op("Cast", draft.op("Gather", draft.constant(whole), "input_ids"), to=FLOAT)
    return draft.op("Mul", rows, draft.op("Gather", draft.constant(steps), "input_ids"))


def quantized(values: NDArray[np.float32], axis: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Symmetric int8 with one step size per channel; `axis` is the one that a channel runs along."""
    peaks = np.abs(values).max(axis=axis, keepdims=True)
    steps = np.maximum(peaks / np.float32(127), TINY)
    return steps.astype(np.float32), np.rint(values / steps).astype(np.int8)

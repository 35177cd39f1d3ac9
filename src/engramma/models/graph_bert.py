"""The graph of BERT and its kin: RoBERTa, XLM-RoBERTa and MPNet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .graph_parts import (
    GraphDraft,
    add_attention,
    add_distances,
    add_linear,
    add_lookup,
    add_norm,
    add_padding_mask,
    add_positions,
    head_width,
    number_in,
    whole_in,
)

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


BERT_NAMES = _Names(
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    out="attention.output.dense",
    norm="attention.output.LayerNorm",
)
MPNET_NAMES = _Names(
    query="attention.attn.q",
    key="attention.attn.k",
    value="attention.attn.v",
    out="attention.attn.o",
    norm="attention.LayerNorm",
)
# The kinds that this module builds, with the name that tools save the encoder of a larger model under.
ROOTS = {"bert": "bert.", "roberta": "roberta.", "xlm-roberta": "roberta.", "mpnet": "mpnet."}


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
    first: int  # row of the position table that the first token gets


def first_position(config: Mapping[str, Any]) -> int:
    """The row of the position table that a text's first token gets. RoBERTa's kin keep rows for padding."""
    kind = config.get("model_type")
    if kind in ("roberta", "xlm-roberta"):
        padding = config.get("pad_token_id", 1)
        if isinstance(padding, bool) or not isinstance(padding, int) or padding < 0:
            raise ModelError("config.json lacks a usable 'pad_token_id'; copy the weights' own")
        return padding + 1
    return MPNET_FIRST_POSITION if kind == "mpnet" else 0


def read_shape(config: Mapping[str, Any]) -> EncoderShape:
    """Checks that config.json describes an encoder that this module can build."""
    for key, only in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
        if config.get(key, only) != only:
            raise ModelError(f"{key} {config[key]!r} is not supported, only {only!r}; export it to ONNX instead")
    shape = EncoderShape(
        model_type=str(config["model_type"]),
        layers=whole_in(config, "num_hidden_layers"),
        heads=whole_in(config, "num_attention_heads"),
        hidden=whole_in(config, "hidden_size"),
        positions=whole_in(config, "max_position_embeddings"),
        epsilon=number_in(config, "layer_norm_eps", 1e-12),
        buckets=whole_in(config, "relative_attention_num_buckets", 32),
        first=first_position(config),
    )
    head_width(shape.heads, shape.hidden)
    return shape


def draw_bert(draft: GraphDraft, shape: EncoderShape) -> str:
    """Draws the whole encoder; returns the name of its output."""
    hidden = _embeddings(draft, shape)
    bias = _attention_bias(draft, shape)
    for layer in range(shape.layers):
        hidden = _layer(draft, shape, layer, hidden, bias)
    return hidden


def _embeddings(draft: GraphDraft, shape: EncoderShape) -> str:
    positions = draft.weight("embeddings.position_embeddings.weight", shape.positions, shape.hidden)[shape.first :]
    if shape.model_type != "mpnet":  # every token of a lone text is of the first token type
        positions = positions + draft.weight("embeddings.token_type_embeddings.weight", None, shape.hidden)[0]
    words = add_lookup(draft, draft.weight("embeddings.word_embeddings.weight", None, shape.hidden))
    tokens = draft.op("Shape", "input_ids", start=1, end=2)
    zero = draft.constant(np.array([0], np.int64))
    here = draft.op("Slice", draft.constant(positions), zero, tokens, zero)
    return _norm(draft, shape, draft.op("Add", words, here), "embeddings.LayerNorm")


def _attention_bias(draft: GraphDraft, shape: EncoderShape) -> str:
    """What is added to every layer's scores: the padding mask and, for MPNet, the relative positions."""
    padding = add_padding_mask(draft)
    if shape.model_type != "mpnet":
        return padding
    reach = shape.positions
    table = draft.weight("encoder.relative_attention_bias.weight", shape.buckets, shape.heads)
    by_distance = table[relative_buckets(np.arange(-reach, reach + 1), shape.buckets)]
    distance = add_distances(draft, add_positions(draft))
    distance = draft.op("Add", distance, draft.constant(np.array(reach, np.int64)))
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


def _layer(draft: GraphDraft, shape: EncoderShape, layer: int, hidden: str, bias: str) -> str:
    names, below = MPNET_NAMES if shape.model_type == "mpnet" else BERT_NAMES, f"encoder.layer.{layer}."
    width, size = head_width(shape.heads, shape.hidden), shape.hidden
    split = draft.constant(np.array([0, 0, shape.heads, width], np.int64))

    def part(name: str, perm: list[int], scale: float = 1.0) -> str:
        projected = _linear(draft, hidden, below + name, size, size, scale)
        return draft.op("Transpose", draft.op("Reshape", projected, split), perm=perm)

    query = part(names.query, [0, 2, 1, 3], scale=1 / math.sqrt(width))  # scaled once, in the weights
    key = part(names.key, [0, 2, 3, 1])
    value = part(names.value, [0, 2, 1, 3])
    mixed = add_attention(draft, query, key, value, bias, size)
    attended = draft.op("Add", _linear(draft, mixed, below + names.out, size, size), hidden)
    attended = _norm(draft, shape, attended, below + names.norm)
    inner = draft.op("Gelu", _linear(draft, attended, below + "intermediate.dense", size, None))
    outer = _linear(draft, inner, below + "output.dense", None, size)
    return _norm(draft, shape, draft.op("Add", outer, attended), below + "output.LayerNorm")


def _norm(draft: GraphDraft, shape: EncoderShape, value: str, name: str) -> str:
    return add_norm(draft, value, name, shape.hidden, shape.epsilon)


def _linear(
    draft: GraphDraft, value: str, name: str, inputs: int | None, outputs: int | None, scale: float = 1.0
) -> str:
    matrix = draft.weight(f"{name}.weight", outputs, inputs).T * np.float32(scale)
    return add_linear(draft, value, matrix, draft.weight(f"{name}.bias", matrix.shape[1]) * np.float32(scale))

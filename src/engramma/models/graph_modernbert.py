"""The graph of ModernBERT: rotary positions, local and global attention, gated layers, norms first.

Warner et al. 2024, "Smarter, Better, Faster, Longer". Names and formulas are those of `transformers`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .graph_parts import (
    FLOAT,
    MASKED,
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

ROOT = "model."  # what tools save the encoder of a larger model under
GLOBAL, LOCAL = "full_attention", "sliding_attention"
THETAS = {GLOBAL: ("global_rope_theta", 160_000.0), LOCAL: ("local_rope_theta", 10_000.0)}
TANH = ("gelu_new", "gelu_pytorch_tanh")  # two names of Gelu's approximation
ACTIVATIONS = ("gelu", "silu", "relu", *TANH)


@dataclass(frozen=True, slots=True)
class ModernShape:
    """What config.json says about a ModernBERT, as far as the graph needs it."""

    heads: int
    hidden: int
    inner: int
    epsilon: float
    activation: str
    reach: int  # how far a token sees to either side where attention is local
    kinds: tuple[str, ...]  # of attention, one a layer
    thetas: tuple[tuple[str, float], ...]  # the base of the rotation, by kind
    norm_bias: bool
    attention_bias: bool
    mlp_bias: bool


def read_modern_shape(config: Mapping[str, Any]) -> ModernShape:
    """Checks that config.json describes a ModernBERT that this module can build."""
    activation = config.get("hidden_activation", "gelu")
    if activation not in ACTIVATIONS:
        raise ModelError(
            f"hidden_activation {activation!r} is not supported, only {', '.join(ACTIVATIONS)}; "
            "export it to ONNX instead"
        )
    heads, hidden = whole_in(config, "num_attention_heads"), whole_in(config, "hidden_size")
    width = head_width(heads, hidden)
    if width % 2:
        raise ModelError(f"config.json: heads of {width} numbers cannot be rotated in pairs; copy the weights' own")
    if config.get("head_dim") not in (None, width):
        raise ModelError(f"head_dim {config['head_dim']!r} is not supported, only {width}; export it to ONNX instead")
    kinds = _kinds(config)
    return ModernShape(
        heads=heads,
        hidden=hidden,
        inner=whole_in(config, "intermediate_size"),
        epsilon=number_in(config, "norm_eps", 1e-5),
        activation=activation,
        reach=whole_in(config, "local_attention", 128) // 2,
        kinds=kinds,
        thetas=tuple((kind, _theta(config, kind)) for kind in sorted(set(kinds))),
        norm_bias=config.get("norm_bias") is True,
        attention_bias=config.get("attention_bias") is True,
        mlp_bias=config.get("mlp_bias") is True,
    )


def _kinds(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Which layers look at the whole text: newer files list them, older ones say every how many."""
    layers = whole_in(config, "num_hidden_layers")
    listed = config.get("layer_types")
    if listed is None:
        every = whole_in(config, "global_attn_every_n_layers", 3)
        # Weights without so many layers are found out at the first that is missing.
        return tuple(LOCAL if layer % every else GLOBAL for layer in range(min(layers, 10_000)))
    if not isinstance(listed, list) or len(listed) != layers or not all(kind in (GLOBAL, LOCAL) for kind in listed):
        raise ModelError(
            f"config.json: layer_types must name {GLOBAL} or {LOCAL} for each of {layers} layers; copy the weights' own"
        )
    return tuple(listed)


def _theta(config: Mapping[str, Any], kind: str) -> float:
    """The base of the rotation, where files of either age keep it."""
    nested = config.get("rope_parameters")
    nested = nested.get(kind) if isinstance(nested, dict) else None
    nested = nested if isinstance(nested, dict) else {}
    scaling = config.get("rope_scaling") or nested.get("rope_type", "default")
    if scaling not in ("default", {"rope_type": "default"}):
        raise ModelError(f"scaled rotary positions ({str(scaling)[:80]}) are not supported; export it to ONNX instead")
    key, usual = THETAS[kind]
    if "rope_theta" in nested:
        return number_in(nested, "rope_theta")
    if kind == LOCAL and key in config and config[key] is None:  # as they were first published
        return _theta(config, GLOBAL)
    return number_in(config, key, usual)


def draw_modernbert(draft: GraphDraft, shape: ModernShape) -> str:
    """Draws the whole encoder; returns the name of its output."""
    words = add_lookup(draft, draft.weight("embeddings.tok_embeddings.weight", None, shape.hidden))
    hidden = _norm(draft, shape, words, "embeddings.norm")
    positions = add_positions(draft)
    turns = {kind: _rotation(draft, shape, positions, theta) for kind, theta in shape.thetas}
    biases = {GLOBAL: add_padding_mask(draft)}
    if LOCAL in shape.kinds:
        biases[LOCAL] = _local_bias(draft, shape, positions, biases[GLOBAL])
    for layer, kind in enumerate(shape.kinds):
        hidden = _layer(draft, shape, layer, hidden, biases[kind], turns[kind])
    return _norm(draft, shape, hidden, "final_norm")


def _rotation(draft: GraphDraft, shape: ModernShape, positions: str, theta: float) -> tuple[str, str]:
    """The cosines and sines of every position, (tokens, half a head)."""
    width = head_width(shape.heads, shape.hidden)
    slow = np.float32(1) / np.float32(theta) ** (np.arange(0, width, 2, dtype=np.float32) / np.float32(width))
    down = draft.op("Unsqueeze", draft.op("Cast", positions, to=FLOAT), draft.constant(np.array([1], np.int64)))
    angles = draft.op("Mul", down, draft.constant(slow.astype(np.float32)))
    return draft.op("Cos", angles), draft.op("Sin", angles)


def _local_bias(draft: GraphDraft, shape: ModernShape, positions: str, padding: str) -> str:
    """The padding mask, and very little for what stands farther away than the window reaches."""
    distance = draft.op("Abs", add_distances(draft, positions))
    far = draft.op("Greater", distance, draft.constant(np.array(shape.reach, np.int64)))
    far = draft.op("Mul", draft.op("Cast", far, to=FLOAT), draft.constant(np.array([MASKED])))
    return draft.op("Add", padding, far)


def _layer(draft: GraphDraft, shape: ModernShape, layer: int, hidden: str, bias: str, turn: tuple[str, str]) -> str:
    below, size = f"layers.{layer}.", shape.hidden
    width = head_width(shape.heads, size)
    split = draft.constant(np.array([0, 0, shape.heads, width], np.int64))
    # The first layer's norm would repeat the embeddings': there is none.
    normed = hidden if layer == 0 else _norm(draft, shape, hidden, below + "attn_norm")
    scale = np.ones(3 * size, np.float32)
    scale[:size] = 1 / math.sqrt(width)  # queries are scaled once, in the weights
    fused = _linear(draft, normed, below + "attn.Wqkv", size, 3 * size, shape.attention_bias, scale)
    parts = draft.op("Split", fused, outputs=3, axis=-1, num_outputs=3)

    def head(name: str) -> str:
        return draft.op("Transpose", draft.op("Reshape", name, split), perm=[0, 2, 1, 3])

    query, key = (_rotated(draft, head(name), turn) for name in (parts, f"{parts}_1"))
    key = draft.op("Transpose", key, perm=[0, 1, 3, 2])
    mixed = add_attention(draft, query, key, head(f"{parts}_2"), bias, size)
    hidden = draft.op("Add", hidden, _linear(draft, mixed, below + "attn.Wo", size, size, shape.attention_bias))
    normed = _norm(draft, shape, hidden, below + "mlp_norm")
    wide = _linear(draft, normed, below + "mlp.Wi", size, 2 * shape.inner, shape.mlp_bias)
    inner = draft.op("Split", wide, outputs=2, axis=-1, num_outputs=2)
    gated = draft.op("Mul", _activated(draft, inner, shape.activation), f"{inner}_1")
    return draft.op("Add", hidden, _linear(draft, gated, below + "mlp.Wo", shape.inner, size, shape.mlp_bias))


def _rotated(draft: GraphDraft, value: str, turn: tuple[str, str]) -> str:
    """Turns the pairs that a head's first and second half make by their position's angles."""
    cosines, sines = turn
    first = draft.op("Split", value, outputs=2, axis=-1, num_outputs=2)
    second = f"{first}_1"
    left = draft.op("Sub", draft.op("Mul", first, cosines), draft.op("Mul", second, sines))
    right = draft.op("Add", draft.op("Mul", second, cosines), draft.op("Mul", first, sines))
    return draft.op("Concat", left, right, axis=-1)


def _activated(draft: GraphDraft, value: str, activation: str) -> str:
    if activation == "silu":
        return draft.op("Mul", value, draft.op("Sigmoid", value))
    if activation == "relu":
        return draft.op("Relu", value)
    return draft.op("Gelu", value, approximate="tanh" if activation in TANH else "none")


def _norm(draft: GraphDraft, shape: ModernShape, value: str, name: str) -> str:
    bias = shape.norm_bias or draft.has(f"{name}.bias")
    return add_norm(draft, value, name, shape.hidden, shape.epsilon, bias=bias)


def _linear(
    draft: GraphDraft,
    value: str,
    name: str,
    inputs: int,
    outputs: int,
    biased: bool,
    scale: NDArray[np.float32] | None = None,
) -> str:
    matrix = draft.weight(f"{name}.weight", outputs, inputs).T
    bias = draft.weight(f"{name}.bias", outputs) if biased or draft.has(f"{name}.bias") else None
    if scale is not None:
        matrix, bias = matrix * scale, None if bias is None else bias * scale
    return add_linear(draft, value, matrix, bias)

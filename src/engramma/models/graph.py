"""Builds the ONNX graph of an encoder from its safetensors weights, so that no torch is needed.

The graph takes `input_ids` and `attention_mask`, both (batch, tokens), and gives `last_hidden_state`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ModelError
from .graph_bert import ROOTS, EncoderShape, draw_bert, read_shape
from .graph_modernbert import ROOT, ModernShape, draw_modernbert, read_modern_shape
from .graph_parts import GraphDraft, onnx_library
from .safetensors import open_tensors
from .settings import Precision

INPUTS = ("input_ids", "attention_mask")
GRAPH_VERSION = 1  # part of the cached file's name; raise it when the same weights would give another graph
OPSET = 20  # the first with Gelu
IR_VERSION = 9  # the oldest that carries this opset, so that older runtimes load it
ARCHITECTURES = (*ROOTS, "modernbert")


def encoder_shape(config: Mapping[str, Any]) -> EncoderShape | ModernShape:
    """What config.json says, checked; an architecture that cannot be built is refused."""
    kind = config.get("model_type")
    if kind == "modernbert":
        return read_modern_shape(config)
    if isinstance(kind, str) and kind in ROOTS:
        return read_shape(config)
    raise ModelError(
        f"cannot build a graph from safetensors for the architecture {kind!r}, only for "
        f"{', '.join(ARCHITECTURES)}; export the model to ONNX and put model.onnx into the folder"
    )


def shape_digest(config: Mapping[str, Any]) -> str:
    """A few letters that tell the graphs of one file of weights under two config.json apart."""
    return hashlib.sha256(repr(encoder_shape(config)).encode()).hexdigest()[:8]


def build_onnx_graph(weights: Path, config: Mapping[str, Any], precision: Precision = "fp32") -> bytes:
    """The serialised graph of the weights, with the weights inside."""
    shape = encoder_shape(config)
    onnx = onnx_library()
    helper = onnx.helper
    tensors = open_tensors(weights)
    if isinstance(shape, ModernShape):
        root = "" if "embeddings.tok_embeddings.weight" in tensors else ROOT
        draft = GraphDraft(tensors, root, precision)
        hidden = draw_modernbert(draft, shape)
    else:
        root = "" if "embeddings.word_embeddings.weight" in tensors else ROOTS[shape.model_type]
        draft = GraphDraft(tensors, root, precision)
        hidden = draw_bert(draft, shape)
    int64, float32 = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
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

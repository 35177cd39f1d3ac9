"""Writes the reader as it ships: the encoder's int8 graph over word vectors that it is given, with its two heads."""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np

from engramma.models import graph
from engramma.models.native import layout_name
from engramma.models.onnx import graph_name

from . import weights
from .export import config_of
from .model import official_name


def official(path: Path, trunk: Path) -> dict[str, np.ndarray]:
    """The encoder's part of the trained weights, under the published names; the words are the trunk's."""
    from . import reader_trunk

    with np.load(path) as archive:
        found = {name: archive[name].astype(np.float32) for name in archive.files}
    found.setdefault("encoder.words.weight", reader_trunk.read(trunk)["words.weight"])
    made = {
        official_name(name.removeprefix("encoder.")): value
        for name, value in found.items()
        if name.startswith("encoder.")
    }
    made["embeddings.token_type_embeddings.weight"] = np.zeros(
        (2, made["embeddings.position_embeddings.weight"].shape[1]), np.float32
    )
    return made


def build(path: Path, trunk: Path) -> bytes:
    """The graph from `embedded` and `attention_mask` to `relevance` and `spans`."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.safetensors"
        weights.write_safetensors(file, official(path, trunk))
        model = onnx.load_from_string(graph.build_onnx_graph(file, config_of(file, 12), "int8"))
    with np.load(path) as archive:
        heads = {name: archive[name].astype(np.float32) for name in archive.files if not name.startswith("encoder.")}
    inner = model.graph
    table = max((c for c in inner.initializer if len(c.dims) == 2), key=lambda c: c.dims[0])
    rows = table.dims[0]
    hidden = inner.node[-1].input[0]
    looked_up = _lookup_output(inner, table.name)
    kept = [n for n in inner.node[:-1] if not _is_lookup(n, inner, table.name, rows)]
    for node in kept:
        for place, name in enumerate(node.input):
            if name == looked_up:
                node.input[place] = "embedded"
            elif name == "input_ids":
                node.input[place] = "attention_mask"  # only its shape is asked for
    constants = [c for c in inner.initializer if rows not in c.dims]
    for name, value in (
        ("relevance.weight", heads["relevance.weight"].T),
        ("relevance.bias", heads["relevance.bias"]),
        ("spans.weight", heads["spans.weight"].T),
        ("spans.bias", heads["spans.bias"]),
        ("zero", np.array(0, np.int64)),
    ):
        constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
    kept += [
        helper.make_node("Gather", [hidden, "zero"], ["first"], axis=1),
        helper.make_node("MatMul", ["first", "relevance.weight"], ["relevance.raw"]),
        helper.make_node("Add", ["relevance.raw", "relevance.bias"], ["relevance"]),
        helper.make_node("MatMul", [hidden, "spans.weight"], ["spans.raw"]),
        helper.make_node("Add", ["spans.raw", "spans.bias"], ["spans"]),
    ]
    width = heads["relevance.weight"].shape[1]
    given = [
        helper.make_tensor_value_info("embedded", TensorProto.FLOAT, ["batch", "tokens", width]),
        helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "tokens"]),
    ]
    wanted = [
        helper.make_tensor_value_info("relevance", TensorProto.FLOAT, ["batch", 1]),
        helper.make_tensor_value_info("spans", TensorProto.FLOAT, ["batch", "tokens", 2]),
    ]
    made = helper.make_graph(kept, "reader", given, wanted, constants)
    opsets = [helper.make_opsetid("", graph.OPSET)]
    return bytes(helper.make_model(made, opset_imports=opsets, ir_version=graph.IR_VERSION).SerializeToString())


def _lookup_output(inner: object, table: str) -> str:
    """What the sum with the positions takes from the words: the product of rows and steps."""
    nodes = list(inner.node)  # type: ignore[attr-defined]
    gather = next(n for n in nodes if n.op_type == "Gather" and n.input[0] == table)
    cast = next(n for n in nodes if gather.output[0] in n.input)
    product = next(n for n in nodes if cast.output[0] in n.input)
    return str(product.output[0])


def _is_lookup(node: object, inner: object, table: str, rows: int) -> bool:
    sizes = {c.name: list(c.dims) for c in inner.initializer}  # type: ignore[attr-defined]
    if node.op_type == "Gather" and sizes.get(node.input[0], [0])[0] == rows:  # type: ignore[attr-defined]
        return True
    gathers = {
        n.output[0]
        for n in inner.node  # type: ignore[attr-defined]
        if n.op_type == "Gather" and sizes.get(n.input[0], [0])[0] == rows
    }
    casts = {n.output[0] for n in inner.node if n.op_type == "Cast" and n.input[0] in gathers}  # type: ignore[attr-defined]
    inputs = set(node.input)  # type: ignore[attr-defined]
    return bool(inputs & gathers or inputs & casts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="what train.reader_run wrote, NAME.npz")
    parser.add_argument("--trunk", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    from .light_graph import light_graph  # these need onnx
    from .network_layout import layout_text

    content = build(options.weights, options.trunk)
    options.out.write_bytes(content)
    options.out.with_name(graph_name(options.out.name)).write_bytes(light_graph(options.out, options.out.name))
    options.out.with_name(layout_name(options.out.name)).write_text(layout_text(options.out), "utf-8")
    print(json.dumps({"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}))


if __name__ == "__main__":
    main()

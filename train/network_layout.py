"""Writes where the arrays of a packaged network stand in its file, for the library that runs it without a graph.

    python -m train.network_layout src/engramma/models/weights/model.int8.onnx ...

The library (native/) knows what a transformer of this kind computes and needs only its numbers: offsets of
little-endian arrays whose sizes follow from the network's shape. What is what is read off the graph; a network with
other products or norms is refused here.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, numpy_helper

from engramma.files.hashing import sha256_of
from engramma.models.native import HEAD, LONGEST, WIDEST, layout_name

PRODUCTS = 6  # of a layer: query, key, value, what joins them, the two of the middle
SCALED = ["Cast", "Mul", "Mul", "Add"]  # what follows each product in the graph: steps of columns, of rows, bias


def network_layout(path: Path) -> dict[str, Any]:
    """The shape of the network in a file, and the places of its arrays in the order in which the library takes them."""
    content = path.read_bytes()
    graph = onnx.load_from_string(content).graph
    constants = {one.name: one for one in graph.initializer}
    nodes = list(graph.node)
    products, norms = list[list[str]](), list[list[str]]()
    for at, node in enumerate(nodes):
        if node.op_type == "MatMulInteger":
            after = nodes[at + 1 : at + 1 + len(SCALED)]
            if [one.op_type for one in after] != SCALED:
                raise ValueError(f"{path}: a product is followed by {[one.op_type for one in after]}, not {SCALED}")
            products.append([node.input[1], _constant_of(after[1], constants), _constant_of(after[3], constants)])
        elif node.op_type == "LayerNormalization":
            norms.append(list(node.input[1:3]))
    hidden, wide = (constants[products[PRODUCTS - 2][0]].dims[place] for place in (0, 1))
    layers = len(products) // PRODUCTS
    if len(norms) != 1 + 2 * layers or hidden % WIDEST or wide % WIDEST:
        raise ValueError(f"{path}: {len(products)} products and {len(norms)} norms are no network of this kind")
    [places] = (name for name, one in constants.items() if list(one.dims) == [LONGEST, hidden])
    names = [places, *norms[0]]
    for layer in range(layers):
        own = products[PRODUCTS * layer : PRODUCTS * (layer + 1)]
        names += [name for product in own[:4] for name in product] + norms[1 + 2 * layer]
        names += [name for product in own[4:] for name in product] + norms[2 + 2 * layer]
    found: dict[str, Any] = {"bytes": len(content), "shape": [layers, hidden, hidden // HEAD, wide]}
    found["arrays"] = [_place(content, constants[name]) for name in names]
    rows = next((one for one in graph.initializer if len(one.dims) == 2 and one.dims[0] > wide), None)
    if rows is not None:
        [steps] = (one for one in graph.initializer if list(one.dims) == [rows.dims[0], 1])
        found["words"] = {"count": rows.dims[0], "rows": _place(content, rows), "steps": _place(content, steps)}
    heads = [name for name in constants if name.endswith((".weight", ".bias"))]
    return found | {"heads": {name: _place(content, constants[name]) for name in sorted(heads)}}


def _constant_of(node: NodeProto, constants: dict[str, Any]) -> str:
    [name] = (name for name in node.input if name in constants)
    return name


def _place(content: bytes, tensor: Any) -> int:
    """Where the bytes of an array stand in the file, or the same bytes before it."""
    raw = numpy_helper.to_array(tensor)
    if raw.dtype not in (np.float32, np.int8) or not tensor.raw_data:
        raise ValueError(f"{tensor.name} is {raw.dtype}, or not stored as bytes")
    return content.index(tensor.raw_data)


def layout_text(path: Path) -> str:
    return json.dumps(network_layout(path)) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", type=Path, nargs="+", help="int8 ONNX files of train.export or train.reader_export")
    for path in parser.parse_args().networks:
        written = path.with_name(layout_name(path.name))
        written.write_text(layout_text(path), "utf-8")
        print(f"{written}: {sha256_of(written)}")


if __name__ == "__main__":
    main()

"""The packaged network in other arithmetic: in floats, and as ONNX Runtime's ordinary dynamic int8."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np

from engramma.models.graph_parts import onnx_library
from engramma.models.onnx import WEIGHTS, runtime
from engramma.models.packaged import MINI_TOKENIZER, MINI_WEIGHTS

FLOAT, INT8 = "fp32.onnx", "dynamic-int8.onnx"
TOKENIZER = WEIGHTS / MINI_TOKENIZER


def write_networks(work: Path) -> None:
    """Both graphs, from the packaged one's weights."""
    (work / FLOAT).write_bytes(float_graph(WEIGHTS / MINI_WEIGHTS))
    runtime()  # quiet before its tools are loaded
    from onnxruntime.quantization import quantize_dynamic

    logging.disable(logging.WARNING)  # its advice to fuse operators first, which most do not follow
    quantize_dynamic(str(work / FLOAT), str(work / INT8))
    logging.disable(logging.NOTSET)


def float_graph(path: Path) -> bytes:
    """The packaged int8 graph as if it had never been one: its weights made floats again, nothing rounded on the way.

    There every product is Cast, Mul, Mul over MatMulInteger of a matrix and a value that was divided by its step,
    rounded and cast; here it is MatMul of the value and the matrix times its steps. The table of words likewise.
    """
    onnx = onnx_library()
    model = onnx.load(str(path))
    graph = model.graph
    constants = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    made_by = {output: node for node in graph.node for output in node.output}
    used_by = {name: node for node in graph.node for name in node.input}
    new: dict[str, Any] = {}  # the output that is made otherwise -> the node that makes it
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            rounded = made_by[made_by[made_by[node.input[0]].input[0]].input[0]]
            value = made_by[rounded.input[0]].input[0]
            scaled = used_by[used_by[node.output[0]].output[0]]
            steps = next(name for name in scaled.input if name in constants)
            matrix = constants[node.input[1]].astype(np.float32) * constants[steps].astype(np.float32)
            last = used_by[scaled.output[0]].output[0]
            new[last] = onnx.helper.make_node("MatMul", [value, f"{node.input[1]}_float"], [last])
            constants[f"{node.input[1]}_float"] = matrix
        elif node.op_type == "Gather" and constants.get(node.input[0], np.empty(0)).dtype == np.int8:
            scaled = used_by[used_by[node.output[0]].output[0]]
            steps = next(
                made_by[name].input[0] for name in scaled.input if name in made_by and made_by[name].op_type == "Gather"
            )
            name, last = f"{node.input[0]}_float", scaled.output[0]
            constants[name] = constants[node.input[0]].astype(np.float32) * constants[steps]
            new[last] = onnx.helper.make_node("Gather", [name, node.input[1]], [last])
    nodes = [new.get(node.output[0], node) for node in graph.node]
    nodes = needed_nodes(nodes, [one.name for one in graph.output])
    names = {name for node in nodes for name in node.input}
    kept = [onnx.numpy_helper.from_array(value, name) for name, value in constants.items() if name in names]
    again = onnx.helper.make_graph(nodes, "encoder", list(graph.input), list(graph.output), kept)
    whole = onnx.helper.make_model(again, opset_imports=model.opset_import, ir_version=model.ir_version)
    return bytes(whole.SerializeToString())


def needed_nodes(nodes: list[Any], outputs: list[str]) -> list[Any]:
    """The nodes that the outputs rest on, in their order."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if wanted & set(node.output):
            wanted |= set(node.input)
            kept.append(node)
    return kept[::-1]

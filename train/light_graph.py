"""Writes the graph that runs a packaged network: the same bits as its own graph, from fewer operators.

The package runs one text at a time, so that the padding mask goes; what stands in the graph several times stands there
once; query, key and value become one product; and one operator rounds a token's inputs. The matrices stay in the
network's file, from where the runtime maps them: a process that starts copies none of them.

    python -m train.light_graph src/engramma/models/weights/model.int8.onnx ...
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from engramma.files.hashing import sha256_of
from engramma.models.graph_parts import FLOAT, UINT8
from engramma.models.onnx_weights import read_weights
from engramma.models.packaged import graph_name

MASK = "attention_mask"
HELD = 4096  # bytes of a matrix that stays in the network's file; smaller constants are copied
SHIFT = 128  # of a rounded input, which is unsigned


class LightGraph:
    """A network's graph while it is made lighter: its nodes in order, and its constants by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = onnx.load(str(path))
        self.nodes: list[NodeProto] = list(self.model.graph.node)
        self.constants: dict[str, TensorProto] = {one.name: one for one in self.model.graph.initializer}
        self.text = next(given.name for given in self.model.graph.input if given.name != MASK)
        self._made = 0

    def name(self) -> str:
        self._made += 1
        return f"light{self._made}"

    def constant(self, value: np.ndarray) -> str:
        name = self.name()
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, kind: str, *inputs: str, outputs: Sequence[str] = (), **attributes: Any) -> NodeProto:
        return helper.make_node(kind, list(inputs), list(outputs) or [self.name()], **attributes)

    def rename(self, renamed: dict[str, str]) -> None:
        """Lets every node that takes a name take what it stands for."""
        for node in self.nodes:
            for place, name in enumerate(node.input):
                while name in renamed:
                    name = renamed[name]
                node.input[place] = name

    def takers(self) -> dict[str, list[NodeProto]]:
        found: dict[str, list[NodeProto]] = defaultdict(list)
        for node in self.nodes:
            for name in node.input:
                found[name].append(node)
        return found

    def drop(self, dropped: Iterable[NodeProto]) -> None:
        gone = {id(node) for node in dropped}
        self.nodes = [node for node in self.nodes if id(node) not in gone]


def leave_out_mask(graph: LightGraph) -> None:
    """Adds nothing to the scores, which is what a mask of ones adds; its shape is the text's."""
    masking = {MASK}
    renamed, dropped = dict[str, str](), list[NodeProto]()
    for node in graph.nodes:
        if not masking & set(node.input):
            continue
        if node.op_type == "Shape":
            node.input[0] = graph.text
        elif node.op_type == "Add":
            [renamed[node.output[0]]] = set(node.input) - masking
            dropped.append(node)
        else:
            masking.add(node.output[0])
            dropped.append(node)
    graph.drop(dropped)
    graph.rename(renamed)


def say_once(graph: LightGraph) -> None:
    """Keeps one of the constants, and of the nodes, that are alike.

    But for int8 constants: on x86 without VNNI the runtime makes every product's weights and their zero anew, unsigned,
    and refuses to make one zero twice.
    """
    renamed, kept = dict[str, str](), dict[Any, str]()
    for name, constant in graph.constants.items():
        if len(constant.raw_data) <= HELD and constant.data_type != TensorProto.INT8:
            first = kept.setdefault((constant.data_type, tuple(constant.dims), constant.raw_data), name)
            renamed |= {name: first} if first != name else {}
    graph.rename(renamed)
    dropped, again = list[NodeProto](), dict[str, str]()
    for node in graph.nodes:
        inputs = tuple(again.get(name, name) for name in node.input)
        key = (node.op_type, inputs, tuple(one.SerializeToString() for one in node.attribute))
        first = kept.setdefault(key, node.output[0])
        if first != node.output[0]:
            again[node.output[0]] = first
            dropped.append(node)
    graph.drop(dropped)
    graph.rename(again)


def round_at_once(graph: LightGraph) -> None:
    """Divides, rounds, shifts and casts a token's inputs by one operator, with each token's own step."""
    takers, made = graph.takers(), list[NodeProto]()
    tokens = graph.node("Shape", graph.text, start=1, end=2)
    shifts = graph.node("Expand", graph.constant(np.array([SHIFT], np.uint8)), tokens.output[0])
    in_a_row = graph.constant(np.array([-1], np.int64))
    dropped = list[NodeProto]()
    for node in graph.nodes:
        follow = _followed(node, takers, ("Round", "Add", "Cast")) if node.op_type == "Div" else []
        if follow and helper.get_attribute_value(follow[-1].attribute[0]) == UINT8:
            steps = graph.node("Reshape", node.input[1], in_a_row)
            rounded = (node.input[0], steps.output[0], shifts.output[0])
            made += [steps, graph.node("QuantizeLinear", *rounded, outputs=follow[-1].output, axis=1)]
            dropped += [node, *follow]
        else:
            made.append(node)
    graph.nodes = [tokens, shifts, *made]
    graph.drop(dropped)


def multiply_at_once(graph: LightGraph) -> None:
    """Makes one product of the three that take the same rounded inputs: query, key and value."""
    takers, made = graph.takers(), list[NodeProto]()
    dropped = list[NodeProto]()
    for node in graph.nodes:
        alike = [one for one in takers[node.input[0]] if one.op_type == "MatMulInteger"] if node.input else []
        if node.op_type == "MatMulInteger" and len(alike) == 3 and alike[0] is node:
            chains = [[one, *_followed(one, takers, ("Cast", "Mul", "Mul", "Add"))] for one in alike]
            made += _one_product(graph, chains)
            dropped += [one for chain in chains for one in chain]
        made.append(node)
    graph.nodes = made
    graph.drop(dropped)


def _one_product(graph: LightGraph, chains: Sequence[Sequence[NodeProto]]) -> list[NodeProto]:
    """Their matrices side by side, which the runtime joins when it opens the graph, their steps and their biases."""
    product, _, _, by_token, _ = chains[0]

    def joined(place: int) -> str:
        names = [next(name for name in chain[place].input if name in graph.constants) for chain in chains]
        return graph.constant(np.concatenate([numpy_helper.to_array(graph.constants[name]) for name in names]))

    matrix = graph.node("Concat", *(chain[0].input[1] for chain in chains), axis=1)
    whole = graph.node("MatMulInteger", product.input[0], matrix.output[0], *product.input[2:])
    floats = graph.node("Cast", whole.output[0], to=FLOAT)
    columns = graph.node("Mul", floats.output[0], joined(2))
    tokens = graph.node("Mul", columns.output[0], by_token.input[1])
    biased = graph.node("Add", tokens.output[0], joined(4))
    outputs = [chain[4].output[0] for chain in chains]
    return [
        matrix, whole, floats, columns, tokens, biased,
        graph.node("Split", biased.output[0], outputs=outputs, axis=-1, num_outputs=3),
    ]  # fmt: skip


def _followed(node: NodeProto, takers: dict[str, list[NodeProto]], kinds: Sequence[str]) -> list[NodeProto]:
    """The nodes of these kinds that come after one another, each the only one; none where that is not so."""
    found = list[NodeProto]()
    for kind in kinds:
        after = takers[(found or [node])[-1].output[0]]
        if len(after) != 1 or after[0].op_type != kind:
            return []
        found.append(after[0])
    return found


def light_graph(path: Path, file: str) -> bytes:
    """The graph of a network, to lie beside its weights, which have this file's name there."""
    graph = LightGraph(path)
    for lighten in (leave_out_mask, say_once, round_at_once, multiply_at_once):
        lighten(graph)
    used = {name for node in graph.nodes for name in node.input}
    places = _places(path)
    held = [
        _in_file(constant, file, *places[name]) if name in places else constant
        for name, constant in graph.constants.items()
        if name in used
    ]
    old = graph.model.graph
    given = [one for one in old.input if one.name != MASK]
    made = helper.make_graph(graph.nodes, old.name, given, list(old.output), held)
    model = helper.make_model(made, opset_imports=graph.model.opset_import, ir_version=graph.model.ir_version)
    return bytes(model.SerializeToString())


def _places(path: Path) -> dict[str, tuple[int, int]]:
    """Where in the file the large int8 matrices are, and how long. Whole numbers of a byte may begin anywhere."""
    weights = read_weights(path)
    largest = max(weights.values(), key=lambda array: array.nbytes)
    content = path.read_bytes()
    start = largest.__array_interface__["data"][0] - content.index(largest.tobytes())
    found = {
        name: (array.__array_interface__["data"][0] - start, array.nbytes)
        for name, array in weights.items()
        if array.dtype == np.int8 and array.nbytes > HELD
    }
    for name, (place, size) in found.items():
        if content[place : place + size] != weights[name].tobytes():
            raise ValueError(f"{name} is not where it should be in {path}")
    return found


def _in_file(constant: TensorProto, file: str, place: int, size: int) -> TensorProto:
    held = TensorProto(name=constant.name, data_type=constant.data_type, dims=constant.dims)
    held.data_location = TensorProto.EXTERNAL
    for key, value in (("location", file), ("offset", str(place)), ("length", str(size))):
        held.external_data.add(key=key, value=value)
    return held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path, nargs="+", help="NAME.int8.onnx; NAME.graph.onnx is written beside it")
    for path in parser.parse_args().network:
        written = path.with_name(graph_name(path.name))
        written.write_bytes(light_graph(path, path.name))
        print(f"{sha256_of(written)}  {written.name} ({written.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()

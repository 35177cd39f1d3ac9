"""The graphs that run the packaged networks are what `train.light_graph` makes, and give the networks' own bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from train.light_graph import HELD, MASK, light_graph

from engramma.models.local_embedder import open_tokenizer
from engramma.models.onnx import WEIGHTS, graph_name, open_session
from engramma.models.packaged import MINI_TOKENIZER, MINI_WEIGHTS, MULTI_TOKENIZER, MULTI_WEIGHTS
from engramma.models.reader import READER, word_table

NETWORKS = (MINI_WEIGHTS, MULTI_WEIGHTS, READER)
TEXTS = (
    "",
    "ok",
    "When did Caroline go to the support group?",
    "My sister moved to Lisbon last spring; she works as a nurse, and we call each other every Sunday evening.",
    "x " * 300,
)


def outputs(path: Path, ids: list[int]) -> list[np.ndarray]:
    """What a network gives for a text, by its own graph or by the light one."""
    session = open_session(path, path.name)
    tokens = np.array([ids], np.int64)
    steps, words = word_table(WEIGHTS / MINI_WEIGHTS)
    feeds = {
        "input_ids": tokens,
        MASK: np.ones_like(tokens),
        "embedded": (words[tokens].astype(np.float32) * steps[tokens]),
    }
    found: list[np.ndarray] = session.run(None, {given.name: feeds[given.name] for given in session.get_inputs()})
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("text", TEXTS, ids=["empty", "short", "question", "turn", "long"])
def test_it_gives_the_bits_of_the_networks_own_graph(name: str, text: str) -> None:
    tokenizer = open_tokenizer(WEIGHTS / (MULTI_TOKENIZER if name == MULTI_WEIGHTS else MINI_TOKENIZER), 256)
    ids = tokenizer.encode(text).ids
    own, light = outputs(WEIGHTS / name, ids), outputs(WEIGHTS / graph_name(name), ids)
    assert len(own) == len(light) > 0
    for expected, found in zip(own, light, strict=True):
        assert np.array_equal(expected, found)


@pytest.mark.parametrize("name", NETWORKS)
def test_it_is_the_one_in_the_package_and_holds_no_matrix_of_its_own(name: str) -> None:
    content = light_graph(WEIGHTS / name, name)
    assert content == (WEIGHTS / graph_name(name)).read_bytes()
    graph, whole = onnx.load_from_string(content).graph, onnx.load(str(WEIGHTS / name)).graph
    assert len(graph.node) < 0.7 * len(whole.node)
    assert not [
        one.name for one in graph.initializer if one.data_type == onnx.TensorProto.INT8 and len(one.raw_data) > HELD
    ]
    matrices = [one for one in whole.initializer if one.data_type == onnx.TensorProto.INT8 and len(one.raw_data) > HELD]
    held = [one for one in graph.initializer if one.data_location == onnx.TensorProto.EXTERNAL]
    assert len(held) == len(matrices)


def test_no_product_shares_the_zero_of_its_weights() -> None:
    """On x86 without VNNI the runtime makes each anew, and would refuse to make one twice."""
    graph = onnx.load(str(WEIGHTS / graph_name(MINI_WEIGHTS)), load_external_data=False).graph
    zeros = [node.input[3] for node in graph.node if node.op_type == "MatMulInteger"]
    assert len(zeros) == len(set(zeros)) == 24

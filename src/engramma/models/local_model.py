"""Loads a model from a local folder: a finished ONNX graph, or one that is built of safetensors and kept."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files.hashing import sha256_of
from . import graph
from .folder import ModelFolder, read_folder
from .local_embedder import LocalEmbedder
from .onnx import OnnxNetwork
from .settings import EncoderSettings, Precision
from .weight_files import all_weight_files

# Stores know models of these architectures by their weights alone; of later ones, config.json counts as well.
WEIGHTS_ALONE = ("bert", "mpnet")


def load_folder(folder: Path, cache: Path) -> LocalEmbedder:
    """Any local model: an ONNX file, or safetensors of an architecture that graph.py knows."""
    model = read_folder(folder)
    return load_model(model, sha256_of(*all_weight_files(model.weights)), cache)


def identify_model(sha256: str, settings: EncoderSettings) -> str:
    """The hash of the weights, and of how texts are prepared where that is unusual: other vectors, another model."""
    usual = EncoderSettings(settings.name)
    chosen = (settings.pooling, settings.query_prefix, settings.document_prefix, settings.max_tokens)
    if chosen == (usual.pooling, usual.query_prefix, usual.document_prefix, usual.max_tokens):
        return sha256 if settings.reads_emoji else hashlib.sha256(f"{sha256} no emoji".encode()).hexdigest()
    chosen_too = () if settings.reads_emoji else (False,)
    return hashlib.sha256(repr((sha256, *chosen, *chosen_too)).encode()).hexdigest()


def graph_file(config: Mapping[str, Any], precision: Precision, sha256: str, cache: Path) -> tuple[str, Path]:
    """What identifies the graph of safetensors, and where it is kept once it is built."""
    if config.get("model_type") not in WEIGHTS_ALONE:
        sha256 = hashlib.sha256(f"{sha256} {graph.shape_digest(config)}".encode()).hexdigest()
    return sha256, cache / "graphs" / f"{sha256}-{precision}-{graph.GRAPH_VERSION}.onnx"


def load_model(model: ModelFolder, sha256: str, cache: Path) -> LocalEmbedder:
    """A model whose files, settings and hash are known. The graph of safetensors is built once and kept."""
    if model.config is None:
        return _embedder(model.weights, model, sha256)
    precision = model.settings.precision
    sha256, built = graph_file(model.config, precision, sha256, cache)
    source = built if built.is_file() else _keep(built, graph.build_onnx_graph(model.weights, model.config, precision))
    if precision != "fp32":  # other vectors than the same weights give in full
        sha256 = hashlib.sha256(built.name.encode()).hexdigest()
    return _embedder(source, model, sha256)


def _embedder(source: Path | bytes, model: ModelFolder, sha256: str) -> LocalEmbedder:
    network = OnnxNetwork(source, model.settings)
    embedder = LocalEmbedder(network, model.tokenizer, model.settings, identify_model(sha256, model.settings))
    embedder.vectors_of(["probe"])  # a tokenizer of another model is refused now, not at the first text
    return embedder


def _keep(path: Path, content: bytes) -> Path | bytes:
    """Writes the file whole or not at all; a cache that cannot be written costs time, not the answer."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".part-") as folder:
            part = Path(folder) / path.name
            part.write_bytes(content)
            part.replace(path)
    except OSError:
        return content
    return path

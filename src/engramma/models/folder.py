"""Reads what a model folder says about itself, in the layouts of Sentence Transformers and of ONNX exports.

Beside the weights an `engramma.json` may overrule it all:
{"pooling": "mean" | "cls", "query_prefix": "", "document_prefix": "", "max_tokens": 256, "edge_floor": 0.6,
 "precision": "fp32" | "int8", "name": "..."}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

from ..errors import ModelError
from .graph_bert import MPNET_FIRST_POSITION, first_position
from .sentence_files import read_model_json, read_sentence_files
from .settings import MAX_TOKENS, EncoderSettings, Pooling, Precision
from .weight_files import check_is_whole, find_weights

TOKENIZER = "tokenizer.json"
# What other libraries read a tokenizer from; it says which words there are, but not how a text is cut into them.
VOCABULARIES = ("sentencepiece.bpe.model", "spiece.model", "tokenizer.model", "vocab.txt", "vocab.json")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A local model: its files, and how to use them. `config` is there for safetensors only."""

    weights: Path
    tokenizer: Path
    settings: EncoderSettings
    config: Mapping[str, Any] | None = None


def read_folder(folder: Path) -> ModelFolder:
    """Finds the weights and the settings; nothing large is read."""
    weights = find_weights(folder)
    tokenizer = _tokenizer(folder, weights)
    config = read_model_json(folder / "config.json") or read_model_json(weights.with_name("config.json"))
    is_graph = weights.suffix == ".onnx"
    if not is_graph and not config:
        raise ModelError(
            f"{folder} has no config.json, which describes the architecture of {weights.name}; copy it there"
        )
    settings = _settings(folder, config, read_model_json(folder / "engramma.json"))
    return ModelFolder(weights, tokenizer, settings, None if is_graph else config)


def _tokenizer(folder: Path, weights: Path) -> Path:
    """The folder's own, or the one that an export has beside the graph."""
    for path in (folder / TOKENIZER, weights.with_name(TOKENIZER)):
        if path.is_file():
            check_is_whole(path)
            return path
    for name in VOCABULARIES:
        if (folder / name).is_file():
            raise ModelError(
                f"{folder} has {name} but no {TOKENIZER}; fetch the model's {TOKENIZER}, or write one where "
                f"transformers is installed: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"
            )
    raise ModelError(f"{folder} has no {TOKENIZER}; save the model's fast tokenizer there")


def _settings(folder: Path, config: Mapping[str, Any], own: Mapping[str, Any]) -> EncoderSettings:
    said = read_sentence_files(folder, is_overruled=bool(own), is_pooling_overruled="pooling" in own)
    seen: dict[str, Any] = {
        "name": folder.resolve().name,
        "pooling": said.pooling,
        "query_prefix": said.query_prefix,
        "document_prefix": said.document_prefix,
        "max_tokens": min(MAX_TOKENS, said.window or MAX_TOKENS),
    }
    known = {field.name: type(getattr(EncoderSettings("?"), field.name)) for field in fields(EncoderSettings)}
    for key, value in own.items():
        if key not in known:
            raise ModelError(f"{folder / 'engramma.json'}: unknown key {key!r}; known are {', '.join(known)}")
        is_fit = isinstance(value, (int, float) if known[key] is float else known[key])
        if not is_fit or (isinstance(value, bool) and known[key] is not bool):
            raise ModelError(f"{folder / 'engramma.json'}: {key} must be of type {known[key].__name__}")
        seen[key] = value
    if "pooling" not in own and said.pooling not in get_args(Pooling):
        raise ModelError(
            f"{folder}: pooling by {said.pooling!r} is not supported, only by {' and '.join(get_args(Pooling))}; "
            "export the whole model to ONNX with an output `sentence_embedding` and add an engramma.json"
        )
    for key, choices in (("pooling", get_args(Pooling)), ("precision", get_args(Precision))):
        if seen.get(key, choices[0]) not in choices:
            raise ModelError(f"{folder}: {key} {seen[key]!r} is not supported; choose {' or '.join(choices)}")
    seen["max_tokens"] = min(seen["max_tokens"], _room(config))
    if seen["max_tokens"] < 1:
        raise ModelError(f"{folder}: max_tokens {seen['max_tokens']} is too small; 256 is usual")
    return EncoderSettings(**seen)


def _room(config: Mapping[str, Any]) -> int:
    """How many tokens the model has positions for."""
    positions, kind = config.get("max_position_embeddings"), config.get("model_type")
    if isinstance(positions, bool) or not isinstance(positions, int):
        return 2**20
    if kind in ("bert", "roberta", "xlm-roberta", "mpnet"):
        return min(2**20, positions - first_position(config))
    # Of other architectures some keep rows of the table for padding, as RoBERTa does, and some have no table.
    return min(2**20, positions if kind == "modernbert" else positions - MPNET_FIRST_POSITION)

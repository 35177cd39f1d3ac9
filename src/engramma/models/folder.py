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
from ..files import foreign_json
from .graph_parts import Precision
from .settings import MAX_TOKENS, EncoderSettings, Pooling

ONNX_FILES = (
    "model.onnx",
    "model.int8.onnx",
    "model_quantized.onnx",
    "onnx/model.onnx",
    "onnx/model.int8.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_quantized.onnx",
)
SAFETENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"
KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
PADDING_ROWS = 2  # RoBERTa and its kin, MPNet among them, keep two rows of the position table for padding


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A local model: its files, and how to use them. `config` is there for safetensors only."""

    weights: Path
    tokenizer: Path
    settings: EncoderSettings
    config: Mapping[str, Any] | None = None


def read_folder(folder: Path) -> ModelFolder:
    """Finds the weights and the settings; nothing large is read."""
    weights = _weights(folder)
    tokenizer = folder / TOKENIZER
    if not tokenizer.is_file():
        raise ModelError(f"{folder} has no {TOKENIZER}; save the model's fast tokenizer there")
    config = _json(folder / "config.json")
    if weights.name == SAFETENSORS and not config:
        raise ModelError(
            f"{folder} has no config.json, which describes the architecture of {SAFETENSORS}; copy it there"
        )
    own = _json(folder / "engramma.json")
    if not own:
        _check_modules(folder)
    settings = _settings(folder, config, own)
    return ModelFolder(weights, tokenizer, settings, config if weights.name == SAFETENSORS else None)


def _weights(folder: Path) -> Path:
    for name in (*ONNX_FILES, SAFETENSORS):
        if (folder / name).is_file():
            return folder / name
    found = sorted(folder.glob("*.onnx"))
    if len(found) == 1:
        return found[0]
    raise ModelError(f"{folder} has no model; it needs one of {', '.join((*ONNX_FILES, SAFETENSORS))}")


def _settings(folder: Path, config: Mapping[str, Any], own: Mapping[str, Any]) -> EncoderSettings:
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    window = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    seen: dict[str, Any] = {
        "name": folder.resolve().name,
        "pooling": _pooling(folder) if "pooling" not in own else "mean",
        "query_prefix": prompts.get("query") or "",
        "document_prefix": prompts.get("document") or prompts.get("passage") or "",
        "max_tokens": min(MAX_TOKENS, int(window or MAX_TOKENS)),
    }
    known = {field.name: type(getattr(EncoderSettings("?"), field.name)) for field in fields(EncoderSettings)}
    for key, value in own.items():
        if key not in known:
            raise ModelError(f"{folder / 'engramma.json'}: unknown key {key!r}; known are {', '.join(known)}")
        if not isinstance(value, (int, float) if known[key] is float else known[key]) or isinstance(value, bool):
            raise ModelError(f"{folder / 'engramma.json'}: {key} must be of type {known[key].__name__}")
        seen[key] = value
    for key, choices in (("pooling", get_args(Pooling)), ("precision", get_args(Precision))):
        if seen.get(key, choices[0]) not in choices:
            raise ModelError(f"{folder}: {key} {seen[key]!r} is not supported; choose {' or '.join(choices)}")
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int):
        room = positions if config.get("model_type") == "bert" else positions - PADDING_ROWS
        seen["max_tokens"] = min(seen["max_tokens"], room)
    if seen["max_tokens"] < 1:
        raise ModelError(f"{folder}: max_tokens {seen['max_tokens']} is too small; 256 is usual")
    return EncoderSettings(**seen)


def _pooling(folder: Path) -> str:
    modes = _json(folder / "1_Pooling" / "config.json")
    wanted = [key.removeprefix("pooling_mode_") for key, value in modes.items() if value is True]
    wanted = [mode for mode in wanted if not mode.startswith("include")]
    names = {"cls_token": "cls", "mean_tokens": "mean"}
    if len(wanted) > 1:
        raise ModelError(f"{folder}: pools in several ways at once ({', '.join(wanted)}); choose one of them")
    return names.get(wanted[0], wanted[0]) if wanted else "mean"


def _check_modules(folder: Path) -> None:
    """A layer after the pooling, left out silently, would give other vectors than the makers meant."""
    modules = _json(folder / "modules.json", default=[])
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules if isinstance(module, dict)]
    extra = [kind for kind in kinds if kind not in KNOWN_MODULES]
    if extra:
        raise ModelError(
            f"{folder} has layers after the encoder that are not supported ({', '.join(extra)}); "
            "export the whole model to ONNX with an output `sentence_embedding` and add an engramma.json"
        )


def _json(path: Path, default: Any = None) -> Any:
    """The file's content; the default, else an empty object, where there is no such file."""
    empty = {} if default is None else default
    if not path.is_file():
        return empty
    try:
        content = foreign_json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read {path}: {error}; correct it or copy it again") from error
    if not isinstance(content, type(empty)):
        raise ModelError(f"{path} must hold a JSON {'object' if empty == {} else 'list'}; copy it again")
    return content

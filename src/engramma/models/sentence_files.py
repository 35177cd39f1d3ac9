"""Reads the files that Sentence Transformers keeps beside a model: its modules, pooling, prompts and window."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..files import foreign_json

KNOWN_MODULES = ("Transformer", "Pooling", "Normalize")
# A mean over the root of the length points where the mean does, and every vector is brought to length 1.
POOLINGS = {"cls_token": "cls", "mean_tokens": "mean", "mean_sqrt_len_tokens": "mean"}
DOCUMENT_PROMPTS = ("document", "passage", "corpus")


@dataclass(frozen=True, slots=True)
class SentenceFiles:
    """How a folder wants its model used. The pooling may be one that is not supported."""

    pooling: str
    query_prefix: str
    document_prefix: str
    window: int | None


def read_sentence_files(folder: Path, *, is_overruled: bool, is_pooling_overruled: bool) -> SentenceFiles:
    """What the files say. Nothing is refused that an engramma.json overrules."""
    prompts = _prompts(folder)
    pooling_folder = "1_Pooling" if is_overruled else check_modules(folder)
    query = prompts.get("query", "")
    document = next((prompts[name] for name in DOCUMENT_PROMPTS if prompts.get(name)), "")
    pooling = "mean" if is_pooling_overruled else _pooling(folder, pooling_folder, bool(query or document))
    return SentenceFiles(pooling, query, document, _window(folder))


def check_modules(folder: Path) -> str:
    """The folder of the pooling layer. Another layer after it, left out silently, would give other vectors."""
    modules = read_model_json(folder / "modules.json", default=[])
    kinds = {
        str(module.get("type", "")).rpartition(".")[2]: module.get("path") for module in modules if type(module) is dict
    }
    extra = [kind for kind in kinds if kind not in KNOWN_MODULES]
    if extra:
        raise ModelError(
            f"{folder} has layers after the encoder that are not supported ({', '.join(extra)}); "
            "export the whole model to ONNX with an output `sentence_embedding` and add an engramma.json"
        )
    place = kinds.get("Pooling")
    if not isinstance(place, str) or not place:
        return "1_Pooling"
    if not (folder / place / "config.json").is_file():
        raise ModelError(
            f"{folder}: modules.json names a pooling layer, but there is no {place}/config.json; fetch it too, "
            'or say "pooling": "mean" or "cls" in an engramma.json'
        )
    return place


def _pooling(folder: Path, place: str, has_prompts: bool) -> str:
    modes = read_model_json(folder / place / "config.json")
    if modes.get("include_prompt") is False and has_prompts:
        raise ModelError(
            f"{folder}: leaves the prompt out when it pools, which is not supported; "
            "export the whole model to ONNX with an output `sentence_embedding` and add an engramma.json"
        )
    newer = modes.get("pooling_mode")  # one name or several; older files have a flag for each
    wanted = [newer] if isinstance(newer, str) else newer
    if not isinstance(wanted, list):
        flags = [key.removeprefix("pooling_mode_") for key, value in modes.items() if value is True]
        wanted = [mode for mode in flags if not mode.startswith("include")]
    if len(wanted) > 1:
        raise ModelError(
            f"{folder}: pools in several ways at once ({', '.join(map(str, wanted))}), which is not supported; "
            "export the whole model to ONNX with an output `sentence_embedding` and add an engramma.json"
        )
    return POOLINGS.get(str(wanted[0]), str(wanted[0])) if wanted else "mean"


def _prompts(folder: Path) -> dict[str, str]:
    path = folder / "config_sentence_transformers.json"
    prompts = read_model_json(path).get("prompts") or {}
    if not isinstance(prompts, dict) or not all(isinstance(text, str | None) for text in prompts.values()):
        raise ModelError(f"{path}: prompts must be texts by name; copy it again")
    return {name: text or "" for name, text in prompts.items()}


def _window(folder: Path) -> int | None:
    """The most tokens that the model is meant for; without a setting of its own, what its tokenizer says."""
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        value = read_model_json(folder / name).get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
            raise ModelError(f"{folder / name}: {key} must be a number above 0; copy it again")
        return int(min(value, 2**31))
    return None


def read_model_json(path: Path, default: Any = None) -> Any:
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

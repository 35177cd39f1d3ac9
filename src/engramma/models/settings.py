"""How a model wants its texts prepared and its output read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "cls"]
Precision = Literal["fp32", "int8"]

EDGE_FLOOR = 0.6  # for models whose cosines nobody has looked at: links too few rather than wrong
MAX_TOKENS = 256  # what the packaged encoder was trained and measured with


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """What has to be known about a local encoder besides its weights and its tokenizer."""

    name: str
    pooling: Pooling = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int = MAX_TOKENS
    edge_floor: float = EDGE_FLOOR
    reads_emoji: bool = True  # else they are left out; a word is lost with one that stands at its end
    precision: Precision = "fp32"  # of a graph built from safetensors; an ONNX file has its own


def prefix_text(text: str, prefix: str, limit: int) -> str:
    """The prefixed text, cut to `limit` characters, with what UTF-8 cannot carry replaced."""
    return (prefix + text[:limit]).encode("utf-8", "replace").decode("utf-8")

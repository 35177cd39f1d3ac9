"""The student, a BERT encoder, and the teacher, MPNet: plain PyTorch, weights under the official names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from engramma.models.graph_bert import MPNET_FIRST_POSITION, relative_buckets


@dataclass(frozen=True, slots=True)
class Shape:
    """How large an encoder is."""

    layers: int = 6
    heads: int = 12
    hidden: int = 384
    inner: int = 1536
    words: int = 30522
    positions: int = 512
    epsilon: float = 1e-12
    buckets: int = 0  # of relative distances; MPNet's, 0 for BERT


MINILM = Shape()
MPNET = Shape(layers=12, heads=12, hidden=768, inner=3072, words=30527, positions=514, epsilon=1e-5, buckets=32)


class Layer(nn.Module):
    """Attention and a two-layer network, each added to its input and normalised."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (nn.Linear(shape.hidden, shape.hidden) for _ in range(4))
        self.inner, self.outer = nn.Linear(shape.hidden, shape.inner), nn.Linear(shape.inner, shape.hidden)
        self.first_norm, self.second_norm = (nn.LayerNorm(shape.hidden, eps=shape.epsilon) for _ in range(2))

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        batch, tokens, width = hidden.shape
        split = (batch, tokens, self.heads, width // self.heads)
        query, key, value = (part(hidden).view(split).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(query, key, value, bias.to(query.dtype))
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        hidden = self.first_norm(mixed + hidden)
        inner = self.outer(functional.gelu(self.inner(hidden)))
        return self.second_norm(inner + hidden)


class Encoder(nn.Module):
    """Token ids to unit vectors: the mean of the last layer over the tokens."""

    def __init__(self, shape: Shape = MINILM) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.hidden)
        self.positions = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.distances = nn.Embedding(shape.buckets, shape.heads) if shape.buckets else None

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        first = MPNET_FIRST_POSITION if self.distances is not None else 0
        places = torch.arange(first, first + ids.shape[1], device=ids.device)
        hidden = self.norm(self.words(ids) + self.positions(places))
        bias = torch.where(mask, 0.0, -1e4)[:, None, None, :]  # far below any score, and within bfloat16
        bias = bias + self._relative(ids.shape[1]) if self.distances is not None else bias
        bias = bias.expand(-1, -1, ids.shape[1], -1)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        weights = mask[..., None].float()
        pooled = (hidden.float() * weights).sum(1) / weights.sum(1)
        return functional.normalize(pooled, dim=-1)

    def _relative(self, tokens: int) -> Tensor:
        assert self.distances is not None
        steps = np.arange(tokens)
        buckets = relative_buckets(steps[None] - steps[:, None], self.shape.buckets)
        return self.distances(torch.from_numpy(buckets).to(self.words.weight.device)).permute(2, 0, 1)[None]


_BERT = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "first_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "second_norm": "output.LayerNorm",
}
_MPNET = _BERT | {
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "out": "attention.attn.o",
    "first_norm": "attention.LayerNorm",
}


def official_name(name: str, is_mpnet: bool = False) -> str:
    """What the published files call one of our parameters."""
    outer = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "distances.weight": "encoder.relative_attention_bias.weight",
    }
    if name in outer:
        return outer[name]
    if name.startswith("norm."):
        return f"embeddings.LayerNorm.{name.removeprefix('norm.')}"
    _, number, part, kind = name.split(".")
    return f"encoder.layer.{number}.{(_MPNET if is_mpnet else _BERT)[part]}.{kind}"


def put(encoder: Encoder, weights: Mapping[str, np.ndarray]) -> None:
    """Loads weights under their official names; the one token type of a lone text joins the positions."""
    is_mpnet = encoder.distances is not None
    state = {}
    for name in encoder.state_dict():
        value = np.asarray(weights[official_name(name, is_mpnet)], np.float32)
        if name == "positions.weight" and "embeddings.token_type_embeddings.weight" in weights:
            value = value + np.asarray(weights["embeddings.token_type_embeddings.weight"][0], np.float32)
        state[name] = torch.from_numpy(value.copy())
    encoder.load_state_dict(state)


def take(encoder: Encoder) -> dict[str, np.ndarray]:
    """The weights under their official names; a token type of zeros, since it lies in the positions."""
    is_mpnet = encoder.distances is not None
    state = {
        official_name(name, is_mpnet): value.detach().float().cpu().numpy()
        for name, value in encoder.state_dict().items()
    }
    if not is_mpnet:
        state["embeddings.token_type_embeddings.weight"] = np.zeros((2, encoder.shape.hidden), np.float32)
    return state

"""Runs an encoder over many texts: sorted by length, padded chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from .model import Encoder
from .tokens import CLS, SEP, Batcher

MPNET_SHIFT = 4  # MPNet's vocabulary is BERT's behind four marks of its own
MPNET_CLS, MPNET_SEP, MPNET_PAD = 0, 2, 1


def device() -> torch.device:
    """The accelerator, if there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@contextmanager
def fast() -> Iterator[None]:
    """bfloat16 on an accelerator, full precision elsewhere."""
    with torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available()):
        yield


def to_mpnet(ids: Tensor, mask: Tensor) -> Tensor:
    """The same text in MPNet's ids."""
    moved = torch.where(ids == CLS, MPNET_CLS, torch.where(ids == SEP, MPNET_SEP, ids + MPNET_SHIFT))
    return torch.where(mask, moved, MPNET_PAD)


def encode(
    encoder: Encoder,
    batcher: Batcher,
    rows: Tensor,
    limit: int,
    names: Tensor | None = None,
    tokens_at_once: int = 65_536,
) -> Tensor:
    """Unit vectors of the texts, in their order; gradients flow where they are asked for."""
    lengths = batcher.lengths(rows, limit)
    order = torch.argsort(lengths)
    parts = []
    for chunk in _chunks(order, lengths, tokens_at_once):
        ids, mask = batcher.gather(rows[chunk], limit, None if names is None else names[chunk])
        if encoder.distances is not None:
            ids = to_mpnet(ids, mask)
        with fast():
            parts.append(encoder(ids, mask))
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    return torch.cat(parts)[back]


@torch.no_grad()
def embed(encoder: Encoder, batcher: Batcher, rows: Tensor, limit: int, names: Tensor | None = None) -> Tensor:
    """Vectors without gradients."""
    encoder.eval()
    return encode(encoder, batcher, rows, limit, names, tokens_at_once=262_144 if torch.cuda.is_available() else 16_384)


def _chunks(order: Tensor, lengths: Tensor, tokens_at_once: int) -> Iterator[Tensor]:
    """Runs of rows of similar length, so that padding stays small."""
    sizes = lengths[order].tolist()
    start = 0
    for end in range(1, len(sizes) + 1):
        if end == len(sizes) or (end + 1 - start) * sizes[end] > tokens_at_once:
            yield order[start:end]
            start = end

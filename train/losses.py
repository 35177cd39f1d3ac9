"""What is minimised."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional


def contrast(queries: Tensor, documents: Tensor, own: Tensor, hidden: Tensor, temperature: float) -> Tensor:
    """InfoNCE: each query's own document against all others, less those that may answer it too (`hidden`)."""
    scores = (queries @ documents.T / temperature).masked_fill(hidden, float("-inf"))
    return functional.cross_entropy(scores, own)


def nested(
    queries: Tensor,
    documents: Tensor,
    own: Tensor,
    hidden: Tensor,
    temperature: float,
    dimensions: Sequence[int],
    weights: Sequence[float],
) -> Tensor:
    """The same over the first 384, 256, 128 and 64 dimensions, so that a vector can be cut short."""
    total = queries.new_zeros(())
    for dimension, weight in zip(dimensions, weights, strict=True):
        asked, said = (functional.normalize(part[:, :dimension], dim=-1) for part in (queries, documents))
        total = total + weight * contrast(asked, said, own, hidden, temperature)
    return total / sum(weights)


def signs(vectors: Tensor) -> Tensor:
    """Unit vectors of signs alone; the gradient passes as if they were the values."""
    hard = torch.sign(vectors) / vectors.shape[1] ** 0.5
    return vectors + (hard - vectors).detach()


def kept(now: Tensor, before: Tensor) -> Tensor:
    """How far vectors and their similarities have moved from those of the model before."""
    drift = (1 - (now * before).sum(-1)).mean()
    return drift + 10 * functional.mse_loss(now @ now.T, before @ before.T)


def taught(student: Tensor, mapped: Tensor, teacher: Tensor, temperature: float) -> tuple[Tensor, Tensor, Tensor]:
    """Distillation: rows of similarities as distributions, directions, similarities as numbers."""
    ours, theirs = student @ student.T, teacher @ teacher.T
    self_mask = torch.eye(len(ours), dtype=torch.bool, device=ours.device)
    log_ours = functional.log_softmax((ours / temperature).masked_fill(self_mask, -1e4), dim=-1)
    log_theirs = functional.log_softmax((theirs / temperature).masked_fill(self_mask, -1e4), dim=-1)
    relations = functional.kl_div(log_ours, log_theirs, reduction="batchmean", log_target=True)
    direction = (1 - functional.cosine_similarity(mapped, teacher, dim=-1)).mean()
    return relations, direction, functional.mse_loss(ours, theirs)

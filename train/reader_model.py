"""The reader as a network: the encoder's layers, one logit for relevance, two a token for the answer's ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from . import reader_trunk
from .model import MINILM, Encoder, Shape
from .reader_corpus import IGNORED, Rows

OUTSIDE = -1e4  # the logit of a token that no answer can begin or end at
NULLS = 0.3  # weight of a passage without an answer in the loss of the spans


class ReaderNet(nn.Module):
    """Question and passage to relevance and spans."""

    def __init__(self, shape: Shape = MINILM) -> None:
        super().__init__()
        self.encoder = Encoder(shape)
        self.relevance = nn.Linear(shape.hidden, 1)
        self.spans = nn.Linear(shape.hidden, 2)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        inner = self.encoder
        places = torch.arange(ids.shape[1], device=ids.device)
        hidden = inner.norm(inner.words(ids) + inner.positions(places))
        hidden = functional.dropout(hidden, 0.1, self.training)
        bias = torch.where(mask, 0.0, -1e4)[:, None, None, :].expand(-1, -1, ids.shape[1], -1)
        for layer in inner.layers:
            hidden = layer(hidden, bias)
        first = functional.dropout(hidden[:, 0], 0.1, self.training)
        return self.relevance(first).float()[:, 0], self.spans(hidden).float()


def from_trunk(path: Path) -> ReaderNet:
    """A reader whose layers are the packaged encoder's; its words stay what they are."""
    net = ReaderNet()
    state = reader_trunk.read(path)
    net.encoder.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    return net


@dataclass(frozen=True, slots=True)
class Batch:
    """Some examples' passages, padded."""

    ids: Tensor
    mask: Tensor
    label: Tensor
    start: Tensor
    end: Tensor
    first: Tensor
    group: Tensor  # which example each passage belongs to
    weight: Tensor  # of each example


class Feeder:
    """The corpus on a device."""

    def __init__(self, rows: Rows, device: torch.device) -> None:
        self.device = device
        self.ids = torch.from_numpy(rows.ids.astype(np.int32)).to(device)
        arrays = (rows.offsets, rows.label, rows.start, rows.end, rows.first, rows.groups, rows.weight)
        moved = [torch.from_numpy(np.asarray(value)).to(device) for value in arrays]
        self.offsets, self.label, self.start, self.end, self.first, self.groups, self.weight = moved

    def batch(self, examples: Tensor) -> Batch:
        sizes = self.groups[examples + 1] - self.groups[examples]
        group = torch.repeat_interleave(torch.arange(len(examples), device=self.device), sizes)
        within = torch.arange(len(group), device=self.device) - (sizes.cumsum(0) - sizes)[group]
        rows = self.groups[examples][group] + within
        lengths = self.offsets[rows + 1] - self.offsets[rows]
        steps = torch.arange(-(-int(lengths.max()) // 8) * 8, device=self.device)
        mask = steps < lengths[:, None]
        places = (self.offsets[rows, None] + steps).clamp(max=len(self.ids) - 1)
        ids = torch.where(mask, self.ids[places].long(), 0)
        known = (self.label[rows], self.start[rows].long(), self.end[rows].long(), self.first[rows])
        return Batch(ids, mask, *known, group, self.weight[examples])


def loss_of(relevance: Tensor, spans: Tensor, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Relevance one by one and within the example, and the answer's ends with the null at the first token."""
    weight = batch.weight[batch.group]
    label = batch.label.float()
    each = functional.binary_cross_entropy_with_logits(relevance, label, reduction="none")
    alone = (each * weight * torch.where(label > 0, 2.0, 1.0)).sum() / weight.sum()
    count = len(batch.weight)
    scores = torch.full((count, int(batch.group.bincount().max())), -1e4, device=relevance.device)
    within = torch.arange(len(relevance), device=relevance.device)
    starts = torch.searchsorted(batch.group, torch.arange(count, device=relevance.device))
    column = within - starts[batch.group]
    scores[batch.group, column] = relevance
    right = torch.full_like(scores, -1e4)
    right[batch.group, column] = torch.where(batch.label > 0, relevance, -1e4)
    has = torch.zeros(count, device=relevance.device).index_add_(0, batch.group, label) > 0
    among = torch.where(has, scores.logsumexp(1) - right.logsumexp(1), 0.0)
    among = (among * batch.weight).sum() / (batch.weight * has).sum().clamp(min=1)
    steps = torch.arange(spans.shape[1], device=spans.device)
    last = batch.mask.sum(1) - 1  # the mark at the end is no answer
    inside = ((steps >= batch.first[:, None]) & (steps < last[:, None])) | (steps == 0)
    logits = torch.where(inside[..., None], spans, OUTSIDE)
    marked = weight * torch.where(batch.start > 0, 1.0, NULLS)
    ends = torch.zeros((), device=spans.device)
    for number, target in enumerate((batch.start, batch.end)):
        each = functional.cross_entropy(logits[..., number], target, ignore_index=IGNORED, reduction="none")
        ends = ends + (each * marked).sum() / marked[target != IGNORED].sum().clamp(min=1)
    total = alone + among + 0.5 * ends
    return total, {"alone": float(alone.detach()), "among": float(among.detach()), "ends": float(ends.detach())}

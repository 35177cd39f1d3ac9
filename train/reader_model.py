"""The reader as a network: an encoder's layers, one logit for relevance, two a token for the answer's ends.

The same for the shipped reader, of the encoder's shape, and for its teacher, of MPNet's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from engramma.models.graph_bert import MPNET_FIRST_POSITION

from . import reader_trunk, weights
from .encode import to_mpnet
from .model import MINILM, MPNET, Encoder, Layer, Shape, put
from .reader_corpus import IGNORED
from .reader_packed import Batch, Packed

OUTSIDE = -1e4  # the logit of a token that no answer can begin or end at
NULLS = 0.3  # weight of a passage without an answer in the loss of the spans
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


def _rest(mixed: Tensor, hidden: Tensor, parts: list[Tensor], epsilon: float) -> Tensor:
    """A layer behind its attention."""
    out, out_bias, norm, norm_bias, inner, inner_bias, outer, outer_bias, last, last_bias = parts
    width = hidden.shape[-1:]
    added = _linear(mixed, out, out_bias).float() + hidden.float()
    hidden = functional.layer_norm(added, width, norm, norm_bias, epsilon).to(hidden.dtype)
    grown = functional.gelu(_linear(hidden, inner, inner_bias))
    added = _linear(grown, outer, outer_bias).float() + hidden.float()
    return functional.layer_norm(added, width, last, last_bias, epsilon).to(hidden.dtype)


def _linear(value: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.linear(value, weight.to(value.dtype), bias.to(value.dtype))


class _Take(torch.autograd.Function):
    """Rows of a table, none twice."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor) -> Tensor:  # type: ignore[override]
        ctx.save_for_backward(rows)
        ctx.length = len(table)
        return table.index_select(0, rows)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        (rows,) = ctx.saved_tensors
        return grad.new_zeros(ctx.length, *grad.shape[1:]).index_copy_(0, rows, grad), None


class ReaderNet(nn.Module):
    """Question and passage to relevance and spans."""

    def __init__(self, shape: Shape = MINILM) -> None:
        super().__init__()
        self.encoder = Encoder(shape)
        self.relevance = nn.Linear(shape.hidden, 1)
        self.spans = nn.Linear(shape.hidden, 2)
        self.rest: Callable[..., Tensor] = _rest
        self.ragged: Callable[..., Any] | None = None  # attention over rows of several lengths, where there is one

    def forward(self, tokens: Packed) -> tuple[Tensor, Tensor]:
        """Relevance a row, and two logits a token, in a padded table."""
        inner, is_mpnet = self.encoder, self.encoder.distances is not None
        ids = to_mpnet(tokens.ids, torch.ones_like(tokens.ids, dtype=torch.bool)) if is_mpnet else tokens.ids
        places = tokens.places + (MPNET_FIRST_POSITION if is_mpnet else 0)
        hidden = inner.norm(inner.words(ids) + inner.positions(places))
        hidden = functional.dropout(hidden, 0.1, self.training)
        hidden = hidden.bfloat16() if hidden.is_cuda else hidden
        attend = self._attention(tokens, hidden.dtype)
        for layer in inner.layers:
            hidden = self._layer(layer, hidden, attend)
        first = hidden[tokens.starts[:-1].long()].float()
        relevance = self.relevance(functional.dropout(first, 0.1, self.training))[:, 0]
        table = torch.full((tokens.count * tokens.width, 2), OUTSIDE, device=hidden.device)
        table = table.index_copy(0, tokens.cells, self.spans(hidden.float()))
        return relevance, table.view(tokens.count, tokens.width, 2)

    def _layer(self, layer: Any, hidden: Tensor, attend: Attend) -> Tensor:
        query, key, value = (_linear(hidden, p.weight, p.bias) for p in (layer.query, layer.key, layer.value))
        mixed = attend(query, key, value)
        ordered = (layer.out, layer.first_norm, layer.inner, layer.outer, layer.second_norm)
        parts = [value for part in ordered for value in (part.weight, part.bias)]
        return self.rest(mixed, hidden, parts, self.encoder.shape.epsilon)

    def _attention(self, tokens: Packed, kind: torch.dtype) -> Attend:
        heads, size = self.encoder.shape.heads, self.encoder.shape.hidden // self.encoder.shape.heads
        if self.ragged is not None:
            ragged, starts, width = self.ragged, tokens.starts, tokens.width

            def together(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
                split = (part.view(-1, heads, size) for part in (query, key, value))
                return ragged(*split, starts, starts, width, width).reshape(query.shape)

            return together
        mask = torch.zeros(tokens.count * tokens.width, dtype=torch.bool, device=tokens.cells.device)
        mask[tokens.cells] = True
        bias = torch.where(mask.view(tokens.count, 1, 1, -1), 0.0, -1e4)
        if self.encoder.distances is not None:
            with torch.no_grad():  # the distances stay as they were learned
                bias = bias + self.encoder._relative(tokens.width)
        bias = bias.to(kind).expand(-1, -1, tokens.width, -1)

        def padded(*given: Tensor) -> Tensor:
            split = (tokens.count, tokens.width, heads, size)
            empty = given[0].new_zeros(tokens.count * tokens.width, heads * size)
            tables = (empty.index_copy(0, tokens.cells, part).view(split).transpose(1, 2) for part in given)
            mixed = functional.scaled_dot_product_attention(*tables, attn_mask=bias)
            return _Take.apply(mixed.transpose(1, 2).reshape(empty.shape), tokens.cells)  # type: ignore[no-any-return]

        return padded

    @torch.enable_grad()
    def quicken(self) -> str:
        """Compiles the layers and takes attention without padding, where the machine can; says what it took."""
        device = self.relevance.weight.device
        if device.type != "cuda":
            return "plain"
        took = []
        try:
            self._try_compiled(device)
            took.append("compiled")
        except Exception as error:  # no compiler on the machine
            self.rest = _rest
            print("not compiled:", str(error)[:300], flush=True)
        if self.encoder.distances is None:
            try:
                self._try_ragged(device)
                took.append("ragged")
            except Exception as error:  # an older PyTorch
                self.ragged = None
                print("not ragged:", str(error)[:300], flush=True)
        return " ".join(took) or "plain"

    def _try_compiled(self, device: torch.device) -> None:
        layer = Layer(self.encoder.shape).to(device)
        ordered = (layer.out, layer.first_norm, layer.inner, layer.outer, layer.second_norm)
        parts = [value for part in ordered for value in (part.weight, part.bias)]
        made = torch.compile(_rest, dynamic=True)
        for count in (1000, 1504):
            given = [torch.randn(count, self.encoder.shape.hidden, device=device).bfloat16() for _ in range(2)]
            wanted = _rest(*given, parts, self.encoder.shape.epsilon)
            for value in given:
                value.requires_grad_()
            found = made(*given, parts, self.encoder.shape.epsilon)
            found.float().sum().backward()
            if (found - wanted).abs().max() > 0.1:
                raise ValueError("the compiled layer differs")
        self.rest = made

    def _try_ragged(self, device: torch.device) -> None:
        from torch.nn.attention.varlen import varlen_attn

        tokens = _sample(device)
        heads, size = self.encoder.shape.heads, self.encoder.shape.hidden // self.encoder.shape.heads
        given = [torch.randn(len(tokens.ids), heads * size, device=device).bfloat16().requires_grad_() for _ in "qkv"]
        wanted = self._attention(tokens, torch.bfloat16)(*given)
        self.ragged = varlen_attn
        found = self._attention(tokens, torch.bfloat16)(*given)
        found.float().sum().backward()
        if (found - wanted).abs().max() > 0.05:
            raise ValueError("attention without padding differs")


def _sample(device: torch.device) -> Packed:
    from .reader_packed import packed

    return packed([np.ones(count, np.int64) for count in (16, 40, 9)], device)


def from_trunk(path: Path) -> ReaderNet:
    """A reader whose layers are the packaged encoder's; its words stay what they are."""
    net = ReaderNet()
    state = reader_trunk.read(path)
    net.encoder.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    return net


def from_reader(path: Path, trunk: Path) -> ReaderNet:
    """A reader that was exported, to learn on."""
    net = from_trunk(trunk)
    found = reader_trunk.read_reader(path)
    net.load_state_dict(net.state_dict() | {name: torch.from_numpy(value.copy()) for name, value in found.items()})
    return net


def from_mpnet(path: Path) -> ReaderNet:
    """A reader of MPNet's shape and layers."""
    net = ReaderNet(MPNET)
    put(net.encoder, weights.read(path))
    return net


def load_trained(path: Path, trunk: Path) -> ReaderNet:
    """What a run wrote or an exported reader, or the mean of several (their names joined by commas)."""
    parts = [_weights_of(Path(one)) for one in str(path).split(",")]
    is_mpnet = "encoder.distances.weight" in parts[0]
    net = ReaderNet(MPNET) if is_mpnet else from_trunk(trunk)
    state = net.state_dict()
    for name in parts[0]:
        state[name] = torch.from_numpy(np.mean([part[name].astype(np.float32) for part in parts], axis=0))
    net.load_state_dict(state)
    return net


def _weights_of(path: Path) -> dict[str, np.ndarray]:
    if path.suffix == ".onnx":
        return reader_trunk.read_reader(path)
    with np.load(path) as kept:
        return {name: kept[name] for name in kept.files}


def _listed(values: Tensor, batch: Batch) -> Tensor:
    """A logit a passage as a table of examples and their passages."""
    table = torch.full((len(batch.weight), batch.widest), -1e4, device=values.device)
    return table.index_put((batch.group, batch.column), values)


def loss_of(relevance: Tensor, spans: Tensor, batch: Batch) -> dict[str, Tensor]:
    """By what the data says: relevance one by one and within the example, and the answer's ends with the null."""
    weight = batch.weight[batch.group]
    label = batch.label.float()
    each = functional.binary_cross_entropy_with_logits(relevance, label, reduction="none")
    alone = (each * weight * torch.where(label > 0, 2.0, 1.0)).sum() / weight.sum().clamp(min=1)
    scores, right = (_listed(value, batch) for value in (relevance, torch.where(batch.label > 0, relevance, -1e4)))
    has = torch.zeros(len(scores), device=relevance.device).index_add_(0, batch.group, label) > 0
    among = torch.where(has, scores.logsumexp(1) - right.logsumexp(1), 0.0)
    among = (among * batch.weight).sum() / (batch.weight * has).sum().clamp(min=1)
    logits = torch.where(batch.inside[..., None], spans, OUTSIDE)
    marked = weight * torch.where(batch.start > 0, 1.0, NULLS)
    ends = torch.zeros((), device=spans.device)
    for number, target in enumerate((batch.start, batch.end)):
        each = functional.cross_entropy(logits[..., number], target, ignore_index=IGNORED, reduction="none")
        ends = ends + (each * marked).sum() / (marked * (target != IGNORED)).sum().clamp(min=1)
    return {"alone": alone, "among": among, "ends": 0.5 * ends}


def soft_loss_of(relevance: Tensor, spans: Tensor, batch: Batch) -> dict[str, Tensor]:
    """By what the teacher says: the logits themselves, their order within the example, and the ends."""
    assert batch.relevance is not None and batch.spans is not None
    weight = batch.soft_weight[batch.group]
    wanted = batch.relevance.clamp(-9, 9)
    logits = (functional.smooth_l1_loss(relevance, wanted, reduction="none", beta=2.0) * weight).sum() / weight.sum()
    told, said = _listed(wanted, batch).softmax(1), _listed(relevance, batch).log_softmax(1)
    listed = (
        functional.kl_div(said, told, reduction="none").sum(1) * batch.soft_weight
    ).sum() / batch.soft_weight.sum()
    table = torch.full((batch.tokens.count * batch.tokens.width, 2), OUTSIDE, device=spans.device)
    teacher = table.index_copy(0, batch.tokens.cells, batch.spans).view(spans.shape)
    teacher, own = (torch.where(batch.inside[..., None], value, OUTSIDE) for value in (teacher, spans))
    ends = torch.zeros((), device=spans.device)
    for number in (0, 1):
        told = teacher[..., number].softmax(1)
        each = functional.kl_div(own[..., number].log_softmax(1), told, reduction="none").sum(1)
        marked = weight * (NULLS + (1 - NULLS) * (1 - told[:, 0]))
        ends = ends + (each * marked).sum() / marked.sum()
    return {"logits": 0.5 * logits, "listed": listed, "soft ends": 0.5 * ends}

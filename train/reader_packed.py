"""Batches without padding: the tokens of all rows one after the other, made ready by a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .reader_corpus import Rows


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of tokens, end to end."""

    ids: Tensor
    places: Tensor  # of each token within its row
    cells: Tensor  # where each token stands in a padded table of `count` rows and `width` columns
    starts: Tensor  # where each row begins, and where the last one ends
    count: int
    width: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Some examples' passages and what they should say."""

    tokens: Packed
    label: Tensor
    start: Tensor
    end: Tensor
    inside: Tensor  # (rows, width): tokens where an answer may begin or end, and the first
    group: Tensor  # which example each passage belongs to
    column: Tensor  # which of the example's passages it is
    widest: int  # passages of the example with most of them
    weight: Tensor  # of each example, for what the data says
    soft_weight: Tensor  # of each example, for what the teacher says
    relevance: Tensor | None = None  # the teacher's
    spans: Tensor | None = None  # the teacher's, by token


@dataclass(frozen=True, slots=True)
class Targets:
    """What a teacher says about all rows."""

    relevance: np.ndarray  # a row
    spans: np.ndarray  # (tokens, 2)


def plan(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Places within rows, cells of the padded table, starts of rows, and the table's width."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    width = -(-int(lengths.max()) // 8) * 8
    cells = np.repeat(np.arange(len(lengths)), lengths) * width + places
    return places, cells, starts, width


class Feeder:
    """The corpus on a device, less what a fold leaves out."""

    def __init__(self, rows: Rows, device: torch.device, targets: Targets | None = None, fold: int = 0) -> None:
        self.rows, self.device = rows, device
        self.ids = torch.from_numpy(rows.ids.astype(np.int32)).to(device)
        self.targets = None
        if targets is not None:
            moved = (torch.from_numpy(value).to(device) for value in (targets.relevance, targets.spans))
            self.targets = tuple(moved)
        apart = 1 | 1 << fold  # what is kept apart stands in other sessions too, word for word
        self.kept = (rows.folds & apart) == 0
        some = np.add.reduceat(self.kept.astype(np.int64), rows.groups[:-1]) > 0
        self.groups = np.flatnonzero(((rows.group_folds & apart) == 0) & some)

    def only(self, chosen: np.ndarray) -> None:
        """Keeps to examples for which `chosen` is true."""
        self.groups = self.groups[chosen[self.groups]]

    def batch(self, groups: np.ndarray) -> Batch:
        rows = self.rows
        begins, sizes = rows.groups[groups], rows.groups[groups + 1] - rows.groups[groups]
        group = np.repeat(np.arange(len(groups)), sizes)
        chosen = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        group, chosen = group[self.kept[chosen]], chosen[self.kept[chosen]]
        counts = np.bincount(group, minlength=len(groups))
        column = np.arange(len(group)) - np.repeat(np.cumsum(counts) - counts, counts)
        lengths = rows.offsets[chosen + 1] - rows.offsets[chosen]
        places, cells, starts, width = plan(lengths)
        flat = self._send(np.repeat(rows.offsets[chosen], lengths) + places)
        steps = np.arange(width)
        first, last = rows.first[chosen][:, None], lengths[:, None] - 1  # the mark at the end is no answer
        inside = ((steps >= first) & (steps < last)) | (steps == 0)
        tokens = Packed(
            self.ids[flat].long(),
            self._send(places),
            self._send(cells),
            self._send(starts.astype(np.int32)),
            len(chosen),
            width,
        )
        told = (rows.label, rows.start, rows.end)
        label, start, end = (self._send(value[chosen].astype(np.int64)) for value in told)
        relevance = spans = None
        if self.targets is not None:
            relevance, spans = self.targets[0][self._send(chosen)], self.targets[1][flat].float()
        weight, soft = (self._send(value[groups]) for value in (rows.weight, rows.soft_weight))
        sent = (self._send(value) for value in (inside, group, column))
        return Batch(tokens, label, start, end, *sent, int(counts.max()), weight, soft, relevance, spans)

    def _send(self, value: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(value)).to(self.device, non_blocking=True)

    def batches(self, passes: float, size: int, seed: int) -> tuple[int, Iterator[Batch]]:
        """How many there are, and they, in random order; made ahead of their use."""
        rng = np.random.default_rng(seed)
        steps = int(passes * len(self.groups) / size)
        order = np.concatenate([rng.permutation(self.groups) for _ in range(int(np.ceil(passes)))])
        cut = (order[step * size : (step + 1) * size] for step in range(steps))
        return steps, ahead(self.batch(groups) for groups in cut)


def ahead(made: Iterable[Batch], most: int = 6) -> Iterator[Batch]:
    """The same, made by another thread."""
    waiting: queue.Queue[Batch | BaseException | None] = queue.Queue(most)

    def work() -> None:
        try:
            for one in made:
                waiting.put(one)
            waiting.put(None)
        except BaseException as error:  # raised again where the batches are used
            waiting.put(error)

    threading.Thread(target=work, daemon=True).start()
    while (one := waiting.get()) is not None:
        if isinstance(one, BaseException):
            raise one
        yield one


def packed(rows: Sequence[np.ndarray], device: torch.device) -> Packed:
    """Rows of ids that stand alone."""
    places, cells, starts, width = plan(np.array([len(row) for row in rows]))
    ids = np.concatenate(rows).astype(np.int64)
    sent = [torch.from_numpy(value).to(device) for value in (ids, places, cells, starts.astype(np.int32))]
    return Packed(*sent, len(rows), width)

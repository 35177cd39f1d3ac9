"""Lets the reader read what recall brought back for the validation questions."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engramma.models.reader import LONGEST_SPAN, Input, Passage, Reading, lay_out, windows

from .reader_data import tail
from .reader_measure import Scores, read_sets
from .reader_model import ReaderNet

MOST_WINDOWS = 12  # of one turn
BATCH = 768
Work = tuple[tuple[int, int], Passage, Input]


def passages_of(segment: dict[str, Any]) -> list[Passage]:
    """A segment's turns in windows; only a turn's first window knows the turn before."""
    said_at = datetime.fromisoformat(segment["said_at"])
    made, before = [], tail(*segment["before"]) if segment["before"] else ""
    for speaker, start, end in segment["spoken"] or [["", 0, len(segment["text"])]]:
        said = segment["text"][start:end]
        for number, (a, b) in enumerate(windows(said)[:MOST_WINDOWS]):
            made.append(Passage(said[a:b], speaker, before if number == 0 else "", said_at))
        before = tail(speaker, said) if said.strip() else before
    return made


def laid_out(store: dict[str, Any], tokenizer: Path, limit: int) -> list[Work]:
    """All that is to be read for one store's questions."""
    from tokenizers import Tokenizer

    tokens = Tokenizer.from_file(str(tokenizer))
    tokens.no_padding()
    tokens.no_truncation()
    cut = {key: passages_of(segment) for key, segment in store["segments"].items()}
    return [
        ((n, e), passage, lay_out(tokens, q["question"], passage))
        for n, q in enumerate(store["questions"][: limit or None])
        for e, entry in enumerate(q["entries"])
        for passage in cut[entry[0]]
    ]


def score(net: ReaderNet, folder: Path, tokenizer: Path, device: torch.device, workers: int, limit: int = 0) -> Scores:
    """For every entry its best window: relevance, the least null of all windows, the span's words, the window."""
    found: Scores = {}
    for name, stores in read_sets(folder):
        if workers == 1:
            works = [laid_out(store, tokenizer, limit) for store in stores]
        else:
            with ProcessPoolExecutor(workers) as pool:
                works = list(pool.map(laid_out, stores, [tokenizer] * len(stores), [limit] * len(stores)))
        found[name] = [[[[] for _ in q["entries"]] for q in s["questions"][: limit or None]] for s in stores]
        for held, work in zip(found[name], works, strict=True):
            for (n, e), passage, reading in _readings(net, work, device):
                last = held[n][e]
                least = min(reading.null, last[1]) if last else reading.null
                if last and last[0] >= reading.relevance:
                    last[1] = least
                    continue
                words = passage.text[reading.start : reading.end]
                held[n][e] = [reading.relevance, least, words, passage.text, passage.speaker]
    return found


def _readings(net: ReaderNet, work: list[Work], device: torch.device) -> Iterator[tuple[Any, Passage, Reading]]:
    order = sorted(range(len(work)), key=lambda n: len(work[n][2].ids))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        widest = max(len(work[n][2].ids) for n in rows)
        ids = np.zeros((len(rows), widest), np.int64)
        for place, n in enumerate(rows):
            ids[place, : len(work[n][2].ids)] = work[n][2].ids
        given = torch.from_numpy(ids).to(device)
        with torch.no_grad():
            relevance, spans = net(given, given > 0)
        first = torch.tensor([work[n][2].first for n in rows], device=device)
        last = first + torch.tensor([len(work[n][2].offsets) for n in rows], device=device)
        steps = torch.arange(widest, device=device)
        inside = (steps >= first[:, None]) & (steps < last[:, None])
        far = steps[None, :] - steps[:, None]
        allowed = inside[:, :, None] & inside[:, None, :] & (far >= 0) & (far < LONGEST_SPAN)
        sums = torch.where(allowed, spans[:, :, None, 0] + spans[:, None, :, 1], -1e4).flatten(1)
        best, where = sums.max(1)
        null = spans[:, 0].sum(1) - best
        shown = zip(rows, relevance.tolist(), null.tolist(), where.tolist(), strict=True)
        for n, fits, none, place in shown:
            made: Input = work[n][2]
            begin, end = divmod(place, widest)
            if not made.offsets:
                yield work[n][0], work[n][1], Reading(round(fits, 4), 20.0, 0, 0)
                continue
            span = made.offsets[begin - made.first][0], made.offsets[end - made.first][1]
            yield work[n][0], work[n][1], Reading(round(fits, 4), round(none, 4), *span)

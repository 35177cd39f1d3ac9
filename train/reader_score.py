"""Lets the reader read what recall brought back for the validation questions: every window of every entry."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engramma.models.reader import LONGEST_SPAN, Passage, lay_out, split_windows

from .reader_data import tail
from .reader_measure import Scores, read_sets
from .reader_model import ReaderNet
from .reader_packed import packed

MOST_WINDOWS = 12  # of one turn
BATCH = 60_000  # tokens at once
AT_ONCE = 12  # questions that one process lays out
NOTHING = 20.0  # the null of a passage without words


@dataclass(frozen=True, slots=True)
class Layout:
    """All that is to be read for one set: stores, questions, entries and windows, in their order."""

    ids: np.ndarray  # uint16, flat
    offsets: np.ndarray
    first: np.ndarray
    places: np.ndarray  # (tokens of passages, 2): their characters
    place_offsets: np.ndarray

    def save(self, path: Path) -> None:
        np.savez(path, **{field.name: getattr(self, field.name) for field in fields(self)})


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read, one value a window."""

    relevance: np.ndarray
    null: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def save(self, path: Path) -> None:
        np.savez_compressed(path, **{field.name: getattr(self, field.name) for field in fields(self)})


def passages_of(segment: dict[str, Any]) -> list[Passage]:
    """A segment's turns in windows; only a turn's first window knows the turn before."""
    said_at = datetime.fromisoformat(segment["said_at"])
    made, before = [], tail(*segment["before"]) if segment["before"] else ""
    for speaker, start, end in segment["spoken"] or [["", 0, len(segment["text"])]]:
        said = segment["text"][start:end]
        for number, (a, b) in enumerate(split_windows(said)[:MOST_WINDOWS]):
            made.append(Passage(said[a:b], speaker, before if number == 0 else "", said_at))
        before = tail(speaker, said) if said.strip() else before
    return made


def _laid_out(questions: list[dict[str, Any]], segments: dict[str, Any], path: Path) -> list[tuple[Any, ...]]:
    from tokenizers import Tokenizer

    tokens = Tokenizer.from_file(str(path))
    tokens.no_padding()
    tokens.no_truncation()
    cut = {key: passages_of(segment) for key, segment in segments.items()}
    made = []
    for q in questions:
        for key, *_ in q["entries"]:
            for passage in cut[key]:
                laid = lay_out(tokens, q["question"], passage)
                places = np.array(laid.offsets, np.int16).reshape(-1, 2)
                made.append((np.array(laid.ids, np.uint16), laid.first, places))
    return made


def layout(stores: list[dict[str, Any]], tokenizer: Path, workers: int) -> Layout:
    """The windows of a set as token ids."""
    jobs = []
    for store in stores:
        for start in range(0, len(store["questions"]), AT_ONCE):
            asked = store["questions"][start : start + AT_ONCE]
            needed = {key for q in asked for key, *_ in q["entries"]}
            jobs.append((asked, {key: store["segments"][key] for key in needed}, tokenizer))
    if workers == 1:
        parts = [_laid_out(*job) for job in jobs]
    else:
        with ProcessPoolExecutor(workers) as pool:
            parts = list(pool.map(_laid_out, *zip(*jobs, strict=True)))
    rows = [row for part in parts for row in part]
    return Layout(
        np.concatenate([row[0] for row in rows]),
        np.concatenate([[0], np.cumsum([len(row[0]) for row in rows])]),
        np.array([row[1] for row in rows]),
        np.concatenate([row[2] for row in rows]),
        np.concatenate([[0], np.cumsum([len(row[2]) for row in rows])]),
    )


def batches(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Rows of like length, so many that they fit."""
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        count = max(1, BATCH // int(lengths[order[min(len(order) - 1, start + BATCH // 64)]]))
        yield order[start : start + count]
        start += count


@torch.no_grad()
def read(net: ReaderNet, given: Layout, device: torch.device) -> Readings:
    """One reading a window."""
    count = len(given.first)
    relevance, null = np.zeros(count, np.float32), np.zeros(count, np.float32)
    spans = np.zeros((count, 2), np.int64)
    for rows in batches(np.diff(given.offsets)):
        tokens = packed([given.ids[given.offsets[n] : given.offsets[n + 1]] for n in rows], device)
        fits, ends = net(tokens)
        first = torch.from_numpy(given.first[rows]).to(device)
        last = first + torch.from_numpy(np.diff(given.place_offsets)[rows]).to(device)
        steps = torch.arange(tokens.width, device=device)
        inside = (steps >= first[:, None]) & (steps < last[:, None])
        far = steps[None, :] - steps[:, None]
        allowed = inside[:, :, None] & inside[:, None, :] & (far >= 0) & (far < LONGEST_SPAN)
        sums = torch.where(allowed, ends[:, :, None, 0] + ends[:, None, :, 1], -1e5).flatten(1)
        best, where = sums.max(1)
        relevance[rows] = fits.float().cpu().numpy()
        null[rows] = torch.where(last > first, ends[:, 0].sum(1) - best, NOTHING).cpu().numpy()
        begin = torch.where(last > first, where // tokens.width - first, 0)
        end = torch.where(last > first, where % tokens.width - first, 0)
        spans[rows] = torch.stack([begin, end], 1).cpu().numpy()
    at = given.place_offsets[:-1]
    empty = np.diff(given.place_offsets) == 0
    start, end = (
        np.where(empty, 0, given.places[np.minimum(at + spans[:, n], len(given.places) - 1), n]) for n in (0, 1)
    )
    return Readings(relevance, null, start.astype(np.int16), end.astype(np.int16))


def expand(stores: list[dict[str, Any]], found: Readings) -> list[Any]:
    """By store, question and entry: every window's relevance, null, span, text and speaker."""
    at = 0
    made = []
    for store in stores:
        cut = {key: passages_of(segment) for key, segment in store["segments"].items()}
        asked = []
        for q in store["questions"]:
            entries = []
            for key, *_ in q["entries"]:
                shown = []
                for passage in cut[key]:
                    words = passage.text[found.start[at] : found.end[at]]
                    fits, null = round(float(found.relevance[at]), 3), round(float(found.null[at]), 3)
                    shown.append([fits, null, words, passage.text, passage.speaker])
                    at += 1
                entries.append(shown)
            asked.append(entries)
        made.append(asked)
    assert at == len(found.relevance)
    return made


def expand_all(folder: Path, found: dict[str, Readings]) -> Scores:
    return {name: expand(stores, found[name]) for name, stores in read_sets(folder) if name in found}


def load_layout(path: Path) -> Layout:
    with np.load(path) as kept:
        return Layout(**{name: kept[name] for name in kept.files})


def load_readings(path: Path) -> Readings:
    with np.load(path) as kept:
        return Readings(**{name: kept[name] for name in kept.files})

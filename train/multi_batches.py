"""Batches for the multilingual encoder, drawn on the device: translated sentences, English with words put in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from . import multi_pack
from .multi_corpus import WIDE

CLS, SEP = 101, 102
ROOM = 126  # tokens between the marks
PIECES = multi_pack.PIECES
WINDOW = 70  # words of an English text
MOVED = 4.0  # places by which a word may move
LEFT_OUT = 0.5  # of the words that a dictionary has not, at most


@dataclass(frozen=True, slots=True)
class Flat:
    """Many rows of ids in one array."""

    ids: Tensor
    offsets: Tensor

    def cut(self, start: Tensor, end: Tensor, room: int) -> tuple[Tensor, Tensor]:
        """Ids from row `start` to row `end`, padded, and which of them count."""
        first, sizes = self.offsets[start], (self.offsets[end] - self.offsets[start]).clamp(max=room)
        steps = torch.arange(max(1, int(sizes.max())), device=self.ids.device)
        is_there = steps < sizes[:, None]
        places = (first[:, None] + steps).clamp(max=len(self.ids) - 1)
        return torch.where(is_there, self.ids[places], 0), is_there


def flat(ids: np.ndarray, sizes: np.ndarray, device: torch.device) -> Flat:
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Flat(torch.from_numpy(ids.astype(np.int64)).to(device), torch.from_numpy(offsets).to(device))


def joined(ids: np.ndarray, sizes: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ids of chosen rows one after another."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    chosen = sizes[rows]
    spots = np.repeat(offsets[rows] - (np.cumsum(chosen) - chosen), chosen) + np.arange(chosen.sum())
    return ids[spots], chosen


def by_row(ids: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Rows of ids as a matrix of PIECES columns; -1 where there is none."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    steps = np.arange(PIECES)
    spots = np.minimum(offsets[:, None] + steps, max(0, len(ids) - 1))
    return np.where(steps < sizes[:, None], ids[spots], -1)


def packed(tokens: Tensor, room: int = ROOM) -> tuple[Tensor, Tensor]:
    """(rows, places) with -1 for nothing: moved to the left, with the marks at both ends, and a mask."""
    tokens = torch.where(tokens >= 0, tokens, -1)
    order = torch.argsort((tokens < 0).to(torch.uint8), dim=1, stable=True)[:, :room]
    ids = torch.gather(tokens, 1, order)
    sizes = (ids >= 0).sum(1)
    width = -(-(int(sizes.max()) + 2) // 8) * 8
    out = torch.zeros((len(ids), width), dtype=torch.long, device=ids.device)
    kept = ids[:, : width - 2]
    out[:, 1 : 1 + kept.shape[1]] = kept.clamp(min=0)
    out[:, 0] = CLS
    out.scatter_(1, sizes[:, None] + 1, SEP)
    mask = torch.arange(width, device=ids.device) < sizes[:, None] + 2
    return out * mask, mask


class Data:
    """All of a folder that multi_pack wrote, on the device."""

    def __init__(self, folder: Path, device: torch.device, seed: int = 1) -> None:
        self.device = device
        self.codes: list[str] = json.loads((folder / "codes.json").read_text("utf-8"))
        common = multi_pack.load(folder / "common.xz")
        self.size, self.texts = (int(value) for value in common["size"])
        self.starts = {name: common[name] for name in ("start_new", "start_known", "start_share")}
        self.said = flat(common["said_rows"], common["said_sizes"], device)
        self.word_ids = torch.from_numpy(by_row(common["word_ids"], common["word_sizes"])).to(device)
        plain = by_row(common["plain_ids"], common["plain_sizes"])
        self.plain_ids = torch.from_numpy(plain).to(device)
        ids, sizes, rows, counts = [], [], [], []
        for code in self.codes:
            if not (folder / f"{code}.xz").is_file():
                counts.append(0)
                continue
            own = multi_pack.load(folder / f"{code}.xz")
            ids.append(own[f"{code}_ids"])
            sizes.append(own[f"{code}_sizes"])
            rows.append(np.cumsum(own[f"{code}_english"]))
            counts.append(len(rows[-1]))
        self.pairs = flat(np.concatenate(ids), np.concatenate(sizes), device)
        english = np.concatenate(rows) + self.texts
        self.english = flat(*joined(common["said_rows"], common["said_sizes"], english), device)
        self.ranges = torch.tensor(np.concatenate([[0], np.cumsum(counts)]), device=device)
        weights = np.array(
            [count**0.5 * (1.5 if code in WIDE else 1.0) for code, count in zip(self.codes, counts, strict=True)]
        )
        self.weights = torch.tensor(weights, dtype=torch.float32, device=device)
        self._entries(common, len(common["word_sizes"]))
        self.random = torch.Generator(device=device)
        self.random.manual_seed(seed)

    def _entries(self, common: dict[str, np.ndarray], words: int) -> None:
        """Dictionaries: where the entries of a language and word begin, and how many there are."""
        keys = common["entry_language"] * words + common["entry_word"]
        counts = np.bincount(keys, minlength=len(self.codes) * words)
        starts = np.cumsum(counts) - counts
        shape = (len(self.codes), words)
        self.first = torch.from_numpy(starts.reshape(shape)).to(self.device)
        self.many = torch.from_numpy(counts.reshape(shape)).to(self.device)
        self.entries = torch.from_numpy(by_row(common["entry_ids"], common["entry_sizes"])).to(self.device)
        filled = (self.many > 0).sum(1).float()
        self.dictionary_weights = filled.sqrt() * self.weights.gt(0)

    def _uniform(self, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.random, device=self.device)

    def translated(self, count: int) -> tuple[Tensor, Tensor]:
        """Runs of one to twelve neighbouring pairs: tokens in another language, and English words."""
        language = torch.multinomial(self.weights, count, True, generator=self.random)
        low, high = self.ranges[language], self.ranges[language + 1]
        start = low + (self._uniform(count) * (high - low)).long().clamp(max=10**9)
        many, chance = (1 + 12 * self._uniform(count) ** 2).long(), self._uniform(count)
        many = torch.where(chance < 0.5, 1, many)
        for smaller in (None, 3, 1):
            many = many if smaller is None else torch.where(self._fits(start, many, high), many, smaller)
        end = torch.minimum(start + many, high)
        ids, there = self.pairs.cut(start, end, ROOM)
        words, told = self.english.cut(start, end, ROOM)
        return torch.where(there, ids, -1), torch.where(told, words, -1)

    def _fits(self, start: Tensor, many: Tensor, high: Tensor) -> Tensor:
        end = torch.minimum(start + many, high)
        tokens = self.pairs.offsets[end] - self.pairs.offsets[start]
        words = self.english.offsets[end] - self.english.offsets[start]
        return (tokens <= ROOM) & (words <= WINDOW)

    def windows(self, count: int) -> Tensor:
        """Words of English texts, from a place drawn by chance."""
        row = (self._uniform(count) * self.texts).long()
        first, end = self.said.offsets[row], self.said.offsets[row + 1]
        room = WINDOW * (0.15 + 0.85 * self._uniform(count))
        begin = first + (self._uniform(count) * (end - first - room).clamp(min=0)).long()
        size = torch.minimum(end - begin, room.long().clamp(min=4))
        steps = torch.arange(WINDOW, device=self.device)
        places = (begin[:, None] + steps).clamp(max=len(self.said.ids) - 1)
        return torch.where(steps < size[:, None], self.said.ids[places], -1)

    def _reordered(self, words: Tensor) -> Tensor:
        """Words moved by a few places in half of the texts, as other languages order them differently."""
        places = torch.arange(words.shape[1], device=self.device) + MOVED * self._uniform(*words.shape)
        is_still = self._uniform(len(words), 1) < 0.5
        order = torch.where(is_still, torch.arange(words.shape[1], device=self.device), places).argsort(dim=1)
        return torch.gather(words, 1, order)

    def mixed(self, words: Tensor) -> Tensor:
        """English words with most of them put into another language by its dictionary."""
        count = len(words)
        language = torch.multinomial(self.dictionary_weights, count, True, generator=self.random)
        words = self._reordered(words)
        known = words.clamp(min=0)
        many = self.many[language[:, None], known]
        is_left_out = (many == 0) & (self._uniform(*words.shape) < LEFT_OUT * self._uniform(count, 1))
        words = torch.where(is_left_out, -1, words)
        share = 0.6 + 0.7 * self._uniform(count, 1)
        is_put = (words >= 0) & (many > 0) & (self._uniform(*words.shape) < share)
        pick = self.first[language[:, None], known] + (self._uniform(*words.shape) * many).long()
        put = self.entries[pick.clamp(max=len(self.entries) - 1)]
        tokens = torch.where(is_put[..., None], put, self.word_ids[known])
        return torch.where((words >= 0)[..., None], tokens, -1).flatten(1)

    def plain(self, words: Tensor) -> Tensor:
        """The tokens of English words in engramma-mini."""
        return torch.where((words >= 0)[..., None], self.plain_ids[words.clamp(min=0)], -1).flatten(1)

    def own(self, words: Tensor) -> Tensor:
        """The tokens of English words in the new vocabulary."""
        return torch.where((words >= 0)[..., None], self.word_ids[words.clamp(min=0)], -1).flatten(1)

"""Batches for fine-tuning: pairs drawn by kind, two names a group, negatives from sessions and from mining."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .settings import Config

PLAIN, NAMED, WINDOW, GREETED = range(4)  # the forms of a turn, in the order of corpus._forms
WINDOW_SHARE, GREETED_SHARE = 0.15, 0.15  # of named turns
OPEN = ("need", "update")  # anything said in the same conversation may be what they need


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of texts with the names for each; `own` is where a query's document stands."""

    queries: Tensor
    query_names: Tensor
    documents: Tensor
    document_names: Tensor
    own: Tensor
    hidden: Tensor  # (queries, documents): answers of the same question, which are no negatives


class Pairs:
    """The pairs of the corpus folder on a device."""

    def __init__(self, data: Path, config: Config, people: tuple[list[int], list[int]], device: torch.device) -> None:
        with np.load(data / "pairs.npz") as read:
            found = {name: read[name] for name in read.files}
        with np.load(data / "turns.npz") as read:
            turns = {name: read[name] for name in read.files}
        names = [str(name) for name in found["kinds"]]
        kept = [number for number, name in enumerate(names) if name in config.corpus.kinds]
        rows = np.flatnonzero(np.isin(found["kind"], kept))
        self.config, self.device = config.finetune, device
        self.is_rewritten = "rewrite" in config.corpus.kinds
        self.has_windows = "window" in config.corpus.kinds
        self.rng = np.random.default_rng(config.general.seed)
        self.query, self.noisy, self.turn, self.group = (
            found[name][rows].astype(np.int64) for name in ("query", "noisy", "turn", "group")
        )
        self.unnamed = found["unnamed"][rows]
        self.is_open = np.isin(found["kind"][rows], [n for n, name in enumerate(names) if name in OPEN])
        self.forms, self.session = turns["forms"].astype(np.int64), turns["session"]
        self.origin = turns["origin"].astype(np.int64)
        self.people = [np.array(side, np.int64) for side in people]
        self.mined = np.full((len(self.turn), 0), -1, np.int64)
        self.by_kind = {names[n]: np.flatnonzero(found["kind"][rows] == n) for n in kept if (found["kind"] == n).any()}
        self.answers = np.unique(self._key(self.group, self.turn))
        self.has_several = np.bincount(self.answers // len(self.forms))[self.group] > 1
        self.in_session, self.session_start, self.session_end = _places(self.session)
        whole = turns["whole"].astype(np.int64)
        self.is_window = whole >= 0
        self.in_answer, self.answer_start, self.answer_end = _places(whole)

    def _key(self, group: np.ndarray, turn: np.ndarray) -> np.ndarray:
        return group * len(self.forms) + self.origin[turn]

    def draw(self) -> Batch:
        """One batch."""
        rows = self._rows()
        count = len(rows)
        named, women, names = self._names(count)
        named &= ~self.unnamed[rows]
        worded = np.where(named, np.where(women, 1, 2), 0)
        slips = self.rng.random(count) < self.config.typos
        queries = np.where(slips, self.noisy[rows, worded], self.query[rows, worded])
        turns, form = self.turn[rows], self._forms(named)
        told = self.rng.random(count) < self.config.told_by_other
        documents = [self.forms[turns, form]]
        document_names = [np.where(told[:, None], names[:, ::-1], names)]
        shown = [turns]
        for negatives in self._negatives(rows):
            other = self.rng.random(count) > self.config.same_speaker
            documents.append(self.forms[negatives, np.where(named, NAMED, PLAIN)])
            document_names.append(np.where(other[:, None], names[:, ::-1], names))
            shown.append(negatives)
        hidden = self._hidden(rows, np.concatenate(shown))
        if self.config.swapped and self.is_rewritten:
            chosen = np.flatnonzero(named & (self.rng.random(count) < self.config.swapped))
            documents.append(self.forms[turns[chosen], form[chosen]])
            document_names.append(names[chosen, ::-1])
            hidden = np.concatenate([hidden, self._hidden_swaps(rows, turns[chosen], chosen)], axis=1)
        hidden[np.arange(count), np.arange(count)] = False
        return Batch(
            self._send(queries),
            self._send(names),
            self._send(np.concatenate(documents)),
            self._send(np.concatenate(document_names)),
            torch.arange(count, device=self.device),
            self._send(hidden),
        )

    def _send(self, value: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(value)).to(self.device)

    def _rows(self) -> np.ndarray:
        """Pairs by the shares of their kinds."""
        shares = {kind: self.config.shares.get(kind, 0.0) for kind in self.by_kind}
        kinds = [kind for kind, share in shares.items() if share > 0]
        weights = np.array([shares[kind] for kind in kinds])
        counts = self.rng.multinomial(self.config.batch, weights / weights.sum())
        drawn = [self.rng.choice(self.by_kind[kind], count) for kind, count in zip(kinds, counts, strict=True)]
        rows = np.concatenate(drawn)
        self.rng.shuffle(rows)
        return rows

    def _names(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which pairs are about a name, which names are women's, and the two names of every pair.

        A group of pairs shares its two names, as the turns of one conversation do: otherwise the name alone
        would tell most negatives apart.
        """
        groups = -(-count // self.config.group)
        women = self.rng.random((groups, 2)) < 0.5
        first, second = (
            np.where(women[:, side], self.rng.choice(self.people[0], groups), self.rng.choice(self.people[1], groups))
            for side in (0, 1)
        )
        of = np.arange(count) // self.config.group
        turned = self.rng.random(count) < 0.5
        names = np.stack([first[of], second[of]], axis=1)
        names = np.where(turned[:, None], names[:, ::-1], names)
        is_woman = np.where(turned, women[of, 1], women[of, 0])
        named = self.rng.random(count) < (self.config.named if self.is_rewritten else 0.0)
        return named, is_woman, names

    def _forms(self, named: np.ndarray) -> np.ndarray:
        luck = self.rng.random(len(named))
        form = np.where(luck < GREETED_SHARE, GREETED, NAMED)
        if self.has_windows:
            form = np.where(luck > 1 - WINDOW_SHARE, WINDOW, form)
        return np.where(named, form, PLAIN)

    def _negatives(self, rows: np.ndarray) -> list[np.ndarray]:
        """Turns of the same session, then mined ones; a random turn where there is none.

        Of a window, the first is another window of the same answer.
        """
        turns, count = self.turn[rows], len(rows)
        lists = []
        for number in range(self.config.session_negatives):
            found = self._any(self.in_session, self.session_start[turns], self.session_end[turns])
            if number == 0:
                beside = self._any(self.in_answer, self.answer_start[turns], self.answer_end[turns])
                found = np.where(self.is_window[turns], beside, found)
            lists.append(found)
        for _ in range(self.config.mined_negatives if self.mined.shape[1] else 0):
            found = self.mined[rows, self.rng.integers(0, self.mined.shape[1], count)]
            lists.append(np.where(found >= 0, found, self.rng.integers(0, len(self.forms), count)))
        return lists

    def _any(self, order: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        return order[start + (self.rng.random(len(start)) * (end - start)).astype(np.int64)]

    def _hidden(self, rows: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Which turns answer which of the questions; only some questions have several answers to look up."""
        hidden = self.origin[self.turn[rows]][:, None] == self.origin[turns][None]
        same = self.session[self.turn[rows]][:, None] == self.session[turns][None]
        hidden |= self.is_open[rows][:, None] & same
        several = np.flatnonzero(self.has_several[rows])
        keys = self.group[rows[several]][:, None] * len(self.forms) + self.origin[turns][None]
        places = np.searchsorted(self.answers, keys).clip(max=len(self.answers) - 1)
        hidden[several] |= self.answers[places] == keys
        return hidden

    def _hidden_swaps(self, rows: np.ndarray, turns: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The same text by the other speaker is a negative for its own query, and left out for its like."""
        hidden = self._hidden(rows, turns)
        hidden[chosen, np.arange(len(chosen))] = False
        return hidden


def _places(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An order in which equal values stand together, and where those of each place's value begin and end."""
    order = np.argsort(values, kind="stable")
    return order, np.searchsorted(values[order], values, "left"), np.searchsorted(values[order], values, "right")

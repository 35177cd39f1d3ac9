"""Looks for hard negatives: turns that BM25 or the encoder itself takes for answers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from . import batches, encode, model, settings, tokens, weights

K1, B = 1.2, 0.75
AT_ONCE = 512  # queries


def mined(encoder: model.Encoder | None, data: Path, config: settings.Config) -> np.ndarray:
    """Turns a pair (rows as in the pairs that the configuration keeps): by BM25, then by the encoder if given."""
    device = encode.device()
    report = json.loads((data / "corpus.json").read_text("utf-8"))
    pairs = batches.Pairs(data, config, (report["female"], report["male"]), device)
    batcher = tokens.Batcher(tokens.load(data / "texts.npz"), device)
    lists = [_by_words(pairs, batcher, config)]
    if encoder is not None:
        lists.append(_by_vectors(encoder.to(device), pairs, batcher, config))
    return np.concatenate(lists, axis=1)


def _by_vectors(
    encoder: model.Encoder, pairs: batches.Pairs, batcher: tokens.Batcher, config: settings.Config
) -> np.ndarray:
    """Everyone has the same name, so that only what is said counts."""
    names = torch.tensor([[int(side[0]) for side in pairs.people]], device=pairs.device)
    limit = config.finetune.max_tokens

    def vectors(rows: np.ndarray) -> Tensor:
        chosen = torch.from_numpy(rows).to(pairs.device)
        return encode.embed(encoder, batcher, chosen, limit, names.expand(len(rows), 2)).float()

    turns, queries = vectors(pairs.forms[:, batches.NAMED]), vectors(pairs.query[:, 1])
    plain, unnamed = vectors(pairs.forms[:, batches.PLAIN]), torch.from_numpy(pairs.unnamed).to(pairs.device)

    def scores(chunk: slice) -> Tensor:
        return torch.where(unnamed[chunk, None], queries[chunk] @ plain.T, queries[chunk] @ turns.T)

    return _nearest(pairs, config, scores)


def _by_words(pairs: batches.Pairs, batcher: tokens.Batcher, config: settings.Config) -> np.ndarray:
    """BM25 over word pieces; the weights of terms are one sparse matrix."""
    limit = config.finetune.max_tokens
    turns = _counts(batcher, torch.from_numpy(pairs.forms[:, batches.PLAIN]).to(pairs.device), limit)
    queries = torch.from_numpy(pairs.query[:, 0]).to(pairs.device)
    rows, terms = turns.indices()
    length = torch.zeros(turns.shape[0], device=pairs.device).index_add_(0, rows, turns.values())
    seen = torch.bincount(terms, minlength=turns.shape[1])
    rarity = torch.log(1 + (turns.shape[0] - seen + 0.5) / (seen + 0.5))
    often = turns.values()
    weight = rarity[terms] * often * (K1 + 1) / (often + K1 * (1 - B + B * (length / length.mean())[rows]))
    matrix = torch.sparse_coo_tensor(turns.indices(), weight, turns.shape, check_invariants=False)

    def scores(chunk: slice) -> Tensor:
        asked = _counts(batcher, queries[chunk], limit).to_dense().clamp(max=1)
        return torch.sparse.mm(matrix, asked.T).T

    return _nearest(pairs, config, scores)


def _counts(batcher: tokens.Batcher, rows: Tensor, limit: int) -> Tensor:
    """How often each token is in each text; marks are left out."""
    parts = []
    for start in range(0, len(rows), 4096):
        ids, _ = batcher.gather(rows[start : start + 4096], limit)
        texts, places = torch.nonzero(ids > tokens.SEP, as_tuple=True)
        parts.append(torch.stack([texts + start, ids[texts, places]]))
    where = torch.cat(parts, dim=1)
    ones = torch.ones(where.shape[1], device=rows.device)
    return torch.sparse_coo_tensor(where, ones, (len(rows), model.MINILM.words), check_invariants=False).coalesce()


def _nearest(pairs: batches.Pairs, config: settings.Config, scores: Callable[[slice], Tensor]) -> np.ndarray:
    """The best wrong turns of every query, none that scores nearly as well as the right one."""
    chosen = config.mine
    origin = torch.from_numpy(pairs.origin).to(pairs.device)
    right, session = (torch.from_numpy(value).to(pairs.device) for value in (pairs.turn, pairs.session))
    kept = []
    for start in range(0, len(right), AT_ONCE):
        chunk = slice(start, start + AT_ONCE)
        all_scores = scores(chunk)
        own = all_scores.gather(1, right[chunk, None])
        values, found = all_scores.topk(min(chosen.depth, all_scores.shape[1]), dim=1)
        wrong = (origin[found] != origin[right[chunk, None]]) & (values < own * chosen.ceiling)
        if chosen.elsewhere:
            wrong &= session[found] != session[right[chunk, None]]
        order = torch.argsort((~wrong).int(), dim=1, stable=True)[:, : chosen.keep]
        best = torch.where(wrong.gather(1, order), found.gather(1, order), -1)
        kept.append(best.cpu().numpy())
    return np.concatenate(kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="the encoder; without it, by BM25 alone")
    parser.add_argument("--config", type=Path, default=settings.CONFIG)
    parser.add_argument("--out", type=Path, required=True, help="negatives.npy")
    options = parser.parse_args()
    encoder = None
    if options.weights:
        encoder = model.Encoder()
        model.put(encoder, weights.read(options.weights))
    np.save(options.out, mined(encoder, options.data, settings.load(options.config)))


if __name__ == "__main__":
    main()

"""Retrieval figures from vectors: numpy alone, for torch and for ONNX alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .validation import Store, Validation

Vectors = NDArray[np.float32]
SHORT_BITS = 256  # the index folds a vector to so many signs for its first look


def measured(
    data: Validation, vectors: Vectors, depth: int, rescored: int, dimensions: Sequence[int]
) -> dict[str, object]:
    """All figures, from the vectors of `corpus.validation_order`."""
    place, stores = 0, []
    for store in (*data.locomo, *([data.longmemeval] if data.longmemeval else [])):
        documents = vectors[place : place + len(store.texts)]
        place += len(store.texts)
        stores.append((store, documents, vectors[place : place + len(store.questions)]))
        place += len(store.questions)
    talks = [item for item in stores if not item[0].is_session_gold]
    report: dict[str, object] = {"locomo": locomo(talks, depth)}
    report["locomo_by_dimension"] = {
        str(size): locomo([(store, cut(d, size), cut(q, size)) for store, d, q in talks], depth)["1-4"]
        for size in dimensions
    }
    for store, documents, queries in stores:
        if store.is_session_gold:
            report["longmemeval_apart"] = sessions(store, documents, queries)
    report["codes"] = codes(stores, depth, rescored)
    report["everyday_auroc"] = everyday(data, vectors[place:])
    return report


def cut(vectors: Vectors, size: int) -> Vectors:
    """The first dimensions, at unit length."""
    short = vectors[:, :size]
    return short / np.maximum(np.linalg.norm(short, axis=1, keepdims=True), 1e-12)


def locomo(talks: Sequence[tuple[Store, Vectors, Vectors]], depth: int) -> dict[str, float]:
    """Turn recall in percent: the share of evidence turns among the first ones, averaged over questions."""
    found: dict[int, list[float]] = {}
    for store, documents, queries in talks:
        best = np.argsort(-(queries @ documents.T), axis=1, kind="stable")[:, :depth]
        for row, kind, gold in zip(best, store.kinds, store.gold, strict=True):
            found.setdefault(kind, []).append(len(set(gold) & set(row.tolist())) / len(gold))
    answerable = [value for kind, values in found.items() if kind != 5 for value in values]
    every = [value for values in found.values() for value in values]
    figures = {"1-4": _percent(answerable), "all": _percent(every)}
    return figures | {str(kind): _percent(found[kind]) for kind in sorted(found)}


def sessions(store: Store, documents: Vectors, queries: Vectors) -> dict[str, float]:
    """Whether any and all gold sessions are among the first; a session counts by its best turn."""
    of_turn = np.array(store.sessions)
    scores = queries @ documents.T
    best = np.full((len(queries), int(of_turn.max()) + 1), -np.inf, np.float32)
    for session in np.unique(of_turn):
        best[:, session] = scores[:, of_turn == session].max(axis=1)
    order = np.argsort(-best, axis=1, kind="stable")
    figures: dict[str, float] = {"n": len(queries)}
    for depth in (1, 5, 10):
        hits = [
            len(set(gold) & set(row[:depth].tolist())) / len(gold) for row, gold in zip(order, store.gold, strict=True)
        ]
        figures[f"any@{depth}"] = _percent([float(hit > 0) for hit in hits])
        figures[f"all@{depth}"] = _percent([float(hit == 1) for hit in hits])
    return figures


def codes(stores: Sequence[tuple[Store, Vectors, Vectors]], depth: int, rescored: int) -> dict[str, float]:
    """Share of the exact first ten that is among the nearest sign codes, all turns in one store."""
    documents = np.concatenate([item[1] for item in stores])
    queries = np.concatenate([item[2] for item in stores])
    exact = np.argsort(-(queries @ documents.T), axis=1, kind="stable")[:, :depth]
    figures: dict[str, float] = {"turns": len(documents)}
    for name, change in (("384", lambda v: v), ("256 folded", folded)):
        distance = -(np.sign(change(queries)) @ np.sign(change(documents)).T)
        order = np.argsort(distance, axis=1, kind="stable")
        for count in (100, rescored):
            pairs = zip(exact, order[:, :count], strict=True)
            figures[f"{name} signs, {count} rescored"] = _percent(
                [len(np.intersect1d(truth, near)) / len(truth) for truth, near in pairs]
            )
    return figures


def folded(vectors: Vectors) -> Vectors:
    """Dimension 256 is added to 0, 257 to 1, and so on, as the index does."""
    short = vectors[:, :SHORT_BITS].copy()
    for start in range(SHORT_BITS, vectors.shape[1], SHORT_BITS):
        more = vectors[:, start : start + SHORT_BITS]
        short[:, : more.shape[1]] += more
    return short


def everyday(data: Validation, vectors: Vectors) -> float:
    """How well similarity tells paraphrases from unrelated sentences: the area under the curve."""
    scores = (vectors[0::2] * vectors[1::2]).sum(axis=1)
    labels = np.array([label for _, _, label in data.everyday])
    good, bad = scores[labels == 1], scores[labels == 0]
    wins = (good[:, None] > bad[None]).mean() + 0.5 * (good[:, None] == bad[None]).mean()
    return round(float(wins), 4)


def _percent(values: Sequence[float]) -> float:
    return round(100 * float(np.mean(values)), 2) if len(values) else float("nan")

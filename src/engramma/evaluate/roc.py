"""Abstention as a curve: how many adversarial questions are refused for how many answerable ones lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

RIDGE, STEPS = 1.0, 50
ALLOWED = 0.08  # of the answerable questions may be refused
AIMED_AT = 0.065  # where a threshold is put, so that other conversations stay within what is allowed

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Names = NDArray[np.str_]


def auroc(confidence: Array, answerable: Flags) -> float:
    """How likely an answerable question is more confident than an adversarial one; ties count half."""
    low, high = np.sort(confidence[~answerable]), confidence[answerable]
    if not len(low) or not len(high):
        return float("nan")
    below, at_most = np.searchsorted(low, high, "left"), np.searchsorted(low, high, "right")
    return float((below + at_most).sum() / (2 * len(low) * len(high)))


def compute_roc_curve(confidence: Array, answerable: Flags) -> list[dict[str, float]]:
    """For every threshold that changes something: the share of each kind whose confidence is below it."""
    thresholds = np.append(np.unique(confidence), 1.0 + 1e-9)
    low, high = np.sort(confidence[~answerable]), np.sort(confidence[answerable])
    return [
        {
            "threshold": round(min(1.0, float(threshold)), 4),
            "answerable_refused": round(int(np.searchsorted(high, threshold)) / max(1, len(high)), 4),
            "adversarial_refused": round(int(np.searchsorted(low, threshold)) / max(1, len(low)), 4),
        }
        for threshold in thresholds
    ]


def refused_at(confidence: Array, answerable: Flags, share: float) -> float:
    """The share of adversarial questions refused where at most this share of the answerable ones is."""
    high = np.sort(confidence[answerable])
    if not len(high) or answerable.all():
        return float("nan")
    threshold = high[min(len(high) - 1, int(share * len(high)))]
    return float((confidence[~answerable] < threshold).mean())


def pair(refused: Flags, answerable: Flags) -> dict[str, float]:
    """The only honest figure of abstention: both shares."""
    return {"adversarial_refused": _share(refused[~answerable]), "answerable_refused": _share(refused[answerable])}


def _share(flags: Flags) -> float:
    return round(float(flags.mean()), 4) if len(flags) else float("nan")


def fit_logistic(measured: Array, answerable: Flags) -> tuple[Array, float]:
    """Logistic regression with a ridge on standardised measures, by Newton's method; weights of the raw measures."""
    mean, spread = measured.mean(axis=0), measured.std(axis=0) + 1e-9
    design = np.c_[(measured - mean) / spread, np.ones(len(measured))]
    ridge = np.diag([RIDGE] * measured.shape[1] + [0.0])
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (likely - answerable) + ridge @ weights
        curvature = (design * (likely * (1 - likely))[:, None]).T @ design + ridge
        weights -= np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), slope)
    raw = weights[:-1] / spread
    return raw, float(weights[-1] - raw @ mean)


def cross_validated(measured: Array, answerable: Flags, talks: Names) -> dict[str, Any]:
    """AUROC and the pair, each conversation by weights and a threshold from the others, and their spread."""
    scores, refused = np.zeros(len(talks)), np.zeros(len(talks), bool)
    for talk in sorted(set(talks.tolist())):
        own = talks == talk
        weights, bias = fit_logistic(measured[~own], answerable[~own])
        scores[own] = measured[own] @ weights + bias
        rest = measured[~own] @ weights + bias
        refused[own] = scores[own] < np.quantile(rest[answerable[~own]], AIMED_AT)
    return {
        "auroc": round(auroc(scores, answerable), 4),
        "refused_at_8": round(refused_at(scores, answerable, ALLOWED), 4),
        **pair(refused, answerable),
        "by_conversation": by_conversation(scores, refused, answerable, talks),
    }


def by_conversation(confidence: Array, refused: Flags, answerable: Flags, talks: Names) -> dict[str, Any]:
    found = {}
    for talk in sorted(set(talks.tolist())):
        own = talks == talk
        found[talk] = {
            "n": int(own.sum()),
            "auroc": round(auroc(confidence[own], answerable[own]), 4),
            **pair(refused[own], answerable[own]),
        }
    return found

"""Abstention as a curve: how many adversarial questions are refused for how many answerable ones lost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def auroc(confidence: Array, answerable: Flags) -> float:
    """How likely an answerable question is more confident than an adversarial one; ties count half."""
    low, high = np.sort(confidence[~answerable]), confidence[answerable]
    if not len(low) or not len(high):
        return float("nan")
    below, at_most = np.searchsorted(low, high, "left"), np.searchsorted(low, high, "right")
    return float((below + at_most).sum() / (2 * len(low) * len(high)))


def curve(confidence: Array, answerable: Flags) -> list[dict[str, float]]:
    """For every threshold that changes something: the share of each kind whose confidence is below it."""
    points = [{"threshold": 0.0, "answerable_refused": 0.0, "adversarial_refused": 0.0}]
    for threshold in [*np.unique(confidence).tolist()[1:], 1.0000001]:
        below = confidence < threshold
        points.append(
            {
                "threshold": round(min(1.0, threshold), 4),
                "answerable_refused": round(float(below[answerable].mean()), 4),
                "adversarial_refused": round(float(below[~answerable].mean()), 4),
            }
        )
    return points


def refused_at(confidence: Array, answerable: Flags, share: float) -> float:
    """The share of adversarial questions refused where at most this share of the answerable ones is."""
    threshold = np.sort(confidence[answerable])[int(share * answerable.sum())]
    return float((confidence[~answerable] < threshold).mean())

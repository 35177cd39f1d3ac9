"""Thresholds that fit the model: the seed's fixed numbers, or the store's own background.

PMG's 0.6 / 0.6 / 0.85 were chosen for BGE-m3. Another model's cosines lie elsewhere: with our
encoder two unrelated turns of one conversation reach 0.52 on average, while a question and its
answer reach 0.60. So `auto` asks the store itself what is ordinary, and calls related only what
rises above it. It looks at

- pairs of sampled segments from different sessions: what similarity comes by chance;
- probe questions against sampled segments: what similarity any question has with anything.

The sample is the segments with the smallest `tie`, which comes from their identity: the same
content gives the same thresholds, whatever the order in which it was stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..records import Plan, Thresholds
from .distinct import quantile_of

SAMPLE = 256  # segments; 32,000 pairs, a few milliseconds
LEAST_PAIRS = 300  # with fewer pairs the edge quantile means nothing and the fixed numbers stay
# Chosen on the LoCoMo development half: see "Thresholds" in docs/log.md.
FLOOR_DEVIATIONS = 3.5  # at most, above the mean of what any question has with any segment
FLOOR_SHARE = 0.88  # of what the best of n chance similarities would reach: 3.5 at 2,800 segments, 1.5 at four
GATE = 1.25  # 4.4 deviations at 2,800 segments
EDGE_QUANTILE = 0.99  # one chance pair in a hundred is as similar as an edge

# Plain questions as people ask them, about nobody and nothing in particular.
PROBES = (
    "What did she say about her job?",
    "When is the appointment?",
    "Where did they go on holiday?",
    "Who recommended the book?",
    "Why did he change his mind?",
    "How did we fix the problem?",
    "What is the name of the dog?",
    "Which city does he want to move to?",
    "What did I decide about the budget?",
    "When did they meet for the first time?",
    "What does she like to cook?",
    "How old is her son?",
    "What kind of music does he listen to?",
    "Which version of the software are we using?",
    "What was the doctor's advice?",
    "Who is coming to the party?",
    "What present did she get for her birthday?",
    "Where do they keep the keys?",
    "How long did the trip take?",
    "What are the plans for the weekend?",
    "Which sport does he play?",
    "What did the teacher think of the project?",
    "Has she ever been abroad?",
    "What is the password policy at work?",
)


def fixed(plan: Plan) -> Thresholds:
    return Thresholds(plan.floor, plan.edge, plan.dedup, "fixed")


def deviations(segments: int) -> float:
    """How far above the mean the floor lies in a store of this size.

    The best of n normal numbers lies about sqrt(2 ln n) deviations above their mean: in a small store
    chance does not reach far, so a floor made for a large one would hide answers.
    """
    return min(FLOOR_DEVIATIONS, FLOOR_SHARE * math.sqrt(2 * math.log(max(segments, 2))))


def compute_gate(thresholds: Thresholds) -> float:
    """What the nearest segment of all must reach for anything to be shown: the floor, and a quarter further from what
    is ordinary. The floor lets the second and third turn of an answer through; one of them has to be clear."""
    mean = thresholds.background.get("question_mean")
    return thresholds.floor if mean is None else round(mean + GATE * (thresholds.floor - mean), 4)


@dataclass(frozen=True, slots=True, eq=False)
class SampleFigures:
    """What the sampled segments tell, and the sample that they were taken from."""

    vectors: NDArray[np.float16]
    sessions: NDArray[np.int64]
    asked: tuple[float, float] | None  # mean and deviation of the probes' similarities; None: there are none
    pair_edge: float | None  # None: too few pairs
    background: Mapping[str, float]

    def is_of(self, vectors: NDArray[np.float16], sessions: NDArray[np.int64]) -> bool:
        """Whether they were taken from this sample, as they are after nearly every write to a large store."""
        return np.array_equal(self.sessions, sessions) and np.array_equal(self.vectors, vectors)


def measure_sample(
    vectors: NDArray[np.float16], sessions: NDArray[np.int64], probes: NDArray[np.float16]
) -> SampleFigures:
    """What sampled segments (vectors and their sessions) and the probes' vectors tell."""
    exact = vectors.astype(np.float64)  # exact sums: the same thresholds on every machine
    asked = (probes.astype(np.float64) @ exact.T).ravel()
    pairs = (exact @ exact.T)[np.triu(sessions[:, None] != sessions[None, :], k=1)]
    edge = round(quantile_of(pairs, EDGE_QUANTILE), 4) if len(pairs) >= LEAST_PAIRS else None
    told = {
        "pairs": float(len(pairs)),
        "pair_mean": _mean(pairs),
        "pair_sd": deviation(pairs),
        "question_mean": _mean(asked),
        "question_sd": deviation(asked),
    }
    spread = (float(asked.mean()), float(asked.std())) if len(asked) else None
    return SampleFigures(vectors, sessions, spread, edge, told)


def calibrate(plan: Plan, figures: SampleFigures, segments: int) -> Thresholds:
    """Thresholds from what the sampled segments tell and the store's size."""
    if figures.asked is None:
        return fixed(plan)
    mean, spread = figures.asked
    edge, dedup = plan.edge, plan.dedup
    if figures.pair_edge is not None:
        edge = figures.pair_edge
        dedup = round((1 + edge) / 2, 4)  # half way from related to identical
    floor = round(mean + deviations(segments) * spread, 4)
    return Thresholds(floor=floor, edge=edge, dedup=dedup, mode="auto", background=figures.background)


def _mean(values: NDArray[np.float64]) -> float:
    return round(float(values.mean()), 4) if len(values) else 0.0


def deviation(values: NDArray[np.float64]) -> float:
    return round(float(values.std()), 4) if len(values) else 0.0

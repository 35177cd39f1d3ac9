"""Fits the verdict of `ask` over kinds of talk, each set left out once.

    python evaluate/bench/verdict_fit.py rows.json [--json figures.json]

`rows.json` is a list of rows, one a question: {"set", "is_chat", "answerable", "right", "measured"}; `measured` is
what `Answer.trace` holds and `right` whether the quoted turn answers (it is a gold turn, or holds the gold answer's
words). Where a trained reader has seen a set's questions, its rows have to come from a reader that has not. Prints the
weights for people/answers/verdict.py, AUROC and calibration error of every set by weights that never saw it, and the
share of right and wrong answers by threshold.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engramma.people.answers.verdict import IN_CHAT, IN_TALK, KNOWN

Rows = Sequence[dict[str, Any]]
Values = NDArray[np.float64]
BINS = 10
PENALTY = 2.0


def fit(x: Values, y: Values, weight: Values) -> Values:
    """Logistic regression with a small penalty; the last number is where it begins."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    b = np.zeros(z.shape[1])
    keep = np.r_[np.ones(len(b) - 1), 0.0]
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ b))
        gradient = z.T @ (weight * (p - y)) + PENALTY * keep * b
        curvature = (z * (weight * p * (1 - p))[:, None]).T @ z + PENALTY * np.diag(keep) + 1e-9 * np.eye(len(b))
        step = np.linalg.solve(curvature, gradient)
        b -= step
        if np.abs(step).max() < 1e-8:
            break
    found: Values = np.r_[b[:-1] / spread, b[-1] - float((b[:-1] * mean / spread).sum())]
    return found


def likely(x: Values, b: Values) -> Values:
    found: Values = 1 / (1 + np.exp(-(x @ b[:-1] + b[-1])))
    return found


def auroc(scores: Values, labels: Values) -> float:
    """How often a right one stands above a wrong one."""
    right, wrong = scores[labels > 0], scores[labels == 0]
    if not len(right) or not len(wrong):
        return float("nan")
    return float((right[:, None] > wrong[None, :]).mean() + 0.5 * (right[:, None] == wrong[None, :]).mean())


def calibration_error(p: Values, y: Values) -> float:
    """Mean distance of what is said from what is so, over ten bins."""
    places = np.minimum((p * BINS).astype(int), BINS - 1)
    parts = [(places == n) for n in range(BINS)]
    return float(sum(part.mean() * abs(p[part].mean() - y[part].mean()) for part in parts if part.any()))


def table(rows: Rows, names: Sequence[str], label: str) -> dict[str, Any]:
    """Weights over all sets, and each set's figures by the weights of the others."""
    sets = sorted({row["set"] for row in rows})
    home = np.array([row["set"] for row in rows])
    x = np.array([[row["measured"][name] for name in names] for row in rows], np.float64)
    y = np.array([float(row[label]) for row in rows])
    weight = np.array([len(rows) / len(sets) / (home == name).sum() for name in home])
    whole = fit(x, y, weight)
    figures: dict[str, Any] = {"weights": dict(zip([*names, "bias"], whole.round(3).tolist(), strict=True)), "sets": {}}
    for name in sets:
        left = home == name
        if len(sets) == 1:
            break
        p = likely(x[left], fit(x[~left], y[~left], weight[~left]))
        by_threshold = {
            str(cut): {"right": round(float(y[left][p >= cut].sum() / left.sum()), 3)}
            | {"wrong": round(float((1 - y[left][p >= cut]).sum() / left.sum()), 3)}
            for cut in (0.3, 0.4, 0.5, 0.6, 0.7)
        }
        figures["sets"][name] = {
            "questions": int(left.sum()),
            "auroc": round(auroc(p, y[left]), 3),
            "calibration error": round(calibration_error(p, y[left]), 3),
            "by threshold": by_threshold,
        }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="JSON: measured rows of all sets")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    all_rows: Rows = json.loads(options.rows.read_text(encoding="utf-8"))
    rows = [row for row in all_rows if row["measured"]]  # of the others nothing was read
    chats = [row for row in rows if row["is_chat"]]
    talk = [row for row in rows if not row["is_chat"]]
    figures = {
        "chat": table(chats, list(IN_CHAT), "right"),
        "talk": table(talk, list(IN_TALK), "right"),
        "known": table([row for row in talk if row["measured"]["about"] is not None], list(KNOWN), "answerable"),
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

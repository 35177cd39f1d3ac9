"""Fit which piece of the found turns `ask` answers with, cross-validated over LoCoMo's conversations.

    python evaluate/bench/answer_fit.py locomo.json

For every answerable question but those that ask when, the pieces of the first turns are scored by LoCoMo's F1; the
weights maximise the logarithm of the F1 that a draw by the weights' shares would have. Prints the F1 of the best piece,
cross-validated and in sample, the best there is, and the weights for `people/answers/pick.py`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engramma import Memory
from engramma.evaluate.f1 import ADVERSARIAL, SEVERAL, f1, scored
from engramma.people import ParsedQuestion
from engramma.people.answers.attribution import attributed
from engramma.people.answers.pick import candidates
from engramma.transfer.imports import import_file

STEPS, RATE, RIDGE, DAMPING, WORTH_IT = 250, 0.05, 2.0, 0.05, 0.2

Array = NDArray[np.float64]
Row = tuple[str, Array, Array]  # conversation, measures of each piece, F1 of each piece


def main() -> None:
    names, rows = pieces_of(Path(sys.argv[1]))
    talks = sorted({talk for talk, _, _ in rows})
    print(f"{len(rows)} questions; the best piece there is: {np.mean([worth.max() for *_, worth in rows]):.4f}")
    found = {talk: fitted([row for row in rows if row[0] != talk]) for talk in talks}
    for talk in talks:
        print(f"  {talk}: {reached([row for row in rows if row[0] == talk], found[talk]):.4f}")
    print(f"cross-validated: {np.mean([worth[np.argmax(seen @ found[talk])] for talk, seen, worth in rows]):.4f}")
    weights = fitted(rows)
    print(f"in sample: {reached(rows, weights):.4f}")
    print(json.dumps(dict(zip(names, np.round(weights, 1).tolist(), strict=True)), indent=2))


def pieces_of(path: Path) -> tuple[list[str], list[Row]]:
    names: list[str] = []
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place, Memory.open(Path(place) / "store") as memory:
        import_file(memory._core, path)
        for sample in json.loads(path.read_text(encoding="utf-8")):
            for item in sample["qa"]:
                question = ParsedQuestion(item["question"], memory._ask._speakers(), sample["sample_id"])
                if item["category"] == ADVERSARIAL or question.route.kind == "when":
                    continue
                asked = memory._ask._asked(question)
                turns = sorted(attributed(asked, memory._ask._said(question)[0]), key=lambda turn: -turn.weight)
                found = candidates(question.route.kind, asked, turns)
                if found:
                    names = list(found[0][2])
                    seen = np.array([list(measures.values()) for *_, measures in found])
                    rows.append((sample["sample_id"], seen, np.array([worth(item, piece.text) for piece, *_ in found])))
    return names, rows


def worth(item: dict[str, Any], text: str) -> float:
    """A piece's F1; one piece of a list is worth what its best part is."""
    gold = str(item["answer"])
    if item["category"] == SEVERAL:
        return max(f1(text, part) for part in gold.split(","))
    return scored(item["category"], text, gold)


def fitted(rows: list[Row]) -> Array:
    """Adam on the mean log of the expected F1, with a ridge, over the questions that a piece can answer at all."""
    spread = np.concatenate([seen for _, seen, _ in rows]).std(axis=0) + 1e-9
    useful = [(seen / spread, gain) for _, seen, gain in rows if gain.max() > WORTH_IT]
    weights = np.zeros(len(spread))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = -RIDGE * weights
        for seen, gain in useful:
            drawn = np.exp(seen @ weights - (seen @ weights).max())
            drawn /= drawn.sum()
            expected = float(drawn @ gain)
            slope += 0.5 * (seen * (drawn * (gain - expected))[:, None]).sum(axis=0) / max(expected, DAMPING)
        slope /= len(useful)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights += RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return np.asarray(weights / spread)


def reached(rows: list[Row], weights: Array) -> float:
    return float(np.mean([gain[np.argmax(seen @ weights)] for _, seen, gain in rows]))


if __name__ == "__main__":
    main()

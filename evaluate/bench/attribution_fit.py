"""Fit what `ask` is confident by: three weights and a threshold, cross-validated over LoCoMo's conversations.

    python evaluate/bench/attribution_fit.py locomo.json [--json figures.json]

Every question is asked within its conversation, with what the package has now, and only the three measures of its
trace are used: about, near, missing. For each conversation the weights are fitted on the others; the figures are of
those predictions. The last lines are what stands in `people/answers/attribution.py`, fitted on all of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engramma import Memory
from engramma.evaluate.roc import AIMED_AT, cross_validated, fit_logistic, pair
from engramma.transfer.imports import import_file

NAMES = ("about", "near", "missing")
ADVERSARIAL = 5

Array = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    measured, answerable, talks = asked(given.file)
    record: dict[str, Any] = {"questions": len(talks), "rows": []}
    for names in (NAMES, *(tuple(n for n in NAMES if n != left) for left in NAMES), ("about",)):
        row = cross_validated(measured[:, [NAMES.index(n) for n in names]], answerable, talks)
        record["rows"].append({"measures": list(names), **row})
        print(f"{' + '.join(names):<24} {row}")
    weights, bias = fit_logistic(measured, answerable)
    confidence = 1 / (1 + np.exp(-(measured @ weights + bias)))
    threshold = float(np.quantile(confidence[answerable], AIMED_AT))
    record |= {
        "weights": dict(zip(NAMES, np.round(weights, 3).tolist(), strict=True)),
        "bias": round(bias, 3),
        "threshold": round(threshold, 3),
        "in_sample": pair(confidence < threshold, answerable),
    }
    print(json.dumps({name: record[name] for name in ("weights", "bias", "threshold", "in_sample")}, indent=2))
    if given.json:
        given.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def asked(path: Path) -> tuple[Array, NDArray[np.bool_], NDArray[np.str_]]:
    """The measures of every question, whether it can be answered, and its conversation."""
    rows, answerable, talks = [], [], []
    with tempfile.TemporaryDirectory() as place, Memory.open(Path(place) / "store") as memory:
        import_file(memory._core, path)
        for sample in json.loads(path.read_text(encoding="utf-8")):
            for item in sample["qa"]:
                trace = memory.ask(item["question"], sample["sample_id"]).trace
                rows.append([trace[name] for name in NAMES])
                answerable.append(item["category"] != ADVERSARIAL)
                talks.append(sample["sample_id"])
    return np.array(rows), np.array(answerable), np.array(talks)


if __name__ == "__main__":
    main()

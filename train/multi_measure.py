"""Measures an encoder across languages by cosine alone: each question finds its paragraph among 240.

In its own language, over the English paragraphs, and, with `--pairs`, sentences to their translations.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from . import multi_devsets

FOUND = 5
Embed = Callable[[Sequence[str]], np.ndarray]


def is_found(questions: np.ndarray, paragraphs: np.ndarray, own: Sequence[int], depth: int = FOUND) -> float:
    """Share of questions, in percent, whose own paragraph is among the first."""
    scores = questions @ paragraphs.T
    mine = scores[np.arange(len(own)), list(own)]
    return round(100 * float(((scores > mine[:, None]).sum(1) < depth).mean()), 1)


def languages(folder: Path, embed: Embed, count: int, only: Sequence[str] = ()) -> dict[str, list[float]]:
    """By language: in its own language, and over the English paragraphs."""
    read = multi_devsets.read_xquad(folder, only)
    english = embed(read["en"]["paragraphs"])
    found = {}
    for code, data in read.items():
        asked = data["questions"][:: max(1, len(data["questions"]) // count)]
        own = [question["paragraph"] for question in asked]
        questions = embed([question["question"] for question in asked])
        paragraphs = english if code == "en" else embed(data["paragraphs"])
        found[code] = [is_found(questions, paragraphs, own), is_found(questions, english, own)]
        print(code, found[code], flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="a model folder; by default the packaged encoder")
    parser.add_argument("--xquad", type=Path, required=True)
    parser.add_argument("--count", type=int, default=150, help="questions a language")
    parser.add_argument("--languages", nargs="*", default=[], help="codes of those measured beside en; by default all")
    parser.add_argument("--out", type=Path, help="a file for the figures as JSON")
    options = parser.parse_args(arguments)
    from engramma.models.load import load

    embedder = load(options.folder)
    found = languages(
        options.xquad, lambda texts: np.asarray(embedder.embed(list(texts))), options.count, options.languages
    )
    others = [figures for code, figures in found.items() if code != "en"]
    means = [round(sum(figures[place] for figures in others) / len(others), 1) for place in (0, 1)]
    figures = json.dumps({"languages": found, "own": means[0], "across": means[1], "english": found["en"][0]})
    if options.out:
        options.out.write_text(figures, "utf-8")
    print(figures)


if __name__ == "__main__":
    main()

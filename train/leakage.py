"""Looks for validation text in the training corpus: shared runs of 13 words."""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

RUN = 13


def runs(text: str, length: int = RUN) -> Iterator[tuple[str, ...]]:
    """Every run of so many words, in lower case, without punctuation."""
    words = re.findall(r"[a-z0-9']+", text.lower())
    return (tuple(words[place : place + length]) for place in range(len(words) - length + 1))


def overlap(training: Iterable[str], validation: Iterable[str], length: int = RUN) -> tuple[int, int, list[str]]:
    """Runs shared, runs of the validation texts, and some of those shared."""
    known = {run for text in validation for run in runs(text, length)}
    shared = {run for text in training for run in runs(text, length) if run in known}
    return len(shared), len(known), [" ".join(run) for run in sorted(shared)[:5]]


def validation_texts(path: Path) -> list[str]:
    """Every turn, question and answer of LoCoMo."""
    texts: list[str] = []
    for row in json.loads(path.read_text("utf-8")):
        for name, turns in row["conversation"].items():
            if re.fullmatch(r"session_\d+", name):
                texts += [turn["text"] for turn in turns]
        texts += [str(question[key]) for question in row["qa"] for key in ("question", "answer") if key in question]
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="texts.jsonl.gz of the corpus")
    parser.add_argument("--locomo", type=Path, required=True)
    options = parser.parse_args()
    with gzip.open(options.corpus, "rt", encoding="utf-8") as file:
        training = [json.loads(line) for line in file]
    for length in (RUN, 8):
        shared, known, some = overlap(training, validation_texts(options.locomo), length)
        print(f"{shared} of {known} runs of {length} words are in the {len(training)} training texts {some}")


if __name__ == "__main__":
    main()

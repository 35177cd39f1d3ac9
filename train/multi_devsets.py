"""The sets that measure, as token ids in both vocabularies: none of them trains.

XQuAD by language (own paragraphs, and over the English ones), MemDaily (Chinese), LoCoMo (English).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import multi_align, multi_pack, validation

LONGEST = 254


@dataclass
class Sets:
    """Texts, and searches over them: name, question, first document, end of documents, gold."""

    texts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    asked: list[tuple[int, int, int, int]] = field(default_factory=list)  # name, question, first, end
    gold: list[list[int]] = field(default_factory=list)

    def put(self, texts: list[str]) -> int:
        """Adds texts; the number of the first."""
        self.texts.extend(texts)
        return len(self.texts) - len(texts)

    def ask(self, name: str, question: int, first: int, count: int, gold: list[int]) -> None:
        if name not in self.names:
            self.names.append(name)
        self.asked.append((self.names.index(name), question, first, first + count))
        self.gold.append([first + place for place in gold])


def read_xquad(folder: Path, only: Sequence[str] = ()) -> dict[str, Any]:
    """Paragraphs and questions by language: all of them, or English and those that are named."""
    paths = {path.name[:2]: path for path in sorted(folder.glob("*.json.gz"))}
    return {
        code: json.loads(gzip.decompress(path.read_bytes()))
        for code, path in paths.items()
        if code in ("en", *only) or not only
    }


def xquad(sets: Sets, read: Mapping[str, Any], most: int) -> None:
    english = sets.put(read["en"]["paragraphs"][:most])
    for code, data in read.items():
        paragraphs = data["paragraphs"][:most]
        own = english if code == "en" else sets.put(paragraphs)
        asked = [question for question in data["questions"] if question["paragraph"] < most]
        questions = sets.put([question["question"] for question in asked])
        for place, question in enumerate(asked):
            sets.ask(f"{code} own", questions + place, own, len(paragraphs), [question["paragraph"]])
            sets.ask(f"{code} across", questions + place, english, len(paragraphs), [question["paragraph"]])


def memdaily(sets: Sets, people: Iterable[Any]) -> None:
    for person in people:
        first = sets.put([message["text"] for message in person["messages"]])
        numbers = {str(message["id"]): place for place, message in enumerate(person["messages"])}
        for question in person["questions"]:
            gold = [numbers[str(name)] for name in question["gold"] if str(name) in numbers]
            sets.ask("memdaily", sets.put([question["question"]]), first, len(numbers), gold)


def locomo(sets: Sets, conversations: Iterable[validation.Store]) -> None:
    for store in conversations:
        first = sets.put(store.texts)
        for question, kind, gold in zip(store.questions, store.kinds, store.gold, strict=True):
            name = "locomo 5" if kind == 5 else "locomo 1-4"
            sets.ask(name, sets.put([question]), first, len(store.texts), gold)


def recall(vectors: np.ndarray, packed: dict[str, np.ndarray], names: list[str]) -> dict[str, float]:
    """Share of the gold among the first five (LoCoMo: ten), in percent, by set."""
    offsets = np.concatenate([[0], np.cumsum(packed["gold_sizes"])])
    found: dict[str, list[float]] = {name: [] for name in names}
    asked = packed["asked"].reshape(-1, 4)
    for place, (name, question, first, end) in enumerate(asked):
        gold = packed["gold"][offsets[place] : offsets[place + 1]]
        depth = 10 if names[name].startswith("locomo") else 5
        best = np.argsort(-(vectors[first:end] @ vectors[question]))[:depth] + first
        if len(gold):
            found[names[name]].append(len(set(best) & set(gold)) / min(depth, len(gold)))
    return {name: round(100 * float(np.mean(values)), 1) for name, values in found.items() if values}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the development halves")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--languages", nargs="*", default=[], help="codes of XQuAD's beside en; by default all")
    parser.add_argument("--paragraphs", type=int, default=10**9, help="of each language, to try things out")
    parser.add_argument("--talks", type=int, default=10**9, help="of MemDaily and of LoCoMo, to try things out")
    options = parser.parse_args(arguments)
    from tokenizers import Tokenizer

    options.out.mkdir(parents=True, exist_ok=True)
    sets = Sets()
    xquad(sets, read_xquad(options.data / "xquad", options.languages), options.paragraphs)
    people = json.loads(gzip.decompress((options.data / "memdaily_zh" / "memdaily_dev.json.gz").read_bytes()))
    memdaily(sets, people[: options.talks])
    locomo(sets, validation.locomo(options.data / "locomo" / "locomo_dev.json")[: options.talks])
    gold, offsets = multi_align.flat(sets.gold)
    packed = {"asked": np.array(sets.asked, np.int64).ravel(), "gold": gold, "gold_sizes": np.diff(offsets)}
    for name, path in (("new", options.tokenizer), ("base", options.base)):
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        ids, offsets = multi_pack.encoded(tokenizer, sets.texts, LONGEST)
        packed |= {f"{name}_ids": ids, f"{name}_sizes": np.diff(offsets)}
    size = multi_pack.save(options.out / "devsets.xz", packed)
    (options.out / "devsets.json").write_text(json.dumps(sets.names), "utf-8")
    print(size, len(sets.texts), {name: packed[name].size for name in packed})


if __name__ == "__main__":
    main()

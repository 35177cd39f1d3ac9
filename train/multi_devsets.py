"""The sets that measure, as token ids in both vocabularies: none of them trains.

XQuAD by language (own paragraphs, and over the English ones), MemDaily (Chinese), LoCoMo (English).
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import multi_align, multi_pack

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


def xquad(sets: Sets, folder: Path) -> None:
    read = {p.name[:2]: json.loads(gzip.decompress(p.read_bytes())) for p in sorted(folder.glob("*.json.gz"))}
    english = sets.put(read["en"]["paragraphs"])
    for code, data in read.items():
        own = english if code == "en" else sets.put(data["paragraphs"])
        questions = sets.put([question["question"] for question in data["questions"]])
        for place, question in enumerate(data["questions"]):
            sets.ask(f"{code} own", questions + place, own, len(data["paragraphs"]), [question["paragraph"]])
            sets.ask(f"{code} across", questions + place, english, len(data["paragraphs"]), [question["paragraph"]])


def memdaily(sets: Sets, path: Path) -> None:
    for person in json.loads(gzip.decompress(path.read_bytes())):
        first = sets.put([message["text"] for message in person["messages"]])
        numbers = {str(message["id"]): place for place, message in enumerate(person["messages"])}
        for question in person["questions"]:
            gold = [numbers[str(name)] for name in question["gold"] if str(name) in numbers]
            sets.ask("memdaily", sets.put([question["question"]]), first, len(numbers), gold)


def locomo(sets: Sets, conversations: Iterator[Any], gold_of: Callable[[Any, Any], list[str]]) -> None:
    for _, sessions, asked in conversations:
        turns = [(name, f"{speaker}: {text}") for _, _, rows in sessions for name, speaker, text in rows]
        first = sets.put([text for _, text in turns])
        numbers = {name: place for place, (name, _) in enumerate(turns)}
        for question, kind, evidence in asked:
            gold = [numbers[name] for name in gold_of(evidence, numbers)]
            if gold:
                name = "locomo 5" if kind == 5 else "locomo 1-4"
                sets.ask(name, sets.put([question]), first, len(turns), gold)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, required=True, help="quality.py, which reads LoCoMo")
    parser.add_argument("--data", type=Path, required=True, help="folder of the development halves")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of multi_pack")
    options = parser.parse_args()
    import runpy

    from tokenizers import Tokenizer

    tools = runpy.run_path(str(options.tools), run_name="tools")
    sets = Sets()
    xquad(sets, options.data / "xquad")
    memdaily(sets, options.data / "memdaily_zh" / "memdaily_dev.json.gz")
    conversations = json.loads((options.data / "locomo" / "locomo_dev.json").read_text("utf-8"))
    locomo(sets, tools["locomo"](conversations), tools["ids_in"])
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

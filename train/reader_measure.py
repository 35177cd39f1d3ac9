"""What the reader is worth on data that it never saw: reranking, refusal, and the words of the answer."""

from __future__ import annotations

import argparse
import gzip
import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engramma.language.sentences import PLAIN_END

from .wordlists import word_list, word_set

# By set, store, question, entry and window: relevance, null, the span, the window, its speaker.
Scores = dict[str, list[Any]]

SHARES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # of recall's own logit beside the reader's
STOP = word_set(
    "a an the of to in on at for with and or is are was were be been it its this that my your his her their i you he "
    "she they we as by from about had has have did do does"
)
COUNTED = word_list("zero one two three four five six seven eight nine ten eleven twelve")
NUMBERS = {word: str(number) for number, word in enumerate(COUNTED)}


def read_sets(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in sorted(folder.glob("*.json.gz")):
        yield path.name.split(".")[0], json.loads(gzip.decompress(path.read_bytes()))


def bag(text: str) -> list[str]:
    """Words that count, as the evaluation's `covers` takes them."""
    found = re.findall(r"[a-z0-9]+", str(text).lower().replace(",", ""))
    return [NUMBERS.get(w, w.rstrip("s") if len(w) > 3 else w) for w in found if w not in STOP]


def covers(text: str, gold: str) -> bool:
    """Whether the text has seven of ten words of the gold answer."""
    want, have = bag(gold), set(bag(text))
    return bool(want) and sum(w in have for w in want) / len(want) >= 0.7


def logit(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(share / (1 - share))


def auroc(values: Sequence[float], right: Sequence[bool]) -> float:
    """How often an answerable question scores above one that is not."""
    good = np.array([v for v, r in zip(values, right, strict=True) if r])
    bad = np.array([v for v, r in zip(values, right, strict=True) if not r])
    if not len(good) or not len(bad):
        return float("nan")
    return float((good[:, None] > bad[None]).mean() + 0.5 * (good[:, None] == bad[None]).mean())


def best_window(windows: list[list[Any]]) -> list[Any]:
    """The window that fits best, with the least null of all."""
    if not windows:
        return [-20.0, 20.0, "", "", ""]
    best = max(windows, key=lambda window: window[0])
    return [best[0], min(window[1] for window in windows), *best[2:]]


def rows_of(stores: list[dict[str, Any]], scored: list[Any]) -> list[dict[str, Any]]:
    """One row a question: entries with recall's score, the reader's and whether they hold gold."""
    made = []
    for number, (store, readings) in enumerate(zip(stores, scored, strict=True)):
        for q, read in zip(store["questions"], readings, strict=False):
            gold = set(q.get("gold_sessions") or q.get("gold") or [])
            entries = []
            for (key, score, cosine), got in zip(q["entries"], read, strict=True):
                segment = store["segments"][key]
                held = {segment["session"]} if "gold_sessions" in q else set(segment["turns"])
                reading = best_window(got)
                entries.append(
                    {"recall": score, "cosine": cosine, "gold": held & gold, "read": reading, "text": segment["text"]}
                )
            made.append({**q, "entries": entries, "gold": gold, "store": number})
    return made


def ranked(row: dict[str, Any], share: float | None) -> list[dict[str, Any]]:
    """The entries by the reader's relevance with so much of recall's logit; None leaves recall's order."""
    if share is None:
        return list(row["entries"])
    return sorted(row["entries"], key=lambda e: -(e["read"][0] + share * logit(e["recall"])))


def reranking(rows: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    """hit@1, hit@3 and recall@10 by share of recall's logit."""
    asked = [row for row in rows if row["answerable"] and row["gold"]]
    found = {}
    for share in (None, *SHARES):
        first = third = tenth = 0.0
        for row in asked:
            order = ranked(row, share)
            first += any(e["gold"] for e in order[:1])
            third += any(e["gold"] for e in order[:3])
            tenth += len(set().union(*(e["gold"] for e in order[:10]))) / len(row["gold"])
        name = "recall" if share is None else f"reader + {share}"
        found[name] = [round(100 * value / len(asked), 1) for value in (first, third, tenth)]
    return found


def refusal(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """AUROC of answerable against unanswerable questions by several signals."""
    asked = [row for row in rows if row["entries"] and (row["gold"] or not row["answerable"])]
    right = [row["answerable"] for row in asked]
    if all(right):
        return {}
    signals = {
        "relevance": [max(e["read"][0] for e in row["entries"]) for row in asked],
        "relevance of first 5": [max(e["read"][0] for e in row["entries"][:5]) for row in asked],
        "null": [-min(e["read"][1] for e in row["entries"]) for row in asked],
        "null of first 5": [-min(e["read"][1] for e in ranked(row, 1.0)[:5]) for row in asked],
        "first's recall": [row["entries"][0]["recall"] for row in asked],
        "first's cosine": [max(e["cosine"] for e in row["entries"]) for row in asked],
    }
    if "ask" in asked[0]:
        signals["ask"] = [logit(row["ask"]["confidence"]) for row in asked]
        for share in (0.25, 0.5, 1.0):
            pairs = zip(signals["ask"], signals["relevance"], strict=True)
            signals[f"ask + {share} relevance"] = [a + share * r for a, r in pairs]
            pairs = zip(signals["ask"], signals["null"], strict=True)
            signals[f"ask + {share} null"] = [a + share * r for a, r in pairs]
    return {name: round(auroc(values, right), 3) for name, values in signals.items()} | {"n": len(right)}


def sentence_of(window: str, words: str) -> str:
    """The sentence of a window that holds the span."""
    at = window.find(words)
    ends = [m.end() for m in PLAIN_END.finditer(window)]
    start = max([0, *(end for end in ends if end <= at)])
    stop = min([len(window), *(end for end in ends if end >= at + len(words))])
    return window[start:stop]


def answers(rows: Sequence[dict[str, Any]], share: float) -> dict[str, float]:
    """How often the gold answer's words are in what is shown, over short gold answers."""
    asked = [row for row in rows if row["answerable"] and row["entries"] and 0 < len(bag(row.get("answer", ""))) <= 8]
    if not asked:
        return {}
    shown: dict[str, list[bool]] = {}
    for row in asked:
        gold = row["answer"]
        best = ranked(row, share)[0]["read"]
        sentences = [s for e in row["entries"] for s in PLAIN_END.split(e["text"]) if s.strip()]
        texts = {
            "span": best[2],
            "sentence": sentence_of(best[3], best[2]),
            "window": best[3],
            "first entry": row["entries"][0]["text"],
            "bm25 sentence": best_by_words(row["question"], sentences),
        }
        by_null = min(row["entries"], key=lambda e: e["read"][1] - 0.5 * logit(e["recall"]))["read"]
        texts["span by null"] = by_null[2]
        texts["sentence by null"] = sentence_of(by_null[3], by_null[2])
        if "ask" in row:
            texts["ask text"] = row["ask"]["text"]
            texts["ask quote"] = row["ask"]["quote"]
        for name, text in texts.items():
            shown.setdefault(name, []).append(covers(text, gold))
    return {name: round(100 * sum(hits) / len(hits), 1) for name, hits in shown.items()} | {"n": len(asked)}


def best_by_words(question: str, sentences: Sequence[str]) -> str:
    """The sentence that BM25 puts first among these."""
    bags = [bag(sentence) for sentence in sentences]
    if not bags:
        return ""
    mean = sum(map(len, bags)) / len(bags) or 1.0
    wanted = set(bag(question))
    seen = {w: sum(w in set(b) for b in bags) for w in wanted}
    weight = {w: math.log(1 + (len(bags) - n + 0.5) / (n + 0.5)) for w, n in seen.items()}

    def score(words: list[str]) -> float:
        length = 1.2 * (0.25 + 0.75 * len(words) / mean)
        return sum(weight[w] * 2.2 * words.count(w) / (words.count(w) + length) for w in wanted if w in words)

    return sentences[max(range(len(bags)), key=lambda n: score(bags[n]))]


def table(folder: Path, scored: Scores) -> dict[str, Any]:
    """All of it, set by set."""
    found: dict[str, Any] = {}
    for name, stores in read_sets(folder):
        rows = rows_of(stores, scored[name])
        found[name] = {"rerank": reranking(rows), "refusal": refusal(rows), "answers": answers(rows, 2.0)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--scores", type=Path, required=True)
    options = parser.parse_args()
    print(json.dumps(table(options.candidates, json.loads(gzip.decompress(options.scores.read_bytes()))), indent=1))


if __name__ == "__main__":
    main()

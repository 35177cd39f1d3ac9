"""What mistyped questions cost: recall@10 of evidence turns on a LoCoMo file, clean and with slips of the fingers.

    python evaluate/bench/typos.py locomo.json [--questions 100] [--seed 1] [--json OUT]

Of every conversation the same number of questions is drawn. In each, one and then two words of four letters or more are
mistyped: two letters swapped, one left out, one typed twice, one replaced by the key beside it. The same questions are
asked with mistyped words read as they stand (`as typed`) and as they are meant (the product).
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import hybrid

from engramma.language.spelling import are_beside

K = 10
WORD = re.compile(r"[A-Za-z]{4,}")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def mistyped(text: str, slips: int, chance: random.Random) -> str:
    """A question with as many of its words mistyped, or all that it has."""
    words = list(WORD.finditer(text))
    for word in sorted(chance.sample(words, min(slips, len(words))), key=lambda found: -found.start()):
        text = text[: word.start()] + slipped(word[0], chance) + text[word.end() :]
    return text


def slipped(word: str, chance: random.Random) -> str:
    """A word with one slip."""
    kind, at = chance.choice(("swap", "drop", "double", "beside")), chance.randrange(len(word) - 1)
    if kind == "swap":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == "drop":
        return word[:at] + word[at + 1 :]
    if kind == "double":
        return word[: at + 1] + word[at:]
    key = chance.choice([letter for letter in LETTERS if are_beside(letter, word[at].lower())])
    return word[:at] + key + word[at + 1 :]


@contextmanager
def as_typed() -> Iterator[None]:
    """Recall that reads every word as it stands."""
    with mock.patch("engramma.recall.pipeline.with_typos_read", lambda store, query: (query, [])):
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    chance, talks = random.Random(given.seed), len(json.loads(given.locomo.read_text(encoding="utf-8")))
    shares, times = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for memory, questions in hybrid.stores(given.locomo, None):
        for text, _, gold in chance.sample(questions, min(len(questions), -(-given.questions // talks))):
            for slips in (0, 1, 2):
                asked, name = mistyped(text, slips, chance), f"{slips} slips"
                found = memory.recall(asked, k=K)
                shares[name].append(hybrid.found_share(found.entries, gold))
                times[name].append(found.trace.timings_ms["typos"])
                with as_typed():
                    shares[f"{name}, as typed"].append(hybrid.found_share(memory.recall(asked, k=K).entries, gold))
    figures = {name: round(100 * sum(values) / len(values), 1) for name, values in sorted(shares.items())}
    figures |= {f"{name}, ms to read typos, median": sorted(v)[len(v) // 2] for name, v in sorted(times.items())}
    figures |= {"questions": len(shares["0 slips"])}
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Gathers sentence pairs with English from the sources of multi_sources.json: cleaned, without doubles, capped."""

from __future__ import annotations

import argparse
import gzip
import html
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import multi_read, multi_sources

LONGEST = 700  # characters of a text
MANY, FEW = 48_000, 26_000  # pairs of a language: of those asked for most, of the others
WIDE = frozenset(
    (
        "ar",
        "de",
        "el",
        "es",
        "fr",
        "hi",
        "id",
        "it",
        "ja",
        "ko",
        "nl",
        "pl",
        "pt",
        "ro",
        "ru",
        "th",
        "tr",
        "uk",
        "vi",
        "zh",
    )
)
TAGS = re.compile(r"<[^<>]{1,120}>|&nbsp;")
SLOTS = re.compile(
    r"\$\{[^{}]*\}|\{\{?[^{}]*\}?\}|%\(\w+\)[sdif]|%\d*\$?[-+\d.]*l*[sdiufxzX]\b|%%|\$\d|\$[a-z_]+\b|\[[A-Z_0-9]+\]|\[/?\w+\]|__\w+__"
)
LETTERS = re.compile(r"[^\W\d_]")
FORMS = re.compile(r"\b(plural|select|selectordinal)\s*,|%PLURAL|https?://|[\\|]\w|--\w|=\"")


def clean(text: str) -> str:
    """One line without mark-up and places for values; nothing if the text has grammar of its own."""
    if FORMS.search(text):
        return ""
    text = html.unescape(TAGS.sub(" ", text))
    text = re.sub(r"(?<!\w)&(?=\w)", "", SLOTS.sub(" ", text))
    text = re.sub(r"[​-‏⁦-⁩­]", "", re.sub(r"\s+", " ", text))
    return re.sub(r"\s+([.,:;!?)])", r"\1", text).strip(" -:*•·\"'")


def is_usable(text: str, english: str) -> bool:
    """Whether a cleaned pair can teach something: words on both sides, translated, of like length."""
    if not (1 < len(text) <= LONGEST and 2 < len(english) <= LONGEST):
        return False
    if text.casefold() == english.casefold() or len(LETTERS.findall(english)) < 0.5 * len(english):
        return False
    if not LETTERS.search(text) or not english.isprintable() or sum(c > "ɏ" for c in english) > 1:
        return False
    ratio = len(text.encode()) / len(english)
    return len(english) < 25 or 0.3 < ratio < 5


@dataclass
class Corpus:
    """Pairs by language, in the order of their sources, so that neighbours belong together."""

    pairs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    seen: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, name: str, cap: int, rows: Iterable[tuple[str, str, str]], seed: int = 1) -> None:
        """One source: at most `cap` pairs a language, chosen by chance, in their own order."""
        fresh: dict[str, list[tuple[str, str]]] = {}
        for code, text, english in rows:
            pair = clean(text), clean(english)
            key = pair[0].casefold(), pair[1].casefold()
            if is_usable(*pair) and key not in self.seen.setdefault(code, set()):
                self.seen[code].add(key)
                fresh.setdefault(code, []).append(pair)
        for code, found in fresh.items():
            room = min(cap, (MANY if code in WIDE else FEW) - len(self.pairs.setdefault(code, [])))
            chance = random.Random(f"{seed} {name} {code}")
            kept = sorted(chance.sample(range(len(found)), max(0, min(room, len(found)))))
            self.pairs[code].extend(found[place] for place in kept)
            self.counts.setdefault(name, Counter())[code] += len(kept)


def tatoeba(path: Path) -> Iterator[tuple[str, str, str]]:
    """The sentence pairs given by path: three-letter codes, [[text, English], ...]."""
    for code, rows in json.loads(gzip.decompress(path.read_bytes())).items():
        for text, english in rows:
            yield multi_read.language(code), text, english


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="where multi_sources put the packages")
    parser.add_argument("--tatoeba", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[], help="names of packages, to try things out")
    options = parser.parse_args(arguments)
    corpus = Corpus()
    corpus.add("tatoeba", 1000, tatoeba(options.tatoeba))
    for source in multi_sources.listed(options.only):
        content = multi_sources.archive(source, options.cache)
        corpus.add(source.name, source.cap, multi_read.pairs(content, source.form, source.pattern, source.english))
        print(source.name, sum(corpus.counts[source.name].values()), len(corpus.counts[source.name]), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = ([code, *pair] for code, pairs in sorted(corpus.pairs.items()) for pair in pairs)
    with gzip.GzipFile(options.out / "pairs.jsonl.gz", "wb", mtime=0) as file:  # the same pairs are the same bytes
        file.writelines((json.dumps(row, ensure_ascii=False) + "\n").encode() for row in rows)
    report = {
        "languages": {code: len(pairs) for code, pairs in sorted(corpus.pairs.items())},
        "sources": {name: dict(sorted(counts.items())) for name, counts in corpus.counts.items()},
    }
    (options.out / "pairs.json").write_text(json.dumps(report, indent=1), "utf-8")
    print(json.dumps(report["languages"]), sum(len(pairs) for pairs in corpus.pairs.values()))


if __name__ == "__main__":
    main()

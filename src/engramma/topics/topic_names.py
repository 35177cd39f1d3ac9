"""Names of topics: the words that stand in them more often than elsewhere, as people wrote them."""

from __future__ import annotations

import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..language.detect import language_of
from ..language.lexical import (
    LONGEST,
    STOP_WORDS,
    SUFFIX,
    is_function_word,
    normalize_text,
    pairs,
    question,
    stems,
    tokenizer,
)
from ..store.store import Store, encode_keys

TERMS = 4  # words of a name
SHORTEST = 3  # letters of a word in a name; in scripts without spaces a pair of characters is a word
# What people say to each other whatever they talk about: common enough to look like a topic, and telling nothing.
_EMPTY_WORDS = """
    wow hey hi hello bye yeah yep yes nah okay ok thanks thank congrats absolutely definitely totally exactly sure
    haha lol gonna wanna gotta got get getting let sounds anything everything something
"""
# Everyday words that are in talk about anything, and in a small topic by chance oftener than elsewhere. Not here is
# what may be the matter itself: work, game, help, support, love, call.
_EVERYDAY_WORDS = """
    well like good nice great cool maybe better best glad sorry true right wrong soon later long far back way last first
    next new lot lots thing things stuff mind someone somebody someday today tonight tomorrow yesterday day days time
    times think thinking thought know knows knew known say says saying said tell tells telling told mean means meaning
    meant guess look looks looking looked see sees seeing seen saw hear hears hearing heard make makes making made take
    takes taking taken took give gives giving given gave want wants wanted need needs needed try tries trying tried
    happen happens happening happened send sends sending sent use uses using used keep keeps keeping kept go goes going
    went gone come comes coming came feel feels feeling felt find finds finding found put puts putting pretty
"""
SILENT = STOP_WORDS.union(_EMPTY_WORDS.split(), _EVERYDAY_WORDS.split())
ROLES = frozenset(("user", "assistant", "system", "tool"))  # speakers that are no names
TOGETHER = 500  # words stemmed at a time
CAPITAL = 3  # a capital that more than one in four uses are without only begins sentences
READ = 2_000  # segments read at a time
BETWEEN = ", "

Written = tuple[str, str]  # a word as it is written, and the language of its text: "" is English


def name_topics(store: Store, topics: Mapping[int, Sequence[int]]) -> dict[int, tuple[str, ...]]:
    """The most telling terms of each topic, given as its segments' keys; the most telling first.

    What counts is how often a stem stands in the topic's segments, times how much oftener than in all of the
    namespace (a term of the Kullback-Leibler divergence). Speakers' names are left out: a topic is what is
    talked about, and people who address each other by name do so in all of them.
    """
    speakers = {row["speaker"] for row in store.all("topic_speakers")} - ROLES
    words = TopicWords({stem for speaker in speakers for stem in stems(normalize_text(speaker))})
    total = max(1, int(store.one("segments_live")[0]))  # type: ignore[index]  # a count is always there
    everywhere: dict[str, int] = {}
    names: dict[int, tuple[str, ...]] = {}
    for group in _groups(topics):
        found = words.of(_said_in(store, [key for topic in group for key in topics[topic]]))
        own = {topic: [found[key] for key in topics[topic] if key in found] for topic in group}
        inside = {topic: _counted(lists, words.stems) for topic, lists in own.items()}
        new = sorted({stem for counts in inside.values() for stem in counts} - everywhere.keys())
        everywhere |= {row["term"]: int(row["doc"]) for row in store.all("words_counts", terms=json.dumps(new))}
        for topic in group:
            chosen = _telling(inside[topic], len(topics[topic]), everywhere, total)[:TERMS]
            names[topic] = as_written(own[topic], words.stems, chosen)
    return names


def _groups(topics: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Topics a few at a time: whole ones, of READ segments or more together."""
    group: list[int] = []
    size = 0
    for topic, keys in topics.items():
        group.append(topic)
        size += len(keys)
        if size >= READ:
            yield group
            group, size = [], 0
    if group:
        yield group


def _said_in(store: Store, keys: Sequence[int]) -> dict[int, str]:
    said: dict[int, list[str]] = defaultdict(list)
    for row in store.all("turns_by_segments", keys=encode_keys(keys)):
        said[row["key"]].append(row["text"])
    return {key: "\n".join(texts) for key, texts in said.items()}


def _counted(lists: Iterable[Sequence[Written]], stem_of: Mapping[Written, str | None]) -> dict[str, int]:
    """In how many segments each stem stands; those that only one has only if there is no other."""
    counts = Counter(stem for words in lists for stem in set(map(stem_of.__getitem__, words)) if stem)
    return {stem: count for stem, count in counts.items() if count > 1} or counts


def _telling(inside: Mapping[str, int], size: int, everywhere: Mapping[str, int], total: int) -> list[str]:
    """The stems of a topic, the most telling first."""

    def score(stem: str) -> float:
        share = inside[stem] / size
        return share * math.log(share * total / max(inside[stem], everywhere.get(stem, 0)))

    scores = {stem: round(score(stem), 9) for stem in inside}
    return sorted(scores, key=lambda stem: (-scores[stem], stem))


def as_written(
    lists: Iterable[Sequence[Written]], stem_of: Mapping[Written, str | None], chosen: Sequence[str]
) -> tuple[str, ...]:
    """Stems in the form in which they are written most; a capital counts if most have it, not only first words."""
    forms: dict[str | None, Counter[str]] = {stem: Counter() for stem in chosen}
    for word, count in Counter(word for words in lists for word in words).items():
        if (stem := stem_of[word]) in forms:
            forms[stem][_clean(word[0])] += count
    return tuple(written_most(own).replace(" ", "") for own in forms.values())


def written_most(forms: Mapping[str, int]) -> str:
    best = min(forms, key=lambda word: (-forms[word], word))
    is_small = best.istitle() and CAPITAL * forms.get(best.lower(), 0) >= forms[best]
    return best.lower() if is_small else best


class TopicWords:
    """The words of texts and their stems, each word stemmed once; None for what cannot be part of a name."""

    def __init__(self, left_out: Iterable[str]) -> None:
        self._left_out = frozenset(left_out)
        self.stems: dict[Written, str | None] = {}

    def of(self, texts: Mapping[int, str]) -> dict[int, list[Written]]:
        """The words of each text as they are written, their stems known."""
        found = {
            key: [(word, language) for word in words_in(normalize_text(text))]
            for key, text in texts.items()
            for language in (language_of(text),)
        }
        self._learn(sorted(set().union(*found.values()) - self.stems.keys()))
        return found

    def _learn(self, words: Sequence[Written]) -> None:
        """Stem words that are new: those that are surely one token many at a time, which takes a tenth of the time."""
        plain = list[Written]()
        for written in words:
            word, language = written
            cleaned = _clean(word)
            if not could_be_named(word, cleaned) or is_function_word(cleaned, language):
                self.stems[written] = None
            elif not language and cleaned.isascii() and cleaned.isalnum():
                plain.append(written)
            else:
                self.stems[written] = self._told(stems(cleaned, language))
        for start in range(0, len(plain), TOGETHER):
            group = plain[start : start + TOGETHER]
            found = tokenizer(os.getpid()).tokens("\n".join(_clean(word).lower() for word, _ in group))
            self.stems.update((written, self._told((stem,))) for written, stem in zip(group, found, strict=True))

    def _told(self, found: tuple[str, ...]) -> str | None:
        """A word's stem, or a pair of characters as the index knows its first; None for a speaker's name."""
        return None if not found or self._left_out.intersection(found) else found[0]


def words_in(text: str) -> list[str]:
    """The words of a prepared text; in scripts without spaces its pairs of characters."""
    parts = question(text.isascii()).findall(text)
    if text.isascii():
        return [word for _, _, word in parts if word]
    return [word for run, _, written in parts for word in (pairs(run) if run else (written,)) if word]


def could_be_named(word: str, cleaned: str) -> bool:
    if len(cleaned) > LONGEST or not SILENT.isdisjoint((cleaned.lower(), word.lower())):
        return False
    return len(cleaned) >= (SHORTEST if cleaned.isascii() else 2) and any(map(str.isalpha, cleaned))


def _clean(word: str) -> str:
    return SUFFIX.sub("", word.strip("'_"))

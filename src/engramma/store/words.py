"""The words of a namespace: a full text table of what is live, and a second one of what was set aside."""

from __future__ import annotations

import json
import math
import os
import string
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import StoreNotWritable
from ..language.compounds import COMPOUNDING, CompoundIndex
from ..language.detect import language_of
from ..language.lexical import (
    FORM,
    MAX_TERMS,
    begins_unspaced,
    index_forms,
    index_tokens,
    match_expression,
    searchable,
    stems,
    tokenizer,
)
from ..language.stemming import LATIN, stemmed_languages, stemmer_version
from .database import Database
from .namespace_queries import NamespaceQueries, encode_keys
from .vocabulary import Vocabulary, start_behind

COMMON = 0.2  # a word in more than this share of the segments tells little about any, and costs the most to follow
MOST_ROWS = 30_000  # segments that a question's words stand in, one after the other from the rarest: 3 µs each
COMMON_FROM = 50  # segments: in fewer than these, shares say nothing
FILL_CHUNK = 2_000  # segments read at a time when the words are built
PAIR = 2  # characters
KEPT_COUNTS = 10_000  # words whose counts are kept
MOST_CHANGES = 50  # segments whose words are read again to know which came; beyond it all are
COMPOUND = 0.5  # of what a word counts, in a compound
COMPOUND_ALONE = 0.8  # the same of a word that stands nowhere by itself
WIDEN = 8  # asking for more rows costs less than asking again

LIVE, ARCHIVED, RETIRED, FORGOTTEN = 0, 1, 2, 4  # segments.state; FORGOTTEN comes on top of one of the others
TABLES = {LIVE: "words", ARCHIVED: "cold", RETIRED: "cold"}  # where a segment's words are, by its state


class FullText(NamespaceQueries):
    """Full text search of one namespace."""

    def __init__(self, database: Database, namespace: str, *, create: bool = True) -> None:
        super().__init__(database, namespace, create=create)
        self._counted = (-1, 0)  # the change up to which segments were counted, and their number
        self._vocabulary = Vocabulary(self._words_with_first)
        self._compounds = (-1, CompoundIndex(()))  # the same of all words, where languages are that write them together
        self._common: tuple[int, dict[str, int]] = (-1, {})  # the same for the words' counts
        self.ready_words()

    def keys(self, name: str, **params: Any) -> NDArray[np.int64]:
        """The segment keys a query names."""
        return np.fromiter((row["key"] for row in self.all(name, **params)), dtype=np.int64)

    def search_words(
        self,
        terms: Sequence[str],
        limit: int,
        *,
        allowed: AbstractSet[int] | None = None,
        excluded: AbstractSet[int] = frozenset(),
        apart: bool = False,
        english: AbstractSet[str] = frozenset(),
        compounds: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> list[tuple[int, float]]:
        """The segments that have any of the terms, as (key, BM25), best first; of the allowed ones if given.

        Those of the terms that are `english` are asked for as English texts have them, and in no other form. A segment
        that has one of the `compounds` of a term counts COMPOUND of what it would with the term itself.
        With `apart`, also those that were set aside (archived or retired), so give the allowed ones then.
        Scores compare within one answer only: they depend on what else is stored, and are near 0 in small stores.
        """
        with self.snapshot():
            told, languages = self.telling(terms, english), self.word_languages()
            forms = (match_expression([term], () if term in english else languages) for term in told)
            expression = " OR ".join(filter(None, forms))
            if not expression or limit < 1:
                return []
            tables = ("words", "cold") if apart else ("words",)
            found = [pair for one in tables for pair in self._search(one, expression, limit, allowed, excluded)]
            if joined := {term: words for term in told if (words := compounds.get(term))}:
                asked, share, scores = match_expression(_each_once(joined)), self._share_of(joined), dict(found)
                for key, score in (
                    pair for one in tables for pair in self._search(one, asked, limit, allowed, excluded)
                ):
                    scores[key] = scores.get(key, 0.0) + share * score
                found = list(scores.items())
            if apart or joined:
                found.sort(key=lambda pair: -pair[1])
            return found[:limit]

    def _share_of(self, compounds: Mapping[str, Sequence[str]]) -> float:
        """How much compounds count: less than their words, and no more for being rarer than these.

        All compounds of a word tell together what one would that stands wherever any of them does.
        """
        said, counts = self.document_counts(compounds), self.word_counts(_each_once(compounds))
        total = self._segment_count()

        def tells(count: int) -> float:
            return max(1e-6, math.log((total - count + 0.5) / (count + 0.5)))

        together = [
            tells(said[term] + sum(counts[word] for word in words)) / tells(min(counts[word] for word in words))
            for term, words in compounds.items()
        ]
        return (COMPOUND if any(said.values()) else COMPOUND_ALONE) * min(1.0, *together)

    def compounds_of(self, terms: Iterable[str]) -> dict[str, list[str]]:
        """The words of what is live, stemmed, that end or begin with a term, where somebody writes compounds."""
        languages = tuple(language for language in self.word_languages() if language in COMPOUNDING)
        if not languages or self.database.is_writing:
            return {}
        with self.snapshot():
            index = self._compound_index()
            found = dict[str, list[str]]()
            for term in terms:
                tokens = [index_tokens(form) for form in index_forms(term, languages)]
                words = dict.fromkeys(word for one in tokens if len(one) == 1 for word in index.find(one[0]))
                # A stem of a stem may be another one: it would be asked for otherwise than it stands there.
                again = index_tokens(" ".join(words))
                steady = [word for word, token in zip(words, again, strict=False) if word == token]
                counts = self.word_counts(steady)
                if here := [word for word in steady if counts[word]]:
                    found[term] = here
            return found

    def _compound_index(self) -> CompoundIndex:
        """All words, read once and then as they come."""
        known, index = self._compounds
        if known != (last := self.last_change()):
            came = self._words_since(known) if 0 <= known < last else None
            index = (
                CompoundIndex(self._words_with_first(string.ascii_lowercase))
                if came is None
                else index.with_words(came)
            )
            self._compounds = (last, index)
        return index

    def _search(
        self, table: str, expression: str, limit: int, allowed: AbstractSet[int] | None, excluded: AbstractSet[int]
    ) -> list[tuple[int, float]]:
        asked = limit
        while True:
            rows = self.all(f"{table}_search", match=expression, limit=asked)
            found = [(key, score) for key, score in rows]
            if excluded or allowed is not None:
                found = [one for one in found if one[0] not in excluded and (allowed is None or one[0] in allowed)]
            if len(found) >= limit or len(rows) < asked:
                return found[:limit]
            asked *= WIDEN

    def sessions_with(self, terms: Sequence[str], *, unfinished: bool = False) -> list[int]:
        """The sessions (their keys) in which all of the terms were said, in one segment or in several.

        With `unfinished`, the last term may be the beginning of a word: somebody is still typing it.
        """
        found: set[int] | None = None
        with self.snapshot():
            for n, term in enumerate(terms[:MAX_TERMS]):
                stem = stems(term)[-1:] if unfinished and n == len(terms) - 1 else ()
                joined = [word for words in self.compounds_of([term]).values() for word in words]
                forms = [match_expression([term], self.word_languages()), match_expression(joined)]
                forms += [f'"{one}" *' for one in stem]
                match = " OR ".join(filter(None, forms))
                rows = self.all("words_sessions", match=match, start="".join(stem)) if match else []
                own = {int(row["key"]) for row in rows}
                found = own if found is None else found & own
        return sorted(found or ())

    def document_counts(
        self, terms: Iterable[str], most: int | None = None, *, english: AbstractSet[str] = frozenset()
    ) -> dict[str, int]:
        """In how many segments each term stands; for a phrase, how many have its rarest word. Counted up to `most`."""
        languages = self.word_languages()
        words = {
            term: [index_tokens(form) for form in index_forms(term, () if term in english else languages)]
            for term in terms
        }
        counts = self._counts({token for forms in words.values() for found in forms for token in found})
        if most is not None:
            counts = {token: min(count, most) for token, count in counts.items()}
        return {
            term: sum(min((counts[token] for token in found), default=0) for found in forms)
            for term, forms in words.items()
        }

    def word_counts(self, words: Iterable[str]) -> dict[str, int]:
        """In how many segments each word stands as the index has it: stemmed, of whatever language."""
        return self._counts(set(words))

    def segment_with(self, word: str) -> int | None:
        """The segment that tells most about an English word or a stem of one."""
        with self.snapshot():
            found = self._search("words", match_expression([word]), 1, None, frozenset())
        return found[0][0] if found else None

    def words_that_begin(self, starts: Iterable[str], longest: int) -> list[str]:
        """The stemmed words of what is live that begin with some plain letters, two of them or more, up to a length.

        Some may have gone since they were read: who takes one counts it.
        """
        if self.database.is_writing:  # what is being written may yet be undone
            return self._vocabulary.find({}, starts, longest)
        with self.snapshot():
            return self._vocabulary.find(self._vocabulary.at(self.last_change(), self._words_since), starts, longest)

    def _words_with_first(self, letters: Iterable[str]) -> set[str]:
        starts = json.dumps([(start, start_behind(start)) for start in sorted(letters)])
        return {str(row["term"]) for row in self.all("words_begin", starts=starts)}

    def _words_since(self, change: int) -> set[str] | None:
        """The words of the segments that changed since then; None if these are many."""
        keys = sorted({int(row["key"]) for row in self.all("changes_since", seq=change)})
        if len(keys) > MOST_CHANGES:
            return None
        text = "\n".join(searchable(body) for body in self._bodies(keys).values())
        return set(tokenizer(os.getpid()).tokens(text))

    def _counts(self, stems: AbstractSet[str]) -> dict[str, int]:
        """The commonest words, which take the longest to count, are in most questions: they are kept until a change.

        Threads share what is kept without a lock: each goes on with that of the state that it looks at.
        """
        if self.database.is_writing:  # what is being written may yet be undone
            return self._read_counts(stems)
        last, kept = self.last_change(), self._common
        if kept[0] != last or len(kept[1]) > KEPT_COUNTS:
            self._common = kept = (last, {})
        known = kept[1]
        if new := stems - known.keys():
            known.update(self._read_counts(new))
        return {stem: known[stem] for stem in stems}

    def _read_counts(self, stems: AbstractSet[str]) -> dict[str, int]:
        rows = self.all("words_counts", terms=json.dumps(sorted(stems)))
        return dict.fromkeys(sorted(stems), 0) | {row["term"]: int(row["doc"]) for row in rows}

    def telling(self, terms: Sequence[str], english: AbstractSet[str] = frozenset()) -> list[str]:
        """The terms without those that stand everywhere, if any others are left; of a large namespace the rarest."""
        listed = list(terms[:MAX_TERMS])
        if len(listed) < 2 or (total := self._segment_count()) <= COMMON_FROM:
            return listed
        counts = self.document_counts(listed, most=int(COMMON * total) + 1, english=english)
        rare = [term for term in listed if counts[term] <= COMMON * total or _is_long_run(term)]
        if not any(counts[term] for term in rare):
            return listed
        in_order = sorted(rare, key=counts.__getitem__)
        reached = accumulate(counts[term] for term in in_order)
        left_out = {
            term
            for term, rows in zip(in_order, reached, strict=True)
            if rows > MOST_ROWS and rows > counts[term] and not _is_long_run(term)
        }
        return [term for term in rare if term not in left_out]

    def word_languages(self) -> tuple[str, ...]:
        """The languages in Latin letters, other than English, of which this namespace has had texts."""
        return _languages_in(str(self.meta(self._form)))

    def ready_words(self) -> None:
        """Make and fill the words of a new namespace, or of one that an older version wrote."""
        if self._words_are_ready():
            return
        try:
            with self.transaction():
                if not self._words_are_ready():  # another process may have been faster
                    self.fill_words()
        except StoreNotWritable:
            # On a read-only medium words of an older form are searched as they are: English ones are the same.
            if self.meta(self._form) is None:
                raise

    def _words_are_ready(self) -> bool:
        """Whether the words were made in this form; where some were stemmed, also by these stemmers."""
        form, _, stemmed = str(self.meta(self._form)).partition(" ")
        return form == str(FORM) and (not stemmed or stemmed.split()[0] == stemmer_version())

    def _note_languages(self, languages: AbstractSet[str]) -> None:
        """Keep of which languages there are stems: questions ask for their forms, and other stemmers make others."""
        _, _, stemmed = str(self.meta(self._form)).partition(" ")
        known = set(stemmed.split()[1:])
        if languages - known:
            self.put_meta(self._form, " ".join((str(FORM), stemmer_version(), *sorted(known | languages))))

    def fill_words(self) -> None:
        """Build the words anew from the turns, inside the caller's transaction."""
        for name in ("words_create", "words_create_terms", "cold_create", "words_remove_all", "cold_remove_all"):
            self.run(name)
        self.put_meta(self._form, str(FORM))
        states = {row["key"]: row["state"] for row in self.all("segment_states")}
        keys = sorted(states)
        for start in range(0, len(keys), FILL_CHUNK):
            bodies = self._bodies(keys[start : start + FILL_CHUNK])
            for table in ("words", "cold"):
                self._index(table, {key: body for key, body in bodies.items() if TABLES.get(states[key]) == table})
        self.tidy_words()

    def tidy_words(self) -> None:
        """Join the parts of the tables: what was taken out of them is then really gone."""
        self.run("words_optimize")
        self.run("cold_optimize")

    def add_words(self, keys: Sequence[int], state: int = LIVE) -> None:
        """Index segments' words where their state wants them, inside the caller's transaction."""
        if (table := TABLES.get(state)) is not None:
            self._index(table, self._bodies(keys))

    def _index(self, table: str, bodies: Mapping[int, str]) -> None:
        languages = {name for body in bodies.values() for name in stemmed_languages(body, language_of(body))}
        self._note_languages(languages)
        self.many(f"{table}_add", ({"key": key, "body": searchable(body)} for key, body in bodies.items()))

    def remove_words(self, key: int) -> None:
        """Take a segment's words out. Before its turns change: a row goes by the very words it came with."""
        for table in ("words", "cold"):
            if self.one(f"{table}_has", key=key) is not None:
                self.run(f"{table}_remove", key=key, body=searchable(self._bodies([key])[key]))

    @property
    def _form(self) -> str:
        return f"words_form_{self.ns}"

    def _bodies(self, keys: Sequence[int]) -> dict[int, str]:
        """What is indexed of each segment: its turns' words; of a document also its name and headings."""
        said: dict[int, list[str]] = {key: [] for key in keys}
        for row in self.all("turns_by_segments", keys=encode_keys(keys)):
            said[row["key"]].append(f"{row['speaker']}\n{row['text']}" if row["kind"] == "chunk" else row["text"])
        return {key: "\n".join(texts) for key, texts in said.items()}

    def _segment_count(self) -> int:
        """Counting walks the namespace, so it is done once a change."""
        last, counted = self.last_change(), self._counted
        if counted[0] != last or self.database.is_writing:
            row = self.one("words_rows")
            assert row is not None
            counted = (last, int(row[0]))
            if not self.database.is_writing:  # what is being written may yet be undone
                self._counted = counted
        return counted[1]


def _each_once(compounds: Mapping[str, Sequence[str]]) -> list[str]:
    return sorted({word for words in compounds.values() for word in words})


def _is_long_run(term: str) -> bool:
    """Whether a term is a run of letters of a script without spaces: each of its letters stands everywhere, the run
    does not. Of pairs, as in Chinese, the rarer character tells how common they are."""
    return len(term.split(" ")) > PAIR and begins_unspaced(term)


@lru_cache(maxsize=256)
def _languages_in(form: str) -> tuple[str, ...]:
    """The languages in Latin letters of which there are stems, as it is noted with the form of the words."""
    stemmed = form.partition(" ")[2].split()
    return tuple(language for language, name in LATIN.items() if name in stemmed)

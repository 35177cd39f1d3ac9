"""What German and its like find by a keyword: "Kuchen" finds Butterkuchen as well, and not Küche."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import StoreError
from ..language.compounds import COMPOUNDING
from ..language.lexical import STOP_WORDS
from ..language.question_language import question_language
from ..language.umlauts import GERMAN, may_be_mistaken, says_only_another
from ..store.store import Store
from .search import NO_COMPOUNDS, ChannelHit

MOST_READ = 40  # texts that are looked through for another word
MOST_COMPOUNDS = 12  # that are looked for together: each costs a walk over its documents
MOST_TERMS = 8  # of a query: a pasted page is not asked for word by word


def asked_compounds(store: Store, text: str, asked: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The compounds of a query's words in this memory; none for English, and other languages that write them apart."""
    language = question_language(text)
    is_english = not language and any(word in STOP_WORDS for word in text.lower().split())
    if is_english or (language and language not in COMPOUNDING) or not 0 < len(asked) <= MOST_TERMS:
        return NO_COMPOUNDS
    try:
        found = store.compounds_of([term for term in asked if term.isalpha()])
    except StoreError:
        return NO_COMPOUNDS  # what is wrong with the store is said by who looks for the words in it
    most = max(1, MOST_COMPOUNDS // max(1, len(found)))
    return {term: words[:most] for term, words in found.items()}


def without_other_words(store: Store, asked: Sequence[str], hits: tuple[ChannelHit, ...]) -> tuple[ChannelHit, ...]:
    """What a single word finds, without texts that only have another one with the same stem, as Küche for "Kuchen"."""
    if len(asked) != 1 or not may_be_mistaken(asked[0]) or GERMAN not in store.word_languages():
        return hits
    said = store.hydrate(sorted(hit.key for hit in hits[:MOST_READ]))
    kept = [hit for hit in hits if hit.key not in said or not says_only_another(asked[0], said[hit.key].text)]
    return tuple(hit._replace(rank=rank) for rank, hit in enumerate(kept, 1))

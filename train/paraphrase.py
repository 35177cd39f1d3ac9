"""Says a question in other words: synonyms and broader terms from WordNet for some of its content words."""

from __future__ import annotations

import random
import re

from . import verbs
from .clauses import DETERMINERS, JOINTS, PREPOSITIONS, TIME_WORDS
from .wordlists import word_set
from .wordnet import WordNet

_KEPT = DETERMINERS | JOINTS | PREPOSITIONS | TIME_WORDS
_COMMON = word_set(
    "what which when where who why how did do does has have had is are was were be been i me my you your many much "
    "long kind type ever will would could can name names say mention about get go make take not"
)
_GENERAL = word_set("entity object thing whole unit abstraction act activity artifact group event matter attribute")


def paraphrased(question: str, wordnet: WordNet, rng: random.Random) -> str | None:
    """The question with up to two words exchanged, or None when no word has a good substitute."""
    words = re.findall(r"\w+|\W+", question)
    places = [
        place for place, word in enumerate(words) if place and word.isalpha() and word.islower() and len(word) > 3
    ]
    rng.shuffle(places)
    changed = 0
    for place in places:
        other = _other(words[place], wordnet, rng) if words[place] not in _KEPT | _COMMON else None
        if other is not None:
            words[place] = other
            changed += 1
        if changed == 2:
            break
    return "".join(words) if changed else None


def _other(word: str, wordnet: WordNet, rng: random.Random) -> str | None:
    if wordnet.noun_first(word):
        return _other_noun(word, wordnet, rng)
    base = wordnet.lemma(word, "verb")
    if base is None or wordnet.frequent["verb"].get(base, 0) == 0:
        return None
    options = [other for other in wordnet.synonyms(base, "verb") if wordnet.frequent["verb"].get(other, 0)]
    if not options:
        return None
    chosen = rng.choice(options)
    if word == base:
        return chosen
    if word.endswith("ing"):
        return verbs.gerund(chosen)
    return verbs.past(chosen) if word.endswith("ed") else None


def _other_noun(word: str, wordnet: WordNet, rng: random.Random) -> str | None:
    lemma = wordnet.lemma(word, "noun") or word
    options = [other for other in wordnet.synonyms(lemma, "noun") if wordnet.frequent["noun"].get(other, 0)]
    above = [name for name in wordnet.hypernyms(lemma) if name not in _GENERAL and len(name.split()) < 3]
    if not options and not above:
        return None
    chosen = rng.choice(options) if options and (not above or rng.random() < 0.6) else rng.choice(above)
    plural = word != lemma and word.endswith("s") and not chosen.endswith("s")
    return verbs.third_person(chosen) if plural else chosen

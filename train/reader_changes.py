"""Changes one word of a question so that what answered it no longer does: the kitten for the puppy."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .wordlists import word_list, word_set
from .wordnet import WordNet

# Words of one row exclude each other.
ROWS = tuple(
    word_list(row)
    for row in """
    dog cat rabbit hamster parrot horse turtle goldfish snake
    puppy kitten foal lamb chick
    mother father sister brother aunt uncle cousin grandmother grandfather niece nephew son daughter
    mom dad husband wife boyfriend girlfriend roommate boss neighbor colleague
    red blue green yellow black white purple orange pink brown
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    spring summer autumn winter
    morning afternoon evening night
    breakfast lunch dinner brunch dessert
    piano guitar violin drums flute cello saxophone trumpet ukulele
    football basketball tennis baseball volleyball hockey golf badminton rugby cricket
    running swimming cycling climbing hiking dancing skiing surfing yoga boxing
    painting drawing pottery knitting sewing photography woodworking gardening baking
    car bike motorcycle bus train van truck boat scooter
    kitchen bedroom bathroom garage garden basement attic balcony
    france england germany italy spain japan china canada mexico brazil india australia greece portugal ireland
    paris london berlin rome madrid tokyo chicago boston seattle denver austin miami toronto sydney lisbon
    one two three four five six seven eight nine ten
    first second third fourth last
    bought sold borrowed lost returned rented
    buy sell borrow lose return rent
    started finished quit cancelled
    start finish quit cancel
    wedding funeral birthday graduation anniversary reunion
    movie book song play podcast game concert
    doctor dentist lawyer teacher nurse therapist accountant plumber
    coffee tea juice beer wine water milk
    chicken beef fish pork lamb tofu shrimp
    pizza pasta sushi tacos salad soup curry ramen
    shirt jacket shoes dress hat scarf jeans boots sneakers
    phone laptop tablet camera printer headphones television
    beach mountain lake forest desert river island
    hospital school museum library church gym park restaurant airport theater
    older younger
    favorite least
    love hate
    oldest youngest
    new old
    """.strip().splitlines()
)
OTHERS = {word: row for row in ROWS for word in row}
SKIPPED = word_set("time thing day week month year way kind type name lot people person one place number")


@dataclass(frozen=True, slots=True)
class Changes:
    """What may take a word's place: written rows first, else words under the same broader word of WordNet."""

    wordnet: WordNet
    below: Mapping[str, tuple[str, ...]]

    def changed(self, question: str, told: str, rng: random.Random) -> str | None:
        """The question with one word that the told text has too replaced by one that it has not."""
        known = set(re.findall(r"[a-z]+", told.lower()))
        words = re.findall(r"\[unused\d\]|[A-Za-z]+|[^A-Za-z]+", question)
        places = [place for place, word in enumerate(words) if place and word.lower() in known and len(word) > 2]
        rng.shuffle(places)
        places.sort(key=lambda place: words[place].lower() not in OTHERS)
        for place in places:
            options = [word for word in self.others(words[place]) if word not in known]
            if options:
                chosen = rng.choice(options)
                words[place] = chosen.capitalize() if words[place][0].isupper() else chosen
                return "".join(words)
        return None

    def others(self, word: str) -> list[str]:
        low = word.lower()
        if low in OTHERS:
            return [other for other in OTHERS[low] if other != low]
        if low in SKIPPED or word[0].isupper() or not self.wordnet.noun_first(low):
            return []
        lemma = self.wordnet.lemma(low, "noun") or low
        senses = self.wordnet.senses["noun"].get(lemma, ())[:1]
        same = set(self.wordnet.synonyms(lemma, "noun")) | {lemma}
        found = [
            other
            for sense in senses
            for above in self.wordnet.synsets["noun"][sense].above[:1]
            for other in self.below.get(above, ())
            if other not in same
        ]
        plural = low != lemma and low.endswith("s")
        return [f"{other}s" if plural and not other.endswith("s") else other for other in found]


def load(wordnet: WordNet) -> Changes:
    """The frequent words below each broader word."""
    below: dict[str, list[str]] = {}
    for synset in wordnet.synsets["noun"].values():
        word = synset.words[0]
        if re.fullmatch(r"[a-z]{3,}", word) and wordnet.frequent["noun"].get(word, 0):
            for above in synset.above[:1]:
                below.setdefault(above, []).append(word)
    return Changes(wordnet, {above: tuple(words) for above, words in below.items() if 2 <= len(words) <= 60})

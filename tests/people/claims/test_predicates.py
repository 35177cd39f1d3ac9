"""What is said of somebody reads as a sentence, whatever the relation is called in the store."""

from __future__ import annotations

import pytest

from engramma.people.claims.predicates import predicate_words
from engramma.people.claims.relations import RELATIONS


@pytest.mark.parametrize(
    ("relation", "value", "said"),
    [
        ("works_at", "TechCorp", "works at TechCorp"),
        ("did", "signed the lease", "signed the lease"),
        ("did", "Sent the report", "sent the report"),
        ("does", "lets me do the weddings", "lets me do the weddings"),
        ("does", "have a night shift", "has a night shift"),
        ("does", "sleep in a hut", "sleeps in a hut"),
        ("does", "reset it twice", "reset it twice"),
        ("does", "run marathons", "runs marathons"),
        ("allergic_to", "hazelnuts", "is allergic to hazelnuts"),
        ("has_sibling", "Fenna", "has the sibling Fenna"),
        ("has_sibling", "older brother", "has an older brother"),
        ("has_parent", "parents", "has parents"),
        ("works_as", "engineer", "works as an engineer"),
        ("is_a", "vegan", "is vegan"),
        ("is_a", "Diet Coke drinker", "is a Diet Coke drinker"),
        ("is_a", "Nurse", "is Nurse"),
        ("favourite", "actually ravioli", "likes best ravioli"),
        ("plays", "lot of chess", "plays chess"),
        ("learns", "play the cello", "learns to play the cello"),
        ("learns", "Spanish", "learns Spanish"),
        ("plans", "pay double", "plans to pay double"),
        ("plans", "trip to Porto", "plans trip to Porto"),
        ("was_not_heard_of", "it", "was not heard of it"),
    ],
)
def test_a_claim_reads_as_a_sentence(relation, value, said):
    assert predicate_words(relation, value) == said


@pytest.mark.parametrize(
    ("relation", "value", "said"),
    [
        ("eats", "fish", "does not eat fish"),
        ("bought", "the car", "did not buy the car"),
        ("from", "Bern", "is not from Bern"),
        ("has_pet", "dog", "does not have a dog"),
        ("has_pet", "Rex", "does not have the pet Rex"),
        ("can", "swim", "can not swim"),
        ("did", "signed the lease", "did not sign the lease"),
        ("does", "drink coffee", "does not drink coffee"),
        ("does", "has a dog", "does not have a dog"),
        ("did", "were at home", "were not at home"),
    ],
)
def test_what_is_denied_says_so(relation, value, said):
    assert predicate_words(relation, value, negated=True) == said


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_relation_is_shown_as_it_is_stored(relation):
    said = predicate_words(relation, "it"), predicate_words(relation, "it", negated=True)
    assert not any("_" in one for one in said) and all(one.endswith("it") for one in said) and "not" in said[1].split()


@pytest.mark.parametrize(
    ("relation", "value", "negated", "said"),
    [
        ("eats", "lots of meat", True, "does not eat lots of meat"),
        ("likes", "plenty of sugar", True, "does not like plenty of sugar"),
        ("favourite", "probably ravioli", False, "probably likes best ravioli"),
        ("has_pet", "maybe cat", False, "maybe has a cat"),
        ("likes", "Maybelline", False, "likes Maybelline"),
    ],
)
def test_a_claim_is_not_told_surer_or_stronger_than_it_was_said(relation, value, negated, said):
    assert predicate_words(relation, value, negated) == said

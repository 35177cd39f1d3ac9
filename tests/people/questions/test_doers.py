"""Who does it: a yes or a no is said of the one asked about, and not of a sister or a boss."""

from __future__ import annotations

import pytest

from engramma.people.questions.asserted import asserted
from engramma.people.questions.doers import AskedSubject, asked_subject, asks_having, is_had_by

ANA = AskedSubject(frozenset({"ana"}), is_speaker=False)
SPEAKER = AskedSubject(frozenset({"ana"}), is_speaker=True)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Did I pass?", {"i"}),
        ("Didn't Ana pass?", {"ana"}),
        ("Did Ana and Tom marry?", {"ana", "tom"}),
        ("Is Ana Lopez a nurse?", {"ana", "lopez"}),
        ("Did Ana's brother move?", set()),
        ("Did we move?", set()),
        ("Is the shop open?", set()),
        ("Did", set()),
        ("", set()),
    ],
)
def test_who_is_asked_about(question: str, names: set[str]) -> None:
    assert asked_subject(question) == names


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Did Ana move to Rome?", "I moved to Rome."),
        ("Did Ana move to Rome?", "Moved to Rome last year!"),
        ("Did Ana move to Rome?", "Yesterday I finally moved to Rome."),
        ("Did Ana move to Rome?", "Tom and I moved to Rome."),
        ("Did Ana move to Rome?", "Both of us moved to Rome."),
        ("Did Ana move to Rome?", "I quit my job and moved to Rome."),
        ("Did Ana move to Rome?", "My wife flew, and I moved to Rome by car."),
        ("Did Ana climb the hill?", "It took me three hours, but I climbed the hill."),
        ("Is Ana allergic to nuts?", "I'm badly allergic to nuts."),
        ("Is Ana allergic to nuts?", "My nut allergy is back."),
        ("Is Ana a nurse?", "I work as a nurse."),
        ("Did Ana sell the boat?", "The boat was sold by me."),
        ("Did Ana fall ill?", "Everybody fell ill."),
    ],
)
def test_it_is_said_of_who_speaks(question: str, text: str) -> None:
    claim = asserted(question)
    assert claim is not None
    assert claim.is_of(text, SPEAKER)
    assert not claim.is_of(text, ANA) or text.startswith("Everybody")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Did Ana move to Rome?", "My brother moved to Rome."),
        ("Did Ana move to Rome?", "My brother, who is mad, moved to Rome."),
        ("Did Ana move to Rome?", "My brother quit his job and moved to Rome."),
        ("Did Ana move to Rome?", "I helped my sister move to Rome."),
        ("Did Ana move to Rome?", "She moved to Rome, I did not."),
        ("Did Ana move to Rome?", "I heard that Gina moved to Rome."),
        ("Did Ana move to Rome?", "Our neighbours moved to Rome."),
        ("Did Ana live in Rome?", "My colleague who lived in Rome came."),
        ("Did Ana catch the flu?", "Everyone except me caught the flu."),
        ("Did Ana sign it?", "Only Tim signed it."),
        ("Did Ana steal it?", "I saw him steal it."),
        ("Is Ana allergic to nuts?", "My wife is allergic to nuts."),
        ("Is Ana allergic to nuts?", "Tom's allergic to nuts."),
        ("Is Ana vegan?", "Both my kids are vegan."),
    ],
)
def test_it_is_said_of_somebody_else(question: str, text: str) -> None:
    claim = asserted(question)
    assert claim is not None
    assert not claim.is_of(text, SPEAKER)
    assert claim.is_of(text, None)  # where it does not matter of whom


@pytest.mark.parametrize(
    ("text", "is_hers"),
    [
        ("Ana moved to Rome.", True),
        ("Ana, who moved to Rome, is happy.", True),
        ("You moved to Rome, right.", True),
        ("Ana is fine, she moved to Rome.", True),
        ("Ana and her brother moved to Rome.", True),
        ("Ana's brother moved to Rome.", False),
        ("Ana was there when Pete moved to Rome.", False),
        ("A friend of Ana moved to Rome.", False),
        ("I moved to Rome.", False),
    ],
)
def test_it_is_said_of_her_by_another(text: str, is_hers: bool) -> None:
    claim = asserted("Did Ana move to Rome?")
    assert claim is not None
    assert claim.is_of(text, ANA) is is_hers


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("I've got two dogs.", True),
        ("My dogs are asleep.", True),
        ("My sister has two dogs.", False),
        ("My brother's dogs are asleep.", False),
        ("The vet ruled out dogs.", False),
        ("shona at my works dogs are loud", False),
        ("my two boss dogs are loud", True),
    ],
)
def test_who_has_it(text: str, has: bool) -> None:
    assert is_had_by(text, {"dog": 1.0}, SPEAKER) is has


def test_what_asks_whether_somebody_has_something() -> None:
    assert asks_having("Do I have a dog?") and asks_having("Does Ana Lopez own a boat?")
    assert not asks_having("Do I have to go?") and not asks_having("Did Ana move?")


@pytest.mark.parametrize(
    "words", ["who ", "moved, ", "moved and ", "my ", "Ann's ", "that which ", "dogs, ", "her dogs "]
)
def test_a_flood_of_words_is_read_as_any_text(words: str) -> None:
    claim = asserted("Did Ana move to Rome?")
    assert claim is not None
    for asked in (SPEAKER, ANA):
        assert claim.is_of(f"{words * 3_000}moved to Rome", asked) in (True, False)
        assert is_had_by(f"{words * 3_000}dog", {"dog": 1.0}, asked) in (True, False)

"""What a yes-or-no question asserts, and which texts say so."""

from __future__ import annotations

import pytest

from engramma.people.questions.asserted import asserted


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("Did we buy the Hartmann greenhouse?", "buy"),
        ("Did Ferdi finally sell his plot?", "sell"),
        ("Does our insurance cover hail?", "cover"),
        ("Did the fish soup taste good?", "taste"),
        ("Did Ann's brother move to Rome?", "move"),
        ("Did the owner of the bar call?", "call"),
        ("Has Ann repaired the pump?", "repair"),
        ("Was the radio stolen?", "steal"),
        ("Is Tom going to paint the hut?", "paint"),
        ("Didn't Tom and Ann marry?", "marry"),
    ],
)
def test_the_verb_that_is_asked_for(question: str, verb: str) -> None:
    found = asserted(question)
    assert found is not None
    assert verb in found.verbs


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is Priya vegetarian?", "I'm vegetarian again"),
        ("Is Ann a nurse?", "She works as a nurse"),
        ("Is Marcus still allergic to wool?", "It's an itch, not an allergy"),
        ("Is the shop open?", "The shop opened in May"),
    ],
)
def test_what_somebody_is_said_to_be(question: str, text: str) -> None:
    found = asserted(question)
    assert found is not None
    assert found.is_in(text)
    assert not found.is_in("It was a lovely day")


@pytest.mark.parametrize("question", ["Did Tobi have chickenpox?", "Where did we buy it?", "Has he been here?", "?"])
def test_nothing_in_particular_is_asserted(question: str) -> None:
    assert asserted(question) is None


@pytest.mark.parametrize(
    ("question", "text", "is_said"),
    [
        ("Did we buy the press?", "We bought the press on Friday", True),
        ("Did we buy the press?", "We ordered the press on Friday", True),
        ("Did we buy the press?", "We are going to buy the press", False),
        ("Did we buy the press?", "We almost bought the press", False),
        ("Did we buy the press?", "I forgot to buy the press", False),
        ("Did we buy the press?", "I priced the press", False),
        ("Did Ann study law?", "I was studying law back then", True),
        ("Did Ann go to Japan?", "I visited Japan", True),
        ("Did Ann bake the bread?", "I cut the bread", False),
        ("Does Ann smoke?", "I am smoking again", True),
        ("Did Ann break her ankle?", "I sprained my ankle", False),
    ],
)
def test_what_was_done_is_said_in_the_past(question: str, text: str, is_said: bool) -> None:
    found = asserted(question)
    assert found is not None
    assert found.is_said(text) == is_said


@pytest.mark.parametrize(
    ("question", "text", "is_said"),
    [
        ("Did Ben cancel the train?", "Bad news: the night train is cancelled.", False),
        ("Did Ben cancel the train?", "The train was cancelled by Ben himself.", True),
        ("Did Ben cancel the train?", "I cancelled the train.", True),
        ("Did Ana break the vase?", "It was totally broken when I came.", False),
        ("Did Ana break the vase?", "The vase got broken.", False),
        ("Has she sold the car?", "The car's sold!", False),
        ("Did Tom marry?", "Tom is married now.", True),
        ("Did she marry?", "She's married.", True),
        ("Did we book the hotel?", "The hotel is booked!", True),
        ("Is the train cancelled?", "The train is cancelled.", True),
    ],
)
def test_what_was_done_to_a_thing_does_not_say_who_did_it(question: str, text: str, is_said: bool) -> None:
    found = asserted(question)
    assert found is not None
    assert found.is_said(text) is is_said

"""Whose it is: pronouns, reactions, third persons, and what the confidence is made of."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest

from engramma.people.answers.attribution import (
    ANYBODY,
    AttributedQuestion,
    about_speaker,
    attributed,
    culprit,
    features,
)
from engramma.people.answers.sentences import find_content_stems, split_turn
from engramma.people.answers.turns import RecalledTurn

DAY = datetime(2023, 5, 25, tzinfo=UTC)


def said(speaker: str, to: str, text: str, share: float = 1.0, turn: str = "D1:1", near: float = 7.0) -> RecalledTurn:
    return RecalledTurn("conv-26", "s1", turn, speaker, DAY, text, share, near, (to,), text)


def asked(*people: str, words: str = "charity race") -> AttributedQuestion:
    stems = find_content_stems(words)
    return AttributedQuestion(people, dict.fromkeys(stems, 0.8), {stem: stem for stem in stems})


@pytest.mark.parametrize(
    ("sentence", "is_about_speaker"),
    [
        ("I ran a charity race last Saturday.", True),
        ("My sister and I ran it.", True),
        ("The weather in Paris was fine.", True),
        ("You ran so well!", False),
        ("Did you run the race?", False),
        ("Wow, what a race!", False),
        ("That charity race sounds great, Mel!", False),
        ("I'm so proud of you for running!", False),
        ("I think you did well.", False),
        ("Thank you, we had fun.", True),
    ],
)
def test_a_sentence_is_about_its_speaker_or_the_one_it_is_said_to(sentence, is_about_speaker):
    (part,) = split_turn(sentence)
    assert (about_speaker(part.text, sentence, part.asks) > 0.5) is is_about_speaker


@pytest.mark.parametrize(
    ("led", "is_about_speaker"),
    [
        ("Cool, Tim! By the way, I've been trying out recipes.", True),
        ("Cool, Tim! I bet it was good.", False),
        ("Cool, Tim! I love that you cook.", False),
        ("Cool, Tim!", False),
    ],
)
def test_who_begins_with_a_reaction_and_goes_over_to_themself_speaks_of_themself(led, is_about_speaker):
    sentence = "Made this tasty soup recently."
    assert (about_speaker(sentence, f"{led} {sentence}", False) > 0.5) is is_about_speaker


def test_the_sentence_that_matches_the_question_decides():
    (turn,) = attributed(asked("Melanie"), [said("Caroline", "Melanie", "I love tea. Your charity race was great!")])
    assert turn.sentence.text.startswith("Your charity race")
    assert turn.own > 0.8


def test_somebody_who_is_only_spoken_of_is_known_by_name():
    (turn,) = attributed(asked("Anna"), [said("Caroline", "Melanie", "Anna ran the charity race with us.")])
    assert turn.own == 1.0


def test_what_an_assistant_says_without_a_pronoun_is_the_users_matter():
    (turn,) = attributed(asked("user"), [said("assistant", "user", "A charity race needs a permit.")])
    assert turn.own > 0.5


def test_the_one_it_was_is_named_by_a_turn_of_their_own():
    turns = attributed(
        asked("Caroline"),
        [
            said("Caroline", "Melanie", "That charity race sounds great!", 0.6, "D2:2"),
            said("Melanie", "Caroline", "I ran a charity race for mental health.", 0.4, "D2:1"),
        ],
    )
    name, turn = culprit(asked("Caroline"), turns)
    assert (name, turn.said.turn_id) == ("Melanie", "D2:1")


def test_a_turn_that_says_nothing_of_what_is_asked_names_nobody():
    canoe = said("Melanie", "Caroline", "I bought a canoe, it is green.", 0.6, "D2:1")
    assert culprit(asked("Caroline"), attributed(asked("Caroline"), [canoe])) is None
    race = said("Melanie", "Caroline", "I ran a charity race.", 0.1, "D2:2")
    name, turn = culprit(asked("Caroline"), attributed(asked("Caroline"), [canoe, race]))
    assert (name, turn.said.turn_id) == ("Melanie", "D2:2")


def test_a_question_about_everybody_or_nobody_is_not_surer_for_being_about_all_who_spoke():
    both = attributed(asked("Caroline", "Melanie"), [said("Caroline", "Melanie", "I ran a charity race.")])
    assert features(asked("Caroline", "Melanie"), both)["about"] == ANYBODY
    nobody = attributed(asked(), [said("Caroline", "Melanie", "I ran a charity race.")])
    assert features(asked(), nobody)["about"] == ANYBODY


def test_words_of_the_question_that_nobody_says_are_missing():
    turns = attributed(asked("Caroline", words="charity kitten"), [said("Caroline", "M", "I ran a charity race.")])
    assert features(asked("Caroline", words="charity kitten"), turns)["missing"] == 0.8
    assert features(asked("Caroline", words="charity race"), turns)["missing"] == 0.0


def test_nothing_found_is_not_confident():
    measured = features(asked("Caroline"), [])
    assert measured["near"] == 0.0
    assert measured["missing"] == 1.0


def test_the_overlap_does_not_depend_on_the_order_in_which_a_process_has_the_words():
    rarity = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.7}
    question = AttributedQuestion((), rarity, {})

    class Ordered(frozenset):
        """A set that is walked in a given order, as another process would."""

        def __new__(cls, words):
            made = super().__new__(cls, words)
            made.words = words
            return made

        def __iter__(self):
            return iter(self.words)

    sums = {question.overlap(Ordered(words)) for words in permutations(rarity)}
    assert len(sums) == 1

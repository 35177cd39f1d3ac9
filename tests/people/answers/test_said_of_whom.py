"""What `ask` must not say: yes of another person, no by another clause's word, a day or a person of another matter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from tests.people.answers.guesses import is_guess

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
BESIDE = (
    ("Zed", "The weather was fine and we walked along the river."),
    ("Yara", "My bike has a flat tyre."),
    ("Zed", "The library opens at nine."),
)


def remember(memory: Memory, name: str, *said: tuple[str, str]) -> None:
    turns = [Turn(speaker, text, START + timedelta(minutes=place)) for place, (speaker, text) in enumerate(said)]
    memory.remember_session(name, "one", turns)


@pytest.mark.parametrize(
    ("speaker", "said", "question", "short"),
    [
        ("user", "My wife is allergic to penicillin.", "Am I allergic to penicillin?", ""),
        ("user", "My wife is not allergic to penicillin.", "Am I allergic to penicillin?", ""),
        ("user", "My sister has a peanut allergy.", "Do I have a peanut allergy?", ""),
        ("user", "She passed the exam, I did not.", "Did I pass the exam?", ""),
        ("Ana", "My brother moved to Berlin last year.", "Did Ana move to Berlin?", ""),
        ("Ana", "I moved to Berlin last year.", "Did Ana move to Berlin?", "Yes"),
        ("user", "I'm allergic to nuts so no peanut butter.", "Am I allergic to nuts?", "Yes"),
        ("Ana", "Salmon pls, and I'm coeliac so no cake.", "Is Ana coeliac?", "Yes"),
        ("Ana", "No, never. I did not sell the boat.", "Did Ana sell the boat?", "No"),
        ("Ana", "Kit and I are splitting up.", "Is Ana still with Kit?", "No"),
        ("Ana", "I moved up from Swindon in August.", "Does Ana live in Swindon?", ""),
        ("Ana", "I dreamt that I adopted a tiger.", "Did Ana adopt a tiger?", ""),
        ("user", "I returned the books. Just kidding, they are here.", "Did I return the books?", ""),
        ("Ana", "ok. we sort of knew. shall I come", "Did Ana come?", ""),
    ],
)
def test_yes_and_no(tmp_path: Path, speaker: str, said: str, question: str, short: str) -> None:
    with Memory.open(tmp_path) as memory:
        remember(memory, "talk", (speaker, said), ("assistant" if speaker == "user" else "Zed", "Noted."))
        remember(memory, "other", *BESIDE)
        assert memory.ask(question).short == short


def test_a_yes_that_no_sentence_says_alone_is_quoted_with_the_next(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        said = "She's allergic to lavender, so bring something else. Oh and penicillin of course."
        remember(memory, "talk", ("Ana", "About mum's visit to the clinic:"), ("Ana", said))
        remember(memory, "other", *BESIDE)
        answer = memory.ask("Is mum allergic to penicillin?")
        assert (answer.quote, answer.short) == (said, "")


def test_a_note_about_somebody_who_chats_elsewhere_answers(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        remember(memory, "chat", ("Tamsin Rowe", "The kettle broke again."), ("Gwen", "I'll bring ours."), *BESIDE)
        memory.remember("Tamsin's ring size is K")
        answer = memory.ask("What is Tamsin's ring size?")
        assert (answer.verdict, answer.text) == ("answered", "Tamsin's ring size is K")


def test_what_others_say_of_somebody_by_name_answers(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        remember(memory, "chat", ("Tamsin Rowe", "The kettle broke again."), ("Gwen", "I'll bring ours."))
        remember(memory, "other", ("Huw", "Tamsin plays the accordion in a ceilidh band."), *BESIDE)
        answer = memory.ask("Which instrument does Tamsin play in the band?")
        assert "accordion" in answer.quote


def test_a_day_of_another_matter_is_not_told_for_sure(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        remember(memory, "chat", ("Gwen", "So?"), ("Tamsin Rowe", "start 1 september. yes. obviously yes"))
        remember(memory, "other", *BESIDE)
        answer = memory.ask("When did I propose to Tamsin?")
        assert answer.abstained or is_guess(answer)


def test_who_it_is_is_not_told_by_a_sentence_about_another(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        said = (
            "My mum Eluned has vascular dementia. I need to set up power of attorney. She's 73. "
            "My brother lives in Australia, can he be one?"
        )
        remember(memory, "chat", ("user", said), ("assistant", "Yes, he can."))
        remember(memory, "other", *BESIDE)
        assert memory.ask("Who is my brother?").verdict != "answered"


def test_a_question_without_its_mark_is_no_answer(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        remember(memory, "chat", ("Nia", "who's driving this week"), ("Zed", "Me."))
        remember(memory, "other", *BESIDE)
        assert memory.ask("What car does Nia drive?").verdict != "answered"


def test_what_happened_was_not_on_a_day_that_was_still_to_come(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        said = "Mr Okafor PASSED his test, first time. He hugged the examiner. He is driving to Cardiff on Saturday."
        remember(memory, "chat", ("Gwen", said), ("Zed", "Well done him!"))
        remember(memory, "other", *BESIDE)
        assert memory.ask("When did Mr Okafor pass his test?").short == ""


FAMILY = (
    ("Mum", "I am bringing soup tomorrow."),
    ("Jens", "thanks, I love your soup"),
    ("Silke", "We were at the lake on Sunday."),
)


@pytest.mark.parametrize(
    ("asked", "told", "question", "text"),
    [
        (
            "how is jens doing?",
            "bad back, he is on sick leave for 4 weeks",
            "How long is Jens on sick leave?",
            "4 weeks",
        ),
        ("wie gehts jens?", "er ist 4 wochen krankgeschrieben", "Wie lange ist Jens krankgeschrieben?", "4 wochen"),
        ("Jens moved to Oslo.", "he really likes his new flat by the harbour", "Does Jens like his new flat?", "Yes"),
    ],
)
def test_he_is_the_one_who_was_named_just_before(
    tmp_path: Path, asked: str, told: str, question: str, text: str
) -> None:
    with Memory.open(tmp_path) as memory:
        remember(memory, "family", *FAMILY, ("Silke", asked), ("Annika", told), ("Silke", "oh"))
        answer = memory.ask(question)
        assert answer.verdict == "answered" and text in answer.text and answer.evidence[0].speaker == "Annika"


@pytest.mark.parametrize(
    "told", ["Fine! But Torben called, he is on sick leave for 4 weeks", "he is on sick leave for 4 weeks, you know"]
)
def test_he_is_nobody_in_particular_where_another_or_nobody_was_named(tmp_path: Path, told: str) -> None:
    asked = "how is Jens doing?" if "Torben" in told else "what is the matter?"
    with Memory.open(tmp_path) as memory:
        remember(memory, "family", *FAMILY, ("Silke", asked), ("Annika", told), ("Silke", "oh"))
        answer = memory.ask("How long is Jens on sick leave?")
        assert answer.verdict != "answered" and "this was Annika" not in answer.reason

"""An answer tells the kind of thing that is asked for, of the one who is asked about; else `ask` is unsure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.people.questions.kind_of_answer import has_marks, is_of_another, is_ruled_out, tells_kind

AT = datetime(2026, 2, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "sentence", "tells"),
    [
        ("Where do I live?", "what can i eat thats quick, i live on my own", False),
        ("Where do I live?", "I live in Rosses Point.", True),
        ("Where is the key?", "Under the mat", True),
        ("Where does Nia work?", "She works for the council.", True),
        ("Where's Tom?", "upstairs", True),
        ("where did we stay", "We stayed, Hotel Adler was lovely", True),
        ("How old am I?", "14 is old for a lurcher i suppose", False),
        ("How old am I?", "I'm 52.", True),
        ("How much did Ada sell the van for?", "the van has 131,000 miles on it", False),
        ("How much did the licence cost Ada?", "my neighbour did it, six weeks training", False),
        ("How much did Ada sell the van for?", "sold it, 2,400 in the end", True),
        ("How much did Ada sell the van for?", "it went for three grand", True),
        ("How much time did the sale take?", "six weeks", True),
        ("What was the final score?", "the bout against Aire is on", False),
        ("What was the final score?", "two nil, we lost", True),
        ("How old is my mother?", "ha some mother. ill send him 50 quid", False),
        ("How old is my mother?", "Mam's 83 now", True),
        ("How old is Cian?", "he turned nineteen, born in May", True),
        ("What do I charge for a tuning?", "I'll tune it, no charge as usual", False),
        ("What do I charge for a tuning?", "It is 80 euros.", True),
        ("How much do I pay for rent?", "The rent is due.", False),
        ("Is Ann still with Paul?", "paul even rang to congratulate him", False),
        ("Is Ann still with Paul?", "me and paul are finished", True),
        ("How much was Ada's boiler?", "boiler man came, took 3 hrs", False),
        ("How much was Ada's boiler?", "the boiler was 90 euro", True),
        ("How much is left?", "three hours", True),
        ("What did Ada get for the old van?", "sold the van", False),
        ("What did Ada get for the old van?", "1900, a surfer", True),
        ("What did Ada get for her birthday?", "socks", True),
        ("How much does the dog weigh?", "the dog is £640 worth of stitches", False),
        ("How much does the dog weigh?", "hes 6 and 13 kilo", True),
        ("When is the concert?", "No idea", True),
    ],
)
def test_a_sentence_tells_what_is_asked_for(question: str, sentence: str, tells: bool):
    assert tells_kind(question, sentence) is tells


def test_a_colour_is_told_by_a_colour():
    assert has_marks("What colour is the van?", "The van is dark green.")
    assert not has_marks("What colour is the van?", "The van is from Longford.")


def test_she_is_who_was_named_last():
    ruth = "Ruth is not keen on me. She lives in Leeds."
    assert is_of_another("Where does Nora Adler live?", "She lives in Leeds.", "Nora Adler came.", ruth)
    assert not is_of_another("Where does Ruth live?", "She lives in Leeds.", "", ruth)
    assert not is_of_another("Where does Nora live?", "She lives in Leeds.", "Nora came.", "She lives in Leeds.")
    assert not is_of_another("Where does Nora live?", "I live in Leeds.", "", "I live in Leeds.")


def test_what_was_moved_was_on_the_later_day(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = "endoscopy was meant to be tues the 3rd, they moved it to the 17th feb."
        memory.remember_session("chat", "s", [Turn("Ana", said, AT), Turn("Bo", "Oh dear.", AT + timedelta(minutes=1))])
        assert "3 Feb" not in memory.ask("When was the endoscopy?").text


def test_what_was_to_come_did_not_happen_by_that(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = [Turn("Ana", "Declan is coming home for Christmas, flights booked.", AT), Turn("Bo", "Lovely.", AT)]
        memory.remember_session("chat", "s", said)
        assert memory.ask("Did Declan come home for Christmas?").verdict != "answered"


@pytest.mark.parametrize(
    ("question", "sentence", "is_out"),
    [
        ("Where is the heron stored?", "can't stay in the barn, lambing", True),
        ("Where do I live?", "I don't live in Leeds", True),
        ("Where is the key?", "It isn't under the mat, it's in the shed", False),
        ("Where is the key?", "not in the shed but in the garage", False),
        ("Where is the key?", "In the shed", False),
        ("Where may we not park?", "You can't park in the yard", False),
        ("When is the fair?", "not on the field", False),
    ],
)
def test_a_place_where_it_is_not_is_no_place(question: str, sentence: str, is_out: bool):
    assert is_ruled_out(question, sentence) is is_out

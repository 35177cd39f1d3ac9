"""An answer tells the kind of thing that is asked for, of the one who is asked about; else `ask` is unsure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engramma import Memory, Turn
from engramma.people.questions.kind_of_answer import has_marks, is_of_another

AT = datetime(2026, 2, 1, 10, tzinfo=UTC)


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

"""Mistyped queries: read as what they mean where that is clear, and told."""

from __future__ import annotations

import pytest

from engramma import Memory
from engramma.recall.typos import with_typos_read
from engramma.records import Query
from tests.conftest import talk

pytestmark = pytest.mark.on("postgres", "encrypted")

SAID = (
    "Ann: My Spotify playlist is called Summer Vibes.",
    "Ann: My sister Melanie likes the restaurant in Ghent.",
    "Ann: We bought a cat named Okra.",
    "Ann: The train to Brussels leaves at nine.",
)


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c", "s", talk(*SAID))
        yield opened


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("the playlst", "the playlist"),
        ("my favrite restuarant", "my favorite restaurant"),
        ("whch train", "which train"),
        ("Where is Gehnt?", "Where is Ghent?"),
        ("What does Melanei like?", "What does Melanie like?"),
        ("playlst, restaurnt!", "playlist, restaurant!"),
        ("What is Melanei's restuarant?", "What is Melanie's restaurant?"),
        ("the restuarants’ playlst", "the restaurants’ playlist"),
        ("What did she buy on 3 Jue, 2023?", "What did she buy on 3 June, 2023?"),
        ("Where was Ann on Juuly 12?", "Where was Ann on July 12?"),
        ("Which Europeaan towns?", "Which European towns?"),
    ],
)
def test_a_slip_is_read_as_what_was_meant(memory, typed, meant):
    query, notes = with_typos_read(memory._core.store, Query(typed, 5))
    assert query.text == meant
    assert notes


def test_of_two_words_as_near_the_one_that_fingers_slip_from_is_meant(memory):
    memory.remember_session(
        "c", "s2", talk("Ann: My mentor watched the meteor shower.", "Ann: The dancers love dances.")
    )
    for typed, meant in (("the meetor shower", "the meteor shower"), ("the dancres", "the dancers")):
        assert with_typos_read(memory._core.store, Query(typed, 5))[0].text == meant


def test_a_name_that_this_memory_has_is_no_month(memory):
    memory.remember_session("c", "s2", talk("Ann: Agust is five, and Jue is six."))
    for text in ("Does Agust, 5, like Jue, 6?", "Agust 5"):
        assert with_typos_read(memory._core.store, Query(text, 5))[0].text == text


@pytest.mark.parametrize(
    "text",
    [
        "What is the playlist called?",
        "What about Melania?",  # another name
        "What about Carol?",
        "kubernetes dashboard",  # English knows one, and nothing is near the other
        "the templates and datasets of our workflow",  # English makes them of words that it knows
        "see playlst.txt and #playlst and playlst_2 and https://playlst.example",
        "Où est la liste de lecture ?",
        "プレイリスト",
        "",
        "PLAYLST",
        "playls't and plylist'll",  # not the end of a word
        "Mya 5 and Jun 6 and Agust",  # a name before a number, a short month, a month without a number
    ],
)
def test_what_may_be_meant_as_it_stands_stays(memory, text):
    query, _ = with_typos_read(memory._core.store, Query(text or "?", 5))
    assert query.text in (text or "?", "PLAYLIST", "playlist")


RARE = (  # written before the rule, with what they were read as
    ("quire", "quite"),
    ("snoring", "storing"),
    ("trowel", "towel"),
    ("gherkin", "germinating"),
    ("scone", "scene"),
    ("poultice", "police"),
    ("colander", "commander"),
    ("lozenge", "lounge"),
    ("ratchet", "Rachel"),
    ("mortise", "motive"),
    ("gosling", "going"),
    ("stent", "spent"),
    ("loam", "load"),
)


def test_a_rare_word_that_nobody_said_is_not_read_as_a_common_one_that_somebody_did(memory):
    memory.remember_session("c", "s2", talk(*(f"Ann: It was about the {common} again." for _, common in RARE)))
    for rare, _ in RARE:
        query = Query(f"Did I say anything about the {rare}?", 5)
        assert with_typos_read(memory._core.store, query) == (query, [])
    assert "was read as" not in str(memory.recall("Did I say anything about the quire?").trace)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("thier", "their"),
        ("seperate", "separate"),
        ("calender", "calendar"),
        ("tommorow", "tomorrow"),
        ("suprise", "surprise"),
    ],
)
def test_a_misspelt_word_is_still_read(memory, typed, meant):
    assert with_typos_read(memory._core.store, Query(f"for {typed} train", 5))[0].text == f"for {meant} train"


@pytest.mark.parametrize(
    "text",
    [
        "Was hast du gestern gekocht?",  # "has", "gesture"
        "Wer kommt morgen zum Essen?",
        "Welche Farbe hat das Haus?",
        "Quelle couleur a la voiture de Paul ?",
        "Chi ha comprato la macchina nuova?",
        "Donde vive la hermana de Marta?",
        "Wie heeft de sleutels van het huis?",
    ],
)
def test_a_question_in_another_language_is_not_read_as_english(memory, text):
    assert with_typos_read(memory._core.store, Query(text, 5)) == (Query(text, 5), [])


def test_a_clear_slip_in_another_language_is_read(tmp_path):
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c", "s", talk("Ann: Der Fliesenleger hat das Bad gebucht."))
        read, _ = with_typos_read(opened._core.store, Query("Wann kommt der Fliesenlegr?", 5))
        assert read.text == "Wann kommt der Fliesenleger?"
        for text in ("Was hast du gestern gekocht?", "Wo hat er das gesucht?"):  # neither "hat" nor "gebucht"
            assert with_typos_read(opened._core.store, Query(text, 5))[0].text == text


@pytest.mark.parametrize("sign", ["\u00ad", "\u200b", "\u2060", "\u0308"])
def test_a_sign_inside_a_word_does_not_end_it(memory, sign):
    for text in (f"the plaything bro{sign}tchen", f"play{sign}lst", f"Lu{sign}ther plays", f"whch{sign}ever"):
        assert with_typos_read(memory._core.store, Query(text, 5))[0].text == text


def test_a_mistyped_question_finds_what_it_asks_for_and_says_how_it_was_read(memory):
    found = memory.recall("wats my spotifi playlst caled")
    assert found.entries[0].text == "My Spotify playlist is called Summer Vibes."
    assert "'playlst' was read as 'playlist'" in found.trace.notes
    assert found.query == "wats my spotifi playlst caled"


def test_words_of_another_namespace_are_not_meant(tmp_path):
    with Memory.open(tmp_path) as one, Memory.open(tmp_path, "other") as other:
        one.remember_session("c", "s", talk("Ann: The zebrafish lives in Ghent."))
        other.remember_session("c", "s", talk("Ann: The train leaves at nine."))
        assert with_typos_read(one._core.store, Query("zebrafsih", 5))[0].text == "zebrafish"
        assert with_typos_read(other._core.store, Query("zebrafsih", 5))[0].text == "zebrafsih"


def test_a_flood_of_unknown_words_is_bounded(memory):
    _, notes = with_typos_read(memory._core.store, Query("playlst " * 500, 5))
    assert 0 < len(notes) <= 8


def test_a_word_that_is_gone_is_not_meant(tmp_path):
    with Memory.open(tmp_path / "store") as opened:
        opened.remember_session("c", "s", talk("Ann: The zebrafish lives in Ghent."))
        assert with_typos_read(opened._core.store, Query("zebrafsih", 5))[0].text == "zebrafish"
        opened.remember_session("c", "t", talk("Ann: The train leaves at nine."))
        opened.purge(conversation="c", session="s")
        assert with_typos_read(opened._core.store, Query("zebrafsih", 5))[0].text == "zebrafsih"

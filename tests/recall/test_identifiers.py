"""Who looks for an identifier gets the texts that have it, and nothing where nobody wrote it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.recall.identifiers import asked_alone, list_identifiers

SAID = datetime(2026, 3, 1, 12, tzinfo=UTC)
TALK = [
    "My order ORD-2024-88317 still has not arrived.",
    "The order of the books arrived on Monday.",
    "Ticket TKT4471 is about the boiler in the cellar.",
    "We changed config_loader.py before the release.",
    "The order for the garden shed was cancelled.",
    "The boiler in the cellar is loud again.",
    "The loader of the truck broke down.",
    "Call me at 555-0142 before nine.",
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("identifiers")) as memory:
        for number, text in enumerate(TALK):
            said = SAID + timedelta(days=number)
            talk = [Turn("Ann", text, said), Turn("Ben", f"Fine, I wrote that down, it is number {number}.", said)]
            memory.remember_session(f"c{number}", "s", talk)
        yield memory


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("order ORD-2024-88317", ["ORD-2024-88317"]),
        ("E11000 in config_loader.py, see #42", ["E11000", "config_loader.py", "#42"]),
        ("main.rs, README.md, Node.js, booking.com", ["main.rs", "README.md"]),
        ("192.168.0.1", ["192.168.0.1"]),
        ("20260815", ["20260815"]),
        ("COVID-19, B12, Euro2024, in 2024, 2023-2024, on 2024-05-01, 12/05/2024", []),
        ("1000-piece, 100-year-old, 120km/h, 12-May-2024, 2024-05-12T10:00", []),
        ("100円のコーヒーはどこで買えますか", []),
        ("我的房间号是1204吗, 1204호는, 2024年5月4日", []),
        ("500g, 1990s, 100km, 10.30pm, 1.250.000 or 15000 euros, room 1042", []),
    ],
)
def test_what_is_an_identifier(text, found):
    assert list(list_identifiers(text)) == found


def test_a_query_of_more_words_or_that_asks_for_more_is_a_question_about_something():
    for text in ("ORD-2024-88317", "order ORD-2024-88317", "What about ORD-2024-88317?"):
        assert asked_alone(text) == ("ORD-2024-88317",)
    for text in ("When did ORD-2024-88317 arrive?", "who ordered ORD-2024-88317", "books of order ORD-2024-88317"):
        assert asked_alone(text) == ()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("ORD-2024-88317", "ORD-2024-88317"),
        ("order ord-2024-88317", "ORD-2024-88317"),
        ("What about TKT-4471?", "TKT4471"),
        ("config_loader.py", "config_loader.py"),
        ("555-0142", "555-0142"),
    ],
)
def test_an_identifier_brings_the_texts_that_have_it_and_no_others(memory, query, words):
    found = [one for one in memory.recall(query).candidates if one.role == "entry"]
    assert [words in one.text for one in found] == [True]


@pytest.mark.parametrize("query", ["ORD-2024-99999", "order ORD-9999-88317", "config_writer.py", "555-9999"])
def test_an_identifier_that_nobody_wrote_brings_nothing_and_is_not_known(memory, query):
    found = memory.recall(query)
    assert found.candidates == ()
    assert memory.ask(query).verdict == "not known"


def test_a_question_with_an_identifier_that_nobody_wrote_is_not_known(memory):
    assert memory.ask("When did my order ORD-2024-99999 arrive?").verdict == "not known"
    assert memory.ask("Has my order ORD-2024-88317 arrived?").verdict != "not known"


def test_what_is_purged_by_its_identifier_is_not_known(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("c", "s", [Turn("Ann", text, SAID) for text in TALK])
        memory.purge(query="ORD-2024-88317")
        assert memory.recall("ORD-2024-88317").candidates == ()
        assert memory.ask("ORD-2024-88317").verdict == "not known"


def test_an_identifier_that_only_stands_in_a_title_finds_what_is_called_so(memory):
    memory.remember_session("invoices", "s", [Turn("Ann", "It was paid twice.", SAID)], title="INV-2025-0042")
    assert memory.recall("INV-2025-0042").candidates[0].conversation_id == "invoices"


def test_somebody_who_is_called_by_an_identifier_is_known(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("c", "s", [Turn("user4711", "I work as a plumber.", SAID)])
        assert memory.recall("user4711").candidates
        assert memory.ask("What is user4711's job?").quote == "I work as a plumber."

"""Entities: which names are one, which are not, whose things are whose, and what they are called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.admin.doctor import doctor
from engramma.people.claims.store import put_claims
from engramma.people.entities.entities import Resolver, keys_named
from engramma.people.entities.name_forms import LONG, best_name, fold_name, forms_of, is_same
from engramma.records.people import Claim
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)

ONE = [
    ("TechCorp", "Tech Corp", "organisation"),
    ("TechCorp's", "TechCorp", "organisation"),
    ("Acme Inc.", "Acme", "organisation"),
    ("the Lisbon office", "Lisbon office", "place"),
    ("NYC", "New York", "place"),
    ("New York City", "New York", "place"),
    ("LA", "Los Angeles", "place"),
    ("Postgres", "PostgreSQL", "tool"),
    ("VS Code", "Visual Studio Code", "tool"),
    ("issue #42", "issue 42", "thing"),
    ("dogs", "dog", "thing"),
    ("hobbies", "hobby", "thing"),
    ("LGBTQ support group", "support group LGBTQ", "event"),
    ("Mircosoft", "Microsoft", "organisation"),
    ("Microsft", "Microsoft", "organisation"),
    ("Kubernettes", "Kubernetes", "tool"),
    ("ANA", "Ana", "person"),
    ("Ana's", "Ana", "person"),
]
TWO = [
    ("John", "Jon", "person"),
    ("John", "Johnny", "person"),
    ("John Smith", "John Smyth", "person"),
    ("Caroline", "Carolina", "person"),
    ("Christine", "Christina", "person"),
    ("James", "Jame", "person"),
    ("Daisy", "Daisey", "pet"),
    ("Austria", "Australia", "place"),
    ("Slovakia", "Slovenia", "place"),
    ("Sydney", "Sidney", "place"),
    ("la", "Los Angeles", "place"),
    ("us", "United States", "place"),
    ("C", "C++", "tool"),
    ("C", "C#", "tool"),
    ("Java", "JavaScript", "tool"),
    ("Python 2", "Python 3", "tool"),
    ("issue 42", "issue 43", "thing"),
    ("Release 2024", "Release 2025", "event"),
    ("adoption", "adaption", "thing"),
    ("desert", "dessert", "thing"),
    ("glass", "grass", "thing"),
    ("Paris", "Pari", "place"),
]


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        yield memory


def say(memory: Memory, talk: str, *said: tuple[str, str]) -> None:
    number = len(memory.sessions(talk))
    at = START + timedelta(days=number)
    turns = [Turn(who, text, at + timedelta(minutes=n), f"{number}:{n}") for n, (who, text) in enumerate(said)]
    memory.remember_session(talk, f"s{number}", turns)


def claimed(subject: str, relation: str, value: str, type: str, speaker: str = "Ana", **fields) -> Claim:
    id = f"{subject}{relation}{value}{speaker}"
    given = {"subject_type": "person", "turn_ids": ("0:0",), "quote": "", "start": 0, "said_at": START, "id": id}
    place = {"speaker": speaker, "conversation": "talk", "session": "s0"}
    return Claim(subject=subject, relation=relation, value=value, value_type=type, **{**given, **place, **fields})


def put(memory: Memory, *claims: Claim) -> None:
    """Claims made by hand, all said in the first turn."""
    if not memory.sessions("talk"):
        say(memory, "talk", ("Ana", "Hm."), ("Bo", "Ha."))
        memory.claims.extract()
    store = memory._core.store
    with store.transaction():
        session = store.session("talk", "s0").key
        rows = store.all("turns_of_session", session=session)
        put_claims(store, session, 0, rows, claims, Resolver(store), made_by=0)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "other", "type"), ONE)
def test_names_of_one_thing(name, other, type):
    assert is_same(name, other, type) and is_same(other, name, type)
    assert forms_of(name, type).keys() & forms_of(other, type).keys(), "the index finds it"


@pytest.mark.parametrize(("name", "other", "type"), TWO)
def test_names_of_two_things(name, other, type):
    assert not is_same(name, other, type) and not is_same(other, name, type)


def test_a_slip_is_forgiven_in_long_proper_names_only():
    assert LONG == 8
    assert is_same("Wanderer", "Wandrer", "project") is False, "seven letters are too few on one side"
    assert is_same("Wanderers", "Wandrerss", "project") is False, "two slips"
    assert is_same("Wanderlust", "Wanderlsut", "project")
    assert not is_same("wanderlust", "wanderlsut", "project"), "a common noun is a word, not a name"


def test_a_form_is_the_same_however_it_is_written():
    assert fold_name("  The  Tech-Corp ", "organisation") == fold_name("techcorp", "organisation") == "techcorp"
    assert fold_name("?!", "thing") == "?!"


def test_the_name_is_the_one_most_used():
    assert best_name([("tech corp", 2), ("TechCorp", 3)]) == "TechCorp"
    assert best_name([("hiking", 2), ("Hiking", 2)]) == "Hiking"


# --- in the store --------------------------------------------------------------------------------


def test_john_and_jon_are_two_people(memory):
    say(memory, "talk", ("John", "I live in Austin."), ("Jon", "I live in Boston."))
    assert [row.name for row in memory.entities.all("person")] == ["John", "Jon"]
    assert [claim.value for claim in memory.claims.all("Jon", "lives_in")] == ["Boston"]
    assert [claim.value for claim in memory.claims.all("John", "lives_in")] == ["Austin"]


def test_everybody_who_speaks_is_a_person(memory):
    say(memory, "talk", ("Ana", "Hm."), ("Bo", "Ha."))
    assert {(row.name, row.type) for row in memory.entities.all()} == {("Ana", "person"), ("Bo", "person")}


def test_names_of_one_company_are_one_entity_with_where_they_come_from(memory):
    say(memory, "a", ("Ana", "I work at TechCorp."), ("Ana", "TechCorp is fine."))
    say(memory, "b", ("Bo", "I work at Tech Corp."))
    info = memory.claims.entity("tech corp")
    assert (info.entity.name, info.entity.type, info.entity.aliases) == ("TechCorp", "organisation", ("Tech Corp",))
    assert [(named.name, named.conversation, named.turn_id) for named in info.names] == [
        ("TechCorp", "a", "0:0"),
        ("Tech Corp", "b", "0:0"),
    ]
    assert {fact.subject for fact in info.named_in} == {"Ana", "Bo"}
    assert info.entity.conversations == 2


def test_a_type_that_says_nothing_gives_way(memory):
    put(memory, claimed("Ana", "likes", "Atlas", "thing"), claimed("Ana", "works_on", "Atlas", "project"))
    assert [(row.name, row.type) for row in memory.entities.all(search="atlas")] == [("Atlas", "project")]
    put(memory, claimed("Bo", "lives_in", "Atlas", "place", speaker="Bo"))
    assert {row.type for row in memory.entities.all(search="Atlas")} == {"project", "place"}, "two types are two things"
    put(memory, claimed("Bo", "knows", "Atlas", "person", speaker="Bo"))
    assert len(memory.entities.all(search="Atlas")) == 3, "a person is no project"


def test_things_and_pets_are_told_apart_by_whose_they_are(memory):
    put(
        memory,
        claimed("Ana", "has_pet", "Max", "pet"),
        claimed("Bo", "has_pet", "Max", "pet", speaker="Bo"),
        claimed("Ana", "has", "guitar", "thing"),
        claimed("Bo", "has", "guitar", "thing", speaker="Bo"),
        claimed("Ana", "likes", "hiking", "thing"),
        claimed("Bo", "likes", "hiking", "thing", speaker="Bo"),
    )
    assert [(row.name, row.owner) for row in memory.entities.all("pet")] == [("Max", "Ana"), ("Max", "Bo")]
    assert [row.owner for row in memory.entities.all(search="guitar", everything=True)] == ["Ana", "Bo"]
    assert [row.owner for row in memory.entities.all(search="hiking", everything=True)] == [None]


def test_a_pet_that_is_spoken_of_is_the_one_of_the_talk(memory):
    put(memory, claimed("Ana", "has_pet", "Max", "pet"))
    put(memory, claimed("Max", "likes", "beach", "place", speaker="Bo", subject_type="pet"))
    ((max_, facts),) = [(info.entity, info.facts) for info in [memory.claims.entity("Max")]]
    assert max_.owner == "Ana" and [fact.value for fact in facts] == ["beach"]
    assert len(memory.entities.all("pet")) == 1


def test_somebodys_sister_is_told_by_whose_she_is(memory):
    put(
        memory,
        claimed("Ana", "has_sibling", "sister", "person"),
        claimed("Ana's sister", "lives_in", "Oslo", "place"),
        claimed("Bo's sister", "lives_in", "Rome", "place", speaker="Bo"),
    )
    assert [claim.value for claim in memory.claims.all("Ana's sister")] == ["Oslo"]
    assert [claim.subject for claim in memory.claims.all("Bo's sister")] == ["Bo's sister"]


def test_what_is_denied_asked_or_supposed_makes_no_thing(memory):
    put(
        memory,
        claimed("Ana", "has", "boat", "thing", negated=True),
        claimed("Bo", "has", "plane", "thing", modality="question"),
        claimed("Bo", "works_at", "Globex", "organisation", negated=True),
    )
    assert {row.name for row in memory.entities.all()} == {"Ana", "Bo", "Globex"}


def test_a_name_is_found_in_any_case_and_by_a_slip(memory):
    put(memory, claimed("Ana", "works_at", "Microsoft", "organisation"))
    found = keys_named(memory._core.store, "microsoft")
    assert len(found) == 1 and keys_named(memory._core.store, "Mircosoft") == found
    assert keys_named(memory._core.store, "Macrosoft Office") == []


def test_pages_of_entities_and_bad_input(memory):
    put(memory, *(claimed("Ana", "likes", f"Song {n}", "work") for n in range(7)))
    names = [row.name for row in memory.entities.all("work", limit=3, offset=2)]
    assert names == ["Song 2", "Song 3", "Song 4"]
    for bad in ({"limit": 0}, {"offset": -1}, {"limit": True}):
        with pytest.raises(ValueError):
            memory.entities.all(**bad)
    assert [check for check in doctor(memory._core) if not check.ok] == []


def test_a_pasted_word_is_no_name_that_is_looked_up_with_each_letter_left_out():
    pasted = "Q" + "abcdefghij" * 2_000
    assert len(forms_of(pasted, "organisation")) == 1
    assert len(forms_of("Microsoft", "organisation")) > LONG

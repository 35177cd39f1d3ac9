"""Nothing is believed of a model's reply that the turns do not say."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engramma import Turn
from engramma.people.claims.relations import RELATIONS
from engramma.people.llm.check import is_alias_of, relation_named, span_of
from engramma.people.llm.cues import CUES, is_told
from engramma.people.llm.extract import read_reply
from engramma.people.llm.pieces import PIECE_CHARACTERS, TURN_CHARACTERS, TalkPiece, TurnPart, cut_talk, piece_hash
from engramma.people.llm.prompt import SCHEMA, messages, reply_object
from engramma.records.people import UNKNOWN
from tests.conftest import some

SAID_AT = datetime(2024, 3, 14, 18, 0, tzinfo=UTC)
LINES = (
    ("Nadia", "Hi Tomas! I moved to Lisbon yesterday with my cat Pixel."),
    ("Tomas", "Great! Your sister Ines told me. I don’t eat meat any more, by the way."),
    ("Nadia", "Are you still working as a baker at Molina?"),
    ("Tomas", "I left Molina. I want to open a café next summer, Nadia!"),
)
TURNS = tuple(Turn(who, text, SAID_AT + timedelta(minutes=n), f"t{n}") for n, (who, text) in enumerate(LINES, 1))
PIECE = TalkPiece(tuple(TurnPart(turn, 0, turn.text) for turn in TURNS))
GOOD = {
    "turns": [1],
    "speaker": "Nadia",
    "quote": "I moved to Lisbon yesterday",
    "subject": "Nadia",
    "relation": "moved_to",
    "value": "Lisbon",
    "time": "yesterday",
    "negated": False,
    "modality": "fact",
    "questions": ["Where did Nadia move to?"],
}


def reading(*claims: object, entities: object = (), has_secret=lambda text: False):
    text = json.dumps({"entities": entities, "claims": list(claims)})
    return read_reply(text, PIECE, "talk", "s1", [], "small", has_secret)


def kept(**changed: object):
    """The one claim that a changed reply comes to."""
    (claim,) = reading({**GOOD, **changed}).claims
    return claim


def why(**changed: object) -> str:
    """Why a changed claim is dropped."""
    found = reading({**GOOD, **changed})
    assert found.claims == [] and found.proposed == 1
    (reason,) = found.dropped
    return reason


def test_a_claim_is_kept_with_its_source_and_its_time_by_our_calendar():
    claim = kept()
    assert (claim.subject, claim.relation, claim.value, claim.value_type) == ("Nadia", "moved_to", "Lisbon", "place")
    assert (claim.speaker, claim.turn_ids, claim.method) == ("Nadia", ("t1",), "small")
    assert TURNS[0].text[claim.start : claim.start + len(claim.quote)] == claim.quote == "I moved to Lisbon yesterday"
    assert (claim.valid_from, claim.valid_to) == (datetime(2024, 3, 13, tzinfo=UTC), datetime(2024, 3, 14, tzinfo=UTC))
    assert ("Where did Nadia move to?", "Lisbon") in claim.questions
    assert 0 < claim.confidence < 0.9


def test_the_same_reply_gives_the_same_ids_and_another_model_others():
    assert kept().id == kept().id
    other = read_reply(json.dumps({"claims": [GOOD]}), PIECE, "talk", "s1", [], "large").claims[0]
    assert other.id != kept().id


@pytest.mark.parametrize(
    "quote",
    [
        '"I moved to Lisbon yesterday"',
        "I  moved to\nLisbon yesterday...",
        "i moved to lisbon YESTERDAY",
        "I moved to Lisbon yesterday with my cat Pixel.",
    ],
)
def test_a_quote_may_differ_in_spaces_case_and_marks_but_what_is_kept_is_what_was_said(quote):
    claim = kept(quote=quote)
    assert TURNS[0].text[claim.start :].startswith(claim.quote) and "Lisbon yesterday" in claim.quote


def test_a_typographic_apostrophe_is_an_apostrophe():
    claim = kept(turns=[2], speaker="Tomas", quote="I don't eat meat", subject="Tomas", relation="eats", value="meat")
    assert claim.quote == "I don’t eat meat" and claim.negated


@pytest.mark.parametrize(
    ("reason", "changed"),
    [
        ("quote", {"quote": "I moved to Porto last year"}),  # invented
        ("quote", {"quote": "working as a baker"}),  # said, but not in the turn that it names
        ("quote", {"quote": "moved to Lis"}),  # no whole words
        ("quote", {"quote": "Lisbon"}),  # a single word proves nothing
        ("speaker", {"speaker": "Tomas"}),
        ("speaker", {"speaker": "Somebody"}),
        ("speaker", {"speaker": ""}),
        ("relation", {"relation": "!?"}),
        ("relation", {"relation": 7}),
        ("value", {"value": "Berlin"}),  # not in the words
        ("value", {"value": "Lisbon, where she met her husband"}),
        ("value", {"value": "the"}),
        ("subject", {"subject": "Tomas"}),  # "I" is the speaker
        ("subject", {"subject": "Beatriz"}),  # nobody here
        ("subject", {"turns": [2], "speaker": "Tomas", "quote": "Your sister Ines told me", "value": "Ines",
                     "subject": "Nadia", "relation": "has_sibling", "_ok": True}),
        ("shape", {"turns": [9]}),
        ("shape", {"turns": []}),
        ("shape", {"turns": [0]}),
        ("shape", {"turns": "all"}),
        ("shape", {"turns": [True]}),
        ("shape", {"quote": None}),
        ("shape", {"value": ["Lisbon"]}),
        ("shape", {"subject": {"name": "Nadia"}}),
        ("shape", {"value": "Lisbon" * 100}),
    ],
)  # fmt: skip
def test_what_the_turns_do_not_say_is_dropped_and_counted(reason, changed):
    if changed.pop("_ok", False):  # said to her face: "your sister" is hers
        assert kept(**changed).subject == "Nadia"
    else:
        assert why(**changed) == reason


@pytest.mark.parametrize("one", [None, 5, "I moved", [], [GOOD]])
def test_claims_that_are_no_objects_are_counted(one):
    found = reading(one, GOOD)
    assert (found.proposed, len(found.claims), found.dropped["shape"]) == (2, 1, 1)


def test_the_same_claim_twice_is_one():
    found = reading(GOOD, GOOD, {**GOOD, "value": "lisbon"})
    assert len(found.claims) == 1 and found.dropped["twice"] == 2


def test_i_is_the_speaker_and_you_the_one_spoken_to():
    assert kept(subject="I").subject == "Nadia"
    sister = {"turns": [2], "speaker": "Tomas", "quote": "Your sister Ines", "relation": "has_sibling", "value": "Ines"}
    assert kept(**sister, subject="you").subject == "Nadia"
    assert why(**sister, subject="Tomas") == "subject"


def test_who_leaves_out_the_i_does_not_change_who_it_is():
    moved = {"quote": "moved to Lisbon yesterday", "value": "Lisbon"}
    assert why(**moved, subject="Tomas") == "subject"
    assert kept(**moved, subject="Nadia").subject == "Nadia"
    left = {"turns": [4], "speaker": "Tomas", "quote": "open a café next summer", "relation": "wants", "value": "café"}
    assert why(**left, subject="Nadia") == "subject"
    assert kept(**left, subject="Tomas").subject == "Tomas"
    baker = {"turns": [3], "quote": "working as a baker at Molina", "relation": "works_at", "value": "Molina"}
    assert why(**baker, subject="Nadia") == "subject"
    assert kept(**baker, subject="Tomas").modality == "question"


def test_who_cannot_be_told_is_unknown():
    assert (
        kept(turns=[2], speaker="Tomas", quote="told me", subject="she", relation="did", value="told").subject
        == UNKNOWN
    )


def test_asking_is_no_claiming_whatever_the_model_says():
    asked = kept(
        turns=[3], quote="still working as a baker at Molina", subject="Tomas", relation="works_as", value="baker"
    )
    assert asked.modality == "question" and asked.questions == () and asked.confidence < 0.2


def test_what_is_denied_or_wished_is_told_by_our_rules():
    meat = {"turns": [2], "speaker": "Tomas", "quote": "I don't eat meat any more", "subject": "Tomas"}
    assert kept(**meat, relation="eats", value="meat", negated=False).negated
    cafe = {"turns": [4], "speaker": "Tomas", "quote": "I want to open a café next summer", "subject": "Tomas"}
    claim = kept(**cafe, relation="wants", value="open a café", time="next summer", modality="fact")
    assert claim.modality in ("wish", "plan")
    assert claim.valid_from is not None and claim.valid_from.year == 2024 and claim.valid_from.month == 6


def test_a_time_that_was_not_said_is_not_believed():
    assert kept(quote="I moved to Lisbon yesterday", time="ten years ago").valid_from == datetime(
        2024, 3, 13, tzinfo=UTC
    )
    assert kept(quote="with my cat Pixel", relation="has_pet", value="Pixel", time="2019-01-01").valid_from is None


def test_relations_by_other_names_are_known_and_others_are_kept_as_said():
    assert [relation_named(name) for name in ("livesIn", "Works as", "JOB", "has_dog", "moved_to", "x" * 99, None)] == [
        "lives_in", "works_as", "works_as", "has_pet", "moved_to", None, None]  # fmt: skip
    assert relation_named("mentors") == "mentors" and relation_named("is sponsored by") == "is_sponsored_by"
    pattern = SCHEMA["properties"]["claims"]["items"]["properties"]["relation"]["pattern"]
    assert all(re.fullmatch(pattern.strip("^$"), name) for name in RELATIONS)


def test_what_touches_a_timeline_needs_words_that_can_mean_it():
    meat = {"turns": [2], "speaker": "Tomas", "quote": "I don't eat meat", "subject": "Tomas", "value": "meat"}
    assert why(**meat, relation="moved_to") == why(**meat, relation="works_at") == "relation"
    assert kept(**meat, relation="dislikes").value == "meat"
    touching = {one.name for one in RELATIONS.values() if one.exclusive or one.fills or one.ends}
    assert set(CUES) == touching
    assert is_told("works_as", "I'm a nurse") and is_told("works_as", "She’s in her role as a nurse")
    assert not is_told("works_as", "nurses sing") and not is_told("age", "sold cold gold")


def test_what_looks_like_a_secret_is_not_kept():
    found = reading(GOOD, has_secret=lambda text: "Lisbon" in text)
    assert found.claims == [] and found.dropped["secret"] == 1


def test_questions_that_name_somebody_else_are_left_out():
    asked = kept(questions=["Where did Zelda move to?", "no question", 5, "x" * 400 + "?", "Where does Nadia live?"])
    assert next(question for question, _ in asked.questions) == "Where does Nadia live?"
    assert not any("Zelda" in question for question, _ in asked.questions)


def test_entities_are_those_that_are_named_and_aliases_forms_of_their_names():
    given_ = [
        {"name": "Lisbon", "type": "place", "aliases": ["Porto", "Pixel"]},
        {"name": "Madrid", "type": "place", "aliases": []},
        {"name": "Molina", "type": "bakery", "aliases": []},
        {"name": "TOMAS", "type": "place", "aliases": []},
        {"name": "Cat", "type": "pet", "aliases": []},
        {"name": 5},
        "Pixel",
    ]
    found = reading(entities=given_)
    assert [(one.name, one.type, one.aliases) for one in found.entities] == [
        ("Lisbon", "place", ()),
        ("Molina", "thing", ()),
        ("Tomas", "person", ()),
    ]
    assert found.dropped["alias"] == 2 and found.dropped["entity"] == 4


def test_which_names_are_forms_of_one():
    assert all(is_alias_of(*pair) for pair in (("Mel", "Melanie"), ("New York City", "New York"), ("MIT", "M I T")))
    assert is_alias_of("Whitman", "Walt Whitman") and is_alias_of("W. W.", "Walt Whitman")
    assert not any(is_alias_of(*pair) for pair in (("Tomas", "Nadia"), ("Pixel", "Lisbon"), ("", "x"), ("An", "Anna")))


# --- replies as text -----------------------------------------------------------------------------

WHOLE = json.dumps({"entities": [], "claims": [GOOD, {**GOOD, "value": "Lisbon yesterday"}]})


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Sure! Here is the JSON:\n\n{WHOLE}\n\nLet me know if you need more.",
        f"<think>maybe {{this}} is it</think>{WHOLE}",
        WHOLE[:-1],
        WHOLE[:-2] + ', {"turns": [4], "speaker": "Tom',
    ],
)
def test_json_is_found_in_fences_prefaces_and_cut_replies(text):
    found = read_reply(text, PIECE, "talk", "s1", [], "small")
    assert found.is_readable and len(found.claims) == 2


@pytest.mark.parametrize(
    "text",
    ["", " ", "I cannot do that.", "{", "{}", "[]", '{"claims"', "null", '{"answer": 5}', "{" * 5_000, '{"a":' * 900],
)
def test_what_holds_no_claims_is_unreadable(text):
    assert not read_reply(text, PIECE, "talk", "s1", [], "small").is_readable


def test_wrong_types_where_lists_should_be_are_nothing():
    found = read_reply('{"claims": {"turns": 1}, "entities": "Lisbon"}', PIECE, "talk", "s1", [], "small")
    assert found.is_readable and found.claims == [] and found.entities == []


@settings(max_examples=some(240), deadline=None)
@given(st.text(alphabet='{}[]",:ab1\\ \n', max_size=80))
def test_no_reply_breaks_the_reader(text):
    reply_object('{"claims": [' + text)
    reply_object(text)


@settings(max_examples=some(180), deadline=None)
@given(st.integers(0, len(WHOLE)))
def test_a_reply_cut_anywhere_gives_no_claim_that_the_whole_does_not(at):
    whole = {claim.id for claim in read_reply(WHOLE, PIECE, "talk", "s1", [], "small").claims}
    cut = {claim.id for claim in read_reply(WHOLE[:at], PIECE, "talk", "s1", [], "small").claims}
    assert cut <= whole


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(list(GOOD.values())),  # type: ignore[arg-type]
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list(GOOD)), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=some(240), deadline=None)
@given(st.fixed_dictionaries({name: st.just(value) | any_json for name, value in GOOD.items()}))
@example({**GOOD, "relation": "AA"})
def test_whatever_is_kept_is_quoted_from_its_speaker(one):
    for claim in reading(one).claims:
        turn = next(turn for turn in TURNS if turn.id == claim.turn_ids[0])
        assert turn.text[claim.start : claim.start + len(claim.quote)] == claim.quote
        assert claim.speaker == turn.speaker
        assert claim.relation == relation_named(one["relation"])  # ours, or one beyond the list, as said


# --- what is shown -------------------------------------------------------------------------------


def test_turns_are_numbered_and_those_before_are_not():
    shown = messages(TalkPiece(PIECE.parts[2:], TURNS[:2]))[1]["content"]
    assert "[1] Nadia: Are you still" in shown and "[2] Tomas: I left Molina." in shown
    assert "[3]" not in shown and "Tomas: Great!" in shown and "2024-03-14" in shown


def test_pieces_begin_where_told_and_never_get_too_long():
    found = cut_talk(TURNS, {2}, skip=1)
    assert [[part.turn.id for part in piece.parts] for piece in found] == [["t2"], ["t3", "t4"]]
    assert [turn.id for turn in found[0].before] == ["t1"] and [turn.id for turn in found[1].before] == ["t1", "t2"]
    long = Turn("Ana", "A word. " * 2_000, SAID_AT, "long")
    parts = [part for piece in cut_talk([TURNS[0], long, TURNS[1]], ()) for part in piece.parts if part.turn is long]
    assert "".join(part.text for part in parts) == long.text
    assert all(a.start + len(a.text) == b.start for a, b in pairwise(parts))
    assert all(sum(len(p.text) for p in piece.parts) <= PIECE_CHARACTERS for piece in cut_talk([long, *TURNS], ()))
    huge = Turn("Ana", "x" * 100_000, SAID_AT, "huge")
    assert sum(len(part.text) for piece in cut_talk([huge], ()) for part in piece.parts) == TURN_CHARACTERS


def test_a_piece_is_known_by_all_that_was_shown():
    one = piece_hash(PIECE, "small", "1")
    assert one == piece_hash(TalkPiece(tuple(PIECE.parts)), "small", "1")
    others = [
        piece_hash(PIECE, "large", "1"),
        piece_hash(PIECE, "small", "2"),
        piece_hash(TalkPiece(PIECE.parts[:3]), "small", "1"),
        piece_hash(TalkPiece(PIECE.parts, TURNS[:1]), "small", "1"),
    ]
    assert len({one, *others}) == 5


def test_quotes_are_looked_for_in_time_that_does_not_explode():
    assert span_of("a " * 900, "a " * 20_000) is not None
    assert span_of("a " * 900 + "b", "a " * 20_000) is None


def test_nobody_is_the_object_of_what_a_model_says_of_him():
    assert why(quote="I moved to Lisbon yesterday", subject="Nadia", relation="likes", value="Nadia") != ""
    turns = (Turn("Göran", "I like Göran a lot, he is kind.", SAID_AT, "g1"),)
    piece = TalkPiece(tuple(TurnPart(turn, 0, turn.text) for turn in turns))
    claim = {**GOOD, "speaker": "Göran", "quote": "I like Göran a lot", "subject": "Göran", "relation": "likes"}
    reply = json.dumps({"entities": [], "claims": [{**claim, "value": "Göran", "time": "", "questions": []}]})
    found = read_reply(reply, piece, "talk", "s1", [], "small", lambda text: False)
    assert found.claims == [] and found.dropped["subject"] == 1

"""Answers from claims: the latest value and since when, the one before, lists, and what is somebody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.people.questions.relation_questions import parse_relation_question
from tests.people.answers.guesses import is_guess

TALK = {
    "2024-01-14": [
        "Ana: I live in Seattle, right by the lake, and I work as a nurse at Harborview.",
        "Ben: I'm a carpenter. And I'm allergic to peanuts.",
        "Ana: My daughter Lucy is allergic to bees. My brother Tom lives in Denver.",
        "Ben: My dog Pepper keeps me busy.",
    ],
    "2024-07-09": [
        "Ana: Big news: I moved to Austin last month! I'm a head nurse at Mercy Hospital now.",
        "Ben: Wow! I got engaged to Marta last weekend.",
        "Ana: I stopped drinking coffee, by the way. My favourite colour is green.",
    ],
}
PARIS = ["Ana: I live in Paris in this story. My favourite colour is green.", "Cleo: A fine story, go on."]


def said(day: str, lines: list[str], first: int) -> list[Turn]:
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    pairs = [line.split(": ", 1) for line in lines]
    return [Turn(who, text, start + timedelta(minutes=n), f"{first}:{n}") for n, (who, text) in enumerate(pairs, 1)]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("known") / "store") as opened:
        for number, (day, lines) in enumerate(TALK.items(), 1):
            opened.remember_session("chat", f"s{number}", said(day, lines, number))
        opened.remember_session("tale", "s1", said("2023-12-01", PARIS, 1))
        yield opened


@pytest.mark.parametrize(
    ("question", "text", "turn"),
    [
        ("Where does Ana live?", "Austin, since June 2024", "2:1"),
        ("Which city does Ana live in now?", "Austin, since June 2024", "2:1"),
        ("Where did Ana live before she moved?", "Seattle, until June 2024", "1:1"),
        ("What is Ana's job?", "head nurse", "2:1"),
        ("Where did Ana work before?", "Harborview, until July 2024", "1:1"),
        ("What does Ben do for a living?", "carpenter", "1:2"),
        ("What is Ben allergic to?", "peanuts", "1:2"),
        ("What is Lucy allergic to?", "bees", "1:3"),
        ("Where does Ana's brother live?", "Denver", "1:3"),
        ("Who is Ana's daughter?", "Lucy", "1:3"),
        ("What is the name of Ben's dog?", "Pepper", "1:4"),
        ("Who is Ben engaged to?", "Marta", "2:2"),
    ],
)
def test_the_claim_that_holds_is_the_answer_and_its_turn_the_first_evidence(memory, question, text, turn):
    answer = memory.ask(question, "chat")
    assert (answer.text, answer.abstained) == (text, False)
    assert answer.evidence[0].turn_id == turn
    assert answer.verdict == "answered"
    assert answer.evidence[0].text in dict(line.split(": ", 1)[::-1] for lines in TALK.values() for line in lines)


def test_a_conversation_bounds_what_holds(memory):
    assert memory.ask("Where does Ana live?", "tale").text == "Paris"
    assert memory.ask("Where does Ana live?").text.startswith("Austin")
    both = memory.ask("What is Ana's favourite colour?", "tale")
    assert (both.text, {one.conversation for one in both.evidence}) == ("green", {"tale"})


def test_what_a_claim_says_of_somebody_else_is_refused_and_the_owner_named(memory):
    answer = memory.ask("What is Ana allergic to?", "chat")
    assert answer.abstained
    assert answer.reason == "this was Lucy, in chat 1:3, 14 January 2024"
    assert answer.verdict == "not known"


def test_a_relative_whom_nobody_named_is_not_made_up(memory):
    assert memory.ask("What is the name of Ana's grandmother?", "chat").abstained
    assert memory.ask("What is Ben's sister called?", "chat").abstained


def test_nothing_from_before_is_no_answer_for_what_was_before(memory):
    answer = memory.ask("Where did Ben work before?", "chat")
    assert answer.abstained or "carpenter" not in answer.text
    assert memory.ask("Where did Ana live before?", "tale").abstained


def test_a_number_that_nobody_said_is_not_made_up(memory):
    answer = memory.ask("How many patients does Ana have at Harborview?", "chat")
    assert answer.abstained or is_guess(answer)
    assert not any(sign.isdigit() for sign in answer.text)


def test_what_was_given_up_is_answered_with_no(memory):
    assert memory.ask("Does Ana still drink coffee?", "chat").text == "No"
    assert memory.ask("Did Ana stop drinking coffee?", "chat").text == "Yes"


def test_what_is_forgotten_holds_no_more(tmp_path):
    with Memory.open(tmp_path / "gone") as memory:
        memory.remember_session("chat", "s1", said("2024-01-14", TALK["2024-01-14"], 1))
        memory.remember_session("chat", "s2", said("2024-07-09", TALK["2024-07-09"], 2))
        memory.forget(session="s2")
        assert memory.ask("Where does Ana live?").text == "Seattle"


@pytest.mark.parametrize(
    ("question", "who", "relation"),
    [
        ("where do I live?", "I", "lives_in"),
        ("What's my wife's name?", "I", "dating"),
        ("Where does Mary Ann live now", "Mary Ann", "lives_in"),
        ("Who does Ana work for?", "Ana", "works_at"),
        ("How many kids does Ana have?", "Ana", "has_child"),
        ("What is Ana’s favourite colour?", "Ana", "favourite"),
    ],
)
def test_shapes_of_questions(question, who, relation):
    found = parse_relation_question(question)
    assert found is not None
    assert found.who == who
    assert relation in found.relations


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "What does Ana do to relax?",
        "Where does the river live in the story that Ana wrote?",
        "What did Ana realize after her race?",
        "Where does he live?",
        "How many books does Ana have?",
        "Who is the king of Spain?",
        "Where " * 400,
        "what is " + "'s " * 2_000 + "dog called?",
    ],
)
def test_other_questions_are_left_to_the_words(question):
    assert parse_relation_question(question) is None


@pytest.mark.on("postgres")
def test_a_turn_that_a_claim_and_recall_both_found_is_shown_once(tmp_path):
    with Memory.open(tmp_path / "titled") as memory:
        memory.remember_session("chat", "s1", said("2024-01-14", TALK["2024-01-14"], 1), title="First talk")
        answer = memory.ask("Where does Ana work?")
    assert answer.text == "Harborview"
    places = [(one.conversation, one.session, one.turn_id) for one in answer.evidence]
    assert len(set(places)) == len(places)
    assert {one.title for one in answer.evidence} == {"First talk"}

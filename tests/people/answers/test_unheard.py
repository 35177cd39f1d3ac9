"""Who asks what was said of a name that nobody said is told so; a name that was said, or mistyped, is looked for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn

SAID = datetime(2024, 3, 1, 12, tzinfo=UTC)
TALK = [
    ("Ann", "Did anybody say anything about the roof? I heard that something was said."),
    ("Ben", "Nobody said anything to me, but the roof leaks."),
    ("Ann", "Katharina mentioned the new boiler in March."),
    ("Ben", "What did she say about it?"),
    ("Ann", "She said that the boiler costs a fortune and that everybody talks about it."),
    ("Ben", "Who said that? The plumber told me it is cheap."),
    ("Melanie", "My mother said that the house is too big for her."),
    ("Melanie", "We flew to New York and adopted a puppy there."),
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("unheard")) as opened:
        opened.remember_session("house", "one", [Turn(who, text, SAID) for who, text in TALK])
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "Who said anything about Quorrax?",
        "Did anybody mention Quorrax?",
        "What was said about Quorrax?",
        "Was Quorrax ever mentioned?",
        "Did Ann mention Quorrax?",
        "Has my brother ever said anything about Quorrax?",
        "What did Katharina say about Quorrax?",
        "What has been said about 'Quorrax' so far?",
    ],
)
def test_a_name_that_nobody_said_is_not_known(memory, question):
    answer = memory.ask(question)
    assert (answer.verdict, answer.text, answer.evidence) == ("not known", "", ())
    assert answer.reason == 'nothing was found for "Quorrax"'


@pytest.mark.parametrize(
    "question",
    [
        "Who mentioned the boiler?",
        "What was said about Katarina?",  # by a slip of the finger
        "What did Katharina mention?",
        "What was said about Ben?",  # who speaks, and whom nobody names
        "Did anyone mention the Boiler?",
        "What did Mom say about the house?",  # whom others call otherwise
        "What was said about the NYC trip?",
        "WHAT DID MELANIE SAY ABOUT A DOG?",
        "What Did Melanie Say About A Dog?",
        "What did Mel say about the house?",  # for short
    ],
)
def test_what_was_said_is_still_looked_for(memory, question):
    assert memory.ask(question).verdict != "not known"


def test_a_model_is_not_asked_for_it(memory):
    def model(*_: object, **__: object) -> str:
        raise AssertionError("nothing is there to be written from")

    assert memory.ask("What was said about Quorrax?", llm=model).trace["written"] == "not asked"


def test_a_name_in_another_script_is_looked_for(tmp_path):
    with Memory.open(tmp_path) as memory:
        said = ["Вчера Ольга приехала из Москвы на поезде.", "Мы с братом чинили крышу весь день."]
        memory.remember_session("trip", "one", [Turn("user", text, SAID) for text in said])
        assert memory.ask("What was said about Moscow?").text == said[0]

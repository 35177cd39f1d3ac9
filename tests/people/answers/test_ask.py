"""Answers: the seed's own examples, refusals with their reason, and questions that nobody would expect."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engramma import Memory, Turn
from engramma.apps.cli.main import app
from engramma.errors import BadInput
from engramma.language.graphemes import cut_place

CAROLINE = [
    (
        "2023-05-08T13:56",
        [
            "Melanie: Hey Caroline! How have you been?",
            "Caroline: Good, but swamped with work and the kids I babysit.",
            "Caroline: I went to a LGBTQ support group yesterday and it was so powerful.",
            "Melanie: Wow, that's cool! What happened that was so awesome?",
            "Caroline: The transgender stories were inspiring. I felt accepted.",
            "Melanie: I painted a lake sunrise last year, it is special to me.",
            "Caroline: That painting looks lovely, Mel!",
            "Melanie: What are you going to do next?",
            "Caroline: Gonna continue my education and check out career options, which is exciting!",
            "Melanie: What kind of career are you thinking of?",
            "Caroline: I'm keen on counseling or working in mental health as a career.",
            "Melanie: You'd be a great counselor!",
        ],
    ),
    (
        "2023-05-25T13:14",
        [
            "Melanie: I ran a charity race for mental health last Saturday. It was really rewarding!",
            "Caroline: That charity race sounds great, Mel! I'm really proud of you for taking part!",
            "Melanie: Thanks! After the charity race I realized that self-care is really important.",
            "Caroline: I totally agree. Taking care of yourself matters.",
        ],
    ),
    (
        "2023-06-27T10:37",
        [
            "Caroline: Hey Mel, long time no talk.",
            "Melanie: Nice to hear from you! We went camping in the mountains with the kids.",
            "Caroline: Sounds lovely. My necklace is a gift from my grandma in Sweden.",
            "Melanie: It is gorgeous. What does it stand for?",
            "Caroline: It stands for love, faith and strength.",
            "Melanie: How is the career going?",
            "Caroline: I've decided on my career: counseling and mental health work with transgender people.",
            "Melanie: Great choice!",
        ],
    ),
]
JOHN = {
    "conv-41": ("Maria", "2023-05-10T18:00", "I work as a software engineer at TechCorp, that is my job."),
    "conv-43": ("Tim", "2023-07-12T18:00", "I got a new job as team lead at my company."),
    "conv-47": ("James", "2023-09-03T18:00", "I left my job and became a startup founder."),
}


def turns(start: str, lines: list[str], session: int) -> list[Turn]:
    first = datetime.fromisoformat(start).replace(tzinfo=UTC)
    found = []
    for number, line in enumerate(lines, 1):
        speaker, _, text = line.partition(": ")
        found.append(Turn(speaker, text, first + timedelta(minutes=number), f"D{session}:{number}"))
    return found


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """The seed's conversations, with the encoder that ships."""
    folder = tmp_path_factory.mktemp("people") / "store"
    with Memory.open(folder) as memory:
        for number, (start, lines) in zip((1, 2, 4), CAROLINE, strict=True):
            memory.remember_session("conv-26", f"session_{number}", turns(start, lines, number))
        for talk, (partner, start, line) in JOHN.items():
            chat = [f"{partner}: Hi John, how is work?", f"John: {line}", f"{partner}: Nice, good luck!"]
            memory.remember_session(talk, "session_1", turns(start, chat, 1))
        yield memory


def test_what_somebody_else_did_is_refused_and_the_other_one_is_named(people):
    answer = people.ask("What did Caroline realize after her charity race?")
    assert answer.abstained
    assert answer.text == ""
    assert "Melanie" in answer.reason
    assert "conv-26 D2:" in answer.reason
    assert "25 May 2023" in answer.reason
    assert answer.person == "Caroline"
    assert answer.verdict == "not known"
    assert answer.evidence[0].speaker == "Melanie"


def test_the_same_question_about_the_right_person_is_answered(people):
    answer = people.ask("What did Melanie realize after her charity race?")
    assert not answer.abstained
    assert {one.turn_id for one in answer.evidence} >= {"D2:1", "D2:3"}
    assert answer.evidence[0].speaker == "Melanie"
    assert answer.verdict == "answered"


def test_a_career_is_told_with_every_turn_that_speaks_of_it(people):
    answer = people.ask("What career is Caroline pursuing?")
    assert not answer.abstained
    assert {"D1:9", "D1:11", "D4:7"} <= {one.turn_id for one in answer.evidence}
    assert "counseling" in answer.text
    assert {one.conversation for one in answer.evidence} == {"conv-26"}


def test_yesterday_is_resolved_against_the_day_of_the_turn(people):
    answer = people.ask("When did Caroline go to the LGBTQ support group?")
    assert (answer.text, answer.kind) == ("7 May 2023", "when")
    assert answer.evidence[0].turn_id == "D1:3"


def test_questions_are_routed_to_one_conversation_or_to_all_of_a_person(people):
    both = people.ask("What did Caroline tell Melanie about her career?")
    assert (both.person, both.scope, both.abstained) == ("Caroline", "conv-26", False)
    everywhere = people.ask("What job does John have?")
    assert (everywhere.person, everywhere.scope, everywhere.abstained) == ("John", "global", False)
    assert {one.conversation for one in everywhere.evidence} == set(JOHN)
    one = people.ask("What job does John have?", "conv-43")
    assert one.scope == "conv-43"
    assert {e.conversation for e in one.evidence} == {"conv-43"}
    assert "team lead" in one.text


def test_what_nobody_said_is_refused(people):
    for question in ("Who is the king of Spain?", "What is the melting point of tungsten?"):
        answer = people.ask(question)
        assert answer.abstained, answer
        assert "nobody" in answer.reason or "nothing" in answer.reason


def test_an_empty_store_refuses(memory):
    answer = memory.ask("What does Anna like?")
    assert answer.abstained
    assert (answer.confidence, answer.evidence, answer.person) == (0.0, (), None)


def test_an_unknown_conversation_refuses(people):
    assert people.ask("What job does John have?", "conv-99").abstained


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question_is_bad_input(people, question):
    with pytest.raises(BadInput):
        people.ask(question)


@pytest.mark.parametrize(
    "question",
    ["卡罗琳什么时候去的？", "Caroline 🏳️‍⚧️ ?", "\ud800 broken", "Où est Caroline, Mélanie?", "?" * 300, "\0 who"],
)
def test_any_question_gets_an_answer_or_a_reason(people, question):
    answer = people.ask(question)
    assert 0 <= answer.confidence <= 1
    assert answer.abstained is (answer.verdict != "answered")
    assert bool(answer.text) is not answer.abstained
    assert answer.reason


def test_a_huge_question_is_cut_and_answered_in_reasonable_time(people):
    answer = people.ask("When did Caroline go to the LGBTQ support group? " + "blah " * 100_000)
    assert 0 <= answer.confidence <= 1


def test_the_user_of_a_chat_with_an_assistant_is_the_one_who_says_i(tmp_path):
    with Memory.open(tmp_path / "chat") as memory:
        chat = [
            Turn("user", "My dog Biscuit is sick. Any advice?", datetime(2024, 3, 1, 9, tzinfo=UTC), "m1", "user"),
            Turn("assistant", "Take Biscuit to a vet.", datetime(2024, 3, 1, 9, 1, tzinfo=UTC), "m2", "assistant"),
        ]
        memory.remember_session("chat-1", "s1", chat)
        answer = memory.ask("What is my dog called?")
    assert answer.person == "user"
    assert not answer.abstained
    assert "Biscuit" in answer.text


def chat(memory: Memory, *texts: str) -> None:
    """A user and an assistant in turn."""
    start = datetime(2024, 3, 1, 9, tzinfo=UTC)
    who = ("user", "assistant")
    said = (Turn(who[n % 2], text, start + timedelta(minutes=n), f"m{n}", who[n % 2]) for n, text in enumerate(texts))
    memory.remember_session("chat-1", "s1", list(said))


WEATHER = ("The weather in Graz is nice.", "Enjoy it.", "Play some jazz.", "Playing Coltrane.")


def test_a_question_that_was_asked_before_is_no_answer_to_itself(tmp_path):
    with Memory.open(tmp_path / "chat") as memory:
        chat(memory, "what did I name my cat?", "You named your cat Okra.", *WEATHER)
        assert memory.ask("What did I name my cat?").verdict == "unsure"


def test_what_has_no_word_is_no_answer(tmp_path):
    with Memory.open(tmp_path / "chat") as memory:
        chat(memory, ".", "Your code is 991.", *WEATHER)
        answer = memory.ask("What is my code?")
    assert (answer.verdict, answer.text, answer.quote) == ("not known", "", "")


def test_what_a_user_asks_an_assistant_is_not_the_assistants(tmp_path):
    with Memory.open(tmp_path / "chat") as memory:
        chat(memory, "What was the name of that film with the lighthouse?", "The Light Between Oceans.", *WEATHER)
        answer = memory.ask("Which film did I mean?")
    assert answer.verdict == "not known"
    assert "assistant" not in answer.reason


def test_in_a_group_it_is_told_who_it_was(tmp_path):
    with Memory.open(tmp_path / "group") as memory:
        lines = [
            "Ana: What did everybody do on Sunday?",
            "Ben: I repaired my old motorcycle in the garage.",
            "Cleo: I baked a lemon cake for my neighbours.",
            "Ana: Lovely!",
        ]
        memory.remember_session("group", "s1", turns("2024-05-06T18:00", lines, 1))
        right = memory.ask("What did Ben repair?")
        wrong = memory.ask("What did Cleo repair in the garage?")
    assert not right.abstained
    assert "motorcycle" in right.text
    assert wrong.abstained
    assert "Ben" in wrong.reason


def test_nobody_is_named_for_what_they_did_not_say(tmp_path):
    with Memory.open(tmp_path / "crew") as memory:
        crew = [
            "Mum: Dad's knee operation is on 14 July.",
            "Mads: I can drive him.",
            "Mum: We had quiche and the neighbours came over.",
            "Mads: I bought a canoe, it's green.",
        ]
        memory.remember_session("family", "s1", turns("2024-05-06T18:00", crew, 1))
        song, canoe = memory.ask("What is Mum's favourite song?"), memory.ask("Has Mum bought a canoe?")
    assert (song.reason, song.evidence) == ('nothing that Mum said was found for "favourite", "song"', ())
    assert canoe.reason == "this was Mads, in family D1:4, 6 May 2024"


def test_an_ordinary_word_is_nobody_whose_name_ends_with_it(tmp_path):
    with Memory.open(tmp_path / "work") as memory:
        work = ["Rob Work: The release slips to Friday.", "Priya: I fixed the login bug.", "Rob Work: I'm in Leeds."]
        memory.remember_session("team", "s1", turns("2024-05-06T18:00", work, 1))
        assert memory.ask("Who did I meet at work?").person is None
        assert memory.ask("Where is rob work?").person == "Rob Work"
        assert memory.ask("Did Work fix the login bug?").person == "Rob Work"


def test_somebody_forgotten_is_nobody_asked_about_any_more(tmp_path):
    with Memory.open(tmp_path / "gone") as memory:
        memory.remember_session("c", "s", turns("2024-05-06T18:00", ["Ana: I live in Porto.", "Ben: Nice!"], 1))
        assert memory.ask("Where does Ana live?").person == "Ana"
        memory.forget(speaker="Ana")
        assert memory.ask("Where does Ana live?").person is None


def test_the_command_answers_with_sources_and_as_json(people):
    run = CliRunner()
    shown = run.invoke(app, ["ask", "When did Caroline go to the LGBTQ support group?", "--store", str(people.path)])
    assert shown.stdout.startswith("7 May 2023\n")
    assert "conv-26 D1:3, Caroline:" in shown.stdout
    question = "What did Caroline realize after her charity race?"
    refused = run.invoke(app, ["ask", question, "--explain", "-c", "conv-26", "--store", str(people.path)])
    assert refused.stdout.startswith("No answer: this was Melanie, in conv-26")
    assert "confidence" in refused.stdout
    value = json.loads(run.invoke(app, ["ask", question, "--json", "--store", str(people.path)]).stdout)
    assert (value["abstained"], value["person"], value["text"]) == (True, "Caroline", "")


@pytest.mark.parametrize(
    "piece",
    ["\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f926\U0001f3fd\u200d\u2640\ufe0f", "a\u0308"],
)
def test_a_quote_begins_and_ends_between_characters(tmp_path: Path, piece: str):
    for many in (57, 64, 99):
        said = piece * many + " the red kettle stands in the pantry" + piece * many
        with Memory.open(tmp_path / str(many)) as memory:
            memory.remember_session("chat", "one", [Turn("user", said, datetime(2026, 3, 2, tzinfo=UTC))])
            quote = memory.ask("Where does the red kettle stand?").quote
        start = said.find(quote)
        assert quote and cut_place(said, start) == start and cut_place(said, start + len(quote)) == start + len(quote)

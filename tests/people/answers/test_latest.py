"""The newer statement is quoted, and is as sure as both; a question is no answer to a yes/no question."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Answer, Memory, Turn
from engramma.people.questions.question_form import form_of

START = datetime(2023, 5, 25, 19, 52, tzinfo=UTC)
SAID = (
    "Can you suggest board games? By the way, my highest score in Ticket to Ride so far is 124 points.",
    "I like trading resources. By the way, I just got my highest score in Ticket to Ride: 132 points!",
    "By the way, do I have a spare screwdriver for my laptop?",
)


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        for number, text in enumerate(SAID):
            at = START + timedelta(days=5 * number)
            turns = [Turn("user", text, at), Turn("assistant", "That sounds great!", at + timedelta(seconds=9))]
            memory.remember_session(f"chat {number}", f"s{number}", turns)
        yield memory


def test_the_newer_of_two_scores_is_the_current_one(memory):
    answer = memory.ask("What is my current highest score in Ticket to Ride?")
    assert answer.verdict == "answered" and "132" in answer.text


def test_a_question_does_not_say_yes(memory):
    answer = memory.ask("Do I have a spare screwdriver for my laptop?")
    assert answer.abstained and answer.verdict in ("unsure", "not known")


@pytest.mark.parametrize(
    "question",
    ["What is my current record?", "Which lens did I buy most recently?", "How many nights can I redeem?"],
)
def test_what_holds_now_is_asked_for(question):
    assert form_of(question).of_now


@pytest.mark.parametrize(
    "question", ["What did I buy in May?", "What was my previous record?", "Who was my first boss?"]
)
def test_what_held_once_is_asked_for(question):
    assert not form_of(question).of_now


@pytest.mark.parametrize(
    ("asked_for", "given", "question", "short"),
    [
        (
            "Please book me a table at Luigi's.",
            "Done. Your reservation code is X7K2.",
            "What is my reservation code?",
            "X7K2",
        ),
        (
            "Order the running shoes.",
            "The confirmation number is 4471-BQ.",
            "What's the confirmation number?",
            "4471-BQ",
        ),
        (
            "Renew my library card.",
            "Your library card number is L-20931.",
            "What is my library card number?",
            "L-20931",
        ),
    ],
)
def test_a_code_is_quoted_where_it_stands_also_from_the_assistant(
    tmp_path: Path, asked_for: str, given: str, question: str, short: str
):
    with Memory.open(tmp_path) as memory:
        said = [("user", asked_for), ("assistant", given), ("user", "Is it raining on May 3rd?"), ("assistant", "No.")]
        start = datetime(2026, 3, 2, 9, tzinfo=UTC)
        memory.remember_session("chat", "one", [Turn(who, text, start) for who, text in said])
        answer = memory.ask(question)
        assert (answer.verdict, answer.short) == ("answered", short) and given.endswith(answer.quote)
        assert memory.ask("What is my tracking number?").verdict != "answered"


def test_without_a_code_nothing_answers_for_one(tmp_path: Path):
    with Memory.open(tmp_path) as memory:
        start = datetime(2026, 3, 2, 9, tzinfo=UTC)
        said = [("user", "Please book me a table at Luigi's for May 3rd."), ("assistant", "I will try.")]
        memory.remember_session("chat", "one", [Turn(who, text, start) for who, text in said])
        assert memory.ask("What is my reservation code?").verdict != "answered"


@pytest.mark.parametrize(
    "said", ["I ordered a lamp for 45 euros on 2 March.", "I want to order a lamp for 45 euros on 12 March."]
)
def test_a_price_or_a_date_is_no_code(tmp_path: Path, said: str):
    with Memory.open(tmp_path) as memory:
        start = datetime(2026, 3, 2, 9, tzinfo=UTC)
        turns = [("user", said), ("assistant", "Great."), ("user", "My dog was born in 2019."), ("assistant", "Cute.")]
        memory.remember_session("chat", "one", [Turn(who, text, start) for who, text in turns])
        answer = memory.ask("What is my order number for the lamp?")
        assert answer.verdict != "answered" and answer.short == ""


CHANGED = [
    (
        ("We have our team meeting every Tuesday at 9:30.", "Moved it to Wednesday at 10."),
        "When is the team meeting?",
        1,
    ),
    (
        ("My sister's wedding is on 20 June.", "They postponed the wedding to 11 July."),
        "When is my sister's wedding?",
        1,
    ),
    (("The concert in Lyon is on 2 November.", "The concert was cancelled."), "When is the concert in Lyon?", 1),
    (
        ("My piano lesson starts at 17:00.", "The piano lesson is now at 18:30."),
        "What time does my piano lesson start?",
        1,
    ),
    (
        ("The train to Graz leaves at 9:12.", "I moved the sofa to the left, until 10:15."),
        "When does the train to Graz leave?",
        0,
    ),
    (("Max's party is on 9 August.", "The barbecue was postponed to 16 August."), "When is Max's party?", 0),
    (("We adopted Bella on 3 May.", "Bella was moved to a new crate on 9 June."), "When did we adopt Bella?", 0),
    (("The wedding is on 20 June.", "They postponed the wedding to 11 July."), "When was the wedding first to be?", 0),
]


@pytest.mark.parametrize(("said", "question", "quoted"), CHANGED, ids=[question for _, question, _ in CHANGED])
def test_a_change_that_was_told_later_is_what_holds(tmp_path, said, question, quoted):
    with Memory.open(tmp_path / "store") as memory:
        turns = [Turn("user", text, START + timedelta(hours=hour)) for hour, text in enumerate(said)]
        memory.remember_session("c", "s", turns)
        assert memory.ask(question).quote == said[quoted]


def test_what_an_assistant_proposes_changes_nothing(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        said = "My sister's wedding is on 20 June."
        proposed = "You could say that they postponed the wedding to 11 July."
        memory.remember_session("c", "s", [Turn("user", said, START), Turn("assistant", proposed, START)])
        assert memory.ask("When is my sister's wedding?").quote == said


def ask_of(folder: Path, question: str, *said: tuple[str, str]) -> Answer:
    with Memory.open(folder / "talk") as memory:
        turns = [Turn(who, text, START + timedelta(minutes=n)) for n, (who, text) in enumerate(said)]
        memory.remember_session("chat", "s", turns)
        memory.remember_session("other", "o", [Turn("user", "My bus leaves at eight.", START - timedelta(days=3))])
        return memory.ask(question)


def test_a_correction_is_shown_rather_than_what_was_wrong(tmp_path):
    answer = ask_of(
        tmp_path,
        "What is the buzzer code of the flat?",
        ("user", "The flat's new buzzer code is 4460#."),
        ("assistant", "Noted, the buzzer is now 4460#."),
        ("user", "Sorry, typo: it's 4406#, not 4460#."),
        ("assistant", "Corrected: 4406#."),
    )
    assert "4406#" in answer.quote


def test_a_day_that_was_moved_is_the_new_one(tmp_path):
    said = ("user", "The court wrote: the hearing on 12 June is adjourned to 9 July. Ugh.")
    assert ask_of(tmp_path, "When is the hearing?", said, ("assistant", "Noted.")).text == "9 July 2023"


def test_a_day_that_was_moved_again_stands_in_the_next_sentence(tmp_path):
    said = (
        ("user", "The hospital rang. The knee operation is moved to 3 July, the surgeon has shingles."),
        ("assistant", "Noted."),
        ("user", "Guess what. Knee moved AGAIN. 24th July now, Mr Pellow still off."),
        ("assistant", "Noted again."),
    )
    assert ask_of(tmp_path, "When is the knee operation?", *said).text == "24 July 2023"


def test_a_yes_or_no_is_quoted_from_the_sentence_on_the_matter(tmp_path):
    said = (
        "user",
        "Rehearsal is in the same church, with a hired digital organ. I didn't get the solo, Bronagh got it.",
    )
    answer = ask_of(tmp_path, "Did I get the solo?", said, ("assistant", "Oh no!"))
    assert "solo" in answer.quote and answer.short in ("No", "")


def test_a_question_without_its_mark_is_no_yes(tmp_path):
    answer = ask_of(tmp_path, "Is Mads driving?", ("Priya", "Mads, can you DRIVE"), ("Mads", "can you DRIVE"))
    assert answer.abstained


def test_what_is_asked_with_a_name_that_nobody_said_is_not_answered(tmp_path):
    said = ("user", "For Exeter I booked a hostel, Globe Backpackers, four beds.")
    assert not ask_of(tmp_path / "a", "Which hostel did I book in Exeter?", said, ("assistant", "Nice.")).abstained
    assert ask_of(tmp_path / "b", "Which hostel did I book in Paris?", said, ("assistant", "Nice.")).abstained


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        (
            "When is the maiden voyage?",
            [("Ann", "The maiden voyage is this Saturday. sorry, I meant Sunday."), ("Ben", "I'll bring rum.")],
            "Sunday, 28 May 2023",
        ),
        (
            "When does the electrician come?",
            [("Beat", "The electrician comes on Monday at 8."), ("Ann", "ok"), ("Beat", "Sorry, Tuesday. Not Monday")],
            "Tuesday, 30 May 2023",
        ),
        (
            "When is the first pressing?",
            [("Maren", "first pressing is 3 October, at 8"), ("Maren", "sorry, I meant the 4th! not the 3rd")],
            "4 October 2023",
        ),
    ],
)
def test_a_day_that_was_corrected_is_the_right_one(
    tmp_path: Path, question: str, said: list[tuple[str, str]], answer: str
) -> None:
    assert ask_of(tmp_path, question, *said).text == answer


def test_somebody_who_cannot_come_corrects_nothing(tmp_path):
    said = [("Ann", "Rehearsal is on Friday."), ("Ben", "Nice"), ("Ann", "sorry that I missed it last Monday")]
    assert "Friday" in ask_of(tmp_path, "When is the rehearsal?", *said).text


def test_a_meeting_that_they_postpone_is_on_the_new_day(tmp_path):
    said = [
        ("Ruth", "The hip is now decided. Operation on 12 June at the Lindenhof"),
        ("Tobi", "Courage!"),
        ("Ruth", "The Lindenhof called. They postpone my hip to the 26th of June"),
    ]
    assert "26 June" in ask_of(tmp_path, "When is Ruth's hip operation?", *said).text


def test_who_asks_right_after_an_import_is_told_the_latest_job(tmp_path):
    with Memory.open(tmp_path / "long") as memory:
        for number in range(60):
            at = START + timedelta(days=number)
            job = "teacher" if number > 50 else "baker"
            turns = [Turn("Ann", f"Day {number}. My brother Hugo works as a {job} in Lima.", at)]
            memory.remember_session("talk", f"s{number}", turns)
        answers = [memory.ask("What is Hugo's job?").text for _ in range(4)]
    assert all("teacher" in text for text in answers), answers


def test_the_last_day_of_the_calendar_is_a_day_like_any(tmp_path):
    last = datetime(9999, 12, 31, tzinfo=UTC)
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_session("a", "1", [Turn("Ana", "Yesterday I moved to Rome.", datetime(2026, 3, 1, tzinfo=UTC))])
        memory.remember_session("b", "1", [Turn("Ana", "Last month I moved to Oslo.", last)])
        assert memory.ask("When did Ana move to Rome?").short == "28 February 2026"


@pytest.mark.parametrize(
    ("before", "later", "count"),
    [
        (
            "I have restored 3 clocks since I joined the workshop.",
            "I just restored my 4th clock since I joined the workshop!",
            "4",
        ),
        (
            "I've sung in two concerts with the harbour choir.",
            "That was six concerts now, with the harbour choir.",
            "six",
        ),
    ],
)
def test_a_count_grows_in_other_words(memory, before, later, count):
    memory.remember_session("chat", "s1", [Turn("user", before, datetime(2024, 3, 1, tzinfo=UTC), "1")])
    memory.remember_session("chat", "s2", [Turn("user", later, datetime(2024, 8, 1, tzinfo=UTC), "2")])
    asked = "How many clocks have I restored since I joined the workshop?"
    answer = memory.ask(asked if "clock" in before else "How many concerts have I sung in with the harbour choir?")
    assert (answer.short, answer.evidence[0].turn_id) == (count, "2")


def test_a_count_by_another_is_none_of_mine(memory):
    for number, (who, count) in enumerate((("Ute", "five"), ("Ida", "nine"))):
        at = datetime(2024, 3 + number, 1, tzinfo=UTC)
        memory.remember_session("talk", who, [Turn(who, f"I've knitted {count} scarves.", at, who)])
    assert memory.ask("How many scarves has Ute knitted?").short == "five"


def test_it_was_moved_and_is_now_on_another_day(tmp_path):
    at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    said = ("My pottery class is on the 14th of March.", "They shifted it: it's now the 21st of March.")
    turns = [Turn("user", text, at + timedelta(minutes=n)) for n, text in enumerate(said)]
    with Memory.open(tmp_path / "moved") as memory:
        memory.remember_session("class", "c1", turns)
        assert memory.ask("When is my pottery class?").short == "21 March 2026"

"""Routing: whom a question is about, where to look, what kind of answer it wants."""

from __future__ import annotations

import pytest

from engramma.people.questions.question_scope import GLOBAL, kind_of, named_in, route

PEOPLE = {
    "Caroline": {"conv-26"},
    "Melanie": {"conv-26"},
    "John": {"conv-41", "conv-43", "conv-47"},
    "Maria": {"conv-41"},
    "Tim": {"conv-43"},
    "James": {"conv-47"},
}


def test_a_question_that_names_two_people_goes_to_the_conversation_of_both():
    way = route("What did Caroline tell Melanie about her career?", PEOPLE)
    assert (way.person, way.conversations, way.scope) == ("Caroline", ("conv-26",), "conv-26")


def test_a_question_about_one_person_goes_to_all_of_their_conversations():
    way = route("What job does John have?", PEOPLE)
    assert (way.person, way.conversations, way.scope) == ("John", ("conv-41", "conv-43", "conv-47"), GLOBAL)


def test_a_question_that_names_one_and_a_partner_goes_to_their_conversation():
    assert route("What did John promise Tim?", PEOPLE).conversations == ("conv-43",)


def test_people_who_never_talked_to_each_other_are_looked_for_everywhere_they_talked():
    assert route("What do Melanie and Tim have in common?", PEOPLE).conversations == ("conv-26", "conv-43")


def test_a_conversation_that_is_given_is_the_scope():
    way = route("What job does John have?", PEOPLE, "conv-43")
    assert (way.person, way.conversations, way.scope) == ("John", ("conv-43",), "conv-43")


def test_a_question_that_names_nobody_looks_everywhere():
    way = route("Who won the football match?", PEOPLE)
    assert (way.person, way.conversations, way.scope) == (None, None, GLOBAL)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what did melanie's son break?", ("Melanie",)),
        ("When did MELANIE run?", ("Melanie",)),
        ("What is Mel's cat called?", ("Melanie",)),
        ("what is mel's cat called?", ("Melanie",)),
        ("What was Johns's reaction?", ("John",)),
        ("What did James' sister say to John?", ("James", "John")),
        ("What did they do in the car?", ()),  # no short form of Caroline
        ("What happened in March?", ()),
        ("", ()),
        ("什么时候？", ()),
    ],
)
def test_names_are_recognised_as_people_write_them(question, named):
    assert named_in(question, PEOPLE) == named


LE_GOFF = ("Bénédicte Le Goff", "Loïc", "Ana dos Santos", "Ben Stone", "Le Monde")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("pourquoi papa vend le bateau ?", ()),
        ("Le bateau est vendu à qui ?", ()),
        ("quem dos amigos ligou?", ()),
        ("Que dit Le Goff ?", ("Bénédicte Le Goff",)),
        ("que dit benedicte le goff ?", ("Bénédicte Le Goff",)),
        ("quem dos Santos ligou?", ("Ana dos Santos",)),
        ("que dit Le Monde ?", ("Le Monde",)),
        ("combien gagne Loic ?", ("Loïc",)),
        ("How much does loic earn?", ("Loïc",)),
        ("what did ben say?", ("Ben Stone",)),
    ],
)
def test_an_article_within_a_name_names_nobody_and_accents_may_be_left_out(question, named):
    assert named_in(question, LE_GOFF) == named


def test_who_is_written_without_an_accent_is_not_who_has_one():
    assert named_in("What does Zoe like?", ("Zoe", "Zoë")) == ("Zoe",)
    assert named_in("What does Zoë like?", ("Zoe", "Zoë")) == ("Zoë",)


def test_words_that_are_names_too_need_a_capital_letter_and_dates_are_no_names():
    people = {"Will": {"c"}, "May": {"c"}, "April": {"c"}}
    assert named_in("will it rain in may?", people) == ()
    assert named_in("What did Will say on 3 April 2023?", people) == ("Will",)
    assert named_in("Where does May live?", people) == ("May",)


def test_a_short_form_that_fits_two_names_neither():
    assert named_in("What does Mel like?", {"Melanie": {"c"}, "Melissa": {"c"}}) == ()


def test_a_whole_name_tells_two_people_of_one_first_name_apart():
    people = {"John Smith": {"a"}, "John Doe": {"b"}}
    assert named_in("What does John Doe like?", people) == ("John Doe",)
    assert set(named_in("What does John like?", people)) == {"John Smith", "John Doe"}


def test_another_word_behind_a_first_one_makes_another_name():
    people = {"Lorn Vets": {"a"}, "Ann": {"b"}}
    assert named_in("Which room is Mum in at Lorn House?", people) == ()
    assert named_in("What did Lorn Vets say?", people) == ("Lorn Vets",)
    assert named_in("What did Lorn say?", people) == ("Lorn Vets",)
    assert named_in("What does Ann Friday say?", people) == ("Ann",)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Where did we eat in Skye?", ()),
        ("What did the Skye Choir sing?", ("Skye Choir",)),
        ("Is Talla on call at the clinic?", ()),
        ("When does Talla Vet Clinic open?", ("Talla Vet Clinic",)),
        ("Does Una still live in Skye?", ("Una Skye",)),
    ],
)
def test_a_place_is_not_the_firm_that_is_called_by_it(question, named):
    people = {"Skye Choir": {"a"}, "Talla Vet Clinic": {"b"}, "Una Skye": {"c"}}
    assert named_in(question, people) == named


def test_i_is_the_user_of_a_chat_with_an_assistant_and_nobody_elsewhere():
    chats = {"user": {"chat-1", "chat-2"}, "assistant": {"chat-1", "chat-2"}}
    assert route("What is my dog called?", chats).named == ("user",)
    assert set(route("What did you recommend to me?", chats).named) == {"user", "assistant"}
    assert route("What is my dog called?", PEOPLE).named == ()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did she leave?", "when"),
        ("Which month was John in Italy?", "when"),
        ("How long ago was it?", "when"),
        ("How many dogs does he have?", "how_many"),
        ("According to John, who is the best player?", "who"),
        ("Where did they meet?", "where"),
        ("Which city does he like?", "where"),
        ("Would she move?", "yes_no"),
        ("Didn't they win?", "yes_no"),
        ("What books has Tim read?", "list"),
        ("What kinds of music does he like?", "list"),
        ("Which countries has James visited?", "where"),
        ("What does his class teach?", "what"),
        ("Why did she leave?", "what"),
        ("", "what"),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(question, kind):
    assert kind_of(question) == kind

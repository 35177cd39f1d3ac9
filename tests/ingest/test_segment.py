from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engramma.ingest.segment import Span, segment
from engramma.records import Turn

roles = st.lists(st.sampled_from([None, "user", "assistant", "system", "tool"]), max_size=30)


def turns(*given_roles):
    return [Turn("x", "y", role=role) for role in given_roles]


def test_an_exchange_is_a_message_and_its_answer():
    assert segment(turns("user", "assistant", "user", "assistant")) == [
        Span("exchange", 0, 1),
        Span("exchange", 2, 3),
    ]


def test_each_utterance_of_a_talk_stands_alone():
    assert segment(turns(None, None, None)) == [Span("utterance", n, n) for n in range(3)]


def test_an_answer_joins_whoever_it_answers_and_tools_stay_with_it():
    assert segment(turns(None, "assistant", "user", "assistant", "tool", "assistant")) == [
        Span("exchange", 0, 1),
        Span("exchange", 2, 5),
    ]


def test_a_system_text_and_a_greeting_stand_alone():
    assert segment(turns("system", "assistant", "user", "assistant")) == [
        Span("exchange", 0, 0),
        Span("exchange", 1, 1),
        Span("exchange", 2, 3),
    ]


@given(roles)
def test_segments_cover_every_turn_exactly_once(given_roles):
    covered = [n for span in segment(turns(*given_roles)) for n in range(span.first, span.last + 1)]
    assert covered == list(range(len(given_roles)))


@given(roles, roles)
def test_a_session_that_grows_keeps_all_its_segments_but_the_last(before, more):
    assert segment(turns(*before, *more))[: max(0, len(segment(turns(*before))) - 1)] == segment(turns(*before))[:-1]

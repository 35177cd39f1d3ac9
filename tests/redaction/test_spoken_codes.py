"""Codes of gates, doors, alarms and locks, in whichever order they are said.

Both tables were written before the rules for them; at first sight of the rules of before, of 59 codes 17 were masked
and of 73 look-alikes 7 (docs/log/redaction.md).
"""

from __future__ import annotations

import time

import pytest

from engramma import redact
from tests.conftest import talk

from . import wild
from .scoring import alarms, missed

TABLES = ("codes", "codes2")


@pytest.mark.parametrize("name", TABLES)
def test_codes_that_open_something_are_masked_however_they_are_said(name: str):
    secrets = wild.secrets(name)
    assert len(missed(secrets)) <= 0.1 * len(secrets), missed(secrets)


@pytest.mark.parametrize("name", TABLES)
def test_other_codes_and_numbers_are_left_alone(name: str):
    benign = wild.benign(name)
    assert len(alarms(benign)) <= 0.04 * len(benign), alarms(benign)


@pytest.mark.parametrize(
    "said",
    [
        "the gate code is {}",
        "gate code: {}",
        "code for the gate is {}",
        "the code is {} for the gate",
        "Gate is {}, don't forget",
        "{} is the gate code",
        "punch in {} at the gate",
        "the gate code has changed, it's now {}",
    ],
)
@pytest.mark.parametrize("code", ["4471", "4471#"])
def test_one_code_is_masked_in_every_sentence(said: str, code: str):
    assert redact(said.format(code)).text == said.format("[redacted:code]")


@pytest.mark.parametrize(
    "said",
    [
        "I changed the lock, new code is {}",
        "I changed the lock. The code is {}.",
        "New padlock on the shed! Code: {}",
        "they replaced the front door and the code is now {}",
        "Alarm was serviced yesterday. Code's {}",
        "We have a safe now; the code is {}",
        "I forgot my PIN, my new code is {}",
        "Das Schloss ist neu, der Code ist {}",
    ],
)
def test_what_a_code_opens_may_be_said_just_before_it(said: str):
    assert redact(said.format("6082")).text == said.format("[redacted:code]")


@pytest.mark.parametrize(
    "text",
    [
        "I stood at the gate; the area code is 4150",
        "The gate is stuck and the error code is 4040",
        "We lock the door here. The zip code is 8001.",
        "Gate sale today, promo code: 2026",
        "The garage sent a mail, the order code is 44710",
        "The alarm shows a code: 4004",
        "The door is done. The course code is 2043",
        "We meet at the gate. Then we walk home. The code is 4471 in the game",
        "We talked about Vienna. The code is 4471",
    ],
)
def test_a_code_of_another_kind_beside_a_door_stays(text: str):
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "the part code for the gate motor is 44710",
        "The code in our office is 15000 lines",
        "His keypad is 1200 rupees",
        "The combination of flat and garage is 1850 a month",
        "the gate code was changed in 2023",
        "the gate is 2021, the fence is older",
        "Don't forget, the alarm is 0630",
        "type 2020 into the search box",
    ],
)
def test_a_number_that_opens_nothing_stays(text: str):
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("our alarm code changed from {} to {}", ("1234", "5678")),
        ("The door code was changed from {} to {}.", ("1234", "5678")),
        ("Door code was {}, now it is {}", ("4471", "5582")),
        ("The gate codes are {} and {}", ("4471", "5582")),
        ("gate codes: {}, {} and {}", ("4471", "5582", "6690")),
        ("The lock opens with {}", ("7712",)),
        ("The new code for mum's house is {}", ("771 904",)),
    ],
)
def test_old_and_new_and_several_codes_are_masked(said: str, codes: tuple[str, ...]):
    assert redact(said.format(*codes)).text == said.format(*["[redacted:code]"] * len(codes))


@pytest.mark.parametrize("said", ["SIM PIN 4471, PUK {}", "PUK: {}", "the puk is {}", "PUK code: {}"])
def test_the_puk_of_a_sim_is_masked(said: str):
    assert "12345678" not in redact(said.format("12345678")).text


@pytest.mark.parametrize(
    "text",
    [
        "The error codes are 4040 and 4041",
        "the gate code was changed from last year's to 2026 standards",
        "The office code was 4471 lines, now it is 5582 lines",
        "Product codes: 44710, 44711",
        "Puck 12345678 was sold",
    ],
)
def test_other_codes_in_such_sentences_stay(text: str):
    assert redact(text).text == text


def test_a_memory_never_holds_the_code_of_the_gate(memory):
    memory.remember_session(
        "home", "1", talk("Ana: The code is 4471 for the gate.", "Ben: Gate is 4471, I'll remember!")
    )
    assert not [turn.text for turn in memory.turns("home", "1") if "4471" in turn.text]


def test_a_page_of_nothing_but_codes_is_read_in_time():
    began = time.process_time()
    for piece in ("door: 4471 ", "use 4471 at the a a ", "4471 is the a a ", "code from 4471 ", "gate code, a "):
        redact(piece * 20_000)
    assert time.process_time() - began < 30

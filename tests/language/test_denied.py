"""Parts of a sentence that are denied in favour of others."""

from __future__ import annotations

import pytest

from engramma.language.denied import leave_out_denied


@pytest.mark.parametrize(
    ("said", "denied", "told"),
    [
        ("Her birthday is not on the 8th of August but on the 18th of August!", " 8th", "18th of August"),
        ("Sein Geburtstag ist nicht am 8. August, sondern am 18. August!", " 8. ", "18. August"),
        ("No es el 3 de mayo, sino el 13 de mayo.", " 3 ", "13 de mayo"),
        ("Nous partons le 18 mai et pas le 8 mai.", " 8 ", "18 mai"),
        ("Встреча не 8 августа, а 18 августа", " 8 ", "18 августа"),
        ("不是8月3日，而是8月18日", "3日", "18日"),
        ("会議は3日ではなく18日です。", "3日", "18日"),
        ("The party is on the 18th, not the 8th.", " 8th", "18th"),
        ("It is on Friday instead of Thursday. See you!", "Thursday", "Friday"),
    ],
)
def test_what_is_denied_for_something_else_is_left_out(said: str, denied: str, told: str) -> None:
    left = leave_out_denied(said)
    assert denied not in left and told in left


@pytest.mark.parametrize(
    "said",
    [
        "I did not go on 3 May.",
        "No, it was on the 5th of May.",
        "It is not only on the 8th but also on the 18th.",
        "Nicht nur am 8. Mai, sondern auch am 9. Mai.",
        "Not bad!",
        "",
    ],
)
def test_what_puts_nothing_in_its_place_stays(said: str) -> None:
    assert leave_out_denied(said) == said


@pytest.mark.parametrize("flood", ["not " * 20_000, "not" + " " * 50_000, ", not" * 20_000, "instead of " * 9_000])
def test_a_flood_is_read_to_its_end(flood: str) -> None:
    assert len(leave_out_denied(flood)) <= len(flood)

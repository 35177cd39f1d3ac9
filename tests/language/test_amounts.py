"""Amounts in text: what they measure, how much, and where; what is no amount is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.amounts import find_amounts, write_amount


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The tent was $1,299.50, a bargain.", [(1299.5, "$")]),
        ("It cost 25 euros.", [(25, "€")]),
        ("The flight was €1.200.", [(1_200, "€")]),
        ("We offered $350k for it.", [(350_000, "$")]),
        ("It takes an hour and a half.", [(5_400, "time")]),
        ("We stayed for two weeks.", [(1_209_600, "time")]),
        ("I ran twenty-five miles.", [(25, "distance")]),
        ("A 50-pound bag", [(50, "weight")]),
        ("She got 15 % off", [(15, "percentage")]),
        ("I have three cats and 12 hens", [(3, ""), (12, "")]),
    ],
)
def test_an_amount_has_a_value_and_a_kind(text, wanted):
    assert [(one.value, one.kind) for one in find_amounts(text)] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "one hundred and fifty dollars",
        "twenty five dollars",
        "$20-30",
        "10 to 15 minutes",
        "$1.5 billion",
        "1.200 steps",
    ],
)
def test_a_piece_of_a_number_is_no_amount(text):
    assert find_amounts(text) == []


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("$45 apiece", "apiece"),
        ("$15 monthly", "monthly"),
        ("$18 per kilo", "kilo"),
        ("$30 last month", ""),
        ("$9/mo", "mo"),
    ],
)
def test_a_price_for_each_is_a_rate(text, rate):
    assert [one.rate for one in find_amounts(text)] == [rate]


@pytest.mark.parametrize("text", ["a dog", "at 10:30", "on 3/4", "version 1.2.3", "an apple a day", "", "half of it"])
def test_what_is_no_amount_is_left_alone(text):
    assert find_amounts(text) == []


def test_an_amount_knows_what_is_counted_and_whether_it_is_a_rate():
    (count,) = find_amounts("I finished 12 long podcast episodes")
    assert "episod" in count.nouns and not count.rate and not count.is_bare
    (rate,) = find_amounts("It is $30 a night")
    assert rate.rate == "night"
    (about,) = find_amounts("around 40")
    assert about.is_about and about.is_bare


@pytest.mark.parametrize(
    ("value", "kind", "unit", "text"),
    [
        (1200, "$", "", "$1,200"),
        (19.5, "€", "euro", "€19.50"),
        (86_400, "time", "day", "1 day"),
        (5_400, "time", "hour", "1.5 hours"),
        (12, "percentage", "percent", "12%"),
        (3.825, "", "", "3.83"),
    ],
)
def test_an_amount_is_written_as_people_write_it(value, kind, unit, text):
    assert write_amount(value, kind, unit) == text


@given(st.text(alphabet="0123456789,.$€ aehkmouryon-/:%", max_size=300))
def test_every_amount_stands_where_it_says(text):
    for one in find_amounts(text):
        assert 0 <= one.start < one.end <= len(text) and one.value >= 0

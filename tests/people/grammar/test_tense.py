"""In which direction a day without a year is looked for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engramma.people.grammar.tense import times_of

SAID = datetime(2026, 5, 11, 18, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We fly on 14 August with TAP from Geneva.", (2026, 8, 14)),
        ("So, hut weekend! I'd say 20 June.", (2026, 6, 20)),
        ("We booked the night train to Vienna for the 4th of March.", (2027, 3, 4)),
        ("I got an appointment with Dr. Oyelaran on the 19th of May at 14:15.", (2026, 5, 19)),
        ("I got an appointment with Bettina on the 19th of May at 14:15.", (2026, 5, 19)),
        ("I had an appointment with Bettina on the 19th of May.", (2025, 5, 19)),
        ("Train: 12 July, platform 7", (2026, 7, 12)),
        ("Mein Geburtstag: 12. September, 19 Uhr, bei mir.", (2026, 9, 12)),
        ("Photos of 2 May!", (2026, 5, 2)),
        ("Photos of 14 February!", (2026, 2, 14)),
        ("We met on 19 May.", (2025, 5, 19)),
        ("The wedding's been put back to October so I can come.", (2026, 10, 1)),
        ("The examiner says rebook for October.", (2026, 10, 1)),
        ("I moved here in October.", (2025, 10, 1)),
        ("She comes on the 22nd now.", (2026, 5, 22)),
        ("I'd been there on 20 June.", (2025, 6, 20)),
        ("The wedding was on 14 August.", (2025, 8, 14)),
        ("The path will be cleared on 14 August.", (2026, 8, 14)),
        ("The path was to be cleared on 14 April.", (2026, 4, 14)),
        ("We booked the flat on 14 August.", (2025, 8, 14)),
    ],
)
def test_a_day_without_a_year_is_the_one_its_sentence_means(text: str, day: tuple[int, int, int]) -> None:
    first = times_of(text, SAID)[0].start
    assert (first.year, first.month, first.day) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We leave on the 24th.", (2026, 5, 24)),
        ("We travel to Rome on the 24th, by train.", (2026, 5, 24)),
        ("On the 24th we pick up the van.", (2026, 5, 24)),
        ("Can you come on the 24th?", (2026, 5, 24)),
        ("How about the 3rd?", (2026, 6, 3)),
        ("See you on the 24th!", (2026, 5, 24)),
        ("I need the form by the 24th", (2026, 5, 24)),
        ("We go to Lyon on Friday.", (2026, 5, 15)),
        ("Friday works for me.", (2026, 5, 15)),
        ("I saw her on the 24th.", (2026, 4, 24)),
        ("I think we had dinner on the 24th.", (2026, 4, 24)),
        ("I love that photo from the 24th!", (2026, 4, 24)),
        ("I remember the concert on the 24th.", (2026, 4, 24)),
        ("The play on the 24th was fun, you know", (2026, 4, 24)),
        ("I could have come on the 24th.", (2026, 4, 24)),
        ("I read it on the 24th.", (2026, 4, 24)),
        ("I usually swim on Friday.", (2026, 5, 8)),
        ("Photos of 2 May, can you see them?", (2026, 5, 2)),
        ("I've got a driving lesson on the 19th of May.", (2026, 5, 19)),
        ("I've got the photos from the 19th of April.", (2026, 4, 19)),
        ("We now sail from the 3rd to the 9th of June.", (2026, 6, 3)),
        ("28th to 3rd of July?", (2026, 6, 28)),
        ("She camped from the 3rd to the 9th of June.", (2025, 6, 3)),
        ("I visit you in August.", (2026, 8, 1)),
        ("I could swim in August.", (2025, 8, 1)),
    ],
)
def test_a_bare_day_is_ahead_where_somebody_does_something_then(text: str, day: tuple[int, int, int]) -> None:
    first = times_of(text, SAID)[0].start
    assert (first.year, first.month, first.day) == day

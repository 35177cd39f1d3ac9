"""Date expressions resolve to the intervals a reader would mark in a calendar, and other words to none."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.dates import EARLIEST, LATEST, distance_days, intervals
from engramma.language.dates.calendar import HOLIDAYS
from engramma.language.dates.words import EDGES, SEASONS, UNITS

# A Wednesday.
NOW = datetime(2023, 8, 16, 15, 30, tzinfo=UTC)

# Text, the expression found, its first moment, the moment it ends before, its grain. "-" is an open end.
CASES = [
    # Dates in digits
    ("It was 2023-05-08.", "2023-05-08", "2023-05-08", "2023-05-09", "day"),
    ("on 2023-05-08T13:56:00Z exactly", "2023-05-08T13:56:00Z", "2023-05-08T13:56", "2023-05-08T13:57", "minute"),
    ("It was 8/5/2023.", "8/5/2023", "2023-08-05", "2023-08-06", "day"),
    ("It was 25/5/2023.", "25/5/2023", "2023-05-25", "2023-05-26", "day"),
    ("It was 8.5.2023.", "8.5.2023", "2023-05-08", "2023-05-09", "day"),
    ("It was 5.25.2023.", "5.25.2023", "2023-05-25", "2023-05-26", "day"),
    ("It was 12/24/98.", "12/24/98", "1998-12-24", "1998-12-25", "day"),
    ("due on 9/14", "9/14", "2022-09-14", "2022-09-15", "day"),
    ("since 2022-11 we know", "since 2022-11", "2022-11-01", "-", "range"),
    (
        "from the 30th to the 3rd of March 2023",
        "from the 30th to the 3rd of March 2023",
        "2023-02-28",
        "2023-03-04",
        "range",
    ),
    ("invoice 11/2022", "11/2022", "2022-11-01", "2022-12-01", "month"),
    # Dates in words
    ("What happened on 8 May 2023?", "8 May 2023", "2023-05-08", "2023-05-09", "day"),
    ("What happened on May 8th, 2023?", "May 8th, 2023", "2023-05-08", "2023-05-09", "day"),
    ("the 8th of May of 2021", "the 8th of May of 2021", "2021-05-08", "2021-05-09", "day"),
    ("on the eighth of May", "the eighth of May", "2023-05-08", "2023-05-09", "day"),
    ("Monday, May 8, 2023", "Monday, May 8, 2023", "2023-05-08", "2023-05-09", "day"),
    ("who came on 8 May", "8 May", "2023-05-08", "2023-05-09", "day"),
    ("who came on 8 October", "8 October", "2022-10-08", "2022-10-09", "day"),
    (
        "May twenty-first, nineteen ninety eight",
        "May twenty-first, nineteen ninety eight",
        "1998-05-21",
        "1998-05-22",
        "day",
    ),
    ("Sept. 3, '21", "Sept. 3, '21", "2021-09-03", "2021-09-04", "day"),
    ("1 March last year", "1 March last year", "2022-03-01", "2022-03-02", "day"),
    ("30 February 2023 is no day", "February 2023", "2023-02-01", "2023-03-01", "month"),
    ("Feb 29", "Feb 29", "2020-02-29", "2020-03-01", "day"),
    ("December 1,2022 was cold", "December 1,2022", "2022-12-01", "2022-12-02", "day"),
    # Months and years
    ("Where were we in May 2023?", "May 2023", "2023-05-01", "2023-06-01", "month"),
    ("Where were we in May?", "May", "2023-05-01", "2023-06-01", "month"),
    ("where were we in may?", "may", "2023-05-01", "2023-06-01", "month"),
    ("Where were we in October?", "October", "2022-10-01", "2022-11-01", "month"),
    ("last November", "last November", "2022-11-01", "2022-12-01", "month"),
    ("next March", "next March", "2024-03-01", "2024-04-01", "month"),
    ("June of last year", "June of last year", "2022-06-01", "2022-07-01", "month"),
    ("How was 2023?", "2023", "2023-01-01", "2024-01-01", "year"),
    ("the year 1848", "the year 1848", "1848-01-01", "1849-01-01", "year"),
    ("back in nineteen eighty four", "nineteen eighty four", "1984-01-01", "1985-01-01", "year"),
    ("the 1990s", "the 1990s", "1990-01-01", "2000-01-01", "range"),
    ("music of the '80s", "the '80s", "1980-01-01", "1990-01-01", "range"),
    ("music of the eighties", "the eighties", "1980-01-01", "1990-01-01", "range"),
    ("the late nineties", "the late nineties", "1995-01-01", "2000-01-01", "range"),
    ("back in '99", "'99", "1999-01-01", "2000-01-01", "year"),
    ("the 19th century", "the 19th century", "1800-01-01", "1900-01-01", "range"),
    ("Q3 2022", "Q3 2022", "2022-07-01", "2022-10-01", "quarter"),
    ("the second quarter of this year", "the second quarter of this year", "2023-04-01", "2023-07-01", "quarter"),
    # Seasons
    ("in the summer of 2022", "the summer of 2022", "2022-06-01", "2022-09-01", "season"),
    ("Where did we go last summer?", "last summer", "2022-06-01", "2022-09-01", "season"),
    ("this summer", "this summer", "2023-06-01", "2023-09-01", "season"),
    ("this winter", "this winter", "2023-12-01", "2024-03-01", "season"),
    ("last winter", "last winter", "2022-12-01", "2023-03-01", "season"),
    ("next fall", "next fall", "2023-09-01", "2023-12-01", "season"),
    ("What did we plant in the spring?", "the spring", "2023-03-01", "2023-06-01", "season"),
    ("autumn 2021", "autumn 2021", "2021-09-01", "2021-12-01", "season"),
    # Days told from today
    ("today", "today", "2023-08-16", "2023-08-17", "day"),
    ("yesterday's lunch", "yesterday's", "2023-08-15", "2023-08-16", "day"),
    ("tomorrow", "tomorrow", "2023-08-17", "2023-08-18", "day"),
    ("tonight", "tonight", "2023-08-16T18:00", "2023-08-17T06:00", "hour"),
    ("the day before yesterday", "the day before yesterday", "2023-08-14", "2023-08-15", "day"),
    ("the day after tomorrow", "the day after tomorrow", "2023-08-18", "2023-08-19", "day"),
    ("this morning", "this morning", "2023-08-16T04:00", "2023-08-16T12:00", "hour"),
    ("last night", "last night", "2023-08-15T18:00", "2023-08-16T06:00", "hour"),
    ("yesterday evening", "yesterday evening", "2023-08-15T17:00", "2023-08-16", "hour"),
    ("on Monday", "Monday", "2023-08-14", "2023-08-15", "day"),
    ("on Friday night", "Friday night", "2023-08-11T18:00", "2023-08-12T06:00", "hour"),
    ("last Monday", "last Monday", "2023-08-14", "2023-08-15", "day"),
    ("last Friday", "last Friday", "2023-08-11", "2023-08-12", "day"),
    ("this Friday", "this Friday", "2023-08-18", "2023-08-19", "day"),
    ("next Friday", "next Friday", "2023-08-25", "2023-08-26", "day"),
    ("this coming Friday", "this coming Friday", "2023-08-18", "2023-08-19", "day"),
    ("Tuesday of last week", "Tuesday of last week", "2023-08-08", "2023-08-09", "day"),
    ("next week on Tuesday", "next week on Tuesday", "2023-08-22", "2023-08-23", "day"),
    ("Friday the 11th", "Friday the 11th", "2023-08-11", "2023-08-12", "day"),
    ("What did I say on the 15th?", "the 15th", "2023-08-15", "2023-08-16", "day"),
    ("What did I say on the 20th?", "the 20th", "2023-07-20", "2023-07-21", "day"),
    ("the 20th of next month", "the 20th of next month", "2023-09-20", "2023-09-21", "day"),
    # Periods told from today
    ("last week", "last week", "2023-08-07", "2023-08-14", "week"),
    ("this week", "this week", "2023-08-14", "2023-08-21", "week"),
    ("next week", "next week", "2023-08-21", "2023-08-28", "week"),
    ("the week after next", "the week after next", "2023-08-28", "2023-09-04", "week"),
    ("the week before last", "the week before last", "2023-07-31", "2023-08-07", "week"),
    ("the summer before last", "the summer before last", "2021-06-01", "2021-09-01", "season"),
    ("last weekend", "last weekend", "2023-08-12", "2023-08-14", "range"),
    ("What did we do over the weekend?", "the weekend", "2023-08-12", "2023-08-14", "range"),
    ("this past weekend", "this past weekend", "2023-08-12", "2023-08-14", "range"),
    ("last month", "last month", "2023-07-01", "2023-08-01", "month"),
    ("next quarter", "next quarter", "2023-10-01", "2024-01-01", "quarter"),
    ("last year", "last year", "2022-01-01", "2023-01-01", "year"),
    ("in the last year", "the last year", "2022-08-16", "2023-08-17", "range"),
    ("within the last 10 days", "the last 10 days", "2023-08-06", "2023-08-17", "range"),
    ("the past two weeks", "the past two weeks", "2023-08-02", "2023-08-17", "range"),
    ("over the past few months", "the past few months", "2023-05-16", "2023-08-17", "range"),
    ("the next 3 days", "the next 3 days", "2023-08-17", "2023-08-20", "range"),
    ("the last fortnight", "the last fortnight", "2023-08-02", "2023-08-17", "range"),
    ("earlier this month", "earlier this month", "2023-08-01", "2023-08-16", "range"),
    # So long ago
    ("three days ago", "three days ago", "2023-08-13", "2023-08-14", "day"),
    ("2 weeks ago", "2 weeks ago", "2023-08-02", "2023-08-03", "week"),
    ("a month ago", "a month ago", "2023-07-16", "2023-07-17", "month"),
    ("twenty-five years ago", "twenty-five years ago", "1998-08-16", "1998-08-17", "year"),
    ("a couple of days ago", "a couple of days ago", "2023-08-14", "2023-08-15", "day"),
    ("a fortnight ago", "a fortnight ago", "2023-08-02", "2023-08-03", "week"),
    ("1 year and 2 months ago", "1 year and 2 months ago", "2022-06-16", "2022-06-17", "month"),
    ("two hours ago", "two hours ago", "2023-08-16T13:30", "2023-08-16T13:31", "hour"),
    ("in two weeks", "in two weeks", "2023-08-30", "2023-08-31", "week"),
    ("a year and a half ago", "a year and a half ago", "2022-02-16", "2022-02-17", "month"),
    ("two and a half years ago", "two and a half years ago", "2021-02-16", "2021-02-17", "month"),
    ("half a year ago", "half a year ago", "2023-02-16", "2023-02-17", "month"),
    ("ten days from now", "ten days from now", "2023-08-26", "2023-08-27", "day"),
    ("25 hours from Monday", "Monday", "2023-08-14", "2023-08-15", "day"),  # so many a week, from then on
    ("two Sundays ago", "two Sundays ago", "2023-08-06", "2023-08-07", "day"),
    # Told from another date
    ("the week before 9 June 2023", "the week before 9 June 2023", "2023-06-02", "2023-06-09", "week"),
    ("the week of May 5", "the week of May 5", "2023-05-01", "2023-05-08", "week"),
    ("the week starting 4 February 2020", "the week starting 4 February 2020", "2020-02-04", "2020-02-11", "week"),
    ("the weekend before July 17", "the weekend before July 17", "2023-07-15", "2023-07-17", "range"),
    ("the weekend after July 17, 2023", "the weekend after July 17, 2023", "2023-07-22", "2023-07-24", "range"),
    ("the weekend of 8 July", "the weekend of 8 July", "2023-07-08", "2023-07-10", "range"),
    ("the Friday before 15 July 2023", "the Friday before 15 July 2023", "2023-07-14", "2023-07-15", "day"),
    ("the Sunday after 15 July 2023", "the Sunday after 15 July 2023", "2023-07-16", "2023-07-17", "day"),
    ("two days before 3 March 2023", "two days before 3 March 2023", "2023-03-01", "2023-03-02", "day"),
    ("two weeks after Christmas 2022", "two weeks after Christmas 2022", "2023-01-08", "2023-01-09", "week"),
    ("the day after Christmas 2022", "the day after Christmas 2022", "2022-12-26", "2022-12-27", "day"),
    ("the month before March 2020", "the month before March 2020", "2020-02-01", "2020-03-01", "month"),
    ("within two days of 5 May 2023", "within two days of 5 May 2023", "2023-05-03", "2023-05-08", "range"),
    ("the first Friday of July 2023", "the first Friday of July 2023", "2023-07-07", "2023-07-08", "day"),
    ("the last Monday in May 2023", "the last Monday in May 2023", "2023-05-29", "2023-05-30", "day"),
    ("the second week of November", "the second week of November", "2022-11-07", "2022-11-14", "week"),
    ("the last three days of June 2023", "the last three days of June 2023", "2023-06-28", "2023-07-01", "range"),
    # Parts of something
    ("early May 2023", "early May 2023", "2023-05-01", "2023-05-16", "month"),
    ("mid-June 2023", "mid-June 2023", "2023-06-10", "2023-06-21", "month"),
    ("late last month", "late last month", "2023-07-16", "2023-08-01", "month"),
    ("at the beginning of 2022", "the beginning of 2022", "2022-01-01", "2022-05-01", "year"),
    ("at the end of 2022", "the end of 2022", "2022-09-01", "2023-01-01", "year"),
    ("at the end of the summer", "the end of the summer", "2023-08-01", "2023-09-01", "season"),
    ("the early 1990s", "the early 1990s", "1990-01-01", "1995-01-01", "range"),
    # Ranges and open ends
    ("from May 3 to June 4", "from May 3 to June 4", "2023-05-03", "2023-06-05", "range"),
    ("from the 27th to the 2nd of May", "from the 27th to the 2nd of May", "2023-04-27", "2023-05-03", "range"),
    ("from the 3rd to the 5th of May", "from the 3rd to the 5th of May", "2023-05-03", "2023-05-06", "range"),
    ("from 3 to 5 May 2021", "from 3 to 5 May 2021", "2021-05-03", "2021-05-06", "range"),
    ("June 9-11, 2022", "June 9-11, 2022", "2022-06-09", "2022-06-12", "range"),
    ("between May and July 2022", "between May and July 2022", "2022-05-01", "2022-08-01", "range"),
    ("from November to February", "from November to February", "2022-11-01", "2023-03-01", "range"),
    ("2014-2018", "2014-2018", "2014-01-01", "2019-01-01", "range"),
    ("from Monday to Wednesday", "from Monday to Wednesday", "2023-08-14", "2023-08-17", "range"),
    ("from March to now", "from March to now", "2023-03-01", "2023-08-17", "range"),
    ("since March", "since March", "2023-03-01", "-", "range"),
    ("before 2020", "before 2020", "-", "2020-01-01", "range"),
    ("after June 2023", "after June 2023", "2023-07-01", "-", "range"),
    ("until last Friday", "until last Friday", "-", "2023-08-12", "range"),
    ("before the end of May 2023", "before the end of May 2023", "-", "2023-06-01", "range"),
    # Feasts
    ("Christmas 2022", "Christmas 2022", "2022-12-25", "2022-12-26", "day"),
    ("last Christmas", "last Christmas", "2022-12-25", "2022-12-26", "day"),
    ("New Year's Eve", "New Year's Eve", "2022-12-31", "2023-01-01", "day"),
    ("Halloween", "Halloween", "2022-10-31", "2022-11-01", "day"),
    ("Thanksgiving 2023", "Thanksgiving 2023", "2023-11-23", "2023-11-24", "day"),
    ("Valentine’s Day", "Valentine’s Day", "2023-02-14", "2023-02-15", "day"),
    ("Easter", "Easter", "2023-04-09", "2023-04-10", "day"),
    ("Good Friday 2019", "Good Friday 2019", "2019-04-19", "2019-04-20", "day"),
    ("Labor Day weekend 2022", "Labor Day weekend 2022", "2022-09-03", "2022-09-06", "range"),
    # Times of day
    ("at 3pm on 5 May 2023", "3pm on 5 May 2023", "2023-05-05T15:00", "2023-05-05T16:00", "hour"),
    ("5 May 2023 at 9:15 a.m.", "5 May 2023 at 9:15 a.m.", "2023-05-05T09:15", "2023-05-05T09:16", "minute"),
    ("8th May 2023, around noon", "8th May 2023, around noon", "2023-05-08T12:00", "2023-05-08T13:00", "hour"),
    ("yesterday at noon", "yesterday at noon", "2023-08-15T12:00", "2023-08-15T13:00", "hour"),
    ("the morning of 5 May 2023", "the morning of 5 May 2023", "2023-05-05T04:00", "2023-05-05T12:00", "hour"),
    ("During Thanksgiving, we cook.", "Thanksgiving", "2022-11-24", "2022-11-25", "day"),
    # A weekday stays one before a noun
    ("a Sunday roast recipe", "Sunday", "2023-08-13", "2023-08-14", "day"),
]

NO_DATES = [
    "",
    "May I ask who called?",
    "This may or may not be right.",
    "I may go, and she may too.",
    "The 8 may come later.",
    "March on, said the captain.",
    "They march to the river.",
    "Give me a second, the second one is better.",
    "the fall of Rome",
    "the smell of spring",
    "a spring roll and a cup of tea",
    "He sat in the sun.",
    "She sat down on the sofa.",
    "Ask June about the recipe.",
    "an august company",
    "I have twenty-one coins in my pocket",
    "She lives on the 15th floor.",
    "the 5th time this happened",
    "I run every Monday and each Friday.",
    "on Mondays we swim",
    "Have a nice day!",
    "Good morning, Paul",
    "day after day",
    "open 24/7",
    "I rate it 8/10.",
    "It costs $2000.",
    "deliver 2000 pieces",
    "Tel: +86 138-2010-2015",
    "the code 133-03-03-2020 and 0.8/15",
    "2023-13-45",
    "We haven't talked in a few days.",
    "It is up to date.",
    "Rome wasn't built in a day.",
    "trailing in the 4th quarter, down ten in the 4th",
    "I tried Cyberpunk 2077.",
    "the semester will start soon",
    "ABC-12345-A1B2C3",
]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(("text", "expression", "start", "end", "grain"), CASES, ids=[case[0] for case in CASES])
def test_an_expression_resolves_to_its_interval(text, expression, start, end, grain):
    (found,) = intervals(text, NOW)
    assert found.text == expression == text[found.span[0] : found.span[1]]
    assert found.start == (EARLIEST if start == "-" else day(start))
    assert found.end == (LATEST if end == "-" else day(end))
    assert found.grain == grain


@pytest.mark.parametrize("text", NO_DATES)
def test_other_words_are_no_dates(text):
    assert intervals(text, NOW) == ()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("8 May", "2024-05-08"),
        ("in October", "2023-10-01"),
        ("on Monday", "2023-08-21"),
        ("Christmas", "2023-12-25"),
        ("on the 15th", "2023-09-15"),
        ("over the weekend", "2023-08-19"),
        ("in August", "2023-08-01"),
        ("in 2021", "2021-01-01"),
    ],
)
def test_what_is_left_open_lies_ahead_when_the_future_is_preferred(text, start):
    (found,) = intervals(text, NOW, prefer="future")
    assert found.start == day(start)


@pytest.mark.parametrize(
    ("text", "expression", "day"),
    [
        ("back wed 23 late", "wed 23", "2026-09-23"),
        ("we leave fri 25 early", "fri 25", "2026-09-25"),
        ("thu 10 was fun", "thu 10", "2026-09-10"),
        ("dentist is wed 23 sept", "wed 23 sept", "2026-09-23"),  # not last year's, a Tuesday
        ("fri 25/9 at the harbour", "fri 25/9", "2026-09-25"),
        (
            "on Sat 26 August we met",
            "Sat 26 August",
            "2026-08-26",
        ),  # a Wednesday, and so in all years near: as without it
        ("sat 19 people came", "sat", "2026-09-12"),
        ("wed 23 am", "wed", "2026-09-09"),
    ],
)
def test_a_weekday_and_a_number_agree_with_the_calendar(text, expression, day):
    found = intervals(text, datetime(2026, 9, 14, 18, tzinfo=UTC))[0]
    assert (found.text, found.start.date().isoformat()) == (expression, day)


def test_several_expressions_come_in_order_of_appearance():
    found = intervals("Was it in May 2023, last week or the day before yesterday?", NOW)
    assert [interval.text for interval in found] == ["May 2023", "last week", "the day before yesterday"]


def test_what_is_listed_shares_its_month_and_year():
    found = intervals("in May and June of 2021, on 18 and 19 July 2020", NOW)
    assert [(interval.text, interval.start) for interval in found] == [
        ("May", day("2021-05-01")),
        ("June of 2021", day("2021-06-01")),
        ("18", day("2020-07-18")),
        ("19 July 2020", day("2020-07-19")),
    ]


def test_only_what_the_reference_decided_is_relative():
    flags = {interval.text: interval.is_relative for interval in intervals("8 May 2023, 8 May, last week, 1999", NOW)}
    assert flags == {"8 May 2023": False, "8 May": True, "last week": True, "1999": False}


def test_a_reference_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="zone"):
        intervals("today", datetime(2023, 8, 16))


def test_days_are_those_of_the_reference_zone():
    late = datetime(2023, 8, 16, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    (found,) = intervals("today", late)
    assert found.start == datetime(2023, 8, 15, 22, 0, tzinfo=UTC)
    assert found.end - found.start == timedelta(days=1)


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_hold(year):
    edge = datetime(year, 1, 1, tzinfo=UTC) if year == 1 else datetime(year, 12, 31, 23, 59, tzinfo=UTC)
    for text, *_ in CASES:
        for found in intervals(f"{text} and a hundred years ago, next week, last year, in 90 centuries", edge):
            assert EARLIEST <= found.start < found.end <= LATEST


@pytest.mark.parametrize(
    "frame", ["the {} before last", "the {} after next", "two {} ago", "{} of {}", "the {} before {}"]
)
def test_every_word_may_stand_in_every_place(frame):
    for word in {*PIECES.split(), *UNITS, *SEASONS, *EDGES, *HOLIDAYS}:
        for other in ("May 2023", "last year", word):
            for found in intervals(frame.format(word, other), NOW):
                assert found.start < found.end


def test_a_long_text_takes_no_longer_than_its_beginning():
    for piece in ("the day after ", "from May 3 to ", "2023-05-", "twenty ", "1 month and ", "early ", "9", "- "):
        began = time.perf_counter()
        intervals(piece * (100_000 // len(piece)), NOW)
        assert time.perf_counter() - began < 2.0


def test_distance_is_zero_within_and_counts_days_outside():
    (found,) = intervals("on 8 May 2023", NOW)
    assert distance_days(found, day("2023-05-08T12:00")) == 0
    assert distance_days(found, day("2023-05-06")) == 2
    assert distance_days(found, day("2023-05-10")) == 1


PIECES = """
the a of in on at before after from to between and since last next this past week weekend month year quarter day
days ago early mid late end beginning first second third twenty one 3 15th 31 29 2023 1999 9999 0 00 12/31 8/5/23
May march Feb Friday sun summer fall Easter Christmas New Year's Eve yesterday tomorrow morning night 3pm : - / .
, ' 90s nineties century within couple few fortnight hundred thousand no later than starting w/c Q3 'the
"""
WORDS = st.sampled_from(PIECES.split())
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(WORDS, max_size=14).map(" ".join),
    st.lists(WORDS, max_size=9).map("".join),
)
REFERENCES = st.datetimes(timezones=st.just(UTC)) | st.datetimes(timezones=st.just(timezone(timedelta(hours=-11))))


@given(TEXTS, REFERENCES, st.sampled_from(["past", "future"]))
def test_any_text_gives_ordered_intervals_that_lie_in_it(text, reference, prefer):
    found = intervals(text, reference, prefer=prefer)
    assert found == intervals(text, reference, prefer=prefer)
    last = 0
    for interval in found:
        first, end = interval.span
        assert last <= first < end <= len(text)
        assert interval.text == text[first:end]
        assert EARLIEST <= interval.start < interval.end <= LATEST
        assert interval.start.tzinfo is UTC
        last = end


@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(2999, 12, 31)), REFERENCES)
def test_a_written_date_is_that_day_whatever_the_reference(moment, reference):
    (found,) = intervals(f"on {moment:%d} {moment:%B} {moment.year} it rained", reference.replace(tzinfo=UTC))
    assert found.start.date() == moment.date()
    assert not found.is_relative

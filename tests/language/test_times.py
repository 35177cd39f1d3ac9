"""Times keep their instant exactly, and a time without a zone is never guessed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.times import (
    HERE,
    format_time,
    from_micros,
    from_wall_clock,
    local_day,
    local_minute,
    parse_end,
    parse_time,
    parse_written_time,
    readable,
    shifted,
    to_micros,
    wall_clock,
    zoned_minute,
)

AFTERNOON = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
# Two days from either end, so that every offset still lies inside the calendar.
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=OFFSETS)


@given(MOMENTS)
def test_micros_round_trip_exactly(moment: datetime) -> None:
    assert from_micros(to_micros(moment)) == moment


@given(MOMENTS)
def test_the_written_form_reads_back_as_the_same_instant(moment: datetime) -> None:
    text = format_time(moment)
    assert text.endswith("Z")
    assert parse_time(text) == moment
    assert parse_time(text).tzinfo is UTC


@given(MOMENTS)
def test_order_is_the_same_in_micros_and_in_time(moment: datetime) -> None:
    assert to_micros(moment) < to_micros(shifted(moment, timedelta(microseconds=1)))


@given(st.datetimes(datetime(1975, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_epoch_seconds_and_milliseconds_are_told_apart(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    seconds = to_micros(whole) // 1_000_000
    assert parse_time(seconds) == parse_time(seconds * 1000) == whole
    assert parse_time(str(seconds)) == parse_time(str(seconds * 1000)) == whole
    assert parse_time(to_micros(moment) / 1_000_000) == moment


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none(), st.datetimes()))
def test_anything_else_is_a_value_error(value: object) -> None:
    try:
        moment = parse_time(value, UTC)
    except ValueError:
        return
    assert moment.tzinfo is UTC


def test_microseconds_show_only_where_there_are_any() -> None:
    assert format_time(AFTERNOON) == "2023-05-08T13:56:00Z"
    assert format_time(AFTERNOON.replace(microsecond=70)) == "2023-05-08T13:56:00.000070Z"


def test_an_offset_becomes_utc() -> None:
    assert parse_time("2023-05-08T15:56:00+02:00") == AFTERNOON
    assert format_time(AFTERNOON.astimezone(ZoneInfo("Asia/Kolkata"))) == "2023-05-08T13:56:00Z"


@pytest.mark.parametrize("naive", ["2023-05-08T13:56:00", "2023-05-08", datetime(2023, 5, 8)])
def test_a_time_without_a_zone_is_refused_unless_a_zone_is_named(naive: object) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        parse_time(naive)
    assert parse_time(naive, UTC).date() == AFTERNOON.date()


def test_a_named_zone_follows_its_summer_time() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert format_time(parse_time("2023-07-01 12:00", berlin)) == "2023-07-01T10:00:00Z"
    assert format_time(parse_time("2023-01-01 12:00", berlin)) == "2023-01-01T11:00:00Z"


def test_naive_times_cannot_be_written_or_stored() -> None:
    for convert in (format_time, to_micros, readable):
        with pytest.raises(ValueError, match="no time zone"):
            convert(datetime(2023, 5, 8))


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
        ("12:28 am on 8 November, 2023", "2023-11-08T00:28:00Z"),
        ("12:05 PM on 1 Jan 2024", "2024-01-01T12:05:00Z"),
    ],
)
def test_written_times_are_read(text: str, iso: str) -> None:
    assert format_time(parse_written_time(text, UTC)) == iso


@pytest.mark.parametrize(
    "text", ["13:56 pm on 8 May, 2023", "1:56 pm on 31 June, 2023", "1:56 pm on 8 Mai, 2023", "yesterday", ""]
)
def test_other_written_times_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_written_time(text, UTC)


def test_written_times_need_a_zone() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        parse_written_time("1:56 pm on 8 May, 2023")


def test_readable_is_the_minute_in_utc() -> None:
    assert readable(AFTERNOON.astimezone(timezone(timedelta(hours=9)))) == "2023-05-08 13:56"
    assert readable(datetime(33, 4, 3, 15, 0, tzinfo=UTC)) == "0033-04-03 15:00"


def test_shifting_stops_at_the_ends_of_the_calendar() -> None:
    latest = datetime.max.replace(tzinfo=UTC)
    earliest = datetime.min.replace(tzinfo=UTC)
    assert shifted(latest, timedelta(seconds=1)) == latest
    assert shifted(earliest, timedelta(seconds=-1)) == earliest
    assert shifted(AFTERNOON, timedelta(seconds=1)) - AFTERNOON == timedelta(seconds=1)


def test_times_outside_the_calendar_are_refused() -> None:
    with pytest.raises(ValueError, match="calendar"):
        parse_time("9999-12-31T23:59:59-10:00")
    with pytest.raises(ValueError, match="calendar"):
        from_micros(10**20)


@pytest.fixture(params=["Europe/Zurich", "America/St_Johns", "Asia/Kolkata"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoneInfo]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield ZoneInfo(request.param)
    monkeypatch.undo()
    time.tzset()


def test_the_machine_s_zone_is_that_of_its_clock_in_summer_and_winter(zone: ZoneInfo) -> None:
    for month in range(1, 13):
        moment = datetime(2024, month, 15, 23, 50, tzinfo=UTC)
        there = moment.astimezone(zone)
        assert local_minute(moment) == f"{there:%Y-%m-%d %H:%M}"
        assert parse_time(local_minute(moment), HERE) == moment
    assert zoned_minute(AFTERNOON).endswith({"Europe/Zurich": "UTC+2", "Asia/Kolkata": "UTC+5:30"}.get(zone.key, "30"))


def test_the_ends_of_the_calendar_have_a_time_here(zone: ZoneInfo) -> None:
    for end in (datetime.min, datetime.max):
        assert local_minute(end.replace(tzinfo=UTC))[:4] in ("0001", "9999")
        assert HERE.utcoffset(end) is not None


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoneInfo]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield ZoneInfo("Europe/Berlin")
    monkeypatch.undo()
    time.tzset()


def test_an_hour_that_the_clock_shows_twice_is_told_apart(berlin: ZoneInfo) -> None:
    summer, winter = datetime(2024, 10, 27, 0, 30, tzinfo=UTC), datetime(2024, 10, 27, 1, 30, tzinfo=UTC)
    assert zoned_minute(summer) == "2024-10-27 02:30 UTC+2"
    assert zoned_minute(winter) == "2024-10-27 02:30 UTC+1"
    assert winter.astimezone(HERE).astimezone(UTC) == winter


@pytest.mark.parametrize("day", ["2024-03-31", "2024-10-27", "20241027", "2024-06-01"])
def test_a_day_ends_where_the_next_one_begins_when_the_clocks_change(berlin: ZoneInfo, day: str) -> None:
    begins = datetime.fromisoformat(day) + timedelta(days=1)
    assert parse_end(day, HERE) == parse_end(day, berlin) == begins.replace(tzinfo=berlin).astimezone(UTC)


def test_the_ends_of_the_calendar_are_the_same_moment_here(zone: ZoneInfo) -> None:
    for end in (datetime.min, datetime.min + timedelta(hours=23), datetime.max - timedelta(hours=23), datetime.max):
        moment = end.replace(tzinfo=UTC)
        assert moment.astimezone(HERE).astimezone(UTC) == moment
    assert parse_end("9999-12-31", HERE) > parse_time("9999-12-31", HERE)
    assert parse_time("0001-01-01", HERE).year == 1


def test_what_the_clock_shows_is_turned_back(zone: ZoneInfo) -> None:
    for month in range(1, 13):
        moment = datetime(2024, month, 15, 23, 50, tzinfo=UTC)
        assert wall_clock(moment).replace(tzinfo=None) == moment.astimezone(zone).replace(tzinfo=None)
        assert from_wall_clock(wall_clock(moment)) == moment
        assert local_day(moment) == f"{moment.astimezone(zone):%Y-%m-%d}"
    for end in (datetime.min, datetime.max):  # a span that is open reaches to the end
        assert from_wall_clock(end.replace(tzinfo=UTC)) == end.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "end"),
    [("2026-W20", "2026-05-18"), ("2026W20", "2026-05-18"), ("2026-W20-1", "2026-05-12"), ("2026-05-11", "2026-05-12")],
)
def test_the_end_of_a_week_or_a_day_is_where_the_next_begins(text, end):
    assert parse_end(text, UTC) == parse_time(end, UTC)

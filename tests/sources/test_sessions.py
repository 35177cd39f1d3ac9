"""Times that are missing never disturb the order, and sittings cover every turn exactly once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engramma.records import Turn
from engramma.sources.ids import with_content_ids
from engramma.sources.sessions import fill_times, numbered, split_by_gap

MOMENTS = st.datetimes(timezones=st.just(UTC))
GAPS = st.timedeltas(timedelta(0), timedelta(days=400))
TURNS = st.lists(st.builds(Turn, st.just("A"), st.text(), st.none() | MOMENTS))


@given(st.lists(st.none() | MOMENTS), st.none() | MOMENTS)
def test_stated_times_are_kept_and_missing_ones_filled(stated: list[datetime | None], start: datetime | None) -> None:
    filled = fill_times(stated, start=start)
    assert len(filled) == len(stated)
    assert all(time == own for time, own in zip(filled, stated, strict=True) if own is not None)
    assert all(filled) or (start is None and not any(stated))


@given(st.lists(MOMENTS), st.data())
def test_filling_keeps_ordered_times_ordered(times: list[datetime], data: st.DataObject) -> None:
    stated = [time if data.draw(st.booleans()) else None for time in sorted(times)]
    filled = [time for time in fill_times(stated, start=datetime(2020, 1, 1, tzinfo=UTC)) if time]
    assert filled == sorted(filled)


@given(TURNS, GAPS)
def test_sittings_hold_every_turn_once_and_in_order(turns: list[Turn], gap: timedelta) -> None:
    sittings = split_by_gap(turns, gap)
    assert [turn for sitting in sittings for turn in sitting] == turns
    assert all(sittings)


@given(TURNS, TURNS, GAPS)
def test_sessions_of_the_past_keep_their_ids_when_a_conversation_goes_on(
    turns: list[Turn], later: list[Turn], gap: timedelta
) -> None:
    before = numbered("c", split_by_gap(with_content_ids(turns), gap))
    after = numbered("c", split_by_gap(with_content_ids(turns + later), gap))
    assert after[: len(before[:-1])] == before[:-1]
    for old, new in zip(before, after, strict=False):
        assert (new.id, new.turns[: len(old.turns)]) == (old.id, old.turns)


@given(TURNS)
def test_derived_ids_are_unique_and_do_not_depend_on_time(turns: list[Turn]) -> None:
    named = with_content_ids(turns)
    assert len({turn.id for turn in named}) == len(turns)
    timeless = with_content_ids(Turn(turn.speaker, turn.text) for turn in turns)
    assert [turn.id for turn in timeless] == [turn.id for turn in named]


def test_ids_that_are_stated_are_kept() -> None:
    assert with_content_ids([Turn("A", "x", id="mine")])[0].id == "mine"


def test_spacing_and_composition_do_not_change_a_derived_id() -> None:
    assert (
        with_content_ids([Turn("A", "cafe\u0301  noir\r\n")])[0].id == with_content_ids([Turn("A", "café noir")])[0].id
    )


def test_a_turn_that_goes_back_in_time_opens_no_session() -> None:
    day = datetime(2023, 5, 8, tzinfo=UTC)
    turns = [Turn("A", str(n), day + timedelta(hours=hours)) for n, hours in enumerate((12, 0, 12))]
    assert len(split_by_gap(turns, timedelta(minutes=30))) == 1

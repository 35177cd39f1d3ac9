"""A life by months, and lanes for many sessions."""

from __future__ import annotations

from datetime import date, timedelta

from engramma import Turn
from engramma.apps.dashboard.lane_view import drawn_lanes
from engramma.apps.dashboard.lanes import MAX_LANES, place_in_lanes
from engramma.apps.dashboard.life import moments_of, month_of, turns_by_month
from tests.conftest import START, talk


def test_turns_are_counted_by_months(memory):
    memory.remember_session("c", "a", talk("Ana: One.", "Ben: Two."))
    memory.remember_session("c", "b", talk("Ana: Three.", day=10, prefix="u"))
    memory.remember_session("c", "d", talk("Ana: Four.", day=40, prefix="v"))
    said = turns_by_month(memory.admin.figures()["activity"])
    assert said == {date(2026, 1, 1): (3, 2), date(2026, 2, 1): (1, 1)}


def test_a_month_has_its_longest_talks_and_what_began_in_it(memory):
    memory.remember_session("c", "short", talk("Ana: Hello."))
    memory.remember_session(
        "d", "long", talk("Ana: I work at Fernwood.", "Ben: Nice.", day=1, prefix="u"), title="Work"
    )
    memory.remember_session("e", "later", talk("Ana: I live in Bath.", day=40, prefix="v"))
    moments = moments_of(memory)
    month = month_of(memory, date(2026, 1, 1), 3, 2, moments)
    assert (month.month, month.sessions) == ("2026-01", 2)
    assert [one.session for one in month.talks] == ["short", "long"]
    assert [(one.person, one.value) for one in month.moments] == [("Ana", "Fernwood")]
    assert month.moments[0].source["quote"] in "I work at Fernwood." and month.moments[0].is_first_told
    assert month_of(memory, date(2025, 12, 1), 0, 0, moments).sessions == 0


def test_a_document_is_no_talk_of_a_month(memory, tmp_path):
    page = tmp_path / "diary.md"
    page.write_text("# Diary\n\n## 7 January 2026\n\nThe rain fell on the harbour all day.\n", encoding="utf-8")
    memory.remember_session("c", "a", talk("Ana: Hello."))
    memory.documents.ingest(page)
    month = month_of(memory, date(2026, 1, 1), 3, 2, [])
    assert [one.conversation for one in month.talks] == ["c"]
    assert (month.sessions, month.documents) == (1, 1)


def test_many_sessions_of_one_week_do_not_lie_upon_each_other(memory):
    for n in range(3 * MAX_LANES):
        at = START + timedelta(hours=n) if n else START - timedelta(days=700)
        memory.remember_session(f"c{n}", "s", [Turn("Ana", f"Thing {n} and {m}.", at, f"{n}.{m}") for m in range(3)])
    segments = memory.browse.segments(limit=1_000)
    placed = place_in_lanes(segments)
    at = [(round(x), round(y)) for x, y, _ in placed.places.values()]
    assert len(set(at)) == len(segments)
    assert placed.height < 26 * 2 * MAX_LANES  # rows are shared, though all but one began in two days
    starts = [placed.places[one.id][0] for one in segments if one.index == 0]
    assert starts == sorted(starts)  # an earlier session stands further left


def test_what_a_question_found_is_in_the_picture_wherever_it_is(memory):
    memory.remember_session("old", "s", talk("Ana: The key is under the pot.", "Ben: Which pot?"))
    memory.remember_session("new", "s", talk("Ana: It rains.", day=300, prefix="u"), title="Weather")
    latest = memory.browse.segments(newest_first=True, limit=1)
    key = memory.recall("Where is the key?", 1, recipe="bm25").candidates[0].segment_id
    told = drawn_lanes(memory, latest, [key])
    assert {node["id"]: node["lit"] for node in told["nodes"]} == {latest[0].id: None, key: 1}
    assert [band["name"] for band in told["lanes"]["bands"]] == ["old", "Weather"]
    assert drawn_lanes(memory, [], []) == {"nodes": [], "edges": [], "lanes": None}

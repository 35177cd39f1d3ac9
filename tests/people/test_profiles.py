"""Pages about people: what was said of somebody has its place by the title that readers know."""

from __future__ import annotations

from tests.conftest import talk


def test_claims_have_the_titles_of_their_conversations(memory):
    memory.remember_session("5c2f7c9e", "s", talk("Ana: I work at Fernwood.", "Ana: I love sailing."), title="New job")
    memory.remember_session("untitled", "s", talk("Ana: I live in Bath.", day=1, prefix="u"))
    memory.remember_session("9b1d", "s", talk("Ana: I work at Brightwater now.", day=2, prefix="v"), title="Moved on")
    memory.claims.extract()
    claims, _ = memory.profiles.claims("Ana")
    assert {one["conversation"]: one["title"] for one in claims} == {
        "5c2f7c9e": "New job",
        "untitled": None,
        "9b1d": "Moved on",
    }
    page = memory.profiles.get("Ana")
    sources = [one for lane in page["lanes"] for period in lane["periods"] for one in period["sources"]]
    assert {"New job", "Moved on"} <= {one["title"] for one in sources}
    assert all("title" in one for side in page["known"].values() for one in side)
    assert all("title" in side for one in page["conflicts"] for side in (one["earlier"], one["later"]))

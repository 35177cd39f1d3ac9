"""link, unlink, links and feedback as a user meets them."""

from __future__ import annotations

import json

import pytest

from engramma.language.handles import handle_of
from tests.commands import ran

TALK = """--- 2026-02-03 18:00 ---
Ana: We booked the night train to Vienna for the 4th of March.
--- 2026-02-20 08:30 ---
Ben: Bad news: the night train is cancelled.
"""


@pytest.fixture
def run(tmp_path):
    def call(*arguments, ok=True):
        result = ran("--store", tmp_path / "store", *arguments, cwd=tmp_path)
        assert "Traceback" not in result.stderr
        assert (result.returncode == 0) == ok, result.stderr
        return result

    return call


@pytest.fixture
def ids(run, tmp_path):
    """What was booked and that it was cancelled."""
    (tmp_path / "trip.txt").write_text(TALK, encoding="utf-8")
    run("import", "trip.txt")
    found = json.loads(run("recall", "the night train", "--json").stdout)
    return tuple(c["segment_id"] for c in sorted(found["candidates"], key=lambda c: c["said_at"]))


def test_a_link_from_making_to_taking_away(run, ids):
    booked, cancelled = ids
    made = run("link", cancelled, "contradicts", booked, "--weight", 0.8, "--label", "since", "--author", "Ana").stdout
    assert made == f"{cancelled} contradicts {booked}  0.80  “since”  by Ana\n"
    assert run("links").stdout == run("links", booked, "--kind", "contradicts").stdout == made
    (listed,) = json.loads(run("links", "--json").stdout)
    assert (listed["source"], listed["kind"], listed["weight"], listed["author"]) == (
        cancelled,
        "contradicts",
        0.8,
        "Ana",
    )
    shown = run("recall", "We booked the night train to Vienna", "-k", 1, "--full", "--explain").stdout
    assert f"| contradicted by {handle_of(cancelled)}]" in shown and f"contradicts {handle_of(booked)}" in shown
    assert f"reached by link, contradicts {booked}, weight 0.80" in shown
    assert json.loads(run("unlink", cancelled, "contradicts", booked, "--json").stdout) == {"removed": True}
    gone = run("unlink", cancelled, "contradicts", booked, ok=False)
    assert gone.returncode == 1 and "There is no such link" in gone.stderr
    assert run("links").stdout == "" and json.loads(run("links", "--json").stdout) == []


def test_a_wrong_link_is_refused(run, ids):
    wrong = run("link", ids[0], "likes", ids[1], ok=False)
    assert wrong.returncode == 1 and "Known: related_to, supports" in wrong.stderr and wrong.stdout == ""


def test_feedback_says_which_links_moved(run, ids):
    booked, cancelled = ids
    question = ("We booked the night train to Vienna", cancelled, "-k", 1)
    counted = run("feedback", question[0], booked, "-k", 1)
    assert counted.stdout == "" and "1 use counted; this answer followed no links." in counted.stderr
    run("link", cancelled, "contradicts", booked, "--weight", 0.5)
    moved = run("feedback", *question)
    assert moved.stdout == f"{cancelled} contradicts {booked}  0.500 -> 0.600  led to a useful segment\n"
    (link,) = json.loads(run("feedback", question[0], booked, "-k", 1, "--json").stdout)["links"]
    assert (link["used"], link["from"], link["to"]) == (False, 0.6, pytest.approx(0.5725))
    assert "0.57 (0.50)" in run("links").stdout
    wrong = run("feedback", "train", "seg_trip/9_9", ok=False)
    assert wrong.returncode == 1 and "did not bring back 'seg_trip/9_9'" in wrong.stderr

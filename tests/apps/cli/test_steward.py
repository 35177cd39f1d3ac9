"""`engramma steward`, `acts` and `undo` as a user meets them."""

from __future__ import annotations

import json

import pytest

from tests.commands import ran


@pytest.fixture
def run(tmp_path):
    def call(*arguments):
        result = ran("--store", tmp_path / "store", *arguments, cwd=tmp_path)
        assert "Traceback" not in result.stderr
        return result

    return call


def test_plan_apply_look_and_undo(run):
    for text, options in (
        ("The boiler in the cellar leaks and needs a new valve.", ()),
        ("We should replace the valve of the leaking boiler in the cellar.", ()),
        ("The parcel comes on Tuesday.", ("--at", "2025-01-01T09:00:00Z", "--ttl", "7d")),
    ):
        assert run("remember", text, *options).returncode == 0
    planned = run("steward")
    assert planned.returncode == 0
    assert "expire: kept until 2025-01-08 09:00 UTC" in planned.stdout
    assert "and the same facts; kept note_" in planned.stdout
    assert "The parcel comes on Tuesday." in planned.stdout
    assert "plan: expire 1, merge 1" in planned.stdout
    assert "1 of 3 notes would remain" in planned.stdout
    assert "Nothing was changed" in planned.stderr
    assert run("acts").stdout == ""

    done = json.loads(run("steward", "--apply", "--limit", 1, "--json").stdout)
    assert (done["counts"]["merge"], done["counts"]["expire"], done["is_applied"]) == (1, 1, True)
    assert [act["kind"] for act in done["acts"]] == ["expire", "merge"]
    assert run("steward", "--apply").stdout.splitlines() == ["done: nothing to do", "1 of 1 notes remain"]

    listed = run("acts", "--limit", 1).stdout.splitlines()
    assert len(listed) == 1 and " merge " in listed[0]
    assert run("undo", 2).stdout == "Undid act 2 (merge).\n"
    assert "(undone " in run("acts", "--limit", 1).stdout
    again = run("undo", 2)
    assert (again.returncode, again.stdout) == (1, "") and "was already undone" in again.stderr
    assert run("undo", "--all").stdout == "Undid 1 act.\n"
    assert run("undo", 77).returncode == 1
    assert "There is nothing to undo." in run("undo").stderr
    assert run("undo", 1, "--all").returncode == 2
    assert run("steward", "--limit", -1).returncode == 1
    assert run("doctor").returncode == 0


def test_undo_does_not_pass_over_a_purge_in_silence(run):
    for words in ("The boiler in the cellar leaks.", "The parcel comes on Tuesday."):
        run("remember", words)
    run("forget", "--query", "boiler", "--yes")
    run("purge", "--query", "parcel", "--yes")
    for more in ((), ("--yes",)):
        refused = run("undo", *more)
        assert refused.returncode == 1 and "(purge), which cannot be undone. `engramma undo 1`" in refused.stderr
    assert run("undo", 1).stdout == "Undid act 1 (forget).\n"


def test_without_a_number_the_latest_act_is_undone_and_named(run, monkeypatch):
    assert run("remember", "The boiler in the cellar leaks.").returncode == 0
    assert "There is nothing to undo." in run("undo").stderr
    assert json.loads(run("undo", "--json").stdout) == []
    for words in ("boiler", "cellar"):
        run("forget", "--query", words, "--yes")
        run("undo", 1) if words == "boiler" else None
    asked = run("undo")  # no terminal to ask in
    assert (asked.returncode, asked.stdout) == (1, "") and "`engramma undo 2` or" in asked.stderr
    undone = run("undo", "--yes")
    assert (undone.returncode, undone.stdout) == (0, "Undid act 2 (forget).\n")
    assert "forget       1 turn forgotten on request" in undone.stderr
    assert "There is nothing to undo." in run("undo").stderr

    run("forget", "--query", "boiler", "--yes")
    monkeypatch.setattr("engramma.apps.cli.steward.is_terminal", lambda: True)
    refused = run("undo")  # nobody answers
    assert (
        refused.returncode == 1 and "Undo this?" in refused.stderr and "(undone" not in run("acts", "--limit", 1).stdout
    )
    assert run("undo", "--yes").stdout == "Undid act 3 (forget).\n"


@pytest.mark.parametrize(
    "line", [("acts", "--limit", 10**20), ("users", "add", "ana", "--grant", "default=read", "--days", "1e300")]
)
def test_a_number_beyond_all_bounds_is_a_wrong_command_line(tmp_path, line):
    refused = ran("--store", tmp_path, *line)
    assert refused.returncode == 2 and "Invalid value" in refused.stderr

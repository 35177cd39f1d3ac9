"""Of what fits a prompt as well, talk of the project at hand comes first; talk of others stays."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn
from engramma.apps.http.hook_context import K, of_project_first

from .calling import call, context, serve_as_daemon

SAID = datetime(2026, 5, 1, 9, tzinfo=UTC)
KITES = [
    ("How do we run the tests?", "The tests run with make check, which starts Postgres first."),
    ("The tests are flaky since Monday.", "The retry test waits for the queue; I gave it a fake clock."),
    ("Where does the deploy script live?", "tools/launch.sh deploys to the Lisbon servers."),
]
BOATS = [
    ("How do we run the tests?", "The tests run with npm test, and in the browser with playwright."),
    ("The tests are slow, can you speed them up?", "I split the browser tests over four workers."),
    ("Where does the deploy script live?", "scripts/deploy.ts pushes the image to the registry."),
    ("Do we lint before the tests?", "Yes, npm run lint runs before the tests in the pipeline."),
    ("How long do the tests of the map take?", "The tests of the map take forty seconds."),
    ("Which tests may be skipped?", "The tests marked slow may be skipped on a branch."),
    ("What did we agree about feature flags?", "Flags live in flags.json and go within a month."),
]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("projects")) as memory:
        for project, rows in (("kites", KITES), ("boats", BOATS)):
            for number, (asked, answer) in enumerate(rows):
                at = SAID + timedelta(days=number)
                talk = [Turn("user", asked, at), Turn("assistant", answer, at + timedelta(minutes=1))]
                memory.remember_session(f"{project}-{number}", "s", talk, title=f"{project}: {asked}")
        yield memory


def brought(memory, prompt, folder):
    found = of_project_first(memory.recall(prompt, 2 * K).candidates, folder)
    return [one.conversation_id for one in found if one.role == "entry"]


@pytest.mark.parametrize("prompt", ["How do I run the tests here?", "where is the deploy script?"])
def test_each_project_gets_its_own_first_and_the_other_beside_it(memory, prompt):
    for folder, own, other in (("/home/ana/kites", "kites", "boats"), (r"C:\\src\\Boats\\web", "boats", "kites")):
        found = brought(memory, prompt, folder)
        assert found[0].startswith(own) and any(one.startswith(other) for one in found) and len(found) <= K
    assert brought(memory, prompt, "/home/ana/other") == brought(memory, prompt, "")


def test_what_is_clearly_meant_comes_first_wherever_it_was_said(memory):
    assert brought(memory, "what did we agree about feature flags?", "/home/ana/kites")[0] == "boats-6"


@pytest.mark.long
def test_the_hook_tells_the_folder_and_does_without_where_the_daemon_is_older(tmp_path):
    def refuse_folders(handler):
        status = 422 if "folder" in asked[-1][2] else 200
        handler.send_response(status)
        handler.end_headers()
        handler.wfile.write(json.dumps({"context": "remembered"}).encode())

    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Where does the deploy script live?"}
    with serve_as_daemon(tmp_path, refuse_folders) as asked:
        assert context(call(tmp_path, prompt | {"cwd": "/home/ana/kites"}, "--seconds", "20")) == "remembered"
        assert [one[2].get("folder") for one in asked] == ["/home/ana/kites", None]
        assert context(call(tmp_path, prompt, "--seconds", "20")) == "remembered"
        assert len(asked) == 3 and "folder" not in asked[-1][2]

"""`engramma mcp` as a process: stdout carries the protocol alone, and whatever comes in, it answers on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engramma import Memory

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def asked(id: int, tool: str, **arguments) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def talk_to(store, lines: list[object], *options: str) -> tuple[dict[int, dict], str]:
    """Answers by id, and what was logged; each line of stdout has to be a message."""
    sent = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    process = subprocess.Popen(
        [*COMMAND, "mcp", "--store", str(store), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdin and process.stdout and process.stderr
    with process:
        wanted = {line["id"] for line in lines if isinstance(line, dict) and "id" in line}
        process.stdin.write(sent)
        process.stdin.flush()
        answers: dict[int, dict] = {}
        while not wanted <= answers.keys():
            line = process.stdout.readline()
            assert line, process.stderr.read()
            message = json.loads(line)
            if message.get("id") is not None:
                answers[message["id"]] = message
        process.stdin.close()
        rest = process.stdout.read()
        logged = process.stderr.read()
        assert process.wait(30) == 0 and all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    return answers, logged


@pytest.mark.long
def test_bad_lines_do_not_end_it_and_nothing_said_is_logged(tmp_path):
    deep = '{"a":' * 2_000 + "1" + "}" * 2_000
    lines: list[object] = [
        HELLO,
        READY,
        "this is no JSON, but marmalade",
        '{"jsonrpc":"2.0","marmalade":',
        "[1,2,3]",
        deep,
        json.dumps(asked(2, "memory_add", text="half marmalade \ud800")),
        asked(3, "memory_add", text="The colour of the cellar door is marmalade."),
        asked(4, "memory_add", text="marmalade" * 1_000_000),
        asked(5, "memory_add", text="marmalade \0"),
        asked(6, "memory_nothing", text="marmalade"),
    ]
    answers, logged = talk_to(tmp_path / "store", lines, "--namespace", "work")
    assert answers[1]["result"]["serverInfo"]["name"] == "engramma"
    assert answers[3]["result"]["structuredContent"]["is_new"]
    assert all(answers[n]["result"]["isError"] for n in (4, 5, 6))
    assert "marmalade" not in logged
    with Memory.open(tmp_path / "store", "work") as memory:
        assert [note.text for note in memory.notes.all()] == ["The colour of the cellar door is marmalade."]
    with Memory.open(tmp_path / "store") as memory:
        assert memory.notes.all() == []


@pytest.mark.long
def test_options_choose_the_tools(tmp_path):
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    answers, _ = talk_to(tmp_path / "store", [HELLO, READY, ask], "--compat", "reference", "--read-only")
    assert {tool["name"] for tool in answers[2]["result"]["tools"]} == {"read_graph", "search_nodes", "open_nodes"}
    assert not (tmp_path / "store").exists()

"""Whatever is wrong, a hook ends with 0, soon, and says nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from engramma.apps.daemon.folder import place_in, read_json
from engramma.apps.daemon.spool import Spool
from engramma.apps.hooks import main

from .calling import HOOK, call, context, put_state, serve_as_daemon

pytestmark = pytest.mark.long

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Where does the deploy script live?"}


@pytest.fixture
def store(tmp_path):
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


def silent(result):
    assert (result.rc, result.out, result.err) == (0, b"", b"")


GARBAGE = [
    b"",
    b"\xff\xfe\x00",
    b"{",
    b"[]",
    b"null",
    b'"Stop"',
    b"[" * 100_000,
    b'{"hook_event_name": []}',
    b'{"hook_event_name": "PreToolUse", "prompt": "a longer prompt"}',
    b'{"hook_event_name": "UserPromptSubmit", "prompt": 7}',
    b'{"hook_event_name": "Stop", "transcript_path": {"a": 1}}',
    b'{"hook_event_name": "SessionEnd", "transcript_path": "/nowhere/at\\u0000all.jsonl"}',
]


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_ignored(store, data):
    silent(call(store, data))
    assert not (store / "daemon" / "spool").exists()


def test_huge_input_is_read_to_its_end_and_ignored(store):
    silent(call(store, b'{"hook_event_name": "UserPromptSubmit", "prompt": "' + b"x" * (20 << 20) + b'"}'))


def test_a_hook_that_nobody_feeds_ends(store):
    begun = time.perf_counter()
    process = subprocess.Popen([*HOOK, "--store", str(store), "--seconds", "0.1"], stdin=subprocess.PIPE)
    assert process.wait(timeout=20) == 0
    assert time.perf_counter() - begun < 15
    process.stdin.close()


def test_no_daemon_no_store_no_token(store, tmp_path):
    silent(call(tmp_path / "nowhere", PROMPT))
    assert not (tmp_path / "nowhere").exists()  # a hook makes no memory
    silent(call(store, PROMPT))
    put_state(store, 1)  # nobody listens there
    silent(call(store, PROMPT))
    assert "ConnectionRefusedError" in (store / "daemon" / "hook.log").read_text()
    (store / "daemon" / "token").unlink()
    silent(call(store, PROMPT))


def test_a_dead_daemons_port_is_not_shown_the_token(store):
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    with serve_as_daemon(store, lambda handler: handler.send_error(500)) as asked:
        put_state(store, read_json(place_in(store).state)["port"], gone.pid)
        silent(call(store, PROMPT))
    assert asked == []


def answers(body: bytes, code: int = 200):
    def reply(handler):
        handler.send_response(code)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


ODD = [
    answers(b"not json"),
    answers(b"[]"),
    answers(b'{"candidates": 3}'),
    answers(b'{"candidates": [1, {}, {"text": 1}]}'),
    answers(b'{"candidates": []}'),
    answers(b'{"title": "Unauthorized"}', 401),
    answers(b"boom", 500),
    lambda handler: handler.wfile.write(b"\0\1\2"),
]


@pytest.mark.parametrize("reply", ODD, ids=range(len(ODD)))
def test_odd_replies_are_ignored(store, reply):
    with serve_as_daemon(store, reply) as asked:
        silent(call(store, PROMPT, "--seconds", "10"))
    assert len(asked) == 1


@pytest.mark.parametrize("drips", [False, True], ids=["silent", "dripping"])
def test_a_slow_daemon_is_given_up(store, drips):
    ended = threading.Event()

    def reply(handler):
        while not ended.wait(0.05):
            try:
                handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" if drips else b"")
            except OSError:
                return

    with serve_as_daemon(store, reply) as asked:
        result = call(store, PROMPT, ENGRAMMA_HOOK_SECONDS="0.5")
        ended.set()
    silent(result)
    assert result.took < 15
    assert len(asked) == 1
    log = (store / "daemon" / "hook.log").read_text()
    assert "UserPromptSubmit TimeoutError after" in log and "deploy" not in log


def test_the_log_stays_small_and_private(store):
    put_state(store, 1)
    log = store / "daemon" / "hook.log"
    log.write_text("x" * (main.MOST_LOG + 1))
    silent(call(store, PROMPT))
    assert log.stat().st_size < 200 and log.stat().st_mode & 0o077 == 0


def test_a_full_or_unwritable_spool_is_not_the_users_problem(store, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("{}\n")
    (store / "daemon").mkdir()
    (store / "daemon" / "spool").write_text("a file where a folder should be")
    silent(call(store, {"hook_event_name": "Stop", "transcript_path": str(transcript)}))
    assert "Stop" in (store / "daemon" / "hook.log").read_text()


def test_captures_name_the_transcript_and_hold_no_word_of_it(store, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"message": "the words"}\n')
    stop = {"hook_event_name": "Stop", "transcript_path": str(transcript), "last_assistant_message": "the words"}
    silent(call(store, stop, "--namespace=work"))
    silent(call(store, {**stop, "hook_event_name": "SessionEnd"}, "--namespace", "work"))
    (item,) = Spool(place_in(store).spool).items()  # no daemon runs: said once is enough
    assert item.kind == "transcript"
    assert item.value == {"path": str(transcript), "format": "claude-code", "namespace": "work"}
    assert "the words" not in item.path.read_text()
    put_state(store, 1)  # a daemon that may be reading the first one just now
    silent(call(store, stop, "--namespace", "work"))
    assert Spool(place_in(store).spool).waiting()[0] == 2
    silent(call(store, {**stop, "transcript_path": str(tmp_path / "missing.jsonl")}))
    (store / "daemon" / "paused").write_text("")
    silent(call(store, stop))
    (store / "daemon" / "paused").write_text("2999-01-01T00:00:00+00:00")
    silent(call(store, stop))
    assert Spool(place_in(store).spool).waiting()[0] == 2
    (store / "daemon" / "paused").write_text("2020-01-01T00:00:00+00:00")
    silent(call(store, stop))
    assert Spool(place_in(store).spool).waiting()[0] == 3


BLOCK = json.dumps({"context": "<engramma-memory-a>\n> ä\n</engramma-memory-a>"}).encode()


def test_what_the_daemon_renders_is_handed_on_as_it_is(store):
    with serve_as_daemon(store, answers(BLOCK)) as asked:
        text = context(call(store, PROMPT, "--namespace", "my team", "--seconds", "10"))
        start = {"hook_event_name": "SessionStart", "source": "startup", "cwd": "/home/ana/kites"}
        assert context(call(store, start, "--seconds", "10")) == text
    assert text == json.loads(BLOCK)["context"]
    path, headers, question = asked[0]
    assert path == "/api/hook?namespace=%6D%79%20%74%65%61%6D" and headers["Authorization"] == "Bearer secret-token"
    assert question == {"event": "prompt", "query": PROMPT["prompt"], "conversation": "s"}
    assert asked[1][2] == {"event": "start", "query": "kites", "earlier": []}


def test_prompts_that_ask_for_nothing_are_not_asked(store):
    with serve_as_daemon(store, answers(BLOCK)) as asked:
        for prompt in ("ok", "/compact now please", "!ls -la", "   "):
            silent(call(store, {**PROMPT, "prompt": prompt}))
        silent(call(store, {"hook_event_name": "SessionStart", "source": "resume", "cwd": "/home/ana/kites"}))
        assert asked == []
        assert context(call(store, {**PROMPT, "prompt": "风筝为什么掉下来"}, "--seconds", "10"))
        assert context(call(store, {**PROMPT, "prompt": "half \ud800 a letter\0"}, "--seconds", "10"))


def test_the_store_is_found_as_the_command_finds_it(tmp_path, monkeypatch):
    from engramma.config.settings import default_store_path

    for name in ("ENGRAMMA_STORE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for variables in ({}, {"XDG_DATA_HOME": str(tmp_path / "data")}, {"ENGRAMMA_STORE": str(tmp_path / "mine")}):
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        default_store_path().mkdir(parents=True)
        assert main.find_daemon_folder({}) == place_in(default_store_path())
    assert main.find_daemon_folder({"store": str(tmp_path)}) == place_in(tmp_path)


def test_nothing_heavy_is_imported(store, tmp_path):
    (tmp_path / "t.jsonl").write_text("{}\n")
    code = (
        "import sys, time; from engramma.apps.hooks import main, recall, capture\n"
        f"place = main.place_of({{'store': {str(store)!r}}})\n"
        f"capture.capture(place, {{'transcript_path': {str(tmp_path / 't.jsonl')!r}}}, '')\n"
        "print(*{name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=paths())
    assert set(done.stdout.split()) <= {"engramma", "__main__"}, done.stderr


def paths():
    import engramma

    return {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(engramma.__file__))}  # noqa: PTH120


def test_a_hook_is_quick():
    """Without the recall: less than 150 ms on an idle machine, told here as multiples of an empty interpreter."""
    code = [sys.executable, "-c", "pass"]

    def cpu(command, data=b""):
        times = []
        for _ in range(7):
            before = os.times()
            subprocess.run(command, input=data, capture_output=True, check=True)
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return min(times)

    stop = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "Where is the script?"}).encode()
    assert cpu([*HOOK, "--store", "/tmp"], stop) < 8 * max(cpu(code), 0.01)

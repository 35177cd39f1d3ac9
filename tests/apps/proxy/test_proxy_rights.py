"""What a key of the proxy may do: capture talk into conversations of its own, and read only where it has that right."""

from __future__ import annotations

import json
from random import Random

import httpx2
import pytest

from engramma import Memory, Turn
from engramma.apps.daemon.folder import inject_key, proxy_key
from engramma.language.times import from_micros
from tests.apps.proxy.talking import chat, exchange, item_of, remember, told
from tests.commands import ran
from tests.fakes import HashEmbedder

AWS = "AKIA" + "Q3EG7ZTNB5WKD2XJ"


def by_hand(memory: Memory, conversation: str) -> None:
    memory.remember_session(conversation, "one", [Turn("Ann", "Pay account 111.", from_micros(10**15), "t1")])


@pytest.mark.parametrize("header", ["x_engramma_session", "x_claude_code_session_id"])
def test_captured_talk_never_enters_a_conversation_that_others_made(memory, header):
    by_hand(memory, "bank")
    by_hand(memory, "captured:bank")  # nor by the name that the capture itself would give it
    remember(memory, chat(["Pay account 999."], "Done.", **{header: "bank"}))
    remember(memory, chat(["Pay account 999.", "Done.", "Thanks"], "Welcome.", at=1, **{header: "bank"}))
    assert told(memory) == {
        "bank": ["Pay account 111."],
        "captured:bank": ["Pay account 111."],
        "captured:bank~2": ["Pay account 999.", "Done.", "Thanks", "Welcome."],
    }


def test_nor_by_the_name_that_a_body_gives_it(memory):
    by_hand(memory, "bank")
    request = {"model": "m", "input": "Pay account 999.", "conversation": {"id": "bank"}}
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}]
    remember(memory, exchange("responses", request, {"id": "r1", "model": "m", "output": output}))
    assert told(memory)["bank"] == ["Pay account 111."]
    assert told(memory)["captured:bank"] == ["Pay account 999.", "Done."]


def test_what_follows_a_reply_of_a_named_conversation_stays_with_the_capture(memory):
    def response(id: str, said: str, text: str, at: float, **fields):
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
        return exchange("responses", {"input": said, **fields}, {"id": id, "output": output}, at)

    remember(memory, response("r1", "Hi", "Hello!", 0, conversation="bank"))
    remember(memory, response("r2", "Go on", "Yes", 1, previous_response_id="r1"))
    assert all(name.startswith("captured:") for name in told(memory))


def test_listings_show_that_talk_was_captured(tmp_path):
    with Memory.open(tmp_path, embedder=HashEmbedder()) as memory:
        by_hand(memory, "bank")
        remember(memory, chat(["Hi"], "Hello!", x_engramma_session="one"))
    rows = {
        row["conversation"]: row["source"] for row in json.loads(ran("--store", tmp_path, "sessions", "--json").stdout)
    }
    assert rows == {"bank": None, "captured:one": "proxy"}
    lines = ran("--store", tmp_path, "sessions").stdout.splitlines()
    assert [line.endswith("(from proxy)") for line in sorted(lines, key=len)] == [False, True]
    shown = ran("--store", tmp_path, "show", "captured:one").stdout
    assert "(from proxy)" in shown.splitlines()[0]


def test_ids_that_clients_give_are_masked_before_they_are_spooled(memory):
    long = "x" * 190 + " " + AWS  # the bound must not cut a secret so that it is none any more
    request = {"input": "Hi", "previous_response_id": AWS, "conversation": long}
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}]
    item = item_of(memory, exchange("responses", request, {"id": f"{AWS}-2", "output": output}))
    written = json.dumps(item)
    assert AWS not in written and AWS[:5] not in written
    assert item["previous"].startswith("[redacted:") and item["reply_id"].endswith("-2")
    memory.ingest.store_exchange(item)
    found = [path for path in memory.path.rglob("*") if path.is_file() and AWS.encode() in path.read_bytes()]
    assert found == []


def test_replies_are_followed_by_their_masked_ids(memory):
    def response(id: str, said: str, text: str, at: float, previous: str | None = None):
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
        request = {"input": said, **({"previous_response_id": previous} if previous else {})}
        return exchange("responses", request, {"id": id, "output": output}, at)

    other = AWS[:-1] + "K"
    remember(memory, response(AWS, "Hi", "Hello!", 0), response(other, "Ho", "Hallo!", 0.5))
    remember(memory, response("r2", "ok", "Fine.", 1, AWS), response("r3", "so", "Well.", 2, other))
    assert sorted(told(memory).values()) == [["Hi", "Hello!", "ok", "Fine."], ["Ho", "Hallo!", "so", "Well."]]


def test_a_name_that_no_file_can_hold_costs_no_talk(memory):
    request = {"input": "Hi", "previous_response_id": "a\ud800b", "conversation": "c\ud800\x00d"}
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}]
    remember(memory, exchange("responses", request, {"id": "e\udfff", "output": output}))
    assert told(memory) == {"captured:cd": ["Hi", "Hello"]}


# --- putting memory into requests -----------------------------------------------------------------


@pytest.fixture
def injecting(tmp_path):
    """A proxy that injects, before a provider that keeps the last request it got."""
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[3] / "evaluate" / "bench"))
    import proxy as bench
    from proxy_upstream import reply, serving

    seen = {}

    async def upstream(scope, receive, send):
        if scope["type"] != "http":
            raise NotImplementedError
        whole = b""
        while (message := await receive()).get("more_body"):
            whole += message["body"]
        seen["body"] = whole + message.get("body", b"")
        script = reply("completions", "Hello", False, Random(1))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": script.body})

    with Memory.open(tmp_path) as memory:
        memory.remember("Ada lives in Leeds, in Mill Lane.")
    with serving(upstream) as port:
        daemon = bench.daemon_for(tmp_path, port, bench.Frames())
        object.__setattr__(daemon.settings, "inject", True)
        proxy = bench.proxy_app(daemon)
        proxy.injector.seconds = 60.0  # the first recall loads the encoder
        with serving(proxy) as own:

            def ask(key: str, **headers: str) -> str:
                url = f"http://127.0.0.1:{own}/p/{key}/openai/v1/chat/completions"
                body = {"model": "m", "messages": [{"role": "user", "content": "Where does Ada live?"}]}
                assert httpx2.post(url, json=body, headers=headers, timeout=90).status_code == 200
                return seen["body"].decode()

            yield daemon, ask
        daemon.memories.close()


def test_the_capture_key_reads_nothing_though_the_daemon_injects(injecting):
    daemon, ask = injecting
    assert "Mill Lane" not in ask(proxy_key(daemon.token))
    assert "Mill Lane" not in ask(proxy_key(daemon.token), **{"X-Engramma-Token": "wrong"})
    assert "Mill Lane" in ask(inject_key(daemon.token))
    assert "Mill Lane" in ask(proxy_key(daemon.token), **{"X-Engramma-Token": daemon.token})
    assert proxy_key(daemon.token) != inject_key(daemon.token)


def test_a_users_key_reads_nothing_and_their_token_what_they_may_read(injecting):
    daemon, ask = injecting
    bob = daemon.memory.team.add("bob", {"default": "write"})
    eve = daemon.memory.team.add("eve", {})
    assert "Mill Lane" not in ask(f"{bob.proxy_key}", **{"X-Engramma-Namespace": "default"})
    both = {"X-Engramma-Namespace": "default", "X-Engramma-Token": bob.token}
    assert "Mill Lane" in ask(f"{bob.proxy_key}", **both)
    assert "Mill Lane" not in ask(proxy_key(daemon.token), **{"X-Engramma-Token": f"{bob.token}x"})
    assert "Mill Lane" not in ask(proxy_key(daemon.token), **{"X-Engramma-Token": eve.token})  # not hers to read

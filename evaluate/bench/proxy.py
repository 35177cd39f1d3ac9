"""The capture proxy: are the bytes the same, is everything remembered once, and how much later does a reply come?

    python evaluate/bench/proxy.py [--exchanges 1000] [--streams 50] [--seed 7] [--json OUT]

The real SDKs (openai, anthropic, ollama) and a plain client speak through the proxy to a local provider that plays
scripted replies: errors, gzip, pings, 10 MB bodies, bodies that are no JSON, connections that end in the middle. Then
the same streams go directly and through the proxy, in one run, to a provider that takes 200 ms to the first token and
20 ms for each further one.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import httpx2
from proxy_upstream import Script, Upstream, packed, reply, serving

from engramma.apps.daemon.folder import place_in, proxy_key, token_of
from engramma.apps.daemon.memories import Memories
from engramma.apps.daemon.settings import DaemonSettings
from engramma.apps.daemon.spool import Spool
from engramma.apps.daemon.state import Daemon
from engramma.apps.proxy import proxy_app
from engramma.apps.proxy.capture import as_item, read_exchange
from engramma.apps.proxy.exchange import Exchange
from engramma.memory import Memory

WORDS = ("tea", "rain", "Leeds", "Ada", "“quoted”", "naïve", "日本", "🙂", "a=b", "{x}", "[y]", "<z>", "//", "\\", "42")
PROVIDERS = ("openai", "anthropic", "ollama")
TALKS = (("openai", "completions"), ("openai", "responses"), ("anthropic", "messages"), ("ollama", "chat"))
LARGE = 10_000_000


class Frames:
    """A scribe that keeps what it is offered."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def offer(self, frame: bytes) -> bool:
        self.frames.append(frame)
        return True

    def counts(self) -> dict[str, int]:
        return {"taken": len(self.frames)}


def daemon_for(folder: Path, port: int, scribe: Any) -> Daemon:
    place = place_in(folder)
    settings = DaemonSettings(upstreams=dict.fromkeys(PROVIDERS, f"http://127.0.0.1:{port}"))
    return Daemon(folder, place, Memories(folder), Spool(place.spool), scribe, token_of(place), settings)


@contextmanager
def proxied(folder: Path) -> Iterator[tuple[Upstream, Frames, str, Any]]:
    """(the provider, the scribe, the proxy's base URL, the proxy), all running."""
    upstream, scribe = Upstream(), Frames()
    with serving(upstream) as port:
        daemon = daemon_for(folder, port, scribe)
        proxy = proxy_app(daemon)
        with serving(proxy) as own:
            yield upstream, scribe, f"http://127.0.0.1:{own}/p/{proxy_key(daemon.token)}", proxy


# --- bytes ---------------------------------------------------------------------------------------


def plain_exchange(rng: random.Random, number: int, upstream: Upstream, base: str, client: httpx2.Client) -> str:
    """One exchange of a plain client; returns its kind, raises AssertionError if a byte differs."""
    kind = rng.choice(("errors", "gzip", "pings", "large", "not JSON", "cut", "empty", "chunked", "HEAD"))
    if kind == "large" and rng.random() < 0.8:
        kind = "not JSON"  # ten megabytes now and then are enough
    name = f"plain-{number}"
    body, method = rng.randbytes(rng.randint(0, 5000)), rng.choice(("POST", "PUT", "PATCH", "DELETE"))
    script = Script([rng.randbytes(rng.randint(1, 3000)) for _ in range(rng.randint(1, 9))], "application/octet-stream")
    if kind == "errors":
        script = Script([b'{"error": {"message": "no"}}'], status=rng.choice((400, 401, 404, 429, 500, 503, 529)))
        script.headers = [(b"retry-after", b"7"), (b"x-request-id", b"r1")]
    elif kind == "gzip":
        script = packed(script)
    elif kind == "pings":
        script = Script([b"event: ping\ndata: {}\n\n", b": \n\n"] * 20, "text/event-stream")
    elif kind == "large":
        body, script = rng.randbytes(LARGE), Script([rng.randbytes(LARGE)], sized=rng.random() < 0.5)
    elif kind == "cut":
        script.cut, script.sized = True, rng.random() < 0.5
    elif kind == "empty":
        body, method, script = b"", "GET", Script([], status=rng.choice((200, 204, 304)))
    elif kind == "HEAD":
        body, method, script = b"", "HEAD", Script([], headers=[(b"x-hello", b"1")])
    upstream.scripts[name] = script
    paths = (
        "/v1/messages",
        "/v1/chat/completions",
        "/api/chat",
        "/api/hello",
        "/v1/files/%2Fa%20b//c;d",
        "/v1/messages/count_tokens",
    )
    path, query = rng.choice(paths), rng.choice(("", "?beta=true", "?a=%2F&a=b+c&key=%F0%9F%99%82", "?"))
    content: Any = (body[n : n + 777] for n in range(0, len(body), 777)) if kind == "chunked" else body or None
    target = f"{base}/{rng.choice(PROVIDERS)}{path}{query}"
    request = client.build_request(method, target, content=content, headers={"x-script": name, "x-own": "kept"})
    got, broke = bytearray(), False
    response = client.send(request, stream=True)
    try:
        for chunk in response.iter_raw():
            got += chunk
    except httpx2.RemoteProtocolError:
        broke = True
    finally:
        response.close()
    seen = upstream.seen[name]
    assert seen.method == method
    assert seen.target == (path + (query if query != "?" else "")).encode(), seen.target
    assert seen.sha256 == hashlib.sha256(body).hexdigest(), "request"
    assert (b"x-own", b"kept") in seen.headers
    assert response.status_code == script.status
    assert bytes(got) == (b"" if method == "HEAD" else script.body), "reply"
    assert broke == script.cut, "how it ended"
    assert all((n.decode(), v.decode()) in response.headers.multi_items() for n, v in script.headers)
    return kind


# --- talk with the real SDKs -----------------------------------------------------------------------


class Tap(httpx2.BaseTransport):
    """Hashes what an SDK sends and what it gets."""

    def __init__(self) -> None:
        self.inner = httpx2.HTTPTransport()
        self.sent = ""
        self.got = b""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent = hashlib.sha256(request.read()).hexdigest()
        response = self.inner.handle_request(request)
        tap = self
        tap.got = b""

        class Stream(httpx2.SyncByteStream):
            def __init__(self) -> None:
                self.chunks = iter(response.stream)  # type: ignore[arg-type]

            def __iter__(self) -> Iterator[bytes]:
                for chunk in self.chunks:
                    tap.got += chunk
                    yield chunk

            def close(self) -> None:
                for _ in self:  # an SDK that has read enough leaves the rest
                    pass
                response.close()

        return httpx2.Response(
            response.status_code, headers=response.headers, stream=Stream(), extensions=response.extensions
        )

    def close(self) -> None:
        self.inner.close()


class Speakers:
    """One client of each SDK, all behind a tap but Ollama's."""

    def __init__(self, base: str) -> None:
        import anthropic
        import ollama
        import openai

        self.tap = Tap()
        client = httpx2.Client(transport=self.tap)
        self.openai: Any = openai.OpenAI(base_url=f"{base}/openai/v1", api_key="k", http_client=client, max_retries=0)
        self.anthropic: Any = anthropic.Anthropic(
            base_url=f"{base}/anthropic", api_key="k", http_client=client, max_retries=0
        )
        self.ollama: Any = ollama.Client(host=f"{base}/ollama")

    def close(self) -> None:
        for client in (self.openai, self.anthropic, self.ollama._client):
            client.close()

    def ask(self, api: str, script: str, history: list[dict[str, str]], stream: bool) -> str:
        """The answer as the SDK reads it."""
        given: Any = history
        got: Any
        if api == "completions":
            got = self.openai.chat.completions.create(model=script, messages=given, stream=stream)
            if not stream:
                return str(got.choices[0].message.content)
            return "".join(c.choices[0].delta.content or "" for c in got if c.choices)
        if api == "responses":
            got = self.openai.responses.create(model=script, input=given, stream=stream)
            if not stream:
                return str(got.output_text)
            return "".join(e.delta for e in got if e.type == "response.output_text.delta")
        if api == "messages":
            if not stream:
                got = self.anthropic.messages.create(model=script, max_tokens=9, messages=given)
                return "".join(block.text for block in got.content if block.type == "text")
            with self.anthropic.messages.stream(model=script, max_tokens=9, messages=given) as events:
                return "".join(events.text_stream)
        answer = self.ollama.chat(model=script, messages=given, stream=stream)
        return "".join(c.message.content or "" for c in answer) if stream else str(answer.message.content)


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(3, 25))) + f" #{rng.randrange(10**9)}"


def talk(rng: random.Random, number: int, upstream: Upstream, speakers: Speakers, most: int) -> tuple[list[str], int]:
    """A conversation of some exchanges; returns what was said, and how many."""
    provider, api = TALKS[number % len(TALKS)]
    history: list[dict[str, str]] = []
    exchanges = rng.randint(1, min(4, most))
    for turn in range(exchanges):
        name, text, stream = f"talk-{number}-{turn}", sentence(rng), rng.random() < 0.5
        script = reply(api, text, stream, rng)
        if rng.random() < 0.25:
            script = packed(script)
        upstream.scripts[name] = script
        history.append({"role": "user", "content": sentence(rng)})
        assert speakers.ask(api, name, history, stream) == text, (api, stream)
        if provider != "ollama":
            assert speakers.tap.sent == upstream.seen[name].sha256, "request"
            assert speakers.tap.got == script.body, "reply"
        history.append({"role": "assistant", "content": text})
    return [message["content"] for message in history], exchanges


def correctness(exchanges: int, seed: int, folder: Path, embedder: Any = None) -> dict[str, Any]:
    """Half of the exchanges by SDKs, half by a plain client; then everything is stored, twice and in disorder."""
    rng = random.Random(seed)
    kinds: Counter[str] = Counter()
    said: list[list[str]] = []
    with proxied(folder) as (upstream, scribe, base, proxy):
        speakers = Speakers(base)
        done = number = 0
        while done < exchanges // 2:
            words, count = talk(rng, number, upstream, speakers, exchanges // 2 - done)
            said.append(words)
            done, number = done + count, number + 1
        speakers.close()
        deadline = time.monotonic() + 10
        while len(scribe.frames) < done and time.monotonic() < deadline:
            time.sleep(0.01)  # a copy is handed over after the last byte of its reply
        talked = len(scribe.frames)
        with httpx2.Client(timeout=60) as client:
            for one in range(exchanges - done):
                kinds[plain_exchange(rng, one, upstream, base, client)] += 1
        counts = dict(proxy.counts)
    frames = scribe.frames[:talked]
    with Memory.open(folder, embedder=embedder) as memory:
        captured = [read_exchange(Exchange.from_bytes(frame)) for frame in frames]
        items = [as_item(one, memory._core.mask) for one in captured if one is not None]
        for item in items:
            memory.ingest.store_exchange(item)
        again = rng.sample(items, len(items))
        added = sum(memory.ingest.store_exchange(item).turns for item in again)
        found = sorted(
            [turn.text for session in one.sessions for turn in session.turns] for one in memory.conversations()
        )
    return {
        "exchanges": exchanges,
        "by the SDKs": done,
        "plain": dict(sorted(kinds.items())),
        "counts": counts,
        "conversations": len(said),
        "turns said": sum(map(len, said)),
        "turns stored": sum(map(len, found)),
        "stored as said": found == sorted(said),
        "added by storing all of it again": added,
    }


# --- latency ---------------------------------------------------------------------------------------


def model_process(ports: Any, tokens: int) -> None:
    """A provider that behaves like a model."""
    upstream = Upstream()
    rng = random.Random(1)
    script = reply("completions", " ".join(f"word{n}" for n in range(tokens)), True, rng)
    script = Script(script.chunks[:1] * tokens + script.chunks[-3:], script.kind, first=0.2, between=0.02)
    upstream.scripts = {"slow": script, "quick": Script([b"{}"], sized=True)}
    with serving(upstream) as port:
        ports.put(port)
        time.sleep(3600)


def proxy_process(ports: Any, port: int, folder: str) -> None:
    daemon = daemon_for(Path(folder), port, Frames())
    with serving(proxy_app(daemon)) as own:
        ports.put(f"http://127.0.0.1:{own}/p/{proxy_key(daemon.token)}/openai")
        time.sleep(3600)


async def one_stream(client: httpx2.AsyncClient, url: str, model: str) -> tuple[float, float]:
    """Seconds to the first byte and to the last."""
    began = time.perf_counter()
    first = 0.0
    body = {"model": model, "messages": [{"role": "user", "content": "Hi"}]}
    async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
        async for _ in response.aiter_raw():
            first = first or time.perf_counter() - began
    return first, time.perf_counter() - began


async def latency(direct: str, proxied_url: str, streams: int, rounds: int) -> dict[str, Any]:
    """The same streams both ways, round by round in turn."""
    times: dict[str, list[tuple[float, float]]] = {"direct": [], "proxied": []}
    bare: dict[str, list[float]] = {"direct": [], "proxied": []}
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=200)
    ways = {"direct": direct, "proxied": proxied_url}
    async with httpx2.AsyncClient(timeout=120, limits=limits) as client:
        for way in ways:
            await one_stream(client, ways[way], "quick")
        for number in range(rounds):
            for way in sorted(ways, reverse=bool(number % 2)):
                times[way] += await asyncio.gather(*(one_stream(client, ways[way], "slow") for _ in range(streams)))
        for _ in range(200):
            for way in ways:
                bare[way].append((await one_stream(client, ways[way], "quick"))[1])
    found: dict[str, Any] = {"streams": streams, "rounds": rounds}
    for way in ways:
        first, whole = ([pair[n] for pair in times[way]] for n in (0, 1))
        found[way] = {
            "first byte, median ms": round(statistics.median(first) * 1e3, 1),
            "whole, p95 ms": round(statistics.quantiles(whole, n=20)[-1] * 1e3, 1),
            "bare request, median ms": round(statistics.median(bare[way]) * 1e3, 2),
        }
    for name, key in (("first byte", "first byte, median ms"), ("whole", "whole, p95 ms")):
        found[f"{name}, proxied / direct"] = round(found["proxied"][key] / found["direct"][key], 3)
    found["bare overhead ms"] = round(
        found["proxied"]["bare request, median ms"] - found["direct"]["bare request, median ms"], 2
    )
    return found


def measured_latency(streams: int, rounds: int, tokens: int, folder: Path) -> dict[str, Any]:
    """Provider, proxy and clients in a process each."""
    context = get_context("spawn")
    ports = context.Queue()
    model = context.Process(target=model_process, args=(ports, tokens), daemon=True)
    model.start()
    port = ports.get()
    proxy = context.Process(target=proxy_process, args=(ports, port, str(folder)), daemon=True)
    proxy.start()
    try:
        url = ports.get()
        return asyncio.run(latency(f"http://127.0.0.1:{port}", url, streams, rounds))
    finally:
        for process in (proxy, model):
            process.terminate()
            process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exchanges", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, Any] = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder:
        found["correctness"] = correctness(given.exchanges, given.seed, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        found["latency"] = measured_latency(given.streams, given.rounds, given.tokens, Path(folder))
    print(json.dumps(found, indent=2, ensure_ascii=False))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    right = found["correctness"]
    sys.exit(0 if right["stored as said"] and not right["added by storing all of it again"] else 1)


if __name__ == "__main__":
    main()

"""The daemon's deadlines are for what arrives: a provider may take its time, and a stranger may not."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx2
import pytest

from engramma.apps.daemon.folder import proxy_key
from engramma.apps.proxy import proxy_app
from tests.apps.daemon.serving import SHORT, heard, sent, serving

sys.path.insert(0, str(Path(__file__).parents[3] / "evaluate" / "bench"))
import proxy as bench
from proxy_upstream import Script, Upstream
from proxy_upstream import serving as upstream_at

pytestmark = pytest.mark.long


def test_a_slow_stream_through_the_proxy_is_not_cut(tmp_path: Path) -> None:
    upstream = Upstream()
    slow = Script([b"data: %d\n\n" % number for number in range(8)], "text/event-stream", first=2.0, between=0.25)
    upstream.scripts["one"] = slow
    with upstream_at(upstream) as port:
        daemon = bench.daemon_for(tmp_path, port, bench.Frames())
        with serving(behind=proxy_app(daemon)) as (own, _):
            base = f"http://127.0.0.1:{own}/p/{proxy_key(daemon.token)}/openai/v1/chat/completions"
            body = {"model": "one", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
            reply = httpx2.post(base, json=body, timeout=30)
            assert reply.content == slow.body and reply.elapsed.total_seconds() > 3 * SHORT.reply
            head = b"POST /p/%b/openai/v1/files HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"
            with sent(own, head % (b"0" * 32)) as line:  # a wrong key: answered at once, and not waited for
                assert heard(line).startswith(b"HTTP/1.1 404")

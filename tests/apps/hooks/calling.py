"""Calls the hook as Claude Code does: a process of its own, JSON on standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

from engramma.apps.daemon.proof import PATH, proof

HOOK = [sys.executable, "-P", "-m", "engramma.apps.hooks"]


def call(store, data, *options, **environment):
    """One call; `data` is a dict or raw bytes."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    command = HOOK if store is None else [*HOOK, "--store", str(store)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENGRAMMA_")}
    begun = time.perf_counter()
    done = subprocess.run([*command, *options], input=raw, capture_output=True, env={**kept, **environment}, timeout=60)
    told = json.loads(done.stdout) if done.stdout else None
    took = time.perf_counter() - begun
    return SimpleNamespace(rc=done.returncode, out=done.stdout, err=done.stderr, told=told, took=took)


def context(result):
    assert result.rc == 0 and result.err == b""
    return result.told["hookSpecificOutput"]["additionalContext"] if result.told else None


@contextmanager
def serve_as_daemon(store: Path, replies):
    """A server at the place where the daemon's would be; `replies(handler)` answers. Gives what was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # a daemon goes on after it has proven to be one

        def do_POST(self):
            path, _, nonce = self.path.partition("?nonce=")
            if path == PATH:
                told = json.dumps({"proof": proof("secret-token", nonce, self.server.server_address[1])}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)
                return
            self.close_connection = True
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, dict(self.headers), json.loads(body)))
            replies(self)

        do_GET = do_POST

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        put_state(store, server.server_address[1])
        yield asked
        server.shutdown()
        thread.join()


def put_state(store: Path, port: int, pid: int | None = None):
    folder = store / "daemon"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "token").write_text("secret-token\n")
    state = {"pid": pid or os.getpid(), "host": "127.0.0.1", "port": port}
    (folder / "state.json").write_text(json.dumps(state))

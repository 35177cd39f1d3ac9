"""A daemon imports the library of MCP when the first request for it comes, and not before."""

from __future__ import annotations

import json
import subprocess
import sys

CODE = """
import json, sys, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from starlette.testclient import TestClient
from engramma.apps.daemon.app import build_app
from engramma.apps.daemon.folder import place_in
from engramma.apps.daemon.memories import Memories
from engramma.apps.daemon.spool import Spool
from engramma.apps.daemon.state import Daemon

class Nobody:
    def offer(self, frame): return False
    def counts(self): return {}

store = Path(sys.argv[1])
place, memories = place_in(store), Memories(store)
memories.get(create=True)
app = build_app(Daemon(store, place, memories, Spool(place.spool), Nobody(), "secret"))
headers = {"Authorization": "Bearer secret", "Accept": "application/json, text/event-stream"}
asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

def ask(client):
    return client.post("/mcp", json=asked, headers=headers)

with TestClient(app, base_url="http://127.0.0.1") as client:
    healthy = client.get("/health").status_code
    before = "mcp" in sys.modules
    with ThreadPoolExecutor(4) as several:  # all of whom come before it is imported
        answers = list(several.map(ask, [client] * 4))
    tools = [len(one.json()["result"]["tools"]) for one in answers]
with TestClient(app, base_url="http://127.0.0.1") as client:  # one that is never asked ends as well
    client.get("/health")
memories.close()
print(json.dumps([healthy, before, "mcp" in sys.modules, tools]))
"""


def test_the_first_requests_for_mcp_import_it_and_are_answered(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "store")], capture_output=True, text=True, check=True, timeout=120
    )
    healthy, before, after, tools = json.loads(done.stdout.splitlines()[-1])
    assert (healthy, before, after) == (200, False, True)
    assert len(set(tools)) == 1 and tools[0] >= 10


def test_an_import_that_fails_is_told_to_everyone_who_asks(tmp_path):
    broken = CODE.replace("def ask(client):", "sys.modules['engramma.apps.mcp'] = None\ndef ask(client):")
    broken = broken.replace(
        'base_url="http://127.0.0.1")', 'base_url="http://127.0.0.1", raise_server_exceptions=False)'
    )
    broken = broken.replace('len(one.json()["result"]["tools"])', "one.status_code")
    done = subprocess.run(
        [sys.executable, "-c", broken, str(tmp_path / "store")], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [200, False, False, [500] * 4]

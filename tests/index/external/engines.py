"""Every engine that finds neighbours, over one small store each, and a server that can misbehave."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from engramma import Memory
from engramma.config.settings import Config
from engramma.store.store import ARCHIVED, LIVE
from tests.conftest import talk
from tests.index.truth import clustered

DIMENSION, ROWS = 24, 180
ENGINES = ("faiss", "sqlite-vec", "chroma", "qdrant", "qdrant server", "pgvector")
OUTSIDE = ENGINES[1:]
PATIENT = 60.0  # seconds: what runs beside the tests must not decide them

PLACES = clustered(ROWS, DIMENSION, clusters=9, noise=0.5)
PLACES[100:112] = PLACES[100]  # equals


class Placed:
    """Texts that name a place in a table of vectors, `v17`; others point away from all of them."""

    name, sha256, dimension, edge_floor = "placed", "e" * 64, DIMENSION, 0.97

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
        rows = [self._one(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), DIMENSION)

    def _one(self, text: str) -> np.ndarray:
        found = re.search(r"\bv(\d+)\b", text)
        return PLACES[int(found[1]) % ROWS].astype(np.float32) if found else np.eye(DIMENSION, dtype=np.float32)[0]


class Store:
    """A memory whose neighbours one engine finds, and what has to be in it."""

    def __init__(self, folder: Path, table: dict[str, Any], rows: int = ROWS) -> None:
        self.folder, self.table = folder, table
        self.memory = self.opened()
        if not self.memory._core.store.keys("keys_all").size and rows:
            self.say(range(rows), "s")

    def opened(self) -> Memory:
        config = Config(index={"timeout": PATIENT, **self.table} if self.table else {})
        return Memory.open(self.folder, embedder=Placed(), config=config)

    def say(self, numbers: Sequence[int], session: str) -> None:
        self.memory.remember_session("c", session, talk(*(f"Ana: v{n}" for n in numbers)))

    def reopen(self) -> Memory:
        self.memory.close()
        self.memory = self.opened()
        return self.memory

    @property
    def index(self) -> Any:
        return self.memory._core._searched().fresh()[0]

    def check_asked(self) -> None:
        """The engine answered, not the scan in its place."""
        if self.table:
            assert self.follower.health().state == "ready", self.follower.health()

    @property
    def follower(self) -> Any:
        return self.memory._core.engine().follower

    def live(self) -> dict[int, np.ndarray]:
        """What has to be in the index, straight from the database."""
        keys, vectors = self.memory._core.store.vectors("embeddings_all", DIMENSION)
        return dict(zip(keys.tolist(), vectors, strict=True))

    def lay_aside(self, keys: Sequence[int], state: int = ARCHIVED) -> None:
        with self.memory._core.store.transaction():
            self.memory._core.store.set_states(dict.fromkeys(keys, state))

    def take_back(self) -> None:
        self.lay_aside(self.memory._core.store.keys("keys_not_live").tolist(), LIVE)


# --- a Qdrant server, as far as this program asks one ------------------------------------------------


class Qdrant:
    """Answers Qdrant's REST calls from qdrant-client's own engine; can be slow, full, garbled or away."""

    def __init__(self) -> None:
        from qdrant_client import QdrantClient, models

        self.engine, self.models = QdrantClient(":memory:"), models
        self.mood = "well"
        self.asked = 0
        self.turn = threading.Lock()

    def answer(self, method: str, path: str, body: Any) -> Any:
        _, _, name, *rest = path.partition("?")[0].split("/")
        call = (method, "/".join(rest))
        e, m = self.engine, self.models
        if call == ("GET", "exists"):
            return {"exists": e.collection_exists(name)}
        if call == ("GET", ""):
            return e.get_collection(name).model_dump(mode="json")
        if call == ("PUT", ""):
            return e.create_collection(name, vectors_config=m.VectorParams(**body["vectors"]))
        if call == ("PATCH", ""):
            return e.update_collection(name, metadata=body["metadata"])
        if call == ("DELETE", ""):
            return e.delete_collection(name)
        if call == ("PUT", "points"):
            return e.upsert(name, points=m.Batch(**body["batch"])).model_dump(mode="json")
        if call == ("POST", "points/delete"):
            return e.delete(name, points_selector=m.PointIdsList(**body)).model_dump(mode="json")
        if call == ("POST", "points/count"):
            return e.count(name).model_dump(mode="json")
        assert call == ("POST", "points/query"), call
        found = e.query_points(name, query=body["query"]["nearest"], limit=body["limit"], with_payload=False)
        return self.spoilt(found.model_dump(mode="json"), body["limit"])

    def spoilt(self, found: dict[str, Any], limit: int) -> dict[str, Any]:
        if self.mood == "strange ids":
            return {"points": [{**one, "id": one["id"] + 1_000_000} for one in found["points"]]}
        if self.mood == "made-up scores":
            return {"points": [{**one, "score": 0.5} for one in found["points"]]}
        return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        qdrant: Qdrant = self.server.qdrant  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        qdrant.asked += 1
        if qdrant.mood == "slow":
            time.sleep(1.5)
        if qdrant.mood == "full" and self.command in ("PUT", "PATCH"):
            self.reply(500, {"status": {"error": "Service internal error: No space left on device"}, "time": 0.0})
        elif qdrant.mood == "garbage":
            self.reply(200, ["<html>", None, {"result": "nothing of the sort"}])
        else:
            with qdrant.turn:
                try:
                    told = qdrant.answer(self.command, self.path, json.loads(body) if body else None)
                except ValueError as error:
                    self.reply(404, {"status": {"error": str(error)}, "time": 0.0})
                    return
            self.reply(200, {"result": told, "status": "ok", "time": 0.0})

    do_PUT = do_POST = do_PATCH = do_DELETE = do_GET

    def reply(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(qdrant: Qdrant, port: int = 0) -> Iterator[str]:
    """The server at an address of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.qdrant = qdrant  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()

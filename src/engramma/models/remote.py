"""Encoders on an embedding server: Ollama, or anything that speaks OpenAI's /v1/embeddings."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, RemoteFailed
from .embed import Kind, Progress
from .exchange import NotThere, ask_server, checked_base
from .http_client import READ_SECONDS, Server, open_client
from .settings import EDGE_FLOOR, prefix_text

BATCH = 32
# What is sent of a long text. Servers refuse what exceeds their context, and 8,000 characters stay within the
# usual 8,192 tokens in any script.
LONGEST_TEXT = 8_000
PREFIXES = {"nomic-embed-text": ("search_query: ", "search_document: ")}  # as its makers trained it


@dataclass(frozen=True, slots=True)
class Api:
    """What sets one protocol apart from the other."""

    name: str
    default_base: str
    path: str
    extra: dict[str, str]
    rows: Callable[[Any], list[Any]]


def _ollama_rows(answer: Any) -> list[Any]:
    return list(answer["embeddings"])


def _openai_rows(answer: Any) -> list[Any]:
    """Rows may come in any order; `index` says which text each belongs to."""
    items = sorted(answer["data"], key=lambda item: item["index"])
    if [item["index"] for item in items] != list(range(len(items))):
        raise ValueError("the rows' indices are not 0, 1, 2, …")
    return [item["embedding"] for item in items]


OLLAMA = Api("ollama", "http://127.0.0.1:11434", "/api/embed", {}, _ollama_rows)
OPENAI = Api("openai", "https://api.openai.com/v1", "/embeddings", {"encoding_format": "float"}, _openai_rows)
APIS = {api.name: api for api in (OLLAMA, OPENAI)}


class RemoteEmbedder:
    """A model behind an embedding server, asked once at the start for its dimension."""

    edge_floor = EDGE_FLOOR

    def __init__(self, api: Api, model: str, server: Server) -> None:
        import httpx2

        self._api, self._model, self._server = api, model, server
        self._tls = httpx2.create_ssl_context()
        self._prefixes = PREFIXES.get(model.rpartition("/")[2].partition(":")[0], ("", ""))
        with open_client(server, self._tls) as client:
            self._digest = _digest(client, server, model) if api is OLLAMA else None
            self._dimension = int(self._rows(client, ["dimension"], None).shape[1])

    @property
    def name(self) -> str:
        at = "" if self._server.base == self._api.default_base else f"@{self._server.base}"
        return f"{self._api.name}:{self._model}{at}"

    @property
    def sha256(self) -> str:
        """Of the model's name and digest where the server tells it, else of its name and address."""
        known_by = self._digest or self._server.base
        return hashlib.sha256(f"{self._api.name}|{self._model}|{known_by}".encode()).hexdigest()

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        prefix = self._prefixes[0 if kind == "query" else 1]
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(prefix_text(text, prefix, LONGEST_TEXT), []).append(place)
        rows = np.empty((len(texts), self._dimension), np.float32)
        if not places:
            return rows
        with open_client(self._server, self._tls) as client:
            distinct = list(places)
            for start in range(0, len(distinct), BATCH):
                batch = distinct[start : start + BATCH]
                for text, vector in zip(batch, self._rows(client, batch, self._dimension), strict=True):
                    rows[places[text]] = vector
                if progress is not None:
                    progress(sum(len(places[text]) for text in batch))
        return rows

    def _rows(self, client: Any, texts: list[str], dimension: int | None) -> NDArray[np.float32]:
        """One unit row a text, checked in every way the answer could be wrong."""
        # An empty input is an error to most servers, and means as little as a space.
        body = {"model": self._model, "input": [text or " " for text in texts], **self._api.extra}
        answer = ask_server(client, self._server, self._api.path, body)
        where = f"{self._server.base}{self._api.path}"
        try:
            rows = np.array(self._api.rows(answer), np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise RemoteFailed(f"{where} answered without rows of numbers; is it an embedding server?") from error
        if rows.ndim != 2 or len(rows) != len(texts) or not rows.shape[1]:
            shape = "x".join(map(str, rows.shape))
            raise RemoteFailed(f"{where} answered {len(texts)} texts with {shape} numbers; try another model")
        if dimension is not None and rows.shape[1] != dimension:
            width = rows.shape[1]
            raise RemoteFailed(f"{where} answered {width} dimensions after {dimension}; has its model changed?")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise RemoteFailed(f"{where} answered a vector that is zero or not finite; try another model")
        return np.asarray(rows / lengths, np.float32)


def open_remote(
    spec: str,
    *,
    offline: bool = False,
    key: str | None = None,
    timeout: float = READ_SECONDS,
    sleep: Callable[[float], None] = time.sleep,
) -> RemoteEmbedder:
    """`ollama:MODEL`, `openai:MODEL`, each with `@ADDRESS` if it is not the usual one."""
    scheme, _, rest = spec.partition(":")
    model, _, base = rest.partition("@")
    if not model:
        raise ModelError(f"{spec} lacks a model's name; write {scheme}:MODEL or {scheme}:MODEL@http://host:port")
    if key is not None and not key.isprintable():
        raise ModelError("the API key contains characters that are not allowed in a header; set it again")
    api = APIS[scheme]
    address = checked_base(base or api.default_base, offline)
    return RemoteEmbedder(api, model, Server(address, key if api is OPENAI else None, timeout, sleep))


def _digest(client: Any, server: Server, model: str) -> str | None:
    """Ollama's digest of the model, so that a changed one is noticed. Its imitators have none."""
    try:
        listed = ask_server(client, server, "/api/tags")
    except NotThere:
        return None
    wanted = model if ":" in model else f"{model}:latest"
    try:
        digests = {item["name"]: item.get("digest") for item in listed["models"]}
    except (KeyError, TypeError, AttributeError):
        return None
    digest = digests.get(wanted)
    return str(digest) if digest else None

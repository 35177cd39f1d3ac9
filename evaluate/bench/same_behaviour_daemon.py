"""The daemon of a store and calls to its HTTP API that go into the recording."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from same_behaviour_parts import Parts, Program
from same_behaviour_stores import Question

TOLD = ("content-type", "www-authenticate", "allow", "retry-after", "location", "content-disposition")
LARGE = 200_000  # characters of an answer above which its hash is kept instead


@dataclass
class Api:
    """Calls to a daemon; each is an item of a part."""

    client: httpx2.Client
    parts: Parts
    part: str
    document: dict[str, Any] = field(default_factory=dict)

    def fetch(self, path: str, **query: Any) -> Any:
        """JSON that the recorder itself needs; not recorded."""
        return self.client.get(path, params=query).json()

    def call(self, method: str, path: str, *, part: str = "", label: str = "", **given: Any) -> Any:
        """One call, recorded; gives back the JSON of the answer, or None."""
        answer = self.client.request(method, path, **given)
        body = self.body_of(answer)
        self.name_new(body)
        shown = {name: value for name, value in given.items() if name in ("params", "json", "content")}
        key = f"{method} {path} {label or json.dumps(shown, ensure_ascii=False, sort_keys=True, default=repr)}"
        heads = {name: answer.headers[name] for name in TOLD if name in answer.headers}
        self.parts.add(
            part or self.part, key, {"status": answer.status_code, "headers": heads, "body": self.small(body)}
        )
        return body

    def name_new(self, body: Any) -> None:
        """Name what an answer brings that is random, or made from the clock as the id of a note of now."""
        plain = self.parts.plain
        if not isinstance(body, dict):
            return
        for name in ("token", "proxy_key"):
            plain.name(body.get(name), name)
        if "proxy_key" in body:
            plain.name(body.get("id"), "token id")
        note = body.get("note")
        if isinstance(note, dict) and plain.text(str(note.get("created"))) == "NOW":
            plain.name(note.get("id"), "note")

    def body_of(self, answer: httpx2.Response) -> Any:
        """The JSON or text of an answer; of anything else only that it is there."""
        kind = answer.headers.get("content-type", "")
        if "json" in kind and "lines" not in kind and "ndjson" not in kind:
            return answer.json()
        return answer.text if kind.startswith("text/") or "json" in kind else f"(bytes: {bool(answer.content)})"

    def small(self, body: Any) -> Any:
        """The body, or the hash of one that is large."""
        text = json.dumps(self.parts.plain.value(body), sort_keys=True)
        return {"sha256": hashlib.sha256(text.encode()).hexdigest()} if len(text) > LARGE else body


@contextmanager
def daemon(program: Program, parts: Parts, store: Path, part: str) -> Iterator[Api]:
    """Start the daemon of a store and stop it in the end."""
    url = program.needed("start", "--store", str(store), "--port", "0", "--json")["url"]
    try:
        token = program.run("token", "--store", str(store)).out.strip()
        parts.plain.name(token, "token")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=url, headers=headers, timeout=300, trust_env=False) as client:
            yield Api(client, parts, part)
    finally:
        program.run("stop", "--relay", "--store", str(store))


def sweep(api: Api, store: str, recipes: list[str], questions: list[Question]) -> None:
    """Every question to every recipe, and to ask."""
    for question in questions:
        when = {"asked_at": question.asked_at} if question.asked_at else {}
        for recipe in recipes:
            api.call(
                "GET",
                "/api/recall",
                part=f"{store}_recall",
                label=f"{recipe}: {question.text}",
                params={"q": question.text, "recipe": recipe, **when},
            )
        api.call("GET", "/api/ask", part=f"{store}_ask", label=question.text, params={"question": question.text})

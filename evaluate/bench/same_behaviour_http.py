"""The HTTP API: every GET path of the OpenAPI document with real values and wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from same_behaviour_daemon import Api

STREAM = "/api/events"
NONCE = "0123456789abcdef" * 2
UNKNOWN: dict[str, str] = {
    "id": "seg_no/where_0",
    "name": "Nobody At All",
    "conversation": "nowhere",
    "session": "nowhere",
    "namespace": "nowhere",
    "recipe": "nonsense",
    "kind": "nonsense",
    "as_of": "someday",
    "asked_at": "someday",
    "sort": "nonsense",
}


def real_values(api: Api, recipes: list[str], questions: list[str]) -> dict[str, list[Any]]:
    """Values that are in the store, by the names of the parameters that take them."""
    sessions = api.fetch("/api/sessions")["items"]
    hits = [one["segment_id"] for one in api.fetch("/api/recall", q=questions[0])["candidates"]]
    claims = api.fetch("/api/claims", limit=3)
    people = [one["name"] for one in api.fetch("/api/people")] or ["user"]
    topics = [one["id"] for one in api.fetch("/api/topics")] or [1]
    return {
        "conversation": [sessions[0]["conversation"]],
        "session": [sessions[0]["session"]],
        "q": questions[:2],
        "question": questions[:2],
        "recipe": recipes,
        "id": hits[:2],
        "topic id": topics[:2],
        "topic": topics[:1],
        "name": people[:2],
        "person": people[:1],
        "relation": [one["relation"] for one in claims][:1],
        "turn": [one["turn_ids"][0] for one in claims][:1],
        "k": [1, 20],
        "budget_tokens": [300],
        "asked_at": ["2023-07-01", "2023-07-01T10:00:00+02:00"],
        "as_of": ["2023-06-01"],
        "archived": ["true"],
        "all_states": ["true"],
        "whole": ["true"],
        "namespaces": ["default", "*"],
        "namespace": ["default"],
        "limit": [2],
        "offset": [1],
        "strongest": [1],
        "hops": [2],
        "cap": [3],
        "type": ["person", "place"],
        "search": ["a"],
        "sort": ["mentions", "type"],
        "kind": ["supports"],
        "tag": ["travel"],
        "who": ["owner"],
        "before": ["0" * 24],
        "nonce": [NONCE],
    }


def operations(document: dict[str, Any], methods: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each operation of an OpenAPI document: method, path, description."""
    for path, found in sorted(document["paths"].items()):
        for method in methods:
            if method.lower() in found:
                yield method, path, found[method.lower()]


def walk(api: Api, values: dict[str, list[Any]]) -> None:
    """Every GET path: as little as it needs, each parameter alone, and what it must refuse."""
    api.document = api.call("GET", "/api/openapi.json")
    for _, path, operation in operations(api.document, ("GET",)):
        if path == STREAM:
            with api.client.stream("GET", path) as answer:
                api.parts.add(api.part, f"GET {path}", [answer.status_code, answer.headers["content-type"]])
            continue
        parameters = [one for one in operation.get("parameters", []) if one["in"] == "query"]
        needed = {one["name"]: values[one["name"]][0] for one in parameters if one.get("required")}
        place = filled(path, values)
        api.call("GET", place, params=needed)
        for one in parameters:
            for query in variants(one, values, needed):
                api.call("GET", place, params=query)
    for path in ("/", "/api", "/api/nowhere", "/api/stats/", "/docs", "/api/notes/note_0", "/api/jobs/0"):
        api.call("GET", path)


def filled(path: str, values: dict[str, list[Any]]) -> str:
    """A path with a real id in it, or one that is none."""
    if path.startswith("/api/topics/"):
        return path.replace("{id}", str(values["topic id"][0]))
    return path.replace("{id}", "none").replace("{name}", "none.zip")


def variants(
    parameter: dict[str, Any], values: dict[str, list[Any]], needed: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Queries that differ in one parameter: its other values, none, an unknown one, a wrong one."""
    name = parameter["name"]
    for value in values.get(name, [])[1 if name in needed else 0 :]:
        yield {**needed, name: value}
    if name in needed:
        yield {other: value for other, value in needed.items() if other != name}
    if name in UNKNOWN:
        yield {**needed, name: UNKNOWN[name]}
    schema = parameter["schema"]
    kinds = [one.get("type") for one in schema.get("anyOf", [schema])]
    if "integer" in kinds or "number" in kinds:
        yield {**needed, name: "many"}
        yield {**needed, name: -1}
    elif "boolean" in kinds:
        yield {**needed, name: "perhaps"}
    elif name in needed:
        yield {**needed, name: ""}


def refused(api: Api) -> None:
    """Bodies that no write takes, and callers that may not call."""
    for method, path, operation in operations(api.document, ("POST", "PATCH", "PUT")):
        place = path.replace("{id}", "none").replace("{key}", "1").replace("{name}", "none.zip")
        if "application/json" not in operation.get("requestBody", {}).get("content", {}):
            continue
        json_type = {"Content-Type": "application/json"}
        api.call(method, place, content=b"{", headers=json_type)
        api.call(method, place, content=b"[]", headers=json_type)
        api.call(method, place, json={})
        api.call(method, place, json={"nonsense": True})
        api.call(method, place, content=b"x=1", headers={"Content-Type": "text/plain"}, label="text/plain")
    for label, headers in {
        "no token": {"Authorization": ""},
        "wrong token": {"Authorization": "Bearer wrong"},
        "other scheme": {"Authorization": "Basic eDp5"},
        "foreign host": {"Host": "evil.example"},
        "foreign origin": {"Origin": "https://evil.example"},
    }.items():
        for path in ("/api/stats", "/health", "/mcp", "/"):
            api.call("GET", path, headers=headers, label=label)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        api.call(method, "/api/stats")

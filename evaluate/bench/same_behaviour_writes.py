"""A fixed series of writes through the HTTP API, each with its answer."""

from __future__ import annotations

import time
from typing import Any

from same_behaviour_daemon import Api
from same_behaviour_parts import Program

AT = "2024-02-{:02}T10:00:00+00:00"
NOTES = (
    ("The spare key lies under the blue pot.", ["home"]),
    ("Dana's flight to Oslo leaves on Friday.", ["travel"]),
    ("The spare key lies under the blue pot!", ["home", "key"]),
    ("Server password: hunter2hunter2 token ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3", ["work"]),
    ("Erik prefers the night train.", ["travel"]),
    ("Erik prefers to fly since March.", ["travel"]),
)
# Nobody speaks in both: who does is decided upon by the daemon, at a time of its own.
OTHERS = (
    ("Finn", "My cat is called Mia and I live in Trondheim."),
    ("Gro", "I work at Nordlys as a printer. My brother Ivar likes chess."),
)
TALK = (
    ("Dana", "My dog is called Bruno and I live in Bergen."),
    ("Erik", "I work at Fjordline as a cook, and my sister Liv lives in Bergen, too."),
    ("Dana", "I like rowing. Last week I met Liv at the harbour."),
)


def notes(api: Api) -> list[str]:
    """Notes and what becomes of them; gives back their ids."""
    ids = []
    body: dict[str, Any]
    for number, (text, tags) in enumerate(NOTES, start=1):
        body = {"text": text, "tags": tags, "said_at": AT.format(number), "speaker": "Dana", "strength": 0.6}
        ids.append(api.call("POST", "/api/notes", json=body)["note"]["id"])
    for body in (
        {"text": ""},
        {"text": "x", "strength": 3},
        {"text": "x", "said_at": "2024-01-01"},
        {"text": "x" * 21, "tags": [""]},
    ):
        api.call("POST", "/api/notes", json=body)
    for params in ({}, {"tag": "travel"}, {"limit": 2}, {"all_states": True, "offset": 1}):
        api.call("GET", "/api/notes", params=params)
    for id in ids:
        api.call("GET", f"/api/notes/{id}")
    api.call("PATCH", f"/api/notes/{ids[1]}", json={"tags": ["travel", "oslo"]})
    api.call("PATCH", "/api/notes/note_0", json={"tags": []})
    api.call("PATCH", f"/api/notes/{ids[1]}", json={})
    api.call("POST", "/api/notes/retag", json={"ids": [ids[0], ids[4]], "add": ["seen"], "remove": ["home"]})
    api.call("POST", "/api/notes/merge", json={"ids": [ids[4], ids[5]], "into": ids[5]})
    api.call("GET", "/api/acts")
    api.call("POST", "/api/undo", json={"act": 1})
    api.call("POST", "/api/undo", json={"act": 1})
    api.call("POST", "/api/undo", json={"act": 9999})
    api.call("POST", "/api/undo", json={"act": 2})
    api.call("DELETE", f"/api/notes/{ids[3]}")
    api.call("DELETE", f"/api/notes/{ids[3]}")
    api.call("GET", "/api/redactions")
    return ids


def corrected(api: Api) -> None:
    """A note in the place of another; its id comes from the clock, so it goes again: the order of ids is seen."""
    text, later = "Dana's flight to Oslo leaves on Friday.", "Dana's flight to Oslo leaves on Saturday."
    id = api.call("POST", "/api/notes", json={"text": text, "said_at": AT.format(1)})["note"]["id"]
    newer = api.call("PATCH", f"/api/notes/{id}", json={"text": later})
    for one in (id, newer["note"]["id"]):
        api.call("GET", f"/api/notes/{one}")
    api.call("GET", "/api/recall", params={"q": "When does Dana's flight leave?"})
    api.call("POST", "/api/undo", json={"act": newer["act"]})
    api.call("GET", f"/api/notes/{id}")
    api.call("POST", "/api/purge", json={"ids": [newer["note"]["id"]], "confirm": True})
    api.call("GET", "/api/notes", params={"all_states": True})


def links(api: Api, ids: list[str], hits: list[str]) -> None:
    """Typed links, feedback on recall that follows them."""
    for source, kind, target in (
        (ids[0], "supports", hits[0]),
        (hits[0], "contradicts", hits[1]),
        (hits[1], "before", ids[0]),
    ):
        api.call("POST", "/api/links", json={"source": source, "kind": kind, "target": target, "weight": 0.8})
    for source, kind, target in (
        (ids[0], "nonsense", ids[5]),
        ("seg_0", "supports", ids[0]),
        (ids[0], "supports", ids[0]),
    ):
        api.call("POST", "/api/links", json={"source": source, "kind": kind, "target": target})
    for params in ({}, {"id": hits[0]}, {"kind": "supports"}, {"limit": 1}, {"id": "seg_0"}):
        api.call("GET", "/api/links", params=params)
    api.call("GET", "/api/graph/neighborhood", params={"id": hits[0], "hops": 2})
    api.call("GET", "/api/recall", params={"q": "Where does the spare key lie?"})
    api.call("POST", "/api/feedback", json={"query": "Where does the spare key lie?", "used": [ids[0]]})
    api.call("POST", "/api/feedback", json={"query": "Where does the spare key lie?", "used": ["seg_0"]})
    for _ in range(2):
        api.call("DELETE", "/api/links", params={"source": hits[0], "kind": "contradicts", "target": hits[1]})


def talk(api: Api, program: Program, store: str) -> None:
    """Turns, closed at once; claims are read from them before anything asks for those."""
    for conversation, said in (("bergen", TALK), ("oslo", OTHERS), ("bergen", TALK)):
        turns = [
            {"speaker": speaker, "text": text, "said_at": f"2024-03-01T10:00:0{n}+00:00", "id": f"t{n}"}
            for n, (speaker, text) in enumerate(said)
        ]
        body = {"conversation": conversation, "session": "one", "turns": turns, "close": True}
        api.call("POST", "/api/turns", json=body)
    api.call("POST", "/api/turns", json={"conversation": "x", "turns": []})
    api.call("POST", "/api/sessions/close", json={"conversation": "bergen", "session": "one"})
    api.call("POST", "/api/sessions/close", json={"conversation": "bergen", "session": "nowhere"})
    api.call("GET", "/api/session", params={"conversation": "bergen", "session": "one"})
    program.needed("extract", "--store", store, "--json")
    program.needed("people", "--store", store, "--json")
    for path, params in (
        ("/api/claims", {"conversation": "bergen"}),
        ("/api/person", {"name": "Dana"}),
        ("/api/ask", {"question": "Where does Erik work?"}),
        ("/api/graph-query", {"q": "Who lives in Bergen?"}),
        ("/api/decisions", {"person": "Dana"}),
        ("/api/entities", {"search": "Bruno"}),
    ):
        api.call("GET", path, params=params)
    for event, query in (("prompt", "What is Dana's dog called?"), ("start", "bergen"), ("nonsense", "x")):
        api.call("POST", "/api/hook", json={"event": event, "query": query, "earlier": ["bergen"]})
    api.call("POST", "/api/recall", json={"query": "Dana's dog", "k": 3, "active_context": [TALK[0][1]]})
    api.call("POST", "/api/recall", json={"query": "Dana's dog", "exclude_session": "bergen/one"})
    api.call("POST", "/api/ask", json={"question": "What is Dana's dog called?"})


def entities(api: Api) -> None:
    """What a user says of entities and decisions, and takes back."""
    rows = api.call("GET", "/api/entities", params={"sort": "mentions", "limit": 12})
    keys = [one["key"] for one in rows]
    for change in ({"name": "Another Name"}, {"aliases": ["Nick"]}, {"type": "organisation"}, {"type": "nonsense"}, {}):
        api.call("PATCH", f"/api/entities/{keys[4]}", json=change)
    api.call("PATCH", "/api/entities/99999999", json={"name": "Nobody"})
    api.call("GET", "/api/entity", params={"name": "Another Name"})
    merged = api.call("POST", "/api/entities/merge", json={"entities": [keys[5]], "into": keys[6]})
    api.call("POST", "/api/entities/merge", json={"entities": [keys[0]], "into": keys[0]})
    api.call("POST", "/api/entities/delete", json={"entities": [keys[7]]})
    api.call("POST", "/api/entities/delete", json={"entities": []})
    api.call("POST", "/api/undo", json={"act": merged.get("act") or 1})
    found = api.call("GET", "/api/decisions")
    number = found[0]["id"] if found else 1
    for verdict in ("SEPARATE", "MERGE", "PERHAPS"):
        api.call(
            "POST", "/api/decisions/overrule", json={"decision": number, "verdict": verdict, "reason": "I know them"}
        )
    api.call("GET", "/api/decisions")
    api.call("GET", "/api/entities", params={"limit": 1000})
    api.call("GET", "/api/graph-export")


def forgetting(api: Api, ids: list[str], hits: list[str]) -> None:
    """Forget, undo, purge."""
    api.call("POST", "/api/forget", json={"ids": [hits[2]], "preview": True})
    act = api.call("POST", "/api/forget", json={"ids": [hits[2]]})["act"]
    api.call("GET", "/api/segment", params={"id": hits[2]})
    api.call("POST", "/api/undo", json={"act": act})
    api.call("GET", "/api/segment", params={"id": hits[2]})
    act = api.call("POST", "/api/forget", json={"speaker": "Gro", "conversation": "oslo"})["act"]
    api.call("POST", "/api/forget", json={"ids": ["seg_0"]})
    api.call("POST", "/api/forget", json={"since": "someday"})
    api.call("POST", "/api/purge", json={"act": act, "confirm": False})
    api.call("POST", "/api/purge", json={"act": act, "confirm": True})
    api.call("POST", "/api/purge", json={"ids": [ids[5]], "confirm": True})
    api.call("POST", "/api/purge", json={"query": "spare key", "confirm": True})
    api.call("POST", "/api/purge", json={"ids": ["seg_0"], "confirm": True})
    api.call("GET", "/api/recall", params={"q": "Where does the spare key lie?"})
    api.call("GET", "/api/acts")


def namespaces(api: Api) -> None:
    """Walls within the store, and users with rights in them."""
    for name in ("work", "work", "a/b", ""):
        api.call("POST", "/api/namespaces", json={"name": name})
    there = {"namespace": "work"}
    api.call("POST", "/api/notes", params=there, json={"text": "Standup is at ten.", "said_at": AT.format(9)})
    api.call("GET", "/api/recall", params={"q": "When is standup?", "namespaces": ["default", "work"]})
    for params in (there, {"namespace": "nowhere"}):
        api.call("GET", "/api/recall", params={"q": "When is standup?", **params})
    made = api.call("POST", "/api/users", json={"name": "ben", "grants": {"work": "read"}})
    mine = {"Authorization": f"Bearer {made.get('token')}"}
    for method, path in (
        ("GET", "/api/stats"),
        ("GET", "/api/notes"),
        ("GET", "/api/users"),
        ("POST", "/api/namespaces"),
    ):
        api.call(method, path, params=there, headers=mine, label="as ben")
        api.call(method, path, headers=mine, label="as ben, elsewhere")
    api.call("POST", "/api/notes", params=there, headers=mine, json={"text": "May I?"}, label="as ben")
    api.call("PUT", "/api/grants", params=there, json={"name": "ben", "right": "write"})
    may = {"text": "Now I may.", "said_at": AT.format(10)}
    api.call("POST", "/api/notes", params=there, headers=mine, json=may, label="as ben, granted")
    api.call("GET", "/api/users")
    api.call("DELETE", "/api/users", params={"name": "ben"})
    api.call("GET", "/api/stats", params=there, headers=mine, label="as ben, removed")
    api.call("PATCH", "/api/namespaces", json={"old": "work", "new": "job"})
    api.call("GET", "/api/namespaces")
    for confirm in ("perhaps", "false", "true"):
        api.call("DELETE", "/api/namespaces", params={"name": "job", "confirm": confirm})
    for whole in (True, False):
        api.call("GET", "/api/audit", params={"whole": whole})


def files(api: Api) -> None:
    """Imports, backups and the pause of capture."""
    chat = "Fay: I planted tulips.\nGil: In the old garden?\nFay: Yes, on Sunday.\n"
    for params in ({"dry_run": True}, {}, {}, {"format": "nonsense"}, {"format": "locomo"}):
        given: dict[str, Any] = {"filename": "garden.txt", "date": "2024-04-01T10:00:00", "wait": 60, **params}
        path, label = "/api/import", str(sorted(given.items()))
        answer = api.client.post(path, params=given, content=chat.encode()).json()
        api.parts.plain.name(answer.get("id"), "job")
        api.parts.add(api.part, f"POST {path} {label}", answer)
    for job in api.fetch("/api/jobs"):
        api.parts.plain.name(job["id"], "job")
    api.call("GET", "/api/jobs")
    api.client.post("/api/backups")
    while ((found := api.fetch("/api/backups"))["work"] or {}).get("state") not in (None, "done", "failed"):
        time.sleep(0.2)
    for one in found["items"]:
        api.parts.plain.name(one["name"], "backup")
        api.call("POST", f"/api/backups/{one['name']}/restore", json={"confirm": False})
        api.call("GET", f"/api/backups/{one['name']}")
        api.call("DELETE", f"/api/backups/{one['name']}")
    api.call("GET", "/api/backups")
    for body in ({"minutes": 5}, {"minutes": -1}, {}):
        api.call("POST", "/api/capture/pause", json=body)
    api.call("POST", "/api/capture/resume")


def writes(api: Api, program: Program, store: str, question: str) -> None:
    """The whole series, in one order."""
    hits = [one["segment_id"] for one in api.fetch("/api/recall", q=question)["candidates"]]
    ids = notes(api)
    links(api, ids, hits)
    talk(api, program, store)
    entities(api)
    forgetting(api, ids, hits)
    namespaces(api)
    files(api)
    api.call("GET", "/api/stats")
    program.needed("extract", "--store", store, "--json")
